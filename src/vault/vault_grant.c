/* SPDX-License-Identifier: MIT */
/* Grants: who may do what from which folder downwards. A grant below raises, never lowers. */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static const char SQL_PUT[] =
    "INSERT INTO grant VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (folder, principal)"
    " DO UPDATE SET rank = excluded.rank, granted_by = excluded.granted_by,"
    " granted_us = excluded.granted_us";
static const char SQL_GET[] = "SELECT rank FROM grant WHERE folder = ?1 AND principal = ?2";
static const char SQL_REMOVE[] = "DELETE FROM grant WHERE folder = ?1 AND principal = ?2";

#define GRANT_COLUMNS                                                                              \
	" grant.folder, grant.principal, principal.name, principal.kind, grant.rank,"              \
	" grant.granted_by, grant.granted_us"
static const char SQL_ON[] =
    "SELECT" GRANT_COLUMNS " FROM grant JOIN principal ON principal.id = grant.principal"
    " WHERE grant.folder = ?1 AND principal.org = ?2 AND (?3 IS NULL OR principal.id = ?3)"
    " ORDER BY principal.name";
/* Of each principal the highest; of equal ones the nearest. */
static const char SQL_EFFECTIVE[] =
    "WITH RECURSIVE up (id, parent, depth) AS ("
    " SELECT id, parent, 0 FROM entry WHERE id = ?1 AND org = ?2"
    " UNION ALL SELECT entry.id, entry.parent, up.depth + 1"
    " FROM up JOIN entry ON entry.id = up.parent),"
    " ranked AS (SELECT" GRANT_COLUMNS ", row_number() OVER (PARTITION BY grant.principal"
    "  ORDER BY grant.rank DESC, up.depth) AS place"
    " FROM up JOIN grant ON grant.folder = up.id"
    " JOIN principal ON principal.id = grant.principal AND principal.org = ?2"
    " WHERE ?3 IS NULL OR principal.id = ?3)"
    "SELECT folder, principal, name, kind, rank, granted_by, granted_us FROM ranked"
    " WHERE place = 1 ORDER BY name";
static const char SQL_MINE[] =
    "SELECT" GRANT_COLUMNS " FROM grant JOIN principal ON principal.id = grant.principal"
    " WHERE grant.principal = ?1 AND principal.org = ?2";

/* ---- changing ---- */

int grant_put(struct vault *vault, const char *folder, const char *principal, enum vault_rank rank,
    struct err *err)
{
	return store_run(vault, SQL_PUT,
	    BINDS(B_TEXT(folder), B_TEXT(principal), B_INT(rank), B_TEXT(vault->principal),
		B_INT(clock_wall_us())),
	    err);
}

/* Somebody must be able to manage the root, or nobody could grant anything again. */
static int keep_a_manager(struct vault *vault, const char *folder, const char *principal,
    enum vault_rank rank, struct err *err)
{
	if (strcmp(folder, vault->root) != 0 || rank == VAULT_MANAGE)
		return 0;
	return token_check_ways(vault, NULL, principal,
	    "nobody else who can manage the root has a valid token; grant that to another first, "
	    "and issue a token",
	    err);
}

static void note_change(
    struct op *op, const struct vault_principal *principal, int64_t before, enum vault_rank after)
{
	op_set(&op->detail, principal->id);
	op_set(&op->before, vault_rank_name((enum vault_rank)before));
	op_set(&op->after, vault_rank_name(after));
}

/* Of principal on folder itself; VAULT_NONE removes. */
static int change(struct vault *vault, struct op *op, const char *ref, const char *who,
    enum vault_rank rank, struct err *err)
{
	cleanup_found struct found folder = { 0 };
	struct vault_principal principal = { 0 };
	int64_t before = 0;
	int result;

	if (resolve(vault, op, ref, VAULT_WANT_FOLDER, FOUND_LIVING, VAULT_MANAGE, &folder, err) <
		0 ||
	    principal_find(vault, who, &principal, err) < 0)
		return -1;
	result =
	    store_int(vault, SQL_GET, BINDS(B_TEXT(folder.id), B_TEXT(principal.id)), &before, err);
	note_change(op, &principal, before, rank);
	if (result == 0)
		result = keep_a_manager(vault, folder.id, principal.id, rank, err);
	if (result == 0 && rank != VAULT_NONE)
		result = grant_put(vault, folder.id, principal.id, rank, err);
	else if (result == 0 && before == 0)
		result = err_set(err, ERR_NOT_FOUND,
		    "%s has no grant on this folder itself; list with the inherited ones to see"
		    " where it comes from",
		    principal.name);
	else if (result == 0)
		result = store_run(
		    vault, SQL_REMOVE, BINDS(B_TEXT(folder.id), B_TEXT(principal.id)), err);
	vault_principal_release(&principal);
	return result;
}

