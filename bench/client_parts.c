/* SPDX-License-Identifier: MIT */
/* Record and redaction by themselves: what the ledger adds to a commit, what masking costs. */
#include "client.h"

#include <string.h>

#include "ledger/ledger.h"
#include "run/run.h"

#define ROUNDS 150
#define REDACTIONS 200 /* a sample: one alone is shorter than the clock is exact */

static void must_be_durable(void *ctx, int64_t sequence, const struct err *err)
{
	(void)ctx;
	(void)sequence;
	must(!err_is_set(err), "a durable record");
}

static void flush_ledger(struct ledger *ledger, size_t rows)
{
	static const char arguments[] = "{\"id\":\"x\",\"limit\":10}";
	struct ledger_record record = LEDGER_RECORD_INIT;
	struct digest digest = { 0 };

	record.caller = "mcp";
	record.protocol = "2026-07-28";
	record.client = "bench 1";
	record.surface = "bench0";
	record.surface_digest = &digest;
	record.tool = "bench0_item_0";
	record.effect = "read";
	record.program = "/usr/bin/true";
	record.arguments = arguments;
	record.arguments_len = strlen(arguments);
	record.exit_status = 0;
	record.duration_us = 1234;
	record.output_bytes = 198;
	for (size_t i = 0; i < rows; i++)
		(void)ledger_queue(ledger, &record, must_be_durable, NULL);
	ledger_flush(ledger);
}

/* Ledger and bare SQLite in turns, so many rows a commit. */
static void measure_rows(
    struct ledger *ledger, struct floors *floors, size_t rows, const char *name)
{
	struct samples ours = { 0 };
	struct samples bare = { 0 };

	for (size_t i = 0; i < ROUNDS; i++) {
		double start_us = now_us();

		flush_ledger(ledger, rows);
		samples_add(&ours, now_us() - start_us);
		start_us = now_us();
		floor_sqlite(floors, rows);
		samples_add(&bare, now_us() - start_us);
	}
	report_samples(name, "ours", &ours);
	report_samples(name, "floor", &bare);
}

static void measure_redaction(const char *output)
{
	struct redact_host *host = redact_host_new(NULL);
	struct redactor *redactor = redactor_new(host);
	struct samples samples = { 0 };

	for (size_t i = 0; i < ROUNDS; i++) {
		double start_us = now_us();

		for (size_t j = 0; j < REDACTIONS; j++) {
			cleanup_buf struct buf text = BUF_INIT;
			cleanup_err struct err err = ERR_INIT;
			size_t masks = 0;
			size_t escaped = 0;

			must(redact_json(redactor, NULL, output, strlen(output), &text, &masks,
				 &escaped, &err) == 0,
			    "redaction");
		}
		samples_add(&samples, (now_us() - start_us) / REDACTIONS);
	}
	report_samples("redact_us", "ours", &samples);
	redactor_free(redactor);
	redact_host_free(host);
}

void parts_measure(const char *dir, struct floors *floors, const char *output)
{
	struct loop *loop = loop_new();
	struct ledger *ledger = ledger_new(dir, loop);

	flush_ledger(ledger, 1);
	measure_rows(ledger, floors, 1, "rows1_us");
	measure_rows(ledger, floors, 64, "rows64_us");
	measure_redaction(output);
	ledger_free(ledger);
	loop_free(loop);
}
