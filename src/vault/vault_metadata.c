/* SPDX-License-Identifier: MIT */
/* What people note about a file beside its content: metadata and tags. */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define KEY_MAX 128
#define TAG_MAX 64

static const char SQL_SET[] = "INSERT INTO metadata VALUES (?1, ?2, ?3)"
			      " ON CONFLICT (file, key) DO UPDATE SET value = excluded.value";
static const char SQL_UNSET[] = "DELETE FROM metadata WHERE file = ?1 AND key = ?2";
static const char SQL_SIZE[] =
    "SELECT count(*), coalesce(sum(length(CAST(key AS BLOB)) + length(CAST(value AS BLOB))), 0)"
    " FROM metadata WHERE file = ?1";
static const char SQL_EACH[] = "SELECT key, value FROM metadata WHERE file = ?1 ORDER BY key";
static const char SQL_TAG[] = "INSERT INTO tag VALUES (?1, ?2) ON CONFLICT (file, name) DO NOTHING";
static const char SQL_UNTAG[] = "DELETE FROM tag WHERE file = ?1 AND name = ?2";
static const char SQL_COPY_METADATA[] =
    "INSERT INTO metadata SELECT ?2, key, value FROM metadata WHERE file = ?1";
static const char SQL_COPY_TAGS[] = "INSERT INTO tag SELECT ?2, name FROM tag WHERE file = ?1";
#define BELOW                                                                                      \
	"WITH RECURSIVE down (id) AS (SELECT ?1 UNION ALL"                                         \
	" SELECT entry.id FROM down JOIN entry ON entry.parent = down.id"                          \
	" WHERE entry.trashed_us = 0) "
static const char SQL_TAGS[] = "SELECT name FROM tag WHERE file = ?1 ORDER BY name";
static const char SQL_TAGS_BELOW[] =
    BELOW "SELECT tag.name, count(*) FROM down JOIN tag ON tag.file = down.id"
	  " GROUP BY tag.name ORDER BY tag.name";
/* From the tag up, not from the folder down: a tag is on few files. */
static const char SQL_TAGGED[] =
    "SELECT" ENTRY_COLUMNS ENTRY_TABLES " JOIN tag ON tag.file = entry.id"
    " WHERE tag.name = ?1 AND entry.org = ?2 AND entry.trashed_us = 0";
static const char SQL_IS_BELOW[] =
    "WITH RECURSIVE up (id, parent) AS (SELECT id, parent FROM entry WHERE id = ?1 UNION ALL"
    " SELECT entry.id, entry.parent FROM up JOIN entry ON entry.id = up.parent)"
    "SELECT count(*) FROM up WHERE id = ?2";

/* ---- metadata ---- */

static int check_text(const char *text, size_t max, const char *what, struct err *err)
{
	size_t len = strlen(text);

	if (len > max || !text_is_utf8(text, len))
		return err_set(
		    err, ERR_INVALID_ARGUMENT, "%s is UTF-8 of at most %zu bytes", what, max);
	return 0;
}

static int check_total(struct vault *vault, const char *file, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;

	if (store_row(vault, SQL_SIZE, BINDS(B_TEXT(file)), &stmt, err) < 0)
		return -1;
	if (sql_column_int(stmt, 0) > VAULT_METADATA_KEYS ||
	    sql_column_int(stmt, 1) > (int64_t)VAULT_METADATA_BYTES)
		return err_set(err, ERR_INVALID_ARGUMENT,
		    "a file has at most %d metadata keys and %zu KiB of them", VAULT_METADATA_KEYS,
		    VAULT_METADATA_BYTES / 1024);
	return 0;
}

static int set_one(
    struct vault *vault, const char *file, const struct vault_metadata *change, struct err *err)
{
	if (change->key[0] == '\0')
		return err_set(err, ERR_INVALID_ARGUMENT, "a metadata key may not be empty");
	if (check_text(change->key, KEY_MAX, "a metadata key", err) < 0)
		return -1;
	if (change->value == NULL)
		return store_run(vault, SQL_UNSET, BINDS(B_TEXT(file), B_TEXT(change->key)), err);
	if (check_text(change->value, VAULT_METADATA_BYTES, "a metadata value", err) < 0)
		return -1;
	return store_run(
	    vault, SQL_SET, BINDS(B_TEXT(file), B_TEXT(change->key), B_TEXT(change->value)), err);
}

