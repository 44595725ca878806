/* SPDX-License-Identifier: MIT */
/* The result stage: exit statuses, steps in their order, refs, search, sort, pages, errors. */
#include "surface_fixture.h"

#include "base/text.h"

static struct surface_run run_of(int status, const char *out, const char *err)
{
	return (struct surface_run){ .exit_status = status,
		.out = out,
		.out_len = strlen(out),
		.err = err,
		.err_len = strlen(err) };
}

/* One call of the tool with these keys; the result's JSON. */
static void expect(const char *keys, const char *arguments, const char *out, const char *json)
{
	cleanup_surface struct surface *surface = fixture_tool("", keys);
	struct surface_run run = run_of(0, out, "");
	struct surface_result made = SURFACE_RESULT_INIT;

	fixture_result(surface, arguments, &run, &made);
	assert_string_equal(made.json.data, json);
	assert_false(made.is_error);
	surface_result_release(&made);
}

static void expect_error(const char *keys, const char *arguments, struct surface_run run,
    const char *code, const char *why)
{
	cleanup_surface struct surface *surface = fixture_tool("", keys);
	struct surface_result made = SURFACE_RESULT_INIT;

	fixture_result(surface, arguments, &run, &made);
	assert_true(made.is_error);
	assert_string_equal(made.code, code);
	if (strstr(made.text.data, why) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", made.text.data, why);
	if (strstr(made.json.data, "\"error_code\"") == NULL)
		fail_msg("no error object: %s", made.json.data);
	surface_result_release(&made);
}

/* ---- exit statuses and errors ---- */

static void a_status_that_is_not_named_is_an_error(void **state)
{
	(void)state;
	expect_error("argv: [x]", "{}", run_of(2, "", ""), "PROGRAM_FAILED",
	    "[PROGRAM_FAILED] t ended with exit status 2 and printed nothing");
	expect_error("argv: [x]", "{}", run_of(1, "o", "e\n"), "PROGRAM_FAILED",
	    "exit status 1\nstderr: e\nstdout: o");
}

static void a_failure_has_the_form_of_an_error(void **state)
{
	cleanup_surface struct surface *surface = fixture_tool("",
	    "argv: [x], errors: [{ exit: [3, 4], stderr: [Locked, gone], code: LOCKED, retryable: "
	    "true, hint: Unlock it., add: { managed: true } }]");
	struct surface_run run = run_of(4, "", "it is LOCKED");
	struct surface_result made = SURFACE_RESULT_INIT;

	(void)state;
	fixture_result(surface, "{}", &run, &made);
	assert_string_equal(made.json.data,
	    "{\"error_code\":\"LOCKED\",\"retryable\":true,\"message\":\"t ended with exit status "
	    "4\\nstderr: it is LOCKED\",\"exit_code\":4,\"user_action\":\"Unlock "
	    "it.\",\"managed\":true}");
	assert_string_equal(made.text.data,
	    "[LOCKED] t ended with exit status 4\nstderr: it is LOCKED\nUnlock it.");
	assert_true(made.retryable);
	surface_result_release(&made);
}

static void stdout_and_arguments_are_never_classified(void **state)
{
	(void)state;
	expect_error("argv: [x], errors: [{ stderr: locked, code: LOCKED }]", "{}",
	    run_of(1, "locked", "other"), "PROGRAM_FAILED", "other");
	expect_error("argv: [x], errors: [{ exit: 3, stderr: locked, code: LOCKED }]", "{}",
	    run_of(1, "", "locked"), "PROGRAM_FAILED", "locked");
	expect_error("argv: [x], errors: [{ match: '^l.cked$', code: LOCKED }]", "{}",
	    run_of(1, "", "locked"), "LOCKED", "locked");
}

static void streams_in_errors_are_cut_at_a_character(void **state)
{
	cleanup_buf struct buf err = BUF_INIT;
	cleanup_buf struct buf wanted = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < 502; i++)
		buf_adds(&err, "\xf0\x9f\x8d\xb8");
	buf_adds(&wanted, "stderr: ");
	buf_add(&wanted, err.data, 2000);
	buf_adds(&wanted, " … (2 more characters)");
	expect_error("argv: [x]", "{}", run_of(1, "", err.data), "PROGRAM_FAILED", wanted.data);
}

static void expect_no_stdout(const char *keys)
{
	cleanup_surface struct surface *surface = fixture_tool("", keys);
	struct surface_run run = run_of(1, "hush", "bad");
	struct surface_result made = SURFACE_RESULT_INIT;

	fixture_result(surface, "{}", &run, &made);
	assert_null(strstr(made.text.data, "hush"));
	assert_null(strstr(made.json.data, "hush"));
	surface_result_release(&made);
}

