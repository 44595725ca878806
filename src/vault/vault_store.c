/* SPDX-License-Identifier: MIT */
/*
 * The one file of the vault: its schema and migrations, statements that are prepared once, and the
 * lock that keeps the garbage collection from content in use.
 */
#include "vault/vault_internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/dirs.h"
#include "base/fd.h"

#define PATIENCE_MS 10000
#define LOCK_PATIENCE_MS 10000
#define LOCK_FILE_NAME "vault.lock"

/* The log of some twenty readings: less to read for whoever opens next than four syncs cost. */
#define KEEP_LOG_BYTES ((int64_t)128 * 1024)

/*
 * `entry` holds folders and files alike: a name is unique among both, and paths, ranks, moves and
 * the trash are the same for both. trashed_us is 0 for what lives, so that one index keeps names
 * unique among the living, lists a folder by name, finds its trash and serves the foreign key.
 */
static const char SQL_SCHEMA_1[] =
    "CREATE TABLE organization ("
    " id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, root TEXT NOT NULL,"
    " created_us INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE principal ("
    " id TEXT PRIMARY KEY, org TEXT NOT NULL REFERENCES organization(id), name TEXT NOT NULL,"
    " kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 2), created_us INTEGER NOT NULL,"
    " disabled_us INTEGER NOT NULL DEFAULT 0, UNIQUE (org, name)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE token ("
    " id TEXT PRIMARY KEY, principal TEXT NOT NULL REFERENCES principal(id),"
    " hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32), created_us INTEGER NOT NULL,"
    " last_used_us INTEGER NOT NULL DEFAULT 0, expires_us INTEGER NOT NULL DEFAULT 0,"
    " revoked_us INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;"
    "CREATE INDEX token_by_principal ON token(principal);"
    "CREATE TABLE entry ("
    " id TEXT PRIMARY KEY, org TEXT NOT NULL REFERENCES organization(id),"
    " parent TEXT REFERENCES entry(id) DEFERRABLE INITIALLY DEFERRED, name TEXT NOT NULL,"
    " kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 4), head TEXT,"
    " created_by TEXT NOT NULL REFERENCES principal(id), created_us INTEGER NOT NULL,"
    " trashed_us INTEGER NOT NULL DEFAULT 0,"
    " CHECK ((parent IS NULL) = (name = '')), CHECK (head IS NULL OR kind = 1),"
    " CHECK (parent IS NOT NULL OR trashed_us = 0)) STRICT, WITHOUT ROWID;"
    "CREATE UNIQUE INDEX entry_by_name ON entry(parent, name, trashed_us);"
    "CREATE TABLE chunk ("
    " id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),"
    " size INTEGER NOT NULL, data BLOB NOT NULL) STRICT;"
    "CREATE TABLE content ("
    " id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),"
    " size INTEGER NOT NULL, chunks BLOB NOT NULL) STRICT;"
    "CREATE TABLE version ("
    " id TEXT PRIMARY KEY,"
    " file TEXT NOT NULL REFERENCES entry(id) DEFERRABLE INITIALLY DEFERRED,"
    " number INTEGER NOT NULL CHECK (number > 0), content INTEGER NOT NULL REFERENCES content(id),"
    " media_type TEXT NOT NULL, message TEXT, author TEXT NOT NULL REFERENCES principal(id),"
    " created_us INTEGER NOT NULL, parent TEXT, UNIQUE (file, number)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX version_by_content ON version(content);"
    "CREATE TABLE metadata ("
    " file TEXT NOT NULL REFERENCES entry(id), key TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY (file, key)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX metadata_by_key ON metadata(key, value);"
    "CREATE TABLE tag ("
    " file TEXT NOT NULL REFERENCES entry(id), name TEXT NOT NULL,"
    " PRIMARY KEY (file, name)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX tag_by_name ON tag(name);"
    "CREATE TABLE grant ("
    " folder TEXT NOT NULL REFERENCES entry(id), principal TEXT NOT NULL REFERENCES principal(id),"
    " rank INTEGER NOT NULL CHECK (rank BETWEEN 1 AND 3),"
    " granted_by TEXT NOT NULL REFERENCES principal(id), granted_us INTEGER NOT NULL,"
    " PRIMARY KEY (folder, principal)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX grant_by_principal ON grant(principal);"
    "CREATE TABLE operation_audit_events ("
    " org TEXT NOT NULL, sequence INTEGER NOT NULL, time_us INTEGER NOT NULL,"
    " principal TEXT NOT NULL, token TEXT, caller TEXT NOT NULL, operation TEXT NOT NULL,"
    " target TEXT, entry TEXT, before TEXT, after TEXT, detail TEXT, correlation TEXT NOT NULL,"
    " result TEXT NOT NULL, previous BLOB NOT NULL, hash BLOB NOT NULL,"
    " PRIMARY KEY (org, sequence)) STRICT, WITHOUT ROWID;"
    /* What never changes. */
    "CREATE TRIGGER version_is_not_updated BEFORE UPDATE ON version"
    " BEGIN SELECT raise(ABORT, 'a version is immutable'); END;"
    "CREATE TRIGGER version_is_not_deleted BEFORE DELETE ON version"
    " WHEN EXISTS (SELECT 1 FROM entry WHERE id = OLD.file)"
    " BEGIN SELECT raise(ABORT, 'a version is immutable: purge its file'); END;"
    "CREATE TRIGGER entry_is_trashed_first BEFORE DELETE ON entry"
    " WHEN OLD.trashed_us = 0 AND (OLD.parent IS NULL"
    "  OR EXISTS (SELECT 1 FROM entry WHERE id = OLD.parent))"
    " BEGIN SELECT raise(ABORT, 'only what is in the trash can be purged'); END;"
    "CREATE TRIGGER entry_keeps_its_kind BEFORE UPDATE OF id, org, created_by, created_us ON entry"
    " BEGIN SELECT raise(ABORT, 'an entry stays what it is'); END;"
    "CREATE TRIGGER content_is_not_updated BEFORE UPDATE ON content"
    " BEGIN SELECT raise(ABORT, 'content is immutable'); END;"
    "CREATE TRIGGER chunk_is_not_updated BEFORE UPDATE ON chunk"
    " BEGIN SELECT raise(ABORT, 'content is immutable'); END;"
    "CREATE TRIGGER operation_audit_is_not_updated BEFORE UPDATE ON operation_audit_events"
    " BEGIN SELECT raise(ABORT, 'the audit is append-only: no UPDATE'); END;"
    "CREATE TRIGGER operation_audit_is_not_deleted BEFORE DELETE ON operation_audit_events"
    " BEGIN SELECT raise(ABORT, 'the audit is append-only: no DELETE'); END;"
    "CREATE TRIGGER operation_audit_is_appended BEFORE INSERT ON operation_audit_events"
    " WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1"
    "  FROM operation_audit_events WHERE org = NEW.org)"
    " BEGIN SELECT raise(ABORT, 'the audit is append-only: INSERT at its end only'); END;";

