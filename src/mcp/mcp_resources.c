/* SPDX-License-Identifier: MIT */
/*
 * resources/list, resources/templates/list, resources/read (specs/protocol.md §8). They exist where
 * the capability was advertised: in a session that was told of it, and for a modern request while
 * a served surface has resources, or had some. Subscriptions are not offered: nothing here knows when
 * what a program would print has changed.
 */
#include "mcp/mcp_internal.h"

#include <stdlib.h>
#include <string.h>

static int check_advertised(
    const struct mcp_server *server, const struct mcp_request *request, struct err *err)
{
	bool is_advertised = request->waiter.revision->is_modern ? host_has_resources(server->host)
								 : server->session.has_resources;

	return is_advertised ? 0
			     : err_set(err, ERR_METHOD_NOT_FOUND,
				   "no surface that is served here has resources");
}

/* ---- lists ---- */

static void write_resource(
    struct json_writer *w, const void *items, size_t index, const struct mcp_revision *revision)
{
	const struct resource *const *resources = items;
	const struct resource *resource = resources[index];

	json_write_object_begin(w);
	json_write_member_string(w, resource->is_template ? "uriTemplate" : "uri", resource->uri);
	json_write_member_string(w, "name", resource->name);
	if (revision->has_titles && resource->title != NULL)
		json_write_member_string(w, "title", resource->title);
	if (resource->description != NULL)
		json_write_member_string(w, "description", resource->description);
	json_write_member_string(w, "mimeType", resource->mime);
	json_write_object_end(w);
}

static const char *name_resource(const void *items, size_t index)
{
	const struct resource *const *resources = items;

	return resources[index]->uri;
}

void mcp_pages_make_resources(struct mcp_pages *ret_pages, const struct mcp_revision *revision,
    const struct resource *const *resources, size_t len, bool is_templates)
{
	const struct resource **chosen = xcalloc(len > 0 ? len : 1, sizeof(*chosen));
	struct mcp_listing listing = { .member = is_templates ? "resourceTemplates" : "resources",
		.items = chosen,
		.write = write_resource,
		.name = name_resource };

	for (size_t i = 0; i < len; i++) {
		if (resources[i]->is_template == is_templates)
			chosen[listing.len++] = resources[i];
	}
	mcp_pages_make(ret_pages, revision, &listing);
	free(chosen);
}

static const struct mcp_pages *list(
    struct mcp_server *server, const struct mcp_revision *revision, bool is_templates)
{
	struct mcp_lists *lists = mcp_lists_now(server);
	struct mcp_pages *pages =
	    &(is_templates ? lists->templates : lists->resources)[revision - mcp_revisions];

	if (pages->len == 0) {
		uint64_t generation;
		size_t len;
		const struct resource *const *resources =
		    host_resources(server->host, &len, &generation);

		mcp_pages_make_resources(pages, revision, resources, len, is_templates);
	}
	return pages;
}

static const struct mcp_pages *list_resources(
    struct mcp_server *server, const struct mcp_revision *revision)
{
	return list(server, revision, false);
}

static const struct mcp_pages *list_templates(
    struct mcp_server *server, const struct mcp_revision *revision)
{
	return list(server, revision, true);
}

int mcp_resources_list(struct mcp_server *server, struct mcp_request *request, struct err *err)
{
	if (check_advertised(server, request, err) < 0)
		return -1;
	return mcp_pages_reply(server, request, list_resources, err);
}

int mcp_resources_templates(struct mcp_server *server, struct mcp_request *request, struct err *err)
{
	if (check_advertised(server, request, err) < 0)
		return -1;
	return mcp_pages_reply(server, request, list_templates, err);
}

/* ---- read ---- */

/* The read has ended; a cancelled one is answered to nobody. */
static void on_done(void *ctx, const struct call_outcome *outcome)
{
	struct mcp_flight *flight = ctx;
	struct mcp_server *server = flight->server;

	if (server != NULL) {
		mcp_progress_end(server, flight);
		if (flight->is_listed)
			mcp_reply_read(server, flight, outcome);
	}
	mcp_flight_free(flight);
}

/* The URI, or NULL and err. */
static const char *read_uri(const struct json *params, struct err *err)
{
	const struct json *uri = json_get(params, "uri");

	if (json_text(uri) == NULL) {
		err_set(err, ERR_INVALID_PARAMS, "uri is required and must be a string");
		return NULL;
	}
	if (uri->len > LIMIT_URI) {
		err_set(err, ERR_INVALID_PARAMS, "uri is longer than %zu bytes", LIMIT_URI);
		return NULL;
	}
	return json_text(uri);
}

int mcp_resources_read(struct mcp_server *server, struct mcp_request *request, struct err *err)
{
	const struct call_client client = {
		.protocol = request->waiter.revision->name,
		.name = request->client_name,
		.answer = CALL_UNANSWERED,
	};
	struct mcp_flight *flight;
	const char *uri;

	if (check_advertised(server, request, err) < 0)
		return -1;
	uri = read_uri(request->message->params, err);
	if (uri == NULL)
		return -1;
	flight = mcp_flight_new(server, request->message->id, &request->waiter);
	LIST_INSERT_HEAD(&server->calls, flight, link);
	if (request->token != NULL)
		mcp_progress_begin(server, flight, request->token);
	flight->call = call_new_read(server->host, &client, uri, on_done, flight);
	call_start(flight->call);
	return 0;
}
