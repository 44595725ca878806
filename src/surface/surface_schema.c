/* SPDX-License-Identifier: MIT */
/*
 * The narrow JSON Schema that inputs and outputs are written in (section 4): checked keyword by
 * keyword, written closed at every level, once as clients see it and once as we validate it.
 */
#include "surface/surface_loader.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

/* What stands below a keyword. */
enum child {
	CHILD_NONE,
	CHILD_VALUE,     /* a schema of a value below: closed */
	CHILD_VALUES,    /* an array of such */
	CHILD_VALUE_MAP, /* name → such */
	CHILD_SAME,      /* a schema of the same value: left open */
	CHILD_SAMES,
	CHILD_SAME_MAP
};

/* Which values a keyword is about. */
enum about { ABOUT_ANY, ABOUT_STRING, ABOUT_NUMBER, ABOUT_ARRAY, ABOUT_OBJECT };

static const struct keyword {
	const char *name;
	enum about about;
	enum child child;
} keywords[] = {
	{ "type", ABOUT_ANY, CHILD_NONE },
	{ "description", ABOUT_ANY, CHILD_NONE },
	{ "enum", ABOUT_ANY, CHILD_NONE },
	{ "default", ABOUT_ANY, CHILD_NONE },
	{ "const", ABOUT_ANY, CHILD_NONE },
	{ "title", ABOUT_ANY, CHILD_NONE },
	{ "examples", ABOUT_ANY, CHILD_NONE },
	{ "deprecated", ABOUT_ANY, CHILD_NONE },
	{ "minLength", ABOUT_STRING, CHILD_NONE },
	{ "maxLength", ABOUT_STRING, CHILD_NONE },
	{ "pattern", ABOUT_STRING, CHILD_NONE },
	{ "minimum", ABOUT_NUMBER, CHILD_NONE },
	{ "maximum", ABOUT_NUMBER, CHILD_NONE },
	{ "exclusiveMinimum", ABOUT_NUMBER, CHILD_NONE },
	{ "exclusiveMaximum", ABOUT_NUMBER, CHILD_NONE },
	{ "multipleOf", ABOUT_NUMBER, CHILD_NONE },
	{ "items", ABOUT_ARRAY, CHILD_VALUE },
	{ "prefixItems", ABOUT_ARRAY, CHILD_VALUES },
	{ "contains", ABOUT_ARRAY, CHILD_SAME },
	{ "minContains", ABOUT_ARRAY, CHILD_NONE },
	{ "maxContains", ABOUT_ARRAY, CHILD_NONE },
	{ "minItems", ABOUT_ARRAY, CHILD_NONE },
	{ "maxItems", ABOUT_ARRAY, CHILD_NONE },
	{ "uniqueItems", ABOUT_ARRAY, CHILD_NONE },
	{ "properties", ABOUT_OBJECT, CHILD_VALUE_MAP },
	{ "required", ABOUT_OBJECT, CHILD_NONE },
	{ "additionalProperties", ABOUT_OBJECT, CHILD_VALUE },
	{ "patternProperties", ABOUT_OBJECT, CHILD_VALUE_MAP },
	{ "propertyNames", ABOUT_OBJECT, CHILD_SAME },
	{ "minProperties", ABOUT_OBJECT, CHILD_NONE },
	{ "maxProperties", ABOUT_OBJECT, CHILD_NONE },
	{ "dependentRequired", ABOUT_OBJECT, CHILD_NONE },
	{ "dependentSchemas", ABOUT_OBJECT, CHILD_SAME_MAP },
	{ "allOf", ABOUT_ANY, CHILD_SAMES },
	{ "anyOf", ABOUT_ANY, CHILD_SAMES },
	{ "oneOf", ABOUT_ANY, CHILD_SAMES },
	{ "not", ABOUT_ANY, CHILD_SAME },
	{ "if", ABOUT_ANY, CHILD_SAME },
	{ "then", ABOUT_ANY, CHILD_SAME },
	{ "else", ABOUT_ANY, CHILD_SAME },
};

