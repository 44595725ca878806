/* SPDX-License-Identifier: MIT */
/*
 * The reader: one pass over the text, no recursion, two allocations. Apart because everything
 * that decides what is JSON and what is not stands here and nowhere else.
 *
 * While a container is open, its `skip` holds the tape index of the container around it; the open
 * containers are thus a list through the tape, and need no stack of their own.
 */
#include "json/json.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "json/json_internal.h"

#define NONE UINT32_MAX                            /* no container is open */
#define MARKS (JSON_LONE_SURROGATE | JSON_HAS_NUL) /* what containers inherit */
#define POINTER_SHOWN 200                          /* bytes of a pointer that a message shows */
#define TAPE_GUESS_BYTES (256 * KIB)               /* texts up to here are spared regrowing */
#define ONES 0x0101010101010101U                   /* a byte in each of eight lanes */
#define HIGHS 0x8080808080808080U                  /* the top bit of each lane */

struct reader {
	const char *start;
	const char *at; /* next byte to look at */
	const char *end;
	struct json *tape;
	size_t len;
	size_t cap;
	char *out;      /* end of the decoded strings; never ahead of `at` in bytes */
	uint32_t open;  /* tape index of the innermost open container, or NONE */
	unsigned depth; /* open containers */
	struct err *err;
};

/* The outcome of a step: the text goes on with a value, the document is whole, or -1. */
enum { READ_WHOLE = 0, READ_MORE = 1 };

static int fail_at(struct reader *r, const char *where, const char *what)
{
	return err_set(r->err, ERR_PARSE, "byte %zu: %s", (size_t)(where - r->start), what);
}

