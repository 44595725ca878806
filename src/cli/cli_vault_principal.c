/* SPDX-License-Identifier: MIT */
/* stile vault principal|token: who may act, and what they prove themselves with. */
#include "cli/cli_vault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/num.h"
#include "cli/cli_local.h"
#include "cli/cli_token.h"

/* ---- principals ---- */

static void show_principal(
    struct cli *cli, const char *done, const struct vault_principal *principal)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	vault_principal_write(principal, &w);
	cli_line(&cli->out, "%s: %s (%s, %s)", done, principal->name,
	    vault_principal_kind_name(principal->kind), principal->id);
}

int cmd_vault_principal_add(struct cli *cli, struct err *err)
{
	enum vault_principal_kind kind = VAULT_PERSON;
	cleanup_vault struct vault *vault = NULL;
	struct vault_principal principal = { 0 };

	if (cli->options.kind != NULL &&
	    vault_principal_kind_parse(cli->options.kind, &kind, err) < 0)
		return err_wrap(err, "--kind");
	vault = cli_vault_open(cli, err);
	if (vault == NULL ||
	    vault_principal_add(vault, cli_word(cli, 0), kind, &principal, err) < 0)
		return -1;
	show_principal(cli, "added", &principal);
	cli_line(&cli->out, "It may do nothing yet: stile vault grant set FOLDER %s read",
	    principal.name);
	vault_principal_release(&principal);
	return 0;
}

int cmd_vault_principal_disable(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct vault_principal principal = { 0 };

	if (vault == NULL || vault_principal_disable(vault, cli_word(cli, 0), &principal, err) < 0)
		return -1;
	show_principal(cli, "disabled", &principal);
	vault_principal_release(&principal);
	return 0;
}

static int principal_row(void *ctx, const struct vault_principal *principal, struct err *err)
{
	struct cli_list *list = ctx;
	char created[CLI_TIME_SIZE];
	char disabled[CLI_TIME_SIZE];
	const char *cells[] = { principal->name, vault_principal_kind_name(principal->kind),
		principal->id, created, disabled };

	(void)err;
	cli_format_time(principal->created_us, created);
	cli_format_time(principal->disabled_us, disabled);
	cli_table_row(&list->table, cells);
	vault_principal_write(principal, &list->w);
	return 0;
}

int cmd_vault_principal_list(struct cli *cli, struct err *err)
{
	static const char *const heading[] = { "NAME", "KIND", "ID", "CREATED (UTC)",
		"DISABLED (UTC)" };
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct cli_list list = { 0 };

	if (vault == NULL)
		return -1;
	cli_list_begin(&list, cli, "principals", ARRAY_LEN(heading), heading);
	return cli_list_end(&list, vault_principal_each(vault, principal_row, &list, err));
}

/* ---- the file of a token's value ---- */

int cli_token_file_make(
    const struct cli *cli, const char *path, struct cli_token_file *ret, struct err *err)
{
	int errnum;

	ret->fd = cli_local_create(cli, path, err);
	if (ret->fd < 0)
		return -1;
	ret->cli = cli;
	ret->path = path;
	errnum = posix_fallocate(ret->fd, 0, VAULT_TOKEN_TEXT_SIZE);
	return errnum != 0 ? err_errno(err, errnum, "write %s", path) : 0;
}

int cli_token_file_write(
    struct cli_token_file *file, const struct vault_token_text *token, struct err *err)
{
	if (fd_write_all(file->fd, token->text, strlen(token->text)) < 0 ||
	    fd_write_all(file->fd, "\n", 1) < 0 || fsync(file->fd) < 0)
		return err_errno(err, errno, "write %s", file->path);
	file->is_written = true;
	return 0;
}

void cli_token_file_release(struct cli_token_file *file)
{
	close_fd(&file->fd);
	if (file->path != NULL && !file->is_written)
		cli_local_remove(file->cli, file->path);
}

/* ---- tokens ---- */

#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)
#define EXPIRY_MAX_DAYS ((int64_t)36500)

/* "90d", "12h" … from now on; NULL: never, which is 0. */
static int parse_expiry(const char *text, int64_t *ret_us, struct err *err)
{
	size_t len = text != NULL ? strlen(text) : 0;
	int64_t ms = 0;
	int result;

	*ret_us = 0;
	if (text == NULL)
		return 0;
	if (len > 1 && text[len - 1] == 'd') {
		cleanup_free char *days = xmemdupz(text, len - 1);

		result = num_parse(days, 1, EXPIRY_MAX_DAYS, &ms, err);
		ms *= DAY_MS;
	} else {
		result = num_parse_duration(text, EXPIRY_MAX_DAYS * DAY_MS, &ms, err);
	}
	if (result < 0 || ms == 0) {
		return err_set(err, ERR_USAGE,
		    "--expires-in wants a time to come, such as 90d or 12h, not \"%.40s\"", text);
	}
	*ret_us = clock_wall_us() + ms * 1000;
	return 0;
}

