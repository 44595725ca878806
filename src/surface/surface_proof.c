/* SPDX-License-Identifier: MIT */
/*
 * The proof (section 2.1): no value that a caller chooses can be read by the program as an option.
 *
 * The words of a command line are walked in order, over all ways at once: a state says what may
 * stand right before the next word. What is under a condition leaves both states behind, a spread
 * is walked twice, alternatives are walked each from the same state. A word is then judged in every
 * place it may come to stand. What is not sure is refused: a file that cannot be proved is not
 * served.
 */
#include "surface/surface_proof_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A set of stands, by their place in the pool. */
#define STANDS_MAX 2048
struct stands {
	uint64_t bits[STANDS_MAX / 64];
};

enum end_state { END_NOT_SEEN, END_MAYBE, END_SEEN };

/* What the next word may find before it. */
struct state {
	enum end_state end;
	bool is_clear;            /* no option that waits for a value may stand right before */
	bool has_subcommand;      /* on every way a word that is no option has been */
	bool has_stdin;           /* on some way the standard input is taken */
	struct stands options;    /* that may stand right before */
	struct stands neighbours; /* positional words that may be the last, and may be missing */
};

/* ---- sets and states ---- */

/* The first member at or behind i, or STANDS_MAX. */
static size_t next(const struct stands *set, size_t i)
{
	while (i < STANDS_MAX) {
		uint64_t rest = set->bits[i / 64] >> (i % 64);

		if (rest != 0)
			return i + (size_t)__builtin_ctzll(rest);
		i = (i / 64 + 1) * 64;
	}
	return STANDS_MAX;
}

#define foreach_stand(i, set)                                                                      \
	for (size_t i = next((set), 0); i < STANDS_MAX; i = next((set), i + 1))

static bool is_empty(const struct stands *set)
{
	for (size_t i = 0; i < ARRAY_LEN(set->bits); i++) {
		if (set->bits[i] != 0)
			return false;
	}
	return true;
}

static void add(struct stands *set, size_t i)
{
	set->bits[i / 64] |= (uint64_t)1 << (i % 64);
}

static void drop(struct stands *set, size_t i)
{
	set->bits[i / 64] &= ~((uint64_t)1 << (i % 64));
}

static void unite(struct stands *set, const struct stands *other)
{
	for (size_t i = 0; i < ARRAY_LEN(set->bits); i++)
		set->bits[i] |= other->bits[i];
}

/* What holds when the way may have been either. */
static void join(struct state *state, const struct state *other)
{
	if (state->end != other->end)
		state->end = END_MAYBE;
	state->is_clear |= other->is_clear;
	state->has_subcommand &= other->has_subcommand;
	state->has_stdin |= other->has_stdin;
	unite(&state->options, &other->options);
	unite(&state->neighbours, &other->neighbours);
}

/* The pool is as large as a tool's elements can make it; past it the file is refused. */
static size_t keep(struct proof *p, const struct stand *stand)
{
	if (p->pool_len == STANDS_MAX) {
		loader_error(p->l, stand->node, "the command line is too long to be proved");
		return STANDS_MAX - 1;
	}
	ARRAY_GROW(p->pool, p->pool_len, p->pool_cap);
	p->pool[p->pool_len] = *stand;
	return p->pool_len++;
}

/* ---- findings ---- */

static void refuse(struct proof *p, const struct json *node, const char *why)
{
	cleanup_buf struct buf word = BUF_INIT;

	if (node->type == JSON_STRING)
		text_add_visible(&word, node->str, text_cut(node->str, node->len, 80));
	if (p->l->tool != NULL && !p->at.is_fixed)
		loader_error(p->l, node, "tool %s: '%s' %s",
		    p->l->tool->name != NULL ? p->l->tool->name : "", word.data, why);
	else
		loader_error(p->l, node, "'%s' %s", word.data, why);
}

