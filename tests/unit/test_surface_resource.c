/* SPDX-License-Identifier: MIT */
/* Resources of a surface file: what is refused when it loads, which URI names which of them, and
 * what a read gives to its tool. */
#include "unit.h"

#include "base/yaml.h"
#include "surface/surface_internal.h"
#include "surface_fixture.h"

#define HEAD                                                                                       \
	"stile: 1\nsurface: t\nprogram: { run: prog, output: json }\n"                             \
	"secrets: [{ name: key, match: 'sk_live_[a-z0-9]+' }]\ntools:\n"                           \
	"- { name: vaults, description: V., effect: read, hidden: true, argv: [vaults] }\n"        \
	"- { name: items, description: I., effect: read, argv: [items, '--share={share}', "        \
	"'--kind={kind}', '--size={size}', '--token={token}'], input: { required: [share], "       \
	"properties: { share: { type: string, maxLength: 20, description: D. }, kind: { enum: "    \
	"[login, note], description: D. }, size: { type: integer, description: D. }, token: { "    \
	"type: string, x-secret: argv, description: D. } } } }\n"                                  \
	"- { name: put, description: P., effect: write, argv: [put] }\n"                           \
	"- { name: reveal, description: R., effect: read, reveals: true, argv: [reveal] }\n"       \
	"- { name: where, description: W., effect: read, builtin: context }\n"                     \
	"- { name: either, description: E., effect: read, argv: [e, '--a={a}', '--b={b}'], "       \
	"input: "                                                                                  \
	"{ properties: { a: { type: string, description: D. }, b: { type: string, description: "   \
	"D. } } }, groups: [{ one_of: [a, b] }] }\n"                                               \
	"resources:\n"

static struct surface *load(const char *resources)
{
	cleanup_free char *yaml = xasprintf(HEAD "%s", resources);

	return fixture_load(yaml);
}

/* ---- refusals ---- */

static void refuse(const char *resources, const char *why)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *yaml = xasprintf(HEAD "%s\n", resources);
	cleanup_surface struct surface *surface =
	    surface_load(yaml, strlen(yaml), false, NULL, &err);

	if (surface != NULL)
		fail_msg("loads: %s", resources);
	assert_int_equal(err.code, ERR_SURFACE_INVALID);
	if (strstr(err.message, why) == NULL || strstr(err.message, "resources") == NULL ||
	    strstr(err.message, "line 1") == NULL)
		fail_msg("%s\n%s", err.message, resources);
}

static void a_uri_that_clients_would_take_for_something_else_is_refused(void **state)
{
	(void)state;
	refuse("- { name: a, json: {} }", "the key \"uri\" is missing");
	refuse("- { uri: vaults, name: a, json: {} }", "a uri such as name://path");
	refuse("- { uri: 'X://a', name: a, json: {} }", "a uri such as name://path");
	refuse("- { uri: 'x://', name: a, json: {} }", "a uri such as name://path");
	refuse("- { uri: 'file:///etc/passwd', name: a, json: {} }", "clients act on themselves");
	refuse("- { uri: 'https://a/b', name: a, json: {} }", "clients act on themselves");
	refuse("- { uri: 'x://a/../b', name: a, json: {} }", "no segments . and ..");
	refuse("- { uri: 'x://a/%2e%2E', name: a, json: {} }", "no segments . and ..");
	refuse("- { uri: 'x://a/%zz', name: a, json: {} }", "two hexadecimal digits");
	refuse("- { uri: 'x://a/100%', name: a, json: {} }", "two hexadecimal digits");
	refuse("- { uri: 'x://a/%00', name: a, json: {} }", "without NUL");
	refuse("- { uri: 'x://a/%c0%af', name: a, json: {} }", "is UTF-8");
	refuse("- { uri: \"x://a/\\u202Eb\", name: a, json: {} }", "invisible character U+202E");
}

