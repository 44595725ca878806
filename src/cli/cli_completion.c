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

/* One case a command: its words are what has been typed so far. */
static void write_bash(struct buf *out)
{
	buf_adds(out, "_stile() {\n"
		      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} line=${COMP_LINE:0:COMP_POINT} words\n"
		      "\tcase $line in\n");
	for (const struct command *command = cli_commands; command->name != NULL; command++) {
		buf_addf(out, "\t*\"stile %s \"*) words=\"", command->name);
		each_option(command, out, add_word);
		buf_adds(out, "\" ;;\n");
	}
	buf_adds(out, "\t*) words=\"");
	for (const struct command *command = cli_commands; command->name != NULL; command++)
		buf_addf(out, " %s", command->name);
	buf_adds(out,
	    " --help --version\" ;;\n\tesac\n"
	    "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	    "\t[ ${#COMPREPLY[@]} -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	    "}\ncomplete -F _stile stile\n");
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
		buf_adds(&cli->out, "autoload -U +X bashcompinit && bashcompinit\n");
		write_bash(&cli->out);
	} else if (strcmp(shell, "fish") == 0) {
		write_fish(&cli->out);
	} else {
		return err_set(
		    err, ERR_USAGE, "no completions for \"%.20s\": bash, zsh or fish", shell);
	}
	json_write_string_len(&w, cli->out.data, cli->out.len);
	return 0;
}
