/* SPDX-License-Identifier: MIT */
/*
 * Consent: a question to a person, and what the answer is worth.
 *
 * It is bound to what will run: tool, canonical defaulted arguments, surface digest and launch
 * scope. A legacy client (or the terminal) is asked while the call waits; a modern one gets the
 * question as its answer and comes back with a requestState. Either way the answer is judged at
 * this place of a walk through all gates, against the digest of what stands there then.
 */
#include "call/call_internal.h"

#include "base/clock.h"

/* What the person is asked to consent to. */
static struct digest subject_of(const struct call *call)
{
	const struct host_options *options = call->host->options;
	const struct decision *decision = &call->host->scope.decision;
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);
	char digest[DIGEST_TEXT_SIZE];

	digest_format(&call->tool->surface->digest, digest);
	json_write_object_begin(&w);
	json_write_member_string(&w, "surface", digest);
	json_write_member_string(&w, "tool", call->tool->name);
	json_write_member_string(&w, "workspace", options->workspace);
	json_write_member_string(
	    &w, "stage", decision->stage != NULL ? decision->stage : options->stage);
	json_write_member_string(&w, "folder", options->stage_dir);
	json_write_key(&w, "roots");
	json_write_array_begin(&w);
	for (size_t i = 0; i < call->host->roots.len; i++)
		json_write_string(&w, call->host->roots.items[i]);
	json_write_array_end(&w);
	json_write_object_end(&w);
	json_write_canonical(&text, json_root(&call->arguments));
	return digest_of(text.data, text.len);
}

static enum call_step refuse(struct call *call, enum err_code code, const char *why)
{
	err_set(&call->err, code, "%s: %s; nothing was run", call->name, why);
	return CALL_FAIL;
}

static enum call_step judge(struct call *call)
{
	switch (call->answer) {
	case CALL_ACCEPTED:
		(void)call_queue_row(call, LEDGER_CONSENT, "accepted", NULL);
		return CALL_NEXT;
	case CALL_DECLINED:
		return refuse(call, ERR_WRITE_DECLINED, "the person said no");
	case CALL_DISMISSED:
		return refuse(call, ERR_WRITE_CANCELLED, "the question was dismissed");
	case CALL_TIMED_OUT:
		return refuse(call, ERR_WRITE_TIMEOUT, "nobody answered the question in time");
	case CALL_ASK_FAILED:
	case CALL_UNANSWERED:
		break;
	}
	return refuse(
	    call, ERR_WRITE_CONFIRMATION_UNAVAILABLE, "the client failed to ask the person");
}

/* The answer that came back while the call waited. */
static enum call_step judge_waited(struct call *call)
{
	struct digest subject = subject_of(call);

	if (!digest_equal(&subject, &call->asked))
		return refuse(call, ERR_SURFACE_UNTRUSTED,
		    "its surface or scope changed while the person was asked");
	return judge(call);
}

/* Made when first needed: a process that asks nobody, as most do, starts without the key. */
static struct gate_consents *consents_of(const struct call *call)
{
	struct host *host = call->host;

	if (host->consents == NULL)
		host->consents = gate_consents_new();
	return host->consents;
}

/* The question goes out as the answer of this request. */
static enum call_step ask_by_round_trip(struct call *call, const struct digest *subject)
{
	gate_consent_issue(consents_of(call), subject, clock_wall_us() / 1000, &call->new_state);
	call->needs_input = true;
	return CALL_INPUT;
}

/* What may be shown of an argument, whole: it is cut afterwards. */
static void show(void *ctx, const struct json *value, struct buf *ret_text)
{
	struct call *call = ctx;
	struct redactor *redactor = call->loaded->redactor;
	cleanup_err struct err ignored = ERR_INIT;
	size_t masks = 0;
	size_t escaped = 0;

	if (value->type == JSON_STRING)
		masks = redact_text(redactor, &call->secrets, value->str, value->len, ret_text);
	else if (redact_json(redactor, &call->secrets, value->raw, value->raw_len, ret_text, &masks,
		     &escaped, &ignored) < 0)
		buf_adds(ret_text, "(withheld)");
	call->masks += masks;
}

static enum call_step ask(struct call *call, const struct digest *subject)
{
	surface_question(call->tool, json_root(&call->resolved), show, call, &call->question);
	call_redact_text(call, &call->question);
	if (call->ask == NULL)
		return ask_by_round_trip(call, subject);
	call->asked = *subject;
	call->is_asking = true;
	(void)call_queue_row(call, LEDGER_CONSENT, "asked", NULL);
	call->ask(call->ask_ctx, call, call->question.data);
	return CALL_WAIT;
}

enum call_step call_ask_person(struct call *call)
{
	struct digest subject;

	if (call->has_answer)
		return judge_waited(call);
	subject = subject_of(call);
	if (call->state == NULL)
		return ask(call, &subject);
	if (gate_consent_redeem(consents_of(call), call->state, strlen(call->state), &subject,
		clock_wall_us() / 1000, &call->err) < 0) {
		call->err.details =
		    xasprintf("{\"error_code\":\"%s\"}", err_info(call->err.code)->wire);
		return CALL_FAIL;
	}
	return call->answer == CALL_UNANSWERED ? ask(call, &subject) : judge(call);
}
