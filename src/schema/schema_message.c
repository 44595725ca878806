/* SPDX-License-Identifier: MIT */
/*
 * What a refusal says: one sentence a failure, such that a model can mend its call in one try. One
 * table: fault → keyword and sentence.
 *
 * Sentences quote what the caller sent only where it is a scalar, cut and made visible, and not
 * at a secret place. Of what lies *within* a secret place not even the shape is told.
 */
#include "schema/schema_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

#define VALUE_MAX_CHARS 40 /* of a quoted value */
#define PATTERN_MAX_BYTES 200
#define VALUES_MAX 20 /* listed of an enum */
#define NAMES_MAX 8   /* listed of known members */

/* A failure on its way into words. */
struct telling {
	struct buf *out;
	const struct failure *f;
	bool is_secret; /* the place is: no value may be quoted */
};

/* ---- pieces of sentences ---- */

static size_t cut_chars(const char *data, size_t len, size_t max_chars)
{
	size_t at = 0;

	for (size_t chars = 0; at < len; at++) {
		if (((unsigned char)data[at] & 0xc0) != 0x80 && chars++ == max_chars)
			break;
	}
	return at;
}

static bool is_scalar(const struct json *value)
{
	return value->type != JSON_ARRAY && value->type != JSON_OBJECT;
}

/* A string as JSON, with what JSON leaves invisible made visible too. */
static void add_quoted(struct buf *out, const char *data, size_t len)
{
	cleanup_buf struct buf quoted = BUF_INIT;
	size_t cut = cut_chars(data, len, VALUE_MAX_CHARS);

	json_quote(&quoted, data, cut);
	if (cut < len) {
		buf_truncate(&quoted, quoted.len - 1);
		buf_adds(&quoted, "…\"");
	}
	text_add_visible(out, quoted.data, quoted.len);
}

static void add_scalar(struct buf *out, const struct json *value)
{
	if (value->type == JSON_STRING) {
		add_quoted(out, value->str, value->len);
		return;
	}
	buf_add(
	    out, value->raw, value->raw_len < VALUE_MAX_CHARS ? value->raw_len : VALUE_MAX_CHARS);
	if (value->raw_len > VALUE_MAX_CHARS)
		buf_adds(out, "…");
}

/* "700 is" where the value may be shown, else "is". */
static void add_subject(const struct telling *t, const char *verb)
{
	if (!t->is_secret && is_scalar(t->f->instance)) {
		add_scalar(t->out, t->f->instance);
		buf_addc(t->out, ' ');
	}
	buf_adds(t->out, verb);
}

static const char *const type_words[] = { "null", "a boolean", "an integer", "a number", "a string",
	"an array", "an object" };

/* "a string, an integer or null"; in the order of the bits, null last. */
static void add_types(struct buf *out, uint8_t types)
{
	size_t left = (size_t)__builtin_popcount(types);

	for (size_t i = 1; i <= ARRAY_LEN(type_words); i++) {
		size_t bit = i % ARRAY_LEN(type_words);

		if (!(types >> bit & 1))
			continue;
		buf_adds(out, type_words[bit]);
		left--;
		if (left > 0)
			buf_adds(out, left == 1 ? " or " : ", ");
	}
}

static const char *type_word(const struct json *value)
{
	switch ((enum json_type)value->type) {
	case JSON_NULL:
		return "null";
	case JSON_FALSE:
	case JSON_TRUE:
		return "a boolean";
	case JSON_NUMBER:
		return json_number_is_integer(value) ? "an integer" : "a number";
	case JSON_STRING:
		return "a string";
	case JSON_ARRAY:
		return "an array";
	case JSON_OBJECT:
		return "an object";
	}
	return "a value";
}

/* ---- wrong type, and how to mend it (clients.md Q52) ---- */

static bool is_short(const struct json *value)
{
	return cut_chars(value->raw, value->raw_len, VALUE_MAX_CHARS) == value->raw_len;
}

