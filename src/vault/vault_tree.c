/* SPDX-License-Identifier: MIT */
/*
 * All that is in a folder at one moment, or in a published snapshot, and making the same again
 * elsewhere. Content is shared, never copied.
 */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char SQL_LOAD[] =
    "WITH RECURSIVE down (id, path) AS ("
    " SELECT id, name FROM entry WHERE parent = ?1 AND trashed_us = 0 UNION ALL"
    " SELECT entry.id, down.path || '/' || entry.name FROM down JOIN entry"
    " ON entry.parent = down.id AND entry.trashed_us = 0)"
    "SELECT down.path, version.content, content.size, version.media_type, version.message,"
    " entry.id, entry.head, 0 FROM down JOIN entry ON entry.id = down.id"
    " LEFT JOIN version ON version.id = entry.head"
    " LEFT JOIN content ON content.id = version.content ORDER BY down.path LIMIT ?2";
static const char SQL_LOAD_SNAPSHOT[] =
    "SELECT path, content, content.size, media_type, NULL, NULL, NULL, has_holes"
    " FROM template_item LEFT JOIN content ON content.id = template_item.content"
    " WHERE template = ?1 AND number = ?2 ORDER BY path";

void tree_release(struct tree *tree)
{
	for (size_t i = 0; i < tree->len; i++) {
		struct tree_item *item = &tree->items[i];

		free(item->path);
		free(item->media_type);
		free(item->message);
		free(item->source);
		free(item->head);
		free(item->name);
	}
	free(tree->items);
	*tree = (struct tree){ 0 };
}

/* ---- loading ---- */

static void add_item(struct tree *tree, struct sql_stmt *stmt)
{
	ARRAY_GROW(tree->items, tree->len, tree->cap);
	tree->items[tree->len++] = (struct tree_item){
		.path = store_text(stmt, 0),
		.is_file = !sql_column_is_null(stmt, 1),
		.content = sql_column_int(stmt, 1),
		.size = sql_column_int(stmt, 2),
		.media_type = store_text(stmt, 3),
		.message = store_text(stmt, 4),
		.source = store_text(stmt, 5),
		.head = store_text(stmt, 6),
		.has_holes = sql_column_int(stmt, 7) != 0,
	};
}

static int load(struct sql_stmt *stmt, struct tree *ret, struct err *err)
{
	cleanup_tree struct tree tree = { 0 };
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		if (tree.len == TREE_MAX)
			return err_set(err, ERR_LIMIT,
			    "there are more than %d files and folders in it", TREE_MAX);
		add_item(&tree, stmt);
	}
	if (got < 0)
		return -1;
	*ret = tree;
	tree = (struct tree){ 0 };
	return 0;
}

int tree_load(struct vault *vault, const char *folder, struct tree *ret, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(vault, SQL_LOAD, BINDS(B_TEXT(folder), B_INT(TREE_MAX + 1)), err);

	return load(stmt, ret, err);
}

int tree_load_snapshot(
    struct vault *vault, const char *template, int64_t number, struct tree *ret, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(vault, SQL_LOAD_SNAPSHOT, BINDS(B_TEXT(template), B_INT(number)), err);

	return load(stmt, ret, err);
}

/* ---- looking ---- */

static int compare_path(const char *path, size_t len, const char *other)
{
	int order = strncmp(path, other, len);

	return order != 0 ? order : -(other[len] != '\0');
}

static struct tree_item *find(const struct tree *tree, const char *path, size_t len)
{
	size_t low = 0;
	size_t high = tree->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_path(path, len, tree->items[middle].path);

