/* SPDX-License-Identifier: MIT */
/*
 * Asks the vault what the caller may see: one child, `stile vault scope --record`, decides and records
 * (specs/vault.md, "Scope in the server"). What it answers is believed only whole: an answer that is
 * odd in any part is none.
 */
#include "call/call_internal.h"

#include <assert.h>
#include <string.h>

#include "base/ids.h"
#include "base/limits.h"

/* What the surface `vault` lists as well (surfaces/vault.yaml): the child is to find the same vault and
 * the same credential as the tools do. */
static const char *const environment_names[] = { "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
	"STILE_DATA_DIR", "STILE_TOKEN_FILE" };

/* ---- has the vault changed? ---- */

static void take_stamps(const struct host *host, struct file_stamp ret_stamps[VAULT_FILES])
{
	static const char *const names[VAULT_FILES] = { "vault.db", "vault.db-wal" };

	for (size_t i = 0; i < VAULT_FILES; i++) {
		cleanup_free char *path = xasprintf("%s/%s", host->data_dir, names[i]);

		ret_stamps[i] = file_stamp_of(path);
	}
}

bool scope_has_vault_changed(const struct host *host)
{
	struct file_stamp now[VAULT_FILES];
	bool is_same = true;

	take_stamps(host, now);
	for (size_t i = 0; i < VAULT_FILES; i++)
		is_same &= file_stamp_is_same(&now[i], &host->scope.stamps[i]);
	return !is_same;
}

/* ---- its answer ---- */

static int refuse(const char *what, struct err *err)
{
	return err_set(err, ERR_BAD_OUTPUT, "`vault scope`: %s", what);
}

/* The text of a member, without NULs; NULL when it is anything else. */
static const char *text_of(const struct json *object, const char *name)
{
	return json_text(json_get(object, name));
}

/* A folder of the vault: its id and name; both stay NULL for null. */
static int read_folder(
    const struct json *node, char **ret_id, char **ret_name, const char *what, struct err *err)
{
	const char *id = text_of(node, "id");
	const char *name = text_of(node, "name");

	if (json_is(node, JSON_NULL))
		return 0;
	if (id == NULL || name == NULL || !id_is_valid(id, NULL))
		return refuse(what, err);
	*ret_id = xstrdup(id);
	*ret_name = xstrdup(name);
	return 0;
}

static int read_tools(const struct json *tools, struct strvec *ret_tools, struct err *err)
{
	if (!json_is(tools, JSON_ARRAY))
		return refuse("tools is no list", err);
	json_foreach (item, tools) {
		if (json_text(item) == NULL)
			return refuse("the name of a tool is no text", err);
		strvec_push(ret_tools, json_text(item));
	}
	strvec_sort(ret_tools);
	return 0;
}

static int read_contract(const struct json *contract, struct decision *decision, struct err *err)
{
	const char *file = text_of(contract, "file");
	const char *version = text_of(contract, "version");
	const struct json *number = json_get(contract, "number");

	if (json_is(contract, JSON_NULL))
		return 0;
	if (file == NULL || version == NULL || !json_is(number, JSON_NUMBER) ||
	    !json_number_int64(number, &decision->contract_number))
		return refuse("contract is neither null nor a version", err);
	decision->contract_file = xstrdup(file);
	decision->contract_version = xstrdup(version);
	return 0;
}

static bool is_same_grant(const struct gate_scope *a, const struct gate_scope *b)
{
	if (a->rank != b->rank || a->tools.len != b->tools.len)
		return false;
	for (size_t i = 0; i < a->tools.len; i++) {
		if (strcmp(a->tools.items[i], b->tools.items[i]) != 0)
			return false;
	}
	return true;
}

/* The row that holds the decision: a new one, or, where nothing changed, the one before. */
static int read_event(const struct json *event, const struct host_scope *scope,
    struct decision *decision, struct err *err)
{
	const char *id = text_of(event, "id");

