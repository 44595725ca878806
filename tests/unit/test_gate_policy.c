/* SPDX-License-Identifier: MIT */
/* policy.yaml and what it decides: each refusal with its code, and none that fails open. */
#include "unit.h"

#include <sys/stat.h>

#include "base/clock.h"
#include "gate/gate.h"
#include "scratch.h"

/* ---- reading ---- */

#define HEAD "schema_version: '1'\nmode: enforced\nrules:\n"
#define ANYONE "actor: {type: '*', authenticated: false}"
#define ALL "surface: '*', action: '*', target: '*'"

static enum err_code read_fault(const char *text, size_t len)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_gate_policy struct gate_policy policy = GATE_POLICY_INIT;

	assert_int_equal(gate_policy_read(text, len, &policy, &err), -1);
	assert_int_equal(policy.rules_len, 0);
	return err.code;
}

static void what_is_not_wholly_understood_is_invalid(void **state)
{
	static const char *const bad[] = {
		"",
		"[]",
		"mode: enforced\n",
		"schema_version: '1'\n",
		"schema_version: '2'\nmode: enforced\n",
		"schema_version: 1.0\nmode: enforced\n",
		"schema_version: '1'\nmode: strict\n",
		"schema_version: '1'\nmode: Enforced\n",
		"schema_version: '1'\nmode: enforced\nmode: legacy_local\n",
		"schema_version: '1'\nmode: enforced\nMode: legacy_local\n",
		"schema_version: '1'\nmode: enforced\nextra: 1\n",
		"schema_version: '1'\nmode: enforced\nrules: {}\n",
		"schema_version: '1'\nmode: enforced\n---\nmode: legacy_local\n",
		"schema_version: '1'\nmode: enforced\nrules: [1]\n",
		HEAD "- {" ALL ", effect: allow}\n",
		HEAD "- {actor: {type: mcp}, " ALL ", effect: allow}\n",
		HEAD "- {actor: {authenticated: false}, " ALL ", effect: allow}\n",
		HEAD "- {actor: {type: root, authenticated: false}, " ALL ", effect: allow}\n",
		HEAD "- {actor: {type: mcp, authenticated: 'no'}, " ALL ", effect: allow}\n",
		HEAD "- {actor: {type: mcp, authenticated: '*'}, " ALL ", effect: allow}\n",
		HEAD "- {actor: {type: mcp, id: a, authenticated: false}, " ALL
		     ", effect: allow}\n",
		HEAD "- {actor: {type: mcp, id: '', authenticated: true}, " ALL
		     ", effect: allow}\n",
		HEAD "- {actor: {type: mcp, role: admin, authenticated: true}, " ALL
		     ", effect: allow}\n",
		HEAD "- {" ANYONE ", action: '*', target: '*', effect: allow}\n",
		HEAD "- {" ANYONE ", surface: '*', target: '*', effect: allow}\n",
		HEAD "- {" ANYONE ", surface: '*', action: '*', effect: allow}\n",
		HEAD "- {" ANYONE ", surface: '*', action: '*', target: '', effect: allow}\n",
		HEAD "- {" ANYONE ", surface: '*', action: [a], target: x, effect: allow}\n",
		HEAD "- {" ANYONE ", " ALL "}\n",
		HEAD "- {" ANYONE ", " ALL ", effect: permit}\n",
		HEAD "- {" ANYONE ", " ALL ", effect: allow, require_approval: yes}\n",
		HEAD "- {" ANYONE ", " ALL ", effect: deny, require_approval: true}\n",
		HEAD "- {" ANYONE ", " ALL ", effect: deny, require_approval: false}\n",
		HEAD "- {" ANYONE ", " ALL ", effect: allow, description: 1}\n",
		HEAD "- {" ANYONE ", " ALL ", effect: allow, unless: x}\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		if (read_fault(bad[i], strlen(bad[i])) != ERR_AUTHZ_INVALID)
			fail_msg("another code for: %s", bad[i]);
	}
}

