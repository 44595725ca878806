/* SPDX-License-Identifier: MIT */
/* Operations: once for each plan, whatever happens to whoever runs it; decisions beside them. */
#include "unit.h"

#include "os/os.h"
#include "records_fixture.h"

/* ---- refusals ---- */

static void ids_of_another_form_are_refused(void **state)
{
	static const char *const bad[] = { "", "op_", "pln_0123456789abcdef", "op_../../etc",
		"wh_1", "dep-", "dep-XYZ", "op_0123456789ABCDEF" };
	cleanup_desk struct desk desk = desk_open(*state, "ids");
	cleanup_operation struct operation operation = OPERATION_INIT;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		cleanup_err struct err err = ERR_INIT;

		assert_fails(records_operation_load(desk.records, bad[i], &operation, &err), &err,
		    ERR_INVALID_ARGUMENT);
	}
}

static enum err_code begin_fault(const struct desk *desk, const struct plan *plan)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_operation struct operation operation = OPERATION_INIT;
	struct plan_decision allow = allow_of(plan);
	enum plan_begin begun;

	assert_int_equal(
	    records_plan_begin(desk->records, plan, &allow, &begun, &operation, &err), -1);
	return err.code;
}

static void nothing_ran(const struct desk *desk)
{
	assert_int_equal(raw_count(desk, "SELECT count(*) FROM operation"), 0);
	assert_int_equal(raw_count(desk, "SELECT count(*) FROM decision"), 0);
	assert_int_equal(chain_rows(desk, "intent"), 0);
}

static void a_plan_that_expired_since_it_was_loaded_is_not_begun(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "expired");
	cleanup_plan struct plan plan = add_plan(&desk);

	clock_ahead_us = HOUR_US;
	assert_int_equal(begin_fault(&desk, &plan), ERR_PLAN_STALE);
	nothing_ran(&desk);
}

static void a_plan_changed_since_it_was_loaded_is_not_begun(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "changed");
	cleanup_plan struct plan plan = add_plan(&desk);

	tamper(&desk, "UPDATE plan SET hash = zeroblob(32)");
	assert_int_equal(begin_fault(&desk, &plan), ERR_IDEMPOTENCY_CONFLICT);
	nothing_ran(&desk);
	tamper(&desk, "DELETE FROM plan");
	assert_int_equal(begin_fault(&desk, &plan), ERR_NOT_FOUND);
	nothing_ran(&desk);
}

static void a_plan_begun_under_another_hash_is_a_conflict(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "conflict");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_operation struct operation operation = OPERATION_INIT;

	run_plan(&desk, &plan, OPERATION_SUCCEEDED, &operation);
	tamper(&desk, "UPDATE operation SET plan_hash = 'other'");
	assert_int_equal(begin_fault(&desk, &plan), ERR_IDEMPOTENCY_CONFLICT);
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM operation"), 1);
}

static void a_decision_that_cannot_be_recorded_blocks(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "unrecorded");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_err struct err err = ERR_INIT;
	struct plan_decision refusal = allow_of(&plan);

	refusal.verdict = "deny";
	refusal.code = "AUTHZ_DENIED";
	assert_int_equal(raw_exec(desk.path, "CREATE TRIGGER full BEFORE INSERT ON decision BEGIN"
					     " SELECT raise(ABORT, 'disk full'); END"),
	    SQLITE_OK);
	assert_int_equal(records_decide(desk.records, &refusal, &err), -1);
	assert_int_equal(begin_fault(&desk, &plan), ERR_CHECK_FAILED);
	nothing_ran(&desk);
	assert_int_equal(status_of(&desk, plan.id), PLAN_CREATED);
}

static void a_chain_that_cannot_be_written_blocks(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "chainless");
	cleanup_plan struct plan plan = add_plan(&desk);

	assert_int_equal(raw_exec(desk.path, "CREATE TRIGGER full BEFORE INSERT ON record BEGIN"
					     " SELECT raise(ABORT, 'disk full'); END"),
	    SQLITE_OK);
	assert_int_equal(begin_fault(&desk, &plan), ERR_CHECK_FAILED);
	nothing_ran(&desk);
}