static void a_uri_stands_for_one_resource_only(void **state)
{
	(void)state;
	refuse("- { uri: 'x://a', name: a, json: {} }\n- { uri: 'x://a', name: b, json: {} }",
	    "another resource has the uri x://a already");
	refuse("- { uri: 'x://a b', name: a, json: {} }\n- { uri: 'x://a%20b', name: b, json: {} }",
	    "another resource has the uri");
	refuse("- { uri: 'x://{a}', name: a, tool: items, with: { share: '{a}' } }\n"
	       "- { uri: 'x://{b}', name: b, tool: items, with: { share: '{b}' } }",
	    "another resource has the uri x://{a} already");
	refuse("- { uri: 'x://a', name: a, json: {} }\n- { uri: 'x://b', name: a, json: {} }",
	    "another resource is called \"a\" already");
}

static void a_variable_is_a_whole_segment_and_used(void **state)
{
	(void)state;
	refuse("- { uri: 'x://a/p-{s}', name: a, tool: items, with: { share: '{s}' } }",
	    "stands alone between two /");
	refuse("- { uri: 'x://a/{s', name: a, tool: items, with: { share: x } }",
	    "stands alone between two /");
	refuse("- { uri: 'x://a/{9}', name: a, tool: items, with: { share: x } }",
	    "stands alone between two /");
	refuse("- { uri: 'x://a/{s}/{s}', name: a, tool: items, with: { share: '{s}' } }",
	    "the variable \"s\" twice");
	refuse("- { uri: 'x://a/{s}/{t}', name: a, tool: items, with: { share: '{s}' } }",
	    "the variable \"t\" is used nowhere");
	refuse(
	    "- { uri: 'x://a/{s}', name: a, tool: vaults }", "the variable \"s\" is used nowhere");
	refuse("- { uri: 'x://a/{s}', name: a, tool: items, with: { share: '{t}' } }",
	    "the uri has no variable \"t\"");
	refuse("- { uri: 'x://a', name: a, tool: items, with: { share: '{share}' } }",
	    "the uri has no variable \"share\"");
	refuse("- { uri: 'x://a/{s}', name: a, json: {} }", "has no variables in its uri");
	refuse("- { uri: 'x://{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}/{j}/{k}', name: a, json: {} }",
	    "more than 10 variables");
}

static void a_resource_is_one_thing_with_keys_that_go_with_it(void **state)
{
	(void)state;
	refuse("- { uri: 'x://a', json: {} }", "the key \"name\" is missing");
	refuse("- { uri: 'x://a', name: a }", "one of \"json\", \"text\" and \"tool\"");
	refuse("- { uri: 'x://a', name: a, json: {}, tool: vaults }",
	    "one of \"json\", \"text\" and \"tool\"");
	refuse("- { uri: 'x://a', name: a, json: {}, with: {} }", "go with \"tool\"");
	refuse("- { uri: 'x://a', name: a, json: {}, result: { under: x } }", "go with \"tool\"");
	refuse("- { uri: 'x://a', name: a, json: {}, mimeType: a/b }", "unknown key \"mimeType\"");
	refuse("- { uri: 'x://a', name: a, json: {}, mime: json }", "a media type such as");
	refuse("- { uri: 'x://a', name: a, json: {}, mime: text/plain }",
	    "\"json\" goes with the media type application/json");
	refuse("- { uri: 'x://a', name: a, text: hello }", "a text has a \"mime\" of its own");
	refuse("- { uri: 'x://a', name: a, text: '', mime: text/plain }", "the text is empty");
	refuse("- { uri: 'x://a', name: a, tool: vaults, mime: text/plain }",
	    "wants a result with \"text\"");
	refuse("  x", "is a list");
	refuse("- x", "a resource is a mapping");
}

static void a_resource_only_reads(void **state)
{
	(void)state;
	refuse("- { uri: 'x://a', name: a, tool: nothing }", "has no tool \"nothing\"");
	refuse("- { uri: 'x://a', name: a, tool: put }", "does not only read");
	refuse("- { uri: 'x://a', name: a, tool: reveal }", "reveals secrets");
}

