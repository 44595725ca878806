/* SPDX-License-Identifier: MIT */
/*
 * The one writer of standard output: whole lines, in the order in which they were added, as fast
 * as the reader takes them. What is written is skipped over by an offset and moved away in bulk,
 * so that a long queue costs no more a byte than a short one.
 */
#include "mcp/mcp_internal.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

/* An empty buffer larger than this is given back. */
#define KEEP_BYTES (256 * KIB)

/* Never reached: past LIMIT_BACKLOG no call is started, and those that run are few and bounded. */
#define QUEUE_BYTES ((size_t)2048 * MIB)

void mcp_output_init(
    struct mcp_output *output, struct loop *loop, int fd, loop_fd_fn on_wake, void *ctx)
{
	*output = (struct mcp_output){ .fd = fd, .buf = BUF_INIT_MAX(QUEUE_BYTES) };
	output->wake = loop_add_fd(loop, fd, POLLERR, on_wake, ctx);
}

void mcp_output_release(struct mcp_output *output)
{
	loop_fd_remove(output->wake);
	output->wake = NULL;
	buf_release(&output->buf);
}

size_t mcp_output_pending(const struct mcp_output *output)
{
	return output->buf.len - output->sent;
}

static void drop_all(struct mcp_output *output)
{
	if (output->buf.cap > KEEP_BYTES)
		buf_release(&output->buf);
	else
		buf_reset(&output->buf);
	output->sent = 0;
}

/* Room is asked for while something waits; POLLERR, that the reader is gone, always. */
static void update_wake(struct mcp_output *output)
{
	bool is_waiting = mcp_output_pending(output) > 0;

	if (output->is_broken)
		loop_fd_set_events(output->wake, 0);
	else if (is_waiting != output->is_waiting)
		loop_fd_set_events(output->wake, is_waiting ? POLLOUT : POLLERR);
	output->is_waiting = is_waiting;
}

/* A loop that serves others stays in no system call for longer than so many bytes take. */
#define WRITE_MAX ((size_t)1024 * 1024)

/* One write; bytes taken, 0 when the reader has no room, -1 (broken) when it is gone. */
static ssize_t write_some(struct mcp_output *output, const char *data, size_t len)
{
	ssize_t n;

	do {
		n = write(output->fd, data, len < WRITE_MAX ? len : WRITE_MAX);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (n < 0) {
		log_line(
		    LOG_LEVEL_INFO, "the reader of standard output is gone: %s", strerror(errno));
		output->is_broken = true;
	}
	return n;
}

void mcp_output_write(struct mcp_output *output)
{
	while (!output->is_broken && mcp_output_pending(output) > 0) {
		ssize_t n =
		    write_some(output, output->buf.data + output->sent, mcp_output_pending(output));

		if (n <= 0)
			break;
		output->sent += (size_t)n;
	}
	if (output->is_broken || mcp_output_pending(output) == 0) {
		drop_all(output);
	} else if (output->sent > output->buf.len / 2) {
		buf_consume(&output->buf, output->sent);
		output->sent = 0;
	}
	update_wake(output);
}

void mcp_output_write_or_drop(struct mcp_output *output, const char *data, size_t len)
{
	ssize_t n;

	if (output->is_broken)
		return;
	n = write_some(output, data, len);
	/* A pipe takes a short line whole or not at all; what a terminal or a socket left over
	 * must follow. */
	if (n > 0 && (size_t)n < len)
		buf_add(&output->buf, data + n, len - (size_t)n);
	update_wake(output);
}
