/* SPDX-License-Identifier: MIT */
/* The host's life: made from launch options, asked by the transport, ended. */
#include "call/call_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dirs.h"
#include "base/limits.h"
#include "base/text.h"

#define INSTRUCTIONS_MAX ((size_t)2000)
#define WATCH_INTERVAL_MS 1000
#define FAULT_INTERVAL_MS 1000
#define SWEEP_DELAY_MS 100

void host_options_release(struct host_options *options)
{
	strvec_release(&options->surfaces);
	strvec_release(&options->roots);
	strvec_release(&options->allow_write);
	strvec_release(&options->allow_noninteractive_write);
	strvec_release(&options->allow_exec);
	strvec_release(&options->allow_version_drift);
	free(options->workspace);
	free(options->stage);
	free(options->stage_dir);
	*options = HOST_OPTIONS_INIT;
}

/* What the kernel shows as files: memory and environment of processes, devices. Nobody's work lies
 * there, but for the memory disk, and a tool that reads it reads secrets. */
static const char *const kernel_folders[] = { "/proc", "/sys", "/dev" };

static bool is_kernel_folder(const char *path)
{
	if (dirs_is_below(path, "/dev/shm"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(kernel_folders); i++) {
		if (dirs_is_below(path, kernel_folders[i]))
			return true;
	}
	return false;
}

/* A launch root: a folder, absolute, links resolved. */
static int add_root(struct host *host, const char *path, struct err *err)
{
	cleanup_free char *real = realpath(path, NULL);
	struct stat st;

	if (real == NULL || stat(real, &st) < 0)
		return err_errno(err, errno, "--root %s", path);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_USAGE, "--root %s is no folder", path);
	if (is_kernel_folder(real))
		return err_set(err, ERR_USAGE,
		    "--root %s holds processes and devices of this system, no work", path);
	if (host->roots.len >= LIMIT_ROOTS)
		return err_set(err, ERR_USAGE, "more than %zu roots", LIMIT_ROOTS);
	strvec_push(&host->roots, real);
	return 0;
}

static int add_roots(struct host *host, struct err *err)
{
	const struct strvec *given = &host->options->roots;

	for (size_t i = 0; i < given->len; i++) {
		if (add_root(host, given->items[i], err) < 0)
			return -1;
	}
	return given->len > 0 ? 0 : add_root(host, ".", err);
}

/* Client configuration, below the home folder and below each root (clients.md §1): whoever writes
 * there decides how we are started. */
static const char *const client_files[] = {
	".claude.json",
	".claude",
	".codex",
	".copilot",
	".cursor",
	".gemini",
	".codeium",
	".mcp.json",
	".vscode/mcp.json",
	"opencode.json",
	"opencode.jsonc",
	".config/Claude",
	".config/opencode",
	".config/zed",
};

static void close_client_files(struct host *host, const char *folder)
{
	for (size_t i = 0; i < ARRAY_LEN(client_files); i++)
		strvec_pushf(&host->closed, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder,
		    client_files[i]);
}

/* Adds path, and the place it leads to when that is another one. */
static void close_path(struct host *host, const char *path)
{
	cleanup_free char *real = realpath(path, NULL);

	strvec_push(&host->closed, path);
	if (real != NULL && strcmp(real, path) != 0)
		strvec_push(&host->closed, real);
}

static void close_paths(struct host *host)
{
	cleanup_free char *config = dirs_config();
	const char *home = getenv("HOME");
	cleanup_free char *real_home = home != NULL ? realpath(home, NULL) : NULL;

	close_path(host, host->data_dir);
	if (config != NULL)
		close_path(host, config);
	if (real_home != NULL)
		close_client_files(host, real_home);
	for (size_t i = 0; i < host->roots.len; i++)
		close_client_files(host, host->roots.items[i]);
	for (size_t i = 0; i < ARRAY_LEN(kernel_folders); i++) {
		if (dirs_is_below_any(kernel_folders[i], &host->roots))
			strvec_push(&host->closed, kernel_folders[i]);
	}
}

