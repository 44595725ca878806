/* SPDX-License-Identifier: MIT */
#ifndef BASE_BUF_H
#define BASE_BUF_H

/*
 * A growing byte string with a hard cap: git's strbuf with sshbuf's limit.
 *
 * `data` is never NULL and always NUL-terminated at data[len]; NULs inside are kept. Adding past
 * `max_len` does not allocate and does not cut: the bytes are dropped and `is_full` is set, once
 * and for good, so that a writer may add many pieces and ask once at the end (buf_check). A full
 * buffer must not be used as if it were whole.
 */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

struct buf {
	char *data;     /* never NULL; data[len] is NUL; owned */
	size_t len;     /* bytes in use, without the NUL */
	size_t cap;     /* bytes allocated; 0: data is a static empty string */
	size_t max_len; /* hard cap on len */
	bool is_full;   /* something did not fit: the content is not whole */
};

/* The one static empty string that unallocated buffers point at; never written. */
extern char buf_empty[1];

/* Cap for buffers whose content is bounded by something else already. */
#define BUF_MAX_DEFAULT ((size_t)64 << 20)

#define BUF_INIT ((struct buf){ .data = buf_empty, .max_len = BUF_MAX_DEFAULT })
#define BUF_INIT_MAX(max) ((struct buf){ .data = buf_empty, .max_len = (max) })
#define cleanup_buf __attribute__((cleanup(buf_release)))

/* Frees the bytes; the buffer is empty and usable again, its cap kept. */
void buf_release(struct buf *buf);

/* Forgets the content but keeps the memory; also clears is_full. */
void buf_reset(struct buf *buf);

/* Hands the bytes over to the caller (free with free()); the buffer is empty afterwards. */
char *buf_detach(struct buf *buf) MUST_CHECK;

/* Append bytes, a C string, one byte, formatted text, another buffer's content. */
void buf_add(struct buf *buf, const void *data, size_t len);
void buf_adds(struct buf *buf, const char *text);
void buf_addc(struct buf *buf, char c);
void buf_addf(struct buf *buf, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vaddf(struct buf *buf, const char *fmt, va_list args) PRINTF_LIKE(2, 0);

/*
 * Room for at least n more bytes at the end, to be filled by the caller (read(2)) and then
 * claimed with buf_commit(). NULL when the cap forbids it (is_full is set). Valid until the next
 * modifying call.
 */
char *buf_reserve(struct buf *buf, size_t n);
void buf_commit(struct buf *buf, size_t n);

/* Removes n bytes at the start; cuts the content to len bytes. n and len must be within it. */
void buf_consume(struct buf *buf, size_t n);
void buf_truncate(struct buf *buf, size_t len);

/* 0, or -1 with ERR_LIMIT naming what when something did not fit. */
int buf_check(const struct buf *buf, const char *what, struct err *err) MUST_CHECK;

#endif
