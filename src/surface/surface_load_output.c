/* SPDX-License-Identifier: MIT */
/*
 * `output: auto` (section 4.3): the schema of a result, derived from what the file declares: fields,
 * refs, `under`, `page`, `echo`. What is not declared has no schema, and `auto` is refused.
 */
#include "surface/surface_loader.h"

#include <string.h>

/* The derivation stops at the first thing whose type nobody knows. */
struct derive {
	struct loader *l;
	const struct result *result;
	struct json_writer *w;
	const char *unknown; /* why, or NULL */
};

/* ---- types ---- */

static const char *type_of_value(const struct json *value)
{
	const char *name = json_type_name(value);

	return strcmp(name, "integer") == 0 ? "number" : name;
}

/* A type list, each name once. */
static void write_types(struct json_writer *w, const char *const *names, size_t len)
{
	json_write_object_begin(w);
	json_write_key(w, "type");
	if (len == 1) {
		json_write_string(w, names[0]);
		json_write_object_end(w);
		return;
	}
	json_write_array_begin(w);
	for (size_t i = 0; i < len; i++) {
		bool is_new = true;

		for (size_t j = 0; j < i; j++)
			is_new &= strcmp(names[i], names[j]) != 0;
		if (is_new)
			json_write_string(w, names[i]);
	}
	json_write_array_end(w);
	json_write_object_end(w);
}

static void write_type(struct json_writer *w, const char *name)
{
	write_types(w, &name, 1);
}

static void write_field(struct json_writer *w, enum field_type type)
{
	static const char *const raw[] = {
		[FIELD_TEXT] = "{\"type\":\"string\"}",
		[FIELD_INTEGER] = "{\"type\":[\"integer\",\"null\"]}",
		[FIELD_NUMBER] = "{\"type\":\"number\"}",
		[FIELD_BOOLEAN] = "{\"type\":\"boolean\"}",
		[FIELD_WORDS] = "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}",
		[FIELD_NEXT] = "{\"type\":\"string\"}",
	};

	json_write_raw(w, raw[type], strlen(raw[type]));
}

/* ---- records, lines, pairs ---- */

static void write_field_members(struct json_writer *w, const struct fields *fields)
{
	for (size_t i = 0; i < fields->len; i++) {
		json_write_key(w, fields->items[i].name);
		write_field(w, fields->items[i].type);
	}
}

static void write_field_names(struct json_writer *w, const struct fields *fields)
{
	for (size_t i = 0; i < fields->len; i++)
		json_write_string(w, fields->items[i].name);
}

static void write_fields(struct json_writer *w, const struct fields *fields)
{
	json_write_object_begin(w);
	json_write_member_string(w, "type", "object");
	json_write_key(w, "properties");
	json_write_object_begin(w);
	write_field_members(w, fields);
	json_write_object_end(w);
	json_write_key(w, "required");
	json_write_array_begin(w);
	write_field_names(w, fields);
	json_write_array_end(w);
	json_write_member_bool(w, "additionalProperties", false);
	json_write_object_end(w);
}

static void write_group(void *ctx, const char *name, int number)
{
	(void)number;
	json_write_member_raw(ctx, name, "{\"type\":[\"string\",\"null\"]}");
}

/* Objects of the named groups; a group that took no part may be left out. */
static void write_lines(struct json_writer *w, const struct parse *parse)
{
	if (parse->lines == NULL) {
		write_type(w, "string");
		return;
	}
	json_write_object_begin(w);
	json_write_member_string(w, "type", "object");
	json_write_key(w, "properties");
	json_write_object_begin(w);
	regex_each_group(parse->lines, write_group, w);
	json_write_object_end(w);
	json_write_member_bool(w, "additionalProperties", false);
	json_write_object_end(w);
}

static void write_pairs(struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_string(w, "type", "object");
	json_write_member_raw(w, "additionalProperties", "{\"type\":[\"string\",\"null\"]}");
	json_write_object_end(w);
}

/* ---- refs ---- */

/* Types of the field, of what it is mapped to, of `else`; and null. */
static void write_ref_field(struct derive *d, const struct ref_field *field)
{
	static const char *const names[] = {
		[REF_SCALAR] = "",
		[REF_TEXT] = "string",
		[REF_INTEGER] = "integer",
		[REF_NUMBER] = "number",
		[REF_BOOLEAN] = "boolean",
		[REF_ANY] = "",
	};
	const char *types[8] = { "string", "number", "boolean" };
	size_t len = 3;

	if (field->type == REF_ANY || field->as != NULL) {
		d->unknown = "a field of the ref may be of any type";
		return;
	}
	if (field->type != REF_SCALAR) {
		types[0] = names[field->type];
		len = 1;
	}
	if (field->otherwise != NULL)
		types[len++] = type_of_value(field->otherwise);
	types[len++] = "null";
	write_types(d->w, types, len);
}

