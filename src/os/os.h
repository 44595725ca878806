/* SPDX-License-Identifier: MIT */
#ifndef OS_OS_H
#define OS_OS_H

/* The few calls that differ between Linux and macOS. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * A descriptor that becomes readable when the child pid has ended (pidfd on Linux; kqueue on
 * macOS). Close-on-exec. The child is still to be reaped by waitpid. Where the system has no such
 * thing (under valgrind, which knows no pidfds) it becomes readable now and then: once it is, ask
 * os_has_ended().
 */
int os_open_exit_fd(pid_t pid, struct err *err) MUST_CHECK;

/* The descriptor is readable: has our child pid ended? If not, it is made to wait again. */
bool os_has_ended(int exit_fd, pid_t pid);

/* In a child between vfork and exec: die when the parent does. Async-signal-safe. parent_pid is
 * compared so that a parent that died in between counts. Returns 0 or an errno. */
int os_set_parent_death_signal(int signal, pid_t parent_pid);

/* Orphaned descendants become our children, so that the end of the server can sweep them. */
int os_become_subreaper(struct err *err) MUST_CHECK;

/* Sends signal to every living descendant of ours and returns how many there were; for what
 * escaped its group by a setsid of its own, once the runs have been ended. Passed over: the
 * processes named in keep (a plan's apply, which outlives the server), and all below them. */
int os_signal_descendants(int signal, const pid_t *keep, size_t keep_len);

/*
 * This process applies a plan: it outlives whoever started it. Whoever else runs this program can tell
 * it from others, and finds those that there are; of more than max, some.
 */
void os_become_worker(void);
size_t os_find_workers(pid_t *ret_pids, size_t max);

/* Absolute path of this program's own file. Owned by the caller. */
char *os_self_path(struct err *err) MUST_CHECK;

/* When the process started, in clock ticks since boot, or 0 when there is no such process: with
 * the pid it names a process for good. */
uint64_t os_process_start(pid_t pid);

/* A text that another start of the system would not have; "" when it cannot be had. */
#define OS_BOOT_ID_SIZE 40
void os_boot_id(char ret_id[OS_BOOT_ID_SIZE]);

/*
 * True when the process that had this pid, start and boot is proved to be gone: another boot, nobody
 * of that pid, another start, or dead and only not reaped yet. What is not known (start 0, boot "")
 * proves nothing.
 */
bool os_process_is_gone(pid_t pid, uint64_t start, const char *boot);

/*
 * An unnamed file in memory that holds len bytes, to be read from its start: a child's standard
 * input. Close-on-exec. A file needs no pumping, and never blocks either side.
 */
int os_open_memory_file(const void *data, size_t len, struct err *err) MUST_CHECK;

/*
 * Opens path below dirfd without ever leaving it: openat2 RESOLVE_BENEATH | NO_MAGICLINKS where
 * there is one, else component by component (where symbolic links are then refused even when they
 * stay below). Flags as open(2), close-on-exec added; a file that is created gets mode 0600.
 * ERR_PERMISSION_DENIED for a path that leads outside or is absolute.
 */
int os_open_beneath(int dirfd, const char *path, int flags, struct err *err) MUST_CHECK;

#endif
