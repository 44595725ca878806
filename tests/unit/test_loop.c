/* SPDX-License-Identifier: MIT */
/* The loop: removal while callbacks run, order of timers, turns, interruption. */
#include "unit.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/mem.h"

/* A pipe with a byte in it, watched, and what its callback is to do. */
struct watched {
	struct loop *loop;
	struct loop_fd *source;
	int fds[2];
	int calls;
	struct watched *to_remove; /* by the callback; may be itself */
	struct watched *to_pause;
	struct watched *to_add;
};

static void on_ready(void *ctx, short revents);

static void watch(struct watched *watched)
{
	watched->source = loop_add_fd(watched->loop, watched->fds[0], POLLIN, on_ready, watched);
}

static void unwatch(struct watched *watched)
{
	loop_fd_remove(watched->source);
	watched->source = NULL;
}

static void on_ready(void *ctx, short revents)
{
	struct watched *watched = ctx;

	assert_true(revents & (POLLIN | POLLHUP));
	watched->calls++;
	if (watched->to_remove != NULL)
		unwatch(watched->to_remove);
	if (watched->to_pause != NULL)
		loop_fd_set_events(watched->to_pause->source, 0);
	if (watched->to_add != NULL)
		watch(watched->to_add);
	watched->to_add = NULL;
}

static void open_ready(struct watched *watched, struct loop *loop)
{
	*watched = (struct watched){ .loop = loop };
	assert_int_equal(pipe(watched->fds), 0);
	assert_int_equal(write(watched->fds[1], "x", 1), 1);
}

static void close_watched(struct watched *watched)
{
	unwatch(watched);
	close_fd(&watched->fds[0]);
	close_fd(&watched->fds[1]);
}

static void turn(struct loop *loop)
{
	cleanup_err struct err err = ERR_INIT;

	assert_ok(loop_turn(loop, &err), &err);
}

static void a_removed_source_does_not_run_even_if_it_was_ready_in_the_same_turn(void **state)
{
	struct loop *loop = loop_new();
	struct watched a;
	struct watched b;

	(void)state;
	open_ready(&a, loop);
	open_ready(&b, loop);
	watch(&a);
	watch(&b);
	a.to_remove = &b;
	turn(loop);
	turn(loop);
	assert_int_equal(a.calls, 2);
	assert_int_equal(b.calls, 0);
	close_watched(&a);
	close_watched(&b);
	loop_free(loop);
}

static void a_source_may_remove_itself(void **state)
{
	struct loop *loop = loop_new();
	struct watched a;
	struct watched b;

	(void)state;
	open_ready(&a, loop);
	open_ready(&b, loop);
	watch(&a);
	watch(&b);
	a.to_remove = &a;
	turn(loop);
	turn(loop);
	assert_int_equal(a.calls, 1);
	assert_int_equal(b.calls, 2);
	close_watched(&a);
	close_watched(&b);
	loop_free(loop);
}

static void a_source_added_by_a_callback_waits_for_the_next_turn(void **state)
{
	struct loop *loop = loop_new();
	struct watched a;
	struct watched b;

	(void)state;
	open_ready(&a, loop);
	open_ready(&b, loop);
	watch(&a);
	a.to_add = &b;
	turn(loop);
	assert_int_equal(b.calls, 0);
	turn(loop);
	assert_int_equal(b.calls, 1);
	close_watched(&a);
	close_watched(&b);
	loop_free(loop);
}

static void a_paused_source_is_silent_even_when_hung_up(void **state)
{
	struct loop *loop = loop_new();
	struct watched a;
	struct watched b;

	(void)state;
	open_ready(&a, loop);
	open_ready(&b, loop);
	watch(&a);
	watch(&b);
	a.to_pause = &b;
	close_fd(&b.fds[1]);
	turn(loop);
	turn(loop);
	assert_int_equal(b.calls, 0);
	loop_fd_set_events(b.source, POLLIN);
	a.to_pause = NULL;
	turn(loop);
	assert_int_equal(b.calls, 1);
	close_watched(&a);
	close_watched(&b);
	loop_free(loop);
}

