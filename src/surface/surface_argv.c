/* SPDX-License-Identifier: MIT */
/*
 * Arguments become one command line. That no value is read as an option was proved when the file
 * was loaded (section 2.1); the check in add_word() is a second lock on the same door, for words
 * that begin with a caller's value.
 */
#include "surface/surface_internal.h"

#include <assert.h>
#include <string.h>

#include "base/limits.h"

void surface_command_release(struct surface_command *command)
{
	strvec_release(&command->words);
	strvec_release(&command->set);
	buf_release(&command->stdin_data);
	for (size_t i = 0; i < command->files_len; i++) {
		free(command->files[i].path);
		buf_release(&command->files[i].data);
	}
	free(command->files);
	free(command->cwd);
	*command = SURFACE_COMMAND_INIT;
}

/* A command line being built. */
struct build {
	const struct surface_program *program;
	struct scope_values values;
	struct surface_command command;
	size_t bytes;         /* of all words, as execve(2) counts them */
	bool is_past_end;     /* the end word stands before what comes next */
	bool is_last_literal; /* the last word had no hole */
	struct err *err;
};

/* ---- words ---- */

static bool is_literal(const struct word *word)
{
	for (size_t i = 0; i < word->len; i++) {
		if (word->pieces[i].is_hole)
			return false;
	}
	return true;
}

/* An option right before, of which the author says that it takes any word. */
static bool is_taken(const struct build *b)
{
	const struct strvec *words = &b->command.words;

	return b->is_last_literal && words->len > 0 &&
	       strvec_contains(&b->program->takes, words->items[words->len - 1]);
}

static int check_lead(const struct build *b, const struct word *word, const char *text)
{
	if (b->is_past_end || text[0] == '\0' || strchr(b->program->lead, text[0]) == NULL ||
	    word->len == 0 || !word->pieces[0].is_hole || is_taken(b))
		return 0;
	return err_set(b->err, ERR_INVALID_ARGUMENT,
	    "a value begins with \"%c\" where the program would read an option", text[0]);
}

static int check_line(const struct build *b)
{
	if (b->command.words.len > LIMIT_COMMAND_WORDS)
		return err_set(b->err, ERR_LIMIT, "the command line has more than %zu words",
		    LIMIT_COMMAND_WORDS);
	if (b->bytes > LIMIT_COMMAND_LINE)
		return err_set(b->err, ERR_LIMIT, "the command line is longer than %zu bytes",
		    LIMIT_COMMAND_LINE);
	return 0;
}

/* One argument or nothing: 1, 0, or -1. */
static int add_word(struct build *b, const struct word *word)
{
	cleanup_buf struct buf text = BUF_INIT;
	int given = surface_expand_word(word, &b->values, LIMIT_ARGUMENT, &text, b->err);

	if (given <= 0)
		return given;
	if (check_lead(b, word, text.data) < 0)
		return -1;
	b->bytes += text.len + 1 + sizeof(char *);
	b->is_last_literal = is_literal(word);
	if (b->is_last_literal && b->program->end != NULL &&
	    strcmp(text.data, b->program->end) == 0)
		b->is_past_end = true;
	strvec_take(&b->command.words, buf_detach(&text));
	return check_line(b) < 0 ? -1 : 1;
}

/* ---- contents ---- */

/* Raw text of a word, or compact JSON: 1, 0 when it has no value, -1. */
static int expand_content(struct build *b, const struct content *content, struct buf *ret_data)
{
	struct json_writer w = JSON_WRITER_INIT(ret_data);

	if (!content->is_json)
		return surface_expand_word(
		    &content->word, &b->values, BUF_MAX_DEFAULT, ret_data, b->err);
	if (!surface_write_template(&content->json, &b->values, &w))
		return 0;
	return buf_check(ret_data, "the content for the program", b->err) < 0 ? -1 : 1;
}

/* ---- elements ---- */

static int add_elements(struct build *b, const struct element *elements, size_t len);
static int add_element(struct build *b, const struct element *element);

/* The rows of a spread see the item; what was around them is put back afterwards. */
static int add_item(struct build *b, const struct element *element, const struct json *key,
    const struct json *item, size_t index)
{
	b->values.item = item;
	b->values.item_index = index;
	b->values.item_key = key == NULL ? NULL : key->str;
	b->values.item_key_len = key == NULL ? 0 : key->len;
	return add_elements(b, element->children, element->children_len);
}

static int add_each(struct build *b, const struct element *element)
{
	const struct json *list =
	    surface_input_value(b->values.in, b->values.arguments, element->input);
	struct scope_values around = b->values;
	size_t index = 0;
	int yielded = 0;
	int added = 0;

	b->values.path = NULL;
	b->values.item_input = element->input;
	if (json_is(list, JSON_ARRAY)) {
		json_foreach (item, list) {
			if (added >= 0)
				added = add_item(b, element, NULL, item, index++);
			yielded = added > 0 ? 1 : yielded;
		}
	} else if (json_is(list, JSON_OBJECT)) {
		json_foreach_member (key, value, list) {
			if (added >= 0)
				added = add_item(b, element, key, value, index++);
			yielded = added > 0 ? 1 : yielded;
		}
	}
	b->values = around;
	return added < 0 ? -1 : yielded;
}

static int add_first(struct build *b, const struct element *element)
{
	for (size_t i = 0; i < element->children_len; i++) {
		int added = add_element(b, &element->children[i]);

		if (added != 0)
			return added;
	}
	return 0;
}

