/* SPDX-License-Identifier: MIT */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

/*
 * One poll(2) loop: descriptors, timers, and a hook at the end of every turn.
 *
 * Single-threaded; callbacks run from loop_turn() only. Sources are owned by the loop's user and
 * may be removed from within any callback, their own included; a removed source's callback never
 * runs again, even if its descriptor was ready in the same turn.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct loop;
struct loop_fd;
struct loop_timer;

/* revents: the POLLIN, POLLOUT, POLLHUP, POLLERR bits that are set. */
typedef void (*loop_fd_fn)(void *ctx, short revents);
typedef void (*loop_timer_fn)(void *ctx);

struct loop *loop_new(void) MUST_CHECK;
void loop_free(struct loop *loop);

/* Watches fd (borrowed, not closed by the loop) for events (POLLIN, POLLOUT, or 0 to pause). */
struct loop_fd *loop_add_fd(struct loop *loop, int fd, short events, loop_fd_fn fn, void *ctx)
    MUST_CHECK;
void loop_fd_set_events(struct loop_fd *source, short events);

/* NULL is allowed; the pointer is dead afterwards. Remove before closing the descriptor. */
void loop_fd_remove(struct loop_fd *source);

/* Calls fn once, delay_ms from now; the timer is then gone by itself. The result may be dropped
 * when the timer will not have to be removed. */
struct loop_timer *loop_add_timer(struct loop *loop, int64_t delay_ms, loop_timer_fn fn, void *ctx);

/* NULL is allowed. Must not be called for a timer that has fired: set your pointer to NULL in fn. */
void loop_timer_remove(struct loop_timer *timer);

/*
 * The hook runs after the callbacks of each turn, before the loop sleeps again: the place of
 * group commit and of releasing answers (DESIGN §6). One hook a loop.
 */
void loop_set_turn_end(struct loop *loop, loop_timer_fn fn, void *ctx);

/* One turn: waits for readiness or the next timer, runs what is due, then the hook. 0 or -1. */
int loop_turn(struct loop *loop, struct err *err) MUST_CHECK;

/* Turns until loop_stop() is called. */
int loop_run(struct loop *loop, struct err *err) MUST_CHECK;
void loop_stop(struct loop *loop);

#endif