static void an_error_of_a_tool_that_reveals_does_not_show_stdout(void **state)
{
	(void)state;
	expect_no_stdout("argv: [x], reveals: true");
}

static void an_error_of_a_tool_that_shows_a_part_does_not_show_stdout(void **state)
{
	(void)state;
	expect_no_stdout("argv: [x], result: { parse: json, pick: [/a] }");
	expect_no_stdout("argv: [x], result: [{ parse: json, drop: [/a] }, { parse: text }]");
}

static void data_statuses_make_a_result_that_is_an_error(void **state)
{
	cleanup_surface struct surface *surface = fixture_tool("",
	    "argv: [x], exit: { data: any }, result: { parse: none, echo: { exit_code: '{$exit}', "
	    "stdout: '{$stdout}', stderr: '{$stderr}', note: 'was {$exit}' } }");
	struct surface_run run = run_of(3, "o\n\n", "e");
	struct surface_result made = SURFACE_RESULT_INIT;

	(void)state;
	fixture_result(surface, "{}", &run, &made);
	assert_true(made.is_error);
	assert_string_equal(made.json.data,
	    "{\"exit_code\":3,\"stdout\":\"o\\n\",\"stderr\":\"e\",\"note\":\"was 3\"}");
	run.exit_status = 0;
	fixture_result(surface, "{}", &run, &made);
	assert_false(made.is_error);
	surface_result_release(&made);
}

static void named_statuses_are_success(void **state)
{
	cleanup_surface struct surface *surface =
	    fixture_tool("", "argv: [x], exit: { ok: [0, 1] }, result: { parse: lines, under: m }");
	struct surface_run run = run_of(1, "", "");
	struct surface_result made = SURFACE_RESULT_INIT;

	(void)state;
	fixture_result(surface, "{}", &run, &made);
	assert_false(made.is_error);
	assert_string_equal(made.json.data, "{\"m\":[]}");
	surface_result_release(&made);
}

static void an_error_of_ours_keeps_its_details(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	struct surface_result made = SURFACE_RESULT_INIT;

	(void)state;
	(void)err_set(&err, ERR_INVALID_ARGUMENT, "/limit: is \"x\"");
	(void)err_take_details(&err, xstrdup("{\"errors\":[],\"retryable\":1}"));
	surface_error_result(&err, &made);
	assert_string_equal(made.text.data, "[INVALID_ARGUMENT] /limit: is \"x\"");
	assert_string_equal(made.json.data,
	    "{\"error_code\":\"INVALID_ARGUMENT\",\"retryable\":false,\"message\":\"/limit: is "
	    "\\\"x\\\"\",\"errors\":[]}");
	surface_result_release(&made);
}

/* ---- envelopes ---- */

static void a_failed_envelope_decides_whatever_the_status(void **state)
{
	cleanup_surface struct surface *surface =
	    fixture_tool(", output: envelope", "argv: [x], errors: [{ exit: 12, code: NEVER }]");
	struct surface_run run = run_of(12,
	    "{\"schema_version\":\"1\",\"status\":\"failed\",\"error\":{\"code\":\"NOT_FOUND\","
	    "\"message\":\"m\",\"exit_code\":12,\"retryable\":true}}",
	    "noise");
	struct surface_result made = SURFACE_RESULT_INIT;

	(void)state;
	fixture_result(surface, "{}", &run, &made);
	assert_true(made.is_error);
	assert_string_equal(made.code, "NOT_FOUND");
	assert_true(made.retryable);
	assert_string_equal(made.json.data, run.out);
	surface_result_release(&made);
}

static void a_failed_envelope_is_handed_on_whole_whatever_the_result_asks(void **state)
{
	cleanup_surface struct surface *surface = fixture_tool(
	    ", output: envelope", "argv: [x], result: { at: /result/list, under: items }");
	struct surface_run run = run_of(1,
	    "{\"schema_version\":\"1\",\"status\":\"failed\",\"result\":{\"items\":[1]},\"error\":"
	    "{\"code\":\"CONFLICT\",\"message\":\"m\",\"details\":{\"files\":[\"a\"]}}}",
	    "");
	struct surface_result made = SURFACE_RESULT_INIT;

	(void)state;
	fixture_result(surface, "{}", &run, &made);
	assert_true(made.is_error);
	assert_string_equal(made.code, "CONFLICT");
	assert_string_equal(made.json.data, run.out);
	assert_string_equal(made.text.data, "[CONFLICT] m\n{\"files\":[\"a\"]}\n{\"items\":[1]}");
	surface_result_release(&made);
}

