/* SPDX-License-Identifier: MIT */
/* What the commands of the vault share: opening it, words and numbers, objects and lists. */
#include "cli/cli_vault.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/dirs.h"
#include "base/num.h"
#include "base/text.h"

/* ---- opening ---- */

static void take_correlation(struct cli *cli, const struct vault *vault)
{
	(void)snprintf(cli->correlation, sizeof(cli->correlation), "%s", vault_correlation(vault));
}

struct vault *cli_vault_open_store(struct cli *cli, struct err *err)
{
	cleanup_free char *data_dir = dirs_data(err);
	struct vault *vault = data_dir == NULL ? NULL : vault_open(data_dir, err);

	if (vault != NULL)
		take_correlation(cli, vault);
	return vault;
}

struct vault *cli_vault_open(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open_store(cli, err);
	cleanup_secret struct secret *token = vault == NULL ? NULL : vault_credential_load(err);

	if (token == NULL || vault_bind(vault, token, err) < 0)
		return NULL;
	if (cli->options.within != NULL && vault_limit(vault, cli->options.within, err) < 0)
		return NULL;
	return steal_ptr(&vault);
}

/* ---- words and numbers ---- */

static bool has_token(const char *word)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	const size_t prefix = strlen("stv_");

	for (const char *at = strstr(word, "stv_"); at != NULL; at = strstr(at + 1, "stv_")) {
		if (strspn(at + prefix, digits) >= VAULT_TOKEN_TEXT_SIZE - 1 - prefix)
			return true;
	}
	return false;
}

int cli_vault_check_words(int argc, char **argv, struct err *err)
{
	for (int i = 0; i < argc; i++) {
		if (has_token(argv[i]))
			return err_set(err, ERR_USAGE,
			    "a token is never an argument: others can see those; revoke it, and "
			    "give the next one to the standard input of stile vault login");
	}
	return 0;
}

const char *cli_word(const struct cli *cli, size_t n)
{
	return n < cli->options.words.len ? cli->options.words.items[n] : NULL;
}

int cli_number(const char *name, const char *value, int64_t min, int64_t max, int64_t fallback,
    int64_t *ret, struct err *err)
{
	int64_t number = fallback;

	if (value != NULL && num_parse(value, min, max, &number, err) < 0) {
		err->code = ERR_USAGE;
		return err_wrap(err, "%s", name);
	}
	*ret = number;
	return 0;
}

/* ---- text for people ---- */

void cli_field(struct buf *out, const char *label, const char *value)
{
	if (value == NULL)
		return;
	buf_addf(out, "%-12s ", label);
	text_add_visible(out, value, strlen(value));
	buf_addc(out, '\n');
}

void cli_format_time(int64_t wall_us, char ret_text[])
{
	if (wall_us == 0) {
		memcpy(ret_text, "-", 2);
		return;
	}
	clock_format_utc(wall_us, ret_text);
	ret_text[10] = ' ';
	ret_text[19] = '\0'; /* seconds are enough for people; --json has the rest */
}

void cli_field_time(struct buf *out, const char *label, int64_t wall_us)
{
	char text[CLI_TIME_SIZE];

	cli_format_time(wall_us, text);
	if (wall_us != 0)
		buf_addf(out, "%-12s %s UTC\n", label, text);
}

void cli_format_size(int64_t bytes, char ret_text[CLI_SIZE_SIZE])
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double size = (double)bytes / 1024;
	size_t unit = 0;

	if (bytes < 1024) {
		(void)snprintf(ret_text, CLI_SIZE_SIZE, "%" PRId64 " B", bytes);
		return;
	}
	for (; size >= 1024 && unit + 1 < ARRAY_LEN(units); unit++)
		size /= 1024;
	(void)snprintf(ret_text, CLI_SIZE_SIZE, "%.1f %s", size, units[unit]);
}

void cli_line(struct buf *out, const char *fmt, ...)
{
	cleanup_buf struct buf line = BUF_INIT;
	va_list args;

	va_start(args, fmt);
	buf_vaddf(&line, fmt, args);
	va_end(args);
	text_add_visible(out, line.data, line.len);
	buf_addc(out, '\n');
}

