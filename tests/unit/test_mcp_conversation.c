/* SPDX-License-Identifier: MIT */
/*
 * Conversations with the server over pipes, in one process, before a host of our own making: it
 * has the seam's functions (call/call.h) and tools that echo, hang, flood and refuse at will, so
 * that what the protocol demands can be seen to the byte. The real host: test_mcp_serve.c.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp_talk.h"

/* ---- the host ---- */

struct call {
	struct host *host;
	struct call *next;
	struct json_doc doc;
	const struct json *arguments;
	char *tool; /* or the URI of a read */
	bool is_read;
	call_done_fn done;
	void *ctx;
	bool may_end;      /* at the next flush */
	bool is_cancelled; /* by call_cancel() */
	bool is_drained;   /* by the end of the server */
	call_ask_fn ask;
	void *ask_ctx;
	enum call_answer answer; /* what a person said to the tool "ask" */
	bool has_answer;
};

struct host {
	struct tool tools[3];
	const struct tool *list[3];
	size_t list_len;
	struct resource resources[4];
	const struct resource *shown[4];
	size_t shown_len;
	bool has_resources;
	uint64_t generation;
	struct call *calls;
	size_t active;
	bool is_held;
	bool is_drained;
	unsigned terminated;
	unsigned killed;
	unsigned faults;
	enum err_code last_fault;
	bool is_watched;
	bool is_undecided; /* lists wait until decide_now() */
	struct host_waiter *waiting[4];
	size_t waiting_len;
	host_changed_fn changed;
	void *changed_ctx;
	/* what the last call was told about its client */
	char protocol[16];
	char client[64];
	bool can_ask;
};

const char *host_instructions(const struct host *host)
{
	(void)host;
	return "Serves \"tests\".";
}

const struct tool *const *host_tools(struct host *host, size_t *ret_len, uint64_t *ret_generation)
{
	*ret_len = host->list_len;
	*ret_generation = host->generation;
	return host->list;
}

const struct resource *const *host_resources(
    struct host *host, size_t *ret_len, uint64_t *ret_generation)
{
	*ret_len = host->shown_len;
	*ret_generation = host->generation;
	return host->shown;
}

bool host_has_resources(const struct host *host)
{
	return host->has_resources;
}

bool host_decide(struct host *host, struct host_waiter *waiter)
{
	if (!host->is_undecided)
		return true;
	waiter->is_waiting = true;
	/* Of a crowd, the rest is not called back. */
	if (host->waiting_len < ARRAY_LEN(host->waiting))
		host->waiting[host->waiting_len++] = waiter;
	return false;
}

void host_waiter_remove(struct host *host, struct host_waiter *waiter)
{
	for (size_t i = 0; waiter->is_waiting && i < host->waiting_len; i++) {
		if (host->waiting[i] == waiter)
			host->waiting[i] = NULL;
	}
	waiter->is_waiting = false;
}

/* In the loop, as the real one. */
static void decide_now(void *ctx)
{
	struct host *host = ctx;

	host->is_undecided = false;
	for (size_t i = 0; i < host->waiting_len; i++) {
		struct host_waiter *waiter = host->waiting[i];

		if (waiter == NULL)
			continue;
		host_waiter_remove(host, waiter);
		waiter->fn(waiter->ctx);
	}
	host->waiting_len = 0;
}

void host_watch(struct host *host, bool is_watching, host_changed_fn fn, void *ctx)
{
	host->is_watched = is_watching;
	host->changed = fn;
	host->changed_ctx = ctx;
}

bool host_hold(struct host *host, bool is_held)
{
	host->is_held = is_held;
	return false;
}

bool host_start_ready(struct host *host)
{
	(void)host;
	return true;
}

size_t host_active(const struct host *host)
{
	return host->active;
}

void host_note_protocol_fault(struct host *host, enum err_code code)
{
	host->faults++;
	host->last_fault = code;
}

static bool is_tool(const struct call *call, const char *name)
{
	return strcmp(call->tool, name) == 0;
}

struct call *call_new(struct host *host, const struct call_client *client, const char *tool,
    struct json_doc *doc, const struct json *arguments, call_done_fn done, void *ctx)
{
	struct call *call = xcalloc(1, sizeof(*call));

	call->host = host;
	call->tool = xstrdup(tool);
	call->doc = *doc;
	*doc = JSON_DOC_INIT;
	call->arguments = arguments;
	call->done = done;
	call->ctx = ctx;
	(void)snprintf(host->protocol, sizeof(host->protocol), "%s", client->protocol);
	(void)snprintf(
	    host->client, sizeof(host->client), "%s", client->name != NULL ? client->name : "-");
	host->can_ask = client->can_ask;
	call->ask = client->ask;
	call->ask_ctx = client->ask_ctx;
	call->answer = client->answer;
	return call;
}

struct call *call_new_read(struct host *host, const struct call_client *client, const char *uri,
    call_done_fn done, void *ctx)
{
	struct json_doc none = JSON_DOC_INIT;
	struct call *call = call_new(host, client, uri, &none, NULL, done, ctx);

	call->is_read = true;
	return call;
}

void call_start(struct call *call)
{
	struct call **place = &call->host->calls;

	while (*place != NULL)
		place = &(*place)->next;
	*place = call;
	call->host->active++;
	call->may_end = !is_tool(call, "hang") && !is_tool(call, "stubborn") &&
			(!is_tool(call, "ask") || call->ask == NULL);
	if (is_tool(call, "ask") && call->ask != NULL)
		call->ask(call->ask_ctx, call, "Really \"so\"?");
	if (call->host->is_drained) {
		call->may_end = true;
		call->is_drained = true;
	}
}

void call_answer(struct call *call, enum call_answer answer)
{
	assert_false(call->has_answer);
	call->has_answer = true;
	call->answer = answer;
	call->may_end = true;
}

void call_cancel(struct call *call)
{
	call->is_cancelled = true;
	call->may_end = true;
}

void host_drain(struct host *host)
{
	host->is_drained = true;
}

static void end_all(struct host *host, bool stubborn_too)
{
	for (struct call *call = host->calls; call != NULL; call = call->next) {
		if (call->may_end || (is_tool(call, "stubborn") && !stubborn_too))
			continue;
		call->may_end = true;
		call->is_drained = true;
	}
}

void host_terminate(struct host *host)
{
	host->terminated++;
	end_all(host, false);
}

void host_kill(struct host *host)
{
	host->killed++;
	end_all(host, true);
}

static void fill_text(struct buf *buf, char c, size_t len)
{
	memset(buf_reserve(buf, len), c, len);
	buf_commit(buf, len);
}

/* Structured content as a program may print it: over several lines. */
static void make_result(const struct call *call, struct call_outcome *outcome)
{
	struct surface_result *result = &outcome->result;
	struct err err = ERR_INIT;
	int64_t bytes = 0;

	if (call->is_drained) {
		(void)err_set(&err, ERR_CANCELLED, "the server ends");
		surface_error_result(&err, result);
	} else if (is_tool(call, "echo")) {
		buf_adds(&result->json, "{\"given\":\n");
		buf_add(&result->json, call->arguments != NULL ? call->arguments->raw : "null",
		    call->arguments != NULL ? call->arguments->raw_len : 4);
		buf_adds(&result->json, "\r\n}");
	} else if (is_tool(call, "words")) {
		result->has_text = true;
		buf_adds(&result->text, "two\nlines");
	} else if (is_tool(call, "flood")) {
		(void)json_number_int64(json_get(call->arguments, "bytes"), &bytes);
		result->has_text = true;
		fill_text(&result->text, 'x', (size_t)bytes);
	} else if (is_tool(call, "fail") || is_tool(call, "promise")) {
		(void)err_set(&err, ERR_PROGRAM_FAILED, "it failed");
		surface_error_result(&err, result);
	} else if (is_tool(call, "ask") && call->ask == NULL && call->answer == CALL_UNANSWERED) {
		outcome->question = "Really?";
		outcome->state = "s-t";
	} else if (is_tool(call, "ask")) {
		buf_addf(&result->json, "{\"answer\":%d}", (int)call->answer);
	} else if (is_tool(call, "confirm")) {
		(void)err_set(&err, ERR_WRITE_CONFIRMATION_UNAVAILABLE, "nobody can be asked");
		surface_error_result(&err, result);
	} else {
		(void)err_set(&outcome->err, ERR_TOOL_NOT_FOUND, "no such tool");
	}
	err_release(&err);
}

static const struct resource *find_resource(const struct call *call)
{
	for (size_t i = 0; i < call->host->shown_len; i++) {
		if (strcmp(call->host->shown[i]->uri, call->tool) == 0)
			return call->host->shown[i];
	}
	return NULL;
}

