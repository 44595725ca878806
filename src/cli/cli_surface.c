/* SPDX-License-Identifier: MIT */
/* stile surface list|show|check|coverage|schema; cli_trust.c has trust. */
#include "cli/cli_internal.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dirs.h"
#include "base/limits.h"
#include "base/text.h"
#include "call/call.h"
#include "gate/gate.h"
#include "surface/surface.h"

/* A surface by name or path, loaded anew from its text, with what the loader says of it. */
struct source {
	const struct surface_builtin *builtin; /* or NULL: a file */
	struct buf text;
	char *path;              /* of the file; owned */
	struct surface *surface; /* NULL when it does not load */
};

static void source_release(struct source *source)
{
	surface_free(source->surface);
	buf_release(&source->text);
	free(source->path);
}

static int source_read(const char *word, struct source *source, struct err *err)
{
	source->text = BUF_INIT_MAX(LIMIT_YAML_BYTES);
	if (host_locate_surface(word, &source->builtin, &source->path, err) < 0)
		return -1;
	if (source->builtin == NULL)
		return dirs_read_file(source->path, &source->text, err);
	buf_add(&source->text, source->builtin->yaml, source->builtin->yaml_len);
	return 0;
}

static int source_load(
    const char *word, struct source *source, struct surface_notes *notes, struct err *err)
{
	if (source_read(word, source, err) < 0)
		return -1;
	source->surface =
	    surface_load(source->text.data, source->text.len, source->builtin != NULL, notes, err);
	return source->surface != NULL ? 0 : -1;
}

/* ---- list ---- */

struct listing {
	struct cli_table table;
	struct json_writer w;
	struct gate_trust trust;
	struct strvec paths; /* of the files that are listed by now, as trust names them */
};

static void list_row(struct listing *listing, const char *name, const struct surface *surface,
    const char *status, const char *where)
{
	char tools[24] = "-";
	const char *title = surface != NULL && surface->title != NULL ? surface->title : "";
	const char *cells[5];
	struct json_writer *w = &listing->w;

	if (surface != NULL)
		(void)snprintf(tools, sizeof(tools), "%zu", surface->tools_len);
	cells[0] = name;
	cells[1] = tools;
	cells[2] = status;
	cells[3] = title;
	cells[4] = where;
	cli_table_row(&listing->table, cells);
	json_write_object_begin(w);
	json_write_member_string(w, "name", name);
	json_write_member_int(w, "tools", surface != NULL ? (int64_t)surface->tools_len : 0);
	json_write_member_string(w, "status", status);
	json_write_member_string(w, "title", title);
	json_write_member_string(w, "path", *where != '\0' ? where : NULL);
	json_write_object_end(w);
}

static void list_builtins(struct listing *listing)
{
	for (const struct surface_builtin *builtin = surface_builtins; builtin->name != NULL;
	     builtin++) {
		cleanup_err struct err ignored = ERR_INIT;
		struct digest digest;
		struct surface *surface;

		memcpy(digest.bytes, builtin->digest, DIGEST_SIZE);
		surface =
		    surface_load_compiled(builtin->json, builtin->json_len, &digest, &ignored);
		list_row(listing, builtin->name, surface, "built in", "");
		surface_free(surface);
	}
}

static void list_file(struct listing *listing, const char *name, const char *path)
{
	cleanup_err struct err err = ERR_INIT;
	struct gate_trusted now = { 0 };
	struct surface *surface = host_describe_surface(path, &now, &err);
	const char *status = "trusted";

	if (surface == NULL)
		status = access(path, F_OK) < 0 ? "gone" : "malformed";
	else if (gate_trust_check(&listing->trust, &now, &err) < 0)
		status = "not trusted";
	list_row(listing, name, surface, status, path);
	strvec_push(&listing->paths, now.path != NULL ? now.path : path);
	gate_trusted_release(&now);
	surface_free(surface);
}

static int is_surface_file(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > strlen(".yaml") && entry->d_name[0] != '.' &&
	       strcmp(entry->d_name + len - strlen(".yaml"), ".yaml") == 0;
}

static void list_files(struct listing *listing, const char *data_dir)
{
	cleanup_free char *dir = xasprintf("%s/surfaces", data_dir);
	struct dirent **entries = NULL;
	int len = scandir(dir, &entries, is_surface_file, alphasort);

	for (int i = 0; i < len; i++) {
		const char *file = entries[i]->d_name;
		cleanup_free char *name = xmemdupz(file, strlen(file) - strlen(".yaml"));
		cleanup_free char *path = xasprintf("%s/%s", dir, file);

		list_file(listing, name, path);
		free(entries[i]);
	}
	free(entries);
}

/* What this host trusts in other places: nobody should have to look for that. */
static void list_trusted(struct listing *listing)
{
	for (size_t i = 0; i < listing->trust.len; i++) {
		const struct gate_trusted *entry = &listing->trust.items[i];

		if (!strvec_contains(&listing->paths, entry->path))
			list_file(listing, entry->surface, entry->path);
	}
}

