/* SPDX-License-Identifier: MIT */
/* The sentences that groups add to a tool's description (section 4.1): clients see groups nowhere
 * else, because no schema they understand could say them (clients.md R2). */
#include "surface/surface_loader.h"

static void add_joined(struct buf *text, size_t index, size_t len, const char *last)
{
	if (index > 0)
		buf_adds(text, index + 1 == len ? last : ", ");
}

static void add_names(struct buf *text, const struct surface_tool_internal *in,
    const struct group *group, const char *last)
{
	for (size_t i = 0; i < group->inputs_len; i++) {
		add_joined(text, i, group->inputs_len, last);
		buf_adds(text, in->inputs[group->inputs[i]].name);
	}
}

static void add_value(struct buf *text, const struct json *value)
{
	if (value->type == JSON_STRING)
		buf_add(text, value->str, value->len);
	else
		buf_add(text, value->raw, value->raw_len);
}

static void add_values(struct buf *text, const struct json *values)
{
	size_t i = 0;

	json_foreach (value, values) {
		add_joined(text, i++, values->len, " or ");
		add_value(text, value);
	}
}

static void add_term(
    struct buf *text, const struct surface_tool_internal *in, const struct term *term)
{
	const struct input *input = &in->inputs[term->input];

	buf_adds(text, input->name);
	switch (term->kind) {
	case TERM_HOLDS:
		buf_adds(
		    text, loader_schema_is(input->schema, "boolean") ? " is true" : " is given");
		break;
	case TERM_EQUALS:
		buf_adds(text, " is ");
		add_value(text, term->value);
		break;
	case TERM_ONE_OF:
		buf_adds(text, " is ");
		add_values(text, term->value);
		break;
	case TERM_SCHEMA:
		buf_adds(text, " fits ");
		add_value(text, term->value);
		break;
	}
}

static void add_conditional(
    struct buf *text, const struct surface_tool_internal *in, const struct group *group)
{
	buf_adds(text, "When ");
	for (size_t i = 0; i < group->condition.when_len; i++) {
		add_joined(text, i, group->condition.when_len, " and ");
		add_term(text, in, &group->condition.when[i]);
	}
	buf_adds(text, ": ");
	add_names(text, in, group, " and ");
	buf_addf(text, " %s %s.", group->inputs_len == 1 ? "is" : "are",
	    group->kind == GROUP_NEED ? "required" : "refused");
}

void loader_describe_groups(struct buf *text, const struct tool *tool)
{
	static const char *const openings[] = {
		[GROUP_ONE_OF] = "Give exactly one of ",
		[GROUP_AT_MOST_ONE] = "Give at most one of ",
		[GROUP_ANY_OF] = "Give at least one of ",
		[GROUP_ALL_OR_NONE] = "Give all or none of ",
	};

	for (size_t i = 0; i < tool->in->groups_len; i++) {
		const struct group *group = &tool->in->groups[i];

		buf_addc(text, ' ');
		if (group->kind >= GROUP_NEED) {
			add_conditional(text, tool->in, group);
			continue;
		}
		buf_adds(text, openings[group->kind]);
		add_names(text, tool->in, group, ", ");
		buf_addc(text, '.');
	}
}
