/* SPDX-License-Identifier: MIT */
/* What may become of a session: bounds, transitions, revisions, references. */
#include "ledger/ledger.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ledger/ledger_internal.h"

static const char SQL_LIST[] = "SELECT id FROM session WHERE (?1 IS NULL OR status = ?1)"
			       " AND (?2 IS NULL OR app = ?2)"
			       " ORDER BY created_us DESC, rowid DESC";
static const char SQL_TRIM[] =
    "DELETE FROM session WHERE status <> 'active' AND id NOT IN (SELECT id FROM session"
    " WHERE status <> 'active' ORDER BY updated_us DESC, rowid DESC LIMIT ?1)";

/* What is empty was not given. */
static const char *given(const char *text)
{
	return text != NULL && text[0] != '\0' ? text : NULL;
}

static char *trim(const char *text)
{
	const char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	return xmemdupz(text, (size_t)(end - text));
}

static void hand_over(struct session *session, struct session *ret_session)
{
	session_release(ret_session);
	*ret_session = *session;
	*session = SESSION_INIT;
}

/* ---- create ---- */

static int insert_created(struct records *records, const struct session *session, struct err *err)
{
	char type[] = "created";
	struct session_event event = { .type = type, .at_us = session->created_us };

	if (session_insert(records, session, err) < 0)
		return -1;
	return session_insert_event(records, session->id, &event, err);
}

int records_session_create(struct records *records, const struct session_new *what,
    const struct actor *actor, struct session *ret_session, struct err *err)
{
	cleanup_session struct session session = SESSION_INIT;
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;

	if (record_check_text("title", what->title, SESSION_TITLE_MAX, err) < 0 ||
	    record_check_text("project", what->project, SESSION_PROJECT_MAX, err) < 0 ||
	    record_check_text("app", what->app, SESSION_APP_MAX, err) < 0)
		return -1;
	record_id_new(RECORD_SESSION, session.id);
	session.title = records_masked(records, given(what->title));
	session.project = records_masked(records, given(what->project));
	session.app = records_masked(records, given(what->app));
	session.actor_type = xstrdup(actor->type);
	session.rev = 1;
	session.created_us = clock_wall_us();
	if (records_txn_begin(records, &txn, err) < 0 ||
	    insert_created(records, &session, err) < 0 || sql_commit(&txn, err) < 0)
		return -1;
	return session_read(records, session.id, true, ret_session, err);
}

/* ---- references ---- */

/* Whatever is wrong with what is referred to, the reference is the argument at fault. */
static int bad_reference(struct err *err, const char *what, struct err *cause)
{
	return err_set(err, ERR_INVALID_ARGUMENT, "%s: %s", what, cause->message);
}

static int check_plan(struct records *records, const char *id, struct err *err)
{
	cleanup_plan struct plan plan = PLAN_INIT;
	cleanup_err struct err cause = ERR_INIT;

	return records_plan_load(records, id, &plan, &cause) < 0
		   ? bad_reference(err, "the plan", &cause)
		   : 0;
}

static int check_operation(struct records *records, const char *id, struct err *err)
{
	cleanup_operation struct operation operation = OPERATION_INIT;
	cleanup_err struct err cause = ERR_INIT;

	if (record_check_id(RECORD_OPERATION, id, &cause) < 0 ||
	    records_operation_load(records, id, &operation, &cause) < 0)
		return bad_reference(err, "the operation", &cause);
	return 0;
}

static int check_deployment(struct records *records, const char *id, struct err *err)
{
	(void)records;
	if (record_is_deployment(id))
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENT,
	    "a deployment's id is dep- and 1 to 64 digits of 0-9 and a-f");
}

typedef int (*check_fn)(struct records *records, const char *id, struct err *err);

/* The references of one kind, trimmed, each once and good. */
static int take_references(struct records *records, const struct strvec *given_ids, check_fn check,
    struct strvec *ret_ids, struct err *err)
{
	for (size_t i = 0; given_ids != NULL && i < given_ids->len; i++) {
		cleanup_free char *id = trim(given_ids->items[i]);

		if (strvec_contains(ret_ids, id))
			continue;
		if (ret_ids->len >= SESSION_REFERENCES_MAX)
			return err_set(err, ERR_INVALID_ARGUMENT,
			    "more than %zu references of a kind", SESSION_REFERENCES_MAX);
		if (check(records, id, err) < 0)
			return -1;
		strvec_push(ret_ids, id);
	}
	return 0;
}

