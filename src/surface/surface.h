/* SPDX-License-Identifier: MIT */
#ifndef SURFACE_SURFACE_H
#define SURFACE_SURFACE_H

/*
 * Surface files: the one registry. A file names a program and the tools made of it; loading proves
 * it safe; its compiled form turns arguments into one command line, and what the program prints
 * into a result. The language is specs/surfaces.md (for users: docs/surfaces.md); section numbers
 * below are that document's.
 *
 * Not here: whether a call may run (gate/), running it (run/), MCP (mcp/). Nothing in a surface
 * file runs; nothing here starts a process.
 *
 * Invariants: a struct surface that exists has been proved (section 2.1): no value that a caller
 * chooses can be read by the program as an option. It is read-only after loading, and owns all
 * that its tools point to.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/ids.h"
#include "base/strvec.h"
#include "json/json.h"
#include "schema/schema.h"

/* ---- what a surface is ---- */

enum surface_effect { SURFACE_READ, SURFACE_WRITE, SURFACE_DESTROY };
enum surface_rank { SURFACE_RANK_READ, SURFACE_RANK_WRITE, SURFACE_RANK_MANAGE };
enum surface_files { SURFACE_FILES_NONE, SURFACE_FILES_READ, SURFACE_FILES_WRITE };
enum surface_writes { SURFACE_ELICIT, SURFACE_PLAN, SURFACE_POLICY, SURFACE_OPEN };
enum surface_builtin_tool { SURFACE_BUILTIN_NONE, SURFACE_BUILTIN_CONTEXT, SURFACE_BUILTIN_STATUS };
enum surface_output { SURFACE_OUTPUT_TEXT, SURFACE_OUTPUT_JSON, SURFACE_OUTPUT_ENVELOPE };

/* Bounds of a run, within the host's (base/limits.h). */
struct surface_limits {
	int64_t timeout_ms;
	size_t output_bytes; /* of the program's stdout */
	size_t result_bytes; /* of what the client gets */
	unsigned children;   /* of this surface at once */
};

/* `program.version`: run once, when first needed. */
struct surface_version {
	struct strvec args;
	struct regex *at; /* one group: the version in stdout or stderr */
	char *range;      /* such as ">=2.30"; or NULL */
	char *baseline;   /* for `builtin: status`; or NULL */
};

/* `program`: what stands behind the boundary (section 1.1). */
struct surface_program {
	char *run;                       /* "self", a name, or an absolute path */
	char *override;                  /* variable that may replace run; or NULL */
	struct strvec env;               /* names that pass to the child */
	struct strvec set;               /* "NAME=value" */
	char *end;                       /* the word after which nothing is an option; NULL: none */
	char *lead;                      /* characters an option may begin with; always holds '-' */
	struct strvec takes;             /* options that swallow the next word */
	struct surface_version *version; /* or NULL */
	struct strvec *probe;            /* arguments whose exit 0 means "able to work"; or NULL */
	enum surface_output output;      /* default `parse` */
	bool guard_git;                  /* `guard: git` */
	char *switch_allow_write; /* variables of `switches`; built-in surfaces only; or NULL */
	char *switch_allow_noninteractive_write;
	char *switch_allow_drift;
};

/* What must still be true when a plan is applied: what a read tool of the surface says. */
struct surface_precondition {
	const struct tool *tool;
	char *pointer; /* into its result; "": all of it */
};

struct surface_plan_internal;

/* What a plan of a tool holds beside the call itself (section 7). */
struct surface_plan {
	struct surface_precondition *preconditions;
	size_t preconditions_len;
	const struct tool *preview; /* what shows a person the effect; or NULL */
	struct strvec pins;         /* names of x-path inputs whose content is held */
	int64_t expires_ms;         /* how long a plan may be applied */
	int64_t wait_ms; /* how long an apply is waited for before it is told as running */
	struct surface_plan_internal *in;
};

struct surface_tool_internal; /* compiled words, groups, result: surface_internal.h */
struct surface_internal;

