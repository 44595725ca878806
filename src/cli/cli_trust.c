/* SPDX-License-Identifier: MIT */
/* stile surface trust: a person looks at a surface file and says yes or no; the ledger keeps which. */
#include "cli/cli_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/dirs.h"
#include "base/loop.h"
#include "base/text.h"
#include "call/call.h"
#include "gate/gate.h"
#include "ledger/ledger.h"
#include "surface/surface.h"

/* ---- the question ---- */

/* What the person is asked to look at. */
static int write_question(const struct surface *surface, const struct gate_trusted *now,
    const char *digest, struct buf *ret_text, struct err *err)
{
	cleanup_buf struct buf json = BUF_INIT;

	buf_adds(ret_text, "Serve this surface to AI agents?\n\nfile             ");
	text_add_visible(ret_text, now->path, strlen(now->path));
	buf_addf(ret_text, "\ndigest           %s\n", digest);
	if (now->program != NULL)
		buf_addf(ret_text, "program file     %s%s\n", now->program,
		    now->has_program_digest ? " (you can write it: its digest is kept too)" : "");
	else
		buf_adds(ret_text, "program file     not found\n");
	if (cli_summarise_surface(surface, &json, ret_text, err) < 0)
		return -1;
	buf_addf(ret_text, "\nTo trust it, type the last four characters of the digest: ");
	return 0;
}

/* ---- the record ---- */

struct recording {
	struct loop *loop;
	struct err err;
};

static void on_recorded(void *ctx, int64_t sequence, const struct err *err)
{
	struct recording *recording = ctx;

	(void)sequence;
	if (err_is_set(err))
		err_set(&recording->err, ERR_LEDGER_UNAVAILABLE, "%s", err->message);
	loop_stop(recording->loop);
}

/* Waits until the row is durable, as long as the ledger is patient; then signs it. Another process
 * may hold the lock by then: its own seal will cover our row. */
static int write_row(const char *data_dir, const struct ledger_record *record, struct err *err)
{
	cleanup_err struct err ignored = ERR_INIT;
	struct recording recording = { .loop = loop_new(), .err = ERR_INIT };
	struct ledger *ledger = ledger_new(data_dir, recording.loop);
	int result;

	(void)ledger_queue(ledger, record, on_recorded, &recording);
	ledger_flush(ledger); /* it comes again by itself while the ledger is locked */
	result = loop_run(recording.loop, err);
	if (result == 0 && err_is_set(&recording.err)) {
		err_move(err, &recording.err);
		result = -1;
	}
	if (result == 0)
		(void)!ledger_seal(ledger, &ignored);
	ledger_free(ledger);
	loop_free(recording.loop);
	err_release(&recording.err);
	return result;
}

/* What the person said; code: of a no. */
static int record_answer(const char *data_dir, const struct surface *surface,
    const struct gate_trusted *now, enum err_code code, struct err *err)
{
	struct ledger_record record = LEDGER_RECORD_INIT;

	record.kind = LEDGER_TRUST;
	record.caller = "cli";
	record.surface = surface->name;
	record.surface_digest = &now->digest;
	record.program = now->program;
	record.code = code != ERR_NONE ? err_info(code)->wire : NULL;
	record.detail = code != ERR_NONE ? "declined" : "trusted";
	return write_row(data_dir, &record, err);
}

/* ---- the command ---- */

/* Record before effect: a yes that cannot be recorded trusts nothing. */
static int ask_and_save(
    const struct surface *surface, const struct gate_trusted *now, struct err *err)
{
	cleanup_free char *data_dir = dirs_data(err);
	cleanup_gate_trust struct gate_trust trust = GATE_TRUST_INIT;
	cleanup_buf struct buf question = BUF_INIT;
	cleanup_err struct err ignored = ERR_INIT;
	char digest[DIGEST_TEXT_SIZE];

	if (data_dir == NULL || gate_trust_load(data_dir, &trust, err) < 0)
		return -1;
	digest_format(&now->digest, digest);
	if (write_question(surface, now, digest, &question, err) < 0)
		return -1;
	if (cli_tty_confirm(question.data, digest + DIGEST_TEXT_SIZE - 1 - 4, err) < 0) {
		if (err->code == ERR_WRITE_DECLINED)
			(void)!record_answer(data_dir, surface, now, err->code, &ignored);
		return -1;
	}
	gate_trust_set(&trust, now);
	if (record_answer(data_dir, surface, now, ERR_NONE, err) < 0)
		return err_wrap(err, "%s is not trusted", surface->name);
	return gate_trust_save(data_dir, &trust, err);
}

int cmd_surface_trust(struct cli *cli, struct err *err)
{
	struct gate_trusted now = { 0 };
	struct surface *surface;
	int result;

	if (getenv("STILE_CALLER") != NULL)
		return err_set(err, ERR_PERMISSION_DENIED,
		    "only a person may trust a surface, not a program behind the boundary");
	surface = host_describe_surface(cli->options.words.items[0], &now, err);
	if (surface == NULL)
		return -1;
	result = ask_and_save(surface, &now, err);
	if (result == 0) {
		struct json_writer w = JSON_WRITER_INIT(&cli->result);

		json_write_object_begin(&w);
		json_write_member_string(&w, "surface", surface->name);
		json_write_member_string(&w, "path", now.path);
		json_write_object_end(&w);
		buf_addf(&cli->out, "trusted: %s\n", surface->name);
	}
	gate_trusted_release(&now);
	surface_free(surface);
	return result;
}