static void a_locked_store_is_unavailable_and_begins_nothing(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "locked");
	cleanup_plan struct plan plan = add_plan(&desk);
	sqlite3 *holder = NULL;

	assert_int_equal(sqlite3_open(desk.path, &holder), SQLITE_OK);
	assert_int_equal(sqlite3_exec(holder, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(begin_fault(&desk, &plan), ERR_UNAVAILABLE);
	assert_int_equal(sqlite3_close(holder), SQLITE_OK);
	nothing_ran(&desk);
}

static void an_operation_that_is_over_does_not_change(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "over");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_operation struct operation operation = OPERATION_INIT;
	struct operation_outcome outcome = OPERATION_OUTCOME_INIT;
	cleanup_err struct err err = ERR_INIT;

	run_plan(&desk, &plan, OPERATION_SUCCEEDED, &operation);
	outcome.status = OPERATION_FAILED;
	outcome.error_code = "X";
	outcome.error_message = "x";
	assert_fails(records_operation_finish(desk.records, operation.id, &outcome, &err), &err,
	    ERR_CONFLICT);
	assert_fails(records_operation_start(desk.records, operation.id, &err), &err, ERR_CONFLICT);
	assert_fails(
	    records_operation_progress(desk.records, operation.id, "x", &err), &err, ERR_CONFLICT);
	assert_int_equal(
	    raw_exec(desk.path, "UPDATE operation SET status = 'failed'"), SQLITE_CONSTRAINT);
	assert_int_equal(chain_rows(&desk, "outcome"), 1);
}

static void a_result_that_is_no_json_is_not_recorded(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "nojson");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_operation struct operation operation = OPERATION_INIT;
	struct operation_outcome outcome = OPERATION_OUTCOME_INIT;
	cleanup_err struct err err = ERR_INIT;

	assert_int_equal(begin(&desk, &plan, &operation), PLAN_BEGIN_FRESH);
	outcome.status = OPERATION_SUCCEEDED;
	outcome.result = "{";
	assert_int_equal(records_operation_finish(desk.records, operation.id, &outcome, &err), -1);
	assert_int_equal(status_of(&desk, plan.id), PLAN_APPLYING);
}

/* ---- the record ---- */

static void a_fresh_operation_is_pending_and_ours(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "pending");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_operation struct operation operation = OPERATION_INIT;
	char hash[DIGEST_TEXT_SIZE];

	assert_int_equal(begin(&desk, &plan, &operation), PLAN_BEGIN_FRESH);
	digest_format(&plan.hash, hash);
	assert_int_equal(operation.status, OPERATION_PENDING);
	assert_int_equal(operation.owner_pid, getpid());
	assert_string_equal(operation.plan_id, plan.id);
	assert_string_equal(operation.plan_hash, hash);
	assert_string_equal(operation.actor_type, "mcp");
	assert_null(operation.actor_id);
	assert_false(operation.actor_is_authenticated);
	assert_null(operation.approval_id);
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM decision JOIN operation"
					  " ON decision.id = decision_id WHERE verdict = 'allow'"
					  " AND decision.mode = 'enforced'"),
	    1);
	assert_int_equal(status_of(&desk, plan.id), PLAN_APPLYING);
	assert_int_equal(chain_rows(&desk, "decision"), 1);
	assert_int_equal(chain_rows(&desk, "intent"), 1);
	chain_holds(&desk);
}

static void a_finished_one_has_result_deployment_and_time(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "finished");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_operation struct operation operation = OPERATION_INIT;
	cleanup_operation struct operation other = OPERATION_INIT;
	cleanup_err struct err err = ERR_INIT;

	run_plan(&desk, &plan, OPERATION_SUCCEEDED, &operation);
	assert_int_equal(operation.status, OPERATION_SUCCEEDED);
	assert_string_equal(operation.result, "{\"version\":2}");
	assert_true(operation.started_us > 0 && operation.finished_us >= operation.started_us);
	assert_ok(records_operation_load(desk.records, "dep-0a1b", &other, &err), &err);
	assert_string_equal(other.id, operation.id);
	assert_int_equal(status_of(&desk, plan.id), PLAN_APPLIED);
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM record AS i JOIN record AS o"
					  " ON o.intent = i.sequence WHERE i.kind = 'intent'"
					  " AND o.kind = 'outcome' AND o.code IS NULL"),
	    1);
	chain_holds(&desk);
}

