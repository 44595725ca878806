/* SPDX-License-Identifier: MIT */
/* What a caller may do in a stage, and the record of it: what is refused, then what is told. */
#include "unit.h"

#include "base/sql.h"
#include "vault_unit.h"

#define STAGE "/w/stages/01-research"
#define CONTRACT STAGE "/CONTEXT.md"

/* A workspace /w with one stage that has a contract. */
static void open_workspace(struct fixture *f)
{
	open_fixture(f);
	make_folder(f->vault, "/w", NULL);
	make_folder(f->vault, "/w/stages", NULL);
	make_folder(f->vault, STAGE, NULL);
	assert_ok(sql_exec(f->vault->sql, "UPDATE entry SET kind = 3 WHERE name = 'w'", &f->err),
	    &f->err);
	assert_ok(put_text(f->vault, CONTRACT, "one", &f->err), &f->err);
}

static const struct vault_scope_ask quiet = {
	.workspace = "/w", .stage = "01-research", .max_size = 100, .is_recorded = true
};

#define cleanup_scope __attribute__((cleanup(vault_scope_release)))

static int64_t count(struct fixture *f, const char *text)
{
	int64_t number = -1;
	struct sql_stmt *stmt = sql_prepare(f->vault->sql, text, &f->err);

	assert_non_null(stmt);
	assert_int_equal(sql_step(stmt, &f->err), 1);
	number = sql_column_int(stmt, 0);
	sql_stmt_free(stmt);
	return number;
}

static int64_t rows(struct fixture *f)
{
	return count(f, "SELECT count(*) FROM operation_audit_events");
}

static int64_t decisions(struct fixture *f)
{
	return count(f, "SELECT count(*) FROM mcp_scope_audit_events");
}

/* Nothing but a reason, which ends so. */
static void assert_denied(struct vault *vault, const struct vault_scope_ask *ask, const char *end)
{
	cleanup_scope struct vault_scope scope = VAULT_SCOPE_INIT;
	cleanup_err struct err err = ERR_INIT;

	assert_ok(vault_scope(vault, ask, &scope, &err), &err);
	assert_null(scope.workspace);
	assert_null(scope.workspace_name);
	assert_null(scope.workspace_path);
	assert_null(scope.stage);
	assert_null(scope.contract);
	assert_int_equal(scope.rank, VAULT_NONE);
	assert_int_equal(scope.text.len, 0);
	assert_non_null(scope.reason);
	assert_non_null(strstr(scope.reason, end));
}

/* ---- refusals ---- */

static void what_may_not_be_seen_is_an_answer_and_leaves_no_row(void **state)
{
	cleanup_fixture struct fixture f;
	static const char none[] = ": there is no such file or folder, or you may not read it";
	struct vault_scope_ask ask = quiet;
	int64_t before;
	struct vault *other;

	(void)state;
	open_workspace(&f);
	other = open_as(&f, "stranger");
	before = rows(&f);
	assert_denied(other, &ask, none);
	ask.stage = "02-nothing";
	assert_denied(f.vault, &ask, none);
	ask.stage = "..";
	assert_denied(f.vault, &ask, "stage: ");
	ask = quiet;
	ask.workspace = "/nothing";
	assert_denied(f.vault, &ask, none);
	ask.workspace = "/w/stages";
	assert_denied(f.vault, &ask, "/w/stages is no workspace");
	ask.workspace = CONTRACT;
	assert_denied(f.vault, &ask, "is a file, not a folder");
	ask.workspace = "w";
	assert_denied(f.vault, &ask, "is named by its id or by a path");
	assert_int_equal(rows(&f), before);
	vault_close(other);
}

static void an_ordinary_question_is_refused_and_on_record(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_scope struct vault_scope scope = VAULT_SCOPE_INIT;
	struct vault_scope_ask ask = quiet;
	int64_t before;

	(void)state;
	open_workspace(&f);
	before = rows(&f);
	ask.is_recorded = false;
	ask.stage = "02-nothing";
	assert_fails(vault_scope(f.vault, &ask, &scope, &f.err), &f.err, ERR_NOT_FOUND);
	ask.workspace = "/w/stages";
	assert_fails(vault_scope(f.vault, &ask, &scope, &f.err), &f.err, ERR_INVALID_ARGUMENT);
	ask = quiet;
	ask.is_recorded = false;
	assert_ok(vault_scope(f.vault, &ask, &scope, &f.err), &f.err);
	assert_int_equal(rows(&f), before + 3);
	assert_int_equal(decisions(&f), 0);
}

