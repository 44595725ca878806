/* SPDX-License-Identifier: MIT */
/* stile plan show|list|diff: plans as they are stored, and whether one can be applied now. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli_plans.h"
#include "cli/cli_vault.h"

/* ---- a plan for people ---- */

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
			    "_./:=@%+,-";

/* A word as it stands, or in JSON's quotes where one could not see where it ends. */
static void add_word(struct buf *line, const char *word)
{
	if (word[0] != '\0' && word[strspn(word, plain)] == '\0')
		buf_adds(line, word);
	else
		json_quote(line, word, strlen(word));
}

static void show_command_line(struct buf *out, const struct strvec *argv)
{
	cleanup_buf struct buf line = BUF_INIT;

	for (size_t i = 0; i < argv->len; i++) {
		if (i > 0)
			buf_addc(&line, ' ');
		add_word(&line, argv->items[i]);
	}
	cli_field(out, "command line", line.data);
}

/* Text of several lines, each made visible and set in. */
static void show_lines(struct buf *out, const char *label, const char *text)
{
	cli_field(out, label, "");
	while (*text != '\0') {
		size_t len = strcspn(text, "\n");

		buf_adds(out, "    ");
		text_add_visible(out, text, len);
		buf_addc(out, '\n');
		text += len + (text[len] == '\n');
	}
}

static void show_arguments(struct buf *out, const char *arguments)
{
	cleanup_buf struct buf pretty = BUF_INIT;

	json_add_pretty(&pretty, arguments, strlen(arguments));
	show_lines(out, "arguments", pretty.data);
}

/* What the surface's read tool said: its own lines, or JSON with a line for each member. */
static void show_preview(struct buf *out, const char *preview)
{
	cleanup_err struct err ignored = ERR_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_buf struct buf pretty = BUF_INIT;
	size_t len = strlen(preview);

	if (json_read(&doc, preview, len, &ignored) < 0) {
		show_lines(out, "preview", preview);
		return;
	}
	json_add_pretty(&pretty, preview, len);
	show_lines(out, "preview", pretty.data);
}

static void show_environment(struct buf *out, const struct plan_facts *facts)
{
	cleanup_buf struct buf line = BUF_INIT;

	for (size_t i = 0; i < facts->environment_len; i++)
		buf_addf(&line, "%s%s", i > 0 ? " " : "", facts->environment[i].name);
	if (line.len > 0)
		cli_field(out, "environment", line.data);
}

static void show_inputs(struct buf *out, const struct plan_facts *facts)
{
	char digest[DIGEST_TEXT_SIZE];

	if (facts->has_stdin) {
		digest_format(&facts->stdin_digest, digest);
		cli_line(out, "%-12s content %s", "input", digest);
	}
	for (size_t i = 0; i < facts->files_len; i++) {
		digest_format(&facts->files[i].digest, digest);
		cli_line(out, "%-12s %s, content %s", "file", facts->files[i].name, digest);
	}
	for (size_t i = 0; i < facts->pinned_len; i++) {
		digest_format(&facts->pinned[i].digest, digest);
		cli_line(out, "%-12s %s %s, content %s", "held", facts->pinned[i].kind,
		    facts->pinned[i].path, digest);
	}
}

static void show_preconditions(struct buf *out, const struct plan_facts *facts)
{
	for (size_t i = 0; i < facts->preconditions_len; i++) {
		const struct plan_precondition *item = &facts->preconditions[i];

		cli_line(out, "%-12s %s %s at %s is %s", "while", item->tool, item->arguments,
		    item->pointer[0] != '\0' ? item->pointer : "the root",
		    item->value != NULL ? item->value : "as it was");
	}
}

void cli_write_plan(struct buf *out, const struct plan *plan)
{
	const struct plan_facts *facts = &plan->facts;
	char digest[DIGEST_TEXT_SIZE];

	digest_format(&plan->hash, digest);
	cli_field(out, "plan", plan->id);
	cli_field(out, "hash", digest);
	cli_field(out, "status", plan_status_name(plan->status));
	cli_field(out, "operation", plan->operation[0] != '\0' ? plan->operation : NULL);
	cli_field(out, "made by", plan->created_by);
	cli_field_time(out, "made", plan->created_us);
	cli_field_time(out, plan_has_expired(plan) ? "expired" : "expires", plan->expires_us);
	cli_field(out, "surface", facts->surface);
	cli_field(out, "tool", facts->tool);
	cli_field(out, "effect", facts->effect);
	cli_field(out, "target", facts->target);
	cli_field(out, "label", facts->label);
	show_arguments(out, facts->arguments);
	cli_field(out, "program", facts->program);
	show_command_line(out, &facts->argv);
	cli_field(out, "folder", facts->cwd);
	show_environment(out, facts);
	show_inputs(out, facts);
	show_preconditions(out, facts);
	if (plan->preview != NULL)
		show_preview(out, plan->preview);
}

/* ---- can it be applied now? ---- */

static void show_applicability(struct buf *out, const struct call_purpose *purpose)
{
	const struct plan_differences *all = &purpose->differences;

	if (err_is_set(&purpose->err))
		cli_line(out, "%-12s %s: %s", "applicable",
		    purpose->err.code == ERR_PLAN_STALE ? "no" : "unknown", purpose->err.message);
	else
		cli_field(out, "applicable", all->len == 0 ? "yes" : "no, these differ:");
	for (size_t i = 0; i < all->len; i++) {
		cli_line(out, "    %s", all->items[i].pointer);
		if (all->items[i].before != NULL)
			cli_line(out, "      - %s", all->items[i].before);
		if (all->items[i].after != NULL)
			cli_line(out, "      + %s", all->items[i].after);
	}
}

