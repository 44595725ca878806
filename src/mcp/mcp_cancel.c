/* SPDX-License-Identifier: MIT */
/*
 * notifications/cancelled, of either era, for a request of either era (specs/protocol.md §10).
 * From here on nothing is sent for that id, and the id is free; what does not match is ignored.
 */
#include "mcp/mcp_internal.h"

void mcp_cancelled(struct mcp_server *server, const struct mcp_message *message)
{
	const struct json *id = json_get(message->params, "requestId");
	struct mcp_flight *flight;

	if (!mcp_id_is_valid(id))
		return;
	flight = mcp_flight_find(&server->flights, id);
	if (flight == NULL)
		return;
	if (flight->list != NULL) {
		mcp_flight_free(flight);
		return;
	}
	if (flight->call == NULL) {
		server->streams_len--;
		mcp_flight_free(flight);
		mcp_changed_watch(server);
		return;
	}
	mcp_flight_unlist(server, flight);
	mcp_progress_end(server, flight);
	mcp_elicit_drop(flight);
	call_cancel(flight->call);
}
