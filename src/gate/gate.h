/* SPDX-License-Identifier: MIT */
#ifndef GATE_GATE_H
#define GATE_GATE_H

/*
 * The gates: may this surface be served, may this caller see this tool, may this call run?
 *
 * Decisions only: nothing here runs, asks or records. Each function states what it looks at; the
 * caller (call/) passes facts, and acts. Whatever is unknown, unreadable or malformed is a refusal.
 *
 * gate_trust    a surface that is not built in is served only after a person trusted it (DESIGN
 *               §5.0): trust.yaml holds the digest of its file and of the program where this user
 *               can write it
 * gate_contract what a stage's CONTEXT.md grants
 * gate_scope    visible to this caller?
 * gate_write    permit, ask a person, or refuse
 * gate_config   the host's config.yaml: trusted folders, write waivers
 * gate_consent  proof that a person was asked exactly this
 * gate_repository  may git be started in this folder?
 * gate_policy   may this actor apply this plan? The host's policy.yaml, and approvals
 * gate_actor    who asks: made of the process alone, never of input
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/ids.h"
#include "base/strvec.h"
#include "ledger/ledger.h"

/* ---- trust ---- */

/* What a person trusted: a surface file and its program, as they were. */
struct gate_trusted {
	char *surface;           /* name */
	char *path;              /* of the file, absolute */
	struct digest digest;    /* of the file's bytes */
	char *program;           /* absolute path, or NULL */
	bool has_program_digest; /* false: owned by root, checked by owner and mode instead */
	struct digest program_digest;
};

void gate_trusted_release(struct gate_trusted *entry);

struct gate_trust {
	struct gate_trusted *items;
	size_t len;
	size_t cap;
};

#define GATE_TRUST_INIT ((struct gate_trust){ 0 })
#define cleanup_gate_trust __attribute__((cleanup(gate_trust_release)))
void gate_trust_release(struct gate_trust *trust);

/* Reads trust.yaml in data_dir; a missing file is empty trust. ERR_PERMISSION_DENIED when others
 * could write it, ERR_CONFIGURATION when malformed: then nothing is trusted. */
int gate_trust_load(const char *data_dir, struct gate_trust *ret_trust, struct err *err) MUST_CHECK;

/* Writes trust.yaml anew, atomically, 0600. */
int gate_trust_save(const char *data_dir, const struct gate_trust *trust, struct err *err)
    MUST_CHECK;

/* Replaces the entry of the same path or adds one; the entry is copied. */
void gate_trust_set(struct gate_trust *trust, const struct gate_trusted *entry);

/* The entry of that path, or NULL. */
const struct gate_trusted *gate_trust_find(const struct gate_trust *trust, const char *path);

/*
 * Is the surface trusted as it is now? 0, or ERR_SURFACE_UNTRUSTED saying what differs: never
 * trusted, the file changed, the program is another file, the program's content changed.
 */
int gate_trust_check(
    const struct gate_trust *trust, const struct gate_trusted *now, struct err *err) MUST_CHECK;

/* ---- the host's config.yaml ---- */

/* What config.yaml says of one surface. */
struct gate_surface_config {
	char *name;
	bool is_open;        /* `writes: open`: the program itself authorizes */
	struct strvec waive; /* tools that need no person's yes */
};

struct gate_config {
	struct strvec trusted_folders; /* absolute; repositories below them may name programs */
	struct gate_surface_config *surfaces;
	size_t surfaces_len;
	size_t surfaces_cap;
};

#define GATE_CONFIG_INIT ((struct gate_config){ 0 })
void gate_config_release(struct gate_config *config);

/* Reads config.yaml in data_dir; a missing file is the default. Unknown keys are errors. */
int gate_config_load(const char *data_dir, struct gate_config *ret_config, struct err *err)
    MUST_CHECK;

/* True when path (absolute, links resolved) is one of the trusted folders or lies below one. */
bool gate_config_trusts(const struct gate_config *config, const char *path);

/* ---- repositories ---- */

/*
 * `guard: git` of the surface language: may git be started in dir (absolute, links resolved)?
 *
 * Finds the repository that git would find, and refuses with ERR_REPOSITORY_UNTRUSTED, naming the
 * reason, when its own configuration names programs or includes other files, when it is not
 * sound (so that what we read may differ from what git reads), or when parts of it (git folder,
 * common folder, alternates, links in them, folders of tracked files that are links now) lie outside
 * roots (absolute, links resolved). The same holds for each submodule that is checked out, for git
 * starts itself in them. A repository below one of the config's trusted folders is not looked at. No
 * repository at all is no refusal: git says so itself.
 */
