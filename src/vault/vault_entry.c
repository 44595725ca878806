/* SPDX-License-Identifier: MIT */
/* Folders and files alike: showing, listing, moving, renaming, trash. Purging is vault_purge.c. */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static const char SQL_LOAD[] =
    "SELECT" ENTRY_COLUMNS ENTRY_TABLES " WHERE entry.id = ?1 AND entry.org = ?2";
static const char SQL_CHILDREN[] =
    "SELECT" ENTRY_COLUMNS ", coalesce(grant.rank, 0)" ENTRY_TABLES
    " LEFT JOIN grant ON grant.folder = entry.id AND grant.principal = ?2"
    " WHERE entry.parent = ?1 AND entry.name > ?3 AND (entry.trashed_us > 0) = ?4"
    " AND (?5 = 0 OR (entry.kind = 1) = (?5 = 2)) ORDER BY entry.name, entry.trashed_us LIMIT ?6";
static const char SQL_INSERT[] =
    "INSERT INTO entry (id, org, parent, name, kind, created_by, created_us)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
static const char SQL_PLACE[] = "UPDATE entry SET parent = ?2, name = ?3 WHERE id = ?1";
static const char SQL_TRASH[] = "UPDATE entry SET trashed_us = ?2 WHERE id = ?1";
static const char SQL_IS_ABOVE[] =
    "WITH RECURSIVE up (id) AS (SELECT ?2 UNION ALL"
    " SELECT entry.parent FROM up JOIN entry ON entry.id = up.id WHERE entry.parent IS NOT NULL)"
    "SELECT count(*) FROM up WHERE id = ?1";
/* Levels below an entry, what is in the trash included: it may be restored. */
static const char SQL_HEIGHT[] =
    "WITH RECURSIVE down (id, depth) AS (SELECT ?1, 0 UNION ALL"
    " SELECT entry.id, down.depth + 1 FROM down JOIN entry ON entry.parent = down.id)"
    "SELECT max(depth) FROM down";
static const char SQL_KIND[] = "SELECT kind FROM entry WHERE id = ?1";
static const char SQL_CONTRACTS[] =
    "WITH RECURSIVE down (id, name) AS (SELECT id, name FROM entry WHERE id = ?1 UNION ALL"
    " SELECT entry.id, entry.name FROM down JOIN entry ON entry.parent = down.id"
    " WHERE entry.kind <> 1)"
    "SELECT count(*) FROM down JOIN entry ON entry.parent = down.id"
    " WHERE entry.name = 'CONTEXT.md' AND down.name GLOB '[0-9][0-9]*'";

/* ---- one entry ---- */

void vault_entry_release(struct vault_entry *entry)
{
	free(entry->id);
	free(entry->parent);
	free(entry->name);
	free(entry->path);
	free(entry->created_by);
	free(entry->head);
	free(entry->media_type);
	*entry = (struct vault_entry){ 0 };
}

void entry_read(struct sql_stmt *stmt, enum vault_rank rank, char *path, struct vault_entry *ret)
{
	const void *hash;
	size_t len = 0;

	*ret = (struct vault_entry){
		.id = store_text(stmt, 0),
		.parent = store_text(stmt, 1),
		.name = store_text(stmt, 2),
		.path = path,
		.kind = (enum vault_kind)sql_column_int(stmt, 3),
		.rank = rank,
		.created_by = store_text(stmt, 4),
		.created_us = sql_column_int(stmt, 5),
		.trashed_us = sql_column_int(stmt, 6),
		.head = store_text(stmt, 7),
		.number = sql_column_int(stmt, 8),
		.size = sql_column_int(stmt, 9),
		.media_type = store_text(stmt, 10),
		.modified_us = sql_column_int(stmt, 11),
	};
	hash = sql_column_blob(stmt, 12, &len);
	if (len == DIGEST_SIZE)
		memcpy(ret->hash.bytes, hash, DIGEST_SIZE);
}

int entry_load(struct vault *vault, const char *id, enum vault_rank rank, struct vault_entry *ret,
    struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	char *path = path_of(vault, id, err);
	int got = path == NULL ? -1
			       : store_row(vault, SQL_LOAD, BINDS(B_TEXT(id), B_TEXT(vault->org)),
				     &stmt, err);

	if (got == 1) {
		entry_read(stmt, rank, path, ret);
		/* the topmost that may be read: what it is in is not there for the caller */
		if (strchr(path, '/') == NULL)
			free(steal_ptr(&ret->parent));
		return 0;
	}
	free(path);
	return got < 0 ? -1 : not_found(id, err);
}