const char *const loader_marks[] = { "x-secret", "x-absent", "x-no-dash", "x-path", "x-hidden",
	NULL };

static const struct keyword *find_keyword(const struct json *key)
{
	for (size_t i = 0; i < ARRAY_LEN(keywords); i++) {
		if (keywords[i].name[0] == key->str[0] && json_is_text(key, keywords[i].name))
			return &keywords[i];
	}
	return NULL;
}

static bool is_mark(const struct json *key)
{
	return key->len > 2 && key->str[0] == 'x' && key->str[1] == '-';
}

bool loader_schema_is(const struct json *schema, const char *type)
{
	const struct json *types = json_get(schema, "type");

	if (json_is(types, JSON_ARRAY)) {
		json_foreach (item, types) {
			if (json_is_text(item, type))
				return true;
		}
	}
	return json_is_text(types, type);
}

/* ---- checks ---- */

/* What a schema is the schema of; decides what it must have and which marks it may have. */
enum role {
	ROLE_INPUT,    /* an input itself */
	ROLE_PROPERTY, /* a property further down */
	ROLE_ITEM,     /* items of an input */
	ROLE_VALUE,    /* another value below */
	ROLE_SAME      /* a combinator's branch */
};

static void check_schema(struct loader *l, const struct json *node, enum role role);

static bool has_number_type(const struct json *node)
{
	return loader_schema_is(node, "integer") || loader_schema_is(node, "number");
}

static bool fits_type(const struct json *node, enum about about)
{
	switch (about) {
	case ABOUT_STRING:
		return loader_schema_is(node, "string");
	case ABOUT_NUMBER:
		return has_number_type(node);
	case ABOUT_ARRAY:
		return loader_schema_is(node, "array");
	case ABOUT_OBJECT:
		return loader_schema_is(node, "object");
	case ABOUT_ANY:
		break;
	}
	return true;
}

static void check_type(struct loader *l, const struct json *node, enum role role)
{
	static const char *const types[] = { "string", "integer", "number", "boolean", "array",
		"object", NULL };
	const struct json *type = json_get(node, "type");

	if (type == NULL) {
		if (role != ROLE_SAME && json_get(node, "enum") == NULL)
			loader_error(l, node, "has neither \"type\" nor \"enum\"");
		return;
	}
	if (type->type != JSON_ARRAY) {
		(void)loader_choice(l, type, types);
		return;
	}
	if (role == ROLE_INPUT || type->len != 2 || !json_is_text(json_at(type, 1), "null"))
		loader_error(
		    l, type, "an input has one type; below it [TYPE, 'null'] is allowed as well");
	else
		(void)loader_choice(l, json_at(type, 0), types);
}

static void check_text(struct loader *l, const struct json *node, enum role role)
{
	const struct json *description = json_get(node, "description");

	if (description != NULL)
		(void)loader_prose(l, description, 2000, 4000, true);
	else if (role == ROLE_INPUT || role == ROLE_PROPERTY)
		loader_error(l, node, "has no \"description\"");
}

static void check_enum(struct loader *l, const struct json *choices)
{
	if (!loader_is_array(l, choices, "\"enum\""))
		return;
	if (choices->len == 0)
		loader_error(l, choices, "\"enum\" is empty");
	json_foreach (choice, choices) {
		if (choice->type == JSON_ARRAY || choice->type == JSON_OBJECT)
			loader_error(l, choice, "\"enum\" holds scalars only");
	}
}

static void check_required(struct loader *l, const struct json *node)
{
	const struct json *names = json_get(node, "required");

	if (!json_is(names, JSON_ARRAY) ||
	    json_is(json_get(node, "additionalProperties"), JSON_OBJECT))
		return;
	json_foreach (name, names) {
		if (name->type == JSON_STRING &&
		    json_get_len(json_get(node, "properties"), name->str, name->len) == NULL)
			loader_error(l, name, "\"required\" names no property");
	}
}

