/* SPDX-License-Identifier: MIT */
/*
 * server/discover (specs/protocol.md §5). Only the modern revision is listed: a client picks the
 * version of each request from this list, and the legacy ones cannot be used per request.
 */
#include "mcp/mcp_internal.h"

int mcp_discover(struct mcp_server *server, struct mcp_request *request, struct err *err)
{
	const char *instructions = host_instructions(server->host);
	cleanup_buf struct buf rest = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&rest);

	(void)err;
	buf_adds(&rest, ",\"result\":");
	json_write_object_begin(&w);
	json_write_member_string(&w, "resultType", "complete");
	json_write_key(&w, "supportedVersions");
	json_write_array_begin(&w);
	json_write_string(&w, mcp_revision_modern()->name);
	json_write_array_end(&w);
	buf_adds(&rest, host_has_resources(server->host) ? "," MCP_CAPABILITIES_RESOURCES
							 : "," MCP_CAPABILITIES);
	if (instructions[0] != '\0')
		json_write_member_string(&w, "instructions", instructions);
	buf_adds(&rest, "," MCP_CACHE "," MCP_META);
	json_write_object_end(&w);
	buf_addc(&rest, '}');
	mcp_reply_ready(server, &request->waiter, rest.data, rest.len);
	return 0;
}
