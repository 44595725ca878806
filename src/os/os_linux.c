/* SPDX-License-Identifier: MIT */
/* Linux: pidfds, the parent-death signal, subreaping, /proc, openat2 and memfds. */
#include "os/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"

/* How often openat2 is asked again when a rename elsewhere disturbed its walk. */
#define OPEN_ATTEMPTS 64

/* Set once pidfd_open was found missing: exit descriptors are timers then. */
static bool has_no_pidfds;

/* How often such a timer lets its owner look. */
#define LOOK_INTERVAL_NS 2000000

static int open_look_timer(void)
{
	const struct itimerspec interval = {
		.it_interval = { .tv_nsec = LOOK_INTERVAL_NS },
		.it_value = { .tv_nsec = LOOK_INTERVAL_NS },
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd >= 0)
		(void)timerfd_settime(fd, 0, &interval, NULL);
	return fd;
}

int os_open_exit_fd(pid_t pid, struct err *err)
{
	int fd = has_no_pidfds ? -1 : pidfd_open(pid, 0);

	if (fd < 0 && (has_no_pidfds || errno == ENOSYS)) {
		has_no_pidfds = true;
		fd = open_look_timer();
	}
	return fd >= 0 ? fd : err_errno(err, errno, "watch process %d", (int)pid);
}

bool os_has_ended(int exit_fd, pid_t pid)
{
	siginfo_t info = { 0 };
	uint64_t ticks;

	if (!has_no_pidfds)
		return true;
	(void)!read(exit_fd, &ticks, sizeof(ticks));
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	       info.si_pid == pid;
}

int os_set_parent_death_signal(int signal, pid_t parent_pid)
{
	if (prctl(PR_SET_PDEATHSIG, signal) < 0)
		return errno;
	return getppid() == parent_pid ? 0 : ESRCH;
}

int os_become_subreaper(struct err *err)
{
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		return err_errno(err, errno, "become the reaper of orphans");
	return 0;
}

/* ---- /proc ---- */

/* What /proc/PID/stat tells; fields 3, 4 and 22 of proc(5). */
struct process {
	pid_t pid;
	pid_t parent;
	char state;           /* 'Z' and 'X' are dead */
	uint64_t start_ticks; /* since boot */
};

/* The fields of a stat line that we want, by their numbers in proc(5). */
enum { FIELD_STATE = 3, FIELD_PARENT = 4, FIELD_START = 22 };

/* The name in parentheses may hold anything, parentheses too: the fields begin behind the last. */
static bool parse_stat(char *text, struct process *ret_process)
{
	cleanup_err struct err ignored = ERR_INIT;
	char *rest = strrchr(text, ')');
	int64_t parent = -1;
	int64_t start = -1;
	char state = '\0';

	if (rest == NULL || rest[1] != ' ')
		return false;
	rest += 2;
	for (int number = FIELD_STATE; number <= FIELD_START && rest != NULL; number++) {
		const char *field = strsep(&rest, " ");

		if (number == FIELD_STATE)
			state = field[0];
		else if (number == FIELD_PARENT)
			(void)!num_parse(field, 0, INT32_MAX, &parent, &ignored);
		else if (number == FIELD_START)
			(void)!num_parse(field, 0, INT64_MAX, &start, &ignored);
	}
	if (parent < 0 || start < 0)
		return false;
	*ret_process = (struct process){
		.parent = (pid_t)parent, .state = state, .start_ticks = (uint64_t)start
	};
	return true;
}

/* The head of what /proc says of a process under that name, as a text. */
static bool read_about(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	cleanup_fd int fd = -1;
	ssize_t len;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, size - 1);
	if (len <= 0)
		return false;
	text[len] = '\0';
	return true;
}

static bool read_process(pid_t pid, struct process *ret_process)
{
	char text[1024];

	if (!read_about(pid, "stat", text, sizeof(text)) || !parse_stat(text, ret_process))
		return false;
	ret_process->pid = pid;
	return true;
}

