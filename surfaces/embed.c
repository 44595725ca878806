/* SPDX-License-Identifier: MIT */
/*
 * stile-embed OUT.c PLAN.yaml FILE.yaml…: loads, proves and tries each built-in surface at build time
 * and writes one C file: PLAN, the template of the engine's tools, and the table of the others: the
 * JSON form that is served, the YAML as a person wrote it, its digest, and the names of its tools. A
 * file with an error, or with an example that fails, fails the build.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/yaml.h"
#include "literal.h"
#include "surface/surface.h"

/* The core asks for a table; here there is none yet. */
const struct surface_builtin surface_builtins[] = { { .name = NULL } };

/* The template, filled before a surface that may need it is loaded. */
static struct buf template = BUF_INIT;

const char *surface_plan_template(size_t *ret_len)
{
	*ret_len = template.len;
	return template.data;
}

static void print_notes(const char *path, const struct surface_notes *notes)
{
	static const char *const levels[] = {
		[SURFACE_NOTE_ERROR] = "error",
		[SURFACE_NOTE_WARNING] = "warning",
		[SURFACE_NOTE_INFO] = "info",
	};

	for (size_t i = 0; i < notes->len; i++) {
		const struct surface_note *note = &notes->items[i];

		if (note->level != SURFACE_NOTE_INFO)
			(void)fprintf(stderr, "%s:%u:%u: %s: %s: %s\n", path, note->line,
			    note->column, levels[note->level], note->path, note->text);
	}
}

/* The surface, proved and tried; NULL when something is wrong with it. */
static struct surface *load(const char *path, const char *yaml, size_t len)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;
	struct surface *surface = surface_load(yaml, len, true, &notes, &err);
	size_t failed = 0;

	if (surface != NULL)
		(void)surface_run_examples(surface, &notes, &failed);
	print_notes(path, &notes);
	if (surface != NULL && failed == 0)
		return surface;
	surface_free(surface);
	return NULL;
}

/* What will be served must load as well. */
static bool is_loadable(const struct buf *json, const struct digest *digest)
{
	cleanup_err struct err err = ERR_INIT;
	struct surface *surface = surface_load_compiled(json->data, json->len, digest, &err);

	if (surface == NULL)
		(void)fprintf(stderr, "stile-embed: %s\n", err.message);
	surface_free(surface);
	return surface != NULL;
}

/* The tools of the surface, which its row points at. */
static void write_entries(FILE *out, const struct surface *surface)
{
	(void)fprintf(out, "\t.tools = (const struct surface_builtin_entry[]){\n");
	for (size_t i = 0; i < surface->tools_len; i++) {
		const struct tool *tool = &surface->tools[i];

		(void)fprintf(out, "\t\t{ \"%s\", %d, %d, %d, %d },\n", tool->name, (int)tool->rank,
		    tool->is_hidden || surface_wants_plan(tool), tool->is_discovery,
		    tool->executes_any);
	}
	(void)fprintf(out, "\t},\n\t.tools_len = %zu,\n", surface->tools_len);
}

static void write_template(FILE *out)
{
	(void)fputs("const char *surface_plan_template(size_t *ret_len)\n{\n"
		    "\tstatic const char text[] =\n",
	    out);
	literal_write(out, template.data, template.len);
	(void)fprintf(out, ";\n\n\t*ret_len = %zu;\n\treturn text;\n}\n\n", template.len);
}

static void write_row(FILE *out, const struct surface *surface, const struct buf *json,
    const char *yaml, size_t yaml_len)
{
	(void)fprintf(
	    out, "\t{ .name = \"%s\",\n\t.is_scoped = %d,\n", surface->name, surface->is_scoped);
	write_entries(out, surface);
	(void)fprintf(out, "\t.json =\n");
	literal_write(out, json->data, json->len);
	(void)fprintf(out, ",\n\t.json_len = %zu,\n\t.yaml =\n", json->len);
	literal_write(out, yaml, yaml_len);
	(void)fprintf(out, ",\n\t.yaml_len = %zu,\n\t.digest = {", yaml_len);
	for (size_t i = 0; i < DIGEST_SIZE; i++)
		(void)fprintf(out, "%s 0x%02x", i > 0 ? "," : "", surface->digest.bytes[i]);
	(void)fputs(" } },\n", out);
}

static void write_tools(struct json_writer *w, const struct json *tools)
{
	json_write_array_begin(w);
	json_foreach (tool, tools) {
		json_write_object_begin(w);
		json_foreach_member (key, value, tool) {
			if (json_is_text(key, "examples"))
				continue;
			json_write_key_len(w, key->str, key->len);
			json_write_node(w, value);
		}
		json_write_object_end(w);
	}
	json_write_array_end(w);
}

/* The JSON form without what only people and checks read: examples and left_out. */
static int compact(const struct buf *json, struct buf *ret_json, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	struct json_writer w = JSON_WRITER_INIT(ret_json);

	if (json_read(&doc, json->data, json->len, err) < 0)
		return -1;
	json_write_object_begin(&w);
	json_foreach_member (key, value, json_root(&doc)) {
		if (json_is_text(key, "left_out"))
			continue;
		json_write_key_len(&w, key->str, key->len);
		if (json_is_text(key, "tools"))
			write_tools(&w, value);
		else
			json_write_node(&w, value);
	}
	json_write_object_end(&w);
	return 0;
}

/* The compiled form of what stands in path; NULL when something is wrong with it. */
static struct surface *compile(const char *path, const char *yaml, size_t len, struct buf *ret_json)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf whole = BUF_INIT;
	struct surface *surface = load(path, yaml, len);

	if (surface != NULL && yaml_read(yaml, len, &yaml_limits_file, &whole, NULL, &err) == 0 &&
	    compact(&whole, ret_json, &err) == 0 && is_loadable(ret_json, &surface->digest))
		return surface;
	surface_free(surface);
	return NULL;
}

static int embed(FILE *out, const char *path)
{
	cleanup_buf struct buf json = BUF_INIT;
	size_t len = 0;
	cleanup_free char *yaml = literal_read(path, &len);
	struct surface *surface = yaml != NULL ? compile(path, yaml, len, &json) : NULL;

	if (surface == NULL)
		return -1;
	write_row(out, surface, &json, yaml, len);
	surface_free(surface);
	return 0;
}

static int embed_template(FILE *out, const char *path)
{
	size_t len = 0;
	cleanup_free char *yaml = literal_read(path, &len);
	struct surface *surface = yaml != NULL ? compile(path, yaml, len, &template) : NULL;

	if (surface == NULL)
		return -1;
	surface_free(surface);
	write_template(out);
	return 0;
}

int main(int argc, char **argv)
{
	FILE *out = argc >= 2 ? fopen(argv[1], "w") : NULL;
	int result = 0;

	if (out == NULL || argc < 3) {
		(void)fprintf(stderr, "usage: stile-embed OUT.c PLAN.yaml FILE.yaml...\n");
		return 2;
	}
	(void)fputs("#include \"surface/surface.h\"\n\n", out);
	result = embed_template(out, argv[2]);
	(void)fputs("const struct surface_builtin surface_builtins[] = {\n", out);
	for (int i = 3; i < argc; i++)
		result |= embed(out, argv[i]);
	(void)fputs("\t{ .name = NULL },\n};\n", out);
	if (fclose(out) != 0 || result != 0) {
		(void)remove(argv[1]);
		return 1;
	}
	return 0;
}
