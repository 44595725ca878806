/* SPDX-License-Identifier: MIT */
/* Differences: whatever the two texts are, the hunks lead from the one to the other. */
#include "vault_unit.h"

static uint64_t random_state;

static int pick(int below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int)((random_state >> 33) % (uint64_t)below);
}

/* ---- applying hunks, as simply as can be ---- */

/* The line at *at, with its newline, and past it. */
static size_t line_at(const char *text, const char *end)
{
	const char *newline = memchr(text, '\n', (size_t)(end - text));

	return (size_t)((newline == NULL ? end : newline + 1) - text);
}

static void copy_line(const char **at, const char *end, struct buf *out)
{
	size_t len = line_at(*at, end);

	buf_add(out, *at, len);
	*at += len;
}

/* The line of a hunk without its sign; the one that has no newline in the text is marked below. */
static void add_hunk_line(const char *line, size_t len, const char *next, struct buf *out)
{
	buf_add(out, line + 1, len - 1 - (next[0] == '\\'));
}

static size_t number_after(const char *text, char sign)
{
	return (size_t)strtoul(strchr(text, sign) + 1, NULL, 10);
}

static void apply(const char *from, const char *hunks, struct buf *out)
{
	const char *end = from + strlen(from);
	const char *hunks_end = hunks + strlen(hunks);
	size_t line_number = 1;

	while (*hunks != '\0') {
		size_t len = line_at(hunks, hunks_end);
		const char *next = hunks + len;

		if (hunks[0] == '@') {
			const char *comma = strchr(hunks, ',');
			size_t start = number_after(hunks, '-') + (comma[1] == '0');

			for (; line_number < start; line_number++)
				copy_line(&from, end, out);
		} else if (hunks[0] == '+') {
			add_hunk_line(hunks, len, next, out);
		} else if (hunks[0] != '\\') {
			cleanup_buf struct buf wanted = BUF_INIT;
			size_t from_len = line_at(from, end);

			add_hunk_line(hunks, len, next, &wanted);
			assert_int_equal(wanted.len, from_len);
			assert_memory_equal(wanted.data, from, from_len);
			if (hunks[0] == ' ')
				buf_add(out, from, from_len);
			from += from_len;
			line_number++;
		}
		hunks = next;
	}
	buf_adds(out, from);
}

static void check(const char *from, const char *to)
{
	cleanup_buf struct buf hunks = BUF_INIT;
	cleanup_buf struct buf out = BUF_INIT;
	int64_t added = 0;
	int64_t removed = 0;

	diff_texts(from, strlen(from), to, strlen(to), &hunks, &added, &removed);
	apply(from, hunks.data, &out);
	assert_string_equal(out.data, to);
	assert_int_equal(hunks.len == 0, strcmp(from, to) == 0);
}

/* ---- texts ---- */

static void add_random(struct buf *text, int lines, int words)
{
	for (int i = 0; i < lines; i++)
		buf_addf(text, "%d\n", pick(words));
	if (pick(4) == 0)
		buf_adds(text, "no newline");
}

/* A text that was edited here and there. */
static void edit(const char *from, int rarity, struct buf *ret)
{
	const char *end = from + strlen(from);

	while (from < end) {
		int what = pick(rarity);

		if (what == 0)
			buf_addf(ret, "new %d\n", pick(3));
		if (what == 1)
			from += line_at(from, end);
		if (from < end)
			copy_line(&from, end, ret);
	}
}

static void random_texts_lead_to_each_other(void **state)
{
	(void)state;
	for (int round = 0; round < 3000; round++) {
		cleanup_buf struct buf a = BUF_INIT;
		cleanup_buf struct buf b = BUF_INIT;

		random_state = (uint64_t)round;
		add_random(&a, pick(30), 1 + pick(6));
		if (pick(2) == 0)
			add_random(&b, pick(30), 1 + pick(6));
		else
			edit(a.data, 2 + pick(12), &b);
		check(a.data, b.data);
		check(b.data, a.data);
	}
}

/* Past the bound the middle is told as one replacement. */
static void texts_with_nothing_in_common_are_still_compared(void **state)
{
	cleanup_buf struct buf a = BUF_INIT;
	cleanup_buf struct buf b = BUF_INIT;

	(void)state;
	buf_adds(&a, "same\n");
	buf_adds(&b, "same\n");
	for (int i = 0; i < 4000; i++) {
		buf_addf(&a, "a%d\n", i);
		buf_addf(&b, "b%d\n", i);
	}
	check(a.data, b.data);
}

static void the_shortest_way_is_told(void **state)
{
	static const struct {
		const char *from, *to, *hunks;
	} cases[] = {
		{ "", "", "" },
		{ "", "a\n", "@@ -0,0 +1,1 @@\n+a\n" },
		{ "a\n", "", "@@ -1,1 +0,0 @@\n-a\n" },
		{ "a\nb\n", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n" },
		{ "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
		    "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n" },
		{ "a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n",
		    "@@ -1,7 +1,6 @@\n-a\n-b\n c\n+b\n a\n b\n-b\n a\n+c\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cleanup_buf struct buf hunks = BUF_INIT;
		int64_t added = 0;
		int64_t removed = 0;

		diff_texts(cases[i].from, strlen(cases[i].from), cases[i].to, strlen(cases[i].to),
		    &hunks, &added, &removed);
		assert_string_equal(hunks.data, cases[i].hunks);
		check(cases[i].from, cases[i].to);
	}
}

/* Changes that are near enough share a hunk, others do not. */
static void changes_share_a_hunk_when_their_contexts_meet(void **state)
{
	(void)state;
	for (int gap = 1; gap < 12; gap++) {
		cleanup_buf struct buf a = BUF_INIT;
		cleanup_buf struct buf b = BUF_INIT;
		cleanup_buf struct buf hunks = BUF_INIT;
		int64_t added = 0;
		int64_t removed = 0;
		int count = 0;

		for (int i = 0; i < 30; i++) {
			buf_addf(&a, "%d\n", i);
			buf_addf(&b, "%d%s\n", i, i == 8 || i == 8 + gap ? "x" : "");
		}
		diff_texts(a.data, a.len, b.data, b.len, &hunks, &added, &removed);
		for (const char *at = hunks.data; (at = strstr(at, "@@ -")) != NULL; at++)
			count++;
		assert_int_equal(count, gap - 1 <= 6 ? 1 : 2);
		assert_int_equal(added, 2);
		check(a.data, b.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_texts_lead_to_each_other),
		cmocka_unit_test(texts_with_nothing_in_common_are_still_compared),
		cmocka_unit_test(the_shortest_way_is_told),
		cmocka_unit_test(changes_share_a_hunk_when_their_contexts_meet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
