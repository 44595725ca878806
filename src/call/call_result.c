/* SPDX-License-Identifier: MIT */
/* result: what the program printed → what the client will get. */
#include "call/call_internal.h"

/*
 * Diagnostics are redacted whole, before anything is cut from them: half a secret looks like none.
 * A tool that exists to give a secret may give it on stderr, but not when it failed.
 */
static void take_stderr(struct call *call)
{
	cleanup_buf struct buf text = BUF_INIT;

	run_normalise(&call->outcome.err, false, &text);
	if (call->tool->reveals && call->outcome.exit_status == 0)
		buf_add(&call->run_err, text.data, text.len);
	else
		call->masks += redact_stderr(
		    call->loaded->redactor, &call->secrets, text.data, text.len, &call->run_err);
}

/* The same for what a failure quotes of stdout. Masks count when it does. */
static size_t take_quotable(struct call *call, struct surface_run *run)
{
	size_t masks;

	if (run->exit_status == 0)
		return 0;
	masks = redact_text(
	    call->loaded->redactor, &call->secrets, run->out, run->out_len, &call->quotable);
	run->quotable = call->quotable.data;
	run->quotable_len = call->quotable.len;
	return masks;
}

/* A resource that is no JSON is the one string that its result points to. */
static int check_text(struct call *call)
{
	if (call->resource == NULL || surface_resource_is_json(call->resource) ||
	    call->result.is_error || call->result.has_text)
		return 0;
	return err_set(
	    &call->err, ERR_BAD_OUTPUT, "the result has no text where the resource wants it");
}

/* What the program printed, as it may be seen and quoted, and what it did without. */
static int make_result(struct call *call)
{
	cleanup_strvec struct strvec unset = STRVEC_INIT;
	size_t masks;
	struct surface_run run = {
		.exit_status = call->outcome.exit_status,
		.is_err_cut = call->outcome.is_stderr_cut,
		.unset = &unset,
	};

	run_normalise(&call->outcome.out,
	    surface_wants_json(call->runs, json_root(&call->resolved)), &call->out);
	take_stderr(call);
	run.out = call->out.data;
	run.out_len = call->out.len;
	run.err = call->run_err.data;
	run.err_len = call->run_err.len;
	masks = take_quotable(call, &run);
	if (run.exit_status != 0)
		run_unset_variables(&call->runs->surface->program.env, &call->environment, &unset);
	surface_make_result(call->runs, json_root(&call->resolved), &run, &call->result);
	call->masks += call->result.is_error ? masks : 0;
	return check_text(call);
}

enum call_step call_result(struct call *call)
{
	if (call->tool == NULL)
		surface_resource_content(call->resource, &call->result);
	else if (call->tool->builtin == SURFACE_BUILTIN_CONTEXT)
		call_write_context(call, &call->result);
	else if (call->tool->builtin == SURFACE_BUILTIN_STATUS)
		call_status_result(call);
	else if (make_result(call) < 0)
		return CALL_FAIL;
	return CALL_NEXT;
}
