/* SPDX-License-Identifier: MIT */
/* What a commit tells: conflicts that it was refused for, or what became of each file. */
#include <inttypes.h>

#include "cli/cli_commit.h"

#define LISTED_MAX 1000
#define CONFLICTS_SHOWN 20

int commit_refuse(const struct commit *commit, struct err *err)
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
		if (!commit_conflicts(commit, &plan->rows[i]))
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

static void write_stored(
    const struct commit *commit, const struct checkout_row *row, struct json_writer *w)
{
	const struct checkout_file *file = &commit_item(commit, row)->stored;
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

		if (!commit_is_stored(commit, row) || ++listed > LISTED_MAX)
			continue;
		write_stored(commit, row, w);
		cli_line(out, "stored     %s  (version %" PRId64 ")", row->path,
		    commit_item(commit, row)->stored.number);
	}
	json_write_array_end(w);
}

typedef bool (*row_fn)(const struct commit *commit, const struct checkout_row *row);

static bool is_refused(const struct commit *commit, const struct checkout_row *row)
{
	(void)commit;
	return row->here == HERE_ODD && row->local->kind == CHECKOUT_REFUSED;
}

/* How many. */
static int64_t tell_rows(const struct commit *commit, const char *name, const char *label,
    row_fn is_one, struct json_writer *w)
{
	const struct checkout *checkout = commit->checkout;
	int64_t count = 0;

	json_write_key(w, name);
	json_write_array_begin(w);
	for (size_t i = 0; i < checkout->plan.len; i++) {
		const struct checkout_row *row = &checkout->plan.rows[i];

		if (!is_one(commit, row) || ++count > LISTED_MAX)
			continue;
		checkout_row_write(row, w);
		checkout_row_show(&checkout->cli->out, label, row);
	}
	json_write_array_end(w);
	return count;
}

static void say_how_it_went(const struct commit *commit, int64_t refused)
{
	struct buf *out = &commit->checkout->cli->out;

	if (commit->stored + commit->trashed > 0)
		cli_line(out, "committed: %" PRId64 " stored, %" PRId64 " in the trash",
		    commit->stored, commit->trashed);
	else
		cli_line(out, "%snothing was stored",
		    refused + commit->conflicts > 0 ? "" : "nothing has changed; ");
	if (commit->conflicts > 0)
		cli_line(out, "NOT stored: %" PRId64 " changed here and in the vault",
		    commit->conflicts);
	if (refused > 0)
		cli_line(out,
		    "NOT stored: %" PRId64
		    " refused: links, special files and names that no checkout "
		    "would write",
		    refused);
}

void commit_tell(const struct commit *commit)
{
	struct cli *cli = commit->checkout->cli;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	int64_t refused;

	json_write_object_begin(&w);
	checkout_write_origin(commit->checkout, &w);
	tell_stored(commit, &w);
	(void)tell_rows(commit, "trashed", "trashed", commit_is_to_trash, &w);
	(void)tell_rows(commit, "conflicts", "conflict", commit_conflicts, &w);
	refused = tell_rows(commit, "refused", "refused", is_refused, &w);
	json_write_key(&w, "counts");
	json_write_object_begin(&w);
	json_write_member_int(&w, "stored", commit->stored);
	json_write_member_int(&w, "trashed", commit->trashed);
	json_write_member_int(&w, "conflicts", commit->conflicts);
	json_write_member_int(&w, "refused", refused);
	json_write_object_end(&w);
	json_write_member_bool(&w, "is_partial", commit->conflicts + refused > 0);
	json_write_object_end(&w);
	say_how_it_went(commit, refused);
}
