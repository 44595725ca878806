/* SPDX-License-Identifier: MIT */
/*
 * The local folder of a checkout. Every step is one name in an open folder, and no link is followed: a
 * folder that is exchanged for a link while we work leads nowhere. What is written is written in .stile
 * first and then put in its place, so that no half file stands there, whenever we are killed.
 */
#include "cli/cli_checkout.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/fd.h"
#include "cli/cli_local.h"

#define RECORD_NAME "checkout.json"
#define RECORD_NEW "checkout.json.new"
#define PART_NAME "part" /* the file that is being written */
#define RECORD_MAX (CHECKOUT_FILES_MAX * 1024)

#define STEP_FLAGS (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

void checkout_place_release(struct checkout_place *place)
{
	close_fd(&place->folder_fd);
	close_fd(&place->own_fd);
	close_fd(&place->root_fd);
	free(place->folder);
	place->folder = NULL;
}

/* ---- opening ---- */

static int is_foreign(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
	       strcmp(entry->d_name, CHECKOUT_OWN_NAME) != 0;
}

static int look_inside(struct checkout_place *place, struct err *err)
{
	struct dirent **entries = NULL;
	int len = scandirat(place->root_fd, ".", &entries, is_foreign, NULL);

	if (len < 0)
		return err_errno(err, errno, "%s", place->dir);
	for (int i = 0; i < len; i++)
		free(entries[i]);
	free(entries);
	place->is_empty = len == 0;
	return 0;
}

int checkout_place_open(const struct cli *cli, const char *dir, bool may_make,
    struct checkout_place *ret, struct err *err)
{
	struct stat st = { 0 };

	ret->dir = dir;
	ret->root_fd =
	    may_make ? cli_local_open_folder(cli, dir, err) : cli_local_open(cli, dir, &st, err);
	if (ret->root_fd < 0)
		return -1;
	if (!may_make && !S_ISDIR(st.st_mode))
		return err_set(err, ERR_INVALID_ARGUMENT, "%s is no folder", dir);
	return look_inside(ret, err);
}

static int no_checkout(const struct checkout_place *place, struct err *err)
{
	return err_set(err, ERR_NOT_FOUND,
	    "%s is no checkout; make one: stile vault workspace checkout WORKSPACE %s", place->dir,
	    place->dir);
}

