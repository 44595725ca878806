/* SPDX-License-Identifier: MIT */
/*
 * The examples of a file, run without the program: arguments → command line, and what the program
 * is said to print → result. Paths are taken as given; there is one root, "/"; private files stand
 * at /file/0, /file/1 …; a scoped surface has workspace and stage "example".
 */
#include "surface/surface_internal.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"

struct example {
	const struct surface *surface;
	const struct tool *tool;
	const struct json *node;
	struct surface_notes *notes;
	const struct surface_launch *launch;
	bool is_failed;
};

static void fail(struct example *e, const char *what, const char *text, size_t len)
{
	cleanup_buf struct buf shown = BUF_INIT;

	text_add_visible(&shown, text, text_cut(text, len, 2000));
	surface_note(e->notes, e->surface->in, SURFACE_NOTE_ERROR, e->node, NULL,
	    "the example fails: %s%s%s", what, shown.len > 0 ? ": " : "", shown.data);
	e->is_failed = true;
}

/* ---- the command line ---- */

/* How many words program.args make before the tool's. */
static size_t count_fixed(const struct example *e)
{
	const struct surface_internal *in = e->surface->in;
	struct scope_values values = SCOPE_VALUES_INIT;
	size_t n = 0;

	values.in = e->tool->in;
	values.launch = e->launch;
	values.root = e->launch->roots->items[0];
	for (size_t i = 0; i < in->program_args_len; i++) {
		cleanup_buf struct buf text = BUF_INIT;
		cleanup_err struct err ignored = ERR_INIT;

		if (surface_expand_word(
			&in->program_args[i], &values, LIMIT_ARGUMENT, &text, &ignored) > 0)
			n++;
	}
	return n;
}

static bool has_same_words(
    const struct surface_command *command, size_t fixed, const struct json *wanted)
{
	size_t i = fixed;

	if (command->words.len - fixed != wanted->len)
		return false;
	json_foreach (word, wanted) {
		if (!json_is_text(word, command->words.items[i++]))
			return false;
	}
	return true;
}

static void check_words(struct example *e, const struct surface_command *command)
{
	const struct json *wanted = json_get(e->node, "argv");
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);
	size_t fixed = count_fixed(e);

	if (has_same_words(command, fixed, wanted))
		return;
	json_write_array_begin(&w);
	for (size_t i = fixed; i < command->words.len; i++)
		json_write_string(&w, command->words.items[i]);
	json_write_array_end(&w);
	fail(e, "the command line is", text.data, text.len);
}

static void check_stdin(struct example *e, const struct surface_command *command)
{
	const struct json *wanted = json_get(e->node, "stdin");

	if (wanted == NULL && !command->has_stdin)
		return;
	if (wanted == NULL)
		fail(e, "the program would read on standard input", command->stdin_data.data,
		    command->stdin_data.len);
	else if (!command->has_stdin)
		fail(e, "the program would read nothing on standard input", "", 0);
	else if (wanted->len != command->stdin_data.len ||
		 memcmp(wanted->str, command->stdin_data.data, wanted->len) != 0)
		fail(e, "standard input is", command->stdin_data.data, command->stdin_data.len);
}

static void check_command(struct example *e, const struct json *arguments)
{
	struct surface_command command = SURFACE_COMMAND_INIT;
	cleanup_err struct err err = ERR_INIT;

	if (surface_build_command(e->tool, arguments, e->launch, &command, &err) < 0) {
		fail(e, "there is no command line", err.message, strlen(err.message));
		return;
	}
	check_words(e, &command);
	check_stdin(e, &command);
	surface_command_release(&command);
}

/* ---- the result ---- */

static void compare_result(struct example *e, const struct surface_result *result)
{
	const struct json *wanted = json_get(e->node, "gives");
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	bool is_bad = result->code != NULL && (strcmp(result->code, "BAD_OUTPUT") == 0 ||
						  strcmp(result->code, "OUTPUT_TOO_LARGE") == 0);

	if (wanted == NULL) {
		if (is_bad)
			fail(e, "what the program prints makes no result", result->text.data,
			    result->text.len);
		return;
	}
	if (json_read(&doc, result->json.data, result->json.len, &err) < 0 ||
	    !json_equal(json_root(&doc), wanted))
		fail(e, "the result is", result->json.data, result->json.len);
}

static void check_result(struct example *e, const struct json *arguments)
{
	const struct json *prints = json_get(e->node, "prints");
	const struct json *exit = json_get(e->node, "exit");
	struct surface_result result = SURFACE_RESULT_INIT;
	struct surface_run run = { .out = "", .err = "" };
	int64_t status = 0;

	if (prints == NULL && exit == NULL)
		return;
	if (prints != NULL) {
		run.out = prints->str;
		run.out_len = prints->len;
	}
	if (exit != NULL)
		(void)json_number_int64(exit, &status);
	run.exit_status = (int)status;
	surface_make_result(e->tool, arguments, &run, &result);
	compare_result(e, &result);
	surface_result_release(&result);
}

/* ---- all examples ---- */

static void run_example(struct example *e)
{
	cleanup_json struct json_doc arguments = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	bool is_vetoed = false;

	if (surface_check_arguments(
		e->tool, json_get(e->node, "call"), &arguments, &is_vetoed, &err) < 0) {
		fail(e, "the call is refused", err.message, strlen(err.message));
		return;
	}
	check_command(e, json_root(&arguments));
	check_result(e, json_root(&arguments));
}

static size_t run_tool(const struct surface *surface, const struct tool *tool,
    struct surface_notes *notes, size_t *ret_failed)
{
	bool has_scope = surface->is_scoped && !tool->is_discovery;
	cleanup_strvec struct strvec roots = STRVEC_INIT;
	struct surface_launch launch = {
		.workspace = has_scope ? "example" : NULL,
		.stage = has_scope ? "example" : NULL,
		.roots = &roots,
		.private_dir = "/file/",
	};
	size_t n = 0;

	strvec_push(&roots, "/");
	json_foreach (node, tool->in->examples) {
		struct example e = { .surface = surface,
			.tool = tool,
			.node = node,
			.notes = notes,
			.launch = &launch };

		run_example(&e);
		*ret_failed += e.is_failed ? 1 : 0;
		n++;
	}
	return n;
}

size_t surface_run_examples(
    const struct surface *surface, struct surface_notes *notes, size_t *ret_failed)
{
	size_t n = 0;

	*ret_failed = 0;
	for (size_t i = 0; i < surface->tools_len; i++) {
		if (surface_tool_ready(&surface->tools[i])->examples != NULL)
			n += run_tool(surface, &surface->tools[i], notes, ret_failed);
	}
	return n;
}
