/* SPDX-License-Identifier: MIT */
/*
 * Refs and ranks: which entry is meant, where it stands, what the caller may do there. The one place
 * that decides what can be seen; every verb comes through here, and every query names the
 * organization.
 */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/*
 * From an entry up to the root: what it is, what is granted to the principal there, which is the
 * limit. One statement for the rank, the state and the path, for preparing it is most of its cost.
 */
static const char SQL_UP[] =
    "WITH RECURSIVE up (id, parent, name, kind, trashed_us, head, depth) AS ("
    " SELECT id, parent, name, kind, trashed_us, head, 0 FROM entry WHERE id = ?1 AND org = ?2"
    " UNION ALL"
    " SELECT entry.id, entry.parent, entry.name, entry.kind, entry.trashed_us, NULL, up.depth + 1"
    " FROM up JOIN entry ON entry.id = up.parent)"
    "SELECT up.id, up.parent, up.name, up.kind, up.trashed_us, up.head, coalesce(grant.rank, 0),"
    " up.id = ?4 FROM up LEFT JOIN grant ON grant.folder = up.id AND grant.principal = ?3"
    " ORDER BY up.depth";
enum { UP_ID, UP_PARENT, UP_NAME, UP_KIND, UP_TRASHED, UP_HEAD, UP_RANK, UP_IS_LIMIT };
static const char SQL_CHILD[] =
    "SELECT id FROM entry WHERE parent = ?1 AND name = ?2 AND trashed_us = 0";
static const char SQL_TRASHED_CHILD[] =
    "SELECT id, count(*) FROM entry WHERE parent = ?1 AND name = ?2 AND trashed_us > 0";
static const char SQL_NAME[] = "SELECT name FROM entry WHERE id = ?1";

void found_release(struct found *found)
{
	free(found->name);
	*found = (struct found){ 0 };
}

int not_found(const char *ref, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT_MAX(2048);

	text_add_visible(&text, ref, strnlen(ref, 1024));
	return err_set(err, ERR_NOT_FOUND,
	    "%s: there is no such file or folder, or you may not read it", text.data);
}

static int first_up(struct vault *vault, const char *id, const char *principal,
    struct sql_stmt **ret_stmt, struct err *err)
{
	return store_row(vault, SQL_UP,
	    BINDS(B_TEXT(id), B_TEXT(vault->org), B_TEXT(principal), B_TEXT(vault->within)),
	    ret_stmt, err);
}

/* One more on the way up; is_within: the limit was met. */
static void take_standing(struct sql_stmt *stmt, struct standing *standing, bool *is_within)
{
	enum vault_rank rank = (enum vault_rank)sql_column_int(stmt, UP_RANK);

	if (rank > standing->rank)
		standing->rank = rank;
	if (standing->is_there) {
		standing->depth++;
		standing->is_above_living &= sql_column_int(stmt, UP_TRASHED) == 0;
	}
	*is_within |= sql_column_int(stmt, UP_IS_LIMIT) != 0;
	standing->is_there = true;
}

static int take_entry(struct sql_stmt *stmt, struct found *found, struct err *err)
{
	found->name = store_text(stmt, UP_NAME);
	found->kind = (enum vault_kind)sql_column_int(stmt, UP_KIND);
	found->trashed_us = sql_column_int(stmt, UP_TRASHED);
	if (store_id(stmt, UP_PARENT, found->parent, err) < 0)
		return -1;
	return store_id(stmt, UP_HEAD, found->head, err);
}

/* Where the entry stands and, unless found is NULL, what it is. */
static int stand(struct vault *vault, const char *id, const char *principal,
    struct standing *standing, struct found *found, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	bool is_within = vault->within[0] == '\0';
	int got = first_up(vault, id, principal, &stmt, err);

	*standing = (struct standing){ .is_above_living = true };
	if (got == 1 && found != NULL && take_entry(stmt, found, err) < 0)
		return -1;
	while (got == 1) {
		take_standing(stmt, standing, &is_within);
		got = sql_step(stmt, err);
	}
	standing->is_there &= is_within;
	return got;
}

int standing_of(struct vault *vault, const char *id, const char *principal, struct standing *ret,
    struct err *err)
{
	return stand(vault, id, principal, ret, NULL, err);
}

