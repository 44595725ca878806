/* SPDX-License-Identifier: MIT */
/*
 * The scope of a stage on the way of a whole call: the real host and the real runner ask a vault that
 * is a script here (`sh vault scope …`), so that it can be counted, and can answer anything. With the
 * real vault: tests/e2e/situations_scope.py.
 */
#include "unit.h"

#include "scratch.h"

#include "base/clock.h"
#include "base/dirs.h"
#include "base/limits.h"
#include "base/loop.h"
#include "base/num.h"
#include "call/call.h"
#include "ledger/ledger.h"
#include "run/run.h"

#define WORKSPACE "wsp_0123456789abcdefghjkmnpqrs"
#define STAGE "stg_0123456789abcdefghjkmnpqrs"
#define EVENT_1 "sca_0123456789abcdefghjkmnpqr1"
#define EVENT_2 "sca_0123456789abcdefghjkmnpqr2"

#define PLACES                                                                                     \
	"\"workspace\":{\"id\":\"" WORKSPACE "\",\"name\":\"w\",\"path\":\"/w\"},"                 \
	"\"stage\":{\"id\":\"" STAGE "\",\"name\":\"01-a\"},"
#define CONTRACT "\"contract\":{\"file\":\"fil_x\",\"version\":\"ver_x\",\"number\":3},"
#define NEW(id) "\"event\":{\"id\":\"" id "\",\"result\":\"initial\"}"
#define ENVELOPE(result)                                                                           \
	"{\"schema_version\":\"1\",\"status\":\"succeeded\",\"result\":{" result "}}"
#define GRANTED(tools, event)                                                                      \
	ENVELOPE(PLACES CONTRACT "\"rank\":\"write\",\"tools\":[" tools "],\"reason\":null,"       \
				 "\"visible\":[],\"hidden\":1," event)
#define WRITES "\"switched_write\""

/* The vault: notes its words and what it was given, and does as it is told. */
static const char script[] = "echo $$ >pid\n"
			     "echo \"$*\" >>starts\n"
			     "env | sort >environment\n"
			     "[ ! -e hang ] || exec sleep 60\n"
			     "[ ! -e die ] || kill -9 $$\n"
			     "cat answer\n"
			     "exit $(cat status)\n";

struct scene {
	char *folder;
	char *data_dir;
	struct loop *loop;
	struct host_options options;
	struct host *host;
	size_t ended; /* calls */
	size_t lists;
	size_t refused; /* calls, because too many wait */
	char *code;     /* of the last call; NULL: it ran */
	struct json_doc doc;
	unsigned changes; /* told to the watcher */
};

/* This program is not the vault. */
int __real_run_program_resolve(const char *name, const char *search_path,
    struct run_program *ret_program, struct err *err); /* NOLINT: the linker's name */
int __wrap_run_program_resolve(const char *name, const char *search_path,
    struct run_program *ret_program, struct err *err); /* NOLINT */
int __wrap_run_program_resolve(const char *name, const char *search_path,
    struct run_program *ret_program, struct err *err) /* NOLINT */
{
	return __real_run_program_resolve(
	    strcmp(name, "self") == 0 ? "/bin/sh" : name, search_path, ret_program, err);
}

/* How old a decision may be: longer than any of these tests takes, valgrind or not. */
#define TTL_MS ((int64_t)300000)

/* The clock, moved on by a test. Milliseconds, of which a decision's age is made, pass by that alone. */
static int64_t clock_skew_ms;
int64_t __real_clock_monotonic_ms(void); /* NOLINT */
int64_t __wrap_clock_monotonic_ms(void); /* NOLINT */
int64_t __wrap_clock_monotonic_ms(void)  /* NOLINT */
{
	return 1000 + clock_skew_ms;
}

int64_t __real_clock_monotonic_us(void); /* NOLINT */
int64_t __wrap_clock_monotonic_us(void); /* NOLINT */
int64_t __wrap_clock_monotonic_us(void)  /* NOLINT */
{
	return __real_clock_monotonic_us() + clock_skew_ms * 1000;
}

/* ---- the scene ---- */

static void put(const struct scene *scene, const char *name, const char *text)
{
	cleanup_free char *path = scratch_path(scene->folder, name);

	scratch_write(path, text, strlen(text));
}

static void take_away(const struct scene *scene, const char *name)
{
	cleanup_free char *path = scratch_path(scene->folder, name);

	(void)unlink(path);
}

