/* SPDX-License-Identifier: MIT */
/* Bytes of the vault into files of the local folder, one file after the other, in constant memory. */
#include "cli/cli_checkout.h"

#include <errno.h>
#include <stdlib.h>

#include "base/fd.h"

struct filling {
	struct checkout_place *place;
	const struct checkout_want *wants;
	struct cli_progress *progress;
	checkout_done_fn fn;
	void *ctx;
	size_t index; /* the file that is next, or being written */
	int fd;       /* of the file that is being written; -1: none yet */
	int64_t done, all;
};

static int put_in_place(struct filling *filling, const struct checkout_want *want, struct err *err)
{
	struct stat st = { 0 };

	if (checkout_place_end(
		filling->place, filling->fd, want->path, want->may_replace, &st, err) < 0)
		return -1;
	close_fd(&filling->fd);
	if (filling->fn != NULL)
		filling->fn(filling->ctx, filling->index, &st);
	filling->index++;
	return 0;
}

static int take(void *ctx, size_t index, const void *data, size_t len, struct err *err)
{
	struct filling *filling = ctx;
	const struct checkout_want *want = &filling->wants[index];

	if (filling->fd < 0)
		filling->fd = checkout_place_begin(filling->place, err);
	if (filling->fd < 0)
		return -1;
	if (data == NULL)
		return put_in_place(filling, want, err);
	if (fd_write_all(filling->fd, data, len) < 0)
		return err_errno(err, errno, "write %s", want->path);
	filling->done += (int64_t)len;
	cli_progress_step(filling->progress, filling->done, filling->all);
	return 0;
}

int checkout_fill(struct checkout_place *place, struct vault *vault, const char *operation,
    const char *folder, const struct checkout_want *wants, size_t len,
    struct cli_progress *progress, checkout_done_fn fn, void *ctx, struct err *err)
{
	struct vault_pick *picks = xcalloc(len + 1, sizeof(*picks));
	struct filling filling = {
		.place = place,
		.wants = wants,
		.progress = progress,
		.fn = fn,
		.ctx = ctx,
		.fd = -1,
	};
	int result;

	for (size_t i = 0; i < len; i++) {
		picks[i] = (struct vault_pick){ .file = wants[i].id, .version = wants[i].version };
		filling.all += wants[i].size;
	}
	result = vault_version_get_many(vault, operation, folder, picks, len, take, &filling, err);
	cli_progress_end(progress);
	close_fd(&filling.fd);
	free(picks);
	if (result < 0 && filling.index < len &&
	    (err->code == ERR_NOT_FOUND || err->code == ERR_CONTENT_CORRUPT))
		return err_wrap(err, "%s", wants[filling.index].path);
	return result;
}
