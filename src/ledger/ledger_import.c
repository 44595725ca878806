/* SPDX-License-Identifier: MIT */
/* Reading an export back, to verify it: nothing else is made of it. The file is hostile input. */
#include "ledger/ledger_internal.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* A line is at most all texts at their longest, every byte escaped. */
#define LINE_MAX_BYTES ((size_t)1 << 20)

/* One line of the file as a row; texts live in the line's document, blobs here. */
struct line {
	struct ledger_row row;
	struct digest content; /* of a withheld row */
	bool is_withheld;
	uint8_t blobs[LEDGER_COLUMNS][SIGNATURE_SIZE];
	bool has_column[LEDGER_COLUMNS];
	bool has_sequence;
	bool has_previous;
	bool has_hash;
};

struct importer {
	struct chain chain;
	size_t number; /* of the line, from 1 */
	bool has_tail;
};

/* ---- values ---- */

static bool read_hex(const struct json *value, uint8_t *ret_bytes, size_t size)
{
	const char *text = json_text(value);
	size_t len = 0;

	/* upper case would be a second way to write the same row */
	return text != NULL && strlen(text) == 2 * size &&
	       strspn(text, "0123456789abcdef") == 2 * size &&
	       sodium_hex2bin(ret_bytes, size, text, 2 * size, NULL, &len, NULL) == 0 &&
	       len == size;
}

static bool read_member_column(struct line *line, size_t index, const struct json *value)
{
	const struct column *column = &ledger_columns[index];
	const char *text = json_text(value);
	int64_t number = 0;

	line->has_column[index] = true;
	switch (column->type) {
	case COLUMN_INT:
		if (!json_number_int64(value, &number))
			return false;
		ledger_field_set_int(&line->row, column, number);
		return true;
	case COLUMN_BOOL:
		ledger_field_set_int(&line->row, column, json_is(value, JSON_TRUE));
		return json_is_bool(value);
	case COLUMN_TEXT:
		ledger_field_set(&line->row, column, text);
		return text != NULL;
	case COLUMN_DIGEST:
	case COLUMN_KEY:
	case COLUMN_SIGNATURE:
		ledger_field_set(&line->row, column, line->blobs[index]);
		return read_hex(value, line->blobs[index], ledger_blob_size(column->type));
	}
	return false;
}

/* The members that are no columns of the content. */
static bool read_member_link(
    struct line *line, const struct json *key, const struct json *value, bool *ret_is_link)
{
	*ret_is_link = true;
	if (json_is_text(key, "sequence"))
		return line->has_sequence = json_number_int64(value, &line->row.sequence);
	if (json_is_text(key, "previous"))
		return line->has_previous = read_hex(value, line->row.previous.bytes, DIGEST_SIZE);
	if (json_is_text(key, "hash"))
		return line->has_hash = read_hex(value, line->row.hash.bytes, DIGEST_SIZE);
	if (json_is_text(key, "content"))
		return line->is_withheld = read_hex(value, line->content.bytes, DIGEST_SIZE);
	*ret_is_link = false;
	return false;
}

/* A member that the hash does not cover is refused: it would be a place to add things. */
static bool read_member(struct line *line, const struct json *key, const struct json *value)
{
	bool is_link = false;
	bool is_good = read_member_link(line, key, value, &is_link);

	if (is_link)
		return is_good;
	for (size_t i = 0; i < LEDGER_COLUMNS; i++) {
		if (json_is_text(key, ledger_columns[i].name))
			return read_member_column(line, i, value);
	}
	return false;
}

/* A withheld row has none; any other has all that are never NULL: leaving a 0 out would be a second
 * way to write the same row. */
static bool has_its_columns(const struct line *line)
{
	for (size_t i = 0; i < LEDGER_COLUMNS; i++) {
		enum column_type type = ledger_columns[i].type;
		bool is_needed = type == COLUMN_INT || type == COLUMN_BOOL;

		if (line->is_withheld ? line->has_column[i] : is_needed && !line->has_column[i])
			return false;
	}
	return line->is_withheld || (line->row.kind != NULL && line->row.writer != NULL);
}

