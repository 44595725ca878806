/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_LOCAL_H
#define CLI_CLI_LOCAL_H

/*
 * Files of this machine that a command reads or makes. With --root every path must lie below one of
 * the roots and is opened without leaving it (os_open_beneath); without, it is what the person
 * named. What is read is an ordinary file or a folder: a symbolic link or a special file is refused
 * at the end of the path, as is one on the way below a root when it leads outside.
 */

#include <sys/stat.h>

#include "cli/cli_internal.h"

/* Opens a file or a folder for reading. ERR_INVALID_ARGUMENT when it is neither. */
int cli_local_open(const struct cli *cli, const char *path, struct stat *ret_stat, struct err *err)
    MUST_CHECK;

/* The same for one name in an open folder; path is for messages. */
int cli_local_open_at(int dir_fd, const char *name, const char *path, struct stat *ret_stat,
    struct err *err) MUST_CHECK;

/* Opens a folder, which is made when it is missing; those above it must be there. */
int cli_local_open_folder(const struct cli *cli, const char *path, struct err *err) MUST_CHECK;

/* Makes a new file of mode 0600, open for writing; ERR_ALREADY_EXISTS. */
int cli_local_create(const struct cli *cli, const char *path, struct err *err) MUST_CHECK;

/* Removes a file that cli_local_create() made. */
void cli_local_remove(const struct cli *cli, const char *path);

/*
 * A file that is whole or not there: written beside its place under another name, mode 0600, and
 * put there by cli_output_commit(). may_replace: a file in its place goes; else that is
 * ERR_ALREADY_EXISTS, at the start already. Release drops what was not committed.
 */
struct cli_output {
	const char *path; /* borrowed; for messages */
	const char *name; /* in its folder; of path */
	char *temporary;
	int dir_fd;
	int fd; /* where to write */
	bool may_replace;
};
#define CLI_OUTPUT_INIT ((struct cli_output){ .dir_fd = -1, .fd = -1 })
#define cleanup_output __attribute__((cleanup(cli_output_release)))

int cli_output_begin(const struct cli *cli, const char *path, bool may_replace,
    struct cli_output *ret, struct err *err) MUST_CHECK;
int cli_output_commit(struct cli_output *output, struct err *err) MUST_CHECK;
void cli_output_release(struct cli_output *output);

#endif
