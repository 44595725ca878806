/* SPDX-License-Identifier: MIT */
#ifndef BASE_MEM_H
#define BASE_MEM_H

/*
 * Memory: allocation that aborts, ownership hand-over, cleanup attributes.
 *
 * Exhausted memory aborts: every size a peer can influence is capped before it reaches an
 * allocator (base/limits.h), so running out is our host's trouble and there is nothing sensible
 * to unwind. Locals are cleaned up by attribute; initialise them at declaration, then an early
 * `return` is the whole error path.
 */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

/* Number of elements of a true array. */
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Zeroed memory of n * size bytes; aborts on overflow or exhaustion. Free with free(). */
void *xcalloc(size_t n, size_t size) MUST_CHECK;

/* Like reallocarray(3), but aborts instead of failing. */
void *xreallocarray(void *ptr, size_t n, size_t size) MUST_CHECK;

/* Copies of a string; xstrdup(NULL) is NULL. Owned by the caller, freed with free(). */
char *xstrdup(const char *text) MUST_CHECK;
char *xmemdupz(const void *data, size_t len) MUST_CHECK;

/* A formatted string, owned by the caller. */
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2) MUST_CHECK;
char *xvasprintf(const char *fmt, va_list args) PRINTF_LIKE(1, 0) MUST_CHECK;

/*
 * Makes room for one more element of *array, which holds len elements and has room for *cap.
 * Growth is by half, so that appending n elements costs O(n).
 */
#define ARRAY_GROW(array, len, cap)                                                                \
	do {                                                                                       \
		if ((len) >= (cap)) {                                                              \
			(cap) = (cap) + ((cap) >> 1) + 8;                                          \
			(array) = xreallocarray((array), (cap), sizeof(*(array)));                 \
		}                                                                                  \
	} while (0)

/* Takes the value out of *p and leaves NULL behind: `return steal_ptr(&p);` */
#define steal_ptr(p)                                                                               \
	({                                                                                         \
		__typeof__(*(p)) stolen_ = *(p);                                                   \
		*(p) = NULL;                                                                       \
		stolen_;                                                                           \
	})

/* Takes the descriptor out of *fd and leaves -1 behind. */
static inline int steal_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* Closes *fd when it is open and leaves -1 behind; errno is kept. */
void close_fd(int *fd);

void mem_cleanup_free(void *pointer_to_pointer);

#define cleanup_free __attribute__((cleanup(mem_cleanup_free)))
#define cleanup_fd __attribute__((cleanup(close_fd)))

#endif
