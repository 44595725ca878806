/* SPDX-License-Identifier: MIT */
/*
 * From a JSON value to the compiled tree. One table of keywords: a row says where in the tree the
 * keyword's value goes and which function checks and puts it there.
 *
 * Rows stand in order of frequency; a surface's schemas are looked up in a handful of steps.
 */
#include "schema/schema.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "schema/schema_internal.h"

/* What a schema and each value of its JSON come to in the tree, about (measured on surfaces): a
 * good guess makes it one allocation that leaves little over. */
#define TREE_BYTES ((size_t)288)
#define VALUE_BYTES ((size_t)12)

struct compiler {
	struct schema *schema;
	const struct schema_options *options;
	const struct json **ret_where; /* or NULL */
	struct err *err;
};

/* The bundle a keyword belongs to; made when the first of them is met. */
enum bundle { IN_NODE, IN_NUMBER, IN_STRING, IN_ARRAY, IN_OBJECT, IN_PLACE };

struct keyword;

/* One keyword with its value, on the way into the tree. */
struct entry {
	const struct keyword *keyword;
	const struct json *value;
	const struct schema_step *step; /* of the value */
	struct schema_node *node;       /* which has the keyword */
	void *target;                   /* the field */
};

struct keyword {
	const char *name;
	size_t len;
	int (*compile)(struct compiler *c, const struct entry *entry);
	enum bundle bundle;
	size_t offset; /* of the field within the bundle */
};

static const struct schema_node *compile_schema(
    struct compiler *c, const struct json *json, const struct schema_step *step);

/* ---- errors ---- */

/* "<pointer>: <text>"; returns -1. */
static int PRINTF_LIKE(4, 5) complain(struct compiler *c, const struct json *where,
    const struct schema_step *step, const char *fmt, ...)
{
	cleanup_buf struct buf text = BUF_INIT;
	va_list args;

	schema_add_place(&text, step, SIZE_MAX);
	buf_adds(&text, ": ");
	va_start(args, fmt);
	buf_vaddf(&text, fmt, args);
	va_end(args);
	if (c->ret_where != NULL)
		*c->ret_where = where;
	return err_set(c->err, ERR_CONFIGURATION, "%s", text.data);
}

static int complain_type(struct compiler *c, const struct entry *entry, const char *wanted)
{
	return complain(c, entry->value, entry->step, "is of type %s, %s is wanted",
	    json_type_name(entry->value), wanted);
}

/* ---- values that are taken as they are ---- */

static int compile_any_value(struct compiler *c, const struct entry *entry)
{
	const struct json **field = entry->target;

	(void)c;
	*field = entry->value;
	return 0;
}

static int check_anything(struct compiler *c, const struct entry *entry)
{
	(void)c;
	(void)entry;
	return 0;
}

static int check_text(struct compiler *c, const struct entry *entry)
{
	return json_is(entry->value, JSON_STRING) ? 0 : complain_type(c, entry, "a string");
}

static int check_bool(struct compiler *c, const struct entry *entry)
{
	return json_is_bool(entry->value) ? 0 : complain_type(c, entry, "a boolean");
}

static int check_array(struct compiler *c, const struct entry *entry)
{
	return json_is(entry->value, JSON_ARRAY) ? 0 : complain_type(c, entry, "an array");
}

static int compile_flag(struct compiler *c, const struct entry *entry)
{
	bool *field = entry->target;

	*field = json_is(entry->value, JSON_TRUE);
	return check_bool(c, entry);
}

static int compile_enum(struct compiler *c, const struct entry *entry)
{
	if (check_array(c, entry) < 0)
		return -1;
	if (entry->value->len == 0)
		return complain(c, entry->value, entry->step, "is empty: nothing would fit");
	return compile_any_value(c, entry);
}

/* ---- numbers and counts ---- */

static int compile_bound(struct compiler *c, const struct entry *entry)
{
	if (!json_is(entry->value, JSON_NUMBER))
		return complain_type(c, entry, "a number");
	return compile_any_value(c, entry);
}

static int compile_multiple(struct compiler *c, const struct entry *entry)
{
	static const struct json zero = {
		.raw = "0", .raw_len = 1, .skip = 1, .type = JSON_NUMBER
	};

	if (compile_bound(c, entry) < 0)
		return -1;
	if (json_number_compare(entry->value, &zero) <= 0)
		return complain(c, entry->value, entry->step, "must be more than 0");
	return 0;
}

