/* SPDX-License-Identifier: MIT */
#ifndef BASE_FD_H
#define BASE_FD_H

/* What whoever writes to a descriptor, locks one, or puts a file in its place needs. */

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* Writes all of data to a blocking fd, however many write(2) it takes. -1 with errno when one
 * fails; some of the bytes may have left by then. */
int fd_write_all(int fd, const void *data, size_t len) MUST_CHECK;

/* flock(2) with how, LOCK_SH or LOCK_EX, tried for wait_ms: by itself it would wait for ever. For
 * commands, not for the loop. -1 with errno; EWOULDBLOCK: somebody else still has it. */
int fd_lock(int fd, int how, int64_t wait_ms) MUST_CHECK;

/* Renames a file of one folder into another, or the same, unless something is there: -1 with errno,
 * EEXIST. */
int fd_rename_new(int from_dir, const char *from, int to_dir, const char *to) MUST_CHECK;

#endif