/* One tool. Texts are what clients see: descriptions carry their generated sentences. */
struct tool {
	const struct surface *surface; /* the one it belongs to; of an engine's tool one of its own,
					  with the name and digest of the one it was made for */
	char *name;
	char *title; /* or NULL */
	char *description;
	char *input_schema;  /* JSON text for clients (section 4.2) */
	char *output_schema; /* JSON text for clients, or NULL (section 4.3) */
	enum surface_effect effect;
	enum surface_rank rank;
	enum surface_files files;
	enum surface_writes writes;
	enum surface_builtin_tool builtin;
	bool is_idempotent; /* hints; read-only and destructive follow from effect */
	bool is_open_world;
	bool executes_any; /* runs a program that the caller names */
	bool is_exclusive; /* one at a time among the exclusive tools of the surface */
	bool reveals;      /* the result exists to give a secret */
	bool is_discovery; /* visible without a scope */
	bool is_hidden;    /* callable by resources and plans only */
	char *needs;       /* version range, or NULL */
	bool is_engine; /* made for the planned tools of its surface; its program is this binary */
	struct surface_plan *plan; /* `writes: plan` and `policy`; else NULL */
	struct surface_limits limits;
	struct surface_tool_internal *in;
};

struct surface_resource_internal;

/* One resource (section 8): text that stands in the file, or what a tool makes when it is read. */
struct resource {
	const struct surface *surface; /* the one it belongs to */
	char *uri;                     /* as written; of a template with its {variables} */
	char *name;
	char *title;       /* or NULL */
	char *description; /* or NULL */
	char *mime;
	bool is_template;
	const struct tool *tool; /* called at each read; NULL: static, and nothing runs */
	struct surface_resource_internal *in;
};

struct surface_secret {
	char *name;    /* shown in the mask */
	char *pattern; /* PCRE2 */
};

struct surface {
	char *name;
	char *title;          /* or NULL */
	char *instructions;   /* or NULL */
	struct digest digest; /* of the file's bytes as a person wrote them */
	bool is_builtin;
	bool is_scoped;
	enum surface_writes writes;
	struct surface_limits limits;
	struct surface_program program;
	struct surface_secret *secrets;
	size_t secrets_len;
	struct tool *tools; /* in file order, then those made by the engine */
	size_t tools_len;
	struct resource *resources; /* in file order */
	size_t resources_len;
	struct surface_internal *in;
};

/* ---- loading ---- */

/* Something `surface check` says about a file. Errors stop it from being served. */
enum surface_note_level { SURFACE_NOTE_ERROR, SURFACE_NOTE_WARNING, SURFACE_NOTE_INFO };
struct surface_note {
	enum surface_note_level level;
	unsigned line; /* from 1; 0: unknown (a built-in surface) */
	unsigned column;
	char *path; /* where, such as "tools[3] git_show.argv[2]"; owned */
	char *text; /* owned */
};
struct surface_notes {
	struct surface_note *items;
	size_t len;
	size_t cap;
};
#define SURFACE_NOTES_INIT ((struct surface_notes){ 0 })
#define cleanup_surface_notes __attribute__((cleanup(surface_notes_release)))
void surface_notes_release(struct surface_notes *notes);

/*
 * Loads and proves a surface written in YAML. is_builtin allows what only built-in surfaces may
 * say. notes (may be NULL) receives every finding, at most 50 errors; err the first error:
 * ERR_SURFACE_INVALID, "line 12, column 5: tools[0].argv[3]: …". Keys that this version does not
 * do yet are refused, never ignored.
 */
struct surface *surface_load(const char *text, size_t len, bool is_builtin,
    struct surface_notes *notes, struct err *err) MUST_CHECK;

/*
 * The same from the JSON form that the build made of a checked built-in file; digest is that of the
 * YAML. Proofs and pattern checks, done at build time, are not repeated, and what only calls need
 * is compiled when a tool is first called. The form has no examples and no left_out: whoever
 * checks or counts loads the YAML.
 */
