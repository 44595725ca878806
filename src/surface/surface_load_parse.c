/* SPDX-License-Identifier: MIT */
/* `parse` (section 5.1): which parser reads a program's output, and how it is told to. */
#include "surface/surface_loader.h"

#include <string.h>

/* ---- separators ---- */

static const struct {
	const char *name;
	const char *byte;
} separators[] = {
	{ "NUL", "\0" },
	{ "LF", "\n" },
	{ "TAB", "\t" },
	{ "US", "\x1f" },
	{ "RS", "\x1e" },
	{ "SP", " " },
};

static void read_separator(
    struct loader *l, const struct json *value, char **ret_text, size_t *ret_len)
{
	const char *text = loader_text(l, value);

	if (text == NULL)
		return;
	for (size_t i = 0; i < ARRAY_LEN(separators); i++) {
		if (strcmp(text, separators[i].name) == 0) {
			*ret_text = arena_strdup(&l->in->arena, separators[i].byte, 1);
			*ret_len = 1;
			return;
		}
	}
	*ret_text = loader_strdup(l, text);
	*ret_len = value->len;
}

static void read_end(struct loader *l, const struct json *value, void *target)
{
	struct parse *parse = target;

	read_separator(l, value, &parse->end, &parse->end_len);
}

static void read_sep(struct loader *l, const struct json *value, void *target)
{
	struct parse *parse = target;

	read_separator(l, value, &parse->sep, &parse->sep_len);
}

/* ---- records ---- */

static void read_field(
    struct loader *l, const struct json *key, bool is_last, struct fields *fields)
{
	static const char *const types[] = {
		[FIELD_TEXT] = "text",
		[FIELD_INTEGER] = "integer",
		[FIELD_NUMBER] = "number",
		[FIELD_BOOLEAN] = "boolean",
		[FIELD_WORDS] = "words",
		[FIELD_NEXT] = "next",
		NULL,
	};
	int type = loader_choice(l, json_next(key), types);

	if (!loader_name(l, key, "a field") || type < 0)
		return;
	if (type == FIELD_NEXT && !is_last)
		loader_error(l, key, "\"next\" is the last field");
	fields->items[fields->len++] =
	    (struct field){ .name = key->str, .type = (enum field_type)type };
}

static void read_fields(struct loader *l, const struct json *value, void *target)
{
	struct fields *fields = target;
	size_t left = value->len;

	if (!loader_is_object(l, value, "fields"))
		return;
	if (value->len == 0 || value->len > LOADER_FIELDS_MAX) {
		loader_error(l, value, "there are 1 to %d fields", LOADER_FIELDS_MAX);
		return;
	}
	fields->items = loader_alloc(l, value->len, sizeof(*fields->items));
	json_foreach_member (key, type, value) {
		(void)type;
		read_field(l, key, --left == 0, fields);
	}
}

static void read_record_fields(struct loader *l, const struct json *value, void *target)
{
	read_fields(l, value, &((struct parse *)target)->fields);
}

static void read_kind_as(struct loader *l, const struct json *value, void *target)
{
	if (loader_name(l, value, "a member"))
		((struct kind *)target)->as = value->str;
}

static void read_kind_fields(struct loader *l, const struct json *value, void *target)
{
	read_fields(l, value, &((struct kind *)target)->fields);
}

static const struct loader_key kind_keys[] = {
	{ "as", read_kind_as, KEY_REQUIRED },
	{ "fields", read_kind_fields, KEY_REQUIRED },
};

static void read_kinds(struct loader *l, const struct json *value, void *target)
{
	struct parse *parse = target;

	if (!loader_is_object(l, value, "kinds"))
		return;
	if (value->len == 0 || value->len > LOADER_FIELDS_MAX) {
		loader_error(l, value, "there are 1 to %d kinds", LOADER_FIELDS_MAX);
		return;
	}
	parse->kinds = loader_alloc(l, value->len, sizeof(*parse->kinds));
	json_foreach_member (key, kind, value) {
		if (json_text(key) == NULL || key->len == 0) {
			loader_error(l, key, "a tag is a text that is not empty");
			continue;
		}
		parse->kinds[parse->kinds_len].tag = key->str;
		loader_mapping(l, kind, "a kind", kind_keys, ARRAY_LEN(kind_keys),
		    &parse->kinds[parse->kinds_len++]);
	}
}

static void read_other(struct loader *l, const struct json *value, void *target)
{
	static const char *const names[] = { "skip", NULL };

	((struct parse *)target)->skips_other = loader_choice(l, value, names) == 0;
}

static const struct loader_key record_keys[] = {
	{ "end", read_end, KEY_REQUIRED },
	{ "sep", read_sep, KEY_REQUIRED },
	{ "fields", read_record_fields },
	{ "kinds", read_kinds },
	{ "other", read_other },
};

