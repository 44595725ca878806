/* SPDX-License-Identifier: MIT */
/*
 * What a durable record costs: microseconds a flush at 1, 8 and 64 records, beside a bare SQLite
 * commit (WAL, synchronous=FULL) of as many rows of the same size, beside a bare write and
 * fdatasync of one page. The contenders take turns, one flush each, so that all of them meet the
 * same disk. bench_ledger [DIRECTORY [ROUNDS]]
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "ledger/ledger.h"

#define ROUNDS_MAX 20000
#define ROW_BYTES 450 /* of a typical record */

static int64_t samples[3][ROUNDS_MAX];

struct contenders {
	struct ledger *ledger;
	sqlite3 *db;
	sqlite3_stmt *begin;
	sqlite3_stmt *insert;
	sqlite3_stmt *commit;
	int file_fd;
};

static void must(bool is_good, const char *what)
{
	if (!is_good)
		fatal(1, "bench_ledger: %s", what);
}

static void must_be_durable(void *ctx, int64_t sequence, const struct err *err)
{
	(void)ctx;
	(void)sequence;
	must(!err_is_set(err), err->message ? err->message : "");
}

static void flush_ledger(struct contenders *c, int records)
{
	struct ledger_record record = LEDGER_RECORD_INIT;
	struct digest digest = { 0 };

	record.caller = "mcp";
	record.protocol = "2026-07-28";
	record.client = "a client 1.2.3";
	record.surface = "git";
	record.surface_digest = &digest;
	record.tool = "git_log";
	record.effect = "read";
	record.program = "/usr/bin/git";
	record.arguments = "{\"path\":\"/srv/repository\",\"limit\":20}";
	record.arguments_len = strlen(record.arguments);
	record.exit_status = 0;
	record.duration_us = 2345;
	record.output_bytes = 3456;
	for (int i = 0; i < records; i++)
		(void)ledger_queue(c->ledger, &record, must_be_durable, NULL);
	ledger_flush(c->ledger);
}

static void step(sqlite3_stmt *stmt)
{
	must(sqlite3_step(stmt) == SQLITE_DONE, "bare SQLite");
	(void)sqlite3_reset(stmt);
}

static void flush_sqlite(struct contenders *c, int records)
{
	static char row[ROW_BYTES];

	step(c->begin);
	for (int i = 0; i < records; i++) {
		(void)sqlite3_bind_blob(c->insert, 1, row, sizeof(row), SQLITE_STATIC);
		step(c->insert);
	}
	step(c->commit);
}

static void flush_file(struct contenders *c, int records)
{
	static char page[4096];

	(void)records;
	must(write(c->file_fd, page, sizeof(page)) == sizeof(page), "write");
	must(fdatasync(c->file_fd) == 0, "fdatasync");
}

static void open_sqlite(struct contenders *c, const char *path)
{
	must(sqlite3_open(path, &c->db) == SQLITE_OK, path);
	must(sqlite3_exec(c->db,
		 "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
		 "CREATE TABLE t (id INTEGER PRIMARY KEY, data BLOB)",
		 NULL, NULL, NULL) == SQLITE_OK,
	    path);
	(void)sqlite3_prepare_v2(c->db, "BEGIN IMMEDIATE", -1, &c->begin, NULL);
	(void)sqlite3_prepare_v2(c->db, "INSERT INTO t(data) VALUES (?1)", -1, &c->insert, NULL);
	(void)sqlite3_prepare_v2(c->db, "COMMIT", -1, &c->commit, NULL);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void print_row(const char *name, int records, int64_t *sample, int rounds)
{
	int64_t sum = 0;

	for (int i = 0; i < rounds; i++)
		sum += sample[i];
	qsort(sample, (size_t)rounds, sizeof(*sample), compare);
	printf("%-12s %3d records  mean %6.0f  median %6lld  p90 %6lld us\n", name, records,
	    (double)sum / rounds, (long long)sample[rounds / 2],
	    (long long)sample[rounds * 9 / 10]);
}

static void measure(struct contenders *c, int records, int rounds)
{
	static void (*const flush[])(
	    struct contenders * c, int records) = { flush_ledger, flush_sqlite, flush_file };
	static const char *const names[] = { "ledger", "bare SQLite", "bare file" };

	for (int i = 0; i < rounds; i++) {
		for (size_t who = 0; who < ARRAY_LEN(flush); who++) {
			size_t turn = (who + (size_t)i) % ARRAY_LEN(flush);
			int64_t start = clock_monotonic_us();

			flush[turn](c, records);
			samples[turn][i] = clock_monotonic_us() - start;
		}
	}
	for (size_t who = 0; who < ARRAY_LEN(flush); who++)
		print_row(names[who], records, samples[who], rounds);
}

int main(int argc, char **argv)
{
	static const int sizes[] = { 1, 8, 64 };
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *dir = xasprintf("%s/bench-XXXXXX", argc > 1 ? argv[1] : "/tmp");
	struct contenders c = { 0 };
	struct loop *loop = loop_new();
	int64_t rounds = 1000;
	int64_t start;

	must(argc < 3 || num_parse(argv[2], 10, ROUNDS_MAX, &rounds, &err) == 0, "rounds");
	must(mkdtemp(dir) != NULL, dir);
	cleanup_free char *db_path = xasprintf("%s/bare.db", dir);
	cleanup_free char *file_path = xasprintf("%s/bare", dir);
	c.ledger = ledger_new(dir, loop);
	c.file_fd = open(file_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	open_sqlite(&c, db_path);
	start = clock_monotonic_us();
	flush_ledger(&c, 1);
	printf("first flush, which makes keys and file: %lld us\n",
	    (long long)(clock_monotonic_us() - start));
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		measure(&c, sizes[i], (int)rounds);
	ledger_free(c.ledger);
	loop_free(loop);
	(void)sqlite3_finalize(c.begin);
	(void)sqlite3_finalize(c.insert);
	(void)sqlite3_finalize(c.commit);
	(void)sqlite3_close(c.db);
	(void)close(c.file_fd);
	printf("files are left in %s\n", dir);
	return 0;
}
