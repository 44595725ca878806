/* SPDX-License-Identifier: MIT */
/* Text tables for a terminal: columns aligned by what a terminal shows, one line a row. */
#include "cli/cli_internal.h"

#include <string.h>

#include <utf8proc.h>

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

/* In cells of a terminal: a character takes two (CJK, emoji), one, or none (a combining mark). */
static size_t width(const char *cell)
{
	const utf8proc_uint8_t *at = (const utf8proc_uint8_t *)cell;
	utf8proc_int32_t code = 0;
	size_t cells = 0;

	while (*at != '\0') {
		utf8proc_ssize_t len = utf8proc_iterate(at, -1, &code);

		if (len <= 0)
			break; /* never: the text was made visible */
		cells += (size_t)utf8proc_charwidth(code);
		at += len;
	}
	return cells;
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