/*
 * The full-text index (vault_text.c), which is made of the rest and can be made again: a file waits
 * in text_pending until somebody searches. It refers to nothing, so that it never is in the way.
 */
static const char SQL_SCHEMA_2[] =
    "CREATE INDEX entry_by_bare_name ON entry(name);"
    "CREATE TABLE text_pending (file TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;"
    "INSERT INTO text_pending SELECT id FROM entry WHERE kind = 1;"
    "CREATE TABLE text_file (id INTEGER PRIMARY KEY, file TEXT NOT NULL UNIQUE) STRICT;"
    "CREATE VIRTUAL TABLE text_index USING fts5("
    " body, tokenize = 'unicode61 remove_diacritics 2');";

/*
 * Templates and workspaces. What was published and where a workspace came from stay for ever, so
 * they refer to no entry: a purge takes entries away. A version is complete once its row is there;
 * its items come before it.
 */
static const char SQL_SCHEMA_3[] =
    "CREATE TABLE template ("
    " id TEXT PRIMARY KEY, org TEXT NOT NULL REFERENCES organization(id),"
    " folder TEXT NOT NULL UNIQUE, name TEXT NOT NULL,"
    " created_by TEXT NOT NULL REFERENCES principal(id), created_us INTEGER NOT NULL,"
    " retired_us INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;"
    "CREATE UNIQUE INDEX template_by_name ON template(org, name, retired_us);"
    "CREATE TABLE template_version ("
    " template TEXT NOT NULL REFERENCES template(id),"
    " number INTEGER NOT NULL CHECK (number > 0), description TEXT, parameters TEXT NOT NULL,"
    " message TEXT, author TEXT NOT NULL REFERENCES principal(id), created_us INTEGER NOT NULL,"
    " PRIMARY KEY (template, number)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE template_item ("
    " template TEXT NOT NULL, number INTEGER NOT NULL, path TEXT NOT NULL,"
    " content INTEGER REFERENCES content(id), media_type TEXT,"
    " has_holes INTEGER NOT NULL CHECK (has_holes IN (0, 1)),"
    " CHECK ((content IS NULL) = (media_type IS NULL)), PRIMARY KEY (template, number, path),"
    " FOREIGN KEY (template, number) REFERENCES template_version(template, number)"
    " DEFERRABLE INITIALLY DEFERRED) STRICT, WITHOUT ROWID;"
    "CREATE INDEX template_item_by_content ON template_item(content) WHERE content IS NOT NULL;"
    "CREATE TABLE workspace ("
    " id TEXT PRIMARY KEY, org TEXT NOT NULL REFERENCES organization(id), name TEXT NOT NULL,"
    " template TEXT NOT NULL, template_version INTEGER NOT NULL,"
    " parent TEXT REFERENCES workspace(id), parameters TEXT NOT NULL,"
    " created_by TEXT NOT NULL REFERENCES principal(id), created_us INTEGER NOT NULL,"
    " FOREIGN KEY (template, template_version) REFERENCES template_version(template, number))"
    " STRICT, WITHOUT ROWID;"
    "CREATE INDEX workspace_by_org ON workspace(org);"
    "CREATE TRIGGER template_stays_what_it_is BEFORE UPDATE OF id, org, folder, name, created_by,"
    " created_us ON template"
    " BEGIN SELECT raise(ABORT, 'a template stays what it is'); END;"
    "CREATE TRIGGER template_is_not_deleted BEFORE DELETE ON template"
    " BEGIN SELECT raise(ABORT, 'a template is retired, not deleted'); END;"
    "CREATE TRIGGER template_version_is_not_updated BEFORE UPDATE ON template_version"
    " BEGIN SELECT raise(ABORT, 'a published version is immutable'); END;"
    "CREATE TRIGGER template_version_is_not_deleted BEFORE DELETE ON template_version"
    " BEGIN SELECT raise(ABORT, 'a published version is immutable'); END;"
    "CREATE TRIGGER template_item_is_not_updated BEFORE UPDATE ON template_item"
    " BEGIN SELECT raise(ABORT, 'a published version is immutable'); END;"
    "CREATE TRIGGER template_item_is_not_deleted BEFORE DELETE ON template_item"
    " BEGIN SELECT raise(ABORT, 'a published version is immutable'); END;"
    "CREATE TRIGGER template_item_comes_before_its_version BEFORE INSERT ON template_item"
    " WHEN EXISTS (SELECT 1 FROM template_version"
    "  WHERE template = NEW.template AND number = NEW.number)"
    " BEGIN SELECT raise(ABORT, 'a published version is immutable'); END;"
    "CREATE TRIGGER workspace_is_not_updated BEFORE UPDATE ON workspace"
    " BEGIN SELECT raise(ABORT, 'where a workspace came from is kept for ever'); END;"
    "CREATE TRIGGER workspace_is_not_deleted BEFORE DELETE ON workspace"
    " BEGIN SELECT raise(ABORT, 'where a workspace came from is kept for ever'); END;";