/* Any member whatever: for the tools that take the arguments of others. */
static bool is_open(const struct loader *l, const struct json *more)
{
	return more->type == JSON_TRUE && l->surface->is_builtin;
}

static void check_shape(struct loader *l, const struct json *node)
{
	const struct json *more = json_get(node, "additionalProperties");

	if (loader_schema_is(node, "array") && !json_is(json_get(node, "items"), JSON_OBJECT))
		loader_error(l, node, "an array has \"items\", a schema");
	if (more != NULL && more->type != JSON_FALSE && !is_open(l, more) &&
	    !(more->type == JSON_OBJECT && more->len > 0))
		loader_error(l, more,
		    "objects are closed: \"additionalProperties\" is false or a schema with a "
		    "type");
	if (json_get(node, "enum") != NULL)
		check_enum(l, json_get(node, "enum"));
}

static void check_mark(
    struct loader *l, const struct json *node, const struct json *key, enum role role)
{
	static const char *const paths[] = { "read", "write", "dir", NULL };
	const struct json *value = json_next(key);
	bool is_string = loader_schema_is(node, "string");

	if (json_is_text(key, "x-secret")) {
		if (value->type != JSON_TRUE && !json_is_text(value, "argv"))
			loader_error(l, value, "x-secret is true or argv");
	} else if (json_is_text(key, "x-absent")) {
		if (role != ROLE_INPUT)
			loader_error(l, key, "x-absent stands on inputs only");
		if (value->type != JSON_ARRAY || value->len == 0)
			loader_error(l, value, "x-absent is a list of values");
	} else if (json_is_text(key, "x-hidden")) {
		if (role != ROLE_INPUT || value->type != JSON_TRUE)
			loader_error(l, key, "x-hidden is true, and stands on inputs only");
	} else if (json_is_text(key, "x-no-dash")) {
		if (!is_string || value->type != JSON_TRUE)
			loader_error(l, key, "x-no-dash is true, and stands on strings only");
	} else if (json_is_text(key, "x-path")) {
		if (!is_string || (role != ROLE_INPUT && role != ROLE_ITEM))
			loader_error(
			    l, key, "x-path stands on an input that is a string, or on its items");
		(void)loader_choice(l, value, paths);
	} else {
		loader_error(l, key, "there is no mark \"%s\"", key->str);
	}
}

static enum role role_below(enum child child, const struct json *key, enum role role)
{
	if (child >= CHILD_SAME)
		return ROLE_SAME;
	if (json_is_text(key, "properties"))
		return ROLE_PROPERTY;
	return role == ROLE_INPUT && json_is_text(key, "items") ? ROLE_ITEM : ROLE_VALUE;
}

static void check_children(
    struct loader *l, const struct json *key, enum child child, enum role role)
{
	const struct json *value = json_next(key);
	enum role below = role_below(child, key, role);
	bool is_map = child == CHILD_VALUE_MAP || child == CHILD_SAME_MAP;
	bool is_list = child == CHILD_VALUES || child == CHILD_SAMES;

	if (is_map && loader_is_object(l, value, key->str)) {
		json_foreach_member (name, schema, value)
			check_schema(l, schema, below);
	} else if (is_list && loader_is_array(l, value, key->str)) {
		json_foreach (schema, value)
			check_schema(l, schema, below);
	} else if (!is_map && !is_list && value->type != JSON_FALSE && !is_open(l, value)) {
		check_schema(l, value, below);
	}
}

static void check_keyword(
    struct loader *l, const struct json *node, const struct json *key, enum role role)
{
	const struct keyword *keyword = find_keyword(key);

	if (keyword == NULL) {
		cleanup_buf struct buf shown = BUF_INIT;

		text_add_visible(&shown, key->str, text_cut(key->str, key->len, 60));
		loader_error(
		    l, key, "the schema keyword \"%s\" is not part of the language", shown.data);
		return;
	}
	if (role != ROLE_SAME && !fits_type(node, keyword->about)) {
		loader_error(l, key, "\"%s\" does not fit the type", keyword->name);
		return;
	}
	if (keyword->child != CHILD_NONE)
		check_children(l, key, keyword->child, role);
}

