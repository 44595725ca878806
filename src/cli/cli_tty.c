/* SPDX-License-Identifier: MIT */
/* Asking a person, on the terminal itself: standard input and output may be a program's. */
#include "cli/cli_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/fd.h"

/* One line, without its newline; false at the end of input. */
static bool read_line(int fd, char *line, size_t size)
{
	size_t len = 0;

	for (;;) {
		char c;
		ssize_t got = read(fd, &c, 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		if (c == '\n' || c == '\r')
			break;
		if (len + 1 < size)
			line[len++] = c;
	}
	line[len] = '\0';
	return true;
}

bool cli_tty_is_there(void)
{
	cleanup_fd int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

	return fd >= 0;
}

int cli_tty_confirm(const char *text, const char *wanted, struct err *err)
{
	cleanup_fd int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	char line[128] = "";

	if (fd < 0)
		return err_set(err, ERR_WRITE_CONFIRMATION_UNAVAILABLE,
		    "there is no terminal to ask on; run this in one");
	/* What was typed before the question was shown is no answer to it. */
	(void)tcflush(fd, TCIFLUSH);
	if (fd_write_all(fd, text, strlen(text)) < 0 || !read_line(fd, line, sizeof(line)))
		return err_set(err, ERR_WRITE_DECLINED, "no answer on the terminal");
	if (strcmp(line, wanted) != 0)
		return err_set(err, ERR_WRITE_DECLINED, "declined: the answer was another");
	return 0;
}
