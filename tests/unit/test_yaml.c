/* SPDX-License-Identifier: MIT */
/* The YAML reader: refusals with their place, scalars, marks, bounds. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/yaml.h"
#include "json/json.h"

static int read_len(const char *text, size_t len, struct buf *json, struct err *err)
{
	return yaml_read(text, len, &yaml_limits_file, json, NULL, err);
}

static void assert_reads_len(const char *text, size_t len, const char *json)
{
	cleanup_buf struct buf buf = BUF_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	assert_ok(read_len(text, len, &buf, &err), &err);
	assert_string_equal(buf.data, json);
	assert_ok(json_read(&doc, buf.data, buf.len, &err), &err);
}

static void assert_reads(const char *text, const char *json)
{
	assert_reads_len(text, strlen(text), json);
}

static void assert_refused_len(const char *text, size_t len, const char *message)
{
	cleanup_buf struct buf buf = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;

	buf_adds(&buf, "untouched");
	assert_fails(read_len(text, len, &buf, &err), &err, ERR_PARSE);
	assert_string_equal(err.message, message);
	assert_non_null(err.details);
	assert_string_equal(buf.data, "untouched");
}

static void assert_refused(const char *text, const char *message)
{
	assert_refused_len(text, strlen(text), message);
}

/* ---- refusals ---- */

static void what_makes_one_thing_two_is_refused(void **state)
{
	(void)state;
	assert_refused("a: &x 1\nb: *x\n", "line 1, column 4: anchors are not supported");
	assert_refused("a: &x [1]\n", "line 1, column 4: anchors are not supported");
	assert_refused("a: &x {b: 1}\n", "line 1, column 4: anchors are not supported");
	assert_refused("&x a: 1\n", "line 1, column 1: anchors are not supported");
	assert_refused("a: 1\nb: *x\n", "line 2, column 4: aliases are not supported");
	assert_refused("*x : 1\n", "line 1, column 1: aliases are not supported");
	assert_refused("a: {x: 1}\n<<: {y: 2}\n", "line 2, column 1: merge keys are not supported");
}

static void tags_are_refused(void **state)
{
	(void)state;
	assert_refused("a: !!str 1\n", "line 1, column 4: tags are not supported");
	assert_refused("a: !local 1\n", "line 1, column 4: tags are not supported");
	assert_refused("a: ! 1\n", "line 1, column 4: tags are not supported");
	assert_refused("a: !!seq [1]\n", "line 1, column 4: tags are not supported");
	assert_refused("a: !!map {b: 1}\n", "line 1, column 4: tags are not supported");
	assert_refused("!!str a: 1\n", "line 1, column 1: tags are not supported");
	assert_refused(
	    "a: !<tag:yaml.org,2002:str> 1\n", "line 1, column 4: tags are not supported");
}

static void a_key_that_is_no_scalar_is_refused(void **state)
{
	(void)state;
	assert_refused("? [a]\n: b\n", "line 1, column 3: a key must be a scalar");
	assert_refused("a: 1\n? {b: 1}\n: c\n", "line 2, column 3: a key must be a scalar");
	assert_refused("{[a]: 1}\n", "line 1, column 2: a key must be a scalar");
}

static void a_second_document_is_refused(void **state)
{
	(void)state;
	assert_refused("a: 1\n---\nb: 2\n", "line 2, column 1: a second document is not allowed");
	assert_refused("--- a\n...\n--- b\n", "line 3, column 1: a second document is not allowed");
	assert_refused("a\n---\n", "line 2, column 1: a second document is not allowed");
}

static void directives_but_the_version_are_refused(void **state)
{
	(void)state;
	assert_reads("%YAML 1.2\n---\na: 1\n", "{\"a\":1}");
	assert_reads("%YAML 1.1\n---\na: yes\n", "{\"a\":\"yes\"}");
	assert_refused("%TAG ! tag:example.com,2000:\n---\na: 1\n",
	    "line 1, column 1: %TAG directives are not supported");
	assert_refused(
	    "%YAML 2.0\n---\na: 1\n", "line 1, column 1: found incompatible YAML document");
	assert_refused("%OTHER x\n---\na: 1\n",
	    "line 1, column 7: found unknown directive name (while scanning a directive)");
}

