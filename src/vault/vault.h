/* SPDX-License-Identifier: MIT */
#ifndef VAULT_VAULT_H
#define VAULT_VAULT_H

/*
 * The vault: folders that hold files, files with immutable versions, grants that are given on
 * folders and inherited. One SQLite file. For commands only: calls are synchronous, a lock that
 * another process holds is waited for. It knows nothing of MCP, of surfaces or of local paths.
 *
 * What always holds:
 *
 * - Everything belongs to one organization. What belongs to another one is neither visible nor
 *   countable, not even by its number in the audit.
 * - A `struct vault` acts for one principal, the owner of the token it was bound with. There is no
 *   verb that names who is acting.
 * - The effective rank on an entry is the highest that the principal was granted on the entry or on
 *   a folder above it. What the caller may not read is ERR_NOT_FOUND with the text of what is not
 *   there; what it may read but not change is ERR_PERMISSION_DENIED.
 * - Each verb leaves a row in the audit, also when it is refused; a change and its row are one
 *   transaction, and what is read is handed out after its row is durable.
 * - A version never changes. A verb that fails has changed nothing.
 * - A stage's contract (`CONTEXT.md` in a folder whose name begins with two digits) is authority: to
 *   change it takes VAULT_MANAGE, and nobody who is limited (vault_limit) changes one.
 * - A name that no checkout writes (`.git`, a neighbour's in other letters) is made by nobody without
 *   VAULT_MANAGE there, nor by who is limited: ERR_INVALID_ARGUMENT.
 *
 * An entry is a folder or a file. A `ref` names one: an id (`fol_…`, `fil_…`, of folders also `wsp_…`,
 * `stg_…`), a path from the root (`/team/plan.md`), or a path from an id (`fol_…/plan.md`). With a
 * limit (vault_limit) any other ref is a path from the limit's folder: `stages/01-research/CONTEXT.md`.
 * A path leads to what lives; what is in the trash is named by its id, or by its path where that is
 * the only one of this name there.
 *
 * A path that is handed out begins at the topmost folder on the way that the caller may read, and
 * names nothing above it: `/team/plan.md` for who may read the root, else `fol_…/plan.md`, or `fol_…`
 * for that folder itself. It is a ref.
 *
 * Objects that a verb returns own their texts and are released by the caller; objects that a
 * callback is given are borrowed until it returns. A callback that returns -1 ends the verb with
 * its err.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/ids.h"
#include "base/secret.h"
#include "base/strvec.h"
#include "json/json.h"

struct vault;

#define cleanup_vault __attribute__((cleanup(vault_cleanup)))

enum vault_rank { VAULT_NONE, VAULT_READ, VAULT_WRITE, VAULT_MANAGE };
enum vault_kind { VAULT_FOLDER, VAULT_FILE, VAULT_TEMPLATE, VAULT_WORKSPACE, VAULT_STAGE };
enum vault_principal_kind { VAULT_PERSON, VAULT_AGENT, VAULT_SERVICE };

/* What a ref must be: the verbs of folders and of files are the same but for this. */
enum vault_want { VAULT_WANT_ANY, VAULT_WANT_FOLDER, VAULT_WANT_FILE };

/* "read", "write", "manage"; "folder", "file" …; "person", "agent", "service"; and back. */
const char *vault_rank_name(enum vault_rank rank);
const char *vault_kind_name(enum vault_kind kind);
const char *vault_principal_kind_name(enum vault_principal_kind kind);
int vault_rank_parse(const char *text, enum vault_rank *ret_rank, struct err *err) MUST_CHECK;
int vault_principal_kind_parse(
    const char *text, enum vault_principal_kind *ret_kind, struct err *err) MUST_CHECK;

/* ---- life ---- */

/* The vault in data_dir; ERR_NOT_FOUND, with what to do, when there is none. */
struct vault *vault_open(const char *data_dir, struct err *err) MUST_CHECK;

/* The same, made when it is not there. */
struct vault *vault_create(const char *data_dir, struct err *err) MUST_CHECK;
void vault_close(struct vault *vault);
void vault_cleanup(struct vault **vault);

/*
 * Limits all later verbs to one folder and what lies below it (an id elsewhere is ERR_NOT_FOUND),
 * and to what does not touch a stage's contract. Cannot be taken back.
 */
int vault_limit(struct vault *vault, const char *ref, struct err *err) MUST_CHECK;

/* The id that the audit rows of this vault carry. Borrowed, for ever. */
const char *vault_correlation(const struct vault *vault);

/* ---- who: organization, principals, tokens (vault_principal.c, vault_token.c) ---- */

/* A token's value, "stv_" and 43 characters; shown once. Wipe it after use. */
#define VAULT_TOKEN_TEXT_SIZE 48
struct vault_token_text {
	char text[VAULT_TOKEN_TEXT_SIZE];
};
void vault_token_text_wipe(struct vault_token_text *text);
#define cleanup_token_text __attribute__((cleanup(vault_token_text_wipe)))

/*
 * Makes an organization, its root folder, its owner (a person with VAULT_MANAGE on the root) and a
 * token for the owner, and binds vault to it. ERR_ALREADY_EXISTS when there is one of that name.
 */
