/* SPDX-License-Identifier: MIT */
/*
 * The variables of a built-in surface: its switches, and the one that replaces its program. This
 * program's table of built-in surfaces holds tests/data/surfaces/switched.yaml alone.
 */
#include "unit.h"

#include "scratch.h"

#include "base/loop.h"
#include "call/call.h"

struct scene {
	char *folder;
	struct loop *loop;
	struct host_options options;
	struct host *host;
	struct json_doc doc; /* of the last result */
	char *code;          /* of the last result; NULL: it is no error */
};

static const char *const variables[] = { "SWITCHED_PROGRAM", "SWITCHED_VERSION", "SWITCHED_WRITE",
	"SWITCHED_ALONE", "SWITCHED_DRIFT" };

static int setup(void **state)
{
	struct scene *scene = xcalloc(1, sizeof(*scene));
	cleanup_free char *data_dir = NULL;
	void *folder = NULL;

	assert_int_equal(scratch_setup(&folder), 0);
	scene->folder = folder;
	data_dir = scratch_path(scene->folder, "data");
	assert_int_equal(setenv("STILE_DATA_DIR", data_dir, 1), 0);
	assert_int_equal(setenv("HOME", scene->folder, 1), 0);
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		assert_int_equal(unsetenv(variables[i]), 0);
	scene->loop = loop_new();
	scene->options.caller = "mcp";
	strvec_push(&scene->options.surfaces, "switched");
	strvec_push(&scene->options.roots, scene->folder);
	*state = scene;
	return 0;
}

static int teardown(void **state)
{
	struct scene *scene = *state;
	void *folder = scene->folder;

	host_free(scene->host);
	loop_free(scene->loop);
	host_options_release(&scene->options);
	json_doc_release(&scene->doc);
	free(scene->code);
	free(scene);
	return scratch_teardown(&folder);
}

static void serve(struct scene *scene)
{
	cleanup_err struct err err = ERR_INIT;

	host_free(scene->host);
	scene->host = host_new(scene->loop, &scene->options, &err);
	if (scene->host == NULL)
		fail_msg("%s", err.message);
}

static void on_done(void *ctx, const struct call_outcome *outcome)
{
	struct scene *scene = ctx;
	const struct buf *json = &outcome->result.json;
	cleanup_err struct err err = ERR_INIT;

	assert_false(err_is_set(&outcome->err));
	scene->code = outcome->result.code != NULL ? xstrdup(outcome->result.code) : NULL;
	assert_ok(json_read_take(&scene->doc, xstrdup(json->data), json->len, &err), &err);
	loop_stop(scene->loop);
}

static void on_turn_end(void *ctx)
{
	do
		host_flush(ctx);
	while (!host_start_ready(ctx));
}

static void start(void *ctx)
{
	call_start(ctx);
}

/* Calls a tool of a client that cannot ask; the code of its result, or NULL. */
static const char *call(struct scene *scene, const char *tool)
{
	const struct call_client client = { .name = "test" };
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	struct call *made;

	free(steal_ptr(&scene->code));
	json_doc_release(&scene->doc);
	made = call_new(scene->host, &client, tool, &doc, NULL, on_done, scene);
	loop_set_turn_end(scene->loop, on_turn_end, scene->host);
	(void)loop_add_timer(scene->loop, 0, start, made);
	assert_ok(loop_run(scene->loop, &err), &err);
	return scene->code;
}

static const char *told(const struct scene *scene, const char *pointer)
{
	return json_text(json_pointer(json_root(&scene->doc), pointer));
}

/* ---- writing ---- */

static void only_an_exact_1_allows_writing(void **state)
{
	static const char *const words[] = { "", "0", "true", "yes", "on", " 1", "1 ", "01", "11" };
	struct scene *scene = *state;

	serve(scene);
	assert_string_equal(call(scene, "switched_write"), "WRITE_DISABLED");
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		assert_int_equal(setenv("SWITCHED_WRITE", words[i], 1), 0);
		assert_string_equal(call(scene, "switched_write"), "WRITE_DISABLED");
	}
	assert_int_equal(setenv("SWITCHED_WRITE", "1", 1), 0);
	assert_string_equal(call(scene, "switched_write"), "WRITE_CONFIRMATION_UNAVAILABLE");
}

static void only_an_exact_1_allows_writing_without_a_person(void **state)
{
	static const char *const words[] = { "", "0", "true", "yes", "on", " 1", "1 ", "01", "11" };
	struct scene *scene = *state;

	serve(scene);
	assert_int_equal(setenv("SWITCHED_WRITE", "1", 1), 0);
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		assert_int_equal(setenv("SWITCHED_ALONE", words[i], 1), 0);
		assert_string_equal(
		    call(scene, "switched_write"), "WRITE_CONFIRMATION_UNAVAILABLE");
	}
	assert_int_equal(setenv("SWITCHED_ALONE", "1", 1), 0);
	assert_null(call(scene, "switched_write"));
	assert_string_equal(told(scene, "/text"), "written");
	assert_int_equal(unsetenv("SWITCHED_WRITE"), 0);
	assert_string_equal(call(scene, "switched_write"), "WRITE_DISABLED");
}

