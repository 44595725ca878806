/* SPDX-License-Identifier: MIT */
/* Publishing: a template's folder, as it is now, becomes a numbered snapshot that never changes. */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static const char SQL_INSERT_ITEM[] = "INSERT INTO template_item (template, number, path, content,"
				      " media_type, has_holes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
static const char SQL_INSERT_VERSION[] =
    "INSERT INTO template_version (template, number, description, parameters, message, author,"
    " created_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

/* ---- holes ---- */

struct holes {
	const struct manifest *manifest;
	const struct tree_item *item;
};

/* What is not declared would stay a hole in every workspace. */
static int check_declared(void *ctx, const char *name, size_t len, struct err *err)
{
	const struct holes *holes = ctx;
	const struct manifest *manifest = holes->manifest;

	for (size_t i = 0; i < manifest->len; i++) {
		if (strlen(manifest->parameters[i].name) == len &&
		    memcmp(manifest->parameters[i].name, name, len) == 0)
			return 0;
	}
	return err_set(err, ERR_INVALID_ARGUMENT,
	    "%s: {{%.*s}} is no parameter of " MANIFEST_NAME "; declare it there, or write "
	    "{{{{%.*s}} for the text itself",
	    holes->item->path, (int)len, name, (int)len, name);
}

static int check_item(
    struct vault *vault, const struct manifest *manifest, struct tree_item *item, struct err *err)
{
	struct holes holes = { .manifest = manifest, .item = item };
	const char *slash = strrchr(item->path, '/');
	const char *name = slash == NULL ? item->path : slash + 1;
	cleanup_buf struct buf text = BUF_INIT;
	int is_text;

	if (fill_each_hole(name, strlen(name), check_declared, &holes, NULL, err) < 0)
		return -1;
	is_text = item->is_file ? tree_text(vault, item, &text, err) : 0;
	if (is_text <= 0)
		return is_text;
	return fill_each_hole(text.data, text.len, check_declared, &holes, &item->has_holes, err);
}

/* ---- the snapshot ---- */

/* The declaration is about the template; no workspace has it. */
static bool is_manifest(const struct tree_item *item)
{
	return item->is_file && strcmp(item->path, MANIFEST_NAME) == 0;
}

static int load_manifest(
    struct vault *vault, const struct tree *tree, struct manifest *ret, struct err *err)
{
	const struct tree_item *item = tree_find(tree, MANIFEST_NAME, strlen(MANIFEST_NAME));
	cleanup_buf struct buf text = BUF_INIT;
	int is_text;

	if (item == NULL || !item->is_file)
		return 0;
	is_text = tree_text(vault, item, &text, err);
	if (is_text == 0)
		return err_set(err, ERR_INVALID_ARGUMENT,
		    MANIFEST_NAME ": this is no UTF-8 text, or a very large one");
	return is_text < 0 ? -1 : manifest_read(text.data, text.len, ret, err);
}

static int insert_item(struct vault *vault, const struct vault_template *template,
    const struct tree_item *item, struct err *err)
{
	if (item->is_file)
		return store_run(vault, SQL_INSERT_ITEM,
		    BINDS(B_TEXT(template->id), B_INT(template->version + 1), B_TEXT(item->path),
			B_INT(item->content), B_TEXT(item->media_type), B_INT(item->has_holes)),
		    err);
	return store_run(vault, SQL_INSERT_ITEM,
	    BINDS(B_TEXT(template->id), B_INT(template->version + 1), B_TEXT(item->path),
		B_TEXT(NULL), B_TEXT(NULL), B_INT(0)),
	    err);
}

static int insert_items(struct vault *vault, const struct vault_template *template,
    const struct manifest *manifest, struct tree *tree, struct err *err)
{
	for (size_t i = 0; i < tree->len; i++) {
		struct tree_item *item = &tree->items[i];

		if (is_manifest(item))
			continue;
		if (check_item(vault, manifest, item, err) < 0 ||
		    insert_item(vault, template, item, err) < 0)
			return -1;
	}
	return 0;
}

static int insert_version(struct vault *vault, const struct vault_template *template,
    const struct manifest *manifest, const char *message, struct err *err)
{
	cleanup_buf struct buf parameters = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&parameters);

	parameters_write(manifest->parameters, manifest->len, &w);
	return store_run(vault, SQL_INSERT_VERSION,
	    BINDS(B_TEXT(template->id), B_INT(template->version + 1), B_TEXT(manifest->description),
		B_TEXT(parameters.data), B_TEXT(message), B_TEXT(vault->principal),
		B_INT(clock_wall_us())),
	    err);
}

static int snapshot(struct vault *vault, const struct vault_template *template, const char *message,
    struct err *err)
{
	cleanup_tree struct tree tree = { 0 };
	cleanup_manifest struct manifest manifest = { 0 };

	if (tree_load(vault, template->folder, &tree, err) < 0 ||
	    load_manifest(vault, &tree, &manifest, err) < 0 ||
	    insert_items(vault, template, &manifest, &tree, err) < 0)
		return -1;
	return insert_version(vault, template, &manifest, message, err);
}

/* ---- the verb ---- */

static int publish(struct vault *vault, struct op *op, const char *ref, const char *message,
    struct vault_template_version *ret, struct err *err)
{
	struct vault_template template = { 0 };
	int result;

	if (check_message(message, err) < 0 ||
	    template_resolve(vault, op, ref, VAULT_MANAGE, &template, err) < 0)
		return -1;
	if (template.path == NULL || template.trashed_us != 0)
		result = err_set(err, ERR_CONFLICT,
		    "the folder of template %s is %s; only what is there can be published",
		    template.name, template.path == NULL ? "purged" : "in the trash");
	else
		result = snapshot(vault, &template, message, err);
	if (result == 0) {
		op->after =
		    xasprintf("%s version %lld", template.id, (long long)template.version + 1);
		result = template_version_load(vault, &template, template.version + 1, ret, err);
	}
	vault_template_release(&template);
	return result;
}

int vault_template_publish(struct vault *vault, const char *template, const char *message,
    struct vault_template_version *ret, struct err *err)
{
	struct op op = OP_WRITE("template publish", template);
	struct vault_template_version version = { 0 };
	int result;

	/* Before the transaction, as vault_gc() does: content is read within. */
	if (store_hold_content(vault, err) < 0)
		return -1;
	result = op_begin(vault, &op, err);
	if (result == 0)
		result = publish(vault, &op, template, message, &version, err);
	result = op_end(vault, &op, result, err);
	store_let_content(vault);
	if (result == 0)
		*ret = version;
	else
		vault_template_version_release(&version);
	return result;
}
