/* SPDX-License-Identifier: MIT */
/*
 * Private files. The folder of a process is DATA/private-PID-START-RANDOM, held open and locked
 * for as long as the process lives. Pid and start time tell at a glance whether the owner lives;
 * the lock, which the kernel drops with its holder, has the last word: it also counts for owners
 * in another pid namespace (a container that shares the data directory).
 */
#include "run/run.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/num.h"
#include "os/os.h"

struct run_files {
	char *data_dir;
	char *folder;  /* absolute path; made when fd is open */
	int fd;        /* of the folder, locked; -1 before the first file */
	uint64_t next; /* number of the next file */
};

struct run_files *run_files_new(const char *data_dir)
{
	struct run_files *files = xcalloc(1, sizeof(*files));

	files->data_dir = xstrdup(data_dir);
	files->fd = -1;
	return files;
}

/* Removes the plain files of a folder; we make no others, and touch no others. */
static void empty_folder(int fd)
{
	DIR *folder = fdopendir(fcntl(fd, F_DUPFD_CLOEXEC, 0));
	struct dirent *entry;

	if (folder == NULL)
		return;
	while ((entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] != '.')
			(void)unlinkat(fd, entry->d_name, 0);
	}
	(void)closedir(folder);
}

void run_files_free(struct run_files *files)
{
	if (files == NULL)
		return;
	if (files->fd >= 0) {
		empty_folder(files->fd);
		(void)rmdir(files->folder);
	}
	close_fd(&files->fd);
	free(files->folder);
	free(files->data_dir);
	free(files);
}

static void name_folder(struct run_files *files)
{
	uint32_t random = 0;

	if (files->folder != NULL)
		return;
	random_bytes(&random, sizeof(random));
	files->folder = xasprintf("%s/private-%d-%" PRIu64 "-%08" PRIx32, files->data_dir,
	    (int)getpid(), os_process_start(getpid()), random);
}

char *run_files_path(struct run_files *files)
{
	name_folder(files);
	return xasprintf("%s/%" PRIu64, files->folder, files->next++);
}

static int make_folder(struct run_files *files, struct err *err)
{
	if (files->fd >= 0)
		return 0;
	if (mkdir(files->folder, 0700) < 0)
		return err_errno(err, errno, "make the private folder %s", files->folder);
	files->fd = open(files->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (files->fd < 0 || flock(files->fd, LOCK_EX | LOCK_NB) < 0) {
		(void)err_errno(err, errno, "hold the private folder %s", files->folder);
		close_fd(&files->fd);
		(void)rmdir(files->folder);
		return -1;
	}
	return 0;
}

/* The name inside our folder of a path that run_files_path() made. */
static const char *name_of(const struct run_files *files, const char *path)
{
	size_t len = strlen(files->folder);

	assert(strncmp(path, files->folder, len) == 0 && path[len] == '/');
	return path + len + 1;
}

int run_files_write(
    struct run_files *files, const char *path, const void *data, size_t len, struct err *err)
{
	const char *name = name_of(files, path);
	cleanup_fd int fd = -1;

	if (make_folder(files, err) < 0)
		return -1;
	fd = openat(files->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_errno(err, errno, "make the private file %s", path);
	if (fd_write_all(fd, data, len) < 0) {
		(void)err_errno(err, errno, "write the private file %s", path);
		(void)unlinkat(files->fd, name, 0);
		return -1;
	}
	return 0;
}

void run_files_remove(struct run_files *files, const char *path)
{
	const char *name = name_of(files, path);

	if (files->fd >= 0)
		(void)unlinkat(files->fd, name, 0);
}

/* ---- what dead owners left ---- */

/* Reads a name that name_folder() makes, and no other: written out again it is the same. */
static bool parse_folder_name(const char *name, pid_t *ret_pid, uint64_t *ret_start)
{
	cleanup_free char *copy = xstrdup(name);
	cleanup_free char *again = NULL;
	cleanup_err struct err ignored = ERR_INIT;
	char *rest = copy;
	int64_t pid = 0;
	int64_t start = 0;

	if (strcmp(strsep(&rest, "-"), "private") != 0 || rest == NULL ||
	    num_parse(strsep(&rest, "-"), 1, INT32_MAX, &pid, &ignored) < 0 || rest == NULL ||
	    num_parse(strsep(&rest, "-"), 0, INT64_MAX, &start, &ignored) < 0 || rest == NULL)
		return false;
	again = xasprintf("private-%" PRId64 "-%" PRId64 "-%s", pid, start, rest);
	if (strcmp(again, name) != 0 || strlen(rest) != 8 || strspn(rest, "0123456789abcdef") != 8)
		return false;
	*ret_pid = (pid_t)pid;
	*ret_start = (uint64_t)start;
	return true;
}

/* True when name is one of our folders' and its owner is gone, as far as the name can tell. */
static bool is_left_behind(const char *name)
{
	pid_t pid = 0;
	uint64_t start = 0;

	return parse_folder_name(name, &pid, &start) && os_process_start(pid) != start;
}

/* Between the making of a folder and its lock, its owner is known by its name alone. */
static void sweep_folder(int data_fd, const char *name)
{
	cleanup_fd int fd = openat(data_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() ||
	    flock(fd, LOCK_EX | LOCK_NB) < 0)
		return;
	empty_folder(fd);
	(void)unlinkat(data_fd, name, AT_REMOVEDIR);
}

void run_files_sweep(const char *data_dir)
{
	DIR *folder = opendir(data_dir);
	struct dirent *entry;

	if (folder == NULL)
		return;
	while ((entry = readdir(folder)) != NULL) {
		if (is_left_behind(entry->d_name))
			sweep_folder(dirfd(folder), entry->d_name);
	}
	(void)closedir(folder);
}
