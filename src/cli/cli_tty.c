/* SPDX-License-Identifier: MIT */
/* Asking a person, on the terminal itself: standard input and output may be a program's. */
#include "cli/cli_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/fd.h"

/* What a mute terminal sends as it is: Ctrl-C would leave it mute. */
enum { CTRL_C = 3, CTRL_D = 4, BACKSPACE = 8, CTRL_U = 21, DELETE = 127 };

/*
 * One line, without its end; bytes past size are dropped. is_mute: editing is ours, for the
 * terminal does none. False when the input ended or was broken off first; line is then what came.
 */
static bool read_line(int fd, bool is_mute, char *line, size_t size)
{
	size_t len = 0;
	bool is_whole = false;

	for (;;) {
		char c;
		ssize_t got = read(fd, &c, 1);

		if (got < 0 && errno == EINTR)
			continue;
		is_whole = got > 0 && (c == '\n' || c == '\r');
		if (got <= 0 || is_whole || (is_mute && (c == CTRL_C || c == CTRL_D)))
			break;
		if (is_mute && c == CTRL_U)
			len = 0;
		else if (is_mute && (c == BACKSPACE || c == DELETE))
			len -= len > 0;
		else if (len + 1 < size)
			line[len++] = c;
	}
	line[len] = '\0';
	return is_whole;
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
	if (fd_write_all(fd, text, strlen(text)) < 0 || !read_line(fd, false, line, sizeof(line)))
		return err_set(err, ERR_WRITE_DECLINED, "no answer on the terminal");
	if (strcmp(line, wanted) != 0)
		return err_set(err, ERR_WRITE_DECLINED, "declined: the answer was another");
	return 0;
}

/* ---- a secret ---- */

static int read_muted(int fd, const char *prompt, char *line, size_t size, struct err *err)
{
	struct termios before;
	struct termios mute;
	bool is_whole;

	if (tcgetattr(fd, &before) < 0)
		return err_errno(err, errno, "the terminal");
	mute = before;
	mute.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG);
	mute.c_cc[VMIN] = 1;
	mute.c_cc[VTIME] = 0;
	if (tcsetattr(fd, TCSAFLUSH, &mute) < 0)
		return err_errno(err, errno, "the terminal");
	(void)!fd_write_all(STDERR_FILENO, prompt, strlen(prompt));
	is_whole = read_line(fd, true, line, size);
	(void)tcsetattr(fd, TCSAFLUSH, &before);
	(void)!fd_write_all(STDERR_FILENO, "\n", 1);
	return is_whole ? 0 : err_set(err, ERR_CANCELLED, "nothing was typed");
}

int cli_tty_read_secret(const char *prompt, char *line, size_t size, struct err *err)
{
	if (isatty(STDIN_FILENO))
		return read_muted(STDIN_FILENO, prompt, line, size, err);
	(void)read_line(STDIN_FILENO, false, line, size); /* the last line may lack its newline */
	return line[0] != '\0' ? 0 : err_set(err, ERR_USAGE, "nothing came on standard input");
}
