/* SPDX-License-Identifier: MIT */
/* `result` (section 5) and `errors` (section 6) of a tool, read and compiled. */
#include "surface/surface_loader.h"

#include <string.h>

/* One alternative while it is read. */
struct result_load {
	struct result *result;
	const struct part *part;
	const struct json *when;
	const struct json *unless;
};

static struct result *result_of(void *target)
{
	return ((struct result_load *)target)->result;
}

/* ---- simple steps ---- */

static void read_from(struct loader *l, const struct json *value, void *target)
{
	static const char *const names[] = {
		[RESULT_STDOUT] = "stdout",
		[RESULT_STDERR] = "stderr",
		[RESULT_BOTH] = "both",
		NULL,
	};
	int choice = loader_choice(l, value, names);

	if (choice >= 0)
		result_of(target)->from = (enum result_from)choice;
}

static void read_parse(struct loader *l, const struct json *value, void *target)
{
	loader_parse(l, value, &result_of(target)->parse);
}

static void read_silence(struct loader *l, const struct json *value, void *target)
{
	struct result *result = result_of(target);

	result->silence = loader_text(l, value);
	if (result->parse.kind != PARSE_TEXT && result->parse.kind != PARSE_VALUE)
		loader_error(l, value, "\"silence\" goes with \"parse: text\" or \"value\"");
}

/* "Star" stands last only: the only array member. */
static void check_at(struct loader *l, const struct json *node, const char *pointer)
{
	const char *star = strstr(pointer, "/*");

	while (star != NULL && star[2] != '/' && star[2] != '\0')
		star = strstr(star + 1, "/*");
	if (star != NULL && star[2] == '/')
		loader_error(l, node, "in \"at\" a * stands last only");
}

static void read_at(struct loader *l, const struct json *value, void *target)
{
	struct strvec *at = &result_of(target)->at;

	loader_pointers(l, value, true, at);
	for (size_t i = 0; i < at->len; i++)
		check_at(l, value, at->items[i]);
}

static void read_drop(struct loader *l, const struct json *value, void *target)
{
	loader_pointers(l, value, true, &result_of(target)->drop);
}

static void read_pick(struct loader *l, const struct json *value, void *target)
{
	loader_pointers(l, value, true, &result_of(target)->pick);
}

static void read_rename(struct loader *l, const struct json *value, void *target)
{
	if (!loader_is_object(l, value, "rename"))
		return;
	result_of(target)->rename = value;
	json_foreach_member (from, to, value) {
		if (json_text(from) == NULL)
			loader_error(l, from, "the name holds a NUL");
		(void)loader_text(l, to);
	}
}

static void read_as(struct loader *l, const struct json *value, void *target)
{
	result_of(target)->as = loader_ref(l, value);
}

static void read_under(struct loader *l, const struct json *value, void *target)
{
	if (loader_name(l, value, "a member"))
		result_of(target)->under = value->str;
}

static void read_text(struct loader *l, const struct json *value, void *target)
{
	struct result *result = result_of(target);
	const char *pointer = loader_pointer(l, value, false);

	if (pointer == NULL)
		return;
	if (*pointer == '\0')
		loader_error(l, value, "\"text\" points to a string of the result");
	if (result->as != NULL || result->page.by != PAGE_NONE)
		loader_error(l, value,
		    "\"text\" shows less than the structure: it has no place beside \"as\" and "
		    "\"page\"");
	result->text = loader_strdup(l, pointer);
}

/* ---- search and sort ---- */

static struct place place_of(const struct result_load *load, const char *what)
{
	return (struct place){ .what = what, .holes = HOLE_BIT(HOLE_INPUT), .part = load->part };
}

/* A literal, as a word. */
static void set_literal(struct loader *l, const char *text, struct word *ret_word)
{
	ret_word->pieces = loader_alloc(l, 1, sizeof(*ret_word->pieces));
	ret_word->len = 1;
	ret_word->pieces[0] =
	    (struct piece){ .text = loader_strdup(l, text), .len = strlen(text), .input = -1 };
}

