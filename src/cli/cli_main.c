/* SPDX-License-Identifier: MIT */
/* From argv to exit status: find the command, parse, run, print. */
#include "cli/cli_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/ids.h"
#include "base/text.h"

/* A reader that is gone wants nothing more; the exit status says what was done all the same. */
static void write_out(int fd, const struct buf *text)
{
	(void)!fd_write_all(fd, text->data, text->len);
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
static void print_envelope(const struct cli *cli, const struct err *err, int exit_status)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);
	char correlation[ID_TEXT_SIZE];

	id_new("cor_", correlation);
	json_write_object_begin(&w);
	json_write_member_string(&w, "schema_version", "1");
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
	write_out(cli->out_fd, &text);
}

/* An error for people; what it quotes of others cannot move the cursor. */
static void print_error(const struct err *err)
{
	cleanup_buf struct buf line = BUF_INIT;

	buf_adds(&line, "stile: ");
	(void)text_add_clean(&line, err->message, strlen(err->message));
	buf_addc(&line, '\n');
	write_out(STDERR_FILENO, &line);
}

static int run_command(struct cli *cli)
{
	cleanup_err struct err err = ERR_INIT;
	int status = cli->command->run(cli, &err);

	if (status < 0)
		status = err_info(err.code)->exit_code;
	if (cli->options.is_json) {
		print_envelope(cli, &err, status);
		return status;
	}
	write_out(cli->out_fd, &cli->out);
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

/* A command line that cannot be parsed; argv is what follows the command's name. */
static int usage_error(const struct cli *cli, int argc, char **argv, const struct err *err)
{
	cleanup_buf struct buf usage = BUF_INIT;
	int status = err_info(ERR_USAGE)->exit_code;

	if (has_json_option(argc, argv))
		print_envelope(cli, err, status);
	print_error(err);
	cli_write_usage(&usage, cli->command);
	write_out(STDERR_FILENO, &usage);
	return status;
}

/* No command of that name: help for a group, or for all. */
static int overview(int argc, char **argv, int out_fd)
{
	cleanup_buf struct buf text = BUF_INIT;
	const char *word = argc > 0 ? argv[0] : NULL;
	size_t len = word != NULL ? strlen(word) : 0;

	if (word != NULL && (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0)) {
		buf_addf(&text, "stile %s\n", STILE_VERSION);
		write_out(out_fd, &text);
		return 0;
	}
	if (word == NULL || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
	    strcmp(word, "help") == 0) {
		cli_write_overview(&text, NULL);
		write_out(word != NULL ? out_fd : STDERR_FILENO, &text);
		return word != NULL ? 0 : err_info(ERR_USAGE)->exit_code;
	}
	for (const struct command *command = cli_commands; command->name != NULL; command++) {
		if (strncmp(command->name, word, len) == 0 && command->name[len] == ' ') {
			bool is_help = argc == 2 && (strcmp(argv[1], "--help") == 0 ||
							strcmp(argv[1], "-h") == 0);

			if (!is_help && argc > 1)
				(void)fprintf(
				    stderr, "stile: no command \"%.60s %.60s\"\n", word, argv[1]);
			cli_write_overview(&text, word);
			write_out(is_help ? out_fd : STDERR_FILENO, &text);
			return is_help ? 0 : err_info(ERR_USAGE)->exit_code;
		}
	}
	(void)fprintf(stderr, "stile: no command \"%.60s\"; see stile --help\n", word);
	return err_info(ERR_USAGE)->exit_code;
}

int cli_main(int argc, char **argv, int out_fd)
{
	struct cli cli = { .out_fd = out_fd, .out = BUF_INIT, .result = BUF_INIT };
	cleanup_err struct err err = ERR_INIT;
	int words = 0;
	int status;

	cli.command = cli_find_command(argc - 1, argv + 1, &words);
	if (cli.command == NULL)
		return overview(argc - 1, argv + 1, out_fd);
	if (cli_parse_options(cli.command, argc - 1 - words, argv + 1 + words, &cli.options, &err) <
	    0) {
		status = usage_error(&cli, argc - 1 - words, argv + 1 + words, &err);
	} else if (cli.options.is_help) {
		cli_write_help(&cli.out, cli.command);
		write_out(out_fd, &cli.out);
		status = 0;
	} else {
		status = run_command(&cli);
	}
	cli_options_release(&cli.options);
	buf_release(&cli.out);
	buf_release(&cli.result);
	free(cli.code);
	return status;
}
