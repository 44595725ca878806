/* SPDX-License-Identifier: MIT */
/* Content digests of what a plan holds: what counts, what does not, what is refused. */
#include "unit.h"

#include "scratch.h"

#include <string.h>
#include <utime.h>

#include "base/limits.h"
#include "call/call_internal.h"

/* A folder with some of each. */
struct scene {
	void *scratch;
	char *tree;
};

static char *at(const struct scene *scene, const char *name)
{
	return scratch_path(scene->tree, name);
}

static void write_text(const struct scene *scene, const char *name, const char *text)
{
	cleanup_free char *path = at(scene, name);

	scratch_write(path, text, strlen(text));
}

static void make_folder(const struct scene *scene, const char *name)
{
	cleanup_free char *path = at(scene, name);

	assert_int_equal(mkdir(path, 0700), 0);
}

static void make_link(const struct scene *scene, const char *name, const char *target)
{
	cleanup_free char *path = at(scene, name);

	assert_int_equal(symlink(target, path), 0);
}

static void remove_one(const struct scene *scene, const char *name)
{
	cleanup_free char *path = at(scene, name);

	assert_int_equal(remove(path), 0);
}

static void set_mode(const struct scene *scene, const char *name, mode_t mode)
{
	cleanup_free char *path = at(scene, name);

	assert_int_equal(chmod(path, mode), 0);
}

static int setup(void **state)
{
	struct scene *scene = xcalloc(1, sizeof(*scene));

	if (scratch_setup(&scene->scratch) < 0)
		return -1;
	scene->tree = scratch_path(scene->scratch, "tree");
	*state = scene;
	if (mkdir(scene->tree, 0700) < 0)
		return -1;
	write_text(scene, "b", "two");
	make_folder(scene, "a");
	write_text(scene, "a/x", "one");
	make_link(scene, "link", "a/x");
	return 0;
}

static int teardown(void **state)
{
	struct scene *scene = *state;

	free(scene->tree);
	(void)scratch_teardown(&scene->scratch);
	free(scene);
	return 0;
}

/* ---- checks ---- */

static struct digest digest_at(const char *path, const char *wanted_kind)
{
	cleanup_err struct err err = ERR_INIT;
	const char *kind = NULL;
	struct digest digest = { 0 };

	assert_ok(call_content_digest(path, &kind, &digest, &err), &err);
	assert_string_equal(kind, wanted_kind);
	return digest;
}

static struct digest digest_now(const struct scene *scene)
{
	return digest_at(scene->tree, "dir");
}

static void assert_differs(const struct scene *scene, struct digest *before)
{
	struct digest now = digest_now(scene);

	assert_false(digest_equal(before, &now));
	*before = now;
}

static void assert_same(const struct scene *scene, const struct digest *before)
{
	struct digest now = digest_now(scene);

	assert_true(digest_equal(before, &now));
}

static void assert_refused(const char *path, enum err_code code, const char *why)
{
	cleanup_err struct err err = ERR_INIT;
	const char *kind = NULL;
	struct digest digest;

	assert_int_equal(call_content_digest(path, &kind, &digest, &err), -1);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.message, why));
	assert_null(kind);
}

/* ---- refusals ---- */

static void what_is_neither_file_folder_nor_link_is_refused_at_any_depth(void **state)
{
	const struct scene *scene = *state;
	cleanup_free char *path = at(scene, "a/pipe");

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_refused(scene->tree, ERR_INVALID_ARGUMENT, "a/pipe is neither");
	assert_refused(path, ERR_INVALID_ARGUMENT, "neither");
	assert_refused("/dev/null", ERR_INVALID_ARGUMENT, "neither");
}

static void what_is_not_there_is_an_error(void **state)
{
	const struct scene *scene = *state;
	cleanup_free char *path = at(scene, "nothing");
	cleanup_free char *link = at(scene, "link");

	assert_refused(path, ERR_NOT_FOUND, "nothing");
	assert_refused(link, ERR_INVALID_ARGUMENT, "is a link");
}

