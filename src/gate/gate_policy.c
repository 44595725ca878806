/* SPDX-License-Identifier: MIT */
/* May this actor apply this plan? A pure function of policy, request and approval. */
#include "gate/gate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

void gate_ruling_release(struct gate_ruling *ruling)
{
	free(ruling->reason);
	approval_release(&ruling->approval);
	*ruling = GATE_RULING_INIT;
}

const char *gate_ruling_code(const struct gate_ruling *ruling)
{
	return ruling->is_allowed ? "AUTHZ_ALLOWED" : err_info(ruling->code)->wire;
}

const char *gate_ruling_verdict(const struct gate_ruling *ruling)
{
	if (ruling->is_allowed)
		return "allow";
	return ruling->code == ERR_APPROVAL_REQUIRED ? "approval_required" : "deny";
}

static void allow(struct gate_ruling *ruling, char *reason)
{
	ruling->is_allowed = true;
	ruling->code = ERR_NONE;
	free(ruling->reason);
	ruling->reason = reason;
}

static void refuse(struct gate_ruling *ruling, enum err_code code, char *reason)
{
	assert(code != ERR_NONE);
	ruling->is_allowed = false;
	ruling->code = code;
	free(ruling->reason);
	ruling->reason = reason;
}

/* ---- rules ---- */

static bool is_match(const char *pattern, const char *text)
{
	return pattern == NULL || strcmp(pattern, text) == 0;
}

static bool rule_matches(const struct gate_rule *rule, const struct gate_request *request)
{
	const struct actor *actor = request->actor;

	if (rule->is_authenticated != actor->is_authenticated)
		return false;
	if (rule->actor_id != NULL && (actor->id == NULL || strcmp(rule->actor_id, actor->id) != 0))
		return false;
	return is_match(rule->actor_type, actor->type) &&
	       is_match(rule->surface, request->surface) && is_match(rule->action, request->tool) &&
	       is_match(rule->target, request->target);
}

/* The first rule of that effect that matches, or NULL. */
static const struct gate_rule *find_rule(
    const struct gate_policy *policy, const struct gate_request *request, bool is_deny)
{
	for (size_t i = 0; i < policy->rules_len; i++) {
		const struct gate_rule *rule = &policy->rules[i];

		if (rule->is_deny == is_deny && rule_matches(rule, request))
			return rule;
	}
	return NULL;
}

/* ---- approvals ---- */

/* What the approval is bound to that the request is not; NULL: nothing. */
static const char *find_difference(
    const struct approval *approval, const struct gate_request *request)
{
	if (strcmp(approval->plan_id, request->plan_id) != 0)
		return "is for another plan";
	if (!digest_equal(&approval->plan_hash, &request->plan_hash))
		return "is for another content of the plan";
	if (strcmp(approval->surface, request->surface) != 0 ||
	    strcmp(approval->tool, request->tool) != 0)
		return "is for another action";
	if (strcmp(approval->target, request->target) != 0)
		return "is for another target";
	return request->now_us >= approval->expires_us ? "has expired" : NULL;
}

static void judge_approval(const struct gate_request *request, struct gate_ruling *ruling)
{
	const char *difference = find_difference(&ruling->approval, request);

	ruling->has_approval = true;
	if (difference == NULL)
		allow(ruling, xasprintf("rule %d allows it, and it is approved: %s",
				  (int)ruling->rule_index, ruling->approval.id));
	else
		refuse(ruling, ERR_APPROVAL_STALE,
		    xasprintf("the approval %s %s", ruling->approval.id, difference));
}

static void ask_approval(const struct gate_request *request, gate_approval_fn find, void *ctx,
    struct gate_ruling *ruling)
{
	cleanup_err struct err cause = ERR_INIT;
	int got = find(ctx, request->plan_id, &ruling->approval, &cause);

	if (got == 1)
		judge_approval(request, ruling);
	else if (got == 0)
		refuse(ruling, ERR_APPROVAL_REQUIRED,
		    xasprintf("rule %d wants a person's approval; a person must run: stile authz "
			      "approve %s",
			(int)ruling->rule_index, request->plan_id));
	else
		refuse(ruling,
		    cause.code == ERR_APPROVAL_INVALID ? ERR_APPROVAL_INVALID
						       : ERR_AUTHZ_UNAVAILABLE,
		    xstrdup(cause.message));
}

/* ---- the decision ---- */

