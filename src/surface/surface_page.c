/* SPDX-License-Identifier: MIT */
/* Lists: search, sort, pages. Entries travel as (node, place), so that nothing is copied before
 * the page is cut. */
#include "surface/surface_result_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/num.h"
#include "base/text.h"

void surface_list_release(struct list *list)
{
	free(list->items);
	*list = LIST_INIT;
}

void surface_list_of(struct list *list, const struct json *array)
{
	list->items = xcalloc((size_t)array->len + 1, sizeof(*list->items));
	list->len = 0;
	json_foreach (entry, array) {
		list->items[list->len] = (struct list_entry){ entry, (int64_t)list->len + 1 };
		list->len++;
	}
}

/* ---- search ---- */

static const char *const matches[] = {
	[SEARCH_CONTAINS] = "contains",
	[SEARCH_PREFIX] = "prefix",
	[SEARCH_EXACT] = "exact",
};

struct searcher {
	struct buf wanted; /* what is looked for, lower-cased unless case counts */
	enum search_match match;
	bool is_case_sensitive;
	struct buf text; /* an entry's field, made comparable; reused */
};

static void searcher_release(struct searcher *s)
{
	buf_release(&s->wanted);
	buf_release(&s->text);
}

/* The reader of JSON lets valid text through only. */
static void add_comparable(const struct searcher *s, struct buf *buf, const char *data, size_t len)
{
	if (s->is_case_sensitive)
		buf_add(buf, data, len);
	else
		text_add_lower(buf, data, len);
}

static bool text_matches(struct searcher *s, const char *data, size_t len)
{
	buf_reset(&s->text);
	add_comparable(s, &s->text, data, len);
	switch (s->match) {
	case SEARCH_CONTAINS:
		return memmem(s->text.data, s->text.len, s->wanted.data, s->wanted.len) != NULL;
	case SEARCH_PREFIX:
		return s->text.len >= s->wanted.len &&
		       memcmp(s->text.data, s->wanted.data, s->wanted.len) == 0;
	case SEARCH_EXACT:
		return s->text.len == s->wanted.len &&
		       memcmp(s->text.data, s->wanted.data, s->wanted.len) == 0;
	}
	return false;
}

/* Strings and numbers match; an entry without the field, or with null in it, never does. */
static bool entry_matches(struct searcher *s, const struct json *fields, const struct json *entry)
{
	json_foreach (field, fields) {
		const struct json *value = json_get_len(entry, field->str, field->len);
		bool hit = false;

		if (json_is(value, JSON_STRING))
			hit = text_matches(s, value->str, value->len);
		else if (json_is(value, JSON_NUMBER))
			hit = text_matches(s, value->raw, value->raw_len);
		if (hit)
			return true;
	}
	return false;
}

static int read_match(const struct result_search *search, const struct scope_values *values,
    enum search_match *ret_match, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	int result = surface_expand_word(&search->match, values, LIMIT_ARGUMENT, &text, err);

	if (result < 0)
		return -1;
	*ret_match = SEARCH_CONTAINS;
	for (size_t i = 0; result > 0 && i < ARRAY_LEN(matches); i++) {
		if (strcmp(text.data, matches[i]) == 0) {
			*ret_match = (enum search_match)i;
			return 0;
		}
	}
	if (result == 0 || text.len == 0)
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENT, "search knows contains, prefix and exact only");
}

static int read_case(const struct result_search *search, const struct scope_values *values,
    bool *ret_is_case_sensitive, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;

	if (surface_expand_word(&search->is_case_sensitive, values, LIMIT_ARGUMENT, &text, err) < 0)
		return -1;
	*ret_is_case_sensitive = strcmp(text.data, "true") == 0;
	return 0;
}

