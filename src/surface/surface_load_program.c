/* SPDX-License-Identifier: MIT */
/* `program` (section 1.1), `limits`, `writes`. */
#include "surface/surface_loader.h"

#include <string.h>

#include "base/limits.h"
#include "base/num.h"

/* ---- limits ---- */

static void read_timeout(struct loader *l, const struct json *value, void *target)
{
	cleanup_err struct err err = ERR_INIT;
	struct surface_limits *limits = target;
	const char *text = loader_text(l, value);

	if (text != NULL &&
	    num_parse_duration(text, LIMIT_TIMEOUT_MAX_MS, &limits->timeout_ms, &err) < 0)
		loader_error(l, value, "%s", err.message);
	else if (text != NULL && limits->timeout_ms == 0)
		loader_error(l, value, "a timeout is more than nothing");
}

static void read_size(struct loader *l, const struct json *value, size_t max, size_t *ret_size)
{
	cleanup_err struct err err = ERR_INIT;
	const char *text = loader_text(l, value);
	int64_t size;

	if (text == NULL)
		return;
	if (num_parse_size(text, (int64_t)max, &size, &err) < 0)
		loader_error(l, value, "%s", err.message);
	else
		*ret_size = (size_t)size;
}

static void read_output_size(struct loader *l, const struct json *value, void *target)
{
	read_size(l, value, LIMIT_OUTPUT_MAX, &((struct surface_limits *)target)->output_bytes);
}

static void read_result_size(struct loader *l, const struct json *value, void *target)
{
	read_size(l, value, LIMIT_RESULT_MAX, &((struct surface_limits *)target)->result_bytes);
}

static void read_children(struct loader *l, const struct json *value, void *target)
{
	int64_t children;

	if (loader_integer(l, value, 1, LIMIT_CHILDREN, &children))
		((struct surface_limits *)target)->children = (unsigned)children;
}

static const struct loader_key limit_keys[] = {
	{ "timeout", read_timeout },
	{ "output", read_output_size },
	{ "result", read_result_size },
	{ "children", read_children },
};

void loader_limits(
    struct loader *l, const struct json *node, bool is_tool, struct surface_limits *ret_limits)
{
	/* A tool has the first two. */
	loader_mapping(
	    l, node, "limits", limit_keys, is_tool ? 2 : ARRAY_LEN(limit_keys), ret_limits);
}

void loader_writes(struct loader *l, const struct json *node, enum surface_writes *ret_writes)
{
	static const char *const names[] = {
		[SURFACE_ELICIT] = "elicit",
		[SURFACE_PLAN] = "plan",
		[SURFACE_POLICY] = "policy",
		[SURFACE_OPEN] = "open",
		NULL,
	};
	int choice = loader_choice(l, node, names);

	if (choice == SURFACE_OPEN && !l->surface->is_builtin)
		loader_error(l, node, "\"writes: open\" counts in built-in surfaces only");
	else if (choice >= 0)
		*ret_writes = (enum surface_writes)choice;
}

/* ---- program ---- */

static void read_run(struct loader *l, const struct json *value, void *target)
{
	struct surface_program *program = target;
	const char *text = loader_text(l, value);

	if (text == NULL)
		return;
	if (text[0] != '/' && strchr(text, '/') != NULL)
		loader_error(l, value, "\"run\" is self, a name, or an absolute path");
	program->run = loader_strdup(l, text);
}

static void read_variable(struct loader *l, const struct json *value, char **ret_name)
{
	if (loader_variable(l, value))
		*ret_name = loader_strdup(l, value->str);
}

static void read_override(struct loader *l, const struct json *value, void *target)
{
	read_variable(l, value, &((struct surface_program *)target)->override);
}

static void read_args(struct loader *l, const struct json *value, void *target)
{
	struct surface_internal *in = l->in;
	struct place place = { .what = "program.args",
		.holes = HOLE_BIT(HOLE_WORKSPACE) | HOLE_BIT(HOLE_STAGE) | HOLE_BIT(HOLE_ROOT) };

	(void)target;
	if (!loader_is_array(l, value, "args"))
		return;
	in->program_args = loader_alloc(l, value->len, sizeof(*in->program_args));
	json_foreach (item, value) {
		if (loader_word(l, item, &place, &in->program_args[in->program_args_len]))
			in->program_args_len++;
	}
}

static void read_env(struct loader *l, const struct json *value, void *target)
{
	struct surface_program *program = target;

	if (!loader_is_array(l, value, "env"))
		return;
	json_foreach (item, value) {
		if (!loader_variable(l, item))
			continue;
		if (strcmp(item->str, "PATH") == 0)
			loader_error(l, item, "PATH is set by stile and never passed on");
		strvec_push(&program->env, item->str);
	}
}

static void read_set(struct loader *l, const struct json *value, void *target)
{
	struct surface_program *program = target;

	if (!loader_is_object(l, value, "set"))
		return;
	json_foreach_member (key, constant, value) {
		const char *text = loader_any_text(l, constant);

		if (loader_variable(l, key) && text != NULL)
			strvec_pushf(&program->set, "%s=%s", key->str, text);
	}
}

/* `end: none` for a program without one. */
static void read_end(struct loader *l, const struct json *value, void *target)
{
	struct surface_program *program = target;
	const char *text = loader_text(l, value);

	if (text != NULL)
		program->end = strcmp(text, "none") == 0 ? NULL : loader_strdup(l, text);
}

