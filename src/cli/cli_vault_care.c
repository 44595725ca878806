/* SPDX-License-Identifier: MIT */
/* stile vault fsck|gc|backup: care of the store; each takes a while and shows how far it is. */
#include "cli/cli_vault.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli_progress.h"

#define FAULTS_SHOWN 1000

/* What the callbacks of all three are given. */
struct care {
	struct cli *cli;
	struct cli_progress progress;
	struct strvec faults;
};

static void on_progress(void *ctx, int64_t done, int64_t all)
{
	struct care *care = ctx;

	cli_progress_step(&care->progress, done, all);
}

/* ---- fsck ---- */

static void on_fault(void *ctx, const char *what)
{
	struct care *care = ctx;

	if (care->faults.len < FAULTS_SHOWN)
		strvec_push(&care->faults, what);
}

static void write_faults(struct care *care, struct json_writer *w)
{
	json_write_key(w, "faults");
	json_write_array_begin(w);
	for (size_t i = 0; i < care->faults.len; i++) {
		json_write_string(w, care->faults.items[i]);
		cli_line(&care->cli->out, "fault: %s", care->faults.items[i]);
	}
	json_write_array_end(w);
}

static void write_fsck(struct care *care, const struct vault_fsck *fsck)
{
	struct cli *cli = care->cli;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	char size[CLI_SIZE_SIZE];

	cli_format_size(fsck->bytes, size);
	json_write_object_begin(&w);
	json_write_member_int(&w, "entries", fsck->entries);
	json_write_member_int(&w, "versions", fsck->versions);
	json_write_member_int(&w, "contents", fsck->contents);
	json_write_member_int(&w, "chunks", fsck->chunks);
	json_write_member_int(&w, "bytes", fsck->bytes);
	json_write_member_int(&w, "fault_count", fsck->faults);
	write_faults(care, &w);
	json_write_object_end(&w);
	cli_line(&cli->out,
	    "looked at: %" PRId64 " entries, %" PRId64 " versions, %" PRId64 " contents in %" PRId64
	    " chunks, %s",
	    fsck->entries, fsck->versions, fsck->contents, fsck->chunks, size);
	if (fsck->faults == 0)
		cli_line(&cli->out, "no fault: all of it is as it was stored");
}

int cmd_vault_fsck(struct cli *cli, struct err *err)
{
	struct care care = { .cli = cli };
	struct vault_fsck fsck = { 0 };
	cleanup_vault struct vault *vault = NULL;
	int result = cli_progress_init(&care.progress, "fsck", cli->options.progress, err);

	if (result == 0) {
		vault = cli_vault_open(cli, err);
		result = vault == NULL
			     ? -1
			     : vault_fsck(vault, on_fault, on_progress, &care, &fsck, err);
	}
	if (result == 0 && cli->options.is_repair_index)
		result = vault_repair_index(vault, err);
	cli_progress_end(&care.progress);
	if (result == 0)
		write_fsck(&care, &fsck);
	strvec_release(&care.faults);
	if (result == 0 && fsck.faults > 0)
		return err_set(err, ERR_CHECK_FAILED,
		    "the vault has %" PRId64 " faults; restore a backup of before they came",
		    fsck.faults);
	return result;
}

/* ---- gc ---- */

static void write_gc(struct cli *cli, const struct vault_gc *gc)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	char size[CLI_SIZE_SIZE];
	char given_back[CLI_SIZE_SIZE];

	cli_format_size(gc->bytes, size);
	cli_format_size(gc->given_back, given_back);
	json_write_object_begin(&w);
	json_write_member_int(&w, "contents", gc->contents);
	json_write_member_int(&w, "chunks", gc->chunks);
	json_write_member_int(&w, "bytes", gc->bytes);
	json_write_member_int(&w, "given_back_bytes", gc->given_back);
	json_write_object_end(&w);
	cli_line(&cli->out, "removed: %" PRId64 " contents, %" PRId64 " chunks, %s", gc->contents,
	    gc->chunks, size);
	cli_line(&cli->out, "given back to the disk: %s", given_back);
}

int cmd_vault_gc(struct cli *cli, struct err *err)
{
	struct care care = { .cli = cli };
	struct vault_gc gc = { 0 };
	cleanup_vault struct vault *vault = NULL;
	int result = cli_progress_init(&care.progress, "gc", cli->options.progress, err);

	if (result == 0) {
		vault = cli_vault_open(cli, err);
		result = vault == NULL ? -1 : vault_gc(vault, on_progress, &care, &gc, err);
	}
	cli_progress_end(&care.progress);
	if (result == 0)
		write_gc(cli, &gc);
	return result;
}

/* ---- backup ---- */

int cmd_vault_backup(struct cli *cli, struct err *err)
{
	const char *path = cli_word(cli, 0);
	struct care care = { .cli = cli };
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	cleanup_vault struct vault *vault = NULL;
	int result = cli_progress_init(&care.progress, "backup", cli->options.progress, err);

	if (result == 0) {
		vault = cli_vault_open(cli, err);
		result = vault == NULL ? -1 : vault_backup(vault, path, on_progress, &care, err);
	}
	cli_progress_end(&care.progress);
	if (result < 0)
		return -1;
	json_write_object_begin(&w);
	json_write_member_string(&w, "out", path);
	json_write_object_end(&w);
	cli_line(&cli->out, "copied to: %s", path);
	return 0;
}
