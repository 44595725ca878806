/* SPDX-License-Identifier: MIT */
/* Parts, and what a tool is made of (section 1.2), in the order in which one needs the other. */
#include "surface/surface_loader.h"

#include <assert.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"

/* ---- parts ---- */

static const struct loader_key part_keys[] = {
	{ "input", NULL, 0, offsetof(struct part, input) },
	{ "groups", NULL, 0, offsetof(struct part, groups) },
	{ "argv", NULL, 0, offsetof(struct part, argv) },
	{ "set", NULL, 0, offsetof(struct part, set) },
	{ "result", NULL, 0, offsetof(struct part, result) },
	{ "ask", NULL, 0, offsetof(struct part, ask) },
};

void loader_parts(struct loader *l, const struct json *node)
{
	if (!loader_is_object(l, node, "parts"))
		return;
	l->parts = loader_alloc(l, node->len, sizeof(*l->parts));
	json_foreach_member (key, value, node) {
		struct part *part = &l->parts[l->parts_len];
		size_t faults = l->faults;

		if (loader_is_full(l))
			return;
		if (!loader_name(l, key, "a part"))
			continue;
		part->name = key->str;
		part->node = value;
		loader_mapping(l, value, "a part", part_keys, ARRAY_LEN(part_keys), part);
		if (part->input != NULL && !l->is_checked)
			loader_check_input(l, part->input);
		part->is_broken = l->faults > faults;
		l->parts_len++;
	}
	l->in->parts = l->parts;
	l->in->parts_len = l->parts_len;
}

/* ---- what needs order ---- */

static struct part *find_part(struct loader *l, const char *name)
{
	for (size_t i = 0; i < l->parts_len; i++) {
		if (strcmp(l->parts[i].name, name) == 0)
			return &l->parts[i];
	}
	return NULL;
}

static void load_use(struct loader *l, const struct json *node)
{
	if (node == NULL || !loader_is_array(l, node, "use"))
		return;
	if (node->len > LOADER_USE_MAX) {
		loader_error(l, node, "a tool uses at most %d parts", LOADER_USE_MAX);
		return;
	}
	json_foreach (item, node) {
		const char *name = loader_text(l, item);
		struct part *part = name != NULL ? find_part(l, name) : NULL;

		if (part == NULL) {
			loader_error(l, item, "there is no such part");
			continue;
		}
		part->is_used = true;
		l->faults += part->is_broken ? 1 : 0;
		for (size_t i = 0; i < l->used_len; i++) {
			if (l->used[i] == part)
				loader_error(l, item, "the part is used already");
		}
		l->used[l->used_len++] = part;
	}
}

static void load_groups(struct loader *l, const struct json *own)
{
	for (size_t i = 0; i < l->used_len; i++) {
		if (l->used[i]->groups != NULL)
			loader_groups(l, l->used[i]->groups, l->used[i]);
	}
	if (own != NULL)
		loader_groups(l, own, NULL);
}

/* What the verdict is made of; and what has no place beside it, for nobody would look at it. */
static void check_status(struct loader *l, const struct json *node)
{
	const struct surface_program *program = &l->surface->program;

	if (program->version == NULL || program->version->baseline == NULL)
		loader_error(l, node,
		    "\"builtin: status\" wants \"version\" with a \"baseline\" in program");
	if (program->probe == NULL)
		loader_error(l, node, "\"builtin: status\" wants \"probe\" in program");
	if (l->surface->limits.children < 2)
		loader_error(l, node,
		    "\"builtin: status\" runs two programs at once: \"children\" in limits is 2 or "
		    "more");
	if (l->tool->needs != NULL)
		loader_error(l, node,
		    "\"builtin: status\" tells the version, whatever it is: leave \"needs\" out");
	if (json_get(l->tool->in->node, "exit") != NULL)
		loader_error(
		    l, node, "\"builtin: status\" looks for exit status 0: leave \"exit\" out");
	if (l->tool->reveals)
		loader_error(l, node, "\"builtin: status\" has no secret to reveal");
}

static void load_builtin(struct loader *l, const struct json *node)
{
	static const char *const names[] = {
		[SURFACE_BUILTIN_NONE] = "",
		[SURFACE_BUILTIN_CONTEXT] = "context",
		[SURFACE_BUILTIN_STATUS] = "status",
		NULL,
	};
	int choice = loader_choice(l, node, names);

	if (choice == SURFACE_BUILTIN_NONE)
		loader_error(l, node, "one of context, status is wanted");
	else if (choice > 0)
		l->tool->builtin = (enum surface_builtin_tool)choice;
	if (l->tool->effect != SURFACE_READ)
		loader_error(l, node, "a tool in process only reads");
	if (choice == SURFACE_BUILTIN_STATUS)
		check_status(l, node);
}

