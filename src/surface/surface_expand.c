/* SPDX-License-Identifier: MIT */
/* Words and templates become text and JSON: the one place that knows what each hole stands for.
 * Everything that has holes (argv, contents, echo, refs, questions) comes through here. */
#include "surface/surface_internal.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "surface/surface_result_internal.h"

/* What a hole stands for in a scope. */
enum found_kind {
	FOUND_NOTHING,
	FOUND_NODE,
	FOUND_TEXT,
	FOUND_NUMBER,
	FOUND_MANY, /* a pointer with `*`: every entry of it */
	FOUND_PAIR  /* {} over an object spread: no scalar */
};
struct found {
	enum found_kind kind;
	const struct json *node;
	const char *text;
	size_t len;
	int64_t number;
	struct buf own; /* holds text, when it had to be made */
};

static void find_text(struct found *found, const char *text, size_t len)
{
	if (text == NULL)
		return;
	found->kind = FOUND_TEXT;
	found->text = text;
	found->len = len;
}

static void find_string(struct found *found, const char *text)
{
	find_text(found, text, text == NULL ? 0 : strlen(text));
}

static void find_node(struct found *found, const struct json *node)
{
	found->node = node;
	found->kind = node == NULL ? FOUND_NOTHING : FOUND_NODE;
}

static void find_number(struct found *found, int64_t number)
{
	found->number = number;
	found->kind = FOUND_NUMBER;
}

static void find_input(
    struct found *found, const struct piece *piece, const struct scope_values *values)
{
	const struct json *node;

	if (values->ref != NULL) {
		if (surface_ref_field_text(values, piece->name, &found->own))
			find_text(found, found->own.data, found->own.len);
		return;
	}
	node = values->in == NULL
		   ? NULL
		   : surface_input_value(values->in, values->arguments, piece->input);
	if (node != NULL && piece->pointer != NULL)
		node = json_pointer(node, piece->pointer);
	find_node(found, node);
}

static void find_item(struct found *found, const struct scope_values *values)
{
	if (values->path != NULL)
		find_string(found, values->path);
	else if (values->item_key != NULL)
		found->kind = FOUND_PAIR;
	else
		find_node(found, values->item);
}

static void find_member(
    struct found *found, const struct piece *piece, const struct scope_values *values)
{
	if (values->item_key == NULL)
		find_node(found, json_get(values->item, piece->name));
	else if (strcmp(piece->name, "key") == 0)
		find_text(found, values->item_key, values->item_key_len);
	else if (strcmp(piece->name, "value") == 0)
		find_node(found, values->item);
}

static void find_pointer(
    struct found *found, const struct piece *piece, const struct scope_values *values)
{
	if (values->entry == NULL)
		return;
	if (surface_pointer_has_star(piece->pointer)) {
		found->kind = FOUND_MANY;
		found->node = values->entry;
		return;
	}
	find_node(found, json_pointer(values->entry, piece->pointer));
	/* Inside a ref a value that says nothing is no value (5.3). */
	if (values->ref != NULL && found->kind == FOUND_NODE && found->node->type == JSON_NULL)
		found->kind = FOUND_NOTHING;
	if (values->ref != NULL && found->kind == FOUND_NODE && found->node->type == JSON_STRING) {
		size_t len = found->node->len;
		const char *text = surface_trim(found->node->str, &len);

		find_text(found, text, len);
		if (len == 0)
			found->kind = FOUND_NOTHING;
	}
}

/* A stream without its one final newline. */
static void find_stream(struct found *found, const char *data, size_t len)
{
	find_text(found, data, len > 0 && data[len - 1] == '\n' ? len - 1 : len);
}

static void find_hole(
    struct found *found, const struct piece *piece, const struct scope_values *values)
{
	const struct surface_run *run = values->run;
	const struct surface_launch *launch = values->launch;

