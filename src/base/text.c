/* SPDX-License-Identifier: MIT */
/* UTF-8 and visibility. One decoder serves all; invisibility is one table of ranges. */
#include "base/text.h"

#include <string.h>
#include <utf8proc.h>

/* Inclusive ranges, sorted. Sources: Unicode general categories Cc, Cf (those that hide or
 * reorder), Zl, Zp, and the deprecated tag block (clients.md Q32). */
static const struct range {
	uint32_t first, last;
} invisible[] = {
	{ 0x0000, 0x0008 }, { 0x000b, 0x001f }, /* C0 but tab and newline */
	{ 0x007f, 0x009f },                     /* DEL and C1 */
	{ 0x00ad, 0x00ad },                     /* soft hyphen */
	{ 0x061c, 0x061c },                     /* arabic letter mark */
	{ 0x115f, 0x1160 },                     /* hangul fillers */
	{ 0x180b, 0x180f },                     /* mongolian selectors */
	{ 0x200b, 0x200f },                     /* zero width, directional marks */
	{ 0x2028, 0x202e },                     /* separators, bidi embedding and override */
	{ 0x2060, 0x206f },                     /* word joiner, isolates, deprecated formats */
	{ 0x3164, 0x3164 },                     /* hangul filler */
	{ 0xfeff, 0xfeff },                     /* byte order mark */
	{ 0xffa0, 0xffa0 },                     /* halfwidth filler */
	{ 0xfff9, 0xfffb },                     /* interlinear annotation */
	{ 0x1bca0, 0x1bca3 },                   /* shorthand format controls */
	{ 0x1d173, 0x1d17a },                   /* musical format controls */
	{ 0xe0000, 0xe0fff },                   /* tags, variation selectors supplement */
};

#define JOINER 0x200d

size_t text_decode(const char *data, size_t len, uint32_t *ret_codepoint)
{
	utf8proc_int32_t cp;
	utf8proc_ssize_t n =
	    utf8proc_iterate((const utf8proc_uint8_t *)data, (utf8proc_ssize_t)len, &cp);

	if (n <= 0)
		return 0;
	*ret_codepoint = (uint32_t)cp;
	return (size_t)n;
}

/* Length of the ASCII stretch that data begins with, eight bytes at a time: most text is that. */
static size_t ascii_run(const char *data, size_t len)
{
	size_t at = 0;

	for (; len - at >= 8; at += 8) {
		uint64_t word;

		memcpy(&word, data + at, 8);
		if ((word & (UINT64_MAX / 255 * 0x80)) != 0)
			break;
	}
	while (at < len && (unsigned char)data[at] < 0x80)
		at++;
	return at;
}

bool text_is_utf8(const char *data, size_t len)
{
	size_t at = ascii_run(data, len);

	while (at < len) {
		uint32_t cp = 0;
		size_t step = text_decode(data + at, len - at, &cp);

		if (step == 0)
			return false;
		at += step;
		at += ascii_run(data + at, len - at);
	}
	return true;
}

size_t text_count(const char *data, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += ((unsigned char)data[i] & 0xc0) != 0x80;
	return count;
}

void text_add_codepoint(struct buf *buf, uint32_t cp)
{
	if (cp < 0x80) {
		buf_addc(buf, (char)cp);
	} else if (cp < 0x800) {
		buf_addc(buf, (char)(0xc0 | cp >> 6));
		buf_addc(buf, (char)(0x80 | (cp & 0x3f)));
	} else if (cp < 0x10000) {
		buf_addc(buf, (char)(0xe0 | cp >> 12));
		buf_addc(buf, (char)(0x80 | (cp >> 6 & 0x3f)));
		buf_addc(buf, (char)(0x80 | (cp & 0x3f)));
	} else {
		buf_addc(buf, (char)(0xf0 | cp >> 18));
		buf_addc(buf, (char)(0x80 | (cp >> 12 & 0x3f)));
		buf_addc(buf, (char)(0x80 | (cp >> 6 & 0x3f)));
		buf_addc(buf, (char)(0x80 | (cp & 0x3f)));
	}
}

size_t text_cut(const char *data, size_t len, size_t max_bytes)
{
	size_t end = len < max_bytes ? len : max_bytes;

	if (end == len)
		return end;
	while (end > 0 && ((unsigned char)data[end] & 0xc0) == 0x80)
		end--;
	return end;
}

