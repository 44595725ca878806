/* SPDX-License-Identifier: MIT */
/*
 * mcp_scope_audit_events: the decisions that servers work by, one chain for each organization. A
 * decision that is the caller's last one leaves no row.
 */
#include "vault/vault_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static const char SQL_TIP[] = "SELECT sequence, hash FROM mcp_scope_audit_events WHERE org = ?1"
			      " ORDER BY sequence DESC LIMIT 1";
static const char SQL_APPEND[] =
    "INSERT INTO mcp_scope_audit_events (org, sequence, id, time_us, principal, token, caller,"
    " asked_workspace, asked_stage, workspace, stage, contract, contract_version, contract_number,"
    " rank, visible, hidden, result, reason, correlation, previous, hash) VALUES (?1, ?2, ?3, ?4,"
    " ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)";
/* The row that the caller means by since, and whether the decision in it is the present one. */
static const char SQL_SINCE[] =
    "SELECT workspace IS ?6 AND stage IS ?7 AND contract IS ?8 AND contract_version IS ?9"
    " AND rank = ?10 AND visible = ?11 AND hidden = ?12 AND reason IS ?13"
    " FROM mcp_scope_audit_events WHERE id = ?1 AND org = ?2 AND principal = ?3"
    " AND asked_workspace = ?4 AND asked_stage IS ?5";

#define EVENT_COLUMNS                                                                              \
	"sequence, id, time_us, principal, token, caller, asked_workspace, asked_stage, "          \
	"workspace,"                                                                               \
	" stage, contract, contract_version, contract_number, rank, visible, hidden, result,"      \
	" reason, correlation, previous, hash,"                                                    \
	" (SELECT name FROM principal WHERE principal.id = event.principal)"
#define EVENT_FILTER                                                                               \
	" FROM mcp_scope_audit_events AS event WHERE org = ?1 AND sequence > ?2"                   \
	" AND (?3 IS NULL OR principal = ?3)"                                                      \
	" AND (?4 IS NULL OR workspace = ?4 OR stage = ?4 OR contract = ?4)"                       \
	" AND (?5 IS NULL OR result = ?5) AND (?6 IS NULL OR correlation = ?6)"
static const char SQL_EACH[] = "SELECT " EVENT_COLUMNS EVENT_FILTER " ORDER BY sequence LIMIT ?7";
static const char SQL_EACH_NEWEST[] =
    "SELECT " EVENT_COLUMNS EVENT_FILTER " ORDER BY sequence DESC LIMIT ?7";

/* ---- hashing ---- */

static const char ROW_DOMAIN[] = "stile-vault-scope-1;";

/* The columns in this order, as docs/vault.md says. */
static struct digest hash_of(const char *org, const struct vault_scope_event *event)
{
	struct digest_state state;

	digest_begin(&state);
	digest_add(&state, ROW_DOMAIN, strlen(ROW_DOMAIN));
	chain_add_text(&state, org);
	chain_add_int(&state, event->sequence);
	chain_add_text(&state, event->id);
	chain_add_int(&state, event->time_us);
	chain_add_text(&state, event->principal);
	chain_add_text(&state, event->token);
	chain_add_text(&state, event->caller);
	chain_add_text(&state, event->asked_workspace);
	chain_add_text(&state, event->asked_stage);
	chain_add_text(&state, event->workspace);
	chain_add_text(&state, event->stage);
	chain_add_text(&state, event->contract);
	chain_add_text(&state, event->contract_version);
	chain_add_int(&state, event->contract_number);
	chain_add_text(&state, event->rank);
	chain_add_text(&state, event->visible);
	chain_add_int(&state, event->hidden);
	chain_add_text(&state, event->result);
	chain_add_text(&state, event->reason);
	chain_add_text(&state, event->correlation);
	digest_add(&state, event->previous.bytes, DIGEST_SIZE);
	return digest_end(&state);
}

/* ---- recording ---- */

/* The texts of a row that are made for it. */
struct row_texts {
	char *workspace, *stage; /* as they were asked for */
	char *visible;
	char *reason;
};

static void row_texts_release(struct row_texts *texts)
{
	free(texts->workspace);
	free(texts->stage);
	free(texts->visible);
	free(texts->reason);
}
#define cleanup_row_texts __attribute__((cleanup(row_texts_release)))

/* Names with a space between: none has one. */
static char *join(const struct strvec *names)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < names->len; i++)
		buf_addf(&text, "%s%s", i > 0 ? " " : "", names->items[i]);
	return buf_detach(&text);
}

