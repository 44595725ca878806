/* SPDX-License-Identifier: MIT */
/*
 * Applying a plan, step by step. The order is a promise (docs/plans.md): a plan is believed before it
 * is looked at, what it did before is said before anything is asked, and the target is locked before
 * the world is compared with it. The stages of call/ do the rest: compare, authorize, record, run.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli_plans.h"
#include "cli/cli_vault.h"

struct apply {
	struct cli *cli;
	const struct apply_order *order;
	const struct apply_teller *teller;
	struct cli_desk desk;
	char plan_id[RECORD_ID_SIZE];
	struct plan plan;
	int lock_fd;
	bool is_answered;
};

/* ---- the steps ---- */

/* Of these arguments, the plan that there is, or a new one. */
static int find_plan(struct apply *apply, struct err *err)
{
	struct call_purpose purpose = {
		.kind = CALL_FIND,
		.records = apply->desk.records,
		.actor = cli_desk_actor(&apply->desk),
	};
	int result;

	if (apply->order->plan_id != NULL) {
		memcpy(apply->plan_id, apply->order->plan_id, sizeof(apply->plan_id));
		return 0;
	}
	result = cli_plan_make(
	    apply->cli, &apply->desk, &purpose, apply->order->tool, apply->order->doc, err);
	memcpy(apply->plan_id, purpose.made.id, sizeof(apply->plan_id));
	call_purpose_release(&purpose);
	return result;
}

static int load(struct apply *apply, struct err *err)
{
	plan_release(&apply->plan);
	if (records_plan_load(apply->desk.records, apply->plan_id, &apply->plan, err) < 0)
		return -1;
	return cli_plan_check_surface(apply->cli, &apply->desk, &apply->plan, err);
}

static int tell_wait(struct apply *apply, struct err *err)
{
	(void)err;
	apply->teller->waits(apply->teller->ctx, apply->plan.facts.wait_ms);
	return 0;
}

static int answer_of(struct apply *apply, const char *operation_id, bool is_again, struct err *err)
{
	cleanup_operation struct operation operation = OPERATION_INIT;

	apply->is_answered = true;
	if (records_operation_load(apply->desk.records, operation_id, &operation, err) < 0)
		return -1;
	return cli_apply_answer(apply->cli, &apply->plan, &operation, is_again, err);
}

/* It ran, however it ended: the boundary is not asked for what was done. */
static int answer_what_was(struct apply *apply, struct err *err)
{
	if (apply->plan.status == PLAN_CREATED || apply->plan.status == PLAN_APPLYING)
		return 0;
	return answer_of(apply, apply->plan.operation, true, err);
}

/* Of a plan that is being applied itself it is not true that nothing was begun. */
static int lock(struct apply *apply, struct err *err)
{
	const struct plan_facts *facts = &apply->plan.facts;
	cleanup_err struct err busy = ERR_INIT;

	if (call_lock_target(apply->desk.data_dir, facts->surface, facts->target, facts->wait_ms,
		&apply->lock_fd, &busy) == 0)
		return 0;
	if (busy.code == ERR_UNAVAILABLE && load(apply, err) < 0)
		return -1;
	if (apply->plan.status != PLAN_CREATED)
		return answer_of(apply, apply->plan.operation, true, err);
	err_move(err, &busy);
	return -1;
}

/* Whoever runs it has lost the lock, or never had it. */
static int answer_what_runs(struct apply *apply, struct err *err)
{
	if (apply->plan.status == PLAN_CREATED)
		return 0;
	return answer_of(apply, apply->plan.operation, true, err);
}

static int check_expiry(struct apply *apply, struct err *err)
{
	if (!plan_has_expired(&apply->plan))
		return 0;
	return err_set(err, ERR_PLAN_STALE,
	    "plan %s has expired, so nothing was run; make a new one", apply->plan.id);
}

static void on_began(void *ctx, const struct operation *operation)
{
	const struct apply *apply = ctx;

	apply->teller->began(apply->teller->ctx, &apply->plan, operation);
}

static void on_progressed(void *ctx, const char *line)
{
	const struct apply *apply = ctx;

	apply->teller->progressed(apply->teller->ctx, line);
}

static int take_outcome(struct apply *apply, struct call_purpose *purpose, struct err *err)
{
	const char *operation = purpose->operation.id;

	if (operation[0] != '\0' && purpose->err.code != ERR_OUTCOME_UNRECORDED)
		return answer_of(apply, operation, purpose->begin != PLAN_BEGIN_FRESH, err);
	memcpy(apply->cli->operation, operation, RECORD_ID_SIZE);
	err_move(err, &purpose->err);
	return -1;
}

static int run(struct apply *apply, struct err *err)
{
	struct call_purpose purpose = {
		.kind = CALL_APPLY,
		.records = apply->desk.records,
		.actor = cli_desk_actor(&apply->desk),
		.plan = &apply->plan,
		.lock_fd = apply->lock_fd,
		.began = on_began,
		.progressed = on_progressed,
		.ctx = apply,
	};
	int result = cli_plan_walk_again(apply->cli, &apply->desk, &purpose, err);

	if (result == 0)
		result = take_outcome(apply, &purpose, err);
	call_purpose_release(&purpose);
	return result;
}

/* ---- the order ---- */

static int (*const steps[])(struct apply *apply, struct err *err) = {
	find_plan,        /* --tool: facts now → a plan */
	load,             /* verified: NOT_FOUND, PLAN_CORRUPT, PLAN_INVALID, PLAN_HASH_MISMATCH */
	tell_wait,        /* how long the front waits */
	answer_what_was,  /* applied, failed or interrupted: replayed */
	lock,             /* the target's: UNAVAILABLE */
	load,             /* another may have applied it meanwhile */
	answer_what_runs, /* so */
	check_expiry,     /* PLAN_STALE */
	run, /* the stages: PLAN_STALE, AUTHZ_*, APPROVAL_*, and what the program says */
};

int cli_apply(struct cli *cli, const struct apply_order *order, const struct apply_teller *teller,
    struct err *err)
{
	struct apply apply = {
		.cli = cli,
		.order = order,
		.teller = teller,
		.desk = CLI_DESK_INIT,
		.plan = PLAN_INIT,
		.lock_fd = -1,
	};
	int result = cli_desk_open(&apply.desk, err);

	for (size_t i = 0; i < ARRAY_LEN(steps) && result == 0 && !apply.is_answered; i++)
		result = steps[i](&apply, err);
	plan_release(&apply.plan);
	cli_desk_close(&apply.desk);
	close_fd(&apply.lock_fd);
	return result;
}
