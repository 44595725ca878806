/* SPDX-License-Identifier: MIT */
/* The stages of a workspace: seen anew each time, never kept. */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

static const char SQL_STAGES[] =
    "SELECT" ENTRY_COLUMNS ", contract.id, contract.head, contract_head.number" ENTRY_TABLES
    " JOIN entry AS contract ON contract.parent = entry.id AND contract.name = 'CONTEXT.md'"
    " AND contract.trashed_us = 0 AND contract.kind = 1"
    " JOIN version AS contract_head ON contract_head.id = contract.head"
    " WHERE entry.parent = " STAGES_FOLDER " AND entry.trashed_us = 0 AND entry.kind <> 1"
    " AND entry.name GLOB '[0-9][0-9]*' ORDER BY entry.name";
static const char SQL_FOLDERS[] = "SELECT name FROM entry WHERE parent = ?1 AND trashed_us = 0"
				  " AND kind <> 1 ORDER BY name";
static const char SQL_FILES[] =
    "WITH RECURSIVE down (id) AS (SELECT ?1 UNION ALL"
    " SELECT entry.id FROM down JOIN entry ON entry.parent = down.id AND entry.trashed_us = 0)"
    "SELECT count(content.id), coalesce(sum(content.size), 0) FROM down"
    " JOIN entry ON entry.id = down.id JOIN version ON version.id = entry.head"
    " JOIN content ON content.id = version.content";

void vault_stage_info_release(struct vault_stage_info *stage)
{
	vault_entry_release(&stage->entry);
	free(stage->contract);
	free(stage->contract_version);
	strvec_release(&stage->folders);
	*stage = (struct vault_stage_info){ 0 };
}

/* ---- one ---- */

static int add_folders(struct vault *vault, struct vault_stage_info *stage, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(vault, SQL_FOLDERS, BINDS(B_TEXT(stage->entry.id)), err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1)
		strvec_push(&stage->folders, sql_column_text(stmt, 0));
	return got;
}

static int read_stage(struct vault *vault, struct sql_stmt *stmt, int64_t position,
    struct vault_stage_info *ret, struct err *err)
{
	struct standing standing = { 0 };
	const char *id = sql_column_text(stmt, 0);
	char *path;

	if (standing_of(vault, id, vault->principal, &standing, err) < 0)
		return -1;
	path = path_of(vault, id, err);
	if (path == NULL)
		return -1;
	*ret = (struct vault_stage_info){
		.position = position,
		.contract = store_text(stmt, ENTRY_COLUMN_COUNT),
		.contract_version = store_text(stmt, ENTRY_COLUMN_COUNT + 1),
		.contract_number = sql_column_int(stmt, ENTRY_COLUMN_COUNT + 2),
	};
	entry_read(stmt, standing.rank, path, &ret->entry);
	return add_folders(vault, ret, err);
}

/* ---- all, in order ---- */

static int each(
    struct vault *vault, const char *workspace, vault_stage_fn fn, void *ctx, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(vault, SQL_STAGES, BINDS(B_TEXT(workspace)), err);
	int64_t position = 0;
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		struct vault_stage_info stage = { 0 };

		if (read_stage(vault, stmt, ++position, &stage, err) < 0 ||
		    fn(ctx, &stage, err) < 0)
			got = -1;
		vault_stage_info_release(&stage);
	}
	return got;
}

int vault_stage_each(
    struct vault *vault, const char *workspace, vault_stage_fn fn, void *ctx, struct err *err)
{
	struct op op = OP_READ("stage list", workspace);
	cleanup_found struct found found = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = workspace_resolve(vault, &op, workspace, &found, err);
	if (result == 0)
		result = op_note(vault, &op, err);
	if (result == 0)
		result = each(vault, found.id, fn, ctx, err);
	return op_end(vault, &op, result, err);
}

/* ---- the one that is named ---- */

static int find(struct vault *vault, const struct found *workspace, const char *text,
    struct vault_stage_info *ret, struct err *err)
{
	cleanup_free char *name = name_normalise(text, strlen(text), err);
	cleanup_stmt struct sql_stmt *stmt =
	    name == NULL ? NULL : store_query(vault, SQL_STAGES, BINDS(B_TEXT(workspace->id)), err);
	struct vault_stage_info stage = { 0 };
	int64_t position = 0;
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		position++;
		if (strcmp(sql_column_text(stmt, 0), name) == 0 ||
		    strcmp(sql_column_text(stmt, 2), name) == 0)
			break;
	}
	if (got == 0)
		return err_set(err, ERR_NOT_FOUND,
		    "there is no stage %s in this workspace; stile vault stage list shows them",
		    name);
	if (got < 0 || read_stage(vault, stmt, position, &stage, err) < 0) {
		vault_stage_info_release(&stage);
		return name == NULL ? err_wrap(err, "stage") : -1;
	}
	*ret = stage;
	return 0;
}

static int add_files(struct vault *vault, struct vault_stage_info *stage, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;

	if (store_row(vault, SQL_FILES, BINDS(B_TEXT(stage->entry.id)), &stmt, err) < 0)
		return -1;
	stage->files = sql_column_int(stmt, 0);
	stage->bytes = sql_column_int(stmt, 1);
	return 0;
}

int vault_stage_show(struct vault *vault, const char *workspace, const char *stage,
    struct vault_stage_info *ret, struct err *err)
{
	struct op op = OP_READ("stage show", workspace);
	cleanup_found struct found found = { 0 };
	struct vault_stage_info info = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = workspace_resolve(vault, &op, workspace, &found, err);
	if (result == 0)
		result = find(vault, &found, stage, &info, err);
	if (result == 0)
		result = add_files(vault, &info, err);
	if (result == 0)
		op_set(&op.detail, info.entry.id);
	result = op_end(vault, &op, result, err);
	if (result == 0)
		*ret = info;
	else
		vault_stage_info_release(&info);
	return result;
}
