/* SPDX-License-Identifier: MIT */
/* What a session's references lead to now. One that leads to nothing, or to damage, says so and
 * spoils no other. */
#include "ledger/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "ledger/ledger_internal.h"

/* All operations of deployments, newest first, in one scan whatever the number of references. */
static const char SQL_DEPLOYMENTS[] =
    "SELECT deployment_id, status, id FROM operation WHERE deployment_id IS NOT NULL"
    " ORDER BY created_us DESC, rowid DESC";

static void begin(struct json_writer *w, const char *id, bool is_present, const char *state)
{
	json_write_object_begin(w);
	json_write_member_string(w, "id", id);
	json_write_member_bool(w, "present", is_present);
	json_write_member_string(w, "state", state);
}

/* Not there, or there and damaged: 0. The store itself cannot be read: -1. */
static int write_failure(
    struct json_writer *w, const char *id, const struct err *cause, struct err *err)
{
	if (cause->code == ERR_UNAVAILABLE || cause->code == ERR_IO)
		return err_set(err, cause->code, "%s", cause->message);
	if (cause->code == ERR_NOT_FOUND) {
		begin(w, id, false, "missing");
	} else {
		begin(w, id, true, "unavailable");
		json_write_member_string(w, "error_code", err_info(cause->code)->wire);
	}
	json_write_object_end(w);
	return 0;
}

static int resolve_plan(
    struct records *records, const char *id, struct json_writer *w, struct err *err)
{
	cleanup_plan struct plan plan = PLAN_INIT;
	cleanup_err struct err cause = ERR_INIT;

	if (records_plan_load(records, id, &plan, &cause) < 0)
		return write_failure(w, id, &cause, err);
	begin(w, id, true, "present");
	json_write_member_string(w, "status", plan_status_name(plan.status));
	record_write_digest(w, "detail", &plan.hash);
	json_write_object_end(w);
	return 0;
}

static int resolve_operation(
    struct records *records, const char *id, struct json_writer *w, struct err *err)
{
	cleanup_operation struct operation operation = OPERATION_INIT;
	cleanup_err struct err cause = ERR_INIT;

	if (records_operation_load(records, id, &operation, &cause) < 0)
		return write_failure(w, id, &cause, err);
	begin(w, id, true, "present");
	json_write_member_string(w, "status", operation_status_name(operation.status));
	json_write_member_string(w, "detail", operation.kind);
	json_write_object_end(w);
	return 0;
}

/* The newest operation of each deployment that is referred to. */
struct found {
	char *status; /* NULL: none */
	char *operation;
};

static int scan(
    struct records *records, const struct strvec *ids, struct found *found, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_DEPLOYMENTS, err);
	int got;

	if (stmt == NULL)
		return -1;
	while ((got = sql_step(stmt, err)) == 1) {
		for (size_t i = 0; i < ids->len; i++) {
			if (found[i].status != NULL ||
			    strcmp(ids->items[i], sql_column_text(stmt, 0)) != 0)
				continue;
			found[i].status = record_column(stmt, 1);
			found[i].operation = record_column(stmt, 2);
		}
	}
	return got;
}

static void write_deployment(struct json_writer *w, const char *id, const struct found *found)
{
	cleanup_buf struct buf detail = BUF_INIT;

	begin(w, id, found->status != NULL, found->status != NULL ? "present" : "unknown");
	if (found->status != NULL) {
		buf_addf(&detail, "operation %s", found->operation);
		json_write_member_string(w, "status", found->status);
		json_write_member_string(w, "detail", detail.data);
	}
	json_write_object_end(w);
}

static int resolve_deployments(
    struct records *records, const struct strvec *ids, struct json_writer *w, struct err *err)
{
	struct found found[SESSION_REFERENCES_MAX] = { 0 };
	int result = ids->len == 0 ? 0 : scan(records, ids, found, err);

	for (size_t i = 0; i < ids->len; i++) {
		if (result == 0)
			write_deployment(w, ids->items[i], &found[i]);
		free(found[i].status);
		free(found[i].operation);
	}
	return result;
}

typedef int (*resolve_fn)(
    struct records *records, const char *id, struct json_writer *w, struct err *err);

static int resolve_each(struct records *records, const char *name, const struct strvec *ids,
    resolve_fn resolve, struct json_writer *w, struct err *err)
{
	json_write_key(w, name);
	json_write_array_begin(w);
	for (size_t i = 0; i < ids->len; i++) {
		if (resolve(records, ids->items[i], w, err) < 0)
			return -1;
	}
	json_write_array_end(w);
	return 0;
}

int records_session_resolve(
    struct records *records, const struct session *session, struct json_writer *w, struct err *err)
{
	json_write_object_begin(w);
	if (resolve_each(records, "plans", &session->plans, resolve_plan, w, err) < 0 ||
	    resolve_each(records, "operations", &session->operations, resolve_operation, w, err) <
		0)
		return -1;
	json_write_key(w, "deployments");
	json_write_array_begin(w);
	if (resolve_deployments(records, &session->deployments, w, err) < 0)
		return -1;
	json_write_array_end(w);
	json_write_object_end(w);
	return 0;
}
