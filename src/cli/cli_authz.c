/* SPDX-License-Identifier: MIT */
/* stile authz status|check|approve|revoke: the host's policy, and a person's consent to a plan. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirs.h"
#include "cli/cli_records.h"
#include "cli/cli_vault.h"

/* ---- status ---- */

static void write_pattern(struct json_writer *w, const char *name, const char *pattern)
{
	json_write_member_string(w, name, pattern != NULL ? pattern : "*");
}

static void write_rule(struct json_writer *w, const struct gate_rule *rule)
{
	json_write_object_begin(w);
	json_write_key(w, "actor");
	json_write_object_begin(w);
	write_pattern(w, "type", rule->actor_type);
	if (rule->actor_id != NULL)
		json_write_member_string(w, "id", rule->actor_id);
	json_write_member_bool(w, "authenticated", rule->is_authenticated);
	json_write_object_end(w);
	write_pattern(w, "surface", rule->surface);
	write_pattern(w, "action", rule->action);
	write_pattern(w, "target", rule->target);
	json_write_member_string(w, "effect", rule->is_deny ? "deny" : "allow");
	json_write_member_bool(w, "require_approval", rule->needs_approval);
	if (rule->description != NULL)
		json_write_member_string(w, "description", rule->description);
	json_write_object_end(w);
}

/* What `authz status` found. */
struct host_policy {
	const char *path;
	int found; /* 1, 0, -1: why is in fault */
	struct gate_policy policy;
	struct err fault;
};

static const char *mode_of(const struct host_policy *host)
{
	if (host->found < 0)
		return "unknown";
	return host->policy.is_enforced ? "enforced" : "legacy_local";
}

static void write_status(
    struct json_writer *w, const struct host_policy *host, const struct cli_desk *desk)
{
	cleanup_free char *ledger = ledger_path(desk->data_dir);

	json_write_object_begin(w);
	json_write_member_string(w, "mode", mode_of(host));
	json_write_member_bool(w, "enforced", host->found < 0 || host->policy.is_enforced);
	json_write_member_string(w, "policy_path", host->path);
	json_write_member_bool(w, "policy_loaded", host->found == 1);
	if (host->found < 0) {
		json_write_key(w, "policy_error");
		json_write_object_begin(w);
		json_write_member_string(w, "code", err_info(host->fault.code)->wire);
		json_write_member_string(w, "message", host->fault.message);
		json_write_object_end(w);
	}
	json_write_key(w, "rules");
	json_write_array_begin(w);
	for (size_t i = 0; i < host->policy.rules_len; i++)
		write_rule(w, &host->policy.rules[i]);
	json_write_array_end(w);
	json_write_member_string(w, "ledger_path", ledger);
	json_write_key(w, "actor");
	actor_write(cli_desk_actor(desk), w);
	json_write_object_end(w);
}

static const char *or_star(const char *pattern)
{
	return pattern != NULL ? pattern : "*";
}

static void show_rule(struct buf *out, size_t index, const struct gate_rule *rule)
{
	cli_line(out, "%-12s %zu: %s %s%s%s, surface %s, action %s, target %s%s", "rule", index,
	    rule->is_deny ? "deny" : "allow", or_star(rule->actor_type),
	    rule->actor_id != NULL ? " " : "", rule->actor_id != NULL ? rule->actor_id : "",
	    or_star(rule->surface), or_star(rule->action), or_star(rule->target),
	    rule->needs_approval ? ", with a person's approval" : "");
}

static void show_status(
    struct buf *out, const struct host_policy *host, const struct cli_desk *desk)
{
	cli_field(out, "mode", mode_of(host));
	cli_line(out, "%-12s %s%s", "policy", host->path, host->found == 0 ? " (none)" : "");
	if (host->found < 0)
		cli_line(out, "%-12s %s: %s; nothing may be applied", "fault",
		    err_info(host->fault.code)->wire, host->fault.message);
	for (size_t i = 0; i < host->policy.rules_len; i++)
		show_rule(out, i, &host->policy.rules[i]);
	cli_field(out, "you are", cli_desk_actor(desk)->type);
	cli_field(out, "", cli_desk_actor(desk)->provenance);
}

