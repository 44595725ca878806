/* SPDX-License-Identifier: MIT */
/*
 * stile vault workspace commit: what was changed in a checkout becomes versions, all of it or nothing.
 *
 * Bytes are read before anybody has to wait, then all changes are one transaction, each on condition that
 * the file is still at the version that was checked out. The record is written last: when we are killed
 * in between, the next command finds the bytes here to be those in the vault, and is content.
 */
#include "cli/cli_checkout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ATTEMPTS 4 /* while others change the vault under us */
#define LISTED_MAX 1000
#define CONFLICTS_SHOWN 20

/* One file of the walk. */
struct item {
	struct vault_staged *staged; /* its bytes, in the vault; NULL: not read */
	struct checkout_file stored; /* once it is a version; path is not used */
};

struct commit {
	struct checkout *checkout;
	struct item *items; /* as long as the walk */
	int64_t done, all;  /* bytes read */
	int64_t stored, trashed, conflicts;
};

/* A file that is read. */
struct source {
	struct commit *commit;
	int fd;
};

/* ---- what is to be done ---- */

static bool conflicts(const struct commit *commit, const struct checkout_row *row)
{
	if (row->here == HERE_DELETED && !commit->checkout->cli->options.has_deletions)
		return false;
	return checkout_row_conflicts(row);
}

static bool is_to_store(const struct commit *commit, const struct checkout_row *row)
{
	return (row->here == HERE_CHANGED || row->here == HERE_NEW) && !row->is_equal &&
	       !conflicts(commit, row);
}

static bool is_to_trash(const struct commit *commit, const struct checkout_row *row)
{
	return commit->checkout->cli->options.has_deletions && row->here == HERE_DELETED &&
	       row->there == THERE_SAME;
}

static struct item *item_of(const struct commit *commit, const struct checkout_row *row)
{
	return &commit->items[row->local - commit->checkout->walk.items];
}

static int refuse_conflicts(const struct commit *commit, struct err *err)
{
	const struct checkout_plan *plan = &commit->checkout->plan;
	cleanup_buf struct buf text = BUF_INIT;
	struct buf details = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&details);
	int64_t count = 0;

	json_write_object_begin(&w);
	json_write_key(&w, "conflicts");
	json_write_array_begin(&w);
	for (size_t i = 0; i < plan->len; i++) {
		if (!conflicts(commit, &plan->rows[i]))
			continue;
		checkout_row_write(&plan->rows[i], &w);
		if (++count <= CONFLICTS_SHOWN)
			checkout_row_show(&text, "", &plan->rows[i]);
	}
	json_write_array_end(&w);
	json_write_object_end(&w);
	while (text.len > 0 && text.data[text.len - 1] == '\n')
		buf_truncate(&text, text.len - 1);
	(void)err_set(err, ERR_CONFLICT,
	    "nothing was stored: %" PRId64 " changed here and in the vault "
	    "(--onto-latest stores the others):\n%s",
	    count, text.data);
	return err_take_details(err, buf_detach(&details));
}

static int check_conflicts(struct commit *commit, struct err *err)
{
	const struct checkout_plan *plan = &commit->checkout->plan;

	commit->conflicts = 0;
	for (size_t i = 0; i < plan->len; i++)
		commit->conflicts += conflicts(commit, &plan->rows[i]);
	if (commit->conflicts == 0 || commit->checkout->cli->options.is_onto_latest)
		return 0;
	return refuse_conflicts(commit, err);
}

/* A new file that nobody could check out is not stored. */
static int check_new_names(const struct commit *commit, struct err *err)
{
	const struct checkout *checkout = commit->checkout;
	cleanup_faults struct checkout_faults faults = CHECKOUT_FAULTS_INIT;
	const char **paths = xcalloc(checkout->heads.len + checkout->plan.len + 1, sizeof(*paths));
	size_t len = 0;
	bool has_new = false;

	for (size_t i = 0; i < checkout->heads.len; i++)
		paths[len++] = checkout->heads.items[i].path;
	for (size_t i = 0; i < checkout->plan.len; i++) {
		const struct checkout_row *row = &checkout->plan.rows[i];

		if (row->here != HERE_NEW || !is_to_store(commit, row))
			continue;
		paths[len++] = row->path;
		has_new = true;
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
	item_of(commit, row)->staged = steal_ptr(&staged);
	return 0;
}

static int stage_all(struct commit *commit, struct err *err)
{
	const struct checkout_plan *plan = &commit->checkout->plan;

	commit->done = commit->all = 0;
	for (size_t i = 0; i < plan->len; i++)
		commit->all += is_to_store(commit, &plan->rows[i]) ? plan->rows[i].local->size : 0;
	for (size_t i = 0; i < plan->len; i++) {
		const struct checkout_row *row = &plan->rows[i];

		if (is_to_store(commit, row) && item_of(commit, row)->staged == NULL &&
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
	struct checkout_file *file = &item_of(commit, row)->stored;

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
		checkout->vault, ref, item_of(commit, row)->staged, &how, &version, err) < 0)
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
		if (is_to_trash(commit, &plan->rows[i]) && trash(commit, &plan->rows[i], err) < 0)
			return -1;
	}
	for (size_t i = 0; i < plan->len; i++) {
		if (is_to_store(commit, &plan->rows[i]) && put(commit, &plan->rows[i], err) < 0)
			return -1;
	}
	return 0;
}

