/* SPDX-License-Identifier: MIT */
/* Operations in the store: read, listed, and ended by whoever finds that their process is gone. */
#include "ledger/ledger.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ledger/ledger_internal.h"
#include "os/os.h"

#define COLUMNS                                                                                    \
	"id, kind, surface, tool, target, plan_id, plan_hash, decision_id, approval_id,"           \
	" actor_type, actor_id, actor_authenticated, actor_provenance, owner_pid, status,"         \
	" internal_status, created_us, started_us, updated_us, finished_us, progress,"             \
	" progress_us, deployment_id, result, error_code, error_message, error_details,"           \
	" error_exit, error_retryable, intent"

static const char SQL_LOAD[] = "SELECT " COLUMNS " FROM operation WHERE id = ?1";
static const char SQL_OF_PLAN[] = "SELECT " COLUMNS " FROM operation WHERE plan_id = ?1";
static const char SQL_OF_DEPLOYMENT[] = "SELECT " COLUMNS " FROM operation WHERE deployment_id = ?1"
					" ORDER BY created_us DESC, rowid DESC LIMIT 1";
static const char SQL_LIST[] = "SELECT " COLUMNS " FROM operation WHERE ?1 IS NULL OR surface = ?1"
			       " ORDER BY created_us DESC, rowid DESC";

static const char SQL_UNDER_WAY[] = "SELECT id, owner_pid, owner_start, owner_boot FROM operation"
				    " WHERE status IN ('pending', 'running')";

static const char SQL_INTERRUPT[] =
    "UPDATE operation SET status = 'failed', internal_status = 'interrupted', updated_us = ?2,"
    " finished_us = ?2, error_code = ?3, error_message = ?4, error_exit = ?5"
    " WHERE id = ?1 AND status IN ('pending', 'running')";
static const char SQL_INTERRUPT_PLAN[] =
    "UPDATE plan SET status = 'indeterminate' WHERE operation_id = ?1 AND status = 'applying'";

static const char INTERRUPTED[] =
    "the process that ran it is gone: what it did is not known, and nothing was run again; look "
    "at the target, then make a new plan";

static const char *const status_names[OPERATION_STATUS_COUNT] = {
	[OPERATION_PENDING] = "pending",
	[OPERATION_RUNNING] = "running",
	[OPERATION_SUCCEEDED] = "succeeded",
	[OPERATION_FAILED] = "failed",
	[OPERATION_CANCELLED] = "cancelled",
};

const char *operation_status_name(enum operation_status status)
{
	assert((size_t)status < OPERATION_STATUS_COUNT);
	return status_names[status];
}

void operation_release(struct operation *operation)
{
	free(operation->kind);
	free(operation->surface);
	free(operation->tool);
	free(operation->target);
	free(operation->plan_id);
	free(operation->plan_hash);
	free(operation->decision_id);
	free(operation->approval_id);
	free(operation->actor_type);
	free(operation->actor_id);
	free(operation->actor_provenance);
	free(operation->internal_status);
	free(operation->progress);
	free(operation->deployment_id);
	free(operation->result);
	free(operation->error_code);
	free(operation->error_message);
	free(operation->error_details);
	*operation = OPERATION_INIT;
}

bool operation_is_over(const struct operation *operation)
{
	return operation->status != OPERATION_PENDING && operation->status != OPERATION_RUNNING;
}

/* ---- from a row ---- */

/* ERR_CHECK_FAILED: the row is not one of ours. */
static int read_status(struct sql_stmt *stmt, struct operation *operation, struct err *err)
{
	const char *name = sql_column_text(stmt, 14);

	for (size_t i = 0; i < OPERATION_STATUS_COUNT; i++) {
		if (strcmp(status_names[i], name) == 0) {
			operation->status = (enum operation_status)i;
			return 0;
		}
	}
	return err_set(
	    err, ERR_CHECK_FAILED, "the operation %s has an unknown status", operation->id);
}

static void read_texts(struct sql_stmt *stmt, struct operation *operation)
{
	operation->kind = record_column(stmt, 1);
	operation->surface = record_column(stmt, 2);
	operation->tool = record_column(stmt, 3);
	operation->target = record_column(stmt, 4);
	operation->plan_id = record_column(stmt, 5);
	operation->plan_hash = record_column(stmt, 6);
	operation->decision_id = record_column(stmt, 7);
	operation->approval_id = record_column(stmt, 8);
	operation->actor_type = record_column(stmt, 9);
	operation->actor_id = record_column(stmt, 10);
	operation->actor_provenance = record_column(stmt, 12);
	operation->internal_status = record_column(stmt, 15);
	operation->progress = record_column(stmt, 20);
	operation->deployment_id = record_column(stmt, 22);
	operation->result = record_column(stmt, 23);
	operation->error_code = record_column(stmt, 24);
	operation->error_message = record_column(stmt, 25);
	operation->error_details = record_column(stmt, 26);
}

