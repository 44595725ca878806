/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_TOKEN_H
#define CLI_CLI_TOKEN_H

/*
 * Where a new token's value goes, which is shown once: a new file of mode 0600, or a person's
 * terminal. The place is made before the token, so that none is issued that nobody gets.
 */

#include "cli/cli_vault.h"

struct cli_token_file {
	const struct cli *cli;
	const char *path; /* borrowed; NULL: there is no file */
	int fd;
	bool is_written; /* else the file goes at release */
};
#define CLI_TOKEN_FILE_INIT ((struct cli_token_file){ .fd = -1 })
#define cleanup_token_file __attribute__((cleanup(cli_token_file_release)))

/* Makes the file, with room for the value; ERR_ALREADY_EXISTS. */
int cli_token_file_make(const struct cli *cli, const char *path, struct cli_token_file *ret,
    struct err *err) MUST_CHECK;
int cli_token_file_write(
    struct cli_token_file *file, const struct vault_token_text *token, struct err *err) MUST_CHECK;
void cli_token_file_release(struct cli_token_file *file);

#endif
