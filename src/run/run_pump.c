/* SPDX-License-Identifier: MIT */
/*
 * One run from its start to its end: two pipes read as they fill, the child's exit, one timer.
 *
 * The timer means, in turn: the deadline; the grace between TERM and KILL; the patience with what
 * even KILL does not end; and, once the child has ended, the drain. The child is reaped last of
 * all, for until then its pid, and so its group's number, cannot be given to anyone else.
 *
 * Until the child has ended we hold the write ends of its pipes as well. So they do not hang up
 * one after the other while it exits, each time waking us for nothing: its exit is one event, and
 * only then does the end of a stream tell whether somebody else still has it.
 *
 * The pipes are blocking. A read follows an event, one for one, and then never waits: we are the
 * only reader.
 */
#include "run/run.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "os/os.h"
#include "run/run_internal.h"

/* One read: what a pipe holds. */
#define CHUNK (64 * KIB)

struct stream {
	struct run *run;
	struct loop_fd *source; /* NULL once at its end */
	int fd;                 /* -1 once at its end */
	int held_fd;            /* our hold on the write end; -1 once the child has ended */
};

struct run {
	struct loop *loop;
	run_done_fn done;
	void *ctx;
	pid_t pid;
	int slot; /* in the list of children */
	struct stream out;
	struct stream err;
	int exit_fd;                 /* readable when the child has ended; -1 afterwards */
	struct loop_fd *exit_source; /* NULL afterwards */
	struct loop_timer *timer;    /* see above */
	int64_t start_us;
	struct buf tail;            /* of stderr: its last bytes */
	bool has_ended;             /* the child is a zombie of ours */
	bool has_cause;             /* outcome.end is decided, whatever the status will say */
	struct run_outcome outcome; /* as far as known */
};

void run_outcome_release(struct run_outcome *outcome)
{
	buf_release(&outcome->out);
	buf_release(&outcome->err);
	*outcome = RUN_OUTCOME_INIT;
}

pid_t run_pid(const struct run *run)
{
	return run->pid;
}

/* ---- the end ---- */

static void arm(struct run *run, int64_t delay_ms, loop_timer_fn fn)
{
	loop_timer_remove(run->timer);
	run->timer = loop_add_timer(run->loop, delay_ms, fn, run);
}

static void close_stream(struct stream *stream)
{
	loop_fd_remove(stream->source);
	stream->source = NULL;
	close_fd(&stream->fd);
	close_fd(&stream->held_fd);
}

static void close_exit(struct run *run)
{
	loop_fd_remove(run->exit_source);
	run->exit_source = NULL;
	close_fd(&run->exit_fd);
}

static void stop_watching(struct run *run)
{
	loop_timer_remove(run->timer);
	run->timer = NULL;
	close_stream(&run->out);
	close_stream(&run->err);
	close_exit(run);
}

static void read_status(struct run *run, int status)
{
	volatile struct spawn_failure *failure = children_failure(run->slot);
	struct run_outcome *outcome = &run->outcome;
	enum run_end end = WIFEXITED(status) ? RUN_EXITED : RUN_SIGNALED;

	outcome->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	outcome->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	if (failure->errnum != 0) {
		outcome->errnum = failure->errnum;
		outcome->step = failure->step;
		end = RUN_NOT_STARTED;
	}
	if (!run->has_cause || end == RUN_NOT_STARTED)
		outcome->end = end;
}

/* A child that even KILL did not end (uninterruptible, or run as another user) is left to
 * run_reap_adopted(). */
static void reap(struct run *run)
{
	int status = 0;

	if (waitpid(run->pid, &status, run->has_ended ? 0 : WNOHANG) == run->pid)
		read_status(run, status);
	children_release(run->slot);
}

/* What is left of the group goes with its leader: nothing runs on behind a finished call. */
static void finish(struct run *run)
{
	struct run_outcome outcome;
	run_done_fn done = run->done;
	void *ctx = run->ctx;

	stop_watching(run);
	(void)kill(-run->pid, SIGKILL);
	reap(run);
	outcome = run->outcome;
	outcome.duration_us = clock_monotonic_us() - run->start_us;
	buf_release(&run->tail);
	free(run);
	done(ctx, &outcome);
	run_outcome_release(&outcome);
}

/* The end of a timer that ends the run: of the drain, of patience, or of a start that failed. */
static void on_last_timer(void *ctx)
{
	struct run *run = ctx;

	run->timer = NULL;
	finish(run);
}

static void finish_if_over(struct run *run)
{
	if (run->has_ended && run->out.source == NULL && run->err.source == NULL)
		finish(run);
}

static void on_exit_ready(void *ctx, short revents)
{
	struct run *run = ctx;

	(void)revents;
	if (!os_has_ended(run->exit_fd, run->pid))
		return;
	run->has_ended = true;
	close_exit(run);
	close_fd(&run->out.held_fd);
	close_fd(&run->err.held_fd);
	arm(run, LIMIT_DRAIN_MS, on_last_timer);
	finish_if_over(run);
}

/* ---- ending it before its time ---- */

