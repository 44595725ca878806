/* SPDX-License-Identifier: MIT */
/* Looking at everything of an organization: the database itself, entries, versions, every byte. */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

static const char SQL_INTEGRITY[] = "PRAGMA integrity_check(20)";
static const char SQL_FOREIGN_KEYS[] = "PRAGMA foreign_key_check";
static const char SQL_COUNT[] =
    "SELECT (SELECT count(*) FROM entry WHERE org = ?1),"
    " (SELECT count(*) FROM version JOIN entry ON entry.id = version.file WHERE entry.org = ?1)";
/* What the root does not lead to, be it through a missing parent or round in a circle. */
static const char SQL_UNREACHABLE[] =
    "WITH RECURSIVE down (id) AS (SELECT ?2 UNION"
    " SELECT entry.id FROM down JOIN entry ON entry.parent = down.id AND entry.org = ?1)"
    "SELECT id FROM entry WHERE org = ?1 AND id NOT IN (SELECT id FROM down)";
static const char SQL_HEADLESS[] =
    "SELECT entry.id FROM entry LEFT JOIN version ON version.id = entry.head"
    " WHERE entry.org = ?1 AND entry.id <> ?2 AND entry.kind = 1"
    " AND version.file IS NOT entry.id";
static const char SQL_GAPS[] =
    "SELECT entry.id FROM entry JOIN version ON version.file = entry.id"
    " WHERE entry.org = ?1 AND entry.id <> ?2"
    " GROUP BY entry.id HAVING count(*) <> max(version.number) OR min(version.number) <> 1";
/* What has an id of its own beside its folder's. */
static const char SQL_UNRECORDED[] = "SELECT id FROM entry WHERE org = ?1 AND id <> ?2"
				     " AND ((kind = 2 AND id NOT IN (SELECT folder FROM template))"
				     "  OR (kind = 3 AND id NOT IN (SELECT id FROM workspace)))";
/* Tables, indexes and triggers; what SQLite makes for itself has no text. */
static const char SQL_SCHEMA[] = "SELECT type || ' ' || name, sql FROM sqlite_schema"
				 " WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' ORDER BY 1";
#define OF_ORG                                                                                     \
	" FROM content WHERE id IN (SELECT version.content FROM version"                           \
	" JOIN entry ON entry.id = version.file WHERE entry.org = ?1 UNION"                        \
	" SELECT template_item.content FROM template_item"                                         \
	" JOIN template ON template.id = template_item.template WHERE template.org = ?1)"
static const char SQL_SUM[] = "SELECT coalesce(sum(size), 0)" OF_ORG;
static const char SQL_CONTENTS[] = "SELECT id, hash, size" OF_ORG " ORDER BY id";

struct fsck {
	struct vault *vault;
	vault_fault_fn on_fault;
	vault_progress_fn progress;
	void *ctx;
	struct vault_fsck report;
	int64_t all_bytes;
};

static void tell_fault(struct fsck *fsck, const char *what)
{
	fsck->report.faults++;
	if (fsck->on_fault != NULL)
		fsck->on_fault(fsck->ctx, what);
}

static void tell_progress(const struct fsck *fsck)
{
	if (fsck->progress != NULL)
		fsck->progress(fsck->ctx, fsck->report.bytes, fsck->all_bytes);
}

/* ---- rows ---- */

/* Each row that text, about ?1 the organization and ?2 its root, gives is a fault. */
static int check_rows(struct fsck *fsck, const char *text, const char *what, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = store_query(
	    fsck->vault, text, BINDS(B_TEXT(fsck->vault->org), B_TEXT(fsck->vault->root)), err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		cleanup_free char *fault = xasprintf("%s %s", sql_column_text(stmt, 0), what);

		tell_fault(fsck, fault);
	}
	return got;
}

/* The same for a pragma, which takes no parameters; fine is the row that says that all is well. */
static int check_pragma(
    struct fsck *fsck, const char *text, const char *fine, const char *what, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = sql_prepare(fsck->vault->sql, text, err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		const char *row = sql_column_text(stmt, 0);
		cleanup_free char *fault = xasprintf("%s: %s", what, row);

		if (fine == NULL || strcmp(row, fine) != 0)
			tell_fault(fsck, fault);
	}
	return got;
}

/* ---- the schema ---- */

/* A part of it as it should be, or as it is: the statement's row. */
struct part {
	struct sql_stmt *stmt;
	int got; /* what the step gave */
};

static const char *name_of_part(const struct part *part)
{
	return part->got == 1 ? sql_column_text(part->stmt, 0) : NULL;
}

/* Is a before b? NULL is after all. */
static int order_of(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a == NULL) - (b == NULL);
	return strcmp(a, b);
}

static void compare_part(struct fsck *fsck, const struct part *wanted, const struct part *is)
{
	int order = order_of(name_of_part(wanted), name_of_part(is));
	const char *name = name_of_part(order <= 0 ? wanted : is);
	cleanup_free char *fault = NULL;

	if (order == 0 &&
	    strcmp(sql_column_text(wanted->stmt, 1), sql_column_text(is->stmt, 1)) == 0)
		return;
	fault = xasprintf("the schema was changed: %s %s", name,
	    order < 0   ? "is missing"
	    : order > 0 ? "is none of the vault's"
			: "is not as this program makes it");
	tell_fault(fsck, fault);
}

