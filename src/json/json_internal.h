/* SPDX-License-Identifier: MIT */
#ifndef JSON_JSON_INTERNAL_H
#define JSON_JSON_INTERNAL_H

/* What the files of this room share. */

#include "json/json.h"

/* Objects of up to this many members are searched pair by pair; larger ones are sorted first, so
 * that nobody can make us spend quadratic time. */
#define JSON_FEW_MEMBERS 16

/* The order of two strings' decoded bytes: negative, 0 or positive. */
int json_compare_strings(const struct json *a, const struct json *b);

static inline bool json_same_string(const struct json *a, const struct json *b)
{
	return a->len == b->len && __builtin_memcmp(a->str, b->str, a->len) == 0;
}

/* The object's keys (len of them) in the order of their decoded bytes; equal ones in the order of
 * the text. The array is the caller's to free(). */
const struct json **json_sorted_keys(const struct json *object) MUST_CHECK;

#endif
