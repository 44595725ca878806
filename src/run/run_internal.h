/* SPDX-License-Identifier: MIT */
#ifndef RUN_RUN_INTERNAL_H
#define RUN_RUN_INTERNAL_H

/* Between run_pump.c, which follows a run, run_spawn.c, which starts its child, and
 * run_children.c, which knows what children this process has. */

#include <sys/types.h>

#include "base/err.h"

/* Why a program never ran. Written by the child, in memory that it shares with us. */
struct spawn_failure {
	int errnum;       /* 0: it runs */
	const char *step; /* what failed; static text */
};

/* ---- run_children.c ---- */

/* A place for one more child, or -1 with ERR_UNAVAILABLE; and its return. */
int children_reserve(struct err *err) MUST_CHECK;
void children_release(int slot);

/* Notes the pid that lives in a place. */
void children_set(int slot, pid_t pid);

/*
 * The place's report, cleared when it was reserved. It lies in a mapping that is shared even with
 * a fork, for valgrind and qemu-user turn vfork into one: there, the report may arrive any time
 * before the child is reaped, else it is there when spawn_child() returns.
 */
volatile struct spawn_failure *children_failure(int slot);

/* ---- run_spawn.c ---- */

/* A child to be made. Borrowed for the call. */
struct spawn {
	const char *path;
	char *const *argv;
	char *const *envp;
	const char *cwd;                        /* absolute */
	int fds[3];                             /* become 0, 1, 2; all above 2 */
	int inherit_fd;                         /* stays open, or 0 */
	volatile struct spawn_failure *failure; /* where the child reports */
};

/* The child's pid, or -1: not even a child could be made. It is ours to reap either way. */
pid_t spawn_child(const struct spawn *spawn, struct err *err) MUST_CHECK;

/* /dev/null for reading: opened once, never closed. */
int spawn_null_fd(struct err *err) MUST_CHECK;

#endif
