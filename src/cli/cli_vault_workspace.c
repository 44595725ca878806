/* SPDX-License-Identifier: MIT */
/* stile vault workspace instantiate|derive|list|info|lineage (and template instantiate, which is
 * the first of these), stage list|show. */
#include "cli/cli_vault.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

struct values {
	struct vault_value *items; /* values are borrowed from the options */
	size_t len;
	struct strvec names;
};

static void values_release(struct values *values)
{
	free(values->items);
	strvec_release(&values->names);
}

static int read_values(const struct strvec *set, struct values *values, struct err *err)
{
	values->items = xcalloc(set->len + 1, sizeof(*values->items));
	for (size_t i = 0; i < set->len; i++) {
		const char *equals = strchr(set->items[i], '=');

		if (equals == NULL)
			return err_set(
			    err, ERR_USAGE, "--set wants KEY=VALUE, not \"%.40s\"", set->items[i]);
		strvec_take(
		    &values->names, xmemdupz(set->items[i], (size_t)(equals - set->items[i])));
		values->items[values->len++] =
		    (struct vault_value){ .name = values->names.items[i], .value = equals + 1 };
	}
	return 0;
}

/* ---- one workspace ---- */

static void show_parameters(struct buf *out, const char *json)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	bool is_first = true;

	if (json_read(&doc, json, strlen(json), &err) < 0)
		return;
	json_foreach_member (key, value, json_root(&doc)) {
		cli_line(out, "%-12s %s=%s", is_first ? "parameters" : "", key->str, value->str);
		is_first = false;
	}
}

static void show_origin(struct buf *out, const struct vault_workspace *workspace)
{
	if (workspace->is_derived)
		cli_line(out, "%-12s %s%s%s%s", "derived from",
		    workspace->parent != NULL ? workspace->parent_name : "not visible",
		    workspace->parent != NULL ? " (" : "",
		    workspace->parent != NULL ? workspace->parent : "",
		    workspace->parent != NULL ? ")" : "");
	if (workspace->template != NULL)
		cli_line(out, "%-12s %s version %" PRId64 " (%s)", "template",
		    workspace->template_name, workspace->template_version, workspace->template);
	else
		cli_field(out, "template", "not visible");
	show_parameters(out, workspace->parameters);
}

static void show_workspace(struct buf *out, const struct vault_workspace *workspace)
{
	const struct vault_entry *entry = &workspace->entry;

	if (entry->id == NULL) {
		cli_line(out, "not visible");
		return;
	}
	cli_field(out, "workspace", entry->name);
	cli_field(out, "id", entry->id);
	cli_field(out, "path", entry->path != NULL ? entry->path : "(purged)");
	cli_field(out, "your rank", vault_rank_name(entry->rank));
	show_origin(out, workspace);
	cli_field_time(out, "created", entry->created_us);
	cli_field(out, "created by", entry->created_by);
	cli_field_time(out, "in trash", entry->trashed_us);
}

/* What was made, as the result and as a line; it is released. */
static void tell_made(struct cli *cli, struct vault_workspace *workspace)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	vault_workspace_write(workspace, &w);
	cli_line(&cli->out, "made: %s (%s)", workspace->entry.path, workspace->entry.id);
	vault_workspace_release(workspace);
}

typedef int (*make_fn)(struct vault *vault, const struct cli *cli, const struct values *values,
    int64_t version, struct vault_workspace *ret, struct err *err);

static int instantiate(struct vault *vault, const struct cli *cli, const struct values *values,
    int64_t version, struct vault_workspace *ret, struct err *err)
{
	return vault_instantiate(vault, cli_word(cli, 0), version, cli_word(cli, 1), values->items,
	    values->len, ret, err);
}

static int derive(struct vault *vault, const struct cli *cli, const struct values *values,
    int64_t version, struct vault_workspace *ret, struct err *err)
{
	(void)version;
	return vault_derive(
	    vault, cli_word(cli, 0), cli_word(cli, 1), values->items, values->len, ret, err);
}

static int make(struct cli *cli, make_fn fn, struct err *err)
{
	cleanup_vault struct vault *vault = NULL;
	struct vault_workspace workspace = { 0 };
	struct values values = { 0 };
	int64_t version = 0;
	int result = cli_number("--version", cli->options.version, 1, INT64_MAX, 0, &version, err);

	if (result == 0)
		result = read_values(&cli->options.set, &values, err);
	if (result == 0) {
		vault = cli_vault_open(cli, err);
		result = vault == NULL ? -1 : fn(vault, cli, &values, version, &workspace, err);
	}
	if (result == 0)
		tell_made(cli, &workspace);
	values_release(&values);
	return result;
}

int cmd_vault_workspace_instantiate(struct cli *cli, struct err *err)
{
	return make(cli, instantiate, err);
}

int cmd_vault_workspace_derive(struct cli *cli, struct err *err)
{
	return make(cli, derive, err);
}

/* ---- looking at them ---- */

