/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_INTERNAL_H
#define CLI_CLI_INTERNAL_H

/* What the command files share: rows of the two tables (commands, options), and output. */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/ids.h"
#include "base/strvec.h"
#include "cli/cli.h"
#include "json/json.h"

/* ---- options: a row is the only place to touch ---- */

/* Everything that any command can be given; a command reads the members of its own options. */
struct cli_options {
	bool is_json;
	bool is_help;
	bool is_stdio;
	struct strvec surfaces;
	struct strvec roots;
	char *workspace;
	char *stage;
	char *stage_dir;
	char *scope_ttl;
	struct strvec allow_write;
	struct strvec allow_noninteractive_write;
	struct strvec allow_exec;
	struct strvec allow_version_drift;
	char *tree;
	bool is_open;
	char *kind;
	char *tool;
	char *code;
	char *after;
	char *limit;
	/* The vault's (cli_vault_commands.c). */
	char *within;
	char *org;
	char *owner;
	char *out;
	char *expires_in;
	char *depth;
	char *message;
	char *media_type;
	char *expect;
	char *version;
	char *max_size;
	char *skip;
	char *principal;
	char *entry;
	char *operation;
	char *correlation;
	char *progress;
	char *name;
	char *text;
	char *since;
	char *until;
	bool is_effective;
	bool has_parents;
	bool is_trash;
	bool is_recursive;
	bool is_new;
	bool is_force;
	bool is_text;
	bool is_repair_index;
	bool is_record;
	bool is_scope;
	bool is_demo;
	bool has_deletions;
	bool is_onto_latest;
	bool is_all;
	struct strvec set;
	struct strvec unset;
	struct strvec tags;
	struct strvec metadata;
	/* Those of plans, policy, operations and sessions (cli_records_commands.c). */
	char *title;
	char *label;
	char *project;
	char *app;
	char *status;
	char *step;
	char *note;
	char *reason;
	char *if_rev;
	char *expect_hash;
	bool is_unresolved;
	struct strvec plans;
	struct strvec operations;
	struct strvec deployments;
	struct strvec words; /* what is no option */
};

enum cli_option_kind { CLI_FLAG, CLI_VALUE, CLI_LIST };

struct cli_option {
	const char *name;  /* with its dashes */
	const char *value; /* what help calls the value; NULL for a flag */
	enum cli_option_kind kind;
	size_t offset; /* of the member in struct cli_options */
	const char *help;
	bool is_required; /* for usage lines; the command itself says what is missing */
};

/* What every command takes: --json, --help. */
#define CLI_COMMON_OPTIONS 2
extern const struct cli_option cli_common_options[CLI_COMMON_OPTIONS];

/* ---- commands ---- */

/* What a command gets and gives. */
struct cli {
	const struct command *command;
	struct cli_options options;
	int out_fd;        /* where protocol goes (mcp serve) */
	struct buf out;    /* text for people; written at the end, unless --json */
	struct buf result; /* JSON of the envelope's `result`; empty: none */
	char *code; /* a surface's own name for the failure, said in place of err's; or NULL */
	char correlation[ID_TEXT_SIZE]; /* of the envelope; empty: a new one */
	char operation[ID_TEXT_SIZE];   /* operation that stands behind the answer; empty: none */
};

struct command {
	const char *name;                             /* "surface check" */
	int (*run)(struct cli *cli, struct err *err); /* exit status, or -1 with err */
	const char *words; /* positional words for the usage line, or NULL */
	int words_min;
	int words_max;
	const struct cli_option *const *options; /* NULL-terminated; besides --json and --help */
	const char *summary;                     /* one line */
	const char *help;                        /* a paragraph and at least one example */
	bool is_for_people; /* refused to what the boundary started (STILE_CALLER) */
};

/* All commands, group by group: the first one for NULL, NULL after the last. */
const struct command *cli_next_command(const struct command *command);
#define cli_foreach_command(command)                                                               \
	for (const struct command *command = cli_next_command(NULL); (command) != NULL;            \
	     (command) = cli_next_command(command))

/* A group of many commands is one line of the overview; its own overview has them all. It may be
 * given options before its commands' names: those of the boundary, which help does not show. */
struct cli_group {
	const char *name;
	const char *summary;
	const struct cli_option *const *leading; /* NULL-terminated, or NULL */
	/* What no word after the group's name may be, whatever the command; ERR_USAGE. Or NULL. */
	int (*check)(int argc, char **argv, struct err *err);
};
extern const struct cli_group cli_groups[]; /* ends with a NULL name */

