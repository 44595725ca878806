/* SPDX-License-Identifier: MIT */
/* `refs` (section 5.3): lean references made of a program's entries. */
#include "surface/surface_loader.h"

#include <string.h>

#define SOURCE_DEPTH_MAX 4

/* A ref while its fields are read: words may name the fields above. */
struct ref_load {
	struct ref *ref;
	struct ref_field *field;
};

static void read_source(struct loader *l, const struct json *node, const struct ref *ref,
    unsigned depth, struct source *ret_source);

/* ---- sources ---- */

static void read_text(
    struct loader *l, const struct json *node, const struct ref *ref, struct source *ret_source)
{
	struct place place = { .what = "refs",
		.holes = HOLE_BIT(HOLE_INPUT) | HOLE_BIT(HOLE_POINTER) | HOLE_BIT(HOLE_N),
		.ref = ref,
		.ref_fields_len = ref->fields_len };
	const char *text = loader_text(l, node);

	if (text == NULL)
		return;
	if (text[0] == '/') {
		ret_source->kind = SOURCE_POINTER;
		text = loader_pointer(l, node, true);
		ret_source->pointer = text != NULL ? loader_strdup(l, text) : NULL;
		return;
	}
	ret_source->kind = SOURCE_TEXT;
	(void)loader_word(l, node, &place, &ret_source->word);
}

struct source_nodes {
	const struct json *key_of;
	const struct json *of;
	const struct json *match;
};

static const struct loader_key source_keys[] = {
	{ "key_of", NULL, 0, offsetof(struct source_nodes, key_of) },
	{ "of", NULL, 0, offsetof(struct source_nodes, of) },
	{ "match", NULL, 0, offsetof(struct source_nodes, match) },
};

static void read_source_mapping(struct loader *l, const struct json *node, const struct ref *ref,
    unsigned depth, struct source *ret_source)
{
	struct source_nodes n = { NULL };
	const char *pointer;

	loader_mapping(l, node, "a source", source_keys, ARRAY_LEN(source_keys), &n);
	if ((n.key_of != NULL) == (n.of != NULL) || (n.of == NULL) != (n.match == NULL)) {
		loader_error(l, node, "a source is {key_of: …} or {of: …, match: …}");
		return;
	}
	if (n.key_of != NULL) {
		ret_source->kind = SOURCE_KEY_OF;
		pointer = loader_pointer(l, n.key_of, false);
		ret_source->pointer = pointer != NULL ? loader_strdup(l, pointer) : NULL;
		return;
	}
	ret_source->kind = SOURCE_MATCH;
	ret_source->match = loader_regex_of_one_group(l, n.match);
	ret_source->children = loader_alloc(l, 1, sizeof(*ret_source->children));
	ret_source->children_len = 1;
	read_source(l, n.of, ref, depth + 1, ret_source->children);
}

static void read_source(struct loader *l, const struct json *node, const struct ref *ref,
    unsigned depth, struct source *ret_source)
{
	if (depth > SOURCE_DEPTH_MAX) {
		loader_error(l, node, "sources are nested more than %d deep", SOURCE_DEPTH_MAX);
	} else if (node->type == JSON_OBJECT) {
		read_source_mapping(l, node, ref, depth, ret_source);
	} else if (node->type != JSON_ARRAY) {
		read_text(l, node, ref, ret_source);
	} else if (node->len == 0) {
		loader_error(l, node, "the list is empty");
	} else {
		ret_source->kind = SOURCE_LIST;
		ret_source->children = loader_alloc(l, node->len, sizeof(*ret_source->children));
		json_foreach (item, node)
			read_source(l, item, ref, depth + 1,
			    &ret_source->children[ret_source->children_len++]);
	}
}

/* ---- fields ---- */

static void read_from(struct loader *l, const struct json *value, void *target)
{
	struct ref_load *load = target;

	read_source(l, value, load->ref, 1, &load->field->source);
}

static void read_case(struct loader *l, const struct json *value, void *target)
{
	static const char *const names[] = { "kebab", "snake", "lower", NULL };
	int choice = loader_choice(l, value, names);

	if (choice >= 0)
		((struct ref_load *)target)->field->letter_case =
		    (enum ref_case)(REF_CASE_KEBAB + choice);
}

static void read_map(struct loader *l, const struct json *value, void *target)
{
	if (!loader_is_object(l, value, "map"))
		return;
	((struct ref_load *)target)->field->map = value;
	json_foreach_member (key, mapped, value) {
		(void)key;
		if (mapped->type == JSON_ARRAY || mapped->type == JSON_OBJECT)
			loader_error(l, mapped, "a mapped value is a scalar");
	}
}

static void read_type(struct loader *l, const struct json *value, void *target)
{
	static const char *const names[] = {
		[REF_SCALAR] = "scalar",
		[REF_TEXT] = "text",
		[REF_INTEGER] = "integer",
		[REF_NUMBER] = "number",
		[REF_BOOLEAN] = "boolean",
		[REF_ANY] = "any",
		NULL,
	};
	int choice = loader_choice(l, value, names);

	if (choice >= 0)
		((struct ref_load *)target)->field->type = (enum ref_type)choice;
}

