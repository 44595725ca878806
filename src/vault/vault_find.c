/* SPDX-License-Identifier: MIT */
/*
 * Finding files. One criterion, the one that fits fewest files, drives the search; each file that it
 * gives is then asked for all the others and, last, whether the caller may read it.
 */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

/*
 * The order of matches is made of the text itself, how often the words come in how much of it, and
 * not of how rare they are among all texts: those of other organizations are none of the caller's.
 */
static const char SQL_BY_TEXT[] =
    "SELECT entry.id, trim(replace(replace(replace(snippet(text_index, 0, '[', ']', ' … ', 16),"
    "  char(9), ' '), char(10), ' '), char(13), ' ')),"
    " (length(highlight(text_index, 0, char(1), '')) - length(body)) * 1000.0"
    "  / (length(body) + 500) AS score"
    " FROM text_index JOIN text_file ON text_file.id = text_index.rowid"
    " JOIN entry ON entry.id = text_file.file"
    " WHERE text_index MATCH ?1 AND entry.org = ?2 ORDER BY score DESC, entry.id";
static const char SQL_BY_TAG[] = "SELECT entry.id, NULL FROM tag JOIN entry ON entry.id = tag.file"
				 " WHERE tag.name = ?1 AND entry.org = ?2";
static const char SQL_BY_KEY[] =
    "SELECT entry.id, NULL FROM metadata JOIN entry ON entry.id = metadata.file"
    " WHERE metadata.key = ?1 AND entry.org = ?2";
static const char SQL_BY_NAME[] =
    "SELECT id, NULL FROM entry WHERE name GLOB ?1 AND kind = 1 AND org = ?2";
static const char SQL_BY_FOLDER[] =
    "WITH RECURSIVE down (id, kind) AS (SELECT id, kind FROM entry WHERE id = ?1 AND org = ?2"
    " UNION ALL SELECT entry.id, entry.kind FROM down JOIN entry ON entry.parent = down.id"
    " WHERE entry.trashed_us = 0)"
    "SELECT id, NULL FROM down WHERE kind = 1";
static const char SQL_FITS[] =
    "SELECT" ENTRY_COLUMNS ENTRY_TABLES
    " WHERE entry.id = ?1 AND entry.kind = 1 AND entry.trashed_us = 0"
    " AND (?2 IS NULL OR entry.name GLOB ?2) AND (?3 IS NULL OR version.media_type GLOB ?3)"
    " AND (?4 = 0 OR version.created_us >= ?4) AND (?5 = 0 OR version.created_us < ?5)";
static const char SQL_HAS_TAG[] = "SELECT 1 FROM tag WHERE file = ?1 AND name = ?2";
static const char SQL_HAS_METADATA[] =
    "SELECT 1 FROM metadata WHERE file = ?1 AND key = ?2 AND (?3 IS NULL OR value = ?3)";
static const char SQL_IS_BELOW[] =
    "WITH RECURSIVE up (id, parent) AS (SELECT id, parent FROM entry WHERE id = ?1 UNION ALL"
    " SELECT entry.id, entry.parent FROM up JOIN entry ON entry.id = up.parent)"
    "SELECT count(*) FROM up WHERE id = ?2";

struct hit {
	struct vault_entry entry;
	char *snippet;
};

struct search {
	struct vault *vault;
	const struct vault_find *find;
	char folder[ID_TEXT_SIZE]; /* empty: everywhere */
	struct hit *hits;
	size_t len, cap;
	int64_t skipped;
	bool is_more;
};

static void search_release(struct search *search)
{
	for (size_t i = 0; i < search->len; i++) {
		vault_entry_release(&search->hits[i].entry);
		free(search->hits[i].snippet);
	}
	free(search->hits);
}

/* ---- does one file fit? 1, 0, -1 ---- */

static int has_tags(const struct search *search, const char *id, struct err *err)
{
	const struct strvec *tags = search->find->tags;
	int64_t has = 1;

	for (size_t i = 0; tags != NULL && i < tags->len && has; i++) {
		if (store_int(search->vault, SQL_HAS_TAG, BINDS(B_TEXT(id), B_TEXT(tags->items[i])),
			&has, err) < 0)
			return -1;
	}
	return (int)has;
}

static int has_metadata(const struct search *search, const char *id, struct err *err)
{
	int64_t has = 1;

	for (size_t i = 0; i < search->find->metadata_len && has; i++) {
		const struct vault_metadata *wanted = &search->find->metadata[i];

		if (store_int(search->vault, SQL_HAS_METADATA,
			BINDS(B_TEXT(id), B_TEXT(wanted->key), B_TEXT(wanted->value)), &has,
			err) < 0)
			return -1;
	}
	return (int)has;
}

/* May the caller read it, and is it where it is looked for? */
static int is_readable(
    const struct search *search, const char *id, enum vault_rank *ret_rank, struct err *err)
{
	struct standing standing = { 0 };
	int64_t is_below = 1;

	if (standing_of(search->vault, id, search->vault->principal, &standing, err) < 0)
		return -1;
	if (!standing.is_there || !standing.is_above_living || standing.rank < VAULT_READ)
		return 0;
	*ret_rank = standing.rank;
	if (search->folder[0] != '\0' &&
	    store_int(search->vault, SQL_IS_BELOW, BINDS(B_TEXT(id), B_TEXT(search->folder)),
		&is_below, err) < 0)
		return -1;
	return (int)is_below;
}