static void check_schema(struct loader *l, const struct json *node, enum role role)
{
	if (loader_is_full(l) || !loader_is_object(l, node, "a schema"))
		return;
	check_type(l, node, role);
	check_text(l, node, role);
	check_shape(l, node);
	check_required(l, node);
	json_foreach_member (key, value, node) {
		if (is_mark(key))
			check_mark(l, node, key, role);
		else
			check_keyword(l, node, key, role);
	}
}

/* Patterns, numbers, and the default against the schema itself. */
static void check_compiled(struct loader *l, const struct json *node)
{
	cleanup_err struct err err = ERR_INIT;
	const struct json *where = NULL;
	const struct json *fallback = json_get(node, "default");
	struct schema_options options = { .ignore = loader_marks, .check_patterns = true };
	cleanup_schema struct schema *schema = schema_compile(node, &options, &where, &err);

	if (schema == NULL)
		loader_error(l, where != NULL ? where : node, "%s", err.message);
	else if (fallback != NULL && !schema_accepts(schema, fallback))
		loader_error(l, fallback, "the default does not fit its own schema");
}

void loader_check_schema(struct loader *l, const struct json *property)
{
	size_t before = l->faults;

	check_schema(l, property, ROLE_INPUT);
	if (l->faults == before)
		check_compiled(l, property);
}

/* ---- marks ---- */

enum secret_mark loader_own_secret_mark(const struct json *schema)
{
	const struct json *mark = json_get(schema, "x-secret");

	if (mark == NULL)
		return SECRET_NONE;
	return json_is_text(mark, "argv") ? SECRET_ARGV : SECRET_TRUE;
}

static enum secret_mark stronger(enum secret_mark a, enum secret_mark b)
{
	return a > b ? a : b;
}

enum secret_mark loader_secret_mark(const struct json *schema)
{
	enum secret_mark strongest = loader_own_secret_mark(schema);

	if (!json_is(schema, JSON_OBJECT))
		return SECRET_NONE;
	json_foreach_member (key, value, schema) {
		const struct keyword *keyword = NULL;

		if (value->type == JSON_OBJECT || value->type == JSON_ARRAY)
			keyword = find_keyword(key);
		if (keyword == NULL || keyword->child == CHILD_NONE)
			continue;
		if (keyword->child == CHILD_VALUE || keyword->child == CHILD_SAME) {
			strongest = stronger(strongest, loader_secret_mark(value));
			continue;
		}
		if (value->type == JSON_ARRAY) {
			json_foreach (item, value)
				strongest = stronger(strongest, loader_secret_mark(item));
			continue;
		}
		json_foreach_member (name, member, value)
			strongest = stronger(strongest, loader_secret_mark(member));
	}
	return strongest;
}

/* ---- writing ---- */

static void write_schema(
    struct json_writer *w, const struct json *schema, bool for_clients, bool is_closed);

static void write_children(
    struct json_writer *w, const struct json *value, enum child child, bool for_clients)
{
	bool is_closed = child < CHILD_SAME;

	if (child == CHILD_VALUE || child == CHILD_SAME) {
		write_schema(w, value, for_clients, is_closed);
	} else if (value->type == JSON_ARRAY) {
		json_write_array_begin(w);
		json_foreach (item, value)
			write_schema(w, item, for_clients, is_closed);
		json_write_array_end(w);
	} else {
		json_write_object_begin(w);
		json_foreach_member (name, member, value) {
			json_write_key_len(w, name->str, name->len);
			write_schema(w, member, for_clients, is_closed);
		}
		json_write_object_end(w);
	}
}

static bool is_left_out(const struct json *key, bool for_clients)
{
	return for_clients ? is_mark(key) : json_is_text(key, "description");
}

/* Nothing to leave out and nothing to close: the text goes on as it stands, which is compact. Most
 * schemas are like this, and start-up writes them all. */
