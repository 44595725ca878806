/* SPDX-License-Identifier: MIT */
/* What is asked of a tool once it is read, and what is told of all of them. */
#include "surface/surface_loader.h"

#include <string.h>

/* ---- one tool ---- */

static void check_input_use(struct loader *l, size_t index)
{
	const struct tool *tool = l->tool;
	const struct input *input = &tool->in->inputs[index];

	if (!input->is_hidden && !l->input_used[index])
		loader_error(l, input->schema,
		    "tool %s: the input \"%s\" is used nowhere (x-hidden: true if it shall be)",
		    tool->name, input->name);
	if (input->is_secret_argv)
		loader_warn(l, input->schema,
		    "tool %s: the secret \"%s\" stands on the command line, where other processes "
		    "of this user can read it",
		    tool->name, input->name);
	if (input->path == INPUT_PATH_WRITE && tool->files != SURFACE_FILES_WRITE)
		loader_error(l, tool->in->node,
		    "\"files: write\" is missing: \"%s\" is x-path: write", input->name);
	else if (input->path != INPUT_PATH_NONE && tool->files == SURFACE_FILES_NONE)
		loader_error(
		    l, tool->in->node, "\"files: read\" is missing: \"%s\" is a path", input->name);
}

void loader_check_tool(struct loader *l)
{
	for (size_t i = 0; i < l->tool->in->inputs_len; i++)
		check_input_use(l, i);
	loader_check_pointers(l);
	loader_prove(l);
}

/* ---- all tools ---- */

static void note_unused_parts(struct loader *l)
{
	for (size_t i = 0; i < l->parts_len; i++) {
		if (!l->parts[i].is_used)
			loader_warn(
			    l, l->parts[i].node, "no tool uses this part: it is not checked");
	}
}

/* Clients put the server's name before the tool's (clients.md R1). */
static void note_names(struct loader *l, const struct json *node)
{
	const struct tool *longest = NULL;

	for (size_t i = 0; i < l->surface->tools_len; i++) {
		const struct tool *tool = &l->surface->tools[i];

		if (tool->name != NULL &&
		    (longest == NULL || strlen(tool->name) > strlen(longest->name)))
			longest = tool;
	}
	if (longest != NULL)
		loader_info(l, node,
		    "the longest tool name, %s, has %zu characters: a server name may have up to "
		    "%zu more",
		    longest->name, strlen(longest->name), 57 - strlen(longest->name));
}

/* Is the option followed by a word with a leading dash in an example? */
static bool is_shown(const struct json *argv, const char *option, const char *lead)
{
	const struct json *before = NULL;

	json_foreach (item, argv) {
		if (json_is_text(before, option) && item->type == JSON_STRING && item->len > 0 &&
		    strchr(lead, item->str[0]) != NULL)
			return true;
		before = item;
	}
	return false;
}

static bool has_example(const struct loader *l, const char *option)
{
	for (size_t i = 0; i < l->surface->tools_len; i++) {
		const struct json *examples = l->surface->tools[i].in->examples;

		if (examples == NULL)
			continue;
		json_foreach (example, examples) {
			const struct json *argv = json_get(example, "argv");

			if (json_is(argv, JSON_ARRAY) &&
			    is_shown(argv, option, l->surface->program.lead))
				return true;
		}
	}
	return false;
}

static void note_takes(struct loader *l)
{
	const struct json *node = json_get(json_get(json_root(&l->in->doc), "program"), "takes");
	const struct strvec *takes = &l->surface->program.takes;

	for (size_t i = 0; i < takes->len; i++) {
		loader_info(
		    l, node, "the author asserts that %s swallows the next word", takes->items[i]);
		if (!has_example(l, takes->items[i]))
			loader_warn(l, node,
			    "no example shows %s followed by a value with a leading dash",
			    takes->items[i]);
	}
}

void loader_note_tools(struct loader *l, const struct json *node)
{
	note_unused_parts(l);
	note_names(l, node);
	note_takes(l);
}