/* Without a content there are no words either: they speak of it. */
static int add_stdin(struct build *b, const struct element *element)
{
	struct surface_command *command = &b->command;
	int given;

	assert(!command->has_stdin); /* proved at load: at most one on any path */
	given = expand_content(b, &element->content, &command->stdin_data);
	if (given <= 0)
		return given;
	command->has_stdin = true;
	return add_elements(b, element->children, element->children_len) < 0 ? -1 : 1;
}

static int add_file(struct build *b, const struct element *element)
{
	struct surface_command *command = &b->command;
	const struct surface_launch *launch = b->values.launch;
	const char *around = b->values.path;
	struct buf data = BUF_INIT;
	struct surface_file *file;
	int given = expand_content(b, &element->content, &data);

	if (given <= 0) {
		buf_release(&data);
		return given;
	}
	command->files =
	    xreallocarray(command->files, command->files_len + 1, sizeof(*command->files));
	file = &command->files[command->files_len];
	file->path = xasprintf("%s%zu", launch->private_dir, command->files_len);
	file->data = data;
	command->files_len++;
	b->values.path = file->path;
	given = add_elements(b, element->children, element->children_len);
	b->values.path = around;
	return given < 0 ? -1 : 1;
}

/* 1 when it yielded a word or a content, 0 when nothing, -1. */
static int add_element(struct build *b, const struct element *element)
{
	if (!surface_condition_met(&element->condition, b->values.in, b->values.arguments))
		return 0;
	switch (element->kind) {
	case ELEMENT_WORD:
		return add_word(b, &element->word);
	case ELEMENT_WORDS:
		return add_elements(b, element->children, element->children_len);
	case ELEMENT_EACH:
		return add_each(b, element);
	case ELEMENT_FIRST:
		return add_first(b, element);
	case ELEMENT_STDIN:
		return add_stdin(b, element);
	case ELEMENT_FILE:
		return add_file(b, element);
	}
	return err_set(b->err, ERR_INTERNAL, "an element of unknown kind");
}

static int add_elements(struct build *b, const struct element *elements, size_t len)
{
	int yielded = 0;

	for (size_t i = 0; i < len; i++) {
		int added = add_element(b, &elements[i]);

		if (added < 0)
			return -1;
		yielded |= added;
	}
	return yielded;
}

/* ---- what stands around the tool's words ---- */

static bool has_root(const struct word *word)
{
	for (size_t i = 0; i < word->len; i++) {
		if (word->pieces[i].is_hole && word->pieces[i].kind == HOLE_ROOT)
			return true;
	}
	return false;
}

/* `program.args`: a word with {$root} repeats once per launch root. */
static int add_program_args(struct build *b, const struct surface_internal *in)
{
	const struct strvec *roots = b->values.launch->roots;

	for (size_t i = 0; i < in->program_args_len; i++) {
		const struct word *word = &in->program_args[i];
		size_t times = has_root(word) ? roots->len : 1;

		for (size_t r = 0; r < times; r++) {
			b->values.root = has_root(word) ? roots->items[r] : NULL;
			if (add_word(b, word) < 0)
				return -1;
		}
	}
	b->values.root = NULL;
	return 0;
}

/* A status tool asks what the surface's probe asks, behind the same fixed words as every tool. */
static int add_probe(struct build *b, const struct tool *tool)
{
	const struct strvec *probe = b->program->probe;

	if (tool->builtin != SURFACE_BUILTIN_STATUS)
		return 0;
	for (size_t i = 0; i < probe->len; i++) {
		b->bytes += strlen(probe->items[i]) + 1 + sizeof(char *);
		strvec_push(&b->command.words, probe->items[i]);
	}
	return check_line(b);
}

/* `program.set`, then the tool's, which wins because it comes later. */
static int add_set(struct build *b)
{
	const struct surface_tool_internal *in = b->values.in;
	const struct strvec *fixed = &b->program->set;

	for (size_t i = 0; i < fixed->len; i++)
		strvec_push(&b->command.set, fixed->items[i]);
	for (size_t i = 0; i < in->set_len; i++) {
		cleanup_buf struct buf text = BUF_INIT;
		int given =
		    surface_expand_word(&in->set[i], &b->values, LIMIT_ARGUMENT, &text, b->err);

		if (given < 0)
			return -1;
		if (given == 0)
			continue;
		b->bytes += text.len + strlen(in->set_names[i]) + 2 + sizeof(char *);
		strvec_pushf(&b->command.set, "%s=%s", in->set_names[i], text.data);
	}
	return check_line(b);
}

static int add_cwd(struct build *b)
{
	const struct surface_tool_internal *in = b->values.in;
	const struct json *value = surface_input_value(in, b->values.arguments, in->cwd);

	if (value == NULL)
		return 0;
	if (json_text(value) == NULL || value->str[0] != '/')
		return err_set(b->err, ERR_INVALID_ARGUMENT, "/%s: is no absolute path to work in",
		    in->inputs[in->cwd].name);
	b->command.cwd = xstrdup(value->str);
	return 0;
}

/* ---- the stage ---- */

int surface_build_command(const struct tool *tool, const struct json *arguments,
    const struct surface_launch *launch, struct surface_command *ret_command, struct err *err)
{
	struct build b = {
		.program = &tool->surface->program,
		.values = SCOPE_VALUES_INIT,
		.command = SURFACE_COMMAND_INIT,
		.err = err,
	};

	b.values.in = surface_tool_ready(tool);
	b.values.arguments = arguments;
	b.values.launch = launch;
	if (add_program_args(&b, tool->surface->in) < 0 ||
	    add_elements(&b, tool->in->argv, tool->in->argv_len) < 0 || add_probe(&b, tool) < 0 ||
	    add_set(&b) < 0 || add_cwd(&b) < 0) {
		surface_command_release(&b.command);
		return -1;
	}
	*ret_command = b.command;
	return 0;
}
