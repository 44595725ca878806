/* SPDX-License-Identifier: MIT */
#ifndef BASE_LOG_H
#define BASE_LOG_H

/*
 * The operator's log: one line an event on standard error, control characters escaped.
 *
 * Not the ledger (that is the auditor's). Rooms below call/ do not log. Never log an argument's
 * value. A closed or full standard error neither blocks nor kills: a line that does not fit is
 * dropped (protocol.md §15).
 */

#include "base/mem.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Lines above this level are dropped; LOG_LEVEL_WARNING at start. */
void log_set_level(enum log_level level);

void log_line(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
