/* SPDX-License-Identifier: MIT */
/*
 * The end of the server, in one of three ways (DESIGN §7): the end of input, a signal, a reader of
 * answers who is gone. In each no further call is started, streams get their last word, children
 * get TERM and then KILL, what is queued leaves, and a deadline stands behind it all.
 */
#include "mcp/mcp_internal.h"

/* How long each way waits: for running calls, from then until KILL, and for everything. */
static const struct {
	int64_t grace_ms;
	int64_t deadline_ms;
} waits[] = {
	[MCP_END_INPUT] = { LIMIT_EOF_GRACE_MS, LIMIT_FLUSH_MS },
	[MCP_END_OUTPUT] = { 0, LIMIT_TERM_EXIT_MS },
	[MCP_END_SIGNAL] = { 0, LIMIT_TERM_EXIT_MS },
};

static void on_kill(void *ctx)
{
	struct mcp_server *server = ctx;

	server->kill = NULL;
	host_kill(server->host);
}

static void on_terminate(void *ctx)
{
	struct mcp_server *server = ctx;

	server->terminate = NULL;
	host_terminate(server->host);
	server->kill = loop_add_timer(server->loop, LIMIT_KILL_GRACE_MS, on_kill, server);
}

/* Whoever still reads gets no more; no child outlives us. */
static void on_deadline(void *ctx)
{
	struct mcp_server *server = ctx;

	server->deadline = NULL;
	host_kill(server->host);
	server->is_over = true;
}

void mcp_end_release(struct mcp_server *server)
{
	loop_timer_remove(server->terminate);
	loop_timer_remove(server->kill);
	loop_timer_remove(server->deadline);
	server->terminate = NULL;
	server->kill = NULL;
	server->deadline = NULL;
}

void mcp_end_begin(struct mcp_server *server, enum mcp_end why)
{
	if (why <= server->end)
		return;
	server->end = why;
	mcp_changed_watch(server);
	/* Only the end of input leaves lines that are still to be answered. */
	if (why != MCP_END_INPUT) {
		loop_fd_remove(server->in);
		server->in = NULL;
	}
	host_drain(server->host);
	mcp_end_release(server);
	server->deadline =
	    loop_add_timer(server->loop, waits[why].deadline_ms, on_deadline, server);
	if (waits[why].grace_ms > 0)
		server->terminate =
		    loop_add_timer(server->loop, waits[why].grace_ms, on_terminate, server);
	else
		on_terminate(server);
}

/* Lines that came before the end of input are still answered; after a signal they are not. */
void mcp_end_check(struct mcp_server *server)
{
	if (server->end == MCP_RUNNING || host_active(server->host) > 0 ||
	    !LIST_EMPTY(&server->listings))
		return;
	if (mcp_output_pending(&server->output) > 0)
		return;
	if (server->end == MCP_END_INPUT && mcp_frames_pending(&server->frames) > 0)
		return;
	server->is_over = true;
}