static void make_read(const struct call *call, struct call_outcome *outcome)
{
	struct surface_result *result = &outcome->result;
	struct err err = ERR_INIT;

	outcome->resource = find_resource(call);
	outcome->uri = call->tool;
	if (call->is_drained) {
		(void)err_set(&err, ERR_CANCELLED, "the server ends");
		surface_error_result(&err, result);
	} else if (outcome->resource == NULL) {
		(void)err_set(&outcome->err, ERR_RESOURCE_NOT_FOUND, "no such resource");
		(void)err_take_details(&outcome->err, xstrdup("{\"uri\":\"x\"}"));
	} else if (is_tool(call, "t://text")) {
		result->has_text = true;
		buf_adds(&result->text, "one\ntwo");
	} else if (is_tool(call, "t://wrong")) {
		(void)err_set(&err, ERR_INVALID_ARGUMENT, "/size: is a string");
		surface_error_result(&err, result);
	} else if (is_tool(call, "t://flood")) {
		/* Little that indentation makes much of. */
		for (size_t i = 0; i < 400; i++)
			buf_addc(&result->json, '[');
		for (size_t i = 0; i < 50000; i++)
			buf_adds(&result->json, "1,");
		buf_addc(&result->json, '1');
		for (size_t i = 0; i < 400; i++)
			buf_addc(&result->json, ']');
	} else {
		buf_adds(&result->json, "{\"a\":[1,2.50],\"b\":{},\"c\":\"x: {\\\"\"}");
		outcome->masks = 2;
	}
	err_release(&err);
}

static void end_call(struct call *call)
{
	struct call_outcome outcome = {
		.err = ERR_INIT,
		.result = SURFACE_RESULT_INIT,
		.is_cancelled = call->is_cancelled,
	};

	if (call->is_read)
		make_read(call, &outcome);
	else
		make_result(call, &outcome);
	call->host->active--;
	call->done(call->ctx, &outcome);
	surface_result_release(&outcome.result);
	err_release(&outcome.err);
	json_doc_release(&call->doc);
	free(call->tool);
	free(call);
}

void host_flush(struct host *host)
{
	struct call **place = &host->calls;

	while (*place != NULL) {
		struct call *call = *place;

		if (!call->may_end) {
			place = &call->next;
			continue;
		}
		*place = call->next;
		end_call(call);
	}
}

static struct tool tool_of(const char *name, bool has_output)
{
	return (struct tool){
		.name = xstrdup(name),
		.description = xstrdup("Does it."),
		.input_schema = xstrdup("{\"type\":\"object\",\"properties\":{}}"),
		.output_schema = has_output ? xstrdup("{\"type\":\"object\"}") : NULL,
		.effect = SURFACE_READ,
	};
}

static struct resource resource_of(const char *uri, const char *mime, const struct tool *tool)
{
	return (struct resource){
		.uri = xstrdup(uri),
		.name = xstrdup("name"),
		.title = xstrdup("Title"),
		.description = xstrdup("Says it."),
		.mime = xstrdup(mime),
		.is_template = strchr(uri, '{') != NULL,
		.tool = tool,
	};
}

/* ---- a conversation ---- */

struct scene {
	struct talk talk; /* first: a test sees the scene as its talk */
	struct host host;
};

static struct host *host_of(struct talk *talk)
{
	return &((struct scene *)talk)->host;
}

static int setup(void **state)
{
	struct scene *scene = xcalloc(1, sizeof(*scene));
	struct host *host = &scene->host;

	host->tools[0] = tool_of("echo", false);
	host->tools[1] = tool_of("promise", true);
	host->tools[2] = tool_of("hang", false);
	for (size_t i = 0; i < ARRAY_LEN(host->tools); i++)
		host->list[i] = &host->tools[i];
	host->list_len = 1;
	host->resources[0] = resource_of("t://json", "application/json", NULL);
	host->resources[1] = resource_of("t://text", "text/plain", &host->tools[0]);
	host->resources[2] = resource_of("t://{var}", "application/json", &host->tools[0]);
	host->resources[3] = resource_of("t://wrong", "application/json", &host->tools[0]);
	for (size_t i = 0; i < ARRAY_LEN(host->resources); i++)
		host->shown[i] = &host->resources[i];
	host->generation = 1;
	talk_open(&scene->talk);
	talk_serve(&scene->talk, host);
	*state = scene;
	return 0;
}

static int teardown(void **state)
{
	struct scene *scene = *state;
	struct host *host = &scene->host;

	talk_end(&scene->talk);
	host_kill(host);
	host_flush(host);
	talk_close(&scene->talk);
	for (size_t i = 0; i < ARRAY_LEN(host->tools); i++) {
		free(host->tools[i].name);
		free(host->tools[i].description);
		free(host->tools[i].input_schema);
		free(host->tools[i].output_schema);
	}
	for (size_t i = 0; i < ARRAY_LEN(host->resources); i++) {
		free(host->resources[i].uri);
		free(host->resources[i].name);
		free(host->resources[i].title);
		free(host->resources[i].description);
		free(host->resources[i].mime);
	}
	free(scene);
	return 0;
}

/* From here on a surface with resources is served. */
static void show_resources(struct talk *talk)
{
	host_of(talk)->has_resources = true;
	host_of(talk)->shown_len = ARRAY_LEN(host_of(talk)->resources);
}

/* ---- refusals ---- */

static void what_is_no_message_is_answered_without_id(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, "{");
	talk_expect_error(talk, NULL, -32700);
	talk_say(talk, "\xff");
	talk_expect_error(talk, NULL, -32700);
	talk_say(talk, "42");
	talk_expect_error(talk, NULL, -32600);
	talk_say(talk, "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}");
	talk_expect_error(talk, NULL, -32600);
	talk_say(talk, "Content-Length: 2\r\n\r");
	talk_expect_error(talk, NULL, -32700);
	assert_int_equal(host_of(talk)->faults, 5);
	assert_int_equal(host_of(talk)->last_fault, ERR_PARSE);
}

static void message_past_the_limit_is_refused_and_the_next_is_served(void **state)
{
	struct talk *talk = *state;
	size_t len = 3 * LIMIT_FRAME_IN;
	char *flood = malloc(len);

	assert_non_null(flood);
	memset(flood, '[', len);
	talk_say_bytes(talk, flood, len);
	free(flood);
	talk_say(talk, "");
	talk_expect_error(talk, NULL, -32600);
	talk_expect_silence(talk);
}

static void request_without_a_session_is_refused(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, CALL("1", "echo", ""));
	talk_expect_error(talk, "1", -32602);
	talk_say(talk, REQUEST("2", "server/discover", ""));
	talk_expect_error(talk, "2", -32602);
	talk_say(talk, REQUEST("3", "no/such", ""));
	talk_expect_error(talk, "3", -32602);
	assert_int_equal(host_of(talk)->active, 0);
}

static void unknown_methods_and_bad_params_are_refused(void **state)
{
	struct talk *talk = *state;

	talk_shake_hands(talk, "2025-11-25");
	talk_say(talk, REQUEST("1", "resources/list", ""));
	talk_expect_error(talk, "1", -32601);
	talk_say(talk, REQUEST("2", "tools/call", ""));
	talk_expect_error(talk, "2", -32602);
	talk_say(talk, REQUEST("3", "tools/call", "\"name\":7"));
	talk_expect_error(talk, "3", -32602);
	talk_say(talk, CALL("4", "echo", ",\"arguments\":[]"));
	talk_expect_error(talk, "4", -32602);
	talk_say(talk, CALL("5", "echo", ",\"arguments\":null"));
	talk_expect_error(talk, "5", -32602);
	talk_say(talk, CALL("6", "missing", ""));
	talk_expect_error(talk, "6", -32602);
	talk_say(talk, REQUEST("7", "tools/list", "\"cursor\":7"));
	talk_expect_error(talk, "7", -32602);
	talk_say(talk, REQUEST("8", "tools/list", "\"cursor\":\"bogus\""));
	talk_expect_error(talk, "8", -32602);
	talk_say(talk, REQUEST("9", "initialize", "\"protocolVersion\":7"));
	talk_expect_error(talk, "9", -32602);
	talk_say(talk, REQUEST("10", "tools/call", META ",\"name\":\"echo\",\"requestState\":1"));
	talk_expect_error(talk, "10", -32602);
	assert_int_equal(host_of(talk)->active, 0);
}

static void notifications_and_responses_are_not_answered(void **state)
{
	struct talk *talk = *state;

	talk_shake_hands(talk, "2025-11-25");
	talk_say(
	    talk, "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"}}");
	talk_say(talk, "{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}");
	talk_say(talk, "{\"jsonrpc\":\"1.0\",\"method\":\"no/such\"}");
	talk_say(talk, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}");
	talk_say(talk, CANCEL("\"unknown\""));
	talk_say(talk, CANCEL("{}"));
	talk_say(talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}");
	talk_expect_silence(talk);
	assert_int_equal(host_of(talk)->active, 0);
}

