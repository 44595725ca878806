/* SPDX-License-Identifier: MIT */
/* Groups: rules over several inputs, enforced after the schema and never part of it (clients.md
 * R2). Each refusal is one sentence that names the inputs, so that a model mends it in one try. */
#include "surface/surface_internal.h"

#include <assert.h>

#include "base/text.h"

/* How the group reads in an error, and the keyword of its details. */
static const struct {
	const char *keyword;
	const char *rule;
} rules[] = {
	[GROUP_ONE_OF] = { "one_of", "give exactly one of" },
	[GROUP_AT_MOST_ONE] = { "at_most_one", "give at most one of" },
	[GROUP_ANY_OF] = { "any_of", "give at least one of" },
	[GROUP_ALL_OR_NONE] = { "all_or_none", "give all or none of" },
	[GROUP_NEED] = { "need", "is required" },
	[GROUP_REFUSE] = { "refuse", "is refused" },
};

static size_t count_holding(
    const struct group *group, const struct surface_tool_internal *in, const struct json *arguments)
{
	size_t holding = 0;

	for (size_t i = 0; i < group->inputs_len; i++)
		holding += surface_input_holds(in, arguments, group->inputs[i]);
	return holding;
}

static bool group_met(
    const struct group *group, const struct surface_tool_internal *in, const struct json *arguments)
{
	size_t holding = count_holding(group, in, arguments);

	switch (group->kind) {
	case GROUP_ONE_OF:
		return holding == 1;
	case GROUP_AT_MOST_ONE:
		return holding <= 1;
	case GROUP_ANY_OF:
		return holding >= 1;
	case GROUP_ALL_OR_NONE:
		return holding == 0 || holding == group->inputs_len;
	case GROUP_NEED:
		return holding == group->inputs_len ||
		       !surface_condition_met(&group->condition, in, arguments);
	case GROUP_REFUSE:
		return holding == 0 || !surface_condition_met(&group->condition, in, arguments);
	}
	return false;
}

/* "a, b" of the group's inputs that hold (or do not, or all). */
enum which { WHICH_ALL, WHICH_HOLDING, WHICH_MISSING };

static void add_names(struct buf *text, const struct group *group,
    const struct surface_tool_internal *in, const struct json *arguments, enum which which)
{
	const char *between = "";

	for (size_t i = 0; i < group->inputs_len; i++) {
		bool holds = surface_input_holds(in, arguments, group->inputs[i]);

		if ((which == WHICH_HOLDING && !holds) || (which == WHICH_MISSING && holds))
			continue;
		buf_addf(text, "%s%s", between, in->inputs[group->inputs[i]].name);
		between = ", ";
	}
}

/* "resource is "app"": short scalars are repeated, secrets never. */
static void add_value(struct buf *text, const struct input *input, const struct json *value)
{
	if (value == NULL || input->is_secret || value->type >= JSON_ARRAY) {
		buf_adds(text, "as it is here");
		return;
	}
	text_add_visible(text, value->raw, text_cut(value->raw, value->raw_len, 40));
}

/* " when resource is "app" and limit is given" */
static void add_terms(struct buf *text, const struct term *terms, size_t len, const char *word,
    const struct surface_tool_internal *in, const struct json *arguments)
{
	for (size_t i = 0; i < len; i++) {
		const struct input *input = &in->inputs[terms[i].input];

		buf_addf(text, "%s %s is ", i == 0 ? word : " and", input->name);
		if (terms[i].kind == TERM_HOLDS)
			buf_adds(text, "given");
		else
			add_value(text, input, json_get(arguments, input->name));
	}
}

/* The names of `unless` alone tell enough: giving one of them is one way out. */
static void add_condition(struct buf *text, const struct condition *condition,
    const struct surface_tool_internal *in, const struct json *arguments)
{
	add_terms(text, condition->when, condition->when_len, " when", in, arguments);
	for (size_t i = 0; i < condition->unless_len; i++)
		buf_addf(text, "%s %s", i == 0 ? " unless changed:" : ",",
		    in->inputs[condition->unless[i].input].name);
}

static void add_sentence(struct buf *text, const struct group *group,
    const struct surface_tool_internal *in, const struct json *arguments)
{
	if (group->kind == GROUP_NEED || group->kind == GROUP_REFUSE) {
		add_names(text, group, in, arguments,
		    group->kind == GROUP_NEED ? WHICH_MISSING : WHICH_HOLDING);
		buf_addf(text, " %s", rules[group->kind].rule);
		add_condition(text, &group->condition, in, arguments);
		return;
	}
	buf_addf(text, "%s ", rules[group->kind].rule);
	add_names(text, group, in, arguments, WHICH_ALL);
	if (count_holding(group, in, arguments) == 0) {
		buf_adds(text, " (none is given)");
		return;
	}
	buf_adds(text, " (given: ");
	add_names(text, group, in, arguments, WHICH_HOLDING);
	buf_addc(text, ')');
}

/* One entry for each input of the group: any of them may be the one to change. */
static char *group_details(const struct group *group, const struct surface_tool_internal *in)
{
	struct buf details = BUF_INIT;
	cleanup_buf struct buf pointer = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&details);

	json_write_object_begin(&w);
	json_write_key(&w, "errors");
	json_write_array_begin(&w);
	for (size_t i = 0; i < group->inputs_len; i++) {
		buf_reset(&pointer);
		buf_addf(&pointer, "/%s", in->inputs[group->inputs[i]].name);
		json_write_object_begin(&w);
		json_write_member_string(&w, "pointer", pointer.data);
		json_write_member_string(&w, "keyword", rules[group->kind].keyword);
		json_write_object_end(&w);
	}
	json_write_array_end(&w);
	json_write_object_end(&w);
	return buf_detach(&details);
}

int surface_check_groups(
    const struct surface_tool_internal *in, const struct json *arguments, struct err *err)
{
	for (size_t i = 0; i < in->groups_len; i++) {
		const struct group *group = &in->groups[i];
		cleanup_buf struct buf text = BUF_INIT;

		assert((size_t)group->kind < ARRAY_LEN(rules));
		if (group_met(group, in, arguments))
			continue;
		add_sentence(&text, group, in, arguments);
		(void)err_set(err, ERR_INVALID_ARGUMENT, "%s", text.data);
		return err_take_details(err, group_details(group, in));
	}
	return 0;
}
