/* SPDX-License-Identifier: MIT */
/*
 * A line's way through the room: message, then batch, notification or request, then the handler
 * its method names. Every refusal passes mcp_dispatch_refuse(), which answers and counts it.
 */
#include "mcp/mcp_internal.h"

#include "base/log.h"

void mcp_dispatch_refuse(
    struct mcp_server *server, const struct mcp_waiter *waiter, const struct err *err)
{
	/* Not its text: that may quote the message. */
	log_line(LOG_LEVEL_DEBUG, "a message was refused: %s", err_info(err->code)->wire);
	host_note_protocol_fault(server->host, err->code);
	mcp_reply_error(server, waiter, err);
}

static struct mcp_waiter waiter_of(const struct mcp_message *message, struct mcp_batch *batch)
{
	struct mcp_waiter waiter = { .batch = batch };

	if (message->id != NULL) {
		waiter.id = message->id->raw;
		waiter.id_len = message->id->raw_len;
	}
	return waiter;
}

/* Decides and handles. The waiter of the error is made before: a handler may take the document,
 * but then it does not fail. */
static void dispatch_request(
    struct mcp_server *server, struct mcp_message *message, struct mcp_batch *batch)
{
	cleanup_err struct err err = ERR_INIT;
	struct mcp_waiter waiter = waiter_of(message, batch);
	struct mcp_request request;
	int result;

	if (mcp_flight_find(&server->flights, message->id) != NULL) {
		result =
		    err_set(&err, ERR_INVALID_REQUEST, "a request with this id is still in flight");
	} else {
		result = mcp_era_decide(&server->session, message, batch != NULL, &request, &err);
		if (result == 0) {
			request.waiter.batch = batch;
			result = request.method->fn(server, &request, &err);
		}
	}
	if (result < 0)
		mcp_dispatch_refuse(server, &waiter, &err);
}

/* Unknown ones are none of our business, and none is ever answered. */
static void dispatch_notification(struct mcp_server *server, const struct mcp_message *message)
{
	mcp_notification_fn fn = mcp_notification_find(message->method);

	if (fn != NULL)
		fn(server, message);
}

void mcp_dispatch_message(
    struct mcp_server *server, struct mcp_message *message, struct mcp_batch *batch)
{
	struct mcp_waiter waiter = waiter_of(message, batch);

	switch (message->kind) {
	case MCP_REQUEST:
		dispatch_request(server, message, batch);
		break;
	case MCP_NOTIFICATION:
		dispatch_notification(server, message);
		break;
	case MCP_BATCH:
		if (batch == NULL) {
			mcp_batch_dispatch(server, message);
			break;
		}
		(void)err_set(&message->err, ERR_INVALID_REQUEST, "a batch holds no other batch");
		mcp_dispatch_refuse(server, &waiter, &message->err);
		break;
	case MCP_RESPONSE:
		mcp_elicit_response(server, json_root(&message->doc));
		break;
	case MCP_IGNORED:
		if (err_is_set(&message->err))
			host_note_protocol_fault(server->host, message->err.code);
		break;
	case MCP_REFUSED:
		mcp_dispatch_refuse(server, &waiter, &message->err);
		break;
	}
	mcp_message_release(message);
}

void mcp_dispatch_line(struct mcp_server *server, const char *line, size_t len, bool is_rest)
{
	cleanup_mcp_message struct mcp_message message = MCP_MESSAGE_INIT;

	mcp_message_read(&message, xmemdupz(line, len), len);
	/* What broke off in the middle of a line is no message that anyone waits for. */
	if (is_rest && message.kind == MCP_REFUSED && message.err.code == ERR_PARSE)
		return;
	mcp_dispatch_message(server, &message, NULL);
}