/* What the surfaces say of themselves, as long as it fits; then their names. */
static void write_instructions(struct host *host)
{
	struct buf *text = &host->instructions;

	for (size_t i = 0; i < host->served_len; i++) {
		const struct surface *surface =
		    host->served[i].loaded != NULL ? host->served[i].loaded->surface : NULL;
		const char *about;

		if (surface == NULL)
			continue;
		about = surface->instructions != NULL ? surface->instructions : surface->title;
		if (text->len > 0)
			buf_adds(text, "\n\n");
		buf_adds(text, surface->name);
		if (about != NULL && text->len + strlen(about) < INSTRUCTIONS_MAX)
			buf_addf(text, ": %s", about);
	}
	buf_truncate(text, text_cut(text->data, text->len, INSTRUCTIONS_MAX));
}

/* Not at once: whoever starts us waits for an answer, and the dead are in no hurry. */
static void sweep_files(void *ctx)
{
	struct host *host = ctx;

	host->sweep_timer = NULL;
	run_files_sweep(host->data_dir);
}

struct host *host_new(struct loop *loop, const struct host_options *options, struct err *err)
{
	struct host *host = xcalloc(1, sizeof(*host));

	host->loop = loop;
	host->options = options;
	host->instructions = BUF_INIT;
	host->generation = 1;
	host->scope.decision = DECISION_INIT;
	host->scope.proposed = DECISION_INIT;
	host->scope.said = BUF_INIT;
	host->scope.proposed_said = BUF_INIT;
	TAILQ_INIT(&host->scope.waiters);
	host->ready_tail = &host->ready;
	host->data_dir = dirs_data(err);
	host->masking = redact_host_new(host->data_dir);
	if (host->data_dir == NULL || add_roots(host, err) < 0 ||
	    host_open_stage_dir(host, err) < 0 ||
	    gate_config_load(host->data_dir, &host->config, err) < 0 ||
	    host_load_surfaces(host, err) < 0) {
		host_free(host);
		return NULL;
	}
	close_paths(host);
	write_instructions(host);
	host_list_visible(host);
	host->ledger = ledger_new(host->data_dir, loop);
	host->files = run_files_new(host->data_dir);
	host->sweep_timer = loop_add_timer(loop, SWEEP_DELAY_MS, sweep_files, host);
	return host;
}

static void served_release(struct served *served)
{
	loaded_release(served->loaded);
	call_version_forget(served);
	run_program_release(&served->program);
	free(served->program_asked);
	free(served->path);
}

/* What was recorded is signed before we go. Another process may hold the lock: then its own seal
 * will cover our rows. */
static void seal(struct host *host)
{
	cleanup_err struct err ignored = ERR_INIT;

	if (host->ledger != NULL)
		(void)!ledger_seal(host->ledger, &ignored);
}

void host_free(struct host *host)
{
	if (host == NULL)
		return;
	host_kill(host);
	if (host->ledger != NULL)
		host_flush(host);
	while (host->calls != NULL)
		call_abandon(host->calls);
	seal(host);
	if (host->sweep_timer != NULL) {
		loop_timer_remove(host->sweep_timer);
		sweep_files(host);
	}
	loop_timer_remove(host->watch_timer);
	loop_timer_remove(host->fault_timer);
	loop_timer_remove(host->tell_timer);
	host_release_scope(host);
	for (size_t i = 0; i < host->served_len; i++)
		served_release(&host->served[i]);
	free(host->served);
	run_program_release(&host->self);
	redactor_free(host->redactor);
	redact_host_free(host->masking);
	free(host->tools);
	free(host->resources);
	run_files_free(host->files);
	ledger_free(host->ledger);
	gate_consents_free(host->consents);
	gate_config_release(&host->config);
	strvec_release(&host->roots);
	strvec_release(&host->closed);
	buf_release(&host->instructions);
	free(host->data_dir);
	free(host);
}

