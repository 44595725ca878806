/* SPDX-License-Identifier: MIT */
/* base/: errors, buffers, vectors, numbers, text, ids. YAML has a test of its own. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/ids.h"
#include "base/num.h"
#include "base/strvec.h"
#include "base/text.h"

/* ---- err ---- */

static void an_error_is_set_wrapped_and_moved(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_err struct err other = ERR_INIT;

	(void)state;
	assert_false(err_is_set(&err));
	assert_int_equal(err_set(&err, ERR_NOT_FOUND, "tool %s", "x"), -1);
	assert_true(err_is_set(&err));
	assert_int_equal(err_take_details(&err, xstrdup("{}")), -1);
	assert_int_equal(err_wrap(&err, "surface %d", 7), -1);
	assert_string_equal(err.message, "surface 7: tool x");
	assert_string_equal(err.details, "{}");
	(void)err_set(&other, ERR_IO, "something older");
	err_move(&other, &err);
	assert_false(err_is_set(&err));
	assert_null(err.message);
	assert_int_equal(other.code, ERR_NOT_FOUND);
	assert_string_equal(other.message, "surface 7: tool x");
}

static void a_second_error_replaces_the_first(void **state)
{
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	(void)err_set(&err, ERR_UNAVAILABLE, "busy");
	(void)err_take_details(&err, xstrdup("{}"));
	assert_true(err.retryable);
	(void)err_set(&err, ERR_IO, "broken");
	assert_string_equal(err.message, "broken");
	assert_null(err.details);
	assert_false(err.retryable);
}

static void errno_is_mapped_to_a_code(void **state)
{
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_fails(err_errno(&err, ENOENT, "open %s", "f"), &err, ERR_NOT_FOUND);
	assert_string_equal(err.message, "open f: No such file or directory");
	assert_fails(err_errno(&err, EACCES, "open"), &err, ERR_PERMISSION_DENIED);
	assert_fails(err_errno(&err, EPERM, "open"), &err, ERR_PERMISSION_DENIED);
	assert_fails(err_errno(&err, EIO, "open"), &err, ERR_IO);
	assert_fails(err_errno(&err, 99999, "open"), &err, ERR_IO);
	assert_string_equal(err.message, "open: unknown error");
}

static void the_table_of_codes_is_whole(void **state)
{
	(void)state;
	for (int a = 0; a < ERR_CODE_COUNT; a++) {
		const struct err_info *info = err_info((enum err_code)a);

		assert_non_null(info->wire);
		assert_non_null(info->meaning);
		assert_true(err_is_wire_name(info->wire));
		for (int b = 0; b < a; b++)
			assert_string_not_equal(info->wire, err_info((enum err_code)b)->wire);
	}
	assert_string_equal(err_info((enum err_code)9999)->wire, "INTERNAL");
	assert_false(err_is_wire_name("NO_SUCH_CODE"));
	assert_false(err_is_wire_name(""));
}

/* ---- buf ---- */

static void a_buffer_grows_and_stays_terminated(void **state)
{
	cleanup_buf struct buf buf = BUF_INIT;

	(void)state;
	assert_string_equal(buf.data, "");
	buf_adds(&buf, "a");
	buf_addc(&buf, 'b');
	buf_add(&buf, "\0c", 2);
	buf_addf(&buf, "%d%s", 42, "!");
	assert_int_equal(buf.len, 7);
	assert_memory_equal(buf.data, "ab\0c42!", 8);
	for (int i = 0; i < 10000; i++)
		buf_addc(&buf, 'x');
	assert_int_equal(buf.len, 10007);
	assert_int_equal(buf.data[buf.len], '\0');
}

