/* SPDX-License-Identifier: MIT */
/* The records' side of ledger.db: opening it patiently, ids, texts, and rows of the chain. */
#include "ledger/ledger.h"

#include <assert.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "ledger/ledger_internal.h"

#define ID_BYTES 8

/* ---- life ---- */

struct records *records_open(
    const char *data_dir, records_redact_fn redact, void *ctx, struct err *err)
{
	cleanup_records struct records *records = xcalloc(1, sizeof(*records));

	assert(redact != NULL);
	records->store = STORE_INIT;
	records->store.data_dir = xstrdup(data_dir);
	records->store.patience_ms = RECORDS_PATIENCE_MS;
	records->redact = redact;
	records->redact_ctx = ctx;
	id_new("w_", records->writer);
	if (store_open(&records->store, err) < 0 ||
	    records_make_tables(records->store.sql, err) < 0)
		return NULL;
	return steal_ptr(&records);
}

void records_close(struct records *records)
{
	cleanup_err struct err ignored = ERR_INIT;

	if (records == NULL)
		return;
	/* Rows that stay unsealed are sealed by whoever writes next. */
	if (records->has_appended)
		(void)!store_seal(&records->store, records->writer, &ignored);
	store_close(&records->store);
	free(records->store.data_dir);
	free(records);
}

void records_cleanup(struct records **records)
{
	records_close(*records);
	*records = NULL;
}

struct sql_stmt *records_prepare(struct records *records, const char *text, struct err *err)
{
	return sql_prepare(records->store.sql, text, err);
}

int records_txn_begin(struct records *records, struct sql_txn *txn, struct err *err)
{
	return sql_begin(records->store.sql, txn, err);
}

int records_trim(struct records *records, const char *sql, int64_t keep, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt = records_prepare(records, sql, err);

	if (stmt == NULL)
		return -1;
	sql_bind_int(stmt, 1, keep);
	return sql_run(stmt, err);
}

/* ---- ids ---- */

void record_id_new(const char *prefix, char ret_id[RECORD_ID_SIZE])
{
	uint8_t bytes[ID_BYTES];
	char digits[2 * ID_BYTES + 1];

	random_bytes(bytes, sizeof(bytes));
	(void)sodium_bin2hex(digits, sizeof(digits), bytes, sizeof(bytes));
	(void)snprintf(ret_id, RECORD_ID_SIZE, "%s%s", prefix, digits);
}

bool record_is_id(const char *prefix, const char *text)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) == 0 && strlen(text) == len + 2 * (size_t)ID_BYTES &&
	       strspn(text + len, "0123456789abcdef") == 2 * (size_t)ID_BYTES;
}

bool record_is_deployment(const char *text)
{
	const size_t prefix = strlen("dep-");
	size_t len = strlen(text);

	return strncmp(text, "dep-", prefix) == 0 && len > prefix && len <= prefix + 64 &&
	       strspn(text + prefix, "0123456789abcdef") == len - prefix;
}

int record_check_id(const char *prefix, const char *text, struct err *err)
{
	cleanup_buf struct buf shown = BUF_INIT;

	if (record_is_id(prefix, text))
		return 0;
	text_add_visible(&shown, text, text_cut(text, strlen(text), 40));
	return err_set(err, ERR_INVALID_ARGUMENT,
	    "\"%s\" is no id: %s and 16 digits of 0-9 and a-f are", shown.data, prefix);
}

/* ---- texts ---- */

char *records_masked(const struct records *records, const char *text)
{
	struct buf masked = BUF_INIT;

	if (text == NULL)
		return NULL;
	records->redact(records->redact_ctx, text, strlen(text), &masked);
	return buf_detach(&masked);
}

int record_check_text(const char *what, const char *text, size_t max, struct err *err)
{
	size_t len = text == NULL ? 0 : strlen(text);

	if (len > max)
		return err_set(err, ERR_INVALID_ARGUMENT, "the %s has %zu bytes; %zu are the most",
		    what, len, max);
	if (len > 0 && !text_is_utf8(text, len))
		return err_set(err, ERR_INVALID_ARGUMENT, "the %s is no UTF-8", what);
	return 0;
}

struct digest records_keyed_digest(
    const struct records *records, const char *label, const void *data, size_t len)
{
	cleanup_buf struct buf form = BUF_INIT;
	struct digest plain = digest_of(data, len);

	buf_adds(&form, label);
	buf_addc(&form, ';');
	buf_add(&form, plain.bytes, DIGEST_SIZE);
	return secret_mac(records->store.mac_key, form.data, form.len);
}