static void on_grace_over(void *ctx)
{
	struct run *run = ctx;

	run->timer = NULL;
	(void)kill(-run->pid, SIGKILL);
	arm(run, LIMIT_KILL_GRACE_MS, on_last_timer);
}

/* CONT, for a stopped process does not see TERM. */
static void end_group(struct run *run, enum run_end cause)
{
	if (run->has_cause || run->has_ended)
		return;
	run->has_cause = true;
	run->outcome.end = cause;
	(void)kill(-run->pid, SIGTERM);
	(void)kill(-run->pid, SIGCONT);
	arm(run, LIMIT_KILL_GRACE_MS, on_grace_over);
}

static void on_deadline(void *ctx)
{
	struct run *run = ctx;

	run->timer = NULL;
	end_group(run, RUN_TIMED_OUT);
}

void run_cancel(struct run *run)
{
	end_group(run, RUN_CANCELLED);
}

/* Bounded: a child in an uninterruptible sleep must not hold up the end of the server. */
static void wait_for_exit(const struct run *run)
{
	struct pollfd polled = { .fd = run->exit_fd, .events = POLLIN };
	int64_t give_up_ms = clock_monotonic_ms() + LIMIT_KILL_GRACE_MS;

	if (run->has_ended || run->exit_fd < 0)
		return;
	while (
	    poll(&polled, 1, (int)LIMIT_KILL_GRACE_MS) != 0 && clock_monotonic_ms() < give_up_ms) {
		if (polled.revents != 0 && os_has_ended(run->exit_fd, run->pid))
			return;
	}
}

void run_kill(struct run *run)
{
	(void)kill(-run->pid, SIGKILL);
	(void)kill(run->pid, SIGKILL);
	wait_for_exit(run);
	stop_watching(run);
	reap(run);
	run_outcome_release(&run->outcome);
	buf_release(&run->tail);
	free(run);
}

/* ---- streams ---- */

/* Keeps a line and its newline, whatever came before. */
static void keep_tail(struct buf *tail, const char *data, size_t len)
{
	const size_t most = RUN_LINE_MAX + 1;

	if (len > most) {
		data += len - most;
		len = most;
	}
	if (tail->len + len > most)
		buf_consume(tail, tail->len + len - most);
	buf_add(tail, data, len);
}

void run_last_line(const struct run *run, struct buf *ret_line)
{
	static const char blanks[] = " \t\r\n";
	const char *begin = run->tail.data;
	const char *end = begin + run->tail.len;
	const char *at;

	while (end > begin && memchr(blanks, end[-1], sizeof(blanks) - 1) != NULL)
		end--;
	at = end;
	while (at > begin && at[-1] != '\n' && at[-1] != '\r')
		at--;
	buf_add(ret_line, at, (size_t)(end - at));
}

/* Adds what fits; true when something did not. */
static bool add_head(struct buf *buf, const char *data, size_t len)
{
	size_t room = buf->max_len - buf->len;

	buf_add(buf, data, len < room ? len : room);
	return len > room;
}

/* Output past its bound is never passed on as if it were whole, even when the program ended by
 * itself before we had read that far. The pipe is closed: who writes on gets SIGPIPE. */
static void refuse_output(struct run *run)
{
	close_stream(&run->out);
	end_group(run, RUN_TOO_LARGE);
	if (!run->has_cause) {
		run->has_cause = true;
		run->outcome.end = RUN_TOO_LARGE;
	}
}

static void take_output(struct stream *stream, const char *data, size_t len)
{
	struct run *run = stream->run;

	if (stream == &run->err) {
		run->outcome.is_stderr_cut |= add_head(&run->outcome.err, data, len);
		keep_tail(&run->tail, data, len);
	} else if (add_head(&run->outcome.out, data, len))
		refuse_output(run);
}

/* A pipe that has hung up and holds nothing is at its end; no read is needed to learn that. */
static void on_stream_ready(void *ctx, short revents)
{
	struct stream *stream = ctx;
	struct run *run = stream->run;
	char chunk[CHUNK];
	ssize_t len = revents & POLLIN ? read(stream->fd, chunk, sizeof(chunk)) : 0;

	if (len < 0 && errno == EINTR)
		return;
	if (len > 0)
		take_output(stream, chunk, (size_t)len);
	else
		close_stream(stream);
	finish_if_over(run);
}

/* ---- the start ---- */

/* The descriptors of a start; what is still here when it goes out of scope is closed. */
struct pipes {
	int in; /* a file that holds the input, or -1: /dev/null */
	int out[2];
	int err[2];
};

#define PIPES_INIT ((struct pipes){ -1, { -1, -1 }, { -1, -1 } })
#define cleanup_pipes __attribute__((cleanup(close_pipes)))

static void close_pipes(struct pipes *pipes)
{
	close_fd(&pipes->in);
	for (int i = 0; i < 2; i++) {
		close_fd(&pipes->out[i]);
		close_fd(&pipes->err[i]);
	}
}

/* Where our own 0, 1 or 2 is closed, a new descriptor may land there, and would be overwritten
 * while the child puts its own in place. */
