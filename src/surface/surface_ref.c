/* SPDX-License-Identifier: MIT */
/* Refs: lean references made of a program's entries, field by field. A field's value goes through
 * source, case, map, type, `as` and `else`, in that order (section 5.3). */
#include "surface/surface_result_internal.h"

#include <string.h>

#include "base/text.h"

/* Fields that name fields that name fields: the loader lets a field name earlier ones only, so
 * this is never reached. */
#define REF_DEPTH_MAX 32

/* Integers beyond it are rounded by clients that read numbers as doubles (clients.md Q6). */
#define SAFE_INTEGER ((int64_t)1 << 53)

/* What a source gave. */
enum given_kind { GIVEN_NOTHING, GIVEN_NODE, GIVEN_TEXT, GIVEN_MANY };
struct given {
	enum given_kind kind;
	const struct json *node; /* GIVEN_NODE; GIVEN_MANY: where the pointer starts */
	const char *pointer;     /* GIVEN_MANY: with `*` */
	struct buf text;         /* GIVEN_TEXT */
};

#define GIVEN_INIT ((struct given){ .text = BUF_INIT })

static void give_text(struct given *given, const char *text, size_t len)
{
	text = surface_trim(text, &len);
	if (len == 0)
		return;
	given->kind = GIVEN_TEXT;
	buf_add(&given->text, text, len);
}

/* The text of a scalar, trimmed; false for what has none. Borrowed from given or its node. */
static bool text_of(const struct given *given, const char **ret_text, size_t *ret_len)
{
	const struct json *node = given->node;

	if (given->kind == GIVEN_TEXT) {
		*ret_text = given->text.data;
		*ret_len = given->text.len;
		return true;
	}
	if (given->kind != GIVEN_NODE || node->type == JSON_ARRAY || node->type == JSON_OBJECT ||
	    node->type == JSON_NULL)
		return false;
	*ret_text = node->type == JSON_STRING ? node->str : node->raw;
	*ret_len = node->type == JSON_STRING ? node->len : node->raw_len;
	return true;
}

/* ---- sources ---- */

static bool is_composite(const struct json *node)
{
	return node->type == JSON_ARRAY || node->type == JSON_OBJECT;
}

static void count_match(void *ctx, const struct json *node)
{
	(void)node;
	(*(size_t *)ctx)++;
}

/* A string that is blank, or would be trimmed. */
static bool is_loose(const struct json *string)
{
	size_t len = string->len;

	(void)surface_trim(string->str, &len);
	return len == 0 || len < string->len;
}

/* A pointer gives scalars that are not blank, trimmed; where anything may stand it gives arrays and
 * objects too, and texts as they are (a line of code keeps its indentation). */
static void eval_pointer(const char *pointer, const struct scope_values *values,
    bool takes_composites, struct given *ret)
{
	const struct json *node;
	size_t matches = 0;

	if (surface_pointer_has_star(pointer)) {
		surface_pointer_each(values->entry, pointer, count_match, &matches);
		ret->kind = takes_composites && matches > 0 ? GIVEN_MANY : GIVEN_NOTHING;
		ret->node = values->entry;
		ret->pointer = pointer;
		return;
	}
	node = json_pointer(values->entry, pointer);
	if (node == NULL || node->type == JSON_NULL || (is_composite(node) && !takes_composites))
		return;
	if (node->type == JSON_STRING && !takes_composites && is_loose(node)) {
		give_text(ret, node->str, node->len);
		return;
	}
	ret->kind = GIVEN_NODE;
	ret->node = node;
}

static void eval_word(const struct word *word, const struct scope_values *values, struct given *ret)
{
	cleanup_err struct err err = ERR_INIT;

	if (surface_expand_word(word, values, BUF_MAX_DEFAULT, &ret->text, &err) > 0)
		ret->kind = GIVEN_TEXT;
}

static void eval_key_of(const char *pointer, const struct scope_values *values, struct given *ret)
{
	const struct json *node = json_pointer(values->entry, pointer);

	if (json_is(node, JSON_OBJECT) && node->len > 0)
		give_text(ret, json_begin(node)->str, json_begin(node)->len);
}

static void eval_source(const struct source *source, const struct scope_values *values,
    bool takes_composites, struct given *ret);

static void eval_match(
    const struct source *source, const struct scope_values *values, struct given *ret)
{
	struct given whole = GIVEN_INIT;
	struct regex_match match;
	const char *text = NULL;
	size_t len = 0;

	eval_source(&source->children[0], values, false, &whole);
	if (text_of(&whole, &text, &len) &&
	    regex_search(source->match, text, len, 0, &match, NULL) && match.groups_len > 1 &&
	    match.begin[1] != SIZE_MAX)
		give_text(ret, text + match.begin[1], match.end[1] - match.begin[1]);
	buf_release(&whole.text);
}