static void a_failure_is_masked_and_keeps_its_code(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "failed");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_operation struct operation operation = OPERATION_INIT;

	run_plan(&desk, &plan, OPERATION_FAILED, &operation);
	assert_string_equal(operation.error_code, "BUILD_FAILED");
	assert_string_equal(operation.error_message, "the build failed with ***");
	assert_int_equal(operation.error_exit, 20);
	assert_int_equal(status_of(&desk, plan.id), PLAN_FAILED);
}

static void progress_is_one_masked_bounded_line(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "progress");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_operation struct operation operation = OPERATION_INIT;
	cleanup_err struct err err = ERR_INIT;
	char line[1000];

	assert_int_equal(begin(&desk, &plan, &operation), PLAN_BEGIN_FRESH);
	assert_ok(
	    records_operation_progress(desk.records, operation.id, "step 1\nwith " HIDDEN, &err),
	    &err);
	assert_ok(records_operation_load(desk.records, operation.id, &operation, &err), &err);
	assert_string_equal(operation.progress, "step 1\\u{000A}with ***");
	assert_true(operation.progress_us > 0);
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	assert_ok(records_operation_progress(desk.records, operation.id, line, &err), &err);
	assert_ok(records_operation_load(desk.records, operation.id, &operation, &err), &err);
	assert_int_equal(strlen(operation.progress), OPERATION_PROGRESS_MAX);
}

/* ---- the cases of idempotency ---- */

static void after_success_the_same_operation_is_answered(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "replay");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_operation struct operation first = OPERATION_INIT;
	cleanup_operation struct operation again = OPERATION_INIT;
	cleanup_records struct records *other = NULL;

	run_plan(&desk, &plan, OPERATION_SUCCEEDED, &first);
	other = desk_reopen(&desk);
	records_close(desk.records);
	desk.records = steal_ptr(&other); /* a restart */
	clock_ahead_us = 9 * HOUR_US;     /* expiry is for what did not run */
	assert_int_equal(begin(&desk, &plan, &again), PLAN_BEGIN_REPLAY);
	assert_string_equal(again.id, first.id);
	assert_string_equal(again.result, first.result);
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM decision"), 1);
	assert_int_equal(chain_rows(&desk, "intent"), 1);
}

static void after_a_failure_it_never_runs_again(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "spent");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_operation struct operation first = OPERATION_INIT;
	cleanup_operation struct operation again = OPERATION_INIT;

	run_plan(&desk, &plan, OPERATION_CANCELLED, &first);
	assert_int_equal(begin(&desk, &plan, &again), PLAN_BEGIN_FAILED);
	assert_string_equal(again.error_message, first.error_message);
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM operation"), 1);
}

/* Begins the plan named by ctx and, as a killed process does, leaves it at that. */
struct orphan {
	const struct desk *desk;
	const struct plan *plan;
	bool is_started;
};

static int begin_and_die(void *ctx)
{
	const struct orphan *orphan = ctx;
	cleanup_err struct err err = ERR_INIT;
	cleanup_operation struct operation operation = OPERATION_INIT;
	struct desk mine = { .data = orphan->desk->data, .path = orphan->desk->path };

	mine.records = desk_reopen(&mine);
	if (begin(&mine, orphan->plan, &operation) != PLAN_BEGIN_FRESH)
		return 1;
	return orphan->is_started ? -records_operation_start(mine.records, operation.id, &err) : 0;
}

static void make_orphan(const struct desk *desk, const struct plan *plan, bool is_started)
{
	struct orphan orphan = { .desk = desk, .plan = plan, .is_started = is_started };
	struct scratch_child child = scratch_start(begin_and_die, &orphan, NULL);

	assert_int_equal(scratch_end(&child), 0);
}

