/* SPDX-License-Identifier: MIT */
/* Decisions of the policy: a row here and one in the chain, together or not at all. */
#include "ledger/ledger.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "ledger/ledger_internal.h"

static const char SQL_INSERT[] =
    "INSERT INTO decision (id, decided_us, actor_type, actor_id, actor_authenticated,"
    " actor_provenance, surface, tool, target, plan_id, plan_hash, verdict, code, reason, mode,"
    " rule_index, approval_id)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";

static int insert(struct records *records, const struct plan_decision *decision, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_INSERT, err);
	cleanup_free char *provenance = records_masked(records, decision->actor.provenance);
	cleanup_free char *reason = records_masked(records, decision->reason);

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, decision->id);
	sql_bind_int(stmt, 2, decision->decided_us);
	sql_bind_text(stmt, 3, decision->actor.type);
	sql_bind_text(stmt, 4, decision->actor.id);
	sql_bind_int(stmt, 5, decision->actor.is_authenticated);
	sql_bind_text(stmt, 6, provenance);
	sql_bind_text(stmt, 7, decision->surface);
	sql_bind_text(stmt, 8, decision->tool);
	sql_bind_text(stmt, 9, decision->target);
	sql_bind_text(stmt, 10, decision->plan_id);
	sql_bind_blob(stmt, 11, decision->plan_hash.bytes, DIGEST_SIZE);
	sql_bind_text(stmt, 12, decision->verdict);
	sql_bind_text(stmt, 13, decision->code);
	sql_bind_text(stmt, 14, reason);
	sql_bind_text(stmt, 15, decision->mode);
	sql_bind_int(stmt, 16, decision->rule_index);
	sql_bind_text(stmt, 17, decision->approval_id);
	return sql_run(stmt, err);
}

static int append(struct records *records, const struct plan_decision *decision, struct err *err)
{
	bool is_allow = strcmp(decision->verdict, "allow") == 0;
	cleanup_free char *detail =
	    xasprintf("%s %s of %s, rule %" PRId64 "%s%s", decision->id, decision->verdict,
		decision->plan_id, decision->rule_index, decision->approval_id != NULL ? ", " : "",
		decision->approval_id != NULL ? decision->approval_id : "");
	struct ledger_record record = LEDGER_RECORD_INIT;

	record.kind = LEDGER_DECISION;
	record.caller = decision->actor.type;
	record.surface = decision->surface;
	record.tool = decision->tool;
	record.code = is_allow ? NULL : decision->code;
	record.detail = detail;
	return records_append(records, &record, NULL, err);
}

int records_decision_add(struct records *records, struct plan_decision *decision, struct err *err)
{
	record_id_new(RECORD_DECISION, decision->id);
	decision->decided_us = clock_wall_us();
	if (insert(records, decision, err) < 0)
		return -1;
	return append(records, decision, err);
}

int records_decide(struct records *records, struct plan_decision *decision, struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;

	if (records_txn_begin(records, &txn, err) < 0 ||
	    records_decision_add(records, decision, err) < 0)
		return -1;
	return sql_commit(&txn, err);
}
