/* SPDX-License-Identifier: MIT */
/* Bump allocation from chunks that double, so that a small tree costs one small allocation and a
 * large one few. */
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENT (_Alignof(max_align_t))
#define CHUNK_MIN ((size_t)1024)
#define CHUNK_MAX ((size_t)64 * 1024)

struct arena_chunk {
	struct arena_chunk *next; /* the one before it */
	size_t size;              /* bytes of data */
	_Alignas(max_align_t) char data[];
};

void arena_release(struct arena *arena)
{
	while (arena->chunks != NULL) {
		struct arena_chunk *chunk = arena->chunks;

		arena->chunks = chunk->next;
		free(chunk);
	}
	*arena = ARENA_INIT;
}

static void add_chunk(struct arena *arena, size_t need)
{
	size_t size = arena->first_size > 0 ? arena->first_size : CHUNK_MIN;
	struct arena_chunk *chunk;

	if (arena->chunks != NULL)
		size = arena->chunks->size * 2;
	if (size > CHUNK_MAX)
		size = CHUNK_MAX;
	if (size < need)
		size = need;
	chunk = xreallocarray(NULL, 1, sizeof(*chunk) + size);
	chunk->next = arena->chunks;
	chunk->size = size;
	arena->chunks = chunk;
	arena->at = chunk->data;
	arena->left = size;
}

void *arena_alloc(struct arena *arena, size_t n, size_t size)
{
	size_t need;
	void *memory;

	if (__builtin_mul_overflow(n, size, &need) || need > SIZE_MAX / 2)
		abort();
	need = (need + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	if (need > arena->left)
		add_chunk(arena, need);
	memory = arena->at;
	arena->at += need;
	arena->left -= need;
	/* Cleared piece by piece: pages of a chunk that nothing is put into are never touched. */
	return memset(memory, 0, need);
}

char *arena_strdup(struct arena *arena, const char *data, size_t len)
{
	char *copy = arena_alloc(arena, len + 1, 1);

	if (len > 0)
		memcpy(copy, data, len);
	return copy;
}
