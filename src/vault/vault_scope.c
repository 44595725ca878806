/* SPDX-License-Identifier: MIT */
/*
 * What a caller may do in a stage: its rank there, and the bytes of the contract. A server asks again
 * and again, so nothing is written here when the answer is to be recorded: an answer that is the old
 * one leaves no trace in the file, not even in its -wal.
 */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

static const char SQL_STAGE[] = "SELECT id, name FROM entry WHERE parent = " STAGES_FOLDER
				" AND trashed_us = 0 AND kind <> 1 AND (id = ?2 OR name = ?2)"
				" AND name GLOB '[0-9][0-9]*' ORDER BY id = ?2 DESC LIMIT 1";

static const char SQL_BEGIN_READING[] = "BEGIN";

void vault_scope_release(struct vault_scope *scope)
{
	free(scope->workspace);
	free(scope->workspace_name);
	free(scope->workspace_path);
	free(scope->stage);
	free(scope->stage_name);
	free(scope->contract);
	free(scope->contract_version);
	free(scope->reason);
	buf_release(&scope->text);
	*scope = VAULT_SCOPE_INIT;
}

static int find_workspace(struct vault *vault, struct op *op, const struct vault_scope_ask *ask,
    struct vault_scope *scope, struct err *err)
{
	cleanup_found struct found found = { 0 };

	if (workspace_resolve(vault, op, ask->workspace, &found, err) < 0)
		return -1;
	scope->workspace_path = path_of(vault, found.id, err);
	if (scope->workspace_path == NULL)
		return -1;
	scope->workspace = xstrdup(found.id);
	scope->workspace_name = steal_ptr(&found.name);
	scope->rank = found.rank;
	return 0;
}

/* A grant on the stage may raise the rank. */
static int find_stage(
    struct vault *vault, const char *asked, struct vault_scope *scope, struct err *err)
{
	cleanup_free char *name = name_normalise(asked, strlen(asked), err);
	cleanup_reset struct sql_stmt *stmt = NULL;
	struct standing standing = { 0 };
	int got;

	if (name == NULL)
		return err_wrap(err, "stage");
	got =
	    store_row(vault, SQL_STAGE, BINDS(B_TEXT(scope->workspace), B_TEXT(name)), &stmt, err);
	if (got == 0)
		return not_found(asked, err);
	if (got < 0)
		return -1;
	scope->stage = store_text(stmt, 0);
	scope->stage_name = store_text(stmt, 1);
	if (standing_of(vault, scope->stage, vault->principal, &standing, err) < 0)
		return -1;
	scope->rank = standing.rank;
	return 0;
}

static int take_text(void *ctx, const void *data, size_t len, struct err *err)
{
	(void)err;
	buf_add(ctx, data, len);
	return 0;
}

/* The contract's text, unless it is too large to be one. */
static int read_text(struct vault *vault, const struct vault_scope_ask *ask,
    struct vault_scope *scope, struct err *err)
{
	struct vault_version version = { 0 };
	int64_t content = 0;
	int result = version_load(vault, scope->contract_version, &version, err);

	scope->contract_number = version.number;
	if (result == 0 && version.size > ask->max_size) {
		scope->reason =
		    xasprintf("the file is larger than %lld bytes", (long long)ask->max_size);
	} else if (result == 0) {
		result = version_content(vault, version.id, &content, err);
		if (result == 0)
			result = content_read(vault, content, take_text, &scope->text, err);
	}
	vault_version_release(&version);
	return result;
}

static int find_contract(struct vault *vault, const struct vault_scope_ask *ask,
    struct vault_scope *scope, struct err *err)
{
	char id[ID_TEXT_SIZE];
	cleanup_found struct found found = { 0 };
	struct op within = OP_READ("scope", scope->stage);
	int got = child_of(vault, scope->stage, contract_name, id, err);

	if (got < 0)
		return -1;
	if (got == 1 &&
	    resolve(vault, &within, id, VAULT_WANT_ANY, FOUND_LIVING, VAULT_READ, &found, err) < 0)
		return -1;
	if (got == 0 || found.kind != VAULT_FILE) {
		scope->reason = xasprintf("the stage has no %s", contract_name);
		return 0;
	}
	scope->contract = xstrdup(found.id);
	scope->contract_version = xstrdup(found.head);
	return read_text(vault, ask, scope, err);
}

static int look(struct vault *vault, struct op *op, const struct vault_scope_ask *ask,
    struct vault_scope *scope, struct err *err)
{
	if (find_workspace(vault, op, ask, scope, err) < 0)
		return -1;
	if (ask->stage == NULL) {
		scope->reason = xstrdup("a workspace has no contract: name one of its stages");
		return 0;
	}
	if (find_stage(vault, ask->stage, scope, err) < 0)
		return -1;
	return find_contract(vault, ask, scope, err);
}

/* What may not be seen, said as an answer: one that shows nothing but the words that were asked. */
static int answer_refusal(struct vault_scope *scope, struct err *err)
{
	if (err->code != ERR_NOT_FOUND && err->code != ERR_INVALID_ARGUMENT)
		return -1;
	vault_scope_release(scope);
	scope->reason = steal_ptr(&err->message);
	err_release(err);
	return 0;
}

/* Of one moment: rank and contract belong together. */
static int look_quietly(struct vault *vault, struct op *op, const struct vault_scope_ask *ask,
    struct vault_scope *scope, struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;

	if (vault->org[0] == '\0')
		return op_begin(vault, op, err); /* says that nobody is logged in */
	if (!sql_is_in_txn(vault->sql)) {
		if (sql_exec(vault->sql, SQL_BEGIN_READING, err) < 0)
			return -1;
		txn.sql = vault->sql;
	}
	return look(vault, op, ask, scope, err) == 0 ? 0 : answer_refusal(scope, err);
}

int vault_scope(struct vault *vault, const struct vault_scope_ask *ask, struct vault_scope *ret,
    struct err *err)
{
	struct op op = OP_READ("scope", ask->workspace);
	struct vault_scope scope = VAULT_SCOPE_INIT;
	int result;

	if (ask->is_recorded) {
		result = look_quietly(vault, &op, ask, &scope, err);
	} else {
		result = op_begin(vault, &op, err);
		if (result == 0)
			result = look(vault, &op, ask, &scope, err);
		op_set(&op.after, scope.contract_version);
		op_set(&op.detail, scope.stage);
		result = op_end(vault, &op, result, err);
	}
	if (result == 0)
		*ret = scope;
	else
		vault_scope_release(&scope);
	return result;
}
