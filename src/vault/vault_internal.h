/* SPDX-License-Identifier: MIT */
#ifndef VAULT_VAULT_INTERNAL_H
#define VAULT_VAULT_INTERNAL_H

/* What the files of this room share: the open store, the frame of a verb, refs and ranks. */

#include <pthread.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/sql.h"
#include "vault/vault.h"

#define VAULT_FILE_NAME "vault.db"
#define VAULT_DEPTH_MAX 64
#define VAULT_NAME_MAX ((size_t)255)
#define VAULT_MESSAGE_MAX 4096

struct stmt_cache {
	struct {
		const char *text; /* a static string: found by its address */
		struct sql_stmt *stmt;
	} * items;
	size_t len, cap;
};

struct pending; /* vault_content.c: chunks and contents not written yet */

struct vault {
	char *data_dir;
	struct sql *sql;
	struct stmt_cache statements;
	char org[ID_TEXT_SIZE]; /* empty while not bound; then all four are set */
	char root[ID_TEXT_SIZE];
	char principal[ID_TEXT_SIZE];
	char token[ID_TEXT_SIZE];
	int64_t token_used_us;     /* noted as its last use */
	char within[ID_TEXT_SIZE]; /* the only folder, or empty */
	char correlation[ID_TEXT_SIZE];
	const char *caller;
	struct sql_txn batch;   /* open between batch begin and its end */
	const char *batch_name; /* of the last one; a literal */
	bool is_batch_broken;   /* a verb of it failed: rolled back already */
	int lock_fd;            /* of vault.lock, or -1 */
	int lock_holders;       /* those of ours that use content: the lock is shared while > 0 */
	struct pending *pending;
	struct opened *opened; /* vault_outlet.c: what reading content needs, kept for the next */
	struct neighbours
	    *neighbours; /* vault_outside.c: names of one folder, for one transaction */
};

/* ---- vault_store.c: SQL, used one way ---- */

enum bind_type { BIND_TEXT, BIND_INT, BIND_BLOB };

struct bind {
	enum bind_type type;
	const void *data; /* borrowed until the statement is reset; NULL binds NULL */
	size_t len;
	int64_t number;
};

#define B_TEXT(value) ((struct bind){ .type = BIND_TEXT, .data = (value) })
#define B_INT(value) ((struct bind){ .type = BIND_INT, .number = (value) })
#define B_BLOB(value, size) ((struct bind){ .type = BIND_BLOB, .data = (value), .len = (size) })
#define B_DIGEST(digest) B_BLOB((digest)->bytes, DIGEST_SIZE)

#define BINDS(...)                                                                                 \
	(const struct bind[]){ __VA_ARGS__ },                                                      \
	    sizeof((const struct bind[]){ __VA_ARGS__ }) / sizeof(struct bind)

/* An empty store in memory: the schema as it should be. */
struct sql *store_open_model(struct err *err) MUST_CHECK;

/* Resets a statement of the cache when it goes out of scope. */
void store_reset(struct sql_stmt **stmt);
#define cleanup_reset __attribute__((cleanup(store_reset)))

/* Runs text, which is a static string and is prepared once. */
int store_run(struct vault *vault, const char *text, const struct bind *binds, size_t len,
    struct err *err) MUST_CHECK;

/* The same for one row: 1, *ret_stmt is on it until reset; 0: none; -1. *ret_stmt is of the cache:
 * not for loops whose body might run the same text. */
int store_row(struct vault *vault, const char *text, const struct bind *binds, size_t len,
    struct sql_stmt **ret_stmt, struct err *err) MUST_CHECK;

/* A statement of one's own, bound, for loops that call others. */
struct sql_stmt *store_query(struct vault *vault, const char *text, const struct bind *binds,
    size_t len, struct err *err) MUST_CHECK;

/* The one integer that text gives; 0 when there is no row. */
int store_int(struct vault *vault, const char *text, const struct bind *binds, size_t len,
    int64_t *ret, struct err *err) MUST_CHECK;

/* A column's text, owned; NULL stays NULL. */
char *store_text(struct sql_stmt *stmt, int column);

/* Copies an id; a stored one that does not fit is ERR_IO. */
int store_id(struct sql_stmt *stmt, int column, char ret_id[ID_TEXT_SIZE], struct err *err)
    MUST_CHECK;

/* A stored digest; ERR_IO when it has another size. */
int store_digest(struct sql_stmt *stmt, int column, struct digest *ret, struct err *err) MUST_CHECK;

