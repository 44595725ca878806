/* SPDX-License-Identifier: MIT */
/*
 * Which program files are refused. The trees stand in a folder that is itself safe: the user's
 * home, or where the sources are. /tmp, where tests like to be, is one of the refused.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/run.h"

#define NOBODYS_ID 54321

static char base[PATH_MAX]; /* safe and ours; emptied after each test */

/* ---- trees ---- */

static char *under(const char *name)
{
	return xasprintf("%s/%s", base, name);
}

static void make_folder(const char *name, mode_t mode)
{
	cleanup_free char *path = under(name);

	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void make_program_at(const char *path, mode_t mode)
{
	cleanup_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "#!/bin/true\n", 12), 12);
	assert_int_equal(fchmod(fd, mode), 0);
}

static void make_program(const char *name, mode_t mode)
{
	cleanup_free char *path = under(name);

	make_program_at(path, mode);
}

static void make_link(const char *target, const char *name)
{
	cleanup_free char *path = under(name);

	assert_int_equal(symlink(target, path), 0);
}

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	return ftw->level == 0 ? 0 : remove(path);
}

static int empty_base(void **state)
{
	(void)state;
	return nftw(base, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static int remove_base(void **state)
{
	(void)state;
	return rmdir(base);
}

/* ---- resolving ---- */

/* NULL when name resolves (to wanted, where that is given), else the reason: owned by the caller. */
static char *refusal(const char *name, const char *search_path, const char *wanted)
{
	struct run_program program = RUN_PROGRAM_INIT;
	cleanup_err struct err err = ERR_INIT;

	if (run_program_resolve(name, search_path, &program, &err) < 0) {
		assert_int_equal(err.code, ERR_PROGRAM_NOT_FOUND);
		assert_null(program.path);
		return xstrdup(err.message);
	}
	if (wanted != NULL)
		assert_string_equal(program.path, wanted);
	assert_true(run_program_is_same(&program));
	run_program_release(&program);
	return NULL;
}

static void assert_refused(const char *name, const char *part_of_reason)
{
	cleanup_free char *path = under(name);
	cleanup_free char *reason = refusal(path, NULL, NULL);

	assert_non_null(reason);
	if (strstr(reason, part_of_reason) == NULL)
		fail_msg("%s: \"%s\" does not say \"%s\"", name, reason, part_of_reason);
}

static void assert_resolves(const char *name, const char *to)
{
	cleanup_free char *path = under(name);
	cleanup_free char *wanted = under(to);
	cleanup_free char *reason = refusal(path, NULL, wanted);

	if (reason != NULL)
		fail_msg("%s: %s", name, reason);
}

/* A folder to work in, below the first place that is safe. */
static int find_base(void **state)
{
	const char *const places[] = { getenv("HOME"), SOURCE_ROOT, getenv("XDG_RUNTIME_DIR") };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		cleanup_free char *program = NULL;
		cleanup_free char *reason = NULL;
		char *real = places[i] == NULL ? NULL : realpath(places[i], NULL);

		if (real == NULL)
			continue;
		(void)snprintf(base, sizeof(base), "%s/.stile-test-XXXXXX", real);
		free(real);
		if (mkdtemp(base) == NULL)
			continue;
		program = under("program");
		make_program_at(program, 0700);
		reason = refusal(program, NULL, NULL);
		(void)unlink(program);
		if (reason == NULL)
			return 0;
		print_message("%s\n", reason);
		(void)rmdir(base);
	}
	print_message("neither HOME nor the sources stand in a folder that is safe for programs\n");
	return -1;
}

/* ---- refusals ---- */

static void a_program_that_is_not_there_is_refused(void **state)
{
	cleanup_free char *reason = refusal("no-such-program-anywhere", "/nonexistent", NULL);

	(void)state;
	assert_non_null(reason);
	assert_non_null(strstr(reason, "in no absolute folder of PATH"));
	assert_refused("none", "No such file");
	assert_refused("none/deeper", "No such file");
}

static void a_name_that_is_neither_plain_nor_absolute_is_refused(void **state)
{
	static const char *const names[] = { "", "./git", "bin/git", "../git", "git/" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		cleanup_free char *reason = refusal(names[i], "/usr/bin", NULL);

		assert_non_null(reason);
		assert_non_null(strstr(reason, "neither a plain name nor an absolute path"));
	}
}

static void what_is_no_executable_file_is_refused(void **state)
{
	(void)state;
	make_folder("folder", 0700);
	make_program("data", 0600);
	make_program("program", 0700);
	make_link("gone", "dangling");
	make_link("round", "round");
	assert_refused("folder", "is no file");
	assert_refused("data", "may not be executed");
	assert_refused("program/", "is no file");
	assert_refused("program/x", "Not a directory");
	assert_refused("dangling", "No such file");
	assert_refused("round", "too many links");
}

static void a_program_writable_by_everyone_is_refused(void **state)
{
	(void)state;
	make_program("program", 0702);
	assert_refused("program", "writable by everyone");
}

static void a_program_in_a_folder_writable_by_everyone_is_refused(void **state)
{
	(void)state;
	make_folder("open", 0777);
	make_folder("open/shut", 0700);
	make_program("open/program", 0700);
	make_program("open/shut/program", 0700);
	assert_refused("open/program", "open is writable by everyone");
	assert_refused("open/shut/program", "open is writable by everyone");
}

static void a_sticky_folder_counts_as_writable_by_everyone(void **state)
{
	(void)state;
	make_folder("sticky", 01777);
	make_program("sticky/program", 0700);
	assert_refused("sticky/program", "writable by everyone");
}

static void a_link_out_of_a_folder_writable_by_everyone_is_refused(void **state)
{
	(void)state;
	make_folder("open", 0777);
	make_program("program", 0700);
	make_link("../program", "open/link");
	assert_refused("open/link", "open is writable by everyone");
	make_link("open/link", "start"); /* safe, but leads through the one that is not */
	assert_refused("start", "open is writable by everyone");
}

static void a_way_through_an_unsafe_folder_and_back_is_refused(void **state)
{
	(void)state;
	make_folder("open", 0777);
	make_program("program", 0700);
	assert_refused("open/../program", "open is writable by everyone");
}

/* Only root can give a file away. */
static void what_belongs_to_another_user_is_refused(void **state)
{
	cleanup_free char *program = under("program");
	cleanup_free char *link = under("link");

	(void)state;
	make_program("program", 0700);
	make_link("program", "link");
	assert_resolves("link", "program");
	if (geteuid() != 0)
		return;
	assert_int_equal(lchown(link, NOBODYS_ID, 0), 0);
	assert_refused("link", "belongs to another user");
	assert_int_equal(chown(program, NOBODYS_ID, 0), 0);
	assert_int_equal(chmod(program, 0755), 0);
	assert_refused("program", "belongs to another user");
}

/* True when gid is named after this user, who is its only member. */
static bool is_private(gid_t gid)
{
	const struct passwd *user = getpwuid(geteuid());
	const struct group *group = getgrgid(gid);

	return user != NULL && group != NULL && strcmp(user->pw_name, group->gr_name) == 0 &&
	       (group->gr_mem[0] == NULL || strcmp(group->gr_mem[0], user->pw_name) == 0);
}

/* Root can make it any group's; others have at least their own group, private or not. */
static void a_program_writable_by_a_group_is_refused_unless_the_group_is_private(void **state)
{
	cleanup_free char *program = under("program");
	gid_t gid = geteuid() == 0 ? NOBODYS_ID : getgid();

	(void)state;
	make_program("program", 0700);
	assert_int_equal(chown(program, (uid_t)-1, gid), 0);
	assert_int_equal(chmod(program, 0770), 0);
	if (gid != 0 && is_private(gid))
		assert_resolves("program", "program");
	else
		assert_refused("program", "writable by group");
	if (geteuid() == 0) {
		assert_int_equal(chown(program, 0, 0), 0);
		assert_resolves("program", "program");
	}
}

static void empty_and_relative_entries_of_path_are_ignored(void **state)
{
	char before[PATH_MAX];
	cleanup_free char *found = NULL;
	cleanup_free char *wanted = under("bin/stile-test-program");
	cleanup_free char *path = xasprintf(":.:other:%s/none:%s/bin:", base, base);

	(void)state;
	make_folder("other", 0700);
	make_folder("bin", 0700);
	make_program("stile-test-program", 0700);
	make_program("other/stile-test-program", 0700);
	make_program("bin/stile-test-program", 0700);
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(base), 0);
	assert_null(refusal("stile-test-program", path, wanted));
	found = refusal("stile-test-program", "::.:other:", NULL);
	assert_int_equal(chdir(before), 0);
	assert_non_null(found);
}

