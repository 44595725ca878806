/* SPDX-License-Identifier: MIT */
/*
 * Runs of the fake program: starts that fail, what a child gets, streams and their bounds, ends.
 *
 * Whether anything is left of a run is asked of a pipe: its write end is inherited by the child
 * and by all it starts, so its end of file is the end of them all. Nothing here sleeps.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "os/os.h"
#include "run/run.h"

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define FOR_EVER "1000000"

/* One run and what became of it. */
struct trial {
	struct loop *loop;
	struct run_spec spec; /* defaults, to be changed by the test before start() */
	struct run *run;
	struct run_outcome outcome;
	int ends;     /* how often done was called */
	int alive[2]; /* see the top; alive[1] is -1 once the child has it */
};

static char *no_environment[] = { NULL };

static void init(struct trial *trial)
{
	*trial = (struct trial){ .loop = loop_new(), .outcome = RUN_OUTCOME_INIT };
	assert_int_equal(pipe2(trial->alive, O_CLOEXEC), 0);
	trial->spec = (struct run_spec){
		.path = FAKE_PROGRAM,
		.envp = no_environment,
		.timeout_ms = 60000,
		.max_output = LIMIT_OUTPUT_DEFAULT,
		.max_stderr = LIMIT_STDERR,
		.inherit_fd = trial->alive[1],
	};
}

static void release(struct trial *trial)
{
	close_fd(&trial->alive[0]);
	close_fd(&trial->alive[1]);
	run_outcome_release(&trial->outcome);
	loop_free(trial->loop);
}

static void on_done(void *ctx, struct run_outcome *outcome)
{
	struct trial *trial = ctx;

	trial->outcome = *outcome;
	*outcome = RUN_OUTCOME_INIT;
	trial->run = NULL;
	trial->ends++;
	loop_stop(trial->loop);
}

/* Starts the program with words behind its name; the error's code, or ERR_NONE. */
static enum err_code try_start(struct trial *trial, const char *const *words)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_strvec struct strvec argv = STRVEC_INIT;

	strvec_push(&argv, "fake");
	for (; *words != NULL; words++)
		strvec_push(&argv, *words);
	trial->spec.argv = strvec_array(&argv);
	trial->run = run_start(trial->loop, &trial->spec, on_done, trial, &err);
	close_fd(&trial->alive[1]);
	assert_int_equal(trial->run == NULL, err_is_set(&err));
	return err.code;
}

static void start(struct trial *trial, const char *const *words)
{
	assert_int_equal(try_start(trial, words), ERR_NONE);
	assert_int_equal(trial->ends, 0);
}

static void finish(struct trial *trial)
{
	cleanup_err struct err err = ERR_INIT;

	assert_ok(loop_run(trial->loop, &err), &err);
	assert_int_equal(trial->ends, 1);
}

static void turn(struct trial *trial)
{
	cleanup_err struct err err = ERR_INIT;

	assert_ok(loop_turn(trial->loop, &err), &err);
}

static void run_fake(struct trial *trial, const char *const *words)
{
	start(trial, words);
	finish(trial);
}

/* Blocks until the child and all it started have ended. */
static void assert_nothing_is_left(struct trial *trial)
{
	char byte;

	assert_int_equal(read(trial->alive[0], &byte, 1), 0);
}

static void assert_exited(const struct trial *trial, int status)
{
	assert_int_equal(trial->outcome.end, RUN_EXITED);
	assert_int_equal(trial->outcome.exit_status, status);
}

static void assert_not_started(const struct trial *trial, const char *step, int errnum)
{
	assert_int_equal(trial->outcome.end, RUN_NOT_STARTED);
	assert_string_equal(trial->outcome.step, step);
	assert_int_equal(trial->outcome.errnum, errnum);
	assert_int_equal(trial->outcome.out.len, 0);
}

