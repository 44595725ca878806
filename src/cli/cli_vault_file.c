/* SPDX-License-Identifier: MIT */
/* stile vault file put|get|metadata|versions|diff|revert and vault version get|show|list: content and
 * its versions. */
#include "cli/cli_vault.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/cli_local.h"

#define INLINE_DEFAULT ((int64_t)256 * 1024)
#define INLINE_MAX ((int64_t)8 * 1024 * 1024)
#define VERSIONS_DEFAULT 1000
#define VERSIONS_MAX 1000000

/* ---- put ---- */

int cmd_vault_file_put(struct cli *cli, struct err *err)
{
	const struct vault_put put = {
		.message = cli->options.message,
		.media_type = cli->options.media_type,
		.expect = cli->options.expect,
		.is_new = cli->options.is_new,
	};
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	cleanup_staged struct vault_staged *staged = NULL;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	struct vault_version version = { 0 };

	if (vault == NULL)
		return -1;
	if (isatty(STDIN_FILENO))
		log_line(LOG_LEVEL_WARNING, "what is typed is stored; Ctrl-D ends it");
	staged = vault_stage_fd(vault, STDIN_FILENO, err);
	if (staged == NULL ||
	    vault_file_put(vault, cli_word(cli, 0), staged, &put, &version, err) < 0)
		return -1;
	vault_version_write(&version, &w);
	cli_version_line(&cli->out, "stored", &version);
	vault_version_release(&version);
	return 0;
}

/* ---- get ---- */

/* Which version of which file a command's words name. */
struct which {
	const char *file;    /* NULL: the version's id is enough */
	const char *version; /* NULL: the head */
};

/* `version get VERSION`, `version get FILE NUMBER`; `file get FILE --version N`. */
static struct which which_version(const struct cli *cli)
{
	struct which which = { .file = cli_word(cli, 0), .version = cli->options.version };

	if (strncmp(cli->command->name, "vault version ", strlen("vault version ")) != 0)
		return which;
	which.version = cli_word(cli, 1);
	if (which.version == NULL) {
		which.version = which.file;
		which.file = NULL;
	}
	return which;
}

static int write_to_fd(void *ctx, const void *data, size_t len, struct err *err)
{
	const int *fd = ctx;

	return fd_write_all(*fd, data, len) < 0 ? err_errno(err, errno, "write content") : 0;
}

static int write_to_buf(void *ctx, const void *data, size_t len, struct err *err)
{
	struct buf *buf = ctx;

	buf_add(buf, data, len);
	return buf_check(buf, "the content", err);
}

static int get_to_file(
    struct cli *cli, struct vault *vault, const struct which *which, struct err *err)
{
	cleanup_output struct cli_output output = CLI_OUTPUT_INIT;
	struct vault_version version = { 0 };
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	int result;

	if (cli_output_begin(cli, cli->options.out, cli->options.is_force, &output, err) < 0)
		return -1;
	result = vault_version_get(
	    vault, which->file, which->version, 0, write_to_fd, &output.fd, &version, err);
	if (result == 0)
		result = cli_output_commit(&output, err);
	if (result == 0) {
		json_write_object_begin(&w);
		json_write_key(&w, "version");
		vault_version_write(&version, &w);
		json_write_member_string(&w, "out", cli->options.out);
		json_write_object_end(&w);
		cli_line(&cli->out, "written: %s, version %" PRId64 " of %s", cli->options.out,
		    version.number, version.file);
	}
	vault_version_release(&version);
	return result;
}

static void write_base64(struct json_writer *w, const struct buf *content)
{
	size_t size = sodium_base64_encoded_len(content->len, sodium_base64_VARIANT_ORIGINAL);
	cleanup_free char *text = xcalloc(1, size);

	(void)sodium_bin2base64(text, size, (const unsigned char *)content->data, content->len,
	    sodium_base64_VARIANT_ORIGINAL);
	json_write_member_string(w, "encoding", "base64");
	json_write_member_string(w, "content", text);
}

static bool is_text(const struct buf *content)
{
	return text_is_utf8(content->data, content->len) &&
	       memchr(content->data, '\0', content->len) == NULL;
}

/* Text as text; what has NULs or is no UTF-8 as base64. */
static void write_inline(
    struct cli *cli, const struct vault_version *version, const struct buf *content)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	json_write_object_begin(&w);
	json_write_key(&w, "version");
	vault_version_write(version, &w);
	if (is_text(content)) {
		json_write_member_string(&w, "encoding", "utf-8");
		json_write_key(&w, "content");
		json_write_string_len(&w, content->data, content->len);
	} else {
		write_base64(&w, content);
	}
	json_write_object_end(&w);
}

