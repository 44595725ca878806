/* SPDX-License-Identifier: MIT */
/*
 * What a plan looks at: its preconditions and, when it is made, the preview. Each is a call of a read
 * tool in the same host, through all gates, one after another.
 */
#include "call/call_internal.h"

#include <stdlib.h>
#include <string.h>

/* Longer values are known by their digest only. */
#define VALUE_SHOWN ((size_t)120)

static void read_release(struct plan_read *read)
{
	free(read->tool);
	free(read->arguments);
	free(read->pointer);
	free(read->value);
	free(read->fault);
}

void call_reads_free(struct plan_reads *reads)
{
	if (reads == NULL)
		return;
	for (size_t i = 0; i < reads->cap; i++)
		read_release(&reads->items[i]);
	loop_timer_remove(reads->timer);
	free(reads->items);
	free(reads->preview);
	free(reads);
}

/* ---- the value ---- */

/* For people: when it is short, and no secret. */
static char *shown(struct call *call, const struct buf *value)
{
	cleanup_buf struct buf masked = BUF_INIT;
	cleanup_err struct err ignored = ERR_INIT;
	size_t masks = 0;
	size_t escaped = 0;

	if (value->len > VALUE_SHOWN ||
	    redact_json(call->loaded->redactor, &call->secrets, value->data, value->len, &masked,
		&masks, &escaped, &ignored) < 0 ||
	    masks > 0)
		return NULL;
	return xmemdupz(value->data, value->len);
}

static void take(struct call *call, const struct json *value)
{
	struct plan_read *read = call->read;
	cleanup_buf struct buf canonical = BUF_INIT;

	if (value == NULL) {
		read->fault = xstrdup("its result has no such place");
		return;
	}
	json_write_canonical(&canonical, value);
	/* Keyed: a short value, secret or not, could be guessed from its bare digest. */
	read->digest = records_keyed_digest(
	    read->records, "stile-precondition", canonical.data, canonical.len);
	read->value = shown(call, &canonical);
}

/* A result that is text alone is one string. */
void call_reads_take(struct call *call)
{
	const struct surface_result *result = &call->result;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;

	if (result->is_error || err_is_set(&call->err) || call->read->records == NULL)
		return;
	if (result->json.len > 0)
		buf_add(&text, result->json.data, result->json.len);
	else
		json_quote(&text, result->text.data, result->text.len);
	if (json_read(&doc, text.data, text.len, &err) < 0)
		call->read->fault = xstrdup(err.message);
	else
		take(call, json_pointer(json_root(&doc), call->read->pointer));
}

/* ---- one after another ---- */

static bool wants_preview(const struct call *call)
{
	enum call_purpose_kind kind = call->purpose->kind;

	return call->tool->plan->preview != NULL && (kind == CALL_CREATE || kind == CALL_FIND);
}

/* Why an inner call came to nothing: its code, and what it says. */
static char *fault_of(const struct call_outcome *outcome)
{
	const struct surface_result *result = &outcome->result;

	if (err_is_set(&outcome->err))
		return xasprintf("%s: %s", err_info(outcome->err.code)->wire, outcome->err.message);
	if (!result->is_error)
		return NULL;
	if (!result->has_text)
		return xstrdup(result->code != NULL ? result->code : "it failed");
	return xmemdupz(result->text.data, result->text.len);
}

static void go_on(void *ctx);

/* Not from within the flush that told the end of a call: what it queues would wait for the next. Nor
 * from within the walk that came here: a refusal that is recorded already ends the call at once. */
static void go_on_later(struct call *call)
{
	call->reads->timer = loop_add_timer(call->host->loop, 0, go_on, call);
}

static void on_read(void *ctx, const struct call_outcome *outcome)
{
	struct call *call = ctx;
	struct plan_reads *reads = call->reads;
	struct plan_read *read = &reads->items[reads->len++];
	char *fault = fault_of(outcome);

	if (fault != NULL) {
		free(read->fault);
		read->fault = fault;
	}
	go_on_later(call);
}

static void on_preview(void *ctx, const struct call_outcome *outcome)
{
	struct call *call = ctx;
	const struct surface_result *result = &outcome->result;
	const struct buf *text = result->has_text ? &result->text : &result->json;
	cleanup_free char *fault = fault_of(outcome);

	if (fault != NULL)
		err_set(&call->err, ERR_PROGRAM_FAILED,
		    "there is no preview, so there is no plan: %s", fault);
	else
		call->reads->preview = xmemdupz(text->data, text->len);
	go_on_later(call);
}

/* Starts the call of tool; its arguments are made of the planned tool's. */
static int start(struct call *call, const struct tool *tool, size_t which, struct plan_read *read,
    call_done_fn done)
{
	const struct call_client client = { .protocol = call->protocol, .name = "stile plan" };
	struct json_doc doc = JSON_DOC_INIT;
	cleanup_buf struct buf arguments = BUF_INIT;
	const struct json *root;
	struct call *inner;

	if (surface_plan_arguments(
		call->tool, which, json_root(&call->resolved), &doc, &call->err) < 0)
		return -1;
	root = json_root(&doc);
	json_write_canonical(&arguments, root);
	read->arguments = buf_detach(&arguments);
	inner = call_new(call->host, &client, tool->name, &doc, root, done, call);
	inner->read = read;
	call_start(inner);
	return 0;
}

static int start_next(struct call *call)
{
	const struct surface_plan *plan = call->tool->plan;
	struct plan_reads *reads = call->reads;
	size_t at = reads->len;
	struct plan_read *read = &reads->items[at];

	if (at == plan->preconditions_len)
		return start(call, plan->preview, SURFACE_PREVIEW, read, on_preview);
	read->records = call->purpose->records;
	read->tool = xstrdup(plan->preconditions[at].tool->name);
	read->pointer = xstrdup(plan->preconditions[at].pointer);
	return start(call, plan->preconditions[at].tool, at, read, on_read);
}

static bool is_over(const struct call *call)
{
	return call->reads->len == call->tool->plan->preconditions_len &&
	       (!wants_preview(call) || call->reads->preview != NULL);
}

static void go_on(void *ctx)
{
	struct call *call = ctx;

	call->reads->timer = NULL;
	if (err_is_set(&call->err) || (!is_over(call) && start_next(call) < 0))
		call_resume(call, CALL_FAIL);
	else if (is_over(call))
		call_plan_go_on(call);
}

enum call_step call_reads_begin(struct call *call)
{
	struct plan_reads *reads = xcalloc(1, sizeof(*reads));

	/* The last place is the preview's. */
	reads->cap = call->tool->plan->preconditions_len + 1;
	reads->items = xcalloc(reads->cap, sizeof(*reads->items));
	call->reads = reads;
	if (!is_over(call))
		return start_next(call) < 0 ? CALL_FAIL : CALL_WAIT;
	go_on_later(call);
	return CALL_WAIT;
}
