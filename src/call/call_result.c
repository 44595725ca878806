/* SPDX-License-Identifier: MIT */
/* result: what the program printed → what the client will get. */
#include "call/call_internal.h"

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
	run_normalise(&call->outcome.out,
	    surface_wants_json(call->tool, json_root(&call->resolved)), &call->out);
	run_normalise(&call->outcome.err, false, &call->run_err);
	run.out = call->out.data;
	run.out_len = call->out.len;
	run.err = call->run_err.data;
	run.err_len = call->run_err.len;
	surface_make_result(call->tool, json_root(&call->resolved), &run, &call->result);
	return CALL_NEXT;
}
