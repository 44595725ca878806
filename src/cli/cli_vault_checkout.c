/* SPDX-License-Identifier: MIT */
/*
 * stile vault workspace checkout: a workspace, or one of its stages, as a local folder.
 *
 * First all is looked at, and what stands in the way is told at once; then the record says whose folder
 * this is; then files come and go; then the record says what they are. A checkout that is killed can be
 * run again at any point: a file whose bytes are those of the vault is taken as it is.
 */
#include "cli/cli_checkout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* What is to be done, and how the files are then. */
struct work {
	struct checkout *checkout;
	bool is_force;
	struct checkout_faults faults;
	struct checkout_want *wants;
	size_t *rows; /* of the wants */
	size_t len, cap, rows_cap;
	struct checkout_file *written; /* as long as wants */
	int64_t removed, bytes;
};

static void work_release(struct work *work)
{
	checkout_faults_release(&work->faults);
	free(work->wants);
	free(work->rows);
	free(work->written);
}

/* ---- what the words name ---- */

static int find_stage(struct checkout *checkout, struct checkout_record *record, struct err *err)
{
	struct vault_stage_info stage = { 0 };
	int result = vault_stage_show(
	    checkout->vault, record->workspace, checkout->cli->options.stage, &stage, err);

	if (result == 0)
		(void)snprintf(record->stage, sizeof(record->stage), "%s", stage.entry.id);
	vault_stage_info_release(&stage);
	return result;
}

static int find_workspace(
    struct checkout *checkout, struct checkout_record *record, struct err *err)
{
	struct vault_workspace workspace = { 0 };
	int result =
	    vault_workspace_info(checkout->vault, cli_word(checkout->cli, 0), &workspace, err);

	if (result == 0)
		(void)snprintf(
		    record->workspace, sizeof(record->workspace), "%s", workspace.entry.id);
	vault_workspace_release(&workspace);
	record->time_us = clock_wall_us();
	if (result == 0 && checkout->cli->options.stage != NULL)
		return find_stage(checkout, record, err);
	return result;
}

/* ---- the folder, and what it is by now ---- */

static int check_origin(
    const struct checkout *checkout, const struct checkout_record *wanted, struct err *err)
{
	const struct checkout_record *record = &checkout->record;

	if (strcmp(record->workspace, wanted->workspace) == 0 &&
	    strcmp(record->stage, wanted->stage) == 0)
		return 0;
	return err_set(err, ERR_CONFLICT, "%s is a checkout of %s; take another folder",
	    checkout->place.dir, checkout_record_folder(record));
}

/* A new record; wanted is emptied. */
static int begin_anew(struct checkout *checkout, struct checkout_record *wanted, struct err *err)
{
	if (!checkout->place.is_empty && !checkout->cli->options.is_force)
		return err_set(err, ERR_ALREADY_EXISTS,
		    "%s is not empty; take a new folder, or --force", checkout->place.dir);
	checkout_record_release(&checkout->record);
	checkout->record = *wanted;
	*wanted = (struct checkout_record){ 0 };
	return 0;
}

/* The record that is there, or a new one. */
static int open_place(struct checkout *checkout, struct checkout_record *wanted, struct err *err)
{
	cleanup_err struct err fault = ERR_INIT;

	if (checkout_place_open(
		checkout->cli, cli_word(checkout->cli, 1), true, &checkout->place, err) < 0)
		return -1;
	if (checkout_place_hold(&checkout->place, CHECKOUT_HOLD, &fault) == 0 &&
	    checkout_place_load(&checkout->place, &checkout->record, &fault) == 0)
		return check_origin(checkout, wanted, err);
	if (fault.code == ERR_NOT_FOUND ||
	    (fault.code == ERR_CONFIGURATION && checkout->cli->options.is_force))
		return begin_anew(checkout, wanted, err);
	err_move(err, &fault);
	return -1;
}

/* ---- what is to be done ---- */

static void want(struct work *work, size_t index, bool may_replace)
{
	const struct checkout_row *row = &work->checkout->plan.rows[index];

	ARRAY_GROW(work->wants, work->len, work->cap);
	ARRAY_GROW(work->rows, work->len, work->rows_cap);
	work->rows[work->len] = index;
	work->wants[work->len++] = (struct checkout_want){
		.path = row->path,
		.id = row->head->id,
		.version = row->head->version,
		.size = row->head->size,
		.may_replace = may_replace,
	};
}

static bool is_to_go(const struct checkout_row *row)
{
	return row->there == THERE_GONE && row->here == HERE_SAME;
}

static bool is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return strncmp(path, folder, len) == 0 && path[len] == '/';
}

/* Will the folder here be empty and gone once what is gone in the vault is? */
static bool is_emptied(const struct checkout_plan *plan, const char *folder)
{
	for (size_t i = 0; i < plan->len; i++) {
		const struct checkout_row *row = &plan->rows[i];

		if (is_below(row->path, folder) && row->local != NULL && !is_to_go(row))
			return false;
	}
	return true;
}

