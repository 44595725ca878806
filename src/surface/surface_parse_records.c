/* SPDX-License-Identifier: MIT */
/* Structured records: fields end at a separator, the last one at the record's end. Output of a
 * program becomes JSON text in one pass; a field's bytes are copied once. */
#include "surface/surface_result_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct stretch {
	const char *data;
	size_t len;
};

/* Walks the records of one output. */
struct records {
	const struct parse *parse;
	const char *rest;
	size_t rest_len;
	size_t number; /* of the current record, from 1 */
	struct err *err;
};

static const char *find(const char *data, size_t len, const char *what, size_t what_len)
{
	if (what_len == 1)
		return memchr(data, what[0], len);
	return memmem(data, len, what, what_len);
}

/* The stretch up to the separator, which is stepped over; all of it without one. */
static bool cut(struct stretch *rest, const char *sep, size_t sep_len, struct stretch *ret)
{
	const char *end = rest->len == 0 ? NULL : find(rest->data, rest->len, sep, sep_len);

	ret->data = rest->data;
	if (end == NULL) {
		ret->len = rest->len;
		rest->data += rest->len;
		rest->len = 0;
		return false;
	}
	ret->len = (size_t)(end - rest->data);
	rest->data = end + sep_len;
	rest->len -= ret->len + sep_len;
	return true;
}

/* Output that lacks the last end still has its last record: some programs separate, not end. */
static bool next_record(struct records *r, struct stretch *ret_record)
{
	struct stretch rest = { r->rest, r->rest_len };

	if (r->rest_len == 0)
		return false;
	(void)cut(&rest, r->parse->end, r->parse->end_len, ret_record);
	r->rest = rest.data;
	r->rest_len = rest.len;
	r->number++;
	return true;
}

/* ---- fields ---- */

static void write_words(struct json_writer *w, struct stretch value)
{
	size_t at = 0;

	json_write_array_begin(w);
	while (at < value.len) {
		size_t begin = at;

		while (at < value.len && value.data[at] != ' ' && value.data[at] != '\t')
			at++;
		if (at > begin)
			json_write_string_len(w, value.data + begin, at - begin);
		else
			at++;
	}
	json_write_array_end(w);
}

static bool write_integer(struct json_writer *w, struct stretch value)
{
	value.data = surface_trim(value.data, &value.len);
	if (value.len == 1 && value.data[0] == '-') {
		json_write_null(w);
		return true;
	}
	return surface_write_integer(w, value.data, value.len);
}

static bool write_number(struct json_writer *w, struct stretch value)
{
	value.data = surface_trim(value.data, &value.len);
	if (!surface_is_number(value.data, value.len))
		return surface_write_integer(w, value.data, value.len); /* leading zeros */
	json_write_raw(w, value.data, value.len);
	return true;
}

static bool write_boolean(struct json_writer *w, struct stretch value)
{
	value.data = surface_trim(value.data, &value.len);
	if (value.len == 4 && strncasecmp(value.data, "true", 4) == 0)
		json_write_bool(w, true);
	else if (value.len == 5 && strncasecmp(value.data, "false", 5) == 0)
		json_write_bool(w, false);
	else
		return false;
	return true;
}

static int refuse_field(struct records *r, const struct field *field, const char *wanted)
{
	return err_set(r->err, ERR_BAD_OUTPUT, "record %zu of the output: %s is no %s", r->number,
	    field->name, wanted);
}

static int write_field(
    struct records *r, struct json_writer *w, const struct field *field, struct stretch value)
{
	json_write_key(w, field->name);
	switch (field->type) {
	case FIELD_TEXT:
	case FIELD_NEXT:
		json_write_string_len(w, value.data, value.len);
		return 0;
	case FIELD_WORDS:
		write_words(w, value);
		return 0;
	case FIELD_INTEGER:
		return write_integer(w, value) ? 0 : refuse_field(r, field, "integer");
	case FIELD_NUMBER:
		return write_number(w, value) ? 0 : refuse_field(r, field, "number");
	case FIELD_BOOLEAN:
		return write_boolean(w, value) ? 0 : refuse_field(r, field, "boolean");
	}
	return refuse_field(r, field, "known type");
}

/* Fields that stand in the record itself: all but a last `next`. */
static size_t own_fields(const struct fields *fields)
{
	size_t len = fields->len;

	return len > 0 && fields->items[len - 1].type == FIELD_NEXT ? len - 1 : len;
}

static int refuse_count(struct records *r, size_t have, size_t want)
{
	return err_set(r->err, ERR_BAD_OUTPUT,
	    "record %zu of the output has %zu fields, %zu are declared", r->number, have, want);
}

/* One object. has_rest: something stands behind what was already cut off (a tag). */
static int write_record(struct records *r, struct json_writer *w, const struct fields *fields,
    struct stretch record, bool has_rest)
{
	const struct parse *parse = r->parse;
	size_t own = own_fields(fields);
	bool more = has_rest;