/* The group of that name, or NULL. */
const struct cli_group *cli_find_group(const char *name, size_t len);

/* The command that the leading words name, and how many words that took; or NULL. */
const struct command *cli_find_command(int argc, char **argv, int *ret_words);

/* The command, or the group of some, that the leading words most likely meant: the beginning of
 * *ret_name, of the length that is returned; 0: none is near. */
size_t cli_nearest_command(int argc, char **argv, const char **ret_name);

/* Parses what follows the command's name. ERR_USAGE names the option, and the nearest known one. */
int cli_parse_options(const struct command *command, int argc, char **argv,
    struct cli_options *ret_options, struct err *err) MUST_CHECK;

/* Parses the options between a group's name, argv[0], and what follows; *ret_words: how many words
 * they took. */
int cli_parse_leading(const struct cli_group *group, int argc, char **argv,
    struct cli_options *ret_options, int *ret_words, struct err *err) MUST_CHECK;
void cli_options_release(struct cli_options *options);

struct call;
struct host;
struct host_options;
struct loop;

/* Copies into launch options what the commands share that serve surfaces, and checks what can be
 * checked without looking: ERR_USAGE. */
int cli_fill_host_options(const struct cli_options *from, struct host_options *to, struct err *err)
    MUST_CHECK;

/* Does each --allow option name a surface that is served? A typo would switch nothing on, and nobody
 * would notice. ERR_USAGE. */
int cli_check_allowed(const struct host *host, const struct host_options *options, struct err *err)
    MUST_CHECK;

/* The arguments of a tool: the word, or, where it is "-", standard input; NULL: {}. ERR_USAGE. */
int cli_read_arguments(const char *word, struct json_doc *ret_doc, struct err *err) MUST_CHECK;

/* Starts the one call of this command and runs the loop until its done function stops that. */
int cli_run_call(struct loop *loop, struct host *host, struct call *call, struct err *err)
    MUST_CHECK;

void cli_write_usage(struct buf *out, const struct command *command);
void cli_write_help(struct buf *out, const struct command *command);

/* The commands whose names begin with group, or (NULL) all; false: there are none. */
bool cli_write_overview(struct buf *out, const char *group);

struct surface;

/* The summary of a surface as JSON and as text. */
int cli_summarise_surface(const struct surface *surface, struct buf *ret_json, struct buf *ret_text,
    struct err *err) MUST_CHECK;

/* The command files' entries. */
int cmd_audit_export(struct cli *cli, struct err *err);
int cmd_audit_list(struct cli *cli, struct err *err);
int cmd_audit_verify(struct cli *cli, struct err *err);
int cmd_call(struct cli *cli, struct err *err);
int cmd_completion(struct cli *cli, struct err *err);
int cmd_mcp_serve(struct cli *cli, struct err *err);
int cmd_surface_check(struct cli *cli, struct err *err);
int cmd_surface_coverage(struct cli *cli, struct err *err);
int cmd_surface_list(struct cli *cli, struct err *err);
int cmd_surface_schema(struct cli *cli, struct err *err);
int cmd_surface_show(struct cli *cli, struct err *err);
int cmd_surface_trust(struct cli *cli, struct err *err);

/* ---- tables for people ---- */

struct cli_table {
	size_t columns;
	struct strvec cells; /* row by row; the first row is the heading */
};

void cli_table_release(struct cli_table *table);
/* Adds one row of table->columns texts. */
void cli_table_row(struct cli_table *table, const char *const *cells);
/* Appends the table, columns aligned; control characters made visible. */
void cli_table_write(const struct cli_table *table, struct buf *out);

/* ---- the terminal itself ---- */

/*
 * Shows text on /dev/tty and asks the person to type wanted. ERR_WRITE_DECLINED when something
 * else was typed, ERR_WRITE_CONFIRMATION_UNAVAILABLE without a terminal. There is no way around it.
 */
bool cli_tty_is_there(void);
int cli_tty_confirm(const char *text, const char *wanted, struct err *err) MUST_CHECK;

/* Reads one line of at most size - 1 bytes from standard input; where that is a terminal, asks and
 * does not show what is typed. The caller wipes line. ERR_CANCELLED when it was broken off. */
int cli_tty_read_secret(const char *prompt, char *line, size_t size, struct err *err) MUST_CHECK;

#endif
