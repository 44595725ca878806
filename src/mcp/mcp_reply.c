/* SPDX-License-Identifier: MIT */
/*
 * Answers: an error, a prepared result, or what became of a call, as one line for its era and
 * revision (specs/protocol.md §5 to §7). An answer is written straight into the queue it leaves
 * from, the output's or its batch's, and taken back when it passes the bound of a line.
 */
#include "mcp/mcp_internal.h"

#include <assert.h>
#include <string.h>

/*
 * SDK clients give up at LIMIT_FRAME_OUT bytes buffered, counting what they read together with
 * the line: the neighbours' bytes in one read.
 */
#define LINE_BYTES (LIMIT_FRAME_OUT - 128 * KIB)

/* ---- one answer, from its first byte to its last ---- */

static struct buf *queue_of(struct mcp_server *server, const struct mcp_waiter *waiter)
{
	return waiter->batch != NULL ? &waiter->batch->answers : &server->output.buf;
}

/* Begins an answer, its id included; returns where it begins. */
static size_t begin_answer(struct buf *queue, const struct mcp_waiter *waiter)
{
	size_t start = queue->len;

	if (waiter->batch != NULL && queue->len > 0)
		buf_addc(queue, ',');
	buf_adds(queue, "{\"jsonrpc\":\"2.0\"");
	if (waiter->id != NULL) {
		buf_adds(queue, ",\"id\":");
		buf_add(queue, waiter->id, waiter->id_len);
	}
	return start;
}

/* Ends it; false when it is too large, and then it is taken back. */
static bool end_answer(struct buf *queue, size_t start, const struct mcp_waiter *waiter)
{
	struct mcp_batch *batch = waiter->batch;

	if (batch == NULL) {
		buf_addc(queue, '\n');
		if (queue->len - start <= LINE_BYTES)
			return true;
	} else {
		size_t share = mcp_batch_share(waiter->id_len);

		if (queue->len + batch->reserve - share <= LINE_BYTES) {
			batch->reserve -= share;
			return true;
		}
	}
	buf_truncate(queue, start);
	return false;
}

/* ---- errors and prepared results ---- */

static int rpc_code(const struct err *err)
{
	int code = err_info(err->code)->rpc_code;

	return code != 0 ? code : err_info(ERR_INTERNAL)->rpc_code;
}

/* Before the modern era a resource that is not there had a code of its own (§6). */
#define LEGACY_RESOURCE_NOT_FOUND (-32002)

static int code_for(const struct mcp_waiter *waiter, const struct err *err)
{
	if (err->code == ERR_RESOURCE_NOT_FOUND && waiter->revision != NULL &&
	    !waiter->revision->is_modern)
		return LEGACY_RESOURCE_NOT_FOUND;
	return rpc_code(err);
}

static bool add_error(
    struct mcp_server *server, const struct mcp_waiter *waiter, const struct err *err)
{
	struct buf *queue = queue_of(server, waiter);
	size_t start = begin_answer(queue, waiter);
	struct json_writer w = JSON_WRITER_INIT(queue);

	buf_adds(queue, ",\"error\":");
	json_write_object_begin(&w);
	json_write_member_int(&w, "code", code_for(waiter, err));
	json_write_member_string(&w, "message", err->message != NULL ? err->message : "error");
	if (err->details != NULL)
		json_write_member_raw(&w, "data", err->details);
	json_write_object_end(&w);
	buf_addc(queue, '}');
	return end_answer(queue, start, waiter);
}

void mcp_reply_error(
    struct mcp_server *server, const struct mcp_waiter *waiter, const struct err *err)
{
	if (!add_error(server, waiter, err)) {
		cleanup_err struct err small = ERR_INIT;
		bool is_said;

		(void)err_set(&small, err->code, "the error is larger than one message may be");
		is_said = add_error(server, waiter, &small);
		assert(is_said);
	}
}

void mcp_reply_ready(
    struct mcp_server *server, const struct mcp_waiter *waiter, const char *rest, size_t len)
{
	struct buf *queue = queue_of(server, waiter);
	size_t start = begin_answer(queue, waiter);

	buf_add(queue, rest, len);
	if (!end_answer(queue, start, waiter)) {
		cleanup_err struct err err = ERR_INIT;

		(void)err_set(&err, ERR_INTERNAL,
		    "the answers of this batch are larger than one message may be; send its "
		    "members alone");
		mcp_reply_error(server, waiter, &err);
	}
}