int vault_grant_set(struct vault *vault, const char *folder, const char *principal,
    enum vault_rank rank, struct err *err)
{
	struct op op = OP_WRITE("grant set", folder);
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = change(vault, &op, folder, principal, rank, err);
	return op_end(vault, &op, result, err);
}

int vault_grant_remove(
    struct vault *vault, const char *folder, const char *principal, struct err *err)
{
	struct op op = OP_WRITE("grant remove", folder);
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = change(vault, &op, folder, principal, VAULT_NONE, err);
	return op_end(vault, &op, result, err);
}

/* ---- listing ---- */

static void grant_release(struct vault_grant *grant)
{
	free(grant->folder);
	free(grant->path);
	free(grant->principal);
	free(grant->principal_name);
	free(grant->granted_by);
}

/* 1: to be told; 0: on what does not live or is outside the limit. */
static int read_grant(
    struct vault *vault, struct sql_stmt *stmt, struct vault_grant *ret, struct err *err)
{
	cleanup_found struct found found = { 0 };
	struct op ignored = OP_READ("grant list", NULL);
	cleanup_err struct err none = ERR_INIT;

	*ret = (struct vault_grant){
		.folder = store_text(stmt, 0),
		.principal = store_text(stmt, 1),
		.principal_name = store_text(stmt, 2),
		.principal_kind = (enum vault_principal_kind)sql_column_int(stmt, 3),
		.rank = (enum vault_rank)sql_column_int(stmt, 4),
		.granted_by = store_text(stmt, 5),
		.granted_us = sql_column_int(stmt, 6),
	};
	if (resolve(vault, &ignored, ret->folder, VAULT_WANT_FOLDER, FOUND_LIVING, VAULT_NONE,
		&found, &none) < 0 &&
	    none.code == ERR_NOT_FOUND) {
		/* Inherited from a folder that the caller cannot read: the grant is told, not the
		 * name of the folder. */
		ret->path = NULL;
		return 1;
	}
	if (err_is_set(&none)) {
		err_move(err, &none);
		return -1;
	}
	ret->path = path_of(vault, ret->folder, err);
	return ret->path == NULL ? -1 : 1;
}

static int tell(struct vault *vault, struct sql_stmt *stmt, bool needs_path, vault_grant_fn fn,
    void *ctx, struct err *err)
{
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		struct vault_grant grant;

		got = read_grant(vault, stmt, &grant, err);
		if (got == 1 && (grant.path != NULL || !needs_path) && fn(ctx, &grant, err) < 0)
			got = -1;
		grant_release(&grant);
	}
	return got;
}

static int list(struct vault *vault, struct op *op, const char *ref, bool is_effective,
    vault_grant_fn fn, void *ctx, struct err *err)
{
	cleanup_found struct found folder = { 0 };
	cleanup_stmt struct sql_stmt *stmt = NULL;
	const char *only;

	if (resolve(vault, op, ref, VAULT_WANT_FOLDER, FOUND_LIVING, VAULT_READ, &folder, err) <
		0 ||
	    op_note(vault, op, err) < 0)
		return -1;
	only = folder.rank == VAULT_MANAGE ? NULL : vault->principal;
	stmt = store_query(vault, is_effective ? SQL_EFFECTIVE : SQL_ON,
	    BINDS(B_TEXT(folder.id), B_TEXT(vault->org), B_TEXT(only)), err);
	return tell(vault, stmt, false, fn, ctx, err);
}

int vault_grant_each(struct vault *vault, const char *folder, bool is_effective, vault_grant_fn fn,
    void *ctx, struct err *err)
{
	struct op op = OP_READ("grant list", folder);
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = list(vault, &op, folder, is_effective, fn, ctx, err);
	return op_end(vault, &op, result, err);
}

static int list_mine(
    struct vault *vault, struct op *op, vault_grant_fn fn, void *ctx, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = NULL;

	if (op_note(vault, op, err) < 0)
		return -1;
	stmt =
	    store_query(vault, SQL_MINE, BINDS(B_TEXT(vault->principal), B_TEXT(vault->org)), err);
	return tell(vault, stmt, true, fn, ctx, err);
}

int vault_grant_mine(struct vault *vault, vault_grant_fn fn, void *ctx, struct err *err)
{
	struct op op = OP_READ("grant list", NULL);
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = list_mine(vault, &op, fn, ctx, err);
	return op_end(vault, &op, result, err);
}
