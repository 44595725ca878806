/* SPDX-License-Identifier: MIT */
/*
 * Elements of argv (section 2) and what the holes of a word mean where it stands (section 3).
 * Whether a value may stand there is surface_proof.c's question.
 */
#include "surface/surface_loader.h"

#include <string.h>

#define ELEMENT_DEPTH_MAX 4

/* ---- what a hole means ---- */

/* As it is written, for messages. */
static void write_hole(struct buf *text, const struct piece *piece)
{
	static const char *const facts[] = {
		[HOLE_EXIT] = "$exit",
		[HOLE_STDOUT] = "$stdout",
		[HOLE_STDERR] = "$stderr",
		[HOLE_COUNT] = "$count",
		[HOLE_N] = "$n",
		[HOLE_WORKSPACE] = "$workspace",
		[HOLE_STAGE] = "$stage",
		[HOLE_ROOT] = "$root",
	};

	buf_addf(text, "{%s%s%s%s", piece->kind == HOLE_MEMBER ? "." : "",
	    piece->name != NULL ? piece->name : "", piece->pointer != NULL ? piece->pointer : "",
	    piece->kind >= HOLE_EXIT ? facts[piece->kind] : "");
	if (piece->first > 0)
		buf_addf(text, ":%u", piece->first);
	buf_addc(text, '}');
}

static bool refuse_hole(
    struct loader *l, const struct json *node, const struct piece *piece, const char *why)
{
	cleanup_buf struct buf hole = BUF_INIT;

	write_hole(&hole, piece);
	loader_error(l, node, "%s %s", hole.data, why);
	return false;
}

/* The schema of one member of an object or item of an array; NULL when there is none, or when several
 * schemas may be the one. */
static const struct json *member_schema(const struct json *schema, const char *name, size_t len)
{
	const struct json *member = json_get_len(json_get(schema, "properties"), name, len);
	bool is_index = len > 0 && strspn(name, "0123456789") >= len;

	if (member == NULL && json_get(schema, "patternProperties") == NULL)
		member = json_get(schema, "additionalProperties");
	if (member == NULL && is_index && json_get(schema, "prefixItems") == NULL)
		member = json_get(schema, "items");
	return json_is(member, JSON_OBJECT) ? member : NULL;
}

/* One reference token, unescaped (RFC 6901); returns where it ends. */
static const char *read_token(const char *at, struct buf *ret_name)
{
	buf_reset(ret_name);
	while (*at != '\0' && *at != '/') {
		char c = *at++;

		if (c == '~' && *at != '\0')
			c = *at++ == '1' ? '/' : '~';
		buf_addc(ret_name, c);
	}
	return at;
}

/* The schema that the pointer leads to; *ret_secret the strongest mark on the way and below. */
static const struct json *schema_at(
    const struct json *schema, const char *pointer, enum secret_mark *ret_secret)
{
	cleanup_buf struct buf name = BUF_INIT;
	enum secret_mark own;

	*ret_secret = SECRET_NONE;
	for (const char *at = pointer; schema != NULL && at != NULL && *at == '/';) {
		own = loader_own_secret_mark(schema);
		*ret_secret = own > *ret_secret ? own : *ret_secret;
		at = read_token(at + 1, &name);
		schema = member_schema(schema, name.data, name.len);
	}
	own = schema != NULL ? loader_secret_mark(schema) : SECRET_NONE;
	*ret_secret = own > *ret_secret ? own : *ret_secret;
	return schema;
}

static const struct json *each_schema(const struct piece *piece, const struct json *each)
{
	const struct json *items = json_get(each, "items");

	if (piece->kind == HOLE_ITEM)
		return items;
	if (items != NULL)
		return member_schema(items, piece->name, strlen(piece->name));
	if (strcmp(piece->name, "key") == 0)
		return json_get(each, "propertyNames");
	return json_get(each, "additionalProperties");
}

static const struct json *hole_schema(const struct loader *l, const struct piece *piece,
    const struct json *each, enum secret_mark *ret_secret)
{
	const struct surface_tool_internal *in = l->tool->in;

	if (piece->kind == HOLE_INPUT && piece->input >= 0)
		return schema_at(in->inputs[piece->input].schema, piece->pointer, ret_secret);
	*ret_secret = each != NULL ? loader_secret_mark(each) : SECRET_NONE;
	if (each != NULL && (piece->kind == HOLE_ITEM || piece->kind == HOLE_MEMBER))
		return each_schema(piece, each);
	return NULL;
}

