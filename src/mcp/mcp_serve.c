/* SPDX-License-Identifier: MIT */
/*
 * The server on its loop: reads, hands lines on, and at the end of each turn lets the host write
 * its records and then the answers out, in this order (DESIGN §6).
 *
 * Reading never stops because a tool runs or because the reader of answers is slow: a client may
 * write ten thousand requests before it reads one answer. But past LIMIT_BACKLOG bytes of answers
 * no call is started and no line is taken; lines then wait as bytes, up to a bound of their own.
 */
#include "mcp/mcp_internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"

/* Bytes of one read. Few, for what programs print, and their ends, are not to wait for hundreds of
 * lines that came at once. */
#define READ_BYTES (8 * KIB)

/* Bytes that may wait as input before reading pauses: past two of the largest lines. */
#define INPUT_BYTES (2 * LIMIT_FRAME_IN)

/* ---- lines ---- */

static bool is_clogged(const struct mcp_server *server)
{
	return mcp_output_pending(&server->output) > LIMIT_BACKLOG;
}

static void refuse_long_line(struct mcp_server *server)
{
	cleanup_err struct err err = ERR_INIT;

	(void)err_set(&err, ERR_INVALID_REQUEST, "the message is larger than %zu bytes",
	    (size_t)LIMIT_FRAME_IN);
	mcp_dispatch_refuse(server, &(struct mcp_waiter){ 0 }, &err);
}

/* Handles the lines that are there; true when there was one. */
static bool take_lines(struct mcp_server *server)
{
	bool was_any = false;

	while (server->end <= MCP_END_INPUT && !is_clogged(server)) {
		const char *line = NULL;
		size_t len = 0;
		enum mcp_frame frame = mcp_frames_next(&server->frames, &line, &len);

		if (frame == MCP_FRAME_NONE)
			break;
		was_any = true;
		if (frame == MCP_FRAME_TOO_LONG)
			refuse_long_line(server);
		else
			mcp_dispatch_line(server, line, len, frame == MCP_FRAME_REST);
	}
	return was_any;
}

/* ---- input ---- */

static void end_input(struct mcp_server *server)
{
	loop_fd_remove(server->in);
	server->in = NULL;
	mcp_frames_end(&server->frames);
	(void)take_lines(server);
}

static void on_input(void *ctx, short revents)
{
	struct mcp_server *server = ctx;
	char *room = mcp_frames_reserve(&server->frames, READ_BYTES);
	ssize_t n = read(server->in_fd, room, READ_BYTES);

	(void)revents;
	if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
		return;
	if (n <= 0) {
		end_input(server);
		return;
	}
	mcp_frames_commit(&server->frames, (size_t)n);
	(void)take_lines(server);
}

static void pause_input(struct mcp_server *server)
{
	bool is_full = mcp_frames_pending(&server->frames) >= INPUT_BYTES;

	if (server->in == NULL || is_full == server->is_in_paused)
		return;
	server->is_in_paused = is_full;
	loop_fd_set_events(server->in, is_full ? 0 : POLLIN);
}

/* ---- output and signal ---- */

/* Only tells that the reader is gone: writing is done at the end of the turn. */
static void on_output(void *ctx, short revents)
{
	struct mcp_server *server = ctx;

	if ((revents & (POLLERR | POLLHUP)) != 0)
		server->output.is_broken = true;
}

/* The descriptor stays readable; who watches it any longer spins. */
static void on_signal(void *ctx, short revents)
{
	struct mcp_server *server = ctx;

	(void)revents;
	loop_fd_remove(server->signal);
	server->signal = NULL;
	mcp_end_begin(server, MCP_END_SIGNAL);
}

/* ---- a turn ---- */

/* Records first, then answers; then lines that had to wait for the reader, until none is left
 * that can be taken now. */
static void settle(struct mcp_server *server)
{
	do {
		host_flush(server->host);
		mcp_changed_flush(server);
		if (server->end != MCP_RUNNING)
			mcp_listen_close_all(server);
		mcp_output_write(&server->output);
	} while (take_lines(server));
}

