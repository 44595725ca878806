/* SPDX-License-Identifier: MIT */
/* Whole writes and locks with a deadline: short writes and EINTR are thought of in one place. */
#include "base/fd.h"

#include <errno.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"

int fd_write_all(int fd, const void *data, size_t len)
{
	const char *at = data;

	while (len > 0) {
		ssize_t put = write(fd, at, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		at += put;
		len -= (size_t)put;
	}
	return 0;
}

int fd_lock(int fd, int how, int64_t wait_ms)
{
	int64_t until_ms = clock_monotonic_ms() + wait_ms;

	while (flock(fd, how | LOCK_NB) < 0) {
		if ((errno != EWOULDBLOCK && errno != EINTR) || !clock_pause(until_ms))
			return -1;
	}
	return 0;
}

/* Some file systems know only the second way. */
int fd_rename_new(int from_dir, const char *from, int to_dir, const char *to)
{
	if (renameat2(from_dir, from, to_dir, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	return linkat(from_dir, from, to_dir, to, 0) < 0 ? -1 : unlinkat(from_dir, from, 0);
}
