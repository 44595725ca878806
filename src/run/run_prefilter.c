/* SPDX-License-Identifier: MIT */
/*
 * Many literals, one pass. Each literal belongs to one of 64 buckets; three tables say for a byte
 * in which buckets it may stand first, second, third. The three looked up at a place and ANDed
 * leave the buckets whose literals may begin there: none, nearly always. Clean text costs three
 * loads a byte, with no branch taken.
 */
#include "run/run_redact.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define BUCKETS 64

struct literal {
	char *text; /* in small letters when caseless; owned */
	size_t len;
	bool is_caseless;
	unsigned id;
};

struct prefilter {
	uint64_t first[256];
	uint64_t second[256];
	uint64_t third[256];
	struct literal *literals; /* sorted by text, so that a bucket's are alike; owned */
	size_t literals_len;
	size_t literals_cap;
	size_t begin[BUCKETS + 1]; /* of each bucket's literals */
};

struct prefilter *prefilter_new(void)
{
	return xcalloc(1, sizeof(struct prefilter));
}

void prefilter_free(struct prefilter *prefilter)
{
	if (prefilter == NULL)
		return;
	for (size_t i = 0; i < prefilter->literals_len; i++)
		free(prefilter->literals[i].text);
	free(prefilter->literals);
	free(prefilter);
}

static unsigned char to_upper(unsigned char c)
{
	return c >= 'a' && c <= 'z' ? (unsigned char)(c - ('a' - 'A')) : c;
}

void prefilter_add(
    struct prefilter *prefilter, const char *literal, size_t len, bool is_caseless, unsigned id)
{
	char *text = xmemdupz(literal, len);

	assert(len >= PREFILTER_MIN);
	for (size_t i = 0; is_caseless && i < len; i++)
		text[i] = text_ascii_lower(text[i]);
	ARRAY_GROW(prefilter->literals, prefilter->literals_len, prefilter->literals_cap);
	prefilter->literals[prefilter->literals_len++] =
	    (struct literal){ .text = text, .len = len, .is_caseless = is_caseless, .id = id };
}

static int compare_literals(const void *left, const void *right)
{
	const struct literal *a = left;
	const struct literal *b = right;

	return strcmp(a->text, b->text);
}

static void allow(uint64_t table[256], char c, bool is_caseless, uint64_t bucket)
{
	unsigned char byte = (unsigned char)c;

	table[byte] |= bucket;
	if (is_caseless)
		table[to_upper(byte)] |= bucket;
}

void prefilter_build(struct prefilter *prefilter)
{
	size_t len = prefilter->literals_len;

	if (len > 0)
		qsort(prefilter->literals, len, sizeof(*prefilter->literals), compare_literals);
	for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
		prefilter->begin[bucket] = bucket * len / BUCKETS;
		prefilter->begin[bucket + 1] = (bucket + 1) * len / BUCKETS;
		for (size_t i = prefilter->begin[bucket]; i < prefilter->begin[bucket + 1]; i++) {
			const struct literal *literal = &prefilter->literals[i];
			uint64_t bit = (uint64_t)1 << bucket;

			allow(prefilter->first, literal->text[0], literal->is_caseless, bit);
			allow(prefilter->second, literal->text[1], literal->is_caseless, bit);
			allow(prefilter->third, literal->text[2], literal->is_caseless, bit);
		}
	}
}

static bool stands_at(const struct literal *literal, const char *data, size_t len)
{
	if (literal->len > len)
		return false;
	if (!literal->is_caseless)
		return memcmp(literal->text, data, literal->len) == 0;
	for (size_t i = 0; i < literal->len; i++) {
		if (text_ascii_lower(data[i]) != literal->text[i])
			return false;
	}
	return true;
}

struct scan {
	const struct prefilter *prefilter;
	const char *data;
	size_t len;
	prefilter_fn fn;
	void *ctx;
};

static void report(const struct scan *scan, uint64_t buckets, size_t at)
{
	const struct prefilter *prefilter = scan->prefilter;

	for (; buckets != 0; buckets &= buckets - 1) {
		int bucket = __builtin_ctzll(buckets);

		for (size_t i = prefilter->begin[bucket]; i < prefilter->begin[bucket + 1]; i++) {
			if (stands_at(&prefilter->literals[i], scan->data + at, scan->len - at))
				scan->fn(scan->ctx, prefilter->literals[i].id, at);
		}
	}
}

void prefilter_scan(
    const struct prefilter *prefilter, const char *data, size_t len, prefilter_fn fn, void *ctx)
{
	const struct scan scan = {
		.prefilter = prefilter, .data = data, .len = len, .fn = fn, .ctx = ctx
	};
	const unsigned char *s = (const unsigned char *)data;
	size_t at = 0;

#define AT(i)                                                                                      \
	(prefilter->first[s[i]] & prefilter->second[s[(i) + 1]] & prefilter->third[s[(i) + 2]])
	for (; at + 5 < len; at += 4) {
		uint64_t a = AT(at);
		uint64_t b = AT(at + 1);
		uint64_t c = AT(at + 2);
		uint64_t d = AT(at + 3);

		if (__builtin_expect((a | b | c | d) == 0, 1))
			continue;
		report(&scan, a, at);
		report(&scan, b, at + 1);
		report(&scan, c, at + 2);
		report(&scan, d, at + 3);
	}
	for (; at + 2 < len; at++)
		report(&scan, AT(at), at);
#undef AT
}