static void what_passes_the_cap_is_dropped_and_told(void **state)
{
	cleanup_buf struct buf buf = BUF_INIT_MAX(4);
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	buf_adds(&buf, "abcd");
	assert_ok(buf_check(&buf, "it", &err), &err);
	buf_addc(&buf, 'e');
	assert_true(buf.is_full);
	assert_string_equal(buf.data, "abcd");
	assert_fails(buf_check(&buf, "the line", &err), &err, ERR_LIMIT);
	assert_string_equal(err.message, "the line is larger than 4 bytes");
	buf_truncate(&buf, 1);
	assert_true(buf.is_full);
	assert_null(buf_reserve(&buf, SIZE_MAX));
	buf_reset(&buf);
	assert_false(buf.is_full);
	buf_addf(&buf, "%s", "too long");
	assert_true(buf.is_full);
	assert_int_equal(buf.len, 0);
}

static void a_buffer_is_filled_by_hand_and_consumed(void **state)
{
	cleanup_buf struct buf buf = BUF_INIT;
	char *room = buf_reserve(&buf, 6);

	(void)state;
	memcpy(room, "abcdef", 6);
	buf_commit(&buf, 6);
	buf_consume(&buf, 2);
	assert_string_equal(buf.data, "cdef");
	buf_truncate(&buf, 3);
	assert_string_equal(buf.data, "cde");
	buf_consume(&buf, 3);
	assert_string_equal(buf.data, "");
	buf_consume(&buf, 0);
}

static void a_buffer_is_detached_and_usable_again(void **state)
{
	cleanup_buf struct buf buf = BUF_INIT_MAX(100);
	cleanup_free char *empty = buf_detach(&buf);
	cleanup_free char *data = NULL;

	(void)state;
	assert_string_equal(empty, "");
	buf_adds(&buf, "mine");
	data = buf_detach(&buf);
	assert_string_equal(data, "mine");
	assert_int_equal(buf.len, 0);
	assert_int_equal(buf.max_len, 100);
	buf_adds(&buf, "again");
	assert_string_equal(buf.data, "again");
	buf_truncate(&buf, 0);
	buf_release(&buf);
	buf_reset(&buf);
	buf_truncate(&buf, 0);
	assert_string_equal(buf.data, "");
}

/* ---- strvec ---- */

static void a_vector_is_always_terminated(void **state)
{
	cleanup_strvec struct strvec vec = STRVEC_INIT;

	(void)state;
	assert_null(strvec_array(&vec)[0]);
	for (int i = 0; i < 100; i++) {
		strvec_pushf(&vec, "%d", i);
		assert_null(vec.items[vec.len]);
	}
	strvec_push(&vec, "copy");
	strvec_take(&vec, xstrdup("taken"));
	assert_int_equal(vec.len, 102);
	assert_string_equal(vec.items[99], "99");
	assert_string_equal(vec.items[101], "taken");
	assert_null(strvec_array(&vec)[102]);
	assert_true(strvec_contains(&vec, "copy"));
	assert_false(strvec_contains(&vec, "cop"));
	strvec_release(&vec);
	assert_int_equal(vec.len, 0);
	assert_false(strvec_contains(&vec, "copy"));
}

static void a_vector_is_sorted_by_bytes(void **state)
{
	static const char *const sorted[] = { "", "B", "a", "a", "aa", "\xc3\xa9" };
	cleanup_strvec struct strvec vec = STRVEC_INIT;

	(void)state;
	strvec_sort(&vec);
	assert_int_equal(vec.len, 0);
	for (size_t i = 0; i < ARRAY_LEN(sorted); i++)
		strvec_push(&vec, sorted[(i * 5 + 3) % ARRAY_LEN(sorted)]);
	strvec_sort(&vec);
	assert_int_equal(vec.len, ARRAY_LEN(sorted));
	for (size_t i = 0; i < vec.len; i++)
		assert_string_equal(vec.items[i], sorted[i]);
}

/* ---- num ---- */