static void duplicate_keys_are_refused(void **state)
{
	(void)state;
	assert_refused("a: 1\nb: 2\na: 3\n", "line 3, column 1: duplicate key \"a\"");
	assert_refused("a: 1\n\"\\u0061\": 2\n", "line 2, column 1: duplicate key \"a\"");
	assert_refused("1: x\n'1': y\n", "line 2, column 1: duplicate key \"1\"");
	assert_refused("x: {b: 1, c: 2, b: 3}\n", "line 1, column 17: duplicate key \"b\"");
	assert_refused("x:\n- k: 1\n  k: 2\n", "line 3, column 3: duplicate key \"k\"");
	assert_refused("c: 1\nb: 1\na: 1\nc: 2\na: 2\n", "line 4, column 1: duplicate key \"c\"");
	assert_refused(
	    "\"\\u202E\": 1\n\"\\u202E\": 2\n", "line 2, column 1: duplicate key \"\\u{202E}\"");
	assert_reads("a: {a: {a: 1}, b: {a: 1}}\n", "{\"a\":{\"a\":{\"a\":1},\"b\":{\"a\":1}}}");
}

static void a_long_key_is_cut_in_the_message(void **state)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	for (int twice = 0; twice < 2; twice++) {
		for (int i = 0; i < 300; i++)
			buf_adds(&text, "k");
		buf_adds(&text, ": 1\n");
	}
	assert_fails(read_len(text.data, text.len, &json, &err), &err, ERR_PARSE);
	assert_true(strlen(err.message) < 130);
}

static void text_that_is_no_utf8_is_refused(void **state)
{
	(void)state;
	assert_refused("a: 1\nb: \xc3\xa9\xff\n", "line 2, column 5: the text is not valid UTF-8");
	assert_refused("\xed\xa0\x80", "line 1, column 1: the text is not valid UTF-8");
	assert_refused_len("\xff\xfe"
			   "a\0",
	    4, "line 1, column 1: the text is not valid UTF-8");
	assert_refused_len("a\0b", 3, "line 1, column 2: control characters are not allowed");
	assert_refused("a: 1\nb: \x07\n", "line 2, column 4: control characters are not allowed");
	assert_refused("a: \"\\ud800\"\n",
	    "line 1, column 7: found invalid Unicode character escape code (while parsing a "
	    "quoted scalar)");
}

