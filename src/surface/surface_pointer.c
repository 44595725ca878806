/* SPDX-License-Identifier: MIT */
/* JSON pointers with `*` for "every entry", what `drop`, `pick` and `rename` make of a value, and
 * values written so that they may leave. */
#include "surface/surface_result_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- values that may leave ---- */

void surface_write_value(struct json_writer *w, const struct json *node)
{
	if (!(node->flags & JSON_LONE_SURROGATE)) {
		json_write_node(w, node);
	} else if (node->type == JSON_ARRAY) {
		json_write_array_begin(w);
		json_foreach (item, node)
			surface_write_value(w, item);
		json_write_array_end(w);
	} else if (node->type == JSON_OBJECT) {
		json_write_object_begin(w);
		json_foreach_member (name, value, node) {
			json_write_key_len(w, name->str, name->len);
			surface_write_value(w, value);
		}
		json_write_object_end(w);
	} else {
		json_write_string_len(w, node->str, node->len);
	}
}

/* ---- tokens ---- */

bool surface_pointer_next(const char **pointer, struct pointer_token *token)
{
	const char *end;

	if (**pointer != '/')
		return false;
	token->text = *pointer + 1;
	end = strchr(token->text, '/');
	token->len = end == NULL ? strlen(token->text) : (size_t)(end - token->text);
	*pointer = token->text + token->len;
	return true;
}

bool surface_token_is(const struct pointer_token *token, const char *name, size_t len)
{
	size_t at = 0;

	for (size_t i = 0; i < token->len; i++, at++) {
		char c = token->text[i];

		if (c == '~' && i + 1 < token->len) {
			i++;
			c = token->text[i] == '1' ? '/' : '~';
		}
		if (at >= len || name[at] != c)
			return false;
	}
	return at == len;
}

bool surface_token_is_star(const struct pointer_token *token)
{
	return token->len == 1 && token->text[0] == '*';
}

bool surface_pointer_has_star(const char *pointer)
{
	struct pointer_token token;

	while (surface_pointer_next(&pointer, &token)) {
		if (surface_token_is_star(&token))
			return true;
	}
	return false;
}

/* The child a token names; index is its place when the parent is an array. */
static bool token_fits(const struct pointer_token *token, const struct json *name, size_t index)
{
	char digits[24];

	if (surface_token_is_star(token))
		return true;
	if (name != NULL)
		return surface_token_is(token, name->str, name->len);
	(void)snprintf(digits, sizeof(digits), "%zu", index);
	return surface_token_is(token, digits, strlen(digits));
}

void surface_pointer_each(const struct json *node, const char *pointer,
    void (*fn)(void *ctx, const struct json *node), void *ctx)
{
	struct pointer_token token;
	size_t index = 0;

	if (!surface_pointer_next(&pointer, &token)) {
		fn(ctx, node);
		return;
	}
	if (node->type == JSON_ARRAY) {
		json_foreach (item, node) {
			if (token_fits(&token, NULL, index++))
				surface_pointer_each(item, pointer, fn, ctx);
		}
	} else if (node->type == JSON_OBJECT) {
		json_foreach_member (name, value, node) {
			if (token_fits(&token, name, 0))
				surface_pointer_each(value, pointer, fn, ctx);
		}
	}
}

static const struct json *only_array(const struct json *node)
{
	const struct json *found = NULL;

	if (!json_is(node, JSON_OBJECT))
		return NULL;
	json_foreach_member (name, value, node) {
		if (value->type != JSON_ARRAY)
			continue;
		if (found != NULL)
			return NULL;
		found = value;
	}
	return found;
}

const struct json *surface_pointer_at(const struct json *node, const char *pointer)
{
	cleanup_free char *parent = NULL;
	size_t len = strlen(pointer);

	if (len < 2 || strcmp(pointer + len - 2, "/*") != 0)
		return json_pointer(node, pointer);
	parent = xmemdupz(pointer, len - 2);
	return only_array(json_pointer(node, parent));
}

/* ---- drop, pick, rename ---- */

/* The rests of pointers that still lead somewhere below the current value. */
struct rests {
	const char **items; /* owned */
	size_t len;
};

struct filter {
	struct rests drops;
	struct rests picks;
	bool is_picked; /* everything here is: no `pick`, or one led to this value or above */
};

static void rests_of(struct rests *rests, const struct strvec *pointers)
{
	rests->items = xcalloc(pointers->len + 1, sizeof(*rests->items));
	for (size_t i = 0; i < pointers->len; i++)
		rests->items[rests->len++] = pointers->items[i];
}

