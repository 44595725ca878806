/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_CHECKOUT_H
#define CLI_CLI_CHECKOUT_H

/*
 * Local copies of folders of the vault: which names may be written, the record of what was written,
 * the local folder, and how record, local folder and vault differ. The commands are cli_vault_checkout.c,
 * cli_vault_status.c, cli_vault_commit.c, cli_vault_discard.c and cli_vault_export.c.
 *
 * Neither side is trusted. Names come from the vault, where others put them; the local folder, its
 * record included, may be changed by any program while it is read. So:
 *
 * - A name is checked before anything is written; what may not be written is left out, and told.
 * - The local folder is entered step by step, each step one name in an open folder, no link followed:
 *   whatever is exchanged meanwhile, nothing outside is read or written.
 * - What the record says of the vault is only compared with what the vault says. What may be read and
 *   changed there is the vault's to decide.
 *
 * Nothing here is forced to disk: the vault has it all, and can write it again.
 *
 * Paths are relative to the checkout's folder, "a/b"; lists of them are in the order of their bytes.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/ids.h"
#include "cli/cli_progress.h"
#include "cli/cli_vault.h"

#define CHECKOUT_OWN_NAME ".stile"
#define CHECKOUT_FILES_MAX ((size_t)200000)
#define CHECKOUT_DEPTH_MAX 64

/* ---- what cannot be written, or done: all of it in one error ---- */

struct checkout_faults {
	struct buf text; /* the first of them, a line each */
	struct buf json; /* of details: items of an array */
	struct json_writer w;
	size_t len;
};
#define CHECKOUT_FAULTS_INIT ((struct checkout_faults){ .text = BUF_INIT, .json = BUF_INIT })
#define cleanup_faults __attribute__((cleanup(checkout_faults_release)))
void checkout_faults_release(struct checkout_faults *faults);
void checkout_fault(struct checkout_faults *faults, const char *path, const char *reason);

/* 0 when there are none; else err: "what: path: reason …", and {"refused":[{"path","reason"},…]}. */
int checkout_faults_check(struct checkout_faults *faults, enum err_code code, const char *what,
    struct err *err) MUST_CHECK;

/* ---- names (cli_checkout_name.c) ---- */

/*
 * Why nothing of that name is written, or NULL when it may be. Refused, besides what is no name at
 * all: what some file system takes for ".git", which programs that are run there would obey, or
 * for ".stile", our own.
 */
const char *checkout_name_fault(const char *name);

/* The same for a path: of each of its names. */
const char *checkout_path_fault(const char *path);

/* Is it ".git" to some file system? What is called so locally is left alone. */
bool checkout_name_is_git(const char *name);
bool checkout_name_is_own(const char *name);

/* Adds each path that some file system takes for another one of them. */
void checkout_find_twins(const char *const *paths, size_t len, struct checkout_faults *faults);

/* ---- the record (cli_checkout_record.c) ---- */

/* A file as it was written or stored last. The times and the inode spare its bytes' being read. */
struct checkout_file {
	char *path; /* owned */
	char id[ID_TEXT_SIZE];
	char version[ID_TEXT_SIZE];
	int64_t number;
	int64_t size;
	int64_t mtime_ns, ctime_ns;
	int64_t inode;
	struct digest hash;
};

struct checkout_record {
	char workspace[ID_TEXT_SIZE];
	char stage[ID_TEXT_SIZE]; /* empty: the whole workspace */
	bool is_under_way;        /* a checkout began and has not ended */
	int64_t time_us;          /* of the checkout */
	int64_t clock_ns;         /* of the file system, when the record was written */
	struct checkout_file *files;
	size_t len, cap;
};
#define cleanup_record __attribute__((cleanup(checkout_record_release)))
void checkout_record_release(struct checkout_record *record);

/* The folder of the vault that is checked out: the stage, or the workspace. */
const char *checkout_record_folder(const struct checkout_record *record);

/* The beginning of the record that comes after this one: all but the files. */
struct checkout_record checkout_record_next(const struct checkout_record *record);

/* Adds a file; takes path. */
struct checkout_file *checkout_record_add(struct checkout_record *record, char *path);

/* As JSON; and back, strictly: ERR_CONFIGURATION for whatever is not as it was written, for ids that
 * are none and for paths that may not be written. */
void checkout_record_write(const struct checkout_record *record, struct buf *text);
int checkout_record_read(const char *text, size_t len, struct checkout_record *ret, struct err *err)
    MUST_CHECK;

/* ---- the local folder (cli_checkout_place.c) ---- */

