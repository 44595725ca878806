/* SPDX-License-Identifier: MIT */
/* Cursors: finding, comparing and naming what stands in a tape; nothing here reads text. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

#include "json/json_internal.h"

const struct json *json_get_len(const struct json *object, const char *name, size_t len)
{
	if (!json_is(object, JSON_OBJECT))
		return NULL;
	json_foreach_member (key, value, object) {
		if (key->len == len && memcmp(key->str, name, len) == 0)
			return value;
	}
	return NULL;
}

const struct json *json_get(const struct json *object, const char *name)
{
	return json_get_len(object, name, strlen(name));
}

const struct json *json_at(const struct json *array, size_t index)
{
	if (!json_is(array, JSON_ARRAY) || index >= array->len)
		return NULL;
	json_foreach (item, array) {
		if (index-- == 0)
			return item;
	}
	return NULL;
}

/* ---- pointers ---- */

/* True when the reference token (still escaped) names the key. */
static bool token_is(const char *token, size_t len, const struct json *key)
{
	size_t at = 0;

	for (size_t i = 0; i < len; i++, at++) {
		char c = token[i];

		if (c == '~') {
			if (++i == len || (token[i] != '0' && token[i] != '1'))
				return false;
			c = token[i] == '0' ? '~' : '/';
		}
		if (at >= key->len || key->str[at] != c)
			return false;
	}
	return at == key->len;
}

static const struct json *get_token(const struct json *object, const char *token, size_t len)
{
	json_foreach_member (key, value, object) {
		if (token_is(token, len, key))
			return value;
	}
	return NULL;
}

/* An array index: digits, without a needless 0 in front. */
static const struct json *at_token(const struct json *array, const char *token, size_t len)
{
	size_t index = 0;

	if (len == 0 || len > 10 || (token[0] == '0' && len > 1))
		return NULL;
	for (size_t i = 0; i < len; i++) {
		if (token[i] < '0' || token[i] > '9')
			return NULL;
		index = index * 10 + (size_t)(token[i] - '0');
	}
	return json_at(array, index);
}

const struct json *json_pointer(const struct json *node, const char *pointer)
{
	while (node != NULL && *pointer == '/') {
		const char *token = pointer + 1;
		size_t len = strcspn(token, "/");

		if (node->type == JSON_OBJECT)
			node = get_token(node, token, len);
		else if (node->type == JSON_ARRAY)
			node = at_token(node, token, len);
		else
			return NULL;
		pointer = token + len;
	}
	return *pointer == '\0' ? node : NULL;
}

/* ---- what a value is ---- */

bool json_is_text(const struct json *node, const char *text)
{
	return json_is(node, JSON_STRING) && node->len == strlen(text) &&
	       memcmp(node->str, text, node->len) == 0;
}

const char *json_text(const struct json *node)
{
	return json_is(node, JSON_STRING) && (node->flags & JSON_HAS_NUL) == 0 ? node->str : NULL;
}

const char *json_type_name(const struct json *node)
{
	static const char *const names[] = {
		[JSON_NULL] = "null",
		[JSON_FALSE] = "boolean",
		[JSON_TRUE] = "boolean",
		[JSON_NUMBER] = "number",
		[JSON_STRING] = "string",
		[JSON_ARRAY] = "array",
		[JSON_OBJECT] = "object",
	};

	if (json_number_is_integer(node))
		return "integer";
	return names[node->type];
}

/* ---- order and equality ---- */

int json_compare_strings(const struct json *a, const struct json *b)
{
	size_t len = a->len < b->len ? a->len : b->len;
	int order = memcmp(a->str, b->str, len);

	return order != 0 ? order : (a->len > b->len) - (a->len < b->len);
}

/* For qsort(3): by decoded bytes, then by place in the tape. */
static int compare_keys(const void *a, const void *b)
{
	const struct json *left = *(const struct json *const *)a;
	const struct json *right = *(const struct json *const *)b;
	int order = json_compare_strings(left, right);

	return order != 0 ? order : (left > right) - (left < right);
}

const struct json **json_sorted_keys(const struct json *object)
{
	const struct json **keys = xcalloc(object->len, sizeof(*keys));
	size_t len = 0;

	json_foreach_member (key, value, object) {
		keys[len++] = key;
	}
	qsort(keys, len, sizeof(*keys), compare_keys);
	return keys;
}

/* Depth is bounded by the reader, so these may call each other down the tree. */
static bool arrays_equal(const struct json *a, const struct json *b)
{
	const struct json *other = json_begin(b);

	json_foreach (item, a) {
		if (!json_equal(item, other))
			return false;
		other = json_next(other);
	}
	return true;
}

static bool few_members_equal(const struct json *a, const struct json *b)
{
	json_foreach_member (key, value, a) {
		const struct json *other = json_get_len(b, key->str, key->len);

		if (other == NULL || !json_equal(value, other))
			return false;
	}
	return true;
}

static bool many_members_equal(const struct json *a, const struct json *b)
{
	cleanup_free const struct json **left = json_sorted_keys(a);
	cleanup_free const struct json **right = json_sorted_keys(b);

	for (size_t i = 0; i < a->len; i++) {
		if (!json_same_string(left[i], right[i]) ||
		    !json_equal(json_next(left[i]), json_next(right[i])))
			return false;
	}
	return true;
}

bool json_equal(const struct json *a, const struct json *b)
{
	if (a->type != b->type)
		return false;
	switch ((enum json_type)a->type) {
	case JSON_NUMBER:
		return json_number_compare(a, b) == 0;
	case JSON_STRING:
		return json_same_string(a, b);
	case JSON_ARRAY:
		return a->len == b->len && arrays_equal(a, b);
	case JSON_OBJECT:
		if (a->len != b->len)
			return false;
		return a->len <= JSON_FEW_MEMBERS ? few_members_equal(a, b)
						  : many_members_equal(a, b);
	case JSON_NULL:
	case JSON_FALSE:
	case JSON_TRUE:
		break;
	}
	return true;
}
