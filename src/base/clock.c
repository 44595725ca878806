/* SPDX-License-Identifier: MIT */
/* The two clocks, and the one text form of a moment. */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static int64_t read_us(clockid_t id)
{
	struct timespec now = { 0 };

	(void)clock_gettime(id, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t clock_monotonic_us(void)
{
	return read_us(CLOCK_MONOTONIC);
}

int64_t clock_monotonic_ms(void)
{
	return clock_monotonic_us() / 1000;
}

int64_t clock_wall_us(void)
{
	return read_us(CLOCK_REALTIME);
}

void clock_format_utc(int64_t wall_us, char ret_text[CLOCK_TEXT_SIZE])
{
	time_t seconds = (time_t)(wall_us / 1000000);
	struct tm parts = { 0 };
	size_t len;

	(void)gmtime_r(&seconds, &parts);
	len = strftime(ret_text, CLOCK_TEXT_SIZE, "%Y-%m-%dT%H:%M:%S", &parts);
	(void)snprintf(ret_text + len, CLOCK_TEXT_SIZE - len, ".%06dZ", (int)(wall_us % 1000000));
}
