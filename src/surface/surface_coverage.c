/* SPDX-License-Identifier: MIT */
/*
 * The parity table: which of a program's commands are tools, which are left out and why, and which
 * are neither. A tool's command is the literal words that its command line begins with.
 */
#include "surface/surface_internal.h"

#include <string.h>

/* A command as it is gathered from a tool's words. */
struct command {
	const struct surface_program *program;
	struct buf text;
	bool is_open; /* an option stands before, whose value the next word may be */
};

static bool is_option(const struct command *c, const struct word *word)
{
	return word->len > 0 && !word->pieces[0].is_hole && word->pieces[0].text[0] != '\0' &&
	       strchr(c->program->lead, word->pieces[0].text[0]) != NULL;
}

/* False: the command ends here. */
static bool add_word(struct command *c, const struct word *word)
{
	bool is_literal = surface_word_is_literal(word);
	const char *text = is_literal && word->len > 0 ? word->pieces[0].text : "";
	bool is_end = c->program->end != NULL && strcmp(text, c->program->end) == 0;

	if (is_end || (is_option(c, word) && c->text.len > 0))
		return false;
	if (is_option(c, word)) {
		c->is_open = is_literal && strchr(text, '=') == NULL;
		return true;
	}
	if (!is_literal) {
		bool is_value = c->is_open;

		c->is_open = false;
		return is_value;
	}
	c->is_open = false;
	buf_addf(&c->text, "%s%s", c->text.len > 0 ? " " : "", text);
	return true;
}

/* What is under a condition belongs to no command's name. */
static bool add_elements(struct command *c, const struct element *elements, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const struct element *element = &elements[i];

		if (element->condition.when_len > 0 || element->condition.unless_len > 0)
			continue;
		if (element->kind == ELEMENT_WORD && !add_word(c, &element->word))
			return false;
		if (element->kind == ELEMENT_WORDS &&
		    !add_elements(c, element->children, element->children_len))
			return false;
	}
	return true;
}

/* A status tool's command is the probe's. */
static void add_probe(struct command *c, const struct strvec *probe)
{
	for (size_t i = 0; i < probe->len; i++) {
		const char *word = probe->items[i];

		if (word[0] == '\0' || strchr(c->program->lead, word[0]) != NULL)
			return;
		buf_addf(&c->text, "%s%s", c->text.len > 0 ? " " : "", word);
	}
}

static void command_of(const struct tool *tool, struct buf *ret_text)
{
	const struct surface_tool_internal *in = surface_tool_ready(tool);
	struct command c = { .program = &tool->surface->program, .text = BUF_INIT };

	(void)add_elements(&c, in->argv, in->argv_len);
	if (tool->builtin == SURFACE_BUILTIN_STATUS)
		add_probe(&c, c.program->probe);
	buf_add(ret_text, c.text.data, c.text.len);
	buf_release(&c.text);
}

/* ---- the table ---- */

struct coverage {
	struct json_writer *w;
	struct strvec seen; /* commands that have a row */
};

static void write_row(struct coverage *c, const char *command, const char *key, const char *value)
{
	json_write_object_begin(c->w);
	json_write_member_string(c->w, "command", command);
	json_write_member_string(c->w, key, value);
	json_write_object_end(c->w);
	strvec_push(&c->seen, command);
}

static void write_tools(struct coverage *c, const struct surface *surface)
{
	for (size_t i = 0; i < surface->tools_len; i++) {
		cleanup_buf struct buf command = BUF_INIT;

		/* No command of the program. */
		if (surface->tools[i].is_engine)
			continue;
		command_of(&surface->tools[i], &command);
		if (command.len > 0)
			write_row(c, command.data, "tool", surface->tools[i].name);
	}
}

static void write_left_out(struct coverage *c, const struct json *left_out)
{
	json_foreach (item, left_out) {
		const struct json *command = json_get(item, "command");
		const char *why = json_text(json_get(item, "why"));

		if (command->type == JSON_STRING) {
			write_row(c, command->str, "left_out", why);
			continue;
		}
		json_foreach (one, command)
			write_row(c, one->str, "left_out", why);
	}
}

static void write_missing(struct coverage *c, const char *tree)
{
	json_write_key(c->w, "missing");
	json_write_array_begin(c->w);
	while (*tree != '\0') {
		size_t len = strcspn(tree, "\n");
		cleanup_free char *line = xmemdupz(tree, len);
		size_t end = len;

		while (end > 0 && (line[end - 1] == ' ' || line[end - 1] == '\r'))
			line[--end] = '\0';
		if (end > 0 && !strvec_contains(&c->seen, line))
			json_write_string(c->w, line);
		tree += len + (tree[len] == '\n' ? 1 : 0);
	}
	json_write_array_end(c->w);
}

void surface_write_coverage(const struct surface *surface, const char *tree, struct json_writer *w)
{
	struct coverage c = { .w = w };

	json_write_object_begin(w);
	json_write_key(w, "commands");
	json_write_array_begin(w);
	write_tools(&c, surface);
	if (surface->in->left_out != NULL)
		write_left_out(&c, surface->in->left_out);
	json_write_array_end(w);
	if (tree != NULL)
		write_missing(&c, tree);
	json_write_object_end(w);
	strvec_release(&c.seen);
}
