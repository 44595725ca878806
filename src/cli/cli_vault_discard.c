/* SPDX-License-Identifier: MIT */
/* stile vault workspace discard: files of a checkout as they were checked out. */
#include "cli/cli_checkout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct discard {
	struct checkout *checkout;
	struct strvec paths; /* as they stand in the record; none: all */
	struct checkout_faults faults;
	struct checkout_want *wants;
	struct checkout_file *written; /* as long as wants */
	size_t *rows;
	size_t len;
};

static void discard_release(struct discard *discard)
{
	strvec_release(&discard->paths);
	checkout_faults_release(&discard->faults);
	free(discard->wants);
	free(discard->written);
	free(discard->rows);
}

/* ---- which ---- */

/* "./a/" is "a". */
static char *plain_path(const char *word)
{
	size_t len;

	while (strncmp(word, "./", 2) == 0)
		word += 2 + strspn(word + 2, "/");
	for (len = strlen(word); len > 0 && word[len - 1] == '/';)
		len--;
	return xmemdupz(word, len);
}

static int read_words(struct discard *discard, struct err *err)
{
	const struct cli_options *options = &discard->checkout->cli->options;

	if ((options->words.len > 1) == options->is_all)
		return err_set(err, ERR_USAGE,
		    "name the files to put back, by their paths in the checkout, or give --all");
	for (size_t i = 1; i < options->words.len; i++)
		strvec_take(&discard->paths, plain_path(options->words.items[i]));
	return 0;
}

static bool covers(const char *path, const char *file)
{
	size_t len = strlen(path);

	return strncmp(file, path, len) == 0 && (file[len] == '\0' || file[len] == '/');
}

static bool is_chosen(const struct discard *discard, const struct checkout_row *row)
{
	for (size_t i = 0; i < discard->paths.len; i++) {
		if (covers(discard->paths.items[i], row->path))
			return true;
	}
	return discard->paths.len == 0;
}

/* A path that names nothing on record is a typing mistake; one that names only what is new too. */
static void check_path(struct discard *discard, const char *path)
{
	const struct checkout_plan *plan = &discard->checkout->plan;
	const char *reason = "there is no such file on record";

	for (size_t i = 0; i < plan->len; i++) {
		if (!covers(path, plan->rows[i].path))
			continue;
		if (plan->rows[i].base != NULL)
			return;
		reason = "it is new: there is nothing to put back";
	}
	checkout_fault(&discard->faults, path, reason);
}

/* ---- what ---- */

static void plan_row(struct discard *discard, size_t index)
{
	const struct checkout_row *row = &discard->checkout->plan.rows[index];
	const struct checkout_file *base = row->base;

	if (base == NULL || row->is_equal || row->here == HERE_SAME || !is_chosen(discard, row))
		return;
	if (row->here == HERE_ODD || (row->local != NULL && row->local->kind == CHECKOUT_FOLDER)) {
		checkout_fault(&discard->faults, row->path, "something else is in its place");
		return;
	}
	discard->rows[discard->len] = index;
	discard->wants[discard->len++] = (struct checkout_want){
		.path = row->path,
		.id = base->id,
		.version = base->version,
		.size = base->size,
		.may_replace = row->local != NULL,
	};
}

static int plan_all(struct discard *discard, struct err *err)
{
	const struct checkout_plan *plan = &discard->checkout->plan;

	discard->wants = xcalloc(plan->len + 1, sizeof(*discard->wants));
	discard->written = xcalloc(plan->len + 1, sizeof(*discard->written));
	discard->rows = xcalloc(plan->len + 1, sizeof(*discard->rows));
	for (size_t i = 0; i < discard->paths.len; i++)
		check_path(discard, discard->paths.items[i]);
	for (size_t i = 0; i < plan->len; i++)
		plan_row(discard, i);
	return checkout_faults_check(&discard->faults, ERR_CONFLICT, "nothing was put back", err);
}

/* ---- doing it ---- */

static void note_written(void *ctx, size_t index, const struct stat *st)
{
	struct discard *discard = ctx;

	checkout_file_stamp(&discard->written[index], st);
}

static int save_record(const struct discard *discard, struct err *err)
{
	struct checkout *checkout = discard->checkout;
	cleanup_record struct checkout_record next = checkout_record_next(&checkout->record);
	size_t at = 0;

	for (size_t i = 0; i < checkout->plan.len; i++) {
		const struct checkout_row *row = &checkout->plan.rows[i];
		struct checkout_file *file;

		if (at == discard->len || discard->rows[at] != i) {
			checkout_row_keep(row, &next);
			continue;
		}
		file = checkout_record_add(&next, NULL);
		*file = *row->base;
		file->path = xstrdup(row->path);
		file->mtime_ns = discard->written[at].mtime_ns;
		file->ctime_ns = discard->written[at].ctime_ns;
		file->size = discard->written[at].size;
		file->inode = discard->written[at++].inode;
	}
	return checkout_place_save(&checkout->place, &next, err);
}

static int put_back(struct discard *discard, struct err *err)
{
	struct checkout *checkout = discard->checkout;

	if (discard->len == 0)
		return 0;
	if (checkout_fill(&checkout->place, checkout->vault, "workspace discard",
		checkout->heads.folder.id, discard->wants, discard->len, &checkout->progress,
		note_written, discard, err) < 0)
		return -1;
	return save_record(discard, err);
}

static void tell(const struct discard *discard)
{
	const struct checkout *checkout = discard->checkout;
	struct cli *cli = checkout->cli;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	json_write_object_begin(&w);
	checkout_write_origin(checkout, &w);
	json_write_key(&w, "put_back");
	json_write_array_begin(&w);
	for (size_t i = 0; i < discard->len; i++) {
		const struct checkout_row *row = &checkout->plan.rows[discard->rows[i]];

		checkout_row_write(row, &w);
		cli_line(&cli->out, "put back   %s  (version %" PRId64 ")", row->path,
		    row->base->number);
	}
	json_write_array_end(&w);
	json_write_key(&w, "left");
	json_write_array_begin(&w);
	for (size_t i = 0; i < checkout->plan.len; i++) {
		const struct checkout_row *row = &checkout->plan.rows[i];

		if (row->here != HERE_NEW || row->is_equal || !is_chosen(discard, row))
			continue;
		checkout_row_write(row, &w);
		cli_line(&cli->out, "left       %s  (new)", row->path);
	}
	json_write_array_end(&w);
	json_write_object_end(&w);
	if (discard->len == 0)
		cli_line(&cli->out, "nothing to put back");
}

int cmd_vault_workspace_discard(struct cli *cli, struct err *err)
{
	cleanup_checkout struct checkout checkout = CHECKOUT_INIT(cli);
	struct discard discard = { .checkout = &checkout, .faults = CHECKOUT_FAULTS_INIT };
	int result = read_words(&discard, err);

	if (result == 0)
		result = checkout_begin(&checkout, CHECKOUT_HOLD, "discard", err);
	if (result == 0)
		result = plan_all(&discard, err);
	if (result == 0)
		result = put_back(&discard, err);
	if (result == 0)
		tell(&discard);
	discard_release(&discard);
	return result;
}
