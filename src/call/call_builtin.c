/* SPDX-License-Identifier: MIT */
/* Tools answered in process: `builtin: context` tells a caller where it is and what it may do. */
#include "call/call_internal.h"

static void write_surfaces(const struct host *host, struct json_writer *w)
{
	json_write_key(w, "surfaces");
	json_write_array_begin(w);
	for (size_t i = 0; i < host->served_len; i++) {
		if (host->served[i].loaded != NULL)
			json_write_string(w, host->served[i].loaded->surface->name);
	}
	json_write_array_end(w);
}

static void write_tools(const struct host *host, struct json_writer *w)
{
	json_write_key(w, "tools");
	json_write_array_begin(w);
	for (size_t i = 0; i < host->tools_len; i++)
		json_write_string(w, host->tools[i]->name);
	json_write_array_end(w);
}

void call_write_context(const struct call *call, struct surface_result *ret_result)
{
	const struct host *host = call->host;
	struct json_writer w = JSON_WRITER_INIT(&ret_result->json);

	json_write_object_begin(&w);
	json_write_member_string(&w, "server_version", STILE_VERSION);
	write_surfaces(host, &w);
	json_write_member_string(&w, "workspace", host->options->workspace);
	json_write_member_string(&w, "stage", host->options->stage);
	write_tools(host, &w);
	json_write_object_end(&w);
}
