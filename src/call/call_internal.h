/* SPDX-License-Identifier: MIT */
#ifndef CALL_CALL_INTERNAL_H
#define CALL_CALL_INTERNAL_H

/*
 * What the files of call/ share: the host's inside, the one object that travels through the
 * stages, and the stages themselves.
 */

#include "call/call.h"
#include "gate/gate.h"
#include "ledger/ledger.h"
#include "run/run.h"

/* ---- a surface that is served ---- */

/* A loaded surface; calls on their way hold it, so that a reload cannot pull it from under them. */
struct loaded {
	struct surface *surface;
	struct redactor *redactor;
	unsigned references;
};

/* How a file looked when it was read: any difference means "read it again". */
struct file_stamp {
	uint64_t device;
	uint64_t inode;
	int64_t size;
	int64_t mtime_ns;
};

struct served {
	struct host *host;
	const struct surface_builtin *builtin; /* or NULL: a file */
	char *path;                            /* of the file, absolute; or NULL */
	struct file_stamp stamp;
	struct file_stamp trust_stamp; /* of trust.yaml when it was last asked */
	struct loaded *loaded;         /* NULL: withdrawn (untrusted or malformed now) */
	struct run_program program;    /* resolved; path NULL: not yet */
	char *program_asked;           /* what program.path was resolved from */
	struct run *version_run;       /* asks for the program's version now, or NULL */
	bool is_version_known;         /* it was asked; version NULL: could not be read */
	char *version;
	struct call *version_waiters; /* calls that wait for it */
	bool is_drift_switched_on;    /* by the surface's variable, read at the start */
	unsigned running;             /* children of this surface */
	bool is_exclusive_running;    /* one of its exclusive tools runs */
	struct call *waiting;         /* queue of calls that wait for a child, oldest first */
	struct call **waiting_tail;
	struct call *waiting_exclusive; /* the same for exclusive tools */
	struct call **waiting_exclusive_tail;
};

/* ---- what the caller may see (call_scope_decide.c) ---- */

/* One decision, and what it was made of. */
struct decision {
	struct gate_scope gate;
	char *workspace; /* ids and names; NULL: not to be seen, or (workspace) a plain folder */
	char *workspace_name;
	char *stage;
	char *stage_name;
	char *contract_file; /* NULL: there is none */
	char *contract_version;
	int64_t contract_number; /* of a version of the vault; else 0 */
	char *event;  /* the row that holds it: "sca_…" of the vault, "row N" of ours */
	char *reason; /* why the vault grants nothing; else NULL */
};

#define DECISION_INIT ((struct decision){ .gate = GATE_SCOPE_INIT })
void decision_release(struct decision *decision);

enum scope_state { SCOPE_UNASKED, SCOPE_DECIDED, SCOPE_FAILED };

#define VAULT_FILES 2

TAILQ_HEAD(host_waiters, host_waiter);

struct host_scope {
	enum scope_state state;
	struct decision
	    decision;          /* the last there was: it counts while the state is SCOPE_DECIDED */
	enum err_code failure; /* why asking failed */
	int64_t begun_ms;      /* when the last asking began */
	int64_t asked_ms;      /* when the one began that decision came of */
	bool is_stale;         /* the surfaces are others since */
	bool was_settled;      /* somebody may have seen a list */
	struct host_waiters waiters;
	uint64_t round;           /* how often asking came to an end */
	struct loop_timer *timer; /* the next look in the background */

	struct run *run;                       /* asks the vault, or NULL */
	struct file_stamp stamps[VAULT_FILES]; /* of the vault when it last decided */
	struct file_stamp stamps_before[VAULT_FILES];

	char *folder;             /* of --stage-dir, links resolved; or NULL */
	struct decision proposed; /* by its contract; counts when its row is durable */
	struct buf said;          /* what the row of decision says */
	struct buf proposed_said;
	uint64_t ticket;             /* of the row that is being written */
	struct loop_timer *recorded; /* it was written, or not */
};

struct host {
	struct loop *loop;
	const struct host_options *options;
	char *data_dir;
	struct strvec roots;  /* absolute, links resolved */
	struct strvec closed; /* never reachable by a path argument */
	struct gate_config config;
	struct redact_host *masking; /* what the redactors of all surfaces share */
	struct redactor
	    *redactor; /* of no surface, for what belongs to none; NULL: not needed yet */
	struct served *served;
	size_t served_len;
	struct run_program self; /* this binary; path NULL: not yet resolved */
	struct ledger *ledger;
	struct gate_consents *consents; /* NULL until a person is to be asked */
	struct host_scope scope;
	struct run_files *files;
	struct buf instructions;

