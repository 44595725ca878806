/* SPDX-License-Identifier: MIT */
/* Goes through a workspace's stages in order. Looks only; it needs no more than reading. */
#include "cli/cli_walk.h"

#include <stdlib.h>
#include <string.h>

#include "call/call.h"
#include "gate/gate.h"

#define CONTRACT_NAME "CONTEXT.md"
#define STAGES_NAME "stages"

/* ---- what there is ---- */

static void items_release(struct walk_items *items)
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
	struct walk_items *items = ctx;

	(void)err;
	ARRAY_GROW(items->items, items->len, items->cap);
	items->items[items->len++] = (struct walk_item){
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
	return strcmp(((const struct walk_item *)a)->path, ((const struct walk_item *)b)->path);
}

static const struct walk_item *find_item(const struct walk_items *items, const char *path)
{
	cleanup_free char *copy = xstrdup(path);
	const struct walk_item wanted = { .path = copy };

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
static int64_t bytes_in(const struct walk_items *items, const char *path)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < items->len; i++) {
		if (items->items[i].is_file && is_in(items->items[i].path, path))
			bytes += items->items[i].size;
	}
	return bytes;
}

/* ---- stages ---- */

static void stage_release(struct walk_stage *stage)
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

void walk_release(struct walk *walk)
{
	for (size_t i = 0; i < walk->stages_len; i++)
		stage_release(&walk->stages[i]);
	free(walk->stages);
	strvec_release(&walk->faults);
	items_release(&walk->items);
	vault_workspace_release(&walk->workspace);
}

/* The name of what lies right in place, or NULL. */
static const char *name_in(const struct walk_item *item, const char *place)
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
	const struct walk_item *folder = find_item(&walk->items, STAGES_NAME);
	const char *place = folder != NULL && !folder->is_file ? STAGES_NAME : "";

	for (size_t i = 0; i < walk->items.len; i++) {
		const struct walk_item *item = &walk->items.items[i];
		const char *name = item->is_file ? NULL : name_in(item, place);
		cleanup_free char *contract = NULL;

		if (name == NULL || !is_digit(name[0]) || !is_digit(name[1]))
			continue;
		contract = xasprintf("%s/" CONTRACT_NAME, item->path);
		ARRAY_GROW(walk->stages, walk->stages_len, walk->stages_cap);
		walk->stages[walk->stages_len++] = (struct walk_stage){
			.folder = item,
			.name = name,
			.contract = find_item(&walk->items, contract),
			.text = BUF_INIT,
		};
	}
}

static int load(struct vault *vault, const char *ref, struct walk *walk, struct err *err)
{
	struct walk_items *items = &walk->items;

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
	struct walk_stage **stages;
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

static bool is_readable(const struct walk_stage *stage)
{
	return stage->contract != NULL && stage->contract->is_file &&
	       stage->contract->size <= (int64_t)GATE_CONTRACT_MAX;
}

static int read_contracts(struct vault *vault, struct walk *walk, struct err *err)
{
	struct readers readers = { .stages =
				       xcalloc(walk->stages_len + 1, sizeof(struct walk_stage *)) };
	struct vault_pick *picks = xcalloc(walk->stages_len + 1, sizeof(*picks));
	int result;

	for (size_t i = 0; i < walk->stages_len; i++) {
		struct walk_stage *stage = &walk->stages[i];

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

char *walk_join(const struct strvec *names)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < names->len; i++)
		buf_addf(&text, "%s%s", i > 0 ? ", " : "", names->items[i]);
	return buf_detach(&text);
}

static void judge_tools(struct walk_stage *stage, struct known_tools *known)
{
	cleanup_free char *names = NULL;

	for (size_t i = 0; i < stage->tools.len; i++) {
		if (!known_tools_have(known, stage->tools.items[i]))
			strvec_push(&stage->unknown, stage->tools.items[i]);
	}
	if (stage->unknown.len == 0)
		return;
	names = walk_join(&stage->unknown);
	strvec_pushf(&stage->faults,
	    CONTRACT_NAME " names tools that no known surface has, so it grants nothing: %s",
	    names);
}

static void judge_contract(struct walk_stage *stage, struct known_tools *known)
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
static const char *maker_of(
    const struct walk *walk, const struct walk_stage *before, const char *path)
{
	for (const struct walk_stage *stage = walk->stages; stage < before; stage++) {
		for (size_t i = 0; i < stage->outputs.len; i++) {
			if (is_in(path, stage->outputs.items[i]) ||
			    is_in(stage->outputs.items[i], path))
				return stage->name;
		}
	}
	return NULL;
}

static void judge_input(const struct walk *walk, struct walk_stage *stage, const char *written)
{
	struct walk_input *input = &stage->inputs[stage->inputs_len++];

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

static void judge_outputs(struct walk_stage *stage)
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
static void count_tokens(const struct walk *walk, struct walk_stage *stage)
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
		struct walk_stage *stage = &walk->stages[i];
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

int walk_run(struct vault *vault, const char *workspace, struct walk *ret, struct err *err)
{
	struct known_tools *known = known_tools_new(err);
	int result = known == NULL ? -1 : load(vault, workspace, ret, err);

	if (result == 0)
		result = read_contracts(vault, ret, err);
	if (result == 0)
		judge(ret, known);
	known_tools_free(known);
	return result;
}
