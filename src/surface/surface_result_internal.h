/* SPDX-License-Identifier: MIT */
#ifndef SURFACE_SURFACE_RESULT_INTERNAL_H
#define SURFACE_SURFACE_RESULT_INTERNAL_H

/*
 * What the files that make results share: parsers, pointers with `*`, refs, lists. The order of
 * the steps is surface_result.c's.
 */

#include "surface/surface_internal.h"

/* ---- parsers (section 5.1) ---- */

/*
 * What a parser made of the program's output: either JSON text of its own, which is read only
 * when a later step needs cursors, or a document over the program's text.
 */
struct parsed {
	enum json_type type;  /* of the value */
	size_t count;         /* arrays: items */
	struct buf text;      /* JSON text of the value, when the parser wrote it */
	struct json_doc doc;  /* the value, when is_read */
	bool is_read;         /* doc is there */
	const char *under;    /* member name for what is no object, unless `under` says another */
	bool is_failed;       /* an envelope whose status is not success */
	size_t invalid_bytes; /* of text, not UTF-8, each now U+FFFD */
};

#define PARSED_INIT ((struct parsed){ .text = BUF_INIT })
void surface_parsed_release(struct parsed *parsed);

/*
 * Parses a stream, which is borrowed and must outlive ret_parsed. max_bytes bounds the JSON text
 * that is written. ERR_BAD_OUTPUT never repeats the output; ERR_OUTPUT_TOO_LARGE.
 */
int surface_parse(const struct parse *parse, const char *data, size_t len, size_t max_bytes,
    struct parsed *ret_parsed, struct err *err) MUST_CHECK;

/* The parsers by family; each fills ret_parsed->text (capped already) or ret_parsed->doc. */
int surface_parse_json(const char *data, size_t len, struct parsed *ret_parsed, struct err *err)
    MUST_CHECK;
int surface_parse_ndjson(const char *data, size_t len, struct parsed *ret_parsed, struct err *err)
    MUST_CHECK;
int surface_parse_envelope(const char *data, size_t len, struct parsed *ret_parsed, struct err *err)
    MUST_CHECK;
int surface_parse_lines(const struct parse *parse, const char *data, size_t len,
    struct parsed *ret_parsed, struct err *err) MUST_CHECK;
int surface_parse_records(const struct parse *parse, const char *data, size_t len,
    struct parsed *ret_parsed, struct err *err) MUST_CHECK;
int surface_parse_pairs(const struct parse *parse, const char *data, size_t len,
    struct parsed *ret_parsed, struct err *err) MUST_CHECK;

/* Makes sure that parsed->doc is there. */
int surface_parsed_read(struct parsed *parsed, struct err *err) MUST_CHECK;

/* The next line of a text, without its newline and one CR before it; false at the end. */
struct text_line {
	const char *data;
	size_t len;
	size_t number; /* from 1 */
};
bool surface_next_line(const char **rest, size_t *rest_len, struct text_line *line);

/* Appends data with one U+FFFD for each invalid byte; returns how many there were. */
size_t surface_add_valid(struct buf *buf, const char *data, size_t len);

/* ASCII blanks (space, tab, CR, LF, VT, FF) cut off both ends. */
const char *surface_trim(const char *text, size_t *len);

/* True for text in the grammar of JSON numbers. */
bool surface_is_number(const char *text, size_t len);

/*
 * The digits of an optional '-' and decimal digits with leading zeros dropped, as JSON wants them;
 * NULL for other text. Borrowed from text, *len shortened; *ret_is_negative says that '-' stands
 * before them ("-0" is 0).
 */
const char *surface_integer_digits(const char *text, size_t *len, bool *ret_is_negative);

/* Writes that integer, every digit of it. */
bool surface_write_integer(struct json_writer *w, const char *text, size_t len);

/* ---- values ---- */

/* json_write_node(), but half surrogate pairs of a program's JSON become U+FFFD: no answer may
 * hold them (clients.md Q8). */
void surface_write_value(struct json_writer *w, const struct json *node);

