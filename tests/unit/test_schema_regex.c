/* SPDX-License-Identifier: MIT */
/* Regular expressions as the surface language promises them: ASCII classes, a real end, limits. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "schema/schema.h"

static bool matches(const char *pattern, const char *subject)
{
	cleanup_regex struct regex *regex = regex_new(pattern);
	bool failed = true;
	bool hit = regex_search(regex, subject, strlen(subject), 0, NULL, &failed);

	assert_false(failed);
	return hit;
}

static void a_pattern_that_does_not_compile_is_refused_with_its_offset(void **state)
{
	cleanup_regex struct regex *regex = regex_new("ab(cd");
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_fails(regex_check(regex, &err), &err, ERR_CONFIGURATION);
	assert_string_equal(
	    err.message, "regular expression: missing closing parenthesis (at offset 5)");
}

static void a_pattern_that_does_not_compile_counts_as_an_engine_failure(void **state)
{
	cleanup_regex struct regex *regex = regex_new("*");
	bool failed = false;

	(void)state;
	assert_false(regex_search(regex, "x", 1, 0, NULL, &failed));
	assert_true(failed);
	assert_int_equal(regex_group(regex, "x"), -1);
}

static void a_pattern_past_its_bound_is_refused(void **state)
{
	cleanup_free char *pattern = malloc(20001);
	cleanup_regex struct regex *regex = NULL;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_non_null(pattern);
	memset(pattern, 'a', 20000);
	pattern[20000] = '\0';
	regex = regex_new(pattern);
	assert_fails(regex_check(regex, &err), &err, ERR_CONFIGURATION);
}

static void patterns_cannot_switch_on_unicode_classes_or_split_characters(void **state)
{
	static const char *const patterns[] = { "(*UCP)\\d", "\\C" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		cleanup_regex struct regex *regex = regex_new(patterns[i]);
		cleanup_err struct err err = ERR_INIT;

		assert_fails(regex_check(regex, &err), &err, ERR_CONFIGURATION);
	}
}

static void classes_are_ascii_and_dots_are_code_points(void **state)
{
	(void)state;
	assert_true(matches("^\\d+$", "123"));
	assert_false(matches("^\\d+$", "\xd9\xa1\xd9\xa2")); /* arabic digits */
	assert_false(matches("^\\w+$", "\xc3\xa9"));
	assert_false(matches("\\s", "\xc2\xa0"));
	assert_true(matches("^.$", "\xf0\x9f\x8d\xb8"));
}

static void the_dollar_is_the_very_end(void **state)
{
	(void)state;
	assert_true(matches("^[0-9]+$", "12"));
	assert_false(matches("^[0-9]+$", "12\n"));
}

static void a_pattern_is_searched_anywhere_unless_anchored(void **state)
{
	(void)state;
	assert_true(matches("b", "abc"));
	assert_false(matches("^b", "abc"));
	assert_true(matches("", ""));
}

static void a_subject_that_is_not_utf8_does_not_match(void **state)
{
	(void)state;
	assert_false(matches("a", "a\xff"));
	assert_false(matches("a", "\xed\xa0\x80"));
}

/* The clock proves only that the limit works at all: without it this takes years. */
static void catastrophic_backtracking_ends_at_the_limit(void **state)
{
	cleanup_regex struct regex *regex = regex_new("^(([a-z])+.)+[A-Z]([a-z])+$");
	cleanup_free char *harmless = malloc(32 * 1024);
	char subject[201];
	int64_t start = clock_monotonic_ms();
	bool failed = false;

	(void)state;
	assert_non_null(harmless);
	memset(harmless, '-', 32 * 1024);
	memset(subject, 'a', 200);
	subject[200] = '\0';
	assert_false(regex_search(regex, subject, 200, 0, NULL, &failed));
	assert_true(failed);
	/* So much work brings in the JIT compiler; a failure is no lasting state either. */
	assert_false(regex_search(regex, harmless, 32 * 1024, 0, NULL, &failed));
	assert_false(failed);
	assert_false(regex_search(regex, subject, 200, 0, NULL, &failed));
	assert_true(failed);
	assert_true(clock_monotonic_ms() - start < 20000);
}

