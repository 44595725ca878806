/* SPDX-License-Identifier: MIT */
/* From checked arguments to one command line: words, elements, contents, and what is refused. */
#include "surface_fixture.h"

#include "base/limits.h"

static struct strvec roots;

static int make_roots(void **state)
{
	(void)state;
	strvec_push(&roots, "/a");
	strvec_push(&roots, "/b");
	return 0;
}

static int drop_roots(void **state)
{
	(void)state;
	strvec_release(&roots);
	return 0;
}

static int build(const struct surface *surface, const char *arguments,
    struct surface_command *ret_command, struct err *err)
{
	struct surface_launch launch = {
		.workspace = "ws", .roots = &roots, .private_dir = "/private/f"
	};
	cleanup_json struct json_doc doc = JSON_DOC_INIT;

	if (fixture_check(surface, arguments, &doc, err) < 0)
		return -1;
	return surface_build_command(
	    &surface->tools[0], json_root(&doc), &launch, ret_command, err);
}

/* The words, with a bar between them. */
static void expect_of(const struct surface *surface, const char *arguments, const char *words)
{
	struct surface_command command = SURFACE_COMMAND_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf joined = BUF_INIT;

	assert_ok(build(surface, arguments, &command, &err), &err);
	for (size_t i = 0; i < command.words.len; i++)
		buf_addf(&joined, "%s%s", i == 0 ? "" : "|", command.words.items[i]);
	assert_string_equal(joined.data, words);
	surface_command_release(&command);
}

static void expect(const char *keys, const char *arguments, const char *words)
{
	cleanup_surface struct surface *surface = fixture_tool("", keys);

	expect_of(surface, arguments, words);
}

/* ---- words ---- */

#define GREP                                                                                       \
	"argv: [grep, -e, '{pattern}', '--max={max}', '--all={all}', '{rev}', --, { each: paths, " \
	"words: '{}' }], input: { properties: { pattern: { type: string, minLength: 1, "           \
	"description: P. }, max: { type: number, description: M. }, all: { type: boolean, "        \
	"description: A. }, rev: { type: string, x-no-dash: true, default: HEAD, description: R. " \
	"}, "                                                                                      \
	"paths: { type: array, items: { type: string }, description: P. } }, required: [pattern] " \
	"}"

static struct surface *grep_tool(void)
{
	return fixture_tool(", takes: [-e]", GREP
	    ", examples: [{ call: { pattern: --force }, argv: [grep, -e, --force, HEAD, --] }]");
}

static void a_word_whose_hole_has_no_value_vanishes(void **state)
{
	cleanup_surface struct surface *surface = grep_tool();

	(void)state;
	expect_of(surface, "{\"pattern\":\"x\"}", "grep|-e|x|HEAD|--");
	expect_of(surface, "{\"pattern\":\"x\",\"max\":1e3,\"all\":false}",
	    "grep|-e|x|--max=1000|--all=false|HEAD|--");
	expect_of(surface, "{\"pattern\":\"x\",\"max\":-0.50}", "grep|-e|x|--max=-0.50|HEAD|--");
}

static void values_arrive_as_data_with_exactly_their_bytes(void **state)
{
	cleanup_surface struct surface *surface = grep_tool();

	(void)state;
	expect_of(surface,
	    "{\"pattern\":\"--force\",\"paths\":[\"-x\",\"; rm $(id) `x` \\\"*\\\"\"]}",
	    "grep|-e|--force|HEAD|--|-x|; rm $(id) `x` \"*\"");
	expect_of(surface, "{\"pattern\":\"a\\nb\\n\",\"paths\":[\"\",\"\\u00e9\\ud83c\\udf78\"]}",
	    "grep|-e|a\nb\n|HEAD|--||\xc3\xa9\xf0\x9f\x8d\xb8");
}

static void a_value_that_could_be_an_option_is_refused(void **state)
{
	cleanup_surface struct surface *surface = grep_tool();
	struct surface_command command = SURFACE_COMMAND_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_fails(
	    build(surface, "{\"pattern\":\"x\",\"rev\":\"--output=/tmp/x\"}", &command, &err), &err,
	    ERR_INVALID_ARGUMENT);
	assert_int_equal(command.words.len, 0);
}

static void a_value_too_long_for_a_command_line_is_refused_by_name(void **state)
{
	cleanup_surface struct surface *surface = grep_tool();
	struct surface_command command = SURFACE_COMMAND_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf arguments = BUF_INIT;

	(void)state;
	buf_adds(&arguments, "{\"pattern\":\"x\",\"paths\":[\"\",\"");
	for (size_t i = 0; i <= LIMIT_ARGUMENT; i++)
		buf_addc(&arguments, 'y');
	buf_adds(&arguments, "\"]}");
	assert_fails(build(surface, arguments.data, &command, &err), &err, ERR_INVALID_ARGUMENT);
	assert_non_null(strstr(err.message, "/paths/1: is longer"));
}

