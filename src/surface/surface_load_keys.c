/* SPDX-License-Identifier: MIT */
/* The keys of a tool (section 1.2): those that stand for themselves are read here, in the order of
 * their table; the others are put aside for surface_load_tool.c. */
#include "surface/surface_loader.h"

#include <string.h>

static bool is_taken(const struct loader *l, const char *name)
{
	for (size_t i = 0; i < l->surface->tools_len; i++) {
		const char *other = l->surface->tools[i].name;

		if (other != NULL && strcmp(other, name) == 0)
			return true;
	}
	return false;
}

/* [a-z][a-z0-9_]{0,39} holds neither - nor . and so cannot fall together with another name. */
static void read_name(struct loader *l, const struct json *value, void *target)
{
	struct tool *tool = ((struct tool_nodes *)target)->tool;
	const char *text = loader_text(l, value);
	size_t n;

	if (text == NULL)
		return;
	n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
	if (text[n] != '\0' || n > 40 || text[0] < 'a')
		loader_error(l, value,
		    "a tool's name is a small letter, then small letters, digits and _, at most "
		    "40 in all");
	else if (!l->is_checked && is_taken(l, text))
		loader_error(l, value, "another tool is called \"%s\" already", text);
	else
		tool->name = loader_strdup(l, text);
}

static void read_title(struct loader *l, const struct json *value, void *target)
{
	((struct tool_nodes *)target)->tool->title = loader_prose(l, value, 80, 400, false);
}

static void read_effect(struct loader *l, const struct json *value, void *target)
{
	static const char *const names[] = { "read", "write", "destroy", NULL };
	struct tool *tool = ((struct tool_nodes *)target)->tool;
	int choice = loader_choice(l, value, names);

	if (choice < 0)
		return;
	tool->effect = (enum surface_effect)choice;
	tool->rank = (enum surface_rank)choice;
}

static void read_rank(struct loader *l, const struct json *value, void *target)
{
	static const char *const names[] = { "read", "write", "manage", NULL };
	struct tool *tool = ((struct tool_nodes *)target)->tool;
	int choice = loader_choice(l, value, names);

	if (choice < 0)
		return;
	if (choice < (int)tool->effect)
		loader_warn(l, value, "the rank is below what the tool's effect asks for");
	tool->rank = (enum surface_rank)choice;
}

static void read_files(struct loader *l, const struct json *value, void *target)
{
	static const char *const names[] = { "none", "read", "write", NULL };
	int choice = loader_choice(l, value, names);

	if (choice >= 0)
		((struct tool_nodes *)target)->tool->files = (enum surface_files)choice;
}

static bool is_planned(enum surface_writes writes)
{
	return writes == SURFACE_PLAN || writes == SURFACE_POLICY;
}

static int strength_of(enum surface_writes writes)
{
	return is_planned(writes) ? 2 : writes == SURFACE_ELICIT ? 1 : 0;
}

static void read_writes(struct loader *l, const struct json *value, void *target)
{
	struct tool *tool = ((struct tool_nodes *)target)->tool;

	loader_writes(l, value, &tool->writes);
	if (is_planned(tool->writes) && tool->effect == SURFACE_READ)
		loader_error(l, value, "a tool that only reads has no plan");
	if (strength_of(tool->writes) < strength_of(l->surface->writes))
		loader_warn(l, value, "the tool's write gate is weaker than the surface's");
}

static void read_executes(struct loader *l, const struct json *value, void *target)
{
	static const char *const names[] = { "none", "any", NULL };

	((struct tool_nodes *)target)->tool->executes_any = loader_choice(l, value, names) == 1;
}

#define READ_FLAG(function, member)                                                                \
	static void function(struct loader *l, const struct json *value, void *target)             \
	{                                                                                          \
		loader_bool(l, value, &((struct tool_nodes *)target)->tool->member);               \
	}
READ_FLAG(read_exclusive, is_exclusive)
READ_FLAG(read_reveals, reveals)
READ_FLAG(read_discovery, is_discovery)
READ_FLAG(read_hidden, is_hidden)

