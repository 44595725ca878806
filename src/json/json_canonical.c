/* SPDX-License-Identifier: MIT */
/* The canonical form, for digests only: order of members, white space, escapes and the spelling of
 * integers leave no trace in it. Changing it changes every digest that was ever recorded. */
#include "json/json.h"

#include "json/json_internal.h"

/* A number that is no integer, or too long: its bytes, the exponent's E in lower case. */
static void add_number_bytes(struct buf *buf, const struct json *node)
{
	for (size_t i = 0; i < node->raw_len; i++)
		buf_addc(buf, (char)(node->raw[i] == 'E' ? 'e' : node->raw[i]));
}

static void add_array(struct buf *buf, const struct json *array)
{
	char before = '[';

	json_foreach (item, array) {
		buf_addc(buf, before);
		json_write_canonical(buf, item);
		before = ',';
	}
	buf_adds(buf, array->len == 0 ? "[]" : "]");
}

static void add_object(struct buf *buf, const struct json *object)
{
	cleanup_free const struct json **keys = json_sorted_keys(object);

	buf_addc(buf, '{');
	for (size_t i = 0; i < object->len; i++) {
		if (i > 0)
			buf_addc(buf, ',');
		json_quote(buf, keys[i]->str, keys[i]->len);
		buf_addc(buf, ':');
		json_write_canonical(buf, json_next(keys[i]));
	}
	buf_addc(buf, '}');
}

/* Calls itself down the tree: its depth is bounded by the reader. */
void json_write_canonical(struct buf *buf, const struct json *node)
{
	switch ((enum json_type)node->type) {
	case JSON_NULL:
	case JSON_TRUE:
	case JSON_FALSE:
		buf_add(buf, node->raw, node->raw_len);
		break;
	case JSON_NUMBER:
		if (!json_number_add_plain(node, buf))
			add_number_bytes(buf, node);
		break;
	case JSON_STRING:
		json_quote(buf, node->str, node->len);
		break;
	case JSON_ARRAY:
		add_array(buf, node);
		break;
	case JSON_OBJECT:
		add_object(buf, node);
		break;
	}
}
