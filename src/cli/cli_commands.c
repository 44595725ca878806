/* SPDX-License-Identifier: MIT */
/* The two tables: options and commands. Help, usage, completion and parsing all read them. */
#include "cli/cli_internal.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli_records.h"
#include "cli/cli_vault.h"

#define MEMBER(member) offsetof(struct cli_options, member)

static const struct cli_option opt_surface = { "--surface", "NAME", CLI_LIST, MEMBER(surfaces),
	"A built-in surface, one of yours, or the path of a file. May be repeated.", true };
static const struct cli_option opt_root = { "--root", "DIR", CLI_LIST, MEMBER(roots),
	"Paths in arguments must lie below it. Default: the working directory. May be repeated." };
static const struct cli_option opt_workspace = { "--workspace", "ID", CLI_VALUE, MEMBER(workspace),
	"Serve the tools of one stage of this workspace. Needs --stage." };
static const struct cli_option opt_stage = { "--stage", "STAGE", CLI_VALUE, MEMBER(stage),
	"The stage, by id or name, whose contract decides which tools exist. Needs --workspace." };
static const struct cli_option opt_stage_dir = { "--stage-dir", "DIR", CLI_VALUE, MEMBER(stage_dir),
	"Take the contract from DIR/CONTEXT.md instead; DIR lies outside every --root." };
static const struct cli_option opt_scope_ttl = { "--scope-ttl", "SECONDS", CLI_VALUE,
	MEMBER(scope_ttl), "How old the decision about a scope may be; 5 by default, 0 to 300." };
static const struct cli_option opt_allow_write = { "--allow-write", "SURFACE", CLI_LIST,
	MEMBER(allow_write), "Let tools of this surface write, after a person's yes." };
static const struct cli_option opt_allow_noninteractive = { "--allow-noninteractive-write",
	"SURFACE", CLI_LIST, MEMBER(allow_noninteractive_write),
	"Let them write without asking where the client cannot ask." };
static const struct cli_option opt_allow_exec = { "--allow-exec", "SURFACE", CLI_LIST,
	MEMBER(allow_exec), "Show tools of this surface that run programs named by the caller." };
static const struct cli_option opt_allow_drift = { "--allow-version-drift", "SURFACE", CLI_LIST,
	MEMBER(allow_version_drift),
	"Its status tool does not warn about another version of the program." };
static const struct cli_option opt_stdio = { "--stdio", NULL, CLI_FLAG, MEMBER(is_stdio),
	"Accepted because some clients add it: standard input and output are the only transport." };
static const struct cli_option opt_tree = {
	"--tree", "FILE", CLI_VALUE, MEMBER(tree),
	"The program's own list of commands, one a line; what is neither tool nor left out fails."
};

static const struct cli_option opt_open = { "--open", NULL, CLI_FLAG, MEMBER(is_open),
	"Only intents without an outcome: what may have happened and nobody knows." };
static const struct cli_option opt_of_surface = { "--surface", "NAME", CLI_LIST, MEMBER(surfaces),
	"Only rows of this surface." };
static const struct cli_option opt_kind = { "--kind", "KIND", CLI_VALUE, MEMBER(kind),
	"Only rows of this kind: call, refusal, intent, outcome, consent …" };
static const struct cli_option opt_tool = { "--tool", "NAME", CLI_VALUE, MEMBER(tool),
	"Only rows of this tool." };
static const struct cli_option opt_code = { "--code", "CODE", CLI_VALUE, MEMBER(code),
	"Only rows that ended with this error code." };
static const struct cli_option opt_after = { "--after", "ROW", CLI_VALUE, MEMBER(after),
	"Only rows after this one." };
static const struct cli_option opt_limit = { "--limit", "N", CLI_VALUE, MEMBER(limit),
	"At most so many rows, the newest; 50 by default." };

static const struct cli_option *const no_options[] = { NULL };
static const struct cli_option *const serve_options[] = { &opt_surface, &opt_root, &opt_workspace,
	&opt_stage, &opt_stage_dir, &opt_scope_ttl, &opt_allow_write, &opt_allow_noninteractive,
	&opt_allow_exec, &opt_allow_drift, &opt_stdio, NULL };
