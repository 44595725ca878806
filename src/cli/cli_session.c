/* SPDX-License-Identifier: MIT */
/* stile session …: what an agent, or a person, says it is doing. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli_records.h"
#include "cli/cli_vault.h"

/* ---- one session ---- */

static void show_references(struct buf *out, const char *label, const struct strvec *ids)
{
	for (size_t i = 0; i < ids->len; i++)
		cli_field(out, label, ids->items[i]);
}

static void show_events(struct buf *out, const struct session *session)
{
	for (size_t i = 0; i < session->events_len; i++) {
		const struct session_event *event = &session->events[i];
		char time[CLI_TIME_SIZE];

		cli_format_time(event->at_us, time);
		cli_line(out, "%4" PRId64 "  %s  %-10s  %s", event->seq, time, event->type,
		    event->detail != NULL ? event->detail : "");
	}
}

static void show_session(struct cli *cli, const struct session *session)
{
	struct buf *out = &cli->out;

	cli_field(out, "session", session->id);
	cli_field(out, "status", session_status_name(session->status));
	buf_addf(out, "%-12s %" PRId64 "\n", "revision", session->rev);
	cli_field(out, "title", session->title);
	cli_field(out, "project", session->project);
	cli_field(out, "about", session->app);
	cli_field(out, "begun by", session->actor_type);
	cli_field_time(out, "begun", session->created_us);
	cli_field_time(out, "changed", session->updated_us);
	show_references(out, "plan", &session->plans);
	show_references(out, "operation", &session->operations);
	show_references(out, "deployment", &session->deployments);
	cli_field(out, "result", session->final_result);
	show_events(out, session);
}

/* The session after a change: all of it for programs, one line for people. */
static void show_change(struct cli *cli, const struct session *session, const char *done)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	session_write(session, false, NULL, &w);
	cli_line(&cli->out, "%s: %s, revision %" PRId64, done, session->id, session->rev);
}

int cmd_session_create(struct cli *cli, struct err *err)
{
	cleanup_cli_desk struct cli_desk desk = CLI_DESK_INIT;
	cleanup_session struct session session = SESSION_INIT;
	struct session_new what = {
		.title = cli->options.title,
		.project = cli->options.project,
		.app = cli->options.app,
	};

	if (cli_desk_open(&desk, err) < 0 ||
	    records_session_create(desk.records, &what, cli_desk_actor(&desk), &session, err) < 0)
		return -1;
	show_change(cli, &session, "begun");
	return 0;
}

static void show_resolved(struct buf *out, const struct json *resolved)
{
	json_foreach_member (kind, list, resolved) {
		json_foreach (item, list) {
			const char *status = json_text(json_get(item, "status"));
			const char *detail = json_text(json_get(item, "detail"));
			const char *code = json_text(json_get(item, "error_code"));

			cli_line(out, "      %s  %s %s%s%s", json_text(json_get(item, "id")),
			    json_text(json_get(item, "state")), status != NULL ? status : "",
			    code != NULL ? code : "",
			    detail != NULL && strlen(detail) < DIGEST_TEXT_SIZE - 1 ? detail : "");
		}
	}
}

/* What the references lead to, as JSON and for people. */
static int resolve(struct cli *cli, struct records *records, const struct session *session,
    struct buf *ret_json, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	struct json_writer w = JSON_WRITER_INIT(ret_json);

	if (records_session_resolve(records, session, &w, err) < 0 ||
	    json_read(&doc, ret_json->data, ret_json->len, err) < 0)
		return -1;
	show_resolved(&cli->out, json_root(&doc));
	return 0;
}