/* Whether the next commits may be lost in a power cut (never torn); outside of transactions. */
int store_relax(struct vault *vault, bool is_relaxed, struct err *err) MUST_CHECK;

/*
 * The lock of content: shared while chunks are written ahead of their version and while content is
 * read, alone while vault_gc() removes. It dies with the process.
 */
int store_hold_content(struct vault *vault, struct err *err) MUST_CHECK;
void store_let_content(struct vault *vault);
int store_lock_content(struct vault *vault, struct err *err) MUST_CHECK;

/* ---- vault_op.c: the frame of a verb ---- */

struct op {
	const char *name;   /* as in the audit */
	const char *target; /* as given, or NULL */
	bool is_write;
	bool is_recorded; /* its row stands already */
	struct sql_txn txn;
	char entry[ID_TEXT_SIZE]; /* what was found, or empty */
	char *before;             /* owned; for the row */
	char *after;
	char *detail;
};

#define OP_READ(text, ref) ((struct op){ .name = (text), .target = (ref) })
#define OP_WRITE(text, ref) ((struct op){ .name = (text), .target = (ref), .is_write = true })

/*
 * A verb is: begin; when that is 0 the work; end with the work's result, which is the verb's.
 * Writes are one transaction (or part of the batch) with their row. Reads that hand out as they go
 * call op_note() once they know that they may. A failure is rolled back, then recorded.
 */
int op_begin(struct vault *vault, struct op *op, struct err *err) MUST_CHECK;
int op_note(struct vault *vault, struct op *op, struct err *err) MUST_CHECK;
int op_end(struct vault *vault, struct op *op, int result, struct err *err) MUST_CHECK;

/* Sets one of the row's texts: owned copies. */
void op_set(char **field, const char *text);

/* ---- vault_audit.c ---- */

/* Chains a row on; within a transaction. */
int audit_append(struct vault *vault, const struct op *op, const char *result, struct err *err)
    MUST_CHECK;

/* A column of a row, with its length, so that no two rows have the same bytes; NULL is no text. */
void chain_add_text(struct digest_state *state, const char *text);
void chain_add_int(struct digest_state *state, int64_t value);

/* What a caller wrote as one bounded, visible line; owned. NULL stays NULL. */
char *audit_text(const char *text);

/* The filter's principal and entry as ids, empty where it has none; VAULT_MANAGE on the root. */
struct audit_filter {
	char principal[ID_TEXT_SIZE];
	char entry[ID_TEXT_SIZE];
};
int audit_filter(struct vault *vault, const struct vault_event_filter *filter,
    struct audit_filter *ret, struct err *err) MUST_CHECK;

/* ERR_CHECK_FAILED about a row of the audit of that name. */
int audit_fault(const char *name, int64_t sequence, const char *what, struct err *err);

/* NULL for the empty text. */
const char *or_null(const char *text);

/* ---- vault_scope_audit.c ---- */

/* Re-computes the chain of decisions. */
int scope_verify(struct vault *vault, struct vault_audit_report *report, struct err *err)
    MUST_CHECK;

/* ---- vault_name.c ---- */

/* A name as it is kept: NFC. ERR_INVALID_ARGUMENT for what no name may be. Owned. */
char *name_normalise(const char *name, size_t len, struct err *err) MUST_CHECK;

/* "01-research" */
bool name_is_of_stage(const char *name);

/* True when a file of that name, in a folder of that name, is a stage's contract. */
bool name_is_contract(const char *folder, const char *file);

/* The media type that the name tells, or NULL. */
const char *name_media_type(const char *name);

/* "CONTEXT.md" */
extern const char contract_name[];

/* ---- vault_resolve.c: refs and ranks ---- */

struct found {
	char id[ID_TEXT_SIZE];
	char parent[ID_TEXT_SIZE]; /* empty: the root */
	char *name;
	enum vault_kind kind;
	enum vault_rank rank;
	int64_t trashed_us;
	char head[ID_TEXT_SIZE]; /* empty: a folder */
	int64_t depth;           /* 0: the root */
};
void found_release(struct found *found);
#define cleanup_found __attribute__((cleanup(found_release)))

enum found_state {
	FOUND_LIVING, /* it and all above it */
	FOUND_TRASH,  /* it is in the trash, all above it is not */
	FOUND_EITHER
};

