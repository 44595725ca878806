/* SPDX-License-Identifier: MIT */
/*
 * The program's version, asked once, when a tool that needs one is first used (clients.md Q16): a
 * slow or missing program delays neither the handshake nor other tools. Calls that need it wait
 * together; the answer holds until the program is another file.
 */
#include "call/call_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

static const char *wanted_range(const struct call *call)
{
	const struct surface_version *version = call->runs->surface->program.version;

	/* It tells the version, whatever it is. */
	if (call->tool->builtin == SURFACE_BUILTIN_STATUS)
		return NULL;
	if (call->runs->needs != NULL)
		return call->runs->needs;
	return version != NULL ? version->range : NULL;
}

bool call_version_is_due(const struct call *call)
{
	return wanted_range(call) != NULL && call->runs->surface->program.version != NULL &&
	       !call->served->is_version_known;
}

int call_version_check(struct call *call)
{
	const char *range = wanted_range(call);
	const char *version = call->served->version;
	const char *program = call->tool->surface->program.run;

	if (range == NULL)
		return 0;
	if (version == NULL)
		return err_set(&call->err, ERR_PROGRAM_TOO_OLD,
		    "%s needs %s %s, and its version could not be read", call->name, program,
		    range);
	if (surface_version_in_range(version, range))
		return 0;
	return err_set(&call->err, ERR_PROGRAM_TOO_OLD, "%s needs %s %s; it is %s", call->name,
	    program, range, version);
}

/* All that waited go on; they judge the version themselves. */
static void resume_waiters(struct served *served)
{
	struct call *call = steal_ptr(&served->version_waiters);

	while (call != NULL) {
		struct call *next = call->queue_next;

		call->queue_next = NULL;
		call_argv_go_on(call);
		call = next;
	}
}

static void on_done(void *ctx, struct run_outcome *outcome)
{
	struct served *served = ctx;
	cleanup_buf struct buf text = BUF_INIT;

	served->version_run = NULL;
	served->is_version_known = true;
	if (served->loaded != NULL && outcome->end == RUN_EXITED) {
		run_normalise(&outcome->out, false, &text);
		buf_addc(&text, '\n');
		run_normalise(&outcome->err, false, &text);
		served->version =
		    surface_version_read(served->loaded->surface, text.data, text.len);
	}
	resume_waiters(served);
}

static int start(struct call *call)
{
	struct served *served = call->served;
	const struct surface *surface = call->tool->surface;
	cleanup_strvec struct strvec environment = STRVEC_INIT;
	struct run_spec spec = {
		.cwd = call->host->roots.items[0],
		.timeout_ms = LIMIT_VERSION_CHECK_MS,
		.max_output = LIMIT_STDERR,
		.max_stderr = LIMIT_STDERR,
	};

	if (host_resolve_program(served, surface, &call->err) < 0)
		return -1;
	run_environment(&surface->program.env, &surface->program.set, &environment);
	served->version_run = host_start_program(served->host, &served->program,
	    &surface->program.version->args, &environment, &spec, on_done, served, &call->err);
	return served->version_run != NULL ? 0 : -1;
}

int call_version_wait(struct call *call)
{
	struct served *served = call->served;

	if (served->version_run == NULL && start(call) < 0)
		return -1;
	call->queue_next = served->version_waiters;
	served->version_waiters = call;
	return 0;
}

void call_version_forget(struct served *served)
{
	served->is_version_known = false;
	free(served->version);
	served->version = NULL;
}

void call_version_kill(struct served *served)
{
	if (served->version_run == NULL)
		return;
	run_kill(served->version_run);
	served->version_run = NULL;
	resume_waiters(served);
}
