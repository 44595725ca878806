/* SPDX-License-Identifier: MIT */
/*
 * stile vault workspace walk-test: goes through the stages in order as an agent would, and says what
 * would stop it. Looks only; it needs no more than reading.
 */
#include "cli/cli_vault.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "call/call.h"
#include "cli/cli_stage_text.h"
#include "gate/gate.h"

#define CONTRACT_NAME "CONTEXT.md"
#define STAGES_NAME "stages"

/* ---- what there is ---- */

/* One entry of the workspace; its path counts from there. */
struct item {
	char *path;
	bool is_file;
	int64_t size;
	char *id;
	char *head; /* NULL: a folder */
	int64_t number;
};

struct items {
	struct item *items; /* by the bytes of their paths */
	size_t len, cap;
	size_t prefix; /* of the paths as the vault gives them */
};

static void items_release(struct items *items)
{
	for (size_t i = 0; i < items->len; i++) {
		free(items->items[i].path);
		free(items->items[i].id);
		free(items->items[i].head);
	}
	free(items->items);
}

static int take_entry(void *ctx, const struct vault_entry *entry, struct err *err)
{
	struct items *items = ctx;

	(void)err;
	ARRAY_GROW(items->items, items->len, items->cap);
	items->items[items->len++] = (struct item){
		.path = xstrdup(entry->path + items->prefix),
		.is_file = entry->kind == VAULT_FILE,
		.size = entry->size,
		.id = xstrdup(entry->id),
		.head = xstrdup(entry->head),
		.number = entry->number,
	};
	return 0;
}

/* For qsort(3) and bsearch(3). */
static int compare_items(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->path, ((const struct item *)b)->path);
}

static const struct item *find_item(const struct items *items, const char *path)
{
	cleanup_free char *copy = xstrdup(path);
	const struct item wanted = { .path = copy };

	if (items->len == 0)
		return NULL;
	return bsearch(&wanted, items->items, items->len, sizeof(*items->items), compare_items);
}

/* path is folder, or lies below it; "" is the workspace. */
static bool is_in(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return len == 0 ||
	       (strncmp(path, folder, len) == 0 && (path[len] == '\0' || path[len] == '/'));
}

/* Of a file, or of all that is in a folder. */
static int64_t bytes_in(const struct items *items, const char *path)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < items->len; i++) {
		if (items->items[i].is_file && is_in(items->items[i].path, path))
			bytes += items->items[i].size;
	}
	return bytes;
}

/* ---- stages ---- */

struct input {
	const char *written;
	char *path; /* NULL: it leads out */
	bool is_there;
	const char *from; /* name of the earlier stage that makes it, or NULL */
};

struct stage {
	const struct item *folder;
	const char *name;            /* of it */
	const struct item *contract; /* or NULL */
	struct buf text;
	struct stage_text declared;
	struct strvec tools;
	struct strvec unknown; /* those that no surface has */
	char *reason;          /* why the contract grants nothing; or NULL */
	struct input *inputs;
	size_t inputs_len;
	struct strvec outputs; /* paths, from the workspace */
	int64_t tokens;
	struct strvec faults;
};

struct walk {
	struct vault_workspace workspace;
	struct items items;
	struct stage *stages;
	size_t stages_len, stages_cap;
	struct strvec faults; /* of the whole */
	size_t faults_len;    /* of all */
};

static void stage_release(struct stage *stage)
{
	buf_release(&stage->text);
	stage_text_release(&stage->declared);
	strvec_release(&stage->tools);
	strvec_release(&stage->unknown);
	free(stage->reason);
	for (size_t i = 0; i < stage->inputs_len; i++)
		free(stage->inputs[i].path);
	free(stage->inputs);
	strvec_release(&stage->outputs);
	strvec_release(&stage->faults);
}

static void walk_release(struct walk *walk)
{
	for (size_t i = 0; i < walk->stages_len; i++)
		stage_release(&walk->stages[i]);
	free(walk->stages);
	strvec_release(&walk->faults);
	items_release(&walk->items);
	vault_workspace_release(&walk->workspace);
}

