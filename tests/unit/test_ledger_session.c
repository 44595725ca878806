/* SPDX-License-Identifier: MIT */
/* Sessions: bounds, transitions, revisions, references, and a store that was tampered with. */
#include "unit.h"

#include "records_fixture.h"

static const struct session_new nothing = { 0 };

static struct session create(const struct desk *desk)
{
	cleanup_err struct err err = ERR_INIT;
	struct session session = SESSION_INIT;

	assert_ok(
	    records_session_create(desk->records, &nothing, &mcp_actor, &session, &err), &err);
	return session;
}

static void change_ok(
    const struct desk *desk, const struct session_change *change, struct session *session)
{
	cleanup_err struct err err = ERR_INIT;

	assert_ok(records_session_change(desk->records, session->id, change, session, &err), &err);
}

static enum err_code change_fault(
    const struct desk *desk, const struct session_change *change, const struct session *session)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_session struct session changed = SESSION_INIT;

	assert_int_equal(
	    records_session_change(desk->records, session->id, change, &changed, &err), -1);
	assert_int_equal(err.retryable, err.code == ERR_SESSION_CONFLICT);
	return err.code;
}

static struct session load(const struct desk *desk, const char *id)
{
	cleanup_err struct err err = ERR_INIT;
	struct session session = SESSION_INIT;

	assert_ok(records_session_load(desk->records, id, &session, &err), &err);
	return session;
}

static enum err_code load_fault(const struct desk *desk, const char *id)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_session struct session session = SESSION_INIT;

	assert_int_equal(records_session_load(desk->records, id, &session, &err), -1);
	return err.code;
}

static struct session_change checkpoint(const char *note)
{
	struct session_change change = SESSION_CHANGE_INIT;

	change.note = note;
	return change;
}

static void assert_untouched(const struct desk *desk, const struct session *before)
{
	cleanup_session struct session after = load(desk, before->id);

	assert_int_equal(after.rev, before->rev);
	assert_int_equal(after.status, before->status);
	assert_int_equal(after.events_len, before->events_len);
	assert_int_equal(after.updated_us, before->updated_us);
	assert_int_equal(after.plans.len, before->plans.len);
}

/* A text of len times x. */
static char *text_of(size_t len)
{
	char *text = xcalloc(len + 1, 1);

	memset(text, 'x', len);
	return text;
}

/* ---- refusals ---- */

static void ids_of_another_form_are_refused(void **state)
{
	static const char *const bad[] = { "", "ses_", "pln_0123456789abcdef",
		"ses_0123456789ABCDEF", "../ses_0123456789abcdef" };
	cleanup_desk struct desk desk = desk_open(*state, "ids");

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(load_fault(&desk, bad[i]), ERR_INVALID_ARGUMENT);
	assert_int_equal(load_fault(&desk, "ses_0123456789abcdef"), ERR_NOT_FOUND);
}

static void what_has_ended_does_not_change(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "ended");

	for (int end = SESSION_COMPLETED; end < SESSION_STATUS_COUNT; end++) {
		cleanup_session struct session session = create(&desk);
		struct session_change change = SESSION_CHANGE_INIT;

		change.to = (enum session_status)end;
		change_ok(&desk, &change, &session);
		assert_int_equal(session.status, end);
		assert_int_equal(session.rev, 2);
		for (int to = SESSION_ACTIVE; to < SESSION_STATUS_COUNT; to++) {
			struct session_change again = checkpoint("more");

			again.to = (enum session_status)to;
			assert_int_equal(
			    change_fault(&desk, &again, &session), ERR_SESSION_INVALID_TRANSITION);
		}
		assert_untouched(&desk, &session);
	}
}

