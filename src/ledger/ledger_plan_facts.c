/* SPDX-License-Identifier: MIT */
/*
 * Facts of a plan as canonical JSON, which is what is hashed and stored, and back. One order of
 * members for all (json_write_canonical), so the order in which facts were gathered does not count.
 */
#include "ledger/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ledger/ledger_internal.h"

#define FACTS_VERSION "1"

/* Says of what the digest is: a plan's hash can never be that of another kind of thing. */
static const char PLAN_DOMAIN[] = "stile-plan-v1;";

struct digest plan_hash_of(const char *facts_json, size_t len)
{
	struct digest_state state;

	digest_begin(&state);
	digest_add(&state, PLAN_DOMAIN, sizeof(PLAN_DOMAIN) - 1);
	digest_add(&state, facts_json, len);
	return digest_end(&state);
}

/* ---- checks of what a caller gathered ---- */

/* JSON has no form for other bytes: two paths could otherwise look the same. */
static int check_utf8(const char *what, const char *text, struct err *err)
{
	if (text_is_utf8(text, strlen(text)))
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENT, "%s is no UTF-8, so it cannot be planned", what);
}

/* One whole JSON value: what is written raw cannot reach beyond its place. */
static int check_json(const char *what, const char *text, bool is_object, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err cause = ERR_INIT;

	if (json_read(&doc, text, strlen(text), &cause) < 0)
		return err_set(err, ERR_INVALID_ARGUMENT, "%s: %s", what, cause.message);
	if (is_object && !json_is(json_root(&doc), JSON_OBJECT))
		return err_set(err, ERR_INVALID_ARGUMENT, "%s are no JSON object", what);
	return 0;
}

static int check_digests(
    const char *what, const struct plan_digest *items, size_t len, struct err *err)
{
	for (size_t i = 0; i < len; i++) {
		if (check_utf8(what, items[i].name, err) < 0)
			return -1;
	}
	return 0;
}

static int check_preconditions(const struct plan_facts *facts, struct err *err)
{
	for (size_t i = 0; i < facts->preconditions_len; i++) {
		const struct plan_precondition *item = &facts->preconditions[i];

		if (check_utf8("a precondition", item->tool, err) < 0 ||
		    check_utf8("a precondition", item->pointer, err) < 0 ||
		    check_json("a precondition's arguments", item->arguments, true, err) < 0)
			return -1;
		if (item->value != NULL &&
		    check_json("a precondition's value", item->value, false, err) < 0)
			return -1;
	}
	return 0;
}

static int check_texts(const struct plan_facts *facts, struct err *err)
{
	const char *const texts[] = { facts->surface, facts->tool, facts->effect, facts->cwd,
		facts->program, facts->target, facts->label != NULL ? facts->label : "" };

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (check_utf8("a text of the plan", texts[i], err) < 0)
			return -1;
	}
	for (size_t i = 0; i < facts->argv.len; i++) {
		if (check_utf8("a word of the command line", facts->argv.items[i], err) < 0)
			return -1;
	}
	for (size_t i = 0; i < facts->pinned_len; i++) {
		if (check_utf8("a path", facts->pinned[i].path, err) < 0)
			return -1;
	}
	return 0;
}

static int check_facts(const struct plan_facts *facts, struct err *err)
{
	if (facts->target[0] == '\0')
		return err_set(err, ERR_INVALID_ARGUMENT, "the plan's target is empty");
	if (check_texts(facts, err) < 0 ||
	    check_json("the arguments", facts->arguments, true, err) < 0 ||
	    check_digests("an environment name", facts->environment, facts->environment_len, err) <
		0 ||
	    check_digests("a file's name", facts->files, facts->files_len, err) < 0)
		return -1;
	return check_preconditions(facts, err);
}

/* ---- writing ---- */

static void write_digests(
    struct json_writer *w, const char *name, const struct plan_digest *items, size_t len)
{
	json_write_key(w, name);
	json_write_object_begin(w);
	for (size_t i = 0; i < len; i++)
		record_write_digest(w, items[i].name, &items[i].digest);
	json_write_object_end(w);
}

static void write_pinned(struct json_writer *w, const struct plan_facts *facts)
{
	json_write_key(w, "pinned");
	json_write_object_begin(w);
	for (size_t i = 0; i < facts->pinned_len; i++) {
		json_write_key(w, facts->pinned[i].path);
		json_write_object_begin(w);
		json_write_member_string(w, "kind", facts->pinned[i].kind);
		record_write_digest(w, "digest", &facts->pinned[i].digest);
		json_write_object_end(w);
	}
	json_write_object_end(w);
}

static void write_precondition(struct json_writer *w, const struct plan_precondition *item)
{
	json_write_object_begin(w);
	json_write_member_string(w, "tool", item->tool);
	json_write_member_raw(w, "arguments", item->arguments);
	json_write_member_string(w, "pointer", item->pointer);
	record_write_digest(w, "digest", &item->digest);
	if (item->value != NULL)
		json_write_member_raw(w, "value", item->value);
	json_write_object_end(w);
}

