/* SPDX-License-Identifier: MIT */
/*
 * stile vault workspace commit: what was changed in a checkout becomes versions, all of it or nothing.
 *
 * Bytes are read before anybody has to wait, then all changes are one transaction, each on condition that
 * the file is still at the version that was checked out. The record is written last: when we are killed
 * in between, the next command finds the bytes here to be those in the vault, and is content.
 */
#include "cli/cli_commit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ATTEMPTS 4 /* while others change the vault under us */

/* A file that is read. */
struct source {
	struct commit *commit;
	int fd;
};

/* ---- what is to be done ---- */

bool commit_conflicts(const struct commit *commit, const struct checkout_row *row)
{
	if (row->here == HERE_DELETED && !commit->checkout->cli->options.has_deletions)
		return false;
	return checkout_row_conflicts(row);
}

bool commit_is_to_store(const struct commit *commit, const struct checkout_row *row)
{
	return (row->here == HERE_CHANGED || row->here == HERE_NEW) && !row->is_equal &&
	       !commit_conflicts(commit, row);
}

bool commit_is_to_trash(const struct commit *commit, const struct checkout_row *row)
{
	return commit->checkout->cli->options.has_deletions && row->here == HERE_DELETED &&
	       row->there == THERE_SAME;
}

struct checkout_item *commit_item(const struct commit *commit, const struct checkout_row *row)
{
	return &commit->items[row->local - commit->checkout->walk.items];
}

bool commit_is_stored(const struct commit *commit, const struct checkout_row *row)
{
	return commit_is_to_store(commit, row) && commit_item(commit, row)->stored.id[0] != '\0';
}

static int check_conflicts(struct commit *commit, struct err *err)
{
	const struct checkout_plan *plan = &commit->checkout->plan;

	commit->conflicts = 0;
	for (size_t i = 0; i < plan->len; i++)
		commit->conflicts += commit_conflicts(commit, &plan->rows[i]);
	if (commit->conflicts == 0 || commit->checkout->cli->options.is_onto_latest)
		return 0;
	return commit_refuse(commit, err);
}

/* A new file that nobody could check out is not stored. */
static int check_new_names(const struct commit *commit, struct err *err)
{
	const struct checkout *checkout = commit->checkout;
	cleanup_faults struct checkout_faults faults = CHECKOUT_FAULTS_INIT;
	const char **paths = xcalloc(checkout->heads.len + checkout->plan.len + 1, sizeof(*paths));
	size_t len = 0;
	bool has_new = false;

	for (size_t i = 0; i < checkout->heads.len; i++) {
		if (checkout->heads.items[i].is_folder)
			paths[len++] = checkout->heads.items[i].path;
	}
	for (size_t i = 0; i < checkout->plan.len; i++) {
		const struct checkout_row *row = &checkout->plan.rows[i];
		bool is_new = row->here == HERE_NEW && commit_is_to_store(commit, row);
		bool is_there = row->head != NULL && !row->head->is_folder;

		if (is_new || (is_there && !commit_is_to_trash(commit, row)))
			paths[len++] = row->path;
		has_new = has_new || is_new;
	}
	if (has_new)
		checkout_find_twins(paths, len, &faults);
	free(paths);
	return checkout_faults_check(
	    &faults, ERR_INVALID_ARGUMENT, "nothing was stored; rename these first", err);
}

/* ---- reading ---- */

static int64_t read_source(void *ctx, void *data, size_t len, struct err *err)
{
	struct source *source = ctx;
	struct commit *commit = source->commit;
	ssize_t got;

	do
		got = read(source->fd, data, len);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_errno(err, errno, "read");
	commit->done += got;
	cli_progress_step(&commit->checkout->progress, commit->done, commit->all);
	return got;
}

static int changing(const char *path, struct err *err)
{
	return err_set(err, ERR_CONFLICT,
	    "%s: the file changed while it was read; nothing was stored; try again when nobody "
	    "writes to it",
	    path);
}