/* An executable file with this content, to be unlinked by the caller. */
static char *make_file(const char *content, mode_t mode)
{
	char *path = xstrdup("/tmp/stile-test-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, strlen(content)), (ssize_t)strlen(content));
	assert_int_equal(fchmod(fd, mode), 0);
	close_fd(&fd);
	return path;
}

/* ---- starts that fail ---- */

static void a_program_that_is_not_there_is_reported_as_never_started(void **state)
{
	struct trial trial;

	(void)state;
	init(&trial);
	trial.spec.path = "/nonexistent/program";
	run_fake(&trial, WORDS("args"));
	assert_not_started(&trial, "execve", ENOENT);
	assert_nothing_is_left(&trial);
	release(&trial);
}

static void a_file_that_may_not_be_executed_is_reported_as_never_started(void **state)
{
	cleanup_free char *path = make_file("#!/bin/sh\n", 0600);
	struct trial trial;

	(void)state;
	init(&trial);
	trial.spec.path = path;
	run_fake(&trial, WORDS("args"));
	assert_not_started(&trial, "execve", EACCES);
	assert_int_equal(unlink(path), 0);
	release(&trial);
}

static void a_script_without_interpreter_is_never_given_to_a_shell(void **state)
{
	cleanup_free char *path = make_file("echo from a shell\n", 0700);
	struct trial trial;

	(void)state;
	init(&trial);
	trial.spec.path = path;
	run_fake(&trial, WORDS("args"));
	assert_not_started(&trial, "execve", ENOEXEC);
	assert_int_equal(unlink(path), 0);
	release(&trial);
}

static void a_working_directory_that_is_not_there_is_reported_as_such(void **state)
{
	struct trial trial;

	(void)state;
	init(&trial);
	trial.spec.cwd = "/nonexistent";
	run_fake(&trial, WORDS("args"));
	assert_not_started(&trial, "chdir", ENOENT);
	release(&trial);
}

/* From no room at all to plenty, a descriptor at a time: each start either is refused before the
 * program runs, or is followed to its end. */
static void short_of_descriptors_a_start_is_refused_or_complete(void **state)
{
	bool has_started = false;
	struct rlimit before;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	for (rlim_t room = 0; room < 8; room++) {
		enum err_code code;
		struct rlimit limit;
		struct trial trial;

		init(&trial);
		trial.spec.stdin_data = "x";
		trial.spec.stdin_len = 1;
		limit = (struct rlimit){ (rlim_t)trial.alive[1] + 1 + room, before.rlim_max };
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		code = try_start(&trial, WORDS("say", "--out=whole"));
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		assert_false(has_started && code != ERR_NONE);
		has_started = code == ERR_NONE;
		if (has_started) {
			finish(&trial);
			assert_exited(&trial, 0);
			assert_string_equal(trial.outcome.out.data, "whole");
		} else {
			assert_int_equal(code, ERR_UNAVAILABLE);
		}
		release(&trial);
	}
	assert_true(has_started);
	assert_true(err_info(ERR_UNAVAILABLE)->is_retryable);
}

static void too_many_children_are_unavailable_for_now(void **state)
{
	enum { MAX = 2 * LIMIT_CHILDREN };
	struct trial *trials = xcalloc(MAX + 1, sizeof(*trials));

	(void)state;
	for (int i = 0; i <= MAX; i++)
		init(&trials[i]);
	for (int i = 0; i < MAX; i++)
		start(&trials[i], WORDS("sleep", FOR_EVER));
	assert_int_equal(try_start(&trials[MAX], WORDS("args")), ERR_UNAVAILABLE);
	for (int i = 0; i < MAX; i++)
		run_kill(trials[i].run);
	for (int i = 0; i <= MAX; i++) {
		assert_nothing_is_left(&trials[i]);
		release(&trials[i]);
	}
	free(trials);
}

/* ---- what a child gets ---- */

static void every_byte_of_every_word_arrives(void **state)
{
	struct trial trial;

	(void)state;
	init(&trial);
	run_fake(&trial, WORDS("args", "", "; rm -rf x", "$(id)", "`id`", "| tee", "%PATH%", "*",
			     "'\"", "\t three\nlines\n", "-----BEGIN KEY-----\nMII\n",
			     "\xd0\x96\xe6\xbc\xa2\xf0\x9f\x8d\xba", "not utf-8: \xff"));
	assert_exited(&trial, 0);
	assert_string_equal(trial.outcome.out.data,
	    "{\"args\":[\"\",\"; rm -rf x\",\"$(id)\",\"`id`\",\"| "
	    "tee\",\"%PATH%\",\"*\",\"'\\\"\","
	    "\"\\u0009 three\\u000alines\\u000a\",\"-----BEGIN KEY-----\\u000aMII\\u000a\","
	    "\"\xd0\x96\xe6\xbc\xa2\xf0\x9f\x8d\xba\",\"not utf-8: \xff\"]}\n");
	release(&trial);
}

static void the_environment_is_what_was_given_and_nothing_else(void **state)
{
	char one[] = "ONE=1";
	char two[] = "TWO=\xd0\x96 two";
	char *environment[] = { one, two, NULL };
	struct trial trial;

	(void)state;
	init(&trial);
	trial.spec.envp = environment;
	run_fake(&trial, WORDS("env"));
	assert_string_equal(trial.outcome.out.data, "{\"ONE\":\"1\",\"TWO\":\"\xd0\x96 two\"}\n");
	release(&trial);
}

/* We ignore SIGPIPE (see main), block a signal, catch another, allow core files and hold a
 * descriptor without close-on-exec: none of it may be seen in the child. */
static void a_child_starts_in_a_session_of_its_own_with_all_else_at_its_default(void **state)
{
	const struct rlimit core = { 1 << 20, RLIM_INFINITY };
	struct rlimit before;
	sigset_t blocked;
	struct trial trial;
	int leak = dup(STDERR_FILENO);

	(void)state;
	init(&trial);
	trial.spec.inherit_fd = 0;
	(void)getrlimit(RLIMIT_CORE, &before);
	(void)setrlimit(RLIMIT_CORE, &core);
	(void)sigemptyset(&blocked);
	(void)sigaddset(&blocked, SIGUSR1);
	(void)sigprocmask(SIG_BLOCK, &blocked, NULL);
	run_fake(&trial, WORDS("process"));
	(void)sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	(void)setrlimit(RLIMIT_CORE, &before);
	assert_string_equal(trial.outcome.out.data, "{\"fds\":[0,1,2],\"ignored\":0,\"masked\":0,"
						    "\"leads\":true,\"core\":0,\"cwd\":\"/\"}\n");
	close_fd(&leak);
	release(&trial);
}

static void our_own_signal_mask_survives_a_start(void **state)
{
	sigset_t mask;
	struct trial trial;

	(void)state;
	init(&trial);
	run_fake(&trial, WORDS("args"));
	(void)sigprocmask(SIG_BLOCK, NULL, &mask);
	assert_int_equal(sigismember(&mask, SIGTERM), 0);
	assert_int_equal(sigismember(&mask, SIGUSR2), 0);
	release(&trial);
}

static void the_one_descriptor_named_for_it_is_inherited(void **state)
{
	cleanup_free char *wanted = NULL;
	struct trial trial;

	(void)state;
	init(&trial);
	wanted = xasprintf("{\"fds\":[0,1,2,%d],", trial.alive[1]);
	trial.spec.cwd = "/dev";
	run_fake(&trial, WORDS("process"));
	assert_int_equal(strncmp(trial.outcome.out.data, wanted, strlen(wanted)), 0);
	assert_non_null(strstr(trial.outcome.out.data, "\"cwd\":\"/dev\""));
	release(&trial);
}

static void a_start_works_where_our_own_standard_descriptors_are_closed(void **state)
{
	int saved[3];
	struct trial trial;

	(void)state;
	init(&trial);
	for (int i = 0; i < 3; i++) {
		saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 20);
		(void)close(i);
	}
	trial.spec.stdin_data = "input";
	trial.spec.stdin_len = 5;
	start(&trial, WORDS("stdin"));
	for (int i = 0; i < 3; i++) {
		/* The run's own ends may stand there by now: they keep their numbers. */
		if (fcntl(i, F_GETFD) < 0)
			(void)dup2(saved[i], i);
	}
	finish(&trial);
	for (int i = 0; i < 3; i++) {
		(void)dup2(saved[i], i);
		close_fd(&saved[i]);
	}
	assert_exited(&trial, 0);
	assert_string_equal(trial.outcome.out.data, "{\"bytes\":5,\"stdin\":\"input\"}\n");
	release(&trial);
}