static void id_in_flight_is_refused_and_the_first_is_undisturbed(void **state)
{
	struct talk *talk = *state;

	talk_shake_hands(talk, "2025-06-18");
	talk_say(talk, CALL("7", "hang", ""));
	talk_say(talk, CALL("7", "echo", ""));
	talk_expect_error(talk, "7", -32600);
	talk_say(talk, REQUEST("7.0", "tools/list", ""));
	talk_expect_error(talk, "7.0", -32600);
	talk_say(talk, CALL("\"7\"", "words", ""));
	talk_expect(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":\"7\",\"result\":{\"content\":[{\"type\":\"text\","
	    "\"text\":\"two\\nlines\"}]}}");
	assert_int_equal(host_of(talk)->active, 1);
}

static void tool_that_needs_a_yes_from_a_modern_client_that_cannot_ask(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, CALL("1", "confirm", "," META));
	talk_expect(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32021,\"message\":\"this tool "
	    "needs "
	    "a person's yes, and the client declared no elicitation to ask with\",\"data\":"
	    "{\"requiredCapabilities\":{\"elicitation\":{}},\"error_code\":"
	    "\"WRITE_CONFIRMATION_UNAVAILABLE\"}}}");
	talk_shake_hands(talk, "2025-11-25");
	talk_say(talk, CALL("1", "confirm", ""));
	talk_expect(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
	    "\"[WRITE_CONFIRMATION_UNAVAILABLE] nobody can be asked\"}],\"structuredContent\":"
	    "{\"error_code\":\"WRITE_CONFIRMATION_UNAVAILABLE\",\"retryable\":false,"
	    "\"message\":\"nobody can be asked\"},"
	    "\"isError\":true}}");
}

static void answer_past_the_bound_of_a_line_is_an_error_result(void **state)
{
	struct talk *talk = *state;
	char *line;

	talk_shake_hands(talk, "2024-11-05");
	talk_say(talk, CALL("1", "flood", ",\"arguments\":{\"bytes\":10485760}"));
	line = talk_next_line(talk);
	assert_non_null(strstr(line, "[OUTPUT_TOO_LARGE]"));
	assert_non_null(strstr(line, "\"isError\":true"));
	free(line);
	talk_say(talk, CALL("2", "flood", ",\"arguments\":{\"bytes\":9000000}"));
	line = talk_next_line(talk);
	assert_true(strlen(line) > 9000000);
	free(line);
}

/* ---- batches ---- */

static void batches_are_refused_in_every_other_revision(void **state)
{
	static const char *const revisions[] = { "2024-11-05", "2025-06-18", "2025-11-25" };
	struct talk *talk = *state;

	talk_say(talk, "[" REQUEST("1", "ping", "") "]");
	talk_expect_error(talk, NULL, -32600);
	for (size_t i = 0; i < ARRAY_LEN(revisions); i++) {
		talk_shake_hands(talk, revisions[i]);
		talk_say(talk, "[" CALL("1", "echo", "") "]");
		talk_expect_error(talk, NULL, -32600);
		talk_say(talk, "[]");
		talk_expect_error(talk, NULL, -32600);
	}
	assert_int_equal(host_of(talk)->active, 0);
}

static void bad_members_of_a_batch_are_refused_alone(void **state)
{
	struct talk *talk = *state;

	talk_shake_hands(talk, "2025-03-26");
	talk_say(talk, "[]");
	talk_expect_error(talk, NULL, -32600);
	talk_say(talk, "[" REQUEST("1", "ping", "") "," CALL("2", "echo", "," META) "]");
	talk_expect_error(talk, NULL, -32600);
	talk_say(talk, "[" REQUEST("1", "initialize", "\"protocolVersion\":\"2025-06-18\"") "]");
	talk_expect(talk,
	    "[{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,\"message\":\"this request "
	    "must not stand in a batch\"}}]");
	talk_say(talk, "[1,[],{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":7}]");
	talk_expect(talk,
	    "[{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"a message is a JSON "
	    "object\"}},{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"a batch "
	    "holds "
	    "no other batch\"}},{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32600,"
	    "\"message\":\"method must be a string\"}}]");
}

static void batch_is_one_array_and_waits_for_its_slowest(void **state)
{
	struct talk *talk = *state;

	talk_shake_hands(talk, "2025-03-26");
	talk_say(
	    talk, "[" REQUEST("1", "ping", "") "," CALL("2", "echo",
		      ",\"arguments\":{\"a\":1}") "," INITIALIZED "," CALL("3", "hang", "") "]");
	talk_expect_silence(talk);
	assert_int_equal(host_of(talk)->active, 1);
	talk_say(talk, CANCEL("3"));
	talk_expect(talk,
	    "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},{\"jsonrpc\":\"2.0\",\"id\":2,"
	    "\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
	    "\"{\\\"given\\\":\\n{\\\"a\\\":1}\\r\\n}\"}]}}]");
}

static void batch_of_notifications_is_silent(void **state)
{
	struct talk *talk = *state;

	talk_shake_hands(talk, "2025-03-26");
	talk_say(
	    talk, "[" INITIALIZED "," CANCEL("9") ",{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]");
	talk_expect_silence(talk);
}

static void batch_of_large_answers_stays_below_the_bound_of_a_line(void **state)
{
	struct talk *talk = *state;
	cleanup_buf struct buf line = BUF_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	struct err err = ERR_INIT;
	char *answer;

	talk_shake_hands(talk, "2025-03-26");
	buf_addc(&line, '[');
	for (int i = 0; i < 8; i++)
		buf_addf(&line, "%s" CALL("%d", "flood", ",\"arguments\":{\"bytes\":3000000}"),
		    i > 0 ? "," : "", i);
	buf_addc(&line, ']');
	talk_say(talk, line.data);
	answer = talk_next_line(talk);
	assert_true(strlen(answer) < LIMIT_FRAME_OUT);
	assert_ok(json_read_take(&doc, answer, strlen(answer), &err), &err);
	assert_int_equal(json_root(&doc)->len, 8);
	assert_non_null(json_pointer(json_root(&doc), "/7/result/isError"));
}

static void batch_of_too_many_members_is_refused_whole(void **state)
{
	struct talk *talk = *state;
	cleanup_buf struct buf line = BUF_INIT;

	talk_shake_hands(talk, "2025-03-26");
	buf_addc(&line, '[');
	for (int i = 0; i < 200000; i++)
		buf_addf(&line, "%s1", i > 0 ? "," : "");
	buf_addc(&line, ']');
	talk_say(talk, line.data);
	talk_expect_error(talk, NULL, -32600);
}

/* ---- handshakes and lists ---- */

static void handshake_answers_with_what_was_asked_or_the_latest(void **state)
{
	static const char *const pairs[][2] = {
		{ "2024-11-05", "2024-11-05" },
		{ "2025-03-26", "2025-03-26" },
		{ "2025-06-18", "2025-06-18" },
		{ "2025-11-25", "2025-11-25" },
		{ "2026-07-28", "2025-11-25" },
		{ "2099-01-01", "2025-11-25" },
		{ "", "2025-11-25" },
	};
	struct talk *talk = *state;

	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		cleanup_buf struct buf line = BUF_INIT;
		cleanup_buf struct buf wanted = BUF_INIT;

		buf_addf(
		    &line, REQUEST("0", "initialize", "\"protocolVersion\":\"%s\""), pairs[i][0]);
		buf_addf(&wanted,
		    "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"%s\","
		    "\"capabilities\":{\"tools\":{\"listChanged\":true}},\"serverInfo\":{\"name\":"
		    "\"stile\",%s\"version\":\"" STILE_VERSION "\"},\"instructions\":\"Serves "
		    "\\\"tests\\\".\"}}",
		    pairs[i][1],
		    strcmp(pairs[i][1], "2025-06-18") < 0 ? "" : "\"title\":\"Stile\",");
		talk_say(talk, line.data);
		talk_expect(talk, wanted.data);
	}
}

static void odd_capabilities_are_tolerated(void **state)
{
	struct talk *talk = *state;
	char *line;

	talk_say(
	    talk, REQUEST("0", "initialize",
		      "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":true,\"x\":1,"
		      "\"elicitation\":true},\"clientInfo\":7,\"more\":[]"));
	line = talk_next_line(talk);
	assert_non_null(strstr(line, "\"result\""));
	free(line);
	talk_say(talk, CALL("1", "words", ""));
	free(talk_next_line(talk));
	assert_false(host_of(talk)->can_ask);
	assert_string_equal(host_of(talk)->client, "-");
}

