/* SPDX-License-Identifier: MIT */
/* Plans in the store: made once, checked whenever they are read, listed, retired. */
#include "ledger/ledger.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "ledger/ledger_internal.h"

static const char SQL_INSERT[] =
    "INSERT INTO plan (id, hash, document, surface, created_us, expires_us, status, operation_id)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'created', NULL)";

static const char SQL_LOAD[] =
    "SELECT id, hash, document, surface, created_us, expires_us, status, operation_id FROM plan"
    " WHERE id = ?1";

static const char SQL_FIND[] = "SELECT id FROM plan WHERE hash = ?1 AND status = 'created' AND "
			       "expires_us > ?2 ORDER BY created_us DESC, rowid DESC LIMIT 1";

static const char SQL_LIST[] = "SELECT id FROM plan WHERE ?1 IS NULL OR surface = ?1"
			       " ORDER BY created_us DESC, rowid DESC";

/* Beyond the newest ?1, unless somebody may still need it. The newest plan's time is now. */
static const char SQL_TRIM[] =
    "DELETE FROM plan WHERE id NOT IN"
    "  (SELECT id FROM plan ORDER BY created_us DESC, rowid DESC LIMIT ?1)"
    " AND status <> 'applying'"
    " AND NOT EXISTS (SELECT 1 FROM approval WHERE plan_id = plan.id"
    "  AND plan.status = 'created' AND approval.expires_us > (SELECT max(created_us) FROM plan)"
    "  AND approval.id NOT IN (SELECT approval_id FROM revocation))"
    " AND NOT EXISTS (SELECT 1 FROM session_reference JOIN session ON session.id = session_id"
    "  WHERE kind = 'plan' AND reference = plan.id AND session.status = 'active')";

static const char *const status_names[PLAN_STATUS_COUNT] = {
	[PLAN_CREATED] = "created",
	[PLAN_APPLYING] = "applying",
	[PLAN_APPLIED] = "applied",
	[PLAN_FAILED] = "failed",
	[PLAN_INDETERMINATE] = "indeterminate",
};

const char *plan_status_name(enum plan_status status)
{
	assert((size_t)status < PLAN_STATUS_COUNT);
	return status_names[status];
}

static bool parse_status(const char *name, enum plan_status *ret_status)
{
	for (size_t i = 0; i < PLAN_STATUS_COUNT; i++) {
		if (strcmp(status_names[i], name) == 0) {
			*ret_status = (enum plan_status)i;
			return true;
		}
	}
	return false;
}

void plan_release(struct plan *plan)
{
	strvec_release(&plan->facts.argv);
	plan_store_free(plan->store);
	*plan = PLAN_INIT;
}

bool plan_has_expired(const struct plan *plan)
{
	return clock_wall_us() >= plan->expires_us;
}

/* ---- the stored document ---- */

/* What is known of a plan's row before its document is believed. */
struct plan_row {
	const char *id;
	struct digest hash;
	bool has_hash;
	const char *surface;
	int64_t created_us;
	int64_t expires_us;
	const char *status;
};

static int refuse(struct err *err, enum err_code code, const char *id, const char *why)
{
	return err_set(err, code, "plan %s %s", id, why);
}

static int64_t member_int(const struct json *object, const char *name)
{
	const struct json *node = json_get(object, name);
	int64_t value = -1;

	return json_is(node, JSON_NUMBER) && json_number_int64(node, &value) ? value : -1;
}

/* Of this version, in its own place, unedited; in this order (plan-deploy.md §2.7). */
static int check_document(const struct json *root, const struct plan_row *row,
    enum plan_status *ret_status, struct err *err)
{
	const struct json *facts = json_get(root, "facts");
	struct digest hash;

