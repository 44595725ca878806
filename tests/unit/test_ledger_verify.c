/* SPDX-License-Identifier: MIT */
/* What an auditor can find: every way of tampering with a row, in the database and in an export. */
#include "unit.h"

#include <sqlite3.h>

#include "base/buf.h"
#include "ledger/ledger_internal.h"
#include "ledger_fixture.h"

/* ---- tampering with the database, as somebody who owns the file can ---- */

#define UNGUARD                                                                                    \
	"DROP TRIGGER record_is_not_updated; DROP TRIGGER record_is_not_deleted;"                  \
	"DROP TRIGGER record_is_appended;"

static void tamper(const char *path, const char *text)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, UNGUARD, NULL, NULL, NULL), SQLITE_OK);
	if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s", sqlite3_errmsg(db));
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Both verifiers must name the row; ours names the fault as well. */
static void assert_found(const char *path, int64_t sequence, const char *fault)
{
	cleanup_err struct err err = ERR_INIT;
	struct ledger_report report = { .rows = -1 };
	cleanup_free char *details =
	    xasprintf("{\"sequence\":%lld,\"fault\":\"%s\"}", (long long)sequence, fault);
	cleanup_free char *named = xasprintf("row %lld", (long long)sequence);

	assert_fails(ledger_verify(path, &report, &err), &err, ERR_CHECK_FAILED);
	assert_string_equal(err.details, details);
	assert_non_null(strstr(err.message, named));
	assert_int_equal(report.rows, -1);
}

static void assert_found_by_both(const char *path, int64_t sequence, const char *fault)
{
	char text[256];

	assert_found(path, sequence, fault);
	assert_int_equal(run_other_verifier(path, text, sizeof(text)), 1);
}

/* Five rows, sealed as row 6, and one more: a ledger to tamper with. */
static struct bench open_sealed(void **state, const char *name)
{
	struct bench bench = bench_open(*state, name);

	append_many(&bench, 5);
	seal(&bench);
	append_many(&bench, 1);
	return bench;
}

static void an_edited_row_is_found_and_named(void **state)
{
	static const struct {
		const char *text;
		int64_t sequence;
	} edits[] = {
		{ "UPDATE record SET tool = 'git_show' WHERE sequence = 1", 1 },
		{ "UPDATE record SET exit_status = 1 WHERE sequence = 3", 3 },
		{ "UPDATE record SET detail = '' WHERE sequence = 4", 4 },
		{ "UPDATE record SET time_us = time_us + 1 WHERE sequence = 5", 5 },
		{ "UPDATE record SET arguments_digest = zeroblob(32) WHERE sequence = 2", 2 },
		{ "UPDATE record SET surface = NULL, effect = surface || '' WHERE sequence = 2",
		    2 },
		{ "UPDATE record SET hash = zeroblob(32) WHERE sequence = 7", 7 },
		{ "UPDATE record SET previous = zeroblob(32) WHERE sequence = 7", 7 },
		{ "UPDATE record SET time_us = 1 WHERE sequence = 6", 6 },
	};

	for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
		cleanup_free char *name = xasprintf("edit%zu", i);
		cleanup_bench struct bench bench = open_sealed(state, name);

		tamper(bench.path, edits[i].text);
		assert_found_by_both(bench.path, edits[i].sequence, "changed");
	}
}

static void a_removed_row_is_found_and_named(void **state)
{
	cleanup_bench struct bench first = open_sealed(state, "first");
	cleanup_bench struct bench middle = open_sealed(state, "middle");
	cleanup_bench struct bench closed = open_sealed(state, "closed");

	tamper(first.path, "DELETE FROM record WHERE sequence = 1");
	assert_found_by_both(first.path, 1, "missing");
	tamper(middle.path, "DELETE FROM record WHERE sequence IN (3, 4)");
	assert_found_by_both(middle.path, 3, "missing");
	tamper(closed.path, "DELETE FROM record WHERE sequence = 3;"
			    "UPDATE record SET sequence = sequence - 1 WHERE sequence > 3");
	assert_found_by_both(closed.path, 3, "changed");
}

