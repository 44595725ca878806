/* SPDX-License-Identifier: MIT */
/* stile vault audit list|verify|export: the vault's own record of who did what. */
#include "cli/cli_vault.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fd.h"

#define ROWS_DEFAULT 50
#define ROWS_MAX 1000000

static const char *or_dash(const char *text)
{
	return text != NULL ? text : "-";
}

static int event_row(void *ctx, const struct vault_event *event, struct err *err)
{
	struct cli_list *list = ctx;
	char sequence[24];
	char time[CLI_TIME_SIZE];
	const char *cells[] = { sequence, time, event->principal_name, event->caller,
		event->operation, or_dash(event->target), event->result, event->correlation };

	(void)err;
	(void)snprintf(sequence, sizeof(sequence), "%" PRId64, event->sequence);
	cli_format_time(event->time_us, time);
	cli_table_row(&list->table, cells);
	vault_event_write(event, &list->w);
	return 0;
}

static int scope_row(void *ctx, const struct vault_scope_event *event, struct err *err)
{
	struct cli_list *list = ctx;
	char sequence[24];
	char time[CLI_TIME_SIZE];
	const char *cells[] = { sequence, time, event->principal_name,
		or_dash(event->stage != NULL ? event->stage : event->asked_stage), event->rank,
		or_dash(event->contract_version), event->result, event->id };

	(void)err;
	(void)snprintf(sequence, sizeof(sequence), "%" PRId64, event->sequence);
	cli_format_time(event->time_us, time);
	cli_table_row(&list->table, cells);
	vault_scope_event_write(event, &list->w);
	return 0;
}

/* Operations, or with --scope decisions. */
static int list_rows(
    struct cli *cli, struct vault *vault, const struct vault_event_filter *filter, struct err *err)
{
	static const char *const operations[] = { "ROW", "TIME (UTC)", "PRINCIPAL", "CALLER",
		"OPERATION", "TARGET", "RESULT", "CORRELATION" };
	static const char *const decisions[] = { "ROW", "TIME (UTC)", "PRINCIPAL", "STAGE", "RANK",
		"CONTRACT", "RESULT", "ID" };
	struct cli_list list = { 0 };

	if (!cli->options.is_scope) {
		cli_list_begin(&list, cli, "events", ARRAY_LEN(operations), operations);
		return cli_list_end(&list, vault_event_each(vault, filter, event_row, &list, err));
	}
	cli_list_begin(&list, cli, "events", ARRAY_LEN(decisions), decisions);
	return cli_list_end(&list, vault_scope_event_each(vault, filter, scope_row, &list, err));
}

int cmd_vault_audit_list(struct cli *cli, struct err *err)
{
	const struct cli_options *options = &cli->options;
	struct vault_event_filter filter = {
		.principal = options->principal,
		.entry = options->entry,
		.operation = options->operation,
		.result = options->code,
		.correlation = options->correlation,
		.newest_first = options->after == NULL,
	};
	cleanup_vault struct vault *vault = NULL;

	if (options->is_scope && options->operation != NULL)
		return err_set(err, ERR_USAGE, "--operation does not go with --scope");
	if (cli_number("--after", options->after, 0, INT64_MAX, 0, &filter.after, err) < 0 ||
	    cli_number("--limit", options->limit, 1, ROWS_MAX, ROWS_DEFAULT, &filter.limit, err) <
		0)
		return -1;
	vault = cli_vault_open(cli, err);
	return vault == NULL ? -1 : list_rows(cli, vault, &filter, err);
}

int cmd_vault_audit_verify(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	struct vault_audit_report report = { 0 };
	char hash[DIGEST_TEXT_SIZE];
	char scope_hash[DIGEST_TEXT_SIZE];

	if (vault == NULL || vault_audit_verify(vault, &report, err) < 0)
		return -1;
	digest_format(&report.hash, hash);
	digest_format(&report.scope_hash, scope_hash);
	json_write_object_begin(&w);
	json_write_member_int(&w, "rows", report.rows);
	json_write_member_string(&w, "hash", hash);
	json_write_member_int(&w, "scope_rows", report.scope_rows);
	json_write_member_string(&w, "scope_hash", scope_hash);
	json_write_object_end(&w);
	cli_line(&cli->out, "the chain holds: %" PRId64 " rows", report.rows);
	cli_line(&cli->out, "last hash %s", hash);
	cli_line(&cli->out, "the chain of decisions holds: %" PRId64 " rows", report.scope_rows);
	cli_line(&cli->out, "last hash %s", scope_hash);
	return 0;
}

/* ---- export ---- */

/* Row by row: a record may be larger than what fits in memory. */
static int export_line(const struct cli *cli, struct buf *line, struct err *err)
{
	buf_addc(line, '\n');
	if (buf_check(line, "a row", err) < 0)
		return -1;
	if (fd_write_all(cli->out_fd, line->data, line->len) < 0)
		return err_errno(err, errno, "write the export");
	return 0;
}

static int export_row(void *ctx, const struct vault_event *event, struct err *err)
{
	cleanup_buf struct buf line = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&line);

	vault_event_write(event, &w);
	return export_line(ctx, &line, err);
}

static int export_scope_row(void *ctx, const struct vault_scope_event *event, struct err *err)
{
	cleanup_buf struct buf line = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&line);

	vault_scope_event_write(event, &w);
	return export_line(ctx, &line, err);
}

int cmd_vault_audit_export(struct cli *cli, struct err *err)
{
	struct vault_event_filter all = { 0 };
	cleanup_vault struct vault *vault = NULL;

	if (cli->options.is_json)
		return err_set(err, ERR_USAGE, "an export is JSON lines already; leave --json out");
	if (cli_number("--after", cli->options.after, 0, INT64_MAX, 0, &all.after, err) < 0)
		return -1;
	vault = cli_vault_open(cli, err);
	if (vault == NULL)
		return -1;
	return cli->options.is_scope
		   ? vault_scope_event_each(vault, &all, export_scope_row, cli, err)
		   : vault_event_each(vault, &all, export_row, cli, err);
}
