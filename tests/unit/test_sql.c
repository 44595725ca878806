/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sql.h"
#include "scratch.h"

static const char *const migrations[] = {
	"CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT UNIQUE, data BLOB) STRICT",
	"CREATE TABLE part (thing INTEGER REFERENCES thing(id)) STRICT;"
	"INSERT INTO thing(id, name) VALUES (1, 'first')",
};

static struct sql *open_all(const char *path, struct err *err)
{
	return sql_open(path, migrations, ARRAY_LEN(migrations), err);
}

static int64_t ask_int(struct sql *sql, const char *text)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_stmt struct sql_stmt *stmt = sql_prepare(sql, text, &err);

	assert_non_null(stmt);
	assert_int_equal(sql_step(stmt, &err), 1);
	return sql_column_int(stmt, 0);
}

/* ---- refusals ---- */

static void a_database_of_a_later_version_is_refused(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(*state, "later.db");
	struct sql *sql = open_all(path, &err);

	assert_non_null(sql);
	sql_close(sql);
	assert_null(sql_open(path, migrations, 1, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(err.message, "newer"));
}

static void a_file_that_others_can_write_is_refused(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(*state, "open.db");

	scratch_write(path, "", 0);
	assert_int_equal(chmod(path, 0620), 0);
	assert_null(open_all(path, &err));
	assert_int_equal(err.code, ERR_PERMISSION_DENIED);
}

static void a_link_and_a_directory_are_refused(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *target = scratch_path(*state, "target.db");
	cleanup_free char *link = scratch_path(*state, "link.db");

	scratch_write(target, "", 0);
	assert_int_equal(symlink(target, link), 0);
	assert_null(open_all(link, &err));
	assert_int_equal(err.code, ERR_PERMISSION_DENIED);
	assert_null(open_all(*state, &err));
	assert_int_equal(err.code, ERR_PERMISSION_DENIED);
}

static void a_file_that_is_no_database_is_an_io_error(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(*state, "garbage.db");
	char garbage[8192];

	memset(garbage, 'x', sizeof(garbage));
	scratch_write(path, garbage, sizeof(garbage));
	assert_null(open_all(path, &err));
	assert_int_equal(err.code, ERR_IO);
	assert_false(err.retryable);
}

static void a_migration_that_fails_leaves_nothing_behind(void **state)
{
	static const char *const bad[] = { "CREATE TABLE a (x); CREATE TABLE a (x)" };
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(*state, "bad.db");
	cleanup_sql struct sql *sql = NULL;

	assert_null(sql_open(path, bad, 1, &err));
	assert_int_equal(err.code, ERR_IO);
	err_release(&err);
	sql = sql_open(path, NULL, 0, &err);
	assert_non_null(sql);
	assert_int_equal(ask_int(sql, "SELECT count(*) FROM sqlite_schema"), 0);
}

static void a_lock_held_elsewhere_is_busy_at_once_and_retryable(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(*state, "busy.db");
	cleanup_sql struct sql *one = open_all(path, &err);
	cleanup_sql struct sql *two = open_all(path, &err);
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;
	cleanup_txn struct sql_txn late = SQL_TXN_INIT;

	assert_ok(sql_begin(one, &txn, &err), &err);
	assert_fails(sql_begin(two, &late, &err), &err, ERR_UNAVAILABLE);
	assert_true(err.retryable);
	err_release(&err);
	sql_rollback(&txn);
	assert_ok(sql_begin(two, &late, &err), &err);
}

struct holder {
	const char *path;
	int holds[2]; /* a byte comes once the lock is held */
	int ends[2];  /* a byte ends it, after a while */
};

/* The byte that a writer locks until it commits (SQLite's file format, 1.2.2: the lock-byte page). */
#define RESERVED_BYTE 0x40000001

static int hold_until_told(void *ctx)
{
	const struct holder *holder = ctx;
	const struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = RESERVED_BYTE, .l_len = 1
	};
	const struct timespec pause = { .tv_nsec = 50000000 };
	int fd = open(holder->path, O_RDWR | O_CLOEXEC);
	char byte = 'x';

	if (fcntl(fd, F_SETLK, &lock) < 0 || write(holder->holds[1], &byte, 1) != 1 ||
	    read(holder->ends[0], &byte, 1) != 1)
		return 1;
	(void)nanosleep(&pause, NULL);
	return close(fd);
}

