/* SPDX-License-Identifier: MIT */
/*
 * `plan` of a tool (section 7), read once all tools of the file are known: what is held, what must
 * still be true, what a person is shown. What stands in a plan is stored and read by people, so that
 * nothing secret may be in it, and nothing that may be missing in some call.
 */
#include "surface/surface_loader.h"

#include <string.h>

#include "base/limits.h"
#include "base/num.h"

#define PRECONDITIONS_MAX 10
#define SECOND_MS ((int64_t)1000)
#define MINUTE_MS (60 * SECOND_MS)
#define HOUR_MS (60 * MINUTE_MS)
#define EXPIRES_MIN_MS MINUTE_MS
#define EXPIRES_MAX_MS (HOUR_MS * 24 * 7)
#define EXPIRES_DEFAULT_MS HOUR_MS
#define WAIT_MIN_MS SECOND_MS
#define WAIT_MAX_MS (10 * MINUTE_MS)
#define WAIT_DEFAULT_MS (45 * SECOND_MS)

static const char *writes_of(const struct tool *tool)
{
	return tool->writes == SURFACE_PLAN ? "plan" : "policy";
}

/* ---- target ---- */

static void read_target(struct loader *l, const struct json *value, void *target)
{
	struct surface_plan *plan = target;
	struct place place = { .what = "target", .holes = HOLE_BIT(HOLE_INPUT) };

	if (loader_text(l, value) == NULL || !loader_word(l, value, &place, &plan->in->target) ||
	    l->is_checked)
		return;
	if (!loader_is_word_certain(l, &plan->in->target))
		loader_error(l, value,
		    "each hole of \"target\" has a value in every call: a required input, or one "
		    "with a default");
}

/* ---- calls of read tools ---- */

/* A precondition or preview while it is read. */
struct call_nodes {
	const struct json *tool;
	const struct json *with;
	const struct json *at;
};

static const struct loader_key precondition_keys[] = {
	{ "tool", NULL, KEY_REQUIRED, offsetof(struct call_nodes, tool) },
	{ "with", NULL, 0, offsetof(struct call_nodes, with) },
	{ "at", NULL, KEY_REQUIRED, offsetof(struct call_nodes, at) },
};

static const struct loader_key preview_keys[] = {
	{ "tool", NULL, KEY_REQUIRED, offsetof(struct call_nodes, tool) },
	{ "with", NULL, 0, offsetof(struct call_nodes, with) },
};

static void check_called(struct loader *l, const struct json *node, const struct tool *tool)
{
	if (tool->effect != SURFACE_READ)
		loader_error(l, node,
		    "the tool %s does not only read: a plan calls what reads, and nothing else",
		    tool->name);
	else if (tool->builtin != SURFACE_BUILTIN_NONE)
		loader_error(l, node, "the tool %s has no command line of its own", tool->name);
	else if (tool->reveals)
		loader_error(l, node, "the tool %s reveals secrets: what it says cannot be kept",
		    tool->name);
}

/* A name of `with` and its value, compiled. */
static void check_argument(struct loader *l, const struct json *key, const struct json *value,
    const struct tool *tool, const struct template_ *template)
{
	int input = json_text(key) != NULL ? surface_find_input(tool->in, key->str) : -1;

	if (input < 0)
		loader_error(l, key, "the tool %s has no such input", tool->name);
	else if (tool->in->inputs[input].is_secret)
		loader_error(l, key, "the input is marked x-secret: nothing secret is in a plan");
	if (!loader_is_template_certain(l, template))
		loader_error(l, value,
		    "each hole of \"with\" has a value in every call: a required input, or one "
		    "with a default");
}

static void check_required(
    struct loader *l, const struct json *node, const struct tool *tool, const struct json *with)
{
	for (size_t i = 0; i < tool->in->inputs_len; i++) {
		const struct input *input = &tool->in->inputs[i];

		if (input->is_required && json_get(with, input->name) == NULL)
			loader_error(l, node, "the tool %s wants the input \"%s\" in \"with\"",
			    tool->name, input->name);
	}
}

static void load_with(struct loader *l, const struct json *with, const struct tool *tool,
    struct template_ *ret_template)
{
	struct place place = { .what = "with", .holes = HOLE_BIT(HOLE_INPUT) };
	size_t i = 0;

