/* SPDX-License-Identifier: MIT */
/* JSON for people to read: the same tokens, a line each, two spaces a level. */
#include "json/json.h"

#include <string.h>

#define BLANKS " \t\r\n"

static void add_line(struct buf *buf, unsigned depth)
{
	buf_addc(buf, '\n');
	for (unsigned i = 0; i < depth; i++)
		buf_adds(buf, "  ");
}

/* Length of the string that begins at text, quotes included. */
static size_t string_len(const char *text, size_t len)
{
	size_t i = 1;

	while (i < len && text[i] != '"')
		i += text[i] == '\\' ? 2 : 1;
	return i < len ? i + 1 : len;
}

static size_t skip_blanks(const char *text, size_t len, size_t at)
{
	while (at < len && strchr(BLANKS, text[at]) != NULL)
		at++;
	return at;
}

/* Opens a container; an empty one is closed at once. Returns where to go on. */
static size_t open_container(
    struct buf *buf, const char *text, size_t len, size_t at, unsigned *depth)
{
	size_t next = skip_blanks(text, len, at + 1);

	buf_addc(buf, text[at]);
	if (next < len && (text[next] == '}' || text[next] == ']')) {
		buf_addc(buf, text[next]);
		return next + 1;
	}
	add_line(buf, ++*depth);
	return next;
}

void json_add_pretty(struct buf *buf, const char *text, size_t len)
{
	unsigned depth = 0;

	for (size_t at = skip_blanks(text, len, 0); at < len && !buf->is_full;
	     at = skip_blanks(text, len, at)) {
		char c = text[at];
		size_t n = 1;

		if (c == '{' || c == '[') {
			at = open_container(buf, text, len, at, &depth);
			continue;
		}
		if (c == '}' || c == ']')
			add_line(buf, --depth);
		if (c == '"')
			n = string_len(text + at, len - at);
		buf_add(buf, text + at, n);
		at += n;
		if (c == ',')
			add_line(buf, depth);
		else if (c == ':')
			buf_addc(buf, ' ');
	}
}
