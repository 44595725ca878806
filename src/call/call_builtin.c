/* SPDX-License-Identifier: MIT */
/*
 * Tools answered in process: `builtin: context` tells a caller where it is and what it may do. Of what
 * is hidden it says how much there is, and no name.
 */
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

/* An object with id and name, without what is not known of it; null when nothing is. */
static void write_place(struct json_writer *w, const char *member, const char *id, const char *name)
{
	json_write_key(w, member);
	if (id == NULL && name == NULL) {
		json_write_null(w);
		return;
	}
	json_write_object_begin(w);
	if (id != NULL)
		json_write_member_string(w, "id", id);
	if (name != NULL)
		json_write_member_string(w, "name", name);
	json_write_object_end(w);
}

static void write_contract(const struct decision *decision, struct json_writer *w)
{
	json_write_key(w, "contract");
	if (decision->contract_version == NULL) {
		json_write_null(w);
		return;
	}
	json_write_object_begin(w);
	json_write_member_string(w, "file", decision->contract_file);
	json_write_member_string(w, "version", decision->contract_version);
	if (decision->contract_number > 0)
		json_write_member_int(w, "number", decision->contract_number);
	json_write_object_end(w);
}

static void write_tools(const struct host *host, struct json_writer *w)
{
	cleanup_strvec struct strvec visible = STRVEC_INIT;
	size_t hidden = host_count_visible(host, &host->scope.decision.gate, &visible);

	json_write_key(w, "tools");
	json_write_array_begin(w);
	for (size_t i = 0; i < visible.len; i++)
		json_write_string(w, visible.items[i]);
	json_write_array_end(w);
	json_write_member_int(w, "hidden", (int64_t)hidden);
}

void call_write_context(const struct call *call, struct surface_result *ret_result)
{
	const struct host *host = call->host;
	const struct decision *decision = &host->scope.decision;
	struct json_writer w = JSON_WRITER_INIT(&ret_result->json);

	json_write_object_begin(&w);
	json_write_member_string(&w, "server_version", STILE_VERSION);
	write_surfaces(host, &w);
	write_place(&w, "workspace", decision->workspace, decision->workspace_name);
	write_place(&w, "stage", decision->stage, decision->stage_name);
	json_write_member_string(
	    &w, "rank", decision->gate.has_scope ? gate_rank_name(decision->gate.rank) : NULL);
	write_contract(decision, &w);
	write_tools(host, &w);
	json_write_member_string(&w, "scope_event", decision->event);
	json_write_object_end(&w);
}
