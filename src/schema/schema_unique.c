/* SPDX-License-Identifier: MIT */
/*
 * uniqueItems. A few items are compared pair by pair. Many are given a key each, bytes that are
 * equal exactly when the items are, and sorted by it: the instance is a peer's, and comparing all
 * pairs of a million items would hand out an easy way to stop us. (A hash would need to be one
 * that nobody can aim at; sorting needs no such promise.)
 *
 * A number's bytes do not show its value (5e-1, 0.50), so the numbers of the whole array are
 * ranked by value first, and a key holds the rank.
 */
#include "schema/schema_internal.h"

#include <stdlib.h>
#include <string.h>

#define FEW_ITEMS 16

static bool find_pairwise(const struct json *array, size_t *ret_first, size_t *ret_second)
{
	const struct json *items[FEW_ITEMS];
	size_t len = 0;

	json_foreach (item, array) {
		for (size_t i = 0; i < len; i++) {
			if (json_equal(items[i], item)) {
				*ret_first = i;
				*ret_second = len;
				return true;
			}
		}
		items[len++] = item;
	}
	return false;
}

/* ---- ranks ---- */

static int compare_numbers(const void *a, const void *b)
{
	const struct json *const *left = a;
	const struct json *const *right = b;

	return json_number_compare(*left, *right);
}

/* For each entry of the array's part of the tape that is a number: its place among the values. */
static uint32_t *rank_numbers(const struct json *array)
{
	uint32_t *ranks = xcalloc(array->skip, sizeof(*ranks));
	cleanup_free const struct json **numbers = xcalloc(array->skip, sizeof(struct json *));
	size_t len = 0;

	for (const struct json *node = array; node < json_end(array); node++) {
		if (node->type == JSON_NUMBER)
			numbers[len++] = node;
	}
	if (len > 0)
		qsort(numbers, len, sizeof(struct json *), compare_numbers);
	for (size_t i = 1; i < len; i++) {
		uint32_t rank = ranks[numbers[i - 1] - array];

		ranks[numbers[i] - array] =
		    rank + (json_number_compare(numbers[i - 1], numbers[i]) != 0);
	}
	return ranks;
}

/* ---- keys ---- */

struct keys {
	const struct json *array; /* where the ranks are counted from */
	const uint32_t *ranks;
	struct buf bytes;
};

static void add_key(struct keys *keys, const struct json *node);

static int compare_names(const void *a, const void *b)
{
	const struct json *left = *(const struct json *const *)a;
	const struct json *right = *(const struct json *const *)b;

	if (left->len != right->len)
		return left->len < right->len ? -1 : 1;
	return memcmp(left->str, right->str, left->len);
}

static void add_members(struct keys *keys, const struct json *object)
{
	cleanup_free const struct json **names = xcalloc((size_t)object->len + 1, sizeof(*names));
	size_t len = 0;

	json_foreach_member (name, value, object)
		names[len++] = name;
	if (len > 0)
		qsort(names, len, sizeof(*names), compare_names);
	for (size_t i = 0; i < len; i++) {
		add_key(keys, names[i]);
		add_key(keys, json_next(names[i]));
	}
}

/* Type, length or rank, content: no key is the beginning of another one. */
static void add_key(struct keys *keys, const struct json *node)
{
	uint32_t head = node->type == JSON_NUMBER ? keys->ranks[node - keys->array] : node->len;

	buf_add(&keys->bytes, &node->type, sizeof(node->type));
	buf_add(&keys->bytes, &head, sizeof(head));
	if (node->type == JSON_STRING) {
		buf_add(&keys->bytes, node->str, node->len);
	} else if (node->type == JSON_OBJECT) {
		add_members(keys, node);
	} else if (node->type == JSON_ARRAY) {
		json_foreach (item, node)
			add_key(keys, item);
	}
}

struct item_key {
	const struct buf *bytes; /* of all keys; it moves while they are made */
	size_t begin;
	size_t len;
	size_t index; /* of the item */
};

static int compare_keys(const void *a, const void *b)
{
	const struct item_key *left = a;
	const struct item_key *right = b;

	if (left->len != right->len)
		return left->len < right->len ? -1 : 1;
	return memcmp(
	    left->bytes->data + left->begin, right->bytes->data + right->begin, left->len);
}

static struct item_key *make_keys(struct keys *keys, const struct json *array)
{
	struct item_key *items = xcalloc(array->len, sizeof(*items));
	size_t len = 0;

	json_foreach (item, array) {
		size_t begin = keys->bytes.len;

		add_key(keys, item);
		items[len] = (struct item_key){ &keys->bytes, begin, keys->bytes.len - begin, len };
		len++;
	}
	return items;
}

static bool find_sorted(const struct json *array, size_t *ret_first, size_t *ret_second)
{
	cleanup_free uint32_t *ranks = rank_numbers(array);
	struct keys keys = { .array = array, .ranks = ranks, .bytes = BUF_INIT_MAX(SIZE_MAX / 2) };
	cleanup_free struct item_key *items = make_keys(&keys, array);
	bool is_found = false;

	qsort(items, array->len, sizeof(*items), compare_keys);
	for (size_t i = 1; i < array->len && !is_found; i++) {
		size_t a = items[i - 1].index;
		size_t b = items[i].index;

		if (compare_keys(&items[i - 1], &items[i]) == 0) {
			*ret_first = a < b ? a : b;
			*ret_second = a < b ? b : a;
			is_found = true;
		}
	}
	buf_release(&keys.bytes);
	return is_found;
}

bool schema_find_equal_items(const struct json *array, size_t *ret_first, size_t *ret_second)
{
	if (array->len <= FEW_ITEMS)
		return find_pairwise(array, ret_first, ret_second);
	return find_sorted(array, ret_first, ret_second);
}