static void standard_input_is_empty_unless_it_is_given(void **state)
{
	struct trial trial;

	(void)state;
	init(&trial);
	run_fake(&trial, WORDS("stdin"));
	assert_string_equal(trial.outcome.out.data, "{\"bytes\":0,\"stdin\":\"\"}\n");
	release(&trial);
}

static void there_is_no_terminal_to_ask_for_a_password_on(void **state)
{
	struct trial trial;

	(void)state;
	init(&trial);
	run_fake(&trial, WORDS("prompt", "--tty"));
	assert_exited(&trial, 4);
	assert_non_null(strstr(trial.outcome.err.data, "sign in again"));
	release(&trial);
}

static void input_larger_than_a_pipe_arrives_whole(void **state)
{
	static const char head[] = "{\"bytes\":700000,\"stdin\":\"yyyy";
	cleanup_free char *data = xcalloc(700000, 1);
	struct trial trial;

	(void)state;
	memset(data, 'y', 700000);
	init(&trial);
	trial.spec.stdin_data = data;
	trial.spec.stdin_len = 700000;
	run_fake(&trial, WORDS("stdin"));
	assert_exited(&trial, 0);
	assert_int_equal(strncmp(trial.outcome.out.data, head, strlen(head)), 0);
	assert_int_equal(trial.outcome.out.len, strlen(head) - 4 + 700000 + 3);
	release(&trial);
}

