/* SPDX-License-Identifier: MIT */
/* Removing content that no version of a file or template uses, and copying the whole store. */
#include "vault/vault_internal.h"

#include <inttypes.h>
#include <stdlib.h>

static const char SQL_UNUSED_CONTENTS[] =
    "DELETE FROM content WHERE NOT EXISTS (SELECT 1 FROM version"
    " WHERE version.content = content.id) AND NOT EXISTS (SELECT 1 FROM template_item"
    " WHERE template_item.content = content.id)";
static const char SQL_COUNT_CONTENTS[] = "SELECT count(*) FROM content";
static const char SQL_LAST_CHUNK[] = "SELECT coalesce(max(id), 0) FROM chunk";
static const char SQL_CONTENTS[] = "SELECT chunks FROM content";
static const char SQL_CHUNKS[] = "SELECT id, length(data) FROM chunk ORDER BY id";
static const char SQL_DELETE_CHUNK[] = "DELETE FROM chunk WHERE id = ?1";
static const char SQL_PAGES[] = "PRAGMA page_count";
static const char SQL_PAGE_SIZE[] = "PRAGMA page_size";
static const char SQL_FREE_PAGES[] = "PRAGMA freelist_count";
static const char SQL_GIVE_BACK[] = "PRAGMA incremental_vacuum(4096)";
static const char SQL_SHORTEN[] = "PRAGMA wal_checkpoint(PASSIVE)";

/* The chunks in use, a bit each. */
struct used {
	uint8_t *bits; /* owned */
	int64_t last;
};

static int mark(void *ctx, int64_t chunk, struct err *err)
{
	struct used *used = ctx;

	if (chunk <= 0 || chunk > used->last)
		return err_set(err, ERR_CONTENT_CORRUPT,
		    "a content names a chunk that is not there; run stile vault fsck");
	used->bits[chunk / 8] |= (uint8_t)(1 << chunk % 8);
	return 0;
}

static bool is_used(const struct used *used, int64_t chunk)
{
	return (used->bits[chunk / 8] >> chunk % 8 & 1) != 0;
}

static int mark_all(struct vault *vault, struct used *used, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = sql_prepare(vault->sql, SQL_CONTENTS, err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		size_t len = 0;
		const void *data = sql_column_blob(stmt, 0, &len);

		if (content_chunks(data, len, mark, used, err) < 0)
			return -1;
	}
	return got;
}

static int sweep(struct vault *vault, const struct used *used, vault_progress_fn progress,
    void *ctx, struct vault_gc *report, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = sql_prepare(vault->sql, SQL_CHUNKS, err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		int64_t chunk = sql_column_int(stmt, 0);

		if (progress != NULL)
			progress(ctx, chunk, used->last);
		if (is_used(used, chunk))
			continue;
		report->chunks++;
		report->bytes += sql_column_int(stmt, 1);
		if (store_run(vault, SQL_DELETE_CHUNK, BINDS(B_INT(chunk)), err) < 0)
			return -1;
	}
	return got;
}

static int delete_contents(struct vault *vault, struct vault_gc *report, struct err *err)
{
	int64_t before = 0;
	int64_t after = 0;

	if (store_int(vault, SQL_COUNT_CONTENTS, NULL, 0, &before, err) < 0 ||
	    store_run(vault, SQL_UNUSED_CONTENTS, NULL, 0, err) < 0 ||
	    store_int(vault, SQL_COUNT_CONTENTS, NULL, 0, &after, err) < 0)
		return -1;
	report->contents = before - after;
	return 0;
}

static int collect(struct vault *vault, vault_progress_fn progress, void *ctx,
    struct vault_gc *report, struct err *err)
{
	struct used used = { 0 };
	int result;

	if (delete_contents(vault, report, err) < 0 ||
	    store_int(vault, SQL_LAST_CHUNK, NULL, 0, &used.last, err) < 0)
		return -1;
	used.bits = xcalloc((size_t)used.last / 8 + 1, 1);
	result = mark_all(vault, &used, err);
	if (result == 0)
		result = sweep(vault, &used, progress, ctx, report, err);
	free(used.bits);
	return result;
}

/* Some pages at a time, so that the log stays small and others get their turn. The file is shortened
 * once nobody reads what it was before. */
static int free_pages(struct vault *vault, struct err *err)
{
	int64_t left = 0;
	int64_t before = INT64_MAX;

	if (sql_query_int(vault->sql, SQL_FREE_PAGES, &left, err) < 0)
		return -1;
	while (left > 0 && left < before) {
		before = left;
		if (sql_exec(vault->sql, SQL_GIVE_BACK, err) < 0 ||
		    sql_query_int(vault->sql, SQL_FREE_PAGES, &left, err) < 0)
			return -1;
	}
	return sql_exec(vault->sql, SQL_SHORTEN, err);
}

/* What is removed stays removed, whatever comes of this. */
static int give_back(struct vault *vault, struct vault_gc *report, struct err *err)
{
	int64_t before = 0;
	int64_t after = 0;
	int64_t page_size = 0;

	if (sql_query_int(vault->sql, SQL_PAGE_SIZE, &page_size, err) < 0 ||
	    sql_query_int(vault->sql, SQL_PAGES, &before, err) < 0 || free_pages(vault, err) < 0 ||
	    sql_query_int(vault->sql, SQL_PAGES, &after, err) < 0)
		return err_wrap(err, "content is removed, but its room is not given back");
	report->given_back = (before - after) * page_size;
	return 0;
}

int vault_gc(struct vault *vault, vault_progress_fn progress, void *ctx, struct vault_gc *ret,
    struct err *err)
{
	struct op op = OP_WRITE("gc", NULL);
	struct vault_gc report = { 0 };
	int result;

	if (store_lock_content(vault, err) < 0)
		return -1;
	result = op_begin(vault, &op, err);
	if (result == 0)
		result = must_manage_root(vault, err);
	if (result == 0)
		result = collect(vault, progress, ctx, &report, err);
	op.detail = xasprintf("%" PRId64 " chunks, %" PRId64 " bytes", report.chunks, report.bytes);
	result = op_end(vault, &op, result, err);
	if (result == 0)
		result = give_back(vault, &report, err);
	store_let_content(vault);
	if (result == 0)
		*ret = report;
	return result;
}

int vault_backup(
    struct vault *vault, const char *path, vault_progress_fn progress, void *ctx, struct err *err)
{
	struct op op = OP_READ("backup", NULL);
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = must_manage_root(vault, err);
	if (result == 0)
		result = op_note(vault, &op, err);
	if (result == 0 && sql_backup(vault->sql, path, progress, ctx, err) < 0) {
		if (err->code == ERR_CHECK_FAILED)
			err->code = ERR_ALREADY_EXISTS;
		result = -1;
	}
	return op_end(vault, &op, result, err);
}
