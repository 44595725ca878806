/* SPDX-License-Identifier: MIT */
/* The streaming writer, and quoting: the only place where JSON syntax is made. */
#include "json/json.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static bool is_plain(char c)
{
	return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

/* Length of the stretch that is written as it is. Eight bytes at a time: each byte of the mask is
 * set when the byte is below 0x20, above 0x7f, a quote or a backslash; bytes behind a special one
 * may be set too, so that the last eight are looked at one by one. */
static size_t plain_run(const char *data, size_t len)
{
	const uint64_t ones = UINT64_MAX / 255;
	size_t at = 0;

	for (; len - at >= 8; at += 8) {
		uint64_t word, quote, slash;

		memcpy(&word, data + at, 8);
		quote = word ^ (ones * '"');
		slash = word ^ (ones * '\\');
		if ((((quote - ones) | (slash - ones) | (word - ones * 0x20) | word) &
			(ones * 0x80)) != 0)
			break;
	}
	while (at < len && is_plain(data[at]))
		at++;
	return at;
}

/* Appends what stands for one byte that must be escaped. */
static void add_escape(struct buf *buf, char c)
{
	static const char names[256] = {
		['"'] = '"',
		['\\'] = '\\',
		['\b'] = 'b',
		['\f'] = 'f',
		['\n'] = 'n',
		['\r'] = 'r',
		['\t'] = 't',
	};
	char name = names[(unsigned char)c];

	if (name != '\0')
		buf_add(buf, (const char[]){ '\\', name }, 2);
	else
		buf_addf(buf, "\\u%04x", (unsigned)(unsigned char)c);
}

/* Appends the character at data, or U+FFFD for a byte that begins none; returns its length. */
static size_t add_wide(struct buf *buf, const char *data, size_t len)
{
	uint32_t cp = 0;
	size_t step = text_decode(data, len, &cp);

	if (step == 0) {
		text_add_codepoint(buf, 0xfffd);
		return 1;
	}
	buf_add(buf, data, step);
	return step;
}

void json_quote(struct buf *buf, const char *data, size_t len)
{
	size_t at = 0;

	buf_addc(buf, '"');
	while (at < len) {
		size_t run = plain_run(data + at, len - at);

		buf_add(buf, data + at, run);
		at += run;
		if (at == len)
			break;
		if ((unsigned char)data[at] >= 0x80)
			at += add_wide(buf, data + at, len - at);
		else
			add_escape(buf, data[at++]);
	}
	buf_addc(buf, '"');
}

void json_pointer_add(struct buf *pointer, const char *name, size_t len)
{
	buf_addc(pointer, '/');
	for (size_t i = 0; i < len; i++) {
		if (name[i] == '~')
			buf_adds(pointer, "~0");
		else if (name[i] == '/')
			buf_adds(pointer, "~1");
		else
			buf_addc(pointer, name[i]);
	}
}

/* ---- structure ---- */

static void begin_value(struct json_writer *w)
{
	if (w->needs_comma)
		buf_addc(w->buf, ',');
	w->needs_comma = true;
}

static void open_container(struct json_writer *w, char bracket)
{
	begin_value(w);
	buf_addc(w->buf, bracket);
	w->needs_comma = false;
	w->depth++;
}

static void close_container(struct json_writer *w, char bracket)
{
	assert(w->depth > 0);
	buf_addc(w->buf, bracket);
	w->needs_comma = true;
	w->depth--;
}

void json_write_object_begin(struct json_writer *w)
{
	open_container(w, '{');
}

void json_write_object_end(struct json_writer *w)
{
	close_container(w, '}');
}

void json_write_array_begin(struct json_writer *w)
{
	open_container(w, '[');
}

void json_write_array_end(struct json_writer *w)
{
	close_container(w, ']');
}

void json_write_key_len(struct json_writer *w, const char *name, size_t len)
{
	assert(w->depth > 0);
	begin_value(w);
	json_quote(w->buf, name, len);
	buf_addc(w->buf, ':');
	w->needs_comma = false;
}

void json_write_key(struct json_writer *w, const char *name)
{
	json_write_key_len(w, name, strlen(name));
}

/* ---- values ---- */

void json_write_raw(struct json_writer *w, const char *json_text, size_t len)
{
	begin_value(w);
	buf_add(w->buf, json_text, len);
}

void json_write_null(struct json_writer *w)
{
	json_write_raw(w, "null", 4);
}

void json_write_bool(struct json_writer *w, bool value)
{
	json_write_raw(w, value ? "true" : "false", value ? 4 : 5);
}

void json_write_int(struct json_writer *w, int64_t value)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%lld", (long long)value);

	json_write_raw(w, digits, (size_t)len);
}

void json_write_string_len(struct json_writer *w, const char *data, size_t len)
{
	begin_value(w);
	json_quote(w->buf, data, len);
}

void json_write_string(struct json_writer *w, const char *text)
{
	if (text == NULL)
		json_write_null(w);
	else
		json_write_string_len(w, text, strlen(text));
}

/* Length of the string token at text, quotes included. */
static size_t string_token_len(const char *text, size_t len)
{
	size_t at = 1;

	while (text[at] != '"') {
		at += text[at] == '\\' ? 2 : 1;
		assert(at < len);
	}
	return at + 1;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

void json_write_node(struct json_writer *w, const struct json *node)
{
	const char *text = node->raw;
	size_t len = node->raw_len;
	size_t from = 0;
	size_t at = 0;

	begin_value(w);
	while (at < len) {
		if (text[at] == '"') {
			at += string_token_len(text + at, len - at);
		} else if (!is_space(text[at])) {
			at++;
		} else {
			buf_add(w->buf, text + from, at - from);
			while (at < len && is_space(text[at]))
				at++;
			from = at;
		}
	}
	buf_add(w->buf, text + from, at - from);
}

/* ---- members ---- */

void json_write_member_string(struct json_writer *w, const char *name, const char *text)
{
	json_write_key(w, name);
	json_write_string(w, text);
}

void json_write_member_int(struct json_writer *w, const char *name, int64_t value)
{
	json_write_key(w, name);
	json_write_int(w, value);
}

void json_write_member_bool(struct json_writer *w, const char *name, bool value)
{
	json_write_key(w, name);
	json_write_bool(w, value);
}

void json_write_member_raw(struct json_writer *w, const char *name, const char *json_text)
{
	json_write_key(w, name);
	json_write_raw(w, json_text, strlen(json_text));
}