/* A string that holds what is wanted: "5", "true", "[\"a\"]". */
static bool hint_unwrap(const struct telling *t)
{
	const struct json *string = t->f->instance;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err ignored = ERR_INIT;
	const struct json *inner;

	if (json_read(&doc, string->str, string->len, &ignored) < 0)
		return false;
	inner = json_root(&doc);
	if (inner->type == JSON_STRING || !schema_has_type(t->f->types, inner))
		return false;
	if (!is_scalar(inner)) {
		buf_addf(t->out, "; give the %s itself, not its text in a string",
		    json_type_name(inner));
		return true;
	}
	if (!is_short(string))
		return false;
	buf_adds(t->out, "; give ");
	buf_add(t->out, inner->raw, inner->raw_len);
	buf_adds(t->out, ", not ");
	add_scalar(t->out, string);
	return true;
}

/* "True", "FALSE": how some languages write booleans. */
static bool hint_boolean(const struct telling *t)
{
	const char *text = json_text(t->f->instance);

	if (text == NULL || !(t->f->types & TYPE_BOOLEAN))
		return false;
	if (strcasecmp(text, "true") != 0 && strcasecmp(text, "false") != 0)
		return false;
	buf_addf(t->out, "; give %s, not \"%s\"", strcasecmp(text, "true") == 0 ? "true" : "false",
	    text);
	return true;
}

/* A number or boolean where a string is wanted. */
static bool hint_quote(const struct telling *t)
{
	const struct json *value = t->f->instance;

	if (!(t->f->types & TYPE_STRING) || !is_scalar(value) || value->type == JSON_STRING ||
	    value->type == JSON_NULL || !is_short(value))
		return false;
	buf_adds(t->out, "; give \"");
	add_scalar(t->out, value);
	buf_adds(t->out, "\", not ");
	add_scalar(t->out, value);
	return true;
}

/* One item where a list of such is wanted. */
static bool hint_list(const struct telling *t)
{
	const struct json *value = t->f->instance;
	const struct array_rules *rules = t->f->node->array;

	if (!(t->f->types & TYPE_ARRAY) || !is_scalar(value) || !is_short(value))
		return false;
	if (value->type == JSON_NULL || rules == NULL || rules->items == NULL ||
	    !schema_has_type(rules->items->types, value))
		return false;
	buf_adds(t->out, "; give [");
	add_scalar(t->out, value);
	buf_adds(t->out, "], not ");
	add_scalar(t->out, value);
	return true;
}

static bool is_required_member(const struct schema_step *step)
{
	if (step->owner == NULL || step->owner->required == NULL)
		return false;
	json_foreach (name, step->owner->required) {
		if (json_equal(name, step->key))
			return true;
	}
	return false;
}

/* Models send null for what they do not want to give. */
static void hint_leave_out(const struct telling *t)
{
	const struct schema_step *step = t->f->step;

	if (t->f->instance->type == JSON_NULL && step->owner != NULL && !is_required_member(step))
		buf_adds(t->out, "; leave it out if there is none");
}

static void add_hint(const struct telling *t)
{
	if (t->f->instance->type == JSON_STRING && (hint_unwrap(t) || hint_boolean(t)))
		return;
	if (!hint_quote(t) && !hint_list(t))
		hint_leave_out(t);
}

static void tell_type(const struct telling *t)
{
	const struct json *value = t->f->instance;

	if (value->type == JSON_NUMBER && t->f->types & TYPE_INTEGER && !t->is_secret)
		add_subject(t, "is no integer");
	else
		buf_addf(t->out, "is %s", type_word(value));
	buf_adds(t->out, ", ");
	add_types(t->out, t->f->types);
	buf_adds(t->out, " is wanted");
	if (!t->is_secret)
		add_hint(t);
}

/* ---- values ---- */

static void add_listed(struct buf *out, const struct json *value)
{
	if (is_scalar(value))
		add_scalar(out, value);
	else
		buf_adds(out, type_word(value));
}

static const struct json *nearest_value(const struct json *values, const struct json *text)
{
	size_t max = text_near_enough(text->len);
	const struct json *near = NULL;

	json_foreach (value, values) {
		size_t distance;

		if (value->type != JSON_STRING)
			continue;
		distance = text_distance(text->str, text->len, value->str, value->len, max);
		if (distance <= max) {
			near = value;
			max = distance > 0 ? distance - 1 : 0;
		}
	}
	return near;
}

