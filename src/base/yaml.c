/* SPDX-License-Identifier: MIT */
/*
 * The YAML reader over libyaml's events; libyaml's only caller. JSON text is made here by hand,
 * for json/ stands above this room; its syntax is a handful of bytes.
 */
#include "base/yaml.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/limits.h"
#include "base/text.h"

const struct yaml_limits yaml_limits_file = {
	.max_bytes = LIMIT_YAML_BYTES,
	.max_nodes = LIMIT_YAML_NODES,
	.max_depth = LIMIT_YAML_DEPTH,
};

/* The JSON may be this many times as large as the YAML; ordinary files stay below 2, the oddest
 * (empty keys and values in flow lists) below 5. */
#define JSON_TIMES 6
#define KEY_SHOWN 80 /* bytes of a key that a message shows */

/* One key of a mapping that is still open. */
struct key {
	const char *json; /* its JSON form, set only while keys are sorted */
	size_t offset;    /* of that form in the JSON text */
	size_t len;
	yaml_mark_t mark;
};

/* A collection that is still open. */
struct frame {
	size_t first_key; /* index of its first key in reader.keys */
	size_t nodes;     /* keys and values so far */
	bool is_mapping;
};

struct reader {
	const struct yaml_limits *limits;
	struct buf json;
	struct yaml_marks marks;
	struct frame *frames; /* owned */
	size_t frames_len;
	size_t frames_cap;
	struct key *keys; /* of all open mappings; owned */
	size_t keys_len;
	size_t keys_cap;
	size_t nodes;
	bool has_document;
	struct err *err;
};

/* The outcome of an event: go on, or the stream is at its end, or -1. */
enum { READ_MORE = 0, READ_END = 1 };

void yaml_marks_release(struct yaml_marks *marks)
{
	free(marks->items);
	*marks = YAML_MARKS_INIT;
}