	if (!json_is(facts, JSON_OBJECT) || !json_is_text(json_get(facts, "schema_version"), "1"))
		return refuse(err, ERR_PLAN_INVALID, row->id, "is of another version");
	if (!json_is_text(json_get(root, "plan_id"), row->id))
		return refuse(err, ERR_PLAN_INVALID, row->id, "holds another plan's document");
	if (!parse_status(row->status, ret_status))
		return refuse(err, ERR_PLAN_INVALID, row->id, "has an unknown status");
	hash = plan_hash_of(facts->raw, facts->raw_len);
	if (!row->has_hash || !digest_equal(&hash, &row->hash))
		return refuse(err, ERR_PLAN_HASH_MISMATCH, row->id, "was edited: its hash differs");
	return 0;
}

/* The rest of the document fits the facts; the facts are exactly what we would write. */
static int check_whole(
    const struct plan *plan, const struct json *root, const struct plan_row *row, struct err *err)
{
	cleanup_buf struct buf canonical = BUF_INIT;
	cleanup_err struct err ignored = ERR_INIT;
	const struct json *facts = json_get(root, "facts");
	uint32_t members = plan->preview != NULL ? 6 : 5;

	if (plan_facts_write(&plan->facts, &canonical, &ignored) < 0 ||
	    canonical.len != facts->raw_len ||
	    memcmp(canonical.data, facts->raw, facts->raw_len) != 0)
		return refuse(err, ERR_PLAN_INVALID, row->id, "has facts in another form");
	if (root->len != members || plan->created_by == NULL ||
	    strcmp(plan->facts.surface, row->surface) != 0 ||
	    member_int(root, "created_at_us") != row->created_us ||
	    member_int(root, "expires_at_us") != row->expires_us ||
	    (uint64_t)row->expires_us !=
		(uint64_t)row->created_us + (uint64_t)plan->facts.expires_ms * 1000)
		return refuse(err, ERR_PLAN_INVALID, row->id, "disagrees with its own document");
	return 0;
}

/* Takes the text. */
static int read_document(
    struct plan *plan, char *text, size_t len, const struct plan_row *row, struct err *err)
{
	cleanup_err struct err cause = ERR_INIT;
	const struct json *root;

	plan->store = xcalloc(1, sizeof(*plan->store));
	if (json_read_take(&plan->store->doc, text, len, &cause) < 0 ||
	    !json_is(json_root(&plan->store->doc), JSON_OBJECT))
		return refuse(err, ERR_PLAN_CORRUPT, row->id, "cannot be read");
	root = json_root(&plan->store->doc);
	if (check_document(root, row, &plan->status, err) < 0)
		return -1;
	if (!plan_facts_read(json_get(root, "facts"), plan->store, &plan->facts))
		return refuse(err, ERR_PLAN_INVALID, row->id, "has members that no plan has");
	plan->created_by = json_text(json_get(root, "created_by"));
	plan->preview = json_text(json_get(root, "preview"));
	return check_whole(plan, root, row, err);
}

/* ---- loading ---- */

static bool fits(
    enum plan_status status, const struct plan *plan, const struct operation *operation)
{
	bool is_interrupted = operation->internal_status != NULL;

	if (strcmp(operation->id, plan->operation) != 0)
		return false;
	switch (status) {
	case PLAN_CREATED:
		return operation->id[0] == '\0';
	case PLAN_APPLYING:
		return operation->id[0] != '\0' && !operation_is_over(operation);
	case PLAN_APPLIED:
		return operation->status == OPERATION_SUCCEEDED;
	case PLAN_FAILED:
		return !is_interrupted && (operation->status == OPERATION_FAILED ||
					      operation->status == OPERATION_CANCELLED);
	case PLAN_INDETERMINATE:
		return is_interrupted && operation->status == OPERATION_FAILED;
	case PLAN_STATUS_COUNT:
		break;
	}
	return false;
}

/* A status is believed only when the operation says the same: one set by hand runs nothing, and
 * hides nothing that ran. */
static int check_operation(struct records *records, const struct plan *plan, struct err *err)
{
	cleanup_operation struct operation operation = OPERATION_INIT;

	if (records_operation_of_plan(records, plan->id, &operation, err) < 0)
		return -1;
	if (!fits(plan->status, plan, &operation))
		return refuse(err, ERR_PLAN_INVALID, plan->id,
		    "has a status that its operation does not confirm");
	return 0;
}

