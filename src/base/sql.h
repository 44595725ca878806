/* SPDX-License-Identifier: MIT */
#ifndef BASE_SQL_H
#define BASE_SQL_H

/*
 * SQLite, used one way: WAL, foreign keys on, synchronous=FULL, busy_timeout 0 (the loop never
 * sleeps in SQLite; a caller retries by timer), migrations by user_version, prepared statements
 * with bound parameters. SQL text stands as named strings atop the file that runs it.
 *
 * Busy is ERR_UNAVAILABLE and retryable, from sql_open() too; corrupt and full are ERR_IO and are
 * not; a constraint or a trigger that refuses is ERR_CHECK_FAILED; a file or folder that may not
 * be written is ERR_PERMISSION_DENIED. Messages never hold bound values.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct sql;
struct sql_stmt;

#define cleanup_sql __attribute__((cleanup(sql_cleanup)))
#define cleanup_stmt __attribute__((cleanup(sql_stmt_cleanup)))
#define cleanup_txn __attribute__((cleanup(sql_txn_cleanup)))

/*
 * Opens (or creates, 0600) the database at path and brings it to user_version migrations_len by
 * running the scripts that are missing, each in its own transaction; two processes that race
 * agree. A database of a later version is refused. Refused as well: a path whose file is not
 * owned by us or is writable by others.
 */
struct sql *sql_open(const char *path, const char *const *migrations, size_t migrations_len,
    struct err *err) MUST_CHECK;

/* The same for a command, which may sleep: a lock that another process holds is waited for, up to
 * patience_ms, here and in whatever is run later. */
struct sql *sql_open_patient(const char *path, const char *const *migrations, size_t migrations_len,
    int patience_ms, struct err *err) MUST_CHECK;

/* A new database in memory, of the schema that the migrations make. */
struct sql *sql_open_memory(const char *const *migrations, size_t migrations_len, struct err *err)
    MUST_CHECK;

/* How long a lock is waited for from now on; returns how long it was. */
int sql_set_patience(struct sql *sql, int patience_ms);

/*
 * Opens an existing database for reading alone: no owner check, no migrations, nothing of it is
 * changed. For commands, not for the loop: waits up to 2 s for a lock. Works on read-only media.
 */
struct sql *sql_open_readonly(const char *path, struct err *err) MUST_CHECK;
void sql_close(struct sql *sql);
void sql_cleanup(struct sql **sql);

/*
 * The last one to close leaves a log of at most max_bytes beside the database instead of writing it
 * back: a command that adds a row then costs one sync, not five. Whoever opens next reads it first.
 */
void sql_keep_log(struct sql *sql, int64_t max_bytes);

/* Runs text without results. */
int sql_exec(struct sql *sql, const char *text, struct err *err) MUST_CHECK;

/* A prepared statement; freed before the database is closed. */
struct sql_stmt *sql_prepare(struct sql *sql, const char *text, struct err *err) MUST_CHECK;
void sql_stmt_free(struct sql_stmt *stmt);
void sql_stmt_cleanup(struct sql_stmt **stmt);

/* Bind parameter index (from 1). Text and blobs are copied; NULL data binds NULL. */
void sql_bind_int(struct sql_stmt *stmt, int index, int64_t value);
void sql_bind_text(struct sql_stmt *stmt, int index, const char *text);
void sql_bind_text_len(struct sql_stmt *stmt, int index, const char *data, size_t len);
void sql_bind_blob(struct sql_stmt *stmt, int index, const void *data, size_t len);

/* The same without the copy: data stays as it is until the statement was run or reset. */
void sql_bind_text_borrowed(struct sql_stmt *stmt, int index, const char *text);
void sql_bind_blob_borrowed(struct sql_stmt *stmt, int index, const void *data, size_t len);
void sql_bind_null(struct sql_stmt *stmt, int index);

/* 1: a row is there; 0: done (the statement is reset, its bindings kept); -1: err is set. */
int sql_step(struct sql_stmt *stmt, struct err *err) MUST_CHECK;

/* Runs a statement that gives no rows, and resets it. */
int sql_run(struct sql_stmt *stmt, struct err *err) MUST_CHECK;

/* The integer that text asks for: the first column of its first row, 0 when it has none. */
int sql_query_int(struct sql *sql, const char *text, int64_t *ret_value, struct err *err)
    MUST_CHECK;

/* Back to before the first step. */
void sql_reset(struct sql_stmt *stmt);

/* Columns (from 0) of the current row; pointers are borrowed until the next step or reset. */
int64_t sql_column_int(struct sql_stmt *stmt, int column);
const char *sql_column_text(struct sql_stmt *stmt, int column);
const void *sql_column_blob(struct sql_stmt *stmt, int column, size_t *ret_len);
bool sql_column_is_null(struct sql_stmt *stmt, int column);

/* What is really stored there; asked before the column is read as anything. */
enum sql_type { SQL_NULL, SQL_INT, SQL_REAL, SQL_TEXT, SQL_BLOB };
enum sql_type sql_column_type(struct sql_stmt *stmt, int column);

/*
 * A write transaction (BEGIN IMMEDIATE) that rolls back when it goes out of scope uncommitted:
 *
 *	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;
 *	if (sql_begin(sql, &txn, err) < 0 || … || sql_commit(&txn, err) < 0)
 *		return -1;
 */
struct sql_txn {
	struct sql *sql; /* NULL when not open */
};

#define SQL_TXN_INIT ((struct sql_txn){ 0 })

int sql_begin(struct sql *sql, struct sql_txn *txn, struct err *err) MUST_CHECK;
int sql_commit(struct sql_txn *txn, struct err *err) MUST_CHECK;
void sql_rollback(struct sql_txn *txn);
void sql_txn_cleanup(struct sql_txn *txn);

/* True within a transaction. */
bool sql_is_in_txn(struct sql *sql);

/*
 * Copies the database, as it is at one moment, to a new file at path (0600) while others go on
 * using it. ERR_CHECK_FAILED when something is there already. Until it is whole it is called
 * path.part; what an interrupted copy left under that name is replaced. on_step (or NULL) hears of progress.
 * The copy needs no log: put in the place of a database whose log was left there, it is refused by
 * sql_open() until that log is gone, which else would be written over it.
 */
typedef void (*sql_backup_fn)(void *ctx, int64_t done_pages, int64_t all_pages);
int sql_backup(struct sql *sql, const char *path, sql_backup_fn on_step, void *ctx, struct err *err)
    MUST_CHECK;

/* SQLite's data_version: changes when another connection has changed the file. -1: cannot tell. */
int64_t sql_data_version(struct sql *sql);

/* True when the path no longer names the open file: it was removed, renamed or replaced. */
bool sql_has_moved(struct sql *sql);

#endif
