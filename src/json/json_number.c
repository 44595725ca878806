/* SPDX-License-Identifier: MIT */
/*
 * Numbers as their text: exact at any size, with work bounded by the digits that were written,
 * never by the value (1e999999999 is eleven bytes and stays that).
 *
 * A number is read as sign × 0.d1d2d3… × 10^point, its digits without zeros at either end. The
 * exponent itself may have any number of digits; where its exact value matters (comparing two
 * numbers) it is compared as text, elsewhere a saturated value will do.
 */
#include "json/json.h"

#include <string.h>

#include "base/mem.h"

#define MAX_DIGITS 4000 /* of numbers that are written out or divided */

/* An exponent of this size leaves all digits behind: a text has fewer than 2^32 of them. */
#define HUGE_EXPONENT ((int64_t)1 << 50)

struct decimal {
	const char *whole;    /* first significant digit; the digits may run on over the point */
	size_t len;           /* significant digits; 0 for zero */
	size_t dot;           /* the digits' index at which the decimal point interrupts them */
	const char *exponent; /* its digits; NULL without */
	size_t exponent_len;
	int64_t shift; /* point without the exponent */
	bool is_negative;
	bool is_exponent_negative;
};

static char digit_at(const struct decimal *d, size_t index)
{
	return d->whole[index < d->dot ? index : index + 1];
}

static size_t count_digits(const char *text, const char *end)
{
	const char *at = text;

	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return (size_t)(at - text);
}

/* Leaves out the zeros at both ends; whole_len digits stand before the point. */
static void trim(struct decimal *d, size_t whole_len)
{
	size_t zeros = 0;

	while (d->len > 0 && digit_at(d, d->len - 1) == '0')
		d->len--;
	while (zeros < d->len && digit_at(d, zeros) == '0')
		zeros++;
	d->whole += zeros + (zeros >= d->dot);
	d->len -= zeros;
	d->dot = zeros >= d->dot ? SIZE_MAX : d->dot - zeros;
	d->shift = (int64_t)whole_len - (int64_t)zeros;
}

/* The reader has checked the grammar. */
static struct decimal parse(const struct json *node)
{
	const char *end = node->raw + node->raw_len;
	const char *at = node->raw;
	struct decimal d = { .is_negative = *at == '-' };
	size_t whole_len;

	at += d.is_negative;
	whole_len = count_digits(at, end);
	d.whole = at;
	d.len = whole_len;
	d.dot = SIZE_MAX;
	at += whole_len;
	if (at < end && *at == '.') {
		size_t fraction_len = count_digits(at + 1, end);

		d.dot = whole_len;
		d.len += fraction_len;
		at += 1 + fraction_len;
	}
	trim(&d, whole_len);
	if (at < end) {
		at++;
		d.is_exponent_negative = *at == '-';
		at += *at == '-' || *at == '+';
		d.exponent = at;
		d.exponent_len = (size_t)(end - at);
	}
	return d;
}

/* The exponent's digit of value 10^(places - 1), seen as if it had leading zeros, signed. */
static int64_t exponent_digit(const struct decimal *d, size_t places)
{
	int64_t digit;

	if (places > d->exponent_len)
		return 0;
	digit = d->exponent[d->exponent_len - places] - '0';
	return d->is_exponent_negative ? -digit : digit;
}

/*
 * The exponent of a less that of b (b may be NULL: less nothing), exact up to HUGE_EXPONENT and
 * saturated there: past it no later digit can bring the difference back.
 */
static int64_t exponent_difference(const struct decimal *a, const struct decimal *b)
{
	size_t places = a->exponent_len;
	int64_t difference = 0;

	if (b != NULL && b->exponent_len > places)
		places = b->exponent_len;
	for (; places > 0; places--) {
		difference = difference * 10 + exponent_digit(a, places);
		if (b != NULL)
			difference -= exponent_digit(b, places);
		if (difference > HUGE_EXPONENT)
			return HUGE_EXPONENT;
		if (difference < -HUGE_EXPONENT)
			return -HUGE_EXPONENT;
	}
	return difference;
}

/* Digits before the decimal point, saturated; negative for 0.00x. */
static int64_t point_of(const struct decimal *d)
{
	return exponent_difference(d, NULL) + d->shift;
}

static bool is_whole(const struct decimal *d)
{
	return d->len == 0 || point_of(d) >= (int64_t)d->len;
}

bool json_number_is_integer(const struct json *node)
{
	struct decimal d;

	if (!json_is(node, JSON_NUMBER))
		return false;
	d = parse(node);
	return is_whole(&d);
}

bool json_number_int64(const struct json *node, int64_t *ret_value)
{
	int64_t value = 0;
	int64_t point;
	struct decimal d;

	if (!json_is(node, JSON_NUMBER))
		return false;
	d = parse(node);
	point = d.len == 0 ? 0 : point_of(&d);
	if (point < (int64_t)d.len || point > 19)
		return false;
	for (size_t i = 0; i < (size_t)point; i++) {
		int64_t digit = i < d.len ? digit_at(&d, i) - '0' : 0;

		if (__builtin_mul_overflow(value, (int64_t)10, &value) ||
		    __builtin_add_overflow(value, d.is_negative ? -digit : digit, &value))
			return false;
	}
	*ret_value = value;
	return true;
}

