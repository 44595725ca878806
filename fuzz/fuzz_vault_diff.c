/* SPDX-License-Identifier: MIT */
/* Both texts of a difference are strangers' bytes: the hunks lead from the first to the second, name
 * the lines they stand for, count what they add and remove, and are none for equal texts alone. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vault/vault_internal.h"

static void demand(bool holds)
{
	if (!holds)
		abort();
}

struct text {
	const char *at, *end;
};

/* The line at the front, its newline included; the text goes on behind it. */
static struct text take_line(struct text *text)
{
	const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
	struct text line = { text->at, newline == NULL ? text->end : newline + 1 };

	text->at = line.end;
	return line;
}

static void add(struct buf *out, const char *at, const char *end)
{
	buf_add(out, at, (size_t)(end - at));
}

/* The two pairs of numbers of "@@ -1,2 +3,4 @@". */
struct head {
	unsigned long from, from_len, to, to_len;
};

static struct head read_head(struct text line)
{
	cleanup_free char *text = xmemdupz(line.at, (size_t)(line.end - line.at));
	struct head head;
	int end = 0;

	demand(sscanf(text, "@@ -%lu,%lu +%lu,%lu @@\n%n", &head.from, &head.from_len, &head.to,
		   &head.to_len, &end) == 4);
	demand((size_t)end == strlen(text));
	return head;
}

/* While hunks are applied. */
struct apply {
	struct text from, hunks;
	size_t from_line, to_line; /* lines behind us */
	struct buf out;
	int64_t added, removed;
};

/* What stands behind a hunk line's sign; without its newline where the text has none. */
static struct text body_of(struct apply *apply, struct text line)
{
	static const char mark[] = "\\ No newline at end of file\n";
	size_t left = (size_t)(apply->hunks.end - apply->hunks.at);

	line.at++;
	if (left >= strlen(mark) && apply->hunks.at[0] == '\\') {
		demand(memcmp(apply->hunks.at, mark, strlen(mark)) == 0);
		apply->hunks.at += strlen(mark);
		line.end--;
	}
	return line;
}

static void expect(struct apply *apply, struct text body)
{
	struct text line = take_line(&apply->from);

	demand(line.end - line.at == body.end - body.at);
	demand(memcmp(line.at, body.at, (size_t)(line.end - line.at)) == 0);
	apply->from_line++;
}

static void apply_line(struct apply *apply, struct text line, struct head *left)
{
	char sign = line.at[0];
	struct text body = body_of(apply, line);

	demand(sign == ' ' || sign == '-' || sign == '+');
	if (sign != '+') {
		demand(left->from_len-- > 0);
		expect(apply, body);
	}
	if (sign != '-') {
		demand(left->to_len-- > 0);
		add(&apply->out, body.at, body.end);
		apply->to_line++;
	}
	apply->added += sign == '+';
	apply->removed += sign == '-';
}

/* A hunk stands at its first lines; one that holds none of a text, behind the line that it names. */
static void apply_hunk(struct apply *apply)
{
	struct head head = read_head(take_line(&apply->hunks));

	while (apply->from_line + (head.from_len > 0) < head.from) {
		struct text line = take_line(&apply->from);

		demand(line.at < line.end);
		add(&apply->out, line.at, line.end);
		apply->from_line++;
		apply->to_line++;
	}
	demand(apply->from_line + (head.from_len > 0) == head.from);
	demand(apply->to_line + (head.to_len > 0) == head.to);
	demand(head.from_len + head.to_len > 0);
	while (head.from_len + head.to_len > 0)
		apply_line(apply, take_line(&apply->hunks), &head);
}

static void try_pair(struct text from, struct text to)
{
	cleanup_buf struct buf hunks = BUF_INIT;
	struct apply apply = { .from = from, .out = BUF_INIT };
	int64_t added = 0;
	int64_t removed = 0;
	size_t from_len = (size_t)(from.end - from.at);
	size_t to_len = (size_t)(to.end - to.at);

	diff_texts(from.at, from_len, to.at, to_len, &hunks, &added, &removed);
	demand((hunks.len == 0) == (from_len == to_len && memcmp(from.at, to.at, to_len) == 0));
	apply.hunks = (struct text){ hunks.data, hunks.data + hunks.len };
	while (apply.hunks.at < apply.hunks.end)
		apply_hunk(&apply);
	add(&apply.out, apply.from.at, apply.from.end);
	demand(apply.out.len == to_len && memcmp(apply.out.data, to.at, to_len) == 0);
	demand(apply.added == added && apply.removed == removed);
	buf_release(&apply.out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Two texts with a NUL between them, there and back. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *cut = size == 0 ? NULL : memchr(text, 0, size);
	struct text from = { text, cut != NULL ? cut : text + size };
	struct text to = { cut != NULL ? cut + 1 : text + size, text + size };

	if (size > 0) {
		try_pair(from, to);
		try_pair(to, from);
	}
	return 0;
}
