/* SPDX-License-Identifier: MIT */
/*
 * Consent on the way of a whole call: real gates, a real ledger, a real program that notes its
 * starts. Each way to a refusal has a code and a row of its own, and starts nothing.
 */
#include "unit.h"

#include "scratch.h"

#include "base/limits.h"
#include "base/loop.h"
#include "call/call.h"
#include "ledger/ledger.h"

struct scene {
	char *folder;
	char *data_dir;
	char *log; /* a line for each start of the program */
	struct loop *loop;
	struct host_options options;
	struct host *host;
	struct call *asking;
	enum call_answer answer;                /* of the person who is asked */
	void (*meanwhile)(struct scene *scene); /* happens while the person thinks; or NULL */
	char *code;                             /* of the last call; NULL: it ran */
	char *state;                            /* requestState of the last call, or NULL */
};

/* The clock of records and states, moved on by a test (meson.build wraps it). */
static int64_t clock_skew_us;
int64_t __real_clock_wall_us(void); /* NOLINT: the linker's name */
int64_t __wrap_clock_wall_us(void); /* NOLINT */
int64_t __wrap_clock_wall_us(void)  /* NOLINT */
{
	return __real_clock_wall_us() + clock_skew_us;
}

static int setup(void **state)
{
	struct scene *scene = xcalloc(1, sizeof(*scene));
	cleanup_err struct err err = ERR_INIT;
	void *folder = NULL;

	assert_int_equal(scratch_setup(&folder), 0);
	scene->folder = folder;
	scene->data_dir = scratch_path(scene->folder, "data");
	scene->log = scratch_path(scene->folder, "log");
	assert_int_equal(setenv("STILE_DATA_DIR", scene->data_dir, 1), 0);
	assert_int_equal(setenv("HOME", scene->folder, 1), 0);
	assert_int_equal(setenv("SWITCHED_LOG", scene->log, 1), 0);
	scene->loop = loop_new();
	scene->options.caller = "mcp";
	strvec_push(&scene->options.surfaces, "switched");
	strvec_push(&scene->options.roots, scene->folder);
	strvec_push(&scene->options.allow_write, "switched");
	scene->host = host_new(scene->loop, &scene->options, &err);
	assert_non_null(scene->host);
	clock_skew_us = 0;
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
	free(scene->data_dir);
	free(scene->log);
	free(scene->code);
	free(scene->state);
	free(scene);
	return scratch_teardown(&folder);
}

/* ---- one call ---- */

static void on_done(void *ctx, const struct call_outcome *outcome)
{
	struct scene *scene = ctx;
	const char *code = outcome->result.code;

	if (err_is_set(&outcome->err))
		code = err_info(outcome->err.code)->wire;
	if (outcome->state != NULL)
		code = "asked";
	scene->code = code != NULL ? xstrdup(code) : NULL;
	scene->state = outcome->state != NULL ? xstrdup(outcome->state) : NULL;
	loop_stop(scene->loop);
}

static void person_answers(void *ctx)
{
	struct scene *scene = ctx;

	if (scene->meanwhile != NULL)
		scene->meanwhile(scene);
	call_answer(steal_ptr(&scene->asking), scene->answer);
}

static void on_ask(void *ctx, struct call *call, const char *question)
{
	struct scene *scene = ctx;

	assert_non_null(strstr(question, "switched_write"));
	assert_null(scene->asking);
	scene->asking = call;
	(void)loop_add_timer(scene->loop, 0, person_answers, scene);
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

/* The code of what became of it; NULL: it ran. */
static const char *run_call(struct scene *scene, const struct call_client *client)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	struct call *call =
	    call_new(scene->host, client, "switched_write", &doc, NULL, on_done, scene);

	free(steal_ptr(&scene->code));
	free(steal_ptr(&scene->state));
	loop_set_turn_end(scene->loop, on_turn_end, scene->host);
	(void)loop_add_timer(scene->loop, 0, start, call);
	assert_ok(loop_run(scene->loop, &err), &err);
	return scene->code;
}

/* The person is asked while the call waits. */
static const char *call_and_ask(struct scene *scene, enum call_answer answer)
{
	const struct call_client client = {
		.name = "test", .can_ask = true, .ask = on_ask, .ask_ctx = scene
	};

	scene->answer = answer;
	return run_call(scene, &client);
}

/* The first round of a round trip: its state. Owned by the caller. */
static char *ask_by_round_trip(struct scene *scene)
{
	const struct call_client client = {
		.name = "test", .can_ask = true, .answer = CALL_UNANSWERED
	};

	assert_string_equal(run_call(scene, &client), "asked");
	return steal_ptr(&scene->state);
}

static const char *come_back(struct scene *scene, const char *state, enum call_answer answer)
{
	const struct call_client client = { .name = "test",
		.can_ask = true,
		.state = state,
		.state_len = strlen(state),
		.answer = answer };

	return run_call(scene, &client);
}

/* ---- what is on record ---- */

static int add_row(void *ctx, const struct ledger_row *row, struct err *err)
{
	const struct ledger_record *record = &row->record;

	(void)err;
	if (strcmp(row->kind, "checkpoint") != 0)
		buf_addf(ctx, "%s:%s:%s ", row->kind, record->code != NULL ? record->code : "",
		    record->detail != NULL ? record->detail : "");
	return 0;
}

