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
#include "base/strvec.h"
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
	LEDGER_CONSENT,   /* a person answered, or did not; approved a plan, or took that back */
	LEDGER_DECISION,  /* the policy let an attempt to apply a plan pass, or did not */
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

/* ---- records: plans, approvals, decisions, operations, sessions ---- */

/*
 * Rows beside the chain, in the same file (docs/plans.md): what was planned, who consented, what
 * was decided, what was run, and what an agent says it is doing. For commands, never for the loop:
 * each call is one short transaction and may wait RECORDS_PATIENCE_MS for a lock (then
 * ERR_UNAVAILABLE, retryable). What decides, approves, starts or ends something also leaves a row
 * in the chain, in the same transaction: neither is ever there without the other.
 *
 * Free texts (titles, notes, reasons, messages, provenance) go through the redactor before they are
 * stored. It is given at open, so that none can be forgotten; ledger/ itself knows no secrets.
 * Bounds are of the bytes given: past one, ERR_INVALID_ARGUMENT, nothing is cut.
 *
 * Ids are a prefix and 16 lower-case hexadecimal digits: pln_ op_ apr_ azd_ ses_. Anything else is
 * ERR_INVALID_ARGUMENT before the store is asked; a good id without a row is ERR_NOT_FOUND.
 *
 * Lists are newest first; limit 0: all. Damaged records are left out of lists and counted.
 */
#define RECORDS_PATIENCE_MS 5000

#define RECORD_ID_SIZE 21 /* of the longest id, with its NUL */
#define RECORD_PLAN "pln_"
#define RECORD_OPERATION "op_"
#define RECORD_APPROVAL "apr_"
#define RECORD_DECISION "azd_"
#define RECORD_SESSION "ses_"

struct records;
#define cleanup_records __attribute__((cleanup(records_cleanup)))

/* Appends text with its secrets masked. */
typedef void (*records_redact_fn)(void *ctx, const char *text, size_t len, struct buf *ret_text);

/* Opens (or makes) the records of data_dir. redact is never NULL; ctx outlives the records. */
struct records *records_open(
    const char *data_dir, records_redact_fn redact, void *ctx, struct err *err) MUST_CHECK;

/* Seals the rows that were written. NULL is fine. */
void records_close(struct records *records);
void records_cleanup(struct records **records);

/* ERR_INVALID_ARGUMENT unless text is an id with that prefix. */
int record_check_id(const char *prefix, const char *text, struct err *err) MUST_CHECK;

/* The digest of a value that must not be guessed from its digest (of an environment's entry): keyed
 * with this host's key. label says of what it is. */
struct digest records_keyed_digest(
    const struct records *records, const char *label, const void *data, size_t len);

/* Who asks, as the authenticator made it (gate/); an id is there only when authenticated. Borrowed
 * texts, never NULL but id and provenance. */
struct actor {
	const char *type;       /* "cli", "mcp", "api", "agent", "service" */
	const char *id;         /* or NULL */
	bool is_authenticated;  /* is id proven? */
	const char *provenance; /* or NULL: what the process says of itself; no rule matches it */
};

/* {"type","id","authenticated","provenance"?} */
void actor_write(const struct actor *actor, struct json_writer *w);

/* ---- plans ---- */

/*
 * A plan is what decides what one call will do, as data. Its facts are hashed, with a domain label,
 * in canonical form; they never change, and every load recomputes the hash before anything is
 * believed. Two plans that mean the same hash the same: neither id, nor creator, nor time, nor
 * status, nor preview, nor the order in which the parts were gathered counts.
 *
 *	ERR_PLAN_CORRUPT        the stored document is not JSON
 *	ERR_PLAN_INVALID        another version; another plan's document; unknown members; the status
 *	                        and its operation say different things
 *	ERR_PLAN_HASH_MISMATCH  edited
 *
 * A plan may be applied once. Its status is `created`, then `applying`, then one of the others; each
 * change is one transaction with that of its operation. Whether a plan is stale is computed by
 * whoever knows the world (call/); nothing of it is stored.
 */
#define PLAN_DOCUMENT_MAX (256 * (size_t)1024)
#define PLAN_KEEP 200

enum plan_status {
	PLAN_CREATED,
	PLAN_APPLYING,
	PLAN_APPLIED,
	PLAN_FAILED,
	PLAN_INDETERMINATE, /* its process died: nobody knows what was done */
	PLAN_STATUS_COUNT
};
const char *plan_status_name(enum plan_status status);

/* A name and the digest of what it stands for. */
struct plan_digest {
	const char *name;
	struct digest digest;
};

