/* SPDX-License-Identifier: MIT */
/* SQLite's only caller: opening with our pragmas, migrations, statements, transactions. */
#include "base/sql.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

/* recursive_triggers: an INSERT OR REPLACE then meets the delete triggers as well. */
static const char SQL_PRAGMAS[] = "PRAGMA foreign_keys = ON;"
				  "PRAGMA synchronous = FULL;"
				  "PRAGMA recursive_triggers = ON;"
				  "PRAGMA cell_size_check = ON;"
				  "PRAGMA temp_store = MEMORY;";
static const char SQL_SET_WAL[] = "PRAGMA journal_mode = WAL";
static const char SQL_SET_NO_JOURNAL[] = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF";
static const char SQL_SET_NO_WAL[] = "PRAGMA journal_mode = DELETE";
static const char SQL_GET_VERSION[] = "PRAGMA user_version";
static const char SQL_GET_DATA_VERSION[] = "PRAGMA data_version";
static const char SQL_COUNT_SCHEMA[] = "SELECT count(*) FROM sqlite_schema";
static const char SQL_BEGIN[] = "BEGIN IMMEDIATE";
static const char SQL_COMMIT[] = "COMMIT";
static const char SQL_ROLLBACK[] = "ROLLBACK";

#define READER_PATIENCE_MS 2000

/* Where a file's header says how it is written: 1, by a rollback journal; 2, by a log. */
#define HEADER_WRITER 18

struct sql {
	sqlite3 *db;
	char *path;
	struct sql_stmt *begin;  /* the statements every transaction needs, prepared once */
	struct sql_stmt *commit; /* NULL, all three, on a read-only connection */
	struct sql_stmt *data_version;
	int patience_ms;  /* how long a lock is waited for */
	int64_t keep_log; /* so many bytes of it may stay; 0: none do */
};

struct sql_stmt {
	sqlite3_stmt *stmt;
	int bind_rc; /* the first bind that failed; reported by the next step */
};

/* ---- errors ---- */

static bool is_permission(int errnum)
{
	return errnum == EACCES || errnum == EPERM || errnum == EROFS;
}

static enum err_code code_of(sqlite3 *db, int rc)
{
	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		abort();
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_PROTOCOL:
		return ERR_UNAVAILABLE;
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return ERR_PERMISSION_DENIED;
	case SQLITE_CANTOPEN:
		return is_permission(sqlite3_system_errno(db)) ? ERR_PERMISSION_DENIED : ERR_IO;
	case SQLITE_CONSTRAINT:
		return ERR_CHECK_FAILED;
	case SQLITE_TOOBIG:
		return ERR_LIMIT;
	default:
		return ERR_IO;
	}
}

static int fail(sqlite3 *db, int rc, struct err *err)
{
	if (code_of(db, rc) == ERR_UNAVAILABLE)
		return err_set(err, ERR_UNAVAILABLE,
		    "another process is at work in the database; try again (%s)",
		    sqlite3_errmsg(db));
	if ((rc & 0xff) == SQLITE_FULL)
		return err_set(err, ERR_IO,
		    "database: the disk is full; free some room there, then try again");
	return err_set(err, code_of(db, rc), "database: %s", sqlite3_errmsg(db));
}

/* ---- opening ---- */

/* Others must be able neither to write to the file nor to have put it there; and we must be able
 * to: SQLite would fall back to reading, and leave a -wal file behind that nobody can write. */
static int check_file(const char *path, const struct stat *st, struct err *err)
{
	if (!S_ISREG(st->st_mode))
		return err_set(err, ERR_PERMISSION_DENIED, "%s is no regular file", path);
	if (st->st_uid != geteuid())
		return err_set(err, ERR_PERMISSION_DENIED, "%s belongs to another user", path);
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err, ERR_PERMISSION_DENIED,
		    "%s can be written by others; run: chmod 600 %s", path, path);
	if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0)
		return err_errno(err, errno, "write to %s", path);
	return 0;
}

/*
 * An existing file is looked at, never opened here: closing a descriptor of it would drop the
 * POSIX locks that another connection of this process holds. SQLite gives its -wal and -shm files
 * the mode of the database.
 */
