/* SPDX-License-Identifier: MIT */
#ifndef RUN_RUN_H
#define RUN_RUN_H

/*
 * Child processes: a program resolved to a file that nobody else can replace, an environment built
 * from nothing, a vfork child in its own session, both streams drained at once under a bound, a
 * deadline, an end that is always reaped. And what is done to a stream before anyone reads it.
 *
 * Not here: which arguments, which tool, what the output means. Never a shell.
 *
 * A run ends in exactly one way (enum run_end) and tells its owner exactly once, from the loop,
 * never from inside run_start() or run_cancel().
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/ids.h"
#include "base/loop.h"
#include "base/strvec.h"

/* ---- programs ---- */

/* The fixed PATH of children, and where names are looked up after $PATH's absolute entries. */
#define RUN_CHILD_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* A program file as it stood when it was resolved. */
struct run_program {
	char *path;            /* absolute, links resolved; owned */
	bool is_user_writable; /* this user could replace it: trust then holds its digest */
	uint64_t device;       /* with inode, size and mtime: is it still the same file? */
	uint64_t inode;
	int64_t size; /* bytes */
	int64_t mtime_ns;
};

#define RUN_PROGRAM_INIT ((struct run_program){ 0 })
void run_program_release(struct run_program *program);

/*
 * Resolves name ("git", "/usr/bin/git", or "self": this program) to a file. search_path is $PATH
 * (may be NULL); its empty and relative entries are ignored. Checked (DESIGN §7): the file and
 * each folder above it are owned by root or this user and not writable by everyone, or by a group
 * other than root's and the user's own private group (a sticky folder such as /tmp counts as
 * writable by everyone). A name with a slash must be absolute. ERR_PROGRAM_NOT_FOUND names the
 * first reason.
 */
int run_program_resolve(const char *name, const char *search_path, struct run_program *ret_program,
    struct err *err) MUST_CHECK;

/* True while the file at program->path is the one that was resolved. */
bool run_program_is_same(const struct run_program *program);

/* ---- environment ---- */

/*
 * The child's whole environment: PATH, LANG=C.UTF-8, STILE_CALLER=mcp, then each of names that is
 * set in ours, then set ("NAME=value"), the later winning. LD_* and DYLD_* never pass, nor does
 * another STILE_CALLER.
 */
void run_environment(
    const struct strvec *names, const struct strvec *set, struct strvec *ret_environment);

/* Those of names that a child with that environment does not have, or has empty. */
void run_unset_variables(
    const struct strvec *names, const struct strvec *environment, struct strvec *ret_names);

/* ---- one run ---- */

enum run_end {
	RUN_EXITED,     /* by itself: status in exit_status */
	RUN_SIGNALED,   /* killed by a signal that was not ours: in signal */
	RUN_TIMED_OUT,  /* past its deadline; its group was ended */
	RUN_TOO_LARGE,  /* stdout passed max_output; its group was ended */
	RUN_CANCELLED,  /* by run_cancel() */
	RUN_NOT_STARTED /* exec failed: errnum says why; the program never ran */
};

/* What to run. Everything is borrowed for the duration of run_start() only, but stdin_data. */
struct run_spec {
	const char *path;       /* absolute path of the program */
	char *const *argv;      /* argv[0] included */
	char *const *envp;      /* the whole environment */
	const char *cwd;        /* absolute, or NULL: "/" */
	const char *stdin_data; /* NULL: /dev/null; else borrowed until the run has ended */
	size_t stdin_len;       /* bytes of it */
	int64_t timeout_ms;     /* from start to TERM */
	size_t max_output;      /* bytes of stdout; past it: RUN_TOO_LARGE */
	size_t max_stderr;      /* bytes of stderr kept (head); the rest is drained and dropped */
	int inherit_fd; /* a descriptor above 2 that the child keeps (the lock of a plan), or 0 */
};

