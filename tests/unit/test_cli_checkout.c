/* SPDX-License-Identifier: MIT */
/* Local copies of vault folders: names that are refused, records that are, and the folder itself. */
#include "unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli_checkout.h"
#include "scratch.h"

/* ---- names ---- */

static void a_name_that_some_file_system_takes_for_dot_git_is_refused(void **state)
{
	static const char *const names[] = { ".git", ".GIT", ".gIt", ".git.", ".git ", ".git. . .",
		".g\u200cit", "\u200d.git", ".gi\ufefft", ".g\u200fi\u202et", ".git\u2060", "git~1",
		"GIT~1", "git~12", "git~1.", ".git:x", ".git::$INDEX_ALLOCATION", ".g\u0131t",
		".G\u0130T", "a\\.git", ".git\\config", "a\\GIT~1\\b", ".git \\x" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		assert_true(checkout_name_is_git(names[i]));
		assert_non_null(checkout_name_fault(names[i]));
	}
}

static void a_name_that_is_taken_for_our_own_record_is_refused(void **state)
{
	static const char *const names[] = { ".stile", ".STILE", ".stile.", ".st\u200bile",
		"stile~1", "STILE~2", ".stile:x", "x\\.stile", ".\u017ftile" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		assert_true(checkout_name_is_own(names[i]));
		assert_non_null(checkout_name_fault(names[i]));
	}
}

static void what_is_no_name_is_refused(void **state)
{
	static const char *const names[] = { "", ".", "..", "a/b", "/", "a\nb", "\x01", "\x7f",
		"a\xc2\x85", "\xff", "a\xe2\x80", "u\u0308", "\u2028" };
	char longest[257];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_non_null(checkout_name_fault(names[i]));
	memset(longest, 'x', 256);
	longest[256] = '\0';
	assert_non_null(checkout_name_fault(longest));
	longest[255] = '\0';
	assert_null(checkout_name_fault(longest));
}