static char *text_of(const struct scene *scene, const char *name)
{
	cleanup_free char *path = scratch_path(scene->folder, name);
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;

	if (dirs_read_file(path, &text, &err) < 0)
		return xstrdup("");
	return buf_detach(&text);
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
		n++;
	return n;
}

/* How often the vault was asked. */
static size_t asked(const struct scene *scene)
{
	cleanup_free char *starts = text_of(scene, "starts");

	return count(starts, "\n");
}

/* How often the tool's program ran. */
static size_t ran(const struct scene *scene)
{
	cleanup_free char *log = text_of(scene, "log");

	return count(log, "\n");
}

static int setup(void **state)
{
	struct scene *scene = xcalloc(1, sizeof(*scene));
	cleanup_free char *log = NULL;
	void *folder = NULL;

	assert_int_equal(scratch_setup(&folder), 0);
	scene->folder = folder;
	scene->data_dir = scratch_path(scene->folder, "data");
	assert_int_equal(mkdir(scene->data_dir, 0700), 0);
	log = scratch_path(scene->folder, "log");
	assert_int_equal(setenv("STILE_DATA_DIR", scene->data_dir, 1), 0);
	assert_int_equal(setenv("HOME", scene->folder, 1), 0);
	assert_int_equal(setenv("SWITCHED_LOG", log, 1), 0);
	assert_int_equal(setenv("SWITCHED_ALONE", "1", 1), 0);
	assert_int_equal(setenv("STILE_TOKEN_FILE", "/some/token", 1), 0);
	assert_int_equal(setenv("AWS_SECRET_ACCESS_KEY", "no business of the vault", 1), 0);
	assert_int_equal(setenv("LD_LIBRARY_PATH", "/none", 1), 0);
	clock_skew_ms = 0;
	put(scene, "vault", script);
	put(scene, "status", "0");
	put(scene, "answer", GRANTED(WRITES, NEW(EVENT_1)));
	scene->loop = loop_new();
	scene->options.caller = "mcp";
	scene->options.workspace = xstrdup(WORKSPACE);
	scene->options.stage = xstrdup("01-a");
	scene->options.scope_ttl_ms = TTL_MS;
	strvec_push(&scene->options.surfaces, "switched");
	strvec_push(&scene->options.roots, scene->folder);
	strvec_push(&scene->options.allow_write, "switched");
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
	free(scene->data_dir);
	free(scene->code);
	free(scene);
	return scratch_teardown(&folder);
}

static void on_turn_end(void *ctx)
{
	do
		host_flush(ctx);
	while (!host_start_ready(ctx));
}

static void serve(struct scene *scene)
{
	cleanup_err struct err err = ERR_INIT;

	host_free(scene->host);
	scene->host = host_new(scene->loop, &scene->options, &err);
	if (scene->host == NULL)
		fail_msg("%s", err.message);
	loop_set_turn_end(scene->loop, on_turn_end, scene->host);
}

static void on_late(void *ctx)
{
	bool *is_late = ctx;

	*is_late = true;
}

/* One turn that cannot sleep for ever. */
static void turn(const struct scene *scene)
{
	cleanup_err struct err err = ERR_INIT;
	bool is_late = false;
	struct loop_timer *guard = loop_add_timer(scene->loop, 5, on_late, &is_late);

	assert_ok(loop_turn(scene->loop, &err), &err);
	if (!is_late)
		loop_timer_remove(guard);
}

/* Turns until what changes has changed so often. */
static void turn_until(const struct scene *scene, const size_t *what, size_t wanted)
{
	int64_t until_ms = __real_clock_monotonic_ms() + 20000;

	while (*what < wanted) {
		assert_true(__real_clock_monotonic_ms() < until_ms);
		turn(scene);
	}
}

/* Turns until the vault has been asked so often, or it is clear that it will not be. */
static void turn_until_asked(const struct scene *scene, size_t wanted)
{
	for (size_t i = 0; i < 400 && asked(scene) < wanted; i++)
		turn(scene);
	assert_int_equal(asked(scene), wanted);
}

/* ---- calls and lists ---- */

static void on_done(void *ctx, const struct call_outcome *outcome)
{
	struct scene *scene = ctx;
	const struct buf *json = &outcome->result.json;
	const char *code = outcome->result.code;
	cleanup_err struct err err = ERR_INIT;

	scene->ended++;
	if (err_is_set(&outcome->err))
		code = err_info(outcome->err.code)->wire;
	scene->refused += code != NULL && strcmp(code, "UNAVAILABLE") == 0;
	free(scene->code);
	scene->code = xstrdup(code);
	json_doc_release(&scene->doc);
	if (json->len > 0)
		assert_ok(json_read_take(&scene->doc, xstrdup(json->data), json->len, &err), &err);
}

