/* SPDX-License-Identifier: MIT */
/* Plans: what their hash covers, every way of tampering with one, and what lists and retention do. */
#include "unit.h"

#include "records_fixture.h"

/* ---- codes ---- */

static void what_is_wrong_with_a_plan_ends_with_3_and_what_was_refused_with_11(void **state)
{
	static const enum err_code wrong[] = { ERR_PLAN_INVALID, ERR_PLAN_CORRUPT,
		ERR_PLAN_HASH_MISMATCH, ERR_PLAN_STALE, ERR_SESSION_INVALID, ERR_SESSION_CORRUPT,
		ERR_SESSION_INVALID_TRANSITION };
	static const enum err_code refused[] = { ERR_AUTHZ_DENIED, ERR_AUTHZ_UNAVAILABLE,
		ERR_AUTHZ_INVALID, ERR_APPROVAL_REQUIRED, ERR_APPROVAL_STALE,
		ERR_APPROVAL_INVALID };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		assert_int_equal(err_info(wrong[i])->exit_code, 3);
		assert_false(err_info(wrong[i])->is_retryable);
	}
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		assert_int_equal(err_info(refused[i])->exit_code, 11);
		assert_int_equal(
		    err_info(refused[i])->is_retryable, refused[i] == ERR_AUTHZ_UNAVAILABLE);
	}
	assert_true(err_info(ERR_SESSION_CONFLICT)->is_retryable);
}

/* ---- ids ---- */

static void an_id_of_another_form_is_refused_before_the_store(void **state)
{
	static const char *const bad[] = { "", "pln_", "pln_ZZZ", "pln_ABCDEF0123456789",
		"op_0123456789abcdef", "pln_0123456789abcdef0", "../escape",
		"pln_0123456789abcdef/../x", "pln_0123456789abcde" };
	cleanup_desk struct desk desk = desk_open(*state, "ids");

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(plan_fault(&desk, bad[i]), ERR_INVALID_ARGUMENT);
	assert_int_equal(plan_fault(&desk, "pln_0123456789abcdef"), ERR_NOT_FOUND);
}

static void minted_ids_have_the_form_and_do_not_repeat(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "minted");
	cleanup_plan struct plan a = add_plan(&desk);
	cleanup_plan struct plan b = add_plan(&desk);
	cleanup_err struct err err = ERR_INIT;

	assert_ok(record_check_id(RECORD_PLAN, a.id, &err), &err);
	assert_ok(record_check_id(RECORD_PLAN, b.id, &err), &err);
	assert_string_not_equal(a.id, b.id);
}

/* ---- the hash ---- */

static struct digest hash_of(const struct facts *facts)
{
	cleanup_err struct err err = ERR_INIT;
	struct digest hash;

	assert_ok(plan_facts_hash(&facts->plan, &hash, &err), &err);
	return hash;
}

static void the_same_meaning_hashes_the_same_whatever_the_order(void **state)
{
	cleanup_facts struct facts a;
	cleanup_facts struct facts b;
	struct digest left;
	struct digest right;

	(void)state;
	facts_fill(&a);
	facts_fill(&b);
	b.environment[0] = a.environment[1];
	b.environment[1] = a.environment[0];
	b.preconditions[0] = a.preconditions[1];
	b.preconditions[1] = a.preconditions[0];
	b.plan.arguments = " { \"port\": 8080, \"app\": \"shop\" } ";
	left = hash_of(&a);
	right = hash_of(&b);
	assert_true(digest_equal(&left, &right));
}

static void neither_id_nor_creator_nor_time_nor_preview_counts(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "outside");
	cleanup_facts struct facts facts;
	cleanup_plan struct plan a = add_plan(&desk);
	cleanup_plan struct plan b = PLAN_INIT;
	cleanup_err struct err err = ERR_INIT;

	facts_fill(&facts);
	clock_ahead_us = 1000000;
	assert_ok(records_plan_add(desk.records, &facts.plan, &cli_actor, NULL, &b, &err), &err);
	assert_true(digest_equal(&a.hash, &b.hash));
	assert_string_equal(a.created_by, "mcp");
	assert_string_equal(b.created_by, "cli");
}

