/* SPDX-License-Identifier: MIT */
/* The question to a person: whoever chose the values must not be able to shape it, so each value
 * is quoted, short, on one line, with nothing invisible in it; secrets are never shown. */
#include "surface/surface_internal.h"

#include "base/text.h"

/* Characters of one value. */
#define VALUE_MAX 120

static void add_escaped(struct buf *buf, const char *data, size_t len)
{
	size_t begin = 0;

	for (size_t i = 0; i <= len; i++) {
		if (i < len && data[i] != '"' && data[i] != '\\')
			continue;
		text_add_visible(buf, data + begin, i - begin);
		if (i < len) {
			buf_addc(buf, '\\');
			buf_addc(buf, data[i]);
		}
		begin = i + 1;
	}
}

/* Cut at a character, with the number of what is left out. */
static void add_quoted(struct buf *buf, const char *data, size_t len)
{
	size_t at = 0;
	size_t left;

	for (size_t i = 0; i < VALUE_MAX && at < len; i++) {
		uint32_t cp = 0;
		size_t step = text_decode(data + at, len - at, &cp);

		at += step > 0 ? step : 1;
	}
	left = text_count(data + at, len - at);
	buf_addc(buf, '"');
	add_escaped(buf, data, at);
	buf_addc(buf, '"');
	if (left > 0)
		buf_addf(buf, " (and %zu more characters)", left);
}

static void add_value(struct buf *buf, const struct json *value)
{
	if (value->type == JSON_STRING)
		add_quoted(buf, value->str, value->len);
	else if (value->type == JSON_ARRAY || value->type == JSON_OBJECT ||
		 value->raw_len > VALUE_MAX)
		add_quoted(buf, value->raw, value->raw_len);
	else
		buf_add(buf, value->raw, value->raw_len);
}

static void add_input(struct buf *buf, const struct surface_tool_internal *in,
    const struct json *arguments, int input, const char *pointer)
{
	const struct json *value = surface_input_value(in, arguments, input);

	if (value != NULL && pointer != NULL)
		value = json_pointer(value, pointer);
	if (value == NULL)
		buf_adds(buf, "(not given)");
	else if (in->inputs[input].is_secret)
		buf_adds(buf, "(secret)");
	else
		add_value(buf, value);
}

/* `ask`: the author's words, with the values in their holes. */
static void add_asked(
    struct buf *buf, const struct surface_tool_internal *in, const struct json *arguments)
{
	for (size_t i = 0; i < in->ask.len; i++) {
		const struct piece *piece = &in->ask.pieces[i];

		if (!piece->is_hole)
			buf_add(buf, piece->text, piece->len);
		else if (piece->kind == HOLE_INPUT && piece->input >= 0)
			add_input(buf, in, arguments, piece->input, piece->pointer);
		else
			buf_adds(buf, "(not given)");
	}
}

static const char *effect_of(enum surface_effect effect)
{
	switch (effect) {
	case SURFACE_READ:
		return "It only reads.";
	case SURFACE_WRITE:
		return "It changes data.";
	case SURFACE_DESTROY:
		break;
	}
	return "It may destroy data, or cannot be taken back.";
}

static void add_default(struct buf *buf, const struct tool *tool, const struct json *arguments)
{
	const struct surface_tool_internal *in = tool->in;

	buf_addf(buf, "Run %s of %s", tool->name, tool->surface->name);
	if (tool->title != NULL)
		buf_addf(buf, " (%s)", tool->title);
	buf_addf(buf, "? %s", effect_of(tool->effect));
	for (size_t i = 0; i < in->inputs_len; i++) {
		if (surface_input_value(in, arguments, (int)i) == NULL)
			continue;
		buf_addf(buf, "\n%s: ", in->inputs[i].name);
		add_input(buf, in, arguments, (int)i, NULL);
	}
}

void surface_question(const struct tool *tool, const struct json *arguments, struct buf *ret_text)
{
	if (surface_tool_ready(tool)->has_ask)
		add_asked(ret_text, tool->in, arguments);
	else
		add_default(ret_text, tool, arguments);
}