/* Never stored; where the surface cannot be had, the answer is that it is not known. */
static void look(struct cli *cli, struct cli_desk *desk, const struct plan *plan,
    struct buf *ret_json, struct buf *ret_text)
{
	struct json_writer w = JSON_WRITER_INIT(ret_json);
	struct call_purpose purpose = {
		.kind = CALL_CHECK,
		.records = desk->records,
		.actor = cli_desk_actor(desk),
		.plan = plan,
	};

	if (plan_has_expired(plan))
		err_set(&purpose.err, ERR_PLAN_STALE, "it has expired");
	else
		(void)!cli_plan_walk_again(cli, desk, &purpose, &purpose.err);
	call_write_applicability(&purpose, &w);
	show_applicability(ret_text, &purpose);
	call_purpose_release(&purpose);
}

int cmd_plan_show(struct cli *cli, struct err *err)
{
	cleanup_cli_desk struct cli_desk desk = CLI_DESK_INIT;
	cleanup_plan struct plan plan = PLAN_INIT;
	cleanup_buf struct buf applicability = BUF_INIT;
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	if (cli_desk_open(&desk, err) < 0 ||
	    records_plan_load(desk.records, cli_word(cli, 0), &plan, err) < 0 ||
	    cli_plan_check_surface(cli, &desk, &plan, err) < 0)
		return -1;
	if (plan.status == PLAN_CREATED)
		look(cli, &desk, &plan, &applicability, &text);
	plan_write(&plan, false, applicability.len > 0 ? applicability.data : NULL, &w);
	cli_write_plan(&cli->out, &plan);
	buf_add(&cli->out, text.data, text.len);
	return 0;
}

/* ---- list ---- */

struct plan_list {
	struct cli_table table;
	struct json_writer w;
	int64_t count;
};

static int add_row(void *ctx, const struct plan *plan, struct err *err)
{
	struct plan_list *list = ctx;
	char made[CLI_TIME_SIZE];
	bool is_late = plan->status == PLAN_CREATED && plan_has_expired(plan);
	const char *cells[] = { plan->id, is_late ? "expired" : plan_status_name(plan->status),
		made, plan->created_by, plan->facts.tool, plan->facts.target };

	(void)err;
	cli_format_time(plan->created_us, made);
	cli_table_row(&list->table, cells);
	plan_write(plan, true, NULL, &list->w);
	list->count++;
	return 0;
}

int cmd_plan_list(struct cli *cli, struct err *err)
{
	static const char *const heading[] = { "PLAN", "STATUS", "MADE (UTC)", "BY", "TOOL",
		"TARGET" };
	cleanup_cli_desk struct cli_desk desk = CLI_DESK_INIT;
	struct plan_list list = { .table = { .columns = ARRAY_LEN(heading) },
		.w = JSON_WRITER_INIT(&cli->result) };
	struct record_list found = { 0 };
	int64_t limit = 0;
	int result;

	if (cli->options.surfaces.len > 1)
		return err_set(err, ERR_USAGE, "--surface is given twice");
	if (cli_desk_limit(cli, 0, &limit, err) < 0 || cli_desk_open(&desk, err) < 0)
		return -1;
	cli_table_row(&list.table, heading);
	json_write_object_begin(&list.w);
	json_write_key(&list.w, "plans");
	json_write_array_begin(&list.w);
	result = records_plan_each(desk.records,
	    cli->options.surfaces.len == 1 ? cli->options.surfaces.items[0] : NULL, limit, add_row,
	    &list, &found, err);
	if (result == 0)
		cli_table_write(&list.table, &cli->out);
	cli_table_release(&list.table);
	cli_list_ends(cli, &list.w, list.count, &found, "plans");
	if (result < 0)
		buf_reset(&cli->result);
	return result;
}

/* ---- diff ---- */

static void show_differences(struct cli *cli, const struct plan *left, const struct plan *right,
    const struct plan_differences *found)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	json_write_object_begin(&w);
	json_write_member_string(&w, "plan_id", left->id);
	json_write_member_string(&w, "other_plan_id", right->id);
	json_write_member_bool(&w, "equal", found->len == 0);
	json_write_key(&w, "differences");
	plan_differences_write(found, &w);
	json_write_object_end(&w);
	if (found->len == 0)
		cli_line(&cli->out, "%s and %s will do the same", left->id, right->id);
	for (size_t i = 0; i < found->len; i++) {
		const struct plan_difference *item = &found->items[i];

		cli_line(&cli->out, "%s", item->pointer);
		if (item->before != NULL)
			cli_line(&cli->out, "  - %s", item->before);
		if (item->after != NULL)
			cli_line(&cli->out, "  + %s", item->after);
	}
}

int cmd_plan_diff(struct cli *cli, struct err *err)
{
	cleanup_cli_desk struct cli_desk desk = CLI_DESK_INIT;
	cleanup_plan struct plan left = PLAN_INIT;
	cleanup_plan struct plan right = PLAN_INIT;
	cleanup_plan_differences struct plan_differences found = PLAN_DIFFERENCES_INIT;

	if (cli_desk_open(&desk, err) < 0 ||
	    records_plan_load(desk.records, cli_word(cli, 0), &left, err) < 0 ||
	    records_plan_load(desk.records, cli_word(cli, 1), &right, err) < 0 ||
	    plan_facts_diff(&left.facts, &right.facts, &found, err) < 0)
		return -1;
	show_differences(cli, &left, &right, &found);
	return 0;
}
