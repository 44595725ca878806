/* SPDX-License-Identifier: MIT */
/*
 * Content digests of what a plan holds: a file, or a folder with all that is in it. Of a folder count
 * names, in the order of their bytes, kinds, the owner's x-bit of files, their bytes, and where links
 * lead; links are not followed. Times, owners and other modes do not count. What is neither file, folder
 * nor link is refused: its content is nothing that stays.
 */
#include "call/call_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"

static const char FILE_DOMAIN[] = "stile-file-v1;";
static const char FOLDER_DOMAIN[] = "stile-folder-v1;";

/* What a walk has seen, against its bounds. */
struct walk {
	struct digest_state state;
	size_t entries;
	int64_t bytes;
	unsigned depth;
};

/* Everything is added with its length, so that no two trees make the same bytes. */
static void add(struct walk *walk, const void *data, size_t len)
{
	uint64_t size = len;

	digest_add(&walk->state, &size, sizeof(size));
	digest_add(&walk->state, data, len);
}

static int count(struct walk *walk, const char *path, int64_t bytes, struct err *err)
{
	walk->entries++;
	walk->bytes += bytes;
	if (walk->entries > LIMIT_PIN_ENTRIES || walk->bytes > LIMIT_PIN_BYTES)
		return err_set(err, ERR_LIMIT,
		    "%s: more than %zu files or %lld bytes cannot be held by a plan", path,
		    LIMIT_PIN_ENTRIES, (long long)LIMIT_PIN_BYTES);
	return 0;
}

static int refuse(const char *path, const char *what, struct err *err)
{
	return err_set(
	    err, ERR_INVALID_ARGUMENT, "%s is %s, whose content a plan cannot hold", path, what);
}

/* Names in a folder, in the order of their bytes. fd moves to the stream. */
static int read_names(int fd, const char *path, struct strvec *ret_names, struct err *err)
{
	DIR *dir = fdopendir(fd);
	const struct dirent *entry;

	if (dir == NULL) {
		(void)err_errno(err, errno, "%s", path);
		(void)close(fd);
		return -1;
	}
	errno = 0;
	while ((entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			strvec_push(ret_names, entry->d_name);
		errno = 0;
	}
	if (errno != 0)
		(void)err_errno(err, errno, "%s", path);
	(void)closedir(dir);
	if (err_is_set(err))
		return -1;
	strvec_sort(ret_names);
	return 0;
}

static int add_link(
    struct walk *walk, int dirfd, const char *name, const char *path, struct err *err)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(dirfd, name, target, sizeof(target));

	if (len < 0)
		return err_errno(err, errno, "%s", path);
	add(walk, "link", 4);
	add(walk, target, (size_t)len);
	return 0;
}

static int add_file(
    struct walk *walk, int fd, const struct stat *st, const char *path, struct err *err)
{
	struct digest digest;

	if (count(walk, path, st->st_size, err) < 0)
		return -1;
	if (digest_of_fd(fd, &digest, err) < 0)
		return err_wrap(err, "%s", path);
	add(walk, st->st_mode & S_IXUSR ? "program" : "file", st->st_mode & S_IXUSR ? 7 : 4);
	add(walk, digest.bytes, DIGEST_SIZE);
	return 0;
}

static int add_folder(struct walk *walk, int fd, const char *path, struct err *err);

/* NONBLOCK: what became a pipe since it was looked at must not hold us up. */
static int add_entry(
    struct walk *walk, int dirfd, const char *name, const char *path, struct err *err)
{
	struct stat st;
	cleanup_fd int fd = -1;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_errno(err, errno, "%s", path);
	if (S_ISLNK(st.st_mode))
		return count(walk, path, 0, err) < 0 ? -1 : add_link(walk, dirfd, name, path, err);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return refuse(path, "neither a file, a folder nor a link", err);
	fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, errno, "%s", path);
	if (S_ISREG(st.st_mode))
		return add_file(walk, fd, &st, path, err);
	if (!S_ISDIR(st.st_mode))
		return refuse(path, "neither a file, a folder nor a link", err);
	return add_folder(walk, steal_fd(&fd), path, err);
}

/* fd is taken. */
static int add_names(struct walk *walk, int fd, const char *path, struct err *err)
{
	cleanup_strvec struct strvec names = STRVEC_INIT;
	cleanup_fd int dirfd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	uint64_t len;

	if (read_names(fd, path, &names, err) < 0)
		return -1;
	if (dirfd < 0)
		return err_errno(err, errno, "%s", path);
	len = names.len;
	add(walk, "dir", 3);
	add(walk, &len, sizeof(len));
	for (size_t i = 0; i < names.len; i++) {
		cleanup_free char *below = xasprintf("%s/%s", path, names.items[i]);

		add(walk, names.items[i], strlen(names.items[i]));
		if (add_entry(walk, dirfd, names.items[i], below, err) < 0)
			return -1;
	}
	return 0;
}

static int add_folder(struct walk *walk, int fd, const char *path, struct err *err)
{
	int result;

	if (count(walk, path, 0, err) < 0 || walk->depth >= LIMIT_PIN_DEPTH) {
		(void)close(fd);
		return err_is_set(err) ? -1 : refuse(path, "nested too deeply", err);
	}
	walk->depth++;
	result = add_names(walk, fd, path, err);
	walk->depth--;
	return result;
}

int call_content_digest(
    const char *path, const char **ret_kind, struct digest *ret_digest, struct err *err)
{
	struct walk walk = { 0 };
	struct stat st;
	bool is_folder;

	if (lstat(path, &st) < 0)
		return err_errno(err, errno, "%s", path);
	is_folder = S_ISDIR(st.st_mode);
	digest_begin(&walk.state);
	add(&walk, is_folder ? FOLDER_DOMAIN : FILE_DOMAIN,
	    strlen(is_folder ? FOLDER_DOMAIN : FILE_DOMAIN));
	if (S_ISLNK(st.st_mode))
		return refuse(path, "a link", err);
	if (add_entry(&walk, AT_FDCWD, path, path, err) < 0)
		return -1;
	*ret_kind = is_folder ? "dir" : "file";
	*ret_digest = digest_end(&walk.state);
	return 0;
}