/* The name of what lies right in place, or NULL. */
static const char *name_in(const struct item *item, const char *place)
{
	size_t len = strlen(place);
	const char *name = item->path + len + (len > 0);

	if (len > 0 && (strncmp(item->path, place, len) != 0 || item->path[len] != '/'))
		return NULL;
	return strchr(name, '/') == NULL ? name : NULL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Folders that a person takes for stages, those without a contract too. */
static void find_stages(struct walk *walk)
{
	const struct item *folder = find_item(&walk->items, STAGES_NAME);
	const char *place = folder != NULL && !folder->is_file ? STAGES_NAME : "";

	for (size_t i = 0; i < walk->items.len; i++) {
		const struct item *item = &walk->items.items[i];
		const char *name = item->is_file ? NULL : name_in(item, place);
		cleanup_free char *contract = NULL;

		if (name == NULL || !is_digit(name[0]) || !is_digit(name[1]))
			continue;
		contract = xasprintf("%s/" CONTRACT_NAME, item->path);
		ARRAY_GROW(walk->stages, walk->stages_len, walk->stages_cap);
		walk->stages[walk->stages_len++] = (struct stage){
			.folder = item,
			.name = name,
			.contract = find_item(&walk->items, contract),
			.text = BUF_INIT,
		};
	}
}

static int load(struct vault *vault, const char *ref, struct walk *walk, struct err *err)
{
	struct items *items = &walk->items;

	if (vault_workspace_info(vault, ref, &walk->workspace, err) < 0)
		return -1;
	items->prefix = strlen(walk->workspace.entry.path) + 1;
	if (vault_tree(vault, walk->workspace.entry.id, 0, take_entry, items, err) < 0)
		return -1;
	if (items->len > 0)
		qsort(items->items, items->len, sizeof(*items->items), compare_items);
	find_stages(walk);
	return 0;
}

/* ---- contracts ---- */

/* Stages whose contract is read, in the order of the picks. */
struct readers {
	struct stage **stages;
	size_t len;
};

static int take_text(void *ctx, size_t index, const void *data, size_t len, struct err *err)
{
	const struct readers *readers = ctx;

	(void)err;
	if (data != NULL)
		buf_add(&readers->stages[index]->text, data, len);
	return 0;
}

static bool is_readable(const struct stage *stage)
{
	return stage->contract != NULL && stage->contract->is_file &&
	       stage->contract->size <= (int64_t)GATE_CONTRACT_MAX;
}

static int read_contracts(struct vault *vault, struct walk *walk, struct err *err)
{
	struct readers readers = { .stages =
				       xcalloc(walk->stages_len + 1, sizeof(struct stage *)) };
	struct vault_pick *picks = xcalloc(walk->stages_len + 1, sizeof(*picks));
	int result;

	for (size_t i = 0; i < walk->stages_len; i++) {
		struct stage *stage = &walk->stages[i];

		if (!is_readable(stage))
			continue;
		picks[readers.len] =
		    (struct vault_pick){ stage->contract->id, stage->contract->head };
		readers.stages[readers.len++] = stage;
	}
	result = vault_version_get_many(vault, "workspace walk-test", walk->workspace.entry.id,
	    picks, readers.len, take_text, &readers, err);
	free(picks);
	free(readers.stages);
	return result;
}

/* ---- judging ---- */

/* Names with ", " between; owned. */
static char *join(const struct strvec *names)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < names->len; i++)
		buf_addf(&text, "%s%s", i > 0 ? ", " : "", names->items[i]);
	return buf_detach(&text);
}

static void judge_tools(struct stage *stage, struct known_tools *known)
{
	cleanup_free char *names = NULL;

	for (size_t i = 0; i < stage->tools.len; i++) {
		if (!known_tools_have(known, stage->tools.items[i]))
			strvec_push(&stage->unknown, stage->tools.items[i]);
	}
	if (stage->unknown.len == 0)
		return;
	names = join(&stage->unknown);
	strvec_pushf(&stage->faults,
	    CONTRACT_NAME " names tools that no known surface has, so it grants nothing: %s",
	    names);
}