/* Both lists are in one order. */
static int compare_schemas(struct fsck *fsck, struct part *wanted, struct part *is, struct err *err)
{
	wanted->got = sql_step(wanted->stmt, err);
	is->got = wanted->got < 0 ? -1 : sql_step(is->stmt, err);
	while (wanted->got >= 0 && is->got >= 0 && wanted->got + is->got > 0) {
		int order = order_of(name_of_part(wanted), name_of_part(is));

		compare_part(fsck, wanted, is);
		if (order <= 0)
			wanted->got = sql_step(wanted->stmt, err);
		if (order >= 0 && wanted->got >= 0)
			is->got = sql_step(is->stmt, err);
	}
	return wanted->got < 0 || is->got < 0 ? -1 : 0;
}

/* What keeps versions and audit as they are is in the schema: triggers, and what is unique. */
static int check_schema(struct fsck *fsck, struct err *err)
{
	cleanup_sql struct sql *model = store_open_model(err);
	cleanup_stmt struct sql_stmt *wanted =
	    model == NULL ? NULL : sql_prepare(model, SQL_SCHEMA, err);
	cleanup_stmt struct sql_stmt *is =
	    wanted == NULL ? NULL : sql_prepare(fsck->vault->sql, SQL_SCHEMA, err);

	if (is == NULL)
		return -1;
	return compare_schemas(
	    fsck, &(struct part){ .stmt = wanted }, &(struct part){ .stmt = is }, err);
}

/* ---- all rows ---- */

static int count_rows(struct fsck *fsck, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;

	if (store_row(fsck->vault, SQL_COUNT, BINDS(B_TEXT(fsck->vault->org)), &stmt, err) < 0)
		return -1;
	fsck->report.entries = sql_column_int(stmt, 0);
	fsck->report.versions = sql_column_int(stmt, 1);
	return 0;
}

static int check_all_rows(struct fsck *fsck, struct err *err)
{
	if (count_rows(fsck, err) < 0 || check_schema(fsck, err) < 0 ||
	    check_pragma(fsck, SQL_INTEGRITY, "ok", "the database is damaged", err) < 0 ||
	    check_pragma(fsck, SQL_FOREIGN_KEYS, NULL, "rows refer to rows that are gone", err) <
		0 ||
	    check_rows(fsck, SQL_UNREACHABLE, "is in no folder that the root leads to", err) < 0 ||
	    check_rows(fsck, SQL_HEADLESS, "has no head version of its own", err) < 0)
		return -1;
	if (check_rows(fsck, SQL_GAPS, "has gaps in its versions", err) < 0)
		return -1;
	return check_rows(fsck, SQL_UNRECORDED, "has no record as a template or workspace", err);
}

/* ---- bytes ---- */

static int take_bytes(void *ctx, const void *data, size_t len, struct err *err)
{
	struct fsck *fsck = ctx;

	(void)data;
	(void)err;
	fsck->report.chunks++;
	fsck->report.bytes += (int64_t)len;
	tell_progress(fsck);
	return 0;
}

/* Damage is a fault and the next content is looked at; what keeps us from looking is an error. */
static int check_content(struct fsck *fsck, struct sql_stmt *stmt, struct err *err)
{
	cleanup_err struct err found = ERR_INIT;
	cleanup_free char *fault = NULL;
	char hash[DIGEST_TEXT_SIZE];
	struct digest digest = { 0 };

	fsck->report.contents++;
	if (store_digest(stmt, 1, &digest, err) < 0)
		return -1;
	if (content_read(fsck->vault, sql_column_int(stmt, 0), take_bytes, fsck, &found) == 0)
		return 0;
	if (found.code != ERR_CONTENT_CORRUPT) {
		err_move(err, &found);
		return -1;
	}
	digest_format(&digest, hash);
	fault = xasprintf("content %s: %s", hash, found.message);
	tell_fault(fsck, fault);
	return 0;
}

static int check_contents(struct fsck *fsck, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(fsck->vault, SQL_CONTENTS, BINDS(B_TEXT(fsck->vault->org)), err);
	int got = stmt == NULL ? -1 : 1;

	if (store_int(
		fsck->vault, SQL_SUM, BINDS(B_TEXT(fsck->vault->org)), &fsck->all_bytes, err) < 0)
		return -1;
	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		if (check_content(fsck, stmt, err) < 0)
			return -1;
	}
	return got;
}

int vault_fsck(struct vault *vault, vault_fault_fn on_fault, vault_progress_fn progress, void *ctx,
    struct vault_fsck *ret, struct err *err)
{
	struct op op = OP_READ("fsck", NULL);
	struct fsck fsck = {
		.vault = vault, .on_fault = on_fault, .progress = progress, .ctx = ctx
	};
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = must_manage_root(vault, err);
	if (result == 0)
		result = check_all_rows(&fsck, err);
	if (result == 0)
		result = check_contents(&fsck, err);
	op.detail = xasprintf("%lld faults", (long long)fsck.report.faults);
	result = op_end(vault, &op, result, err);
	if (result == 0)
		*ret = fsck.report;
	return result;
}
