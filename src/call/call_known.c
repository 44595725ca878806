/* SPDX-License-Identifier: MIT */
/*
 * Every tool that this host knows, so that a contract means the same under all launch flags. Apart
 * from serving, because nothing is compiled here that only a call needs: a decision about a stage
 * takes no longer because of it. The names of built-in tools are a table of the build; the file of a
 * surface that is trusted as it is was proved when it was trusted, and is only read.
 */
#include "call/call_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/dirs.h"
#include "base/limits.h"
#include "base/yaml.h"

/* A trusted file. */
struct known_file {
	char *path;
	char *json; /* what surface borrows its texts from */
	struct surface *surface;
};

static void known_file_release(struct known_file *file)
{
	surface_free(file->surface);
	free(file->json);
	free(file->path);
}

struct known_tools {
	char *data_dir;
	bool has_files; /* they were looked at */
	struct known_file *files;
	size_t files_len;
	size_t files_cap;
};

struct known_tools *known_tools_new(struct err *err)
{
	char *data_dir = dirs_data(err);
	struct known_tools *known;

	if (data_dir == NULL)
		return NULL;
	known = xcalloc(1, sizeof(*known));
	known->data_dir = data_dir;
	return known;
}

void known_tools_free(struct known_tools *known)
{
	if (known == NULL)
		return;
	for (size_t i = 0; i < known->files_len; i++)
		known_file_release(&known->files[i]);
	free(known->files);
	free(known->data_dir);
	free(known);
}

/* ---- files ---- */

/* The surface of text, whose bytes a person trusted; that they are no surface all the same is
 * possible, after a change of this program. */
static bool load_trusted(
    const struct buf *text, const struct digest *digest, struct known_file *file)
{
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_err struct err ignored = ERR_INIT;
	size_t len;

	if (yaml_read(text->data, text->len, &yaml_limits_file, &json, NULL, &ignored) < 0)
		return false;
	len = json.len;
	file->json = buf_detach(&json);
	file->surface = surface_load_compiled(file->json, len, digest, &ignored);
	return file->surface != NULL;
}

/* Loads then's file if all is as it was, the program too: the very file, for what $PATH finds is not the
 * same for a person, a server and the server's children. */
static bool load_file(
    const struct gate_trust *trust, const struct gate_trusted *then, struct known_file *file)
{
	cleanup_buf struct buf text = BUF_INIT_MAX(LIMIT_YAML_BYTES);
	cleanup_err struct err ignored = ERR_INIT;
	struct gate_trusted now = { 0 };
	const char *program;
	bool is_trusted;

	file->path = realpath(then->path, NULL);
	if (file->path == NULL || dirs_read_file(file->path, &text, &ignored) < 0)
		return false;
	now.digest = digest_of(text.data, text.len);
	if (!digest_equal(&now.digest, &then->digest) || !load_trusted(&text, &now.digest, file))
		return false;
	now.surface = xstrdup(file->surface->name);
	now.path = xstrdup(file->path);
	program = then->program != NULL ? then->program : file->surface->program.run;
	is_trusted = host_describe_program(program, &now, &ignored) == 0 &&
		     gate_trust_check(trust, &now, &ignored) == 0;
	gate_trusted_release(&now);
	return is_trusted;
}

static void take_file(
    struct known_tools *known, const struct gate_trust *trust, const struct gate_trusted *then)
{
	struct known_file file = { 0 };

	if (!load_file(trust, then, &file)) {
		known_file_release(&file);
		return;
	}
	ARRAY_GROW(known->files, known->files_len, known->files_cap);
	known->files[known->files_len++] = file;
}

/* A trust.yaml that cannot be read trusts nothing. */
static void look_at_files(struct known_tools *known)
{
	cleanup_gate_trust struct gate_trust trust = GATE_TRUST_INIT;
	cleanup_err struct err ignored = ERR_INIT;

	if (known->has_files)
		return;
	known->has_files = true;
	if (gate_trust_load(known->data_dir, &trust, &ignored) < 0)
		return;
	for (size_t i = 0; i < trust.len; i++)
		take_file(known, &trust, &trust.items[i]);
}

