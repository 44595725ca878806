/* SPDX-License-Identifier: MIT */
/*
 * PCRE2 behind one small door: the only file that knows the library.
 *
 * Compiled at first use. The JIT compiler takes as long as matching some ten thousand bytes does
 * without it, so it runs only once a pattern has been given that much to do.
 */
#include "schema/schema.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/limits.h"

/*
 * No PCRE2_UCP: classes are ASCII, and no pattern may switch that. `$` is the very end: otherwise
 * "1\n" would pass ^[0-9]+$. \C would split characters.
 */
#define COMPILE_OPTIONS                                                                            \
	(PCRE2_UTF | PCRE2_NEVER_UCP | PCRE2_NEVER_BACKSLASH_C | PCRE2_DOLLAR_ENDONLY)

/* In bytes of subject; a search counts as some, however short its subject. */
#define JIT_AFTER ((size_t)16 * 1024)
#define SEARCH_COST ((size_t)64)

enum regex_state { REGEX_NEW, REGEX_READY, REGEX_BROKEN };

struct regex {
	char *pattern;                /* owned */
	pcre2_code *code;             /* owned; NULL until compiled */
	pcre2_match_data *match;      /* owned; made with the code */
	pcre2_match_context *context; /* owned; holds the limits */
	int error;                    /* PCRE2's number when broken */
	size_t error_offset;          /* where in the pattern */
	size_t work;                  /* bytes searched so far, up to JIT_AFTER */
	bool has_tried_jit;           /* once is enough */
	enum regex_state state;
};

struct regex *regex_new(const char *pattern)
{
	struct regex *regex = xcalloc(1, sizeof(*regex));

	regex->pattern = xstrdup(pattern);
	return regex;
}

void regex_free(struct regex *regex)
{
	if (regex == NULL)
		return;
	pcre2_match_data_free(regex->match);
	pcre2_match_context_free(regex->context);
	pcre2_code_free(regex->code);
	free(regex->pattern);
	free(regex);
}

void regex_cleanup(struct regex **regex)
{
	regex_free(*regex);
}

static pcre2_code *compile(struct regex *regex)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	pcre2_code *code = NULL;

	if (context == NULL)
		abort();
	(void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	(void)pcre2_set_max_pattern_length(context, LIMIT_REGEX_PATTERN);
	code = pcre2_compile((PCRE2_SPTR)regex->pattern, PCRE2_ZERO_TERMINATED, COMPILE_OPTIONS,
	    &regex->error, &regex->error_offset, context);
	pcre2_compile_context_free(context);
	return code;
}

/* Compiles when that was not done; true when the pattern can be used. */
static bool prepare(struct regex *regex)
{
	if (regex->state != REGEX_NEW)
		return regex->state == REGEX_READY;
	regex->code = compile(regex);
	if (regex->code == NULL) {
		regex->state = REGEX_BROKEN;
		return false;
	}
	regex->match = pcre2_match_data_create_from_pattern(regex->code, NULL);
	regex->context = pcre2_match_context_create(NULL);
	if (regex->match == NULL || regex->context == NULL)
		abort();
	(void)pcre2_set_match_limit(regex->context, LIMIT_REGEX_STEPS);
	(void)pcre2_set_depth_limit(regex->context, LIMIT_REGEX_DEPTH);
	(void)pcre2_set_heap_limit(regex->context, LIMIT_REGEX_HEAP_KIB);
	regex->state = REGEX_READY;
	return true;
}

int regex_check(struct regex *regex, struct err *err)
{
	PCRE2_UCHAR text[256] = { 0 };

	if (prepare(regex))
		return 0;
	(void)pcre2_get_error_message(regex->error, text, sizeof(text));
	return err_set(err, ERR_CONFIGURATION, "regular expression: %s (at offset %zu)",
	    (const char *)text, regex->error_offset);
}

/* Without JIT (not built in, or no executable memory to be had) the interpreter serves. */
static void prepare_jit(struct regex *regex, size_t cost)
{
	if (regex->has_tried_jit)
		return;
	regex->work += SEARCH_COST + cost;
	if (regex->work < JIT_AFTER)
		return;
	(void)pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE);
	regex->has_tried_jit = true;
}

/* The JIT's stack is small and fixed: what does not fit it is left to the interpreter. */
static int run_match(
    struct regex *regex, const char *subject, size_t len, size_t offset, uint32_t options)
{
	int rc = pcre2_match(
	    regex->code, (PCRE2_SPTR)subject, len, offset, options, regex->match, regex->context);