static int get_inline(
    struct cli *cli, struct vault *vault, const struct which *which, struct err *err)
{
	cleanup_buf struct buf content = BUF_INIT_MAX((size_t)INLINE_MAX);
	struct vault_version version = { 0 };
	int64_t max_bytes = INLINE_DEFAULT;

	if (cli->options.max_size != NULL &&
	    num_parse_size(cli->options.max_size, INLINE_MAX, &max_bytes, err) < 0)
		return err_wrap(err, "--max-size");
	/* 0 would mean any size */
	max_bytes = max_bytes > 0 ? max_bytes : 1;
	if (vault_version_get(vault, which->file, which->version, max_bytes, write_to_buf, &content,
		&version, err) < 0) {
		vault_version_release(&version);
		return err->code == ERR_LIMIT ? err_wrap(err, "use --out FILE") : -1;
	}
	if (cli->options.is_text && !is_text(&content)) {
		(void)err_set(err, ERR_INVALID_ARGUMENT,
		    "version %" PRId64 " is no text but %s of %" PRId64
		    " bytes; write it to a local file instead (--out, or a checkout)",
		    version.number, version.media_type, version.size);
		vault_version_release(&version);
		return -1;
	}
	write_inline(cli, &version, &content);
	if (!cli->options.is_json)
		cli_add_content(cli, content.data, content.len);
	vault_version_release(&version);
	return 0;
}

/* Into a pipe or a file of the shell's: whatever size, as it comes. */
static int get_to_stdout(
    struct cli *cli, struct vault *vault, const struct which *which, struct err *err)
{
	return vault_version_get(
	    vault, which->file, which->version, 0, write_to_fd, &cli->out_fd, NULL, err);
}

int cmd_vault_get(struct cli *cli, struct err *err)
{
	const struct which which = which_version(cli);
	cleanup_vault struct vault *vault = NULL;

	if (cli->options.is_force && cli->options.out == NULL)
		return err_set(err, ERR_USAGE, "--force wants --out");
	if (cli->options.is_text && cli->options.out != NULL)
		return err_set(err, ERR_USAGE, "--text is for what is printed, not for --out");
	vault = cli_vault_open(cli, err);
	if (vault == NULL)
		return -1;
	if (cli->options.out != NULL)
		return get_to_file(cli, vault, &which, err);
	if (cli->options.is_json || cli->options.is_text || isatty(cli->out_fd))
		return get_inline(cli, vault, &which, err);
	return get_to_stdout(cli, vault, &which, err);
}

/* ---- versions ---- */

int cmd_vault_version_show(struct cli *cli, struct err *err)
{
	const struct which which = which_version(cli);
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct vault_version version = { 0 };

	if (vault == NULL ||
	    vault_version_info(vault, which.file, which.version, &version, err) < 0)
		return -1;
	cli_show_version(cli, &version);
	vault_version_release(&version);
	return 0;
}

static int version_row(void *ctx, const struct vault_version *version, struct err *err)
{
	struct cli_list *list = ctx;
	char number[24];
	char size[CLI_SIZE_SIZE];
	char created[CLI_TIME_SIZE];
	const char *cells[] = { number, size, created, version->author_name, version->id,
		version->message != NULL ? version->message : "" };

	(void)err;
	if (!cli_list_take(list))
		return 0;
	(void)snprintf(number, sizeof(number), "%" PRId64, version->number);
	cli_format_size(version->size, size);
	cli_format_time(version->created_us, created);
	cli_table_row(&list->table, cells);
	vault_version_write(version, &list->w);
	free(list->last);
	list->last = xstrdup(number);
	return 0;
}

int cmd_vault_versions(struct cli *cli, struct err *err)
{
	static const char *const heading[] = { "VERSION", "SIZE", "CREATED (UTC)", "AUTHOR", "ID",
		"MESSAGE" };
	cleanup_vault struct vault *vault = NULL;
	struct cli_list list = { 0 };
	int64_t before = 0;

	if (cli_number("--limit", cli->options.limit, 1, VERSIONS_MAX, VERSIONS_DEFAULT,
		&list.limit, err) < 0 ||
	    cli_number("--after", cli->options.after, 1, INT64_MAX, 0, &before, err) < 0)
		return -1;
	vault = cli_vault_open(cli, err);
	if (vault == NULL)
		return -1;
	cli_list_begin(&list, cli, "versions", ARRAY_LEN(heading), heading);
	return cli_list_end(&list, vault_version_each(vault, cli_word(cli, 0), before,
				       list.limit + 1, version_row, &list, err));
}

int cmd_vault_file_revert(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	struct vault_version version = { 0 };

	if (vault == NULL || vault_file_revert(vault, cli_word(cli, 0), cli_word(cli, 1),
				 cli->options.message, &version, err) < 0)
		return -1;
	vault_version_write(&version, &w);
	cli_version_line(&cli->out, "reverted", &version);
	vault_version_release(&version);
	return 0;
}