static void write_ref_members(struct derive *d, const struct ref *ref)
{
	for (size_t i = 0; i < ref->fields_len && d->unknown == NULL; i++) {
		json_write_key(d->w, ref->fields[i].name);
		write_ref_field(d, &ref->fields[i]);
	}
}

static void write_ref_names(struct json_writer *w, const struct ref *ref)
{
	for (size_t i = 0; i < ref->fields_len; i++)
		json_write_string(w, ref->fields[i].name);
}

static void write_ref(struct derive *d, const struct ref *ref)
{
	struct json_writer *w = d->w;

	json_write_object_begin(w);
	json_write_member_string(w, "type", "object");
	json_write_key(w, "properties");
	json_write_object_begin(w);
	write_ref_members(d, ref);
	json_write_object_end(w);
	json_write_key(w, "required");
	json_write_array_begin(w);
	write_ref_names(w, ref);
	json_write_array_end(w);
	json_write_member_bool(w, "additionalProperties", false);
	json_write_object_end(w);
}

/* ---- what the parser and the steps make ---- */

/* `search`, `sort` and `page` work on lists only. */
static bool makes_list(const struct result *result)
{
	return result->page.by != PAGE_NONE || result->search != NULL || result->sort != NULL;
}

/* `at: /0` of a list of records: the one record. */
static bool is_one_record(const struct result *result)
{
	return result->at.len == 1 && result->parse.kind == PARSE_RECORDS &&
	       result->parse.kinds_len == 0 && !makes_list(result) && result->as == NULL &&
	       result->at.items[0][0] == '/' &&
	       strspn(result->at.items[0] + 1, "0123456789") + 1 == strlen(result->at.items[0]);
}

static bool is_list(const struct result *result)
{
	switch (result->parse.kind) {
	case PARSE_NDJSON:
	case PARSE_LINES:
		return true;
	case PARSE_RECORDS:
		return result->parse.kinds_len == 0 && !is_one_record(result);
	case PARSE_PAIRS:
		return result->parse.head != NULL;
	case PARSE_JSON:
	case PARSE_ENVELOPE:
		return makes_list(result);
	case PARSE_TEXT:
	case PARSE_VALUE:
	case PARSE_NONE:
		break;
	}
	return false;
}

/* One entry of the list, or the object. */
static void write_entry(struct derive *d)
{
	const struct parse *parse = &d->result->parse;

	if (d->result->as != NULL) {
		write_ref(d, d->result->as);
		return;
	}
	switch (parse->kind) {
	case PARSE_RECORDS:
		write_fields(d->w, &parse->fields);
		break;
	case PARSE_LINES:
		write_lines(d->w, parse);
		break;
	case PARSE_PAIRS:
		write_pairs(d->w);
		break;
	case PARSE_JSON:
	case PARSE_NDJSON:
	case PARSE_ENVELOPE:
		d->unknown = "JSON of the program's own has no declared type";
		break;
	case PARSE_TEXT:
	case PARSE_VALUE:
	case PARSE_NONE:
		write_type(d->w, "string");
		break;
	}
}

static void write_list(struct derive *d)
{
	json_write_object_begin(d->w);
	json_write_member_string(d->w, "type", "array");
	json_write_key(d->w, "items");
	write_entry(d);
	json_write_object_end(d->w);
}

/* The members of the object that records of several kinds make. */
static void write_kinds(struct derive *d)
{
	const struct parse *parse = &d->result->parse;

	for (size_t i = 0; i < parse->kinds_len; i++) {
		json_write_key(d->w, parse->kinds[i].as);
		json_write_object_begin(d->w);
		json_write_member_string(d->w, "type", "array");
		json_write_key(d->w, "items");
		write_fields(d->w, &parse->kinds[i].fields);
		json_write_object_end(d->w);
	}
}

static void write_page(struct derive *d, enum page_by by)
{
	json_write_member_raw(d->w, "pageSize", "{\"type\":\"integer\"}");
	json_write_member_raw(d->w, "cursor", "{\"type\":[\"string\",\"null\"]}");
	json_write_member_raw(d->w, "returned", "{\"type\":\"integer\"}");
	if (by == PAGE_SLICE)
		json_write_member_raw(d->w, "total", "{\"type\":\"integer\"}");
	json_write_member_raw(d->w, "nextCursor", "{\"type\":[\"string\",\"null\"]}");
}

/* ---- echo ---- */

static void write_echo_hole(struct derive *d, const struct piece *piece)
{
	const struct json *schema;

	switch (piece->kind) {
	case HOLE_INPUT:
		schema = loader_hole_schema(d->l, piece, NULL);
		loader_write_schema(d->w, schema, true);
		break;
	case HOLE_EXIT:
	case HOLE_COUNT:
		write_type(d->w, "integer");
		break;
	case HOLE_STDOUT:
	case HOLE_STDERR:
	case HOLE_WORKSPACE:
	case HOLE_STAGE:
		write_type(d->w, "string");
		break;
	case HOLE_ITEM:
	case HOLE_MEMBER:
	case HOLE_POINTER:
	case HOLE_N:
	case HOLE_ROOT:
		d->unknown = "echo repeats a value whose type is not declared";
		break;
	}
}

