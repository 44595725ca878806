/* SPDX-License-Identifier: MIT */
/* Templates and their published versions: naming one, who may see it, what it holds. */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

#define TEMPLATE_COLUMNS                                                                           \
	"SELECT template.id, template.name, template.folder, template.retired_us,"                 \
	" template.created_by, template.created_us, coalesce(last.number, 0), last.description"    \
	" FROM template LEFT JOIN template_version AS last ON last.template = template.id"         \
	" AND last.number ="                                                                       \
	" (SELECT max(number) FROM template_version WHERE template = template.id)"
static const char SQL_BY_ID[] = TEMPLATE_COLUMNS " WHERE template.org = ?1 AND template.id = ?2";
static const char SQL_BY_NAME[] =
    TEMPLATE_COLUMNS " WHERE template.org = ?1 AND template.name = ?2 AND template.retired_us = 0";
static const char SQL_BY_FOLDER[] =
    TEMPLATE_COLUMNS " WHERE template.org = ?1 AND template.folder = ?2";
static const char SQL_EACH[] =
    TEMPLATE_COLUMNS " WHERE template.org = ?1 ORDER BY template.name, template.id";
static const char SQL_NAME[] =
    "SELECT 1 FROM template WHERE org = ?1 AND name = ?2 AND retired_us = 0";
static const char SQL_INSERT[] =
    "INSERT INTO template (id, org, folder, name, created_by, created_us)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
static const char SQL_MAKE_TEMPLATE[] = "UPDATE entry SET kind = 2 WHERE id = ?1";
static const char SQL_RETIRE[] = "UPDATE template SET retired_us = ?2 WHERE folder = ?1";
static const char SQL_VERSION[] =
    "SELECT number, description, message, author, principal.name, template_version.created_us,"
    " parameters FROM template_version JOIN principal ON principal.id = author"
    " WHERE template = ?1 AND number = ?2";
static const char SQL_COUNT[] =
    "SELECT count(*) - count(content), count(content), coalesce(sum(size), 0)"
    " FROM template_item LEFT JOIN content ON content.id = template_item.content"
    " WHERE template = ?1 AND number = ?2";

void vault_template_release(struct vault_template *template)
{
	free(template->id);
	free(template->name);
	free(template->folder);
	free(template->path);
	free(template->description);
	free(template->created_by);
	*template = (struct vault_template){ 0 };
}

void vault_template_version_release(struct vault_template_version *version)
{
	free(version->template);
	free(version->description);
	free(version->message);
	free(version->author);
	free(version->author_name);
	parameters_free(version->parameters, version->parameters_len);
	*version = (struct vault_template_version){ 0 };
}

static int no_template(const char *ref, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT_MAX(2048);

	text_add_visible(&text, ref, strnlen(ref, 1024));
	return err_set(
	    err, ERR_NOT_FOUND, "%s: there is no such template, or you may not see it", text.data);
}

/* ---- who may see one ---- */

static void read_template(struct sql_stmt *stmt, struct vault_template *ret)
{
	*ret = (struct vault_template){
		.id = store_text(stmt, 0),
		.name = store_text(stmt, 1),
		.folder = store_text(stmt, 2),
		.created_by = store_text(stmt, 4),
		.created_us = sql_column_int(stmt, 5),
		.version = sql_column_int(stmt, 6),
		.description = store_text(stmt, 7),
	};
}

/* The rank on a template whose folder is purged: that of those who could have purged it. */
static int rank_on_retired(struct vault *vault, struct vault_template *template, struct err *err)
{
	struct standing root = { 0 };

	if (standing_of(vault, vault->root, vault->principal, &root, err) < 0)
		return -1;
	template->rank = root.is_there &&root.rank == VAULT_MANAGE ? VAULT_MANAGE : VAULT_NONE;
	return template->rank != VAULT_NONE;
}

/* Sets what is the caller's of a template that was read: 1, or 0: it may not see it; -1. */
static int look(struct vault *vault, struct op *op, bool is_retired,
    struct vault_template *template, struct err *err)
{
	cleanup_err struct err hidden = ERR_INIT;
	cleanup_found struct found folder = { 0 };

	if (is_retired)
		return rank_on_retired(vault, template, err);
	if (resolve(vault, op, template->folder, VAULT_WANT_FOLDER, FOUND_EITHER, VAULT_READ,
		&folder, &hidden) < 0) {
		if (hidden.code == ERR_NOT_FOUND)
			return 0;
		err_move(err, &hidden);
		return -1;
	}
	template->rank = folder.rank;
	template->trashed_us = folder.trashed_us;
	template->path = path_of(vault, folder.id, err);
	return template->path == NULL ? -1 : 1;
}