/* An input whose content is held (`pin:`). */
struct plan_pin {
	const char *path; /* absolute */
	const char *kind; /* "file", "dir" … */
	struct digest digest;
};

/* What a read tool said, and must say again. */
struct plan_precondition {
	const char *tool;
	const char *arguments; /* JSON object */
	const char *pointer;   /* into its result */
	struct digest digest;  /* of the canonical value there */
	const char *value;     /* JSON text for people when short and no secret, else NULL */
};

/*
 * The facts. Borrowed by records_plan_add(); of a loaded plan, owned by the plan. Texts must be
 * UTF-8 and are not NULL unless it is said. No secret belongs here: an argument that is one is
 * refused before (surface/), an environment's value is a keyed digest.
 */
struct plan_facts {
	const char *surface;
	struct digest surface_digest;
	const char *tool;
	const char *effect;    /* "write", "destroy" */
	const char *arguments; /* JSON object: validated, defaults filled in */
	struct strvec argv;    /* the final argument list, argv[0] included */
	const char *cwd;
	const char *program; /* absolute path */
	struct digest program_digest;
	const struct plan_digest *environment; /* names, keyed digests of their values */
	size_t environment_len;
	bool has_stdin;
	struct digest stdin_digest;
	const struct plan_digest *files; /* made for the call: what they are called, content */
	size_t files_len;
	const struct plan_pin *pinned;
	size_t pinned_len;
	const struct plan_precondition *preconditions;
	size_t preconditions_len;
	const char *target;
	const char *label; /* what people call it, or NULL */
	int64_t wait_ms;
	int64_t expires_ms; /* how long it may be applied */
};

#define PLAN_FACTS_INIT ((struct plan_facts){ .argv = STRVEC_INIT })

/* The hash of facts. ERR_INVALID_ARGUMENT as records_plan_add(). */
int plan_facts_hash(const struct plan_facts *facts, struct digest *ret_hash, struct err *err)
    MUST_CHECK;

/* Appends the facts as canonical JSON: exactly what is hashed. */
int plan_facts_write(const struct plan_facts *facts, struct buf *ret_json, struct err *err)
    MUST_CHECK;

struct plan {
	char id[RECORD_ID_SIZE];
	struct digest hash; /* of the facts */
	enum plan_status status;
	struct plan_facts facts;
	const char *created_by; /* caller: "cli", "mcp" */
	const char *preview;    /* shown to who approves, never compared; or NULL */
	int64_t created_us;
	int64_t expires_us;
	char operation[RECORD_ID_SIZE]; /* "" while created */
	struct plan_store *store;       /* owns what facts point at */
};

#define PLAN_INIT ((struct plan){ .facts = PLAN_FACTS_INIT })
#define cleanup_plan __attribute__((cleanup(plan_release)))
void plan_release(struct plan *plan);

bool plan_has_expired(const struct plan *plan);

/* {"plan_id","plan_hash","status","operation_id"?,"created_by","created_at","expires_at",
 *  "expired","preview"?,"facts":{…},"applicability"?}; is_brief: of the facts only surface, tool,
 *  target, label. applicability: JSON text of who has looked (call/), or NULL. */
void plan_write(
    const struct plan *plan, bool is_brief, const char *applicability, struct json_writer *w);

/*
 * Stores a new plan. preview is redacted by the caller (it is a tool's output) or NULL. Older plans
 * past PLAN_KEEP go, unless they are being applied, are approved and not expired, or an active
 * session refers to them. ERR_INVALID_ARGUMENT: a text is no UTF-8, arguments are no object, or
 * the document is too large.
 */
int records_plan_add(struct records *records, const struct plan_facts *facts,
    const struct actor *creator, const char *preview, struct plan *ret_plan, struct err *err)
    MUST_CHECK;

int records_plan_load(
    struct records *records, const char *id, struct plan *ret_plan, struct err *err) MUST_CHECK;

/* The newest plan with these facts that is `created` and not expired: 1 and the plan; 0: none. */
int records_plan_find(struct records *records, const struct digest *hash, struct plan *ret_plan,
    struct err *err) MUST_CHECK;

/* What a list saw besides its rows. */
struct record_list {
	int64_t skipped;   /* damaged records */
	bool is_truncated; /* there are more */
};

/* 0: go on; 1: enough; -1: err. */
typedef int (*plan_fn)(void *ctx, const struct plan *plan, struct err *err);
int records_plan_each(struct records *records, const char *surface, int64_t limit, plan_fn fn,
    void *ctx, struct record_list *ret_list, struct err *err) MUST_CHECK;