static void tell_enum(const struct telling *t)
{
	const struct json *values = t->f->node->values;
	const struct json *near = NULL;
	size_t index = 0;

	add_subject(t, values->len == 1 ? "is not " : "is none of ");
	json_foreach (value, values) {
		if (index == VALUES_MAX)
			break;
		if (index > 0)
			buf_adds(t->out, ", ");
		add_listed(t->out, value);
		index++;
	}
	if (index < values->len)
		buf_addf(t->out, "… (%u in all)", values->len);
	if (t->f->instance->type == JSON_STRING && !t->is_secret)
		near = nearest_value(values, t->f->instance);
	if (near != NULL && values->len > 1) {
		buf_adds(t->out, "; did you mean ");
		add_scalar(t->out, near);
		buf_addc(t->out, '?');
	}
}

static void tell_const(const struct telling *t)
{
	add_subject(t, "is not ");
	if (is_scalar(t->f->node->value))
		add_scalar(t->out, t->f->node->value);
	else
		buf_adds(t->out, "the one value that may stand here");
}

/* ---- numbers ---- */

static void tell_minimum(const struct telling *t)
{
	add_subject(t, "is less than the minimum ");
	add_scalar(t->out, t->f->node->number->minimum);
}

static void tell_maximum(const struct telling *t)
{
	add_subject(t, "is more than the maximum ");
	add_scalar(t->out, t->f->node->number->maximum);
}

static void tell_exclusive_minimum(const struct telling *t)
{
	add_subject(t, "is not more than ");
	add_scalar(t->out, t->f->node->number->exclusive_minimum);
}

static void tell_exclusive_maximum(const struct telling *t)
{
	add_subject(t, "is not less than ");
	add_scalar(t->out, t->f->node->number->exclusive_maximum);
}

static void tell_multiple_of(const struct telling *t)
{
	add_subject(t, "is not a multiple of ");
	add_scalar(t->out, t->f->node->number->multiple_of);
}

/* ---- sizes ---- */

/* "has 3 items, fewer than the minimum 5". The length of a secret is part of it. */
static void add_size(
    const struct telling *t, size_t count, const char *unit, size_t min, size_t max)
{
	bool is_few = count < min;
	const char *bound = is_few ? "minimum" : "maximum";
	const char *than = is_few ? "fewer" : "more";

	if (t->is_secret)
		buf_addf(t->out, "has %s %ss than", than, unit);
	else
		buf_addf(t->out, "has %zu %s%s, %s than", count, unit, count == 1 ? "" : "s", than);
	buf_addf(t->out, " the %s %zu", bound, is_few ? min : max);
}

static void tell_length(const struct telling *t)
{
	const struct string_rules *rules = t->f->node->string;
	const struct json *string = t->f->instance;

	if (string->len == 0 && !t->is_secret && rules->min_length == 1)
		buf_adds(t->out, "is empty, some text is wanted");
	else
		add_size(t, text_count(string->str, string->len), "character", rules->min_length,
		    rules->max_length);
}

static void tell_items(const struct telling *t)
{
	const struct array_rules *rules = t->f->node->array;

	add_size(t, t->f->instance->len, "item", rules->min_items, rules->max_items);
}

static void tell_properties(const struct telling *t)
{
	const struct object_rules *rules = t->f->node->object;

	add_size(t, t->f->instance->len, "member", rules->min_properties, rules->max_properties);
}

static void tell_contains(const struct telling *t)
{
	const struct array_rules *rules = t->f->node->array;

	add_size(t, t->f->count, "fitting item", rules->min_contains, rules->max_contains);
}

/* ---- strings, arrays ---- */

static void tell_pattern(const struct telling *t)
{
	const struct json *pattern = t->f->node->string->pattern_text;
	size_t len = text_cut(pattern->str, pattern->len, PATTERN_MAX_BYTES);

	add_subject(t, "does not match the pattern ");
	text_add_visible(t->out, pattern->str, len);
	if (len < pattern->len)
		buf_adds(t->out, "…");
}

static void tell_unique_items(const struct telling *t)
{
	if (t->is_secret)
		buf_adds(t->out, "has two equal items");
	else
		buf_addf(t->out, "items %zu and %zu are equal", t->f->count, t->f->second);
}

static void tell_surplus_item(const struct telling *t)
{
	buf_adds(t->out, "is one item too many");
}

/* ---- members ---- */

static void tell_required(const struct telling *t)
{
	buf_adds(t->out, "is required");
}