	switch (piece->kind) {
	case HOLE_INPUT:
		find_input(found, piece, values);
		break;
	case HOLE_ITEM:
		find_item(found, values);
		break;
	case HOLE_MEMBER:
		find_member(found, piece, values);
		break;
	case HOLE_POINTER:
		find_pointer(found, piece, values);
		break;
	case HOLE_EXIT:
		if (run != NULL)
			find_number(found, run->exit_status);
		break;
	case HOLE_STDOUT:
		if (run != NULL)
			find_stream(found, run->out, run->out_len);
		break;
	case HOLE_STDERR:
		if (run != NULL)
			find_stream(found, run->err, run->err_len);
		break;
	case HOLE_COUNT:
		if (values->count >= 0)
			find_number(found, values->count);
		break;
	case HOLE_N:
		if (values->n > 0)
			find_number(found, values->n);
		break;
	case HOLE_WORKSPACE:
		find_string(found, launch == NULL ? NULL : launch->workspace);
		break;
	case HOLE_STAGE:
		find_string(found, launch == NULL ? NULL : launch->stage);
		break;
	case HOLE_ROOT:
		find_string(found, values->root);
		break;
	}
}

/* The first characters of a text, by code point. */
static size_t first_characters(const char *text, size_t len, unsigned first)
{
	size_t at = 0;

	for (unsigned i = 0; i < first && at < len; i++) {
		uint32_t cp = 0;
		size_t step = text_decode(text + at, len - at, &cp);

		at += step > 0 ? step : 1;
	}
	return at;
}

/* ---- words ---- */

/* The pointer of what a hole shows, for errors. */
static void add_where(struct buf *buf, const struct piece *piece, const struct scope_values *values)
{
	const struct surface_tool_internal *in = values->in;

	if (piece->kind == HOLE_INPUT && values->ref == NULL) {
		buf_addf(buf, "/%s%s", piece->name, piece->pointer == NULL ? "" : piece->pointer);
		return;
	}
	if (in == NULL || values->item_input < 0 ||
	    (piece->kind != HOLE_ITEM && piece->kind != HOLE_MEMBER)) {
		buf_addc(buf, '/');
		return;
	}
	buf_addf(buf, "/%s", in->inputs[values->item_input].name);
	if (values->item_key != NULL)
		json_pointer_add(buf, values->item_key, values->item_key_len);
	else
		buf_addf(buf, "/%zu", values->item_index);
	if (piece->kind == HOLE_MEMBER && values->item_key == NULL)
		json_pointer_add(buf, piece->name, strlen(piece->name));
}

static int refuse_hole(const struct piece *piece, const struct scope_values *values,
    const char *keyword, const char *what, struct err *err)
{
	cleanup_buf struct buf where = BUF_INIT;

	add_where(&where, piece, values);
	return surface_argument_error(err, where.data, keyword, "%s", what);
}

static bool add_node_text(struct buf *text, const struct json *node)
{
	switch ((enum json_type)node->type) {
	case JSON_STRING:
		buf_add(text, node->str, node->len);
		return true;
	case JSON_NUMBER:
		/* Minus zero comes out as 0: `minimum: 0` counts as free of dashes (2.1). */
		if (!json_number_add_plain(node, text))
			buf_add(text, node->raw, node->raw_len);
		return true;
	case JSON_FALSE:
	case JSON_TRUE:
		buf_adds(text, node->type == JSON_TRUE ? "true" : "false");
		return true;
	case JSON_NULL:
	case JSON_ARRAY:
	case JSON_OBJECT:
		break;
	}
	return false;
}

/* Appends what the hole stands for: 1, 0 for nothing, -1 for what has no text. */
static int add_hole(
    struct buf *text, const struct piece *piece, const struct scope_values *values, struct err *err)
{
	struct found found = { .own = BUF_INIT };
	size_t start = text->len;
	int result = 1;

	find_hole(&found, piece, values);
	if (found.kind == FOUND_NOTHING)
		result = 0;
	else if (found.kind == FOUND_NUMBER)
		buf_addf(text, "%lld", (long long)found.number);
	else if (found.kind == FOUND_TEXT)
		buf_add(text, found.text, found.len);
	else if (found.kind != FOUND_NODE || !add_node_text(text, found.node))
		result = refuse_hole(piece, values, "type",
		    found.kind == FOUND_NODE && found.node->type == JSON_NULL
			? "is null, a single value is wanted here"
			: "is no single value, which is wanted here",
		    err);
	buf_release(&found.own);
	if (result > 0 && piece->first > 0)
		buf_truncate(text,
		    start + first_characters(text->data + start, text->len - start, piece->first));
	return result;
}