int vault_init(struct vault *vault, const char *org, const char *owner,
    struct vault_token_text *ret_token, struct err *err) MUST_CHECK;

/* Binds vault to the token's principal. ERR_UNAUTHENTICATED, with one text, for a token that is
 * unknown, expired or revoked and for one whose principal is disabled. */
int vault_bind(struct vault *vault, const struct secret *token, struct err *err) MUST_CHECK;

/* The same, but writes nothing: that the token was used is noted by vault_scope_record(), with its
 * row if there is one. */
int vault_bind_unnoted(struct vault *vault, const struct secret *token, struct err *err) MUST_CHECK;

/* The same, to keep token from now on: kept is what is kept by now, or NULL. ERR_ALREADY_EXISTS when
 * the vault accepts that as another principal's, for its value may exist nowhere else. */
int vault_login(struct vault *vault, const struct secret *kept, const struct secret *token,
    struct err *err) MUST_CHECK;

struct vault_whoami {
	char *org; /* id */
	char *org_name;
	char *principal; /* id */
	char *name;
	enum vault_principal_kind kind;
	char *token;        /* id */
	int64_t expires_us; /* of the token; 0: never */
	enum vault_rank root_rank;
};
int vault_whoami(struct vault *vault, struct vault_whoami *ret, struct err *err) MUST_CHECK;
void vault_whoami_release(struct vault_whoami *whoami);

struct vault_principal {
	char *id;
	char *name;
	enum vault_principal_kind kind;
	int64_t created_us;
	int64_t disabled_us; /* 0: it may act */
};
typedef int (*vault_principal_fn)(
    void *ctx, const struct vault_principal *principal, struct err *err);

/*
 * Those who may manage the root add, list and disable principals. A principal is named by id or
 * name. A disabled one stays, for versions and audit name it; its tokens no longer bind. Nobody
 * disables itself.
 */
int vault_principal_add(struct vault *vault, const char *name, enum vault_principal_kind kind,
    struct vault_principal *ret, struct err *err) MUST_CHECK;
int vault_principal_each(struct vault *vault, vault_principal_fn fn, void *ctx, struct err *err)
    MUST_CHECK;
int vault_principal_disable(struct vault *vault, const char *principal, struct vault_principal *ret,
    struct err *err) MUST_CHECK;
void vault_principal_release(struct vault_principal *principal);

struct vault_token {
	char *id;
	char *principal; /* id */
	int64_t created_us;
	int64_t last_used_us; /* 0: never; within a minute */
	int64_t expires_us;   /* 0: never */
	int64_t revoked_us;   /* 0: valid */
};
typedef int (*vault_token_fn)(void *ctx, const struct vault_token *token, struct err *err);

/* Everyone issues, lists and revokes tokens of its own (principal NULL); those who may manage the
 * root also those of others. expires_us is a moment to come, or 0 for never. */
int vault_token_issue(struct vault *vault, const char *principal, int64_t expires_us,
    struct vault_token *ret, struct vault_token_text *ret_text, struct err *err) MUST_CHECK;
int vault_token_each(struct vault *vault, const char *principal, vault_token_fn fn, void *ctx,
    struct err *err) MUST_CHECK;
/* The last valid token with which anybody can manage the root cannot be revoked: ERR_CONFLICT. */
int vault_token_revoke(
    struct vault *vault, const char *id, struct vault_token *ret, struct err *err) MUST_CHECK;
void vault_token_release(struct vault_token *token);

/* ERR_CONFLICT when the token that vault is bound to is that last one. */
int vault_token_check_last(struct vault *vault, struct err *err) MUST_CHECK;

/* ---- the credential of this user (vault_credential.c) ---- */

/*
 * The token kept in the file $STILE_TOKEN_FILE, else in credentials.json of dirs_config().
 * ERR_UNAUTHENTICATED when there is none; ERR_PERMISSION_DENIED when others could read it;
 * ERR_CONFIGURATION when the variable is set to nothing, which never falls back to the other file.
 */
struct secret *vault_credential_load(struct err *err) MUST_CHECK;

/* The one in credentials.json, whatever the variable says. */
struct secret *vault_credential_kept(struct err *err) MUST_CHECK;

/* Can a credential be kept where none is? Tries it with a file that is gone again afterwards. */
int vault_credential_try(struct err *err) MUST_CHECK;

/* Keeps token (its text) in credentials.json; what was there is replaced. */
int vault_credential_store(const char *token, struct err *err) MUST_CHECK;

/* Forgets it; fine when there is none. *ret_was_there tells. */
int vault_credential_remove(bool *ret_was_there, struct err *err) MUST_CHECK;

/* A token's text as a secret: ERR_INVALID_ARGUMENT when it has not the form of one. The text is
 * wiped. For `vault login`. */
struct secret *vault_token_parse(char *text, struct err *err) MUST_CHECK;

/* ---- entries: folders and files alike (vault_entry.c) ---- */

