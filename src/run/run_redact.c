/* SPDX-License-Identifier: MIT */
/*
 * Masking: where are the secrets of a text? Spans are collected from all rules and values first,
 * then merged and replaced in one pass, so that no rule sees what another one has written.
 */
#include "run/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/json.h"
#include "schema/schema.h"

/* A shorter value would mask words of ordinary text. */
#define VALUE_MIN 4

/* The name in the mask of a known value. */
#define VALUE_NAME "secret"

struct rule {
	char *name;
	struct regex *regex;
};

/* A part of the text that must not leave. */
struct span {
	size_t begin;
	size_t end;
	const char *name; /* of the rule; borrowed */
};

struct redactor {
	struct rule *rules; /* owned */
	size_t rules_len;
	size_t rules_cap;
	struct span *spans; /* of the text under way; kept for the next; owned */
	size_t spans_len;
	size_t spans_cap;
};

struct redactor *redactor_new(void)
{
	return xcalloc(1, sizeof(struct redactor));
}

void redactor_free(struct redactor *redactor)
{
	if (redactor == NULL)
		return;
	for (size_t i = 0; i < redactor->rules_len; i++) {
		free(redactor->rules[i].name);
		regex_free(redactor->rules[i].regex);
	}
	free(redactor->rules);
	free(redactor->spans);
	free(redactor);
}

void redactor_add_pattern(struct redactor *redactor, const char *name, const char *pattern)
{
	ARRAY_GROW(redactor->rules, redactor->rules_len, redactor->rules_cap);
	redactor->rules[redactor->rules_len++] =
	    (struct rule){ .name = xstrdup(name), .regex = regex_new(pattern) };
}

/* ---- known values ---- */

void redactor_values_release(struct redactor_values *values)
{
	strvec_release(&values->items);
}

static void add_form(struct redactor_values *values, const char *data, size_t len)
{
	if (len < VALUE_MIN || memchr(data, '\0', len) != NULL)
		return;
	if (!strvec_contains(&values->items, data))
		strvec_push(&values->items, data);
}

/* A value may come back as it was, inside JSON text that is printed as text, or with what is
 * invisible in it made visible. */
void redactor_values_add(struct redactor_values *values, const char *data, size_t len)
{
	cleanup_free char *plain = xmemdupz(data, len);
	cleanup_buf struct buf quoted = BUF_INIT;
	cleanup_buf struct buf clean = BUF_INIT;

	add_form(values, plain, len);
	json_quote(&quoted, data, len);
	buf_truncate(&quoted, quoted.len - 1);
	add_form(values, quoted.data + 1, quoted.len - 1);
	(void)text_add_clean(&clean, data, len);
	add_form(values, clean.data, clean.len);
}

/* ---- spans ---- */

/* Adds a span, or lengthens the last one when the same rule goes on where it overlaps. */
static void add_span(struct redactor *redactor, size_t begin, size_t end, const char *name)
{
	struct span *last =
	    redactor->spans_len > 0 ? &redactor->spans[redactor->spans_len - 1] : NULL;

	if (last != NULL && last->name == name && begin >= last->begin && begin < last->end) {
		last->end = end > last->end ? end : last->end;
		return;
	}
	ARRAY_GROW(redactor->spans, redactor->spans_len, redactor->spans_cap);
	redactor->spans[redactor->spans_len++] =
	    (struct span){ .begin = begin, .end = end, .name = name };
}

/* Occurrences may overlap ("abab" in "ababab"), so the search goes on one byte further. */
static void find_value(struct redactor *redactor, const char *value, const char *data, size_t len)
{
	size_t value_len = strlen(value);
	size_t at = 0;

	while (at < len) {
		const char *hit = memmem(data + at, len - at, value, value_len);

		if (hit == NULL)
			return;
		at = (size_t)(hit - data);
		add_span(redactor, at, at + value_len, VALUE_NAME);
		at++;
	}
}

/* False when the engine gave up: nobody knows then what the text holds. */
static bool find_pattern(
    struct redactor *redactor, const struct rule *rule, const char *data, size_t len)
{
	struct regex_match match;
	bool has_failed = false;
	size_t at = 0;

