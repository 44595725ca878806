/* SPDX-License-Identifier: MIT */
/*
 * What is in the vault, as far as it may be here. A name that may not be written, and one that some file
 * system takes for another, is left out with all below it and told: else anybody who may store a file
 * could keep all others from checking out. Of two names that are one, that of the older entry stays.
 */
#include "cli/cli_checkout.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define TOLD_MAX 20
#define LISTED_MAX 1000

void checkout_heads_release(struct checkout_heads *heads)
{
	vault_entry_release(&heads->folder);
	for (size_t i = 0; i < heads->len; i++)
		free(heads->items[i].path);
	free(heads->items);
	for (size_t i = 0; i < heads->left_out_len; i++) {
		free(heads->left_out[i].path);
		free(heads->left_out[i].reason);
	}
	free(heads->left_out);
	*heads = (struct checkout_heads){ 0 };
}

/* ---- loading ---- */

/* The entry's path below the folder, borrowed of it; NULL when it is not below (any more). */
static const char *path_below(const struct vault_entry *folder, const struct vault_entry *entry)
{
	size_t len = strlen(folder->path);

	if (strcmp(folder->path, "/") == 0)
		len = 0;
	if (strncmp(entry->path, folder->path, len) != 0 || entry->path[len] != '/')
		return NULL;
	return entry->path + len + 1;
}

static int add_head(void *ctx, const struct vault_entry *entry, struct err *err)
{
	struct checkout_heads *heads = ctx;
	const char *path = path_below(&heads->folder, entry);
	struct checkout_head *head;

	if (path == NULL)
		return err_set(
		    err, ERR_CONFLICT, "%s was moved meanwhile; try again", heads->folder.path);
	if (heads->len >= CHECKOUT_FILES_MAX)
		return err_set(err, ERR_LIMIT,
		    "%s has more than %zu files and folders; take a part of it", heads->folder.path,
		    CHECKOUT_FILES_MAX);
	ARRAY_GROW(heads->items, heads->len, heads->cap);
	head = &heads->items[heads->len++];
	*head = (struct checkout_head){
		.path = xstrdup(path),
		.is_folder = entry->head == NULL,
		.number = entry->number,
		.size = entry->size,
		.hash = entry->hash,
	};
	(void)snprintf(head->id, sizeof(head->id), "%s", entry->id);
	if (entry->head != NULL)
		(void)snprintf(head->version, sizeof(head->version), "%s", entry->head);
	return 0;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(
	    ((const struct checkout_head *)a)->path, ((const struct checkout_head *)b)->path);
}

/* ---- leaving out ---- */

/* A head, under the name by which a file system knows it that tells the fewest names apart. */
struct place {
	char *key; /* owned */
	const struct checkout_head *head;
};

static int by_key_and_age(const void *a, const void *b)
{
	const struct place *x = a;
	const struct place *y = b;
	int order = strcmp(x->key, y->key);

	/* an id goes on, behind its prefix of four bytes, with when the entry was made */
	return order != 0 ? order : strcmp(x->head->id + 4, y->head->id + 4);
}

static struct place *places_of(const struct checkout_heads *heads)
{
	struct place *places = xcalloc(heads->len + 1, sizeof(*places));

	for (size_t i = 0; i < heads->len; i++) {
		struct buf key = BUF_INIT;

		text_add_folded(&key, heads->items[i].path, strlen(heads->items[i].path));
		places[i].head = &heads->items[i];
		places[i].key = buf_detach(&key);
	}
	qsort(places, heads->len, sizeof(*places), by_key_and_age);
	return places;
}

/* The folder that the head is in; NULL: the one that is checked out. */
static const struct checkout_head *folder_of(
    const struct checkout_heads *heads, const struct checkout_head *head)
{
	const char *slash = strrchr(head->path, '/');
	cleanup_free char *path =
	    slash == NULL ? NULL : xmemdupz(head->path, (size_t)(slash - head->path));
	const struct checkout_head wanted = { .path = path };

	return path == NULL ? NULL
			    : bsearch(&wanted, heads->items, heads->len, sizeof(wanted), by_path);
}