/* Decisions about scopes (vault_scope_audit.c); they refer to nothing, for entries can be purged. */
static const char SQL_SCHEMA_4[] =
    "CREATE TABLE mcp_scope_audit_events ("
    " org TEXT NOT NULL, sequence INTEGER NOT NULL, id TEXT NOT NULL UNIQUE,"
    " time_us INTEGER NOT NULL, principal TEXT NOT NULL, token TEXT, caller TEXT NOT NULL,"
    " asked_workspace TEXT NOT NULL, asked_stage TEXT, workspace TEXT, stage TEXT,"
    " contract TEXT, contract_version TEXT, contract_number INTEGER NOT NULL, rank TEXT NOT NULL,"
    " visible TEXT NOT NULL, hidden INTEGER NOT NULL,"
    " result TEXT NOT NULL CHECK (result IN ('initial', 'changed', 'denied')), reason TEXT,"
    " correlation TEXT NOT NULL, previous BLOB NOT NULL, hash BLOB NOT NULL,"
    " CHECK ((reason IS NOT NULL) = (result = 'denied')),"
    " PRIMARY KEY (org, sequence)) STRICT, WITHOUT ROWID;"
    "CREATE TRIGGER mcp_scope_audit_is_not_updated BEFORE UPDATE ON mcp_scope_audit_events"
    " BEGIN SELECT raise(ABORT, 'the audit is append-only: no UPDATE'); END;"
    "CREATE TRIGGER mcp_scope_audit_is_not_deleted BEFORE DELETE ON mcp_scope_audit_events"
    " BEGIN SELECT raise(ABORT, 'the audit is append-only: no DELETE'); END;"
    "CREATE TRIGGER mcp_scope_audit_is_appended BEFORE INSERT ON mcp_scope_audit_events"
    " WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1"
    "  FROM mcp_scope_audit_events WHERE org = NEW.org)"
    " BEGIN SELECT raise(ABORT, 'the audit is append-only: INSERT at its end only'); END;";