	while (at <= len && regex_search_utf8(rule->regex, data, len, at, &match, &has_failed)) {
		uint32_t ignored = 0;

		at = match.end[0];
		if (match.end[0] > match.begin[0])
			add_span(redactor, match.begin[0], match.end[0], rule->name);
		else
			at += at < len ? text_decode(data + at, len - at, &ignored) : 1;
	}
	return !has_failed;
}

/* Collects the spans of data (UTF-8). An engine that gave up makes one span of everything. */
static void find_spans(
    struct redactor *redactor, const struct redactor_values *values, const char *data, size_t len)
{
	redactor->spans_len = 0;
	for (size_t i = 0; values != NULL && i < values->items.len; i++)
		find_value(redactor, values->items.items[i], data, len);
	for (size_t i = 0; i < redactor->rules_len; i++) {
		if (!find_pattern(redactor, &redactor->rules[i], data, len)) {
			redactor->spans_len = 0;
			add_span(redactor, 0, len, redactor->rules[i].name);
			return;
		}
	}
}

static int compare_spans(const void *left, const void *right)
{
	const struct span *a = left;
	const struct span *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return a->end < b->end ? 1 : a->end > b->end ? -1 : 0;
}

/* Writes data with one mask for each run of overlapping spans, named after its first. */
static size_t add_masked(
    const struct redactor *redactor, const char *data, size_t len, struct buf *ret_text)
{
	size_t masks = 0;
	size_t at = 0;

	for (size_t i = 0; i < redactor->spans_len;) {
		struct span span = redactor->spans[i];

		for (i++; i < redactor->spans_len && redactor->spans[i].begin < span.end; i++) {
			if (redactor->spans[i].end > span.end)
				span.end = redactor->spans[i].end;
		}
		buf_add(ret_text, data + at, span.begin - at);
		buf_addf(ret_text, "[masked:%s]", span.name);
		at = span.end;
		masks++;
	}
	buf_add(ret_text, data + at, len - at);
	return masks;
}

static size_t mask(struct redactor *redactor, const struct redactor_values *values,
    const char *data, size_t len, struct buf *ret_text)
{
	find_spans(redactor, values, data, len);
	if (redactor->spans_len > 1)
		qsort(
		    redactor->spans, redactor->spans_len, sizeof(*redactor->spans), compare_spans);
	return add_masked(redactor, data, len, ret_text);
}

/* Bytes that are no UTF-8 would keep a pattern from matching at all: they are made visible. */
static void add_utf8(struct buf *buf, const char *data, size_t len)
{
	size_t at = 0;

	while (at < len) {
		uint32_t ignored = 0;
		size_t step = text_decode(data + at, len - at, &ignored);

		if (step == 0)
			buf_addf(buf, "\\x{%02X}", (unsigned char)data[at]);
		else
			buf_add(buf, data + at, step);
		at += step == 0 ? 1 : step;
	}
}

size_t redact_text(struct redactor *redactor, const struct redactor_values *values,
    const char *data, size_t len, struct buf *ret_text)
{
	cleanup_buf struct buf valid = BUF_INIT;

	if (text_is_utf8(data, len))
		return mask(redactor, values, data, len, ret_text);
	add_utf8(&valid, data, len);
	return mask(redactor, values, valid.data, valid.len, ret_text);
}

/* ---- JSON ---- */

struct json_walk {
	struct redactor *redactor;
	const struct redactor_values *values;
	struct buf *out;      /* the text under way */
	struct buf masked;    /* one string, masked; kept for the next */
	struct buf clean;     /* and made clean */
	size_t masks;         /* set so far */
	size_t escaped;       /* characters made visible so far */
	bool has_changed_key; /* two keys of one object may be equal now */
};

/* True when text_add_clean() has nothing to do, as far as a glance tells. */
static bool is_plain(const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i] < 0x20 || data[i] > 0x7e)
			return false;
	}
	return true;
}

/*
 * Masks and cleans one decoded string into walk->clean; false when nothing needs to change. What
 * is made clean is masked once more: "A\r\nB" becomes "A\nB", which may be a secret.
 */