static int set_all(struct vault *vault, const char *file, const struct vault_metadata *changes,
    size_t len, struct err *err)
{
	for (size_t i = 0; i < len; i++) {
		if (set_one(vault, file, &changes[i], err) < 0)
			return -1;
	}
	return check_total(vault, file, err);
}

int vault_metadata_set(struct vault *vault, const char *file, const struct vault_metadata *changes,
    size_t len, struct err *err)
{
	struct op op = OP_WRITE("file metadata set", file);
	cleanup_found struct found found = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = resolve(
		    vault, &op, file, VAULT_WANT_FILE, FOUND_LIVING, VAULT_WRITE, &found, err);
	if (result == 0)
		result = set_all(vault, found.id, changes, len, err);
	return op_end(vault, &op, result, err);
}

static int each(
    struct vault *vault, const char *file, vault_metadata_fn fn, void *ctx, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = store_query(vault, SQL_EACH, BINDS(B_TEXT(file)), err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		if (fn(ctx, sql_column_text(stmt, 0), sql_column_text(stmt, 1), err) < 0)
			got = -1;
	}
	return got;
}

int vault_metadata_each(
    struct vault *vault, const char *file, vault_metadata_fn fn, void *ctx, struct err *err)
{
	struct op op = OP_READ("file metadata", file);
	cleanup_found struct found found = { 0 };
	int result = op_begin_reading(vault, &op, VAULT_WANT_FILE, &found, err);

	if (result == 0)
		result = each(vault, found.id, fn, ctx, err);
	return op_end(vault, &op, result, err);
}

int metadata_copy(struct vault *vault, const char *from, const char *to, struct err *err)
{
	if (store_run(vault, SQL_COPY_METADATA, BINDS(B_TEXT(from), B_TEXT(to)), err) < 0)
		return -1;
	return store_run(vault, SQL_COPY_TAGS, BINDS(B_TEXT(from), B_TEXT(to)), err);
}

/* ---- tags ---- */

static int check_tag(const char *tag, struct err *err)
{
	size_t len = strlen(tag);

	if (len > 0 && len <= TAG_MAX &&
	    strspn(tag, "abcdefghijklmnopqrstuvwxyz0123456789-") == len && tag[0] != '-' &&
	    tag[len - 1] != '-' && strstr(tag, "--") == NULL)
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENT,
	    "a tag is lower-case words joined by dashes, at most %d bytes: needs-review", TAG_MAX);
}

static int change_tag(struct vault *vault, struct op *op, const char *file, const char *tag,
    const char *text, struct err *err)
{
	cleanup_found struct found found = { 0 };

	if (check_tag(tag, err) < 0 ||
	    resolve(vault, op, file, VAULT_WANT_FILE, FOUND_LIVING, VAULT_WRITE, &found, err) < 0)
		return -1;
	op_set(&op->detail, tag);
	return store_run(vault, text, BINDS(B_TEXT(found.id), B_TEXT(tag)), err);
}

int vault_tag_add(struct vault *vault, const char *file, const char *tag, struct err *err)
{
	struct op op = OP_WRITE("tag add", file);
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = change_tag(vault, &op, file, tag, SQL_TAG, err);
	return op_end(vault, &op, result, err);
}

int vault_tag_remove(struct vault *vault, const char *file, const char *tag, struct err *err)
{
	struct op op = OP_WRITE("tag remove", file);
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = change_tag(vault, &op, file, tag, SQL_UNTAG, err);
	return op_end(vault, &op, result, err);
}

static int list_tags(
    struct vault *vault, const char *id, vault_tag_fn fn, void *ctx, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(vault, SQL_TAGS_BELOW, BINDS(B_TEXT(id)), err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		if (fn(ctx, sql_column_text(stmt, 0), sql_column_int(stmt, 1), err) < 0)
			got = -1;
	}
	return got;
}

int vault_tag_each(
    struct vault *vault, const char *ref, vault_tag_fn fn, void *ctx, struct err *err)
{
	struct op op = OP_READ("tag list", ref);
	cleanup_found struct found found = { 0 };
	int result = op_begin_reading(vault, &op, VAULT_WANT_ANY, &found, err);

	if (result == 0)
		result = list_tags(vault, found.id, fn, ctx, err);
	return op_end(vault, &op, result, err);
}