/* The whole ledger as "kind:code:detail kind:code:detail ". */
static void expect_rows(const struct scene *scene, const char *wanted)
{
	cleanup_free char *path = ledger_path(scene->data_dir);
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf rows = BUF_INIT;

	assert_ok(ledger_each(path, NULL, add_row, &rows, &err), &err);
	assert_string_equal(rows.data, wanted);
}

static void expect_nothing_started(const struct scene *scene)
{
	assert_int_not_equal(access(scene->log, F_OK), 0);
}

/* ---- refusals ---- */

static void each_answer_but_a_yes_is_its_own_refusal(void **state)
{
	static const struct {
		enum call_answer answer;
		const char *code;
	} cases[] = {
		{ CALL_DECLINED, "WRITE_DECLINED" },
		{ CALL_DISMISSED, "WRITE_CANCELLED" },
		{ CALL_TIMED_OUT, "WRITE_TIMEOUT" },
		{ CALL_ASK_FAILED, "WRITE_CONFIRMATION_UNAVAILABLE" },
		{ CALL_UNANSWERED, "WRITE_CONFIRMATION_UNAVAILABLE" },
	};
	struct scene *scene = *state;
	cleanup_buf struct buf rows = BUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_string_equal(call_and_ask(scene, cases[i].answer), cases[i].code);
		buf_addf(&rows, "consent::asked refusal:%s:permit ", cases[i].code);
		expect_rows(scene, rows.data);
		expect_nothing_started(scene);
	}
}

static void move_to_another_stage(struct scene *scene)
{
	free(scene->options.stage);
	scene->options.stage = xstrdup("other");
}

static void a_scope_that_changed_while_a_person_was_asked_runs_nothing(void **state)
{
	struct scene *scene = *state;

	scene->meanwhile = move_to_another_stage;
	assert_string_equal(call_and_ask(scene, CALL_ACCEPTED), "SURFACE_UNTRUSTED");
	expect_rows(scene, "consent::asked refusal:SURFACE_UNTRUSTED:permit ");
	expect_nothing_started(scene);
}

static void forbid_writing(struct scene *scene)
{
	strvec_release(&scene->options.allow_write);
}

static void all_gates_run_again_after_a_yes(void **state)
{
	struct scene *scene = *state;

	scene->meanwhile = forbid_writing;
	assert_string_equal(call_and_ask(scene, CALL_ACCEPTED), "WRITE_DISABLED");
	expect_rows(scene, "consent::asked refusal:WRITE_DISABLED:permit ");
	expect_nothing_started(scene);
}

static void a_state_that_expired_is_refused(void **state)
{
	struct scene *scene = *state;
	cleanup_free char *given = ask_by_round_trip(scene);

	clock_skew_us = LIMIT_CONSENT_MS * 1000;
	assert_string_equal(come_back(scene, given, CALL_ACCEPTED), "REQUEST_STATE_EXPIRED");
	expect_rows(scene, "consent::asked refusal:REQUEST_STATE_EXPIRED:permit ");
	expect_nothing_started(scene);
}

static void a_state_of_another_scope_is_refused(void **state)
{
	struct scene *scene = *state;
	cleanup_free char *given = ask_by_round_trip(scene);

	move_to_another_stage(scene);
	assert_string_equal(come_back(scene, given, CALL_ACCEPTED), "REQUEST_STATE_INVALID");
	expect_rows(scene, "consent::asked refusal:REQUEST_STATE_INVALID:permit ");
	expect_nothing_started(scene);
}

static void a_state_without_its_answer_is_spent_and_asked_again(void **state)
{
	struct scene *scene = *state;
	cleanup_free char *given = ask_by_round_trip(scene);

	assert_string_equal(come_back(scene, given, CALL_UNANSWERED), "asked");
	assert_string_equal(come_back(scene, given, CALL_ACCEPTED), "REQUEST_STATE_SPENT");
	expect_rows(scene, "consent::asked consent::asked refusal:REQUEST_STATE_SPENT:permit ");
	expect_nothing_started(scene);
}

/* ---- a yes ---- */

static void a_yes_runs_once_and_its_rows_come_in_order(void **state)
{
	struct scene *scene = *state;
	char text[8];
	cleanup_fd int fd = -1;

	assert_null(call_and_ask(scene, CALL_ACCEPTED));
	expect_rows(scene, "consent::asked consent::accepted intent:: outcome:: ");
	fd = open(scene->log, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, text, sizeof(text)), 2);
}

#define SCENE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	SCENE_TEST(each_answer_but_a_yes_is_its_own_refusal),
	SCENE_TEST(a_scope_that_changed_while_a_person_was_asked_runs_nothing),
	SCENE_TEST(all_gates_run_again_after_a_yes),
	SCENE_TEST(a_state_that_expired_is_refused),
	SCENE_TEST(a_state_of_another_scope_is_refused),
	SCENE_TEST(a_state_without_its_answer_is_spent_and_asked_again),
	SCENE_TEST(a_yes_runs_once_and_its_rows_come_in_order),
};

UNIT_MAIN(tests)
