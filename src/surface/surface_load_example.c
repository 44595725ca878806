/* SPDX-License-Identifier: MIT */
/* `examples` of a tool: their shape. surface_check.c runs them. */
#include "surface/surface_loader.h"

struct example_nodes {
	const struct json *call;
	const struct json *argv;
	const struct json *stdin_;
	const struct json *prints;
	const struct json *exit;
	const struct json *gives;
};

#define EXAMPLE_KEY(key, member, flags_)                                                           \
	{                                                                                          \
		.name = (key), .flags = (flags_), .offset = offsetof(struct example_nodes, member) \
	}
static const struct loader_key example_keys[] = {
	EXAMPLE_KEY("call", call, KEY_REQUIRED),
	EXAMPLE_KEY("argv", argv, KEY_REQUIRED),
	EXAMPLE_KEY("stdin", stdin_, 0),
	EXAMPLE_KEY("prints", prints, 0),
	EXAMPLE_KEY("exit", exit, 0),
	EXAMPLE_KEY("gives", gives, 0),
};

static void check_example(struct loader *l, const struct json *node)
{
	struct example_nodes n = { NULL };
	int64_t status;

	loader_mapping(l, node, "an example", example_keys, ARRAY_LEN(example_keys), &n);
	if (n.call != NULL)
		(void)loader_is_object(l, n.call, "\"call\"");
	if (n.argv != NULL && loader_is_array(l, n.argv, "\"argv\"")) {
		json_foreach (item, n.argv)
			(void)loader_any_text(l, item);
	}
	if (n.stdin_ != NULL)
		(void)loader_any_text(l, n.stdin_);
	if (n.prints != NULL && n.prints->type != JSON_STRING)
		loader_error(l, n.prints, "\"prints\" is a text");
	if (n.exit != NULL)
		(void)loader_integer(l, n.exit, 0, 255, &status);
	if (n.gives != NULL)
		(void)loader_is_object(l, n.gives, "\"gives\"");
	if (n.gives != NULL && n.prints == NULL && n.exit == NULL)
		loader_error(l, n.gives, "\"gives\" wants \"prints\" or \"exit\"");
}

void loader_examples(struct loader *l, const struct json *node)
{
	if (node == NULL || !loader_is_array(l, node, "examples"))
		return;
	l->tool->in->examples = node;
	if (l->is_checked)
		return;
	if (l->tool->builtin != SURFACE_BUILTIN_NONE)
		loader_error(l, node, "a tool in process has no command line to give examples of");
	json_foreach (item, node)
		check_example(l, item);
}
