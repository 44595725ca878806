/* SPDX-License-Identifier: MIT */
/* Appending: what is promised to owners, and every way in which the ledger can be unavailable. */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/resource.h>

#include "ledger_fixture.h"

/* ---- the file refuses ---- */

static void raw_refuses(const char *path, const char *text)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_CONSTRAINT);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void update_delete_and_replace_are_refused_by_the_file(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "triggers");

	append_many(&bench, 3);
	raw_refuses(bench.path, "UPDATE record SET tool = 'x' WHERE sequence = 2");
	raw_refuses(bench.path, "UPDATE record SET sequence = 9 WHERE sequence = 3");
	raw_refuses(bench.path, "DELETE FROM record WHERE sequence = 3");
	raw_refuses(bench.path, "DELETE FROM record");
	raw_refuses(bench.path, "INSERT OR REPLACE INTO record SELECT * FROM record");
	raw_refuses(bench.path,
	    "INSERT INTO record SELECT sequence + 7, time_us, writer, kind, caller, protocol,"
	    " client, surface, surface_digest, tool, effect, code, detail, program,"
	    " arguments_digest, workspace, stage, intent, count, exit_status, duration_us,"
	    " output_bytes, masks, escaped, reveals, seal_key, seal_signature, previous, hash"
	    " FROM record WHERE sequence = 3");
	assert_int_equal(verified(bench.path).rows, 3);
}

/* ---- the ledger is unavailable, and comes back by itself ---- */

static void assert_unavailable(struct told told)
{
	assert_int_equal(told.code, ERR_LEDGER_UNAVAILABLE);
	assert_true(told.retryable);
	assert_int_equal(told.sequence, 0);
}

static sqlite3 *lock(const char *path)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	return db;
}

static void a_lock_that_outlasts_patience_is_told_to_every_owner(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "locked");
	struct ledger_record record = some_record("git_log");
	struct told told[3] = { 0 };
	sqlite3 *holder;
	int64_t start;
	int64_t took;

	append_many(&bench, 1);
	holder = lock(bench.path);
	start = clock_monotonic_ms();
	for (size_t i = 0; i < ARRAY_LEN(told); i++)
		(void)ledger_queue(bench.ledger, &record, note_told, &told[i]);
	ledger_flush(bench.ledger);
	assert_int_equal(ledger_pending(bench.ledger), 3);
	await_told(&bench, &told[2]);
	took = clock_monotonic_ms() - start;
	for (size_t i = 0; i < ARRAY_LEN(told); i++) {
		assert_int_equal(told[i].calls, 1);
		assert_unavailable(told[i]);
	}
	assert_true(took >= LEDGER_PATIENCE_MS);
	assert_int_equal(ledger_pending(bench.ledger), 0);
	assert_int_equal(sqlite3_close(holder), SQLITE_OK);
	/* row 2 says that three were refused */
	assert_int_equal(append_one(&bench, "git_log").sequence, 3);
	assert_int_equal(verified(bench.path).rows, 3);
}

static int count_outage(void *ctx, const struct ledger_row *row, struct err *err)
{
	int64_t *refused = ctx;

	(void)err;
	assert_string_equal(row->kind, "protocol");
	*refused += row->record.count;
	return 0;
}

static void waiting_for_the_ledger_writes_nothing_unless_it_was_out(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "await");
	cleanup_err struct err err = ERR_INIT;
	struct ledger_filter outages = LEDGER_FILTER_INIT;
	struct told told[3] = { 0 };
	int64_t refused = 0;
	sqlite3 *holder;

	(void)ledger_await(bench.ledger, note_told, &told[0]);
	ledger_flush(bench.ledger);
	await_told(&bench, &told[0]);
	assert_int_equal(told[0].code, ERR_NONE);
	assert_int_equal(verified(bench.path).rows, 0);
	holder = lock(bench.path);
	(void)ledger_await(bench.ledger, note_told, &told[1]);
	ledger_flush(bench.ledger);
	await_told(&bench, &told[1]);
	assert_unavailable(told[1]);
	assert_int_equal(sqlite3_close(holder), SQLITE_OK);
	(void)ledger_await(bench.ledger, note_told, &told[2]);
	ledger_flush(bench.ledger);
	await_told(&bench, &told[2]);
	assert_int_equal(told[2].code, ERR_NONE);
	outages.code = "LEDGER_UNAVAILABLE";
	assert_ok(ledger_each(bench.path, &outages, count_outage, &refused, &err), &err);
	assert_int_equal(refused, 1);
}

static void unlock(void *ctx)
{
	assert_int_equal(sqlite3_close(ctx), SQLITE_OK);
}