static void a_folder_that_is_no_stage_has_no_scope(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_scope_ask ask = quiet;
	char id[ID_TEXT_SIZE];

	(void)state;
	open_workspace(&f);
	make_folder(f.vault, "/w/stages/notes", NULL);
	make_folder(f.vault, "/w/02-beside", id);
	assert_ok(put_text(f.vault, "/w/stages/03-file", "x", &f.err), &f.err);
	ask.stage = "notes";
	assert_denied(f.vault, &ask, "notes: ");
	ask.stage = "03-file";
	assert_denied(f.vault, &ask, "03-file: ");
	/* Where there is a folder `stages`, stages are in it. */
	ask.stage = "02-beside";
	assert_denied(f.vault, &ask, "02-beside: ");
	ask.stage = id;
	assert_denied(f.vault, &ask, id);
}

static void a_stage_in_the_trash_has_no_scope(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_entry entry = { 0 };
	struct vault_scope_ask ask = quiet;

	(void)state;
	open_workspace(&f);
	assert_ok(vault_trash(f.vault, STAGE, VAULT_WANT_FOLDER, &entry, &f.err), &f.err);
	assert_denied(f.vault, &ask, "01-research: ");
	ask.stage = entry.id;
	assert_denied(f.vault, &ask, entry.id);
	vault_entry_release(&entry);
}

static void assert_no_text(struct fixture *f, const char *stage, const char *reason)
{
	cleanup_scope struct vault_scope scope = VAULT_SCOPE_INIT;
	struct vault_scope_ask ask = quiet;

	ask.stage = stage;
	assert_ok(vault_scope(f->vault, &ask, &scope, &f->err), &f->err);
	assert_int_equal(scope.rank, VAULT_MANAGE);
	assert_non_null(scope.workspace);
	assert_string_equal(scope.reason, reason);
	assert_int_equal(scope.text.len, 0);
}

static void a_stage_without_a_contract_says_so(void **state)
{
	cleanup_fixture struct fixture f;

	(void)state;
	open_workspace(&f);
	make_folder(f.vault, "/w/stages/02-empty", NULL);
	make_folder(f.vault, "/w/stages/03-folder", NULL);
	make_folder(f.vault, "/w/stages/03-folder/CONTEXT.md", NULL);
	make_folder(f.vault, "/w/stages/04-large", NULL);
	assert_ok(put_text(f.vault, "/w/stages/04-large/CONTEXT.md",
		      "0123456789012345678901234567890123456789012345678901234567890123456789"
		      "0123456789012345678901234567890",
		      &f.err),
	    &f.err);
	assert_no_text(&f, "02-empty", "the stage has no CONTEXT.md");
	assert_no_text(&f, "03-folder", "the stage has no CONTEXT.md");
	assert_no_text(&f, "04-large", "the file is larger than 100 bytes");
	assert_no_text(&f, NULL, "a workspace has no contract: name one of its stages");
}

static void nobody_has_a_scope_without_a_credential(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_scope struct vault_scope scope = VAULT_SCOPE_INIT;
	struct vault *vault;

	(void)state;
	open_workspace(&f);
	vault = vault_open(f.dir, &f.err);
	assert_fails(vault_scope(vault, &quiet, &scope, &f.err), &f.err, ERR_UNAUTHENTICATED);
	vault_close(vault);
}

/* ---- what is told ---- */

static void a_scope_is_rank_and_contract(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_scope struct vault_scope scope = VAULT_SCOPE_INIT;

	(void)state;
	open_workspace(&f);
	assert_ok(vault_scope(f.vault, &quiet, &scope, &f.err), &f.err);
	assert_string_equal(scope.workspace_name, "w");
	assert_string_equal(scope.workspace_path, "/w");
	assert_string_equal(scope.stage_name, "01-research");
	assert_int_equal(scope.rank, VAULT_MANAGE);
	assert_int_equal(scope.contract_number, 1);
	assert_string_equal(scope.text.data, "one");
	assert_null(scope.reason);
}

