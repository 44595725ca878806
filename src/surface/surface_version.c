/* SPDX-License-Identifier: MIT */
/* Versions: read out of what a program says, and compared with ranges. A version or range that
 * cannot be read is in no range: an unknown program is too old. */
#include "surface/surface_internal.h"

#include <string.h>

/* A dotted number, walked part by part: "2.39.5" and what stands behind it. */
struct version {
	const char *at;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits of the next part without leading zeros; "" when there is none: 2.30 is 2.30.0. */
static size_t next_part(struct version *version, const char **ret_digits)
{
	const char *begin = version->at;
	size_t len = 0;

	while (is_digit(begin[len]))
		len++;
	version->at += len;
	if (version->at[0] == '.' && is_digit(version->at[1]))
		version->at++;
	else
		version->at = "";
	while (len > 0 && *begin == '0') {
		begin++;
		len--;
	}
	*ret_digits = begin;
	return len;
}

static int compare_parts(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int order;

	if (a_len != b_len)
		return a_len < b_len ? -1 : 1;
	order = a_len == 0 ? 0 : memcmp(a, b, a_len);
	return (order > 0) - (order < 0);
}

/* What stands behind the numbers ("-rc1", ".windows.2") is not compared. */
static int compare(const char *left, const char *right)
{
	struct version a = { left };
	struct version b = { right };

	while (*a.at != '\0' || *b.at != '\0') {
		const char *a_digits = "";
		const char *b_digits = "";
		size_t a_len = next_part(&a, &a_digits);
		size_t b_len = next_part(&b, &b_digits);
		int order = compare_parts(a_digits, a_len, b_digits, b_len);

		if (order != 0)
			return order;
	}
	return 0;
}

static const struct {
	const char *sign;
	bool less, equal, more; /* which orders satisfy it */
} operators[] = {
	/* longest first */
	{ ">=", false, true, true },
	{ "<=", true, true, false },
	{ "==", false, true, false },
	{ ">", false, false, true },
	{ "<", true, false, false },
	{ "=", false, true, false },
};

/* One bound such as ">=2.30"; false also when it cannot be read. */
static bool bound_holds(const char *version, const char *bound, size_t len)
{
	cleanup_free char *text = xmemdupz(bound, len);

	for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
		size_t sign = strlen(operators[i].sign);
		int order;

		if (strncmp(text, operators[i].sign, sign) != 0)
			continue;
		if (!is_digit(text[sign]) || strspn(text + sign, "0123456789.") != len - sign)
			return false;
		order = compare(version, text + sign);
		return order < 0 ? operators[i].less
				 : (order > 0 ? operators[i].more : operators[i].equal);
	}
	return false;
}

bool surface_version_in_range(const char *version, const char *range)
{
	bool has_bound = false;

	if (version == NULL || !is_digit(version[0]))
		return false;
	while (*range != '\0') {
		size_t len = strcspn(range, ", ");

		if (len > 0 && !bound_holds(version, range, len))
			return false;
		has_bound = has_bound || len > 0;
		range += len + (range[len] != '\0');
	}
	return has_bound;
}

#define PART_MAX (((int64_t)1 << 53) - 1)

static bool read_part(const char **at, int64_t *ret_part)
{
	int64_t part = 0;

	if (!is_digit(**at))
		return false;
	for (; is_digit(**at); (*at)++) {
		part = part * 10 + (**at - '0');
		if (part > PART_MAX)
			return false;
	}
	*ret_part = part;
	return true;
}

bool surface_version_parts(const char *text, int64_t ret_parts[VERSION_PARTS])
{
	int64_t parts[VERSION_PARTS] = { 0 };

	for (size_t i = 0; i < VERSION_PARTS; i++) {
		if (!read_part(&text, &parts[i]))
			return false;
		if (text[0] != '.' || !is_digit(text[1]))
			break;
		text++;
	}
	memcpy(ret_parts, parts, sizeof(parts));
	return true;
}

char *surface_version_read(const struct surface *surface, const char *out, size_t len)
{
	const struct surface_version *version = surface->program.version;
	struct regex_match match;

	if (version == NULL || version->at == NULL ||
	    !regex_search(version->at, out, len, 0, &match, NULL) || match.groups_len < 2 ||
	    match.begin[1] == SIZE_MAX)
		return NULL;
	return xmemdupz(out + match.begin[1], match.end[1] - match.begin[1]);
}
