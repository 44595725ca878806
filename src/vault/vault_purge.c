/* SPDX-License-Identifier: MIT */
/*
 * Purging: what is in the trash goes for ever, from the top down, for the store's triggers let go
 * only of what is in the trash or has lost its folder, and of versions that have lost their file.
 */
#include "vault/vault_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/strvec.h"

/* Breadth first: a folder stands before what it holds. */
static const char SQL_SUBTREE[] =
    "WITH RECURSIVE down (id, kind, depth) AS (SELECT id, kind, 0 FROM entry WHERE id = ?1"
    " UNION ALL SELECT entry.id, entry.kind, down.depth + 1"
    " FROM down JOIN entry ON entry.parent = down.id)"
    "SELECT id, kind FROM down ORDER BY depth";
static const char SQL_COUNT_VERSIONS[] = "SELECT count(*) FROM version WHERE file = ?1";
static const char SQL_DELETE_GRANTS[] = "DELETE FROM grant WHERE folder = ?1";
static const char SQL_DELETE_METADATA[] = "DELETE FROM metadata WHERE file = ?1";
static const char SQL_DELETE_TAGS[] = "DELETE FROM tag WHERE file = ?1";
static const char SQL_DELETE_ENTRY[] = "DELETE FROM entry WHERE id = ?1";
static const char SQL_DELETE_VERSIONS[] = "DELETE FROM version WHERE file = ?1";

static int collect(struct vault *vault, const char *top, struct strvec *ret_ids,
    struct vault_purged *counts, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(vault, SQL_SUBTREE, BINDS(B_TEXT(top)), err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		strvec_push(ret_ids, sql_column_text(stmt, 0));
		if (sql_column_int(stmt, 1) == VAULT_FILE)
			counts->files++;
		else
			counts->folders++;
	}
	return got;
}

static int delete_entry(
    struct vault *vault, const char *id, struct vault_purged *counts, struct err *err)
{
	static const char *const texts[] = { SQL_DELETE_GRANTS, SQL_DELETE_METADATA,
		SQL_DELETE_TAGS, SQL_DELETE_ENTRY, SQL_DELETE_VERSIONS };
	int64_t versions = 0;

	if (store_int(vault, SQL_COUNT_VERSIONS, BINDS(B_TEXT(id)), &versions, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (store_run(vault, texts[i], BINDS(B_TEXT(id)), err) < 0)
			return -1;
	}
	counts->versions += versions;
	if (template_retire(vault, id, err) < 0)
		return -1;
	return text_forget(vault, id, err);
}

static int purge(struct vault *vault, struct op *op, const char *ref, enum vault_want want,
    struct vault_purged *counts, struct err *err)
{
	cleanup_found struct found found = { 0 };
	cleanup_strvec struct strvec ids = STRVEC_INIT;
	cleanup_free char *path = NULL;

	if (resolve(vault, op, ref, want, FOUND_TRASH, VAULT_MANAGE, &found, err) < 0)
		return -1;
	if (vault->within[0] != '\0')
		return err_set(err, ERR_PERMISSION_DENIED, "nothing is purged from within a stage");
	path = path_from_root(vault, found.id, err);
	if (path == NULL || collect(vault, found.id, &ids, counts, err) < 0)
		return -1;
	op_set(&op->before, path);
	for (size_t i = 0; i < ids.len; i++) {
		if (delete_entry(vault, ids.items[i], counts, err) < 0)
			return -1;
	}
	op->detail = xasprintf("%" PRId64 " folders, %" PRId64 " files, %" PRId64 " versions",
	    counts->folders, counts->files, counts->versions);
	return 0;
}

int vault_purge(struct vault *vault, const char *ref, enum vault_want want,
    struct vault_purged *ret, struct err *err)
{
	struct op op = OP_WRITE(want == VAULT_WANT_FILE ? "file purge" : "folder purge", ref);
	struct vault_purged counts = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = purge(vault, &op, ref, want, &counts, err);
	result = op_end(vault, &op, result, err);
	if (result == 0)
		*ret = counts;
	return result;
}