typedef void (*change_fn)(struct facts *facts);

static void change_surface(struct facts *f)
{
	f->plan.surface = "other";
}
static void change_surface_digest(struct facts *f)
{
	f->plan.surface_digest = digest_of("x", 1);
}
static void change_tool(struct facts *f)
{
	f->plan.tool = "shop_rollback";
}
static void change_arguments(struct facts *f)
{
	f->plan.arguments = "{\"app\":\"shop\",\"port\":8081}";
}
static void change_argv(struct facts *f)
{
	strvec_push(&f->plan.argv, "--force");
}
static void change_cwd(struct facts *f)
{
	f->plan.cwd = "/tmp";
}
static void change_program(struct facts *f)
{
	f->plan.program = "/usr/local/bin/shop";
}
static void change_program_digest(struct facts *f)
{
	f->plan.program_digest = digest_of("x", 1);
}
static void change_environment_name(struct facts *f)
{
	f->environment[0].name = "PATH";
}
static void change_environment_value(struct facts *f)
{
	f->environment[0].digest = digest_of("x", 1);
}
static void drop_stdin(struct facts *f)
{
	f->plan.has_stdin = false;
}
static void change_stdin(struct facts *f)
{
	f->plan.stdin_digest = digest_of("x", 1);
}
static void change_file(struct facts *f)
{
	f->files[0].digest = digest_of("x", 1);
}
static void change_pin(struct facts *f)
{
	f->pinned[0].digest = digest_of("x", 1);
}
static void change_precondition(struct facts *f)
{
	f->preconditions[1].digest = digest_of("x", 1);
}
static void drop_precondition(struct facts *f)
{
	f->plan.preconditions_len = 1;
}
static void change_target(struct facts *f)
{
	f->plan.target = "shop2";
}
static void change_expiry(struct facts *f)
{
	f->plan.expires_ms++;
}

static const change_fn changes[] = { change_surface, change_surface_digest, change_tool,
	change_arguments, change_argv, change_cwd, change_program, change_program_digest,
	change_environment_name, change_environment_value, drop_stdin, change_stdin, change_file,
	change_pin, change_precondition, drop_precondition, change_target, change_expiry };

static void each_fact_changes_the_hash_and_shows_as_a_difference(void **state)
{
	cleanup_facts struct facts before;
	struct digest was;

	(void)state;
	facts_fill(&before);
	was = hash_of(&before);
	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		cleanup_facts struct facts after;
		cleanup_err struct err err = ERR_INIT;
		cleanup_plan_differences struct plan_differences found = PLAN_DIFFERENCES_INIT;
		struct digest now;

		facts_fill(&after);
		changes[i](&after);
		now = hash_of(&after);
		assert_false(digest_equal(&was, &now));
		assert_ok(plan_facts_diff(&before.plan, &after.plan, &found, &err), &err);
		assert_true(found.len > 0);
	}
}

static void differences_are_named_by_pointer(void **state)
{
	cleanup_facts struct facts before;
	cleanup_facts struct facts after;
	cleanup_err struct err err = ERR_INIT;
	cleanup_plan_differences struct plan_differences found = PLAN_DIFFERENCES_INIT;

	(void)state;
	facts_fill(&before);
	facts_fill(&after);
	assert_ok(plan_facts_diff(&before.plan, &after.plan, &found, &err), &err);
	assert_int_equal(found.len, 0);
	after.plan.arguments = "{\"app\":\"shop\",\"tag\":\"x\"}";
	free(after.plan.argv.items[1]);
	after.plan.argv.items[1] = xstrdup("rollback");
	assert_ok(plan_facts_diff(&before.plan, &after.plan, &found, &err), &err);
	assert_int_equal(found.len, 3);
	assert_string_equal(found.items[0].pointer, "/arguments/port");
	assert_string_equal(found.items[0].before, "8080");
	assert_null(found.items[0].after);
	assert_string_equal(found.items[1].pointer, "/arguments/tag");
	assert_null(found.items[1].before);
	assert_string_equal(found.items[1].after, "\"x\"");
	assert_string_equal(found.items[2].pointer, "/argv/1");
	assert_string_equal(found.items[2].after, "\"rollback\"");
}

