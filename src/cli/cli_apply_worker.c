/* SPDX-License-Identifier: MIT */
/* The process that applies a plan: forked, let go of all that its front has, and telling it by frames
 * (cli_plans.h). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli_plans.h"
#include "os/os.h"

static void tell_wait(void *ctx, int64_t wait_ms)
{
	cleanup_buf struct buf json = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&json);

	json_write_int(&w, wait_ms);
	apply_frame_write(*(const int *)ctx, APPLY_WAITS, &json, false);
}

static void tell_began(void *ctx, const struct plan *plan, const struct operation *operation)
{
	cleanup_buf struct buf json = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&json);
	char hash[DIGEST_TEXT_SIZE];

	digest_format(&plan->hash, hash);
	json_write_object_begin(&w);
	json_write_member_string(&w, "plan", plan->id);
	json_write_member_string(&w, "hash", hash);
	json_write_member_string(&w, "operation", operation->id);
	json_write_member_string(&w, "target", plan->facts.target);
	json_write_object_end(&w);
	apply_frame_write(*(const int *)ctx, APPLY_BEGAN, &json, false);
}

static void tell_progress(void *ctx, const char *line)
{
	cleanup_buf struct buf json = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&json);

	json_write_string(&w, line);
	apply_frame_write(*(const int *)ctx, APPLY_PROGRESSED, &json, true);
}

/* Nothing of the front's is kept but the pipe: who waits for the end of its streams must not wait for
 * us. */
static int let_go(int fd)
{
	unsigned kept = (unsigned)fd;
	int null_fd;

	if (setsid() < 0 || (kept > 3 && close_range(3, kept - 1, 0) < 0) ||
	    close_range(kept + 1, ~0U, 0) < 0)
		return -1;
	os_become_worker();
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd < 0)
		return -1;
	for (int i = 0; i <= STDERR_FILENO; i++) {
		if (dup2(null_fd, i) < 0)
			return -1;
	}
	return close(null_fd);
}

static __attribute__((noreturn)) void work(struct cli *cli, const struct apply_order *order, int fd)
{
	const struct apply_teller teller = {
		.waits = tell_wait, .began = tell_began, .progressed = tell_progress, .ctx = &fd
	};
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf json = BUF_INIT;

	if (let_go(fd) < 0)
		(void)err_errno(&err, errno, "start the process that applies");
	else
		(void)!cli_apply(cli, order, &teller, &err);
	apply_end_write(cli, &err, &json);
	apply_frame_write(fd, APPLY_ENDED, &json, false);
	_exit(0);
}

pid_t cli_apply_fork(struct cli *cli, const struct apply_order *order, int *ret_fd, struct err *err)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_errno(err, errno, "open a pipe");
	pid = fork();
	if (pid == 0)
		work(cli, order, fds[1]);
	(void)close(fds[1]);
	if (pid < 0) {
		(void)err_errno(err, errno, "start the process that applies");
		(void)close(fds[0]);
		return -1;
	}
	*ret_fd = fds[0];
	return pid;
}