struct vault_entry {
	char *id;
	char *parent; /* id; NULL: the root, or the topmost that the caller may read */
	char *name;   /* empty: the root */
	char *path;   /* as the caller may see it: a ref */
	enum vault_kind kind;
	enum vault_rank rank; /* the caller's effective one */
	char *created_by;     /* principal's id */
	int64_t created_us;
	int64_t trashed_us; /* 0: it lives */
	/* Files only: of the head version. */
	char *head; /* version's id; NULL: a folder */
	int64_t number;
	int64_t size;
	char *media_type;
	int64_t modified_us; /* when the head was made */
	struct digest hash;
};
typedef int (*vault_entry_fn)(void *ctx, const struct vault_entry *entry, struct err *err);

/* VAULT_READ. An entry in the trash is shown to those who may restore it. */
int vault_entry_info(struct vault *vault, const char *ref, enum vault_want want,
    struct vault_entry *ret, struct err *err) MUST_CHECK;
void vault_entry_release(struct vault_entry *entry);

struct vault_list {
	enum vault_want want;
	bool is_trash;     /* what is in the trash instead; needs VAULT_MANAGE */
	const char *after; /* names after this one only; NULL: from the start */
	int64_t limit;     /* at most so many; 0: all */
};
/* The children of a folder by name. Their rank is the folder's, or higher by a grant of their own. */
int vault_list(struct vault *vault, const char *ref, const struct vault_list *list,
    vault_entry_fn fn, void *ctx, struct err *err) MUST_CHECK;

/* A folder and all that lives below it, each folder before what it holds, by name. max_depth 1:
 * the children only; 0: no bound. */
int vault_tree(struct vault *vault, const char *ref, int64_t max_depth, vault_entry_fn fn,
    void *ctx, struct err *err) MUST_CHECK;

/*
 * Makes the folder that ref names; the folder above must be there. Needs VAULT_MANAGE there.
 * vault_folder_ensure() makes what is missing on the way, is content when all is there, and needs
 * VAULT_WRITE: it is for the folders that come with uploaded files.
 */
int vault_folder_create(
    struct vault *vault, const char *ref, struct vault_entry *ret, struct err *err) MUST_CHECK;
int vault_folder_ensure(
    struct vault *vault, const char *ref, struct vault_entry *ret, struct err *err) MUST_CHECK;

/*
 * All of these need VAULT_MANAGE, on the entry and, where there is one, on the target folder. Move
 * keeps the name, rename the folder. A taken name is ERR_ALREADY_EXISTS; a folder moved below
 * itself ERR_INVALID_ARGUMENT, so is a depth over 64. Trash hides an entry and all below it;
 * restore brings it back under its name or, where that is taken, refuses. Purge removes what is in
 * the trash for ever, with all versions; the content goes with the next vault_gc().
 */
int vault_move(struct vault *vault, const char *ref, enum vault_want want, const char *folder,
    struct vault_entry *ret, struct err *err) MUST_CHECK;
int vault_rename(struct vault *vault, const char *ref, enum vault_want want, const char *name,
    struct vault_entry *ret, struct err *err) MUST_CHECK;
int vault_trash(struct vault *vault, const char *ref, enum vault_want want, struct vault_entry *ret,
    struct err *err) MUST_CHECK;
int vault_restore(struct vault *vault, const char *ref, enum vault_want want,
    struct vault_entry *ret, struct err *err) MUST_CHECK;

struct vault_purged {
	int64_t folders, files, versions;
};
int vault_purge(struct vault *vault, const char *ref, enum vault_want want,
    struct vault_purged *ret, struct err *err) MUST_CHECK;

/* ---- content (vault_content.c) ---- */

/* Gives up to len bytes: how many, 0 at the end, -1 with err. */
typedef int64_t (*vault_read_fn)(void *ctx, void *data, size_t len, struct err *err);

/* Takes bytes; -1 with err ends the verb. */
typedef int (*vault_write_fn)(void *ctx, const void *data, size_t len, struct err *err);

/* How far long work is; all is 0 while nobody knows. */
typedef void (*vault_progress_fn)(void *ctx, int64_t done, int64_t all);

/*
 * Content that is in the vault but belongs to no version yet: made first, without any lock held
 * while the source is read, and in constant memory. What no version takes goes with the next
 * vault_gc(). Freed before the vault is closed.
 */
struct vault_staged;
#define cleanup_staged __attribute__((cleanup(vault_staged_cleanup)))
struct vault_staged *vault_stage(struct vault *vault, vault_read_fn fn, void *ctx, struct err *err)
    MUST_CHECK;
struct vault_staged *vault_stage_fd(struct vault *vault, int fd, struct err *err) MUST_CHECK;
struct vault_staged *vault_stage_bytes(
    struct vault *vault, const void *data, size_t len, struct err *err) MUST_CHECK;
int64_t vault_staged_size(const struct vault_staged *staged);
void vault_staged_free(struct vault_staged *staged);
void vault_staged_cleanup(struct vault_staged **staged);

/*
 * Several changes in one transaction: all of them or none. A verb that fails within ends the batch:
 * nothing of it is kept and all further verbs refuse until vault_batch_rollback(). Others wait
 * meanwhile, so content is staged before.
 * name, a literal, says in the detail of each of their audit rows what they are part of.
 */