static void start(void *ctx)
{
	call_start(ctx);
}

static struct call *make_call(struct scene *scene, const char *tool)
{
	const struct call_client client = { .name = "test" };
	struct json_doc doc = JSON_DOC_INIT;

	return call_new(scene->host, &client, tool, &doc, NULL, on_done, scene);
}

static struct call *begin_call(struct scene *scene, const char *tool)
{
	struct call *call = make_call(scene, tool);

	(void)loop_add_timer(scene->loop, 0, start, call);
	return call;
}

/* The code of what became of it; NULL: it ran. */
static const char *run_call(struct scene *scene, const char *tool)
{
	size_t ended = scene->ended;

	(void)begin_call(scene, tool);
	turn_until(scene, &scene->ended, ended + 1);
	return scene->code;
}

static void on_listed(void *ctx)
{
	struct scene *scene = ctx;

	scene->lists++;
}

/* How many tools are listed. */
static size_t list(struct scene *scene)
{
	struct host_waiter waiter = { .fn = on_listed, .ctx = scene };
	size_t lists = scene->lists;
	uint64_t generation;
	size_t len = 0;

	if (!host_decide(scene->host, &waiter))
		turn_until(scene, &scene->lists, lists + 1);
	(void)host_tools(scene->host, &len, &generation);
	return len;
}

/* ---- the ledger ---- */

struct wanted {
	const char *kind;
	const char *code;
	const char *detail;
	size_t found;
};

static int match_row(void *ctx, const struct ledger_row *row, struct err *err)
{
	struct wanted *wanted = ctx;
	const char *detail = row->record.detail != NULL ? row->record.detail : "";
	const char *code = row->record.code != NULL ? row->record.code : "";

	(void)err;
	wanted->found += strcmp(row->kind, wanted->kind) == 0 && strcmp(code, wanted->code) == 0 &&
			 strstr(detail, wanted->detail) != NULL;
	return 0;
}

/* Rows of that kind and code whose detail has that in it. */
static size_t rows(
    const struct scene *scene, const char *kind, const char *code, const char *detail)
{
	struct wanted wanted = { .kind = kind, .code = code, .detail = detail };
	cleanup_free char *path = ledger_path(scene->data_dir);
	cleanup_err struct err err = ERR_INIT;

	assert_ok(ledger_each(path, NULL, match_row, &wanted, &err), &err);
	return wanted.found;
}

/* ---- what is no decision ---- */

static void what_is_no_answer_grants_nothing(void **state)
{
	static const char *const answers[] = {
		"",
		"no JSON",
		"[]",
		"{}",
		"{\"status\":\"succeeded\"}",
		ENVELOPE(""),
		/* A failure, however it is said. */
		"{\"status\":\"failed\",\"error\":{\"code\":\"UNAUTHENTICATED\",\"message\":\"m\"}"
		"}",
		"{\"status\":\"failed\",\"error\":{\"code\":\"WHATEVER\",\"message\":\"m\"}}",
		"{\"status\":\"failed\"}",
		"{\"status\":\"odd\",\"result\":{" PLACES CONTRACT
		"\"rank\":\"write\",\"tools\":[" WRITES "],\"reason\":null," NEW(EVENT_1) "}}",
		/* Recorded nowhere. */
		GRANTED(WRITES, "\"event\":null"),
		GRANTED(WRITES, "\"event\":{}"),
		GRANTED(WRITES, "\"x\":1"),
		GRANTED(WRITES, "\"event\":{\"id\":\"sca_short\",\"result\":\"initial\"}"),
		/* Of the wrong shape. */
		GRANTED("7", NEW(EVENT_1)),
		GRANTED(WRITES ",null", NEW(EVENT_1)),
		ENVELOPE(PLACES CONTRACT "\"rank\":\"write\",\"tools\":{}," NEW(EVENT_1)),
		ENVELOPE(PLACES CONTRACT "\"rank\":\"owner\",\"tools\":[" WRITES "]," NEW(EVENT_1)),
		ENVELOPE(PLACES CONTRACT "\"tools\":[" WRITES "]," NEW(EVENT_1)),
		ENVELOPE(PLACES "\"contract\":7,\"rank\":\"write\",\"tools\":[]," NEW(EVENT_1)),
		ENVELOPE(CONTRACT "\"rank\":\"write\",\"tools\":[" WRITES "]," NEW(EVENT_1)),
		ENVELOPE("\"workspace\":null,\"stage\":null," CONTRACT
			 "\"rank\":\"write\",\"tools\":[" WRITES "]," NEW(EVENT_1)),
		/* About another workspace. */
		ENVELOPE("\"workspace\":{\"id\":\"wsp_0123456789abcdefghjkmnpqrt\",\"name\":\"w\"},"
			 "\"stage\":{\"id\":\"" STAGE "\",\"name\":\"01-a\"}," CONTRACT
			 "\"rank\":\"write\",\"tools\":[" WRITES "]," NEW(EVENT_1)),
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		put(scene, "answer", answers[i]);
		serve(scene);
		assert_int_equal(list(scene), 0);
		assert_string_equal(run_call(scene, "switched_write"), "SCOPE_UNAVAILABLE");
		assert_string_equal(run_call(scene, "switched_none"), "SCOPE_UNAVAILABLE");
	}
	assert_int_equal(ran(scene), 0);
	assert_int_equal(
	    rows(scene, "refusal", "SCOPE_UNAVAILABLE", "scope"), 2 * ARRAY_LEN(answers));
}