static void swapped_rows_are_found_and_named(void **state)
{
	cleanup_bench struct bench bench = open_sealed(state, "swap");

	tamper(bench.path, "UPDATE record SET sequence = 99 WHERE sequence = 2;"
			   "UPDATE record SET sequence = 2 WHERE sequence = 4;"
			   "UPDATE record SET sequence = 4 WHERE sequence = 99");
	assert_found_by_both(bench.path, 2, "changed");
}

static void an_added_row_is_found_and_named(void **state)
{
	cleanup_bench struct bench front = open_sealed(state, "front");
	cleanup_bench struct bench other = open_sealed(state, "other");
	cleanup_bench struct bench spliced = open_sealed(state, "spliced");
	cleanup_free char *text = NULL;

	tamper(front.path, "CREATE TABLE t AS SELECT * FROM record WHERE sequence = 1;"
			   "UPDATE t SET sequence = -5; INSERT INTO record SELECT * FROM t");
	assert_found(front.path, -5, "unlinked");
	text = xasprintf("ATTACH '%s' AS other; DELETE FROM record WHERE sequence > 2;"
			 "INSERT INTO record SELECT * FROM other.record WHERE sequence > 2",
	    other.path);
	tamper(spliced.path, text);
	assert_found_by_both(spliced.path, 3, "unlinked");
}

static void a_column_of_another_type_is_found_and_named(void **state)
{
	cleanup_bench struct bench hidden = open_sealed(state, "hidden");
	cleanup_bench struct bench shortened = open_sealed(state, "shortened");

	tamper(hidden.path, "UPDATE record SET tool = CAST(x'6769745f6c6f670068696464656e' AS TEXT)"
			    " WHERE sequence = 2");
	assert_found_by_both(hidden.path, 2, "malformed");
	tamper(shortened.path, "UPDATE record SET hash = x'00' WHERE sequence = 2");
	assert_found_by_both(shortened.path, 2, "malformed");
}

static void a_column_that_is_not_ours_is_refused(void **state)
{
	cleanup_bench struct bench bench = open_sealed(state, "columns");
	cleanup_err struct err err = ERR_INIT;
	struct ledger_report report;

	tamper(bench.path, "ALTER TABLE record ADD COLUMN note TEXT");
	assert_fails(ledger_verify(bench.path, &report, &err), &err, ERR_UNSUPPORTED);
}

/* ---- seals ---- */

/* What somebody without the key can do: a chain made anew, with a checkpoint of his own. */
static void a_checkpoint_by_another_key_is_found_and_named(void **state)
{
	cleanup_bench struct bench bench = open_sealed(state, "rekeyed");
	cleanup_free char *key = scratch_path(bench.data, "keys/ledger.seal");

	assert_int_equal(unlink(key), 0);
	ledger_free(bench.ledger);
	bench.ledger = ledger_new(bench.data, bench.loop);
	append_many(&bench, 1);
	seal(&bench);
	assert_found_by_both(bench.path, 9, "seal");
}

/* The digests of all contents, whatever the rows' hashes say. */
struct contents {
	struct digest of[16];
	size_t len;
};

static int note_content(void *ctx, const struct ledger_row *row, struct err *err)
{
	struct contents *contents = ctx;

	(void)err;
	contents->of[contents->len++] = ledger_content_digest(row);
	return 0;
}