bool text_is_invisible(uint32_t codepoint)
{
	for (size_t i = 0; i < ARRAY_LEN(invisible) && invisible[i].first <= codepoint; i++) {
		if (codepoint <= invisible[i].last)
			return true;
	}
	return false;
}

/* True when the joiner that ends at data + at stands between two emoji-like characters. */
static bool joins_emoji(uint32_t before, const char *after, size_t len)
{
	uint32_t next = 0;

	return before >= 0x2190 && len > 0 && text_decode(after, len, &next) > 0 && next >= 0x2190;
}

/* Length of the stretch of printable ASCII (and, unless is_line, tab and newline) at data. */
static size_t plain_len(const char *data, size_t len, bool is_line)
{
	size_t at = 0;

	while (at < len && ((data[at] >= 0x20 && data[at] <= 0x7e) ||
			       (!is_line && (data[at] == '\t' || data[at] == '\n'))))
		at++;
	return at;
}

/* Is a character shown by its number? rest is what follows it. */
static bool must_escape(
    uint32_t cp, uint32_t before, const char *rest, size_t rest_len, bool is_line)
{
	if (cp == JOINER && joins_emoji(before, rest, rest_len))
		return false;
	/* Line and paragraph separators are line breaks like any other (protocol.md P14). */
	if (!is_line && (cp == 0x2028 || cp == 0x2029))
		return false;
	return text_is_invisible(cp) || (is_line && (cp == '\t' || cp == '\n'));
}

/* The common walk: escapes what is invisible; is_line also escapes tab and newline, else the CR of a
 * CR LF goes. */
static size_t add_escaped(struct buf *buf, const char *data, size_t len, bool is_line)
{
	uint32_t before = 0;
	size_t escaped = 0;
	size_t step;

	for (size_t at = 0; at < len; at += step) {
		const char *here = data + at;
		bool is_plain;
		uint32_t cp = 0;

		step = plain_len(here, len - at, is_line);
		is_plain = step > 0;
		if (!is_plain)
			step = text_decode(here, len - at, &cp);
		if (step == 0) {
			buf_addf(buf, "\\x{%02X}", (unsigned char)*here);
			escaped++;
			step = 1;
		} else if (!is_line && cp == '\r' && at + 1 < len && here[1] == '\n') {
			continue;
		} else if (!is_plain &&
			   must_escape(cp, before, here + step, len - at - step, is_line)) {
			buf_addf(buf, "\\u{%04X}", (unsigned)cp);
			escaped++;
		} else {
			buf_add(buf, here, step);
		}
		before = cp;
	}
	return escaped;
}

void text_add_visible(struct buf *buf, const char *data, size_t len)
{
	(void)add_escaped(buf, data, len, true);
}

size_t text_add_clean(struct buf *buf, const char *data, size_t len)
{
	return add_escaped(buf, data, len, false);
}

/* Length of the escape sequence at data (which begins with ESC), at least 1. */
static size_t ansi_len(const char *data, size_t len)
{
	size_t at = 2;

	if (len < 2)
		return len;
	if (data[1] == '[') { /* CSI: parameters and intermediates, then one final byte */
		while (at < len && data[at] >= 0x20 && data[at] <= 0x3f)
			at++;
		return at < len ? at + 1 : at;
	}
	if (data[1] == ']' || data[1] == 'P' || data[1] == '_' ||
	    data[1] == '^') { /* to BEL or ST */
		for (; at < len; at++) {
			if (data[at] == '\a')
				return at + 1;
			if (data[at] == '\x1b' && at + 1 < len && data[at + 1] == '\\')
				return at + 2;
		}
		return len;
	}
	while (at < len && data[at - 1] >= 0x20 && data[at - 1] <= 0x2f)
		at++;
	return at;
}

size_t text_add_without_ansi(struct buf *buf, const char *data, size_t len)
{
	size_t removed = 0;
	size_t at = 0;

	while (at < len) {
		const char *escape = memchr(data + at, '\x1b', len - at);
		size_t plain = escape == NULL ? len - at : (size_t)(escape - (data + at));

		buf_add(buf, data + at, plain);
		at += plain;
		if (escape != NULL) {
			at += ansi_len(escape, len - at);
			removed++;
		}
	}
	return removed;
}
