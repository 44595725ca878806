/* SPDX-License-Identifier: MIT */
/*
 * Names that are one to some file system: composed form, and case folding. Apart from text.c for the
 * library's sake. Most names are ASCII, and need none of it.
 */
#include <stdlib.h>
#include <utf8proc.h>

#include "base/text.h"

static bool is_ascii(const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if ((data[i] & 0x80) != 0)
			return false;
	}
	return true;
}

static void add_mapped(struct buf *buf, const char *data, size_t len, utf8proc_option_t options)
{
	utf8proc_uint8_t *text = NULL;
	utf8proc_ssize_t got =
	    utf8proc_map((const utf8proc_uint8_t *)data, (utf8proc_ssize_t)len, &text, options);

	if (got < 0)
		abort(); /* out of memory, for the text is valid */
	buf_add(buf, text, (size_t)got);
	free(text);
}

void text_add_composed(struct buf *buf, const char *data, size_t len)
{
	if (is_ascii(data, len))
		buf_add(buf, data, len);
	else
		add_mapped(buf, data, len, UTF8PROC_COMPOSE | UTF8PROC_STABLE);
}

void text_add_folded(struct buf *buf, const char *data, size_t len)
{
	if (!is_ascii(data, len)) {
		add_mapped(buf, data, len,
		    UTF8PROC_COMPOSE | UTF8PROC_STABLE | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
		return;
	}
	for (size_t i = 0; i < len; i++)
		buf_addc(buf, (char)text_lower((unsigned char)data[i]));
}
