/* SPDX-License-Identifier: MIT */
/*
 * stile vault scope: what the caller may do in a stage, and, for servers, the record of it. The vault
 * says rank and contract, gate/ what the contract's text grants and which tools that shows; here the
 * two meet.
 */
#include "cli/cli_vault.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "call/call.h"
#include "gate/gate.h"

#define TRIES 3

/* What came of it. */
struct decision {
	struct vault_scope scope;
	struct gate_scope granted;
	char *reason; /* why nothing is granted; or NULL */
	struct strvec visible;
	int64_t hidden;
	struct vault_scope_recorded recorded;
};

static void decision_release(struct decision *decision)
{
	vault_scope_release(&decision->scope);
	gate_scope_release(&decision->granted);
	free(steal_ptr(&decision->reason));
	strvec_release(&decision->visible);
	decision->hidden = 0;
}

/* ---- deciding ---- */

static enum gate_rank gate_rank_of(enum vault_rank rank)
{
	switch (rank) {
	case VAULT_READ:
		return GATE_RANK_READ;
	case VAULT_WRITE:
		return GATE_RANK_WRITE;
	case VAULT_MANAGE:
		return GATE_RANK_MANAGE;
	case VAULT_NONE:
		break;
	}
	return GATE_RANK_NONE;
}

/* What the contract names, or why it grants nothing. */
static void read_contract(struct decision *decision, struct known_tools *known)
{
	cleanup_err struct err err = ERR_INIT;
	const struct vault_scope *scope = &decision->scope;

	decision->granted.has_scope = true;
	decision->granted.rank = gate_rank_of(scope->rank);
	if (scope->reason != NULL)
		decision->reason = xstrdup(scope->reason);
	else if (gate_contract_read(scope->text.data, scope->text.len, known_tools_have, known,
		     &decision->granted.tools, &err) < 0)
		decision->reason = xasprintf("CONTEXT.md: %s", err.message);
}

/* Which of the contract's tools are shown, in the contract's order. */
struct judge {
	const struct gate_scope *granted;
	bool *is_visible;
	int64_t hidden;
};

static void mark_visible(struct judge *judge, const char *name)
{
	const struct strvec *tools = &judge->granted->tools;

	for (size_t i = 0; i < tools->len; i++)
		judge->is_visible[i] |= strcmp(tools->items[i], name) == 0;
}

/* Whether tools that execute what a caller names are shown as well is the server's to know. */
static void judge_tool(void *ctx, const struct gate_tool *tool)
{
	static const struct strvec nobody = { 0 };
	struct judge *judge = ctx;
	struct gate_tool facts = *tool;

	facts.executes_any = false;
	if (gate_scope_shows(&facts, judge->granted, &nobody))
		mark_visible(judge, tool->name);
	else if (!tool->is_hidden)
		judge->hidden++;
}

static int judge_tools(struct decision *decision, struct known_tools *known,
    const struct strvec *surfaces, struct err *err)
{
	const struct strvec *tools = &decision->granted.tools;
	struct judge judge = { .granted = &decision->granted };
	int result;

	judge.is_visible = xcalloc(tools->len + 1, sizeof(*judge.is_visible));
	result = known_tools_each(known, surfaces, judge_tool, &judge, err);
	for (size_t i = 0; i < tools->len; i++) {
		if (judge.is_visible[i])
			strvec_push(&decision->visible, tools->items[i]);
	}
	decision->hidden = judge.hidden;
	free(judge.is_visible);
	return result;
}

static int decide(struct cli *cli, struct vault *vault, struct known_tools *known,
    struct decision *decision, struct err *err)
{
	const struct cli_options *options = &cli->options;
	const struct vault_scope_ask ask = {
		.workspace = options->workspace,
		.stage = options->stage,
		.max_size = (int64_t)GATE_CONTRACT_MAX,
		.is_recorded = options->is_record,
	};
	struct vault_scope_decision made = { .visible = &decision->visible,
		.since = options->since };

	if (vault_scope(vault, &ask, &decision->scope, err) < 0)
		return -1;
	read_contract(decision, known);
	if (judge_tools(decision, known, &options->surfaces, err) < 0)
		return -1;
	made.hidden = decision->hidden;
	made.reason = decision->reason;
	return !ask.is_recorded ? 0
				: vault_scope_record(vault, &ask, &decision->scope, &made,
				      &decision->recorded, err);
}

/* What changes between deciding and recording is decided anew. */
static int decide_surely(
    struct cli *cli, struct vault *vault, struct decision *decision, struct err *err)
{
	struct known_tools *known = known_tools_new(err);
	int result = known == NULL ? -1 : decide(cli, vault, known, decision, err);

	for (int i = 1; i < TRIES && known != NULL && result < 0 && err->code == ERR_CONFLICT;
	     i++) {
		err_release(err);
		decision_release(decision);
		result = decide(cli, vault, known, decision, err);
	}
	known_tools_free(known);
	return result;
}

/* ---- showing ---- */

static void write_place(
    struct json_writer *w, const char *key, const char *id, const char *name, const char *path)
{
	json_write_key(w, key);
	if (id == NULL) {
		json_write_null(w);
		return;
	}
	json_write_object_begin(w);
	json_write_member_string(w, "id", id);
	json_write_member_string(w, "name", name);
	if (path != NULL)
		json_write_member_string(w, "path", path);
	json_write_object_end(w);
}

