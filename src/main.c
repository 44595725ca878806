/* SPDX-License-Identifier: MIT */
/* argv → command table → exit status; and what must be true of the process before anything runs. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/err.h"
#include "cli/cli.h"

/* Descriptors 0, 1 and 2 exist, so that no file opened later can take their place. */
static void ensure_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		(void)close(fd);
}

/* Nothing but protocol or an envelope on standard output: fd 1 is moved to a private descriptor and
 * what libraries or children write to fd 1 goes to standard error (protocol.md §1). */
static int move_standard_output(void)
{
	int out_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (out_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		fatal(1, "standard output cannot be moved (errno %d)", errno);
	return out_fd;
}

int main(int argc, char **argv)
{
	ensure_standard_fds();
	/* A reader that is gone and a file-size limit are errors of write(2), not our death. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	return cli_main(argc, argv, move_standard_output());
}
