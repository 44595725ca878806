/* SPDX-License-Identifier: MIT */
/*
 * record: the row is durable before the answer is written. The minimum of this version: one row a
 * call or refusal; intents and consents come with the write gate.
 */
#include "call/call_internal.h"

static void recorded(void *ctx, int64_t sequence, const struct err *err)
{
	struct call *call = ctx;

	(void)sequence;
	call->ticket = 0;
	if (err_is_set(err)) {
		/* No answer leaves without its record: what was read is withheld. */
		err_set(&call->err, ERR_LEDGER_UNAVAILABLE, "%s", err->message);
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

/* What the row says of the tool and its run. */
static void describe(const struct call *call, struct ledger_record *record)
{
	const struct surface *surface = call->tool->surface;
	const struct run_outcome *outcome = &call->outcome;

	record->surface = surface->name;
	record->surface_digest = &surface->digest;
	record->effect = effect_name(call->tool);
	record->reveals = call->tool->reveals && !call->result.is_error;
	if (!call->has_run)
		return;
	record->program = call->served->program.path;
	record->exit_status = outcome->end == RUN_EXITED ? outcome->exit_status : -1;
	record->duration_us = outcome->duration_us;
	record->output_bytes = (int64_t)outcome->out.len;
}

enum call_step call_record(struct call *call)
{
	const struct host_options *options = call->host->options;
	struct ledger_record record = LEDGER_RECORD_INIT;
	cleanup_buf struct buf arguments = BUF_INIT;

	record.kind = call->is_refused ? LEDGER_REFUSAL : LEDGER_CALL;
	record.caller = options->caller;
	record.protocol = call->protocol;
	record.client = call->client;
	record.tool = call->name;
	record.code = call->result.code;
	record.workspace = options->workspace;
	record.stage = options->stage;
	record.masks = (int64_t)call->masks;
	record.escaped = (int64_t)call->escaped;
	if (call->tool != NULL)
		describe(call, &record);
	if (json_root(&call->arguments) != NULL) {
		json_write_canonical(&arguments, json_root(&call->arguments));
		record.arguments = arguments.data;
		record.arguments_len = arguments.len;
	}
	call->ticket = ledger_queue(call->host->ledger, &record, recorded, call);
	return CALL_WAIT;
}
