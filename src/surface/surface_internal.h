/* SPDX-License-Identifier: MIT */
#ifndef SURFACE_SURFACE_INTERNAL_H
#define SURFACE_SURFACE_INTERNAL_H

/*
 * The compiled form that the loader (surface_load*.c) makes and the stages (surface_argv.c,
 * surface_result.c …) walk. All of it stands in the arena of struct surface_internal and dies
 * with it; names and JSON nodes are borrowed from its document, whose text and tape live as long.
 */

#include "base/arena.h"
#include "base/yaml.h"
#include "surface/surface.h"

/* ---- words and holes (section 3) ---- */

enum hole_kind {
	HOLE_INPUT,     /* {name}, {name/member}, {name:8} */
	HOLE_ITEM,      /* {} in each; the path in a file element */
	HOLE_MEMBER,    /* {.key} in each */
	HOLE_POINTER,   /* {/a/b} in echo and refs */
	HOLE_EXIT,      /* {$exit} */
	HOLE_STDOUT,    /* {$stdout} */
	HOLE_STDERR,    /* {$stderr} */
	HOLE_COUNT,     /* {$count} */
	HOLE_N,         /* {$n} in refs */
	HOLE_WORKSPACE, /* {$workspace} */
	HOLE_STAGE,     /* {$stage} */
	HOLE_ROOT       /* {$root}, program.args only */
};

/* One stretch of a word: literal text, or a hole. */
struct piece {
	bool is_hole;
	char *text; /* literal text, {{ already a brace; NULL in a hole */
	size_t len;
	enum hole_kind kind;
	char *name;     /* HOLE_INPUT: input (in a ref: field); HOLE_MEMBER: key */
	char *pointer;  /* HOLE_INPUT {name/a/b}: "/a/b"; HOLE_POINTER; else NULL */
	unsigned first; /* {name:8}: at most so many first characters; 0: all */
	int input;      /* HOLE_INPUT outside refs: index into the tool's inputs; else -1 */
};

struct word {
	struct piece *pieces;
	size_t len;
};

/* ---- conditions (section 2, COND) ---- */

enum term_kind { TERM_HOLDS, TERM_EQUALS, TERM_ONE_OF, TERM_SCHEMA };
struct term {
	int input; /* index into the tool's inputs */
	enum term_kind kind;
	const struct json *value; /* TERM_EQUALS: scalar; TERM_ONE_OF: array */
	struct schema *schema;    /* TERM_SCHEMA */
};

/* `when` needs all of its terms, `unless` none. Empty lists are always met. */
struct condition {
	struct term *when;
	size_t when_len;
	struct term *unless;
	size_t unless_len;
};

/* ---- templates and contents ---- */

enum template_kind {
	TEMPLATE_LITERAL,
	TEMPLATE_HOLE,
	TEMPLATE_TEXT,
	TEMPLATE_OBJECT,
	TEMPLATE_ARRAY
};
struct template_ {
	enum template_kind kind;
	const struct json *literal; /* TEMPLATE_LITERAL: as it is */
	struct word word;           /* TEMPLATE_HOLE: one hole, typed; TEMPLATE_TEXT: a string */
	char **names;               /* TEMPLATE_OBJECT: member names */
	struct template_ *children; /* TEMPLATE_OBJECT, TEMPLATE_ARRAY */
	size_t children_len;
};

/* Raw text of a word, or compact JSON of a template. */
struct content {
	bool is_json;
	struct word word;
	struct template_ json;
};

/* ---- elements of argv (section 2) ---- */

enum element_kind {
	ELEMENT_WORD,  /* one argument or nothing */
	ELEMENT_WORDS, /* children in order (also `use: part`, copied in) */
	ELEMENT_EACH,  /* children once an item of `input` */
	ELEMENT_FIRST, /* the first child whose condition is met and that yields something */
	ELEMENT_STDIN, /* content on standard input, then children */
	ELEMENT_FILE   /* content in a private file, then children with {} as its path */
};
struct element {
	enum element_kind kind;
	struct condition condition;
	struct word word;       /* ELEMENT_WORD */
	int input;              /* ELEMENT_EACH: index into the tool's inputs */
	struct content content; /* ELEMENT_STDIN, ELEMENT_FILE */
	struct element *children;
	size_t children_len;
	const struct json *node; /* where it stands in the file, for errors */
};