static struct vault_scope_event event_of(const struct vault *vault, const struct vault_scope *scope,
    const struct vault_scope_decision *decision, const struct row_texts *texts)
{
	return (struct vault_scope_event){
		.principal = vault->principal,
		.token = or_null(vault->token),
		.caller = vault->caller,
		.asked_workspace = texts->workspace,
		.asked_stage = texts->stage,
		.workspace = scope->workspace,
		.stage = scope->stage,
		.contract = scope->contract,
		.contract_version = scope->contract_version,
		.contract_number = scope->contract_number,
		.rank = vault_rank_name(scope->rank),
		.visible = texts->visible,
		.hidden = decision->hidden,
		.reason = texts->reason,
		.correlation = vault->correlation,
	};
}

/* 1: since is a row of the same principal and question; *ret_is_same: and of the same decision. */
static int look_at_since(struct vault *vault, const char *since,
    const struct vault_scope_event *event, bool *ret_is_same, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	int got;

	if (since == NULL)
		return 0;
	got = store_row(vault, SQL_SINCE,
	    BINDS(B_TEXT(since), B_TEXT(vault->org), B_TEXT(event->principal),
		B_TEXT(event->asked_workspace), B_TEXT(event->asked_stage),
		B_TEXT(event->workspace), B_TEXT(event->stage), B_TEXT(event->contract),
		B_TEXT(event->contract_version), B_TEXT(event->rank), B_TEXT(event->visible),
		B_INT(event->hidden), B_TEXT(event->reason)),
	    &stmt, err);
	if (got == 1)
		*ret_is_same = sql_column_int(stmt, 0) != 0;
	return got;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Within the transaction: what was decided must be so now. */
static int check_still(struct vault *vault, const struct vault_scope_ask *ask,
    const struct vault_scope *scope, struct err *err)
{
	struct vault_scope now = VAULT_SCOPE_INIT;
	bool is_same;

	if (vault_scope(vault, ask, &now, err) < 0)
		return -1;
	is_same = is_same_text(now.workspace, scope->workspace) &&
		  is_same_text(now.stage, scope->stage) && now.rank == scope->rank &&
		  is_same_text(now.contract_version, scope->contract_version) &&
		  is_same_text(now.reason, scope->reason);
	vault_scope_release(&now);
	if (is_same)
		return 0;
	err_set(err, ERR_CONFLICT, "the stage, its contract or the rank has just changed");
	err->retryable = true;
	return -1;
}

static int read_tip(struct vault *vault, struct vault_scope_event *event, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	int got = store_row(vault, SQL_TIP, BINDS(B_TEXT(vault->org)), &stmt, err);

	event->sequence = 1;
	if (got <= 0)
		return got;
	event->sequence = sql_column_int(stmt, 0) + 1;
	return store_digest(stmt, 1, &event->previous, err);
}

static int insert(struct vault *vault, const struct vault_scope_event *event, struct err *err)
{
	return store_run(vault, SQL_APPEND,
	    BINDS(B_TEXT(vault->org), B_INT(event->sequence), B_TEXT(event->id),
		B_INT(event->time_us), B_TEXT(event->principal), B_TEXT(event->token),
		B_TEXT(event->caller), B_TEXT(event->asked_workspace), B_TEXT(event->asked_stage),
		B_TEXT(event->workspace), B_TEXT(event->stage), B_TEXT(event->contract),
		B_TEXT(event->contract_version), B_INT(event->contract_number), B_TEXT(event->rank),
		B_TEXT(event->visible), B_INT(event->hidden), B_TEXT(event->result),
		B_TEXT(event->reason), B_TEXT(event->correlation), B_DIGEST(&event->previous),
		B_DIGEST(&event->hash)),
	    err);
}

/* Chains the event on, if the decision in it still is so. */
static int append(struct vault *vault, const struct vault_scope_ask *ask,
    const struct vault_scope *scope, struct vault_scope_event *event, struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;

	if (sql_begin(vault->sql, &txn, err) < 0 || check_still(vault, ask, scope, err) < 0 ||
	    read_tip(vault, event, err) < 0)
		return -1;
	event->hash = hash_of(vault->org, event);
	if (insert(vault, event, err) < 0 || token_note_used(vault, err) < 0)
		return -1;
	return sql_commit(&txn, err);
}

static const char *result_of(const struct vault_scope_decision *decision, bool has_since)
{
	if (decision->reason != NULL)
		return "denied";
	return has_since ? "changed" : "initial";
}

int vault_scope_record(struct vault *vault, const struct vault_scope_ask *ask,
    const struct vault_scope *scope, const struct vault_scope_decision *decision,
    struct vault_scope_recorded *ret, struct err *err)
{
	cleanup_row_texts struct row_texts texts = {
		.workspace = audit_text(ask->workspace),
		.stage = audit_text(ask->stage),
		.visible = join(decision->visible),
		.reason = audit_text(decision->reason),
	};
	struct vault_scope_event event = event_of(vault, scope, decision, &texts);
	bool is_same = false;
	int has_since = look_at_since(vault, decision->since, &event, &is_same, err);

	if (has_since < 0)
		return -1;
	if (is_same) {
		*ret = (struct vault_scope_recorded){ .id = "" };
		return 0;
	}
	*ret = (struct vault_scope_recorded){ .result = result_of(decision, has_since == 1) };
	id_new_sortable("sca_", ret->id);
	event.id = ret->id;
	event.time_us = clock_wall_us();
	event.result = ret->result;
	return append(vault, ask, scope, &event, err);
}

/* ---- reading ---- */

/* Texts are borrowed from the statement's row. */
static int read_event(struct sql_stmt *stmt, struct vault_scope_event *ret, struct err *err)
{
	*ret = (struct vault_scope_event){
		.sequence = sql_column_int(stmt, 0),
		.id = sql_column_text(stmt, 1),
		.time_us = sql_column_int(stmt, 2),
		.principal = sql_column_text(stmt, 3),
		.token = sql_column_text(stmt, 4),
		.caller = sql_column_text(stmt, 5),
		.asked_workspace = sql_column_text(stmt, 6),
		.asked_stage = sql_column_text(stmt, 7),
		.workspace = sql_column_text(stmt, 8),
		.stage = sql_column_text(stmt, 9),
		.contract = sql_column_text(stmt, 10),
		.contract_version = sql_column_text(stmt, 11),
		.contract_number = sql_column_int(stmt, 12),
		.rank = sql_column_text(stmt, 13),
		.visible = sql_column_text(stmt, 14),
		.hidden = sql_column_int(stmt, 15),
		.result = sql_column_text(stmt, 16),
		.reason = sql_column_text(stmt, 17),
		.correlation = sql_column_text(stmt, 18),
		.principal_name = sql_column_text(stmt, 21),
	};
	if (store_digest(stmt, 19, &ret->previous, err) < 0)
		return -1;
	return store_digest(stmt, 20, &ret->hash, err);
}

static int each(struct vault *vault, const struct vault_event_filter *filter,
    const struct audit_filter *ids, vault_scope_event_fn fn, void *ctx, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(vault, filter->newest_first ? SQL_EACH_NEWEST : SQL_EACH,
		BINDS(B_TEXT(vault->org), B_INT(filter->after), B_TEXT(or_null(ids->principal)),
		    B_TEXT(or_null(ids->entry)), B_TEXT(filter->result),
		    B_TEXT(filter->correlation), B_INT(filter->limit > 0 ? filter->limit : -1)),
		err);
	struct vault_scope_event event;
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		if (read_event(stmt, &event, err) < 0 || fn(ctx, &event, err) < 0)
			got = -1;
	}
	return got;
}

