/* SPDX-License-Identifier: MIT */
/* stile vault folder|file, where the two are alike: info, list, move, rename, trash, restore, purge;
 * and what only folders have: create, tree. */
#include "cli/cli_vault.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_DEFAULT 1000
#define LIST_MAX 1000000
#define TREE_MAX 100000
#define DEPTH_MAX 64

/* ---- one entry ---- */

static void show_entry(struct cli *cli, const struct vault_entry *entry)
{
	char size[CLI_SIZE_SIZE];

	cli_format_size(entry->size, size);
	cli_field(&cli->out, "path", entry->path);
	cli_field(&cli->out, "id", entry->id);
	cli_field(&cli->out, "kind", vault_kind_name(entry->kind));
	cli_field(&cli->out, "your rank", vault_rank_name(entry->rank));
	if (entry->head != NULL) {
		cli_line(
		    &cli->out, "%-12s %" PRId64 " (%s)", "version", entry->number, entry->head);
		cli_field(&cli->out, "size", size);
		cli_field(&cli->out, "media type", entry->media_type);
		cli_field_time(&cli->out, "modified", entry->modified_us);
	}
	cli_field_time(&cli->out, "created", entry->created_us);
	cli_field(&cli->out, "created by", entry->created_by);
	cli_field_time(&cli->out, "in trash", entry->trashed_us);
}

typedef int (*entry_fn)(struct vault *vault, const char *ref, enum vault_want want,
    struct vault_entry *ret, struct err *err);
typedef int (*entry_to_fn)(struct vault *vault, const char *ref, enum vault_want want,
    const char *to, struct vault_entry *ret, struct err *err);

/* The commands of one shape: REF [TO] → a verb → the entry as it is now. */
static const struct entry_command {
	const char *name;
	enum vault_want want;
	entry_fn verb;
	entry_to_fn verb_to; /* takes the second word */
	const char *done;    /* what people read before path and id; NULL: all fields */
} entry_commands[] = {
	{ "vault folder info", VAULT_WANT_FOLDER, vault_entry_info, NULL, NULL },
	{ "vault folder move", VAULT_WANT_FOLDER, NULL, vault_move, "moved to" },
	{ "vault folder rename", VAULT_WANT_FOLDER, NULL, vault_rename, "renamed to" },
	{ "vault folder restore", VAULT_WANT_FOLDER, vault_restore, NULL, "restored" },
	{ "vault folder trash", VAULT_WANT_FOLDER, vault_trash, NULL, "in the trash" },
	{ "vault file move", VAULT_WANT_FILE, NULL, vault_move, "moved to" },
	{ "vault file rename", VAULT_WANT_FILE, NULL, vault_rename, "renamed to" },
	{ "vault file restore", VAULT_WANT_FILE, vault_restore, NULL, "restored" },
	{ "vault file trash", VAULT_WANT_FILE, vault_trash, NULL, "in the trash" },
};

static const struct entry_command *find_entry_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(entry_commands); i++) {
		if (strcmp(entry_commands[i].name, name) == 0)
			return &entry_commands[i];
	}
	return NULL;
}

/* What a command did to entry, which is released. */
static void tell_entry(struct cli *cli, const char *done, struct vault_entry *entry)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	vault_entry_write(entry, &w);
	if (done != NULL)
		cli_line(&cli->out, "%s: %s (%s)", done, entry->path, entry->id);
	else
		show_entry(cli, entry);
	vault_entry_release(entry);
}

int cmd_vault_entry(struct cli *cli, struct err *err)
{
	const struct entry_command *command = find_entry_command(cli->command->name);
	cleanup_vault struct vault *vault = NULL;
	struct vault_entry entry = { 0 };
	const char *ref = cli_word(cli, 0);
	int result;

	if (command == NULL)
		return err_set(err, ERR_INTERNAL, "%s: no such verb", cli->command->name);
	vault = cli_vault_open(cli, err);
	if (vault == NULL)
		return -1;
	result = command->verb != NULL
		     ? command->verb(vault, ref, command->want, &entry, err)
		     : command->verb_to(vault, ref, command->want, cli_word(cli, 1), &entry, err);
	if (result == 0)
		tell_entry(cli, command->done, &entry);
	return result;
}

static void show_notes(struct cli *cli, const struct vault_description *description)
{
	const struct strvec *metadata = &description->metadata;
	cleanup_buf struct buf tags = BUF_INIT;

	for (size_t i = 0; i < description->tags.len; i++)
		buf_addf(&tags, "%s%s", i > 0 ? " " : "", description->tags.items[i]);
	cli_field(&cli->out, "tags", tags.len > 0 ? tags.data : NULL);
	for (size_t i = 0; i + 1 < metadata->len; i += 2)
		cli_line(&cli->out, "%-12s %s=%s", i == 0 ? "metadata" : "", metadata->items[i],
		    metadata->items[i + 1]);
}

int cmd_vault_file_info(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	struct vault_description description = { 0 };

	if (vault == NULL || vault_file_describe(vault, cli_word(cli, 0), &description, err) < 0)
		return -1;
	vault_description_write(&description, &w);
	show_entry(cli, &description.entry);
	show_notes(cli, &description);
	vault_description_release(&description);
	return 0;
}