int gate_repository_check(const char *dir, const struct strvec *roots,
    const struct gate_config *config, struct err *err) MUST_CHECK;

/* What an index says of the work tree; paths are relative to it. */
struct gate_index {
	struct strvec submodules;
	struct strvec folders; /* of all entries; some more than once */
};

#define GATE_INDEX_INIT ((struct gate_index){ .submodules = STRVEC_INIT, .folders = STRVEC_INIT })
void gate_index_release(struct gate_index *index);

/* Adds what git_dir's index (and shared indexes) say to ret_index; object ids have id_size bytes.
 * ERR_REPOSITORY_UNTRUSTED when an index is none that git has written, or names more folders than we
 * look at. */
int gate_index_load(
    const char *git_dir, size_t id_size, struct gate_index *ret_index, struct err *err) MUST_CHECK;

/* The same for the bytes of one index; -1 where that refuses. */
int gate_index_read(const struct buf *text, size_t id_size, struct gate_index *ret_index)
    MUST_CHECK;

/* What a configuration is read with, and what it says. */
struct gate_gitconfig {
	const char *git_dir; /* what a relative core.worktree starts from */
	const char *top;     /* the folder that core.worktree may name */
	size_t id_size;      /* bytes of an object id; 32 from a configuration that says so */
};

#define GATE_ID_SIZE ((size_t)20)

/* Does a git configuration name programs? 0, or ERR_REPOSITORY_UNTRUSTED naming line and key. text
 * is the file's content. */
int gate_repository_check_config(
    const char *text, size_t len, struct gate_gitconfig *config, struct err *err) MUST_CHECK;

/* ---- a stage's contract ---- */

/* A CONTEXT.md may have so many bytes; its front matter, from the first byte of the file up to the
 * line that closes it, so many, and so many values (each key, scalar, list and mapping is one) in so
 * many lists and mappings within each other. */
#define GATE_CONTRACT_MAX ((size_t)1024 * 1024)
#define GATE_FRONT_MATTER_MAX ((size_t)16 * 1024)
#define GATE_FRONT_MATTER_NODES ((size_t)512)
#define GATE_FRONT_MATTER_DEPTH 8

/* Does this host know a tool of that name? */
typedef bool (*gate_known_fn)(void *ctx, const char *tool);

/*
 * Reads the bytes of a CONTEXT.md: front matter between a first line `---` and the next line `---`
 * (blanks may follow the dashes, lines may end in CR LF), and in it `mcp.tools`, a list of names of
 * tools; an empty list is one. ret_tools receives the names, sorted by their bytes (gate_scope).
 *
 * Anything else grants nothing: -1, and err's message is the one reason, naming the line where there
 * is one. ERR_NOT_FOUND: there is no front matter, or no `mcp` in it; that is no fault. Everything
 * else is ERR_CONFIGURATION: not UTF-8, a byte order mark, a block that is not closed, what the
 * bounded YAML reader refuses, line breaks and directions that people do not see, a wrong type, a
 * key beside `tools`, a name twice, and a name that is_known does not know. Keys beside `mcp` are
 * others' business. is_known NULL: names are not checked.
 */
int gate_contract_read(const char *text, size_t len, gate_known_fn is_known, void *ctx,
    struct strvec *ret_tools, struct err *err) MUST_CHECK;

/* ---- scope ---- */

enum gate_rank { GATE_RANK_NONE, GATE_RANK_READ, GATE_RANK_WRITE, GATE_RANK_MANAGE };

/* "none", "read", "write", "manage"; and back: false for any other word. */
const char *gate_rank_name(enum gate_rank rank);
bool gate_rank_parse(const char *name, enum gate_rank *ret_rank);

/* What was decided about the stage that the caller works in. */
struct gate_scope {
	bool has_scope;      /* false: launched without a stage; the rest is empty */
	enum gate_rank rank; /* the caller's effective one on the stage */
	struct strvec tools; /* the contract's, sorted by their bytes */
	bool is_folder;      /* of a plain folder: there is no workspace to limit tools to */
};

#define GATE_SCOPE_INIT ((struct gate_scope){ .tools = STRVEC_INIT })
void gate_scope_release(struct gate_scope *scope);

