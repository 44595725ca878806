/* SPDX-License-Identifier: MIT */
/* Local files of a command, below the roots where there are any. */
#include "cli/cli_local.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dirs.h"
#include "base/fd.h"
#include "os/os.h"

/* ---- where a path may lead ---- */

/* path without the working directory being needed to read it; owned. */
static char *absolute(const char *path, struct err *err)
{
	cleanup_free char *here = NULL;

	if (path[0] == '/')
		return xstrdup(path);
	here = getcwd(NULL, 0);
	if (here == NULL) {
		(void)err_errno(err, errno, "find the working directory");
		return NULL;
	}
	return xasprintf("%s/%s", here, path);
}

/* The rest of path below root, or NULL. */
static const char *rest_below(const char *path, const char *root)
{
	const char *rest = path + strlen(root);

	if (!dirs_is_below(path, root))
		return NULL;
	rest += strspn(rest, "/");
	return *rest == '\0' ? "." : rest;
}

/* The root that path lies below, open, and the rest of path (borrowed of it). */
static int open_root(
    const struct cli *cli, const char *path, const char **ret_rest, int *ret_fd, struct err *err)
{
	for (size_t i = 0; i < cli->options.roots.len; i++) {
		const char *given = cli->options.roots.items[i];
		cleanup_free char *root = realpath(given, NULL);
		const char *rest = root != NULL ? rest_below(path, root) : NULL;

		if (root == NULL)
			return err_errno(err, errno, "--root %s", given);
		if (rest == NULL)
			rest = rest_below(path, given);
		if (rest == NULL)
			continue;
		*ret_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (*ret_fd < 0)
			return err_errno(err, errno, "--root %s", given);
		*ret_rest = rest;
		return 0;
	}
	return err_set(err, ERR_PERMISSION_DENIED, "%s does not lie below a --root", path);
}

/* open(2) with these flags, where the roots let it. */
static int open_path(const struct cli *cli, const char *path, int flags, struct err *err)
{
	cleanup_free char *whole = NULL;
	cleanup_fd int root_fd = -1;
	const char *rest = NULL;
	int fd;

	if (cli->options.roots.len == 0) {
		fd = open(path, flags | O_CLOEXEC, 0600);
		return fd < 0 ? err_errno(err, errno, "%s", path) : fd;
	}
	whole = absolute(path, err);
	if (whole == NULL || open_root(cli, whole, &rest, &root_fd, err) < 0)
		return -1;
	fd = os_open_beneath(root_fd, rest, flags, err);
	return fd < 0 ? err_wrap(err, "%s", path) : fd;
}

/* ---- reading ---- */

static int check_kind(const struct stat *st, const char *path, struct err *err)
{
	if (S_ISREG(st->st_mode) || S_ISDIR(st->st_mode))
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENT, "%s is %s, not a file or a folder", path,
	    S_ISLNK(st->st_mode) ? "a symbolic link" : "a special file");
}

/* What is at fd, which was opened without doing anything to it: O_PATH. */
static int check_fd(int fd, const char *path, struct stat *ret_stat, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(err, errno, "%s", path);
	if (check_kind(&st, path, err) < 0)
		return -1;
	*ret_stat = st;
	return 0;
}

/* To open a device or a pipe may do something, so the first look is by O_PATH; what was opened in
 * the end is looked at again. */
#define LOOK_FLAGS (O_PATH | O_NOFOLLOW)
#define READ_FLAGS (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

int cli_local_open(const struct cli *cli, const char *path, struct stat *ret_stat, struct err *err)
{
	cleanup_fd int look_fd = open_path(cli, path, LOOK_FLAGS, err);
	cleanup_fd int fd = -1;

	if (look_fd < 0 || check_fd(look_fd, path, ret_stat, err) < 0)
		return -1;
	fd = open_path(cli, path, READ_FLAGS, err);
	if (fd < 0 || check_fd(fd, path, ret_stat, err) < 0)
		return -1;
	return steal_fd(&fd);
}

int cli_local_open_at(
    int dir_fd, const char *name, const char *path, struct stat *ret_stat, struct err *err)
{
	cleanup_fd int look_fd = openat(dir_fd, name, LOOK_FLAGS | O_CLOEXEC);
	cleanup_fd int fd = -1;

	if (look_fd < 0)
		return err_errno(err, errno, "%s", path);
	if (check_fd(look_fd, path, ret_stat, err) < 0)
		return -1;
	fd = openat(dir_fd, name, READ_FLAGS | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, errno, "%s", path);
	if (check_fd(fd, path, ret_stat, err) < 0)
		return -1;
	return steal_fd(&fd);
}

