/* SPDX-License-Identifier: MIT */
/* The lock of a target: whatever is applied to it goes one after another, on this host. */
#include "call/call.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include "base/dirs.h"
#include "base/fd.h"

/* Of names that may hold anything, a file name of one length. */
static char *lock_path(
    const char *data_dir, const char *surface, const char *target, struct err *err)
{
	cleanup_free char *folder = xasprintf("%s/locks", data_dir);
	cleanup_buf struct buf text = BUF_INIT;
	char name[DIGEST_TEXT_SIZE];
	struct digest digest;

	if (dirs_ensure(folder, err) < 0)
		return NULL;
	json_quote(&text, surface, strlen(surface));
	if (target != NULL)
		json_quote(&text, target, strlen(target));
	digest = digest_of(text.data, text.len);
	digest_format(&digest, name);
	return xasprintf("%s/%s", folder, name);
}

static int refuse(const char *surface, const char *target, struct err *err)
{
	static const char then[] =
	    "nothing was begun, so the plan can be applied when that has ended";

	if (target == NULL)
		return err_set(err, ERR_UNAVAILABLE,
		    "another exclusive tool of %s is being applied; %s", surface, then);
	return err_set(err, ERR_UNAVAILABLE, "something else is being applied to %s of %s; %s",
	    target, surface, then);
}

/* The file stays: who waits for one that was removed would wait for nothing. */
int call_lock_target(const char *data_dir, const char *surface, const char *target, int64_t wait_ms,
    int *ret_fd, struct err *err)
{
	cleanup_free char *path = lock_path(data_dir, surface, target, err);
	cleanup_fd int fd = -1;

	if (path == NULL)
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_errno(err, errno, "%s", path);
	if (fd_lock(fd, LOCK_EX, wait_ms) < 0)
		return errno == EWOULDBLOCK ? refuse(surface, target, err)
					    : err_errno(err, errno, "%s", path);
	*ret_fd = steal_fd(&fd);
	return 0;
}
