/* SPDX-License-Identifier: MIT */
#ifndef UNIT_RECORDS_FIXTURE_H
#define UNIT_RECORDS_FIXTURE_H

/* Records in a data directory of their own, facts of a plan to change at will, and a hand that edits
 * the database past its triggers. */

#include <sqlite3.h>

#include "base/clock.h"
#include "ledger/ledger.h"
#include "scratch.h"

/* The wall clock, which tests move: each has the linker wrap it. */
static int64_t clock_ahead_us;
int64_t __real_clock_wall_us(void);
int64_t __wrap_clock_wall_us(void);
int64_t __wrap_clock_wall_us(void)
{
	return __real_clock_wall_us() + clock_ahead_us;
}

#define HOUR_US ((int64_t)3600 * 1000 * 1000)

struct desk {
	char *data;
	char *path; /* of the database */
	struct records *records;
};

/* What a secret looks like here. */
#define HIDDEN "hunter2"

static inline void desk_redact(void *ctx, const char *text, size_t len, struct buf *ret_text)
{
	const char *at = strstr(text, HIDDEN);

	(void)ctx;
	if (at == NULL) {
		buf_add(ret_text, text, len);
		return;
	}
	buf_add(ret_text, text, (size_t)(at - text));
	buf_adds(ret_text, "***");
	buf_adds(ret_text, at + strlen(HIDDEN));
}

static inline struct records *desk_reopen(const struct desk *desk)
{
	cleanup_err struct err err = ERR_INIT;
	struct records *records = records_open(desk->data, desk_redact, NULL, &err);

	if (records == NULL)
		fail_msg("%s", err.message);
	return records;
}

static inline struct desk desk_open(const char *scratch, const char *name)
{
	struct desk desk = { .data = scratch_path(scratch, name) };

	clock_ahead_us = 0;
	desk.path = ledger_path(desk.data);
	desk.records = desk_reopen(&desk);
	return desk;
}

static inline void desk_close(struct desk *desk)
{
	records_close(desk->records);
	free(desk->data);
	free(desk->path);
}

#define cleanup_desk __attribute__((cleanup(desk_close)))

/* ---- facts ---- */

/* Facts and what they point at; of a deployment of "shop". */
struct facts {
	struct plan_facts plan;
	struct plan_digest environment[2];
	struct plan_digest files[1];
	struct plan_pin pinned[1];
	struct plan_precondition preconditions[2];
};

static inline void facts_fill(struct facts *facts)
{
	*facts = (struct facts){
		.environment = { { "HOME", digest_of("home", 4) }, { "LANG", digest_of("C", 1) } },
		.files = { { "body", digest_of("body", 4) } },
		.pinned = { { "/srv/shop", "dir", digest_of("tree", 4) } },
		.preconditions = { { "shop_status", "{\"app\":\"shop\"}", "/version",
				       digest_of("\"v1\"", 4), "\"v1\"" },
		    { "shop_status", "{\"app\":\"shop\"}", "/mode", digest_of("1", 1), NULL } },
	};
	facts->plan = (struct plan_facts){
		.surface = "shop",
		.surface_digest = digest_of("surface", 7),
		.tool = "shop_rebuild",
		.effect = "destroy",
		.arguments = "{\"app\":\"shop\",\"port\":8080}",
		.cwd = "/srv",
		.program = "/usr/bin/shop",
		.program_digest = digest_of("program", 7),
		.environment = facts->environment,
		.environment_len = 2,
		.has_stdin = true,
		.stdin_digest = digest_of("in", 2),
		.files = facts->files,
		.files_len = 1,
		.pinned = facts->pinned,
		.pinned_len = 1,
		.preconditions = facts->preconditions,
		.preconditions_len = 2,
		.target = "shop",
		.label = "Rebuild shop",
		.wait_ms = 45000,
		.expires_ms = 3600000,
	};
	strvec_push(&facts->plan.argv, "shop");
	strvec_push(&facts->plan.argv, "rebuild");
	strvec_push(&facts->plan.argv, "shop");
}

static inline void facts_release(struct facts *facts)
{
	strvec_release(&facts->plan.argv);
}

#define cleanup_facts __attribute__((cleanup(facts_release)))

static const struct actor cli_actor = { .type = "cli", .provenance = "uid 1000, calls itself ada" };
static const struct actor mcp_actor = { .type = "mcp" };

static inline struct plan add_plan_for(const struct desk *desk, const char *target)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_facts struct facts facts;
	struct plan plan = PLAN_INIT;

	facts_fill(&facts);
	facts.plan.target = target;
	assert_ok(
	    records_plan_add(desk->records, &facts.plan, &mcp_actor, "a preview", &plan, &err),
	    &err);
	return plan;
}

