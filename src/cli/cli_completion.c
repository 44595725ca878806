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

/* How long the first `words` words of name are; 0 when it has no more than these. */
static size_t prefix_len(const char *name, int words)
{
	const char *space = name;

	while (words-- > 0) {
		space = strchr(space == name ? name : space + 1, ' ');
		if (space == NULL)
			return 0;
	}
	return (size_t)(space - name);
}

/* Does name begin with the words that are prefix (len bytes)? */
static bool is_below(const char *name, const char *prefix, size_t len)
{
	return strncmp(name, prefix, len) == 0 && name[len] == ' ';
}

static size_t word_len(const char *text)
{
	return strcspn(text, " ");
}

/* What may follow the words that are prefix: each word once. */
static void write_next_words(struct buf *out, const char *prefix, size_t len)
{
	const char *last = "";

	cli_foreach_command (command) {
		const char *word = command->name + len + 1;

		if (!is_below(command->name, prefix, len) ||
		    (word_len(last) == word_len(word) && strncmp(last, word, word_len(word)) == 0))
			continue;
		buf_addf(out, "%s%.*s", *last != '\0' ? " " : "", (int)word_len(word), word);
		last = word;
	}
}

/* One case for each group whose name is `words` words. */
static void write_groups(struct buf *out, int words)
{
	const char *last = "";

	cli_foreach_command (command) {
		size_t len = prefix_len(command->name, words);

		if (len == 0 || is_below(last, command->name, len))
			continue;
		buf_addf(out, "\t*\"stile %.*s \"*) choices=\"", (int)len, command->name);
		write_next_words(out, command->name, len);
		buf_adds(out, "\" ;;\n");
		last = command->name;
	}
}

/* The first word of each command, once. */
static void write_first_words(struct buf *out)
{
	const char *last = "";

	cli_foreach_command (command) {
		size_t len = word_len(command->name);

		if (word_len(last) == len && strncmp(last, command->name, len) == 0)
			continue;
		buf_addf(out, "%.*s ", (int)len, command->name);
		last = command->name;
	}
}

/* What may follow the words typed so far ($line), for shells that know `case`: options of a
 * command, commands of a group, groups; the longest name first. Sets $choices. */
static void write_cases(struct buf *out)
{
	buf_adds(out, "\tcase $line in\n");
	cli_foreach_command (command) {
		buf_addf(out, "\t*\"stile %s \"*) choices=\"", command->name);
		each_option(command, out, add_word);
		buf_adds(out, "\" ;;\n");
	}
	write_groups(out, 2);
	write_groups(out, 1);
	buf_adds(out, "\t*) choices=\"");
	write_first_words(out);
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

/* The words of one command, each where those before it stand. */
static void add_fish_words(struct buf *out, const struct command *command)
{
	const char *name = command->name;
	size_t len = word_len(name);

	buf_addf(out, "complete -c stile -n __fish_use_subcommand -a %.*s\n", (int)len, name);
	for (; name[len] == ' '; len += 1 + word_len(name + len + 1)) {
		buf_addf(out,
		    "complete -c stile -n 'string match -qr \"stile %.*s +\\\\S*\\$\" -- "
		    "(commandline "
		    "-cp)' -a %.*s\n",
		    (int)len, name, (int)word_len(name + len + 1), name + len + 1);
	}
}

static void write_fish(struct buf *out)
{
	cli_foreach_command (command) {
		add_fish_words(out, command);
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