static void too_many_rules_or_bytes_are_invalid(void **state)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_gate_policy struct gate_policy policy = GATE_POLICY_INIT;

	(void)state;
	buf_adds(&text, HEAD);
	for (size_t i = 0; i < GATE_POLICY_RULES; i++)
		buf_adds(&text, "- {" ANYONE ", " ALL ", effect: allow}\n");
	assert_ok(gate_policy_read(text.data, text.len, &policy, &err), &err);
	assert_int_equal(policy.rules_len, GATE_POLICY_RULES);
	buf_adds(&text, "- {" ANYONE ", " ALL ", effect: allow}\n");
	assert_int_equal(read_fault(text.data, text.len), ERR_AUTHZ_INVALID);
	buf_reset(&text);
	buf_adds(&text, "schema_version: '1'\nmode: enforced\n#");
	while (text.len <= GATE_POLICY_BYTES)
		buf_addc(&text, ' ');
	assert_int_equal(read_fault(text.data, text.len), ERR_AUTHZ_INVALID);
}

static void a_policy_is_read_whole(void **state)
{
	static const char text[] =
	    "schema_version: '1'\nmode: enforced\nrules:\n"
	    "- actor: {type: mcp, id: agent-7, authenticated: true}\n"
	    "  surface: shop\n  action: shop_rebuild\n  target: front door\n"
	    "  effect: allow\n  require_approval: true\n  description: by hand\n"
	    "- {actor: {type: '*', authenticated: false}, surface: '*', action: '*',"
	    " target: '*', effect: deny}\n";
	cleanup_gate_policy struct gate_policy policy = GATE_POLICY_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(gate_policy_read(text, strlen(text), &policy, &err), &err);
	assert_true(policy.is_enforced);
	assert_int_equal(policy.rules_len, 2);
	assert_string_equal(policy.rules[0].actor_id, "agent-7");
	assert_string_equal(policy.rules[0].target, "front door");
	assert_true(policy.rules[0].needs_approval);
	assert_string_equal(policy.rules[0].description, "by hand");
	assert_true(policy.rules[1].is_deny);
	assert_null(policy.rules[1].actor_type);
	assert_null(policy.rules[1].target);
}

/* ---- the file ---- */

static enum err_code load_fault(const char *dir)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_gate_policy struct gate_policy policy = GATE_POLICY_INIT;

	assert_int_equal(gate_policy_load(dir, &policy, &err), -1);
	return err.code;
}

static char *fresh_dir(const char *scratch, const char *name)
{
	char *dir = scratch_path(scratch, name);

	assert_int_equal(mkdir(dir, 0700), 0);
	return dir;
}

static const char good[] = "schema_version: '1'\nmode: legacy_local\n";

static void no_file_is_no_policy_and_nothing_else_is(void **state)
{
	cleanup_free char *dir = fresh_dir(*state, "file");
	cleanup_free char *path = scratch_path(dir, GATE_POLICY_FILE);
	cleanup_free char *other = scratch_path(dir, "elsewhere");
	cleanup_gate_policy struct gate_policy policy = GATE_POLICY_INIT;
	cleanup_err struct err err = ERR_INIT;

	assert_int_equal(gate_policy_load(dir, &policy, &err), 0);
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(load_fault(dir), ERR_AUTHZ_INVALID);
	scratch_write(other, good, strlen(good));
	assert_int_equal(load_fault(dir), ERR_AUTHZ_INVALID);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(load_fault(dir), ERR_AUTHZ_INVALID);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(load_fault(dir), ERR_AUTHZ_INVALID);
	assert_int_equal(unlink(path), 0);
	scratch_write(path, good, strlen(good));
	assert_int_equal(gate_policy_load(dir, &policy, &err), 1);
	assert_false(policy.is_enforced);
	assert_int_equal(chmod(path, 0620), 0);
	assert_int_equal(load_fault(dir), ERR_AUTHZ_INVALID);
	assert_int_equal(chmod(path, 0602), 0);
	assert_int_equal(load_fault(dir), ERR_AUTHZ_INVALID);
}

static int cannot_read(void *ctx)
{
	return load_fault(ctx) == ERR_AUTHZ_UNAVAILABLE ? 0 : 1;
}

static void a_file_that_cannot_be_read_is_unavailable(void **state)
{
	cleanup_free char *dir = fresh_dir(*state, "unreadable");
	cleanup_free char *path = scratch_path(dir, GATE_POLICY_FILE);

	scratch_write(path, good, strlen(good));
	assert_int_equal(chmod(path, 0000), 0);
	scratch_give_away(dir);
	assert_int_equal(scratch_as_ordinary_user(cannot_read, dir), 0);
}