static bool is_ready(const struct json *schema, bool for_clients)
{
	return for_clients && memmem(schema->raw, schema->raw_len, "\"x-", 3) == NULL &&
	       memmem(schema->raw, schema->raw_len, "\"object\"", 8) == NULL;
}

static void write_schema(
    struct json_writer *w, const struct json *schema, bool for_clients, bool is_closed)
{
	if (schema->type != JSON_OBJECT || is_ready(schema, for_clients)) {
		json_write_raw(w, schema->raw, schema->raw_len);
		return;
	}
	json_write_object_begin(w);
	json_foreach_member (key, value, schema) {
		const struct keyword *keyword = NULL;

		if (is_left_out(key, for_clients))
			continue;
		json_write_key_len(w, key->str, key->len);
		if (value->type == JSON_OBJECT || value->type == JSON_ARRAY)
			keyword = find_keyword(key);
		if (keyword != NULL && keyword->child != CHILD_NONE)
			write_children(w, value, keyword->child, for_clients);
		else
			json_write_node(w, value);
	}
	if (is_closed && loader_schema_is(schema, "object") &&
	    json_get(schema, "additionalProperties") == NULL)
		json_write_member_bool(w, "additionalProperties", false);
	json_write_object_end(w);
}

void loader_write_schema(struct json_writer *w, const struct json *schema, bool for_clients)
{
	write_schema(w, schema, for_clients, true);
}

static void write_required(struct json_writer *w, const struct surface_tool_internal *in)
{
	bool has_any = false;

	for (size_t i = 0; i < in->inputs_len; i++)
		has_any |= in->inputs[i].is_required;
	if (!has_any)
		return;
	json_write_key(w, "required");
	json_write_array_begin(w);
	for (size_t i = 0; i < in->inputs_len; i++) {
		if (in->inputs[i].is_required)
			json_write_string(w, in->inputs[i].name);
	}
	json_write_array_end(w);
}

void loader_write_input_schema(struct json_writer *w, const struct tool *tool, bool for_clients)
{
	const struct surface_tool_internal *in = tool->in;

	json_write_object_begin(w);
	json_write_member_string(w, "type", "object");
	json_write_key(w, "properties");
	json_write_object_begin(w);
	for (size_t i = 0; i < in->inputs_len; i++) {
		if (for_clients && in->inputs[i].is_hidden)
			continue;
		json_write_key(w, in->inputs[i].name);
		loader_write_schema(w, in->inputs[i].schema, for_clients);
	}
	if (!for_clients && in->accepts_confirm)
		json_write_member_raw(w, "confirm", "{\"type\":\"boolean\"}");
	json_write_object_end(w);
	write_required(w, in);
	json_write_member_bool(w, "additionalProperties", false);
	json_write_object_end(w);
}

/* ---- compiled, at first use ---- */

/* Text that was checked when the file was loaded: it cannot fail. */
static struct schema *compile_checked(struct buf *text, struct json_doc *ret_doc)
{
	cleanup_err struct err err = ERR_INIT;
	struct schema_options options = { .ignore = loader_marks };
	size_t len = text->len;
	struct schema *schema;
	int result = json_read_take(ret_doc, buf_detach(text), len, &err);

	assert(result == 0);
	schema = schema_compile(json_root(ret_doc), &options, NULL, &err);
	assert(schema != NULL);
	return schema;
}

struct schema *surface_tool_schema(const struct tool *tool)
{
	struct surface_tool_internal *in = tool->in;
	struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);

	if (in->schema == NULL) {
		loader_write_input_schema(&w, tool, false);
		in->schema = compile_checked(&text, &in->merged);
	}
	return in->schema;
}

struct schema *surface_tool_output(const struct tool *tool)
{
	struct surface_tool_internal *in = tool->in;
	struct buf text = BUF_INIT;

	if (in->has_output && in->output == NULL) {
		buf_adds(&text, tool->output_schema);
		in->output = compile_checked(&text, &in->output_doc);
	}
	return in->output;
}
