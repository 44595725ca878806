/* SPDX-License-Identifier: MIT */
/*
 * Standard output made ready for a parser: colours off, banner lines before JSON cut.
 *
 * Whether a line begins a JSON value is asked of the reader itself, but only where a cheap walk
 * over brackets and strings says that it may: banners such as "[info] starting" begin like JSON,
 * and a hostile program could make each of a million lines a costly near miss. The walk over all
 * lines together is held to a multiple of the text.
 */
#include "run/run.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "json/json.h"

/* What all walks may read together, in lengths of the text, and a little for short ones. */
#define WALK_FACTOR 8
#define WALK_EXTRA (4 * KIB)

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* What may stand outside strings in a JSON text: white space, punctuation, and the letters and
 * digits of numbers, true, false and null. */
static bool may_stand(char c)
{
	return is_space(c) || (c != '\0' && strchr("{}[],:-+.0123456789eEtrufalsn", c) != NULL);
}

/* One past the string that begins at data[at], or len. */
static size_t skip_string(const char *data, size_t len, size_t at)
{
	for (at++; at < len && data[at] != '"'; at++) {
		if (data[at] == '\\')
			at++;
	}
	return at < len ? at + 1 : len;
}

/*
 * Walks over what looks like the object or array at data. True when its brackets close; either
 * way *ret_walked bytes were read.
 */
static bool walk_value(const char *data, size_t len, size_t *ret_walked)
{
	size_t depth = 0;
	size_t at = 0;

	while (at < len && depth <= LIMIT_JSON_DEPTH && (data[at] == '"' || may_stand(data[at]))) {
		if (data[at] == '"') {
			at = skip_string(data, len, at);
			continue;
		}
		depth += data[at] == '{' || data[at] == '[';
		depth -= data[at] == '}' || data[at] == ']';
		at++;
		if (depth == 0) {
			*ret_walked = at;
			return true;
		}
	}
	*ret_walked = at;
	return false;
}

static bool begins_value(const char *data, size_t len)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err ignored = ERR_INIT;
	size_t end = 0;

	return json_read_prefix(&doc, data, len, &end, &ignored) == 0;
}

/* Offset of the first byte of the line behind data[at], or len. */
static size_t next_line(const char *data, size_t len, size_t at)
{
	const char *newline = memchr(data + at, '\n', len - at);

	return newline == NULL ? len : (size_t)(newline - data) + 1;
}

static size_t skip_space(const char *data, size_t len, size_t at)
{
	while (at < len && is_space(data[at]))
		at++;
	return at;
}

/* Where the JSON text begins, or 0. A walk that leads from the first line to the end of the text
 * is proof enough: nothing would be cut but white space, and the parser reads the text anyway. */
static size_t find_json(const char *data, size_t len)
{
	size_t budget = WALK_FACTOR * len + WALK_EXTRA;
	size_t first = skip_space(data, len, 0);
	size_t at = first;

	while (at < len) {
		if (data[at] == '{' || data[at] == '[') {
			size_t walked = 0;

			if (walk_value(data + at, len - at, &walked) &&
			    ((at == first && skip_space(data, len, at + walked) == len) ||
				begins_value(data + at, walked)))
				return at;
			if (walked >= budget)
				return 0;
			budget -= walked;
		}
		at = skip_space(data, len, next_line(data, len, at));
	}
	return 0;
}

void run_normalise(const struct buf *raw, bool want_json, struct buf *ret_text)
{
	cleanup_buf struct buf plain = BUF_INIT;
	const struct buf *text = raw;
	size_t begin;

	if (memchr(raw->data, '\x1b', raw->len) != NULL) {
		(void)text_add_without_ansi(&plain, raw->data, raw->len);
		text = &plain;
	}
	begin = want_json ? find_json(text->data, text->len) : 0;
	buf_add(ret_text, text->data + begin, text->len - begin);
}