/* ---- what cannot be planned ---- */

static void assert_not_planned(const struct desk *desk, const struct facts *facts)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_plan struct plan plan = PLAN_INIT;

	assert_fails(records_plan_add(desk->records, &facts->plan, &mcp_actor, NULL, &plan, &err),
	    &err, ERR_INVALID_ARGUMENT);
	assert_int_equal(raw_count(desk, "SELECT count(*) FROM plan"), 0);
}

static void facts_that_json_cannot_say_are_refused(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "unsayable");
	cleanup_facts struct facts facts;

	facts_fill(&facts);
	facts.pinned[0].path = "/srv/\xff";
	assert_not_planned(&desk, &facts);
	facts.pinned[0].path = "/srv/shop";
	facts.plan.arguments = "{\"app\":1},\"surface\":\"x\"";
	assert_not_planned(&desk, &facts);
	facts.plan.arguments = "[]";
	assert_not_planned(&desk, &facts);
	facts.plan.arguments = "{}";
	facts.preconditions[0].value = "1,\"tool\":2";
	assert_not_planned(&desk, &facts);
	facts.preconditions[0].value = NULL;
	facts.environment[1].name = "HOME"; /* twice */
	assert_not_planned(&desk, &facts);
	facts.environment[1].name = "LANG";
	facts.plan.target = "";
	assert_not_planned(&desk, &facts);
}

static void a_plan_larger_than_the_bound_is_refused(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "large");
	cleanup_facts struct facts facts;
	cleanup_free char *word = xcalloc(PLAN_DOCUMENT_MAX + 1, 1);

	memset(word, 'a', PLAN_DOCUMENT_MAX);
	facts_fill(&facts);
	strvec_push(&facts.plan.argv, word);
	assert_not_planned(&desk, &facts);
}

/* ---- round trip ---- */

static void a_fresh_process_loads_the_same_plan(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "roundtrip");
	cleanup_plan struct plan saved = add_plan(&desk);
	cleanup_records struct records *other = desk_reopen(&desk);
	cleanup_plan struct plan plan = PLAN_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_plan_differences struct plan_differences found = PLAN_DIFFERENCES_INIT;

	assert_ok(records_plan_load(other, saved.id, &plan, &err), &err);
	assert_string_equal(plan.id, saved.id);
	assert_true(digest_equal(&plan.hash, &saved.hash));
	assert_int_equal(plan.status, PLAN_CREATED);
	assert_int_equal(plan.expires_us - plan.created_us, HOUR_US);
	assert_string_equal(plan.preview, "a preview");
	assert_string_equal(plan.facts.arguments, "{\"app\":\"shop\",\"port\":8080}");
	assert_int_equal(plan.facts.argv.len, 3);
	assert_string_equal(plan.facts.pinned[0].path, "/srv/shop");
	assert_string_equal(plan.facts.preconditions[0].pointer, "/mode");
	assert_string_equal(plan.facts.preconditions[1].value, "\"v1\"");
	assert_ok(plan_facts_diff(&saved.facts, &plan.facts, &found, &err), &err);
	assert_int_equal(found.len, 0);
}

