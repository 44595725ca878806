/* SPDX-License-Identifier: MIT */
/* record: the row is durable before the answer is written. */
#include "call/call_internal.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"

/* Bytes of a name that the caller chose: looked at for secrets, and kept. */
#define NAME_READ (64 * KIB)
#define NAME_KEPT ((size_t)200)

static void recorded(void *ctx, int64_t sequence, const struct err *err)
{
	struct call *call = ctx;

	(void)sequence;
	call->ticket = 0;
	if (err_is_set(err)) {
		/* No answer leaves without its record: what was read is withheld. What was done cannot
		 * be, and the answer says so. */
		if (call->intent > 0)
			err_set(&call->err, ERR_OUTCOME_UNRECORDED,
			    "the program may have run, but its outcome could not be recorded; "
			    "its intent is row %lld of the ledger",
			    (long long)call->intent);
		else
			err_set(&call->err, ERR_LEDGER_UNAVAILABLE, "%s", err->message);
		call->needs_input = false;
		call_resume(call, CALL_FAIL);
		return;
	}
	call_resume(call, CALL_NEXT);
}

static const char *effect_name(const struct tool *tool)
{
	static const char *const names[] = {
		[SURFACE_READ] = "read",
		[SURFACE_WRITE] = "write",
		[SURFACE_DESTROY] = "destroy",
	};

	return names[tool->effect];
}

/* What the row says of the surface, the tool and its run. */
static void describe(const struct call *call, struct ledger_record *record)
{
	const struct surface *surface = call->loaded->surface;
	const struct run_outcome *outcome = &call->outcome;

	record->surface = surface->name;
	record->surface_digest = &surface->digest;
	record->effect = call->tool != NULL ? effect_name(call->tool) : "read";
	if (call->tool == NULL)
		return;
	record->reveals = call->tool->reveals && !call->result.is_error;
	if (!call->has_run)
		return;
	record->program = call_program(call)->path;
	record->exit_status = outcome->end == RUN_EXITED ? outcome->exit_status : -1;
	record->duration_us = outcome->duration_us;
	record->output_bytes = (int64_t)outcome->out.len;
}

/* What the caller chose, as it is recorded. */
struct told {
	struct buf tool;
	struct buf client;
	struct buf arguments;
};

#define TOLD_INIT ((struct told){ .tool = BUF_INIT, .client = BUF_INIT, .arguments = BUF_INIT })
#define cleanup_told __attribute__((cleanup(told_release)))

static void told_release(struct told *told)
{
	buf_release(&told->tool);
	buf_release(&told->client);
	buf_release(&told->arguments);
}

/* Nobody knows what a caller puts where a name belongs: masked first, then cut. */
static const char *tell_name(const struct call *call, const char *name, struct buf *ret_text)
{
	struct redactor *redactor = call->loaded != NULL ? call->loaded->redactor : NULL;

	if (name == NULL)
		return NULL;
	if (redactor == NULL)
		redactor = host_redactor(call->host);
	(void)redact_text(redactor, NULL, name, text_cut(name, strlen(name), NAME_READ), ret_text);
	if (ret_text->len > NAME_KEPT) {
		buf_truncate(ret_text, text_cut(ret_text->data, ret_text->len, NAME_KEPT));
		buf_adds(ret_text, "…");
	}
	return ret_text->data;
}

/* What the digest is made of; of a read that has no arguments, or none that fit, its URI. */
static void tell_arguments(const struct call *call, struct buf *ret_text)
{
	struct json_writer w = JSON_WRITER_INIT(ret_text);

	if (json_root(&call->arguments) != NULL) {
		json_write_canonical(ret_text, json_root(&call->arguments));
		return;
	}
	json_write_object_begin(&w);
	json_write_member_string(&w, "uri", call->uri);
	json_write_object_end(&w);
}

/* One more thing, behind a comma. */
static void tell(struct buf *text, const char *what, const char *which)
{
	buf_addf(text, "%s%s%s%s", text->len > 0 ? ", " : "", what, which != NULL ? " " : "",
	    which != NULL ? which : "");
}