static void a_command_line_too_long_is_refused(void **state)
{
	cleanup_surface struct surface *surface = grep_tool();
	struct surface_command command = SURFACE_COMMAND_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf arguments = BUF_INIT;

	(void)state;
	buf_adds(&arguments, "{\"pattern\":\"x\",\"paths\":[\"\"");
	for (size_t i = 0; i < LIMIT_COMMAND_WORDS; i++)
		buf_adds(&arguments, ",\"y\"");
	buf_adds(&arguments, "]}");
	assert_fails(build(surface, arguments.data, &command, &err), &err, ERR_LIMIT);
}

/* ---- elements ---- */

static void a_map_is_spread_as_keys_and_values(void **state)
{
	(void)state;
	expect("argv: [x, { each: set, words: '--set={.key}={.value}' }], input: { properties: { "
	       "set: { "
	       "type: object, additionalProperties: { type: string }, description: S. } } }",
	    "{\"set\":{\"a b\":\"1\",\"-c\":\"\"}}", "x|--set=a b=1|--set=-c=");
}

#define LOGIN                                                                                      \
	"argv: [login, { first: [ { when: gen, words: ['--title={title}', { first: [{ when: { "    \
	"gen: "                                                                                    \
	"'true' }, words: --generate }, '--generate={gen}'] }] }, { when: password, words: "       \
	"--from-template=-, stdin: { json: { title: '{title}', password: '{password}', urls: "     \
	"['{url}'], fixed: 1.0 } } }, { words: ['--title={title}', '--url={url}'] } ] }], input: " \
	"{ "                                                                                       \
	"properties: { title: { type: string, description: T. }, url: { type: string, x-absent: "  \
	"[''], description: U. }, password: { type: string, x-secret: true, description: P. }, "   \
	"gen: "                                                                                    \
	"{ type: string, description: G. } }, required: [title] }"

static void the_first_form_that_works_is_taken(void **state)
{
	(void)state;
	expect(LOGIN, "{\"title\":\"-T\"}", "login|--title=-T");
	expect(LOGIN, "{\"title\":\"T\",\"gen\":\"true\",\"password\":\"s\"}",
	    "login|--title=T|--generate");
	expect(LOGIN, "{\"title\":\"T\",\"gen\":\"20\"}", "login|--title=T|--generate=20");
	expect(LOGIN, "{\"title\":\"T\",\"password\":\"s\"}", "login|--from-template=-");
}

static void contents_are_compact_json_with_types_kept(void **state)
{
	cleanup_surface struct surface *surface = fixture_tool("", LOGIN);
	struct surface_command command = SURFACE_COMMAND_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(build(surface, "{\"title\":\"-T\",\"password\":\"s\"}", &command, &err), &err);
	assert_true(command.has_stdin);
	assert_string_equal(command.stdin_data.data,
	    "{\"title\":\"-T\",\"password\":\"s\",\"urls\":[],\"fixed\":1.0}");
	surface_command_release(&command);
}

static void a_whole_object_is_handed_on_with_its_bytes(void **state)
{
	cleanup_surface struct surface *surface = fixture_tool("",
	    "argv: [x, { stdin: { json: { body: '{o}', note: 'n={o/n}' } } }], input: { "
	    "properties: { "
	    "o: { type: object, properties: { n: { type: number, description: N. } }, "
	    "additionalProperties: { type: [string, 'null'] }, description: O. } } }");
	struct surface_command command = SURFACE_COMMAND_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(
	    build(surface, "{\"o\":{ \"n\": 1.50, \"z\":null, \"u\":\"\\u0041\"}}", &command, &err),
	    &err);
	assert_string_equal(command.stdin_data.data,
	    "{\"body\":{\"n\":1.50,\"z\":null,\"u\":\"\\u0041\"},\"note\":\"n=1.50\"}");
	surface_command_release(&command);
}

static void a_content_without_value_takes_its_words_along(void **state)
{
	cleanup_surface struct surface *surface =
	    fixture_tool("", "argv: [put, { stdin: '{content}', words: --stdin }], input: { "
			     "properties: { content: { "
			     "type: string, description: C. } } }");
	struct surface_command command = SURFACE_COMMAND_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(build(surface, "{}", &command, &err), &err);
	assert_false(command.has_stdin);
	assert_int_equal(command.words.len, 1);
	surface_command_release(&command);
	assert_ok(build(surface, "{\"content\":\"\"}", &command, &err), &err);
	assert_true(command.has_stdin);
	assert_int_equal(command.words.len, 2);
	surface_command_release(&command);
}