static inline struct plan add_plan(const struct desk *desk)
{
	return add_plan_for(desk, "shop");
}

/* ---- execution ---- */

static inline struct plan_decision allow_of(const struct plan *plan)
{
	return (struct plan_decision){
		.actor = mcp_actor,
		.surface = plan->facts.surface,
		.tool = plan->facts.tool,
		.target = plan->facts.target,
		.plan_id = plan->id,
		.plan_hash = plan->hash,
		.verdict = "allow",
		.code = "AUTHZ_ALLOWED",
		.reason = "rule 0 allows it",
		.mode = "enforced",
	};
}

static inline enum plan_begin begin(
    const struct desk *desk, const struct plan *plan, struct operation *ret_operation)
{
	cleanup_err struct err err = ERR_INIT;
	struct plan_decision allow = allow_of(plan);
	enum plan_begin begun = PLAN_BEGIN_FAILED;

	assert_ok(
	    records_plan_begin(desk->records, plan, &allow, &begun, ret_operation, &err), &err);
	return begun;
}

/* Begins it and carries it to this end. */
static inline void run_plan(const struct desk *desk, const struct plan *plan,
    enum operation_status status, struct operation *ret_operation)
{
	cleanup_err struct err err = ERR_INIT;
	struct operation_outcome outcome = OPERATION_OUTCOME_INIT;

	assert_int_equal(begin(desk, plan, ret_operation), PLAN_BEGIN_FRESH);
	assert_ok(records_operation_start(desk->records, ret_operation->id, &err), &err);
	outcome.status = status;
	outcome.exit_status = 0;
	outcome.result = "{\"version\":2}";
	outcome.deployment_id = "dep-0a1b";
	if (status != OPERATION_SUCCEEDED) {
		outcome.error_code = "BUILD_FAILED";
		outcome.error_message = "the build failed with " HIDDEN;
		outcome.error_exit = 20;
	}
	assert_ok(records_operation_finish(desk->records, ret_operation->id, &outcome, &err), &err);
	assert_ok(
	    records_operation_load(desk->records, ret_operation->id, ret_operation, &err), &err);
}

static inline enum plan_status status_of(const struct desk *desk, const char *id)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_plan struct plan plan = PLAN_INIT;

	assert_ok(records_plan_load(desk->records, id, &plan, &err), &err);
	return plan.status;
}

static inline enum err_code plan_fault(const struct desk *desk, const char *id)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_plan struct plan plan = PLAN_INIT;

	assert_int_equal(records_plan_load(desk->records, id, &plan, &err), -1);
	return err.code;
}

/* ---- a hand in the database ---- */

static inline int raw_exec(const char *path, const char *text)
{
	sqlite3 *db = NULL;
	int rc;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	(void)sqlite3_busy_timeout(db, 2000);
	rc = sqlite3_exec(db, text, NULL, NULL, NULL);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return rc;
}

/* Drops the triggers of a table first. */
static inline void tamper(const struct desk *desk, const char *text)
{
	static const char *const triggers[] = { "plan_is_not_edited", "plan_goes_forward",
		"plan_in_use_stays", "approval_is_not_updated", "approval_is_not_deleted",
		"approval_is_one", "operation_is_final", "operation_under_way_stays",
		"session_is_final", "session_under_way_stays" };
	cleanup_buf struct buf all = BUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(triggers); i++)
		buf_addf(&all, "DROP TRIGGER IF EXISTS %s;", triggers[i]);
	buf_adds(&all, "PRAGMA foreign_keys = OFF;");
	buf_adds(&all, text);
	assert_int_equal(raw_exec(desk->path, all.data), SQLITE_OK);
}

static inline int64_t raw_count(const struct desk *desk, const char *text)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *stmt = NULL;
	int64_t count;

	assert_int_equal(sqlite3_open(desk->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, text, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	count = sqlite3_column_int64(stmt, 0);
	(void)sqlite3_finalize(stmt);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return count;
}

static inline int64_t chain_rows(const struct desk *desk, const char *kind)
{
	cleanup_free char *text = xasprintf("SELECT count(*) FROM record WHERE kind = '%s'", kind);

	return raw_count(desk, text);
}

static inline void chain_holds(const struct desk *desk)
{
	cleanup_err struct err err = ERR_INIT;
	struct ledger_report report = { 0 };

	assert_ok(ledger_verify(desk->path, &report, &err), &err);
}

#endif