	if (!loader_is_object(l, with, "with") || !loader_template(l, with, &place, ret_template) ||
	    l->is_checked)
		return;
	json_foreach_member (key, value, with)
		check_argument(l, key, value, tool, &ret_template->children[i++]);
}

static const struct tool *load_call(struct loader *l, const struct json *node,
    const struct call_nodes *n, struct template_ *ret_template)
{
	const struct tool *tool = n->tool != NULL ? loader_own_tool(l, n->tool) : NULL;

	ret_template->kind = TEMPLATE_OBJECT;
	if (tool == NULL)
		return NULL;
	if (n->with != NULL)
		load_with(l, n->with, tool, ret_template);
	if (!l->is_checked) {
		check_called(l, n->tool, tool);
		check_required(l, n->with != NULL ? n->with : node, tool, n->with);
	}
	return tool;
}

static void load_precondition(
    struct loader *l, const struct json *node, struct surface_plan *plan, size_t i)
{
	struct call_nodes n = { NULL };
	const char *pointer;

	loader_mapping(
	    l, node, "a precondition", precondition_keys, ARRAY_LEN(precondition_keys), &n);
	plan->preconditions[i].tool = load_call(l, node, &n, &plan->in->with[i]);
	pointer = n.at != NULL ? loader_pointer(l, n.at, false) : NULL;
	if (pointer != NULL)
		plan->preconditions[i].pointer = loader_strdup(l, pointer);
}

static void read_preconditions(struct loader *l, const struct json *value, void *target)
{
	struct surface_plan *plan = target;

	if (!loader_is_array(l, value, "preconditions"))
		return;
	if (value->len > PRECONDITIONS_MAX) {
		loader_error(l, value, "a plan has at most %d preconditions", PRECONDITIONS_MAX);
		return;
	}
	plan->preconditions = loader_alloc(l, value->len, sizeof(*plan->preconditions));
	plan->in->with = loader_alloc(l, value->len, sizeof(*plan->in->with));
	json_foreach (item, value)
		load_precondition(l, item, plan, plan->preconditions_len++);
}

static void read_preview(struct loader *l, const struct json *value, void *target)
{
	struct surface_plan *plan = target;
	struct call_nodes n = { NULL };

	loader_mapping(l, value, "a preview", preview_keys, ARRAY_LEN(preview_keys), &n);
	plan->preview = load_call(l, value, &n, &plan->in->preview_with);
}

/* ---- pins and times ---- */

static void read_pin(struct loader *l, const struct json *value, void *target)
{
	struct surface_plan *plan = target;
	const struct surface_tool_internal *in = l->tool->in;

	if (!loader_is_array(l, value, "pin"))
		return;
	json_foreach (item, value) {
		const char *name = loader_text(l, item);
		int input = name != NULL ? loader_input(l, item, name, NULL) : -1;

		if (input < 0)
			continue;
		if (in->inputs[input].path == INPUT_PATH_NONE)
			loader_error(l, item,
			    "\"%s\" is no path: what is held is the content of an x-path input",
			    name);
		else if (strvec_contains(&plan->pins, name))
			loader_error(l, item, "\"%s\" is named twice", name);
		else
			strvec_push(&plan->pins, name);
	}
}

static void read_duration(
    struct loader *l, const struct json *value, int64_t min, int64_t max, int64_t *ret_ms)
{
	cleanup_err struct err err = ERR_INIT;
	const char *text = loader_text(l, value);
	int64_t ms = 0;

	if (text == NULL)
		return;
	if (num_parse_duration(text, max, &ms, &err) < 0)
		loader_error(l, value, "%s", err.message);
	else if (ms < min)
		loader_error(l, value, "at least %llds are wanted", (long long)(min / SECOND_MS));
	else
		*ret_ms = ms;
}

static void read_expires(struct loader *l, const struct json *value, void *target)
{
	read_duration(
	    l, value, EXPIRES_MIN_MS, EXPIRES_MAX_MS, &((struct surface_plan *)target)->expires_ms);
}

static void read_wait(struct loader *l, const struct json *value, void *target)
{
	read_duration(
	    l, value, WAIT_MIN_MS, WAIT_MAX_MS, &((struct surface_plan *)target)->wait_ms);
}