/* Where a file without a log gets one, SQLite does not wait for another that is at it. */
static void the_patient_wait_for_another_who_gives_a_file_its_log(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(*state, "logged.db");
	cleanup_free char *copy = scratch_path(*state, "copy.db");
	struct sql *sql = open_all(path, &err);
	struct holder holder = { .path = copy };
	struct scratch_child child;
	char byte;

	assert_ok(sql_backup(sql, copy, NULL, NULL, &err), &err);
	sql_close(sql);
	assert_int_equal(pipe2(holder.holds, O_CLOEXEC), 0);
	assert_int_equal(pipe2(holder.ends, O_CLOEXEC), 0);
	child = scratch_start(hold_until_told, &holder, NULL);
	assert_int_equal(read(holder.holds[0], &byte, 1), 1);
	assert_null(open_all(copy, &err));
	assert_int_equal(err.code, ERR_UNAVAILABLE);
	err_release(&err);
	assert_int_equal(write(holder.ends[1], &byte, 1), 1);
	sql = sql_open_patient(copy, migrations, ARRAY_LEN(migrations), 60000, &err);
	assert_non_null(sql);
	sql_close(sql);
	assert_int_equal(scratch_end(&child), 0);
	for (int i = 0; i < 2; i++) {
		close_fd(&holder.holds[i]);
		close_fd(&holder.ends[i]);
	}
}

static void a_broken_constraint_is_told_without_the_value(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(*state, "unique.db");
	cleanup_sql struct sql *sql = open_all(path, &err);
	cleanup_stmt struct sql_stmt *stmt =
	    sql_prepare(sql, "INSERT INTO thing(name) VALUES (?1)", &err);

	sql_bind_text(stmt, 1, "first");
	assert_fails(sql_run(stmt, &err), &err, ERR_CHECK_FAILED);
	assert_null(strstr(err.message, "first"));
	sql_bind_text(stmt, 1, "second");
	assert_ok(sql_run(stmt, &err), &err);
	err_release(&err);
	assert_fails(sql_exec(sql, "INSERT INTO part VALUES (77)", &err), &err, ERR_CHECK_FAILED);
}

static void reading_refuses_to_write_and_to_create(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(*state, "read.db");
	cleanup_sql struct sql *sql = NULL;

	assert_null(sql_open_readonly(path, &err));
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_int_equal(access(path, F_OK), -1);
	sql_close(open_all(path, &err));
	err_release(&err);
	sql = sql_open_readonly(path, &err);
	assert_non_null(sql);
	assert_fails(sql_exec(sql, "DELETE FROM thing", &err), &err, ERR_PERMISSION_DENIED);
}

/* ---- what works ---- */

static void files_are_created_for_their_owner_alone(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(*state, "modes.db");
	cleanup_free char *wal = scratch_path(*state, "modes.db-wal");
	cleanup_free char *shm = scratch_path(*state, "modes.db-shm");
	mode_t old = umask(0);
	cleanup_sql struct sql *sql = open_all(path, &err);

	(void)umask(old);
	assert_non_null(sql);
	assert_int_equal(scratch_mode(path), 0600);
	assert_int_equal(scratch_mode(wal), 0600);
	assert_int_equal(scratch_mode(shm), 0600);
	assert_int_equal(ask_int(sql, "PRAGMA synchronous"), 2);
	assert_int_equal(ask_int(sql, "PRAGMA foreign_keys"), 1);
	assert_int_equal(ask_int(sql, "PRAGMA user_version"), 2);
}

static void missing_migrations_alone_are_run(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(*state, "steps.db");
	cleanup_sql struct sql *sql = sql_open(path, migrations, 1, &err);

	assert_non_null(sql);
	assert_int_equal(ask_int(sql, "SELECT count(*) FROM thing"), 0);
	sql_cleanup(&sql);
	sql = open_all(path, &err);
	assert_non_null(sql);
	assert_int_equal(ask_int(sql, "SELECT count(*) FROM thing"), 1);
	sql_cleanup(&sql);
	sql = open_all(path, &err);
	assert_int_equal(ask_int(sql, "SELECT count(*) FROM thing"), 1);
}

/* Opens until it is not busy; every child must find the same finished schema. */
static int open_in_child(void *path)
{
	for (int i = 0; i < 100000; i++) {
		cleanup_err struct err err = ERR_INIT;
		cleanup_sql struct sql *sql = open_all(path, &err);

		if (sql != NULL)
			return ask_int(sql, "SELECT count(*) FROM thing") == 1 ? 0 : 1;
		if (err.code != ERR_UNAVAILABLE)
			return 2;
	}
	return 3;
}

