/* SPDX-License-Identifier: MIT */
/* permit: the write gate, and what it decides: go on, ask a person, or refuse. */
#include "call/call_internal.h"

#include <stdlib.h>
#include <string.h>

/* A built-in surface may name a variable that does what a launch option does. */
static bool is_switched_on(const char *variable)
{
	const char *value = variable != NULL ? getenv(variable) : NULL;

	return value != NULL && strcmp(value, "1") == 0;
}

static bool is_allowed(const struct strvec *surfaces, const char *name, const char *variable)
{
	return strvec_contains(surfaces, name) || is_switched_on(variable);
}

/* What is planned asks the policy instead, once it is known what would run. */
static enum call_step permit_plan(struct call *call)
{
	if (call->tool->plan == NULL)
		err_set(&call->err, ERR_INVALID_ARGUMENT,
		    "%s is not planned: it is called directly, `stile call %s`", call->name,
		    call->name);
	else if (call->is_vetoed)
		err_set(&call->err, ERR_WRITE_DECLINED, "%s: confirm is false; nothing was run",
		    call->name);
	return err_is_set(&call->err) ? CALL_FAIL : CALL_NEXT;
}

enum call_step call_permit(struct call *call)
{
	const struct host_options *options = call->host->options;
	const struct surface *surface = call->tool->surface;
	const struct surface_program *program = &surface->program;
	const struct gate_write facts = {
		.surface = surface->name,
		.tool = call->tool->name,
		.is_read = call->tool->effect == SURFACE_READ,
		.is_destroy = call->tool->effect == SURFACE_DESTROY,
		.is_open = surface->is_builtin && call->tool->writes == SURFACE_OPEN,
		.is_by_policy = call->runs != call->tool,
		.is_write_allowed =
		    is_allowed(&options->allow_write, surface->name, program->switch_allow_write),
		.is_noninteractive_allowed = is_allowed(&options->allow_noninteractive_write,
		    surface->name, program->switch_allow_noninteractive_write),
		.is_vetoed = call->is_vetoed,
		.can_ask = call->can_ask,
	};

	if (call->purpose != NULL)
		return permit_plan(call);
	switch (gate_write_decide(&facts, &call->host->config, &call->err)) {
	case GATE_PERMIT:
		return CALL_NEXT;
	case GATE_ASK:
		return call_ask_person(call);
	case GATE_DENY:
		break;
	}
	return CALL_FAIL;
}