/* A count that is too large for any instance is as good as the largest. */
static int compile_count(struct compiler *c, const struct entry *entry)
{
	size_t *field = entry->target;
	int64_t count = 0;

	if (!json_number_is_integer(entry->value))
		return complain_type(c, entry, "a non-negative integer");
	if (!json_number_int64(entry->value, &count))
		count = entry->value->raw[0] == '-' ? -1 : INT64_MAX;
	if (count < 0)
		return complain(c, entry->value, entry->step, "must not be negative");
	*field = (size_t)count;
	return 0;
}

/* ---- type ---- */

static const struct type_name {
	const char *name;
	enum schema_type type;
} type_names[] = {
	{ "string", TYPE_STRING },
	{ "integer", TYPE_INTEGER },
	{ "boolean", TYPE_BOOLEAN },
	{ "array", TYPE_ARRAY },
	{ "object", TYPE_OBJECT },
	{ "number", TYPE_NUMBER },
	{ "null", TYPE_NULL },
};

static int add_type(
    struct compiler *c, const struct entry *entry, const struct json *name, uint8_t *types)
{
	for (size_t i = 0; i < ARRAY_LEN(type_names); i++) {
		if (!json_is_text(name, type_names[i].name))
			continue;
		if (*types & type_names[i].type)
			return complain(c, name, entry->step, "names %s twice", type_names[i].name);
		*types = (uint8_t)(*types | type_names[i].type);
		return 0;
	}
	return complain(c, name, entry->step,
	    "must be null, boolean, integer, number, string, array or object");
}

static int compile_type(struct compiler *c, const struct entry *entry)
{
	uint8_t *types = entry->target;

	if (!json_is(entry->value, JSON_ARRAY))
		return add_type(c, entry, entry->value, types);
	if (entry->value->len == 0)
		return complain(c, entry->value, entry->step, "names no type");
	json_foreach (name, entry->value) {
		if (add_type(c, entry, name, types) < 0)
			return -1;
	}
	return 0;
}

/* ---- regular expressions ---- */

static struct regex *compile_regex(
    struct compiler *c, const struct json *text, const struct schema_step *step)
{
	struct schema *schema = c->schema;
	struct regex *regex;

	if (json_text(text) == NULL) {
		(void)complain(c, text, step, "a pattern is a string without NUL");
		return NULL;
	}
	regex = regex_new(text->str);
	ARRAY_GROW(schema->regexes, schema->regexes_len, schema->regexes_cap);
	schema->regexes[schema->regexes_len++] = regex;
	if (c->options->check_patterns) {
		cleanup_err struct err why = ERR_INIT;

		if (regex_check(regex, &why) < 0) {
			(void)complain(c, text, step, "%s", why.message);
			return NULL;
		}
	}
	return regex;
}

static int compile_pattern(struct compiler *c, const struct entry *entry)
{
	struct string_rules *rules = entry->node->string;

	rules->pattern_text = entry->value;
	rules->pattern = compile_regex(c, entry->value, entry->step);
	return rules->pattern == NULL ? -1 : 0;
}

/* ---- lists of names ---- */

static int check_names(struct compiler *c, const struct json *names, const struct schema_step *step)
{
	if (!json_is(names, JSON_ARRAY))
		return complain(c, names, step, "must be an array of names");
	json_foreach (name, names) {
		if (!json_is(name, JSON_STRING))
			return complain(c, name, step, "holds something that is no name");
	}
	return 0;
}

static int compile_required(struct compiler *c, const struct entry *entry)
{
	size_t first = 0;
	size_t second = 0;

	if (check_names(c, entry->value, entry->step) < 0)
		return -1;
	if (schema_find_equal_items(entry->value, &first, &second))
		return complain(c, json_at(entry->value, second), entry->step, "has a name twice");
	return compile_any_value(c, entry);
}

static int check_object(struct compiler *c, const struct entry *entry)
{
	return json_is(entry->value, JSON_OBJECT) ? 0 : complain_type(c, entry, "an object");
}

static int compile_dependent_required(struct compiler *c, const struct entry *entry)
{
	if (check_object(c, entry) < 0)
		return -1;
	json_foreach_member (key, names, entry->value) {
		struct schema_step step = { .parent = entry->step, .key = key };

		if (check_names(c, names, &step) < 0)
			return -1;
	}
	return compile_any_value(c, entry);
}

