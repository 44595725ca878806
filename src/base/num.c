/* SPDX-License-Identifier: MIT */
/* Parsing of integers, durations and sizes; every overflow is checked. */
#include "base/num.h"

#include <stdbool.h>
#include <string.h>

struct unit {
	const char *suffix; /* what follows the digits */
	int64_t factor;     /* in the base unit */
};

static const struct unit durations[] = {
	{ "ms", 1 },
	{ "s", 1000 },
	{ "m", INT64_C(60) * 1000 },
	{ "h", INT64_C(60) * 60 * 1000 },
};

static const struct unit sizes[] = {
	{ "B", 1 },
	{ "KiB", 1024 },
	{ "MiB", INT64_C(1024) * 1024 },
	{ "GiB", INT64_C(1024) * 1024 * 1024 },
};

/* Reads digits (and a sign) at *text and moves it behind them; false: none, or overflow. */
static bool read_int(const char **text, int64_t *ret_value)
{
	const char *at = *text;
	bool is_negative = *at == '-';
	int64_t value = 0;

	at += is_negative;
	if (*at < '0' || *at > '9')
		return false;
	for (; *at >= '0' && *at <= '9'; at++) {
		int64_t digit = *at - '0';

		if (__builtin_mul_overflow(value, (int64_t)10, &value) ||
		    __builtin_add_overflow(value, is_negative ? -digit : digit, &value))
			return false;
	}
	*text = at;
	*ret_value = value;
	return true;
}

int num_parse(const char *text, int64_t min, int64_t max, int64_t *ret_value, struct err *err)
{
	const char *at = text;
	int64_t value = 0;

	if (!read_int(&at, &value) || *at != '\0')
		return err_set(err, ERR_INVALID_ARGUMENT, "\"%.40s\" is not an integer", text);
	if (value < min || value > max)
		return err_set(err, ERR_INVALID_ARGUMENT, "%lld is not between %lld and %lld",
		    (long long)value, (long long)min, (long long)max);
	*ret_value = value;
	return 0;
}

/* The largest unit that gives max in a whole number, such as "16MiB". */
static int past_maximum(
    const char *text, const struct unit *units, size_t units_len, int64_t max, struct err *err)
{
	const struct unit *unit = &units[0];

	for (size_t i = 1; i < units_len; i++) {
		if (units[i].factor > unit->factor && max % units[i].factor == 0)
			unit = &units[i];
	}
	return err_set(err, ERR_INVALID_ARGUMENT, "%.40s is past the maximum, %lld%s", text,
	    (long long)(max / unit->factor), unit->suffix);
}

static int parse_unit(const char *text, const struct unit *units, size_t units_len, int64_t max,
    const char *example, int64_t *ret_value, struct err *err)
{
	const char *at = text;
	int64_t value = 0;

	if (!read_int(&at, &value) || value < 0)
		return err_set(
		    err, ERR_INVALID_ARGUMENT, "\"%.40s\" is not like %s", text, example);
	for (size_t i = 0; i < units_len; i++) {
		if (strcmp(at, units[i].suffix) != 0)
			continue;
		if (__builtin_mul_overflow(value, units[i].factor, &value) || value > max)
			return past_maximum(text, units, units_len, max, err);
		*ret_value = value;
		return 0;
	}
	return err_set(err, ERR_INVALID_ARGUMENT, "\"%.40s\" is not like %s", text, example);
}

int num_parse_duration(const char *text, int64_t max_ms, int64_t *ret_ms, struct err *err)
{
	return parse_unit(text, durations, ARRAY_LEN(durations), max_ms, "30s", ret_ms, err);
}

int num_parse_size(const char *text, int64_t max_bytes, int64_t *ret_bytes, struct err *err)
{
	return parse_unit(text, sizes, ARRAY_LEN(sizes), max_bytes, "1MiB", ret_bytes, err);
}
