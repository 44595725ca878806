/* SPDX-License-Identifier: MIT */
/* run: make the intent of a mutation durable, start the program, take its outcome. */
#include "call/call_internal.h"

#include <string.h>

#include "base/limits.h"

/* What a run that did not end by itself means. RUN_EXITED is no failure here: the result stage
 * looks at the status. */
static void judge(struct call *call)
{
	const struct run_outcome *outcome = &call->outcome;
	const struct surface_limits *limits = &call->runs->limits;
	const char *program = call->runs->surface->program.run;
	bool is_cancelled = call->version_outcome.end == RUN_CANCELLED;

	switch (is_cancelled ? RUN_CANCELLED : outcome->end) {
	case RUN_EXITED:
		break;
	case RUN_SIGNALED:
		err_set(&call->err, ERR_PROGRAM_FAILED, "%s was ended by signal %d (%s)", program,
		    outcome->signal,
		    sigabbrev_np(outcome->signal) != NULL ? sigabbrev_np(outcome->signal) : "?");
		break;
	case RUN_TIMED_OUT:
		err_set(&call->err, ERR_TIMEOUT,
		    "%s was ended at its limit of %lld ms, after %zu bytes of output", program,
		    (long long)limits->timeout_ms, outcome->out.len);
		break;
	case RUN_TOO_LARGE:
		err_set(&call->err, ERR_OUTPUT_TOO_LARGE,
		    "%s printed more than %zu bytes; ask for less", program, limits->output_bytes);
		break;
	case RUN_CANCELLED:
		err_set(&call->err, ERR_CANCELLED, "the call was cancelled and its program ended");
		break;
	case RUN_NOT_STARTED:
		err_set(&call->err, ERR_PROGRAM_NOT_FOUND, "%s could not be started: %s",
		    call_program(call)->path, strerrordesc_np(outcome->errnum));
		break;
	}
}

void call_run_ended(struct call *call)
{
	struct host *host = call->host;

	if (call_is_running(call))
		return;
	host_child_ended(call);
	judge(call);
	call_resume(call, err_is_set(&call->err) ? CALL_FAIL : CALL_NEXT);
	(void)host_start_waiting(host);
}

static void run_done(void *ctx, struct run_outcome *outcome)
{
	struct call *call = ctx;

	call->run = NULL;
	loop_timer_remove(call->progress_timer);
	call->progress_timer = NULL;
	call->has_run = outcome->end != RUN_NOT_STARTED;
	run_outcome_release(&call->outcome);
	call->outcome = *outcome;
	*outcome = RUN_OUTCOME_INIT;
	call_run_ended(call);
}

bool call_is_running(const struct call *call)
{
	return call->run != NULL || call->version_run != NULL;
}

void call_run_cancel(struct call *call)
{
	if (call->run != NULL)
		run_cancel(call->run);
	if (call->version_run != NULL)
		run_cancel(call->version_run);
}

void call_run_kill(struct call *call)
{
	if (call->run != NULL)
		run_kill(call->run);
	if (call->version_run != NULL)
		run_kill(call->version_run);
	call->run = NULL;
	call->version_run = NULL;
	call->has_run = true;
}

struct run *host_start_program(struct host *host, const struct run_program *program,
    const struct strvec *words, struct strvec *environment, struct run_spec *spec, run_done_fn done,
    void *ctx, struct err *err)
{
	cleanup_strvec struct strvec argv = STRVEC_INIT;

	strvec_push(&argv, program->path);
	for (size_t i = 0; i < words->len; i++)
		strvec_push(&argv, words->items[i]);
	spec->path = program->path;
	spec->argv = strvec_array(&argv);
	spec->envp = strvec_array(environment);
	return run_start(host->loop, spec, done, ctx, err);
}

/* A program may print what it was given in secret. */
void call_make_environment(struct call *call)
{
	if (call->environment.len > 0)
		return;
	run_environment(&call->runs->surface->program.env, &call->command.set, &call->environment);
	redactor_values_add_environment(&call->secrets, &call->environment);
}

struct run_spec call_run_spec(const struct call *call)
{
	const struct surface_command *command = &call->command;

	return (struct run_spec){
		.cwd = command->cwd != NULL ? command->cwd : call->host->roots.items[0],
		.stdin_data = command->has_stdin ? command->stdin_data.data : NULL,
		.stdin_len = command->stdin_data.len,
		.timeout_ms = call->runs->limits.timeout_ms,
		.max_output = call->runs->limits.output_bytes,
		.max_stderr = LIMIT_STDERR,
		.inherit_fd = call->is_begun ? call->purpose->lock_fd : 0,
	};
}

/* Of a plan, the file whose digest was compared; recording that it begins took its time. */
static int check_program(struct call *call)
{
	const struct run_program *program = call_program(call);

	if (!call->is_begun || run_program_is_same(program))
		return 0;
	return err_set(&call->err, ERR_PLAN_STALE,
	    "%s was replaced after it was compared with the plan; it was not started",
	    program->path);
}

static int start(struct call *call)
{
	const struct surface_command *command = &call->command;
	struct run_spec spec = call_run_spec(call);

	if (check_program(call) < 0)
		return -1;
	call_make_environment(call);
	call->run = host_start_program(call->host, call_program(call), &command->words,
	    &call->environment, &spec, run_done, call, &call->err);
	if (call->run == NULL)
		return -1;
	if (call->tool->builtin == SURFACE_BUILTIN_STATUS)
		call_status_start_version(call);
	if (call->is_begun)
		call_apply_watch(call);
	return 0;
}

static void fail(struct call *call)
{
	host_child_ended(call);
	call_resume(call, CALL_FAIL);
}

void call_make_ready(struct call *call)
{
	*call->host->ready_tail = call;
	call->host->ready_tail = &call->queue_next;
}

/* What must come before the child has come: the intent of a mutation is durable, or the ledger could
 * take the record of a read. */
static void on_recordable(void *ctx, int64_t sequence, const struct err *err)
{
	struct call *call = ctx;

	call->ticket = 0;
	if (err_is_set(err)) {
		err_set(&call->err, ERR_LEDGER_UNAVAILABLE, "%s", err->message);
		fail(call);
		return;
	}
	call->intent = sequence;
	call_make_ready(call);
}

static bool start_ready(struct call *call)
{
	if (call->is_cancelled || call->host->is_draining)
		err_set(&call->err, ERR_CANCELLED, "the call was cancelled before it started");
	else if (start(call) == 0)
		return true;
	fail(call);
	return false;
}

bool host_start_ready(struct host *host)
{
	struct call *call = host->ready;
	struct call *next;
	bool is_all_started = true;

	host->ready = NULL;
	host->ready_tail = &host->ready;
	for (; call != NULL; call = next) {
		next = call->queue_next;
		call->queue_next = NULL;
		is_all_started &= start_ready(call);
	}
	return is_all_started;
}

enum call_step call_run(struct call *call)
{
	if (call->tool->builtin == SURFACE_BUILTIN_CONTEXT)
		return CALL_NEXT;
	if (call->is_begun) {
		host_child_started(call);
		call_make_ready(call);
	} else if (call->tool->effect == SURFACE_READ)
		call->ticket = ledger_await(call->host->ledger, on_recordable, call);
	else
		call->ticket = call_queue_row(call, LEDGER_INTENT, NULL, on_recordable);
	return CALL_WAIT;
}
