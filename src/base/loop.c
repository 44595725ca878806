/* SPDX-License-Identifier: MIT */
/*
 * The loop: an array for poll(2) with a parallel array of sources, and a binary heap of timers.
 *
 * A removed source leaves a hole (fd -1, no source) that poll(2) passes over; holes are closed
 * before the next turn, never while callbacks run, so that indexes stay put during dispatch. A
 * source added by a callback stands behind the part that is being dispatched. What a turn does is
 * decided by what was ready at its start; a timer added by a timer waits for the next turn, so
 * that descriptors are never starved.
 */
#include "base/loop.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"

/* Longest delay a timer takes, a year: keeps the arithmetic far from overflow. */
#define DELAY_MAX_MS ((int64_t)366 * 24 * 3600 * 1000)

struct loop_fd {
	struct loop *loop; /* back reference for removal */
	size_t index;      /* in loop->sources and loop->polled */
	int fd;            /* as given; polled[index].fd is -1 while paused */
	loop_fd_fn fn;
	void *ctx;
};

struct loop_timer {
	struct loop *loop;
	size_t index;        /* in loop->timers */
	int64_t deadline_us; /* monotonic */
	uint64_t sequence;   /* order of arrival: breaks ties, and tells the new from the old */
	loop_timer_fn fn;
	void *ctx;
};

struct loop {
	struct loop_fd **sources; /* NULL is a hole; owned */
	struct pollfd *polled;    /* parallel to sources; owned */
	size_t len;               /* slots in use, holes included */
	size_t cap;               /* slots allocated */
	size_t holes;             /* to be closed before the next poll */

	struct loop_timer **timers; /* heap: the earliest first; owned */
	size_t timers_len;
	size_t timers_cap;
	uint64_t next_sequence;

	loop_timer_fn turn_end; /* or NULL */
	void *turn_end_ctx;
	bool is_stopped;
	bool is_turning; /* guards against a turn within a turn */
};

struct loop *loop_new(void)
{
	return xcalloc(1, sizeof(struct loop));
}

void loop_free(struct loop *loop)
{
	if (loop == NULL)
		return;
	for (size_t i = 0; i < loop->len; i++)
		free(loop->sources[i]);
	for (size_t i = 0; i < loop->timers_len; i++)
		free(loop->timers[i]);
	free(loop->sources);
	free(loop->polled);
	free(loop->timers);
	free(loop);
}

/* ---- descriptors ---- */

static void reserve_slot(struct loop *loop)
{
	if (loop->len < loop->cap)
		return;
	loop->cap = loop->cap * 2 + 16;
	loop->sources = xreallocarray(loop->sources, loop->cap, sizeof(*loop->sources));
	loop->polled = xreallocarray(loop->polled, loop->cap, sizeof(*loop->polled));
}

struct loop_fd *loop_add_fd(struct loop *loop, int fd, short events, loop_fd_fn fn, void *ctx)
{
	struct loop_fd *source = xcalloc(1, sizeof(*source));

	assert(fd >= 0);
	reserve_slot(loop);
	*source =
	    (struct loop_fd){ .loop = loop, .index = loop->len, .fd = fd, .fn = fn, .ctx = ctx };
	loop->sources[loop->len] = source;
	loop->polled[loop->len++] = (struct pollfd){ .fd = -1 };
	loop_fd_set_events(source, events);
	return source;
}

/* poll(2) reports POLLHUP and POLLERR even when nothing is asked for: a paused source has to be
 * hidden from it altogether. */
void loop_fd_set_events(struct loop_fd *source, short events)
{
	struct pollfd *polled = &source->loop->polled[source->index];

	polled->fd = events == 0 ? -1 : source->fd;
	polled->events = events;
	polled->revents = (short)(events == 0 ? 0 : polled->revents & (events | POLLHUP | POLLERR));
}

void loop_fd_remove(struct loop_fd *source)
{
	struct loop *loop;

	if (source == NULL)
		return;
	loop = source->loop;
	loop->sources[source->index] = NULL;
	loop->polled[source->index] = (struct pollfd){ .fd = -1 };
	loop->holes++;
	free(source);
}

static void close_holes(struct loop *loop)
{
	size_t kept = 0;

	if (loop->holes == 0)
		return;
	for (size_t i = 0; i < loop->len; i++) {
		if (loop->sources[i] == NULL)
			continue;
		loop->sources[kept] = loop->sources[i];
		loop->polled[kept] = loop->polled[i];
		loop->sources[kept]->index = kept;
		kept++;
	}
	loop->len = kept;
	loop->holes = 0;
}

/* polled_len: the slots that poll(2) saw; later ones are new. The arrays may move meanwhile. */
static void dispatch_fds(struct loop *loop, size_t polled_len)
{
	for (size_t i = 0; i < polled_len; i++) {
		struct loop_fd *source = loop->sources[i];
		short revents = loop->polled[i].revents;

		if (source == NULL || revents == 0)
			continue;
		assert(!(revents & POLLNVAL)); /* closed before it was removed */
		source->fn(source->ctx, revents);
	}
}

