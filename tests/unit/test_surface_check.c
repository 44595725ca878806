/* SPDX-License-Identifier: MIT */
/* What `surface check`, `coverage` and `show` say of a file: warnings, examples, tables. */
#include <string.h>

#include "base/buf.h"
#include "surface/surface.h"
#include "surface_fixture.h"
#include "unit.h"

#define HEAD "stile: 1\nsurface: t\nprogram: { run: prog }\n"

static struct surface *load(const char *yaml, bool is_builtin, struct surface_notes *notes)
{
	cleanup_err struct err err = ERR_INIT;
	struct surface *surface = surface_load(yaml, strlen(yaml), is_builtin, notes, &err);

	if (surface == NULL)
		fail_msg("%s", err.message);
	return surface;
}

static const struct surface_note *find(
    const struct surface_notes *notes, enum surface_note_level level, const char *text)
{
	for (size_t i = 0; i < notes->len; i++) {
		if (notes->items[i].level == level && strstr(notes->items[i].text, text) != NULL)
			return &notes->items[i];
	}
	return NULL;
}

/* ---- warnings ---- */

static void warns(const char *yaml, const char *text)
{
	cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;

	surface_free(load(yaml, true, &notes));
	if (find(&notes, SURFACE_NOTE_WARNING, text) == NULL)
		fail_msg("no warning \"%s\": %s", text, yaml);
}

static void what_weakens_a_promise_is_printed(void **state)
{
	(void)state;
	warns(HEAD
	    "tools:\n- { name: a, description: A., effect: destroy, rank: read, argv: [x] }\n",
	    "the rank is below");
	warns(HEAD
	    "tools:\n- { name: a, description: A., effect: write, writes: open, argv: [x] }\n",
	    "write gate is weaker");
	warns(HEAD
	    "tools:\n- { name: a, description: A., effect: read, argv: [x, '--p={p}'], input: "
	    "{ properties: { p: { type: string, x-secret: argv, description: D. } } } }\n",
	    "the secret \"p\" stands on the command line");
	warns(HEAD
	    "parts: { p: {} }\ntools:\n- { name: a, description: A., effect: read, argv: [x] "
	    "}\n",
	    "no tool uses this part");
}

static void an_option_that_takes_wants_an_example_with_a_dash(void **state)
{
	const char *without =
	    "stile: 1\nsurface: t\nprogram: { run: p, takes: [-e] }\ntools:\n- { name: a, "
	    "description: "
	    "A., effect: read, argv: [x, -e, '{v}'], input: { properties: { v: { type: string, "
	    "description: D. } }, required: [v] }, examples: [{ call: { v: y }, argv: [x, -e, y] "
	    "}] "
	    "}\n";
	const char *with =
	    "stile: 1\nsurface: t\nprogram: { run: p, takes: [-e] }\ntools:\n- { name: a, "
	    "description: "
	    "A., effect: read, argv: [x, -e, '{v}'], input: { properties: { v: { type: string, "
	    "description: D. } }, required: [v] }, examples: [{ call: { v: --y }, argv: [x, -e, "
	    "--y] "
	    "}] }\n";
	cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;

	(void)state;
	surface_free(load(with, false, &notes));
	warns(without, "no example shows -e");
	assert_null(find(&notes, SURFACE_NOTE_WARNING, "-e"));
	assert_non_null(find(&notes, SURFACE_NOTE_INFO, "-e swallows"));
}

static void the_room_left_for_server_names_is_told(void **state)
{
	cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;
	const char *yaml =
	    HEAD "tools:\n- { name: a234567890, description: A., effect: read, argv: [x] }\n";

	(void)state;
	surface_free(load(yaml, false, &notes));
	assert_non_null(find(&notes, SURFACE_NOTE_INFO,
	    "a234567890, has 10 characters: a server name may have up to 47 more"));
}

static void pointers_that_no_example_prints_are_warned_of(void **state)
{
	const char *yaml =
	    HEAD "tools:\n- { name: a, description: A., effect: read, argv: [x], result: { parse: "
		 "json, drop: [/a/*/b, /c] }, examples: [{ call: {}, argv: [x], prints: "
		 "'{\"a\":[{\"b\":1}]}' }] }\n";
	cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;

	(void)state;
	surface_free(load(yaml, false, &notes));
	assert_non_null(find(&notes, SURFACE_NOTE_WARNING, "no example prints anything at /c"));
	assert_null(find(&notes, SURFACE_NOTE_WARNING, "at /a"));
}