int child_of(struct vault *vault, const char *folder, const char *name, char ret_id[ID_TEXT_SIZE],
    struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	int got = store_row(vault, SQL_CHILD, BINDS(B_TEXT(folder), B_TEXT(name)), &stmt, err);

	if (got == 1 && store_id(stmt, 0, ret_id, err) < 0)
		return -1;
	return got;
}

/* The only entry of that name in the trash of folder: 1, 0, -1; several: -1. Nothing for those who
 * may not see that trash: how many there are is not for them. */
static int trashed_child_of(struct vault *vault, const char *folder, const char *name,
    char ret_id[ID_TEXT_SIZE], struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	struct standing standing = { 0 };
	int64_t count;
	int got;

	if (standing_of(vault, folder, vault->principal, &standing, err) < 0)
		return -1;
	if (!standing.is_there || standing.rank < VAULT_MANAGE)
		return 0;
	got = store_row(vault, SQL_TRASHED_CHILD, BINDS(B_TEXT(folder), B_TEXT(name)), &stmt, err);
	if (got <= 0)
		return got;
	count = sql_column_int(stmt, 1);
	if (count > 1)
		return err_set(err, ERR_CONFLICT,
		    "several of that name are in the trash; name one by its id (list the trash)");
	if (count == 1 && store_id(stmt, 0, ret_id, err) < 0)
		return -1;
	return (int)count;
}

/* ---- the way a ref names ---- */

static const char *const id_prefixes[] = { "fol_", "fil_", "wsp_", "stg_" };

/* True when [text, text + len) has the form of an entry's id. */
static bool is_id(const char *text, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(id_prefixes); i++) {
		if (strncmp(text, id_prefixes[i], 4) == 0)
			return len == 30;
	}
	return false;
}

bool ref_is_of_entry(const char *ref)
{
	return ref[0] == '/' || is_id(ref, strcspn(ref, "/"));
}

/* One step down; is_last and a state decide whether the trash is looked at. 1, 0, -1. */
static int step_down(struct vault *vault, char id[ID_TEXT_SIZE], const char *name, bool is_last,
    enum found_state state, struct err *err)
{
	int got = is_last && state == FOUND_TRASH ? 0 : child_of(vault, id, name, id, err);

	if (got == 0 && is_last && state != FOUND_LIVING)
		got = trashed_child_of(vault, id, name, id, err);
	return got;
}

/*
 * Walks names from id on. 1: id is where they lead; 0: nowhere. A slash at the end is no name.
 * A name that none can be is refused also where nothing is any more: refused only below what there
 * is, it would tell what there is.
 */
static int walk(struct vault *vault, char id[ID_TEXT_SIZE], const char *path,
    enum found_state state, struct err *err)
{
	int got = 1;

	for (path += strspn(path, "/"); got >= 0 && *path != '\0';) {
		size_t len = strcspn(path, "/");
		cleanup_free char *name = name_normalise(path, len, err);

		path += len + strspn(path + len, "/");
		if (name == NULL)
			return -1;
		if (got == 1)
			got = step_down(vault, id, name, *path == '\0', state, err);
	}
	return got;
}

bool ref_is_relative(const struct vault *vault, const char *ref)
{
	return vault->within[0] != '\0' && ref[0] != '\0' && ref[0] != '/' &&
	       !is_id(ref, strcspn(ref, "/"));
}

/* Where a ref begins: 1, *ret_len of its bytes name it. 0: it names no beginning. */
static int begin(struct vault *vault, const char *ref, char ret_id[ID_TEXT_SIZE], size_t *ret_len)
{
	size_t len = strcspn(ref, "/");

	*ret_len = 0;
	if (ref[0] == '/') {
		memcpy(ret_id, vault->root, sizeof(vault->root));
	} else if (is_id(ref, len)) {
		(void)snprintf(ret_id, ID_TEXT_SIZE, "%.*s", (int)len, ref);
		*ret_len = len;
	} else if (ref_is_relative(vault, ref)) {
		memcpy(ret_id, vault->within, sizeof(vault->within));
	} else {
		return 0;
	}
	return 1;
}

/* 1: ret_id is what ref names, seen or not; 0: nothing. */
static int locate(struct vault *vault, const char *ref, enum found_state state,
    char ret_id[ID_TEXT_SIZE], struct err *err)
{
	size_t len;

	if (begin(vault, ref, ret_id, &len) == 0)
		return err_set(err, ERR_INVALID_ARGUMENT,
		    "a file or folder is named by its id or by a path from the root: "
		    "/team/plan.md");
	return walk(vault, ret_id, ref + len, state, err);
}