static int compare_preconditions(const void *a, const void *b)
{
	const struct plan_precondition *left = *(const struct plan_precondition *const *)a;
	const struct plan_precondition *right = *(const struct plan_precondition *const *)b;
	int order = strcmp(left->tool, right->tool);

	if (order == 0)
		order = strcmp(left->pointer, right->pointer);
	return order != 0 ? order : strcmp(left->arguments, right->arguments);
}

/* In an order of their own, for an array has one. */
static void write_preconditions(struct json_writer *w, const struct plan_facts *facts)
{
	size_t len = facts->preconditions_len;
	cleanup_free const struct plan_precondition **sorted =
	    xcalloc(len + 1, sizeof(const struct plan_precondition *));

	for (size_t i = 0; i < len; i++)
		sorted[i] = &facts->preconditions[i];
	qsort(sorted, len, sizeof(const struct plan_precondition *), compare_preconditions);
	json_write_key(w, "preconditions");
	json_write_array_begin(w);
	for (size_t i = 0; i < len; i++)
		write_precondition(w, sorted[i]);
	json_write_array_end(w);
}

static void write_argv(struct json_writer *w, const struct strvec *argv)
{
	json_write_key(w, "argv");
	json_write_array_begin(w);
	for (size_t i = 0; i < argv->len; i++)
		json_write_string(w, argv->items[i]);
	json_write_array_end(w);
}

static void write_facts(const struct plan_facts *facts, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_string(w, "schema_version", FACTS_VERSION);
	json_write_member_string(w, "surface", facts->surface);
	record_write_digest(w, "surface_digest", &facts->surface_digest);
	json_write_member_string(w, "tool", facts->tool);
	json_write_member_string(w, "effect", facts->effect);
	json_write_member_raw(w, "arguments", facts->arguments);
	write_argv(w, &facts->argv);
	json_write_member_string(w, "cwd", facts->cwd);
	json_write_member_string(w, "program", facts->program);
	record_write_digest(w, "program_digest", &facts->program_digest);
	write_digests(w, "environment", facts->environment, facts->environment_len);
	if (facts->has_stdin)
		record_write_digest(w, "stdin", &facts->stdin_digest);
	write_digests(w, "files", facts->files, facts->files_len);
	write_pinned(w, facts);
	write_preconditions(w, facts);
	json_write_member_string(w, "target", facts->target);
	record_write_text(w, "label", facts->label);
	json_write_member_int(w, "wait_ms", facts->wait_ms);
	json_write_member_int(w, "expires_ms", facts->expires_ms);
	json_write_object_end(w);
}

int plan_facts_write(const struct plan_facts *facts, struct buf *ret_json, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err cause = ERR_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);

	if (check_facts(facts, err) < 0)
		return -1;
	write_facts(facts, &w);
	/* What is left to go wrong: a name that is there twice, or too much of anything. */
	if (buf_check(&text, "the plan", &cause) < 0 ||
	    json_read(&doc, text.data, text.len, &cause) < 0)
		return err_set(err, ERR_INVALID_ARGUMENT, "the plan: %s", cause.message);
	json_write_canonical(ret_json, json_root(&doc));
	return 0;
}

int plan_facts_hash(const struct plan_facts *facts, struct digest *ret_hash, struct err *err)
{
	cleanup_buf struct buf json = BUF_INIT;

	if (plan_facts_write(facts, &json, err) < 0)
		return -1;
	*ret_hash = plan_hash_of(json.data, json.len);
	return 0;
}

/* ---- reading ---- */

void plan_store_free(struct plan_store *store)
{
	if (store == NULL)
		return;
	json_doc_release(&store->doc);
	strvec_release(&store->texts);
	free(store->environment);
	free(store->files);
	free(store->pinned);
	free(store->preconditions);
	free(store);
}

/* Members are taken one by one; what is left over at the end is none of ours. */
struct taker {
	const struct json *object;
	struct plan_store *store;
	size_t taken;
	bool is_bad;
};

static const struct json *take(struct taker *taker, const char *name, bool is_optional)
{
	const struct json *value = json_get(taker->object, name);

	if (value != NULL)
		taker->taken++;
	else if (!is_optional)
		taker->is_bad = true;
	return value;
}

static const char *take_text(struct taker *taker, const char *name)
{
	const char *text = json_text(take(taker, name, false));

	if (text == NULL)
		taker->is_bad = true;
	return text;
}

static const char *take_raw(struct taker *taker, const char *name, bool is_optional)
{
	const struct json *value = take(taker, name, is_optional);

	if (value == NULL)
		return NULL;
	strvec_take(&taker->store->texts, xmemdupz(value->raw, value->raw_len));
	return taker->store->texts.items[taker->store->texts.len - 1];
}

static int64_t take_int(struct taker *taker, const char *name)
{
	int64_t value = 0;
	const struct json *node = take(taker, name, false);

	if (!json_is(node, JSON_NUMBER) || !json_number_int64(node, &value))
		taker->is_bad = true;
	return value;
}