static void a_lock_that_ends_in_time_is_waited_for_by_timer(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "waited");
	struct told told;

	append_many(&bench, 1);
	(void)!loop_add_timer(bench.loop, 100, unlock, lock(bench.path));
	told = append_one(&bench, "git_log");
	assert_int_equal(told.code, ERR_NONE);
	assert_int_equal(told.sequence, 2);
}

static void end_turn(void *ctx)
{
	close_fd(ctx);
}

static void nobody_tries_while_another_process_has_its_turn(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "turn");
	cleanup_free char *keys = scratch_path(bench.data, "keys");
	cleanup_fd int turn = -1;
	int64_t start;

	append_many(&bench, 1);
	turn = open(keys, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(turn, LOCK_EX | LOCK_NB), 0);
	start = clock_monotonic_ms();
	(void)!loop_add_timer(bench.loop, 400, end_turn, &turn);
	assert_int_equal(append_one(&bench, "git_log").sequence, 2);
	assert_true(clock_monotonic_ms() - start >= 400);
	turn = open(keys, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(turn, LOCK_EX | LOCK_NB), 0); /* ours has ended with its success */
}

static void a_corrupt_file_is_refused_until_it_is_mended(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "corrupt");
	char garbage[4096];

	memset(garbage, 'x', sizeof(garbage));
	assert_int_equal(mkdir(bench.data, 0700), 0);
	scratch_write(bench.path, garbage, sizeof(garbage));
	assert_unavailable(append_one(&bench, "git_log"));
	assert_unavailable(append_one(&bench, "git_log"));
	assert_int_equal(unlink(bench.path), 0);
	assert_int_equal(append_one(&bench, "git_log").sequence, 2);
}

static void a_file_corrupted_under_us_is_refused(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "rotten");
	cleanup_free char *rotten = scratch_path(bench.data, "rotten.db");
	char garbage[4096];

	append_many(&bench, 2);
	memset(garbage, 'x', sizeof(garbage));
	scratch_write(rotten, garbage, sizeof(garbage));
	assert_int_equal(rename(rotten, bench.path), 0);
	assert_unavailable(append_one(&bench, "git_log"));
}

static void a_file_moved_away_is_whole_and_a_new_chain_follows(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "moved");
	cleanup_free char *kept = scratch_path(bench.data, "kept.db");

	append_many(&bench, 2);
	assert_int_equal(rename(bench.path, kept), 0);
	assert_int_equal(append_one(&bench, "git_log").sequence, 1);
	assert_int_equal(verified(bench.path).rows, 1);
	assert_int_equal(verified(kept).rows, 2);
}

static void keys_that_others_can_read_are_refused(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "loose");
	cleanup_free char *keys = scratch_path(bench.data, "keys");
	cleanup_free char *key = scratch_path(keys, "ledger.mac");

	assert_int_equal(mkdir(bench.data, 0700), 0);
	assert_int_equal(mkdir(keys, 0700), 0);
	scratch_write(key, "0123456789abcdef0123456789abcdef", 32);
	assert_int_equal(chmod(key, 0644), 0);
	assert_unavailable(append_one(&bench, "git_log"));
	assert_int_equal(access(bench.path, F_OK), -1);
	assert_int_equal(chmod(key, 0600), 0);
	assert_int_equal(append_one(&bench, "git_log").code, ERR_NONE);
}

/* The lesser user's ledger, closed after one row, opened again by the next flush. */
static int write_to_read_only_file(void *ctx)
{
	struct bench first = bench_open(ctx, "data");
	cleanup_bench struct bench bench = bench_open(ctx, "data");

	append_many(&first, 1);
	bench_close(&first);
	(void)chmod(bench.path, 0400);
	if (append_one(&bench, "git_log").code != ERR_LEDGER_UNAVAILABLE)
		return 1;
	(void)chmod(bench.path, 0600);
	return append_one(&bench, "git_log").sequence == 3 ? 0 : 2;
}

static void a_file_that_may_not_be_written_is_refused_until_it_may(void **state)
{
	cleanup_free char *home = scratch_path(*state, "readonly");

	assert_int_equal(mkdir(home, 0700), 0);
	scratch_give_away(home);
	assert_int_equal(scratch_as_ordinary_user(write_to_read_only_file, home), 0);
}

static int create_in_read_only_folder(void *ctx)
{
	cleanup_bench struct bench bench = bench_open(ctx, "data");

	(void)chmod(ctx, 0500);
	if (append_one(&bench, "git_log").code != ERR_LEDGER_UNAVAILABLE)
		return 1;
	if (access(bench.data, F_OK) == 0)
		return 2;
	(void)chmod(ctx, 0700);
	return append_one(&bench, "git_log").sequence == 2 ? 0 : 3;
}