int surface_list_search(struct list *list, const struct result_search *search,
    const struct scope_values *values, struct err *err)
{
	struct searcher s = { .wanted = BUF_INIT, .text = BUF_INIT };
	cleanup_buf struct buf wanted = BUF_INIT;
	size_t kept = 0;
	int given = surface_expand_word(&search->for_, values, LIMIT_ARGUMENT, &wanted, err);

	if (given <= 0)
		return given;
	if (read_match(search, values, &s.match, err) < 0 ||
	    read_case(search, values, &s.is_case_sensitive, err) < 0)
		return -1;
	add_comparable(&s, &s.wanted, wanted.data, wanted.len);
	for (size_t i = 0; i < list->len; i++) {
		if (entry_matches(&s, search->in, list->items[i].node))
			list->items[kept++] = list->items[i];
	}
	list->len = kept;
	searcher_release(&s);
	return 0;
}

/* ---- sort ---- */

/* A list entry and what it is sorted by; place keeps equal ones in order. */
struct sort_item {
	struct list_entry entry;
	const struct json *key;
	size_t place;
};

/* null and what has no order come last; then booleans, numbers, strings. */
static int rank(const struct json *key)
{
	if (key == NULL || key->type == JSON_NULL || key->type >= JSON_ARRAY)
		return 3;
	if (key->type == JSON_STRING)
		return 2;
	return key->type == JSON_NUMBER ? 1 : 0;
}

static int compare_texts(const struct json *a, const struct json *b)
{
	size_t len = a->len < b->len ? a->len : b->len;
	int order = len == 0 ? 0 : memcmp(a->str, b->str, len);

	return order != 0 ? order : (a->len > b->len) - (a->len < b->len);
}

static int compare_values(const struct json *a, const struct json *b)
{
	if (rank(a) != rank(b))
		return rank(a) - rank(b);
	if (a->type == JSON_STRING)
		return compare_texts(a, b);
	if (a->type == JSON_NUMBER)
		return json_number_compare(a, b);
	return (a->type > b->type) - (a->type < b->type);
}

static int compare_items(const struct sort_item *a, const struct sort_item *b, bool is_descending)
{
	bool a_last = rank(a->key) == 3;
	bool b_last = rank(b->key) == 3;
	int order = 0;

	if (a_last != b_last)
		return a_last ? 1 : -1;
	if (!a_last)
		order = compare_values(a->key, b->key);
	if (is_descending)
		order = (order < 0) - (order > 0);
	return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

static int compare_ascending(const void *a, const void *b)
{
	return compare_items(a, b, false);
}

static int compare_descending(const void *a, const void *b)
{
	return compare_items(a, b, true);
}

static int read_order(const struct result_sort *sort, const struct scope_values *values,
    bool *ret_is_descending, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	int given = surface_expand_word(&sort->order, values, LIMIT_ARGUMENT, &text, err);

	if (given < 0)
		return -1;
	*ret_is_descending = given > 0 && strcmp(text.data, "desc") == 0;
	if (given == 0 || text.len == 0 || *ret_is_descending || strcmp(text.data, "asc") == 0)
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENT, "sort knows the orders asc and desc only");
}

int surface_list_sort(struct list *list, const struct result_sort *sort,
    const struct scope_values *values, struct err *err)
{
	cleanup_buf struct buf by = BUF_INIT;
	cleanup_free struct sort_item *items = NULL;
	bool is_descending = false;
	int given = surface_expand_word(&sort->by, values, LIMIT_ARGUMENT, &by, err);

	if (given <= 0)
		return given;
	if (read_order(sort, values, &is_descending, err) < 0)
		return -1;
	items = xcalloc(list->len + 1, sizeof(*items));
	for (size_t i = 0; i < list->len; i++)
		items[i] = (struct sort_item){ list->items[i],
			json_get_len(list->items[i].node, by.data, by.len), i };
	qsort(items, list->len, sizeof(*items),
	    is_descending ? compare_descending : compare_ascending);
	for (size_t i = 0; i < list->len; i++)
		list->items[i] = items[i].entry;
	return 0;
}

/* ---- pages ---- */

/* The largest place that a client can name without its numbers being rounded. */
#define CURSOR_MAX (((int64_t)1 << 53) - 1)

void surface_page_release(struct page *page)
{
	buf_release(&page->cursor);
}

static bool is_digits(const struct buf *text)
{
	for (size_t i = 0; i < text->len; i++) {
		if (text->data[i] < '0' || text->data[i] > '9')
			return false;
	}
	return true;
}

