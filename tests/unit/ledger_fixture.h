/* SPDX-License-Identifier: MIT */
#ifndef UNIT_LEDGER_FIXTURE_H
#define UNIT_LEDGER_FIXTURE_H

/* A ledger in a data directory of its own, and owners that note what they are told. */

#include "base/clock.h"
#include "ledger/ledger.h"
#include "scratch.h"

struct bench {
	struct loop *loop;
	struct ledger *ledger;
	char *data;
	char *path; /* of the database */
};

/* What one owner was told. */
struct told {
	int calls;
	int64_t sequence;
	enum err_code code;
	bool retryable;
};

static inline struct bench bench_open(const char *scratch, const char *name)
{
	struct bench bench = { .loop = loop_new(), .data = scratch_path(scratch, name) };

	bench.ledger = ledger_new(bench.data, bench.loop);
	bench.path = ledger_path(bench.data);
	return bench;
}

static inline void bench_close(struct bench *bench)
{
	ledger_free(bench->ledger);
	loop_free(bench->loop);
	free(bench->data);
	free(bench->path);
}

#define cleanup_bench __attribute__((cleanup(bench_close)))

static inline void note_told(void *ctx, int64_t sequence, const struct err *err)
{
	struct told *told = ctx;

	told->calls++;
	told->sequence = sequence;
	told->code = err->code;
	told->retryable = err->retryable;
}

static inline struct ledger_record some_record(const char *tool)
{
	struct ledger_record record = LEDGER_RECORD_INIT;

	record.kind = LEDGER_CALL;
	record.caller = "mcp";
	record.protocol = "2026-07-28";
	record.client = "a client";
	record.surface = "git";
	record.tool = tool;
	record.effect = "read";
	record.program = "/usr/bin/git";
	record.exit_status = 0;
	record.duration_us = 1234;
	record.arguments = "{\"path\":\"/srv/hidden-argument\"}";
	record.arguments_len = strlen(record.arguments);
	return record;
}

static inline void put_late(void *ctx)
{
	*(bool *)ctx = true;
}

/* Turns the loop until the owner is told. */
static inline void await_told(struct bench *bench, const struct told *told)
{
	cleanup_err struct err err = ERR_INIT;
	bool is_late = false;
	struct loop_timer *timer = loop_add_timer(bench->loop, 20000, put_late, &is_late);

	while (told->calls == 0 && !is_late)
		assert_ok(loop_turn(bench->loop, &err), &err);
	assert_false(is_late);
	loop_timer_remove(timer);
}

/* Queues, flushes, waits: what the owner was told. */
static inline struct told append_one(struct bench *bench, const char *tool)
{
	struct ledger_record record = some_record(tool);
	struct told told = { 0 };

	assert_int_not_equal(ledger_queue(bench->ledger, &record, note_told, &told), 0);
	ledger_flush(bench->ledger);
	if (told.calls == 0)
		await_told(bench, &told);
	assert_int_equal(told.calls, 1);
	return told;
}

static inline void append_many(struct bench *bench, int n)
{
	for (int i = 0; i < n; i++)
		assert_int_equal(append_one(bench, "git_log").code, ERR_NONE);
}

static inline void seal(struct bench *bench)
{
	cleanup_err struct err err = ERR_INIT;

	assert_ok(ledger_seal(bench->ledger, &err), &err);
}

static inline struct ledger_report verified(const char *path)
{
	cleanup_err struct err err = ERR_INIT;
	struct ledger_report report = { 0 };

	assert_ok(ledger_verify(path, &report, &err), &err);
	return report;
}

/* Output and exit status of the verifier that shares no code with us. */
static inline int run_other_verifier(const char *path, char *ret_text, size_t size)
{
	int ends[2];
	pid_t pid;
	ssize_t got;
	size_t len = 0;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		(void)dup2(ends[1], STDOUT_FILENO);
		(void)dup2(ends[1], STDERR_FILENO);
		(void)execl(
		    PYTHON, PYTHON, SOURCE_ROOT "/tests/ledger/verify.py", path, (char *)NULL);
		_exit(97);
	}
	close_fd(&ends[1]);
	while ((got = read(ends[0], ret_text + len, size - 1 - len)) > 0)
		len += (size_t)got;
	ret_text[len] = '\0';
	close_fd(&ends[0]);
	return scratch_wait(pid);
}

#endif