static const char *const migrations[] = { SQL_SCHEMA_1, SQL_SCHEMA_2, SQL_SCHEMA_3, SQL_SCHEMA_4 };

/* Large contents go through the -wal file in steps of some MiB; a larger one is copied less often. */
static const char SQL_TUNE[] = "PRAGMA wal_autocheckpoint = 4096; PRAGMA cache_size = -8192;";

static const char SQL_RELAX[] = "PRAGMA synchronous = NORMAL";
static const char SQL_FULL[] = "PRAGMA synchronous = FULL";

/* ---- life ---- */

struct vault *vault_create(const char *data_dir, struct err *err)
{
	cleanup_vault struct vault *vault = xcalloc(1, sizeof(*vault));
	cleanup_free char *path = xasprintf("%s/" VAULT_FILE_NAME, data_dir);

	vault->lock_fd = -1;
	vault->data_dir = xstrdup(data_dir);
	vault->caller = getenv("STILE_CALLER") == NULL ? "cli" : "mcp";
	id_new_sortable("cor_", vault->correlation);
	if (dirs_ensure(data_dir, err) < 0)
		return NULL;
	vault->sql = sql_open_patient(path, migrations, ARRAY_LEN(migrations), PATIENCE_MS, err);
	if (vault->sql == NULL || sql_exec(vault->sql, SQL_TUNE, err) < 0)
		return NULL;
	sql_keep_log(vault->sql, KEEP_LOG_BYTES);
	return steal_ptr(&vault);
}

struct sql *store_open_model(struct err *err)
{
	return sql_open_memory(migrations, ARRAY_LEN(migrations), err);
}

struct vault *vault_open(const char *data_dir, struct err *err)
{
	cleanup_free char *path = xasprintf("%s/" VAULT_FILE_NAME, data_dir);

	if (access(path, F_OK) == 0 || errno != ENOENT)
		return vault_create(data_dir, err);
	(void)err_set(
	    err, ERR_NOT_FOUND, "there is no vault in %s; make one: stile vault init", data_dir);
	return NULL;
}

void vault_close(struct vault *vault)
{
	if (vault == NULL)
		return;
	pending_free(vault->pending);
	opened_free(vault->opened);
	neighbours_free(vault->neighbours);
	sql_rollback(&vault->batch);
	for (size_t i = 0; i < vault->statements.len; i++)
		sql_stmt_free(vault->statements.items[i].stmt);
	free(vault->statements.items);
	sql_close(vault->sql);
	close_fd(&vault->lock_fd);
	free(vault->data_dir);
	free(vault);
}

void vault_cleanup(struct vault **vault)
{
	vault_close(*vault);
	*vault = NULL;
}

const char *vault_correlation(const struct vault *vault)
{
	return vault->correlation;
}

/* ---- statements ---- */

void store_reset(struct sql_stmt **stmt)
{
	if (*stmt != NULL)
		sql_reset(*stmt);
}

static struct sql_stmt *cached(struct vault *vault, const char *text, struct err *err)
{
	struct stmt_cache *cache = &vault->statements;
	struct sql_stmt *stmt;

	for (size_t i = 0; i < cache->len; i++) {
		if (cache->items[i].text == text)
			return cache->items[i].stmt;
	}
	stmt = sql_prepare(vault->sql, text, err);
	if (stmt == NULL)
		return NULL;
	ARRAY_GROW(cache->items, cache->len, cache->cap);
	cache->items[cache->len].text = text;
	cache->items[cache->len++].stmt = stmt;
	return stmt;
}