static void what_the_tool_would_refuse_whatever_the_uri_is_refused_at_load(void **state)
{
	(void)state;
	refuse("- { uri: 'x://a', name: a, tool: items, with: { shares: x } }",
	    "the tool items has no such input");
	refuse("- { uri: 'x://a', name: a, tool: items }", "/share: is required");
	refuse("- { uri: 'x://a', name: a, tool: items, with: { share: 7 } }", "/share");
	refuse(
	    "- { uri: 'x://a', name: a, tool: items, with: { share: x, kind: alias } }", "/kind");
	refuse("- { uri: 'x://a/{s}', name: a, tool: items, with: { share: '{s}', kind: alias } }",
	    "/kind");
	refuse("- { uri: 'x://a/{n}', name: a, tool: items, with: { share: x, size: '{n}' } }",
	    "/size");
	refuse("- { uri: 'x://a', name: a, tool: either }", "exactly one of a, b");
	refuse("- { uri: 'x://{v}', name: a, tool: either, with: { a: '{v}', b: '{v}' } }",
	    "exactly one of a, b");
}

static void secrets_stand_in_no_uri_and_no_file(void **state)
{
	(void)state;
	refuse("- { uri: 'x://a/{t}', name: a, tool: items, with: { share: x, token: '{t}' } }",
	    "marked x-secret");
	refuse("- { uri: 'x://a', name: a, tool: items, with: { share: x, token: abc } }",
	    "marked x-secret");
	refuse("- { uri: 'x://a', name: a, json: { key: sk_live_abc } }",
	    "holds what the file calls a secret: \"key\"");
	refuse("- { uri: 'x://a', name: a, text: sk_live_abc, mime: text/plain }",
	    "holds what the file calls a secret: \"key\"");
	refuse("- { uri: 'x://a', name: a, json: { k: [\"a\\u200Bb\"] } }", "U+200B");
	refuse("- { uri: 'x://a', name: a, json: { \"a\\u200Bb\": 1 } }", "U+200B");
}

static void a_result_of_its_own_is_checked(void **state)
{
	(void)state;
	refuse("- { uri: 'x://a', name: a, tool: vaults, result: { as: nothing } }", "as");
	refuse("- { uri: 'x://a', name: a, tool: vaults, result: { echo: { n: '{share}' } } }",
	    "the tool has no input \"share\"");
	refuse("- { uri: 'x://a', name: a, tool: where, result: { under: x } }",
	    "prints nothing to make a result of");
}

static void a_hidden_tool_that_nothing_reads_is_warned_of(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;
	static const char yaml[] = HEAD "- { uri: 'x://a', name: a, json: {} }\n";
	cleanup_surface struct surface *surface =
	    surface_load(yaml, sizeof(yaml) - 1, false, &notes, &err);
	size_t found = 0;

	(void)state;
	assert_non_null(surface);
	for (size_t i = 0; i < notes.len; i++)
		found += strstr(notes.items[i].text, "nobody can call it") != NULL;
	assert_int_equal(found, 1);
}

/* ---- what loads ---- */

#define ITEMS                                                                                      \
	"- { uri: 'x://share/{s}/items', name: items, title: Items, description: All of them., "   \
	"tool: items, with: { share: '{s}', kind: note }, result: { under: all } }\n"

static void a_resource_says_what_stands_in_the_file(void **state)
{
	cleanup_surface struct surface *surface =
	    load("- { uri: 'x://a', name: a, json: { b: [1, 1.50, é] } }\n"
		 "- { uri: 'x://t', name: t, text: \"one\\ntwo\", mime: text/plain }\n"
		 "- { uri: 'x://v', name: v, tool: vaults }\n" ITEMS);
	struct surface_result result = SURFACE_RESULT_INIT;

	(void)state;
	assert_int_equal(surface->resources_len, 4);
	assert_null(surface->resources[0].tool);
	assert_string_equal(surface->resources[0].mime, "application/json");
	surface_resource_content(&surface->resources[0], &result);
	assert_string_equal(result.json.data, "{\"b\":[1,1.50,\"é\"]}");
	surface_result_release(&result);
	result = SURFACE_RESULT_INIT;
	assert_false(surface_resource_is_json(&surface->resources[1]));
	surface_resource_content(&surface->resources[1], &result);
	assert_string_equal(result.text.data, "one\ntwo");
	assert_true(result.has_text);
	surface_result_release(&result);
	assert_ptr_equal(surface->resources[2].tool, &surface->tools[0]);
	assert_false(surface->resources[2].is_template);
	assert_true(surface->resources[3].is_template);
	assert_string_equal(surface->resources[3].title, "Items");
	assert_string_equal(surface->resources[3].description, "All of them.");
	assert_ptr_not_equal(surface->resources[3].tool, &surface->tools[1]);
	assert_string_equal(surface->resources[3].tool->name, "items");
}

