/* SPDX-License-Identifier: MIT */
/* The capped buffer: all growth happens in buf_reserve(), so that the cap has one guard. */
#include "base/buf.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char buf_empty[1];

void buf_release(struct buf *buf)
{
	if (buf->cap > 0)
		free(buf->data);
	buf->data = buf_empty;
	buf->len = 0;
	buf->cap = 0;
	buf->is_full = false;
}

void buf_reset(struct buf *buf)
{
	buf->len = 0;
	buf->is_full = false;
	if (buf->cap > 0)
		buf->data[0] = '\0';
}

char *buf_detach(struct buf *buf)
{
	char *data = buf->cap > 0 ? buf->data : xmemdupz("", 0);

	buf->data = buf_empty;
	buf->len = 0;
	buf->cap = 0;
	buf->is_full = false;
	return data;
}

char *buf_reserve(struct buf *buf, size_t n)
{
	size_t need;

	if (n > buf->max_len - buf->len) {
		buf->is_full = true;
		return NULL;
	}
	need = buf->len + n + 1;
	if (need > buf->cap) {
		size_t cap = buf->cap + (buf->cap >> 1);

		if (cap < need)
			cap = need;
		if (cap < 64)
			cap = 64;
		buf->data = xreallocarray(buf->cap > 0 ? buf->data : NULL, cap, 1);
		buf->cap = cap;
		buf->data[buf->len] = '\0';
	}
	return buf->data + buf->len;
}

void buf_commit(struct buf *buf, size_t n)
{
	assert(n < buf->cap - buf->len);
	buf->len += n;
	buf->data[buf->len] = '\0';
}

void buf_add(struct buf *buf, const void *data, size_t len)
{
	char *room;

	if (len == 0)
		return;
	room = buf_reserve(buf, len);
	if (room == NULL)
		return;
	memcpy(room, data, len);
	buf_commit(buf, len);
}

void buf_adds(struct buf *buf, const char *text)
{
	buf_add(buf, text, strlen(text));
}

/* Writers of JSON add most of their bytes one by one: room that is there is used at once. */
void buf_addc(struct buf *buf, char c)
{
	if (buf->len + 1 >= buf->cap || buf->len >= buf->max_len) {
		buf_add(buf, &c, 1);
		return;
	}
	buf->data[buf->len++] = c;
	buf->data[buf->len] = '\0';
}

void buf_vaddf(struct buf *buf, const char *fmt, va_list args)
{
	va_list again;
	int len;
	char *room;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	assert(len >= 0);
	room = buf_reserve(buf, (size_t)len);
	if (room == NULL)
		return;
	(void)vsnprintf(room, (size_t)len + 1, fmt, args);
	buf_commit(buf, (size_t)len);
}

void buf_addf(struct buf *buf, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	buf_vaddf(buf, fmt, args);
	va_end(args);
}

void buf_consume(struct buf *buf, size_t n)
{
	assert(n <= buf->len);
	if (n == 0)
		return;
	memmove(buf->data, buf->data + n, buf->len - n);
	buf->len -= n;
	buf->data[buf->len] = '\0';
}

void buf_truncate(struct buf *buf, size_t len)
{
	assert(len <= buf->len);
	if (buf->cap == 0)
		return;
	buf->len = len;
	buf->data[len] = '\0';
}

int buf_check(const struct buf *buf, const char *what, struct err *err)
{
	if (buf->is_full)
		return err_set(err, ERR_LIMIT, "%s is larger than %zu bytes", what, buf->max_len);
	return 0;
}