const char *host_instructions(const struct host *host)
{
	return host->instructions.data;
}

const struct tool *const *host_tools(struct host *host, size_t *ret_len, uint64_t *ret_generation)
{
	(void)host_refresh(host);
	*ret_len = host->tools_len;
	*ret_generation = host->generation;
	return host->tools;
}

const struct resource *const *host_resources(
    struct host *host, size_t *ret_len, uint64_t *ret_generation)
{
	(void)host_refresh(host);
	*ret_len = host->resources_len;
	*ret_generation = host->generation;
	return host->resources;
}

bool host_has_resources(const struct host *host)
{
	return host->has_resources;
}

static void watch_tick(void *ctx)
{
	struct host *host = ctx;

	host->watch_timer = loop_add_timer(host->loop, WATCH_INTERVAL_MS, watch_tick, host);
	(void)host_refresh(host);
}

void host_watch(struct host *host, bool is_watching, host_changed_fn fn, void *ctx)
{
	host->changed = fn;
	host->changed_ctx = ctx;
	if (is_watching == host->is_watching)
		return;
	host->is_watching = is_watching;
	loop_timer_remove(host->watch_timer);
	host->watch_timer =
	    is_watching ? loop_add_timer(host->loop, WATCH_INTERVAL_MS, watch_tick, host) : NULL;
	host_watch_scope(host, is_watching);
}

static void tell_watcher(void *ctx)
{
	struct host *host = ctx;
	unsigned changes = host->changes;

	host->tell_timer = NULL;
	host->changes = 0;
	if (host->changed != NULL)
		host->changed(host->changed_ctx, changes);
}

void host_tell(struct host *host, unsigned changes)
{
	host->changes |= changes;
	if (host->tell_timer == NULL)
		host->tell_timer = loop_add_timer(host->loop, 0, tell_watcher, host);
}

void host_flush(struct host *host)
{
	ledger_flush(host->ledger);
	run_reap_adopted();
}

size_t host_active(const struct host *host)
{
	return host->calls_len;
}

void host_terminate(struct host *host)
{
	host_terminate_scope(host);
	for (struct call *call = host->calls; call != NULL; call = call->next)
		call_run_cancel(call);
}

void host_kill(struct host *host)
{
	struct call *next;

	host->is_draining = true;
	host_kill_scope(host);
	for (size_t i = 0; i < host->served_len; i++)
		call_version_kill(&host->served[i]);
	for (struct call *call = host->calls; call != NULL; call = next) {
		next = call->next;
		if (!call_is_running(call))
			continue;
		call_run_kill(call);
		host_child_ended(call);
		err_set(&call->err, ERR_CANCELLED, "the server ended; the program was killed");
		call_resume(call, CALL_FAIL);
	}
}

/* One row a second for all faults of messages, however many there are (DESIGN §6). */
static void record_faults(void *ctx)
{
	struct host *host = ctx;
	struct ledger_record record = LEDGER_RECORD_INIT;

	host->fault_timer = NULL;
	record.kind = LEDGER_PROTOCOL;
	record.caller = host->options->caller;
	record.code = err_info(host->fault_code)->wire;
	record.count = host->faults;
	host->faults = 0;
	(void)ledger_queue(host->ledger, &record, NULL, NULL);
}

void host_note_protocol_fault(struct host *host, enum err_code code)
{
	host->faults++;
	host->fault_code = code;
	if (host->fault_timer == NULL)
		host->fault_timer =
		    loop_add_timer(host->loop, FAULT_INTERVAL_MS, record_faults, host);
}

void host_drain(struct host *host)
{
	struct call *next;

	host->is_draining = true;
	if (host->fault_timer != NULL) {
		loop_timer_remove(host->fault_timer);
		record_faults(host);
	}
	for (struct call *call = host->calls; call != NULL; call = next) {
		next = call->next;
		(void)call_stop_waiting(call, "the server ended before the call was started");
	}
}