static int make_file(const char *path, struct err *err)
{
	struct stat st;
	cleanup_fd int fd = -1;

	if (lstat(path, &st) == 0)
		return check_file(path, &st, err);
	if (errno != ENOENT)
		return err_errno(err, errno, "%s", path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST) /* another process was faster */
		return lstat(path, &st) == 0 ? check_file(path, &st, err)
					     : err_errno(err, errno, "%s", path);
	if (fd < 0)
		return err_errno(err, errno, "create %s", path);
	if (fchmod(fd, 0600) < 0)
		return err_errno(err, errno, "chmod %s", path);
	return 0;
}

/*
 * A copy (sql_backup) says in its header that it has no log; a database of ours, once opened, that it
 * has one. A log beside a copy is left from the file whose place it took. Read by SQLite's own
 * descriptor: to close one of ours would drop its locks.
 */
static int check_log(struct sql *sql, struct err *err)
{
	cleanup_free char *wal = xasprintf("%s-wal", sql->path);
	sqlite3_file *file = NULL;
	uint8_t writer = 0;
	struct stat st;

	if (stat(wal, &st) < 0 || st.st_size == 0)
		return 0;
	(void)sqlite3_file_control(sql->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	if (file->pMethods->xRead(file, &writer, 1, HEADER_WRITER) != SQLITE_OK || writer != 1)
		return 0;
	return err_set(err, ERR_CHECK_FAILED,
	    "%s belongs to the database that was here before; move it away, or remove it", wal);
}

/* The first column of the first row of text. */
static int query_text(struct sql *sql, const char *text, char **ret_text, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = sql_prepare(sql, text, err);
	int got = stmt == NULL ? -1 : sql_step(stmt, err);

	if (got < 0)
		return -1;
	*ret_text = xstrdup(got == 1 ? sql_column_text(stmt, 0) : NULL);
	return 0;
}

int sql_query_int(struct sql *sql, const char *text, int64_t *ret_value, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = sql_prepare(sql, text, err);
	int got = stmt == NULL ? -1 : sql_step(stmt, err);

	if (got < 0)
		return -1;
	*ret_value = got == 1 ? sql_column_int(stmt, 0) : 0;
	return 0;
}

static int set_wal(struct sql *sql, struct err *err)
{
	cleanup_free char *mode = NULL;

	if (query_text(sql, SQL_SET_WAL, &mode, err) < 0)
		return -1;
	if (mode == NULL || strcmp(mode, "wal") != 0)
		return err_set(err, ERR_IO, "the file system cannot hold a write-ahead log");
	return 0;
}

static int configure(struct sql *sql, struct err *err)
{
	(void)sqlite3_db_config(sql->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(sql->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	return sql_exec(sql, SQL_PRAGMAS, err);
}

/* Brings the schema one version further, unless another process did so meanwhile. */
static int migrate_step(
    struct sql *sql, const char *const *migrations, int64_t version, struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;
	int64_t now = 0;
	char text[64];

	if (sql_begin(sql, &txn, err) < 0 || sql_query_int(sql, SQL_GET_VERSION, &now, err) < 0)
		return -1;
	if (now != version)
		return 0;
	(void)snprintf(text, sizeof(text), "PRAGMA user_version = %d", (int)version + 1);
	if (sql_exec(sql, migrations[version], err) < 0 || sql_exec(sql, text, err) < 0)
		return -1;
	return sql_commit(&txn, err);
}

static int migrate(
    struct sql *sql, const char *const *migrations, size_t migrations_len, struct err *err)
{
	for (;;) {
		int64_t version = 0;

		if (sql_query_int(sql, SQL_GET_VERSION, &version, err) < 0)
			return -1;
		if (version < 0 || version > (int64_t)migrations_len)
			return err_set(err, ERR_UNSUPPORTED,
			    "its format %d is newer than this program knows; update the program",
			    (int)version);
		if (version == (int64_t)migrations_len)
			return 0;
		if (migrate_step(sql, migrations, version, err) < 0)
			return -1;
	}
}

static int prepare_own(struct sql *sql, struct err *err)
{
	sql->begin = sql_prepare(sql, SQL_BEGIN, err);
	if (sql->begin == NULL)
		return -1;
	sql->commit = sql_prepare(sql, SQL_COMMIT, err);
	if (sql->commit == NULL)
		return -1;
	sql->data_version = sql_prepare(sql, SQL_GET_DATA_VERSION, err);
	return sql->data_version == NULL ? -1 : 0;
}

/* One thread and no statistics: SQLite's allocator then takes no locks. Without effect, and
 * harmless, once SQLite is in use. */
static void configure_library(void)
{
	(void)sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* A connection to name, which is path itself or an URI of it. */
static struct sql *connect_to(const char *name, const char *path, int flags, struct err *err)
{
	struct sql *sql = xcalloc(1, sizeof(*sql));
	int rc;

	configure_library();
	sql->path = xstrdup(path);
	rc = sqlite3_open_v2(
	    name, &sql->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
	if (rc == SQLITE_OK)
		return sql;
	(void)fail(sql->db, rc, err);
	sql_close(sql);
	return NULL;
}

int sql_set_patience(struct sql *sql, int patience_ms)
{
	int before = sql->patience_ms;

	sql->patience_ms = patience_ms;
	(void)sqlite3_busy_timeout(sql->db, patience_ms);
	return before;
}

static struct sql *open_once(const char *path, const char *const *migrations, size_t migrations_len,
    int patience_ms, struct err *err)
{
	cleanup_sql struct sql *sql = NULL;

	if (make_file(path, err) < 0)
		return NULL;
	sql = connect_to(path, path, SQLITE_OPEN_READWRITE, err);
	if (sql != NULL)
		(void)sql_set_patience(sql, patience_ms);
	if (sql == NULL || check_log(sql, err) < 0 || configure(sql, err) < 0 ||
	    set_wal(sql, err) < 0 || prepare_own(sql, err) < 0 ||
	    migrate(sql, migrations, migrations_len, err) < 0) {
		(void)err_wrap(err, "%s", path);
		return NULL;
	}
	return steal_ptr(&sql);
}

/* SQLite has patience with most locks; the step of a new file to its log it tries only once. */
struct sql *sql_open_patient(const char *path, const char *const *migrations, size_t migrations_len,
    int patience_ms, struct err *err)
{
	int64_t until_ms = clock_monotonic_ms() + patience_ms;

	for (;;) {
		cleanup_err struct err failed = ERR_INIT;
		struct sql *sql = open_once(path, migrations, migrations_len, patience_ms, &failed);

		if (sql != NULL)
			return sql;
		if (failed.code != ERR_UNAVAILABLE || !clock_pause(until_ms)) {
			err_move(err, &failed);
			return NULL;
		}
	}
}

struct sql *sql_open(
    const char *path, const char *const *migrations, size_t migrations_len, struct err *err)
{
	return sql_open_patient(path, migrations, migrations_len, 0, err);
}

struct sql *sql_open_memory(const char *const *migrations, size_t migrations_len, struct err *err)
{
	cleanup_sql struct sql *sql =
	    connect_to(":memory:", ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);

	if (sql == NULL || configure(sql, err) < 0 || prepare_own(sql, err) < 0 ||
	    migrate(sql, migrations, migrations_len, err) < 0)
		return NULL;
	return steal_ptr(&sql);
}

/* "file:<path>?immutable=1", the path escaped as SQLite's URIs want it. */
static void add_immutable_uri(struct buf *uri, const char *path)
{
	buf_adds(uri, "file:");
	for (const char *c = path; *c != '\0'; c++) {
		if (*c == '%' || *c == '?' || *c == '#')
			buf_addf(uri, "%%%02x", (unsigned)(unsigned char)*c);
		else
			buf_addc(uri, *c);
	}
	buf_adds(uri, "?immutable=1");
}

/* True when path has no write-ahead log with content, so that the file alone is the database. */
static bool is_whole(const char *path)
{
	cleanup_free char *wal = xasprintf("%s-wal", path);
	struct stat st;

	return stat(wal, &st) < 0 ? errno == ENOENT : st.st_size == 0;
}

/* Reads something, which is when SQLite opens the file in earnest. */
static int try_read(struct sql *sql, struct err *err)
{
	int64_t count = 0;

	(void)sqlite3_busy_timeout(sql->db, READER_PATIENCE_MS);
	(void)sqlite3_db_config(sql->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	return sql_query_int(sql, SQL_COUNT_SCHEMA, &count, err);
}

/* A database in WAL mode wants a -shm file beside it. Where none can be made, the file is read as
 * one that nobody changes, provided that it is whole. */
static struct sql *open_immutable(const char *path, struct err *err)
{
	cleanup_buf struct buf uri = BUF_INIT;
	cleanup_sql struct sql *sql = NULL;

	add_immutable_uri(&uri, path);
	sql = connect_to(uri.data, path, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
	if (sql == NULL || try_read(sql, err) < 0)
		return NULL;
	return steal_ptr(&sql);
}

struct sql *sql_open_readonly(const char *path, struct err *err)
{
	cleanup_sql struct sql *sql = NULL;

	if (access(path, R_OK) < 0) {
		(void)err_errno(err, errno, "%s", path);
		return NULL;
	}
	sql = connect_to(path, path, SQLITE_OPEN_READONLY, err);
	if (sql != NULL && try_read(sql, err) < 0) {
		bool may_retry = err->code == ERR_PERMISSION_DENIED && is_whole(path);

		sql_cleanup(&sql);
		if (may_retry)
			sql = open_immutable(path, err);
	}
	if (sql == NULL) {
		(void)err_wrap(err, "%s", path);
		return NULL;
	}
	err_release(err);
	return steal_ptr(&sql);
}

void sql_keep_log(struct sql *sql, int64_t max_bytes)
{
	sql->keep_log = max_bytes;
}

/* A long log is written back, for the next to open would read all of it. */
static void settle_log(struct sql *sql)
{
	cleanup_free char *wal = xasprintf("%s-wal", sql->path);
	struct stat st;

	if (sql->keep_log > 0 && stat(wal, &st) == 0 && st.st_size <= sql->keep_log)
		(void)sqlite3_db_config(sql->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

void sql_close(struct sql *sql)
{
	int rc;

	if (sql == NULL)
		return;
	settle_log(sql);
	sql_stmt_free(sql->begin);
	sql_stmt_free(sql->commit);
	sql_stmt_free(sql->data_version);
	rc = sqlite3_close(sql->db);
	assert(rc == SQLITE_OK); /* else a statement outlived its database */
	free(sql->path);
	free(sql);
}

void sql_cleanup(struct sql **sql)
{
	sql_close(*sql);
	*sql = NULL;
}

/* ---- statements ---- */

int sql_exec(struct sql *sql, const char *text, struct err *err)
{
	int rc = sqlite3_exec(sql->db, text, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : fail(sql->db, rc, err);
}

struct sql_stmt *sql_prepare(struct sql *sql, const char *text, struct err *err)
{
	struct sql_stmt *stmt;
	sqlite3_stmt *raw = NULL;
	int rc = sqlite3_prepare_v3(sql->db, text, -1, SQLITE_PREPARE_PERSISTENT, &raw, NULL);

	if (rc != SQLITE_OK) {
		(void)fail(sql->db, rc, err);
		return NULL;
	}
	stmt = xcalloc(1, sizeof(*stmt));
	stmt->stmt = raw;
	return stmt;
}

void sql_stmt_free(struct sql_stmt *stmt)
{
	if (stmt == NULL)
		return;
	(void)sqlite3_finalize(stmt->stmt);
	free(stmt);
}

void sql_stmt_cleanup(struct sql_stmt **stmt)
{
	sql_stmt_free(*stmt);
	*stmt = NULL;
}

/* A wrong index is our mistake; a value past SQLite's size limit is told by the next step. */
static void note_bind(struct sql_stmt *stmt, int rc)
{
	assert(rc != SQLITE_RANGE && rc != SQLITE_MISUSE);
	if (rc == SQLITE_NOMEM)
		abort();
	if (stmt->bind_rc == SQLITE_OK)
		stmt->bind_rc = rc;
}

void sql_bind_int(struct sql_stmt *stmt, int index, int64_t value)
{
	note_bind(stmt, sqlite3_bind_int64(stmt->stmt, index, value));
}

void sql_bind_text(struct sql_stmt *stmt, int index, const char *text)
{
	sql_bind_text_len(stmt, index, text, text == NULL ? 0 : strlen(text));
}

void sql_bind_text_len(struct sql_stmt *stmt, int index, const char *data, size_t len)
{
	note_bind(
	    stmt, sqlite3_bind_text64(stmt->stmt, index, data, len, SQLITE_TRANSIENT, SQLITE_UTF8));
}

void sql_bind_blob(struct sql_stmt *stmt, int index, const void *data, size_t len)
{
	note_bind(stmt, sqlite3_bind_blob64(stmt->stmt, index, data, len, SQLITE_TRANSIENT));
}

void sql_bind_text_borrowed(struct sql_stmt *stmt, int index, const char *text)
{
	note_bind(stmt, sqlite3_bind_text(stmt->stmt, index, text, -1, SQLITE_STATIC));
}

void sql_bind_blob_borrowed(struct sql_stmt *stmt, int index, const void *data, size_t len)
{
	note_bind(stmt, sqlite3_bind_blob64(stmt->stmt, index, data, len, SQLITE_STATIC));
}

void sql_bind_null(struct sql_stmt *stmt, int index)
{
	note_bind(stmt, sqlite3_bind_null(stmt->stmt, index));
}

/* The reset that follows a failed step repeats its error, which is known already. */
static int step_failed(struct sql_stmt *stmt, int rc, struct err *err)
{
	(void)fail(sqlite3_db_handle(stmt->stmt), rc, err);
	(void)sqlite3_reset(stmt->stmt);
	return -1;
}

int sql_step(struct sql_stmt *stmt, struct err *err)
{
	int rc;

	if (stmt->bind_rc != SQLITE_OK) {
		stmt->bind_rc = SQLITE_OK;
		return err_set(err, ERR_LIMIT, "database: a value is too large to store");
	}
	rc = sqlite3_step(stmt->stmt);
	if (rc == SQLITE_ROW)
		return 1;
	if (rc != SQLITE_DONE)
		return step_failed(stmt, rc, err);
	(void)sqlite3_reset(stmt->stmt);
	return 0;
}

int sql_run(struct sql_stmt *stmt, struct err *err)
{
	int got = sql_step(stmt, err);

	assert(got != 1);
	return got;
}

void sql_reset(struct sql_stmt *stmt)
{
	(void)sqlite3_reset(stmt->stmt);
}

int64_t sql_column_int(struct sql_stmt *stmt, int column)
{
	return sqlite3_column_int64(stmt->stmt, column);
}

const char *sql_column_text(struct sql_stmt *stmt, int column)
{
	return (const char *)sqlite3_column_text(stmt->stmt, column);
}

const void *sql_column_blob(struct sql_stmt *stmt, int column, size_t *ret_len)
{
	const void *data = sqlite3_column_blob(stmt->stmt, column);

	*ret_len = (size_t)sqlite3_column_bytes(stmt->stmt, column);
	return data;
}

bool sql_column_is_null(struct sql_stmt *stmt, int column)
{
	return sql_column_type(stmt, column) == SQL_NULL;
}

enum sql_type sql_column_type(struct sql_stmt *stmt, int column)
{
	switch (sqlite3_column_type(stmt->stmt, column)) {
	case SQLITE_INTEGER:
		return SQL_INT;
	case SQLITE_FLOAT:
		return SQL_REAL;
	case SQLITE_TEXT:
		return SQL_TEXT;
	case SQLITE_BLOB:
		return SQL_BLOB;
	default:
		return SQL_NULL;
	}
}

/* ---- transactions ---- */

int sql_begin(struct sql *sql, struct sql_txn *txn, struct err *err)
{
	assert(txn->sql == NULL && sql->begin != NULL);
	if (sql_run(sql->begin, err) < 0)
		return -1;
	txn->sql = sql;
	return 0;
}

/* After a failure the transaction stays open for the rollback. */
int sql_commit(struct sql_txn *txn, struct err *err)
{
	if (sql_run(txn->sql->commit, err) < 0)
		return -1;
	txn->sql = NULL;
	return 0;
}

/* SQLite has rolled back by itself after some failures (full disk, I/O). */
void sql_rollback(struct sql_txn *txn)
{
	if (txn->sql != NULL && !sqlite3_get_autocommit(txn->sql->db))
		(void)sqlite3_exec(txn->sql->db, SQL_ROLLBACK, NULL, NULL, NULL);
	txn->sql = NULL;
}

void sql_txn_cleanup(struct sql_txn *txn)
{
	sql_rollback(txn);
}

bool sql_is_in_txn(struct sql *sql)
{
	return !sqlite3_get_autocommit(sql->db);
}

/* ---- copying ---- */

#define BACKUP_PAGES 512

static int copy_pages(
    sqlite3 *target, sqlite3_backup *copy, sql_backup_fn on_step, void *ctx, struct err *err)
{
	int rc;

	do {
		rc = sqlite3_backup_step(copy, BACKUP_PAGES);
		if (on_step != NULL && (rc == SQLITE_OK || rc == SQLITE_DONE)) {
			int64_t all = sqlite3_backup_pagecount(copy);

			on_step(ctx, all - sqlite3_backup_remaining(copy), all);
		}
	} while (rc == SQLITE_OK);
	return rc == SQLITE_DONE
		   ? 0
		   : err_set(err, code_of(target, rc), "database: copy: %s", sqlite3_errstr(rc));
}

/* One read transaction holds the moment: without it a write by another process between two steps
 * would make the copy begin again, for ever under load. */
static int copy_moment(
    struct sql *sql, struct sql *target, sql_backup_fn on_step, void *ctx, struct err *err)
{
	sqlite3_backup *copy;
	int64_t ignored;
	int result;

	if (sql_exec(sql, "BEGIN", err) < 0)
		return -1;
	if (sql_query_int(sql, SQL_COUNT_SCHEMA, &ignored, err) < 0) {
		(void)sqlite3_exec(sql->db, SQL_ROLLBACK, NULL, NULL, NULL);
		return -1;
	}
	copy = sqlite3_backup_init(target->db, "main", sql->db, "main");
	result = copy == NULL ? fail(target->db, sqlite3_errcode(target->db), err)
			      : copy_pages(target->db, copy, on_step, ctx, err);
	(void)sqlite3_backup_finish(copy);
	(void)sqlite3_exec(sql->db, SQL_ROLLBACK, NULL, NULL, NULL);
	return result;
}

/* The file that becomes the copy, empty and ours alone; what an interrupted copy left goes. */
static int open_part(const char *part, struct err *err)
{
	cleanup_fd int fd = open(part, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct stat open_file;
	struct stat named;

	if (fd < 0 || fstat(fd, &open_file) < 0)
		return err_errno(err, errno, "create %s", part);
	if (check_file(part, &open_file, err) < 0)
		return -1;
	/* who finished between our two calls has given the file its name */
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 || lstat(part, &named) < 0 ||
	    named.st_ino != open_file.st_ino || named.st_dev != open_file.st_dev)
		return err_set(err, ERR_UNAVAILABLE, "another process is writing %s", part);
	if (ftruncate(fd, 0) < 0)
		return err_errno(err, errno, "write %s", part);
	return steal_fd(&fd);
}

static int fill_part(
    struct sql *sql, const char *part, sql_backup_fn on_step, void *ctx, struct err *err)
{
	cleanup_sql struct sql *target = connect_to(part, part, SQLITE_OPEN_READWRITE, err);

	if (target == NULL || sql_exec(target, SQL_SET_NO_JOURNAL, err) < 0 ||
	    copy_moment(sql, target, on_step, ctx, err) < 0)
		return -1;
	return sql_exec(target, SQL_SET_NO_WAL, err);
}

static int rename_part(const char *part, const char *path, struct err *err)
{
	if (fd_rename_new(AT_FDCWD, part, AT_FDCWD, path) == 0)
		return 0;
	return errno == EEXIST ? err_set(err, ERR_CHECK_FAILED, "%s is there already", path)
			       : err_errno(err, errno, "rename %s", part);
}

int sql_backup(struct sql *sql, const char *path, sql_backup_fn on_step, void *ctx, struct err *err)
{
	cleanup_free char *part = xasprintf("%s.part", path);
	cleanup_fd int fd = -1;
	int result;

	if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return err_set(err, ERR_CHECK_FAILED, "%s is there already", path);
	fd = open_part(part, err);
	if (fd < 0)
		return err_wrap(err, "copy to %s", path);
	result = fill_part(sql, part, on_step, ctx, err);
	if (result == 0 && fsync(fd) < 0)
		result = err_errno(err, errno, "write %s", part);
	if (result == 0)
		result = rename_part(part, path, err);
	if (result < 0) {
		(void)unlink(part);
		return err_wrap(err, "copy to %s", path);
	}
	return 0;
}

/* ---- watching the file ---- */

int64_t sql_data_version(struct sql *sql)
{
	cleanup_err struct err err = ERR_INIT;
	int64_t version = -1;

	if (sql->data_version == NULL || sql_step(sql->data_version, &err) != 1)
		return -1;
	version = sql_column_int(sql->data_version, 0);
	sql_reset(sql->data_version);
	return version;
}

bool sql_has_moved(struct sql *sql)
{
	int has_moved = 0;

	(void)sqlite3_file_control(sql->db, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
	return has_moved != 0;
}