static void what_is_too_long_is_refused_and_not_cut(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "long");
	cleanup_session struct session session = create(&desk);
	cleanup_free char *title = text_of(SESSION_TITLE_MAX + 1);
	cleanup_free char *app = text_of(SESSION_APP_MAX + 1);
	cleanup_free char *step = text_of(SESSION_STEP_MAX + 1);
	cleanup_free char *note = text_of(SESSION_NOTE_MAX + 1);
	cleanup_free char *summary = text_of(SESSION_SUMMARY_MAX + 1);
	const struct session_new bad[] = { { .title = title }, { .project = title }, { .app = app },
		{ .title = "\xff" } };
	struct session_change changes[] = { checkpoint(note), checkpoint("x"),
		SESSION_CHANGE_INIT };

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		cleanup_err struct err err = ERR_INIT;
		cleanup_session struct session made = SESSION_INIT;

		assert_fails(records_session_create(desk.records, &bad[i], &cli_actor, &made, &err),
		    &err, ERR_INVALID_ARGUMENT);
	}
	changes[1].step = step;
	changes[2].to = SESSION_COMPLETED;
	changes[2].summary = summary;
	for (size_t i = 0; i < ARRAY_LEN(changes); i++)
		assert_int_equal(change_fault(&desk, &changes[i], &session), ERR_INVALID_ARGUMENT);
	assert_untouched(&desk, &session);
	note[SESSION_NOTE_MAX] = '\0';
	changes[0] = checkpoint(note);
	change_ok(&desk, &changes[0], &session);
}

static void an_empty_checkpoint_is_refused(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "empty");
	cleanup_session struct session session = create(&desk);
	struct session_change change = checkpoint("");

	assert_int_equal(change_fault(&desk, &change, &session), ERR_INVALID_ARGUMENT);
	change.note = NULL;
	assert_int_equal(change_fault(&desk, &change, &session), ERR_INVALID_ARGUMENT);
	assert_untouched(&desk, &session);
}

static void a_revision_that_is_not_the_expected_one_is_a_conflict(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "revision");
	cleanup_session struct session session = create(&desk);
	struct session_change change = checkpoint("x");

	change.if_rev = 1;
	change_ok(&desk, &change, &session);
	assert_int_equal(session.rev, 2);
	assert_int_equal(change_fault(&desk, &change, &session), ERR_SESSION_CONFLICT);
	assert_untouched(&desk, &session);
	change.if_rev = 0;
	assert_int_equal(change_fault(&desk, &change, &session), ERR_SESSION_CONFLICT);
}

static void a_full_session_can_only_end(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "full");
	cleanup_session struct session session = create(&desk);
	struct session_change change = checkpoint("x");

	for (int i = 1; i < SESSION_EVENTS_MAX; i++)
		change_ok(&desk, &change, &session);
	assert_int_equal(session.events_len, SESSION_EVENTS_MAX);
	assert_int_equal(change_fault(&desk, &change, &session), ERR_INVALID_ARGUMENT);
	assert_untouched(&desk, &session);
	change.to = SESSION_COMPLETED;
	change_ok(&desk, &change, &session);
	assert_int_equal(session.events_len, SESSION_EVENTS_MAX + 1);
}

/* A redactor whose masks are long: notes within their bound can still fill a record. */
static void swell(void *ctx, const char *text, size_t len, struct buf *ret_text)
{
	(void)ctx;
	for (int i = 0; i < 40; i++)
		buf_add(ret_text, text, len);
}

static void a_session_of_too_many_bytes_can_only_end(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "bytes");
	cleanup_session struct session session = SESSION_INIT;
	cleanup_free char *note = text_of(SESSION_NOTE_MAX);
	struct session_change change = checkpoint(note);
	cleanup_err struct err err = ERR_INIT;

	records_close(desk.records);
	desk.records = records_open(desk.data, swell, NULL, &err);
	session = create(&desk);
	for (int i = 0; i < 13; i++)
		change_ok(&desk, &change, &session);
	assert_int_equal(change_fault(&desk, &change, &session), ERR_INVALID_ARGUMENT);
	change.to = SESSION_FAILED;
	change_ok(&desk, &change, &session);
}