/* ---- diff ---- */

static void write_diff(struct cli *cli, const struct vault_diff *diff)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	json_write_object_begin(&w);
	json_write_key(&w, "from");
	vault_version_write(&diff->from, &w);
	json_write_key(&w, "to");
	vault_version_write(&diff->to, &w);
	json_write_member_bool(&w, "is_binary", diff->is_binary);
	json_write_member_bool(&w, "is_too_large", diff->is_too_large);
	json_write_member_int(&w, "added", diff->added);
	json_write_member_int(&w, "removed", diff->removed);
	json_write_key(&w, "diff");
	json_write_string_len(&w, diff->text.data, diff->text.len);
	json_write_object_end(&w);
}

static void show_diff(struct cli *cli, const struct vault_diff *diff)
{
	const char *ref = cli_word(cli, 0);

	if (diff->is_binary || diff->is_too_large) {
		cli_line(&cli->out, "versions %" PRId64 " and %" PRId64 " of %s differ: %s",
		    diff->from.number, diff->to.number, ref,
		    diff->is_binary ? "not both are text"
				    : "more than 1 MiB is not compared by lines");
		return;
	}
	if (diff->text.len == 0)
		return;
	cli_line(&cli->out, "--- %s (version %" PRId64 ")", ref, diff->from.number);
	cli_line(&cli->out, "+++ %s (version %" PRId64 ")", ref, diff->to.number);
	cli_add_content(cli, diff->text.data, diff->text.len);
}

int cmd_vault_file_diff(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct vault_diff diff = { 0 };

	if (vault == NULL || vault_file_diff(vault, cli_word(cli, 0), cli_word(cli, 1),
				 cli_word(cli, 2), &diff, err) < 0)
		return -1;
	write_diff(cli, &diff);
	show_diff(cli, &diff);
	vault_diff_release(&diff);
	return 0;
}

/* ---- metadata ---- */

/* Changes as the options name them; texts are owned by keys. */
struct changes {
	struct vault_metadata *items;
	size_t len;
	struct strvec keys;
};

static int read_changes(const struct cli_options *options, struct changes *changes, struct err *err)
{
	changes->items =
	    xcalloc(options->set.len + options->unset.len + 1, sizeof(*changes->items));
	for (size_t i = 0; i < options->set.len; i++) {
		const char *item = options->set.items[i];
		const char *equals = strchr(item, '=');

		if (equals == NULL)
			return err_set(
			    err, ERR_USAGE, "--set wants KEY=VALUE, not \"%.40s\"", item);
		strvec_take(&changes->keys, xmemdupz(item, (size_t)(equals - item)));
		changes->items[changes->len++] = (struct vault_metadata){
			.key = changes->keys.items[changes->keys.len - 1],
			.value = equals + 1,
		};
	}
	for (size_t i = 0; i < options->unset.len; i++)
		changes->items[changes->len++] =
		    (struct vault_metadata){ .key = options->unset.items[i] };
	return 0;
}

struct metadata {
	struct json_writer w;
	struct cli_table table;
};

static int metadata_row(void *ctx, const char *key, const char *value, struct err *err)
{
	struct metadata *metadata = ctx;
	const char *cells[] = { key, value };

	(void)err;
	json_write_member_string(&metadata->w, key, value);
	cli_table_row(&metadata->table, cells);
	return 0;
}

static int show_metadata(struct cli *cli, struct vault *vault, struct err *err)
{
	struct metadata metadata = {
		.w = JSON_WRITER_INIT(&cli->result),
		.table = { .columns = 2 },
	};
	int result;

	json_write_object_begin(&metadata.w);
	json_write_key(&metadata.w, "metadata");
	json_write_object_begin(&metadata.w);
	result = vault_metadata_each(vault, cli_word(cli, 0), metadata_row, &metadata, err);
	json_write_object_end(&metadata.w);
	json_write_object_end(&metadata.w);
	if (result == 0)
		cli_table_write(&metadata.table, &cli->out);
	else
		buf_reset(&cli->result);
	cli_table_release(&metadata.table);
	return result;
}

int cmd_vault_file_metadata(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = NULL;
	struct changes changes = { 0 };
	int result = read_changes(&cli->options, &changes, err);

	if (result == 0) {
		vault = cli_vault_open(cli, err);
		result = vault == NULL ? -1 : 0;
	}
	if (result == 0 && changes.len > 0)
		result =
		    vault_metadata_set(vault, cli_word(cli, 0), changes.items, changes.len, err);
	if (result == 0)
		result = show_metadata(cli, vault, err);
	free(changes.items);
	strvec_release(&changes.keys);
	return result;
}
