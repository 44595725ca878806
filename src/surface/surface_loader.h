/* SPDX-License-Identifier: MIT */
#ifndef SURFACE_SURFACE_LOADER_H
#define SURFACE_SURFACE_LOADER_H

/*
 * What the loading files of this room share; the stages of a call never see it.
 *
 * A mapping of the language is one table of keys: the table reads, checks and refuses, and its
 * order is the order of reading whatever the order in the file, so that a row may rely on the rows
 * above it. Findings do not stop the loading: all of a file's errors come home in one run.
 */

#include "surface/surface_internal.h"

/* A part as it stands in the file: tools copy it in. */
struct part {
	const char *name;
	const struct json *node;
	const struct json *input; /* object, or NULL */
	const struct json *groups;
	const struct json *argv;
	const struct json *set;
	const struct json *result;
	const struct json *ask;
	bool is_used;
	bool is_broken; /* an error was noted: so are the tools that use it */
};

/* At most so many errors and notes of one file, elements and inputs of one tool, groups,
 * terms of a condition, holes of a word, bytes of one tool's input schema: a file of one MiB cannot make loading slow by having parts copied. */
#define LOADER_ERRORS_MAX 50
#define LOADER_NOTES_MAX 500
#define LOADER_ELEMENTS_MAX 500
#define LOADER_INPUTS_MAX 100
#define LOADER_GROUPS_MAX 50
#define LOADER_TERMS_MAX 20
#define LOADER_HOLES_MAX 50
#define LOADER_USE_MAX 20
#define LOADER_RESULTS_MAX 20
#define LOADER_FIELDS_MAX 200
#define LOADER_VARIABLES_MAX 10
#define LOADER_SCHEMA_MAX ((size_t)64 << 10)

struct loader {
	struct surface *surface;
	struct surface_internal *in; /* of it */
	struct surface_notes *notes; /* findings */
	size_t errors_len;           /* among them */
	size_t faults;               /* errors, those counted again that were noted before */
	bool is_checked; /* the form the build made: what it proved is not proved again */
	struct part *parts;
	size_t parts_len;

	/* The tool being loaded. */
	struct tool *tool;
	struct part *used[LOADER_USE_MAX]; /* its parts, in `use` order */
	size_t used_len;
	bool input_used[LOADER_INPUTS_MAX]; /* by a word, condition or result */
	bool is_uri;                        /* its inputs are the variables of a URI */
	size_t elements_len;
};

/* ---- findings ---- */

