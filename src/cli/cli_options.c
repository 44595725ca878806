/* SPDX-License-Identifier: MIT */
/* Reads options by the table: "--name value", "--name=value", flags; `--` ends them. A misspelt
 * option is an error, so that a protective one cannot be lost (clients.md Q53). */
#include "cli/cli_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const struct cli_option cli_common_options[CLI_COMMON_OPTIONS] = {
	{ "--json", NULL, CLI_FLAG, offsetof(struct cli_options, is_json),
	    "Print one JSON envelope instead of text." },
	{ "--help", NULL, CLI_FLAG, offsetof(struct cli_options, is_help), "Show this help." },
};

static void release_members(const struct cli_option *const *rows, struct cli_options *options)
{
	for (size_t i = 0; rows != NULL && rows[i] != NULL; i++) {
		void *member = (char *)options + rows[i]->offset;

		if (rows[i]->kind == CLI_LIST)
			strvec_release(member);
		else if (rows[i]->kind == CLI_VALUE)
			free(steal_ptr((char **)member));
	}
}

void cli_options_release(struct cli_options *options)
{
	cli_foreach_command (command)
		release_members(command->options, options);
	for (const struct cli_group *group = cli_groups; group->name != NULL; group++)
		release_members(group->leading, options);
	strvec_release(&options->words);
}

/* The row of that name (len bytes), or NULL. */
static const struct cli_option *find_in(
    const struct cli_option *const *rows, const char *name, size_t len)
{
	for (size_t i = 0; rows != NULL && rows[i] != NULL; i++) {
		if (strlen(rows[i]->name) == len && strncmp(rows[i]->name, name, len) == 0)
			return rows[i];
	}
	return NULL;
}

/* The row of command, or the common one, that name (len bytes) names, or NULL. */
static const struct cli_option *find_option(
    const struct command *command, const char *name, size_t len)
{
	const struct cli_option *option = find_in(command->options, name, len);

	for (size_t i = 0; option == NULL && i < CLI_COMMON_OPTIONS; i++) {
		if (strlen(cli_common_options[i].name) == len &&
		    strncmp(cli_common_options[i].name, name, len) == 0)
			option = &cli_common_options[i];
	}
	return option;
}

/* Where the name of an option ends. */
static size_t name_len(const char *word)
{
	return strcspn(word, "=");
}

/* Takes name for *near where it is as near to word, or nearer; *max: how far off it may be. */
static void try_near(const char *word, const char *name, size_t *max, const char **near)
{
	size_t distance = text_distance(word, name_len(word), name, strlen(name), *max);

	if (distance > *max)
		return;
	*near = name;
	*max = distance > 0 ? distance - 1 : 0;
}

/* The known option that is near word, or NULL; for the error message. */
static const char *nearest_option(const struct command *command, const char *word)
{
	size_t max = text_near_enough(name_len(word));
	const char *near = NULL;

	for (size_t i = 0; command->options[i] != NULL; i++)
		try_near(word, command->options[i]->name, &max, &near);
	for (size_t i = 0; i < CLI_COMMON_OPTIONS; i++)
		try_near(word, cli_common_options[i].name, &max, &near);
	return near;
}

static int store(const struct cli_option *option, const char *value, struct cli_options *options,
    struct err *err)
{
	void *member = (char *)options + option->offset;

	switch (option->kind) {
	case CLI_FLAG:
		if (value != NULL)
			return err_set(err, ERR_USAGE, "%s takes no value", option->name);
		*(bool *)member = true;
		return 0;
	case CLI_VALUE:
		if (*(char **)member != NULL)
			return err_set(err, ERR_USAGE, "%s is given twice", option->name);
		*(char **)member = xstrdup(value);
		return 0;
	case CLI_LIST:
		strvec_push(member, value);
		return 0;
	}
	return err_set(err, ERR_INTERNAL, "option %s", option->name);
}

/* Stores the option at argv[*at]; moves *at past it and its value. */
static int take_option(const struct cli_option *option, int argc, char **argv, int *at,
    struct cli_options *options, struct err *err)
{
	const char *word = argv[(*at)++];
	const char *value = word[name_len(word)] == '=' ? word + name_len(word) + 1 : NULL;

	if (option->kind != CLI_FLAG && value == NULL) {
		if (*at >= argc)
			return err_set(
			    err, ERR_USAGE, "%s wants a value: %s", option->name, option->value);
		value = argv[(*at)++];
	}
	return store(option, value, options, err);
}

static int unknown_option(const struct command *command, const char *word, struct err *err)
{
	const char *near = nearest_option(command, word);

	return near != NULL
		   ? err_set(err, ERR_USAGE, "unknown option %.60s; did you mean %s?", word, near)
		   : err_set(err, ERR_USAGE, "unknown option %.60s; see stile %s --help", word,
			 command->name);
}

