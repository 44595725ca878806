/* SPDX-License-Identifier: MIT */
/* From a client's arguments to checked ones: strings, schema, defaults, dashes, groups, paths, the
 * question to a person; and versions. */
#include "surface_fixture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define INPUTS                                                                                     \
	"stile: 1\nsurface: t\nprogram: { run: prog, lead: '-+' }\ntools:\n"                       \
	"- { name: tool, title: The tool, description: A tool., effect: write, argv: [x, "         \
	"'--limit={limit}', '--force={force}', { each: tags, words: '--tag={}' }, '--u={uri}', "   \
	"'--share={shareId}', '--vault={vaultName}', '--res={resource}', '--app={app}', "          \
	"'--first={first}', '--last={last}', { stdin: { json: { o: '{opts}', p: '{password}' } } " \
	"}, "                                                                                      \
	"'{rev}'],\n  input: { properties: { limit: { type: integer, minimum: 1, maximum: 500, "   \
	"default: 50, description: L. }, force: { type: boolean, default: false, description: F. " \
	"}, "                                                                                      \
	"tags: { type: array, items: { type: string }, description: T. }, uri: { type: string, "   \
	"x-absent: [''], description: U. }, shareId: { type: string, x-absent: [''], "             \
	"description: S. "                                                                         \
	"}, vaultName: { type: string, x-absent: [''], description: V. }, resource: { type: "      \
	"string, "                                                                                 \
	"description: R. }, app: { type: string, description: A. }, first: { type: integer, "      \
	"description: F. }, last: { type: integer, description: L. }, opts: { type: object, "      \
	"properties: { k: { type: string, description: K. } }, description: O. }, password: { "    \
	"type: string, x-secret: true, description: P. }, rev: { type: string, x-no-dash: true, "  \
	"default: HEAD, description: R. } } },\n"                                                  \
	"  groups: [{ at_most_one: [uri, shareId, vaultName] }, { all_or_none: [first, last] }, "  \
	"{ "                                                                                       \
	"when: { resource: [app, health] }, need: [app] }, { when: uri, refuse: [app] }] }\n"

static void expect(const char *arguments, const char *json)
{
	cleanup_surface struct surface *surface = fixture_load(INPUTS);
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);

	assert_ok(fixture_check(surface, arguments, &doc, &err), &err);
	json_write_node(&w, json_root(&doc));
	assert_string_equal(text.data, json);
}

