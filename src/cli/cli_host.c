/* SPDX-License-Identifier: MIT */
/* What the commands share that serve surfaces or call a tool: launch options, arguments, the one call of
 * a command. */
#include "cli/cli_internal.h"

#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/loop.h"
#include "base/num.h"
#include "base/text.h"
#include "call/call.h"

/* How old a decision may be, in seconds, when nothing is said. */
#define SCOPE_TTL 5

/* Could a stage be called that, or have that id? */
static bool is_stage(const char *text)
{
	size_t len = strlen(text);

	return len > 0 && len <= 255 && text_is_utf8(text, len) && strchr(text, '/') == NULL &&
	       strcmp(text, ".") != 0 && strcmp(text, "..") != 0;
}

static int check_scope(const struct cli_options *options, struct err *err)
{
	if ((options->workspace == NULL) != (options->stage == NULL))
		return err_set(
		    err, ERR_USAGE, "--workspace and --stage come together or not at all");
	if (options->workspace != NULL && options->stage_dir != NULL)
		return err_set(err, ERR_USAGE,
		    "--stage-dir takes the place of --workspace and --stage: give one or the "
		    "other");
	if (options->workspace != NULL && !id_is_valid(options->workspace, "wsp_"))
		return err_set(err, ERR_USAGE,
		    "--workspace %.60s is no id of a workspace (wsp_ and 26 letters and digits); "
		    "`stile vault workspace list` shows them",
		    options->workspace);
	if (options->stage != NULL && !is_stage(options->stage))
		return err_set(
		    err, ERR_USAGE, "--stage %.60s is neither an id nor a name", options->stage);
	return 0;
}

static int read_ttl(const char *text, int64_t *ret_ms, struct err *err)
{
	int64_t seconds = SCOPE_TTL;

	if (text != NULL && num_parse(text, 0, LIMIT_SCOPE_TTL, &seconds, err) < 0) {
		err->code = ERR_USAGE;
		return err_wrap(err, "--scope-ttl");
	}
	*ret_ms = seconds * 1000;
	return 0;
}

static void copy_list(const struct strvec *from, struct strvec *to)
{
	for (size_t i = 0; i < from->len; i++)
		strvec_push(to, from->items[i]);
}

int cli_fill_host_options(const struct cli_options *from, struct host_options *to, struct err *err)
{
	if (check_scope(from, err) < 0 || read_ttl(from->scope_ttl, &to->scope_ttl_ms, err) < 0)
		return -1;
	copy_list(&from->surfaces, &to->surfaces);
	copy_list(&from->roots, &to->roots);
	copy_list(&from->allow_write, &to->allow_write);
	copy_list(&from->allow_noninteractive_write, &to->allow_noninteractive_write);
	copy_list(&from->allow_exec, &to->allow_exec);
	copy_list(&from->allow_version_drift, &to->allow_version_drift);
	to->workspace = xstrdup(from->workspace);
	to->stage = xstrdup(from->stage);
	to->stage_dir = xstrdup(from->stage_dir);
	return 0;
}

/* ---- arguments ---- */

static int read_standard_input(struct buf *ret_text, struct err *err)
{
	for (;;) {
		char *room = buf_reserve(ret_text, 64 * KIB);
		ssize_t got = room != NULL ? read(STDIN_FILENO, room, 64 * KIB) : 0;

		if (room == NULL)
			return buf_check(ret_text, "standard input", err);
		if (got < 0)
			return err_set(err, ERR_IO, "standard input cannot be read");
		if (got == 0)
			return 0;
		buf_commit(ret_text, (size_t)got);
	}
}

int cli_read_arguments(const char *word, struct json_doc *ret_doc, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT_MAX(LIMIT_FRAME_IN);
	size_t len;

	if (word == NULL)
		buf_adds(&text, "{}");
	else if (strcmp(word, "-") != 0)
		buf_adds(&text, word);
	else if (read_standard_input(&text, err) < 0)
		return -1;
	len = text.len;
	if (json_read_take(ret_doc, buf_detach(&text), len, err) < 0) {
		err->code = ERR_USAGE;
		return err_wrap(err, "ARGUMENTS");
	}
	if (!json_is(json_root(ret_doc), JSON_OBJECT))
		return err_set(err, ERR_USAGE, "ARGUMENTS is no JSON object");
	return 0;
}

/* ---- one call ---- */

static void start(void *ctx)
{
	call_start(ctx);
}

static void turn_end(void *ctx)
{
	do
		host_flush(ctx);
	while (!host_start_ready(ctx));
}

int cli_run_call(struct loop *loop, struct host *host, struct call *call, struct err *err)
{
	loop_set_turn_end(loop, turn_end, host);
	(void)loop_add_timer(loop, 0, start, call);
	return loop_run(loop, err);
}
