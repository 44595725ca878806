/* SPDX-License-Identifier: MIT */
/* scope: a tool that this caller may not see answers as one that is not there. */
#include "call/call_internal.h"

enum gate_rank call_gate_rank(enum surface_rank rank)
{
	switch (rank) {
	case SURFACE_RANK_READ:
		return GATE_RANK_READ;
	case SURFACE_RANK_WRITE:
		return GATE_RANK_WRITE;
	case SURFACE_RANK_MANAGE:
		break;
	}
	return GATE_RANK_MANAGE;
}

struct gate_tool call_gate_tool(const struct tool *tool)
{
	return (struct gate_tool){
		.surface = tool->surface->name,
		.name = tool->name,
		.rank = call_gate_rank(tool->rank),
		.is_hidden = tool->is_hidden,
		.is_discovery = tool->is_discovery,
		.is_scoped = tool->surface->is_scoped,
		.executes_any = tool->executes_any,
	};
}

/* Hidden tools are there for the resources that are made of them. */
static bool is_shown(const struct host *host, const struct tool *tool, bool by_resource)
{
	const struct gate_scope scope = { .has_scope = host->options->workspace != NULL };
	struct gate_tool facts = call_gate_tool(tool);

	facts.is_hidden &= !by_resource;
	return gate_scope_shows(&facts, &scope, &host->options->allow_exec);
}

static void list_tools(struct host *host, const struct surface *surface)
{
	for (size_t i = 0; i < surface->tools_len; i++) {
		if (!is_shown(host, &surface->tools[i], false))
			continue;
		ARRAY_GROW(host->tools, host->tools_len, host->tools_cap);
		host->tools[host->tools_len++] = &surface->tools[i];
	}
}

static void list_resources(struct host *host, const struct surface *surface)
{
	for (size_t i = 0; i < surface->resources_len; i++) {
		const struct tool *tool = surface->resources[i].tool;

		host->has_resources = true;
		if (tool != NULL && !is_shown(host, tool, true))
			continue;
		ARRAY_GROW(host->resources, host->resources_len, host->resources_cap);
		host->resources[host->resources_len++] = &surface->resources[i];
	}
}

void host_list_visible(struct host *host)
{
	host->tools_len = 0;
	host->resources_len = 0;
	for (size_t i = 0; i < host->served_len; i++) {
		if (host->served[i].loaded == NULL)
			continue;
		list_tools(host, host->served[i].loaded->surface);
		list_resources(host, host->served[i].loaded->surface);
	}
}

enum call_step call_scope(struct call *call)
{
	if (is_shown(call->host, call->tool, call->resource != NULL))
		return CALL_NEXT;
	return call_refuse_absent(call);
}
