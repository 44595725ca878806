/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_WALK_H
#define CLI_CLI_WALK_H

/*
 * A walk through the stages of a workspace, as an agent would: what there is, what the stages
 * declare, and what would stop it. For cli_vault_walk.c, which shows it.
 */

#include "cli/cli_stage_text.h"
#include "vault/vault.h"

/* One entry of the workspace; its path counts from there. */
struct walk_item {
	char *path;
	bool is_file;
	int64_t size;
	char *id;
	char *head; /* NULL: a folder */
	int64_t number;
};

struct walk_items {
	struct walk_item *items; /* by the bytes of their paths */
	size_t len, cap;
	size_t prefix; /* of the paths as the vault gives them */
};

struct walk_input {
	const char *written;
	char *path; /* NULL: it leads out */
	bool is_there;
	const char *from; /* name of the earlier stage that makes it, or NULL */
};

struct walk_stage {
	const struct walk_item *folder;
	const char *name;                 /* of it */
	const struct walk_item *contract; /* or NULL */
	struct buf text;
	struct stage_text declared;
	struct strvec tools;
	struct strvec unknown; /* those that no surface has */
	char *reason;          /* why the contract grants nothing; or NULL */
	struct walk_input *inputs;
	size_t inputs_len;
	struct strvec outputs; /* paths, from the workspace */
	int64_t tokens;
	struct strvec faults;
};

struct walk {
	struct vault_workspace workspace;
	struct walk_items items;
	struct walk_stage *stages;
	size_t stages_len, stages_cap;
	struct strvec faults; /* of the whole */
	size_t faults_len;    /* of all */
};

void walk_release(struct walk *walk);

/* Loads what there is, reads the contracts and judges each stage; it takes VAULT_READ. What is wrong
 * with the stages is no error. */
int walk_run(struct vault *vault, const char *workspace, struct walk *ret, struct err *err)
    MUST_CHECK;

/* Names with ", " between; owned. */
char *walk_join(const struct strvec *names) MUST_CHECK;

#endif
