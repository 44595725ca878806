/* SPDX-License-Identifier: MIT */
/* Versions: making one (never changing one), naming one, handing out its bytes. */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/num.h"

static const char SQL_INSERT[] =
    "INSERT INTO version (id, file, number, content, media_type, message, author, created_us,"
    " parent) VALUES (?1, ?2,"
    " (SELECT coalesce(max(number), 0) + 1 FROM version WHERE file = ?2),"
    " ?3, ?4, ?5, ?6, ?7, ?8)";
static const char SQL_SET_HEAD[] = "UPDATE entry SET head = ?2 WHERE id = ?1";
#define VERSION_COLUMNS                                                                            \
	"SELECT version.id, version.file, version.number, content.hash, content.size,"             \
	" version.media_type, version.message, version.author, principal.name,"                    \
	" version.created_us, version.parent FROM version"                                         \
	" JOIN content ON content.id = version.content"                                            \
	" JOIN principal ON principal.id = version.author"
static const char SQL_LOAD[] = VERSION_COLUMNS " WHERE version.id = ?1";
static const char SQL_EACH[] =
    VERSION_COLUMNS " WHERE version.file = ?1 AND (?2 = 0 OR version.number < ?2)"
		    " ORDER BY version.number DESC LIMIT ?3";
static const char SQL_BY_NUMBER[] = "SELECT id FROM version WHERE file = ?1 AND number = ?2";
static const char SQL_FILE_OF[] = "SELECT file FROM version WHERE id = ?1";
static const char SQL_CONTENT[] = "SELECT content FROM version WHERE id = ?1";

void vault_version_release(struct vault_version *version)
{
	free(version->id);
	free(version->file);
	free(version->media_type);
	free(version->message);
	free(version->author);
	free(version->author_name);
	free(version->parent);
	*version = (struct vault_version){ 0 };
}

static int read_version(struct sql_stmt *stmt, struct vault_version *ret, struct err *err)
{
	struct vault_version version = { .number = sql_column_int(stmt, 2) };

	if (store_digest(stmt, 3, &version.hash, err) < 0)
		return -1;
	version.id = store_text(stmt, 0);
	version.file = store_text(stmt, 1);
	version.size = sql_column_int(stmt, 4);
	version.media_type = store_text(stmt, 5);
	version.message = store_text(stmt, 6);
	version.author = store_text(stmt, 7);
	version.author_name = store_text(stmt, 8);
	version.created_us = sql_column_int(stmt, 9);
	version.parent = store_text(stmt, 10);
	*ret = version;
	return 0;
}

int version_load(struct vault *vault, const char *id, struct vault_version *ret, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	int got = store_row(vault, SQL_LOAD, BINDS(B_TEXT(id)), &stmt, err);

	if (got == 0)
		return err_set(err, ERR_NOT_FOUND, "there is no such version");
	return got < 0 ? -1 : read_version(stmt, ret, err);
}

int version_content(struct vault *vault, const char *id, int64_t *ret_content, struct err *err)
{
	return store_int(vault, SQL_CONTENT, BINDS(B_TEXT(id)), ret_content, err);
}

int version_insert(struct vault *vault, const struct new_version *version,
    char ret_id[ID_TEXT_SIZE], struct err *err)
{
	id_new_sortable("ver_", ret_id);
	if (store_run(vault, SQL_INSERT,
		BINDS(B_TEXT(ret_id), B_TEXT(version->file), B_INT(version->content),
		    B_TEXT(version->media_type), B_TEXT(version->message), B_TEXT(vault->principal),
		    B_INT(clock_wall_us()), B_TEXT(version->parent)),
		err) < 0)
		return -1;
	if (store_run(vault, SQL_SET_HEAD, BINDS(B_TEXT(version->file), B_TEXT(ret_id)), err) < 0)
		return -1;
	return text_enqueue(vault, version->file, err);
}

/* ---- naming one ---- */

static int no_version(const char *text, struct err *err)
{
	return err_set(
	    err, ERR_NOT_FOUND, "version %.100s: there is none such, or you may not read it", text);
}

static int find_by_number(struct vault *vault, const char *file, const char *text,
    char ret_id[ID_TEXT_SIZE], struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	int64_t number;
	int got;

	if (num_parse(text, 1, INT64_MAX, &number, err) < 0)
		return err_set(err, ERR_INVALID_ARGUMENT,
		    "a version is named by its number or its id, ver_ and 26 characters");
	got = store_row(vault, SQL_BY_NUMBER, BINDS(B_TEXT(file), B_INT(number)), &stmt, err);
	if (got == 0)
		return no_version(text, err);
	return got < 0 ? -1 : store_id(stmt, 0, ret_id, err);
}

/* The file of a version, whoever asks: 1, 0, -1. */
static int file_of(
    struct vault *vault, const char *version, char ret_id[ID_TEXT_SIZE], struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	int got = store_row(vault, SQL_FILE_OF, BINDS(B_TEXT(version)), &stmt, err);

	if (got == 1 && store_id(stmt, 0, ret_id, err) < 0)
		return -1;
	return got;
}

int version_find(struct vault *vault, const struct found *file, const char *text,
    char ret_id[ID_TEXT_SIZE], struct err *err)
{
	char owner[ID_TEXT_SIZE];
	int got;

	if (text == NULL) {
		memcpy(ret_id, file->head, ID_TEXT_SIZE);
		return 0;
	}
	if (strncmp(text, "ver_", 4) != 0)
		return find_by_number(vault, file->id, text, ret_id, err);
	got = file_of(vault, text, owner, err);
	if (got < 0)
		return -1;
	if (got == 0 || strcmp(owner, file->id) != 0)
		return no_version(text, err);
	(void)snprintf(ret_id, ID_TEXT_SIZE, "%s", text);
	return 0;
}