const struct yaml_mark *yaml_marks_find(const struct yaml_marks *marks, size_t offset)
{
	size_t low = 0;
	size_t high = marks->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (marks->items[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < marks->len && marks->items[low].offset == offset ? &marks->items[low] : NULL;
}

/* ---- errors ---- */

static int fail(struct err *err, yaml_mark_t mark, const char *what)
{
	size_t line = mark.line + 1;
	size_t column = mark.column + 1;

	(void)err_set(err, ERR_PARSE, "line %zu, column %zu: %s", line, column, what);
	return err_take_details(err, xasprintf("{\"line\":%zu,\"column\":%zu}", line, column));
}

/* The place of a byte, for what libyaml or we refuse before there is an event. */
static yaml_mark_t mark_of(const char *text, size_t offset)
{
	yaml_mark_t mark = { .index = offset };

	for (size_t i = 0; i < offset; i++) {
		if (text[i] == '\n') {
			mark.line++;
			mark.column = 0;
		} else if (((unsigned char)text[i] & 0xc0) != 0x80) {
			mark.column++;
		}
	}
	return mark;
}

static int fail_parser(const yaml_parser_t *parser, const char *text, struct err *err)
{
	cleanup_buf struct buf what = BUF_INIT;

	if (parser->error == YAML_MEMORY_ERROR)
		abort();
	buf_adds(&what, parser->problem != NULL ? parser->problem : "the text is not YAML");
	if (parser->error == YAML_READER_ERROR)
		return fail(err, mark_of(text, parser->problem_offset), what.data);
	if (parser->context != NULL)
		buf_addf(&what, " (%s)", parser->context);
	return fail(err, parser->problem_mark, what.data);
}

/* ---- scalars ---- */

static void add_string(struct buf *buf, const char *data, size_t len)
{
	buf_addc(buf, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)data[i];

		if (c == '"' || c == '\\')
			buf_addc(buf, '\\');
		if (c == '\n')
			buf_adds(buf, "\\n");
		else if (c < 0x20)
			buf_addf(buf, "\\u%04x", c);
		else
			buf_addc(buf, data[i]);
	}
	buf_addc(buf, '"');
}

static bool is_one_of(const char *text, const char *const *words, size_t words_len)
{
	for (size_t i = 0; i < words_len; i++) {
		if (strcmp(text, words[i]) == 0)
			return true;
	}
	return false;
}

static bool is_null(const char *text)
{
	static const char *const words[] = { "", "~", "null", "Null", "NULL" };

	return is_one_of(text, words, ARRAY_LEN(words));
}

static bool is_true(const char *text)
{
	static const char *const words[] = { "true", "True", "TRUE" };

	return is_one_of(text, words, ARRAY_LEN(words));
}

static bool is_false(const char *text)
{
	static const char *const words[] = { "false", "False", "FALSE" };

	return is_one_of(text, words, ARRAY_LEN(words));
}

/* What the core schema has and JSON has not: infinities and "not a number". */
static bool is_no_json_number(const char *text)
{
	static const char *const words[] = { ".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN" };

	return is_one_of(text + (*text == '-' || *text == '+'), words, ARRAY_LEN(words));
}

static const char *skip_digits(const char *at)
{
	while (*at >= '0' && *at <= '9')
		at++;
	return at;
}

/*
 * [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? as JSON wants it: no plus, no
 * needless zeros in front, digits on both sides of the point. False: text is no such number.
 */
static bool add_decimal(struct buf *buf, const char *text)
{
	const char *whole = text + (*text == '-' || *text == '+');
	const char *whole_end = skip_digits(whole);
	const char *fraction = whole_end + (*whole_end == '.');
	const char *fraction_end = skip_digits(fraction);
	const char *exponent = fraction_end;

	if (whole == whole_end && fraction == fraction_end)
		return false;
	if (*exponent == 'e' || *exponent == 'E') {
		const char *digits = exponent + 1 + (exponent[1] == '-' || exponent[1] == '+');

		if (skip_digits(digits) == digits || *skip_digits(digits) != '\0')
			return false;
	} else if (*exponent != '\0') {
		return false;
	}
	while (whole_end - whole > 1 && *whole == '0')
		whole++;
	buf_adds(buf, *text == '-' ? "-" : "");
	buf_add(buf, whole, (size_t)(whole_end - whole));
	buf_adds(buf, whole == whole_end ? "0" : "");
	buf_add(buf, whole_end, (size_t)(fraction_end - whole_end));
	buf_adds(buf, *whole_end == '.' && fraction == fraction_end ? "0" : "");
	buf_adds(buf, exponent);
	return true;
}

static int digit_of(char c, unsigned base)
{
	int digit = -1;

	if (c >= '0' && c <= '9')
		digit = c - '0';
	else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		digit = (c | 0x20) - 'a' + 10;
	return digit < (int)base ? digit : -1;
}

/* True when text is 0x or 0o and digits; the value is out of range when is_large says so. */
static bool parse_based(const char *text, uint64_t *ret_value, bool *ret_is_large)
{
	unsigned base = text[0] == '0' && text[1] == 'x' ? 16 : 8;
	uint64_t value = 0;
	bool is_large = false;

	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'o') || text[2] == '\0')
		return false;
	for (const char *at = text + 2; *at != '\0'; at++) {
		int digit = digit_of(*at, base);

		if (digit < 0)
			return false;
		is_large |= __builtin_mul_overflow(value, base, &value);
		is_large |= __builtin_add_overflow(value, (uint64_t)digit, &value);
	}
	*ret_value = value;
	*ret_is_large = is_large;
	return true;
}

/* A plain scalar by the core schema. libyaml keeps NULs out of plain scalars. */
static int add_plain(struct reader *r, const char *text, size_t len, yaml_mark_t mark)
{
	uint64_t value = 0;
	bool is_large = false;

	if (is_null(text))
		buf_adds(&r->json, "null");
	else if (is_true(text))
		buf_adds(&r->json, "true");
	else if (is_false(text))
		buf_adds(&r->json, "false");
	else if (is_no_json_number(text))
		return fail(r->err, mark, "infinities and .nan are no JSON numbers");
	else if (parse_based(text, &value, &is_large) && is_large)
		return fail(r->err, mark, "a 0x or 0o number has at most 64 bits");
	else if (parse_based(text, &value, &is_large))
		buf_addf(&r->json, "%llu", (unsigned long long)value);
	else if (!add_decimal(&r->json, text))
		add_string(&r->json, text, len);
	return 0;
}

/* ---- the tree ---- */

static bool expects_key(const struct reader *r)
{
	const struct frame *top = r->frames_len > 0 ? &r->frames[r->frames_len - 1] : NULL;

	return top != NULL && top->is_mapping && top->nodes % 2 == 0;
}

