/* SPDX-License-Identifier: MIT */
/* The error object and the lookups into its code table. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct err_info infos[ERR_CODE_COUNT] = {
#define ERR_ROW(code, wire, rpc, exit, retry, text) [code] = { wire, rpc, exit, retry, text },
	ERR_CODES(ERR_ROW)
#undef ERR_ROW
};

const struct err_info *err_info(enum err_code code)
{
	return (unsigned)code < ERR_CODE_COUNT ? &infos[code] : &infos[ERR_INTERNAL];
}

enum err_code err_find(const char *name)
{
	int code = 0;

	while (code < ERR_CODE_COUNT && strcmp(infos[code].wire, name) != 0)
		code++;
	return (enum err_code)code;
}

bool err_is_wire_name(const char *name)
{
	return err_find(name) != ERR_CODE_COUNT;
}

void err_release(struct err *err)
{
	free(err->message);
	free(err->details);
	*err = ERR_INIT;
}

/* Replaces what err held; message is taken. */
static void replace(struct err *err, enum err_code code, char *message_take)
{
	err_release(err);
	err->code = code;
	err->retryable = err_info(code)->is_retryable;
	err->message = message_take;
}

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	replace(err, code, xvasprintf(fmt, args));
	va_end(args);
	return -1;
}

int err_errno(struct err *err, int errnum, const char *fmt, ...)
{
	enum err_code code = ERR_IO;
	cleanup_free char *text = NULL;
	va_list args;

	if (errnum == EACCES || errnum == EPERM)
		code = ERR_PERMISSION_DENIED;
	else if (errnum == ENOENT)
		code = ERR_NOT_FOUND;
	va_start(args, fmt);
	text = xvasprintf(fmt, args);
	va_end(args);
	return err_set(err, code, "%s: %s", text,
	    strerrordesc_np(errnum) ? strerrordesc_np(errnum) : "unknown error");
}

int err_wrap(struct err *err, const char *fmt, ...)
{
	cleanup_free char *text = NULL;
	char *joined;
	va_list args;

	va_start(args, fmt);
	text = xvasprintf(fmt, args);
	va_end(args);
	joined = xasprintf("%s: %s", text, err->message ? err->message : "");
	free(err->message);
	err->message = joined;
	return -1;
}

int err_take_details(struct err *err, char *json_text)
{
	free(err->details);
	err->details = json_text;
	return -1;
}

void err_move(struct err *dst, struct err *src)
{
	err_release(dst);
	*dst = *src;
	*src = ERR_INIT;
}

void fatal(int exit_code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)fputs("stile: ", stderr);
	(void)vfprintf(stderr, fmt, args);
	(void)fputc('\n', stderr);
	va_end(args);
	exit(exit_code);
}