static void references_must_lead_somewhere(void **state)
{
	static const char *const plans[] = { "", "x", "pln_0123456789abcdef",
		"op_0123456789abcdef" };
	static const char *const operations[] = { "x", "op_0123456789abcdef", "dep-00" };
	static const char *const deployments[] = { "dep-", "dep-XY", "x" };
	cleanup_desk struct desk desk = desk_open(*state, "dangling");
	cleanup_session struct session session = create(&desk);

	for (size_t i = 0; i < ARRAY_LEN(plans); i++) {
		cleanup_strvec struct strvec ids = STRVEC_INIT;
		struct session_change change = SESSION_CHANGE_INIT;

		strvec_push(&ids, plans[i]);
		change.plans = &ids;
		assert_int_equal(change_fault(&desk, &change, &session), ERR_INVALID_ARGUMENT);
	}
	for (size_t i = 0; i < ARRAY_LEN(operations); i++) {
		cleanup_strvec struct strvec ids = STRVEC_INIT;
		struct session_change change = SESSION_CHANGE_INIT;

		strvec_push(&ids, operations[i]);
		change.operations = &ids;
		assert_int_equal(change_fault(&desk, &change, &session), ERR_INVALID_ARGUMENT);
	}
	for (size_t i = 0; i < ARRAY_LEN(deployments); i++) {
		cleanup_strvec struct strvec ids = STRVEC_INIT;
		struct session_change change = SESSION_CHANGE_INIT;

		strvec_push(&ids, deployments[i]);
		change.deployments = &ids;
		assert_int_equal(change_fault(&desk, &change, &session), ERR_INVALID_ARGUMENT);
	}
	assert_untouched(&desk, &session);
}

static void a_tampered_plan_cannot_be_linked(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "tampered");
	cleanup_session struct session session = create(&desk);
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_strvec struct strvec ids = STRVEC_INIT;
	struct session_change change = SESSION_CHANGE_INIT;

	tamper(&desk, "UPDATE plan SET document = replace(document, '8080', '8081')");
	strvec_push(&ids, plan.id);
	change.plans = &ids;
	assert_int_equal(change_fault(&desk, &change, &session), ERR_INVALID_ARGUMENT);
}

static void there_are_fifty_references_of_a_kind_at_most(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "fifty");
	cleanup_session struct session session = create(&desk);
	cleanup_strvec struct strvec ids = STRVEC_INIT;
	cleanup_strvec struct strvec one = STRVEC_INIT;
	struct session_change change = SESSION_CHANGE_INIT;

	for (size_t i = 0; i < SESSION_REFERENCES_MAX; i++)
		strvec_pushf(&ids, "dep-%zx", i);
	change.deployments = &ids;
	change_ok(&desk, &change, &session);
	assert_int_equal(session.deployments.len, SESSION_REFERENCES_MAX);
	change_ok(&desk, &change, &session); /* all known already */
	strvec_push(&one, "dep-ffff");
	change.deployments = &one;
	assert_int_equal(change_fault(&desk, &change, &session), ERR_INVALID_ARGUMENT);
	strvec_push(&ids, "dep-ffff");
	change.deployments = &ids;
	assert_int_equal(change_fault(&desk, &change, &session), ERR_INVALID_ARGUMENT);
	assert_untouched(&desk, &session);
}

/* ---- what is kept ---- */

static void a_new_session_is_active_at_revision_one_with_one_event(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "new");
	cleanup_session struct session session = SESSION_INIT;
	struct session_new what = { .title = "with " HIDDEN, .project = "p", .app = "shop" };
	cleanup_err struct err err = ERR_INIT;

	assert_ok(records_session_create(desk.records, &what, &mcp_actor, &session, &err), &err);
	assert_ok(record_check_id(RECORD_SESSION, session.id, &err), &err);
	assert_int_equal(session.status, SESSION_ACTIVE);
	assert_int_equal(session.rev, 1);
	assert_string_equal(session.title, "with ***");
	assert_string_equal(session.app, "shop");
	assert_string_equal(session.actor_type, "mcp");
	assert_int_equal(session.events_len, 1);
	assert_int_equal(session.events[0].seq, 0);
	assert_string_equal(session.events[0].type, "created");
	assert_null(session.events[0].detail);
}

