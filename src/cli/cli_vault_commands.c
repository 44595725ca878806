/* SPDX-License-Identifier: MIT */
/* The vault's rows of the two tables: options and commands. */
#include "cli/cli_vault.h"

#include <stddef.h>

#define MEMBER(member) offsetof(struct cli_options, member)

/* What the boundary puts before the command (vault.md, "Tools"): where the caller may reach. */
static const struct cli_option opt_within = { "--within", "REF", CLI_VALUE, MEMBER(within),
	"Only this folder and what is below it exists." };
static const struct cli_option opt_root = { "--root", "DIR", CLI_LIST, MEMBER(roots),
	"Local files must lie below it. May be repeated." };
const struct cli_option *const cli_vault_leading[] = { &opt_within, &opt_root, NULL };

static const struct cli_option opt_org = { "--org", "NAME", CLI_VALUE, MEMBER(org),
	"What the organization is called; \"home\" by default." };
static const struct cli_option opt_owner = { "--owner", "NAME", CLI_VALUE, MEMBER(owner),
	"What its owner is called; your user name by default." };
static const struct cli_option opt_demo = { "--demo", NULL, CLI_FLAG, MEMBER(is_demo),
	"With a template and a workspace made from it, to look at." };
static const struct cli_option opt_out_token = { "--out", "FILE", CLI_VALUE, MEMBER(out),
	"Write the token's value to this new file, which only you can read." };
static const struct cli_option opt_kind = { "--kind", "KIND", CLI_VALUE, MEMBER(kind),
	"person (the default), agent or service." };
static const struct cli_option opt_expires_in = { "--expires-in", "TIME", CLI_VALUE,
	MEMBER(expires_in), "When it ends, from now: 90d, 12h, 30m. Never by default." };
static const struct cli_option opt_effective = { "--effective", NULL, CLI_FLAG,
	MEMBER(is_effective), "Those inherited from above too: for each principal what counts." };
static const struct cli_option opt_parents = { "--parents", NULL, CLI_FLAG, MEMBER(has_parents),
	"Make what is missing on the way; fine when all is there." };
static const struct cli_option opt_trash = { "--trash", NULL, CLI_FLAG, MEMBER(is_trash),
	"What is in the trash instead." };
static const struct cli_option opt_after_name = { "--after", "NAME", CLI_VALUE, MEMBER(after),
	"Only names after this one." };
static const struct cli_option opt_after_version = { "--after", "NUMBER", CLI_VALUE, MEMBER(after),
	"Only versions before this one: they come newest first." };
static const struct cli_option opt_after_row = { "--after", "ROW", CLI_VALUE, MEMBER(after),
	"Only rows after this one, oldest first." };
static const struct cli_option opt_limit_entries = { "--limit", "N", CLI_VALUE, MEMBER(limit),
	"At most so many; 1000 by default." };
static const struct cli_option opt_limit_rows = { "--limit", "N", CLI_VALUE, MEMBER(limit),
	"At most so many rows; 50 by default, the newest." };
static const struct cli_option opt_depth = { "--depth", "N", CLI_VALUE, MEMBER(depth),
	"Only so many levels; 1 is the children alone." };
static const struct cli_option opt_recursive = { "--recursive", NULL, CLI_FLAG,
	MEMBER(is_recursive), "Upload folders too, with all that is in them." };
static const struct cli_option opt_message = { "--message", "TEXT", CLI_VALUE, MEMBER(message),
	"What changed, for those who look at the versions later." };
static const struct cli_option opt_media_type = { "--media-type", "TYPE", CLI_VALUE,
	MEMBER(media_type), "By default what name and content tell." };
static const struct cli_option opt_expect = { "--expect", "VERSION", CLI_VALUE, MEMBER(expect),
	"The version you know to be the latest, by id or number; 0: there is no such file. Another "
	"one is a CONFLICT." };
static const struct cli_option opt_new = { "--new", NULL, CLI_FLAG, MEMBER(is_new),
	"Only make new files: a taken name is refused." };
static const struct cli_option opt_version = { "--version", "VERSION", CLI_VALUE, MEMBER(version),
	"Not the latest version but this one, by id or number." };
static const struct cli_option opt_out_content = { "--out", "FILE", CLI_VALUE, MEMBER(out),
	"Write to this file, whatever the size; it appears once it is whole, for you alone." };