	const struct tool **tools; /* visible, in order of listing */
	size_t tools_len;
	size_t tools_cap;
	const struct resource **resources; /* the same of resources */
	size_t resources_len;
	size_t resources_cap;
	bool has_resources;  /* some surface has or had one */
	uint64_t generation; /* of the visible set */
	struct loop_timer *watch_timer;
	struct loop_timer *tell_timer; /* the watcher is to be told */
	bool is_watching;
	unsigned changes; /* enum host_change: it is to be told */
	host_changed_fn changed;
	void *changed_ctx;

	struct call *ready; /* to be started when the answers are out, oldest first */
	struct call **ready_tail;
	struct call *calls; /* all that have not ended */
	size_t calls_len;
	unsigned running;   /* children of all surfaces */
	size_t next_served; /* whose turn it is to start a waiting call */
	bool is_held;
	bool is_draining;

	struct loop_timer *sweep_timer; /* set until files of dead owners were looked for */

	int64_t faults;           /* message faults not yet in the ledger */
	enum err_code fault_code; /* of the last one */
	struct loop_timer *fault_timer;
};

/* call_load.c */
int host_load_surfaces(struct host *host, struct err *err) MUST_CHECK;
struct file_stamp file_stamp_of(const char *path);
bool file_stamp_is_same(const struct file_stamp *a, const struct file_stamp *b);
bool host_refresh(struct host *host); /* true: the visible set may have changed */
void host_warn(struct host *host, const char *what, const struct err *err);

/* call_host.c: the watcher is told, from the loop; lists are of another generation. */
void host_tell(struct host *host, unsigned changes);
void loaded_release(struct loaded *loaded);
/* Fills the program of now, as host_describe_surface() says. */
int host_describe_program(const char *name, struct gate_trusted *now, struct err *err) MUST_CHECK;
int host_resolve_program(struct served *served, const struct surface *surface, struct err *err)
    MUST_CHECK;

/* call_scope.c: what is visible now; the same, made anew: enum host_change; names of the tools that
 * would be, and how many others there are. */
void host_list_visible(struct host *host);
unsigned host_list_anew(struct host *host);
size_t host_count_visible(
    const struct host *host, const struct gate_scope *scope, struct strvec *ret_names);

/* call_scope_decide.c: was the server launched with a scope; 0, or ERR_SCOPE_UNAVAILABLE; looks in the
 * background; ends. */
bool host_is_scoped(const struct host *host);
int host_check_scope(const struct host *host, struct err *err) MUST_CHECK;
void host_watch_scope(struct host *host, bool is_watching);
void host_terminate_scope(struct host *host);
void host_kill_scope(struct host *host);
void host_release_scope(struct host *host);

/* The end of asking: decided (moves), or not. */
void scope_decided(struct host *host, struct decision *decision);
void scope_failed(struct host *host, const struct err *err);

/* call_scope_vault.c: asks; have its files changed since it decided? */
int scope_ask_vault(struct host *host, struct err *err) MUST_CHECK;
bool scope_has_vault_changed(const struct host *host);

/* call_scope_folder.c: looks at the folder of --stage-dir, at the start and for a decision. */
int host_open_stage_dir(struct host *host, struct err *err) MUST_CHECK;
void scope_ask_folder(struct host *host);

/* call_scope.c: what the gate looks at */
enum gate_rank call_gate_rank(enum surface_rank rank);
struct gate_tool call_gate_tool(const struct tool *tool);

/* call_run.c: starts a resolved program with words and that environment; spec (path, argv and envp are
 * filled here) says the rest. */
struct run *host_start_program(struct host *host, const struct run_program *program,
    const struct strvec *words, struct strvec *environment, struct run_spec *spec, run_done_fn done,
    void *ctx, struct err *err) MUST_CHECK;

/* call_self.c: this binary, as it is now; how a surface is named to it. */
int host_resolve_self(struct host *host, struct err *err) MUST_CHECK;
const char *served_word(const struct served *served);

/* call_children.c: the bound on children */
void host_enqueue(struct call *call);
void host_dequeue(struct call *call);
void host_child_started(struct call *call);
void host_child_ended(struct call *call);
bool host_start_waiting(struct host *host); /* true: some went on */

/* ---- the call ---- */

