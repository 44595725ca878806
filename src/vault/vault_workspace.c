/* SPDX-License-Identifier: MIT */
/*
 * Making workspaces. Texts with holes are read, filled and staged first, with no lock held; then all
 * entries and versions come in one transaction, which shares the content of everything else.
 */
#include "vault/vault_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FILLED_MAX ((size_t)8 << 20)

/* A content that was looked at for holes, and what takes its place. */
struct filled {
	int64_t content;
	struct vault_staged *staged; /* owned; NULL: the content itself */
};

struct making {
	struct vault *vault;
	struct op *op;
	const char *target;
	struct filling filling;
	struct filled *items; /* by content; owned */
	size_t len, cap;
	bool must_know; /* a content that was not looked at is one that came meanwhile */
};

static void making_release(struct making *making)
{
	for (size_t i = 0; i < making->len; i++)
		vault_staged_free(making->items[i].staged);
	free(making->items);
	filling_release(&making->filling);
}

/* ---- filling texts ---- */

/* Where content is among the items, or would be. */
static size_t place_of(const struct making *making, int64_t content)
{
	size_t low = 0;
	size_t high = making->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (making->items[middle].content < content)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct making *making, size_t place, int64_t content)
{
	return place < making->len && making->items[place].content == content;
}

static void insert(
    struct making *making, size_t place, int64_t content, struct vault_staged *staged)
{
	ARRAY_GROW(making->items, making->len, making->cap);
	memmove(making->items + place + 1, making->items + place,
	    (making->len - place) * sizeof(*making->items));
	making->items[place] = (struct filled){ .content = content, .staged = staged };
	making->len++;
}

/* The filled text, staged; *ret_staged stays NULL when nothing was to be filled. */
static int stage_filled(struct making *making, const struct tree_item *item,
    struct vault_staged **ret_staged, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_buf struct buf filled = BUF_INIT_MAX(FILLED_MAX);
	int is_text = tree_text(making->vault, item, &text, err);

	if (is_text <= 0)
		return is_text;
	fill_text(&making->filling, text.data, text.len, &filled);
	if (buf_check(&filled, item->path, err) < 0)
		return -1;
	if (filled.len == text.len && memcmp(filled.data, text.data, text.len) == 0)
		return 0;
	*ret_staged = vault_stage_bytes(making->vault, filled.data, filled.len, err);
	return *ret_staged == NULL ? -1 : 0;
}

static int fill_item(struct making *making, const struct tree_item *item, struct err *err)
{
	struct vault_staged *staged = NULL;
	size_t place = place_of(making, item->content);

	if (!item->is_file || is_at(making, place, item->content))
		return 0;
	if (stage_filled(making, item, &staged, err) < 0)
		return -1;
	insert(making, place, item->content, staged);
	return 0;
}

/* Snapshots know which of their texts have holes; in a workspace any may have one. */
static int fill_texts(
    struct making *making, const struct tree *tree, bool is_snapshot, struct err *err)
{
	for (size_t i = 0; i < tree->len; i++) {
		if (is_snapshot && !tree->items[i].has_holes)
			continue;
		if (fill_item(making, &tree->items[i], err) < 0)
			return -1;
	}
	return 0;
}

static int content_of(
    void *ctx, const struct tree_item *item, int64_t *ret_content, struct err *err)
{
	const struct making *making = ctx;
	size_t place = place_of(making, item->content);

	if (is_at(making, place, item->content)) {
		if (making->items[place].staged != NULL)
			*ret_content = staged_content(making->items[place].staged);
		return 0;
	}
	if (!making->must_know)
		return 0;
	(void)err_set(err, ERR_CONFLICT, "%s was changed meanwhile; try again", item->path);
	err->retryable = true;
	return -1;
}

/* ---- planting ---- */

static char *values_text(const struct filling *filling)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);

	json_write_object_begin(&w);
	for (size_t i = 0; i < filling->len; i++)
		json_write_member_string(&w, filling->items[i].name, filling->items[i].value);
	json_write_object_end(&w);
	return buf_detach(&text);
}

