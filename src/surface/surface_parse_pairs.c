/* SPDX-License-Identifier: MIT */
/* Lines of `key: value`, as one object or as blocks between a head and a tail line. */
#include "surface/surface_result_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* One pair: offsets into the text that holds all keys and values of an object. */
struct pair {
	size_t key, key_len;
	size_t value, value_len;
	bool is_null;
	bool is_overruled; /* a later pair has the same key */
};

/* The pairs of one object, gathered because the last of equal keys wins. The text is never cut
 * (the output is bounded already), so that the offsets always lie in it. */
struct pairs {
	struct buf text;
	struct pair *items;
	size_t len, cap;
};

static void pairs_release(struct pairs *pairs)
{
	buf_release(&pairs->text);
	free(pairs->items);
}

static void pairs_reset(struct pairs *pairs)
{
	buf_reset(&pairs->text);
	pairs->len = 0;
}

static void pairs_add(struct pairs *pairs, const char *key, size_t key_len, const char *value,
    size_t value_len, bool is_null)
{
	struct pair *pair;

	ARRAY_GROW(pairs->items, pairs->len, pairs->cap);
	pair = &pairs->items[pairs->len++];
	*pair = (struct pair){ .key = pairs->text.len, .key_len = key_len, .is_null = is_null };
	buf_add(&pairs->text, key, key_len);
	pair->value = pairs->text.len;
	pair->value_len = value_len;
	buf_add(&pairs->text, value, value_len);
}

/* ---- the last of equal keys ---- */

static int compare_keys(const char *text, const struct pair *a, const struct pair *b)
{
	size_t len = a->key_len < b->key_len ? a->key_len : b->key_len;
	int order = len == 0 ? 0 : memcmp(text + a->key, text + b->key, len);

	if (order != 0)
		return order;
	return (a->key_len > b->key_len) - (a->key_len < b->key_len);
}

static int compare_pairs(const void *left, const void *right, void *text)
{
	const struct pair *a = *(struct pair *const *)left;
	const struct pair *b = *(struct pair *const *)right;
	int order = compare_keys(text, a, b);

	return order != 0 ? order : (a->key > b->key) - (a->key < b->key);
}

static void mark_overruled(struct pairs *pairs)
{
	struct pair **sorted = xcalloc(pairs->len + 1, sizeof(struct pair *));

	for (size_t i = 0; i < pairs->len; i++)
		sorted[i] = &pairs->items[i];
	qsort_r(sorted, pairs->len, sizeof(struct pair *), compare_pairs, pairs->text.data);
	for (size_t i = 0; i + 1 < pairs->len; i++)
		sorted[i]->is_overruled =
		    compare_keys(pairs->text.data, sorted[i], sorted[i + 1]) == 0;
	free(sorted);
}

static void write_pairs(struct json_writer *w, struct pairs *pairs)
{
	mark_overruled(pairs);
	json_write_object_begin(w);
	for (size_t i = 0; i < pairs->len; i++) {
		const struct pair *pair = &pairs->items[i];

		if (pair->is_overruled)
			continue;
		json_write_key_len(w, pairs->text.data + pair->key, pair->key_len);
		if (pair->is_null)
			json_write_null(w);
		else
			json_write_string_len(w, pairs->text.data + pair->value, pair->value_len);
	}
	json_write_object_end(w);
}

/* ---- one line ---- */

static bool is_word_byte(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c >= 0x80;
}

/* "- Default share id" → "default_share_id": letters and digits (of any script) stay. */
static void add_snake(struct buf *key, const char *text, size_t len)
{
	bool is_apart = false;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (!is_word_byte(c)) {
			is_apart = true;
			continue;
		}
		if (is_apart && key->len > 0)
			buf_addc(key, '_');
		is_apart = false;
		buf_addc(key, text_ascii_lower((char)c));
	}
}

/* A leading bullet in UTF-8, which add_snake() would keep as a letter. */
static const char *skip_bullet(const char *text, size_t *len)
{
	static const char *const bullets[] = { "\xe2\x80\xa2", "\xe2\x80\xa3", "\xe2\x97\xa6",
		"\xe2\x97\x8f", "\xc2\xb7", "\xe2\x80\x93" }; /* • ‣ ◦ ● · – */

	for (size_t i = 0; i < ARRAY_LEN(bullets); i++) {
		size_t bullet = strlen(bullets[i]);

		if (*len >= bullet && memcmp(text, bullets[i], bullet) == 0) {
			*len -= bullet;
			return surface_trim(text + bullet, len);
		}
	}
	return text;
}

static bool is_null_word(const struct parse *parse, const char *value, size_t len)
{
	if (parse->nulls == NULL)
		return false;
	json_foreach (word, parse->nulls) {
		if (word->type == JSON_STRING && word->len == len &&
		    strncasecmp(word->str, value, len) == 0)
			return true;
	}
	return false;
}

/* Cuts every match of `strip` off the value; what is left stands in kept. */
static int strip_value(
    struct regex *strip, const char *value, size_t len, struct buf *kept, struct err *err)
{
	size_t at = 0;

	while (at < len) {
		struct regex_match match;
		bool failed = false;

		if (!regex_search_utf8(strip, value, len, at, &match, &failed)) {
			if (failed)
				return err_set(err, ERR_BAD_OUTPUT,
				    "a value of the output is too complex for `strip`");
			break;
		}
		if (match.end[0] == match.begin[0])
			break;
		buf_add(kept, value + at, match.begin[0] - at);
		at = match.end[0];
	}
	buf_add(kept, value + at, len - at);
	return 0;
}