static void input_that_is_left_unread_is_no_failure(void **state)
{
	cleanup_free char *data = xcalloc(700000, 1);
	struct trial trial;

	(void)state;
	init(&trial);
	trial.spec.stdin_data = data;
	trial.spec.stdin_len = 700000;
	run_fake(&trial, WORDS("say", "--out=fine"));
	assert_exited(&trial, 0);
	assert_string_equal(trial.outcome.out.data, "fine");
	release(&trial);
}

/* ---- ends ---- */

static void the_exit_status_comes_home(void **state)
{
	struct trial trial;

	(void)state;
	init(&trial);
	run_fake(&trial, WORDS("say", "--out=o", "--err=e", "--exit=127"));
	assert_exited(&trial, 127);
	assert_string_equal(trial.outcome.out.data, "o");
	assert_string_equal(trial.outcome.err.data, "e");
	assert_false(trial.outcome.is_stderr_cut);
	assert_true(trial.outcome.duration_us > 0);
	assert_true(trial.outcome.pid > 0);
	release(&trial);
}

static void a_death_by_signal_comes_home(void **state)
{
	struct trial trial;

	(void)state;
	init(&trial);
	run_fake(&trial, WORDS("say", "--out=before", "--signal=10"));
	assert_int_equal(trial.outcome.end, RUN_SIGNALED);
	assert_int_equal(trial.outcome.signal, SIGUSR1);
	assert_string_equal(trial.outcome.out.data, "before");
	release(&trial);
}

static void both_streams_are_drained_together(void **state)
{
	struct trial trial;

	(void)state;
	init(&trial);
	trial.spec.max_output = 16 * MIB;
	run_fake(&trial, WORDS("flood", "--err=10000000", "--out=10000000"));
	assert_exited(&trial, 0);
	assert_int_equal(trial.outcome.out.len, 10000000);
	assert_int_equal(trial.outcome.err.len, LIMIT_STDERR);
	assert_true(trial.outcome.is_stderr_cut);
	assert_int_equal(trial.outcome.out.data[9999999], 'x');
	release(&trial);
}