/* Ends a verb that gives an entry. */
static int end_with(struct vault *vault, struct op *op, int result, struct vault_entry *entry,
    struct vault_entry *ret, struct err *err)
{
	result = op_end(vault, op, result, err);
	if (result == 0)
		*ret = *entry;
	else
		vault_entry_release(entry);
	return result;
}

int vault_entry_info(struct vault *vault, const char *ref, enum vault_want want,
    struct vault_entry *ret, struct err *err)
{
	struct op op = OP_READ(want == VAULT_WANT_FILE ? "file info" : "folder info", ref);
	cleanup_found struct found found = { 0 };
	struct vault_entry entry = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = resolve(vault, &op, ref, want, FOUND_EITHER, VAULT_READ, &found, err);
	if (result == 0)
		result = entry_load(vault, found.id, found.rank, &entry, err);
	return end_with(vault, &op, result, &entry, ret, err);
}

/* ---- listing ---- */

/* What a walk over folders carries along. */
struct lister {
	struct vault *vault;
	struct vault_list list;
	int64_t max_depth; /* 0: no bound */
	vault_entry_fn fn;
	void *ctx;
};

static int list_folder(const struct lister *lister, const char *folder, const char *path,
    enum vault_rank rank, int64_t depth, struct err *err);

static int list_entry(
    const struct lister *lister, const struct vault_entry *entry, int64_t depth, struct err *err)
{
	if (lister->fn(lister->ctx, entry, err) < 0)
		return -1;
	if (entry->kind == VAULT_FILE || (lister->max_depth > 0 && depth >= lister->max_depth))
		return 0;
	return list_folder(lister, entry->id, entry->path, entry->rank, depth + 1, err);
}

static int list_folder(const struct lister *lister, const char *folder, const char *path,
    enum vault_rank rank, int64_t depth, struct err *err)
{
	const struct vault_list *list = &lister->list;
	const char *after = list->after != NULL ? list->after : "";
	cleanup_stmt struct sql_stmt *stmt = store_query(lister->vault, SQL_CHILDREN,
	    BINDS(B_TEXT(folder), B_TEXT(lister->vault->principal), B_TEXT(after),
		B_INT(list->is_trash), B_INT(list->want),
		B_INT(list->limit > 0 ? list->limit : -1)),
	    err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		enum vault_rank own = (enum vault_rank)sql_column_int(stmt, ENTRY_COLUMN_COUNT);
		struct vault_entry entry;

		entry_read(stmt, own > rank ? own : rank,
		    xasprintf(
			"%s/%s", strcmp(path, "/") == 0 ? "" : path, sql_column_text(stmt, 2)),
		    &entry);
		if (list_entry(lister, &entry, depth, err) < 0)
			got = -1;
		vault_entry_release(&entry);
	}
	return got;
}

static int list_checked(
    const struct lister *lister, struct op *op, const char *ref, struct err *err)
{
	cleanup_found struct found folder = { 0 };
	cleanup_free char *path = NULL;
	enum vault_rank needed = lister->list.is_trash ? VAULT_MANAGE : VAULT_READ;

	if (resolve(lister->vault, op, ref, VAULT_WANT_FOLDER, FOUND_LIVING, needed, &folder, err) <
	    0)
		return -1;
	path = path_of(lister->vault, folder.id, err);
	if (path == NULL || op_note(lister->vault, op, err) < 0)
		return -1;
	return list_folder(lister, folder.id, path, folder.rank, 1, err);
}

int vault_list(struct vault *vault, const char *ref, const struct vault_list *list,
    vault_entry_fn fn, void *ctx, struct err *err)
{
	struct op op = OP_READ(list->want == VAULT_WANT_FILE ? "file list" : "folder list", ref);
	const struct lister lister = {
		.vault = vault, .list = *list, .max_depth = 1, .fn = fn, .ctx = ctx
	};
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = list_checked(&lister, &op, ref, err);
	return op_end(vault, &op, result, err);
}

int vault_tree(struct vault *vault, const char *ref, int64_t max_depth, vault_entry_fn fn,
    void *ctx, struct err *err)
{
	struct op op = OP_READ("folder tree", ref);
	const struct lister lister = {
		.vault = vault, .max_depth = max_depth, .fn = fn, .ctx = ctx
	};
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = list_checked(&lister, &op, ref, err);
	return op_end(vault, &op, result, err);
}

/* ---- contracts ---- */

int contract_refused(struct err *err)
{
	return err_set(err, ERR_PERMISSION_DENIED,
	    "this would touch a stage's contract, which cannot be done from within a stage");
}

