/* SPDX-License-Identifier: MIT */
/* Surface files: what loads, what is refused and where, and what clients will see of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/yaml.h"
#include "surface/surface_internal.h"
#include "surface_fixture.h"
#include "unit.h"

#define HEAD "stile: 1\nsurface: t\nprogram: { run: prog }\n"
#define TOOL "- { name: tool, description: A tool., effect: read, argv: [x] }\n"

static void read_file(const char *name, struct buf *ret_text)
{
	cleanup_free char *path = xasprintf("%s/tests/data/surfaces/%s.yaml", SOURCE_ROOT, name);
	FILE *file = fopen(path, "rb");
	char *room = buf_reserve(ret_text, 1 << 16);

	assert_non_null(file);
	buf_commit(ret_text, fread(room, 1, 1 << 16, file));
	(void)fclose(file);
}

static struct surface *load_file(const char *name, bool is_builtin, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;

	read_file(name, &text);
	return surface_load(text.data, text.len, is_builtin, NULL, err);
}

/* ---- the examples of the language's reference ---- */

static void loads(const char *name, bool is_builtin, size_t tools)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_surface struct surface *surface = load_file(name, is_builtin, &err);

	if (surface == NULL)
		fail_msg("%s: %s", name, err.message);
	assert_int_equal(surface->tools_len, tools);
}

static void the_examples_of_the_reference_load(void **state)
{
	(void)state;
	loads("git", false, 4);
	loads("pass", false, 6);
	loads("cluster", false, 2 + 11);
	loads("phelix", false, 3 + 8);
	loads("vault", true, 4);
}

static void an_open_write_gate_is_for_built_in_surfaces(void **state)
{
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_null(load_file("vault", false, &err));
	assert_non_null(strstr(err.message, "\"writes: open\" counts in built-in surfaces only"));
}

/* ---- refusals ---- */

/* A text that is refused at a line, with words that say why. */
struct refusal {
	const char *text;
	unsigned line;
	const char *why;
};

static void refuse(const struct refusal *refusal)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *place = xasprintf("line %u,", refusal->line);
	cleanup_surface struct surface *surface =
	    surface_load(refusal->text, strlen(refusal->text), false, NULL, &err);

	if (surface != NULL)
		fail_msg("loads: %s", refusal->text);
	assert_int_equal(err.code, ERR_SURFACE_INVALID);
	if (strstr(err.message, refusal->why) == NULL ||
	    (refusal->line > 0 && strstr(err.message, place) == NULL))
		fail_msg("%s\n%s", err.message, refusal->text);
}

static void refuse_all(const struct refusal *refusals, size_t len)
{
	for (size_t i = 0; i < len; i++)
		refuse(&refusals[i]);
}

static void files_that_are_none_are_refused(void **state)
{
	static const struct refusal refusals[] = {
		{ "", 0, "a surface file is a mapping" },
		{ "[]", 0, "a surface file is a mapping" },
		{ "a: &x 1\n", 1, "anchor" },
		{ "stile: 1\nstile: 1\n", 2, "duplicate key" },
		{ "surface: t\nstile: 1\nprogram: { run: p }\ntools:\n" TOOL, 1,
		    "the first key of a surface file is \"stile\"" },
		{ "stile: 2\nsurface: t\nprogram: { run: p }\ntools:\n" TOOL, 1,
		    "is later than 1" },
		{ "stile: 1.5\nsurface: t\nprogram: { run: p }\ntools:\n" TOOL, 1, "an integer" },
		{ "stile: '1'\nsurface: t\nprogram: { run: p }\ntools:\n" TOOL, 1, "an integer" },
		{ "stile: 1\nprogram: { run: p }\ntools:\n" TOOL, 1, "\"surface\" is missing" },
		{ "stile: 1\nsurface: t\ntools:\n" TOOL, 1, "\"program\" is missing" },
		{ HEAD, 1, "\"tools\" is missing" },
		{ HEAD "tools: []\n", 4, "1 to 200 tools" },
		{ HEAD "tools: {}\n", 4, "tools is a list" },
		{ HEAD "tools: [x]\n", 4, "a tool is a mapping" },
	};

	(void)state;
	refuse_all(refusals, ARRAY_LEN(refusals));
}

static void unknown_keys_are_refused_with_the_nearest_known_one(void **state)
{
	static const struct refusal refusals[] = {
		{ HEAD "tool: []\ntools:\n" TOOL, 4,
		    "unknown key \"tool\" in a surface file; the nearest is \"tools\"" },
		{ HEAD "tools:\n- { name: a, description: A., effect: read, arg: [x] }\n", 5,
		    "tools[0] a.arg: unknown key \"arg\" in a tool; the nearest is \"argv\"" },
		{ "stile: 1\nsurface: t\nprogram: { run: p, argument: [] }\ntools:\n" TOOL, 3,
		    "unknown key \"argument\" in program" },
		{ HEAD
		    "tools:\n- { name: a, description: A., effect: read, argv: [{ word: x }] }\n",
		    5, "unknown key \"word\" in an element; the nearest is \"words\"" },
		{ HEAD "errors: [{ exit: 1, code: A, retry: true }]\ntools:\n" TOOL, 4,
		    "unknown key \"retry\" in an error" },
		{ HEAD "tools:\n- { name: a, description: A., effect: read, argv: [x], "
		       "result: { format: json } }\n",
		    5, "unknown key \"format\" in a result" },
		{ HEAD "tools:\n- { name: a, description: A., effect: read, argv: [x], "
		       "input: { anyOf: [] } }\n",
		    5, "unknown key \"anyOf\" in an input" },
	};

	(void)state;
	refuse_all(refusals, ARRAY_LEN(refusals));
}

static void names_that_clients_refuse_are_refused(void **state)
{
	static const char *const names[] = { "Tool", "1tool", "my-tool", "my.tool", "my tool",
		"a/b", "töol", "_tool", "a2345678901234567890123456789012345678901", "''" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		cleanup_free char *text = xasprintf(HEAD
		    "tools:\n- { name: %s, description: A., effect: read, argv: [x] }\n",
		    names[i]);

		refuse(&(struct refusal){
		    text, 5, strcmp(names[i], "''") == 0 ? "is empty" : "a tool's name" });
	}
	refuse(&(struct refusal){ HEAD "tools:\n" TOOL TOOL, 6, "another tool is called" });
	refuse(&(struct refusal){
	    "stile: 1\nsurface: my_t\nprogram: { run: p }\ntools:\n" TOOL, 2, "a surface's name" });
	refuse(&(struct refusal){
	    "stile: 1\nsurface: workspace\nprogram: { run: p }\ntools:\n" TOOL, 2, "is taken" });
	refuse(&(struct refusal){
	    "stile: 1\nsurface: a23456789012345678\nprogram: { run: p }\ntools:\n" TOOL, 2,
	    "at most 17" });
}