static const struct cli_option opt_force = { "--force", NULL, CLI_FLAG, MEMBER(is_force),
	"With --out: replace a file that is there." };
static const struct cli_option opt_max_size = { "--max-size", "SIZE", CLI_VALUE, MEMBER(max_size),
	"What may be printed with --json or on a terminal; 256KiB by default, 8MiB at most." };
static const struct cli_option opt_text_only = { "--text", NULL, CLI_FLAG, MEMBER(is_text),
	"Refuse what is no text, instead of printing it as it is or as base64." };
static const struct cli_option opt_set = { "--set", "KEY=VALUE", CLI_LIST, MEMBER(set),
	"Set a key. May be repeated." };
static const struct cli_option opt_unset = { "--unset", "KEY", CLI_LIST, MEMBER(unset),
	"Remove a key. May be repeated." };
static const struct cli_option opt_principal = { "--principal", "NAME", CLI_VALUE,
	MEMBER(principal), "Only rows of this principal, by name or id." };
static const struct cli_option opt_object = { "--object", "REF", CLI_VALUE, MEMBER(entry),
	"Only rows of this file or folder." };
static const struct cli_option opt_operation = { "--operation", "NAME", CLI_VALUE,
	MEMBER(operation), "Only rows of this operation, such as \"file put\"." };
static const struct cli_option opt_result = { "--result", "CODE", CLI_VALUE, MEMBER(code),
	"Only rows that ended so: OK, or an error code." };
static const struct cli_option opt_correlation = { "--correlation", "ID", CLI_VALUE,
	MEMBER(correlation), "Only rows of the command whose envelope had this correlation_id." };
static const struct cli_option opt_progress = { "--progress", "HOW", CLI_VALUE, MEMBER(progress),
	"bar (the default on a terminal), json (lines on standard error) or none." };

static const struct cli_option opt_name = { "--name", "GLOB", CLI_VALUE, MEMBER(name),
	"The file's name: * is anything, ? one character, [a-z] one of these." };
static const struct cli_option opt_tag = { "--tag", "TAG", CLI_LIST, MEMBER(tags),
	"It has this tag. May be repeated." };
static const struct cli_option opt_where = { "--metadata", "KEY[=VALUE]", CLI_LIST,
	MEMBER(metadata), "It has this key, with this value. May be repeated." };
static const struct cli_option opt_media_glob = { "--media-type", "GLOB", CLI_VALUE,
	MEMBER(media_type), "Such as text/markdown, or \"image/*\"." };
static const struct cli_option opt_since = { "--since", "TIME", CLI_VALUE, MEMBER(since),
	"Its latest version was made then or later: 2026-11-30, 2026-11-30T18:05:00Z." };
static const struct cli_option opt_until = { "--until", "TIME", CLI_VALUE, MEMBER(until),
	"Its latest version was made before." };
static const struct cli_option opt_text = { "--text", "WORDS", CLI_VALUE, MEMBER(text),
	"Its latest version has all these words; word* is any word that begins so." };
static const struct cli_option opt_skip = { "--skip", "N", CLI_VALUE, MEMBER(skip),
	"Not the first so many: to go on where --limit ended." };
static const struct cli_option opt_limit_found = { "--limit", "N", CLI_VALUE, MEMBER(limit),
	"At most so many; 100 by default." };
static const struct cli_option opt_repair_index = { "--repair-index", NULL, CLI_FLAG,
	MEMBER(is_repair_index), "Make the index of vault file find --text anew as well." };

static const struct cli_option opt_template_name = { "--name", "NAME", CLI_VALUE, MEMBER(name),
	"What the template is called; as its folder by default." };
static const struct cli_option opt_publish_message = { "--message", "TEXT", CLI_VALUE,
	MEMBER(message), "What is new in this version." };
static const struct cli_option opt_template_version = { "--version", "N", CLI_VALUE,
	MEMBER(version), "Not the latest published version but this one." };
static const struct cli_option opt_parameter = { "--set", "KEY=VALUE", CLI_LIST, MEMBER(set),
	"The value of a parameter. May be repeated." };
static const struct cli_option opt_hole = { "--set", "KEY=VALUE", CLI_LIST, MEMBER(set),
	"Fill {{KEY}} in names and texts with VALUE. May be repeated." };
static const struct cli_option opt_workspace = { "--workspace", "REF", CLI_VALUE, MEMBER(workspace),
	"The workspace, by id or path.", true };
