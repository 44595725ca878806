/* SPDX-License-Identifier: MIT */
/*
 * The decision about what this caller may see: how old it may be, who waits while it is made anew,
 * and what follows from it. Made it is by the vault (call_scope_vault.c) or from the contract in a
 * plain folder (call_scope_folder.c); one is made at a time, for all that come meanwhile.
 *
 * Whatever goes wrong leaves no decision: nothing is visible and every call is refused, until one
 * that is asked for later succeeds. An older one is never fallen back on.
 */
#include "call/call_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"

/* Between two looks in the background when every call asks anew. */
#define WATCH_MIN_MS ((int64_t)1000)

void decision_release(struct decision *decision)
{
	gate_scope_release(&decision->gate);
	free(decision->workspace);
	free(decision->workspace_name);
	free(decision->stage);
	free(decision->stage_name);
	free(decision->contract_file);
	free(decision->contract_version);
	free(decision->event);
	free(decision->reason);
	*decision = DECISION_INIT;
}

bool host_is_scoped(const struct host *host)
{
	return host->options->workspace != NULL || host->options->stage_dir != NULL;
}

static bool is_asking(const struct host_scope *scope)
{
	return scope->run != NULL || scope->ticket != 0 || scope->recorded != NULL;
}

static bool is_fresh(const struct host *host)
{
	const struct host_scope *scope = &host->scope;

	return scope->state == SCOPE_DECIDED && !scope->is_stale &&
	       clock_monotonic_ms() - scope->asked_ms < host->options->scope_ttl_ms;
}

/* ---- asking ---- */

static void ask(struct host *host)
{
	struct host_scope *scope = &host->scope;
	cleanup_err struct err err = ERR_INIT;

	scope->begun_ms = clock_monotonic_ms();
	scope->is_stale = false;
	if (host->is_draining)
		err_set(&err, ERR_CANCELLED, "the server is ending");
	else if (host->options->workspace != NULL)
		(void)!scope_ask_vault(host, &err);
	else
		scope_ask_folder(host);
	if (err_is_set(&err))
		scope_failed(host, &err);
}

/* Which end of asking will do for somebody who comes now: that of an asking which began too long ago
 * may say what was so before. */
static uint64_t round_for(const struct host *host)
{
	const struct host_scope *scope = &host->scope;
	bool is_old = clock_monotonic_ms() - scope->begun_ms > host->options->scope_ttl_ms;

	return scope->round + (is_old ? 1 : 0);
}

bool host_decide(struct host *host, struct host_waiter *waiter)
{
	struct host_scope *scope = &host->scope;

	if (!host_is_scoped(host))
		return true;
	(void)host_refresh(host);
	if (is_fresh(host))
		return true;
	waiter->round = is_asking(scope) ? round_for(host) : scope->round;
	if (!is_asking(scope))
		ask(host);
	if (!is_asking(scope))
		return true;
	waiter->is_waiting = true;
	TAILQ_INSERT_TAIL(&scope->waiters, waiter, link);
	return false;
}

void host_waiter_remove(struct host *host, struct host_waiter *waiter)
{
	if (!waiter->is_waiting)
		return;
	waiter->is_waiting = false;
	TAILQ_REMOVE(&host->scope.waiters, waiter, link);
}

/* In the order in which they came. Those that wait again meanwhile wait for the next one. */
static void resume_waiters(struct host *host)
{
	struct host_scope *scope = &host->scope;
	uint64_t round = scope->round++;
	struct host_waiter *waiter;

	while ((waiter = TAILQ_FIRST(&scope->waiters)) != NULL && waiter->round <= round) {
		host_waiter_remove(host, waiter);
		waiter->fn(waiter->ctx);
	}
	if (!TAILQ_EMPTY(&scope->waiters) && !is_asking(scope))
		ask(host);
}

/* ---- the end of asking ---- */

/* Nobody can have seen a list before the first. */
static void settle(struct host *host)
{
	unsigned changed = host_list_anew(host);

	if (host->scope.was_settled && changed != 0)
		host_tell(host, changed);
	host->scope.was_settled = true;
	resume_waiters(host);
}

