/* SPDX-License-Identifier: MIT */
/* Results that say no: errors of ours, and what a program's exit status and stderr are made into
 * (section 6). Text and structured part say the same, since clients show one or the other. */
#include "surface/surface_result_internal.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"

void surface_result_release(struct surface_result *result)
{
	free(result->code);
	buf_release(&result->json);
	buf_release(&result->text);
	*result = SURFACE_RESULT_INIT;
}

/* An error's parts, on their way into both forms. */
struct failure {
	const char *code;
	bool retryable;
	const char *message;
	const int *exit_status;  /* or NULL */
	const char *hint;        /* or NULL */
	const struct json *more; /* object whose members join, or NULL */
};

static bool is_taken(const struct json *name)
{
	static const char *const taken[] = { "error_code", "retryable", "message", "exit_code",
		"user_action" };

	for (size_t i = 0; i < ARRAY_LEN(taken); i++) {
		if (json_is_text(name, taken[i]))
			return true;
	}
	return false;
}

static void write_failure(struct json_writer *w, const struct failure *failure)
{
	json_write_object_begin(w);
	json_write_member_string(w, "error_code", failure->code);
	json_write_member_bool(w, "retryable", failure->retryable);
	json_write_member_string(w, "message", failure->message);
	if (failure->exit_status != NULL)
		json_write_member_int(w, "exit_code", *failure->exit_status);
	if (failure->hint != NULL)
		json_write_member_string(w, "user_action", failure->hint);
	if (json_is(failure->more, JSON_OBJECT)) {
		json_foreach_member (name, value, failure->more) {
			if (is_taken(name))
				continue;
			json_write_key_len(w, name->str, name->len);
			json_write_node(w, value);
		}
	}
	json_write_object_end(w);
}

static void fill_result(const struct failure *failure, struct surface_result *ret_result)
{
	struct json_writer w;

	surface_result_release(ret_result);
	w = JSON_WRITER_INIT(&ret_result->json);
	ret_result->is_error = true;
	ret_result->retryable = failure->retryable;
	ret_result->code = xstrdup(failure->code);
	write_failure(&w, failure);
	ret_result->has_text = true;
	buf_addf(&ret_result->text, "[%s] %s", failure->code, failure->message);
	if (failure->hint != NULL)
		buf_addf(&ret_result->text, "\n%s", failure->hint);
}

void surface_error_result(const struct err *err, struct surface_result *ret_result)
{
	cleanup_json struct json_doc details = JSON_DOC_INIT;
	cleanup_err struct err ignored = ERR_INIT;
	struct failure failure = {
		.code = err_info(err->code)->wire,
		.retryable = err->retryable,
		.message = err->message != NULL ? err->message : err_info(err->code)->meaning,
	};

	if (err->details != NULL &&
	    json_read(&details, err->details, strlen(err->details), &ignored) == 0)
		failure.more = json_root(&details);
	fill_result(&failure, ret_result);
}

/* ---- rules ---- */

/* How a text stands in stderr: anywhere and in any (ASCII) case, or as a whole word as it is. */
enum standing { STANDS_ANYWHERE, STANDS_AS_WORD };

static bool is_same_text(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text_ascii_lower(a[i]) != text_ascii_lower(b[i]))
			return false;
	}
	return true;
}

static bool is_whole_word(const struct surface_run *run, size_t at, size_t len)
{
	return (at == 0 || !text_is_word_char(run->err[at - 1])) &&
	       (at + len == run->err_len || !text_is_word_char(run->err[at + len]));
}

/* Does stderr hold the text? An empty one is found nowhere: it cannot claim every error. */
static bool says(const struct surface_run *run, const char *text, size_t len, enum standing how)
{
	for (size_t at = 0; len > 0 && at + len <= run->err_len; at++) {
		if (how == STANDS_AS_WORD
			? memcmp(run->err + at, text, len) == 0 && is_whole_word(run, at, len)
			: is_same_text(run->err + at, text, len))
			return true;
	}
	return false;
}

static bool says_json(const struct surface_run *run, const struct json *text)
{
	return json_is(text, JSON_STRING) && says(run, text->str, text->len, STANDS_ANYWHERE);
}

static bool texts_hold(const struct surface_run *run, const struct json *texts)
{
	if (texts->type != JSON_ARRAY)
		return says_json(run, texts);
	json_foreach (text, texts) {
		if (says_json(run, text))
			return true;
	}
	return false;
}

static bool is_status(const struct json *number, int status)
{
	int64_t value;

	return json_is(number, JSON_NUMBER) && json_number_int64(number, &value) && value == status;
}

static bool has_status(const struct json *list, int status)
{
	if (list->type != JSON_ARRAY)
		return is_status(list, status);
	json_foreach (number, list) {
		if (is_status(number, status))
			return true;
	}
	return false;
}