static void assert_interrupted(const struct desk *desk, const struct plan *plan)
{
	cleanup_operation struct operation operation = OPERATION_INIT;

	assert_int_equal(begin(desk, plan, &operation), PLAN_BEGIN_INDETERMINATE);
	assert_int_equal(operation.status, OPERATION_FAILED);
	assert_string_equal(operation.internal_status, "interrupted");
	assert_string_equal(operation.error_code, "UNAVAILABLE");
	assert_int_equal(operation.error_exit, 1);
	assert_false(operation.error_is_retryable);
	assert_int_equal(status_of(desk, plan->id), PLAN_INDETERMINATE);
	assert_int_equal(chain_rows(desk, "intent"), chain_rows(desk, "outcome"));
	chain_holds(desk);
}

static void what_a_dead_process_left_is_indeterminate_for_good(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "orphans");

	for (int i = 0; i < 2; i++) {
		cleanup_plan struct plan plan = add_plan(&desk);

		make_orphan(&desk, &plan, i == 1);
		assert_interrupted(&desk, &plan);
		assert_interrupted(&desk, &plan);
	}
}

static void a_read_alone_marks_what_a_dead_process_left(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "marked");
	cleanup_plan struct plan plan = add_plan(&desk);

	make_orphan(&desk, &plan, true);
	assert_int_equal(status_of(&desk, plan.id), PLAN_INDETERMINATE);
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM operation WHERE status = 'failed'"
					  " AND internal_status = 'interrupted'"),
	    1);
}

static void a_living_process_is_never_taken_for_dead(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "alive");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_operation struct operation operation = OPERATION_INIT;

	assert_int_equal(begin(&desk, &plan, &operation), PLAN_BEGIN_FRESH);
	assert_int_equal(begin(&desk, &plan, &operation), PLAN_BEGIN_IN_PROGRESS);
	assert_int_equal(status_of(&desk, plan.id), PLAN_APPLYING);
}

static void a_pid_of_another_start_or_another_boot_is_dead(void **state)
{
	static const char *const edits[] = { "UPDATE operation SET owner_start = owner_start + 1",
		"UPDATE operation SET owner_boot = 'another'" };
	cleanup_desk struct desk desk = desk_open(*state, "reused");

	for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
		cleanup_plan struct plan plan = add_plan(&desk);
		cleanup_operation struct operation operation = OPERATION_INIT;

		assert_int_equal(begin(&desk, &plan, &operation), PLAN_BEGIN_FRESH);
		assert_int_equal(raw_exec(desk.path, edits[i]), SQLITE_OK);
		assert_interrupted(&desk, &plan);
		tamper(&desk, "DELETE FROM operation; DELETE FROM plan");
	}
}

static void who_starts_it_owns_it(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "handed");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_operation struct operation operation = OPERATION_INIT;
	cleanup_err struct err err = ERR_INIT;
	struct desk other = desk;

	assert_int_equal(begin(&desk, &plan, &operation), PLAN_BEGIN_FRESH);
	assert_int_equal(
	    raw_exec(desk.path, "UPDATE operation SET owner_pid = 1, owner_start = 0"), SQLITE_OK);
	assert_ok(records_operation_start(other.records, operation.id, &err), &err);
	assert_ok(records_operation_load(desk.records, operation.id, &operation, &err), &err);
	assert_int_equal(operation.status, OPERATION_RUNNING);
	assert_int_equal(operation.owner_pid, getpid());
}

/* 0: began it; 7: told that another has. */
static int race(void *ctx)
{
	const struct orphan *orphan = ctx;
	cleanup_operation struct operation operation = OPERATION_INIT;
	struct desk mine = { .data = orphan->desk->data, .path = orphan->desk->path };
	enum plan_begin begun;

	mine.records = desk_reopen(&mine);
	begun = begin(&mine, orphan->plan, &operation);
	if (begun != PLAN_BEGIN_FRESH)
		return 7;
	return 0;
}