/* ---- schemas within schemas ---- */

static int compile_child(struct compiler *c, const struct entry *entry)
{
	const struct schema_node **field = entry->target;

	*field = compile_schema(c, entry->value, entry->step);
	return *field == NULL ? -1 : 0;
}

static int compile_list(struct compiler *c, const struct entry *entry)
{
	struct schema_list *list = entry->target;

	if (check_array(c, entry) < 0)
		return -1;
	if (entry->value->len == 0)
		return complain(c, entry->value, entry->step, "is empty, a schema is wanted");
	list->nodes = arena_alloc(&c->schema->arena, entry->value->len, sizeof(*list->nodes));
	json_foreach (item, entry->value) {
		struct schema_step step = { .parent = entry->step, .index = list->len };

		list->nodes[list->len] = compile_schema(c, item, &step);
		if (list->nodes[list->len++] == NULL)
			return -1;
	}
	return 0;
}

static int compare_names(const char *a, size_t a_len, const char *b, size_t b_len)
{
	if (a_len != b_len)
		return a_len < b_len ? -1 : 1;
	return memcmp(a, b, a_len);
}

static int compare_properties(const void *a, const void *b)
{
	const struct property *left = a;
	const struct property *right = b;

	return compare_names(left->name->str, left->name->len, right->name->str, right->name->len);
}

