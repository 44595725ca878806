/* SPDX-License-Identifier: MIT */
/* `plan` of tools: what is refused and where, and what a plan says of a call. */
#include <stdlib.h>
#include <string.h>

#include "surface/surface_internal.h"
#include "surface_fixture.h"
#include "unit.h"

/* One tool that reads, a hidden one, and ones that nothing may be made of; then, from line 9 on, the
 * planned tool. */
#define READERS                                                                                    \
	"- { name: look, description: A., effect: read, argv: [look, '{what}'], input: { "         \
	"properties: { what: { description: D., enum: [a, b] }, key: { description: D., type: "    \
	"string, x-secret: true, x-hidden: true } }, required: [what] } }\n"                       \
	"- { name: peek, description: A., effect: read, hidden: true, argv: [peek] }\n"            \
	"- { name: tell, description: A., effect: read, reveals: true, argv: [tell] }\n"           \
	"- { name: where, description: A., effect: read, builtin: context }\n"
#define HEAD "stile: 1\nsurface: my-app\nprogram: { run: prog }\ntools:\n" READERS
#define INPUT                                                                                      \
	"input: { properties: { what: { description: D., enum: [a, b] }, more: { description: "    \
	"D., type: string }, size: { description: D., type: integer, default: 3 }, from: { "       \
	"description: D., type: string, x-path: read } }, required: [what] }\n  files: read"
#define ARGV "argv: [do, '{what}', '--more={more}', '--size={size}', '--from={from}']"

/* The file with one planned tool, whose last line is `plan: …` or any other keys. */
static char *file_with(const char *keys)
{
	return xasprintf("%s- name: act\n  description: A.\n  effect: write\n  %s\n  %s\n  %s\n",
	    HEAD, INPUT, ARGV, keys);
}

static void refuses(const char *keys, unsigned line, const char *why)
{
	cleanup_free char *yaml = file_with(keys);
	cleanup_free char *where = xasprintf("line %u,", line);
	cleanup_err struct err err = ERR_INIT;
	cleanup_surface struct surface *surface =
	    surface_load(yaml, strlen(yaml), false, NULL, &err);

	if (surface != NULL)
		fail_msg("loads: %s", keys);
	assert_int_equal(err.code, ERR_SURFACE_INVALID);
	if (strstr(err.message, where) == NULL || strstr(err.message, why) == NULL)
		fail_msg("%s: %s", keys, err.message);
}

static void refuses_plan(const char *plan, const char *why)
{
	cleanup_free char *keys = xasprintf("writes: plan\n  plan: %s", plan);

	refuses(keys, 16, why);
}

static struct surface *loads(const char *keys)
{
	cleanup_free char *yaml = file_with(keys);

	return fixture_load(yaml);
}

/* ---- refusals ---- */

static void a_planned_tool_without_a_plan_or_a_target_is_refused(void **state)
{
	(void)state;
	refuses("writes: plan", 9, "\"writes: plan\" wants \"plan\" with a \"target\"");
	refuses("writes: policy", 9, "\"writes: policy\" wants \"plan\" with a \"target\"");
	refuses_plan("{ expires: 1h }", "\"target\" is missing");
	refuses_plan("[]", "a plan is a mapping");
	refuses_plan("{ target: x, when: y }", "unknown key \"when\"");
}

static void a_plan_goes_with_the_gates_that_make_one(void **state)
{
	(void)state;
	refuses("plan: { target: x }", 15, "goes with \"writes: plan\" or \"writes: policy\"");
	refuses("writes: elicit\n  plan: { target: x }", 16, "goes with \"writes: plan\"");
}

static void the_target_is_made_of_what_is_always_given(void **state)
{
	(void)state;
	refuses_plan("{ target: '' }", "the text is empty");
	refuses_plan("{ target: '{nothing}' }", "no input \"nothing\"");
	refuses_plan("{ target: 'app/{more}' }", "each hole of \"target\" has a value");
	refuses_plan("{ target: '{$stdout}' }", "cannot stand in target");
	refuses_plan("{ target: '{$workspace}' }", "cannot stand in target");
	refuses_plan("{ target: '{$root}' }", "cannot stand in target");
}