/* ---- inputs and groups (section 4) ---- */

enum input_path { INPUT_PATH_NONE, INPUT_PATH_READ, INPUT_PATH_WRITE, INPUT_PATH_DIR };
struct input {
	const char *name;
	const struct json *schema;   /* the property as written */
	const struct json *fallback; /* `default`, or NULL */
	const struct json *absent;   /* `x-absent` array, or NULL */
	bool is_required;
	bool is_hidden;       /* x-hidden */
	bool is_no_dash;      /* x-no-dash on itself or on its items */
	bool is_secret;       /* x-secret anywhere in it */
	bool is_secret_argv;  /* x-secret: argv anywhere in it */
	enum input_path path; /* x-path on itself or on its items */
};

enum group_kind {
	GROUP_ONE_OF,
	GROUP_AT_MOST_ONE,
	GROUP_ANY_OF,
	GROUP_ALL_OR_NONE,
	GROUP_NEED,  /* {when, need} */
	GROUP_REFUSE /* {when, refuse} */
};
struct group {
	enum group_kind kind;
	int *inputs; /* indices */
	size_t inputs_len;
	struct condition condition; /* GROUP_NEED, GROUP_REFUSE */
};

/* ---- results (section 5) ---- */

enum result_from { RESULT_STDOUT, RESULT_STDERR, RESULT_BOTH };
enum parse_kind {
	PARSE_JSON,
	PARSE_NDJSON,
	PARSE_ENVELOPE,
	PARSE_TEXT,
	PARSE_VALUE,
	PARSE_NONE,
	PARSE_LINES,
	PARSE_RECORDS,
	PARSE_PAIRS
};
enum field_type { FIELD_TEXT, FIELD_INTEGER, FIELD_NUMBER, FIELD_BOOLEAN, FIELD_WORDS, FIELD_NEXT };
struct field {
	const char *name;
	enum field_type type;
};
struct fields {
	struct field *items;
	size_t len;
};
struct kind {
	const char *tag;
	const char *as;
	struct fields fields;
};
struct parse {
	enum parse_kind kind;
	struct regex *lines; /* PARSE_LINES with named groups; NULL: array of texts */
	bool skips_other;    /* `other: skip` */
	char *end;           /* PARSE_RECORDS: record and field separators */
	size_t end_len;
	char *sep; /* also PARSE_PAIRS */
	size_t sep_len;
	struct fields fields; /* PARSE_RECORDS without kinds */
	struct kind *kinds;
	size_t kinds_len;
	bool keys_snake; /* PARSE_PAIRS */
	struct regex *strip;
	const struct json *nulls;
	struct regex *head; /* blocks of pairs */
	struct regex *tail;
};

enum ref_case { REF_CASE_NONE, REF_CASE_KEBAB, REF_CASE_SNAKE, REF_CASE_LOWER };
enum ref_type { REF_SCALAR, REF_TEXT, REF_INTEGER, REF_NUMBER, REF_BOOLEAN, REF_ANY };
enum source_kind { SOURCE_POINTER, SOURCE_TEXT, SOURCE_KEY_OF, SOURCE_MATCH, SOURCE_LIST };
struct source {
	enum source_kind kind;
	char *pointer;       /* SOURCE_POINTER, SOURCE_KEY_OF */
	struct word word;    /* SOURCE_TEXT */
	struct regex *match; /* SOURCE_MATCH: one group, over children[0] */
	struct source
	    *children; /* SOURCE_MATCH: one; SOURCE_LIST: the first that gives something */
	size_t children_len;
};
struct ref_field {
	const char *name;
	struct source source;
	enum ref_case letter_case;
	const struct json *map; /* object, or NULL */
	enum ref_type type;
	const struct ref *as;         /* nested ref, or NULL */
	const struct json *otherwise; /* `else`, or NULL */
};
struct ref {
	const char *name;
	struct ref_field *fields;
	size_t fields_len;
};