static void read_numbers(struct sql_stmt *stmt, struct operation *operation)
{
	operation->actor_is_authenticated = sql_column_int(stmt, 11) != 0;
	operation->owner_pid = sql_column_int(stmt, 13);
	operation->created_us = sql_column_int(stmt, 16);
	operation->started_us = sql_column_int(stmt, 17);
	operation->updated_us = sql_column_int(stmt, 18);
	operation->finished_us = sql_column_int(stmt, 19);
	operation->progress_us = sql_column_int(stmt, 21);
	operation->error_exit = sql_column_int(stmt, 27);
	operation->error_is_retryable = sql_column_int(stmt, 28) != 0;
	operation->intent = sql_column_int(stmt, 29);
}

/* A stored result is put into envelopes as it is, so it must be what JSON is. */
static int check_json(const struct operation *operation, const char *text, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err ignored = ERR_INIT;

	if (text == NULL || json_read(&doc, text, strlen(text), &ignored) == 0)
		return 0;
	return err_set(
	    err, ERR_CHECK_FAILED, "the operation %s holds what is no JSON", operation->id);
}

static int read_operation(struct sql_stmt *stmt, struct operation *ret_operation, struct err *err)
{
	cleanup_operation struct operation operation = OPERATION_INIT;
	const char *id = sql_column_text(stmt, 0);

	if (!record_is_id(RECORD_OPERATION, id))
		return err_set(err, ERR_CHECK_FAILED, "an operation has an id that is none");
	memcpy(operation.id, id, strlen(id) + 1);
	read_texts(stmt, &operation);
	read_numbers(stmt, &operation);
	if (read_status(stmt, &operation, err) < 0 ||
	    check_json(&operation, operation.result, err) < 0 ||
	    check_json(&operation, operation.error_details, err) < 0)
		return -1;
	operation_release(ret_operation);
	*ret_operation = operation;
	operation = OPERATION_INIT;
	return 0;
}

/* The operation that text (with key as ?1) selects: 1; 0: none. */
static int find(struct records *records, const char *text, const char *key,
    struct operation *ret_operation, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, text, err);
	int got;

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, key);
	got = sql_step(stmt, err);
	if (got <= 0)
		return got;
	return read_operation(stmt, ret_operation, err) < 0 ? -1 : 1;
}

int records_operation_of_plan(
    struct records *records, const char *plan_id, struct operation *ret_operation, struct err *err)
{
	return find(records, SQL_OF_PLAN, plan_id, ret_operation, err);
}

int records_operation_load(
    struct records *records, const char *id, struct operation *ret_operation, struct err *err)
{
	bool is_deployment = record_is_deployment(id);
	int got;

	if (!is_deployment && record_check_id(RECORD_OPERATION, id, err) < 0)
		return -1;
	if (records_settle(records, err) < 0)
		return -1;
	got = find(records, is_deployment ? SQL_OF_DEPLOYMENT : SQL_LOAD, id, ret_operation, err);
	if (got == 0)
		return err_set(err, ERR_NOT_FOUND, "there is no operation %s", id);
	return got < 0 ? -1 : 0;
}

/* One row of a list; 1: enough. */
static int show_row(struct sql_stmt *stmt, operation_fn fn, void *ctx, struct record_list *list,
    int64_t *shown, struct err *err)
{
	cleanup_operation struct operation operation = OPERATION_INIT;
	cleanup_err struct err damage = ERR_INIT;

	if (read_operation(stmt, &operation, &damage) < 0) {
		list->skipped++;
		return 0;
	}
	(*shown)++;
	return fn(ctx, &operation, err);
}

int records_operation_each(struct records *records, const char *surface, int64_t limit,
    operation_fn fn, void *ctx, struct record_list *ret_list, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_LIST, err);
	struct record_list list = { 0 };
	int64_t shown = 0;
	int got = 0;

	if (stmt == NULL || records_settle(records, err) < 0)
		return -1;
	sql_bind_text(stmt, 1, surface);
	while ((got = sql_step(stmt, err)) == 1) {
		if (limit > 0 && shown == limit) {
			list.is_truncated = true;
			break;
		}
		got = show_row(stmt, fn, ctx, &list, &shown, err);
		if (got != 0)
			break;
	}
	if (got < 0)
		return -1;
	*ret_list = list;
	return 0;
}

/* ---- whose process is gone ---- */

static int run_on(struct records *records, const char *text, const char *id, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, text, err);

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, id);
	return sql_run(stmt, err);
}