static void discovery_is_complete(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, REQUEST("\"p\"", "server/discover", META));
	talk_expect(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{\"resultType\":\"complete\","
	    "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":"
	    "true}},\"instructions\":\"Serves \\\"tests\\\".\",\"ttlMs\":300000,\"cacheScope\":"
	    "\"private\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"stile\","
	    "\"title\":\"Stile\",\"version\":\"" STILE_VERSION "\"}}}}");
}

static void both_eras_are_spoken_on_one_connection(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, CALL("1", "words", "," META));
	talk_expect(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"content\":"
	    "[{\"type\":\"text\",\"text\":\"two\\nlines\"}],\"_meta\":"
	    "{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"stile\",\"title\":\"Stile\","
	    "\"version\":\"" STILE_VERSION "\"}}}}");
	talk_shake_hands(talk, "2025-03-26");
	talk_say(talk, CALL("2", "words", ""));
	talk_expect(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\","
	    "\"text\":\"two\\nlines\"}]}}");
	assert_string_equal(host_of(talk)->protocol, "2025-03-26");
	assert_string_equal(host_of(talk)->client, "c");
	talk_say(talk, REQUEST("3", "ping", META));
	talk_expect_error(talk, "3", -32601);
	talk_say(talk, REQUEST("4", "tools/list", META));
	free(talk_next_line(talk));
	talk_say(talk, CALL("5", "words", "," META));
	free(talk_next_line(talk));
	assert_string_equal(host_of(talk)->protocol, "2026-07-28");
	assert_string_equal(host_of(talk)->client, "-");
}

static void pipelined_handshake_works(void **state)
{
	struct talk *talk = *state;
	char *line;

	talk_say(talk, REQUEST("0", "initialize",
			   "\"protocolVersion\":\"2025-06-18\"") "\n" INITIALIZED "\n" REQUEST("1",
			   "tools/list", ""));
	free(talk_next_line(talk));
	line = talk_next_line(talk);
	assert_non_null(strstr(line, "\"id\":1,\"result\":{\"tools\":[{\"name\":\"echo\""));
	free(line);
}

static void list_follows_the_generation(void **state)
{
	struct talk *talk = *state;
	char *before;
	char *again;
	char *after;

	talk_say(talk, REQUEST("1", "tools/list", META));
	before = talk_next_line(talk);
	talk_say(talk, REQUEST("1", "tools/list", META));
	again = talk_next_line(talk);
	assert_string_equal(before, again);
	host_of(talk)->list_len = 3;
	host_of(talk)->generation++;
	talk_say(talk, REQUEST("1", "tools/list", META));
	after = talk_next_line(talk);
	assert_null(strstr(before, "promise"));
	assert_non_null(strstr(after, "promise"));
	free(before);
	free(again);
	free(after);
}

/* ---- results ---- */

static void structured_content_is_mirrored_in_one_line(void **state)
{
	struct talk *talk = *state;

	talk_shake_hands(talk, "2025-06-18");
	talk_say(talk, CALL("1", "echo", ",\"arguments\":{\"n\":9007199254740993}"));
	talk_expect(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
	    "\"{\\\"given\\\":\\n{\\\"n\\\":9007199254740993}\\r\\n}\"}],\"structuredContent\":"
	    "{\"given\": {\"n\":9007199254740993}  }}}");
}

static void error_of_a_tool_with_an_output_schema_has_text_only(void **state)
{
	struct talk *talk = *state;

	host_of(talk)->list_len = 3;
	talk_shake_hands(talk, "2025-11-25");
	talk_say(talk, REQUEST("1", "tools/list", ""));
	free(talk_next_line(talk));
	talk_say(talk, CALL("2", "promise", ""));
	talk_expect(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
	    "\"[PROGRAM_FAILED] it failed\"}],\"isError\":true}}");
	talk_say(talk, CALL("3", "fail", ""));
	talk_expect(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
	    "\"[PROGRAM_FAILED] it failed\"}],\"structuredContent\":{\"error_code\":"
	    "\"PROGRAM_FAILED\",\"retryable\":false,\"message\":\"it failed\"},\"isError\":true}}");
}

static void ids_come_back_byte_for_byte(void **state)
{
	static const char *const ids[] = { "0", "-1", "\"\"", "1.0", "1e3", "9007199254740993",
		"\"\\u0041\\ud800\"", "\"\xf0\x9f\x8d\xb8\xe2\x80\xa8\"" };
	struct talk *talk = *state;

	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		cleanup_buf struct buf line = BUF_INIT;
		cleanup_buf struct buf wanted = BUF_INIT;

		buf_addf(&line, REQUEST("%s", "ping", ""), ids[i]);
		buf_addf(&wanted, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", ids[i]);
		talk_say(talk, line.data);
		talk_expect(talk, wanted.data);
	}
}

/* ---- cancellation ---- */

static void cancelled_call_is_never_answered(void **state)
{
	struct talk *talk = *state;

	talk_shake_hands(talk, "2025-11-25");
	talk_say(talk, CALL("0", "hang", "") "\n" CANCEL("0"));
	talk_expect_silence(talk);
	assert_int_equal(host_of(talk)->active, 0);
	talk_say(talk, CALL("1", "hang", ",\"_meta\":{\"progressToken\":0}"));
	talk_say(talk, CANCEL("\"1\""));
	talk_expect_silence(talk);
	assert_int_equal(host_of(talk)->active, 1);
	talk_say(talk, CANCEL("1.0"));
	talk_say(talk, CANCEL("1"));
	talk_expect_silence(talk);
	assert_int_equal(host_of(talk)->active, 0);
	talk_say(talk, REQUEST("1", "ping", ""));
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
}

/* ---- listen ---- */

#define LISTEN(id, filter) REQUEST(id, "subscriptions/listen", META ",\"notifications\":" filter)
#define ACK(id, filter)                                                                            \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":" \
	"{\"notifications\":" filter ",\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id  \
	"}}}"
#define CHANGED_ON(id)                                                                             \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":"         \
	"{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id "}}}"

static void change(struct talk *talk, unsigned changes)
{
	host_of(talk)->changed(host_of(talk)->changed_ctx, changes);
}

static void bad_filters_are_refused(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, REQUEST("1", "subscriptions/listen", META));
	talk_expect_error(talk, "1", -32602);
	talk_say(talk, LISTEN("2", "[]"));
	talk_expect_error(talk, "2", -32602);
	talk_say(talk, LISTEN("3", "{\"toolsListChanged\":\"yes\"}"));
	talk_expect_error(talk, "3", -32602);
	talk_say(talk, LISTEN("4", "{\"resourceSubscriptions\":[1]}"));
	talk_expect_error(talk, "4", -32602);
	talk_say(talk, LISTEN("5", "{\"promptsListChanged\":null}"));
	talk_expect_error(talk, "5", -32602);
	assert_false(host_of(talk)->is_watched);
}

static void streams_past_the_cap_are_refused(void **state)
{
	struct talk *talk = *state;

	for (size_t i = 0; i <= LIMIT_LISTEN_STREAMS; i++) {
		cleanup_buf struct buf line = BUF_INIT;

		buf_addf(&line, LISTEN("%zu", "{}"), i);
		talk_say(talk, line.data);
		if (i < LIMIT_LISTEN_STREAMS)
			free(talk_next_line(talk));
	}
	talk_expect_error(talk, "256", -32603);
	talk_say(talk, CANCEL("7"));
	talk_say(talk, LISTEN("7", "{}"));
	talk_expect(talk, ACK("7", "{}"));
}

static void streams_are_acknowledged_and_told_each_by_its_id(void **state)
{
	struct talk *talk = *state;

	talk_say(talk,
	    LISTEN("\"l:0\"", "{\"toolsListChanged\":true,\"promptsListChanged\":true,\"x\":7}"));
	talk_expect(talk, ACK("\"l:0\"", "{\"toolsListChanged\":true}"));
	talk_say(
	    talk, LISTEN("5", "{\"toolsListChanged\":false,\"resourceSubscriptions\":[\"a\"]}"));
	talk_expect(talk, ACK("5", "{}"));
	talk_say(talk, LISTEN("6", "{\"toolsListChanged\":true}"));
	talk_expect(talk, ACK("6", "{\"toolsListChanged\":true}"));
	assert_true(host_of(talk)->is_watched);
	change(talk, HOST_TOOLS_CHANGED | HOST_RESOURCES_CHANGED);
	change(talk, HOST_TOOLS_CHANGED | HOST_RESOURCES_CHANGED);
	talk_say(talk, REQUEST("1", "ping", ""));
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	talk_expect(talk, CHANGED_ON("6"));
	talk_expect(talk, CHANGED_ON("\"l:0\""));
	talk_say(talk, LISTEN("6", "{}"));
	talk_expect_error(talk, "6", -32600);
	talk_say(talk, CANCEL("6"));
	talk_say(talk, CANCEL("\"l:0\""));
	talk_expect_silence(talk);
	assert_false(host_of(talk)->is_watched);
}