/* ---- timers ---- */

static bool is_earlier(const struct loop_timer *a, const struct loop_timer *b)
{
	if (a->deadline_us != b->deadline_us)
		return a->deadline_us < b->deadline_us;
	return a->sequence < b->sequence;
}

static void heap_put(struct loop *loop, size_t index, struct loop_timer *timer)
{
	loop->timers[index] = timer;
	timer->index = index;
}

static void heap_up(struct loop *loop, size_t index)
{
	struct loop_timer *timer = loop->timers[index];

	while (index > 0 && is_earlier(timer, loop->timers[(index - 1) / 2])) {
		heap_put(loop, index, loop->timers[(index - 1) / 2]);
		index = (index - 1) / 2;
	}
	heap_put(loop, index, timer);
}

static void heap_down(struct loop *loop, size_t index)
{
	struct loop_timer *timer = loop->timers[index];

	for (;;) {
		size_t child = 2 * index + 1;

		if (child >= loop->timers_len)
			break;
		if (child + 1 < loop->timers_len &&
		    is_earlier(loop->timers[child + 1], loop->timers[child]))
			child++;
		if (!is_earlier(loop->timers[child], timer))
			break;
		heap_put(loop, index, loop->timers[child]);
		index = child;
	}
	heap_put(loop, index, timer);
}

struct loop_timer *loop_add_timer(struct loop *loop, int64_t delay_ms, loop_timer_fn fn, void *ctx)
{
	struct loop_timer *timer = xcalloc(1, sizeof(*timer));
	int64_t delay = delay_ms < 0 ? 0 : delay_ms > DELAY_MAX_MS ? DELAY_MAX_MS : delay_ms;

	*timer = (struct loop_timer){ .loop = loop,
		.deadline_us = clock_monotonic_us() + delay * 1000,
		.sequence = loop->next_sequence++,
		.fn = fn,
		.ctx = ctx };
	ARRAY_GROW(loop->timers, loop->timers_len, loop->timers_cap);
	heap_put(loop, loop->timers_len++, timer);
	heap_up(loop, timer->index);
	return timer;
}

static void heap_remove(struct loop *loop, size_t index)
{
	struct loop_timer *last = loop->timers[--loop->timers_len];

	if (index == loop->timers_len)
		return;
	heap_put(loop, index, last);
	heap_up(loop, index);
	heap_down(loop, last->index);
}

void loop_timer_remove(struct loop_timer *timer)
{
	if (timer == NULL)
		return;
	heap_remove(timer->loop, timer->index);
	free(timer);
}

/* Ties are broken by sequence, so what stands behind the first new timer is not due either. */
static void fire_timers(struct loop *loop)
{
	uint64_t first_new = loop->next_sequence;
	int64_t now_us;

	if (loop->timers_len == 0)
		return;
	now_us = clock_monotonic_us();
	while (loop->timers_len > 0) {
		struct loop_timer *timer = loop->timers[0];
		loop_timer_fn fn = timer->fn;
		void *ctx = timer->ctx;

		if (timer->deadline_us > now_us || timer->sequence >= first_new)
			return;
		heap_remove(loop, 0);
		free(timer);
		fn(ctx);
	}
}

/* Milliseconds for poll(2), rounded up so that no turn wakes just before a timer is due. */
static int poll_timeout(const struct loop *loop)
{
	int64_t wait_us;

	if (loop->timers_len == 0)
		return -1;
	wait_us = loop->timers[0]->deadline_us - clock_monotonic_us();
	if (wait_us <= 0)
		return 0;
	wait_us = (wait_us + 999) / 1000;
	return wait_us > INT_MAX ? INT_MAX : (int)wait_us;
}

/* ---- turns ---- */

void loop_set_turn_end(struct loop *loop, loop_timer_fn fn, void *ctx)
{
	loop->turn_end = fn;
	loop->turn_end_ctx = ctx;
}

/* An interrupted poll is a turn in which nothing was ready: poll(2) has written no revents, so
 * those of the turn before must not be read again. */
int loop_turn(struct loop *loop, struct err *err)
{
	int ready;

	assert(!loop->is_turning);
	close_holes(loop);
	ready = poll(loop->polled, loop->len, poll_timeout(loop));
	if (ready < 0 && errno != EINTR)
		return err_errno(err, errno, "wait for events");
	loop->is_turning = true;
	if (ready > 0)
		dispatch_fds(loop, loop->len);
	fire_timers(loop);
	if (loop->turn_end != NULL)
		loop->turn_end(loop->turn_end_ctx);
	loop->is_turning = false;
	return 0;
}

/* A stop requested before the run counts: the run then makes no turn at all. */
int loop_run(struct loop *loop, struct err *err)
{
	int result = 0;

	while (result == 0 && !loop->is_stopped)
		result = loop_turn(loop, err);
	loop->is_stopped = false;
	return result;
}

void loop_stop(struct loop *loop)
{
	loop->is_stopped = true;
}
