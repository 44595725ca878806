/* SPDX-License-Identifier: MIT */
/* stile vault grant set|remove|list: who may do what below which folder. */
#include "cli/cli_vault.h"

#include <stdlib.h>

/* The change as it was asked for. */
static void show_change(struct cli *cli, const char *rank)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	json_write_object_begin(&w);
	json_write_member_string(&w, "folder", cli_word(cli, 0));
	json_write_member_string(&w, "principal", cli_word(cli, 1));
	json_write_member_string(&w, "rank", rank);
	json_write_object_end(&w);
	if (rank != NULL)
		cli_line(&cli->out, "granted: %s may %s %s and all below it", cli_word(cli, 1),
		    rank, cli_word(cli, 0));
	else
		cli_line(&cli->out, "removed: the grant of %s on %s", cli_word(cli, 1),
		    cli_word(cli, 0));
}

int cmd_vault_grant_set(struct cli *cli, struct err *err)
{
	enum vault_rank rank = VAULT_NONE;
	cleanup_vault struct vault *vault = NULL;

	if (vault_rank_parse(cli_word(cli, 2), &rank, err) < 0)
		return -1;
	vault = cli_vault_open(cli, err);
	if (vault == NULL ||
	    vault_grant_set(vault, cli_word(cli, 0), cli_word(cli, 1), rank, err) < 0)
		return -1;
	show_change(cli, vault_rank_name(rank));
	return 0;
}

int cmd_vault_grant_remove(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);

	if (vault == NULL || vault_grant_remove(vault, cli_word(cli, 0), cli_word(cli, 1), err) < 0)
		return -1;
	show_change(cli, NULL);
	return 0;
}

static int grant_row(void *ctx, const struct vault_grant *grant, struct err *err)
{
	struct cli_list *list = ctx;
	char granted[CLI_TIME_SIZE];
	const char *cells[] = { grant->path != NULL ? grant->path : "(above)",
		grant->principal_name, vault_principal_kind_name(grant->principal_kind),
		vault_rank_name(grant->rank), granted, grant->principal };

	(void)err;
	cli_format_time(grant->granted_us, granted);
	cli_table_row(&list->table, cells);
	vault_grant_write(grant, &list->w);
	return 0;
}

int cmd_vault_grant_list(struct cli *cli, struct err *err)
{
	static const char *const heading[] = { "FOLDER", "PRINCIPAL", "KIND", "RANK",
		"GRANTED (UTC)", "ID" };
	const char *folder = cli_word(cli, 0);
	cleanup_vault struct vault *vault = NULL;
	struct cli_list list = { 0 };

	if (folder == NULL && cli->options.is_effective)
		return err_set(err, ERR_USAGE, "--effective wants a FOLDER");
	vault = cli_vault_open(cli, err);
	if (vault == NULL)
		return -1;
	cli_list_begin(&list, cli, "grants", ARRAY_LEN(heading), heading);
	return cli_list_end(&list, folder == NULL
				       ? vault_grant_mine(vault, grant_row, &list, err)
				       : vault_grant_each(vault, folder, cli->options.is_effective,
					     grant_row, &list, err));
}