static void of_eight_processes_exactly_one_begins(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "race");
	cleanup_plan struct plan plan = add_plan(&desk);
	struct orphan orphan = { .desk = &desk, .plan = &plan };

	assert_int_equal(scratch_race(8, race, &orphan), 7);
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM operation"), 1);
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM decision"), 1);
	assert_int_equal(chain_rows(&desk, "intent"), 1);
	chain_holds(&desk);
}

/* ---- decisions ---- */

static void a_refusal_is_a_row_and_a_row_of_the_chain_and_no_operation(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "refusal");
	cleanup_plan struct plan plan = add_plan(&desk);
	struct plan_decision refusal = allow_of(&plan);
	cleanup_err struct err err = ERR_INIT;

	refusal.verdict = "deny";
	refusal.code = "AUTHZ_DENIED";
	refusal.reason = "because of " HIDDEN;
	refusal.actor.provenance = "uid 1, calls itself " HIDDEN;
	assert_ok(records_decide(desk.records, &refusal, &err), &err);
	assert_ok(record_check_id(RECORD_DECISION, refusal.id, &err), &err);
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM decision WHERE verdict = 'deny'"
					  " AND reason = 'because of ***' AND plan_id IS NOT NULL"
					  " AND actor_provenance = 'uid 1, calls itself ***'"),
	    1);
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM record WHERE kind = 'decision'"
					  " AND code = 'AUTHZ_DENIED' AND caller = 'mcp'"),
	    1);
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM operation"), 0);
	assert_int_equal(raw_exec(desk.path, "DELETE FROM decision"), SQLITE_CONSTRAINT);
	assert_int_equal(
	    raw_exec(desk.path, "UPDATE decision SET verdict = 'allow'"), SQLITE_CONSTRAINT);
	chain_holds(&desk);
}

static void the_chain_is_sealed_when_the_records_are_closed(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "sealed");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_operation struct operation operation = OPERATION_INIT;
	struct ledger_report report = { 0 };
	cleanup_err struct err err = ERR_INIT;

	run_plan(&desk, &plan, OPERATION_SUCCEEDED, &operation);
	records_close(steal_ptr(&desk.records));
	assert_ok(ledger_verify(desk.path, &report, &err), &err);
	assert_int_equal(report.unsealed, 0);
	assert_int_equal(report.checkpoints, 1);
}

/* ---- lists and retention ---- */

static int count_one(void *ctx, const struct operation *operation, struct err *err)
{
	(void)operation;
	(void)err;
	++*(int *)ctx;
	return 0;
}

static void a_list_is_filtered_bounded_and_leaves_out_damage(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "list");
	struct record_list found = { 0 };
	cleanup_err struct err err = ERR_INIT;
	int count = 0;

	for (int i = 0; i < 3; i++) {
		cleanup_plan struct plan plan = add_plan(&desk);
		cleanup_operation struct operation operation = OPERATION_INIT;

		run_plan(&desk, &plan, OPERATION_SUCCEEDED, &operation);
	}
	assert_ok(
	    records_operation_each(desk.records, "shop", 2, count_one, &count, &found, &err), &err);
	assert_int_equal(count, 2);
	assert_true(found.is_truncated);
	assert_ok(records_operation_each(desk.records, "other", 0, count_one, &count, &found, &err),
	    &err);
	assert_int_equal(count, 2);
	tamper(&desk, "UPDATE operation SET status = 'odd' WHERE rowid = 1;"
		      "UPDATE operation SET result = '{' WHERE rowid = 2");
	assert_ok(
	    records_operation_each(desk.records, NULL, 0, count_one, &count, &found, &err), &err);
	assert_int_equal(count, 3);
	assert_int_equal(found.skipped, 2);
}

