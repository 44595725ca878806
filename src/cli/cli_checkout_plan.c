/* SPDX-License-Identifier: MIT */
/*
 * Record, local folder and vault side by side: three lists in the order of their paths, read once. A
 * file is the one on record when size, times and inode are, and the times are older than the record:
 * what was changed in the tick in which the record was written shows in no time (git: "racy"). All
 * others are read.
 */
#include "cli/cli_checkout.h"

#include <stdlib.h>
#include <string.h>

/* ---- one path ---- */

/* What comparing needs. */
struct comparing {
	struct checkout_place *place;
	const struct checkout_record *record;
};

static bool stat_tells(const struct checkout_record *record, const struct checkout_file *base,
    const struct checkout_local *local)
{
	return base->size == local->size && base->mtime_ns == local->mtime_ns &&
	       base->ctime_ns == local->ctime_ns && base->inode == local->inode &&
	       base->ctime_ns < record->clock_ns && base->mtime_ns < record->clock_ns;
}

static enum checkout_there compare_there(
    const struct checkout_file *base, const struct checkout_head *head)
{
	if (head == NULL || head->is_folder)
		return base != NULL ? THERE_GONE : THERE_NOTHING;
	if (base == NULL)
		return THERE_NEW;
	return strcmp(base->id, head->id) == 0 && strcmp(base->version, head->version) == 0
		   ? THERE_SAME
		   : THERE_CHANGED;
}

/* The file here is not the one on record as far as can be seen without reading. */
static int compare_bytes(
    const struct comparing *comparing, struct checkout_row *row, struct err *err)
{
	const struct checkout_head *head = row->head;
	bool may_be_base = row->base != NULL && row->base->size == row->local->size;
	bool may_be_head = head != NULL && !head->is_folder && head->size == row->local->size;
	struct digest hash;

	row->here = row->base != NULL ? HERE_CHANGED : HERE_NEW;
	if (!may_be_base && !may_be_head)
		return 0;
	if (checkout_hash(comparing->place, row->local, &hash, err) < 0)
		return -1;
	if (may_be_base && digest_equal(&hash, &row->base->hash))
		row->here = HERE_SAME;
	row->is_equal = may_be_head && digest_equal(&hash, &head->hash);
	return 0;
}

static int compare(const struct comparing *comparing, struct checkout_row *row, struct err *err)
{
	const struct checkout_local *local = row->local;

	row->there = compare_there(row->base, row->head);
	if (local == NULL || local->kind == CHECKOUT_FOLDER) {
		row->here = row->base != NULL ? HERE_DELETED : HERE_NOTHING;
		return 0;
	}
	if (local->kind != CHECKOUT_FILE) {
		row->here = HERE_ODD;
		return 0;
	}
	if (row->base == NULL || !stat_tells(comparing->record, row->base, local))
		return compare_bytes(comparing, row, err);
	row->here = HERE_SAME;
	row->is_equal = row->head != NULL && !row->head->is_folder &&
			digest_equal(&row->base->hash, &row->head->hash);
	return 0;
}

/* ---- all paths ---- */

static const char *first_of(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return a == NULL ? b : a;
	return strcmp(a, b) <= 0 ? a : b;
}

static bool is_at(const char *path, const char *next)
{
	return next != NULL && strcmp(next, path) == 0;
}

/* A folder on both sides, or on one of them alone, is no row. */
static bool is_row(const struct checkout_row *row)
{
	bool is_file_here = row->local != NULL && row->local->kind != CHECKOUT_FOLDER;
	bool is_file_there = row->head != NULL && !row->head->is_folder;

	return row->base != NULL || is_file_here || is_file_there;
}

void checkout_plan_release(struct checkout_plan *plan)
{
	free(plan->rows);
	*plan = (struct checkout_plan){ 0 };
}

int checkout_plan(struct checkout_place *place, const struct checkout_record *record,
    const struct checkout_walk *walk, const struct checkout_heads *heads, struct checkout_plan *ret,
    struct err *err)
{
	const struct comparing comparing = { .place = place, .record = record };
	size_t base = 0;
	size_t local = 0;
	size_t head = 0;