static void load_action(struct loader *l, const struct tool_nodes *n)
{
	if ((n->argv == NULL) == (n->builtin == NULL))
		loader_error(l, l->tool->in->node, "a tool has one of \"argv\" and \"builtin\"");
	else if (n->builtin != NULL)
		load_builtin(l, n->builtin);
	else
		loader_argv(l, n->argv);
}

static void load_cwd(struct loader *l, const struct json *node)
{
	struct surface_tool_internal *in = l->tool->in;
	struct place place = { .what = "cwd", .holes = HOLE_BIT(HOLE_INPUT) };
	struct word word;
	int input;

	in->cwd = -1;
	if (node == NULL || !loader_word(l, node, &place, &word))
		return;
	input = surface_word_is_hole(&word) && word.pieces[0].pointer == NULL ? word.pieces[0].input
									      : -1;
	if (input < 0 || in->inputs[input].path != INPUT_PATH_DIR)
		loader_error(l, node, "\"cwd\" is one hole: an input with x-path: dir");
	else
		in->cwd = input;
}

/* Names that the child may have: they are in program.env or program.set. */
static bool is_declared_variable(const struct surface_program *program, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < program->set.len; i++) {
		if (strncmp(program->set.items[i], name, len) == 0 &&
		    program->set.items[i][len] == '=')
			return true;
	}
	return strvec_contains(&program->env, name);
}

static void add_set(struct loader *l, const struct json *node, const struct part *part)
{
	struct surface_tool_internal *in = l->tool->in;
	struct place place = { .what = "set",
		.holes = HOLE_BIT(HOLE_INPUT) | HOLE_BIT(HOLE_WORKSPACE) | HOLE_BIT(HOLE_STAGE),
		.part = part,
		.allows_secret = true };

	json_foreach_member (key, value, node) {
		if (!loader_variable(l, key))
			continue;
		if (!is_declared_variable(&l->surface->program, key->str))
			loader_error(l, key, "%s is in neither \"env\" nor \"set\" of the program",
			    key->str);
		if (loader_word(l, value, &place, &in->set[in->set_len]))
			in->set_names[in->set_len++] = loader_strdup(l, key->str);
	}
}

static size_t count_set(struct loader *l, const struct json *node)
{
	return node != NULL && loader_is_object(l, node, "set") ? node->len : 0;
}

/* Those of the parts, then the tool's own, which win because they come later. */
static void load_set(struct loader *l, const struct json *own)
{
	struct surface_tool_internal *in = l->tool->in;
	size_t n = count_set(l, own);

	for (size_t i = 0; i < l->used_len; i++)
		n += count_set(l, l->used[i]->set);
	if (n == 0)
		return;
	in->set = loader_alloc(l, n, sizeof(*in->set));
	in->set_names = loader_alloc(l, n, sizeof(*in->set_names));
	for (size_t i = 0; i < l->used_len; i++) {
		if (l->used[i]->set != NULL)
			add_set(l, l->used[i]->set, l->used[i]);
	}
	if (own != NULL)
		add_set(l, own, NULL);
}

static void load_results(struct loader *l, const struct json *own)
{
	const struct json *node = own;
	const struct part *part = NULL;

	for (size_t i = l->used_len; node == NULL && i > 0; i--) {
		part = l->used[i - 1];
		node = part->result;
	}
	if (node != NULL && l->tool->builtin != SURFACE_BUILTIN_NONE)
		loader_error(l, node, "a tool in process makes its own result");
	else if (node != NULL)
		loader_result(l, node, part);
	l->tool->in->hands_on = node == NULL && l->surface->program.output == SURFACE_OUTPUT_JSON &&
				l->tool->builtin == SURFACE_BUILTIN_NONE;
}

static void check_output(struct loader *l, const struct json *node)
{
	cleanup_err struct err err = ERR_INIT;
	const struct json *where = NULL;
	struct schema_options options = { .check_patterns = true };
	cleanup_schema struct schema *schema = schema_compile(node, &options, &where, &err);

	if (schema == NULL)
		loader_error(l, where != NULL ? where : node, "%s", err.message);
	if (!json_is_text(json_get(node, "type"), "object"))
		loader_error(l, node, "the root of \"output\" is of type object");
}

static void load_output(struct loader *l, const struct json *node)
{
	struct tool *tool = l->tool;

	if (node == NULL)
		return;
	if (tool->builtin == SURFACE_BUILTIN_STATUS) {
		if (!json_is_text(node, "auto"))
			loader_error(l, node, "the \"output\" of \"builtin: status\" is auto");
		tool->output_schema = loader_strdup(l, surface_status_schema);
	} else if (json_is_text(node, "auto")) {
		loader_derive_output(l, node);
	} else if (loader_is_object(l, node, "output (or auto)")) {
		if (!l->is_checked)
			check_output(l, node);
		tool->output_schema = arena_strdup(&l->in->arena, node->raw, node->raw_len);
	}
	tool->in->has_output = tool->output_schema != NULL;
}

