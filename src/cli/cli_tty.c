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

/* ---- a secret ---- */

/* Reads bytes as they are typed; the terminal neither shows nor edits them, nor acts on Ctrl-C,
 * which would leave it mute. */
static int read_typed(int fd, char *line, size_t size, struct err *err)
{
	enum { CTRL_C = 3, CTRL_D = 4, BACKSPACE = 8, CTRL_U = 21, DELETE = 127 };
	size_t len = 0;

	for (;;) {
		char c;
		ssize_t got = read(fd, &c, 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || c == CTRL_C || c == CTRL_D)
			return err_set(err, ERR_CANCELLED, "nothing was typed");
		if (c == '\n' || c == '\r')
			break;
		if (c == CTRL_U)
			len = 0;
		else if (c == BACKSPACE || c == DELETE)
			len -= len > 0;
		else if (len + 1 < size)
			line[len++] = c;
	}
	line[len] = '\0';
	return 0;
}

static int read_muted(int fd, const char *prompt, char *line, size_t size, struct err *err)
{
	struct termios before;
	struct termios mute;
	int result;

	if (tcgetattr(fd, &before) < 0)
		return err_errno(err, errno, "the terminal");
	mute = before;
	mute.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG);
	mute.c_cc[VMIN] = 1;
	mute.c_cc[VTIME] = 0;
	if (tcsetattr(fd, TCSAFLUSH, &mute) < 0)
		return err_errno(err, errno, "the terminal");
	(void)!fd_write_all(STDERR_FILENO, prompt, strlen(prompt));
	result = read_typed(fd, line, size, err);
	(void)tcsetattr(fd, TCSAFLUSH, &before);
	(void)!fd_write_all(STDERR_FILENO, "\n", 1);
	return result;
}

/* One line from a pipe or a file, with a newline or without. */
static int read_piped(int fd, char *line, size_t size, struct err *err)
{
	size_t len = 0;

	while (len + 1 < size && memchr(line, '\n', len) == NULL) {
		ssize_t got = read(fd, line + len, size - 1 - len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		len += (size_t)got;
	}
	line[len] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	return line[0] != '\0' ? 0 : err_set(err, ERR_USAGE, "nothing came on standard input");
}

int cli_tty_read_secret(const char *prompt, char *line, size_t size, struct err *err)
{
	if (isatty(STDIN_FILENO))
		return read_muted(STDIN_FILENO, prompt, line, size, err);
	return read_piped(STDIN_FILENO, line, size, err);
}