static void write_contract(struct json_writer *w, const struct vault_scope *scope)
{
	json_write_key(w, "contract");
	if (scope->contract == NULL) {
		json_write_null(w);
		return;
	}
	json_write_object_begin(w);
	json_write_member_string(w, "file", scope->contract);
	json_write_member_string(w, "version", scope->contract_version);
	json_write_member_int(w, "number", scope->contract_number);
	json_write_object_end(w);
}

static void write_names(struct json_writer *w, const char *key, const struct strvec *names)
{
	json_write_key(w, key);
	json_write_array_begin(w);
	for (size_t i = 0; i < names->len; i++)
		json_write_string(w, names->items[i]);
	json_write_array_end(w);
}

static void write_event(struct json_writer *w, const struct vault_scope_recorded *recorded)
{
	json_write_key(w, "event");
	if (recorded->id[0] == '\0') {
		json_write_null(w);
		return;
	}
	json_write_object_begin(w);
	json_write_member_string(w, "id", recorded->id);
	json_write_member_string(w, "result", recorded->result);
	json_write_object_end(w);
}

static void write_decision(struct json_writer *w, const struct decision *decision)
{
	const struct vault_scope *scope = &decision->scope;

	json_write_object_begin(w);
	write_place(w, "workspace", scope->workspace, scope->workspace_name, scope->workspace_path);
	write_place(w, "stage", scope->stage, scope->stage_name, NULL);
	json_write_member_string(w, "rank", vault_rank_name(scope->rank));
	write_contract(w, scope);
	write_names(w, "tools", &decision->granted.tools);
	json_write_member_string(w, "reason", decision->reason);
	write_names(w, "visible", &decision->visible);
	json_write_member_int(w, "hidden", decision->hidden);
	write_event(w, &decision->recorded);
	json_write_object_end(w);
}

static void show_names(struct buf *out, const char *label, const struct strvec *names)
{
	cleanup_buf struct buf line = BUF_INIT;

	for (size_t i = 0; i < names->len; i++)
		buf_addf(&line, "%s%s", i > 0 ? ", " : "", names->items[i]);
	cli_field(out, label, names->len > 0 ? line.data : "-");
}

static void show_decision(struct cli *cli, const struct decision *decision)
{
	const struct vault_scope *scope = &decision->scope;
	struct buf *out = &cli->out;

	if (scope->workspace != NULL)
		cli_line(
		    out, "%-12s %s (%s)", "workspace", scope->workspace_path, scope->workspace);
	if (scope->stage != NULL)
		cli_line(out, "%-12s %s (%s)", "stage", scope->stage_name, scope->stage);
	cli_field(out, "rank", vault_rank_name(scope->rank));
	if (scope->contract != NULL)
		cli_line(out, "%-12s version %" PRId64 " of %s (%s)", "contract",
		    scope->contract_number, scope->contract, scope->contract_version);
	show_names(out, "names", &decision->granted.tools);
	show_names(out, "shows", &decision->visible);
	cli_line(out, "%-12s %" PRId64 " other tools", "hides", decision->hidden);
	if (cli->options.is_record && decision->recorded.id[0] == '\0')
		cli_field(out, "recorded", "nothing: the decision is the same");
	else if (cli->options.is_record)
		cli_line(out, "%-12s %s (%s)", "recorded", decision->recorded.result,
		    decision->recorded.id);
}

/* ---- the command ---- */

static int check_options(const struct cli_options *options, struct err *err)
{
	if (options->workspace == NULL)
		return err_set(err, ERR_USAGE, "vault scope wants --workspace");
	if (options->since != NULL && !options->is_record)
		return err_set(err, ERR_USAGE, "--since wants --record");
	if (options->within != NULL && options->is_record)
		return err_set(err, ERR_USAGE,
		    "--within does not go with --record: what is recorded is the whole decision");
	return 0;
}

/* For a record the vault is opened without a trace; the row, if there is one, is the trace. */
static struct vault *open_for_record(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open_store(cli, err);
	cleanup_secret struct secret *token = vault == NULL ? NULL : vault_credential_load(err);

	if (token == NULL || vault_bind_unnoted(vault, token, err) < 0)
		return NULL;
	return steal_ptr(&vault);
}

int cmd_vault_scope(struct cli *cli, struct err *err)
{
	struct decision decision = { .scope = VAULT_SCOPE_INIT, .granted = GATE_SCOPE_INIT };
	cleanup_vault struct vault *vault = NULL;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	int result;

	if (check_options(&cli->options, err) < 0)
		return -1;
	vault = cli->options.is_record ? open_for_record(cli, err) : cli_vault_open(cli, err);
	if (vault == NULL)
		return -1;
	result = decide_surely(cli, vault, &decision, err);
	if (result == 0) {
		write_decision(&w, &decision);
		show_decision(cli, &decision);
		if (decision.reason != NULL)
			log_line(LOG_LEVEL_WARNING, "nothing is granted: %s", decision.reason);
	}
	decision_release(&decision);
	return result;
}