static void processes_that_race_to_create_agree(void **state)
{
	cleanup_free char *path = scratch_path(*state, "race.db");

	assert_int_equal(scratch_race(8, open_in_child, path), 0);
}

static void values_come_back_as_they_went_in(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(*state, "values.db");
	cleanup_sql struct sql *sql = open_all(path, &err);
	cleanup_stmt struct sql_stmt *put =
	    sql_prepare(sql, "INSERT INTO thing VALUES (?1, ?2, ?3)", &err);
	cleanup_stmt struct sql_stmt *get =
	    sql_prepare(sql, "SELECT id, name, data, NULL FROM thing WHERE id = ?1", &err);
	size_t len = 0;

	sql_bind_int(put, 1, INT64_MAX);
	sql_bind_text_len(put, 2, "name-and-more", 4);
	sql_bind_blob(put, 3, "a\0b", 3);
	assert_ok(sql_run(put, &err), &err);
	sql_bind_int(get, 1, INT64_MAX);
	assert_int_equal(sql_step(get, &err), 1);
	assert_true(sql_column_int(get, 0) == INT64_MAX);
	assert_string_equal(sql_column_text(get, 1), "name");
	assert_memory_equal(sql_column_blob(get, 2, &len), "a\0b", 3);
	assert_int_equal(len, 3);
	assert_true(sql_column_is_null(get, 3));
	assert_int_equal(sql_column_type(get, 0), SQL_INT);
	assert_int_equal(sql_column_type(get, 1), SQL_TEXT);
	assert_int_equal(sql_column_type(get, 2), SQL_BLOB);
	assert_int_equal(sql_step(get, &err), 0);
}

static int insert_and_forget(struct sql *sql, struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;

	if (sql_begin(sql, &txn, err) < 0)
		return -1;
	return sql_exec(sql, "INSERT INTO thing(name) VALUES ('lost')", err);
}

static void a_transaction_left_open_is_rolled_back(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(*state, "rollback.db");
	cleanup_sql struct sql *sql = open_all(path, &err);
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;

	assert_ok(insert_and_forget(sql, &err), &err);
	assert_int_equal(ask_int(sql, "SELECT count(*) FROM thing"), 1);
	assert_ok(sql_begin(sql, &txn, &err), &err);
	assert_ok(sql_exec(sql, "INSERT INTO thing(name) VALUES ('kept')", &err), &err);
	assert_ok(sql_commit(&txn, &err), &err);
	assert_int_equal(ask_int(sql, "SELECT count(*) FROM thing"), 2);
}

static void changes_by_others_and_a_moved_file_are_seen(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(*state, "moved.db");
	cleanup_free char *other = scratch_path(*state, "elsewhere.db");
	cleanup_sql struct sql *one = open_all(path, &err);
	cleanup_sql struct sql *two = open_all(path, &err);
	int64_t before = sql_data_version(one);

	assert_int_equal(sql_data_version(one), before);
	assert_ok(sql_exec(two, "INSERT INTO thing(name) VALUES ('x')", &err), &err);
	assert_int_not_equal(sql_data_version(one), before);
	assert_false(sql_has_moved(one));
	assert_int_equal(rename(path, other), 0);
	assert_true(sql_has_moved(one));
}

/* Reads a whole database in a folder where no -shm file can be made. */
static int read_in_child(void *ctx)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_sql struct sql *sql = sql_open_readonly(ctx, &err);

	return sql != NULL && ask_int(sql, "SELECT count(*) FROM thing") == 1 ? 0 : 1;
}

static void a_database_in_a_read_only_folder_is_read(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *folder = scratch_path(*state, "sealed ?#%");
	cleanup_free char *path = scratch_path(folder, "copy.db");
	cleanup_free char *wal = scratch_path(folder, "copy.db-wal");

	assert_int_equal(mkdir(folder, 0700), 0);
	sql_close(open_all(path, &err));
	(void)unlink(wal);
	scratch_give_away(folder);
	assert_int_equal(chmod(folder, 0500), 0);
	assert_int_equal(scratch_as_ordinary_user(read_in_child, path), 0);
	assert_int_equal(chmod(folder, 0700), 0);
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? -1 : st.st_size;
}

