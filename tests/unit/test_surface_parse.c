/* SPDX-License-Identifier: MIT */
/* Parsers: what a program prints becomes JSON, or an error that does not repeat it. */
#include "surface_fixture.h"

/* What `result: RESULT` makes of output, as JSON text. */
static void expect_len(const char *result, const char *out, size_t len, const char *json)
{
	cleanup_free char *keys = xasprintf("argv: [x], result: %s", result);
	cleanup_surface struct surface *surface = fixture_tool("", keys);
	struct surface_run run = { .out = out, .out_len = len, .err = "", .err_len = 0 };
	struct surface_result made = SURFACE_RESULT_INIT;

	fixture_result(surface, "{}", &run, &made);
	assert_string_equal(made.json.data, json);
	assert_false(made.is_error);
	surface_result_release(&made);
}

static void expect(const char *result, const char *out, const char *json)
{
	expect_len(result, out, strlen(out), json);
}

/* It is refused as BAD_OUTPUT, with words that hold `why` and nothing of the output. */
static void expect_bad_len(const char *result, const char *out, size_t len, const char *why)
{
	cleanup_free char *keys = xasprintf("argv: [x], result: %s", result);
	cleanup_surface struct surface *surface = fixture_tool("", keys);
	struct surface_run run = { .out = out, .out_len = len, .err = "", .err_len = 0 };
	struct surface_result made = SURFACE_RESULT_INIT;

	fixture_result(surface, "{}", &run, &made);
	assert_true(made.is_error);
	assert_string_equal(made.code, "BAD_OUTPUT");
	if (strstr(made.text.data, why) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", made.text.data, why);
	assert_null(strstr(made.json.data, "hush"));
	assert_null(strstr(made.text.data, "hush"));
	surface_result_release(&made);
}

static void expect_bad(const char *result, const char *out, const char *why)
{
	expect_bad_len(result, out, strlen(out), why);
}

/* ---- json, ndjson, envelope ---- */

static void empty_output_of_a_json_tool_is_refused(void **state)
{
	(void)state;
	expect_bad("{ parse: json }", "", "empty output");
	expect_bad("{ parse: json }", " \n\t\n", "empty output");
	expect_bad("{ parse: envelope }", "", "empty output");
}

static void output_that_is_not_one_json_text_is_refused(void **state)
{
	(void)state;
	expect_bad("{ parse: json }", "hush", "not one JSON text");
	expect_bad("{ parse: json }", "{}{}", "not one JSON text");
	expect_bad("{ parse: json }", "{\"hush\":1,\"hush\":2}", "same key twice");
	expect_bad("{ parse: json }", "{\"a\":NaN}", "not one JSON text");
	expect_bad("{ parse: json }", "{\"a\":\"\xff\"}", "not one JSON text");
	expect_bad_len("{ parse: json }", "{}\0", 3, "not one JSON text");
}

static void digits_of_a_json_output_never_change(void **state)
{
	(void)state;
	expect("{ parse: json }", "{ \"id\": 9007199254740993,\n \"f\": 1.0, \"e\": 1E400 }\n",
	    "{\"id\":9007199254740993,\"f\":1.0,\"e\":1E400}");
}

static void arrays_and_scalars_are_wrapped(void **state)
{
	(void)state;
	expect("{ parse: json }", "[1, 2]", "{\"items\":[1,2]}");
	expect("{ parse: json }", "\"x\"", "{\"value\":\"x\"}");
	expect("{ parse: json }", "null", "{\"value\":null}");
	expect("{ parse: json, under: list }", "[]", "{\"list\":[]}");
	expect("{ parse: json, under: settings }", "{\"a\":1}", "{\"settings\":{\"a\":1}}");
}

static void half_a_surrogate_pair_does_not_leave(void **state)
{
	(void)state;
	expect("{ parse: json }", "{\"a\":[\"x\\ud800\",\"\\ud83c\\udf78\"]}",
	    "{\"a\":[\"x\xef\xbf\xbd\",\"\\ud83c\\udf78\"]}");
}

static void ndjson_becomes_an_array(void **state)
{
	(void)state;
	expect("{ parse: ndjson }", "{\"a\": 1}\n\n[2]\r\n3", "{\"items\":[{\"a\":1},[2],3]}");
	expect("{ parse: ndjson }", "", "{\"items\":[]}");
	expect_bad("{ parse: ndjson }", "{}\nhush\n", "line 2");
	expect_bad("{ parse: ndjson }", "{}{}\n", "line 1");
}

static void a_document_without_the_form_of_an_envelope_is_refused(void **state)
{
	(void)state;
	expect_bad("{ parse: envelope }", "{\"status\":\"succeeded\"}", "no envelope");
	expect_bad(
	    "{ parse: envelope }", "{\"schema_version\":\"1\",\"status\":\"hush\"}", "no envelope");
	expect_bad("{ parse: envelope }", "[]", "no envelope");
	expect_bad("{ parse: envelope }", "{\"schema_version\":\"1\",\"status\":\"failed\"}",
	    "no error code");
}

static void an_envelope_is_handed_on_whole(void **state)
{
	(void)state;
	expect("{ parse: envelope }",
	    "{\"schema_version\": \"1\", \"status\": \"succeeded\", \"result\": [1]}\n",
	    "{\"schema_version\":\"1\",\"status\":\"succeeded\",\"result\":[1]}");
}

/* ---- text, value, none, lines ---- */

static void binary_output_is_refused_with_its_size(void **state)
{
	(void)state;
	expect_bad_len("{ parse: text }", "\x89PNG\0hush", 9, "9 bytes");
	expect_bad_len("{ parse: lines }", "a\0b", 3, "binary");
	expect_bad_len("{ parse: { pairs: { sep: ':' } } }", "a:\0", 3, "binary");
}

static void text_loses_its_final_newlines_and_a_value_one(void **state)
{
	(void)state;
	expect("{ parse: text }", "a\n\nb\r\n\n", "{\"text\":\"a\\n\\nb\"}");
	expect("{ parse: value }", "a\n\n", "{\"value\":\"a\\n\"}");
	expect("{ parse: value }", "1.0\n", "{\"value\":\"1.0\"}");
	expect("{ parse: text }", "", "{\"text\":\"\"}");
}

static void silence_stands_in_for_empty_output(void **state)
{
	(void)state;
	expect("{ parse: text, silence: OK }", " \n", "{\"text\":\"OK\"}");
	expect("{ parse: text, silence: OK }", "done\n", "{\"text\":\"done\"}");
}

static void none_makes_an_empty_object(void **state)
{
	(void)state;
	expect("{ parse: none, echo: { status: ok } }", "whatever", "{\"status\":\"ok\"}");
}

static void bytes_that_are_not_utf8_are_replaced_and_counted(void **state)
{
	cleanup_surface struct surface *surface =
	    fixture_tool("", "argv: [x], result: { parse: lines }");
	struct surface_run run = { .out = "a\xff\xfe\nb", .out_len = 5, .err = "", .err_len = 0 };
	struct surface_result made = SURFACE_RESULT_INIT;

	(void)state;
	fixture_result(surface, "{}", &run, &made);
	assert_string_equal(made.json.data, "{\"items\":[\"a\xef\xbf\xbd\xef\xbf\xbd\",\"b\"]}");
	assert_int_equal(made.invalid_bytes, 2);
	surface_result_release(&made);
}

static void lines_become_texts_or_the_groups_of_a_pattern(void **state)
{
	(void)state;
	expect("{ parse: lines }", "a\n\n b\r\n", "{\"items\":[\"a\",\"\",\" b\"]}");
	expect("{ parse: { lines: '^(?<k>\\w+)=(?<v>\\d+)?$' } }", "a=1\nb=\n",
	    "{\"items\":[{\"k\":\"a\",\"v\":\"1\"},{\"k\":\"b\",\"v\":null}]}");
	expect("{ parse: { lines: '^(?<k>\\w+)=', other: skip } }", "#\na=\n",
	    "{\"items\":[{\"k\":\"a\"}]}");
	expect_bad("{ parse: { lines: '^(?<k>\\w+)=' } }", "a=\nhush\n", "line 2");
}

/* ---- records ---- */

#define LOG                                                                                        \
	"{ parse: { records: { end: NUL, sep: US, fields: { commit: text, parents: words, body: "  \
	"text } } } }"

static void records_end_and_fields_are_separated(void **state)
{
	(void)state;
	expect_len(LOG, "c1\x1fp1 p2\x1f two\nlines\x1f!\0c2\x1f\x1f\0", 27,
	    "{\"items\":[{\"commit\":\"c1\",\"parents\":[\"p1\",\"p2\"],\"body\":\" "
	    "two\\nlines\\u001f!\"},{\"commit\":\"c2\",\"parents\":[],\"body\":\"\"}]}");
	expect(LOG, "", "{\"items\":[]}");
}

static void a_last_record_without_its_end_counts(void **state)
{
	(void)state;
	expect(LOG,
	    "c\x1fp\x1f"
	    "b",
	    "{\"items\":[{\"commit\":\"c\",\"parents\":[\"p\"],\"body\":\"b\"}]}");
}

static void a_record_with_too_few_fields_is_refused(void **state)
{
	(void)state;
	expect_bad_len(LOG,
	    "c\x1fp\x1f"
	    "b\0hush\0",
	    11, "record 2 of the output has 1 fields, 3");
}

#define NUMBERS                                                                                    \
	"{ parse: { records: { end: LF, sep: TAB, fields: { add: integer, rate: number, on: "      \
	"boolean, path: text } } } }"

static void integers_keep_their_digits(void **state)
{
	(void)state;
	expect(NUMBERS, "9007199254740993\t1.50\tTrue\ta\tb\n-\t-0\tfalse\t\n 007\t1e3\ttrue\tx\n",
	    "{\"items\":[{\"add\":9007199254740993,\"rate\":1.50,\"on\":true,\"path\":\"a\\tb\"},"
	    "{\"add\":null,\"rate\":-0,\"on\":false,\"path\":\"\"},"
	    "{\"add\":7,\"rate\":1e3,\"on\":true,\"path\":\"x\"}]}");
}

static void fields_of_another_type_are_refused_by_name(void **state)
{
	(void)state;
	expect_bad(NUMBERS, "hush\t1\ttrue\tx\n", "add is no integer");
	expect_bad(NUMBERS, "1\thush\ttrue\tx\n", "rate is no number");
	expect_bad(NUMBERS, "1\t1\thush\tx\n", "on is no boolean");
	expect_bad(NUMBERS, "1.5\t1\ttrue\tx\n", "add is no integer");
}

#define STATUS                                                                                     \
	"{ parse: { records: { end: NUL, sep: SP, kinds: {"                                        \
	" '#': { as: branch, fields: { key: text, value: text } },"                                \
	" '?': { as: untracked, fields: { path: text } },"                                         \
	" '2': { as: renamed, fields: { xy: text, path: text, from: next } } } } } }"

static void kinds_gather_under_their_names(void **state)
{
	static const char out[] = "# branch.ab +1 -2\0? a b\0"
				  "2 R. new name\0old name\0? c\0";

	(void)state;
	expect_len(STATUS, out, sizeof(out) - 1,
	    "{\"branch\":[{\"key\":\"branch.ab\",\"value\":\"+1 -2\"}],"
	    "\"untracked\":[{\"path\":\"a b\"},{\"path\":\"c\"}],"
	    "\"renamed\":[{\"xy\":\"R.\",\"path\":\"new name\",\"from\":\"old name\"}]}");
	expect(STATUS, "", "{\"branch\":[],\"untracked\":[],\"renamed\":[]}");
}

static void a_record_of_no_declared_kind_is_refused_unless_skipped(void **state)
{
	(void)state;
	expect_bad_len(
	    STATUS, "? a\0hush b\0", 11, "record 2 of the output is of no declared kind");
	expect_bad_len(STATUS, "2 R. new\0", 9, "lacks the record");
	expect("{ parse: { records: { end: LF, sep: SP, other: skip, kinds: {"
	       " a: { as: as, fields: { x: text } } } } } }",
	    "b 1\na 2\n", "{\"as\":[{\"x\":\"2\"}]}");
}

/* ---- pairs ---- */

static void pairs_become_an_object_and_the_last_wins(void **state)
{
	(void)state;
	expect("{ parse: { pairs: { sep: ':' } } }", "Title\na: 1\nb:\n b : x:y \na: 2\n",
	    "{\"b\":\"x:y\",\"a\":\"2\"}");
	expect("{ parse: { pairs: { sep: '=' } } }", "", "{}");
}

static void keys_values_and_nulls_are_made_uniform(void **state)
{
	(void)state;
	expect("{ parse: { pairs: { sep: ':', keys: snake, strip: ' \\(default\\)$', nulls: [none, "
	       "(none), 'null', unset] } } }",
	    "Settings:\n  - Default share-ID: (none) (default)\n  \xe2\x80\xa2 default_format: "
	    "human "
	    "(default)\nOther: NULL\n",
	    "{\"default_share_id\":null,\"default_format\":\"human\",\"other\":null}");
}

static void keys_that_differ_in_invalid_bytes_alone_are_equal(void **state)
{
	(void)state;
	expect(
	    "{ parse: { pairs: { sep: ':' } } }", "\xff: 1\n\xfe: 2\n", "{\"\xef\xbf\xbd\":\"2\"}");
}

#define BLAME                                                                                      \
	"{ parse: { pairs: { sep: ' ', head: '^(?<commit>[0-9a-f]{4}) \\d+ (?<line>\\d+)( "        \
	"\\d+)?$', tail: '^\\t(?<text>.*)$' } }, under: lines }"

static void blocks_stand_between_head_and_tail(void **state)
{
	(void)state;
	expect(BLAME, "abcd 1 1 2\nauthor A B\nboundary\nfilename f\n\tint x;\nabcd 2 2\n\t\xff\n",
	    "{\"lines\":[{\"commit\":\"abcd\",\"line\":\"1\",\"author\":\"A "
	    "B\",\"filename\":\"f\",\"text\":\"int "
	    "x;\"},{\"commit\":\"abcd\",\"line\":\"2\",\"text\":\"\xef\xbf\xbd\"}]}");
}

static void a_block_that_does_not_begin_or_end_is_refused(void **state)
{
	(void)state;
	expect_bad(BLAME, "hush\n", "line 1");
	expect_bad(BLAME, "abcd 1 1\nauthor hush\n", "middle of a block");
}

static void an_empty_line_ends_a_block_without_tail(void **state)
{
	(void)state;
	expect("{ parse: { pairs: { sep: ' ', head: '^worktree (?<path>.+)$' } } }",
	    "worktree /a\nHEAD 12\nbare\n\nworktree /b\nHEAD 34\n",
	    "{\"items\":[{\"path\":\"/a\",\"HEAD\":\"12\"},{\"path\":\"/b\",\"HEAD\":\"34\"}]}");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(empty_output_of_a_json_tool_is_refused),
	cmocka_unit_test(output_that_is_not_one_json_text_is_refused),
	cmocka_unit_test(digits_of_a_json_output_never_change),
	cmocka_unit_test(arrays_and_scalars_are_wrapped),
	cmocka_unit_test(half_a_surrogate_pair_does_not_leave),
	cmocka_unit_test(ndjson_becomes_an_array),
	cmocka_unit_test(a_document_without_the_form_of_an_envelope_is_refused),
	cmocka_unit_test(an_envelope_is_handed_on_whole),
	cmocka_unit_test(binary_output_is_refused_with_its_size),
	cmocka_unit_test(text_loses_its_final_newlines_and_a_value_one),
	cmocka_unit_test(silence_stands_in_for_empty_output),
	cmocka_unit_test(none_makes_an_empty_object),
	cmocka_unit_test(bytes_that_are_not_utf8_are_replaced_and_counted),
	cmocka_unit_test(lines_become_texts_or_the_groups_of_a_pattern),
	cmocka_unit_test(records_end_and_fields_are_separated),
	cmocka_unit_test(a_last_record_without_its_end_counts),
	cmocka_unit_test(a_record_with_too_few_fields_is_refused),
	cmocka_unit_test(integers_keep_their_digits),
	cmocka_unit_test(fields_of_another_type_are_refused_by_name),
	cmocka_unit_test(kinds_gather_under_their_names),
	cmocka_unit_test(a_record_of_no_declared_kind_is_refused_unless_skipped),
	cmocka_unit_test(pairs_become_an_object_and_the_last_wins),
	cmocka_unit_test(keys_values_and_nulls_are_made_uniform),
	cmocka_unit_test(keys_that_differ_in_invalid_bytes_alone_are_equal),
	cmocka_unit_test(blocks_stand_between_head_and_tail),
	cmocka_unit_test(a_block_that_does_not_begin_or_end_is_refused),
	cmocka_unit_test(an_empty_line_ends_a_block_without_tail),
};

UNIT_MAIN(tests)