static void a_failure_without_an_envelope_is_a_failure_of_the_program(void **state)
{
	cleanup_surface struct surface *surface =
	    fixture_tool(", output: envelope", "argv: [x], errors: [{ exit: 2, code: CLI_USAGE }]");
	struct surface_run run = run_of(2, "", "unknown flag");
	struct surface_result made = SURFACE_RESULT_INIT;

	(void)state;
	fixture_result(surface, "{}", &run, &made);
	assert_string_equal(made.code, "CLI_USAGE");
	surface_result_release(&made);
}

/* ---- alternatives, at, drop, pick, rename ---- */

#define SETTINGS                                                                                   \
	"argv: [x], result: [{ parse: json, under: settings }, { parse: { pairs: { sep: ':' } }, " \
	"under: settings, echo: { rawText: '{$stdout}' } }]"

static void the_first_alternative_that_fits_makes_the_result(void **state)
{
	(void)state;
	expect(SETTINGS, "{}", "{\"a\": 1}", "{\"settings\":{\"a\":1}}");
	expect(SETTINGS, "{}", "a: 1\n", "{\"settings\":{\"a\":\"1\"},\"rawText\":\"a: 1\"}");
}

static void output_that_fits_no_alternative_is_refused(void **state)
{
	(void)state;
	expect_error("argv: [x], result: { parse: json, at: [/items, /list] }", "{}",
	    run_of(0, "{\"a\":1}", ""), "BAD_OUTPUT", "no value at /items");
	expect_error("argv: [x], input: { properties: { a: { type: string, description: A. } } }, "
		     "result: [{ when: a, parse: text }]",
	    "{}", run_of(0, "x", ""), "BAD_OUTPUT", "no result for these arguments");
}

static void at_finds_the_first_value_or_list(void **state)
{
	(void)state;
	expect("argv: [x], result: { parse: json, at: [/b, /a] }", "{}", "{\"a\":{\"c\":1}}",
	    "{\"c\":1}");
	expect("argv: [x], result: { parse: json, at: '/*' }", "{}", "{\"n\":1,\"x\":[2]}",
	    "{\"items\":[2]}");
	expect_error("argv: [x], result: { parse: json, at: '/*' }", "{}",
	    run_of(0, "{\"x\":[],\"y\":[]}", ""), "BAD_OUTPUT", "no value");
	expect("argv: [x], result: { parse: json, at: ['', /items], sort: { by: n } }", "{}",
	    "{\"items\":[{\"n\":2},{\"n\":1}]}", "{\"items\":[{\"n\":1},{\"n\":2}]}");
}

static void members_are_dropped_picked_and_renamed(void **state)
{
	(void)state;
	expect("argv: [x], result: { parse: json, drop: ['/a/*/k', /b] }", "{}",
	    "{\"a\":[{\"k\":1,\"x\":1.0},{\"k\":2}],\"b\":2,\"c\":3}",
	    "{\"a\":[{\"x\":1.0},{}],\"c\":3}");
	expect("argv: [x], result: { parse: json, pick: [/a/b, '/l/*/n'] }", "{}",
	    "{\"a\":{\"b\":1,\"c\":2},\"l\":[{\"n\":1,\"m\":2},3],\"z\":0}",
	    "{\"a\":{\"b\":1},\"l\":[{\"n\":1}]}");
	expect("argv: [x], result: { parse: json, rename: { a: b, b: a } }", "{}",
	    "{\"a\":1,\"b\":2}", "{\"b\":1,\"a\":2}");
	expect_error("argv: [x], result: { parse: json, rename: { a: b } }", "{}",
	    run_of(0, "{\"a\":1,\"b\":2}", ""), "BAD_OUTPUT", "already has a member");
}

static void both_streams_are_joined_and_trimmed(void **state)
{
	cleanup_surface struct surface *surface =
	    fixture_tool("", "argv: [x], result: { from: both, parse: text, silence: OK }");
	struct surface_run run = run_of(0, " a\n", "b \n");
	struct surface_result made = SURFACE_RESULT_INIT;

	(void)state;
	fixture_result(surface, "{}", &run, &made);
	assert_string_equal(made.json.data, "{\"text\":\"a\\nb\"}");
	run = run_of(0, "\n", "");
	fixture_result(surface, "{}", &run, &made);
	assert_string_equal(made.json.data, "{\"text\":\"OK\"}");
	run.is_err_cut = true;
	fixture_result(surface, "{}", &run, &made);
	assert_string_equal(made.code, "OUTPUT_TOO_LARGE");
	surface_result_release(&made);
}

