/* SPDX-License-Identifier: MIT */
/* Launch options from the command line, for `mcp serve` and `call`. */
#include "cli/cli_internal.h"

#include <string.h>

#include "base/limits.h"
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

static void move_list(struct strvec *from, struct strvec *to)
{
	*to = *from;
	*from = STRVEC_INIT;
}

int cli_fill_host_options(struct cli_options *from, struct host_options *to, struct err *err)
{
	if (check_scope(from, err) < 0 || read_ttl(from->scope_ttl, &to->scope_ttl_ms, err) < 0)
		return -1;
	move_list(&from->surfaces, &to->surfaces);
	move_list(&from->roots, &to->roots);
	move_list(&from->allow_write, &to->allow_write);
	move_list(&from->allow_noninteractive_write, &to->allow_noninteractive_write);
	move_list(&from->allow_exec, &to->allow_exec);
	move_list(&from->allow_version_drift, &to->allow_version_drift);
	to->workspace = steal_ptr(&from->workspace);
	to->stage = steal_ptr(&from->stage);
	to->stage_dir = steal_ptr(&from->stage_dir);
	return 0;
}