static void expect_refused(const char *arguments, const char *why)
{
	cleanup_surface struct surface *surface = fixture_load(INPUTS);
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	assert_fails(fixture_check(surface, arguments, &doc, &err), &err, ERR_INVALID_ARGUMENT);
	if (strstr(err.message, why) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", err.message, why);
	assert_null(doc.tape);
}

/* ---- strings, schema ---- */

static void half_a_surrogate_pair_is_refused_with_its_pointer(void **state)
{
	(void)state;
	expect_refused("{\"tags\":[\"a\",\"\\ud800\"]}", "/tags/1: ");
	expect_refused("{\"opts\":{\"k\":\"x\\udc00\"}}", "/opts/k: ");
	expect_refused("{\"opts\":{\"\\ud800\":\"x\"}}", "/opts: ");
}

static void a_nul_is_refused_with_its_pointer(void **state)
{
	(void)state;
	expect_refused("{\"uri\":\"a\\u0000b\"}", "/uri: ");
}

static void a_pair_of_surrogates_is_one_character(void **state)
{
	(void)state;
	expect("{\"uri\":\"\\ud83c\\udf78\",\"limit\":1,\"force\":true,\"rev\":\"r\"}",
	    "{\"uri\":\"\\ud83c\\udf78\",\"limit\":1,\"force\":true,\"rev\":\"r\"}");
}

static void numbers_sent_as_strings_are_refused_with_both_types(void **state)
{
	(void)state;
	expect_refused("{\"limit\":\"5\"}", "/limit");
	expect_refused("{\"limit\":1e999}", "/limit");
	expect_refused("{\"force\":\"true\"}", "/force");
	expect_refused("{\"tags\":\"[]\"}", "/tags");
}

static void an_unknown_argument_is_refused_with_the_nearest(void **state)
{
	(void)state;
	expect_refused("{\"limt\":5}", "limit");
}

static void arguments_that_are_no_object_are_refused(void **state)
{
	(void)state;
	expect_refused("[]", "an object is wanted");
}

static void missing_arguments_are_an_empty_object(void **state)
{
	cleanup_surface struct surface *surface = fixture_load(INPUTS);
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	bool is_vetoed = true;

	(void)state;
	assert_ok(surface_check_arguments(&surface->tools[0], NULL, &doc, &is_vetoed, &err), &err);
	assert_false(is_vetoed);
	assert_int_equal(json_root(&doc)->len, 3);
}

/* ---- absent values, defaults, confirm ---- */

static void absent_values_count_as_not_given(void **state)
{
	(void)state;
	expect("{\"uri\":\"\",\"shareId\":\"s\",\"limit\":5.0}",
	    "{\"shareId\":\"s\",\"limit\":5.0,\"force\":false,\"rev\":\"HEAD\"}");
}

static void confirm_is_taken_out_and_false_is_a_veto(void **state)
{
	cleanup_surface struct surface *surface = fixture_load(INPUTS);
	static const struct {
		const char *arguments;
		bool is_vetoed;
	} cases[] = { { "{\"confirm\":false}", true }, { "{\"confirm\":true}", false },
		{ "{}", false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cleanup_json struct json_doc given = JSON_DOC_INIT;
		cleanup_json struct json_doc doc = JSON_DOC_INIT;
		cleanup_err struct err err = ERR_INIT;
		bool is_vetoed = !cases[i].is_vetoed;

		fixture_json(&given, cases[i].arguments);
		assert_ok(surface_check_arguments(
			      &surface->tools[0], json_root(&given), &doc, &is_vetoed, &err),
		    &err);
		assert_int_equal(is_vetoed, cases[i].is_vetoed);
		assert_null(json_get(json_root(&doc), "confirm"));
	}
	expect_refused("{\"confirm\":\"true\"}", "/confirm");
}

static void a_read_tool_takes_no_confirm(void **state)
{
	cleanup_surface struct surface *surface = fixture_tool("", "argv: [x]");
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_fails(
	    fixture_check(surface, "{\"confirm\":true}", &doc, &err), &err, ERR_INVALID_ARGUMENT);
}

/* ---- dashes and groups ---- */

static void a_value_with_a_lead_character_is_refused_where_it_is_no_data(void **state)
{
	(void)state;
	expect_refused("{\"rev\":\"--output=/tmp/x\"}", "/rev: begins with \"-\"");
	expect_refused("{\"rev\":\"+x\"}", "/rev: begins with \"+\"");
	expect_refused("{\"rev\":\"-\"}", "/rev");
}

static void broken_groups_name_their_inputs(void **state)
{
	(void)state;
	expect_refused("{\"uri\":\"u\",\"vaultName\":\"v\"}",
	    "give at most one of uri, shareId, vaultName (given: uri, vaultName)");
	expect_refused("{\"first\":1}", "give all or none of first, last (given: first)");
	expect_refused("{\"resource\":\"app\"}", "app is required when resource is \"app\"");
	expect_refused("{\"uri\":\"u\",\"app\":\"a\"}", "app is refused when uri is given");
}

static void an_exactly_one_group_says_when_none_is_given(void **state)
{
	cleanup_surface struct surface *surface = fixture_tool("",
	    "argv: ['--a={a}', '--b={b}'], groups: [{ one_of: [a, b] }], input: { properties: { a: "
	    "{ type: boolean, description: A. }, b: { type: string, description: B. } } }");
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_fails(
	    fixture_check(surface, "{\"a\":false}", &doc, &err), &err, ERR_INVALID_ARGUMENT);
	assert_string_equal(err.message, "give exactly one of a, b (none is given)");
	assert_string_equal(err.details,
	    "{\"errors\":[{\"pointer\":\"/a\",\"keyword\":\"one_of\"},{\"pointer\":\"/b\","
	    "\"keyword\":\"one_of\"}]}");
	assert_ok(fixture_check(surface, "{\"a\":true}", &doc, &err), &err);
}

/* ---- secrets and questions ---- */

static void count_secret(void *ctx, const char *data, size_t len)
{
	assert_int_equal(len, 4);
	assert_memory_equal(data, "hush", 4);
	(*(int *)ctx)++;
}

static void gather(void *ctx, const char *data, size_t len)
{
	buf_add(ctx, data, len);
	buf_addc(ctx, '|');
}

static void of_a_secret_assignment_the_value_is_secret_too(void **state)
{
	cleanup_surface struct surface *surface =
	    fixture_tool("", "argv: [x, { each: f, words: '--f={}' }], input: { properties: { f: { "
			     "type: array, items: "
			     "{ type: string, x-secret: argv }, description: F. } } }");
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_buf struct buf found = BUF_INIT;

	(void)state;
	fixture_json(&doc, "{\"f\":[\"pin=1=2\",\"plain\",\"=x\",\"a=\",\"\"]}");
	surface_each_secret(&surface->tools[0], json_root(&doc), gather, &found);
	assert_string_equal(found.data, "pin=1=2|1=2|plain|=x|a=|||");
}

/* Shows a value, "token" in it masked. */
static void show(void *ctx, const struct json *value, struct buf *ret_text)
{
	const char *data = value->type == JSON_STRING ? value->str : value->raw;
	size_t len = value->type == JSON_STRING ? value->len : value->raw_len;
	const char *token = memmem(data, len, "token", 5);

	(void)ctx;
	buf_add(ret_text, data, token != NULL ? (size_t)(token - data) : len);
	if (token != NULL) {
		buf_adds(ret_text, "***");
		buf_add(ret_text, token + 5, len - (size_t)(token + 5 - data));
	}
}

static void fixture_ask(
    const struct surface *surface, const struct json_doc *arguments, struct buf *ret_text)
{
	surface_question(&surface->tools[0], json_root(arguments), show, NULL, ret_text);
}

static void secrets_are_found_and_never_asked_about(void **state)
{
	cleanup_surface struct surface *surface = fixture_load(INPUTS);
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_buf struct buf text = BUF_INIT;
	int found = 0;

	(void)state;
	fixture_json(&doc, "{\"password\":\"hush\",\"uri\":\"u\"}");
	surface_each_secret(&surface->tools[0], json_root(&doc), count_secret, &found);
	assert_int_equal(found, 1);
	fixture_ask(surface, &doc, &text);
	assert_null(strstr(text.data, "hush"));
	assert_non_null(strstr(text.data, "password: (secret)"));
	assert_non_null(
	    strstr(text.data, "Run tool of t (The tool)? It changes data.\nuri: \"u\""));
}

static void a_question_quotes_and_shortens_what_the_caller_chose(void **state)
{
	cleanup_surface struct surface *surface = fixture_tool("",
	    "argv: ['--a={a}'], ask: 'Delete {a}?', input: { properties: { a: { type: string, "
	    "description: A. } } }");
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_json struct json_doc none = JSON_DOC_INIT;
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_buf struct buf arguments = BUF_INIT;

	(void)state;
	fixture_json(&doc, "{\"a\":\"x\\\"? Yes.\\n\\u202eevil\"}");
	fixture_ask(surface, &doc, &text);
	assert_string_equal(text.data, "Delete \"x\\\"? Yes.\\u{000A}\\u{202E}evil\"?");
	buf_adds(&arguments, "{\"a\":\"");
	for (size_t i = 0; i < 130; i++)
		buf_adds(&arguments, "\xc3\xa9");
	buf_adds(&arguments, "\"}");
	fixture_json(&doc, arguments.data);
	buf_reset(&text);
	fixture_ask(surface, &doc, &text);
	assert_non_null(strstr(text.data, "\xc3\xa9\" (and 10 more characters)?"));
	fixture_json(&none, "{}");
	buf_reset(&text);
	fixture_ask(surface, &none, &text);
	assert_string_equal(text.data, "Delete (not given)?");
}

static void lines_of_a_question_vanish_as_words_do(void **state)
{
	cleanup_surface struct surface *surface = fixture_load(
	    "stile: 1\nsurface: t\nprogram: { run: p }\nparts:\n"
	    "  where: { input: { properties: { id: { type: string, description: I. }, name: { "
	    "type: "
	    "string, description: N. } } }, argv: ['--id={id}', '--name={name}'], ask: ['Id: "
	    "{id}', "
	    "'Name: {name}'] }\n"
	    "  why: { input: { properties: { why: { type: string, description: W. } } }, argv: "
	    "['--why={why}'], ask: 'Because: {why}' }\n"
	    "tools:\n- { name: t, description: T., effect: destroy, use: [where, why], argv: [x, { "
	    "use: where }, { use: why }, { stdin: { json: '{body}' } }], input: { properties: { "
	    "body: "
	    "{ type: object, description: B., properties: { title: { type: string, description: T. "
	    "}, "
	    "code: { type: string, x-secret: true, description: C. } } } }, required: [body] }, "
	    "ask: "
	    "[Delete it?, 'Title: {body/title}'] }\n");
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_json struct json_doc less = JSON_DOC_INIT;
	cleanup_buf struct buf text = BUF_INIT;

	(void)state;
	fixture_json(&doc, "{\"body\":{\"title\":\"T\",\"code\":\"hush\"},\"name\":\"a\\nb\"}");
	fixture_ask(surface, &doc, &text);
	assert_string_equal(text.data, "Delete it?\nTitle: \"T\"\nName: \"a\\u{000A}b\"");
	fixture_json(&less, "{\"body\":{\"code\":\"hush\"},\"id\":\"\",\"why\":\"w\"}");
	buf_reset(&text);
	fixture_ask(surface, &less, &text);
	assert_string_equal(text.data, "Delete it?\nId: \"\"\nBecause: \"w\"");
}

static void a_question_masks_before_it_cuts(void **state)
{
	cleanup_surface struct surface *surface = fixture_tool("",
	    "argv: ['--a={a}', { each: b, words: '--b={}' }], input: { properties: { a: { type: "
	    "string, description: A. }, b: { type: array, items: { type: string }, description: "
	    "B. } } }");

	(void)state;
	for (size_t pad = 112; pad <= 120; pad++) {
		cleanup_json struct json_doc doc = JSON_DOC_INIT;
		cleanup_buf struct buf text = BUF_INIT;
		cleanup_free char *arguments = xasprintf(
		    "{\"a\":\"%0*dtoken\",\"b\":[\"%0*dtoken\"]}", (int)pad, 0, (int)pad, 0);

		fixture_json(&doc, arguments);
		fixture_ask(surface, &doc, &text);
		assert_null(strstr(strstr(text.data, "\na: "), "to"));
	}
}

/* ---- paths ---- */

#define PATHS                                                                                      \
	"argv: [-C, '{dir}', copy, '--in={in}', '--out={out}', { each: many, words: '--m={}' }], " \
	"files: write, "                                                                           \
	"input: { properties: { dir: { type: string, x-path: dir, description: D. }, in: { type: " \
	"string, x-path: read, description: I. }, out: { type: string, x-path: write, "            \
	"description: O. }, many: { type: array, items: { type: string, x-path: read }, "          \
	"description: M. } }, required: [dir, in, out] }"

/* A folder with root/{sub/file, out → /etc, dangling → /nowhere, in → sub/file}, other/, closed/ */
struct tree {
	char base[64];
	struct strvec roots;
	struct strvec closed;
};

static void make(const struct tree *tree, const char *name, const char *link)
{
	cleanup_free char *path = xasprintf("%s/%s", tree->base, name);
	int fd;

	if (link != NULL) {
		assert_int_equal(symlink(link, path), 0);
	} else if (name[strlen(name) - 1] == '/') {
		assert_int_equal(mkdir(path, 0700), 0);
	} else {
		fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
		assert_true(fd >= 0);
		(void)close(fd);
	}
}

static int tree_make(void **state)
{
	static struct tree tree;

	tree = (struct tree){ .base = "/tmp/stile-paths-XXXXXX" };
	assert_non_null(mkdtemp(tree.base));
	make(&tree, "root/", NULL);
	make(&tree, "other/", NULL);
	make(&tree, "root/sub/", NULL);
	make(&tree, "root/closed/", NULL);
	make(&tree, "root/closed/key", NULL);
	make(&tree, "root/sub/file", NULL);
	make(&tree, "root/out", "/etc");
	make(&tree, "root/dangling", "../other/new");
	make(&tree, "root/in", "sub/file");
	make(&tree, "root/way", "closed");
	make(&tree, "root/loop", "loop");
	strvec_pushf(&tree.roots, "%s/root", tree.base);
	strvec_pushf(&tree.closed, "%s/root/way", tree.base); /* named by a link */
	*state = &tree;
	return 0;
}

static int tree_remove(void **state)
{
	static const char *const names[] = { "root/sub/file", "root/closed/key", "root/loop",
		"root/way", "root/in", "root/dangling", "root/out", "root/closed", "root/sub",
		"root", "other" };
	struct tree *tree = *state;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		cleanup_free char *path = xasprintf("%s/%s", tree->base, names[i]);

		assert_int_equal(remove(path), 0);
	}
	assert_int_equal(rmdir(tree->base), 0);
	strvec_release(&tree->roots);
	strvec_release(&tree->closed);
	return 0;
}

static int resolve(struct tree *tree, const char *dir, const char *in, const char *out,
    struct json_doc *ret_doc, char **ret_dir, struct err *err)
{
	cleanup_surface struct surface *surface = fixture_tool("", PATHS);
	struct surface_launch launch = { .roots = &tree->roots, .closed = &tree->closed };
	cleanup_free char *text = xasprintf(
	    "{\"dir\":\"%s\",\"in\":\"%s\",\"out\":\"%s\",\"many\":[\"%s\"]}", dir, in, out, in);
	cleanup_json struct json_doc doc = JSON_DOC_INIT;

	fixture_json(&doc, text);
	return surface_resolve_paths(
	    &surface->tools[0], json_root(&doc), &launch, ret_doc, ret_dir, err);
}

static void refuse_path(
    struct tree *tree, const char *dir, const char *in, const char *out, const char *why)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *found = NULL;

	assert_fails(resolve(tree, dir, in, out, &doc, &found, &err), &err, ERR_INVALID_ARGUMENT);
	if (strstr(err.message, why) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", err.message, why);
	assert_null(found);
}

static void paths_out_of_the_roots_are_refused_alike(void **state)
{
	refuse_path(*state, "/etc", "sub/file", "new", "/dir: lies outside");
	refuse_path(*state, "/no/such", "sub/file", "new", "/dir: lies outside");
	refuse_path(*state, "..", "sub/file", "new", "/dir: lies outside");
	refuse_path(*state, "sub/../../other", "sub/file", "new", "/dir: lies outside");
	refuse_path(*state, ".", "out/passwd", "new", "/in: lies outside");
	refuse_path(*state, ".", "out/no-such", "new", "/in: lies outside");
	refuse_path(*state, ".", "sub/file", "out/new.txt", "/out: lies outside");
	refuse_path(*state, ".", "sub/file", "/tmp/x", "/out: lies outside");
}

static void what_does_not_exist_yet_may_not_lead_anywhere(void **state)
{
	refuse_path(*state, ".", "sub/file", "dangling", "/out: leads through");
	refuse_path(*state, ".", "sub/file", "dangling/x", "/out: leads through");
	refuse_path(*state, ".", "sub/file", "loop", "/out: leads through");
	refuse_path(*state, ".", "sub/file", "new/../../x", "/out: has \"..\"");
	refuse_path(*state, ".", "sub/file", "sub/file/x", "/out: cannot be used");
}

static void paths_of_another_kind_are_refused(void **state)
{
	refuse_path(*state, ".", "nope", "new", "/in: does not exist");
	refuse_path(*state, "sub/file", "sub/file", "new", "/dir: is no folder");
	refuse_path(*state, "nope", "sub/file", "new", "/dir: does not exist");
	refuse_path(*state, "", "sub/file", "new", "/dir: is empty");
}

static void closed_files_are_refused_however_they_are_named(void **state)
{
	refuse_path(*state, "closed", "sub/file", "new", "/dir: is closed");
	refuse_path(*state, ".", "closed/key", "new", "/in: is closed");
	refuse_path(*state, ".", "way/key", "new", "/in: is closed");
	refuse_path(*state, ".", "sub/file", "closed/new", "/out: is closed");
}

static void good_paths_arrive_absolute_and_free_of_links(void **state)
{
	struct tree *tree = *state;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *dir = NULL;
	cleanup_free char *file = xasprintf("%s/root/sub/file", tree->base);
	cleanup_free char *created = xasprintf("%s/root/sub/a/b", tree->base);

	assert_ok(resolve(tree, "sub/..//./", "in", "sub/./a//b/", &doc, &dir, &err), &err);
	assert_string_equal(dir, tree->roots.items[0]);
	assert_string_equal(json_text(json_get(json_root(&doc), "dir")), tree->roots.items[0]);
	assert_string_equal(json_text(json_get(json_root(&doc), "in")), file);
	assert_string_equal(json_text(json_get(json_root(&doc), "out")), created);
	assert_string_equal(json_text(json_pointer(json_root(&doc), "/many/0")), file);
}

/* ---- versions ---- */

static void versions_compare_number_by_number(void **state)
{
	(void)state;
	assert_true(surface_version_in_range("2.39.5", ">=2.30"));
	assert_true(surface_version_in_range("2.39.5.windows.1", ">=2.30, <3"));
	assert_true(surface_version_in_range("2.30", "=2.30.0"));
	assert_true(surface_version_in_range("10.0", ">9"));
	assert_true(surface_version_in_range("1.2.3-rc1", "<=1.2.3"));
	assert_false(surface_version_in_range("2.9", ">=2.30"));
	assert_false(surface_version_in_range("3.0", ">=2.30 <3"));
}

static void what_is_no_version_or_range_is_never_in_it(void **state)
{
	(void)state;
	assert_false(surface_version_in_range("unknown", ">=0"));
	assert_false(surface_version_in_range("", ">=0"));
	assert_false(surface_version_in_range("1.0", ""));
	assert_false(surface_version_in_range("1.0", "1.0"));
	assert_false(surface_version_in_range("1.0", ">=x"));
	assert_false(surface_version_in_range("1.0", "~1"));
}

static void a_version_is_read_from_what_the_program_says(void **state)
{
	cleanup_surface struct surface *surface =
	    fixture_tool(", version: { args: [--version], at: 'version (\\S+)' }", "argv: [x]");
	cleanup_free char *version = surface_version_read(surface, "git version 2.39.5\n", 19);

	(void)state;
	assert_string_equal(version, "2.39.5");
	assert_null(surface_version_read(surface, "hello", 5));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(half_a_surrogate_pair_is_refused_with_its_pointer),
	cmocka_unit_test(a_nul_is_refused_with_its_pointer),
	cmocka_unit_test(a_pair_of_surrogates_is_one_character),
	cmocka_unit_test(numbers_sent_as_strings_are_refused_with_both_types),
	cmocka_unit_test(an_unknown_argument_is_refused_with_the_nearest),
	cmocka_unit_test(arguments_that_are_no_object_are_refused),
	cmocka_unit_test(missing_arguments_are_an_empty_object),
	cmocka_unit_test(absent_values_count_as_not_given),
	cmocka_unit_test(confirm_is_taken_out_and_false_is_a_veto),
	cmocka_unit_test(a_read_tool_takes_no_confirm),
	cmocka_unit_test(a_value_with_a_lead_character_is_refused_where_it_is_no_data),
	cmocka_unit_test(broken_groups_name_their_inputs),
	cmocka_unit_test(an_exactly_one_group_says_when_none_is_given),
	cmocka_unit_test(secrets_are_found_and_never_asked_about),
	cmocka_unit_test(of_a_secret_assignment_the_value_is_secret_too),
	cmocka_unit_test(a_question_quotes_and_shortens_what_the_caller_chose),
	cmocka_unit_test(lines_of_a_question_vanish_as_words_do),
	cmocka_unit_test(a_question_masks_before_it_cuts),
	cmocka_unit_test_setup_teardown(
	    paths_out_of_the_roots_are_refused_alike, tree_make, tree_remove),
	cmocka_unit_test_setup_teardown(
	    what_does_not_exist_yet_may_not_lead_anywhere, tree_make, tree_remove),
	cmocka_unit_test_setup_teardown(paths_of_another_kind_are_refused, tree_make, tree_remove),
	cmocka_unit_test_setup_teardown(
	    closed_files_are_refused_however_they_are_named, tree_make, tree_remove),
	cmocka_unit_test_setup_teardown(
	    good_paths_arrive_absolute_and_free_of_links, tree_make, tree_remove),
	cmocka_unit_test(versions_compare_number_by_number),
	cmocka_unit_test(what_is_no_version_or_range_is_never_in_it),
	cmocka_unit_test(a_version_is_read_from_what_the_program_says),
};

UNIT_MAIN(tests)