static void a_plan_with_the_fewest_facts_makes_the_round_trip(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "fewest");
	struct plan_facts facts = PLAN_FACTS_INIT;
	cleanup_plan struct plan plan = PLAN_INIT;
	cleanup_err struct err err = ERR_INIT;

	facts.surface = facts.tool = facts.effect = facts.cwd = facts.program = "x";
	facts.target = "t";
	facts.arguments = "{}";
	assert_ok(records_plan_add(desk.records, &facts, &cli_actor, NULL, &plan, &err), &err);
	assert_null(plan.preview);
	assert_null(plan.facts.label);
	assert_false(plan.facts.has_stdin);
	assert_true(plan_has_expired(&plan));
}

/* ---- tampering ---- */

static void edit(const struct desk *desk, const char *from, const char *to)
{
	cleanup_free char *text =
	    xasprintf("UPDATE plan SET document = replace(document, '%s', '%s')", from, to);

	tamper(desk, text);
}

static void the_file_refuses_to_edit_a_plan(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "triggers");
	cleanup_plan struct plan plan = add_plan(&desk);

	assert_int_equal(raw_exec(desk.path, "UPDATE plan SET document = ''"), SQLITE_CONSTRAINT);
	assert_int_equal(raw_exec(desk.path, "UPDATE plan SET hash = x''"), SQLITE_CONSTRAINT);
	assert_int_equal(raw_exec(desk.path, "UPDATE plan SET expires_us = 0"), SQLITE_CONSTRAINT);
	assert_int_equal(
	    raw_exec(desk.path, "UPDATE plan SET status = 'applied'"), SQLITE_CONSTRAINT);
	assert_int_equal(status_of(&desk, plan.id), PLAN_CREATED);
}

static void an_edited_field_is_a_hash_mismatch(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "edited");
	cleanup_plan struct plan plan = add_plan(&desk);

	edit(&desk, "8080", "8081");
	assert_int_equal(plan_fault(&desk, plan.id), ERR_PLAN_HASH_MISMATCH);
}

static void garbage_is_corrupt(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "garbage");
	cleanup_plan struct plan plan = add_plan(&desk);

	tamper(&desk, "UPDATE plan SET document = '{not json'");
	assert_int_equal(plan_fault(&desk, plan.id), ERR_PLAN_CORRUPT);
	tamper(&desk, "UPDATE plan SET document = '[]'");
	assert_int_equal(plan_fault(&desk, plan.id), ERR_PLAN_CORRUPT);
	tamper(&desk, "UPDATE plan SET document = ''");
	assert_int_equal(plan_fault(&desk, plan.id), ERR_PLAN_CORRUPT);
}

/* Puts the facts' right hash beside whatever the document holds now. */
static void rehash(const struct desk *desk, const char *facts)
{
	char text[DIGEST_TEXT_SIZE];
	cleanup_buf struct buf form = BUF_INIT;
	cleanup_buf struct buf sql = BUF_INIT;
	struct digest digest;

	buf_addf(&form, "stile-plan-v1;%s", facts);
	digest = digest_of(form.data, form.len);
	digest_format(&digest, text);
	buf_addf(&sql, "UPDATE plan SET hash = x'%s'", text);
	tamper(desk, sql.data);
}

/* The plan's facts with one text replaced, in the store, under their right hash. */
static void forge(
    const struct desk *desk, const struct plan *plan, const char *from, const char *to)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_buf struct buf forged = BUF_INIT;
	const char *at;

	assert_ok(plan_facts_write(&plan->facts, &json, &err), &err);
	at = strstr(json.data, from);
	assert_non_null(at);
	buf_add(&forged, json.data, (size_t)(at - json.data));
	buf_adds(&forged, to);
	buf_adds(&forged, at + strlen(from));
	edit(desk, from, to);
	rehash(desk, forged.data);
}

static void another_version_is_invalid_even_under_its_right_hash(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "version");
	cleanup_plan struct plan plan = add_plan(&desk);

	forge(&desk, &plan, "\"schema_version\":\"1\"", "\"schema_version\":\"2\"");
	assert_int_equal(plan_fault(&desk, plan.id), ERR_PLAN_INVALID);
}