static void only_output_that_is_json_may_lose_its_banner(void **state)
{
	cleanup_surface struct surface *surface =
	    fixture_tool(", output: json", "argv: [x], input: { properties: { f: { type: string, "
					   "description: F. } } }, result: [{ "
					   "when: f, parse: value }, { parse: json }]");
	cleanup_surface struct surface *plain = fixture_tool(", output: json", "argv: [x]");
	cleanup_json struct json_doc doc = JSON_DOC_INIT;

	(void)state;
	fixture_json(&doc, "{\"f\":\"x\"}");
	assert_false(surface_wants_json(&surface->tools[0], json_root(&doc)));
	fixture_json(&doc, "{}");
	assert_true(surface_wants_json(&surface->tools[0], json_root(&doc)));
	assert_true(surface_wants_json(&plain->tools[0], json_root(&doc)));
}

/* ---- refs ---- */

#define PASS_REFS                                                                                  \
	"stile: 1\nsurface: t\nprogram: { run: prog, output: json }\n"                             \
	"refs: { item: { id: [/id, /item_id, { of: /uri, match: '^pass://[^/]+/([^/]+)$' }, "      \
	"'item-{$n}'], share_id: [/share_id, /share/id], title: [/content/title, /title], "        \
	"display_title: ['{title}', '[untitled:{id:8}]'], type: { from: [/item_type, { key_of: "   \
	"/content/content }], case: kebab, map: { creditcard: credit-card, sshkey: ssh-key } }, "  \
	"uri: ['pass://{share_id}/{id}', /uri] } }\n"
#define SEARCH_TOOL                                                                                \
	"tools:\n- { name: search, description: Search., effect: read, argv: ['--q={query}'], "    \
	"input: { properties: { query: { type: string, description: Q. }, match: { enum: "         \
	"[contains, prefix, exact], default: contains, description: M. }, pageSize: { type: "      \
	"integer, minimum: 1, maximum: 250, default: 100, description: P. }, cursor: { type: "     \
	"string, maxLength: 20, pattern: '^[0-9]*$', default: '0', description: C. } } },\n"       \
	"  result: { at: ['', /items, '/*'], as: item, search: { for: '{query}', in: [title], "    \
	"match: '{match}' }, page: { size: '{pageSize}', cursor: '{cursor}' }, echo: { "           \
	"queryMeta: "                                                                              \
	"{ field: title, match: '{match}' } } } }\n"
#define LIST_TOOL                                                                                  \
	"tools:\n- { name: list, description: L., effect: read, argv: [x], result: { as: item } "  \
	"}\n"

static void expect_of(const char *yaml, const char *arguments, const char *out, const char *json)
{
	cleanup_surface struct surface *surface = fixture_load(yaml);
	struct surface_run run = run_of(0, out, "");
	struct surface_result made = SURFACE_RESULT_INIT;

	fixture_result(surface, arguments, &run, &made);
	assert_string_equal(made.json.data, json);
	assert_false(made.is_error);
	surface_result_release(&made);
}

static void refs_take_the_first_source_that_says_something(void **state)
{
	(void)state;
	expect_of(PASS_REFS LIST_TOOL, "{}",
	    "[{\"id\":\" \",\"item_id\":\" i1 \",\"share\":{\"id\":\"s1\"},\"content\":{\"title\":"
	    "\"\",\"content\":{\"SSHKey\":{}}},\"password\":\"hush\"},"
	    "{\"uri\":\"pass://s2/i2\",\"title\":\"T\",\"item_type\":\"credit_card\"},5]",
	    "{\"items\":[{\"id\":\"i1\",\"share_id\":\"s1\",\"title\":null,\"display_title\":"
	    "\"[untitled:i1]\",\"type\":\"ssh-key\",\"uri\":\"pass://s1/i1\"},"
	    "{\"id\":\"i2\",\"share_id\":null,\"title\":\"T\",\"display_title\":\"T\",\"type\":"
	    "\"credit-card\",\"uri\":\"pass://s2/i2\"},"
	    "{\"id\":\"item-3\",\"share_id\":null,\"title\":null,\"display_title\":"
	    "\"[untitled:item-3]\",\"type\":null,\"uri\":null}]}");
}