static void write_echo_value(struct derive *d, const struct template_ *template)
{
	const char *type;

	switch (template->kind) {
	case TEMPLATE_HOLE:
		write_echo_hole(d, &template->word.pieces[0]);
		break;
	case TEMPLATE_TEXT:
		write_type(d->w, "string");
		break;
	case TEMPLATE_LITERAL:
		type = type_of_value(template->literal);
		write_types(d->w, &type, 1);
		break;
	case TEMPLATE_OBJECT:
		write_type(d->w, "object");
		break;
	case TEMPLATE_ARRAY:
		write_type(d->w, "array");
		break;
	}
}

static void write_echo(struct derive *d)
{
	const struct template_ *echo = d->result->echo;

	for (size_t i = 0; echo != NULL && i < echo->children_len && d->unknown == NULL; i++) {
		json_write_key(d->w, echo->names[i]);
		write_echo_value(d, &echo->children[i]);
	}
}

/* ---- the whole ---- */

/* The name of the member that holds what is no object; NULL: the object's own members. */
static const char *under_of(const struct result *result)
{
	if (result->under != NULL)
		return result->under;
	if (is_list(result))
		return "items";
	if (result->parse.kind == PARSE_TEXT)
		return "text";
	return result->parse.kind == PARSE_VALUE ? "value" : NULL;
}

/* What stands at the root by itself, when nothing wraps it. */
static void write_own_members(struct derive *d)
{
	const struct result *result = d->result;

	if (result->as != NULL)
		write_ref_members(d, result->as);
	else if (is_one_record(result))
		write_field_members(d->w, &result->parse.fields);
	else if (result->parse.kind == PARSE_RECORDS)
		write_kinds(d);
	else if (result->parse.kind != PARSE_NONE)
		d->unknown = "an object of the program's own has no declared members";
}

static void write_own_names(struct derive *d, const char *under)
{
	const struct result *result = d->result;

	if (under != NULL)
		json_write_string(d->w, under);
	else if (result->as != NULL)
		write_ref_names(d->w, result->as);
	else if (is_one_record(result))
		write_field_names(d->w, &result->parse.fields);
}

/* Members in the order of the steps; those of `echo` may be left out, the others are there. */
static void write_root(struct derive *d)
{
	const char *under = under_of(d->result);

	json_write_object_begin(d->w);
	json_write_member_string(d->w, "type", "object");
	json_write_key(d->w, "properties");
	json_write_object_begin(d->w);
	if (under == NULL) {
		write_own_members(d);
	} else {
		json_write_key(d->w, under);
		if (is_list(d->result))
			write_list(d);
		else
			write_entry(d);
	}
	if (d->result->page.by != PAGE_NONE)
		write_page(d, d->result->page.by);
	write_echo(d);
	json_write_object_end(d->w);
	json_write_key(d->w, "required");
	json_write_array_begin(d->w);
	write_own_names(d, under);
	json_write_array_end(d->w);
	json_write_member_bool(d->w, "additionalProperties", false);
	json_write_object_end(d->w);
}

static const char *why_not(const struct surface_tool_internal *in)
{
	const struct result *result = &in->results[0];

	if (in->results_len != 1)
		return "it wants one \"result\", without alternatives";
	if (result->drop.len > 0 || result->pick.len > 0 || result->rename != NULL)
		return "\"drop\", \"pick\" and \"rename\" leave no declared type";
	if (result->at.len > 0 && !is_one_record(result) &&
	    !(result->as != NULL && makes_list(result)))
		return "\"at\" leaves no declared type";
	if (result->parse.kind == PARSE_RECORDS && result->parse.kinds_len > 0 &&
	    (result->as != NULL || result->under != NULL))
		return "records of several kinds have no place beside \"as\" and \"under\"";
	if (result->as != NULL && !is_list(result) && result->parse.kind != PARSE_PAIRS)
		return "whether the program prints a list or an object is not declared";
	return NULL;
}

void loader_derive_output(struct loader *l, const struct json *node)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);
	struct derive d = { .l = l, .w = &w };

	d.unknown = l->tool->in->results_len == 0 ? "there is no \"result\"" : why_not(l->tool->in);
	if (d.unknown == NULL) {
		d.result = &l->tool->in->results[0];
		write_root(&d);
	}
	if (d.unknown != NULL)
		loader_error(l, node, "\"output: auto\" cannot be derived: %s", d.unknown);
	else
		l->tool->output_schema = loader_strdup(l, text.data);
}
