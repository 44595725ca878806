/* SPDX-License-Identifier: MIT */
/*
 * The children that this process has. The list is a static because what it describes is one: a
 * process has one set of children, and waitpid(2) knows no other scope. It tells the children of
 * runs from adopted orphans, and holds the reports of children that could not start.
 */
#include "run/run.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/limits.h"
#include "run/run_internal.h"

/* More than the calls that may have a child, for version checks and the like. */
enum { CHILDREN_MAX = 2 * LIMIT_CHILDREN };

/* pid of a place that is reserved and has no child yet. */
#define PID_NONE ((pid_t)-1)

static struct {
	pid_t pids[CHILDREN_MAX];                /* 0: free */
	volatile struct spawn_failure *failures; /* parallel; a shared mapping, never unmapped */
} children;

static int map_failures(struct err *err)
{
	void *page;

	if (children.failures != NULL)
		return 0;
	page = mmap(NULL, sizeof(struct spawn_failure[CHILDREN_MAX]), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return err_errno(err, errno, "share memory with children");
	children.failures = page;
	return 0;
}

int children_reserve(struct err *err)
{
	if (map_failures(err) < 0)
		return -1;
	for (int i = 0; i < CHILDREN_MAX; i++) {
		if (children.pids[i] == 0) {
			children.pids[i] = PID_NONE;
			children.failures[i].errnum = 0;
			return i;
		}
	}
	return err_set(err, ERR_UNAVAILABLE, "%d programs run already", CHILDREN_MAX);
}

void children_release(int slot)
{
	assert(children.pids[slot] != 0);
	children.pids[slot] = 0;
}

void children_set(int slot, pid_t pid)
{
	children.pids[slot] = pid;
}

volatile struct spawn_failure *children_failure(int slot)
{
	return &children.failures[slot];
}

static bool is_child_of_run(pid_t pid)
{
	for (int i = 0; i < CHILDREN_MAX; i++) {
		if (children.pids[i] == pid)
			return true;
	}
	return false;
}

/* waitid() can look without taking, but not past the first: a run's child that has just ended
 * hides the adopted ones behind it until its run has reaped it, which is soon. */
void run_reap_adopted(void)
{
	for (;;) {
		siginfo_t info = { 0 };

		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0 ||
		    is_child_of_run(info.si_pid))
			return;
		(void)waitpid(info.si_pid, NULL, 0);
	}
}
