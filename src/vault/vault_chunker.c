/* SPDX-License-Identifier: MIT */
/*
 * FastCDC: where content is cut depends on the content around the cut, so that an insertion changes
 * the chunks it touches and no others (Xia et al., 2016; normalised chunking, level 2). A different
 * cut of the same bytes would still be read back, but would no longer share chunks with what is
 * stored: the table, the masks and the sizes stay as they are.
 */
#include "vault/vault_internal.h"

#include <assert.h>

#define AVERAGE_BITS 16
#define MASK(bits) (((UINT64_C(1) << (bits)) - 1) << (64 - (bits)))

/* Before the turn a cut is four times as rare, after it four times as frequent. */
static const uint64_t mask_hard = MASK(AVERAGE_BITS + 2);
static const uint64_t mask_easy = MASK(AVERAGE_BITS - 2);

static uint64_t gear[256];

/* splitmix64 from a fixed seed: 256 constants that need no page of digits. */
static void make_gear(void)
{
	uint64_t state = UINT64_C(0x7374696c65206763);

	for (size_t i = 0; i < ARRAY_LEN(gear); i++) {
		uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

		z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
		gear[i] = z ^ (z >> 31);
	}
}

/* The first cut in [at, end) by mask, or end. *hash is carried on. */
static size_t scan(const uint8_t *data, size_t at, size_t end, uint64_t mask, uint64_t *hash)
{
	uint64_t h = *hash;

	for (; at < end; at++) {
		h = (h << 1) + gear[data[at]];
		if ((h & mask) == 0)
			break;
	}
	*hash = h;
	return at;
}

size_t chunk_cut(const uint8_t *data, size_t len)
{
	size_t end = len < CHUNK_MAX ? len : CHUNK_MAX;
	size_t middle = end < CHUNK_TURN ? end : CHUNK_TURN;
	uint64_t hash = 0;
	size_t at;

	if (len <= CHUNK_MIN)
		return len;
	if (gear[0] == 0)
		make_gear();
	at = scan(data, CHUNK_MIN, middle, mask_hard, &hash);
	if (at == middle)
		at = scan(data, middle, end, mask_easy, &hash);
	return at < end ? at + 1 : end;
}
