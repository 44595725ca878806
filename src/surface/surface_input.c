/* SPDX-License-Identifier: MIT */
/*
 * Inputs of a tool: its parts' and its own, what their marks say, and the groups that tie them
 * (section 4).
 */
#include "surface/surface_loader.h"

#include <string.h>

#include "base/text.h"

/* ---- the check of one `input` by itself ---- */

struct input_nodes {
	const struct json *properties;
	const struct json *required;
};

static const struct loader_key input_keys[] = {
	{ "properties", NULL, 0, offsetof(struct input_nodes, properties) },
	{ "required", NULL, 0, offsetof(struct input_nodes, required) },
};

static void check_required(
    struct loader *l, const struct json *required, const struct json *properties)
{
	if (!loader_is_array(l, required, "\"required\""))
		return;
	json_foreach (name, required) {
		const struct json *property = NULL;

		if (name->type == JSON_STRING)
			property = json_get_len(properties, name->str, name->len);
		if (property == NULL)
			loader_error(l, name, "\"required\" names no property of this input");
		else if (json_get(property, "x-hidden") != NULL)
			loader_error(l, name, "a hidden input cannot be required");
	}
}

/* What the proof counts on must hold for the default as well. */
static void check_default(struct loader *l, const struct json *property)
{
	const struct json *fallback = json_get(property, "default");
	const char *text = json_text(fallback);

	if (text != NULL && json_get(property, "x-no-dash") != NULL && *text != '\0' &&
	    strchr(l->surface->program.lead, *text) != NULL)
		loader_error(
		    l, fallback, "the default begins with a dash, which x-no-dash refuses");
}

static void check_property(struct loader *l, const struct json *key, const struct json *property)
{
	if (!loader_name(l, key, "an input"))
		return;
	if (json_is_text(key, "confirm")) {
		loader_error(l, key, "\"confirm\" is added by stile itself");
		return;
	}
	loader_check_schema(l, property);
	check_default(l, property);
}

void loader_check_input(struct loader *l, const struct json *node)
{
	struct input_nodes n = { NULL };

	loader_mapping(l, node, "an input", input_keys, ARRAY_LEN(input_keys), &n);
	if (n.properties != NULL && loader_is_object(l, n.properties, "\"properties\"")) {
		json_foreach_member (key, property, n.properties) {
			if (loader_is_full(l))
				return;
			check_property(l, key, property);
		}
	}
	if (n.required != NULL)
		check_required(l, n.required, n.properties);
}

/* ---- the inputs of a tool ---- */

static enum input_path read_path(const struct json *schema)
{
	static const char *const names[] = { "", "read", "write", "dir" };
	const struct json *mark = json_get(schema, "x-path");

	if (mark == NULL)
		mark = json_get(json_get(schema, "items"), "x-path");
	for (size_t i = INPUT_PATH_READ; i < ARRAY_LEN(names); i++) {
		if (json_is_text(mark, names[i]))
			return (enum input_path)i;
	}
	return INPUT_PATH_NONE;
}

static void read_facts(struct input *input, const struct json *key, const struct json *schema)
{
	enum secret_mark secret = loader_secret_mark(schema);

	input->name = key->str;
	input->schema = schema;
	input->fallback = json_get(schema, "default");
	input->absent = json_get(schema, "x-absent");
	input->is_hidden = json_is(json_get(schema, "x-hidden"), JSON_TRUE);
	input->is_no_dash = json_is(json_get(schema, "x-no-dash"), JSON_TRUE) ||
			    json_is(json_get(json_get(schema, "items"), "x-no-dash"), JSON_TRUE);
	input->is_secret = secret != SECRET_NONE;
	input->is_secret_argv = secret == SECRET_ARGV;
	input->path = read_path(schema);
}

static struct input *find_input(struct surface_tool_internal *in, const struct json *name)
{
	for (size_t i = 0; i < in->inputs_len; i++) {
		if (json_is_text(name, in->inputs[i].name))
			return &in->inputs[i];
	}
	return NULL;
}

/* One property; a part's must be new, the tool's own takes the place of a part's. */
static void add_input(
    struct loader *l, const struct json *key, const struct json *schema, const struct part *part)
{
	struct surface_tool_internal *in = l->tool->in;
	struct input *input = find_input(in, key);

