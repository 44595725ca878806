/* SPDX-License-Identifier: MIT */
/*
 * Asking a person through the client (specs/protocol.md §11).
 *
 * Legacy: our own request on the same stream while the call waits, with ids of our own space, a
 * deadline of our own, and the client's response matched to it. Modern: the question is the answer
 * of the request, and the answer comes back with the next one (§5, MRTR). One form serves both: a
 * required boolean decides, so that an empty automatic answer is no yes.
 */
#include "mcp/mcp_internal.h"

#include <stdlib.h>
#include <string.h>

/* The one entry of a round trip's inputRequests and inputResponses, and the form's member. */
#define CONFIRM "confirm"

static const char form[] = "{\"type\":\"object\",\"properties\":{\"" CONFIRM
			   "\":{\"type\":\"boolean\",\"title\":\"Allow it\",\"description\":\"Yes: "
			   "it runs, once, exactly as "
			   "asked. No: nothing is run.\"}},\"required\":[\"" CONFIRM "\"]}";

/* The params of elicitation/create. */
static void add_params(
    struct json_writer *w, const struct mcp_revision *revision, const char *question)
{
	json_write_object_begin(w);
	if (revision->has_elicitation_modes)
		json_write_member_string(w, "mode", "form");
	json_write_member_string(w, "message", question);
	json_write_member_raw(w, "requestedSchema", form);
	json_write_object_end(w);
}

/* ---- modern ---- */

void mcp_elicit_add_input_required(
    struct buf *buf, const struct mcp_revision *revision, const char *question, const char *state)
{
	struct json_writer w = JSON_WRITER_INIT(buf);

	buf_adds(buf, "\"resultType\":\"input_required\",\"inputRequests\":{\"" CONFIRM
		      "\":{\"method\":\"elicitation/create\",\"params\":");
	add_params(&w, revision, question);
	buf_adds(buf, "}},\"requestState\":");
	json_quote(buf, state, strlen(state));
}

/* What an ElicitResult is worth; false: it is none. */
static bool read_answer(const struct json *result, enum call_answer *ret_answer)
{
	const struct json *action = json_get(result, "action");
	const struct json *content = json_get(result, "content");

	if (json_is_text(action, "accept"))
		*ret_answer =
		    json_is(json_get(content, CONFIRM), JSON_TRUE) ? CALL_ACCEPTED : CALL_DECLINED;
	else if (json_is_text(action, "decline"))
		*ret_answer = CALL_DECLINED;
	else if (json_is_text(action, "cancel"))
		*ret_answer = CALL_DISMISSED;
	else
		return false;
	return true;
}

int mcp_elicit_read_round_trip(
    const struct json *params, struct call_client *client, struct err *err)
{
	const struct json *state = json_get(params, "requestState");
	const struct json *responses = json_get(params, "inputResponses");
	const struct json *confirm = json_get(responses, CONFIRM);

	client->answer = CALL_UNANSWERED;
	if (responses != NULL && responses->type != JSON_OBJECT)
		return err_set(err, ERR_INVALID_PARAMS, "inputResponses must be an object");
	if (state != NULL && json_text(state) == NULL)
		return err_set(err, ERR_INVALID_PARAMS, "requestState must be a string");
	if (confirm != NULL && !read_answer(confirm, &client->answer))
		return err_set(err, ERR_INVALID_PARAMS,
		    "inputResponses." CONFIRM " must be the result of an elicitation");
	if (state != NULL) {
		client->state = json_text(state);
		client->state_len = state->len;
	}
	return 0;
}

/* ---- legacy ---- */

static void on_deadline(void *ctx)
{
	struct mcp_flight *flight = ctx;

	flight->question_deadline = NULL;
	mcp_elicit_drop(flight);
	call_answer(flight->call, CALL_TIMED_OUT);
}

/* Writes the request. Not before the client said that it is initialized: until then we do not
 * speak unasked. */
static void send_question(struct mcp_server *server, struct mcp_flight *flight)
{
	struct buf *buf = &server->output.buf;
	struct json_writer w = JSON_WRITER_INIT(buf);

	flight->question_number = ++server->questions;
	buf_addf(buf,
	    "{\"jsonrpc\":\"2.0\",\"id\":\"s%llu\",\"method\":\"elicitation/create\","
	    "\"params\":",
	    (unsigned long long)flight->question_number);
	add_params(&w, flight->waiter.revision, flight->question);
	buf_adds(buf, "}\n");
}

void mcp_elicit_ask(void *ctx, struct call *call, const char *question)
{
	struct mcp_flight *flight = ctx;
	struct mcp_server *server = flight->server;

	(void)call;
	flight->question = xstrdup(question);
	if (server == NULL)
		return; /* the server is going: the host ends the call */
	flight->question_deadline =
	    loop_add_timer(server->loop, LIMIT_CONSENT_MS, on_deadline, flight);
	if (server->session.is_initialized)
		send_question(server, flight);
}

void mcp_elicit_send_held(struct mcp_server *server)
{
	struct mcp_flight *flight;

	LIST_FOREACH(flight, &server->calls, link)
	{
		if (flight->question != NULL && flight->question_number == 0)
			send_question(server, flight);
	}
}

/* Takes the question back from a client that was asked and need not answer any more. */
static void withdraw(struct mcp_server *server, const struct mcp_flight *flight)
{
	buf_addf(&server->output.buf,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
	    "\"s%llu\"}}\n",
	    (unsigned long long)flight->question_number);
}

/* Forgets the question, whatever became of it. */
static void forget(struct mcp_flight *flight)
{
	loop_timer_remove(flight->question_deadline);
	flight->question_deadline = NULL;
	free(flight->question);
	flight->question = NULL;
	flight->question_number = 0;
}

void mcp_elicit_drop(struct mcp_flight *flight)
{
	if (flight->question == NULL)
		return;
	if (flight->server != NULL && flight->question_number > 0)
		withdraw(flight->server, flight);
	forget(flight);
}

/* The call whose question has that id, or NULL: late answers and strangers' match nothing. */
static struct mcp_flight *find_asked(struct mcp_server *server, const struct json *id)
{
	struct mcp_flight *flight;

	LIST_FOREACH(flight, &server->calls, link)
	{
		cleanup_free char *text = NULL;

		if (flight->question_number == 0)
			continue;
		text = xasprintf("s%llu", (unsigned long long)flight->question_number);
		if (json_is_text(id, text))
			return flight;
	}
	return NULL;
}

void mcp_elicit_response(struct mcp_server *server, const struct json *response)
{
	struct mcp_flight *flight = find_asked(server, json_get(response, "id"));
	enum call_answer answer = CALL_ASK_FAILED;

	if (flight == NULL)
		return;
	if (json_get(response, "error") != NULL ||
	    !read_answer(json_get(response, "result"), &answer))
		answer = CALL_ASK_FAILED;
	forget(flight);
	call_answer(flight->call, answer);
}
