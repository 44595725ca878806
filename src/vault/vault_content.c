/* SPDX-License-Identifier: MIT */
/*
 * Content on its way in: cut, hashed, compressed, stored unless it is there. What is not stored yet
 * waits in memory, a few MiB at most, so that no lock is held while a source is read; many small
 * contents are written together.
 */
#include "vault/vault_internal.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/text.h"

#define ZSTD_LEVEL 1
#define READ_SIZE (CHUNK_MAX * 4)
#define PENDING_BYTES ((size_t)4 << 20)
#define PENDING_CONTENTS 2000

/* IGNORE: another process may have stored the same since we looked. */
static const char SQL_ADD_CHUNK[] =
    "INSERT INTO chunk (hash, size, data) VALUES (?1, ?2, ?3) ON CONFLICT (hash) DO NOTHING";
static const char SQL_FIND_CHUNK[] = "SELECT id FROM chunk WHERE hash = ?1";
static const char SQL_ADD_CONTENT[] =
    "INSERT INTO content (hash, size, chunks) VALUES (?1, ?2, ?3) ON CONFLICT (hash) DO NOTHING";
static const char SQL_FIND_CONTENT[] = "SELECT id FROM content WHERE hash = ?1";

/* A chunk that waits to be written. */
struct waiting_chunk {
	struct digest hash;
	size_t size;
	void *data; /* compressed; owned */
	size_t data_len;
};

struct vault_staged {
	struct vault *vault;
	struct digest hash;
	int64_t size;
	struct digest *chunks; /* their hashes, in order; owned */
	size_t chunks_len, chunks_cap;
	bool is_text;              /* all of it is UTF-8 without NUL */
	int64_t content;           /* row, once it is written */
	struct vault_staged *next; /* among those that wait */
};

struct pending {
	struct waiting_chunk *chunks;
	size_t chunks_len, chunks_cap;
	size_t bytes;
	struct vault_staged *contents; /* newest first */
	size_t contents_len;
	ZSTD_CCtx *compressor;
	uint8_t *block; /* READ_SIZE bytes: what was read and not cut yet */
};

/* ---- what waits ---- */

static struct pending *pending_of(struct vault *vault)
{
	struct pending *pending = vault->pending;

	if (pending != NULL)
		return pending;
	pending = xcalloc(1, sizeof(*pending));
	pending->compressor = ZSTD_createCCtx();
	pending->block = xcalloc(1, READ_SIZE);
	if (pending->compressor == NULL)
		abort();
	vault->pending = pending;
	return pending;
}

static void drop_chunks(struct pending *pending)
{
	for (size_t i = 0; i < pending->chunks_len; i++)
		free(pending->chunks[i].data);
	pending->chunks_len = 0;
	pending->bytes = 0;
}

void pending_free(struct pending *pending)
{
	if (pending == NULL)
		return;
	assert(pending->contents == NULL); /* staged content is freed before the vault is closed */
	drop_chunks(pending);
	free(pending->chunks);
	(void)ZSTD_freeCCtx(pending->compressor);
	free(pending->block);
	free(pending);
}

static int write_chunks(struct vault *vault, struct pending *pending, struct err *err)
{
	for (size_t i = 0; i < pending->chunks_len; i++) {
		const struct waiting_chunk *chunk = &pending->chunks[i];

		if (store_run(vault, SQL_ADD_CHUNK,
			BINDS(B_DIGEST(&chunk->hash), B_INT((int64_t)chunk->size),
			    B_BLOB(chunk->data, chunk->data_len)),
			err) < 0)
			return -1;
	}
	return 0;
}

/* Seven bits a byte, the low ones first; the high bit says that more follow. */
static void add_number(struct buf *buf, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		buf_addc(buf, (char)(number | 0x80));
	buf_addc(buf, (char)number);
}

/* The column `chunks`: the numbers of the chunks, in order. */
static int list_chunks(
    struct vault *vault, const struct vault_staged *staged, struct buf *ret, struct err *err)
{
	for (size_t i = 0; i < staged->chunks_len; i++) {
		int64_t chunk = 0;

		if (store_int(vault, SQL_FIND_CHUNK, BINDS(B_DIGEST(&staged->chunks[i])), &chunk,
			err) < 0)
			return -1;
		if (chunk == 0)
			return err_set(err, ERR_INTERNAL, "a chunk that was stored is not there");
		add_number(ret, (uint64_t)chunk);
	}
	return 0;
}