static void a_long_subject_of_many_choices_still_matches(void **state)
{
	cleanup_regex struct regex *regex = regex_new("^(?:a|b)*$");
	size_t len = 96 * 1024;
	cleanup_free char *subject = malloc(len);
	bool failed = true;

	(void)state;
	assert_non_null(subject);
	memset(subject, 'a', len);
	assert_true(regex_search(regex, subject, len, 0, NULL, &failed));
	assert_false(failed);
}

static void groups_are_offsets_and_unset_ones_say_so(void **state)
{
	cleanup_regex struct regex *regex = regex_new("(a)|(?<two>b+)(c)?");
	struct regex_match match;

	(void)state;
	assert_true(regex_search(regex, "xxbbz", 5, 0, &match, NULL));
	assert_int_equal(match.groups_len, 4);
	assert_int_equal(match.begin[0], 2);
	assert_int_equal(match.end[0], 4);
	assert_true(match.begin[1] == SIZE_MAX && match.end[1] == SIZE_MAX);
	assert_int_equal(match.begin[2], 2);
	assert_true(match.begin[3] == SIZE_MAX);
	assert_int_equal(regex_group(regex, "two"), 2);
	assert_int_equal(regex_group(regex, "three"), -1);
}

static void a_search_begins_at_its_offset(void **state)
{
	cleanup_regex struct regex *regex = regex_new("\\bx");
	struct regex_match match;

	(void)state;
	assert_true(regex_search(regex, "x x", 3, 1, &match, NULL));
	assert_int_equal(match.begin[0], 2);
	assert_false(regex_search(regex, "x x", 3, 3, NULL, NULL));
}

static void groups_past_the_bound_are_left_out(void **state)
{
	char pattern[40 * 2 + 1];
	cleanup_regex struct regex *regex = NULL;
	struct regex_match match;

	(void)state;
	for (size_t i = 0; i < 40; i++)
		memcpy(pattern + 2 * i, "()", 3);
	regex = regex_new(pattern);
	assert_true(regex_search(regex, "", 0, 0, &match, NULL));
	assert_int_equal(match.groups_len, REGEX_GROUPS_MAX);
}

static void add_name(void *ctx, const char *name, int number)
{
	buf_addf(ctx, "%d=%s ", number, name);
}

static void named_groups_come_in_order_of_number(void **state)
{
	cleanup_regex struct regex *regex = regex_new("(?<zeta>a)(b)(?<alpha>c)");
	cleanup_regex struct regex *bad = regex_new("(");
	cleanup_buf struct buf names = BUF_INIT;

	(void)state;
	regex_each_group(regex, add_name, &names);
	regex_each_group(bad, add_name, &names);
	assert_string_equal(names.data, "1=zeta 3=alpha ");
}

static void nothing_is_freed_without_harm(void **state)
{
	(void)state;
	regex_free(NULL);
	regex_free(regex_new("never used"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_pattern_that_does_not_compile_is_refused_with_its_offset),
	cmocka_unit_test(a_pattern_that_does_not_compile_counts_as_an_engine_failure),
	cmocka_unit_test(a_pattern_past_its_bound_is_refused),
	cmocka_unit_test(patterns_cannot_switch_on_unicode_classes_or_split_characters),
	cmocka_unit_test(classes_are_ascii_and_dots_are_code_points),
	cmocka_unit_test(the_dollar_is_the_very_end),
	cmocka_unit_test(a_pattern_is_searched_anywhere_unless_anchored),
	cmocka_unit_test(a_subject_that_is_not_utf8_does_not_match),
	cmocka_unit_test(catastrophic_backtracking_ends_at_the_limit),
	cmocka_unit_test(a_long_subject_of_many_choices_still_matches),
	cmocka_unit_test(groups_are_offsets_and_unset_ones_say_so),
	cmocka_unit_test(a_search_begins_at_its_offset),
	cmocka_unit_test(groups_past_the_bound_are_left_out),
	cmocka_unit_test(named_groups_come_in_order_of_number),
	cmocka_unit_test(nothing_is_freed_without_harm),
};

UNIT_MAIN(tests)