int cmd_surface_list(struct cli *cli, struct err *err)
{
	static const char *const heading[] = { "NAME", "TOOLS", "STATUS", "TITLE", "FILE" };
	cleanup_free char *data_dir = dirs_data(err);
	struct listing listing = {
		.table = { .columns = ARRAY_LEN(heading) },
		.w = JSON_WRITER_INIT(&cli->result),
	};

	if (data_dir == NULL || gate_trust_load(data_dir, &listing.trust, err) < 0)
		return -1;
	json_write_object_begin(&listing.w);
	json_write_key(&listing.w, "surfaces");
	json_write_array_begin(&listing.w);
	cli_table_row(&listing.table, heading);
	list_builtins(&listing);
	list_files(&listing, data_dir);
	list_trusted(&listing);
	json_write_array_end(&listing.w);
	json_write_object_end(&listing.w);
	cli_table_write(&listing.table, &cli->out);
	cli_table_release(&listing.table);
	gate_trust_release(&listing.trust);
	strvec_release(&listing.paths);
	return 0;
}

/* ---- show ---- */

/* A text or list of texts as one line; what people read of the summary. */
static void show_value(struct buf *out, const struct json *value)
{
	const char *between = "";

	if (!json_is(value, JSON_ARRAY)) {
		const char *text = json_text(value);

		if (text != NULL)
			text_add_visible(out, text, strlen(text));
		else
			buf_add(out, value->raw, value->raw_len);
		return;
	}
	json_foreach (item, value) {
		buf_adds(out, between);
		show_value(out, item);
		between = " ";
	}
}

static const char *cell_of(const struct json *tool, const char *name)
{
	const char *text = json_text(json_get(tool, name));

	return text != NULL ? text : "";
}

static void show_tools(struct buf *out, const struct json *tools)
{
	static const char *const heading[] = { "TOOL", "EFFECT", "RANK", "NOTES" };
	struct cli_table table = { .columns = ARRAY_LEN(heading) };

	cli_table_row(&table, heading);
	json_foreach (tool, tools) {
		cleanup_buf struct buf notes = BUF_INIT;
		const struct json *list = json_get(tool, "notes");
		const char *cells[4];

		if (list != NULL)
			show_value(&notes, list);
		cells[0] = cell_of(tool, "name");
		cells[1] = cell_of(tool, "effect");
		cells[2] = cell_of(tool, "rank");
		cells[3] = notes.data;
		cli_table_row(&table, cells);
	}
	buf_addc(out, '\n');
	cli_table_write(&table, out);
	cli_table_release(&table);
}

static void show_resources(struct buf *out, const struct json *resources)
{
	static const char *const heading[] = { "RESOURCE", "NAME", "TYPE", "TOOL" };
	struct cli_table table = { .columns = ARRAY_LEN(heading) };

	cli_table_row(&table, heading);
	json_foreach (resource, resources) {
		const char *cells[] = { cell_of(resource, "uri"), cell_of(resource, "name"),
			cell_of(resource, "mime"), cell_of(resource, "tool") };

		cli_table_row(&table, cells);
	}
	buf_addc(out, '\n');
	cli_table_write(&table, out);
	cli_table_release(&table);
}

/* The summary's scalars as lines, its tools and resources as tables. */
static void show_summary(struct buf *out, const struct json *summary)
{
	const struct json *resources = json_get(summary, "resources");

	json_foreach_member (key, value, summary) {
		if (json_is_text(key, "tools") || json_is_text(key, "resources"))
			continue;
		buf_addf(out, "%-16s ", key->str);
		show_value(out, value);
		buf_addc(out, '\n');
	}
	show_tools(out, json_get(summary, "tools"));
	if (resources != NULL)
		show_resources(out, resources);
}

int cli_summarise_surface(
    const struct surface *surface, struct buf *ret_json, struct buf *ret_text, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	struct json_writer w = JSON_WRITER_INIT(ret_json);

	surface_write_summary(surface, &w);
	if (json_read(&doc, ret_json->data, ret_json->len, err) < 0)
		return -1;
	show_summary(ret_text, json_root(&doc));
	return 0;
}

int cmd_surface_show(struct cli *cli, struct err *err)
{
	struct source source = { 0 };
	int result = source_load(cli->options.words.items[0], &source, NULL, err);

	if (result == 0)
		result = cli_summarise_surface(source.surface, &cli->result, &cli->out, err);
	source_release(&source);
	return result;
}

/* ---- check ---- */

static const char *const level_names[] = {
	[SURFACE_NOTE_ERROR] = "error",
	[SURFACE_NOTE_WARNING] = "warning",
	[SURFACE_NOTE_INFO] = "note",
};

static void write_note(struct cli *cli, struct json_writer *w, const struct surface_note *note)
{
	if (note->line > 0)
		buf_addf(&cli->out, "%u:%u: ", note->line, note->column);
	buf_addf(&cli->out, "%s: ", level_names[note->level]);
	if (note->path != NULL && *note->path != '\0')
		buf_addf(&cli->out, "%s: ", note->path);
	text_add_visible(&cli->out, note->text, strlen(note->text));
	buf_addc(&cli->out, '\n');
	json_write_object_begin(w);
	json_write_member_string(w, "level", level_names[note->level]);
	json_write_member_int(w, "line", note->line);
	json_write_member_int(w, "column", note->column);
	json_write_member_string(w, "path", note->path);
	json_write_member_string(w, "text", note->text);
	json_write_object_end(w);
}