static void leave_out(
    struct checkout_heads *heads, bool *is_out, const struct checkout_head *head, char *reason)
{
	struct checkout_left_out *left_out;

	is_out[head - heads->items] = true;
	ARRAY_GROW(heads->left_out, heads->left_out_len, heads->left_out_cap);
	left_out = &heads->left_out[heads->left_out_len++];
	*left_out = (struct checkout_left_out){
		.path = xstrdup(head->path), .reason = reason, .is_folder = head->is_folder
	};
	memcpy(left_out->id, head->id, sizeof(left_out->id));
}

/* Decides in the order of the keys, so that a folder comes before what is in it. */
static void sift(struct checkout_heads *heads, const struct place *places, bool *is_out)
{
	const struct place *kept = NULL; /* the last one that stays */

	for (size_t i = 0; i < heads->len; i++) {
		const struct checkout_head *head = places[i].head;
		const struct checkout_head *folder = folder_of(heads, head);
		const char *fault = checkout_path_fault(head->path);

		if (folder != NULL && is_out[folder - heads->items])
			is_out[head - heads->items] = true;
		else if (fault != NULL)
			leave_out(heads, is_out, head, xstrdup(fault));
		else if (kept != NULL && strcmp(kept->key, places[i].key) == 0)
			leave_out(heads, is_out, head,
			    xasprintf("a file system that ignores case takes it for %s",
				kept->head->path));
		else
			kept = &places[i];
	}
}

static void drop(struct checkout_heads *heads, const bool *is_out)
{
	size_t to = 0;

	for (size_t i = 0; i < heads->len; i++) {
		if (is_out[i])
			free(heads->items[i].path);
		else
			heads->items[to++] = heads->items[i];
	}
	heads->len = to;
}

static void leave_out_what_cannot_be(struct checkout_heads *heads)
{
	struct place *places = places_of(heads);
	bool *is_out = xcalloc(heads->len + 1, sizeof(*is_out));

	sift(heads, places, is_out);
	for (size_t i = 0; i < heads->len; i++)
		free(places[i].key);
	free(places);
	drop(heads, is_out);
	free(is_out);
}

int checkout_heads_load(
    struct vault *vault, const char *folder, struct checkout_heads *ret, struct err *err)
{
	if (vault_entry_info(vault, folder, VAULT_WANT_FOLDER, &ret->folder, err) < 0 ||
	    vault_tree(vault, ret->folder.id, 0, add_head, ret, err) < 0)
		return -1;
	if (ret->len > 1)
		qsort(ret->items, ret->len, sizeof(*ret->items), by_path);
	leave_out_what_cannot_be(ret);
	return 0;
}

/* ---- telling ---- */

void checkout_left_out_write(const struct checkout_heads *heads, struct json_writer *w)
{
	json_write_key(w, "left_out");
	json_write_array_begin(w);
	for (size_t i = 0; i < heads->left_out_len && i < LISTED_MAX; i++) {
		json_write_object_begin(w);
		json_write_member_string(w, "path", heads->left_out[i].path);
		json_write_member_string(w, "id", heads->left_out[i].id);
		json_write_member_bool(w, "is_folder", heads->left_out[i].is_folder);
		json_write_member_string(w, "reason", heads->left_out[i].reason);
		json_write_object_end(w);
	}
	json_write_array_end(w);
	json_write_member_int(w, "left_out_count", (int64_t)heads->left_out_len);
}

void checkout_left_out_show(const struct checkout_heads *heads, struct buf *out)
{
	if (heads->left_out_len == 0)
		return;
	cli_line(out,
	    "NOT all of it: %zu left out, with what is in them; rename them in the vault:",
	    heads->left_out_len);
	for (size_t i = 0; i < heads->left_out_len && i < TOLD_MAX; i++)
		cli_line(
		    out, "left out   %s  (%s)", heads->left_out[i].path, heads->left_out[i].reason);
	if (heads->left_out_len > TOLD_MAX)
		cli_line(out, "left out   and %zu more", heads->left_out_len - TOLD_MAX);
}