	if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
		rc = pcre2_match(regex->code, (PCRE2_SPTR)subject, len, offset,
		    options | PCRE2_NO_JIT, regex->match, regex->context);
	return rc;
}

static void copy_groups(const struct regex *regex, struct regex_match *ret_match)
{
	const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(regex->match);
	size_t count = pcre2_get_ovector_count(regex->match);

	if (count > REGEX_GROUPS_MAX)
		count = REGEX_GROUPS_MAX;
	for (size_t i = 0; i < count; i++) {
		bool is_set = offsets[2 * i] != PCRE2_UNSET;

		ret_match->begin[i] = is_set ? offsets[2 * i] : SIZE_MAX;
		ret_match->end[i] = is_set ? offsets[2 * i + 1] : SIZE_MAX;
	}
	ret_match->groups_len = count;
}

static bool is_bad_utf8(int rc)
{
	return rc <= PCRE2_ERROR_UTF8_ERR1 && rc >= PCRE2_ERROR_UTF8_ERR21;
}

static bool search(struct regex *regex, const char *subject, size_t len, size_t offset, size_t cost,
    uint32_t options, struct regex_match *ret_match, bool *ret_failed)
{
	bool is_ready = prepare(regex);
	int rc = PCRE2_ERROR_INTERNAL;

	assert(offset <= len);
	if (is_ready) {
		prepare_jit(regex, cost);
		rc = run_match(regex, subject, len, offset, options);
	}
	if (ret_failed != NULL)
		*ret_failed = rc < 0 && rc != PCRE2_ERROR_NOMATCH && !is_bad_utf8(rc);
	if (rc < 0)
		return false;
	if (ret_match != NULL)
		copy_groups(regex, ret_match);
	return true;
}

bool regex_search(struct regex *regex, const char *subject, size_t len, size_t offset,
    struct regex_match *ret_match, bool *ret_failed)
{
	return search(regex, subject, len, offset, len - offset, 0, ret_match, ret_failed);
}

bool regex_search_utf8(struct regex *regex, const char *subject, size_t len, size_t offset,
    struct regex_match *ret_match, bool *ret_failed)
{
	return search(
	    regex, subject, len, offset, len - offset, PCRE2_NO_UTF_CHECK, ret_match, ret_failed);
}

bool regex_match_utf8(struct regex *regex, const char *subject, size_t len, size_t offset,
    struct regex_match *ret_match, bool *ret_failed)
{
	return search(regex, subject, len, offset, 0, PCRE2_NO_UTF_CHECK, ret_match, ret_failed);
}

int regex_groups_len(struct regex *regex)
{
	uint32_t groups = 0;

	if (!prepare(regex))
		return -1;
	(void)pcre2_pattern_info(regex->code, PCRE2_INFO_CAPTURECOUNT, &groups);
	return (int)groups;
}

int regex_group(struct regex *regex, const char *name)
{
	int number;

	if (!prepare(regex))
		return -1;
	number = pcre2_substring_number_from_name(regex->code, (PCRE2_SPTR)name);
	return number > 0 ? number : -1;
}

/* The name table: entries of fixed size, two bytes of number and the name, sorted by name. */
struct names {
	PCRE2_SPTR table;
	uint32_t entry_size;
	uint32_t count;
};

static struct names names_of(const struct regex *regex)
{
	struct names names = { 0 };

	(void)pcre2_pattern_info(regex->code, PCRE2_INFO_NAMETABLE, &names.table);
	(void)pcre2_pattern_info(regex->code, PCRE2_INFO_NAMEENTRYSIZE, &names.entry_size);
	(void)pcre2_pattern_info(regex->code, PCRE2_INFO_NAMECOUNT, &names.count);
	return names;
}

void regex_each_group(
    struct regex *regex, void (*fn)(void *ctx, const char *name, int number), void *ctx)
{
	struct names names;
	uint32_t groups = 0;

	if (!prepare(regex))
		return;
	names = names_of(regex);
	(void)pcre2_pattern_info(regex->code, PCRE2_INFO_CAPTURECOUNT, &groups);
	for (uint32_t number = 1; number <= groups; number++) {
		for (uint32_t i = 0; i < names.count; i++) {
			PCRE2_SPTR entry = names.table + (size_t)i * names.entry_size;

			if (((uint32_t)entry[0] << 8 | entry[1]) == number)
				fn(ctx, (const char *)entry + 2, (int)number);
		}
	}
}
