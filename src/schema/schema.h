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
 * classes and a match limit; an instance for which a pattern runs into the limit (or does not
 * compile) is refused, wherever the pattern stands, also below `not`. Patterns are compiled at
 * their first use, so that start-up pays for none; schema_compile() checks their syntax only when
 * `check_patterns` is set.
 *
 * Work is bounded by (nodes of the schema) × (values of the instance), plus sorting for
 * uniqueItems; recursion by the depth of the schema's JSON.
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
 * Compiles the schema at node; the document must outlive the result. options may be NULL. On
 * failure ERR_CONFIGURATION names the keyword by its pointer from node, and *ret_where (may be
 * NULL; the one result that is set on failure) is the value at fault, or the key where that is.
 *
 * Two marks, when `ignore` lists them, change what messages say. A place that any schema marks
 * `x-secret: true|"argv"` never has its value, its length or anything within it told. A property
 * marked `x-hidden: true` is never suggested.
 */
struct schema *schema_compile(const struct json *node, const struct schema_options *options,
    const struct json **ret_where, struct err *err) MUST_CHECK;
void schema_free(struct schema *schema);
void schema_cleanup(struct schema **schema);

/*
 * Validates instance. -1 with ERR_INVALID_ARGUMENT otherwise: the message is one sentence a model
 * can act on, several joined by "; " (at most 5): "/limit: 700 is more than the maximum 500";
 * a wrong type names the wanted and the given one, and what to give where that is plain
 * ("/limit: is a string, an integer is wanted; give 5, not "5""); an unknown member names the
 * nearest known one that is not given yet, else all those when they are few; a missing member
 * stands by its own pointer ("/path: is required"). The root's pointer is "", written "(root)" in
 * messages. Details: {"errors":[{"pointer":"/limit","keyword":"maximum"}…]}.
 *
 * Values are quoted only when scalar, cut at 40 characters, made visible, never below x-secret;
 * names longer than 64 bytes are cut in pointers.
 */
int schema_validate(struct schema *schema, const struct json *instance, struct err *err) MUST_CHECK;

/* The same without messages: is it valid? */
bool schema_accepts(struct schema *schema, const struct json *instance);

/* ---- regular expressions, for schema and surface alike ---- */

/*
 * PCRE2 with the options that the surface language promises: UTF, ASCII classes (a pattern cannot
 * switch that), `$` at the very end only and not before a last newline (but with (?m)), bounded
 * match, depth and memory. Compiled at first use; thread of control is single.
 */
struct regex;

#define cleanup_regex __attribute__((cleanup(regex_cleanup)))

struct regex *regex_new(const char *pattern) MUST_CHECK;
void regex_free(struct regex *regex);
void regex_cleanup(struct regex **regex);

/* Compiles now. ERR_CONFIGURATION with PCRE2's words and the offset in bytes. */
int regex_check(struct regex *regex, struct err *err) MUST_CHECK;

/* One match; offsets into the subject. Unset groups are SIZE_MAX, SIZE_MAX; groups past the bound
 * are left out. */
#define REGEX_GROUPS_MAX 32
struct regex_match {
	size_t begin[REGEX_GROUPS_MAX]; /* group 0 is the whole match */
	size_t end[REGEX_GROUPS_MAX];
	size_t groups_len; /* groups of the pattern, 0 included */
};

/*
 * Searches from offset, which must be the beginning of a character. True and *ret_match (may be
 * NULL) for a hit. A subject that is not UTF-8 does not match. *ret_failed (may be NULL) is always
 * written: true when the answer is false because the engine failed (a limit met, a pattern that
 * does not compile): callers that mask or classify must treat that as the worse case.
 */
bool regex_search(struct regex *regex, const char *subject, size_t len, size_t offset,
    struct regex_match *ret_match, bool *ret_failed);

/* The same for a subject that is known to be UTF-8 and an offset at a character's start: the check,
 * which costs as much as a search, is left out. For many searches in one text. */
bool regex_search_utf8(struct regex *regex, const char *subject, size_t len, size_t offset,
    struct regex_match *ret_match, bool *ret_failed);

/* The same for a pattern that begins with \G: one try, at offset, so that what it costs does not
 * depend on len. */
bool regex_match_utf8(struct regex *regex, const char *subject, size_t len, size_t offset,
    struct regex_match *ret_match, bool *ret_failed);

/* How many groups the pattern has, the whole match not counted; -1 when it does not compile. */
int regex_groups_len(struct regex *regex);

/* The number of a named group, or -1. The pattern is compiled if it was not. */
int regex_group(struct regex *regex, const char *name);

/* Calls fn for each named group, in order of number. */
void regex_each_group(
    struct regex *regex, void (*fn)(void *ctx, const char *name, int number), void *ctx);

#endif