static void a_file_of_another_user_is_invalid(void **state)
{
	cleanup_free char *dir = fresh_dir(*state, "foreign");
	cleanup_free char *path = scratch_path(dir, GATE_POLICY_FILE);

	scratch_write(path, good, strlen(good));
	if (geteuid() != 0)
		return; /* only root can make one */
	assert_int_equal(chown(path, SCRATCH_NOBODY, SCRATCH_NOBODY), 0);
	assert_int_equal(load_fault(dir), ERR_AUTHZ_INVALID);
}

/* ---- deciding ---- */

static const struct actor mcp = { .type = "mcp" };
static const struct actor cli = { .type = "cli" };
static const struct actor agent_7 = { .type = "mcp", .id = "agent-7", .is_authenticated = true };

static struct gate_request request_of(const struct actor *actor)
{
	return (struct gate_request){
		.actor = actor,
		.surface = "shop",
		.tool = "shop_rebuild",
		.target = "shop",
		.plan_id = "pln_0123456789abcdef",
		.plan_hash = digest_of("plan", 4),
		.now_us = 1000,
	};
}

/* What the store of approvals would say. */
struct store {
	int result; /* 1, 0, -1 */
	enum err_code code;
	int asked;
	const char *plan_id;
	const char *surface;
	const char *tool;
	const char *target;
	const char *hashed;
	int64_t expires_us;
};

static struct store approved(void)
{
	return (struct store){
		.result = 1,
		.plan_id = "pln_0123456789abcdef",
		.surface = "shop",
		.tool = "shop_rebuild",
		.target = "shop",
		.hashed = "plan",
		.expires_us = 2000,
	};
}

static int find(void *ctx, const char *plan_id, struct approval *ret_approval, struct err *err)
{
	struct store *store = ctx;

	store->asked++;
	assert_string_equal(plan_id, "pln_0123456789abcdef");
	if (store->result < 0)
		return err_set(err, store->code, "as it happens");
	if (store->result == 0)
		return 0;
	memcpy(ret_approval->id, "apr_0123456789abcdef", RECORD_ID_SIZE);
	memcpy(ret_approval->plan_id, store->plan_id, strlen(store->plan_id) + 1);
	ret_approval->plan_hash = digest_of(store->hashed, strlen(store->hashed));
	ret_approval->surface = xstrdup(store->surface);
	ret_approval->tool = xstrdup(store->tool);
	ret_approval->target = xstrdup(store->target);
	ret_approval->expires_us = store->expires_us;
	return 1;
}

struct answer {
	enum err_code code; /* ERR_NONE: allowed */
	int64_t rule;
	int asked;
	const char *mode;
};

/* rules is YAML behind HEAD, or NULL: no policy at all. */
static struct answer ask(const char *rules, const struct gate_request *request, struct store *store)
{
	cleanup_gate_policy struct gate_policy policy = GATE_POLICY_INIT;
	cleanup_gate_ruling struct gate_ruling ruling = GATE_RULING_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *text = xasprintf(HEAD "%s", rules != NULL ? rules : "");
	struct store none = { 0 };

	if (store == NULL)
		store = &none;
	if (rules != NULL)
		assert_ok(gate_policy_read(text, strlen(text), &policy, &err), &err);
	gate_policy_decide(rules != NULL ? &policy : NULL, request, find, store, &ruling);
	assert_non_null(ruling.reason);
	assert_int_equal(ruling.is_allowed, ruling.code == ERR_NONE);
	if (!ruling.is_allowed) {
		assert_int_equal(err_info(ruling.code)->exit_code, 11);
		assert_int_equal(
		    err_info(ruling.code)->is_retryable, ruling.code == ERR_AUTHZ_UNAVAILABLE);
	}
	return (struct answer){ .code = ruling.code,
		.rule = ruling.rule_index,
		.asked = store->asked,
		.mode = ruling.mode };
}

#define ALLOW_MCP                                                                                  \
	"- {actor: {type: mcp, authenticated: false}, surface: shop, action: shop_rebuild,"        \
	" target: shop, effect: allow}\n"
#define APPROVE_MCP                                                                                \
	"- {actor: {type: mcp, authenticated: false}, surface: shop, action: shop_rebuild,"        \
	" target: shop, effect: allow, require_approval: true}\n"
