/* SPDX-License-Identifier: MIT */
/*
 * One walk over schema and instance, in two moods. Quiet (no report): the first misfit ends it;
 * this is every call's way and the only one that decides. Telling: after a refusal the same walk
 * runs again and gathers sentences, until the report is full. As it is the same code, what is
 * told and what is decided cannot differ.
 *
 * Fail closed: a regular expression that meets its limit refuses the instance as a whole,
 * wherever it stands; "does not match" would let it through below `not`.
 */
#include "schema/schema.h"

#include <assert.h>
#include <stdlib.h>

#include "base/text.h"
#include "schema/schema_internal.h"

struct walk {
	struct report *report; /* NULL: quiet */
	bool is_broken;        /* a pattern could not be tried to its end */
};

static bool walk_node(struct walk *w, const struct schema_node *node,
    const struct schema_step *step, const struct json *instance, enum schema_fault by);

/* Returns false, having told why if that is wanted. A broken walk has nothing to tell: what it
 * took for a misfit may be none. */
static bool fail(struct walk *w, const struct failure *failure)
{
	if (w->report != NULL && !w->is_broken && !report_is_full(w->report))
		report_add(w->report, failure);
	return false;
}

/* The common case: a keyword of node does not fit what stands at step. */
static bool misfit(struct walk *w, enum schema_fault fault, const struct schema_node *node,
    const struct schema_step *step, const struct json *instance)
{
	return fail(w, &(struct failure){ fault, step, node, instance });
}

/* Nothing more to find out? A broken walk ends at once: each further try may cost as much. */
static bool is_over(const struct walk *w, bool ok)
{
	return w->is_broken || (!ok && (w->report == NULL || report_is_full(w->report)));
}

/* Does instance fit? Without a word. */
static bool fits(struct walk *w, const struct schema_node *node, const struct schema_step *step,
    const struct json *instance)
{
	struct walk quiet = { .report = NULL };
	bool ok = walk_node(&quiet, node, step, instance, FAULT_NONE);

	w->is_broken |= quiet.is_broken;
	return ok;
}

static bool matches(struct walk *w, struct regex *regex, const struct json *text)
{
	bool failed = false;
	bool hit = regex_search(regex, text->str, text->len, 0, NULL, &failed);

	w->is_broken |= failed;
	return hit;
}

/* ---- plain values ---- */

static const uint8_t bits_of_type[] = {
	[JSON_NULL] = TYPE_NULL,
	[JSON_FALSE] = TYPE_BOOLEAN,
	[JSON_TRUE] = TYPE_BOOLEAN,
	[JSON_NUMBER] = TYPE_NUMBER,
	[JSON_STRING] = TYPE_STRING,
	[JSON_ARRAY] = TYPE_ARRAY,
	[JSON_OBJECT] = TYPE_OBJECT,
};

bool schema_has_type(uint8_t types, const struct json *instance)
{
	if (types == 0 || types & bits_of_type[instance->type])
		return true;
	return types & TYPE_INTEGER && json_number_is_integer(instance);
}

static bool is_among(const struct json *values, const struct json *instance)
{
	json_foreach (value, values) {
		if (json_equal(value, instance))
			return true;
	}
	return false;
}

static bool walk_number(struct walk *w, const struct schema_node *node,
    const struct schema_step *step, const struct json *number)
{
	const struct number_rules *rules = node->number;
	bool ok = true;

	if (rules->minimum != NULL && json_number_compare(number, rules->minimum) < 0)
		ok = misfit(w, FAULT_MINIMUM, node, step, number);
	if (rules->maximum != NULL && json_number_compare(number, rules->maximum) > 0)
		ok = misfit(w, FAULT_MAXIMUM, node, step, number);
	if (rules->exclusive_minimum != NULL &&
	    json_number_compare(number, rules->exclusive_minimum) <= 0)
		ok = misfit(w, FAULT_EXCLUSIVE_MINIMUM, node, step, number);
	if (rules->exclusive_maximum != NULL &&
	    json_number_compare(number, rules->exclusive_maximum) >= 0)
		ok = misfit(w, FAULT_EXCLUSIVE_MAXIMUM, node, step, number);
	if (rules->multiple_of != NULL && !json_number_is_multiple(number, rules->multiple_of))
		ok = misfit(w, FAULT_MULTIPLE_OF, node, step, number);
	return ok;
}

/* Counts code points only where the number of bytes leaves a doubt. */
static bool is_shorter(const struct json *string, size_t min)
{
	return string->len < min ||
	       (string->len / 4 < min && text_count(string->str, string->len) < min);
}

static bool is_longer(const struct json *string, size_t max)
{
	return string->len > max && text_count(string->str, string->len) > max;
}