static inline void skip_space(struct reader *r)
{
	while (
	    r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
		r->at++;
}

/* A new entry at the end of the tape, beginning at `at`; NULL when there are too many. */
static inline struct json *push(struct reader *r, enum json_type type)
{
	struct json *node;

	if (r->len >= LIMIT_JSON_NODES) {
		(void)err_set(
		    r->err, ERR_LIMIT, "the JSON has more than %zu values", LIMIT_JSON_NODES);
		return NULL;
	}
	ARRAY_GROW(r->tape, r->len, r->cap);
	node = &r->tape[r->len++];
	*node = (struct json){ .raw = r->at, .skip = 1, .type = (uint8_t)type };
	return node;
}

/* ---- strings ---- */

/* Four hexadecimal digits at `where`, or -1. */
static int hex4(const char *where, const char *end)
{
	int value = 0;

	if (end - where < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = where[i];

		if (c >= '0' && c <= '9')
			value = value << 4 | (c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value = value << 4 | ((c | 0x20) - 'a' + 10);
		else
			return -1;
	}
	return value;
}

static void put_codepoint(struct reader *r, uint32_t cp)
{
	if (cp < 0x80) {
		*r->out++ = (char)cp;
	} else if (cp < 0x800) {
		*r->out++ = (char)(0xc0 | cp >> 6);
		*r->out++ = (char)(0x80 | (cp & 0x3f));
	} else if (cp < 0x10000) {
		*r->out++ = (char)(0xe0 | cp >> 12);
		*r->out++ = (char)(0x80 | (cp >> 6 & 0x3f));
		*r->out++ = (char)(0x80 | (cp & 0x3f));
	} else {
		*r->out++ = (char)(0xf0 | cp >> 18);
		*r->out++ = (char)(0x80 | (cp >> 12 & 0x3f));
		*r->out++ = (char)(0x80 | (cp >> 6 & 0x3f));
		*r->out++ = (char)(0x80 | (cp & 0x3f));
	}
}

/* `at` stands on the u of a \u escape; a surrogate pair is read as one. */
static int read_unicode_escape(struct reader *r, uint8_t *flags)
{
	int unit = hex4(r->at + 1, r->end);
	uint32_t cp = (uint32_t)unit;

	if (unit < 0)
		return fail_at(r, r->at - 1, "\\u needs four hexadecimal digits");
	r->at += 5;
	if (cp >= 0xd800 && cp <= 0xdbff && r->end - r->at >= 6 && r->at[0] == '\\' &&
	    r->at[1] == 'u') {
		int low = hex4(r->at + 2, r->end);

		if (low >= 0xdc00 && low <= 0xdfff) {
			cp = 0x10000 + ((cp - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
			r->at += 6;
		}
	}
	if (cp >= 0xd800 && cp <= 0xdfff) {
		cp = 0xfffd;
		*flags |= JSON_LONE_SURROGATE;
	} else if (cp == 0) {
		*flags |= JSON_HAS_NUL;
	}
	put_codepoint(r, cp);
	return 0;
}

/* `at` stands on a backslash. */
static int read_escape(struct reader *r, uint8_t *flags)
{
	static const char decoded[256] = {
		['"'] = '"',
		['\\'] = '\\',
		['/'] = '/',
		['b'] = '\b',
		['f'] = '\f',
		['n'] = '\n',
		['r'] = '\r',
		['t'] = '\t',
	};
	char c;

	*flags |= JSON_IS_ESCAPED;
	if (++r->at == r->end)
		return fail_at(r, r->at, "the text ends inside a string");
	if (*r->at == 'u')
		return read_unicode_escape(r, flags);
	c = decoded[(unsigned char)*r->at];
	if (c == '\0')
		return fail_at(r, r->at - 1, "there is no such escape");
	*r->out++ = c;
	r->at++;
	return 0;
}

/* `at` stands on a byte of 0x80 or more: copies the run of such characters. */
static int read_wide(struct reader *r)
{
	while (r->at < r->end && (unsigned char)*r->at >= 0x80) {
		uint32_t cp = 0;
		size_t step = text_decode(r->at, (size_t)(r->end - r->at), &cp);

		if (step == 0)
			return fail_at(r, r->at, "the text is not valid UTF-8");
		for (size_t i = 0; i < step; i++)
			*r->out++ = *r->at++;
	}
	return 0;
}

/*
 * Copies bytes that stand for themselves, eight at a time; stops at a quote, a backslash, a
 * control byte, a byte of 0x80 or more, or the end. The lanes' borrows run upwards only, so the
 * lowest lane that is marked is truly one. The eight bytes are stored before they are judged:
 * the room is there, for `out` is never ahead of `at`.
 */
static inline void copy_plain(struct reader *r)
{
	const char *at = r->at;
	char *out = r->out;

	while (r->end - at >= 8) {
		uint64_t word, quote, slash, special;

		memcpy(&word, at, 8);
		memcpy(out, &word, 8);
		word = le64toh(word);
		quote = word ^ (ONES * '"');
		slash = word ^ (ONES * '\\');
		special = ((quote - ONES) | (slash - ONES) | (word - ONES * 0x20) | word) & HIGHS;
		if (special != 0) {
			int n = __builtin_ctzll(special) >> 3;

			r->at = at + n;
			r->out = out + n;
			return;
		}
		at += 8;
		out += 8;
	}
	while (at < r->end && *at != '"' && *at != '\\' && (unsigned char)*at >= 0x20 &&
	       (unsigned char)*at < 0x80)
		*out++ = *at++;
	r->at = at;
	r->out = out;
}

/* `at` stands behind the opening quote; decodes up to and with the closing one. */
static int read_string_bytes(struct reader *r, uint8_t *flags)
{
	for (;;) {
		unsigned char c;

		copy_plain(r);
		if (r->at == r->end)
			return fail_at(r, r->at, "the text ends inside a string");
		c = (unsigned char)*r->at;
		if (c == '"') {
			r->at++;
			return 0;
		}
		if (c < 0x20)
			return fail_at(r, r->at, "a control byte in a string must be escaped");
		if ((c == '\\' ? read_escape(r, flags) : read_wide(r)) < 0)
			return -1;
	}
}

/* `at` stands on the opening quote. */
static int read_string(struct reader *r)
{
	struct json *node = push(r, JSON_STRING);

	if (node == NULL)
		return -1;
	node->str = r->out;
	r->at++;
	if (read_string_bytes(r, &node->flags) < 0)
		return -1;
	node->len = (uint32_t)(r->out - node->str);
	node->raw_len = (uint32_t)(r->at - node->raw);
	*r->out++ = '\0';
	if (r->open != NONE)
		r->tape[r->open].flags |= node->flags & MARKS;
	return 0;
}

/* ---- numbers and literals ---- */

static inline bool is_digit(const struct reader *r)
{
	return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static int read_digits(struct reader *r)
{
	if (!is_digit(r))
		return fail_at(r, r->at, "a digit is expected");
	while (is_digit(r))
		r->at++;
	return 0;
}

static int read_integer_part(struct reader *r)
{
	const char *first = r->at;

	if (read_digits(r) < 0)
		return -1;
	if (*first == '0' && r->at - first > 1)
		return fail_at(r, first, "a number does not begin with a needless 0");
	return 0;
}

/* `at` stands on a minus or a digit. */
static int read_number(struct reader *r)
{
	struct json *node = push(r, JSON_NUMBER);

	if (node == NULL)
		return -1;
	r->at += *r->at == '-';
	if (read_integer_part(r) < 0)
		return -1;
	if (r->at < r->end && *r->at == '.') {
		r->at++;
		if (read_digits(r) < 0)
			return -1;
	}
	if (r->at < r->end && (*r->at | 0x20) == 'e') {
		r->at++;
		r->at += r->at < r->end && (*r->at == '+' || *r->at == '-');
		if (read_digits(r) < 0)
			return -1;
	}
	node->raw_len = (uint32_t)(r->at - node->raw);
	return 0;
}

static int read_literal(struct reader *r, enum json_type type, const char *word, size_t len)
{
	struct json *node;

	if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0)
		return fail_at(r, r->at, "a value is expected");
	node = push(r, type);
	if (node == NULL)
		return -1;
	node->raw_len = (uint32_t)len;
	r->at += len;
	return 0;
}

/* ---- duplicate keys ---- */

/* Appends the pointer of a container that is open (its tape index is `node`). */
static void add_pointer(const struct reader *r, uint32_t node, struct buf *pointer)
{
	uint32_t way[LIMIT_JSON_DEPTH];
	size_t len = 0;

	for (; r->tape[node].skip != NONE; node = r->tape[node].skip) {
		assert(len < ARRAY_LEN(way));
		way[len++] = node;
	}
	while (len-- > 0) {
		const struct json *child = &r->tape[way[len]];
		const struct json *around = &r->tape[child->skip];

		if (around->type == JSON_OBJECT)
			json_pointer_add(pointer, child[-1].str, child[-1].len);
		else
			buf_addf(pointer, "/%u", (unsigned)around->len - 1);
	}
}

/* Names the key by its pointer; the only place where a message of ours shows input, and it shows
 * no value, nothing invisible and not much. */
static int fail_duplicate(struct reader *r, uint32_t object, const struct json *key)
{
	cleanup_buf struct buf pointer = BUF_INIT;
	cleanup_buf struct buf shown = BUF_INIT;

	add_pointer(r, object, &pointer);
	json_pointer_add(&pointer, key->str, key->len);
	text_add_visible(&shown, pointer.data, text_cut(pointer.data, pointer.len, POINTER_SHOWN));
	return err_set(r->err, ERR_INVALID_REQUEST, "byte %zu: duplicate key %s%s",
	    (size_t)(key->raw - r->start), shown.data, pointer.len > POINTER_SHOWN ? "…" : "");
}

/* The second of two equal keys of an object with few members, or NULL. */
static const struct json *find_duplicate_of_few(const struct json *object)
{
	const struct json *keys[JSON_FEW_MEMBERS];
	size_t len = 0;

	for (const struct json *key = object + 1; len < object->len; key = json_next(key + 1)) {
		for (size_t i = 0; i < len; i++) {
			if (json_same_string(keys[i], key))
				return key;
		}
		keys[len++] = key;
	}
	return NULL;
}

static const struct json *find_duplicate_of_many(const struct json *object)
{
	cleanup_free const struct json **keys = json_sorted_keys(object);

	for (size_t i = 1; i < object->len; i++) {
		if (json_same_string(keys[i - 1], keys[i]))
			return keys[i];
	}
	return NULL;
}

/* ---- containers ---- */

/* `at` stands on the closing bracket of the innermost container. */
static int close_container(struct reader *r)
{
	uint32_t index = r->open;
	struct json *node = &r->tape[index];
	uint32_t around = node->skip;
	const struct json *twice = NULL;

	r->at++;
	node->raw_len = (uint32_t)(r->at - node->raw);
	node->skip = (uint32_t)(r->len - index);
	if (node->type == JSON_OBJECT && node->len > 1)
		twice = node->len <= JSON_FEW_MEMBERS ? find_duplicate_of_few(node)
						      : find_duplicate_of_many(node);
	if (twice != NULL) {
		node->skip = around;
		return fail_duplicate(r, index, twice);
	}
	r->open = around;
	r->depth--;
	if (around != NONE)
		r->tape[around].flags |= node->flags;
	return 0;
}

/* A member's name and its colon. */
static int read_key(struct reader *r)
{
	skip_space(r);
	if (r->at == r->end || *r->at != '"')
		return fail_at(r, r->at, "a member's name in quotes is expected");
	if (read_string(r) < 0)
		return -1;
	skip_space(r);
	if (r->at == r->end || *r->at != ':')
		return fail_at(r, r->at, "a colon is expected");
	r->at++;
	r->tape[r->open].len++;
	return READ_MORE;
}

/* `at` stands on an opening bracket. */
static int open_container(struct reader *r, enum json_type type, char closer)
{
	struct json *node;

	if (r->depth >= LIMIT_JSON_DEPTH)
		return fail_at(r, r->at, "the JSON is nested too deep");
	node = push(r, type);
	if (node == NULL)
		return -1;
	node->skip = r->open;
	r->open = (uint32_t)(r->len - 1);
	r->depth++;
	r->at++;
	skip_space(r);
	if (r->at < r->end && *r->at == closer)
		return close_container(r);
	return type == JSON_OBJECT ? read_key(r) : READ_MORE;
}

/* One scalar, or the start of a container: then READ_MORE says that its first value follows. */
static int read_value(struct reader *r)
{
	skip_space(r);
	if (r->at == r->end)
		return fail_at(r, r->at, "a value is expected");
	if (r->open != NONE && r->tape[r->open].type == JSON_ARRAY)
		r->tape[r->open].len++;
	switch (*r->at) {
	case '{':
		return open_container(r, JSON_OBJECT, '}');
	case '[':
		return open_container(r, JSON_ARRAY, ']');
	case '"':
		return read_string(r);
	case 't':
		return read_literal(r, JSON_TRUE, "true", 4);
	case 'f':
		return read_literal(r, JSON_FALSE, "false", 5);
	case 'n':
		return read_literal(r, JSON_NULL, "null", 4);
	default:
		if (*r->at == '-' || is_digit(r))
			return read_number(r);
		return fail_at(r, r->at, "a value is expected");
	}
}

/* What follows a whole value: closing brackets, then a comma (and a name) or the end. */
static int read_behind_value(struct reader *r)
{
	while (r->open != NONE) {
		bool is_object = r->tape[r->open].type == JSON_OBJECT;

		skip_space(r);
		if (r->at < r->end && *r->at == ',') {
			r->at++;
			return is_object ? read_key(r) : READ_MORE;
		}
		if (r->at == r->end || *r->at != (is_object ? '}' : ']'))
			return fail_at(r, r->at,
			    is_object ? "a comma or } is expected" : "a comma or ] is expected");
		if (close_container(r) < 0)
			return -1;
	}
	return READ_WHOLE;
}

static int read_tree(struct reader *r)
{
	int step;

	do {
		step = read_value(r);
		if (step == READ_WHOLE)
			step = read_behind_value(r);
	} while (step == READ_MORE);
	return step;
}

/* Reads one value into a new document, which holds all that was allocated, also on failure; the
 * reader is left where the value ends. */
static int read_one(struct reader *r, struct json_doc *doc, const char *text, size_t len)
{
	int result;

	if (len >= UINT32_MAX)
		return err_set(r->err, ERR_LIMIT, "the JSON is larger than 4 GiB");
	r->start = r->at = text;
	r->end = text + len;
	r->open = NONE;
	/* A guess that spares most texts the regrowing; what is not used of it is never touched. */
	r->cap = (len < TAPE_GUESS_BYTES ? len : TAPE_GUESS_BYTES) / 8 + 2;
	r->tape = xreallocarray(NULL, r->cap, sizeof(*r->tape));
	/* Each string's decoded bytes and NUL are fewer than its raw bytes and quotes. */
	r->out = doc->strings = xreallocarray(NULL, len + 1, 1);
	result = read_tree(r);
	/* Thousands of requests may wait at once: none keeps more than it needs. */
	if (r->len < r->cap / 2)
		r->tape = xreallocarray(r->tape, r->len + 1, sizeof(*r->tape));
	doc->tape = r->tape;
	doc->tape_len = r->len;
	return result;
}

/* ---- the room's doors ---- */

int json_read_prefix(
    struct json_doc *doc, const char *text, size_t len, size_t *ret_end, struct err *err)
{
	cleanup_json struct json_doc fresh = JSON_DOC_INIT;
	struct reader r = { .err = err };

	json_doc_release(doc);
	if (read_one(&r, &fresh, text, len) < 0)
		return -1;
	*ret_end = (size_t)(r.at - text);
	*doc = fresh;
	fresh = JSON_DOC_INIT;
	return 0;
}

int json_read(struct json_doc *doc, const char *text, size_t len, struct err *err)
{
	cleanup_json struct json_doc fresh = JSON_DOC_INIT;
	struct reader r = { .err = err };

	json_doc_release(doc);
	if (read_one(&r, &fresh, text, len) < 0)
		return -1;
	skip_space(&r);
	if (r.at < r.end)
		return fail_at(&r, r.at, "something follows the JSON value");
	*doc = fresh;
	fresh = JSON_DOC_INIT;
	return 0;
}

int json_read_take(struct json_doc *doc, char *text, size_t len, struct err *err)
{
	if (json_read(doc, text, len, err) < 0) {
		free(text);
		return -1;
	}
	doc->text = text;
	return 0;
}

void json_doc_release(struct json_doc *doc)
{
	free(doc->tape);
	free(doc->strings);
	free(doc->text);
	*doc = JSON_DOC_INIT;
}