/* All that the rule gives must hold; a rule that gives nothing holds always. */
static bool rule_holds(const struct error_rule *rule, const struct surface_run *run)
{
	return (rule->exits == NULL || has_status(rule->exits, run->exit_status)) &&
	       (rule->texts == NULL || texts_hold(run, rule->texts)) &&
	       (rule->match == NULL ||
		   regex_search_utf8(rule->match, run->err, run->err_len, 0, NULL, NULL));
}

static const struct error_rule *first_rule(
    const struct error_rule *rules, size_t len, const struct surface_run *run)
{
	for (size_t i = 0; i < len; i++) {
		if (rule_holds(&rules[i], run))
			return &rules[i];
	}
	return NULL;
}

/* ---- the program's own words ---- */

/* The head of a stream: at most so many characters, and how many more there were. */
static void add_head(struct buf *buf, const char *data, size_t len, bool is_cut)
{
	size_t at = 0;
	size_t left;

	for (size_t i = 0; i < LIMIT_STREAM_HEAD && at < len; i++) {
		uint32_t cp = 0;

		at += text_decode(data + at, len - at, &cp);
	}
	buf_add(buf, data, at);
	left = text_count(data + at, len - at);
	if (left > 0)
		buf_addf(buf, " … (%zu more characters%s)", left, is_cut ? " and more" : "");
	else if (is_cut)
		buf_adds(buf, " … (and more)");
}

bool surface_add_stream(
    struct buf *buf, const char *label, const char *data, size_t len, bool is_cut)
{
	cleanup_buf struct buf valid = BUF_INIT;

	data = surface_trim(data, &len);
	if (len == 0)
		return false;
	(void)surface_add_valid(&valid, data, len);
	buf_adds(buf, label);
	add_head(buf, valid.data, valid.len, is_cut);
	return true;
}

/* May an error repeat what was printed? Not where the result would be less than that: a list of
 * references whose program fails half-way has printed what the references leave out. */
static bool may_quote(const struct tool *tool)
{
	for (size_t i = 0; i < tool->in->results_len; i++) {
		const struct result *result = &tool->in->results[i];

		if (result->as != NULL || result->pick.len > 0 || result->drop.len > 0)
			return false;
	}
	return !tool->reveals;
}

/* What a person's shell has and a client's configuration lacks (clients.md Q50). Only what the
 * program speaks of: a surface lists many variables that are rarely set. */
static void add_unset(struct buf *buf, const struct surface_run *run)
{
	for (size_t i = 0; run->unset != NULL && i < run->unset->len; i++) {
		const char *name = run->unset->items[i];

		if (says(run, name, strlen(name), STANDS_AS_WORD))
			buf_addf(buf,
			    "\n%s is not set for this server; the client's configuration can set "
			    "it",
			    name);
	}
}

/* Status and streams. */
static void add_message(struct buf *buf, const struct tool *tool, const struct surface_run *run)
{
	bool said;

	buf_addf(buf, "%s ended with exit status %d", tool->surface->name, run->exit_status);
	said = surface_add_stream(buf, "\nstderr: ", run->err, run->err_len, run->is_err_cut);
	if (!may_quote(tool))
		said |= run->out_len > 0;
	else if (run->quotable != NULL)
		said |=
		    surface_add_stream(buf, "\nstdout: ", run->quotable, run->quotable_len, false);
	else
		said |= surface_add_stream(buf, "\nstdout: ", run->out, run->out_len, false);
	if (!said)
		buf_adds(buf, " and printed nothing");
	add_unset(buf, run);
}

void surface_make_failure(
    const struct tool *tool, const struct surface_run *run, struct surface_result *ret_result)
{
	const struct surface_internal *file = tool->surface->in;
	cleanup_buf struct buf valid = BUF_INIT;
	cleanup_buf struct buf message = BUF_INIT;
	struct surface_run clean = *run;
	const struct error_rule *rule;
	struct failure failure = {
		.code = err_info(ERR_PROGRAM_FAILED)->wire,
		.exit_status = &run->exit_status,
	};

	(void)surface_add_valid(&valid, run->err, run->err_len);
	clean.err = valid.data; /* patterns match valid text only */
	clean.err_len = valid.len;
	rule = first_rule(tool->in->errors, tool->in->errors_len, &clean);
	if (rule == NULL)
		rule = first_rule(file->errors, file->errors_len, &clean);
	add_message(&message, tool, &clean);
	failure.message = message.data;
	if (rule != NULL) {
		failure.code = rule->code;
		failure.retryable = rule->retryable;
		failure.hint = rule->hint;
		failure.more = rule->add;
	}
	fill_result(&failure, ret_result);
}
