/* SPDX-License-Identifier: MIT */
/* The operator's log. The level is one of the two globals of the program. */
#include "base/log.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"

static enum log_level current_level = LOG_LEVEL_WARNING;

static const char *const names[] = {
	[LOG_LEVEL_ERROR] = "error",
	[LOG_LEVEL_WARNING] = "warning",
	[LOG_LEVEL_INFO] = "info",
	[LOG_LEVEL_DEBUG] = "debug",
};

void log_set_level(enum log_level level)
{
	current_level = level;
}

void log_line(enum log_level level, const char *fmt, ...)
{
	cleanup_buf struct buf raw = BUF_INIT_MAX(4096);
	cleanup_buf struct buf line = BUF_INIT_MAX(32768);
	struct pollfd writable = { .fd = STDERR_FILENO, .events = POLLOUT };
	int saved = errno;
	va_list args;

	if (level > current_level)
		return;
	va_start(args, fmt);
	buf_vaddf(&raw, fmt, args);
	va_end(args);
	buf_addf(&line, "stile: %s: ", names[level]);
	text_add_visible(&line, raw.data, raw.len);
	buf_addc(&line, '\n');
	if (poll(&writable, 1, 0) == 1 && (writable.revents & POLLOUT) != 0)
		(void)!write(STDERR_FILENO, line.data, line.len);
	errno = saved;
}