/* Makes all hashes right again after an edit: what anybody who owns the file can do. */
static void rehash(const char *path)
{
	cleanup_err struct err err = ERR_INIT;
	struct contents contents = { 0 };
	struct digest previous = { 0 };
	sqlite3 *db = NULL;
	sqlite3_stmt *stmt = NULL;

	assert_ok(ledger_each(path, NULL, note_content, &contents, &err), &err);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_prepare_v2(db, "UPDATE record SET previous = ?2, hash = ?3 WHERE sequence = ?1",
		-1, &stmt, NULL),
	    SQLITE_OK);
	for (size_t i = 0; i < contents.len; i++) {
		struct digest hash = ledger_link_digest((int64_t)i + 1, &previous, &contents.of[i]);

		(void)sqlite3_bind_int64(stmt, 1, (int64_t)i + 1);
		(void)sqlite3_bind_blob(stmt, 2, previous.bytes, DIGEST_SIZE, SQLITE_STATIC);
		(void)sqlite3_bind_blob(stmt, 3, hash.bytes, DIGEST_SIZE, SQLITE_STATIC);
		assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
		(void)sqlite3_reset(stmt);
		previous = hash;
	}
	(void)sqlite3_finalize(stmt);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void a_seal_that_its_key_did_not_make_is_found_and_named(void **state)
{
	static const char *const edits[] = {
		"UPDATE record SET tool = 'git_show' WHERE sequence = 2",
		"UPDATE record SET time_us = time_us - 1 WHERE sequence = 6",
		"UPDATE record SET seal_signature = NULL WHERE sequence = 6",
		"UPDATE record SET seal_key = NULL, seal_signature = NULL WHERE sequence = 6",
		"UPDATE record SET seal_signature = zeroblob(64) WHERE sequence = 6",
		"UPDATE record SET seal_key = zeroblob(32) WHERE sequence = 6",
		"UPDATE record SET kind = 'call' WHERE sequence = 6",
	};

	for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
		cleanup_free char *name = xasprintf("forged%zu", i);
		cleanup_bench struct bench bench = open_sealed(state, name);

		tamper(bench.path, edits[i]);
		rehash(bench.path);
		assert_found_by_both(bench.path, 6, "seal");
	}
}

/* ---- what verifies ---- */

static void a_good_chain_verifies_and_tells_what_is_not_yet_sealed(void **state)
{
	cleanup_bench struct bench bench = open_sealed(state, "good");
	cleanup_err struct err err = ERR_INIT;
	struct ledger_report report = verified(bench.path);
	struct public_key key;

	assert_int_equal(report.rows, 7);
	assert_int_equal(report.checkpoints, 1);
	assert_int_equal(report.unsealed, 1);
	assert_int_equal(report.withheld, 0);
	assert_ok(ledger_host_key(bench.data, &key, &err), &err);
	assert_memory_equal(&key, &report.seal_key, sizeof(key));
}

static void another_tool_agrees_with_us(void **state)
{
	cleanup_bench struct bench bench = open_sealed(state, "agree");
	struct ledger_report report = verified(bench.path);
	struct ledger_record record = LEDGER_RECORD_INIT;
	struct digest digest = digest_of("x", 1);
	char hash[DIGEST_TEXT_SIZE];
	char text[256];

	/* every column in use, and none that can be left out */
	record = some_record("größe \"=;\" \\");
	record.surface_digest = &digest;
	record.code = "TIMEOUT";
	record.detail = "i-5;t3:abc;";
	record.workspace = "w";
	record.stage = "";
	record.intent = INT64_MAX;
	record.exit_status = INT64_MIN;
	record.reveals = true;
	(void)ledger_queue(bench.ledger, &record, NULL, NULL);
	(void)ledger_queue(bench.ledger, &LEDGER_RECORD_INIT, NULL, NULL);
	ledger_flush(bench.ledger);
	report = verified(bench.path);
	digest_format(&report.hash, hash);
	assert_int_equal(run_other_verifier(bench.path, text, sizeof(text)), 0);
	assert_int_equal(report.rows, 9);
	assert_non_null(strstr(text, "9 rows"));
	assert_non_null(strstr(text, hash));
}

