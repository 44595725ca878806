/* SPDX-License-Identifier: MIT */
/*
 * The pages of lists (specs/protocol.md §7, §8, §10). The bytes are prepared once for each revision and
 * each generation of the host's visible set; an answer is an id between two constants. The order is
 * the host's, the same in every process.
 *
 * A cursor is made of the name of the last item before its page: it means the same in the next
 * process, and means nothing once the boundary has moved, so that a client that walks a list which
 * changed is told, and begins anew.
 */
#include "mcp/mcp_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/ids.h"

/* A page ends early rather than come near the bound of a line. */
#define PAGE_BYTES (4 * MIB)

void mcp_pages_release(struct mcp_pages *pages)
{
	for (size_t i = 0; i < pages->len; i++)
		buf_release(&pages->items[i].answer);
	free(pages->items);
	*pages = (struct mcp_pages){ 0 };
}

/* ---- making ---- */

static struct mcp_page *add_page(struct mcp_pages *pages)
{
	struct mcp_page *page;

	ARRAY_GROW(pages->items, pages->len, pages->cap);
	page = &pages->items[pages->len++];
	*page = (struct mcp_page){ .answer = BUF_INIT };
	return page;
}

static void set_cursor(struct mcp_page *page, const char *last)
{
	struct digest digest = digest_of(last, strlen(last));
	char text[DIGEST_TEXT_SIZE];

	digest_format(&digest, text);
	memcpy(page->cursor, text, sizeof(page->cursor) - 1);
}

/* Writes the page that begins with item from, at least one if there are any; returns where the next
 * one begins. */
static size_t write_page(struct buf *buf, const struct mcp_revision *revision,
    const struct mcp_listing *listing, size_t from)
{
	struct json_writer w = JSON_WRITER_INIT(buf);
	size_t end = listing->len - from > LIMIT_LIST_PAGE ? from + LIMIT_LIST_PAGE : listing->len;

	buf_adds(buf, ",\"result\":");
	json_write_object_begin(&w);
	if (revision->is_modern)
		json_write_member_string(&w, "resultType", "complete");
	json_write_key(&w, listing->member);
	json_write_array_begin(&w);
	while (from < end && buf->len < PAGE_BYTES)
		listing->write(&w, listing->items, from++, revision);
	json_write_array_end(&w);
	return from;
}

/* The members behind the items; next_cursor is the following page's, or NULL. */
static void end_page(struct buf *buf, const struct mcp_revision *revision, const char *next_cursor)
{
	if (next_cursor != NULL) {
		buf_adds(buf, ",\"nextCursor\":");
		json_quote(buf, next_cursor, strlen(next_cursor));
	}
	if (revision->is_modern)
		buf_adds(buf, "," MCP_CACHE "," MCP_META);
	buf_adds(buf, "}}");
}

void mcp_pages_make(struct mcp_pages *ret_pages, const struct mcp_revision *revision,
    const struct mcp_listing *listing)
{
	struct mcp_pages pages = { 0 };
	size_t from = 0;

	(void)add_page(&pages);
	for (;;) {
		struct mcp_page *page = &pages.items[pages.len - 1];

		from = write_page(&page->answer, revision, listing, from);
		if (from == listing->len) {
			end_page(&page->answer, revision, NULL);
			break;
		}
		set_cursor(add_page(&pages), listing->name(listing->items, from - 1));
		end_page(&pages.items[pages.len - 2].answer, revision,
		    pages.items[pages.len - 1].cursor);
	}
	*ret_pages = pages;
}

/* ---- asking for one ---- */

const struct mcp_page *mcp_pages_find(const struct mcp_pages *pages, const char *cursor)
{
	for (size_t i = 0; i < pages->len; i++) {
		if (strcmp(pages->items[i].cursor, cursor) == 0)
			return &pages->items[i];
	}
	return NULL;
}

static int reply(struct mcp_server *server, const struct mcp_waiter *waiter, mcp_list_fn list,
    const char *cursor, struct err *err)
{
	const struct mcp_pages *pages = list(server, waiter->revision);
	const struct mcp_page *page = mcp_pages_find(pages, cursor != NULL ? cursor : "");

	if (page == NULL)
		return err_set(err, ERR_INVALID_PARAMS,
		    "no page has this cursor, or the list has changed; begin again without one");
	mcp_reply_ready(server, waiter, page->answer.data, page->answer.len);
	return 0;
}

static void on_decided(void *ctx)
{
	struct mcp_flight *flight = ctx;
	struct mcp_server *server = flight->server;
	cleanup_err struct err err = ERR_INIT;

	if (reply(server, &flight->waiter, flight->list, flight->cursor, &err) < 0)
		mcp_dispatch_refuse(server, &flight->waiter, &err);
	mcp_flight_free(flight);
}

int mcp_pages_reply(
    struct mcp_server *server, struct mcp_request *request, mcp_list_fn list, struct err *err)
{
	const struct json *cursor = json_get(request->message->params, "cursor");
	struct mcp_flight *flight;

	if (cursor != NULL && json_text(cursor) == NULL)
		return err_set(err, ERR_INVALID_PARAMS, "cursor must be a string");
	flight = mcp_flight_new(server, request->message->id, &request->waiter);
	flight->list = list;
	flight->cursor = xstrdup(json_text(cursor));
	flight->scope = (struct host_waiter){ .fn = on_decided, .ctx = flight };
	LIST_INSERT_HEAD(&server->listings, flight, link);
	if (host_decide(server->host, &flight->scope)) {
		on_decided(flight);
	} else if (server->flights.len > LIMIT_WAITING) {
		mcp_flight_free(flight);
		return err_set(
		    err, ERR_UNAVAILABLE, "more than %zu requests are waiting", LIMIT_WAITING);
	}
	return 0;
}

/* ---- all lists of one generation ---- */

void mcp_lists_release(struct mcp_lists *lists)
{
	for (size_t i = 0; i < MCP_REVISIONS; i++) {
		mcp_pages_release(&lists->tools[i]);
		mcp_pages_release(&lists->resources[i]);
		mcp_pages_release(&lists->templates[i]);
	}
	strvec_release(&lists->promised);
	*lists = (struct mcp_lists){ 0 };
}

struct mcp_lists *mcp_lists_now(struct mcp_server *server)
{
	struct mcp_lists *lists = &server->lists;
	uint64_t generation;
	size_t tools_len;
	const struct tool *const *tools = host_tools(server->host, &tools_len, &generation);

	if (lists->is_known && lists->generation == generation)
		return lists;
	mcp_lists_release(lists);
	lists->is_known = true;
	lists->generation = generation;
	for (size_t i = 0; i < tools_len; i++) {
		if (tools[i]->output_schema != NULL)
			strvec_push(&lists->promised, tools[i]->name);
	}
	return lists;
}
