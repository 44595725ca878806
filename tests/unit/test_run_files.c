/* SPDX-License-Identifier: MIT */
/* Private files: who can read them, and when they go. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/os.h"
#include "run/run.h"

static char data_dir[64];

static int make_data_dir(void **state)
{
	(void)state;
	(void)snprintf(data_dir, sizeof(data_dir), "/tmp/stile-test-XXXXXX");
	return mkdtemp(data_dir) == NULL ? -1 : 0;
}

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int remove_data_dir(void **state)
{
	(void)state;
	return nftw(data_dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* How many entries the data directory has. */
static size_t count_entries(void)
{
	DIR *folder = opendir(data_dir);
	struct dirent *entry;
	size_t count = 0;

	assert_non_null(folder);
	while ((entry = readdir(folder)) != NULL)
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	(void)closedir(folder);
	return count;
}

/* Makes an entry of the data directory: a folder with a file in it. */
static void make_entry(const char *name)
{
	cleanup_free char *folder = xasprintf("%s/%s", data_dir, name);
	cleanup_free char *file = xasprintf("%s/0", folder);
	cleanup_fd int fd = -1;

	assert_int_equal(mkdir(folder, 0700), 0);
	fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
}

static bool is_there(const char *name)
{
	cleanup_free char *path = xasprintf("%s/%s", data_dir, name);

	return access(path, F_OK) == 0;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void nothing_is_made_before_the_first_file(void **state)
{
	struct run_files *files = run_files_new(data_dir);
	cleanup_free char *path = run_files_path(files);

	(void)state;
	assert_int_equal(count_entries(), 0);
	assert_int_equal(access(path, F_OK), -1);
	run_files_remove(files, path);
	run_files_free(files);
	run_files_free(NULL);
}

static void a_file_is_for_its_owner_alone_whatever_the_umask(void **state)
{
	struct run_files *files = run_files_new(data_dir);
	cleanup_free char *path = run_files_path(files);
	cleanup_err struct err err = ERR_INIT;
	mode_t before = umask(0);
	char data[16];
	int fd;

	(void)state;
	assert_ok(run_files_write(files, path, "secret\0\n", 8, &err), &err);
	(void)umask(before);
	assert_int_equal(mode_of(path), 0600);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, data, sizeof(data)), 8);
	assert_memory_equal(data, "secret\0\n", 8);
	close_fd(&fd);
	*strrchr(path, '/') = '\0';
	assert_int_equal(mode_of(path), 0700);
	run_files_free(files);
	assert_int_equal(count_entries(), 0);
}

static void paths_differ_and_a_removed_file_is_gone(void **state)
{
	struct run_files *files = run_files_new(data_dir);
	cleanup_free char *a = run_files_path(files);
	cleanup_free char *b = run_files_path(files);
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_string_not_equal(a, b);
	assert_ok(run_files_write(files, a, "a", 1, &err), &err);
	assert_ok(run_files_write(files, b, "", 0, &err), &err);
	run_files_remove(files, a);
	assert_int_equal(access(a, F_OK), -1);
	assert_int_equal(access(b, F_OK), 0);
	run_files_free(files);
	assert_int_equal(access(b, F_OK), -1);
}

static void a_path_in_use_is_not_written_again(void **state)
{
	struct run_files *files = run_files_new(data_dir);
	cleanup_free char *path = run_files_path(files);
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(run_files_write(files, path, "a", 1, &err), &err);
	assert_fails(run_files_write(files, path, "b", 1, &err), &err, ERR_IO);
	run_files_free(files);
}

static void a_data_directory_that_is_not_there_is_an_error(void **state)
{
	struct run_files *files = run_files_new("/nonexistent");
	cleanup_free char *path = run_files_path(files);
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_fails(run_files_write(files, path, "a", 1, &err), &err, ERR_NOT_FOUND);
	run_files_free(files);
	run_files_sweep("/nonexistent");
}

/* A process that writes a file and is killed; the folder it leaves. */
static void the_files_of_a_killed_process_are_swept(void **state)
{
	int ready[2];
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct err err = ERR_INIT;
		struct run_files *files = run_files_new(data_dir);
		char *path = run_files_path(files);

		(void)!run_files_write(files, path, "left", 4, &err);
		(void)!write(ready[1], "x", 1);
		for (;;)
			(void)pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	run_files_sweep(data_dir);
	assert_int_equal(count_entries(), 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	run_files_sweep(data_dir);
	assert_int_equal(count_entries(), 0);
	close_fd(&ready[0]);
	close_fd(&ready[1]);
}

/* As from another pid namespace: by its name the owner is gone, but the lock is held. */
static void a_folder_that_is_locked_is_not_swept(void **state)
{
	struct run_files *files = run_files_new(data_dir);
	cleanup_free char *path = run_files_path(files);
	cleanup_free char *renamed = xasprintf("%s/private-1-1-00000001", data_dir);
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(run_files_write(files, path, "a", 1, &err), &err);
	*strrchr(path, '/') = '\0';
	assert_int_equal(rename(path, renamed), 0);
	run_files_sweep(data_dir);
	assert_true(is_there("private-1-1-00000001/0"));
	run_files_free(files);
	run_files_sweep(data_dir);
	assert_int_equal(count_entries(), 0);
}

static void nothing_but_folders_of_dead_owners_is_swept(void **state)
{
	static const char *const kept[] = { "private", "private-", "private-1-1",
		"private-x-1-00000001", "private-1-1-00000001-x", "private-01-1-00000001",
		"private-1-1-1", "private--1-1-00000001", "private-0-1-00000001",
		"xprivate-1-1-00000001", "vault.db" };
	cleanup_free char *living = xasprintf("private-%d-%llu-00000001", (int)getpid(),
	    (unsigned long long)os_process_start(getpid()));
	cleanup_free char *target = xasprintf("%s/target", data_dir);
	cleanup_free char *link = xasprintf("%s/private-1-1-00000003", data_dir);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		make_entry(kept[i]);
	make_entry(living);
	make_entry("target");
	make_entry("private-1-1-00000002");
	make_entry("private-1-1-00000004");
	make_entry("private-1-1-00000004/folder");
	assert_int_equal(symlink(target, link), 0);
	run_files_sweep(data_dir);
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		assert_true(is_there(kept[i]));
	assert_true(is_there(living));
	assert_true(is_there("target/0"));
	assert_true(is_there("private-1-1-00000003"));
	assert_true(is_there("private-1-1-00000004/folder/0"));
	assert_false(is_there("private-1-1-00000002"));
}

#define FILES_TEST(name) cmocka_unit_test_setup_teardown(name, make_data_dir, remove_data_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILES_TEST(nothing_is_made_before_the_first_file),
		FILES_TEST(a_file_is_for_its_owner_alone_whatever_the_umask),
		FILES_TEST(paths_differ_and_a_removed_file_is_gone),
		FILES_TEST(a_path_in_use_is_not_written_again),
		FILES_TEST(a_data_directory_that_is_not_there_is_an_error),
		FILES_TEST(the_files_of_a_killed_process_are_swept),
		FILES_TEST(a_folder_that_is_locked_is_not_swept),
		FILES_TEST(nothing_but_folders_of_dead_owners_is_swept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