int vault_batch_begin(struct vault *vault, const char *name, struct err *err) MUST_CHECK;
int vault_batch_commit(struct vault *vault, struct err *err) MUST_CHECK;
void vault_batch_rollback(struct vault *vault);

/* ---- files and versions (vault_file.c, vault_version.c) ---- */

struct vault_version {
	char *id;
	char *file; /* id */
	int64_t number;
	struct digest hash;
	int64_t size;
	char *media_type;
	char *message; /* NULL: none */
	char *author;  /* principal's id */
	char *author_name;
	int64_t created_us;
	char *parent;      /* version's id; NULL: the first */
	bool is_unchanged; /* a put or revert found the same bytes in place and made no version */
};
typedef int (*vault_version_fn)(void *ctx, const struct vault_version *version, struct err *err);
void vault_version_release(struct vault_version *version);

struct vault_put {
	const char *message;    /* NULL: none; at most 4 KiB */
	const char *media_type; /* NULL: by name and content */
	const char *expect; /* the head that the caller knows, id or number ("0": no such file yet);
	                           another one is ERR_CONFLICT. NULL: whatever it is */
	bool is_new;        /* a file of that name is ERR_ALREADY_EXISTS */
};

/* Stores staged as the next version of the file that ref names, or as a new file; VAULT_WRITE. The
 * same bytes as the head's make no version. */
int vault_file_put(struct vault *vault, const char *ref, const struct vault_staged *staged,
    const struct vault_put *put, struct vault_version *ret, struct err *err) MUST_CHECK;

/*
 * A version is named by its id (file NULL or its file), or by its number within file; NULL: the
 * head. VAULT_READ. vault_version_get() hands out the bytes, each chunk of them verified before it
 * is; ERR_CONTENT_CORRUPT when one is not what was stored. max_size 0: whatever size; else
 * ERR_LIMIT before the first byte. ret, when not NULL, is set before the first byte.
 */
int vault_version_info(struct vault *vault, const char *file, const char *version,
    struct vault_version *ret, struct err *err) MUST_CHECK;
int vault_version_get(struct vault *vault, const char *file, const char *version, int64_t max_size,
    vault_write_fn fn, void *ctx, struct vault_version *ret, struct err *err) MUST_CHECK;

/*
 * Many versions as one operation of that name, with one row in the audit: all of them of living
 * files below folder; VAULT_READ there. fn is given the bytes of one after the other, each chunk
 * verified before; data is NULL when that was all of pick index. ERR_NOT_FOUND for a version that is
 * not that file's, or whose file is not below folder (any more); what was handed out before stays. fn
 * calls no verb.
 */
struct vault_pick {
	const char *file;    /* id */
	const char *version; /* id */
};
typedef int (*vault_pick_fn)(
    void *ctx, size_t index, const void *data, size_t len, struct err *err);
int vault_version_get_many(struct vault *vault, const char *operation, const char *folder,
    const struct vault_pick *picks, size_t len, vault_pick_fn fn, void *ctx, struct err *err)
    MUST_CHECK;

/* The versions of a file, newest first; limit 0: all; before 0: from the newest. */
int vault_version_each(struct vault *vault, const char *file, int64_t before, int64_t limit,
    vault_version_fn fn, void *ctx, struct err *err) MUST_CHECK;

/* A new file at the target ref (VAULT_MANAGE on its folder, VAULT_READ on file) with the head of
 * file, its metadata and its tags. */
int vault_file_copy(struct vault *vault, const char *file, const char *target,
    struct vault_entry *ret, struct err *err) MUST_CHECK;

/* A new version with the content of an old one, unless the head has it already (is_unchanged);
 * VAULT_MANAGE. */
int vault_file_revert(struct vault *vault, const char *file, const char *version,
    const char *message, struct vault_version *ret, struct err *err) MUST_CHECK;

#define VAULT_DIFF_MAX ((int64_t)1 << 20)

struct vault_diff {
	struct vault_version from, to;
	bool is_too_large; /* one of the two has more than VAULT_DIFF_MAX bytes: no lines */
	bool is_binary;    /* one of the two is no text: no lines */
	int64_t added, removed;
	struct buf text; /* unified, three lines of context; empty: the same content */
};
/* From one version to another (NULL: the one before `to`; the head); VAULT_READ. */
int vault_file_diff(struct vault *vault, const char *file, const char *from, const char *to,
    struct vault_diff *ret, struct err *err) MUST_CHECK;
void vault_diff_release(struct vault_diff *diff);

/* ---- metadata and tags (vault_metadata.c) ---- */

#define VAULT_METADATA_KEYS 64
#define VAULT_METADATA_BYTES ((size_t)16 * 1024)

typedef int (*vault_metadata_fn)(void *ctx, const char *key, const char *value, struct err *err);

/* One change of several; value NULL: the key goes. All of them or none; VAULT_WRITE. */
struct vault_metadata {
	const char *key;
	const char *value;
};
int vault_metadata_set(struct vault *vault, const char *file, const struct vault_metadata *changes,
    size_t len, struct err *err) MUST_CHECK;
