/* SPDX-License-Identifier: MIT */
/* Workspaces and where they came from: rows that are kept for ever, shown as far as one may see. */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static const char SQL_INSERT[] =
    "INSERT INTO workspace (id, org, name, template, template_version, parent, parameters,"
    " created_by, created_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
static const char SQL_ORIGIN[] =
    "SELECT workspace.name, workspace.template, workspace.template_version, workspace.parent,"
    " workspace.parameters, workspace.created_by, workspace.created_us, above.name"
    " FROM workspace LEFT JOIN workspace AS above ON above.id = workspace.parent"
    " WHERE workspace.id = ?1 AND workspace.org = ?2";
static const char SQL_TEMPLATE[] = "SELECT template, template_version FROM workspace WHERE id = ?1";
static const char SQL_IS_THERE[] = "SELECT 1 FROM entry WHERE id = ?1";
static const char SQL_EACH[] = "SELECT id FROM workspace WHERE org = ?1 ORDER BY id";

void vault_workspace_release(struct vault_workspace *workspace)
{
	vault_entry_release(&workspace->entry);
	free(workspace->template);
	free(workspace->template_name);
	free(workspace->parent);
	free(workspace->parent_name);
	free(workspace->parameters);
	*workspace = (struct vault_workspace){ 0 };
}

/* ---- rows ---- */

int origin_insert(struct vault *vault, const struct origin *origin, struct err *err)
{
	return store_run(vault, SQL_INSERT,
	    BINDS(B_TEXT(origin->id), B_TEXT(vault->org), B_TEXT(origin->name),
		B_TEXT(origin->template), B_INT(origin->template_version), B_TEXT(origin->parent),
		B_TEXT(origin->parameters), B_TEXT(vault->principal), B_INT(clock_wall_us())),
	    err);
}

int origin_template(struct vault *vault, const char *workspace, char ret_template[ID_TEXT_SIZE],
    int64_t *ret_version, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	int got = store_row(vault, SQL_TEMPLATE, BINDS(B_TEXT(workspace)), &stmt, err);

	if (got == 0)
		return err_set(err, ERR_IO, "database: a workspace has no row of its own");
	if (got < 0 || store_id(stmt, 0, ret_template, err) < 0)
		return -1;
	*ret_version = sql_column_int(stmt, 1);
	return 0;
}

/* ---- what one may see of it ---- */

/* A living workspace, one in the trash that the caller may restore, or a purged one for those who
 * may manage the root: 1; 0: none to be seen. The rank is the caller's. */
static int may_see(struct vault *vault, const char *id, enum vault_rank *ret_rank, struct err *err)
{
	struct op ignored = OP_READ("", NULL);
	cleanup_err struct err hidden = ERR_INIT;
	cleanup_found struct found found = { 0 };
	struct standing standing = { 0 };
	int64_t is_there = 0;

	if (resolve(vault, &ignored, id, VAULT_WANT_FOLDER, FOUND_EITHER, VAULT_READ, &found,
		&hidden) == 0) {
		*ret_rank = found.rank;
		return 1;
	}
	if (hidden.code != ERR_NOT_FOUND) {
		err_move(err, &hidden);
		return -1;
	}
	if (store_int(vault, SQL_IS_THERE, BINDS(B_TEXT(id)), &is_there, err) < 0 ||
	    standing_of(vault, vault->root, vault->principal, &standing, err) < 0)
		return -1;
	*ret_rank = VAULT_MANAGE;
	return !is_there && standing.is_there && standing.rank == VAULT_MANAGE;
}

static int add_template(struct vault *vault, const char *id, int64_t version,
    struct vault_workspace *workspace, struct err *err)
{
	struct vault_template template = { 0 };
	int got = template_look(vault, id, &template, err);

	if (got <= 0)
		return got;
	workspace->template = steal_ptr(&template.id);
	workspace->template_name = steal_ptr(&template.name);
	workspace->template_version = version;
	vault_template_release(&template);
	return 0;
}

static int add_parent(
    struct vault *vault, struct sql_stmt *stmt, struct vault_workspace *workspace, struct err *err)
{
	enum vault_rank rank;
	int is_seen;

	workspace->is_derived = !sql_column_is_null(stmt, 3);
	is_seen = workspace->is_derived ? may_see(vault, sql_column_text(stmt, 3), &rank, err) : 0;
	if (is_seen == 1) {
		workspace->parent = store_text(stmt, 3);
		workspace->parent_name = store_text(stmt, 7);
	}
	return is_seen < 0 ? -1 : 0;
}

/* The entry as it is; once it is purged, what the row tells of it. */
static int add_entry(struct vault *vault, const char *id, enum vault_rank rank,
    struct sql_stmt *stmt, struct vault_workspace *workspace, struct err *err)
{
	cleanup_err struct err gone = ERR_INIT;

	if (entry_load(vault, id, rank, &workspace->entry, &gone) == 0)
		return 0;
	if (gone.code != ERR_NOT_FOUND) {
		err_move(err, &gone);
		return -1;
	}
	workspace->entry = (struct vault_entry){
		.id = xstrdup(id),
		.name = store_text(stmt, 0),
		.kind = VAULT_WORKSPACE,
		.created_by = store_text(stmt, 5),
		.created_us = sql_column_int(stmt, 6),
	};
	return 0;
}

static int load(struct vault *vault, const char *id, enum vault_rank rank, struct sql_stmt *stmt,
    struct vault_workspace *workspace, struct err *err)
{
	workspace->parameters = store_text(stmt, 4);
	if (add_entry(vault, id, rank, stmt, workspace, err) < 0 ||
	    add_template(vault, sql_column_text(stmt, 1), sql_column_int(stmt, 2), workspace, err) <
		0)
		return -1;
	return add_parent(vault, stmt, workspace, err);
}