static void preconditions_call_what_reads(void **state)
{
	(void)state;
	refuses_plan("{ target: x, preconditions: {} }", "preconditions is a list");
	refuses_plan("{ target: x, preconditions: [{ tool: look }] }", "\"at\" is missing");
	refuses_plan("{ target: x, preconditions: [{ at: '' }] }", "\"tool\" is missing");
	refuses_plan("{ target: x, preconditions: [{ tool: no, at: '' }] }", "no tool \"no\"");
	refuses_plan("{ target: x, preconditions: [{ tool: act, at: '' }] }", "does not only read");
	refuses_plan("{ target: x, preconditions: [{ tool: tell, at: '' }] }", "reveals secrets");
	refuses_plan("{ target: x, preconditions: [{ tool: where, at: '' }] }",
	    "no command line of its own");
	refuses_plan(
	    "{ target: x, preconditions: [{ tool: peek, at: 'a' }] }", "a JSON pointer such as");
	refuses_plan("{ target: x, preconditions: [{ tool: peek, at: '/*' , with: 3 }] }",
	    "with is a mapping");
	refuses_plan(
	    "{ target: x, preconditions: [{ tool: peek, at: '', x: 3 }] }", "unknown key \"x\"");
}

static void a_plan_has_ten_preconditions_at_most(void **state)
{
	cleanup_buf struct buf plan = BUF_INIT;

	(void)state;
	buf_adds(&plan, "{ target: x, preconditions: [");
	for (int i = 0; i < 11; i++)
		buf_adds(&plan, "{ tool: peek, at: '' }, ");
	buf_adds(&plan, "] }");
	refuses_plan(plan.data, "at most 10 preconditions");
}

static void what_a_plan_calls_gets_what_is_always_given(void **state)
{
	(void)state;
	refuses_plan("{ target: x, preconditions: [{ tool: look, at: '' }] }",
	    "look wants the input \"what\"");
	refuses_plan("{ target: x, preconditions: [{ tool: peek, at: '', with: { a: b } }] }",
	    "has no such input");
	refuses_plan(
	    "{ target: x, preconditions: [{ tool: look, at: '', with: { what: '{more}' } }] }",
	    "each hole of \"with\" has a value");
	refuses_plan(
	    "{ target: x, preconditions: [{ tool: look, at: '', with: { what: '{$exit}' } }] }",
	    "cannot stand in with");
	refuses_plan("{ target: x, preconditions: [{ tool: look, at: '', with: { what: a, key: b } "
		     "}] }",
	    "marked x-secret");
}

static void a_preview_is_a_call_without_a_pointer(void **state)
{
	(void)state;
	refuses_plan("{ target: x, preview: look }", "a preview is a mapping");
	refuses_plan("{ target: x, preview: {} }", "\"tool\" is missing");
	refuses_plan("{ target: x, preview: { tool: peek, at: '' } }", "unknown key \"at\"");
	refuses_plan("{ target: x, preview: { tool: look } }", "look wants the input \"what\"");
	refuses_plan("{ target: x, preview: { tool: act } }", "does not only read");
}

static void only_paths_are_held(void **state)
{
	(void)state;
	refuses_plan("{ target: x, pin: from }", "pin is a list");
	refuses_plan("{ target: x, pin: [what] }", "\"what\" is no path");
	refuses_plan("{ target: x, pin: [there] }", "no input \"there\"");
	refuses_plan("{ target: x, pin: [from, from] }", "named twice");
}

static void times_have_bounds(void **state)
{
	(void)state;
	refuses_plan("{ target: x, expires: soon }", "is not like");
	refuses_plan("{ target: x, expires: 59s }", "at least 60s");
	refuses_plan("{ target: x, expires: 169h }", "past the maximum");
	refuses_plan("{ target: x, wait: 999ms }", "at least 1s");
	refuses_plan("{ target: x, wait: 11m }", "past the maximum");
}

static void nothing_secret_is_in_a_plan(void **state)
{
	static const char input[] =
	    "input: { properties: { key: { description: D., type: string, x-secret: true } }, "
	    "required: [key] }";
	cleanup_free char *yaml =
	    xasprintf("%s- name: act\n  description: A.\n  effect: write\n  writes: plan\n  %s\n"
		      "  argv: [do, { stdin: '{key}' }]\n  plan: { target: x }\n",
		HEAD, input);
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_null(surface_load(yaml, strlen(yaml), false, NULL, &err));
	assert_non_null(strstr(err.message, "line 13,"));
	assert_non_null(strstr(err.message, "nothing secret is in a plan"));
	refuses("reveals: true\n  writes: plan\n  plan: { target: x }", 9, "cannot reveal secrets");
}

