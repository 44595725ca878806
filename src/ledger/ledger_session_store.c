/* SPDX-License-Identifier: MIT */
/* Sessions as rows and back: one of the session, one an event, one a reference. */
#include "ledger/ledger.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/ledger_internal.h"

#define SESSION_VERSION "1"

static const char SQL_INSERT[] =
    "INSERT INTO session (id, schema_version, status, title, project, app, actor_type, rev,"
    " created_us, updated_us, checkpoint_us, checkpoint_seq)"
    " VALUES (?1, '" SESSION_VERSION "', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, 0, 0)";
static const char SQL_UPDATE[] =
    "UPDATE session SET status = ?2, rev = ?3, updated_us = ?4, step = ?5, note = ?6,"
    " checkpoint_us = ?7, checkpoint_seq = ?8, final_result = ?9 WHERE id = ?1";
static const char SQL_INSERT_EVENT[] =
    "INSERT INTO session_event (session_id, seq, type, at_us, detail) VALUES (?1, ?2, ?3, ?4, ?5)";
static const char SQL_INSERT_REFERENCE[] =
    "INSERT INTO session_reference (session_id, kind, reference, place) VALUES (?1, ?2, ?3, ?4)";

static const char SQL_LOAD[] =
    "SELECT id, schema_version, status, title, project, app, actor_type, rev, created_us,"
    " updated_us, step, note, checkpoint_us, checkpoint_seq, final_result,"
    " (SELECT count(*) FROM session_event WHERE session_id = id),"
    " (SELECT max(seq) FROM session_event WHERE session_id = id)"
    " FROM session WHERE id = ?1";
static const char SQL_EVENTS[] = "SELECT seq, type, at_us, detail FROM session_event"
				 " WHERE session_id = ?1 ORDER BY seq";
static const char SQL_REFERENCES[] = "SELECT kind, reference FROM session_reference"
				     " WHERE session_id = ?1 ORDER BY kind, place";

static const char *const status_names[SESSION_STATUS_COUNT] = {
	[SESSION_ACTIVE] = "active",
	[SESSION_COMPLETED] = "completed",
	[SESSION_FAILED] = "failed",
	[SESSION_CANCELLED] = "cancelled",
};

const char *session_status_name(enum session_status status)
{
	assert((size_t)status < SESSION_STATUS_COUNT);
	return status_names[status];
}

static bool find_status(const char *name, enum session_status *ret_status)
{
	for (size_t i = 0; i < SESSION_STATUS_COUNT; i++) {
		if (strcmp(status_names[i], name) == 0) {
			*ret_status = (enum session_status)i;
			return true;
		}
	}
	return false;
}

int session_status_parse(const char *name, enum session_status *ret_status, struct err *err)
{
	if (find_status(name, ret_status))
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENT,
	    "a session's status is active, completed, failed or cancelled");
}

void session_release(struct session *session)
{
	for (size_t i = 0; i < session->events_len; i++) {
		free(session->events[i].type);
		free(session->events[i].detail);
	}
	free(session->events);
	free(session->title);
	free(session->project);
	free(session->app);
	free(session->actor_type);
	free(session->step);
	free(session->note);
	free(session->final_result);
	strvec_release(&session->plans);
	strvec_release(&session->operations);
	strvec_release(&session->deployments);
	*session = SESSION_INIT;
}

/* ---- writing ---- */

int session_insert(struct records *records, const struct session *session, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_INSERT, err);

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, session->id);
	sql_bind_text(stmt, 2, session_status_name(session->status));
	sql_bind_text(stmt, 3, session->title);
	sql_bind_text(stmt, 4, session->project);
	sql_bind_text(stmt, 5, session->app);
	sql_bind_text(stmt, 6, session->actor_type);
	sql_bind_int(stmt, 7, session->rev);
	sql_bind_int(stmt, 8, session->created_us);
	return sql_run(stmt, err);
}

