/* SPDX-License-Identifier: MIT */
#ifndef LEDGER_LEDGER_H
#define LEDGER_LEDGER_H

/*
 * The ledger: the append-only, hash-chained record of decisions and calls, for the auditor.
 *
 * One SQLite file, `ledger.db` in the data directory (DESIGN §6). Each row carries the hash of the
 * row before it; triggers refuse UPDATE and DELETE; several processes append at once and make one
 * chain. Values of arguments never come here, only keyed digests of them.
 *
 * Writing is asynchronous and grouped: ledger_queue() keeps a record in memory, ledger_flush() (the
 * end of a loop turn) writes all of them in one durable transaction and then tells each owner.
 * Nothing that depends on a record goes on before its owner is told: an answer leaves after its
 * record, a mutation's child starts after its intent. The loop never sleeps in SQLite: while another
 * process holds the lock, the flush is tried again by timer, and after LEDGER_PATIENCE_MS every
 * waiting owner is told ERR_LEDGER_UNAVAILABLE. The same on any other failure, at once.
 *
 * The file and the key are made at the first flush, not at ledger_new(): clients start and kill
 * probe processes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/ids.h"
#include "base/loop.h"

#define LEDGER_PATIENCE_MS 2000

struct ledger;

enum ledger_kind {
	LEDGER_CALL,     /* a read that ran: its outcome */
	LEDGER_REFUSAL,  /* a gate said no; nothing was started */
	LEDGER_INTENT,   /* a mutation is about to start */
	LEDGER_OUTCOME,  /* what became of an intent */
	LEDGER_PROTOCOL, /* faults of messages, aggregated: `count` of them */
	LEDGER_TRUST,    /* a surface was trusted, or lost its tools */
	LEDGER_SCOPE,    /* what a caller may see was decided */
	LEDGER_CONSENT   /* a person answered, or did not */
};

/* One record. Texts are borrowed during ledger_queue() and may be NULL when they do not apply. */
struct ledger_record {
	enum ledger_kind kind;
	const char *caller;   /* transport: "mcp" or "cli" */
	const char *protocol; /* MCP revision, such as "2026-07-28" */
	const char *client;   /* what the client calls itself; display only, never trusted */
	const char *surface;  /* name */
	const struct digest *surface_digest; /* of the surface file */
	const char *tool;                    /* name as asked for */
	const char *effect;                  /* "read", "write", "destroy" */
	const char *code;                    /* error code, or NULL: success */
	const char *detail;    /* one line without values: which gate, which argument's pointer */
	const char *program;   /* path of the program that ran */
	const char *arguments; /* canonical JSON of the arguments; stored as keyed digest only */
	size_t arguments_len;
	const char *workspace; /* scope at launch, if any */
	const char *stage;
	int64_t intent;       /* LEDGER_OUTCOME: sequence of the intent; else 0 */
	int64_t count;        /* how many events this row stands for; 1 */
	int64_t exit_status;  /* of the program; -1: did not exit by itself */
	int64_t duration_us;  /* from start to reaped; 0: nothing ran */
	int64_t output_bytes; /* of stdout */
	int64_t masks;        /* secrets masked in the answer */
	int64_t escaped;      /* invisible characters made visible */
	bool reveals;         /* the answer was exempt from redaction */
};

#define LEDGER_RECORD_INIT ((struct ledger_record){ .count = 1, .exit_status = -1 })

/* The record is durable as `sequence` (err is ERR_INIT), or is not and never will be (err). Called
 * from ledger_flush() or the loop, never from ledger_queue(). */
typedef void (*ledger_done_fn)(void *ctx, int64_t sequence, const struct err *err);

/* data_dir is copied; nothing is opened. loop is borrowed, for the retry timer. */
struct ledger *ledger_new(const char *data_dir, struct loop *loop) MUST_CHECK;

/* Writes nothing; what is still queued is dropped without telling. */
void ledger_free(struct ledger *ledger);

/* Takes a copy of the record. done may be NULL: nobody waits for it. The ticket (never 0) serves
 * ledger_forget(). */
uint64_t ledger_queue(
    struct ledger *ledger, const struct ledger_record *record, ledger_done_fn done, void *ctx);

/* The owner goes away: the record is still written, done is not called. */
void ledger_forget(struct ledger *ledger, uint64_t ticket);

/* Writes what is queued. Returns at once; call it at the end of every loop turn. */
void ledger_flush(struct ledger *ledger);

/* Records that are queued and not yet durable. */
size_t ledger_pending(const struct ledger *ledger);

#endif