static bool change_string(struct json_walk *walk, const struct json *string)
{
	size_t masks;

	buf_reset(&walk->masked);
	buf_reset(&walk->clean);
	masks = mask(walk->redactor, walk->values, string->str, string->len, &walk->masked);
	walk->masks += masks;
	if (string->flags & JSON_LONE_SURROGATE)
		walk->escaped++;
	else if (masks == 0 && is_plain(string->str, string->len))
		return false;
	walk->escaped += text_add_clean(&walk->clean, walk->masked.data, walk->masked.len);
	if (walk->clean.len != walk->masked.len ||
	    memcmp(walk->clean.data, walk->masked.data, walk->clean.len) != 0) {
		buf_reset(&walk->masked);
		walk->masks += mask(
		    walk->redactor, walk->values, walk->clean.data, walk->clean.len, &walk->masked);
		return true;
	}
	return masks > 0 || string->flags & JSON_LONE_SURROGATE;
}

static void write_string(struct json_walk *walk, const struct json *string)
{
	if (change_string(walk, string))
		json_quote(walk->out, walk->masked.data, walk->masked.len);
	else
		buf_add(walk->out, string->raw, string->raw_len);
}

/* The second changed key of an object, and each one after it, gets a number: two masks in one
 * object would be the same key. */
static void write_key(struct json_walk *walk, const struct json *key, size_t *changed)
{
	if (!change_string(walk, key)) {
		buf_add(walk->out, key->raw, key->raw_len);
		return;
	}
	walk->has_changed_key = true;
	if (++*changed > 1)
		buf_addf(&walk->masked, "#%zu", *changed);
	json_quote(walk->out, walk->masked.data, walk->masked.len);
}

static void write_value(struct json_walk *walk, const struct json *value);

static void write_object(struct json_walk *walk, const struct json *object)
{
	const char *separator = "";
	size_t changed = 0;

	buf_addc(walk->out, '{');
	json_foreach_member (key, value, object) {
		buf_adds(walk->out, separator);
		separator = ",";
		write_key(walk, key, &changed);
		buf_addc(walk->out, ':');
		write_value(walk, value);
	}
	buf_addc(walk->out, '}');
}

static void write_array(struct json_walk *walk, const struct json *array)
{
	const char *separator = "";

	buf_addc(walk->out, '[');
	json_foreach (item, array) {
		buf_adds(walk->out, separator);
		separator = ",";
		write_value(walk, item);
	}
	buf_addc(walk->out, ']');
}

/* The depth of the recursion is the reader's: LIMIT_JSON_DEPTH. */
static void write_value(struct json_walk *walk, const struct json *value)
{
	if (value->type == JSON_OBJECT)
		write_object(walk, value);
	else if (value->type == JSON_ARRAY)
		write_array(walk, value);
	else if (value->type == JSON_STRING)
		write_string(walk, value);
	else
		buf_add(walk->out, value->raw, value->raw_len);
}

/* Numbered keys can still meet a key that was there: such a text is not passed on. */
static int check_keys(const char *data, size_t len, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err reason = ERR_INIT;

	if (json_read(&doc, data, len, &reason) == 0)
		return 0;
	return err_set(
	    err, ERR_BAD_OUTPUT, "with its secrets masked, two keys of an object are the same");
}

int redact_json(struct redactor *redactor, const struct redactor_values *values, const char *data,
    size_t len, struct buf *ret_text, size_t *ret_masks, size_t *ret_escaped, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	struct json_walk walk = { .redactor = redactor,
		.values = values,
		.out = ret_text,
		.masked = BUF_INIT,
		.clean = BUF_INIT };
	size_t start = ret_text->len;
	int result;

	if (json_read(&doc, data, len, err) < 0)
		return err_wrap(err, "redact");
	write_value(&walk, json_root(&doc));
	buf_release(&walk.masked);
	buf_release(&walk.clean);
	result = buf_check(ret_text, "the redacted text", err);
	if (result == 0 && walk.has_changed_key)
		result = check_keys(ret_text->data + start, ret_text->len - start, err);
	if (result < 0) {
		buf_truncate(ret_text, start);
		return -1;
	}
	*ret_masks = walk.masks;
	*ret_escaped = walk.escaped;
	return 0;
}