/* ---- what is found ---- */

static bool fits_state(const struct found *found, enum found_state state)
{
	if (found->trashed_us == 0)
		return state != FOUND_TRASH;
	/* Only those who may restore it see what is in the trash. */
	return state != FOUND_LIVING && found->rank == VAULT_MANAGE;
}

/* The entry of that id, as far as this caller can know of it: 1, 0, -1. */
static int look(struct vault *vault, enum found_state state, struct found *found, struct err *err)
{
	struct standing standing = { 0 };

	if (stand(vault, found->id, vault->principal, &standing, found, err) < 0)
		return -1;
	if (!standing.is_there || !standing.is_above_living || standing.rank == VAULT_NONE)
		return 0;
	found->rank = standing.rank;
	found->depth = standing.depth;
	return fits_state(found, state);
}

static int check_want(
    const struct found *found, const char *ref, enum vault_want want, struct err *err)
{
	bool is_file = found->kind == VAULT_FILE;

	if (want == VAULT_WANT_FILE && !is_file)
		return err_set(err, ERR_INVALID_ARGUMENT, "%s is a folder, not a file", ref);
	if (want == VAULT_WANT_FOLDER && is_file)
		return err_set(err, ERR_INVALID_ARGUMENT, "%s is a file, not a folder", ref);
	return 0;
}

int need_rank(enum vault_rank rank, const char *ref, enum vault_rank needed, struct err *err)
{
	if (rank >= needed)
		return 0;
	return err_set(err, ERR_PERMISSION_DENIED, "%s: this needs the rank %s; yours there is %s",
	    ref, vault_rank_name(needed), vault_rank_name(rank));
}

/* What is not in the trash may be there: whoever may read it is told so. */
static int not_in_trash(struct vault *vault, struct op *op, const char *ref, struct err *err)
{
	cleanup_found struct found found = { 0 };
	cleanup_err struct err ignored = ERR_INIT;
	cleanup_buf struct buf text = BUF_INIT_MAX(2048);

	if (resolve(vault, op, ref, VAULT_WANT_ANY, FOUND_LIVING, VAULT_READ, &found, &ignored) < 0)
		return not_found(ref, err);
	text_add_visible(&text, ref, strnlen(ref, 1024));
	return err_set(err, ERR_CONFLICT,
	    "%s is not in the trash; only what is there is restored or purged", text.data);
}

int resolve(struct vault *vault, struct op *op, const char *ref, enum vault_want want,
    enum found_state state, enum vault_rank needed, struct found *ret, struct err *err)
{
	cleanup_found struct found found = { 0 };
	int got = locate(vault, ref, state, found.id, err);

	if (got == 1)
		got = look(vault, state, &found, err);
	if (got < 0)
		return -1;
	if (got == 0)
		return state == FOUND_TRASH ? not_in_trash(vault, op, ref, err)
					    : not_found(ref, err);
	memcpy(op->entry, found.id, sizeof(op->entry));
	if (check_want(&found, ref, want, err) < 0 || need_rank(found.rank, ref, needed, err) < 0)
		return -1;
	*ret = found;
	found = (struct found){ 0 };
	return 0;
}

int resolve_parent(struct vault *vault, struct op *op, const char *ref, enum vault_rank needed,
    struct found *ret_folder, char **ret_name, struct err *err)
{
	size_t end = strlen(ref);
	size_t start;
	cleanup_free char *folder = NULL;
	cleanup_free char *name = NULL;

	while (end > 0 && ref[end - 1] == '/')
		end--;
	for (start = end; start > 0 && ref[start - 1] != '/';)
		start--;
	if (start == end || (start == 0 && !ref_is_relative(vault, ref)))
		return err_set(err, ERR_INVALID_ARGUMENT,
		    "what is to be made is named by a path from the root or from an id: "
		    "/team/plan.md");
	folder = start == 0 ? xstrdup(vault->within) : xmemdupz(ref, start);
	name = name_normalise(ref + start, end - start, err);
	if (name == NULL || resolve(vault, op, folder, VAULT_WANT_FOLDER, FOUND_LIVING, needed,
				ret_folder, err) < 0)
		return -1;
	*ret_name = steal_ptr(&name);
	return 0;
}