void cli_add_content(struct cli *cli, const void *data, size_t len)
{
	if (isatty(cli->out_fd))
		(void)text_add_clean(&cli->out, data, len);
	else
		buf_add(&cli->out, data, len);
}

/* ---- objects ---- */

void cli_show_version(struct cli *cli, const struct vault_version *version)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	char text[DIGEST_TEXT_SIZE];
	char size[CLI_SIZE_SIZE];

	vault_version_write(version, &w);
	cli_format_size(version->size, size);
	digest_format(&version->hash, text);
	cli_field(&cli->out, "id", version->id);
	cli_field(&cli->out, "file", version->file);
	buf_addf(&cli->out, "%-12s %" PRId64 "\n", "version", version->number);
	cli_field(&cli->out, "size", size);
	cli_field(&cli->out, "hash", text);
	cli_field(&cli->out, "media type", version->media_type);
	cli_field(&cli->out, "message", version->message);
	cli_field(&cli->out, "author", version->author_name);
	cli_field_time(&cli->out, "created", version->created_us);
	cli_field(&cli->out, "made from", version->parent);
}

void cli_version_line(struct buf *out, const char *done, const struct vault_version *version)
{
	char size[CLI_SIZE_SIZE];

	cli_format_size(version->size, size);
	cli_line(out, "%s: version %" PRId64 " of %s (%s), %s",
	    version->is_unchanged ? "unchanged" : done, version->number, version->file, version->id,
	    size);
}

/* ---- lists ---- */

void cli_list_begin(struct cli_list *list, struct cli *cli, const char *name, size_t columns,
    const char *const *heading)
{
	list->cli = cli;
	list->table.columns = columns;
	list->w = JSON_WRITER_INIT(&cli->result);
	cli_table_row(&list->table, heading);
	json_write_object_begin(&list->w);
	json_write_key(&list->w, name);
	json_write_array_begin(&list->w);
}

bool cli_list_take(struct cli_list *list)
{
	if (list->limit > 0 && list->len >= list->limit) {
		list->has_more = true;
		return false;
	}
	list->len++;
	return true;
}

int cli_list_end(struct cli_list *list, int result)
{
	struct buf *out = &list->cli->out;

	json_write_array_end(&list->w);
	if (list->limit > 0)
		json_write_member_string(&list->w, "next", list->has_more ? list->last : NULL);
	if (list->may_be_cut)
		json_write_member_bool(&list->w, "more", list->is_cut);
	json_write_object_end(&list->w);
	if (result == 0) {
		cli_table_write(&list->table, out);
		if (list->has_more)
			cli_line(out, "There are more: --after %s", list->last);
	} else {
		buf_reset(&list->cli->result);
	}
	cli_table_release(&list->table);
	free(steal_ptr(&list->last));
	return result;
}

const char *const cli_entry_heading[] = { "PATH", "KIND", "SIZE", "VERSION", "MODIFIED (UTC)",
	"ID" };

int cli_entry_row(void *ctx, const struct vault_entry *entry, struct err *err)
{
	struct cli_list *list = ctx;
	char size[CLI_SIZE_SIZE] = "-";
	char number[24] = "-";
	char time[CLI_TIME_SIZE];
	const char *cells[CLI_ENTRY_COLUMNS] = { entry->path, vault_kind_name(entry->kind), size,
		number, time, entry->id };

	(void)err;
	if (!cli_list_take(list))
		return 0;
	cli_format_time(entry->head != NULL ? entry->modified_us : entry->created_us, time);
	if (entry->head != NULL) {
		cli_format_size(entry->size, size);
		(void)snprintf(number, sizeof(number), "%" PRId64, entry->number);
	}
	cli_table_row(&list->table, cells);
	vault_entry_write(entry, &list->w);
	free(list->last);
	list->last = xstrdup(entry->name);
	return 0;
}
