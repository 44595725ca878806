/* SPDX-License-Identifier: MIT */
/* The marks of input schemas (x-secret, x-no-dash) are found by walking schema and value together.
 * One walk serves all marks, and it errs towards finding too many: a mark in a branch that did not
 * validate the value still counts. */
#include "surface/surface_internal.h"

#include <string.h>

struct walk {
	struct buf *pointer;
	surface_mark_fn fn;
	void *ctx;
};

static int walk(const struct walk *w, const struct json *schema, const struct json *value);

/* One step down: the child's name or index joins the pointer for the time of the visit. */
static int walk_child(const struct walk *w, const struct json *schema, const struct json *value,
    const char *name, size_t len)
{
	size_t before = w->pointer->len;
	int result;

	json_pointer_add(w->pointer, name, len);
	result = walk(w, schema, value);
	buf_truncate(w->pointer, before);
	return result;
}

static bool name_matches(const struct json *pattern, const struct json *name)
{
	cleanup_regex struct regex *regex = regex_new(pattern->str);
	bool failed = false;

	return regex_search(regex, name->str, name->len, 0, NULL, &failed) || failed;
}

static int walk_member(const struct walk *w, const struct json *schema, const struct json *name,
    const struct json *value)
{
	const struct json *child =
	    json_get_len(json_get(schema, "properties"), name->str, name->len);
	const struct json *patterns = json_get(schema, "patternProperties");
	bool is_known = child != NULL;
	int result = child == NULL ? 0 : walk_child(w, child, value, name->str, name->len);

	if (json_is(patterns, JSON_OBJECT)) {
		json_foreach_member (pattern, subschema, patterns) {
			if (result != 0 || !name_matches(pattern, name))
				continue;
			is_known = true;
			result = walk_child(w, subschema, value, name->str, name->len);
		}
	}
	child = json_get(schema, "additionalProperties");
	if (result == 0 && !is_known && child != NULL)
		result = walk_child(w, child, value, name->str, name->len);
	return result;
}

static int walk_items(const struct walk *w, const struct json *schema, const struct json *array)
{
	const struct json *prefix = json_get(schema, "prefixItems");
	const struct json *items = json_get(schema, "items");
	const struct json *contains = json_get(schema, "contains");
	size_t index = 0;

	json_foreach (item, array) {
		const struct json *own =
		    json_is(prefix, JSON_ARRAY) ? json_at(prefix, index) : NULL;
		const struct json *schemas[] = { own != NULL ? own : items, contains };
		char name[24];
		int len = snprintf(name, sizeof(name), "%zu", index++);

		for (size_t i = 0; i < ARRAY_LEN(schemas); i++) {
			int result = schemas[i] == NULL
					 ? 0
					 : walk_child(w, schemas[i], item, name, (size_t)len);

			if (result != 0)
				return result;
		}
	}
	return 0;
}

/* Subschemas that look at the same value. */
static int walk_combinators(
    const struct walk *w, const struct json *schema, const struct json *value)
{
	static const char *const lists[] = { "allOf", "anyOf", "oneOf" };
	static const char *const singles[] = { "if", "then", "else", "not" };
	const struct json *dependent = json_get(schema, "dependentSchemas");
	int result = 0;

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		const struct json *list = json_get(schema, lists[i]);

		if (!json_is(list, JSON_ARRAY))
			continue;
		json_foreach (subschema, list) {
			if (result == 0)
				result = walk(w, subschema, value);
		}
	}
	for (size_t i = 0; result == 0 && i < ARRAY_LEN(singles); i++)
		result = walk(w, json_get(schema, singles[i]), value);
	if (json_is(dependent, JSON_OBJECT)) {
		json_foreach_member (name, subschema, dependent) {
			if (result == 0)
				result = walk(w, subschema, value);
		}
	}
	return result;
}

static int walk(const struct walk *w, const struct json *schema, const struct json *value)
{
	int result;

	if (!json_is(schema, JSON_OBJECT))
		return 0;
	result = w->fn(w->ctx, schema, value, w->pointer);
	if (result == 0)
		result = walk_combinators(w, schema, value);
	if (result == 0 && value->type == JSON_ARRAY)
		result = walk_items(w, schema, value);
	if (result == 0 && value->type == JSON_OBJECT) {
		json_foreach_member (name, member, value) {
			if (result == 0)
				result = walk_member(w, schema, name, member);
		}
	}
	return result;
}

int surface_walk_marks(const struct json *schema, const struct json *value, struct buf *pointer,
    surface_mark_fn fn, void *ctx)
{
	struct walk w = { .pointer = pointer, .fn = fn, .ctx = ctx };

	return walk(&w, schema, value);
}

/* ---- x-secret ---- */

struct secret_sink {
	void (*fn)(void *ctx, const char *data, size_t len);
	void *ctx;
};

/* Of NAME=value the program may repeat the value alone. */
static void give_string(const struct secret_sink *sink, const struct json *string)
{
	const char *equals = string->len > 0 ? memchr(string->str, '=', string->len) : NULL;

	sink->fn(sink->ctx, string->str, string->len);
	if (equals != NULL && equals > string->str)
		sink->fn(sink->ctx, equals + 1, (size_t)(string->str + string->len - equals - 1));
}

/* Everything below the mark is secret, numbers (a PIN) included. */
static void give_scalars(const struct secret_sink *sink, const struct json *value)
{
	if (value->type == JSON_STRING) {
		give_string(sink, value);
	} else if (value->type == JSON_NUMBER) {
		sink->fn(sink->ctx, value->raw, value->raw_len);
	} else if (value->type == JSON_ARRAY) {
		json_foreach (item, value)
			give_scalars(sink, item);
	} else if (value->type == JSON_OBJECT) {
		json_foreach_member (name, member, value)
			give_scalars(sink, member);
	}
}

static bool is_secret(const struct json *schema)
{
	const struct json *mark = json_get(schema, "x-secret");

	return json_is(mark, JSON_TRUE) || json_is_text(mark, "argv");
}

static int give_secret(
    void *ctx, const struct json *schema, const struct json *value, const struct buf *pointer)
{
	(void)pointer;
	if (is_secret(schema))
		give_scalars(ctx, value);
	return 0;
}

void surface_each_secret(const struct tool *tool, const struct json *arguments,
    void (*fn)(void *ctx, const char *data, size_t len), void *ctx)
{
	const struct surface_tool_internal *in = tool->in;
	cleanup_buf struct buf pointer = BUF_INIT;
	struct secret_sink sink = { .fn = fn, .ctx = ctx };

	for (size_t i = 0; i < in->inputs_len; i++) {
		const struct json *value = surface_input_value(in, arguments, (int)i);

		if (in->inputs[i].is_secret && value != NULL)
			(void)surface_walk_marks(
			    in->inputs[i].schema, value, &pointer, give_secret, &sink);
	}
}
