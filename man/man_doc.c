/* SPDX-License-Identifier: MIT */
/*
 * Prints stile.1 from the tables that --help and parsing read: man_doc BEFORE AFTER >stile.1
 *
 * Synopsis, commands and options come from src/cli/, exit statuses from base/err_codes.h. What no
 * table knows is prose and stands in two files beside this one: BEFORE the commands and AFTER.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cli/cli_internal.h"

#define EXIT_STATUS_MAX 255

/* Text as text: a dash stays a dash, a backslash one; no line begins a macro. */
static void put_text(const char *text, size_t len)
{
	if (len > 0 && (text[0] == '.' || text[0] == '\''))
		(void)fputs("\\&", stdout);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '-')
			(void)fputs("\\-", stdout);
		else if (text[i] == '\\')
			(void)fputs("\\e", stdout);
		else
			(void)putchar(text[i]);
	}
}

static void put(const char *text)
{
	put_text(text, strlen(text));
}

/* One line of a help text: indented lines are examples and keep their form. */
static void put_help_line(const char *line, size_t len, bool *is_example)
{
	bool is_indented = len > 2 && strncmp(line, "  ", 2) == 0;

	if (len == 0 && *is_example)
		return; /* .EE and what follows make the space */
	if (len == 0) {
		(void)puts(".PP");
		return;
	}
	if (is_indented != *is_example)
		(void)puts(is_indented ? ".PP\n.EX" : ".EE\n.PP");
	*is_example = is_indented;
	put_text(is_indented ? line + 2 : line, is_indented ? len - 2 : len);
	(void)putchar('\n');
}

static void put_help(const char *help)
{
	bool is_example = false;

	while (*help != '\0') {
		size_t len = strcspn(help, "\n");
		bool is_paragraph = len == 0 && strncmp(help + 1, "  ", 2) != 0;

		if (len > 0 || is_paragraph)
			put_help_line(help, len, &is_example);
		help += len + (help[len] == '\n' ? 1 : 0);
	}
	if (is_example)
		(void)puts(".EE");
}

static void put_option(const struct cli_option *option)
{
	(void)fputs(".TP\n\\fB", stdout);
	put(option->name);
	(void)fputs("\\fR", stdout);
	if (option->value != NULL)
		(void)printf(" \\fI%s\\fR", option->value);
	(void)putchar('\n');
	put(option->help);
	(void)putchar('\n');
}

static void put_synopsis(const struct command *command)
{
	(void)printf(".SY stile\n\\fB%s\\fR\n", command->name);
	if (command->words != NULL)
		(void)printf("\\fI%s\\fR\n", command->words);
	for (size_t i = 0; command->options[i] != NULL; i++) {
		const struct cli_option *option = command->options[i];

		(void)fputs(option->is_required ? "\\fB" : "[\\fB", stdout);
		put(option->name);
		(void)fputs("\\fR", stdout);
		if (option->value != NULL)
			(void)printf("\\~\\fI%s\\fR", option->value);
		(void)printf("%s%s\n", option->is_required ? "" : "]",
		    option->kind == CLI_LIST ? "..." : "");
	}
	(void)puts("[\\fB\\-\\-json\\fR]\n.YS\n.PP");
}

static void put_commands(void)
{
	(void)puts(".SH COMMANDS");
	cli_foreach_command (command) {
		(void)printf(".SS stile %s\n", command->name);
		put(command->summary);
		(void)putchar('\n');
		put_synopsis(command);
		put_help(command->help);
		for (size_t i = 0; command->options[i] != NULL; i++)
			put_option(command->options[i]);
	}
	(void)puts(".SS Every command takes");
	for (size_t i = 0; i < CLI_COMMON_OPTIONS; i++)
		put_option(&cli_common_options[i]);
}

/* The codes that a command ends with this status for. */
static void put_exit_status(int status)
{
	const char *between = "";

	(void)printf(".TP\n.B %d\n", status);
	for (int code = ERR_NONE + 1; code < ERR_CODE_COUNT; code++) {
		const struct err_info *info = err_info((enum err_code)code);

		if (info->exit_code == status) {
			(void)printf("%s%s", between, info->wire);
			between = ",\n";
		}
	}
	(void)putchar('\n');
}

static bool is_exit_status(int status)
{
	for (int code = ERR_NONE + 1; code < ERR_CODE_COUNT; code++) {
		if (err_info((enum err_code)code)->exit_code == status)
			return true;
	}
	return false;
}

static void put_exit_statuses(void)
{
	(void)puts(".SH EXIT STATUS\n.TP\n.B 0\nSuccess.");
	for (int status = 1; status <= EXIT_STATUS_MAX; status++) {
		if (is_exit_status(status))
			put_exit_status(status);
	}
	(void)puts(".PP\nWhat each code means is told in docs/errors.md.");
}

static int put_file(const char *path)
{
	FILE *file = fopen(path, "re");
	int c;

	if (file == NULL) {
		(void)fprintf(stderr, "man_doc: %s cannot be read\n", path);
		return -1;
	}
	while ((c = getc(file)) != EOF)
		(void)putchar(c);
	(void)fclose(file);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		(void)fputs("usage: man_doc BEFORE AFTER\n", stderr);
		return 2;
	}
	(void)puts(".\\\" Made by man/man_doc.c from the tables of --help; do not edit.");
	(void)puts(".TH STILE 1 \"\" \"stile " STILE_VERSION "\" \"User commands\"");
	if (put_file(argv[1]) < 0)
		return 1;
	put_commands();
	put_exit_statuses();
	return put_file(argv[2]) < 0 ? 1 : 0;
}
