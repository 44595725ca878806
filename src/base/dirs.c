/* SPDX-License-Identifier: MIT */
/* The data directory and the host-owned files in it: every one of them is opened first and judged
 * by what was opened, so that no other file can be slipped in between. */
#include "base/dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/ids.h"

static const char *nonempty_env(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

char *dirs_data(struct err *err)
{
	const char *own = nonempty_env("STILE_DATA_DIR");
	const char *xdg = nonempty_env("XDG_DATA_HOME");
	const char *home = nonempty_env("HOME");
	char *path = NULL;

	if (own != NULL)
		path = xstrdup(own);
	else if (xdg != NULL && xdg[0] == '/')
		path = xasprintf("%s/stile", xdg);
	else if (home != NULL)
		path = xasprintf("%s/.local/share/stile", home);
	if (path == NULL || path[0] != '/') {
		free(path);
		err_set(err, ERR_CONFIGURATION,
		    "no data directory: set STILE_DATA_DIR to an absolute path, or HOME");
		return NULL;
	}
	return path;
}

char *dirs_config(void)
{
	const char *xdg = nonempty_env("XDG_CONFIG_HOME");
	const char *home = nonempty_env("HOME");

	if (xdg != NULL && xdg[0] == '/')
		return xasprintf("%s/stile", xdg);
	return home != NULL ? xasprintf("%s/.config/stile", home) : NULL;
}

/* Owner and mode of something only the host may change. */
static int check_owner(const struct stat *st, const char *path, struct err *err)
{
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return err_set(err, ERR_PERMISSION_DENIED, "%s belongs to another user", path);
	if ((st->st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return err_set(
		    err, ERR_PERMISSION_DENIED, "%s is writable by others: chmod go-w it", path);
	return 0;
}

int dirs_ensure(const char *path, struct err *err)
{
	cleanup_free char *partial = xstrdup(path);
	struct stat st;

	for (char *at = strchr(partial + 1, '/');; at = strchr(at + 1, '/')) {
		if (at != NULL)
			*at = '\0';
		if (mkdir(partial, 0700) < 0 && errno != EEXIST)
			return err_errno(err, errno, "make folder %s", partial);
		if (at == NULL)
			break;
		*at = '/';
	}
	if (stat(path, &st) < 0)
		return err_errno(err, errno, "%s", path);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_CONFIGURATION, "%s is no folder", path);
	return check_owner(&st, path, err);
}

/* Reads all of fd. */
static int read_all(int fd, const char *path, struct buf *ret_text, struct err *err)
{
	for (;;) {
		char block[16384];
		ssize_t got = read(fd, block, sizeof(block));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_errno(err, errno, "read %s", path);
		if (got == 0)
			return buf_check(ret_text, path, err);
		buf_add(ret_text, block, (size_t)got);
	}
}

int dirs_read_file(const char *path, struct buf *ret_text, struct err *err)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return err_errno(err, errno, "%s", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(err, ERR_NOT_FOUND, "%s is no file", path);
	return read_all(fd, path, ret_text, err);
}

int dirs_read_host_file(const char *dir, const char *name, struct buf *ret_text, struct err *err)
{
	cleanup_free char *path = xasprintf("%s/%s", dir, name);
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_PERMISSION_DENIED, "%s is no ordinary file", path);
	if (check_owner(&st, path, err) < 0)
		return -1;
	return read_all(fd, path, ret_text, err) < 0 ? -1 : 1;
}

int dirs_write_host_file(const char *dir, const char *name, const struct buf *text, struct err *err)
{
	char id[ID_TEXT_SIZE];
	cleanup_free char *path = xasprintf("%s/%s", dir, name);
	cleanup_free char *temporary = NULL;
	cleanup_fd int fd = -1;

	if (dirs_ensure(dir, err) < 0)
		return -1;
	id_new("tmp", id);
	temporary = xasprintf("%s/.%s.%s", dir, name, id);
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_errno(err, errno, "make %s", temporary);
	if (fd_write_all(fd, text->data, text->len) < 0 || fsync(fd) < 0 ||
	    rename(temporary, path) < 0) {
		err_errno(err, errno, "write %s", path);
		(void)unlink(temporary);
		return -1;
	}
	return 0;
}

bool dirs_is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	while (len > 0 && folder[len - 1] == '/')
		len--;
	return strncmp(path, folder, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

bool dirs_is_below_any(const char *path, const struct strvec *folders)
{
	for (size_t i = 0; folders != NULL && i < folders->len; i++) {
		if (dirs_is_below(path, folders->items[i]))
			return true;
	}
	return false;
}