static void the_tool_keeps_its_own_result(void **state)
{
	cleanup_surface struct surface *surface = load(ITEMS);
	struct surface_run run = { .out = "[1]", .out_len = 3, .err = "" };
	struct surface_result own = SURFACE_RESULT_INIT;
	struct surface_result other = SURFACE_RESULT_INIT;
	cleanup_json struct json_doc arguments = JSON_DOC_INIT;

	(void)state;
	fixture_json(&arguments, "{\"share\":\"s\"}");
	surface_make_result(surface->resources[0].tool, json_root(&arguments), &run, &own);
	surface_make_result(&surface->tools[1], json_root(&arguments), &run, &other);
	assert_string_equal(own.json.data, "{\"all\":[1]}");
	assert_string_equal(other.json.data, "{\"items\":[1]}");
	surface_result_release(&own);
	surface_result_release(&other);
}

static void resources_load_from_their_compiled_form(void **state)
{
	static const char yaml[] = HEAD "- { uri: 'x://v', name: v, tool: vaults }\n" ITEMS;
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_json struct json_doc arguments = JSON_DOC_INIT;
	struct surface_run run = { .out = "[1]", .out_len = 3, .err = "" };
	struct surface_result result = SURFACE_RESULT_INIT;
	struct digest digest = { { 0 } };
	cleanup_surface struct surface *surface = NULL;

	(void)state;
	assert_ok(yaml_read(yaml, sizeof(yaml) - 1, &yaml_limits_file, &json, NULL, &err), &err);
	surface = surface_load_compiled(json.data, json.len, &digest, &err);
	if (surface == NULL)
		fail_msg("%s", err.message);
	assert_int_equal(surface->resources_len, 2);
	assert_ok(surface_resource_arguments(
		      &surface->resources[1], "x://share/s/items", &arguments, &err),
	    &err);
	surface_make_result(surface->resources[1].tool, json_root(&arguments), &run, &result);
	assert_string_equal(result.json.data, "{\"all\":[1]}");
	surface_result_release(&result);
}

/* ---- URIs ---- */

static void one_resource_is_named_raw_and_encoded(void **state)
{
	cleanup_surface struct surface *surface =
	    load("- { uri: 'x://a b/é#?', name: a, json: {} }\n"
		 "- { uri: 'x://enc%20oded', name: e, json: {} }\n" ITEMS);
	const struct resource *odd = &surface->resources[0];
	const struct resource *encoded = &surface->resources[1];
	const struct resource *items = &surface->resources[2];

	(void)state;
	assert_true(surface_resource_matches(odd, "x://a b/é#?"));
	assert_true(surface_resource_matches(odd, "X://a%20b/%C3%a9%23%3F"));
	assert_false(surface_resource_matches(odd, "x://a%20b/%C3%a9%23"));
	assert_false(surface_resource_matches(odd, "x://a+b/é#?"));
	assert_false(surface_resource_matches(odd, "x://a%2520b/é#?"));
	assert_false(surface_resource_matches(odd, "x://a b%2Fé#?"));
	assert_false(surface_resource_matches(odd, "y://a b/é#?"));
	assert_false(surface_resource_matches(odd, "x://a b/é#?/"));
	assert_false(surface_resource_matches(odd, "x://a b"));
	assert_false(surface_resource_matches(odd, ""));
	assert_true(surface_resource_matches(encoded, "x://enc oded"));
	assert_true(surface_resource_matches(encoded, "x://enc%20oded"));
	assert_true(surface_resource_matches(items, "x://share/s/items"));
	assert_false(surface_resource_matches(items, "x://share//items"));
	assert_false(surface_resource_matches(items, "x://share/a/b/items"));
	assert_false(surface_resource_matches(items, "x://share/s/item"));
	assert_false(surface_resource_matches(items, "x://Share/s/items"));
}