/* The value, straight to the terminal: it never passes through a buffer that others read. */
static int show_value(const struct cli *cli, const struct vault_token_text *value, struct err *err)
{
	static const char hint[] = "\nIt is shown this once. Keep it like a password; it is read "
				   "by: stile vault login\n";

	if (fd_write_all(cli->out_fd, value->text, strlen(value->text)) < 0 ||
	    fd_write_all(cli->out_fd, hint, strlen(hint)) < 0)
		return err_errno(err, errno, "show the token");
	return 0;
}

/* Hands over the value; a token that nobody got is taken back. */
static int hand_over(struct cli *cli, struct vault *vault, struct cli_token_file *file,
    const struct vault_token *token, const struct vault_token_text *value, struct err *err)
{
	cleanup_err struct err ignored = ERR_INIT;
	struct vault_token revoked = { 0 };
	int result = file->path != NULL ? cli_token_file_write(file, value, err)
					: show_value(cli, value, err);

	if (result < 0 && vault_token_revoke(vault, token->id, &revoked, &ignored) == 0)
		vault_token_release(&revoked);
	return result;
}

static void show_token(struct cli *cli, const struct vault_token *token, const char *path)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	char expires[CLI_TIME_SIZE];

	vault_token_write(token, &w);
	cli_format_time(token->expires_us, expires);
	cli_line(&cli->out, "issued: %s of %s, expires %s", token->id, token->principal,
	    token->expires_us == 0 ? "never" : expires);
	if (path != NULL)
		cli_line(&cli->out, "Its value is in %s, which only you can read.", path);
}

static int issue(struct cli *cli, struct cli_token_file *file, int64_t expires_us, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	cleanup_token_text struct vault_token_text value = { 0 };
	struct vault_token token = { 0 };
	int result;

	if (vault == NULL ||
	    vault_token_issue(vault, cli_word(cli, 0), expires_us, &token, &value, err) < 0)
		return -1;
	result = hand_over(cli, vault, file, &token, &value, err);
	if (result == 0)
		show_token(cli, &token, file->path);
	vault_token_release(&token);
	return result;
}

int cmd_vault_token_issue(struct cli *cli, struct err *err)
{
	cleanup_token_file struct cli_token_file file = CLI_TOKEN_FILE_INIT;
	const char *path = cli->options.out;
	int64_t expires_us = 0;

	if (parse_expiry(cli->options.expires_in, &expires_us, err) < 0)
		return -1;
	if (path == NULL && (cli->options.is_json || !isatty(cli->out_fd)))
		return err_set(err, ERR_USAGE,
		    "a token's value is shown on a person's terminal only; to keep it: --out FILE");
	if (path != NULL && cli_token_file_make(cli, path, &file, err) < 0)
		return -1;
	return issue(cli, &file, expires_us, err);
}

static int token_row(void *ctx, const struct vault_token *token, struct err *err)
{
	struct cli_list *list = ctx;
	char created[CLI_TIME_SIZE];
	char used[CLI_TIME_SIZE];
	char expires[CLI_TIME_SIZE];
	char revoked[CLI_TIME_SIZE];
	const char *cells[] = { token->id, created, used, expires, revoked };

	(void)err;
	cli_format_time(token->created_us, created);
	cli_format_time(token->last_used_us, used);
	cli_format_time(token->expires_us, expires);
	cli_format_time(token->revoked_us, revoked);
	cli_table_row(&list->table, cells);
	vault_token_write(token, &list->w);
	return 0;
}

int cmd_vault_token_list(struct cli *cli, struct err *err)
{
	static const char *const heading[] = { "ID", "CREATED (UTC)", "LAST USED", "EXPIRES",
		"REVOKED" };
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct cli_list list = { 0 };

	if (vault == NULL)
		return -1;
	cli_list_begin(&list, cli, "tokens", ARRAY_LEN(heading), heading);
	return cli_list_end(
	    &list, vault_token_each(vault, cli_word(cli, 0), token_row, &list, err));
}

int cmd_vault_token_revoke(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	struct vault_token token = { 0 };

	if (vault == NULL || vault_token_revoke(vault, cli_word(cli, 0), &token, err) < 0)
		return -1;
	vault_token_write(&token, &w);
	cli_line(&cli->out, "revoked: %s of %s", token.id, token.principal);
	vault_token_release(&token);
	return 0;
}
