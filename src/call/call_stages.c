/* SPDX-License-Identifier: MIT */
/*
 * THE ORDER. One table, read top to bottom; the driver walks it and sees to what no stage may
 * forget: a failure skips to the stages that always run, so that every refusal is redacted and
 * recorded, and the record comes before the answer.
 */
#include "call/call_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* When a stage runs. */
enum when {
	WHEN_WELL, /* nothing has failed */
	WHEN_TOOL, /* and there is a tool: a static resource has none, and nothing to gate or run */
	WHEN_PLAN, /* and the call is planned */
	WHEN_ALWAYS /* after a failure too */
};

static const struct stage {
	const char *name; /* a failure's row in the ledger says it */
	enum call_step (*step)(struct call *call);
	enum when when;
} stages[] = {
	{ "scope", call_decide, WHEN_WELL },      /* what may this caller see? */
	{ "resolve", call_resolve, WHEN_WELL },   /* name → tool, URI → resource */
	{ "scope", call_scope, WHEN_TOOL },       /* this one? */
	{ "validate", call_validate, WHEN_TOOL }, /* arguments fit the schema */
	{ "permit", call_permit, WHEN_TOOL },     /* permit, ask a person, or refuse */
	{ "argv", call_argv, WHEN_TOOL },         /* a place; arguments → argv, stdin, files */
	{ "plan", call_plan, WHEN_PLAN },         /* what would run: kept, compared, authorized */
	{ "run", call_run, WHEN_TOOL },           /* spawn, pump, limit, reap */
	{ "result", call_result, WHEN_WELL },     /* stdout → result */
	{ "redact", call_redact, WHEN_ALWAYS },   /* what may leave */
	{ "record", call_record, WHEN_ALWAYS },   /* before the answer is written */
};

static struct call *make_call(
    struct host *host, const struct call_client *client, call_done_fn done, void *ctx)
{
	struct call *call = xcalloc(1, sizeof(*call));

	call->host = host;
	call->done = done;
	call->ctx = ctx;
	call->protocol = xstrdup(client->protocol);
	call->client = xstrdup(client->name);
	call->can_ask = client->can_ask;
	call->ask = client->ask;
	call->ask_ctx = client->ask_ctx;
	if (client->state != NULL)
		call->state = xmemdupz(client->state, client->state_len);
	call->answer = client->answer;
	call->question = BUF_INIT;
	call->new_state = BUF_INIT;
	call->command = SURFACE_COMMAND_INIT;
	call->outcome = RUN_OUTCOME_INIT;
	call->version_outcome = RUN_OUTCOME_INIT;
	call->version_outcome.end = RUN_NOT_STARTED;
	call->out = BUF_INIT;
	call->run_err = BUF_INIT;
	call->quotable = BUF_INIT;
	call->progress = BUF_INIT;
	call->result = SURFACE_RESULT_INIT;
	call->next = host->calls;
	if (host->calls != NULL)
		host->calls->previous = call;
	host->calls = call;
	host->calls_len++;
	return call;
}

struct call *call_new(struct host *host, const struct call_client *client, const char *tool,
    struct json_doc *doc, const struct json *arguments, call_done_fn done, void *ctx)
{
	struct call *call = make_call(host, client, done, ctx);

	call->name = xstrdup(tool);
	call->request = *doc;
	*doc = JSON_DOC_INIT;
	call->raw_arguments = arguments;
	return call;
}

struct call *call_new_planned(struct host *host, const struct call_client *client,
    struct call_purpose *purpose, const char *tool, struct json_doc *doc,
    const struct json *arguments, call_done_fn done, void *ctx)
{
	struct call *call = call_new(host, client, tool, doc, arguments, done, ctx);

	call->purpose = purpose;
	return call;
}

void call_purpose_release(struct call_purpose *purpose)
{
	err_release(&purpose->err);
	plan_release(&purpose->made);
	plan_differences_release(&purpose->differences);
	operation_release(&purpose->operation);
	if (purpose->exclusive_fd > 0)
		close_fd(&purpose->exclusive_fd);
}

struct call *call_new_read(struct host *host, const struct call_client *client, const char *uri,
    call_done_fn done, void *ctx)
{
	struct call *call = make_call(host, client, done, ctx);

	call->uri = xstrdup(uri);
	return call;
}

static void call_free(struct call *call)
{
	struct host *host = call->host;

	for (size_t i = 0; i < call->command.files_len; i++)
		run_files_remove(host->files, call->command.files[i].path);
	if (call->previous != NULL)
		call->previous->next = call->next;
	else
		host->calls = call->next;
	if (call->next != NULL)
		call->next->previous = call->previous;
	host->calls_len--;
	free(call->name);
	free(call->uri);
	free(call->protocol);
	free(call->client);
	free(call->state);
	free(call->event);
	call_reads_free(call->reads);
	loop_timer_remove(call->progress_timer);
	buf_release(&call->question);
	buf_release(&call->new_state);
	json_doc_release(&call->arguments);
	json_doc_release(&call->resolved);
	json_doc_release(&call->request);
	redactor_values_release(&call->secrets);
	surface_command_release(&call->command);
	strvec_release(&call->environment);
	run_outcome_release(&call->outcome);
	run_outcome_release(&call->version_outcome);
	buf_release(&call->out);
	buf_release(&call->run_err);
	buf_release(&call->quotable);
	buf_release(&call->progress);
	surface_result_release(&call->result);
	loaded_release(call->loaded);
	err_release(&call->err);
	free(call);
}

