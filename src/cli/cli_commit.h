/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_COMMIT_H
#define CLI_CLI_COMMIT_H

/* What a commit does (cli_vault_commit.c) and what it tells (cli_commit_tell.c). */

#include "cli/cli_checkout.h"

/* One file of the walk. */
struct checkout_item {
	struct vault_staged *staged; /* its bytes, in the vault; NULL: not read */
	struct checkout_file stored; /* once it is a version; path is not used */
};

struct commit {
	struct checkout *checkout;
	struct checkout_item *items; /* as long as the walk */
	int64_t done, all;           /* bytes read */
	int64_t stored, trashed, conflicts;
};

/* What is to be done with a row, by what the command was asked for. */
bool commit_conflicts(const struct commit *commit, const struct checkout_row *row);
bool commit_is_to_store(const struct commit *commit, const struct checkout_row *row);
bool commit_is_to_trash(const struct commit *commit, const struct checkout_row *row);

/* Was it stored? Then the row's item tells as what. */
bool commit_is_stored(const struct commit *commit, const struct checkout_row *row);

/* The item of a row that has a local file. */
struct checkout_item *commit_item(const struct commit *commit, const struct checkout_row *row);

/* ERR_CONFLICT with all conflicts; the result of the command. */
int commit_refuse(const struct commit *commit, struct err *err);
void commit_tell(const struct commit *commit);

#endif