/* ---- names ---- */

static bool is_builtin_tool(const char *name)
{
	for (const struct surface_builtin *at = surface_builtins; at->name != NULL; at++) {
		for (size_t i = 0; i < at->tools_len; i++) {
			if (strcmp(at->tools[i].name, name) == 0)
				return true;
		}
	}
	return false;
}

bool known_tools_have(void *ctx, const char *name)
{
	struct known_tools *known = ctx;

	if (is_builtin_tool(name))
		return true;
	look_at_files(known);
	for (size_t i = 0; i < known->files_len; i++) {
		if (surface_find_tool(known->files[i].surface, name) != NULL)
			return true;
	}
	return false;
}

/* ---- all of them ---- */

static void each_builtin(const struct surface_builtin *builtin, known_tool_fn fn, void *ctx)
{
	for (size_t i = 0; i < builtin->tools_len; i++) {
		const struct surface_builtin_entry *entry = &builtin->tools[i];
		const struct gate_tool tool = {
			.surface = builtin->name,
			.name = entry->name,
			.rank = call_gate_rank(entry->rank),
			.is_hidden = entry->is_hidden,
			.is_discovery = entry->is_discovery,
			.is_scoped = builtin->is_scoped,
			.executes_any = entry->executes_any,
		};

		fn(ctx, &tool);
	}
}

static void each_of_file(const struct known_file *file, known_tool_fn fn, void *ctx)
{
	for (size_t i = 0; i < file->surface->tools_len; i++) {
		const struct gate_tool tool = call_gate_tool(&file->surface->tools[i]);

		fn(ctx, &tool);
	}
}

static void each_of_all(struct known_tools *known, known_tool_fn fn, void *ctx)
{
	look_at_files(known);
	for (const struct surface_builtin *at = surface_builtins; at->name != NULL; at++)
		each_builtin(at, fn, ctx);
	for (size_t i = 0; i < known->files_len; i++)
		each_of_file(&known->files[i], fn, ctx);
}

static void each_of_path(struct known_tools *known, const char *path, known_tool_fn fn, void *ctx)
{
	look_at_files(known);
	for (size_t i = 0; i < known->files_len; i++) {
		if (strcmp(known->files[i].path, path) == 0)
			each_of_file(&known->files[i], fn, ctx);
	}
}

/* Is the surface new among those that earlier words named? */
static bool is_first(
    const struct strvec *seen, const struct surface_builtin *builtin, const char *path)
{
	return !strvec_contains(seen, builtin != NULL ? builtin->name : path);
}

static int each_of_word(struct known_tools *known, const char *word, struct strvec *seen,
    known_tool_fn fn, void *ctx, struct err *err)
{
	const struct surface_builtin *builtin = NULL;
	cleanup_free char *path = NULL;

	if (host_locate_surface(word, &builtin, &path, err) < 0) {
		if (err->code != ERR_NOT_FOUND || strchr(word, '/') == NULL)
			return -1;
		err_release(err);
		return 0;
	}
	if (!is_first(seen, builtin, path))
		return 0;
	strvec_push(seen, builtin != NULL ? builtin->name : path);
	if (builtin != NULL)
		each_builtin(builtin, fn, ctx);
	else
		each_of_path(known, path, fn, ctx);
	return 0;
}

int known_tools_each(struct known_tools *known, const struct strvec *words, known_tool_fn fn,
    void *ctx, struct err *err)
{
	cleanup_strvec struct strvec seen = STRVEC_INIT;

	if (words->len == 0)
		each_of_all(known, fn, ctx);
	for (size_t i = 0; i < words->len; i++) {
		if (each_of_word(known, words->items[i], &seen, fn, ctx, err) < 0)
			return -1;
	}
	return 0;
}