static void expect_arguments(const char *uri, const char *wanted)
{
	cleanup_surface struct surface *surface = load(ITEMS);
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	assert_true(surface_resource_matches(&surface->resources[0], uri));
	assert_ok(surface_resource_arguments(&surface->resources[0], uri, &doc, &err), &err);
	if (json_root(&doc)->raw_len != strlen(wanted) ||
	    memcmp(json_root(&doc)->raw, wanted, strlen(wanted)) != 0)
		fail_msg("%s: %s", uri, json_root(&doc)->raw);
}

static void a_variable_is_decoded_once(void **state)
{
	(void)state;
	expect_arguments("x://share/s1/items", "{\"share\":\"s1\",\"kind\":\"note\"}");
	expect_arguments(
	    "x://share/%7Ba%22%7D%20b/items", "{\"share\":\"{a\\\"} b\",\"kind\":\"note\"}");
	expect_arguments("x://share/%C3%A9/items", "{\"share\":\"é\",\"kind\":\"note\"}");
	expect_arguments("x://share/é?x=1#f/items", "{\"share\":\"é?x=1#f\",\"kind\":\"note\"}");
	expect_arguments("x://share/%252e%252e/items", "{\"share\":\"%2e%2e\",\"kind\":\"note\"}");
	expect_arguments("x://share/a+b/items", "{\"share\":\"a+b\",\"kind\":\"note\"}");
	expect_arguments("x://share/-v/items", "{\"share\":\"-v\",\"kind\":\"note\"}");
}

static void a_variable_that_leads_elsewhere_is_refused(void **state)
{
	static const char *const values[] = { "..", "%2e%2e", ".%2E", "..%2F..%2Fetc%2Fpasswd",
		"a%2Fb", "a%5Cb", "a\\b", "a..b", "%00", "a%00b", "%", "%2", "%zz", "%c0%af",
		"%e0%80%af", "%ff" };
	cleanup_surface struct surface *surface = load(ITEMS);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		cleanup_free char *uri = xasprintf("x://share/%s/items", values[i]);
		cleanup_json struct json_doc doc = JSON_DOC_INIT;
		cleanup_err struct err err = ERR_INIT;

		assert_true(surface_resource_matches(&surface->resources[0], uri));
		if (surface_resource_arguments(&surface->resources[0], uri, &doc, &err) == 0)
			fail_msg("taken: %s", uri);
		assert_int_equal(err.code, ERR_INVALID_PARAMS);
		assert_null(strstr(err.message, values[i][0] == 'a' ? "a..b" : "etc"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_uri_that_clients_would_take_for_something_else_is_refused),
		cmocka_unit_test(a_uri_stands_for_one_resource_only),
		cmocka_unit_test(a_variable_is_a_whole_segment_and_used),
		cmocka_unit_test(a_resource_is_one_thing_with_keys_that_go_with_it),
		cmocka_unit_test(a_resource_only_reads),
		cmocka_unit_test(what_the_tool_would_refuse_whatever_the_uri_is_refused_at_load),
		cmocka_unit_test(secrets_stand_in_no_uri_and_no_file),
		cmocka_unit_test(a_result_of_its_own_is_checked),
		cmocka_unit_test(a_hidden_tool_that_nothing_reads_is_warned_of),
		cmocka_unit_test(a_resource_says_what_stands_in_the_file),
		cmocka_unit_test(the_tool_keeps_its_own_result),
		cmocka_unit_test(resources_load_from_their_compiled_form),
		cmocka_unit_test(one_resource_is_named_raw_and_encoded),
		cmocka_unit_test(a_variable_is_decoded_once),
		cmocka_unit_test(a_variable_that_leads_elsewhere_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
