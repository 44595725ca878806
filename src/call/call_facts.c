/* SPDX-License-Identifier: MIT */
/*
 * The facts of a call that is ready to run: all that decides what it will do, and nothing else, so
 * that two calls that would do the same have the same facts. Secrets and contents are digests.
 */
#include "call/call_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"

struct call_facts {
	struct arena arena; /* all texts and arrays */
	struct plan_facts plan;
};

void call_facts_free(struct call_facts *facts)
{
	if (facts == NULL)
		return;
	strvec_release(&facts->plan.argv);
	arena_release(&facts->arena);
	free(facts);
}

const struct plan_facts *call_facts_of(const struct call_facts *facts)
{
	return &facts->plan;
}

static char *copy(struct call_facts *facts, const char *text)
{
	return arena_strdup(&facts->arena, text, strlen(text));
}

static char *copy_buf(struct call_facts *facts, const struct buf *text)
{
	return arena_strdup(&facts->arena, text->data, text->len);
}

/* ---- texts that name private files ---- */

#define PRIVATE_NAME "[private]/"

/*
 * Private files are called otherwise in each process. Their prefix, which is that of the first without
 * its number, stands in the facts as PRIVATE_NAME.
 */
static size_t private_len(const struct surface_command *command)
{
	return command->files_len > 0 ? strlen(command->files[0].path) - 1 : 0;
}

static void add_stable(
    const struct surface_command *command, const char *text, size_t len, struct buf *ret_text)
{
	size_t prefix = private_len(command);
	const char *end = text + len;
	const char *at;

	while (prefix > 0 &&
	       (at = memmem(text, (size_t)(end - text), command->files[0].path, prefix)) != NULL) {
		buf_add(ret_text, text, (size_t)(at - text));
		buf_adds(ret_text, PRIVATE_NAME);
		text = at + prefix;
	}
	buf_add(ret_text, text, (size_t)(end - text));
}

/* ---- the parts ---- */

static void take_arguments(struct call_facts *facts, const struct call *call)
{
	cleanup_buf struct buf text = BUF_INIT;

	json_write_canonical(&text, json_root(&call->resolved));
	facts->plan.arguments = copy_buf(facts, &text);
}

static void take_argv(struct call_facts *facts, const struct call *call)
{
	const struct surface_command *command = &call->command;

	strvec_push(&facts->plan.argv, call->served->program.path);
	for (size_t i = 0; i < command->words.len; i++) {
		cleanup_buf struct buf word = BUF_INIT;

		add_stable(
		    command, command->words.items[i], strlen(command->words.items[i]), &word);
		strvec_push(&facts->plan.argv, word.data);
	}
}