static void bind_all(struct sql_stmt *stmt, const struct bind *binds, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const struct bind *bind = &binds[i];
		int index = (int)i + 1;

		if (bind->type == BIND_INT)
			sql_bind_int(stmt, index, bind->number);
		else if (bind->data == NULL)
			sql_bind_null(stmt, index);
		else if (bind->type == BIND_TEXT)
			sql_bind_text(stmt, index, bind->data);
		else
			sql_bind_blob_borrowed(stmt, index, bind->data, bind->len);
	}
}

int store_row(struct vault *vault, const char *text, const struct bind *binds, size_t len,
    struct sql_stmt **ret_stmt, struct err *err)
{
	struct sql_stmt *stmt = cached(vault, text, err);
	int got;

	if (stmt == NULL)
		return -1;
	sql_reset(stmt);
	bind_all(stmt, binds, len);
	got = sql_step(stmt, err);
	if (got == 1)
		*ret_stmt = stmt;
	return got;
}

int store_run(
    struct vault *vault, const char *text, const struct bind *binds, size_t len, struct err *err)
{
	struct sql_stmt *stmt = NULL;
	int got = store_row(vault, text, binds, len, &stmt, err);

	assert(got != 1);
	return got;
}

struct sql_stmt *store_query(
    struct vault *vault, const char *text, const struct bind *binds, size_t len, struct err *err)
{
	struct sql_stmt *stmt = sql_prepare(vault->sql, text, err);

	if (stmt != NULL)
		bind_all(stmt, binds, len);
	return stmt;
}

int store_int(struct vault *vault, const char *text, const struct bind *binds, size_t len,
    int64_t *ret, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	int got = store_row(vault, text, binds, len, &stmt, err);

	if (got < 0)
		return -1;
	*ret = got == 1 ? sql_column_int(stmt, 0) : 0;
	return 0;
}

char *store_text(struct sql_stmt *stmt, int column)
{
	return xstrdup(sql_column_text(stmt, column));
}

int store_id(struct sql_stmt *stmt, int column, char ret_id[ID_TEXT_SIZE], struct err *err)
{
	const char *text = sql_column_text(stmt, column);

	if (text == NULL) {
		ret_id[0] = '\0';
		return 0;
	}
	if (strlen(text) >= ID_TEXT_SIZE)
		return err_set(
		    err, ERR_IO, "database: a stored id is malformed; run: stile vault fsck");
	memcpy(ret_id, text, strlen(text) + 1);
	return 0;
}

int store_digest(struct sql_stmt *stmt, int column, struct digest *ret, struct err *err)
{
	size_t len = 0;
	const void *data = sql_column_blob(stmt, column, &len);

	if (len != DIGEST_SIZE)
		return err_set(
		    err, ERR_IO, "database: a stored hash is malformed; run: stile vault fsck");
	memcpy(ret->bytes, data, DIGEST_SIZE);
	return 0;
}

int store_relax(struct vault *vault, bool is_relaxed, struct err *err)
{
	return sql_exec(vault->sql, is_relaxed ? SQL_RELAX : SQL_FULL, err);
}

/* ---- the lock of content ---- */

static int open_lock(struct vault *vault, struct err *err)
{
	cleanup_free char *path = xasprintf("%s/" LOCK_FILE_NAME, vault->data_dir);

	if (vault->lock_fd >= 0)
		return 0;
	vault->lock_fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return vault->lock_fd < 0 ? err_errno(err, errno, "%s", path) : 0;
}

static int take_lock(struct vault *vault, int how, struct err *err)
{
	if (open_lock(vault, err) < 0)
		return -1;
	if (fd_lock(vault->lock_fd, how, LOCK_PATIENCE_MS) == 0)
		return 0;
	if (errno != EWOULDBLOCK)
		return err_errno(err, errno, "lock the vault's content");
	return err_set(
	    err, ERR_UNAVAILABLE, "the vault's content is in use by another process; try again");
}

int store_hold_content(struct vault *vault, struct err *err)
{
	if (vault->lock_holders == 0 && take_lock(vault, LOCK_SH, err) < 0)
		return -1;
	vault->lock_holders++;
	return 0;
}

void store_let_content(struct vault *vault)
{
	assert(vault->lock_holders > 0);
	if (--vault->lock_holders == 0)
		(void)flock(vault->lock_fd, LOCK_UN);
}

int store_lock_content(struct vault *vault, struct err *err)
{
	assert(vault->lock_holders == 0);
	if (take_lock(vault, LOCK_EX, err) < 0)
		return -1;
	vault->lock_holders = 1;
	return 0;
}