static const char *odd_fault(const struct checkout_local *local)
{
	return local->reason != NULL ? local->reason : "it is in the way";
}

/* A version, looked for among those of a file. */
struct search {
	struct digest hash;
	bool is_found;
};

static int look_at_version(void *ctx, const struct vault_version *version, struct err *err)
{
	struct search *search = ctx;

	(void)err;
	search->is_found = search->is_found || digest_equal(&search->hash, &version->hash);
	return 0;
}

/* After a checkout that was interrupted: may the file here be one that it wrote? It is when its bytes
 * are some version's; none of anybody's work is lost with it. 1, 0, -1. */
static int is_left_over(const struct work *work, const struct checkout_row *row, struct err *err)
{
	struct checkout *checkout = work->checkout;
	struct search search = { 0 };

	if (!checkout->record.is_under_way)
		return 0;
	if (checkout_hash(&checkout->place, row->local, &search.hash, err) < 0 ||
	    vault_version_each(
		checkout->vault, row->head->id, 0, 0, look_at_version, &search, err) < 0)
		return -1;
	return search.is_found;
}

/* What is here is not as it was checked out, or was not. */
static int plan_other_file(struct work *work, size_t index, struct err *err)
{
	const struct checkout_row *row = &work->checkout->plan.rows[index];
	int may_replace = work->is_force ? 1 : is_left_over(work, row, err);

	if (may_replace > 0)
		want(work, index, true);
	else if (may_replace == 0)
		checkout_fault(&work->faults, row->path,
		    row->base != NULL ? "it was changed here" : "another file is there");
	return may_replace < 0 ? -1 : 0;
}

/* A file of the vault that is to be here. */
static int plan_file(struct work *work, size_t index, struct err *err)
{
	const struct checkout_plan *plan = &work->checkout->plan;
	const struct checkout_row *row = &plan->rows[index];

	if (row->here == HERE_ODD)
		checkout_fault(&work->faults, row->path, odd_fault(row->local));
	else if (row->local != NULL && row->local->kind == CHECKOUT_FOLDER &&
		 !is_emptied(plan, row->path))
		checkout_fault(&work->faults, row->path, "a folder is in the way");
	else if (row->is_equal || (row->here == HERE_SAME && row->there == THERE_SAME))
		work->bytes += row->head->size;
	else if (row->here == HERE_CHANGED || row->here == HERE_NEW)
		return plan_other_file(work, index, err);
	else
		want(work, index, row->local != NULL && row->local->kind == CHECKOUT_FILE);
	return 0;
}

/* What is here and no file of the vault's, any more or at all. */
static void plan_other(struct work *work, const struct checkout_row *row)
{
	bool is_in_the_way = row->head != NULL && row->local != NULL && !is_to_go(row);

	if (is_in_the_way)
		checkout_fault(&work->faults, row->path, "it is in the way of a folder");
	else if (row->there == THERE_GONE && row->here == HERE_CHANGED && !work->is_force)
		checkout_fault(
		    &work->faults, row->path, "it was changed here, and is gone in the vault");
}

static int plan_work(struct work *work, struct err *err)
{
	const struct checkout_plan *plan = &work->checkout->plan;

	for (size_t i = 0; i < plan->len; i++) {
		const struct checkout_row *row = &plan->rows[i];

		if (row->head == NULL || row->head->is_folder)
			plan_other(work, row);
		else if (plan_file(work, i, err) < 0)
			return -1;
	}
	return checkout_faults_check(&work->faults, ERR_CONFLICT,
	    work->is_force
		? "nothing was changed; these are in the way"
		: "nothing was changed; these are in the way (--force replaces files that differ)",
	    err);
}

/* ---- doing it ---- */

static int remove_gone(struct work *work, struct err *err)
{
	const struct checkout_plan *plan = &work->checkout->plan;

	for (size_t i = 0; i < plan->len; i++) {
		if (!is_to_go(&plan->rows[i]))
			continue;
		if (checkout_place_remove(&work->checkout->place, plan->rows[i].path, err) < 0)
			return -1;
		work->removed++;
	}
	return 0;
}

static int make_folders(struct checkout *checkout, struct err *err)
{
	for (size_t i = 0; i < checkout->heads.len; i++) {
		const struct checkout_head *head = &checkout->heads.items[i];

		if (head->is_folder &&
		    checkout_place_make_folder(&checkout->place, head->path, err) < 0)
			return -1;
	}
	return 0;
}

static void note_written(void *ctx, size_t index, const struct stat *st)
{
	struct work *work = ctx;

	checkout_file_stamp(&work->written[index], st);
	work->bytes += st->st_size;
}