/* The members of an object template that have a value, into an object that is open. */
void surface_write_members(
    const struct template_ *template, const struct scope_values *values, struct json_writer *w);

/* ---- pointers with `*` ---- */

/* One reference token: the stretch of pointer behind its '/'; false at the end. */
struct pointer_token {
	const char *text; /* still escaped */
	size_t len;
};
bool surface_pointer_next(const char **pointer, struct pointer_token *token);
bool surface_token_is(const struct pointer_token *token, const char *name, size_t len);
bool surface_token_is_star(const struct pointer_token *token);
bool surface_pointer_has_star(const char *pointer);

/* Calls fn for each value the pointer leads to, in document order. */
void surface_pointer_each(const struct json *node, const char *pointer,
    void (*fn)(void *ctx, const struct json *node), void *ctx);

/* `at`: as json_pointer(), but a last token `*` is the only array member of an object; else NULL. */
const struct json *surface_pointer_at(const struct json *node, const char *pointer);

/* ---- drop, pick, rename ---- */

bool surface_has_filter(const struct result *result);

/* ERR_BAD_OUTPUT when a new name is there already. */
int surface_check_renames(const struct json *object, const struct json *rename, struct err *err)
    MUST_CHECK;

/* The value without `drop`, with `pick` only, its members renamed (as checked before). */
void surface_write_filtered(
    struct json_writer *w, const struct json *node, const struct result *result);

/* ---- refs (section 5.3) ---- */

/* Writes the ref of an entry; n is its place in the program's list, from 1. */
void surface_write_ref(
    struct json_writer *w, const struct ref *ref, const struct json *entry, int64_t n);

/* Text of the field `name` of values->ref over values->entry; false: it has none. */
bool surface_ref_field_text(
    const struct scope_values *values, const char *name, struct buf *ret_text);

/* ---- lists: search, sort, pages ---- */

/* One entry on its way through the steps. */
struct list_entry {
	const struct json *node;
	int64_t n; /* place in the program's list, from 1 */
};
struct list {
	struct list_entry *items; /* owned */
	size_t len;
};

#define LIST_INIT ((struct list){ 0 })
#define cleanup_list __attribute__((cleanup(surface_list_release)))
void surface_list_release(struct list *list);
void surface_list_of(struct list *list, const struct json *array);

/* Keeps what matches; all, when `for` has no value. */
int surface_list_search(struct list *list, const struct result_search *search,
    const struct scope_values *values, struct err *err) MUST_CHECK;

/* Stable; entries without the field come last in either order. */
int surface_list_sort(struct list *list, const struct result_sort *sort,
    const struct scope_values *values, struct err *err) MUST_CHECK;

/* Where a page begins and how much it may hold. */
struct page {
	int64_t size;      /* entries; -1: no bound */
	int64_t start;     /* PAGE_SLICE, PAGE_OFFSET: of its first entry, from 0 */
	struct buf cursor; /* as given; empty: none */
};
#define PAGE_INIT ((struct page){ .cursor = BUF_INIT })
void surface_page_release(struct page *page);

/* Reads size and cursor. ERR_INVALID_ARGUMENT for a cursor that is none. */
int surface_page_read(const struct result_page *page, const struct scope_values *values,
    struct page *ret_page, struct err *err) MUST_CHECK;

/* Cuts the list to the page (PAGE_SLICE). */
void surface_page_slice(const struct page *page, struct list *list);

/* Writes the members around the list, behind it: pageSize, cursor, returned, total, nextCursor.
 * root is what was parsed, for PAGE_TOKEN. */
void surface_page_write(struct json_writer *w, const struct result_page *declared,
    const struct page *page, size_t returned, size_t total, const struct json *root);

/* ---- errors ---- */

/* Appends a label and the head of a program's stream: trimmed, valid, at most so many characters, and
 * how many more there were. False: it is blank, and nothing was appended. */
bool surface_add_stream(
    struct buf *buf, const char *label, const char *data, size_t len, bool is_cut);

/* The result for a status that is neither ok nor data (section 6). */
void surface_make_failure(
    const struct tool *tool, const struct surface_run *run, struct surface_result *ret_result);

#endif
