/* SPDX-License-Identifier: MIT */
/*
 * URIs of resources, compared segment by segment (section 8). Each segment is decoded once and only
 * then looked at: splitting comes first, so that an encoded separator stays inside its segment and
 * decoding can never make a new one; what is still encoded after that is plain text
 * (clients.md Q47). Raw and encoded forms of one URI are equal (Q48).
 */
#include "surface/surface_internal.h"

#include <string.h>
#include <strings.h>

/* ---- segments ---- */

static size_t segment_len(const char *text)
{
	return strcspn(text, "/");
}

/* Length of the scheme with its colon, or 0. */
static size_t scheme_len(const char *uri)
{
	size_t n = strcspn(uri, ":/");

	return uri[n] == ':' ? n + 1 : 0;
}

static void set_step(struct uri_step *step, const char *pattern, const char *text)
{
	*step = (struct uri_step){ .pattern = pattern,
		.pattern_len = segment_len(pattern),
		.text = text,
		.text_len = segment_len(text) };
}

bool surface_uri_begin(const char *pattern, const char *uri, struct uri_step *ret_step)
{
	size_t n = scheme_len(pattern);

	if (n == 0 || scheme_len(uri) != n || strncasecmp(uri, pattern, n) != 0)
		return false;
	set_step(ret_step, pattern + n, uri + n);
	return true;
}

bool surface_uri_next(struct uri_step *step, bool *ret_is_end)
{
	const char *pattern = step->pattern + step->pattern_len;
	const char *text = step->text + step->text_len;

	*ret_is_end = *pattern == '\0' && *text == '\0';
	if (*pattern == '\0' || *text == '\0')
		return false;
	set_step(step, pattern + 1, text + 1);
	return true;
}

bool surface_uri_is_variable(const char *segment, size_t len, size_t *ret_name_len)
{
	if (len < 3 || segment[0] != '{' || segment[len - 1] != '}')
		return false;
	*ret_name_len = len - 2;
	return true;
}

/* ---- decoding ---- */

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool surface_uri_decode(const char *text, size_t len, struct buf *ret_text)
{
	for (size_t i = 0; i < len; i++) {
		int high, low;

		if (text[i] != '%') {
			buf_addc(ret_text, text[i]);
			continue;
		}
		if (len - i < 3)
			return false;
		high = hex_value(text[i + 1]);
		low = hex_value(text[i + 2]);
		if (high < 0 || low < 0)
			return false;
		buf_addc(ret_text, (char)(high * 16 + low));
		i += 2;
	}
	return true;
}

/* ---- comparing ---- */

static bool is_same_text(const struct uri_step *step)
{
	cleanup_buf struct buf pattern = BUF_INIT;
	cleanup_buf struct buf text = BUF_INIT;

	if (step->pattern_len == step->text_len &&
	    memcmp(step->pattern, step->text, step->text_len) == 0)
		return true;
	return surface_uri_decode(step->pattern, step->pattern_len, &pattern) &&
	       surface_uri_decode(step->text, step->text_len, &text) && pattern.len == text.len &&
	       memcmp(pattern.data, text.data, text.len) == 0;
}

static bool is_matching_segment(const struct uri_step *step)
{
	size_t name_len;

	if (surface_uri_is_variable(step->pattern, step->pattern_len, &name_len))
		return step->text_len > 0;
	return is_same_text(step);
}

/* A variable is as good as any other variable, and no text. */
static bool is_same_segment(const struct uri_step *step)
{
	size_t name_len;
	bool is_variable = surface_uri_is_variable(step->pattern, step->pattern_len, &name_len);

	if (surface_uri_is_variable(step->text, step->text_len, &name_len) != is_variable)
		return false;
	return is_variable || is_same_text(step);
}

static bool compare(
    const char *pattern, const char *uri, bool (*is_equal)(const struct uri_step *step))
{
	struct uri_step step;
	bool is_end = false;

	if (!surface_uri_begin(pattern, uri, &step))
		return false;
	do {
		if (!is_equal(&step))
			return false;
	} while (surface_uri_next(&step, &is_end));
	return is_end;
}

bool surface_resource_matches(const struct resource *resource, const char *uri)
{
	return compare(resource->uri, uri, is_matching_segment);
}

bool surface_uri_is_same(const char *a, const char *b)
{
	return compare(a, b, is_same_segment);
}