static const struct loader_key plan_keys[] = {
	{ "target", read_target, KEY_REQUIRED },
	{ "preconditions", read_preconditions },
	{ "preview", read_preview },
	{ "pin", read_pin },
	{ "expires", read_expires },
	{ "wait", read_wait },
};

/* ---- the scope of a launch ---- */

static bool word_needs_scope(const struct word *word)
{
	for (size_t i = 0; i < word->len; i++) {
		const struct piece *piece = &word->pieces[i];

		if (piece->is_hole && (piece->kind == HOLE_WORKSPACE || piece->kind == HOLE_STAGE))
			return true;
	}
	return false;
}

static bool template_needs_scope(const struct template_ *template)
{
	bool needs = word_needs_scope(&template->word);

	for (size_t i = 0; i < template->children_len && !needs; i++)
		needs = template_needs_scope(&template->children[i]);
	return needs;
}

static bool element_needs_scope(const struct element *element)
{
	bool needs = word_needs_scope(&element->word) || word_needs_scope(&element->content.word) ||
		     template_needs_scope(&element->content.json);

	for (size_t i = 0; i < element->children_len && !needs; i++)
		needs = element_needs_scope(&element->children[i]);
	return needs;
}

static bool needs_scope(const struct loader *l)
{
	const struct surface_tool_internal *in = l->tool->in;
	bool needs = false;

	for (size_t i = 0; i < l->in->program_args_len; i++)
		needs |= word_needs_scope(&l->in->program_args[i]);
	for (size_t i = 0; i < in->argv_len; i++)
		needs |= element_needs_scope(&in->argv[i]);
	for (size_t i = 0; i < in->set_len; i++)
		needs |= word_needs_scope(&in->set[i]);
	return needs;
}

/* ---- one tool ---- */

/* What a planned tool cannot be, whatever its `plan` says. */
static void check_planned(struct loader *l)
{
	const struct tool *tool = l->tool;
	const struct json *node = tool->in->node;

	if (l->surface->is_scoped)
		loader_error(
		    l, node, "a scoped surface has no tools with \"writes: %s\"", writes_of(tool));
	if (needs_scope(l))
		loader_error(l, node,
		    "a plan is made and applied outside of a scope: {$workspace} and {$stage} "
		    "have no value there");
	if (tool->reveals)
		loader_error(
		    l, node, "the result of a plan is kept: a tool with one cannot reveal secrets");
	if (tool->is_hidden)
		loader_error(l, node, "nothing is made of a hidden tool with a plan");
	if (tool->writes == SURFACE_POLICY && tool->output_schema != NULL)
		loader_error(l, json_get(node, "output"),
		    "with \"writes: policy\" the result is the answer of `stile plan apply`: leave "
		    "\"output\" out");
	for (size_t i = 0; i < tool->in->inputs_len; i++) {
		if (tool->in->inputs[i].is_secret)
			loader_error(l, tool->in->inputs[i].schema,
			    "tool %s: the input \"%s\" is marked x-secret: nothing secret is in "
			    "a plan",
			    tool->name, tool->in->inputs[i].name);
	}
}

static void load_plan(struct loader *l, struct tool *tool, const struct json *node)
{
	struct surface_plan *plan = loader_alloc(l, 1, sizeof(*plan));

	plan->in = loader_alloc(l, 1, sizeof(*plan->in));
	plan->expires_ms = EXPIRES_DEFAULT_MS;
	plan->wait_ms = WAIT_DEFAULT_MS;
	plan->in->preview_with.kind = TEMPLATE_OBJECT;
	tool->plan = plan;
	loader_mapping(l, node, "a plan", plan_keys, ARRAY_LEN(plan_keys), plan);
}

void loader_plan(struct loader *l, struct tool *tool)
{
	const struct json *node = tool->in->plan_node;

	loader_begin_tool(l, tool);
	if (!surface_is_planned(tool)) {
		if (node != NULL)
			loader_error(l, node, "%s",
			    tool->effect == SURFACE_READ
				? "a tool that only reads has no plan"
				: "\"plan\" goes with \"writes: plan\" or \"writes: policy\"");
		return;
	}
	if (!l->is_checked)
		check_planned(l);
	if (node != NULL)
		load_plan(l, tool, node);
	else
		loader_error(l, tool->in->node, "\"writes: %s\" wants \"plan\" with a \"target\"",
		    writes_of(tool));
}