/* n finished operations, as old as they come, of plans that are gone unless keep_plans. */
static void add_old(const struct desk *desk, int n)
{
	cleanup_free char *text = xasprintf(
	    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
	    " INSERT INTO operation SELECT printf('op_%%016x', i), kind, surface, tool, target,"
	    " NULL, NULL, decision_id, approval_id, actor_type, actor_id, actor_authenticated,"
	    " actor_provenance, owner_pid, owner_start, owner_boot, status, internal_status, i,"
	    " started_us, updated_us, finished_us, progress, progress_us, NULL, result,"
	    " error_code, error_message, error_details, error_exit, error_retryable, intent"
	    " FROM operation, n WHERE operation.status = 'succeeded' LIMIT %d",
	    n, n);

	assert_int_equal(raw_exec(desk->path, text), SQLITE_OK);
}

static void old_operations_go_unless_somebody_needs_them(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "retention");
	cleanup_plan struct plan first = add_plan(&desk);
	cleanup_plan struct plan last = add_plan(&desk);
	cleanup_operation struct operation correlated = OPERATION_INIT;
	cleanup_operation struct operation operation = OPERATION_INIT;
	cleanup_session struct session session = SESSION_INIT;
	cleanup_strvec struct strvec linked = STRVEC_INIT;
	struct session_change change = SESSION_CHANGE_INIT;
	cleanup_err struct err err = ERR_INIT;

	run_plan(&desk, &first, OPERATION_SUCCEEDED, &correlated);
	add_old(&desk, OPERATION_KEEP + 10);
	assert_ok(records_session_create(
		      desk.records, &(struct session_new){ 0 }, &cli_actor, &session, &err),
	    &err);
	strvec_push(&linked, "op_0000000000000001");
	change.operations = &linked;
	assert_ok(records_session_change(desk.records, session.id, &change, &session, &err), &err);
	clock_ahead_us = 60 * 1000 * 1000;
	assert_int_equal(begin(&desk, &last, &operation), PLAN_BEGIN_FRESH);
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM operation"), OPERATION_KEEP + 1);
	assert_int_equal(
	    raw_count(&desk, "SELECT count(*) FROM operation WHERE id = 'op_0000000000000001'"), 1);
	assert_int_equal(status_of(&desk, first.id), PLAN_APPLIED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_of_another_form_are_refused),
		cmocka_unit_test(a_plan_that_expired_since_it_was_loaded_is_not_begun),
		cmocka_unit_test(a_plan_changed_since_it_was_loaded_is_not_begun),
		cmocka_unit_test(a_plan_begun_under_another_hash_is_a_conflict),
		cmocka_unit_test(a_decision_that_cannot_be_recorded_blocks),
		cmocka_unit_test(a_chain_that_cannot_be_written_blocks),
		cmocka_unit_test(a_locked_store_is_unavailable_and_begins_nothing),
		cmocka_unit_test(an_operation_that_is_over_does_not_change),
		cmocka_unit_test(a_result_that_is_no_json_is_not_recorded),
		cmocka_unit_test(a_fresh_operation_is_pending_and_ours),
		cmocka_unit_test(a_finished_one_has_result_deployment_and_time),
		cmocka_unit_test(a_failure_is_masked_and_keeps_its_code),
		cmocka_unit_test(progress_is_one_masked_bounded_line),
		cmocka_unit_test(after_success_the_same_operation_is_answered),
		cmocka_unit_test(after_a_failure_it_never_runs_again),
		cmocka_unit_test(what_a_dead_process_left_is_indeterminate_for_good),
		cmocka_unit_test(a_read_alone_marks_what_a_dead_process_left),
		cmocka_unit_test(a_living_process_is_never_taken_for_dead),
		cmocka_unit_test(a_pid_of_another_start_or_another_boot_is_dead),
		cmocka_unit_test(who_starts_it_owns_it),
		cmocka_unit_test(of_eight_processes_exactly_one_begins),
		cmocka_unit_test(a_refusal_is_a_row_and_a_row_of_the_chain_and_no_operation),
		cmocka_unit_test(the_chain_is_sealed_when_the_records_are_closed),
		cmocka_unit_test(a_list_is_filtered_bounded_and_leaves_out_damage),
		cmocka_unit_test(old_operations_go_unless_somebody_needs_them),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