/* A literal of the choices, or one hole whose enum holds nothing else. */
static void read_choice(struct loader *l, const struct json *node, const struct place *place,
    const char *const *choices, struct word *ret_word)
{
	const struct json *values;

	if (!loader_word(l, node, place, ret_word))
		return;
	if (surface_word_is_literal(ret_word)) {
		(void)loader_choice(l, node, choices);
		return;
	}
	values = json_get(loader_hole_schema(l, &ret_word->pieces[0], NULL), "enum");
	if (!surface_word_is_hole(ret_word) || values == NULL) {
		loader_error(l, node, "this is a choice, or one hole whose input is an enum");
		return;
	}
	json_foreach (value, values)
		(void)loader_choice(l, value, choices);
}

/* true, false, or one hole whose input is a boolean. */
static void read_case(
    struct loader *l, const struct json *node, const struct place *place, struct word *ret_word)
{
	bool is_true = false;

	if (node->type != JSON_STRING) {
		loader_bool(l, node, &is_true);
		set_literal(l, is_true ? "true" : "false", ret_word);
		return;
	}
	if (!loader_word(l, node, place, ret_word))
		return;
	if (!surface_word_is_hole(ret_word) ||
	    !loader_schema_is(loader_hole_schema(l, &ret_word->pieces[0], NULL), "boolean"))
		loader_error(l, node, "this is true, false, or one hole whose input is a boolean");
}

struct search_nodes {
	const struct json *for_;
	const struct json *in;
	const struct json *match;
	const struct json *case_;
};

#define SEARCH_KEY(key, member, flags_)                                                            \
	{                                                                                          \
		.name = (key), .flags = (flags_), .offset = offsetof(struct search_nodes, member)  \
	}
static const struct loader_key search_keys[] = {
	SEARCH_KEY("for", for_, KEY_REQUIRED),
	SEARCH_KEY("in", in, KEY_REQUIRED),
	SEARCH_KEY("match", match, 0),
	SEARCH_KEY("case", case_, 0),
};

static void read_search(struct loader *l, const struct json *value, void *target)
{
	static const char *const matches[] = { "contains", "prefix", "exact", NULL };
	cleanup_strvec struct strvec names = STRVEC_INIT;
	struct place place = place_of(target, "search");
	struct result_search *search = loader_alloc(l, 1, sizeof(*search));
	struct search_nodes n = { NULL };

	loader_mapping(l, value, "search", search_keys, ARRAY_LEN(search_keys), &n);
	if (n.for_ == NULL || n.in == NULL)
		return;
	(void)loader_word(l, n.for_, &place, &search->for_);
	loader_texts(l, n.in, false, &names);
	search->in = n.in;
	set_literal(l, "contains", &search->match);
	if (n.match != NULL)
		read_choice(l, n.match, &place, matches, &search->match);
	if (n.case_ != NULL)
		read_case(l, n.case_, &place, &search->is_case_sensitive);
	result_of(target)->search = search;
}

struct sort_nodes {
	const struct json *by;
	const struct json *order;
};

static const struct loader_key sort_keys[] = {
	{ "by", NULL, KEY_REQUIRED, offsetof(struct sort_nodes, by) },
	{ "order", NULL, 0, offsetof(struct sort_nodes, order) },
};

/* A field's name, or one hole whose enum names fields. */
static void read_by(
    struct loader *l, const struct json *node, const struct place *place, struct word *ret_word)
{
	if (!loader_word(l, node, place, ret_word) || surface_word_is_literal(ret_word))
		return;
	if (!surface_word_is_hole(ret_word) ||
	    json_get(loader_hole_schema(l, &ret_word->pieces[0], NULL), "enum") == NULL)
		loader_error(l, node, "this is a field, or one hole whose input is an enum");
}