/* Of the very file that was resolved, and that will be started. */
static int take_program(struct call_facts *facts, const struct call *call, struct err *err)
{
	const struct run_program *program = &call->served->program;
	cleanup_fd int fd = open(program->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_errno(err, errno, "%s", program->path);
	if (digest_of_fd(fd, &facts->plan.program_digest, err) < 0)
		return err_wrap(err, "%s", program->path);
	if (!run_program_is_same(program))
		return err_set(err, ERR_SURFACE_UNTRUSTED,
		    "%s was replaced while the call was made ready", program->path);
	facts->plan.program = copy(facts, program->path);
	return 0;
}

/* "NAME=value" → the name, and a digest that tells nothing of the value. */
static void take_variable(struct call_facts *facts, const struct call *call, const char *entry,
    struct plan_digest *ret_item)
{
	size_t len = strcspn(entry, "=");
	cleanup_buf struct buf value = BUF_INIT;

	add_stable(&call->command, entry, strlen(entry), &value);
	ret_item->name = arena_strdup(&facts->arena, entry, len);
	ret_item->digest = records_keyed_digest(
	    call->purpose->records, "stile-environment", value.data, value.len);
}

static void take_environment(struct call_facts *facts, struct call *call)
{
	struct plan_digest *items;

	call_make_environment(call);
	items = arena_alloc(&facts->arena, call->environment.len, sizeof(*items));
	for (size_t i = 0; i < call->environment.len; i++)
		take_variable(facts, call, call->environment.items[i], &items[i]);
	facts->plan.environment = items;
	facts->plan.environment_len = call->environment.len;
}

/* An input may be a short secret of the program's own, so its digest is keyed as well. */
static void take_stdin(struct call_facts *facts, const struct call *call)
{
	const struct surface_command *command = &call->command;
	cleanup_buf struct buf text = BUF_INIT;

	facts->plan.has_stdin = command->has_stdin;
	if (!command->has_stdin)
		return;
	add_stable(command, command->stdin_data.data, command->stdin_data.len, &text);
	facts->plan.stdin_digest =
	    records_keyed_digest(call->purpose->records, "stile-stdin", text.data, text.len);
}

static void take_files(struct call_facts *facts, const struct call *call)
{
	const struct surface_command *command = &call->command;
	struct plan_digest *items =
	    arena_alloc(&facts->arena, command->files_len + 1, sizeof(*items));

	for (size_t i = 0; i < command->files_len; i++) {
		const struct surface_file *file = &command->files[i];
		cleanup_buf struct buf name = BUF_INIT;

		add_stable(command, file->path, strlen(file->path), &name);
		items[i].name = copy_buf(facts, &name);
		items[i].digest = records_keyed_digest(
		    call->purpose->records, "stile-file", file->data.data, file->data.len);
	}
	facts->plan.files = items;
	facts->plan.files_len = command->files_len;
}

/* ---- what is held ---- */

static size_t count_held(const struct json *value)
{
	if (json_text(value) != NULL)
		return 1;
	return json_is(value, JSON_ARRAY) ? value->len : 0;
}

static bool is_held(const struct plan_facts *plan, const char *path)
{
	for (size_t i = 0; i < plan->pinned_len; i++) {
		if (strcmp(plan->pinned[i].path, path) == 0)
			return true;
	}
	return false;
}

static int hold_path(
    struct call_facts *facts, struct plan_pin *pins, const char *path, struct err *err)
{
	struct plan_pin *pin = &pins[facts->plan.pinned_len];

	if (path == NULL || is_held(&facts->plan, path))
		return 0;
	if (call_content_digest(path, &pin->kind, &pin->digest, err) < 0)
		return err_wrap(err, "what the plan holds");
	pin->path = copy(facts, path);
	facts->plan.pinned_len++;
	return 0;
}

static int hold_input(
    struct call_facts *facts, struct plan_pin *pins, const struct json *value, struct err *err)
{
	if (json_text(value) != NULL)
		return hold_path(facts, pins, json_text(value), err);
	if (!json_is(value, JSON_ARRAY))
		return 0;
	json_foreach (item, value) {
		if (hold_path(facts, pins, json_text(item), err) < 0)
			return -1;
	}
	return 0;
}

static int take_pins(struct call_facts *facts, const struct call *call, struct err *err)
{
	const struct strvec *names = &call->tool->plan->pins;
	const struct json *arguments = json_root(&call->resolved);
	struct plan_pin *pins;
	size_t most = 0;

	for (size_t i = 0; i < names->len; i++)
		most += count_held(json_get(arguments, names->items[i]));
	pins = arena_alloc(&facts->arena, most + 1, sizeof(*pins));
	facts->plan.pinned = pins;
	for (size_t i = 0; i < names->len; i++) {
		if (hold_input(facts, pins, json_get(arguments, names->items[i]), err) < 0)
			return -1;
	}
	return 0;
}

/* ---- what was read ---- */

/* What could not be read is a fact too: it is never what was planned. */
static const char *value_of(struct call_facts *facts, const struct plan_read *read)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_buf struct buf json = BUF_INIT;

	if (read->fault == NULL)
		return read->value;
	buf_addf(&text, "unreadable: %.200s", read->fault);
	json_quote(&json, text.data, text.len);
	return copy_buf(facts, &json);
}

/* reads outlive the facts: both are the call's. */
static void take_preconditions(struct call_facts *facts, const struct call *call)
{
	const struct plan_reads *reads = call->reads;
	struct plan_precondition *items =
	    arena_alloc(&facts->arena, reads->len + 1, sizeof(*items));

	for (size_t i = 0; i < reads->len; i++) {
		const struct plan_read *read = &reads->items[i];

		items[i].tool = read->tool;
		items[i].arguments = read->arguments;
		items[i].pointer = read->pointer;
		items[i].digest = read->digest;
		items[i].value = value_of(facts, read);
	}
	facts->plan.preconditions = items;
	facts->plan.preconditions_len = reads->len;
}

/* ---- the whole ---- */

static int take_target(struct call_facts *facts, const struct call *call, struct err *err)
{
	struct surface_launch launch = call_launch(call);
	cleanup_buf struct buf text = BUF_INIT;

	if (surface_plan_target(call->tool, json_root(&call->resolved), &launch, &text, err) < 0)
		return -1;
	facts->plan.target = copy_buf(facts, &text);
	return 0;
}

static void take_names(struct call_facts *facts, const struct call *call)
{
	const struct call_purpose *purpose = call->purpose;
	const struct surface *surface = call->tool->surface;
	struct plan_facts *plan = &facts->plan;

	plan->surface = surface->name;
	plan->surface_digest = surface->digest;
	plan->tool = call->tool->name;
	plan->effect = call->tool->effect == SURFACE_DESTROY ? "destroy" : "write";
	plan->cwd = copy(facts, call_run_spec(call).cwd);
	plan->label = purpose->plan != NULL ? purpose->plan->facts.label : purpose->label;
	plan->wait_ms = call->tool->plan->wait_ms;
	plan->expires_ms = call->tool->plan->expires_ms;
}

struct call_facts *call_facts_new(struct call *call, struct err *err)
{
	struct call_facts *facts = xcalloc(1, sizeof(*facts));

	facts->plan = PLAN_FACTS_INIT;
	take_names(facts, call);
	take_arguments(facts, call);
	take_argv(facts, call);
	take_environment(facts, call);
	take_stdin(facts, call);
	take_files(facts, call);
	take_preconditions(facts, call);
	if (take_target(facts, call, err) < 0 || take_pins(facts, call, err) < 0 ||
	    take_program(facts, call, err) < 0) {
		call_facts_free(facts);
		return NULL;
	}
	return facts;
}