/* A workspace's folder `stages` decides which folders are stages. */
static bool is_place_of_stages(enum vault_kind folder, const char *name)
{
	return folder == VAULT_WORKSPACE && strcmp(name, "stages") == 0;
}

/* ---- making folders ---- */

static int check_free(struct vault *vault, const char *folder, const char *name, struct err *err)
{
	char other[ID_TEXT_SIZE];
	int got = child_of(vault, folder, name, other, err);

	if (got < 0)
		return -1;
	return got == 0 ? 0
			: err_set(err, ERR_ALREADY_EXISTS,
			      "there is something named %s in that folder already", name);
}

static int check_depth(int64_t depth, struct err *err)
{
	if (depth <= VAULT_DEPTH_MAX)
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENT, "folders nest at most %d deep", VAULT_DEPTH_MAX);
}

/* A template's folder was an ordinary one before. */
static const char *const id_prefixes[] = {
	[VAULT_FOLDER] = "fol_",
	[VAULT_FILE] = "fil_",
	[VAULT_TEMPLATE] = "fol_",
	[VAULT_WORKSPACE] = "wsp_",
	[VAULT_STAGE] = "stg_",
};

int entry_insert(struct vault *vault, const struct found *folder, const char *name,
    enum vault_kind kind, char ret_id[ID_TEXT_SIZE], struct err *err)
{
	const struct outside outside = { folder->id, folder->rank, name, NULL };

	if (vault->within[0] != '\0' && kind != VAULT_FILE &&
	    is_place_of_stages(folder->kind, name))
		return contract_refused(err);
	if (check_depth(folder->depth + 1, err) < 0 ||
	    check_free(vault, folder->id, name, err) < 0 || guard_outside(vault, &outside, err) < 0)
		return -1;
	id_new_sortable(id_prefixes[kind], ret_id);
	return store_run(vault, SQL_INSERT,
	    BINDS(B_TEXT(ret_id), B_TEXT(vault->org), B_TEXT(folder->id), B_TEXT(name), B_INT(kind),
		B_TEXT(vault->principal), B_INT(clock_wall_us())),
	    err);
}

static int create(struct vault *vault, struct op *op, const char *ref, enum vault_rank needed,
    struct vault_entry *ret, struct err *err)
{
	cleanup_found struct found folder = { 0 };
	cleanup_free char *name = NULL;

	if (resolve_parent(vault, op, ref, needed, &folder, &name, err) < 0 ||
	    entry_insert(vault, &folder, name, VAULT_FOLDER, op->entry, err) < 0)
		return -1;
	return entry_load(vault, op->entry, folder.rank, ret, err);
}

int vault_folder_create(
    struct vault *vault, const char *ref, struct vault_entry *ret, struct err *err)
{
	struct op op = OP_WRITE("folder create", ref);
	struct vault_entry entry = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = create(vault, &op, ref, VAULT_MANAGE, &entry, err);
	return end_with(vault, &op, result, &entry, ret, err);
}

/* The ref of the folder above, or NULL when ref has none. */
static char *ref_above(const char *ref)
{
	size_t end = strlen(ref);

	while (end > 1 && ref[end - 1] == '/')
		end--;
	while (end > 0 && ref[end - 1] != '/')
		end--;
	while (end > 1 && ref[end - 1] == '/')
		end--;
	return end == 0 || strcmp(ref, "/") == 0 ? NULL : xmemdupz(ref, end);
}

/* Makes what is missing from the top down. 64 levels at most, for deeper ones cannot be made. */
static int ensure(struct vault *vault, struct op *op, const char *ref, struct err *err)
{
	cleanup_found struct found found = { 0 };
	cleanup_free char *above = ref_above(ref);
	cleanup_err struct err missing = ERR_INIT;
	struct vault_entry made = { 0 };
	int result =
	    resolve(vault, op, ref, VAULT_WANT_FOLDER, FOUND_LIVING, VAULT_WRITE, &found, &missing);

	if (result == 0)
		return 0;
	/* a single name may count from the limit's folder, which is there */
	if (missing.code != ERR_NOT_FOUND || (above == NULL && !ref_is_relative(vault, ref))) {
		err_move(err, &missing);
		return -1;
	}
	if (above != NULL && ensure(vault, op, above, err) < 0)
		return -1;
	result = create(vault, op, ref, VAULT_WRITE, &made, err);
	vault_entry_release(&made);
	return result;
}