enum call_step {
	CALL_NEXT,  /* on to the next stage */
	CALL_WAIT,  /* somebody will call call_resume() */
	CALL_INPUT, /* a person is asked by a round trip: on to the stages that always run */
	CALL_FAIL   /* call->err is set: on to the stages that always run */
};

/* Fields stand in the order in which stages fill them. */
struct call {
	struct host *host;
	struct call *next; /* in host->calls */
	struct call *previous;
	call_done_fn done;
	void *ctx;
	size_t stage; /* index into the table */
	bool is_cancelled;
	const char *failed_stage;     /* name of the stage that failed, or NULL */
	struct call_purpose *purpose; /* of a planned call; else NULL */
	struct plan_read *read;    /* of a call that a plan makes to look at the world; else NULL */
	struct host_waiter waiter; /* waits for what may be seen */
	char *event;               /* the row of the decision that the call rests on, or NULL */

	char *name;                       /* as asked for; NULL: a read */
	char *uri;                        /* reads: as asked for; else NULL */
	struct json_doc request;          /* holds the arguments as they came */
	const struct json *raw_arguments; /* in it, or NULL */
	char *protocol;
	char *client;
	bool can_ask;
	call_ask_fn ask;
	void *ask_ctx;
	char *state; /* requestState that came back, or NULL */
	enum call_answer answer;

	struct served *served;           /* resolve */
	struct loaded *loaded;           /* holds a reference */
	const struct resource *resource; /* reads; NULL: absent */
	const struct tool *tool;         /* NULL: absent, or a static resource */
	const struct tool *runs;         /* what is run for it: mostly the same */
	struct json_doc arguments;       /* validate: canonical, defaulted */
	bool is_vetoed;
	struct redactor_values secrets;
	bool is_asking;      /* permit: a person is being asked */
	bool has_answer;     /* and has answered; the stages walk again */
	struct digest asked; /* what about */
	bool needs_input;    /* the answer is a question (modern) */
	struct buf question;
	struct buf new_state;
	struct json_doc resolved; /* paths absolute: what a person is asked about; again in argv */
	struct surface_command command;
	struct plan_reads *reads; /* plan: what the world was found to be */
	bool is_planned;          /* plan: it ends here, nothing runs */
	bool is_begun;            /* plan: there is an operation, and it is ours to end */
	bool is_decided;          /* plan: the policy refused, and the refusal is recorded */
	bool is_child_counted;    /* run */
	struct call *queue_next;  /* run: waiting for a child */
	bool is_queued;
	bool has_waited;           /* run: it did not start at once */
	int64_t intent;            /* run: sequence of the intent of a mutation; 0: none */
	struct strvec environment; /* run: the program's, whole */
	struct run *run;
	struct loop_timer *progress_timer; /* run: of an apply */
	struct buf progress;               /* run: what was last told of it */
	struct run_outcome outcome;
	bool has_run;
	struct run *version_run; /* beside it, for `builtin: status` only */
	struct run_outcome version_outcome;
	struct buf out; /* normalised streams; run_err is redacted as well */
	struct buf run_err;
	struct buf quotable;          /* out, redacted, when an error may quote it */
	struct surface_result result; /* result, redact */
	size_t masks;                 /* redact */
	size_t escaped;
	uint64_t ticket; /* record: waits for the ledger */

	struct err err; /* why it failed; the result is made of it */
};

/* Goes on with the stage after the one that waited; or fails with call->err. */
void call_resume(struct call *call, enum call_step step);

/* Ends it if it waits for a person, a place, or what may be seen. */
bool call_stop_waiting(struct call *call, const char *why);

/* Ends a call at the end of the host, recorded or not; nobody gets an answer. */
void call_abandon(struct call *call);

/* call_resolve.c: what is asked for is not there, or not for this caller. Always CALL_FAIL. */
enum call_step call_refuse_absent(struct call *call);

/* call_scope.c: may this caller still see the tool? */
enum call_step call_check_scope(struct call *call);

/* The stages, one file each, in order. */
enum call_step call_decide(struct call *call);
enum call_step call_resolve(struct call *call);
enum call_step call_scope(struct call *call);
enum call_step call_validate(struct call *call);
enum call_step call_permit(struct call *call);
enum call_step call_argv(struct call *call);
enum call_step call_plan(struct call *call);
enum call_step call_run(struct call *call);
enum call_step call_result(struct call *call);
enum call_step call_redact(struct call *call);
enum call_step call_record(struct call *call);

/* call_run.c: the program's environment, made once; a call whose intent is recorded goes on to be
 * started. */