static void add_ask_line(
    struct loader *l, const struct json *node, const struct part *part, bool vanishes)
{
	struct surface_tool_internal *in = l->tool->in;
	struct place place = { .what = "ask",
		.holes = HOLE_BIT(HOLE_INPUT) | HOLE_BIT(HOLE_WORKSPACE) | HOLE_BIT(HOLE_STAGE),
		.part = part,
		.allows_any_type = true };

	if (loader_word(l, node, &place, &in->ask[in->ask_len].word))
		in->ask[in->ask_len++].vanishes = vanishes;
}

static void add_ask(struct loader *l, const struct json *node, const struct part *part)
{
	if (node->type != JSON_ARRAY) {
		add_ask_line(l, node, part, part != NULL);
		return;
	}
	if (node->len == 0)
		loader_error(l, node, "\"ask\" is a text, or a list of its lines");
	json_foreach (line, node)
		add_ask_line(l, line, part, true);
}

static size_t count_ask(const struct json *node)
{
	return node != NULL && node->type == JSON_ARRAY ? node->len : 1;
}

/* The tool's lines, then those of its parts; parts alone ask nothing. */
static void load_ask(struct loader *l, const struct json *own)
{
	struct surface_tool_internal *in = l->tool->in;
	size_t n = count_ask(own);

	if (own == NULL)
		return;
	for (size_t i = 0; i < l->used_len; i++)
		n += count_ask(l->used[i]->ask);
	in->ask = loader_alloc(l, n, sizeof(*in->ask));
	add_ask(l, own, NULL);
	for (size_t i = 0; i < l->used_len; i++) {
		if (l->used[i]->ask != NULL)
			add_ask(l, l->used[i]->ask, l->used[i]);
	}
}

/* What an agent must know to get on. */
static const char policy_sentence[] =
    " The host's policy decides. APPROVAL_REQUIRED: nothing ran; ask the person to run the command "
    "that it names, then call this again with the same arguments.";

/* The author's text, then the sentences of the groups; 1 KB in all (clients.md R4). */
static void load_description(struct loader *l, const struct json *node)
{
	cleanup_buf struct buf text = BUF_INIT;
	const char *own = node != NULL ? loader_prose(l, node, 1023, 1023, true) : NULL;

	if (own == NULL)
		return;
	buf_adds(&text, own);
	loader_describe_groups(&text, l->tool);
	if (surface_is_planned(l->tool) && l->tool->writes == SURFACE_POLICY)
		buf_adds(&text, policy_sentence);
	if (text.len > 1023)
		loader_error(l, node,
		    "the description has %zu bytes with the generated sentences; 1023 are "
		    "allowed",
		    text.len);
	l->tool->description = loader_strdup(l, text.data);
}

static void write_client_schema(struct loader *l)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);

	/* As much as most need, so that the buffer does not grow step by step. */
	(void)buf_reserve(&text, 2048);
	loader_write_input_schema(&w, l->tool, true);
	l->tool->input_schema = loader_strdup(l, text.data);
}

void loader_begin_tool(struct loader *l, struct tool *tool)
{
	l->tool = tool;
	l->used_len = 0;
	memset(l->input_used, 0, sizeof(l->input_used));
}

/* What clients and gates look at. */
static void load_face(struct loader *l, const struct tool_nodes *n)
{
	load_use(l, n->use);
	if (n->input != NULL && !l->is_checked)
		loader_check_input(l, n->input);
	loader_inputs(l, n->input);
	load_groups(l, n->groups);
	load_description(l, n->description);
	write_client_schema(l);
}

/* What a call needs. */
static void load_works(struct loader *l, const struct tool_nodes *n)
{
	struct tool *tool = n->tool;

	load_action(l, n);
	load_cwd(l, n->cwd);
	load_set(l, n->set);
	if (n->errors != NULL)
		loader_errors(l, n->errors, &tool->in->errors, &tool->in->errors_len);
	load_results(l, n->result);
	load_output(l, n->output);
	load_ask(l, n->ask);
	if (n->examples != NULL)
		loader_examples(l, n->examples);
	tool->in->is_ready = true;
}

