/* SPDX-License-Identifier: MIT */
#ifndef CALL_CALL_H
#define CALL_CALL_H

/*
 * One tool call, stage after stage: the only room that knows gate, surface and run. `tools/call`
 * and `stile call` share it, so no shortcut can skip a gate. call_stages.c is the order.
 *
 * A host is what stands around calls: the surfaces that are served and whether they are still
 * trusted, the launch options, the bound on children, the ledger. A call is one request on its
 * way through the stages; it waits (for a child, for its record) by returning, never in a nested
 * loop.
 *
 * Invariants: every call ends exactly once, by its done function, from the loop or from
 * host_flush(), never from inside call_start(). No call ends before its record is durable, or is
 * known not to be. Nothing is started for a call that a gate refused.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/err.h"
#include "base/loop.h"
#include "base/strvec.h"
#include "json/json.h"
#include "ledger/ledger.h"
#include "surface/surface.h"

/* ---- launch options (the command line's words, already checked for shape) ---- */

struct host_options {
	struct strvec surfaces;    /* names, or paths of files; in the order they are listed */
	struct strvec roots;       /* folders as given; empty: the working directory */
	char *workspace;           /* id; with stage, or both NULL */
	char *stage;               /* id or name */
	char *stage_dir;           /* a folder with a contract, in place of both; or NULL */
	int64_t scope_ttl_ms;      /* how old the decision about them may be that a call rests on */
	struct strvec allow_write; /* surface names */
	struct strvec allow_noninteractive_write;
	struct strvec allow_exec;
	struct strvec allow_version_drift;
	const char *caller; /* "mcp" or "cli": never taken from input */
};

#define HOST_OPTIONS_INIT ((struct host_options){ 0 })
void host_options_release(struct host_options *options);

/* ---- the host ---- */

struct host;

/*
 * Loads the surfaces. A surface that is missing, malformed or collides by a name is an error; one
 * that is not trusted is served without tools (its calls answer as for absent ones) until trusted
 * again, and says so once on the log. options is borrowed and must outlive the host; loop too.
 */
struct host *host_new(struct loop *loop, const struct host_options *options, struct err *err)
    MUST_CHECK;
void host_free(struct host *host);

/* False when no served surface has that name. What is not trusted now may have any. */
bool host_may_serve(const struct host *host, const char *name);

/* Text for both handshakes: what the served surfaces are for; under 2 KB. Borrowed. */
const char *host_instructions(const struct host *host);

/* Somebody who waits for the decision about what this caller may see; in memory of its own. */
struct host_waiter {
	void (*fn)(void *ctx); /* called once, from the loop */
	void *ctx;
	bool is_waiting;
	uint64_t round;
	TAILQ_ENTRY(host_waiter) link;
};

/*
 * Before anything is listed. True: what this caller may see is decided, or could not be (then nothing is
 * visible), and is what host_tools() and host_resources() say now. False: it is being decided;
 * waiter->fn follows, unless host_waiter_remove() comes first. Without a scope there is nothing to
 * decide; with one it is asked when it is first needed, and again when it is older than the launch
 * allows or has failed. Those that wait go on in the order in which they came.
 */
bool host_decide(struct host *host, struct host_waiter *waiter) MUST_CHECK;
void host_waiter_remove(struct host *host, struct host_waiter *waiter);

/*
 * The visible tools in the order of listing: surfaces in launch order, tools in file order. Looks
 * at the surface files and programs first (a changed one loses its tools). generation names the
 * set: it differs after every change.
 */
const struct tool *const *host_tools(struct host *host, size_t *ret_len, uint64_t *ret_generation);

/*
 * The visible resources, templates among them, in the same order and of the same generations as
 * the tools; looks first, too. What a scope hides of tools it hides of the resources made of them.
 */
const struct resource *const *host_resources(
    struct host *host, size_t *ret_len, uint64_t *ret_generation);

/* A served surface has resources, or had some since the host was made: then there is a list of them,
 * which may be empty. */
bool host_has_resources(const struct host *host);

/* What of the visible set has changed. */
enum host_change { HOST_TOOLS_CHANGED = 1 << 0, HOST_RESOURCES_CHANGED = 1 << 1 };
typedef void (*host_changed_fn)(void *ctx, unsigned changes);

/* fn is called (from the loop) when the visible set has changed. While is_watching, surface files are
 * looked at every second; where there is a scope that somebody has asked for, so is the vault at each
 * --scope-ttl, and the decision is asked again if the vault's files have changed. One watcher. */
