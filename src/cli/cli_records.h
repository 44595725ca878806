/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_RECORDS_H
#define CLI_CLI_RECORDS_H

/*
 * What the commands of plans, policy, operations and sessions share: the records, opened with a
 * redactor, and who this process is. Each command is: open, one verb of ledger/ledger.h or
 * gate/gate.h, and what came of it twice: as JSON (the envelope's result) and as text for people.
 *
 * To approve and to revoke is for people at a terminal: is_for_people in their rows, and
 * cli_tty_confirm(). Nothing here takes an identity from a command line.
 */

#include "cli/cli_internal.h"
#include "gate/gate.h"
#include "ledger/ledger.h"
#include "run/run.h"

/* Rows: cli_records_commands.c. */
extern const struct command cli_records_commands[];

int cmd_authz_approve(struct cli *cli, struct err *err);
int cmd_authz_check(struct cli *cli, struct err *err);
int cmd_authz_revoke(struct cli *cli, struct err *err);
int cmd_authz_status(struct cli *cli, struct err *err);
int cmd_operation_list(struct cli *cli, struct err *err);
int cmd_operation_status(struct cli *cli, struct err *err);
int cmd_plan_apply(struct cli *cli, struct err *err);
int cmd_plan_create(struct cli *cli, struct err *err);
int cmd_plan_diff(struct cli *cli, struct err *err);
int cmd_plan_list(struct cli *cli, struct err *err);
int cmd_plan_show(struct cli *cli, struct err *err);
int cmd_session_cancel(struct cli *cli, struct err *err);
int cmd_session_checkpoint(struct cli *cli, struct err *err);
int cmd_session_complete(struct cli *cli, struct err *err);
int cmd_session_create(struct cli *cli, struct err *err);
int cmd_session_fail(struct cli *cli, struct err *err);
int cmd_session_list(struct cli *cli, struct err *err);
int cmd_session_show(struct cli *cli, struct err *err);

/* One command's records, and what they need. */
struct cli_desk {
	char *data_dir;
	struct redact_host *host;
	struct redactor *redactor;
	struct records *records;
	struct gate_self self;
	char *provenance; /* self's, masked; the actor points at it */
};

#define CLI_DESK_INIT ((struct cli_desk){ 0 })
#define cleanup_cli_desk __attribute__((cleanup(cli_desk_close)))

int cli_desk_open(struct cli_desk *ret_desk, struct err *err) MUST_CHECK;
void cli_desk_close(struct cli_desk *desk);

/* Who this process is. */
const struct actor *cli_desk_actor(const struct cli_desk *desk);

/* The value of --limit; fallback when it was not given. 0: all. */
int cli_desk_limit(struct cli *cli, int64_t fallback, int64_t *ret_limit, struct err *err)
    MUST_CHECK;

/* Ends {"name":[…  with its count, what was left out, and whether there is more; a line about it for
 * people. */
void cli_list_ends(struct cli *cli, struct json_writer *w, int64_t count,
    const struct record_list *list, const char *what);

/* All that a person must see of a plan, one thing a line; nothing in it can move the cursor. */
void cli_write_plan(struct buf *out, const struct plan *plan);

#endif
