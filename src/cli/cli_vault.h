/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_VAULT_H
#define CLI_CLI_VAULT_H

/*
 * What the commands of the vault share. Each is: open, one verb of vault/vault.h, and what came of
 * it twice: as JSON (the envelope's result) and as text for people.
 *
 * The vault itself decides who may do what. Here is decided only what a program behind the boundary
 * (STILE_CALLER) may not even try, by the rows' is_for_people: everything that makes, changes or
 * reveals an identity (init, login, logout, principals, tokens), because an agent must not be able
 * to name itself or to lend itself a longer arm than the token it was started with (DESIGN §8), and
 * to cut that one off would be the same; and backup, which copies the store past all grants.
 */

#include "base/clock.h"
#include "cli/cli_internal.h"
#include "vault/vault.h"

/* Rows: cli_vault_commands.c. */
extern const struct command cli_vault_commands[];
extern const struct cli_option *const cli_vault_leading[];

/* Refuses a token in any word, before it is quoted in an error or stands in the audit. */
int cli_vault_check_words(int argc, char **argv, struct err *err);

/* The command files' entries; several commands may share one. */
int cmd_vault_audit_export(struct cli *cli, struct err *err);
int cmd_vault_audit_list(struct cli *cli, struct err *err);
int cmd_vault_audit_verify(struct cli *cli, struct err *err);
int cmd_vault_backup(struct cli *cli, struct err *err);
int cmd_vault_entry(struct cli *cli, struct err *err);
int cmd_vault_file_copy(struct cli *cli, struct err *err);
int cmd_vault_file_info(struct cli *cli, struct err *err);
int cmd_vault_file_find(struct cli *cli, struct err *err);
int cmd_vault_file_diff(struct cli *cli, struct err *err);
int cmd_vault_file_metadata(struct cli *cli, struct err *err);
int cmd_vault_file_put(struct cli *cli, struct err *err);
int cmd_vault_file_revert(struct cli *cli, struct err *err);
int cmd_vault_file_upload(struct cli *cli, struct err *err);
int cmd_vault_folder_create(struct cli *cli, struct err *err);
int cmd_vault_folder_tree(struct cli *cli, struct err *err);
int cmd_vault_export(struct cli *cli, struct err *err);
int cmd_vault_fsck(struct cli *cli, struct err *err);
int cmd_vault_gc(struct cli *cli, struct err *err);
int cmd_vault_get(struct cli *cli, struct err *err);
int cmd_vault_grant_list(struct cli *cli, struct err *err);
int cmd_vault_grant_remove(struct cli *cli, struct err *err);
int cmd_vault_grant_set(struct cli *cli, struct err *err);
int cmd_vault_init(struct cli *cli, struct err *err);
int cmd_vault_list(struct cli *cli, struct err *err);
int cmd_vault_login(struct cli *cli, struct err *err);
int cmd_vault_logout(struct cli *cli, struct err *err);
int cmd_vault_principal_add(struct cli *cli, struct err *err);
int cmd_vault_principal_disable(struct cli *cli, struct err *err);
int cmd_vault_principal_list(struct cli *cli, struct err *err);
int cmd_vault_purge(struct cli *cli, struct err *err);
int cmd_vault_scope(struct cli *cli, struct err *err);
int cmd_vault_stage_list(struct cli *cli, struct err *err);
int cmd_vault_stage_show(struct cli *cli, struct err *err);
int cmd_vault_tag_add(struct cli *cli, struct err *err);
int cmd_vault_tag_find(struct cli *cli, struct err *err);
int cmd_vault_tag_list(struct cli *cli, struct err *err);
int cmd_vault_tag_remove(struct cli *cli, struct err *err);
int cmd_vault_template_create(struct cli *cli, struct err *err);
int cmd_vault_template_list(struct cli *cli, struct err *err);
int cmd_vault_template_publish(struct cli *cli, struct err *err);
int cmd_vault_template_show(struct cli *cli, struct err *err);
int cmd_vault_token_issue(struct cli *cli, struct err *err);
int cmd_vault_token_list(struct cli *cli, struct err *err);
int cmd_vault_token_revoke(struct cli *cli, struct err *err);
int cmd_vault_version_show(struct cli *cli, struct err *err);
int cmd_vault_versions(struct cli *cli, struct err *err);
int cmd_vault_whoami(struct cli *cli, struct err *err);
int cmd_vault_workspace_derive(struct cli *cli, struct err *err);
int cmd_vault_workspace_info(struct cli *cli, struct err *err);
int cmd_vault_workspace_instantiate(struct cli *cli, struct err *err);
int cmd_vault_workspace_lineage(struct cli *cli, struct err *err);
int cmd_vault_workspace_walk_test(struct cli *cli, struct err *err);
int cmd_vault_workspace_list(struct cli *cli, struct err *err);
int cmd_vault_workspace_checkout(struct cli *cli, struct err *err);
int cmd_vault_workspace_commit(struct cli *cli, struct err *err);
int cmd_vault_workspace_discard(struct cli *cli, struct err *err);
int cmd_vault_workspace_status(struct cli *cli, struct err *err);