/* The input that the word shows, for errors. */
static void add_input(struct buf *pointer, const struct word *word)
{
	buf_addc(pointer, '/');
	if (word->len == 1 && word->pieces[0].is_hole && word->pieces[0].name != NULL)
		buf_adds(pointer, word->pieces[0].name);
}

/* The value of digits; leading zeros are fine, no text is 0. */
static int read_count(
    const struct word *word, const struct buf *text, int64_t *ret_value, struct err *err)
{
	cleanup_buf struct buf pointer = BUF_INIT;
	cleanup_err struct err ignored = ERR_INIT;

	*ret_value = 0;
	if (text->len == 0 ||
	    (is_digits(text) && num_parse(text->data, 0, CURSOR_MAX, ret_value, &ignored) == 0))
		return 0;
	add_input(&pointer, word);
	return surface_argument_error(err, pointer.data, "pattern",
	    "is no place in a list; digits are wanted, such as a nextCursor gave them");
}

int surface_page_read(const struct result_page *page, const struct scope_values *values,
    struct page *ret_page, struct err *err)
{
	cleanup_buf struct buf size = BUF_INIT;
	int given = surface_expand_word(&page->size, values, LIMIT_ARGUMENT, &size, err);

	if (given < 0 || read_count(&page->size, &size, &ret_page->size, err) < 0)
		return -1;
	if (given == 0 || size.len == 0)
		ret_page->size = -1;
	if (surface_expand_word(&page->cursor, values, LIMIT_ARGUMENT, &ret_page->cursor, err) < 0)
		return -1;
	if (page->by == PAGE_TOKEN)
		return 0;
	return read_count(&page->cursor, &ret_page->cursor, &ret_page->start, err);
}

void surface_page_slice(const struct page *page, struct list *list)
{
	size_t start = (uint64_t)page->start < list->len ? (size_t)page->start : list->len;
	size_t left = list->len - start;

	if (page->size >= 0 && (uint64_t)page->size < left)
		left = (size_t)page->size;
	if (left > 0)
		memmove(list->items, list->items + start, left * sizeof(*list->items));
	list->len = left;
}

static void write_place(struct json_writer *w, const char *name, int64_t place)
{
	char digits[24];

	(void)snprintf(digits, sizeof(digits), "%lld", (long long)place);
	json_write_member_string(w, name, digits);
}

/* The program's own cursor: a text or number; empty or anything else is the end. */
static void write_token(struct json_writer *w, const struct json *token)
{
	json_write_key(w, "nextCursor");
	if (json_is(token, JSON_NUMBER))
		json_write_string_len(w, token->raw, token->raw_len);
	else if (json_is(token, JSON_STRING) && token->len > 0)
		json_write_string_len(w, token->str, token->len);
	else
		json_write_null(w);
}

static void write_places(
    struct json_writer *w, enum page_by by, const struct page *page, size_t returned, size_t total)
{
	int64_t next = page->start + (int64_t)returned;
	bool has_more = by == PAGE_SLICE ? (uint64_t)next < total
					 : page->size >= 0 && returned >= (uint64_t)page->size;

	if (page->size == 0)
		has_more = false;
	write_place(w, "cursor", page->start);
	json_write_member_int(w, "returned", (int64_t)returned);
	if (by == PAGE_SLICE)
		json_write_member_int(w, "total", (int64_t)total);
	if (has_more)
		write_place(w, "nextCursor", next);
	else
		json_write_member_string(w, "nextCursor", NULL);
}

void surface_page_write(struct json_writer *w, const struct result_page *declared,
    const struct page *page, size_t returned, size_t total, const struct json *root)
{
	json_write_member_int(w, "pageSize", page->size >= 0 ? page->size : (int64_t)returned);
	if (declared->by != PAGE_TOKEN) {
		write_places(w, declared->by, page, returned, total);
		return;
	}
	json_write_member_string(w, "cursor", page->cursor.len > 0 ? page->cursor.data : NULL);
	json_write_member_int(w, "returned", (int64_t)returned);
	write_token(w, json_pointer(root, declared->next == NULL ? "" : declared->next));
}