static bool has_work(const struct commit *commit)
{
	const struct checkout_plan *plan = &commit->checkout->plan;

	for (size_t i = 0; i < plan->len; i++) {
		if (is_to_store(commit, &plan->rows[i]) || is_to_trash(commit, &plan->rows[i]))
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
	if (vault_batch_begin(vault, err) < 0)
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

static bool is_stored(const struct commit *commit, const struct checkout_row *row)
{
	return is_to_store(commit, row) && item_of(commit, row)->stored.id[0] != '\0';
}

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

		if (is_stored(commit, row)) {
			struct checkout_file *file = checkout_record_add(&next, NULL);

			*file = item_of(commit, row)->stored;
			file->path = xstrdup(row->path);
		} else if (row->here != HERE_DELETED ||
			   (row->there != THERE_GONE && !is_to_trash(commit, row))) {
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

/* ---- telling ---- */

static void write_stored(
    const struct commit *commit, const struct checkout_row *row, struct json_writer *w)
{
	const struct checkout_file *file = &item_of(commit, row)->stored;
	char hash[DIGEST_TEXT_SIZE];

	digest_format(&file->hash, hash);
	json_write_object_begin(w);
	json_write_member_string(w, "path", row->path);
	json_write_member_string(w, "id", file->id);
	json_write_member_string(w, "version_id", file->version);
	json_write_member_int(w, "version", file->number);
	json_write_member_int(w, "size", file->size);
	json_write_member_string(w, "hash", hash);
	json_write_object_end(w);
}

static void tell_stored(const struct commit *commit, struct json_writer *w)
{
	const struct checkout *checkout = commit->checkout;
	struct buf *out = &checkout->cli->out;
	int64_t listed = 0;

	json_write_key(w, "stored");
	json_write_array_begin(w);
	for (size_t i = 0; i < checkout->plan.len; i++) {
		const struct checkout_row *row = &checkout->plan.rows[i];

		if (!is_stored(commit, row) || ++listed > LISTED_MAX)
			continue;
		write_stored(commit, row, w);
		cli_line(out, "stored     %s  (version %" PRId64 ")", row->path,
		    item_of(commit, row)->stored.number);
	}
	json_write_array_end(w);
}

typedef bool (*row_fn)(const struct commit *commit, const struct checkout_row *row);

static bool is_refused(const struct commit *commit, const struct checkout_row *row)
{
	(void)commit;
	return row->here == HERE_ODD && row->local->kind == CHECKOUT_REFUSED;
}

static void tell_rows(const struct commit *commit, const char *name, const char *label,
    row_fn is_one, struct json_writer *w)
{
	const struct checkout *checkout = commit->checkout;
	int64_t listed = 0;

	json_write_key(w, name);
	json_write_array_begin(w);
	for (size_t i = 0; i < checkout->plan.len; i++) {
		const struct checkout_row *row = &checkout->plan.rows[i];

		if (!is_one(commit, row) || ++listed > LISTED_MAX)
			continue;
		checkout_row_write(row, w);
		checkout_row_show(&checkout->cli->out, label, row);
	}
	json_write_array_end(w);
}

static void tell(const struct commit *commit)
{
	struct cli *cli = commit->checkout->cli;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	json_write_object_begin(&w);
	checkout_write_origin(commit->checkout, &w);
	tell_stored(commit, &w);
	tell_rows(commit, "trashed", "trashed", is_to_trash, &w);
	tell_rows(commit, "conflicts", "conflict", conflicts, &w);
	tell_rows(commit, "refused", "refused", is_refused, &w);
	json_write_key(&w, "counts");
	json_write_object_begin(&w);
	json_write_member_int(&w, "stored", commit->stored);
	json_write_member_int(&w, "trashed", commit->trashed);
	json_write_member_int(&w, "conflicts", commit->conflicts);
	json_write_object_end(&w);
	json_write_object_end(&w);
	if (commit->stored + commit->trashed == 0)
		cli_line(&cli->out, "nothing has changed; nothing was stored");
	else
		cli_line(&cli->out, "committed: %" PRId64 " stored, %" PRId64 " in the trash",
		    commit->stored, commit->trashed);
	if (commit->conflicts > 0)
		cli_line(&cli->out, "not stored: %" PRId64 " changed here and in the vault",
		    commit->conflicts);
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
		tell(&commit);
	release_items(&commit);
	return result;
}