static const struct cli_option *const call_options[] = { &opt_surface, &opt_root, &opt_workspace,
	&opt_stage, &opt_stage_dir, &opt_scope_ttl, &opt_allow_write, &opt_allow_exec,
	&opt_allow_drift, NULL };
static const struct cli_option *const coverage_options[] = { &opt_tree, NULL };

static const struct cli_option *const audit_options[] = { &opt_open, &opt_of_surface, &opt_kind,
	&opt_tool, &opt_code, &opt_after, &opt_limit, NULL };
static const struct cli_option *const export_options[] = { &opt_of_surface, &opt_kind, &opt_tool,
	&opt_code, &opt_after, NULL };

static const struct command commands[] = {
	{ "mcp serve", cmd_mcp_serve, NULL, 0, 0, serve_options,
	    "Serve surfaces to an MCP client on standard input and output.",
	    "A client starts this command; to connect one by hand:\n"
	    "\n"
	    "  claude mcp add git -- stile mcp serve --surface git --root \"$PWD\"\n"
	    "  codex mcp add git -- stile mcp serve --surface git --root \"$PWD\"\n"
	    "\n"
	    "So started, it only reads. With --allow-write git it may write; a person is asked\n"
	    "each time, by the client.\n"
	    "\n"
	    "Where the tools of one stage of a workspace are to be all there is:\n"
	    "\n"
	    "  stile mcp serve --surface vault --surface git --workspace wsp_… --stage 02-draft\n"
	    "\n"
	    "Both protocol eras are spoken on one process. Nothing is written to standard output "
	    "but\n"
	    "protocol; messages for you go to standard error, calls into the ledger.\n" },
	{ "call", cmd_call, "TOOL [ARGUMENTS]", 1, 2, call_options,
	    "Call one tool as a client would, through the same gates.",
	    "ARGUMENTS is a JSON object, {} by default; - reads it from standard input. A tool\n"
	    "that writes wants --allow-write, and asks on the terminal.\n"
	    "\n"
	    "  stile call git_log '{\"limit\": 3}' --surface git\n" },
	{ "surface list", cmd_surface_list, NULL, 0, 0, no_options,
	    "List built-in surfaces and yours, and whether they are trusted.",
	    "Yours are the files in the folder surfaces of the data directory, and those that\n"
	    "you trusted in other places.\n"
	    "\n"
	    "  stile surface list\n" },
	{ "surface show", cmd_surface_show, "SURFACE", 1, 1, no_options,
	    "Show what a surface declares: program, environment, tools.",
	    "SURFACE is a name or the path of a file.\n"
	    "\n"
	    "  stile surface show git\n" },
	{ "surface check", cmd_surface_check, "SURFACE", 1, 1, no_options,
	    "Prove a surface safe and run its examples, without its program.",
	    "Errors name line and column. The exit status is 3 when something is wrong.\n"
	    "\n"
	    "  stile surface check ./kubectl.yaml\n" },
	{ "surface coverage", cmd_surface_coverage, "SURFACE", 1, 1, coverage_options,
	    "Print which commands of the program are tools and which are left out, and why.",
	    "  stile surface coverage git\n" },
	{ "surface trust", cmd_surface_trust, "FILE", 1, 1, no_options,
	    "Look at a surface file and let it be served.",
	    "Shows what the file declares and asks on the terminal; there is no way to say yes in\n"
	    "advance. A change to the file, or to a program that you can write, takes its tools "
	    "away\n"
	    "until you trust it again. What is trusted stands in stile surface list; to take it\n"
	    "back, delete its entry from trust.yaml in the data directory.\n"
	    "\n"
	    "  stile surface trust ./kubectl.yaml\n" },
	{ "surface schema", cmd_surface_schema, NULL, 0, 0, no_options,
	    "Print the JSON Schema of surface files, for editors.",
	    "  stile surface schema >surface.schema.json\n" },
	{ "audit list", cmd_audit_list, "[FILE]", 0, 1, audit_options,
	    "List what the ledger holds: calls, refusals, intents, consents.",
	    "FILE is a ledger's database; this host's own by default.\n"
	    "\n"
	    "  stile audit list --kind refusal\n"
	    "  stile audit list --open\n" },
	{ "audit verify", cmd_audit_verify, "[FILE]", 0, 1, no_options,
	    "Re-compute the hash chain and check the seals.",
	    "FILE is a ledger's database or an export; this host's own by default. Nothing but "
	    "the\n"
	    "file is needed. The exit status is 3 when a row is bad, and the first one is named.\n"
	    "\n"
	    "  stile audit verify\n" },
	{ "audit export", cmd_audit_export, "[FILE]", 0, 1, export_options,
	    "Write the ledger as JSON lines.",
	    "Rows that do not fit keep what the chain needs, so that the export verifies alone.\n"
	    "\n"
	    "  stile audit export --tool git_commit >audit.jsonl\n" },
	{ "completion", cmd_completion, "SHELL", 1, 1, no_options,
	    "Print completions for bash, zsh or fish.",
	    "  stile completion bash >~/.local/share/bash-completion/completions/stile\n" },
	{ NULL, NULL, NULL, 0, 0, NULL, NULL, NULL },
};

