/* SPDX-License-Identifier: MIT */
/* An operation's life: begun with its plan, started, told of, ended. Each step is one transaction
 * over operation, plan and chain, so that none of them can say more than the others. */
#include "ledger/ledger.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/text.h"
#include "ledger/ledger_internal.h"
#include "os/os.h"

static const char SQL_PLAN_HASH[] = "SELECT hash, expires_us FROM plan WHERE id = ?1";
static const char SQL_APPLYING[] =
    "UPDATE plan SET status = 'applying', operation_id = ?2 WHERE id = ?1";

static const char SQL_INSERT[] =
    "INSERT INTO operation (id, kind, surface, tool, target, plan_id, plan_hash, decision_id,"
    " approval_id, actor_type, actor_id, actor_authenticated, actor_provenance, owner_pid,"
    " owner_start, owner_boot, status, created_us, started_us, updated_us, finished_us,"
    " progress_us, error_exit, error_retryable, intent)"
    " VALUES (?1, 'apply', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,"
    " 'pending', ?16, 0, ?16, 0, 0, 0, 0, ?17)";

static const char SQL_START[] =
    "UPDATE operation SET status = 'running', started_us = ?2, updated_us = ?2, owner_pid = ?3,"
    " owner_start = ?4, owner_boot = ?5 WHERE id = ?1 AND status = 'pending' RETURNING id";
static const char SQL_PROGRESS[] =
    "UPDATE operation SET progress = ?2, progress_us = ?3, updated_us = ?3"
    " WHERE id = ?1 AND status IN ('pending', 'running') RETURNING id";
static const char SQL_FINISH[] =
    "UPDATE operation SET status = ?2, finished_us = ?3, updated_us = ?3, deployment_id = ?4,"
    " result = ?5, error_code = ?6, error_message = ?7, error_details = ?8, error_exit = ?9,"
    " error_retryable = ?10 WHERE id = ?1 AND status IN ('pending', 'running')"
    " RETURNING surface, tool, actor_type, intent";
static const char SQL_FINISH_PLAN[] = "UPDATE plan SET status = ?2 WHERE operation_id = ?1";

/* Beyond the newest ?1, unless it is under way, some plan's, or an active session's. */
static const char SQL_TRIM[] =
    "DELETE FROM operation WHERE id NOT IN"
    "  (SELECT id FROM operation ORDER BY created_us DESC, rowid DESC LIMIT ?1)"
    " AND status NOT IN ('pending', 'running')"
    " AND NOT EXISTS (SELECT 1 FROM plan WHERE operation_id = operation.id)"
    " AND NOT EXISTS (SELECT 1 FROM session_reference JOIN session ON session.id = session_id"
    "  WHERE session.status = 'active' AND ((kind = 'operation' AND reference = operation.id)"
    "  OR (kind = 'deployment' AND reference = operation.deployment_id)))";

/* ---- who owns it ---- */

static void bind_owner(struct sql_stmt *stmt, int index)
{
	char boot[OS_BOOT_ID_SIZE];

	os_boot_id(boot);
	sql_bind_int(stmt, index, getpid());
	sql_bind_int(stmt, index + 1, (int64_t)os_process_start(getpid()));
	sql_bind_text(stmt, index + 2, boot);
}

/* ---- begin ---- */

static int append_intent(struct records *records, const struct plan *plan,
    const struct plan_decision *allow, const char *id, int64_t *ret_sequence, struct err *err)
{
	cleanup_free char *detail = xasprintf("%s of %s", id, plan->id);
	struct ledger_record record = LEDGER_RECORD_INIT;

	record.kind = LEDGER_INTENT;
	record.caller = allow->actor.type;
	record.surface = plan->facts.surface;
	record.surface_digest = &plan->facts.surface_digest;
	record.tool = plan->facts.tool;
	record.effect = plan->facts.effect;
	record.program = plan->facts.program;
	record.arguments = plan->facts.arguments;
	record.arguments_len = strlen(plan->facts.arguments);
	record.detail = detail;
	return records_append(records, &record, ret_sequence, err);
}

static int insert(struct records *records, const struct plan *plan,
    const struct plan_decision *allow, const char *id, int64_t intent, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_INSERT, err);
	cleanup_free char *provenance = records_masked(records, allow->actor.provenance);
	char hash[DIGEST_TEXT_SIZE];

	if (stmt == NULL)
		return -1;
	digest_format(&plan->hash, hash);
	sql_bind_text(stmt, 1, id);
	sql_bind_text(stmt, 2, plan->facts.surface);
	sql_bind_text(stmt, 3, plan->facts.tool);
	sql_bind_text(stmt, 4, plan->facts.target);
	sql_bind_text(stmt, 5, plan->id);
	sql_bind_text(stmt, 6, hash);
	sql_bind_text(stmt, 7, allow->id);
	sql_bind_text(stmt, 8, allow->approval_id);
	sql_bind_text(stmt, 9, allow->actor.type);
	sql_bind_text(stmt, 10, allow->actor.id);
	sql_bind_int(stmt, 11, allow->actor.is_authenticated);
	sql_bind_text(stmt, 12, provenance);
	bind_owner(stmt, 13);
	sql_bind_int(stmt, 16, clock_wall_us());
	sql_bind_int(stmt, 17, intent);
	return sql_run(stmt, err);
}