static struct digest read_digest(struct taker *taker, const struct json *node)
{
	struct digest digest = { 0 };
	const char *text = json_text(node);

	if (text == NULL || !digest_parse(text, &digest))
		taker->is_bad = true;
	return digest;
}

static void end_taking(struct taker *taker)
{
	if (taker->is_bad || taker->taken != taker->object->len)
		taker->is_bad = true;
}

/* A member of a type, or an empty one of it, so that it can be walked all the same. */
static const struct json *take_container(struct taker *taker, const char *name, enum json_type type)
{
	static const struct json empty = { .skip = 1 };
	const struct json *node = take(taker, name, false);

	if (json_is(node, type))
		return node;
	taker->is_bad = true;
	return &empty;
}

static void take_argv(struct taker *taker, struct strvec *ret_argv)
{
	const struct json *array = take_container(taker, "argv", JSON_ARRAY);

	json_foreach (item, array) {
		if (json_text(item) == NULL)
			taker->is_bad = true;
		else
			strvec_push(ret_argv, json_text(item));
	}
}

static struct plan_digest *take_digests(struct taker *taker, const char *name, size_t *ret_len)
{
	const struct json *object = take_container(taker, name, JSON_OBJECT);
	struct plan_digest *items = xcalloc((size_t)object->len + 1, sizeof(*items));
	size_t len = 0;

	json_foreach_member (key, value, object) {
		items[len].name = key->str;
		items[len++].digest = read_digest(taker, value);
	}
	*ret_len = len;
	return items;
}

static struct plan_pin *take_pinned(struct taker *taker, size_t *ret_len)
{
	const struct json *object = take_container(taker, "pinned", JSON_OBJECT);
	struct plan_pin *items = xcalloc((size_t)object->len + 1, sizeof(*items));
	size_t len = 0;

	json_foreach_member (key, value, object) {
		struct taker inner = { .object = value, .store = taker->store };

		items[len].path = key->str;
		items[len].kind = take_text(&inner, "kind");
		items[len++].digest = read_digest(&inner, take(&inner, "digest", false));
		end_taking(&inner);
		taker->is_bad |= inner.is_bad;
	}
	*ret_len = len;
	return items;
}

static struct plan_precondition *take_preconditions(struct taker *taker, size_t *ret_len)
{
	const struct json *array = take_container(taker, "preconditions", JSON_ARRAY);
	struct plan_precondition *items = xcalloc((size_t)array->len + 1, sizeof(*items));
	size_t len = 0;

	json_foreach (item, array) {
		struct taker inner = { .object = item, .store = taker->store };

		items[len].tool = take_text(&inner, "tool");
		items[len].arguments = take_raw(&inner, "arguments", false);
		items[len].pointer = take_text(&inner, "pointer");
		items[len].digest = read_digest(&inner, take(&inner, "digest", false));
		items[len++].value = take_raw(&inner, "value", true);
		end_taking(&inner);
		taker->is_bad |= inner.is_bad;
	}
	*ret_len = len;
	return items;
}

static void take_optional(struct taker *taker, struct plan_facts *facts)
{
	const struct json *input = take(taker, "stdin", true);
	const struct json *label = take(taker, "label", true);

	facts->has_stdin = input != NULL;
	if (input != NULL)
		facts->stdin_digest = read_digest(taker, input);
	facts->label = json_text(label);
	if (label != NULL && facts->label == NULL)
		taker->is_bad = true;
}

bool plan_facts_read(
    const struct json *node, struct plan_store *store, struct plan_facts *ret_facts)
{
	struct taker taker = { .object = node, .store = store };
	struct plan_facts *facts = ret_facts;

	if (!json_is(node, JSON_OBJECT))
		return false;
	(void)take_text(&taker, "schema_version");
	facts->surface = take_text(&taker, "surface");
	facts->surface_digest = read_digest(&taker, take(&taker, "surface_digest", false));
	facts->tool = take_text(&taker, "tool");
	facts->effect = take_text(&taker, "effect");
	facts->arguments = take_raw(&taker, "arguments", false);
	take_argv(&taker, &facts->argv);
	facts->cwd = take_text(&taker, "cwd");
	facts->program = take_text(&taker, "program");
	facts->program_digest = read_digest(&taker, take(&taker, "program_digest", false));
	facts->environment = store->environment =
	    take_digests(&taker, "environment", &facts->environment_len);
	facts->files = store->files = take_digests(&taker, "files", &facts->files_len);
	facts->pinned = store->pinned = take_pinned(&taker, &facts->pinned_len);
	facts->preconditions = store->preconditions =
	    take_preconditions(&taker, &facts->preconditions_len);
	facts->target = take_text(&taker, "target");
	take_optional(&taker, facts);
	facts->wait_ms = take_int(&taker, "wait_ms");
	facts->expires_ms = take_int(&taker, "expires_ms");
	end_taking(&taker);
	return !taker.is_bad;
}
