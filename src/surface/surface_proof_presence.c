/* SPDX-License-Identifier: MIT */
/*
 * Is a word of a command line there, and with it what it needs? What is certain (section 2.1), seen
 * from where another word stands: conditions around both, groups that tie inputs, members that
 * objects must have.
 */
#include "surface/surface_proof_internal.h"

#include <stdlib.h>
#include <string.h>

static bool is_boolean(const struct proof *p, int input)
{
	return loader_schema_is(p->l->tool->in->inputs[input].schema, "boolean");
}

void proof_begin(struct proof *p)
{
	const struct surface_tool_internal *in = p->l->tool->in;

	loader_ties(in, p->ties);
	for (int i = 0; i < (int)in->inputs_len; i++) {
		if (!loader_is_certain(in, i))
			continue;
		input_set_add(&p->certain, i);
		if (!is_boolean(p, i))
			input_set_unite(&p->certain, &p->ties[i]);
	}
}

static void add_named(const struct proof *p, struct stand *stand, const struct term *term)
{
	input_set_add(&stand->given, term->input);
	if (term->kind == TERM_HOLDS || !is_boolean(p, term->input))
		input_set_add(&stand->held, term->input);
}

/* What is given brings along what groups tie to it; a boolean must hold to do so. */
static void add_tied(const struct proof *p, struct stand *stand)
{
	struct input_set tied = { { 0 } };

	for (int i = 0; i < (int)p->l->tool->in->inputs_len; i++) {
		if (input_set_has(&stand->held, i))
			input_set_unite(&tied, &p->ties[i]);
	}
	input_set_unite(&stand->given, &tied);
	input_set_unite(&stand->held, &tied);
}

/* The word where the walk is, with what is known there: what is always given, what a `when` around
 * names, what the word itself could not be without. */
struct stand proof_stand(const struct proof *p, const struct word *word, const struct json *node)
{
	struct stand stand = p->at;

	stand.word = word;
	stand.node = node;
	stand.given = p->certain;
	for (size_t i = 0; i < stand.stack_len; i++) {
		const struct condition *condition = stand.stack[i].condition;

		for (size_t j = 0; condition != NULL && j < condition->when_len; j++)
			add_named(p, &stand, &condition->when[j]);
	}
	for (size_t i = 0; i < word->len; i++) {
		if (word->pieces[i].is_hole && word->pieces[i].input >= 0)
			input_set_add(&stand.given, word->pieces[i].input);
	}
	for (int i = 0; i < (int)p->l->tool->in->inputs_len; i++) {
		if (input_set_has(&stand.given, i) && !is_boolean(p, i))
			input_set_add(&stand.held, i);
	}
	add_tied(p, &stand);
	return stand;
}

/* Where it would be known without its own holes: may it vanish there? */
struct stand proof_place(const struct proof *p)
{
	static const struct word nothing = { 0 };

	return proof_stand(p, &nothing, NULL);
}

/* Each member on the pointer's way is required, and none may be null. */
static bool is_member_certain(const struct json *schema, const char *pointer)
{
	for (const char *at = pointer; *at == '/';) {
		size_t n = strcspn(at + 1, "/");
		const struct json *required = json_get(schema, "required");
		bool is_required = false;

		if (json_is(required, JSON_ARRAY)) {
			json_foreach (name, required)
				is_required |= name->type == JSON_STRING && name->len == n &&
					       memcmp(name->str, at + 1, n) == 0;
		}
		schema = json_get_len(json_get(schema, "properties"), at + 1, n);
		if (!is_required || schema == NULL || loader_schema_is(schema, "null"))
			return false;
		at += 1 + n;
	}
	return true;
}

static bool is_item_certain(const struct stand *stand, const struct piece *piece)
{
	const struct json *items = json_get(stand->each, "items");
	const struct json *more = json_get(stand->each, "additionalProperties");
	cleanup_buf struct buf pointer = BUF_INIT;

	if (piece->kind == HOLE_ITEM)
		return stand->is_file || !loader_schema_is(items, "null");
	if (items == NULL)
		return strcmp(piece->name, "key") == 0 || !loader_schema_is(more, "null");
	buf_addf(&pointer, "/%s", piece->name);
	return is_member_certain(items, pointer.data);
}

/* Where `given` stands, does this hole of `stand` have a value? */
static bool is_hole_certain(const struct proof *p, const struct piece *piece,
    const struct stand *stand, const struct stand *given)
{
	const struct tool *tool = p->l->tool;

	switch (piece->kind) {
	case HOLE_INPUT:
		return input_set_has(&given->given, piece->input) &&
		       (piece->pointer == NULL ||
			   is_member_certain(
			       tool->in->inputs[piece->input].schema, piece->pointer));
	case HOLE_ITEM:
	case HOLE_MEMBER:
		return is_item_certain(stand, piece);
	case HOLE_WORKSPACE:
	case HOLE_STAGE:
		return !stand->is_fixed && p->l->surface->is_scoped && !tool->is_discovery;
	case HOLE_ROOT:
		return true;
	case HOLE_POINTER:
	case HOLE_EXIT:
	case HOLE_STDOUT:
	case HOLE_STDERR:
	case HOLE_COUNT:
	case HOLE_N:
		break;
	}
	return false;
}

bool proof_has_values(const struct proof *p, const struct stand *stand, const struct stand *given)
{
	for (size_t i = 0; i < stand->word->len; i++) {
		const struct piece *piece = &stand->word->pieces[i];

		if (piece->is_hole && !is_hole_certain(p, piece, stand, given))
			return false;
	}
	return true;
}

bool loader_is_word_certain(struct loader *l, const struct word *word)
{
	struct proof *p = xcalloc(1, sizeof(*p));
	struct stand anywhere;
	struct stand stand;
	bool is_certain;

	p->l = l;
	p->program = &l->surface->program;
	proof_begin(p);
	anywhere = proof_place(p);
	stand = anywhere;
	stand.word = word;
	is_certain = proof_has_values(p, &stand, &anywhere);
	free(p);
	return is_certain;
}

bool loader_is_template_certain(struct loader *l, const struct template_ *template)
{
	if (template->kind == TEMPLATE_HOLE || template->kind == TEMPLATE_TEXT)
		return loader_is_word_certain(l, &template->word);
	for (size_t i = 0; i < template->children_len; i++) {
		if (!loader_is_template_certain(l, &template->children[i]))
			return false;
	}
	return true;
}

/* Is the condition met wherever `given` stands? Only plain names can be followed. */
static bool is_condition_implied(const struct condition *condition, const struct stand *given)
{
	if (condition == NULL || condition->unless_len > 0)
		return false;
	for (size_t i = 0; i < condition->when_len; i++) {
		if (condition->when[i].kind != TERM_HOLDS ||
		    !input_set_has(&given->held, condition->when[i].input))
			return false;
	}
	return true;
}

/* Wherever `given` is on the command line, is `stand` there as well? */
bool proof_is_implied(const struct proof *p, const struct stand *stand, const struct stand *given)
{
	size_t common = 0;

	while (common < stand->stack_len && common < given->stack_len &&
	       stand->stack[common].id == given->stack[common].id)
		common++;
	for (size_t i = common; i < stand->stack_len; i++) {
		if (!is_condition_implied(stand->stack[i].condition, given))
			return false;
	}
	return proof_has_values(p, stand, given);
}

bool proof_may_be_missing(const struct proof *p, const struct stand *stand)
{
	static const struct word nothing = { 0 };
	struct stand nowhere = { .word = &nothing, .given = p->certain };

	return !proof_is_implied(p, stand, &nowhere);
}