static void read_as(struct loader *l, const struct json *value, void *target)
{
	((struct ref_load *)target)->field->as = loader_ref(l, value);
}

static void read_else(struct loader *l, const struct json *value, void *target)
{
	(void)l;
	((struct ref_load *)target)->field->otherwise = value;
}

static const struct loader_key field_keys[] = {
	{ "from", read_from, KEY_REQUIRED },
	{ "case", read_case },
	{ "map", read_map },
	{ "type", read_type },
	{ "as", read_as },
	{ "else", read_else },
};

static bool has_star(const struct source *source)
{
	if (source->kind == SOURCE_POINTER && source->pointer != NULL)
		return strstr(source->pointer, "/*/") != NULL ||
		       (strlen(source->pointer) >= 2 &&
			   strcmp(source->pointer + strlen(source->pointer) - 2, "/*") == 0);
	for (size_t i = 0; i < source->children_len; i++) {
		if (has_star(&source->children[i]))
			return true;
	}
	return false;
}

static void read_field(struct loader *l, const struct json *key, struct ref *ref)
{
	struct ref_load load = { .ref = ref, .field = &ref->fields[ref->fields_len] };
	const struct json *value = json_next(key);

	if (!loader_name(l, key, "a field"))
		return;
	load.field->name = key->str;
	if (json_get(value, "from") != NULL)
		loader_mapping(l, value, "a field", field_keys, ARRAY_LEN(field_keys), &load);
	else
		read_source(l, value, ref, 1, &load.field->source);
	if (has_star(&load.field->source) && load.field->type != REF_ANY && load.field->as == NULL)
		loader_error(l, value, "a pointer with * wants \"type: any\"");
	ref->fields_len++;
}

/* ---- refs ---- */

/* Names come first, so that a ref may name one below; a cycle is found afterwards. */
static void read_names(struct loader *l, const struct json *node)
{
	json_foreach_member (key, value, node) {
		(void)value;
		if (loader_name(l, key, "a ref"))
			l->in->refs[l->in->refs_len++].name = key->str;
	}
}

#define REF_DEPTH_MAX 4

/* One round of finding how deep refs are nested: after as many rounds as are allowed, what is
 * deeper than that is too deep, or contains itself. */
static void deepen(const struct surface_internal *in, unsigned *depths)
{
	for (size_t i = 0; i < in->refs_len; i++) {
		for (size_t j = 0; j < in->refs[i].fields_len; j++) {
			const struct ref *as = in->refs[i].fields[j].as;

			if (as != NULL && depths[as - in->refs] >= depths[i])
				depths[i] = depths[as - in->refs] + 1;
		}
	}
}

static void check_depth(struct loader *l, const struct json *node)
{
	const struct surface_internal *in = l->in;
	cleanup_free unsigned *depths = xcalloc(in->refs_len + 1, sizeof(*depths));
	size_t i = 0;

	for (unsigned round = 0; round <= REF_DEPTH_MAX; round++)
		deepen(in, depths);
	json_foreach_member (name, ref, node) {
		if (i == in->refs_len || !json_is_text(name, in->refs[i].name))
			continue;
		if (depths[i++] > REF_DEPTH_MAX)
			loader_error(l, ref, "the ref contains itself, or refs more than %d deep",
			    REF_DEPTH_MAX);
	}
}

static void read_ref(struct loader *l, const struct json *value, struct ref *ref)
{
	if (!loader_is_object(l, value, "a ref"))
		return;
	if (value->len == 0 || value->len > LOADER_FIELDS_MAX) {
		loader_error(l, value, "a ref has 1 to %d fields", LOADER_FIELDS_MAX);
		return;
	}
	ref->fields = loader_alloc(l, value->len, sizeof(*ref->fields));
	json_foreach_member (field, source, value) {
		(void)source;
		if (loader_is_full(l))
			return;
		read_field(l, field, ref);
	}
}

void loader_refs(struct loader *l, const struct json *node)
{
	size_t i = 0;

	if (!loader_is_object(l, node, "refs"))
		return;
	l->in->refs = loader_alloc(l, node->len, sizeof(*l->in->refs));
	read_names(l, node);
	json_foreach_member (key, value, node) {
		if (i < l->in->refs_len && json_is_text(key, l->in->refs[i].name))
			read_ref(l, value, &l->in->refs[i++]);
	}
	if (!l->is_checked)
		check_depth(l, node);
}

const struct ref *loader_ref(struct loader *l, const struct json *node)
{
	const char *name = loader_text(l, node);

	for (size_t i = 0; name != NULL && i < l->in->refs_len; i++) {
		if (strcmp(l->in->refs[i].name, name) == 0)
			return &l->in->refs[i];
	}
	if (name != NULL)
		loader_error(l, node, "there is no such ref");
	return NULL;
}