		if (order == 0)
			return &tree->items[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

const struct tree_item *tree_find(const struct tree *tree, const char *path, size_t len)
{
	return find(tree, path, len);
}

static int take_text(void *ctx, const void *data, size_t len, struct err *err)
{
	(void)err;
	buf_add(ctx, data, len);
	return 0;
}

int tree_text(struct vault *vault, const struct tree_item *item, struct buf *text, struct err *err)
{
	if (item->size > TREE_TEXT_MAX)
		return 0;
	if (content_read(vault, item->content, take_text, text, err) < 0)
		return -1;
	return text_is_utf8(text->data, text->len) && memchr(text->data, 0, text->len) == NULL;
}

/* ---- making it again ---- */

struct planter {
	struct vault *vault;
	struct tree *tree;
	const struct found *top;
	struct filling *filling;
	tree_content_fn fn;
	void *ctx;
	bool has_stages; /* a folder of that name holds the stages */
};

/* Where the last name in a path begins. */
static size_t name_at(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? 0 : (size_t)(slash + 1 - path);
}

/* The folder that item goes into; what is in it is borrowed. */
static struct found folder_of(const struct planter *planter, const struct tree_item *item)
{
	size_t at = name_at(item->path);
	const struct tree_item *above = at == 0 ? NULL : find(planter->tree, item->path, at - 1);
	struct found folder = *planter->top;

	if (above != NULL) {
		memcpy(folder.id, above->id, sizeof(folder.id));
		folder.name = above->name;
		folder.depth = above->depth;
		folder.kind = VAULT_FOLDER;
	}
	return folder;
}

/* The name with its holes filled; what no name may be is told with the parameter that made it. */
static char *fill_name(struct planter *planter, const struct tree_item *item, struct err *err)
{
	const char *given = item->path + name_at(item->path);
	const char *parameter = fill_finds(planter->filling, given, strlen(given));
	cleanup_buf struct buf filled = BUF_INIT;
	char *name;

	fill_text(planter->filling, given, strlen(given), &filled);
	name = name_normalise(filled.data, filled.len, err);
	if (name == NULL && parameter != NULL)
		(void)err_wrap(err, "parameter %s, in the name %s", parameter, item->path);
	return name;
}

/* Ids tell people what a folder is; what counts as a stage is seen anew each time. */
static enum vault_kind kind_of(const struct planter *planter, const struct tree_item *item)
{
	size_t at = name_at(item->path);
	bool is_at_place = planter->has_stages
			       ? at == strlen("stages/") && strncmp(item->path, "stages/", at) == 0
			       : at == 0;
	cleanup_free char *contract = NULL;
	const struct tree_item *found;

	if (item->is_file)
		return VAULT_FILE;
	if (!is_at_place || !name_is_of_stage(item->name))
		return VAULT_FOLDER;
	contract = xasprintf("%s/CONTEXT.md", item->path);
	found = find(planter->tree, contract, strlen(contract));
	return found != NULL && found->is_file ? VAULT_STAGE : VAULT_FOLDER;
}

static int plant_version(struct planter *planter, const struct tree_item *item, struct err *err)
{
	struct new_version version = {
		.file = item->id,
		.content = item->content,
		.media_type = item->media_type,
		.message = item->message,
		.parent = item->head,
	};
	char id[ID_TEXT_SIZE];

	if (planter->fn(planter->ctx, item, &version.content, err) < 0 ||
	    version_insert(planter->vault, &version, id, err) < 0)
		return -1;
	return item->source == NULL ? 0
				    : metadata_copy(planter->vault, item->source, item->id, err);
}

static int plant_item(struct planter *planter, struct tree_item *item, struct err *err)
{
	struct found folder = folder_of(planter, item);

	item->name = fill_name(planter, item, err);
	if (item->name == NULL)
		return -1;
	item->depth = folder.depth + 1;
	if (planter->vault->within[0] != '\0' && name_is_contract(folder.name, item->name))
		return contract_refused(err);
	if (entry_insert(
		planter->vault, &folder, item->name, kind_of(planter, item), item->id, err) < 0)
		return err_wrap(err, "%s", item->path);
	return item->is_file ? plant_version(planter, item, err) : 0;
}

int tree_plant(struct vault *vault, struct tree *tree, const struct found *top,
    struct filling *filling, tree_content_fn fn, void *ctx, struct err *err)
{
	const struct tree_item *stages = find(tree, "stages", strlen("stages"));
	struct planter planter = {
		.vault = vault,
		.tree = tree,
		.top = top,
		.filling = filling,
		.fn = fn,
		.ctx = ctx,
		.has_stages = stages != NULL && !stages->is_file,
	};

	for (size_t i = 0; i < tree->len; i++) {
		if (plant_item(&planter, &tree->items[i], err) < 0)
			return -1;
	}
	return 0;
}
