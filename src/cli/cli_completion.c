/* SPDX-License-Identifier: MIT */
/* stile completion: shell completions made from the tables of commands and options. */
#include "cli/cli_internal.h"

#include <string.h>

/* Calls fn for each option of command, --json and --help included. */
static void each_option(const struct command *command, struct buf *out,
    void (*fn)(struct buf *out, const struct command *command, const char *name))
{
	for (size_t i = 0; command->options[i] != NULL; i++)
		fn(out, command, command->options[i]->name);
	fn(out, command, "--json");
	fn(out, command, "--help");
}

static void add_word(struct buf *out, const struct command *command, const char *name)
{
	(void)command;
	buf_addf(out, " %s", name);
}

/* The first word of a command of two, or all of its name. */
static int group_len(const struct command *command)
{
	return (int)strcspn(command->name, " ");
}

static bool begins_group(const struct command *command)
{
	return command == cli_commands || group_len(command - 1) != group_len(command) ||
	       strncmp(command[-1].name, command->name, (size_t)group_len(command)) != 0;
}

/* The commands of a group: their second words. */
static void write_group(struct buf *out, const struct command *first)
{
	int len = group_len(first);

	buf_addf(out, "\t*\"stile %.*s \"*) choices=\"", len, first->name);
	for (const struct command *command = first; command->name != NULL; command++) {
		if (command != first && begins_group(command))
			break;
		buf_addf(out, "%s%s", command != first ? " " : "", command->name + len + 1);
	}
	buf_adds(out, "\" ;;\n");
}

/* What may follow the words typed so far ($line), for shells that know `case`: options of a
 * command, commands of a group, groups. Sets $choices. */
static void write_cases(struct buf *out)
{
	buf_adds(out, "\tcase $line in\n");
	for (const struct command *command = cli_commands; command->name != NULL; command++) {
		buf_addf(out, "\t*\"stile %s \"*) choices=\"", command->name);
		each_option(command, out, add_word);
		buf_adds(out, "\" ;;\n");
	}
	for (const struct command *command = cli_commands; command->name != NULL; command++) {
		if (begins_group(command) && strchr(command->name, ' ') != NULL)
			write_group(out, command);
	}
	buf_adds(out, "\t*) choices=\"");
	for (const struct command *command = cli_commands; command->name != NULL; command++) {
		if (begins_group(command))
			buf_addf(out, "%.*s ", group_len(command), command->name);
	}
	buf_adds(out, "--help --version\" ;;\n\tesac\n");
}

static void write_bash(struct buf *out)
{
	buf_adds(out,
	    "_stile() {\n"
	    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} line=${COMP_LINE:0:COMP_POINT} choices\n");
	write_cases(out);
	buf_adds(out,
	    "\tmapfile -t COMPREPLY < <(compgen -W \"$choices\" -- \"$cur\")\n"
	    "\t[ ${#COMPREPLY[@]} -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	    "}\ncomplete -F _stile stile\n");
}

/* For a folder of $fpath, where the first line counts, and to be sourced as well. */
static void write_zsh(struct buf *out)
{
	buf_adds(out, "#compdef stile\n"
		      "_stile() {\n"
		      "\tlocal line=\"${(j: :)words[1,CURRENT-1]} \" choices\n");
	write_cases(out);
	buf_adds(out, "\tcompadd -- ${=choices}\n"
		      "\t_files\n"
		      "}\n"
		      "if [ \"$funcstack[1]\" = _stile ]; then\n"
		      "\t_stile \"$@\"\n"
		      "else\n"
		      "\tcompdef _stile stile\n"
		      "fi\n");
}

static void add_fish_option(struct buf *out, const struct command *command, const char *name)
{
	buf_addf(out,
	    "complete -c stile -n 'string match -q \"*stile %s *\" -- (commandline -cp)' -l %s\n",
	    command->name, name + 2);
}

static void write_fish(struct buf *out)
{
	for (const struct command *command = cli_commands; command->name != NULL; command++) {
		const char *space = strchr(command->name, ' ');
		size_t len =
		    space != NULL ? (size_t)(space - command->name) : strlen(command->name);

		buf_addf(out, "complete -c stile -n __fish_use_subcommand -a %.*s\n", (int)len,
		    command->name);
		if (space != NULL)
			buf_addf(out,
			    "complete -c stile -n '__fish_seen_subcommand_from %.*s' -a %s\n",
			    (int)len, command->name, space + 1);
		each_option(command, out, add_fish_option);
	}
}

int cmd_completion(struct cli *cli, struct err *err)
{
	const char *shell = cli->options.words.items[0];
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	if (strcmp(shell, "bash") == 0) {
		write_bash(&cli->out);
	} else if (strcmp(shell, "zsh") == 0) {
		write_zsh(&cli->out);
	} else if (strcmp(shell, "fish") == 0) {
		write_fish(&cli->out);
	} else {
		return err_set(
		    err, ERR_USAGE, "no completions for \"%.20s\": bash, zsh or fish", shell);
	}
	json_write_string_len(&w, cli->out.data, cli->out.len);
	return 0;
}
