/* SPDX-License-Identifier: MIT */
/* stile mcp serve: launch options → host → server. */
#include "cli/cli_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/limits.h"
#include "base/loop.h"
#include "call/call.h"
#include "mcp/mcp.h"
#include "os/os.h"

/* The write end of the signal pipe: one of the two globals of the program. */
static int signal_write_fd = -1;

static void on_signal(int number)
{
	int saved = errno;
	char byte = (char)number;

	(void)!write(signal_write_fd, &byte, 1);
	errno = saved;
}

static int open_signal_pipe(int *ret_read_fd, struct err *err)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_errno(err, errno, "make a pipe");
	signal_write_fd = fds[1];
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		(void)sigaction(signals[i], &action, NULL);
	*ret_read_fd = fds[0];
	return 0;
}

struct parent {
	pid_t pid;
	int fd;                 /* -1: it is not watched */
	struct loop_fd *source; /* NULL once it has ended */
};

/* The parent is gone while somebody else keeps our input open: no end of input will come
 * (clients.md Q17). It is no child of ours: where the descriptor only says when to look, it has
 * ended when another process has become our parent. */
static void on_parent_end(void *ctx, short revents)
{
	struct parent *parent = ctx;

	(void)revents;
	(void)os_has_ended(parent->fd, parent->pid);
	if (getppid() == parent->pid)
		return;
	loop_fd_remove(parent->source);
	parent->source = NULL;
	(void)raise(SIGTERM);
}

static void watch_parent(struct loop *loop, struct parent *parent)
{
	cleanup_err struct err ignored = ERR_INIT;

	parent->pid = getppid();
	if (parent->pid <= 1)
		return;
	parent->fd = os_open_exit_fd(parent->pid, &ignored);
	if (parent->fd >= 0)
		parent->source = loop_add_fd(loop, parent->fd, POLLIN, on_parent_end, parent);
}

/* Names between commas; blanks around them count for nothing. */
static void add_from_environment(const char *name, struct strvec *list)
{
	const char *value = getenv(name);

	while (value != NULL && *value != '\0') {
		size_t len = strcspn(value, ", \t");

		if (len > 0)
			strvec_take(list, xmemdupz(value, len));
		value += len + (value[len] != '\0');
	}
}

int cli_check_allowed(const struct host *host, const struct host_options *options, struct err *err)
{
	const struct {
		const char *option;
		const struct strvec *names;
	} lists[] = {
		{ "--allow-write", &options->allow_write },
		{ "--allow-noninteractive-write", &options->allow_noninteractive_write },
		{ "--allow-exec", &options->allow_exec },
		{ "--allow-version-drift", &options->allow_version_drift },
	};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		for (size_t j = 0; j < lists[i].names->len; j++) {
			const char *name = lists[i].names->items[j];

			if (!host_may_serve(host, name))
				return err_set(err, ERR_USAGE,
				    "%s %.60s: no surface of that name is served here; give the "
				    "name that the surface has in its file",
				    lists[i].option, name);
		}
	}
	return 0;
}

static int serve(struct loop *loop, struct host *host, int out_fd, struct err *err)
{
	cleanup_fd int signal_fd = -1;
	struct parent parent = { .fd = -1 };
	struct mcp_server *server;
	int result;

	if (open_signal_pipe(&signal_fd, err) < 0 || os_become_subreaper(err) < 0)
		return -1;
	watch_parent(loop, &parent);
	server = mcp_server_new(host, loop, STDIN_FILENO, out_fd, signal_fd);
	result = mcp_serve(server, err);
	mcp_server_free(server);
	loop_fd_remove(parent.source);
	close_fd(&parent.fd);
	return result;
}

/* What escaped its group goes with us; an apply goes on to its end, and what it runs. */
static void sweep(void)
{
	pid_t workers[LIMIT_CHILDREN];
	size_t len = os_find_workers(workers, ARRAY_LEN(workers));

	(void)os_signal_descendants(SIGKILL, workers, len);
}

int cmd_mcp_serve(struct cli *cli, struct err *err)
{
	struct host_options options = HOST_OPTIONS_INIT;
	struct loop *loop = loop_new();
	struct host *host = NULL;
	int result = cli_fill_host_options(&cli->options, &options, err);

	options.caller = "mcp";
	if (result == 0 && options.surfaces.len == 0)
		result = err_set(err, ERR_USAGE,
		    "give at least one --surface NAME; `stile surface list` "
		    "shows them");
	if (result == 0)
		host = host_new(loop, &options, err);
	if (host == NULL || cli_check_allowed(host, &options, err) < 0) {
		result = -1;
	} else {
		/* The environment may name surfaces of other servers too. */
		add_from_environment("STILE_ALLOW_WRITE", &options.allow_write);
		add_from_environment(
		    "STILE_ALLOW_NONINTERACTIVE_WRITE", &options.allow_noninteractive_write);
		if (isatty(STDIN_FILENO))
			log_line(LOG_LEVEL_WARNING, "an MCP client speaks on standard input, and "
						    "starts this command; Ctrl-D "
						    "ends it");
		result = serve(loop, host, cli->out_fd, err);
	}
	host_free(host);
	sweep();
	loop_free(loop);
	host_options_release(&options);
	return result;
}