	if (input != NULL && part != NULL) {
		loader_error(l, json_get(in->node, "use"),
		    "two parts of this tool have an input \"%s\"", input->name);
		return;
	}
	if (input == NULL && in->inputs_len == LOADER_INPUTS_MAX) {
		loader_error(l, key, "the tool has more than %d inputs", LOADER_INPUTS_MAX);
		return;
	}
	if (input == NULL)
		input = &in->inputs[in->inputs_len++];
	read_facts(input, key, schema);
}

static void add_inputs(struct loader *l, const struct json *node, const struct part *part)
{
	const struct json *properties = json_get(node, "properties");

	if (!json_is(properties, JSON_OBJECT))
		return;
	json_foreach_member (key, schema, properties) {
		if (json_text(key) != NULL && schema->type == JSON_OBJECT)
			add_input(l, key, schema, part);
	}
}

static void add_required(struct loader *l, const struct json *node)
{
	const struct json *names = json_get(node, "required");

	if (!json_is(names, JSON_ARRAY))
		return;
	json_foreach (name, names) {
		struct input *input = find_input(l->tool->in, name);

		if (input != NULL)
			input->is_required = true;
	}
}

static size_t count_inputs(const struct loader *l, const struct json *own)
{
	const struct json *properties = json_get(own, "properties");
	size_t n = json_is(properties, JSON_OBJECT) ? properties->len : 0;

	for (size_t i = 0; i < l->used_len; i++) {
		properties = json_get(l->used[i]->input, "properties");
		n += json_is(properties, JSON_OBJECT) ? properties->len : 0;
	}
	return n < LOADER_INPUTS_MAX ? n : LOADER_INPUTS_MAX;
}

static void check_size(struct loader *l)
{
	cleanup_buf struct buf text = BUF_INIT_MAX(LOADER_SCHEMA_MAX);
	struct json_writer w = JSON_WRITER_INIT(&text);

	loader_write_input_schema(&w, l->tool, false);
	if (text.is_full)
		loader_error(l, l->tool->in->node, "the inputs' schema has more than %zu bytes",
		    LOADER_SCHEMA_MAX);
}

void loader_inputs(struct loader *l, const struct json *own)
{
	struct surface_tool_internal *in = l->tool->in;

	in->inputs = loader_alloc(l, count_inputs(l, own) + 1, sizeof(*in->inputs));
	for (size_t i = 0; i < l->used_len; i++)
		add_inputs(l, l->used[i]->input, l->used[i]);
	add_inputs(l, own, NULL);
	for (size_t i = 0; i < l->used_len; i++)
		add_required(l, l->used[i]->input);
	add_required(l, own);
	if (!l->is_checked)
		check_size(l);
}

int loader_input(
    struct loader *l, const struct json *node, const char *name, const struct part *part)
{
	cleanup_buf struct buf shown = BUF_INIT;
	const struct surface_tool_internal *in = l->tool->in;

	for (size_t i = 0; i < in->inputs_len; i++) {
		if (strcmp(in->inputs[i].name, name) != 0)
			continue;
		if (part != NULL && json_get(json_get(part->input, "properties"), name) == NULL)
			break;
		l->input_used[i] = true;
		return (int)i;
	}
	text_add_visible(&shown, name, text_cut(name, strlen(name), 60));
	if (l->is_uri)
		loader_error(l, node, "the uri has no variable \"%s\"", shown.data);
	else if (part != NULL)
		loader_error(l, node, "the part \"%s\" has no input \"%s\" of its own", part->name,
		    shown.data);
	else
		loader_error(l, node, "the tool has no input \"%s\"", shown.data);
	return -1;
}

/* ---- groups ---- */

struct group_nodes {
	const struct json *lists[GROUP_ALL_OR_NONE + 1];
	const struct json *when;
	const struct json *need;
	const struct json *refuse;
};

#define GROUP_LIST(key, kind)                                                                      \
	{                                                                                          \
		.name = (key), .offset = offsetof(struct group_nodes, lists[kind])                 \
	}