static void unknown_and_missing_members_are_invalid_under_their_right_hash(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "members");
	cleanup_plan struct plan a = add_plan(&desk);

	forge(&desk, &a, "\"effect\":\"destroy\",",
	    "\"effect\":\"destroy\",\"capabilities\":[\"teleport\"],");
	assert_int_equal(plan_fault(&desk, a.id), ERR_PLAN_INVALID);
	tamper(&desk, "DELETE FROM plan");
	{
		cleanup_plan struct plan b = add_plan(&desk);

		forge(&desk, &b, "\"effect\":\"destroy\",", "");
		assert_int_equal(plan_fault(&desk, b.id), ERR_PLAN_INVALID);
	}
}

static void facts_in_another_form_are_invalid_under_their_right_hash(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "form");
	cleanup_plan struct plan plan = add_plan(&desk);

	forge(&desk, &plan, "\"cwd\":\"/srv\"", "\"cwd\": \"/srv\"");
	assert_int_equal(plan_fault(&desk, plan.id), ERR_PLAN_INVALID);
}

static void the_document_of_one_plan_under_the_name_of_another_is_invalid(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "misfiled");
	cleanup_plan struct plan a = add_plan_for(&desk, "a");
	cleanup_plan struct plan b = add_plan_for(&desk, "b");
	cleanup_free char *text = xasprintf(
	    "UPDATE plan SET (document, hash, created_us, expires_us) = (SELECT document, hash,"
	    " created_us, expires_us FROM plan WHERE id = '%s') WHERE id = '%s'",
	    a.id, b.id);

	tamper(&desk, text);
	assert_int_equal(plan_fault(&desk, b.id), ERR_PLAN_INVALID);
	assert_int_equal(status_of(&desk, a.id), PLAN_CREATED);
}

static void a_longer_life_than_planned_is_invalid(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "longer");
	cleanup_plan struct plan plan = add_plan(&desk);

	tamper(&desk, "UPDATE plan SET expires_us = expires_us + 1");
	assert_int_equal(plan_fault(&desk, plan.id), ERR_PLAN_INVALID);
	tamper(&desk, "UPDATE plan SET expires_us = 9223372036854775807, created_us = -9");
	assert_int_equal(plan_fault(&desk, plan.id), ERR_PLAN_INVALID);
}

static void a_status_set_by_hand_is_not_believed(void **state)
{
	static const char *const statuses[] = { "applying", "applied", "failed", "indeterminate",
		"done" };
	cleanup_desk struct desk desk = desk_open(*state, "status");
	cleanup_plan struct plan plan = add_plan(&desk);

	for (size_t i = 0; i < ARRAY_LEN(statuses); i++) {
		cleanup_free char *text =
		    xasprintf("UPDATE plan SET status = '%s', operation_id = NULL", statuses[i]);

		tamper(&desk, text);
		assert_int_equal(plan_fault(&desk, plan.id), ERR_PLAN_INVALID);
	}
}

static void a_plan_that_ran_cannot_be_made_fresh_again(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "again");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_operation struct operation operation = OPERATION_INIT;

	run_plan(&desk, &plan, OPERATION_SUCCEEDED, &operation);
	assert_int_equal(status_of(&desk, plan.id), PLAN_APPLIED);
	tamper(&desk, "UPDATE plan SET status = 'created', operation_id = NULL");
	assert_int_equal(plan_fault(&desk, plan.id), ERR_PLAN_INVALID);
	tamper(&desk, "UPDATE plan SET status = 'applied'; DELETE FROM operation");
	assert_int_equal(plan_fault(&desk, plan.id), ERR_PLAN_INVALID);
}