	if (id != NULL && id_is_valid(id, "sca_")) {
		decision->event = xstrdup(id);
		return 0;
	}
	if (!json_is(event, JSON_NULL) || scope->decision.event == NULL ||
	    !is_same_grant(&decision->gate, &scope->decision.gate))
		return refuse("the decision was not recorded", err);
	decision->event = xstrdup(scope->decision.event);
	return 0;
}

/* What was not to be seen grants nothing. */
static int check_whole(const struct host *host, const struct decision *decision, struct err *err)
{
	bool is_seen = decision->workspace != NULL && decision->stage != NULL;

	if (!is_seen && decision->gate.tools.len > 0)
		return refuse("it grants what it does not name", err);
	if (decision->workspace != NULL &&
	    strcmp(decision->workspace, host->options->workspace) != 0)
		return refuse("it is about another workspace", err);
	return 0;
}

static int read_result(
    const struct host *host, const struct json *result, struct decision *decision, struct err *err)
{
	const char *rank = text_of(result, "rank");

	decision->gate.has_scope = true;
	if (!json_is(result, JSON_OBJECT))
		return refuse("there is no result", err);
	if (rank == NULL || !gate_rank_parse(rank, &decision->gate.rank))
		return refuse("there is no such rank", err);
	if (read_folder(json_get(result, "workspace"), &decision->workspace,
		&decision->workspace_name, "workspace is neither null nor one", err) < 0 ||
	    read_folder(json_get(result, "stage"), &decision->stage, &decision->stage_name,
		"stage is neither null nor one", err) < 0 ||
	    read_tools(json_get(result, "tools"), &decision->gate.tools, err) < 0 ||
	    read_contract(json_get(result, "contract"), decision, err) < 0)
		return -1;
	decision->reason = xstrdup(text_of(result, "reason"));
	return check_whole(host, decision, err) < 0
		   ? -1
		   : read_event(json_get(result, "event"), &host->scope, decision, err);
}

/* The envelope's error as ours. */
static int take_error(const struct json *root, struct err *err)
{
	const struct json *error = json_get(root, "error");
	const char *code = text_of(error, "code");
	const char *message = text_of(error, "message");
	enum err_code known = code != NULL ? err_find(code) : ERR_CODE_COUNT;

	if (known == ERR_CODE_COUNT || message == NULL)
		return refuse("it failed without saying why", err);
	return err_set(err, known, "%s", message);
}

static int read_answer(const struct host *host, const struct run_outcome *outcome,
    struct decision *decision, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err ignored = ERR_INIT;
	const struct json *root;

	if (json_read(&doc, outcome->out.data, outcome->out.len, &ignored) < 0)
		return refuse("its answer is no JSON", err);
	root = json_root(&doc);
	if (outcome->exit_status != 0 || !json_is_text(json_get(root, "status"), "succeeded"))
		return take_error(root, err);
	return read_result(host, json_get(root, "result"), decision, err);
}

/* Does its end alone mean that there is no answer? */
static int check_end(const struct run_outcome *outcome, struct err *err)
{
	switch (outcome->end) {
	case RUN_EXITED:
		return 0;
	case RUN_SIGNALED:
		return err_set(err, ERR_PROGRAM_FAILED, "`vault scope` was ended by signal %d",
		    outcome->signal);
	case RUN_TIMED_OUT:
		return err_set(err, ERR_TIMEOUT, "`vault scope` was ended at its limit of %lld ms",
		    (long long)LIMIT_SCOPE_MS);
	case RUN_TOO_LARGE:
		return err_set(err, ERR_OUTPUT_TOO_LARGE, "`vault scope` printed too much");
	case RUN_CANCELLED:
		return err_set(err, ERR_CANCELLED, "`vault scope` was ended with the server");
	case RUN_NOT_STARTED:
		break;
	}
	return err_set(err, ERR_PROGRAM_NOT_FOUND, "`vault scope` could not be started: %s",
	    strerrordesc_np(outcome->errnum));
}

