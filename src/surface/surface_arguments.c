/* SPDX-License-Identifier: MIT */
/* The validate stage: a client's arguments become the canonical, defaulted ones, or an error that
 * names the argument. The order is the language's (section 2) and stands in
 * surface_check_arguments(). */
#include "surface/surface_internal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int surface_argument_error(
    struct err *err, const char *pointer, const char *keyword, const char *fmt, ...)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct buf details = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&details);
	va_list args;

	va_start(args, fmt);
	buf_vaddf(&text, fmt, args);
	va_end(args);
	(void)err_set(err, ERR_INVALID_ARGUMENT, "%s: %s", pointer, text.data);
	json_write_object_begin(&w);
	json_write_key(&w, "errors");
	json_write_array_begin(&w);
	json_write_object_begin(&w);
	json_write_member_string(&w, "pointer", pointer);
	json_write_member_string(&w, "keyword", keyword);
	json_write_object_end(&w);
	json_write_array_end(&w);
	json_write_object_end(&w);
	return err_take_details(err, buf_detach(&details));
}

/* ---- strings that no program can be given ---- */

#define UNFIT (JSON_LONE_SURROGATE | JSON_HAS_NUL)

static int refuse_unfit(const struct json *string, const struct buf *pointer, struct err *err)
{
	const char *where = pointer->len > 0 ? pointer->data : "/";

	if (string->flags & JSON_HAS_NUL)
		return surface_argument_error(
		    err, where, "type", "holds a NUL character, which no program can be given");
	return surface_argument_error(err, where, "type",
	    "holds half of a surrogate pair, which is no character; send the whole character");
}

/* The flag stands on every container above the string: one way down leads to it. A bad member
 * name is reported at its object, since the name itself has no form that could be shown. */
static int find_unfit(const struct json *value, struct buf *pointer, struct err *err)
{
	size_t index = 0;

	if (value->type == JSON_STRING)
		return refuse_unfit(value, pointer, err);
	if (value->type == JSON_ARRAY) {
		json_foreach (item, value) {
			if (item->flags & UNFIT) {
				buf_addf(pointer, "/%zu", index);
				return find_unfit(item, pointer, err);
			}
			index++;
		}
		return 0;
	}
	json_foreach_member (name, member, value) {
		if (name->flags & UNFIT)
			return refuse_unfit(name, pointer, err);
		if (member->flags & UNFIT) {
			json_pointer_add(pointer, name->str, name->len);
			return find_unfit(member, pointer, err);
		}
	}
	return 0;
}

static int check_strings(const struct json *arguments, struct err *err)
{
	cleanup_buf struct buf pointer = BUF_INIT;

	return arguments->flags & UNFIT ? find_unfit(arguments, &pointer, err) : 0;
}

/* ---- x-absent, confirm, defaults ---- */

static bool is_absent_value(const struct input *input, const struct json *value)
{
	if (input->absent == NULL)
		return false;
	json_foreach (absent, input->absent) {
		if (json_equal(absent, value))
			return true;
	}
	return false;
}

static const struct input *input_of(const struct surface_tool_internal *in, const struct json *name)
{
	int input = json_text(name) == NULL ? -1 : surface_find_input(in, name->str);

	return input < 0 ? NULL : &in->inputs[input];
}

static bool is_confirm(const struct surface_tool_internal *in, const struct json *name)
{
	return in->accepts_confirm && json_is_text(name, "confirm") &&
	       surface_find_input(in, "confirm") < 0;
}

static void write_member(struct json_writer *w, const struct json *name, const struct json *value)
{
	json_write_key_len(w, name->str, name->len);
	json_write_node(w, value);
}

/* The given members that count as given; confirm among them only when asked for. */
static void write_given(struct json_writer *w, const struct surface_tool_internal *in,
    const struct json *arguments, bool with_confirm)
{
	json_foreach_member (name, value, arguments) {
		const struct input *input = input_of(in, name);

		if (input != NULL && is_absent_value(input, value))
			continue;
		if (with_confirm || !is_confirm(in, name))
			write_member(w, name, value);
	}
}

static bool is_given(const struct input *input, const struct json *arguments)
{
	const struct json *value = json_get(arguments, input->name);

	return value != NULL && !is_absent_value(input, value);
}

