/* SPDX-License-Identifier: MIT */
/*
 * The frame of every verb: transaction, audit row, rollback. Here and not in the verbs, so that no
 * verb can forget its row or keep half of a change.
 */
#include "vault/vault_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* For the row of somebody who waited for a lock in vain. */
#define REFUSAL_PATIENCE_MS 100

void op_set(char **field, const char *text)
{
	free(*field);
	*field = xstrdup(text);
}

static void op_release(struct op *op)
{
	free(op->before);
	free(op->after);
	free(op->detail);
	op->before = op->after = op->detail = NULL;
}

int op_begin(struct vault *vault, struct op *op, struct err *err)
{
	if (vault->org[0] == '\0')
		return err_set(
		    err, ERR_UNAUTHENTICATED, "nobody is logged in; run: stile vault login");
	if (vault->is_batch_broken)
		return err_set(err, ERR_CONFLICT, "an earlier part of this change failed");
	if (!op->is_write || vault->batch.sql != NULL)
		return 0;
	neighbours_forget(vault);
	return sql_begin(vault->sql, &op->txn, err);
}

/* A row in a transaction of its own. */
static int record_alone(
    struct vault *vault, const struct op *op, const char *result, struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;

	if (sql_begin(vault->sql, &txn, err) < 0 || audit_append(vault, op, result, err) < 0)
		return -1;
	return sql_commit(&txn, err);
}

/* Durable before anything is handed out, as the rows of changes are: no answer leaves without its
 * record, not even when the power is cut right after. */
static int record_reading(struct vault *vault, const struct op *op, struct err *err)
{
	if (vault->batch.sql != NULL)
		return audit_append(vault, op, "OK", err);
	return record_alone(vault, op, "OK", err);
}

int op_note(struct vault *vault, struct op *op, struct err *err)
{
	assert(!op->is_write);
	if (op->is_recorded)
		return 0;
	if (record_reading(vault, op, err) < 0)
		return err_wrap(err, "record in the audit");
	op->is_recorded = true;
	return 0;
}

static int finish(struct vault *vault, struct op *op, struct err *err)
{
	if (!op->is_write)
		return op_note(vault, op, err);
	if (audit_append(vault, op, "OK", err) < 0)
		return err_wrap(err, "record in the audit");
	return op->txn.sql == NULL ? 0 : sql_commit(&op->txn, err);
}

/* The refusal's row. That it cannot be written changes nothing about the refusal. */
static void record_failure(struct vault *vault, const struct op *op, const struct err *err)
{
	cleanup_err struct err ignored = ERR_INIT;
	int patience_ms;

	if (vault->org[0] == '\0')
		return;
	if (err->code != ERR_UNAVAILABLE) {
		(void)!record_alone(vault, op, err_info(err->code)->wire, &ignored);
		return;
	}
	/* Most likely a lock was waited for in vain: not as long once more. */
	patience_ms = sql_set_patience(vault->sql, REFUSAL_PATIENCE_MS);
	(void)!record_alone(vault, op, err_info(err->code)->wire, &ignored);
	(void)sql_set_patience(vault->sql, patience_ms);
}

int op_end(struct vault *vault, struct op *op, int result, struct err *err)
{
	if (result == 0)
		result = finish(vault, op, err);
	if (result < 0) {
		bool was_broken = vault->is_batch_broken;

		sql_rollback(&op->txn);
		if (vault->batch.sql != NULL) {
			sql_rollback(&vault->batch);
			vault->is_batch_broken = true;
		}
		if (!was_broken)
			record_failure(vault, op, err);
	}
	op_release(op);
	return result;
}

/* ---- several verbs in one transaction ---- */

int vault_batch_begin(struct vault *vault, const char *name, struct err *err)
{
	assert(vault->batch.sql == NULL && !vault->is_batch_broken);
	if (pending_flush(vault, err) < 0)
		return -1;
	neighbours_forget(vault);
	vault->batch_name = name;
	return sql_begin(vault->sql, &vault->batch, err);
}

int vault_batch_commit(struct vault *vault, struct err *err)
{
	if (vault->is_batch_broken)
		return err_set(err, ERR_CONFLICT, "a part of this change failed; nothing was kept");
	assert(vault->batch.sql != NULL);
	return sql_commit(&vault->batch, err);
}

void vault_batch_rollback(struct vault *vault)
{
	sql_rollback(&vault->batch);
	vault->is_batch_broken = false;
}