struct run_outcome {
	enum run_end end;    /* how it ended */
	int exit_status;     /* RUN_EXITED: 0 to 255 */
	int signal;          /* RUN_SIGNALED */
	int errnum;          /* RUN_NOT_STARTED */
	const char *step;    /* RUN_NOT_STARTED: what failed, "execve" or "chdir"; static */
	struct buf out;      /* stdout as it came; after RUN_TOO_LARGE and RUN_TIMED_OUT the head */
	struct buf err;      /* head of stderr */
	bool is_stderr_cut;  /* there was more */
	int64_t duration_us; /* from start to reaped */
	pid_t pid;           /* of the child */
};

#define RUN_OUTCOME_INIT ((struct run_outcome){ .out = BUF_INIT, .err = BUF_INIT })
void run_outcome_release(struct run_outcome *outcome);

struct run;

/* The end of a run. The outcome is the callee's to take from (buf_detach, or struct copy and
 * RUN_OUTCOME_INIT); what is left is released after the call. The run is gone afterwards. */
typedef void (*run_done_fn)(void *ctx, struct run_outcome *outcome);

/*
 * Starts the program: vfork child with setsid, parent-death signal, default signals and mask,
 * no core file, no inherited descriptor but 0, 1, 2. A failed exec arrives as RUN_NOT_STARTED. NULL when
 * not even a child could be made (ERR_UNAVAILABLE, retryable, or ERR_IO). Signal dispositions are
 * looked up once, at the first start: set them up before that.
 *
 * The run is over when the child has been reaped and both streams are at their end, or
 * LIMIT_DRAIN_MS after the child's end when a grandchild keeps them open (clients.md Q19); its
 * group is killed then.
 */
struct run *run_start(struct loop *loop, const struct run_spec *spec, run_done_fn done, void *ctx,
    struct err *err) MUST_CHECK;

/*
 * Ends the group: TERM, KILL after LIMIT_KILL_GRACE_MS, reaped; then done with RUN_CANCELLED. The
 * first cause counts: a run whose program has ended by itself, or that is being ended for its
 * deadline or its output, keeps that end.
 */
void run_cancel(struct run *run);

/* KILL to the group at once, reaped synchronously, done is not called; for the server's end. */
void run_kill(struct run *run);

/* Appends the last line that is not blank of what the program has written to stderr so far; nothing when
 * there is none. Of a line that long, its last RUN_LINE_MAX bytes. */
#define RUN_LINE_MAX ((size_t)500)
void run_last_line(const struct run *run, struct buf *ret_line);

/* The child's pid. */
pid_t run_pid(const struct run *run);

/*
 * Reaps ended processes that came to us because their parent died (os_become_subreaper), and never
 * the child of a run that is not over. For the end of a turn, now and then; one system call when
 * there is nothing to reap.
 */
void run_reap_adopted(void);

/* ---- private files ---- */

/*
 * Files that carry a secret to a child: 0600 in a 0700 folder of this process below the data
 * directory, named so that a later process can tell whether the owner lives (pid and start
 * time). run_files_sweep() removes folders whose owner is gone, and nothing else (clients.md Q51).
 */
struct run_files;

/* data_dir must exist; the folder itself is made at the first file. */
struct run_files *run_files_new(const char *data_dir);
void run_files_free(struct run_files *files); /* removes what is left */

/* A path not yet in use; owned by the caller. No file is made. */
char *run_files_path(struct run_files *files) MUST_CHECK;
int run_files_write(struct run_files *files, const char *path, const void *data, size_t len,
    struct err *err) MUST_CHECK;
void run_files_remove(struct run_files *files, const char *path);

/* Removes folders of dead owners below data_dir. */
void run_files_sweep(const char *data_dir);

/* ---- streams: what is done before anyone reads them ---- */

/*
 * Removes ANSI sequences; when want_json, also whatever stands before the JSON text: banner
 * lines. The text begins at the first line that starts (after white space) with { or [ and from
 * which one whole JSON value can be read; without such a line nothing is cut (clients.md §4,
 * Q31). The text behind the value is kept: the parser refuses it.
 */