#define ALLOW_ALL                                                                                  \
	"- {actor: {type: '*', authenticated: false}, surface: '*', action: '*', target: '*',"     \
	" effect: allow}\n"
#define DENY_SHOP                                                                                  \
	"- {actor: {type: '*', authenticated: false}, surface: '*', action: '*', target: shop,"    \
	" effect: deny}\n"

static void without_a_policy_only_who_sits_here_may(void **state)
{
	struct gate_request local = request_of(&cli);
	struct gate_request remote = request_of(&mcp);
	struct gate_request proved = request_of(&agent_7);
	struct store store = approved();

	(void)state;
	assert_int_equal(ask(NULL, &local, &store).code, ERR_NONE);
	assert_int_equal(ask(NULL, &remote, &store).code, ERR_AUTHZ_DENIED);
	assert_int_equal(ask(NULL, &proved, &store).code, ERR_AUTHZ_DENIED);
	assert_int_equal(store.asked, 0); /* approvals are not even looked at */
	assert_string_equal(ask(NULL, &local, NULL).mode, "legacy_local");
	local.plan_id = NULL; /* also without a plan */
	assert_int_equal(ask(NULL, &local, NULL).code, ERR_NONE);
}

static void no_rule_is_a_no(void **state)
{
	struct gate_request request = request_of(&cli);
	struct answer answer = ask("  []\n", &request, NULL);

	(void)state;
	assert_int_equal(answer.code, ERR_AUTHZ_DENIED);
	assert_int_equal(answer.rule, -1);
	assert_string_equal(answer.mode, "enforced");
	assert_int_equal(ask(ALLOW_MCP, &request, NULL).code, ERR_AUTHZ_DENIED);
}

static void deny_wins_wherever_it_stands(void **state)
{
	struct gate_request request = request_of(&mcp);
	struct answer answer = ask(ALLOW_ALL DENY_SHOP, &request, NULL);

	(void)state;
	assert_int_equal(answer.code, ERR_AUTHZ_DENIED);
	assert_int_equal(answer.rule, 1);
	assert_int_equal(ask(DENY_SHOP ALLOW_ALL, &request, NULL).code, ERR_AUTHZ_DENIED);
	request.target = "else";
	assert_int_equal(ask(ALLOW_ALL DENY_SHOP, &request, NULL).code, ERR_NONE);
}

static void each_member_of_a_rule_must_match(void **state)
{
	struct gate_request request = request_of(&mcp);

	(void)state;
	assert_int_equal(ask(ALLOW_MCP, &request, NULL).code, ERR_NONE);
	request.surface = "Shop";
	assert_int_equal(ask(ALLOW_MCP, &request, NULL).code, ERR_AUTHZ_DENIED);
	request = request_of(&mcp);
	request.tool = "shop_rebuild2";
	assert_int_equal(ask(ALLOW_MCP, &request, NULL).code, ERR_AUTHZ_DENIED);
	request = request_of(&mcp);
	request.target = "shop ";
	assert_int_equal(ask(ALLOW_MCP, &request, NULL).code, ERR_AUTHZ_DENIED);
	request = request_of(&agent_7); /* authenticated has no wildcard */
	assert_int_equal(ask(ALLOW_ALL, &request, NULL).code, ERR_AUTHZ_DENIED);
}

static void a_star_is_a_whole_member_and_no_pattern(void **state)
{
	struct gate_request request = request_of(&mcp);

	(void)state;
	assert_int_equal(ask("- {" ANYONE ", surface: 'sh*', action: '*', target: '*',"
			     " effect: allow}\n",
			     &request, NULL)
			     .code,
	    ERR_AUTHZ_DENIED);
	request.surface = "sh*";
	assert_int_equal(ask("- {" ANYONE ", surface: 'sh*', action: '*', target: '*',"
			     " effect: allow}\n",
			     &request, NULL)
			     .code,
	    ERR_NONE);
}

static void a_rule_for_a_proved_id_is_for_that_id_alone(void **state)
{
	static const char rule[] =
	    "- {actor: {type: mcp, id: agent-7, authenticated: true}, " ALL ", effect: allow}\n";
	static const struct actor other = {
		.type = "mcp", .id = "agent-8", .is_authenticated = true
	};
	struct gate_request request = request_of(&cli);

	(void)state;
	assert_int_equal(ask(rule, &request, NULL).code, ERR_AUTHZ_DENIED);
	request.actor = &mcp;
	assert_int_equal(ask(rule, &request, NULL).code, ERR_AUTHZ_DENIED);
	request.actor = &other;
	assert_int_equal(ask(rule, &request, NULL).code, ERR_AUTHZ_DENIED);
	request.actor = &agent_7;
	assert_int_equal(ask(rule, &request, NULL).code, ERR_NONE);
}