int session_update(struct records *records, const struct session *session, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_UPDATE, err);

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, session->id);
	sql_bind_text(stmt, 2, session_status_name(session->status));
	sql_bind_int(stmt, 3, session->rev);
	sql_bind_int(stmt, 4, session->updated_us);
	sql_bind_text(stmt, 5, session->step);
	sql_bind_text(stmt, 6, session->note);
	sql_bind_int(stmt, 7, session->checkpoint_us);
	sql_bind_int(stmt, 8, session->checkpoint_seq);
	sql_bind_text(stmt, 9, session->final_result);
	return sql_run(stmt, err);
}

int session_insert_event(
    struct records *records, const char *id, const struct session_event *event, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_INSERT_EVENT, err);

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, id);
	sql_bind_int(stmt, 2, event->seq);
	sql_bind_text(stmt, 3, event->type);
	sql_bind_int(stmt, 4, event->at_us);
	sql_bind_text(stmt, 5, event->detail);
	return sql_run(stmt, err);
}

int session_insert_reference(struct records *records, const char *id, const char *kind,
    const char *reference, size_t place, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_INSERT_REFERENCE, err);

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, id);
	sql_bind_text(stmt, 2, kind);
	sql_bind_text(stmt, 3, reference);
	sql_bind_int(stmt, 4, (int64_t)place);
	return sql_run(stmt, err);
}

/* ---- reading ---- */

static int corrupt(const char *id, struct err *err)
{
	return err_set(err, ERR_SESSION_CORRUPT, "session %s does not hold together", id);
}

static void read_row(struct sql_stmt *stmt, struct session *session)
{
	session->title = record_column(stmt, 3);
	session->project = record_column(stmt, 4);
	session->app = record_column(stmt, 5);
	session->actor_type = record_column(stmt, 6);
	session->rev = sql_column_int(stmt, 7);
	session->created_us = sql_column_int(stmt, 8);
	session->updated_us = sql_column_int(stmt, 9);
	session->step = record_column(stmt, 10);
	session->note = record_column(stmt, 11);
	session->checkpoint_us = sql_column_int(stmt, 12);
	session->checkpoint_seq = sql_column_int(stmt, 13);
	session->final_result = record_column(stmt, 14);
}

/* Each change is one revision and one event, counted from 0. */
static int check_row(struct sql_stmt *stmt, struct session *session, struct err *err)
{
	if (strcmp(sql_column_text(stmt, 1), SESSION_VERSION) != 0)
		return err_set(
		    err, ERR_SESSION_INVALID, "session %s is of another version", session->id);
	if (!find_status(sql_column_text(stmt, 2), &session->status))
		return err_set(
		    err, ERR_SESSION_INVALID, "session %s has an unknown status", session->id);
	if (session->rev < 1 || sql_column_int(stmt, 15) != session->rev ||
	    sql_column_int(stmt, 16) != session->rev - 1 || session->checkpoint_seq < 0 ||
	    session->checkpoint_seq >= session->rev)
		return corrupt(session->id, err);
	return 0;
}

static int read_events(struct records *records, struct session *session, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_EVENTS, err);
	int got;

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, session->id);
	while ((got = sql_step(stmt, err)) == 1) {
		ARRAY_GROW(session->events, session->events_len, session->events_cap);
		session->events[session->events_len++] = (struct session_event){
			.seq = sql_column_int(stmt, 0),
			.type = record_column(stmt, 1),
			.at_us = sql_column_int(stmt, 2),
			.detail = record_column(stmt, 3),
		};
	}
	return got;
}

static struct strvec *references_of(struct session *session, const char *kind)
{
	if (strcmp(kind, "plan") == 0)
		return &session->plans;
	if (strcmp(kind, "operation") == 0)
		return &session->operations;
	return strcmp(kind, "deployment") == 0 ? &session->deployments : NULL;
}