int cmd_authz_status(struct cli *cli, struct err *err)
{
	cleanup_cli_desk struct cli_desk desk = CLI_DESK_INIT;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	cleanup_free char *path = NULL;
	struct host_policy host = { .policy = GATE_POLICY_INIT, .fault = ERR_INIT };

	if (cli_desk_open(&desk, err) < 0)
		return -1;
	path = xasprintf("%s/" GATE_POLICY_FILE, desk.data_dir);
	host.path = path;
	host.found = gate_policy_load(desk.data_dir, &host.policy, &host.fault);
	write_status(&w, &host, &desk);
	show_status(&cli->out, &host, &desk);
	gate_policy_release(&host.policy);
	err_release(&host.fault);
	return 0;
}

/* ---- check ---- */

static void write_check(struct json_writer *w, const struct plan *plan,
    const struct gate_ruling *ruling, const struct actor *actor)
{
	char hash[DIGEST_TEXT_SIZE];

	digest_format(&plan->hash, hash);
	json_write_object_begin(w);
	json_write_member_string(w, "plan_id", plan->id);
	json_write_member_string(w, "plan_hash", hash);
	json_write_member_string(w, "surface", plan->facts.surface);
	json_write_member_string(w, "action", plan->facts.tool);
	json_write_member_string(w, "target", plan->facts.target);
	json_write_key(w, "actor");
	actor_write(actor, w);
	json_write_member_string(w, "decision", gate_ruling_verdict(ruling));
	json_write_member_string(w, "code", gate_ruling_code(ruling));
	json_write_member_string(w, "reason", ruling->reason);
	json_write_member_string(w, "mode", ruling->mode);
	json_write_member_int(w, "rule_index", ruling->rule_index);
	if (ruling->has_approval) {
		json_write_member_string(w, "approval_id", ruling->approval.id);
		json_write_key(w, "approval");
		approval_write(&ruling->approval, w);
	}
	json_write_object_end(w);
}

int cmd_authz_check(struct cli *cli, struct err *err)
{
	cleanup_cli_desk struct cli_desk desk = CLI_DESK_INIT;
	cleanup_plan struct plan plan = PLAN_INIT;
	cleanup_gate_ruling struct gate_ruling ruling = GATE_RULING_INIT;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	if (cli_desk_open(&desk, err) < 0 ||
	    records_plan_load(desk.records, cli_word(cli, 0), &plan, err) < 0)
		return -1;
	gate_authorize(desk.data_dir, desk.records, cli_desk_actor(&desk), &plan, &ruling);
	write_check(&w, &plan, &ruling, cli_desk_actor(&desk));
	cli_line(&cli->out, "%s: %s (%s)", gate_ruling_verdict(&ruling), ruling.reason,
	    gate_ruling_code(&ruling));
	return 0;
}

/* ---- approve ---- */

static int check_expected(const struct plan *plan, const char *expected, struct err *err)
{
	struct digest digest;

	if (expected == NULL ||
	    (digest_parse(expected, &digest) && digest_equal(&digest, &plan->hash)))
		return 0;
	return err_set(err, ERR_APPROVAL_INVALID,
	    "plan %s has another hash than expected; nothing was approved", plan->id);
}

/* What cannot be approved is said before a person reads a page. */
static int check_approvable(const struct plan *plan, struct err *err)
{
	if (plan->status != PLAN_CREATED)
		return err_set(err, ERR_CONFLICT, "plan %s is %s already", plan->id,
		    plan_status_name(plan->status));
	if (plan_has_expired(plan))
		return err_set(
		    err, ERR_PLAN_STALE, "plan %s has expired; make a new one", plan->id);
	return 0;
}