static void what_is_no_integer_is_refused(void **state)
{
	static const char *const texts[] = { "", "-", "+1", " 1", "1 ", "1.0", "0x10", "1e3", "ten",
		"--1", "9223372036854775808", "-9223372036854775809", "99999999999999999999999" };
	int64_t value = 77;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		cleanup_err struct err err = ERR_INIT;

		assert_fails(num_parse(texts[i], INT64_MIN, INT64_MAX, &value, &err), &err,
		    ERR_INVALID_ARGUMENT);
	}
	assert_int_equal(value, 77);
}

static void integers_are_read_up_to_their_bounds(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	int64_t value = 0;

	(void)state;
	assert_ok(num_parse("9223372036854775807", 0, INT64_MAX, &value, &err), &err);
	assert_true(value == INT64_MAX);
	assert_ok(num_parse("-9223372036854775808", INT64_MIN, 0, &value, &err), &err);
	assert_true(value == INT64_MIN);
	assert_ok(num_parse("007", 7, 7, &value, &err), &err);
	assert_int_equal(value, 7);
	assert_fails(num_parse("6", 7, 9, &value, &err), &err, ERR_INVALID_ARGUMENT);
	assert_string_equal(err.message, "6 is not between 7 and 9");
	assert_fails(num_parse("10", 7, 9, &value, &err), &err, ERR_INVALID_ARGUMENT);
}

static void durations_and_sizes_need_their_unit(void **state)
{
	static const char *const bad_durations[] = { "", "5", "s", "5 s", "5S", "-5s", "1.5s", "5d",
		"5sm", "999999999999999999h", "3601s" };
	static const char *const bad_sizes[] = { "", "5", "MiB", "5MB", "5K", "-1B", "5kib",
		"99999999999999GiB", "2MiB" };
	cleanup_err struct err err = ERR_INIT;
	int64_t value = 0;

	(void)state;
	assert_ok(num_parse_duration("250ms", 3600000, &value, &err), &err);
	assert_int_equal(value, 250);
	assert_ok(num_parse_duration("30s", 3600000, &value, &err), &err);
	assert_int_equal(value, 30000);
	assert_ok(num_parse_duration("5m", 3600000, &value, &err), &err);
	assert_int_equal(value, 300000);
	assert_ok(num_parse_duration("1h", 3600000, &value, &err), &err);
	assert_int_equal(value, 3600000);
	assert_ok(num_parse_size("96KiB", 1048576, &value, &err), &err);
	assert_int_equal(value, 98304);
	assert_ok(num_parse_size("1MiB", 1048576, &value, &err), &err);
	assert_int_equal(value, 1048576);
	assert_ok(num_parse_size("64B", 1048576, &value, &err), &err);
	assert_int_equal(value, 64);
	for (size_t i = 0; i < ARRAY_LEN(bad_durations); i++)
		assert_fails(num_parse_duration(bad_durations[i], 3600000, &value, &err), &err,
		    ERR_INVALID_ARGUMENT);
	for (size_t i = 0; i < ARRAY_LEN(bad_sizes); i++)
		assert_fails(num_parse_size(bad_sizes[i], 1048576, &value, &err), &err,
		    ERR_INVALID_ARGUMENT);
	assert_int_equal(value, 64);
}

/* ---- text ---- */

static void malformed_utf8_is_found(void **state)
{
	static const char *const bad[] = { "\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3(",
		"\xe0\x80\x80", "\xe0\x9f\xbf", "\xe2\x82", "\xed\xa0\x80", "\xed\xbf\xbf",
		"\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x8d", "\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80", "\xfe", "\xff" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		uint32_t cp = 77;

		assert_int_equal(text_decode(bad[i], strlen(bad[i]), &cp), 0);
		assert_int_equal(cp, 77);
		assert_false(text_is_utf8(bad[i], strlen(bad[i])));
	}
	assert_true(text_is_utf8("a\0b", 3));
	assert_true(text_is_utf8("", 0));
	assert_false(text_is_utf8("ok \xff", 4));
}