/* The tables of all commands, in the order of help. */
static const struct command *const tables[] = { commands, cli_records_commands,
	cli_vault_commands };

const struct cli_group cli_groups[] = {
	{ "vault",
	    "The vault: folders, versioned files, grants; stile vault --help lists its commands.",
	    cli_vault_leading, cli_vault_check_words },
	{ "plan", "Plans: what one call will do, as data; stile plan --help lists its commands.",
	    NULL, NULL },
	{ "authz", "The host's policy and people's approvals of plans; stile authz --help.", NULL,
	    NULL },
	{ "operation", "What was run, and how it ended; stile operation --help.", NULL, NULL },
	{ "session", "What an agent says it is doing; stile session --help.", NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

const struct cli_group *cli_find_group(const char *name, size_t len)
{
	for (const struct cli_group *group = cli_groups; group->name != NULL; group++) {
		if (strlen(group->name) == len && strncmp(group->name, name, len) == 0)
			return group;
	}
	return NULL;
}

const struct command *cli_next_command(const struct command *command)
{
	if (command == NULL)
		return tables[0];
	command++;
	if (command->name != NULL)
		return command;
	for (size_t i = 0; i + 1 < ARRAY_LEN(tables); i++) {
		const struct command *end = tables[i];

		while (end->name != NULL)
			end++;
		if (end == command)
			return tables[i + 1];
	}
	return NULL;
}

/* Does name begin with the first `given` words of argv, all of its own included? */
static int match_words(const char *name, int argc, char **argv)
{
	int words = 0;

	while (*name != '\0') {
		size_t len = strcspn(name, " ");

		if (words >= argc || strlen(argv[words]) != len ||
		    strncmp(argv[words], name, len) != 0)
			return 0;
		words++;
		name += len;
		name += strspn(name, " ");
	}
	return words;
}

const struct command *cli_find_command(int argc, char **argv, int *ret_words)
{
	cli_foreach_command (command) {
		int words = match_words(command->name, argc, argv);

		if (words > 0) {
			*ret_words = words;
			return command;
		}
	}
	return NULL;
}

/* ---- a misspelt command ---- */

/* Length of the first words of name that stand against argv's, and how far they are off in all;
 * SIZE_MAX when one of them is not near. */
static size_t compare_words(const char *name, int argc, char **argv, size_t *ret_distance)
{
	size_t at = 0;

	*ret_distance = 0;
	for (int i = 0; i < argc && name[at] != '\0'; i++) {
		size_t max = text_near_enough(strlen(argv[i]));
		size_t start = at + (at > 0);
		size_t len = strcspn(name + start, " ");
		size_t distance = text_distance(argv[i], strlen(argv[i]), name + start, len, max);

		if (distance > max)
			return SIZE_MAX;
		*ret_distance += distance;
		at = start + len;
	}
	return at;
}

size_t cli_nearest_command(int argc, char **argv, const char **ret_name)
{
	size_t best = SIZE_MAX;
	size_t best_len = 0;

	cli_foreach_command (command) {
		size_t distance;
		size_t len = compare_words(command->name, argc, argv, &distance);

		if (len != SIZE_MAX && distance < best) {
			*ret_name = command->name;
			best_len = len;
			best = distance;
		}
	}
	return best_len;
}
