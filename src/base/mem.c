/* SPDX-License-Identifier: MIT */
/* Allocation that aborts on exhaustion, and the cleanup handlers; apart so that no file but this
 * one has to know what happens when memory runs out. */
#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *checked(void *ptr)
{
	if (ptr == NULL)
		abort();
	return ptr;
}

void *xcalloc(size_t n, size_t size)
{
	return checked(calloc(n ? n : 1, size ? size : 1));
}

void *xreallocarray(void *ptr, size_t n, size_t size)
{
	return checked(reallocarray(ptr, n ? n : 1, size ? size : 1));
}

char *xstrdup(const char *text)
{
	return text == NULL ? NULL : checked(strdup(text));
}

char *xmemdupz(const void *data, size_t len)
{
	char *copy = checked(malloc(len + 1));

	if (len > 0)
		memcpy(copy, data, len);
	copy[len] = '\0';
	return copy;
}

char *xvasprintf(const char *fmt, va_list args)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, args) < 0)
		abort();
	return text;
}

char *xasprintf(const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = xvasprintf(fmt, args);
	va_end(args);
	return text;
}

void close_fd(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
	errno = saved;
}

void mem_cleanup_free(void *pointer_to_pointer)
{
	void **slot = pointer_to_pointer;

	free(*slot);
	*slot = NULL;
}
