/* SPDX-License-Identifier: MIT */
#ifndef SCHEMA_SCHEMA_INTERNAL_H
#define SCHEMA_SCHEMA_INTERNAL_H

/*
 * The compiled tree, and what compiling, validating and explaining share.
 *
 * A schema node is small and points at bundles of rules for one type of value each, of which most
 * nodes have one: a tree is made for each tool at start-up, where every fresh page costs more
 * than all the work done in it. There are no references, so
 * the tree has no cycles and no node meets the same part of an instance twice: validation is
 * bounded by (nodes of the schema) × (values of the instance), and its depth by the schema's.
 */

#include "base/arena.h"
#include "schema/schema.h"

/* JSON Schema's type names; a type list is their union. */
enum schema_type {
	TYPE_NULL = 1 << 0,
	TYPE_BOOLEAN = 1 << 1,
	TYPE_INTEGER = 1 << 2,
	TYPE_NUMBER = 1 << 3,
	TYPE_STRING = 1 << 4,
	TYPE_ARRAY = 1 << 5,
	TYPE_OBJECT = 1 << 6
};

enum schema_kind {
	SCHEMA_RULES,  /* an object */
	SCHEMA_ANY,    /* true */
	SCHEMA_NOTHING /* false */
};

struct schema_node {
	uint8_t kind;              /* enum schema_kind */
	uint8_t types;             /* union of enum schema_type; 0: any */
	bool is_secret;            /* x-secret: values here are never quoted */
	bool is_hidden;            /* x-hidden: the name is never suggested */
	const struct json *values; /* enum, or NULL */
	const struct json *value;  /* const, or NULL */

	struct number_rules *number; /* or NULL, as are the others */
	struct string_rules *string;
	struct array_rules *array;
	struct object_rules *object;
	struct place_rules *place;
};

/* NULL: no bound. */
struct number_rules {
	const struct json *minimum;
	const struct json *maximum;
	const struct json *exclusive_minimum;
	const struct json *exclusive_maximum;
	const struct json *multiple_of;
};

/* Lengths in code points. */
struct string_rules {
	size_t min_length;
	size_t max_length;
	struct regex *pattern; /* or NULL */
	const struct json *pattern_text;
};

struct schema_list {
	const struct schema_node **nodes;
	size_t len;
};

struct array_rules {
	size_t min_items;
	size_t max_items;
	struct schema_list prefix;
	const struct schema_node *items; /* those behind the prefix; or NULL */
	const struct schema_node *contains;
	size_t min_contains;
	size_t max_contains;
	bool is_unique;
};

/* A member's name and its schema; of properties sorted by length, then bytes. */
struct property {
	const struct json *name;
	const struct schema_node *schema;
};

struct property_list {
	struct property *items;
	size_t len;
};

struct pattern_property {
	struct regex *regex;
	const struct schema_node *schema;
};

struct pattern_list {
	struct pattern_property *items;
	size_t len;
};

struct object_rules {
	size_t min_properties;
	size_t max_properties;
	const struct json *required;           /* array of names, or NULL */
	const struct json *dependent_required; /* object of arrays of names, or NULL */
	struct property_list properties;
	struct property_list dependent_schemas;
	struct pattern_list patterns;
	const struct schema_node *additional; /* or NULL */
	const struct schema_node *names;      /* propertyNames, or NULL */
};

/* Schemas for the very same place of the instance. */
struct place_rules {
	struct schema_list all;
	struct schema_list any;
	struct schema_list one;
	const struct schema_node *none; /* not */
	const struct schema_node *condition;
	const struct schema_node *consequence; /* then */
	const struct schema_node *alternative; /* else */
};

struct schema {
	const struct schema_node *root;
	struct arena arena;     /* the nodes */
	struct regex **regexes; /* owned, as is each */
	size_t regexes_len;     /* in use */
	size_t regexes_cap;     /* allocated */
};

/* ---- places ---- */

/*
 * One step down from the root, on the stack of whoever walks; a chain of them is a JSON pointer.
 * Needed for an error only, so nothing is rendered until there is one.
 */
struct schema_step {
	const struct schema_step *parent; /* NULL: this is the root, key and index mean nothing */
	const struct json *key;           /* the member's name; NULL: an item */
	size_t index;                     /* the item's place */
	const struct object_rules *owner; /* object by whose rules we came here, or NULL */
	const struct json *object;        /* that object in the instance, or NULL */
	bool is_name;                     /* the name itself is looked at, not the value */
};

