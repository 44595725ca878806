/* SPDX-License-Identifier: MIT */
/* The two clocks, and the one text form of a moment. */
#include "base/clock.h"

#include <string.h>
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

bool clock_pause(int64_t until_ms)
{
	const struct timespec pause = { .tv_nsec = 5000000 };

	if (clock_monotonic_ms() >= until_ms)
		return false;
	(void)nanosleep(&pause, NULL);
	return true;
}

int64_t clock_wall_us(void)
{
	return read_us(CLOCK_REALTIME);
}

/* The day of the calendar, days after 1970-01-01 (Hinnant, chrono-compatible low-level date
 * algorithms): years of 400 that begin in March. gmtime_r() would read the time zone's file. */
static void civil(int64_t days, int *ret_year, int *ret_month, int *ret_day)
{
	int64_t z = days + 719468;
	int64_t era = z / 146097;
	int of_era = (int)(z - era * 146097);
	int year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int of_year = of_era - (365 * year + year / 4 - year / 100);
	int month = (5 * of_year + 2) / 153; /* from March */

	*ret_day = of_year - (153 * month + 2) / 5 + 1;
	*ret_month = month < 10 ? month + 3 : month - 9;
	*ret_year = (int)(year + era * 400) + (*ret_month <= 2);
}

/* The last digits of value, which end before end. */
static void put_digits(char *end, int64_t value, int digits)
{
	for (; digits > 0; digits--, value /= 10)
		*--end = (char)('0' + value % 10);
}

void clock_format_utc(int64_t wall_us, char ret_text[CLOCK_TEXT_SIZE])
{
	int64_t seconds = wall_us / 1000000;
	int year;
	int month;
	int day;

	civil(seconds / 86400, &year, &month, &day);
	memcpy(ret_text, "0000-00-00T00:00:00.000000Z", CLOCK_TEXT_SIZE);
	put_digits(ret_text + 4, year, 4);
	put_digits(ret_text + 7, month, 2);
	put_digits(ret_text + 10, day, 2);
	put_digits(ret_text + 13, seconds / 3600 % 24, 2);
	put_digits(ret_text + 16, seconds / 60 % 60, 2);
	put_digits(ret_text + 19, seconds % 60, 2);
	put_digits(ret_text + 26, wall_us % 1000000, 6);
}