static void what_cannot_be_planned_is_refused(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	static const char scoped[] =
	    "stile: 1\nsurface: t\nprogram: { run: p }\nscoped: true\ntools:\n"
	    "- { name: act, description: A., effect: write, writes: plan, argv: [x], plan: { "
	    "target: x } }\n";

	(void)state;
	refuses("hidden: true\n  writes: plan\n  plan: { target: x }", 9, "a hidden tool");
	refuses("output: { type: object, properties: {} }\n  writes: policy\n  plan: { target: x }",
	    15, "leave \"output\" out");
	assert_null(surface_load(scoped, strlen(scoped), false, NULL, &err));
	assert_non_null(strstr(err.message, "line 6,"));
	assert_non_null(strstr(err.message, "a scoped surface has no tools"));
}

/* A plan is applied by a process that no stage was given to. */
static void words_of_a_planned_tool_need_no_scope(void **state)
{
	static const char *const files[] = {
		"program: { run: p, args: ['--in={$workspace}'] }\ntools:\n"
		"- { name: act, description: A., effect: write, writes: plan, argv: [x], plan: { "
		"target: x } }\n",
		"program: { run: p }\ntools:\n"
		"- { name: act, description: A., effect: write, writes: plan, argv: [x, { words: "
		"['--in={$stage}'] }], plan: { target: x } }\n",
		"program: { run: p }\ntools:\n"
		"- { name: act, description: A., effect: write, writes: plan, argv: [x, { stdin: { "
		"json: { in: ['{$stage}'] } } }], plan: { target: x } }\n",
		"program: { run: p, env: [W] }\ntools:\n"
		"- { name: act, description: A., effect: write, writes: plan, argv: [x], set: { W: "
		"'{$workspace}' }, plan: { target: x } }\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		cleanup_free char *yaml = xasprintf("stile: 1\nsurface: t\n%s", files[i]);
		cleanup_err struct err err = ERR_INIT;

		assert_null(surface_load(yaml, strlen(yaml), false, NULL, &err));
		if (strstr(err.message, "line 5,") == NULL ||
		    strstr(err.message, "outside of a scope") == NULL)
			fail_msg("%zu: %s", i, err.message);
	}
}

/* ---- what loads ---- */

#define WHOLE                                                                                      \
	"writes: plan\n"                                                                           \
	"  plan: { target: 'app/{what}/{size}', pin: [from], expires: 2h, wait: 5s, "              \
	"preconditions: [{ tool: look, with: { what: '{what}' }, at: /a/b }, { tool: peek, at: "   \
	"'' }], preview: { tool: look, with: { what: a } } }"

static const struct tool *tool_of(const struct surface *surface, const char *name)
{
	const struct tool *tool = surface_find_tool(surface, name);

	assert_non_null(tool);
	return tool;
}

static void a_plan_is_read_whole(void **state)
{
	cleanup_surface struct surface *surface = loads(WHOLE);
	const struct tool *act = tool_of(surface, "act");
	const struct surface_plan *plan = act->plan;

	(void)state;
	assert_true(surface_is_planned(act));
	assert_int_equal(plan->preconditions_len, 2);
	assert_ptr_equal(plan->preconditions[0].tool, tool_of(surface, "look"));
	assert_string_equal(plan->preconditions[0].pointer, "/a/b");
	assert_ptr_equal(plan->preconditions[1].tool, tool_of(surface, "peek"));
	assert_string_equal(plan->preconditions[1].pointer, "");
	assert_ptr_equal(plan->preview, tool_of(surface, "look"));
	assert_int_equal(plan->pins.len, 1);
	assert_string_equal(plan->pins.items[0], "from");
	assert_int_equal(plan->expires_ms, 2 * 3600 * 1000);
	assert_int_equal(plan->wait_ms, 5000);
	assert_null(tool_of(surface, "look")->plan);
}

