/* SPDX-License-Identifier: MIT */
/* The table of parsers, the simplest of them (text, value, none), and what all text parsers share:
 * lines, trimming, number grammar, and the refusal of binary output. */
#include "surface/surface_result_internal.h"

#include <string.h>

#include "base/text.h"

void surface_parsed_release(struct parsed *parsed)
{
	json_doc_release(&parsed->doc);
	buf_release(&parsed->text);
	*parsed = PARSED_INIT;
}

int surface_parsed_read(struct parsed *parsed, struct err *err)
{
	if (parsed->is_read)
		return 0;
	if (json_read(&parsed->doc, parsed->text.data, parsed->text.len, err) < 0)
		return -1;
	parsed->is_read = true;
	return 0;
}

/* ---- what text parsers share ---- */

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

const char *surface_trim(const char *text, size_t *len)
{
	while (*len > 0 && is_blank(*text)) {
		text++;
		(*len)--;
	}
	while (*len > 0 && is_blank(text[*len - 1]))
		(*len)--;
	return text;
}

bool surface_next_line(const char **rest, size_t *rest_len, struct text_line *line)
{
	const char *end;

	if (*rest_len == 0)
		return false;
	end = memchr(*rest, '\n', *rest_len);
	line->data = *rest;
	line->len = end == NULL ? *rest_len : (size_t)(end - *rest);
	line->number++;
	*rest_len -= line->len + (end != NULL);
	*rest += line->len + (end != NULL);
	if (line->len > 0 && line->data[line->len - 1] == '\r')
		line->len--;
	return true;
}

static size_t digits_at(const char *text, size_t len, size_t at)
{
	size_t end = at;

	while (end < len && text[end] >= '0' && text[end] <= '9')
		end++;
	return end - at;
}

bool surface_is_number(const char *text, size_t len)
{
	size_t at = len > 0 && text[0] == '-';
	size_t digits = digits_at(text, len, at);

	if (digits == 0 || (digits > 1 && text[at] == '0'))
		return false;
	at += digits;
	if (at < len && text[at] == '.') {
		digits = digits_at(text, len, at + 1);
		if (digits == 0)
			return false;
		at += 1 + digits;
	}
	if (at < len && (text[at] == 'e' || text[at] == 'E')) {
		at++;
		if (at < len && (text[at] == '+' || text[at] == '-'))
			at++;
		digits = digits_at(text, len, at);
		if (digits == 0)
			return false;
		at += digits;
	}
	return at == len;
}

const char *surface_integer_digits(const char *text, size_t *len, bool *ret_is_negative)
{
	size_t sign = *len > 0 && text[0] == '-';
	size_t digits = digits_at(text, *len, sign);

	if (digits == 0 || sign + digits != *len)
		return NULL;
	text += sign;
	while (digits > 1 && *text == '0') {
		text++;
		digits--;
	}
	*len = digits;
	*ret_is_negative = sign > 0 && *text != '0';
	return text;
}

bool surface_write_integer(struct json_writer *w, const char *text, size_t len)
{
	bool is_negative = false;
	const char *digits = surface_integer_digits(text, &len, &is_negative);
	cleanup_buf struct buf number = BUF_INIT;

	if (digits == NULL)
		return false;
	if (!is_negative) {
		json_write_raw(w, digits, len);
		return true;
	}
	buf_addc(&number, '-');
	buf_add(&number, digits, len);
	json_write_raw(w, number.data, number.len);
	return true;
}

size_t surface_add_valid(struct buf *buf, const char *data, size_t len)
{
	size_t invalid = 0;
	size_t begin = 0;
	size_t at = 0;

	while (at < len) {
		uint32_t cp = 0;
		size_t step = text_decode(data + at, len - at, &cp);

		if (step == 0) {
			buf_add(buf, data + begin, at - begin);
			buf_adds(buf, "\xef\xbf\xbd");
			begin = at + 1;
			invalid++;
		}
		at += step == 0 ? 1 : step;
	}
	buf_add(buf, data + begin, len - begin);
	return invalid;
}

static bool has_nul(const char *data, size_t len)
{
	return len > 0 && memchr(data, '\0', len) != NULL;
}

