/* SPDX-License-Identifier: MIT */
#ifndef RUN_RUN_REDACT_H
#define RUN_RUN_REDACT_H

/*
 * What the files of redaction share: the rules (run_rules.c), the search for their literals
 * (run_prefilter.c), what a name says and what a value looks like (run_names.c), the marker
 * (run_marker.c), the paths (run_paths.c), literals of patterns (run_literal.c), known values
 * (run_values.c), and the masking itself (run_redact.c for text,
 * run_redact_json.c for JSON).
 */

#include "run/run.h"
#include "schema/schema.h"

/* ---- rules: data ---- */

#define REDACT_LITERALS_MAX 12

/* A format. Exactly what stands between « and » in `positive` is masked, nothing in `negative`. */
struct redact_rule {
	const char *name;                          /* shown in the mask */
	const char *literals[REDACT_LITERALS_MAX]; /* one is in every match; at least 3 bytes */
	const char *pattern;                       /* anchored; group 1, if any, is the secret */
	const char *positive;
	const char *negative;
	unsigned before;  /* bytes of the match ahead of the literal */
	bool is_caseless; /* the literals match in either case (the pattern says so itself) */
};

/* How much a name says: what its value must look like to be masked. */
enum redact_kind {
	REDACT_NOTHING, /* the name says nothing */
	REDACT_ANY,     /* as a JSON member anything; in prose what could be a password */
	REDACT_LIKELY,  /* as a JSON member what could be a token; in prose what looks random */
	REDACT_RANDOM   /* what looks random, wherever it stands */
};

struct redact_name {
	const char *ending;
	size_t ending_len;
	const char *unless; /* words, or NULL */
	const char *only;   /* words, or NULL */
	const char *positive;
	const char *negative;
	enum redact_kind kind;
};

extern const struct redact_rule redact_rules[];
extern const size_t redact_rules_len;
extern const struct redact_name redact_names[];
extern const size_t redact_names_len;
extern const char *const redact_name_tails[];
extern const char redact_assigned_pattern[];
extern const char redact_option_pattern[];

/* What the mask of a known value says. */
#define REDACT_VALUE_NAME "secret"

/* ---- names and values ---- */

/* The row for a name such as "apiKey", or NULL: it says nothing of secrets. */
const struct redact_name *redact_judge_name(const char *name, size_t len);

/* Where a value stands: as a program's data, or in what may be prose or source code. */
enum redact_place { REDACT_MEMBER, REDACT_QUOTED, REDACT_BARE };

/* True when the value, standing there beside such a name, is to be masked. */
bool redact_judge_value(
    enum redact_kind kind, enum redact_place place, const char *value, size_t len);

/* ---- prefilter: where do literals occur? ---- */

struct prefilter;

struct prefilter *prefilter_new(void) MUST_CHECK;
void prefilter_free(struct prefilter *prefilter);

/* Adds a literal of at least PREFILTER_MIN bytes; caseless is for ASCII letters. */
#define PREFILTER_MIN 3
void prefilter_add(
    struct prefilter *prefilter, const char *literal, size_t len, bool is_caseless, unsigned id);

/* Calls fn for each occurrence of each literal, by place, after all have been added and
 * prefilter_build() was called. */
typedef void (*prefilter_fn)(void *ctx, unsigned id, size_t at);
void prefilter_build(struct prefilter *prefilter);
void prefilter_scan(
    const struct prefilter *prefilter, const char *data, size_t len, prefilter_fn fn, void *ctx);

/*
 * The longest literal that every match of the pattern holds; owned, NULL when none is certain.
 * Only plain patterns are understood: no alternatives, no "(?".
 */
char *redact_find_literal(const char *pattern) MUST_CHECK;

/* ---- what a host has once ---- */

struct redact_host {
	char *data_dir;         /* or NULL; owned */
	char marker[32];        /* "" until known */
	struct regex **rules;   /* one a rule, made at first need; owned */
	struct regex *assigned; /* the same for values beside names */
	struct regex *option;
	struct strvec paths; /* what is stripped, longest first: path, replacement, path … */
};

/* The marker, made when there is none; NULL with err. Borrowed from host. */
const char *redact_host_marker(struct redact_host *host, struct err *err) MUST_CHECK;

/* Length of "[masked:NAME:MARKER]" when data begins with one, else 0. */
size_t redact_mask_len(struct redact_host *host, const char *data, size_t len);

/* Appends data, the paths in it replaced. */
void redact_paths(struct redact_host *host, const char *data, size_t len, struct buf *ret_text);

/* ---- masking one text, for run_redact_json.c ---- */

/* Appends the mask of a rule. The marker must be known. */
void redact_add_mask(const struct redact_host *host, const char *name, struct buf *ret_text);

/*
 * Looks at data (UTF-8). False: nothing to mask, and nothing is written. True: *ret_masks masks
 * were set in what is appended to ret_text; 0 of them when the marker could not be had, and the
 * text is not written (err is set).
 */
bool redact_mask(struct redactor *redactor, const struct redactor_values *values, const char *data,
    size_t len, struct buf *ret_text, size_t *ret_masks, struct err *err);

struct redact_host *redactor_host(const struct redactor *redactor);

#endif
