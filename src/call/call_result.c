/* SPDX-License-Identifier: MIT */
/* result: what the program printed → what the client will get. */
#include "call/call_internal.h"

/* JSON documents may stand behind banner lines; text stays as it is. */
static bool wants_json(const struct tool *tool)
{
	return tool->surface->program.output != SURFACE_OUTPUT_TEXT;
}

enum call_step call_result(struct call *call)
{
	struct surface_run run = {
		.exit_status = call->outcome.exit_status,
		.is_err_cut = call->outcome.is_stderr_cut,
	};

	if (call->tool->builtin == SURFACE_BUILTIN_CONTEXT) {
		call_write_context(call, &call->result);
		return CALL_NEXT;
	}
	run_normalise(&call->outcome.out, wants_json(call->tool), &call->out);
	run_normalise(&call->outcome.err, false, &call->run_err);
	run.out = call->out.data;
	run.out_len = call->out.len;
	run.err = call->run_err.data;
	run.err_len = call->run_err.len;
	surface_make_result(call->tool, json_root(&call->resolved), &run, &call->result);
	return CALL_NEXT;
}