uint64_t os_process_start(pid_t pid)
{
	struct process process = { 0 };

	return read_process(pid, &process) ? process.start_ticks : 0;
}

void os_boot_id(char ret_id[OS_BOOT_ID_SIZE])
{
	cleanup_fd int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, ret_id, OS_BOOT_ID_SIZE - 1);

	ret_id[len > 0 ? len : 0] = '\0';
	ret_id[strcspn(ret_id, "\n")] = '\0';
}

bool os_process_is_gone(pid_t pid, uint64_t start, const char *boot)
{
	char boot_now[OS_BOOT_ID_SIZE];
	struct process process = { 0 };

	os_boot_id(boot_now);
	if (boot[0] != '\0' && boot_now[0] != '\0' && strcmp(boot, boot_now) != 0)
		return true;
	if (pid <= 0 || (kill(pid, 0) < 0 && errno == ESRCH))
		return true;
	if (!read_process(pid, &process))
		return false;
	return process.state == 'Z' || process.state == 'X' ||
	       (start != 0 && process.start_ticks != start);
}

struct process_list {
	struct process *items; /* owned */
	size_t len;
	size_t cap;
};

static void read_processes(struct process_list *list)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;

	if (folder == NULL)
		return;
	while ((entry = readdir(folder)) != NULL) {
		cleanup_err struct err ignored = ERR_INIT;
		int64_t pid = 0;

		if (num_parse(entry->d_name, 1, INT32_MAX, &pid, &ignored) < 0)
			continue;
		ARRAY_GROW(list->items, list->len, list->cap);
		if (read_process((pid_t)pid, &list->items[list->len]))
			list->len++;
	}
	(void)closedir(folder);
}

static const struct process *find_process(const struct process_list *list, pid_t pid)
{
	for (size_t i = 0; i < list->len; i++) {
		if (list->items[i].pid == pid)
			return &list->items[i];
	}
	return NULL;
}

static bool is_in(pid_t pid, const pid_t *set, size_t set_len)
{
	for (size_t i = 0; i < set_len; i++) {
		if (set[i] == pid)
			return true;
	}
	return false;
}

/* Follows the parents upwards until they end in us, in what is kept, or outside. The list was
 * not read at one moment, so the chain may be torn or even a ring: steps are bounded. */
static bool is_to_be_signalled(
    const struct process_list *list, const struct process *process, const pid_t *keep, size_t len)
{
	pid_t self = getpid();

	for (size_t steps = 0; process != NULL && steps <= list->len; steps++) {
		if (process->pid == self || is_in(process->pid, keep, len))
			return false;
		if (process->parent == self)
			return true;
		process = find_process(list, process->parent);
	}
	return false;
}

/* Whoever has no child has no descendant, and need not read all of /proc to know. */
static bool has_child(void)
{
	siginfo_t info = { 0 };

	return waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0;
}

int os_signal_descendants(int signal, const pid_t *keep, size_t keep_len)
{
	struct process_list list = { 0 };
	int count = 0;

	if (!has_child())
		return 0;
	read_processes(&list);
	for (size_t i = 0; i < list.len; i++) {
		const struct process *process = &list.items[i];

		if (process->state == 'Z' || process->state == 'X' ||
		    !is_to_be_signalled(&list, process, keep, keep_len))
			continue;
		(void)kill(process->pid, signal);
		count++;
	}
	free(list.items);
	return count;
}

/* ---- workers ---- */

#define WORKER_NAME "stile-apply"

/* The name goes with the next exec, so that a program that we start does not keep it. */
void os_become_worker(void)
{
	(void)prctl(PR_SET_NAME, WORKER_NAME);
}

static bool has_worker_name(pid_t pid)
{
	char name[32];

	return read_about(pid, "comm", name, sizeof(name)) && strcmp(name, WORKER_NAME "\n") == 0;
}