static int mark_applying(
    struct records *records, const char *plan_id, const char *id, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_APPLYING, err);

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, plan_id);
	sql_bind_text(stmt, 2, id);
	return sql_run(stmt, err);
}

/* Is the plan still what was loaded and authorized? */
static int check_plan(struct records *records, const struct plan *plan, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_PLAN_HASH, err);
	struct digest hash;
	int got;

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, plan->id);
	got = sql_step(stmt, err);
	if (got < 0)
		return -1;
	if (got == 0)
		return err_set(err, ERR_NOT_FOUND, "there is no plan %s any more", plan->id);
	if (!record_column_digest(stmt, 0, &hash) || !digest_equal(&hash, &plan->hash))
		return err_set(err, ERR_IDEMPOTENCY_CONFLICT,
		    "plan %s has another hash than it had when it was read", plan->id);
	if (clock_wall_us() >= sql_column_int(stmt, 1))
		return err_set(
		    err, ERR_PLAN_STALE, "plan %s has expired; make a new one", plan->id);
	return 0;
}

/* What an operation that is there already means for who begins. */
static int judge(const struct plan *plan, const struct operation *operation,
    enum plan_begin *ret_begin, struct err *err)
{
	char hash[DIGEST_TEXT_SIZE];

	digest_format(&plan->hash, hash);
	if (operation->plan_hash == NULL || strcmp(operation->plan_hash, hash) != 0)
		return err_set(err, ERR_IDEMPOTENCY_CONFLICT,
		    "plan %s was begun under another hash, as %s", plan->id, operation->id);
	if (!operation_is_over(operation))
		*ret_begin = PLAN_BEGIN_IN_PROGRESS;
	else if (operation->status == OPERATION_SUCCEEDED)
		*ret_begin = PLAN_BEGIN_REPLAY;
	else
		*ret_begin = operation->internal_status != NULL ? PLAN_BEGIN_INDETERMINATE
								: PLAN_BEGIN_FAILED;
	return 0;
}

static int add_operation(
    struct records *records, const struct plan *plan, struct plan_decision *allow, struct err *err)
{
	char id[RECORD_ID_SIZE];
	int64_t intent = 0;

	record_id_new(RECORD_OPERATION, id);
	if (records_decision_add(records, allow, err) < 0 ||
	    append_intent(records, plan, allow, id, &intent, err) < 0 ||
	    insert(records, plan, allow, id, intent, err) < 0 ||
	    mark_applying(records, plan->id, id, err) < 0)
		return -1;
	return records_trim(records, SQL_TRIM, OPERATION_KEEP, err);
}

int records_plan_begin(struct records *records, const struct plan *plan,
    struct plan_decision *allow, enum plan_begin *ret_begin, struct operation *ret_operation,
    struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;
	cleanup_operation struct operation operation = OPERATION_INIT;
	enum plan_begin begin = PLAN_BEGIN_FRESH;
	int got;

	assert(strcmp(allow->verdict, "allow") == 0 && strcmp(allow->plan_id, plan->id) == 0);
	if (records_settle(records, err) < 0 || records_txn_begin(records, &txn, err) < 0)
		return -1;
	got = records_operation_of_plan(records, plan->id, &operation, err);
	if (got < 0)
		return -1;
	if (got == 1) {
		if (judge(plan, &operation, &begin, err) < 0)
			return -1;
	} else if (check_plan(records, plan, err) < 0 ||
		   add_operation(records, plan, allow, err) < 0 ||
		   records_operation_of_plan(records, plan->id, &operation, err) < 0 ||
		   sql_commit(&txn, err) < 0) {
		return -1;
	}
	*ret_begin = begin;
	operation_release(ret_operation);
	*ret_operation = operation;
	operation = OPERATION_INIT;
	return 0;
}

/* ---- running ---- */

/* Runs an UPDATE with RETURNING; ERR_CONFLICT when it hit no row. The row stays current. */
static int update_one(struct sql_stmt *stmt, const char *id, const char *what, struct err *err)
{
	int got = sql_step(stmt, err);

	if (got == 0)
		return err_set(err, ERR_CONFLICT, "operation %s is not %s", id, what);
	return got < 0 ? -1 : 0;
}

/* The same outside a transaction: committed once there is no further row. */
static int update_alone(struct sql_stmt *stmt, const char *id, const char *what, struct err *err)
{
	if (update_one(stmt, id, what, err) < 0)
		return -1;
	return sql_step(stmt, err);
}

