/* SPDX-License-Identifier: MIT */
/* permit: the write gate. */
#include "call/call_internal.h"

enum call_step call_permit(struct call *call)
{
	const struct host_options *options = call->host->options;
	const struct gate_subject subject = {
		.caller = options->caller,
		.workspace = options->workspace,
		.stage = options->stage,
	};
	const struct gate_tool facts = {
		.surface = call->tool->surface->name,
		.name = call->tool->name,
		.is_read = call->tool->effect == SURFACE_READ,
	};

	if (gate_write_decide(&subject, &facts, call->is_vetoed, &call->err) == GATE_PERMIT)
		return CALL_NEXT;
	return CALL_FAIL;
}
