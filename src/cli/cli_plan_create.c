/* SPDX-License-Identifier: MIT */
/* stile plan create: what a tool would do with these arguments, kept to be looked at. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli_plans.h"
#include "cli/cli_vault.h"

#define LABEL_MAX ((size_t)200)

/* Masked, for it is hashed and shown as it is. */
static int take_label(
    const struct cli *cli, const struct cli_desk *desk, char **ret_label, struct err *err)
{
	const char *label = cli->options.label;
	struct buf masked = BUF_INIT;

	if (label == NULL)
		return 0;
	if (strlen(label) > LABEL_MAX || !text_is_utf8(label, strlen(label)))
		return err_set(err, ERR_INVALID_ARGUMENT,
		    "--label is text of at most %zu bytes of UTF-8", LABEL_MAX);
	(void)redact_text(desk->redactor, NULL, label, strlen(label), &masked);
	*ret_label = buf_detach(&masked);
	return 0;
}

static int create(
    struct cli *cli, struct cli_desk *desk, struct call_purpose *purpose, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;

	if (cli_read_arguments(cli_word(cli, 1), &doc, err) < 0)
		return -1;
	return cli_plan_make(cli, desk, purpose, cli_word(cli, 0), &doc, err);
}

int cmd_plan_create(struct cli *cli, struct err *err)
{
	cleanup_cli_desk struct cli_desk desk = CLI_DESK_INIT;
	cleanup_free char *label = NULL;
	cleanup_buf struct buf applicability = BUF_INIT;
	struct json_writer inner = JSON_WRITER_INIT(&applicability);
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	struct call_purpose purpose = { .kind = CALL_CREATE };
	int result = -1;

	if (cli_desk_open(&desk, err) == 0 && take_label(cli, &desk, &label, err) == 0) {
		purpose.records = desk.records;
		purpose.actor = cli_desk_actor(&desk);
		purpose.label = label;
		result = create(cli, &desk, &purpose, err);
	}
	if (result == 0) {
		call_write_applicability(&purpose, &inner);
		plan_write(&purpose.made, false, applicability.data, &w);
		cli_write_plan(&cli->out, &purpose.made);
		buf_addc(&cli->out, '\n');
		cli_line(&cli->out, "Nothing was run. To apply it: stile plan apply %s",
		    purpose.made.id);
	}
	call_purpose_release(&purpose);
	return result;
}
