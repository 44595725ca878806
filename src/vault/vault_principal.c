/* SPDX-License-Identifier: MIT */
/* Organizations and who acts in them. */
#include "vault/vault_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static const char SQL_COUNT_ORGS[] = "SELECT count(*) FROM organization";
static const char SQL_FIND_ORG[] = "SELECT 1 FROM organization WHERE name = ?1";
static const char SQL_ADD_ORG[] = "INSERT INTO organization VALUES (?1, ?2, ?3, ?4)";
static const char SQL_ADD_ROOT[] =
    "INSERT INTO entry (id, org, parent, name, kind, created_by, created_us)"
    " VALUES (?1, ?2, NULL, '', 0, ?3, ?4)";
static const char SQL_ADD[] =
    "INSERT INTO principal (id, org, name, kind, created_us) VALUES (?1, ?2, ?3, ?4, ?5)";
static const char SQL_FIND[] =
    "SELECT id, name, kind, created_us, disabled_us FROM principal"
    " WHERE org = ?1 AND (id = ?2 OR name = ?2) ORDER BY id = ?2 DESC LIMIT 1";
static const char SQL_EACH[] = "SELECT id, name, kind, created_us, disabled_us FROM principal"
			       " WHERE org = ?1 ORDER BY name";
static const char SQL_DISABLE[] =
    "UPDATE principal SET disabled_us = ?3 WHERE id = ?1 AND org = ?2 AND disabled_us = 0";
static const char SQL_WHOAMI[] =
    "SELECT organization.id, organization.name, principal.id, principal.name, principal.kind,"
    " token.id, token.expires_us FROM principal"
    " JOIN organization ON organization.id = principal.org"
    " LEFT JOIN token ON token.id = ?2 WHERE principal.id = ?1";

void vault_principal_release(struct vault_principal *principal)
{
	free(principal->id);
	free(principal->name);
	*principal = (struct vault_principal){ 0 };
}

void vault_whoami_release(struct vault_whoami *whoami)
{
	free(whoami->org);
	free(whoami->org_name);
	free(whoami->principal);
	free(whoami->name);
	free(whoami->token);
	*whoami = (struct vault_whoami){ 0 };
}

/* ---- the organization ---- */

static int add_principal(struct vault *vault, const char *org, const char *name,
    enum vault_principal_kind kind, char ret_id[ID_TEXT_SIZE], struct err *err)
{
	id_new_sortable("prn_", ret_id);
	return store_run(vault, SQL_ADD,
	    BINDS(B_TEXT(ret_id), B_TEXT(org), B_TEXT(name), B_INT(kind), B_INT(clock_wall_us())),
	    err);
}

/* Organization, owner, root, in the order in which they refer to each other. */
static int add_org(struct vault *vault, const char *name, const char *owner, struct err *err)
{
	int64_t now = clock_wall_us();

	id_new_sortable("org_", vault->org);
	id_new_sortable("fol_", vault->root);
	if (store_run(vault, SQL_ADD_ORG,
		BINDS(B_TEXT(vault->org), B_TEXT(name), B_TEXT(vault->root), B_INT(now)), err) < 0)
		return -1;
	if (add_principal(vault, vault->org, owner, VAULT_PERSON, vault->principal, err) < 0)
		return -1;
	return store_run(vault, SQL_ADD_ROOT,
	    BINDS(B_TEXT(vault->root), B_TEXT(vault->org), B_TEXT(vault->principal), B_INT(now)),
	    err);
}

static int init_in_txn(struct vault *vault, const char *org, const char *owner,
    struct vault_token_text *ret_token, struct err *err)
{
	struct op op = OP_WRITE("init", org);
	struct vault_token token = { 0 };
	int64_t is_taken = 0;

