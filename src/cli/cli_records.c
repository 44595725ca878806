/* SPDX-License-Identifier: MIT */
/* What the commands of plans, policy, operations and sessions share. */
#include "cli/cli_records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirs.h"
#include "cli/cli_vault.h"

#define LIMIT_MAX 1000000

static void redact(void *ctx, const char *text, size_t len, struct buf *ret_text)
{
	(void)redact_text(ctx, NULL, text, len, ret_text);
}

static void mask_provenance(struct cli_desk *desk)
{
	struct buf masked = BUF_INIT;
	const char *text = desk->self.provenance;

	redact(desk->redactor, text, strlen(text), &masked);
	desk->provenance = buf_detach(&masked);
	desk->self.actor.provenance = desk->provenance;
}

int cli_desk_open(struct cli_desk *ret_desk, struct err *err)
{
	struct cli_desk *desk = ret_desk;

	desk->data_dir = dirs_data(err);
	if (desk->data_dir == NULL)
		return -1;
	desk->host = redact_host_new(desk->data_dir);
	desk->redactor = redactor_new(desk->host);
	gate_actor_self(&desk->self);
	mask_provenance(desk);
	desk->records = records_open(desk->data_dir, redact, desk->redactor, err);
	return desk->records == NULL ? -1 : 0;
}

void cli_desk_close(struct cli_desk *desk)
{
	records_close(desk->records);
	redactor_free(desk->redactor);
	redact_host_free(desk->host);
	free(desk->provenance);
	free(desk->data_dir);
	*desk = CLI_DESK_INIT;
}

const struct actor *cli_desk_actor(const struct cli_desk *desk)
{
	return &desk->self.actor;
}

int cli_desk_limit(struct cli *cli, int64_t fallback, int64_t *ret_limit, struct err *err)
{
	return cli_number("--limit", cli->options.limit, 0, LIMIT_MAX, fallback, ret_limit, err);
}

void cli_list_ends(struct cli *cli, struct json_writer *w, int64_t count,
    const struct record_list *list, const char *what)
{
	json_write_array_end(w);
	json_write_member_int(w, "count", count);
	json_write_member_bool(w, "truncated", list->is_truncated);
	json_write_member_int(w, "skipped", list->skipped);
	json_write_object_end(w);
	if (list->is_truncated)
		cli_line(&cli->out, "There are more: --limit 0 shows all.");
	if (list->skipped > 0)
		cli_line(&cli->out, "Left out: %" PRId64 " damaged %s.", list->skipped, what);
}
