/* SPDX-License-Identifier: MIT */
#ifndef LITERAL_H
#define LITERAL_H

/* C source out of bytes, for the programs that embed files at build time. */

#include <stddef.h>
#include <stdio.h>

/* Writes data as string literals, one a line, with every byte that is not plain escaped. */
void literal_write(FILE *file, const char *data, size_t len);

/* The whole file, or NULL after a message; NUL-terminated; free with free(). */
char *literal_read(const char *path, size_t *ret_len);

#endif