static void numbers_that_json_has_not_are_refused(void **state)
{
	static const char *const words[] = { ".inf", "-.inf", "+.Inf", ".INF", ".nan", ".NaN",
		".NAN" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		assert_refused(
		    words[i], "line 1, column 1: infinities and .nan are no JSON numbers");
	assert_refused(
	    "0x10000000000000000", "line 1, column 1: a 0x or 0o number has at most 64 bits");
	assert_refused("- 0o2000000000000000000000",
	    "line 1, column 3: a 0x or 0o number has at most 64 bits");
}

static void what_is_no_yaml_is_refused_with_its_place(void **state)
{
	(void)state;
	assert_refused("a: [1, 2\nb: 3\n",
	    "line 2, column 2: did not find expected ',' or ']' (while parsing a flow sequence)");
	assert_refused(
	    "a: b: c\n", "line 1, column 5: mapping values are not allowed in this context");
	assert_refused("a: \"b\n",
	    "line 2, column 1: found unexpected end of stream (while scanning a quoted scalar)");
	assert_refused("a:\n\t- b\n",
	    "line 2, column 1: found character that cannot start any token (while scanning for "
	    "the next token)");
}

static void a_refusal_carries_its_place_as_details(void **state)
{
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_fails(read_len("a: 1\n  \na: 2\n", 13, &json, &err), &err, ERR_PARSE);
	assert_string_equal(err.details, "{\"line\":3,\"column\":1}");
}

/* ---- bounds ---- */

static const struct yaml_limits small = { .max_bytes = 64, .max_nodes = 8, .max_depth = 3 };

static void assert_bounded(const char *text, const char *message)
{
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;
	int result = yaml_read(text, strlen(text), &small, &json, NULL, &err);

	if (message == NULL) {
		assert_ok(result, &err);
	} else {
		assert_fails(result, &err, ERR_PARSE);
		assert_string_equal(err.message, message);
	}
}

static void bytes_values_and_depth_are_bounded(void **state)
{
	(void)state;
	assert_bounded("[[[1]]]", NULL);
	assert_bounded("[[[[1]]]]", "line 1, column 4: the file is nested too deep");
	assert_bounded("- - - - 1", "line 1, column 7: the file is nested too deep");
	assert_bounded("a: {b: {c: {d: 1}}}", "line 1, column 12: the file is nested too deep");
	assert_bounded("[1, 2, 3, 4, 5, 6, 7]", NULL);
	assert_bounded(
	    "[1, 2, 3, 4, 5, 6, 7, 8]", "line 1, column 23: the file has too many values");
	assert_bounded(
	    "{a: 1, b: 2, c: 3, d: 4}", "line 1, column 23: the file has too many values");
	assert_bounded("# 345678901234567890123456789012345678901234567890123456789012\n#", NULL);
	assert_bounded("# 345678901234567890123456789012345678901234567890123456789012\n##",
	    "line 2, column 2: the file is larger than 64 bytes");
}

/* How long a file of the unit, again and again, takes in milliseconds. */
static int64_t read_repeated(const char *unit, size_t times)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;
	int64_t start;

	for (size_t i = 0; i < times; i++)
		buf_adds(&text, unit);
	start = clock_monotonic_ms();
	if (read_len(text.data, text.len, &json, &err) == 0)
		assert_true(json.len > 0);
	return clock_monotonic_ms() - start;
}

/* Deep nesting alone takes libyaml over 20 s when it is let run. */
static void hostile_shapes_cost_little_time(void **state)
{
	static const char *const units[] = { "[", "{", "- ", "? ", "[a: ", "[?", "{?", "-\n",
		"a:\n ", "!!a ", "&a ", "%Y\n", "--- ", "\"\\0", "'", "|\n", "#", "a ", "\n", " ",
		"[],", ": " };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		int64_t took = read_repeated(units[i], 1000000 / strlen(units[i]));

		if (took > 3000)
			fail_msg("\"%s\" repeated takes %lld ms", units[i], (long long)took);
	}
}

static void a_result_larger_than_the_callers_cap_is_refused(void **state)
{
	cleanup_buf struct buf json = BUF_INIT_MAX(4);
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_fails(read_len("abc", 3, &json, &err), &err, ERR_LIMIT);
	assert_int_equal(json.len, 0);
	assert_ok(read_len("1234", 4, &json, &err), &err);
	assert_string_equal(json.data, "1234");
}

/* ---- what reads ---- */

static void plain_scalars_resolve_by_the_core_schema(void **state)
{
	(void)state;
	assert_reads("[~, null, Null, NULL]", "[null,null,null,null]");
	assert_reads("a:\nb: \n", "{\"a\":null,\"b\":null}");
	assert_reads(
	    "[true, True, TRUE, false, False, FALSE]", "[true,true,true,false,false,false]");
	assert_reads("[yes, no, on, off, y, n, nULL, tRUE]",
	    "[\"yes\",\"no\",\"on\",\"off\",\"y\",\"n\",\"nULL\",\"tRUE\"]");
	assert_reads(
	    "[\"1\", '1', \"null\", 'true', \"\"]", "[\"1\",\"1\",\"null\",\"true\",\"\"]");
}