static void read_records(struct loader *l, const struct json *value, void *target)
{
	struct parse *parse = target;

	parse->kind = PARSE_RECORDS;
	loader_mapping(l, value, "records", record_keys, ARRAY_LEN(record_keys), parse);
	if (value->type != JSON_OBJECT)
		return;
	if ((json_get(value, "fields") == NULL) == (json_get(value, "kinds") == NULL))
		loader_error(l, value, "records have one of \"fields\" and \"kinds\"");
	if (parse->skips_other && json_get(value, "kinds") == NULL)
		loader_error(l, value, "\"other\" goes with \"kinds\"");
	if (parse->end != NULL && parse->sep != NULL && parse->end_len == parse->sep_len &&
	    memcmp(parse->end, parse->sep, parse->end_len) == 0)
		loader_error(l, value, "\"end\" and \"sep\" are the same");
}

/* ---- lines and pairs ---- */

static void count_name(void *ctx, const char *name, int number)
{
	(void)name;
	(void)number;
	(*(int *)ctx)++;
}

/* A pattern whose named groups become members. */
static struct regex *read_named(struct loader *l, const struct json *value)
{
	struct regex *regex = loader_regex(l, value);
	int names = 0;

	if (regex == NULL || l->is_checked)
		return regex;
	regex_each_group(regex, count_name, &names);
	if (names == 0)
		loader_error(l, value, "the pattern has no named group: (?<name>…)");
	if (regex_groups_len(regex) >= REGEX_GROUPS_MAX)
		loader_error(l, value, "the pattern has more than %d groups", REGEX_GROUPS_MAX - 1);
	return regex;
}

static void read_lines(struct loader *l, const struct json *value, void *target)
{
	struct parse *parse = target;

	parse->kind = PARSE_LINES;
	parse->lines = read_named(l, value);
}

static void read_keys(struct loader *l, const struct json *value, void *target)
{
	static const char *const names[] = { "snake", NULL };

	((struct parse *)target)->keys_snake = loader_choice(l, value, names) == 0;
}

static void read_strip(struct loader *l, const struct json *value, void *target)
{
	((struct parse *)target)->strip = loader_regex(l, value);
}

static void read_nulls(struct loader *l, const struct json *value, void *target)
{
	cleanup_strvec struct strvec texts = STRVEC_INIT;

	((struct parse *)target)->nulls = value;
	loader_texts(l, value, false, &texts);
}

static void read_head(struct loader *l, const struct json *value, void *target)
{
	((struct parse *)target)->head = read_named(l, value);
}

static void read_tail(struct loader *l, const struct json *value, void *target)
{
	struct parse *parse = target;

	if (parse->head == NULL)
		loader_error(l, value, "\"tail\" goes with \"head\"");
	parse->tail = loader_regex(l, value);
}

static const struct loader_key pair_keys[] = {
	{ "sep", read_sep, KEY_REQUIRED },
	{ "keys", read_keys },
	{ "strip", read_strip },
	{ "nulls", read_nulls },
	{ "head", read_head },
	{ "tail", read_tail },
};

static void read_pairs(struct loader *l, const struct json *value, void *target)
{
	((struct parse *)target)->kind = PARSE_PAIRS;
	loader_mapping(l, value, "pairs", pair_keys, ARRAY_LEN(pair_keys), target);
}

/* ---- parse ---- */

static const struct loader_key parse_keys[] = {
	{ "lines", read_lines },
	{ "records", read_records },
	{ "pairs", read_pairs },
	{ "other", read_other },
};

void loader_parse(struct loader *l, const struct json *node, struct parse *ret_parse)
{
	static const char *const names[] = {
		[PARSE_JSON] = "json",
		[PARSE_NDJSON] = "ndjson",
		[PARSE_ENVELOPE] = "envelope",
		[PARSE_TEXT] = "text",
		[PARSE_VALUE] = "value",
		[PARSE_NONE] = "none",
		[PARSE_LINES] = "lines",
		NULL,
	};

	if (node->type == JSON_STRING) {
		int choice = loader_choice(l, node, names);

		ret_parse->kind = choice >= 0 ? (enum parse_kind)choice : PARSE_TEXT;
		return;
	}
	loader_mapping(l, node, "a parser", parse_keys, ARRAY_LEN(parse_keys), ret_parse);
	if (node->type != JSON_OBJECT)
		return;
	if ((json_get(node, "lines") != NULL) + (json_get(node, "records") != NULL) +
		(json_get(node, "pairs") != NULL) !=
	    1)
		loader_error(l, node, "a parser is one of lines, records and pairs");
	if (json_get(node, "other") != NULL && json_get(node, "lines") == NULL)
		loader_error(l, node, "\"other\" goes with \"lines\" here");
}