/* What is here now, in the order of the rows. */
static void list_files(const struct work *work, struct checkout_record *next)
{
	const struct checkout_plan *plan = &work->checkout->plan;
	size_t at = 0;

	for (size_t i = 0; i < plan->len; i++) {
		const struct checkout_row *row = &plan->rows[i];
		struct checkout_file *file;

		if (at == work->len || work->rows[at] != i) {
			if (row->there != THERE_GONE)
				checkout_row_keep(row, next);
			continue;
		}
		file = checkout_record_add(next, NULL);
		*file = work->written[at++];
		file->path = xstrdup(row->path);
		(void)snprintf(file->id, sizeof(file->id), "%s", row->head->id);
		(void)snprintf(file->version, sizeof(file->version), "%s", row->head->version);
		file->number = row->head->number;
		file->hash = row->head->hash;
	}
}

static int save_record(const struct work *work, struct err *err)
{
	cleanup_record struct checkout_record next = checkout_record_next(&work->checkout->record);

	next.is_under_way = false;
	next.time_us = clock_wall_us();
	list_files(work, &next);
	return checkout_place_save(&work->checkout->place, &next, err);
}

/* Says that work begins. The record gets a later clock by that: what was too new to go by its times
 * still is. */
static int save_beginning(struct checkout *checkout, struct err *err)
{
	struct checkout_record *record = &checkout->record;

	record->is_under_way = true;
	for (size_t i = 0; i < record->len; i++) {
		struct checkout_file *file = &record->files[i];

		if (file->ctime_ns >= record->clock_ns || file->mtime_ns >= record->clock_ns)
			file->inode = -1;
	}
	return checkout_place_save(&checkout->place, record, err);
}

static int do_work(struct work *work, struct err *err)
{
	struct checkout *checkout = work->checkout;
	struct checkout_place *place = &checkout->place;

	if (place->own_fd < 0 && checkout_place_hold(place, CHECKOUT_MAKE, err) < 0)
		return -1;
	if (save_beginning(checkout, err) < 0 || remove_gone(work, err) < 0 ||
	    make_folders(checkout, err) < 0)
		return -1;
	work->written = xcalloc(work->len + 1, sizeof(*work->written));
	if (checkout_fill(place, checkout->vault, "workspace checkout", checkout->heads.folder.id,
		work->wants, work->len, &checkout->progress, note_written, work, err) < 0)
		return -1;
	return save_record(work, err);
}

/* ---- the command ---- */

static void tell(const struct work *work)
{
	struct checkout *checkout = work->checkout;
	struct cli *cli = checkout->cli;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	int64_t files = 0;
	char size[CLI_SIZE_SIZE];

	for (size_t i = 0; i < checkout->heads.len; i++)
		files += !checkout->heads.items[i].is_folder;
	json_write_object_begin(&w);
	checkout_write_origin(checkout, &w);
	json_write_member_int(&w, "files", files);
	json_write_member_int(&w, "bytes", work->bytes);
	json_write_member_int(&w, "written", (int64_t)work->len);
	json_write_member_int(&w, "unchanged", files - (int64_t)work->len);
	json_write_member_int(&w, "removed", work->removed);
	checkout_left_out_write(&checkout->heads, &w);
	json_write_object_end(&w);
	cli_format_size(work->bytes, size);
	cli_line(&cli->out, "checked out: %s into %s, %" PRId64 " files, %s",
	    checkout->heads.folder.path, checkout->place.dir, files, size);
	if ((int64_t)work->len != files || work->removed > 0)
		cli_line(&cli->out,
		    "%zu written, %" PRId64 " were as they are in the vault, %" PRId64
		    " removed because they are gone there",
		    work->len, files - (int64_t)work->len, work->removed);
	checkout_left_out_show(&checkout->heads, &cli->out);
}

static int check_out(struct work *work, struct err *err)
{
	struct checkout *checkout = work->checkout;
	cleanup_record struct checkout_record wanted = { 0 };

	if (find_workspace(checkout, &wanted, err) < 0 ||
	    checkout_heads_load(
		checkout->vault, checkout_record_folder(&wanted), &checkout->heads, err) < 0 ||
	    open_place(checkout, &wanted, err) < 0 ||
	    checkout_walk(&checkout->place, &checkout->walk, err) < 0 ||
	    checkout_plan(&checkout->place, &checkout->record, &checkout->walk, &checkout->heads,
		&checkout->plan, err) < 0 ||
	    plan_work(work, err) < 0 || do_work(work, err) < 0)
		return -1;
	tell(work);
	return 0;
}

int cmd_vault_workspace_checkout(struct cli *cli, struct err *err)
{
	cleanup_checkout struct checkout checkout = CHECKOUT_INIT(cli);
	struct work work = {
		.checkout = &checkout,
		.is_force = cli->options.is_force,
		.faults = CHECKOUT_FAULTS_INIT,
	};
	int result;

	if (cli_progress_init(&checkout.progress, "checkout", cli->options.progress, err) < 0)
		return -1;
	checkout.vault = cli_vault_open(cli, err);
	if (checkout.vault == NULL)
		return -1;
	result = check_out(&work, err);
	work_release(&work);
	return result;
}
