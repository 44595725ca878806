/* SPDX-License-Identifier: MIT */
/*
 * tools/call: params into a struct call, and its outcome back to who waits for it. What the
 * arguments mean is call/'s business; here only their JSON type counts (specs/protocol.md §7).
 */
#include "mcp/mcp_internal.h"

/* The call has ended; a cancelled one is answered to nobody. */
static void on_done(void *ctx, const struct call_outcome *outcome)
{
	struct mcp_flight *flight = ctx;
	struct mcp_server *server = flight->server;

	if (server != NULL) {
		mcp_progress_end(server, flight);
		mcp_elicit_drop(flight);
		if (flight->is_listed)
			mcp_reply_outcome(server, flight, outcome);
	}
	mcp_flight_free(flight);
}

static int check_params(const struct json *params, struct err *err)
{
	const struct json *name = json_get(params, "name");
	const struct json *arguments = json_get(params, "arguments");

	if (json_text(name) == NULL)
		return err_set(err, ERR_INVALID_PARAMS, "name is required and must be a string");
	if (arguments != NULL && arguments->type != JSON_OBJECT)
		return err_set(err, ERR_INVALID_PARAMS, "arguments must be an object");
	return 0;
}

int mcp_tools_call(struct mcp_server *server, struct mcp_request *request, struct err *err)
{
	const struct json *params = request->message->params;
	bool is_modern = request->waiter.revision->is_modern;
	struct call_client client = {
		.protocol = request->waiter.revision->name,
		.name = request->client_name,
		.can_ask = request->can_ask,
	};
	struct mcp_flight *flight;
	const char *name;

	if (check_params(params, err) < 0)
		return -1;
	if (is_modern && mcp_elicit_read_round_trip(params, &client, err) < 0)
		return -1;
	name = json_text(json_get(params, "name"));
	flight = mcp_flight_new(server, request->message->id, &request->waiter);
	LIST_INSERT_HEAD(&server->calls, flight, link);
	flight->tool = xstrdup(name);
	flight->can_ask = request->can_ask;
	if (request->token != NULL)
		mcp_progress_begin(server, flight, request->token);
	client.ask = is_modern ? NULL : mcp_elicit_ask;
	client.ask_ctx = flight;
	flight->call = call_new(server->host, &client, name, &request->message->doc,
	    json_get(params, "arguments"), on_done, flight);
	call_start(flight->call);
	return 0;
}
