/* SPDX-License-Identifier: MIT */
/* argv: arguments → one command line, standard input and private files, at the moment of use. */
#include "call/call_internal.h"

#include <string.h>

static int write_files(struct call *call)
{
	for (size_t i = 0; i < call->command.files_len; i++) {
		const struct surface_file *file = &call->command.files[i];

		if (run_files_write(call->host->files, file->path, file->data.data, file->data.len,
			&call->err) < 0)
			return -1;
	}
	return 0;
}

enum call_step call_argv(struct call *call)
{
	struct surface_launch launch = call_launch(call);
	const struct surface *surface = call->tool->surface;
	cleanup_free char *dir = NULL;
	cleanup_free char *private_dir = NULL;

	if (call->tool->builtin != SURFACE_BUILTIN_NONE)
		return CALL_NEXT;
	if (surface_resolve_paths(call->tool, json_root(&call->arguments), &launch, &call->resolved,
		&dir, &call->err) < 0)
		return CALL_FAIL;
	if (surface->program.guard_git && dir != NULL &&
	    gate_repository_check(dir, &call->host->roots, &call->host->config, &call->err) < 0)
		return CALL_FAIL;
	if (host_resolve_program(call->served, surface, &call->err) < 0)
		return CALL_FAIL;
	private_dir = run_files_path(call->host->files);
	launch.private_dir = private_dir;
	if (surface_build_command(
		call->tool, json_root(&call->resolved), &launch, &call->command, &call->err) < 0)
		return CALL_FAIL;
	return write_files(call) < 0 ? CALL_FAIL : CALL_NEXT;
}