int cmd_vault_workspace_info(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	struct vault_workspace workspace = { 0 };

	if (vault == NULL || vault_workspace_info(vault, cli_word(cli, 0), &workspace, err) < 0)
		return -1;
	vault_workspace_write(&workspace, &w);
	show_workspace(&cli->out, &workspace);
	vault_workspace_release(&workspace);
	return 0;
}

static int workspace_row(void *ctx, const struct vault_workspace *workspace, struct err *err)
{
	struct cli_list *list = ctx;
	cleanup_free char *template =
	    workspace->template == NULL ? xstrdup("-")
					: xasprintf("%s version %" PRId64, workspace->template_name,
					      workspace->template_version);
	const char *cells[] = { workspace->entry.path, vault_rank_name(workspace->entry.rank),
		template, workspace->entry.id };

	(void)err;
	cli_table_row(&list->table, cells);
	vault_workspace_write(workspace, &list->w);
	return 0;
}

int cmd_vault_workspace_list(struct cli *cli, struct err *err)
{
	static const char *const heading[] = { "PATH", "RANK", "TEMPLATE", "ID" };
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct cli_list list = { 0 };

	if (vault == NULL)
		return -1;
	cli_list_begin(&list, cli, "workspaces", 4, heading);
	return cli_list_end(&list, vault_workspace_each(vault, workspace_row, &list, err));
}

struct lineage {
	struct json_writer w;
	struct buf text;
};

static int lineage_row(void *ctx, const struct vault_workspace *workspace, struct err *err)
{
	struct lineage *lineage = ctx;

	(void)err;
	if (lineage->text.len > 0)
		buf_addc(&lineage->text, '\n');
	show_workspace(&lineage->text, workspace);
	vault_workspace_write(workspace, &lineage->w);
	return 0;
}

int cmd_vault_workspace_lineage(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct lineage lineage = { .w = JSON_WRITER_INIT(&cli->result), .text = BUF_INIT };
	int result;

	if (vault == NULL)
		return -1;
	json_write_object_begin(&lineage.w);
	json_write_key(&lineage.w, "lineage");
	json_write_array_begin(&lineage.w);
	result = vault_lineage(vault, cli_word(cli, 0), lineage_row, &lineage, err);
	json_write_array_end(&lineage.w);
	json_write_object_end(&lineage.w);
	if (result == 0)
		buf_add(&cli->out, lineage.text.data, lineage.text.len);
	else
		buf_reset(&cli->result);
	buf_release(&lineage.text);
	return result;
}

/* ---- stages ---- */

static char *join(const struct strvec *names)
{
	cleanup_buf struct buf text = BUF_INIT;

	for (size_t i = 0; i < names->len; i++)
		buf_addf(&text, "%s%s", i > 0 ? ", " : "", names->items[i]);
	return buf_detach(&text);
}

static int stage_row(void *ctx, const struct vault_stage_info *stage, struct err *err)
{
	struct cli_list *list = ctx;
	char number[24];
	const char *cells[] = { stage->entry.name, vault_rank_name(stage->entry.rank), number,
		stage->entry.id };

	(void)err;
	(void)snprintf(number, sizeof(number), "%" PRId64, stage->contract_number);
	cli_table_row(&list->table, cells);
	vault_stage_write(stage, &list->w);
	return 0;
}

int cmd_vault_stage_list(struct cli *cli, struct err *err)
{
	static const char *const heading[] = { "STAGE", "RANK", "CONTRACT VERSION", "ID" };
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct cli_list list = { 0 };

	if (vault == NULL)
		return -1;
	cli_list_begin(&list, cli, "stages", 4, heading);
	return cli_list_end(
	    &list, vault_stage_each(vault, cli_word(cli, 0), stage_row, &list, err));
}

static void show_stage(struct buf *out, const struct vault_stage_info *stage)
{
	cleanup_free char *folders = join(&stage->folders);
	char size[CLI_SIZE_SIZE];

	cli_format_size(stage->bytes, size);
	cli_line(out, "%-12s %s (number %" PRId64 ")", "stage", stage->entry.name, stage->position);
	cli_field(out, "id", stage->entry.id);
	cli_field(out, "path", stage->entry.path);
	cli_field(out, "your rank", vault_rank_name(stage->entry.rank));
	cli_line(out, "%-12s %s/CONTEXT.md version %" PRId64 " (%s)", "contract", stage->entry.path,
	    stage->contract_number, stage->contract_version);
	cli_field(out, "folders", folders);
	cli_line(out, "%-12s %" PRId64 ", %s", "files", stage->files, size);
}

int cmd_vault_stage_show(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	struct vault_stage_info stage = { 0 };

	if (vault == NULL ||
	    vault_stage_show(vault, cli_word(cli, 0), cli_word(cli, 1), &stage, err) < 0)
		return -1;
	vault_stage_write(&stage, &w);
	show_stage(&cli->out, &stage);
	vault_stage_info_release(&stage);
	return 0;
}
