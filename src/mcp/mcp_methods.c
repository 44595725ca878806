/* SPDX-License-Identifier: MIT */
/*
 * The methods we serve and the states in which each exists: a row is the only place to touch
 * (specs/protocol.md §3 to §5). What stands in no row is unknown, in every state.
 */
#include "mcp/mcp_internal.h"

#include <string.h>

static const struct mcp_method methods[] = {
	/* Most frequent first: the table is searched from the top. */
	{ "tools/call", MCP_IN_SESSION | MCP_MODERN | MCP_IN_BATCH, mcp_tools_call },
	{ "tools/list", MCP_IN_SESSION | MCP_MODERN | MCP_IN_BATCH, mcp_tools_list },
	{ "resources/read", MCP_IN_SESSION | MCP_MODERN | MCP_IN_BATCH, mcp_resources_read },
	{ "resources/list", MCP_IN_SESSION | MCP_MODERN | MCP_IN_BATCH, mcp_resources_list },
	{ "resources/templates/list", MCP_IN_SESSION | MCP_MODERN | MCP_IN_BATCH,
	    mcp_resources_templates },
	{ "ping", MCP_BEFORE_SESSION | MCP_IN_SESSION | MCP_IN_BATCH, mcp_ping },
	{ "initialize", MCP_BEFORE_SESSION | MCP_IN_SESSION, mcp_initialize },
	{ "server/discover", MCP_MODERN, mcp_discover },
	{ "subscriptions/listen", MCP_MODERN, mcp_listen },
};

static const struct {
	const char *name;
	mcp_notification_fn fn;
} notifications[] = {
	{ "notifications/cancelled", mcp_cancelled },
	{ "notifications/initialized", mcp_initialized },
};

const struct mcp_method *mcp_method_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		if (strcmp(methods[i].name, name) == 0)
			return &methods[i];
	}
	return NULL;
}

mcp_notification_fn mcp_notification_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(notifications); i++) {
		if (strcmp(notifications[i].name, name) == 0)
			return notifications[i].fn;
	}
	return NULL;
}

/* A ping's result is empty to the last member: SDK clients check it with a closed schema. */
int mcp_ping(struct mcp_server *server, struct mcp_request *request, struct err *err)
{
	static const char result[] = ",\"result\":{}}";

	(void)err;
	mcp_reply_ready(server, &request->waiter, result, sizeof(result) - 1);
	return 0;
}
