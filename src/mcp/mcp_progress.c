/* SPDX-License-Identifier: MIT */
/*
 * Notes of progress, for calls that gave a token and for no others (specs/protocol.md §10,
 * clients.md Q75): the seconds that passed, so that a client which restarts its clock on progress
 * does not give up. First after five seconds, then every ten.
 *
 * A note never shares a write with an answer: one client reports a note that it reads together
 * with the answer as an error. So notes are written by themselves when everything else has left,
 * and are dropped when the reader has no room.
 */
#include "mcp/mcp_internal.h"

#include <stdlib.h>

#include "base/clock.h"

#define FIRST_MS ((int64_t)5000)
#define EVERY_MS ((int64_t)10000)

/* One timer for all calls: ten thousand waiting ones need no ten thousand timers. */
#define TICK_MS ((int64_t)1000)

static void on_tick(void *ctx)
{
	struct mcp_server *server = ctx;

	server->is_progress_due = true;
	server->tick = loop_add_timer(server->loop, TICK_MS, on_tick, server);
}

void mcp_progress_begin(
    struct mcp_server *server, struct mcp_flight *flight, const struct json *token)
{
	flight->token = xmemdupz(token->raw, token->raw_len);
	flight->started_ms = clock_monotonic_ms();
	flight->next_progress_ms = flight->started_ms + FIRST_MS;
	if (server->tokens++ == 0)
		server->tick = loop_add_timer(server->loop, TICK_MS, on_tick, server);
}

void mcp_progress_end(struct mcp_server *server, struct mcp_flight *flight)
{
	if (flight->token == NULL)
		return;
	free(steal_ptr(&flight->token));
	if (--server->tokens == 0) {
		loop_timer_remove(server->tick);
		server->tick = NULL;
	}
}

void mcp_progress_add_note(struct buf *buf, const struct mcp_flight *flight, int64_t now_ms)
{
	struct json_writer w = JSON_WRITER_INIT(buf);
	int64_t seconds = (now_ms - flight->started_ms) / 1000;
	cleanup_buf struct buf text = BUF_INIT;

	buf_adds(buf, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":");
	json_write_object_begin(&w);
	json_write_member_raw(&w, "progressToken", flight->token);
	json_write_member_int(&w, "progress", seconds);
	if (flight->waiter.revision->has_annotations) {
		buf_addf(&text, "%s, %lld s",
		    flight->question != NULL ? "waiting for a person" : "running",
		    (long long)seconds);
		json_write_member_string(&w, "message", text.data);
	}
	json_write_object_end(&w);
	buf_adds(buf, "}\n");
}

void mcp_progress_flush(struct mcp_server *server, int64_t now_ms)
{
	cleanup_buf struct buf note = BUF_INIT;
	struct mcp_flight *flight;

	server->is_progress_due = false;
	LIST_FOREACH(flight, &server->calls, link)
	{
		if (mcp_output_pending(&server->output) > 0)
			break;
		if (flight->token == NULL || now_ms < flight->next_progress_ms)
			continue;
		flight->next_progress_ms = now_ms + EVERY_MS;
		buf_reset(&note);
		mcp_progress_add_note(&note, flight, now_ms);
		mcp_output_write_or_drop(&server->output, note.data, note.len);
	}
}