static void a_short_log_stays_for_the_next_and_a_long_one_does_not(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(*state, "kept.db");
	cleanup_free char *wal = scratch_path(*state, "kept.db-wal");
	struct sql *sql = open_all(path, &err);

	sql_keep_log(sql, 65536);
	assert_ok(sql_exec(sql, "INSERT INTO thing(name) VALUES ('x')", &err), &err);
	sql_close(sql);
	assert_in_range(size_of(wal), 1, 65536);
	sql = open_all(path, &err);
	assert_int_equal(ask_int(sql, "SELECT count(*) FROM thing"), 2);
	sql_keep_log(sql, 65536);
	assert_ok(
	    sql_exec(sql, "INSERT INTO thing(name) VALUES (hex(zeroblob(65536)))", &err), &err);
	sql_close(sql);
	assert_int_equal(size_of(wal), -1);
}

/* The log of the database that was there before would be written over the copy. */
static void a_copy_in_the_place_of_a_database_with_a_log_is_refused(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(*state, "place.db");
	cleanup_free char *wal = scratch_path(*state, "place.db-wal");
	cleanup_free char *copy = scratch_path(*state, "place.copy");
	struct sql *sql = open_all(path, &err);

	sql_keep_log(sql, 65536);
	assert_ok(sql_backup(sql, copy, NULL, NULL, &err), &err);
	assert_ok(sql_exec(sql, "INSERT INTO thing(name) VALUES ('later')", &err), &err);
	sql_close(sql);
	assert_int_equal(rename(copy, path), 0);
	assert_null(open_all(path, &err));
	assert_int_equal(err.code, ERR_CHECK_FAILED);
	assert_non_null(strstr(err.message, "place.db-wal"));
	err_release(&err);
	assert_int_equal(unlink(wal), 0);
	sql = open_all(path, &err);
	assert_non_null(sql);
	assert_int_equal(ask_int(sql, "SELECT count(*) FROM thing"), 1);
	sql_close(sql);
}

/* A copy that was killed left its part; one that is being written is left alone. */
static void a_copy_has_its_name_once_it_is_whole(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(*state, "source.db");
	cleanup_free char *copy = scratch_path(*state, "whole.db");
	cleanup_free char *part = scratch_path(*state, "whole.db.part");
	cleanup_sql struct sql *sql = open_all(path, &err);
	cleanup_fd int fd = open(part, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, "half", 4), 4);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_fails(sql_backup(sql, copy, NULL, NULL, &err), &err, ERR_UNAVAILABLE);
	assert_int_equal(size_of(part), 4);
	assert_int_equal(size_of(copy), -1);
	close_fd(&fd);
	assert_ok(sql_backup(sql, copy, NULL, NULL, &err), &err);
	assert_int_equal(size_of(part), -1);
	assert_true(size_of(copy) > 4);
	assert_fails(sql_backup(sql, copy, NULL, NULL, &err), &err, ERR_CHECK_FAILED);
	assert_int_equal(unlink(copy), 0);
	assert_int_equal(symlink(path, part), 0);
	assert_int_equal(sql_backup(sql, copy, NULL, NULL, &err), -1);
	err_release(&err);
	assert_int_equal(size_of(copy), -1);
	assert_int_equal(unlink(part), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_database_of_a_later_version_is_refused),
		cmocka_unit_test(a_file_that_others_can_write_is_refused),
		cmocka_unit_test(a_link_and_a_directory_are_refused),
		cmocka_unit_test(a_file_that_is_no_database_is_an_io_error),
		cmocka_unit_test(a_migration_that_fails_leaves_nothing_behind),
		cmocka_unit_test(a_lock_held_elsewhere_is_busy_at_once_and_retryable),
		cmocka_unit_test(the_patient_wait_for_another_who_gives_a_file_its_log),
		cmocka_unit_test(a_copy_has_its_name_once_it_is_whole),
		cmocka_unit_test(a_broken_constraint_is_told_without_the_value),
		cmocka_unit_test(a_copy_in_the_place_of_a_database_with_a_log_is_refused),
		cmocka_unit_test(reading_refuses_to_write_and_to_create),
		cmocka_unit_test(files_are_created_for_their_owner_alone),
		cmocka_unit_test(missing_migrations_alone_are_run),
		cmocka_unit_test(processes_that_race_to_create_agree),
		cmocka_unit_test(values_come_back_as_they_went_in),
		cmocka_unit_test(a_transaction_left_open_is_rolled_back),
		cmocka_unit_test(changes_by_others_and_a_moved_file_are_seen),
		cmocka_unit_test(a_database_in_a_read_only_folder_is_read),
		cmocka_unit_test(a_short_log_stays_for_the_next_and_a_long_one_does_not),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
