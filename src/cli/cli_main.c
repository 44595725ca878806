/* SPDX-License-Identifier: MIT */
/* From argv to exit status: find the command, parse, run, print. */
#include "cli/cli_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/ids.h"
#include "base/text.h"

static void write_log(const struct buf *text)
{
	(void)!fd_write_all(STDERR_FILENO, text->data, text->len);
}

/* An error for people; what it quotes of others cannot move the cursor. */
static void print_error(const struct err *err)
{
	cleanup_buf struct buf line = BUF_INIT;

	buf_adds(&line, "stile: ");
	(void)text_add_clean(&line, err->message, strlen(err->message));
	buf_addc(&line, '\n');
	write_log(&line);
}

/* The answer; the exit status with it. A reader that is gone wants nothing more, and the status says
 * what was done all the same; an answer that is lost in another way is an error. */
static int write_out(int fd, const struct buf *text, int status)
{
	cleanup_err struct err err = ERR_INIT;

	if (fd_write_all(fd, text->data, text->len) == 0 || errno == EPIPE)
		return status;
	(void)err_errno(&err, errno, "the output could not be written (what was done stands)");
	print_error(&err);
	return err_info(err.code)->exit_code;
}

/* The `error` member of an envelope (plan-deploy.md §1.3). */
static void write_error(
    struct json_writer *w, const char *code, const struct err *err, int exit_status)
{
	json_write_key(w, "error");
	json_write_object_begin(w);
	json_write_member_string(w, "code", code != NULL ? code : err_info(err->code)->wire);
	json_write_member_string(w, "message", err->message);
	json_write_member_int(w, "exit_code", exit_status);
	json_write_member_bool(w, "retryable", err->retryable);
	if (err->details != NULL)
		json_write_member_raw(w, "details", err->details);
	json_write_object_end(w);
}

/* Exactly one envelope (DESIGN §1). */
static int print_envelope(const struct cli *cli, const struct err *err, int exit_status)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);
	char correlation[ID_TEXT_SIZE];

	id_new("cor_", correlation);
	if (cli->correlation[0] != '\0')
		memcpy(correlation, cli->correlation, sizeof(correlation));
	json_write_object_begin(&w);
	json_write_member_string(&w, "schema_version", "1");
	if (cli->operation[0] != '\0')
		json_write_member_string(&w, "operation_id", cli->operation);
	json_write_member_string(&w, "correlation_id", correlation);
	json_write_member_string(&w, "status", err_is_set(err) ? "failed" : "succeeded");
	if (cli->result.len > 0) {
		json_write_key(&w, "result");
		json_write_raw(&w, cli->result.data, cli->result.len);
	}
	if (err_is_set(err))
		write_error(&w, cli->code, err, exit_status);
	json_write_object_end(&w);
	buf_addc(&text, '\n');
	return write_out(cli->out_fd, &text, exit_status);
}

/* Runs the command; what it has to say must be whole. */
static int run(struct cli *cli, struct err *err)
{
	int status;

	if (cli->command->is_for_people && getenv("STILE_CALLER") != NULL)
		return err_set(err, ERR_PERMISSION_DENIED,
		    "stile %s is for people, not for a program behind the boundary",
		    cli->command->name);
	if (cli->command->is_for_people &&
	    (cli->options.within != NULL || cli->options.roots.len > 0))
		return err_set(err, ERR_USAGE, "stile %s cannot be limited to a part of the vault",
		    cli->command->name);
	status = cli->command->run(cli, err);
	if (status >= 0 && (buf_check(&cli->out, "the output", err) < 0 ||
			       buf_check(&cli->result, "the output", err) < 0)) {
		buf_reset(&cli->result);
		return -1;
	}
	return status;
}

static int run_command(struct cli *cli)
{
	cleanup_err struct err err = ERR_INIT;
	int status = run(cli, &err);

	if (status < 0)
		status = err_info(err.code)->exit_code;
	if (cli->options.is_json)
		return print_envelope(cli, &err, status);
	status = write_out(cli->out_fd, &cli->out, status);
	if (err_is_set(&err))
		print_error(&err);
	return status;
}

static bool has_json_option(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--json") == 0)
			return true;
	}
	return false;
}

/* A command line that cannot be parsed; argv is what follows the command's name, where one is
 * known by then. */
static int usage_error(const struct cli *cli, int argc, char **argv, const struct err *err)
{
	cleanup_buf struct buf usage = BUF_INIT;
	int status = err_info(ERR_USAGE)->exit_code;

	if (has_json_option(argc, argv))
		(void)print_envelope(cli, err, status);
	print_error(err);
	if (cli->command != NULL)
		cli_write_usage(&usage, cli->command);
	write_log(&usage);
	return status;
}

