/* SPDX-License-Identifier: MIT */
/*
 * The tools that are made for a surface with planned ones (section 7): to make, show and apply
 * plans, to follow operations, to keep sessions. They come of one file, surfaces/plan.yaml, which
 * the build proves and embeds; here its names are filled in, and what it makes is loaded as a
 * surface beside, under the same name, whose program is this binary.
 */
#include "surface/surface_loader.h"

#include <assert.h>
#include <string.h>

/* Of what the planned tools take: it stands in the schema of one tool, which clients read whole. */
#define SCHEMAS_MAX ((size_t)128 << 10)

/* ---- the template, filled in ---- */

/* What stands in the template, and what it becomes. */
struct filling {
	const struct surface *surface;
	struct buf prefix;  /* "my_app_" */
	struct buf schemas; /* what the planned tools take, for people and models */
	bool has_plans;     /* some tool has `writes: plan` */
};

static void describe_tool(struct buf *text, const struct tool *tool)
{
	const char *about = tool->title != NULL ? tool->title : tool->description;

	buf_addf(text, "%s%s (%s): %s", text->len > 0 ? " \n" : "", tool->name, about,
	    tool->input_schema);
}

static void begin_filling(struct filling *filling, const struct surface *surface)
{
	filling->surface = surface;
	buf_addf(&filling->prefix, "%s_", surface->name);
	for (size_t i = 0; i < filling->prefix.len; i++) {
		if (filling->prefix.data[i] == '-')
			filling->prefix.data[i] = '_';
	}
	for (size_t i = 0; i < surface->tools_len; i++) {
		if (!surface_wants_plan(&surface->tools[i]))
			continue;
		filling->has_plans = true;
		describe_tool(&filling->schemas, &surface->tools[i]);
	}
}

static bool starts_with(const char *at, const char *end, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(end - at) >= len && memcmp(at, word, len) == 0;
}

static void write_text(
    const struct filling *filling, const struct json *node, struct json_writer *w)
{
	const struct {
		const char *word;
		const char *text;
	} words[] = {
		{ "prefix_", filling->prefix.data },
		{ "surface_name", filling->surface->name },
		{ "planned_schemas", filling->schemas.data },
	};
	cleanup_buf struct buf text = BUF_INIT;
	const char *end = node->str + node->len;

	for (const char *at = node->str; at < end;) {
		size_t i = 0;

		while (i < ARRAY_LEN(words) && !starts_with(at, end, words[i].word))
			i++;
		if (i == ARRAY_LEN(words)) {
			buf_addc(&text, *at++);
			continue;
		}
		buf_adds(&text, words[i].text);
		at += strlen(words[i].word);
	}
	json_write_string_len(w, text.data, text.len);
}

/* The choice of a planned tool. */
static void write_planned(const struct filling *filling, struct json_writer *w)
{
	for (size_t i = 0; i < filling->surface->tools_len; i++) {
		if (surface_wants_plan(&filling->surface->tools[i]))
			json_write_string(w, filling->surface->tools[i].name);
	}
}

/* To make and to apply is for tools with `writes: plan`; the others make their plans themselves. */
static bool is_wanted(const struct filling *filling, const struct json *node)
{
	const struct json *name = json_get(node, "name");

	return filling->has_plans || (!json_is_text(name, "prefix_plan_create") &&
					 !json_is_text(name, "prefix_plan_apply"));
}

static void write_filled(
    const struct filling *filling, const struct json *node, struct json_writer *w)
{
	if (node->type == JSON_STRING) {
		write_text(filling, node, w);
	} else if (node->type == JSON_ARRAY) {
		json_write_array_begin(w);
		json_foreach (item, node) {
			if (json_is_text(item, "planned_tool"))
				write_planned(filling, w);
			else if (is_wanted(filling, item))
				write_filled(filling, item, w);
		}
		json_write_array_end(w);
	} else if (node->type == JSON_OBJECT) {
		json_write_object_begin(w);
		json_foreach_member (key, value, node) {
			json_write_key_len(w, key->str, key->len);
			if (json_is_text(key, "surface"))
				json_write_string(w, filling->surface->name);
			else
				write_filled(filling, value, w);
		}
		json_write_object_end(w);
	} else {
		json_write_node(w, node);
	}
}

