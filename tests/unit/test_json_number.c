/* SPDX-License-Identifier: MIT */
/* Numbers, exact at any size. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "json/json.h"

/* A number of the given text; the document keeps it. */
static const struct json *number(struct json_doc *doc, const char *text)
{
	cleanup_err struct err err = ERR_INIT;

	assert_ok(json_read(doc, text, strlen(text), &err), &err);
	return json_root(doc);
}

static int compare(const char *a, const char *b)
{
	cleanup_json struct json_doc left = JSON_DOC_INIT;
	cleanup_json struct json_doc right = JSON_DOC_INIT;
	int order = json_number_compare(number(&left, a), number(&right, b));

	assert_int_equal(json_number_compare(json_root(&right), json_root(&left)), -order);
	return order;
}

static bool is_multiple(const char *a, const char *b)
{
	cleanup_json struct json_doc left = JSON_DOC_INIT;
	cleanup_json struct json_doc right = JSON_DOC_INIT;

	return json_number_is_multiple(number(&left, a), number(&right, b));
}

static bool is_integer(const char *text)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;

	return json_number_is_integer(number(&doc, text));
}

/* text followed by n times the digit. */
static char *with_digits(const char *text, char digit, size_t n, const char *tail)
{
	char *long_text = xcalloc(strlen(text) + n + strlen(tail) + 1, 1);
	size_t len = strlen(text);

	memcpy(long_text, text, len);
	memset(long_text + len, digit, n);
	memcpy(long_text + len + n, tail, strlen(tail));
	return long_text;
}

