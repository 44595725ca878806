/* SPDX-License-Identifier: MIT */
/*
 * Many files as one operation: their bytes, their metadata and tags. For local copies of folders,
 * where a verb and a row a file would cost more than the files do.
 */
#include "vault/vault_internal.h"

#include <string.h>

#define VIEW_FILES 64
#define VIEW_FILE_MAX ((int64_t)256 * 1024)

static const char SQL_BEGIN[] = "BEGIN";
static const char SQL_END[] = "COMMIT";
static const char SQL_PICK[] = "SELECT version.content, entry.parent, content.size FROM version"
			       " JOIN entry ON entry.id = version.file"
			       " JOIN content ON content.id = version.content"
			       " WHERE version.id = ?1 AND version.file = ?2 AND entry.org = ?3"
			       " AND entry.trashed_us = 0";
static const char SQL_IS_BELOW[] =
    "WITH RECURSIVE up (id) AS (SELECT ?1 UNION ALL"
    " SELECT entry.parent FROM up JOIN entry ON entry.id = up.id WHERE entry.parent IS NOT NULL)"
    "SELECT count(*) FROM up WHERE id = ?2";
static const char SQL_NOTES[] =
    "WITH RECURSIVE down (id) AS (SELECT ?1 UNION ALL"
    " SELECT entry.id FROM down JOIN entry ON entry.parent = down.id WHERE entry.trashed_us = 0) "
    "SELECT metadata.file, metadata.key, metadata.value FROM down"
    " JOIN metadata ON metadata.file = down.id"
    " UNION ALL SELECT tag.file, tag.name, NULL FROM down JOIN tag ON tag.file = down.id"
    " ORDER BY 1, 2";

/* ---- bytes ---- */

struct bulk {
	struct vault *vault;
	const struct found *folder;
	char parent
	    [ID_TEXT_SIZE]; /* of the last pick: what holds for one file of a folder holds for all */
	size_t index;
	int view; /* files that the present view was used for; 0: there is none */
	vault_pick_fn fn;
	void *ctx;
};

/*
 * One view of the store for several small files, for each statement of its own takes locks that cost
 * as much as it does. Not for long: while it stands the log cannot be worked off.
 */
static int begin_view(struct bulk *bulk, struct err *err)
{
	if (bulk->view++ > 0 || sql_is_in_txn(bulk->vault->sql))
		return 0;
	return store_run(bulk->vault, SQL_BEGIN, NULL, 0, err);
}

static int end_view(struct bulk *bulk, struct err *err)
{
	if (bulk->view == 0 || bulk->vault->batch.sql != NULL)
		return 0;
	bulk->view = 0;
	return store_run(bulk->vault, SQL_END, NULL, 0, err);
}

static int no_pick(const struct vault_pick *pick, struct err *err)
{
	return err_set(err, ERR_NOT_FOUND,
	    "version %.60s: there is none such here (any more), or you may not read it",
	    pick->version);
}

/* May the caller read the files of this folder, and are they below the one that was named? */
static int check_folder(struct bulk *bulk, const struct vault_pick *pick,
    const char parent[ID_TEXT_SIZE], struct err *err)
{
	struct standing standing = { 0 };
	int64_t is_below = 0;

	if (strcmp(bulk->parent, parent) == 0)
		return 0;
	if (standing_of(bulk->vault, pick->file, bulk->vault->principal, &standing, err) < 0 ||
	    store_int(bulk->vault, SQL_IS_BELOW, BINDS(B_TEXT(parent), B_TEXT(bulk->folder->id)),
		&is_below, err) < 0)
		return -1;
	if (!standing.is_there || !standing.is_above_living || standing.rank < VAULT_READ ||
	    !is_below)
		return no_pick(pick, err);
	memcpy(bulk->parent, parent, ID_TEXT_SIZE);
	return 0;
}

/* The content of a pick that may be handed out, and its size. */
static int find_pick(struct bulk *bulk, const struct vault_pick *pick, int64_t *ret_content,
    int64_t *ret_size, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	char parent[ID_TEXT_SIZE];
	int got = store_row(bulk->vault, SQL_PICK,
	    BINDS(B_TEXT(pick->version), B_TEXT(pick->file), B_TEXT(bulk->vault->org)), &stmt, err);

	if (got == 0)
		return no_pick(pick, err);
	if (got < 0 || store_id(stmt, 1, parent, err) < 0)
		return -1;
	*ret_content = sql_column_int(stmt, 0);
	*ret_size = sql_column_int(stmt, 2);
	return check_folder(bulk, pick, parent, err);
}

static int hand_on(void *ctx, const void *data, size_t len, struct err *err)
{
	const struct bulk *bulk = ctx;

	return len == 0 ? 0 : bulk->fn(bulk->ctx, bulk->index, data, len, err);
}

static int hand_out(struct bulk *bulk, const struct vault_pick *pick, struct err *err)
{
	int64_t content = 0;
	int64_t size = 0;

	if (begin_view(bulk, err) < 0 || find_pick(bulk, pick, &content, &size, err) < 0)
		return -1;
	if ((size > VIEW_FILE_MAX || bulk->view >= VIEW_FILES) && end_view(bulk, err) < 0)
		return -1;
	if (content_read(bulk->vault, content, hand_on, bulk, err) < 0)
		return -1;
	return bulk->fn(bulk->ctx, bulk->index, NULL, 0, err);
}

static int hand_out_all(
    struct bulk *bulk, const struct vault_pick *picks, size_t len, struct err *err)
{
	cleanup_err struct err ignored = ERR_INIT;
	int result = 0;

	for (bulk->index = 0; result == 0 && bulk->index < len; bulk->index++)
		result = hand_out(bulk, &picks[bulk->index], err);
	return end_view(bulk, result == 0 ? err : &ignored) < 0 ? -1 : result;
}

static void note_count(struct op *op, size_t len)
{
	cleanup_free char *text = xasprintf("%zu versions", len);

	op_set(&op->detail, text);
}

int vault_version_get_many(struct vault *vault, const char *operation, const char *folder,
    const struct vault_pick *picks, size_t len, vault_pick_fn fn, void *ctx, struct err *err)
{
	struct op op = OP_READ(operation, folder);
	cleanup_found struct found found = { 0 };
	struct bulk bulk = { .vault = vault, .folder = &found, .fn = fn, .ctx = ctx };
	int result;

	note_count(&op, len);
	result = op_begin_reading(vault, &op, VAULT_WANT_FOLDER, &found, err);
	if (result == 0)
		result = store_hold_content(vault, err);
	if (result == 0) {
		result = hand_out_all(&bulk, picks, len, err);
		store_let_content(vault);
	}
	return op_end(vault, &op, result, err);
}

/* ---- metadata and tags ---- */

static int each_note(
    struct vault *vault, const char *folder, vault_note_fn fn, void *ctx, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(vault, SQL_NOTES, BINDS(B_TEXT(folder)), err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		if (fn(ctx, sql_column_text(stmt, 0), sql_column_text(stmt, 1),
			sql_column_text(stmt, 2), err) < 0)
			got = -1;
	}
	return got;
}

int vault_note_each(
    struct vault *vault, const char *folder, vault_note_fn fn, void *ctx, struct err *err)
{
	struct op op = OP_READ("note list", folder);
	cleanup_found struct found found = { 0 };
	int result = op_begin_reading(vault, &op, VAULT_WANT_FOLDER, &found, err);

	if (result == 0)
		result = each_note(vault, found.id, fn, ctx, err);
	return op_end(vault, &op, result, err);
}