static bool read_line(struct line *line, const struct json *object)
{
	if (!json_is(object, JSON_OBJECT))
		return false;
	json_foreach_member (key, value, object) {
		if (!read_member(line, key, value))
			return false;
	}
	return line->has_sequence && line->has_previous && line->has_hash && has_its_columns(line);
}

/* ---- lines ---- */

static int fault_line(const struct importer *importer, const char *what, struct err *err)
{
	return chain_fault(err, importer->chain.report.rows + 1, "malformed", what);
}

static int take_head(const struct json *root, struct err *err)
{
	int64_t version = 0;

	if (!json_number_int64(json_get(root, LEDGER_EXPORT_HEAD), &version))
		return err_set(err, ERR_CHECK_FAILED, "the file is no ledger export");
	if (version != LEDGER_EXPORT_VERSION)
		return err_set(err, ERR_UNSUPPORTED,
		    "the export has a format that this program does not know; update it");
	return 0;
}

static int take_tail(struct importer *importer, const struct json *root, struct err *err)
{
	const struct ledger_report *report = &importer->chain.report;
	struct digest hash;
	int64_t rows = 0;

	importer->has_tail = true;
	if (!json_number_int64(json_get(root, LEDGER_EXPORT_TAIL), &rows) ||
	    !read_hex(json_get(root, "hash"), hash.bytes, DIGEST_SIZE))
		return fault_line(importer, "is where the export's last line is malformed", err);
	if (rows != report->rows || !digest_equal(&hash, &report->hash))
		return chain_fault(err, report->rows + 1, "missing",
		    "is missing: the export's last line tells of more rows, or of others");
	return 0;
}

static int take_row(struct importer *importer, const struct json *root, struct err *err)
{
	cleanup_free struct line *line = xcalloc(1, sizeof(*line));

	if (!read_line(line, root))
		return fault_line(importer, "is where a line is not a ledger row", err);
	return chain_next(
	    &importer->chain, &line->row, line->is_withheld ? &line->content : NULL, err);
}

static int take_line(struct importer *importer, const char *text, size_t len, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const struct json *root;

	importer->number++;
	if (importer->has_tail)
		return fault_line(importer, "follows the export's last line", err);
	if (json_read(&doc, text, len, err) < 0) {
		if (importer->number == 1)
			return err_set(err, ERR_CHECK_FAILED, "the file is no ledger export");
		return fault_line(importer, "is where a line is not JSON", err);
	}
	root = json_root(&doc);
	if (importer->number == 1)
		return take_head(root, err);
	if (json_get(root, LEDGER_EXPORT_TAIL) != NULL)
		return take_tail(importer, root, err);
	return take_row(importer, root, err);
}

/* One line without its newline into line; 1, 0 at the end of the file, or -1. */
static int next_line(FILE *file, const struct importer *importer, struct buf *line, struct err *err)
{
	int c;

	buf_reset(line);
	while ((c = getc_unlocked(file)) != EOF && c != '\n')
		buf_addc(line, (char)c);
	if (ferror(file))
		return err_errno(err, errno, "read the export");
	if (line->is_full)
		return fault_line(importer, "is where a line is longer than any row", err);
	return c == EOF && line->len == 0 ? 0 : 1;
}

static int import_file(FILE *file, struct importer *importer, struct err *err)
{
	cleanup_buf struct buf line = BUF_INIT_MAX(LINE_MAX_BYTES);
	int got;

	while ((got = next_line(file, importer, &line, err)) == 1) {
		if (take_line(importer, line.data, line.len, err) < 0)
			return -1;
	}
	if (got < 0)
		return -1;
	if (importer->number == 0)
		return err_set(err, ERR_CHECK_FAILED, "the file is no ledger export: it is empty");
	if (!importer->has_tail)
		return chain_fault(err, importer->chain.report.rows + 1, "missing",
		    "is missing: the export was cut, its last line is not there");
	return 0;
}

int ledger_verify_export(const char *path, struct ledger_report *ret_report, struct err *err)
{
	struct importer importer = { 0 };
	FILE *file = fopen(path, "re");
	int status;

	if (file == NULL)
		return err_errno(err, errno, "%s", path);
	status = import_file(file, &importer, err);
	(void)fclose(file);
	if (status < 0)
		return err_wrap(err, "%s", path);
	*ret_report = importer.chain.report;
	return 0;
}
