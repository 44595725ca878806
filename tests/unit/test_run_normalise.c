/* SPDX-License-Identifier: MIT */
/* What is taken off a stream before it is parsed, and what is left alone. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "run/run.h"

static void assert_normalised(const char *raw, bool want_json, const char *wanted)
{
	cleanup_buf struct buf in = BUF_INIT;
	cleanup_buf struct buf out = BUF_INIT;

	buf_adds(&in, raw);
	run_normalise(&in, want_json, &out);
	assert_string_equal(out.data, wanted);
}

static void text_keeps_everything_but_escape_sequences(void **state)
{
	(void)state;
	assert_normalised("", false, "");
	assert_normalised("plain\n", false, "plain\n");
	assert_normalised("\x1b[31mred\x1b[0m \x1b]0;title\ablue", false, "red blue");
	assert_normalised("banner\n{\"a\":1}\n", false, "banner\n{\"a\":1}\n");
}

static void banner_lines_before_json_are_cut(void **state)
{
	(void)state;
	assert_normalised("Update available!\n{\"a\":1}\n", true, "{\"a\":1}\n");
	assert_normalised("one\ntwo\n\n  [1,2]", true, "[1,2]");
	assert_normalised("\x1b[1mWelcome\x1b[0m\r\n\x1b[32m{\"a\":\x1b[0m1}", true, "{\"a\":1}");
	assert_normalised("  \n\t{\"a\":1}", true, "{\"a\":1}");
}

static void a_banner_that_begins_like_json_is_cut_as_well(void **state)
{
	(void)state;
	assert_normalised("[info] starting\n{\"a\":1}", true, "{\"a\":1}");
	assert_normalised("[2026-01-01 12:00:00] x\n[1]", true, "[1]");
	assert_normalised("{x}\n[}\n[1", true, "{x}\n[}\n[1");
	assert_normalised("[fatal]\n{\"a\":1}", true, "{\"a\":1}");
	assert_normalised("[12:00:01]\n[1,2]", true, "[1,2]");
}

static void without_a_whole_value_nothing_is_cut(void **state)
{
	(void)state;
	assert_normalised("", true, "");
	assert_normalised("no json here\n", true, "no json here\n");
	assert_normalised("banner\n{\"a\":\n", true, "banner\n{\"a\":\n");
	assert_normalised("banner\n{\"a\":\"x", true, "banner\n{\"a\":\"x");
	assert_normalised("banner\n{\"a\":\"x\\", true, "banner\n{\"a\":\"x\\");
	assert_normalised("banner {\"a\":1}", true, "banner {\"a\":1}");
	assert_normalised("banner\n12\n", true, "banner\n12\n");
	assert_normalised("banner\n{\"a\":1,\"a\":2}\n", true, "banner\n{\"a\":1,\"a\":2}\n");
}

static void what_stands_behind_the_value_is_kept_for_the_parser_to_refuse(void **state)
{
	(void)state;
	assert_normalised("banner\n{}{}", true, "{}{}");
	assert_normalised("{\"a\":1}\ntrailer\n", true, "{\"a\":1}\ntrailer\n");
	assert_normalised("x\n{\"a\":\"}]\\\"{\"} y", true, "{\"a\":\"}]\\\"{\"} y");
}

/* Microseconds to normalise a banner and a text made of one line many times. */
static int64_t time_of(const char *line)
{
	cleanup_buf struct buf in = BUF_INIT;
	cleanup_buf struct buf out = BUF_INIT;
	int64_t start_us;

	buf_adds(&in, "banner\n");
	while (in.len < MIB / 2)
		buf_adds(&in, line);
	start_us = clock_monotonic_us();
	run_normalise(&in, true, &out);
	assert_int_equal(out.len, in.len);
	return clock_monotonic_us() - start_us;
}

/* Each line promises a value and none keeps the promise. A look at the whole text for each line
 * would take minutes under valgrind; linear, it takes less than a second there. */
static void near_misses_do_not_cost_more_than_their_length(void **state)
{
	static const char *const lines[] = { "[1,\n", "{\"a\":\n", "[\"x\",[[[[\n", "[", "[\"\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		assert_true(time_of(lines[i]) < 8000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_keeps_everything_but_escape_sequences),
		cmocka_unit_test(banner_lines_before_json_are_cut),
		cmocka_unit_test(a_banner_that_begins_like_json_is_cut_as_well),
		cmocka_unit_test(without_a_whole_value_nothing_is_cut),
		cmocka_unit_test(what_stands_behind_the_value_is_kept_for_the_parser_to_refuse),
		cmocka_unit_test(near_misses_do_not_cost_more_than_their_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
