/* SPDX-License-Identifier: MIT */
/*
 * subscriptions/listen (specs/protocol.md §5): a request whose answer is its end. The streams are
 * independent of each other and of any session.
 */
#include "mcp/mcp_internal.h"

/* `"io.modelcontextprotocol/subscriptionId":ID`: the id of the request, value and type. */
static void add_subscription(struct buf *buf, const struct mcp_waiter *waiter)
{
	buf_adds(buf, "\"" MCP_KEY_SUBSCRIPTION "\":");
	buf_add(buf, waiter->id, waiter->id_len);
}

static bool is_texts(const struct json *node)
{
	if (!json_is(node, JSON_ARRAY))
		return false;
	json_foreach (item, node) {
		if (item->type != JSON_STRING)
			return false;
	}
	return true;
}

/* The filter's known members have their types, served or not; unknown ones are left out. */
static int check_filter(const struct json *filter, struct err *err)
{
	static const char *const flags[] = { "toolsListChanged", "promptsListChanged",
		"resourcesListChanged" };
	const struct json *resources = json_get(filter, "resourceSubscriptions");

	if (!json_is(filter, JSON_OBJECT))
		return err_set(
		    err, ERR_INVALID_PARAMS, "notifications is required and must be an object");
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		const struct json *flag = json_get(filter, flags[i]);

		if (flag != NULL && !json_is_bool(flag))
			return err_set(err, ERR_INVALID_PARAMS,
			    "notifications.%s must be true or false", flags[i]);
	}
	if (resources != NULL && !is_texts(resources))
		return err_set(err, ERR_INVALID_PARAMS,
		    "notifications.resourceSubscriptions must be a list of strings");
	return 0;
}

/* The first message of the stream: what of the filter is honoured. */
static void acknowledge(struct mcp_server *server, const struct mcp_flight *stream)
{
	struct buf *out = &server->output.buf;

	buf_adds(out,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\","
	    "\"params\":{\"notifications\":{");
	if (stream->wants_tools)
		buf_adds(out, "\"toolsListChanged\":true");
	if (stream->wants_resources)
		buf_addf(out, "%s\"resourcesListChanged\":true", stream->wants_tools ? "," : "");
	buf_adds(out, "},\"_meta\":{");
	add_subscription(out, &stream->waiter);
	buf_adds(out, "}}}\n");
}

int mcp_listen(struct mcp_server *server, struct mcp_request *request, struct err *err)
{
	const struct json *filter = json_get(request->message->params, "notifications");
	struct mcp_flight *stream;

	if (check_filter(filter, err) < 0)
		return -1;
	if (server->streams_len >= LIMIT_LISTEN_STREAMS)
		return err_set(
		    err, ERR_INTERNAL, "too many streams are open; cancel one of them first");
	stream = mcp_flight_new(server, request->message->id, &request->waiter);
	LIST_INSERT_HEAD(&server->streams, stream, link);
	server->streams_len++;
	stream->wants_tools = json_is(json_get(filter, "toolsListChanged"), JSON_TRUE);
	stream->wants_resources = host_has_resources(server->host) &&
				  json_is(json_get(filter, "resourcesListChanged"), JSON_TRUE);
	acknowledge(server, stream);
	mcp_changed_watch(server);
	return 0;
}

void mcp_listen_close_all(struct mcp_server *server)
{
	while (!LIST_EMPTY(&server->streams)) {
		struct mcp_flight *stream = LIST_FIRST(&server->streams);
		cleanup_buf struct buf rest = BUF_INIT;

		buf_adds(&rest, ",\"result\":{" MCP_COMPLETE ",\"_meta\":{");
		add_subscription(&rest, &stream->waiter);
		buf_adds(&rest, "," MCP_META_SERVER "}}}");
		mcp_reply_ready(server, &stream->waiter, rest.data, rest.len);
		server->streams_len--;
		mcp_flight_free(stream);
	}
}
