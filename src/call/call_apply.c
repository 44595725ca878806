/* SPDX-License-Identifier: MIT */
/*
 * Applying: the policy is asked last of all gates, so that its answer cannot grow old; an allow, the
 * operation and the intent are one durable step, and only then the program starts. How it ended is
 * durable before anybody hears of it.
 */
#include "call/call_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

#define PROGRESS_MS 1000

/* ---- may it? ---- */

/* What a person must do, for a person and for a program. */
static void ask_for_approval(struct call *call)
{
	const struct plan *plan = call->purpose->plan;
	struct buf details = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&details);
	cleanup_free char *command = xasprintf("stile authz approve %s", plan->id);

	err_set(&call->err, ERR_APPROVAL_REQUIRED,
	    "plan %s needs a person's approval, and nothing was run: `%s` at a terminal; "
	    "then apply it again",
	    plan->id, command);
	json_write_object_begin(&w);
	json_write_member_string(&w, "plan_id", plan->id);
	json_write_member_string(&w, "approve_command", command);
	json_write_object_end(&w);
	(void)err_take_details(&call->err, buf_detach(&details));
}

/* A refusal that cannot be recorded is answered by that. */
static int refuse(struct call *call, const struct gate_ruling *ruling)
{
	const struct call_purpose *purpose = call->purpose;
	struct plan_decision decision = gate_ruling_decision(ruling, purpose->actor, purpose->plan);

	if (records_decide(purpose->records, &decision, &call->err) < 0)
		return err_wrap(&call->err, "nothing was run, for the decision cannot be recorded");
	call->is_decided = true;
	if (ruling->code == ERR_APPROVAL_REQUIRED)
		ask_for_approval(call);
	else
		err_set(&call->err, ruling->code, "plan %s may not be applied: %s",
		    purpose->plan->id, ruling->reason);
	return -1;
}

static int begin(struct call *call, const struct gate_ruling *ruling)
{
	struct call_purpose *purpose = call->purpose;
	struct plan_decision allow = gate_ruling_decision(ruling, purpose->actor, purpose->plan);

	if (records_plan_begin(purpose->records, purpose->plan, &allow, &purpose->begin,
		&purpose->operation, &call->err) < 0)
		return err_wrap(&call->err, "nothing was run");
	if (purpose->begin != PLAN_BEGIN_FRESH)
		return 0;
	call->is_begun = true;
	call->intent = purpose->operation.intent;
	return records_operation_start(purpose->records, purpose->operation.id, &call->err);
}

enum call_step call_apply_begin(struct call *call)
{
	struct call_purpose *purpose = call->purpose;
	cleanup_gate_ruling struct gate_ruling ruling = GATE_RULING_INIT;

	gate_authorize(
	    call->host->data_dir, purpose->records, purpose->actor, purpose->plan, &ruling);
	if (!ruling.is_allowed) {
		(void)refuse(call, &ruling);
		return CALL_FAIL;
	}
	if (begin(call, &ruling) < 0)
		return CALL_FAIL;
	/* Begun by another: what became of it is the answer. */
	call->is_planned = !call->is_begun;
	if (call->is_begun && purpose->began != NULL)
		purpose->began(purpose->ctx, &purpose->operation);
	return CALL_NEXT;
}

/* ---- what it says ---- */

/* The record is of use while it runs; a lock that is held too long costs one line. */
static void tell_progress(struct call *call, struct buf *line)
{
	struct call_purpose *purpose = call->purpose;
	cleanup_err struct err ignored = ERR_INIT;

	call_redact_text(call, line);
	if (line->len == 0 || strcmp(line->data, call->progress.data) == 0)
		return;
	buf_reset(&call->progress);
	buf_add(&call->progress, line->data, line->len);
	(void)!records_operation_progress(
	    purpose->records, purpose->operation.id, line->data, &ignored);
	if (purpose->progressed != NULL)
		purpose->progressed(purpose->ctx, line->data);
}

static void on_tick(void *ctx)
{
	struct call *call = ctx;
	cleanup_buf struct buf line = BUF_INIT;

	call->progress_timer = NULL;
	run_last_line(call->run, &line);
	tell_progress(call, &line);
	call_apply_watch(call);
}

void call_apply_watch(struct call *call)
{
	call->progress_timer = loop_add_timer(call->host->loop, PROGRESS_MS, on_tick, call);
}

/* ---- the end ---- */

/* What the program said that it did, as JSON. */
static void take_result(const struct surface_result *result, struct buf *ret_json)
{
	if (result->json.len > 0)
		buf_add(ret_json, result->json.data, result->json.len);
	else if (result->has_text)
		json_quote(ret_json, result->text.data, result->text.len);
}

/* A sentence: of an error of ours its message, else the program's text. */
static char *message_of(const struct call *call)
{
	const struct surface_result *result = &call->result;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err ignored = ERR_INIT;
	const char *message = NULL;

	if (err_is_set(&call->err))
		return xstrdup(call->err.message);
	if (json_read(&doc, result->json.data, result->json.len, &ignored) == 0)
		message = json_text(json_get(json_root(&doc), "message"));
	if (message == NULL && result->has_text)
		message = result->text.data;
	return xstrdup(message != NULL ? message : "the tool reported failure");
}

static int64_t exit_code_of(const char *code)
{
	enum err_code known = err_find(code);

	return err_info(known != ERR_CODE_COUNT ? known : ERR_PROGRAM_FAILED)->exit_code;
}

/* A failure is never retryable: the plan is used up. */
static void fill_failure(const struct call *call, const char *message, const struct buf *details,
    struct operation_outcome *outcome)
{
	outcome->status = OPERATION_FAILED;
	outcome->error_code =
	    call->result.code != NULL ? call->result.code : err_info(ERR_PROGRAM_FAILED)->wire;
	outcome->error_message = message;
	outcome->error_details = details->len > 0 ? details->data : NULL;
	outcome->error_exit = exit_code_of(outcome->error_code);
}

static void fill_run(const struct call *call, struct operation_outcome *outcome)
{
	if (call->has_run && call->outcome.end == RUN_EXITED)
		outcome->exit_status = call->outcome.exit_status;
	outcome->duration_us = call->outcome.duration_us;
	outcome->output_bytes = (int64_t)call->outcome.out.len;
	outcome->masks = (int64_t)call->masks;
}

enum call_step call_apply_finish(struct call *call)
{
	struct call_purpose *purpose = call->purpose;
	struct operation_outcome outcome = OPERATION_OUTCOME_INIT;
	cleanup_buf struct buf result = BUF_INIT;
	cleanup_free char *message = message_of(call);
	cleanup_err struct err err = ERR_INIT;

	outcome.status = OPERATION_SUCCEEDED;
	take_result(&call->result, &result);
	if (call->result.is_error)
		fill_failure(call, message, &result, &outcome);
	else
		outcome.result = result.len > 0 ? result.data : NULL;
	fill_run(call, &outcome);
	if (records_operation_finish(purpose->records, purpose->operation.id, &outcome, &err) == 0)
		return CALL_NEXT;
	err_set(&call->err, ERR_OUTCOME_UNRECORDED,
	    "the program of %s may have run, but its outcome could not be recorded (%s); "
	    "its intent is row %lld of the ledger",
	    purpose->operation.id, err.message, (long long)call->intent);
	return CALL_FAIL;
}