static void load_tool(struct loader *l, const struct json *node, struct tool *tool)
{
	struct tool_nodes n = { .tool = tool };

	tool->surface = l->surface;
	tool->writes = l->surface->writes;
	tool->limits = l->surface->limits;
	tool->in = loader_alloc(l, 1, sizeof(*tool->in));
	tool->in->self = tool;
	tool->in->node = node;
	tool->in->cwd = -1;
	loader_begin_tool(l, tool);
	loader_tool_keys(l, node, &n);
	tool->in->plan_node = n.plan;
	tool->in->accepts_confirm = tool->effect != SURFACE_READ && tool->writes != SURFACE_OPEN;
	load_face(l, &n);
	/* A derived output schema is seen by clients, and made of what is below. */
	if (!l->is_checked || n.builtin != NULL || n.output != NULL)
		load_works(l, &n);
}

/* A tool of a checked surface whose face alone was loaded so far. */
static void complete(const struct tool *seen)
{
	struct surface_internal *in = seen->surface->in;
	cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;
	struct loader l = { .surface = in->owner,
		.in = in,
		.notes = &notes,
		.is_checked = true,
		.parts = in->parts,
		.parts_len = in->parts_len };
	struct tool *tool = seen->in->self;
	const struct json *node = tool->in->node;
	struct tool_nodes n = { .tool = tool,
		.use = json_get(node, "use"),
		.argv = json_get(node, "argv"),
		.cwd = json_get(node, "cwd"),
		.set = json_get(node, "set"),
		.errors = json_get(node, "errors"),
		.result = tool->in->result_node != NULL ? tool->in->result_node
							: json_get(node, "result"),
		.ask = json_get(node, "ask"),
		.examples = json_get(node, "examples") };

	loader_begin_tool(&l, tool);
	load_use(&l, n.use);
	load_works(&l, &n);
	assert(l.faults == 0);
}

const struct surface_tool_internal *surface_tool_ready(const struct tool *tool)
{
	if (!tool->in->is_ready)
		complete(tool);
	return tool->in;
}

/* ---- all tools ---- */

static bool has_planned(const struct surface *surface)
{
	for (size_t i = 0; i < surface->tools_len; i++) {
		if (surface_is_planned(&surface->tools[i]))
			return true;
	}
	return false;
}

/* Nothing points at the tools yet but they themselves. */
static void make_room(struct loader *l)
{
	struct surface *surface = l->surface;
	struct tool *tools = loader_alloc(l, surface->tools_len + ENGINE_TOOLS_MAX, sizeof(*tools));

	memcpy(tools, surface->tools, surface->tools_len * sizeof(*tools));
	for (size_t i = 0; i < surface->tools_len; i++)
		tools[i].in->self = &tools[i];
	surface->tools = tools;
}

/* What is half read is not judged further: that would only be noise. */
static void load_plans(struct loader *l)
{
	for (size_t i = 0; i < l->surface->tools_len; i++) {
		struct tool *tool = &l->surface->tools[i];

		if (!tool->in->is_broken &&
		    (tool->in->plan_node != NULL || surface_is_planned(tool)))
			loader_plan(l, tool);
	}
}

const struct tool *loader_own_tool(struct loader *l, const struct json *node)
{
	cleanup_buf struct buf shown = BUF_INIT;
	const char *name = loader_text(l, node);

	for (size_t i = 0; name != NULL && i < l->surface->tools_len; i++) {
		const struct tool *tool = &l->surface->tools[i];

		if (tool->name != NULL && strcmp(tool->name, name) == 0 && !tool->is_engine)
			return tool;
	}
	if (name == NULL)
		return NULL;
	text_add_visible(&shown, name, text_cut(name, strlen(name), 60));
	loader_error(l, node, "this surface has no tool \"%s\"", shown.data);
	return NULL;
}

void loader_tools(struct loader *l, const struct json *node)
{
	struct surface *surface = l->surface;

	if (!loader_is_array(l, node, "tools"))
		return;
	if (node->len == 0 || node->len > LIMIT_TOOLS) {
		loader_error(l, node, "a surface has 1 to %zu tools", LIMIT_TOOLS);
		return;
	}
	surface->tools = loader_alloc(l, node->len, sizeof(*surface->tools));
	json_foreach (item, node) {
		struct tool *tool = &surface->tools[surface->tools_len];
		size_t faults = l->faults;

		if (loader_is_full(l))
			return;
		if (!loader_is_object(l, item, "a tool"))
			continue;
		load_tool(l, item, tool);
		tool->in->is_broken = l->faults > faults;
		if (!l->is_checked && !tool->in->is_broken)
			loader_check_tool(l);
		surface->tools_len++;
	}
	if (has_planned(surface))
		make_room(l);
	load_plans(l);
	if (l->faults == 0 && has_planned(surface))
		loader_engine(l);
	if (!l->is_checked)
		loader_note_tools(l, node);
}