int vault_metadata_each(struct vault *vault, const char *file, vault_metadata_fn fn, void *ctx,
    struct err *err) MUST_CHECK;

/* All about a file: what vault_entry_info() tells, its metadata and its tags; VAULT_READ. */
struct vault_description {
	struct vault_entry entry;
	struct strvec metadata; /* key, value, key, value …, by key */
	struct strvec tags;
};
int vault_file_describe(struct vault *vault, const char *file, struct vault_description *ret,
    struct err *err) MUST_CHECK;
void vault_description_release(struct vault_description *description);

/* Lower-case words joined by dashes, at most 64 bytes. Adding one that is there, removing one that
 * is not, is fine. VAULT_WRITE; to list them VAULT_READ. */
typedef int (*vault_tag_fn)(void *ctx, const char *name, int64_t files, struct err *err);
int vault_tag_add(struct vault *vault, const char *file, const char *tag, struct err *err)
    MUST_CHECK;
int vault_tag_remove(struct vault *vault, const char *file, const char *tag, struct err *err)
    MUST_CHECK;

/* The tags of a file; of a folder: those of the files below it, with how many have it. */
int vault_tag_each(
    struct vault *vault, const char *ref, vault_tag_fn fn, void *ctx, struct err *err) MUST_CHECK;

/* The living files below a folder that have the tag, by path. */
int vault_tag_find(struct vault *vault, const char *folder, const char *tag, vault_entry_fn fn,
    void *ctx, struct err *err) MUST_CHECK;

/* All metadata (key and value) and all tags (value NULL) of the living files below a folder, in the
 * order of the files' ids; VAULT_READ. */
typedef int (*vault_note_fn)(
    void *ctx, const char *file, const char *key, const char *value, struct err *err);
int vault_note_each(struct vault *vault, const char *folder, vault_note_fn fn, void *ctx,
    struct err *err) MUST_CHECK;

/* ---- finding (vault_find.c) ---- */

/* What a file must be; what is NULL, 0 or empty asks nothing. */
struct vault_find {
	const char *folder;                    /* below it; NULL: wherever the caller may read */
	const char *name;                      /* glob: * ? [a-z] */
	const char *media_type;                /* glob */
	const struct strvec *tags;             /* all of them */
	const struct vault_metadata *metadata; /* all of them; value NULL: the key is there */
	size_t metadata_len;
	int64_t since_us, until_us; /* the head was made then: from, and before */
	const char *text;           /* all these words are in the head; "word*" begins one */
	int64_t skip;               /* not the first so many */
	int64_t limit;              /* at most so many; 0: all */
};
/* snippet: NULL without text; else a line around the words, these in brackets. */
typedef int (*vault_find_fn)(
    void *ctx, const struct vault_entry *entry, const char *snippet, struct err *err);

/*
 * The living files that fit and that the caller may read: by path, or with text the best first. Text
 * is found in heads of at most 1 MiB of UTF-8. *ret_is_more (may be NULL): the limit left some out.
 * Of a limited search without text it is not the first by path that are told, but the first that
 * turn up; while nothing changes, skip and limit together tell each of them once.
 */
int vault_find(struct vault *vault, const struct vault_find *find, vault_find_fn fn, void *ctx,
    bool *ret_is_more, struct err *err) MUST_CHECK;

/* Makes the full-text index anew, at the next search. VAULT_MANAGE on the root. */
int vault_repair_index(struct vault *vault, struct err *err) MUST_CHECK;

/* ---- grants (vault_grant.c) ---- */

struct vault_grant {
	char *folder; /* id */
	char *path;   /* of the folder */
	char *principal;
	char *principal_name;
	enum vault_principal_kind principal_kind;
	enum vault_rank rank;
	char *granted_by; /* principal's id */
	int64_t granted_us;
};
typedef int (*vault_grant_fn)(void *ctx, const struct vault_grant *grant, struct err *err);

/* VAULT_MANAGE on the folder. The last principal that can manage the root keeps that: ERR_CONFLICT. */
int vault_grant_set(struct vault *vault, const char *folder, const char *principal,
    enum vault_rank rank, struct err *err) MUST_CHECK;
int vault_grant_remove(
    struct vault *vault, const char *folder, const char *principal, struct err *err) MUST_CHECK;

/* The grants on a folder; is_effective: those inherited from above too, for each principal the
 * highest. VAULT_MANAGE shows all, less the caller's own. */
int vault_grant_each(struct vault *vault, const char *folder, bool is_effective, vault_grant_fn fn,
    void *ctx, struct err *err) MUST_CHECK;

/* The caller's own grants, wherever they are: what it can begin with. */
int vault_grant_mine(struct vault *vault, vault_grant_fn fn, void *ctx, struct err *err) MUST_CHECK;

/* ---- templates (vault_template.c, vault_publish.c) ---- */

/*
 * A template is a folder that was made one; it is named by its id (`tpl_…`), by its name, or by its
 * folder's ref. To see it takes VAULT_READ on the folder; once the folder is in the trash,
 * VAULT_MANAGE on it; once it is purged, VAULT_MANAGE on the root.
 *
 * What is published is a snapshot with a number, 1, 2, 3 …, that never changes and is kept for ever:
 * the folder's tree less its `template.yaml`, which declares the parameters (vault_parameter.c).
 * Names and text files may have holes, `{{name}}`, for the parameters' values; `{{{{` stands for
 * two braces. A text file is filled when it has at most 1 MiB of UTF-8; what is larger or no text is
 * as it is.
 */