void host_watch(struct host *host, bool is_watching, host_changed_fn fn, void *ctx);

/* While held no waiting call is started (the reader of answers is slow: clients.md Q20). True when
 * calls that waited went on: then there is something to flush. */
bool host_hold(struct host *host, bool is_held);

/* Writes the queued records; ends the calls that waited for them; reaps orphans that programs left
 * to us. For the end of a loop turn. */
void host_flush(struct host *host);

/*
 * Starts the programs of calls that host_flush() found could be recorded; after the answers of the
 * turn are written, for a start takes as long as a short program does. False when one could not be
 * started: then there is something to flush again.
 */
bool host_start_ready(struct host *host);

/* The end: waiting calls end with ERR_CANCELLED and none is started any more; running children get
 * TERM, then KILL; running children are killed and reaped at once. */
void host_drain(struct host *host);
void host_terminate(struct host *host);
void host_kill(struct host *host);

/* Calls that have not ended. */
size_t host_active(const struct host *host);

/* Counts a fault of a message for the ledger (aggregated to one row a second). */
void host_note_protocol_fault(struct host *host, enum err_code code);

/* ---- which surface a word means, and trust ---- */

/*
 * A word with a slash or a dot is the path of a file; else it names a built-in surface, else one of
 * the user's own in the data directory. Fills one of the two, the path absolute and owned by the caller;
 * the other is NULL. ERR_NOT_FOUND when there is none.
 */
int host_locate_surface(const char *word, const struct surface_builtin **ret_builtin,
    char **ret_path, struct err *err) MUST_CHECK;

struct gate_trusted;

/*
 * A surface file as it is now: loaded and proved, its program resolved, both digests taken. What
 * `stile surface trust` shows and stores, and what serving compares with. path is made absolute in
 * ret_now (release its texts with gate_trusted_release). A program that is not there is no error:
 * ret_now->program is NULL then.
 */
struct surface *host_describe_surface(
    const char *path, struct gate_trusted *ret_now, struct err *err) MUST_CHECK;

/* ---- every tool that this host knows ---- */

/*
 * The surfaces this host knows, served or not: the built-in ones, and those of files that a person
 * trusted and that still are as they were then. Files are looked at only when one is asked about, or
 * a name is no built-in surface's.
 */
struct known_tools;
struct known_tools *known_tools_new(struct err *err) MUST_CHECK;
void known_tools_free(struct known_tools *known);

/* Is there a tool of that name? known is a struct known_tools: a gate_known_fn. */
bool known_tools_have(void *known, const char *tool);

struct gate_tool;
typedef void (*known_tool_fn)(void *ctx, const struct gate_tool *tool);

/*
 * Each tool of the surfaces that words name (as host_locate_surface() reads them), or of all when
 * there are none; each surface once, its tools in file order. A file that is not trusted now has no
 * tools, nor has a path where no file is; a name that nothing has is ERR_NOT_FOUND.
 */
int known_tools_each(struct known_tools *known, const struct strvec *words, known_tool_fn fn,
    void *ctx, struct err *err) MUST_CHECK;

/* ---- one call ---- */

struct call;

/* What came of a question to a person. Only the first lets the tool run. */
enum call_answer {
	CALL_ACCEPTED,   /* an explicit yes: accept, with the deciding boolean true */
	CALL_DECLINED,   /* a no, or an accept without that boolean */
	CALL_DISMISSED,  /* cancelled: neither yes nor no */
	CALL_TIMED_OUT,  /* nobody answered */
	CALL_ASK_FAILED, /* asking itself went wrong */
	CALL_UNANSWERED  /* a round trip came back without the answer: it is asked again */
};

/* Asks question of a person and later, from the loop, calls call_answer() once. */
typedef void (*call_ask_fn)(void *ctx, struct call *call, const char *question);

/* Who asks, as the transport knows it. Texts are borrowed during call_new(). */
struct call_client {
	const char *protocol; /* MCP revision, or NULL for the command line */
	const char *name;     /* what the client calls itself; for the record only */
	bool can_ask;         /* it declared elicitation in form mode, in this session or request */
	call_ask_fn ask;      /* asks while the call waits; NULL: by a round trip (modern era) */
	void *ask_ctx;
	const char *state; /* round trip: the requestState that came back, or NULL */
	size_t state_len;
	enum call_answer answer; /* round trip: the answer that came with it */
};

