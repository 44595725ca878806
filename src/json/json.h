/* SPDX-License-Identifier: MIT */
#ifndef JSON_JSON_H
#define JSON_JSON_H

/*
 * JSON: exact, strict, bounded. A one-pass reader into a flat tape, cursors over the tape, and a
 * streaming writer.
 *
 * Exact: a number keeps its bytes (2^53+1, thirty digits, 1E400, 1.0), a string its escapes; any
 * sub-document can be handed on byte for byte (`raw`, `raw_len`). Strict: RFC 8259 and nothing
 * more; invalid UTF-8, raw control bytes, duplicate keys (compared decoded) and trailing bytes are
 * refused. Bounded: depth, number of values, 32-bit sizes. A lone surrogate escape or \u0000 is
 * grammatical JSON that no program argument can carry: such strings are marked, so that the
 * caller can refuse them where they stand; a lone surrogate reads as U+FFFD when decoded.
 *
 * Ownership: a `struct json_doc` owns its tape and its decoded strings and borrows the text it was
 * read from (or owns it, json_read_take). A `const struct json *` into it is borrowed and lives as
 * long as document and text do, without exception. The cursors never fail and never allocate.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum json_type {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT
};

enum json_flag {
	JSON_LONE_SURROGATE = 1 << 0, /* on a string or key, and on every container above */
	JSON_HAS_NUL = 1 << 1,        /* the same for \u0000 */
	JSON_IS_ESCAPED = 1 << 2      /* a string whose bytes differ from its decoded form */
};

/*
 * One value. In the tape a container is followed by its items, an object by key, value, key,
 * value …; `skip` leads past the whole subtree.
 */
struct json {
	const char *raw;  /* first byte of the value in the text */
	const char *str;  /* strings: decoded, NUL-terminated bytes (may hold NULs); else NULL */
	uint32_t raw_len; /* bytes of the value in the text, quotes and brackets included */
	uint32_t len;     /* strings: decoded bytes; arrays: items; objects: members */
	uint32_t skip;    /* tape entries of this subtree, itself included */
	uint8_t type;     /* enum json_type */
	uint8_t flags;    /* enum json_flag */
};

struct json_doc {
	struct json *tape; /* tape[0] is the root; owned */
	size_t tape_len;   /* entries */
	char *strings;     /* decoded strings; owned */
	char *text;        /* the text, when owned; else NULL */
};

#define JSON_DOC_INIT ((struct json_doc){ 0 })
#define cleanup_json __attribute__((cleanup(json_doc_release)))

/*
 * Reads exactly one JSON text (white space around it allowed). The text is borrowed and must
 * outlive the document. ERR_PARSE for what is not JSON, bad UTF-8, or too deep; with the byte
 * offset in the message. ERR_INVALID_REQUEST for a duplicate key; the key's pointer is named.
 * ERR_LIMIT past LIMIT_JSON_NODES or 4 GiB. doc is released first; JSON_DOC_INIT after failure.
 */
int json_read(struct json_doc *doc, const char *text, size_t len, struct err *err) MUST_CHECK;

/* The same over text whose ownership moves to the document (also on failure). */
int json_read_take(struct json_doc *doc, char *text, size_t len, struct err *err) MUST_CHECK;

/*
 * Reads one value at the start of text and says where it ends; for NDJSON and for documents with
 * something behind them. White space before the value is skipped.
 */
int json_read_prefix(struct json_doc *doc, const char *text, size_t len, size_t *ret_end,
    struct err *err) MUST_CHECK;

void json_doc_release(struct json_doc *doc);

static inline const struct json *json_root(const struct json_doc *doc)
{
	return doc->tape;
}

/* ---- cursors ---- */

/* First child (an object's first key), one past the last, and the next sibling. */
static inline const struct json *json_begin(const struct json *node)
{
	return node + 1;
}
static inline const struct json *json_end(const struct json *node)
{
	return node + node->skip;
}
static inline const struct json *json_next(const struct json *node)
{
	return node + node->skip;
}