static void output_up_to_its_bound_is_whole_and_one_byte_more_is_refused(void **state)
{
	struct trial trial;

	(void)state;
	init(&trial);
	trial.spec.max_output = 100000;
	run_fake(&trial, WORDS("flood", "--out=100000"));
	assert_exited(&trial, 0);
	assert_int_equal(trial.outcome.out.len, 100000);
	release(&trial);

	init(&trial);
	trial.spec.max_output = 100000;
	run_fake(&trial, WORDS("flood", "--out=100001"));
	assert_int_equal(trial.outcome.end, RUN_TOO_LARGE);
	assert_int_equal(trial.outcome.out.len, 100000);
	assert_nothing_is_left(&trial);
	release(&trial);
}

static void output_past_its_bound_is_refused_even_when_the_program_has_ended(void **state)
{
	siginfo_t info;
	struct trial trial;

	(void)state;
	init(&trial);
	trial.spec.max_output = 10;
	start(&trial, WORDS("say", "--out=0123456789a"));
	assert_int_equal(waitid(P_PID, (id_t)run_pid(trial.run), &info, WEXITED | WNOWAIT), 0);
	finish(&trial);
	assert_int_equal(trial.outcome.end, RUN_TOO_LARGE);
	assert_string_equal(trial.outcome.out.data, "0123456789");
	release(&trial);
}

static void output_without_end_ends_its_program(void **state)
{
	struct trial trial;

	(void)state;
	init(&trial);
	run_fake(&trial, WORDS("flood", "--out=-1", "--err=-1"));
	assert_int_equal(trial.outcome.end, RUN_TOO_LARGE);
	assert_int_equal(trial.outcome.out.len, LIMIT_OUTPUT_DEFAULT);
	assert_nothing_is_left(&trial);
	release(&trial);
}

static void a_program_past_its_deadline_is_ended(void **state)
{
	struct trial trial;

	(void)state;
	init(&trial);
	trial.spec.timeout_ms = 1000;
	run_fake(&trial, WORDS("sleep", FOR_EVER));
	assert_int_equal(trial.outcome.end, RUN_TIMED_OUT);
	assert_int_equal(trial.outcome.signal, SIGTERM);
	assert_true(trial.outcome.duration_us >= 1000000);
	assert_nothing_is_left(&trial);
	release(&trial);
}

static void a_program_that_ignores_term_is_killed_and_its_partial_output_kept(void **state)
{
	struct trial trial;

	(void)state;
	init(&trial);
	trial.spec.timeout_ms = 1000;
	run_fake(&trial, WORDS("sleep", FOR_EVER, "--ignore-term", "--partial"));
	assert_int_equal(trial.outcome.end, RUN_TIMED_OUT);
	assert_int_equal(trial.outcome.signal, SIGKILL);
	assert_string_equal(trial.outcome.out.data, "partial");
	assert_true(trial.outcome.duration_us >= 1000000 + LIMIT_KILL_GRACE_MS * 1000);
	assert_nothing_is_left(&trial);
	release(&trial);
}

static void a_stopped_program_still_meets_its_deadline(void **state)
{
	siginfo_t info;
	struct trial trial;

	(void)state;
	init(&trial);
	trial.spec.timeout_ms = 50;
	start(&trial, WORDS("sleep", FOR_EVER, "--stop"));
	assert_int_equal(waitid(P_PID, (id_t)run_pid(trial.run), &info, WSTOPPED | WNOWAIT), 0);
	finish(&trial);
	assert_int_equal(trial.outcome.end, RUN_TIMED_OUT);
	assert_int_equal(trial.outcome.signal, SIGTERM);
	release(&trial);
}

/* ---- what it leaves behind ---- */

static void a_grandchild_that_keeps_the_pipes_does_not_keep_the_call(void **state)
{
	struct trial trial;

	(void)state;
	init(&trial);
	run_fake(&trial, WORDS("daemon", FOR_EVER, "--ignore-term"));
	assert_exited(&trial, 0);
	assert_string_equal(trial.outcome.out.data, "{\"daemon\":true}\n");
	assert_true(trial.outcome.duration_us >= LIMIT_DRAIN_MS * 1000);
	assert_nothing_is_left(&trial);
	run_reap_adopted();
	release(&trial);
}

