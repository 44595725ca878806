/* SPDX-License-Identifier: MIT */
/* Whole writes; apart so that short writes and EINTR are thought of in one place. */
#include "base/fd.h"

#include <errno.h>
#include <unistd.h>

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