/*
 * What ref names, with the caller's rank, which is at least needed. The answer to what is not
 * there, of another organization, outside the limit, or not to be seen is one: ERR_NOT_FOUND with
 * one text. What is there but of the wrong kind: ERR_INVALID_ARGUMENT; what is wanted from the trash
 * and lives, for those who may read it: ERR_CONFLICT. op->entry is set.
 */
int resolve(struct vault *vault, struct op *op, const char *ref, enum vault_want want,
    enum found_state state, enum vault_rank needed, struct found *ret, struct err *err) MUST_CHECK;

/*
 * The folder that ref's last name is in, as above, and that name. What is to be made is named so.
 */
int resolve_parent(struct vault *vault, struct op *op, const char *ref, enum vault_rank needed,
    struct found *ret_folder, char **ret_name, struct err *err) MUST_CHECK;

/* True when ref counts from the folder of the limit. */
bool ref_is_relative(const struct vault *vault, const char *ref);

/* ERR_NOT_FOUND in the one text. */
int not_found(const char *ref, struct err *err);

/* True when ref is a path or begins with an entry's id: names of other things never do. */
bool ref_is_of_entry(const char *ref);

/* ERR_PERMISSION_DENIED, in the one text, when rank is less than needed. */
int need_rank(enum vault_rank rank, const char *ref, enum vault_rank needed, struct err *err)
    MUST_CHECK;

/* The frame of verbs that read one living entry, up to and with its row: op_begin() to op_note().
 * What is left is the work, and op_end(). */
int op_begin_reading(struct vault *vault, struct op *op, enum vault_want want, struct found *ret,
    struct err *err) MUST_CHECK;

/* VAULT_MANAGE on the root, and no limit. */
int must_manage_root(struct vault *vault, struct err *err) MUST_CHECK;

/*
 * Where an entry stands, whoever asks; the SQL that the property test compares with a naive model.
 */
struct standing {
	bool is_there; /* of the organization, and within the limit */
	bool is_above_living;
	enum vault_rank rank; /* of principal */
	int64_t depth;
};
int standing_of(struct vault *vault, const char *id, const char *principal, struct standing *ret,
    struct err *err) MUST_CHECK;

/* The id of the living child of that name, if any: 1, 0, -1. */
int child_of(struct vault *vault, const char *folder, const char *name, char ret_id[ID_TEXT_SIZE],
    struct err *err) MUST_CHECK;

/*
 * The path of an entry as the caller sees it: from the topmost folder that it may read, which an id
 * names unless it is the root; owned. The whole path is for the audit alone.
 */
char *path_of(struct vault *vault, const char *id, struct err *err) MUST_CHECK;
char *path_from_root(struct vault *vault, const char *id, struct err *err) MUST_CHECK;

/* The name of an entry, owned; "" of the root. */
char *name_of(struct vault *vault, const char *id, struct err *err) MUST_CHECK;

/* Refuses a limited caller, and one without VAULT_MANAGE, to touch a contract. */
int guard_contract(const struct vault *vault, const struct found *folder, const char *name,
    struct err *err) MUST_CHECK;

/* ---- vault_outside.c ---- */

/* A name for a new entry, or for the entry own, in a folder where the caller has that rank. */
struct outside {
	const char *folder; /* id */
	enum vault_rank rank;
	const char *name;
	const char *own; /* id, or NULL */
};

/* Refuses, to a limited caller and to one without VAULT_MANAGE, a name that no checkout would write. */
int guard_outside(struct vault *vault, const struct outside *what, struct err *err) MUST_CHECK;

/* Names came or went otherwise than by entry_insert(), or another transaction begins. */
void neighbours_forget(struct vault *vault);
void neighbours_free(struct neighbours *neighbours);

/* ---- vault_principal.c ---- */

/* The principal that ref (id or name) names in this organization. */
int principal_find(
    struct vault *vault, const char *ref, struct vault_principal *ret, struct err *err) MUST_CHECK;

/* ---- vault_token.c ---- */

/* Notes that the token was used, unless that was noted within a minute. */
int token_note_used(struct vault *vault, struct err *err) MUST_CHECK;

/* Somebody must be able to manage the root, and have a valid token to do it with: ERR_CONFLICT with
 * message when nobody is left without this token, or without this principal (the other is NULL). */
int token_check_ways(struct vault *vault, const char *token, const char *principal,
    const char *message, struct err *err) MUST_CHECK;

int token_insert(struct vault *vault, const char *principal, int64_t expires_us,
    struct vault_token *ret, struct vault_token_text *ret_text, struct err *err) MUST_CHECK;