static void an_unsafe_entry_of_path_is_passed_over_and_named_when_nothing_else_is_found(
    void **state)
{
	cleanup_free char *wanted = under("bin/stile-test-program");
	cleanup_free char *both = xasprintf("%s/open:%s/bin", base, base);
	cleanup_free char *one = xasprintf("%s/open", base);
	cleanup_free char *reason = NULL;

	(void)state;
	make_folder("open", 0777);
	make_folder("bin", 0700);
	make_program("open/stile-test-program", 0700);
	make_program("bin/stile-test-program", 0700);
	assert_null(refusal("stile-test-program", both, wanted));
	reason = refusal("stile-test-program", one, NULL);
	assert_non_null(reason);
	assert_non_null(strstr(reason, "open is writable by everyone"));
}

/* ---- what resolves ---- */

static void links_are_resolved_to_the_file(void **state)
{
	cleanup_free char *absolute = under("a/b/program");

	(void)state;
	make_folder("a", 0700);
	make_folder("a/b", 0700);
	make_program("a/b/program", 0755);
	make_link("a", "folder");
	make_link("../b/./program", "a/b/relative");
	make_link(absolute, "absolute");
	make_link("absolute", "chain");
	assert_resolves("folder/b/program", "a/b/program");
	assert_resolves("folder//b/../b/relative", "a/b/program");
	assert_resolves("chain", "a/b/program");
}