/* By its id alone: the answer to another's is that to none. */
static int resolve_version(struct vault *vault, struct op *op, const char *version,
    char ret_id[ID_TEXT_SIZE], struct err *err)
{
	cleanup_found struct found file = { 0 };
	cleanup_err struct err hidden = ERR_INIT;
	char owner[ID_TEXT_SIZE];
	int got;

	if (version == NULL || strncmp(version, "ver_", 4) != 0)
		return err_set(err, ERR_INVALID_ARGUMENT,
		    "a version without its file is named by its id, ver_ and 26 characters; or "
		    "give "
		    "the file and the version's number");
	got = file_of(vault, version, owner, err);
	if (got < 0)
		return -1;
	if (got == 0)
		return no_version(version, err);
	if (resolve(vault, op, owner, VAULT_WANT_FILE, FOUND_LIVING, VAULT_READ, &file, &hidden) <
	    0) {
		if (hidden.code == ERR_NOT_FOUND)
			return no_version(version, err);
		err_move(err, &hidden);
		return -1;
	}
	return version_find(vault, &file, version, ret_id, err);
}

/* The version, and what the audit says of it. */
static int locate(struct vault *vault, struct op *op, const char *file_ref, const char *version,
    struct vault_version *ret, struct err *err)
{
	cleanup_found struct found file = { 0 };
	char id[ID_TEXT_SIZE];

	if (file_ref == NULL) {
		if (resolve_version(vault, op, version, id, err) < 0)
			return -1;
	} else if (resolve(vault, op, file_ref, VAULT_WANT_FILE, FOUND_LIVING, VAULT_READ, &file,
		       err) < 0 ||
		   version_find(vault, &file, version, id, err) < 0) {
		return -1;
	}
	op_set(&op->after, id);
	return version_load(vault, id, ret, err);
}

/* ---- reading ---- */

int version_end(struct vault *vault, struct op *op, int result, struct vault_version *version,
    struct vault_version *ret, struct err *err)
{
	result = op_end(vault, op, result, err);
	if (result == 0)
		*ret = *version;
	else
		vault_version_release(version);
	return result;
}

int vault_version_info(struct vault *vault, const char *file, const char *version,
    struct vault_version *ret, struct err *err)
{
	struct op op = OP_READ("version show", file != NULL ? file : version);
	struct vault_version found = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = locate(vault, &op, file, version, &found, err);
	return version_end(vault, &op, result, &found, ret, err);
}

struct reader {
	int64_t max_size; /* 0: whatever size */
	vault_write_fn fn;
	void *ctx;
	struct vault_version *ret; /* or NULL */
};

static int check_size(const struct vault_version *version, int64_t max_size, struct err *err)
{
	if (max_size == 0 || version->size <= max_size)
		return 0;
	return err_set(err, ERR_LIMIT,
	    "the file has %lld bytes and at most %lld fit here; write it to a file instead (--out)",
	    (long long)version->size, (long long)max_size);
}

static int hand_out(struct vault *vault, struct op *op, const struct vault_version *version,
    const struct reader *reader, struct err *err)
{
	int64_t content = 0;

	if (check_size(version, reader->max_size, err) < 0 ||
	    version_content(vault, version->id, &content, err) < 0 || op_note(vault, op, err) < 0)
		return -1;
	return content_read(vault, content, reader->fn, reader->ctx, err);
}

static int get(struct vault *vault, struct op *op, const char *file, const char *version,
    const struct reader *reader, struct err *err)
{
	struct vault_version found = { 0 };
	int result = locate(vault, op, file, version, &found, err);

	if (result == 0 && reader->ret != NULL) {
		*reader->ret = found; /* before the first byte: its receiver may look at it */
		result = hand_out(vault, op, reader->ret, reader, err);
		if (result < 0)
			vault_version_release(reader->ret);
		return result;
	}
	if (result == 0)
		result = hand_out(vault, op, &found, reader, err);
	vault_version_release(&found);
	return result;
}

int vault_version_get(struct vault *vault, const char *file, const char *version, int64_t max_size,
    vault_write_fn fn, void *ctx, struct vault_version *ret, struct err *err)
{
	struct op op =
	    OP_READ(file != NULL ? "file get" : "version get", file != NULL ? file : version);
	const struct reader reader = { .max_size = max_size, .fn = fn, .ctx = ctx, .ret = ret };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = get(vault, &op, file, version, &reader, err);
	return op_end(vault, &op, result, err);
}

static int each(struct vault *vault, const char *file, int64_t before, int64_t limit,
    vault_version_fn fn, void *ctx, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = store_query(vault, SQL_EACH,
	    BINDS(B_TEXT(file), B_INT(before), B_INT(limit > 0 ? limit : -1)), err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		struct vault_version version = { 0 };

		if (read_version(stmt, &version, err) < 0 || fn(ctx, &version, err) < 0)
			got = -1;
		vault_version_release(&version);
	}
	return got;
}

int vault_version_each(struct vault *vault, const char *file, int64_t before, int64_t limit,
    vault_version_fn fn, void *ctx, struct err *err)
{
	struct op op = OP_READ("version list", file);
	cleanup_found struct found found = { 0 };
	int result = op_begin_reading(vault, &op, VAULT_WANT_FILE, &found, err);

	if (result == 0)
		result = each(vault, found.id, before, limit, fn, ctx, err);
	return op_end(vault, &op, result, err);
}
