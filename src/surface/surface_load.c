/* SPDX-License-Identifier: MIT */
/*
 * A surface file from text to struct surface: YAML → JSON with marks → the tables of keys →
 * proofs. The build does it all for built-in surfaces; at run time they come as JSON, and what was
 * proved is not proved again.
 */
#include "surface/surface_loader.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/num.h"

/* ---- lifecycle ---- */

static struct surface *surface_new(void)
{
	static char end[] = "--";
	static char lead[] = "-";
	struct surface *surface = xcalloc(1, sizeof(*surface));

	surface->program.end = end;
	surface->program.lead = lead;
	surface->in = xcalloc(1, sizeof(*surface->in));
	surface->in->text = BUF_INIT;
	surface->in->owner = surface;
	return surface;
}

static void result_release(struct result *result)
{
	strvec_release(&result->at);
	strvec_release(&result->drop);
	strvec_release(&result->pick);
}

static void tool_release(struct tool *tool)
{
	struct surface_tool_internal *in = tool->in;

	if (in == NULL)
		return;
	if (tool->plan != NULL)
		strvec_release(&tool->plan->pins);
	for (size_t i = 0; i < in->results_len; i++)
		result_release(&in->results[i]);
	schema_free(in->schema);
	schema_free(in->output);
	json_doc_release(&in->merged);
	json_doc_release(&in->output_doc);
}

static void program_release(struct surface_program *program)
{
	strvec_release(&program->env);
	strvec_release(&program->set);
	strvec_release(&program->takes);
	if (program->version != NULL)
		strvec_release(&program->version->args);
	if (program->probe != NULL)
		strvec_release(program->probe);
}

static void internal_free(struct surface_internal *in)
{
	for (size_t i = 0; i < in->regexes_len; i++)
		regex_free(in->regexes[i]);
	free(in->regexes);
	for (size_t i = 0; i < in->schemas_len; i++)
		schema_free(in->schemas[i]);
	free(in->schemas);
	yaml_marks_release(&in->marks);
	json_doc_release(&in->doc);
	json_doc_release(&in->variable_schema);
	buf_release(&in->text);
	arena_release(&in->arena);
	free(in);
}

void surface_free(struct surface *surface)
{
	if (surface == NULL)
		return;
	for (size_t i = 0; i < surface->tools_len; i++)
		tool_release(&surface->tools[i]);
	for (size_t i = 0; i < surface->resources_len; i++)
		tool_release(&surface->resources[i].in->own_tool);
	program_release(&surface->program);
	surface_free(surface->in->engine);
	internal_free(surface->in);
	free(surface);
}

static void surface_cleanup(struct surface **surface)
{
	surface_free(*surface);
}
#define cleanup_surface __attribute__((cleanup(surface_cleanup)))

/* ---- keys of the file ---- */

static void read_stile(struct loader *l, const struct json *value, void *target)
{
	int64_t version;

	(void)target;
	if (value->type == JSON_NUMBER && json_number_int64(value, &version) && version > 1)
		loader_error(l, value,
		    "language version %lld is later than 1, the last that this version of stile "
		    "reads",
		    (long long)version);
	else
		(void)loader_integer(l, value, 1, 1, &version);
}

/* [a-z][a-z0-9-]{0,16}; "workspace" is taken (clients.md R1). */
static void read_name(struct loader *l, const struct json *value, void *target)
{
	const char *text = loader_text(l, value);
	size_t n;

	(void)target;
	if (text == NULL)
		return;
	n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
	if (text[n] != '\0' || n > 17 || text[0] < 'a')
		loader_error(l, value,
		    "a surface's name is a small letter, then small letters, digits and -, at "
		    "most 17 in all");
	else if (strcmp(text, "workspace") == 0)
		loader_error(l, value, "the name \"workspace\" is taken");
	else
		l->surface->name = loader_strdup(l, text);
}

static void read_title(struct loader *l, const struct json *value, void *target)
{
	(void)target;
	l->surface->title = loader_prose(l, value, 80, 400, false);
}

static void read_instructions(struct loader *l, const struct json *value, void *target)
{
	(void)target;
	l->surface->instructions = loader_prose(l, value, 2047, 2047, true);
}

static void read_program(struct loader *l, const struct json *value, void *target)
{
	(void)target;
	loader_program(l, value);
}

static void read_limits(struct loader *l, const struct json *value, void *target)
{
	(void)target;
	loader_limits(l, value, false, &l->surface->limits);
}

static void read_writes(struct loader *l, const struct json *value, void *target)
{
	(void)target;
	loader_writes(l, value, &l->surface->writes);
}

static void read_scoped(struct loader *l, const struct json *value, void *target)
{
	(void)target;
	loader_bool(l, value, &l->surface->is_scoped);
}

/* The longest stretch of a pattern that can only match itself; escapes count when they stand for
 * a character, groups and classes end it. Alternatives make it no help. */