static int read_plan(
    struct records *records, struct sql_stmt *stmt, struct plan *plan, struct err *err)
{
	size_t len = 0;
	const void *document = sql_column_blob(stmt, 2, &len);
	const char *operation = sql_column_text(stmt, 7);
	struct plan_row row = {
		.id = sql_column_text(stmt, 0),
		.surface = sql_column_text(stmt, 3),
		.created_us = sql_column_int(stmt, 4),
		.expires_us = sql_column_int(stmt, 5),
		.status = sql_column_text(stmt, 6),
	};

	row.has_hash = record_column_digest(stmt, 1, &row.hash);
	memcpy(plan->id, row.id, strlen(row.id) + 1);
	plan->hash = row.hash;
	plan->created_us = row.created_us;
	plan->expires_us = row.expires_us;
	if (operation != NULL && strlen(operation) < sizeof(plan->operation))
		memcpy(plan->operation, operation, strlen(operation) + 1);
	if (read_document(plan, xmemdupz(document, len), len, &row, err) < 0)
		return -1;
	return check_operation(records, plan, err);
}

static int load(struct records *records, const char *id, struct plan *ret_plan, struct err *err)
{
	cleanup_plan struct plan plan = PLAN_INIT;
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_LOAD, err);
	int got;

	if (stmt == NULL)
		return -1;
	if (!record_is_id(RECORD_PLAN, id))
		return refuse(err, ERR_PLAN_INVALID, "of a strange id", "is none of ours");
	sql_bind_text(stmt, 1, id);
	got = sql_step(stmt, err);
	if (got == 0)
		return err_set(err, ERR_NOT_FOUND, "there is no plan %s", id);
	if (got < 0 || read_plan(records, stmt, &plan, err) < 0)
		return -1;
	plan_release(ret_plan);
	*ret_plan = plan;
	plan = PLAN_INIT;
	return 0;
}

int records_plan_load(
    struct records *records, const char *id, struct plan *ret_plan, struct err *err)
{
	if (record_check_id(RECORD_PLAN, id, err) < 0 || records_settle(records, err) < 0)
		return -1;
	return load(records, id, ret_plan, err);
}

int records_plan_find(
    struct records *records, const struct digest *hash, struct plan *ret_plan, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_FIND, err);
	cleanup_free char *id = NULL;
	int got;

	if (stmt == NULL)
		return -1;
	sql_bind_blob(stmt, 1, hash->bytes, DIGEST_SIZE);
	sql_bind_int(stmt, 2, clock_wall_us());
	got = sql_step(stmt, err);
	if (got <= 0)
		return got;
	id = record_column(stmt, 0);
	sql_reset(stmt);
	return records_plan_load(records, id, ret_plan, err) < 0 ? -1 : 1;
}

/* ---- listing ---- */

/* That the store cannot be read is none. */
static bool is_damage(const struct err *err)
{
	return err->code == ERR_PLAN_CORRUPT || err->code == ERR_PLAN_INVALID ||
	       err->code == ERR_PLAN_HASH_MISMATCH || err->code == ERR_NOT_FOUND;
}

struct plan_reader {
	plan_fn fn;
	void *ctx;
};

static int show(
    struct records *records, const char *id, void *ctx, bool *ret_is_enough, struct err *err)
{
	const struct plan_reader *reader = ctx;
	cleanup_plan struct plan plan = PLAN_INIT;
	cleanup_err struct err damage = ERR_INIT;
	int status;

	if (load(records, id, &plan, &damage) < 0) {
		if (is_damage(&damage))
			return 0;
		err_move(err, &damage);
		return -1;
	}
	status = reader->fn(reader->ctx, &plan, err);
	*ret_is_enough = status != 0;
	return status < 0 ? -1 : 1;
}

int records_plan_each(struct records *records, const char *surface, int64_t limit, plan_fn fn,
    void *ctx, struct record_list *ret_list, struct err *err)
{
	struct plan_reader reader = { fn, ctx };
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_LIST, err);

	if (stmt == NULL || records_settle(records, err) < 0)
		return -1;
	sql_bind_text(stmt, 1, surface);
	return records_list(records, stmt, limit, show, &reader, ret_list, err);
}