static void a_grandchild_in_the_group_ends_with_its_leader(void **state)
{
	struct trial trial;

	(void)state;
	init(&trial);
	run_fake(&trial, WORDS("daemon", FOR_EVER, "--quiet", "--ignore-term"));
	assert_exited(&trial, 0);
	assert_nothing_is_left(&trial);
	run_reap_adopted();
	release(&trial);
}

/* Those of earlier tests may be on their way out still: more than one may be found and reaped. */
static void a_grandchild_that_left_the_group_is_found_by_the_sweep_and_reaped(void **state)
{
	siginfo_t info;
	struct trial trial;

	(void)state;
	init(&trial);
	run_fake(&trial, WORDS("daemon", FOR_EVER, "--setsid"));
	assert_exited(&trial, 0);
	assert_true(os_signal_descendants(SIGKILL, NULL, 0) >= 1);
	assert_nothing_is_left(&trial);
	while (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0)
		run_reap_adopted();
	assert_int_equal(errno, ECHILD);
	release(&trial);
}

static void the_child_of_a_run_is_never_reaped_as_adopted(void **state)
{
	siginfo_t info;
	struct trial trial;

	(void)state;
	init(&trial);
	start(&trial, WORDS("say", "--exit=5"));
	assert_int_equal(waitid(P_PID, (id_t)run_pid(trial.run), &info, WEXITED | WNOWAIT), 0);
	run_reap_adopted();
	finish(&trial);
	assert_exited(&trial, 5);
	release(&trial);
}

static void a_cancel_ends_the_whole_tree(void **state)
{
	struct trial trial;

	(void)state;
	init(&trial);
	start(&trial, WORDS("tree", FOR_EVER, "--ignore-term"));
	run_cancel(trial.run);
	run_cancel(trial.run);
	assert_int_equal(trial.ends, 0);
	finish(&trial);
	assert_int_equal(trial.outcome.end, RUN_CANCELLED);
	assert_nothing_is_left(&trial);
	run_reap_adopted();
	release(&trial);
}

static void a_cancel_after_the_end_changes_nothing(void **state)
{
	siginfo_t info;
	struct trial trial;

	(void)state;
	init(&trial);
	start(&trial, WORDS("daemon", FOR_EVER));
	assert_int_equal(waitid(P_PID, (id_t)run_pid(trial.run), &info, WEXITED | WNOWAIT), 0);
	turn(&trial);
	run_cancel(trial.run);
	finish(&trial);
	assert_exited(&trial, 0);
	run_reap_adopted();
	release(&trial);
}

static void a_cancel_of_a_failed_start_changes_nothing(void **state)
{
	struct trial trial;

	(void)state;
	init(&trial);
	trial.spec.path = "/nonexistent/program";
	start(&trial, WORDS("args"));
	run_cancel(trial.run);
	finish(&trial);
	assert_not_started(&trial, "execve", ENOENT);
	release(&trial);
}

static void a_kill_is_silent_and_leaves_nothing(void **state)
{
	struct trial trial;
	pid_t pid;

	(void)state;
	init(&trial);
	start(&trial, WORDS("tree", FOR_EVER, "--ignore-term"));
	pid = run_pid(trial.run);
	run_kill(trial.run);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	assert_nothing_is_left(&trial);
	assert_int_equal(trial.ends, 0);
	run_reap_adopted();
	release(&trial);
}