static void without_a_plan_enforcement_allows_nothing(void **state)
{
	struct gate_request request = request_of(&cli);

	(void)state;
	request.plan_id = NULL;
	assert_int_equal(ask(ALLOW_ALL, &request, NULL).code, ERR_AUTHZ_DENIED);
}

static void the_first_allow_rule_decides_also_when_it_wants_an_approval(void **state)
{
	struct gate_request request = request_of(&mcp);
	struct store none = { 0 };
	struct store store = approved();

	(void)state;
	assert_int_equal(ask(APPROVE_MCP ALLOW_ALL, &request, &none).code, ERR_APPROVAL_REQUIRED);
	assert_int_equal(ask(ALLOW_ALL APPROVE_MCP, &request, &none).code, ERR_NONE);
	assert_int_equal(none.asked, 1);
	assert_int_equal(ask(APPROVE_MCP, &request, &store).code, ERR_NONE);
	assert_int_equal(ask(APPROVE_MCP DENY_SHOP, &request, &store).code, ERR_AUTHZ_DENIED);
	assert_int_equal(store.asked, 1);
}

static void an_approval_counts_for_exactly_what_was_approved(void **state)
{
	struct gate_request request = request_of(&mcp);
	struct store stores[6];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(stores); i++)
		stores[i] = approved();
	stores[0].plan_id = "pln_aaaaaaaaaaaaaaaa";
	stores[1].hashed = "another";
	stores[2].surface = "other";
	stores[3].tool = "shop_rollback";
	stores[4].target = "*";
	stores[5].expires_us = 1000;
	for (size_t i = 0; i < ARRAY_LEN(stores); i++)
		assert_int_equal(ask(APPROVE_MCP, &request, &stores[i]).code, ERR_APPROVAL_STALE);
}

static void an_approval_that_cannot_be_read_is_no_approval(void **state)
{
	struct gate_request request = request_of(&mcp);
	struct store edited = { .result = -1, .code = ERR_APPROVAL_INVALID };
	struct store locked = { .result = -1, .code = ERR_UNAVAILABLE };
	struct store broken = { .result = -1, .code = ERR_IO };

	(void)state;
	assert_int_equal(ask(APPROVE_MCP, &request, &edited).code, ERR_APPROVAL_INVALID);
	assert_int_equal(ask(APPROVE_MCP, &request, &locked).code, ERR_AUTHZ_UNAVAILABLE);
	assert_int_equal(ask(APPROVE_MCP, &request, &broken).code, ERR_AUTHZ_UNAVAILABLE);
}

static void a_request_that_says_too_little_is_refused(void **state)
{
	static const struct actor claims = { .type = "cli", .id = "root" };
	static const struct actor unknown = { .type = NULL };
	struct gate_request request = request_of(NULL);

	(void)state;
	assert_int_equal(ask(ALLOW_ALL, &request, NULL).code, ERR_AUTHZ_UNAVAILABLE);
	assert_int_equal(ask(NULL, &request, NULL).code, ERR_AUTHZ_UNAVAILABLE);
	request.actor = &unknown;
	assert_int_equal(ask(NULL, &request, NULL).code, ERR_AUTHZ_UNAVAILABLE);
	request.actor = &claims;
	assert_int_equal(ask(ALLOW_ALL, &request, NULL).code, ERR_AUTHZ_INVALID);
	request = request_of(&cli);
	request.target = "";
	assert_int_equal(ask(NULL, &request, NULL).code, ERR_AUTHZ_INVALID);
}

/* ---- who asks ---- */

static void the_marker_only_ever_lowers(void **state)
{
	static const char *const values[] = { "mcp", "cli", "", "root" };
	struct gate_self self;

	(void)state;
	assert_int_equal(unsetenv("STILE_CALLER"), 0);
	gate_actor_self(&self);
	assert_string_equal(self.actor.type, "cli");
	assert_null(self.actor.id);
	assert_false(self.actor.is_authenticated);
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		assert_int_equal(setenv("STILE_CALLER", values[i], 1), 0);
		gate_actor_self(&self);
		assert_string_equal(self.actor.type, "mcp");
		assert_false(self.actor.is_authenticated);
	}
	assert_int_equal(unsetenv("STILE_CALLER"), 0);
}

