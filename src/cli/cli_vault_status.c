/* SPDX-License-Identifier: MIT */
/* stile vault workspace status: how a checkout differs from what was checked out, and that from what
 * is in the vault by now. */
#include "cli/cli_checkout.h"

#include <inttypes.h>
#include <string.h>

#define LISTED_MAX 1000

/* The kinds of rows that are told, in this order; a row may be of several. */
struct kind {
	const char *name;  /* in JSON */
	const char *label; /* for people */
	bool (*is_one)(const struct checkout_row *row);
};

static bool is_changed(const struct checkout_row *row)
{
	return row->here == HERE_CHANGED && !row->is_equal;
}

static bool is_new(const struct checkout_row *row)
{
	return row->here == HERE_NEW && !row->is_equal;
}

static bool is_deleted(const struct checkout_row *row)
{
	return row->here == HERE_DELETED && row->there != THERE_GONE;
}

/* The vault has another state than the one on record, and this folder has not got it. */
static bool is_moved_on(const struct checkout_row *row)
{
	if (row->is_equal)
		return false;
	if (row->there == THERE_GONE)
		return row->here != HERE_DELETED;
	return row->there == THERE_CHANGED || row->there == THERE_NEW;
}

static bool is_refused(const struct checkout_row *row)
{
	return row->here == HERE_ODD && row->local->kind == CHECKOUT_REFUSED;
}

static bool is_ignored(const struct checkout_row *row)
{
	return row->here == HERE_ODD && row->local->kind == CHECKOUT_IGNORED;
}

static const struct kind kinds[] = {
	{ "changed", "changed", is_changed },
	{ "new", "new", is_new },
	{ "deleted", "deleted", is_deleted },
	{ "moved_on", "moved on", is_moved_on },
	{ "conflicts", "conflict", checkout_row_conflicts },
	{ "refused", "refused", is_refused },
	{ "ignored", "ignored", is_ignored },
};

/* ---- one row ---- */

void checkout_row_write(const struct checkout_row *row, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_string(w, "path", row->path);
	if (row->base != NULL) {
		json_write_member_string(w, "id", row->base->id);
		json_write_member_string(w, "version_id", row->base->version);
		json_write_member_int(w, "version", row->base->number);
	}
	if (row->there == THERE_CHANGED || row->there == THERE_NEW) {
		json_write_member_string(w, "head_version_id", row->head->version);
		json_write_member_int(w, "head_version", row->head->number);
	}
	if (row->there == THERE_GONE)
		json_write_member_bool(w, "is_gone", true);
	if (row->here == HERE_ODD)
		json_write_member_string(w, "reason",
		    row->local->reason != NULL ? row->local->reason : "git's own is left alone");
	json_write_object_end(w);
}

void checkout_row_show(struct buf *out, const char *label, const struct checkout_row *row)
{
	cleanup_buf struct buf more = BUF_INIT;

	if (row->here == HERE_ODD && row->local->reason != NULL)
		buf_addf(&more, "  (%s)", row->local->reason);
	else if (row->there == THERE_GONE)
		buf_adds(&more, "  (gone in the vault)");
	else if (row->there == THERE_NEW)
		buf_addf(&more, "  (new in the vault: version %" PRId64 ")", row->head->number);
	else if (row->there == THERE_CHANGED)
		buf_addf(&more, "  (version %" PRId64 " here, %" PRId64 " in the vault)",
		    row->base->number, row->head->number);
	cli_line(out, "%-*s %s%s", label[0] != '\0' ? 10 : 1, label, row->path, more.data);
}

/* ---- all rows ---- */

static int64_t list_kind(struct checkout *checkout, const struct kind *kind, struct json_writer *w)
{
	const struct checkout_plan *plan = &checkout->plan;
	int64_t count = 0;

	json_write_key(w, kind->name);
	json_write_array_begin(w);
	for (size_t i = 0; i < plan->len; i++) {
		if (!kind->is_one(&plan->rows[i]) || ++count > LISTED_MAX)
			continue;
		checkout_row_write(&plan->rows[i], w);
		/* for people once */
		if (!checkout_row_conflicts(&plan->rows[i]) ||
		    kind->is_one == checkout_row_conflicts)
			checkout_row_show(&checkout->cli->out, kind->label, &plan->rows[i]);
	}
	json_write_array_end(w);
	if (count > LISTED_MAX)
		cli_line(&checkout->cli->out, "%-10s and %" PRId64 " more", kind->label,
		    count - LISTED_MAX);
	return count;
}

static int64_t count_unchanged(const struct checkout_plan *plan)
{
	int64_t count = 0;

	for (size_t i = 0; i < plan->len; i++)
		count += plan->rows[i].here == HERE_SAME || plan->rows[i].is_equal;
	return count;
}

static void show_head(struct checkout *checkout)
{
	struct buf *out = &checkout->cli->out;
	char time[CLI_TIME_SIZE];

	cli_format_time(checkout->record.time_us, time);
	cli_line(out, "%s (%s), checked out %s UTC", checkout->heads.folder.path,
	    checkout->heads.folder.id, time);
	if (checkout->record.is_under_way)
		cli_line(out, "the last checkout was interrupted; run it again");
}

static void tell(struct checkout *checkout)
{
	struct cli *cli = checkout->cli;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	int64_t counts[ARRAY_LEN(kinds)];
	int64_t unchanged = count_unchanged(&checkout->plan);
	bool is_clean = !checkout->record.is_under_way;
	bool is_cut = false;

	show_head(checkout);
	json_write_object_begin(&w);
	checkout_write_origin(checkout, &w);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		counts[i] = list_kind(checkout, &kinds[i], &w);
		is_clean = is_clean && (counts[i] == 0 || kinds[i].is_one == is_ignored);
		is_cut = is_cut || counts[i] > LISTED_MAX;
	}
	json_write_key(&w, "counts");
	json_write_object_begin(&w);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		json_write_member_int(&w, kinds[i].name, counts[i]);
	json_write_member_int(&w, "unchanged", unchanged);
	json_write_object_end(&w);
	checkout_left_out_write(&checkout->heads, &w);
	json_write_member_bool(&w, "more", is_cut);
	json_write_member_bool(&w, "is_interrupted", checkout->record.is_under_way);
	json_write_member_bool(&w, "is_clean", is_clean);
	json_write_object_end(&w);
	if (is_clean)
		cli_line(&cli->out, "nothing has changed, here or in the vault: %" PRId64 " files",
		    unchanged);
	checkout_left_out_show(&checkout->heads, &cli->out);
}

int cmd_vault_workspace_status(struct cli *cli, struct err *err)
{
	cleanup_checkout struct checkout checkout = CHECKOUT_INIT(cli);

	if (checkout_begin(&checkout, CHECKOUT_LOOK, "status", err) < 0)
		return -1;
	tell(&checkout);
	return 0;
}
