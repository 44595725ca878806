/* SPDX-License-Identifier: MIT */
/* Verification, row by row: the same rules for rows of a database and of an export. */
#include "ledger/ledger_internal.h"

#include <inttypes.h>
#include <string.h>

int chain_fault(struct err *err, int64_t sequence, const char *fault, const char *what)
{
	cleanup_buf struct buf details = BUF_INIT;
	struct json_writer writer = JSON_WRITER_INIT(&details);

	json_write_object_begin(&writer);
	json_write_member_int(&writer, "sequence", sequence);
	json_write_member_string(&writer, "fault", fault);
	json_write_object_end(&writer);
	(void)err_set(err, ERR_CHECK_FAILED, "ledger row %" PRId64 " %s", sequence, what);
	return err_take_details(err, buf_detach(&details));
}

/* The next row must be the next number: a gap is named by the first row that is not there. */
static int check_place(const struct chain *chain, const struct ledger_row *row, struct err *err)
{
	int64_t wanted = chain->report.rows + 1;

	if (row->sequence > wanted)
		return chain_fault(
		    err, wanted, "missing", "is missing or out of place: a later one follows");
	if (row->sequence < wanted)
		return chain_fault(err, row->sequence, "unlinked",
		    "stands out of place: a later one came before it");
	return 0;
}

static bool is_zero(const struct public_key *key)
{
	static const struct public_key zero;

	return memcmp(key, &zero, sizeof(zero)) == 0;
}

/* A checkpoint is signed, by the key of all checkpoints; no other row is. */
static int check_seal(const struct chain *chain, const struct ledger_row *row, struct err *err)
{
	const struct public_key *known = &chain->report.seal_key;
	cleanup_buf struct buf text = BUF_INIT;

	if (!ledger_row_is_checkpoint(row)) {
		if (row->seal_key == NULL && row->seal_signature == NULL)
			return 0;
		return chain_fault(err, row->sequence, "seal", "is no checkpoint but has a seal");
	}
	if (row->seal_key == NULL || row->seal_signature == NULL || is_zero(row->seal_key))
		return chain_fault(err, row->sequence, "seal", "is a checkpoint without a seal");
	if (!is_zero(known) && memcmp(known, row->seal_key, sizeof(*known)) != 0)
		return chain_fault(err, row->sequence, "seal",
		    "is sealed with another key than the checkpoints before it");
	ledger_seal_text(row, &text);
	if (!signature_is_valid(row->seal_signature, row->seal_key, text.data, text.len))
		return chain_fault(
		    err, row->sequence, "seal", "has a seal that its key did not make");
	return 0;
}

static void count(struct chain *chain, const struct ledger_row *row, bool is_withheld)
{
	struct ledger_report *report = &chain->report;

	report->rows = row->sequence;
	report->hash = row->hash;
	report->withheld += is_withheld ? 1 : 0;
	report->unsealed++;
	if (!is_withheld && ledger_row_is_checkpoint(row)) {
		report->checkpoints++;
		report->unsealed = 0;
		report->seal_key = *row->seal_key;
	}
}

int chain_next(struct chain *chain, const struct ledger_row *row, const struct digest *content,
    struct err *err)
{
	struct digest own = content != NULL ? *content : ledger_content_digest(row);
	struct digest link = ledger_link_digest(row->sequence, &row->previous, &own);

	if (check_place(chain, row, err) < 0)
		return -1;
	if (!digest_equal(&link, &row->hash))
		return chain_fault(err, row->sequence, "changed",
		    "was changed: its hash is not that of its content");
	if (!digest_equal(&row->previous, &chain->report.hash))
		return chain_fault(err, row->sequence, "unlinked",
		    "does not continue the row before it: one of the two was replaced");
	if (content == NULL && check_seal(chain, row, err) < 0)
		return -1;
	count(chain, row, content != NULL);
	return 0;
}