int workspace_load(struct vault *vault, const char *id, enum vault_rank rank,
    struct vault_workspace *ret, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	struct vault_workspace workspace = { 0 };
	int got = store_row(vault, SQL_ORIGIN, BINDS(B_TEXT(id), B_TEXT(vault->org)), &stmt, err);

	if (got == 0)
		return not_found(id, err);
	if (got == 1 && load(vault, id, rank, stmt, &workspace, err) == 0) {
		*ret = workspace;
		return 0;
	}
	vault_workspace_release(&workspace);
	return -1;
}

int workspace_resolve(
    struct vault *vault, struct op *op, const char *ref, struct found *ret, struct err *err)
{
	cleanup_found struct found found = { 0 };

	if (resolve(vault, op, ref, VAULT_WANT_FOLDER, FOUND_LIVING, VAULT_READ, &found, err) < 0)
		return -1;
	if (found.kind != VAULT_WORKSPACE)
		return err_set(err, ERR_INVALID_ARGUMENT, "%s is no workspace", ref);
	*ret = found;
	found = (struct found){ 0 };
	return 0;
}

/* ---- the verbs ---- */

int vault_workspace_info(
    struct vault *vault, const char *workspace, struct vault_workspace *ret, struct err *err)
{
	struct op op = OP_READ("workspace info", workspace);
	cleanup_found struct found found = { 0 };
	struct vault_workspace loaded = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = workspace_resolve(vault, &op, workspace, &found, err);
	if (result == 0)
		result = workspace_load(vault, found.id, found.rank, &loaded, err);
	result = op_end(vault, &op, result, err);
	if (result == 0)
		*ret = loaded;
	else
		vault_workspace_release(&loaded);
	return result;
}

struct workspaces {
	struct vault_workspace *items; /* owned, as is each */
	size_t len, cap;
};

static int collect_one(struct vault *vault, const char *id, struct workspaces *all, struct err *err)
{
	struct op ignored = OP_READ("", NULL);
	cleanup_err struct err hidden = ERR_INIT;
	cleanup_found struct found found = { 0 };

	if (resolve(vault, &ignored, id, VAULT_WANT_FOLDER, FOUND_LIVING, VAULT_READ, &found,
		&hidden) < 0) {
		if (hidden.code == ERR_NOT_FOUND)
			return 0;
		err_move(err, &hidden);
		return -1;
	}
	ARRAY_GROW(all->items, all->len, all->cap);
	if (workspace_load(vault, found.id, found.rank, &all->items[all->len], err) < 0)
		return -1;
	all->len++;
	return 0;
}

static int collect(struct vault *vault, struct workspaces *all, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(vault, SQL_EACH, BINDS(B_TEXT(vault->org)), err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		if (collect_one(vault, sql_column_text(stmt, 0), all, err) < 0)
			got = -1;
	}
	return got;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct vault_workspace *)a)->entry.path,
	    ((const struct vault_workspace *)b)->entry.path);
}

static int tell_all(struct vault *vault, vault_workspace_fn fn, void *ctx, struct err *err)
{
	struct workspaces all = { 0 };
	int result = collect(vault, &all, err);

	if (all.len > 0)
		qsort(all.items, all.len, sizeof(*all.items), compare_paths);
	for (size_t i = 0; i < all.len; i++) {
		if (result == 0)
			result = fn(ctx, &all.items[i], err);
		vault_workspace_release(&all.items[i]);
	}
	free(all.items);
	return result;
}

int vault_workspace_each(struct vault *vault, vault_workspace_fn fn, void *ctx, struct err *err)
{
	struct op op = OP_READ("workspace list", NULL);
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = op_note(vault, &op, err);
	if (result == 0)
		result = tell_all(vault, fn, ctx, err);
	return op_end(vault, &op, result, err);
}

/* ---- lineage ---- */

/* Tells of one; id becomes its parent's, or empty when that was the last or is not to be seen. */
static int tell_one(struct vault *vault, char id[ID_TEXT_SIZE], enum vault_rank rank,
    vault_workspace_fn fn, void *ctx, struct err *err)
{
	static const struct vault_workspace hidden = { 0 };
	struct vault_workspace workspace = { 0 };
	int result = workspace_load(vault, id, rank, &workspace, err);

	if (result == 0)
		result = fn(ctx, &workspace, err);
	if (result == 0 && workspace.is_derived && workspace.parent == NULL)
		result = fn(ctx, &hidden, err);
	(void)snprintf(id, ID_TEXT_SIZE, "%s", workspace.parent != NULL ? workspace.parent : "");
	vault_workspace_release(&workspace);
	return result;
}

static int tell_lineage(struct vault *vault, const struct found *found, vault_workspace_fn fn,
    void *ctx, struct err *err)
{
	enum vault_rank rank = found->rank;
	char id[ID_TEXT_SIZE];
	int got = 1;

	memcpy(id, found->id, sizeof(id));
	while (got == 1 && id[0] != '\0') {
		if (tell_one(vault, id, rank, fn, ctx, err) < 0)
			return -1;
		got = id[0] != '\0' ? may_see(vault, id, &rank, err) : 0;
	}
	return got < 0 ? -1 : 0;
}

int vault_lineage(
    struct vault *vault, const char *workspace, vault_workspace_fn fn, void *ctx, struct err *err)
{
	struct op op = OP_READ("workspace lineage", workspace);
	cleanup_found struct found found = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = workspace_resolve(vault, &op, workspace, &found, err);
	if (result == 0)
		result = op_note(vault, &op, err);
	if (result == 0)
		result = tell_lineage(vault, &found, fn, ctx, err);
	return op_end(vault, &op, result, err);
}
