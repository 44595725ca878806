/* SPDX-License-Identifier: MIT */
#ifndef LEDGER_LEDGER_INTERNAL_H
#define LEDGER_LEDGER_INTERNAL_H

/* What the files of this room share: the table of columns, hashing, the open store, the chain. */

#include "base/sql.h"
#include "ledger/ledger.h"

/* ---- ledger_append.c ---- */

/* Whatever a peer wrote becomes one bounded line of valid UTF-8; owned. */
char *ledger_copy_text(const char *text) MUST_CHECK;

/* ---- ledger_row.c: one row as columns, as bytes to hash, as JSON ---- */

enum column_type {
	COLUMN_INT,    /* int64_t */
	COLUMN_BOOL,   /* bool, stored as 0 or 1 */
	COLUMN_TEXT,   /* const char *, or NULL */
	COLUMN_DIGEST, /* const struct digest *, or NULL; so the next two */
	COLUMN_KEY,
	COLUMN_SIGNATURE
};

/* A column of the content: all but sequence, previous and hash. */
struct column {
	const char *name;
	enum column_type type;
	size_t offset; /* within struct ledger_row */
};

/* In the order of the table, of SELECT and of INSERT (ledger_store.c, ledger_read.c). */
#define LEDGER_COLUMNS 26
extern const struct column ledger_columns[LEDGER_COLUMNS];

/* Positions in SELECT and, plus one, in INSERT. */
#define COLUMN_SEQUENCE 0
#define COLUMN_CONTENT 1
#define COLUMN_PREVIOUS (COLUMN_CONTENT + LEDGER_COLUMNS)
#define COLUMN_HASH (COLUMN_PREVIOUS + 1)

/* Size of a blob column; 0 for the other types. */
size_t ledger_blob_size(enum column_type type);

const char *ledger_kind_name(enum ledger_kind kind);
bool ledger_row_is_checkpoint(const struct ledger_row *row);

/* A text or blob field of row, NULL when it does not apply; and setting it. */
const void *ledger_field(const struct ledger_row *row, const struct column *column);
void ledger_field_set(struct ledger_row *row, const struct column *column, const void *value);
int64_t ledger_field_int(const struct ledger_row *row, const struct column *column);
void ledger_field_set_int(struct ledger_row *row, const struct column *column, int64_t value);

/* The two steps of hashing (docs/ledger.md), and what a checkpoint signs. */
struct digest ledger_content_digest(const struct ledger_row *row);
struct digest ledger_link_digest(
    int64_t sequence, const struct digest *previous, const struct digest *content);
void ledger_seal_text(const struct ledger_row *row, struct buf *ret_text);

/* The members of ledger_row_write() that every row of an export has, content apart. */
void ledger_row_write_content(const struct ledger_row *row, struct json_writer *writer);
void ledger_write_hex(struct json_writer *writer, const char *name, const void *data, size_t len);

/* ---- ledger_read.c, ledger_export.c ---- */

bool ledger_filter_fits(const struct ledger_filter *filter, const struct ledger_row *row);

/* Names in the first and the last line of an export; neither is a column. */
#define LEDGER_EXPORT_HEAD "stile_ledger"
#define LEDGER_EXPORT_VERSION 1
#define LEDGER_EXPORT_TAIL "end"

/* ---- ledger_store.c: the files of one ledger, open for appending ---- */

#define LEDGER_FILE "ledger.db"
#define LEDGER_SEAL_KEY "ledger.seal"

struct store {
	char *data_dir;
	int patience_ms;         /* 0: for the loop, which never sleeps in SQLite */
	struct sql *sql;         /* NULL while closed; then all below is NULL too */
	struct sql_stmt *tip;    /* reads the last row */
	struct sql_stmt *append; /* writes one */
	struct secret *mac_key;  /* of the argument digests */
	struct secret *seal_key; /* Ed25519 seed of the checkpoints */
	int keys_fd;             /* directory of keys; also what turns are taken on */
	bool has_turn;           /* others let us go first */
};

#define STORE_INIT ((struct store){ .keys_fd = -1 })

/* The last row, to be read inside the transaction that appends. */
struct tip {
	int64_t sequence; /* 0: no rows */
	struct digest hash;
	bool is_checkpoint;
};

/* Opens what is closed, and anew what was moved away. ERR_UNAVAILABLE: try again soon. */
int store_open(struct store *store, struct err *err) MUST_CHECK;
void store_close(struct store *store);

int store_read_tip(struct store *store, struct tip *ret_tip, struct err *err) MUST_CHECK;

/* Chains row to tip, which moves on to it, and inserts it. */
int store_append(struct store *store, struct tip *tip, struct ledger_row *row, struct err *err)
    MUST_CHECK;

/* ---- ledger_turn.c: who goes first when several processes wait ---- */

/* Asked on an open store before it tries for the lock; waited_ms: since its first try. */
bool store_may_try(struct store *store, int64_t waited_ms);
void store_end_turn(struct store *store);

/* ---- ledger_seal.c ---- */

/* Writes a checkpoint unless the last row is one. */
int store_seal(struct store *store, const char *writer, struct err *err) MUST_CHECK;

/* ---- ledger_chain.c: verification, row by row, whatever the rows are read from ---- */