static int check_not_approved(struct records *records, const struct plan *plan, struct err *err)
{
	cleanup_approval struct approval approval = APPROVAL_INIT;
	int got = records_approval_find(records, plan->id, &approval, err);

	if (got == 1)
		return err_set(err, ERR_ALREADY_EXISTS, "plan %s is approved already: %s", plan->id,
		    approval.id);
	return got;
}

/* A no is on record too; what cannot be recorded is said instead. */
static int note_declined(struct cli_desk *desk, const struct plan *plan, struct err *err)
{
	cleanup_err struct err fault = ERR_INIT;

	if (err->code == ERR_WRITE_DECLINED &&
	    records_decline(desk->records, plan, cli_desk_actor(desk), &fault) < 0)
		err_move(err, &fault);
	return -1;
}

static int ask_person(struct cli_desk *desk, const struct plan *plan, struct err *err)
{
	cleanup_buf struct buf question = BUF_INIT;

	buf_adds(&question, "Let this plan be applied, once?\n\n");
	cli_write_plan(&question, plan);
	buf_adds(&question, "\nTo approve it, type the last four characters of the plan's id: ");
	if (cli_tty_confirm(question.data, plan->id + strlen(plan->id) - 4, err) < 0)
		return note_declined(desk, plan, err);
	return 0;
}

int cmd_authz_approve(struct cli *cli, struct err *err)
{
	cleanup_cli_desk struct cli_desk desk = CLI_DESK_INIT;
	cleanup_plan struct plan plan = PLAN_INIT;
	cleanup_approval struct approval approval = APPROVAL_INIT;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	if (cli_desk_open(&desk, err) < 0 ||
	    records_plan_load(desk.records, cli_word(cli, 0), &plan, err) < 0 ||
	    check_expected(&plan, cli->options.expect_hash, err) < 0 ||
	    check_approvable(&plan, err) < 0 || check_not_approved(desk.records, &plan, err) < 0 ||
	    ask_person(&desk, &plan, err) < 0 ||
	    records_approve(desk.records, &plan, cli_desk_actor(&desk), &approval, err) < 0)
		return -1;
	approval_write(&approval, &w);
	cli_line(&cli->out, "approved: %s by %s", plan.id, approval.id);
	return 0;
}

/* ---- revoke ---- */

/* The plan itself may be gone or damaged: its id is enough. */
static int ask_to_revoke(const char *plan_id, struct err *err)
{
	cleanup_buf struct buf question = BUF_INIT;

	buf_addf(&question,
	    "Take the approval of %s back?\n\nTo do so, type the last four characters of the "
	    "plan's id: ",
	    plan_id);
	return cli_tty_confirm(question.data, plan_id + strlen(plan_id) - 4, err);
}

/* Edited or not, there is one that stands. */
static int check_approved(struct records *records, const char *plan_id, struct err *err)
{
	cleanup_approval struct approval approval = APPROVAL_INIT;
	cleanup_err struct err fault = ERR_INIT;
	int got = records_approval_find(records, plan_id, &approval, &fault);

	if (got == 1 || fault.code == ERR_APPROVAL_INVALID)
		return 0;
	if (got == 0)
		return err_set(err, ERR_NOT_FOUND, "plan %s has no approval that stands", plan_id);
	err_move(err, &fault);
	return -1;
}

int cmd_authz_revoke(struct cli *cli, struct err *err)
{
	cleanup_cli_desk struct cli_desk desk = CLI_DESK_INIT;
	const char *plan_id = cli_word(cli, 0);
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	if (cli_desk_open(&desk, err) < 0 || check_approved(desk.records, plan_id, err) < 0 ||
	    ask_to_revoke(plan_id, err) < 0 ||
	    records_revoke(desk.records, plan_id, cli_desk_actor(&desk), err) < 0)
		return -1;
	json_write_object_begin(&w);
	json_write_member_string(&w, "plan_id", plan_id);
	json_write_member_bool(&w, "revoked", true);
	json_write_object_end(&w);
	cli_line(&cli->out, "revoked: the approval of %s", plan_id);
	return 0;
}