static void eval_source(const struct source *source, const struct scope_values *values,
    bool takes_composites, struct given *ret)
{
	switch (source->kind) {
	case SOURCE_POINTER:
		eval_pointer(source->pointer, values, takes_composites, ret);
		break;
	case SOURCE_TEXT:
		eval_word(&source->word, values, ret);
		break;
	case SOURCE_KEY_OF:
		eval_key_of(source->pointer, values, ret);
		break;
	case SOURCE_MATCH:
		eval_match(source, values, ret);
		break;
	case SOURCE_LIST:
		for (size_t i = 0; i < source->children_len && ret->kind == GIVEN_NOTHING; i++)
			eval_source(&source->children[i], values, takes_composites, ret);
		break;
	}
}

/* ---- case and map ---- */

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word_char(char c)
{
	return is_upper(c) || is_lower(c) || is_digit(c) || (unsigned char)c >= 0x80;
}

/* A new word begins at an upper-case letter behind a lower-case one or a digit, and at the last
 * one of a run before a lower-case letter: MyType → my-type, SSHKey → ssh-key. */
static bool begins_word(const char *text, size_t len, size_t at)
{
	if (at == 0 || !is_upper(text[at]))
		return false;
	if (is_lower(text[at - 1]) || is_digit(text[at - 1]))
		return true;
	return is_upper(text[at - 1]) && at + 1 < len && is_lower(text[at + 1]);
}

static void add_cased(struct buf *buf, const char *text, size_t len, char between)
{
	bool is_apart = false;

	for (size_t i = 0; i < len; i++) {
		if (!is_word_char(text[i])) {
			is_apart = true;
			continue;
		}
		if (buf->len > 0 && (is_apart || begins_word(text, len, i)))
			buf_addc(buf, between);
		is_apart = false;
		buf_addc(buf, text_ascii_lower(text[i]));
	}
}

static void apply_case(enum ref_case letter_case, struct given *given)
{
	struct buf cased = BUF_INIT;
	const char *text = NULL;
	size_t len = 0;

	if (letter_case == REF_CASE_NONE || !text_of(given, &text, &len))
		return;
	if (letter_case == REF_CASE_LOWER) {
		for (size_t i = 0; i < len; i++)
			buf_addc(&cased, text_ascii_lower(text[i]));
	} else {
		add_cased(&cased, text, len, letter_case == REF_CASE_KEBAB ? '-' : '_');
	}
	buf_release(&given->text);
	given->text = cased;
	given->kind = cased.len > 0 ? GIVEN_TEXT : GIVEN_NOTHING;
}

/* Unmapped values stay. */
static void apply_map(const struct json *map, struct given *given)
{
	const struct json *to;
	const char *text;
	size_t len;

	if (map == NULL || !text_of(given, &text, &len))
		return;
	to = json_get_len(map, text, len);
	if (to == NULL)
		return;
	given->kind = to->type == JSON_NULL ? GIVEN_NOTHING : GIVEN_NODE;
	given->node = to;
}

static void eval_field(
    const struct ref_field *field, const struct scope_values *values, struct given *ret)
{
	eval_source(&field->source, values, field->as != NULL || field->type == REF_ANY, ret);
	apply_case(field->letter_case, ret);
	apply_map(field->map, ret);
}

/* ---- type ---- */

static void write_text(struct json_writer *w, const struct given *given)
{
	const char *text;
	size_t len;

	if (text_of(given, &text, &len))
		json_write_string_len(w, text, len);
}

static bool is_safe(const struct json *number)
{
	int64_t value;

	if (!json_number_is_integer(number))
		return true;
	return json_number_int64(number, &value) && value >= -SAFE_INTEGER && value <= SAFE_INTEGER;
}

/* Strings stay strings; a number that clients would round becomes one. */
static bool write_scalar(struct json_writer *w, const struct given *given)
{
	if (given->kind == GIVEN_NODE && (given->node->type != JSON_NUMBER || is_safe(given->node)))
		surface_write_value(w, given->node);
	else
		write_text(w, given);
	return true;
}

static bool write_integer(struct json_writer *w, const struct given *given)
{
	cleanup_buf struct buf digits = BUF_INIT;
	const char *text;
	size_t len;

	if (given->kind == GIVEN_NODE && given->node->type == JSON_NUMBER) {
		if (!json_number_add_plain(given->node, &digits))
			return false;
		json_write_raw(w, digits.data, digits.len);
		return true;
	}
	return text_of(given, &text, &len) && surface_write_integer(w, text, len);
}

