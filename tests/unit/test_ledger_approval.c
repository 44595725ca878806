/* SPDX-License-Identifier: MIT */
/* Approvals: one for each plan, bound to what was seen, never changed, taken back at once. */
#include "unit.h"

#include "records_fixture.h"

static void approve(const struct desk *desk, const struct plan *plan)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_approval struct approval approval = APPROVAL_INIT;

	assert_ok(records_approve(desk->records, plan, &cli_actor, &approval, &err), &err);
}

static enum err_code approve_fault(const struct desk *desk, const struct plan *plan)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_approval struct approval approval = APPROVAL_INIT;

	assert_int_equal(records_approve(desk->records, plan, &cli_actor, &approval, &err), -1);
	return err.code;
}

/* 1, 0, or -1 with the fault. */
static int find(const struct desk *desk, const struct plan *plan, struct approval *ret_approval,
    enum err_code *ret_code)
{
	cleanup_err struct err err = ERR_INIT;
	int got = records_approval_find(desk->records, plan->id, ret_approval, &err);

	*ret_code = err.code;
	return got;
}

static bool is_approved(const struct desk *desk, const struct plan *plan)
{
	cleanup_approval struct approval approval = APPROVAL_INIT;
	enum err_code code;
	int got = find(desk, plan, &approval, &code);

	assert_true(got >= 0);
	return got == 1;
}

static void assert_invalid(const struct desk *desk, const struct plan *plan)
{
	cleanup_approval struct approval approval = APPROVAL_INIT;
	enum err_code code;

	assert_int_equal(find(desk, plan, &approval, &code), -1);
	assert_int_equal(code, ERR_APPROVAL_INVALID);
}

/* ---- refusals ---- */

static void a_plan_is_approved_once(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "once");
	cleanup_plan struct plan plan = add_plan(&desk);

	approve(&desk, &plan);
	assert_int_equal(approve_fault(&desk, &plan), ERR_ALREADY_EXISTS);
	assert_int_equal(raw_exec(desk.path, "INSERT INTO approval SELECT 'apr_x', plan_id,"
					     " plan_hash, surface, tool, target, approver_type,"
					     " NULL, 0, 0, hash FROM approval"),
	    SQLITE_CONSTRAINT);
}

static void what_could_never_serve_is_not_approved(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "useless");
	cleanup_plan struct plan ran = add_plan(&desk);
	cleanup_plan struct plan late = add_plan(&desk);
	cleanup_plan struct plan gone = add_plan(&desk);
	cleanup_operation struct operation operation = OPERATION_INIT;

	run_plan(&desk, &ran, OPERATION_SUCCEEDED, &operation);
	assert_int_equal(approve_fault(&desk, &ran), ERR_CONFLICT);
	clock_ahead_us = HOUR_US;
	assert_int_equal(approve_fault(&desk, &late), ERR_PLAN_STALE);
	tamper(&desk, "DELETE FROM plan");
	assert_int_equal(approve_fault(&desk, &gone), ERR_NOT_FOUND);
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM approval"), 0);
	assert_int_equal(chain_rows(&desk, "consent"), 0);
}

static void what_is_not_approved_is_not_revoked(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "unapproved");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_err struct err err = ERR_INIT;

	assert_fails(records_revoke(desk.records, plan.id, &cli_actor, &err), &err, ERR_NOT_FOUND);
	assert_fails(records_revoke(desk.records, "apr_0123456789abcdef", &cli_actor, &err), &err,
	    ERR_INVALID_ARGUMENT);
	assert_int_equal(chain_rows(&desk, "consent"), 0);
}

static void history_is_not_rewritten(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "history");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_err struct err err = ERR_INIT;

	approve(&desk, &plan);
	assert_int_equal(
	    raw_exec(desk.path, "UPDATE approval SET target = '*'"), SQLITE_CONSTRAINT);
	assert_int_equal(raw_exec(desk.path, "DELETE FROM approval"), SQLITE_CONSTRAINT);
	assert_ok(records_revoke(desk.records, plan.id, &cli_actor, &err), &err);
	assert_int_equal(raw_exec(desk.path, "DELETE FROM revocation"), SQLITE_CONSTRAINT);
	assert_int_equal(
	    raw_exec(desk.path, "UPDATE revocation SET revoked_us = 0"), SQLITE_CONSTRAINT);
}

/* ---- what it is bound to ---- */

