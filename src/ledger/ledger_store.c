/* SPDX-License-Identifier: MIT */
/*
 * The files of one ledger, open for appending: data directory, keys, database. Made when they are
 * first needed. The schema stands here; the columns also in ledger_row.c and ledger_read.c.
 */
#include "ledger/ledger_internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define MAC_KEY "ledger.mac"
#define MAC_KEY_SIZE 32

/*
 * No index but the row id: a commit then writes one page in most cases. The insert trigger keeps
 * INSERT OR REPLACE, which runs no delete trigger by default, from overwriting a row.
 */
static const char SQL_SCHEMA_1[] =
    "CREATE TABLE record ("
    " sequence INTEGER PRIMARY KEY,"
    " time_us INTEGER NOT NULL, writer TEXT NOT NULL, kind TEXT NOT NULL,"
    " caller TEXT, protocol TEXT, client TEXT, surface TEXT, surface_digest BLOB, tool TEXT,"
    " effect TEXT, code TEXT, detail TEXT, program TEXT, arguments_digest BLOB,"
    " workspace TEXT, stage TEXT,"
    " intent INTEGER NOT NULL, count INTEGER NOT NULL, exit_status INTEGER NOT NULL,"
    " duration_us INTEGER NOT NULL, output_bytes INTEGER NOT NULL, masks INTEGER NOT NULL,"
    " escaped INTEGER NOT NULL, reveals INTEGER NOT NULL,"
    " seal_key BLOB, seal_signature BLOB,"
    " previous BLOB NOT NULL, hash BLOB NOT NULL"
    ") STRICT;"
    "CREATE TRIGGER record_is_not_updated BEFORE UPDATE ON record"
    " BEGIN SELECT raise(ABORT, 'the ledger is append-only: no UPDATE'); END;"
    "CREATE TRIGGER record_is_not_deleted BEFORE DELETE ON record"
    " BEGIN SELECT raise(ABORT, 'the ledger is append-only: no DELETE'); END;"
    "CREATE TRIGGER record_is_appended BEFORE INSERT ON record"
    " WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM record)"
    " BEGIN SELECT raise(ABORT, 'the ledger is append-only: INSERT at its end only'); END;";

static const char *const migrations[] = { SQL_SCHEMA_1 };

/* A -wal file that is rewritten in place makes a commit about twice as fast as one that grows, so
 * it is to stop growing soon; 128 pages were as fast over time as any larger number. Few pages are ever read again, so few are cached. */
static const char SQL_TUNE[] = "PRAGMA wal_autocheckpoint = 128; PRAGMA cache_size = -256;";

/* Moves all of the -wal file into the database and empties it. */
static const char SQL_DRAIN[] = "PRAGMA wal_checkpoint(TRUNCATE)";

static const char SQL_TIP[] =
    "SELECT sequence, hash, kind FROM record ORDER BY sequence DESC LIMIT 1";

static const char SQL_APPEND[] =
    "INSERT INTO record VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,"
    " ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29)";

/* ---- opening ---- */

static int open_keys(struct store *store, struct err *err)
{
	if (secret_open_keys(store->data_dir, &store->keys_fd, err) < 0)
		return -1;
	store->mac_key = secret_open_file(store->keys_fd, MAC_KEY, MAC_KEY_SIZE, err);
	if (store->mac_key == NULL)
		return -1;
	store->seal_key = secret_open_file(store->keys_fd, LEDGER_SEAL_KEY, SECRET_SEED_SIZE, err);
	return store->seal_key == NULL ? -1 : 0;
}

static int open_database(struct store *store, struct err *err)
{
	cleanup_free char *path = ledger_path(store->data_dir);

	store->sql = store->patience_ms == 0
			 ? sql_open(path, migrations, ARRAY_LEN(migrations), err)
			 : sql_open_patient(
			       path, migrations, ARRAY_LEN(migrations), store->patience_ms, err);
	if (store->sql == NULL || sql_exec(store->sql, SQL_TUNE, err) < 0)
		return -1;
	store->tip = sql_prepare(store->sql, SQL_TIP, err);
	if (store->tip == NULL)
		return -1;
	store->append = sql_prepare(store->sql, SQL_APPEND, err);
	return store->append == NULL ? -1 : 0;
}

