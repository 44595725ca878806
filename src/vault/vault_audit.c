/* SPDX-License-Identifier: MIT */
/*
 * operation_audit_events: one chain for each organization, so that not even the numbers of its rows
 * tell of another one. Each row's hash covers all its columns and the hash before it.
 */
#include "vault/vault_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

#define TARGET_MAX 512

static const char SQL_TIP[] = "SELECT sequence, hash FROM operation_audit_events WHERE org = ?1"
			      " ORDER BY sequence DESC LIMIT 1";
static const char SQL_APPEND[] =
    "INSERT INTO operation_audit_events (org, sequence, time_us, principal, token, caller,"
    " operation, target, entry, before, after, detail, correlation, result, previous, hash)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";

#define EVENT_COLUMNS                                                                              \
	"sequence, time_us, principal, token, caller, operation, target, entry, before, after,"    \
	" detail, correlation, result, previous, hash,"                                            \
	" (SELECT name FROM principal WHERE principal.id = event.principal)"
#define EVENT_FILTER                                                                               \
	" FROM operation_audit_events AS event WHERE org = ?1 AND sequence > ?2"                   \
	" AND (?3 IS NULL OR principal = ?3) AND (?4 IS NULL OR entry = ?4)"                       \
	" AND (?5 IS NULL OR operation = ?5) AND (?6 IS NULL OR result = ?6)"                      \
	" AND (?7 IS NULL OR correlation = ?7)"
static const char SQL_EACH[] = "SELECT " EVENT_COLUMNS EVENT_FILTER " ORDER BY sequence LIMIT ?8";
static const char SQL_EACH_NEWEST[] =
    "SELECT " EVENT_COLUMNS EVENT_FILTER " ORDER BY sequence DESC LIMIT ?8";

/* ---- hashing ---- */

static const char ROW_DOMAIN[] = "stile-vault-operation-1;";

void chain_add_text(struct digest_state *state, const char *text)
{
	uint64_t len = text == NULL ? UINT64_MAX : strlen(text);
	uint8_t head[8];

	for (int i = 0; i < 8; i++)
		head[i] = (uint8_t)(len >> (56 - 8 * i));
	digest_add(state, head, sizeof(head));
	if (text != NULL)
		digest_add(state, text, strlen(text));
}

void chain_add_int(struct digest_state *state, int64_t value)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRId64, value);
	chain_add_text(state, text);
}

/* The columns in this order, as docs/vault.md says. */
static struct digest hash_of(const char *org, const struct vault_event *event)
{
	struct digest_state state;

	digest_begin(&state);
	digest_add(&state, ROW_DOMAIN, strlen(ROW_DOMAIN));
	chain_add_text(&state, org);
	chain_add_int(&state, event->sequence);
	chain_add_int(&state, event->time_us);
	chain_add_text(&state, event->principal);
	chain_add_text(&state, event->token);
	chain_add_text(&state, event->caller);
	chain_add_text(&state, event->operation);
	chain_add_text(&state, event->target);
	chain_add_text(&state, event->entry);
	chain_add_text(&state, event->before);
	chain_add_text(&state, event->after);
	chain_add_text(&state, event->detail);
	chain_add_text(&state, event->correlation);
	chain_add_text(&state, event->result);
	digest_add(&state, event->previous.bytes, DIGEST_SIZE);
	return digest_end(&state);
}

/* ---- appending ---- */

static int read_tip(struct vault *vault, struct vault_event *event, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	int got = store_row(vault, SQL_TIP, BINDS(B_TEXT(vault->org)), &stmt, err);

	event->sequence = 1;
	if (got <= 0)
		return got;
	event->sequence = sql_column_int(stmt, 0) + 1;
	return store_digest(stmt, 1, &event->previous, err);
}

const char *or_null(const char *text)
{
	return text == NULL || text[0] == '\0' ? NULL : text;
}

char *audit_text(const char *text)
{
	cleanup_buf struct buf line = BUF_INIT;

	if (text == NULL)
		return NULL;
	text_add_visible(&line, text, strnlen(text, TARGET_MAX));
	buf_truncate(&line, text_cut(line.data, line.len, TARGET_MAX));
	return buf_detach(&line);
}

static int insert(struct vault *vault, const struct vault_event *event, struct err *err)
{
	return store_run(vault, SQL_APPEND,
	    BINDS(B_TEXT(vault->org), B_INT(event->sequence), B_INT(event->time_us),
		B_TEXT(event->principal), B_TEXT(event->token), B_TEXT(event->caller),
		B_TEXT(event->operation), B_TEXT(event->target), B_TEXT(event->entry),
		B_TEXT(event->before), B_TEXT(event->after), B_TEXT(event->detail),
		B_TEXT(event->correlation), B_TEXT(event->result), B_DIGEST(&event->previous),
		B_DIGEST(&event->hash)),
	    err);
}

/* With what the operation is part of, so that rows that belong together say so; owned. */
static char *detail_of(const struct vault *vault, const struct op *op)
{
	if (vault->batch.sql == NULL)
		return xstrdup(op->detail);
	return xasprintf("%s%spart of %s", op->detail != NULL ? op->detail : "",
	    op->detail != NULL ? "; " : "", vault->batch_name);
}

int audit_append(struct vault *vault, const struct op *op, const char *result, struct err *err)
{
	cleanup_free char *detail = detail_of(vault, op);
	cleanup_free char *target = audit_text(op->target);
	struct vault_event event = {
		.time_us = clock_wall_us(),
		.principal = vault->principal,
		.token = or_null(vault->token),
		.caller = vault->caller,
		.operation = op->name,
		.target = target,
		.entry = or_null(op->entry),
		.before = op->before,
		.after = op->after,
		.detail = detail,
		.correlation = vault->correlation,
		.result = result,
	};

	if (read_tip(vault, &event, err) < 0)
		return -1;
	event.hash = hash_of(vault->org, &event);
	return insert(vault, &event, err);
}

