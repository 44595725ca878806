/* SPDX-License-Identifier: MIT */
/*
 * What people and agents type at the vault: a name is kept in a form that is a name again and stays
 * as it is, or is refused; words to find become a query that finds the text they stand in, whatever
 * operators the index's language has; any pattern can be asked, and one of nothing but the name finds
 * that name.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "vault/vault_internal.h"

static void demand(bool holds)
{
	if (!holds)
		abort();
}

/* ---- names ---- */

static void try_name(const char *data, size_t size)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *name = name_normalise(data, size, &err);
	cleanup_free char *again = NULL;

	if (name == NULL) {
		demand(err.code == ERR_INVALID_ARGUMENT);
		return;
	}
	demand(name[0] != '\0' && strlen(name) <= VAULT_NAME_MAX);
	demand(strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
	demand(strpbrk(name, "/\n\r\t\x1b\x7f") == NULL);
	demand(text_is_utf8(name, strlen(name)));
	again = name_normalise(name, strlen(name), &err);
	demand(again != NULL && strcmp(again, name) == 0);
	demand(!name_is_contract(name, "CONTEXT.md") || name_is_of_stage(name));
	(void)name_media_type(name);
}

/* ---- words ---- */

/* A database that nobody else sees, gone with the process. */
static struct sql *open_database(void)
{
	static struct sql *sql;
	static const char *const migrations[] = {
		"CREATE VIRTUAL TABLE text_index USING fts5("
		" body, tokenize = 'unicode61 remove_diacritics 2')"
	};
	cleanup_err struct err err = ERR_INIT;
	char folder[] = "/tmp/stile-fuzz-XXXXXX";
	cleanup_free char *path = NULL;

	if (sql != NULL)
		return sql;
	demand(mkdtemp(folder) != NULL);
	path = xasprintf("%s/db", folder);
	sql = sql_open(path, migrations, 1, &err);
	demand(sql != NULL && sql_exec(sql, "BEGIN IMMEDIATE", &err) == 0);
	for (int i = 0; i < 3; i++) {
		cleanup_free char *file =
		    xasprintf("%s%s", path, (const char *const[]){ "", "-wal", "-shm" }[i]);

		(void)unlink(file);
	}
	(void)rmdir(folder);
	return sql;
}

/* What text gives for one or two texts: an integer; no row: 0. */
static int64_t ask(const char *text, const char *first, const char *second)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_stmt struct sql_stmt *stmt = sql_prepare(open_database(), text, &err);
	int got;

	demand(stmt != NULL);
	sql_bind_text(stmt, 1, first);
	if (second != NULL)
		sql_bind_text(stmt, 2, second);
	got = sql_step(stmt, &err);
	demand(got >= 0);
	return got == 1 ? sql_column_int(stmt, 0) : 0;
}

static bool has_word(const char *text)
{
	static const char letters[] =
	    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

	return strpbrk(text, letters) != NULL;
}

static void try_words(const char *words)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *query = text_query(words, &err);

	if (query == NULL) {
		demand(err.code == ERR_INVALID_ARGUMENT || err.code == ERR_LIMIT);
		return;
	}
	(void)ask("DELETE FROM text_index WHERE rowid = ?1 OR 1", "", NULL);
	(void)ask("INSERT INTO text_index (rowid, body) VALUES (1, ?1)", words, NULL);
	demand(ask("SELECT rowid FROM text_index WHERE text_index MATCH ?1", query, NULL) == 1 ||
	       !has_word(words));
}

/* ---- patterns ---- */

static void try_pattern(const char *text)
{
	cleanup_buf struct buf plain = BUF_INIT;

	for (const char *c = text; *c != '\0'; c++)
		buf_addf(&plain, strchr("*?[", *c) != NULL ? "[%c]" : "%c", *c);
	(void)ask("SELECT 'name' GLOB ?1", text, NULL);
	demand(
	    ask("SELECT ?1 GLOB ?2", text, plain.data) == 1 || !text_is_utf8(text, strlen(text)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_free char *text = xmemdupz(data, size);

	if (size > 4096)
		return 0;
	try_name(text, size);
	try_words(text);
	try_pattern(text);
	return 0;
}