static void read_lead(struct loader *l, const struct json *value, void *target)
{
	struct surface_program *program = target;
	const char *text = loader_text(l, value);

	if (text == NULL)
		return;
	if (strchr(text, '-') == NULL)
		loader_error(l, value, "\"lead\" always holds '-'");
	for (const char *at = text; *at != '\0'; at++) {
		if (*at < '!' || *at > '~' || (*at >= '0' && *at <= '9') ||
		    (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z')) {
			loader_error(l, value, "\"lead\" holds ASCII punctuation only");
			return;
		}
	}
	program->lead = loader_strdup(l, text);
}

static void read_takes(struct loader *l, const struct json *value, void *target)
{
	struct surface_program *program = target;

	loader_texts(l, value, false, &program->takes);
	for (size_t i = 0; i < program->takes.len; i++) {
		const char *option = program->takes.items[i];

		if (strchr(program->lead, option[0]) == NULL || strchr(option, '=') != NULL)
			loader_error(
			    l, value, "\"%s\" in \"takes\" is no option by itself", option);
	}
}

static void read_constants(struct loader *l, const struct json *value, struct strvec *ret_args)
{
	if (!loader_is_array(l, value, "args"))
		return;
	json_foreach (item, value) {
		const char *text = loader_any_text(l, item);

		if (text != NULL)
			strvec_push(ret_args, text);
	}
}

static void read_version_args(struct loader *l, const struct json *value, void *target)
{
	read_constants(l, value, &((struct surface_version *)target)->args);
}

static void read_version_at(struct loader *l, const struct json *value, void *target)
{
	((struct surface_version *)target)->at = loader_regex_of_one_group(l, value);
}

static void read_version_text(struct loader *l, const struct json *value, char **ret_text)
{
	const char *text = loader_text(l, value);

	if (text != NULL)
		*ret_text = loader_strdup(l, text);
}

static void read_range(struct loader *l, const struct json *value, void *target)
{
	loader_range(l, value);
	read_version_text(l, value, &((struct surface_version *)target)->range);
}

static void read_baseline(struct loader *l, const struct json *value, void *target)
{
	const char *text = json_text(value);
	int64_t parts[VERSION_PARTS];

	if (text != NULL &&
	    (strspn(text, "0123456789.") != strlen(text) || !surface_version_parts(text, parts)))
		loader_error(l, value, "a version such as 2.30.1 is wanted");
	read_version_text(l, value, &((struct surface_version *)target)->baseline);
}

static const struct loader_key version_keys[] = {
	{ "args", read_version_args, KEY_REQUIRED },
	{ "at", read_version_at, KEY_REQUIRED },
	{ "range", read_range },
	{ "baseline", read_baseline },
};

static void read_version(struct loader *l, const struct json *value, void *target)
{
	struct surface_program *program = target;

	program->version = loader_alloc(l, 1, sizeof(*program->version));
	loader_mapping(
	    l, value, "version", version_keys, ARRAY_LEN(version_keys), program->version);
}

static void read_probe_args(struct loader *l, const struct json *value, void *target)
{
	read_constants(l, value, target);
}

static const struct loader_key probe_keys[] = {
	{ "args", read_probe_args, KEY_REQUIRED },
};

static void read_probe(struct loader *l, const struct json *value, void *target)
{
	struct surface_program *program = target;

	program->probe = loader_alloc(l, 1, sizeof(*program->probe));
	loader_mapping(l, value, "probe", probe_keys, ARRAY_LEN(probe_keys), program->probe);
}

static void read_output(struct loader *l, const struct json *value, void *target)
{
	static const char *const names[] = {
		[SURFACE_OUTPUT_TEXT] = "text",
		[SURFACE_OUTPUT_JSON] = "json",
		[SURFACE_OUTPUT_ENVELOPE] = "envelope",
		NULL,
	};
	int choice = loader_choice(l, value, names);

	if (choice >= 0)
		((struct surface_program *)target)->output = (enum surface_output)choice;
}

static void read_guard(struct loader *l, const struct json *value, void *target)
{
	static const char *const names[] = { "git", NULL };

	if (loader_choice(l, value, names) >= 0)
		((struct surface_program *)target)->guard_git = true;
}

static void read_allow_write(struct loader *l, const struct json *value, void *target)
{
	read_variable(l, value, &((struct surface_program *)target)->switch_allow_write);
}

static void read_allow_noninteractive(struct loader *l, const struct json *value, void *target)
{
	read_variable(
	    l, value, &((struct surface_program *)target)->switch_allow_noninteractive_write);
}

static void read_allow_drift(struct loader *l, const struct json *value, void *target)
{
	read_variable(l, value, &((struct surface_program *)target)->switch_allow_drift);
}

static const struct loader_key switch_keys[] = {
	{ "allow_write", read_allow_write },
	{ "allow_noninteractive_write", read_allow_noninteractive },
	{ "allow_drift", read_allow_drift },
};

static void read_switches(struct loader *l, const struct json *value, void *target)
{
	loader_mapping(l, value, "switches", switch_keys, ARRAY_LEN(switch_keys), target);
}

static const struct loader_key program_keys[] = {
	{ "run", read_run, KEY_REQUIRED },
	{ "override", read_override },
	{ "args", read_args },
	{ "env", read_env },
	{ "set", read_set },
	{ "end", read_end },
	{ "lead", read_lead },
	{ "takes", read_takes },
	{ "version", read_version },
	{ "probe", read_probe },
	{ "output", read_output },
	{ "guard", read_guard },
	{ "switches", read_switches, KEY_BUILTIN },
};

void loader_program(struct loader *l, const struct json *node)
{
	struct surface_program *program = &l->surface->program;

	loader_mapping(l, node, "program", program_keys, ARRAY_LEN(program_keys), program);
}