struct surface *surface_load_compiled(
    const char *json, size_t len, const struct digest *digest, struct err *err) MUST_CHECK;

void surface_free(struct surface *surface);

/* What is known of a tool of a built-in surface without loading that. */
struct surface_builtin_entry {
	const char *name;
	enum surface_rank rank;
	bool is_hidden;
	bool is_discovery;
	bool executes_any;
};

/* The built-in surfaces, embedded by the build. */
struct surface_builtin {
	const char *name; /* NULL: end of table */
	const char *json; /* compiled form */
	size_t json_len;
	const char *yaml; /* the file as a person wrote it, for `surface show` */
	size_t yaml_len;
	uint8_t digest[DIGEST_SIZE];
	bool is_scoped;
	const struct surface_builtin_entry *tools; /* in file order */
	size_t tools_len;
};
extern const struct surface_builtin surface_builtins[];
const struct surface_builtin *surface_builtin_find(const char *name);

/* surfaces/plan.yaml in its compiled form, of which the tools of planned surfaces are made; embedded
 * beside them. */
const char *surface_plan_template(size_t *ret_len);

/* ---- a call, stage by stage ---- */

struct surface_result;

/* resolve: the tool, or NULL. */
const struct tool *surface_find_tool(const struct surface *surface, const char *name);

/*
 * resolve: does uri name the resource? Segments are compared, each decoded once, so that a URI and
 * its percent-encoded form are one; a variable stands for one whole segment that is not empty.
 */
bool surface_resource_matches(const struct resource *resource, const char *uri);

/* True when two URIs, or templates whatever their variables are called, name the same. */
bool surface_uri_is_same(const char *a, const char *b);

/*
 * The arguments for the tool of a resource that uri names: `with`, its holes filled. ret_doc owns
 * its text. ERR_INVALID_PARAMS for a segment that is no UTF-8 once decoded, is badly encoded, or
 * holds a separator, ".." or NUL.
 */
int surface_resource_arguments(const struct resource *resource, const char *uri,
    struct json_doc *ret_doc, struct err *err) MUST_CHECK;

/* What a static resource holds, as a result: text, or JSON. */
void surface_resource_content(const struct resource *resource, struct surface_result *ret_result);

/* True when the text of the resource is JSON: application/json and its kin. */
bool surface_resource_is_json(const struct resource *resource);

/* What the launch gives to words and paths. Borrowed. */
struct surface_launch {
	const char *workspace;       /* or NULL: no scope */
	const char *stage;           /* or NULL */
	const struct strvec *roots;  /* absolute, links resolved; at least one */
	const struct strvec *closed; /* absolute folders and files that are refused always: data
					directory, credentials, client configuration */
	const char *private_dir;     /* where private files will stand; a prefix for their names:
					file N of a call is private_dir with N appended, from 0 */
};

/*
 * validate: x-absent values removed → schema → defaults → `confirm` → x-no-dash → groups
 * (section 2). arguments is an object or NULL ({}). ret_doc receives the canonical, defaulted
 * arguments, owning its text: members in the client's order with their bytes kept, then defaults
 * in the order of the inputs (digests use json_write_canonical). Lone surrogates and NULs are refused here, with their pointer.
 * *ret_is_vetoed says that `confirm: false` was given (section 4); confirm itself is left out.
 * ERR_INVALID_ARGUMENT names arguments by pointer.
 */
int surface_check_arguments(const struct tool *tool, const struct json *arguments,
    struct json_doc *ret_doc, bool *ret_is_vetoed, struct err *err) MUST_CHECK;

/*
 * validate, and once more at argv: each x-path value resolved below the launch roots, links
 * followed, absolute (section 4; DESIGN §5.2). The longest existing ancestor decides for a file
 * that is not there yet. ret_doc receives the arguments with absolute paths in their places.
 * ret_dir (may be NULL) receives the value of the first `x-path: dir` input, owned, or NULL.
 *
 * A relative path counts from the first root. Outside the roots every path gets the same answer,
 * whether something stands there or not. `read` must exist, `dir` must be a folder. The window
 * between this and the program's own open(2) remains (SECURITY.md).
 */