/* Takes a pair that has a value after all. */
static void take_pair(const struct parse *parse, const char *key, size_t key_len, const char *value,
    size_t len, struct pairs *pairs)
{
	cleanup_buf struct buf snake = BUF_INIT;

	if (parse->keys_snake) {
		key = skip_bullet(key, &key_len);
		add_snake(&snake, key, key_len);
		key = snake.data;
		key_len = snake.len;
	}
	if (key_len > 0 && len > 0)
		pairs_add(pairs, key, key_len, value, len, is_null_word(parse, value, len));
}

/* Takes a line's pair, if it has one: lines without separator or value say nothing. */
static int add_line(
    const struct parse *parse, const struct text_line *line, struct pairs *pairs, struct err *err)
{
	const char *sep =
	    line->len == 0 ? NULL : memmem(line->data, line->len, parse->sep, parse->sep_len);
	cleanup_buf struct buf kept = BUF_INIT;
	size_t key_len, len;
	const char *key, *value;

	if (sep == NULL)
		return 0;
	key_len = (size_t)(sep - line->data);
	key = surface_trim(line->data, &key_len);
	len = line->len - (size_t)(sep - line->data) - parse->sep_len;
	value = surface_trim(sep + parse->sep_len, &len);
	if (parse->strip != NULL) {
		if (strip_value(parse->strip, value, len, &kept, err) < 0)
			return -1;
		len = kept.len;
		value = surface_trim(kept.data, &len);
	}
	take_pair(parse, key, key_len, value, len, pairs);
	return 0;
}

/* ---- blocks ---- */

struct blocks {
	const struct parse *parse;
	struct pairs pairs;
	struct json_writer w;
	size_t count;
	bool is_open;
	const struct text_line *line;
	const struct regex_match *match;
	struct err *err;
};

static void add_group(void *ctx, const char *name, int number)
{
	struct blocks *b = ctx;
	const struct regex_match *match = b->match;
	bool is_set = (size_t)number < match->groups_len && match->begin[number] != SIZE_MAX;
	size_t begin = is_set ? match->begin[number] : 0;

	pairs_add(&b->pairs, name, strlen(name), b->line->data + begin,
	    is_set ? match->end[number] - begin : 0, !is_set);
}

/* 1 and the groups taken when the line matches, 0 when not, -1 when the engine gave up. */
static int take_line(struct blocks *b, struct regex *regex)
{
	struct regex_match match;
	bool failed = false;

	if (!regex_search_utf8(regex, b->line->data, b->line->len, 0, &match, &failed))
		return failed ? err_set(b->err, ERR_BAD_OUTPUT,
				    "line %zu of the output is too complex for its pattern",
				    b->line->number)
			      : 0;
	b->match = &match;
	regex_each_group(regex, add_group, b);
	b->match = NULL;
	return 1;
}

static void close_block(struct blocks *b)
{
	write_pairs(&b->w, &b->pairs);
	pairs_reset(&b->pairs);
	b->is_open = false;
	b->count++;
}

static int open_block(struct blocks *b)
{
	int taken;

	if (b->line->len == 0)
		return 0;
	taken = take_line(b, b->parse->head);
	if (taken == 0)
		return err_set(b->err, ERR_BAD_OUTPUT,
		    "line %zu of the output does not begin a block", b->line->number);
	b->is_open = taken > 0;
	return taken > 0 ? 0 : -1;
}

static int block_line(struct blocks *b)
{
	int taken;

	if (!b->is_open)
		return open_block(b);
	if (b->parse->tail == NULL)
		taken = b->line->len == 0;
	else
		taken = take_line(b, b->parse->tail);
	if (taken > 0)
		close_block(b);
	if (taken != 0)
		return taken < 0 ? -1 : 0;
	return add_line(b->parse, b->line, &b->pairs, b->err);
}

static int parse_blocks(struct blocks *b, const char *data, size_t len)
{
	struct text_line line = { 0 };

	b->line = &line;
	json_write_array_begin(&b->w);
	while (surface_next_line(&data, &len, &line)) {
		if (block_line(b) < 0)
			return -1;
	}
	if (b->is_open && b->parse->tail != NULL)
		return err_set(b->err, ERR_BAD_OUTPUT, "the output ends in the middle of a block");
	if (b->is_open)
		close_block(b);
	json_write_array_end(&b->w);
	return 0;
}

/* ---- the parser ---- */

static int parse_flat(const struct parse *parse, const char *data, size_t len,
    struct parsed *ret_parsed, struct err *err)
{
	struct json_writer w = JSON_WRITER_INIT(&ret_parsed->text);
	struct pairs pairs = { .text = BUF_INIT_MAX(SIZE_MAX / 2) };
	struct text_line line = { 0 };
	int result = 0;

	while (result == 0 && surface_next_line(&data, &len, &line))
		result = add_line(parse, &line, &pairs, err);
	ret_parsed->type = JSON_OBJECT;
	if (result == 0)
		write_pairs(&w, &pairs);
	pairs_release(&pairs);
	return result;
}

int surface_parse_pairs(const struct parse *parse, const char *data, size_t len,
    struct parsed *ret_parsed, struct err *err)
{
	struct blocks b = { .parse = parse,
		.pairs = { .text = BUF_INIT_MAX(SIZE_MAX / 2) },
		.w = JSON_WRITER_INIT(&ret_parsed->text),
		.err = err };
	int result;

	assert(parse->sep_len > 0);
	if (parse->head == NULL)
		return parse_flat(parse, data, len, ret_parsed, err);
	result = parse_blocks(&b, data, len);
	ret_parsed->type = JSON_ARRAY;
	ret_parsed->count = b.count;
	pairs_release(&b.pairs);
	return result;
}