/* 1: the row's file is below the folder, lives, and is *ret; 0: it is none of ours. */
static int read_tagged(struct vault *vault, struct sql_stmt *stmt, const struct found *folder,
    struct vault_entry *ret, struct err *err)
{
	struct standing standing = { 0 };
	const char *id = sql_column_text(stmt, 0);
	int64_t is_below = 0;
	char *path;

	if (store_int(vault, SQL_IS_BELOW, BINDS(B_TEXT(id), B_TEXT(folder->id)), &is_below, err) <
		0 ||
	    standing_of(vault, id, vault->principal, &standing, err) < 0)
		return -1;
	if (!is_below || !standing.is_there || !standing.is_above_living)
		return 0;
	path = path_of(vault, id, err);
	if (path == NULL)
		return -1;
	entry_read(stmt, standing.rank, path, ret);
	return 1;
}

struct entries {
	struct vault_entry *items;
	size_t len, cap;
};

static int collect_tagged(struct vault *vault, const struct found *folder, const char *tag,
    struct entries *ret, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(vault, SQL_TAGGED, BINDS(B_TEXT(tag), B_TEXT(vault->org)), err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		int is_ours;

		ARRAY_GROW(ret->items, ret->len, ret->cap);
		is_ours = read_tagged(vault, stmt, folder, &ret->items[ret->len], err);
		if (is_ours < 0)
			return -1;
		ret->len += (size_t)is_ours;
	}
	return got;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct vault_entry *)a)->path, ((const struct vault_entry *)b)->path);
}

static int tell_tagged(struct vault *vault, const struct found *folder, const char *tag,
    vault_entry_fn fn, void *ctx, struct err *err)
{
	struct entries entries = { 0 };
	int result = collect_tagged(vault, folder, tag, &entries, err);

	if (entries.len > 0)
		qsort(entries.items, entries.len, sizeof(*entries.items), compare_paths);
	for (size_t i = 0; i < entries.len; i++) {
		if (result == 0)
			result = fn(ctx, &entries.items[i], err);
		vault_entry_release(&entries.items[i]);
	}
	free(entries.items);
	return result;
}

int vault_tag_find(struct vault *vault, const char *folder, const char *tag, vault_entry_fn fn,
    void *ctx, struct err *err)
{
	struct op op = OP_READ("tag find", folder);
	cleanup_found struct found found = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = check_tag(tag, err);
	if (result == 0)
		result = resolve(
		    vault, &op, folder, VAULT_WANT_FOLDER, FOUND_LIVING, VAULT_READ, &found, err);
	op_set(&op.detail, tag);
	if (result == 0)
		result = op_note(vault, &op, err);
	if (result == 0)
		result = tell_tagged(vault, &found, tag, fn, ctx, err);
	return op_end(vault, &op, result, err);
}

/* ---- all about a file ---- */

void vault_description_release(struct vault_description *description)
{
	vault_entry_release(&description->entry);
	strvec_release(&description->metadata);
	strvec_release(&description->tags);
}

static int take_key(void *ctx, const char *key, const char *value, struct err *err)
{
	struct vault_description *description = ctx;

	(void)err;
	strvec_push(&description->metadata, key);
	strvec_push(&description->metadata, value);
	return 0;
}

static int take_tags(
    struct vault *vault, const char *id, struct vault_description *description, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = store_query(vault, SQL_TAGS, BINDS(B_TEXT(id)), err);
	int got = stmt == NULL ? -1 : sql_step(stmt, err);

	for (; got == 1; got = sql_step(stmt, err))
		strvec_push(&description->tags, sql_column_text(stmt, 0));
	return got;
}

static int describe(struct vault *vault, struct op *op, const char *ref,
    struct vault_description *description, struct err *err)
{
	cleanup_found struct found found = { 0 };

	if (resolve(vault, op, ref, VAULT_WANT_FILE, FOUND_EITHER, VAULT_READ, &found, err) < 0 ||
	    entry_load(vault, found.id, found.rank, &description->entry, err) < 0 ||
	    each(vault, found.id, take_key, description, err) < 0)
		return -1;
	return take_tags(vault, found.id, description, err);
}

int vault_file_describe(
    struct vault *vault, const char *file, struct vault_description *ret, struct err *err)
{
	struct op op = OP_READ("file info", file);
	struct vault_description description = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = describe(vault, &op, file, &description, err);
	result = op_end(vault, &op, result, err);
	if (result == 0)
		*ret = description;
	else
		vault_description_release(&description);
	return result;
}
