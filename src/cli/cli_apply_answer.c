/* SPDX-License-Identifier: MIT */
/* What `plan apply` answers: made of the record of the operation, so that the first answer and each
 * later one say the same. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli_plans.h"
#include "cli/cli_vault.h"

static void write_head(struct json_writer *w, const char *plan_id, const char *plan_hash,
    const char *operation_id, bool is_again)
{
	json_write_object_begin(w);
	json_write_member_string(w, "plan_id", plan_id);
	json_write_member_string(w, "plan_hash", plan_hash);
	json_write_member_string(w, "operation_id", operation_id);
	json_write_member_bool(w, "already_applied", is_again);
}

void cli_apply_answer_running(struct cli *cli, const char *plan_id, const char *plan_hash,
    const char *operation_id, const char *target)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	cleanup_free char *next = xasprintf("stile operation status %s", operation_id);

	(void)strncpy(cli->operation, operation_id, sizeof(cli->operation) - 1);
	write_head(&w, plan_id, plan_hash, operation_id, false);
	json_write_member_string(&w, "target", target);
	json_write_member_string(&w, "status", "running");
	json_write_member_string(&w, "next", next);
	json_write_object_end(&w);
	cli_line(&cli->out, "%s is running, as %s, and runs on. How it goes: %s", plan_id,
	    operation_id, next);
}

static void show_result(struct buf *out, const char *result)
{
	cleanup_buf struct buf pretty = BUF_INIT;

	if (result == NULL)
		return;
	json_add_pretty(&pretty, result, strlen(result));
	(void)text_add_clean(out, pretty.data, pretty.len);
	buf_addc(out, '\n');
}

static void answer_success(
    struct cli *cli, const struct plan *plan, const struct operation *operation, bool is_again)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	char hash[DIGEST_TEXT_SIZE];

	digest_format(&plan->hash, hash);
	write_head(&w, plan->id, hash, operation->id, is_again);
	json_write_member_string(&w, "target", plan->facts.target);
	json_write_member_string(&w, "status", "succeeded");
	json_write_member_raw(&w, "result", operation->result != NULL ? operation->result : "null");
	json_write_object_end(&w);
	cli_line(&cli->out, "%s %s, as %s", plan->id,
	    is_again ? "was applied before" : "is applied", operation->id);
	show_result(&cli->out, operation->result);
}

/* Nobody knows what it did. */
static int answer_interrupted(
    const struct plan *plan, const struct operation *operation, struct err *err)
{
	(void)err_set(err, ERR_UNAVAILABLE,
	    "the process that applied plan %s ended before it could say how it went (%s); "
	    "what it did is not known and it is not run again: look at %s, then make a new plan",
	    plan->id, operation->id, plan->facts.target);
	err->retryable = false;
	return -1;
}

/* As it was stored; the plan is used up, so repeating it helps nobody. */
static int answer_failure(struct cli *cli, const struct operation *operation, struct err *err)
{
	const char *code = operation->error_code != NULL ? operation->error_code : "";
	enum err_code known = err_find(code);

	if (known == ERR_CODE_COUNT) {
		known = ERR_PROGRAM_FAILED;
		free(cli->code);
		cli->code = xstrdup(code);
	}
	(void)err_set(err, known, "%s",
	    operation->error_message != NULL ? operation->error_message : "it failed");
	err->retryable = false;
	if (operation->error_details != NULL)
		(void)err_take_details(err, xstrdup(operation->error_details));
	return -1;
}

int cli_apply_answer(struct cli *cli, const struct plan *plan, const struct operation *operation,
    bool is_again, struct err *err)
{
	(void)strncpy(cli->operation, operation->id, sizeof(cli->operation) - 1);
	if (!operation_is_over(operation))
		return err_set(err, ERR_UNAVAILABLE,
		    "plan %s is being applied, as %s; how it goes: `stile operation status %s`",
		    plan->id, operation->id, operation->id);
	if (operation->status == OPERATION_SUCCEEDED) {
		answer_success(cli, plan, operation, is_again);
		return 0;
	}
	if (operation->internal_status != NULL)
		return answer_interrupted(plan, operation, err);
	return answer_failure(cli, operation, err);
}
