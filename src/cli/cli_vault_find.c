/* SPDX-License-Identifier: MIT */
/* stile vault file find. */
#include "cli/cli_vault.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIND_DEFAULT 100
#define FIND_MAX 10000
#define SKIP_MAX 1000000000

/* ---- what is looked for ---- */

/* A day, which begins at midnight UTC, or a moment of it: 2026-11-30, 2026-11-30T18:05:00Z. */
static int read_time(const char *option, const char *text, int64_t *ret_us, struct err *err)
{
	static const char *const formats[] = { "%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ" };

	for (size_t i = 0; text != NULL && i < ARRAY_LEN(formats); i++) {
		struct tm parts = { 0 };
		const char *end = strptime(text, formats[i], &parts);

		if (end != NULL && *end == '\0') {
			*ret_us = (int64_t)timegm(&parts) * 1000000;
			return 0;
		}
	}
	return text == NULL ? 0
			    : err_set(err, ERR_USAGE,
				  "%s wants a day or a moment (UTC), such as 2026-11-30 or"
				  " 2026-11-30T18:05:00Z, not \"%.40s\"",
				  option, text);
}

/* KEY=VALUE, or KEY alone. keys owns what items borrows. */
static struct vault_metadata *read_metadata(const struct strvec *texts, struct strvec *keys)
{
	struct vault_metadata *items = xcalloc(texts->len + 1, sizeof(*items));

	for (size_t i = 0; i < texts->len; i++) {
		const char *equals = strchr(texts->items[i], '=');
		size_t len =
		    equals == NULL ? strlen(texts->items[i]) : (size_t)(equals - texts->items[i]);

		strvec_take(keys, xmemdupz(texts->items[i], len));
		items[i].value = equals == NULL ? NULL : equals + 1;
	}
	for (size_t i = 0; i < texts->len; i++)
		items[i].key = keys->items[i];
	return items;
}

static int read_find(const struct cli *cli, struct vault_find *find, struct err *err)
{
	const struct cli_options *options = &cli->options;

	*find = (struct vault_find){
		.folder = cli_word(cli, 0),
		.name = options->name,
		.media_type = options->media_type,
		.tags = &options->tags,
		.text = options->text,
	};
	if (cli_number("--limit", options->limit, 1, FIND_MAX, FIND_DEFAULT, &find->limit, err) <
		0 ||
	    cli_number("--skip", options->skip, 0, SKIP_MAX, 0, &find->skip, err) < 0 ||
	    read_time("--since", options->since, &find->since_us, err) < 0)
		return -1;
	return read_time("--until", options->until, &find->until_us, err);
}

/* ---- what is found ---- */

/* With words to find, the line around them is what tells the files apart. */
static int match_row(
    void *ctx, const struct vault_entry *entry, const char *snippet, struct err *err)
{
	struct cli_list *list = ctx;
	char time[CLI_TIME_SIZE];
	const char *cells[] = { entry->path, time, snippet, entry->id };

	if (snippet == NULL)
		return cli_entry_row(list, entry, err);
	cli_format_time(entry->modified_us, time);
	cli_table_row(&list->table, cells);
	vault_match_write(entry, snippet, &list->w);
	return 0;
}

static int find_and_tell(struct cli *cli, struct vault_find *find, struct err *err)
{
	static const char *const match_heading[] = { "PATH", "MODIFIED (UTC)", "TEXT", "ID" };
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct cli_list list = { .may_be_cut = true };
	int result;

	if (vault == NULL)
		return -1;
	if (find->text != NULL)
		cli_list_begin(&list, cli, "entries", ARRAY_LEN(match_heading), match_heading);
	else
		cli_list_begin(&list, cli, "entries", CLI_ENTRY_COLUMNS, cli_entry_heading);
	result = vault_find(vault, find, match_row, &list, &list.is_cut, err);
	result = cli_list_end(&list, result);
	if (result == 0 && list.is_cut)
		cli_line(&cli->out, "There are more: narrow the search, or raise --limit.");
	return result;
}

int cmd_vault_file_find(struct cli *cli, struct err *err)
{
	cleanup_strvec struct strvec keys = STRVEC_INIT;
	cleanup_free struct vault_metadata *metadata = read_metadata(&cli->options.metadata, &keys);
	struct vault_find find;

	if (read_find(cli, &find, err) < 0)
		return -1;
	find.metadata = metadata;
	find.metadata_len = cli->options.metadata.len;
	return find_and_tell(cli, &find, err);
}