static int read_references(struct records *records, struct session *session, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_REFERENCES, err);
	int got;

	if (stmt == NULL)
		return -1;
	sql_bind_text(stmt, 1, session->id);
	while ((got = sql_step(stmt, err)) == 1) {
		struct strvec *list = references_of(session, sql_column_text(stmt, 0));

		if (list == NULL || list->len >= SESSION_REFERENCES_MAX)
			return corrupt(session->id, err);
		strvec_push(list, sql_column_text(stmt, 1));
	}
	return got;
}

int session_read(struct records *records, const char *id, bool has_events,
    struct session *ret_session, struct err *err)
{
	cleanup_session struct session session = SESSION_INIT;
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, SQL_LOAD, err);
	int got;

	if (stmt == NULL)
		return -1;
	if (!record_is_id(RECORD_SESSION, id))
		return err_set(err, ERR_SESSION_CORRUPT, "a session has an id that is none");
	sql_bind_text(stmt, 1, id);
	got = sql_step(stmt, err);
	if (got == 0)
		return err_set(err, ERR_NOT_FOUND, "there is no session %s", id);
	if (got < 0)
		return -1;
	memcpy(session.id, id, strlen(id) + 1);
	read_row(stmt, &session);
	if (check_row(stmt, &session, err) < 0 || read_references(records, &session, err) < 0 ||
	    (has_events && read_events(records, &session, err) < 0))
		return -1;
	session_release(ret_session);
	*ret_session = session;
	session = SESSION_INIT;
	return 0;
}

/* ---- JSON ---- */

static void write_list(struct json_writer *w, const char *name, const struct strvec *ids)
{
	if (ids->len == 0)
		return;
	json_write_key(w, name);
	json_write_array_begin(w);
	for (size_t i = 0; i < ids->len; i++)
		json_write_string(w, ids->items[i]);
	json_write_array_end(w);
}

static void write_checkpoint(const struct session *session, struct json_writer *w)
{
	if (session->checkpoint_seq == 0)
		return;
	json_write_key(w, "checkpoint");
	json_write_object_begin(w);
	record_write_text(w, "step", session->step);
	record_write_text(w, "note", session->note);
	record_write_time(w, "at", session->checkpoint_us);
	json_write_member_int(w, "seq", session->checkpoint_seq);
	json_write_object_end(w);
}

static void write_events(const struct session *session, struct json_writer *w)
{
	json_write_key(w, "events");
	json_write_array_begin(w);
	for (size_t i = 0; i < session->events_len; i++) {
		const struct session_event *event = &session->events[i];

		json_write_object_begin(w);
		json_write_member_int(w, "seq", event->seq);
		json_write_member_string(w, "type", event->type);
		record_write_time(w, "at", event->at_us);
		record_write_text(w, "detail", event->detail);
		json_write_object_end(w);
	}
	json_write_array_end(w);
}

/* A session is a local process's, and no session is authenticated yet. */
static void write_actor(const struct session *session, struct json_writer *w)
{
	struct actor actor = { .type = session->actor_type };

	json_write_key(w, "actor");
	actor_write(&actor, w);
}

void session_write(
    const struct session *session, bool is_brief, const char *resolved, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_string(w, "session_id", session->id);
	json_write_member_string(w, "status", session_status_name(session->status));
	record_write_text(w, "title", session->title);
	record_write_text(w, "project", session->project);
	record_write_text(w, "app", session->app);
	write_actor(session, w);
	json_write_member_int(w, "rev", session->rev);
	record_write_time(w, "created_at", session->created_us);
	record_write_time(w, "updated_at", session->updated_us);
	write_list(w, "plan_ids", &session->plans);
	write_list(w, "operation_ids", &session->operations);
	write_list(w, "deployment_ids", &session->deployments);
	write_checkpoint(session, w);
	record_write_text(w, "final_result", session->final_result);
	if (!is_brief)
		write_events(session, w);
	if (resolved != NULL)
		json_write_member_raw(w, "resolved", resolved);
	json_write_object_end(w);
}