static void a_numbers_digits_are_kept_where_json_allows(void **state)
{
	(void)state;
	assert_reads("[0, -0, 12, 9007199254740993, 1.50, 1e5, 1E+5, 1.5e-7, 1e999999999]",
	    "[0,-0,12,9007199254740993,1.50,1e5,1E+5,1.5e-7,1e999999999]");
	assert_reads("[0x1F, 0xff, 0o17, 0xFFFFFFFFFFFFFFFF]", "[31,255,15,18446744073709551615]");
	assert_reads("[+1, .5, -.5, +.5e3, 5., -5.e2, 007, -012, 00, 00.5]",
	    "[1,0.5,-0.5,0.5e3,5.0,-5.0e2,7,-12,0,0.5]");
}

static void what_only_looks_like_a_number_is_text(void **state)
{
	(void)state;
	assert_reads("[1_000, 1.2.3, 0x, 0o8, 0xg, -0x1F, +0o7, 0b1, 1e, 1e+, e5, ., -, +, 1:30]",
	    "[\"1_000\",\"1.2.3\",\"0x\",\"0o8\",\"0xg\",\"-0x1F\",\"+0o7\",\"0b1\",\"1e\",\"1e+\","
	    "\"e5\",\".\",\"-\",\"+\",\"1:30\"]");
	assert_reads("[2026-01-01, 1.e, .e5, 0X1F, .infinity, inf, nan, --1, 1-]",
	    "[\"2026-01-01\",\"1.e\",\".e5\",\"0X1F\",\".infinity\",\"inf\",\"nan\",\"--1\",\"1-"
	    "\"]");
}

static void strings_are_quoted(void **state)
{
	(void)state;
	assert_reads("a: |\n  one\n  \"two\" \\ \n", "{\"a\":\"one\\n\\\"two\\\" \\\\ \\n\"}");
	assert_reads("a: >-\n  one\n  two\n\n  three\n", "{\"a\":\"one two\\nthree\"}");
	assert_reads("'it''s'", "\"it's\"");
	assert_reads("\"\\t\\x01\\u00e9\\U0001F378\\0\"",
	    "\"\\u0009\\u0001\xc3\xa9\xf0\x9f\x8d\xb8\\u0000\"");
	assert_reads("\xc3\xa9: \xe6\x97\xa5", "{\"\xc3\xa9\":\"\xe6\x97\xa5\"}");
	assert_reads("'<<'", "\"<<\"");
	assert_reads("a: <<", "{\"a\":\"<<\"}");
}

static void keys_count_as_their_text(void **state)
{
	(void)state;
	assert_reads("1: x\ntrue: y\n~: z\n1.0: w\n\"q\": v\n'<<': u\n",
	    "{\"1\":\"x\",\"true\":\"y\",\"~\":\"z\",\"1.0\":\"w\",\"q\":\"v\",\"<<\":\"u\"}");
	assert_reads("? a\n: 1\n? b\n", "{\"a\":1,\"b\":null}");
	assert_reads("z: 1\na: 2\nm: 3\n", "{\"z\":1,\"a\":2,\"m\":3}");
}

static void an_empty_document_is_null(void **state)
{
	(void)state;
	assert_reads("", "null");
	assert_reads("# only a comment\n", "null");
	assert_reads("---\n", "null");
	assert_reads("---\n...\n", "null");
	assert_reads_len("\xef\xbb\xbf"
			 "a: 1\n",
	    8, "{\"a\":1}");
	assert_reads("a: 1\r\nb: 2\r\n", "{\"a\":1,\"b\":2}");
}

/* ---- marks ---- */