static bool walk_string(struct walk *w, const struct schema_node *node,
    const struct schema_step *step, const struct json *string)
{
	const struct string_rules *rules = node->string;
	bool ok = true;

	if (rules->min_length > 0 && is_shorter(string, rules->min_length))
		ok = misfit(w, FAULT_MIN_LENGTH, node, step, string);
	if (is_longer(string, rules->max_length))
		ok = misfit(w, FAULT_MAX_LENGTH, node, step, string);
	/* A pattern is not tried on what is too long anyway. */
	if (ok && rules->pattern != NULL && !matches(w, rules->pattern, string))
		ok = misfit(w, FAULT_PATTERN, node, step, string);
	return ok;
}

/* ---- arrays ---- */

static bool walk_items(struct walk *w, const struct schema_node *node,
    const struct schema_step *step, const struct json *array)
{
	const struct array_rules *rules = node->array;
	size_t index = 0;
	bool ok = true;

	json_foreach (item, array) {
		struct schema_step next = { .parent = step, .index = index };

		if (index < rules->prefix.len)
			ok &= walk_node(
			    w, rules->prefix.nodes[index], &next, item, FAULT_PREFIX_ITEMS);
		else if (rules->items != NULL)
			ok &= walk_node(w, rules->items, &next, item, FAULT_ITEMS);
		else
			break;
		if (is_over(w, ok))
			return false;
		index++;
	}
	return ok;
}

static size_t count_fitting(struct walk *w, const struct array_rules *rules,
    const struct schema_step *step, const struct json *array)
{
	size_t count = 0;
	size_t index = 0;

	json_foreach (item, array) {
		struct schema_step next = { .parent = step, .index = index++ };

		count += fits(w, rules->contains, &next, item);
		if (w->is_broken ||
		    (count >= rules->min_contains && rules->max_contains == SIZE_MAX))
			break;
	}
	return count;
}

static bool walk_contains(struct walk *w, const struct schema_node *node,
    const struct schema_step *step, const struct json *array)
{
	const struct array_rules *rules = node->array;
	struct failure failure = { FAULT_NONE, step, node, array };

	failure.count = count_fitting(w, rules, step, array);
	if (failure.count < rules->min_contains)
		failure.fault = rules->min_contains == 1 ? FAULT_CONTAINS : FAULT_MIN_CONTAINS;
	else if (failure.count > rules->max_contains)
		failure.fault = FAULT_MAX_CONTAINS;
	return failure.fault == FAULT_NONE || fail(w, &failure);
}

static bool walk_array(struct walk *w, const struct schema_node *node,
    const struct schema_step *step, const struct json *array)
{
	const struct array_rules *rules = node->array;
	struct failure equal = { FAULT_UNIQUE_ITEMS, step, node, array };
	bool ok = true;

	if (array->len < rules->min_items)
		ok = misfit(w, FAULT_MIN_ITEMS, node, step, array);
	if (array->len > rules->max_items)
		return misfit(w, FAULT_MAX_ITEMS, node, step, array);
	if (is_over(w, ok))
		return false;
	if (rules->is_unique && schema_find_equal_items(array, &equal.count, &equal.second))
		ok = fail(w, &equal);
	if (!is_over(w, ok) && (rules->prefix.len > 0 || rules->items != NULL))
		ok &= walk_items(w, node, step, array);
	if (!is_over(w, ok) && rules->contains != NULL)
		ok &= walk_contains(w, node, step, array);
	return ok;
}

/* ---- objects ---- */

/* asker: the member that makes the others required, or NULL: they are in any case. */
static bool walk_required(struct walk *w, const struct schema_node *node,
    const struct schema_step *step, const struct json *object, const struct json *names,
    const struct json *asker)
{
	enum schema_fault fault = asker == NULL ? FAULT_REQUIRED : FAULT_DEPENDENT_REQUIRED;
	bool ok = true;

	json_foreach (name, names) {
		struct schema_step missing = { .parent = step, .key = name };

		if (json_get_len(object, name->str, name->len) != NULL)
			continue;
		ok = fail(w, &(struct failure){ fault, &missing, node, object, asker });
		if (is_over(w, ok))
			break;
	}
	return ok;
}

static bool walk_dependent_required(struct walk *w, const struct schema_node *node,
    const struct schema_step *step, const struct json *object)
{
	bool ok = true;

	json_foreach_member (key, names, node->object->dependent_required) {
		if (json_get_len(object, key->str, key->len) != NULL)
			ok &= walk_required(w, node, step, object, names, key);
	}
	return ok;
}