static void a_grant_on_the_stage_raises_the_rank_and_the_stage_has_an_id(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_scope struct vault_scope scope = VAULT_SCOPE_INIT;
	cleanup_scope struct vault_scope same = VAULT_SCOPE_INIT;
	struct vault_scope_ask ask = quiet;
	struct vault *agent;

	(void)state;
	open_workspace(&f);
	agent = open_as(&f, "agent");
	assert_ok(vault_grant_set(f.vault, STAGE, "agent", VAULT_WRITE, &f.err), &f.err);
	assert_denied(agent, &ask, "/w: "); /* the workspace is not to be seen */
	assert_ok(vault_grant_set(f.vault, "/w", "agent", VAULT_READ, &f.err), &f.err);
	assert_ok(vault_scope(agent, &ask, &scope, &f.err), &f.err);
	assert_int_equal(scope.rank, VAULT_WRITE);
	ask.stage = scope.stage;
	ask.workspace = scope.workspace;
	assert_ok(vault_scope(agent, &ask, &same, &f.err), &f.err);
	assert_string_equal(same.stage_name, "01-research");
	ask.stage = NULL;
	vault_scope_release(&same);
	assert_ok(vault_scope(agent, &ask, &same, &f.err), &f.err);
	assert_int_equal(same.rank, VAULT_READ);
	vault_close(agent);
}