const struct property *schema_find_property(
    const struct property_list *list, const char *name, size_t len)
{
	size_t low = 0;
	size_t high = list->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct property *property = &list->items[middle];
		int order = compare_names(name, len, property->name->str, property->name->len);

		if (order == 0)
			return property;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static int compile_properties(struct compiler *c, const struct entry *entry)
{
	struct property_list *list = entry->target;

	if (check_object(c, entry) < 0)
		return -1;
	list->items = arena_alloc(&c->schema->arena, entry->value->len, sizeof(*list->items));
	json_foreach_member (key, value, entry->value) {
		struct schema_step step = { .parent = entry->step, .key = key };
		struct property property = { key, compile_schema(c, value, &step) };

		if (property.schema == NULL)
			return -1;
		list->items[list->len++] = property;
	}
	if (list->len > 1)
		qsort(list->items, list->len, sizeof(*list->items), compare_properties);
	return 0;
}

static int compile_patterns(struct compiler *c, const struct entry *entry)
{
	struct pattern_list *list = entry->target;

	if (check_object(c, entry) < 0)
		return -1;
	list->items = arena_alloc(&c->schema->arena, entry->value->len, sizeof(*list->items));
	json_foreach_member (key, value, entry->value) {
		struct schema_step step = { .parent = entry->step, .key = key };
		struct pattern_property *item = &list->items[list->len++];

		item->regex = compile_regex(c, key, &step);
		if (item->regex == NULL)
			return -1;
		item->schema = compile_schema(c, value, &step);
		if (item->schema == NULL)
			return -1;
	}
	return 0;
}

/* ---- the table ---- */

#define NAME(text) .name = (text), .len = sizeof(text) - 1
#define NODE(field) .bundle = IN_NODE, .offset = offsetof(struct schema_node, field)
#define NUMBER(field) .bundle = IN_NUMBER, .offset = offsetof(struct number_rules, field)
#define STRING(field) .bundle = IN_STRING, .offset = offsetof(struct string_rules, field)
#define ARRAY(field) .bundle = IN_ARRAY, .offset = offsetof(struct array_rules, field)
#define OBJECT(field) .bundle = IN_OBJECT, .offset = offsetof(struct object_rules, field)
#define PLACE(field) .bundle = IN_PLACE, .offset = offsetof(struct place_rules, field)

static const struct keyword keywords[] = {
	{ NAME("type"), compile_type, NODE(types) },
	{ NAME("description"), check_text },
	{ NAME("default"), check_anything },
	{ NAME("enum"), compile_enum, NODE(values) },
	{ NAME("minimum"), compile_bound, NUMBER(minimum) },
	{ NAME("maximum"), compile_bound, NUMBER(maximum) },
	{ NAME("maxLength"), compile_count, STRING(max_length) },
	{ NAME("minLength"), compile_count, STRING(min_length) },
	{ NAME("pattern"), compile_pattern, STRING(pattern) },
	{ NAME("properties"), compile_properties, OBJECT(properties) },
	{ NAME("required"), compile_required, OBJECT(required) },
	{ NAME("additionalProperties"), compile_child, OBJECT(additional) },
	{ NAME("items"), compile_child, ARRAY(items) },
	{ NAME("title"), check_text },
	{ NAME("minItems"), compile_count, ARRAY(min_items) },
	{ NAME("maxItems"), compile_count, ARRAY(max_items) },
	{ NAME("uniqueItems"), compile_flag, ARRAY(is_unique) },
	{ NAME("const"), compile_any_value, NODE(value) },
	{ NAME("exclusiveMinimum"), compile_bound, NUMBER(exclusive_minimum) },
	{ NAME("exclusiveMaximum"), compile_bound, NUMBER(exclusive_maximum) },
	{ NAME("multipleOf"), compile_multiple, NUMBER(multiple_of) },
	{ NAME("minProperties"), compile_count, OBJECT(min_properties) },
	{ NAME("maxProperties"), compile_count, OBJECT(max_properties) },
	{ NAME("patternProperties"), compile_patterns, OBJECT(patterns) },
	{ NAME("propertyNames"), compile_child, OBJECT(names) },
	{ NAME("dependentRequired"), compile_dependent_required, OBJECT(dependent_required) },
	{ NAME("dependentSchemas"), compile_properties, OBJECT(dependent_schemas) },
	{ NAME("prefixItems"), compile_list, ARRAY(prefix) },
	{ NAME("contains"), compile_child, ARRAY(contains) },
	{ NAME("minContains"), compile_count, ARRAY(min_contains) },
	{ NAME("maxContains"), compile_count, ARRAY(max_contains) },
	{ NAME("allOf"), compile_list, PLACE(all) },
	{ NAME("anyOf"), compile_list, PLACE(any) },
	{ NAME("oneOf"), compile_list, PLACE(one) },
	{ NAME("not"), compile_child, PLACE(none) },
	{ NAME("if"), compile_child, PLACE(condition) },
	{ NAME("then"), compile_child, PLACE(consequence) },
	{ NAME("else"), compile_child, PLACE(alternative) },
	{ NAME("examples"), check_array },
	{ NAME("deprecated"), check_bool },
	{ NAME("readOnly"), check_bool },
	{ NAME("writeOnly"), check_bool },
	{ NAME("$comment"), check_text },
};

static const struct keyword *find_keyword(const struct json *key)
{
	for (size_t i = 0; i < ARRAY_LEN(keywords); i++) {
		if (keywords[i].len == key->len &&
		    memcmp(keywords[i].name, key->str, key->len) == 0)
			return &keywords[i];
	}
	return NULL;
}

/* ---- nodes ---- */

static void *number_rules_of(struct compiler *c, struct schema_node *node)
{
	if (node->number == NULL)
		node->number = arena_alloc(&c->schema->arena, 1, sizeof(*node->number));
	return node->number;
}

static void *string_rules_of(struct compiler *c, struct schema_node *node)
{
	if (node->string == NULL) {
		node->string = arena_alloc(&c->schema->arena, 1, sizeof(*node->string));
		node->string->max_length = SIZE_MAX;
	}
	return node->string;
}

static void *array_rules_of(struct compiler *c, struct schema_node *node)
{
	if (node->array == NULL) {
		node->array = arena_alloc(&c->schema->arena, 1, sizeof(*node->array));
		node->array->max_items = SIZE_MAX;
		node->array->min_contains = 1;
		node->array->max_contains = SIZE_MAX;
	}
	return node->array;
}

static void *object_rules_of(struct compiler *c, struct schema_node *node)
{
	if (node->object == NULL) {
		node->object = arena_alloc(&c->schema->arena, 1, sizeof(*node->object));
		node->object->max_properties = SIZE_MAX;
	}
	return node->object;
}

static void *place_rules_of(struct compiler *c, struct schema_node *node)
{
	if (node->place == NULL)
		node->place = arena_alloc(&c->schema->arena, 1, sizeof(*node->place));
	return node->place;
}

static void *bundle_of(struct compiler *c, struct schema_node *node, enum bundle bundle)
{
	switch (bundle) {
	case IN_NODE:
		return node;
	case IN_NUMBER:
		return number_rules_of(c, node);
	case IN_STRING:
		return string_rules_of(c, node);
	case IN_ARRAY:
		return array_rules_of(c, node);
	case IN_OBJECT:
		return object_rules_of(c, node);
	case IN_PLACE:
		return place_rules_of(c, node);
	}
	assert(false); /* no such bundle */
	return NULL;
}

static bool is_ignored(const struct compiler *c, const char *name)
{
	for (const char *const *at = c->options->ignore; at != NULL && *at != NULL; at++) {
		if (strcmp(*at, name) == 0)
			return true;
	}
	return false;
}

static int refuse_keyword(
    struct compiler *c, const struct json *key, const struct schema_step *step)
{
	size_t max = text_near_enough(key->len);
	const char *near = NULL;

	for (size_t i = 0; i < ARRAY_LEN(keywords); i++) {
		size_t distance =
		    text_distance(key->str, key->len, keywords[i].name, keywords[i].len, max);

		if (distance <= max) {
			near = keywords[i].name;
			max = distance > 0 ? distance - 1 : 0;
		}
	}
	if (near != NULL)
		return complain(
		    c, key, step, "is no keyword that may stand here; did you mean %s?", near);
	return complain(c, key, step, "is no keyword that may stand here");
}

/* Marks are the caller's words; two of them change what messages may say. */
static int take_mark(struct compiler *c, struct schema_node *node, const struct json *key,
    const struct schema_step *step)
{
	const struct json *value = json_next(key);
	const char *name = json_text(key);

	if (name == NULL || !is_ignored(c, name))
		return refuse_keyword(c, key, step);
	if (strcmp(name, "x-secret") == 0)
		node->is_secret = json_is(value, JSON_TRUE) || json_is_text(value, "argv");
	if (strcmp(name, "x-hidden") == 0)
		node->is_hidden = json_is(value, JSON_TRUE);
	return 0;
}

static int compile_keyword(struct compiler *c, struct schema_node *node, const struct json *key,
    const struct schema_step *parent)
{
	const struct keyword *keyword = find_keyword(key);
	struct schema_step step = { .parent = parent, .key = key };
	struct entry entry = { keyword, json_next(key), &step, node, NULL };

	if (keyword == NULL)
		return take_mark(c, node, key, &step);
	entry.target = (char *)bundle_of(c, node, keyword->bundle) + keyword->offset;
	return keyword->compile(c, &entry);
}

static struct schema_node *new_node(struct compiler *c, enum schema_kind kind)
{
	struct schema_node *node = arena_alloc(&c->schema->arena, 1, sizeof(*node));

	node->kind = (uint8_t)kind;
	return node;
}

/* Calls itself down the schema: its depth is bounded by the JSON reader. */
static const struct schema_node *compile_schema(
    struct compiler *c, const struct json *json, const struct schema_step *step)
{
	struct schema_node *node;

	if (json_is_bool(json))
		return new_node(c, json_is(json, JSON_TRUE) ? SCHEMA_ANY : SCHEMA_NOTHING);
	if (!json_is(json, JSON_OBJECT)) {
		(void)complain(c, json, step,
		    "is of type %s, a schema (an object or a boolean) is wanted",
		    json_type_name(json));
		return NULL;
	}
	node = new_node(c, SCHEMA_RULES);
	json_foreach_member (key, value, json) {
		if (compile_keyword(c, node, key, step) < 0)
			return NULL;
	}
	return node;
}

struct schema *schema_compile(const struct json *node, const struct schema_options *options,
    const struct json **ret_where, struct err *err)
{
	static const struct schema_options none = { 0 };
	cleanup_schema struct schema *schema = xcalloc(1, sizeof(*schema));
	struct compiler c = { schema, options != NULL ? options : &none, ret_where, err };
	struct schema_step root = SCHEMA_ROOT_STEP;

	schema->arena = ARENA_INIT_SIZE(TREE_BYTES + node->skip * VALUE_BYTES);
	schema->root = compile_schema(&c, node, &root);
	return schema->root != NULL ? steal_ptr(&schema) : NULL;
}

void schema_free(struct schema *schema)
{
	if (schema == NULL)
		return;
	for (size_t i = 0; i < schema->regexes_len; i++)
		regex_free(schema->regexes[i]);
	free(schema->regexes);
	arena_release(&schema->arena);
	free(schema);
}

void schema_cleanup(struct schema **schema)
{
	schema_free(*schema);
}