struct vault_template {
	char *id;
	char *name;
	char *folder;         /* id */
	char *path;           /* of the folder; NULL: it is purged */
	int64_t trashed_us;   /* of the folder; 0: it lives, or is purged */
	enum vault_rank rank; /* the caller's */
	int64_t version;      /* the latest that is published; 0: none is */
	char *description;    /* of that one; NULL: none */
	char *created_by;     /* principal's id */
	int64_t created_us;
};
typedef int (*vault_template_fn)(void *ctx, const struct vault_template *template, struct err *err);
void vault_template_release(struct vault_template *template);

/* VAULT_MANAGE on the folder, which is an ordinary one. name NULL: the folder's. It is unique among
 * the organization's templates that are not purged: ERR_ALREADY_EXISTS. */
int vault_template_create(struct vault *vault, const char *folder, const char *name,
    struct vault_template *ret, struct err *err) MUST_CHECK;

/* All that the caller may see, by name. */
int vault_template_each(struct vault *vault, vault_template_fn fn, void *ctx, struct err *err)
    MUST_CHECK;

struct vault_parameter {
	char *name;        /* a letter, then letters, digits, _ and -; at most 64 */
	char *description; /* NULL: none */
	char *fallback;    /* the value when none is given; NULL: one must be */
	char *pattern;     /* a regular expression for the whole value; NULL: any */
};
struct vault_template_version {
	char *template; /* id */
	int64_t number; /* 0: none is published, nothing else is set */
	char *description;
	char *message;
	char *author; /* principal's id */
	char *author_name;
	int64_t created_us;
	struct vault_parameter *parameters;
	size_t parameters_len;
	int64_t folders, files, bytes; /* in the snapshot */
};
void vault_template_version_release(struct vault_template_version *version);

/* VAULT_MANAGE on the folder, which lives. What template.yaml says wrongly, and a hole that it does
 * not declare, is ERR_INVALID_ARGUMENT and names the line or the path. */
int vault_template_publish(struct vault *vault, const char *template, const char *message,
    struct vault_template_version *ret, struct err *err) MUST_CHECK;

/* What a published version holds: paths from the template's folder, by path. */
struct vault_template_item {
	const char *path;
	bool is_file;
	bool has_holes; /* its text; holes of names are to be seen */
	int64_t size;
	const char *media_type;
};
typedef int (*vault_template_item_fn)(
    void *ctx, const struct vault_template_item *item, struct err *err);

/* A template and one of its versions (number 0: the latest, if any); its items are told to fn (or
 * NULL). */
int vault_template_info(struct vault *vault, const char *template, int64_t number,
    vault_template_item_fn fn, void *ctx, struct vault_template *ret_template,
    struct vault_template_version *ret_version, struct err *err) MUST_CHECK;

/* ---- workspaces (vault_workspace.c, vault_lineage.c) ---- */

/* A value for a parameter. */
struct vault_value {
	const char *name;
	const char *value;
};

/*
 * A workspace is a folder with an id `wsp_…`, made from a template's version or from another
 * workspace. Where it came from is kept for ever, whatever becomes of that; but an ancestor is shown
 * only to those who may see it (once purged: VAULT_MANAGE on the root), and so is a template.
 */
struct vault_workspace {
	struct vault_entry entry; /* path NULL: it is purged; all NULL: it is not to be seen */
	char *template;           /* id; NULL: not to be seen, nor are the next two */
	char *template_name;
	int64_t template_version;
	bool is_derived;   /* from a workspace, which came from that template */
	char *parent;      /* that workspace's id; NULL: not to be seen, or none */
	char *parent_name; /* as it was then */
	char *parameters;  /* JSON object: the values it was made with */
};
typedef int (*vault_workspace_fn)(
    void *ctx, const struct vault_workspace *workspace, struct err *err);
void vault_workspace_release(struct vault_workspace *workspace);

/*
 * Makes the workspace that target names from a template (VAULT_READ; version 0: the latest):
 * VAULT_MANAGE on the folder above. All of it or nothing, in one transaction, no part of a batch.
 * Nobody is granted anything. ERR_INVALID_ARGUMENT names the parameter that is missing, unknown, does
 * not fit its pattern or makes a name that no name may be. A limited caller makes no contracts.
 */
int vault_instantiate(struct vault *vault, const char *template, int64_t version,
    const char *target, const struct vault_value *values, size_t len, struct vault_workspace *ret,
    struct err *err) MUST_CHECK;

/*
 * The same from the present state of a workspace (VAULT_READ), contracts, metadata and tags
 * included. Values fill the holes of their names that stand in it now, all else stays as it is; a
 * value without a hole is ERR_INVALID_ARGUMENT.
 */
int vault_derive(struct vault *vault, const char *workspace, const char *target,
    const struct vault_value *values, size_t len, struct vault_workspace *ret, struct err *err)
    MUST_CHECK;