static void session_is_told_of_changes_only_once_initialized(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, INITIALIZED);
	talk_expect_silence(talk);
	assert_false(host_of(talk)->is_watched);
	talk_say(talk, REQUEST("0", "initialize", "\"protocolVersion\":\"2025-06-18\""));
	free(talk_next_line(talk));
	assert_false(host_of(talk)->is_watched);
	talk_say(talk, INITIALIZED);
	talk_expect_silence(talk);
	assert_true(host_of(talk)->is_watched);
	change(talk, HOST_TOOLS_CHANGED | HOST_RESOURCES_CHANGED);
	talk_turn(talk, 10);
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
	talk_say(talk, REQUEST("0", "initialize", "\"protocolVersion\":\"2025-06-18\""));
	free(talk_next_line(talk));
	assert_false(host_of(talk)->is_watched);
}

/* ---- lists that wait ---- */

#define UNKNOWN_CURSOR REQUEST("4", "tools/list", "\"cursor\":\"none\"")

static void lists_wait_for_the_decision_and_keep_their_order(void **state)
{
	struct talk *talk = *state;
	char *line;

	show_resources(talk);
	talk_shake_hands(talk, "2025-11-25");
	host_of(talk)->is_undecided = true;
	talk_say(talk, REQUEST("1", "tools/list", ""));
	talk_say(talk, REQUEST("2", "resources/list", ""));
	talk_say(talk, UNKNOWN_CURSOR);
	talk_say(talk, REQUEST("5", "tools/list", "\"cursor\":7"));
	talk_expect_error(talk, "5", -32602);
	talk_say(talk, REQUEST("1", "ping", ""));
	talk_expect_error(talk, "1", -32600);
	(void)loop_add_timer(talk->loop, 0, decide_now, host_of(talk));
	line = talk_next_line(talk);
	assert_non_null(strstr(line, "\"id\":1,\"result\":{\"tools\":["));
	free(line);
	line = talk_next_line(talk);
	assert_non_null(strstr(line, "\"id\":2,\"result\":{\"resources\":["));
	free(line);
	talk_expect_error(talk, "4", -32602);
	talk_say(talk, REQUEST("1", "ping", ""));
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
}

static void more_lists_than_may_wait_are_refused(void **state)
{
	struct talk *talk = *state;
	size_t len = unit_many(LIMIT_WAITING + 1);

	host_of(talk)->is_undecided = true;
	for (size_t i = 0; i < len; i++) {
		cleanup_buf struct buf line = BUF_INIT;

		buf_addf(&line, REQUEST("%zu", "tools/list", META), i);
		talk_say(talk, line.data);
	}
	if (len > LIMIT_WAITING)
		talk_expect_error(talk, "20000", -32603);
	talk_expect_silence(talk);
}

static void cancelled_list_that_waits_is_never_answered(void **state)
{
	struct talk *talk = *state;

	talk_shake_hands(talk, "2025-11-25");
	host_of(talk)->is_undecided = true;
	talk_say(talk, REQUEST("1", "tools/list", ""));
	talk_say(talk, CANCEL("1"));
	talk_expect_silence(talk);
	assert_null(host_of(talk)->waiting[0]);
	(void)loop_add_timer(talk->loop, 0, decide_now, host_of(talk));
	talk_turn(talk, 100);
	talk_expect_silence(talk);
}

static void lists_that_wait_stand_in_batches(void **state)
{
	struct talk *talk = *state;
	char *line;

	talk_shake_hands(talk, "2025-03-26");
	host_of(talk)->is_undecided = true;
	talk_say(talk, "[" REQUEST("1", "ping", "") "," REQUEST("2", "tools/list", "") "]");
	talk_expect_silence(talk);
	(void)loop_add_timer(talk->loop, 0, decide_now, host_of(talk));
	line = talk_next_line(talk);
	assert_non_null(strstr(line, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},{"));
	assert_non_null(strstr(line, "\"id\":2,\"result\":{\"tools\":["));
	free(line);
}

static void end_of_input_waits_for_lists_that_wait(void **state)
{
	struct talk *talk = *state;
	char *line;

	host_of(talk)->is_undecided = true;
	talk_say(talk, REQUEST("1", "tools/list", META));
	close_fd(&talk->to);
	for (size_t i = 0; i < 5; i++)
		talk_turn(talk, 10);
	assert_false(talk->server->is_over);
	(void)loop_add_timer(talk->loop, 0, decide_now, host_of(talk));
	line = talk_next_line(talk);
	assert_non_null(strstr(line, "\"id\":1,\"result\":{"));
	free(line);
	talk_turn(talk, 10);
	assert_true(talk->server->is_over);
}

/* The host outlives the server: nobody may be called back any more. */
static void list_that_waits_is_forgotten_with_the_server(void **state)
{
	struct talk *talk = *state;
	struct host *host = host_of(talk);

	host->is_undecided = true;
	talk_say(talk, REQUEST("1", "tools/list", META));
	talk_turn(talk, 100);
	assert_int_equal(host->waiting_len, 1);
	talk_end(talk);
	assert_null(host->waiting[0]);
	decide_now(host);
}

/* ---- asking a person ---- */

#define QUESTION(number)                                                                           \
	"{\"jsonrpc\":\"2.0\",\"id\":\"s" number                                                   \
	"\",\"method\":\"elicitation/create\",\"params\":{"                                        \
	"\"message\":\"Really \\\"so\\\"?\",\"requestedSchema\":"

static void open_asking_session(struct talk *talk)
{
	talk_say(
	    talk, REQUEST("0", "initialize",
		      "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"elicitation\":{}}"));
	free(talk_next_line(talk));
	talk_say(talk, INITIALIZED);
}

/* The next line is question number n, whatever its form. */
static void expect_question(struct talk *talk, const char *begin)
{
	cleanup_free char *line = talk_next_line(talk);

	if (strncmp(line, begin, strlen(begin)) != 0)
		fail_msg("no question: %s", line);
}

static void expect_answer(struct talk *talk, enum call_answer answer)
{
	cleanup_free char *line = talk_next_line(talk);
	cleanup_free char *wanted = xasprintf("{\"answer\":%d}", (int)answer);

	if (strstr(line, wanted) == NULL)
		fail_msg("not %s: %s", wanted, line);
}

static void each_answer_means_what_it_says_and_nothing_else_means_yes(void **state)
{
	static const struct {
		const char *response; /* behind the id */
		enum call_answer answer;
	} cases[] = {
		{ "\"result\":{\"action\":\"accept\",\"content\":{\"confirm\":true}}",
		    CALL_ACCEPTED },
		{ "\"result\":{\"action\":\"accept\",\"content\":{\"confirm\":\"true\"}}",
		    CALL_DECLINED },
		{ "\"result\":{\"action\":\"accept\",\"content\":{}}", CALL_DECLINED },
		{ "\"result\":{\"action\":\"accept\"}", CALL_DECLINED },
		{ "\"result\":{\"action\":\"decline\",\"content\":{\"confirm\":true}}",
		    CALL_DECLINED },
		{ "\"result\":{\"action\":\"cancel\"}", CALL_DISMISSED },
		{ "\"result\":{\"action\":\"yes\"}", CALL_ASK_FAILED },
		{ "\"result\":{}", CALL_ASK_FAILED },
		{ "\"error\":{\"code\":-32603,\"message\":\"x\"}", CALL_ASK_FAILED },
	};
	struct talk *talk = *state;

	open_asking_session(talk);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cleanup_free char *begin = xasprintf(QUESTION("%zu"), i + 1);
		cleanup_free char *response =
		    xasprintf("{\"jsonrpc\":\"2.0\",\"id\":\"s%zu\",%s}", i + 1, cases[i].response);

		talk_say(talk, CALL("1", "ask", ""));
		expect_question(talk, begin);
		talk_say(talk, response);
		expect_answer(talk, cases[i].answer);
	}
}

static void strange_and_late_responses_answer_nothing(void **state)
{
	static const char yes[] =
	    "\"result\":{\"action\":\"accept\",\"content\":{\"confirm\":true}}}";
	struct talk *talk = *state;
	cleanup_free char *stranger = xasprintf("{\"jsonrpc\":\"2.0\",\"id\":\"s9\",%s", yes);
	cleanup_free char *number = xasprintf("{\"jsonrpc\":\"2.0\",\"id\":1,%s", yes);
	cleanup_free char *late = xasprintf("{\"jsonrpc\":\"2.0\",\"id\":\"s1\",%s", yes);

	open_asking_session(talk);
	talk_say(talk, CALL("1", "ask", ""));
	expect_question(talk, QUESTION("1"));
	talk_say(talk, stranger);
	talk_say(talk, number);
	talk_expect_silence(talk);
	talk_say(talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
		       "{\"requestId\":1}}");
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
			  "{\"requestId\":\"s1\"}}");
	talk_say(talk, late);
	talk_expect_silence(talk);
}

