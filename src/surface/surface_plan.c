/* SPDX-License-Identifier: MIT */
/* What a plan says of a call (section 7): its target, and the arguments of the calls that belong to
 * it. */
#include "surface/surface_internal.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

/* A person reads it, and policy compares it. */
#define TARGET_MAX ((size_t)500)

bool surface_is_planned(const struct tool *tool)
{
	return tool->effect != SURFACE_READ &&
	       (tool->writes == SURFACE_PLAN || tool->writes == SURFACE_POLICY);
}

bool surface_wants_plan(const struct tool *tool)
{
	return surface_is_planned(tool) && tool->writes == SURFACE_PLAN;
}

static struct scope_values values_of(
    const struct tool *tool, const struct json *arguments, const struct surface_launch *launch)
{
	struct scope_values values = SCOPE_VALUES_INIT;

	values.in = tool->in;
	values.arguments = arguments;
	values.launch = launch;
	return values;
}

/* What is not seen would let one target pass for another. */
static bool is_visible(const struct buf *text)
{
	uint32_t codepoint = 0;

	for (size_t i = 0; i < text->len;) {
		size_t n = text_decode(text->data + i, text->len - i, &codepoint);

		if (n == 0 || text_is_invisible(codepoint) || codepoint < ' ')
			return false;
		i += n;
	}
	return true;
}

int surface_plan_target(const struct tool *tool, const struct json *arguments,
    const struct surface_launch *launch, struct buf *ret_text, struct err *err)
{
	struct scope_values values = values_of(tool, arguments, launch);
	cleanup_buf struct buf text = BUF_INIT;
	int result =
	    surface_expand_word(&tool->plan->in->target, &values, BUF_MAX_DEFAULT, &text, err);

	if (result < 0)
		return -1;
	if (result == 0 || text.len == 0)
		return err_set(err, ERR_INVALID_ARGUMENT, "the target of the plan is empty");
	if (text.len > TARGET_MAX)
		return err_set(err, ERR_INVALID_ARGUMENT,
		    "the target of the plan has %zu bytes; at most %zu are allowed", text.len,
		    TARGET_MAX);
	if (!is_visible(&text))
		return err_set(err, ERR_INVALID_ARGUMENT,
		    "the target of the plan holds a control or invisible character");
	buf_add(ret_text, text.data, text.len);
	return 0;
}

int surface_plan_arguments(const struct tool *tool, size_t i, const struct json *arguments,
    struct json_doc *ret_doc, struct err *err)
{
	const struct surface_plan *plan = tool->plan;
	const struct template_ *with =
	    i == SURFACE_PREVIEW ? &plan->in->preview_with : &plan->in->with[i];
	struct scope_values values = values_of(tool, arguments, NULL);
	struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);
	size_t len;

	assert(i == SURFACE_PREVIEW || i < plan->preconditions_len);
	(void)surface_write_template(with, &values, &w);
	len = text.len;
	return json_read_take(ret_doc, buf_detach(&text), len, err);
}
