/* SPDX-License-Identifier: MIT */
/*
 * One row in its forms: as a table of columns, as the bytes that are hashed, as JSON. Apart from
 * the store because a row of an export is hashed by the same table without any database.
 */
#include "ledger/ledger_internal.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

/* What each digest starts with: says of what it is, in which version of the form. */
static const char ROW_DOMAIN[] = "stile-ledger-row-1;";
static const char LINK_DOMAIN[] = "stile-ledger-link-1;";
static const char SEAL_DOMAIN[] = "stile-ledger-seal-1;";

#define AT(field) offsetof(struct ledger_row, field)

/* A new column is added at the end, in a migration; NULL is not hashed, so old rows stay valid. */
const struct column ledger_columns[LEDGER_COLUMNS] = {
	{ "time_us", COLUMN_INT, AT(time_us) },
	{ "writer", COLUMN_TEXT, AT(writer) },
	{ "kind", COLUMN_TEXT, AT(kind) },
	{ "caller", COLUMN_TEXT, AT(record.caller) },
	{ "protocol", COLUMN_TEXT, AT(record.protocol) },
	{ "client", COLUMN_TEXT, AT(record.client) },
	{ "surface", COLUMN_TEXT, AT(record.surface) },
	{ "surface_digest", COLUMN_DIGEST, AT(record.surface_digest) },
	{ "tool", COLUMN_TEXT, AT(record.tool) },
	{ "effect", COLUMN_TEXT, AT(record.effect) },
	{ "code", COLUMN_TEXT, AT(record.code) },
	{ "detail", COLUMN_TEXT, AT(record.detail) },
	{ "program", COLUMN_TEXT, AT(record.program) },
	{ "arguments_digest", COLUMN_DIGEST, AT(arguments_digest) },
	{ "workspace", COLUMN_TEXT, AT(record.workspace) },
	{ "stage", COLUMN_TEXT, AT(record.stage) },
	{ "intent", COLUMN_INT, AT(record.intent) },
	{ "count", COLUMN_INT, AT(record.count) },
	{ "exit_status", COLUMN_INT, AT(record.exit_status) },
	{ "duration_us", COLUMN_INT, AT(record.duration_us) },
	{ "output_bytes", COLUMN_INT, AT(record.output_bytes) },
	{ "masks", COLUMN_INT, AT(record.masks) },
	{ "escaped", COLUMN_INT, AT(record.escaped) },
	{ "reveals", COLUMN_BOOL, AT(record.reveals) },
	{ "seal_key", COLUMN_KEY, AT(seal_key) },
	{ "seal_signature", COLUMN_SIGNATURE, AT(seal_signature) },
};

static const char *const kind_names[] = {
	[LEDGER_CALL] = "call",
	[LEDGER_REFUSAL] = "refusal",
	[LEDGER_INTENT] = "intent",
	[LEDGER_OUTCOME] = "outcome",
	[LEDGER_PROTOCOL] = "protocol",
	[LEDGER_TRUST] = "trust",
	[LEDGER_SCOPE] = "scope",
	[LEDGER_CONSENT] = "consent",
	[LEDGER_DECISION] = "decision",
	[LEDGER_CHECKPOINT] = "checkpoint",
};

const char *ledger_kind_name(enum ledger_kind kind)
{
	assert((size_t)kind < ARRAY_LEN(kind_names));
	return kind_names[kind];
}

bool ledger_row_is_checkpoint(const struct ledger_row *row)
{
	return row->kind != NULL && strcmp(row->kind, kind_names[LEDGER_CHECKPOINT]) == 0;
}

size_t ledger_blob_size(enum column_type type)
{
	static const size_t sizes[] = {
		[COLUMN_DIGEST] = DIGEST_SIZE,
		[COLUMN_KEY] = PUBLIC_KEY_SIZE,
		[COLUMN_SIGNATURE] = SIGNATURE_SIZE,
	};

	assert((size_t)type < ARRAY_LEN(sizes));
	return sizes[type];
}

/* ---- fields by column ---- */

/* Fields are copied by memcpy: the pointer fields have four types, and one representation. */
const void *ledger_field(const struct ledger_row *row, const struct column *column)
{
	const void *value;

	assert(column->type != COLUMN_INT && column->type != COLUMN_BOOL);
	memcpy(&value, (const char *)row + column->offset, sizeof(value));
	return value;
}

void ledger_field_set(struct ledger_row *row, const struct column *column, const void *value)
{
	assert(column->type != COLUMN_INT && column->type != COLUMN_BOOL);
	memcpy((char *)row + column->offset, &value, sizeof(value));
}

int64_t ledger_field_int(const struct ledger_row *row, const struct column *column)
{
	const char *at = (const char *)row + column->offset;
	int64_t value;

	assert(column->type == COLUMN_INT || column->type == COLUMN_BOOL);
	if (column->type == COLUMN_BOOL)
		return *(const bool *)at;
	memcpy(&value, at, sizeof(value));
	return value;
}