/* ---- results of calls ---- */

/* JSON text in one line: between tokens a newline is white space, and in strings there is none. */
static void add_one_line(struct buf *buf, const struct buf *json)
{
	size_t start = buf->len;

	buf_add(buf, json->data, json->len);
	for (char *c = buf->data + start; c < buf->data + buf->len; c++) {
		c += strcspn(c, "\r\n");
		if (c < buf->data + buf->len)
			*c = ' ';
	}
}

/* The text part is the structured part in one string, unless the tool has words of its own: a
 * client may show only one of them (clients.md Q58). */
static void add_content(struct buf *buf, const struct surface_result *result)
{
	const struct buf *text = result->has_text ? &result->text : &result->json;

	buf_adds(buf, "\"content\":[{\"type\":\"text\",\"text\":");
	json_quote(buf, text->data, text->len);
	buf_adds(buf, "}]");
}

/* Who we are where the era wants it said, and how many secrets were masked where some were (clients.md
 * Q74). */
static void add_meta(struct buf *buf, bool is_modern, size_t masks)
{
	if (!is_modern && masks == 0)
		return;
	buf_adds(buf, ",\"_meta\":{");
	if (is_modern)
		buf_adds(buf, MCP_META_SERVER);
	if (masks > 0)
		buf_addf(buf, "%s\"" MCP_KEY_MASKED "\":%zu", is_modern ? "," : "", masks);
	buf_addc(buf, '}');
}

/* with_json: the structured part, for those who know it. */
static bool add_result(struct mcp_server *server, const struct mcp_waiter *waiter,
    const struct surface_result *result, bool with_json, size_t masks)
{
	struct buf *queue = queue_of(server, waiter);
	size_t start = begin_answer(queue, waiter);

	buf_adds(queue, ",\"result\":{");
	if (waiter->revision->is_modern)
		buf_adds(queue, MCP_COMPLETE ",");
	add_content(queue, result);
	if (with_json && result->json.len > 0) {
		buf_adds(queue, ",\"structuredContent\":");
		add_one_line(queue, &result->json);
	}
	if (result->is_error)
		buf_adds(queue, ",\"isError\":true");
	add_meta(queue, waiter->revision->is_modern, masks);
	buf_adds(queue, "}}");
	return end_answer(queue, start, waiter);
}

/* An SDK client checks even an error's structured part against the promised schema, so that an
 * error of a tool that promised one goes without (clients.md Q59). */
static bool may_have_json(const struct mcp_server *server, const struct mcp_flight *flight,
    const struct surface_result *result)
{
	if (!flight->waiter.revision->has_titles)
		return false;
	return !result->is_error || !strvec_contains(&server->lists.promised, flight->tool);
}

static void reply_too_large(struct mcp_server *server, const struct mcp_flight *flight)
{
	cleanup_err struct err err = ERR_INIT;
	struct surface_result result = SURFACE_RESULT_INIT;

	(void)err_set(&err, ERR_OUTPUT_TOO_LARGE,
	    "the answer is larger than one message may be; ask for less at once");
	surface_error_result(&err, &result);
	if (!add_result(
		server, &flight->waiter, &result, may_have_json(server, flight, &result), 0))
		mcp_reply_error(server, &flight->waiter, &err);
	surface_result_release(&result);
}

/* A modern client that declared no way to ask a person learns so by code (DESIGN §5). */
static bool is_capability_missing(
    const struct mcp_flight *flight, const struct surface_result *result)
{
	const char *code = err_info(ERR_WRITE_CONFIRMATION_UNAVAILABLE)->wire;

	return flight->waiter.revision->is_modern && !flight->can_ask && result->is_error &&
	       result->code != NULL && strcmp(result->code, code) == 0;
}

static void reply_capability_missing(struct mcp_server *server, const struct mcp_flight *flight)
{
	static const char data[] = "{\"requiredCapabilities\":{\"elicitation\":{}},"
				   "\"error_code\":\"WRITE_CONFIRMATION_UNAVAILABLE\"}";
	cleanup_err struct err err = ERR_INIT;

	(void)err_set(&err, ERR_CAPABILITY_MISSING,
	    "this tool needs a person's yes, and the client declared no elicitation to ask with");
	(void)err_take_details(&err, xstrdup(data));
	mcp_reply_error(server, &flight->waiter, &err);
}