/* What a change refers to. */
struct links {
	struct strvec plans;
	struct strvec operations;
	struct strvec deployments;
};

static void links_release(struct links *links)
{
	strvec_release(&links->plans);
	strvec_release(&links->operations);
	strvec_release(&links->deployments);
}

static int take_links(struct records *records, const struct session_change *change,
    struct links *links, struct err *err)
{
	if (take_references(records, change->plans, check_plan, &links->plans, err) < 0 ||
	    take_references(records, change->operations, check_operation, &links->operations, err) <
		0)
		return -1;
	return take_references(
	    records, change->deployments, check_deployment, &links->deployments, err);
}

/* Adds what the session does not have yet; names it in detail. */
static int link_kind(struct records *records, const char *session_id, const char *kind,
    const struct strvec *ids, const struct strvec *known, struct buf *linked, struct err *err)
{
	size_t place = known->len;

	for (size_t i = 0; i < ids->len; i++) {
		if (strvec_contains(known, ids->items[i]))
			continue;
		if (place >= SESSION_REFERENCES_MAX)
			return err_set(err, ERR_INVALID_ARGUMENT,
			    "the session refers to %zu %ss already, the most there may be", place,
			    kind);
		if (session_insert_reference(
			records, session_id, kind, ids->items[i], place++, err) < 0)
			return -1;
		buf_addf(linked, "%s%s", linked->len > 0 ? ", " : "linked ", ids->items[i]);
	}
	return 0;
}

static int link_all(struct records *records, const struct session *session,
    const struct links *links, struct buf *linked, struct err *err)
{
	if (link_kind(records, session->id, "plan", &links->plans, &session->plans, linked, err) <
		0 ||
	    link_kind(records, session->id, "operation", &links->operations, &session->operations,
		linked, err) < 0)
		return -1;
	return link_kind(records, session->id, "deployment", &links->deployments,
	    &session->deployments, linked, err);
}

/* ---- change ---- */

static bool has_links(const struct links *links)
{
	return links->plans.len + links->operations.len + links->deployments.len > 0;
}

static int check_change(
    const struct session_change *change, const struct links *links, struct err *err)
{
	if (record_check_text("step", change->step, SESSION_STEP_MAX, err) < 0 ||
	    record_check_text("note", change->note, SESSION_NOTE_MAX, err) < 0 ||
	    record_check_text("result", change->summary, SESSION_SUMMARY_MAX, err) < 0)
		return -1;
	if (change->to == SESSION_ACTIVE && given(change->step) == NULL &&
	    given(change->note) == NULL && !has_links(links))
		return err_set(
		    err, ERR_INVALID_ARGUMENT, "a checkpoint wants a step, a note or a reference");
	return 0;
}

static size_t size_of(const char *text)
{
	return text == NULL ? 0 : strlen(text);
}

/* What a session holds, in bytes; about what it takes. */
static size_t session_size(const struct session *session)
{
	size_t size = size_of(session->title) + size_of(session->project) + size_of(session->app) +
		      size_of(session->step) + size_of(session->note);

	for (size_t i = 0; i < session->events_len; i++)
		size += size_of(session->events[i].detail);
	return size;
}

/* May it change at all, and now? A session that is full can still end. */
static int check_state(
    const struct session *session, const struct session_change *change, struct err *err)
{
	if (session->status != SESSION_ACTIVE)
		return err_set(err, ERR_SESSION_INVALID_TRANSITION,
		    "session %s is %s; it does not change any more", session->id,
		    session_status_name(session->status));
	if (change->if_rev >= 0 && change->if_rev != session->rev)
		return err_set(err, ERR_SESSION_CONFLICT,
		    "session %s is at revision %" PRId64 ", not %" PRId64, session->id,
		    session->rev, change->if_rev);
	if (change->to == SESSION_ACTIVE && (session->events_len >= SESSION_EVENTS_MAX ||
						session_size(session) >= SESSION_BYTES_MAX))
		return err_set(err, ERR_INVALID_ARGUMENT,
		    "session %s is full; complete it and begin another", session->id);
	return 0;
}

static void add_part(struct buf *detail, const char *prefix, const char *text)
{
	if (text != NULL)
		buf_addf(detail, "%s%s%s", detail->len > 0 ? "; " : "", prefix, text);
}