/* ---- reading ---- */

/* Texts are borrowed from the statement's row. */
static int read_event(struct sql_stmt *stmt, struct vault_event *ret, struct err *err)
{
	*ret = (struct vault_event){
		.sequence = sql_column_int(stmt, 0),
		.time_us = sql_column_int(stmt, 1),
		.principal = sql_column_text(stmt, 2),
		.token = sql_column_text(stmt, 3),
		.caller = sql_column_text(stmt, 4),
		.operation = sql_column_text(stmt, 5),
		.target = sql_column_text(stmt, 6),
		.entry = sql_column_text(stmt, 7),
		.before = sql_column_text(stmt, 8),
		.after = sql_column_text(stmt, 9),
		.detail = sql_column_text(stmt, 10),
		.correlation = sql_column_text(stmt, 11),
		.result = sql_column_text(stmt, 12),
		.principal_name = sql_column_text(stmt, 15),
	};
	if (store_digest(stmt, 13, &ret->previous, err) < 0)
		return -1;
	return store_digest(stmt, 14, &ret->hash, err);
}

static int each(struct vault *vault, const struct vault_event_filter *filter, const char *principal,
    const char *entry, vault_event_fn fn, void *ctx, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(vault, filter->newest_first ? SQL_EACH_NEWEST : SQL_EACH,
		BINDS(B_TEXT(vault->org), B_INT(filter->after), B_TEXT(principal), B_TEXT(entry),
		    B_TEXT(filter->operation), B_TEXT(filter->result), B_TEXT(filter->correlation),
		    B_INT(filter->limit > 0 ? filter->limit : -1)),
		err);
	struct vault_event event;
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		if (read_event(stmt, &event, err) < 0 || fn(ctx, &event, err) < 0)
			got = -1;
	}
	return got;
}

/* An entry may be purged by now: an id is taken as it is. */
static int entry_of(
    struct vault *vault, const char *ref, char ret_id[ID_TEXT_SIZE], struct err *err)
{
	struct op ignored = OP_READ("audit list", ref);
	cleanup_found struct found found = { 0 };

	if (ref[0] != '/' && strlen(ref) < ID_TEXT_SIZE) {
		memcpy(ret_id, ref, strlen(ref) + 1);
		return 0;
	}
	if (resolve(vault, &ignored, ref, VAULT_WANT_ANY, FOUND_EITHER, VAULT_READ, &found, err) <
	    0)
		return -1;
	memcpy(ret_id, found.id, sizeof(found.id));
	return 0;
}

int audit_filter(struct vault *vault, const struct vault_event_filter *filter,
    struct audit_filter *ret, struct err *err)
{
	struct vault_principal principal = { 0 };

	*ret = (struct audit_filter){ 0 };
	if (must_manage_root(vault, err) < 0 ||
	    (filter->entry != NULL && entry_of(vault, filter->entry, ret->entry, err) < 0))
		return -1;
	if (filter->principal == NULL)
		return 0;
	if (principal_find(vault, filter->principal, &principal, err) < 0)
		return -1;
	(void)snprintf(ret->principal, sizeof(ret->principal), "%s", principal.id);
	vault_principal_release(&principal);
	return 0;
}

static int each_checked(struct vault *vault, struct op *op, const struct vault_event_filter *filter,
    vault_event_fn fn, void *ctx, struct err *err)
{
	struct audit_filter ids;

	if (audit_filter(vault, filter, &ids, err) < 0 || op_note(vault, op, err) < 0)
		return -1;
	return each(vault, filter, or_null(ids.principal), or_null(ids.entry), fn, ctx, err);
}

int vault_event_each(struct vault *vault, const struct vault_event_filter *filter,
    vault_event_fn fn, void *ctx, struct err *err)
{
	struct op op = OP_READ("audit list", NULL);
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = each_checked(vault, &op, filter, fn, ctx, err);
	return op_end(vault, &op, result, err);
}

/* ---- verifying ---- */

struct verify {
	const char *org;
	struct vault_audit_report report;
};

int audit_fault(const char *name, int64_t sequence, const char *what, struct err *err)
{
	return err_set(err, ERR_CHECK_FAILED, "%s row %" PRId64 " %s", name, sequence, what);
}

static int fault(const struct vault_event *event, const char *what, struct err *err)
{
	return audit_fault("audit", event->sequence, what, err);
}

static int verify_row(void *ctx, const struct vault_event *event, struct err *err)
{
	struct verify *verify = ctx;
	struct digest own = hash_of(verify->org, event);

	if (event->sequence != verify->report.rows + 1)
		return fault(event, "does not follow the row before it: rows are missing", err);
	if (!digest_equal(&own, &event->hash))
		return fault(event, "was changed: its hash is not that of its content", err);
	if (!digest_equal(&event->previous, &verify->report.hash))
		return fault(event, "does not continue the row before it", err);
	verify->report.rows = event->sequence;
	verify->report.hash = event->hash;
	return 0;
}

int vault_audit_verify(struct vault *vault, struct vault_audit_report *ret, struct err *err)
{
	const struct vault_event_filter all = { 0 };
	struct verify verify = { .org = vault->org };
	struct op op = OP_READ("audit verify", NULL);
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = must_manage_root(vault, err);
	if (result == 0)
		result = each(vault, &all, NULL, NULL, verify_row, &verify, err);
	if (result == 0)
		result = scope_verify(vault, &verify.report, err);
	result = op_end(vault, &op, result, err);
	if (result == 0)
		*ret = verify.report;
	return result;
}