struct chain {
	struct ledger_report report; /* of the rows so far */
};

/* Takes the next row. content: of a withheld row; NULL: computed from row. */
int chain_next(struct chain *chain, const struct ledger_row *row, const struct digest *content,
    struct err *err) MUST_CHECK;

/* ERR_CHECK_FAILED with details; fault is a word of ledger.h's list. Returns -1. */
int chain_fault(struct err *err, int64_t sequence, const char *fault, const char *what);

/* ---- ledger_records.c: what the files of records share ---- */

struct records {
	struct store store; /* patient; its transactions write rows and chain alike */
	records_redact_fn redact;
	void *redact_ctx;
	char writer[ID_TEXT_SIZE]; /* of our rows in the chain */
	bool has_appended;         /* something is to be sealed */
};

void record_id_new(const char *prefix, char ret_id[RECORD_ID_SIZE]);
bool record_is_id(const char *prefix, const char *text);

/* "dep-" and 1 to 64 hexadecimal digits. */
bool record_is_deployment(const char *text);

struct sql_stmt *records_prepare(struct records *records, const char *text, struct err *err)
    MUST_CHECK;
int records_txn_begin(struct records *records, struct sql_txn *txn, struct err *err) MUST_CHECK;

/* The text with its secrets masked, owned; NULL for NULL. */
char *records_masked(const struct records *records, const char *text) MUST_CHECK;

/* ERR_INVALID_ARGUMENT when text (or NULL) is longer than max bytes or no UTF-8. */
int record_check_text(const char *what, const char *text, size_t max, struct err *err) MUST_CHECK;

/* Chains a row within a transaction. Texts of record may hold anything; arguments are keyed as
 * always. */
int records_append(struct records *records, const struct ledger_record *record,
    int64_t *ret_sequence, struct err *err) MUST_CHECK;

/* A column's text, owned, or NULL; a digest, false when it is none. */
char *record_column(struct sql_stmt *stmt, int column) MUST_CHECK;
bool record_column_digest(struct sql_stmt *stmt, int column, struct digest *ret_digest);

/* The time as RFC 3339; nothing for 0. */
void record_write_time(struct json_writer *w, const char *name, int64_t wall_us);
void record_write_digest(struct json_writer *w, const char *name, const struct digest *digest);
/* Nothing for NULL. */
void record_write_text(struct json_writer *w, const char *name, const char *text);

/* Shows the record with this id. 1: shown; 0: it is damaged; -1: err. *ret_is_enough comes false. */
typedef int (*records_show_fn)(
    struct records *records, const char *id, void *ctx, bool *ret_is_enough, struct err *err);

/* Shows the records whose ids are the first column of stmt, in its order, until it is enough; at
 * most limit of them (0: all). Damage of one record is no reason not to show the others. */
int records_list(struct records *records, struct sql_stmt *stmt, int64_t limit,
    records_show_fn show, void *ctx, struct record_list *ret_list, struct err *err) MUST_CHECK;

/* Runs a deletion of what is past keep (bound as ?1). */
int records_trim(struct records *records, const char *sql, int64_t keep, struct err *err)
    MUST_CHECK;

/* ---- ledger_records_schema.c ---- */

/* Makes the tables unless they are there; ERR_UNSUPPORTED when they are of a later format. */
int records_make_tables(struct sql *sql, struct err *err) MUST_CHECK;

/* ---- ledger_plan_facts.c: facts as JSON and back ---- */

/* What facts read from JSON point at. */
struct plan_store {
	struct json_doc doc; /* of the stored document, which it owns */
	struct strvec texts; /* JSON texts with their NULs */
	struct plan_digest *environment;
	struct plan_digest *files;
	struct plan_pin *pinned;
	struct plan_precondition *preconditions;
};

void plan_store_free(struct plan_store *store);

/* Strictly; what they point at is put into store. false: it is not what we write. */
bool plan_facts_read(
    const struct json *node, struct plan_store *store, struct plan_facts *ret_facts) MUST_CHECK;

struct digest plan_hash_of(const char *facts_json, size_t len);

/* ---- ledger_operation.c ---- */

/* Marks what dead processes left under way. Called by everything that reads plans or operations. */
int records_settle(struct records *records, struct err *err) MUST_CHECK;

/* 1: the plan's operation; 0: it has none. */
int records_operation_of_plan(struct records *records, const char *plan_id,
    struct operation *ret_operation, struct err *err) MUST_CHECK;

/* ---- ledger_decision.c ---- */

/* Within a transaction. */
int records_decision_add(struct records *records, struct plan_decision *decision, struct err *err)
    MUST_CHECK;

/* ---- ledger_session_store.c: rows of a session ---- */

int session_insert(struct records *records, const struct session *session, struct err *err)
    MUST_CHECK;
int session_update(struct records *records, const struct session *session, struct err *err)
    MUST_CHECK;
int session_insert_event(struct records *records, const char *id, const struct session_event *event,
    struct err *err) MUST_CHECK;
int session_insert_reference(struct records *records, const char *id, const char *kind,
    const char *reference, size_t place, struct err *err) MUST_CHECK;

/* Whole and checked; with its events or, for lists, without. */
int session_read(struct records *records, const char *id, bool has_events,
    struct session *ret_session, struct err *err) MUST_CHECK;

#endif
