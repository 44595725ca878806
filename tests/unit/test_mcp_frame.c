/* SPDX-License-Identifier: MIT */
/* Bytes into lines: every way of cutting a stream gives the same lines, and no line is unbounded. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "mcp/mcp_internal.h"

static void feed(struct mcp_frames *frames, const char *data, size_t len)
{
	memcpy(mcp_frames_reserve(frames, len), data, len);
	mcp_frames_commit(frames, len);
}

/* Takes all lines that are there, each in brackets; the rest in angles; too long as "!". */
static void take_all(struct mcp_frames *frames, struct buf *seen)
{
	for (;;) {
		const char *line = NULL;
		size_t len = 0;
		enum mcp_frame frame = mcp_frames_next(frames, &line, &len);

		if (frame == MCP_FRAME_NONE)
			return;
		if (frame == MCP_FRAME_TOO_LONG) {
			buf_addc(seen, '!');
			continue;
		}
		buf_addc(seen, frame == MCP_FRAME_REST ? '<' : '[');
		buf_add(seen, line, len);
		buf_addc(seen, frame == MCP_FRAME_REST ? '>' : ']');
	}
}

/* The lines of a stream that comes in pieces of step bytes. */
static void assert_lines(const char *stream, size_t step, const char *wanted)
{
	struct mcp_frames frames = MCP_FRAMES_INIT;
	cleanup_buf struct buf seen = BUF_INIT;
	size_t len = strlen(stream);

	for (size_t i = 0; i < len; i += step) {
		feed(&frames, stream + i, len - i < step ? len - i : step);
		take_all(&frames, &seen);
	}
	mcp_frames_end(&frames);
	take_all(&frames, &seen);
	assert_string_equal(seen.data, wanted);
	assert_int_equal(mcp_frames_pending(&frames), 0);
	mcp_frames_release(&frames);
}

static void assert_lines_however_cut(const char *stream, const char *wanted)
{
	for (size_t step = 1; step <= strlen(stream); step++)
		assert_lines(stream, step, wanted);
}

static void any_split_gives_the_same_lines(void **state)
{
	(void)state;
	assert_lines_however_cut("{\"a\":1}\n{\"b\":2}\n[3]\n", "[{\"a\":1}][{\"b\":2}][[3]]");
}

static void carriage_returns_and_blank_lines_are_dropped(void **state)
{
	(void)state;
	assert_lines_however_cut("\r\n  \t\r\n{}\r\n\n\n  {} \t\n \n", "[{}][{}]");
}

static void byte_order_mark_is_skipped_at_the_very_start_only(void **state)
{
	(void)state;
	assert_lines_however_cut("\xef\xbb\xbf{}\n", "[{}]");
	assert_lines_however_cut("\xef\xbb\xbf\n{}\n", "[{}]");
	assert_lines_however_cut("{}\n\xef\xbb\xbf{}\n", "[{}][\xef\xbb\xbf{}]");
}

static void rest_before_the_end_of_input_is_a_line(void **state)
{
	(void)state;
	assert_lines_however_cut("{}\n{\"a\"", "[{}]<{\"a\">");
	assert_lines_however_cut("{}\n \r", "[{}]");
	assert_lines_however_cut("\xef\xbb\xbf{}", "<{}>");
}

static void content_length_header_is_a_line_like_any_other(void **state)
{
	(void)state;
	assert_lines_however_cut("Content-Length: 2\r\n\r\n{}", "[Content-Length: 2]<{}>");
}

/* Feeds n bytes 'x' in pieces as read(2) would give them. */
static void feed_many(struct mcp_frames *frames, size_t n, struct buf *seen)
{
	static char piece[64 * 1024];

	memset(piece, 'x', sizeof(piece));
	for (size_t i = 0; i < n; i += sizeof(piece)) {
		feed(frames, piece, n - i < sizeof(piece) ? n - i : sizeof(piece));
		take_all(frames, seen);
	}
}

