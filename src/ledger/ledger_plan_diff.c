/* SPDX-License-Identifier: MIT */
/* Where two sets of facts differ: both in canonical form, walked side by side. */
#include "ledger/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plan_differences_release(struct plan_differences *differences)
{
	for (size_t i = 0; i < differences->len; i++) {
		free(differences->items[i].pointer);
		free(differences->items[i].before);
		free(differences->items[i].after);
	}
	free(differences->items);
	*differences = PLAN_DIFFERENCES_INIT;
}

static char *raw_text(const struct json *node)
{
	return node == NULL ? NULL : xmemdupz(node->raw, node->raw_len);
}

static void add(struct plan_differences *list, const char *pointer, const struct json *before,
    const struct json *after)
{
	ARRAY_GROW(list->items, list->len, list->cap);
	list->items[list->len++] = (struct plan_difference){
		.pointer = xstrdup(pointer),
		.before = raw_text(before),
		.after = raw_text(after),
	};
}

static void compare(struct plan_differences *list, struct buf *pointer, const struct json *before,
    const struct json *after);

static void compare_member(struct plan_differences *list, struct buf *pointer, const char *name,
    size_t len, const struct json *before, const struct json *after)
{
	size_t at = pointer->len;

	json_pointer_add(pointer, name, len);
	compare(list, pointer, before, after);
	buf_truncate(pointer, at);
}

static void compare_objects(struct plan_differences *list, struct buf *pointer,
    const struct json *before, const struct json *after)
{
	json_foreach_member (key, value, before)
		compare_member(list, pointer, key->str, key->len, value,
		    json_get_len(after, key->str, key->len));
	json_foreach_member (name, added, after) {
		if (json_get_len(before, name->str, name->len) == NULL)
			compare_member(list, pointer, name->str, name->len, NULL, added);
	}
}

/* Item by item while there are as many; else as a whole, for the rest would have moved. */
static void compare_arrays(struct plan_differences *list, struct buf *pointer,
    const struct json *before, const struct json *after)
{
	const struct json *other = json_begin(after);
	size_t index = 0;

	json_foreach (item, before) {
		char name[24];
		int len = snprintf(name, sizeof(name), "%zu", index++);

		compare_member(list, pointer, name, (size_t)len, item, other);
		other = json_next(other);
	}
}

/* Either may be NULL: not there. The nesting is bounded by the reader. */
static void compare(struct plan_differences *list, struct buf *pointer, const struct json *before,
    const struct json *after)
{
	if (before != NULL && after != NULL && before->raw_len == after->raw_len &&
	    memcmp(before->raw, after->raw, before->raw_len) == 0)
		return;
	if (json_is(before, JSON_OBJECT) && json_is(after, JSON_OBJECT))
		compare_objects(list, pointer, before, after);
	else if (json_is(before, JSON_ARRAY) && json_is(after, JSON_ARRAY) &&
		 before->len == after->len)
		compare_arrays(list, pointer, before, after);
	else
		add(list, pointer->data, before, after);
}

int plan_facts_diff(const struct plan_facts *before, const struct plan_facts *after,
    struct plan_differences *ret_differences, struct err *err)
{
	cleanup_buf struct buf left = BUF_INIT;
	cleanup_buf struct buf right = BUF_INIT;
	cleanup_buf struct buf pointer = BUF_INIT;
	cleanup_json struct json_doc left_doc = JSON_DOC_INIT;
	cleanup_json struct json_doc right_doc = JSON_DOC_INIT;

	if (plan_facts_write(before, &left, err) < 0 || plan_facts_write(after, &right, err) < 0 ||
	    json_read(&left_doc, left.data, left.len, err) < 0 ||
	    json_read(&right_doc, right.data, right.len, err) < 0)
		return -1;
	compare(ret_differences, &pointer, json_root(&left_doc), json_root(&right_doc));
	return 0;
}

void plan_differences_write(const struct plan_differences *differences, struct json_writer *w)
{
	json_write_array_begin(w);
	for (size_t i = 0; i < differences->len; i++) {
		const struct plan_difference *item = &differences->items[i];

		json_write_object_begin(w);
		json_write_member_string(w, "pointer", item->pointer);
		if (item->before != NULL)
			json_write_member_raw(w, "before", item->before);
		if (item->after != NULL)
			json_write_member_raw(w, "after", item->after);
		json_write_object_end(w);
	}
	json_write_array_end(w);
}