int records_operation_start(struct records *records, const char *id, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = NULL;

	if (record_check_id(RECORD_OPERATION, id, err) < 0)
		return -1;
	stmt = records_prepare(records, SQL_START, err);
	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, id);
	sql_bind_int(stmt, 2, clock_wall_us());
	bind_owner(stmt, 3);
	return update_alone(stmt, id, "pending", err);
}

int records_operation_progress(
    struct records *records, const char *id, const char *line, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = NULL;
	cleanup_free char *masked = records_masked(records, line);
	cleanup_buf struct buf clean = BUF_INIT;

	if (record_check_id(RECORD_OPERATION, id, err) < 0)
		return -1;
	stmt = records_prepare(records, SQL_PROGRESS, err);
	if (stmt == NULL)
		return -1;
	text_add_visible(&clean, masked, strlen(masked));
	buf_truncate(&clean, text_cut(clean.data, clean.len, OPERATION_PROGRESS_MAX));
	sql_bind_text(stmt, 1, id);
	sql_bind_text(stmt, 2, clean.data);
	sql_bind_int(stmt, 3, clock_wall_us());
	return update_alone(stmt, id, "under way", err);
}

/* ---- end ---- */

static int check_outcome(const struct operation_outcome *outcome, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;

	assert(outcome->status > OPERATION_RUNNING && outcome->status < OPERATION_STATUS_COUNT);
	assert((outcome->status == OPERATION_SUCCEEDED) == (outcome->error_code == NULL));
	if (outcome->deployment_id != NULL && !record_is_deployment(outcome->deployment_id))
		return err_set(err, ERR_INVALID_ARGUMENT, "the deployment's id is none");
	if (outcome->result == NULL)
		return 0;
	if (strlen(outcome->result) > LIMIT_RESULT_MAX)
		return err_set(err, ERR_LIMIT, "the result is too large to be kept");
	return json_read(&doc, outcome->result, strlen(outcome->result), err);
}

static void bind_outcome(struct sql_stmt *stmt, const char *id,
    const struct operation_outcome *outcome, const char *message)
{
	sql_bind_text(stmt, 1, id);
	sql_bind_text(stmt, 2, operation_status_name(outcome->status));
	sql_bind_int(stmt, 3, clock_wall_us());
	sql_bind_text(stmt, 4, outcome->deployment_id);
	sql_bind_text(stmt, 5, outcome->result);
	sql_bind_text(stmt, 6, outcome->error_code);
	sql_bind_text(stmt, 7, message);
	sql_bind_text(stmt, 8, outcome->error_details);
	sql_bind_int(stmt, 9, outcome->error_exit);
	sql_bind_int(stmt, 10, outcome->error_is_retryable);
}

/* stmt stands on the operation's row: surface, tool, actor, intent. */
static int append_outcome(struct records *records, struct sql_stmt *stmt, const char *id,
    const struct operation_outcome *outcome, struct err *err)
{
	struct ledger_record record = LEDGER_RECORD_INIT;

	record.kind = LEDGER_OUTCOME;
	record.surface = sql_column_text(stmt, 0);
	record.tool = sql_column_text(stmt, 1);
	record.caller = sql_column_text(stmt, 2);
	record.intent = sql_column_int(stmt, 3);
	record.code = outcome->error_code;
	record.detail = id;
	record.exit_status = outcome->exit_status;
	record.duration_us = outcome->duration_us;
	record.output_bytes = outcome->output_bytes;
	record.masks = outcome->masks;
	return records_append(records, &record, NULL, err);
}

static int finish_plan(
    struct records *records, const char *id, enum plan_status status, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_FINISH_PLAN, err);

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, id);
	sql_bind_text(stmt, 2, plan_status_name(status));
	return sql_run(stmt, err);
}

static int finish_row(struct records *records, const char *id,
    const struct operation_outcome *outcome, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_FINISH, err);
	cleanup_free char *message = records_masked(records, outcome->error_message);

	if (stmt == NULL)
		return -1;
	bind_outcome(stmt, id, outcome, message);
	if (update_one(stmt, id, "under way", err) < 0)
		return -1;
	return append_outcome(records, stmt, id, outcome, err);
}

int records_operation_finish(struct records *records, const char *id,
    const struct operation_outcome *outcome, struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;
	enum plan_status status =
	    outcome->status == OPERATION_SUCCEEDED ? PLAN_APPLIED : PLAN_FAILED;

	if (record_check_id(RECORD_OPERATION, id, err) < 0 || check_outcome(outcome, err) < 0)
		return -1;
	if (records_txn_begin(records, &txn, err) < 0 ||
	    finish_row(records, id, outcome, err) < 0 || finish_plan(records, id, status, err) < 0)
		return -1;
	return sql_commit(&txn, err);
}