static void a_checkpoint_tells_step_note_and_links_in_this_order(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "detail");
	cleanup_session struct session session = create(&desk);
	cleanup_plan struct plan plan = add_plan(&desk);
	cleanup_operation struct operation operation = OPERATION_INIT;
	cleanup_strvec struct strvec plans = STRVEC_INIT;
	cleanup_strvec struct strvec operations = STRVEC_INIT;
	struct session_change change = checkpoint("note " HIDDEN);
	cleanup_free char *detail = NULL;

	run_plan(&desk, &plan, OPERATION_SUCCEEDED, &operation);
	strvec_pushf(&plans, "  %s\n", plan.id);
	strvec_push(&plans, plan.id);
	strvec_push(&operations, operation.id);
	change.step = "build";
	change.plans = &plans;
	change.operations = &operations;
	change_ok(&desk, &change, &session);
	detail = xasprintf("step=build; note ***; linked %s, %s", plan.id, operation.id);
	assert_string_equal(session.events[1].detail, detail);
	assert_string_equal(session.step, "build");
	assert_string_equal(session.note, "note ***");
	assert_int_equal(session.checkpoint_seq, 1);
	assert_int_equal(session.plans.len, 1);
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM session_event"
					  " WHERE detail LIKE '%" HIDDEN "%'"),
	    0);
	change = SESSION_CHANGE_INIT;
	change.to = SESSION_COMPLETED;
	change_ok(&desk, &change, &session);
	assert_string_equal(session.events[2].detail, "session completed");
	assert_null(session.final_result);
}

static void an_end_keeps_its_masked_summary(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "summary");
	cleanup_session struct session session = create(&desk);
	struct session_change change = SESSION_CHANGE_INIT;

	change.to = SESSION_FAILED;
	change.summary = "no " HIDDEN;
	change_ok(&desk, &change, &session);
	assert_string_equal(session.final_result, "no ***");
	assert_string_equal(session.events[1].type, "failed");
	assert_string_equal(session.events[1].detail, "no ***");
}

static int write_one(void *ctx)
{
	const struct session *session = ctx;
	cleanup_err struct err err = ERR_INIT;
	cleanup_session struct session changed = SESSION_INIT;
	struct session_change change = checkpoint("one of many");
	struct records *records = records_open(session->title, desk_redact, NULL, &err);
	int result;

	if (records == NULL)
		return 1;
	result = records_session_change(records, session->id, &change, &changed, &err);
	records_close(records);
	return result == 0 ? 0 : 2;
}

static void writers_that_do_not_ask_for_a_revision_all_land(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "writers");
	cleanup_session struct session session = create(&desk);
	cleanup_session struct session after = SESSION_INIT;

	session.title = xstrdup(desk.data); /* how the children find it */
	assert_int_equal(scratch_race(8, write_one, &session), 0);
	after = load(&desk, session.id);
	assert_int_equal(after.rev, 9);
	assert_int_equal(after.events_len, 9);
	for (size_t i = 0; i < after.events_len; i++)
		assert_int_equal(after.events[i].seq, i);
}

/* ---- tampering ---- */

static void what_is_of_another_version_or_status_is_invalid(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "invalid");
	cleanup_session struct session session = create(&desk);

	tamper(&desk, "UPDATE session SET schema_version = '2'");
	assert_int_equal(load_fault(&desk, session.id), ERR_SESSION_INVALID);
	tamper(&desk, "UPDATE session SET schema_version = '1', status = 'asleep'");
	assert_int_equal(load_fault(&desk, session.id), ERR_SESSION_INVALID);
}

static void what_does_not_hold_together_is_corrupt(void **state)
{
	static const char *const edits[] = { "UPDATE session SET rev = 7",
		"UPDATE session_event SET seq = 5 WHERE seq = 1",
		"DELETE FROM session_event WHERE seq = 0", "UPDATE session SET checkpoint_seq = 2",
		"UPDATE session_reference SET kind = 'odd'" };

	for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
		cleanup_free char *name = xasprintf("corrupt%zu", i);
		cleanup_desk struct desk desk = desk_open(*state, name);
		cleanup_session struct session session = create(&desk);
		cleanup_strvec struct strvec ids = STRVEC_INIT;
		struct session_change change = SESSION_CHANGE_INIT;

		strvec_push(&ids, "dep-01");
		change.deployments = &ids;
		change_ok(&desk, &change, &session);
		tamper(&desk, edits[i]);
		assert_int_equal(load_fault(&desk, session.id), ERR_SESSION_CORRUPT);
		assert_int_equal(change_fault(&desk, &change, &session), ERR_SESSION_CORRUPT);
	}
}