static void judge_contract(struct stage *stage, struct known_tools *known)
{
	cleanup_err struct err err = ERR_INIT;

	if (stage->contract == NULL || !stage->contract->is_file) {
		strvec_push(&stage->faults, "there is no " CONTRACT_NAME);
		return;
	}
	if (!is_readable(stage)) {
		strvec_pushf(
		    &stage->faults, CONTRACT_NAME " is larger than %zu bytes", GATE_CONTRACT_MAX);
		return;
	}
	stage_text_read(stage->text.data, stage->text.len, &stage->declared);
	if (gate_contract_read(
		stage->text.data, stage->text.len, NULL, NULL, &stage->tools, &err) == 0) {
		judge_tools(stage, known);
		return;
	}
	stage->reason = xstrdup(err.message);
	if (err.code != ERR_NOT_FOUND)
		strvec_pushf(&stage->faults, CONTRACT_NAME ": %s", err.message);
}

/* The earlier stage that makes what path is, or something in it. */
static const char *maker_of(const struct walk *walk, const struct stage *before, const char *path)
{
	for (const struct stage *stage = walk->stages; stage < before; stage++) {
		for (size_t i = 0; i < stage->outputs.len; i++) {
			if (is_in(path, stage->outputs.items[i]) ||
			    is_in(stage->outputs.items[i], path))
				return stage->name;
		}
	}
	return NULL;
}

static void judge_input(const struct walk *walk, struct stage *stage, const char *written)
{
	struct input *input = &stage->inputs[stage->inputs_len++];

	input->written = written;
	input->path = stage_path(stage->folder->path, written);
	if (input->path == NULL) {
		strvec_pushf(&stage->faults, "the input %s leads out of the workspace", written);
		return;
	}
	input->is_there = input->path[0] == '\0' || find_item(&walk->items, input->path) != NULL;
	input->from = maker_of(walk, stage, input->path);
	if (!input->is_there && input->from == NULL)
		strvec_pushf(&stage->faults,
		    "the input %s is not there, and no earlier stage makes it", written);
}

static void judge_outputs(struct stage *stage)
{
	const struct strvec *declared = &stage->declared.outputs;

	for (size_t i = 0; i < declared->len; i++) {
		char *path = stage_path(stage->folder->path, declared->items[i]);

		if (path != NULL)
			strvec_take(&stage->outputs, path);
		else
			strvec_pushf(&stage->faults, "the output %s leads out of the workspace",
			    declared->items[i]);
	}
	if (declared->len == 0 && is_readable(stage))
		strvec_push(&stage->faults, CONTRACT_NAME " declares no outputs");
}

/* A token is about four bytes of text. */
static void count_tokens(const struct walk *walk, struct stage *stage)
{
	int64_t bytes = bytes_in(&walk->items, "CLAUDE.md") + bytes_in(&walk->items, CONTRACT_NAME);

	if (stage->contract != NULL)
		bytes += stage->contract->size;
	for (size_t i = 0; i < stage->inputs_len; i++) {
		if (stage->inputs[i].is_there)
			bytes += bytes_in(&walk->items, stage->inputs[i].path);
	}
	stage->tokens = (bytes + 3) / 4;
}

static void judge(struct walk *walk, struct known_tools *known)
{
	if (walk->stages_len == 0)
		strvec_push(&walk->faults, "the workspace has no stages");
	walk->faults_len = walk->faults.len;
	for (size_t i = 0; i < walk->stages_len; i++) {
		struct stage *stage = &walk->stages[i];
		const struct strvec *inputs = &stage->declared.inputs;

		judge_contract(stage, known);
		stage->inputs = xcalloc(inputs->len + 1, sizeof(*stage->inputs));
		for (size_t j = 0; j < inputs->len; j++)
			judge_input(walk, stage, inputs->items[j]);
		judge_outputs(stage);
		count_tokens(walk, stage);
		walk->faults_len += stage->faults.len;
	}
}

/* ---- showing ---- */

static void write_texts(struct json_writer *w, const char *key, const struct strvec *texts)
{
	json_write_key(w, key);
	json_write_array_begin(w);
	for (size_t i = 0; i < texts->len; i++)
		json_write_string(w, texts->items[i]);
	json_write_array_end(w);
}

static void write_inputs(struct json_writer *w, const struct stage *stage)
{
	json_write_key(w, "inputs");
	json_write_array_begin(w);
	for (size_t i = 0; i < stage->inputs_len; i++) {
		const struct input *input = &stage->inputs[i];

		json_write_object_begin(w);
		json_write_member_string(w, "path", input->written);
		json_write_member_bool(w, "exists", input->is_there);
		json_write_member_string(w, "made_by", input->from);
		json_write_object_end(w);
	}
	json_write_array_end(w);
}