struct checkout_place {
	const char *dir; /* as given; borrowed */
	int root_fd;
	int own_fd;    /* of .stile, locked; -1: none */
	int folder_fd; /* the folder used last */
	char *folder;  /* its path; NULL: none */
	bool is_empty; /* nothing was in it when it was opened, but .stile */
};
#define CHECKOUT_PLACE_INIT                                                                        \
	((struct checkout_place){ .root_fd = -1, .own_fd = -1, .folder_fd = -1 })
#define cleanup_place __attribute__((cleanup(checkout_place_release)))
void checkout_place_release(struct checkout_place *place);

/* Opens the folder, which must lie below a --root where there are any. may_make: it may be missing. */
int checkout_place_open(const struct cli *cli, const char *dir, bool may_make,
    struct checkout_place *ret, struct err *err) MUST_CHECK;

/*
 * Takes hold of .stile, or only looks; made when it is missing and how says so, else ERR_NOT_FOUND.
 * Only one command at a time holds it; ERR_UNAVAILABLE, retryable.
 */
enum checkout_hold { CHECKOUT_LOOK, CHECKOUT_HOLD, CHECKOUT_MAKE };
int checkout_place_hold(struct checkout_place *place, enum checkout_hold how, struct err *err)
    MUST_CHECK;

/* Reads the record; ERR_NOT_FOUND when there is none. Writes it, whole or not at all. */
int checkout_place_load(struct checkout_place *place, struct checkout_record *ret, struct err *err)
    MUST_CHECK;
int checkout_place_save(
    struct checkout_place *place, struct checkout_record *record, struct err *err) MUST_CHECK;

/* The open folder that path's last name is in, and that name (borrowed of path). make: with the
 * folders on the way. The descriptor is the place's, until the next call. */
int checkout_place_folder(struct checkout_place *place, const char *path, bool make,
    const char **ret_name, struct err *err) MUST_CHECK;

/* Opens an ordinary file for reading. */
int checkout_place_read(struct checkout_place *place, const char *path, struct stat *ret_stat,
    struct err *err) MUST_CHECK;

/* Makes a folder and those above it; fine when it is there. */
int checkout_place_make_folder(struct checkout_place *place, const char *path, struct err *err)
    MUST_CHECK;

/*
 * A file that is whole or not there: a descriptor to write to, which put it in its place then, and
 * tells how it is. may_replace: a file in its place goes; else that is ERR_CONFLICT.
 */
int checkout_place_begin(struct checkout_place *place, struct err *err) MUST_CHECK;
int checkout_place_end(struct checkout_place *place, int fd, const char *path, bool may_replace,
    struct stat *ret_stat, struct err *err) MUST_CHECK;

/* Removes a file, and the folders above it that are empty then; fine when it is gone. */
int checkout_place_remove(struct checkout_place *place, const char *path, struct err *err)
    MUST_CHECK;

/* What stat says of a file, for the record. */
void checkout_file_stamp(struct checkout_file *file, const struct stat *st);

/* ---- what is in it (cli_checkout_walk.c) ---- */

enum checkout_kind {
	CHECKOUT_FILE,
	CHECKOUT_FOLDER,
	CHECKOUT_REFUSED, /* neither followed nor stored: reason says why */
	CHECKOUT_IGNORED  /* the user's .git */
};

struct checkout_local {
	char *path; /* owned */
	enum checkout_kind kind;
	const char *reason;
	int64_t size;
	int64_t mtime_ns, ctime_ns;
	int64_t inode;
};

struct checkout_walk {
	struct checkout_local *items;
	size_t len, cap;
};
#define cleanup_walk __attribute__((cleanup(checkout_walk_release)))
void checkout_walk_release(struct checkout_walk *walk);
int checkout_walk(struct checkout_place *place, struct checkout_walk *ret, struct err *err)
    MUST_CHECK;

/* Is the file of that stat the one that the walk met, unchanged? */
bool checkout_local_is(const struct checkout_local *local, const struct stat *st);

/* The hash of a file that the walk met. ERR_CONFLICT when it changed since or is being changed. */
int checkout_hash(struct checkout_place *place, const struct checkout_local *local,
    struct digest *ret, struct err *err) MUST_CHECK;

/* ---- what is in the vault (cli_checkout_heads.c) ---- */

struct checkout_head {
	char *path; /* owned */
	bool is_folder;
	char id[ID_TEXT_SIZE];
	char version[ID_TEXT_SIZE]; /* files only, as what follows */
	int64_t number;
	int64_t size;
	struct digest hash;
};