/* ---- vault_grant.c ---- */

int grant_put(struct vault *vault, const char *folder, const char *principal, enum vault_rank rank,
    struct err *err) MUST_CHECK;

/* ---- vault_entry.c ---- */

/* What entry_read() wants to stand first in a row, and the tables it is of. */
#define ENTRY_COLUMN_COUNT 13
#define ENTRY_COLUMNS                                                                              \
	" entry.id, entry.parent, entry.name, entry.kind, entry.created_by, entry.created_us,"     \
	" entry.trashed_us, entry.head, version.number, content.size, version.media_type,"         \
	" version.created_us, content.hash"
#define ENTRY_TABLES                                                                               \
	" FROM entry LEFT JOIN version ON version.id = entry.head"                                 \
	" LEFT JOIN content ON content.id = version.content"

/* ERR_PERMISSION_DENIED: a limited caller touches no contract. */
int contract_refused(struct err *err);

/* Takes path. */
void entry_read(struct sql_stmt *stmt, enum vault_rank rank, char *path, struct vault_entry *ret);

/* Inserts an entry into folder, which the caller may change; ERR_ALREADY_EXISTS. A limited caller
 * makes no `stages` in a workspace: other folders would be its stages then. */
int entry_insert(struct vault *vault, const struct found *folder, const char *name,
    enum vault_kind kind, char ret_id[ID_TEXT_SIZE], struct err *err) MUST_CHECK;

/* Everything about one entry; its path is looked up when path is NULL. */
int entry_load(struct vault *vault, const char *id, enum vault_rank rank, struct vault_entry *ret,
    struct err *err) MUST_CHECK;

/* ---- vault_version.c ---- */

struct new_version {
	const char *file;
	int64_t content;
	const char *media_type;
	const char *message; /* or NULL */
	const char *parent;  /* id, or NULL */
};
/* The next version of the file, which becomes its head. */
int version_insert(struct vault *vault, const struct new_version *version,
    char ret_id[ID_TEXT_SIZE], struct err *err) MUST_CHECK;
int version_load(struct vault *vault, const char *id, struct vault_version *ret, struct err *err)
    MUST_CHECK;

/* Ends op; its version goes to *ret, or is released when result or the end is a failure. */
int version_end(struct vault *vault, struct op *op, int result, struct vault_version *version,
    struct vault_version *ret, struct err *err) MUST_CHECK;

/* The id of the version that text (id, number, NULL: head) names among those of file. */
int version_find(struct vault *vault, const struct found *file, const char *text,
    char ret_id[ID_TEXT_SIZE], struct err *err) MUST_CHECK;

/* The content of a version. */
int version_content(struct vault *vault, const char *id, int64_t *ret_content, struct err *err)
    MUST_CHECK;

/* A message is UTF-8 of a bounded size. */
int check_message(const char *message, struct err *err) MUST_CHECK;

/* ---- vault_metadata.c ---- */

/* Gives one file the metadata and the tags of another. */
int metadata_copy(struct vault *vault, const char *from, const char *to, struct err *err)
    MUST_CHECK;

/* ---- vault_fill.c: holes in texts, and the values for them ---- */

/* What holes are filled with. */
struct filling {
	struct filling_value {
		char *name;  /* owned */
		char *value; /* owned */
		bool is_used;
	} * items; /* owned */
	size_t len, cap;
	bool keeps_escapes; /* else `{{{{` becomes `{{` */
};
void filling_release(struct filling *filling);
#define cleanup_filling __attribute__((cleanup(filling_release)))

/* Appends data, its holes filled; a hole of another name stays as it is. */
void fill_text(struct filling *filling, const char *data, size_t len, struct buf *out);

/* A hole of a name that filling has. NULL: there is none. */
const char *fill_finds(const struct filling *filling, const char *data, size_t len);

/* Calls fn for each hole in data, its name's bytes first; -1 ends it. *ret_is_filled (may be NULL)
 * is true when there are holes or escapes: data is not as it will be. */
typedef int (*hole_fn)(void *ctx, const char *name, size_t len, struct err *err);
int fill_each_hole(const char *data, size_t len, hole_fn fn, void *ctx, bool *ret_is_filled,
    struct err *err) MUST_CHECK;

/* True for what a hole may be called. */
bool fill_is_name(const char *name, size_t len);

/* ---- vault_parameter.c: what a template's parameters are ---- */

#define MANIFEST_NAME "template.yaml"