static void stages_may_be_in_the_workspace_itself(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_scope struct vault_scope scope = VAULT_SCOPE_INIT;
	struct vault_entry entry = { 0 };
	struct vault_scope_ask ask = quiet;

	(void)state;
	open_workspace(&f);
	assert_ok(vault_move(f.vault, STAGE, VAULT_WANT_FOLDER, "/w", &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	assert_denied(f.vault, &ask, "01-research: ");
	assert_ok(vault_trash(f.vault, "/w/stages", VAULT_WANT_FOLDER, &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	assert_ok(vault_scope(f.vault, &ask, &scope, &f.err), &f.err);
	assert_string_equal(scope.text.data, "one");
}

/* ---- the record ---- */

struct made {
	const char *visible; /* NULL: nothing */
	const char *reason;
	int64_t hidden;
	const char *since;
};

/* Decides and records; -1 as vault_scope_record(). */
static int record(struct vault *vault, const struct vault_scope_ask *ask, const struct made *made,
    struct vault_scope_recorded *ret, struct err *err)
{
	cleanup_scope struct vault_scope scope = VAULT_SCOPE_INIT;
	cleanup_strvec struct strvec visible = STRVEC_INIT;
	const struct vault_scope_decision decision = {
		.visible = &visible,
		.hidden = made->hidden,
		.reason = made->reason,
		.since = made->since,
	};

	if (made->visible != NULL)
		strvec_push(&visible, made->visible);
	strvec_push(&visible, "b_tool");
	assert_ok(vault_scope(vault, ask, &scope, err), err);
	return vault_scope_record(vault, ask, &scope, &decision, ret, err);
}

static void assert_recorded(struct vault *vault, const struct vault_scope_ask *ask,
    const struct made *made, const char *result, char ret_id[ID_TEXT_SIZE])
{
	struct vault_scope_recorded recorded = { .id = "x" };
	cleanup_err struct err err = ERR_INIT;

	assert_ok(record(vault, ask, made, &recorded, &err), &err);
	if (result == NULL) {
		assert_string_equal(recorded.id, "");
		return;
	}
	assert_string_equal(recorded.result, result);
	assert_int_equal(strncmp(recorded.id, "sca_", 4), 0);
	memcpy(ret_id, recorded.id, sizeof(recorded.id));
}

static void a_decision_that_is_the_last_one_leaves_no_row(void **state)
{
	cleanup_fixture struct fixture f;
	struct made made = { .visible = "a_tool", .hidden = 3 };
	char id[ID_TEXT_SIZE];
	int64_t before;

	(void)state;
	open_workspace(&f);
	before = rows(&f);
	assert_recorded(f.vault, &quiet, &made, "initial", id);
	made.since = id;
	assert_recorded(f.vault, &quiet, &made, NULL, NULL);
	assert_int_equal(decisions(&f), 1);
	assert_int_equal(rows(&f), before);
}

static void each_part_of_a_decision_makes_it_another(void **state)
{
	cleanup_fixture struct fixture f;
	const struct made first = { .visible = "a_tool", .hidden = 3 };
	char id[ID_TEXT_SIZE];
	char ignored[ID_TEXT_SIZE];
	struct made made = first;
	struct vault_scope_ask ask = quiet;

	(void)state;
	open_workspace(&f);
	assert_recorded(f.vault, &quiet, &first, "initial", id);
	made.since = id;
	made.hidden = 4;
	assert_recorded(f.vault, &quiet, &made, "changed", ignored);
	made = (struct made){ .visible = NULL, .hidden = 3, .since = id };
	assert_recorded(f.vault, &quiet, &made, "changed", ignored);
	made = (struct made){ .visible = "a_tool", .hidden = 3, .since = id, .reason = "no" };
	assert_recorded(f.vault, &quiet, &made, "denied", ignored);
	made = (struct made){ .visible = "a_tool", .hidden = 3, .since = id };
	assert_ok(put_text(f.vault, CONTRACT, "two", &f.err), &f.err);
	assert_recorded(f.vault, &quiet, &made, "changed", id);
	made.since = id;
	assert_recorded(f.vault, &quiet, &made, NULL, NULL);
	ask.stage = NULL;
	assert_recorded(f.vault, &ask, &made, "initial", ignored); /* another question */
	assert_int_equal(decisions(&f), 6);
}

static void since_is_the_callers_own_row(void **state)
{
	cleanup_fixture struct fixture f;
	struct made made = { .visible = "a_tool" };
	char id[ID_TEXT_SIZE];
	char ignored[ID_TEXT_SIZE];
	struct vault *other;

	(void)state;
	open_workspace(&f);
	other = open_as(&f, "other");
	assert_ok(vault_grant_set(f.vault, "/", "other", VAULT_MANAGE, &f.err), &f.err);
	assert_recorded(f.vault, &quiet, &made, "initial", id);
	made.since = id;
	assert_recorded(other, &quiet, &made, "initial", ignored);
	made.since = "sca_nothing";
	assert_recorded(f.vault, &quiet, &made, "initial", ignored);
	assert_int_equal(decisions(&f), 3);
	vault_close(other);
}

static void a_rank_that_changes_is_another_decision(void **state)
{
	cleanup_fixture struct fixture f;
	struct made made = { .visible = "a_tool" };
	char id[ID_TEXT_SIZE];
	struct vault *agent;

	(void)state;
	open_workspace(&f);
	agent = open_as(&f, "agent");
	assert_ok(vault_grant_set(f.vault, "/w", "agent", VAULT_WRITE, &f.err), &f.err);
	assert_recorded(agent, &quiet, &made, "initial", id);
	made.since = id;
	assert_ok(vault_grant_set(f.vault, "/w", "agent", VAULT_READ, &f.err), &f.err);
	assert_recorded(agent, &quiet, &made, "changed", id);
	assert_recorded(agent, &quiet, &made, NULL, NULL);
	assert_ok(vault_grant_remove(f.vault, "/w", "agent", &f.err), &f.err);
	made.reason = "gone";
	assert_recorded(agent, &quiet, &made, "denied", id);
	assert_recorded(agent, &quiet, &made, NULL, NULL);
	vault_close(agent);
}

static void what_changes_before_it_is_recorded_is_a_conflict(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_scope struct vault_scope scope = VAULT_SCOPE_INIT;
	struct vault_scope_recorded recorded = { .id = "" };
	const struct strvec none = { 0 };
	const struct vault_scope_decision decision = { .visible = &none };

	(void)state;
	open_workspace(&f);
	assert_ok(vault_scope(f.vault, &quiet, &scope, &f.err), &f.err);
	assert_ok(put_text(f.vault, CONTRACT, "two", &f.err), &f.err);
	assert_fails(vault_scope_record(f.vault, &quiet, &scope, &decision, &recorded, &f.err),
	    &f.err, ERR_CONFLICT);
	assert_true(f.err.retryable);
	assert_int_equal(decisions(&f), 0);
}

static void a_quiet_binding_writes_with_its_row_alone(void **state)
{
	cleanup_fixture struct fixture f;
	struct made made = { .visible = "a_tool" };
	char id[ID_TEXT_SIZE];
	struct secret *secret;
	struct vault *vault;

	(void)state;
	open_workspace(&f);
	assert_ok(sql_exec(f.vault->sql, "UPDATE token SET last_used_us = 0", &f.err), &f.err);
	vault = vault_open(f.dir, &f.err);
	secret = secret_of(&f.token);
	assert_ok(vault_bind_unnoted(vault, secret, &f.err), &f.err);
	secret_free(secret);
	assert_int_equal(count(&f, "SELECT last_used_us FROM token"), 0);
	assert_recorded(vault, &quiet, &made, "initial", id);
	assert_true(count(&f, "SELECT last_used_us FROM token") > 0);
	vault_close(vault);
}

/* ---- its chain ---- */

static int note_decision(void *ctx, const struct vault_scope_event *event, struct err *err)
{
	(void)err;
	buf_addf(ctx, "%s %s [%s] %d %s\n", event->result, event->rank, event->visible,
	    (int)event->hidden, event->reason != NULL ? event->reason : "-");
	return 0;
}

static void decisions_are_listed_to_those_who_manage_the_root(void **state)
{
	cleanup_fixture struct fixture f;
	const struct made first = { .visible = "a_tool", .hidden = 3 };
	const struct made second = { .reason = "line 1: no" };
	struct vault_event_filter filter = { 0 };
	cleanup_buf struct buf text = BUF_INIT;
	char id[ID_TEXT_SIZE];
	struct vault *agent;

	(void)state;
	open_workspace(&f);
	agent = open_as(&f, "agent");
	assert_fails(vault_scope_event_each(agent, &filter, note_decision, &text, &f.err), &f.err,
	    ERR_PERMISSION_DENIED);
	assert_recorded(f.vault, &quiet, &first, "initial", id);
	assert_recorded(f.vault, &quiet, &second, "denied", id);
	assert_ok(vault_scope_event_each(f.vault, &filter, note_decision, &text, &f.err), &f.err);
	assert_string_equal(text.data, "initial manage [a_tool b_tool] 3 -\n"
				       "denied manage [b_tool] 0 line 1: no\n");
	buf_reset(&text);
	filter = (struct vault_event_filter){ .result = "denied", .entry = CONTRACT };
	assert_ok(vault_scope_event_each(f.vault, &filter, note_decision, &text, &f.err), &f.err);
	assert_string_equal(text.data, "denied manage [b_tool] 0 line 1: no\n");
	buf_reset(&text);
	filter = (struct vault_event_filter){ .principal = "agent" };
	assert_ok(vault_scope_event_each(f.vault, &filter, note_decision, &text, &f.err), &f.err);
	assert_string_equal(text.data, "");
	vault_close(agent);
}

static void refuses(struct fixture *f, const char *text)
{
	assert_fails(sql_exec(f->vault->sql, text, &f->err), &f->err, ERR_CHECK_FAILED);
	err_release(&f->err);
}

static void the_record_of_decisions_is_append_only(void **state)
{
	cleanup_fixture struct fixture f;
	const struct made made = { .visible = "a_tool" };
	char id[ID_TEXT_SIZE];

	(void)state;
	open_workspace(&f);
	assert_recorded(f.vault, &quiet, &made, "initial", id);
	refuses(&f, "UPDATE mcp_scope_audit_events SET rank = 'manage'");
	refuses(&f, "DELETE FROM mcp_scope_audit_events");
	refuses(&f,
	    "INSERT OR REPLACE INTO mcp_scope_audit_events SELECT * FROM mcp_scope_audit_events");
	refuses(&f, "INSERT INTO mcp_scope_audit_events SELECT org, sequence + 2, 'sca_x', time_us,"
		    " principal, token, caller, asked_workspace, asked_stage, workspace, stage,"
		    " contract, contract_version, contract_number, rank, visible, hidden, result,"
		    " reason, correlation, previous, hash FROM mcp_scope_audit_events");
}

/* Edits a row as who has the file could, and takes it back. */
static void finds_edit(struct fixture *f, const char *edit)
{
	struct vault_audit_report report = { 0 };
	struct sql *sql = f->vault->sql;

	assert_ok(sql_exec(sql, "SAVEPOINT edit", &f->err), &f->err);
	assert_ok(sql_exec(sql, "DROP TRIGGER mcp_scope_audit_is_not_updated", &f->err), &f->err);
	assert_ok(sql_exec(sql, "DROP TRIGGER mcp_scope_audit_is_not_deleted", &f->err), &f->err);
	assert_ok(sql_exec(sql, edit, &f->err), &f->err);
	assert_int_equal(scope_verify(f->vault, &report, &f->err), -1);
	assert_int_equal(f->err.code, ERR_CHECK_FAILED);
	assert_non_null(strstr(f->err.message, "scope audit row "));
	err_release(&f->err);
	assert_ok(sql_exec(sql, "ROLLBACK TO edit; RELEASE edit", &f->err), &f->err);
}

static void an_edit_of_any_column_is_found(void **state)
{
	static const char *const columns[] = { "id = 'sca_x'", "time_us = 1", "principal = 'x'",
		"token = NULL", "caller = 'x'", "asked_workspace = 'x'", "asked_stage = NULL",
		"workspace = NULL", "stage = NULL", "contract = NULL", "contract_version = NULL",
		"contract_number = 7", "rank = 'read'", "visible = 'x'", "hidden = 0",
		"result = 'changed'", "result = 'denied', reason = 'x'", "correlation = 'x'",
		"previous = zeroblob(32)", "hash = zeroblob(32)", "sequence = 9" };
	cleanup_fixture struct fixture f;
	const struct made made = { .visible = "a_tool", .hidden = 3 };
	struct vault_audit_report report = { 0 };
	char id[ID_TEXT_SIZE];

	(void)state;
	open_workspace(&f);
	for (int i = 0; i < 3; i++)
		assert_recorded(f.vault, &quiet, &made, "initial", id);
	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		cleanup_free char *edit = xasprintf(
		    "UPDATE mcp_scope_audit_events SET %s WHERE sequence = 2", columns[i]);

		finds_edit(&f, edit);
	}
	finds_edit(&f, "DELETE FROM mcp_scope_audit_events WHERE sequence = 2");
	assert_ok(vault_audit_verify(f.vault, &report, &f.err), &f.err);
	assert_int_equal(report.scope_rows, 3);
	assert_true(report.rows > 3);
}

static void each_organization_has_its_own_chain_of_decisions(void **state)
{
	cleanup_fixture struct fixture f;
	const struct made made = { .visible = "a_tool" };
	struct vault_audit_report report = { 0 };
	struct vault_token_text token;
	char id[ID_TEXT_SIZE];
	struct vault *other;

	(void)state;
	open_workspace(&f);
	assert_recorded(f.vault, &quiet, &made, "initial", id);
	other = vault_open(f.dir, &f.err);
	assert_ok(vault_init(other, "rival", "owner", &token, &f.err), &f.err);
	assert_denied(other, &quiet, "/w: ");
	assert_recorded(other, &quiet, &made, "initial", id);
	assert_ok(vault_audit_verify(other, &report, &f.err), &f.err);
	assert_int_equal(report.scope_rows, 1);
	vault_close(other);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_may_not_be_seen_is_an_answer_and_leaves_no_row),
	cmocka_unit_test(an_ordinary_question_is_refused_and_on_record),
	cmocka_unit_test(a_folder_that_is_no_stage_has_no_scope),
	cmocka_unit_test(a_stage_in_the_trash_has_no_scope),
	cmocka_unit_test(a_stage_without_a_contract_says_so),
	cmocka_unit_test(nobody_has_a_scope_without_a_credential),
	cmocka_unit_test(a_scope_is_rank_and_contract),
	cmocka_unit_test(a_grant_on_the_stage_raises_the_rank_and_the_stage_has_an_id),
	cmocka_unit_test(stages_may_be_in_the_workspace_itself),
	cmocka_unit_test(a_decision_that_is_the_last_one_leaves_no_row),
	cmocka_unit_test(each_part_of_a_decision_makes_it_another),
	cmocka_unit_test(since_is_the_callers_own_row),
	cmocka_unit_test(a_rank_that_changes_is_another_decision),
	cmocka_unit_test(what_changes_before_it_is_recorded_is_a_conflict),
	cmocka_unit_test(a_quiet_binding_writes_with_its_row_alone),
	cmocka_unit_test(decisions_are_listed_to_those_who_manage_the_root),
	cmocka_unit_test(the_record_of_decisions_is_append_only),
	cmocka_unit_test(an_edit_of_any_column_is_found),
	cmocka_unit_test(each_organization_has_its_own_chain_of_decisions),
};

UNIT_MAIN(tests)