static void hundreds_of_sources_come_and_go(void **state)
{
	enum { COUNT = 300 };
	struct loop *loop = loop_new();
	struct watched *all = xcalloc(COUNT, sizeof(*all));

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		open_ready(&all[i], loop);
		watch(&all[i]);
	}
	for (int i = 0; i < COUNT; i++)
		all[i].to_remove = i % 3 == 0 ? &all[(i + 1) % COUNT] : NULL;
	turn(loop);
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(all[i].calls, i % 3 == 1 ? 0 : 1);
	for (int i = 0; i < COUNT; i++)
		close_watched(&all[i]);
	free(all);
	loop_free(loop);
}

/* ---- timers ---- */

struct ticks {
	struct loop *loop;
	struct buf order;       /* names of the timers that fired */
	struct loop_timer *all; /* to be removed by the timer "-" */
};

struct tick {
	struct ticks *ticks;
	const char *name;
	struct tick *next; /* to be added when it fires */
};

static void on_tick(void *ctx)
{
	struct tick *tick = ctx;

	buf_adds(&tick->ticks->order, tick->name);
	if (tick->next != NULL)
		(void)loop_add_timer(tick->ticks->loop, 0, on_tick, tick->next);
	if (strcmp(tick->name, "-") == 0) {
		loop_timer_remove(tick->ticks->all);
		tick->ticks->all = NULL;
	}
}

static void a_removed_timer_never_fires(void **state)
{
	struct ticks ticks = { .loop = loop_new(), .order = BUF_INIT };
	struct tick remover = { .ticks = &ticks, .name = "-" };
	struct tick removed = { .ticks = &ticks, .name = "x" };
	struct tick last = { .ticks = &ticks, .name = "z" };

	(void)state;
	(void)loop_add_timer(ticks.loop, 0, on_tick, &remover);
	ticks.all = loop_add_timer(ticks.loop, 0, on_tick, &removed);
	(void)loop_add_timer(ticks.loop, 0, on_tick, &last);
	turn(ticks.loop);
	assert_string_equal(ticks.order.data, "-z");
	buf_release(&ticks.order);
	loop_free(ticks.loop);
}

static void a_timer_added_by_a_timer_waits_for_the_next_turn(void **state)
{
	struct ticks ticks = { .loop = loop_new(), .order = BUF_INIT };
	struct tick second = { .ticks = &ticks, .name = "b" };
	struct tick first = { .ticks = &ticks, .name = "a", .next = &second };

	(void)state;
	(void)loop_add_timer(ticks.loop, 0, on_tick, &first);
	turn(ticks.loop);
	assert_string_equal(ticks.order.data, "a");
	turn(ticks.loop);
	assert_string_equal(ticks.order.data, "ab");
	buf_release(&ticks.order);
	loop_free(ticks.loop);
}

static void a_timer_fires_once_and_never_before_its_time(void **state)
{
	struct ticks ticks = { .loop = loop_new(), .order = BUF_INIT };
	struct tick tick = { .ticks = &ticks, .name = "a" };
	int64_t start_us = clock_monotonic_us();

	(void)state;
	(void)loop_add_timer(ticks.loop, 7, on_tick, &tick);
	turn(ticks.loop);
	assert_string_equal(ticks.order.data, "a");
	assert_true(clock_monotonic_us() - start_us >= 7000);
	(void)loop_add_timer(ticks.loop, 0, on_tick, &tick);
	turn(ticks.loop);
	assert_string_equal(ticks.order.data, "aa");
	buf_release(&ticks.order);
	loop_free(ticks.loop);
}

static void timers_of_the_same_moment_fire_in_order_of_arrival(void **state)
{
	static const char names[] = "a\0b\0c\0d\0e\0f\0g\0h";
	struct ticks ticks = { .loop = loop_new(), .order = BUF_INIT };
	struct tick all[8];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		all[i] = (struct tick){ .ticks = &ticks, .name = names + 2 * i };
		(void)loop_add_timer(ticks.loop, -1, on_tick, &all[i]);
	}
	turn(ticks.loop);
	assert_string_equal(ticks.order.data, "abcdefgh");
	buf_release(&ticks.order);
	loop_free(ticks.loop);
}

/* When a timer is due is known to lie between two moments: around its addition, plus the delay. */
struct due {
	struct loop_timer *timer;
	int64_t earliest_us;
	int64_t latest_us;
	struct due **last; /* the one that fired before */
	int *fired;
};

static void on_due(void *ctx)
{
	struct due *due = ctx;

	if (*due->last != NULL)
		assert_true(due->latest_us >= (*due->last)->earliest_us);
	assert_true(clock_monotonic_us() >= due->earliest_us);
	*due->last = due;
	*due->fired += 1;
	due->timer = NULL;
}