const struct json *loader_hole_schema(
    const struct loader *l, const struct piece *piece, const struct json *each)
{
	enum secret_mark secret;

	return hole_schema(l, piece, each, &secret);
}

static bool check_secret(struct loader *l, const struct json *node, const struct place *place,
    const struct piece *piece, enum secret_mark secret)
{
	if (secret == SECRET_NONE || place->allows_secret)
		return true;
	if (!place->is_argv)
		return refuse_hole(l, node, piece, "is marked x-secret and may not stand here");
	if (secret == SECRET_TRUE)
		return refuse_hole(l, node, piece,
		    "is marked x-secret: it may stand in stdin, file and set only (x-secret: argv "
		    "when the program takes it no other way)");
	return true;
}

static bool check_type(struct loader *l, const struct json *node, const struct place *place,
    const struct piece *piece, const struct json *schema)
{
	if (place->allows_any_type || schema == NULL)
		return true;
	if (loader_schema_is(schema, "array") || loader_schema_is(schema, "object"))
		return refuse_hole(
		    l, node, piece, "is an array or object: spread it with \"each\"");
	return true;
}

static bool resolve_item(
    struct loader *l, const struct json *node, const struct place *place, struct piece *piece)
{
	enum secret_mark secret;
	const struct json *schema;

	if (piece->kind == HOLE_ITEM && place->is_file)
		return true;
	if (place->each == NULL)
		return refuse_hole(l, node, piece, "stands outside \"each\"");
	schema = hole_schema(l, piece, place->each, &secret);
	if (piece->kind == HOLE_ITEM && loader_schema_is(place->each, "object"))
		return refuse_hole(
		    l, node, piece, "is a member of an object: write {.key} and {.value}");
	if (schema == NULL && !(piece->kind == HOLE_MEMBER && strcmp(piece->name, "key") == 0))
		return refuse_hole(l, node, piece, "is no member of what is spread");
	return check_secret(l, node, place, piece, secret) &&
	       check_type(l, node, place, piece, schema);
}

static bool resolve_field(
    struct loader *l, const struct json *node, const struct place *place, const struct piece *piece)
{
	for (size_t i = 0; i < place->ref_fields_len; i++) {
		if (strcmp(place->ref->fields[i].name, piece->name) == 0)
			return piece->pointer == NULL ||
			       refuse_hole(l, node, piece, "cannot have a pointer in a ref");
	}
	return refuse_hole(l, node, piece, "is no field of this ref that stands above");
}

static bool resolve_input(
    struct loader *l, const struct json *node, const struct place *place, struct piece *piece)
{
	enum secret_mark secret;
	const struct json *schema;

	if (piece->first > 0)
		return refuse_hole(l, node, piece, "is for refs only");
	piece->input = loader_input(l, node, piece->name, place->part);
	if (piece->input < 0)
		return false;
	schema = hole_schema(l, piece, NULL, &secret);
	if (schema == NULL)
		return refuse_hole(l, node, piece, "names no member of the input");
	return check_secret(l, node, place, piece, secret) &&
	       check_type(l, node, place, piece, schema);
}

static bool resolve_hole(
    struct loader *l, const struct json *node, const struct place *place, struct piece *piece)
{
	cleanup_buf struct buf why = BUF_INIT;

	if ((place->holes & HOLE_BIT(piece->kind)) == 0) {
		buf_addf(&why, "cannot stand in %s", place->what);
		return refuse_hole(l, node, piece, why.data);
	}
	if (piece->kind == HOLE_INPUT)
		return place->ref != NULL ? resolve_field(l, node, place, piece)
					  : resolve_input(l, node, place, piece);
	if (piece->kind == HOLE_ITEM || piece->kind == HOLE_MEMBER)
		return resolve_item(l, node, place, piece);
	return true;
}

bool loader_word(
    struct loader *l, const struct json *node, const struct place *place, struct word *ret_word)
{
	cleanup_err struct err err = ERR_INIT;
	const char *text = loader_any_text(l, node);
	struct word word = { 0 };
	bool is_ok = true;