	while (base < record->len || local < walk->len || head < heads->len) {
		const char *of_base = base < record->len ? record->files[base].path : NULL;
		const char *of_local = local < walk->len ? walk->items[local].path : NULL;
		const char *of_head = head < heads->len ? heads->items[head].path : NULL;
		struct checkout_row row = { .path =
						first_of(first_of(of_base, of_local), of_head) };

		if (is_at(row.path, of_base))
			row.base = &record->files[base++];
		if (is_at(row.path, of_local))
			row.local = &walk->items[local++];
		if (is_at(row.path, of_head))
			row.head = &heads->items[head++];
		if (!is_row(&row))
			continue;
		if (compare(&comparing, &row, err) < 0)
			return -1;
		ARRAY_GROW(ret->rows, ret->len, ret->cap);
		ret->rows[ret->len++] = row;
	}
	return 0;
}

bool checkout_row_conflicts(const struct checkout_row *row)
{
	if (row->is_equal)
		return false;
	if (row->here == HERE_DELETED)
		return row->there == THERE_CHANGED;
	if (row->here == HERE_NEW)
		return row->there == THERE_NEW || row->head != NULL;
	return row->here == HERE_CHANGED && row->there != THERE_SAME;
}

/* The times of a file that was read and found as it should be. */
static void stamp(struct checkout_file *file, const struct checkout_local *local)
{
	file->size = local->size;
	file->mtime_ns = local->mtime_ns;
	file->ctime_ns = local->ctime_ns;
	file->inode = local->inode;
}

void checkout_row_keep(const struct checkout_row *row, struct checkout_record *next)
{
	struct checkout_file file = { 0 };

	if (row->is_equal) {
		memcpy(file.id, row->head->id, sizeof(file.id));
		memcpy(file.version, row->head->version, sizeof(file.version));
		file.number = row->head->number;
		file.hash = row->head->hash;
		stamp(&file, row->local);
	} else if (row->base != NULL) {
		file = *row->base;
		if (row->here == HERE_SAME)
			stamp(&file, row->local);
	} else {
		return;
	}
	file.path = xstrdup(row->path);
	*checkout_record_add(next, NULL) = file;
}

/* ---- what the commands begin with ---- */

void checkout_release(struct checkout *checkout)
{
	checkout_plan_release(&checkout->plan);
	checkout_walk_release(&checkout->walk);
	checkout_heads_release(&checkout->heads);
	checkout_record_release(&checkout->record);
	checkout_place_release(&checkout->place);
	vault_close(checkout->vault);
}

int checkout_compare(struct checkout *checkout, struct err *err)
{
	checkout_plan_release(&checkout->plan);
	checkout_heads_release(&checkout->heads);
	if (checkout_heads_load(checkout->vault, checkout_record_folder(&checkout->record),
		&checkout->heads, err) < 0)
		return -1;
	return checkout_plan(&checkout->place, &checkout->record, &checkout->walk, &checkout->heads,
	    &checkout->plan, err);
}

int checkout_begin(
    struct checkout *checkout, enum checkout_hold how, const char *progress_label, struct err *err)
{
	struct cli *cli = checkout->cli;

	if (cli_progress_init(&checkout->progress, progress_label, cli->options.progress, err) <
		0 ||
	    checkout_place_open(cli, cli_word(cli, 0), false, &checkout->place, err) < 0 ||
	    checkout_place_hold(&checkout->place, how, err) < 0 ||
	    checkout_place_load(&checkout->place, &checkout->record, err) < 0)
		return -1;
	checkout->vault = cli_vault_open(cli, err);
	if (checkout->vault == NULL)
		return -1;
	if (checkout_walk(&checkout->place, &checkout->walk, err) < 0)
		return -1;
	return checkout_compare(checkout, err);
}

/* The workspace is looked up for its path alone: who may read the stage only need not see it. */
static void write_workspace(const struct checkout *checkout, struct json_writer *w)
{
	const struct checkout_record *record = &checkout->record;
	bool is_whole = record->stage[0] == '\0';

	json_write_key(w, "workspace");
	json_write_object_begin(w);
	json_write_member_string(w, "id", record->workspace);
	json_write_member_string(w, "path", is_whole ? checkout->heads.folder.path : NULL);
	json_write_object_end(w);
	json_write_key(w, "stage");
	if (is_whole) {
		json_write_null(w);
		return;
	}
	json_write_object_begin(w);
	json_write_member_string(w, "id", record->stage);
	json_write_member_string(w, "name", checkout->heads.folder.name);
	json_write_member_string(w, "path", checkout->heads.folder.path);
	json_write_object_end(w);
}

void checkout_write_origin(const struct checkout *checkout, struct json_writer *w)
{
	write_workspace(checkout, w);
	json_write_member_string(w, "directory", checkout->place.dir);
}
