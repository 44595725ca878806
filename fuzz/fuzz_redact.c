/* SPDX-License-Identifier: MIT */
/*
 * The redactor and the normaliser over anything. The first line is a secret, the rest a text that
 * may hold it: no known value and no token may be left outside the masks, JSON stays JSON, no
 * pattern gives up, and what is masked is refused as an argument. A byte 0x0e and the one behind it
 * stand for an example of the rules, so that the corpus holds nothing that looks like a secret.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/json.h"
#include "run/run_redact.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MASK_BEGIN "[masked:"

/* Fails when text holds value outside of masks. What stands between two masks is looked at by
 * itself: a value may well be part of a mask. */
static void check_part(const char *data, size_t len, const struct redactor_values *values)
{
	for (size_t i = 0; i < values->items.len; i++) {
		const char *value = values->items.items[i];

		assert(memmem(data, len, value, strlen(value)) == NULL);
	}
}

static void check_text(const char *data, size_t len, const struct redactor_values *values)
{
	size_t at = 0;

	while (at < len) {
		const char *mask = memmem(data + at, len - at, MASK_BEGIN, strlen(MASK_BEGIN));
		const char *end;

		if (mask == NULL)
			break;
		check_part(data + at, (size_t)(mask - (data + at)), values);
		end = memchr(mask, ']', len - (size_t)(mask - data));
		if (end == NULL)
			return;
		at = (size_t)(end - data) + 1;
	}
	if (at < len)
		check_part(data + at, len - at, values);
}

static void check_strings(const struct json_doc *doc, const struct redactor_values *values)
{
	for (size_t i = 0; i < doc->tape_len; i++) {
		const struct json *node = &doc->tape[i];

		if (node->type == JSON_STRING) {
			assert((node->flags & (JSON_LONE_SURROGATE | JSON_HAS_NUL)) == 0);
			check_text(node->str, node->len, values);
		}
	}
}

static void try_text(
    struct redactor *redactor, const struct redactor_values *values, const char *data, size_t len)
{
	cleanup_buf struct buf out = BUF_INIT;

	(void)redact_text(redactor, values, data, len, &out);
	assert(text_is_utf8(out.data, out.len));
	check_text(out.data, out.len, values);
}

/* Every string of a masked document that holds a mask is refused, and nothing else is. */
static void try_refusal(struct redact_host *host, const char *data, size_t len, size_t masks)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	if (json_read(&doc, data, len, &err) < 0)
		abort();
	if (redact_refuse_masked(host, json_root(&doc), &err) < 0)
		assert(masks > 0 && err.code == ERR_MASKED_CONTENT && err.details != NULL);
	else
		assert(masks == 0);
}

static void try_json(
    struct redactor *redactor, const struct redactor_values *values, const char *data, size_t len)
{
	cleanup_buf struct buf out = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	size_t masks = 0;
	size_t escaped = 0;

	if (redact_json(redactor, values, data, len, &out, &masks, &escaped, &err) < 0) {
		assert(err_is_set(&err) && out.len == 0);
		return;
	}
	if (json_read(&doc, out.data, out.len, &err) < 0)
		abort();
	check_strings(&doc, values);
	try_refusal(redactor_host(redactor), out.data, out.len, masks);
}

static void try_stderr(struct redactor *redactor, const char *data, size_t len)
{
	cleanup_buf struct buf out = BUF_INIT;

	(void)redact_stderr(redactor, NULL, data, len, &out);
	assert(text_is_utf8(out.data, out.len));
}

static void try_normalise(const char *data, size_t len)
{
	cleanup_buf struct buf raw = BUF_INIT;
	cleanup_buf struct buf out = BUF_INIT;

	buf_add(&raw, data, len);
	run_normalise(&raw, true, &out);
	assert(out.len <= raw.len && memchr(out.data, '\x1b', out.len) == NULL);
}

#define EXAMPLE 0x0e

static const char *example(uint8_t number)
{
	size_t i = number % (redact_rules_len + redact_names_len);

	return i < redact_rules_len ? redact_rules[i].positive
				    : redact_names[i - redact_rules_len].positive;
}

/* An example without the « and » that frame its secret. */
static void add_example(struct buf *text, const char *at)
{
	while (*at != '\0') {
		bool is_frame = strncmp(at, "«", 2) == 0 || strncmp(at, "»", 2) == 0;

		if (!is_frame)
			buf_addc(text, *at);
		at += is_frame ? 2 : 1;
	}
}

static void expand(struct buf *text, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (data[i] == EXAMPLE && i + 1 < size)
			add_example(text, example(data[++i]));
		else
			buf_addc(text, (char)data[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_buf struct buf expanded = BUF_INIT;
	struct redact_host *host = redact_host_new(NULL);
	struct redactor *redactor = redactor_new(host);
	struct redactor_values values = REDACTOR_VALUES_INIT;
	const char *text;
	const char *line;
	size_t value_len;
	size_t skip;

	expand(&expanded, data, size);
	text = expanded.data;
	size = expanded.len;
	line = memchr(text, '\n', size);
	value_len = line == NULL ? 0 : (size_t)(line - text);
	skip = line == NULL ? 0 : value_len + 1;
	redactor_add_pattern(redactor, "token", "tok_[0-9a-f]{4,}");
	redactor_add_pattern(redactor, "pin", "(?<=pin )[0-9]{4}\\b");
	if (text_is_utf8(text, value_len))
		redactor_values_add(&values, text, value_len);
	try_text(redactor, &values, text + skip, size - skip);
	try_json(redactor, &values, text + skip, size - skip);
	try_stderr(redactor, text + skip, size - skip);
	try_normalise(text + skip, size - skip);
	redactor_values_release(&values);
	redactor_free(redactor);
	redact_host_free(host);
	return 0;
}