int cmd_session_show(struct cli *cli, struct err *err)
{
	cleanup_cli_desk struct cli_desk desk = CLI_DESK_INIT;
	cleanup_session struct session session = SESSION_INIT;
	cleanup_buf struct buf resolved = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	if (cli_desk_open(&desk, err) < 0 ||
	    records_session_load(desk.records, cli_word(cli, 0), &session, err) < 0)
		return -1;
	show_session(cli, &session);
	if (!cli->options.is_unresolved && resolve(cli, desk.records, &session, &resolved, err) < 0)
		return -1;
	session_write(&session, false, cli->options.is_unresolved ? NULL : resolved.data, &w);
	return 0;
}

/* ---- list ---- */

struct session_list {
	struct cli_table table;
	struct json_writer w;
	int64_t count;
};

static int add_row(void *ctx, const struct session *session, struct err *err)
{
	struct session_list *list = ctx;
	char time[CLI_TIME_SIZE];
	char rev[24];
	const char *cells[] = { session->id, session_status_name(session->status), rev, time,
		session->app != NULL ? session->app : "-",
		session->title != NULL ? session->title : "-" };

	(void)err;
	(void)snprintf(rev, sizeof(rev), "%" PRId64, session->rev);
	cli_format_time(session->created_us, time);
	cli_table_row(&list->table, cells);
	session_write(session, true, NULL, &list->w);
	list->count++;
	return 0;
}

int cmd_session_list(struct cli *cli, struct err *err)
{
	static const char *const heading[] = { "SESSION", "STATUS", "REV", "BEGUN (UTC)", "ABOUT",
		"TITLE" };
	cleanup_cli_desk struct cli_desk desk = CLI_DESK_INIT;
	struct session_list list = { .table = { .columns = ARRAY_LEN(heading) },
		.w = JSON_WRITER_INIT(&cli->result) };
	struct record_list found = { 0 };
	const char *status = cli->options.status;
	int64_t limit = 0;
	int result;

	if (status != NULL && status[0] == '\0')
		status = NULL;
	if (cli_desk_limit(cli, 0, &limit, err) < 0 || cli_desk_open(&desk, err) < 0)
		return -1;
	cli_table_row(&list.table, heading);
	json_write_object_begin(&list.w);
	json_write_key(&list.w, "sessions");
	json_write_array_begin(&list.w);
	result = records_session_each(
	    desk.records, status, cli->options.app, limit, add_row, &list, &found, err);
	if (result == 0)
		cli_table_write(&list.table, &cli->out);
	cli_table_release(&list.table);
	cli_list_ends(cli, &list.w, list.count, &found, "sessions");
	if (result < 0)
		buf_reset(&cli->result);
	return result;
}

/* ---- changes ---- */

static int change(struct cli *cli, enum session_status to, const char *done, struct err *err)
{
	cleanup_cli_desk struct cli_desk desk = CLI_DESK_INIT;
	cleanup_session struct session session = SESSION_INIT;
	struct session_change wanted = {
		.to = to,
		.step = cli->options.step,
		.note = cli->options.note,
		.summary = cli->options.reason,
		.plans = &cli->options.plans,
		.operations = &cli->options.operations,
		.deployments = &cli->options.deployments,
	};

	if (cli_number("--if-rev", cli->options.if_rev, -1, INT64_MAX, -1, &wanted.if_rev, err) < 0)
		return -1;
	if (cli_desk_open(&desk, err) < 0 ||
	    records_session_change(desk.records, cli_word(cli, 0), &wanted, &session, err) < 0)
		return -1;
	show_change(cli, &session, done);
	return 0;
}

int cmd_session_checkpoint(struct cli *cli, struct err *err)
{
	return change(cli, SESSION_ACTIVE, "noted", err);
}

int cmd_session_complete(struct cli *cli, struct err *err)
{
	return change(cli, SESSION_COMPLETED, "completed", err);
}

int cmd_session_fail(struct cli *cli, struct err *err)
{
	return change(cli, SESSION_FAILED, "failed", err);
}

int cmd_session_cancel(struct cli *cli, struct err *err)
{
	return change(cli, SESSION_CANCELLED, "cancelled", err);
}
