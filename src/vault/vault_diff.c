/* SPDX-License-Identifier: MIT */
/*
 * The difference of two texts by lines (Myers, 1986, greedy), written as unified hunks. Texts that
 * differ in too many lines are told as one replacement of what lies between what they share at both
 * ends: still a true difference, only not the shortest.
 */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

#define CONTEXT ((size_t)3)
#define DISTANCE_MAX 1500
#define STEPS_MAX 50000000

struct line {
	const char *at; /* its newline included, unless the text ends without one */
	size_t len;
	uint64_t hash;
};

struct text {
	struct line *lines; /* owned */
	bool *is_changed;   /* removed from the first, added in the second; owned */
	size_t len, cap;
};

static uint64_t hash_line(const char *data, size_t len)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)data[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static void split(const char *data, size_t len, struct text *ret)
{
	const char *end = data + len;

	ret->cap = len / 32 + 1;
	ret->lines = xcalloc(ret->cap, sizeof(*ret->lines));
	while (data < end) {
		const char *newline = memchr(data, '\n', (size_t)(end - data));
		size_t step = (size_t)((newline != NULL ? newline + 1 : end) - data);

		ARRAY_GROW(ret->lines, ret->len, ret->cap);
		ret->lines[ret->len++] =
		    (struct line){ .at = data, .len = step, .hash = hash_line(data, step) };
		data += step;
	}
	ret->is_changed = xcalloc(ret->len + 1, sizeof(*ret->is_changed));
}

static void release(struct text *text)
{
	free(text->lines);
	free(text->is_changed);
}

static bool same(const struct line *a, const struct line *b)
{
	return a->hash == b->hash && a->len == b->len && memcmp(a->at, b->at, a->len) == 0;
}

/* ---- the shortest way from one to the other ---- */

/* The part that is compared: lines [from, from + a_len) of a, [from, from + b_len) of b. */
struct search {
	const struct text *a, *b;
	size_t from;
	int a_len, b_len;
	int *reach; /* furthest x on each diagonal k, at reach[k + middle] */
	int middle;
	int **trace;  /* reach of each distance, diagonals -d to d; owned */
	int distance; /* rows of trace */
	int64_t steps;
};

static int slide(struct search *s, int x, int y)
{
	while (x < s->a_len && y < s->b_len &&
	       same(&s->a->lines[s->from + (size_t)x], &s->b->lines[s->from + (size_t)y])) {
		x++;
		y++;
		s->steps++;
	}
	return x;
}

/* Did diagonal k come from above (an added line), rather than from the left (a removed one)? */
static bool came_down(const int *reach, int k, int distance)
{
	return k == -distance || (k != distance && reach[k - 1] < reach[k + 1]);
}

/* One more changed line; true when both ends are reached. */
static bool advance(struct search *s, int distance)
{
	int *reach = s->reach + s->middle;

	for (int k = -distance; k <= distance; k += 2) {
		int x = came_down(reach, k, distance) ? reach[k + 1] : reach[k - 1] + 1;

		reach[k] = slide(s, x, x - k);
		if (reach[k] >= s->a_len && reach[k] - k >= s->b_len)
			return true;
	}
	return false;
}

static void keep_trace(struct search *s, int distance)
{
	size_t len = 2 * (size_t)distance + 1;

	s->trace[distance] = xcalloc(len, sizeof(int));
	memcpy(s->trace[distance], s->reach + s->middle - distance, len * sizeof(int));
	s->distance = distance + 1;
}

/* From the end back to the start, marking the lines that changed. */
static void walk_back(struct search *s, int distance, struct text *a, struct text *b)
{
	int x = s->a_len;
	int y = s->b_len;

	for (int d = distance; d > 0; d--) {
		const int *before = s->trace[d - 1] + (d - 1); /* its diagonal 0 */
		int k = x - y;
		bool is_down = k == -d || (k != d && (k - 1 < -(d - 1) ? -1 : before[k - 1]) <
							 (k + 1 > d - 1 ? -1 : before[k + 1]));
		int from = is_down ? k + 1 : k - 1;

		x = before[from];
		y = x - from;
		if (is_down)
			b->is_changed[s->from + (size_t)y] = true;
		else
			a->is_changed[s->from + (size_t)x] = true;
	}
}

static void search_release(struct search *s)
{
	for (int d = 0; d < s->distance; d++)
		free(s->trace[d]);
	free(s->trace);
	free(s->reach);
}

/* False: they are too far apart. */
static bool search(struct search *s, struct text *a, struct text *b)
{
	int most = s->a_len + s->b_len < DISTANCE_MAX ? s->a_len + s->b_len : DISTANCE_MAX;

	s->middle = most + 1;
	s->reach = xcalloc(2 * (size_t)s->middle + 1, sizeof(int));
	s->trace = xcalloc((size_t)most + 1, sizeof(*s->trace));
	for (int d = 0; d <= most && s->steps < STEPS_MAX; d++) {
		if (advance(s, d)) {
			walk_back(s, d, a, b);
			return true;
		}
		keep_trace(s, d);
	}
	return false;
}

static void mark_changes(struct text *a, struct text *b)
{
	size_t start = 0;
	size_t a_end = a->len;
	size_t b_end = b->len;
	struct search s = { .a = a, .b = b };

	while (start < a_end && start < b_end && same(&a->lines[start], &b->lines[start]))
		start++;
	while (a_end > start && b_end > start && same(&a->lines[a_end - 1], &b->lines[b_end - 1])) {
		a_end--;
		b_end--;
	}
	s.from = start;
	s.a_len = (int)(a_end - start);
	s.b_len = (int)(b_end - start);
	if (!search(&s, a, b)) {
		memset(a->is_changed + start, true, a_end - start);
		memset(b->is_changed + start, true, b_end - start);
	}
	search_release(&s);
}

/* ---- hunks ---- */

/* Where both texts stand. */
struct at {
	size_t a, b;
};

static void add_line(struct buf *out, char sign, const struct line *line)
{
	buf_addc(out, sign);
	buf_add(out, line->at, line->len);
	if (line->at[line->len - 1] != '\n')
		buf_adds(out, "\n\\ No newline at end of file\n");
}

static bool is_change(const struct text *a, const struct text *b, struct at at)
{
	return (at.a < a->len && a->is_changed[at.a]) || (at.b < b->len && b->is_changed[at.b]);
}

/* Past the changed lines at `at`. */
static struct at skip_change(const struct text *a, const struct text *b, struct at at)
{
	while (at.a < a->len && a->is_changed[at.a])
		at.a++;
	while (at.b < b->len && b->is_changed[at.b])
		at.b++;
	return at;
}

/* The end of the hunk whose first change is at `at`: changes nearer than two contexts join. */
static struct at hunk_end(const struct text *a, const struct text *b, struct at at)
{
	size_t gap = 0;

	while (at.a < a->len || at.b < b->len) {
		if (is_change(a, b, at)) {
			at = skip_change(a, b, at);
			gap = 0;
		} else if (gap++ < 2 * CONTEXT) {
			at.a++;
			at.b++;
		} else {
			break;
		}
	}
	if (gap > CONTEXT) {
		size_t extra = (gap > 2 * CONTEXT ? 2 * CONTEXT : gap) - CONTEXT;

		at.a -= extra;
		at.b -= extra;
	}
	return at;
}

static void add_hunk(
    const struct text *a, const struct text *b, struct at from, struct at to, struct buf *out)
{
	buf_addf(out, "@@ -%zu,%zu +%zu,%zu @@\n", from.a + (to.a > from.a), to.a - from.a,
	    from.b + (to.b > from.b), to.b - from.b);
	while (from.a < to.a || from.b < to.b) {
		if (from.a < to.a && a->is_changed[from.a]) {
			add_line(out, '-', &a->lines[from.a++]);
		} else if (from.b < to.b && b->is_changed[from.b]) {
			add_line(out, '+', &b->lines[from.b++]);
		} else {
			add_line(out, ' ', &a->lines[from.a++]);
			from.b++;
		}
	}
}

static void add_hunks(const struct text *a, const struct text *b, struct buf *out)
{
	struct at at = { 0, 0 };

	while (at.a < a->len || at.b < b->len) {
		size_t back;
		struct at end;

		if (!is_change(a, b, at)) {
			at.a++;
			at.b++;
			continue;
		}
		end = hunk_end(a, b, at);
		for (back = 0; back < CONTEXT && back < at.a && back < at.b &&
			       !is_change(a, b, (struct at){ at.a - back - 1, at.b - back - 1 });)
			back++;
		add_hunk(a, b, (struct at){ at.a - back, at.b - back }, end, out);
		at = end;
	}
}

static int64_t count(const struct text *text)
{
	int64_t changed = 0;

	for (size_t i = 0; i < text->len; i++)
		changed += text->is_changed[i];
	return changed;
}

void diff_texts(const char *from, size_t from_len, const char *to, size_t to_len, struct buf *out,
    int64_t *ret_added, int64_t *ret_removed)
{
	struct text a = { 0 };
	struct text b = { 0 };

	split(from, from_len, &a);
	split(to, to_len, &b);
	mark_changes(&a, &b);
	add_hunks(&a, &b, out);
	*ret_removed = count(&a);
	*ret_added = count(&b);
	release(&a);
	release(&b);
}