static bool is_news(const struct host_scope *scope, const struct decision *decision)
{
	assert(decision->event != NULL);
	return scope->decision.event == NULL || strcmp(decision->event, scope->decision.event) != 0;
}

/*
 * The stamps are those of before where nothing was recorded, so that a change of another's that came
 * meanwhile is seen; where a row was written, our own change would be.
 */
static void keep_stamps(struct host *host, bool is_recorded)
{
	struct host_scope *scope = &host->scope;

	if (is_recorded)
		take_stamps(host, scope->stamps);
	else
		memcpy(scope->stamps, scope->stamps_before, sizeof(scope->stamps));
}

/* For the operator; a client is not told why. */
static void log_reason(struct host *host, const struct decision *decision)
{
	cleanup_err struct err reason = ERR_INIT;

	if (decision->reason == NULL)
		return;
	(void)err_set(&reason, ERR_NOT_FOUND, "%s", decision->reason);
	host_warn(host, "scope: nothing is granted: ", &reason);
}

static void on_done(void *ctx, struct run_outcome *outcome)
{
	struct host *host = ctx;
	cleanup_err struct err err = ERR_INIT;
	struct decision decision = DECISION_INIT;
	bool is_recorded;

	host->scope.run = NULL;
	if (check_end(outcome, &err) < 0 || read_answer(host, outcome, &decision, &err) < 0) {
		decision_release(&decision);
		scope_failed(host, &err);
		return;
	}
	is_recorded = is_news(&host->scope, &decision);
	keep_stamps(host, is_recorded);
	if (is_recorded)
		log_reason(host, &decision);
	scope_decided(host, &decision);
}

/* ---- the question ---- */

static void add_surfaces(const struct host *host, struct strvec *argv)
{
	for (size_t i = 0; i < host->served_len; i++) {
		const struct served *served = &host->served[i];

		if (served->loaded != NULL)
			strvec_pushf(argv, "--surface=%s", served_word(served));
	}
}

static void make_argv(const struct host *host, struct strvec *argv)
{
	const struct host_options *options = host->options;

	strvec_push(argv, host->self.path);
	strvec_push(argv, "vault");
	strvec_push(argv, "scope");
	strvec_pushf(argv, "--workspace=%s", options->workspace);
	strvec_pushf(argv, "--stage=%s", options->stage);
	strvec_push(argv, "--record");
	if (host->scope.decision.event != NULL)
		strvec_pushf(argv, "--since=%s", host->scope.decision.event);
	add_surfaces(host, argv);
	strvec_push(argv, "--json");
}

static void make_environment(struct strvec *environment)
{
	cleanup_strvec struct strvec names = STRVEC_INIT;

	for (size_t i = 0; i < ARRAY_LEN(environment_names); i++)
		strvec_push(&names, environment_names[i]);
	run_environment(&names, &STRVEC_INIT, environment);
}

int scope_ask_vault(struct host *host, struct err *err)
{
	struct host_scope *scope = &host->scope;
	cleanup_strvec struct strvec argv = STRVEC_INIT;
	cleanup_strvec struct strvec environment = STRVEC_INIT;
	struct run_spec spec = {
		.cwd = host->roots.items[0],
		.timeout_ms = LIMIT_SCOPE_MS,
		.max_output = LIMIT_OUTPUT_DEFAULT,
		.max_stderr = LIMIT_STDERR,
	};

	if (host_resolve_self(host, err) < 0)
		return -1;
	take_stamps(host, scope->stamps_before);
	make_argv(host, &argv);
	make_environment(&environment);
	spec.path = host->self.path;
	spec.argv = strvec_array(&argv);
	spec.envp = strvec_array(&environment);
	scope->run = run_start(host->loop, &spec, on_done, host, err);
	return scope->run != NULL ? 0 : -1;
}