/* 0 when the request may be judged at all. */
static int check_request(const struct gate_request *request, struct gate_ruling *ruling)
{
	const struct actor *actor = request->actor;

	if (actor == NULL || actor->type == NULL || actor->type[0] == '\0') {
		refuse(ruling, ERR_AUTHZ_UNAVAILABLE, xstrdup("it is not known who asks"));
		return -1;
	}
	if (actor->id != NULL && !actor->is_authenticated) {
		refuse(
		    ruling, ERR_AUTHZ_INVALID, xstrdup("the caller has an id that nobody proved"));
		return -1;
	}
	if (request->surface == NULL || request->tool == NULL || request->target == NULL ||
	    request->target[0] == '\0') {
		refuse(ruling, ERR_AUTHZ_INVALID,
		    xstrdup("the request names no surface, tool or target"));
		return -1;
	}
	return 0;
}

static void decide_locally(const struct gate_request *request, struct gate_ruling *ruling)
{
	if (strcmp(request->actor->type, "cli") == 0)
		allow(ruling, xstrdup("no policy is enforced on this host"));
	else
		refuse(ruling, ERR_AUTHZ_DENIED,
		    xasprintf("a caller of the kind %s needs a policy on this host that allows "
			      "it; see docs/plans.md",
			request->actor->type));
}

static void decide_by_rules(const struct gate_policy *policy, const struct gate_request *request,
    gate_approval_fn find, void *ctx, struct gate_ruling *ruling)
{
	const struct gate_rule *deny = find_rule(policy, request, true);
	const struct gate_rule *rule = deny != NULL ? deny : find_rule(policy, request, false);

	if (rule == NULL) {
		refuse(ruling, ERR_AUTHZ_DENIED, xstrdup("no rule of the policy allows it"));
		return;
	}
	ruling->rule_index = rule - policy->rules;
	if (deny != NULL)
		refuse(ruling, ERR_AUTHZ_DENIED,
		    xasprintf("rule %d denies it", (int)ruling->rule_index));
	else if (rule->needs_approval)
		ask_approval(request, find, ctx, ruling);
	else
		allow(ruling, xasprintf("rule %d allows it", (int)ruling->rule_index));
}

void gate_policy_decide(const struct gate_policy *policy, const struct gate_request *request,
    gate_approval_fn find, void *ctx, struct gate_ruling *ret_ruling)
{
	bool is_enforced = policy != NULL && policy->is_enforced;

	gate_ruling_release(ret_ruling);
	ret_ruling->mode = is_enforced ? "enforced" : "legacy_local";
	if (check_request(request, ret_ruling) < 0)
		return;
	if (!is_enforced)
		decide_locally(request, ret_ruling);
	else if (request->plan_id == NULL)
		refuse(ret_ruling, ERR_AUTHZ_DENIED,
		    xstrdup("the policy of this host lets nothing run without a plan"));
	else
		decide_by_rules(policy, request, find, ctx, ret_ruling);
}

static int find_in_records(
    void *ctx, const char *plan_id, struct approval *ret_approval, struct err *err)
{
	return records_approval_find(ctx, plan_id, ret_approval, err);
}

void gate_authorize(const char *data_dir, struct records *records, const struct actor *actor,
    const struct plan *plan, struct gate_ruling *ret_ruling)
{
	cleanup_gate_policy struct gate_policy policy = GATE_POLICY_INIT;
	cleanup_err struct err err = ERR_INIT;
	int found = gate_policy_load(data_dir, &policy, &err);
	struct gate_request request = {
		.actor = actor,
		.surface = plan->facts.surface,
		.tool = plan->facts.tool,
		.target = plan->facts.target,
		.plan_id = plan->id,
		.plan_hash = plan->hash,
		.now_us = clock_wall_us(),
	};

	if (found >= 0) {
		gate_policy_decide(
		    found == 1 ? &policy : NULL, &request, find_in_records, records, ret_ruling);
		return;
	}
	gate_ruling_release(ret_ruling);
	ret_ruling->mode = "unknown";
	if (check_request(&request, ret_ruling) == 0)
		refuse(ret_ruling, err.code, xstrdup(err.message));
}

struct plan_decision gate_ruling_decision(
    const struct gate_ruling *ruling, const struct actor *actor, const struct plan *plan)
{
	return (struct plan_decision){
		.actor = *actor,
		.surface = plan->facts.surface,
		.tool = plan->facts.tool,
		.target = plan->facts.target,
		.plan_id = plan->id,
		.plan_hash = plan->hash,
		.verdict = gate_ruling_verdict(ruling),
		.code = gate_ruling_code(ruling),
		.reason = ruling->reason,
		.mode = ruling->mode,
		.rule_index = ruling->rule_index,
		.approval_id = ruling->has_approval ? ruling->approval.id : NULL,
	};
}