void ledger_field_set_int(struct ledger_row *row, const struct column *column, int64_t value)
{
	char *at = (char *)row + column->offset;

	assert(column->type == COLUMN_INT || column->type == COLUMN_BOOL);
	if (column->type == COLUMN_BOOL)
		*(bool *)at = value != 0;
	else
		memcpy(at, &value, sizeof(value));
}

/* ---- the bytes that are hashed ---- */

/* Plain decimal digits; by hand, for printf would be a third of the cost of a row. */
static void add_digits(struct buf *form, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	buf_add(form, digits + at, sizeof(digits) - at);
}

static void add_int(struct buf *form, int64_t value)
{
	buf_adds(form, value < 0 ? "i-" : "i");
	add_digits(form, value < 0 ? -(uint64_t)value : (uint64_t)value);
	buf_addc(form, ';');
}

/* "t<length>:<bytes>;" for text, "b…" for blobs: no byte of a value can end it early. */
static void add_bytes(struct buf *form, char type, const void *data, size_t len)
{
	buf_addc(form, type);
	add_digits(form, len);
	buf_addc(form, ':');
	buf_add(form, data, len);
	buf_addc(form, ';');
}

static void add_column(struct buf *form, const struct ledger_row *row, const struct column *column)
{
	bool is_int = column->type == COLUMN_INT || column->type == COLUMN_BOOL;
	const void *value = is_int ? NULL : ledger_field(row, column);

	if (!is_int && value == NULL)
		return;
	buf_adds(form, column->name);
	buf_addc(form, '=');
	if (is_int)
		add_int(form, ledger_field_int(row, column));
	else if (column->type == COLUMN_TEXT)
		add_bytes(form, 't', value, strlen(value));
	else
		add_bytes(form, 'b', value, ledger_blob_size(column->type));
}

struct digest ledger_content_digest(const struct ledger_row *row)
{
	cleanup_buf struct buf form = BUF_INIT;

	(void)buf_reserve(&form, 1024);
	buf_adds(&form, ROW_DOMAIN);
	for (size_t i = 0; i < LEDGER_COLUMNS; i++)
		add_column(&form, row, &ledger_columns[i]);
	assert(!form.is_full);
	return digest_of(form.data, form.len);
}

struct digest ledger_link_digest(
    int64_t sequence, const struct digest *previous, const struct digest *content)
{
	cleanup_buf struct buf form = BUF_INIT;

	buf_adds(&form, LINK_DOMAIN);
	add_int(&form, sequence);
	add_bytes(&form, 'b', previous->bytes, DIGEST_SIZE);
	add_bytes(&form, 'b', content->bytes, DIGEST_SIZE);
	return digest_of(form.data, form.len);
}

void ledger_seal_text(const struct ledger_row *row, struct buf *ret_text)
{
	buf_adds(ret_text, SEAL_DOMAIN);
	add_int(ret_text, row->sequence);
	add_int(ret_text, row->time_us);
	add_bytes(ret_text, 'b', row->previous.bytes, DIGEST_SIZE);
}

/* ---- JSON ---- */

void ledger_write_hex(struct json_writer *writer, const char *name, const void *data, size_t len)
{
	char text[2 * SIGNATURE_SIZE + 1];

	assert(len <= SIGNATURE_SIZE);
	(void)sodium_bin2hex(text, sizeof(text), data, len);
	json_write_member_string(writer, name, text);
}

static void write_column(
    struct json_writer *writer, const struct ledger_row *row, const struct column *column)
{
	const void *value;

	if (column->type == COLUMN_INT) {
		json_write_member_int(writer, column->name, ledger_field_int(row, column));
		return;
	}
	if (column->type == COLUMN_BOOL) {
		json_write_member_bool(writer, column->name, ledger_field_int(row, column) != 0);
		return;
	}
	value = ledger_field(row, column);
	if (value == NULL)
		return;
	if (column->type == COLUMN_TEXT)
		json_write_member_string(writer, column->name, value);
	else
		ledger_write_hex(writer, column->name, value, ledger_blob_size(column->type));
}

void ledger_row_write_content(const struct ledger_row *row, struct json_writer *writer)
{
	for (size_t i = 0; i < LEDGER_COLUMNS; i++)
		write_column(writer, row, &ledger_columns[i]);
}

void ledger_row_write(const struct ledger_row *row, struct json_writer *writer)
{
	json_write_object_begin(writer);
	json_write_member_int(writer, "sequence", row->sequence);
	ledger_row_write_content(row, writer);
	ledger_write_hex(writer, "previous", row->previous.bytes, DIGEST_SIZE);
	ledger_write_hex(writer, "hash", row->hash.bytes, DIGEST_SIZE);
	json_write_object_end(writer);
}