static size_t count_descriptors(void)
{
	size_t count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void a_hundred_runs_leave_no_descriptor_behind(void **state)
{
	struct trial trial;
	size_t before;

	(void)state;
	init(&trial);
	run_fake(&trial, WORDS("say", "--out=x"));
	before = count_descriptors();
	for (int i = 0; i < 100; i++) {
		trial.ends = 0;
		trial.spec.inherit_fd = 0;
		trial.spec.path = i % 2 == 0 ? FAKE_PROGRAM : "/nonexistent";
		trial.spec.stdin_data = i % 3 == 0 ? "x" : NULL;
		trial.spec.stdin_len = 1;
		run_outcome_release(&trial.outcome);
		run_fake(&trial, WORDS("say", "--out=x"));
	}
	assert_int_equal(count_descriptors(), before);
	release(&trial);
}

/* The server is a process of its own here, killed as soon as its child has said that it lives. */
static void the_child_of_a_killed_server_dies_with_it(void **state)
{
	struct trial trial;
	int ready[2];
	char byte;
	pid_t server;

	(void)state;
	init(&trial);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	server = fork();
	if (server == 0) {
		start(&trial, WORDS("sleep", FOR_EVER, "--ignore-term"));
		(void)!write(ready[1], "x", 1);
		for (;;)
			(void)pause();
	}
	close_fd(&trial.alive[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(kill(server, SIGKILL), 0);
	assert_int_equal(waitpid(server, NULL, 0), server);
	assert_nothing_is_left(&trial);
	run_reap_adopted();
	close_fd(&ready[0]);
	close_fd(&ready[1]);
	release(&trial);
}

/* ---- the environment ---- */

static const char *value_of(const struct strvec *environment, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < environment->len; i++) {
		if (strncmp(environment->items[i], name, len) == 0 &&
		    environment->items[i][len] == '=')
			return environment->items[i] + len + 1;
	}
	return NULL;
}

static void what_steers_the_linker_and_another_marker_never_pass(void **state)
{
	cleanup_strvec struct strvec names = STRVEC_INIT;
	cleanup_strvec struct strvec set = STRVEC_INIT;
	cleanup_strvec struct strvec environment = STRVEC_INIT;

	(void)state;
	(void)setenv("LD_LIBRARY_PATH", "/tmp", 1);
	(void)setenv("STILE_CALLER", "cli", 1);
	strvec_push(&names, "LD_LIBRARY_PATH");
	strvec_push(&names, "STILE_CALLER");
	strvec_push(&set, "LD_PRELOAD=/tmp/evil.so");
	strvec_push(&set, "DYLD_INSERT_LIBRARIES=/tmp/evil.dylib");
	strvec_push(&set, "STILE_CALLER=cli");
	run_environment(&names, &set, &environment);
	assert_int_equal(environment.len, 3);
	assert_string_equal(value_of(&environment, "STILE_CALLER"), "mcp");
	(void)unsetenv("LD_LIBRARY_PATH");
	(void)unsetenv("STILE_CALLER");
}

static void the_environment_has_three_fixed_variables_and_the_named_ones(void **state)
{
	cleanup_strvec struct strvec names = STRVEC_INIT;
	cleanup_strvec struct strvec set = STRVEC_INIT;
	cleanup_strvec struct strvec environment = STRVEC_INIT;

	(void)state;
	(void)setenv("STILE_TEST_NAMED", "from us", 1);
	(void)setenv("STILE_TEST_OTHER", "not named", 1);
	(void)unsetenv("STILE_TEST_UNSET");
	strvec_push(&names, "STILE_TEST_NAMED");
	strvec_push(&names, "STILE_TEST_UNSET");
	strvec_push(&set, "LANG=en_GB.UTF-8");
	strvec_push(&set, "STILE_TEST_EMPTY=");
	run_environment(&names, &set, &environment);
	assert_int_equal(environment.len, 5);
	assert_string_equal(value_of(&environment, "PATH"), RUN_CHILD_PATH);
	assert_string_equal(value_of(&environment, "LANG"), "en_GB.UTF-8");
	assert_string_equal(value_of(&environment, "STILE_CALLER"), "mcp");
	assert_string_equal(value_of(&environment, "STILE_TEST_NAMED"), "from us");
	assert_string_equal(value_of(&environment, "STILE_TEST_EMPTY"), "");
}

/* Says text on stderr, and waits until it is killed; the last line when `until` stands in it. */
static void assert_last_line(const char *script, const char *until, const char *wanted)
{
	struct trial trial;
	cleanup_buf struct buf line = BUF_INIT;

	init(&trial);
	trial.spec.path = "/bin/sh";
	start(&trial, WORDS("-c", script));
	while (strstr(line.data, until) == NULL) {
		turn(&trial);
		buf_reset(&line);
		run_last_line(trial.run, &line);
	}
	assert_string_equal(line.data, wanted);
	run_kill(trial.run);
	release(&trial);
}

static void the_last_line_of_diagnostics_is_the_last_that_says_something(void **state)
{
	(void)state;
	assert_last_line("printf 'one\\ntwo 2 \\n\\r\\n' >&2; sleep 1000", "two 2", "two 2");
	assert_last_line("printf '10%%\\r20%%\\r99%%' >&2; sleep 1000", "99%", "99%");
}

static void of_a_line_without_end_the_last_bytes_are_kept(void **state)
{
	(void)state;
	assert_last_line("printf '%070000d\\nlast' 0 >&2; sleep 1000", "last", "last");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_that_is_not_there_is_reported_as_never_started),
		cmocka_unit_test(a_file_that_may_not_be_executed_is_reported_as_never_started),
		cmocka_unit_test(a_script_without_interpreter_is_never_given_to_a_shell),
		cmocka_unit_test(a_working_directory_that_is_not_there_is_reported_as_such),
		cmocka_unit_test(short_of_descriptors_a_start_is_refused_or_complete),
		cmocka_unit_test(too_many_children_are_unavailable_for_now),
		cmocka_unit_test(every_byte_of_every_word_arrives),
		cmocka_unit_test(the_environment_is_what_was_given_and_nothing_else),
		cmocka_unit_test(
		    a_child_starts_in_a_session_of_its_own_with_all_else_at_its_default),
		cmocka_unit_test(our_own_signal_mask_survives_a_start),
		cmocka_unit_test(the_one_descriptor_named_for_it_is_inherited),
		cmocka_unit_test(a_start_works_where_our_own_standard_descriptors_are_closed),
		cmocka_unit_test(standard_input_is_empty_unless_it_is_given),
		cmocka_unit_test(there_is_no_terminal_to_ask_for_a_password_on),
		cmocka_unit_test(input_larger_than_a_pipe_arrives_whole),
		cmocka_unit_test(input_that_is_left_unread_is_no_failure),
		cmocka_unit_test(the_last_line_of_diagnostics_is_the_last_that_says_something),
		cmocka_unit_test(of_a_line_without_end_the_last_bytes_are_kept),
		cmocka_unit_test(the_exit_status_comes_home),
		cmocka_unit_test(a_death_by_signal_comes_home),
		cmocka_unit_test(both_streams_are_drained_together),
		cmocka_unit_test(output_up_to_its_bound_is_whole_and_one_byte_more_is_refused),
		cmocka_unit_test(output_past_its_bound_is_refused_even_when_the_program_has_ended),
		cmocka_unit_test(output_without_end_ends_its_program),
		cmocka_unit_test(a_program_past_its_deadline_is_ended),
		cmocka_unit_test(a_program_that_ignores_term_is_killed_and_its_partial_output_kept),
		cmocka_unit_test(a_stopped_program_still_meets_its_deadline),
		cmocka_unit_test(a_grandchild_that_keeps_the_pipes_does_not_keep_the_call),
		cmocka_unit_test(a_grandchild_in_the_group_ends_with_its_leader),
		cmocka_unit_test(a_grandchild_that_left_the_group_is_found_by_the_sweep_and_reaped),
		cmocka_unit_test(the_child_of_a_run_is_never_reaped_as_adopted),
		cmocka_unit_test(a_cancel_ends_the_whole_tree),
		cmocka_unit_test(a_cancel_after_the_end_changes_nothing),
		cmocka_unit_test(a_cancel_of_a_failed_start_changes_nothing),
		cmocka_unit_test(a_kill_is_silent_and_leaves_nothing),
		cmocka_unit_test(a_hundred_runs_leave_no_descriptor_behind),
		cmocka_unit_test(the_child_of_a_killed_server_dies_with_it),
		cmocka_unit_test(what_steers_the_linker_and_another_marker_never_pass),
		cmocka_unit_test(the_environment_has_three_fixed_variables_and_the_named_ones),
	};
	cleanup_err struct err err = ERR_INIT;

	/* As the server has it: before the first start, for dispositions are looked up once. */
	(void)signal(SIGPIPE, SIG_IGN);
	if (os_become_subreaper(&err) < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