/*
 * The file was renamed, removed or replaced under us. Draining the log makes the old file whole,
 * so that `mv ledger.db archive.db` loses no row, and leaves nothing beside the new one that
 * SQLite would take for its log.
 */
static void leave_moved(struct store *store)
{
	cleanup_err struct err ignored = ERR_INIT;

	(void)!sql_exec(store->sql, SQL_DRAIN, &ignored);
	store_close(store);
}

int store_open(struct store *store, struct err *err)
{
	if (store->sql != NULL && sql_has_moved(store->sql))
		leave_moved(store);
	if (store->sql != NULL)
		return 0;
	if (open_keys(store, err) == 0 && open_database(store, err) == 0)
		return 0;
	store_close(store);
	return -1;
}

void store_close(struct store *store)
{
	sql_stmt_cleanup(&store->tip);
	sql_stmt_cleanup(&store->append);
	sql_cleanup(&store->sql);
	secret_cleanup(&store->mac_key);
	secret_cleanup(&store->seal_key);
	store_end_turn(store);
	close_fd(&store->keys_fd);
}

char *ledger_path(const char *data_dir)
{
	return xasprintf("%s/" LEDGER_FILE, data_dir);
}

/* ---- appending ---- */

int store_read_tip(struct store *store, struct tip *ret_tip, struct err *err)
{
	struct tip tip = { 0 };
	const void *hash;
	size_t len = 0;
	int got = sql_step(store->tip, err);

	if (got < 0)
		return -1;
	if (got == 1) {
		hash = sql_column_blob(store->tip, 1, &len);
		tip.sequence = sql_column_int(store->tip, 0);
		tip.is_checkpoint = strcmp(sql_column_text(store->tip, 2),
					ledger_kind_name(LEDGER_CHECKPOINT)) == 0;
		if (len == DIGEST_SIZE)
			memcpy(tip.hash.bytes, hash, DIGEST_SIZE);
		sql_reset(store->tip);
		if (len != DIGEST_SIZE)
			return err_set(err, ERR_IO, "the last row has no hash; verify the ledger");
	}
	*ret_tip = tip;
	return 0;
}

static void bind_column(
    struct sql_stmt *stmt, int index, const struct ledger_row *row, const struct column *column)
{
	switch (column->type) {
	case COLUMN_INT:
	case COLUMN_BOOL:
		sql_bind_int(stmt, index, ledger_field_int(row, column));
		break;
	case COLUMN_TEXT:
		sql_bind_text_borrowed(stmt, index, ledger_field(row, column));
		break;
	case COLUMN_DIGEST:
	case COLUMN_KEY:
	case COLUMN_SIGNATURE:
		sql_bind_blob_borrowed(
		    stmt, index, ledger_field(row, column), ledger_blob_size(column->type));
		break;
	}
}

/* The row outlives the statement's run, so nothing is copied. */
static int insert(struct store *store, const struct ledger_row *row, struct err *err)
{
	sql_bind_int(store->append, COLUMN_SEQUENCE + 1, row->sequence);
	for (int i = 0; i < LEDGER_COLUMNS; i++)
		bind_column(store->append, COLUMN_CONTENT + 1 + i, row, &ledger_columns[i]);
	sql_bind_blob_borrowed(
	    store->append, COLUMN_PREVIOUS + 1, row->previous.bytes, DIGEST_SIZE);
	sql_bind_blob_borrowed(store->append, COLUMN_HASH + 1, row->hash.bytes, DIGEST_SIZE);
	return sql_run(store->append, err);
}

int store_append(struct store *store, struct tip *tip, struct ledger_row *row, struct err *err)
{
	struct digest content = ledger_content_digest(row);

	assert(row->sequence == 0 || row->sequence == tip->sequence + 1);
	row->sequence = tip->sequence + 1;
	row->previous = tip->hash;
	row->hash = ledger_link_digest(row->sequence, &row->previous, &content);
	if (insert(store, row, err) < 0)
		return -1;
	*tip = (struct tip){
		.sequence = row->sequence,
		.hash = row->hash,
		.is_checkpoint = ledger_row_is_checkpoint(row),
	};
	return 0;
}
