/* SPDX-License-Identifier: MIT */
/*
 * Bytes into lines (specs/protocol.md §1). Apart from everything else because it is the only place
 * that sees a peer's bytes before anything is known about them: what it holds is bounded, and no
 * byte is looked at twice.
 */
#include "mcp/mcp_internal.h"

#include <assert.h>
#include <string.h>

/* An empty buffer larger than this is given back. */
#define KEEP_BYTES (256 * KIB)

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

void mcp_frames_release(struct mcp_frames *frames)
{
	buf_release(&frames->buf);
	*frames = MCP_FRAMES_INIT;
}

static void drop_all(struct mcp_frames *frames)
{
	if (frames->buf.cap > KEEP_BYTES)
		buf_release(&frames->buf);
	else
		buf_reset(&frames->buf);
	frames->start = 0;
	frames->scanned = 0;
}

char *mcp_frames_reserve(struct mcp_frames *frames, size_t n)
{
	char *room;

	if (frames->start == frames->buf.len) {
		drop_all(frames);
	} else if (frames->start > frames->buf.len / 2) {
		/* Only past the half: then each byte is moved once at most, on average. */
		buf_consume(&frames->buf, frames->start);
		frames->scanned -= frames->start;
		frames->start = 0;
	}
	room = buf_reserve(&frames->buf, n);
	assert(room != NULL);
	return room;
}

void mcp_frames_commit(struct mcp_frames *frames, size_t n)
{
	buf_commit(&frames->buf, n);
}

void mcp_frames_end(struct mcp_frames *frames)
{
	frames->is_ended = true;
}

size_t mcp_frames_pending(const struct mcp_frames *frames)
{
	return frames->buf.len - frames->start;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Strips a byte order mark at the very start of the stream, and white space; false: blank. */
static bool trim(struct mcp_frames *frames, const char **line, size_t *len)
{
	if (!frames->is_begun && *len >= strlen(BYTE_ORDER_MARK) &&
	    memcmp(*line, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0) {
		*line += strlen(BYTE_ORDER_MARK);
		*len -= strlen(BYTE_ORDER_MARK);
	}
	frames->is_begun = true;
	while (*len > 0 && is_blank((*line)[*len - 1]))
		(*len)--;
	while (*len > 0 && is_blank(**line)) {
		(*line)++;
		(*len)--;
	}
	return *len > 0;
}

/* No newline is left in the buffer: is this too much for one line, or the end? */
static enum mcp_frame take_partial(
    struct mcp_frames *frames, const char **ret_line, size_t *ret_len)
{
	size_t len = frames->buf.len - frames->start;

	if (frames->is_discarding) {
		drop_all(frames);
		return MCP_FRAME_NONE;
	}
	if (len > LIMIT_FRAME_IN) {
		frames->is_discarding = true;
		frames->is_begun = true;
		drop_all(frames);
		return MCP_FRAME_TOO_LONG;
	}
	frames->scanned = frames->buf.len;
	if (!frames->is_ended || len == 0)
		return MCP_FRAME_NONE;
	*ret_line = frames->buf.data + frames->start;
	*ret_len = len;
	frames->start = frames->buf.len;
	return trim(frames, ret_line, ret_len) ? MCP_FRAME_REST : MCP_FRAME_NONE;
}

enum mcp_frame mcp_frames_next(struct mcp_frames *frames, const char **ret_line, size_t *ret_len)
{
	for (;;) {
		const char *from = frames->buf.data + frames->scanned;
		const char *newline = memchr(from, '\n', frames->buf.len - frames->scanned);
		bool was_discarding = frames->is_discarding;

		if (newline == NULL)
			return take_partial(frames, ret_line, ret_len);
		*ret_line = frames->buf.data + frames->start;
		*ret_len = (size_t)(newline - *ret_line);
		frames->start += *ret_len + 1;
		frames->scanned = frames->start;
		frames->is_discarding = false;
		if (was_discarding)
			continue;
		if (*ret_len > LIMIT_FRAME_IN) {
			frames->is_begun = true;
			return MCP_FRAME_TOO_LONG;
		}
		if (trim(frames, ret_line, ret_len))
			return MCP_FRAME_LINE;
	}
}