static int count_levels(const char *ref)
{
	int levels = 0;

	for (; *ref != '\0'; ref++)
		levels += ref[0] == '/' && ref[1] != '/';
	return levels;
}

static int do_ensure(
    struct vault *vault, struct op *op, const char *ref, struct vault_entry *ret, struct err *err)
{
	cleanup_found struct found found = { 0 };

	if (check_depth(count_levels(ref), err) < 0 || ensure(vault, op, ref, err) < 0 ||
	    resolve(vault, op, ref, VAULT_WANT_FOLDER, FOUND_LIVING, VAULT_WRITE, &found, err) < 0)
		return -1;
	return entry_load(vault, found.id, found.rank, ret, err);
}

int vault_folder_ensure(
    struct vault *vault, const char *ref, struct vault_entry *ret, struct err *err)
{
	struct op op = OP_WRITE("folder ensure", ref);
	struct vault_entry entry = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = do_ensure(vault, &op, ref, &entry, err);
	return end_with(vault, &op, result, &entry, ret, err);
}

/* ---- what a limited caller leaves alone ---- */

/*
 * A limited caller moves, renames, trashes and restores nothing that is or holds a contract, and
 * makes no contract by a new name or place. (Others have VAULT_MANAGE there, or would not be here.)
 */
static int guard_place(struct vault *vault, const struct found *entry, const char *folder,
    const char *folder_name, const char *name, struct err *err)
{
	int64_t contracts = 0;
	int64_t kind = 0;

	if (vault->within[0] == '\0')
		return 0;
	if (entry->kind == VAULT_FILE)
		return name_is_contract(folder_name, name) ? contract_refused(err) : 0;
	if (store_int(vault, SQL_CONTRACTS, BINDS(B_TEXT(entry->id)), &contracts, err) < 0 ||
	    store_int(vault, SQL_KIND, BINDS(B_TEXT(folder)), &kind, err) < 0)
		return -1;
	if (contracts > 0 || name_is_of_stage(name) ||
	    is_place_of_stages((enum vault_kind)kind, name))
		return contract_refused(err);
	return 0;
}

/* The same for the place where entry is. */
static int guard_here(struct vault *vault, const struct found *entry, struct err *err)
{
	cleanup_free char *folder_name = NULL;

	if (vault->within[0] == '\0')
		return 0;
	folder_name = name_of(vault, entry->parent, err);
	if (folder_name == NULL)
		return -1;
	return guard_place(vault, entry, entry->parent, folder_name, entry->name, err);
}

static int not_the_root(const struct found *entry, struct err *err)
{
	if (entry->parent[0] != '\0')
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENT, "the root stays where and what it is");
}

/* What may be moved, renamed, trashed. */
static int resolve_movable(struct vault *vault, struct op *op, const char *ref,
    enum vault_want want, enum found_state state, struct found *ret, struct err *err)
{
	if (resolve(vault, op, ref, want, state, VAULT_MANAGE, ret, err) < 0 ||
	    not_the_root(ret, err) < 0)
		return -1;
	return guard_here(vault, ret, err);
}

/* Is name free in the folder, and one that the caller may make there? For the living entry. */
static int check_name(struct vault *vault, const struct found *entry, const char *folder,
    const char *name, struct err *err)
{
	const struct outside outside = { folder, entry->rank, name, entry->id };
	int result = check_free(vault, folder, name, err);

	if (result == 0)
		result = guard_outside(vault, &outside, err);
	neighbours_forget(vault);
	return result;
}

/* ---- moving and renaming ---- */

static int check_target(
    struct vault *vault, const struct found *entry, const struct found *folder, struct err *err)
{
	int64_t is_above = 0;
	int64_t height = 0;

	if (store_int(vault, SQL_IS_ABOVE, BINDS(B_TEXT(entry->id), B_TEXT(folder->id)), &is_above,
		err) < 0 ||
	    store_int(vault, SQL_HEIGHT, BINDS(B_TEXT(entry->id)), &height, err) < 0)
		return -1;
	if (is_above)
		return err_set(err, ERR_INVALID_ARGUMENT, "a folder cannot be moved below itself");
	return check_depth(folder->depth + 1 + height, err);
}

