/* SPDX-License-Identifier: MIT */
/* validate: the arguments fit the schema and the groups, and their paths the launch roots. */
#include "call/call_internal.h"

static void add_secret(void *ctx, const char *data, size_t len)
{
	redactor_values_add(ctx, data, len);
}

/* A read has its arguments in its URI. Not before the scope was asked: what is hidden answers as what
 * is not there, however it is spelt. */
static int read_uri(struct call *call)
{
	if (call->resource == NULL)
		return 0;
	if (surface_resource_arguments(call->resource, call->uri, &call->request, &call->err) < 0)
		return -1;
	call->raw_arguments = json_root(&call->request);
	return 0;
}

enum call_step call_validate(struct call *call)
{
	struct surface_launch launch = call_launch(call);

	if (read_uri(call) < 0)
		return CALL_FAIL;
	/* Known before anything can quote them. */
	surface_each_secret(call->tool, call->raw_arguments, add_secret, &call->secrets);
	/* Masked text would destroy what it stands for wherever the tool wrote it. */
	if (redact_refuse_masked(call->host->masking, call->raw_arguments, &call->err) < 0)
		return CALL_FAIL;
	if (surface_check_arguments(call->tool, call->raw_arguments, &call->arguments,
		&call->is_vetoed, &call->err) < 0)
		return CALL_FAIL;
	/* Refused here already, before anyone is asked about what the paths lead to; argv resolves
	 * once more at the moment of use, because a link can change while a person thinks. */
	if (surface_resolve_paths(call->tool, json_root(&call->arguments), &launch, &call->resolved,
		NULL, &call->err) < 0)
		return CALL_FAIL;
	return CALL_NEXT;
}
