/* SPDX-License-Identifier: MIT */
/* resolve: name → tool, or URI → resource, among the surfaces as they are now. */
#include "call/call_internal.h"

#include <string.h>

/* Clients want to know which one (protocol.md §6). */
static char *uri_details(const char *uri)
{
	struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);

	json_write_object_begin(&w);
	json_write_member_string(&w, "uri", uri);
	json_write_object_end(&w);
	return buf_detach(&text);
}

/* Who plans is told why: there is nothing to be hidden from whoever typed the surface's name. */
static enum call_step refuse_planned(struct call *call)
{
	const struct host *host = call->host;

	for (size_t i = 0; i < host->served_len; i++) {
		if (host->served[i].loaded != NULL)
			continue;
		err_set(&call->err, ERR_SURFACE_UNTRUSTED,
		    "the surface file is not trusted as it is now; a person must run: "
		    "stile surface trust %s",
		    host->served[i].path);
		return CALL_FAIL;
	}
	if (call->purpose->plan != NULL)
		err_set(&call->err, ERR_PLAN_STALE, "there is no tool %s any more", call->name);
	else
		err_set(&call->err, ERR_TOOL_NOT_FOUND, "no such tool: %s", call->name);
	return CALL_FAIL;
}

enum call_step call_refuse_absent(struct call *call)
{
	if (call->purpose != NULL)
		return refuse_planned(call);
	if (call->uri == NULL) {
		err_set(&call->err, ERR_TOOL_NOT_FOUND, "no such tool");
		return CALL_FAIL;
	}
	err_set(&call->err, ERR_RESOURCE_NOT_FOUND, "no such resource");
	(void)err_take_details(&call->err, uri_details(call->uri));
	return CALL_FAIL;
}

static void take(struct call *call, struct served *served, const struct tool *tool)
{
	call->tool = tool;
	/* What has a plan runs itself. */
	call->runs = tool != NULL && call->purpose == NULL ? surface_runs(tool) : tool;
	call->served = served;
	call->loaded = served->loaded;
	call->loaded->references++;
}

static enum call_step resolve_tool(struct call *call)
{
	struct host *host = call->host;

	for (size_t i = 0; i < host->served_len; i++) {
		struct served *served = &host->served[i];
		const struct tool *tool;

		if (served->loaded == NULL)
			continue;
		tool = surface_find_tool(served->loaded->surface, call->name);
		if (tool == NULL)
			continue;
		take(call, served, tool);
		return CALL_NEXT;
	}
	return call_refuse_absent(call);
}

/* What stands in a file word for word comes before what a template could mean. */
static const struct resource *find(const struct surface *surface, const char *uri, bool is_template)
{
	for (size_t i = 0; i < surface->resources_len; i++) {
		const struct resource *resource = &surface->resources[i];

		if (resource->is_template == is_template && surface_resource_matches(resource, uri))
			return resource;
	}
	return NULL;
}

static bool resolve_resource(struct call *call, bool is_template)
{
	struct host *host = call->host;

	for (size_t i = 0; i < host->served_len && call->resource == NULL; i++) {
		struct served *served = &host->served[i];

		if (served->loaded == NULL)
			continue;
		call->resource = find(served->loaded->surface, call->uri, is_template);
		if (call->resource != NULL)
			take(call, served, call->resource->tool);
	}
	return call->resource != NULL;
}

enum call_step call_resolve(struct call *call)
{
	(void)host_refresh(call->host);
	if (call->uri == NULL)
		return resolve_tool(call);
	if (resolve_resource(call, false) || resolve_resource(call, true))
		return CALL_NEXT;
	return call_refuse_absent(call);
}