/* Each scalar value survives the way into UTF-8 and back. */
static void every_code_point_goes_round(void **state)
{
	cleanup_buf struct buf buf = BUF_INIT;

	(void)state;
	for (uint32_t cp = 0; cp <= 0x10ffff; cp++) {
		uint32_t back = 0;

		if (cp == 0xd800)
			cp = 0xe000;
		buf_reset(&buf);
		text_add_codepoint(&buf, cp);
		if (text_decode(buf.data, buf.len, &back) != buf.len || back != cp)
			fail_msg("U+%04X comes back as U+%04X", cp, back);
	}
}

static void text_is_counted_and_cut_at_characters(void **state)
{
	static const char text[] = "a\xc3\xa9\xe6\x97\xa5\xf0\x9f\x8d\xb8";
	static const size_t cuts[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10 };

	(void)state;
	assert_int_equal(text_count(text, sizeof(text) - 1), 4);
	for (size_t max = 0; max < ARRAY_LEN(cuts); max++)
		assert_int_equal(text_cut(text, sizeof(text) - 1, max), cuts[max]);
}

static void invisible_characters_are_known(void **state)
{
	static const uint32_t hidden[] = { 0, 7, 0x1b, 0x7f, 0x85, 0xad, 0x200b, 0x200d, 0x200e,
		0x202e, 0x2066, 0x2028, 0xfeff, 0xe0041 };
	static const uint32_t seen[] = { '\t', '\n', ' ', 'a', 0xa0, 0xe9, 0x65e5, 0x1f378,
		0x10ffff };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
		assert_true(text_is_invisible(hidden[i]));
	for (size_t i = 0; i < ARRAY_LEN(seen); i++)
		assert_false(text_is_invisible(seen[i]));
}

typedef void (*add_fn)(struct buf *buf, const char *data, size_t len);

static void assert_becomes(add_fn add, const char *data, size_t len, const char *wanted)
{
	cleanup_buf struct buf buf = BUF_INIT;

	add(&buf, data, len);
	assert_string_equal(buf.data, wanted);
}

static void add_clean(struct buf *buf, const char *data, size_t len)
{
	(void)text_add_clean(buf, data, len);
}

static void add_without_ansi(struct buf *buf, const char *data, size_t len)
{
	(void)text_add_without_ansi(buf, data, len);
}

static void a_message_is_one_visible_line(void **state)
{
	(void)state;
	assert_becomes(
	    text_add_visible, "a\tb\nc\r\n", 7, "a\\u{0009}b\\u{000A}c\\u{000D}\\u{000A}");
	assert_becomes(text_add_visible, "x\0\x1b[31m", 7, "x\\u{0000}\\u{001B}[31m");
	assert_becomes(text_add_visible,
	    "\xe2\x80\xae"
	    "abc",
	    6, "\\u{202E}abc");
	assert_becomes(text_add_visible, "\xc3\xa9\xff", 3, "\xc3\xa9\\x{FF}");
	assert_becomes(text_add_visible, "\xf3\xa0\x81\x81", 4, "\\u{E0041}");
}

static void a_results_text_keeps_lines_and_emoji(void **state)
{
	static const char family[] = "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7";

	(void)state;
	assert_becomes(add_clean, "a\tb\r\nc\rd\n", 9, "a\tb\nc\\u{000D}d\n");
	assert_becomes(add_clean, family, sizeof(family) - 1, family);
	assert_becomes(add_clean,
	    "a\xe2\x80\x8d"
	    "b",
	    5, "a\\u{200D}b");
	assert_becomes(add_clean, "\xf0\x9f\x91\xa9\xe2\x80\x8d", 7, "\xf0\x9f\x91\xa9\\u{200D}");
	assert_becomes(add_clean, "a\x80", 2, "a\\x{80}");
	assert_becomes(add_clean,
	    "a\xe2\x80\xa8"
	    "b\xe2\x80\xa9",
	    8,
	    "a\xe2\x80\xa8"
	    "b\xe2\x80\xa9");
}