static void a_private_file_carries_content_and_its_path(void **state)
{
	cleanup_surface struct surface *surface = fixture_tool("",
	    "argv: [x, { file: '{key}', words: '--key={}' }], input: { properties: { key: { type: "
	    "string, x-secret: true, description: K. } } }");
	struct surface_command command = SURFACE_COMMAND_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(build(surface, "{\"key\":\"hush\"}", &command, &err), &err);
	assert_int_equal(command.files_len, 1);
	assert_string_equal(command.files[0].path, "/private/f0");
	assert_string_equal(command.files[0].data.data, "hush");
	assert_string_equal(command.words.items[1], "--key=/private/f0");
	surface_command_release(&command);
}

/* ---- around the tool ---- */

static void program_words_repeat_for_each_root(void **state)
{
	cleanup_surface struct surface *surface = fixture_tool(
	    ", args: [vault, '--within={$workspace}', '--stage={$stage}', '--root={$root}'], set: "
	    "{ A: "
	    "b }, env: [HOME]",
	    "argv: [ls], set: { HOME: '/home/{who}' }, input: { properties: { who: { type: string, "
	    "description: W. } } }");
	struct surface_command command = SURFACE_COMMAND_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	expect_of(surface, "{}", "vault|--within=ws|--root=/a|--root=/b|ls");
	assert_ok(build(surface, "{\"who\":\"me\"}", &command, &err), &err);
	assert_int_equal(command.set.len, 2);
	assert_string_equal(command.set.items[0], "A=b");
	assert_string_equal(command.set.items[1], "HOME=/home/me");
	assert_null(command.cwd);
	surface_command_release(&command);
}

static void variables_of_parts_come_before_the_tool_s_own(void **state)
{
	cleanup_surface struct surface *surface = fixture_load(
	    "stile: 1\nsurface: t\nprogram: { run: p, env: [A, B] }\nparts:\n"
	    "  why: { input: { properties: { why: { type: string, description: W. } } }, set: { A: "
	    "'{why}', B: b } }\n"
	    "tools:\n- { name: t, description: T., effect: read, use: [why], argv: [x], set: { B: "
	    "own "
	    "} }\n");
	struct surface_command command = SURFACE_COMMAND_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(build(surface, "{\"why\":\"so\"}", &command, &err), &err);
	assert_int_equal(command.set.len, 3);
	assert_string_equal(command.set.items[0], "A=so");
	assert_string_equal(command.set.items[1], "B=b");
	assert_string_equal(command.set.items[2], "B=own");
	surface_command_release(&command);
	assert_ok(build(surface, "{}", &command, &err), &err);
	assert_int_equal(command.set.len, 2);
	surface_command_release(&command);
}

static void a_tool_may_work_in_a_folder_of_the_caller(void **state)
{
	cleanup_surface struct surface *surface =
	    fixture_tool("", "argv: [ls], files: read, cwd: '{dir}', input: { properties: { dir: { "
			     "type: string, x-path: "
			     "dir, description: D. } }, required: [dir] }");
	struct surface_command command = SURFACE_COMMAND_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(build(surface, "{\"dir\":\"/a/b\"}", &command, &err), &err);
	assert_string_equal(command.cwd, "/a/b");
	surface_command_release(&command);
	assert_fails(build(surface, "{\"dir\":\"b\"}", &command, &err), &err, ERR_INVALID_ARGUMENT);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_word_whose_hole_has_no_value_vanishes),
	cmocka_unit_test(values_arrive_as_data_with_exactly_their_bytes),
	cmocka_unit_test(a_value_that_could_be_an_option_is_refused),
	cmocka_unit_test(a_value_too_long_for_a_command_line_is_refused_by_name),
	cmocka_unit_test(a_command_line_too_long_is_refused),
	cmocka_unit_test(a_map_is_spread_as_keys_and_values),
	cmocka_unit_test(the_first_form_that_works_is_taken),
	cmocka_unit_test(contents_are_compact_json_with_types_kept),
	cmocka_unit_test(a_whole_object_is_handed_on_with_its_bytes),
	cmocka_unit_test(a_content_without_value_takes_its_words_along),
	cmocka_unit_test(a_private_file_carries_content_and_its_path),
	cmocka_unit_test(program_words_repeat_for_each_root),
	cmocka_unit_test(variables_of_parts_come_before_the_tool_s_own),
	cmocka_unit_test(a_tool_may_work_in_a_folder_of_the_caller),
};

int main(void)
{
	return cmocka_run_group_tests(tests, make_roots, drop_roots);
}
