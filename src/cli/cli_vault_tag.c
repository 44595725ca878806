/* SPDX-License-Identifier: MIT */
/* stile vault tag add|remove|list|find. */
#include "cli/cli_vault.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int change_tag(struct cli *cli, bool is_add, struct err *err)
{
	const char *file = cli_word(cli, 0);
	const char *tag = cli_word(cli, 1);
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	if (vault == NULL)
		return -1;
	if ((is_add ? vault_tag_add(vault, file, tag, err)
		    : vault_tag_remove(vault, file, tag, err)) < 0)
		return -1;
	json_write_object_begin(&w);
	json_write_member_string(&w, "file", file);
	json_write_member_string(&w, "tag", tag);
	json_write_object_end(&w);
	cli_line(&cli->out, "%s: %s %s", file, is_add ? "has" : "has no longer", tag);
	return 0;
}

int cmd_vault_tag_add(struct cli *cli, struct err *err)
{
	return change_tag(cli, true, err);
}

int cmd_vault_tag_remove(struct cli *cli, struct err *err)
{
	return change_tag(cli, false, err);
}

static int tag_row(void *ctx, const char *name, int64_t files, struct err *err)
{
	struct cli_list *list = ctx;
	char number[24];
	const char *cells[] = { name, number };

	(void)err;
	(void)snprintf(number, sizeof(number), "%" PRId64, files);
	cli_table_row(&list->table, cells);
	json_write_object_begin(&list->w);
	json_write_member_string(&list->w, "tag", name);
	json_write_member_int(&list->w, "files", files);
	json_write_object_end(&list->w);
	return 0;
}

int cmd_vault_tag_list(struct cli *cli, struct err *err)
{
	static const char *const heading[] = { "TAG", "FILES" };
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct cli_list list = { 0 };

	if (vault == NULL)
		return -1;
	cli_list_begin(&list, cli, "tags", ARRAY_LEN(heading), heading);
	return cli_list_end(&list, vault_tag_each(vault, cli_word(cli, 0), tag_row, &list, err));
}

int cmd_vault_tag_find(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct cli_list list = { 0 };

	if (vault == NULL)
		return -1;
	cli_list_begin(&list, cli, "entries", CLI_ENTRY_COLUMNS, cli_entry_heading);
	return cli_list_end(&list,
	    vault_tag_find(vault, cli_word(cli, 0), cli_word(cli, 1), cli_entry_row, &list, err));
}