/* The living ones that the caller may read, by path. */
int vault_workspace_each(struct vault *vault, vault_workspace_fn fn, void *ctx, struct err *err)
    MUST_CHECK;

/* VAULT_READ. A folder that is no workspace is ERR_INVALID_ARGUMENT. */
int vault_workspace_info(struct vault *vault, const char *workspace, struct vault_workspace *ret,
    struct err *err) MUST_CHECK;

/* The workspace, the one it was derived from, and so on; it ends with the first that is not to be
 * seen. */
int vault_lineage(struct vault *vault, const char *workspace, vault_workspace_fn fn, void *ctx,
    struct err *err) MUST_CHECK;

/* ---- stages (vault_stage.c) ---- */

/*
 * The stages of a workspace are the folders in its folder `stages` (in itself, where it has none)
 * whose names begin with two digits and that have a CONTEXT.md, by name. One is named by its id or
 * its name. VAULT_READ on the workspace.
 */
struct vault_stage_info {
	struct vault_entry entry;
	int64_t position;        /* among the stages, from 1 */
	char *contract;          /* file's id */
	char *contract_version;  /* id of its head */
	int64_t contract_number; /* of its head */
	struct strvec folders;   /* names of the folders in it */
	int64_t files;           /* that live in it, at any depth; not in lists */
	int64_t bytes;           /* of these */
};
typedef int (*vault_stage_fn)(void *ctx, const struct vault_stage_info *stage, struct err *err);
void vault_stage_info_release(struct vault_stage_info *stage);
int vault_stage_each(struct vault *vault, const char *workspace, vault_stage_fn fn, void *ctx,
    struct err *err) MUST_CHECK;
int vault_stage_show(struct vault *vault, const char *workspace, const char *stage,
    struct vault_stage_info *ret, struct err *err) MUST_CHECK;

/* ---- audit (vault_audit.c) ---- */

/* One row of operation_audit_events. Texts are NULL where they do not apply. */
struct vault_event {
	int64_t sequence; /* from 1, without gaps, within the organization */
	int64_t time_us;
	const char *principal; /* who: id */
	const char *principal_name;
	const char *token;     /* id */
	const char *caller;    /* "cli", or "mcp" when the boundary started the command */
	const char *operation; /* such as "file put" */
	const char *target;    /* the ref as it was given, made visible */
	const char *entry;     /* id, once it was found and might be seen */
	const char *before;    /* version, folder or name before and after */
	const char *after;
	const char *detail;
	const char *correlation; /* one command, one id */
	const char *result;      /* "OK" or an error code */
	struct digest previous;
	struct digest hash;
};
typedef int (*vault_event_fn)(void *ctx, const struct vault_event *event, struct err *err);

struct vault_event_filter {
	const char *principal; /* id or name */
	const char *entry;     /* ref */
	const char *operation;
	const char *result;
	const char *correlation;
	int64_t after; /* rows after this one */
	int64_t limit; /* 0: all */
	bool newest_first;
};

/* All need VAULT_MANAGE on the root. */
int vault_event_each(struct vault *vault, const struct vault_event_filter *filter,
    vault_event_fn fn, void *ctx, struct err *err) MUST_CHECK;

struct vault_audit_report {
	int64_t rows;
	struct digest hash; /* of the last; noted elsewhere, it shows later that none was cut off */
	int64_t scope_rows; /* the same of mcp_scope_audit_events */
	struct digest scope_hash;
};
/* Re-computes the organization's two chains. ERR_CHECK_FAILED names the first bad row. */
int vault_audit_verify(struct vault *vault, struct vault_audit_report *ret, struct err *err)
    MUST_CHECK;

/* ---- scope: what a caller may do in a stage (vault_scope.c, vault_scope_audit.c) ---- */

/*
 * `resolve_mcp_stage_scope` and `record_mcp_scope_audit` of the specification. The vault says which
 * rank the caller has on the stage, and what its contract is; what the contract's text grants is
 * for the caller to say, and comes back to be recorded.
 */
struct vault_scope_ask {
	const char *workspace; /* ref */
	const char *stage;     /* id or name; NULL: the workspace itself, which has no contract */
	int64_t max_size;      /* of a contract; a larger one is not read */
	bool is_recorded;      /* vault_scope_record() will leave the row */
};

struct vault_scope {
	char *workspace; /* id; NULL: none that the caller may see, and the rank is VAULT_NONE */
	char *workspace_name;
	char *workspace_path;
	char *stage; /* id, or NULL */
	char *stage_name;
	enum vault_rank rank; /* the caller's, on the stage or else on the workspace */
	char *contract;       /* id of the file CONTEXT.md; NULL: none */
	char *contract_version;
	int64_t contract_number;
	struct buf text; /* of that version */
	char *reason;    /* why there is no text, in one sentence; or NULL */
};
#define VAULT_SCOPE_INIT ((struct vault_scope){ .text = BUF_INIT })
void vault_scope_release(struct vault_scope *scope);