/* The id of the plan that a planned call is about, or NULL. */
static const char *plan_of(const struct call *call)
{
	const struct call_purpose *purpose = call->purpose;

	if (purpose == NULL)
		return NULL;
	if (purpose->plan != NULL)
		return purpose->plan->id;
	return purpose->made.id[0] != '\0' ? purpose->made.id : NULL;
}

/* What happened, such as the stage that failed (or NULL); of a read, to which resource: by its URI in
 * the file, for the one that was asked for has values in it; and on which decision about the scope it
 * rests. NULL: nothing to say. */
static const char *tell_detail(const struct call *call, const char *event, struct buf *ret_text)
{
	if (event != NULL)
		tell(ret_text, event, NULL);
	if (call->uri != NULL)
		tell(ret_text, "resource", call->resource != NULL ? call->resource->uri : NULL);
	if (call->event != NULL)
		tell(ret_text, "scope", call->event);
	if (plan_of(call) != NULL)
		tell(ret_text, "plan", plan_of(call));
	return ret_text->len > 0 ? ret_text->data : NULL;
}

/* Everything about the call that a row can say before it has run. */
static struct ledger_record make_record(
    const struct call *call, enum ledger_kind kind, struct told *told)
{
	const struct host_options *options = call->host->options;
	const struct decision *decision = &call->host->scope.decision;
	struct ledger_record record = LEDGER_RECORD_INIT;

	record.kind = kind;
	record.caller = options->caller;
	record.protocol = call->protocol;
	record.client = tell_name(call, call->client, &told->client);
	record.tool =
	    call->tool != NULL ? call->tool->name : tell_name(call, call->name, &told->tool);
	record.workspace = options->workspace;
	record.stage = options->stage_dir != NULL ? call->host->scope.folder : options->stage;
	if (decision->stage != NULL)
		record.stage = decision->stage;
	if (call->tool != NULL || call->resource != NULL)
		describe(call, &record);
	if (json_root(&call->arguments) != NULL || call->uri != NULL) {
		tell_arguments(call, &told->arguments);
		record.arguments = told->arguments.data;
		record.arguments_len = told->arguments.len;
	}
	return record;
}

uint64_t call_queue_row(
    struct call *call, enum ledger_kind kind, const char *detail, ledger_done_fn done)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_told struct told told = TOLD_INIT;
	struct ledger_record record = make_record(call, kind, &told);

	record.detail = tell_detail(call, detail, &text);
	record.masks = (int64_t)call->masks;
	record.escaped = (int64_t)call->escaped;
	return ledger_queue(call->host->ledger, &record, done, call);
}

static enum ledger_kind kind_of(const struct call *call)
{
	if (call->intent > 0)
		return LEDGER_OUTCOME;
	if (call->needs_input)
		return LEDGER_CONSENT;
	/* Nothing was started for a call that failed before its program ran: it was refused. */
	return call->failed_stage != NULL && !call->has_run ? LEDGER_REFUSAL : LEDGER_CALL;
}

enum call_step call_record(struct call *call)
{
	const char *event = call->needs_input ? "asked" : call->failed_stage;
	cleanup_buf struct buf detail = BUF_INIT;
	cleanup_told struct told told = TOLD_INIT;
	struct ledger_record record = make_record(call, kind_of(call), &told);

	record.code = call->result.code;
	record.detail = tell_detail(call, event, &detail);
	record.intent = call->intent;
	record.masks = (int64_t)call->masks;
	record.escaped = (int64_t)call->escaped;
	if (call->is_begun)
		return call_apply_finish(call);
	if (call->is_decided)
		return CALL_NEXT;
	/* It waited for the ledger already; the row that ends the outage counts it. */
	if (call->err.code == ERR_LEDGER_UNAVAILABLE)
		return CALL_NEXT;
	call->ticket = ledger_queue(call->host->ledger, &record, recorded, call);
	return CALL_WAIT;
}