static void a_ledger_verifies_while_it_is_locked(void **state)
{
	cleanup_bench struct bench bench = open_sealed(state, "lockedread");
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(bench.path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(verified(bench.path).rows, 7);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void what_is_no_ledger_is_refused(void **state)
{
	cleanup_free char *missing = scratch_path(*state, "missing.db");
	cleanup_free char *other = scratch_path(*state, "other.db");
	cleanup_err struct err err = ERR_INIT;
	struct ledger_report report;
	struct public_key key;
	sqlite3 *db = NULL;

	assert_fails(ledger_verify(missing, &report, &err), &err, ERR_NOT_FOUND);
	err_release(&err);
	assert_int_equal(sqlite3_open(other, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE t (x)", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_fails(ledger_verify(other, &report, &err), &err, ERR_CHECK_FAILED);
	err_release(&err);
	assert_fails(ledger_host_key(*state, &key, &err), &err, ERR_NOT_FOUND);
}

/* ---- listing ---- */

struct listed {
	char text[256]; /* sequences, each followed by a space */
	int64_t stop_at;
};

static int list_row(void *ctx, const struct ledger_row *row, struct err *err)
{
	struct listed *listed = ctx;
	size_t len = strlen(listed->text);

	(void)err;
	(void)snprintf(
	    listed->text + len, sizeof(listed->text) - len, "%lld ", (long long)row->sequence);
	return row->sequence == listed->stop_at;
}

static void assert_lists(const char *path, struct ledger_filter filter, const char *wanted)
{
	cleanup_err struct err err = ERR_INIT;
	struct listed listed = { 0 };

	assert_ok(ledger_each(path, &filter, list_row, &listed, &err), &err);
	assert_string_equal(listed.text, wanted);
}

static void rows_are_listed_by_filter(void **state)
{
	cleanup_bench struct bench bench = bench_open(*state, "list");
	cleanup_err struct err err = ERR_INIT;
	struct listed listed = { .stop_at = 2 };
	struct ledger_record refusal = some_record("git_push");
	int64_t now = clock_wall_us();

	append_many(&bench, 3);
	refusal.kind = LEDGER_REFUSAL;
	refusal.code = "WRITE_DISABLED";
	(void)ledger_queue(bench.ledger, &refusal, NULL, NULL);
	ledger_flush(bench.ledger);
	seal(&bench);
	assert_lists(bench.path, (struct ledger_filter){ 0 }, "1 2 3 4 5 ");
	assert_lists(bench.path, (struct ledger_filter){ .after = 3 }, "4 5 ");
	assert_lists(bench.path, (struct ledger_filter){ .kind = "refusal" }, "4 ");
	assert_lists(bench.path, (struct ledger_filter){ .code = "WRITE_DISABLED" }, "4 ");
	assert_lists(bench.path, (struct ledger_filter){ .tool = "git_log" }, "1 2 3 ");
	assert_lists(bench.path, (struct ledger_filter){ .surface = "pass" }, "");
	assert_lists(bench.path, (struct ledger_filter){ .writer = "w_other" }, "");
	assert_lists(bench.path, (struct ledger_filter){ .until_us = now }, "");
	assert_lists(bench.path, (struct ledger_filter){ .since_us = now, .limit = 2 }, "1 2 ");
	assert_lists(
	    bench.path, (struct ledger_filter){ .newest_first = true, .limit = 2 }, "5 4 ");
	assert_ok(ledger_each(bench.path, NULL, list_row, &listed, &err), &err);
	assert_string_equal(listed.text, "1 2 ");
}

/* ---- exports ---- */

/* An export as lines that a test may change before it is verified. */
struct lines {
	char *path;
	char *text;
	char *line[32];
	size_t len;
};

static void lines_release(struct lines *lines)
{
	free(lines->path);
	free(lines->text);
}

#define cleanup_lines __attribute__((cleanup(lines_release)))

static struct lines export_lines(struct bench *bench, const struct ledger_filter *filter)
{
	cleanup_err struct err err = ERR_INIT;
	struct lines lines = { .path = scratch_path(bench->data, "export.jsonl") };
	cleanup_fd int fd = open(lines.path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t len;

	assert_ok(ledger_export(bench->path, filter, fd, &err), &err);
	lines.text = xcalloc(1, 65536);
	len = pread(fd, lines.text, 65535, 0);
	assert_true(len > 0 && len < 65535);
	for (char *at = lines.text; *at != '\0'; at = strchr(at, '\0') + 1) {
		lines.line[lines.len++] = at;
		*strchr(at, '\n') = '\0';
	}
	return lines;
}

static void write_lines(struct lines *lines)
{
	cleanup_buf struct buf out = BUF_INIT;

	for (size_t i = 0; i < lines->len; i++) {
		if (lines->line[i] != NULL)
			buf_addf(&out, "%s\n", lines->line[i]);
	}
	scratch_write(lines->path, out.data, out.len);
}

static struct ledger_report export_verified(struct lines *lines)
{
	cleanup_err struct err err = ERR_INIT;
	struct ledger_report report = { 0 };

	write_lines(lines);
	assert_ok(ledger_verify_export(lines->path, &report, &err), &err);
	return report;
}

static void assert_export_found(struct lines *lines, int64_t sequence, const char *fault)
{
	cleanup_err struct err err = ERR_INIT;
	struct ledger_report report;
	cleanup_free char *details =
	    xasprintf("{\"sequence\":%lld,\"fault\":\"%s\"}", (long long)sequence, fault);

	write_lines(lines);
	assert_fails(ledger_verify_export(lines->path, &report, &err), &err, ERR_CHECK_FAILED);
	assert_string_equal(err.details, details);
}

/* Replaces the first `from` in a line by `to`, which has the same length. */
static void edit(char *line, const char *from, const char *to)
{
	char *at = strstr(line, from);

	assert_non_null(at);
	assert_int_equal(strlen(from), strlen(to));
	memcpy(at, to, strlen(to));
}

static void an_export_verifies_by_itself(void **state)
{
	cleanup_bench struct bench bench = open_sealed(state, "whole");
	cleanup_lines struct lines lines = export_lines(&bench, NULL);
	struct ledger_report own = verified(bench.path);
	struct ledger_report report = export_verified(&lines);

	assert_int_equal(lines.len, 9);
	assert_memory_equal(&report, &own, sizeof(own));
	assert_null(strstr(lines.text, "hidden-argument"));
}

static void a_filtered_export_keeps_what_the_chain_needs(void **state)
{
	static const struct ledger_filter filter = { .tool = "git_push" };
	cleanup_bench struct bench bench = open_sealed(state, "filtered");
	struct ledger_report report;

	assert_int_equal(append_one(&bench, "git_push").sequence, 8);
	cleanup_lines struct lines lines = export_lines(&bench, &filter);
	report = export_verified(&lines);
	assert_int_equal(report.rows, 8);
	assert_int_equal(report.withheld, 6);
	assert_int_equal(report.checkpoints, 1);
	assert_null(strstr(lines.line[3], "git_log"));
	assert_non_null(strstr(lines.line[8], "git_push"));
	edit(lines.line[3], "\"content\":\"", "\"contents\":");
	assert_export_found(&lines, 3, "malformed");
}

static void an_edited_line_of_an_export_is_found_and_named(void **state)
{
	static const struct ledger_filter filter = { .tool = "git_push" };
	cleanup_bench struct bench bench = open_sealed(state, "exportedit");
	cleanup_lines struct lines lines = export_lines(&bench, NULL);
	char *digit;

	edit(lines.line[3], "git_log", "git_add");
	assert_export_found(&lines, 3, "changed");
	lines_release(&lines);
	lines = export_lines(&bench, &filter);
	digit = lines.line[2] + strlen("{\"sequence\":2,\"content\":\"");
	*digit = *digit == '0' ? '1' : '0';
	assert_export_found(&lines, 2, "changed");
}

static void a_removed_or_swapped_line_of_an_export_is_found_and_named(void **state)
{
	cleanup_bench struct bench bench = open_sealed(state, "exportswap");
	cleanup_lines struct lines lines = export_lines(&bench, NULL);
	char *kept = lines.line[4];

	lines.line[4] = NULL;
	assert_export_found(&lines, 4, "missing");
	lines.line[4] = lines.line[5];
	lines.line[5] = kept;
	assert_export_found(&lines, 4, "missing");
	lines.line[5] = lines.line[4];
	lines.line[4] = kept;
	lines.line[6] = lines.line[5];
	assert_export_found(&lines, 5, "unlinked");
}

static void an_export_that_was_cut_is_found(void **state)
{
	cleanup_bench struct bench bench = open_sealed(state, "exportcut");
	cleanup_lines struct lines lines = export_lines(&bench, NULL);

	lines.len = 8;
	assert_export_found(&lines, 8, "missing");
	lines.len = 7;
	assert_export_found(&lines, 7, "missing");
	lines.len = 9;
	lines.line[7] = NULL;
	assert_export_found(&lines, 7, "missing");
}

static void a_line_with_more_or_less_than_a_row_is_refused(void **state)
{
	static char extra[] = "{\"sequence\":1,\"note\":\"not hashed\"}";
	static char array[] = "[]";
	static char broken[] = "{\"sequence\":1";
	static char twice[] = "{\"sequence\":1,\"sequence\":1}";
	static char bare[] = "{\"sequence\":1}";
	char *const bad[] = { extra, array, broken, twice, bare };
	cleanup_bench struct bench bench = open_sealed(state, "exportbad");
	cleanup_lines struct lines lines = export_lines(&bench, NULL);

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		lines.line[1] = bad[i];
		assert_export_found(&lines, 1, "malformed");
	}
}

static void a_line_that_leaves_a_zero_out_is_refused(void **state)
{
	cleanup_bench struct bench bench = open_sealed(state, "exportzero");
	cleanup_lines struct lines lines = export_lines(&bench, NULL);
	char *zero = strstr(lines.line[2], "\"masks\":0,");
	char *rest = zero + strlen("\"masks\":0,");

	memmove(zero, rest, strlen(rest) + 1);
	assert_export_found(&lines, 2, "malformed");
}

static void lines_behind_the_last_are_refused(void **state)
{
	cleanup_bench struct bench bench = open_sealed(state, "exportmore");
	cleanup_lines struct lines lines = export_lines(&bench, NULL);

	lines.line[9] = lines.line[8];
	lines.len = 10;
	assert_export_found(&lines, 8, "malformed");
}

static void what_is_no_export_is_refused(void **state)
{
	static const char *const texts[] = { "", "\n", "{}\n", "hello\n",
		"{\"stile_ledger\":\"1\"}" };
	cleanup_free char *path = scratch_path(*state, "none.jsonl");
	struct ledger_report report;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		cleanup_err struct err err = ERR_INIT;

		scratch_write(path, texts[i], strlen(texts[i]));
		assert_fails(ledger_verify_export(path, &report, &err), &err, ERR_CHECK_FAILED);
	}
	for (int version = 0; version <= 2; version += 2) {
		cleanup_err struct err err = ERR_INIT;
		cleanup_free char *text = xasprintf("{\"stile_ledger\":%d}\n", version);

		scratch_write(path, text, strlen(text));
		assert_fails(ledger_verify_export(path, &report, &err), &err, ERR_UNSUPPORTED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_edited_row_is_found_and_named),
		cmocka_unit_test(a_removed_row_is_found_and_named),
		cmocka_unit_test(swapped_rows_are_found_and_named),
		cmocka_unit_test(an_added_row_is_found_and_named),
		cmocka_unit_test(a_column_of_another_type_is_found_and_named),
		cmocka_unit_test(a_column_that_is_not_ours_is_refused),
		cmocka_unit_test(a_checkpoint_by_another_key_is_found_and_named),
		cmocka_unit_test(a_seal_that_its_key_did_not_make_is_found_and_named),
		cmocka_unit_test(a_good_chain_verifies_and_tells_what_is_not_yet_sealed),
		cmocka_unit_test(another_tool_agrees_with_us),
		cmocka_unit_test(a_ledger_verifies_while_it_is_locked),
		cmocka_unit_test(what_is_no_ledger_is_refused),
		cmocka_unit_test(rows_are_listed_by_filter),
		cmocka_unit_test(an_export_verifies_by_itself),
		cmocka_unit_test(a_filtered_export_keeps_what_the_chain_needs),
		cmocka_unit_test(an_edited_line_of_an_export_is_found_and_named),
		cmocka_unit_test(a_removed_or_swapped_line_of_an_export_is_found_and_named),
		cmocka_unit_test(an_export_that_was_cut_is_found),
		cmocka_unit_test(a_line_with_more_or_less_than_a_row_is_refused),
		cmocka_unit_test(a_line_that_leaves_a_zero_out_is_refused),
		cmocka_unit_test(lines_behind_the_last_are_refused),
		cmocka_unit_test(what_is_no_export_is_refused),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