static const struct cli_option opt_stage = { "--stage", "STAGE", CLI_VALUE, MEMBER(stage),
	"One of its stages, by id or name." };
static const struct cli_option opt_record = { "--record", NULL, CLI_FLAG, MEMBER(is_record),
	"Leave a row in the record of decisions; what may not be seen is a decision, too." };
static const struct cli_option opt_since_event = { "--since", "EVENT", CLI_VALUE, MEMBER(since),
	"With --record: your last row about this stage, sca_…; the same decision leaves none." };
static const struct cli_option opt_surface = { "--surface", "NAME", CLI_LIST, MEMBER(surfaces),
	"Judge the tools of this surface; all known ones by default. May be repeated." };
static const struct cli_option opt_scope = { "--scope", NULL, CLI_FLAG, MEMBER(is_scope),
	"The decisions about stages instead of the operations." };
static const struct cli_option opt_force_checkout = { "--force", NULL, CLI_FLAG, MEMBER(is_force),
	"Replace files that differ." };
static const struct cli_option opt_force_logout = { "--force", NULL, CLI_FLAG, MEMBER(is_force),
	"Forget even the last token with which anybody can manage the root; you have a copy." };
static const struct cli_option opt_deletions = { "--deletions", NULL, CLI_FLAG,
	MEMBER(has_deletions), "Put what was deleted here into the vault's trash." };
static const struct cli_option opt_what_changed = { "--message", "TEXT", CLI_VALUE, MEMBER(message),
	"What changed: it is kept with each version.", true };
static const struct cli_option opt_onto_latest = { "--onto-latest", NULL, CLI_FLAG,
	MEMBER(is_onto_latest), "Store what does not conflict, and say what does." };
static const struct cli_option opt_all = { "--all", NULL, CLI_FLAG, MEMBER(is_all),
	"All that was changed or deleted." };

static const struct cli_option *const no_options[] = { NULL };
static const struct cli_option *const scope_options[] = { &opt_workspace, &opt_stage, &opt_record,
	&opt_since_event, &opt_surface, NULL };
static const struct cli_option *const init_options[] = { &opt_org, &opt_owner, &opt_demo,
	&opt_out_token, NULL };
static const struct cli_option *const kind_options[] = { &opt_kind, NULL };
static const struct cli_option *const issue_options[] = { &opt_expires_in, &opt_out_token, NULL };
static const struct cli_option *const effective_options[] = { &opt_effective, NULL };
static const struct cli_option *const parents_options[] = { &opt_parents, NULL };
static const struct cli_option *const list_options[] = { &opt_trash, &opt_after_name,
	&opt_limit_entries, NULL };
static const struct cli_option *const tree_options[] = { &opt_depth, NULL };
static const struct cli_option *const upload_options[] = { &opt_recursive, &opt_message,
	&opt_media_type, &opt_expect, &opt_new, &opt_progress, NULL };
static const struct cli_option *const put_options[] = { &opt_message, &opt_media_type, &opt_expect,
	&opt_new, NULL };
static const struct cli_option *const get_options[] = { &opt_version, &opt_out_content, &opt_force,
	&opt_max_size, &opt_text_only, NULL };
static const struct cli_option *const version_get_options[] = { &opt_out_content, &opt_force,
	&opt_max_size, &opt_text_only, NULL };
static const struct cli_option *const metadata_options[] = { &opt_set, &opt_unset, NULL };
static const struct cli_option *const versions_options[] = { &opt_after_version, &opt_limit_entries,
	NULL };
static const struct cli_option *const find_options[] = { &opt_name, &opt_tag, &opt_where,
	&opt_media_glob, &opt_since, &opt_until, &opt_text, &opt_skip, &opt_limit_found, NULL };
static const struct cli_option *const fsck_options[] = { &opt_repair_index, &opt_progress, NULL };
static const struct cli_option *const message_options[] = { &opt_message, NULL };
static const struct cli_option *const events_options[] = { &opt_principal, &opt_object,
	&opt_operation, &opt_result, &opt_correlation, &opt_scope, &opt_after_row, &opt_limit_rows,
	NULL };