/* The clock that the loop reads, moved on by a test (meson.build wraps it). */
static int64_t clock_skew_us;
int64_t __real_clock_monotonic_us(void); /* NOLINT: the linker's name */
int64_t __wrap_clock_monotonic_us(void); /* NOLINT */
int64_t __wrap_clock_monotonic_us(void)  /* NOLINT */
{
	return __real_clock_monotonic_us() + clock_skew_us;
}

static void nobody_answers_in_time_and_the_question_is_taken_back(void **state)
{
	struct talk *talk = *state;

	open_asking_session(talk);
	talk_say(talk, CALL("1", "ask", ""));
	expect_question(talk, QUESTION("1"));
	clock_skew_us += (LIMIT_CONSENT_MS - 1000) * 1000;
	talk_expect_silence(talk);
	clock_skew_us += 2000 * 1000;
	talk_turn(talk, 10);
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
			  "{\"requestId\":\"s1\"}}");
	expect_answer(talk, CALL_TIMED_OUT);
}

static void nobody_is_asked_before_the_client_is_initialized(void **state)
{
	struct talk *talk = *state;

	talk_say(
	    talk, REQUEST("0", "initialize",
		      "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"elicitation\":{}}"));
	free(talk_next_line(talk));
	talk_say(talk, CALL("1", "ask", ""));
	talk_expect_silence(talk);
	talk_say(talk, INITIALIZED);
	expect_question(talk, QUESTION("1"));
}

static void modern_question_is_the_answer_and_comes_back_with_the_next_request(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, CALL("1", "ask", "," META));
	expect_question(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"input_required\","
	    "\"inputRequests\":{\"confirm\":{\"method\":\"elicitation/create\",\"params\":"
	    "{\"mode\":\"form\",\"message\":\"Really?\",\"requestedSchema\":");
	assert_int_equal(host_of(talk)->active, 0);
	talk_say(talk, CALL("2", "ask", "," META ",\"inputResponses\":[]"));
	talk_expect_error(talk, "2", -32602);
	talk_say(talk,
	    CALL("3", "ask", "," META ",\"inputResponses\":{\"confirm\":{\"method\":\"x\"}}"));
	talk_expect_error(talk, "3", -32602);
	talk_say(talk, CALL("4", "ask",
			   "," META ",\"requestState\":\"s-t\",\"inputResponses\":{\"confirm\":"
			   "{\"action\":\"accept\",\"content\":{\"confirm\":true}}}"));
	expect_answer(talk, CALL_ACCEPTED);
}

/* ---- progress ---- */

static void progress_notes_carry_the_token_and_rise(void **state)
{
	struct mcp_flight flight = { .waiter.revision = mcp_revision_modern(), .started_ms = 1000 };
	char token[] = "\"t\\u0041\"";
	cleanup_buf struct buf notes = BUF_INIT;

	(void)state;
	flight.token = token;
	mcp_progress_add_note(&notes, &flight, 6000);
	flight.waiter.revision = mcp_revision_find("2024-11-05");
	mcp_progress_add_note(&notes, &flight, 16000);
	assert_string_equal(notes.data,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
	    "{\"progressToken\":\"t\\u0041\",\"progress\":5,\"message\":\"running, 5 s\"}}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
	    "{\"progressToken\":\"t\\u0041\",\"progress\":15}}\n");
}

static void progress_is_told_while_a_person_thinks(void **state)
{
	struct talk *talk = *state;

	open_asking_session(talk);
	talk_say(talk, CALL("1", "ask", ",\"_meta\":{\"progressToken\":7}"));
	expect_question(talk, QUESTION("1"));
	mcp_progress_flush(talk->server, LIST_FIRST(&talk->server->calls)->started_ms + 5000);
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
			  "{\"progressToken\":7,\"progress\":5,\"message\":\"waiting for a person, "
			  "5 s\"}}");
	talk_say(talk, "{\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"result\":{\"action\":\"decline\"}}");
	expect_answer(talk, CALL_DECLINED);
	talk_expect_silence(talk);
}

/* The clock is ours here: what a flush at a later moment writes. */
static void progress_is_due_after_five_seconds_then_every_ten(void **state)
{
	struct talk *talk = *state;
	int64_t now_ms;

	talk_shake_hands(talk, "2025-11-25");
	talk_say(talk, CALL("1", "hang", ",\"_meta\":{\"progressToken\":0}"));
	talk_say(talk, CALL("2", "hang", ""));
	talk_expect_silence(talk);
	now_ms = LIST_FIRST(&talk->server->calls)->started_ms;
	if (now_ms == 0)
		now_ms = LIST_NEXT(LIST_FIRST(&talk->server->calls), link)->started_ms;
	mcp_progress_flush(talk->server, now_ms + 4999);
	talk_expect_silence(talk);
	mcp_progress_flush(talk->server, now_ms + 5000);
	mcp_progress_flush(talk->server, now_ms + 5100);
	mcp_progress_flush(talk->server, now_ms + 15000);
	for (int seconds = 5; seconds <= 15; seconds += 10) {
		cleanup_buf struct buf wanted = BUF_INIT;

		buf_addf(&wanted,
		    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
		    "{\"progressToken\":0,\"progress\":%d,\"message\":\"running, %d s\"}}",
		    seconds, seconds);
		talk_expect(talk, wanted.data);
	}
	talk_expect_silence(talk);
}

static void progress_is_dropped_while_answers_wait(void **state)
{
	struct talk *talk = *state;
	char *line;

	talk_shake_hands(talk, "2025-11-25");
	talk_say(talk, CALL("1", "hang", ",\"_meta\":{\"progressToken\":0}"));
	talk_say(talk, CALL("2", "flood", ",\"arguments\":{\"bytes\":1000000}"));
	for (int i = 0; i < 3; i++)
		talk_turn(talk, 10);
	assert_true(mcp_output_pending(&talk->server->output) > 0);
	mcp_progress_flush(talk->server, clock_monotonic_ms() + 60000);
	line = talk_next_line(talk);
	assert_true(strlen(line) > 1000000);
	free(line);
	talk_expect_silence(talk);
}

/* ---- load ---- */

static void ten_thousand_requests_before_one_answer_is_read(void **state)
{
	struct talk *talk = *state;
	int len = (int)unit_many(10000);

	talk_shake_hands(talk, "2025-11-25");
	for (int i = 0; i < len; i++) {
		cleanup_buf struct buf line = BUF_INIT;

		buf_addf(&line, CALL("%d", "flood", ",\"arguments\":{\"bytes\":500}"), i);
		talk_say(talk, line.data);
	}
	for (int i = 0; i < len; i++) {
		char wanted[64];
		char *line = talk_next_line(talk);
		int wanted_len = snprintf(
		    wanted, sizeof(wanted), "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\"", i);

		if (strncmp(line, wanted, (size_t)wanted_len) != 0)
			fail_msg("%.80s", line);
		free(line);
	}
	talk_expect_silence(talk);
}

static void slow_reader_holds_calls_and_lines_but_not_the_writer(void **state)
{
	struct talk *talk = *state;
	int sent = 0;

	talk_shake_hands(talk, "2025-11-25");
	host_of(talk)->list_len = 3;
	/* 40 MB of answers, none read while they are asked for. */
	for (; sent < 40; sent++) {
		cleanup_buf struct buf line = BUF_INIT;

		buf_addf(&line, CALL("%d", "flood", ",\"arguments\":{\"bytes\":1000000}"), sent);
		talk_say(talk, line.data);
		talk_turn(talk, 10);
	}
	assert_true(host_of(talk)->is_held);
	assert_true(mcp_output_pending(&talk->server->output) < LIMIT_BACKLOG + 2 * MIB);
	assert_true(mcp_frames_pending(&talk->server->frames) > 0);
	for (int i = 0; i < sent; i++) {
		char *line = talk_next_line(talk);

		assert_true(strlen(line) > 1000000);
		free(line);
	}
	talk_expect_silence(talk);
	assert_false(host_of(talk)->is_held);
}

/* ---- the end ---- */

