/* SPDX-License-Identifier: MIT */
/* Approvals and their revocations: rows that nobody changes, and a hash that tells if somebody did. */
#include "ledger/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ledger/ledger_internal.h"

static const char SQL_INSERT[] =
    "INSERT INTO approval (id, plan_id, plan_hash, surface, tool, target, approver_type,"
    " approver_provenance, approved_us, expires_us, hash)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
static const char SQL_STANDING[] =
    "SELECT id, plan_id, plan_hash, surface, tool, target, approver_type, approver_provenance,"
    " approved_us, expires_us, hash FROM approval WHERE plan_id = ?1"
    " AND id NOT IN (SELECT approval_id FROM revocation)";
static const char SQL_REVOKE[] =
    "INSERT INTO revocation (approval_id, revoker_type, revoker_provenance, revoked_us)"
    " SELECT id, ?2, ?3, ?4 FROM approval WHERE plan_id = ?1"
    " AND id NOT IN (SELECT approval_id FROM revocation) RETURNING approval_id";
static const char SQL_PLAN_STATUS[] = "SELECT status FROM plan WHERE id = ?1";

static const char APPROVAL_DOMAIN[] = "stile-approval-v1;";

void approval_release(struct approval *approval)
{
	free(approval->surface);
	free(approval->tool);
	free(approval->target);
	free(approval->approver_type);
	free(approval->approver_provenance);
	*approval = APPROVAL_INIT;
}

/* Over all that it means: not over what people are told beside it (who the approver says to be, and
 * since when). */
static struct digest approval_hash(const struct approval *approval)
{
	cleanup_buf struct buf form = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&form);

	buf_adds(&form, APPROVAL_DOMAIN);
	json_write_object_begin(&w);
	json_write_member_string(&w, "plan_id", approval->plan_id);
	record_write_digest(&w, "plan_hash", &approval->plan_hash);
	json_write_member_string(&w, "surface", approval->surface);
	json_write_member_string(&w, "tool", approval->tool);
	json_write_member_string(&w, "target", approval->target);
	json_write_member_string(&w, "approver_type", approval->approver_type);
	json_write_member_int(&w, "expires_us", approval->expires_us);
	json_write_object_end(&w);
	return digest_of(form.data, form.len);
}

void approval_write(const struct approval *approval, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_string(w, "approval_id", approval->id);
	json_write_member_string(w, "plan_id", approval->plan_id);
	record_write_digest(w, "plan_hash", &approval->plan_hash);
	json_write_member_string(w, "surface", approval->surface);
	json_write_member_string(w, "action", approval->tool);
	json_write_member_string(w, "target", approval->target);
	json_write_member_string(w, "decision", "approved");
	json_write_member_string(w, "approver_type", approval->approver_type);
	json_write_member_bool(w, "approver_authenticated", false);
	json_write_member_string(w, "approver_source", "terminal");
	record_write_text(w, "approver_provenance", approval->approver_provenance);
	record_write_time(w, "approved_at", approval->approved_us);
	record_write_time(w, "expires_at", approval->expires_us);
	json_write_object_end(w);
}

/* ---- the chain ---- */

static int append(struct records *records, const char *caller, const char *surface,
    const char *tool, char *detail, struct err *err)
{
	cleanup_free char *owned = detail;
	struct ledger_record record = LEDGER_RECORD_INIT;

	record.kind = LEDGER_CONSENT;
	record.caller = caller;
	record.surface = surface;
	record.tool = tool;
	record.detail = owned;
	return records_append(records, &record, NULL, err);
}

/* ---- approving ---- */

static int insert(struct records *records, const struct approval *approval, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_INSERT, err);
	struct digest hash = approval_hash(approval);

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, approval->id);
	sql_bind_text(stmt, 2, approval->plan_id);
	sql_bind_blob(stmt, 3, approval->plan_hash.bytes, DIGEST_SIZE);
	sql_bind_text(stmt, 4, approval->surface);
	sql_bind_text(stmt, 5, approval->tool);
	sql_bind_text(stmt, 6, approval->target);
	sql_bind_text(stmt, 7, approval->approver_type);
	sql_bind_text(stmt, 8, approval->approver_provenance);
	sql_bind_int(stmt, 9, approval->approved_us);
	sql_bind_int(stmt, 10, approval->expires_us);
	sql_bind_blob(stmt, 11, hash.bytes, DIGEST_SIZE);
	return sql_run(stmt, err);
}

/* An approval that could never serve is refused, not stored. */
static int check_open(struct records *records, const struct plan *plan, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_PLAN_STATUS, err);
	int got;

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, plan->id);
	got = sql_step(stmt, err);
	if (got < 0)
		return -1;
	if (got == 0)
		return err_set(err, ERR_NOT_FOUND, "there is no plan %s any more", plan->id);
	if (strcmp(sql_column_text(stmt, 0), plan_status_name(PLAN_CREATED)) != 0)
		return err_set(
		    err, ERR_CONFLICT, "plan %s is %s already", plan->id, sql_column_text(stmt, 0));
	if (plan_has_expired(plan))
		return err_set(
		    err, ERR_PLAN_STALE, "plan %s has expired; make a new one", plan->id);
	return 0;
}

/* 1: there is one, whatever state it is in. */
static int has_standing(struct records *records, const char *plan_id, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_STANDING, err);

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, plan_id);
	return sql_step(stmt, err);
}

static void make_approval(const struct records *records, const struct plan *plan,
    const struct actor *approver, struct approval *approval)
{
	record_id_new(RECORD_APPROVAL, approval->id);
	memcpy(approval->plan_id, plan->id, sizeof(approval->plan_id));
	approval->plan_hash = plan->hash;
	approval->surface = xstrdup(plan->facts.surface);
	approval->tool = xstrdup(plan->facts.tool);
	approval->target = xstrdup(plan->facts.target);
	approval->approver_type = xstrdup(approver->type);
	approval->approver_provenance = records_masked(records, approver->provenance);
	approval->approved_us = clock_wall_us();
	approval->expires_us = plan->expires_us;
}