static void read_needs(struct loader *l, const struct json *value, void *target)
{
	const char *text = loader_text(l, value);

	if (text == NULL)
		return;
	loader_range(l, value);
	if (l->surface->program.version == NULL)
		loader_error(l, value, "\"needs\" wants \"version\" in program");
	((struct tool_nodes *)target)->tool->needs = loader_strdup(l, text);
}

static void read_limits(struct loader *l, const struct json *value, void *target)
{
	loader_limits(l, value, true, &((struct tool_nodes *)target)->tool->limits);
}

static void read_idempotent(struct loader *l, const struct json *value, void *target)
{
	loader_bool(l, value, &((struct tool *)target)->is_idempotent);
}

static void read_open_world(struct loader *l, const struct json *value, void *target)
{
	loader_bool(l, value, &((struct tool *)target)->is_open_world);
}

static const struct loader_key hint_keys[] = {
	{ "idempotent", read_idempotent },
	{ "open_world", read_open_world },
};

static void read_hints(struct loader *l, const struct json *value, void *target)
{
	loader_mapping(l, value, "hints", hint_keys, ARRAY_LEN(hint_keys),
	    ((struct tool_nodes *)target)->tool);
}

static void read_statuses(
    struct loader *l, const struct json *value, bool *ret_any, const struct json **ret_list)
{
	int64_t status;

	if (json_is_text(value, "any")) {
		*ret_any = true;
		return;
	}
	if (!loader_is_array(l, value, "a list of exit statuses, or any,"))
		return;
	*ret_list = value;
	json_foreach (item, value)
		(void)loader_integer(l, item, 0, 255, &status);
}

static void read_ok(struct loader *l, const struct json *value, void *target)
{
	struct exit_rule *rule = target;

	read_statuses(l, value, &rule->is_any_ok, &rule->ok);
}

static void read_data(struct loader *l, const struct json *value, void *target)
{
	struct exit_rule *rule = target;

	read_statuses(l, value, &rule->is_any_data, &rule->data);
}

static const struct loader_key exit_keys[] = {
	{ "ok", read_ok },
	{ "data", read_data },
};

static void read_exit(struct loader *l, const struct json *value, void *target)
{
	loader_mapping(l, value, "exit", exit_keys, ARRAY_LEN(exit_keys),
	    &((struct tool_nodes *)target)->tool->in->exit);
}

#define LATER_STEP(key, member)                                                                    \
	{                                                                                          \
		.name = (key), .offset = offsetof(struct tool_nodes, member)                       \
	}
static const struct loader_key tool_keys[] = {
	{ "name", read_name, KEY_REQUIRED },
	{ "title", read_title },
	{ "description", NULL, KEY_REQUIRED, offsetof(struct tool_nodes, description) },
	{ "effect", read_effect, KEY_REQUIRED },
	{ "rank", read_rank },
	{ "files", read_files },
	LATER_STEP("use", use),
	LATER_STEP("input", input),
	LATER_STEP("groups", groups),
	LATER_STEP("argv", argv),
	LATER_STEP("builtin", builtin),
	LATER_STEP("cwd", cwd),
	LATER_STEP("set", set),
	{ "exit", read_exit },
	LATER_STEP("errors", errors),
	LATER_STEP("result", result),
	LATER_STEP("output", output),
	LATER_STEP("ask", ask),
	{ "writes", read_writes },
	LATER_STEP("plan", plan),
	{ "executes", read_executes },
	{ "exclusive", read_exclusive },
	{ "reveals", read_reveals },
	{ "discovery", read_discovery },
	{ "hidden", read_hidden },
	{ "needs", read_needs },
	{ "limits", read_limits },
	{ "hints", read_hints },
	LATER_STEP("examples", examples),
};

void loader_tool_keys(struct loader *l, const struct json *node, struct tool_nodes *ret_nodes)
{
	loader_mapping(l, node, "a tool", tool_keys, ARRAY_LEN(tool_keys), ret_nodes);
}