static void escaped_characters_are_counted(void **state)
{
	cleanup_buf struct buf buf = BUF_INIT;

	(void)state;
	assert_int_equal(text_add_clean(&buf, "plain\n", 6), 0);
	assert_int_equal(text_add_clean(&buf, "\x01\x02\xff", 3), 3);
	assert_int_equal(text_add_without_ansi(&buf, "\x1b[1mx\x1b[0m", 9), 2);
}

static void terminal_sequences_are_removed_whole(void **state)
{
	(void)state;
	assert_becomes(add_without_ansi, "\x1b[1;31mred\x1b[0m.", 15, "red.");
	assert_becomes(add_without_ansi,
	    "a\x1b]0;title\x07"
	    "b",
	    12, "ab");
	assert_becomes(add_without_ansi, "a\x1b]8;;http://x\x1b\\b", 17, "ab");
	assert_becomes(add_without_ansi, "a\x1b(Bb\x1bMc", 8, "abc");
	assert_becomes(add_without_ansi, "a\x1b[12", 5, "a");
	assert_becomes(add_without_ansi, "a\x1b]never ended", 14, "a");
	assert_becomes(add_without_ansi, "a\x1b", 2, "a");
	assert_becomes(add_without_ansi, "", 0, "");
}

/* ---- ids ---- */

static void ids_differ_and_have_their_form(void **state)
{
	char a[ID_TEXT_SIZE];
	char b[ID_TEXT_SIZE];

	(void)state;
	id_new("call-", a);
	id_new("call-", b);
	assert_string_not_equal(a, b);
	assert_int_equal(strlen(a), 31);
	assert_memory_equal(a, "call-", 5);
	assert_int_equal(strspn(a + 5, "0123456789abcdefghjkmnpqrstvwxyz"), 26);
}