static void a_folder_that_may_not_be_written_is_refused_until_it_may(void **state)
{
	cleanup_free char *home = scratch_path(*state, "sealed");

	assert_int_equal(mkdir(home, 0700), 0);
	scratch_give_away(home);
	assert_int_equal(scratch_as_ordinary_user(create_in_read_only_folder, home), 0);
}

static void limit_file_size(rlim_t bytes)
{
	struct rlimit limit;

	(void)getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	(void)setrlimit(RLIMIT_FSIZE, &limit);
}

static int write_to_full_disk(void *ctx)
{
	struct bench *bench = ctx;
	struct ledger_report report = { 0 };
	cleanup_err struct err err = ERR_INIT;
	int64_t written = 0;
	struct told told;

	(void)signal(SIGXFSZ, SIG_IGN);
	limit_file_size(64 * 1024);
	while ((told = append_one(bench, "git_log")).code == ERR_NONE)
		written = told.sequence;
	if (written == 0 || told.code != ERR_LEDGER_UNAVAILABLE)
		return 1;
	limit_file_size(RLIM_INFINITY);
	if (append_one(bench, "git_log").sequence != written + 2)
		return 2;
	return ledger_verify(bench->path, &report, &err) == 0 && report.rows == written + 2 ? 0 : 3;
}

static void a_full_disk_is_refused_until_there_is_room(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "full");

	assert_int_equal(scratch_race(1, write_to_full_disk, &bench), 0);
}

static int create_on_full_disk(void *ctx)
{
	struct bench *bench = ctx;

	(void)signal(SIGXFSZ, SIG_IGN);
	limit_file_size(0);
	if (append_one(bench, "git_log").code != ERR_LEDGER_UNAVAILABLE)
		return 1;
	limit_file_size(RLIM_INFINITY);
	return append_one(bench, "git_log").sequence == 2 ? 0 : 2;
}

static void a_first_flush_on_a_full_disk_spoils_nothing(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "fullfirst");

	assert_int_equal(scratch_race(1, create_on_full_disk, &bench), 0);
}

/* ---- what owners are promised ---- */

static void nothing_is_made_before_the_first_flush(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "lazy");
	struct ledger_record record = some_record("git_log");
	struct told told = { 0 };

	ledger_flush(bench.ledger);
	seal(&bench);
	(void)ledger_queue(bench.ledger, &record, note_told, &told);
	assert_int_equal(ledger_pending(bench.ledger), 1);
	assert_int_equal(told.calls, 0);
	assert_int_equal(access(bench.data, F_OK), -1);
}

static void the_first_flush_makes_files_for_their_owner_alone(void **state)
{
	static const char *const files[] = { "ledger.db", "ledger.db-wal", "ledger.db-shm",
		"keys/ledger.mac", "keys/ledger.seal" };
	cleanup_bench struct bench bench = bench_open(*state, "deep/down/data");
	cleanup_free char *keys = scratch_path(bench.data, "keys");
	mode_t old = umask(0);

	append_many(&bench, 1);
	(void)umask(old);
	assert_int_equal(scratch_mode(bench.data), 0700);
	assert_int_equal(scratch_mode(keys), 0700);
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		cleanup_free char *path = scratch_path(bench.data, files[i]);

		assert_int_equal(scratch_mode(path), 0600);
	}
}

static void owners_of_one_flush_are_told_their_sequences(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "group");
	struct ledger_record record = some_record("git_log");
	struct told told[64] = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(told); i++)
		(void)ledger_queue(bench.ledger, &record, note_told, &told[i]);
	ledger_flush(bench.ledger);
	for (size_t i = 0; i < ARRAY_LEN(told); i++) {
		assert_int_equal(told[i].calls, 1);
		assert_int_equal(told[i].sequence, i + 1);
	}
	assert_int_equal(ledger_pending(bench.ledger), 0);
}

static void an_owner_that_went_away_is_not_told_but_its_record_is_written(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "forget");
	struct ledger_record record = some_record("git_log");
	struct told told = { 0 };
	uint64_t ticket = ledger_queue(bench.ledger, &record, note_told, &told);

	(void)ledger_queue(bench.ledger, &record, NULL, NULL);
	ledger_forget(bench.ledger, ticket);
	ledger_forget(bench.ledger, ticket + 100);
	ledger_flush(bench.ledger);
	assert_int_equal(told.calls, 0);
	assert_int_equal(verified(bench.path).rows, 2);
}