static void write_stage(struct json_writer *w, const struct stage *stage)
{
	json_write_object_begin(w);
	json_write_member_string(w, "id", stage->folder->id);
	json_write_member_string(w, "name", stage->name);
	json_write_member_string(
	    w, "contract_version_id", stage->contract != NULL ? stage->contract->head : NULL);
	write_texts(w, "tools", &stage->tools);
	write_texts(w, "unknown_tools", &stage->unknown);
	json_write_member_string(w, "reason", stage->reason);
	write_inputs(w, stage);
	write_texts(w, "outputs", &stage->declared.outputs);
	json_write_member_int(w, "estimated_tokens", stage->tokens);
	write_texts(w, "faults", &stage->faults);
	json_write_object_end(w);
}

static void write_walk(struct json_writer *w, const struct walk *walk)
{
	json_write_object_begin(w);
	json_write_member_string(w, "workspace_id", walk->workspace.entry.id);
	json_write_member_string(w, "path", walk->workspace.entry.path);
	json_write_key(w, "stages");
	json_write_array_begin(w);
	for (size_t i = 0; i < walk->stages_len; i++)
		write_stage(w, &walk->stages[i]);
	json_write_array_end(w);
	write_texts(w, "faults", &walk->faults);
	json_write_member_int(w, "fault_count", (int64_t)walk->faults_len);
	json_write_object_end(w);
}

static void show_texts(struct buf *out, const char *label, const struct strvec *texts)
{
	for (size_t i = 0; i < texts->len; i++)
		cli_line(out, "  %-10s %s", i == 0 ? label : "", texts->items[i]);
}

static void show_inputs(struct buf *out, const struct stage *stage)
{
	for (size_t i = 0; i < stage->inputs_len; i++) {
		const struct input *input = &stage->inputs[i];

		cli_line(out, "  %-10s %s%s%s%s", i == 0 ? "inputs" : "", input->written,
		    input->from != NULL ? " (made by " : "", input->from != NULL ? input->from : "",
		    input->from != NULL ? ")" : "");
	}
}

static void show_faults(struct buf *out, const struct strvec *faults)
{
	for (size_t i = 0; i < faults->len; i++)
		cli_line(out, "  %-10s %s", "FAULT", faults->items[i]);
}

static void show_stage(struct buf *out, const struct stage *stage)
{
	cleanup_free char *tools = join(&stage->tools);

	cli_line(out, "%s", stage->name);
	if (stage->contract != NULL)
		cli_line(out, "  %-10s version %" PRId64 ", %zu tools%s%s", "contract",
		    stage->contract->number, stage->tools.len, stage->reason != NULL ? ": " : "",
		    stage->reason != NULL ? stage->reason : "");
	if (stage->tools.len > 0)
		cli_line(out, "  %-10s %s", "tools", tools);
	show_inputs(out, stage);
	show_texts(out, "outputs", &stage->declared.outputs);
	cli_line(out, "  %-10s about %" PRId64 " tokens (a token is about four bytes)", "loads",
	    stage->tokens);
	show_faults(out, &stage->faults);
}

static int show(struct cli *cli, const struct walk *walk, struct err *err)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);

	write_walk(&w, walk);
	for (size_t i = 0; i < walk->stages_len; i++)
		show_stage(&cli->out, &walk->stages[i]);
	show_faults(&cli->out, &walk->faults);
	if (walk->faults_len > 0)
		return err_set(err, ERR_CHECK_FAILED, "%zu faults in %zu stages", walk->faults_len,
		    walk->stages_len);
	cli_line(&cli->out, "%zu stages, no fault", walk->stages_len);
	return 0;
}

int cmd_vault_workspace_walk_test(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);
	struct known_tools *known = vault == NULL ? NULL : known_tools_new(err);
	struct walk walk = { 0 };
	int result = known == NULL ? -1 : load(vault, cli_word(cli, 0), &walk, err);

	if (result == 0)
		result = read_contracts(vault, &walk, err);
	if (result == 0) {
		judge(&walk, known);
		result = show(cli, &walk, err);
	}
	walk_release(&walk);
	known_tools_free(known);
	return result;
}
