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
	const char *cells[] = { sequence, time, event->principal, event->caller, event->operation,
		or_dash(event->target), event->result };

	(void)err;
	(void)snprintf(sequence, sizeof(sequence), "%" PRId64, event->sequence);
	cli_format_time(event->time_us, time);
	cli_table_row(&list->table, cells);
	vault_event_write(event, &list->w);
	return 0;
}

int cmd_vault_audit_list(struct cli *cli, struct err *err)
{
	static const char *const heading[] = { "ROW", "TIME (UTC)", "PRINCIPAL", "CALLER",
		"OPERATION", "TARGET", "RESULT" };
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
	struct cli_list list = { 0 };

	if (cli_number("--after", options->after, 0, INT64_MAX, 0, &filter.after, err) < 0 ||
	    cli_number("--limit", options->limit, 1, ROWS_MAX, ROWS_DEFAULT, &filter.limit, err) <
		0)
		return -1;
	vault = cli_vault_open(cli, err);
	if (vault == NULL)
		return -1;
	cli_list_begin(&list, cli, "events", ARRAY_LEN(heading), heading);
	return cli_list_end(&list, vault_event_each(vault, &filter, event_row, &list, err));
}

int cmd_vault_audit_verify(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	struct vault_audit_report report = { 0 };
	char hash[DIGEST_TEXT_SIZE];

	if (vault == NULL || vault_audit_verify(vault, &report, err) < 0)
		return -1;
	digest_format(&report.hash, hash);
	json_write_object_begin(&w);
	json_write_member_int(&w, "rows", report.rows);
	json_write_member_string(&w, "hash", hash);
	json_write_object_end(&w);
	cli_line(&cli->out, "the chain holds: %" PRId64 " rows", report.rows);
	cli_line(&cli->out, "last hash %s", hash);
	return 0;
}

/* ---- export ---- */

/* Row by row: a record may be larger than what fits in memory. */
static int export_row(void *ctx, const struct vault_event *event, struct err *err)
{
	const struct cli *cli = ctx;
	cleanup_buf struct buf line = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&line);

	vault_event_write(event, &w);
	buf_addc(&line, '\n');
	if (buf_check(&line, "a row", err) < 0)
		return -1;
	if (fd_write_all(cli->out_fd, line.data, line.len) < 0)
		return err_errno(err, errno, "write the export");
	return 0;
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
	return vault == NULL ? -1 : vault_event_each(vault, &all, export_row, cli, err);
}
