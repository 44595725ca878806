/* SPDX-License-Identifier: MIT */
/* Where something stands: pointers made of steps, and which places are secret. */
#include "schema/schema_internal.h"

#include "base/text.h"

/* Of one name in a pointer; a peer's names can be megabytes long. */
#define NAME_MAX_BYTES 64

size_t schema_count_steps(const struct schema_step *step)
{
	size_t count = 0;

	for (; step->parent != NULL; step = step->parent)
		count++;
	return count;
}

static void add_name(struct buf *buf, const struct json *key)
{
	size_t len = text_cut(key->str, key->len, NAME_MAX_BYTES);

	json_pointer_add(buf, key->str, len);
	if (len < key->len)
		buf_adds(buf, "…");
}

/* Root first: calls itself up the chain, which is as long as the schema is deep. */
static void add_steps(struct buf *buf, const struct schema_step *step)
{
	if (step->parent == NULL)
		return;
	add_steps(buf, step->parent);
	if (step->key != NULL)
		add_name(buf, step->key);
	else
		buf_addf(buf, "/%zu", step->index);
}

void schema_add_pointer(struct buf *buf, const struct schema_step *step, size_t steps_max)
{
	for (size_t count = schema_count_steps(step); count > steps_max; count--)
		step = step->parent;
	add_steps(buf, step);
}

void schema_add_place(struct buf *buf, const struct schema_step *step, size_t steps_max)
{
	cleanup_buf struct buf pointer = BUF_INIT;

	schema_add_pointer(&pointer, step, steps_max);
	if (pointer.len == 0)
		buf_adds(buf, SCHEMA_ROOT_NAME);
	else
		text_add_visible(buf, pointer.data, pointer.len);
}

/* ---- secrets ---- */

/*
 * A place is secret when any schema that speaks for it, or for a place above it, says so; which
 * one of them found the fault does not matter. So the search goes down from the root along the
 * steps, through every schema that applies, whether in `allOf`, `not` or `if`.
 */
struct trail {
	const struct schema_step **steps; /* below the root, in order */
	size_t len;
	size_t first; /* the first secret place so far: steps that lead there; above len: none */
};

static void search_node(struct trail *t, const struct schema_node *node, size_t at);

static void search(struct trail *t, const struct schema_node *node, size_t at)
{
	if (node != NULL && at < t->first)
		search_node(t, node, at);
}

static void search_list(struct trail *t, const struct schema_list *list, size_t at)
{
	for (size_t i = 0; i < list->len; i++)
		search(t, list->nodes[i], at);
}

static void search_place(struct trail *t, const struct place_rules *place, size_t at)
{
	search_list(t, &place->all, at);
	search_list(t, &place->any, at);
	search_list(t, &place->one, at);
	search(t, place->none, at);
	search(t, place->condition, at);
	search(t, place->consequence, at);
	search(t, place->alternative, at);
}

static void search_member(
    struct trail *t, const struct object_rules *rules, const struct json *key, size_t at)
{
	const struct property *property =
	    schema_find_property(&rules->properties, key->str, key->len);
	bool is_known = property != NULL;

	if (is_known)
		search(t, property->schema, at);
	for (size_t i = 0; i < rules->patterns.len; i++) {
		bool failed = false;

		if (regex_search(
			rules->patterns.items[i].regex, key->str, key->len, 0, NULL, &failed) ||
		    failed) {
			is_known = true;
			search(t, rules->patterns.items[i].schema, at);
		}
	}
	if (!is_known)
		search(t, rules->additional, at);
}

static void search_item(struct trail *t, const struct array_rules *rules, size_t index, size_t at)
{
	if (index < rules->prefix.len)
		search(t, rules->prefix.nodes[index], at);
	else
		search(t, rules->items, at);
	search(t, rules->contains, at);
}

static void search_node(struct trail *t, const struct schema_node *node, size_t at)
{
	const struct schema_step *step = at < t->len ? t->steps[at] : NULL;

	if (node->is_secret) {
		t->first = at;
		return;
	}
	if (node->place != NULL)
		search_place(t, node->place, at);
	if (node->object != NULL) {
		for (size_t i = 0; i < node->object->dependent_schemas.len; i++)
			search(t, node->object->dependent_schemas.items[i].schema, at);
		if (step != NULL && step->key != NULL)
			search_member(t, node->object, step->key, at + 1);
	}
	if (node->array != NULL && step != NULL && step->key == NULL)
		search_item(t, node->array, step->index, at + 1);
}

size_t schema_visible_steps(
    const struct schema_node *root, const struct schema_step *step, bool *ret_is_secret)
{
	size_t len = schema_count_steps(step);
	cleanup_free const struct schema_step **steps = xcalloc(len + 1, sizeof(*steps));
	struct trail trail = { steps, len, len + 1 };

	for (size_t at = len; at > 0; at--, step = step->parent)
		steps[at - 1] = step;
	search(&trail, root, 0);
	*ret_is_secret = trail.first <= len;
	return *ret_is_secret ? trail.first : len;
}