/* ---- making ---- */

static int exists_already(const char *path, struct err *err)
{
	return err_set(err, ERR_ALREADY_EXISTS, "%s is there already", path);
}

/* The last name of a path (borrowed of it); NULL with err when it can be no file's. */
static const char *last_name(const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;

	if (name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
		return name;
	(void)err_set(err, ERR_INVALID_ARGUMENT, "\"%s\" names no file", path);
	return NULL;
}

/* Opens the folder that the last name, which is part of path, is in. */
static int open_folder_of(
    const struct cli *cli, const char *path, const char *name, struct err *err)
{
	cleanup_free char *folder = xmemdupz(path, (size_t)(name - path));

	return open_path(cli, folder[0] != '\0' ? folder : ".", O_RDONLY | O_DIRECTORY, err);
}

/* Makes the folder unless it is there; slashes at the end are none of its name. */
static int make_folder(const struct cli *cli, const char *given, struct err *err)
{
	cleanup_free char *path = xstrdup(given);
	const char *name;
	cleanup_fd int dir_fd = -1;

	for (size_t len = strlen(path); len > 1 && path[len - 1] == '/'; len--)
		path[len - 1] = '\0';
	name = last_name(path, err);
	dir_fd = name == NULL ? -1 : open_folder_of(cli, path, name, err);
	if (dir_fd < 0)
		return -1;
	if (mkdirat(dir_fd, name, 0755) < 0 && errno != EEXIST)
		return err_errno(err, errno, "make %s", path);
	return 0;
}

int cli_local_open_folder(const struct cli *cli, const char *path, struct err *err)
{
	cleanup_err struct err missing = ERR_INIT;
	struct stat st = { 0 };
	cleanup_fd int fd = cli_local_open(cli, path, &st, &missing);

	if (fd < 0 && missing.code == ERR_NOT_FOUND) {
		if (make_folder(cli, path, err) < 0)
			return -1;
		fd = cli_local_open(cli, path, &st, err);
	} else if (fd < 0) {
		err_move(err, &missing);
	}
	if (fd < 0)
		return -1;
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_INVALID_ARGUMENT, "%s is a file, not a folder", path);
	return steal_fd(&fd);
}

int cli_local_create(const struct cli *cli, const char *path, struct err *err)
{
	const char *name = last_name(path, err);
	cleanup_fd int dir_fd = name == NULL ? -1 : open_folder_of(cli, path, name, err);
	int fd;

	if (dir_fd < 0)
		return -1;
	fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		return exists_already(path, err);
	return fd < 0 ? err_errno(err, errno, "make %s", path) : fd;
}

void cli_local_remove(const struct cli *cli, const char *path)
{
	cleanup_err struct err ignored = ERR_INIT;
	const char *name = last_name(path, &ignored);
	cleanup_fd int dir_fd = name == NULL ? -1 : open_folder_of(cli, path, name, &ignored);

	if (dir_fd >= 0)
		(void)unlinkat(dir_fd, name, 0);
}

int cli_output_begin(const struct cli *cli, const char *path, bool may_replace,
    struct cli_output *ret, struct err *err)
{
	char id[ID_TEXT_SIZE];

	ret->path = path;
	ret->may_replace = may_replace;
	ret->name = last_name(path, err);
	if (ret->name == NULL)
		return -1;
	ret->dir_fd = open_folder_of(cli, path, ret->name, err);
	if (ret->dir_fd < 0)
		return -1;
	if (!may_replace && faccessat(ret->dir_fd, ret->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return exists_already(path, err);
	id_new("tmp", id);
	ret->temporary = xasprintf(".stile.%s", id);
	ret->fd = openat(ret->dir_fd, ret->temporary,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return ret->fd < 0 ? err_errno(err, errno, "make %s", path) : 0;
}

int cli_output_commit(struct cli_output *output, struct err *err)
{
	int result = fsync(output->fd);

	if (result == 0 && output->may_replace)
		result = renameat(output->dir_fd, output->temporary, output->dir_fd, output->name);
	else if (result == 0)
		result =
		    fd_rename_new(output->dir_fd, output->temporary, output->dir_fd, output->name);
	if (result < 0)
		return errno == EEXIST ? exists_already(output->path, err)
				       : err_errno(err, errno, "write %s", output->path);
	free(steal_ptr(&output->temporary));
	return 0;
}

void cli_output_release(struct cli_output *output)
{
	if (output->temporary != NULL && output->dir_fd >= 0)
		(void)unlinkat(output->dir_fd, output->temporary, 0);
	close_fd(&output->fd);
	close_fd(&output->dir_fd);
	free(output->temporary);
}