int surface_resolve_paths(const struct tool *tool, const struct json *arguments,
    const struct surface_launch *launch, struct json_doc *ret_doc, char **ret_dir, struct err *err)
    MUST_CHECK;

/* Known values for redaction: calls fn for each string below an x-secret mark. */
void surface_each_secret(const struct tool *tool, const struct json *arguments,
    void (*fn)(void *ctx, const char *data, size_t len), void *ctx);

/* One file that carries content to the program. */
struct surface_file {
	char *path; /* where it must stand; owned */
	struct buf data;
};

/* argv: one command line. */
struct surface_command {
	struct strvec words; /* program.args and the tool's words; without argv[0] */
	bool has_stdin;      /* else /dev/null */
	struct buf stdin_data;
	struct surface_file *files;
	size_t files_len;
	char *cwd;         /* absolute; NULL: the first root */
	struct strvec set; /* "NAME=value": program.set, then the tool's */
};
#define SURFACE_COMMAND_INIT ((struct surface_command){ .stdin_data = BUF_INIT })
void surface_command_release(struct surface_command *command);

/* arguments: canonical, defaulted, paths resolved. ERR_INVALID_ARGUMENT for a value too long for a
 * command line (pointer named), ERR_LIMIT for the whole line. */
int surface_build_command(const struct tool *tool, const struct json *arguments,
    const struct surface_launch *launch, struct surface_command *ret_command, struct err *err)
    MUST_CHECK;

/*
 * True when stdout of this call is to be JSON: then banner lines before it are noise (run/'s
 * run_normalise). A tool's own `parse: value` of a JSON program is not: its text is exact.
 */
bool surface_wants_json(const struct tool *tool, const struct json *arguments);

/* What the program did; streams normalised (no ANSI, no banner). Borrowed. */
struct surface_run {
	int exit_status;
	const char *out;
	size_t out_len;
	const char *err;
	size_t err_len;
	bool is_err_cut;      /* more stood on stderr than was kept */
	const char *quotable; /* stdout as an error may quote it, or NULL: as it is */
	size_t quotable_len;
	const struct strvec
	    *unset; /* names of `program.env` that the program did not get, or NULL */
};

/* result: what the client will get, before redaction. */
struct surface_result {
	bool is_error;
	bool retryable;  /* errors */
	char *code;      /* errors: our wire name or the surface's own; NULL else; owned */
	struct buf json; /* structured content: one JSON object; empty: none */
	struct buf text; /* text part where it is not the JSON itself; see has_text */
	bool has_text;
	size_t invalid_bytes; /* of the program's text, not UTF-8, that became U+FFFD each */
};
#define SURFACE_RESULT_INIT ((struct surface_result){ .json = BUF_INIT, .text = BUF_INIT })
void surface_result_release(struct surface_result *result);

/*
 * Makes the result by exit status: `exit.ok` and `exit.data` go through `result` (sections 5.1 to
 * 5.4; data also sets is_error), everything else through `errors` (section 6); an envelope decides
 * by its own status. Never fails: output that does not fit becomes the BAD_OUTPUT result, one too
 * large OUTPUT_TOO_LARGE; raw output is not shown in either. ret_result must be
 * SURFACE_RESULT_INIT or released.
 *
 * Text that is not UTF-8 (parsers of lines, records, pairs and text) gets one U+FFFD for each
 * invalid byte, counted in invalid_bytes; NUL bytes in text are BAD_OUTPUT with the size
 * (clients.md Q38); JSON that is not UTF-8 is BAD_OUTPUT.
 */
void surface_make_result(const struct tool *tool, const struct json *arguments,
    const struct surface_run *run, struct surface_result *ret_result);

/*
 * The result for an error of ours: `[CODE] message`, {error_code, retryable, message, …details}.
 * The message stands in both parts, because some clients show the model only one of them
 * (protocol.md §7).
 */
void surface_error_result(const struct err *err, struct surface_result *ret_result);

