/* SPDX-License-Identifier: MIT */
/* Reading a ledger that someone else may be writing, or nobody any more: from the file alone. */
#include "ledger/ledger_internal.h"

#include <string.h>

/* All columns, in the order of ledger_columns. */
static const char SQL_OLDEST_FIRST[] = "SELECT * FROM record WHERE sequence > ?1 ORDER BY sequence";
static const char SQL_NEWEST_FIRST[] =
    "SELECT * FROM record WHERE sequence > ?1 ORDER BY sequence DESC";

static const char SQL_COUNT_COLUMNS[] = "SELECT count(*) FROM pragma_table_info('record')";

/* ---- from a statement to a row ---- */

static int malformed(const struct ledger_row *row, struct err *err)
{
	return chain_fault(err, row->sequence, "malformed", "has a column that is not of its type");
}

/* A text that goes on behind a NUL would show less than is stored. */
static int read_text(struct sql_stmt *stmt, int index, const struct column *column,
    struct ledger_row *row, struct err *err)
{
	const char *text = sql_column_text(stmt, index);
	size_t len;

	(void)sql_column_blob(stmt, index, &len);
	if (text == NULL || strlen(text) != len)
		return malformed(row, err);
	ledger_field_set(row, column, text);
	return 0;
}

static int read_blob(struct sql_stmt *stmt, int index, const struct column *column,
    struct ledger_row *row, struct err *err)
{
	size_t len;
	const void *data = sql_column_blob(stmt, index, &len);

	if (len != ledger_blob_size(column->type))
		return malformed(row, err);
	ledger_field_set(row, column, data);
	return 0;
}

static int read_column(struct sql_stmt *stmt, int index, const struct column *column,
    struct ledger_row *row, struct err *err)
{
	bool is_int = column->type == COLUMN_INT || column->type == COLUMN_BOOL;
	enum sql_type type = sql_column_type(stmt, index);

	if (is_int) {
		if (type != SQL_INT)
			return malformed(row, err);
		ledger_field_set_int(row, column, sql_column_int(stmt, index));
		return 0;
	}
	if (type == SQL_NULL)
		return 0;
	if (column->type == COLUMN_TEXT)
		return type == SQL_TEXT ? read_text(stmt, index, column, row, err)
					: malformed(row, err);
	return type == SQL_BLOB ? read_blob(stmt, index, column, row, err) : malformed(row, err);
}

static int read_digest(struct sql_stmt *stmt, int index, const struct ledger_row *row,
    struct digest *ret_digest, struct err *err)
{
	size_t len = 0;
	const void *data = NULL;

	if (sql_column_type(stmt, index) == SQL_BLOB)
		data = sql_column_blob(stmt, index, &len);
	if (len != DIGEST_SIZE)
		return malformed(row, err);
	memcpy(ret_digest->bytes, data, DIGEST_SIZE);
	return 0;
}

static int read_row(struct sql_stmt *stmt, struct ledger_row *row, struct err *err)
{
	*row = (struct ledger_row){ .sequence = sql_column_int(stmt, COLUMN_SEQUENCE) };
	for (int i = 0; i < LEDGER_COLUMNS; i++) {
		if (read_column(stmt, COLUMN_CONTENT + i, &ledger_columns[i], row, err) < 0)
			return -1;
	}
	if (read_digest(stmt, COLUMN_PREVIOUS, row, &row->previous, err) < 0)
		return -1;
	return read_digest(stmt, COLUMN_HASH, row, &row->hash, err);
}

/* ---- filters ---- */

static bool is_wanted(const char *wanted, const char *text)
{
	return wanted == NULL || (text != NULL && strcmp(wanted, text) == 0);
}

bool ledger_filter_fits(const struct ledger_filter *filter, const struct ledger_row *row)
{
	const struct ledger_record *record = &row->record;

	return row->sequence > filter->after &&
	       (filter->since_us == 0 || row->time_us >= filter->since_us) &&
	       (filter->until_us == 0 || row->time_us < filter->until_us) &&
	       is_wanted(filter->kind, row->kind) && is_wanted(filter->surface, record->surface) &&
	       is_wanted(filter->tool, record->tool) && is_wanted(filter->code, record->code) &&
	       is_wanted(filter->writer, row->writer);
}

/* ---- walking ---- */

/* What a walk gives its rows to. */
struct visit {
	const struct ledger_filter *filter;
	ledger_row_fn fn;
	void *ctx;
	int64_t count;
};

/* 0: go on; 1: enough; -1: err. */
static int visit_row(struct visit *visit, const struct ledger_row *row, struct err *err)
{
	int status;

	if (!ledger_filter_fits(visit->filter, row))
		return 0;
	status = visit->fn(visit->ctx, row, err);
	visit->count++;
	return status == 0 && visit->count == visit->filter->limit ? 1 : status;
}

/* A column that we do not know would be shown by nobody and hashed by nobody. */
static int check_columns(struct sql *sql, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = sql_prepare(sql, SQL_COUNT_COLUMNS, err);

	if (stmt == NULL || sql_step(stmt, err) < 0)
		return -1;
	if (sql_column_int(stmt, 0) == 0)
		return err_set(err, ERR_CHECK_FAILED, "the file is no ledger");
	if (sql_column_int(stmt, 0) != COLUMN_HASH + 1)
		return err_set(err, ERR_UNSUPPORTED,
		    "the ledger has columns that this program does not know; update it");
	return 0;
}

static int walk(struct sql *sql, struct visit *visit, struct err *err)
{
	const char *text = visit->filter->newest_first ? SQL_NEWEST_FIRST : SQL_OLDEST_FIRST;
	cleanup_stmt struct sql_stmt *stmt = sql_prepare(sql, text, err);
	struct ledger_row row;
	int status = 0;

	if (stmt == NULL)
		return -1;
	sql_bind_int(stmt, 1, visit->filter->after);
	while (status == 0) {
		int got = sql_step(stmt, err);

		if (got <= 0)
			return got;
		status = read_row(stmt, &row, err);
		if (status == 0)
			status = visit_row(visit, &row, err);
	}
	return status < 0 ? -1 : 0;
}

int ledger_each(const char *path, const struct ledger_filter *filter, ledger_row_fn fn, void *ctx,
    struct err *err)
{
	static const struct ledger_filter all;
	struct visit visit = { .filter = filter != NULL ? filter : &all, .fn = fn, .ctx = ctx };
	cleanup_sql struct sql *sql = sql_open_readonly(path, err);

	if (sql == NULL)
		return -1;
	if (check_columns(sql, err) < 0 || walk(sql, &visit, err) < 0)
		return err_wrap(err, "%s", path);
	return 0;
}