/* What became of a call. */
struct call_outcome {
	/* Set: a protocol error (unknown or hidden tool, a refused requestState). */
	struct err err;
	struct surface_result result;    /* else this, redacted; for `isError` see is_error */
	size_t masks;                    /* how many secrets were masked in it */
	bool is_cancelled;               /* by call_cancel(): nobody waits for an answer */
	const char *question;            /* set: the call needs a person's answer first (modern) */
	const char *state;               /* the requestState for it */
	const struct resource *resource; /* reads: what was read, once it was found */
	const char *uri;                 /* reads: as asked for */
};

/* The outcome is borrowed for the duration of the call; the call is gone afterwards. */
typedef void (*call_done_fn)(void *ctx, const struct call_outcome *outcome);

/*
 * A call of tool with arguments, an object inside doc or NULL. The document moves into the call
 * (*doc is JSON_DOC_INIT afterwards).
 */
struct call *call_new(struct host *host, const struct call_client *client, const char *tool,
    struct json_doc *doc, const struct json *arguments, call_done_fn done, void *ctx) MUST_CHECK;

/*
 * A read of the resource that uri names, through the same stages: one that a tool makes is a call of
 * that tool; a static one runs nothing, and is recorded.
 */
struct call *call_new_read(struct host *host, const struct call_client *client, const char *uri,
    call_done_fn done, void *ctx) MUST_CHECK;

/* ---- a call with a purpose: plans (docs/plans.md) ---- */

/*
 * A plan is a call that stopped before it ran, so it is made, looked at and applied by the same
 * stages. The tool is one that is planned (`writes: plan` or `policy`); its write gate is the policy.
 */
enum call_purpose_kind {
	CALL_CREATE, /* what would run becomes a new plan */
	CALL_FIND,   /* the newest plan of just that which may still be applied, else a new one */
	CALL_CHECK,  /* what would run is compared with a plan */
	CALL_APPLY   /* compared, authorized, recorded; and it runs */
};

struct call_purpose {
	enum call_purpose_kind kind;
	struct records *records;   /* borrowed, so the next three */
	const struct actor *actor; /* who asks */
	const char *label;         /* CREATE: what people call it, or NULL */
	const struct plan *plan;   /* CHECK, APPLY: as it was loaded */
	int lock_fd;               /* APPLY: the target's lock, which the program inherits */
	int exclusive_fd; /* APPLY of an exclusive tool: the surface's lock, taken on the way; 0: none */
	/* APPLY: the operation is running; what its program says. From the loop, and may be NULL. */
	void (*began)(void *ctx, const struct operation *operation);
	void (*progressed)(void *ctx, const char *line);
	void *ctx;

	/* What came of it, filled before done is called; the owner's to release. */
	struct err err;                      /* why it came to nothing; redacted */
	struct plan made;                    /* CREATE, FIND */
	struct plan_differences differences; /* CHECK, APPLY: what is another than planned */
	enum plan_begin begin;               /* APPLY: with an operation */
	struct operation operation; /* APPLY: as it was begun, here or before; id "": none */
};

void call_purpose_release(struct call_purpose *purpose);

/* As call_new(), with a purpose, borrowed until done has been called. Of an apply, arguments are the
 * plan's, and the outcome of its run is the operation's, in the records. */
struct call *call_new_planned(struct host *host, const struct call_client *client,
    struct call_purpose *purpose, const char *tool, struct json_doc *doc,
    const struct json *arguments, call_done_fn done, void *ctx) MUST_CHECK;

/*
 * The lock of a target, which orders whatever is applied to it: waited for up to wait_ms, then
 * ERR_UNAVAILABLE. *ret_fd (close-on-exec) holds it; it is free when the last process that has the
 * descriptor closes it. target NULL: the lock that orders the exclusive tools of the surface.
 */
int call_lock_target(const char *data_dir, const char *surface, const char *target, int64_t wait_ms,
    int *ret_fd, struct err *err) MUST_CHECK;

/* {"state","checked_at","failed":[{"pointer","expected","actual"}],"reason"?}: what a CHECK found. */
void call_write_applicability(const struct call_purpose *purpose, struct json_writer *w);

/* Takes the first steps. done is called later, even for an immediate refusal. */
void call_start(struct call *call);

/* The person's answer to what `ask` asked. The call goes through every gate again. */
void call_answer(struct call *call, enum call_answer answer);

/* Ends it: a waiting call at once, a running one by ending its child's group. done still comes. */
void call_cancel(struct call *call);

#endif
