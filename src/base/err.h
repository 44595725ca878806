/* SPDX-License-Identifier: MIT */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/*
 * Errors: one object, set where it happens, wrapped where it gains meaning, reported once.
 *
 * Convention (STYLE §5): 0 or a pointer is success; -1 or NULL is failure and `*err` is set
 * exactly then; on failure `ret_*` arguments are untouched. `err` is never NULL. The message is
 * for people, never holds a secret or raw output of a child, and does not end in a full stop.
 */

#include <stdbool.h>

#include "base/err_codes.h"
#include "base/mem.h"

struct err {
	enum err_code code; /* for programs; ERR_NONE while all is well */
	bool retryable;     /* the same request, unchanged, may succeed later */
	char *message;      /* for people; owned */
	char *details;      /* or NULL; owned JSON text; such as the pointer of an argument */
};

#define ERR_INIT ((struct err){ 0 })
#define cleanup_err __attribute__((cleanup(err_release)))

/* Releases what err holds and makes it ERR_INIT again. */
void err_release(struct err *err);

/*
 * Sets err (replacing what it held) and returns -1, so that a failing function ends in
 * `return err_set(err, ERR_NOT_FOUND, "tool %s", name);`. Retryable comes from the table.
 */
int err_set(struct err *err, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The same for a failed system call: "<text>: <strerror>", EACCES and EPERM as
 * ERR_PERMISSION_DENIED, ENOENT as ERR_NOT_FOUND, everything else ERR_IO. */
int err_errno(struct err *err, int errnum, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Adds context outward: message becomes "<text>: <message>". Returns -1. */
int err_wrap(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Attaches details (JSON text, ownership moves here). Returns -1. */
int err_take_details(struct err *err, char *json_text);

/* Moves src into dst (which is released first); src is ERR_INIT afterwards. */
void err_move(struct err *dst, struct err *src);

static inline bool err_is_set(const struct err *err)
{
	return err->code != ERR_NONE;
}

/* The table row of a code; never NULL, an unknown code is ERR_INTERNAL's row. */
const struct err_info *err_info(enum err_code code);

/* The code of that wire name, or ERR_CODE_COUNT when it is none of ours. */
enum err_code err_find(const char *name);

/* True when name is the wire name of one of our codes. */
bool err_is_wire_name(const char *name);

/* Prints "stile: <text>" to standard error and exits with code; only for main and cli. */
void fatal(int exit_code, const char *fmt, ...) PRINTF_LIKE(2, 3) __attribute__((noreturn));

#endif