static void notes_say_where(void **state)
{
	cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;
	cleanup_err struct err err = ERR_INIT;
	const char *yaml =
	    HEAD "tools:\n- name: one\n  description: A.\n  effect: read\n  argv: [x]\n"
		 "- name: two\n  description: B.\n  effect: read\n  argv:\n  - x\n  - { words: [y, "
		 "'{v}'] }\n";

	(void)state;
	assert_null(surface_load(yaml, strlen(yaml), false, &notes, &err));
	assert_int_equal(notes.items[0].line, 14);
	assert_int_equal(notes.items[0].column, 18);
	assert_string_equal(notes.items[0].path, "tools[1] two.argv[1].words[1]");
	assert_string_equal(err.message,
	    "line 14, column 18: tools[1] two.argv[1].words[1]: the tool has no input \"v\"");
}

/* ---- examples ---- */

/* Runs the examples of one tool; returns how many failed, and the last finding. */
static size_t run(const char *keys, const char *example, char **ret_text)
{
	cleanup_free char *yaml = xasprintf(HEAD
	    "tools:\n- { name: a, description: A., effect: read, %s, examples: [%s] }\n",
	    keys, example);
	cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;
	cleanup_surface struct surface *surface = load(yaml, false, NULL);
	size_t failed = 0;

	assert_int_equal(surface_run_examples(surface, &notes, &failed), 1);
	assert_int_equal(notes.len, failed);
	*ret_text = xstrdup(failed > 0 ? notes.items[0].text : "");
	return failed;
}

#define KEYS                                                                                       \
	"argv: [x, '--v={v}', { stdin: '{s}' }, --, '{n}'], input: { properties: { v: { type: "    \
	"string, description: D. }, s: { type: string, description: D. }, n: { type: integer, "    \
	"minimum: 0, description: D. } } }, result: { parse: json }, errors: [{ exit: 3, code: "   \
	"GONE }]"

static void passes(const char *example)
{
	cleanup_free char *text = NULL;

	if (run(KEYS, example, &text) != 0)
		fail_msg("%s: %s", example, text);
}

static void fails(const char *example, const char *why)
{
	cleanup_free char *text = NULL;

	assert_int_equal(run(KEYS, example, &text), 1);
	if (strstr(text, why) == NULL)
		fail_msg("%s: %s", example, text);
}

static void examples_that_hold_pass(void **state)
{
	(void)state;
	passes("{ call: {}, argv: [x, --] }");
	passes("{ call: { v: -a, n: -0 }, argv: [x, --v=-a, --, '0'] }");
	passes("{ call: { s: text }, argv: [x, --], stdin: text }");
	passes("{ call: {}, argv: [x, --], prints: '{\"a\":1}' }");
	passes("{ call: {}, argv: [x, --], prints: '{\"a\":1}', gives: { a: 1.0 } }");
}

static void examples_that_do_not_hold_fail_and_say_what_is(void **state)
{
	(void)state;
	fails("{ call: { v: a }, argv: [x, --] }", "[\"x\",\"--v=a\",\"--\"]");
	fails("{ call: {}, argv: [x] }", "the command line is");
	fails("{ call: { w: a }, argv: [x, --] }", "the call is refused");
	fails("{ call: { n: -1 }, argv: [x, --] }", "the call is refused");
	fails("{ call: { s: text }, argv: [x, --] }", "would read on standard input: text");
	fails("{ call: {}, argv: [x, --], stdin: text }", "would read nothing");
	fails("{ call: { s: a }, argv: [x, --], stdin: b }", "standard input is: a");
	fails("{ call: {}, argv: [x, --], prints: 'no json' }", "makes no result");
	fails("{ call: {}, argv: [x, --], prints: '{\"a\":1}', gives: { a: 2 } }",
	    "the result is: {\"a\":1}");
	fails("{ call: {}, argv: [x, --], exit: 3, gives: { a: 2 } }", "GONE");
}

static void fixed_words_are_left_out_of_examples(void **state)
{
	const char *yaml =
	    "stile: 1\nsurface: t\nprogram: { run: self, args: [vault, '--within={$workspace}', "
	    "'--root={$root}'] }\nscoped: true\ntools:\n"
	    "- { name: a, description: A., effect: read, argv: [x, '--in={$stage}'], examples: [{ "
	    "call: {}, argv: [x, --in=example] }] }\n"
	    "- { name: b, description: B., effect: read, discovery: true, argv: [x], examples: [{ "
	    "call: {}, argv: [x] }] }\n";
	cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;
	cleanup_surface struct surface *surface = load(yaml, false, NULL);
	size_t failed = 0;

	(void)state;
	assert_int_equal(surface_run_examples(surface, &notes, &failed), 2);
	if (failed > 0)
		fail_msg("%s", notes.items[0].text);
}

static void private_files_of_examples_have_known_names(void **state)
{
	cleanup_free char *text = NULL;

	(void)state;
	if (run("argv: [x, { file: '{v}', words: '--f={}' }], input: { properties: { v: { type: "
		"string, x-secret: true, description: D. } } }",
		"{ call: { v: s }, argv: [x, --f=/file/0] }", &text) != 0)
		fail_msg("%s", text);
}