static void marks_say_where_each_value_stood(void **state)
{
	static const char text[] = "a: 1\nlist:\n- x\n- {k: v}\n\xc3\xa9\xc3\xa9: end\n";
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_yaml_marks struct yaml_marks marks = YAML_MARKS_INIT;
	cleanup_err struct err err = ERR_INIT;
	static const struct yaml_mark wanted[] = {
		{ 0, 1, 1 },  /* { */
		{ 1, 1, 1 },  /* "a" */
		{ 5, 1, 4 },  /* 1 */
		{ 7, 2, 1 },  /* "list" */
		{ 14, 3, 1 }, /* [ */
		{ 15, 3, 3 }, /* "x" */
		{ 19, 4, 3 }, /* { */
		{ 20, 4, 4 }, /* "k" */
		{ 24, 4, 7 }, /* "v" */
		{ 30, 5, 1 }, /* the last key */
		{ 37, 5, 5 }, /* "end" */
	};

	(void)state;
	assert_ok(yaml_read(text, sizeof(text) - 1, &yaml_limits_file, &json, &marks, &err), &err);
	assert_string_equal(
	    json.data, "{\"a\":1,\"list\":[\"x\",{\"k\":\"v\"}],\"\xc3\xa9\xc3\xa9\":\"end\"}");
	assert_int_equal(marks.len, ARRAY_LEN(wanted));
	for (size_t i = 0; i < marks.len; i++) {
		assert_int_equal(marks.items[i].offset, wanted[i].offset);
		assert_int_equal(marks.items[i].line, wanted[i].line);
		assert_int_equal(marks.items[i].column, wanted[i].column);
		assert_ptr_equal(yaml_marks_find(&marks, wanted[i].offset), &marks.items[i]);
	}
	assert_null(yaml_marks_find(&marks, 2));
	assert_null(yaml_marks_find(&marks, 1000));
}

/* Every value of the JSON tree has a mark at its first byte. */
static void every_value_has_a_mark(void **state)
{
	static const char text[] = "a: [1, {b: [], c: {}}, ~, 'x']\nd: |\n  text\ne: 0x1F\n";
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_yaml_marks struct yaml_marks marks = YAML_MARKS_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(yaml_read(text, sizeof(text) - 1, &yaml_limits_file, &json, &marks, &err), &err);
	assert_ok(json_read(&doc, json.data, json.len, &err), &err);
	assert_int_equal(marks.len, doc.tape_len);
	for (size_t i = 0; i < doc.tape_len; i++)
		assert_int_equal(doc.tape[i].raw - json.data, marks.items[i].offset);
}

static void marks_of_nothing_are_none(void **state)
{
	struct yaml_marks marks = YAML_MARKS_INIT;

	(void)state;
	assert_null(yaml_marks_find(&marks, 0));
	yaml_marks_release(&marks);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_makes_one_thing_two_is_refused),
	cmocka_unit_test(tags_are_refused),
	cmocka_unit_test(a_key_that_is_no_scalar_is_refused),
	cmocka_unit_test(a_second_document_is_refused),
	cmocka_unit_test(directives_but_the_version_are_refused),
	cmocka_unit_test(duplicate_keys_are_refused),
	cmocka_unit_test(a_long_key_is_cut_in_the_message),
	cmocka_unit_test(text_that_is_no_utf8_is_refused),
	cmocka_unit_test(numbers_that_json_has_not_are_refused),
	cmocka_unit_test(what_is_no_yaml_is_refused_with_its_place),
	cmocka_unit_test(a_refusal_carries_its_place_as_details),
	cmocka_unit_test(bytes_values_and_depth_are_bounded),
	cmocka_unit_test(hostile_shapes_cost_little_time),
	cmocka_unit_test(a_result_larger_than_the_callers_cap_is_refused),
	cmocka_unit_test(plain_scalars_resolve_by_the_core_schema),
	cmocka_unit_test(a_numbers_digits_are_kept_where_json_allows),
	cmocka_unit_test(what_only_looks_like_a_number_is_text),
	cmocka_unit_test(strings_are_quoted),
	cmocka_unit_test(keys_count_as_their_text),
	cmocka_unit_test(an_empty_document_is_null),
	cmocka_unit_test(marks_say_where_each_value_stood),
	cmocka_unit_test(every_value_has_a_mark),
	cmocka_unit_test(marks_of_nothing_are_none),
};

UNIT_MAIN(tests)
