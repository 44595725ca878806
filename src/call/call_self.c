/* SPDX-License-Identifier: MIT */
/*
 * Which program a call runs: its surface's, or this binary, for the tools that the engine makes and for
 * tools with `writes: policy`. Then the child is told what we were: the surface, the roots, and what
 * the launch allows, so that it sees what we see.
 */
#include "call/call_internal.h"

#include <string.h>

int host_resolve_self(struct host *host, struct err *err)
{
	if (host->self.path != NULL && run_program_is_same(&host->self))
		return 0;
	run_program_release(&host->self);
	return run_program_resolve("self", NULL, &host->self, err);
}

const struct run_program *call_program(const struct call *call)
{
	return call->runs->is_engine ? &call->host->self : &call->served->program;
}

int call_resolve_program(struct call *call)
{
	if (call->runs->is_engine)
		return host_resolve_self(call->host, &call->err);
	return host_resolve_program(call->served, call->runs->surface, &call->err);
}

/* ---- the words of the launch ---- */

/* Commands that load the surface. The others look at records only. */
static bool takes_launch(const struct strvec *words)
{
	static const char *const commands[] = { "create", "apply", "show" };

	if (words->len < 2 || strcmp(words->items[0], "plan") != 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		if (strcmp(words->items[1], commands[i]) == 0)
			return true;
	}
	return false;
}

const char *served_word(const struct served *served)
{
	return served->builtin != NULL ? served->builtin->name : served->path;
}

static void push_launch(const struct call *call, struct strvec *words)
{
	const struct host *host = call->host;
	const char *name = call->runs->surface->name;

	strvec_pushf(words, "--surface=%s", served_word(call->served));
	for (size_t i = 0; i < host->roots.len; i++)
		strvec_pushf(words, "--root=%s", host->roots.items[i]);
	if (strvec_contains(&host->options->allow_exec, name))
		strvec_pushf(words, "--allow-exec=%s", name);
	if (strvec_contains(&host->options->allow_version_drift, name))
		strvec_pushf(words, "--allow-version-drift=%s", name);
}

/* Behind the two words of the command: no value of a caller stands before them. */
static void add_launch(struct call *call)
{
	struct strvec *words = &call->command.words;
	struct strvec whole = STRVEC_INIT;

	if (!takes_launch(words))
		return;
	for (size_t i = 0; i < words->len; i++) {
		if (i == 2)
			push_launch(call, &whole);
		strvec_push(&whole, words->items[i]);
	}
	strvec_release(words);
	*words = whole;
}

/* What is run has arguments of its own: the tool's name and its arguments. */
static int stand_in(struct call *call)
{
	cleanup_json struct json_doc own = JSON_DOC_INIT;

	if (call->runs == call->tool)
		return 0;
	if (surface_stand_in_arguments(call->tool, json_root(&call->resolved), &own, &call->err) <
	    0)
		return -1;
	json_doc_release(&call->resolved);
	call->resolved = own;
	own = JSON_DOC_INIT;
	return 0;
}

int call_build_command(struct call *call, const struct surface_launch *launch)
{
	if (stand_in(call) < 0 || surface_build_command(call->runs, json_root(&call->resolved),
				      launch, &call->command, &call->err) < 0)
		return -1;
	if (call->runs->is_engine)
		add_launch(call);
	return 0;
}