/* What is not here, with all that is in it, because no file may be called so. */
struct checkout_left_out {
	char *path;   /* owned */
	char *reason; /* owned */
	char id[ID_TEXT_SIZE];
	bool is_folder;
};

struct checkout_heads {
	struct vault_entry folder; /* owned */
	struct checkout_head *items;
	size_t len, cap;
	struct checkout_left_out *left_out; /* not among items */
	size_t left_out_len, left_out_cap;
};
#define cleanup_heads __attribute__((cleanup(checkout_heads_release)))
void checkout_heads_release(struct checkout_heads *heads);

/* All that lives below a folder of the vault, but for what may not be written or is, to some file
 * system, one with an older one: that is left out. */
int checkout_heads_load(struct vault *vault, const char *folder, struct checkout_heads *ret,
    struct err *err) MUST_CHECK;

/* "left_out":[{"path","id","is_folder","reason"},…],"left_out_count":N as members; lines for people. */
void checkout_left_out_write(const struct checkout_heads *heads, struct json_writer *w);
void checkout_left_out_show(const struct checkout_heads *heads, struct buf *out);

/* ---- what differs (cli_checkout_plan.c) ---- */

/* The local file against the record, and the vault against the record. */
enum checkout_here { HERE_NOTHING, HERE_SAME, HERE_CHANGED, HERE_NEW, HERE_DELETED, HERE_ODD };
enum checkout_there { THERE_NOTHING, THERE_SAME, THERE_CHANGED, THERE_NEW, THERE_GONE };

/* One path. What it borrows is of the three lists. */
struct checkout_row {
	const char *path;
	const struct checkout_file *base;   /* NULL: not on record */
	const struct checkout_local *local; /* NULL: nothing here */
	const struct checkout_head *head;   /* NULL: nothing in the vault */
	enum checkout_here here;
	enum checkout_there there;
	bool is_equal; /* the local bytes are the head's, however they came there */
};

struct checkout_plan {
	struct checkout_row *rows;
	size_t len, cap;
};
#define cleanup_plan __attribute__((cleanup(checkout_plan_release)))
void checkout_plan_release(struct checkout_plan *plan);

/* Compares; reads those files whose size or times do not tell. */
int checkout_plan(struct checkout_place *place, const struct checkout_record *record,
    const struct checkout_walk *walk, const struct checkout_heads *heads, struct checkout_plan *ret,
    struct err *err) MUST_CHECK;

/* Was it changed on both sides, in two ways? */
bool checkout_row_conflicts(const struct checkout_row *row);

/* Adds the row's file to the next record: as the local file is, of the version that it is or was. */
void checkout_row_keep(const struct checkout_row *row, struct checkout_record *next);

/* What all these commands begin with. */
struct checkout {
	struct cli *cli;
	struct vault *vault;
	struct checkout_place place;
	struct checkout_record record;
	struct checkout_heads heads;
	struct checkout_walk walk;
	struct checkout_plan plan;
	struct cli_progress progress;
};
#define CHECKOUT_INIT(command) ((struct checkout){ .cli = (command), .place = CHECKOUT_PLACE_INIT })
#define cleanup_checkout __attribute__((cleanup(checkout_release)))
void checkout_release(struct checkout *checkout);

/* Opens DIR (the first word), which is a checkout, and the vault, and compares. */
int checkout_begin(struct checkout *checkout, enum checkout_hold how, const char *progress_label,
    struct err *err) MUST_CHECK;

/* The parts of it: what is in the vault and here, against the record. */
int checkout_compare(struct checkout *checkout, struct err *err) MUST_CHECK;

/* "workspace":{"id","path"},"stage":{…}|null,"directory": members of a result. */
void checkout_write_origin(const struct checkout *checkout, struct json_writer *w);

/* A row as JSON; as a line for people, behind a label (cli_vault_status.c). */
void checkout_row_write(const struct checkout_row *row, struct json_writer *w);
void checkout_row_show(struct buf *out, const char *label, const struct checkout_row *row);

/* ---- bytes from the vault to files (cli_checkout_fill.c) ---- */

/* One file that is to be written, of that version. */
struct checkout_want {
	const char *path;
	const char *id, *version;
	int64_t size;
	bool may_replace;
};

/* Hears of each file that was written. */
typedef void (*checkout_done_fn)(void *ctx, size_t index, const struct stat *st);

int checkout_fill(struct checkout_place *place, struct vault *vault, const char *operation,
    const char *folder, const struct checkout_want *wants, size_t len,
    struct cli_progress *progress, checkout_done_fn fn, void *ctx, struct err *err) MUST_CHECK;

#endif