static void reply_question(
    struct mcp_server *server, const struct mcp_flight *flight, const struct call_outcome *outcome)
{
	cleanup_buf struct buf rest = BUF_INIT;

	buf_adds(&rest, ",\"result\":{");
	mcp_elicit_add_input_required(
	    &rest, flight->waiter.revision, outcome->question, outcome->state);
	buf_adds(&rest, "," MCP_META "}}");
	mcp_reply_ready(server, &flight->waiter, rest.data, rest.len);
}

void mcp_reply_outcome(
    struct mcp_server *server, const struct mcp_flight *flight, const struct call_outcome *outcome)
{
	const struct surface_result *result = &outcome->result;

	if (err_is_set(&outcome->err))
		mcp_reply_error(server, &flight->waiter, &outcome->err);
	else if (outcome->question != NULL)
		reply_question(server, flight, outcome);
	else if (is_capability_missing(flight, result))
		reply_capability_missing(server, flight);
	else if (!add_result(server, &flight->waiter, result, may_have_json(server, flight, result),
		     outcome->masks))
		reply_too_large(server, flight);
}

/* ---- reads ---- */

/* One content, of the URI that was asked for; false when it is too large. */
static bool add_contents(struct mcp_server *server, const struct mcp_waiter *waiter,
    const struct call_outcome *outcome, const struct buf *text)
{
	struct buf *queue = queue_of(server, waiter);
	size_t start = begin_answer(queue, waiter);
	struct json_writer w = JSON_WRITER_INIT(queue);

	buf_adds(queue, ",\"result\":{");
	if (waiter->revision->is_modern)
		buf_adds(queue, MCP_COMPLETE ",");
	buf_adds(queue, "\"contents\":[");
	json_write_object_begin(&w);
	json_write_member_string(&w, "uri", outcome->uri);
	json_write_member_string(&w, "mimeType", outcome->resource->mime);
	json_write_key(&w, "text");
	json_write_string_len(&w, text->data, text->len);
	json_write_object_end(&w);
	buf_addc(queue, ']');
	if (waiter->revision->is_modern)
		buf_adds(
		    queue, outcome->resource->tool != NULL ? "," MCP_CACHE_NOT : "," MCP_CACHE);
	add_meta(queue, waiter->revision->is_modern, outcome->masks);
	buf_adds(queue, "}}");
	return end_answer(queue, start, waiter);
}

/*
 * A read has no result that says it failed (§8): what a tool or gate says becomes an error, with
 * the structured part as its data. Arguments that do not fit came from the URI.
 */
static void reply_read_failed(
    struct mcp_server *server, const struct mcp_waiter *waiter, const struct surface_result *result)
{
	bool is_argument =
	    result->code != NULL && strcmp(result->code, err_info(ERR_INVALID_ARGUMENT)->wire) == 0;
	cleanup_err struct err err = ERR_INIT;

	(void)err_set(&err, is_argument ? ERR_INVALID_PARAMS : ERR_INTERNAL, "%s",
	    result->has_text ? result->text.data : "the program reported failure");
	if (result->json.len > 0) {
		cleanup_buf struct buf data = BUF_INIT;

		add_one_line(&data, &result->json);
		(void)err_take_details(&err, buf_detach(&data));
	}
	mcp_reply_error(server, waiter, &err);
}

void mcp_reply_read(
    struct mcp_server *server, const struct mcp_flight *flight, const struct call_outcome *outcome)
{
	const struct surface_result *result = &outcome->result;
	cleanup_buf struct buf text = BUF_INIT_MAX(LIMIT_FRAME_OUT);
	cleanup_err struct err err = ERR_INIT;

	if (err_is_set(&outcome->err)) {
		mcp_reply_error(server, &flight->waiter, &outcome->err);
		return;
	}
	if (result->is_error) {
		reply_read_failed(server, &flight->waiter, result);
		return;
	}
	if (surface_resource_is_json(outcome->resource))
		json_add_pretty(&text, result->json.data, result->json.len);
	else
		buf_add(&text, result->text.data, result->text.len);
	if (!text.is_full && add_contents(server, &flight->waiter, outcome, &text))
		return;
	(void)err_set(&err, ERR_INTERNAL, "the resource is larger than one message may be");
	mcp_reply_error(server, &flight->waiter, &err);
}