enum search_match { SEARCH_CONTAINS, SEARCH_PREFIX, SEARCH_EXACT };
struct result_search {
	struct word for_;
	const struct json *in;         /* array of field names */
	struct word match;             /* a literal, or one hole */
	struct word is_case_sensitive; /* "true", "false", or one hole; empty: false */
};
struct result_sort {
	struct word by;
	struct word order; /* "asc", "desc", or one hole */
};
enum page_by { PAGE_NONE, PAGE_SLICE, PAGE_OFFSET, PAGE_TOKEN };
struct result_page {
	enum page_by by;
	struct word size;
	struct word cursor;
	char *next; /* PAGE_TOKEN: pointer */
};

struct result {
	struct condition condition;
	const struct json *node;
	enum result_from from;
	struct parse parse;
	const char *silence; /* or NULL */
	struct strvec at;    /* pointers; empty: '' */
	struct strvec drop;
	struct strvec pick;
	const struct json *rename;    /* object, or NULL */
	const struct ref *as;         /* or NULL */
	struct result_search *search; /* or NULL */
	struct result_sort *sort;     /* or NULL */
	struct result_page page;
	const char *under;      /* member name, as written; NULL: the default */
	struct template_ *echo; /* TEMPLATE_OBJECT, or NULL */
	char *text;             /* pointer, or NULL */
};

/* ---- errors (section 6) ---- */

struct error_rule {
	const struct json *exits; /* number or array, or NULL */
	const struct json *texts; /* text or array, or NULL */
	struct regex *match;      /* or NULL */
	const char *code;
	bool retryable;
	const char *hint;       /* or NULL */
	const struct json *add; /* object, or NULL */
};

/* ---- questions ---- */

/* One line of `ask`. */
struct ask_line {
	struct word word;
	bool vanishes; /* when a hole has no value; else that is said in its place */
};

/* ---- the two roots of it ---- */

struct exit_rule {
	bool is_any_ok;
	bool is_any_data;
	const struct json *ok;   /* array, or NULL: [0] */
	const struct json *data; /* array, or NULL */
};

struct surface_tool_internal {
	struct tool *self;              /* this is of */
	const struct json *node;        /* the tool in the file */
	bool is_broken;                 /* an error was found while it was read */
	const struct json *plan_node;   /* its `plan`, or NULL */
	const struct json *result_node; /* in place of the tool's `result`: a resource's; or NULL */
	bool is_ready;        /* argv and what follows are there: ask surface_tool_ready() */
	struct input *inputs; /* parts in `use` order, then the tool's own */
	size_t inputs_len;
	struct json_doc merged; /* the whole input schema with its marks; owns its text */
	struct schema *schema;  /* of it; both made by surface_tool_schema(), ask that */
	bool accepts_confirm;
	struct group *groups;
	size_t groups_len;
	struct element *argv;
	size_t argv_len;
	int cwd;          /* index of the input, or -1 */
	struct word *set; /* values of the tool's `set`; names in set_names */
	char **set_names;
	size_t set_len;
	struct exit_rule exit;
	struct error_rule *errors;
	size_t errors_len;
	struct result *results; /* alternatives; none: by program.output */
	size_t results_len;
	bool hands_on;              /* no `result` key and JSON: token for token */
	bool has_output;            /* results are validated: ask surface_tool_output() */
	struct schema *output;      /* compiled output schema, made at first use; NULL until then */
	struct json_doc output_doc; /* its document (tool.output_schema read back) */
	struct ask_line *ask;       /* none: title and arguments */
	size_t ask_len;
	const struct json *examples; /* array, or NULL */
};

/* A resource's inside. The variables of its URI are kept as the inputs of a tool that is none, so
 * that `with` is a template like any other. */