static void a_ref_of_one_object_is_an_object(void **state)
{
	(void)state;
	expect_of(PASS_REFS LIST_TOOL, "{}", "{\"id\":\"i\",\"item_type\":\"MyCustomType\"}",
	    "{\"id\":\"i\",\"share_id\":null,\"title\":null,\"display_title\":\"[untitled:i]\","
	    "\"type\":\"my-custom-type\",\"uri\":null}");
}

#define TYPES                                                                                      \
	"stile: 1\nsurface: t\nprogram: { run: prog, output: json }\n"                             \
	"refs: { inner: { k: /k }, outer: { any: /v, int: { from: /v, type: integer, else: -1 }, " \
	"num: { from: /v, type: number }, bool: { from: /v, type: boolean }, text: { from: /v, "   \
	"type: text }, raw: { from: /l, type: any }, names: { from: '/l/*/k', type: any }, "       \
	"nested: "                                                                                 \
	"{ from: /l, as: inner } } }\n"                                                            \
	"tools:\n- { name: list, description: L., effect: read, argv: [x], result: { as: outer } " \
	"}\n"

static void ref_fields_have_their_types(void **state)
{
	(void)state;
	expect_of(TYPES, "{}", "[{\"v\":9007199254740993,\"l\":[{\"k\":\"a\"},{\"k\":\"b\"}]}]",
	    "{\"items\":[{\"any\":\"9007199254740993\",\"int\":9007199254740993,\"num\":"
	    "9007199254740993,\"bool\":null,\"text\":\"9007199254740993\",\"raw\":[{\"k\":\"a\"},"
	    "{\"k\":\"b\"}],\"names\":[\"a\",\"b\"],\"nested\":[{\"k\":\"a\"},{\"k\":\"b\"}]}]}");
	expect_of(TYPES, "{}", "[{\"v\":\"007\",\"l\":{\"k\":1}},{\"v\":true},{\"v\":[1]}]",
	    "{\"items\":[{\"any\":\"007\",\"int\":7,\"num\":null,\"bool\":null,\"text\":\"007\","
	    "\"raw\":{\"k\":1},\"names\":null,\"nested\":{\"k\":1}},"
	    "{\"any\":true,\"int\":-1,\"num\":null,\"bool\":true,\"text\":\"true\",\"raw\":null,"
	    "\"names\":null,\"nested\":null},"
	    "{\"any\":null,\"int\":-1,\"num\":null,\"bool\":null,\"text\":null,\"raw\":null,"
	    "\"names\":null,\"nested\":null}]}");
}

static void a_text_of_any_type_keeps_its_blanks(void **state)
{
	(void)state;
	expect_of(
	    "stile: 1\nsurface: t\nprogram: { run: prog, output: json }\n"
	    "refs: { line: { n: /n, text: { from: /t, type: any }, lean: /t } }\n"
	    "tools:\n- { name: list, description: L., effect: read, argv: [x], result: { as: line "
	    "} }\n",
	    "{}", "[{\"t\":\"\\tint x; \"},{\"t\":\"\"}]",
	    "{\"items\":[{\"n\":null,\"text\":\"\\tint x; \",\"lean\":\"int x;\"},"
	    "{\"n\":null,\"text\":\"\",\"lean\":null}]}");
}

/* ---- search, sort, pages ---- */

#define TITLES                                                                                     \
	"{\"items\":[{\"id\":\"1\",\"title\":\" Garden "                                           \
	"\"},{\"id\":\"2\"},{\"id\":\"3\",\"title\":"                                              \
	"\"gard\"},{\"id\":\"4\",\"title\":\"\xc3\x89t\xc3\xa9\"}]}"

static void search_finds_titles_and_pages_what_it_found(void **state)
{
	cleanup_surface struct surface *surface = fixture_load(PASS_REFS SEARCH_TOOL);
	struct surface_run run = run_of(0, TITLES, "");
	struct surface_result made = SURFACE_RESULT_INIT;

	(void)state;
	fixture_result(surface, "{\"query\":\"GARD\",\"pageSize\":1}", &run, &made);
	assert_string_equal(made.json.data,
	    "{\"items\":[{\"id\":\"1\",\"share_id\":null,\"title\":\"Garden\",\"display_title\":"
	    "\"Garden\",\"type\":null,\"uri\":null}],\"pageSize\":1,\"cursor\":\"0\",\"returned\":"
	    "1,"
	    "\"total\":2,\"nextCursor\":\"1\",\"queryMeta\":{\"field\":\"title\",\"match\":"
	    "\"contains\"}}");
	fixture_result(
	    surface, "{\"query\":\"\xc3\xa9T\xc3\x89\",\"match\":\"exact\"}", &run, &made);
	assert_non_null(strstr(made.json.data, "\"total\":1,"));
	fixture_result(surface, "{\"query\":\"ard\",\"match\":\"prefix\"}", &run, &made);
	assert_non_null(strstr(made.json.data, "{\"items\":[],"));
	surface_result_release(&made);
}