static int write_content(struct vault *vault, struct vault_staged *staged, struct err *err)
{
	cleanup_buf struct buf chunks = BUF_INIT;

	if (list_chunks(vault, staged, &chunks, err) < 0 ||
	    store_run(vault, SQL_ADD_CONTENT,
		BINDS(
		    B_DIGEST(&staged->hash), B_INT(staged->size), B_BLOB(chunks.data, chunks.len)),
		err) < 0)
		return -1;
	return store_int(
	    vault, SQL_FIND_CONTENT, BINDS(B_DIGEST(&staged->hash)), &staged->content, err);
}

static int write_all(struct vault *vault, struct pending *pending, struct err *err)
{
	if (write_chunks(vault, pending, err) < 0)
		return -1;
	for (struct vault_staged *staged = pending->contents; staged != NULL;
	     staged = staged->next) {
		if (write_content(vault, staged, err) < 0)
			return -1;
	}
	return 0;
}

static void forget_waiting(struct pending *pending)
{
	while (pending->contents != NULL) {
		struct vault_staged *staged = pending->contents;

		pending->contents = staged->next;
		staged->next = NULL;
	}
	pending->contents_len = 0;
	drop_chunks(pending);
}

static int write_in_txn(struct vault *vault, struct pending *pending, struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;

	if (sql_begin(vault->sql, &txn, err) < 0 || write_all(vault, pending, err) < 0)
		return -1;
	return sql_commit(&txn, err);
}

/*
 * Writes what waits, never as a part of a larger transaction: were that rolled back, the contents
 * would name rows that are gone. It need not be durable yet: the commit of the version that takes
 * it is, and makes what was written before durable too.
 */
int pending_flush(struct vault *vault, struct err *err)
{
	struct pending *pending = vault->pending;
	cleanup_err struct err ignored = ERR_INIT;
	int result;

	assert(!sql_is_in_txn(vault->sql));
	if (pending == NULL || (pending->contents == NULL && pending->chunks_len == 0))
		return 0;
	if (store_relax(vault, true, err) < 0)
		return -1;
	result = write_in_txn(vault, pending, err);
	if (store_relax(vault, false, result == 0 ? err : &ignored) < 0)
		result = -1;
	if (result < 0) {
		for (struct vault_staged *at = pending->contents; at != NULL; at = at->next)
			at->content = 0;
		return -1;
	}
	forget_waiting(pending);
	return 0;
}

/* ---- in ---- */

static void compress_chunk(
    struct pending *pending, const struct digest *hash, const void *data, size_t len)
{
	size_t bound = ZSTD_compressBound(len);
	struct waiting_chunk *chunk;
	size_t got;

	ARRAY_GROW(pending->chunks, pending->chunks_len, pending->chunks_cap);
	chunk = &pending->chunks[pending->chunks_len++];
	*chunk = (struct waiting_chunk){
		.hash = *hash, .size = len, .data = xreallocarray(NULL, bound, 1)
	};
	got = ZSTD_compressCCtx(pending->compressor, chunk->data, bound, data, len, ZSTD_LEVEL);
	assert(!ZSTD_isError(got)); /* the bound is the library's own */
	chunk->data_len = got;
	chunk->data = xreallocarray(chunk->data, got, 1);
	pending->bytes += got;
}

static int add_chunk(struct vault_staged *staged, const void *data, size_t len, struct err *err)
{
	struct vault *vault = staged->vault;
	struct digest hash = digest_of(data, len);
	int64_t is_there = 0;

	ARRAY_GROW(staged->chunks, staged->chunks_len, staged->chunks_cap);
	staged->chunks[staged->chunks_len++] = hash;
	if (store_int(vault, SQL_FIND_CHUNK, BINDS(B_DIGEST(&hash)), &is_there, err) < 0)
		return -1;
	if (is_there == 0)
		compress_chunk(vault->pending, &hash, data, len);
	return vault->pending->bytes < PENDING_BYTES ? 0 : pending_flush(vault, err);
}