void scope_decided(struct host *host, struct decision *decision)
{
	struct host_scope *scope = &host->scope;

	decision_release(&scope->decision);
	scope->decision = *decision;
	*decision = DECISION_INIT;
	scope->state = SCOPE_DECIDED;
	scope->asked_ms = scope->begun_ms;
	settle(host);
}

/* Said once on the log, not with each call. */
static void log_failure(struct host *host, const struct err *err)
{
	if (host->scope.state != SCOPE_FAILED || host->scope.failure != err->code)
		host_warn(host, "scope: no tool is visible: ", err);
}

void scope_failed(struct host *host, const struct err *err)
{
	log_failure(host, err);
	host->scope.state = SCOPE_FAILED;
	host->scope.failure = err->code;
	settle(host);
}

int host_check_scope(const struct host *host, struct err *err)
{
	const struct host_scope *scope = &host->scope;

	if (!host_is_scoped(host) || scope->state == SCOPE_DECIDED)
		return 0;
	if (scope->failure == ERR_PROGRAM_NOT_FOUND) {
		(void)err_set(err, ERR_SCOPE_UNAVAILABLE,
		    "what may be done here could not be found out, so nothing was run: stile "
		    "itself, "
		    "which would ask, lies where others could replace it, or is gone, and may not "
		    "be "
		    "trusted there; a person must put it where only they or root can write (the "
		    "server says on standard error what is wrong)");
		err->retryable = false;
		return -1;
	}
	return err_set(err, ERR_SCOPE_UNAVAILABLE,
	    "what may be done here could not be found out (%s), so nothing was run; try again, and "
	    "if it stays so, see what the server says on standard error",
	    err_info(scope->failure)->wire);
}

/* ---- in the background ---- */

/* Not before somebody has asked: processes that are started to be looked at cost nothing. */
static bool is_due(const struct host *host)
{
	const struct host_scope *scope = &host->scope;

	if (scope->state == SCOPE_UNASKED || is_asking(scope) || host->is_draining)
		return false;
	return scope->state == SCOPE_FAILED || scope->is_stale ||
	       host->options->workspace == NULL || scope_has_vault_changed(host);
}

static void arm(struct host *host);

static void on_tick(void *ctx)
{
	struct host *host = ctx;

	host->scope.timer = NULL;
	arm(host);
	(void)host_refresh(host);
	if (is_due(host))
		ask(host);
}

static void arm(struct host *host)
{
	int64_t interval_ms = host->options->scope_ttl_ms;

	if (interval_ms < WATCH_MIN_MS)
		interval_ms = WATCH_MIN_MS;
	host->scope.timer = loop_add_timer(host->loop, interval_ms, on_tick, host);
}

void host_watch_scope(struct host *host, bool is_watching)
{
	loop_timer_remove(steal_ptr(&host->scope.timer));
	if (is_watching && host_is_scoped(host))
		arm(host);
}

/* ---- the end ---- */

void host_terminate_scope(struct host *host)
{
	if (host->scope.run != NULL)
		run_cancel(host->scope.run);
}

void host_kill_scope(struct host *host)
{
	struct host_scope *scope = &host->scope;
	cleanup_err struct err err = ERR_INIT;

	if (!is_asking(scope))
		return;
	if (scope->run != NULL)
		run_kill(steal_ptr(&scope->run));
	if (scope->ticket != 0)
		ledger_forget(host->ledger, scope->ticket);
	scope->ticket = 0;
	loop_timer_remove(steal_ptr(&scope->recorded));
	err_set(&err, ERR_CANCELLED, "the server ended");
	scope_failed(host, &err);
}

void host_release_scope(struct host *host)
{
	struct host_scope *scope = &host->scope;

	loop_timer_remove(scope->timer);
	decision_release(&scope->decision);
	decision_release(&scope->proposed);
	buf_release(&scope->said);
	buf_release(&scope->proposed_said);
	free(scope->folder);
}