static void a_plan_says_little_and_gets_the_usual_times(void **state)
{
	cleanup_surface struct surface *surface = loads("writes: policy\n  plan: { target: x }");
	const struct surface_plan *plan = tool_of(surface, "act")->plan;

	(void)state;
	assert_int_equal(plan->preconditions_len, 0);
	assert_null(plan->preview);
	assert_int_equal(plan->expires_ms, 3600 * 1000);
	assert_int_equal(plan->wait_ms, 45000);
}

static void the_gate_of_the_surface_counts_for_what_writes(void **state)
{
	static const char yaml[] =
	    "stile: 1\nsurface: t\nprogram: { run: p }\nwrites: plan\ntools:\n"
	    "- { name: look, description: A., effect: read, argv: [x] }\n"
	    "- { name: act, description: A., effect: destroy, argv: [x], plan: { target: x } }\n"
	    "- { name: ask, description: A., effect: write, argv: [x], writes: elicit }\n";
	cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_surface struct surface *surface =
	    surface_load(yaml, strlen(yaml), false, &notes, &err);
	bool is_warned = false;

	(void)state;
	assert_non_null(surface);
	assert_false(surface_is_planned(tool_of(surface, "look")));
	assert_true(surface_is_planned(tool_of(surface, "act")));
	assert_false(surface_is_planned(tool_of(surface, "ask")));
	for (size_t i = 0; i < notes.len; i++)
		is_warned |= strstr(notes.items[i].text, "weaker than the surface's") != NULL &&
			     notes.items[i].line == 8;
	assert_true(is_warned);
}

static void a_compiled_surface_has_the_same_plans(void **state)
{
	cleanup_free char *yaml = file_with(WHOLE);
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;
	struct digest digest = digest_of(yaml, strlen(yaml));
	cleanup_surface struct surface *surface = NULL;
	const struct surface_plan *plan;

	(void)state;
	assert_ok(yaml_read(yaml, strlen(yaml), &yaml_limits_file, &json, NULL, &err), &err);
	surface = surface_load_compiled(json.data, json.len, &digest, &err);
	assert_non_null(surface);
	plan = tool_of(surface, "act")->plan;
	assert_int_equal(plan->preconditions_len, 2);
	assert_ptr_equal(plan->preview, tool_of(surface, "look"));
	assert_int_equal(plan->wait_ms, 5000);
}

static void a_hidden_tool_that_a_plan_calls_is_no_oversight(void **state)
{
	cleanup_free char *yaml = file_with(WHOLE);
	cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_surface struct surface *surface =
	    surface_load(yaml, strlen(yaml), false, &notes, &err);

	(void)state;
	assert_non_null(surface);
	for (size_t i = 0; i < notes.len; i++)
		assert_null(strstr(notes.items[i].text, "nobody can call"));
}

/* ---- targets and arguments ---- */

static int target_of(const char *plan, const char *arguments, struct buf *text, struct err *err)
{
	cleanup_free char *keys = xasprintf("writes: plan\n  plan: { target: %s }", plan);
	cleanup_surface struct surface *surface = loads(keys);
	cleanup_json struct json_doc doc = JSON_DOC_INIT;

	fixture_json(&doc, arguments);
	return surface_plan_target(
	    tool_of(surface, "act"), json_root(&doc), &(struct surface_launch){ 0 }, text, err);
}

static void the_target_is_a_word_of_the_arguments(void **state)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(
	    target_of("'app/{what}:{size}'", "{\"what\":\"b\",\"size\":3}", &text, &err), &err);
	assert_string_equal(text.data, "app/b:3");
}

static void a_target_that_cannot_be_read_or_compared_is_refused(void **state)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_buf struct buf longer = BUF_INIT;

	(void)state;
	buf_adds(&longer, "{\"what\":\"");
	for (int i = 0; i < 501; i++)
		buf_addc(&longer, 'x');
	buf_adds(&longer, "\"}");
	for (int i = 0; i < 4; i++) {
		static const char *const arguments[] = { "{\"what\":\"a\\nb\"}",
			"{\"what\":\"a\\u202eb\"}", "{\"what\":\"\"}", NULL };
		cleanup_err struct err err = ERR_INIT;

		assert_int_equal(
		    target_of(
			"'{what}'", arguments[i] != NULL ? arguments[i] : longer.data, &text, &err),
		    -1);
		assert_int_equal(err.code, ERR_INVALID_ARGUMENT);
		assert_int_equal(text.len, 0);
	}
}