/* What remains of the rests inside a child; true when one of them ends there. */
static bool rests_into(
    const struct rests *rests, const struct json *name, size_t index, struct rests *ret_child)
{
	bool ends = false;

	ret_child->items = xcalloc(rests->len + 1, sizeof(*ret_child->items));
	ret_child->len = 0;
	for (size_t i = 0; i < rests->len; i++) {
		const char *rest = rests->items[i];
		struct pointer_token token;

		if (!surface_pointer_next(&rest, &token) || !token_fits(&token, name, index))
			continue;
		ends = ends || *rest == '\0';
		ret_child->items[ret_child->len++] = rest;
	}
	return ends;
}

static void filter_release(struct filter *filter)
{
	free(filter->drops.items);
	free(filter->picks.items);
}

static bool is_container(const struct json *node)
{
	return node->type == JSON_ARRAY || node->type == JSON_OBJECT;
}

/* False: the child goes. */
static bool filter_into(const struct filter *filter, const struct json *name, size_t index,
    const struct json *child, struct filter *ret_child)
{
	bool is_dropped = rests_into(&filter->drops, name, index, &ret_child->drops);
	bool is_picked = rests_into(&filter->picks, name, index, &ret_child->picks);

	ret_child->is_picked = filter->is_picked || is_picked;
	return !is_dropped &&
	       (ret_child->is_picked || (ret_child->picks.len > 0 && is_container(child)));
}

static void write_below(
    struct json_writer *w, const struct json *node, const struct filter *filter);

static void write_child(struct json_writer *w, const struct json *name, const char *as,
    size_t index, const struct json *value, const struct filter *filter)
{
	struct filter child = { 0 };

	if (filter_into(filter, name, index, value, &child)) {
		if (as != NULL)
			json_write_key(w, as);
		else if (name != NULL)
			json_write_key_len(w, name->str, name->len);
		write_below(w, value, &child);
	}
	filter_release(&child);
}

static void write_below(struct json_writer *w, const struct json *node, const struct filter *filter)
{
	size_t index = 0;

	if (!is_container(node) || (filter->drops.len == 0 && filter->is_picked)) {
		surface_write_value(w, node);
	} else if (node->type == JSON_ARRAY) {
		json_write_array_begin(w);
		json_foreach (item, node)
			write_child(w, NULL, NULL, index++, item, filter);
		json_write_array_end(w);
	} else {
		json_write_object_begin(w);
		json_foreach_member (name, value, node)
			write_child(w, name, NULL, 0, value, filter);
		json_write_object_end(w);
	}
}

bool surface_has_filter(const struct result *result)
{
	return result->drop.len > 0 || result->pick.len > 0 || result->rename != NULL;
}

/* The member of object that rename turns into `to`, other than `but`. */
static bool is_made_twice(
    const struct json *object, const struct json *rename, const struct json *to, const void *but)
{
	json_foreach_member (from, other, rename) {
		if (from != but && other->len == to->len &&
		    memcmp(other->str, to->str, to->len) == 0 &&
		    json_get_len(object, from->str, from->len) != NULL)
			return true;
	}
	return false;
}

/* A new name may not be there already, unless that member is renamed itself. */
int surface_check_renames(const struct json *object, const struct json *rename, struct err *err)
{
	if (rename == NULL || object->type != JSON_OBJECT)
		return 0;
	json_foreach_member (from, to, rename) {
		if (json_get_len(object, from->str, from->len) == NULL)
			continue;
		if ((json_get_len(object, to->str, to->len) != NULL &&
			json_get_len(rename, to->str, to->len) == NULL) ||
		    is_made_twice(object, rename, to, from))
			return err_set(err, ERR_BAD_OUTPUT,
			    "the output already has a member \"%s\", which rename would make",
			    to->str);
	}
	return 0;
}

/* rename is of the top level only, whose members are written here. */
static void write_renamed(struct json_writer *w, const struct json *object,
    const struct json *rename, const struct filter *filter)
{
	json_write_object_begin(w);
	json_foreach_member (name, value, object) {
		const struct json *to = json_get_len(rename, name->str, name->len);

		write_child(w, name, to == NULL ? NULL : to->str, 0, value, filter);
	}
	json_write_object_end(w);
}

void surface_write_filtered(
    struct json_writer *w, const struct json *node, const struct result *result)
{
	struct filter filter = { .is_picked = result->pick.len == 0 };

	rests_of(&filter.drops, &result->drop);
	rests_of(&filter.picks, &result->pick);
	if (node->type == JSON_OBJECT && result->rename != NULL)
		write_renamed(w, node, result->rename, &filter);
	else
		write_below(w, node, &filter);
	filter_release(&filter);
}