struct manifest {
	char *description;
	struct vault_parameter *parameters; /* owned */
	size_t len;
};
void manifest_release(struct manifest *manifest);
#define cleanup_manifest __attribute__((cleanup(manifest_release)))

/* Reads template.yaml. ERR_INVALID_ARGUMENT names the line. */
int manifest_read(const char *text, size_t len, struct manifest *ret, struct err *err) MUST_CHECK;

void parameters_free(struct vault_parameter *parameters, size_t len);
void parameters_write(const struct vault_parameter *parameters, size_t len, struct json_writer *w);

/* Back from the text that parameters_write() made. */
int parameters_read(const char *text, struct vault_parameter **ret_parameters, size_t *ret_len,
    struct err *err) MUST_CHECK;

/* Sets filling from the values that were given and the parameters' own. */
int parameters_fill(const struct vault_parameter *parameters, size_t parameters_len,
    const struct vault_value *values, size_t len, struct filling *ret, struct err *err) MUST_CHECK;

/* The same for values of holes that nobody declared. */
int values_fill(const struct vault_value *values, size_t len, struct filling *ret, struct err *err)
    MUST_CHECK;

/* ---- vault_tree.c: all that is in a folder, or in a snapshot of one ---- */

#define TREE_MAX 100000
#define TREE_TEXT_MAX ((int64_t)1 << 20) /* larger texts have no holes */

struct tree_item {
	char *path; /* from the top */
	bool is_file;
	bool has_holes;  /* of snapshots: the text must be filled */
	int64_t content; /* of files */
	int64_t size;
	char *media_type;
	char *message;         /* of the head; NULL: none */
	char *source;          /* id of the file, NULL in snapshots */
	char *head;            /* id of its version */
	char id[ID_TEXT_SIZE]; /* of what tree_plant() made of it, as are the next two */
	char *name;
	int64_t depth;
};
struct tree {
	struct tree_item *items; /* by path: a folder stands before what it holds; owned */
	size_t len, cap;
};
void tree_release(struct tree *tree);
#define cleanup_tree __attribute__((cleanup(tree_release)))

/* The living entries below folder; what a template's version holds. */
int tree_load(struct vault *vault, const char *folder, struct tree *ret, struct err *err)
    MUST_CHECK;
int tree_load_snapshot(struct vault *vault, const char *template, int64_t number, struct tree *ret,
    struct err *err) MUST_CHECK;

/* NULL: there is nothing at that path. */
const struct tree_item *tree_find(const struct tree *tree, const char *path, size_t len);

/* The content that takes the place of a file's: 1, *ret_content; 0: its own; -1. */
typedef int (*tree_content_fn)(
    void *ctx, const struct tree_item *item, int64_t *ret_content, struct err *err);

/* Makes all of tree below top, which is new; within a transaction. Names are filled. */
int tree_plant(struct vault *vault, struct tree *tree, const struct found *top,
    struct filling *filling, tree_content_fn fn, void *ctx, struct err *err) MUST_CHECK;

/* The text of a content of at most TREE_TEXT_MAX bytes: 1; 0: it is no text, or larger. */
int tree_text(struct vault *vault, const struct tree_item *item, struct buf *text, struct err *err)
    MUST_CHECK;

/* ---- vault_template.c ---- */

/* The template that ref names, with the caller's rank, which is at least needed; op->entry is its
 * folder. What is not there and what is not to be seen is one answer. */
int template_resolve(struct vault *vault, struct op *op, const char *ref, enum vault_rank needed,
    struct vault_template *ret, struct err *err) MUST_CHECK;

/* The same by id, for those who only want to know: 1, 0: none to be seen, -1. */
int template_look(struct vault *vault, const char *id, struct vault_template *ret, struct err *err)
    MUST_CHECK;

/* One version; number 0: the latest. ERR_NOT_FOUND when there is none such. */
int template_version_load(struct vault *vault, const struct vault_template *template,
    int64_t number, struct vault_template_version *ret, struct err *err) MUST_CHECK;

/* The template of a folder that is purged keeps its versions and gives up its name. */
int template_retire(struct vault *vault, const char *folder, struct err *err) MUST_CHECK;

/* ---- vault_lineage.c ---- */

/* The workspace that ref names; op->entry is set. */
int workspace_resolve(struct vault *vault, struct op *op, const char *ref, struct found *ret,
    struct err *err) MUST_CHECK;