static void end_of_input_answers_what_was_read(void **state)
{
	struct talk *talk = *state;

	talk_shake_hands(talk, "2025-06-18");
	talk_say(talk, CALL("1", "words", ""));
	talk_say_bytes(talk, REQUEST("2", "ping", ""), strlen(REQUEST("2", "ping", "")));
	close_fd(&talk->to);
	assert_true(talk_serve_out(talk) < 1000);
	talk_expect(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
	    "\"text\":\"two\\nlines\"}]}}");
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
	assert_int_equal(talk->seen.len, 0);
	assert_int_equal(host_of(talk)->terminated, 0);
}

static void half_a_message_at_the_end_of_input_is_dropped(void **state)
{
	struct talk *talk = *state;

	talk_say_bytes(talk, "{\"jsonrpc\":", 11);
	close_fd(&talk->to);
	assert_true(talk_serve_out(talk) < 1000);
	assert_int_equal(talk->seen.len, 0);
}

static void end_of_input_ends_streams_and_running_calls(void **state)
{
	struct talk *talk = *state;
	int64_t took_ms;
	char *line;

	talk_say(talk, LISTEN("\"s\"", "{\"toolsListChanged\":true}"));
	free(talk_next_line(talk));
	talk_say(talk, CALL("1", "hang", "," META));
	talk_say(talk, CALL("2", "stubborn", "," META));
	close_fd(&talk->to);
	took_ms = talk_serve_out(talk);
	assert_in_range(took_ms, LIMIT_EOF_GRACE_MS + LIMIT_KILL_GRACE_MS - 20, 2000);
	assert_int_equal(host_of(talk)->terminated, 1);
	assert_int_equal(host_of(talk)->killed, 1);
	talk_expect(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"result\":{\"resultType\":\"complete\",\"_meta\":"
	    "{\"io.modelcontextprotocol/subscriptionId\":\"s\","
	    "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"stile\",\"title\":\"Stile\","
	    "\"version\":\"" STILE_VERSION "\"}}}}");
	for (int i = 1; i <= 2; i++) {
		line = talk_next_line(talk);
		assert_non_null(strstr(line, "[CANCELLED]"));
		free(line);
	}
	assert_false(host_of(talk)->is_watched);
}

static void signal_ends_within_a_second(void **state)
{
	struct talk *talk = *state;
	int64_t took_ms;

	talk_say(talk, LISTEN("1", "{}"));
	free(talk_next_line(talk));
	talk_say(talk, CALL("2", "stubborn", "," META));
	talk_turn(talk, 100);
	assert_int_equal(write(talk->signal, "x", 1), 1);
	took_ms = talk_serve_out(talk);
	assert_in_range(took_ms, LIMIT_KILL_GRACE_MS - 20, 1000);
	assert_int_equal(host_of(talk)->killed, 1);
	assert_int_equal(talk->seen.data[talk->seen.len - 1], '\n');
	free(talk_next_line(talk));
	free(talk_next_line(talk));
	assert_int_equal(talk->seen.len, 0);
}

static void signal_hastens_an_end_that_is_under_way(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, CALL("2", "flood", "," META ",\"arguments\":{\"bytes\":1000000}"));
	close_fd(&talk->to);
	while (talk->server->end != MCP_END_INPUT)
		talk_turn(talk, 100);
	assert_int_equal(write(talk->signal, "x", 1), 1);
	for (int64_t start_ms = clock_monotonic_ms(); !talk->server->is_over;) {
		talk_turn(talk, 100);
		assert_true(clock_monotonic_ms() - start_ms < 5000);
	}
}

static void queued_answers_leave_whole_after_the_end_of_input(void **state)
{
	struct talk *talk = *state;
	char *line;

	talk_say(talk, CALL("1", "flood", "," META ",\"arguments\":{\"bytes\":3000000}"));
	close_fd(&talk->to);
	for (int64_t start_ms = clock_monotonic_ms(); clock_monotonic_ms() - start_ms < 1000;)
		talk_turn(talk, 100);
	assert_false(talk->server->is_over);
	assert_true(talk_serve_out(talk) < 5000);
	line = talk_next_line(talk);
	assert_true(strlen(line) > 3000000);
	free(line);
}

static void reader_that_is_gone_ends_the_server(void **state)
{
	struct talk *talk = *state;

	talk_say(talk, CALL("1", "hang", "," META));
	talk_turn(talk, 100);
	close_fd(&talk->from);
	for (int64_t start_ms = clock_monotonic_ms(); !talk->server->is_over;) {
		talk_turn(talk, 100);
		assert_true(clock_monotonic_ms() - start_ms < 2000);
	}
	assert_int_equal(host_of(talk)->terminated, 1);
}

static void server_freed_in_mid_call_leaves_nobody_waiting(void **state)
{
	struct talk *talk = *state;

	talk_shake_hands(talk, "2025-03-26");
	talk_say(talk, "[" CALL("1", "hang", "") "," CALL("2", "stubborn", "") "]");
	talk_expect_silence(talk);
	assert_int_equal(host_of(talk)->active, 2);
}

/* ---- resources ---- */

static void methods_of_resources_are_not_found_where_there_are_none(void **state)
{
	struct talk *talk = *state;

	talk_shake_hands(talk, "2025-11-25");
	talk_say(talk, REQUEST("1", "resources/list", ""));
	talk_expect_error(talk, "1", -32601);
	talk_say(talk, REQUEST("2", "resources/templates/list", ""));
	talk_expect_error(talk, "2", -32601);
	talk_say(talk, REQUEST("3", "resources/read", "\"uri\":\"t://json\""));
	talk_expect_error(talk, "3", -32601);
	talk_say(talk, REQUEST("4", "resources/read", META ",\"uri\":\"t://json\""));
	talk_expect_error(talk, "4", -32601);
	/* The session was told that there are none. */
	show_resources(talk);
	talk_say(talk, REQUEST("5", "resources/list", ""));
	talk_expect_error(talk, "5", -32601);
	assert_int_equal(host_of(talk)->active, 0);
}

static void reads_that_name_nothing_are_refused(void **state)
{
	static const char line[] = "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"resources/read\","
				   "\"params\":{\"uri\":\"t://";
	struct talk *talk = *state;
	cleanup_buf struct buf text = BUF_INIT;

	show_resources(talk);
	talk_shake_hands(talk, "2025-11-25");
	talk_say(talk, REQUEST("1", "resources/read", ""));
	talk_expect_error(talk, "1", -32602);
	talk_say(talk, REQUEST("2", "resources/read", "\"uri\":7"));
	talk_expect_error(talk, "2", -32602);
	talk_say(talk, REQUEST("3", "resources/read", "\"uri\":\"t://none\""));
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32002,\"message\":"
			  "\"no such resource\",\"data\":{\"uri\":\"x\"}}}");
	talk_say(talk, REQUEST("4", "resources/read", META ",\"uri\":\"t://none\""));
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"code\":-32602,\"message\":"
			  "\"no such resource\",\"data\":{\"uri\":\"x\"}}}");
	talk_say(talk, REQUEST("5", "resources/list", "\"cursor\":\"bogus\""));
	talk_expect_error(talk, "5", -32602);
	talk_say(talk, REQUEST("6", "resources/subscribe", "\"uri\":\"t://json\""));
	talk_expect_error(talk, "6", -32601);
	talk_say(talk, REQUEST("7", "resources/read", "\"uri\":\"t://\\u0000\""));
	talk_expect_error(talk, "7", -32600);
	buf_adds(&text, line);
	fill_text(&text, 'x', LIMIT_URI);
	buf_adds(&text, "\"}}");
	talk_say(talk, text.data);
	talk_expect_error(talk, "9", -32602);
	assert_int_equal(host_of(talk)->active, 0);
}

static void what_a_tool_says_against_a_read_is_an_error(void **state)
{
	struct talk *talk = *state;

	show_resources(talk);
	free(host_of(talk)->resources[0].uri);
	host_of(talk)->resources[0].uri = xstrdup("t://flood");
	talk_shake_hands(talk, "2025-11-25");
	talk_say(talk, REQUEST("1", "resources/read", "\"uri\":\"t://wrong\""));
	talk_expect(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":"
	    "\"[INVALID_ARGUMENT] /size: is a string\",\"data\":{\"error_code\":"
	    "\"INVALID_ARGUMENT\",\"retryable\":false,\"message\":\"/size: is a string\"}}}");
	talk_say(talk, REQUEST("2", "resources/read", "\"uri\":\"t://flood\""));
	talk_expect_error(talk, "2", -32603);
}

#define JSON_TEXT                                                                                  \
	"\"{\\n  \\\"a\\\": [\\n    1,\\n    2.50\\n  ],\\n  \\\"b\\\": {},\\n  \\\"c\\\": "       \
	"\\\"x: "                                                                                  \
	"{\\\\\\\"\\\"\\n}\""