static void an_answer_counts_only_with_the_exit_status_of_success(void **state)
{
	struct scene *scene = *state;

	put(scene, "status", "1");
	serve(scene);
	assert_string_equal(run_call(scene, "switched_write"), "SCOPE_UNAVAILABLE");
	assert_int_equal(ran(scene), 0);
}

static void a_vault_that_dies_is_unreachable_and_asked_again(void **state)
{
	struct scene *scene = *state;

	put(scene, "die", "");
	serve(scene);
	assert_string_equal(run_call(scene, "switched_write"), "SCOPE_UNAVAILABLE");
	assert_true(json_is(json_get(json_root(&scene->doc), "retryable"), JSON_TRUE));
	assert_int_equal(list(scene), 0);
	assert_int_equal(asked(scene), 2);
	take_away(scene, "die");
	assert_null(run_call(scene, "switched_write"));
	assert_int_equal(list(scene), 1);
	assert_int_equal(asked(scene), 3);
	assert_int_equal(ran(scene), 1);
}

static void on_hung(void *ctx)
{
	(void)ctx;
	clock_skew_ms += LIMIT_SCOPE_MS;
}

static void a_vault_that_hangs_is_ended_at_its_limit(void **state)
{
	struct scene *scene = *state;

	put(scene, "hang", "");
	serve(scene);
	(void)loop_add_timer(scene->loop, 20, on_hung, NULL);
	assert_string_equal(run_call(scene, "switched_write"), "SCOPE_UNAVAILABLE");
	assert_int_equal(ran(scene), 0);
}

static void an_older_decision_is_not_fallen_back_on(void **state)
{
	struct scene *scene = *state;

	serve(scene);
	assert_null(run_call(scene, "switched_write"));
	assert_int_equal(list(scene), 1);
	put(scene, "answer", "gone");
	clock_skew_ms += TTL_MS;
	assert_int_equal(list(scene), 0);
	assert_string_equal(run_call(scene, "switched_write"), "SCOPE_UNAVAILABLE");
	assert_int_equal(ran(scene), 1);
}

/* ---- what is asked ---- */

static void nothing_is_asked_at_the_start(void **state)
{
	struct scene *scene = *state;
	uint64_t generation;
	size_t len = 7;

	serve(scene);
	(void)host_tools(scene->host, &len, &generation);
	assert_int_equal(len, 0);
	host_watch(scene->host, true, NULL, NULL);
	clock_skew_ms += TTL_MS;
	for (size_t i = 0; i < 10; i++)
		turn(scene);
	assert_int_equal(asked(scene), 0);
}