/* for each item of an array (of a non-array: none if it is a scalar) */
#define json_foreach(item, array)                                                                  \
	for (const struct json *item = json_begin(array), *item##_end_ = json_end(array);          \
	     item < item##_end_; item = json_next(item))

/* for each member of an object; the value is json_next(key) */
#define json_foreach_member(key, value, object)                                                    \
	for (const struct json *key = json_begin(object), *key##_end_ = json_end(object), *value;  \
	     key < key##_end_ && ((value) = json_next(key), true); key = json_next(value))

/* The member's value, or NULL; object may be NULL or no object. */
const struct json *json_get(const struct json *object, const char *name);
const struct json *json_get_len(const struct json *object, const char *name, size_t len);

/* The array's item at index, or NULL. */
const struct json *json_at(const struct json *array, size_t index);

/*
 * The value a JSON pointer (RFC 6901) leads to, or NULL. "" is node itself. A `*` segment is not
 * understood here (surface/ expands it).
 */
const struct json *json_pointer(const struct json *node, const char *pointer);

static inline bool json_is(const struct json *node, enum json_type type)
{
	return node != NULL && node->type == type;
}
static inline bool json_is_bool(const struct json *node)
{
	return node != NULL && (node->type == JSON_TRUE || node->type == JSON_FALSE);
}

/* True when node is a string equal to text. */
bool json_is_text(const struct json *node, const char *text);

/* The decoded string when it is one and holds no NUL, else NULL. */
const char *json_text(const struct json *node);

/* "null", "boolean", "integer", "number", "string", "array", "object"; 1.0 and 1e3 are integers. */
const char *json_type_name(const struct json *node);

/* True when both are the same JSON value: numbers by value, objects in any order. */
bool json_equal(const struct json *a, const struct json *b);

/* ---- numbers, exact at any size ---- */

/* True when the number has no fractional part (1, -0, 1.0, 15e-1 is not, 1e400 is). */
bool json_number_is_integer(const struct json *node);

/* True and the value when the number is an integer that fits. */
bool json_number_int64(const struct json *node, int64_t *ret_value);

/* -1, 0, 1: compares two numbers exactly, whatever their size, in time linear in their digits. */
int json_number_compare(const struct json *a, const struct json *b);

/* True when a is an exact multiple of b (b > 0). Falls back to false past 4,000 digits. */
bool json_number_is_multiple(const struct json *a, const struct json *b);

/* Appends the integer in plain digits (1e3 as 1000); false (nothing added) when it is no integer
 * or has more than 4,000 digits. */
bool json_number_add_plain(const struct json *node, struct buf *buf);

/* ---- writer ---- */

/*
 * Streams compact JSON into a buffer. Commas and colons are its business; nesting is asserted.
 * Text must be valid UTF-8 (asserted cheaply by the reader's flag is not possible, so invalid
 * bytes are written as U+FFFD). The buffer's cap is the size limit: ask buf_check() at the end.
 */
struct json_writer {
	struct buf *buf;  /* borrowed */
	unsigned depth;   /* open containers */
	bool needs_comma; /* a value stands before the next one */
};

#define JSON_WRITER_INIT(buffer) ((struct json_writer){ .buf = (buffer) })

void json_write_object_begin(struct json_writer *w);
void json_write_object_end(struct json_writer *w);
void json_write_array_begin(struct json_writer *w);
void json_write_array_end(struct json_writer *w);

/* A member's name, to be followed by exactly one value. */
void json_write_key(struct json_writer *w, const char *name);
void json_write_key_len(struct json_writer *w, const char *name, size_t len);

void json_write_null(struct json_writer *w);
void json_write_bool(struct json_writer *w, bool value);
void json_write_int(struct json_writer *w, int64_t value);
void json_write_string(struct json_writer *w, const char *text); /* NULL writes null */
void json_write_string_len(struct json_writer *w, const char *data, size_t len);

/* JSON text that is valid already, as it is (no white space is removed). */
void json_write_raw(struct json_writer *w, const char *json_text, size_t len);

/* The value token for token, white space between tokens dropped: one line. */
void json_write_node(struct json_writer *w, const struct json *node);

/* Key and value in one: `"name":value`. */
void json_write_member_string(struct json_writer *w, const char *name, const char *text);
void json_write_member_int(struct json_writer *w, const char *name, int64_t value);
void json_write_member_bool(struct json_writer *w, const char *name, bool value);
void json_write_member_raw(struct json_writer *w, const char *name, const char *json_text);

/* Appends text as a JSON string with its quotes. */
void json_quote(struct buf *buf, const char *data, size_t len);

/*
 * Appends valid JSON text token for token, a line each, indented by two spaces a level; what is empty
 * stays on its line. Ask buf_check() at the end: indentation can make much out of little.
 */
void json_add_pretty(struct buf *buf, const char *text, size_t len);

/* Appends a reference token of a JSON pointer, escaped: "/" and "~" (RFC 6901). */
void json_pointer_add(struct buf *pointer, const char *name, size_t len);

/*
 * The canonical form for digests: members sorted by the bytes of their decoded names, no white
 * space, strings re-escaped minimally, numbers as integers in plain digits where they are
 * integers of up to 4,000 digits, else their bytes in lower case.
 */
void json_write_canonical(struct buf *buf, const struct json *node);

#endif