	if (text == NULL)
		return false;
	if (surface_word_compile(&l->in->arena, text, &word, &err) < 0) {
		loader_error(l, node, "%s", err.message);
		return false;
	}
	if (word.len > (size_t)2 * LOADER_HOLES_MAX) {
		loader_error(l, node, "the word has more than %d holes", LOADER_HOLES_MAX);
		return false;
	}
	for (size_t i = 0; i < word.len; i++) {
		if (word.pieces[i].is_hole)
			is_ok &= resolve_hole(l, node, place, &word.pieces[i]);
	}
	if (is_ok)
		*ret_word = word;
	return is_ok;
}

/* ---- elements ---- */

/* A mapping element as it stands in the file. */
struct element_nodes {
	const struct json *words;
	const struct json *each;
	const struct json *first;
	const struct json *use;
	const struct json *stdin_;
	const struct json *file;
	const struct json *when;
	const struct json *unless;
};

#define ELEMENT_KEY(key, member)                                                                   \
	{                                                                                          \
		.name = (key), .offset = offsetof(struct element_nodes, member)                    \
	}
static const struct loader_key element_keys[] = {
	ELEMENT_KEY("words", words),
	ELEMENT_KEY("each", each),
	ELEMENT_KEY("first", first),
	ELEMENT_KEY("use", use),
	ELEMENT_KEY("stdin", stdin_),
	ELEMENT_KEY("file", file),
	ELEMENT_KEY("when", when),
	ELEMENT_KEY("unless", unless),
};

static void compile_list(struct loader *l, const struct json *node, const struct place *place,
    unsigned depth, struct element *parent);

static bool is_one_what(struct loader *l, const struct json *node, const struct element_nodes *n)
{
	int others = (n->each != NULL) + (n->first != NULL) + (n->use != NULL) +
		     (n->stdin_ != NULL) + (n->file != NULL);

	if (others == 0 && n->words == NULL) {
		loader_error(
		    l, node, "an element is one of words, each, first, use, stdin or file");
		return false;
	}
	if (others > 1 || (n->words != NULL && (n->first != NULL || n->use != NULL))) {
		loader_error(l, node,
		    "an element is one of words, each, first, use, stdin or file, not several");
		return false;
	}
	if (n->words == NULL && (n->each != NULL || n->file != NULL)) {
		loader_error(l, node, "\"%s\" wants \"words\"", n->each != NULL ? "each" : "file");
		return false;
	}
	return true;
}

/* All that is spread has the one schema that the proof looks at. */
static bool is_uniform(const struct json *schema)
{
	return json_get(schema, "prefixItems") == NULL && json_get(schema, "properties") == NULL &&
	       json_get(schema, "patternProperties") == NULL;
}

static void compile_each(struct loader *l, const struct json *node, const struct json *words,
    const struct place *place, unsigned depth, struct element *element)
{
	struct place inner = *place;
	const char *name = loader_text(l, node);

	element->kind = ELEMENT_EACH;
	element->input = name != NULL ? loader_input(l, node, name, place->part) : -1;
	if (element->input < 0)
		return;
	inner.each = l->tool->in->inputs[element->input].schema;
	inner.is_file = false;
	inner.holes |= HOLE_BIT(HOLE_ITEM) | HOLE_BIT(HOLE_MEMBER);
	if (!loader_schema_is(inner.each, "array") && !loader_schema_is(inner.each, "object")) {
		loader_error(l, node, "\"each\" wants an array or object; \"%s\" is none", name);
		return;
	}
	if (!is_uniform(inner.each)) {
		loader_error(l, node,
		    "\"each\" wants items of one schema: no prefixItems, properties or "
		    "patternProperties");
		return;
	}
	compile_list(l, words, &inner, depth, element);
}

static struct part *find_used(struct loader *l, const char *name)
{
	for (size_t i = 0; i < l->used_len; i++) {
		if (strcmp(l->used[i]->name, name) == 0)
			return l->used[i];
	}
	return NULL;
}

static void compile_use(struct loader *l, const struct json *node, const struct place *place,
    unsigned depth, struct element *element)
{
	struct place inner = { .what = place->what,
		.holes = HOLE_BIT(HOLE_INPUT) | HOLE_BIT(HOLE_WORKSPACE) | HOLE_BIT(HOLE_STAGE),
		.is_argv = true };
	const char *name = loader_text(l, node);
	struct part *part = name != NULL ? find_used(l, name) : NULL;

	element->kind = ELEMENT_WORDS;
	if (name == NULL)
		return;
	if (place->part != NULL)
		loader_error(l, node, "parts use no parts");
	else if (part == NULL)
		loader_error(l, node, "the tool does not use the part \"%s\"", name);
	else if (part->argv == NULL)
		loader_error(l, node, "the part \"%s\" has no argv", name);
	else {
		inner.part = part;
		compile_list(l, part->argv, &inner, depth, element);
	}
}

