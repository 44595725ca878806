/* SPDX-License-Identifier: MIT */
/* What a file declares, for the person who is asked to trust it. */
#include "surface/surface_internal.h"

static void write_list(struct json_writer *w, const char *name, const struct strvec *texts)
{
	if (texts->len == 0)
		return;
	json_write_key(w, name);
	json_write_array_begin(w);
	for (size_t i = 0; i < texts->len; i++)
		json_write_string(w, texts->items[i]);
	json_write_array_end(w);
}

static void write_optional(struct json_writer *w, const char *name, const char *text)
{
	if (text != NULL)
		json_write_member_string(w, name, text);
}

/* The words as they stand in the file. */
static void write_arguments(struct json_writer *w, const struct surface *surface)
{
	const struct json *args =
	    json_get(json_get(json_root(&surface->in->doc), "program"), "args");

	if (args == NULL)
		return;
	json_write_key(w, "arguments");
	json_write_node(w, args);
}

static void write_secret_patterns(struct json_writer *w, const struct surface *surface)
{
	json_write_key(w, "secrets");
	json_write_array_begin(w);
	for (size_t i = 0; i < surface->secrets_len; i++)
		json_write_string(w, surface->secrets[i].name);
	json_write_array_end(w);
}

static void write_program(struct json_writer *w, const struct surface *surface)
{
	const struct surface_program *program = &surface->program;

	json_write_member_string(w, "program", program->run);
	write_optional(w, "override", program->override);
	write_arguments(w, surface);
	write_list(w, "passes", &program->env);
	write_list(w, "sets", &program->set);
	write_list(w, "swallows", &program->takes);
	json_write_member_string(w, "end", program->end != NULL ? program->end : "none");
	if (program->guard_git)
		json_write_member_string(w, "guard", "git");
}

/* ---- tools ---- */

static void write_note_if(struct json_writer *w, bool is_so, const char *note)
{
	if (is_so)
		json_write_string(w, note);
}

static void write_secret_notes(struct json_writer *w, const struct tool *tool)
{
	for (size_t i = 0; i < tool->in->inputs_len; i++) {
		cleanup_buf struct buf text = BUF_INIT;

		if (!tool->in->inputs[i].is_secret_argv)
			continue;
		buf_addf(&text, "%s on the command line", tool->in->inputs[i].name);
		json_write_string(w, text.data);
	}
}

/* How it is run, and what policy compares: the word as it stands in the file. */
static void write_plan_note(struct json_writer *w, const struct tool *tool)
{
	const struct json *target = json_get(tool->in->plan_node, "target");
	cleanup_buf struct buf text = BUF_INIT;

	buf_addf(&text, "%s, target %s",
	    surface_wants_plan(tool) ? "only by a plan" : "asks the policy", target->str);
	json_write_string(w, text.data);
}

static void write_notes(struct json_writer *w, const struct tool *tool)
{
	json_write_key(w, "notes");
	json_write_array_begin(w);
	write_note_if(w, tool->executes_any, "runs a program of the caller's choice");
	write_note_if(w, tool->reveals, "reveals secrets");
	write_note_if(w, tool->files == SURFACE_FILES_READ, "reads files");
	write_note_if(w, tool->files == SURFACE_FILES_WRITE, "writes files");
	write_note_if(w, (int)tool->rank < (int)tool->effect, "rank below effect");
	write_note_if(w,
	    tool->effect != SURFACE_READ && tool->writes == SURFACE_OPEN && !tool->is_engine,
	    "no write gate");
	write_note_if(w, tool->is_engine, "made by stile");
	if (tool->plan != NULL)
		write_plan_note(w, tool);
	write_note_if(w, tool->is_hidden, "hidden");
	write_note_if(w, tool->builtin == SURFACE_BUILTIN_CONTEXT, "answered by stile itself");
	write_note_if(w, tool->builtin == SURFACE_BUILTIN_STATUS,
	    "runs the program's version command and its probe");
	write_secret_notes(w, tool);
	json_write_array_end(w);
}

static void write_tool(struct json_writer *w, const struct tool *tool)
{
	static const char *const effects[] = {
		[SURFACE_READ] = "read",
		[SURFACE_WRITE] = "write",
		[SURFACE_DESTROY] = "destroy",
	};
	static const char *const ranks[] = {
		[SURFACE_RANK_READ] = "read",
		[SURFACE_RANK_WRITE] = "write",
		[SURFACE_RANK_MANAGE] = "manage",
	};

	json_write_object_begin(w);
	json_write_member_string(w, "name", tool->name);
	write_optional(w, "title", tool->title);
	json_write_member_string(w, "effect", effects[tool->effect]);
	json_write_member_string(w, "rank", ranks[tool->rank]);
	write_notes(w, tool);
	json_write_object_end(w);
}

/* ---- resources ---- */

static void write_resources(struct json_writer *w, const struct surface *surface)
{
	json_write_key(w, "resources");
	json_write_array_begin(w);
	for (size_t i = 0; i < surface->resources_len; i++) {
		const struct resource *resource = &surface->resources[i];

		json_write_object_begin(w);
		json_write_member_string(w, "uri", resource->uri);
		json_write_member_string(w, "name", resource->name);
		json_write_member_string(w, "mime", resource->mime);
		write_optional(w, "tool", resource->tool != NULL ? resource->tool->name : NULL);
		json_write_object_end(w);
	}
	json_write_array_end(w);
}

void surface_write_summary(const struct surface *surface, struct json_writer *w)
{
	static const char *const gates[] = {
		[SURFACE_ELICIT] = "elicit",
		[SURFACE_PLAN] = "plan",
		[SURFACE_POLICY] = "policy",
		[SURFACE_OPEN] = "open",
	};
	char digest[DIGEST_TEXT_SIZE];

	digest_format(&surface->digest, digest);
	json_write_object_begin(w);
	json_write_member_string(w, "surface", surface->name);
	write_optional(w, "title", surface->title);
	json_write_member_string(w, "digest", digest);
	write_program(w, surface);
	json_write_member_string(w, "writes", gates[surface->writes]);
	json_write_member_bool(w, "scoped", surface->is_scoped);
	if (surface->secrets_len > 0)
		write_secret_patterns(w, surface);
	json_write_key(w, "tools");
	json_write_array_begin(w);
	for (size_t i = 0; i < surface->tools_len; i++)
		write_tool(w, &surface->tools[i]);
	json_write_array_end(w);
	if (surface->resources_len > 0)
		write_resources(w, surface);
	json_write_object_end(w);
}