static void the_calls_of_a_plan_get_their_arguments(void **state)
{
	cleanup_surface struct surface *surface = loads(WHOLE);
	const struct tool *act = tool_of(surface, "act");
	cleanup_json struct json_doc given = JSON_DOC_INIT;
	cleanup_json struct json_doc first = JSON_DOC_INIT;
	cleanup_json struct json_doc second = JSON_DOC_INIT;
	cleanup_json struct json_doc preview = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	fixture_json(&given, "{\"what\":\"b\",\"size\":3}");
	assert_ok(surface_plan_arguments(act, 0, json_root(&given), &first, &err), &err);
	assert_string_equal(json_root(&first)->raw, "{\"what\":\"b\"}");
	assert_ok(surface_plan_arguments(act, 1, json_root(&given), &second, &err), &err);
	assert_string_equal(json_root(&second)->raw, "{}");
	assert_ok(
	    surface_plan_arguments(act, SURFACE_PREVIEW, json_root(&given), &preview, &err), &err);
	assert_string_equal(json_root(&preview)->raw, "{\"what\":\"a\"}");
}

/* ---- the tools that are made ---- */

static const char *const made[] = { "plan_create", "plan_apply", "plan_show", "plan_list",
	"operation_status", "session_create", "session_show", "session_list", "session_checkpoint",
	"session_complete", "session_fail" };

/* From tool `own` on there are those of made, from its member `first` on, under this prefix. */
static void makes(const struct surface *surface, size_t own, const char *prefix, size_t first)
{
	assert_int_equal(surface->tools_len, own + ARRAY_LEN(made) - first);
	for (size_t i = 0; i < surface->tools_len; i++) {
		const struct tool *tool = &surface->tools[i];
		cleanup_free char *name =
		    i >= own ? xasprintf("%s_%s", prefix, made[i - own + first]) : NULL;

		assert_true(tool->is_engine == (i >= own));
		if (i >= own)
			assert_string_equal(tool->name, name);
	}
}

static void tools_are_made_for_a_surface_with_planned_ones_alone(void **state)
{
	cleanup_surface struct surface *planned = loads(WHOLE);
	cleanup_surface struct surface *by_policy = loads("writes: policy\n  plan: { target: x }");
	cleanup_surface struct surface *other = loads("writes: elicit");

	(void)state;
	makes(planned, 5, "my_app", 0);
	makes(by_policy, 5, "my_app", 2);
	assert_int_equal(other->tools_len, 5);
	assert_null(other->in->engine);
}

static void they_are_the_same_in_the_compiled_form(void **state)
{
	cleanup_free char *yaml = file_with(WHOLE);
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;
	struct digest digest = digest_of(yaml, strlen(yaml));
	cleanup_surface struct surface *surface = fixture_load(yaml);
	cleanup_surface struct surface *compiled = NULL;

	(void)state;
	assert_ok(yaml_read(yaml, strlen(yaml), &yaml_limits_file, &json, NULL, &err), &err);
	compiled = surface_load_compiled(json.data, json.len, &digest, &err);
	assert_non_null(compiled);
	makes(compiled, 5, "my_app", 0);
	for (size_t i = 5; i < surface->tools_len; i++) {
		assert_string_equal(
		    surface->tools[i].input_schema, compiled->tools[i].input_schema);
		assert_string_equal(surface->tools[i].description, compiled->tools[i].description);
	}
}

static void what_is_made_belongs_to_a_surface_of_this_binary_under_the_same_name(void **state)
{
	cleanup_surface struct surface *surface = loads(WHOLE);
	const struct tool *apply = tool_of(surface, "my_app_plan_apply");

	(void)state;
	assert_string_equal(apply->surface->name, "my-app");
	assert_true(digest_equal(&apply->surface->digest, &surface->digest));
	assert_string_equal(apply->surface->program.run, "self");
	assert_true(apply->surface->is_builtin);
	assert_int_equal(apply->writes, SURFACE_OPEN);
	assert_int_equal(apply->effect, SURFACE_DESTROY);
	assert_true(apply->is_idempotent);
	assert_int_equal(tool_of(surface, "my_app_plan_show")->effect, SURFACE_READ);
	assert_int_equal(tool_of(surface, "my_app_plan_create")->effect, SURFACE_WRITE);
}