static int open_own(struct checkout_place *place, enum checkout_hold how, struct err *err)
{
	if (how == CHECKOUT_MAKE && mkdirat(place->root_fd, CHECKOUT_OWN_NAME, 0700) < 0 &&
	    errno != EEXIST)
		return err_errno(err, errno, "make %s/" CHECKOUT_OWN_NAME, place->dir);
	place->own_fd = openat(
	    place->root_fd, CHECKOUT_OWN_NAME, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (place->own_fd >= 0)
		return 0;
	if (errno == ENOENT)
		return no_checkout(place, err);
	if (errno == ELOOP || errno == ENOTDIR)
		return err_set(err, ERR_PERMISSION_DENIED,
		    "%s/" CHECKOUT_OWN_NAME " is not a folder of ours but a link or a file",
		    place->dir);
	return err_errno(err, errno, "%s/" CHECKOUT_OWN_NAME, place->dir);
}

int checkout_place_hold(struct checkout_place *place, enum checkout_hold how, struct err *err)
{
	if (open_own(place, how, err) < 0)
		return -1;
	if (flock(place->own_fd, (how == CHECKOUT_LOOK ? LOCK_SH : LOCK_EX) | LOCK_NB) < 0)
		return err_set(err, ERR_UNAVAILABLE,
		    "another command is at work in %s; try again when it is done", place->dir);
	return 0;
}

/* ---- the record ---- */

static int read_all(int fd, struct buf *text, struct err *err)
{
	ssize_t got;

	do {
		char *room = buf_reserve(text, 65536);

		if (room == NULL)
			return err_set(err, ERR_CONFIGURATION, "its record is too large");
		got = read(fd, room, 65536);
		if (got > 0)
			buf_commit(text, (size_t)got);
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got < 0 ? err_errno(err, errno, "read the record") : 0;
}

static int load(struct checkout_place *place, struct checkout_record *ret, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT_MAX(RECORD_MAX);
	struct stat st;
	cleanup_fd int fd = openat(
	    place->own_fd, RECORD_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return no_checkout(place, err);
	if (fd < 0 && errno == ELOOP)
		return err_set(
		    err, ERR_CONFIGURATION, "its record is a symbolic link, which is not followed");
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, errno, CHECKOUT_OWN_NAME "/" RECORD_NAME);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_CONFIGURATION, "its record is no ordinary file");
	if (read_all(fd, &text, err) < 0)
		return -1;
	return checkout_record_read(text.data, text.len, ret, err);
}

int checkout_place_load(struct checkout_place *place, struct checkout_record *ret, struct err *err)
{
	if (load(place, ret, err) == 0)
		return 0;
	if (err->code == ERR_CONFIGURATION)
		(void)err_wrap(err, "check out again with --force, or into a new folder");
	return err->code == ERR_NOT_FOUND ? -1 : err_wrap(err, "%s", place->dir);
}

/* The clock that the files' times are of. */
static int read_clock(int fd, int64_t *ret_ns, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(err, errno, "look at the record");
	*ret_ns = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
	return 0;
}

static int write_record(int fd, const struct checkout_record *record, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT_MAX(RECORD_MAX);

	checkout_record_write(record, &text);
	if (buf_check(&text, "the record of the checkout", err) < 0)
		return -1;
	if (fd_write_all(fd, text.data, text.len) < 0)
		return err_errno(err, errno, "write the record");
	return 0;
}

int checkout_place_save(
    struct checkout_place *place, struct checkout_record *record, struct err *err)
{
	cleanup_fd int fd = -1;

	(void)unlinkat(place->own_fd, RECORD_NEW, 0);
	fd = openat(
	    place->own_fd, RECORD_NEW, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_errno(err, errno, "write the record of %s", place->dir);
	if (read_clock(fd, &record->clock_ns, err) < 0 || write_record(fd, record, err) < 0)
		return err_wrap(err, "%s", place->dir);
	if (renameat(place->own_fd, RECORD_NEW, place->own_fd, RECORD_NAME) < 0)
		return err_errno(err, errno, "write the record of %s", place->dir);
	return 0;
}

void checkout_file_stamp(struct checkout_file *file, const struct stat *st)
{
	file->size = st->st_size;
	file->mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
	file->ctime_ns = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec;
	file->inode = (int64_t)st->st_ino;
}

/* ---- steps ---- */

static int no_step(int errnum, const char *path, struct err *err)
{
	if (errnum == ENOTDIR || errnum == ELOOP)
		return err_set(err, ERR_CONFLICT,
		    "%s: a folder on the way is a link or a file; nothing is followed", path);
	return err_errno(err, errnum, "%s", path);
}

/* One name down; made when it is missing and make says so. */
static int step(int fd, const char *name, bool make)
{
	int next = openat(fd, name, STEP_FLAGS);

	if (next >= 0 || errno != ENOENT || !make)
		return next;
	if (mkdirat(fd, name, 0755) < 0 && errno != EEXIST)
		return -1;
	return openat(fd, name, STEP_FLAGS);
}

/* Walks down folder, a relative path or "". */
static int walk_down(struct checkout_place *place, const char *folder, bool make, struct err *err)
{
	cleanup_fd int fd = openat(place->root_fd, ".", STEP_FLAGS);
	const char *at = folder;

	if (fd < 0)
		return no_step(errno, place->dir, err);
	while (*at != '\0') {
		size_t len = strcspn(at, "/");
		cleanup_free char *name = xmemdupz(at, len);
		int next = step(fd, name, make);

		if (next < 0)
			return no_step(errno, folder, err);
		close_fd(&fd);
		fd = next;
		at += len + (at[len] == '/');
	}
	return steal_fd(&fd);
}

/* The open folder of that path; the last one is kept, for files come folder by folder. */
static int open_folder(struct checkout_place *place, const char *folder, bool make, struct err *err)
{
	int fd;

	if (place->folder != NULL && strcmp(place->folder, folder) == 0)
		return place->folder_fd;
	fd = walk_down(place, folder, make, err);
	if (fd < 0)
		return -1;
	close_fd(&place->folder_fd);
	free(place->folder);
	place->folder_fd = fd;
	place->folder = xstrdup(folder);
	return fd;
}

int checkout_place_folder(struct checkout_place *place, const char *path, bool make,
    const char **ret_name, struct err *err)
{
	const char *slash = strrchr(path, '/');
	cleanup_free char *folder = xmemdupz(path, slash != NULL ? (size_t)(slash - path) : 0);
	int fd = open_folder(place, folder, make, err);

	if (fd >= 0)
		*ret_name = slash != NULL ? slash + 1 : path;
	return fd;
}

int checkout_place_make_folder(struct checkout_place *place, const char *path, struct err *err)
{
	return open_folder(place, path, true, err) < 0 ? -1 : 0;
}

int checkout_place_read(
    struct checkout_place *place, const char *path, struct stat *ret_stat, struct err *err)
{
	const char *name = NULL;
	int folder_fd = checkout_place_folder(place, path, false, &name, err);

	if (folder_fd < 0)
		return -1;
	return cli_local_open_at(folder_fd, name, path, ret_stat, err);
}

/* ---- writing ---- */

static int make_part(const struct checkout_place *place)
{
	return openat(
	    place->own_fd, PART_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
}

int checkout_place_begin(struct checkout_place *place, struct err *err)
{
	int fd = make_part(place);

	/* of one that was killed */
	if (fd < 0 && errno == EEXIST && unlinkat(place->own_fd, PART_NAME, 0) == 0)
		fd = make_part(place);
	return fd < 0 ? err_errno(err, errno, "write in %s", place->dir) : fd;
}

int checkout_place_end(struct checkout_place *place, int fd, const char *path, bool may_replace,
    struct stat *ret_stat, struct err *err)
{
	const char *name = NULL;
	int folder_fd = checkout_place_folder(place, path, true, &name, err);
	int result;

	if (folder_fd < 0)
		return -1;
	result = may_replace ? renameat(place->own_fd, PART_NAME, folder_fd, name)
			     : fd_rename_new(place->own_fd, PART_NAME, folder_fd, name);
	if (result < 0 && (errno == EEXIST || errno == EISDIR || errno == ENOTEMPTY))
		return err_set(err, ERR_CONFLICT, "%s: something else is there by now", path);
	/* only now: to rename a file is a change of it */
	if (result < 0 || fstat(fd, ret_stat) < 0)
		return err_errno(err, errno, "%s", path);
	return 0;
}

/* Forgets the folder used last, which may be gone. */
static void forget_folder(struct checkout_place *place)
{
	close_fd(&place->folder_fd);
	free(steal_ptr(&place->folder));
}

/* The folders above path that are empty by now. */
static void remove_empty(struct checkout_place *place, const char *path)
{
	cleanup_free char *at = xstrdup(path);
	char *slash;

	for (slash = strrchr(at, '/'); slash != NULL; slash = strrchr(at, '/')) {
		cleanup_err struct err ignored = ERR_INIT;
		const char *name = NULL;
		int folder_fd;

		*slash = '\0';
		forget_folder(place);
		folder_fd = checkout_place_folder(place, at, false, &name, &ignored);
		if (folder_fd < 0 || unlinkat(folder_fd, name, AT_REMOVEDIR) < 0)
			return;
	}
}

int checkout_place_remove(struct checkout_place *place, const char *path, struct err *err)
{
	const char *name = NULL;
	int folder_fd = checkout_place_folder(place, path, false, &name, err);

	if (folder_fd < 0)
		return -1;
	if (unlinkat(folder_fd, name, 0) < 0 && errno != ENOENT)
		return err_errno(err, errno, "remove %s", path);
	remove_empty(place, path);
	return 0;
}
