/* SPDX-License-Identifier: MIT */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

/*
 * Memory that is given back all at once: for trees that are built once and then only read
 * (compiled schemas, loaded surfaces). Nothing in an arena is freed alone.
 */

#include <stddef.h>

#include "base/mem.h"

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks; /* newest first; owned */
	char *at;                   /* free room in the newest */
	size_t left;                /* bytes of it */
	size_t first_size;          /* bytes of the first chunk; 0: a default */
};

#define ARENA_INIT ((struct arena){ 0 })

/* For a tree whose size can be guessed: the first chunk has that many bytes. */
#define ARENA_INIT_SIZE(bytes) ((struct arena){ .first_size = (bytes) })

void arena_release(struct arena *arena);

/* Zeroed memory of n * size bytes, aligned for any type; aborts on overflow or exhaustion. */
void *arena_alloc(struct arena *arena, size_t n, size_t size) MUST_CHECK;

/* A NUL-terminated copy of len bytes. */
char *arena_strdup(struct arena *arena, const char *data, size_t len) MUST_CHECK;

#endif
