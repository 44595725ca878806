/* SPDX-License-Identifier: MIT */
/*
 * Request ids and progress tokens (specs/protocol.md §2): strings and integers, echoed byte for
 * byte, matched by type and value. An id never passes through a double.
 */
#include "mcp/mcp_internal.h"

bool mcp_id_is_valid(const struct json *node)
{
	if (node == NULL || node->raw_len > LIMIT_ID)
		return false;
	if (node->type == JSON_STRING)
		return true;
	if (node->type == JSON_NUMBER) {
		cleanup_buf struct buf digits = BUF_INIT;

		return json_number_add_plain(node, &digits);
	}
	return false;
}

void mcp_id_add_key(struct buf *key, const struct json *node)
{
	if (node->type == JSON_NUMBER) {
		size_t start;

		buf_addc(key, 'n');
		start = key->len;
		(void)json_number_add_plain(node, key);
		if (key->len == start + 2 && key->data[start] == '-' &&
		    key->data[start + 1] == '0') {
			buf_truncate(key, start);
			buf_addc(key, '0');
		}
	} else if ((node->flags & JSON_LONE_SURROGATE) != 0) {
		/* Decoded, all lone surrogates look alike: tell them apart as they came. */
		buf_addc(key, 'r');
		buf_add(key, node->raw, node->raw_len);
	} else {
		buf_addc(key, 's');
		buf_add(key, node->str, node->len);
	}
}