static size_t literal_len(const char *pattern)
{
	size_t best = 0;
	size_t run = 0;

	if (strchr(pattern, '|') != NULL)
		return 0;
	for (const char *at = pattern; *at != '\0'; at++) {
		bool is_escape =
		    at[0] == '\\' && at[1] != '\0' && strchr(".-/\\+*?()[]{}^$|_:", at[1]);

		at += is_escape ? 1 : 0;
		if (!is_escape && *at == '[' && strchr(at, ']') != NULL)
			at = strchr(at, ']');
		if (is_escape || strchr("\\[](){}.*+?^$", *at) == NULL)
			run++;
		else
			run = 0;
		/* What a quantifier makes optional is no literal. */
		if (run > 0 && at[1] != '\0' && strchr("*?{", at[1]) != NULL)
			run--;
		best = run > best ? run : best;
	}
	return best;
}

static void read_secret_name(struct loader *l, const struct json *value, void *target)
{
	struct surface_secret *secret = target;
	const char *text = loader_text(l, value);

	if (text == NULL)
		return;
	if (strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-_") != strlen(text) ||
	    strlen(text) > 40)
		loader_error(l, value,
		    "a secret's name is small letters, digits, - and _, at most 40 in all");
	secret->name = loader_strdup(l, text);
}

static void read_secret_match(struct loader *l, const struct json *value, void *target)
{
	struct surface_secret *secret = target;
	struct regex *regex = loader_regex(l, value);

	if (regex == NULL)
		return;
	secret->pattern = loader_strdup(l, value->str);
	if (l->is_checked)
		return;
	if (literal_len(value->str) < 3)
		loader_error(l, value,
		    "the pattern holds no literal of three characters or more: it would mask too "
		    "much");
	if (regex_search(regex, "", 0, 0, NULL, NULL))
		loader_error(l, value, "the pattern matches the empty text");
}

static const struct loader_key secret_keys[] = {
	{ "name", read_secret_name, KEY_REQUIRED },
	{ "match", read_secret_match, KEY_REQUIRED },
};

static void read_secrets(struct loader *l, const struct json *value, void *target)
{
	struct surface *surface = l->surface;

	(void)target;
	if (!loader_is_array(l, value, "secrets"))
		return;
	surface->secrets = loader_alloc(l, value->len, sizeof(*surface->secrets));
	json_foreach (item, value)
		loader_mapping(l, item, "a secret", secret_keys, ARRAY_LEN(secret_keys),
		    &surface->secrets[surface->secrets_len++]);
}

static void read_errors(struct loader *l, const struct json *value, void *target)
{
	(void)target;
	loader_errors(l, value, &l->in->errors, &l->in->errors_len);
}

static void read_refs(struct loader *l, const struct json *value, void *target)
{
	(void)target;
	loader_refs(l, value);
}

static void read_parts(struct loader *l, const struct json *value, void *target)
{
	(void)target;
	loader_parts(l, value);
}

static void read_tools(struct loader *l, const struct json *value, void *target)
{
	(void)target;
	loader_tools(l, value);
}

static void read_resources(struct loader *l, const struct json *value, void *target)
{
	(void)target;
	loader_resources(l, value);
}

struct left_out_nodes {
	const struct json *command;
	const struct json *why;
};

static const struct loader_key left_out_keys[] = {
	{ "command", NULL, KEY_REQUIRED, offsetof(struct left_out_nodes, command) },
	{ "why", NULL, KEY_REQUIRED, offsetof(struct left_out_nodes, why) },
};

static void read_left_out(struct loader *l, const struct json *value, void *target)
{
	(void)target;
	if (!loader_is_array(l, value, "left_out"))
		return;
	l->in->left_out = value;
	if (l->is_checked)
		return;
	json_foreach (item, value) {
		struct left_out_nodes n = { NULL };
		cleanup_strvec struct strvec commands = STRVEC_INIT;

		loader_mapping(
		    l, item, "an item of left_out", left_out_keys, ARRAY_LEN(left_out_keys), &n);
		if (n.command != NULL) {
			loader_texts(l, n.command, true, &commands);
			if (json_is(n.command, JSON_ARRAY) && n.command->len == 0)
				loader_error(l, n.command, "the list is empty");
		}
		if (n.why != NULL)
			(void)loader_prose(l, n.why, 1000, 2000, true);
	}
}

/* In order of reading: what stands below relies on what stands above. */
static const struct loader_key file_keys[] = {
	{ "stile", read_stile, KEY_REQUIRED },
	{ "surface", read_name, KEY_REQUIRED },
	{ "title", read_title },
	{ "instructions", read_instructions },
	{ "program", read_program, KEY_REQUIRED },
	{ "limits", read_limits },
	{ "secrets", read_secrets },
	{ "errors", read_errors },
	{ "writes", read_writes },
	{ "scoped", read_scoped },
	{ "refs", read_refs },
	{ "parts", read_parts },
	{ "tools", read_tools, KEY_REQUIRED },
	{ "resources", read_resources },
	{ "left_out", read_left_out },
};

