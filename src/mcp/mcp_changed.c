/* SPDX-License-Identifier: MIT */
/*
 * What is listed has changed, tools or resources or both: told to the session once the client said it
 * is initialized, and to the streams that asked, each by its own id (specs/protocol.md §12). Told at the
 * end of a turn, so that a burst is one note.
 */
#include "mcp/mcp_internal.h"

static bool session_wants(const struct mcp_server *server)
{
	return server->session.is_initialized;
}

static bool stream_wants(const struct mcp_server *server)
{
	struct mcp_flight *stream;

	LIST_FOREACH(stream, &server->streams, link)
	{
		if (stream->wants_tools || stream->wants_resources)
			return true;
	}
	return false;
}

static void on_changed(void *ctx, unsigned changes)
{
	struct mcp_server *server = ctx;

	server->changes |= changes;
}

void mcp_changed_watch(struct mcp_server *server)
{
	bool is_watching =
	    server->end == MCP_RUNNING && (session_wants(server) || stream_wants(server));

	if (is_watching == server->is_watching)
		return;
	server->is_watching = is_watching;
	host_watch(server->host, is_watching, on_changed, server);
}

/* One note; to a stream, or (NULL) to the session. */
static void add_note(struct buf *out, const char *what, const struct mcp_flight *stream)
{
	buf_addf(out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/%s/list_changed\"", what);
	if (stream != NULL) {
		buf_adds(out, ",\"params\":{\"_meta\":{\"" MCP_KEY_SUBSCRIPTION "\":");
		buf_add(out, stream->waiter.id, stream->waiter.id_len);
		buf_adds(out, "}}");
	}
	buf_adds(out, "}\n");
}

void mcp_changed_flush(struct mcp_server *server)
{
	struct buf *out = &server->output.buf;
	bool is_tools = (server->changes & HOST_TOOLS_CHANGED) != 0;
	bool is_resources = (server->changes & HOST_RESOURCES_CHANGED) != 0;
	struct mcp_flight *stream;

	/* A reader that is far behind is told once, when it has caught up. */
	if (server->changes == 0 || mcp_output_pending(&server->output) > LIMIT_BACKLOG)
		return;
	server->changes = 0;
	if (session_wants(server)) {
		if (is_tools)
			add_note(out, "tools", NULL);
		if (is_resources && server->session.has_resources)
			add_note(out, "resources", NULL);
	}
	LIST_FOREACH(stream, &server->streams, link)
	{
		if (is_tools && stream->wants_tools)
			add_note(out, "tools", stream);
		if (is_resources && stream->wants_resources)
			add_note(out, "resources", stream);
	}
}