int op_begin_reading(
    struct vault *vault, struct op *op, enum vault_want want, struct found *ret, struct err *err)
{
	if (op_begin(vault, op, err) < 0 ||
	    resolve(vault, op, op->target, want, FOUND_LIVING, VAULT_READ, ret, err) < 0)
		return -1;
	return op_note(vault, op, err);
}

int must_manage_root(struct vault *vault, struct err *err)
{
	struct standing standing = { 0 };

	if (standing_of(vault, vault->root, vault->principal, &standing, err) < 0)
		return -1;
	if (!standing.is_there || standing.rank < VAULT_MANAGE)
		return err_set(err, ERR_PERMISSION_DENIED,
		    "this needs the rank manage on the root of the vault");
	return 0;
}

int guard_contract(
    const struct vault *vault, const struct found *folder, const char *name, struct err *err)
{
	if (!name_is_contract(folder->name, name))
		return 0;
	if (vault->within[0] != '\0')
		return err_set(err, ERR_PERMISSION_DENIED,
		    "a stage's contract cannot be changed from within a stage");
	if (folder->rank < VAULT_MANAGE)
		return err_set(err, ERR_PERMISSION_DENIED,
		    "a stage's contract is authority: to change it needs the rank manage");
	return 0;
}

/* ---- paths ---- */

/* The names from an entry up to the root, and how far up the caller may look. */
struct way {
	struct strvec names;
	char top
	    [ID_TEXT_SIZE]; /* the topmost that may be read, or the root: top_at above the entry */
	size_t top_at;
};

/* Takes the row of the next one up; false at the limit, above which there is nothing to see. */
static bool take_step(struct way *way, struct sql_stmt *stmt, bool is_whole)
{
	bool is_limit = sql_column_int(stmt, UP_IS_LIMIT) != 0;
	bool may_read = sql_column_int(stmt, UP_RANK) != VAULT_NONE;

	if (is_whole || may_read || is_limit || way->names.len == 0) {
		(void)snprintf(way->top, sizeof(way->top), "%s", sql_column_text(stmt, UP_ID));
		way->top_at = way->names.len;
	}
	strvec_push(&way->names, sql_column_text(stmt, UP_NAME));
	return is_whole || !is_limit;
}

static int walk_up(
    struct vault *vault, const char *id, bool is_whole, struct way *way, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	int got = first_up(vault, id, vault->principal, &stmt, err);

	while (got == 1 && take_step(way, stmt, is_whole))
		got = sql_step(stmt, err);
	return got < 0 ? -1 : 0;
}

static char *join_way(const struct vault *vault, const struct way *way)
{
	bool is_from_root = strcmp(way->top, vault->root) == 0;
	cleanup_buf struct buf path = BUF_INIT;

	if (!is_from_root || way->top_at == 0)
		buf_adds(&path, is_from_root ? "/" : way->top);
	for (size_t i = way->top_at; i > 0; i--)
		buf_addf(&path, "/%s", way->names.items[i - 1]);
	return buf_detach(&path);
}

static char *path_up(struct vault *vault, const char *id, bool is_whole, struct err *err)
{
	struct way way = { .names = STRVEC_INIT };
	char *path = walk_up(vault, id, is_whole, &way, err) < 0 ? NULL : join_way(vault, &way);

	strvec_release(&way.names);
	return path;
}

char *path_of(struct vault *vault, const char *id, struct err *err)
{
	return path_up(vault, id, false, err);
}

char *path_from_root(struct vault *vault, const char *id, struct err *err)
{
	return path_up(vault, id, true, err);
}

char *name_of(struct vault *vault, const char *id, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	int got = store_row(vault, SQL_NAME, BINDS(B_TEXT(id)), &stmt, err);

	if (got == 0)
		(void)not_found(id, err);
	return got == 1 ? store_text(stmt, 0) : NULL;
}

/* ---- the limit ---- */

int vault_limit(struct vault *vault, const char *ref, struct err *err)
{
	struct op op = OP_READ("limit", ref);
	cleanup_found struct found found = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = resolve(
		    vault, &op, ref, VAULT_WANT_FOLDER, FOUND_LIVING, VAULT_READ, &found, err);
	result = op_end(vault, &op, result, err);
	if (result == 0)
		memcpy(vault->within, found.id, sizeof(vault->within));
	return result;
}