static void ordinary_names_are_not_refused(void **state)
{
	static const char *const names[] = { "a", ".gitignore", ".gitattributes", "git", "x.git",
		"..git", "git~", "git~x", "git~1x", "gi~1", ".gi", ".gitx", "stile", "stile.json",
		" .git", "...", "a.", "a ", "CONTEXT.md", "\u00fcber", "\u65e5\u672c", "-rf", "~",
		"a:b" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_null(checkout_name_fault(names[i]));
}

static void each_name_of_a_path_is_checked(void **state)
{
	static const char *const bad[] = { "", "/a", "a/", "a//b", "../a", "a/../b", "a/./b",
		"a/.git/hooks/x", "a/.GIT", ".stile/checkout.json", "a/b/git~1" };
	cleanup_buf struct buf deep = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_non_null(checkout_path_fault(bad[i]));
	assert_null(checkout_path_fault("a/b/c.txt"));
	for (int i = 0; i < 64; i++)
		buf_adds(&deep, i == 0 ? "d" : "/d");
	assert_null(checkout_path_fault(deep.data));
	buf_adds(&deep, "/d");
	assert_non_null(checkout_path_fault(deep.data));
}

static size_t count_twins(const char *const *paths, size_t len)
{
	cleanup_faults struct checkout_faults faults = CHECKOUT_FAULTS_INIT;

	checkout_find_twins(paths, len, &faults);
	return faults.len;
}

static void names_that_differ_by_case_or_form_alone_are_refused(void **state)
{
	static const char *const pairs[][2] = { { "Plan.md", "plan.md" }, { "a/B", "A/b" },
		{ "stra\u00dfe", "STRASSE" }, { "\u00dcber", "\u00fcber" }, { "a\u200db", "ab" },
		{ "\u212a", "k" } };
	static const char *const fine[] = { "a", "b", "a/a", "ab/c", "stra\u00dfe" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		assert_int_equal(count_twins(pairs[i], 2), 1);
	assert_int_equal(count_twins(fine, ARRAY_LEN(fine)), 0);
	assert_int_equal(count_twins(NULL, 0), 0);
}

static void all_faults_are_told_in_one_error(void **state)
{
	cleanup_faults struct checkout_faults faults = CHECKOUT_FAULTS_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	struct err err = ERR_INIT;

	(void)state;
	assert_ok(checkout_faults_check(&faults, ERR_CONFLICT, "nothing was written", &err), &err);
	for (int i = 0; i < 1500; i++)
		checkout_fault(&faults, i == 0 ? "a\033[2J/\"b" : "c", "bad");
	assert_int_equal(
	    checkout_faults_check(&faults, ERR_CONFLICT, "nothing was written", &err), -1);
	assert_int_equal(err.code, ERR_CONFLICT);
	assert_non_null(strstr(err.message, "nothing was written:\n  a\\u{001B}[2J/\"b: bad\n"));
	assert_non_null(strstr(err.message, "and 1480 more"));
	assert_ok(json_read(&doc, err.details, strlen(err.details), &err), &err);
	assert_int_equal(json_get(json_root(&doc), "refused")->len, 1000);
	err_release(&err);
}

/* ---- the record ---- */

#define FOLDER_ID "wsp_0123456789abcdefghjkmnpqrs"
#define FILE_ID "fil_0123456789abcdefghjkmnpqrs"
#define VERSION_ID "ver_0123456789abcdefghjkmnpqrs"
#define HASH "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define FILE_OF(path)                                                                              \
	"{\"path\":\"" path "\",\"file\":\"" FILE_ID "\",\"version\":\"" VERSION_ID                \
	"\",\"number\":1,\"size\":2,\"mtime_ns\":3,\"ctime_ns\":4,\"inode\":5,\"hash\":\"" HASH    \
	"\"}"
#define RECORD_OF(files)                                                                           \
	"{\"stile_checkout\":1,\"workspace\":\"" FOLDER_ID                                         \
	"\",\"stage\":null,\"under_way\":false,\"time_us\":6,\"clock_ns\":7,\"files\":[" files     \
	"]}"

static int read_text(const char *text, struct checkout_record *record, struct err *err)
{
	return checkout_record_read(text, strlen(text), record, err);
}

static void a_record_that_is_not_as_it_was_written_is_refused(void **state)
{
	static const char *const texts[] = { "", "{", "null", "[]", "{}", "{\"stile_checkout\":1}",
		RECORD_OF("1"), RECORD_OF("{}"), RECORD_OF(FILE_OF("a") "," FILE_OF("a")),
		RECORD_OF(FILE_OF("b") "," FILE_OF("a")), RECORD_OF(FILE_OF("../a")),
		RECORD_OF(FILE_OF("/etc/passwd")), RECORD_OF(FILE_OF("a/../../b")),
		RECORD_OF(FILE_OF(".git/config")), RECORD_OF(FILE_OF(".stile/checkout.json")),
		RECORD_OF(FILE_OF("a\\u0000b")), RECORD_OF(FILE_OF("\\ud800")),
		RECORD_OF(FILE_OF("a")) "x" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct checkout_record record = { 0 };
		struct err err = ERR_INIT;

		assert_int_equal(read_text(texts[i], &record, &err), -1);
		assert_int_equal(err.code, ERR_CONFIGURATION);
		assert_null(record.files);
		err_release(&err);
	}
}

/* The good record with one text in it replaced. */
static char *with(const char *old, const char *new)
{
	const char *text = RECORD_OF(FILE_OF("a"));
	const char *at = strstr(text, old);

	assert_non_null(at);
	return xasprintf("%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
}

static void a_member_of_another_kind_is_refused(void **state)
{
	static const char *const changes[][2] = { { "\"stile_checkout\":1",
						      "\"stile_checkout\":2" },
		{ "\"stage\":null", "\"stage\":\"x\"" }, { "\"stage\":null", "\"stage\":\"\"" },
		{ "\"stage\":null", "\"stage\":7" }, { "\"stage\":null,", "" },
		{ "\"time_us\":6", "\"time_us\":\"6\"" },
		{ "\"under_way\":false", "\"under_way\":0" }, { "\"time_us\":6", "\"time_us\":-1" },
		{ "\"time_us\":6", "\"time_us\":6,\"more\":1" }, { FOLDER_ID, "../../etc" },
		{ FILE_ID, "fil_" }, { FILE_ID, "/etc/passwd" }, { VERSION_ID, "1" },
		{ FILE_ID, FILE_ID "/../x" }, { "\"number\":1", "\"number\":0" },
		{ "\"number\":1", "\"number\":1.5" }, { "\"size\":2", "\"size\":-1" },
		{ "\"size\":2", "\"size\":99999999999999999999" },
		{ "\"inode\":5", "\"inode\":null" }, { HASH, "00" },
		{ "\"path\":\"a\"", "\"path\":5" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		cleanup_free char *text = with(changes[i][0], changes[i][1]);
		struct checkout_record record = { 0 };
		struct err err = ERR_INIT;

		assert_int_equal(read_text(text, &record, &err), -1);
		assert_int_equal(err.code, ERR_CONFIGURATION);
		err_release(&err);
	}
}

static void a_record_comes_back_as_it_was_written(void **state)
{
	cleanup_record struct checkout_record record = { .time_us = 11, .clock_ns = -12 };
	cleanup_record struct checkout_record again = { 0 };
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_buf struct buf text_again = BUF_INIT;
	struct checkout_file *file;
	struct err err = ERR_INIT;

	(void)state;
	memcpy(record.workspace, FOLDER_ID, sizeof(FOLDER_ID));
	for (int i = 0; i < 2; i++) {
		file = checkout_record_add(&record, xstrdup(i == 0 ? "a \"b\"/\\" : "\u00fc"));
		memcpy(file->id, FILE_ID, sizeof(FILE_ID));
		memcpy(file->version, VERSION_ID, sizeof(VERSION_ID));
		file->number = 3;
		file->size = INT64_MAX;
		file->mtime_ns = -5;
		file->inode = INT64_MIN;
		file->hash = digest_of("x", 1);
	}
	assert_string_equal(checkout_record_folder(&record), FOLDER_ID);
	(void)snprintf(record.stage, sizeof(record.stage), "stg_%s", &FOLDER_ID[4]);
	assert_string_equal(checkout_record_folder(&record), record.stage);
	checkout_record_write(&record, &text);
	assert_ok(checkout_record_read(text.data, text.len, &again, &err), &err);
	checkout_record_write(&again, &text_again);
	assert_string_equal(text.data, text_again.data);
}

/* ---- the folder ---- */

struct world {
	char *dir;
	struct cli cli;
	struct checkout_place place;
	struct err err;
};

static void open_world(struct world *w)
{
	void *dir = NULL;

	assert_int_equal(scratch_setup(&dir), 0);
	*w = (struct world){ .dir = dir, .place = CHECKOUT_PLACE_INIT };
	assert_ok(checkout_place_open(&w->cli, w->dir, false, &w->place, &w->err), &w->err);
}

static void close_world(struct world *w)
{
	void *dir = w->dir;

	checkout_place_release(&w->place);
	err_release(&w->err);
	(void)scratch_teardown(&dir);
}
#define cleanup_world __attribute__((cleanup(close_world)))

static void write_at(const struct world *w, const char *path, const char *text)
{
	cleanup_free char *full = scratch_path(w->dir, path);

	scratch_write(full, text, strlen(text));
}

static int put(struct world *w, const char *path, const char *text, bool may_replace)
{
	struct stat st = { 0 };
	cleanup_fd int fd = checkout_place_begin(&w->place, &w->err);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	return checkout_place_end(&w->place, fd, path, may_replace, &st, &w->err);
}

static void a_link_on_the_way_is_not_followed(void **state)
{
	cleanup_world struct world w = { 0 };
	cleanup_free char *link = NULL;
	cleanup_free char *outside = NULL;
	struct stat st;

	(void)state;
	open_world(&w);
	assert_ok(checkout_place_hold(&w.place, CHECKOUT_MAKE, &w.err), &w.err);
	outside = scratch_path(w.dir, "outside");
	assert_int_equal(mkdir(outside, 0700), 0);
	link = scratch_path(w.dir, "link");
	assert_int_equal(symlink("outside", link), 0);
	write_at(&w, "outside/secret", "s");
	assert_int_equal(put(&w, "link/a", "x", true), -1);
	assert_int_equal(w.err.code, ERR_CONFLICT);
	err_release(&w.err);
	assert_int_equal(checkout_place_read(&w.place, "link/secret", &st, &w.err), -1);
	err_release(&w.err);
	assert_int_equal(checkout_place_remove(&w.place, "link/secret", &w.err), -1);
	err_release(&w.err);
	assert_int_equal(checkout_place_make_folder(&w.place, "link/new", &w.err), -1);
	err_release(&w.err);
	assert_int_equal(checkout_place_read(&w.place, "link", &st, &w.err), -1);
	assert_int_equal(rmdir(outside), -1); /* the secret is there */
}

static void a_place_that_is_taken_is_left_as_it_is(void **state)
{
	cleanup_world struct world w = { 0 };
	cleanup_free char *folder = NULL;

	(void)state;
	open_world(&w);
	assert_ok(checkout_place_hold(&w.place, CHECKOUT_MAKE, &w.err), &w.err);
	write_at(&w, "a", "mine");
	assert_int_equal(put(&w, "a", "theirs", false), -1);
	assert_int_equal(w.err.code, ERR_CONFLICT);
	err_release(&w.err);
	folder = scratch_path(w.dir, "f");
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(put(&w, "f", "theirs", true), -1);
	assert_int_equal(w.err.code, ERR_CONFLICT);
	err_release(&w.err);
	assert_ok(put(&w, "a", "theirs", true), &w.err);
	assert_ok(put(&w, "new/deep/b", "b", false), &w.err);
	assert_int_equal(put(&w, "a/b", "b", false), -1);
	assert_int_equal(w.err.code, ERR_CONFLICT);
}

static void one_command_at_a_time_holds_a_checkout(void **state)
{
	cleanup_world struct world w = { 0 };
	cleanup_place struct checkout_place other = CHECKOUT_PLACE_INIT;
	struct checkout_record record = { 0 };

	(void)state;
	open_world(&w);
	assert_int_equal(checkout_place_hold(&w.place, CHECKOUT_HOLD, &w.err), -1);
	assert_int_equal(w.err.code, ERR_NOT_FOUND);
	err_release(&w.err);
	assert_ok(checkout_place_hold(&w.place, CHECKOUT_MAKE, &w.err), &w.err);
	assert_int_equal(checkout_place_load(&w.place, &record, &w.err), -1);
	assert_int_equal(w.err.code, ERR_NOT_FOUND);
	err_release(&w.err);
	assert_ok(checkout_place_open(&w.cli, w.dir, false, &other, &w.err), &w.err);
	assert_int_equal(checkout_place_hold(&other, CHECKOUT_LOOK, &w.err), -1);
	assert_int_equal(w.err.code, ERR_UNAVAILABLE);
	assert_true(w.err.retryable);
}

static void a_record_behind_a_link_is_refused(void **state)
{
	cleanup_world struct world w = { 0 };
	cleanup_free char *own = NULL;
	cleanup_free char *name = NULL;
	struct checkout_record record = { 0 };

	(void)state;
	open_world(&w);
	own = scratch_path(w.dir, ".stile");
	assert_int_equal(symlink(".", own), 0);
	assert_int_equal(checkout_place_hold(&w.place, CHECKOUT_MAKE, &w.err), -1);
	assert_int_equal(w.err.code, ERR_PERMISSION_DENIED);
	err_release(&w.err);
	assert_int_equal(unlink(own), 0);
	assert_ok(checkout_place_hold(&w.place, CHECKOUT_MAKE, &w.err), &w.err);
	assert_int_equal(scratch_mode(own), 0700);
	write_at(&w, "record", RECORD_OF(FILE_OF("a")));
	name = scratch_path(w.dir, ".stile/checkout.json");
	assert_int_equal(symlink("../record", name), 0);
	assert_int_equal(checkout_place_load(&w.place, &record, &w.err), -1);
	err_release(&w.err);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(mkfifo(name, 0600), 0);
	assert_int_equal(checkout_place_load(&w.place, &record, &w.err), -1);
	assert_int_equal(w.err.code, ERR_CONFIGURATION);
}

static void links_and_special_files_are_met_but_not_followed(void **state)
{
	static const char *const links[] = { "link", "sub/dangling" };
	cleanup_world struct world w = { 0 };
	cleanup_walk struct checkout_walk walk = { 0 };
	cleanup_buf struct buf seen = BUF_INIT;
	cleanup_free char *git = NULL;
	cleanup_free char *sub = NULL;
	cleanup_free char *fifo = NULL;

	(void)state;
	open_world(&w);
	assert_ok(checkout_place_hold(&w.place, CHECKOUT_MAKE, &w.err), &w.err);
	sub = scratch_path(w.dir, "sub");
	git = scratch_path(w.dir, ".GIT");
	fifo = scratch_path(w.dir, "sub/fifo");
	assert_int_equal(mkdir(sub, 0700), 0);
	assert_int_equal(mkdir(git, 0700), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	write_at(&w, ".GIT/config", "x");
	write_at(&w, "sub/a", "x");
	write_at(&w, "sub/b\n", "x");
	for (size_t i = 0; i < ARRAY_LEN(links); i++) {
		cleanup_free char *path = scratch_path(w.dir, links[i]);

		assert_int_equal(symlink("/etc", path), 0);
	}
	assert_ok(checkout_walk(&w.place, &walk, &w.err), &w.err);
	for (size_t i = 0; i < walk.len; i++)
		buf_addf(&seen, "%d %s\n", (int)walk.items[i].kind, walk.items[i].path);
	assert_string_equal(seen.data, "3 .GIT\n2 link\n1 sub\n0 sub/a\n2 sub/b\n\n2 sub/dangling\n"
				       "2 sub/fifo\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_that_some_file_system_takes_for_dot_git_is_refused),
		cmocka_unit_test(a_name_that_is_taken_for_our_own_record_is_refused),
		cmocka_unit_test(what_is_no_name_is_refused),
		cmocka_unit_test(ordinary_names_are_not_refused),
		cmocka_unit_test(each_name_of_a_path_is_checked),
		cmocka_unit_test(names_that_differ_by_case_or_form_alone_are_refused),
		cmocka_unit_test(all_faults_are_told_in_one_error),
		cmocka_unit_test(a_record_that_is_not_as_it_was_written_is_refused),
		cmocka_unit_test(a_member_of_another_kind_is_refused),
		cmocka_unit_test(a_record_comes_back_as_it_was_written),
		cmocka_unit_test(a_link_on_the_way_is_not_followed),
		cmocka_unit_test(a_place_that_is_taken_is_left_as_it_is),
		cmocka_unit_test(one_command_at_a_time_holds_a_checkout),
		cmocka_unit_test(a_record_behind_a_link_is_refused),
		cmocka_unit_test(links_and_special_files_are_met_but_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