/* What decides whether a tool is visible. */
struct gate_tool {
	const char *surface;
	const char *name;
	enum gate_rank rank; /* what a caller needs */
	bool is_hidden;      /* for resources and plans only */
	bool is_discovery;   /* of a scoped surface: visible without a scope */
	bool is_scoped;      /* of a scoped surface */
	bool executes_any;   /* runs a program the caller names */
};

/*
 * Is the tool visible? Without a scope: all tools of unscoped surfaces, discovery tools of scoped
 * ones. With one, whatever surface it is of: if the contract names it and the rank reaches the
 * tool's; but where the contract is a plain folder's, of a scoped surface only a discovery tool, for
 * there is no workspace that the others could be kept to. Never a hidden one, and one that executes
 * what the caller names only with allow_exec.
 */
bool gate_scope_shows(
    const struct gate_tool *tool, const struct gate_scope *scope, const struct strvec *allow_exec);

/* ---- write gate ---- */

enum gate_decision { GATE_PERMIT, GATE_ASK, GATE_DENY };

/* What the write gate looks at (DESIGN §5.3; pass.md §0.4). */
struct gate_write {
	const char *surface;
	const char *tool;
	bool is_read;                   /* effect is read */
	bool is_destroy;                /* effect is destroy */
	bool is_open;                   /* `writes: open` of a built-in surface */
	bool is_by_policy;              /* `writes: policy`: what is run for it asks the policy */
	bool is_write_allowed;          /* --allow-write SURFACE, or the surface's switch */
	bool is_noninteractive_allowed; /* --allow-noninteractive-write SURFACE, or its switch */
	bool is_vetoed;                 /* `confirm: false` */
	bool can_ask; /* a person can be asked: elicitation declared, or a terminal */
};

/*
 * The matrix, top row first:
 *
 *	effect read                                    permit
 *	writes: policy                                 permit, or deny WRITE_DECLINED when vetoed
 *	writes: open (built in, or by config.yaml)     permit
 *	not --allow-write                              deny  WRITE_DISABLED
 *	confirm: false                                 deny  WRITE_DECLINED
 *	tool waived in config.yaml                     permit
 *	a person can be asked                          ask
 *	--allow-noninteractive-write, not destroy      permit
 *	else                                           deny  WRITE_CONFIRMATION_UNAVAILABLE
 *
 * `confirm: true` replaces nothing. A tool that destroys always asks, unless waived.
 */
enum gate_decision gate_write_decide(
    const struct gate_write *facts, const struct gate_config *config, struct err *err) MUST_CHECK;

/* ---- consent across a round trip: requestState ---- */

struct gate_consents;

/* One a process: a fresh key, nothing spent. */
struct gate_consents *gate_consents_new(void) MUST_CHECK;
void gate_consents_free(struct gate_consents *consents);

/*
 * Appends a requestState that proves a question about subject (the digest of tool, canonical
 * arguments, surface and launch scope) was asked now. It lasts LIMIT_CONSENT_MS. now_ms is wall
 * time.
 */
void gate_consent_issue(const struct gate_consents *consents, const struct digest *subject,
    int64_t now_ms, struct buf *ret_state);

/*
 * Takes a state back, once. ERR_STATE_INVALID: not ours, edited, of another process, or about
 * something else; ERR_STATE_EXPIRED; ERR_STATE_SPENT; ERR_UNAVAILABLE when the memory of spent
 * ones is full. Whatever the person answered, the state is spent by a success.
 */
int gate_consent_redeem(struct gate_consents *consents, const char *state, size_t state_len,
    const struct digest *subject, int64_t now_ms, struct err *err) MUST_CHECK;

/* ---- who asks ---- */

/*
 * The actor that this process is: "mcp" when the boundary started it (STILE_CALLER, whatever it
 * says), else "cli"; never authenticated. No option, argument or input changes it. Provenance is
 * what the system and the process's own environment say of the user.
 */
struct gate_self {
	struct actor actor; /* borrows provenance */
	char provenance[160];
};
void gate_actor_self(struct gate_self *ret_self);

/* ---- the host's policy.yaml: who may apply which plans ---- */

#define GATE_POLICY_FILE "policy.yaml"
#define GATE_POLICY_BYTES (64 * (size_t)1024)
#define GATE_POLICY_RULES ((size_t)128)

/* One rule; NULL stands for `*`. */
struct gate_rule {
	char *actor_type;
	char *actor_id; /* NULL: any */
	bool is_authenticated;
	char *surface;
	char *action; /* a tool's name */
	char *target;
	bool is_deny;
	bool needs_approval;
	char *description; /* or NULL; never evaluated */
};