/* ---- lists and retention ---- */

struct seen {
	size_t len;
	char ids[4][RECORD_ID_SIZE];
};

static int note_one(void *ctx, const struct session *session, struct err *err)
{
	struct seen *seen = ctx;

	(void)err;
	if (seen->len < ARRAY_LEN(seen->ids))
		memcpy(seen->ids[seen->len], session->id, sizeof(session->id));
	seen->len++;
	return 0;
}

static struct record_list list(
    const struct desk *desk, const char *status, const char *app, int64_t limit, struct seen *seen)
{
	cleanup_err struct err err = ERR_INIT;
	struct record_list found = { 0 };

	*seen = (struct seen){ 0 };
	assert_ok(
	    records_session_each(desk->records, status, app, limit, note_one, seen, &found, &err),
	    &err);
	return found;
}

static void a_list_is_newest_first_filtered_and_tells_when_it_is_cut(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "list");
	cleanup_session struct session a = create(&desk);
	cleanup_session struct session b = create(&desk);
	cleanup_session struct session c = SESSION_INIT;
	struct session_new what = { .app = "shop" };
	struct session_change change = SESSION_CHANGE_INIT;
	struct record_list found = { 0 };
	cleanup_err struct err err = ERR_INIT;
	struct seen seen;

	assert_ok(records_session_create(desk.records, &what, &cli_actor, &c, &err), &err);
	change.to = SESSION_CANCELLED;
	change_ok(&desk, &change, &a);
	assert_false(list(&desk, NULL, NULL, 3, &seen).is_truncated);
	assert_int_equal(seen.len, 3);
	assert_string_equal(seen.ids[0], c.id);
	assert_string_equal(seen.ids[2], a.id);
	assert_true(list(&desk, NULL, NULL, 2, &seen).is_truncated);
	assert_int_equal(seen.len, 2);
	(void)list(&desk, "cancelled", NULL, 0, &seen);
	assert_int_equal(seen.len, 1);
	(void)list(&desk, NULL, "shop", 0, &seen);
	assert_int_equal(seen.len, 1);
	assert_fails(
	    records_session_each(desk.records, "asleep", NULL, 0, note_one, &seen, &found, &err),
	    &err, ERR_INVALID_ARGUMENT);
	tamper(&desk, "UPDATE session SET rev = 9 WHERE app = 'shop'");
	assert_int_equal(list(&desk, NULL, NULL, 0, &seen).skipped, 1);
	assert_int_equal(seen.len, 2);
	(void)b;
}

static void ended_sessions_past_the_bound_go_and_active_ones_never(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "retention");
	cleanup_session struct session active = create(&desk);
	cleanup_session struct session oldest = SESSION_INIT;
	struct session_change change = SESSION_CHANGE_INIT;

	change.to = SESSION_COMPLETED;
	for (int i = 0; i < SESSION_KEEP + 2; i++) {
		cleanup_session struct session session = create(&desk);

		change_ok(&desk, &change, &session);
		if (i == 0)
			memcpy(oldest.id, session.id, sizeof(session.id));
	}
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM session"), SESSION_KEEP + 1);
	assert_int_equal(load_fault(&desk, oldest.id), ERR_NOT_FOUND);
	assert_int_equal(raw_count(&desk, "SELECT count(*) FROM session_event WHERE session_id NOT"
					  " IN (SELECT id FROM session)"),
	    0);
	assert_untouched(&desk, &active);
	assert_int_equal(
	    raw_exec(desk.path, "DELETE FROM session WHERE status = 'active'"), SQLITE_CONSTRAINT);
}

/* ---- resolving ---- */

static void resolve(const struct desk *desk, const struct session *session, struct buf *ret_json)
{
	cleanup_err struct err err = ERR_INIT;
	struct json_writer w = JSON_WRITER_INIT(ret_json);

	assert_ok(records_session_resolve(desk->records, session, &w, &err), &err);
}

