/* SPDX-License-Identifier: MIT */
/*
 * What can be known of a value before it is given (section 2.1): can it begin with a character
 * that begins options, and is it there at all? No more of a regular expression is read than its
 * first character; whatever is not sure counts as no.
 */
#include "surface/surface_loader.h"

#include <string.h>

#include "base/text.h"

/* ---- the first character of a pattern ---- */

/* ASCII characters that a match may begin with; others begin no option. */
struct firsts {
	bool may[128];
};

static void add_range(struct firsts *firsts, unsigned from, unsigned to)
{
	for (unsigned c = from; c <= to && c < ARRAY_LEN(firsts->may); c++)
		firsts->may[c] = true;
}

static bool is_ascii_punctuation(char c)
{
	return c > ' ' && c <= '~' && !(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') &&
	       !(c >= 'a' && c <= 'z');
}

/* What stands behind a backslash: \d, \w, or punctuation for itself. */
static bool add_escape(struct firsts *firsts, char c)
{
	if (c == 'd' || c == 'w')
		add_range(firsts, '0', '9');
	if (c == 'w') {
		add_range(firsts, 'A', 'Z');
		add_range(firsts, 'a', 'z');
		add_range(firsts, '_', '_');
	}
	if (is_ascii_punctuation(c))
		add_range(firsts, (unsigned char)c, (unsigned char)c);
	return c == 'd' || c == 'w' || is_ascii_punctuation(c);
}

/* One character of text, which is not at its end; NULL when it is no UTF-8. */
static const char *read_character(const char *at, uint32_t *ret_codepoint)
{
	size_t n = text_decode(at, strlen(at), ret_codepoint);

	return n > 0 ? at + n : NULL;
}

/* One item of a class: an escape, a character, or a range of two characters. */
static const char *read_class_item(struct firsts *firsts, const char *at)
{
	uint32_t from;
	uint32_t to;

	if (at[0] == '\\')
		return at[1] != '\0' && add_escape(firsts, at[1]) && at[2] != '-' ? at + 2 : NULL;
	if (at[0] == '[' && at[1] != '\0' && strchr(":.=", at[1]) != NULL)
		return NULL;
	at = read_character(at, &from);
	if (at == NULL)
		return NULL;
	to = from;
	if (at[0] == '-' && at[1] != ']') {
		if (at[1] == '\0' || at[1] == '\\' || at[1] == '[')
			return NULL;
		at = read_character(at + 1, &to);
	}
	if (at != NULL)
		add_range(firsts, from, to);
	return at;
}

/* at stands behind the '['. */
static const char *read_class(struct firsts *firsts, const char *at)
{
	bool is_first = true;

	if (*at == '^')
		return NULL;
	while (at != NULL && *at != '\0' && (*at != ']' || is_first)) {
		at = read_class_item(firsts, at);
		is_first = false;
	}
	return at != NULL && *at == ']' ? at + 1 : NULL;
}

/* The first thing behind the anchor; NULL when it is more than is read here. */
static const char *read_first(struct firsts *firsts, const char *at)
{
	uint32_t codepoint;

	if (*at == '\0' || strchr(".()*+?{}$^|]", *at) != NULL)
		return NULL;
	if (*at == '[')
		return read_class(firsts, at + 1);
	if (*at == '\\')
		return at[1] != '\0' && add_escape(firsts, at[1]) ? at + 2 : NULL;
	at = read_character(at, &codepoint);
	if (at != NULL)
		add_range(firsts, codepoint, codepoint);
	return at;
}

/* Is what stands before made optional? {1, is not; {0, and {, are. */
static bool is_optional(const char *at)
{
	return *at == '*' || *at == '?' || (*at == '{' && !(at[1] >= '1' && at[1] <= '9'));
}

static bool pattern_excludes(const char *pattern, const char *lead)
{
	struct firsts firsts = { 0 };
	const char *at;

	if (pattern == NULL || pattern[0] != '^' || strchr(pattern, '|') != NULL)
		return false;
	at = read_first(&firsts, pattern + 1);
	if (at == NULL || is_optional(at))
		return false;
	for (; *lead != '\0'; lead++) {
		if (firsts.may[(unsigned char)*lead & 0x7f])
			return false;
	}
	return true;
}

/* ---- values ---- */

static bool begins_with_lead(const struct json *value, const char *lead)
{
	const char *text = value->type == JSON_STRING ? value->str : value->raw;
	size_t len = value->type == JSON_STRING ? value->len : value->raw_len;

	return len > 0 && strchr(lead, text[0]) != NULL;
}

static bool are_dash_free(const struct json *choices, const char *lead, bool *ret_may_be_empty)
{
	json_foreach (choice, choices) {
		if (begins_with_lead(choice, lead))
			return false;
		*ret_may_be_empty |= choice->type == JSON_STRING && choice->len == 0;
	}
	return true;
}

static bool is_at_least_zero(const struct json *schema)
{
	static const char *const keywords[] = { "minimum", "exclusiveMinimum" };

	for (size_t i = 0; i < ARRAY_LEN(keywords); i++) {
		const struct json *minimum = json_get(schema, keywords[i]);

		if (json_is(minimum, JSON_NUMBER) && minimum->raw[0] != '-')
			return true;
	}
	return false;
}

static bool is_string_dash_free(const struct json *schema, const char *lead, bool *ret_may_be_empty)
{
	const struct json *shortest = json_get(schema, "minLength");
	int64_t min_len = 0;

	if (json_get(schema, "x-path") != NULL ||
	    pattern_excludes(json_text(json_get(schema, "pattern")), lead))
		return true;
	if (json_is(shortest, JSON_NUMBER))
		(void)json_number_int64(shortest, &min_len);
	*ret_may_be_empty = min_len < 1;
	return json_get(schema, "x-no-dash") != NULL;
}

bool loader_is_dash_free(const struct json *schema, const char *lead, bool *ret_may_be_empty)
{
	const struct json *choices = json_get(schema, "enum");
	const struct json *constant = json_get(schema, "const");

	*ret_may_be_empty = false;
	if (choices != NULL)
		return are_dash_free(choices, lead, ret_may_be_empty);
	if (constant != NULL) {
		*ret_may_be_empty = constant->type == JSON_STRING && constant->len == 0;
		return !begins_with_lead(constant, lead);
	}
	if (loader_schema_is(schema, "integer") || loader_schema_is(schema, "number"))
		return is_at_least_zero(schema);
	if (loader_schema_is(schema, "boolean"))
		return true;
	if (loader_schema_is(schema, "string") || json_get(schema, "type") == NULL)
		return is_string_dash_free(schema, lead, ret_may_be_empty);
	return false;
}

/* ---- certain ---- */

bool loader_is_certain(const struct surface_tool_internal *in, int input)
{
	return in->inputs[input].is_required || in->inputs[input].fallback != NULL;
}

static void tie(struct input_set *ties, int given, const struct group *group)
{
	for (size_t i = 0; i < group->inputs_len; i++)
		input_set_add(&ties[given], group->inputs[i]);
}

void loader_ties(const struct surface_tool_internal *in, struct input_set *ret_ties)
{
	for (size_t i = 0; i < in->groups_len; i++) {
		const struct group *group = &in->groups[i];
		const struct condition *condition = &group->condition;

		if (group->kind == GROUP_NEED && condition->when_len == 1 &&
		    condition->when[0].kind == TERM_HOLDS)
			tie(ret_ties, condition->when[0].input, group);
		for (size_t j = 0; group->kind == GROUP_ALL_OR_NONE && j < group->inputs_len; j++)
			tie(ret_ties, group->inputs[j], group);
	}
}