/* It starts the program in turn, and looks for it as the server does. */
static void its_environment_is_what_both_programs_need(void **state)
{
	static const char yaml[] =
	    "stile: 1\nsurface: t\nprogram: { run: p, override: P_BIN, env: [P_HOME, HOME] "
	    "}\ntools:\n"
	    "- { name: act, description: A., effect: write, writes: plan, argv: [x], plan: { "
	    "target: x } }\n";
	cleanup_surface struct surface *surface = fixture_load(yaml);
	const struct strvec *env = &tool_of(surface, "t_plan_apply")->surface->program.env;
	static const char *const names[] = { "PATH", "HOME", "STILE_DATA_DIR", "P_BIN", "P_HOME" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_true(strvec_contains(env, names[i]));
	assert_false(strvec_contains(env, "STILE_TOKEN_FILE"));
}

static void a_plan_is_of_the_tools_that_want_one(void **state)
{
	static const char yaml[] =
	    "stile: 1\nsurface: t\nprogram: { run: p }\nwrites: plan\ntools:\n"
	    "- { name: one, title: The first, description: A., effect: write, argv: [x], plan: { "
	    "target: x } }\n"
	    "- { name: two, description: The second., effect: write, argv: [x], plan: { target: x "
	    "} "
	    "}\n"
	    "- { name: own, description: A., effect: write, argv: [x], writes: policy, plan: { "
	    "target: x } }\n"
	    "- { name: look, description: A., effect: read, argv: [x] }\n";
	cleanup_surface struct surface *surface = fixture_load(yaml);
	const struct tool *create = tool_of(surface, "t_plan_create");

	(void)state;
	assert_non_null(strstr(create->input_schema, "\"enum\":[\"one\",\"two\"]"));
	assert_non_null(strstr(create->input_schema, "one (The first): {"));
	assert_non_null(strstr(create->input_schema, "two (The second.): {"));
	assert_null(strstr(create->input_schema, "own"));
	assert_null(strstr(create->input_schema, "planned"));
	assert_true(surface_wants_plan(tool_of(surface, "one")));
	assert_false(surface_wants_plan(tool_of(surface, "own")));
	assert_false(surface_wants_plan(tool_of(surface, "look")));
}

static int argv_of(const struct tool *tool, const char *arguments, struct surface_command *command,
    struct err *err)
{
	static const struct surface_launch launch = { 0 };
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_json struct json_doc checked = JSON_DOC_INIT;
	bool is_vetoed = false;

	fixture_json(&doc, arguments);
	if (surface_check_arguments(tool, json_root(&doc), &checked, &is_vetoed, err) < 0)
		return -1;
	return surface_build_command(tool, json_root(&checked), &launch, command, err);
}

static void a_call_of_them_is_a_command_of_stile(void **state)
{
	cleanup_surface struct surface *surface = loads(WHOLE);
	struct surface_command command = SURFACE_COMMAND_INIT;
	cleanup_err struct err err = ERR_INIT;
	static const char *const words[] = { "plan", "create", "--label=-x", "--json", "act", "-" };

	(void)state;
	assert_ok(
	    argv_of(tool_of(surface, "my_app_plan_create"),
		"{\"tool\":\"act\",\"arguments\":{\"what\":1},\"label\":\"-x\"}", &command, &err),
	    &err);
	assert_int_equal(command.words.len, ARRAY_LEN(words));
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		assert_string_equal(command.words.items[i], words[i]);
	assert_string_equal(command.stdin_data.data, "{\"what\":1}");
	surface_command_release(&command);
}

static void who_calls_cannot_say_who_it_is(void **state)
{
	static const char *const fields[] = { "actor", "approved", "role", "token" };
	cleanup_surface struct surface *surface = loads(WHOLE);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		cleanup_free char *arguments =
		    xasprintf("{\"plan_id\":\"pln_0123456789abcdef\",\"%s\":true}", fields[i]);
		cleanup_free char *pointer = xasprintf("\"/%s\"", fields[i]);
		struct surface_command command = SURFACE_COMMAND_INIT;
		cleanup_err struct err err = ERR_INIT;

		assert_int_equal(
		    argv_of(tool_of(surface, "my_app_plan_apply"), arguments, &command, &err), -1);
		assert_int_equal(err.code, ERR_INVALID_ARGUMENT);
		assert_non_null(strstr(err.details, pointer));
	}
}

