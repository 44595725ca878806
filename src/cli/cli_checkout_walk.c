/* SPDX-License-Identifier: MIT */
/* What is in the local folder of a checkout. Only looked at: no link is followed, nothing is opened but
 * folders. */
#include "cli/cli_checkout.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli_local.h"

void checkout_walk_release(struct checkout_walk *walk)
{
	for (size_t i = 0; i < walk->len; i++)
		free(walk->items[i].path);
	free(walk->items);
	*walk = (struct checkout_walk){ 0 };
}

/* ---- one name ---- */

static int64_t ns_of(struct timespec time)
{
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static struct checkout_local *add(struct checkout_walk *walk, char *path, enum checkout_kind kind)
{
	ARRAY_GROW(walk->items, walk->len, walk->cap);
	walk->items[walk->len] = (struct checkout_local){ .path = path, .kind = kind };
	return &walk->items[walk->len++];
}

static void add_refused(struct checkout_walk *walk, char *path, const char *reason)
{
	add(walk, path, CHECKOUT_REFUSED)->reason = reason;
}

static const char *kind_fault(const struct stat *st)
{
	if (S_ISLNK(st->st_mode))
		return "a symbolic link is not followed";
	return "this is a special file";
}

static void add_file(struct checkout_walk *walk, char *path, const struct stat *st)
{
	struct checkout_local *local = add(walk, path, CHECKOUT_FILE);

	local->size = st->st_size;
	local->mtime_ns = ns_of(st->st_mtim);
	local->ctime_ns = ns_of(st->st_ctim);
	local->inode = (int64_t)st->st_ino;
}

static int walk_folder(
    struct checkout_walk *walk, int fd, const char *path, int depth, struct err *err);

/* A folder that is gone or a link by now is refused, not followed. */
static int enter(
    struct checkout_walk *walk, int fd, const char *name, char *path, int depth, struct err *err)
{
	cleanup_fd int next = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (next < 0) {
		add_refused(walk, path,
		    errno == EACCES ? "this folder cannot be read" : "it changed meanwhile");
		return 0;
	}
	(void)add(walk, path, CHECKOUT_FOLDER);
	return walk_folder(walk, next, path, depth + 1, err);
}

/* Takes path. */
static int look(
    struct checkout_walk *walk, int fd, const char *name, char *path, int depth, struct err *err)
{
	const char *fault = checkout_name_fault(name);
	struct stat st;

	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		free(path); /* gone again */
		return 0;
	}
	if (checkout_name_is_git(name)) {
		(void)add(walk, path, CHECKOUT_IGNORED);
		return 0;
	}
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		fault = kind_fault(&st);
	else if (fault == NULL && depth > CHECKOUT_DEPTH_MAX)
		fault = "folders nest at most 64 deep";
	if (fault != NULL)
		add_refused(walk, path, fault);
	else if (S_ISREG(st.st_mode))
		add_file(walk, path, &st);
	else
		return enter(walk, fd, name, path, depth, err);
	return 0;
}

/* ---- folders ---- */

static int is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int walk_entry(struct checkout_walk *walk, int fd, const char *folder, const char *name,
    int depth, struct err *err)
{
	if (depth == 1 && strcmp(name, CHECKOUT_OWN_NAME) == 0)
		return 0;
	if (walk->len >= CHECKOUT_FILES_MAX)
		return err_set(err, ERR_LIMIT, "there are more than %zu files", CHECKOUT_FILES_MAX);
	return look(walk, fd, name,
	    folder[0] == '\0' ? xstrdup(name) : xasprintf("%s/%s", folder, name), depth, err);
}

static int walk_folder(
    struct checkout_walk *walk, int fd, const char *path, int depth, struct err *err)
{
	struct dirent **entries = NULL;
	int len = scandirat(fd, ".", &entries, is_entry, NULL);
	int result = 0;

	if (len < 0)
		return err_errno(err, errno, "%s", path[0] != '\0' ? path : "the checkout");
	for (int i = 0; i < len; i++) {
		if (result == 0)
			result = walk_entry(walk, fd, path, entries[i]->d_name, depth, err);
		free(entries[i]);
	}
	free(entries);
	return result;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(
	    ((const struct checkout_local *)a)->path, ((const struct checkout_local *)b)->path);
}

int checkout_walk(struct checkout_place *place, struct checkout_walk *ret, struct err *err)
{
	if (walk_folder(ret, place->root_fd, "", 1, err) < 0)
		return -1;
	if (ret->len > 1)
		qsort(ret->items, ret->len, sizeof(*ret->items), by_path);
	return 0;
}

/* ---- bytes ---- */

bool checkout_local_is(const struct checkout_local *local, const struct stat *st)
{
	return local->size == st->st_size && local->mtime_ns == ns_of(st->st_mtim) &&
	       local->ctime_ns == ns_of(st->st_ctim) && local->inode == (int64_t)st->st_ino;
}

static int changing(const char *path, struct err *err)
{
	return err_set(err, ERR_CONFLICT,
	    "%s: the file changed while it was read; try again when nobody writes to it", path);
}

int checkout_hash(struct checkout_place *place, const struct checkout_local *local,
    struct digest *ret, struct err *err)
{
	struct stat st = { 0 };
	cleanup_fd int fd = checkout_place_read(place, local->path, &st, err);

	if (fd < 0)
		return -1;
	if (!checkout_local_is(local, &st))
		return changing(local->path, err);
	if (digest_of_fd(fd, ret, err) < 0)
		return err_wrap(err, "%s", local->path);
	if (fstat(fd, &st) < 0 || !checkout_local_is(local, &st))
		return changing(local->path, err);
	return 0;
}
