/* SPDX-License-Identifier: MIT */
/*
 * tools/list (specs/protocol.md §7): what of a tool clients of a revision are shown.
 */
#include "mcp/mcp_internal.h"

/* All four hints are said: two of them are true when left out. */
static void write_annotations(struct json_writer *w, const struct tool *tool)
{
	json_write_key(w, "annotations");
	json_write_object_begin(w);
	if (tool->title != NULL)
		json_write_member_string(w, "title", tool->title);
	json_write_member_bool(w, "readOnlyHint", tool->effect == SURFACE_READ);
	json_write_member_bool(w, "destructiveHint", tool->effect == SURFACE_DESTROY);
	json_write_member_bool(w, "idempotentHint", tool->is_idempotent);
	json_write_member_bool(w, "openWorldHint", tool->is_open_world);
	json_write_object_end(w);
}

static void write_tool(
    struct json_writer *w, const struct tool *tool, const struct mcp_revision *revision)
{
	json_write_object_begin(w);
	json_write_member_string(w, "name", tool->name);
	if (revision->has_titles && tool->title != NULL)
		json_write_member_string(w, "title", tool->title);
	json_write_member_string(w, "description", tool->description);
	json_write_member_raw(w, "inputSchema", tool->input_schema);
	if (revision->has_titles && tool->output_schema != NULL)
		json_write_member_raw(w, "outputSchema", tool->output_schema);
	if (revision->has_annotations)
		write_annotations(w, tool);
	json_write_object_end(w);
}

static void write_item(
    struct json_writer *w, const void *items, size_t index, const struct mcp_revision *revision)
{
	const struct tool *const *tools = items;

	write_tool(w, tools[index], revision);
}

static const char *name_item(const void *items, size_t index)
{
	const struct tool *const *tools = items;

	return tools[index]->name;
}

void mcp_pages_make_tools(struct mcp_pages *ret_pages, const struct mcp_revision *revision,
    const struct tool *const *tools, size_t tools_len)
{
	const struct mcp_listing listing = { .member = "tools",
		.items = tools,
		.len = tools_len,
		.write = write_item,
		.name = name_item };

	mcp_pages_make(ret_pages, revision, &listing);
}

static const struct mcp_pages *list_tools(
    struct mcp_server *server, const struct mcp_revision *revision)
{
	struct mcp_lists *lists = mcp_lists_now(server);
	struct mcp_pages *pages = &lists->tools[revision - mcp_revisions];

	if (pages->len == 0) {
		uint64_t generation;
		size_t len;
		const struct tool *const *tools = host_tools(server->host, &len, &generation);

		mcp_pages_make_tools(pages, revision, tools, len);
	}
	return pages;
}

int mcp_tools_list(struct mcp_server *server, struct mcp_request *request, struct err *err)
{
	return mcp_pages_reply(server, request, list_tools, err);
}