/* The workspace's own folder. */
static int plant_top(struct making *making, struct found *top, struct err *err)
{
	cleanup_found struct found folder = { 0 };
	struct op ignored = OP_READ("", NULL);

	if (resolve_parent(making->vault, &ignored, making->target, VAULT_MANAGE, &folder,
		&top->name, err) < 0 ||
	    entry_insert(making->vault, &folder, top->name, VAULT_WORKSPACE, top->id, err) < 0)
		return -1;
	top->kind = VAULT_WORKSPACE;
	top->rank = folder.rank;
	top->depth = folder.depth + 1;
	return 0;
}

/* All of tree, in the transaction of the verb. from says where it came from. */
static int plant(struct making *making, struct tree *tree, const struct origin *from,
    struct vault_workspace *ret, struct err *err)
{
	cleanup_found struct found top = { 0 };
	cleanup_free char *parameters = values_text(&making->filling);
	struct origin origin = *from;

	if (plant_top(making, &top, err) < 0 ||
	    tree_plant(making->vault, tree, &top, &making->filling, content_of, making, err) < 0)
		return -1;
	origin.id = top.id;
	origin.name = top.name;
	origin.parameters = parameters;
	op_set(&making->op->after, top.id);
	if (origin_insert(making->vault, &origin, err) < 0)
		return -1;
	return workspace_load(making->vault, top.id, top.rank, ret, err);
}

/* Would the caller be refused? Asked before any content is staged, and again in the transaction. */
static int check_target(struct making *making, struct err *err)
{
	struct op ignored = OP_READ("", NULL);
	cleanup_found struct found folder = { 0 };
	cleanup_free char *name = NULL;

	return resolve_parent(
	    making->vault, &ignored, making->target, VAULT_MANAGE, &folder, &name, err);
}

/* Ends op and what it made. */
static int end(struct making *making, int result, struct vault_workspace *workspace,
    struct vault_workspace *ret, struct err *err)
{
	result = op_end(making->vault, making->op, result, err);
	making_release(making);
	if (result == 0)
		*ret = *workspace;
	else
		vault_workspace_release(workspace);
	return result;
}

/* What comes before the transaction, in which op is not begun yet. */
static int must_be_bound(const struct vault *vault, struct err *err)
{
	assert(vault->batch.sql == NULL);
	if (vault->org[0] == '\0')
		return err_set(
		    err, ERR_UNAUTHENTICATED, "nobody is logged in; run: stile vault login");
	return 0;
}

/* ---- from a template ---- */

struct recipe {
	const char *ref;
	int64_t number;
	const struct vault_value *values;
	size_t len;
	struct vault_template template;
	struct tree tree;
};

static void recipe_release(struct recipe *recipe)
{
	vault_template_release(&recipe->template);
	tree_release(&recipe->tree);
}

static int prepare_template(struct making *making, struct recipe *recipe, struct err *err)
{
	struct vault_template_version version = { 0 };
	int result;

	if (template_resolve(
		making->vault, making->op, recipe->ref, VAULT_READ, &recipe->template, err) < 0 ||
	    check_target(making, err) < 0 ||
	    template_version_load(making->vault, &recipe->template, recipe->number, &version, err) <
		0)
		return -1;
	recipe->number = version.number;
	result = parameters_fill(version.parameters, version.parameters_len, recipe->values,
	    recipe->len, &making->filling, err);
	vault_template_version_release(&version);
	if (result < 0 || tree_load_snapshot(making->vault, recipe->template.id, recipe->number,
			      &recipe->tree, err) < 0)
		return -1;
	return fill_texts(making, &recipe->tree, true, err);
}

/* What was prepared never changes; what the caller may do might have. */
static int plant_template(
    struct making *making, struct recipe *recipe, struct vault_workspace *ret, struct err *err)
{
	const struct origin origin = {
		.template = recipe->template.id,
		.template_version = recipe->number,
	};
	struct vault_template again = { 0 };