/* Makes a template and a workspace to look at, for `vault init --demo`. */
int cli_vault_demo(struct cli *cli, struct vault *vault, struct err *err) MUST_CHECK;

/* The vault of this host, nobody bound to it yet. */
struct vault *cli_vault_open_store(struct cli *cli, struct err *err) MUST_CHECK;

/* The vault, bound to the credential of this user and limited by --within. */
struct vault *cli_vault_open(struct cli *cli, struct err *err) MUST_CHECK;

/* The n-th positional word, or NULL. */
const char *cli_word(const struct cli *cli, size_t n);

/* The value of a numeric option; fallback when it was not given (NULL). ERR_USAGE names it. */
int cli_number(const char *name, const char *value, int64_t min, int64_t max, int64_t fallback,
    int64_t *ret, struct err *err) MUST_CHECK;

/* ---- text for people ---- */

/* "label        value", made visible; nothing when value is NULL. */
void cli_field(struct buf *out, const char *label, const char *value);
void cli_field_time(struct buf *out, const char *label, int64_t wall_us);

/* "2026-11-30 12:00:00", and "-" for 0. */
#define CLI_TIME_SIZE CLOCK_TEXT_SIZE
void cli_format_time(int64_t wall_us, char ret_text[]);

/* "12 B", "1.5 MiB" */
#define CLI_SIZE_SIZE 32
void cli_format_size(int64_t bytes, char ret_text[CLI_SIZE_SIZE]);

/* A formatted line; what it quotes cannot move the cursor. */
void cli_line(struct buf *out, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Content of others: as it is into a pipe or a file, cleaned on a terminal. */
void cli_add_content(struct cli *cli, const void *data, size_t len);

/* ---- objects, as fields and as JSON ---- */

void cli_show_version(struct cli *cli, const struct vault_version *version);

/* "stored: version 2 of fil_… (ver_…), 12 B" */
void cli_version_line(struct buf *out, const char *done, const struct vault_version *version);

/* ---- lists: a table for people and an array in JSON, filled by callbacks ---- */

struct cli_list {
	struct cli *cli;
	struct cli_table table;
	struct json_writer w;
	int64_t limit; /* at most so many; 0: no bound */
	int64_t len;
	char *last; /* what a further list begins after; owned */
	bool has_more;
	bool may_be_cut; /* a list without pages says in JSON whether there is more: is_cut */
	bool is_cut;
};

/* Begins {"name":[ and the table with its heading. */
void cli_list_begin(struct cli_list *list, struct cli *cli, const char *name, size_t columns,
    const char *const *heading);

/* Counts one; false: it is past the limit, and only has_more is set. */
bool cli_list_take(struct cli_list *list);

/* Ends the array and, unless result is a failure, writes the table to the command's output. With a
 * limit also "next": `last`, or null when that was all. Returns result. */
int cli_list_end(struct cli_list *list, int result);

/* Rows of the lists that several commands print. */
extern const char *const cli_entry_heading[];
#define CLI_ENTRY_COLUMNS 6
int cli_entry_row(void *list, const struct vault_entry *entry, struct err *err);

#endif