/* ---- the whole question ---- */

static void plain(void *ctx, const char *text, size_t len, struct buf *ret_text)
{
	(void)ctx;
	buf_add(ret_text, text, len);
}

static enum err_code authorize(
    const char *dir, struct records *records, const struct plan *plan, const char **ret_mode)
{
	cleanup_gate_ruling struct gate_ruling ruling = GATE_RULING_INIT;

	gate_authorize(dir, records, &mcp, plan, &ruling);
	*ret_mode = ruling.mode;
	return ruling.code;
}

static void policy_and_approvals_are_read_for_every_decision(void **state)
{
	cleanup_free char *dir = fresh_dir(*state, "whole");
	cleanup_free char *path = scratch_path(dir, GATE_POLICY_FILE);
	cleanup_err struct err err = ERR_INIT;
	cleanup_records struct records *records = records_open(dir, plain, NULL, &err);
	cleanup_plan struct plan plan = PLAN_INIT;
	cleanup_approval struct approval approval = APPROVAL_INIT;
	struct plan_facts facts = PLAN_FACTS_INIT;
	const char *mode;

	facts.surface = facts.target = "shop";
	facts.tool = "shop_rebuild";
	facts.effect = facts.cwd = facts.program = "x";
	facts.arguments = "{}";
	facts.expires_ms = 60000;
	assert_ok(records_plan_add(records, &facts, &mcp, NULL, &plan, &err), &err);
	assert_int_equal(authorize(dir, records, &plan, &mode), ERR_AUTHZ_DENIED);
	scratch_write(path, HEAD APPROVE_MCP, strlen(HEAD APPROVE_MCP));
	assert_int_equal(authorize(dir, records, &plan, &mode), ERR_APPROVAL_REQUIRED);
	assert_ok(records_approve(records, &plan, &cli, &approval, &err), &err);
	assert_int_equal(authorize(dir, records, &plan, &mode), ERR_NONE);
	scratch_write(path, "mode: [", 7);
	assert_int_equal(authorize(dir, records, &plan, &mode), ERR_AUTHZ_INVALID);
	assert_string_equal(mode, "unknown");
	scratch_write(path, HEAD APPROVE_MCP, strlen(HEAD APPROVE_MCP));
	assert_ok(records_revoke(records, plan.id, &cli, &err), &err);
	assert_int_equal(authorize(dir, records, &plan, &mode), ERR_APPROVAL_REQUIRED);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(authorize(dir, records, &plan, &mode), ERR_AUTHZ_DENIED);
	assert_string_equal(mode, "legacy_local");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_wholly_understood_is_invalid),
		cmocka_unit_test(too_many_rules_or_bytes_are_invalid),
		cmocka_unit_test(a_policy_is_read_whole),
		cmocka_unit_test(no_file_is_no_policy_and_nothing_else_is),
		cmocka_unit_test(a_file_that_cannot_be_read_is_unavailable),
		cmocka_unit_test(a_file_of_another_user_is_invalid),
		cmocka_unit_test(without_a_policy_only_who_sits_here_may),
		cmocka_unit_test(no_rule_is_a_no),
		cmocka_unit_test(deny_wins_wherever_it_stands),
		cmocka_unit_test(each_member_of_a_rule_must_match),
		cmocka_unit_test(a_star_is_a_whole_member_and_no_pattern),
		cmocka_unit_test(a_rule_for_a_proved_id_is_for_that_id_alone),
		cmocka_unit_test(without_a_plan_enforcement_allows_nothing),
		cmocka_unit_test(the_first_allow_rule_decides_also_when_it_wants_an_approval),
		cmocka_unit_test(an_approval_counts_for_exactly_what_was_approved),
		cmocka_unit_test(an_approval_that_cannot_be_read_is_no_approval),
		cmocka_unit_test(a_request_that_says_too_little_is_refused),
		cmocka_unit_test(the_marker_only_ever_lowers),
		cmocka_unit_test(policy_and_approvals_are_read_for_every_decision),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
