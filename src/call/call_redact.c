/* SPDX-License-Identifier: MIT */
/*
 * redact: what may leave. Secrets are masked and invisible characters made visible, in the
 * structured part (on decoded strings) and in the text part alike. A result that cannot be
 * redacted is withheld.
 */
#include "call/call_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct redactor *host_redactor(struct host *host)
{
	if (host->redactor == NULL)
		host->redactor = redactor_new(host->masking);
	return host->redactor;
}

/* What is made clean is looked at once more: an invisible character may have stood amid a secret. */
void call_redact_text(struct call *call, struct buf *text)
{
	struct redactor *redactor = call->loaded->redactor;
	cleanup_buf struct buf clean = BUF_INIT;
	cleanup_buf struct buf masked = BUF_INIT;

	call->masks += redact_text(redactor, &call->secrets, text->data, text->len, &masked);
	call->escaped += text_add_clean(&clean, masked.data, masked.len);
	buf_reset(text);
	if (clean.len == masked.len && memcmp(clean.data, masked.data, clean.len) == 0)
		buf_add(text, clean.data, clean.len);
	else
		call->masks += redact_text(redactor, &call->secrets, clean.data, clean.len, text);
}

static void strip_paths(const struct call *call, struct buf *text)
{
	cleanup_buf struct buf stripped = BUF_INIT;

	redact_strip_paths(call->loaded->redactor, text->data, text->len, &stripped);
	buf_reset(text);
	buf_add(text, stripped.data, stripped.len);
}

/* A failed envelope is a diagnosis: it may name no more paths than standard error may. */
static void strip_failure(struct call *call)
{
	if (!call->result.is_error || !call->has_run ||
	    call->runs->surface->program.output != SURFACE_OUTPUT_ENVELOPE)
		return;
	if (call->result.has_text)
		strip_paths(call, &call->result.text);
	strip_paths(call, &call->result.json);
}

/* An error's code may be the program's own word; the ledger has it too. */
static void redact_code(struct call *call)
{
	cleanup_buf struct buf code = BUF_INIT;

	if (call->result.code == NULL || err_is_wire_name(call->result.code))
		return;
	buf_adds(&code, call->result.code);
	call_redact_text(call, &code);
	free(call->result.code);
	call->result.code = buf_detach(&code);
}

static int redact_result(struct call *call)
{
	struct redactor *redactor = call->loaded->redactor;
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_err struct err err = ERR_INIT; /* call->err may hold what is redacted here */
	size_t before = call->masks;
	size_t in_text;
	size_t masks = 0;
	size_t escaped = 0;

	if (call->result.has_text)
		call_redact_text(call, &call->result.text);
	in_text = call->masks - before;
	redact_code(call);
	if (call->result.json.len == 0)
		return 0;
	strip_failure(call);
	if (redact_json(redactor, &call->secrets, call->result.json.data, call->result.json.len,
		&json, &masks, &escaped, &err) < 0) {
		err_move(&call->err, &err);
		return -1;
	}
	buf_release(&call->result.json);
	call->result.json = json;
	json = BUF_INIT;
	/* Both parts say the same: what is masked in either counts once. */
	call->masks += masks > in_text ? masks - in_text : 0;
	call->escaped += escaped;
	return 0;
}

/* Whoever made a planned call gets our error itself, not the result that is made of it. */
static int redact_error(struct call *call)
{
	struct err *err = &call->err;
	cleanup_buf struct buf message = BUF_INIT;
	cleanup_buf struct buf details = BUF_INIT;
	cleanup_err struct err cause = ERR_INIT;
	size_t masks = 0;
	size_t escaped = 0;

	if (err->details != NULL &&
	    redact_json(call->loaded->redactor, &call->secrets, err->details, strlen(err->details),
		&details, &masks, &escaped, &cause) < 0) {
		err_move(err, &cause);
		return -1;
	}
	buf_adds(&message, err->message);
	call_redact_text(call, &message);
	free(err->message);
	err->message = buf_detach(&message);
	if (err->details != NULL)
		(void)err_take_details(err, buf_detach(&details));
	return 0;
}

enum call_step call_redact(struct call *call)
{
	if (call->read != NULL)
		call_reads_take(call);
	if (call->loaded == NULL)
		return CALL_NEXT; /* no surface: the text is ours alone */
	if (call->tool == NULL)
		return CALL_NEXT; /* the file's own words, looked at when it was loaded */
	if (call->purpose != NULL && err_is_set(&call->err) && redact_error(call) < 0)
		return CALL_FAIL;
	/* What a plan keeps is shown to more than the caller. */
	if (call->tool->reveals && !call->result.is_error && call->purpose == NULL &&
	    call->read == NULL)
		return CALL_NEXT;
	return redact_result(call) < 0 ? CALL_FAIL : CALL_NEXT;
}
