/* SPDX-License-Identifier: MIT */
/* Reading a resource: what stands in the file, or the arguments for the tool that makes it. */
#include "surface/surface_internal.h"

#include <string.h>

#include "base/text.h"

bool surface_resource_is_json(const struct resource *resource)
{
	const char *mime = resource->mime;
	size_t len = strlen(mime);

	return strcmp(mime, "application/json") == 0 || strcmp(mime, "text/json") == 0 ||
	       (len > 5 && strcmp(mime + len - 5, "+json") == 0);
}

void surface_resource_content(const struct resource *resource, struct surface_result *ret_result)
{
	const struct json *content = resource->in->content;
	struct json_writer w = JSON_WRITER_INIT(&ret_result->json);

	if (surface_resource_is_json(resource)) {
		json_write_node(&w, content);
		return;
	}
	buf_add(&ret_result->text, content->str, content->len);
	ret_result->has_text = true;
}

/* ---- a template's variables ---- */

/* What a segment may not hold once it is decoded: it would lead out of its place wherever it is
 * used as part of a path (clients.md Q47). */
static const char *fault_of(const struct buf *value)
{
	if (memchr(value->data, '\0', value->len) != NULL)
		return "holds a NUL";
	if (!text_is_utf8(value->data, value->len))
		return "is not UTF-8";
	if (strpbrk(value->data, "/\\") != NULL)
		return "holds a separator";
	return strstr(value->data, "..") != NULL ? "holds \"..\"" : NULL;
}

static int write_variable(
    struct json_writer *w, const struct uri_step *step, size_t name_len, struct err *err)
{
	cleanup_buf struct buf value = BUF_INIT;
	const char *fault = surface_uri_decode(step->text, step->text_len, &value)
				? fault_of(&value)
				: "has a % without two hexadecimal digits";

	if (fault != NULL)
		return err_set(err, ERR_INVALID_PARAMS, "the part \"%.*s\" of the uri %s",
		    (int)name_len, step->pattern + 1, fault);
	json_write_key_len(w, step->pattern + 1, name_len);
	json_write_string_len(w, value.data, value.len);
	return 0;
}

/* {"name": "text", …}: the URI matches. */
static int read_variables(
    const struct resource *resource, const char *uri, struct json_doc *ret_doc, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);
	struct uri_step step;
	bool has_more = surface_uri_begin(resource->uri, uri, &step);
	bool is_end;
	size_t len;

	json_write_object_begin(&w);
	while (has_more) {
		size_t name_len;

		if (surface_uri_is_variable(step.pattern, step.pattern_len, &name_len) &&
		    write_variable(&w, &step, name_len, err) < 0)
			return -1;
		has_more = surface_uri_next(&step, &is_end);
	}
	json_write_object_end(&w);
	len = text.len;
	return json_read_take(ret_doc, buf_detach(&text), len, err);
}

int surface_resource_arguments(
    const struct resource *resource, const char *uri, struct json_doc *ret_doc, struct err *err)
{
	const struct surface_resource_internal *in = resource->in;
	cleanup_json struct json_doc variables = JSON_DOC_INIT;
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);
	struct scope_values values = SCOPE_VALUES_INIT;
	size_t len;

	if (read_variables(resource, uri, &variables, err) < 0)
		return -1;
	values.in = in->variables.in;
	values.arguments = json_root(&variables);
	if (in->with == NULL)
		buf_adds(&text, "{}");
	else
		(void)surface_write_template(in->with, &values, &w);
	len = text.len;
	return json_read_take(ret_doc, buf_detach(&text), len, err);
}
