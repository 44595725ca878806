/* SPDX-License-Identifier: MIT */
/*
 * The legacy handshake (specs/protocol.md §4). A second one is served as a fresh one: what was
 * negotiated is forgotten, calls in flight go on.
 */
#include "mcp/mcp_internal.h"

/* The revision asked for when we serve it to sessions, else the latest that sessions have: never
 * an error, never the modern one, for clients treat both as fatal. */
static const struct mcp_revision *negotiate(const char *wanted)
{
	const struct mcp_revision *revision = wanted != NULL ? mcp_revision_find(wanted) : NULL;

	if (revision == NULL || revision->is_modern)
		return mcp_revision_latest_legacy();
	return revision;
}

static void add_result(struct buf *buf, const struct mcp_session *session, const char *text)
{
	const struct mcp_revision *revision = session->revision;
	struct json_writer w = JSON_WRITER_INIT(buf);

	buf_adds(buf, ",\"result\":");
	json_write_object_begin(&w);
	json_write_member_string(&w, "protocolVersion", revision->name);
	buf_adds(
	    buf, session->has_resources ? "," MCP_CAPABILITIES_RESOURCES : "," MCP_CAPABILITIES);
	json_write_member_raw(
	    &w, "serverInfo", revision->has_titles ? MCP_SERVER_INFO : MCP_SERVER_INFO_PLAIN);
	if (text[0] != '\0')
		json_write_member_string(&w, "instructions", text);
	json_write_object_end(&w);
	buf_addc(buf, '}');
}

int mcp_initialize(struct mcp_server *server, struct mcp_request *request, struct err *err)
{
	const struct json *params = request->message->params;
	const struct json *version = json_get(params, "protocolVersion");
	cleanup_buf struct buf rest = BUF_INIT;
	struct mcp_session *session = &server->session;

	if (!json_is(version, JSON_STRING))
		return err_set(
		    err, ERR_INVALID_PARAMS, "protocolVersion is required and must be a string");
	mcp_session_release(session);
	session->revision = negotiate(json_text(version));
	session->can_ask = mcp_era_can_ask(json_get(params, "capabilities"), session->revision);
	session->client_name = mcp_era_client_name(json_get(params, "clientInfo"));
	session->has_resources = host_has_resources(server->host);
	mcp_changed_watch(server);
	add_result(&rest, session, host_instructions(server->host));
	mcp_reply_ready(server, &request->waiter, rest.data, rest.len);
	return 0;
}

/* From here on we may speak unasked. A modern one means nothing (§5 "Gone"). */
void mcp_initialized(struct mcp_server *server, const struct mcp_message *message)
{
	if (server->session.revision == NULL || mcp_message_is_modern(json_root(&message->doc)))
		return;
	server->session.is_initialized = true;
	mcp_elicit_send_held(server);
	mcp_changed_watch(server);
}