/* What a content is while its bytes come. */
struct intake {
	struct vault_staged *staged;
	size_t len;     /* bytes in the block */
	size_t fresh;   /* where those begin that came last */
	size_t cut_off; /* bytes at its start that are in chunks by now */
	size_t pending; /* of a character that the last part cut, at most 3 */
	char cut[4];
};

/* How many bytes at the start are ASCII without NUL, in steps of eight. */
static size_t skip_ascii(const char *data, size_t len)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	size_t at = 0;
	uint64_t word;

	for (; len - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, data + at, sizeof(word));
		if (((word | (word - ones)) & (ones << 7)) != 0)
			break;
	}
	return at;
}

/* The characters of a part; one that the end cuts is looked at with the next part. */
static void look_at_text(struct intake *intake, const char *data, size_t len, bool is_end)
{
	uint32_t codepoint;
	size_t at = 0;

	if (!intake->staged->is_text)
		return;
	while (intake->pending > 0 && intake->pending < 4 && at < len) {
		intake->cut[intake->pending++] = data[at++];
		if (text_decode(intake->cut, intake->pending, &codepoint) == intake->pending)
			intake->pending = 0;
	}
	while (intake->pending == 0 && (at += skip_ascii(data + at, len - at)) < len) {
		size_t step = text_decode(data + at, len - at, &codepoint);

		if (step == 0 && len - at < 4) {
			intake->pending = len - at;
			memcpy(intake->cut, data + at, len - at);
			break;
		}
		if (step == 0 || codepoint == 0)
			break;
		at += step;
	}
	if (intake->pending == 4 || (intake->pending == 0 && at < len) ||
	    (is_end && intake->pending > 0))
		intake->staged->is_text = false;
}

/* Cuts off whole chunks; while more is to come, none that the rest might lengthen. */
static int cut_chunks(struct intake *intake, bool is_end, struct err *err)
{
	uint8_t *block = intake->staged->vault->pending->block;

	intake->cut_off = 0;
	while (intake->len - intake->cut_off >= CHUNK_MAX ||
	       (is_end && intake->cut_off < intake->len)) {
		uint8_t *at = block + intake->cut_off;
		size_t len = chunk_cut(at, intake->len - intake->cut_off);

		if (add_chunk(intake->staged, at, len, err) < 0)
			return -1;
		intake->cut_off += len;
	}
	return 0;
}

/* What was not cut off goes to the start of the block. */
static void keep_rest(struct intake *intake)
{
	uint8_t *block = intake->staged->vault->pending->block;

	intake->len -= intake->cut_off;
	memmove(block, block + intake->cut_off, intake->len);
}

/* Fills the block: whatever a pipe gives at a time, there is work enough for two. 1: the end. */
static int fill_block(struct intake *intake, vault_read_fn fn, void *ctx, struct err *err)
{
	uint8_t *block = intake->staged->vault->pending->block;
	int64_t got = 1;

	intake->fresh = intake->len;
	while (got > 0 && intake->len < READ_SIZE) {
		got = fn(ctx, block + intake->len, READ_SIZE - intake->len, err);
		if (got < 0)
			return -1;
		intake->len += (size_t)got;
	}
	intake->staged->size += (int64_t)(intake->len - intake->fresh);
	look_at_text(
	    intake, (const char *)block + intake->fresh, intake->len - intake->fresh, got == 0);
	return got == 0;
}

/* All of it is in the block. One chunk has the hash of the whole. */
static int take_small(struct intake *intake, struct err *err)
{
	struct vault_staged *staged = intake->staged;

	if (cut_chunks(intake, true, err) < 0)
		return -1;
	staged->hash = staged->chunks_len == 1
			   ? staged->chunks[0]
			   : digest_of(staged->vault->pending->block, intake->len);
	return 0;
}

/* What is in the block, and all that follows; each block's chunks and the whole side by side. */
static int take_large(
    struct intake *intake, struct hasher *hasher, vault_read_fn fn, void *ctx, struct err *err)
{
	const uint8_t *block = intake->staged->vault->pending->block;
	int is_end = 0;