/* What no argument can carry, or no command line takes. */
static int check_hole(const struct buf *text, size_t word_start, size_t hole_start, size_t max_len,
    const struct piece *piece, const struct scope_values *values, struct err *err)
{
	if (memchr(text->data + hole_start, '\0', text->len - hole_start) != NULL)
		return refuse_hole(piece, values, "type",
		    "holds a NUL character, which no program can be given", err);
	if (text->is_full || text->len - word_start > max_len)
		return refuse_hole(piece, values, "maxLength",
		    "is longer than one argument of a command line may be", err);
	return 0;
}

int surface_expand_word(const struct word *word, const struct scope_values *values, size_t max_len,
    struct buf *ret_text, struct err *err)
{
	size_t start = ret_text->len;

	for (size_t i = 0; i < word->len; i++) {
		const struct piece *piece = &word->pieces[i];
		size_t before = ret_text->len;
		int result;

		if (!piece->is_hole) {
			buf_add(ret_text, piece->text, piece->len);
			continue;
		}
		result = add_hole(ret_text, piece, values, err);
		if (result > 0 &&
		    check_hole(ret_text, start, before, max_len, piece, values, err) < 0)
			result = -1;
		if (result <= 0) {
			buf_truncate(ret_text, start);
			return result;
		}
	}
	return 1;
}

/* ---- templates ---- */

static void write_match(void *ctx, const struct json *node)
{
	surface_write_value(ctx, node);
}

static void write_found(struct json_writer *w, const struct found *found, const struct piece *piece)
{
	if (found->kind == FOUND_NUMBER) {
		json_write_int(w, found->number);
	} else if (found->kind == FOUND_TEXT) {
		json_write_string_len(w, found->text, found->len);
	} else if (found->kind == FOUND_MANY) {
		json_write_array_begin(w);
		surface_pointer_each(found->node, piece->pointer, write_match, w);
		json_write_array_end(w);
	} else if (piece->first > 0 && found->node->type == JSON_STRING) {
		json_write_string_len(w, found->node->str,
		    first_characters(found->node->str, found->node->len, piece->first));
	} else {
		surface_write_value(w, found->node);
	}
}

/* A string that is one hole: the value with its type. */
static bool write_hole(
    const struct word *word, const struct scope_values *values, struct json_writer *w)
{
	struct found found = { .own = BUF_INIT };
	bool has_value;

	assert(word->len == 1 && word->pieces[0].is_hole);
	find_hole(&found, &word->pieces[0], values);
	has_value = found.kind != FOUND_NOTHING && found.kind != FOUND_PAIR;
	if (has_value)
		write_found(w, &found, &word->pieces[0]);
	buf_release(&found.own);
	return has_value;
}

static bool write_text(
    const struct word *word, const struct scope_values *values, struct json_writer *w)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;

	if (surface_expand_word(word, values, BUF_MAX_DEFAULT, &text, &err) <= 0)
		return false;
	json_write_string_len(w, text.data, text.len);
	return true;
}

void surface_write_members(
    const struct template_ *template, const struct scope_values *values, struct json_writer *w)
{
	assert(template->kind == TEMPLATE_OBJECT);
	for (size_t i = 0; i < template->children_len; i++) {
		struct json_writer before = *w;
		size_t len = w->buf->len;

		json_write_key(w, template->names[i]);
		if (surface_write_template(&template->children[i], values, w))
			continue;
		/* No value, no member: take the key back. */
		buf_truncate(w->buf, len);
		*w = before;
	}
}

bool surface_write_template(
    const struct template_ *template, const struct scope_values *values, struct json_writer *w)
{
	switch (template->kind) {
	case TEMPLATE_LITERAL:
		json_write_node(w, template->literal);
		return true;
	case TEMPLATE_HOLE:
		return write_hole(&template->word, values, w);
	case TEMPLATE_TEXT:
		return write_text(&template->word, values, w);
	case TEMPLATE_OBJECT:
		json_write_object_begin(w);
		surface_write_members(template, values, w);
		json_write_object_end(w);
		return true;
	case TEMPLATE_ARRAY:
		json_write_array_begin(w);
		for (size_t i = 0; i < template->children_len; i++)
			(void)surface_write_template(&template->children[i], values, w);
		json_write_array_end(w);
		return true;
	}
	return false;
}