/* ---- the chain ---- */

/* Copies that outlive the row: of the texts of a record whose bytes a peer may have chosen. */
struct row_texts {
	char *texts[LEDGER_COLUMNS];
};

static void row_texts_release(struct row_texts *texts)
{
	for (size_t i = 0; i < LEDGER_COLUMNS; i++)
		free(texts->texts[i]);
}

static void make_texts_visible(struct ledger_row *row, struct row_texts *texts)
{
	for (size_t i = 0; i < LEDGER_COLUMNS; i++) {
		const struct column *column = &ledger_columns[i];
		const char *text;

		if (column->type != COLUMN_TEXT)
			continue;
		text = ledger_field(row, column);
		if (text == NULL)
			continue;
		texts->texts[i] = ledger_copy_text(text);
		ledger_field_set(row, column, texts->texts[i]);
	}
}

int records_append(struct records *records, const struct ledger_record *record,
    int64_t *ret_sequence, struct err *err)
{
	__attribute__((cleanup(row_texts_release))) struct row_texts texts = { 0 };
	struct digest arguments;
	struct tip tip;
	struct ledger_row row = {
		.time_us = clock_wall_us(),
		.writer = records->writer,
		.kind = ledger_kind_name(record->kind),
		.record = *record,
	};

	if (record->arguments != NULL) {
		arguments = digest_of(record->arguments, record->arguments_len);
		arguments =
		    secret_mac(records->store.mac_key, arguments.bytes, sizeof(arguments.bytes));
		row.arguments_digest = &arguments;
	}
	make_texts_visible(&row, &texts);
	if (store_read_tip(&records->store, &tip, err) < 0 ||
	    store_append(&records->store, &tip, &row, err) < 0)
		return -1;
	records->has_appended = true;
	if (ret_sequence != NULL)
		*ret_sequence = row.sequence;
	return 0;
}

/* ---- listing ---- */

static int read_ids(struct sql_stmt *stmt, struct strvec *ret_ids, struct err *err)
{
	int got;

	while ((got = sql_step(stmt, err)) == 1)
		strvec_push(ret_ids, sql_column_text(stmt, 0));
	return got;
}

int records_list(struct records *records, struct sql_stmt *stmt, int64_t limit,
    records_show_fn show, void *ctx, struct record_list *ret_list, struct err *err)
{
	cleanup_strvec struct strvec ids = STRVEC_INIT;
	struct record_list list = { 0 };
	int64_t shown = 0;
	bool is_enough = false;

	if (read_ids(stmt, &ids, err) < 0)
		return -1;
	for (size_t i = 0; i < ids.len && !is_enough; i++) {
		int got;

		if (limit > 0 && shown == limit) {
			list.is_truncated = true;
			break;
		}
		got = show(records, ids.items[i], ctx, &is_enough, err);
		if (got < 0)
			return -1;
		shown += got;
		list.skipped += got == 0;
	}
	*ret_list = list;
	return 0;
}

/* ---- columns and members ---- */

char *record_column(struct sql_stmt *stmt, int column)
{
	return xstrdup(sql_column_text(stmt, column));
}

bool record_column_digest(struct sql_stmt *stmt, int column, struct digest *ret_digest)
{
	size_t len = 0;
	const void *data = sql_column_blob(stmt, column, &len);

	if (len != DIGEST_SIZE)
		return false;
	memcpy(ret_digest->bytes, data, DIGEST_SIZE);
	return true;
}

void record_write_time(struct json_writer *w, const char *name, int64_t wall_us)
{
	char text[CLOCK_TEXT_SIZE];

	if (wall_us == 0)
		return;
	clock_format_utc(wall_us, text);
	json_write_member_string(w, name, text);
}

void record_write_digest(struct json_writer *w, const char *name, const struct digest *digest)
{
	char text[DIGEST_TEXT_SIZE];

	digest_format(digest, text);
	json_write_member_string(w, name, text);
}

void record_write_text(struct json_writer *w, const char *name, const char *text)
{
	if (text != NULL)
		json_write_member_string(w, name, text);
}

void actor_write(const struct actor *actor, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_string(w, "type", actor->type);
	json_write_member_string(w, "id", actor->id);
	json_write_member_bool(w, "authenticated", actor->is_authenticated);
	record_write_text(w, "provenance", actor->provenance);
	json_write_object_end(w);
}