static void add_due(struct loop *loop, struct due *due, int64_t delay_ms)
{
	due->earliest_us = clock_monotonic_us() + 1000 * delay_ms;
	due->timer = loop_add_timer(loop, delay_ms, on_due, due);
	due->latest_us = clock_monotonic_us() + 1000 * delay_ms;
}

/* Delays in a scrambled order, every third timer taken out of the middle of the heap. */
static void a_thousand_timers_fire_in_order_whatever_is_removed(void **state)
{
	enum { COUNT = 1000 };
	struct loop *loop = loop_new();
	struct due *all = xcalloc(COUNT, sizeof(*all));
	struct due *last = NULL;
	int fired = 0;

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		all[i] = (struct due){ .last = &last, .fired = &fired };
		add_due(loop, &all[i], 2 * (i * 7919 % 97));
	}
	for (int i = 0; i < COUNT; i += 3)
		loop_timer_remove(all[i].timer);
	while (fired < COUNT - (COUNT + 2) / 3)
		turn(loop);
	free(all);
	loop_free(loop);
}

/* ---- turns ---- */

static void note_turn(void *ctx)
{
	buf_adds(ctx, ";");
}

static void the_hook_runs_after_the_callbacks_of_each_turn(void **state)
{
	struct ticks ticks = { .loop = loop_new(), .order = BUF_INIT };
	struct tick second = { .ticks = &ticks, .name = "b" };
	struct tick first = { .ticks = &ticks, .name = "a", .next = &second };

	(void)state;
	loop_set_turn_end(ticks.loop, note_turn, &ticks.order);
	(void)loop_add_timer(ticks.loop, 0, on_tick, &first);
	turn(ticks.loop);
	turn(ticks.loop);
	assert_string_equal(ticks.order.data, "a;b;");
	buf_release(&ticks.order);
	loop_free(ticks.loop);
}

static void on_alarm(int signal)
{
	(void)signal;
}

static void an_interrupted_wait_is_a_turn_in_which_nothing_was_ready(void **state)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval soon = { .it_value = { .tv_usec = 5000 } };
	struct loop *loop = loop_new();
	struct watched a;
	char byte;

	(void)state;
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	open_ready(&a, loop);
	watch(&a);
	turn(loop);
	assert_int_equal(read(a.fds[0], &byte, 1), 1);
	assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
	turn(loop);
	assert_int_equal(a.calls, 1);
	close_watched(&a);
	loop_free(loop);
}

static void stop(void *ctx)
{
	loop_stop(ctx);
}

static void a_run_turns_until_it_is_stopped(void **state)
{
	struct ticks ticks = { .loop = loop_new(), .order = BUF_INIT };
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	loop_set_turn_end(ticks.loop, note_turn, &ticks.order);
	(void)loop_add_timer(ticks.loop, 1, stop, ticks.loop);
	assert_ok(loop_run(ticks.loop, &err), &err);
	assert_string_equal(ticks.order.data, ";");
	loop_stop(ticks.loop);
	assert_ok(loop_run(ticks.loop, &err), &err);
	assert_string_equal(ticks.order.data, ";");
	buf_release(&ticks.order);
	loop_free(ticks.loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_removed_source_does_not_run_even_if_it_was_ready_in_the_same_turn),
		cmocka_unit_test(a_source_may_remove_itself),
		cmocka_unit_test(a_source_added_by_a_callback_waits_for_the_next_turn),
		cmocka_unit_test(a_paused_source_is_silent_even_when_hung_up),
		cmocka_unit_test(hundreds_of_sources_come_and_go),
		cmocka_unit_test(a_removed_timer_never_fires),
		cmocka_unit_test(a_timer_added_by_a_timer_waits_for_the_next_turn),
		cmocka_unit_test(a_timer_fires_once_and_never_before_its_time),
		cmocka_unit_test(timers_of_the_same_moment_fire_in_order_of_arrival),
		cmocka_unit_test(a_thousand_timers_fire_in_order_whatever_is_removed),
		cmocka_unit_test(the_hook_runs_after_the_callbacks_of_each_turn),
		cmocka_unit_test(an_interrupted_wait_is_a_turn_in_which_nothing_was_ready),
		cmocka_unit_test(a_run_turns_until_it_is_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