static const struct loader_key group_keys[] = {
	GROUP_LIST("one_of", GROUP_ONE_OF),
	GROUP_LIST("at_most_one", GROUP_AT_MOST_ONE),
	GROUP_LIST("any_of", GROUP_ANY_OF),
	GROUP_LIST("all_or_none", GROUP_ALL_OR_NONE),
	{ "when", NULL, 0, offsetof(struct group_nodes, when) },
	{ "need", NULL, 0, offsetof(struct group_nodes, need) },
	{ "refuse", NULL, 0, offsetof(struct group_nodes, refuse) },
};

static void read_members(struct loader *l, const struct json *node, const struct part *part,
    bool may_be_one, struct group *group)
{
	const struct surface_tool_internal *in = l->tool->in;

	if (!loader_is_array(l, node, "a group"))
		return;
	if (node->len < (may_be_one ? 1 : 2))
		loader_error(l, node, "a group names at least %s", may_be_one ? "one" : "two");
	if (node->len > LOADER_INPUTS_MAX) {
		loader_error(l, node, "a group names at most %d", LOADER_INPUTS_MAX);
		return;
	}
	group->inputs = loader_alloc(l, node->len, sizeof(*group->inputs));
	json_foreach (item, node) {
		const char *name = loader_text(l, item);
		int input = name != NULL ? loader_input(l, item, name, part) : -1;

		if (input < 0)
			continue;
		for (size_t i = 0; i < group->inputs_len; i++) {
			if (group->inputs[i] == input)
				loader_error(l, item, "the group names \"%s\" twice", name);
		}
		if (!may_be_one && in->inputs[input].fallback != NULL)
			loader_error(l, item,
			    "\"%s\" has a default, so that it is always given: no place in this "
			    "group",
			    name);
		group->inputs[group->inputs_len++] = input;
	}
}

static void read_conditional(struct loader *l, const struct json *node, const struct part *part,
    const struct group_nodes *n, struct group *group)
{
	if (n->when == NULL || (n->need == NULL) == (n->refuse == NULL)) {
		loader_error(l, node, "\"when\" goes with one of \"need\" and \"refuse\"");
		return;
	}
	group->kind = n->need != NULL ? GROUP_NEED : GROUP_REFUSE;
	loader_condition(l, part, n->when, NULL, &group->condition);
	read_members(l, n->need != NULL ? n->need : n->refuse, part, true, group);
}

static void read_group(
    struct loader *l, const struct json *node, const struct part *part, struct group *group)
{
	struct group_nodes n = { .when = NULL };
	bool is_conditional;
	int kinds;

	loader_mapping(l, node, "a group", group_keys, ARRAY_LEN(group_keys), &n);
	if (node->type != JSON_OBJECT)
		return;
	is_conditional = n.when != NULL || n.need != NULL || n.refuse != NULL;
	kinds = is_conditional ? 1 : 0;
	for (size_t i = 0; i < ARRAY_LEN(n.lists); i++) {
		if (n.lists[i] == NULL)
			continue;
		kinds++;
		group->kind = (enum group_kind)i;
	}
	if (kinds != 1)
		loader_error(l, node,
		    "a group is one of one_of, at_most_one, any_of, all_or_none, or when with "
		    "need or refuse");
	else if (is_conditional)
		read_conditional(l, node, part, &n, group);
	else
		read_members(l, n.lists[group->kind], part, false, group);
}

void loader_groups(struct loader *l, const struct json *node, const struct part *part)
{
	struct surface_tool_internal *in = l->tool->in;
	bool used[LOADER_INPUTS_MAX];
	struct group *groups;

	if (!loader_is_array(l, node, "groups"))
		return;
	if (in->groups_len + node->len > LOADER_GROUPS_MAX) {
		loader_error(l, node, "the tool has more than %d groups", LOADER_GROUPS_MAX);
		return;
	}
	/* To be in a group is no use of an input. */
	memcpy(used, l->input_used, sizeof(used));
	groups = loader_alloc(l, in->groups_len + node->len, sizeof(*groups));
	if (in->groups_len > 0)
		memcpy(groups, in->groups, in->groups_len * sizeof(*groups));
	in->groups = groups;
	json_foreach (item, node)
		read_group(l, item, part, &groups[in->groups_len++]);
	memcpy(l->input_used, used, sizeof(used));
}