	if (store_int(vault, SQL_FIND_ORG, BINDS(B_TEXT(org)), &is_taken, err) < 0)
		return -1;
	if (is_taken)
		return err_set(err, ERR_ALREADY_EXISTS,
		    "this vault has an organization %s already; run stile vault login, or name "
		    "another: "
		    "--org NAME",
		    org);
	if (add_org(vault, org, owner, err) < 0 ||
	    grant_put(vault, vault->root, vault->principal, VAULT_MANAGE, err) < 0 ||
	    token_insert(vault, vault->principal, 0, &token, ret_token, err) < 0)
		return -1;
	memcpy(vault->token, token.id, strlen(token.id) + 1);
	vault_token_release(&token);
	return audit_append(vault, &op, "OK", err);
}

static void unbind(struct vault *vault)
{
	vault->org[0] = vault->root[0] = vault->principal[0] = vault->token[0] = '\0';
}

/* Before there is anything in it, a new file is told to let go of pages that get free (vault_gc). */
static int prepare_file(struct vault *vault, struct err *err)
{
	int64_t orgs = 0;

	if (sql_query_int(vault->sql, SQL_COUNT_ORGS, &orgs, err) < 0)
		return -1;
	return orgs == 0 ? sql_exec(vault->sql, "PRAGMA auto_vacuum = INCREMENTAL; VACUUM", err)
			 : 0;
}

int vault_init(struct vault *vault, const char *org, const char *owner,
    struct vault_token_text *ret_token, struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;
	cleanup_free char *org_name = name_normalise(org, strlen(org), err);
	cleanup_free char *owner_name = NULL;

	if (org_name == NULL)
		return err_wrap(err, "organization");
	owner_name = name_normalise(owner, strlen(owner), err);
	if (owner_name == NULL)
		return err_wrap(err, "owner");
	unbind(vault);
	if (prepare_file(vault, err) < 0 || sql_begin(vault->sql, &txn, err) < 0 ||
	    init_in_txn(vault, org_name, owner_name, ret_token, err) < 0 ||
	    sql_commit(&txn, err) < 0) {
		unbind(vault);
		vault_token_text_wipe(ret_token);
		return -1;
	}
	return 0;
}

static int read_whoami(struct vault *vault, struct vault_whoami *ret, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	struct standing standing = { 0 };

	if (standing_of(vault, vault->root, vault->principal, &standing, err) < 0 ||
	    store_row(vault, SQL_WHOAMI, BINDS(B_TEXT(vault->principal), B_TEXT(vault->token)),
		&stmt, err) < 0)
		return -1;
	*ret = (struct vault_whoami){
		.org = store_text(stmt, 0),
		.org_name = store_text(stmt, 1),
		.principal = store_text(stmt, 2),
		.name = store_text(stmt, 3),
		.kind = (enum vault_principal_kind)sql_column_int(stmt, 4),
		.token = store_text(stmt, 5),
		.expires_us = sql_column_int(stmt, 6),
		.root_rank = standing.rank,
	};
	return 0;
}

int vault_whoami(struct vault *vault, struct vault_whoami *ret, struct err *err)
{
	struct op op = OP_READ("whoami", NULL);
	struct vault_whoami whoami = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = read_whoami(vault, &whoami, err);
	result = op_end(vault, &op, result, err);
	if (result == 0)
		*ret = whoami;
	else
		vault_whoami_release(&whoami);
	return result;
}

/* ---- principals ---- */

static void read_principal(struct sql_stmt *stmt, struct vault_principal *ret)
{
	*ret = (struct vault_principal){
		.id = store_text(stmt, 0),
		.name = store_text(stmt, 1),
		.kind = (enum vault_principal_kind)sql_column_int(stmt, 2),
		.created_us = sql_column_int(stmt, 3),
		.disabled_us = sql_column_int(stmt, 4),
	};
}

