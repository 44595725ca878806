/* SPDX-License-Identifier: MIT */
#ifndef UNIT_SCRATCH_H
#define UNIT_SCRATCH_H

/* A scratch directory a test program, and children for tests of races and of lesser users. Include
 * after unit.h. */

#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

#define SCRATCH_NOBODY 65534

/* *state becomes the directory's path: in memory where there is such a place, for its fsync costs
 * nothing. Others may pass through it, for the lesser user's sake. */
static inline int scratch_setup(void **state)
{
	char *path = xstrdup("/dev/shm/stile-unit-XXXXXX");

	if (mkdtemp(path) == NULL) {
		free(path);
		path = xstrdup("/tmp/stile-unit-XXXXXX");
		if (mkdtemp(path) == NULL)
			return -1;
	}
	*state = path;
	return chmod(path, 0711);
}

static inline int scratch_remove_one(
    const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int scratch_teardown(void **state)
{
	int status = nftw(*state, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);

	free(*state);
	return status;
}

static inline char *scratch_path(const char *dir, const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

static inline void scratch_write(const char *path, const void *data, size_t len)
{
	cleanup_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
}

static inline mode_t scratch_mode(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? 0 : st.st_mode & 07777;
}

static inline int scratch_wait(pid_t pid)
{
	int status = 0;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

struct scratch_child {
	pid_t pid;
	int result_fd;
};

/* Runs fn in a child once gate (or NULL) is closed at its other end. The child tells its result by pipe
 * and is killed: what it inherited from the test that runs is not its to free. */
static inline struct scratch_child scratch_start(int (*fn)(void *ctx), void *ctx, int gate[2])
{
	struct scratch_child child;
	int ends[2];
	unsigned char result;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	child.pid = fork();
	if (child.pid == 0) {
		if (gate != NULL) {
			close_fd(&gate[1]);
			(void)!read(gate[0], &result, 1);
		}
		result = (unsigned char)fn(ctx);
		(void)!write(ends[1], &result, 1);
		(void)kill(getpid(), SIGKILL);
	}
	close_fd(&ends[1]);
	child.result_fd = ends[0];
	return child;
}

/* What fn returned; -1: it never did. */
static inline int scratch_end(struct scratch_child *child)
{
	unsigned char result = 0;
	ssize_t got = read(child->result_fd, &result, 1);

	close_fd(&child->result_fd);
	(void)scratch_wait(child->pid);
	return got == 1 ? result : -1;
}

/* Runs fn in n children that start together; returns how many did not return 0. */
static inline int scratch_race(int n, int (*fn)(void *ctx), void *ctx)
{
	struct scratch_child children[64];
	int gate[2];
	int failed = 0;

	assert_true(n <= 64);
	assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
	for (int i = 0; i < n; i++)
		children[i] = scratch_start(fn, ctx, gate);
	close_fd(&gate[0]);
	close_fd(&gate[1]); /* end of file opens the gate */
	for (int i = 0; i < n; i++)
		failed += scratch_end(&children[i]) != 0;
	return failed;
}

static inline int scratch_give_one(
    const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return lchown(path, SCRATCH_NOBODY, SCRATCH_NOBODY);
}

/* What root made becomes the ordinary user's; without root it is so already. */
static inline void scratch_give_away(const char *path)
{
	if (geteuid() == 0)
		assert_int_equal(nftw(path, scratch_give_one, 16, FTW_PHYS), 0);
}

struct scratch_lesser {
	int (*fn)(void *ctx);
	void *ctx;
};

static inline int scratch_drop_root(void *ctx)
{
	struct scratch_lesser *lesser = ctx;

	if (geteuid() == 0 &&
	    (setgroups(0, NULL) < 0 || setgid(SCRATCH_NOBODY) < 0 || setuid(SCRATCH_NOBODY) < 0))
		return 98;
	return lesser->fn(lesser->ctx);
}

/* Runs fn in a child whom file modes bind, and returns what it returned. */
static inline int scratch_as_ordinary_user(int (*fn)(void *ctx), void *ctx)
{
	struct scratch_lesser lesser = { .fn = fn, .ctx = ctx };
	struct scratch_child child = scratch_start(scratch_drop_root, &lesser, NULL);

	return scratch_end(&child);
}

#endif