/*
 * A stage is a folder whose name begins with two digits, in the workspace's folder `stages` or, where
 * there is none, in the workspace; one without a CONTEXT.md too. VAULT_READ on the workspace.
 *
 * Not to be recorded, it is a verb as others are: what is not to be seen is ERR_NOT_FOUND, what is no
 * workspace ERR_INVALID_ARGUMENT. To be recorded, these are answers (ret->reason), and nothing is
 * written; other errors stay errors.
 */
int vault_scope(struct vault *vault, const struct vault_scope_ask *ask, struct vault_scope *ret,
    struct err *err) MUST_CHECK;

/* What was made of it. */
struct vault_scope_decision {
	const struct strvec *visible; /* tools, in an order of their own */
	int64_t hidden;               /* how many other tools; never which */
	const char *reason;           /* why nothing is granted: the result is "denied"; or NULL */
	const char *since; /* id of the caller's last row of this principal and question; or NULL */
};
struct vault_scope_recorded {
	char id
	    [ID_TEXT_SIZE]; /* of the row; empty: the decision is that of since, nothing is written */
	const char *result; /* "initial", "changed", "denied" */
};
/* ERR_CONFLICT, retryable: what vault_scope() said is not so any more; ask again. */
int vault_scope_record(struct vault *vault, const struct vault_scope_ask *ask,
    const struct vault_scope *scope, const struct vault_scope_decision *decision,
    struct vault_scope_recorded *ret, struct err *err) MUST_CHECK;

/* One row of mcp_scope_audit_events. Texts are NULL where they do not apply. */
struct vault_scope_event {
	int64_t sequence; /* from 1, without gaps, within the organization */
	const char *id;   /* sca_… */
	int64_t time_us;
	const char *principal; /* who: id */
	const char *principal_name;
	const char *token; /* id */
	const char *caller;
	const char *asked_workspace; /* as they were given, made visible */
	const char *asked_stage;
	const char *workspace; /* ids, of what the caller may see */
	const char *stage;
	const char *contract; /* file and version: ids */
	const char *contract_version;
	int64_t contract_number; /* 0: no contract */
	const char *rank;
	const char *visible; /* names with a space between */
	int64_t hidden;
	const char *result;
	const char *reason;
	const char *correlation;
	struct digest previous;
	struct digest hash;
};
typedef int (*vault_scope_event_fn)(
    void *ctx, const struct vault_scope_event *event, struct err *err);

/* Filtered as operations are: entry is a workspace, a stage or a contract, operation must be NULL. */
int vault_scope_event_each(struct vault *vault, const struct vault_event_filter *filter,
    vault_scope_event_fn fn, void *ctx, struct err *err) MUST_CHECK;

/* ---- care of the store (vault_fsck.c, vault_gc.c) ---- */

struct vault_fsck {
	int64_t entries, versions, contents, chunks; /* looked at; of the organization */
	int64_t bytes;                               /* of content verified */
	int64_t faults;
};
/* on_fault hears of each; a fault is no error. VAULT_MANAGE on the root, as for the next two. */
typedef void (*vault_fault_fn)(void *ctx, const char *what);
int vault_fsck(struct vault *vault, vault_fault_fn on_fault, vault_progress_fn progress, void *ctx,
    struct vault_fsck *ret, struct err *err) MUST_CHECK;

struct vault_gc {
	int64_t contents, chunks; /* removed: nothing used them */
	int64_t bytes;            /* as they were stored */
	int64_t given_back;       /* bytes by which the file is shorter */
};
/* ERR_UNAVAILABLE while another process stores or reads content. */
int vault_gc(struct vault *vault, vault_progress_fn progress, void *ctx, struct vault_gc *ret,
    struct err *err) MUST_CHECK;

/* A copy of the whole store in a new file, as it is at one moment; others go on meanwhile. */
int vault_backup(struct vault *vault, const char *path, vault_progress_fn progress, void *ctx,
    struct err *err) MUST_CHECK;

/* ---- as JSON (vault_json.c): one object each ---- */

void vault_whoami_write(const struct vault_whoami *whoami, struct json_writer *w);
void vault_principal_write(const struct vault_principal *principal, struct json_writer *w);
void vault_token_write(const struct vault_token *token, struct json_writer *w);
void vault_entry_write(const struct vault_entry *entry, struct json_writer *w);
void vault_description_write(const struct vault_description *description, struct json_writer *w);
/* A match of vault_find(): the entry, and the text around the words. */
void vault_match_write(const struct vault_entry *entry, const char *snippet, struct json_writer *w);
void vault_version_write(const struct vault_version *version, struct json_writer *w);
void vault_grant_write(const struct vault_grant *grant, struct json_writer *w);
void vault_template_write(const struct vault_template *template, struct json_writer *w);
void vault_template_version_write(
    const struct vault_template_version *version, struct json_writer *w);
void vault_template_item_write(const struct vault_template_item *item, struct json_writer *w);
void vault_workspace_write(const struct vault_workspace *workspace, struct json_writer *w);
void vault_stage_write(const struct vault_stage_info *stage, struct json_writer *w);
void vault_event_write(const struct vault_event *event, struct json_writer *w);
void vault_scope_event_write(const struct vault_scope_event *event, struct json_writer *w);

#endif