static int move(struct vault *vault, struct op *op, const char *ref, enum vault_want want,
    const char *target, struct vault_entry *ret, struct err *err)
{
	struct op ignored = OP_READ("", NULL);
	cleanup_found struct found entry = { 0 };
	cleanup_found struct found folder = { 0 };

	if (resolve_movable(vault, op, ref, want, FOUND_LIVING, &entry, err) < 0 ||
	    resolve(vault, &ignored, target, VAULT_WANT_FOLDER, FOUND_LIVING, VAULT_MANAGE, &folder,
		err) < 0)
		return -1;
	op_set(&op->before, entry.parent);
	op_set(&op->after, folder.id);
	if (guard_place(vault, &entry, folder.id, folder.name, entry.name, err) < 0 ||
	    check_target(vault, &entry, &folder, err) < 0 ||
	    check_name(vault, &entry, folder.id, entry.name, err) < 0 ||
	    store_run(vault, SQL_PLACE,
		BINDS(B_TEXT(entry.id), B_TEXT(folder.id), B_TEXT(entry.name)), err) < 0)
		return -1;
	return entry_load(vault, entry.id, entry.rank, ret, err);
}

int vault_move(struct vault *vault, const char *ref, enum vault_want want, const char *folder,
    struct vault_entry *ret, struct err *err)
{
	struct op op = OP_WRITE(want == VAULT_WANT_FILE ? "file move" : "folder move", ref);
	struct vault_entry entry = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = move(vault, &op, ref, want, folder, &entry, err);
	return end_with(vault, &op, result, &entry, ret, err);
}

static int rename_entry(struct vault *vault, struct op *op, const char *ref, enum vault_want want,
    const char *given, struct vault_entry *ret, struct err *err)
{
	cleanup_found struct found entry = { 0 };
	cleanup_free char *folder_name = NULL;
	cleanup_free char *name = name_normalise(given, strlen(given), err);

	if (name == NULL || resolve_movable(vault, op, ref, want, FOUND_LIVING, &entry, err) < 0)
		return -1;
	folder_name = name_of(vault, entry.parent, err);
	if (folder_name == NULL)
		return -1;
	op_set(&op->before, entry.name);
	op_set(&op->after, name);
	if (guard_place(vault, &entry, entry.parent, folder_name, name, err) < 0 ||
	    check_name(vault, &entry, entry.parent, name, err) < 0 ||
	    store_run(vault, SQL_PLACE, BINDS(B_TEXT(entry.id), B_TEXT(entry.parent), B_TEXT(name)),
		err) < 0)
		return -1;
	return entry_load(vault, entry.id, entry.rank, ret, err);
}

int vault_rename(struct vault *vault, const char *ref, enum vault_want want, const char *name,
    struct vault_entry *ret, struct err *err)
{
	struct op op = OP_WRITE(want == VAULT_WANT_FILE ? "file rename" : "folder rename", ref);
	struct vault_entry entry = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = rename_entry(vault, &op, ref, want, name, &entry, err);
	return end_with(vault, &op, result, &entry, ret, err);
}

/* ---- trash ---- */

static int set_trashed(struct vault *vault, const struct found *entry, int64_t trashed_us,
    struct vault_entry *ret, struct err *err)
{
	neighbours_forget(vault);
	if (store_run(vault, SQL_TRASH, BINDS(B_TEXT(entry->id), B_INT(trashed_us)), err) < 0)
		return -1;
	return entry_load(vault, entry->id, entry->rank, ret, err);
}

int vault_trash(struct vault *vault, const char *ref, enum vault_want want, struct vault_entry *ret,
    struct err *err)
{
	struct op op = OP_WRITE(want == VAULT_WANT_FILE ? "file trash" : "folder trash", ref);
	cleanup_found struct found found = { 0 };
	struct vault_entry entry = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = resolve_movable(vault, &op, ref, want, FOUND_LIVING, &found, err);
	if (result == 0)
		result = set_trashed(vault, &found, clock_wall_us(), &entry, err);
	return end_with(vault, &op, result, &entry, ret, err);
}

int vault_restore(struct vault *vault, const char *ref, enum vault_want want,
    struct vault_entry *ret, struct err *err)
{
	struct op op = OP_WRITE(want == VAULT_WANT_FILE ? "file restore" : "folder restore", ref);
	cleanup_found struct found found = { 0 };
	struct vault_entry entry = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = resolve_movable(vault, &op, ref, want, FOUND_TRASH, &found, err);
	if (result == 0)
		result = check_name(vault, &found, found.parent, found.name, err);
	if (result < 0 && err->code == ERR_ALREADY_EXISTS)
		result = err_set(err, ERR_ALREADY_EXISTS,
		    "something else is named %s there by now; first rename or move that",
		    found.name);
	if (result == 0)
		result = set_trashed(vault, &found, 0, &entry, err);
	return end_with(vault, &op, result, &entry, ret, err);
}