#define SCHEMA_ROOT_STEP ((struct schema_step){ 0 })

/* How the root is written in messages; its pointer is "". */
#define SCHEMA_ROOT_NAME "(root)"

/* Steps below the root. */
size_t schema_count_steps(const struct schema_step *step);

/* Appends the pointer; steps_max of the chain's steps, root not counted. Names are cut. */
void schema_add_pointer(struct buf *buf, const struct schema_step *step, size_t steps_max);

/* Appends the place as messages name it: the pointer made visible, or SCHEMA_ROOT_NAME. */
void schema_add_place(struct buf *buf, const struct schema_step *step, size_t steps_max);

/* ---- failures ---- */

/* What did not fit; one a keyword. schema_fault_keyword() has the wire names. */
enum schema_fault {
	FAULT_NONE, /* the root's own false schema */
	FAULT_TYPE,
	FAULT_ENUM,
	FAULT_CONST,
	FAULT_MINIMUM,
	FAULT_MAXIMUM,
	FAULT_EXCLUSIVE_MINIMUM,
	FAULT_EXCLUSIVE_MAXIMUM,
	FAULT_MULTIPLE_OF,
	FAULT_MIN_LENGTH,
	FAULT_MAX_LENGTH,
	FAULT_PATTERN,
	FAULT_MIN_ITEMS,
	FAULT_MAX_ITEMS,
	FAULT_UNIQUE_ITEMS,
	FAULT_PREFIX_ITEMS,
	FAULT_ITEMS,
	FAULT_CONTAINS,
	FAULT_MIN_CONTAINS,
	FAULT_MAX_CONTAINS,
	FAULT_MIN_PROPERTIES,
	FAULT_MAX_PROPERTIES,
	FAULT_REQUIRED,
	FAULT_DEPENDENT_REQUIRED,
	FAULT_PROPERTIES,
	FAULT_PATTERN_PROPERTIES,
	FAULT_ADDITIONAL_PROPERTIES,
	FAULT_PROPERTY_NAMES,
	FAULT_DEPENDENT_SCHEMAS,
	FAULT_ALL_OF,
	FAULT_ANY_OF,
	FAULT_ONE_OF,
	FAULT_NOT,
	FAULT_THEN,
	FAULT_ELSE,
	FAULT_COUNT
};

struct failure {
	enum schema_fault fault;
	const struct schema_step *step; /* where */
	const struct schema_node *node; /* whose rule; SCHEMA_NOTHING for a false schema */
	const struct json *instance;    /* what stands there; the object for a missing member */
	const struct json *other;       /* FAULT_DEPENDENT_REQUIRED: the member that asks for it */
	size_t count;  /* fitting items or alternatives; first of two equal items */
	size_t second; /* the other of two equal items */
	uint8_t types; /* FAULT_TYPE: those wanted */
};

/* At most this many failures are told of. */
#define FAILURES_MAX 5

/* What schema_validate() gathers: the sentences and the details. */
struct report {
	const struct schema_node *root; /* to find out what is secret */
	struct buf message;
	struct buf details;
	size_t failures; /* so far */
};

#define REPORT_INIT(root_node)                                                                     \
	((struct report){ .root = (root_node), .message = BUF_INIT, .details = BUF_INIT })

static inline bool report_is_full(const struct report *report)
{
	return report->failures >= FAILURES_MAX;
}

void report_release(struct report *report);

/* Adds one sentence. */
void report_add(struct report *report, const struct failure *failure);

/* Sets err to what was gathered; returns -1. */
int report_finish(struct report *report, struct err *err);

/*
 * How many steps of the chain may be shown: all of them, or as many as lead to the first place
 * that some schema marks as secret (ret_is_secret is set then, also for the last step itself).
 */
size_t schema_visible_steps(
    const struct schema_node *root, const struct schema_step *step, bool *ret_is_secret);

/* ---- small helpers ---- */

/* The union's bits that instance has; 0: it is of no such type. */
bool schema_has_type(uint8_t types, const struct json *instance);

/* The property of that name, or NULL. */
const struct property *schema_find_property(
    const struct property_list *list, const char *name, size_t len);

/* True when array has two equal items; their indexes. */
bool schema_find_equal_items(const struct json *array, size_t *ret_first, size_t *ret_second);

#endif