	json_write_object_begin(w);
	for (size_t i = 0; i < own; i++) {
		struct stretch value = record;

		if (!more)
			return refuse_count(r, i, own);
		more = i + 1 < own && cut(&record, parse->sep, parse->sep_len, &value);
		if (write_field(r, w, &fields->items[i], value) < 0)
			return -1;
	}
	if (own < fields->len) {
		struct stretch following;

		if (!next_record(r, &following))
			return err_set(r->err, ERR_BAD_OUTPUT,
			    "record %zu of the output lacks the record that belongs to it",
			    r->number);
		if (write_field(r, w, &fields->items[own], following) < 0)
			return -1;
	}
	json_write_object_end(w);
	return 0;
}

static int parse_plain(struct records *r, struct parsed *ret_parsed)
{
	struct json_writer w = JSON_WRITER_INIT(&ret_parsed->text);
	struct stretch record;

	ret_parsed->type = JSON_ARRAY;
	json_write_array_begin(&w);
	while (next_record(r, &record)) {
		if (write_record(r, &w, &r->parse->fields, record, true) < 0)
			return -1;
		ret_parsed->count++;
	}
	json_write_array_end(&w);
	return 0;
}

/* ---- kinds ---- */

/* The records of one `as`, gathered apart, since kinds come in any order. */
struct gathered {
	struct buf text;
	struct json_writer w;
};

static struct gathered *gathered_new(size_t len, size_t max_bytes)
{
	struct gathered *items = xcalloc(len + 1, sizeof(*items));

	for (size_t i = 0; i < len; i++) {
		items[i].text = BUF_INIT_MAX(max_bytes);
		items[i].w = JSON_WRITER_INIT(&items[i].text);
		json_write_array_begin(&items[i].w);
	}
	return items;
}

static void gathered_free(struct gathered *items, size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf_release(&items[i].text);
	free(items);
}

/* The kind of a tag, or -1; and the first kind that shares its `as`. */
static int find_kind(const struct parse *parse, struct stretch tag)
{
	for (size_t i = 0; i < parse->kinds_len; i++) {
		if (strlen(parse->kinds[i].tag) == tag.len &&
		    memcmp(parse->kinds[i].tag, tag.data, tag.len) == 0)
			return (int)i;
	}
	return -1;
}

static size_t first_of_as(const struct parse *parse, size_t kind)
{
	size_t first = 0;

	while (strcmp(parse->kinds[first].as, parse->kinds[kind].as) != 0)
		first++;
	return first;
}

static int gather(struct records *r, struct gathered *items)
{
	const struct parse *parse = r->parse;
	struct stretch record;

	while (next_record(r, &record)) {
		struct stretch tag;
		bool has_rest = cut(&record, parse->sep, parse->sep_len, &tag);
		int kind = find_kind(parse, tag);

		if (kind < 0 && parse->skips_other)
			continue;
		if (kind < 0)
			return err_set(r->err, ERR_BAD_OUTPUT,
			    "record %zu of the output is of no declared kind", r->number);
		if (write_record(r, &items[first_of_as(parse, (size_t)kind)].w,
			&parse->kinds[kind].fields, record, has_rest) < 0)
			return -1;
	}
	return 0;
}

static void write_gathered(
    const struct parse *parse, struct gathered *items, struct parsed *ret_parsed)
{
	struct json_writer w = JSON_WRITER_INIT(&ret_parsed->text);

	json_write_object_begin(&w);
	for (size_t i = 0; i < parse->kinds_len; i++) {
		if (first_of_as(parse, i) != i)
			continue;
		json_write_array_end(&items[i].w);
		json_write_key(&w, parse->kinds[i].as);
		json_write_raw(&w, items[i].text.data, items[i].text.len);
		ret_parsed->text.is_full = ret_parsed->text.is_full || items[i].text.is_full;
	}
	json_write_object_end(&w);
}

static int parse_kinds(struct records *r, struct parsed *ret_parsed)
{
	const struct parse *parse = r->parse;
	struct gathered *items = gathered_new(parse->kinds_len, ret_parsed->text.max_len);
	int result = gather(r, items);

	ret_parsed->type = JSON_OBJECT;
	if (result == 0)
		write_gathered(parse, items, ret_parsed);
	gathered_free(items, parse->kinds_len);
	return result;
}

int surface_parse_records(const struct parse *parse, const char *data, size_t len,
    struct parsed *ret_parsed, struct err *err)
{
	struct records r = { .parse = parse, .rest = data, .rest_len = len, .err = err };

	return parse->kinds_len > 0 ? parse_kinds(&r, ret_parsed) : parse_plain(&r, ret_parsed);
}
