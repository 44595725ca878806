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

/* A question under way. */
struct question {
	struct buf *buf;
	const struct surface_tool_internal *in;
	const struct json *arguments;
	surface_show_fn show;
	void *ctx;
};

static bool is_bare(const struct json *value, const struct buf *shown)
{
	return value->type != JSON_STRING && value->type != JSON_ARRAY &&
	       value->type != JSON_OBJECT && shown->len <= VALUE_MAX;
}

static void add_value(const struct question *q, const struct json *value)
{
	cleanup_buf struct buf shown = BUF_INIT;

	q->show(q->ctx, value, &shown);
	if (is_bare(value, &shown))
		buf_add(q->buf, shown.data, shown.len);
	else
		add_quoted(q->buf, shown.data, shown.len);
}

static const struct json *value_of(const struct question *q, int input, const char *pointer)
{
	const struct json *value = surface_input_value(q->in, q->arguments, input);

	return value != NULL && pointer != NULL ? json_pointer(value, pointer) : value;
}

/* A hole with a pointer names a member that is no secret, or the file would not have loaded. */
static void add_input(const struct question *q, int input, const char *pointer)
{
	const struct json *value = value_of(q, input, pointer);

	if (value == NULL)
		buf_adds(q->buf, "(not given)");
	else if (q->in->inputs[input].is_secret && pointer == NULL)
		buf_adds(q->buf, "(secret)");
	else
		add_value(q, value);
}

/* ---- the author's own words ---- */

static bool is_given(const struct question *q, const struct piece *piece)
{
	return piece->kind == HOLE_INPUT && piece->input >= 0 &&
	       value_of(q, piece->input, piece->pointer) != NULL;
}

static bool is_line_whole(const struct question *q, const struct word *word)
{
	for (size_t i = 0; i < word->len; i++) {
		if (word->pieces[i].is_hole && !is_given(q, &word->pieces[i]))
			return false;
	}
	return true;
}

static void add_line(const struct question *q, const struct word *word)
{
	for (size_t i = 0; i < word->len; i++) {
		const struct piece *piece = &word->pieces[i];

		if (!piece->is_hole)
			buf_add(q->buf, piece->text, piece->len);
		else if (is_given(q, piece))
			add_input(q, piece->input, piece->pointer);
		else
			buf_adds(q->buf, "(not given)");
	}
}

static void add_asked(const struct question *q)
{
	const char *between = "";

	for (size_t i = 0; i < q->in->ask_len; i++) {
		const struct ask_line *line = &q->in->ask[i];

		if (line->vanishes && !is_line_whole(q, &line->word))
			continue;
		buf_adds(q->buf, between);
		add_line(q, &line->word);
		between = "\n";
	}
}

/* ---- without them ---- */

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

static void add_default(const struct question *q, const struct tool *tool)
{
	buf_addf(q->buf, "Run %s of %s", tool->name, tool->surface->name);
	if (tool->title != NULL)
		buf_addf(q->buf, " (%s)", tool->title);
	buf_addf(q->buf, "? %s", effect_of(tool->effect));
	for (size_t i = 0; i < q->in->inputs_len; i++) {
		if (surface_input_value(q->in, q->arguments, (int)i) == NULL)
			continue;
		buf_addf(q->buf, "\n%s: ", q->in->inputs[i].name);
		add_input(q, (int)i, NULL);
	}
}

void surface_question(const struct tool *tool, const struct json *arguments, surface_show_fn show,
    void *ctx, struct buf *ret_text)
{
	const struct question q = { .buf = ret_text,
		.in = surface_tool_ready(tool),
		.arguments = arguments,
		.show = show,
		.ctx = ctx };

	if (q.in->ask_len > 0)
		add_asked(&q);
	else
		add_default(&q, tool);
}