/* ---- comparing ---- */

static int sign_of(const struct decimal *d)
{
	if (d->len == 0)
		return 0;
	return d->is_negative ? -1 : 1;
}

/* Compares the sizes of two numbers that are not zero. */
static int compare_sizes(const struct decimal *a, const struct decimal *b)
{
	int64_t points = exponent_difference(a, b) + a->shift - b->shift;
	size_t len = a->len < b->len ? a->len : b->len;

	if (points != 0)
		return points > 0 ? 1 : -1;
	for (size_t i = 0; i < len; i++) {
		int order = digit_at(a, i) - digit_at(b, i);

		if (order != 0)
			return order > 0 ? 1 : -1;
	}
	return (a->len > b->len) - (a->len < b->len);
}

int json_number_compare(const struct json *a, const struct json *b)
{
	struct decimal left = parse(a);
	struct decimal right = parse(b);
	int sign = sign_of(&left);

	if (sign != sign_of(&right))
		return sign > sign_of(&right) ? 1 : -1;
	return sign == 0 ? 0 : sign * compare_sizes(&left, &right);
}

/* ---- dividing ---- */

#define LIMB 1000000000U /* nine decimal digits a limb, lowest first */
#define LIMBS_MAX (MAX_DIGITS / 9 + 2)

struct big {
	uint32_t limbs[LIMBS_MAX];
	size_t len; /* limbs in use; the highest is not 0 */
};

static void big_times_ten_plus(struct big *n, unsigned digit)
{
	uint64_t carry = digit;

	for (size_t i = 0; i < n->len; i++) {
		carry += (uint64_t)n->limbs[i] * 10;
		n->limbs[i] = (uint32_t)(carry % LIMB);
		carry /= LIMB;
	}
	if (carry > 0)
		n->limbs[n->len++] = (uint32_t)carry;
}

static bool big_is_less(const struct big *a, const struct big *b)
{
	if (a->len != b->len)
		return a->len < b->len;
	for (size_t i = a->len; i-- > 0;) {
		if (a->limbs[i] != b->limbs[i])
			return a->limbs[i] < b->limbs[i];
	}
	return false;
}

/* a must not be less than b. */
static void big_subtract(struct big *a, const struct big *b)
{
	uint32_t borrow = 0;

	for (size_t i = 0; i < a->len; i++) {
		uint32_t take = (i < b->len ? b->limbs[i] : 0) + borrow;

		borrow = a->limbs[i] < take;
		a->limbs[i] = a->limbs[i] + (borrow ? LIMB : 0) - take;
	}
	while (a->len > 0 && a->limbs[a->len - 1] == 0)
		a->len--;
}

/* The digit at index of d's digits and endless zeros behind them. */
static unsigned padded_digit(const struct decimal *d, size_t index)
{
	return index < d->len ? (unsigned)(digit_at(d, index) - '0') : 0;
}

/*
 * Long division by hand, digit after digit, for the remainder only: a's digits padded to a_len by
 * b's padded to b_len.
 */
static bool divides(const struct decimal *a, size_t a_len, const struct decimal *b, size_t b_len)
{
	struct big divisor = { .len = 0 };
	struct big rest = { .len = 0 };

	for (size_t i = 0; i < b_len; i++)
		big_times_ten_plus(&divisor, padded_digit(b, i));
	for (size_t i = 0; i < a_len; i++) {
		big_times_ten_plus(&rest, padded_digit(a, i));
		while (!big_is_less(&rest, &divisor))
			big_subtract(&rest, &divisor);
	}
	return rest.len == 0;
}

bool json_number_is_multiple(const struct json *a, const struct json *b)
{
	struct decimal of = parse(a);
	struct decimal by = parse(b);
	size_t a_len = of.len;
	size_t b_len = by.len;
	int64_t scale;

	if (by.len == 0 || by.is_negative)
		return false;
	if (of.len == 0)
		return true;
	/* The last digits' places apart: the number with the higher place gets zeros. */
	scale =
	    exponent_difference(&of, &by) + of.shift - by.shift - (int64_t)of.len + (int64_t)by.len;
	if (scale > MAX_DIGITS || scale < -MAX_DIGITS)
		return false;
	if (scale > 0)
		a_len += (size_t)scale;
	else
		b_len += (size_t)-scale;
	if (a_len > MAX_DIGITS || b_len > a_len)
		return false;
	return divides(&of, a_len, &by, b_len);
}

/* ---- writing out ---- */

bool json_number_add_plain(const struct json *node, struct buf *buf)
{
	struct decimal d;
	int64_t point;

	if (!json_is(node, JSON_NUMBER))
		return false;
	d = parse(node);
	if (d.len == 0) {
		buf_addc(buf, '0');
		return true;
	}
	point = point_of(&d);
	if (point < (int64_t)d.len || point > MAX_DIGITS)
		return false;
	if (d.is_negative)
		buf_addc(buf, '-');
	for (size_t i = 0; i < (size_t)point; i++)
		buf_addc(buf, (char)('0' + padded_digit(&d, i)));
	return true;
}
