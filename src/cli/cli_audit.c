/* SPDX-License-Identifier: MIT */
/* stile audit list|verify|export: what the ledger holds, for an auditor. */
#include "cli/cli_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/dirs.h"
#include "base/ids.h"
#include "base/num.h"
#include "ledger/ledger.h"

#define DEFAULT_ROWS 50
#define ROWS_MAX 1000000

/* The file that was named, else this host's database. Owned. */
static char *ledger_file(const struct cli *cli, struct err *err)
{
	cleanup_free char *data_dir = NULL;
	char *path;

	if (cli->options.words.len > 0)
		return xstrdup(cli->options.words.items[0]);
	data_dir = dirs_data(err);
	if (data_dir == NULL)
		return NULL;
	path = ledger_path(data_dir);
	if (access(path, F_OK) == 0)
		return path;
	free(path);
	err_set(err, ERR_NOT_FOUND, "there is no ledger yet: it is made at the first call");
	return NULL;
}

static int make_filter(
    const struct cli_options *options, struct ledger_filter *ret_filter, struct err *err)
{
	struct ledger_filter filter = LEDGER_FILTER_INIT;

	filter.kind = options->kind;
	filter.surface = options->surfaces.len > 0 ? options->surfaces.items[0] : NULL;
	filter.tool = options->tool;
	filter.code = options->code;
	if (options->surfaces.len > 1)
		return err_set(err, ERR_USAGE, "--surface is given twice");
	if (options->after != NULL &&
	    num_parse(options->after, 0, INT64_MAX, &filter.after, err) < 0)
		return err_wrap(err, "--after");
	if (options->limit != NULL &&
	    num_parse(options->limit, 1, ROWS_MAX, &filter.limit, err) < 0)
		return err_wrap(err, "--limit");
	*ret_filter = filter;
	return 0;
}

/* ---- list ---- */

struct audit_list {
	struct cli_table table;
	struct json_writer w;
	bool is_open_only; /* only intents without an outcome */
	int64_t *settled;  /* sequences of intents that have one; sorted by coming */
	size_t settled_len;
	size_t settled_cap;
};

/* First pass of --open: which intents have an outcome? */
static int note_settled(void *ctx, const struct ledger_row *row, struct err *err)
{
	struct audit_list *list = ctx;

	(void)err;
	ARRAY_GROW(list->settled, list->settled_len, list->settled_cap);
	list->settled[list->settled_len++] = row->record.intent;
	return 0;
}

static int compare_sequence(const void *a, const void *b)
{
	const int64_t *left = a;
	const int64_t *right = b;

	return (*left > *right) - (*left < *right);
}

static bool is_settled(const struct audit_list *list, int64_t sequence)
{
	return list->settled_len > 0 && bsearch(&sequence, list->settled, list->settled_len,
					    sizeof(sequence), compare_sequence) != NULL;
}

static const char *or_dash(const char *text)
{
	return text != NULL ? text : "-";
}

static int add_row(void *ctx, const struct ledger_row *row, struct err *err)
{
	struct audit_list *list = ctx;
	const struct ledger_record *record = &row->record;
	char sequence[24];
	char time[CLOCK_TEXT_SIZE];
	char exit_status[24] = "-";
	char duration[32] = "-";
	const char *cells[8];

	(void)err;
	if (list->is_open_only && is_settled(list, row->sequence))
		return 0;
	(void)snprintf(sequence, sizeof(sequence), "%" PRId64, row->sequence);
	clock_format_utc(row->time_us, time);
	time[19] = '\0'; /* seconds are enough for people; --json has the rest */
	if (record->exit_status >= 0)
		(void)snprintf(exit_status, sizeof(exit_status), "%" PRId64, record->exit_status);
	if (record->duration_us > 0)
		(void)snprintf(
		    duration, sizeof(duration), "%.1f ms", (double)record->duration_us / 1000);
	cells[0] = sequence;
	cells[1] = time;
	cells[2] = or_dash(record->caller);
	cells[3] = row->kind;
	cells[4] = or_dash(record->tool);
	cells[5] = or_dash(record->code != NULL ? record->code : record->detail);
	cells[6] = exit_status;
	cells[7] = duration;
	cli_table_row(&list->table, cells);
	ledger_row_write(row, &list->w);
	return 0;
}

