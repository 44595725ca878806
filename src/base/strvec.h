/* SPDX-License-Identifier: MIT */
#ifndef BASE_STRVEC_H
#define BASE_STRVEC_H

/* A growing, NULL-terminated vector of owned C strings: what execve(2) takes as argv and envp. */

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

struct strvec {
	char **items; /* NULL, or len strings and a NULL; owned */
	size_t len;   /* strings in use */
	size_t cap;   /* slots allocated */
};

#define STRVEC_INIT ((struct strvec){ 0 })
#define cleanup_strvec __attribute__((cleanup(strvec_release)))

void strvec_release(struct strvec *vec);

/* Append a copy; append a formatted string; append a string whose ownership moves here. */
void strvec_push(struct strvec *vec, const char *text);
void strvec_pushf(struct strvec *vec, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strvec_take(struct strvec *vec, char *text);

/* The vector as a NULL-terminated array, never NULL; valid until the next modifying call. */
char *const *strvec_array(struct strvec *vec);

bool strvec_contains(const struct strvec *vec, const char *text);

/* In the order of their bytes. */
void strvec_sort(struct strvec *vec);

#endif
