/* SPDX-License-Identifier: MIT */
/* The verdict of `builtin: status`: the table of versions, what a failed probe is told as, and the
 * six lines. */
#include "unit.h"

#include "surface_fixture.h"

#include "schema/schema.h"

static const char surface_text[] =
    "stile: 1\n"
    "surface: t\n"
    "program: { run: prog, version: { args: [-v], at: '(\\d+\\.\\d+\\.\\d+)', baseline: 2.2.1 },\n"
    "  probe: { args: [test] } }\n"
    "errors:\n"
    "- { stderr: not logged in, code: AUTH_REQUIRED, retryable: true, hint: Log in yourself.,\n"
    "    add: { auth_managed_by_user: true, more: 1 } }\n"
    "- { stderr: signed out, code: SIGNED_OUT, add: { auth_managed_by_user: true } }\n"
    "- { stderr: no network, code: NETWORK_ERROR, retryable: true, hint: Try later.,\n"
    "    add: { auth_managed_by_user: false } }\n"
    "tools:\n"
    "- { name: status, description: S., effect: read, builtin: status, output: auto }\n";

static struct surface_run run_of(int exit_status, const char *out, const char *err)
{
	return (struct surface_run){
		.exit_status = exit_status,
		.out = out,
		.out_len = strlen(out),
		.err = err,
		.err_len = strlen(err),
	};
}

/* The verdict as a document; its text (may be NULL) owned. It fits what clients are told. */
static bool judge(const struct surface_status *status, struct json_doc *ret_doc, char **ret_text)
{
	cleanup_surface struct surface *surface = fixture_load(surface_text);
	struct surface_result result = SURFACE_RESULT_INIT;
	cleanup_json struct json_doc schema_doc = JSON_DOC_INIT;
	struct schema_options options = { .check_patterns = true };
	cleanup_err struct err err = ERR_INIT;
	cleanup_schema struct schema *schema = NULL;
	bool is_error;

	surface_make_status(&surface->tools[0], status, &result);
	assert_ok(json_read_take(ret_doc, xstrdup(result.json.data), result.json.len, &err), &err);
	fixture_json(&schema_doc, surface->tools[0].output_schema);
	schema = schema_compile(json_root(&schema_doc), &options, NULL, &err);
	if (schema == NULL)
		fail_msg("%s", err.message);
	assert_ok(schema_validate(schema, json_root(ret_doc), &err), &err);
	is_error = result.is_error;
	assert_true(is_error == (result.code != NULL));
	assert_true(result.has_text);
	if (ret_text != NULL)
		*ret_text = xstrdup(result.text.data);
	surface_result_release(&result);
	return is_error;
}

static void expect(const struct json_doc *doc, const char *pointer, const char *wanted)
{
	const struct json *value = json_pointer(json_root(doc), pointer);

	if (wanted == NULL) {
		assert_null(value);
		return;
	}
	assert_non_null(value);
	if (value->type == JSON_STRING)
		assert_string_equal(json_text(value), wanted);
	else if (value->raw_len != strlen(wanted) ||
		 memcmp(value->raw, wanted, value->raw_len) != 0)
		fail_msg("%s is %.*s, not %s", pointer, (int)value->raw_len, value->raw, wanted);
}

/* ---- the version ---- */

static const struct {
	const char *out;
	const char *detected;
	const char *compatibility;
} versions[] = {
	{ "prog 2.2.1\n", "2.2.1", "equal" },
	{ "v2.2.1-beta+7", "2.2.1", "equal" },
	{ "prog 2.2.1.9", "2.2.1", "equal" },
	{ "prog 2.2.0", "2.2.0", "compatible" },
	{ "prog 2.2.7", "2.2.7", "compatible" },
	{ "prog 2.3.0", "2.3.0", "compatible" },
	{ "prog 2.10.0", "2.10.0", "compatible" },
	{ "prog 2.1.9", "2.1.9", "possibly_incompatible" },
	{ "prog 1.2.1", "1.2.1", "possibly_incompatible" },
	{ "prog 3.2.1", "3.2.1", "possibly_incompatible" },
	{ "prog 22.2.1", "22.2.1", "possibly_incompatible" },
	{ "prog 2.9007199254740991.0", "2.9007199254740991.0", "compatible" },
	{ "prog 2.9007199254740992.0", "null", "possibly_incompatible" },
	{ "prog 99999999999999999999999999.2.1", "null", "possibly_incompatible" },
	{ "prog 2.2", "null", "possibly_incompatible" },
	{ "no version here", "null", "possibly_incompatible" },
	{ "", "null", "possibly_incompatible" },
};