/* The value of a member, by every schema that speaks for its name. */
static bool walk_value(struct walk *w, const struct object_rules *rules,
    const struct schema_step *step, const struct json *value)
{
	const struct json *key = step->key;
	const struct property *property =
	    schema_find_property(&rules->properties, key->str, key->len);
	bool is_known = property != NULL;
	bool ok = true;

	if (is_known)
		ok = walk_node(w, property->schema, step, value, FAULT_PROPERTIES);
	for (size_t i = 0; i < rules->patterns.len && !is_over(w, ok); i++) {
		const struct pattern_property *pattern = &rules->patterns.items[i];

		if (matches(w, pattern->regex, key)) {
			is_known = true;
			ok &= walk_node(w, pattern->schema, step, value, FAULT_PATTERN_PROPERTIES);
		}
	}
	if (!is_known && rules->additional != NULL)
		ok &= walk_node(w, rules->additional, step, value, FAULT_ADDITIONAL_PROPERTIES);
	return ok;
}

static bool walk_members(struct walk *w, const struct schema_node *node,
    const struct schema_step *step, const struct json *object)
{
	const struct object_rules *rules = node->object;
	bool ok = true;

	json_foreach_member (key, value, object) {
		struct schema_step next = {
			.parent = step, .key = key, .owner = rules, .object = object
		};
		struct schema_step name = next;

		name.is_name = true;
		if (rules->names != NULL)
			ok &= walk_node(w, rules->names, &name, key, FAULT_PROPERTY_NAMES);
		if (!is_over(w, ok))
			ok &= walk_value(w, rules, &next, value);
		if (is_over(w, ok))
			return false;
	}
	return ok;
}

static bool walk_dependent_schemas(struct walk *w, const struct object_rules *rules,
    const struct schema_step *step, const struct json *object)
{
	bool ok = true;

	for (size_t i = 0; i < rules->dependent_schemas.len && !is_over(w, ok); i++) {
		const struct property *dependent = &rules->dependent_schemas.items[i];

		if (json_get_len(object, dependent->name->str, dependent->name->len) != NULL)
			ok &=
			    walk_node(w, dependent->schema, step, object, FAULT_DEPENDENT_SCHEMAS);
	}
	return ok;
}

static bool looks_at_members(const struct object_rules *rules)
{
	return rules->properties.len > 0 || rules->patterns.len > 0 || rules->additional != NULL ||
	       rules->names != NULL;
}

static bool walk_object(struct walk *w, const struct schema_node *node,
    const struct schema_step *step, const struct json *object)
{
	const struct object_rules *rules = node->object;
	bool ok = true;

	if (object->len < rules->min_properties)
		ok = misfit(w, FAULT_MIN_PROPERTIES, node, step, object);
	if (object->len > rules->max_properties)
		return misfit(w, FAULT_MAX_PROPERTIES, node, step, object);
	if (!is_over(w, ok) && rules->required != NULL)
		ok &= walk_required(w, node, step, object, rules->required, NULL);
	if (!is_over(w, ok) && rules->dependent_required != NULL)
		ok &= walk_dependent_required(w, node, step, object);
	if (!is_over(w, ok) && looks_at_members(rules))
		ok &= walk_members(w, node, step, object);
	if (!is_over(w, ok))
		ok &= walk_dependent_schemas(w, rules, step, object);
	return ok;
}

/* ---- several schemas for one place ---- */

static bool walk_all(struct walk *w, const struct schema_list *list, const struct schema_step *step,
    const struct json *instance)
{
	bool ok = true;

	for (size_t i = 0; i < list->len && !is_over(w, ok); i++)
		ok &= walk_node(w, list->nodes[i], step, instance, FAULT_ALL_OF);
	return ok;
}

static size_t count_alternatives(struct walk *w, const struct schema_list *list, size_t enough,
    const struct schema_step *step, const struct json *instance)
{
	size_t count = 0;

	for (size_t i = 0; i < list->len && count < enough && !w->is_broken; i++)
		count += fits(w, list->nodes[i], step, instance);
	return count;
}

/*
 * None of the alternatives fits: which error helps? If one alone is for values of this type, its
 * own errors. If all name types and none this one, all their types. Else just that none fits.
 */
static bool explain_none(struct walk *w, enum schema_fault fault, const struct schema_list *list,
    const struct schema_node *node, const struct schema_step *step, const struct json *instance)
{
	struct failure failure = { fault, step, node, instance };
	const struct schema_node *candidate = NULL;
	bool is_typed = true;
	size_t candidates = 0;

	for (size_t i = 0; i < list->len; i++) {
		const struct schema_node *each = list->nodes[i];

		failure.types |= each->types;
		is_typed &= each->types != 0;
		if (each->kind == SCHEMA_RULES && schema_has_type(each->types, instance)) {
			candidate = each;
			candidates++;
		}
	}
	if (candidates == 1)
		return walk_node(w, candidate, step, instance, fault);
	if (candidates == 0 && is_typed)
		failure.fault = FAULT_TYPE;
	return fail(w, &failure);
}