static void references_resolve_to_what_is_there_now(void **state)
{
	cleanup_desk struct desk desk = desk_open(*state, "resolve");
	cleanup_session struct session session = create(&desk);
	cleanup_plan struct plan ran = add_plan(&desk);
	cleanup_plan struct plan broken = add_plan_for(&desk, "broken");
	cleanup_plan struct plan gone = add_plan_for(&desk, "gone");
	cleanup_operation struct operation operation = OPERATION_INIT;
	cleanup_strvec struct strvec plans = STRVEC_INIT;
	cleanup_strvec struct strvec operations = STRVEC_INIT;
	cleanup_strvec struct strvec deployments = STRVEC_INIT;
	struct session_change change = SESSION_CHANGE_INIT;
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_free char *wanted = NULL;
	char hash[DIGEST_TEXT_SIZE];

	run_plan(&desk, &ran, OPERATION_SUCCEEDED, &operation);
	strvec_push(&plans, ran.id);
	strvec_push(&plans, broken.id);
	strvec_push(&plans, gone.id);
	strvec_push(&operations, operation.id);
	strvec_push(&deployments, "dep-0a1b");
	strvec_push(&deployments, "dep-ffff");
	change.plans = &plans;
	change.operations = &operations;
	change.deployments = &deployments;
	change_ok(&desk, &change, &session);
	tamper(&desk, "DELETE FROM plan WHERE document LIKE '%\"gone\"%';"
		      "UPDATE plan SET document = replace(document, '\"broken\"', '\"healed\"')");
	resolve(&desk, &session, &json);
	digest_format(&ran.hash, hash);
	wanted = xasprintf(
	    "{\"plans\":[{\"id\":\"%s\",\"present\":true,\"state\":\"present\",\"status\":"
	    "\"applied\",\"detail\":\"%s\"},{\"id\":\"%s\",\"present\":true,\"state\":"
	    "\"unavailable\",\"error_code\":\"PLAN_HASH_MISMATCH\"},{\"id\":\"%s\",\"present\":"
	    "false,\"state\":\"missing\"}],\"operations\":[{\"id\":\"%s\",\"present\":true,"
	    "\"state\":\"present\",\"status\":\"succeeded\",\"detail\":\"apply\"}],"
	    "\"deployments\":[{\"id\":\"dep-0a1b\",\"present\":true,\"state\":\"present\","
	    "\"status\":\"succeeded\",\"detail\":\"operation %s\"},{\"id\":\"dep-ffff\","
	    "\"present\":false,\"state\":\"unknown\"}]}",
	    ran.id, hash, broken.id, gone.id, operation.id, operation.id);
	assert_string_equal(json.data, wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_of_another_form_are_refused),
		cmocka_unit_test(what_has_ended_does_not_change),
		cmocka_unit_test(what_is_too_long_is_refused_and_not_cut),
		cmocka_unit_test(an_empty_checkpoint_is_refused),
		cmocka_unit_test(a_revision_that_is_not_the_expected_one_is_a_conflict),
		cmocka_unit_test(a_full_session_can_only_end),
		cmocka_unit_test(a_session_of_too_many_bytes_can_only_end),
		cmocka_unit_test(references_must_lead_somewhere),
		cmocka_unit_test(a_tampered_plan_cannot_be_linked),
		cmocka_unit_test(there_are_fifty_references_of_a_kind_at_most),
		cmocka_unit_test(a_new_session_is_active_at_revision_one_with_one_event),
		cmocka_unit_test(a_checkpoint_tells_step_note_and_links_in_this_order),
		cmocka_unit_test(an_end_keeps_its_masked_summary),
		cmocka_unit_test(writers_that_do_not_ask_for_a_revision_all_land),
		cmocka_unit_test(what_is_of_another_version_or_status_is_invalid),
		cmocka_unit_test(what_does_not_hold_together_is_corrupt),
		cmocka_unit_test(a_list_is_newest_first_filtered_and_tells_when_it_is_cut),
		cmocka_unit_test(ended_sessions_past_the_bound_go_and_active_ones_never),
		cmocka_unit_test(references_resolve_to_what_is_there_now),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
