/* SPDX-License-Identifier: MIT */
/*
 * `builtin: status`: the call's own run is the surface's probe; the program's version is asked beside
 * it, in a second run that lives and ends with the first. Here are that second run, the switch that
 * allows another version, and the verdict; it is made, too, of most that the call can fail with, for
 * that the program cannot be started is what the caller wants to know.
 */
#include "call/call_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/text.h"

/* ---- the switch ---- */

/* 1, 0, or -1 for another word. Blanks around it count for nothing; nothing at all is "unset", as
 * for a program's override. */
static int read_flag(const char *value)
{
	static const struct {
		const char *word;
		int flag;
	} words[] = {
		{ "", 0 },
		{ "true", 1 },
		{ "1", 1 },
		{ "yes", 1 },
		{ "on", 1 },
		{ "false", 0 },
		{ "0", 0 },
		{ "no", 0 },
		{ "off", 0 },
	};
	static const char blanks[] = " \t\r\n\v\f";
	const char *begin = value + strspn(value, blanks);
	size_t len = strlen(begin);

	while (len > 0 && strchr(blanks, begin[len - 1]) != NULL)
		len--;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strlen(words[i].word) == len && strncasecmp(begin, words[i].word, len) == 0)
			return words[i].flag;
	}
	return -1;
}

static bool has_option(const struct host *host, const struct surface *surface)
{
	return strvec_contains(&host->options->allow_version_drift, surface->name);
}

int call_status_read_switch(struct served *served, struct err *err)
{
	const struct surface *surface = served->loaded->surface;
	const char *variable = surface->program.switch_allow_drift;
	const char *value = variable != NULL ? getenv(variable) : NULL;
	cleanup_buf struct buf shown = BUF_INIT;
	int flag;

	/* The option wins. */
	if (value == NULL || has_option(served->host, surface))
		return 0;
	flag = read_flag(value);
	if (flag < 0) {
		text_add_visible(&shown, value, text_cut(value, strlen(value), 40));
		return err_set(err, ERR_USAGE,
		    "the variable %s is \"%s\"; it takes true, 1, yes, on, false, 0, no or off",
		    variable, shown.data);
	}
	served->is_drift_switched_on = flag == 1;
	return 0;
}

/* ---- the second run ---- */

static void on_version(void *ctx, struct run_outcome *outcome)
{
	struct call *call = ctx;

	call->version_run = NULL;
	call->version_outcome = *outcome;
	*outcome = RUN_OUTCOME_INIT;
	call_run_ended(call);
}

/* That it cannot be started is no failure of the call: the verdict says so. */
void call_status_start_version(struct call *call)
{
	const struct surface_version *version = call->tool->surface->program.version;
	cleanup_err struct err ignored = ERR_INIT;
	struct run_spec spec = call_run_spec(call);

	if (spec.timeout_ms > LIMIT_VERSION_CHECK_MS)
		spec.timeout_ms = LIMIT_VERSION_CHECK_MS;
	spec.max_output = LIMIT_STDERR;
	call->version_run = host_start_program(call->host, call_program(call), &version->args,
	    &call->environment, &spec, on_version, call, &ignored);
}

/* ---- the verdict ---- */

bool call_status_can_tell(const struct call *call)
{
	if (call->tool == NULL || call->tool->builtin != SURFACE_BUILTIN_STATUS)
		return false;
	return call->err.code == ERR_PROGRAM_NOT_FOUND || call->err.code == ERR_PROGRAM_FAILED ||
	       call->err.code == ERR_TIMEOUT || call->err.code == ERR_OUTPUT_TOO_LARGE;
}

/* Both streams of a run, redacted whole before anything is cut from them. */
struct streams {
	struct buf out;
	struct buf err;
	struct surface_run run;
};

#define STREAMS_INIT ((struct streams){ .out = BUF_INIT, .err = BUF_INIT })

static void streams_release(struct streams *streams)
{
	buf_release(&streams->out);
	buf_release(&streams->err);
}

#define cleanup_streams __attribute__((cleanup(streams_release)))

/* NULL for a run that did not come to its own end. */
static const struct surface_run *take_streams(
    struct call *call, const struct run_outcome *outcome, struct streams *streams)
{
	struct redactor *redactor = call->loaded->redactor;
	cleanup_buf struct buf out = BUF_INIT;
	cleanup_buf struct buf err = BUF_INIT;

	if (outcome->end != RUN_EXITED)
		return NULL;
	run_normalise(&outcome->out, false, &out);
	run_normalise(&outcome->err, false, &err);
	call->masks += redact_text(redactor, &call->secrets, out.data, out.len, &streams->out);
	call->masks += redact_stderr(redactor, &call->secrets, err.data, err.len, &streams->err);
	streams->run = (struct surface_run){
		.exit_status = outcome->exit_status,
		.out = streams->out.data,
		.out_len = streams->out.len,
		.err = streams->err.data,
		.err_len = streams->err.len,
		.is_err_cut = outcome->is_stderr_cut,
	};
	return &streams->run;
}

void call_status_result(struct call *call)
{
	cleanup_streams struct streams probe = STREAMS_INIT;
	cleanup_streams struct streams version = STREAMS_INIT;
	struct surface_status status = {
		.failure = &call->err,
		.version = take_streams(call, &call->version_outcome, &version),
		.allows_drift = call->served->is_drift_switched_on ||
				has_option(call->host, call->tool->surface),
	};

	if (!err_is_set(&call->err))
		status.probe = take_streams(call, &call->outcome, &probe);
	surface_make_status(call->tool, &status, &call->result);
}