static void the_version_is_compared_part_by_part(void **state)
{
	struct surface_run probe = run_of(0, "", "");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
		cleanup_json struct json_doc doc = JSON_DOC_INIT;
		struct surface_run version = run_of(0, versions[i].out, "");
		struct surface_status status = { .probe = &probe, .version = &version };
		bool is_warned = strcmp(versions[i].compatibility, "possibly_incompatible") == 0;

		assert_false(judge(&status, &doc, NULL));
		expect(&doc, "/version/baselineVersion", "2.2.1");
		expect(&doc, "/version/detectedVersion", versions[i].detected);
		expect(&doc, "/version/compatibilityStatus", versions[i].compatibility);
		expect(&doc, "/version/allowVersionDrift", "false");
		expect(&doc, "/overall_status", is_warned ? "warn" : "ok");
	}
}

static void with_drift_allowed_nothing_is_possibly_incompatible(void **state)
{
	struct surface_run probe = run_of(0, "", "");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
		cleanup_json struct json_doc doc = JSON_DOC_INIT;
		struct surface_run version = run_of(0, versions[i].out, "");
		struct surface_status status = {
			.probe = &probe, .version = &version, .allows_drift = true
		};
		bool was_warned = strcmp(versions[i].compatibility, "possibly_incompatible") == 0;
		const char *reason;

		assert_false(judge(&status, &doc, NULL));
		expect(&doc, "/version/compatibilityStatus",
		    was_warned ? "compatible" : versions[i].compatibility);
		reason = json_text(json_pointer(json_root(&doc), "/version/reason"));
		assert_true(was_warned == (strstr(reason, "drift is allowed") != NULL));
		expect(&doc, "/version/allowVersionDrift", "true");
		expect(&doc, "/overall_status", "ok");
	}
}

static void a_version_that_cannot_be_asked_for_is_only_a_warning(void **state)
{
	struct surface_run probe = run_of(0, "", "");
	struct surface_run failed = run_of(1, "prog 2.2.1", "broken");
	struct surface_status status = { .probe = &probe, .version = &failed };
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_json struct json_doc without = JSON_DOC_INIT;

	(void)state;
	assert_false(judge(&status, &doc, NULL));
	expect(&doc, "/overall_status", "warn");
	expect(&doc, "/version/detectedVersion", "null");
	expect(&doc, "/version/detectedRaw", "prog 2.2.1\nbroken");
	status.version = NULL;
	assert_false(judge(&status, &without, NULL));
	expect(&without, "/overall_status", "warn");
	expect(&without, "/version/detectedVersion", "null");
	expect(&without, "/version/detectedRaw", "");
	expect(&without, "/version/compatibilityStatus", "possibly_incompatible");
}

static void the_version_may_stand_on_standard_error(void **state)
{
	struct surface_run probe = run_of(0, "", "");
	struct surface_run version = run_of(0, "", "prog 2.2.1");
	struct surface_status status = { .probe = &probe, .version = &version };
	cleanup_json struct json_doc doc = JSON_DOC_INIT;

	(void)state;
	assert_false(judge(&status, &doc, NULL));
	expect(&doc, "/version/detectedVersion", "2.2.1");
	expect(&doc, "/version/detectedRaw", "prog 2.2.1");
}

/* ---- the probe ---- */

