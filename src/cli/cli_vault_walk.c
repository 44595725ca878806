/* SPDX-License-Identifier: MIT */
/* stile vault workspace walk-test: shows a walk through the stages, and fails when something would
 * stop an agent. */
#include "cli/cli_vault.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli_walk.h"

static void write_texts(struct json_writer *w, const char *key, const struct strvec *texts)
{
	json_write_key(w, key);
	json_write_array_begin(w);
	for (size_t i = 0; i < texts->len; i++)
		json_write_string(w, texts->items[i]);
	json_write_array_end(w);
}

static void write_inputs(struct json_writer *w, const struct walk_stage *stage)
{
	json_write_key(w, "inputs");
	json_write_array_begin(w);
	for (size_t i = 0; i < stage->inputs_len; i++) {
		const struct walk_input *input = &stage->inputs[i];

		json_write_object_begin(w);
		json_write_member_string(w, "path", input->written);
		json_write_member_bool(w, "exists", input->is_there);
		json_write_member_string(w, "made_by", input->from);
		json_write_object_end(w);
	}
	json_write_array_end(w);
}

static void write_stage(struct json_writer *w, const struct walk_stage *stage)
{
	json_write_object_begin(w);
	json_write_member_string(w, "id", stage->folder->id);
	json_write_member_string(w, "name", stage->name);
	json_write_member_string(
	    w, "contract_version_id", stage->contract != NULL ? stage->contract->head : NULL);
	write_texts(w, "tools", &stage->tools);
	write_texts(w, "unknown_tools", &stage->unknown);
	json_write_member_string(w, "reason", stage->reason);
	write_inputs(w, stage);
	write_texts(w, "outputs", &stage->declared.outputs);
	json_write_member_int(w, "estimated_tokens", stage->tokens);
	write_texts(w, "faults", &stage->faults);
	json_write_object_end(w);
}

static void write_walk(struct json_writer *w, const struct walk *walk)
{
	json_write_object_begin(w);
	json_write_member_string(w, "workspace_id", walk->workspace.entry.id);
	json_write_member_string(w, "path", walk->workspace.entry.path);
	json_write_key(w, "stages");
	json_write_array_begin(w);
	for (size_t i = 0; i < walk->stages_len; i++)
		write_stage(w, &walk->stages[i]);
	json_write_array_end(w);
	write_texts(w, "faults", &walk->faults);
	json_write_member_int(w, "fault_count", (int64_t)walk->faults_len);
	json_write_object_end(w);
}

static void show_texts(struct buf *out, const char *label, const struct strvec *texts)
{
	for (size_t i = 0; i < texts->len; i++)
		cli_line(out, "  %-10s %s", i == 0 ? label : "", texts->items[i]);
}

static void show_inputs(struct buf *out, const struct walk_stage *stage)
{
	for (size_t i = 0; i < stage->inputs_len; i++) {
		const struct walk_input *input = &stage->inputs[i];

		cli_line(out, "  %-10s %s%s%s%s", i == 0 ? "inputs" : "", input->written,
		    input->from != NULL ? " (made by " : "", input->from != NULL ? input->from : "",
		    input->from != NULL ? ")" : "");
	}
}

static void show_faults(struct buf *out, const struct strvec *faults)
{
	for (size_t i = 0; i < faults->len; i++)
		cli_line(out, "  %-10s %s", "FAULT", faults->items[i]);
}

static void show_stage(struct buf *out, const struct walk_stage *stage)
{
	cleanup_free char *tools = walk_join(&stage->tools);

	cli_line(out, "%s", stage->name);
	if (stage->contract != NULL)
		cli_line(out, "  %-10s version %" PRId64 ", %zu tools%s%s", "contract",
		    stage->contract->number, stage->tools.len, stage->reason != NULL ? ": " : "",
		    stage->reason != NULL ? stage->reason : "");
	if (stage->tools.len > 0)
		cli_line(out, "  %-10s %s", "tools", tools);
	show_inputs(out, stage);
	show_texts(out, "outputs", &stage->declared.outputs);
	cli_line(out, "  %-10s about %" PRId64 " tokens (a token is about four bytes)", "loads",
	    stage->tokens);
	show_faults(out, &stage->faults);
}

static int show(struct cli *cli, const struct walk *walk, struct err *err)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	write_walk(&w, walk);
	for (size_t i = 0; i < walk->stages_len; i++)
		show_stage(&cli->out, &walk->stages[i]);
	show_faults(&cli->out, &walk->faults);
	if (walk->faults_len > 0)
		return err_set(err, ERR_CHECK_FAILED, "faults: %zu in %zu stages", walk->faults_len,
		    walk->stages_len);
	cli_line(&cli->out, "no fault in %zu stages", walk->stages_len);
	return 0;
}

int cmd_vault_workspace_walk_test(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct walk walk = { 0 };
	int result = vault == NULL ? -1 : walk_run(vault, cli_word(cli, 0), &walk, err);

	if (result == 0)
		result = show(cli, &walk, err);
	walk_release(&walk);
	return result;
}