/* An owner that, when told, queues another record and forgets its neighbour. */
struct busybody {
	struct ledger *ledger;
	uint64_t neighbour;
	struct told later;
};

static void meddle(void *ctx, int64_t sequence, const struct err *err)
{
	struct busybody *busybody = ctx;
	struct ledger_record record = some_record("git_show");

	assert_int_equal(err->code, ERR_NONE);
	assert_int_equal(sequence, 1);
	ledger_forget(busybody->ledger, busybody->neighbour);
	(void)ledger_queue(busybody->ledger, &record, note_told, &busybody->later);
	ledger_flush(busybody->ledger);
}

static void an_owner_may_queue_and_forget_while_it_is_told(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "meddle");
	struct ledger_record record = some_record("git_log");
	struct told neighbour = { 0 };
	struct busybody busybody = { .ledger = bench.ledger };

	(void)ledger_queue(bench.ledger, &record, meddle, &busybody);
	busybody.neighbour = ledger_queue(bench.ledger, &record, note_told, &neighbour);
	ledger_flush(bench.ledger);
	assert_int_equal(neighbour.calls, 0);
	assert_int_equal(busybody.later.calls, 0);
	assert_int_equal(ledger_pending(bench.ledger), 1);
	ledger_flush(bench.ledger);
	assert_int_equal(busybody.later.sequence, 3);
}

/* ---- what stands in the file ---- */

static bool file_holds(const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	static char data[4 << 20];
	size_t len;

	assert_non_null(file);
	len = fread(data, 1, sizeof(data), file);
	(void)fclose(file);
	return memmem(data, len, text, strlen(text)) != NULL;
}

static void no_value_of_an_argument_is_in_the_files(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "values");
	cleanup_free char *wal = xasprintf("%s-wal", bench.path);

	append_many(&bench, 3);
	assert_true(file_holds(wal, "git_log"));
	assert_false(file_holds(wal, "hidden-argument"));
	assert_false(file_holds(bench.path, "hidden-argument"));
}

struct digests {
	struct digest of[8];
	size_t len;
};

static int note_digest(void *ctx, const struct ledger_row *row, struct err *err)
{
	struct digests *digests = ctx;

	(void)err;
	assert_non_null(row->arguments_digest);
	digests->of[digests->len++] = *row->arguments_digest;
	return 0;
}

static struct digests digests_in(const char *path)
{
	cleanup_err struct err err = ERR_INIT;
	struct digests digests = { 0 };

	assert_ok(ledger_each(path, NULL, note_digest, &digests, &err), &err);
	return digests;
}

static void equal_arguments_can_be_told_on_one_host_and_not_between_two(void **state)
{
	cleanup_bench struct bench here = bench_open(*state, "here");
	cleanup_bench struct bench there = bench_open(*state, "there");
	struct ledger_record other = some_record("git_log");
	struct digests at_here;
	struct digests at_there;

	append_many(&here, 2);
	other.arguments = "{}";
	other.arguments_len = 2;
	(void)ledger_queue(here.ledger, &other, NULL, NULL);
	ledger_flush(here.ledger);
	append_many(&there, 1);
	at_here = digests_in(here.path);
	at_there = digests_in(there.path);
	assert_int_equal(at_here.len, 3);
	assert_true(digest_equal(&at_here.of[0], &at_here.of[1]));
	assert_false(digest_equal(&at_here.of[0], &at_here.of[2]));
	assert_false(digest_equal(&at_here.of[0], &at_there.of[0]));
}

static int check_hostile_row(void *ctx, const struct ledger_row *row, struct err *err)
{
	(void)ctx;
	(void)err;
	assert_string_equal(row->record.client, "a\\u{000A}b\\u{202E}\\x{FF}");
	assert_true(strlen(row->record.tool) < LEDGER_TEXT_MAX + 8);
	assert_string_equal(row->record.tool + strlen(row->record.tool) - strlen("…"), "…");
	return 0;
}

static void a_hostile_text_becomes_one_bounded_visible_line(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "hostile");
	cleanup_err struct err err = ERR_INIT;
	struct ledger_record record = some_record("x");
	cleanup_free char *huge = xcalloc(1, 200000);

	memset(huge, 't', 199999);
	record.tool = huge;
	record.client = "a\nb\xe2\x80\xae\xff";
	(void)ledger_queue(bench.ledger, &record, NULL, NULL);
	ledger_flush(bench.ledger);
	assert_ok(ledger_each(bench.path, NULL, check_hostile_row, NULL, &err), &err);
	assert_int_equal(verified(bench.path).rows, 1);
}

/* ---- several processes ---- */

#define RACE_ROWS 40

