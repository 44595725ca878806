/* SPDX-License-Identifier: MIT */
/* Text tables for a terminal: columns aligned by code points, one line a row. */
#include "cli/cli_internal.h"

#include <string.h>

#include "base/text.h"

#define COLUMNS_MAX 8

void cli_table_release(struct cli_table *table)
{
	strvec_release(&table->cells);
}

void cli_table_row(struct cli_table *table, const char *const *cells)
{
	for (size_t i = 0; i < table->columns; i++) {
		struct buf visible = BUF_INIT;

		text_add_visible(&visible, cells[i], strlen(cells[i]));
		strvec_take(&table->cells, buf_detach(&visible));
	}
}

static size_t width(const char *cell)
{
	return text_count(cell, strlen(cell));
}

void cli_table_write(const struct cli_table *table, struct buf *out)
{
	size_t widths[COLUMNS_MAX] = { 0 };

	for (size_t i = 0; i < table->cells.len; i++) {
		size_t column = i % table->columns;
		size_t w = width(table->cells.items[i]);

		if (column < COLUMNS_MAX && w > widths[column])
			widths[column] = w;
	}
	for (size_t i = 0; i < table->cells.len; i++) {
		size_t column = i % table->columns;
		const char *cell = table->cells.items[i];

		buf_adds(out, cell);
		if (column + 1 == table->columns)
			buf_addc(out, '\n');
		else
			buf_addf(out, "%*s", (int)(widths[column] - width(cell) + 2), "");
	}
}