/* Appends what may be shown of value: a string's text, else JSON text, its secrets masked. */
typedef void (*surface_show_fn)(void *ctx, const struct json *value, struct buf *ret_text);

/*
 * The question to a person, from `ask` or the title and non-secret arguments (section 1.2). show is
 * asked for each value before the value is cut: of half a secret nobody can tell that it is one.
 */
void surface_question(const struct tool *tool, const struct json *arguments, surface_show_fn show,
    void *ctx, struct buf *ret_text);

/* ---- plans (section 7) ---- */

/* Its write gate is a plan, `writes: plan` or `policy`: so it has one in a surface that exists. */
bool surface_is_planned(const struct tool *tool);

/* `writes: plan`: the tool is neither listed nor called; only a plan runs it. */
bool surface_wants_plan(const struct tool *tool);

/*
 * What a call of tool runs when nobody has a plan of it: the tool itself; for `writes: policy` this
 * binary's `plan apply --tool`, a tool that is never listed, with the arguments of
 * surface_stand_in_arguments(). The program of a tool that is_engine is this binary.
 */
const struct tool *surface_runs(const struct tool *tool);
int surface_stand_in_arguments(const struct tool *tool, const struct json *arguments,
    struct json_doc *ret_doc, struct err *err) MUST_CHECK;

/* What policy matches and a person reads: the target of a planned tool with these arguments, canonical
 * and resolved. Appended. */
int surface_plan_target(const struct tool *tool, const struct json *arguments,
    const struct surface_launch *launch, struct buf *ret_text, struct err *err) MUST_CHECK;

/* The arguments of precondition number i, or of the preview, from those of the planned tool. ret_doc
 * owns its text. */
#define SURFACE_PREVIEW SIZE_MAX
int surface_plan_arguments(const struct tool *tool, size_t i, const struct json *arguments,
    struct json_doc *ret_doc, struct err *err) MUST_CHECK;

/* ---- the status of a program (section 5.5) ---- */

/*
 * What the two runs of a `builtin: status` tool left. Streams are redacted whole: they are cut here.
 * Borrowed.
 */
struct surface_status {
	const struct surface_run *probe;   /* NULL: it did not come to its own end */
	const struct err *failure;         /* then why */
	const struct surface_run *version; /* NULL: it did not come to its own end */
	bool allows_drift; /* another version than the baseline is no reason to warn */
};

/*
 * The verdict: overall_status, connectivity, version; is_error only when the probe failed. A failure
 * is about signing in when the rule of its error adds `auth_managed_by_user: true`: then its code and
 * advice stand in the verdict, twice. Never fails; ret_result as above.
 */
void surface_make_status(const struct tool *tool, const struct surface_status *status,
    struct surface_result *ret_result);

/* ---- versions ---- */

/* True when version ("2.39.5") lies in range (">=2.30", "<3", comma or space separated: all). */
bool surface_version_in_range(const char *version, const char *range);

/* The version in what `program.version.args` printed, or NULL; owned. */
char *surface_version_read(const struct surface *surface, const char *out, size_t len);

/* ---- for `stile surface …` ---- */

/* Runs every example of the file (argv, stdin, prints → gives) without the program; findings go to
 * notes. Returns the number of examples run; *ret_failed of them failed. */
size_t surface_run_examples(
    const struct surface *surface, struct surface_notes *notes, size_t *ret_failed);

/* The parity table as JSON: {"commands":[{"command":"item list","tool":"list_items"}|
 * {"command":…,"left_out":"why"}…]}. tree (may be NULL) is the program's own command list, one a
 * line; commands of it that are neither go under "missing". */
void surface_write_coverage(const struct surface *surface, const char *tree, struct json_writer *w);

/* What the file declares, for `surface show` and `surface trust`: program, environment, tools with
 * effect, options that swallow words, secrets on the command line. */
void surface_write_summary(const struct surface *surface, struct json_writer *w);

/* The JSON Schema of the format, for editors. Static text. */
const char *surface_format_schema(void);

#endif
