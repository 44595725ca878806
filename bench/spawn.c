/* SPDX-License-Identifier: MIT */
/*
 * What a run costs above what the system asks for it: the same command by run_start() and the
 * loop, by a bare vfork that reads one pipe, and by posix_spawn, in turns so that all three meet
 * the same machine.
 *
 *	bench_spawn RUNS PROGRAM [ARGUMENT...]
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/num.h"
#include "run/run.h"

static char *const environment[] = { NULL };

/* One sample: microseconds by the wall, and of our own processor time. */
struct sample {
	int64_t wall_us;
	int64_t own_us;
};

struct method {
	const char *name;
	void (*run)(struct loop *loop, char **argv);
	struct sample *samples; /* one a run; owned */
};

static void read_to_end(int fd)
{
	char chunk[65536];

	while (read(fd, chunk, sizeof(chunk)) > 0)
		;
}

static void end_of_run(void *ctx, struct run_outcome *outcome)
{
	if (outcome->end != RUN_EXITED)
		fatal(1, "the program did not run to its end");
	loop_stop(ctx);
}

static void by_run_start(struct loop *loop, char **argv)
{
	cleanup_err struct err err = ERR_INIT;
	const struct run_spec spec = {
		.path = argv[0],
		.argv = argv,
		.envp = environment,
		.timeout_ms = 60000,
		.max_output = LIMIT_OUTPUT_MAX,
		.max_stderr = LIMIT_STDERR,
	};

	if (run_start(loop, &spec, end_of_run, loop, &err) == NULL || loop_run(loop, &err) < 0)
		fatal(1, "%s", err.message);
}

static __attribute__((noinline)) pid_t vfork_program(char **argv, int out)
{
	pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): it is measured */

	if (pid == 0) {
		(void)dup2(out, STDOUT_FILENO);
		(void)execve(argv[0], argv, environment);
		_exit(127);
	}
	return pid;
}

static void by_vfork(struct loop *loop, char **argv)
{
	int out[2];
	int status = 0;
	pid_t pid;

	(void)loop;
	if (pipe2(out, O_CLOEXEC) < 0 || (pid = vfork_program(argv, out[1])) < 0)
		fatal(1, "vfork failed");
	(void)close(out[1]);
	read_to_end(out[0]);
	(void)close(out[0]);
	(void)waitpid(pid, &status, 0);
}

static void by_posix_spawn(struct loop *loop, char **argv)
{
	posix_spawn_file_actions_t actions;
	int out[2];
	int status = 0;
	pid_t pid = 0;

	(void)loop;
	if (pipe2(out, O_CLOEXEC) < 0 || posix_spawn_file_actions_init(&actions) != 0 ||
	    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO) != 0 ||
	    posix_spawn(&pid, argv[0], &actions, NULL, argv, environment) != 0)
		fatal(1, "posix_spawn failed");
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(out[1]);
	read_to_end(out[0]);
	(void)close(out[0]);
	(void)waitpid(pid, &status, 0);
}

static int64_t own_us(void)
{
	struct rusage usage = { 0 };

	(void)getrusage(RUSAGE_SELF, &usage);
	return (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
	       usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

static int compare(const void *left, const void *right)
{
	const int64_t *a = left;
	const int64_t *b = right;

	return *a < *b ? -1 : *a > *b;
}

static double median(const struct sample *samples, size_t len, size_t offset)
{
	int64_t *values = xcalloc(len, sizeof(*values));
	double result;

	for (size_t i = 0; i < len; i++)
		memcpy(&values[i], (const char *)&samples[i] + offset, sizeof(values[i]));
	qsort(values, len, sizeof(*values), compare);
	result = (double)values[len / 2];
	free(values);
	return result;
}

static void measure(const struct method *method, struct loop *loop, char **argv, size_t round)
{
	int64_t start_us = clock_monotonic_us();
	int64_t start_own_us = own_us();

	method->run(loop, argv);
	method->samples[round].wall_us = clock_monotonic_us() - start_us;
	method->samples[round].own_us = own_us() - start_own_us;
}

int main(int argc, char **argv)
{
	struct method methods[] = {
		{ .name = "vfork", .run = by_vfork },
		{ .name = "run_start", .run = by_run_start },
		{ .name = "posix_spawn", .run = by_posix_spawn },
	};
	struct err err = ERR_INIT;
	struct loop *loop = loop_new();
	int64_t runs = 0;
	double floor_us;

	if (argc < 3 || argv[2][0] != '/')
		fatal(2, "usage: bench_spawn RUNS /ABSOLUTE/PROGRAM [ARGUMENT...]");
	if (num_parse(argv[1], 1, 1000000, &runs, &err) < 0)
		fatal(2, "%s", err.message);
	for (size_t i = 0; i < ARRAY_LEN(methods); i++)
		methods[i].samples = xcalloc((size_t)runs, sizeof(struct sample));
	for (size_t round = 0; round < (size_t)runs; round++) {
		for (size_t i = 0; i < ARRAY_LEN(methods); i++)
			measure(&methods[i], loop, argv + 2, round);
	}
	floor_us = median(methods[0].samples, (size_t)runs, offsetof(struct sample, wall_us));
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		double wall_us =
		    median(methods[i].samples, (size_t)runs, offsetof(struct sample, wall_us));

		(void)printf("%-12s %8.0f us  %5.2f x vfork  own %5.0f us\n", methods[i].name,
		    wall_us, wall_us / floor_us,
		    median(methods[i].samples, (size_t)runs, offsetof(struct sample, own_us)));
		free(methods[i].samples);
	}
	loop_free(loop);
	return 0;
}
