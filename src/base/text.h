/* SPDX-License-Identifier: MIT */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

/* UTF-8 text: validity, code points, safe cuts, and making the invisible visible. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Length of the well-formed UTF-8 sequence at data (1 to 4) and its code point, or 0 when the
 * bytes there are none: overlong, surrogate, above U+10FFFF, truncated. len must be positive.
 */
size_t text_decode(const char *data, size_t len, uint32_t *ret_codepoint);

/* True when all of data is well-formed UTF-8. */
bool text_is_utf8(const char *data, size_t len);

/* Number of code points; data must be well-formed. */
size_t text_count(const char *data, size_t len);

/* Appends codepoint (a scalar value) as UTF-8. */
void text_add_codepoint(struct buf *buf, uint32_t codepoint);

/* ASCII, whatever the locale: a letter, a digit or an underscore; a capital's small letter. */
static inline bool text_is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static inline char text_ascii_lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/*
 * The character's lower case by Unicode's simple mappings: one character for one; nothing is folded
 * (ß stays), no accent is lost.
 */
uint32_t text_lower(uint32_t codepoint);

/*
 * Appends well-formed data in lower case by Unicode's full rules: as above, but İ becomes i with a
 * dot above, and a Greek sigma that ends a word becomes ς.
 */
void text_add_lower(struct buf *buf, const char *data, size_t len);

/* Appends well-formed data in composed form (NFC): one form for what looks the same. */
void text_add_composed(struct buf *buf, const char *data, size_t len);

/*
 * Appends well-formed data as a key under which two names are equal that some file system takes for
 * one: case folded by Unicode's full rules, composed, without the characters that are ignorable.
 */
void text_add_folded(struct buf *buf, const char *data, size_t len);

/* True when some file system takes the name, UTF-8, for ".WORD" (word in small letters): "text_is_called(name,
 * "git")". Where a backslash is a separator, one part of the name is enough. */
bool text_is_called(const char *name, const char *word);

/* The longest prefix of at most max_bytes that ends at a character boundary. */
size_t text_cut(const char *data, size_t len, size_t max_bytes);

/*
 * True for what a reader cannot see or what moves other text: C0 and C1 controls but tab and
 * newline, DEL, bidi controls, zero-width characters but the joiner inside an emoji sequence,
 * tag characters, the byte order mark (clients.md Q32).
 */
bool text_is_invisible(uint32_t codepoint);

/*
 * Appends data with every invisible character, tab and newline included, as \u{XXXX} and every
 * invalid byte as \x{XX}; for messages, questions and log lines: one line, whatever came in.
 */
void text_add_visible(struct buf *buf, const char *data, size_t len);

/*
 * Ordinary text for a result: like text_add_visible, but tab, newline and U+2028 and U+2029 stay, a
 * lone CR before a newline is dropped, and joiners inside emoji stay. Returns how many characters
 * were escaped.
 */
size_t text_add_clean(struct buf *buf, const char *data, size_t len);

/*
 * Appends data without ANSI escape sequences (CSI, OSC, other two-byte escapes); the rest is
 * copied as it is. Returns how many sequences were removed (clients.md Q31).
 */
size_t text_add_without_ansi(struct buf *buf, const char *data, size_t len);

/*
 * How many edits (insert, delete, replace, swap of neighbours; letter case counts nothing) lead
 * from a to b; anything above max is max + 1.
 */
size_t text_distance(const char *a, size_t a_len, const char *b, size_t b_len, size_t max);

/* The distance at which a name is near enough to be suggested. */
size_t text_near_enough(size_t len);

#endif
