/* SPDX-License-Identifier: MIT */
/* What the operating system's room promises. Waiting is by descriptor, never by sleeping. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/os.h"

/* Makes a system call fail with ENOSYS in this process, as on an old kernel. */
static int forbid(long number)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { .len = ARRAY_LEN(filter), .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

/* ---- processes ---- */

/* A child that lives until we close the pipe's write end. */
struct child {
	pid_t pid;
	int hold; /* its end ends the child */
};

static struct child fork_child(bool makes_session, bool has_child)
{
	struct child child;
	int fds[2];
	int ready[2];
	char byte;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	child.pid = fork();
	if (child.pid == 0) {
		(void)close(fds[1]);
		if (makes_session)
			(void)setsid();
		if (has_child)
			(void)fork();
		(void)!write(ready[1], "x", 1);
		(void)!read(fds[0], &byte, 1);
		_exit(7);
	}
	for (int i = 0; i <= (has_child ? 1 : 0); i++)
		assert_int_equal(read(ready[0], &byte, 1), 1);
	close_fd(&ready[0]);
	close_fd(&ready[1]);
	close_fd(&fds[0]);
	child.hold = fds[1];
	return child;
}

static void the_end_of_a_child_makes_its_descriptor_readable(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	struct child child = fork_child(false, false);
	struct pollfd polled = { .fd = os_open_exit_fd(child.pid, &err), .events = POLLIN };
	int status = 0;

	(void)state;
	assert_true(polled.fd >= 0);
	assert_int_equal(fcntl(polled.fd, F_GETFD), FD_CLOEXEC);
	if (poll(&polled, 1, 0) == 1)
		assert_false(os_has_ended(polled.fd, child.pid));
	close_fd(&child.hold);
	do {
		assert_int_equal(poll(&polled, 1, -1), 1);
	} while (!os_has_ended(polled.fd, child.pid));
	assert_int_equal(waitpid(child.pid, &status, WNOHANG), child.pid);
	assert_int_equal(WEXITSTATUS(status), 7);
	(void)close(polled.fd);
}

/* In a process of its own: that there are no pidfds is found out once, and so is that there are. */
static void without_pidfds_the_end_of_a_child_is_found_as_well(void **state)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		struct err err = ERR_INIT;

		(void)forbid(SYS_pidfd_open);
		the_end_of_a_child_makes_its_descriptor_readable(state);
		_exit(os_open_exit_fd(getpid(), &err) >= 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_start_time_names_a_process_for_good(void **state)
{
	struct child child = fork_child(false, false);

	(void)state;
	assert_true(os_process_start(getpid()) > 0);
	assert_int_equal(os_process_start(getpid()), os_process_start(getpid()));
	assert_true(os_process_start(child.pid) >= os_process_start(getpid()));
	close_fd(&child.hold);
	assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
	assert_int_equal(os_process_start(child.pid), 0);
}

static void a_name_with_parentheses_does_not_shift_the_start_time(void **state)
{
	uint64_t before = os_process_start(getpid());
	char name[16];

	(void)state;
	assert_int_equal(prctl(PR_GET_NAME, name), 0);
	assert_int_equal(prctl(PR_SET_NAME, "x) R 1 (1 2 3"), 0);
	assert_int_equal(os_process_start(getpid()), before);
	assert_int_equal(prctl(PR_SET_NAME, name), 0);
}

static void a_parent_that_is_not_the_one_named_counts_as_dead(void **state)
{
	(void)state;
	assert_int_equal(os_set_parent_death_signal(0, getpid()), ESRCH);
	assert_int_equal(os_set_parent_death_signal(0, getppid()), 0);
}

static void signals_reach_all_descendants_but_those_to_keep(void **state)
{
	struct child plain = fork_child(false, true);
	struct child kept = fork_child(true, true);
	int status = 0;

	(void)state;
	assert_int_equal(os_signal_descendants(0, NULL, 0), 4);
	assert_int_equal(os_signal_descendants(SIGKILL, &kept.pid, 1), 2);
	assert_int_equal(waitpid(plain.pid, &status, 0), plain.pid);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	close_fd(&kept.hold);
	assert_int_equal(waitpid(kept.pid, &status, 0), kept.pid);
	assert_int_equal(WEXITSTATUS(status), 7);
	close_fd(&plain.hold);
	while (waitpid(-1, NULL, 0) > 0)
		;
	assert_int_equal(os_signal_descendants(0, NULL, 0), 0);
}

static void a_worker_is_found_by_its_name_in_our_own_file_alone(void **state)
{
	pid_t found[4];
	int ready[2];
	pid_t worker;
	char byte = 0;

	(void)state;
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	worker = fork();
	assert_true(worker >= 0);
	if (worker == 0) {
		os_become_worker();
		(void)!write(ready[1], "r", 1);
		for (;;)
			(void)pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(os_find_workers(found, ARRAY_LEN(found)), 1);
	assert_int_equal(found[0], worker);
	assert_int_equal(os_find_workers(found, 0), 0);
	assert_int_equal(kill(worker, SIGKILL), 0);
	assert_int_equal(waitpid(worker, NULL, 0), worker);
	assert_int_equal(os_find_workers(found, ARRAY_LEN(found)), 0);
	(void)close(ready[0]);
	(void)close(ready[1]);
}

static void an_orphan_becomes_the_child_of_the_subreaper(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	struct child child;

	(void)state;
	assert_ok(os_become_subreaper(&err), &err);
	child = fork_child(true, true);
	assert_int_equal(kill(child.pid, SIGKILL), 0);
	assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
	assert_int_equal(os_signal_descendants(0, NULL, 0), 1);
	close_fd(&child.hold);
	assert_true(waitpid(-1, NULL, 0) > 0);
}

/* ---- files ---- */

static void our_own_path_is_absolute_and_there(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = os_self_path(&err);

	(void)state;
	assert_non_null(path);
	assert_int_equal(path[0], '/');
	assert_non_null(strstr(path, "test_os"));
	assert_int_equal(access(path, X_OK), 0);
}

static void a_memory_file_is_read_from_its_start(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_fd int fd = os_open_memory_file("some\0data", 9, &err);
	char data[16];

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(read(fd, data, sizeof(data)), 9);
	assert_memory_equal(data, "some\0data", 9);
}

/* A folder with: inside/file, and links: in -> inside, out -> /etc, up -> .., loop -> loop. */
struct tree {
	char path[64];
	int fd;
};

static void make_tree(struct tree *tree)
{
	int fd;

	*tree = (struct tree){ .path = "/tmp/stile-test-XXXXXX" };
	assert_non_null(mkdtemp(tree->path));
	tree->fd = open(tree->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(tree->fd >= 0);
	assert_int_equal(mkdirat(tree->fd, "inside", 0700), 0);
	fd = openat(tree->fd, "inside/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "x", 1), 1);
	close_fd(&fd);
	assert_int_equal(symlinkat("inside", tree->fd, "in"), 0);
	assert_int_equal(symlinkat("/etc", tree->fd, "out"), 0);
	assert_int_equal(symlinkat("..", tree->fd, "up"), 0);
	assert_int_equal(symlinkat("loop", tree->fd, "loop"), 0);
}

static void remove_tree(struct tree *tree)
{
	static const char *const names[] = { "inside/file", "inside/new", "in", "out", "up",
		"loop" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		(void)unlinkat(tree->fd, names[i], 0);
	assert_int_equal(unlinkat(tree->fd, "inside", AT_REMOVEDIR), 0);
	close_fd(&tree->fd);
	assert_int_equal(rmdir(tree->path), 0);
}

/* The code that opening path gives; ERR_NONE when it opens, close-on-exec. */
static enum err_code open_code(const struct tree *tree, const char *path, int flags)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_fd int fd = os_open_beneath(tree->fd, path, flags, &err);

	if (fd >= 0)
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fd < 0, err_is_set(&err));
	return err.code;
}

static void check_refusals(const struct tree *tree)
{
	static const char *const paths[] = { "/etc/passwd", "..", "../x", "inside/../../x",
		"out/passwd", "up/x", "loop", "loop/x", "inside/../../../etc/passwd" };

	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		assert_int_not_equal(open_code(tree, paths[i], O_RDONLY), ERR_NONE);
	assert_int_equal(open_code(tree, "/etc/passwd", O_RDONLY), ERR_PERMISSION_DENIED);
	assert_int_equal(open_code(tree, "../x", O_RDONLY), ERR_PERMISSION_DENIED);
	assert_int_equal(open_code(tree, "", O_RDONLY), ERR_NOT_FOUND);
	assert_int_equal(open_code(tree, "inside/none", O_RDONLY), ERR_NOT_FOUND);
	assert_int_equal(open_code(tree, "inside/file/x", O_RDONLY), ERR_IO);
}

static void check_opens(const struct tree *tree)
{
	struct stat st;

	assert_int_equal(open_code(tree, "inside/file", O_RDONLY), ERR_NONE);
	assert_int_equal(open_code(tree, "inside//./file", O_RDONLY), ERR_NONE);
	assert_int_equal(open_code(tree, "inside/", O_RDONLY | O_DIRECTORY), ERR_NONE);
	assert_int_equal(open_code(tree, "inside/new", O_WRONLY | O_CREAT | O_EXCL), ERR_NONE);
	assert_int_equal(fstatat(tree->fd, "inside/new", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

/* False under valgrind, which does not know the call. */
static bool has_openat2(void)
{
	return syscall(SYS_openat2, -1, "", NULL, 0) >= 0 || errno != ENOSYS;
}

/* Links that stay below their folder are followed only where the system can be trusted with it. */
static void check_links(const struct tree *tree, bool are_followed)
{
	enum err_code out = open_code(tree, "out/passwd", O_RDONLY);
	enum err_code in = open_code(tree, "in/file", O_RDONLY);
	enum err_code up = open_code(tree, "inside/../inside/file", O_RDONLY);

	assert_int_equal(in == ERR_NONE, are_followed);
	assert_int_equal(up == ERR_NONE, are_followed);
	assert_int_not_equal(out, ERR_NONE);
	if (are_followed)
		assert_int_equal(out, ERR_PERMISSION_DENIED);
}

static void a_path_that_leads_outside_its_folder_is_refused(void **state)
{
	struct tree tree;

	(void)state;
	make_tree(&tree);
	check_refusals(&tree);
	check_opens(&tree);
	check_links(&tree, has_openat2());
	remove_tree(&tree);
}

/* The last test, for the filter stays with this process. */
static void without_openat2_the_same_is_refused_and_links_as_well(void **state)
{
	struct tree tree;

	(void)state;
	(void)forbid(SYS_openat2);
	make_tree(&tree);
	check_refusals(&tree);
	check_opens(&tree);
	check_links(&tree, has_openat2());
	remove_tree(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_end_of_a_child_makes_its_descriptor_readable),
		cmocka_unit_test(without_pidfds_the_end_of_a_child_is_found_as_well),
		cmocka_unit_test(a_start_time_names_a_process_for_good),
		cmocka_unit_test(a_name_with_parentheses_does_not_shift_the_start_time),
		cmocka_unit_test(a_parent_that_is_not_the_one_named_counts_as_dead),
		cmocka_unit_test(signals_reach_all_descendants_but_those_to_keep),
		cmocka_unit_test(a_worker_is_found_by_its_name_in_our_own_file_alone),
		cmocka_unit_test(an_orphan_becomes_the_child_of_the_subreaper),
		cmocka_unit_test(our_own_path_is_absolute_and_there),
		cmocka_unit_test(a_memory_file_is_read_from_its_start),
		cmocka_unit_test(a_path_that_leads_outside_its_folder_is_refused),
		cmocka_unit_test(without_openat2_the_same_is_refused_and_links_as_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