int principal_find(
    struct vault *vault, const char *ref, struct vault_principal *ret, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	cleanup_free char *name = name_normalise(ref, strlen(ref), err);
	int got;

	if (name == NULL)
		return err_wrap(err, "principal");
	got = store_row(vault, SQL_FIND, BINDS(B_TEXT(vault->org), B_TEXT(name)), &stmt, err);
	if (got < 0)
		return -1;
	if (got == 0)
		return err_set(err, ERR_NOT_FOUND, "there is no principal %s", name);
	read_principal(stmt, ret);
	return 0;
}

/* Ends a verb that gives a principal. */
static int end_with(struct vault *vault, struct op *op, int result,
    struct vault_principal *principal, struct vault_principal *ret, struct err *err)
{
	op_set(&op->after, principal->id);
	result = op_end(vault, op, result, err);
	if (result == 0)
		*ret = *principal;
	else
		vault_principal_release(principal);
	return result;
}

static int do_add(struct vault *vault, const char *given, enum vault_principal_kind kind,
    struct vault_principal *ret, struct err *err)
{
	cleanup_free char *name = name_normalise(given, strlen(given), err);
	cleanup_err struct err none = ERR_INIT;
	struct vault_principal other = { 0 };
	char id[ID_TEXT_SIZE];

	if (name == NULL || must_manage_root(vault, err) < 0)
		return -1;
	if (strncmp(name, "prn_", 4) == 0)
		return err_set(
		    err, ERR_INVALID_ARGUMENT, "a principal's name does not begin as an id does");
	if (principal_find(vault, name, &other, &none) == 0) {
		vault_principal_release(&other);
		return err_set(err, ERR_ALREADY_EXISTS, "there is a principal %s already", name);
	}
	if (none.code != ERR_NOT_FOUND) {
		err_move(err, &none);
		return -1;
	}
	if (add_principal(vault, vault->org, name, kind, id, err) < 0)
		return -1;
	return principal_find(vault, id, ret, err);
}

int vault_principal_add(struct vault *vault, const char *name, enum vault_principal_kind kind,
    struct vault_principal *ret, struct err *err)
{
	struct op op = OP_WRITE("principal add", name);
	struct vault_principal principal = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = do_add(vault, name, kind, &principal, err);
	return end_with(vault, &op, result, &principal, ret, err);
}

static int each(struct vault *vault, vault_principal_fn fn, void *ctx, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(vault, SQL_EACH, BINDS(B_TEXT(vault->org)), err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		struct vault_principal principal;

		read_principal(stmt, &principal);
		if (fn(ctx, &principal, err) < 0)
			got = -1;
		vault_principal_release(&principal);
	}
	return got;
}

int vault_principal_each(struct vault *vault, vault_principal_fn fn, void *ctx, struct err *err)
{
	struct op op = OP_READ("principal list", NULL);
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = must_manage_root(vault, err);
	if (result == 0)
		result = op_note(vault, &op, err);
	if (result == 0)
		result = each(vault, fn, ctx, err);
	return op_end(vault, &op, result, err);
}

static int do_disable(
    struct vault *vault, const char *ref, struct vault_principal *ret, struct err *err)
{
	if (must_manage_root(vault, err) < 0 || principal_find(vault, ref, ret, err) < 0)
		return -1;
	assert(ret->id != NULL); /* a primary key */
	if (strcmp(ret->id, vault->principal) == 0)
		return err_set(err, ERR_CONFLICT, "nobody disables itself");
	if (ret->disabled_us != 0)
		return 0;
	ret->disabled_us = clock_wall_us();
	return store_run(vault, SQL_DISABLE,
	    BINDS(B_TEXT(ret->id), B_TEXT(vault->org), B_INT(ret->disabled_us)), err);
}

int vault_principal_disable(
    struct vault *vault, const char *ref, struct vault_principal *ret, struct err *err)
{
	struct op op = OP_WRITE("principal disable", ref);
	struct vault_principal principal = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = do_disable(vault, ref, &principal, err);
	return end_with(vault, &op, result, &principal, ret, err);
}
