/* SPDX-License-Identifier: MIT */
/*
 * Bytes of any kind are cut where they say so themselves: within the bounds, all of them, and in the
 * same places again behind something else. The column `content.chunks`, read from a file that
 * anything may have happened to, is a list of numbers that is written so, or is refused.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vault/vault_internal.h"

#define STREAM_SIZE (CHUNK_MAX + CHUNK_MAX / 2)

static void demand(bool holds)
{
	if (!holds)
		abort();
}

/* ---- cuts ---- */

/* More than the longest chunk, made of the input: repeated, and stirred a little each time. */
static void make_stream(const uint8_t *data, size_t size, uint8_t *ret_stream)
{
	uint8_t stir = 0;

	for (size_t at = 0; at < STREAM_SIZE; at += size, stir += data[size - 1]) {
		for (size_t i = 0; i < size && at + i < STREAM_SIZE; i++)
			ret_stream[at + i] = (uint8_t)(data[i] + stir);
	}
}

/* Where the chunks of the stream end, in order; how many. */
static size_t cut_all(const uint8_t *stream, size_t len, size_t *ret_ends)
{
	size_t count = 0;

	for (size_t at = 0; at < len;) {
		size_t step = chunk_cut(stream + at, len - at);

		demand(step <= CHUNK_MAX && at + step <= len);
		demand(step >= CHUNK_MIN || at + step == len);
		at += step;
		ret_ends[count++] = at;
	}
	return count;
}

static void try_cuts(const uint8_t *data, size_t size)
{
	static uint8_t stream[STREAM_SIZE];
	static size_t ends[STREAM_SIZE / CHUNK_MIN + 1];
	static size_t again[STREAM_SIZE / CHUNK_MIN + 1];
	size_t count;

	make_stream(data, size, stream);
	count = cut_all(stream, STREAM_SIZE, ends);
	/* What follows a cut is cut as if nothing stood before it. */
	demand(cut_all(stream + ends[0], STREAM_SIZE - ends[0], again) == count - 1);
	for (size_t i = 0; i + 1 < count; i++)
		demand(again[i] + ends[0] == ends[i + 1]);
}

/* ---- lists ---- */

static void add_number(struct buf *buf, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		buf_addc(buf, (char)(number | 0x80));
	buf_addc(buf, (char)number);
}

static int take_number(void *ctx, int64_t number, struct err *err)
{
	(void)err;
	demand(number >= 0);
	add_number(ctx, (uint64_t)number);
	return 0;
}

/* A number may be written with more bytes than it takes; the list that is read has the same ones. */
static void try_list(const uint8_t *data, size_t size)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf first = BUF_INIT;
	cleanup_buf struct buf second = BUF_INIT;

	if (content_chunks(data, size, take_number, &first, &err) < 0) {
		demand(err.code == ERR_CONTENT_CORRUPT);
		return;
	}
	demand(first.len <= size);
	demand(content_chunks(first.data, first.len, take_number, &second, &err) == 0);
	demand(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0) {
		try_list(data, size);
		try_cuts(data, size);
	}
	return 0;
}