static const struct cli_option *const logout_options[] = { &opt_force_logout, NULL };
static const struct cli_option *const export_options[] = { &opt_scope, &opt_after_row, NULL };
static const struct cli_option *const template_create_options[] = { &opt_template_name, NULL };
static const struct cli_option *const publish_options[] = { &opt_publish_message, NULL };
static const struct cli_option *const template_show_options[] = { &opt_template_version, NULL };
static const struct cli_option *const instantiate_options[] = { &opt_template_version,
	&opt_parameter, NULL };
static const struct cli_option *const derive_options[] = { &opt_hole, NULL };
static const struct cli_option *const progress_options[] = { &opt_progress, NULL };

static const struct cli_option *const checkout_options[] = { &opt_stage, &opt_force_checkout,
	&opt_progress, NULL };
static const struct cli_option *const export_all_options[] = { &opt_force_checkout, &opt_progress,
	NULL };
static const struct cli_option *const commit_options[] = { &opt_what_changed, &opt_deletions,
	&opt_onto_latest, &opt_progress, NULL };
static const struct cli_option *const discard_options[] = { &opt_all, &opt_progress, NULL };

const struct command cli_vault_commands[] = {
	{ "vault init", cmd_vault_init, NULL, 0, 0, init_options,
	    "Make the vault, its owner, and your credential.",
	    "Makes the store in the data directory unless it is there, in it an\n"
	    "organization with you as owner, and logs you in. The token is never shown;\n"
	    "with --out it goes to a file instead of being your credential.\n"
	    "\n"
	    "  stile vault init --org acme --demo\n",
	    true },
	{ "vault login", cmd_vault_login, NULL, 0, 0, no_options, "Become the owner of a token.",
	    "The token is typed at a prompt that shows nothing, or comes on standard input.\n"
	    "It is tried, then kept in credentials.json in $XDG_CONFIG_HOME/stile, which\n"
	    "only you can read. Somebody else's token that is kept there is not replaced:\n"
	    "log out first, or name the file of one in STILE_TOKEN_FILE to use it once.\n"
	    "\n"
	    "  stile vault login <token.txt\n",
	    true },
	{ "vault logout", cmd_vault_logout, NULL, 0, 0, logout_options, "Forget your credential.",
	    "The token itself stays valid; stile vault token revoke ends it. The last\n"
	    "token with which anybody can manage the root is not forgotten: keep another\n"
	    "in a file first.\n"
	    "\n"
	    "  stile vault token issue --out spare.token\n"
	    "  stile vault logout\n",
	    true },
	{ "vault whoami", cmd_vault_whoami, NULL, 0, 0, no_options,
	    "Show whose credential is used, and its rank.", "  stile vault whoami --json\n" },
	{ "vault principal add", cmd_vault_principal_add, "NAME", 1, 1, kind_options,
	    "Add somebody who may be granted something.",
	    "It may do nothing until it has a grant, and cannot prove itself until it has a\n"
	    "token.\n"
	    "\n"
	    "  stile vault principal add writer --kind agent\n",
	    true },
	{ "vault principal list", cmd_vault_principal_list, NULL, 0, 0, no_options,
	    "List all principals.", "  stile vault principal list\n" },
	{ "vault principal disable", cmd_vault_principal_disable, "PRINCIPAL", 1, 1, no_options,
	    "Lock somebody out for good.",
	    "Its tokens are no longer accepted; versions and the audit go on naming it.\n"
	    "\n"
	    "  stile vault principal disable writer\n",
	    true },
	{ "vault token issue", cmd_vault_token_issue, "[PRINCIPAL]", 0, 1, issue_options,
	    "Issue a token: yours, or somebody's.",
	    "Its value is shown once, on a terminal, or written to a file. Whoever has it\n"
	    "acts as its principal: give each agent one of its own, with an end.\n"
	    "\n"
	    "  stile vault token issue writer --expires-in 90d --out writer.token\n",
	    true },
	{ "vault token list", cmd_vault_token_list, "[PRINCIPAL]", 0, 1, no_options,
	    "List tokens: yours, or somebody's; never their values.",
	    "  stile vault token list writer\n" },
	{ "vault token revoke", cmd_vault_token_revoke, "TOKEN", 1, 1, no_options,
	    "End a token at once.",
	    "TOKEN is its id.\n"
	    "\n"
	    "  stile vault token revoke tok_0123456789abcdefghjkmnpqrs\n",
	    true },
	{ "vault grant set", cmd_vault_grant_set, "FOLDER PRINCIPAL RANK", 3, 3, no_options,
	    "Let somebody read, write or manage a folder.",
	    "The grant holds for all below it. A grant further down can raise the rank,\n"
	    "never lower it.\n"
	    "\n"
	    "  stile vault grant set /drafts writer write\n" },
	{ "vault grant remove", cmd_vault_grant_remove, "FOLDER PRINCIPAL", 2, 2, no_options,
	    "Take a grant away.",
	    "What is inherited from above stays.\n"
	    "\n"
	    "  stile vault grant remove /drafts writer\n" },
	{ "vault grant list", cmd_vault_grant_list, "[FOLDER]", 0, 1, effective_options,
	    "List the grants on a folder, or your own anywhere.",
	    "  stile vault grant list\n"
	    "  stile vault grant list /drafts --effective\n" },
	{ "vault folder create", cmd_vault_folder_create, "FOLDER", 1, 1, parents_options,
	    "Make a folder.", "  stile vault folder create /drafts/2026 --parents\n" },
	{ "vault folder info", cmd_vault_entry, "FOLDER", 1, 1, no_options, "Show a folder.",
	    "  stile vault folder info /drafts\n" },
	{ "vault folder list", cmd_vault_list, "FOLDER", 1, 1, list_options,
	    "List what is in a folder.",
	    "With --json, \"next\" is the name to give to --after, or null.\n"
	    "\n"
	    "  stile vault folder list /drafts\n"
	    "  stile vault folder list / --trash\n" },
	{ "vault folder tree", cmd_vault_folder_tree, "FOLDER", 1, 1, tree_options,
	    "Show a folder and all below it.", "  stile vault folder tree / --depth 2\n" },
	{ "vault folder move", cmd_vault_entry, "FOLDER TARGET", 2, 2, no_options,
	    "Move a folder into another one.",
	    "  stile vault folder move /drafts/2026 /archive\n" },
	{ "vault folder rename", cmd_vault_entry, "FOLDER NAME", 2, 2, no_options,
	    "Rename a folder.", "  stile vault folder rename /drafts outlines\n" },
	{ "vault folder trash", cmd_vault_entry, "FOLDER", 1, 1, no_options,
	    "Put a folder, with all in it, into the trash.",
	    "  stile vault folder trash /drafts\n" },
	{ "vault folder restore", cmd_vault_entry, "FOLDER", 1, 1, no_options,
	    "Bring a folder back from the trash.",
	    "Its id names it for sure; its path does where nothing else of that name is in\n"
	    "the trash.\n"
	    "\n"
	    "  stile vault folder restore /drafts\n" },
	{ "vault folder purge", cmd_vault_purge, "FOLDER", 1, 1, no_options,
	    "Remove a folder in the trash for ever.",
	    "All versions of all files in it go with it; the audit keeps that they were\n"
	    "there.\n"
	    "\n"
	    "  stile vault folder purge /drafts\n" },
	{ "vault file upload", cmd_vault_file_upload, "PATH… TARGET", 2, 4096, upload_options,
	    "Store local files, or folders with all in them.",
	    "Each PATH goes under its own name into TARGET, a folder; one file may also be\n"
	    "given a name, as TARGET. \"FOLDER/.\" means what is in FOLDER. All of it is\n"
	    "stored, or nothing. Symbolic links and special files are refused.\n"
	    "\n"
	    "  stile vault file upload plan.md notes.txt /drafts\n"
	    "  stile vault file upload --recursive site/. /site\n" },
	{ "vault file put", cmd_vault_file_put, "FILE", 1, 1, put_options,
	    "Store standard input as a file's next version.",
	    "The same bytes as the latest version's make no new one.\n"
	    "\n"
	    "  echo hello | stile vault file put /drafts/hello.txt --message first\n" },
	{ "vault file get", cmd_vault_get, "FILE", 1, 1, get_options,
	    "Print a file, or write it to a local one.",
	    "Every chunk is verified before it leaves. With --json the content is text, or\n"
	    "base64 where it is none.\n"
	    "\n"
	    "  stile vault file get /drafts/plan.md\n"
	    "  stile vault file get /drafts/plan.md --version 3 --out plan.md\n" },
	{ "vault file info", cmd_vault_file_info, "FILE", 1, 1, no_options,
	    "Show a file: its latest version, tags and metadata.",
	    "  stile vault file info /drafts/plan.md\n" },
	{ "vault file list", cmd_vault_list, "FOLDER", 1, 1, list_options,
	    "List the files in a folder.", "  stile vault file list /drafts\n" },
	{ "vault file find", cmd_vault_file_find, "[FOLDER]", 0, 1, find_options,
	    "Find files by name, tag, metadata, type, date or words.",
	    "What is asked must all be true. Files come by path; with --text the best match\n"
	    "first. Text is found in UTF-8 of at most 1 MiB.\n"
	    "\n"
	    "  stile vault file find --name '*.md' --tag for-review\n"
	    "  stile vault file find /drafts --text 'quarter plan*' --since 2026-11-01\n" },
	{ "vault file move", cmd_vault_entry, "FILE FOLDER", 2, 2, no_options,
	    "Move a file into another folder.",
	    "  stile vault file move /drafts/plan.md /archive\n" },
	{ "vault file rename", cmd_vault_entry, "FILE NAME", 2, 2, no_options, "Rename a file.",
	    "  stile vault file rename /drafts/plan.md outline.md\n" },
	{ "vault file copy", cmd_vault_file_copy, "FILE TARGET", 2, 2, no_options,
	    "Make a new file of a file's latest version.",
	    "Tags and metadata come along. Content is stored once.\n"
	    "\n"
	    "  stile vault file copy /drafts/plan.md /archive/plan.md\n" },
	{ "vault file trash", cmd_vault_entry, "FILE", 1, 1, no_options,
	    "Put a file into the trash.", "  stile vault file trash /drafts/plan.md\n" },
	{ "vault file restore", cmd_vault_entry, "FILE", 1, 1, no_options,
	    "Bring a file back from the trash.", "  stile vault file restore /drafts/plan.md\n" },
	{ "vault file purge", cmd_vault_purge, "FILE", 1, 1, no_options,
	    "Remove a file in the trash for ever.",
	    "All its versions go with it; the audit keeps that it was there.\n"
	    "\n"
	    "  stile vault file purge /drafts/plan.md\n" },
	{ "vault file metadata", cmd_vault_file_metadata, "FILE", 1, 1, metadata_options,
	    "Show a file's metadata, or change it.",
	    "  stile vault file metadata /drafts/plan.md --set status=open --unset due\n" },
	{ "vault file versions", cmd_vault_versions, "FILE", 1, 1, versions_options,
	    "List a file's versions, newest first.",
	    "  stile vault file versions /drafts/plan.md\n" },
	{ "vault file diff", cmd_vault_file_diff, "FILE [FROM [TO]]", 1, 3, no_options,
	    "Show what changed from one version to another.",
	    "Versions are ids or numbers; by default the one before the latest, and the\n"
	    "latest.\n"
	    "\n"
	    "  stile vault file diff /drafts/plan.md 1 3\n" },
	{ "vault file revert", cmd_vault_file_revert, "FILE VERSION", 2, 2, message_options,
	    "Make an old version the latest again.",
	    "A new version with the old content is made; none goes away.\n"
	    "\n"
	    "  stile vault file revert /drafts/plan.md 2\n" },
	{ "vault version get", cmd_vault_get, "VERSION | FILE NUMBER", 1, 2, version_get_options,
	    "Print a version, or write it to a local file.",
	    "  stile vault version get /drafts/plan.md 2\n" },
	{ "vault version show", cmd_vault_version_show, "VERSION | FILE NUMBER", 1, 2, no_options,
	    "Show who made a version, when, and its hash.",
	    "  stile vault version show /drafts/plan.md 2\n" },
	{ "vault version list", cmd_vault_versions, "FILE", 1, 1, versions_options,
	    "List a file's versions, newest first.",
	    "  stile vault version list /drafts/plan.md --limit 5\n" },
	{ "vault tag add", cmd_vault_tag_add, "FILE TAG", 2, 2, no_options, "Tag a file.",
	    "A tag is lower-case words joined by dashes.\n"
	    "\n"
	    "  stile vault tag add /drafts/plan.md for-review\n" },
	{ "vault tag remove", cmd_vault_tag_remove, "FILE TAG", 2, 2, no_options,
	    "Take a tag off a file.", "  stile vault tag remove /drafts/plan.md for-review\n" },
	{ "vault tag list", cmd_vault_tag_list, "REF", 1, 1, no_options,
	    "List the tags of a file, or of all files below a folder.",
	    "  stile vault tag list /\n" },
	{ "vault tag find", cmd_vault_tag_find, "FOLDER TAG", 2, 2, no_options,
	    "List the files below a folder that have a tag.",
	    "  stile vault tag find / for-review\n" },
	{ "vault template create", cmd_vault_template_create, "FOLDER", 1, 1,
	    template_create_options, "Make a folder a template.",
	    "Its file template.yaml, if there is one, declares parameters: docs/vault.md.\n"
	    "Nothing can be made from it until a version is published.\n"
	    "\n"
	    "  stile vault template create /templates/article\n" },
	{ "vault template publish", cmd_vault_template_publish, "TEMPLATE", 1, 1, publish_options,
	    "Keep a template as it is now, as its next version.",
	    "A published version never changes. TEMPLATE is a name, an id or the folder.\n"
	    "\n"
	    "  stile vault template publish article --message 'a stage for pictures'\n" },
	{ "vault template list", cmd_vault_template_list, NULL, 0, 0, no_options,
	    "List the templates that you may use.", "  stile vault template list\n" },
	{ "vault template show", cmd_vault_template_show, "TEMPLATE", 1, 1, template_show_options,
	    "Show a template's parameters and what is in it.",
	    "  stile vault template show article --version 1\n" },
	{ "vault template instantiate", cmd_vault_workspace_instantiate, "TEMPLATE TARGET", 2, 2,
	    instantiate_options, "Make a workspace from a template.",
	    "The same as stile vault workspace instantiate.\n"
	    "\n"
	    "  stile vault template instantiate article /work/owls --set topic=owls\n" },
	{ "vault workspace instantiate", cmd_vault_workspace_instantiate, "TEMPLATE TARGET", 2, 2,
	    instantiate_options, "Make a workspace from a template.",
	    "TARGET is made; the folder above must be there. Holes in names and texts get\n"
	    "the parameters' values.\n"
	    "\n"
	    "  stile vault workspace instantiate article /work/owls --set topic=owls\n" },
	{ "vault workspace derive", cmd_vault_workspace_derive, "WORKSPACE TARGET", 2, 2,
	    derive_options, "Make a workspace from another one, as that is now.",
	    "Contracts, tags and metadata come along. Content is stored once.\n"
	    "\n"
	    "  stile vault workspace derive /work/owls /work/hawks\n" },
	{ "vault workspace list", cmd_vault_workspace_list, NULL, 0, 0, no_options,
	    "List the workspaces that you may read.", "  stile vault workspace list\n" },
	{ "vault workspace info", cmd_vault_workspace_info, "WORKSPACE", 1, 1, no_options,
	    "Show a workspace and what it was made from.",
	    "  stile vault workspace info /work/owls\n" },
	{ "vault workspace lineage", cmd_vault_workspace_lineage, "WORKSPACE", 1, 1, no_options,
	    "Show what a workspace came from, and what that came from.",
	    "It is kept for ever. What you may not see is \"not visible\".\n"
	    "\n"
	    "  stile vault workspace lineage /work/hawks\n" },
	{ "vault workspace walk-test", cmd_vault_workspace_walk_test, "WORKSPACE", 1, 1, no_options,
	    "Go through a workspace's stages as an agent would, and say what would stop it.",
	    "For each stage: its contract, tools that do not exist, inputs that are neither\n"
	    "there nor made by an earlier stage, outputs, and about how many tokens it loads.\n"
	    "The exit status is 3 when there is a fault.\n"
	    "\n"
	    "  stile vault workspace walk-test /work/owls\n" },
	{ "vault workspace checkout", cmd_vault_workspace_checkout, "WORKSPACE DIR", 2, 2,
	    checkout_options, "Make a local copy of a workspace, or bring one up to date.",
	    "DIR is new, empty, or a checkout of the same. All names are checked before\n"
	    "anything is written; nothing is written outside of DIR. What was changed there\n"
	    "is not replaced without --force. DIR/.stile keeps what was checked out.\n"
	    "\n"
	    "  stile vault workspace checkout /work/owls owls\n" },
	{ "vault workspace status", cmd_vault_workspace_status, "DIR", 1, 1, no_options,
	    "Show what changed in a local copy, and in the vault since.",
	    "A link or a special file is refused: never followed, never stored. A .git of\n"
	    "yours is left alone.\n"
	    "\n"
	    "  stile vault workspace status owls\n" },
	{
	    "vault workspace commit",
	    cmd_vault_workspace_commit,
	    "DIR",
	    1,
	    1,
	    commit_options,
	    "Store what changed in a local copy, all of it or nothing.",
	    "Each file must still be at the version that was checked out: if one is not, that\n"
	    "is a CONFLICT and nothing is stored.\n"
	    "\n"
	    "  stile vault workspace commit owls --message 'what they eat'\n",
	},
	{ "vault workspace discard", cmd_vault_workspace_discard, "DIR [PATH…]", 1, 4096,
	    discard_options, "Put changed and deleted files back as they were checked out.",
	    "PATH is one in DIR: a file, or a folder and all in it. New files are left.\n"
	    "\n"
	    "  stile vault workspace discard owls plan.md\n" },
	{ "vault stage list", cmd_vault_stage_list, "WORKSPACE", 1, 1, no_options,
	    "List a workspace's stages in order.", "  stile vault stage list /work/owls\n" },
	{ "vault stage show", cmd_vault_stage_show, "WORKSPACE STAGE", 2, 2, no_options,
	    "Show a stage, its contract and its folders.",
	    "STAGE is its name or its id.\n"
	    "\n"
	    "  stile vault stage show /work/owls 01-research\n" },
	{ "vault scope", cmd_vault_scope, NULL, 0, 0, scope_options,
	    "Show what you may do in a stage: your rank, and what its contract grants.",
	    "The contract is the file CONTEXT.md in the stage's folder. A tool is shown when the\n"
	    "contract names it and your rank reaches the tool's. Servers ask with --record.\n"
	    "\n"
	    "  stile vault scope --workspace /acme --stage 01-research\n" },
	{ "vault export", cmd_vault_export, "DIR [REF]", 1, 2, export_all_options,
	    "Write all that you may read as plain files, for leaving.",
	    "The files go to DIR/files; DIR/manifest.json has ids, versions, hashes, metadata\n"
	    "and tags. REF is a folder, / by default.\n"
	    "\n"
	    "  stile vault export ../everything\n" },
	{ "vault audit list", cmd_vault_audit_list, NULL, 0, 0, events_options,
	    "List what was done in the vault, and by whom.",
	    "Refusals are on record as well. Wants the rank manage on /.\n"
	    "\n"
	    "  stile vault audit list --result PERMISSION_DENIED\n"
	    "  stile vault audit list --object /drafts/plan.md\n"
	    "  stile vault audit list --scope --result denied\n" },
	{ "vault audit verify", cmd_vault_audit_verify, NULL, 0, 0, no_options,
	    "Re-compute the hash chains of that record.",
	    "One chain holds the operations, one the decisions about stages. The exit status is 3 "
	    "when a row is bad, and the first one is named.\n"
	    "\n"
	    "  stile vault audit verify\n" },
	{ "vault audit export", cmd_vault_audit_export, NULL, 0, 0, export_options,
	    "Write that record as JSON lines.",
	    "Each row has its hash and the one before it: docs/vault.md says how to compute\n"
	    "them without stile.\n"
	    "\n"
	    "  stile vault audit export >vault-audit.jsonl\n" },
	{ "vault fsck", cmd_vault_fsck, NULL, 0, 0, fsck_options,
	    "Verify everything that is stored.",
	    "Reads all content of all versions. The exit status is 3 when there is a fault.\n"
	    "\n"
	    "  stile vault fsck\n" },
	{ "vault gc", cmd_vault_gc, NULL, 0, 0, progress_options,
	    "Remove content that nothing uses any more.",
	    "The room it took goes back to the disk. On a full disk first free a little, for\n"
	    "removing needs some, too.\n"
	    "\n"
	    "  stile vault gc\n" },
	{ "vault backup", cmd_vault_backup, "FILE", 1, 1, progress_options,
	    "Copy the whole store to a new file.",
	    "The copy is of one moment; others go on meanwhile. It is a vault.db: to\n"
	    "restore it, put it in a data directory under that name, with no vault.db-wal\n"
	    "of another beside it. Until it is whole it is called FILE.part.\n"
	    "\n"
	    "  stile vault backup /mnt/vault-2026-11-30.db\n",
	    true },
	{ NULL, NULL, NULL, 0, 0, NULL, NULL, NULL },
};