int records_approve(struct records *records, const struct plan *plan, const struct actor *approver,
    struct approval *ret_approval, struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;
	cleanup_approval struct approval approval = APPROVAL_INIT;
	int standing;

	make_approval(records, plan, approver, &approval);
	if (records_txn_begin(records, &txn, err) < 0 || check_open(records, plan, err) < 0)
		return -1;
	standing = has_standing(records, plan->id, err);
	if (standing < 0)
		return -1;
	if (standing == 1)
		return err_set(err, ERR_ALREADY_EXISTS, "plan %s is approved already", plan->id);
	if (insert(records, &approval, err) < 0 ||
	    append(records, approver->type, approval.surface, approval.tool,
		xasprintf("%s approves %s", approval.id, approval.plan_id), err) < 0 ||
	    sql_commit(&txn, err) < 0)
		return -1;
	approval_release(ret_approval);
	*ret_approval = approval;
	approval = APPROVAL_INIT;
	return 0;
}

int records_decline(
    struct records *records, const struct plan *plan, const struct actor *person, struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;
	cleanup_free char *detail = xasprintf("approval of %s declined", plan->id);
	struct ledger_record record = LEDGER_RECORD_INIT;

	record.kind = LEDGER_REFUSAL;
	record.caller = person->type;
	record.surface = plan->facts.surface;
	record.tool = plan->facts.tool;
	record.code = err_info(ERR_WRITE_DECLINED)->wire;
	record.detail = detail;
	if (records_txn_begin(records, &txn, err) < 0 ||
	    records_append(records, &record, NULL, err) < 0)
		return -1;
	return sql_commit(&txn, err);
}

/* ---- finding ---- */

static int invalid(struct err *err, const char *plan_id)
{
	return err_set(err, ERR_APPROVAL_INVALID,
	    "the approval of plan %s was edited; a person must revoke it and approve again",
	    plan_id);
}

static int read_approval(
    struct sql_stmt *stmt, const char *plan_id, struct approval *approval, struct err *err)
{
	const char *id = sql_column_text(stmt, 0);
	struct digest stored;
	struct digest hash;

	if (!record_is_id(RECORD_APPROVAL, id) || !record_column_digest(stmt, 10, &stored) ||
	    !record_column_digest(stmt, 2, &approval->plan_hash))
		return invalid(err, plan_id);
	memcpy(approval->id, id, strlen(id) + 1);
	memcpy(approval->plan_id, plan_id, strlen(plan_id) + 1);
	approval->surface = record_column(stmt, 3);
	approval->tool = record_column(stmt, 4);
	approval->target = record_column(stmt, 5);
	approval->approver_type = record_column(stmt, 6);
	approval->approver_provenance = record_column(stmt, 7);
	approval->approved_us = sql_column_int(stmt, 8);
	approval->expires_us = sql_column_int(stmt, 9);
	hash = approval_hash(approval);
	return digest_equal(&hash, &stored) ? 0 : invalid(err, plan_id);
}

int records_approval_find(
    struct records *records, const char *plan_id, struct approval *ret_approval, struct err *err)
{
	cleanup_approval struct approval approval = APPROVAL_INIT;
	cleanup_stmt struct sql_stmt *stmt = NULL;
	int got;

	if (record_check_id(RECORD_PLAN, plan_id, err) < 0)
		return -1;
	stmt = records_prepare(records, SQL_STANDING, err);
	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, plan_id);
	got = sql_step(stmt, err);
	if (got <= 0)
		return got;
	if (read_approval(stmt, plan_id, &approval, err) < 0)
		return -1;
	/* Only tampering makes two; neither is then what a person said last. */
	got = sql_step(stmt, err);
	if (got != 0)
		return got < 0 ? -1 : invalid(err, plan_id);
	approval_release(ret_approval);
	*ret_approval = approval;
	approval = APPROVAL_INIT;
	return 1;
}

/* ---- revoking ---- */

static int append_revocations(struct records *records, struct sql_stmt *stmt, const char *plan_id,
    const struct actor *revoker, int64_t *ret_count, struct err *err)
{
	cleanup_strvec struct strvec ids = STRVEC_INIT;
	int got;

	while ((got = sql_step(stmt, err)) == 1)
		strvec_push(&ids, sql_column_text(stmt, 0));
	for (size_t i = 0; got == 0 && i < ids.len; i++)
		got = append(records, revoker->type, NULL, NULL,
		    xasprintf("%s of %s revoked", ids.items[i], plan_id), err);
	*ret_count = (int64_t)ids.len;
	return got;
}

int records_revoke(
    struct records *records, const char *plan_id, const struct actor *revoker, struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;
	cleanup_stmt struct sql_stmt *stmt = NULL;
	cleanup_free char *provenance = records_masked(records, revoker->provenance);
	int64_t count = 0;

	if (record_check_id(RECORD_PLAN, plan_id, err) < 0 ||
	    records_txn_begin(records, &txn, err) < 0)
		return -1;
	stmt = records_prepare(records, SQL_REVOKE, err);
	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, plan_id);
	sql_bind_text(stmt, 2, revoker->type);
	sql_bind_text(stmt, 3, provenance);
	sql_bind_int(stmt, 4, clock_wall_us());
	if (append_revocations(records, stmt, plan_id, revoker, &count, err) < 0)
		return -1;
	if (count == 0)
		return err_set(err, ERR_NOT_FOUND, "plan %s has no approval that stands", plan_id);
	return sql_commit(&txn, err);
}