static bool walk_alternatives(struct walk *w, const struct schema_node *node,
    const struct schema_step *step, const struct json *instance)
{
	const struct place_rules *place = node->place;
	struct failure too_many = { FAULT_ONE_OF, step, node, instance };
	bool ok = true;

	if (place->any.len > 0 && count_alternatives(w, &place->any, 1, step, instance) == 0)
		ok = w->report != NULL &&
		     explain_none(w, FAULT_ANY_OF, &place->any, node, step, instance);
	if (is_over(w, ok) || place->one.len == 0)
		return ok;
	too_many.count =
	    count_alternatives(w, &place->one, w->report ? SIZE_MAX : 2, step, instance);
	if (too_many.count == 0)
		ok = w->report != NULL &&
		     explain_none(w, FAULT_ONE_OF, &place->one, node, step, instance);
	else if (too_many.count > 1)
		ok = fail(w, &too_many);
	return ok;
}

static bool walk_condition(struct walk *w, const struct place_rules *place,
    const struct schema_step *step, const struct json *instance)
{
	if (place->consequence == NULL && place->alternative == NULL)
		return true;
	if (fits(w, place->condition, step, instance))
		return place->consequence == NULL ||
		       walk_node(w, place->consequence, step, instance, FAULT_THEN);
	return place->alternative == NULL ||
	       walk_node(w, place->alternative, step, instance, FAULT_ELSE);
}

static bool walk_place(struct walk *w, const struct schema_node *node,
    const struct schema_step *step, const struct json *instance)
{
	const struct place_rules *place = node->place;
	bool ok = walk_all(w, &place->all, step, instance);

	if (!is_over(w, ok))
		ok &= walk_alternatives(w, node, step, instance);
	if (!is_over(w, ok) && place->none != NULL && fits(w, place->none, step, instance))
		ok = misfit(w, FAULT_NOT, node, step, instance);
	if (!is_over(w, ok) && place->condition != NULL)
		ok &= walk_condition(w, place, step, instance);
	return ok;
}

/* ---- any node ---- */

static bool walk_by_type(struct walk *w, const struct schema_node *node,
    const struct schema_step *step, const struct json *instance)
{
	switch ((enum json_type)instance->type) {
	case JSON_NULL:
	case JSON_FALSE:
	case JSON_TRUE:
		return true;
	case JSON_NUMBER:
		return node->number == NULL || walk_number(w, node, step, instance);
	case JSON_STRING:
		return node->string == NULL || walk_string(w, node, step, instance);
	case JSON_ARRAY:
		return node->array == NULL || walk_array(w, node, step, instance);
	case JSON_OBJECT:
		return node->object == NULL || walk_object(w, node, step, instance);
	}
	assert(false); /* no such type */
	return false;
}

/*
 * by: the keyword that led here, named when the schema is `false`. Calls itself down the schema.
 * After a wrong type or value nothing else is worth saying.
 */
static bool walk_node(struct walk *w, const struct schema_node *node,
    const struct schema_step *step, const struct json *instance, enum schema_fault by)
{
	bool ok;

	if (node->kind != SCHEMA_RULES)
		return node->kind == SCHEMA_ANY || misfit(w, by, node, step, instance);
	if (!schema_has_type(node->types, instance))
		return fail(
		    w, &(struct failure){ FAULT_TYPE, step, node, instance, .types = node->types });
	if (node->values != NULL && !is_among(node->values, instance))
		return misfit(w, FAULT_ENUM, node, step, instance);
	if (node->value != NULL && !json_equal(node->value, instance))
		return misfit(w, FAULT_CONST, node, step, instance);
	ok = walk_by_type(w, node, step, instance);
	if (node->place != NULL && !is_over(w, ok))
		ok &= walk_place(w, node, step, instance);
	return ok;
}

bool schema_accepts(struct schema *schema, const struct json *instance)
{
	struct walk walk = { .report = NULL };
	struct schema_step root = SCHEMA_ROOT_STEP;
	bool ok = walk_node(&walk, schema->root, &root, instance, FAULT_NONE);

	return ok && !walk.is_broken;
}

int schema_validate(struct schema *schema, const struct json *instance, struct err *err)
{
	struct report report = REPORT_INIT(schema->root);
	struct walk walk = { .report = &report };
	struct schema_step root = SCHEMA_ROOT_STEP;
	int rc;

	if (schema_accepts(schema, instance))
		return 0;
	(void)walk_node(&walk, schema->root, &root, instance, FAULT_NONE);
	rc = report_finish(&report, err);
	report_release(&report);
	return rc;
}