static void tell_dependent_required(const struct telling *t)
{
	const struct json *asker = t->f->other;

	buf_adds(t->out, "is required when ");
	text_add_visible(t->out, asker->str, text_cut(asker->str, asker->len, 64));
	buf_adds(t->out, " is given");
}

static bool may_suggest(const struct property *property, const struct json *object)
{
	return !property->schema->is_hidden && property->schema->kind != SCHEMA_NOTHING &&
	       json_get_len(object, property->name->str, property->name->len) == NULL;
}

/* The nearest of the names that could still be given. */
static const struct json *nearest_name(const struct schema_step *step)
{
	const struct property_list *list = &step->owner->properties;
	size_t max = text_near_enough(step->key->len);
	const struct json *near = NULL;

	for (size_t i = 0; i < list->len; i++) {
		const struct json *name = list->items[i].name;
		size_t distance =
		    text_distance(step->key->str, step->key->len, name->str, name->len, max);

		if (distance <= max && may_suggest(&list->items[i], step->object)) {
			near = name;
			max = distance > 0 ? distance - 1 : 0;
		}
	}
	return near;
}

static int compare_places(const void *a, const void *b)
{
	const struct json *left = *(const struct json *const *)a;
	const struct json *right = *(const struct json *const *)b;

	return left->raw < right->raw ? -1 : left->raw > right->raw;
}

/* The names that could still be given, in the order of the schema, when they are few. */
static void add_known_names(struct buf *out, const struct schema_step *step)
{
	const struct property_list *list = &step->owner->properties;
	const struct json *names[NAMES_MAX];
	size_t len = 0;

	for (size_t i = 0; i < list->len; i++) {
		if (!may_suggest(&list->items[i], step->object))
			continue;
		if (len == NAMES_MAX)
			return;
		names[len++] = list->items[i].name;
	}
	if (len > 0)
		qsort(names, len, sizeof(names[0]), compare_places);
	for (size_t i = 0; i < len; i++) {
		buf_adds(out, i == 0 ? "; not yet given: " : ", ");
		text_add_visible(out, names[i]->str, names[i]->len);
	}
}

static void tell_unknown(const struct telling *t)
{
	const struct schema_step *step = t->f->step;
	const struct json *near = step->owner != NULL ? nearest_name(step) : NULL;

	buf_addf(t->out, "is not %s here",
	    step->parent->parent == NULL ? "an argument" : "a known member");
	if (near != NULL) {
		buf_adds(t->out, "; did you mean ");
		text_add_visible(t->out, near->str, near->len);
		buf_addc(t->out, '?');
	} else if (step->owner != NULL) {
		add_known_names(t->out, step);
	}
}

static void tell_not_allowed(const struct telling *t)
{
	buf_adds(t->out, "must not stand here");
}

/* ---- combinations ---- */

static void tell_any_of(const struct telling *t)
{
	if (t->f->node->kind == SCHEMA_NOTHING)
		tell_not_allowed(t);
	else
		add_subject(t, "fits none of the forms that may stand here");
}

static void tell_one_of(const struct telling *t)
{
	if (t->f->node->kind == SCHEMA_NOTHING || t->f->count == 0)
		tell_any_of(t);
	else
		buf_addf(t->out, "fits %zu of the forms that may stand here, one alone is wanted",
		    t->f->count);
}

static void tell_not(const struct telling *t)
{
	add_subject(t, "is of a form that must not stand here");
}

/* ---- the table ---- */