/* Anyone can call himself anything; our own file only we run. */
static bool runs_our_file(pid_t pid)
{
	char path[64];
	struct stat theirs;
	struct stat ours;

	(void)snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return stat(path, &theirs) == 0 && stat("/proc/self/exe", &ours) == 0 &&
	       theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
}

size_t os_find_workers(pid_t *ret_pids, size_t max)
{
	struct process_list list = { 0 };
	size_t count = 0;

	if (!has_child())
		return 0;
	read_processes(&list);
	for (size_t i = 0; i < list.len && count < max; i++) {
		if (has_worker_name(list.items[i].pid) && runs_our_file(list.items[i].pid))
			ret_pids[count++] = list.items[i].pid;
	}
	free(list.items);
	return count;
}

/* Linux says "PATH (deleted)" once our file was replaced or removed. What stands at PATH by then
 * is another program, and is not run in our name. */
char *os_self_path(struct err *err)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len < 0) {
		(void)err_errno(err, errno, "find this program's own file");
		return NULL;
	}
	path[len] = '\0';
	if (access(path, F_OK) < 0) {
		(void)err_set(err, ERR_PROGRAM_NOT_FOUND,
		    "this program's own file was replaced or removed; restart it");
		return NULL;
	}
	return xstrdup(path);
}

/* ---- files ---- */

int os_open_memory_file(const void *data, size_t len, struct err *err)
{
	cleanup_fd int fd = memfd_create("stdin", MFD_CLOEXEC);

	if (fd < 0 && (errno == EMFILE || errno == ENFILE))
		return err_set(err, ERR_UNAVAILABLE, "no descriptors left for standard input");
	if (fd < 0 || fd_write_all(fd, data, len) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return err_errno(err, errno, "hold %zu bytes for standard input", len);
	return steal_fd(&fd);
}

static int open_failed(struct err *err, int errnum, const char *path)
{
	if (errnum == EXDEV)
		return err_set(err, ERR_PERMISSION_DENIED, "%s: leads outside its folder", path);
	if (errnum == ELOOP)
		return err_set(err, ERR_PERMISSION_DENIED,
		    "%s: goes through a symbolic link that is not followed", path);
	return err_errno(err, errnum, "open %s", path);
}

/* For kernels without openat2: no ".." and no link at all, which is stricter than openat2. */
static int open_by_component(int dirfd, const char *path, int flags, struct err *err)
{
	cleanup_fd int folder = -1;
	const char *rest = path;

	for (;;) {
		size_t len = strcspn(rest, "/");
		const char *next = rest + len + strspn(rest + len, "/");
		cleanup_free char *name = len == 0 ? xstrdup(".") : xmemdupz(rest, len);
		bool is_last = *next == '\0' && rest[len] == '\0';
		int fd;

		if (strcmp(name, "..") == 0)
			return open_failed(err, EXDEV, path);
		fd = openat(folder >= 0 ? folder : dirfd, name,
		    O_NOFOLLOW | O_CLOEXEC | (is_last ? flags : O_PATH | O_DIRECTORY), 0600);
		if (fd < 0)
			return open_failed(err, errno, path);
		if (is_last)
			return fd;
		close_fd(&folder);
		folder = fd;
		rest = next;
	}
}

int os_open_beneath(int dirfd, const char *path, int flags, struct err *err)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
		.mode = flags & O_CREAT ? 0600 : 0,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	long fd = -1;

	if (path[0] == '/' || path[0] == '\0')
		return open_failed(err, path[0] == '/' ? EXDEV : ENOENT, path);
	for (int i = 0; i < OPEN_ATTEMPTS && fd < 0; i++) {
		fd = syscall(SYS_openat2, dirfd, path, &how, sizeof(how));
		if (fd < 0 && errno != EAGAIN && errno != EINTR)
			break;
	}
	if (fd >= 0)
		return (int)fd;
	if (errno == ENOSYS)
		return open_by_component(dirfd, path, flags, err);
	return open_failed(err, errno, path);
}