/* Tells the owner, once. */
static void end(struct call *call)
{
	struct call_outcome outcome = {
		.result = call->result,
		.is_cancelled = call->is_cancelled,
		.masks = call->masks,
		.resource = call->resource,
		.uri = call->uri,
	};

	if (call->needs_input && !err_is_set(&call->err)) {
		outcome.question = call->question.data;
		outcome.state = call->new_state.data;
	}
	if (err_is_set(&call->err) && err_info(call->err.code)->rpc_code != 0)
		outcome.err = call->err;
	if (call->purpose != NULL)
		err_move(&call->purpose->err, &call->err);
	call->done(call->ctx, &outcome);
	call_free(call);
}

void call_abandon(struct call *call)
{
	ledger_forget(call->host->ledger, call->ticket);
	call->is_cancelled = true;
	end(call);
}

/* A failure becomes the result that the client gets; of a status tool it may be what was to be found
 * out. */
/* The arguments of a stored plan were good when it was made: what is wrong with them now is the
 * world. */
static void say_stale(struct call *call)
{
	if (call->purpose == NULL || call->purpose->plan == NULL ||
	    call->err.code != ERR_INVALID_ARGUMENT)
		return;
	call->err.code = ERR_PLAN_STALE;
	(void)err_wrap(&call->err, "the plan is stale and nothing was run; make a new one");
}

static void fail(struct call *call)
{
	assert(err_is_set(&call->err));
	say_stale(call);
	call->failed_stage = stages[call->stage].name;
	surface_result_release(&call->result);
	call->result = SURFACE_RESULT_INIT;
	if (call_status_can_tell(call))
		call_status_result(call);
	else
		surface_error_result(&call->err, &call->result);
}

static bool is_due(const struct call *call, const struct stage *stage)
{
	bool is_short = err_is_set(&call->err) || call->needs_input || call->is_planned;

	switch (stage->when) {
	case WHEN_WELL:
		return !is_short;
	case WHEN_TOOL:
		return !is_short && call->tool != NULL;
	case WHEN_PLAN:
		return !is_short && call->purpose != NULL;
	case WHEN_ALWAYS:
		break;
	}
	return true;
}

static void walk(struct call *call)
{
	while (call->stage < ARRAY_LEN(stages)) {
		const struct stage *stage = &stages[call->stage];
		enum call_step step = CALL_NEXT;

		if (is_due(call, stage))
			step = stage->step(call);
		if (step == CALL_WAIT)
			return;
		if (step == CALL_FAIL)
			fail(call);
		call->stage++;
	}
	end(call);
}

void call_start(struct call *call)
{
	walk(call);
}

void call_resume(struct call *call, enum call_step step)
{
	assert(step != CALL_WAIT && call->stage < ARRAY_LEN(stages));
	if (step == CALL_FAIL)
		fail(call);
	call->stage++;
	walk(call);
}

void call_answer(struct call *call, enum call_answer answer)
{
	assert(call->is_asking);
	call->is_asking = false;
	call->has_answer = true;
	call->answer = answer;
	/* After any wait all gates run again, on what is there now. */
	loaded_release(steal_ptr(&call->loaded));
	call->tool = NULL;
	json_doc_release(&call->arguments);
	json_doc_release(&call->resolved);
	redactor_values_release(&call->secrets);
	call->masks = 0; /* the row about the question has them */
	call->escaped = 0;
	call->stage = 0;
	walk(call);
}

void call_cancel(struct call *call)
{
	call->is_cancelled = true;
	if (call_is_running(call))
		call_run_cancel(call);
	else
		(void)call_stop_waiting(call, "the call was cancelled before it started");
}

bool call_stop_waiting(struct call *call, const char *why)
{
	if (!call->is_queued && !call->is_asking && !call->waiter.is_waiting)
		return false;
	if (call->is_queued)
		host_dequeue(call);
	call->is_asking = false;
	host_waiter_remove(call->host, &call->waiter);
	host_child_ended(call);
	err_set(&call->err, ERR_CANCELLED, "%s", why);
	call_resume(call, CALL_FAIL);
	return true;
}

struct surface_launch call_launch(const struct call *call)
{
	const struct host *host = call->host;

	return (struct surface_launch){
		.workspace = host->scope.decision.workspace,
		.stage = host->scope.decision.stage,
		.roots = &host->roots,
		.closed = &host->closed,
		.private_dir = host->data_dir,
	};
}