static void a_failure_to_sign_in_stands_in_the_verdict_twice(void **state)
{
	struct surface_run probe = run_of(1, "", "Error: Not Logged In");
	struct surface_run version = run_of(0, "2.2.1", "");
	struct surface_status status = { .probe = &probe, .version = &version };
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_free char *text = NULL;

	(void)state;
	assert_true(judge(&status, &doc, &text));
	expect(&doc, "/overall_status", "error");
	expect(&doc, "/connectivity/status", "error");
	expect(&doc, "/connectivity/authErrorCode", "AUTH_REQUIRED");
	expect(&doc, "/connectivity/retryable", "true");
	expect(&doc, "/connectivity/userAction", "Log in yourself.");
	expect(&doc, "/connectivity/authManagedByUser", "true");
	expect(&doc, "/error_code", "AUTH_REQUIRED");
	expect(&doc, "/retryable", "true");
	expect(&doc, "/user_action", "Log in yourself.");
	expect(&doc, "/auth_managed_by_user", "true");
	expect(&doc, "/more", NULL);
	expect(&doc, "/version/compatibilityStatus", "equal");
	assert_non_null(strstr(text, "Connectivity: error: [AUTH_REQUIRED] "));
	assert_non_null(strstr(text, "Log in yourself."));
}

static void a_rule_without_advice_gives_none(void **state)
{
	struct surface_run probe = run_of(1, "", "signed out");
	struct surface_status status = { .probe = &probe };
	cleanup_json struct json_doc doc = JSON_DOC_INIT;

	(void)state;
	assert_true(judge(&status, &doc, NULL));
	expect(&doc, "/error_code", "SIGNED_OUT");
	expect(&doc, "/retryable", "false");
	expect(&doc, "/user_action", NULL);
	expect(&doc, "/connectivity/userAction", NULL);
}

static void another_failure_has_a_message_only(void **state)
{
	static const char *const said[] = { "no network", "it hurts" };
	static const char *const codes[] = { "[NETWORK_ERROR] ", "[PROGRAM_FAILED] " };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(said); i++) {
		struct surface_run probe = run_of(2, "not logged in", said[i]);
		struct surface_status status = { .probe = &probe };
		cleanup_json struct json_doc doc = JSON_DOC_INIT;
		const struct json *connectivity;

		assert_true(judge(&status, &doc, NULL));
		expect(&doc, "/overall_status", "error");
		expect(&doc, "/error_code", NULL);
		expect(&doc, "/retryable", NULL);
		expect(&doc, "/auth_managed_by_user", NULL);
		connectivity = json_get(json_root(&doc), "connectivity");
		assert_int_equal(connectivity->len, 2);
		assert_memory_equal(
		    json_text(json_get(connectivity, "message")), codes[i], strlen(codes[i]));
		assert_non_null(strstr(json_text(json_get(connectivity, "message")), said[i]));
	}
}

static void a_probe_without_an_end_of_its_own_is_told_by_our_error(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	struct surface_status status = { .failure = &err, .allows_drift = true };
	cleanup_json struct json_doc doc = JSON_DOC_INIT;

	(void)state;
	err_set(&err, ERR_PROGRAM_NOT_FOUND, "prog is nowhere");
	assert_true(judge(&status, &doc, NULL));
	expect(&doc, "/overall_status", "error");
	expect(&doc, "/connectivity/message", "[PROGRAM_NOT_FOUND] prog is nowhere");
	expect(&doc, "/version/compatibilityStatus", "compatible");
	expect(&doc, "/error_code", NULL);
}