/* The template that text finds by key, if the caller may see it: 1, 0, -1. */
static int find(struct vault *vault, struct op *op, const char *text, const char *key,
    struct vault_template *ret, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	struct vault_template template = { 0 };
	int got = store_row(vault, text, BINDS(B_TEXT(vault->org), B_TEXT(key)), &stmt, err);

	if (got <= 0)
		return got;
	read_template(stmt, &template);
	got = look(vault, op, sql_column_int(stmt, 3) != 0, &template, err);
	if (got == 1)
		*ret = template;
	else
		vault_template_release(&template);
	return got;
}

static int find_by_folder(struct vault *vault, struct op *op, const char *ref,
    struct vault_template *ret, struct err *err)
{
	cleanup_found struct found folder = { 0 };
	int got;

	if (resolve(vault, op, ref, VAULT_WANT_FOLDER, FOUND_EITHER, VAULT_READ, &folder, err) < 0)
		return -1;
	got = find(vault, op, SQL_BY_FOLDER, folder.id, ret, err);
	if (got == 0)
		return err_set(
		    err, ERR_INVALID_ARGUMENT, "%s is a folder, but not a template", ref);
	return got;
}

static int find_by_name(struct vault *vault, struct op *op, const char *ref,
    struct vault_template *ret, struct err *err)
{
	cleanup_free char *name = name_normalise(ref, strlen(ref), err);

	if (name == NULL)
		return err_wrap(err, "template");
	return find(
	    vault, op, strncmp(name, "tpl_", 4) == 0 ? SQL_BY_ID : SQL_BY_NAME, name, ret, err);
}

int template_look(struct vault *vault, const char *id, struct vault_template *ret, struct err *err)
{
	struct op ignored = OP_READ("", NULL);

	return find(vault, &ignored, SQL_BY_ID, id, ret, err);
}

int template_resolve(struct vault *vault, struct op *op, const char *ref, enum vault_rank needed,
    struct vault_template *ret, struct err *err)
{
	struct vault_template template = { 0 };
	int got = strchr(ref, '/') != NULL || ref_is_of_entry(ref)
		      ? find_by_folder(vault, op, ref, &template, err)
		      : find_by_name(vault, op, ref, &template, err);

	if (got <= 0)
		return got < 0 ? -1 : no_template(ref, err);
	if (need_rank(template.rank, ref, needed, err) < 0) {
		vault_template_release(&template);
		return -1;
	}
	*ret = template;
	return 0;
}

/* ---- versions ---- */

static int count_items(struct vault *vault, struct vault_template_version *version, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;

	if (store_row(vault, SQL_COUNT, BINDS(B_TEXT(version->template), B_INT(version->number)),
		&stmt, err) < 0)
		return -1;
	version->folders = sql_column_int(stmt, 0);
	version->files = sql_column_int(stmt, 1);
	version->bytes = sql_column_int(stmt, 2);
	return 0;
}

static int read_version(struct vault *vault, struct sql_stmt *stmt, const char *template,
    struct vault_template_version *version, struct err *err)
{
	*version = (struct vault_template_version){
		.template = xstrdup(template),
		.number = sql_column_int(stmt, 0),
		.description = store_text(stmt, 1),
		.message = store_text(stmt, 2),
		.author = store_text(stmt, 3),
		.author_name = store_text(stmt, 4),
		.created_us = sql_column_int(stmt, 5),
	};
	if (parameters_read(
		sql_column_text(stmt, 6), &version->parameters, &version->parameters_len, err) < 0)
		return -1;
	return count_items(vault, version, err);
}

int template_version_load(struct vault *vault, const struct vault_template *template,
    int64_t number, struct vault_template_version *ret, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	struct vault_template_version version = { 0 };
	int got = store_row(vault, SQL_VERSION,
	    BINDS(B_TEXT(template->id), B_INT(number > 0 ? number : template->version)), &stmt,
	    err);

	if (got == 0)
		return err_set(err, ERR_NOT_FOUND,
		    number > 0 ? "template %s has no such version"
			       : "no version of template %s is published yet",
		    template->name);
	if (got == 1 && read_version(vault, stmt, template->id, &version, err) == 0) {
		*ret = version;
		return 0;
	}
	vault_template_version_release(&version);
	return -1;
}

int template_retire(struct vault *vault, const char *folder, struct err *err)
{
	return store_run(vault, SQL_RETIRE, BINDS(B_TEXT(folder), B_INT(clock_wall_us())), err);
}

/* ---- making one ---- */

static int check_new(
    struct vault *vault, const struct found *folder, const char *name, struct err *err)
{
	int64_t is_taken = 0;

	if (folder->kind == VAULT_TEMPLATE)
		return err_set(err, ERR_ALREADY_EXISTS, "this folder is a template already");
	if (folder->kind != VAULT_FOLDER || folder->parent[0] == '\0')
		return err_set(err, ERR_INVALID_ARGUMENT,
		    "only an ordinary folder becomes a template: no root, workspace or stage");
	if (strncmp(name, "tpl_", 4) == 0 || ref_is_of_entry(name))
		return err_set(
		    err, ERR_INVALID_ARGUMENT, "a template's name does not begin as an id does");
	if (store_int(vault, SQL_NAME, BINDS(B_TEXT(vault->org), B_TEXT(name)), &is_taken, err) < 0)
		return -1;
	return !is_taken ? 0
			 : err_set(err, ERR_ALREADY_EXISTS,
			       "there is a template %s already; give this one another name", name);
}

