/* SPDX-License-Identifier: MIT */
/* What inputs hold, and the conditions over them: the one place that knows `given` from `holds`. */
#include <string.h>

#include "surface/surface_internal.h"

int surface_find_input(const struct surface_tool_internal *in, const char *name)
{
	for (size_t i = 0; i < in->inputs_len; i++) {
		if (strcmp(in->inputs[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

const struct json *surface_input_value(
    const struct surface_tool_internal *in, const struct json *arguments, int input)
{
	if (input < 0 || (size_t)input >= in->inputs_len)
		return NULL;
	return json_get(arguments, in->inputs[input].name);
}

bool surface_input_holds(
    const struct surface_tool_internal *in, const struct json *arguments, int input)
{
	const struct json *value = surface_input_value(in, arguments, input);

	return value != NULL && value->type != JSON_FALSE;
}

static bool is_one_of(const struct json *value, const struct json *list)
{
	json_foreach (item, list) {
		if (json_equal(value, item))
			return true;
	}
	return false;
}

static bool term_met(
    const struct term *term, const struct surface_tool_internal *in, const struct json *arguments)
{
	const struct json *value = surface_input_value(in, arguments, term->input);

	switch (term->kind) {
	case TERM_HOLDS:
		return value != NULL && value->type != JSON_FALSE;
	case TERM_EQUALS:
		return value != NULL && json_equal(value, term->value);
	case TERM_ONE_OF:
		return value != NULL && is_one_of(value, term->value);
	case TERM_SCHEMA:
		return value != NULL && schema_accepts(term->schema, value);
	}
	return false;
}

bool surface_condition_met(const struct condition *condition,
    const struct surface_tool_internal *in, const struct json *arguments)
{
	for (size_t i = 0; i < condition->when_len; i++) {
		if (!term_met(&condition->when[i], in, arguments))
			return false;
	}
	for (size_t i = 0; i < condition->unless_len; i++) {
		if (term_met(&condition->unless[i], in, arguments))
			return false;
	}
	return true;
}