#define CASE_TOOL                                                                                  \
	"tools:\n- { name: search, description: Search., effect: read, argv: [x], input: { "       \
	"properties: { query: { type: string, description: Q. }, exactly: { type: boolean, "       \
	"description: C. } } },\n  result: { at: /items, search: { for: '{query}', in: [title], "  \
	"case: '{exactly}' } } }\n"

static void the_caller_may_say_whether_case_counts(void **state)
{
	static const char items[] = "{\"items\":[{\"title\":\"Ab\"},{\"title\":\"ab\"}]}";

	(void)state;
	expect_of(PASS_REFS CASE_TOOL, "{\"query\":\"A\",\"exactly\":true}", items,
	    "{\"items\":[{\"title\":\"Ab\"}]}");
	expect_of(PASS_REFS CASE_TOOL, "{\"query\":\"A\",\"exactly\":false}", items, items);
	expect_of(PASS_REFS CASE_TOOL, "{\"query\":\"A\"}", items, items);
}

static void lower_case_is_unicode_s_and_folds_nothing(void **state)
{
	static const uint32_t pairs[][2] = { { 'A', 'a' }, { 'a', 'a' }, { '[', '[' },
		{ 0xc9, 0xe9 }, { 0xdf, 0xdf }, { 0x130, 'i' }, { 0x17f, 0x17f }, { 0x1c4, 0x1c6 },
		{ 0x3a9, 0x3c9 }, { 0x416, 0x436 }, { 0x10a0, 0x2d00 }, { 0x1e9e, 0xdf },
		{ 0x212a, 'k' }, { 0x10400, 0x10428 }, { 0x1f378, 0x1f378 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		assert_int_equal(text_lower(pairs[i][0]), pairs[i][1]);
}

static void whole_texts_go_by_unicode_s_full_rules(void **state)
{
	static const char *const texts[][2] = {
		{ "", "" },
		{ "Stra\xc3\x9f"
		  "e",
		    "stra\xc3\x9f"
		    "e" },
		{ "\xc4\xb0x", "i\xcc\x87x" },                      /* İx */
		{ "\xce\xa3", "\xcf\x83" },                         /* Σ alone */
		{ "\xce\x9f\xce\xa3", "\xce\xbf\xcf\x82" },         /* ΟΣ */
		{ "\xce\xa3\xce\x9f", "\xcf\x83\xce\xbf" },         /* ΣΟ */
		{ "A\xce\xa3.\xce\xa3 b", "a\xcf\x83.\xcf\x82 b" }, /* AΣ.Σ b */
		{ "\xce\xb9\xcc\x81\xce\xa3!",
		    "\xce\xb9\xcc\x81\xcf\x82!" }, /* ί, two characters, Σ */
		{ "1\xce\xa3", "1\xcf\x83" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		cleanup_buf struct buf lower = BUF_INIT;

		text_add_lower(&lower, texts[i][0], strlen(texts[i][0]));
		assert_string_equal(lower.data, texts[i][1]);
	}
}

static void pages_are_slices_of_the_list(void **state)
{
	cleanup_surface struct surface *surface = fixture_load(PASS_REFS SEARCH_TOOL);
	struct surface_run run = run_of(0, TITLES, "");
	struct surface_result made = SURFACE_RESULT_INIT;

	(void)state;
	fixture_result(surface, "{\"pageSize\":2,\"cursor\":\"002\"}", &run, &made);
	assert_non_null(strstr(made.json.data, "\"pageSize\":2,\"cursor\":\"2\",\"returned\":2,"
					       "\"total\":4,\"nextCursor\":null"));
	assert_non_null(strstr(made.json.data, "{\"items\":[{\"id\":\"3\""));
	fixture_result(surface, "{\"cursor\":\"77\"}", &run, &made);
	assert_non_null(strstr(made.json.data,
	    "{\"items\":[],\"pageSize\":100,\"cursor\":\"77\",\"returned\":0,\"total\":4,"
	    "\"nextCursor\":null"));
	fixture_result(surface, "{\"cursor\":\"99999999999999999999\"}", &run, &made);
	assert_true(made.is_error);
	assert_string_equal(made.code, "INVALID_ARGUMENT");
	assert_non_null(strstr(made.text.data, "/cursor"));
	surface_result_release(&made);
}

static void a_page_needs_a_list(void **state)
{
	cleanup_surface struct surface *surface = fixture_load(PASS_REFS SEARCH_TOOL);
	struct surface_run run = run_of(0, "{\"a\":1}", "");
	struct surface_result made = SURFACE_RESULT_INIT;

	(void)state;
	fixture_result(surface, "{}", &run, &made);
	assert_string_equal(made.code, "BAD_OUTPUT");
	surface_result_release(&made);
}

#define PAGED(by)                                                                                  \
	"argv: ['--n={n}', '--c={c}'], input: { properties: { n: { type: integer, minimum: 1, "    \
	"default: 2, description: N. }, c: { type: string, default: '', description: C. } } }, "   \
	"result: { parse: json, " by " }"

static void the_program_may_page_by_offset(void **state)
{
	(void)state;
	expect(PAGED("page: { by: offset, size: '{n}', cursor: '{c}' }"), "{\"c\":\"4\"}", "[1,2]",
	    "{\"items\":[1,2],\"pageSize\":2,\"cursor\":\"4\",\"returned\":2,\"nextCursor\":"
	    "\"6\"}");
	expect(PAGED("page: { by: offset, size: '{n}', cursor: '{c}' }"), "{}", "[1]",
	    "{\"items\":[1],\"pageSize\":2,\"cursor\":\"0\",\"returned\":1,\"nextCursor\":null}");
}

static void the_program_may_page_by_token(void **state)
{
	(void)state;
	expect(PAGED("at: /l, page: { by: token, size: '{n}', cursor: '{c}', next: /next }"), "{}",
	    "{\"l\":[1],\"next\":\"tok\"}",
	    "{\"items\":[1],\"pageSize\":2,\"cursor\":null,\"returned\":1,\"nextCursor\":\"tok\"}");
	expect(PAGED("at: /l, page: { by: token, size: '{n}', cursor: '{c}', next: /next }"),
	    "{\"c\":\"tok\"}", "{\"l\":[],\"next\":\"\"}",
	    "{\"items\":[],\"pageSize\":2,\"cursor\":\"tok\",\"returned\":0,\"nextCursor\":null}");
}

#define SORTED                                                                                     \
	"argv: ['--o={o}'], input: { properties: { o: { enum: [asc, desc], default: asc, "         \
	"description: O. } } }, result: { parse: json, sort: { by: n, order: '{o}' }, under: l }"

static void sorting_is_stable_and_numbers_are_numbers(void **state)
{
	(void)state;
	expect(SORTED, "{}", "[{\"n\":10,\"i\":1},{\"i\":2},{\"n\":9,\"i\":3},{\"n\":10,\"i\":4}]",
	    "{\"l\":[{\"n\":9,\"i\":3},{\"n\":10,\"i\":1},{\"n\":10,\"i\":4},{\"i\":2}]}");
	expect(SORTED, "{\"o\":\"desc\"}", "[{\"n\":\"a\"},{\"n\":null},{\"n\":\"b\"}]",
	    "{\"l\":[{\"n\":\"b\"},{\"n\":\"a\"},{\"n\":null}]}");
}

/* ---- under, echo, text, bounds ---- */

static void echo_adds_members_and_never_replaces_one(void **state)
{
	(void)state;
	expect("argv: [x, '--a={a}'], input: { properties: { a: { type: integer, description: A. } "
	       "} }, "
	       "result: { parse: json, at: /l, echo: { a: '{a}', n: '{$count}', t: '{/t}', all: "
	       "'{/l/*/k}', fixed: [1, '{a}'] } }",
	    "{}", "{\"t\":{\"x\":1.0},\"l\":[{\"k\":1},{\"k\":2}]}",
	    "{\"items\":[{\"k\":1},{\"k\":2}],\"n\":2,\"t\":{\"x\":1.0},\"all\":[1,2],\"fixed\":[1]"
	    "}");
	expect_error("argv: [x], result: { parse: json, echo: { a: 1 } }", "{}",
	    run_of(0, "{\"a\":2}", ""), "BAD_OUTPUT", "\"a\"");
}

static void text_shows_one_string_of_the_result(void **state)
{
	cleanup_surface struct surface *surface =
	    fixture_tool("", "argv: [x], result: { parse: value, text: /value }");
	struct surface_run run = run_of(0, "042917\n", "");
	struct surface_result made = SURFACE_RESULT_INIT;

	(void)state;
	fixture_result(surface, "{}", &run, &made);
	assert_string_equal(made.json.data, "{\"value\":\"042917\"}");
	assert_true(made.has_text);
	assert_string_equal(made.text.data, "042917");
	surface_result_release(&made);
}

static void expect_too_large(const char *keys, const char *out)
{
	cleanup_surface struct surface *surface = fixture_tool(" }\nlimits: { result: 1KiB", keys);
	struct surface_run run = run_of(0, out, "");
	struct surface_result made = SURFACE_RESULT_INIT;

	fixture_result(surface, "{}", &run, &made);
	assert_true(made.is_error);
	assert_string_equal(made.code, "OUTPUT_TOO_LARGE");
	assert_null(strstr(made.json.data, "xxxxxxxx"));
	surface_result_release(&made);
}

static void a_result_past_its_bound_is_refused_not_cut(void **state)
{
	cleanup_free char *out = xcalloc(1, 2000);

	(void)state;
	memset(out, 'x', 1500);
	expect_too_large("argv: [x]", out);
	expect_too_large("argv: [x], result: { parse: lines, sort: { by: a } }", out);
	expect_too_large("argv: [x], result: { parse: none, echo: { a: '{$stdout}' } }", out);
	expect_too_large("argv: [x], result: { parse: text, echo: { a: '{$stdout}' } }", out);
}

static void a_result_that_does_not_fit_its_schema_is_refused_unseen(void **state)
{
	static const char keys[] = "argv: [x], output: { type: object, properties: { a: { type: "
				   "integer, description: A. } "
				   "} }, result: { parse: json }";

	(void)state;
	expect(keys, "{}", "{\"a\":1}", "{\"a\":1}");
	expect_error(keys, "{}", run_of(0, "{\"a\":\"hush\"}", ""), "BAD_OUTPUT", "/a: type");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_status_that_is_not_named_is_an_error),
	cmocka_unit_test(a_failure_has_the_form_of_an_error),
	cmocka_unit_test(stdout_and_arguments_are_never_classified),
	cmocka_unit_test(streams_in_errors_are_cut_at_a_character),
	cmocka_unit_test(an_error_of_a_tool_that_reveals_does_not_show_stdout),
	cmocka_unit_test(an_error_of_a_tool_that_shows_a_part_does_not_show_stdout),
	cmocka_unit_test(data_statuses_make_a_result_that_is_an_error),
	cmocka_unit_test(named_statuses_are_success),
	cmocka_unit_test(an_error_of_ours_keeps_its_details),
	cmocka_unit_test(a_failed_envelope_decides_whatever_the_status),
	cmocka_unit_test(a_failed_envelope_is_handed_on_whole_whatever_the_result_asks),
	cmocka_unit_test(a_failure_without_an_envelope_is_a_failure_of_the_program),
	cmocka_unit_test(the_first_alternative_that_fits_makes_the_result),
	cmocka_unit_test(output_that_fits_no_alternative_is_refused),
	cmocka_unit_test(at_finds_the_first_value_or_list),
	cmocka_unit_test(members_are_dropped_picked_and_renamed),
	cmocka_unit_test(both_streams_are_joined_and_trimmed),
	cmocka_unit_test(only_output_that_is_json_may_lose_its_banner),
	cmocka_unit_test(refs_take_the_first_source_that_says_something),
	cmocka_unit_test(a_ref_of_one_object_is_an_object),
	cmocka_unit_test(ref_fields_have_their_types),
	cmocka_unit_test(a_text_of_any_type_keeps_its_blanks),
	cmocka_unit_test(search_finds_titles_and_pages_what_it_found),
	cmocka_unit_test(the_caller_may_say_whether_case_counts),
	cmocka_unit_test(lower_case_is_unicode_s_and_folds_nothing),
	cmocka_unit_test(whole_texts_go_by_unicode_s_full_rules),
	cmocka_unit_test(pages_are_slices_of_the_list),
	cmocka_unit_test(a_page_needs_a_list),
	cmocka_unit_test(the_program_may_page_by_offset),
	cmocka_unit_test(the_program_may_page_by_token),
	cmocka_unit_test(sorting_is_stable_and_numbers_are_numbers),
	cmocka_unit_test(echo_adds_members_and_never_replaces_one),
	cmocka_unit_test(text_shows_one_string_of_the_result),
	cmocka_unit_test(a_result_past_its_bound_is_refused_not_cut),
	cmocka_unit_test(a_result_that_does_not_fit_its_schema_is_refused_unseen),
};

UNIT_MAIN(tests)
