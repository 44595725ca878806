/* SPDX-License-Identifier: MIT */
/* stile plan apply: the front, which waits for its worker and says what that says (cli_plans.h). */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/limits.h"
#include "cli/cli_plans.h"
#include "cli/cli_vault.h"

/* How much longer than its wait a plan that has not begun is waited for. */
#define BEGIN_GRACE_MS 2000

struct front {
	struct cli *cli;
	const struct apply_order *order;
	int fd;
	pid_t pid;
	struct buf bytes;
	int64_t start_ms;
	int64_t wait_ms; /* -1: not told yet */
	struct json_doc began;
	bool is_over; /* the answer is there */
};

static void show_progress(const char *line)
{
	cleanup_buf struct buf text = BUF_INIT;

	cli_line(&text, "%s", line);
	(void)!fd_write_all(STDERR_FILENO, text.data, text.len);
}

static int take_frame(
    struct front *front, enum apply_frame kind, struct json_doc *doc, struct err *err)
{
	const struct json *root = json_root(doc);

	switch (kind) {
	case APPLY_WAITS:
		(void)json_number_int64(root, &front->wait_ms);
		return 0;
	case APPLY_BEGAN:
		json_doc_release(&front->began);
		front->began = *doc;
		*doc = JSON_DOC_INIT;
		return 0;
	case APPLY_PROGRESSED:
		show_progress(json_text(root));
		return 0;
	case APPLY_ENDED:
		front->is_over = true;
		return apply_end_read(root, front->cli, err);
	}
	return err_set(err, ERR_INTERNAL, "the process that applies says what is not understood");
}

static int take_frames(struct front *front, struct err *err)
{
	int result = 0;

	while (result == 0 && !front->is_over) {
		cleanup_json struct json_doc doc = JSON_DOC_INIT;
		enum apply_frame kind = APPLY_ENDED;
		int got = apply_frame_take(&front->bytes, &kind, &doc);

		if (got == 0)
			return 0;
		if (got < 0)
			return err_set(err, ERR_INTERNAL, "the process that applies says no JSON");
		result = take_frame(front, kind, &doc, err);
	}
	return result;
}

/* Until when it is waited, from now: -1: for ever. What has not begun is bounded by what it reads; who
 * named a plan can ask again, and what waits for the target gives up by itself before that. */
static int64_t patience(const struct front *front)
{
	bool has_begun = json_root(&front->began) != NULL;
	int64_t wait_ms = front->wait_ms + (has_begun ? 0 : BEGIN_GRACE_MS);
	int64_t left = front->start_ms + wait_ms - clock_monotonic_ms();

	if (front->wait_ms < 0 || (!has_begun && front->order->plan_id == NULL))
		return -1;
	return left > 0 ? left : 0;
}

/* 1: something was read; 0: it takes longer than we wait; -1: the pipe is at its end. */
static int read_more(struct front *front)
{
	struct pollfd polled = { .fd = front->fd, .events = POLLIN };
	int got = poll(&polled, 1, (int)patience(front));
	char *room;
	ssize_t len;

	if (got < 0)
		return 1;
	if (got == 0)
		return 0;
	room = buf_reserve(&front->bytes, 64 * KIB);
	len = room != NULL ? read(front->fd, room, 64 * KIB) : 0;
	if (len > 0)
		buf_commit(&front->bytes, (size_t)len);
	return len != 0 ? 1 : -1;
}

/* It goes on, and may begin yet. */
static int answer_looking(const struct front *front, struct err *err)
{
	return err_set(err, ERR_UNAVAILABLE,
	    "plan %s has not begun: what it relies on is still being read; it may begin yet, so "
	    "apply it again to hear what became of it, and make no other",
	    front->order->plan_id);
}

static int answer_running(struct front *front)
{
	const struct json *began = json_root(&front->began);

	cli_apply_answer_running(front->cli, json_text(json_get(began, "plan")),
	    json_text(json_get(began, "hash")), json_text(json_get(began, "operation")),
	    json_text(json_get(began, "target")));
	return 0;
}