	if (template_resolve(
		making->vault, making->op, recipe->template.id, VAULT_READ, &again, err) < 0)
		return -1;
	vault_template_release(&again);
	making->op->detail =
	    xasprintf("%s version %lld", origin.template, (long long)origin.template_version);
	return plant(making, &recipe->tree, &origin, ret, err);
}

int vault_instantiate(struct vault *vault, const char *template, int64_t version,
    const char *target, const struct vault_value *values, size_t len, struct vault_workspace *ret,
    struct err *err)
{
	struct op op = OP_WRITE("workspace instantiate", template);
	struct making making = { .vault = vault, .op = &op, .target = target };
	struct recipe recipe = { .ref = template, .number = version, .values = values, .len = len };
	struct vault_workspace workspace = { 0 };
	int result = must_be_bound(vault, err);

	if (result == 0)
		result = prepare_template(&making, &recipe, err);
	if (result == 0)
		result = pending_flush(vault, err);
	if (result == 0)
		result = op_begin(vault, &op, err);
	if (result == 0)
		result = plant_template(&making, &recipe, &workspace, err);
	recipe_release(&recipe);
	return end(&making, result, &workspace, ret, err);
}

/* ---- from a workspace ---- */

static int load_workspace(
    struct making *making, const char *ref, struct found *found, struct tree *tree, struct err *err)
{
	if (workspace_resolve(making->vault, making->op, ref, found, err) < 0)
		return -1;
	return tree_load(making->vault, found->id, tree, err);
}

/* Only with values is there anything to prepare. */
static int prepare_workspace(struct making *making, const char *ref, struct err *err)
{
	cleanup_found struct found found = { 0 };
	cleanup_tree struct tree tree = { 0 };

	if (making->filling.len == 0)
		return 0;
	making->must_know = true;
	if (load_workspace(making, ref, &found, &tree, err) < 0 || check_target(making, err) < 0)
		return -1;
	return fill_texts(making, &tree, false, err);
}

/* A value that went nowhere was meant for a hole that is not there. */
static int check_used(const struct filling *filling, struct err *err)
{
	for (size_t i = 0; i < filling->len; i++) {
		if (!filling->items[i].is_used)
			return err_set(err, ERR_INVALID_ARGUMENT,
			    "parameter %s: there is no {{%s}} in this workspace",
			    filling->items[i].name, filling->items[i].name);
	}
	return 0;
}

static int plant_workspace(
    struct making *making, const char *ref, struct vault_workspace *ret, struct err *err)
{
	cleanup_found struct found found = { 0 };
	cleanup_tree struct tree tree = { 0 };
	char template[ID_TEXT_SIZE];
	struct origin origin = { .template = template, .parent = found.id };

	if (load_workspace(making, ref, &found, &tree, err) < 0 ||
	    origin_template(making->vault, found.id, template, &origin.template_version, err) < 0)
		return -1;
	op_set(&making->op->before, found.id);
	if (plant(making, &tree, &origin, ret, err) < 0)
		return -1;
	return check_used(&making->filling, err);
}

int vault_derive(struct vault *vault, const char *workspace, const char *target,
    const struct vault_value *values, size_t len, struct vault_workspace *ret, struct err *err)
{
	struct op op = OP_WRITE("workspace derive", workspace);
	struct making making = { .vault = vault, .op = &op, .target = target };
	struct vault_workspace made = { 0 };
	int result = must_be_bound(vault, err);

	if (result == 0)
		result = values_fill(values, len, &making.filling, err);
	if (result == 0)
		result = prepare_workspace(&making, workspace, err);
	if (result == 0)
		result = pending_flush(vault, err);
	if (result == 0)
		result = op_begin(vault, &op, err);
	if (result == 0)
		result = plant_workspace(&making, workspace, &made, err);
	return end(&making, result, &made, ret, err);
}