int vault_scope_event_each(struct vault *vault, const struct vault_event_filter *filter,
    vault_scope_event_fn fn, void *ctx, struct err *err)
{
	struct op op = OP_READ("audit list", NULL);
	struct audit_filter ids;
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = audit_filter(vault, filter, &ids, err);
	if (result == 0)
		result = op_note(vault, &op, err);
	if (result == 0)
		result = each(vault, filter, &ids, fn, ctx, err);
	return op_end(vault, &op, result, err);
}

/* ---- verifying ---- */

struct verify {
	const char *org;
	struct vault_audit_report *report;
};

static int fault(const struct vault_scope_event *event, const char *what, struct err *err)
{
	return audit_fault("scope audit", event->sequence, what, err);
}

static int verify_row(void *ctx, const struct vault_scope_event *event, struct err *err)
{
	const struct verify *verify = ctx;
	struct digest own = hash_of(verify->org, event);

	if (event->sequence != verify->report->scope_rows + 1)
		return fault(event, "does not follow the row before it: rows are missing", err);
	if (!digest_equal(&own, &event->hash))
		return fault(event, "was changed: its hash is not that of its content", err);
	if (!digest_equal(&event->previous, &verify->report->scope_hash))
		return fault(event, "does not continue the row before it", err);
	verify->report->scope_rows = event->sequence;
	verify->report->scope_hash = event->hash;
	return 0;
}

int scope_verify(struct vault *vault, struct vault_audit_report *report, struct err *err)
{
	const struct vault_event_filter all = { 0 };
	const struct audit_filter nobody = { 0 };
	struct verify verify = { .org = vault->org, .report = report };

	return each(vault, &all, &nobody, verify_row, &verify, err);
}