static int interrupt_row(struct records *records, const char *id, struct err *err)
{
	const struct err_info *info = err_info(ERR_UNAVAILABLE);
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_INTERRUPT, err);

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, id);
	sql_bind_int(stmt, 2, clock_wall_us());
	sql_bind_text(stmt, 3, info->wire);
	sql_bind_text(stmt, 4, INTERRUPTED);
	sql_bind_int(stmt, 5, info->exit_code);
	return sql_run(stmt, err);
}

/* The chain's outcome of an intent whose process told none. */
static int append_interruption(
    struct records *records, const struct operation *operation, struct err *err)
{
	cleanup_free char *detail = xasprintf("%s interrupted", operation->id);
	struct ledger_record record = LEDGER_RECORD_INIT;

	record.kind = LEDGER_OUTCOME;
	record.caller = operation->actor_type;
	record.surface = operation->surface;
	record.tool = operation->tool;
	record.code = err_info(ERR_UNAVAILABLE)->wire;
	record.detail = detail;
	record.intent = operation->intent;
	return records_append(records, &record, NULL, err);
}

/* Once, whoever of several comes first. */
static int interrupt(struct records *records, const char *id, struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;
	cleanup_operation struct operation operation = OPERATION_INIT;
	int got;

	if (records_txn_begin(records, &txn, err) < 0)
		return -1;
	got = find(records, SQL_LOAD, id, &operation, err);
	if (got < 0)
		return -1;
	if (got == 0 || operation_is_over(&operation))
		return 0;
	if (interrupt_row(records, id, err) < 0 ||
	    run_on(records, SQL_INTERRUPT_PLAN, id, err) < 0 ||
	    append_interruption(records, &operation, err) < 0)
		return -1;
	return sql_commit(&txn, err);
}

static int find_orphans(struct records *records, struct strvec *ret_ids, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_UNDER_WAY, err);
	int got;

	if (stmt == NULL)
		return -1;
	while ((got = sql_step(stmt, err)) == 1) {
		if (os_process_is_gone((pid_t)sql_column_int(stmt, 1),
			(uint64_t)sql_column_int(stmt, 2), sql_column_text(stmt, 3)))
			strvec_push(ret_ids, sql_column_text(stmt, 0));
	}
	return got;
}

int records_settle(struct records *records, struct err *err)
{
	cleanup_strvec struct strvec orphans = STRVEC_INIT;

	if (find_orphans(records, &orphans, err) < 0)
		return -1;
	for (size_t i = 0; i < orphans.len; i++) {
		if (interrupt(records, orphans.items[i], err) < 0)
			return -1;
	}
	return 0;
}

/* ---- JSON ---- */

static void write_actor(const struct operation *operation, struct json_writer *w)
{
	struct actor actor = {
		.type = operation->actor_type,
		.id = operation->actor_id,
		.is_authenticated = operation->actor_is_authenticated,
		.provenance = operation->actor_provenance,
	};

	json_write_key(w, "actor");
	actor_write(&actor, w);
}

static void write_error(const struct operation *operation, struct json_writer *w)
{
	if (operation->error_code == NULL)
		return;
	json_write_key(w, "error");
	json_write_object_begin(w);
	json_write_member_string(w, "code", operation->error_code);
	json_write_member_string(w, "message", operation->error_message);
	json_write_member_int(w, "exit_code", operation->error_exit);
	json_write_member_bool(w, "retryable", operation->error_is_retryable);
	if (operation->error_details != NULL)
		json_write_member_raw(w, "details", operation->error_details);
	json_write_object_end(w);
}

static void write_times(const struct operation *operation, struct json_writer *w)
{
	record_write_time(w, "created_at", operation->created_us);
	record_write_time(w, "started_at", operation->started_us);
	record_write_time(w, "updated_at", operation->updated_us);
	record_write_time(w, "finished_at", operation->finished_us);
}

void operation_write(const struct operation *operation, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_string(w, "operation_id", operation->id);
	json_write_member_string(w, "kind", operation->kind);
	json_write_member_string(w, "surface", operation->surface);
	json_write_member_string(w, "tool", operation->tool);
	json_write_member_string(w, "target", operation->target);
	json_write_member_string(w, "status", operation_status_name(operation->status));
	record_write_text(w, "internal_status", operation->internal_status);
	record_write_text(w, "plan_id", operation->plan_id);
	record_write_text(w, "plan_hash", operation->plan_hash);
	record_write_text(w, "authz_decision_id", operation->decision_id);
	record_write_text(w, "approval_id", operation->approval_id);
	record_write_text(w, "deployment_id", operation->deployment_id);
	write_actor(operation, w);
	json_write_member_int(w, "pid", operation->owner_pid);
	write_times(operation, w);
	record_write_text(w, "progress", operation->progress);
	record_write_time(w, "progress_at", operation->progress_us);
	if (operation->result != NULL)
		json_write_member_raw(w, "result", operation->result);
	write_error(operation, w);
	json_write_object_end(w);
}