/* Programs start behind the answers: starting eight takes longer than one short program runs. */
static void settle_and_start(struct mcp_server *server)
{
	do
		settle(server);
	while (!host_start_ready(server->host));
}

/* True when an end begins in this turn. */
static bool begin_end(struct mcp_server *server)
{
	enum mcp_end before = server->end;

	if (server->in == NULL)
		mcp_end_begin(server, MCP_END_INPUT);
	if (server->output.is_broken)
		mcp_end_begin(server, MCP_END_OUTPUT);
	return server->end != before;
}

/* What was read with the end of input is settled before the end begins, so that a call among it
 * has taken its first steps; what the end finishes is settled after. */
static void on_turn_end(void *ctx)
{
	struct mcp_server *server = ctx;

	settle_and_start(server);
	if (server->is_progress_due)
		mcp_progress_flush(server, clock_monotonic_ms());
	if (begin_end(server))
		settle_and_start(server);
	while (host_hold(server->host, is_clogged(server)))
		settle_and_start(server);
	pause_input(server);
	mcp_end_check(server);
}

/* ---- lifecycle ---- */

/* Returns the flags as they were. */
static int make_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0)
		(void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	return flags;
}

/* The open file may be shared with whoever started us, such as a shell on a terminal. */
static void restore_flags(int fd, int flags)
{
	if (flags >= 0)
		(void)fcntl(fd, F_SETFL, flags);
}

struct mcp_server *mcp_server_new(
    struct host *host, struct loop *loop, int in_fd, int out_fd, int signal_fd)
{
	struct mcp_server *server = xcalloc(1, sizeof(*server));

	/* A reader that is gone is an error of write(2), not our death. */
	(void)signal(SIGPIPE, SIG_IGN);
	server->host = host;
	server->loop = loop;
	server->in_fd = in_fd;
	server->in_flags = make_nonblocking(in_fd);
	server->out_flags = make_nonblocking(out_fd);
	server->frames = MCP_FRAMES_INIT;
	LIST_INIT(&server->calls);
	LIST_INIT(&server->listings);
	LIST_INIT(&server->streams);
	mcp_output_init(&server->output, loop, out_fd, on_output, server);
	server->in = loop_add_fd(loop, in_fd, POLLIN, on_input, server);
	server->signal = loop_add_fd(loop, signal_fd, POLLIN, on_signal, server);
	loop_set_turn_end(loop, on_turn_end, server);
	return server;
}

/* Calls that the host still holds find nobody waiting when they end. */
static void abandon(struct mcp_server *server, struct mcp_flight_list *list)
{
	while (!LIST_EMPTY(list)) {
		struct mcp_flight *flight = LIST_FIRST(list);

		host_waiter_remove(server->host, &flight->scope);
		mcp_progress_end(server, flight);
		mcp_elicit_drop(flight);
		mcp_flight_unlist(server, flight);
		LIST_REMOVE(flight, link);
		if (flight->waiter.batch != NULL)
			mcp_batch_close(server, flight->waiter.batch);
		flight->server = NULL;
		if (flight->call == NULL)
			mcp_flight_free(flight);
	}
}

void mcp_server_free(struct mcp_server *server)
{
	if (server == NULL)
		return;
	if (server->is_watching)
		host_watch(server->host, false, NULL, NULL);
	loop_set_turn_end(server->loop, NULL, NULL);
	loop_fd_remove(server->in);
	loop_fd_remove(server->signal);
	mcp_end_release(server);
	abandon(server, &server->calls);
	abandon(server, &server->listings);
	abandon(server, &server->streams);
	mcp_flights_release(&server->flights);
	mcp_lists_release(&server->lists);
	mcp_session_release(&server->session);
	mcp_frames_release(&server->frames);
	mcp_output_release(&server->output);
	/* In this order: both may be one open file, whose first flags are those of the input. */
	restore_flags(server->output.fd, server->out_flags);
	restore_flags(server->in_fd, server->in_flags);
	free(server);
}

int mcp_serve(struct mcp_server *server, struct err *err)
{
	while (!server->is_over) {
		if (loop_turn(server->loop, err) < 0)
			return -1;
	}
	return 0;
}