/* One option at argv[*at]; moves *at past it and its value. */
static int parse_option(const struct command *command, int argc, char **argv, int *at,
    struct cli_options *options, struct err *err)
{
	const char *word = argv[*at];
	const struct cli_option *option = strcmp(word, "-h") == 0
					      ? &cli_common_options[1]
					      : find_option(command, word, name_len(word));

	if (option == NULL)
		return unknown_option(command, word, err);
	return take_option(option, argc, argv, at, options, err);
}

int cli_parse_leading(const struct cli_group *group, int argc, char **argv,
    struct cli_options *ret_options, int *ret_words, struct err *err)
{
	int at = 1;

	while (at < argc) {
		const struct cli_option *option =
		    find_in(group->leading, argv[at], name_len(argv[at]));

		if (option == NULL)
			break;
		if (take_option(option, argc, argv, &at, ret_options, err) < 0)
			return -1;
	}
	*ret_words = at - 1;
	return 0;
}

static int check_words(
    const struct command *command, const struct cli_options *options, struct err *err)
{
	size_t len = options->words.len;

	if (len < (size_t)command->words_min)
		return err_set(err, ERR_USAGE, "%s wants %s", command->name, command->words);
	if (len > (size_t)command->words_max)
		return err_set(err, ERR_USAGE, "%s: unexpected \"%.60s\"", command->name,
		    options->words.items[command->words_max]);
	return 0;
}

int cli_parse_options(const struct command *command, int argc, char **argv,
    struct cli_options *ret_options, struct err *err)
{
	int at = 0;

	while (at < argc) {
		if (strcmp(argv[at], "--") == 0) {
			for (at++; at < argc; at++)
				strvec_push(&ret_options->words, argv[at]);
		} else if (argv[at][0] == '-' && argv[at][1] != '\0') {
			if (parse_option(command, argc, argv, &at, ret_options, err) < 0)
				return -1;
		} else {
			strvec_push(&ret_options->words, argv[at++]);
		}
	}
	return ret_options->is_help ? 0 : check_words(command, ret_options, err);
}

void cli_write_usage(struct buf *out, const struct command *command)
{
	buf_addf(out, "usage: stile %s", command->name);
	if (command->words != NULL)
		buf_addf(out, " %s", command->words);
	for (size_t i = 0; command->options[i] != NULL; i++) {
		const struct cli_option *option = command->options[i];

		buf_addf(out, " %s%s%s%s%s%s", option->is_required ? "" : "[", option->name,
		    option->value != NULL ? " " : "", option->value != NULL ? option->value : "",
		    option->is_required ? "" : "]", option->kind == CLI_LIST ? "…" : "");
	}
	buf_adds(out, " [--json]\n");
}

static void write_option(struct buf *out, const struct cli_option *option)
{
	buf_addf(out, "  %s%s%s\n      %s\n", option->name, option->value != NULL ? " " : "",
	    option->value != NULL ? option->value : "", option->help);
}

void cli_write_help(struct buf *out, const struct command *command)
{
	buf_addf(out, "%s\n\n", command->summary);
	cli_write_usage(out, command);
	buf_addf(out, "\n%s\nOptions:\n", command->help);
	for (size_t i = 0; command->options[i] != NULL; i++)
		write_option(out, command->options[i]);
	for (size_t i = 0; i < CLI_COMMON_OPTIONS; i++)
		write_option(out, &cli_common_options[i]);
}

/* Does name begin with the words that are prefix? */
static bool is_below(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(name, prefix, len) == 0 && name[len] == ' ';
}

static void write_group_lines(struct buf *out)
{
	for (const struct cli_group *group = cli_groups; group->name != NULL; group++)
		buf_addf(out, "  %-28s %s\n", group->name, group->summary);
}

bool cli_write_overview(struct buf *out, const char *group)
{
	bool is_any = group == NULL;

	if (group == NULL)
		buf_adds(out,
		    "stile lets AI agents reach command-line programs over MCP, and keeps "
		    "everything else out.\n\n");
	buf_addf(out, "usage: stile %s%sCOMMAND [OPTIONS]\n\n", group != NULL ? group : "",
	    group != NULL ? " " : "");
	cli_foreach_command (command) {
		if (group != NULL
			? !is_below(command->name, group)
			: cli_find_group(command->name, strcspn(command->name, " ")) != NULL)
			continue;
		buf_addf(out, "  %-28s %s\n", command->name, command->summary);
		is_any = true;
	}
	if (group == NULL)
		write_group_lines(out);
	buf_adds(out, "\nstile COMMAND --help says more, with examples.\n");
	return is_any;
}
