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
 * The file and the keys are made at the first flush, not at ledger_new(): clients start and kill
 * probe processes. A ledger that could not be written is opened anew by the next flush, so that
 * service resumes by itself; so is one whose file was moved away under it.
 *
 * How a row is hashed, sealed and exported, so that an auditor can do it with another tool:
 * docs/ledger.md. Reading and verifying (below) need the file alone, no state of the host.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/ids.h"
#include "base/loop.h"
#include "base/secret.h"
#include "json/json.h"

#define LEDGER_PATIENCE_MS 2000

/* A checkpoint is written when the ledger has been idle so long, and at the latest so long after
 * the first row that is not sealed. */
#define LEDGER_IDLE_MS 1000
#define LEDGER_SEAL_MS 60000

/* Texts are stored with control and invisible characters escaped, and end in "…" past this. */
#define LEDGER_TEXT_MAX ((size_t)4096)

struct ledger;

enum ledger_kind {
	LEDGER_CALL,      /* a read that ran: its outcome */
	LEDGER_REFUSAL,   /* a gate said no; nothing was started */
	LEDGER_INTENT,    /* a mutation is about to start */
	LEDGER_OUTCOME,   /* what became of an intent */
	LEDGER_PROTOCOL,  /* faults of messages, aggregated: `count` of them */
	LEDGER_TRUST,     /* a surface was trusted, or lost its tools */
	LEDGER_SCOPE,     /* what a caller may see was decided */
	LEDGER_CONSENT,   /* a person answered, or did not */
	LEDGER_CHECKPOINT /* the rows before it, signed; written by the ledger itself only */
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

/*
 * No record, but the promise that one could be written: done is called (sequence 0) from the next
 * flush when the ledger can be opened and locked for writing; after a failure, when a row about
 * the outage has been written. What must not start without a record waits for this first.
 */
uint64_t ledger_await(struct ledger *ledger, ledger_done_fn done, void *ctx);

/* The owner goes away: the record is still written, done is not called. */
void ledger_forget(struct ledger *ledger, uint64_t ticket);

/* Writes what is queued. Returns at once; call it at the end of every loop turn. */
void ledger_flush(struct ledger *ledger);

/* Records that are queued and not yet durable. */
size_t ledger_pending(const struct ledger *ledger);

/*
 * Signs what stands in the ledger, unless its last row is a checkpoint already or nothing was
 * flushed. The ledger does so itself from the loop (LEDGER_IDLE_MS, LEDGER_SEAL_MS); a command
 * that ends calls it after its last flush. ERR_UNAVAILABLE while another process holds the lock.
 */
int ledger_seal(struct ledger *ledger, struct err *err) MUST_CHECK;

/* ---- reading: other commands, other machines; never from the loop ---- */

/* The database below data_dir; owned by the caller. */
char *ledger_path(const char *data_dir) MUST_CHECK;

/* One stored row. All that is pointed at is borrowed and lives until the callback returns. */
struct ledger_row {
	int64_t sequence;
	int64_t time_us;             /* wall clock when the record was queued */
	const char *writer;          /* which process: a random id, one a `struct ledger` */
	const char *kind;            /* "call", "refusal" …, in the order of enum ledger_kind */
	struct ledger_record record; /* its kind and arguments are not filled: see beside it */
	const struct digest *arguments_digest;  /* keyed, or NULL */
	const struct public_key *seal_key;      /* of checkpoints, else NULL */
	const struct signature *seal_signature; /* of checkpoints, else NULL */
	struct digest previous;                 /* hash of the row before; zeros in row 1 */
	struct digest hash;
};

/* Which rows; zero and NULL mean: any. Texts must be equal. */
struct ledger_filter {
	int64_t after;    /* only rows of a greater sequence */
	int64_t since_us; /* only rows of this time or later */
	int64_t until_us; /* only rows before this time */
	const char *kind;
	const char *surface;
	const char *tool;
	const char *code;
	const char *writer;
	int64_t limit;     /* at most so many */
	bool newest_first; /* not in exports, which keep the order of the chain */
};

#define LEDGER_FILTER_INIT ((struct ledger_filter){ 0 })

/* 0: go on; 1: enough; -1: err is set and ledger_each() fails with it. */
typedef int (*ledger_row_fn)(void *ctx, const struct ledger_row *row, struct err *err);

/* Calls fn for each row that fits filter (NULL: all). What is read is one moment's state. Does not
 * verify; a row whose columns are of the wrong type is ERR_CHECK_FAILED all the same. */
int ledger_each(const char *path, const struct ledger_filter *filter, ledger_row_fn fn, void *ctx,
    struct err *err) MUST_CHECK;

/* The row as one JSON object: columns that are NULL left out, digests in hexadecimal. */
void ledger_row_write(const struct ledger_row *row, struct json_writer *writer);

/*
 * The rows that fit filter as JSON lines on fd, each with all its columns; checkpoints always. A
 * row that does not fit keeps what the chain needs: sequence, previous, hash, and the digest of
 * its content. `limit` and `newest_first` are not for exports.
 */
int ledger_export(const char *path, const struct ledger_filter *filter, int fd, struct err *err)
    MUST_CHECK;

/* What a verification found, when all is well. */
struct ledger_report {
	int64_t rows;               /* in the chain; also the last row's sequence */
	int64_t withheld;           /* of these, rows an export holds as digests only */
	int64_t checkpoints;        /* of these, checkpoints; all signed by one key */
	int64_t unsealed;           /* rows after the last checkpoint: not yet sealed */
	struct digest hash;         /* of the last row; zeros: no rows */
	struct public_key seal_key; /* that signed the checkpoints; zeros: none did */
};

/*
 * Re-computes the chain of a database, and of an export, from the file alone. ERR_CHECK_FAILED
 * names the first bad row; its details are {"sequence":N,"fault":…} with the fault "missing",
 * "unlinked", "changed", "malformed" or "seal".
 *
 * What the file alone cannot show: rows cut off at its end, and a file that someone made anew
 * from the start, with a key of his own. Compare `rows`, `hash` and `seal_key` with what was seen
 * before or is known of the host (ledger_host_key()).
 */
int ledger_verify(const char *path, struct ledger_report *ret_report, struct err *err) MUST_CHECK;
int ledger_verify_export(const char *path, struct ledger_report *ret_report, struct err *err)
    MUST_CHECK;

/* The public key of this host's checkpoints; ERR_NOT_FOUND before the first flush ever. */
int ledger_host_key(const char *data_dir, struct public_key *ret_key, struct err *err) MUST_CHECK;

#endif