static void check_first_key(struct loader *l, const struct json *root)
{
	if (root->type == JSON_OBJECT &&
	    (root->len == 0 || !json_is_text(json_begin(root), "stile")))
		loader_error(l, root, "the first key of a surface file is \"stile\"");
}

static void read_file(struct loader *l)
{
	const struct json *root = json_root(&l->in->doc);

	l->surface->limits = (struct surface_limits){ .timeout_ms = LIMIT_TIMEOUT_DEFAULT_MS,
		.output_bytes = LIMIT_OUTPUT_DEFAULT,
		.result_bytes = LIMIT_RESULT_DEFAULT,
		.children = LIMIT_CHILDREN_DEFAULT };
	check_first_key(l, root);
	loader_mapping(l, root, "a surface file", file_keys, ARRAY_LEN(file_keys), NULL);
	if (!l->is_checked)
		loader_note_hidden(l);
}

/* ---- the two ways in ---- */

static int first_error(const struct surface_notes *notes, struct err *err)
{
	for (size_t i = 0; i < notes->len; i++) {
		const struct surface_note *note = &notes->items[i];

		if (note->level != SURFACE_NOTE_ERROR)
			continue;
		if (note->line == 0)
			return err_set(err, ERR_SURFACE_INVALID, "%s%s%s", note->path,
			    *note->path != '\0' ? ": " : "", note->text);
		return err_set(err, ERR_SURFACE_INVALID, "line %u, column %u: %s%s%s", note->line,
		    note->column, note->path, *note->path != '\0' ? ": " : "", note->text);
	}
	return 0;
}

static struct surface *load_document(
    struct surface *taken, bool is_checked, struct surface_notes *notes, struct err *err)
{
	cleanup_surface struct surface *surface = taken;
	cleanup_surface_notes struct surface_notes own = SURFACE_NOTES_INIT;
	struct loader l = { .surface = surface,
		.in = surface->in,
		.notes = notes != NULL ? notes : &own,
		.is_checked = is_checked };
	struct surface_notes *found = l.notes;
	size_t before = found->len;

	read_file(&l);
	if (l.errors_len > 0) {
		struct surface_notes ours = { .items = found->items + before,
			.len = found->len - before };

		(void)first_error(&ours, err);
		return NULL;
	}
	return steal_ptr(&surface);
}

static bool number_of(const struct json *object, const char *name, int64_t *ret_value)
{
	const struct json *member = json_get(object, name);

	return json_is(member, JSON_NUMBER) && json_number_int64(member, ret_value);
}

/* The place that yaml_read() gave with its error goes from the text to the finding. */
static void place_note(struct surface_note *note, const struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err ignored = ERR_INIT;
	int64_t line = 0;
	int64_t column = 0;
	const char *text = strstr(note->text, ": ");

	if (err->details == NULL || text == NULL ||
	    json_read(&doc, err->details, strlen(err->details), &ignored) < 0 ||
	    !number_of(json_root(&doc), "line", &line) ||
	    !number_of(json_root(&doc), "column", &column))
		return;
	note->line = (unsigned)line;
	note->column = (unsigned)column;
	memmove(note->text, text + 2, strlen(text + 2) + 1);
}

/* A file that is no YAML: the one finding is the reader's. */
static struct surface *refuse_text(struct surface_notes *notes, struct err *err)
{
	if (notes != NULL) {
		surface_note(notes, NULL, SURFACE_NOTE_ERROR, NULL, "", "%s", err->message);
		place_note(&notes->items[notes->len - 1], err);
	}
	err->code = ERR_SURFACE_INVALID;
	return NULL;
}

struct surface *surface_load(
    const char *text, size_t len, bool is_builtin, struct surface_notes *notes, struct err *err)
{
	cleanup_surface struct surface *surface = surface_new();
	struct surface_internal *in = surface->in;

	surface->is_builtin = is_builtin;
	surface->digest = digest_of(text, len);
	if (yaml_read(text, len, &yaml_limits_file, &in->text, &in->marks, err) < 0)
		return refuse_text(notes, err);
	if (json_read(&in->doc, in->text.data, in->text.len, err) < 0)
		return refuse_text(notes, err);
	return load_document(steal_ptr(&surface), false, notes, err);
}

struct surface *surface_load_compiled(
    const char *json, size_t len, const struct digest *digest, struct err *err)
{
	cleanup_surface struct surface *surface = surface_new();

	surface->is_builtin = true;
	surface->digest = *digest;
	if (json_read(&surface->in->doc, json, len, err) < 0) {
		err->code = ERR_SURFACE_INVALID;
		return NULL;
	}
	return load_document(steal_ptr(&surface), true, NULL, err);
}