int cmd_vault_folder_create(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct vault_entry entry = { 0 };
	int result;

	if (vault == NULL)
		return -1;
	result = cli->options.has_parents
		     ? vault_folder_ensure(vault, cli_word(cli, 0), &entry, err)
		     : vault_folder_create(vault, cli_word(cli, 0), &entry, err);
	if (result < 0 && err->code == ERR_NOT_FOUND && !cli->options.has_parents)
		return err_set(err, ERR_NOT_FOUND, "%s; --parents makes what is missing above it",
		    err->message);
	if (result == 0)
		tell_entry(cli, cli->options.has_parents ? "there is" : "created", &entry);
	return result;
}

int cmd_vault_file_copy(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct vault_entry entry = { 0 };

	if (vault == NULL ||
	    vault_file_copy(vault, cli_word(cli, 0), cli_word(cli, 1), &entry, err) < 0)
		return -1;
	tell_entry(cli, "copied to", &entry);
	return 0;
}

/* Of a folder or of a file: the word before the last says which. */
static enum vault_want wanted(const struct cli *cli)
{
	return strncmp(cli->command->name, "vault file ", strlen("vault file ")) == 0
		   ? VAULT_WANT_FILE
		   : VAULT_WANT_FOLDER;
}

int cmd_vault_purge(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	struct vault_purged purged = { 0 };

	if (vault == NULL || vault_purge(vault, cli_word(cli, 0), wanted(cli), &purged, err) < 0)
		return -1;
	json_write_object_begin(&w);
	json_write_member_int(&w, "folders", purged.folders);
	json_write_member_int(&w, "files", purged.files);
	json_write_member_int(&w, "versions", purged.versions);
	json_write_object_end(&w);
	cli_line(&cli->out,
	    "purged: %" PRId64 " folders, %" PRId64 " files, %" PRId64
	    " versions; the room they took is given back by stile vault gc",
	    purged.folders, purged.files, purged.versions);
	return 0;
}

/* ---- several ---- */

int cmd_vault_list(struct cli *cli, struct err *err)
{
	struct vault_list what = {
		.want = wanted(cli) == VAULT_WANT_FILE ? VAULT_WANT_FILE : VAULT_WANT_ANY,
		.is_trash = cli->options.is_trash,
		.after = cli->options.after,
	};
	cleanup_vault struct vault *vault = NULL;
	struct cli_list list = { 0 };

	if (cli_number("--limit", cli->options.limit, 1, LIST_MAX, LIST_DEFAULT, &list.limit, err) <
	    0)
		return -1;
	vault = cli_vault_open(cli, err);
	if (vault == NULL)
		return -1;
	what.limit = list.limit + 1; /* one more tells whether there are more */
	cli_list_begin(&list, cli, "entries", CLI_ENTRY_COLUMNS, cli_entry_heading);
	return cli_list_end(
	    &list, vault_list(vault, cli_word(cli, 0), &what, cli_entry_row, &list, err));
}

/* A tree for people: names, each below its folder. */
struct tree {
	struct cli *cli;
	struct json_writer w;
	struct cli_table table;
	size_t base_depth; /* of what is in the folder itself, which comes first */
	int64_t len;
};

static size_t depth_of(const char *path)
{
	size_t depth = 0;

	for (const char *at = path; *at != '\0'; at++)
		depth += *at == '/' && at[1] != '\0';
	return depth;
}

static int tree_row(void *ctx, const struct vault_entry *entry, struct err *err)
{
	struct tree *tree = ctx;
	size_t depth = depth_of(entry->path);
	cleanup_free char *name = NULL;
	char size[CLI_SIZE_SIZE] = "";
	const char *cells[] = { NULL, size, entry->id };

	if (++tree->len > TREE_MAX)
		return err_set(err, ERR_LIMIT,
		    "there are more than %d entries; name a folder further down, or --depth",
		    TREE_MAX);
	if (tree->len == 1)
		tree->base_depth = depth;
	if (entry->head != NULL)
		cli_format_size(entry->size, size);
	name = xasprintf("%*s%s%s", (int)(2 * (depth - tree->base_depth)), "", entry->name,
	    entry->head == NULL ? "/" : "");
	cells[0] = name;
	cli_table_row(&tree->table, cells);
	vault_entry_write(entry, &tree->w);
	return 0;
}

static int write_tree(struct tree *tree, struct vault *vault, int64_t max_depth, struct err *err)
{
	const char *ref = cli_word(tree->cli, 0);
	int result;

	json_write_object_begin(&tree->w);
	json_write_key(&tree->w, "entries");
	json_write_array_begin(&tree->w);
	result = vault_tree(vault, ref, max_depth, tree_row, tree, err);
	json_write_array_end(&tree->w);
	json_write_object_end(&tree->w);
	return result;
}

int cmd_vault_folder_tree(struct cli *cli, struct err *err)
{
	struct tree tree = {
		.cli = cli,
		.w = JSON_WRITER_INIT(&cli->result),
		.table = { .columns = 3 },
	};
	cleanup_vault struct vault *vault = NULL;
	int64_t max_depth = 0;
	int result;

	if (cli_number("--depth", cli->options.depth, 1, DEPTH_MAX, 0, &max_depth, err) < 0)
		return -1;
	vault = cli_vault_open(cli, err);
	if (vault == NULL)
		return -1;
	result = write_tree(&tree, vault, max_depth, err);
	if (result == 0) {
		cli_line(&cli->out, "%s", cli_word(cli, 0));
		cli_table_write(&tree.table, &cli->out);
	} else {
		buf_reset(&cli->result);
	}
	cli_table_release(&tree.table);
	return result;
}