static void records_of_a_later_format_are_refused(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "later");
	cleanup_err struct err err = ERR_INIT;

	tamper(&desk, "UPDATE records_format SET version = 2");
	assert_null(records_open(desk.data, desk_redact, NULL, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
}

static int open_and_add(void *ctx)
{
	struct desk mine = *(const struct desk *)ctx;
	cleanup_plan struct plan plan = PLAN_INIT;

	mine.records = desk_reopen(&mine);
	plan = add_plan(&mine);
	records_close(mine.records);
	return 0;
}

static void processes_that_make_the_records_at_once_agree(void **state)
{
	struct desk desk = { .data = scratch_path(*state, "makers") };

	desk.path = ledger_path(desk.data);
	assert_int_equal(scratch_race(4, open_and_add, &desk), 0);
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM plan"), 4);
	desk_close(&desk);
}

/* ---- lists and retention ---- */

struct seen {
	size_t len;
	char ids[8][RECORD_ID_SIZE];
};

static int note(void *ctx, const struct plan *plan, struct err *err)
{
	struct seen *seen = ctx;

	(void)err;
	if (seen->len < ARRAY_LEN(seen->ids))
		memcpy(seen->ids[seen->len], plan->id, sizeof(plan->id));
	seen->len++;
	return 0;
}

static struct record_list list(
    const struct desk *desk, const char *surface, int64_t limit, struct seen *seen)
{
	cleanup_err struct err err = ERR_INIT;
	struct record_list found = { 0 };

	*seen = (struct seen){ 0 };
	assert_ok(records_plan_each(desk->records, surface, limit, note, seen, &found, &err), &err);
	return found;
}

static void a_list_is_newest_first_filtered_and_bounded(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "list");
	cleanup_plan struct plan a = add_plan_for(&desk, "a");
	cleanup_plan struct plan b = add_plan_for(&desk, "b");
	struct seen seen;

	assert_false(list(&desk, NULL, 0, &seen).is_truncated);
	assert_int_equal(seen.len, 2);
	assert_string_equal(seen.ids[0], b.id);
	assert_string_equal(seen.ids[1], a.id);
	assert_true(list(&desk, "shop", 1, &seen).is_truncated);
	assert_int_equal(seen.len, 1);
	(void)list(&desk, "other", 0, &seen);
	assert_int_equal(seen.len, 0);
}

static void a_damaged_plan_is_left_out_of_a_list_and_counted(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "damaged");
	cleanup_plan struct plan a = add_plan_for(&desk, "aaa");
	cleanup_plan struct plan b = add_plan_for(&desk, "bbb");
	struct seen seen;

	(void)b;
	edit(&desk, "\"bbb\"", "\"ccc\"");
	assert_int_equal(list(&desk, NULL, 0, &seen).skipped, 1);
	assert_int_equal(seen.len, 1);
	assert_string_equal(seen.ids[0], a.id);
	tamper(&desk, "UPDATE plan SET id = 'pln_' || rowid || printf('%.*c', 900, 'x')");
	assert_int_equal(list(&desk, NULL, 0, &seen).skipped, 2);
}

static void a_plan_is_found_by_its_facts_while_it_can_be_applied(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "find");
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_plan struct plan found = PLAN_INIT;
	cleanup_operation struct operation operation = OPERATION_INIT;
	cleanup_err struct err err = ERR_INIT;
	struct digest other = digest_of("x", 1);

	assert_int_equal(records_plan_find(desk.records, &plan.hash, &found, &err), 1);
	assert_string_equal(found.id, plan.id);
	assert_int_equal(records_plan_find(desk.records, &other, &found, &err), 0);
	clock_ahead_us = HOUR_US;
	assert_int_equal(records_plan_find(desk.records, &plan.hash, &found, &err), 0);
	clock_ahead_us = 0;
	run_plan(&desk, &plan, OPERATION_FAILED, &operation);
	assert_int_equal(records_plan_find(desk.records, &plan.hash, &found, &err), 0);
}