static void texts_with_what_nobody_sees_are_refused(void **state)
{
	static const struct refusal refusals[] = {
		{ HEAD "title: \"a\\u202eb\"\ntools:\n" TOOL, 4, "invisible character U+202E" },
		{ HEAD "title: \"a\\nb\"\ntools:\n" TOOL, 4, "U+000A" },
		{ HEAD "instructions: \"a\\u200bb\"\ntools:\n" TOOL, 4, "U+200B" },
		{ HEAD "tools:\n- { name: a, description: \"a\\eb\", effect: read, argv: [x] }\n",
		    5, "U+001B" },
		{ HEAD "tools:\n- { name: a, description: A., effect: read, argv: [x], input: { "
		       "properties: { v: { type: string, x-hidden: true, description: "
		       "\"\\u2066\" } } } }\n",
		    5, "U+2066" },
	};
	cleanup_buf struct buf text = BUF_INIT;

	(void)state;
	refuse_all(refusals, ARRAY_LEN(refusals));
	buf_adds(&text, HEAD "tools:\n- { name: a, effect: read, argv: [x], description: ");
	for (int i = 0; i < 1024; i++)
		buf_addc(&text, 'a');
	buf_adds(&text, " }\n");
	refuse(&(struct refusal){ text.data, 5, "at most 1023" });
}

static void programs_are_checked(void **state)
{
	static const struct {
		const char *keys;
		const char *why;
	} programs[] = {
		{ "run: bin/git", "absolute path" },
		{ "run: ''", "is empty" },
		{ "run: 1", "a text is wanted" },
		{ "run: p, env: [LD_PRELOAD]", "never passed" },
		{ "run: p, env: [DYLD_INSERT_LIBRARIES]", "never passed" },
		{ "run: p, set: { LD_LIBRARY_PATH: x }", "never passed" },
		{ "run: p, set: { STILE_CALLER: cli }", "never passed" },
		{ "run: p, env: [STILE_CALLER]", "never passed" },
		{ "run: p, env: [PATH]", "set by stile" },
		{ "run: p, env: ['A=B']", "no name of an environment variable" },
		{ "run: p, override: 'a b'", "no name of an environment variable" },
		{ "run: p, lead: '+'", "always holds '-'" },
		{ "run: p, lead: '-a'", "punctuation only" },
		{ "run: p, takes: [e]", "no option" },
		{ "run: p, args: ['{name}']", "cannot stand in program.args" },
		{ "run: p, args: ['{$stdout}']", "cannot stand in program.args" },
		{ "run: p, args: ['{']", "without its '}'" },
		{ "run: p, args: ['{$home}']", "no fact" },
		{ "run: p, version: { args: [], at: '(a)(b)' }", "has 2 groups" },
		{ "run: p, version: { args: [], at: 'a' }", "has 0 groups" },
		{ "run: p, version: { args: [], at: '(' }", "regular expression" },
		{ "run: p, version: { args: [], at: '(a)', range: 'new' }", "a range such as" },
		{ "run: p, version: { args: [], at: '(a)', baseline: 'v1' }", "a version such as" },
		{ "run: p, version: { args: [], at: '(a)', baseline: '1.x' }",
		    "a version such as" },
		{ "run: p, version: { args: [], at: '(a)', baseline: '9007199254740992.0' }",
		    "a version such as" },
		{ "run: p, output: xml", "one of text, json, envelope is wanted" },
		{ "run: p, guard: hg", "one of git is wanted" },
		{ "run: p, switches: { allow_write: X }", "counts in built-in surfaces only" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
		cleanup_free char *text = xasprintf(
		    "stile: 1\nsurface: t\nprogram: { %s }\ntools:\n" TOOL, programs[i].keys);

		refuse(&(struct refusal){ text, 3, programs[i].why });
	}
}

static void limits_are_within_the_hosts(void **state)
{
	static const struct refusal refusals[] = {
		{ HEAD "limits: { timeout: 2h }\ntools:\n" TOOL, 4, "past the maximum" },
		{ HEAD "limits: { timeout: 0s }\ntools:\n" TOOL, 4, "more than nothing" },
		{ HEAD "limits: { timeout: 30 }\ntools:\n" TOOL, 4, "a text is wanted" },
		{ HEAD "limits: { output: 17MiB }\ntools:\n" TOOL, 4,
		    "17MiB is past the maximum, 16MiB" },
		{ HEAD "limits: { result: 4MiB }\ntools:\n" TOOL, 4, "past the maximum" },
		{ HEAD "limits: { children: 65 }\ntools:\n" TOOL, 4, "from 1 to 64" },
		{ HEAD "tools:\n- { name: a, description: A., effect: read, argv: [x], limits: { "
		       "result: 1MiB } }\n",
		    5, "unknown key \"result\"" },
	};

	(void)state;
	refuse_all(refusals, ARRAY_LEN(refusals));
}

static void secrets_must_not_mask_everything(void **state)
{
	static const struct refusal refusals[] = {
		{ HEAD "secrets: [{ name: a, match: '[a-z]+' }]\ntools:\n" TOOL, 4, "no literal" },
		{ HEAD "secrets: [{ name: a, match: 'ab\\d+' }]\ntools:\n" TOOL, 4, "no literal" },
		{ HEAD "secrets: [{ name: a, match: 'abc|d' }]\ntools:\n" TOOL, 4, "no literal" },
		{ HEAD "secrets: [{ name: a, match: '(abc)?' }]\ntools:\n" TOOL, 4,
		    "matches the empty text" },
		{ HEAD "secrets: [{ name: a, match: '(' }]\ntools:\n" TOOL, 4, "regular" },
		{ HEAD "secrets: [{ name: 'A b', match: abc }]\ntools:\n" TOOL, 4, "name" },
	};
	cleanup_err struct err err = ERR_INIT;
	const char *good = HEAD "secrets: [{ name: token, match: 'ghp_[A-Za-z0-9]{36}' }]\n"
				"tools:\n" TOOL;
	cleanup_surface struct surface *surface =
	    surface_load(good, strlen(good), false, NULL, &err);

	(void)state;
	assert_non_null(surface);
	assert_string_equal(surface->secrets[0].pattern, "ghp_[A-Za-z0-9]{36}");
	refuse_all(refusals, ARRAY_LEN(refusals));
}

/* ---- tools ---- */

/* Keys of a tool that is refused; argv: [x] is there unless the keys have one. */
static void refuse_tool(const char *keys, const char *why)
{
	bool has_action = strncmp(keys, "argv:", 5) == 0 || strncmp(keys, "builtin:", 8) == 0;
	cleanup_free char *text =
	    xasprintf(HEAD "tools:\n- { name: tool, description: A tool., effect: read%s, %s }\n",
		has_action ? "" : ", argv: [x]", keys);

	refuse(&(struct refusal){ text, 5, why });
}

static void status_wants_what_its_verdict_is_made_of(void **state)
{
	static const struct {
		const char *program; /* more keys of it */
		const char *rest;    /* of the file */
		const char *tool;    /* more keys of it */
		const char *why;
	} cases[] = {
		{ "probe: { args: [a] }", "", "", "wants \"version\" with a \"baseline\"" },
		{ "probe: { args: [a] }, version: { args: [v], at: '(a)' }", "", "",
		    "wants \"version\" with a \"baseline\"" },
		{ "version: { args: [v], at: '(a)', baseline: 1.0.0 }", "", "", "wants \"probe\"" },
		{ "@", "limits: { children: 1 }\n", "", "\"children\" in limits is 2 or more" },
		{ "@", "", ", needs: '>=1'", "leave \"needs\" out" },
		{ "@", "", ", exit: { ok: [0, 1] }", "leave \"exit\" out" },
		{ "@", "", ", reveals: true", "no secret to reveal" },
		{ "@", "", ", result: { parse: text }", "makes its own result" },
		{ "@", "", ", output: { type: object }", "is auto" },
		{ "@", "", ", examples: [{ call: {} }]", "no command line to give examples of" },
	};
	const char *whole =
	    "probe: { args: [a] }, version: { args: [v], at: '(a)', baseline: 1.0.0 }";

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *program = cases[i].program;
		unsigned line = cases[i].rest[0] != '\0' ? 6 : 5;
		cleanup_free char *text =
		    xasprintf("stile: 1\nsurface: t\nprogram: { run: p, %s }\n%stools:\n"
			      "- { name: s, description: S., effect: read, builtin: status%s }\n",
			program[0] == '@' ? whole : program, cases[i].rest, cases[i].tool);

		refuse(&(struct refusal){ text, line, cases[i].why });
	}
}

