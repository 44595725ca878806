/* SPDX-License-Identifier: MIT */
/* The string vector; its array stays NULL-terminated after every call. */
#include "base/strvec.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void strvec_release(struct strvec *vec)
{
	for (size_t i = 0; i < vec->len; i++)
		free(vec->items[i]);
	free(vec->items);
	*vec = STRVEC_INIT;
}

void strvec_take(struct strvec *vec, char *text)
{
	ARRAY_GROW(vec->items, vec->len + 1, vec->cap);
	vec->items[vec->len++] = text;
	vec->items[vec->len] = NULL;
}

void strvec_push(struct strvec *vec, const char *text)
{
	strvec_take(vec, xstrdup(text));
}

void strvec_pushf(struct strvec *vec, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	strvec_take(vec, xvasprintf(fmt, args));
	va_end(args);
}

char *const *strvec_array(struct strvec *vec)
{
	if (vec->items == NULL) {
		vec->cap = 1;
		vec->items = xcalloc(vec->cap, sizeof(*vec->items));
	}
	return vec->items;
}

bool strvec_contains(const struct strvec *vec, const char *text)
{
	for (size_t i = 0; i < vec->len; i++) {
		if (strcmp(vec->items[i], text) == 0)
			return true;
	}
	return false;
}

/* For qsort(3). */
static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void strvec_sort(struct strvec *vec)
{
	if (vec->len > 1)
		qsort(vec->items, vec->len, sizeof(*vec->items), compare_texts);
}
