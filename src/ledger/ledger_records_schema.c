/* SPDX-License-Identifier: MIT */
/*
 * The tables of the records. They are made when records are first opened and not with the chain: a
 * host that plans nothing pays nothing for them, and what appends to the chain need not know them.
 * What a row may never become is refused by triggers, so that no fault of ours can do it.
 */
#include "ledger/ledger_internal.h"

#include <inttypes.h>

/* The records. Columns in the order in which ledger_*.c name them. */
static const char SQL_RECORDS[] =
    "CREATE TABLE records_format (version INTEGER NOT NULL) STRICT;"
    "INSERT INTO records_format VALUES (1);"

    "CREATE TABLE plan ("
    " id TEXT NOT NULL PRIMARY KEY, hash BLOB NOT NULL, document TEXT NOT NULL, surface TEXT NOT "
    "NULL,"
    " created_us INTEGER NOT NULL, expires_us INTEGER NOT NULL,"
    " status TEXT NOT NULL, operation_id TEXT"
    ") STRICT;"
    "CREATE TRIGGER plan_is_not_edited BEFORE UPDATE ON plan"
    " WHEN NEW.id IS NOT OLD.id OR NEW.hash IS NOT OLD.hash"
    " OR NEW.document IS NOT OLD.document OR NEW.surface IS NOT OLD.surface"
    " OR NEW.created_us IS NOT OLD.created_us OR NEW.expires_us IS NOT OLD.expires_us"
    " BEGIN SELECT raise(ABORT, 'a plan does not change'); END;"
    "CREATE TRIGGER plan_goes_forward BEFORE UPDATE ON plan"
    " WHEN NOT (OLD.status = 'created' AND NEW.status = 'applying')"
    " AND NOT (OLD.status = 'applying' AND OLD.operation_id IS NEW.operation_id"
    "  AND NEW.status IN ('applied', 'failed', 'indeterminate'))"
    " BEGIN SELECT raise(ABORT, 'a plan is applied once'); END;"
    "CREATE TRIGGER plan_in_use_stays BEFORE DELETE ON plan WHEN OLD.status = 'applying'"
    " BEGIN SELECT raise(ABORT, 'the plan is being applied'); END;"

    "CREATE TABLE approval ("
    " id TEXT NOT NULL PRIMARY KEY, plan_id TEXT NOT NULL, plan_hash BLOB NOT NULL,"
    " surface TEXT NOT NULL, tool TEXT NOT NULL, target TEXT NOT NULL,"
    " approver_type TEXT NOT NULL, approver_provenance TEXT,"
    " approved_us INTEGER NOT NULL, expires_us INTEGER NOT NULL, hash BLOB NOT NULL"
    ") STRICT;"
    "CREATE INDEX approval_of_plan ON approval (plan_id);"
    "CREATE TABLE revocation ("
    " approval_id TEXT NOT NULL PRIMARY KEY, revoker_type TEXT NOT NULL, revoker_provenance TEXT,"
    " revoked_us INTEGER NOT NULL"
    ") STRICT;"
    "CREATE TRIGGER approval_is_not_updated BEFORE UPDATE ON approval"
    " BEGIN SELECT raise(ABORT, 'an approval does not change'); END;"
    "CREATE TRIGGER approval_is_not_deleted BEFORE DELETE ON approval"
    " BEGIN SELECT raise(ABORT, 'an approval is revoked, not deleted'); END;"
    "CREATE TRIGGER approval_is_one BEFORE INSERT ON approval"
    " WHEN EXISTS (SELECT 1 FROM approval WHERE plan_id = NEW.plan_id"
    "  AND id NOT IN (SELECT approval_id FROM revocation))"
    " BEGIN SELECT raise(ABORT, 'the plan is approved already'); END;"
    "CREATE TRIGGER revocation_is_not_updated BEFORE UPDATE ON revocation"
    " BEGIN SELECT raise(ABORT, 'a revocation does not change'); END;"
    "CREATE TRIGGER revocation_is_not_deleted BEFORE DELETE ON revocation"
    " BEGIN SELECT raise(ABORT, 'a revocation is final'); END;"

    "CREATE TABLE decision ("
    " id TEXT NOT NULL PRIMARY KEY, decided_us INTEGER NOT NULL, actor_type TEXT NOT NULL, "
    "actor_id TEXT,"
    " actor_authenticated INTEGER NOT NULL, actor_provenance TEXT, surface TEXT NOT NULL,"
    " tool TEXT NOT NULL, target TEXT NOT NULL, plan_id TEXT, plan_hash BLOB NOT NULL,"
    " verdict TEXT NOT NULL, code TEXT NOT NULL, reason TEXT, mode TEXT NOT NULL,"
    " rule_index INTEGER NOT NULL, approval_id TEXT"
    ") STRICT;"
    "CREATE TRIGGER decision_is_not_updated BEFORE UPDATE ON decision"
    " BEGIN SELECT raise(ABORT, 'a decision does not change'); END;"
    "CREATE TRIGGER decision_is_not_deleted BEFORE DELETE ON decision"
    " BEGIN SELECT raise(ABORT, 'a decision does not change'); END;"

    "CREATE TABLE operation ("
    " id TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, surface TEXT NOT NULL, tool TEXT NOT NULL,"
    " target TEXT NOT NULL, plan_id TEXT UNIQUE, plan_hash TEXT, decision_id TEXT,"
    " approval_id TEXT, actor_type TEXT NOT NULL, actor_id TEXT,"
    " actor_authenticated INTEGER NOT NULL, actor_provenance TEXT,"
    " owner_pid INTEGER NOT NULL, owner_start INTEGER NOT NULL, owner_boot TEXT NOT NULL,"
    " status TEXT NOT NULL, internal_status TEXT, created_us INTEGER NOT NULL,"
    " started_us INTEGER NOT NULL, updated_us INTEGER NOT NULL, finished_us INTEGER NOT NULL,"
    " progress TEXT, progress_us INTEGER NOT NULL, deployment_id TEXT, result TEXT,"
    " error_code TEXT, error_message TEXT, error_details TEXT, error_exit INTEGER NOT NULL,"
    " error_retryable INTEGER NOT NULL, intent INTEGER NOT NULL"
    ") STRICT;"
    "CREATE INDEX operation_of_deployment ON operation (deployment_id)"
    " WHERE deployment_id IS NOT NULL;"
    "CREATE INDEX operation_under_way ON operation (status)"
    " WHERE status IN ('pending', 'running');"
    "CREATE TRIGGER operation_is_final BEFORE UPDATE ON operation"
    " WHEN OLD.status NOT IN ('pending', 'running') OR NEW.id IS NOT OLD.id"
    " OR NEW.plan_id IS NOT OLD.plan_id OR NEW.plan_hash IS NOT OLD.plan_hash"
    " BEGIN SELECT raise(ABORT, 'an operation that is over does not change'); END;"
    "CREATE TRIGGER operation_under_way_stays BEFORE DELETE ON operation"
    " WHEN OLD.status IN ('pending', 'running')"
    " BEGIN SELECT raise(ABORT, 'the operation is under way'); END;"

    "CREATE TABLE session ("
    " id TEXT NOT NULL PRIMARY KEY, schema_version TEXT NOT NULL, status TEXT NOT NULL, title TEXT,"
    " project TEXT, app TEXT, actor_type TEXT NOT NULL, rev INTEGER NOT NULL,"
    " created_us INTEGER NOT NULL, updated_us INTEGER NOT NULL, step TEXT, note TEXT,"
    " checkpoint_us INTEGER NOT NULL, checkpoint_seq INTEGER NOT NULL, final_result TEXT"
    ") STRICT;"
    "CREATE TABLE session_event ("
    " session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,"
    " seq INTEGER NOT NULL, type TEXT NOT NULL, at_us INTEGER NOT NULL, detail TEXT,"
    " PRIMARY KEY (session_id, seq)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE TABLE session_reference ("
    " session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,"
    " kind TEXT NOT NULL, reference TEXT NOT NULL, place INTEGER NOT NULL,"
    " PRIMARY KEY (session_id, kind, reference)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE TRIGGER session_is_final BEFORE UPDATE ON session WHEN OLD.status <> 'active'"
    " BEGIN SELECT raise(ABORT, 'a session that has ended does not change'); END;"
    "CREATE TRIGGER session_under_way_stays BEFORE DELETE ON session WHEN OLD.status = 'active'"
    " BEGIN SELECT raise(ABORT, 'the session is active'); END;";

#define RECORDS_FORMAT 1

static const char SQL_HAS_FORMAT[] =
    "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'records_format'";
static const char SQL_FORMAT[] = "SELECT version FROM records_format";

/* Whoever comes second finds them made. */
static int make_tables(struct sql *sql, struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;
	int64_t has_format = 0;

	if (sql_begin(sql, &txn, err) < 0 ||
	    sql_query_int(sql, SQL_HAS_FORMAT, &has_format, err) < 0)
		return -1;
	if (has_format != 0)
		return 0;
	return sql_exec(sql, SQL_RECORDS, err) < 0 ? -1 : sql_commit(&txn, err);
}

int records_make_tables(struct sql *sql, struct err *err)
{
	int64_t has_format = 0;
	int64_t format = 0;

	if (sql_query_int(sql, SQL_HAS_FORMAT, &has_format, err) < 0 ||
	    (has_format == 0 && make_tables(sql, err) < 0) ||
	    sql_query_int(sql, SQL_FORMAT, &format, err) < 0)
		return -1;
	if (format != RECORDS_FORMAT)
		return err_set(err, ERR_UNSUPPORTED,
		    "the records have the format %" PRId64 ", which this program does not know; "
		    "update it",
		    format);
	return 0;
}
