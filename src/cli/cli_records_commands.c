/* SPDX-License-Identifier: MIT */
/* The rows of plans, policy, operations and sessions: options and commands. */
#include <stddef.h>

#include "cli/cli_records.h"

#define MEMBER(member) offsetof(struct cli_options, member)

static const struct cli_option opt_of_surface = { "--surface", "NAME", CLI_LIST, MEMBER(surfaces),
	"Only those of this surface." };
static const struct cli_option opt_limit_all = { "--limit", "N", CLI_VALUE, MEMBER(limit),
	"At most so many, the newest; 0, the default, is all." };
static const struct cli_option opt_limit_20 = { "--limit", "N", CLI_VALUE, MEMBER(limit),
	"At most so many, the newest; 20 by default, 0 is all." };
static const struct cli_option opt_expect_hash = { "--expect-hash", "HASH", CLI_VALUE,
	MEMBER(expect_hash), "Only when the plan has this hash: the one that you have reviewed." };
static const struct cli_option opt_title = { "--title", "TEXT", CLI_VALUE, MEMBER(title),
	"What the work is; 200 bytes at most." };
static const struct cli_option opt_app = { "--app", "NAME", CLI_VALUE, MEMBER(app),
	"What it is about: an application or any other thing; 128 bytes at most." };
static const struct cli_option opt_of_app = { "--app", "NAME", CLI_VALUE, MEMBER(app),
	"Only those about this." };
static const struct cli_option opt_project = { "--project", "NAME", CLI_VALUE, MEMBER(project),
	"Which project it belongs to; 200 bytes at most." };
static const struct cli_option opt_status = { "--status", "STATUS", CLI_VALUE, MEMBER(status),
	"Only those that are active, completed, failed or cancelled." };
static const struct cli_option opt_no_resolve = { "--no-resolve", NULL, CLI_FLAG,
	MEMBER(is_unresolved), "Do not look up what the references lead to." };
static const struct cli_option opt_step = { "--step", "TEXT", CLI_VALUE, MEMBER(step),
	"Which step was reached; 120 bytes at most." };
static const struct cli_option opt_note = { "--note", "TEXT", CLI_VALUE, MEMBER(note),
	"What there is to say; 500 bytes at most." };
static const struct cli_option opt_result = { "--result", "TEXT", CLI_VALUE, MEMBER(reason),
	"What came of it; 2000 bytes at most." };
static const struct cli_option opt_reason = { "--reason", "TEXT", CLI_VALUE, MEMBER(reason),
	"Why; 2000 bytes at most." };
static const struct cli_option opt_plan = { "--plan", "ID", CLI_LIST, MEMBER(plans),
	"A plan that belongs to it. May be repeated." };
static const struct cli_option opt_operation = { "--operation", "ID", CLI_LIST, MEMBER(operations),
	"An operation that belongs to it. May be repeated." };
static const struct cli_option opt_deployment = { "--deployment", "ID", CLI_LIST,
	MEMBER(deployments), "A deployment that belongs to it. May be repeated." };
static const struct cli_option opt_if_rev = { "--if-rev", "N", CLI_VALUE, MEMBER(if_rev),
	"Only when the session is at this revision; else SESSION_CONFLICT. -1: at any." };

static const struct cli_option opt_surface = { "--surface", "NAME", CLI_LIST, MEMBER(surfaces),
	"The tool's surface: a built-in one, one of yours, or the path of a file.", true };
static const struct cli_option opt_plan_surface = { "--surface", "NAME", CLI_LIST, MEMBER(surfaces),
	"The plan's surface, where its name alone does not find it." };
static const struct cli_option opt_root = { "--root", "DIR", CLI_LIST, MEMBER(roots),
	"Paths in arguments must lie below it. Default: the working directory. May be repeated." };
static const struct cli_option opt_plan_root = { "--root", "DIR", CLI_LIST, MEMBER(roots),
	"Only when the plan's paths lie below it; the first is its folder. May be repeated." };
static const struct cli_option opt_allow_exec = { "--allow-exec", "SURFACE", CLI_LIST,
	MEMBER(allow_exec), "Let tools of this surface run programs named by the caller." };
static const struct cli_option opt_allow_drift = { "--allow-version-drift", "SURFACE", CLI_LIST,
	MEMBER(allow_version_drift),
	"Its status tool does not warn about another version of the program." };