/* One place where two sets of facts differ. */
struct plan_difference {
	char *pointer; /* JSON pointer into the facts, such as /argv/3 or /arguments/branch */
	char *before;  /* JSON text, NULL: not there */
	char *after;
};

struct plan_differences {
	struct plan_difference *items;
	size_t len;
	size_t cap;
};

#define PLAN_DIFFERENCES_INIT ((struct plan_differences){ 0 })
#define cleanup_plan_differences __attribute__((cleanup(plan_differences_release)))
void plan_differences_release(struct plan_differences *differences);

/* All places, in the order of the canonical form; none exactly when the hashes are equal. */
int plan_facts_diff(const struct plan_facts *before, const struct plan_facts *after,
    struct plan_differences *ret_differences, struct err *err) MUST_CHECK;

/* [{"pointer","before"?,"after"?}…] */
void plan_differences_write(const struct plan_differences *differences, struct json_writer *w);

/* ---- approvals ---- */

/*
 * A person's consent to one plan: bound to its id, hash, action (surface and tool) and target, for
 * as long as the plan may be applied. At most one that is not revoked for each plan; nothing is
 * ever changed or deleted: a revocation is a row of its own. Who approved is what was known: a
 * local process, unauthenticated, and what it said of itself.
 */
struct approval {
	char id[RECORD_ID_SIZE];
	char plan_id[RECORD_ID_SIZE];
	struct digest plan_hash;
	char *surface;
	char *tool;
	char *target;
	char *approver_type;
	char *approver_provenance; /* or NULL */
	int64_t approved_us;
	int64_t expires_us;
};

#define APPROVAL_INIT ((struct approval){ 0 })
#define cleanup_approval __attribute__((cleanup(approval_release)))
void approval_release(struct approval *approval);
void approval_write(const struct approval *approval, struct json_writer *w);

/* Only a command at which a person sits calls it (cli/). The plan was loaded, so verified.
 * ERR_ALREADY_EXISTS; ERR_CONFLICT: it was applied or begun already; ERR_PLAN_STALE: expired. */
int records_approve(struct records *records, const struct plan *plan, const struct actor *approver,
    struct approval *ret_approval, struct err *err) MUST_CHECK;

/* A person looked and said no: a row of the chain, and nothing else. */
int records_decline(struct records *records, const struct plan *plan, const struct actor *person,
    struct err *err) MUST_CHECK;

/* 1: the approval that stands, whatever it is bound to (gate/ compares); 0: none;
 * -1: ERR_APPROVAL_INVALID: edited; else it could not be read. */
int records_approval_find(struct records *records, const char *plan_id,
    struct approval *ret_approval, struct err *err) MUST_CHECK;

/* Takes it back; also one that is damaged. What has run stays as it is. ERR_NOT_FOUND. */
int records_revoke(struct records *records, const char *plan_id, const struct actor *revoker,
    struct err *err) MUST_CHECK;

/* ---- decisions ---- */

/* What the policy said about one attempt to apply. Texts are borrowed. */
struct plan_decision {
	char id[RECORD_ID_SIZE]; /* filled when recorded */
	int64_t decided_us;      /* so */
	struct actor actor;
	const char *surface;
	const char *tool;
	const char *target;
	const char *plan_id;
	struct digest plan_hash;
	const char *verdict;     /* "allow", "deny", "approval_required" */
	const char *code;        /* "AUTHZ_ALLOWED", or the error's */
	const char *reason;      /* one sentence */
	const char *mode;        /* "legacy_local", "enforced", "unknown" */
	int64_t rule_index;      /* from 0; -1: the default decided */
	const char *approval_id; /* or NULL */
};

/*
 * Records a refusal, durably, here and in the chain. A decision that cannot be recorded blocks: the
 * caller answers with this error instead. An allow is recorded by records_plan_begin().
 */
int records_decide(struct records *records, struct plan_decision *decision, struct err *err)
    MUST_CHECK;

/* ---- operations ---- */

/*
 * The record of one execution. A plan has at most one, which makes it the key of idempotency.
 * The owner is a process, named by pid, start time and boot: when it is gone, whoever looks marks
 * the operation `failed` (interrupted, UNAVAILABLE) and its plan `indeterminate`, for good, without
 * claiming what happened. Never before.
 */
#define OPERATION_KEEP 500
#define OPERATION_PROGRESS_MAX ((size_t)500)

enum operation_status {
	OPERATION_PENDING,
	OPERATION_RUNNING,
	OPERATION_SUCCEEDED,
	OPERATION_FAILED,
	OPERATION_CANCELLED,
	OPERATION_STATUS_COUNT
};
const char *operation_status_name(enum operation_status status);