static void read_sort(struct loader *l, const struct json *value, void *target)
{
	static const char *const orders[] = { "asc", "desc", NULL };
	struct place place = place_of(target, "sort");
	struct result_sort *sort = loader_alloc(l, 1, sizeof(*sort));
	struct sort_nodes n = { NULL };

	loader_mapping(l, value, "sort", sort_keys, ARRAY_LEN(sort_keys), &n);
	if (n.by == NULL)
		return;
	read_by(l, n.by, &place, &sort->by);
	set_literal(l, "asc", &sort->order);
	if (n.order != NULL)
		read_choice(l, n.order, &place, orders, &sort->order);
	result_of(target)->sort = sort;
}

/* ---- page ---- */

struct page_nodes {
	const struct json *by;
	const struct json *size;
	const struct json *cursor;
	const struct json *next;
};

static const struct loader_key page_keys[] = {
	{ "by", NULL, 0, offsetof(struct page_nodes, by) },
	{ "size", NULL, KEY_REQUIRED, offsetof(struct page_nodes, size) },
	{ "cursor", NULL, KEY_REQUIRED, offsetof(struct page_nodes, cursor) },
	{ "next", NULL, 0, offsetof(struct page_nodes, next) },
};

static bool is_used_in(const struct word *word, int input)
{
	for (size_t i = 0; i < word->len; i++) {
		if (word->pieces[i].is_hole && word->pieces[i].input == input)
			return true;
	}
	return false;
}

/* Does a word of argv carry the input to the program? */
static bool is_carried(const struct element *elements, size_t len, int input)
{
	for (size_t i = 0; i < len; i++) {
		if (is_used_in(&elements[i].word, input) ||
		    is_carried(elements[i].children, elements[i].children_len, input))
			return true;
	}
	return false;
}

static void check_page_input(struct loader *l, const struct json *node, const struct word *word,
    const char *type, enum page_by by)
{
	const struct surface_tool_internal *in = l->tool->in;
	const struct piece *piece = word->pieces;

	if (!surface_word_is_hole(word) || piece->input < 0 || piece->pointer != NULL) {
		loader_error(l, node, "this is one hole: an input");
		return;
	}
	if (!loader_schema_is(in->inputs[piece->input].schema, type))
		loader_error(l, node, "the input is of type %s", type);
	if (by != PAGE_SLICE && !is_carried(in->argv, in->argv_len, piece->input))
		loader_error(l, node, "the program makes the pages, yet no word carries \"%s\"",
		    in->inputs[piece->input].name);
}

/* A page of nothing would never end. */
static void check_size(struct loader *l, const struct json *node, const struct word *word)
{
	const struct json *minimum = json_get(loader_hole_schema(l, word->pieces, NULL), "minimum");
	int64_t value = 0;

	if (minimum == NULL || !json_number_int64(minimum, &value) || value < 1)
		loader_error(l, node, "the size of a page has a minimum of 1 or more");
}

static void read_page(struct loader *l, const struct json *value, void *target)
{
	static const char *const names[] = { "slice", "offset", "token", NULL };
	struct place place = place_of(target, "page");
	struct result_page *page = &result_of(target)->page;
	struct page_nodes n = { NULL };
	int by = 0;

	loader_mapping(l, value, "page", page_keys, ARRAY_LEN(page_keys), &n);
	if (n.by != NULL)
		by = loader_choice(l, n.by, names);
	if (n.size == NULL || n.cursor == NULL || by < 0)
		return;
	page->by = (enum page_by)(PAGE_SLICE + by);
	if (!loader_word(l, n.size, &place, &page->size) ||
	    !loader_word(l, n.cursor, &place, &page->cursor))
		return;
	if ((page->by == PAGE_TOKEN) != (n.next != NULL))
		loader_error(l, value, "\"next\" goes with \"by: token\", and is needed there");
	if (n.next != NULL && loader_pointer(l, n.next, false) != NULL)
		page->next = loader_strdup(l, n.next->str);
	if (l->is_checked)
		return;
	check_page_input(l, n.size, &page->size, "integer", page->by);
	check_page_input(l, n.cursor, &page->cursor, "string", page->by);
	if (surface_word_is_hole(&page->size))
		check_size(l, n.size, &page->size);
}

