/* SPDX-License-Identifier: MIT */
/* stile operation list|status: what was run, and how it ended. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli_records.h"
#include "cli/cli_vault.h"

#define DEFAULT_ROWS 20

struct operation_list {
	struct cli_table table;
	struct json_writer w;
	int64_t count;
};

/* "failed (interrupted)" */
static void format_status(const struct operation *operation, char *ret_text, size_t size)
{
	const char *inner = operation->internal_status;

	(void)snprintf(ret_text, size, "%s%s%s%s", operation_status_name(operation->status),
	    inner != NULL ? " (" : "", inner != NULL ? inner : "", inner != NULL ? ")" : "");
}

static int add_row(void *ctx, const struct operation *operation, struct err *err)
{
	struct operation_list *list = ctx;
	char time[CLI_TIME_SIZE];
	char status[64];
	const char *cells[] = { operation->id, status, time, operation->tool, operation->target,
		operation->plan_id != NULL ? operation->plan_id : "-" };

	(void)err;
	format_status(operation, status, sizeof(status));
	cli_format_time(operation->created_us, time);
	cli_table_row(&list->table, cells);
	operation_write(operation, &list->w);
	list->count++;
	return 0;
}

/* The one surface that was named, or NULL. */
static int one_surface(const struct cli *cli, const char **ret_surface, struct err *err)
{
	if (cli->options.surfaces.len > 1)
		return err_set(err, ERR_USAGE, "--surface is given twice");
	*ret_surface = cli->options.surfaces.len == 1 ? cli->options.surfaces.items[0] : NULL;
	return 0;
}

int cmd_operation_list(struct cli *cli, struct err *err)
{
	static const char *const heading[] = { "OPERATION", "STATUS", "BEGUN (UTC)", "TOOL",
		"TARGET", "PLAN" };
	cleanup_cli_desk struct cli_desk desk = CLI_DESK_INIT;
	struct operation_list list = { .table = { .columns = ARRAY_LEN(heading) },
		.w = JSON_WRITER_INIT(&cli->result) };
	struct record_list found = { 0 };
	const char *surface = NULL;
	int64_t limit = 0;
	int result;

	if (one_surface(cli, &surface, err) < 0 ||
	    cli_desk_limit(cli, DEFAULT_ROWS, &limit, err) < 0 || cli_desk_open(&desk, err) < 0)
		return -1;
	cli_table_row(&list.table, heading);
	json_write_object_begin(&list.w);
	json_write_key(&list.w, "operations");
	json_write_array_begin(&list.w);
	result = records_operation_each(desk.records, surface, limit, add_row, &list, &found, err);
	if (result == 0)
		cli_table_write(&list.table, &cli->out);
	cli_table_release(&list.table);
	cli_list_ends(cli, &list.w, list.count, &found, "operations");
	if (result < 0)
		buf_reset(&cli->result);
	return result;
}

static void show_end(struct buf *out, const struct operation *operation)
{
	if (operation->result != NULL) {
		cleanup_buf struct buf pretty = BUF_INIT;

		json_add_pretty(&pretty, operation->result, strlen(operation->result));
		cli_field(out, "result", "");
		(void)text_add_clean(out, pretty.data, pretty.len);
		buf_addc(out, '\n');
	}
	if (operation->error_code != NULL)
		cli_line(out, "%-12s %s: %s", "error", operation->error_code,
		    operation->error_message != NULL ? operation->error_message : "");
}

static void show_operation(struct buf *out, const struct operation *operation)
{
	char status[64];

	format_status(operation, status, sizeof(status));
	cli_field(out, "operation", operation->id);
	cli_field(out, "status", status);
	cli_field(out, "surface", operation->surface);
	cli_field(out, "tool", operation->tool);
	cli_field(out, "target", operation->target);
	cli_field(out, "plan", operation->plan_id);
	cli_field(out, "decision", operation->decision_id);
	cli_field(out, "approval", operation->approval_id);
	cli_field(out, "deployment", operation->deployment_id);
	cli_field(out, "asked by", operation->actor_type);
	cli_field_time(out, "begun", operation->created_us);
	cli_field_time(out, "started", operation->started_us);
	cli_field_time(out, "ended", operation->finished_us);
	cli_field(out, "progress", operation->progress);
	show_end(out, operation);
}

/* Of another surface than --surface names: as if it were not there. */
static int check_surface(const struct cli *cli, const struct operation *operation, struct err *err)
{
	const struct strvec *surfaces = &cli->options.surfaces;

	if (surfaces->len == 0 || strvec_contains(surfaces, operation->surface))
		return 0;
	return err_set(err, ERR_NOT_FOUND, "there is no operation %s", cli_word(cli, 0));
}

int cmd_operation_status(struct cli *cli, struct err *err)
{
	cleanup_cli_desk struct cli_desk desk = CLI_DESK_INIT;
	cleanup_operation struct operation operation = OPERATION_INIT;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	if (cli_desk_open(&desk, err) < 0 ||
	    records_operation_load(desk.records, cli_word(cli, 0), &operation, err) < 0 ||
	    check_surface(cli, &operation, err) < 0)
		return -1;
	memcpy(cli->operation, operation.id, sizeof(operation.id));
	operation_write(&operation, &w);
	show_operation(&cli->out, &operation);
	return 0;
}