struct gate_policy {
	bool is_enforced; /* else legacy_local: who sits at this host may, nobody else */
	struct gate_rule *rules;
	size_t rules_len;
	size_t rules_cap;
};

#define GATE_POLICY_INIT ((struct gate_policy){ 0 })
#define cleanup_gate_policy __attribute__((cleanup(gate_policy_release)))
void gate_policy_release(struct gate_policy *policy);

/*
 *	schema_version: '1'
 *	mode: enforced                  # or legacy_local
 *	rules:                          # 128 at most
 *	- actor: {type: mcp, authenticated: false}   # cli api agent mcp service or *; id: exact
 *	  surface: deploy               # a name or *, so action and target
 *	  action: service_rebuild       # a tool
 *	  target: shop
 *	  effect: allow                 # or deny
 *	  require_approval: true        # not with deny
 *	  description: any text
 *
 * Every member is exact or `*` for the whole of it. Unknown members, and `authenticated` left
 * unsaid, are ERR_AUTHZ_INVALID: a rule that means less than it seems is no rule.
 */
int gate_policy_read(const char *text, size_t len, struct gate_policy *ret_policy, struct err *err)
    MUST_CHECK;

/*
 * Reads policy.yaml in data_dir afresh. 1: read; 0: there is none, really; -1: nothing is allowed:
 * ERR_AUTHZ_INVALID for what is malformed, too large, no regular file (a link neither), or
 * writable by others; ERR_AUTHZ_UNAVAILABLE when it cannot be read.
 */
int gate_policy_load(const char *data_dir, struct gate_policy *ret_policy, struct err *err)
    MUST_CHECK;

/* What is asked for. */
struct gate_request {
	const struct actor *actor;
	const char *surface;
	const char *tool;
	const char *target;
	const char *plan_id; /* NULL: without a plan, which enforcement denies */
	struct digest plan_hash;
	int64_t now_us;
};

/* The answer. */
struct gate_ruling {
	bool is_allowed;
	enum err_code code; /* ERR_NONE when allowed; ERR_APPROVAL_REQUIRED is one of the no's */
	char *reason;       /* one sentence; owned */
	const char *mode;   /* "legacy_local", "enforced"; "unknown": the policy is broken */
	int64_t rule_index; /* which rule decided; -1: none did */
	bool has_approval;  /* one was looked at; it is below */
	struct approval approval;
};

#define GATE_RULING_INIT ((struct gate_ruling){ .rule_index = -1 })
#define cleanup_gate_ruling __attribute__((cleanup(gate_ruling_release)))
void gate_ruling_release(struct gate_ruling *ruling);

/* Looks for the approval of a plan, as records_approval_find() does. */
typedef int (*gate_approval_fn)(
    void *ctx, const char *plan_id, struct approval *ret_approval, struct err *err);

/*
 * In this order (plan-deploy.md §3.5), of which nothing is kept for the next time:
 *
 *	malformed request                 AUTHZ_INVALID; no caller: AUTHZ_UNAVAILABLE
 *	legacy_local (or policy is NULL)  cli: allow; others: AUTHZ_DENIED. No approval is looked at
 *	no plan                           AUTHZ_DENIED
 *	any deny rule matches             AUTHZ_DENIED, wherever it stands
 *	the first allow rule that matches decides: allow; or with require_approval
 *	    none APPROVAL_REQUIRED · unreadable AUTHZ_UNAVAILABLE · edited APPROVAL_INVALID ·
 *	    bound to another plan, hash, action or target, or expired: APPROVAL_STALE · else allow
 *	otherwise                         AUTHZ_DENIED
 */
void gate_policy_decide(const struct gate_policy *policy, const struct gate_request *request,
    gate_approval_fn find, void *ctx, struct gate_ruling *ret_ruling);

/*
 * The whole question, for apply and for `authz check` alike: policy read, approvals read, decided.
 * Records nothing. Whatever cannot be read is a no.
 */
void gate_authorize(const char *data_dir, struct records *records, const struct actor *actor,
    const struct plan *plan, struct gate_ruling *ret_ruling);

/* What is to be recorded of a ruling; borrows from all three. */
struct plan_decision gate_ruling_decision(
    const struct gate_ruling *ruling, const struct actor *actor, const struct plan *plan);

/* "AUTHZ_ALLOWED", or the code's wire name; and "allow", "deny", "approval_required". */
const char *gate_ruling_code(const struct gate_ruling *ruling);
const char *gate_ruling_verdict(const struct gate_ruling *ruling);

#endif