static void a_digest_goes_round_as_text(void **state)
{
	struct digest digest = digest_of("abc", 3);
	struct digest other = digest_of("abd", 3);
	struct digest back;
	char text[DIGEST_TEXT_SIZE];

	(void)state;
	digest_format(&digest, text);
	assert_string_equal(
	    text, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
	assert_true(digest_parse(text, &back));
	assert_true(digest_equal(&digest, &back));
	assert_false(digest_equal(&digest, &other));
}

static void a_text_that_is_no_digest_is_refused(void **state)
{
	char text[DIGEST_TEXT_SIZE + 1];
	struct digest digest = digest_of("", 0);
	struct digest same = digest;

	(void)state;
	memset(text, 'a', sizeof(text));
	text[DIGEST_TEXT_SIZE] = '\0';
	assert_false(digest_parse(text, &digest));
	text[DIGEST_TEXT_SIZE - 2] = '\0';
	assert_false(digest_parse(text, &digest));
	text[DIGEST_TEXT_SIZE - 2] = 'g';
	text[DIGEST_TEXT_SIZE - 1] = '\0';
	assert_false(digest_parse(text, &digest));
	assert_false(digest_parse("", &digest));
	assert_true(digest_equal(&digest, &same));
}

static void a_files_digest_is_that_of_its_bytes(void **state)
{
	char path[] = "/tmp/stile-test-XXXXXX";
	cleanup_fd int fd = mkstemp(path);
	cleanup_fd int folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cleanup_free char *data = xcalloc(100000, 1);
	cleanup_err struct err err = ERR_INIT;
	struct digest wanted = digest_of(data, 100000);
	struct digest digest;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(write(fd, data, 100000), 100000);
	assert_ok(digest_of_fd(fd, &digest, &err), &err);
	assert_true(digest_equal(&digest, &wanted));
	assert_fails(digest_of_fd(folder, &digest, &err), &err, ERR_IO);
	assert_fails(digest_of_fd(-1, &digest, &err), &err, ERR_IO);
}

static void every_day_of_four_centuries_is_told_as_the_library_does(void **state)
{
	(void)state;
	for (int64_t day = 0; day < 4 * (int64_t)36525; day++) {
		time_t seconds = (time_t)(day * 86400 + day * 7919 % 86400);
		char text[CLOCK_TEXT_SIZE];
		char wanted[64];
		struct tm parts;
		size_t len;

		assert_non_null(gmtime_r(&seconds, &parts));
		len = strftime(wanted, sizeof(wanted), "%Y-%m-%dT%H:%M:%S", &parts);
		(void)snprintf(wanted + len, sizeof(wanted) - len, ".%06dZ", (int)day);
		clock_format_utc((int64_t)seconds * 1000000 + day, text);
		assert_string_equal(text, wanted);
	}
}

/* ---- descriptors ---- */

static void a_lock_held_elsewhere_is_tried_for_as_long_as_was_said(void **state)
{
	char path[] = "/tmp/stile-test-XXXXXX";
	cleanup_fd int holder = mkstemp(path);
	cleanup_fd int other = open(path, O_RDWR | O_CLOEXEC);
	int64_t began_ms = clock_monotonic_ms();

	(void)state;
	assert_int_equal(unlink(path), 0);
	assert_int_equal(fd_lock(holder, LOCK_EX, 0), 0);
	errno = 0;
	assert_int_equal(fd_lock(other, LOCK_SH, 0), -1);
	assert_int_equal(errno, EWOULDBLOCK);
	errno = 0;
	assert_int_equal(fd_lock(other, LOCK_SH, 30), -1);
	assert_int_equal(errno, EWOULDBLOCK);
	assert_true(clock_monotonic_ms() - began_ms >= 30);
	assert_int_equal(flock(holder, LOCK_UN), 0);
	assert_int_equal(fd_lock(other, LOCK_SH, 0), 0);
	assert_int_equal(fd_lock(-1, LOCK_SH, 60000), -1);
	assert_int_equal(errno, EBADF);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(an_error_is_set_wrapped_and_moved),
	cmocka_unit_test(a_second_error_replaces_the_first),
	cmocka_unit_test(errno_is_mapped_to_a_code),
	cmocka_unit_test(the_table_of_codes_is_whole),
	cmocka_unit_test(a_buffer_grows_and_stays_terminated),
	cmocka_unit_test(what_passes_the_cap_is_dropped_and_told),
	cmocka_unit_test(a_buffer_is_filled_by_hand_and_consumed),
	cmocka_unit_test(a_buffer_is_detached_and_usable_again),
	cmocka_unit_test(a_vector_is_always_terminated),
	cmocka_unit_test(a_vector_is_sorted_by_bytes),
	cmocka_unit_test(what_is_no_integer_is_refused),
	cmocka_unit_test(integers_are_read_up_to_their_bounds),
	cmocka_unit_test(durations_and_sizes_need_their_unit),
	cmocka_unit_test(malformed_utf8_is_found),
	cmocka_unit_test(every_code_point_goes_round),
	cmocka_unit_test(text_is_counted_and_cut_at_characters),
	cmocka_unit_test(invisible_characters_are_known),
	cmocka_unit_test(a_message_is_one_visible_line),
	cmocka_unit_test(a_results_text_keeps_lines_and_emoji),
	cmocka_unit_test(escaped_characters_are_counted),
	cmocka_unit_test(terminal_sequences_are_removed_whole),
	cmocka_unit_test(every_day_of_four_centuries_is_told_as_the_library_does),
	cmocka_unit_test(ids_differ_and_have_their_form),
	cmocka_unit_test(a_digest_goes_round_as_text),
	cmocka_unit_test(a_text_that_is_no_digest_is_refused),
	cmocka_unit_test(a_files_digest_is_that_of_its_bytes),
	cmocka_unit_test(a_lock_held_elsewhere_is_tried_for_as_long_as_was_said),
};

UNIT_MAIN(tests)
