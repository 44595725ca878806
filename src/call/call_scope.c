/* SPDX-License-Identifier: MIT */
/* scope: a tool that this caller may not see answers as one that is not there. */
#include "call/call_internal.h"

static bool is_shown(const struct host *host, const struct tool *tool)
{
	const struct surface *surface = tool->surface;
	const struct gate_tool facts = {
		.surface = surface->name,
		.is_hidden = tool->is_hidden,
		.is_discovery = tool->is_discovery,
		.is_scoped = surface->is_scoped,
		.executes_any = tool->executes_any,
	};

	return gate_scope_shows(
	    &facts, host->options->workspace != NULL, &host->options->allow_exec);
}

void host_list_tools(struct host *host)
{
	host->tools_len = 0;
	for (size_t i = 0; i < host->served_len; i++) {
		const struct loaded *loaded = host->served[i].loaded;

		for (size_t t = 0; loaded != NULL && t < loaded->surface->tools_len; t++) {
			if (!is_shown(host, &loaded->surface->tools[t]))
				continue;
			ARRAY_GROW(host->tools, host->tools_len, host->tools_cap);
			host->tools[host->tools_len++] = &loaded->surface->tools[t];
		}
	}
}

enum call_step call_scope(struct call *call)
{
	if (is_shown(call->host, call->tool))
		return CALL_NEXT;
	err_set(&call->err, ERR_TOOL_NOT_FOUND, "no such tool");
	return CALL_FAIL;
}
