/* SPDX-License-Identifier: MIT */
/*
 * The server before the real host: a surface file that a person trusted, a real program behind it,
 * the real record. What the protocol demands to the byte is in test_mcp_conversation.c; here it is
 * seen that the two rooms keep their promises to each other.
 */
#include "unit.h"

#include "mcp_talk.h"
#include "scratch.h"

#include "base/dirs.h"
#include "gate/gate.h"

/* The program is a shell with a script of ours: it says a word, waits, or fails. */
static const char surface_text[] =
    "stile: 1\n"
    "surface: words\n"
    "title: Words\n"
    "program:\n"
    "  run: /bin/sh\n"
    "  args: [-c, 'case \"$1\" in say) printf %s \"$3\";; wait) sleep 60;; *) exit 9;; esac', sh]\n"
    "limits: { children: 4 }\n"
    "tools:\n"
    "- name: words_say\n"
    "  description: Says a word.\n"
    "  effect: read\n"
    "  input: { properties: { word: { type: string, description: The word. } }, required: [word] "
    "}\n"
    "  argv: [say, --, '{word}']\n"
    "  result: { parse: text }\n"
    "- { name: words_wait, description: Waits., effect: read, argv: [wait] }\n"
    "- { name: words_fail, description: Fails., effect: read, argv: [fail] }\n"
    "- { name: words_write, description: Writes., effect: write, argv: [write] }\n";

struct scene {
	struct talk talk; /* first: a test sees the scene as its talk */
	struct host_options options;
	struct host *host;
	char *folder;
	char *surface;
};

/* As `stile surface trust` does. */
static void trust_surface(struct scene *scene, const char *data_dir)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_gate_trust struct gate_trust trust = GATE_TRUST_INIT;
	struct gate_trusted now = { 0 };
	struct surface *surface = host_describe_surface(scene->surface, &now, &err);

	if (surface == NULL)
		fail_msg("%s", err.message);
	gate_trust_set(&trust, &now);
	assert_ok(gate_trust_save(data_dir, &trust, &err), &err);
	gate_trusted_release(&now);
	surface_free(surface);
}

static int setup(void **state)
{
	struct scene *scene = xcalloc(1, sizeof(*scene));
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *data_dir = NULL;
	void *folder = NULL;

	assert_int_equal(scratch_setup(&folder), 0);
	scene->folder = folder;
	scene->surface = scratch_path(scene->folder, "words.yaml");
	scratch_write(scene->surface, surface_text, strlen(surface_text));
	data_dir = scratch_path(scene->folder, "data");
	assert_int_equal(setenv("STILE_DATA_DIR", data_dir, 1), 0);
	assert_int_equal(setenv("HOME", scene->folder, 1), 0);
	assert_ok(dirs_ensure(data_dir, &err), &err);
	trust_surface(scene, data_dir);

	talk_open(&scene->talk);
	scene->options = HOST_OPTIONS_INIT;
	scene->options.caller = "mcp";
	strvec_push(&scene->options.surfaces, scene->surface);
	strvec_push(&scene->options.roots, scene->folder);
	scene->host = host_new(scene->talk.loop, &scene->options, &err);
	if (scene->host == NULL)
		fail_msg("%s", err.message);
	talk_serve(&scene->talk, scene->host);
	*state = scene;
	return 0;
}

static int teardown(void **state)
{
	struct scene *scene = *state;
	void *folder = scene->folder;

	talk_end(&scene->talk);
	host_free(scene->host);
	talk_close(&scene->talk);
	host_options_release(&scene->options);
	free(scene->surface);
	free(scene);
	return scratch_teardown(&folder);
}

static struct host *host_of(struct talk *talk)
{
	return ((struct scene *)talk)->host;
}

static void expect_part(struct talk *talk, const char *part)
{
	char *line = talk_next_line(talk);

	if (strstr(line, part) == NULL)
		fail_msg("%s: no %s", line, part);
	free(line);
}

/* ---- refusals ---- */

static void unknown_tool_is_a_protocol_error(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, CALL("1", "words_nosuch", "," META));
	talk_expect_error(talk, "1", -32602);
	assert_int_equal(host_active(host_of(talk)), 0);
}

static void bad_arguments_are_an_error_result(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, CALL("1", "words_say", ",\"arguments\":{\"word\":7}," META));
	expect_part(talk, "\"isError\":true");
	talk_say(talk, CALL("2", "words_say", ",\"arguments\":{\"word\":\"\\ud800\"}," META));
	expect_part(talk, "INVALID_ARGUMENT");
	talk_say(talk, CALL("3", "words_say", "," META));
	expect_part(talk, "INVALID_ARGUMENT");
}

static void write_is_refused_in_both_eras(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, CALL("1", "words_write", "," META));
	expect_part(talk, "\"id\":1");
	talk_shake_hands(talk, "2025-11-25");
	talk_say(talk, CALL("2", "words_write", ""));
	expect_part(talk, "\"isError\":true");
}

/* ---- calls ---- */

static void call_is_answered_with_its_record_on_disk(void **state)
{
	struct talk *talk = *state;
	cleanup_free char *ledger = scratch_path(((struct scene *)talk)->folder, "data/ledger.db");

	assert_int_equal(access(ledger, F_OK), -1);
	talk_say(talk, CALL("1", "words_say", ",\"arguments\":{\"word\":\"-h; $(id)\"}," META));
	expect_part(talk, "-h; $(id)");
	assert_int_equal(access(ledger, F_OK), 0);
}