/* On a machine with too much to do patience may end; what is refused is then tried again, as any
 * client would. Only what was told to be durable counts. */
static bool append_at_last(struct bench *bench)
{
	for (int i = 0; i < 50; i++) {
		struct told told = append_one(bench, "git_log");

		if (told.code != ERR_LEDGER_UNAVAILABLE)
			return told.code == ERR_NONE;
	}
	return false;
}

static int append_in_child(void *ctx)
{
	cleanup_bench struct bench bench = bench_open(ctx, "data");

	for (int i = 0; i < RACE_ROWS; i++) {
		if (!append_at_last(&bench))
			return 1;
	}
	return 0;
}

static void race_appending(const char *scratch, const char *name, int processes)
{
	cleanup_free char *home = scratch_path(scratch, name);
	cleanup_free char *path = scratch_path(home, "data/ledger.db");
	char text[256];

	assert_int_equal(mkdir(home, 0700), 0);
	assert_int_equal(scratch_race(processes, append_in_child, home), 0);
	assert_true(verified(path).rows - verified(path).checkpoints == processes * RACE_ROWS);
	assert_int_equal(run_other_verifier(path, text, sizeof(text)), 0);
}

static void two_processes_that_append_make_one_chain(void **state)
{
	race_appending(*state, "two", 2);
}

static void eight_processes_that_create_and_append_make_one_chain(void **state)
{
	race_appending(*state, "eight", 8);
}

/* ---- checkpoints ---- */

static void an_idle_ledger_is_sealed_by_itself(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "idle");
	cleanup_err struct err err = ERR_INIT;
	struct ledger_report report;
	int64_t start = clock_monotonic_ms();

	append_many(&bench, 2);
	assert_int_equal(verified(bench.path).unsealed, 2);
	do {
		assert_ok(loop_turn(bench.loop, &err), &err);
		report = verified(bench.path);
	} while (report.checkpoints == 0 && clock_monotonic_ms() - start < 20000);
	assert_int_equal(report.checkpoints, 1);
	assert_int_equal(report.unsealed, 0);
	assert_int_equal(report.rows, 3);
}

static void sealing_twice_writes_one_checkpoint(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "twice");

	append_many(&bench, 2);
	seal(&bench);
	seal(&bench);
	assert_int_equal(verified(bench.path).rows, 3);
	append_many(&bench, 1);
	assert_int_equal(verified(bench.path).unsealed, 1);
	seal(&bench);
	assert_int_equal(verified(bench.path).checkpoints, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(update_delete_and_replace_are_refused_by_the_file),
		cmocka_unit_test(a_lock_that_outlasts_patience_is_told_to_every_owner),
		cmocka_unit_test(waiting_for_the_ledger_writes_nothing_unless_it_was_out),
		cmocka_unit_test(a_lock_that_ends_in_time_is_waited_for_by_timer),
		cmocka_unit_test(nobody_tries_while_another_process_has_its_turn),
		cmocka_unit_test(a_corrupt_file_is_refused_until_it_is_mended),
		cmocka_unit_test(a_file_corrupted_under_us_is_refused),
		cmocka_unit_test(a_file_moved_away_is_whole_and_a_new_chain_follows),
		cmocka_unit_test(keys_that_others_can_read_are_refused),
		cmocka_unit_test(a_file_that_may_not_be_written_is_refused_until_it_may),
		cmocka_unit_test(a_folder_that_may_not_be_written_is_refused_until_it_may),
		cmocka_unit_test(a_full_disk_is_refused_until_there_is_room),
		cmocka_unit_test(a_first_flush_on_a_full_disk_spoils_nothing),
		cmocka_unit_test(nothing_is_made_before_the_first_flush),
		cmocka_unit_test(the_first_flush_makes_files_for_their_owner_alone),
		cmocka_unit_test(owners_of_one_flush_are_told_their_sequences),
		cmocka_unit_test(an_owner_that_went_away_is_not_told_but_its_record_is_written),
		cmocka_unit_test(an_owner_may_queue_and_forget_while_it_is_told),
		cmocka_unit_test(no_value_of_an_argument_is_in_the_files),
		cmocka_unit_test(equal_arguments_can_be_told_on_one_host_and_not_between_two),
		cmocka_unit_test(a_hostile_text_becomes_one_bounded_visible_line),
		cmocka_unit_test(two_processes_that_append_make_one_chain),
		cmocka_unit_test(eight_processes_that_create_and_append_make_one_chain),
		cmocka_unit_test(an_idle_ledger_is_sealed_by_itself),
		cmocka_unit_test(sealing_twice_writes_one_checkpoint),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