static bool is_lead(const struct proof *p, char c)
{
	return c != '\0' && strchr(p->program->lead, c) != NULL;
}

/* ---- can a word be read as an option? ---- */

static bool is_hole_dash_free(
    const struct proof *p, const struct piece *piece, bool *ret_may_be_empty)
{
	const struct json *schema;

	*ret_may_be_empty = false;
	if (piece->kind == HOLE_WORKSPACE || piece->kind == HOLE_STAGE || piece->kind == HOLE_ROOT)
		return true;
	if (piece->kind == HOLE_ITEM && p->at.is_file)
		return true;
	schema = loader_hole_schema(p->l, piece, p->at.each);
	return schema != NULL && loader_is_dash_free(schema, p->program->lead, ret_may_be_empty);
}

/* The first piece that is not empty decides. */
static bool is_dash_free(const struct proof *p, const struct word *word)
{
	for (size_t i = 0; i < word->len; i++) {
		const struct piece *piece = &word->pieces[i];
		bool may_be_empty;

		if (!piece->is_hole)
			return !is_lead(p, piece->text[0]);
		if (!is_hole_dash_free(p, piece, &may_be_empty))
			return false;
		if (!may_be_empty)
			return true;
	}
	return true;
}

/* "--name=" before any hole. */
static bool is_joined_long(const struct proof *p, const struct word *word)
{
	const char *text = word->pieces[0].text;
	size_t n;

	if (!is_lead(p, text[1]) || is_lead(p, text[2]))
		return false;
	n = strspn(text + 2, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");
	return n > 0 && text[2 + n] == '=';
}

/* ---- one word ---- */

static void settle(struct state *state)
{
	state->options = (struct stands){ { 0 } };
	state->is_clear = true;
}

/* An option that waits for a value: the next word is its own, or so it may seem. */
static void check_option_value(
    struct proof *p, const struct stand *option, const struct stand *value)
{
	const char *root = "'{$root}' may be several words: join it";

	if (value->word->pieces[0].is_hole && value->word->pieces[0].kind == HOLE_ROOT) {
		refuse(p, value->node, root);
		return;
	}
	if (!proof_is_implied(p, value, option))
		refuse(p, value->node,
		    "may be missing behind an option, which would swallow the next word: join "
		    "them (--name={…}), require the value, or put both under one \"when\"");
	if (!option->takes && !is_dash_free(p, value->word))
		refuse(p, value->node,
		    "could begin with a dash behind an option that may not swallow it: join them "
		    "(--name={…}), or give the input x-no-dash or a pattern");
}

/* Also removes the options whose value the word surely is from `vanished`. */
static void check_options(
    struct proof *p, const struct state *state, const struct stand *value, struct state *vanished)
{
	foreach_stand(i, &state->options)
	{
		check_option_value(p, &p->pool[i], value);
		if (proof_is_implied(p, value, &p->pool[i]))
			drop(&vanished->options, i);
	}
	vanished->is_clear |= is_empty(&vanished->options);
}

static bool has_hole(const struct word *word)
{
	return !surface_word_is_literal(word);
}

/* Two that may be missing: the later must not come to stand in the place of the earlier. */
static void check_neighbours(struct proof *p, struct state *state, const struct stand *stand)
{
	bool may_miss = proof_may_be_missing(p, stand);

	foreach_stand(i, &state->neighbours)
	{
		const struct stand *before = &p->pool[i];

		if (may_miss && (has_hole(before->word) || has_hole(stand->word)) &&
		    !proof_is_implied(p, before, stand)) {
			refuse(p, stand->node,
			    "could take the place of the word before it, which may be missing: "
			    "add a group {when: …, need: […]}, or move it behind the end word");
			break;
		}
	}
	state->neighbours = (struct stands){ { 0 } };
	if (may_miss)
		add(&state->neighbours, keep(p, stand));
}

static bool is_closed_enum(const struct proof *p, const struct piece *piece)
{
	const struct json *schema = loader_hole_schema(p->l, piece, p->at.each);

	return schema != NULL &&
	       (json_get(schema, "enum") != NULL || json_get(schema, "const") != NULL);
}

static bool is_spread(const struct proof *p, const struct piece *piece)
{
	return p->at.each != NULL && !p->at.is_file &&
	       (piece->kind == HOLE_ITEM || piece->kind == HOLE_MEMBER);
}

/* A word that begins with a hole and may stand where no option waits for it. */
static void check_positional(struct proof *p, struct state *state, const struct stand *stand)
{
	const struct piece *first = &stand->word->pieces[0];

	if (!state->has_subcommand && !stand->is_fixed && !is_closed_enum(p, first))
		refuse(p, stand->node,
		    "is the first word that is no option, and could name a subcommand, an alias or "
		    "a plugin: only a closed enum may stand here");
	else if (is_spread(p, first) && p->program->end != NULL)
		refuse(p, stand->node,
		    "is spread before the end word: move it behind, or join each item "
		    "(--name={})");
	else if (!is_dash_free(p, stand->word))
		refuse(p, stand->node,
		    "could begin with a dash and be read as an option: join it (--name={…}), move "
		    "it behind the end word, or give the input x-no-dash or a pattern");
	check_neighbours(p, state, stand);
	state->has_subcommand = true;
}

static bool are_options_fixed(const struct proof *p, const struct stands *options)
{
	foreach_stand(i, options)
	{
		if (!p->pool[i].is_fixed)
			return false;
	}
	return true;
}

/* A literal that begins with no lead character, perhaps with holes behind it. What stands right
 * behind an option may be its value, and then is no subcommand. */
static void walk_plain(struct proof *p, struct state *state, const struct stand *stand)
{
	bool is_value = !is_empty(&state->options) &&
			(stand->is_fixed || !are_options_fixed(p, &state->options));

	if (state->is_clear)
		check_neighbours(p, state, stand);
	state->has_subcommand |= !is_value;
}

static void walk_end_word(struct proof *p, struct state *state, const struct stand *stand)
{
	foreach_stand(i, &state->options)
	{
		if (p->pool[i].takes)
			refuse(p, stand->node,
			    "is swallowed by the option before it, and so ends nothing");
	}
	state->end = END_SEEN;
}

static bool is_option(const struct proof *p, const struct word *word)
{
	return word->len > 0 && !word->pieces[0].is_hole && is_lead(p, word->pieces[0].text[0]);
}

static bool is_end_word(const struct proof *p, const struct word *word)
{
	return p->program->end != NULL && word->len == 1 && !word->pieces[0].is_hole &&
	       strcmp(word->pieces[0].text, p->program->end) == 0;
}

/* Everything is data here, as far as the program keeps its promise. */
static void walk_behind_end(struct proof *p, struct state *state, const struct stand *stand)
{
	if (state->end == END_MAYBE) {
		refuse(p, stand->node,
		    "stands behind an end word that is under a condition: without it nothing "
		    "would protect what follows");
		state->end = END_SEEN;
	}
	if (is_end_word(p, stand->word))
		refuse(p, stand->node, "is a second end word");
	else if (is_option(p, stand->word))
		refuse(p, stand->node, "looks like an option, yet stands behind the end word");
}

static void walk_option(struct proof *p, struct state *state, const struct stand *stand)
{
	const char *text = stand->word->pieces[0].text;
	size_t index;

	if (text[1] == '\0' && !has_hole(stand->word)) {
		/* A dash alone is a word like any other. */
		walk_plain(p, state, stand);
		settle(state);
		return;
	}
	settle(state);
	if (has_hole(stand->word)) {
		if (!is_joined_long(p, stand->word))
			refuse(p, stand->node,
			    "could be read as several options: write two words, or the long form "
			    "--name={…}");
		return;
	}
	if (strchr(text, '=') != NULL)
		return;
	index = keep(p, stand);
	p->pool[index].takes = strvec_contains(&p->program->takes, text);
	add(&state->options, index);
	state->is_clear = false;
}

static void walk_positional(
    struct proof *p, struct state *state, const struct stand *stand, struct state *vanished)
{
	check_options(p, state, stand, vanished);
	if (!stand->word->pieces[0].is_hole)
		walk_plain(p, state, stand);
	else if (state->is_clear)
		check_positional(p, state, stand);
	settle(state);
}

static void walk_word(
    struct proof *p, const struct word *word, const struct json *node, struct state *state)
{
	struct stand stand = proof_stand(p, word, node);
	struct stand here = proof_place(p);
	struct state vanished = *state;

	if (state->end != END_NOT_SEEN) {
		walk_behind_end(p, state, &stand);
		settle(state);
	} else if (is_end_word(p, word)) {
		walk_end_word(p, state, &stand);
		settle(state);
	} else if (is_option(p, word)) {
		walk_option(p, state, &stand);
	} else if (!has_hole(word)) {
		walk_plain(p, state, &stand);
		settle(state);
	} else {
		walk_positional(p, state, &stand, &vanished);
	}
	if (!proof_has_values(p, &stand, &here)) {
		struct stands neighbours = state->neighbours;

		join(state, &vanished);
		/* Neighbours are those in the file: a chain of groups ties the others. */
		state->neighbours = neighbours;
	}
}

/* ---- elements ---- */

static void walk_element(struct proof *p, const struct element *element, struct state *state);
static void walk_body(struct proof *p, const struct element *element, struct state *state);

static void walk_elements(
    struct proof *p, const struct element *elements, size_t len, struct state *state)
{
	for (size_t i = 0; i < len && !loader_is_full(p->l); i++)
		walk_element(p, &elements[i], state);
}

static bool is_conditional(const struct element *element)
{
	return element->condition.when_len > 0 || element->condition.unless_len > 0;
}

static void push(struct proof *p, const struct condition *condition, const void *id)
{
	/* The depth of elements bounds this; a chance left out would be a hole in the proof. */
	assert(p->at.stack_len < STACK_MAX);
	p->at.stack[p->at.stack_len++] = (struct chance){ condition, id };
}

/* Is there at least one item? */
static bool is_each_certain(const struct proof *p, const struct element *element)
{
	const struct surface_tool_internal *in = p->l->tool->in;
	const struct json *schema = in->inputs[element->input].schema;
	const struct json *least = json_get(schema, "minItems");
	struct stand here;
	int64_t n = 0;

	if (json_is(least, JSON_NUMBER))
		(void)json_number_int64(least, &n);
	here = proof_place(p);
	return n > 0 && input_set_has(&here.given, element->input);
}

static void walk_each(struct proof *p, const struct element *element, struct state *state)
{
	struct stand outer = p->at;
	struct state none = *state;
	struct state once;
	bool is_certain;

	if (element->input < 0)
		return;
	is_certain = is_each_certain(p, element);
	if (!is_certain)
		push(p, NULL, element);
	p->at.each = p->l->tool->in->inputs[element->input].schema;
	p->at.is_file = false;
	walk_elements(p, element->children, element->children_len, state);
	once = *state;
	walk_elements(p, element->children, element->children_len, state);
	join(state, &once);
	if (!is_certain)
		join(state, &none);
	p->at = outer;
}

/* Does the element surely yield a word? */
static bool is_sure(const struct proof *p, const struct element *element)
{
	struct stand here;

	if (is_conditional(element))
		return false;
	if (element->kind == ELEMENT_WORD) {
		here = proof_place(p);
		here.word = &element->word;
		return proof_has_values(p, &here, &here);
	}
	if (element->kind != ELEMENT_WORDS)
		return false;
	for (size_t i = 0; i < element->children_len; i++) {
		if (is_sure(p, &element->children[i]))
			return true;
	}
	return false;
}

static void walk_first(struct proof *p, const struct element *element, struct state *state)
{
	struct state before = *state;
	struct state after;
	bool is_settled = false;

	for (size_t i = 0; i < element->children_len && !is_settled; i++) {
		const struct element *child = &element->children[i];
		struct stand outer = p->at;
		struct state way = before;

		/* Whether a later one counts hangs on those before it as well. */
		push(p, i == 0 ? &child->condition : NULL, child);
		if (i > 0)
			push(p, &child->condition, &child->condition);
		walk_body(p, child, &way);
		p->at = outer;
		is_settled = is_sure(p, child);
		if (i == 0)
			after = way;
		else
			join(&after, &way);
	}
	if (element->children_len == 0)
		return;
	if (!is_settled)
		join(&after, &before);
	*state = after;
}

/* A content that has no value yields nothing, its words neither. */
static bool is_content_certain(const struct proof *p, const struct content *content)
{
	struct stand here = proof_place(p);

	here.word = &content->word;
	return content->is_json
		   ? content->json.kind != TEMPLATE_HOLE && content->json.kind != TEMPLATE_TEXT
		   : proof_has_values(p, &here, &here);
}

static void walk_content(struct proof *p, const struct element *element, struct state *state)
{
	struct stand outer = p->at;
	struct state none = *state;
	bool is_certain = is_content_certain(p, &element->content);

	if (element->kind == ELEMENT_STDIN && state->has_stdin)
		refuse(p, element->node,
		    "a second content for standard input may come together with another one: put "
		    "them under \"first\"");
	if (!is_certain)
		push(p, NULL, element);
	p->at.is_file |= element->kind == ELEMENT_FILE;
	state->has_stdin |= element->kind == ELEMENT_STDIN;
	walk_elements(p, element->children, element->children_len, state);
	if (!is_certain)
		join(state, &none);
	p->at = outer;
}

static void walk_body(struct proof *p, const struct element *element, struct state *state)
{
	switch (element->kind) {
	case ELEMENT_WORD:
		walk_word(p, &element->word, element->node, state);
		break;
	case ELEMENT_WORDS:
		walk_elements(p, element->children, element->children_len, state);
		break;
	case ELEMENT_EACH:
		walk_each(p, element, state);
		break;
	case ELEMENT_FIRST:
		walk_first(p, element, state);
		break;
	case ELEMENT_STDIN:
	case ELEMENT_FILE:
		walk_content(p, element, state);
		break;
	}
}

static void walk_element(struct proof *p, const struct element *element, struct state *state)
{
	struct stand outer = p->at;
	struct state before = *state;

	if (!is_conditional(element)) {
		walk_body(p, element, state);
		return;
	}
	push(p, &element->condition, element);
	walk_body(p, element, state);
	p->at = outer;
	join(state, &before);
}

/* ---- the whole line ---- */

static void walk_args(struct proof *p, struct state *state)
{
	const struct surface_internal *in = p->l->in;
	const struct json *args = json_get(json_get(json_root(&in->doc), "program"), "args");
	size_t i = 0;

	if (!json_is(args, JSON_ARRAY))
		return;
	p->at.is_fixed = true;
	json_foreach (node, args) {
		if (i < in->program_args_len)
			walk_word(p, &in->program_args[i++], node, state);
	}
	p->at.is_fixed = false;
	/* An option that ends the fixed words need not wait for the tool's first one. */
	state->is_clear = true;
}

void loader_prove(struct loader *l)
{
	struct proof *p = xcalloc(1, sizeof(*p));
	struct state state = { .is_clear = true };
	const struct surface_tool_internal *in = l->tool->in;

	p->l = l;
	p->program = &l->surface->program;
	proof_begin(p);
	walk_args(p, &state);
	walk_elements(p, in->argv, in->argv_len, &state);
	free(p->pool);
	free(p);
}