static const struct cli_option opt_label = { "--label", "TEXT", CLI_VALUE, MEMBER(label),
	"What people call the plan; 200 bytes at most." };
static const struct cli_option opt_apply_tool = {
	"--tool", "TOOL", CLI_VALUE, MEMBER(tool),
	"In place of PLAN: this tool with ARGUMENTS, by the newest plan of just that, or a new one."
};

static const struct cli_option *const no_options[] = { NULL };
static const struct cli_option *const plan_create_options[] = { &opt_surface, &opt_root, &opt_label,
	&opt_allow_exec, &opt_allow_drift, NULL };
static const struct cli_option *const plan_apply_options[] = { &opt_apply_tool, &opt_plan_surface,
	&opt_plan_root, &opt_allow_exec, &opt_allow_drift, NULL };
static const struct cli_option *const plan_show_options[] = { &opt_plan_surface, &opt_plan_root,
	&opt_allow_exec, &opt_allow_drift, NULL };
static const struct cli_option *const plan_list_options[] = { &opt_of_surface, &opt_limit_all,
	NULL };
static const struct cli_option *const operation_status_options[] = { &opt_of_surface, NULL };
static const struct cli_option *const operation_list_options[] = { &opt_of_surface, &opt_limit_20,
	NULL };
static const struct cli_option *const approve_options[] = { &opt_expect_hash, NULL };
static const struct cli_option *const create_options[] = { &opt_title, &opt_app, &opt_project,
	NULL };
static const struct cli_option *const show_options[] = { &opt_no_resolve, NULL };
static const struct cli_option *const session_list_options[] = { &opt_status, &opt_of_app,
	&opt_limit_all, NULL };
static const struct cli_option *const checkpoint_options[] = { &opt_step, &opt_note, &opt_plan,
	&opt_operation, &opt_deployment, &opt_if_rev, NULL };
static const struct cli_option *const complete_options[] = { &opt_result, &opt_plan, &opt_operation,
	&opt_deployment, &opt_if_rev, NULL };
static const struct cli_option *const fail_options[] = { &opt_reason, &opt_plan, &opt_operation,
	&opt_deployment, &opt_if_rev, NULL };
static const struct cli_option *const cancel_options[] = { &opt_reason, &opt_if_rev, NULL };