/* ---- another version ---- */

static void another_word_for_drift_ends_the_start(void **state)
{
	static const char *const words[] = { "maybe", "2", "tru", "yess", "-", "1 1", "y",
		"\xff\x1b[1m" };
	struct scene *scene = *state;

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		cleanup_err struct err err = ERR_INIT;

		assert_int_equal(setenv("SWITCHED_DRIFT", words[i], 1), 0);
		assert_null(host_new(scene->loop, &scene->options, &err));
		assert_int_equal(err.code, ERR_USAGE);
		assert_non_null(strstr(err.message, "SWITCHED_DRIFT"));
		assert_null(strchr(err.message, '\x1b'));
	}
}

static void drift_is_allowed_by_words_for_yes(void **state)
{
	static const struct {
		const char *word; /* NULL: unset */
		bool is_allowed;
	} cases[] = {
		{ NULL, false },
		{ "", false },
		{ " \t", false },
		{ "true", true },
		{ "1", true },
		{ "yes", true },
		{ "on", true },
		{ " TRUE\n", true },
		{ "Yes", true },
		{ "oN ", true },
		{ "false", false },
		{ "0", false },
		{ "no", false },
		{ "off", false },
		{ "\tOFF", false },
	};
	struct scene *scene = *state;

	assert_int_equal(setenv("SWITCHED_VERSION", "1.6.1", 1), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (cases[i].word != NULL)
			assert_int_equal(setenv("SWITCHED_DRIFT", cases[i].word, 1), 0);
		serve(scene);
		assert_null(call(scene, "switched_status"));
		assert_string_equal(told(scene, "/version/detectedVersion"), "1.6.1");
		assert_string_equal(
		    told(scene, "/overall_status"), cases[i].is_allowed ? "ok" : "warn");
		assert_string_equal(told(scene, "/version/compatibilityStatus"),
		    cases[i].is_allowed ? "compatible" : "possibly_incompatible");
	}
}

static void the_option_wins_over_the_variable(void **state)
{
	static const char *const words[] = { "0", "maybe" };
	struct scene *scene = *state;

	assert_int_equal(setenv("SWITCHED_VERSION", "1.6.1", 1), 0);
	strvec_push(&scene->options.allow_version_drift, "switched");
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		assert_int_equal(setenv("SWITCHED_DRIFT", words[i], 1), 0);
		serve(scene);
		assert_null(call(scene, "switched_status"));
		assert_string_equal(told(scene, "/overall_status"), "ok");
	}
}

/* ---- another program ---- */

static void the_program_is_replaced_from_call_to_call(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(setenv("SWITCHED_VERSION", "2.2.1", 1), 0);
	serve(scene);
	assert_null(call(scene, "switched_status"));
	assert_string_equal(told(scene, "/version/compatibilityStatus"), "equal");
	assert_int_equal(setenv("SWITCHED_PROGRAM", "/bin/true", 1), 0);
	assert_null(call(scene, "switched_status"));
	assert_string_equal(told(scene, "/version/detectedRaw"), "");
	assert_int_equal(setenv("SWITCHED_PROGRAM", "/bin/false", 1), 0);
	assert_string_equal(call(scene, "switched_status"), "PROGRAM_FAILED");
	assert_int_equal(setenv("SWITCHED_PROGRAM", "", 1), 0);
	assert_null(call(scene, "switched_status"));
	assert_string_equal(told(scene, "/version/compatibilityStatus"), "equal");
}

static void a_relative_program_is_refused_and_the_verdict_says_so(void **state)
{
	static const char *const words[] = { "sh", "./sh", "bin/sh" };
	struct scene *scene = *state;

	assert_int_equal(setenv("SWITCHED_WRITE", "1", 1), 0);
	assert_int_equal(setenv("SWITCHED_ALONE", "1", 1), 0);
	serve(scene);
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		assert_int_equal(setenv("SWITCHED_PROGRAM", words[i], 1), 0);
		assert_string_equal(call(scene, "switched_write"), "PROGRAM_NOT_FOUND");
		assert_string_equal(call(scene, "switched_status"), "PROGRAM_NOT_FOUND");
		assert_string_equal(told(scene, "/overall_status"), "error");
		assert_non_null(strstr(told(scene, "/connectivity/message"), "absolute path"));
		assert_null(told(scene, "/error_code"));
	}
}

#define SCENE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	SCENE_TEST(only_an_exact_1_allows_writing),
	SCENE_TEST(only_an_exact_1_allows_writing_without_a_person),
	SCENE_TEST(another_word_for_drift_ends_the_start),
	SCENE_TEST(drift_is_allowed_by_words_for_yes),
	SCENE_TEST(the_option_wins_over_the_variable),
	SCENE_TEST(the_program_is_replaced_from_call_to_call),
	SCENE_TEST(a_relative_program_is_refused_and_the_verdict_says_so),
};

UNIT_MAIN(tests)
