/* SPDX-License-Identifier: MIT */
/* A host for the surface of a plan, and one walk of a call through its stages. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/loop.h"
#include "cli/cli_plans.h"

/* ---- launch options ---- */

/* The entry of a trusted file: by the name of its surface, else by its path; or NULL. */
static const struct gate_trusted *find_trusted(
    const struct gate_trust *trust, bool by_name, const char *what)
{
	for (size_t i = 0; i < trust->len; i++) {
		const struct gate_trusted *entry = &trust->items[i];

		if (strcmp(by_name ? entry->surface : entry->path, what) == 0)
			return entry;
	}
	return NULL;
}

int cli_plan_check_surface(
    const struct cli *cli, const struct cli_desk *desk, const struct plan *plan, struct err *err)
{
	const struct surface_builtin *builtin = NULL;
	const struct gate_trusted *entry = NULL;
	cleanup_free char *path = NULL;
	cleanup_gate_trust struct gate_trust trust = GATE_TRUST_INIT;
	const char *name;

	if (cli->options.surfaces.len == 0)
		return 0;
	if (host_locate_surface(cli->options.surfaces.items[0], &builtin, &path, err) < 0 ||
	    (path != NULL && gate_trust_load(desk->data_dir, &trust, err) < 0))
		return -1;
	if (path != NULL)
		entry = find_trusted(&trust, false, path);
	name = builtin != NULL ? builtin->name : entry != NULL ? entry->surface : NULL;
	if (name == NULL || strcmp(name, plan->facts.surface) == 0)
		return 0;
	return err_set(err, ERR_NOT_FOUND, "there is no plan %s", plan->id);
}

static int add_surface(
    struct host_options *options, const char *data_dir, const char *surface, struct err *err)
{
	const struct surface_builtin *builtin = NULL;
	const struct gate_trusted *entry = NULL;
	cleanup_gate_trust struct gate_trust trust = GATE_TRUST_INIT;
	cleanup_free char *path = NULL;
	cleanup_err struct err fault = ERR_INIT;

	if (host_locate_surface(surface, &builtin, &path, &fault) == 0) {
		strvec_push(&options->surfaces, surface);
		return 0;
	}
	if (gate_trust_load(data_dir, &trust, err) < 0)
		return -1;
	entry = find_trusted(&trust, true, surface);
	if (entry == NULL)
		return err_set(err, ERR_NOT_FOUND,
		    "surface %s is not known here; give its file: --surface FILE", surface);
	strvec_push(&options->surfaces, entry->path);
	return 0;
}

static void add_roots(struct host_options *options, const char *cwd)
{
	struct stat st;

	if (stat(cwd, &st) == 0 && S_ISDIR(st.st_mode))
		strvec_push(&options->roots, cwd);
	strvec_push(&options->roots, "/");
}

/*
 * Launch options from the command line. For a plan (or NULL), what is not given comes from it: its
 * surface, which is a built-in one, one of the user's own or a trusted file; its folder and all
 * others, for its paths are absolute and compared.
 */
static int fill_options(const struct cli *cli, const struct cli_desk *desk, const struct plan *plan,
    struct host_options *ret_options, struct err *err)
{
	if (cli_fill_host_options(&cli->options, ret_options, err) < 0)
		return -1;
	ret_options->caller = cli_desk_actor(desk)->type;
	if (plan == NULL)
		return 0;
	if (ret_options->roots.len == 0)
		add_roots(ret_options, plan->facts.cwd);
	if (ret_options->surfaces.len > 0)
		return 0;
	return add_surface(ret_options, desk->data_dir, plan->facts.surface, err);
}

/* ---- one walk ---- */

static void on_done(void *ctx, const struct call_outcome *outcome)
{
	(void)outcome; /* the purpose has it */
	loop_stop(ctx);
}

/* Members in one order: what is made of them is then the same, however they were typed. */
static int make_canonical(struct json_doc *doc, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	size_t len;

	json_write_canonical(&text, json_root(doc));
	len = text.len;
	return json_read_take(doc, buf_detach(&text), len, err);
}

static int walk_in(struct host *host, struct loop *loop, struct call_purpose *purpose,
    const char *tool, struct json_doc *doc, struct err *err)
{
	const struct call_client client = { .name = "stile plan" };
	struct call *call;

	if (make_canonical(doc, err) < 0)
		return -1;
	call = call_new_planned(host, &client, purpose, tool, doc, json_root(doc), on_done, loop);
	return cli_run_call(loop, host, call, err);
}

/* One call of tool in a host of its own. 0 when it came to its end: purpose->err says how. -1: there is
 * no host. */
static int walk(const struct host_options *options, struct call_purpose *purpose, const char *tool,
    struct json_doc *doc, struct err *err)
{
	struct loop *loop = loop_new();
	struct host *host = host_new(loop, options, err);
	int result = -1;

	if (host != NULL && cli_check_allowed(host, options, err) == 0)
		result = walk_in(host, loop, purpose, tool, doc, err);
	host_free(host);
	loop_free(loop);
	return result;
}

int cli_plan_make(const struct cli *cli, const struct cli_desk *desk, struct call_purpose *purpose,
    const char *tool, struct json_doc *doc, struct err *err)
{
	struct host_options options = HOST_OPTIONS_INIT;
	int result = fill_options(cli, desk, NULL, &options, err);

	if (result == 0)
		result = walk(&options, purpose, tool, doc, err);
	host_options_release(&options);
	if (result == 0 && err_is_set(&purpose->err)) {
		err_move(err, &purpose->err);
		return -1;
	}
	return result;
}

int cli_plan_walk_again(const struct cli *cli, const struct cli_desk *desk,
    struct call_purpose *purpose, struct err *err)
{
	const struct plan_facts *facts = &purpose->plan->facts;
	struct host_options options = HOST_OPTIONS_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	int result = fill_options(cli, desk, purpose->plan, &options, err);

	if (result == 0)
		result =
		    json_read_take(&doc, xstrdup(facts->arguments), strlen(facts->arguments), err);
	if (result == 0)
		result = walk(&options, purpose, facts->tool, &doc, err);
	host_options_release(&options);
	return result;
}