static void the_question_is_whole_and_names_the_last_event(void **state)
{
	struct scene *scene = *state;
	cleanup_free char *starts = NULL;

	serve(scene);
	assert_null(run_call(scene, "switched_write"));
	put(scene, "answer", GRANTED(WRITES, "\"event\":null"));
	clock_skew_ms += TTL_MS;
	assert_null(run_call(scene, "switched_write"));
	put(scene, "answer", GRANTED("", NEW(EVENT_2)));
	clock_skew_ms += TTL_MS;
	assert_string_equal(run_call(scene, "switched_write"), "TOOL_NOT_FOUND");
	starts = text_of(scene, "starts");
	assert_string_equal(starts,
	    "scope --workspace=" WORKSPACE " --stage=01-a --record --surface=switched --json\n"
	    "scope --workspace=" WORKSPACE " --stage=01-a --record --since=" EVENT_1
	    " --surface=switched --json\n"
	    "scope --workspace=" WORKSPACE " --stage=01-a --record --since=" EVENT_1
	    " --surface=switched --json\n");
	assert_int_equal(rows(scene, "outcome", "", "scope " EVENT_1), 2);
	assert_int_equal(rows(scene, "intent", "", "scope " EVENT_1), 2);
	assert_int_equal(rows(scene, "refusal", "TOOL_NOT_FOUND", "scope, scope " EVENT_2), 1);
}

