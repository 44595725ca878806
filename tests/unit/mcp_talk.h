/* SPDX-License-Identifier: MIT */
#ifndef UNIT_MCP_TALK_H
#define UNIT_MCP_TALK_H

/* A conversation with an mcp_server over pipes, in one process: the test is the client. Include
 * after unit.h. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "mcp/mcp_internal.h"

struct talk {
	struct loop *loop;
	struct mcp_server *server;
	int to;          /* the server's input */
	int from;        /* its output */
	int signal;      /* written to: the signal comes */
	int inner[3];    /* the server's own ends */
	struct buf seen; /* what it said */
	size_t taken;    /* bytes at the start of seen that were taken as lines */
	bool is_late;    /* the guard of a turn fired */
};

/* ---- lifecycle ---- */

static inline void talk_pipe(int *ret_read, int *ret_write)
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	*ret_read = fds[0];
	*ret_write = fds[1];
}

static inline void talk_set_nonblocking(int fd)
{
	assert_int_equal(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK), 0);
}

/* The loop and the pipes; then talk_serve(), once there is a host. */
static inline void talk_open(struct talk *talk)
{
	*talk = (struct talk){ .loop = loop_new(), .seen = BUF_INIT_MAX(SIZE_MAX / 2) };
	talk_pipe(&talk->inner[0], &talk->to);
	talk_pipe(&talk->from, &talk->inner[1]);
	talk_pipe(&talk->inner[2], &talk->signal);
	talk_set_nonblocking(talk->to);
	talk_set_nonblocking(talk->from);
}

static inline void talk_serve(struct talk *talk, struct host *host)
{
	talk->server =
	    mcp_server_new(host, talk->loop, talk->inner[0], talk->inner[1], talk->inner[2]);
}

/* Frees the server; the host is freed before talk_close(). */
static inline void talk_end(struct talk *talk)
{
	mcp_server_free(talk->server);
	talk->server = NULL;
}

static inline void talk_close(struct talk *talk)
{
	loop_free(talk->loop);
	close_fd(&talk->to);
	close_fd(&talk->from);
	close_fd(&talk->signal);
	for (size_t i = 0; i < ARRAY_LEN(talk->inner); i++)
		close_fd(&talk->inner[i]);
	buf_release(&talk->seen);
}

/* ---- turns ---- */

static inline void talk_on_late(void *ctx)
{
	struct talk *talk = ctx;

	talk->is_late = true;
}

/* One turn that cannot sleep for ever. */
static inline void talk_turn(struct talk *talk, int64_t most_ms)
{
	struct err err = ERR_INIT;
	struct loop_timer *guard = loop_add_timer(talk->loop, most_ms, talk_on_late, talk);

	talk->is_late = false;
	assert_ok(loop_turn(talk->loop, &err), &err);
	if (!talk->is_late)
		loop_timer_remove(guard);
}

/* Reads what is there; false at the end of the stream. */
static inline bool talk_hear(struct talk *talk)
{
	for (;;) {
		char *room = buf_reserve(&talk->seen, 64 * KIB);
		ssize_t n = read(talk->from, room, 64 * KIB);

		if (n <= 0)
			return n < 0 && errno == EAGAIN;
		buf_commit(&talk->seen, (size_t)n);
	}
}

static inline void talk_say_bytes(struct talk *talk, const char *data, size_t len)
{
	while (len > 0) {
		/* In parts: valgrind looks at all the bytes of each write, also at those that do not fit. */
		ssize_t n = write(talk->to, data, len < 64 * KIB ? len : 64 * KIB);

		if (n < 0) {
			assert_int_equal(errno, EAGAIN);
			talk_turn(talk, 1000);
			continue;
		}
		data += n;
		len -= (size_t)n;
	}
}

static inline void talk_say(struct talk *talk, const char *line)
{
	talk_say_bytes(talk, line, strlen(line));
	talk_say_bytes(talk, "\n", 1);
}

/* The next line, owned; fails when none comes in time. */
static inline char *talk_next_line(struct talk *talk)
{
	int64_t until_ms = clock_monotonic_ms() + 20000;
	char *newline;
	char *line;

	for (;;) {
		(void)talk_hear(talk);
		newline = memchr(talk->seen.data + talk->taken, '\n', talk->seen.len - talk->taken);
		if (newline != NULL)
			break;
		if (clock_monotonic_ms() > until_ms)
			fail_msg("no line came; half a line: %s", talk->seen.data + talk->taken);
		talk_turn(talk, 100);
	}
	line = xmemdupz(
	    talk->seen.data + talk->taken, (size_t)(newline - (talk->seen.data + talk->taken)));
	talk->taken += strlen(line) + 1;
	/* Not for each line: that would move the same megabytes thousands of times. */
	if (talk->taken > talk->seen.len / 2) {
		buf_consume(&talk->seen, talk->taken);
		talk->taken = 0;
	}
	return line;
}

static inline void talk_expect(struct talk *talk, const char *wanted)
{
	char *line = talk_next_line(talk);

	assert_string_equal(line, wanted);
	free(line);
}

/* The next line is the answer to that id with that error code. */
static inline void talk_expect_error(struct talk *talk, const char *id, int64_t code)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	char *line = talk_next_line(talk);
	const struct json *given;
	int64_t value = 0;

	assert_ok(json_read_take(&doc, line, strlen(line), &err), &err);
	(void)json_number_int64(json_pointer(json_root(&doc), "/error/code"), &value);
	if (value != code)
		fail_msg("%s: not %lld", line, (long long)code);
	assert_non_null(json_text(json_pointer(json_root(&doc), "/error/message")));
	given = json_get(json_root(&doc), "id");
	if (id == NULL)
		assert_null(given);
	else if (given == NULL || given->raw_len != strlen(id) ||
		 memcmp(given->raw, id, given->raw_len) != 0)
		fail_msg("%s: not id %s", line, id);
}

/* Nothing was said before the answer to a ping. */
static inline void talk_expect_silence(struct talk *talk)
{
	talk_say(talk, "{\"jsonrpc\":\"2.0\",\"id\":\"silence\",\"method\":\"ping\"}");
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"id\":\"silence\",\"result\":{}}");
}

/* ---- lines ---- */

#define REQUEST(id, method, params)                                                                \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"
#define CALL(id, tool, rest) REQUEST(id, "tools/call", "\"name\":\"" tool "\"" rest)
#define META                                                                                       \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define CANCEL(id)                                                                                 \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"                                         \
	"cancelled\",\"params\":{\"requestId\":" id "}}"
#define INITIALIZED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"

static inline void talk_shake_hands(struct talk *talk, const char *revision)
{
	cleanup_buf struct buf line = BUF_INIT;
	char *answer;

	buf_addf(&line,
	    REQUEST("0", "initialize",
		"\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\","
		"\"version\":\"1\"}"),
	    revision);
	talk_say(talk, line.data);
	answer = talk_next_line(talk);
	assert_non_null(strstr(answer, revision));
	free(answer);
	talk_say(talk, INITIALIZED);
}

/* Serves to the end, listening all the while; returns how long that took. */
static inline int64_t talk_serve_out(struct talk *talk)
{
	int64_t start_ms = clock_monotonic_ms();

	while (!talk->server->is_over) {
		talk_turn(talk, 100);
		(void)talk_hear(talk);
		if (clock_monotonic_ms() - start_ms > 15000)
			fail_msg("the server does not end");
	}
	(void)talk_hear(talk);
	return clock_monotonic_ms() - start_ms;
}

#endif
