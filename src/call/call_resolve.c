/* SPDX-License-Identifier: MIT */
/* resolve: name → tool, among the surfaces as they are now. */
#include "call/call_internal.h"

#include <string.h>

enum call_step call_resolve(struct call *call)
{
	struct host *host = call->host;

	(void)host_refresh(host);
	for (size_t i = 0; i < host->served_len; i++) {
		struct served *served = &host->served[i];
		const struct tool *tool;

		if (served->loaded == NULL)
			continue;
		tool = surface_find_tool(served->loaded->surface, call->name);
		if (tool == NULL)
			continue;
		call->tool = tool;
		call->served = served;
		call->loaded = served->loaded;
		call->loaded->references++;
		return CALL_NEXT;
	}
	err_set(&call->err, ERR_TOOL_NOT_FOUND, "no such tool");
	return CALL_FAIL;
}