static void list_shows_the_tools_in_file_order(void **state)
{
	struct talk *talk = *state;
	char *line;
	const char *at;

	talk_shake_hands(talk, "2025-06-18");
	talk_say(talk, REQUEST("1", "tools/list", ""));
	line = talk_next_line(talk);
	at = strstr(line, "\"words_say\"");
	assert_non_null(at);
	at = strstr(at, "\"words_wait\"");
	assert_non_null(at);
	assert_non_null(strstr(at, "\"words_fail\""));
	free(line);
}

static void program_that_fails_is_an_error_result(void **state)
{
	struct talk *talk = *state;

	talk_shake_hands(talk, "2024-11-05");
	talk_say(talk, CALL("1", "words_fail", ""));
	expect_part(talk, "[PROGRAM_FAILED]");
}

static void slow_call_holds_up_nothing(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, CALL("1", "words_wait", "," META));
	talk_say(talk, CALL("2", "words_say", ",\"arguments\":{\"word\":\"fast\"}," META));
	expect_part(talk, "\"id\":2");
	talk_expect_silence(talk);
	assert_int_equal(host_active(host_of(talk)), 1);
}

static void cancelled_call_ends_its_program_and_is_silent(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, CALL("1", "words_wait", "," META));
	talk_expect_silence(talk);
	assert_int_equal(host_active(host_of(talk)), 1);
	talk_say(talk, CANCEL("1"));
	for (int64_t start_ms = clock_monotonic_ms(); host_active(host_of(talk)) > 0;) {
		talk_turn(talk, 100);
		assert_true(clock_monotonic_ms() - start_ms < 5000);
	}
	talk_expect_silence(talk);
}

static void calls_written_at_once_are_each_answered_once(void **state)
{
	enum { CALLS = 200 };
	struct talk *talk = *state;
	bool is_answered[CALLS] = { false };

	for (int i = 0; i < CALLS; i++) {
		cleanup_buf struct buf line = BUF_INIT;

		buf_addf(&line, CALL("%d", "words_say", ",\"arguments\":{\"word\":\"w%d\"}," META),
		    i, i);
		talk_say(talk, line.data);
	}
	for (int i = 0; i < CALLS; i++) {
		cleanup_json struct json_doc doc = JSON_DOC_INIT;
		cleanup_err struct err err = ERR_INIT;
		char *line = talk_next_line(talk);
		int64_t id = -1;

		assert_ok(json_read_take(&doc, line, strlen(line), &err), &err);
		assert_null(json_pointer(json_root(&doc), "/result/isError"));
		assert_true(json_number_int64(json_get(json_root(&doc), "id"), &id));
		assert_in_range(id, 0, CALLS - 1);
		assert_false(is_answered[id]);
		is_answered[id] = true;
	}
	talk_expect_silence(talk);
}

/* ---- changes ---- */

static void changed_surface_loses_its_tools_and_the_client_is_told(void **state)
{
	struct talk *talk = *state;

	talk_shake_hands(talk, "2025-06-18");
	talk_expect_silence(talk);
	scratch_write(((struct scene *)talk)->surface, "stile: 2\n", 9);
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
	talk_say(talk, REQUEST("1", "tools/list", ""));
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}");
	talk_say(talk, CALL("2", "words_say", ",\"arguments\":{\"word\":\"x\"}"));
	talk_expect_error(talk, "2", -32602);
}

/* ---- the end ---- */

static void end_of_input_waits_for_what_finishes_at_once(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, CALL("1", "words_say", ",\"arguments\":{\"word\":\"last\"}," META));
	close_fd(&talk->to);
	assert_true(talk_serve_out(talk) < 2000);
	expect_part(talk, "last");
}

static void end_of_input_ends_what_goes_on(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, CALL("1", "words_wait", "," META));
	close_fd(&talk->to);
	assert_true(talk_serve_out(talk) < 2000);
	assert_int_equal(host_active(host_of(talk)), 0);
	expect_part(talk, "\"isError\":true");
}

static void signal_ends_the_server_and_its_children(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, CALL("1", "words_wait", "," META));
	talk_expect_silence(talk);
	assert_int_equal(write(talk->signal, "x", 1), 1);
	assert_true(talk_serve_out(talk) < 1200);
	assert_int_equal(host_active(host_of(talk)), 0);
}

static void server_freed_in_mid_call_leaves_no_child(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, CALL("1", "words_wait", "," META));
	talk_expect_silence(talk);
	assert_int_equal(host_active(host_of(talk)), 1);
}

#define TALK(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TALK(unknown_tool_is_a_protocol_error),
		TALK(bad_arguments_are_an_error_result),
		TALK(write_is_refused_in_both_eras),
		TALK(call_is_answered_with_its_record_on_disk),
		TALK(list_shows_the_tools_in_file_order),
		TALK(program_that_fails_is_an_error_result),
		TALK(slow_call_holds_up_nothing),
		TALK(cancelled_call_ends_its_program_and_is_silent),
		TALK(calls_written_at_once_are_each_answered_once),
		TALK(changed_surface_loses_its_tools_and_the_client_is_told),
		TALK(end_of_input_waits_for_what_finishes_at_once),
		TALK(end_of_input_ends_what_goes_on),
		TALK(signal_ends_the_server_and_its_children),
		TALK(server_freed_in_mid_call_leaves_no_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
