/* SPDX-License-Identifier: MIT */
/* Known values: what a call's own secrets may look like when they come back. */
#include "run/run_redact.h"

#include <string.h>

#include "base/text.h"
#include "json/json.h"

/* A shorter value would mask words of ordinary text. */
#define VALUE_MIN 4

/* Of a variable: "false" or "none" beside such a name is no secret. */
#define VARIABLE_MIN 8

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
	return text_is_word_char(c) || c == '-' || c == '.' || c == '~';
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

static bool is_secret_variable(const char *name, size_t name_len, const char *value)
{
	const struct redact_name *judged = redact_judge_name(name, name_len);
	size_t len = strlen(value);

	if (judged == NULL || judged->kind == REDACT_NOTHING || len < VARIABLE_MIN)
		return false;
	return judged->kind != REDACT_RANDOM ||
	       redact_judge_value(REDACT_RANDOM, REDACT_MEMBER, value, len);
}

void redactor_values_add_environment(
    struct redactor_values *values, const struct strvec *environment)
{
	for (size_t i = 0; i < environment->len; i++) {
		const char *name = environment->items[i];
		size_t name_len = strcspn(name, "=");
		const char *value = name + name_len + (name[name_len] == '=' ? 1 : 0);

		if (is_secret_variable(name, name_len, value))
			redactor_values_add(values, value, strlen(value));
	}
}