static int stage(struct commit *commit, const struct checkout_row *row, struct err *err)
{
	struct checkout *checkout = commit->checkout;
	cleanup_staged struct vault_staged *staged = NULL;
	struct stat st = { 0 };
	cleanup_fd int fd = checkout_place_read(&checkout->place, row->path, &st, err);
	struct source source = { .commit = commit, .fd = fd };

	if (fd < 0)
		return -1;
	if (!checkout_local_is(row->local, &st))
		return changing(row->path, err);
	staged = vault_stage(checkout->vault, read_source, &source, err);
	if (staged == NULL)
		return err_wrap(err, "%s", row->path);
	if (fstat(fd, &st) < 0 || !checkout_local_is(row->local, &st))
		return changing(row->path, err);
	commit_item(commit, row)->staged = steal_ptr(&staged);
	return 0;
}

static int stage_all(struct commit *commit, struct err *err)
{
	const struct checkout_plan *plan = &commit->checkout->plan;

	commit->done = commit->all = 0;
	for (size_t i = 0; i < plan->len; i++)
		commit->all +=
		    commit_is_to_store(commit, &plan->rows[i]) ? plan->rows[i].local->size : 0;
	for (size_t i = 0; i < plan->len; i++) {
		const struct checkout_row *row = &plan->rows[i];

		if (commit_is_to_store(commit, row) && commit_item(commit, row)->staged == NULL &&
		    stage(commit, row, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- storing ---- */

static int trash(struct commit *commit, const struct checkout_row *row, struct err *err)
{
	struct vault_entry entry = { 0 };

	if (vault_trash(commit->checkout->vault, row->base->id, VAULT_WANT_FILE, &entry, err) < 0)
		return err_wrap(err, "%s", row->path);
	vault_entry_release(&entry);
	commit->trashed++;
	return 0;
}

/* The folders of a new file. */
static int ensure_folder(struct commit *commit, const struct checkout_row *row, struct err *err)
{
	const char *slash = strrchr(row->path, '/');
	cleanup_free char *ref = NULL;
	struct vault_entry entry = { 0 };

	if (row->head != NULL || row->base != NULL || slash == NULL)
		return 0;
	ref = xasprintf(
	    "%s/%.*s", commit->checkout->heads.folder.id, (int)(slash - row->path), row->path);
	if (vault_folder_ensure(commit->checkout->vault, ref, &entry, err) < 0)
		return -1;
	vault_entry_release(&entry);
	return 0;
}

static void note_stored(
    struct commit *commit, const struct checkout_row *row, const struct vault_version *version)
{
	struct checkout_file *file = &commit_item(commit, row)->stored;

	(void)snprintf(file->id, sizeof(file->id), "%s", version->file);
	(void)snprintf(file->version, sizeof(file->version), "%s", version->id);
	file->number = version->number;
	file->hash = version->hash;
	file->size = row->local->size;
	file->mtime_ns = row->local->mtime_ns;
	file->ctime_ns = row->local->ctime_ns;
	file->inode = row->local->inode;
	commit->stored++;
}

static int put(struct commit *commit, const struct checkout_row *row, struct err *err)
{
	struct checkout *checkout = commit->checkout;
	const struct vault_put how = {
		.message = checkout->cli->options.message,
		.expect = row->base != NULL ? row->base->version : "0",
	};
	cleanup_free char *ref = row->base != NULL
				     ? xstrdup(row->base->id)
				     : xasprintf("%s/%s", checkout->heads.folder.id, row->path);
	struct vault_version version = { 0 };

	if (ensure_folder(commit, row, err) < 0 ||
	    vault_file_put(
		checkout->vault, ref, commit_item(commit, row)->staged, &how, &version, err) < 0)
		return err_wrap(err, "%s", row->path);
	note_stored(commit, row, &version);
	vault_version_release(&version);
	return 0;
}

/* What goes makes room for what comes: a file may have become a folder. */
static int change_all(struct commit *commit, struct err *err)
{
	const struct checkout_plan *plan = &commit->checkout->plan;

	commit->stored = commit->trashed = 0;
	for (size_t i = 0; i < plan->len; i++) {
		if (commit_is_to_trash(commit, &plan->rows[i]) &&
		    trash(commit, &plan->rows[i], err) < 0)
			return -1;
	}
	for (size_t i = 0; i < plan->len; i++) {
		if (commit_is_to_store(commit, &plan->rows[i]) &&
		    put(commit, &plan->rows[i], err) < 0)
			return -1;
	}
	return 0;
}

static bool has_work(const struct commit *commit)
{
	const struct checkout_plan *plan = &commit->checkout->plan;

	for (size_t i = 0; i < plan->len; i++) {
		if (commit_is_to_store(commit, &plan->rows[i]) ||
		    commit_is_to_trash(commit, &plan->rows[i]))
			return true;
	}
	return false;
}

/* All changes as one transaction. 1, with err: the vault moved on since we looked at it. */
static int store(struct commit *commit, struct err *err)
{
	struct vault *vault = commit->checkout->vault;

	if (!has_work(commit))
		return 0;
	if (vault_batch_begin(vault, "workspace commit", err) < 0)
		return -1;
	if (change_all(commit, err) == 0 && vault_batch_commit(vault, err) == 0)
		return 0;
	vault_batch_rollback(vault);
	commit->stored = commit->trashed = 0;
	return err->code == ERR_CONFLICT ? 1 : -1;
}

/* The vault may move on between our look at it and the transaction: then all is compared anew, and what
 * is a conflict by now is told as one. */
static int store_patiently(struct commit *commit, struct err *err)
{
	for (int attempt = 1;; attempt++) {
		int result;

		if (check_conflicts(commit, err) < 0 || check_new_names(commit, err) < 0 ||
		    stage_all(commit, err) < 0)
			return -1;
		result = store(commit, err);
		if (result <= 0 || attempt == ATTEMPTS)
			return result == 0 ? 0 : -1;
		err_release(err);
		if (checkout_compare(commit->checkout, err) < 0)
			return -1;
	}
}

/* ---- the record ---- */

static bool is_stale(const struct checkout_row *row, const struct checkout_record *record)
{
	const struct checkout_file *base = row->base;

	if (row->is_equal && (base == NULL || strcmp(base->version, row->head->version) != 0))
		return true;
	if (row->here == HERE_DELETED && row->there == THERE_GONE)
		return true;
	return row->here == HERE_SAME &&
	       (base->mtime_ns != row->local->mtime_ns || base->ctime_ns != row->local->ctime_ns ||
		   base->inode != row->local->inode || base->ctime_ns >= record->clock_ns);
}

static int save_record(const struct commit *commit, struct err *err)
{
	struct checkout *checkout = commit->checkout;
	cleanup_record struct checkout_record next = checkout_record_next(&checkout->record);

	for (size_t i = 0; i < checkout->plan.len; i++) {
		const struct checkout_row *row = &checkout->plan.rows[i];

		if (commit_is_stored(commit, row)) {
			struct checkout_file *file = checkout_record_add(&next, NULL);

			*file = commit_item(commit, row)->stored;
			file->path = xstrdup(row->path);
		} else if (row->here != HERE_DELETED ||
			   (row->there != THERE_GONE && !commit_is_to_trash(commit, row))) {
			checkout_row_keep(row, &next);
		}
	}
	return checkout_place_save(&checkout->place, &next, err);
}

/* Written when it would say something else; then the next status need not read as much. */
static int renew_record(const struct commit *commit, struct err *err)
{
	const struct checkout *checkout = commit->checkout;
	bool is_needed = commit->stored + commit->trashed > 0;

	for (size_t i = 0; i < checkout->plan.len && !is_needed; i++)
		is_needed = is_stale(&checkout->plan.rows[i], &checkout->record);
	if (!is_needed || save_record(commit, err) == 0)
		return 0;
	return err_wrap(err, "all is in the vault, only the record of the checkout is as before");
}

static void release_items(struct commit *commit)
{
	for (size_t i = 0; i < commit->checkout->walk.len; i++)
		vault_staged_free(commit->items[i].staged);
	free(commit->items);
}

int cmd_vault_workspace_commit(struct cli *cli, struct err *err)
{
	cleanup_checkout struct checkout checkout = CHECKOUT_INIT(cli);
	struct commit commit = { .checkout = &checkout };
	int result;

	if (cli->options.message == NULL || cli->options.message[0] == '\0')
		return err_set(err, ERR_USAGE, "a commit wants --message: what changed?");
	if (checkout_begin(&checkout, CHECKOUT_HOLD, "commit", err) < 0)
		return -1;
	commit.items = xcalloc(checkout.walk.len + 1, sizeof(*commit.items));
	result = store_patiently(&commit, err);
	cli_progress_end(&checkout.progress);
	if (result == 0)
		result = renew_record(&commit, err);
	if (result == 0)
		commit_tell(&commit);
	release_items(&commit);
	return result;
}
