/* SPDX-License-Identifier: MIT */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Time: monotonic for deadlines, wall only for records. */

#include <stdbool.h>
#include <stdint.h>

/* Milliseconds and microseconds of the monotonic clock; only differences mean anything. */
int64_t clock_monotonic_ms(void);
int64_t clock_monotonic_us(void);

/* For a command that tries again and again, never for the loop: sleeps 5 ms and is true, unless the
 * monotonic clock has reached until_ms. */
bool clock_pause(int64_t until_ms);

/* Microseconds since 1970-01-01T00:00:00Z by the wall clock. */
int64_t clock_wall_us(void);

/* Size of a buffer for clock_format_utc(), with its NUL. */
#define CLOCK_TEXT_SIZE 28

/* RFC 3339 in UTC with microseconds: 2026-11-30T12:00:00.000000Z */
void clock_format_utc(int64_t wall_us, char ret_text[CLOCK_TEXT_SIZE]);

#endif