static void an_approval_says_what_was_seen_and_no_more_of_who_saw_it(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "bound");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_approval struct approval approval = APPROVAL_INIT;
	struct actor approver = { .type = "cli", .provenance = "uid 7, calls itself " HIDDEN };
	cleanup_err struct err err = ERR_INIT;

	assert_ok(records_approve(desk.records, &plan, &approver, &approval, &err), &err);
	assert_ok(record_check_id(RECORD_APPROVAL, approval.id, &err), &err);
	approval_release(&approval);
	assert_int_equal(records_approval_find(desk.records, plan.id, &approval, &err), 1);
	assert_string_equal(approval.plan_id, plan.id);
	assert_true(digest_equal(&approval.plan_hash, &plan.hash));
	assert_string_equal(approval.surface, "shop");
	assert_string_equal(approval.tool, "shop_rebuild");
	assert_string_equal(approval.target, "shop");
	assert_string_equal(approval.approver_type, "cli");
	assert_string_equal(approval.approver_provenance, "uid 7, calls itself ***");
	assert_int_equal(approval.expires_us, plan.expires_us);
	assert_int_equal(chain_rows(&desk, "consent"), 1);
	chain_holds(&desk);
}

static void an_approval_does_not_cover_another_plan_of_the_same_meaning(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "other");
	cleanup_plan struct plan a = add_plan(&desk);
	cleanup_plan struct plan b = add_plan(&desk);

	approve(&desk, &a);
	assert_true(is_approved(&desk, &a));
	assert_false(is_approved(&desk, &b));
}

static void a_revocation_counts_at_once_and_a_new_approval_may_follow(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "revoked");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_records struct records *other = desk_reopen(&desk);
	cleanup_err struct err err = ERR_INIT;

	approve(&desk, &plan);
	assert_ok(records_revoke(other, plan.id, &cli_actor, &err), &err);
	assert_false(is_approved(&desk, &plan));
	assert_fails(records_revoke(other, plan.id, &cli_actor, &err), &err, ERR_NOT_FOUND);
	approve(&desk, &plan);
	assert_true(is_approved(&desk, &plan));
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM approval"), 2);
	assert_int_equal(chain_rows(&desk, "consent"), 3);
}

/* ---- tampering ---- */

static void an_edited_approval_is_invalid(void **state)
{
	static const char *const edits[] = { "target = '*'", "tool = 'shop_erase'",
		"surface = 'other'", "plan_hash = zeroblob(32)", "expires_us = expires_us + 1",
		"approver_type = 'service'", "hash = zeroblob(32)", "hash = x'00'", "id = 'x'" };

	for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
		cleanup_free char *name = xasprintf("edited%zu", i);
		cleanup_desk struct desk desk = desk_open(*state, name);
		cleanup_plan struct plan plan = add_plan(&desk);
		cleanup_free char *text = xasprintf("UPDATE approval SET %s", edits[i]);
		cleanup_err struct err err = ERR_INIT;

		approve(&desk, &plan);
		tamper(&desk, text);
		assert_invalid(&desk, &plan);
		assert_ok(records_revoke(desk.records, plan.id, &cli_actor, &err), &err);
		assert_false(is_approved(&desk, &plan));
	}
}

static void the_approval_of_one_plan_under_the_name_of_another_is_invalid(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "misfiled");
	cleanup_plan struct plan a = add_plan(&desk);
	cleanup_plan struct plan b = add_plan(&desk);
	cleanup_free char *text =
	    xasprintf("INSERT INTO approval SELECT 'apr_0123456789abcdef',"
		      " '%s', plan_hash, surface, tool, target, approver_type,"
		      " approver_provenance, approved_us, expires_us, hash"
		      " FROM approval",
		b.id);

	approve(&desk, &a);
	tamper(&desk, text);
	assert_invalid(&desk, &b);
	assert_true(is_approved(&desk, &a));
}

static void two_approvals_that_stand_are_invalid(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "two");
	cleanup_plan struct plan plan = add_plan(&desk);

	approve(&desk, &plan);
	tamper(&desk, "INSERT INTO approval SELECT 'apr_0123456789abcdef', plan_id, plan_hash,"
		      " surface, tool, target, approver_type, NULL, 0, expires_us, hash"
		      " FROM approval");
	assert_invalid(&desk, &plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_is_approved_once),
		cmocka_unit_test(what_could_never_serve_is_not_approved),
		cmocka_unit_test(what_is_not_approved_is_not_revoked),
		cmocka_unit_test(history_is_not_rewritten),
		cmocka_unit_test(an_approval_says_what_was_seen_and_no_more_of_who_saw_it),
		cmocka_unit_test(an_approval_does_not_cover_another_plan_of_the_same_meaning),
		cmocka_unit_test(a_revocation_counts_at_once_and_a_new_approval_may_follow),
		cmocka_unit_test(an_edited_approval_is_invalid),
		cmocka_unit_test(the_approval_of_one_plan_under_the_name_of_another_is_invalid),
		cmocka_unit_test(two_approvals_that_stand_are_invalid),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