const struct command cli_records_commands[] = {
	{ "plan create", cmd_plan_create, "TOOL [ARGUMENTS]", 1, 2, plan_create_options,
	    "Keep what a tool would do, to be looked at, approved and applied.",
	    "Nothing is run but the read tools that its surface names. ARGUMENTS is a JSON\n"
	    "object, {} by default; - reads it from standard input.\n"
	    "\n"
	    "  stile plan create shop_migrate '{\"to\": 3}' --surface ./shop.yaml\n" },
	{ "plan apply", cmd_plan_apply, "PLAN | --tool TOOL [ARGUMENTS]", 0, 1, plan_apply_options,
	    "Run a plan, once, if nothing has changed and the policy allows it.",
	    "Repeating it is safe: a plan runs once, and later answers say what came of it. What\n"
	    "takes longer than the plan's wait runs on, and the answer says so; it runs on, too,\n"
	    "when this command is ended. The exit status is 3 when something is another than\n"
	    "planned, 11 when the policy says no or wants an approval.\n"
	    "\n"
	    "  stile plan apply pln_0123456789abcdef\n"
	    "  stile plan apply --tool shop_migrate '{\"to\": 3}' --surface ./shop.yaml\n" },
	{ "plan show", cmd_plan_show, "PLAN", 1, 1, plan_show_options,
	    "Show what a plan will do, and whether it still can.",
	    "The plan is verified first; one that was edited is not shown. Whether it can be\n"
	    "applied is looked at now: its preconditions are read, nothing else is run.\n"
	    "\n"
	    "  stile plan show pln_0123456789abcdef\n" },
	{ "plan list", cmd_plan_list, NULL, 0, 0, plan_list_options,
	    "List plans, the newest first.",
	    "Plans that are damaged are left out and counted.\n"
	    "\n"
	    "  stile plan list --surface deploy --limit 10\n" },
	{ "plan diff", cmd_plan_diff, "PLAN OTHER", 2, 2, no_options,
	    "Show where two plans differ in what they will do.",
	    "Each difference is named by its place, such as /argv/3. The exit status is 0 either\n"
	    "way.\n"
	    "\n"
	    "  stile plan diff pln_0123456789abcdef pln_fedcba9876543210\n" },
	{ "authz status", cmd_authz_status, NULL, 0, 0, no_options,
	    "Show the policy of this host and who this process is for it.",
	    "A policy that cannot be read allows nothing; this command says why, and ends with 0\n"
	    "all the same. With STILE_CALLER=mcp before it, it speaks for an agent.\n"
	    "\n"
	    "  stile authz status\n" },
	{ "authz check", cmd_authz_check, "PLAN", 1, 1, no_options,
	    "Ask what the policy would say to applying a plan now.",
	    "Nothing is recorded, and the exit status is 0 whatever the answer. With\n"
	    "STILE_CALLER=mcp before it, the question is an agent's.\n"
	    "\n"
	    "  stile authz check pln_0123456789abcdef\n" },
	{ "authz approve", cmd_authz_approve, "PLAN", 1, 1, approve_options,
	    "Look at a plan and let it be applied once.",
	    "Shows all of the plan and asks on the terminal; there is no way to say yes in "
	    "advance.\n"
	    "The approval is for this plan alone, as it is, and ends with it.\n"
	    "\n"
	    "  stile authz approve pln_0123456789abcdef\n",
	    .is_for_people = true },
	{ "authz revoke", cmd_authz_revoke, "PLAN", 1, 1, no_options,
	    "Take the approval of a plan back.",
	    "Asks on the terminal. It counts from the next attempt on; what has run stays as it "
	    "is.\n"
	    "\n"
	    "  stile authz revoke pln_0123456789abcdef\n",
	    .is_for_people = true },
	{ "operation list", cmd_operation_list, NULL, 0, 0, operation_list_options,
	    "List operations, the newest first.",
	    "One whose process is gone is shown as failed (interrupted): what it did is not "
	    "known.\n"
	    "\n"
	    "  stile operation list --surface deploy\n" },
	{ "operation status", cmd_operation_status, "OPERATION", 1, 1, operation_status_options,
	    "Show one operation: by its id, or the newest of a deployment.",
	    "  stile operation status op_0123456789abcdef\n"
	    "  stile operation status dep-0123456789abcdef01234567\n" },
	{ "session create", cmd_session_create, NULL, 0, 0, create_options,
	    "Begin a session: the record of one unit of work.",
	    "It runs nothing and grants nothing. Secrets in texts are masked before they are "
	    "stored.\n"
	    "\n"
	    "  stile session create --title 'Update the shop' --app shop\n" },
	{ "session show", cmd_session_show, "SESSION", 1, 1, show_options,
	    "Show a session, its events, and what its references lead to.",
	    "  stile session show ses_0123456789abcdef\n" },
	{ "session list", cmd_session_list, NULL, 0, 0, session_list_options,
	    "List sessions, the newest first.", "  stile session list --status active\n" },
	{ "session checkpoint", cmd_session_checkpoint, "SESSION", 1, 1, checkpoint_options,
	    "Note how far the work has come.",
	    "Wants a step, a note or a reference. What is referred to must be there; referring\n"
	    "to a plan does not allow it.\n"
	    "\n"
	    "  stile session checkpoint ses_0123456789abcdef --step build --note 'tests pass'\n" },
	{ "session complete", cmd_session_complete, "SESSION", 1, 1, complete_options,
	    "End a session as done.",
	    "It is what the session's owner reports, not a check of anything.\n"
	    "\n"
	    "  stile session complete ses_0123456789abcdef --result 'shop runs v3'\n" },
	{ "session fail", cmd_session_fail, "SESSION", 1, 1, fail_options,
	    "End a session as failed.",
	    "  stile session fail ses_0123456789abcdef --reason 'the build breaks'\n" },
	{ "session cancel", cmd_session_cancel, "SESSION", 1, 1, cancel_options,
	    "End a session that nobody goes on with.",
	    "Nothing that runs is stopped.\n"
	    "\n"
	    "  stile session cancel ses_0123456789abcdef --if-rev 4\n" },
	{ NULL, NULL, NULL, 0, 0, NULL, NULL, NULL },
};