static void line_past_the_limit_is_refused_once_and_forgotten(void **state)
{
	struct mcp_frames frames = MCP_FRAMES_INIT;
	cleanup_buf struct buf seen = BUF_INIT;

	(void)state;
	feed_many(&frames, 4 * LIMIT_FRAME_IN, &seen);
	assert_string_equal(seen.data, "!");
	assert_true(mcp_frames_pending(&frames) == 0);
	assert_true(frames.buf.cap <= 256 * KIB);
	feed(&frames, "tail\n{}\n", 8);
	take_all(&frames, &seen);
	assert_string_equal(seen.data, "![{}]");
	mcp_frames_release(&frames);
}

static void endless_line_at_the_end_of_input_leaves_nothing(void **state)
{
	struct mcp_frames frames = MCP_FRAMES_INIT;
	cleanup_buf struct buf seen = BUF_INIT;

	(void)state;
	feed_many(&frames, LIMIT_FRAME_IN + 1, &seen);
	mcp_frames_end(&frames);
	take_all(&frames, &seen);
	assert_string_equal(seen.data, "!");
	mcp_frames_release(&frames);
}

static void line_past_the_limit_with_its_newline_is_refused(void **state)
{
	struct mcp_frames frames = MCP_FRAMES_INIT;
	cleanup_buf struct buf seen = BUF_INIT;
	size_t len = LIMIT_FRAME_IN + 1;
	char *room = mcp_frames_reserve(&frames, len + 4);

	(void)state;
	memset(room, 'x', len);
	memcpy(room + len, "\n{}\n", 4);
	mcp_frames_commit(&frames, len + 4);
	take_all(&frames, &seen);
	assert_string_equal(seen.data, "![{}]");
	mcp_frames_release(&frames);
}

static void line_of_the_limit_passes(void **state)
{
	struct mcp_frames frames = MCP_FRAMES_INIT;
	const char *line = NULL;
	size_t len = 0;
	cleanup_buf struct buf seen = BUF_INIT;

	(void)state;
	feed_many(&frames, LIMIT_FRAME_IN, &seen);
	feed(&frames, "\n", 1);
	assert_int_equal(mcp_frames_next(&frames, &line, &len), MCP_FRAME_LINE);
	assert_true(len == LIMIT_FRAME_IN);
	mcp_frames_release(&frames);
}

static void lines_that_wait_are_kept_in_order(void **state)
{
	struct mcp_frames frames = MCP_FRAMES_INIT;
	const char *line = NULL;
	size_t len = 0;
	size_t taken = 0;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		char text[16];
		int text_len = snprintf(text, sizeof(text), "%d\n", i);

		feed(&frames, text, (size_t)text_len);
		/* Takes two of three, so that a queue builds up and is moved now and then. */
		if (i % 3 != 0 && mcp_frames_next(&frames, &line, &len) == MCP_FRAME_LINE) {
			char *copy = xmemdupz(line, len);

			(void)snprintf(text, sizeof(text), "%zu", taken++);
			assert_string_equal(copy, text);
			free(copy);
		}
	}
	while (mcp_frames_next(&frames, &line, &len) == MCP_FRAME_LINE)
		taken++;
	assert_int_equal(taken, 10000);
	mcp_frames_release(&frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_past_the_limit_is_refused_once_and_forgotten),
		cmocka_unit_test(line_past_the_limit_with_its_newline_is_refused),
		cmocka_unit_test(endless_line_at_the_end_of_input_leaves_nothing),
		cmocka_unit_test(line_of_the_limit_passes),
		cmocka_unit_test(any_split_gives_the_same_lines),
		cmocka_unit_test(carriage_returns_and_blank_lines_are_dropped),
		cmocka_unit_test(byte_order_mark_is_skipped_at_the_very_start_only),
		cmocka_unit_test(rest_before_the_end_of_input_is_a_line),
		cmocka_unit_test(content_length_header_is_a_line_like_any_other),
		cmocka_unit_test(lines_that_wait_are_kept_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