static void a_tool_by_policy_is_run_by_an_apply(void **state)
{
	cleanup_surface struct surface *surface = loads("writes: policy\n  plan: { target: x }");
	const struct tool *act = tool_of(surface, "act");
	const struct tool *runs = surface_runs(act);
	struct surface_command command = SURFACE_COMMAND_INIT;
	cleanup_json struct json_doc given = JSON_DOC_INIT;
	cleanup_json struct json_doc own = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_true(runs->is_engine);
	assert_null(surface_find_tool(surface, runs->name));
	assert_ptr_equal(surface_runs(tool_of(surface, "look")), tool_of(surface, "look"));
	fixture_json(&given, "{\"what\":\"b\"}");
	assert_ok(surface_stand_in_arguments(act, json_root(&given), &own, &err), &err);
	assert_ok(argv_of(runs, json_root(&own)->raw, &command, &err), &err);
	assert_string_equal(command.words.items[1], "apply");
	assert_string_equal(command.words.items[2], "--tool=act");
	assert_string_equal(command.stdin_data.data, "{\"what\":\"b\"}");
	assert_non_null(strstr(act->description, "APPROVAL_REQUIRED"));
	surface_command_release(&command);
}

static void a_name_of_theirs_is_taken(void **state)
{
	static const char yaml[] =
	    "stile: 1\nsurface: t\nprogram: { run: p }\ntools:\n"
	    "- { name: t_plan_show, description: A., effect: read, argv: [x] }\n"
	    "- { name: act, description: A., effect: write, writes: plan, argv: [x], plan: { "
	    "target: "
	    "x } }\n";
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_null(surface_load(yaml, strlen(yaml), false, NULL, &err));
	assert_non_null(strstr(err.message, "line 5,"));
	assert_non_null(strstr(err.message, "take another name"));
}

/* A program with plans of its own: its tools are the ones that are there. */
static void a_program_with_plans_of_its_own_keeps_its_tools(void **state)
{
	static const char yaml[] =
	    "stile: 1\nsurface: t\nprogram: { run: p }\ntools:\n"
	    "- { name: t_plan_show, description: Mine., effect: read, argv: [x] }\n"
	    "- { name: t_plan_apply, description: A., effect: write, writes: policy, argv: [x], "
	    "plan: { target: x } }\n";
	cleanup_surface struct surface *surface = fixture_load(yaml);

	(void)state;
	assert_string_equal(tool_of(surface, "t_plan_show")->description, "Mine.");
	assert_true(surface_runs(tool_of(surface, "t_plan_apply"))->is_engine);
	assert_true(tool_of(surface, "t_plan_list")->is_engine);
	assert_int_equal(surface->tools_len, 2 + ARRAY_LEN(made) - 3);
}

static void nothing_else_is_made_of_them(void **state)
{
	static const char yaml[] = "stile: 1\nsurface: t\nprogram: { run: p }\ntools:\n"
				   "- { name: act, description: A., effect: write, writes: plan, "
				   "argv: [x], plan: { target: "
				   "x } }\n"
				   "resources:\n"
				   "- { uri: 't://plans', name: plans, tool: t_plan_list }\n";
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_null(surface_load(yaml, strlen(yaml), false, NULL, &err));
	assert_non_null(strstr(err.message, "has no tool \"t_plan_list\""));
}

/* ---- for people ---- */

static void what_is_made_is_no_command_of_the_program(void **state)
{
	cleanup_surface struct surface *surface = loads(WHOLE);
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);

	(void)state;
	surface_write_coverage(surface, NULL, &w);
	assert_non_null(strstr(text.data, "\"tool\":\"act\""));
	assert_null(strstr(text.data, "my_app_"));
}

