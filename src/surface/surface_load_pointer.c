/* SPDX-License-Identifier: MIT */
/*
 * Pointers of results (section 5.2): checked exactly where the file declares names; for what a
 * program prints as it likes, against what the examples say that it prints.
 */
#include "surface/surface_loader.h"

#include <string.h>

#define POINTERS_SHOWN 20

/* Names that the steps so far may have made. */
struct names {
	const struct ref *ref;       /* after `as` */
	const struct fields *fields; /* of records */
};

static struct names names_after(const struct result *result)
{
	struct names names = { .ref = result->as };

	if (result->parse.kind == PARSE_RECORDS && result->parse.kinds_len == 0 &&
	    result->rename == NULL)
		names.fields = &result->parse.fields;
	return names;
}

static bool is_known(const struct names *names, const char *name, size_t len)
{
	for (size_t i = 0; names->ref != NULL && i < names->ref->fields_len; i++) {
		const char *field = names->ref->fields[i].name;

		if (strlen(field) == len && memcmp(field, name, len) == 0)
			return true;
	}
	for (size_t i = 0; names->ref == NULL && names->fields != NULL && i < names->fields->len;
	     i++) {
		const char *field = names->fields->items[i].name;

		if (strlen(field) == len && memcmp(field, name, len) == 0)
			return true;
	}
	return names->ref == NULL && names->fields == NULL;
}

static void check_name(
    struct loader *l, const struct json *node, const struct names *names, const char *name)
{
	if (!is_known(names, name, strlen(name)))
		loader_error(l, node, "the entries have no field \"%s\"", name);
}

/* ---- search and sort name fields ---- */

static void check_search(struct loader *l, const struct result *result, const struct names *names)
{
	if (result->search == NULL || !json_is(result->search->in, JSON_ARRAY))
		return;
	json_foreach (item, result->search->in) {
		if (json_text(item) != NULL)
			check_name(l, item, names, item->str);
	}
}

static void check_sort(struct loader *l, const struct result *result, const struct names *names)
{
	const struct json *node = json_get(json_get(result->node, "sort"), "by");
	const struct word *by = result->sort != NULL ? &result->sort->by : NULL;
	const struct json *values;

	if (by == NULL || by->len == 0)
		return;
	if (!by->pieces[0].is_hole) {
		check_name(l, node, names, by->pieces[0].text);
		return;
	}
	values = json_get(loader_hole_schema(l, &by->pieces[0], NULL), "enum");
	if (values == NULL)
		return;
	json_foreach (value, values) {
		if (json_text(value) != NULL)
			check_name(l, value, names, value->str);
	}
}

/* ---- refs point into entries ---- */

static void check_source(struct loader *l, const struct json *node, const struct source *source,
    const struct names *names)
{
	const char *name =
	    source->pointer != NULL && source->pointer[0] == '/' ? source->pointer + 1 : NULL;

	if (name != NULL && !is_known(names, name, strcspn(name, "/")))
		loader_error(l, node,
		    "the ref \"%s\" points to %s, and the records have no such "
		    "field",
		    json_text(node), source->pointer);
	for (size_t i = 0; i < source->children_len; i++)
		check_source(l, node, &source->children[i], names);
}

static void check_ref(struct loader *l, const struct result *result)
{
	struct names names = names_after(result);
	const struct json *node = json_get(result->node, "as");

	names.ref = NULL;
	if (result->as == NULL || names.fields == NULL)
		return;
	for (size_t i = 0; i < result->as->fields_len; i++)
		check_source(l, node, &result->as->fields[i].source, &names);
}

/* ---- pointers into what a program prints ---- */

static bool leads_somewhere(const struct json *node, const char *pointer)
{
	size_t n;

	if (*pointer != '/')
		return node != NULL;
	n = strcspn(pointer + 1, "/");
	if (n == 1 && pointer[1] == '*') {
		if (!json_is(node, JSON_ARRAY) && !json_is(node, JSON_OBJECT))
			return false;
		for (const struct json *at = json_begin(node); at < json_end(node);
		     at = json_next(at)) {
			if (node->type == JSON_OBJECT)
				at = json_next(at);
			if (leads_somewhere(at, pointer + 2))
				return true;
		}
		return false;
	}
	if (strchr(pointer, '~') != NULL)
		return json_pointer(node, pointer) != NULL;
	if (json_is(node, JSON_ARRAY) && strspn(pointer + 1, "0123456789") >= n && n < 9) {
		cleanup_free char *first = xmemdupz(pointer, n + 1);

		return leads_somewhere(json_pointer(node, first), pointer + 1 + n);
	}
	return leads_somewhere(json_get_len(node, pointer + 1, n), pointer + 1 + n);
}

/* Is the pointer's end in what an example prints? Without examples nobody can say. */
static bool is_shown(const struct json *examples, const char *pointer, bool *ret_has_prints)
{
	json_foreach (example, examples) {
		const struct json *prints = json_get(example, "prints");
		cleanup_json struct json_doc doc = JSON_DOC_INIT;
		cleanup_err struct err err = ERR_INIT;

		if (!json_is(prints, JSON_STRING) ||
		    json_read(&doc, prints->str, prints->len, &err) < 0)
			continue;
		*ret_has_prints = true;
		if (leads_somewhere(json_root(&doc), pointer))
			return true;
	}
	return false;
}

static void check_shown(
    struct loader *l, const struct result *result, const char *key, const struct strvec *pointers)
{
	/* A few tell as much as many, and each costs a look at all that is printed. */
	const struct json *examples = l->tool->in->examples;
	const struct json *node = json_get(result->node, key);

	for (size_t i = 0; examples != NULL && i < pointers->len && i < POINTERS_SHOWN; i++) {
		bool has_prints = false;

		if (!is_shown(examples, pointers->items[i], &has_prints) && has_prints)
			loader_warn(l, node, "no example prints anything at %s",
			    *pointers->items[i] != '\0' ? pointers->items[i] : "''");
	}
}

static void check_result(struct loader *l, const struct result *result)
{
	struct names names = names_after(result);

	check_search(l, result, &names);
	check_sort(l, result, &names);
	check_ref(l, result);
	if (result->parse.kind == PARSE_JSON) {
		check_shown(l, result, "drop", &result->drop);
		check_shown(l, result, "pick", &result->pick);
	}
}

void loader_check_pointers(struct loader *l)
{
	for (size_t i = 0; i < l->tool->in->results_len; i++)
		check_result(l, &l->tool->in->results[i]);
}