static const struct sentence {
	const char *keyword;
	void (*tell)(const struct telling *t);
} sentences[] = {
	[FAULT_NONE] = { "false", tell_not_allowed },
	[FAULT_TYPE] = { "type", tell_type },
	[FAULT_ENUM] = { "enum", tell_enum },
	[FAULT_CONST] = { "const", tell_const },
	[FAULT_MINIMUM] = { "minimum", tell_minimum },
	[FAULT_MAXIMUM] = { "maximum", tell_maximum },
	[FAULT_EXCLUSIVE_MINIMUM] = { "exclusiveMinimum", tell_exclusive_minimum },
	[FAULT_EXCLUSIVE_MAXIMUM] = { "exclusiveMaximum", tell_exclusive_maximum },
	[FAULT_MULTIPLE_OF] = { "multipleOf", tell_multiple_of },
	[FAULT_MIN_LENGTH] = { "minLength", tell_length },
	[FAULT_MAX_LENGTH] = { "maxLength", tell_length },
	[FAULT_PATTERN] = { "pattern", tell_pattern },
	[FAULT_MIN_ITEMS] = { "minItems", tell_items },
	[FAULT_MAX_ITEMS] = { "maxItems", tell_items },
	[FAULT_UNIQUE_ITEMS] = { "uniqueItems", tell_unique_items },
	[FAULT_PREFIX_ITEMS] = { "prefixItems", tell_not_allowed },
	[FAULT_ITEMS] = { "items", tell_surplus_item },
	[FAULT_CONTAINS] = { "contains", tell_contains },
	[FAULT_MIN_CONTAINS] = { "minContains", tell_contains },
	[FAULT_MAX_CONTAINS] = { "maxContains", tell_contains },
	[FAULT_MIN_PROPERTIES] = { "minProperties", tell_properties },
	[FAULT_MAX_PROPERTIES] = { "maxProperties", tell_properties },
	[FAULT_REQUIRED] = { "required", tell_required },
	[FAULT_DEPENDENT_REQUIRED] = { "dependentRequired", tell_dependent_required },
	[FAULT_PROPERTIES] = { "properties", tell_not_allowed },
	[FAULT_PATTERN_PROPERTIES] = { "patternProperties", tell_not_allowed },
	[FAULT_ADDITIONAL_PROPERTIES] = { "additionalProperties", tell_unknown },
	[FAULT_PROPERTY_NAMES] = { "propertyNames", tell_not_allowed },
	[FAULT_DEPENDENT_SCHEMAS] = { "dependentSchemas", tell_not_allowed },
	[FAULT_ALL_OF] = { "allOf", tell_not_allowed },
	[FAULT_ANY_OF] = { "anyOf", tell_any_of },
	[FAULT_ONE_OF] = { "oneOf", tell_one_of },
	[FAULT_NOT] = { "not", tell_not },
	[FAULT_THEN] = { "then", tell_not_allowed },
	[FAULT_ELSE] = { "else", tell_not_allowed },
};

_Static_assert(ARRAY_LEN(sentences) == FAULT_COUNT, "a sentence for each fault");

/* ---- the report ---- */

void report_release(struct report *report)
{
	buf_release(&report->message);
	buf_release(&report->details);
}

static void add_details(struct report *report, const struct failure *failure, size_t steps)
{
	struct json_writer w = JSON_WRITER_INIT(&report->details);
	cleanup_buf struct buf pointer = BUF_INIT;

	if (report->failures > 0)
		buf_addc(&report->details, ',');
	schema_add_pointer(&pointer, failure->step, steps);
	json_write_object_begin(&w);
	json_write_key(&w, "pointer");
	json_write_string_len(&w, pointer.data, pointer.len);
	json_write_member_string(&w, "keyword", sentences[failure->fault].keyword);
	json_write_object_end(&w);
}

void report_add(struct report *report, const struct failure *failure)
{
	struct telling telling = { &report->message, failure, false };
	size_t steps = schema_visible_steps(report->root, failure->step, &telling.is_secret);

	if (report->failures > 0)
		buf_adds(&report->message, "; ");
	schema_add_place(&report->message, failure->step, steps);
	buf_adds(&report->message, ": ");
	if (steps < schema_count_steps(failure->step)) {
		buf_adds(&report->message, "something within does not fit");
	} else {
		if (failure->step->is_name)
			buf_adds(&report->message, "the name ");
		sentences[failure->fault].tell(&telling);
	}
	add_details(report, failure, steps);
	report->failures++;
}

/* Nothing gathered and yet refused: a pattern met its limit. */
static void add_limit(struct report *report)
{
	buf_adds(&report->message,
	    SCHEMA_ROOT_NAME ": a pattern of the schema could not be tried within its limit");
	buf_adds(&report->details, "{\"pointer\":\"\",\"keyword\":\"pattern\"}");
}

int report_finish(struct report *report, struct err *err)
{
	if (report->failures == 0)
		add_limit(report);
	(void)err_set(err, ERR_INVALID_ARGUMENT, "%s", report->message.data);
	return err_take_details(err, xasprintf("{\"errors\":[%s]}", report->details.data));
}