static int create(struct vault *vault, struct op *op, const char *ref, const char *given,
    struct vault_template *ret, struct err *err)
{
	cleanup_found struct found folder = { 0 };
	cleanup_free char *name = NULL;
	char id[ID_TEXT_SIZE];

	if (resolve(vault, op, ref, VAULT_WANT_FOLDER, FOUND_LIVING, VAULT_MANAGE, &folder, err) <
	    0)
		return -1;
	if (given == NULL)
		given = folder.name;
	name = folder.parent[0] == '\0' ? xstrdup("") : name_normalise(given, strlen(given), err);
	if (name == NULL)
		return err_wrap(err, "template");
	if (check_new(vault, &folder, name, err) < 0)
		return -1;
	id_new_sortable("tpl_", id);
	op_set(&op->after, id);
	if (store_run(vault, SQL_MAKE_TEMPLATE, BINDS(B_TEXT(folder.id)), err) < 0 ||
	    store_run(vault, SQL_INSERT,
		BINDS(B_TEXT(id), B_TEXT(vault->org), B_TEXT(folder.id), B_TEXT(name),
		    B_TEXT(vault->principal), B_INT(clock_wall_us())),
		err) < 0)
		return -1;
	return template_resolve(vault, op, id, VAULT_MANAGE, ret, err);
}

int vault_template_create(struct vault *vault, const char *folder, const char *name,
    struct vault_template *ret, struct err *err)
{
	struct op op = OP_WRITE("template create", folder);
	struct vault_template template = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = create(vault, &op, folder, name, &template, err);
	result = op_end(vault, &op, result, err);
	if (result == 0)
		*ret = template;
	else
		vault_template_release(&template);
	return result;
}

/* ---- looking at them ---- */

static int each(struct vault *vault, vault_template_fn fn, void *ctx, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(vault, SQL_EACH, BINDS(B_TEXT(vault->org)), err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		struct op ignored = OP_READ("", NULL);
		struct vault_template template;
		int is_seen;

		read_template(stmt, &template);
		is_seen = look(vault, &ignored, sql_column_int(stmt, 3) != 0, &template, err);
		if (is_seen < 0 || (is_seen == 1 && fn(ctx, &template, err) < 0))
			got = -1;
		vault_template_release(&template);
	}
	return got;
}

int vault_template_each(struct vault *vault, vault_template_fn fn, void *ctx, struct err *err)
{
	struct op op = OP_READ("template list", NULL);
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = op_note(vault, &op, err);
	if (result == 0)
		result = each(vault, fn, ctx, err);
	return op_end(vault, &op, result, err);
}

static int tell_items(struct vault *vault, const struct vault_template_version *version,
    vault_template_item_fn fn, void *ctx, struct err *err)
{
	cleanup_tree struct tree tree = { 0 };

	if (fn == NULL || version->number == 0)
		return 0;
	if (tree_load_snapshot(vault, version->template, version->number, &tree, err) < 0)
		return -1;
	for (size_t i = 0; i < tree.len; i++) {
		const struct vault_template_item item = {
			.path = tree.items[i].path,
			.is_file = tree.items[i].is_file,
			.has_holes = tree.items[i].has_holes,
			.size = tree.items[i].size,
			.media_type = tree.items[i].media_type,
		};

		if (fn(ctx, &item, err) < 0)
			return -1;
	}
	return 0;
}

static int info(struct vault *vault, struct op *op, const char *ref, int64_t number,
    struct vault_template *template, struct vault_template_version *version, struct err *err)
{
	if (template_resolve(vault, op, ref, VAULT_READ, template, err) < 0)
		return -1;
	if (number > 0 || template->version > 0)
		return template_version_load(vault, template, number, version, err);
	return 0;
}

int vault_template_info(struct vault *vault, const char *template, int64_t number,
    vault_template_item_fn fn, void *ctx, struct vault_template *ret_template,
    struct vault_template_version *ret_version, struct err *err)
{
	struct op op = OP_READ("template show", template);
	struct vault_template found = { 0 };
	struct vault_template_version version = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = info(vault, &op, template, number, &found, &version, err);
	if (result == 0)
		result = op_note(vault, &op, err);
	if (result == 0)
		result = tell_items(vault, &version, fn, ctx, err);
	result = op_end(vault, &op, result, err);
	if (result == 0) {
		*ret_template = found;
		*ret_version = version;
	} else {
		vault_template_release(&found);
		vault_template_version_release(&version);
	}
	return result;
}