static void write_defaults(
    struct json_writer *w, const struct surface_tool_internal *in, const struct json *arguments)
{
	for (size_t i = 0; i < in->inputs_len; i++) {
		const struct input *input = &in->inputs[i];

		if (input->fallback == NULL || is_given(input, arguments))
			continue;
		json_write_key(w, input->name);
		json_write_node(w, input->fallback);
	}
}

/* Writes the members once more and reads them: a document that owns its text. */
static int rewrite(const struct surface_tool_internal *in, const struct json *arguments,
    bool is_final, struct json_doc *ret_doc, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);
	size_t len;

	json_write_object_begin(&w);
	write_given(&w, in, arguments, !is_final);
	if (is_final)
		write_defaults(&w, in, arguments);
	json_write_object_end(&w);
	if (buf_check(&text, "the arguments", err) < 0)
		return -1;
	len = text.len;
	return json_read_take(ret_doc, buf_detach(&text), len, err);
}

static bool has_absent(const struct surface_tool_internal *in, const struct json *arguments)
{
	for (size_t i = 0; i < in->inputs_len; i++) {
		const struct json *value = json_get(arguments, in->inputs[i].name);

		if (value != NULL && is_absent_value(&in->inputs[i], value))
			return true;
	}
	return false;
}

/* The schema sees what is given: x-absent values are gone, confirm is still there. */
static int validate(const struct tool *tool, const struct json *arguments, struct err *err)
{
	const struct surface_tool_internal *in = tool->in;
	cleanup_json struct json_doc given = JSON_DOC_INIT;

	if (!has_absent(in, arguments))
		return schema_validate(surface_tool_schema(tool), arguments, err);
	if (rewrite(in, arguments, false, &given, err) < 0)
		return -1;
	return schema_validate(surface_tool_schema(tool), json_root(&given), err);
}

/* ---- x-no-dash ---- */

struct dash_check {
	const char *lead;
	struct err *err;
};

static int check_dash(
    void *ctx, const struct json *schema, const struct json *value, const struct buf *pointer)
{
	const struct dash_check *check = ctx;

	if (value->type != JSON_STRING || value->len == 0 ||
	    !json_is(json_get(schema, "x-no-dash"), JSON_TRUE) ||
	    strchr(check->lead, value->str[0]) == NULL)
		return 0;
	return surface_argument_error(check->err, pointer->data, "x-no-dash",
	    "begins with \"%c\", which the program would read as an option", value->str[0]);
}

static int check_dashes(const struct tool *tool, const struct json *arguments, struct err *err)
{
	const struct surface_tool_internal *in = tool->in;
	struct dash_check check = { .lead = tool->surface->program.lead, .err = err };
	cleanup_buf struct buf pointer = BUF_INIT;

	for (size_t i = 0; i < in->inputs_len; i++) {
		const struct json *value = surface_input_value(in, arguments, (int)i);

		if (!in->inputs[i].is_no_dash || value == NULL)
			continue;
		buf_reset(&pointer);
		buf_addf(&pointer, "/%s", in->inputs[i].name);
		if (surface_walk_marks(in->inputs[i].schema, value, &pointer, check_dash, &check) !=
		    0)
			return -1;
	}
	return 0;
}

/* ---- the stage ---- */

int surface_check_arguments(const struct tool *tool, const struct json *arguments,
    struct json_doc *ret_doc, bool *ret_is_vetoed, struct err *err)
{
	cleanup_json struct json_doc none = JSON_DOC_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const struct surface_tool_internal *in = tool->in;
	const struct json *confirm;

	if (arguments == NULL) {
		if (json_read(&none, "{}", 2, err) < 0)
			return -1;
		arguments = json_root(&none);
	}
	if (arguments->type != JSON_OBJECT)
		return surface_argument_error(err, "/", "type",
		    "the arguments are %s, an object is wanted", json_type_name(arguments));
	if (check_strings(arguments, err) < 0 || validate(tool, arguments, err) < 0 ||
	    rewrite(in, arguments, true, &doc, err) < 0 ||
	    check_dashes(tool, json_root(&doc), err) < 0 ||
	    surface_check_groups(in, json_root(&doc), err) < 0)
		return -1;
	confirm = surface_find_input(in, "confirm") < 0 ? json_get(arguments, "confirm") : NULL;
	*ret_is_vetoed = json_is(confirm, JSON_FALSE);
	*ret_doc = doc;
	doc = JSON_DOC_INIT;
	return 0;
}