/* Past LOADER_ERRORS_MAX nothing is added. node says where. */
void loader_error(struct loader *l, const struct json *node, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
void loader_warn(struct loader *l, const struct json *node, const char *fmt, ...) PRINTF_LIKE(3, 4);
void loader_info(struct loader *l, const struct json *node, const char *fmt, ...) PRINTF_LIKE(3, 4);

static inline bool loader_is_full(const struct loader *l)
{
	return l->errors_len >= LOADER_ERRORS_MAX;
}

/* ---- mappings ---- */

enum loader_key_flag {
	KEY_REQUIRED = 1 << 0,
	KEY_BUILTIN = 1 << 1 /* counts in built-in surfaces only: refused elsewhere */
};

/* One key: read, or (read NULL) the value's node is put at offset of the target. */
struct loader_key {
	const char *name;
	void (*read)(struct loader *l, const struct json *value, void *target);
	unsigned flags;
	size_t offset;
};

#define LOADER_KEYS_MAX 32

/* Reads an object by its table. what is for messages: "a tool". */
void loader_mapping(struct loader *l, const struct json *node, const char *what,
    const struct loader_key *keys, size_t keys_len, void *target);

/* ---- values; on a wrong one an error is noted and NULL, false or -1 returned ---- */

bool loader_is_object(struct loader *l, const struct json *node, const char *what);
bool loader_is_array(struct loader *l, const struct json *node, const char *what);

/* A text without NUL, borrowed from the document; not empty. */
const char *loader_text(struct loader *l, const struct json *node);

/* The same, and empty is allowed. */
const char *loader_any_text(struct loader *l, const struct json *node);

/* A text for people: no control or invisible characters; may_break: line breaks are allowed. Copied
 * into the arena. */
char *loader_prose(struct loader *l, const struct json *node, size_t max_characters,
    size_t max_bytes, bool may_break);

void loader_bool(struct loader *l, const struct json *node, bool *ret_value);
bool loader_integer(
    struct loader *l, const struct json *node, int64_t min, int64_t max, int64_t *ret_value);

/* Index of the choice, or -1. names ends with NULL. */
int loader_choice(struct loader *l, const struct json *node, const char *const *names);

/* A list of texts, none empty, appended. A lone text counts as a list of one when may_be_one. */
void loader_texts(
    struct loader *l, const struct json *node, bool may_be_one, struct strvec *ret_texts);

/* The same of JSON pointers ("" allowed). */
void loader_pointers(
    struct loader *l, const struct json *node, bool allows_star, struct strvec *ret_pointers);
const char *loader_pointer(struct loader *l, const struct json *node, bool allows_star);

/* A regular expression, owned by the surface; compiled now unless the build has done so. */
struct regex *loader_regex(struct loader *l, const struct json *node);

/* The same; a pattern without exactly one group is refused. */
struct regex *loader_regex_of_one_group(struct loader *l, const struct json *node);

/* A version range such as ">=2.30, <3": an error is noted when it is none. */
void loader_range(struct loader *l, const struct json *node);

/* Does node match [A-Za-z][A-Za-z0-9_]{0,63}; an error about `what` is noted otherwise. */
bool loader_name(struct loader *l, const struct json *node, const char *what);

/* Name of an environment variable that a surface may pass or set. */
bool loader_variable(struct loader *l, const struct json *node);

/* ---- arena ---- */

void *loader_alloc(struct loader *l, size_t n, size_t size) MUST_CHECK;
char *loader_strdup(struct loader *l, const char *text) MUST_CHECK;

/* ---- words and elements (surface_element.c, surface_load_template.c) ---- */

/* Where a word stands: which holes it may have, and what they mean there. */
struct place {
	const char *what;        /* "argv", for messages */
	unsigned holes;          /* bits 1 << enum hole_kind */
	const struct part *part; /* whose inputs alone may be named; NULL: the tool's */
	const struct json *each; /* schema of the input that is spread, or NULL */
	bool is_file;            /* {} is the path of a private file */
	bool allows_secret;      /* inputs marked `x-secret: true` may stand here */
	bool is_argv;            /* on the command line: `x-secret: argv` may stand there */
	bool allows_any_type;    /* arrays and objects too: a template's lone hole */
	const struct ref *ref;   /* {name} is a field of it, above */
	size_t ref_fields_len;
};

#define HOLE_BIT(kind) (1U << (kind))

/* Compiles a word and finds its inputs; false: an error was noted. */
bool loader_word(
    struct loader *l, const struct json *node, const struct place *place, struct word *ret_word);

/* The schema of what a hole of an input or an item yields, or NULL when it is none of these. */
const struct json *loader_hole_schema(
    const struct loader *l, const struct piece *piece, const struct json *each);

/* when/unless of a mapping; either may be NULL. */
void loader_condition(struct loader *l, const struct part *part, const struct json *when,
    const struct json *unless, struct condition *ret_condition);

bool loader_template(struct loader *l, const struct json *node, const struct place *place,
    struct template_ *ret_template);
bool loader_content(struct loader *l, const struct json *node, const struct place *place,
    struct content *ret_content);

/* The tool's argv; parts copied in. */
void loader_argv(struct loader *l, const struct json *node);

/* Index of the input that is called name and visible for part, or -1 with an error. Marks it used. */
int loader_input(
    struct loader *l, const struct json *node, const char *name, const struct part *part);

/* ---- inputs and schemas (surface_input.c, surface_schema.c) ---- */

/* Checks `input` of a part or tool by itself (section 4). */
void loader_check_input(struct loader *l, const struct json *node);

/* Inputs of the tool: parts in `use` order, then its own. own may be NULL. */
void loader_inputs(struct loader *l, const struct json *own);

/* Groups of one list, appended; part as above. */
void loader_groups(struct loader *l, const struct json *node, const struct part *part);

/* Checks one property's schema and everything below it. */
void loader_check_schema(struct loader *l, const struct json *property);

/* The strongest x-secret mark at or below a schema; and the one on itself. */
enum secret_mark { SECRET_NONE, SECRET_ARGV, SECRET_TRUE };
enum secret_mark loader_secret_mark(const struct json *schema);
enum secret_mark loader_own_secret_mark(const struct json *schema);

/* Writes a schema closed at every level: as clients see it, without marks; or as we validate it,
 * with marks and without descriptions. */
void loader_write_schema(struct json_writer *w, const struct json *schema, bool for_clients);

/* The whole input schema of a tool: with marks, hidden inputs and `confirm` for us, or as clients
 * see it. */
void loader_write_input_schema(struct json_writer *w, const struct tool *tool, bool for_clients);

/* Keywords of ours that a schema compiler passes over; NULL-terminated. */
extern const char *const loader_marks[];

/* The property's `type` is name, or one of its types is. */
bool loader_schema_is(const struct json *schema, const char *type);

/* The sentence that groups add to the description (section 4.1). */
void loader_describe_groups(struct buf *text, const struct tool *tool);

/* ---- proof (surface_proof.c) ---- */

/* Section 2.1 over program.args and the tool's argv. */
void loader_prove(struct loader *l);

/* Has the input a value in each call that passes the schema, by itself? */
bool loader_is_certain(const struct surface_tool_internal *in, int input);

/* A set of a tool's inputs. */
struct input_set {
	uint64_t bits[2];
};

static inline void input_set_add(struct input_set *set, int input)
{
	set->bits[input / 64] |= (uint64_t)1 << (input % 64);
}

static inline bool input_set_has(const struct input_set *set, int input)
{
	return (set->bits[input / 64] >> (input % 64) & 1) != 0;
}

static inline void input_set_unite(struct input_set *set, const struct input_set *other)
{
	set->bits[0] |= other->bits[0];
	set->bits[1] |= other->bits[1];
}

/* Has each hole a value in each call? Only holes of inputs. */
bool loader_is_word_certain(struct loader *l, const struct word *word);
bool loader_is_template_certain(struct loader *l, const struct template_ *template);

/* For each input those that groups bring along with it (all_or_none, and need behind a `when` of
 * one name); ret_ties has room for LOADER_INPUTS_MAX and is empty. */
void loader_ties(const struct surface_tool_internal *in, struct input_set *ret_ties);

/* No value that fits the schema begins with a lead character. *ret_may_be_empty: one may be "". */
bool loader_is_dash_free(const struct json *schema, const char *lead, bool *ret_may_be_empty);

/* ---- results (surface_result_load.c, surface_ref.c) ---- */

void loader_parse(struct loader *l, const struct json *node, struct parse *ret_parse);
void loader_refs(struct loader *l, const struct json *node);
const struct ref *loader_ref(struct loader *l, const struct json *node);
void loader_result(struct loader *l, const struct json *node, const struct part *part);
void loader_errors(
    struct loader *l, const struct json *node, struct error_rule **ret_rules, size_t *ret_len);

/* `output: auto`: derives tool->output_schema, or notes why it cannot (section 4.3). */
void loader_derive_output(struct loader *l, const struct json *node);

/* A tool that was read without an error: unused inputs, marks, pointers, and the proof. */
void loader_check_tool(struct loader *l);

/* `resources` (section 8), after the tools. */
void loader_resources(struct loader *l, const struct json *node);

/* Hidden tools that no resource is made of and no plan calls. */
void loader_note_hidden(struct loader *l);

/* What is said of all tools together: names, options that swallow, parts that nobody uses. */
void loader_note_tools(struct loader *l, const struct json *node);

/* Pointers of the results against declared names and the examples' `prints` (section 5.2). */
void loader_check_pointers(struct loader *l);

/* ---- tools and program ---- */

/* What is read from here on belongs to tool. */
void loader_begin_tool(struct loader *l, struct tool *tool);

/* For a surface with planned tools: the tools that are made for it, after its own, for which there is
 * room (surface_engine.c). */
#define ENGINE_TOOLS_MAX 12
void loader_engine(struct loader *l);

/* The tool of the file that a resource or a plan names; NULL: an error was said. */
const struct tool *loader_own_tool(struct loader *l, const struct json *node);

/* `plan` of a tool, once all tools are read (surface_load_plan.c). */
void loader_plan(struct loader *l, struct tool *tool);

void loader_program(struct loader *l, const struct json *node);
void loader_parts(struct loader *l, const struct json *node);
void loader_tools(struct loader *l, const struct json *node);

/* A tool while it is read: what needs order is put aside as nodes. */
struct tool_nodes {
	struct tool *tool;
	const struct json *use;
	const struct json *input;
	const struct json *groups;
	const struct json *argv;
	const struct json *builtin;
	const struct json *cwd;
	const struct json *set;
	const struct json *errors;
	const struct json *result;
	const struct json *output;
	const struct json *ask;
	const struct json *description;
	const struct json *examples;
	const struct json *plan;
};

/* Reads the keys of one tool; ret_nodes->tool is given. */
void loader_tool_keys(struct loader *l, const struct json *node, struct tool_nodes *ret_nodes);

void loader_examples(struct loader *l, const struct json *node);
void loader_writes(struct loader *l, const struct json *node, enum surface_writes *ret_writes);
void loader_limits(
    struct loader *l, const struct json *node, bool is_tool, struct surface_limits *ret_limits);

#endif