static void a_person_sees_how_a_planned_tool_runs_and_what_stile_made(void **state)
{
	cleanup_surface struct surface *surface = loads(WHOLE);
	cleanup_surface struct surface *by_policy = loads("writes: policy\n  plan: { target: x }");
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);

	(void)state;
	surface_write_summary(surface, &w);
	assert_non_null(strstr(text.data, "\"only by a plan, target app/{what}/{size}\""));
	assert_non_null(strstr(text.data, "\"made by stile\""));
	assert_null(strstr(text.data, "no write gate"));
	buf_reset(&text);
	w = JSON_WRITER_INIT(&text);
	surface_write_summary(by_policy, &w);
	assert_non_null(strstr(text.data, "\"asks the policy, target x\""));
}

/* Clients read the schemas of all planned tools in that of one. */
static void planned_tools_take_no_more_than_a_client_reads(void **state)
{
	cleanup_buf struct buf yaml = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	buf_adds(&yaml, "stile: 1\nsurface: t\nprogram: { run: p }\nwrites: plan\nparts:\n"
			"  p: { argv: ['--a={a}', '--b={b}', '--c={c}', '--d={d}', '--e={e}'], "
			"input: { properties: {");
	for (char name = 'a'; name <= 'e'; name++) {
		buf_addf(&yaml, " %c: { type: string, description: '", name);
		for (int i = 0; i < 190; i++)
			buf_adds(&yaml, "0123456789");
		buf_adds(&yaml, "' },");
	}
	buf_adds(&yaml, " } } }\ntools:\n");
	for (int i = 0; i < 15; i++)
		buf_addf(&yaml,
		    "- { name: t%d, description: A., effect: write, use: [p], argv: [x, { use: p "
		    "}], "
		    "plan: { target: x } }\n",
		    i);
	assert_null(surface_load(yaml.data, yaml.len, false, NULL, &err));
	assert_non_null(strstr(err.message, "131072 are allowed"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_planned_tool_without_a_plan_or_a_target_is_refused),
		cmocka_unit_test(a_plan_goes_with_the_gates_that_make_one),
		cmocka_unit_test(the_target_is_made_of_what_is_always_given),
		cmocka_unit_test(preconditions_call_what_reads),
		cmocka_unit_test(a_plan_has_ten_preconditions_at_most),
		cmocka_unit_test(what_a_plan_calls_gets_what_is_always_given),
		cmocka_unit_test(a_preview_is_a_call_without_a_pointer),
		cmocka_unit_test(only_paths_are_held),
		cmocka_unit_test(times_have_bounds),
		cmocka_unit_test(nothing_secret_is_in_a_plan),
		cmocka_unit_test(what_cannot_be_planned_is_refused),
		cmocka_unit_test(words_of_a_planned_tool_need_no_scope),
		cmocka_unit_test(a_plan_is_read_whole),
		cmocka_unit_test(a_plan_says_little_and_gets_the_usual_times),
		cmocka_unit_test(the_gate_of_the_surface_counts_for_what_writes),
		cmocka_unit_test(a_compiled_surface_has_the_same_plans),
		cmocka_unit_test(a_hidden_tool_that_a_plan_calls_is_no_oversight),
		cmocka_unit_test(the_target_is_a_word_of_the_arguments),
		cmocka_unit_test(a_target_that_cannot_be_read_or_compared_is_refused),
		cmocka_unit_test(the_calls_of_a_plan_get_their_arguments),
		cmocka_unit_test(tools_are_made_for_a_surface_with_planned_ones_alone),
		cmocka_unit_test(they_are_the_same_in_the_compiled_form),
		cmocka_unit_test(
		    what_is_made_belongs_to_a_surface_of_this_binary_under_the_same_name),
		cmocka_unit_test(its_environment_is_what_both_programs_need),
		cmocka_unit_test(a_plan_is_of_the_tools_that_want_one),
		cmocka_unit_test(a_call_of_them_is_a_command_of_stile),
		cmocka_unit_test(who_calls_cannot_say_who_it_is),
		cmocka_unit_test(a_tool_by_policy_is_run_by_an_apply),
		cmocka_unit_test(a_name_of_theirs_is_taken),
		cmocka_unit_test(a_program_with_plans_of_its_own_keeps_its_tools),
		cmocka_unit_test(nothing_else_is_made_of_them),
		cmocka_unit_test(what_is_made_is_no_command_of_the_program),
		cmocka_unit_test(a_person_sees_how_a_planned_tool_runs_and_what_stile_made),
		cmocka_unit_test(planned_tools_take_no_more_than_a_client_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
