/* SPDX-License-Identifier: MIT */
/*
 * Exports: a ledger as JSON lines that verify by themselves. First line {"stile_ledger":1}, then
 * a line a row, last line {"end":…}. Writing here, reading in ledger_import.c.
 */
#include "ledger/ledger_internal.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"

#define FLUSH_AT ((size_t)64 << 10)

struct exporter {
	int fd;
	const struct ledger_filter *filter;
	struct buf out; /* lines not written yet */
	int64_t rows;
	struct digest hash;
};

static int write_out(struct exporter *exporter, struct err *err)
{
	if (fd_write_all(exporter->fd, exporter->out.data, exporter->out.len) < 0)
		return err_errno(err, errno, "write the export");
	buf_reset(&exporter->out);
	return 0;
}

static int end_line(struct exporter *exporter, struct err *err)
{
	buf_addc(&exporter->out, '\n');
	return exporter->out.len < FLUSH_AT ? 0 : write_out(exporter, err);
}

/* What the chain needs of a row that is not to be shown. */
static void write_withheld(const struct ledger_row *row, struct json_writer *writer)
{
	struct digest content = ledger_content_digest(row);

	json_write_object_begin(writer);
	json_write_member_int(writer, "sequence", row->sequence);
	ledger_write_hex(writer, "content", content.bytes, DIGEST_SIZE);
	ledger_write_hex(writer, "previous", row->previous.bytes, DIGEST_SIZE);
	ledger_write_hex(writer, "hash", row->hash.bytes, DIGEST_SIZE);
	json_write_object_end(writer);
}

static int export_row(void *ctx, const struct ledger_row *row, struct err *err)
{
	struct exporter *exporter = ctx;
	struct json_writer writer = JSON_WRITER_INIT(&exporter->out);

	if (ledger_row_is_checkpoint(row) || ledger_filter_fits(exporter->filter, row))
		ledger_row_write(row, &writer);
	else
		write_withheld(row, &writer);
	exporter->rows++;
	exporter->hash = row->hash;
	return end_line(exporter, err);
}

static void write_head(struct exporter *exporter)
{
	struct json_writer writer = JSON_WRITER_INIT(&exporter->out);

	json_write_object_begin(&writer);
	json_write_member_int(&writer, LEDGER_EXPORT_HEAD, LEDGER_EXPORT_VERSION);
	json_write_object_end(&writer);
	buf_addc(&exporter->out, '\n');
}

/* Without it a file that was cut at a line would look whole. */
static void write_tail(struct exporter *exporter)
{
	struct json_writer writer = JSON_WRITER_INIT(&exporter->out);

	json_write_object_begin(&writer);
	json_write_member_int(&writer, LEDGER_EXPORT_TAIL, exporter->rows);
	ledger_write_hex(&writer, "hash", exporter->hash.bytes, DIGEST_SIZE);
	json_write_object_end(&writer);
	buf_addc(&exporter->out, '\n');
}

int ledger_export(const char *path, const struct ledger_filter *filter, int fd, struct err *err)
{
	static const struct ledger_filter none;
	static const struct ledger_filter all = { .after = INT64_MIN };
	struct exporter exporter = { .fd = fd, .filter = filter ? filter : &none, .out = BUF_INIT };
	int status;

	write_head(&exporter);
	status = ledger_each(path, &all, export_row, &exporter, err);
	if (status == 0) {
		write_tail(&exporter);
		status = write_out(&exporter, err);
	}
	buf_release(&exporter.out);
	return status;
}
