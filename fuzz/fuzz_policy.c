/* SPDX-License-Identifier: MIT */
/* policy.yaml is a person's bytes: whatever comes, nothing is allowed that no rule of it allows, and a
 * policy that was not read leaves nothing behind. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gate/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
	if (!holds)
		abort();
}

static int find_none(void *ctx, const char *plan_id, struct approval *ret_approval, struct err *err)
{
	(void)ctx;
	(void)plan_id;
	(void)ret_approval;
	(void)err;
	return 0;
}

/* Written anew, simpler than the product does it: is there a rule of that effect for the request? */
static bool has_rule(const struct gate_policy *policy, const struct gate_request *request,
    bool is_deny, bool may_need_approval)
{
	for (size_t i = 0; i < policy->rules_len; i++) {
		const struct gate_rule *rule = &policy->rules[i];
		bool fits = rule->is_deny == is_deny;

		fits &=
		    rule->actor_type == NULL || strcmp(rule->actor_type, request->actor->type) == 0;
		fits &= rule->is_authenticated == request->actor->is_authenticated;
		fits &=
		    rule->actor_id == NULL ||
		    (request->actor->id != NULL && strcmp(rule->actor_id, request->actor->id) == 0);
		fits &= rule->surface == NULL || strcmp(rule->surface, request->surface) == 0;
		fits &= rule->action == NULL || strcmp(rule->action, request->tool) == 0;
		fits &= rule->target == NULL || strcmp(rule->target, request->target) == 0;
		if (fits && (may_need_approval || !rule->needs_approval))
			return true;
	}
	return false;
}

static void decide(const struct gate_policy *policy, const struct actor *actor)
{
	struct gate_request request = {
		.actor = actor, .surface = "shop", .tool = "rebuild", .target = "a", .plan_id = "p"
	};
	cleanup_gate_ruling struct gate_ruling ruling = GATE_RULING_INIT;

	gate_policy_decide(policy, &request, find_none, NULL, &ruling);
	demand(ruling.reason != NULL && ruling.is_allowed == (ruling.code == ERR_NONE));
	if (!policy->is_enforced)
		demand(ruling.is_allowed == (strcmp(actor->type, "cli") == 0));
	else if (has_rule(policy, &request, true, true))
		demand(ruling.code == ERR_AUTHZ_DENIED);
	else if (!has_rule(policy, &request, false, true))
		demand(ruling.code == ERR_AUTHZ_DENIED && ruling.rule_index == -1);
	else
		demand(ruling.is_allowed ? has_rule(policy, &request, false, false)
					 : ruling.code == ERR_APPROVAL_REQUIRED);
	request.plan_id = NULL;
	gate_policy_decide(policy, &request, find_none, NULL, &ruling);
	demand(!policy->is_enforced || ruling.code == ERR_AUTHZ_DENIED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct actor actors[] = { { .type = "cli" }, { .type = "mcp" },
		{ .type = "mcp", .id = "a", .is_authenticated = true } };
	cleanup_gate_policy struct gate_policy policy = GATE_POLICY_INIT;
	cleanup_err struct err err = ERR_INIT;

	if (gate_policy_read((const char *)data, size, &policy, &err) < 0) {
		demand(
		    err.code == ERR_AUTHZ_INVALID && policy.rules == NULL && !policy.is_enforced);
		return 0;
	}
	demand(policy.rules_len <= GATE_POLICY_RULES);
	for (size_t i = 0; i < ARRAY_LEN(actors); i++)
		decide(&policy, &actors[i]);
	return 0;
}
