/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_PLANS_H
#define CLI_CLI_PLANS_H

/*
 * What the commands share that make, look at and apply plans: a host for the surface of a plan, and one
 * walk of a call through its stages; and `plan apply`, which is two processes.
 *
 * The front is the command that was started. It forks a worker before it opens anything, waits for
 * it, and says what it says; when that takes longer than the plan's `wait`, that it is running. A
 * signal or the end of its client ends the front alone. The worker has a session of its own and nobody's
 * streams; it owns the records, the lock of the target and the program, and lives until these are
 * done with. What it tells the front are frames on a pipe: nothing depends on their being read.
 */

#include <sys/types.h>

#include "call/call.h"
#include "cli/cli_records.h"

/* ---- a host for a plan (cli_plan_host.c) ---- */

/*
 * A walk is one call with a purpose in a host of its own, whose launch options are those of the command
 * line.
 */

/* Makes a plan of tool with these arguments, or finds one: purpose->made. doc is taken. */
int cli_plan_make(const struct cli *cli, const struct cli_desk *desk, struct call_purpose *purpose,
    const char *tool, struct json_doc *doc, struct err *err) MUST_CHECK;

/* Walks again with a stored plan's tool and arguments. Its surface, where none is given, is a built-in
 * one, one of the user's own or a trusted file of that name. 0 when the call came to its end:
 * purpose->err says how; -1: there is no host. */
int cli_plan_walk_again(const struct cli *cli, const struct cli_desk *desk,
    struct call_purpose *purpose, struct err *err) MUST_CHECK;

/* A plan of another surface than --surface names is not there: who is let in at one surface does not
 * see the plans of others. What it names is known of built-in and of trusted surfaces. */
int cli_plan_check_surface(const struct cli *cli, const struct cli_desk *desk,
    const struct plan *plan, struct err *err) MUST_CHECK;

/* ---- apply: what the worker does (cli_apply.c) ---- */

/* What is to be applied: one of the two. */
struct apply_order {
	const char *plan_id;  /* or NULL */
	const char *tool;     /* or NULL: with doc */
	struct json_doc *doc; /* its arguments; taken */
};

/* What the worker tells on the way. */
struct apply_teller {
	void (*waits)(void *ctx, int64_t wait_ms); /* how long the plan wants to be waited for */
	void (*began)(void *ctx, const struct plan *plan, const struct operation *operation);
	void (*progressed)(void *ctx, const char *line);
	void *ctx;
};

/* Applies it, whole: as a command's run() does, with what came of it in cli and err. */
int cli_apply(struct cli *cli, const struct apply_order *order, const struct apply_teller *teller,
    struct err *err) MUST_CHECK;

/* ---- apply: the worker (cli_apply_worker.c) ---- */

/* Forks the worker of order. Its pid; *ret_fd is the pipe of its frames, at its end when it is gone. */
pid_t cli_apply_fork(struct cli *cli, const struct apply_order *order, int *ret_fd, struct err *err)
    MUST_CHECK;

/* ---- apply: answers (cli_apply_answer.c) ---- */

/* What became of an operation of plan: a result, or its error. is_again: it was not this command. */
int cli_apply_answer(struct cli *cli, const struct plan *plan, const struct operation *operation,
    bool is_again, struct err *err) MUST_CHECK;

/* It runs on. */
void cli_apply_answer_running(struct cli *cli, const char *plan_id, const char *plan_hash,
    const char *operation_id, const char *target);

/* ---- apply: frames (cli_apply_frame.c) ---- */

enum apply_frame {
	APPLY_WAITS = 'w',
	APPLY_BEGAN = 'b',
	APPLY_PROGRESSED = 'p',
	APPLY_ENDED = 'e'
};

/* Writes a frame; what nobody reads is lost. may_drop: rather than wait for the reader. */
void apply_frame_write(int fd, enum apply_frame kind, const struct buf *json, bool may_drop);

/* Takes the first whole frame out of what was read: 1, 0: there is none yet, -1: it is none. */
int apply_frame_take(struct buf *bytes, enum apply_frame *ret_kind, struct json_doc *ret_doc);

/* What a command leaves, as the last frame, and back. */
void apply_end_write(const struct cli *cli, const struct err *err, struct buf *ret_json);
int apply_end_read(const struct json *root, struct cli *cli, struct err *err);

#endif