struct surface_resource_internal {
	const struct json *node;    /* the resource in the file */
	const struct json *content; /* of a static one; else NULL */
	struct tool variables;      /* only its `in` counts */
	struct template_ *with;     /* TEMPLATE_OBJECT, or NULL: no arguments */
	struct tool own_tool; /* the tool with the resource's own result; unused without one */
};

/* `plan` of a tool. */
struct surface_plan_internal {
	struct word target;
	struct template_ *with;        /* TEMPLATE_OBJECT, one for each precondition */
	struct template_ preview_with; /* TEMPLATE_OBJECT */
};

struct part; /* surface_loader.h */

struct surface_internal {
	struct surface *owner;  /* this is of */
	struct surface *engine; /* what was made for its planned tools, or NULL: none */
	struct part *parts;     /* of the file, as they stand there */
	size_t parts_len;
	struct arena arena;     /* holds the compiled trees and their texts */
	struct regex **regexes; /* those of the trees, to be freed */
	size_t regexes_len;
	size_t regexes_cap;
	struct schema **schemas; /* of TERM_SCHEMA, to be freed */
	size_t schemas_len;
	size_t schemas_cap;
	struct buf text; /* JSON form of the file */
	struct json_doc doc;
	struct yaml_marks marks; /* empty for a compiled one */
	struct word *program_args;
	size_t program_args_len;
	struct ref *refs;
	size_t refs_len;
	struct error_rule *errors;
	size_t errors_len;
	const struct json *left_out;     /* array, or NULL */
	struct json_doc variable_schema; /* of each variable of a URI: a string */
};

/* ---- helpers that several files share ---- */

/*
 * The compiled schemas, made at first use so that start-up pays for none: of the inputs (closed,
 * `confirm` accepted on gated tools), and of results (NULL when the tool declares none). That they
 * compile was checked when the file was loaded, or at build time.
 */
struct schema *surface_tool_schema(const struct tool *tool);
struct schema *surface_tool_output(const struct tool *tool);

/*
 * The tool with all that a call needs: argv, cwd, set, errors, results, ask. A built-in surface is
 * loaded with the face of its tools alone (name, inputs, groups, texts); the rest is compiled when
 * a tool is first called. Each stage of a call begins here.
 */
const struct surface_tool_internal *surface_tool_ready(const struct tool *tool);

/* Index of the input, or -1. */
int surface_find_input(const struct surface_tool_internal *in, const char *name);

/* The value of an input in canonical arguments, or NULL when it is not given. */
const struct json *surface_input_value(
    const struct surface_tool_internal *in, const struct json *arguments, int input);

/* Given and, for a boolean, true. */
bool surface_input_holds(
    const struct surface_tool_internal *in, const struct json *arguments, int input);

bool surface_condition_met(const struct condition *condition,
    const struct surface_tool_internal *in, const struct json *arguments);

/* What holes can see while a word is expanded; members that do not apply are NULL. */
struct scope_values {
	const struct surface_tool_internal *in;
	const struct json *arguments;
	const struct surface_launch *launch;
	const struct json *item; /* {} in each */
	const char *item_key;    /* {.key} of an object spread: key; value is item */
	size_t item_key_len;
	int item_input;                /* the input being spread, or -1; for errors */
	size_t item_index;             /* place of item in it, from 0; for errors */
	const char *path;              /* {} in file */
	const char *root;              /* {$root}: the launch root of this repetition */
	const struct json *entry;      /* {/a/b} */
	const struct surface_run *run; /* {$exit} {$stdout} {$stderr} */
	int64_t count;                 /* {$count}; -1: none */
	int64_t n;                     /* {$n} */
	const struct ref *ref;         /* {name} is another field of it */
	unsigned depth;                /* fields of refs being evaluated inside each other */
};

#define SCOPE_VALUES_INIT ((struct scope_values){ .item_input = -1, .count = -1 })

/*
 * Appends the word's text; a number that is minus zero without its sign (section 2.1 counts
 * `minimum: 0` as free of dashes). 1: it has a value; 0: a hole has none, the word vanishes (nothing is
 * appended); -1: err (a value that is no scalar, too long, or holds NUL).
 */