static struct surface *load_filled(const struct filling *filling)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);
	struct surface *engine = NULL;
	size_t len = 0;
	const char *template = surface_plan_template(&len);

	if (json_read(&doc, template, len, &err) == 0) {
		write_filled(filling, json_root(&doc), &w);
		engine =
		    surface_load_compiled(text.data, text.len, &filling->surface->digest, &err);
	}
	/* It was proved when this program was built, and what is filled in are names. */
	assert(engine != NULL);
	engine->in->text = text;
	return engine;
}

/* ---- the surface beside ---- */

static void pass(struct surface *engine, const char *name)
{
	if (name != NULL && !strvec_contains(&engine->program.env, name))
		strvec_push(&engine->program.env, name);
}

/* It runs the surface's program in turn: what that needs to be found, and to run, passes. */
static void pass_environment(struct surface *engine, const struct surface_program *program)
{
	pass(engine, "PATH");
	for (size_t i = 0; i < program->env.len; i++)
		pass(engine, program->env.items[i]);
	pass(engine, program->override);
	pass(engine, program->switch_allow_write);
	pass(engine, program->switch_allow_noninteractive_write);
	pass(engine, program->switch_allow_drift);
}

/* Is there such a tool already? A program with plans of its own may have tools for them, which then
 * are there alone. */
static bool is_taken(struct loader *l, const struct filling *filling, const struct tool *made)
{
	const struct tool *own = surface_find_tool(l->surface, made->name);

	if (own == NULL)
		return false;
	if (filling->has_plans)
		loader_error(l, own->in->node,
		    "stile makes a tool called %s for the planned tools of this surface: "
		    "take another name",
		    made->name);
	return true;
}

static void append(struct loader *l, const struct filling *filling, struct tool *made)
{
	struct surface *surface = l->surface;
	struct tool *tool = &surface->tools[surface->tools_len];

	if (is_taken(l, filling, made))
		return;
	*tool = *made;
	tool->in->self = tool;
	made->in = NULL;
	surface->tools_len++;
}

static void make_tools(struct loader *l, const struct filling *filling)
{
	struct surface *engine = load_filled(filling);

	l->in->engine = engine;
	engine->limits.children = l->surface->limits.children;
	pass_environment(engine, &l->surface->program);
	assert(engine->tools_len <= ENGINE_TOOLS_MAX);
	for (size_t i = 0; i < engine->tools_len; i++) {
		engine->tools[i].is_engine = true;
		/* The last one is nobody's to see. */
		if (i + 1 < engine->tools_len)
			append(l, filling, &engine->tools[i]);
	}
}

void loader_engine(struct loader *l)
{
	struct filling filling = { .prefix = BUF_INIT, .schemas = BUF_INIT };

	begin_filling(&filling, l->surface);
	if (filling.schemas.len > SCHEMAS_MAX)
		loader_error(l, json_get(json_root(&l->in->doc), "tools"),
		    "the schemas of the tools with \"writes: plan\" have %zu bytes; %zu are "
		    "allowed in all",
		    filling.schemas.len, SCHEMAS_MAX);
	else
		make_tools(l, &filling);
	buf_release(&filling.prefix);
	buf_release(&filling.schemas);
}

/* ---- what is run ---- */

const struct tool *surface_runs(const struct tool *tool)
{
	const struct surface *engine = tool->surface->in->engine;

	if (tool->plan == NULL || tool->writes != SURFACE_POLICY)
		return tool;
	return &engine->tools[engine->tools_len - 1];
}

int surface_stand_in_arguments(const struct tool *tool, const struct json *arguments,
    struct json_doc *ret_doc, struct err *err)
{
	struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);
	size_t len;

	json_write_object_begin(&w);
	json_write_member_string(&w, "tool", tool->name);
	json_write_key(&w, "arguments");
	json_write_node(&w, arguments);
	json_write_object_end(&w);
	len = text.len;
	return json_read_take(ret_doc, buf_detach(&text), len, err);
}
