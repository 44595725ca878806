/* SPDX-License-Identifier: MIT */
/*
 * argv: a place among the children, then arguments → one command line, standard input and private
 * files. The place comes first, so that paths are resolved and the repository is looked at in the
 * moment before the program starts, however long the call waited.
 */
#include "call/call_internal.h"

#include "base/limits.h"

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

/* After a wait the gates count again: the surface may have been withdrawn meanwhile. */
static int check_still_served(struct call *call)
{
	(void)host_refresh(call->host);
	if (call->served->loaded == call->loaded)
		return 0;
	return err_set(&call->err, ERR_SURFACE_UNTRUSTED,
	    "surface %s changed while the call waited", call->tool->surface->name);
}

static int build(struct call *call)
{
	struct surface_launch launch = call_launch(call);
	cleanup_free char *private_dir = run_files_path(call->host->files);
	cleanup_free char *dir = NULL;

	launch.private_dir = private_dir;
	json_doc_release(&call->resolved);
	if (check_still_served(call) < 0 || call_check_scope(call) == CALL_FAIL ||
	    surface_resolve_paths(call->tool, json_root(&call->arguments), &launch, &call->resolved,
		&dir, &call->err) < 0)
		return -1;
	if (call->runs->surface->program.guard_git && dir != NULL &&
	    gate_repository_check(dir, &call->host->roots, &call->host->config, &call->err) < 0)
		return -1;
	if (call_resolve_program(call) < 0 || call_build_command(call, &launch) < 0)
		return -1;
	return write_files(call);
}

static void fail(struct call *call)
{
	host_child_ended(call);
	call_resume(call, CALL_FAIL);
}

void call_argv_go_on(struct call *call)
{
	if (call->is_cancelled || call->host->is_draining)
		err_set(&call->err, ERR_CANCELLED, "the call was cancelled before it started");
	if (err_is_set(&call->err) || build(call) < 0 || call_version_check(call) < 0)
		fail(call);
	else
		call_resume(call, CALL_NEXT);
}

static void ask_version(void *ctx)
{
	struct call *call = ctx;

	if (!call_version_is_due(call))
		call_argv_go_on(call);
	else if (call_version_wait(call) < 0)
		fail(call);
}

void call_argv_now(struct call *call)
{
	host_child_started(call);
	call->waiter = (struct host_waiter){ .fn = ask_version, .ctx = call };
	if (!call->has_waited || host_decide(call->host, &call->waiter))
		ask_version(call);
}

enum call_step call_argv(struct call *call)
{
	if (call->tool->builtin == SURFACE_BUILTIN_CONTEXT)
		return CALL_NEXT;
	if (call->host->is_draining) {
		err_set(&call->err, ERR_CANCELLED, "the server is ending");
		return CALL_FAIL;
	}
	if (call->host->calls_len > LIMIT_WAITING) {
		err_set(
		    &call->err, ERR_UNAVAILABLE, "more than %zu calls are waiting", LIMIT_WAITING);
		return CALL_FAIL;
	}
	host_enqueue(call);
	(void)host_start_waiting(call->host);
	call->has_waited = call->is_queued;
	return CALL_WAIT;
}
