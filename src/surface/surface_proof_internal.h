/* SPDX-License-Identifier: MIT */
#ifndef SURFACE_SURFACE_PROOF_INTERNAL_H
#define SURFACE_SURFACE_PROOF_INTERNAL_H

/*
 * What the two files of the proof share: surface_proof.c walks the command line and judges each
 * word, surface_proof_presence.c knows whether a word is there at all.
 */

#include "surface/surface_loader.h"

/* Each of the four mappings that an element may be nested in brings three chances at most. */
#define STACK_MAX 16

/* Something on which it hangs whether a word is there. */
struct chance {
	const struct condition *condition; /* NULL: something that no condition says */
	const void *id;                    /* the element */
};

/* A word where it stands. */
struct stand {
	const struct word *word;
	const struct json *node;
	struct chance stack[STACK_MAX]; /* outermost first */
	size_t stack_len;
	const struct json *each; /* schema of what is spread, or NULL */
	bool is_file;            /* {} is a path */
	bool takes;              /* an option that swallows the next word, says the author */
	bool is_fixed;           /* of program.args */
	struct input_set given;  /* inputs that are given wherever the word is */
	struct input_set held;   /* and those that hold: of a boolean, true */
};

struct proof {
	struct loader *l;
	const struct surface_program *program;
	struct stand at; /* where the walk is: stack, each, is_file, is_fixed */
	struct stand *pool;
	size_t pool_len;
	size_t pool_cap;
	struct input_set certain;                 /* inputs that are always given */
	struct input_set ties[LOADER_INPUTS_MAX]; /* what each brings along */
};

/* Fills certain and ties from the inputs and groups of the tool. */
void proof_begin(struct proof *p);

/* The word where the walk is, with what is known there: what is always given, what a `when` around
 * names, what the word itself could not be without. */
struct stand proof_stand(const struct proof *p, const struct word *word, const struct json *node);

/* The same place without a word: what is known there by itself. */
struct stand proof_place(const struct proof *p);

/* Where `given` stands, does each hole of `stand` have a value? */
bool proof_has_values(const struct proof *p, const struct stand *stand, const struct stand *given);

/* Wherever `given` is on the command line, is `stand` there as well? */
bool proof_is_implied(const struct proof *p, const struct stand *stand, const struct stand *given);

/* May the word be missing from some command line? */
bool proof_may_be_missing(const struct proof *p, const struct stand *stand);

#endif