static void tools_are_checked(void **state)
{
	static const char *const tools[][2] = {
		{ "use: [p]", "no such part" },
		{ "argv: [x], builtin: status", "one of \"argv\" and \"builtin\"" },
		{ "builtin: context, result: { parse: text }", "makes its own result" },
		{ "builtin: ''", "context, status is wanted" },
		{ "rank: admin", "one of read, write, manage" },
		{ "plan: {}", "a tool that only reads has no plan" },
		{ "writes: policy", "a tool that only reads has no plan" },
		{ "writes: open", "built-in surfaces only" },
		{ "needs: '>=1'", "wants \"version\"" },
		{ "exit: { ok: [256] }", "from 0 to 255" },
		{ "exit: { ok: none }", "any" },
		{ "cwd: /tmp", "one hole" },
		{ "set: { HOME: x }", "in neither" },
		{ "ask: []", "a text, or a list of its lines" },
		{ "ask: [1]", "a text" },
		{ "output: 3", "is a mapping" },
		{ "output: { type: array }", "type object" },
		{ "output: { type: object, $ref: '#' }", "$ref" },
		{ "output: auto", "cannot be derived" },
		{ "examples: [{ call: {} }]", "\"argv\" is missing" },
		{ "examples: [{ call: [], argv: [] }]", "\"call\" is a mapping" },
		{ "examples: [{ call: {}, argv: [x], gives: {} }]", "\"gives\" wants" },
		{ "hints: { readonly: true }", "unknown key" },
		{ "exclusive: 1", "true or false" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		refuse_tool(tools[i][0], tools[i][1]);
	refuse(&(struct refusal){
	    HEAD "tools:\n- { name: a, effect: read, argv: [x] }\n", 5, "\"description\" is" });
	refuse(&(struct refusal){
	    HEAD "tools:\n- { name: a, description: A., argv: [x] }\n", 5, "\"effect\" is" });
}

static void elements_are_checked(void **state)
{
	static const char *const elements[][2] = {
		{ "argv: x", "argv is a list" },
		{ "argv: [1]", "a text is wanted" },
		{ "argv: [[x]]", "not a list" },
		{ "argv: [{}]", "one of words, each" },
		{ "argv: [{ words: [] }]", "the list is empty" },
		{ "argv: [{ each: v }]", "wants \"words\"" },
		{ "argv: [{ file: x }]", "wants \"words\"" },
		{ "argv: [{ words: x, first: [y] }]", "not several" },
		{ "argv: [{ each: v, words: '{}' }]", "no input \"v\"" },
		{ "argv: ['{v}']", "no input \"v\"" },
		{ "argv: ['{}']", "cannot stand in argv" },
		{ "argv: ['{.key}']", "cannot stand in argv" },
		{ "argv: ['{$exit}']", "cannot stand in argv" },
		{ "argv: ['{/a}']", "cannot stand in argv" },
		{ "argv: ['{a b}']", "is neither {name}" },
		{ "argv: ['{-}']", "none of this language" },
		{ "argv: [{ when: v, words: x }]", "no input \"v\"" },
		{ "argv: [{ when: [], words: x }]", "1 to 20 terms" },
		{ "argv: [{ when: 3, words: x }]", "a condition is" },
		{ "argv: [{ use: p }]", "does not use the part" },
		{ "argv: [{ words: { words: { words: { words: { words: x } } } } }]",
		    "more than 4 deep" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(elements); i++)
		refuse_tool(elements[i][0], elements[i][1]);
}

/* ---- inputs ---- */

static void refuse_input(const char *properties, const char *more, const char *why)
{
	cleanup_free char *keys =
	    xasprintf("argv: [x, '--v={v}'], input: { properties: { %s }%s }", properties, more);

	refuse_tool(keys, why);
}

static void schemas_that_clients_refuse_are_refused(void **state)
{
	static const char *const properties[][2] = {
		{ "v: { description: D. }", "neither \"type\" nor \"enum\"" },
		{ "v: { type: string }", "no \"description\"" },
		{ "v: { type: [string, 'null'], description: D. }", "one type" },
		{ "v: { type: text, description: D. }", "one of string" },
		{ "v: { type: string, format: uri, description: D. }", "\"format\" is not part" },
		{ "v: { $ref: '#/x', description: D. }", "neither" },
		{ "v: { type: string, $defs: {}, description: D. }", "\"$defs\" is not part" },
		{ "v: { type: array, description: D. }", "an array has \"items\"" },
		{ "v: { type: string, properties: {}, description: D. }", "does not fit the type" },
		{ "v: { type: object, additionalProperties: true, description: D. }",
		    "are closed" },
		{ "v: { type: object, additionalProperties: {}, description: D. }", "are closed" },
		{ "v: { type: object, properties: { a: { type: string } }, description: D. }",
		    "no \"description\"" },
		{ "v: { type: object, properties: {}, required: [a], description: D. }",
		    "names no property" },
		{ "v: { type: string, pattern: '(', description: D. }", "regular expression" },
		{ "v: { type: string, default: 3, description: D. }", "does not fit its own" },
		{ "v: { enum: [], description: D. }", "is empty" },
		{ "v: { enum: [[1]], description: D. }", "scalars only" },
		{ "v: true", "a schema is a mapping" },
		{ "'v-w': { type: string, description: D. }", "the name of an input" },
		{ "v: { type: string, description: D. }, confirm: { type: boolean, description: D. "
		  "}",
		    "added by stile itself" },
		{ "v: { type: string, description: D. }, w: { type: string, description: D. }",
		    "is used nowhere" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(properties); i++)
		refuse_input(properties[i][0], "", properties[i][1]);
	refuse_input(
	    "v: { type: string, description: D. }", ", required: [w]", "names no property");
	refuse_input("v: { type: string, description: D. }, h: { type: string, x-hidden: true, "
		     "description: D. }",
	    ", required: [h]", "hidden input cannot be required");
}

static void marks_stand_where_they_mean_something(void **state)
{
	static const char *const properties[][2] = {
		{ "v: { type: string, x-nodash: true, description: D. }", "no mark \"x-nodash\"" },
		{ "v: { type: integer, x-no-dash: true, description: D. }", "on strings only" },
		{ "v: { type: string, x-no-dash: false, description: D. }", "x-no-dash is true" },
		{ "v: { type: integer, x-path: read, description: D. }", "a string" },
		{ "v: { type: string, x-path: exec, description: D. }", "read, write, dir" },
		{ "v: { type: string, x-secret: maybe, description: D. }", "true or argv" },
		{ "v: { type: string, x-absent: '', description: D. }", "list of values" },
		{ "v: { type: string, x-hidden: false, description: D. }", "x-hidden is true" },
		{ "v: { type: array, items: { type: string, x-absent: [''] }, description: D. }",
		    "on inputs only" },
		{ "v: { type: string, x-path: read, description: D. }",
		    "\"files: read\" is missing" },
		{ "v: { type: string, x-path: write, description: D. }",
		    "\"files: write\" is missing" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(properties); i++)
		refuse_input(properties[i][0], "", properties[i][1]);
}

static void a_secret_stands_in_stdin_file_and_set_only(void **state)
{
	static const char *const inputs =
	    "input: { properties: { v: { type: string, x-secret: true, description: D. } } }";
	static const char *const refused[] = { "argv: [x, '--v={v}']", "argv: [x, --, '{v}']",
		"argv: [x, { stdin: '{v}' }], ask: 'Set {v}?'",
		"argv: [x, { stdin: '{v}' }], result: { parse: none, echo: { v: '{v}' } }" };
	cleanup_surface struct surface *surface = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		cleanup_free char *keys = xasprintf("%s, %s", refused[i], inputs);

		refuse_tool(keys, "is marked x-secret");
	}
	refuse_tool(
	    "argv: [x, '--v={v/p}'], input: { properties: { v: { type: object, properties: { "
	    "p: { type: string, x-secret: true, description: D. } }, description: D. } } }",
	    "is marked x-secret");
	surface = fixture_tool(", set: { T: x }",
	    "argv: [x, { file: '{v}', words: '--f={}' }, { stdin: { json: { p: '{v}' } } }], "
	    "set: { T: '{v}' }, input: { properties: { v: { type: string, x-secret: true, "
	    "description: D. } } }");
	assert_true(surface->tools[0].in->inputs[0].is_secret);
}

static void parts_name_only_their_own_inputs(void **state)
{
	static const struct refusal refusals[] = {
		{ HEAD "parts: { p: { argv: ['--w={w}'] } }\ntools:\n- { name: a, description: A., "
		       "effect: read, use: [p], argv: [x, { use: p }], input: { properties: { w: { "
		       "type: string, description: D. } } } }\n",
		    4, "no input \"w\" of its own" },
		{ HEAD "parts: { p: { ask: 'Why: {w}' } }\ntools:\n- { name: a, description: A., "
		       "effect: write, use: [p], argv: [x, '--w={w}'], ask: Do it?, input: { "
		       "properties: { w: { type: string, description: D. } } } }\n",
		    4, "no input \"w\" of its own" },
		{ HEAD "parts: { p: { set: { HOME: x } } }\ntools:\n- { name: a, description: A., "
		       "effect: read, use: [p], argv: [x] }\n",
		    4, "in neither" },
		{ HEAD
		    "parts: { p: { argv: [{ use: q }] }, q: { argv: [y] } }\ntools:\n- { name: a, "
		    "description: A., effect: read, use: [p, q], argv: [x, { use: p }] }\n",
		    4, "parts use no parts" },
		{ HEAD
		    "parts:\n  p: { input: { properties: { v: { type: string, description: D. } } "
		    "} }\n  q: { input: { properties: { v: { type: string, description: D. } } } "
		    "}\ntools:\n- { name: a, description: A., effect: read, use: [p, q], argv: "
		    "[x, '--v={v}'] }\n",
		    8, "two parts of this tool have an input \"v\"" },
		{ HEAD "parts: { p: {} }\ntools:\n- { name: a, description: A., effect: read, use: "
		       "[p, p], argv: [x] }\n",
		    6, "used already" },
		{ HEAD "parts: { p: {} }\ntools:\n- { name: a, description: A., effect: read, use: "
		       "[p], argv: [x, { use: p }] }\n",
		    6, "has no argv" },
	};

	(void)state;
	refuse_all(refusals, ARRAY_LEN(refusals));
}

static void groups_are_checked(void **state)
{
	static const char *const groups[][2] = {
		{ "[{ one_of: [v] }]", "at least two" },
		{ "[{ one_of: [v, v] }]", "twice" },
		{ "[{ one_of: [v, u] }]", "no input \"u\"" },
		{ "[{ one_of: [v, w] , any_of: [v, w] }]", "a group is one of" },
		{ "[{ when: v }]", "goes with one of" },
		{ "[{ need: [v] }]", "goes with one of" },
		{ "[{ when: v, need: [w], refuse: [w] }]", "goes with one of" },
		{ "[{ at_most_one: [v, d] }]", "has a default" },
		{ "[{ when: { d: c }, need: [v] }]", "never has this value" },
		{ "[3]", "a group is a mapping" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		cleanup_free char *keys =
		    xasprintf("argv: [x, '--v={v}', '--w={w}', '--d={d}'], groups: %s, input: { "
			      "properties: { "
			      "v: { type: string, description: D. }, w: { type: string, "
			      "description: D. }, d: "
			      "{ enum: [a, b], default: a, description: D. } } }",
			groups[i][0]);

		refuse_tool(keys, groups[i][1]);
	}
}

/* ---- results, refs, errors ---- */

static void results_are_checked(void **state)
{
	static const char *const results[][2] = {
		{ "{ parse: xml }", "one of json" },
		{ "{ parse: { lines: '(' } }", "regular expression" },
		{ "{ parse: { lines: '(a)' } }", "no named group" },
		{ "{ parse: { records: { end: LF, sep: LF, fields: { a: text } } } }",
		    "are the same" },
		{ "{ parse: { records: { end: LF, sep: TAB } } }", "\"fields\" and \"kinds\"" },
		{ "{ parse: { records: { end: LF, sep: TAB, fields: { a: next, b: text } } } }",
		    "is the last field" },
		{ "{ parse: { records: { end: LF, sep: TAB, fields: { a: date } } } }",
		    "one of text" },
		{ "{ parse: { pairs: { sep: ':', tail: a } } }", "goes with \"head\"" },
		{ "{ parse: json, silence: none }", "\"silence\" goes with" },
		{ "{ at: items }", "a JSON pointer" },
		{ "{ at: '/*/a' }", "a * stands last only" },
		{ "{ as: item }", "no such ref" },
		{ "{ text: '' }", "points to a string" },
		{ "{ search: { for: x, in: [a], match: fuzzy } }", "one of contains" },
		{ "{ search: { for: x, in: [a], case: 1 } }", "true or false" },
		{ "{ search: { for: x, in: [a], case: '{c}' } }", "whose input is a boolean" },
		{ "{ search: { for: x, in: [a], case: upper } }", "whose input is a boolean" },
		{ "{ sort: { by: a, order: up } }", "one of asc, desc" },
		{ "{ page: { size: '{n}', cursor: '{n}' } }", "of type string" },
		{ "{ page: { size: '{c}', cursor: '{c}' } }", "of type integer" },
		{ "{ page: { size: '{z}', cursor: '{c}' } }", "minimum of 1" },
		{ "{ page: { size: '{n}', cursor: '{c}', next: /a } }", "goes with \"by: token\"" },
		{ "{ page: { by: offset, size: '{p}', cursor: '{c}' } }", "no word carries" },
		{ "{ parse: text, echo: { text: x } }", "has a member \"text\" already" },
		{ "{ echo: { a: '{b}' } }", "no input \"b\"" },
		{ "[]", "1 to 20 results" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(results); i++) {
		cleanup_free char *keys =
		    xasprintf("argv: [x, '--n={n}', '--c={c}', '--z={z}'], result: %s, input: { "
			      "properties: { "
			      "n: { type: integer, minimum: 1, description: D. }, z: { type: "
			      "integer, minimum: "
			      "0, description: D. }, c: { type: string, description: D. }, p: { "
			      "type: integer, "
			      "minimum: 1, x-hidden: true, description: D. } } }",
			results[i][0]);

		refuse_tool(keys, results[i][1]);
	}
}

static void fields_that_are_not_declared_are_refused(void **state)
{
	static const struct refusal refusals[] = {
		{ HEAD
		    "refs: { r: { id: /id } }\ntools:\n- { name: a, description: A., effect: read, "
		    "argv: [x], result: { parse: json, as: r, sort: { by: name } } }\n",
		    6, "no field \"name\"" },
		{ HEAD
		    "refs: { r: { id: /id } }\ntools:\n- { name: a, description: A., effect: read, "
		    "argv: [x], result: { parse: json, as: r, search: { for: x, in: [title] } } "
		    "}\n",
		    6, "no field \"title\"" },
		{ HEAD
		    "refs: { r: { id: /id } }\ntools:\n- { name: a, description: A., effect: read, "
		    "argv: [x], result: { parse: { records: { end: LF, sep: TAB, fields: { name: "
		    "text } } }, as: r } }\n",
		    6, "points to /id" },
	};

	(void)state;
	refuse_all(refusals, ARRAY_LEN(refusals));
}

static void refs_are_checked(void **state)
{
	static const char *const refs[][2] = {
		{ "{ r: {} }", "1 to 200 fields" },
		{ "{ r: { a: '' } }", "is empty" },
		{ "{ r: { a: '{b}' , b: /b } }", "no field of this ref that stands above" },
		{ "{ r: { a: '{$exit}' } }", "cannot stand in refs" },
		{ "{ r: { a: { of: /a } } }", "a source is" },
		{ "{ r: { a: { of: /a, match: 'x' } } }", "has 0 groups" },
		{ "{ r: { a: { from: /a, as: r } } }", "contains itself" },
		{ "{ r: { a: { from: /a, as: s } }, s: { a: { from: /a, as: r } } }",
		    "contains itself" },
		{ "{ r: { a: { from: /a, as: s } } }", "no such ref" },
		{ "{ r: { a: { from: /a, case: upper } } }", "one of kebab" },
		{ "{ r: { a: { from: /a, map: { b: [1] } } } }", "is a scalar" },
		{ "{ r: { a: '/a/*/b' } }", "wants \"type: any\"" },
		{ "{ r: { a: /a~2 } }", "a JSON pointer" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refs); i++) {
		cleanup_free char *text = xasprintf(HEAD "refs: %s\ntools:\n" TOOL, refs[i][0]);

		refuse(&(struct refusal){ text, 4, refs[i][1] });
	}
}

static void error_rules_are_checked(void **state)
{
	static const char *const rules[][2] = {
		{ "{ code: A }", "has \"exit\", \"stderr\" or \"match\"" },
		{ "{ exit: 1 }", "\"code\" is missing" },
		{ "{ exit: 1, code: not-found }", "capitals" },
		{ "{ exit: 1, code: BAD_OUTPUT }", "a code of stile itself" },
		{ "{ exit: one, code: A }", "an integer" },
		{ "{ match: '(', code: A }", "regular expression" },
		{ "{ exit: 1, code: A, add: { error_code: B } }", "in each error already" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		cleanup_free char *text =
		    xasprintf(HEAD "errors: [%s]\ntools:\n" TOOL, rules[i][0]);

		refuse(&(struct refusal){ text, 4, rules[i][1] });
	}
}

static void a_code_that_means_the_same_everywhere_may_be_used(void **state)
{
	cleanup_surface struct surface *surface = fixture_load(
	    HEAD "errors: [{ exit: 1, code: NOT_FOUND }, { exit: 2, code: PERMISSION_DENIED "
		 "}]\ntools:\n" TOOL);

	(void)state;
	assert_int_equal(surface->in->errors_len, 2);
}

static void at_most_fifty_errors_come_home(void **state)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;

	(void)state;
	buf_adds(&text, HEAD "tools:\n" TOOL);
	for (int i = 0; i < 500; i++)
		buf_addf(&text, "key%d: x\n", i);
	assert_null(surface_load(text.data, text.len, false, &notes, &err));
	assert_int_equal(notes.len, 50);
	assert_int_equal(notes.items[0].line, 6);
	assert_string_equal(notes.items[0].path, "key0");
}

static void what_is_no_yaml_has_a_place(void **state)
{
	static const char text[] = HEAD "tools: [\n  \"a\n";
	cleanup_err struct err err = ERR_INIT;
	cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;
	unsigned lines = 1;

	(void)state;
	for (const char *at = text; *at != '\0'; at++)
		lines += *at == '\n';
	assert_null(surface_load(text, strlen(text), false, &notes, &err));
	assert_int_equal(err.code, ERR_SURFACE_INVALID);
	assert_int_equal(notes.len, 1);
	assert_int_equal(notes.items[0].line, lines);
	assert_int_equal(notes.items[0].column, 1);
	assert_memory_equal(notes.items[0].text, "found", 5);
}

static void parts_cannot_make_a_file_grow_without_bound(void **state)
{
	cleanup_buf struct buf text = BUF_INIT;

	(void)state;
	buf_adds(&text, HEAD "parts: { p: { argv: [");
	for (int i = 0; i < 400; i++)
		buf_adds(&text, "x, ");
	buf_adds(&text,
	    "x] } }\ntools:\n- { name: a, description: A., effect: read, use: [p], argv: "
	    "[{ use: p }, { use: p }] }\n");
	refuse(&(struct refusal){ text.data, 4, "more than 500 elements" });
}

/* ---- what clients see ---- */

static void the_client_schema_has_no_marks_and_is_closed_at_every_level(void **state)
{
	cleanup_surface struct surface *surface = fixture_tool("",
	    "argv: [x, '--v={v}', { each: o, words: '--o={.key}' }, { stdin: { json: '{d}' } }], "
	    "input: { properties: { v: { type: string, x-absent: [''], x-no-dash: true, "
	    "description: "
	    "D. }, h: { type: string, x-hidden: true, description: D. }, o: { type: object, "
	    "additionalProperties: { type: string, x-secret: argv }, description: D. }, d: { type: "
	    "array, items: { type: object, properties: { e: { type: string, description: E. } } }, "
	    "description: D. } }, required: [v] }");

	(void)state;
	assert_string_equal(surface->tools[0].input_schema,
	    "{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"string\",\"description\":\"D."
	    "\"},"
	    "\"o\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"},"
	    "\"description\":\"D.\"},\"d\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
	    "\"properties\":{\"e\":{\"type\":\"string\",\"description\":\"E.\"}},"
	    "\"additionalProperties\":false},\"description\":\"D.\"}},\"required\":[\"v\"],"
	    "\"additionalProperties\":false}");
}

static void a_tool_without_arguments_has_empty_properties(void **state)
{
	cleanup_surface struct surface *surface = fixture_tool("", "argv: [x]");

	(void)state;
	assert_string_equal(surface->tools[0].input_schema,
	    "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}");
}

static void groups_become_sentences_of_the_description(void **state)
{
	cleanup_surface struct surface *surface = fixture_tool("",
	    "argv: [x, '--a={a}', '--b={b}', '--c={c}', '--r={r}'], groups: [{ one_of: [a, b] }, { "
	    "at_most_one: [a, c] }, { any_of: [a, b, c] }, { all_or_none: [b, c] }, { when: { r: "
	    "[app, health] }, need: [a] }, { when: [a, { r: app }], refuse: [b, c] }], input: { "
	    "properties: { a: { type: string, description: D. }, b: { type: string, description: "
	    "D. "
	    "}, c: { type: boolean, description: D. }, r: { enum: [app, health, x], description: "
	    "D. "
	    "} } }");

	(void)state;
	assert_string_equal(surface->tools[0].description,
	    "A tool. Give exactly one of a, b. Give at most one of a, c. Give at least one of a, "
	    "b, "
	    "c. Give all or none of b, c. When r is app or health: a is required. When a is given "
	    "and r is app: b and c are refused.");
}

static void an_output_schema_is_derived_from_what_is_declared(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_surface struct surface *git = load_file("git", false, &err);
	cleanup_surface struct surface *echo = fixture_tool("",
	    "argv: [x], output: auto, result: { parse: value, under: id, echo: { status: ok, exit: "
	    "'{$exit}' } }");

	(void)state;
	assert_string_equal(git->tools[0].output_schema,
	    "{\"type\":\"object\",\"properties\":{\"items\":{\"type\":\"array\",\"items\":{"
	    "\"type\":"
	    "\"object\",\"properties\":{\"commit\":{\"type\":\"string\"},\"parents\":{\"type\":"
	    "\"array\",\"items\":{\"type\":\"string\"}},\"author\":{\"type\":\"string\"},\"date\":{"
	    "\"type\":\"string\"},\"subject\":{\"type\":\"string\"},\"body\":{\"type\":\"string\"}}"
	    ","
	    "\"required\":[\"commit\",\"parents\",\"author\",\"date\",\"subject\",\"body\"],"
	    "\"additionalProperties\":false}},\"pageSize\":{\"type\":\"integer\"},\"cursor\":{"
	    "\"type\":[\"string\",\"null\"]},\"returned\":{\"type\":\"integer\"},\"nextCursor\":{"
	    "\"type\":[\"string\",\"null\"]}},\"required\":[\"items\"],\"additionalProperties\":"
	    "false}");
	assert_string_equal(echo->tools[0].output_schema,
	    "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},\"status\":{"
	    "\"type\":"
	    "\"string\"},\"exit\":{\"type\":\"integer\"}},\"required\":[\"id\"],"
	    "\"additionalProperties\":false}");
	assert_non_null(surface_tool_output(&echo->tools[0]));
}

static void an_output_schema_of_unknown_types_is_refused(void **state)
{
	static const char *const results[][2] = {
		{ "{ parse: json }", "no declared members" },
		{ "{ parse: ndjson }", "no declared type" },
		{ "[{ parse: text }, { parse: value }]", "without alternatives" },
		{ "{ parse: text, drop: /a }", "leave no declared type" },
		{ "{ parse: none, echo: { a: '{/b}' } }", "whose type is not declared" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(results); i++) {
		cleanup_free char *keys =
		    xasprintf("argv: [x], output: auto, result: %s", results[i][0]);

		refuse_tool(keys, results[i][1]);
	}
}

static void rank_follows_effect_and_confirm_is_for_gated_tools(void **state)
{
	const char *yaml = HEAD "tools:\n- { name: a, description: A., effect: read, argv: [x] }\n"
				"- { name: b, description: A., effect: write, argv: [x] }\n"
				"- { name: c, description: A., effect: destroy, argv: [x] }\n";
	cleanup_surface struct surface *surface = fixture_load(yaml);

	(void)state;
	assert_int_equal(surface->tools[0].rank, SURFACE_RANK_READ);
	assert_int_equal(surface->tools[1].rank, SURFACE_RANK_WRITE);
	assert_int_equal(surface->tools[2].rank, SURFACE_RANK_MANAGE);
	assert_false(surface->tools[0].in->accepts_confirm);
	assert_true(surface->tools[1].in->accepts_confirm);
	assert_null(strstr(surface->tools[1].input_schema, "confirm"));
}

static void the_tools_own_input_wins_over_the_parts(void **state)
{
	const char *yaml = HEAD
	    "parts: { p: { input: { properties: { v: { type: string, description: P. }, w: { type: "
	    "string, description: P. } }, required: [v] }, argv: ['--v={v}', '--w={w}'] } }\n"
	    "tools:\n- { name: a, description: A., effect: read, use: [p], argv: [x, { use: p }], "
	    "input: { properties: { v: { enum: [a], description: T. } } } }\n";
	cleanup_surface struct surface *surface = fixture_load(yaml);

	(void)state;
	assert_string_equal(surface->tools[0].input_schema,
	    "{\"type\":\"object\",\"properties\":{\"v\":{\"enum\":[\"a\"],\"description\":\"T.\"},"
	    "\"w\":{\"type\":\"string\",\"description\":\"P.\"}},\"required\":[\"v\"],"
	    "\"additionalProperties\":false}");
}

/* ---- built-in surfaces ---- */

static void built_in_surfaces_load_from_their_compiled_form(void **state)
{
	(void)state;
	assert_non_null(surface_builtin_find("git"));
	assert_null(surface_builtin_find("nothing"));
	for (const struct surface_builtin *at = surface_builtins; at->name != NULL; at++) {
		cleanup_err struct err err = ERR_INIT;
		struct digest digest;
		cleanup_surface struct surface *compiled = NULL;
		cleanup_surface struct surface *loaded = NULL;

		memcpy(digest.bytes, at->digest, DIGEST_SIZE);
		compiled = surface_load_compiled(at->json, at->json_len, &digest, &err);
		loaded = surface_load(at->yaml, at->yaml_len, true, NULL, &err);
		assert_non_null(compiled);
		assert_non_null(loaded);
		assert_true(digest_equal(&compiled->digest, &loaded->digest));
		assert_int_equal(compiled->tools_len, loaded->tools_len);
		for (size_t i = 0; i < loaded->tools_len; i++) {
			assert_string_equal(
			    compiled->tools[i].description, loaded->tools[i].description);
			assert_string_equal(
			    compiled->tools[i].input_schema, loaded->tools[i].input_schema);
			assert_int_equal(surface_tool_ready(&compiled->tools[i])->argv_len,
			    loaded->tools[i].in->argv_len);
			assert_int_equal(
			    compiled->tools[i].in->results_len, loaded->tools[i].in->results_len);
			assert_non_null(surface_tool_schema(&compiled->tools[i]));
			assert_ptr_equal(surface_find_tool(compiled, loaded->tools[i].name),
			    &compiled->tools[i]);
		}
		assert_int_equal(compiled->resources_len, loaded->resources_len);
		for (size_t i = 0; i < loaded->resources_len; i++)
			assert_string_equal(compiled->resources[i].uri, loaded->resources[i].uri);
	}
}

/* ---- the schema of the format ---- */

static struct schema *format_schema(struct json_doc *doc)
{
	static const char *const ignore[] = { "$schema", NULL };
	struct schema_options options = { .ignore = ignore, .check_patterns = true };
	cleanup_err struct err err = ERR_INIT;
	struct schema *schema;

	fixture_json(doc, surface_format_schema());
	schema = schema_compile(json_root(doc), &options, NULL, &err);
	if (schema == NULL)
		fail_msg("%s", err.message);
	return schema;
}

static void the_format_schema_accepts_what_loads(void **state)
{
	static const char *const names[] = { "git", "pass", "cluster", "phelix", "vault" };
	cleanup_json struct json_doc schema_doc = JSON_DOC_INIT;
	cleanup_schema struct schema *schema = format_schema(&schema_doc);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		cleanup_err struct err err = ERR_INIT;
		cleanup_buf struct buf text = BUF_INIT;
		cleanup_buf struct buf json = BUF_INIT;
		cleanup_json struct json_doc doc = JSON_DOC_INIT;

		read_file(names[i], &text);
		assert_ok(
		    yaml_read(text.data, text.len, &yaml_limits_file, &json, NULL, &err), &err);
		assert_ok(json_read(&doc, json.data, json.len, &err), &err);
		assert_ok(schema_validate(schema, json_root(&doc), &err), &err);
	}
	for (const struct surface_builtin *at = surface_builtins; at->name != NULL; at++) {
		cleanup_err struct err err = ERR_INIT;
		cleanup_json struct json_doc doc = JSON_DOC_INIT;

		assert_ok(json_read(&doc, at->json, at->json_len, &err), &err);
		assert_ok(schema_validate(schema, json_root(&doc), &err), &err);
	}
}

static void the_format_schema_refuses_an_unknown_key(void **state)
{
	static const char *const files[] = {
		"{\"stile\":1,\"surface\":\"t\",\"program\":{\"run\":\"p\"},\"tools\":[{\"name\":"
		"\"a\","
		"\"description\":\"A.\",\"effect\":\"read\",\"argv\":[\"x\"]}],\"tool\":1}",
		"{\"stile\":1,\"surface\":\"t\",\"program\":{\"run\":\"p\"},\"tools\":[{\"name\":"
		"\"a\","
		"\"description\":\"A.\",\"effect\":\"read\",\"argv\":[\"x\"],\"exec\":\"any\"}]}",
		"{\"stile\":2,\"surface\":\"t\",\"program\":{\"run\":\"p\"},\"tools\":[{\"name\":"
		"\"a\","
		"\"description\":\"A.\",\"effect\":\"read\",\"argv\":[\"x\"]}]}",
	};
	cleanup_json struct json_doc schema_doc = JSON_DOC_INIT;
	cleanup_schema struct schema *schema = format_schema(&schema_doc);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		cleanup_json struct json_doc doc = JSON_DOC_INIT;

		fixture_json(&doc, files[i]);
		assert_false(schema_accepts(schema, json_root(&doc)));
	}
}

/* ---- words ---- */

static void words_are_literals_and_holes(void **state)
{
	struct arena arena = ARENA_INIT;
	cleanup_err struct err err = ERR_INIT;
	struct word word;

	(void)state;
	assert_ok(surface_word_compile(&arena, "a{{b}{name/x/y}{title:8}", &word, &err), &err);
	assert_int_equal(word.len, 3);
	assert_string_equal(word.pieces[0].text, "a{b}");
	assert_string_equal(word.pieces[1].name, "name");
	assert_string_equal(word.pieces[1].pointer, "/x/y");
	assert_int_equal(word.pieces[1].input, -1);
	assert_int_equal(word.pieces[2].first, 8);
	assert_ok(surface_word_compile(&arena, "", &word, &err), &err);
	assert_int_equal(word.len, 0);
	assert_ok(surface_word_compile(&arena, "{}{.key}{/a/*/b}{$count}", &word, &err), &err);
	assert_int_equal(word.pieces[0].kind, HOLE_ITEM);
	assert_int_equal(word.pieces[1].kind, HOLE_MEMBER);
	assert_string_equal(word.pieces[2].pointer, "/a/*/b");
	assert_int_equal(word.pieces[3].kind, HOLE_COUNT);
	arena_release(&arena);
}

static void holes_of_another_grammar_are_refused(void **state)
{
	static const char *const words[] = { "{", "a{b", "{a b}", "{1}", "{$}", "{$what}", "{a:}",
		"{a:0}", "{a:x}", "{a/~2}", "{/~}", "{.}", "{.a b}", "{a/*}", "{-a}", "{a.b}" };
	struct arena arena = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		cleanup_err struct err err = ERR_INIT;
		struct word word;

		if (surface_word_compile(&arena, words[i], &word, &err) == 0)
			fail_msg("compiles: %s", words[i]);
		assert_int_equal(err.code, ERR_CONFIGURATION);
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_examples_of_the_reference_load),
		cmocka_unit_test(an_open_write_gate_is_for_built_in_surfaces),
		cmocka_unit_test(files_that_are_none_are_refused),
		cmocka_unit_test(unknown_keys_are_refused_with_the_nearest_known_one),
		cmocka_unit_test(names_that_clients_refuse_are_refused),
		cmocka_unit_test(texts_with_what_nobody_sees_are_refused),
		cmocka_unit_test(programs_are_checked),
		cmocka_unit_test(limits_are_within_the_hosts),
		cmocka_unit_test(secrets_must_not_mask_everything),
		cmocka_unit_test(status_wants_what_its_verdict_is_made_of),
		cmocka_unit_test(tools_are_checked),
		cmocka_unit_test(elements_are_checked),
		cmocka_unit_test(schemas_that_clients_refuse_are_refused),
		cmocka_unit_test(marks_stand_where_they_mean_something),
		cmocka_unit_test(a_secret_stands_in_stdin_file_and_set_only),
		cmocka_unit_test(parts_name_only_their_own_inputs),
		cmocka_unit_test(groups_are_checked),
		cmocka_unit_test(results_are_checked),
		cmocka_unit_test(fields_that_are_not_declared_are_refused),
		cmocka_unit_test(refs_are_checked),
		cmocka_unit_test(error_rules_are_checked),
		cmocka_unit_test(a_code_that_means_the_same_everywhere_may_be_used),
		cmocka_unit_test(at_most_fifty_errors_come_home),
		cmocka_unit_test(what_is_no_yaml_has_a_place),
		cmocka_unit_test(parts_cannot_make_a_file_grow_without_bound),
		cmocka_unit_test(the_client_schema_has_no_marks_and_is_closed_at_every_level),
		cmocka_unit_test(a_tool_without_arguments_has_empty_properties),
		cmocka_unit_test(groups_become_sentences_of_the_description),
		cmocka_unit_test(an_output_schema_is_derived_from_what_is_declared),
		cmocka_unit_test(an_output_schema_of_unknown_types_is_refused),
		cmocka_unit_test(rank_follows_effect_and_confirm_is_for_gated_tools),
		cmocka_unit_test(the_tools_own_input_wins_over_the_parts),
		cmocka_unit_test(built_in_surfaces_load_from_their_compiled_form),
		cmocka_unit_test(the_format_schema_accepts_what_loads),
		cmocka_unit_test(the_format_schema_refuses_an_unknown_key),
		cmocka_unit_test(words_are_literals_and_holes),
		cmocka_unit_test(holes_of_another_grammar_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
