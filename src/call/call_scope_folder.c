/* SPDX-License-Identifier: MIT */
/*
 * `--stage-dir`: what the caller may see stands in the CONTEXT.md of a plain folder. The folder lies
 * outside every launch root, so that no tool can write its own contract; the file is the host's, as
 * config.yaml is: this user's or root's, and writable by nobody else. The decision is made in process and
 * stands in our own ledger before anything rests on it.
 *
 * There is no workspace that tools could be limited to: of a scoped surface only the discovery tools can
 * be granted (gate_scope).
 */
#include "call/call_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dirs.h"

#define CONTRACT "CONTEXT.md"

/* real, what path leads to, is a folder outside the roots. */
static int check_place(const struct host *host, const char *path, const char *real, struct err *err)
{
	struct stat st;

	if (stat(real, &st) < 0)
		return err_errno(err, errno, "--stage-dir %s", path);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_USAGE, "--stage-dir %s is no folder", path);
	for (size_t i = 0; i < host->roots.len; i++) {
		if (dirs_is_below(real, host->roots.items[i]))
			return err_set(err, ERR_USAGE,
			    "--stage-dir %s lies inside the root %s, where tools may write; put "
			    "it outside of every --root",
			    path, host->roots.items[i]);
	}
	return 0;
}

int host_open_stage_dir(struct host *host, struct err *err)
{
	const char *path = host->options->stage_dir;

	if (path == NULL)
		return 0;
	host->scope.folder = realpath(path, NULL);
	if (host->scope.folder == NULL)
		return err_errno(err, errno, "--stage-dir %s", path);
	return check_place(host, path, host->scope.folder, err);
}

/* ---- reading ---- */

static int read_file(const struct host *host, struct buf *ret_text, struct err *err)
{
	const char *folder = host->scope.folder;
	cleanup_free char *real = realpath(folder, NULL);
	int found;

	if (real == NULL)
		return err_errno(err, errno, "--stage-dir %s", folder);
	if (check_place(host, folder, real, err) < 0)
		return -1;
	if (strcmp(real, folder) != 0)
		return err_set(err, ERR_CONFIGURATION, "the folder is a link now");
	found = dirs_read_host_file(folder, CONTRACT, ret_text, err);
	if (found == 0)
		return err_set(err, ERR_NOT_FOUND, "there is no " CONTRACT);
	return found > 0 ? 0 : -1;
}

/* The tools that are granted, or none and the one reason. */
static int read_contract(const struct host *host, struct decision *decision, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT_MAX(GATE_CONTRACT_MAX);
	struct known_tools *known = known_tools_new(err);
	char digest_text[DIGEST_TEXT_SIZE];
	struct digest digest;
	int result = -1;

	if (known != NULL && read_file(host, &text, err) == 0) {
		digest = digest_of(text.data, text.len);
		digest_format(&digest, digest_text);
		decision->contract_file = xstrdup(CONTRACT);
		decision->contract_version = xstrdup(digest_text);
		result = gate_contract_read(
		    text.data, text.len, known_tools_have, known, &decision->gate.tools, err);
	}
	known_tools_free(known);
	return result;
}

/* ---- the record ---- */

/* What a row says of it, without the word that says whether it is new; two that say the same are one
 * decision. */
static void say(const struct host *host, const struct decision *decision, const struct err *err,
    struct buf *ret_text)
{
	cleanup_strvec struct strvec visible = STRVEC_INIT;
	size_t hidden = host_count_visible(host, &decision->gate, &visible);

	buf_addf(ret_text, "rank %s", gate_rank_name(decision->gate.rank));
	if (decision->contract_version != NULL)
		buf_addf(ret_text, ", " CONTRACT " %s", decision->contract_version);
	if (err_is_set(err))
		buf_addf(ret_text, ", %s", err->message);
	buf_addf(ret_text, ", %zu hidden, visible:", hidden);
	for (size_t i = 0; i < visible.len; i++)
		buf_addf(ret_text, " %s", visible.items[i]);
}

/* From the loop, not from within the flush: what goes on now has records of its own. */
static void go_on(void *ctx)
{
	struct host *host = ctx;
	struct host_scope *scope = &host->scope;
	cleanup_err struct err err = ERR_INIT;

	scope->recorded = NULL;
	if (scope->proposed.event == NULL) {
		decision_release(&scope->proposed);
		err_set(&err, ERR_LEDGER_UNAVAILABLE, "the decision could not be recorded");
		scope_failed(host, &err);
		return;
	}
	buf_release(&scope->said);
	scope->said = scope->proposed_said;
	scope->proposed_said = BUF_INIT;
	scope_decided(host, &scope->proposed);
}

static void on_recorded(void *ctx, int64_t sequence, const struct err *err)
{
	struct host *host = ctx;

	host->scope.ticket = 0;
	if (!err_is_set(err))
		host->scope.proposed.event = xasprintf("row %lld", (long long)sequence);
	host->scope.recorded = loop_add_timer(host->loop, 0, go_on, host);
}

static void record(struct host *host, bool is_denied)
{
	struct host_scope *scope = &host->scope;
	cleanup_buf struct buf detail = BUF_INIT;
	struct ledger_record record = LEDGER_RECORD_INIT;
	const char *news = scope->said.len > 0 ? "changed" : "initial";

	buf_addf(&detail, "%s, %s", is_denied ? "denied" : news, scope->proposed_said.data);
	record.kind = LEDGER_SCOPE;
	record.caller = host->options->caller;
	record.stage = scope->folder;
	record.detail = detail.data;
	scope->ticket = ledger_queue(host->ledger, &record, on_recorded, host);
}

/* The last part of the folder's path. */
static char *name_of(const char *folder)
{
	const char *slash = strrchr(folder, '/');

	return xstrdup(slash != NULL && slash[1] != '\0' ? slash + 1 : folder);
}

void scope_ask_folder(struct host *host)
{
	struct host_scope *scope = &host->scope;
	cleanup_err struct err reason = ERR_INIT;
	struct decision *decision = &scope->proposed;
	bool is_denied;

	decision_release(decision);
	decision->gate.has_scope = true;
	decision->gate.is_folder = true;
	decision->gate.rank = GATE_RANK_WRITE;
	decision->stage_name = name_of(scope->folder);
	is_denied = read_contract(host, decision, &reason) < 0;
	buf_reset(&scope->proposed_said);
	say(host, decision, &reason, &scope->proposed_said);
	if (scope->said.len > 0 && strcmp(scope->said.data, scope->proposed_said.data) == 0) {
		decision->event = xstrdup(scope->decision.event);
		scope_decided(host, decision);
		return;
	}
	if (is_denied)
		host_warn(host, "the contract of --stage-dir grants nothing: ", &reason);
	record(host, is_denied);
}
