/* SPDX-License-Identifier: MIT */
/*
 * The vfork child. It runs in our memory and on our stack while we stand still, so all it needs is
 * prepared beforehand, and it does nothing but system calls. A trampoline program would be simpler
 * and cost as much as the child itself; fork copies page tables; posix_spawn can set neither a
 * parent-death signal nor limits, and resets 64 signals one by one.
 */
#include "run/run_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "os/os.h"

/* The status of a child that could not start; never read as a program's. */
#define EXIT_NOT_STARTED 127

/* What is the same for each child, looked up once: a system call for every signal would cost more
 * than everything else here. A static, for so are the signal dispositions of a process. */
static struct {
	bool is_ready;
	int null_fd;       /* /dev/null, above 2 */
	int changed[NSIG]; /* signals that are ignored or caught */
	size_t changed_len;
} prepared;

static void find_changed_signals(void)
{
	for (int signal = 1; signal < NSIG; signal++) {
		struct sigaction action = { 0 };

		if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
			prepared.changed[prepared.changed_len++] = signal;
	}
}

static int prepare(struct err *err)
{
	int fd;

	if (prepared.is_ready)
		return 0;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	prepared.null_fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (prepared.null_fd < 0) {
		(void)err_errno(err, errno, "open /dev/null");
		close_fd(&fd);
		return -1;
	}
	close_fd(&fd);
	find_changed_signals();
	prepared.is_ready = true;
	return 0;
}

int spawn_null_fd(struct err *err)
{
	return prepare(err) < 0 ? -1 : prepared.null_fd;
}

/* ---- in the child ---- */

static __attribute__((noreturn)) void give_up(
    volatile struct spawn_failure *failure, const char *step, int errnum)
{
	failure->step = step;
	failure->errnum = errnum;
	_exit(EXIT_NOT_STARTED);
}

/* Descriptors that we inherited ourselves may lack close-on-exec, so all are closed by number. */
static int close_others(int inherit_fd)
{
	unsigned first = STDERR_FILENO + 1;
	unsigned kept = (unsigned)inherit_fd;

	if (inherit_fd == 0)
		return close_range(first, UINT_MAX, 0);
	if (kept > first && close_range(first, kept - 1, 0) < 0)
		return -1;
	if (close_range(kept + 1, UINT_MAX, 0) < 0)
		return -1;
	return fcntl(inherit_fd, F_SETFD, 0);
}

/* Handlers first, the mask after them: a handler of ours must not run here, in our memory. */
static int reset_signals(void)
{
	const struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (size_t i = 0; i < prepared.changed_len; i++) {
		if (sigaction(prepared.changed[i], &action, NULL) < 0)
			return -1;
	}
	(void)sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL);
}

static __attribute__((noreturn, noinline)) void run_child(const struct spawn *spawn, pid_t parent)
{
	const struct rlimit no_core = { 0, 0 };
	int errnum;

	if (setsid() < 0)
		give_up(spawn->failure, "setsid", errno);
	errnum = os_set_parent_death_signal(SIGKILL, parent);
	if (errnum != 0)
		give_up(spawn->failure, "prctl", errnum);
	if (setrlimit(RLIMIT_CORE, &no_core) < 0)
		give_up(spawn->failure, "setrlimit", errno);
	for (int i = 0; i < 3; i++) {
		if (dup2(spawn->fds[i], i) < 0)
			give_up(spawn->failure, "dup2", errno);
	}
	if (close_others(spawn->inherit_fd) < 0)
		give_up(spawn->failure, "close_range", errno);
	if (chdir(spawn->cwd) < 0)
		give_up(spawn->failure, "chdir", errno);
	if (reset_signals() < 0)
		give_up(spawn->failure, "sigaction", errno);
	(void)execve(spawn->path, spawn->argv, spawn->envp);
	give_up(spawn->failure, "execve", errno);
}

/* ---- in the parent ---- */

/* Apart, so that no local of a longer function is alive while the child uses the stack. */
static __attribute__((noinline)) pid_t vfork_child(const struct spawn *spawn, pid_t parent)
{
	pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): see the top */

	if (pid == 0)
		run_child(spawn, parent); /* NOLINT(clang-analyzer-unix.Vfork): system calls only */
	return pid;
}

pid_t spawn_child(const struct spawn *spawn, struct err *err)
{
	pid_t parent = getpid();
	sigset_t all;
	sigset_t before;
	pid_t pid;
	int errnum;

	if (prepare(err) < 0)
		return -1;
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &before);
	pid = vfork_child(spawn, parent);
	errnum = errno;
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid < 0) {
		(void)err_errno(err, errnum, "make a child process");
		if (errnum == EAGAIN || errnum == ENOMEM)
			(void)err_set(err, ERR_UNAVAILABLE, "no further process can be made now");
		return -1;
	}
	return pid;
}