/* The comma or colon before a node, and its mark. */
static int begin_node(struct reader *r, yaml_mark_t mark)
{
	struct frame *top = r->frames_len > 0 ? &r->frames[r->frames_len - 1] : NULL;

	if (r->nodes++ >= r->limits->max_nodes)
		return fail(r->err, mark, "the file has too many values");
	if (top != NULL && top->nodes > 0)
		buf_addc(&r->json, top->is_mapping && top->nodes % 2 == 1 ? ':' : ',');
	if (top != NULL)
		top->nodes++;
	ARRAY_GROW(r->marks.items, r->marks.len, r->marks.cap);
	r->marks.items[r->marks.len++] = (struct yaml_mark){
		.offset = (uint32_t)r->json.len,
		.line = (uint32_t)mark.line + 1,
		.column = (uint32_t)mark.column + 1,
	};
	return 0;
}

static int take_key(struct reader *r, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	size_t offset;

	if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && strcmp(text, "<<") == 0)
		return fail(r->err, event->start_mark, "merge keys are not supported");
	if (begin_node(r, event->start_mark) < 0)
		return -1;
	offset = r->json.len;
	add_string(&r->json, text, event->data.scalar.length);
	ARRAY_GROW(r->keys, r->keys_len, r->keys_cap);
	r->keys[r->keys_len++] = (struct key){
		.offset = offset,
		.len = r->json.len - offset,
		.mark = event->start_mark,
	};
	return 0;
}

/* An anchor (or alias) makes one thing two; a tag makes a text something else. */
static int check_properties(
    struct reader *r, const yaml_char_t *anchor, const yaml_char_t *tag, yaml_mark_t mark)
{
	if (anchor != NULL)
		return fail(r->err, mark, "anchors are not supported");
	if (tag != NULL)
		return fail(r->err, mark, "tags are not supported");
	return 0;
}

static int take_scalar(struct reader *r, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;

	if (check_properties(
		r, event->data.scalar.anchor, event->data.scalar.tag, event->start_mark) < 0)
		return -1;
	if (expects_key(r))
		return take_key(r, event);
	if (begin_node(r, event->start_mark) < 0)
		return -1;
	if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
		return add_plain(r, text, len, event->start_mark);
	add_string(&r->json, text, len);
	return 0;
}

static int open_frame(struct reader *r, bool is_mapping, yaml_mark_t mark)
{
	if (expects_key(r))
		return fail(r->err, mark, "a key must be a scalar");
	if (r->frames_len >= r->limits->max_depth)
		return fail(r->err, mark, "the file is nested too deep");
	if (begin_node(r, mark) < 0)
		return -1;
	ARRAY_GROW(r->frames, r->frames_len, r->frames_cap);
	r->frames[r->frames_len++] = (struct frame){
		.first_key = r->keys_len,
		.is_mapping = is_mapping,
	};
	buf_addc(&r->json, is_mapping ? '{' : '[');
	return 0;
}

/* For qsort(3): by the JSON form, equal ones by place. */
static int compare_keys(const void *a, const void *b)
{
	const struct key *left = a;
	const struct key *right = b;
	size_t len = left->len < right->len ? left->len : right->len;
	int order = memcmp(left->json, right->json, len);

	if (order == 0)
		order = (left->len > right->len) - (left->len < right->len);
	if (order == 0)
		order = (left->offset > right->offset) - (left->offset < right->offset);
	return order;
}

static int fail_duplicate(struct reader *r, const struct key *key)
{
	cleanup_buf struct buf what = BUF_INIT;

	buf_adds(&what, "duplicate key ");
	text_add_visible(&what, key->json, text_cut(key->json, key->len, KEY_SHOWN));
	buf_adds(&what, key->len > KEY_SHOWN ? "…" : "");
	return fail(r->err, key->mark, what.data);
}

/* Refuses equal keys of the mapping that ends, the first in the file; sorts, so that many keys
 * cost little. */
static int check_keys(struct reader *r, struct key *keys, size_t len)
{
	const struct key *twice = NULL;

	for (size_t i = 0; i < len; i++)
		keys[i].json = r->json.data + keys[i].offset;
	if (len > 1)
		qsort(keys, len, sizeof(*keys), compare_keys);
	for (size_t i = 1; i < len; i++) {
		if (keys[i - 1].len == keys[i].len &&
		    memcmp(keys[i - 1].json, keys[i].json, keys[i].len) == 0 &&
		    (twice == NULL || keys[i].offset < twice->offset))
			twice = &keys[i];
	}
	return twice == NULL ? 0 : fail_duplicate(r, twice);
}

static int close_frame(struct reader *r)
{
	const struct frame *top;
	size_t len;

	assert(r->frames_len > 0); /* libyaml's events are balanced */
	top = &r->frames[--r->frames_len];
	len = r->keys_len - top->first_key;
	buf_addc(&r->json, top->is_mapping ? '}' : ']');
	/* A full buffer no longer holds the keys; the size is refused at the end. */
	if (len > 0 && !r->json.is_full && check_keys(r, r->keys + top->first_key, len) < 0)
		return -1;
	r->keys_len = top->first_key;
	return 0;
}