int surface_expand_word(const struct word *word, const struct scope_values *values, size_t max_len,
    struct buf *ret_text, struct err *err) MUST_CHECK;

/*
 * Writes the template's value; false: it has none (nothing was written). A text whose hole is no
 * scalar, which the loader refuses, has none either.
 */
bool surface_write_template(
    const struct template_ *template, const struct scope_values *values, struct json_writer *w);

/*
 * Sets ERR_INVALID_ARGUMENT "<pointer>: <text>" with details
 * {"errors":[{"pointer":…,"keyword":…}]}, the form of schema_validate(). Returns -1.
 */
int surface_argument_error(struct err *err, const char *pointer, const char *keyword,
    const char *fmt, ...) PRINTF_LIKE(4, 5);

/*
 * Calls fn for each pair of subschema and value below (schema, value), outermost first, whatever
 * branch of a combinator it stands in, so that no mark is missed. pointer grows on the way down.
 * Stops at the first answer that is not 0, and returns it.
 */
typedef int (*surface_mark_fn)(
    void *ctx, const struct json *schema, const struct json *value, const struct buf *pointer);
int surface_walk_marks(const struct json *schema, const struct json *value, struct buf *pointer,
    surface_mark_fn fn, void *ctx);

/* Refuses arguments that break a group; the message names the inputs in a sentence (4.1). */
int surface_check_groups(const struct surface_tool_internal *in, const struct json *arguments,
    struct err *err) MUST_CHECK;

/* ---- URIs of resources (surface_uri.c) ---- */

/* One step through a template and a URI at once. */
struct uri_step {
	const char *pattern; /* its segment, not decoded */
	size_t pattern_len;
	const char *text; /* of the URI */
	size_t text_len;
};

/* The first segments behind the schemes, which are equal but for case; and the next ones. False: the two
 * differ in length, or there are no more; then *ret_is_end says whether both ended. */
bool surface_uri_begin(const char *pattern, const char *uri, struct uri_step *ret_step);
bool surface_uri_next(struct uri_step *step, bool *ret_is_end);

/* Is the segment `{name}`? *ret_name_len bytes behind the brace are the name. */
bool surface_uri_is_variable(const char *segment, size_t len, size_t *ret_name_len);

/* Decodes %XX once; false for a % without two hexadecimal digits. */
bool surface_uri_decode(const char *text, size_t len, struct buf *ret_text);

/* Compiles "a {hole} b" into the arena, by grammar alone: which holes may stand where, and which
 * input a name means (piece.input), is for surface_element.c. ERR_CONFIGURATION says what is wrong. */
int surface_word_compile(
    struct arena *arena, const char *text, struct word *ret_word, struct err *err) MUST_CHECK;

/* True for a word without a hole (then pieces[0].text, or "" when len is 0), and for one that is
 * a single hole and nothing else. */
bool surface_word_is_literal(const struct word *word);
bool surface_word_is_hole(const struct word *word);

/*
 * "2.39.5" as numbers: three parts count, those left out are 0, and what stands behind is not looked
 * at. False when there is no number, or one past 2^53-1, which JSON does not carry everywhere.
 */
#define VERSION_PARTS 3
bool surface_version_parts(const char *text, int64_t ret_parts[VERSION_PARTS]);

/* JSON Schema of what `builtin: status` answers (surface_status.c). */
extern const char surface_status_schema[];

/* True for "" and for "/a/b" with well-formed escapes; `*` segments only when they are allowed. */
bool surface_pointer_is_valid(const char *pointer, bool allows_star);

/* Adds a finding; node (may be NULL) gives line and column by the marks, and the path when path is
 * NULL. A finding that stands there already is not added again. */
void surface_note(struct surface_notes *notes, const struct surface_internal *in,
    enum surface_note_level level, const struct json *node, const char *path, const char *fmt, ...)
    PRINTF_LIKE(6, 7);

#endif