struct operation {
	char id[RECORD_ID_SIZE];
	char *kind; /* "apply" */
	char *surface;
	char *tool;
	char *target;
	char *plan_id; /* or NULL, so the next three */
	char *plan_hash;
	char *decision_id;
	char *approval_id;
	char *actor_type;
	char *actor_id; /* or NULL */
	bool actor_is_authenticated;
	char *actor_provenance; /* or NULL */
	int64_t owner_pid;
	enum operation_status status;
	char *internal_status; /* "interrupted", or NULL */
	int64_t created_us;
	int64_t started_us; /* 0: not yet */
	int64_t updated_us;
	int64_t finished_us; /* 0: not yet */
	char *progress;      /* last line, or NULL */
	int64_t progress_us;
	char *deployment_id; /* or NULL */
	char *result;        /* JSON text, or NULL */
	char *error_code;    /* or NULL: no error */
	char *error_message;
	char *error_details; /* JSON text, or NULL */
	int64_t error_exit;
	bool error_is_retryable;
	int64_t intent; /* row of the chain */
};

#define OPERATION_INIT ((struct operation){ 0 })
#define cleanup_operation __attribute__((cleanup(operation_release)))
void operation_release(struct operation *operation);
bool operation_is_over(const struct operation *operation);
void operation_write(const struct operation *operation, struct json_writer *w);

/* The six cases of plan-deploy.md §2.8, but the last (the world moved), which call/ sees. */
enum plan_begin {
	PLAN_BEGIN_FRESH,         /* yours: run it; the operation is `pending` */
	PLAN_BEGIN_REPLAY,        /* it succeeded before: answer with that operation's result */
	PLAN_BEGIN_IN_PROGRESS,   /* another process runs it */
	PLAN_BEGIN_INDETERMINATE, /* its process died: UNAVAILABLE, never again */
	PLAN_BEGIN_FAILED         /* it failed before: answer with that operation's error */
};

/*
 * The one way from a plan to its execution: in one transaction the allow is recorded, the operation
 * made (owner: this process), the intent written into the chain and the plan marked `applying`.
 * Unless the case is FRESH nothing is written, the decision neither. The operation is given in all
 * cases. ERR_IDEMPOTENCY_CONFLICT: the stored hash, or the one under which it was begun, is not the
 * plan's; ERR_PLAN_STALE: it has expired meanwhile.
 */
int records_plan_begin(struct records *records, const struct plan *plan,
    struct plan_decision *allow, enum plan_begin *ret_begin, struct operation *ret_operation,
    struct err *err) MUST_CHECK;

/* The caller's process owns and runs it from now on. ERR_CONFLICT unless it is pending. */
int records_operation_start(struct records *records, const char *id, struct err *err) MUST_CHECK;

/* What it is doing, in a line; redacted here, past OPERATION_PROGRESS_MAX cut at a character. */
int records_operation_progress(
    struct records *records, const char *id, const char *line, struct err *err) MUST_CHECK;

/* How it ended. Texts are borrowed; result and details are redacted by the caller. */
struct operation_outcome {
	enum operation_status status; /* one of the last three */
	const char *result;           /* JSON text of at most LIMIT_RESULT_MAX, or NULL */
	const char *deployment_id;    /* or NULL */
	const char *error_code;       /* unless it succeeded */
	const char *error_message;
	const char *error_details; /* JSON text, or NULL */
	int64_t error_exit;
	bool error_is_retryable;
	int64_t exit_status; /* of the program; these go into the chain */
	int64_t duration_us;
	int64_t output_bytes;
	int64_t masks;
};

#define OPERATION_OUTCOME_INIT ((struct operation_outcome){ .exit_status = -1 })

/* Ends it: operation, plan and chain in one transaction. ERR_CONFLICT when it is over already. On
 * any other error the outcome is not recorded: ERR_OUTCOME_UNRECORDED is the caller's answer. */
int records_operation_finish(struct records *records, const char *id,
    const struct operation_outcome *outcome, struct err *err) MUST_CHECK;

/* id: op_…, or dep-…: the newest operation of that deployment. */
int records_operation_load(struct records *records, const char *id, struct operation *ret_operation,
    struct err *err) MUST_CHECK;

typedef int (*operation_fn)(void *ctx, const struct operation *operation, struct err *err);
int records_operation_each(struct records *records, const char *surface, int64_t limit,
    operation_fn fn, void *ctx, struct record_list *ret_list, struct err *err) MUST_CHECK;

/* ---- sessions ---- */