/* ---- coverage and summary ---- */

#define COVERED                                                                                    \
	HEAD "tools:\n"                                                                            \
	     "- { name: list, description: A., effect: read, argv: [item, list, --json] }\n"       \
	     "- { name: log, description: B., effect: read, files: read, argv: [-C, '{p}', log, "  \
	     "-z], input: { properties: { p: { type: string, x-path: dir, description: D. } }, "   \
	     "required: [p] } }\n"                                                                 \
	     "left_out:\n- { command: item purge, why: It cannot be undone. }\n"                   \
	     "- { command: [login, logout], why: A person does that. }\n"

static void coverage_tells_tools_from_what_is_left_out_and_missing(void **state)
{
	cleanup_surface struct surface *surface = load(COVERED, false, NULL);
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);

	(void)state;
	surface_write_coverage(surface, "item list\nitem show\n\nlog\r\nlogin", &w);
	assert_string_equal(text.data,
	    "{\"commands\":[{\"command\":\"item list\",\"tool\":\"list\"},{\"command\":\"log\","
	    "\"tool\":\"log\"},{\"command\":\"item purge\",\"left_out\":\"It cannot be undone.\"},"
	    "{\"command\":\"login\",\"left_out\":\"A person does that.\"},{\"command\":\"logout\","
	    "\"left_out\":\"A person does that.\"}],\"missing\":[\"item show\"]}");
}

static void the_summary_names_what_a_person_trusts(void **state)
{
	const char *yaml =
	    "stile: 1\nsurface: t\nprogram: { run: p, args: [-q], env: [HOME], set: { A: b } }\n"
	    "tools:\n- { name: a, description: A., effect: destroy, executes: any, reveals: true, "
	    "argv: [x, '--p={p}'], input: { properties: { p: { type: string, x-secret: argv, "
	    "description: D. } } } }\n";
	cleanup_surface struct surface *surface = load(yaml, false, NULL);
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);
	cleanup_json struct json_doc doc = JSON_DOC_INIT;

	(void)state;
	surface_write_summary(surface, &w);
	fixture_json(&doc, text.data);
	assert_true(json_is_text(json_get(json_root(&doc), "program"), "p"));
	assert_true(json_is_text(json_pointer(json_root(&doc), "/passes/0"), "HOME"));
	assert_true(json_is_text(json_pointer(json_root(&doc), "/sets/0"), "A=b"));
	assert_true(json_is_text(json_pointer(json_root(&doc), "/tools/0/effect"), "destroy"));
	assert_non_null(strstr(text.data, "runs a program of the caller's choice"));
	assert_non_null(strstr(text.data, "reveals secrets"));
	assert_non_null(strstr(text.data, "p on the command line"));
}

/* Secrets that a program takes in no other way; each stands in docs/pass.md. And a checkout, which
 * reads the vault and writes the caller's own folder. */
static bool is_known(const char *surface, const struct surface_note *note)
{
	if (note->level != SURFACE_NOTE_WARNING)
		return note->level == SURFACE_NOTE_INFO;
	return strstr(note->text, "stands on the command line") != NULL ||
	       (strcmp(surface, "vault") == 0 &&
		   strstr(note->path, "vault_workspace_checkout.rank") != NULL);
}

static void built_in_surfaces_have_no_errors_and_only_known_warnings(void **state)
{
	(void)state;
	for (const struct surface_builtin *at = surface_builtins; at->name != NULL; at++) {
		cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;
		cleanup_surface struct surface *surface = load(at->yaml, true, &notes);
		size_t failed = 0;

		(void)surface_run_examples(surface, &notes, &failed);
		assert_int_equal(failed, 0);
		for (size_t i = 0; i < notes.len; i++) {
			if (!is_known(at->name, &notes.items[i]))
				fail_msg("%s: %s", at->name, notes.items[i].text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_weakens_a_promise_is_printed),
		cmocka_unit_test(an_option_that_takes_wants_an_example_with_a_dash),
		cmocka_unit_test(the_room_left_for_server_names_is_told),
		cmocka_unit_test(pointers_that_no_example_prints_are_warned_of),
		cmocka_unit_test(notes_say_where),
		cmocka_unit_test(examples_that_hold_pass),
		cmocka_unit_test(examples_that_do_not_hold_fail_and_say_what_is),
		cmocka_unit_test(fixed_words_are_left_out_of_examples),
		cmocka_unit_test(private_files_of_examples_have_known_names),
		cmocka_unit_test(coverage_tells_tools_from_what_is_left_out_and_missing),
		cmocka_unit_test(the_summary_names_what_a_person_trusts),
		cmocka_unit_test(built_in_surfaces_have_no_errors_and_only_known_warnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