void call_make_environment(struct call *call);
void call_make_ready(struct call *call);

/* call_self.c: the program of a call, resolved, and its command line. */
int call_resolve_program(struct call *call) MUST_CHECK;
const struct run_program *call_program(const struct call *call);
int call_build_command(struct call *call, const struct surface_launch *launch) MUST_CHECK;

/* call_run.c: what the program of a call gets; is one of its programs running; ends them by TERM, then
 * KILL, or kills and reaps them at once; one has ended: goes on when none runs any more. */
struct run_spec call_run_spec(const struct call *call);
bool call_is_running(const struct call *call);
void call_run_cancel(struct call *call);
void call_run_kill(struct call *call);
void call_run_ended(struct call *call);

/* call_status.c, `builtin: status`: the switch of a built-in surface; starts asking for the version
 * beside the probe; is what a call failed with a finding, and no refusal; makes the verdict. */
int call_status_read_switch(struct served *served, struct err *err) MUST_CHECK;
void call_status_start_version(struct call *call);
bool call_status_can_tell(const struct call *call);
void call_status_result(struct call *call);

/* call_argv.c: there is a place among the children now. */
void call_argv_now(struct call *call);

void call_argv_go_on(struct call *call); /* the version is known, or never will be */

/* call_version.c: must the version be asked first? Asks (the call waits, call_argv_go_on() follows);
 * judges; forgets it, for the program is another one; ends asking. */
bool call_version_is_due(const struct call *call);
int call_version_wait(struct call *call) MUST_CHECK;
int call_version_check(struct call *call) MUST_CHECK;
void call_version_forget(struct served *served);
void call_version_kill(struct served *served);

/* call_redact.c: masks secrets in text that is to leave, and makes the invisible visible. */
void call_redact_text(struct call *call, struct buf *text);
struct redactor *host_redactor(struct host *host); /* borrowed; of no surface */

/* call_consent.c: asks a person, or judges the answer that is there. */
enum call_step call_ask_person(struct call *call);

/* call_record.c: a row beside the call's own; nobody waits for it unless done is given. */
uint64_t call_queue_row(
    struct call *call, enum ledger_kind kind, const char *detail, ledger_done_fn done);

/* call_builtin.c: `builtin: context`, answered in process. */
void call_write_context(const struct call *call, struct surface_result *ret_result);

/* ---- plans ---- */

/* One look at the world: what a read tool says at a place of its result. */
struct plan_read {
	const struct records *records; /* for the key of digests; NULL: of the preview */
	char *tool;
	char *arguments; /* JSON object */
	char *pointer;
	struct digest digest; /* of the canonical value, keyed */
	char *value;          /* JSON text when it is short and no secret, else NULL */
	char *fault;          /* why there is no value; NULL: there is one */
};

struct plan_reads {
	struct plan_read *items;  /* in the order of the surface's preconditions */
	size_t len;               /* of these, how many were read */
	size_t cap;               /* places; the last is the preview's */
	char *preview;            /* or NULL */
	struct loop_timer *timer; /* one is read, and it goes on */
};

/* call_reads.c: reads preconditions, and for a new plan the preview, one after another;
 * call_plan_go_on() follows, in a turn of its own. Takes the value out of the result of a reading call,
 * before it is redacted. */
enum call_step call_reads_begin(struct call *call);
void call_reads_take(struct call *call);
void call_reads_free(struct plan_reads *reads);
void call_plan_go_on(struct call *call);

/* call_facts.c: all that decides what the call will do. */
struct call_facts;
struct call_facts *call_facts_new(struct call *call, struct err *err) MUST_CHECK;
void call_facts_free(struct call_facts *facts);
const struct plan_facts *call_facts_of(const struct call_facts *facts);

/* call_content.c: the digest of a file's or a folder's content, and which of them it is: "file" or
 * "dir" (static). */
int call_content_digest(
    const char *path, const char **ret_kind, struct digest *ret_digest, struct err *err) MUST_CHECK;

/* call_compare.c: the world is another than planned: purpose->differences become ERR_PLAN_STALE. */
int call_refuse_stale(struct call *call);

/* call_apply.c: asks the policy and begins the operation; tells what the program says; ends it. */
enum call_step call_apply_begin(struct call *call);
void call_apply_watch(struct call *call);
enum call_step call_apply_finish(struct call *call);

/* What launch and roots give to words and paths. */
struct surface_launch call_launch(const struct call *call);

#endif