static int refuse_binary(size_t len, struct err *err)
{
	return err_set(err, ERR_BAD_OUTPUT,
	    "the output is binary (%zu bytes, NUL bytes among them), not text", len);
}

/* ---- text, value, none ---- */

/* One string; `value` loses one final newline, `text` all of them. */
static void parse_text(const char *data, size_t len, bool is_value, struct parsed *ret_parsed)
{
	struct json_writer w = JSON_WRITER_INIT(&ret_parsed->text);

	if (is_value) {
		len -= len > 0 && data[len - 1] == '\n';
	} else {
		while (len > 0 && (data[len - 1] == '\n' || data[len - 1] == '\r'))
			len--;
	}
	ret_parsed->type = JSON_STRING;
	ret_parsed->under = is_value ? "value" : "text";
	json_write_string_len(&w, data, len);
}

static void parse_none(struct parsed *ret_parsed)
{
	ret_parsed->type = JSON_OBJECT;
	buf_adds(&ret_parsed->text, "{}");
}

/* Records may end in NUL; any other text with a NUL in it is none. */
static bool allows_nul(const struct parse *parse)
{
	return parse->kind == PARSE_RECORDS &&
	       (has_nul(parse->end, parse->end_len) || has_nul(parse->sep, parse->sep_len));
}

static int parse_valid_text(const struct parse *parse, const char *data, size_t len,
    struct parsed *ret_parsed, struct err *err)
{
	if (parse->kind == PARSE_LINES)
		return surface_parse_lines(parse, data, len, ret_parsed, err);
	if (parse->kind == PARSE_RECORDS)
		return surface_parse_records(parse, data, len, ret_parsed, err);
	if (parse->kind == PARSE_PAIRS)
		return surface_parse_pairs(parse, data, len, ret_parsed, err);
	parse_text(data, len, parse->kind == PARSE_VALUE, ret_parsed);
	return 0;
}

/* Invalid bytes are replaced before parsing: patterns match valid text only, and two keys that
 * differ in invalid bytes alone must be found equal. */
static int parse_as_text(const struct parse *parse, const char *data, size_t len,
    struct parsed *ret_parsed, struct err *err)
{
	cleanup_buf struct buf valid = BUF_INIT_MAX(SIZE_MAX / 2);

	if (has_nul(data, len) && !allows_nul(parse))
		return refuse_binary(len, err);
	if (text_is_utf8(data, len))
		return parse_valid_text(parse, data, len, ret_parsed, err);
	ret_parsed->invalid_bytes = surface_add_valid(&valid, data, len);
	return parse_valid_text(parse, valid.data, valid.len, ret_parsed, err);
}

/* ---- the table ---- */

static int parse_any(const struct parse *parse, const char *data, size_t len,
    struct parsed *ret_parsed, struct err *err)
{
	switch (parse->kind) {
	case PARSE_JSON:
		return surface_parse_json(data, len, ret_parsed, err);
	case PARSE_NDJSON:
		return surface_parse_ndjson(data, len, ret_parsed, err);
	case PARSE_ENVELOPE:
		return surface_parse_envelope(data, len, ret_parsed, err);
	case PARSE_NONE:
		parse_none(ret_parsed);
		return 0;
	case PARSE_TEXT:
	case PARSE_VALUE:
	case PARSE_LINES:
	case PARSE_RECORDS:
	case PARSE_PAIRS:
		return parse_as_text(parse, data, len, ret_parsed, err);
	}
	return err_set(err, ERR_BAD_OUTPUT, "the parser is unknown");
}

int surface_parse(const struct parse *parse, const char *data, size_t len, size_t max_bytes,
    struct parsed *ret_parsed, struct err *err)
{
	struct parsed parsed = PARSED_INIT;

	parsed.text.max_len = max_bytes;
	parsed.under = "items";
	if (parse_any(parse, data, len, &parsed, err) == 0) {
		if (!parsed.text.is_full) {
			*ret_parsed = parsed;
			return 0;
		}
		(void)err_set(err, ERR_OUTPUT_TOO_LARGE,
		    "the result is larger than %zu bytes; ask for less", max_bytes);
	}
	surface_parsed_release(&parsed);
	return -1;
}