/* All but rank and path, which are looked up for what may be read. */
static int load_if_it_fits(
    const struct search *search, const char *id, struct vault_entry *ret, struct err *err)
{
	const struct vault_find *find = search->find;
	cleanup_reset struct sql_stmt *stmt = NULL;
	int got = store_row(search->vault, SQL_FITS,
	    BINDS(B_TEXT(id), B_TEXT(find->name), B_TEXT(find->media_type), B_INT(find->since_us),
		B_INT(find->until_us)),
	    &stmt, err);

	if (got == 1)
		entry_read(stmt, VAULT_NONE, NULL, ret);
	return got;
}

static int consider(
    const struct search *search, const char *id, struct vault_entry *ret, struct err *err)
{
	int fits = has_tags(search, id, err);

	if (fits == 1)
		fits = has_metadata(search, id, err);
	if (fits == 1)
		fits = load_if_it_fits(search, id, ret, err);
	if (fits == 1)
		fits = is_readable(search, id, &ret->rank, err);
	if (fits == 1) {
		ret->path = path_of(search->vault, id, err);
		fits = ret->path == NULL ? -1 : 1;
	}
	if (fits != 1)
		vault_entry_release(ret);
	return fits;
}

/* ---- all of them ---- */

/* Takes the row of the driving query; 1: go on, 0: the limit is reached. */
static int take_row(struct search *search, struct sql_stmt *stmt, struct err *err)
{
	cleanup_free char *id = store_text(stmt, 0);
	struct hit hit = { 0 };
	int fits = consider(search, id, &hit.entry, err);

	if (fits <= 0)
		return fits < 0 ? -1 : 1;
	if (search->skipped < search->find->skip) {
		search->skipped++;
		vault_entry_release(&hit.entry);
		return 1;
	}
	if (search->find->limit > 0 && search->len == (size_t)search->find->limit) {
		vault_entry_release(&hit.entry);
		search->is_more = true;
		return 0;
	}
	hit.snippet = store_text(stmt, 1);
	ARRAY_GROW(search->hits, search->len, search->cap);
	search->hits[search->len++] = hit;
	return 1;
}

static int run(struct search *search, const char *text, const char *parameter, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = store_query(
	    search->vault, text, BINDS(B_TEXT(parameter), B_TEXT(search->vault->org)), err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1)
		got = take_row(search, stmt, err);
	return got;
}

static int run_text(struct search *search, struct err *err)
{
	cleanup_free char *query = text_query(search->find->text, err);

	if (query == NULL || text_catch_up(search->vault, err) < 0)
		return -1;
	return run(search, SQL_BY_TEXT, query, err);
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct hit *)a)->entry.path, ((const struct hit *)b)->entry.path);
}

/* A glob that an index of names can narrow. */
static bool begins_plainly(const char *glob)
{
	return glob != NULL && strchr("*?[", glob[0]) == NULL;
}

static int collect(struct search *search, struct err *err)
{
	const struct vault_find *find = search->find;
	int result;

	if (find->text != NULL)
		return run_text(search, err);
	if (find->tags != NULL && find->tags->len > 0)
		result = run(search, SQL_BY_TAG, find->tags->items[0], err);
	else if (find->metadata_len > 0)
		result = run(search, SQL_BY_KEY, find->metadata[0].key, err);
	else if (search->folder[0] != '\0' && !begins_plainly(find->name))
		result = run(search, SQL_BY_FOLDER, search->folder, err);
	else
		result = run(search, SQL_BY_NAME, find->name != NULL ? find->name : "*", err);
	if (search->len > 0)
		qsort(search->hits, search->len, sizeof(*search->hits), compare_paths);
	return result;
}

static int find_folder(struct search *search, struct op *op, struct err *err)
{
	cleanup_found struct found found = { 0 };

	if (search->find->folder == NULL)
		return 0;
	if (resolve(search->vault, op, search->find->folder, VAULT_WANT_FOLDER, FOUND_LIVING,
		VAULT_READ, &found, err) < 0)
		return -1;
	memcpy(search->folder, found.id, sizeof(search->folder));
	return 0;
}

int vault_find(struct vault *vault, const struct vault_find *find, vault_find_fn fn, void *ctx,
    bool *ret_is_more, struct err *err)
{
	struct op op = OP_READ("file find", find->folder);
	struct search search = { .vault = vault, .find = find };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = find_folder(&search, &op, err);
	if (result == 0)
		result = collect(&search, err);
	if (result == 0)
		result = op_note(vault, &op, err);
	for (size_t i = 0; i < search.len && result == 0; i++)
		result = fn(ctx, &search.hits[i].entry, search.hits[i].snippet, err);
	if (result == 0 && ret_is_more != NULL)
		*ret_is_more = search.is_more;
	search_release(&search);
	return op_end(vault, &op, result, err);
}
