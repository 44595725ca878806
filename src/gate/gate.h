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
 * gate_scope    visible to this caller?
 * gate_write    permit, ask a person, or refuse
 * gate_config   the host's config.yaml: trusted folders, write waivers
 * gate_consent  proof that a person was asked exactly this
 * gate_repository  may git be started in this folder?
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/ids.h"
#include "base/strvec.h"

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

/* ---- scope ---- */

/* What decides whether a tool is visible. */
struct gate_tool {
	const char *surface;
	bool is_hidden;    /* for resources and plans only */
	bool is_discovery; /* visible without a scope */
	bool is_scoped;    /* of a scoped surface */
	bool executes_any; /* runs a program the caller names */
};

/*
 * Is the tool visible? Without a scope: all tools of unscoped surfaces, discovery tools of scoped
 * ones; with a scope nothing is visible that no contract names (contracts come with the vault: until
 * then only discovery tools). Tools that execute what the caller names need allow_exec.
 */
bool gate_scope_shows(
    const struct gate_tool *tool, bool has_scope, const struct strvec *allow_exec);

/* ---- write gate ---- */

enum gate_decision { GATE_PERMIT, GATE_ASK, GATE_DENY };

/* What the write gate looks at (DESIGN §5.3; pass.md §0.4). */
struct gate_write {
	const char *surface;
	const char *tool;
	bool is_read;                   /* effect is read */
	bool is_destroy;                /* effect is destroy */
	bool is_open;                   /* `writes: open` of a built-in surface */
	bool is_write_allowed;          /* --allow-write SURFACE, or the surface's switch */
	bool is_noninteractive_allowed; /* --allow-noninteractive-write SURFACE, or its switch */
	bool is_vetoed;                 /* `confirm: false` */
	bool can_ask; /* a person can be asked: elicitation declared, or a terminal */
};

/*
 * The matrix, top row first:
 *
 *	effect read                                    permit
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

#endif
