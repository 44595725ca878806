/* SPDX-License-Identifier: MIT */
/* Content on its way out: each chunk verified before its bytes are handed out, the whole at the end. */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <zstd.h>

static const char SQL_GET_CHUNK[] = "SELECT hash, size, data FROM chunk WHERE id = ?1";
static const char SQL_GET_CONTENT[] = "SELECT hash, size, chunks FROM content WHERE id = ?1";

static int corrupt(const char *what, struct err *err)
{
	return err_set(err, ERR_CONTENT_CORRUPT,
	    "stored content is damaged (%s); restore a backup, and run stile vault fsck", what);
}

int content_chunks(const void *data, size_t len, content_chunk_fn fn, void *ctx, struct err *err)
{
	const uint8_t *at = data;
	const uint8_t *end = len == 0 ? at : at + len; /* SQLite's empty blob is NULL */

	while (at < end) {
		uint64_t number = 0;
		unsigned shift = 0;

		while (at < end && shift < 63 && (*at & 0x80) != 0) {
			number |= (uint64_t)(*at++ & 0x7f) << shift;
			shift += 7;
		}
		if (at == end || shift >= 63)
			return corrupt("list of chunks", err);
		number |= (uint64_t)*at++ << shift;
		if (fn(ctx, (int64_t)number, err) < 0)
			return -1;
	}
	return 0;
}

/* What reading needs: for many small contents it would cost more than they do to make it anew. */
struct opened {
	ZSTD_DCtx *expander;
	uint8_t blocks[2][CHUNK_MAX]; /* one is hashed with the whole while the other is filled */
};

struct outlet {
	struct vault *vault;
	struct hasher *hasher; /* NULL: there is one chunk, whose hash is that of the whole */
	struct digest last;    /* of the last chunk */
	int64_t chunks, size;
	vault_write_fn fn;
	void *ctx;
	struct opened *opened;
};

/* Takes the vault's own; while a callback reads, another one. */
static struct opened *opened_take(struct vault *vault)
{
	struct opened *opened = steal_ptr(&vault->opened);

	if (opened != NULL)
		return opened;
	opened = xreallocarray(NULL, 1, sizeof(*opened));
	opened->expander = ZSTD_createDCtx();
	if (opened->expander == NULL)
		abort();
	return opened;
}

void opened_free(struct opened *opened)
{
	if (opened == NULL)
		return;
	(void)ZSTD_freeDCtx(opened->expander);
	free(opened);
}

static void opened_give_back(struct vault *vault, struct opened *opened)
{
	opened_free(vault->opened);
	vault->opened = opened;
}

/* The chunk's bytes, verified, in the block. */
static int open_chunk(
    struct outlet *outlet, int64_t chunk, uint8_t *block, size_t *ret_len, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	struct digest wanted;
	const void *data;
	size_t len;
	int got = store_row(outlet->vault, SQL_GET_CHUNK, BINDS(B_INT(chunk)), &stmt, err);

	if (got < 0)
		return -1;
	if (got == 0)
		return corrupt("a chunk is missing", err);
	if (store_digest(stmt, 0, &wanted, err) < 0)
		return -1;
	data = sql_column_blob(stmt, 2, &len);
	len = ZSTD_decompressDCtx(outlet->opened->expander, block, CHUNK_MAX, data, len);
	if (ZSTD_isError(len) || (int64_t)len != sql_column_int(stmt, 1))
		return corrupt("a chunk cannot be expanded", err);
	outlet->last = digest_of(block, len);
	if (!digest_equal(&outlet->last, &wanted))
		return corrupt("a chunk has another hash", err);
	*ret_len = len;
	return 0;
}

static int hand_out(void *ctx, int64_t chunk, struct err *err)
{
	struct outlet *outlet = ctx;
	uint8_t *block = outlet->opened->blocks[outlet->chunks++ % 2];
	size_t len = 0;

	if (open_chunk(outlet, chunk, block, &len, err) < 0)
		return -1;
	if (outlet->hasher != NULL)
		hasher_add(outlet->hasher, block, len);
	outlet->size += (int64_t)len;
	return outlet->fn(outlet->ctx, block, len, err);
}

/* The row of a content, its list of chunks copied: the callback may read others. */
static int load_content(struct vault *vault, int64_t content, struct digest *ret_hash,
    int64_t *ret_size, struct buf *ret_chunks, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	const void *data;
	size_t len;
	int got = store_row(vault, SQL_GET_CONTENT, BINDS(B_INT(content)), &stmt, err);

	if (got < 0)
		return -1;
	if (got == 0)
		return corrupt("it is missing", err);
	data = sql_column_blob(stmt, 2, &len);
	buf_add(ret_chunks, data, len);
	*ret_size = sql_column_int(stmt, 1);
	return store_digest(stmt, 0, ret_hash, err);
}

static int read_chunks(struct outlet *outlet, const struct buf *chunks, const struct digest *wanted,
    int64_t size, struct err *err)
{
	struct digest is;

	if (content_chunks(chunks->data, chunks->len, hand_out, outlet, err) < 0)
		return -1;
	is = outlet->hasher != NULL ? hasher_end(outlet->hasher) : outlet->last;
	if (outlet->size != size || !digest_equal(&is, wanted))
		return corrupt("the whole has another hash", err);
	return 0;
}

static int count_chunk(void *ctx, int64_t chunk, struct err *err)
{
	int64_t *count = ctx;

	(void)chunk;
	(void)err;
	++*count;
	return 0;
}

static int read_all(struct outlet *outlet, int64_t content, struct err *err)
{
	cleanup_buf struct buf chunks = BUF_INIT;
	struct digest wanted;
	struct hasher hasher;
	int64_t count = 0;
	int64_t size = 0;
	int result;

	if (load_content(outlet->vault, content, &wanted, &size, &chunks, err) < 0 ||
	    content_chunks(chunks.data, chunks.len, count_chunk, &count, err) < 0)
		return -1;
	outlet->last = digest_of("", 0);
	if (count <= 1)
		return read_chunks(outlet, &chunks, &wanted, size, err);
	hasher_init(&hasher, size);
	outlet->hasher = &hasher;
	result = read_chunks(outlet, &chunks, &wanted, size, err);
	hasher_release(&hasher);
	return result;
}

int content_read(
    struct vault *vault, int64_t content, vault_write_fn fn, void *ctx, struct err *err)
{
	struct outlet outlet = { .vault = vault, .fn = fn, .ctx = ctx };
	int result;

	if (store_hold_content(vault, err) < 0)
		return -1;
	outlet.opened = opened_take(vault);
	result = read_all(&outlet, content, err);
	opened_give_back(vault, outlet.opened);
	store_let_content(vault);
	return result;
}