/* stdin and file: the content sees what the words around see; the words see the file. */
static void compile_content(struct loader *l, const struct json *node, bool is_file,
    const struct json *words, const struct place *place, unsigned depth, struct element *element)
{
	struct place content = *place;
	struct place inner = *place;

	content.what = is_file ? "file" : "stdin";
	content.allows_secret = true;
	element->kind = is_file ? ELEMENT_FILE : ELEMENT_STDIN;
	(void)loader_content(l, node, &content, &element->content);
	if (is_file) {
		inner.is_file = true;
		inner.holes |= HOLE_BIT(HOLE_ITEM);
	}
	if (words != NULL)
		compile_list(l, words, &inner, depth, element);
}

static void compile_mapping(struct loader *l, const struct json *node, const struct place *place,
    unsigned depth, struct element *element)
{
	struct element_nodes n = { NULL };

	if (depth > ELEMENT_DEPTH_MAX) {
		loader_error(l, node, "elements are nested more than %d deep", ELEMENT_DEPTH_MAX);
		return;
	}
	loader_mapping(l, node, "an element", element_keys, ARRAY_LEN(element_keys), &n);
	if (!is_one_what(l, node, &n))
		return;
	loader_condition(l, place->part, n.when, n.unless, &element->condition);
	if (n.each != NULL)
		compile_each(l, n.each, n.words, place, depth + 1, element);
	else if (n.use != NULL)
		compile_use(l, n.use, place, depth + 1, element);
	else if (n.stdin_ != NULL || n.file != NULL)
		compile_content(l, n.file != NULL ? n.file : n.stdin_, n.file != NULL, n.words,
		    place, depth + 1, element);
	else {
		element->kind = n.first != NULL ? ELEMENT_FIRST : ELEMENT_WORDS;
		compile_list(l, n.first != NULL ? n.first : n.words, place, depth + 1, element);
	}
}

static void compile_element(struct loader *l, const struct json *node, const struct place *place,
    unsigned depth, struct element *element)
{
	element->node = node;
	element->input = -1;
	if (node->type == JSON_OBJECT)
		compile_mapping(l, node, place, depth, element);
	else if (node->type == JSON_ARRAY)
		loader_error(l, node, "an element is a word or a mapping, not a list");
	else
		(void)loader_word(l, node, place, &element->word);
}

static bool has_room(struct loader *l, const struct json *node, size_t n)
{
	if (l->elements_len <= LOADER_ELEMENTS_MAX && n <= LOADER_ELEMENTS_MAX - l->elements_len) {
		l->elements_len += n;
		return true;
	}
	loader_error(l, node, "argv has more than %d elements, those of its parts counted",
	    LOADER_ELEMENTS_MAX);
	return false;
}

static void compile_list(struct loader *l, const struct json *node, const struct place *place,
    unsigned depth, struct element *parent)
{
	size_t n = node->type == JSON_ARRAY ? node->len : 1;

	if (n == 0) {
		loader_error(l, node, "the list is empty");
		return;
	}
	if (!has_room(l, node, n))
		return;
	parent->children = loader_alloc(l, n, sizeof(*parent->children));
	if (node->type != JSON_ARRAY) {
		compile_element(l, node, place, depth, &parent->children[parent->children_len++]);
		return;
	}
	json_foreach (item, node)
		compile_element(l, item, place, depth, &parent->children[parent->children_len++]);
}

void loader_argv(struct loader *l, const struct json *node)
{
	struct surface_tool_internal *in = l->tool->in;
	struct place place = { .what = "argv",
		.holes = HOLE_BIT(HOLE_INPUT) | HOLE_BIT(HOLE_WORKSPACE) | HOLE_BIT(HOLE_STAGE),
		.is_argv = true };
	struct element root = { 0 };

	l->elements_len = 0;
	if (!loader_is_array(l, node, "argv"))
		return;
	if (node->len > 0)
		compile_list(l, node, &place, 1, &root);
	in->argv = root.children;
	in->argv_len = root.children_len;
}