	for (;;) {
		int result;

		hasher_add(hasher, block + intake->fresh, intake->len - intake->fresh);
		result = cut_chunks(intake, is_end, err);
		hasher_wait(hasher);
		if (result < 0)
			return -1;
		if (is_end)
			break;
		keep_rest(intake);
		is_end = fill_block(intake, fn, ctx, err);
		if (is_end < 0)
			return -1;
	}
	intake->staged->hash = hasher_end(hasher);
	return 0;
}

static int take_in(struct intake *intake, vault_read_fn fn, void *ctx, struct err *err)
{
	struct hasher hasher;
	int is_end = fill_block(intake, fn, ctx, err);
	int result;

	if (is_end != 0)
		return is_end < 0 ? -1 : take_small(intake, err);
	hasher_init(&hasher, READ_SIZE);
	result = take_large(intake, &hasher, fn, ctx, err);
	hasher_release(&hasher);
	return result;
}

static int enqueue(struct vault_staged *staged, struct err *err)
{
	struct pending *pending = staged->vault->pending;

	staged->next = pending->contents;
	pending->contents = staged;
	pending->contents_len++;
	return pending->contents_len < PENDING_CONTENTS ? 0 : pending_flush(staged->vault, err);
}

static struct vault_staged *staged_new(struct vault *vault)
{
	struct vault_staged *staged = xcalloc(1, sizeof(*staged));

	staged->vault = vault;
	staged->is_text = true;
	return staged;
}

struct vault_staged *vault_stage(struct vault *vault, vault_read_fn fn, void *ctx, struct err *err)
{
	cleanup_staged struct vault_staged *staged = NULL;
	struct intake intake = { 0 };

	assert(vault->batch.sql == NULL); /* a source is not read while others wait */
	if (vault->org[0] == '\0') {
		(void)err_set(
		    err, ERR_UNAUTHENTICATED, "nobody is logged in; run: stile vault login");
		return NULL;
	}
	if (store_hold_content(vault, err) < 0)
		return NULL;
	(void)pending_of(vault);
	intake.staged = staged = staged_new(vault);
	if (take_in(&intake, fn, ctx, err) < 0 || enqueue(staged, err) < 0)
		return NULL;
	return steal_ptr(&staged);
}

static void leave_queue(struct vault_staged *staged)
{
	struct pending *pending = staged->vault->pending;

	for (struct vault_staged **at = &pending->contents; *at != NULL; at = &(*at)->next) {
		if (*at == staged) {
			*at = staged->next;
			pending->contents_len--;
			break;
		}
	}
}

void vault_staged_free(struct vault_staged *staged)
{
	if (staged == NULL)
		return;
	leave_queue(staged);
	store_let_content(staged->vault);
	free(staged->chunks);
	free(staged);
}

void vault_staged_cleanup(struct vault_staged **staged)
{
	vault_staged_free(*staged);
	*staged = NULL;
}

static int64_t read_fd(void *ctx, void *data, size_t len, struct err *err)
{
	const int *fd = ctx;
	ssize_t got;

	do
		got = read(*fd, data, len);
	while (got < 0 && errno == EINTR);
	return got < 0 ? err_errno(err, errno, "read") : got;
}

struct vault_staged *vault_stage_fd(struct vault *vault, int fd, struct err *err)
{
	return vault_stage(vault, read_fd, &fd, err);
}

struct span {
	const char *data;
	size_t len;
};

static int64_t read_span(void *ctx, void *data, size_t len, struct err *err)
{
	struct span *span = ctx;
	size_t take = len < span->len ? len : span->len;

	(void)err;
	if (take > 0)
		memcpy(data, span->data, take);
	span->data += take;
	span->len -= take;
	return (int64_t)take;
}

struct vault_staged *vault_stage_bytes(
    struct vault *vault, const void *data, size_t len, struct err *err)
{
	struct span span = { .data = data, .len = len };

	return vault_stage(vault, read_span, &span, err);
}

int64_t vault_staged_size(const struct vault_staged *staged)
{
	return staged->size;
}

const struct digest *staged_hash(const struct vault_staged *staged)
{
	return &staged->hash;
}

bool staged_is_text(const struct vault_staged *staged)
{
	return staged->is_text;
}

int64_t staged_content(const struct vault_staged *staged)
{
	assert(staged->content != 0);
	return staged->content;
}