/* The leading words up to an option. */
static int count_words(int argc, char **argv)
{
	int n = 0;

	while (n < argc && argv[n][0] != '-')
		n++;
	return n;
}

/* The same, with a space between; owned. */
static char *join_words(int len, char **argv)
{
	struct buf words = BUF_INIT;

	for (int i = 0; i < len; i++)
		buf_addf(&words, "%s%s", i > 0 ? " " : "", argv[i]);
	return words.len > 0 ? buf_detach(&words) : xstrdup("");
}

/* How many of the words, from the first, are a group of commands. */
static int count_group(int argc, char **argv)
{
	for (int len = count_words(argc, argv); len > 0; len--) {
		cleanup_buf struct buf overview = BUF_INIT;
		cleanup_free char *words = join_words(len, argv);

		if (cli_write_overview(&overview, words))
			return len;
	}
	return 0;
}

/* There is no such command: one line, for a list of all would hide it. What follows the word that
 * is none may be arguments. */
static int no_command(const struct cli *cli, int argc, char **argv)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf hint = BUF_INIT;
	int group = count_group(argc, argv);
	int words = count_words(argc, argv);
	cleanup_free char *group_words = join_words(group, argv);
	cleanup_free char *unknown = join_words(group + 1, argv);
	const char *near = NULL;
	size_t near_len = 0;

	for (int len = words; len > group && near_len == 0; len--)
		near_len = cli_nearest_command(len, argv, &near);
	if (near_len > 0)
		buf_addf(&hint, "did you mean stile %.*s? ", (int)near_len, near);
	(void)err_set(&err, ERR_USAGE, "no command \"%.60s\"; %ssee stile%s%s --help", unknown,
	    hint.len > 0 ? hint.data : "", group > 0 ? " " : "", group_words);
	return usage_error(cli, argc, argv, &err);
}

/* No command of that name: help for a group, or for all. */
static int overview(const struct cli *cli, int argc, char **argv)
{
	cleanup_buf struct buf text = BUF_INIT;
	int len = count_words(argc, argv);
	cleanup_free char *words = join_words(len, argv);
	const char *first = argc > 0 ? argv[0] : "help";
	const char *last = len + 1 == argc ? argv[len] : "";
	bool is_help = strcmp(last, "--help") == 0 || strcmp(last, "-h") == 0;

	if (strcmp(first, "--version") == 0 || strcmp(first, "version") == 0) {
		buf_addf(&text, "stile %s\n", STILE_VERSION);
		return write_out(cli->out_fd, &text, 0);
	}
	if (argc == 0 || strcmp(first, "help") == 0 || (is_help && len == 0))
		(void)cli_write_overview(&text, NULL);
	else if (len == 0 || !cli_write_overview(&text, words))
		return no_command(cli, argc, argv);
	if (is_help || strcmp(first, "help") == 0)
		return write_out(cli->out_fd, &text, 0);
	write_log(&text);
	return err_info(ERR_USAGE)->exit_code;
}

/* Takes the options that stand between a group's name and its command out of argv. */
static int take_leading(int *argc, char ***argv, struct cli_options *options, struct err *err)
{
	const struct cli_group *group =
	    *argc > 0 ? cli_find_group((*argv)[0], strlen((*argv)[0])) : NULL;
	int words = 0;

	if (group == NULL)
		return 0;
	if ((group->check != NULL && group->check(*argc, *argv, err) < 0) ||
	    cli_parse_leading(group, *argc, *argv, options, &words, err) < 0)
		return -1;
	(*argv)[words] = (*argv)[0];
	*argv += words;
	*argc -= words;
	return 0;
}

/* What was typed: a command, or a wish for help. */
static int dispatch(struct cli *cli, int argc, char **argv)
{
	cleanup_err struct err err = ERR_INIT;
	int words = 0;

	if (take_leading(&argc, &argv, &cli->options, &err) < 0)
		return usage_error(cli, argc, argv, &err);
	cli->command = cli_find_command(argc, argv, &words);
	if (cli->command == NULL)
		return overview(cli, argc, argv);
	if (cli_parse_options(cli->command, argc - words, argv + words, &cli->options, &err) < 0)
		return usage_error(cli, argc - words, argv + words, &err);
	if (!cli->options.is_help)
		return run_command(cli);
	cli_write_help(&cli->out, cli->command);
	return write_out(cli->out_fd, &cli->out, 0);
}

int cli_main(int argc, char **argv, int out_fd)
{
	struct cli cli = { .out_fd = out_fd, .out = BUF_INIT, .result = BUF_INIT };
	int status = dispatch(&cli, argc - 1, argv + 1);

	cli_options_release(&cli.options);
	buf_release(&cli.out);
	buf_release(&cli.result);
	free(cli.code);
	return status;
}