static void what_the_probe_says_is_the_message(void **state)
{
	static const struct {
		const char *out;
		const char *err;
		const char *message;
	} cases[] = {
		{ " Connection successful\n", "noise", "Connection successful" },
		{ "\n", "said aside\n", "said aside" },
		{ "", "", "the program answered its probe" },
		{ "a\xff", "", "a\xef\xbf\xbd" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct surface_run probe = run_of(0, cases[i].out, cases[i].err);
		struct surface_status status = { .probe = &probe };
		cleanup_json struct json_doc doc = JSON_DOC_INIT;

		assert_false(judge(&status, &doc, NULL));
		expect(&doc, "/connectivity/message", cases[i].message);
	}
}

/* ---- the form ---- */

static void long_output_is_cut_and_says_so(void **state)
{
	char much[3001];
	struct surface_run probe;
	struct surface_status status = { .probe = &probe, .version = &probe };
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const char *message;

	(void)state;
	memset(much, 'x', sizeof(much) - 1);
	much[sizeof(much) - 1] = '\0';
	probe = run_of(0, much, "");
	assert_false(judge(&status, &doc, NULL));
	message = json_text(json_pointer(json_root(&doc), "/connectivity/message"));
	assert_non_null(strstr(message, "2500 more characters"));
	assert_true(strlen(message) < 600);
	assert_true(strlen(json_text(json_pointer(json_root(&doc), "/version/detectedRaw"))) < 600);
}

static void the_summary_has_six_lines(void **state)
{
	struct surface_run probe = run_of(0, "All\nis  well\n", "");
	struct surface_run version = run_of(0, "prog 1.0.0", "");
	struct surface_status status = { .probe = &probe, .version = &version };
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_json struct json_doc failed = JSON_DOC_INIT;
	cleanup_free char *text = NULL;
	cleanup_free char *other = NULL;
	size_t lines = 1;

	(void)state;
	assert_false(judge(&status, &doc, &text));
	assert_string_equal(text, "Overall status: warn\n"
				  "Connectivity: ok: All is well\n"
				  "Version: possibly_incompatible: the major version is not the "
				  "baseline's\n"
				  "Baseline version: 2.2.1\n"
				  "Detected version: 1.0.0\n"
				  "Version drift allowed: no");
	probe = run_of(1, "a\nb", "c\nd");
	status.version = NULL;
	status.allows_drift = true;
	assert_true(judge(&status, &failed, &other));
	for (const char *at = strchr(other, '\n'); at != NULL; at = strchr(at + 1, '\n'))
		lines++;
	assert_int_equal(lines, 6);
	assert_non_null(strstr(other, "Detected version: unknown\nVersion drift allowed: yes"));
}

static void the_probe_stands_behind_the_fixed_words(void **state)
{
	static const char text[] =
	    "stile: 1\nsurface: t\nprogram: { run: prog, args: [--safe, '--at={$root}'],\n"
	    "  version: { args: [-v], at: '(a)', baseline: 1.0.0 }, probe: { args: [test, '{x}'] } "
	    "}\n"
	    "tools: [{ name: s, description: S., effect: read, builtin: status }]\n";
	cleanup_surface struct surface *surface = fixture_load(text);
	cleanup_strvec struct strvec roots = STRVEC_INIT;
	struct surface_launch launch = { .roots = &roots, .private_dir = "/file/" };
	struct surface_command command = SURFACE_COMMAND_INIT;
	cleanup_json struct json_doc arguments = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf coverage = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&coverage);

	(void)state;
	strvec_push(&roots, "/r");
	assert_ok(fixture_check(surface, "{}", &arguments, &err), &err);
	assert_ok(surface_build_command(
		      &surface->tools[0], json_root(&arguments), &launch, &command, &err),
	    &err);
	assert_int_equal(command.words.len, 4);
	assert_string_equal(command.words.items[0], "--safe");
	assert_string_equal(command.words.items[1], "--at=/r");
	assert_string_equal(command.words.items[2], "test");
	assert_string_equal(command.words.items[3], "{x}");
	surface_command_release(&command);
	assert_null(surface->tools[0].output_schema);
	surface_write_coverage(surface, NULL, &w);
	assert_string_equal(
	    coverage.data, "{\"commands\":[{\"command\":\"test {x}\",\"tool\":\"s\"}]}");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_failure_to_sign_in_stands_in_the_verdict_twice),
	cmocka_unit_test(a_rule_without_advice_gives_none),
	cmocka_unit_test(another_failure_has_a_message_only),
	cmocka_unit_test(a_probe_without_an_end_of_its_own_is_told_by_our_error),
	cmocka_unit_test(a_version_that_cannot_be_asked_for_is_only_a_warning),
	cmocka_unit_test(the_version_is_compared_part_by_part),
	cmocka_unit_test(with_drift_allowed_nothing_is_possibly_incompatible),
	cmocka_unit_test(the_version_may_stand_on_standard_error),
	cmocka_unit_test(what_the_probe_says_is_the_message),
	cmocka_unit_test(long_output_is_cut_and_says_so),
	cmocka_unit_test(the_summary_has_six_lines),
	cmocka_unit_test(the_probe_stands_behind_the_fixed_words),
};

UNIT_MAIN(tests)
