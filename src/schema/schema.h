/* SPDX-License-Identifier: MIT */
#ifndef SCHEMA_SCHEMA_H
#define SCHEMA_SCHEMA_H

/*
 * JSON Schema 2020-12, the part that surface files may use: compiled once, validated many times.
 *
 * Keywords: type, enum, const; properties, patternProperties, additionalProperties,
 * propertyNames, required, minProperties, maxProperties, dependentRequired, dependentSchemas;
 * items, prefixItems, contains, minContains, maxContains, minItems, maxItems, uniqueItems;
 * minLength, maxLength, pattern; minimum, maximum, exclusiveMinimum, exclusiveMaximum,
 * multipleOf; allOf, anyOf, oneOf, not, if, then, else; boolean schemas; and the annotations
 * title, description, default, examples, deprecated, readOnly, writeOnly, $comment. Any other
 * keyword is refused at compile time, but the names the caller says to ignore. What a *surface*
 * may use of these is narrower and is surface/'s business.
 *
 * Numbers compare exactly at any size. Lengths count code points. `pattern` is PCRE2 with ASCII
 * classes and a match limit; a pattern that runs into the limit counts as not matching. Patterns
 * are compiled at their first use, so that start-up pays for none; schema_compile() checks their
 * syntax only when `check_patterns` is set.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "json/json.h"

struct schema;

struct schema_options {
	const char *const *ignore; /* NULL-terminated keywords to pass over (marks such as
				      "x-path"), or NULL */
	bool check_patterns;       /* compile every pattern now, and report those that do not */
};

#define cleanup_schema __attribute__((cleanup(schema_cleanup)))

/*
 * Compiles the schema at node; the document must outlive the result. On failure ERR_CONFIGURATION
 * names the keyword by its pointer from node, and *ret_where (may be NULL) is the value at fault.
 * A schema below `x-secret: true|"argv"` never has its instance's value quoted in a message.
 */
struct schema *schema_compile(const struct json *node, const struct schema_options *options,
    const struct json **ret_where, struct err *err) MUST_CHECK;
void schema_free(struct schema *schema);
void schema_cleanup(struct schema **schema);

/*
 * Validates instance. -1 with ERR_INVALID_ARGUMENT otherwise: the message is one sentence a model
 * can act on, several joined by "; " (at most 5): "/limit: 700 is more than the maximum 500";
 * a wrong type names the wanted and the given one ("/limit: is a string, an integer is wanted");
 * an unknown member names the nearest known one. Details:
 * {"errors":[{"pointer":"/limit","keyword":"maximum"}…]}. Values are quoted only when scalar, cut
 * at 40 characters, made visible, never below x-secret.
 */
int schema_validate(struct schema *schema, const struct json *instance, struct err *err) MUST_CHECK;

/* The same without messages: is it valid? */
bool schema_accepts(struct schema *schema, const struct json *instance);

/* ---- regular expressions, for schema and surface alike ---- */

/*
 * PCRE2 with the options that the surface language promises: UTF, ASCII classes, bounded match
 * and depth. Compiled at first use; thread of control is single.
 */
struct regex;

#define cleanup_regex __attribute__((cleanup(regex_cleanup)))

struct regex *regex_new(const char *pattern) MUST_CHECK;
void regex_free(struct regex *regex);
void regex_cleanup(struct regex **regex);

/* Compiles now. ERR_CONFIGURATION with PCRE2's words and the offset. */
int regex_check(struct regex *regex, struct err *err) MUST_CHECK;

/* One match; offsets into the subject. Unset groups are SIZE_MAX, SIZE_MAX. */
#define REGEX_GROUPS_MAX 32
struct regex_match {
	size_t begin[REGEX_GROUPS_MAX]; /* group 0 is the whole match */
	size_t end[REGEX_GROUPS_MAX];
	size_t groups_len; /* groups of the pattern, 0 included */
};

/*
 * Searches from offset. True and *ret_match (may be NULL) for a hit. A subject that is not UTF-8
 * does not match. When the engine fails (match limit) the answer is false and *ret_failed (may be
 * NULL) is set: callers that mask or classify must treat that as the worse case.
 */
bool regex_search(struct regex *regex, const char *subject, size_t len, size_t offset,
    struct regex_match *ret_match, bool *ret_failed);

/* The number of a named group, or -1. The pattern is compiled if it was not. */
int regex_group(struct regex *regex, const char *name);

/* Calls fn for each named group, in order of number. */
void regex_each_group(
    struct regex *regex, void (*fn)(void *ctx, const char *name, int number), void *ctx);

#endif