/* Everything about the workspace of that id, which the caller may see with that rank. */
int workspace_load(struct vault *vault, const char *id, enum vault_rank rank,
    struct vault_workspace *ret, struct err *err) MUST_CHECK;

/* What is kept for ever. */
struct origin {
	const char *id;
	const char *name;
	const char *template;
	int64_t template_version;
	const char *parent;     /* or NULL */
	const char *parameters; /* JSON object */
};
int origin_insert(struct vault *vault, const struct origin *origin, struct err *err) MUST_CHECK;

/* The template and version that a workspace came from. */
int origin_template(struct vault *vault, const char *workspace, char ret_template[ID_TEXT_SIZE],
    int64_t *ret_version, struct err *err) MUST_CHECK;

/* ---- vault_stage.c ---- */

/* SQL: the id of the folder that holds the stages of workspace ?1. */
#define STAGES_FOLDER                                                                              \
	"coalesce((SELECT id FROM entry WHERE parent = ?1 AND name = 'stages'"                     \
	" AND trashed_us = 0 AND kind <> 1), ?1)"

/* ---- vault_content.c ---- */

/* Writes what was staged and waits; outside of any transaction. */
int pending_flush(struct vault *vault, struct err *err) MUST_CHECK;

/* Of staged content: its row, once pending_flush() was called. is_text: all of it is UTF-8. */
int64_t staged_content(const struct vault_staged *staged);
const struct digest *staged_hash(const struct vault_staged *staged);
bool staged_is_text(const struct vault_staged *staged);

void pending_free(struct pending *pending);

/* ---- vault_outlet.c ---- */

/* Hands out a content, verified chunk by chunk and, at the end, as a whole. */
int content_read(
    struct vault *vault, int64_t content, vault_write_fn fn, void *ctx, struct err *err) MUST_CHECK;

/* The chunks of a content, by number, in order; data is the column's. */
typedef int (*content_chunk_fn)(void *ctx, int64_t chunk, struct err *err);
int content_chunks(const void *data, size_t len, content_chunk_fn fn, void *ctx, struct err *err)
    MUST_CHECK;

void opened_free(struct opened *opened);

/* ---- vault_text.c: the full-text index ---- */

/* 1: text is the version's, valid UTF-8 without NUL; 0: it is no text, or larger than max_size. */
int text_load(struct vault *vault, const struct vault_version *version, int64_t max_size,
    struct buf *text, struct err *err) MUST_CHECK;

/* The file's head changed: it is indexed when somebody searches next. */
int text_enqueue(struct vault *vault, const char *file, struct err *err) MUST_CHECK;

/* The file is purged. */
int text_forget(struct vault *vault, const char *file, struct err *err) MUST_CHECK;

/* Indexes what waits; outside of any transaction. */
int text_catch_up(struct vault *vault, struct err *err) MUST_CHECK;

/* What people type as a query of the index: all words, in any order; "word*" begins a word. NULL
 * with err when there is no word. Owned. */
char *text_query(const char *words, struct err *err) MUST_CHECK;

/* ---- vault_hasher.c: the hash of the whole beside those of its chunks ---- */

struct hasher {
	struct digest_state state; /* the thread's while data is set */
	bool has_thread;           /* none could be had: the caller does the work */
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t given, taken;
	const void *data; /* to be hashed; NULL: the thread has nothing to do */
	size_t len;
	bool is_ending;
};
/* at_least: so many bytes will come; for few there is no thread. */
void hasher_init(struct hasher *hasher, int64_t at_least);
void hasher_release(struct hasher *hasher);

/* Hashes data, which stays as it is until hasher_wait(), or the next hasher_add(), has returned. */
void hasher_add(struct hasher *hasher, const void *data, size_t len);
void hasher_wait(struct hasher *hasher);
struct digest hasher_end(struct hasher *hasher);

/* ---- vault_chunker.c: FastCDC ---- */

#define CHUNK_MIN ((size_t)16 * 1024)
#define CHUNK_TURN ((size_t)48 * 1024) /* from here on cuts are easy: 60 KiB is the mean */
#define CHUNK_MAX ((size_t)256 * 1024)

/* Where the first chunk of data ends. is_last: nothing follows data; else len >= CHUNK_MAX. */
size_t chunk_cut(const uint8_t *data, size_t len);

/* ---- vault_diff.c ---- */

/* Appends the unified hunks that lead from one text to the other. */
void diff_texts(const char *from, size_t from_len, const char *to, size_t to_len, struct buf *out,
    int64_t *ret_added, int64_t *ret_removed);

#endif