static int move_above_stdio(int *fd)
{
	int moved;

	if (*fd > STDERR_FILENO)
		return 0;
	moved = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close_fd(fd);
	*fd = moved;
	return moved < 0 ? -1 : 0;
}

static int open_pipes(const struct run_spec *spec, struct pipes *pipes, struct err *err)
{
	if (spec->stdin_data != NULL) {
		pipes->in = os_open_memory_file(spec->stdin_data, spec->stdin_len, err);
		if (pipes->in < 0)
			return -1;
	}
	if (pipe2(pipes->out, O_CLOEXEC) < 0 || pipe2(pipes->err, O_CLOEXEC) < 0 ||
	    (pipes->in >= 0 && move_above_stdio(&pipes->in) < 0) ||
	    move_above_stdio(&pipes->out[1]) < 0 || move_above_stdio(&pipes->err[1]) < 0) {
		if (errno == EMFILE || errno == ENFILE)
			return err_set(err, ERR_UNAVAILABLE, "no descriptors left for a program");
		return err_errno(err, errno, "open pipes for a program");
	}
	return 0;
}

static pid_t spawn_with(
    const struct run_spec *spec, const struct pipes *pipes, int slot, struct err *err)
{
	int in = pipes->in >= 0 ? pipes->in : spawn_null_fd(err);
	struct spawn spawn = {
		.path = spec->path,
		.argv = spec->argv,
		.envp = spec->envp,
		.cwd = spec->cwd != NULL ? spec->cwd : "/",
		.fds = { in, pipes->out[1], pipes->err[1] },
		.inherit_fd = spec->inherit_fd,
		.failure = children_failure(slot),
	};

	return in < 0 ? -1 : spawn_child(&spawn, err);
}

static struct run *new_run(struct loop *loop, const struct run_spec *spec, pid_t pid, int slot)
{
	struct run *run = xcalloc(1, sizeof(*run));

	run->loop = loop;
	run->pid = pid;
	run->slot = slot;
	run->exit_fd = -1;
	run->out = (struct stream){ .run = run, .fd = -1, .held_fd = -1 };
	run->err = (struct stream){ .run = run, .fd = -1, .held_fd = -1 };
	run->outcome.out = BUF_INIT_MAX(spec->max_output);
	run->outcome.err = BUF_INIT_MAX(spec->max_stderr);
	run->outcome.pid = pid;
	run->tail = BUF_INIT;
	return run;
}

static void watch_stream(struct stream *stream, int pipe_fds[2])
{
	stream->fd = steal_fd(&pipe_fds[0]);
	stream->held_fd = steal_fd(&pipe_fds[1]);
	stream->source =
	    loop_add_fd(stream->run->loop, stream->fd, POLLIN, on_stream_ready, stream);
}

/* The program runs already: where descriptors are short, those that we can do without make room,
 * and a run is not lost for want of one. */
static int open_exit(struct run *run, struct pipes *pipes, struct err *err)
{
	cleanup_err struct err ignored = ERR_INIT;

	close_fd(&pipes->in);
	run->exit_fd = os_open_exit_fd(run->pid, &ignored);
	if (run->exit_fd >= 0)
		return 0;
	close_fd(&pipes->out[1]);
	close_fd(&pipes->err[1]);
	run->exit_fd = os_open_exit_fd(run->pid, err);
	if (run->exit_fd < 0)
		return err_wrap(err, "the program was started and ended again");
	return 0;
}

/* The exit stands behind the streams: what is read in the same turn is read first. */
static int watch(struct run *run, struct pipes *pipes, int64_t timeout_ms, struct err *err)
{
	if (open_exit(run, pipes, err) < 0)
		return -1;
	watch_stream(&run->out, pipes->out);
	watch_stream(&run->err, pipes->err);
	run->exit_source = loop_add_fd(run->loop, run->exit_fd, POLLIN, on_exit_ready, run);
	arm(run, timeout_ms, on_deadline);
	return 0;
}

struct run *run_start(
    struct loop *loop, const struct run_spec *spec, run_done_fn done, void *ctx, struct err *err)
{
	cleanup_pipes struct pipes pipes = PIPES_INIT;
	int64_t start_us = clock_monotonic_us();
	struct run *run;
	pid_t pid;
	int slot;

	assert(spec->path[0] == '/' && spec->timeout_ms > 0);
	if (open_pipes(spec, &pipes, err) < 0 || (slot = children_reserve(err)) < 0)
		return NULL;
	pid = spawn_with(spec, &pipes, slot, err);
	if (pid < 0) {
		children_release(slot);
		return NULL;
	}
	children_set(slot, pid);
	run = new_run(loop, spec, pid, slot);
	run->done = done;
	run->ctx = ctx;
	run->start_us = start_us;
	if (children_failure(slot)->errnum != 0) {
		run->has_ended = true;
		arm(run, 0, on_last_timer);
	} else if (watch(run, &pipes, spec->timeout_ms, err) < 0) {
		run_kill(run);
		return NULL;
	}
	return run;
}