static void a_folder_nested_too_deeply_is_refused(void **state)
{
	const struct scene *scene = *state;
	cleanup_buf struct buf name = BUF_INIT;

	for (int i = 0; i < LIMIT_PIN_DEPTH; i++) {
		buf_adds(&name, i > 0 ? "/d" : "d");
		make_folder(scene, name.data);
	}
	assert_refused(scene->tree, ERR_INVALID_ARGUMENT, "nested too deeply");
}

/* ---- what counts ---- */

static void names_contents_kinds_and_link_targets_count(void **state)
{
	const struct scene *scene = *state;
	struct digest digest = digest_now(scene);

	write_text(scene, "b", "TWO");
	assert_differs(scene, &digest);
	write_text(scene, "a/y", "");
	assert_differs(scene, &digest);
	remove_one(scene, "a/y");
	make_folder(scene, "a/y");
	assert_differs(scene, &digest);
	remove_one(scene, "link");
	make_link(scene, "link", "a/y");
	assert_differs(scene, &digest);
	remove_one(scene, "link");
	write_text(scene, "link", "a/y");
	assert_differs(scene, &digest);
	make_folder(scene, "empty");
	assert_differs(scene, &digest);
}

static void the_x_bit_of_a_file_counts_and_no_other_bit_nor_time(void **state)
{
	const struct scene *scene = *state;
	struct digest digest = digest_now(scene);
	cleanup_free char *path = at(scene, "b");

	set_mode(scene, "b", 0644);
	set_mode(scene, "a", 0755);
	assert_int_equal(utime(path, &(struct utimbuf){ 1, 1 }), 0);
	assert_same(scene, &digest);
	set_mode(scene, "b", 0744);
	assert_differs(scene, &digest);
}

static void the_order_in_which_files_were_made_does_not_count(void **state)
{
	const struct scene *scene = *state;
	struct digest digest = digest_now(scene);

	remove_one(scene, "b");
	write_text(scene, "z", "");
	remove_one(scene, "link");
	make_link(scene, "link", "a/x");
	write_text(scene, "b", "two");
	remove_one(scene, "z");
	assert_same(scene, &digest);
}

static void links_are_not_followed(void **state)
{
	const struct scene *scene = *state;
	struct digest digest;

	make_link(scene, "out", "/proc/self/status");
	make_link(scene, "loop", ".");
	digest = digest_now(scene);
	assert_same(scene, &digest);
}

static void content_moved_between_names_does_not_pass(void **state)
{
	const struct scene *scene = *state;
	struct digest digest;

	write_text(scene, "p", "qr");
	digest = digest_now(scene);
	remove_one(scene, "p");
	write_text(scene, "pq", "r");
	assert_differs(scene, &digest);
}

static void a_file_and_a_folder_of_one_are_not_alike(void **state)
{
	const struct scene *scene = *state;
	cleanup_free char *file = at(scene, "a/x");
	cleanup_free char *folder = at(scene, "a");
	struct digest one = digest_at(file, "file");
	struct digest other = digest_at(folder, "dir");

	assert_false(digest_equal(&one, &other));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(
	    what_is_neither_file_folder_nor_link_is_refused_at_any_depth, setup, teardown),
	cmocka_unit_test_setup_teardown(what_is_not_there_is_an_error, setup, teardown),
	cmocka_unit_test_setup_teardown(a_folder_nested_too_deeply_is_refused, setup, teardown),
	cmocka_unit_test_setup_teardown(
	    names_contents_kinds_and_link_targets_count, setup, teardown),
	cmocka_unit_test_setup_teardown(
	    the_x_bit_of_a_file_counts_and_no_other_bit_nor_time, setup, teardown),
	cmocka_unit_test_setup_teardown(
	    the_order_in_which_files_were_made_does_not_count, setup, teardown),
	cmocka_unit_test_setup_teardown(links_are_not_followed, setup, teardown),
	cmocka_unit_test_setup_teardown(content_moved_between_names_does_not_pass, setup, teardown),
	cmocka_unit_test_setup_teardown(a_file_and_a_folder_of_one_are_not_alike, setup, teardown),
};

UNIT_MAIN(tests)