static void the_vault_is_given_the_environment_of_its_surface(void **state)
{
	static const char *const allowed[] = { "HOME=", "LANG=C.UTF-8",
		"PATH=", "PWD=", "SHLVL=", "STILE_CALLER=mcp",
		"STILE_DATA_DIR=", "STILE_TOKEN_FILE=/some/token", "_=" };
	struct scene *scene = *state;
	cleanup_free char *environment = NULL;
	char *rest = NULL;

	serve(scene);
	assert_int_equal(list(scene), 1);
	environment = text_of(scene, "environment");
	for (char *line = strtok_r(environment, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		bool is_allowed = false;

		for (size_t i = 0; i < ARRAY_LEN(allowed); i++)
			is_allowed |= strncmp(line, allowed[i], strlen(allowed[i])) == 0;
		if (!is_allowed)
			fail_msg("the vault was given %s", line);
	}
}

/* ---- how often ---- */

static void fifty_calls_at_once_ask_once(void **state)
{
	struct scene *scene = *state;

	serve(scene);
	for (size_t i = 0; i < 50; i++)
		(void)begin_call(scene, i % 2 == 0 ? "switched_write" : "switched_none");
	turn_until(scene, &scene->ended, 50);
	assert_int_equal(asked(scene), 1);
	assert_int_equal(ran(scene), 25);
}

static void a_decision_counts_as_long_as_the_launch_says(void **state)
{
	struct scene *scene = *state;

	serve(scene);
	assert_null(run_call(scene, "switched_write"));
	clock_skew_ms += TTL_MS - 1;
	assert_null(run_call(scene, "switched_write"));
	assert_int_equal(list(scene), 1);
	assert_int_equal(asked(scene), 1);
	put(scene, "answer", GRANTED(WRITES, "\"event\":null"));
	clock_skew_ms += 1;
	assert_null(run_call(scene, "switched_write"));
	assert_int_equal(asked(scene), 2);
	scene->options.scope_ttl_ms = 0;
	assert_null(run_call(scene, "switched_write"));
	assert_null(run_call(scene, "switched_write"));
	assert_int_equal(asked(scene), 4);
}

static void more_calls_than_may_wait_are_refused(void **state)
{
	struct scene *scene = *state;
	size_t len = unit_many(LIMIT_WAITING + 3);
	size_t refused = len > LIMIT_WAITING ? len - LIMIT_WAITING : 0;

	put(scene, "hang", "");
	serve(scene);
	for (size_t i = 0; i < len; i++)
		call_start(make_call(scene, "switched_none"));
	turn_until(scene, &scene->refused, refused);
	turn_until_asked(scene, 1);
	host_drain(scene->host);
	turn_until(scene, &scene->ended, len);
	assert_int_equal(scene->refused, refused);
	assert_int_equal(asked(scene), 1);
}

static void who_comes_long_after_the_question_waits_for_the_next(void **state)
{
	struct scene *scene = *state;

	scene->options.scope_ttl_ms = 0;
	serve(scene);
	(void)begin_call(scene, "switched_write");
	turn(scene);
	clock_skew_ms += 1;
	(void)begin_call(scene, "switched_write");
	turn_until(scene, &scene->ended, 2);
	assert_int_equal(asked(scene), 2);
	assert_int_equal(ran(scene), 2);
}

static void a_cancelled_call_that_waits_ends_and_the_others_go_on(void **state)
{
	struct scene *scene = *state;
	struct call *call;

	serve(scene);
	call = begin_call(scene, "switched_write");
	(void)begin_call(scene, "switched_write");
	turn(scene);
	assert_int_equal(scene->ended, 0);
	call_cancel(call);
	turn_until(scene, &scene->ended, 2);
	assert_int_equal(ran(scene), 1);
	assert_int_equal(rows(scene, "refusal", "CANCELLED", "scope"), 1);
}

static void the_end_does_not_wait_for_the_vault(void **state)
{
	struct scene *scene = *state;

	put(scene, "hang", "");
	serve(scene);
	(void)begin_call(scene, "switched_write");
	turn_until_asked(scene, 1);
	host_drain(scene->host);
	turn_until(scene, &scene->ended, 1);
	assert_string_equal(scene->code, "CANCELLED");
	host_terminate(scene->host);
	assert_string_equal(run_call(scene, "switched_write"), "SCOPE_UNAVAILABLE");
	host_kill(scene->host);
	assert_int_equal(asked(scene), 1);
	assert_int_equal(ran(scene), 0);
}

/* ---- changes ---- */

static void on_changed(void *ctx, unsigned changes)
{
	struct scene *scene = ctx;

	scene->changes |= changes;
}

/* Turns until the vault that was asked last has ended and was heard. */
static void turn_until_answered(const struct scene *scene)
{
	cleanup_free char *text = text_of(scene, "pid");
	cleanup_err struct err err = ERR_INIT;
	int64_t pid = 0;

	text[strcspn(text, "\n")] = '\0';
	assert_ok(num_parse(text, 1, INT32_MAX, &pid, &err), &err);
	while (kill((pid_t)pid, 0) == 0)
		turn(scene);
	for (size_t i = 0; i < 4; i++)
		turn(scene);
}

/* The next look in the background; the vault has then been asked so often in all. */
static void look(const struct scene *scene, size_t wanted)
{
	clock_skew_ms += TTL_MS;
	for (size_t i = 0; i < 4; i++)
		turn(scene);
	turn_until_asked(scene, wanted);
	turn_until_answered(scene);
	assert_int_equal(asked(scene), wanted);
}

static void the_background_asks_only_when_the_vault_has_changed(void **state)
{
	struct scene *scene = *state;

	serve(scene);
	put(scene, "data/vault.db", "one");
	host_watch(scene->host, true, on_changed, scene);
	assert_int_equal(list(scene), 1);
	assert_int_equal(scene->changes, 0);
	look(scene, 1);
	look(scene, 1);
	put(scene, "data/vault.db", "other");
	put(scene, "answer", GRANTED(WRITES, "\"event\":null"));
	look(scene, 2);
	look(scene, 2);
	assert_int_equal(scene->changes, 0);
	put(scene, "data/vault.db-wal", "log");
	put(scene, "answer", GRANTED("", NEW(EVENT_2)));
	look(scene, 3);
	assert_int_equal(scene->changes, HOST_TOOLS_CHANGED);
	assert_int_equal(list(scene), 0);
}

static void the_background_asks_again_while_there_is_no_decision(void **state)
{
	struct scene *scene = *state;

	serve(scene);
	host_watch(scene->host, true, on_changed, scene);
	put(scene, "answer", "");
	assert_int_equal(list(scene), 0);
	look(scene, 2);
	assert_int_equal(scene->changes, 0);
	put(scene, "answer", GRANTED(WRITES, NEW(EVENT_1)));
	look(scene, 3);
	assert_int_equal(scene->changes, HOST_TOOLS_CHANGED);
	scene->changes = 0;
	put(scene, "answer", "");
	clock_skew_ms += TTL_MS;
	assert_int_equal(list(scene), 0);
	turn(scene);
	assert_int_equal(scene->changes, HOST_TOOLS_CHANGED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_no_answer_grants_nothing),
		TEST(an_answer_counts_only_with_the_exit_status_of_success),
		TEST(a_vault_that_dies_is_unreachable_and_asked_again),
		TEST(a_vault_that_hangs_is_ended_at_its_limit),
		TEST(an_older_decision_is_not_fallen_back_on),
		TEST(nothing_is_asked_at_the_start),
		TEST(the_question_is_whole_and_names_the_last_event),
		TEST(the_vault_is_given_the_environment_of_its_surface),
		TEST(fifty_calls_at_once_ask_once),
		TEST(a_decision_counts_as_long_as_the_launch_says),
		TEST(more_calls_than_may_wait_are_refused),
		TEST(who_comes_long_after_the_question_waits_for_the_next),
		TEST(a_cancelled_call_that_waits_ends_and_the_others_go_on),
		TEST(the_end_does_not_wait_for_the_vault),
		TEST(the_background_asks_only_when_the_vault_has_changed),
		TEST(the_background_asks_again_while_there_is_no_decision),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