static void a_read_gives_one_content(void **state)
{
	struct talk *talk = *state;

	show_resources(talk);
	talk_shake_hands(talk, "2025-11-25");
	talk_say(talk, REQUEST("1", "resources/read", "\"uri\":\"t://json\""));
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"contents\":[{\"uri\":"
			  "\"t://json\",\"mimeType\":\"application/json\",\"text\":" JSON_TEXT
			  "}],\"_meta\":{\"stile/masked\":2}}}");
	talk_say(talk, REQUEST("2", "resources/read", META ",\"uri\":\"t://json\""));
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"complete\","
			  "\"contents\":[{\"uri\":\"t://json\",\"mimeType\":\"application/json\","
			  "\"text\":" JSON_TEXT "}]," MCP_CACHE ",\"_meta\":{" MCP_META_SERVER
			  ",\"stile/masked\":2}}}");
	talk_say(talk, REQUEST("3", "resources/read", META ",\"uri\":\"t://text\""));
	talk_expect(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resultType\":\"complete\","
	    "\"contents\":[{\"uri\":\"t://text\",\"mimeType\":\"text/plain\",\"text\":"
	    "\"one\\ntwo\"}]," MCP_CACHE_NOT "," MCP_META "}}");
}

static void resources_and_templates_are_listed_apart(void **state)
{
	struct talk *talk = *state;

	show_resources(talk);
	host_of(talk)->shown_len = 3;
	talk_say(talk, REQUEST("1", "resources/list", META));
	talk_expect(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"resources\":[{"
	    "\"uri\":\"t://json\",\"name\":\"name\",\"title\":\"Title\",\"description\":\"Says "
	    "it.\",\"mimeType\":\"application/json\"},{\"uri\":\"t://text\",\"name\":\"name\","
	    "\"title\":\"Title\",\"description\":\"Says it.\",\"mimeType\":\"text/plain\"}"
	    "]," MCP_CACHE "," MCP_META "}}");
	talk_shake_hands(talk, "2025-03-26");
	talk_say(talk, REQUEST("2", "resources/templates/list", ""));
	talk_expect(talk,
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resourceTemplates\":[{\"uriTemplate\":\"t:"
	    "//"
	    "{var}\",\"name\":\"name\",\"description\":\"Says it.\",\"mimeType\":\"application/"
	    "json\"}]}}");
	/* What was shown is withdrawn: the lists stay, and are empty. */
	host_of(talk)->shown_len = 0;
	host_of(talk)->generation++;
	talk_say(talk, REQUEST("3", "resources/list", ""));
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resources\":[]}}");
}

static void resources_are_advertised_where_there_are_some(void **state)
{
	struct talk *talk = *state;
	char *line;

	show_resources(talk);
	talk_say(talk, REQUEST("1", "server/discover", META));
	line = talk_next_line(talk);
	assert_non_null(strstr(line, MCP_CAPABILITIES_RESOURCES ",\"instructions\""));
	free(line);
	talk_say(talk, REQUEST("2", "initialize", "\"protocolVersion\":\"2025-06-18\""));
	line = talk_next_line(talk);
	assert_non_null(strstr(line, MCP_CAPABILITIES_RESOURCES ",\"serverInfo\""));
	free(line);
}

static void changes_of_resources_are_told_to_those_who_may_know(void **state)
{
	struct talk *talk = *state;

	show_resources(talk);
	talk_shake_hands(talk, "2025-11-25");
	talk_say(talk, REQUEST("\"r\"", "subscriptions/listen",
			   META ",\"notifications\":{\"resourcesListChanged\":true,"
				"\"resourceSubscriptions\":[\"t://json\"]}"));
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/"
			  "acknowledged\",\"params\":{\"notifications\":{\"resourcesListChanged\":"
			  "true},\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"r\"}}}");
	change(talk, HOST_TOOLS_CHANGED | HOST_RESOURCES_CHANGED);
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
	talk_expect(
	    talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/list_changed\"}");
	talk_expect(talk,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/list_changed\","
	    "\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":"
	    "\"r\"}}}");
	change(talk, HOST_TOOLS_CHANGED);
	talk_expect(talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
	talk_expect_silence(talk);
}

/* A batch may hold reads; one that is cancelled is answered to nobody. */
static void reads_stand_in_batches(void **state)
{
	struct talk *talk = *state;

	show_resources(talk);
	talk_shake_hands(talk, "2025-03-26");
	talk_say(talk, "[" REQUEST("1", "resources/read", "\"uri\":\"t://text\"") "," REQUEST(
			   "2", "resources/read", "\"uri\":\"t://none\"") "]");
	talk_expect(talk, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"contents\":[{\"uri\":"
			  "\"t://text\",\"mimeType\":\"text/plain\",\"text\":\"one\\ntwo\"}]}},{"
			  "\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32002,\"message\":"
			  "\"no such resource\",\"data\":{\"uri\":\"x\"}}}]");
}

#define TALK(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TALK(what_is_no_message_is_answered_without_id),
		TALK(message_past_the_limit_is_refused_and_the_next_is_served),
		TALK(request_without_a_session_is_refused),
		TALK(unknown_methods_and_bad_params_are_refused),
		TALK(methods_of_resources_are_not_found_where_there_are_none),
		TALK(reads_that_name_nothing_are_refused),
		TALK(what_a_tool_says_against_a_read_is_an_error),
		TALK(a_read_gives_one_content),
		TALK(resources_and_templates_are_listed_apart),
		TALK(resources_are_advertised_where_there_are_some),
		TALK(changes_of_resources_are_told_to_those_who_may_know),
		TALK(reads_stand_in_batches),
		TALK(notifications_and_responses_are_not_answered),
		TALK(id_in_flight_is_refused_and_the_first_is_undisturbed),
		TALK(tool_that_needs_a_yes_from_a_modern_client_that_cannot_ask),
		TALK(answer_past_the_bound_of_a_line_is_an_error_result),
		TALK(batches_are_refused_in_every_other_revision),
		TALK(bad_members_of_a_batch_are_refused_alone),
		TALK(batch_of_too_many_members_is_refused_whole),
		TALK(batch_is_one_array_and_waits_for_its_slowest),
		TALK(batch_of_notifications_is_silent),
		TALK(batch_of_large_answers_stays_below_the_bound_of_a_line),
		TALK(handshake_answers_with_what_was_asked_or_the_latest),
		TALK(odd_capabilities_are_tolerated),
		TALK(discovery_is_complete),
		TALK(both_eras_are_spoken_on_one_connection),
		TALK(pipelined_handshake_works),
		TALK(list_follows_the_generation),
		TALK(structured_content_is_mirrored_in_one_line),
		TALK(error_of_a_tool_with_an_output_schema_has_text_only),
		TALK(ids_come_back_byte_for_byte),
		TALK(cancelled_call_is_never_answered),
		TALK(bad_filters_are_refused),
		TALK(streams_past_the_cap_are_refused),
		TALK(streams_are_acknowledged_and_told_each_by_its_id),
		TALK(session_is_told_of_changes_only_once_initialized),
		TALK(lists_wait_for_the_decision_and_keep_their_order),
		TALK(more_lists_than_may_wait_are_refused),
		TALK(cancelled_list_that_waits_is_never_answered),
		TALK(lists_that_wait_stand_in_batches),
		TALK(end_of_input_waits_for_lists_that_wait),
		TALK(list_that_waits_is_forgotten_with_the_server),
		TALK(each_answer_means_what_it_says_and_nothing_else_means_yes),
		TALK(strange_and_late_responses_answer_nothing),
		TALK(nobody_is_asked_before_the_client_is_initialized),
		TALK(nobody_answers_in_time_and_the_question_is_taken_back),
		TALK(modern_question_is_the_answer_and_comes_back_with_the_next_request),
		cmocka_unit_test(progress_notes_carry_the_token_and_rise),
		TALK(progress_is_told_while_a_person_thinks),
		TALK(progress_is_due_after_five_seconds_then_every_ten),
		TALK(progress_is_dropped_while_answers_wait),
		TALK(ten_thousand_requests_before_one_answer_is_read),
		TALK(slow_reader_holds_calls_and_lines_but_not_the_writer),
		TALK(end_of_input_answers_what_was_read),
		TALK(half_a_message_at_the_end_of_input_is_dropped),
		TALK(end_of_input_ends_streams_and_running_calls),
		TALK(signal_ends_within_a_second),
		TALK(signal_hastens_an_end_that_is_under_way),
		TALK(queued_answers_leave_whole_after_the_end_of_input),
		TALK(reader_that_is_gone_ends_the_server),
		TALK(server_freed_in_mid_call_leaves_nobody_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