static void whole_numbers_are_integers_however_they_are_written(void **state)
{
	static const char *const yes[] = { "0", "-0", "0.0", "0e-5", "1", "-17", "1.0", "1.500e1",
		"15e0", "1e3", "100e-2", "1.20e1", "1e400", "123456789012345678901234567890",
		"0.001e3", "1e999999999999999999999999", "0e-999999999999999999999999",
		"10.00e-1" };
	static const char *const no[] = { "0.5", "15e-1", "1.5", "1e-1", "-0.1", "1.0000000001",
		"1e-400", "1e-999999999999999999999999", "0.001e2", "10.01e1" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		if (!is_integer(yes[i]))
			fail_msg("%s is no integer", yes[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(no); i++) {
		if (is_integer(no[i]))
			fail_msg("%s is an integer", no[i]);
	}
	assert_false(is_integer("\"1\""));
	assert_false(json_number_is_integer(NULL));
}

static void integers_that_fit_are_read(void **state)
{
	static const struct {
		const char *text;
		int64_t value;
	} cases[] = {
		{ "0", 0 },
		{ "-0", 0 },
		{ "0e99999999999999999999", 0 },
		{ "1", 1 },
		{ "-1", -1 },
		{ "1e3", 1000 },
		{ "12.50e1", 125 },
		{ "1200e-2", 12 },
		{ "0.0012e4", 12 },
		{ "9007199254740993", 9007199254740993 },
		{ "9223372036854775807", INT64_MAX },
		{ "-9223372036854775808", INT64_MIN },
		{ "9223372036854775807.000", INT64_MAX },
		{ "1e18", 1000000000000000000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cleanup_json struct json_doc doc = JSON_DOC_INIT;
		int64_t value = 77;

		if (!json_number_int64(number(&doc, cases[i].text), &value) ||
		    value != cases[i].value)
			fail_msg("%s reads as %lld", cases[i].text, (long long)value);
	}
}

static void numbers_that_do_not_fit_are_refused(void **state)
{
	static const char *const texts[] = { "0.5", "1e-1", "9223372036854775808",
		"-9223372036854775809", "1e19", "1e999999999999999999999999", "\"1\"", "null",
		"123456789012345678901234567890" };
	int64_t value = 77;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		cleanup_json struct json_doc doc = JSON_DOC_INIT;

		if (json_number_int64(number(&doc, texts[i]), &value))
			fail_msg("%s fits", texts[i]);
	}
	assert_false(json_number_int64(NULL, &value));
	assert_int_equal(value, 77);
}

static void numbers_compare_by_value(void **state)
{
	(void)state;
	assert_int_equal(compare("0", "-0"), 0);
	assert_int_equal(compare("0", "0.0e99"), 0);
	assert_int_equal(compare("1", "1.0"), 0);
	assert_int_equal(compare("100", "1e2"), 0);
	assert_int_equal(compare("0.1", "1e-1"), 0);
	assert_int_equal(compare("0.00120e3", "1.2"), 0);
	assert_int_equal(compare("-5", "-5.0"), 0);
	assert_int_equal(compare("1", "2"), -1);
	assert_int_equal(compare("-1", "-2"), 1);
	assert_int_equal(compare("-1", "1"), -1);
	assert_int_equal(compare("0", "1e-400"), -1);
	assert_int_equal(compare("0", "-1e-400"), 1);
	assert_int_equal(compare("12", "9"), 1);
	assert_int_equal(compare("1.2", "1.10"), 1);
	assert_int_equal(compare("1.25", "1.2"), 1);
	assert_int_equal(compare("0.3", "0.30000000000000004"), -1);
	assert_int_equal(compare("9007199254740992", "9007199254740993"), -1);
	assert_int_equal(compare("1e400", "2e399"), 1);
	assert_int_equal(compare("1e400", "10e399"), 0);
	assert_int_equal(compare("-1e400", "-1e399"), -1);
}

static void exponents_of_any_length_compare_exactly(void **state)
{
	(void)state;
	assert_int_equal(
	    compare("1e99999999999999999999999999", "1e99999999999999999999999998"), 1);
	assert_int_equal(
	    compare("1e99999999999999999999999999", "10e99999999999999999999999998"), 0);
	assert_int_equal(
	    compare("0.1e100000000000000000000000000", "1e99999999999999999999999999"), 0);
	assert_int_equal(
	    compare("1e-99999999999999999999999999", "1e-99999999999999999999999998"), -1);
	assert_int_equal(
	    compare("1e99999999999999999999999999", "1e-99999999999999999999999999"), 1);
	assert_int_equal(compare("1e0000000000000000000000000000002", "100"), 0);
	assert_int_equal(compare("1e999999999", "1e999999998"), 1);
}

static void multiples_are_exact(void **state)
{
	(void)state;
	assert_true(is_multiple("0", "3"));
	assert_true(is_multiple("0.0", "1e999999999"));
	assert_true(is_multiple("6", "3"));
	assert_true(is_multiple("-6", "3"));
	assert_true(is_multiple("0.3", "0.1"));
	assert_true(is_multiple("4.35", "0.01"));
	assert_true(is_multiple("1.1", "0.1"));
	assert_true(is_multiple("10", "2.5"));
	assert_true(is_multiple("1e400", "0.01"));
	assert_true(is_multiple("9007199254740993", "3"));
	assert_true(is_multiple("121932631137021795226185032733622923332237463801111263526900",
	    "123456789012345678901234567890"));
	assert_false(is_multiple("7", "3"));
	assert_false(is_multiple("0.35", "0.1"));
	assert_false(is_multiple("3", "6"));
	assert_false(is_multiple("1e-400", "1"));
	assert_false(is_multiple("9007199254740992", "3"));
	assert_false(is_multiple("121932631137021795226185032733622923332237463801111263526901",
	    "123456789012345678901234567890"));
	assert_false(is_multiple("6", "0"));
	assert_false(is_multiple("6", "-3"));
	assert_false(is_multiple("1e999999999", "1"));
	assert_false(is_multiple("1", "1e-999999999"));
}

static void numbers_past_the_bound_are_no_multiples(void **state)
{
	cleanup_free char *fits = with_digits("1", '0', 3999, "");
	cleanup_free char *long_one = with_digits("1", '0', 4000, "");
	cleanup_free char *odd = with_digits("", '7', 3999, "6");

	(void)state;
	assert_true(is_multiple(fits, "8"));
	assert_false(is_multiple(long_one, "8"));
	assert_true(is_multiple(odd, "2"));
	assert_false(is_multiple(odd, "5"));
	assert_true(is_multiple(odd, odd));
}

static void assert_plain(const char *text, const char *plain)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_buf struct buf buf = BUF_INIT;

	buf_adds(&buf, "=");
	assert_int_equal(json_number_add_plain(number(&doc, text), &buf), plain != NULL);
	assert_string_equal(buf.data + 1, plain != NULL ? plain : "");
}

static void integers_are_written_in_plain_digits(void **state)
{
	(void)state;
	assert_plain("0", "0");
	assert_plain("-0", "0");
	assert_plain("-0.0e7", "0");
	assert_plain("12", "12");
	assert_plain("-12", "-12");
	assert_plain("1e3", "1000");
	assert_plain("1.0", "1");
	assert_plain("12.5e2", "1250");
	assert_plain("100e-2", "1");
	assert_plain("0.00012e5", "12");
	assert_plain("123456789012345678901234567890", "123456789012345678901234567890");
	assert_plain("0.5", NULL);
	assert_plain("1e-3", NULL);
	assert_plain("1e4000", NULL);
	assert_plain("1e999999999", NULL);
	assert_plain("1e999999999999999999999999", NULL);
	assert_plain("\"1\"", NULL);
}

static void four_thousand_digits_are_the_most_that_are_written(void **state)
{
	cleanup_free char *most = with_digits("9", '0', 3999, "");
	cleanup_free char *more = with_digits("9", '0', 4000, "");

	(void)state;
	assert_plain(most, most);
	assert_plain("9e3999", most);
	assert_plain(more, NULL);
}

/* A million digits, in the number or its exponent, cost milliseconds. */
static void long_numbers_cost_no_more_than_their_digits(void **state)
{
	cleanup_free char *digits = with_digits("1", '3', 1000000, "");
	cleanup_free char *exponent = with_digits("1e", '9', 1000000, "");
	cleanup_free char *zeros = with_digits("0.", '0', 1000000, "1");
	int64_t start = clock_monotonic_ms();

	(void)state;
	assert_int_equal(compare(digits, exponent), -1);
	assert_int_equal(compare(digits, digits), 0);
	assert_int_equal(compare(zeros, "0"), 1);
	assert_int_equal(compare(zeros, "1e-1000001"), 0);
	assert_true(is_integer(digits));
	assert_true(is_integer(exponent));
	assert_false(is_integer(zeros));
	assert_plain(digits, NULL);
	assert_plain(exponent, NULL);
	assert_false(is_multiple(digits, "3"));
	assert_false(is_multiple(exponent, "3"));
	assert_true(clock_monotonic_ms() - start < 5000);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(whole_numbers_are_integers_however_they_are_written),
	cmocka_unit_test(integers_that_fit_are_read),
	cmocka_unit_test(numbers_that_do_not_fit_are_refused),
	cmocka_unit_test(numbers_compare_by_value),
	cmocka_unit_test(exponents_of_any_length_compare_exactly),
	cmocka_unit_test(multiples_are_exact),
	cmocka_unit_test(numbers_past_the_bound_are_no_multiples),
	cmocka_unit_test(integers_are_written_in_plain_digits),
	cmocka_unit_test(four_thousand_digits_are_the_most_that_are_written),
	cmocka_unit_test(long_numbers_cost_no_more_than_their_digits),
};

UNIT_MAIN(tests)