static void a_plain_name_is_found_where_children_look(void **state)
{
	struct run_program program = RUN_PROGRAM_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(run_program_resolve("sh", NULL, &program, &err), &err);
	assert_int_equal(program.path[0], '/');
	assert_false(program.is_user_writable);
	run_program_release(&program);
}

static void a_program_of_the_users_own_is_marked_as_replaceable_by_the_user(void **state)
{
	cleanup_free char *path = under("program");
	struct run_program program = RUN_PROGRAM_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	make_program("program", 0755);
	assert_ok(run_program_resolve(path, NULL, &program, &err), &err);
	assert_int_equal(program.is_user_writable, geteuid() != 0);
	run_program_release(&program);
}

static void a_replaced_or_changed_program_is_not_the_same(void **state)
{
	cleanup_free char *path = under("program");
	cleanup_free char *other = under("other");
	struct run_program program = RUN_PROGRAM_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	make_program("program", 0755);
	assert_ok(run_program_resolve(path, NULL, &program, &err), &err);
	assert_int_equal(program.size, 12);
	assert_true(run_program_is_same(&program));
	assert_int_equal(truncate(path, 3), 0);
	assert_false(run_program_is_same(&program));
	run_program_release(&program);

	assert_ok(run_program_resolve(path, NULL, &program, &err), &err);
	make_program("other", 0755);
	assert_int_equal(rename(other, path), 0);
	assert_false(run_program_is_same(&program));
	assert_int_equal(unlink(path), 0);
	assert_false(run_program_is_same(&program));
	run_program_release(&program);
}

/* Checked like any other: the place this test was built in may be unsafe. */
static void self_is_this_program(void **state)
{
	struct run_program program = RUN_PROGRAM_INIT;
	struct run_program by_path = RUN_PROGRAM_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_err struct err again = ERR_INIT;
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	(void)state;
	assert_true(len > 0);
	path[len] = '\0';
	if (run_program_resolve("self", "/usr/bin", &program, &err) == 0) {
		assert_string_equal(program.path, path);
	} else {
		assert_int_equal(run_program_resolve(path, NULL, &by_path, &again), -1);
		assert_string_equal(err.message, again.message);
	}
	run_program_release(&program);
}

#define TREE_TEST(name) cmocka_unit_test_teardown(name, empty_base)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(a_program_that_is_not_there_is_refused),
		TREE_TEST(a_name_that_is_neither_plain_nor_absolute_is_refused),
		TREE_TEST(what_is_no_executable_file_is_refused),
		TREE_TEST(a_program_writable_by_everyone_is_refused),
		TREE_TEST(a_program_in_a_folder_writable_by_everyone_is_refused),
		TREE_TEST(a_sticky_folder_counts_as_writable_by_everyone),
		TREE_TEST(a_link_out_of_a_folder_writable_by_everyone_is_refused),
		TREE_TEST(a_way_through_an_unsafe_folder_and_back_is_refused),
		TREE_TEST(what_belongs_to_another_user_is_refused),
		TREE_TEST(a_program_writable_by_a_group_is_refused_unless_the_group_is_private),
		TREE_TEST(empty_and_relative_entries_of_path_are_ignored),
		TREE_TEST(
		    an_unsafe_entry_of_path_is_passed_over_and_named_when_nothing_else_is_found),
		TREE_TEST(links_are_resolved_to_the_file),
		TREE_TEST(a_plain_name_is_found_where_children_look),
		TREE_TEST(a_program_of_the_users_own_is_marked_as_replaceable_by_the_user),
		TREE_TEST(a_replaced_or_changed_program_is_not_the_same),
		TREE_TEST(self_is_this_program),
	};

	return cmocka_run_group_tests(tests, find_base, remove_base);
}