static void old_plans_go_unless_somebody_needs_them(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "retention");
	cleanup_plan struct plan forgotten = add_plan(&desk);
	cleanup_plan struct plan approved = add_plan(&desk);
	cleanup_plan struct plan applying = add_plan(&desk);
	cleanup_plan struct plan linked = add_plan(&desk);
	cleanup_approval struct approval approval = APPROVAL_INIT;
	cleanup_operation struct operation operation = OPERATION_INIT;
	cleanup_session struct session session = SESSION_INIT;
	cleanup_strvec struct strvec plans = STRVEC_INIT;
	struct session_change change = SESSION_CHANGE_INIT;
	cleanup_err struct err err = ERR_INIT;

	assert_ok(records_approve(desk.records, &approved, &cli_actor, &approval, &err), &err);
	assert_int_equal(begin(&desk, &applying, &operation), PLAN_BEGIN_FRESH);
	assert_ok(records_session_create(
		      desk.records, &(struct session_new){ 0 }, &cli_actor, &session, &err),
	    &err);
	strvec_push(&plans, linked.id);
	change.plans = &plans;
	assert_ok(records_session_change(desk.records, session.id, &change, &session, &err), &err);
	for (int i = 0; i < PLAN_KEEP; i++) {
		cleanup_plan struct plan plan = add_plan(&desk);

		(void)plan;
	}
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM plan"), PLAN_KEEP + 3);
	assert_int_equal(plan_fault(&desk, forgotten.id), ERR_NOT_FOUND);
	assert_int_equal(status_of(&desk, approved.id), PLAN_CREATED);
	assert_int_equal(status_of(&desk, applying.id), PLAN_APPLYING);
	assert_int_equal(status_of(&desk, linked.id), PLAN_CREATED);
	clock_ahead_us = 2 * HOUR_US; /* the approval has expired: nobody needs that plan */
	{
		cleanup_plan struct plan plan = add_plan(&desk);

		(void)plan;
	}
	assert_int_equal(plan_fault(&desk, approved.id), ERR_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    what_is_wrong_with_a_plan_ends_with_3_and_what_was_refused_with_11),
		cmocka_unit_test(an_id_of_another_form_is_refused_before_the_store),
		cmocka_unit_test(minted_ids_have_the_form_and_do_not_repeat),
		cmocka_unit_test(the_same_meaning_hashes_the_same_whatever_the_order),
		cmocka_unit_test(neither_id_nor_creator_nor_time_nor_preview_counts),
		cmocka_unit_test(each_fact_changes_the_hash_and_shows_as_a_difference),
		cmocka_unit_test(differences_are_named_by_pointer),
		cmocka_unit_test(facts_that_json_cannot_say_are_refused),
		cmocka_unit_test(a_plan_larger_than_the_bound_is_refused),
		cmocka_unit_test(a_fresh_process_loads_the_same_plan),
		cmocka_unit_test(a_plan_with_the_fewest_facts_makes_the_round_trip),
		cmocka_unit_test(the_file_refuses_to_edit_a_plan),
		cmocka_unit_test(an_edited_field_is_a_hash_mismatch),
		cmocka_unit_test(garbage_is_corrupt),
		cmocka_unit_test(another_version_is_invalid_even_under_its_right_hash),
		cmocka_unit_test(unknown_and_missing_members_are_invalid_under_their_right_hash),
		cmocka_unit_test(facts_in_another_form_are_invalid_under_their_right_hash),
		cmocka_unit_test(the_document_of_one_plan_under_the_name_of_another_is_invalid),
		cmocka_unit_test(a_longer_life_than_planned_is_invalid),
		cmocka_unit_test(a_status_set_by_hand_is_not_believed),
		cmocka_unit_test(a_plan_that_ran_cannot_be_made_fresh_again),
		cmocka_unit_test(records_of_a_later_format_are_refused),
		cmocka_unit_test(processes_that_make_the_records_at_once_agree),
		cmocka_unit_test(a_list_is_newest_first_filtered_and_bounded),
		cmocka_unit_test(a_damaged_plan_is_left_out_of_a_list_and_counted),
		cmocka_unit_test(a_plan_is_found_by_its_facts_while_it_can_be_applied),
		cmocka_unit_test(old_plans_go_unless_somebody_needs_them),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