/*
 * One unit of agent work, as its agent tells it. It runs nothing, grants nothing and copies no state:
 * it refers. `active` until it is completed, failed or cancelled; then it is final. Each change adds
 * one to `rev` and exactly one event, counted from 0 without gaps.
 *
 *	ERR_SESSION_INVALID             another version, or an unknown status, in the store
 *	ERR_SESSION_CORRUPT             events or checkpoint do not fit the revision
 *	ERR_SESSION_INVALID_TRANSITION  it has ended
 *	ERR_SESSION_CONFLICT            another revision than expected; retryable
 */
#define SESSION_TITLE_MAX ((size_t)200)
#define SESSION_PROJECT_MAX ((size_t)200)
#define SESSION_APP_MAX ((size_t)128)
#define SESSION_STEP_MAX ((size_t)120)
#define SESSION_NOTE_MAX ((size_t)500)
#define SESSION_SUMMARY_MAX ((size_t)2000)
#define SESSION_REFERENCES_MAX ((size_t)50) /* of each kind */
#define SESSION_EVENTS_MAX 200
#define SESSION_BYTES_MAX (256 * (size_t)1024)
#define SESSION_KEEP 100 /* that have ended */

enum session_status {
	SESSION_ACTIVE,
	SESSION_COMPLETED,
	SESSION_FAILED,
	SESSION_CANCELLED,
	SESSION_STATUS_COUNT
};
const char *session_status_name(enum session_status status);

/* ERR_INVALID_ARGUMENT names the words there are. */
int session_status_parse(const char *name, enum session_status *ret_status, struct err *err)
    MUST_CHECK;

struct session_event {
	int64_t seq;
	char *type; /* "created", "checkpoint", or the last status */
	int64_t at_us;
	char *detail; /* or NULL */
};

struct session {
	char id[RECORD_ID_SIZE];
	enum session_status status;
	char *title; /* or NULL, so the next two */
	char *project;
	char *app;
	char *actor_type;
	int64_t rev;
	int64_t created_us;
	int64_t updated_us;
	struct strvec plans;
	struct strvec operations;
	struct strvec deployments;
	char *step; /* of the last checkpoint, or NULL */
	char *note; /* so */
	int64_t checkpoint_us;
	int64_t checkpoint_seq; /* 0: there was none */
	char *final_result;     /* or NULL */
	struct session_event *events;
	size_t events_len;
	size_t events_cap;
};

#define SESSION_INIT ((struct session){ 0 })
#define cleanup_session __attribute__((cleanup(session_release)))
void session_release(struct session *session);

/* is_brief: without events, as in lists. resolved: JSON text (records_session_resolve()), or NULL. */
void session_write(
    const struct session *session, bool is_brief, const char *resolved, struct json_writer *w);

/* Any text may be NULL: not given. */
struct session_new {
	const char *title;
	const char *project;
	const char *app;
};
int records_session_create(struct records *records, const struct session_new *what,
    const struct actor *actor, struct session *ret_session, struct err *err) MUST_CHECK;

/* A change. References are trimmed of white space, doubles dropped; a plan must load, an operation
 * be there, a deployment look like one: else ERR_INVALID_ARGUMENT. */
struct session_change {
	enum session_status to;     /* SESSION_ACTIVE: a checkpoint */
	const char *step;           /* or NULL; so the next two */
	const char *note;           /* of a checkpoint */
	const char *summary;        /* of an end: result or reason */
	const struct strvec *plans; /* or NULL, so the next two */
	const struct strvec *operations;
	const struct strvec *deployments;
	int64_t if_rev; /* only at this revision; -1: at any */
};

#define SESSION_CHANGE_INIT ((struct session_change){ .if_rev = -1 })

int records_session_change(struct records *records, const char *id,
    const struct session_change *change, struct session *ret_session, struct err *err) MUST_CHECK;

int records_session_load(struct records *records, const char *id, struct session *ret_session,
    struct err *err) MUST_CHECK;

/* status and app may be NULL: any. Sessions come without their events. */
typedef int (*session_fn)(void *ctx, const struct session *session, struct err *err);
int records_session_each(struct records *records, const char *status, const char *app,
    int64_t limit, session_fn fn, void *ctx, struct record_list *ret_list, struct err *err)
    MUST_CHECK;

/*
 * What the references lead to now: {"plans":[…],"operations":[…],"deployments":[…]}, each
 * {"id","present","state","status"?,"detail"?,"error_code"?} with the state "present", "missing",
 * "unavailable" (there, but damaged) or "unknown" (a deployment no operation carries). One bad
 * reference never fails it.
 */
int records_session_resolve(struct records *records, const struct session *session,
    struct json_writer *w, struct err *err) MUST_CHECK;

#endif