/* ---- adding ---- */

static int write_document(struct plan *plan, const struct plan_facts *facts,
    const struct actor *creator, const char *preview, struct buf *ret_document, struct err *err)
{
	cleanup_buf struct buf json = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(ret_document);

	if (preview != NULL && !text_is_utf8(preview, strlen(preview)))
		return err_set(err, ERR_INVALID_ARGUMENT, "the preview is no UTF-8");
	if (plan_facts_write(facts, &json, err) < 0)
		return -1;
	plan->hash = plan_hash_of(json.data, json.len);
	json_write_object_begin(&w);
	json_write_member_string(&w, "plan_id", plan->id);
	json_write_member_string(&w, "created_by", creator->type);
	json_write_member_int(&w, "created_at_us", plan->created_us);
	json_write_member_int(&w, "expires_at_us", plan->expires_us);
	record_write_text(&w, "preview", preview);
	json_write_key(&w, "facts");
	json_write_raw(&w, json.data, json.len);
	json_write_object_end(&w);
	if (!ret_document->is_full)
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENT, "the plan would have more than %zu bytes",
	    PLAN_DOCUMENT_MAX);
}

static int insert(struct records *records, const struct plan *plan, const char *surface,
    const struct buf *document, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_INSERT, err);

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, plan->id);
	sql_bind_blob(stmt, 2, plan->hash.bytes, DIGEST_SIZE);
	sql_bind_text_len(stmt, 3, document->data, document->len);
	sql_bind_text(stmt, 4, surface);
	sql_bind_int(stmt, 5, plan->created_us);
	sql_bind_int(stmt, 6, plan->expires_us);
	return sql_run(stmt, err);
}

int records_plan_add(struct records *records, const struct plan_facts *facts,
    const struct actor *creator, const char *preview, struct plan *ret_plan, struct err *err)
{
	cleanup_buf struct buf document = BUF_INIT_MAX(PLAN_DOCUMENT_MAX);
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;
	struct plan plan = PLAN_INIT;

	record_id_new(RECORD_PLAN, plan.id);
	plan.created_us = clock_wall_us();
	plan.expires_us = plan.created_us + facts->expires_ms * 1000;
	if (write_document(&plan, facts, creator, preview, &document, err) < 0)
		return -1;
	if (records_txn_begin(records, &txn, err) < 0 ||
	    insert(records, &plan, facts->surface, &document, err) < 0 ||
	    records_trim(records, SQL_TRIM, PLAN_KEEP, err) < 0 || sql_commit(&txn, err) < 0)
		return -1;
	return load(records, plan.id, ret_plan, err);
}

/* ---- JSON ---- */

static void write_brief(const struct plan_facts *facts, struct json_writer *w)
{
	json_write_member_string(w, "surface", facts->surface);
	json_write_member_string(w, "tool", facts->tool);
	json_write_member_string(w, "target", facts->target);
	record_write_text(w, "label", facts->label);
}

void plan_write(
    const struct plan *plan, bool is_brief, const char *applicability, struct json_writer *w)
{
	const struct json *facts = json_get(json_root(&plan->store->doc), "facts");

	json_write_object_begin(w);
	json_write_member_string(w, "plan_id", plan->id);
	record_write_digest(w, "plan_hash", &plan->hash);
	json_write_member_string(w, "status", plan_status_name(plan->status));
	if (plan->operation[0] != '\0')
		json_write_member_string(w, "operation_id", plan->operation);
	json_write_member_string(w, "created_by", plan->created_by);
	record_write_time(w, "created_at", plan->created_us);
	record_write_time(w, "expires_at", plan->expires_us);
	json_write_member_bool(w, "expired", plan_has_expired(plan));
	if (is_brief) {
		write_brief(&plan->facts, w);
	} else {
		record_write_text(w, "preview", plan->preview);
		json_write_key(w, "facts");
		json_write_node(w, facts);
	}
	if (applicability != NULL)
		json_write_member_raw(w, "applicability", applicability);
	json_write_object_end(w);
}