static int find_settled(struct audit_list *list, const char *path, struct err *err)
{
	struct ledger_filter outcomes = LEDGER_FILTER_INIT;

	outcomes.kind = "outcome";
	if (ledger_each(path, &outcomes, note_settled, list, err) < 0)
		return -1;
	if (list->settled_len > 0)
		qsort(list->settled, list->settled_len, sizeof(*list->settled), compare_sequence);
	return 0;
}

static int fill_list(
    struct audit_list *list, const char *path, struct ledger_filter *filter, struct err *err)
{
	static const char *const heading[] = { "ROW", "TIME (UTC)", "CALLER", "KIND", "TOOL",
		"CODE OR DETAIL", "EXIT", "TOOK" };

	cli_table_row(&list->table, heading);
	filter->newest_first = true;
	if (list->is_open_only) {
		filter->kind = "intent";
		if (find_settled(list, path, err) < 0)
			return -1;
	} else if (filter->limit == 0) {
		filter->limit = DEFAULT_ROWS;
	}
	return ledger_each(path, filter, add_row, list, err);
}

int cmd_audit_list(struct cli *cli, struct err *err)
{
	struct audit_list list = {
		.table = { .columns = 8 },
		.w = JSON_WRITER_INIT(&cli->result),
		.is_open_only = cli->options.is_open,
	};
	struct ledger_filter filter = LEDGER_FILTER_INIT;
	cleanup_free char *path = ledger_file(cli, err);
	int result = -1;

	if (path == NULL || make_filter(&cli->options, &filter, err) < 0)
		return -1;
	json_write_object_begin(&list.w);
	json_write_key(&list.w, "records");
	json_write_array_begin(&list.w);
	result = fill_list(&list, path, &filter, err);
	json_write_array_end(&list.w);
	json_write_object_end(&list.w);
	cli_table_write(&list.table, &cli->out);
	cli_table_release(&list.table);
	free(list.settled);
	return result;
}

/* ---- verify ---- */

/* A database begins with SQLite's own words; an export is JSON lines. */
static int is_database(const char *path, bool *ret_is_database, struct err *err)
{
	static const char magic[] = "SQLite format 3";
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char head[sizeof(magic)] = "";

	if (fd < 0 || read(fd, head, sizeof(head)) < 0)
		return err_errno(err, errno, "%s", path);
	*ret_is_database = memcmp(head, magic, sizeof(magic)) == 0;
	return 0;
}

static void write_report(struct cli *cli, const char *path, const struct ledger_report *report)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	char hash[DIGEST_TEXT_SIZE];

	digest_format(&report->hash, hash);
	json_write_object_begin(&w);
	json_write_member_string(&w, "path", path);
	json_write_member_int(&w, "rows", report->rows);
	json_write_member_int(&w, "withheld", report->withheld);
	json_write_member_int(&w, "checkpoints", report->checkpoints);
	json_write_member_int(&w, "unsealed", report->unsealed);
	json_write_member_string(&w, "hash", hash);
	json_write_object_end(&w);
	buf_addf(&cli->out,
	    "%s: the chain holds: %" PRId64 " rows, %" PRId64 " checkpoints, %" PRId64
	    " rows not yet sealed\nlast hash %s\n",
	    path, report->rows, report->checkpoints, report->unsealed, hash);
}

int cmd_audit_verify(struct cli *cli, struct err *err)
{
	cleanup_free char *path = ledger_file(cli, err);
	struct ledger_report report = { 0 };
	bool is_db = false;
	int result;

	if (path == NULL || is_database(path, &is_db, err) < 0)
		return -1;
	result =
	    is_db ? ledger_verify(path, &report, err) : ledger_verify_export(path, &report, err);
	if (result < 0)
		return -1;
	write_report(cli, path, &report);
	return 0;
}

/* ---- export ---- */

int cmd_audit_export(struct cli *cli, struct err *err)
{
	cleanup_free char *path = ledger_file(cli, err);
	struct ledger_filter filter = LEDGER_FILTER_INIT;

	if (path == NULL || make_filter(&cli->options, &filter, err) < 0)
		return -1;
	if (cli->options.is_json)
		return err_set(err, ERR_USAGE, "an export is JSON lines already; leave --json out");
	return ledger_export(path, &filter, cli->out_fd, err);
}
