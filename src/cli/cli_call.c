/* SPDX-License-Identifier: MIT */
/* stile call: one tool call from the command line, through the same stages as tools/call. */
#include "cli/cli_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/loop.h"
#include "call/call.h"

/* What the call leaves for the command. */
struct caller {
	struct cli *cli;
	struct loop *loop;
	struct call *call;
	char *question; /* to be asked on the terminal; owned */
	struct err err;
};

/* Asks on the terminal. The gate asked whether there is one; that it is gone now is no yes. */
static void ask_person(void *ctx)
{
	struct caller *caller = ctx;
	cleanup_free char *text = xasprintf("%s\nType yes to allow it: ", caller->question);
	cleanup_err struct err err = ERR_INIT;
	enum call_answer answer = CALL_ACCEPTED;

	if (cli_tty_confirm(text, "yes", &err) < 0)
		answer = err.code == ERR_WRITE_DECLINED ? CALL_DECLINED : CALL_ASK_FAILED;
	call_answer(caller->call, answer);
}

static void on_ask(void *ctx, struct call *call, const char *question)
{
	struct caller *caller = ctx;

	(void)call;
	free(caller->question);
	caller->question = xstrdup(question);
	(void)loop_add_timer(caller->loop, 0, ask_person, caller);
}

static void keep_failure(struct caller *caller, const struct surface_result *result)
{
	static const char fallback[] = "the tool reported failure";
	const char *text = result->has_text ? result->text.data : fallback;
	enum err_code code = result->code != NULL ? err_find(result->code) : ERR_CODE_COUNT;

	/* A surface's own code is text, and of the class of a program's failure. */
	if (code == ERR_CODE_COUNT) {
		code = ERR_PROGRAM_FAILED;
		caller->cli->code = result->code != NULL ? xstrdup(result->code) : NULL;
	}
	err_set(&caller->err, code, "%s", text);
	caller->err.retryable = result->retryable;
}

static void on_done(void *ctx, const struct call_outcome *outcome)
{
	struct caller *caller = ctx;
	const struct surface_result *result = &outcome->result;
	struct cli *cli = caller->cli;

	loop_stop(caller->loop);
	if (err_is_set(&outcome->err)) {
		err_set(&caller->err, outcome->err.code, "%s", outcome->err.message);
		return;
	}
	buf_add(&cli->result, result->json.data, result->json.len);
	if (result->is_error) {
		keep_failure(caller, result);
		return;
	}
	if (result->has_text)
		buf_add(&cli->out, result->text.data, result->text.len);
	else
		buf_add(&cli->out, result->json.data, result->json.len);
	buf_addc(&cli->out, '\n');
}

static int call_tool(struct cli *cli, struct loop *loop, struct host *host, struct err *err)
{
	const struct strvec *words = &cli->options.words;
	struct caller caller = { .cli = cli, .loop = loop };
	const struct call_client client = {
		.name = "stile call",
		.can_ask = cli_tty_is_there(),
		.ask = on_ask,
		.ask_ctx = &caller,
	};
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const struct json *arguments;
	int result;

	if (cli_read_arguments(words->len > 1 ? words->items[1] : NULL, &doc, err) < 0)
		return -1;
	arguments = json_root(&doc);
	caller.call = call_new(host, &client, words->items[0], &doc, arguments, on_done, &caller);
	result = cli_run_call(loop, host, caller.call, err);
	if (result == 0 && err_is_set(&caller.err)) {
		err_move(err, &caller.err);
		result = -1;
	}
	err_release(&caller.err);
	free(caller.question);
	return result;
}

int cmd_call(struct cli *cli, struct err *err)
{
	struct host_options options = HOST_OPTIONS_INIT;
	struct loop *loop = loop_new();
	struct host *host = NULL;
	int result = cli_fill_host_options(&cli->options, &options, err);

	options.caller = "cli";
	if (result == 0)
		host = host_new(loop, &options, err);
	if (host == NULL || cli_check_allowed(host, &options, err) < 0)
		result = -1;
	else
		result = call_tool(cli, loop, host, err);
	host_free(host);
	loop_free(loop);
	host_options_release(&options);
	return result;
}
