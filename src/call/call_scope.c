/* SPDX-License-Identifier: MIT */
/*
 * decide and scope: what this caller may see is decided; a tool that it may not see answers as one
 * that is not there. Deciding comes before the name is looked at: while there is no decision, what is
 * hidden and what is not there must be alike, too.
 */
#include "call/call_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

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
		.is_hidden = tool->is_hidden || surface_wants_plan(tool),
		.is_discovery = tool->is_discovery,
		.is_scoped = tool->surface->is_scoped,
		.executes_any = tool->executes_any,
	};
}

/* Hidden tools are there for the resources that are made of them, and for plans. */
static bool is_shown(const struct host *host, const struct tool *tool, bool from_within)
{
	struct gate_tool facts = call_gate_tool(tool);

	facts.is_hidden &= !from_within;
	return gate_scope_shows(&facts, &host->scope.decision.gate, &host->options->allow_exec);
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

		if (tool != NULL && !is_shown(host, tool, true))
			continue;
		ARRAY_GROW(host->resources, host->resources_len, host->resources_cap);
		host->resources[host->resources_len++] = &surface->resources[i];
	}
}

void host_list_visible(struct host *host)
{
	cleanup_err struct err ignored = ERR_INIT;
	bool is_decided = host_check_scope(host, &ignored) == 0;

	host->tools_len = 0;
	host->resources_len = 0;
	for (size_t i = 0; i < host->served_len; i++) {
		const struct loaded *loaded = host->served[i].loaded;

		if (loaded == NULL)
			continue;
		host->has_resources |= loaded->surface->resources_len > 0;
		if (!is_decided)
			continue;
		list_tools(host, loaded->surface);
		list_resources(host, loaded->surface);
	}
}

static bool is_same(const void *a, size_t a_len, const void *b, size_t b_len)
{
	return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len * sizeof(void *)) == 0);
}

unsigned host_list_anew(struct host *host)
{
	cleanup_free const struct tool **tools = steal_ptr(&host->tools);
	cleanup_free const struct resource **resources = steal_ptr(&host->resources);
	size_t tools_len = host->tools_len;
	size_t resources_len = host->resources_len;
	unsigned changes = 0;

	host->tools_cap = 0;
	host->resources_cap = 0;
	host_list_visible(host);
	if (!is_same(tools, tools_len, host->tools, host->tools_len))
		changes |= HOST_TOOLS_CHANGED;
	if (!is_same(resources, resources_len, host->resources, host->resources_len))
		changes |= HOST_RESOURCES_CHANGED;
	host->generation += changes != 0;
	return changes;
}

size_t host_count_visible(
    const struct host *host, const struct gate_scope *scope, struct strvec *ret_names)
{
	size_t hidden = 0;

	for (size_t i = 0; i < host->served_len; i++) {
		const struct loaded *loaded = host->served[i].loaded;

		for (size_t j = 0; loaded != NULL && j < loaded->surface->tools_len; j++) {
			const struct tool *tool = &loaded->surface->tools[j];
			const struct gate_tool facts = call_gate_tool(tool);

			if (gate_scope_shows(&facts, scope, &host->options->allow_exec))
				strvec_push(ret_names, tool->name);
			else
				hidden += !facts.is_hidden;
		}
	}
	return hidden;
}

/* ---- stages ---- */

/* The row of the call says which decision it rests on. */
static void cite(struct call *call)
{
	free(call->event);
	call->event = xstrdup(call->host->scope.decision.event);
}

static enum call_step judge(struct call *call)
{
	if (host_check_scope(call->host, &call->err) < 0)
		return CALL_FAIL;
	cite(call);
	return CALL_NEXT;
}

static void on_decided(void *ctx)
{
	struct call *call = ctx;

	call_resume(call, judge(call));
}

enum call_step call_decide(struct call *call)
{
	call->waiter = (struct host_waiter){ .fn = on_decided, .ctx = call };
	if (host_decide(call->host, &call->waiter))
		return judge(call);
	if (call->host->calls_len <= LIMIT_WAITING)
		return CALL_WAIT;
	host_waiter_remove(call->host, &call->waiter);
	err_set(&call->err, ERR_UNAVAILABLE, "more than %zu calls are waiting", LIMIT_WAITING);
	return CALL_FAIL;
}

enum call_step call_check_scope(struct call *call)
{
	if (judge(call) == CALL_FAIL)
		return CALL_FAIL;
	if (is_shown(call->host, call->tool,
		call->resource != NULL || call->purpose != NULL || call->read != NULL))
		return CALL_NEXT;
	return call_refuse_absent(call);
}

enum call_step call_scope(struct call *call)
{
	return call_check_scope(call);
}