static bool write_number(struct json_writer *w, const struct given *given)
{
	const char *text;
	size_t len;

	if (!text_of(given, &text, &len) || !surface_is_number(text, len))
		return false;
	json_write_raw(w, text, len);
	return true;
}

static bool write_boolean(struct json_writer *w, const struct given *given)
{
	const char *text;
	size_t len;

	if (!text_of(given, &text, &len))
		return false;
	if (len == 4 && memcmp(text, "true", 4) == 0)
		json_write_bool(w, true);
	else if (len == 5 && memcmp(text, "false", 5) == 0)
		json_write_bool(w, false);
	else
		return false;
	return true;
}

static void write_match(void *ctx, const struct json *node)
{
	surface_write_value(ctx, node);
}

static bool write_any(struct json_writer *w, const struct given *given)
{
	if (given->kind == GIVEN_TEXT) {
		write_text(w, given);
	} else if (given->kind == GIVEN_NODE) {
		surface_write_value(w, given->node);
	} else {
		json_write_array_begin(w);
		surface_pointer_each(given->node, given->pointer, write_match, w);
		json_write_array_end(w);
	}
	return true;
}

static bool write_typed(struct json_writer *w, enum ref_type type, const struct given *given)
{
	const char *text;
	size_t len;

	if (type != REF_ANY && !text_of(given, &text, &len))
		return false;
	switch (type) {
	case REF_SCALAR:
		return write_scalar(w, given);
	case REF_TEXT:
		write_text(w, given);
		return true;
	case REF_INTEGER:
		return write_integer(w, given);
	case REF_NUMBER:
		return write_number(w, given);
	case REF_BOOLEAN:
		return write_boolean(w, given);
	case REF_ANY:
		return write_any(w, given);
	}
	return false;
}

/* ---- nested refs ---- */

struct nested {
	struct json_writer *w;
	const struct ref *ref;
	int64_t n;
};

static void write_nested(void *ctx, const struct json *entry)
{
	struct nested *nested = ctx;

	surface_write_ref(nested->w, nested->ref, entry, ++nested->n);
}

/* The ref over an object, or over each entry of a list. */
static bool write_as(struct json_writer *w, const struct ref *ref, const struct given *given)
{
	struct nested nested = { .w = w, .ref = ref };

	if (given->kind == GIVEN_NODE && given->node->type == JSON_OBJECT) {
		write_nested(&nested, given->node);
		return true;
	}
	if (given->kind != GIVEN_MANY &&
	    (given->kind != GIVEN_NODE || given->node->type != JSON_ARRAY))
		return false;
	json_write_array_begin(w);
	surface_pointer_each(
	    given->node, given->kind == GIVEN_MANY ? given->pointer : "/*", write_nested, &nested);
	json_write_array_end(w);
	return true;
}

/* ---- refs ---- */

static void write_field(
    struct json_writer *w, const struct ref_field *field, const struct scope_values *values)
{
	struct given given = GIVEN_INIT;
	bool has_value;

	eval_field(field, values, &given);
	if (given.kind == GIVEN_NOTHING)
		has_value = false;
	else if (field->as != NULL)
		has_value = write_as(w, field->as, &given);
	else
		has_value = write_typed(w, field->type, &given);
	if (!has_value && field->otherwise != NULL)
		json_write_node(w, field->otherwise);
	else if (!has_value)
		json_write_null(w);
	buf_release(&given.text);
}

void surface_write_ref(
    struct json_writer *w, const struct ref *ref, const struct json *entry, int64_t n)
{
	struct scope_values values = SCOPE_VALUES_INIT;

	values.ref = ref;
	values.entry = entry;
	values.n = n;
	json_write_object_begin(w);
	for (size_t i = 0; i < ref->fields_len; i++) {
		json_write_key(w, ref->fields[i].name);
		write_field(w, &ref->fields[i], &values);
	}
	json_write_object_end(w);
}

bool surface_ref_field_text(
    const struct scope_values *values, const char *name, struct buf *ret_text)
{
	struct scope_values inner = *values;
	struct given given = GIVEN_INIT;
	const char *text;
	size_t len;
	bool has_text = false;

	inner.depth++;
	for (size_t i = 0; i < values->ref->fields_len && inner.depth < REF_DEPTH_MAX; i++) {
		const struct ref_field *field = &values->ref->fields[i];

		if (strcmp(field->name, name) != 0)
			continue;
		eval_field(field, &inner, &given);
		if (given.kind == GIVEN_NOTHING && json_text(field->otherwise) != NULL)
			give_text(&given, field->otherwise->str, field->otherwise->len);
		has_text = text_of(&given, &text, &len);
		if (has_text)
			buf_add(ret_text, text, len);
		break;
	}
	buf_release(&given.text);
	return has_text;
}