static int take_document(struct reader *r, const yaml_event_t *event)
{
	if (r->has_document)
		return fail(r->err, event->start_mark, "a second document is not allowed");
	if (event->data.document_start.tag_directives.start !=
	    event->data.document_start.tag_directives.end)
		return fail(r->err, event->start_mark, "%TAG directives are not supported");
	r->has_document = true;
	return 0;
}

static int take_stream_end(struct reader *r, yaml_mark_t mark)
{
	if (!r->has_document) {
		if (begin_node(r, mark) < 0)
			return -1;
		buf_adds(&r->json, "null");
	}
	return READ_END;
}

static int take_event(struct reader *r, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		return take_document(r, event);
	case YAML_SCALAR_EVENT:
		return take_scalar(r, event);
	case YAML_SEQUENCE_START_EVENT:
		if (check_properties(r, event->data.sequence_start.anchor,
			event->data.sequence_start.tag, event->start_mark) < 0)
			return -1;
		return open_frame(r, false, event->start_mark);
	case YAML_MAPPING_START_EVENT:
		if (check_properties(r, event->data.mapping_start.anchor,
			event->data.mapping_start.tag, event->start_mark) < 0)
			return -1;
		return open_frame(r, true, event->start_mark);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return close_frame(r);
	case YAML_ALIAS_EVENT:
		return fail(r->err, event->start_mark, "aliases are not supported");
	case YAML_STREAM_END_EVENT:
		return take_stream_end(r, event->start_mark);
	case YAML_STREAM_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
	case YAML_NO_EVENT:
		break;
	}
	return READ_MORE;
}

/* Pulls event after event, so that the first refusal ends libyaml's work as well. */
static int read_events(struct reader *r, const char *text, size_t len)
{
	yaml_parser_t parser;
	int step = READ_MORE;

	if (!yaml_parser_initialize(&parser))
		abort();
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	while (step == READ_MORE) {
		yaml_event_t event;

		if (!yaml_parser_parse(&parser, &event)) {
			step = fail_parser(&parser, text, r->err);
			break;
		}
		step = take_event(r, &event);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return step < 0 ? -1 : 0;
}

/* What can be judged before libyaml sees a byte. */
static int check_bytes(
    const char *text, size_t len, const struct yaml_limits *limits, struct err *err)
{
	size_t at = 0;

	if (len > limits->max_bytes) {
		cleanup_free char *what =
		    xasprintf("the file is larger than %zu bytes", limits->max_bytes);

		return fail(err, mark_of(text, limits->max_bytes), what);
	}
	while (at < len) {
		uint32_t cp = 0;
		size_t step = text_decode(text + at, len - at, &cp);

		if (step == 0)
			return fail(err, mark_of(text, at), "the text is not valid UTF-8");
		at += step;
	}
	return 0;
}

/* Hands the outcome over; until here the caller's buffer and marks are untouched. */
static int finish(
    struct reader *r, struct buf *ret_json, struct yaml_marks *ret_marks, struct err *err)
{
	if (buf_check(&r->json, "the JSON of the file", err) < 0)
		return -1;
	if (r->json.len > ret_json->max_len)
		return err_set(err, ERR_LIMIT, "the JSON of the file is larger than %zu bytes",
		    ret_json->max_len);
	r->json.max_len = ret_json->max_len;
	buf_release(ret_json);
	*ret_json = r->json;
	r->json = BUF_INIT;
	if (ret_marks != NULL) {
		yaml_marks_release(ret_marks);
		*ret_marks = r->marks;
		r->marks = YAML_MARKS_INIT;
	}
	return 0;
}

int yaml_read(const char *text, size_t len, const struct yaml_limits *limits, struct buf *ret_json,
    struct yaml_marks *ret_marks, struct err *err)
{
	struct reader r = { .limits = limits, .json = BUF_INIT, .err = err };
	int result = check_bytes(text, len, limits, err);

	if (result == 0) {
		r.json.max_len = len * JSON_TIMES + 16;
		/* The JSON is about as long: grown from little, it would be moved again and again. */
		(void)buf_reserve(&r.json, len + 16);
		result = read_events(&r, text, len);
	}
	if (result == 0)
		result = finish(&r, ret_json, ret_marks, err);
	buf_release(&r.json);
	yaml_marks_release(&r.marks);
	free(r.frames);
	free(r.keys);
	return result;
}
