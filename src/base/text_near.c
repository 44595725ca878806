/* SPDX-License-Identifier: MIT */
/* Which known name did a misspelt one mean? Small enough names only: the tables stand on the
 * stack, and a hostile name of a megabyte costs nothing. */
#include "base/text.h"

#define NAME_MAX_LEN 80

static bool is_same_letter(char a, char b)
{
	return text_ascii_lower(a) == text_ascii_lower(b);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* One row of the table: the distances of a's first i bytes from each beginning of b. */
static void fill_row(const char *a, size_t i, const char *b, size_t b_len,
    const size_t *before_last, const size_t *last, size_t *row)
{
	row[0] = i;
	for (size_t j = 1; j <= b_len; j++) {
		bool is_same = is_same_letter(a[i - 1], b[j - 1]);

		row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + !is_same);
		if (i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) &&
		    is_same_letter(a[i - 2], b[j - 1]))
			row[j] = least(row[j], before_last[j - 2] + 1);
	}
}

size_t text_distance(const char *a, size_t a_len, const char *b, size_t b_len, size_t max)
{
	size_t rows[3][NAME_MAX_LEN + 1] = { { 0 } };
	size_t result;

	if (a_len > NAME_MAX_LEN || b_len > NAME_MAX_LEN || a_len > b_len + max ||
	    b_len > a_len + max)
		return max + 1;
	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_len; i++)
		fill_row(a, i, b, b_len, rows[(i + 1) % 3], rows[(i - 1) % 3], rows[i % 3]);
	result = rows[a_len % 3][b_len];
	return result > max ? max + 1 : result;
}

size_t text_near_enough(size_t len)
{
	if (len <= 3)
		return 1;
	return len <= 7 ? 2 : 3;
}
