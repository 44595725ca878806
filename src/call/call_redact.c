/* SPDX-License-Identifier: MIT */
/*
 * redact: what may leave. The minimum of this version: the surface's own secrets and the call's
 * known values are masked, invisible characters made visible, in the structured part (on decoded
 * strings) and in the text part alike. A result that cannot be redacted is withheld.
 */
#include "call/call_internal.h"

#include "base/text.h"

/* Rewrites one part in place. */
static void redact_part(struct call *call, struct redactor *redactor, struct buf *part)
{
	cleanup_buf struct buf clean = BUF_INIT;
	cleanup_buf struct buf masked = BUF_INIT;

	call->masks += redact_text(redactor, &call->secrets, part->data, part->len, &masked);
	call->escaped += text_add_clean(&clean, masked.data, masked.len);
	buf_reset(part);
	buf_add(part, clean.data, clean.len);
}

static int redact_result(struct call *call, struct redactor *redactor)
{
	cleanup_buf struct buf json = BUF_INIT;
	size_t masks = 0;
	size_t escaped = 0;

	if (call->result.has_text)
		redact_part(call, redactor, &call->result.text);
	if (call->result.json.len == 0)
		return 0;
	if (redact_json(redactor, &call->secrets, call->result.json.data, call->result.json.len,
		&json, &masks, &escaped, &call->err) < 0)
		return -1;
	buf_release(&call->result.json);
	call->result.json = json;
	json = BUF_INIT;
	call->masks += masks;
	call->escaped += escaped;
	return 0;
}

enum call_step call_redact(struct call *call)
{
	if (call->loaded == NULL)
		return CALL_NEXT; /* no surface: the text is ours alone */
	if (call->needs_input)
		redact_part(call, call->loaded->redactor, &call->question);
	if (call->tool->reveals && !call->result.is_error)
		return CALL_NEXT;
	return redact_result(call, call->loaded->redactor) < 0 ? CALL_FAIL : CALL_NEXT;
}