static void describe(const struct session *session, const struct session_change *change,
    const char *summary, const struct buf *linked, struct buf *detail)
{
	if (change->to == SESSION_ACTIVE) {
		add_part(detail, "step=", session->step);
		add_part(detail, "", session->note);
	} else {
		add_part(detail, "", summary);
	}
	add_part(detail, "", linked->len > 0 ? linked->data : NULL);
	if (detail->len == 0)
		buf_addf(detail, "session %s", session_status_name(change->to));
}

/* The session's own fields, as they are after the change. */
static void apply(const struct records *records, struct session *session,
    const struct session_change *change, int64_t now_us)
{
	session->status = change->to;
	session->updated_us = now_us;
	if (change->to != SESSION_ACTIVE) {
		session->final_result = records_masked(records, given(change->summary));
	} else {
		free(session->step);
		free(session->note);
		session->step = records_masked(records, given(change->step));
		session->note = records_masked(records, given(change->note));
		session->checkpoint_us = now_us;
		session->checkpoint_seq = session->rev;
	}
	session->rev++;
}

static int store_change(struct records *records, struct session *session,
    const struct session_change *change, const struct links *links, struct err *err)
{
	cleanup_buf struct buf linked = BUF_INIT;
	cleanup_buf struct buf detail = BUF_INIT;
	cleanup_free char *type =
	    xstrdup(change->to == SESSION_ACTIVE ? "checkpoint" : session_status_name(change->to));
	struct session_event event = { .seq = session->rev, .type = type };

	if (link_all(records, session, links, &linked, err) < 0)
		return -1;
	event.at_us = clock_wall_us();
	apply(records, session, change, event.at_us);
	describe(session, change, session->final_result, &linked, &detail);
	event.detail = detail.data;
	if (session_update(records, session, err) < 0 ||
	    session_insert_event(records, session->id, &event, err) < 0)
		return -1;
	return records_trim(records, SQL_TRIM, SESSION_KEEP, err);
}

int records_session_change(struct records *records, const char *given_id,
    const struct session_change *change, struct session *ret_session, struct err *err)
{
	cleanup_free char *id = trim(given_id);
	__attribute__((cleanup(links_release))) struct links links = { 0 };
	cleanup_session struct session session = SESSION_INIT;
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;

	/* References are looked up before the lock is taken: they may end dead operations. */
	if (record_check_id(RECORD_SESSION, id, err) < 0 ||
	    take_links(records, change, &links, err) < 0 || check_change(change, &links, err) < 0)
		return -1;
	if (records_txn_begin(records, &txn, err) < 0 ||
	    session_read(records, id, true, &session, err) < 0 ||
	    check_state(&session, change, err) < 0 ||
	    store_change(records, &session, change, &links, err) < 0 ||
	    session_read(records, id, true, &session, err) < 0 || sql_commit(&txn, err) < 0)
		return -1;
	hand_over(&session, ret_session);
	return 0;
}

/* ---- reading ---- */

int records_session_load(
    struct records *records, const char *given_id, struct session *ret_session, struct err *err)
{
	cleanup_free char *id = trim(given_id);

	if (record_check_id(RECORD_SESSION, id, err) < 0)
		return -1;
	return session_read(records, id, true, ret_session, err);
}

static bool is_damage(const struct err *err)
{
	return err->code == ERR_SESSION_CORRUPT || err->code == ERR_SESSION_INVALID ||
	       err->code == ERR_NOT_FOUND;
}

struct session_reader {
	session_fn fn;
	void *ctx;
};

static int show(
    struct records *records, const char *id, void *ctx, bool *ret_is_enough, struct err *err)
{
	const struct session_reader *reader = ctx;
	cleanup_session struct session session = SESSION_INIT;
	cleanup_err struct err damage = ERR_INIT;
	int status;

	if (session_read(records, id, false, &session, &damage) < 0) {
		if (is_damage(&damage))
			return 0;
		err_move(err, &damage);
		return -1;
	}
	status = reader->fn(reader->ctx, &session, err);
	*ret_is_enough = status != 0;
	return status < 0 ? -1 : 1;
}

int records_session_each(struct records *records, const char *status, const char *app,
    int64_t limit, session_fn fn, void *ctx, struct record_list *ret_list, struct err *err)
{
	struct session_reader reader = { fn, ctx };
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_LIST, err);
	enum session_status known;

	if (stmt == NULL || (status != NULL && session_status_parse(status, &known, err) < 0))
		return -1;
	sql_bind_text(stmt, 1, status);
	sql_bind_text(stmt, 2, app);
	return records_list(records, stmt, limit, show, &reader, ret_list, err);
}
