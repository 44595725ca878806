/* SPDX-License-Identifier: MIT */
/* Findings about a surface file: what, how bad, and where a person finds it. */
#include "surface/surface_internal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void surface_notes_release(struct surface_notes *notes)
{
	for (size_t i = 0; i < notes->len; i++) {
		free(notes->items[i].path);
		free(notes->items[i].text);
	}
	free(notes->items);
	*notes = SURFACE_NOTES_INIT;
}

static bool holds(const struct json *tree, const struct json *node)
{
	return node >= tree && node < json_next(tree);
}

static void add_member(struct buf *path, const struct json *key)
{
	if (path->len > 0)
		buf_addc(path, '.');
	text_add_visible(path, key->str, text_cut(key->str, key->len, 60));
}

/* "[3] git_show": items of the file's own lists go by their names as well. */
static void add_index(struct buf *path, size_t index, const struct json *item, bool is_top)
{
	const char *name = is_top ? json_text(json_get(item, "name")) : NULL;

	buf_addf(path, "[%zu]", index);
	if (name != NULL) {
		buf_addc(path, ' ');
		text_add_visible(path, name, text_cut(name, strlen(name), 60));
	}
}

/* One step from tree towards node; NULL when node is the tree itself or a key of it. */
static const struct json *step(
    struct buf *path, const struct json *tree, const struct json *node, bool is_top)
{
	size_t index = 0;

	if (tree == node)
		return NULL;
	if (tree->type == JSON_OBJECT) {
		json_foreach_member (key, value, tree) {
			if (key != node && !holds(value, node))
				continue;
			add_member(path, key);
			return key == node ? NULL : value;
		}
	}
	if (tree->type == JSON_ARRAY) {
		json_foreach (item, tree) {
			if (holds(item, node)) {
				add_index(path, index, item, is_top);
				return item;
			}
			index++;
		}
	}
	return NULL;
}

/* "tools[3] git_show.argv[2]": the way from the root of the file to node. */
static char *path_of(const struct surface_internal *in, const struct json *node)
{
	cleanup_buf struct buf path = BUF_INIT;
	const struct json *tree = json_root(&in->doc);

	if (node != NULL && tree != NULL && holds(tree, node)) {
		for (unsigned depth = 0; tree != NULL; depth++)
			tree = step(&path, tree, node, depth == 1);
	}
	return buf_detach(&path);
}

static void locate(
    const struct surface_internal *in, const struct json *node, struct surface_note *note)
{
	const struct yaml_mark *mark = NULL;

	if (in != NULL && node != NULL && in->marks.len > 0 && node->raw >= in->text.data &&
	    node->raw < in->text.data + in->text.len)
		mark = yaml_marks_find(&in->marks, (size_t)(node->raw - in->text.data));
	if (mark != NULL) {
		note->line = mark->line;
		note->column = mark->column;
	}
}

static bool stands_already(const struct surface_notes *notes, const struct surface_note *note)
{
	for (size_t i = 0; i < notes->len; i++) {
		const struct surface_note *other = &notes->items[i];

		if (other->level == note->level && other->line == note->line &&
		    other->column == note->column && strcmp(other->path, note->path) == 0 &&
		    strcmp(other->text, note->text) == 0)
			return true;
	}
	return false;
}

void surface_note(struct surface_notes *notes, const struct surface_internal *in,
    enum surface_note_level level, const struct json *node, const char *path, const char *fmt, ...)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct surface_note note = { .level = level };
	va_list args;

	va_start(args, fmt);
	buf_vaddf(&text, fmt, args);
	va_end(args);
	locate(in, node, &note);
	note.path =
	    path != NULL || in == NULL ? xstrdup(path != NULL ? path : "") : path_of(in, node);
	note.text = buf_detach(&text);
	if (stands_already(notes, &note)) {
		free(note.path);
		free(note.text);
		return;
	}
	ARRAY_GROW(notes->items, notes->len, notes->cap);
	notes->items[notes->len++] = note;
}
