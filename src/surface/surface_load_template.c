/* SPDX-License-Identifier: MIT */
/* Conditions (COND of section 2), contents and templates. */
#include "surface/surface_loader.h"

#include <string.h>

/* ---- conditions ---- */

static bool is_scalar(const struct json *node)
{
	return node->type != JSON_ARRAY && node->type != JSON_OBJECT && node->type != JSON_NULL;
}

/* Could the input ever have this value? A typing error in a condition would never be met. */
static bool could_equal(const struct json *schema, const struct json *value)
{
	const struct json *choices = json_get(schema, "enum");

	if (choices == NULL)
		return loader_schema_is(schema, json_type_name(value)) ||
		       (value->type == JSON_NUMBER && loader_schema_is(schema, "number"));
	json_foreach (choice, choices) {
		if (json_equal(choice, value))
			return true;
	}
	return false;
}

static bool check_value(struct loader *l, const struct term *term, const struct json *value)
{
	const struct input *input = &l->tool->in->inputs[term->input];

	if (!is_scalar(value)) {
		loader_error(l, value, "a text, number or boolean is wanted");
		return false;
	}
	if (!l->is_checked && !could_equal(input->schema, value)) {
		loader_error(l, value, "the input \"%s\" never has this value", input->name);
		return false;
	}
	return true;
}

static bool compile_schema_term(struct loader *l, const struct json *value, struct term *term)
{
	cleanup_err struct err err = ERR_INIT;
	const struct json *where = NULL;
	struct schema_options options = { .check_patterns = !l->is_checked };

	term->kind = TERM_SCHEMA;
	term->schema = schema_compile(value, &options, &where, &err);
	if (term->schema == NULL) {
		loader_error(l, where != NULL ? where : value, "%s", err.message);
		return false;
	}
	ARRAY_GROW(l->in->schemas, l->in->schemas_len, l->in->schemas_cap);
	l->in->schemas[l->in->schemas_len++] = term->schema;
	return true;
}

static bool compile_value_term(struct loader *l, const struct json *value, struct term *term)
{
	bool is_ok = true;

	term->value = value;
	if (value->type == JSON_OBJECT)
		return compile_schema_term(l, value, term);
	if (value->type != JSON_ARRAY) {
		term->kind = TERM_EQUALS;
		return check_value(l, term, value);
	}
	term->kind = TERM_ONE_OF;
	if (value->len == 0)
		loader_error(l, value, "the list is empty");
	json_foreach (item, value)
		is_ok &= check_value(l, term, item);
	return is_ok;
}

/* A name, or a mapping of one name. */
static bool compile_term(
    struct loader *l, const struct part *part, const struct json *node, struct term *term)
{
	const struct json *key = node;

	if (node->type == JSON_OBJECT && node->len == 1)
		key = json_begin(node);
	else if (node->type != JSON_STRING) {
		loader_error(l, node, "a condition is a name, {name: value}, or a list of these");
		return false;
	}
	if (json_text(key) == NULL)
		loader_error(l, key, "the name holds a NUL");
	term->input = json_text(key) != NULL ? loader_input(l, key, key->str, part) : -1;
	if (term->input < 0)
		return false;
	return key == node || compile_value_term(l, json_next(key), term);
}

static void compile_terms(struct loader *l, const struct part *part, const struct json *node,
    struct term **ret_terms, size_t *ret_len)
{
	size_t n = node->type == JSON_ARRAY ? node->len : 1;

	if (n == 0 || n > LOADER_TERMS_MAX) {
		loader_error(l, node, "a condition has 1 to %d terms", LOADER_TERMS_MAX);
		return;
	}
	*ret_terms = loader_alloc(l, n, sizeof(**ret_terms));
	if (node->type != JSON_ARRAY) {
		*ret_len = compile_term(l, part, node, *ret_terms) ? 1 : 0;
		return;
	}
	json_foreach (item, node) {
		if (loader_is_full(l))
			break;
		if (compile_term(l, part, item, &(*ret_terms)[*ret_len]))
			(*ret_len)++;
	}
}

void loader_condition(struct loader *l, const struct part *part, const struct json *when,
    const struct json *unless, struct condition *ret_condition)
{
	if (when != NULL)
		compile_terms(l, part, when, &ret_condition->when, &ret_condition->when_len);
	if (unless != NULL)
		compile_terms(l, part, unless, &ret_condition->unless, &ret_condition->unless_len);
}

/* ---- templates ---- */

static bool compile_text(struct loader *l, const struct json *node, const struct place *place,
    struct template_ *template)
{
	struct place text = *place;
	struct word word;

	/* First as a lone hole may be, any type; then, being none, as text. */
	text.allows_any_type = node->str[0] == '{';
	if (!loader_word(l, node, &text, &word))
		return false;
	if (surface_word_is_literal(&word) && word.len == 1 && word.pieces[0].len == node->len) {
		template->kind = TEMPLATE_LITERAL;
		template->literal = node;
		return true;
	}
	template->kind = surface_word_is_hole(&word) ? TEMPLATE_HOLE : TEMPLATE_TEXT;
	text.allows_any_type = false;
	if (template->kind == TEMPLATE_TEXT && !loader_word(l, node, &text, &word))
		return false;
	template->word = word;
	return true;
}

static bool compile_children(struct loader *l, const struct json *node, const struct place *place,
    struct template_ *template)
{
	bool is_object = node->type == JSON_OBJECT;
	bool is_ok = true;

	template->kind = is_object ? TEMPLATE_OBJECT : TEMPLATE_ARRAY;
	template->children = loader_alloc(l, node->len, sizeof(*template->children));
	template->names = is_object ? loader_alloc(l, node->len, sizeof(char *)) : NULL;
	for (const struct json *at = json_begin(node); at < json_end(node); at = json_next(at)) {
		if (is_object) {
			if (json_text(at) == NULL) {
				loader_error(l, at, "the name holds a NUL");
				return false;
			}
			template->names[template->children_len] = loader_strdup(l, at->str);
			at = json_next(at);
		}
		is_ok &=
		    loader_template(l, at, place, &template->children[template->children_len++]);
	}
	return is_ok;
}

bool loader_template(struct loader *l, const struct json *node, const struct place *place,
    struct template_ *ret_template)
{
	if (node->type == JSON_OBJECT || node->type == JSON_ARRAY)
		return compile_children(l, node, place, ret_template);
	if (node->type == JSON_STRING && json_text(node) != NULL && node->len > 0)
		return compile_text(l, node, place, ret_template);
	ret_template->kind = TEMPLATE_LITERAL;
	ret_template->literal = node;
	return true;
}

struct content_nodes {
	const struct json *json;
};

static const struct loader_key content_keys[] = {
	{ "json", NULL, KEY_REQUIRED, offsetof(struct content_nodes, json) },
};

bool loader_content(struct loader *l, const struct json *node, const struct place *place,
    struct content *ret_content)
{
	struct content_nodes n = { NULL };

	if (node->type == JSON_STRING)
		return loader_word(l, node, place, &ret_content->word);
	loader_mapping(l, node, "a content", content_keys, ARRAY_LEN(content_keys), &n);
	if (n.json == NULL)
		return false;
	ret_content->is_json = true;
	return loader_template(l, n.json, place, &ret_content->json);
}