/* All findings, in order; returns how many are errors. */
static size_t write_notes(struct cli *cli, struct json_writer *w, const struct surface_notes *notes)
{
	size_t errors = 0;

	json_write_key(w, "notes");
	json_write_array_begin(w);
	for (size_t i = 0; i < notes->len; i++) {
		write_note(cli, w, &notes->items[i]);
		errors += notes->items[i].level == SURFACE_NOTE_ERROR;
	}
	json_write_array_end(w);
	return errors;
}

/* Those of the file, without the ones that stile makes for its plans, which stand behind them. */
static size_t count_own_tools(const struct surface *surface)
{
	size_t n = 0;

	while (n < surface->tools_len && !surface->tools[n].is_engine)
		n++;
	return n;
}

/* "files: proved safe: 2 tools, 1 resources, 3 examples" */
static void write_proved(struct buf *out, const struct surface *surface, size_t examples)
{
	size_t own = count_own_tools(surface);

	buf_addf(out, "%s: proved safe: %zu tools, ", surface->name, own);
	if (own < surface->tools_len)
		buf_addf(out, "%zu made for plans, ", surface->tools_len - own);
	if (surface->resources_len > 0)
		buf_addf(out, "%zu resources, ", surface->resources_len);
	buf_addf(out, "%zu examples\n", examples);
}

int cmd_surface_check(struct cli *cli, struct err *err)
{
	const char *word = cli->options.words.items[0];
	cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	struct source source = { 0 };
	size_t failed = 0;
	size_t examples = 0;
	size_t errors;

	if (source_load(word, &source, &notes, err) < 0 && notes.len == 0) {
		source_release(&source);
		return -1;
	}
	err_release(err);
	if (source.surface != NULL)
		examples = surface_run_examples(source.surface, &notes, &failed);
	json_write_object_begin(&w);
	errors = write_notes(cli, &w, &notes);
	json_write_member_int(
	    &w, "tools", source.surface != NULL ? (int64_t)count_own_tools(source.surface) : 0);
	json_write_member_int(
	    &w, "resources", source.surface != NULL ? (int64_t)source.surface->resources_len : 0);
	json_write_member_int(&w, "examples", (int64_t)examples);
	json_write_member_int(&w, "failed", (int64_t)failed);
	json_write_object_end(&w);
	if (source.surface != NULL && errors == 0 && failed == 0)
		write_proved(&cli->out, source.surface, examples);
	source_release(&source);
	if (errors == 0 && failed == 0)
		return 0;
	return err_set(err, ERR_CHECK_FAILED, "%s: %zu errors, %zu of %zu examples failed", word,
	    errors, failed, examples);
}

/* ---- coverage ---- */

/* The parity table as text; returns how many commands are neither tool nor left out. */
static size_t show_coverage(struct buf *out, const struct json *coverage)
{
	static const char *const heading[] = { "COMMAND", "TOOL", "LEFT OUT, BECAUSE" };
	struct cli_table table = { .columns = ARRAY_LEN(heading) };
	const struct json *missing = json_get(coverage, "missing");

	cli_table_row(&table, heading);
	json_foreach (row, json_get(coverage, "commands")) {
		const char *cells[3];

		cells[0] = cell_of(row, "command");
		cells[1] = cell_of(row, "tool");
		cells[2] = cell_of(row, "left_out");
		cli_table_row(&table, cells);
	}
	if (missing != NULL) {
		json_foreach (command, missing) {
			const char *cells[] = { json_text(command), "-", "MISSING" };

			cli_table_row(&table, cells);
		}
	}
	cli_table_write(&table, out);
	cli_table_release(&table);
	return missing != NULL ? missing->len : 0;
}

int cmd_surface_coverage(struct cli *cli, struct err *err)
{
	cleanup_buf struct buf tree = BUF_INIT_MAX(LIMIT_YAML_BYTES);
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	struct source source = { 0 };
	size_t missing;

	if ((cli->options.tree != NULL && dirs_read_file(cli->options.tree, &tree, err) < 0) ||
	    source_load(cli->options.words.items[0], &source, NULL, err) < 0) {
		source_release(&source);
		return -1;
	}
	surface_write_coverage(source.surface, cli->options.tree != NULL ? tree.data : NULL, &w);
	source_release(&source);
	if (json_read(&doc, cli->result.data, cli->result.len, err) < 0)
		return -1;
	missing = show_coverage(&cli->out, json_root(&doc));
	if (missing > 0)
		return err_set(
		    err, ERR_CHECK_FAILED, "%zu commands are neither a tool nor left out", missing);
	return 0;
}

/* ---- schema ---- */

int cmd_surface_schema(struct cli *cli, struct err *err)
{
	const char *schema = surface_format_schema();

	(void)err;
	buf_adds(&cli->out, schema);
	buf_adds(&cli->result, schema);
	return 0;
}