void run_normalise(const struct buf *raw, bool want_json, struct buf *ret_text);

/* ---- redaction ---- */

/*
 * What may leave. Found and masked are: well-known formats of tokens, keys and connection strings
 * (run_rules.c), values beside names such as "apiKey" or "DB_PASSWORD", a surface's own `secrets:`
 * patterns, and known values. A net, not a wall: docs/redaction.md says what slips through.
 *
 * A mask is "[masked:NAME:MARKER]". The marker is this host's alone and cannot be guessed; text
 * that holds it is refused as an argument (ERR_MASKED_CONTENT), so that no masked text is written
 * back over what it stands for. What is masked already stays as it is.
 *
 * A pattern whose engine gives up masks the whole text (in JSON: the string). Where a mask is
 * needed and the marker cannot be had, redact_text() writes one sentence instead of the text and
 * redact_json() fails.
 */

/* What all redactors of a process share: patterns compiled at their first use, the marker, the
 * paths to strip. */
struct redact_host;

/* Nothing is read or made yet. data_dir is copied; NULL: the marker lives as long as the object. */
struct redact_host *redact_host_new(const char *data_dir) MUST_CHECK;
void redact_host_free(struct redact_host *host);

/* Is the marker in data? Makes none; -1 when there is one that cannot be read. */
int redact_has_marker(struct redact_host *host, const char *data, size_t len, bool *ret_has,
    struct err *err) MUST_CHECK;

struct json;

/* 0 when no string in arguments (may be NULL), names included, holds the marker; else -1 with
 * ERR_MASKED_CONTENT, which names the first by its pointer. */
int redact_refuse_masked(struct redact_host *host, const struct json *arguments, struct err *err)
    MUST_CHECK;

/* One a surface; host is borrowed and must outlive it. */
struct redactor;

struct redactor *redactor_new(struct redact_host *host) MUST_CHECK;
void redactor_free(struct redactor *redactor);

/* Adds a pattern before the first text (name shown in the mask: small letters, digits, - and _, at
 * most 40); compiled at first use. */
void redactor_add_pattern(struct redactor *redactor, const char *name, const char *pattern);

/* A set of known values, for one call. */
struct redactor_values {
	struct strvec items; /* never shorter than 4 bytes */
};
#define REDACTOR_VALUES_INIT ((struct redactor_values){ .items = { 0 } })
void redactor_values_release(struct redactor_values *values);
void redactor_values_add(struct redactor_values *values, const char *data, size_t len);

/* Of "NAME=value" entries: the values of at least 8 bytes whose names say that they are secret. */
void redactor_values_add_environment(
    struct redactor_values *values, const struct strvec *environment);

/* Appends text with its secrets masked; returns how many masks were set. values may be NULL. */
size_t redact_text(struct redactor *redactor, const struct redactor_values *values,
    const char *data, size_t len, struct buf *ret_text);

/* The same for diagnostics: paths of the home, of the data directory and of temporary files are
 * replaced by ~, [data] and [tmp]. */
size_t redact_stderr(struct redactor *redactor, const struct redactor_values *values,
    const char *data, size_t len, struct buf *ret_text);

/* Appends data, text or JSON, those paths alone replaced. */
void redact_strip_paths(
    const struct redactor *redactor, const char *data, size_t len, struct buf *ret_text);

/*
 * The same over JSON text (valid, one value): every string, keys included, is masked and made
 * clean (text_add_clean) on its decoded form; a string whose member's name says that it is a secret
 * is masked whole, also in an array there and in {"name": N, "value": V}; a number that is a known
 * value, however it is written, becomes a mask. All other tokens, and strings that need nothing, keep their bytes; white
 * space between tokens is dropped. *ret_escaped counts characters made visible.
 */
int redact_json(struct redactor *redactor, const struct redactor_values *values, const char *data,
    size_t len, struct buf *ret_text, size_t *ret_masks, size_t *ret_escaped, struct err *err)
    MUST_CHECK;

#endif