/* ---- echo ---- */

/* The members that the steps before echo make, where they are known. */
static bool is_page_member(const char *name)
{
	static const char *const names[] = { "pageSize", "cursor", "returned", "total",
		"nextCursor" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

static void check_clash(struct loader *l, const struct json *key, const struct result *result)
{
	bool clashes = result->under != NULL && json_is_text(key, result->under);

	clashes |= result->page.by != PAGE_NONE && is_page_member(key->str);
	clashes |=
	    result->page.by != PAGE_NONE && result->under == NULL && json_is_text(key, "items");
	clashes |= result->under == NULL && result->page.by == PAGE_NONE &&
		   ((result->parse.kind == PARSE_TEXT && json_is_text(key, "text")) ||
		       (result->parse.kind == PARSE_VALUE && json_is_text(key, "value")));
	if (clashes)
		loader_error(l, key, "the result has a member \"%s\" already", key->str);
}

static void read_echo(struct loader *l, const struct json *value, void *target)
{
	struct result *result = result_of(target);
	struct place place = place_of(target, "echo");

	place.holes |= HOLE_BIT(HOLE_POINTER) | HOLE_BIT(HOLE_EXIT) | HOLE_BIT(HOLE_STDOUT) |
		       HOLE_BIT(HOLE_STDERR) | HOLE_BIT(HOLE_COUNT) | HOLE_BIT(HOLE_WORKSPACE) |
		       HOLE_BIT(HOLE_STAGE);
	if (!loader_is_object(l, value, "echo"))
		return;
	json_foreach_member (key, member, value) {
		(void)member;
		if (json_text(key) != NULL)
			check_clash(l, key, result);
	}
	result->echo = loader_alloc(l, 1, sizeof(*result->echo));
	(void)loader_template(l, value, &place, result->echo);
}

/* ---- one alternative ---- */

/* In order of reading, which is the order of the steps. */
static const struct loader_key result_keys[] = {
	{ "when", NULL, 0, offsetof(struct result_load, when) },
	{ "unless", NULL, 0, offsetof(struct result_load, unless) },
	{ "from", read_from },
	{ "parse", read_parse },
	{ "silence", read_silence },
	{ "at", read_at },
	{ "drop", read_drop },
	{ "pick", read_pick },
	{ "rename", read_rename },
	{ "as", read_as },
	{ "search", read_search },
	{ "sort", read_sort },
	{ "page", read_page },
	{ "under", read_under },
	{ "echo", read_echo },
	{ "text", read_text },
};

static enum parse_kind parse_of(enum surface_output output)
{
	switch (output) {
	case SURFACE_OUTPUT_JSON:
		return PARSE_JSON;
	case SURFACE_OUTPUT_ENVELOPE:
		return PARSE_ENVELOPE;
	case SURFACE_OUTPUT_TEXT:
		break;
	}
	return PARSE_TEXT;
}

static void read_result(
    struct loader *l, const struct json *node, const struct part *part, struct result *result)
{
	struct result_load load = { .result = result, .part = part };

	result->node = node;
	result->parse.kind = parse_of(l->surface->program.output);
	loader_mapping(l, node, "a result", result_keys, ARRAY_LEN(result_keys), &load);
	loader_condition(l, part, load.when, load.unless, &result->condition);
}

void loader_result(struct loader *l, const struct json *node, const struct part *part)
{
	struct surface_tool_internal *in = l->tool->in;
	size_t n = node->type == JSON_ARRAY ? node->len : 1;

	if (n == 0 || n > LOADER_RESULTS_MAX) {
		loader_error(l, node, "a tool has 1 to %d results", LOADER_RESULTS_MAX);
		return;
	}
	in->results = loader_alloc(l, n, sizeof(*in->results));
	if (node->type != JSON_ARRAY) {
		read_result(l, node, part, &in->results[in->results_len++]);
		return;
	}
	json_foreach (item, node)
		read_result(l, item, part, &in->results[in->results_len++]);
}

/* ---- errors ---- */

static void read_exits(struct loader *l, const struct json *value, void *target)
{
	int64_t status;

	((struct error_rule *)target)->exits = value;
	if (value->type != JSON_ARRAY) {
		(void)loader_integer(l, value, 0, 255, &status);
		return;
	}
	json_foreach (item, value)
		(void)loader_integer(l, item, 0, 255, &status);
}

static void read_stderr(struct loader *l, const struct json *value, void *target)
{
	cleanup_strvec struct strvec texts = STRVEC_INIT;

	((struct error_rule *)target)->texts = value;
	loader_texts(l, value, true, &texts);
}

static void read_match(struct loader *l, const struct json *value, void *target)
{
	((struct error_rule *)target)->match = loader_regex(l, value);
}

/* Ours, but for those that mean the same whoever says them. */
static bool is_reserved_code(const char *name)
{
	enum err_code code = err_find(name);

	return code < ERR_CODE_COMMON && code != ERR_NOT_FOUND && code != ERR_PERMISSION_DENIED;
}

static void read_code(struct loader *l, const struct json *value, void *target)
{
	const char *text = loader_text(l, value);

	if (text == NULL)
		return;
	if (strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != value->len ||
	    value->len > 60 || text[0] < 'A' || text[0] > 'Z')
		loader_error(l, value, "a code is capitals, digits and _");
	else if (is_reserved_code(text))
		loader_error(l, value, "%s is a code of stile itself", text);
	((struct error_rule *)target)->code = text;
}

static void read_retryable(struct loader *l, const struct json *value, void *target)
{
	loader_bool(l, value, &((struct error_rule *)target)->retryable);
}

static void read_hint(struct loader *l, const struct json *value, void *target)
{
	((struct error_rule *)target)->hint = loader_prose(l, value, 500, 1000, true);
}

static void read_add(struct loader *l, const struct json *value, void *target)
{
	static const char *const taken[] = { "error_code", "retryable", "message", "exit_code",
		"user_action" };

	if (!loader_is_object(l, value, "add"))
		return;
	((struct error_rule *)target)->add = value;
	for (size_t i = 0; i < ARRAY_LEN(taken); i++) {
		if (json_get(value, taken[i]) != NULL)
			loader_error(l, value, "\"%s\" is in each error already", taken[i]);
	}
}

static const struct loader_key error_keys[] = {
	{ "exit", read_exits },
	{ "stderr", read_stderr },
	{ "match", read_match },
	{ "code", read_code, KEY_REQUIRED },
	{ "retryable", read_retryable },
	{ "hint", read_hint },
	{ "add", read_add },
};

void loader_errors(
    struct loader *l, const struct json *node, struct error_rule **ret_rules, size_t *ret_len)
{
	if (!loader_is_array(l, node, "errors"))
		return;
	*ret_rules = loader_alloc(l, node->len, sizeof(**ret_rules));
	json_foreach (item, node) {
		if (loader_is_full(l))
			return;
		loader_mapping(l, item, "an error", error_keys, ARRAY_LEN(error_keys),
		    &(*ret_rules)[(*ret_len)++]);
		if (item->type == JSON_OBJECT && json_get(item, "exit") == NULL &&
		    json_get(item, "stderr") == NULL && json_get(item, "match") == NULL)
			loader_error(l, item, "an error has \"exit\", \"stderr\" or \"match\"");
	}
}
