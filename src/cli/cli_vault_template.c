/* SPDX-License-Identifier: MIT */
/* stile vault template create|publish|list|show. */
#include "cli/cli_vault.h"

#include <inttypes.h>
#include <stdio.h>

int cmd_vault_template_create(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	struct vault_template template = { 0 };

	if (vault == NULL ||
	    vault_template_create(vault, cli_word(cli, 0), cli->options.name, &template, err) < 0)
		return -1;
	vault_template_write(&template, &w);
	cli_line(&cli->out, "a template now: %s, %s (%s); next: stile vault template publish %s",
	    template.path, template.name, template.id, template.name);
	vault_template_release(&template);
	return 0;
}

/* ---- versions ---- */

static void show_parameters(struct buf *out, const struct vault_template_version *version)
{
	for (size_t i = 0; i < version->parameters_len; i++) {
		const struct vault_parameter *parameter = &version->parameters[i];

		cli_line(out, "%-12s %s%s%s%s%s%s%s", i == 0 ? "parameters" : "", parameter->name,
		    parameter->description != NULL ? ": " : "",
		    parameter->description != NULL ? parameter->description : "",
		    parameter->fallback != NULL ? "; by default " : "; required",
		    parameter->fallback != NULL ? parameter->fallback : "",
		    parameter->pattern != NULL ? "; must be " : "",
		    parameter->pattern != NULL ? parameter->pattern : "");
	}
}

static void show_version(struct buf *out, const struct vault_template_version *version)
{
	char size[CLI_SIZE_SIZE];

	if (version->number == 0) {
		cli_field(out, "version", "none is published yet");
		return;
	}
	cli_format_size(version->bytes, size);
	cli_line(out, "%-12s %" PRId64, "version", version->number);
	cli_field(out, "description", version->description);
	cli_field(out, "message", version->message);
	cli_field(out, "published by", version->author_name);
	cli_field_time(out, "published", version->created_us);
	show_parameters(out, version);
	cli_line(out, "%-12s %" PRId64 " folders, %" PRId64 " files, %s", "holds", version->folders,
	    version->files, size);
}

int cmd_vault_template_publish(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	struct vault_template_version version = { 0 };

	if (vault == NULL || vault_template_publish(
				 vault, cli_word(cli, 0), cli->options.message, &version, err) < 0)
		return -1;
	vault_template_version_write(&version, &w);
	show_version(&cli->out, &version);
	vault_template_version_release(&version);
	return 0;
}

/* ---- list ---- */

static int template_row(void *ctx, const struct vault_template *template, struct err *err)
{
	struct cli_list *list = ctx;
	char number[24] = "-";
	const char *cells[] = { template->name, number,
		template->path != NULL ? template->path : "(purged)", template->id,
		template->description != NULL ? template->description : "" };

	(void)err;
	if (template->version > 0)
		(void)snprintf(number, sizeof(number), "%" PRId64, template->version);
	cli_table_row(&list->table, cells);
	vault_template_write(template, &list->w);
	return 0;
}

int cmd_vault_template_list(struct cli *cli, struct err *err)
{
	static const char *const heading[] = { "NAME", "VERSION", "FOLDER", "ID", "DESCRIPTION" };
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct cli_list list = { 0 };

	if (vault == NULL)
		return -1;
	cli_list_begin(&list, cli, "templates", 5, heading);
	return cli_list_end(&list, vault_template_each(vault, template_row, &list, err));
}

/* ---- show ---- */

struct items {
	struct buf json; /* the array */
	struct json_writer w;
	struct buf text;
};

static int item_row(void *ctx, const struct vault_template_item *item, struct err *err)
{
	struct items *items = ctx;

	(void)err;
	vault_template_item_write(item, &items->w);
	cli_line(&items->text, "  %s%s%s", item->path, item->is_file ? "" : "/",
	    item->has_holes ? "  (has holes)" : "");
	return 0;
}

static void show_template(struct cli *cli, const struct vault_template *template,
    const struct vault_template_version *version, const struct items *items)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	json_write_object_begin(&w);
	json_write_key(&w, "template");
	vault_template_write(template, &w);
	json_write_key(&w, "version");
	if (version->number > 0)
		vault_template_version_write(version, &w);
	else
		json_write_null(&w);
	json_write_member_raw(&w, "items", items->json.data);
	json_write_object_end(&w);
	cli_field(&cli->out, "name", template->name);
	cli_field(&cli->out, "id", template->id);
	cli_field(&cli->out, "folder", template->path != NULL ? template->path : "(purged)");
	cli_field_time(&cli->out, "in trash", template->trashed_us);
	cli_field(&cli->out, "your rank", vault_rank_name(template->rank));
	show_version(&cli->out, version);
	buf_add(&cli->out, items->text.data, items->text.len);
}

static int show(
    struct cli *cli, struct vault *vault, int64_t number, struct items *items, struct err *err)
{
	struct vault_template template = { 0 };
	struct vault_template_version version = { 0 };
	int result;

	json_write_array_begin(&items->w);
	result = vault_template_info(
	    vault, cli_word(cli, 0), number, item_row, items, &template, &version, err);
	json_write_array_end(&items->w);
	if (result == 0)
		show_template(cli, &template, &version, items);
	vault_template_release(&template);
	vault_template_version_release(&version);
	return result;
}

int cmd_vault_template_show(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = NULL;
	struct items items = { .json = BUF_INIT, .text = BUF_INIT };
	int64_t number = 0;
	int result;

	if (cli_number("--version", cli->options.version, 1, INT64_MAX, 0, &number, err) < 0)
		return -1;
	vault = cli_vault_open(cli, err);
	if (vault == NULL)
		return -1;
	items.w = JSON_WRITER_INIT(&items.json);
	result = show(cli, vault, number, &items, err);
	buf_release(&items.json);
	buf_release(&items.text);
	return result;
}