/* The plan that was meant, once its worker is gone: "" when it is not known. */
static const char *plan_of(const struct front *front)
{
	const char *began = json_text(json_get(json_root(&front->began), "plan"));

	if (began != NULL)
		return began;
	return front->order->plan_id != NULL ? front->order->plan_id : "";
}

static int say_lost(const struct plan *plan, struct err *err)
{
	if (plan->status == PLAN_CREATED)
		return err_set(err, ERR_UNAVAILABLE,
		    "the process that applies ended before it began; nothing was run, and the "
		    "plan can be applied");
	return err_set(err, ERR_UNAVAILABLE,
	    "the process that applied plan %s ended without an answer; its record says %s: "
	    "`stile operation status %s`",
	    plan->id, plan_status_name(plan->status), plan->operation);
}

static int answer_what_is_known(
    struct front *front, struct records *records, const char *plan_id, struct err *err)
{
	cleanup_plan struct plan plan = PLAN_INIT;
	cleanup_operation struct operation operation = OPERATION_INIT;

	if (records_plan_load(records, plan_id, &plan, err) < 0)
		return -1;
	if (plan.status == PLAN_CREATED || plan.status == PLAN_APPLIED)
		return say_lost(&plan, err);
	if (records_operation_load(records, plan.operation, &operation, err) < 0)
		return -1;
	return cli_apply_answer(front->cli, &plan, &operation, false, err);
}

/* The worker died. What the records say is all that is known, and never a success; that looking marks
 * what it left. */
static int answer_lost(struct front *front, struct err *err)
{
	cleanup_cli_desk struct cli_desk desk = CLI_DESK_INIT;
	const char *plan_id = plan_of(front);

	(void)waitpid(front->pid, NULL, 0);
	if (plan_id[0] == '\0')
		return err_set(err, ERR_UNAVAILABLE,
		    "the process that applies ended before its program was started; "
		    "nothing was run");
	if (cli_desk_open(&desk, err) < 0)
		return -1;
	return answer_what_is_known(front, desk.records, plan_id, err);
}

static int wait_for_answer(struct front *front, struct err *err)
{
	for (;;) {
		int got = read_more(front);

		if (got == 0)
			return json_root(&front->began) != NULL ? answer_running(front)
								: answer_looking(front, err);
		if (got < 0)
			return answer_lost(front, err);
		if (take_frames(front, err) < 0)
			return -1;
		if (front->is_over)
			return 0;
	}
}

static int apply_in_worker(struct cli *cli, const struct apply_order *order, struct err *err)
{
	struct front front = {
		.cli = cli,
		.order = order,
		.fd = -1,
		.bytes = BUF_INIT,
		.start_ms = clock_monotonic_ms(),
		.wait_ms = -1,
	};
	int result = -1;

	front.pid = cli_apply_fork(cli, order, &front.fd, err);
	if (front.pid >= 0)
		result = wait_for_answer(&front, err);
	close_fd(&front.fd);
	buf_release(&front.bytes);
	json_doc_release(&front.began);
	return result;
}

/* ---- the command ---- */

static int read_order(struct cli *cli, struct apply_order *order, struct err *err)
{
	const char *word = cli_word(cli, 0);

	order->tool = cli->options.tool;
	if (order->tool != NULL)
		return cli_read_arguments(word, order->doc, err);
	if (word == NULL)
		return err_set(err, ERR_USAGE, "plan apply wants PLAN, or --tool TOOL");
	order->plan_id = word;
	return record_check_id(RECORD_PLAN, word, err);
}

int cmd_plan_apply(struct cli *cli, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	struct apply_order order = { .doc = &doc };

	if (read_order(cli, &order, err) < 0)
		return -1;
	return apply_in_worker(cli, &order, err);
}
