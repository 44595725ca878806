/* SPDX-License-Identifier: MIT */
/* Known values: what a call's own secrets may look like when they come back. */
#include "run/run.h"

#include <string.h>

#include "base/text.h"
#include "json/json.h"

/* A shorter value would mask words of ordinary text. */
#define VALUE_MIN 4

void redactor_values_release(struct redactor_values *values)
{
	strvec_release(&values->items);
}

static void add_form(struct redactor_values *values, const char *data, size_t len)
{
	if (len < VALUE_MIN || memchr(data, '\0', len) != NULL)
		return;
	if (!strvec_contains(&values->items, data))
		strvec_push(&values->items, data);
}

static bool is_unreserved(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '.' || c == '_' || c == '~';
}

/* As a part of a URL: all but the unreserved characters of RFC 3986 escaped. */
static void add_url_form(struct redactor_values *values, const char *data, size_t len)
{
	cleanup_buf struct buf text = BUF_INIT;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)data[i];
		if (is_unreserved((char)c))
			buf_addc(&text, (char)c);
		else
			buf_addf(&text, "%%%02X", c);
	}
	add_form(values, text.data, text.len);
}

/* A value may come back as it was, inside JSON text that is printed as text, in a URL, or with
 * what is invisible in it made visible. */
void redactor_values_add(struct redactor_values *values, const char *data, size_t len)
{
	cleanup_free char *plain = xmemdupz(data, len);
	cleanup_buf struct buf quoted = BUF_INIT;
	cleanup_buf struct buf clean = BUF_INIT;

	if (len < VALUE_MIN)
		return;
	add_form(values, plain, len);
	json_quote(&quoted, data, len);
	buf_truncate(&quoted, quoted.len - 1);
	add_form(values, quoted.data + 1, quoted.len - 1);
	(void)text_add_clean(&clean, data, len);
	add_form(values, clean.data, clean.len);
	add_url_form(values, data, len);
}
