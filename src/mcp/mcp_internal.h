/* SPDX-License-Identifier: MIT */
#ifndef MCP_MCP_INTERNAL_H
#define MCP_MCP_INTERNAL_H

/*
 * What the files of this room share; for this folder and its tests only. In the order in which a
 * line passes: revision, frame, message, era, method, handler, flight, reply, output.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/loop.h"
#include "base/strvec.h"
#include "call/call.h"
#include "json/json.h"
#include "mcp/mcp.h"

/* ---- names and constant parts (§5) ---- */

#define MCP_KEY_VERSION "io.modelcontextprotocol/protocolVersion"
#define MCP_KEY_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define MCP_KEY_CLIENT "io.modelcontextprotocol/clientInfo"
#define MCP_KEY_LOG_LEVEL "io.modelcontextprotocol/logLevel"
#define MCP_KEY_SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"

/* Members that answers are put together from. `title` is known since 2025-06-18. */
#define MCP_SERVER_INFO_PLAIN "{\"name\":\"stile\",\"version\":\"" STILE_VERSION "\"}"
#define MCP_SERVER_INFO "{\"name\":\"stile\",\"title\":\"Stile\",\"version\":\"" STILE_VERSION "\"}"
#define MCP_META_SERVER "\"io.modelcontextprotocol/serverInfo\":" MCP_SERVER_INFO
#define MCP_META "\"_meta\":{" MCP_META_SERVER "}"

/* How many secrets were masked in a result: docs/redaction.md. */
#define MCP_KEY_MASKED "stile/masked"
#define MCP_CAPABILITIES "\"capabilities\":{\"tools\":{\"listChanged\":true}}"
#define MCP_CAPABILITIES_RESOURCES                                                                 \
	"\"capabilities\":{\"tools\":{\"listChanged\":true},\"resources\":{\"listChanged\":true}}"
#define MCP_COMPLETE "\"resultType\":\"complete\""

/* How long a list or a discovery stays fresh, and for whom: what is listed depends on this user's
 * grants and trust (§13). */
#define MCP_CACHE "\"ttlMs\":300000,\"cacheScope\":\"private\""

/* What a program has just printed is stale at once. */
#define MCP_CACHE_NOT "\"ttlMs\":0,\"cacheScope\":\"private\""

/* ---- revisions (mcp_revision.c) ---- */

/* One protocol revision and what its clients understand. */
struct mcp_revision {
	const char *name;           /* "2025-11-25" */
	bool is_modern;             /* no handshake, `_meta` on each request */
	bool has_batches;           /* arrays of messages */
	bool has_annotations;       /* of tools; the message of a progress note came with them */
	bool has_titles;            /* and outputSchema, structuredContent, elicitation */
	bool has_elicitation_modes; /* form and url; before, an elicitation is a form */
};

#define MCP_REVISIONS 5
extern const struct mcp_revision mcp_revisions[MCP_REVISIONS];

/* The revision of that name, or NULL; the one to offer when none is known; the modern one. */
const struct mcp_revision *mcp_revision_find(const char *name);
const struct mcp_revision *mcp_revision_latest_legacy(void);
const struct mcp_revision *mcp_revision_modern(void);

/* ---- bytes → lines (mcp_frame.c) ---- */

/* Bytes that came in and are not lines yet, or not taken. */
struct mcp_frames {
	struct buf buf;
	size_t start;       /* first byte of the next line */
	size_t scanned;     /* no newline between start and here */
	bool is_begun;      /* the first line was taken: no byte order mark from here on */
	bool is_discarding; /* inside a line that passed the limit */
	bool is_ended;      /* end of input */
};

#define MCP_FRAMES_INIT ((struct mcp_frames){ .buf = BUF_INIT })
void mcp_frames_release(struct mcp_frames *frames);

/* Room for n bytes of input, to be claimed with mcp_frames_commit(). Lines taken before are dead. */
char *mcp_frames_reserve(struct mcp_frames *frames, size_t n);
void mcp_frames_commit(struct mcp_frames *frames, size_t n);

/* Says that no byte follows: what is left is a line too. */
void mcp_frames_end(struct mcp_frames *frames);

/* Bytes waiting to be taken. */
size_t mcp_frames_pending(const struct mcp_frames *frames);

enum mcp_frame {
	MCP_FRAME_NONE,    /* no whole line is there */
	MCP_FRAME_LINE,    /* a line, not blank */
	MCP_FRAME_REST,    /* what stood before the end of input without a newline */
	MCP_FRAME_TOO_LONG /* a line passed LIMIT_FRAME_IN; said once, its bytes are dropped */
};

/* The next line, without its end; borrowed until the next mcp_frames_reserve(). */
enum mcp_frame mcp_frames_next(struct mcp_frames *frames, const char **ret_line, size_t *ret_len);

/* ---- ids (mcp_id.c) ---- */

/* A string or an integer of bounded size: what may be a request id or a progress token. */
bool mcp_id_is_valid(const struct json *node);

/* Appends what is equal for equal ids and differs by type and by value: 1 and 1.0 are one id, 1
 * and "1" are two. node must be valid. */
void mcp_id_add_key(struct buf *key, const struct json *node);

/* ---- line → message (mcp_message.c) ---- */

enum mcp_kind {
	MCP_REQUEST,
	MCP_NOTIFICATION,
	MCP_BATCH,    /* the document's root is an array */
	MCP_RESPONSE, /* to a request of ours, or to none */
	MCP_IGNORED,  /* never answered: (err is set) a malformed notification */
	MCP_REFUSED   /* err says why; id is set when it could be read */
};

struct mcp_message {
	enum mcp_kind kind;
	struct json_doc doc;       /* owns the text; a handler may take it */
	const struct json *id;     /* of a request, or NULL */
	const char *method;        /* of requests and notifications */
	const struct json *params; /* an object, or NULL */
	const struct json *meta;   /* params._meta, whatever it is, or NULL */
	struct err err;
};

#define MCP_MESSAGE_INIT ((struct mcp_message){ 0 })
#define cleanup_mcp_message __attribute__((cleanup(mcp_message_release)))
void mcp_message_release(struct mcp_message *message);

/* Reads a line; text moves to the message. Never fails: what is wrong is in the message. */
void mcp_message_read(struct mcp_message *message, char *text, size_t len);

/* True when node (a message) carries the modern `_meta` key (§3 rule 1). */
bool mcp_message_is_modern(const struct json *node);

/* ---- era and method (mcp_era.c, mcp_methods.c) ---- */

/* What a handshake settled. Nothing of it is used for a modern request. */
struct mcp_session {
	const struct mcp_revision *revision; /* NULL: no handshake yet */
	bool is_initialized;                 /* the client said so: we may speak unasked */
	bool can_ask;                        /* elicitation by form was declared */
	bool has_resources;                  /* we advertised them */
	char *client_name;                   /* or NULL; owned */
};
void mcp_session_release(struct mcp_session *session);

struct mcp_batch;
struct mcp_server;

/* Who waits for an answer. */
struct mcp_waiter {
	const char *id; /* as it came, byte for byte; NULL: could not be read */
	size_t id_len;
	const struct mcp_revision *revision; /* shapes the answer; NULL only with errors */
	struct mcp_batch *batch;             /* that the answer belongs to, or NULL */
};

/* One request on its way to its handler. Borrows from the message. */
struct mcp_request {
	struct mcp_message *message;
	const struct mcp_method *method;
	struct mcp_waiter waiter;
	const char *client_name;  /* or NULL */
	bool can_ask;             /* elicitation by form, of this session or this request */
	const struct json *token; /* progress token, or NULL */
};

/* Answers, or starts what will answer later (0); or -1 with the error to answer. */
typedef int (*mcp_method_fn)(
    struct mcp_server *server, struct mcp_request *request, struct err *err);

/* In which states a method exists (§3, §5). */
enum mcp_state {
	MCP_BEFORE_SESSION = 1 << 0, /* legacy, handshake or not */
	MCP_IN_SESSION = 1 << 1,     /* legacy, after the handshake */
	MCP_MODERN = 1 << 2,
	MCP_IN_BATCH = 1 << 3 /* may stand in an array of messages */
};

struct mcp_method {
	const char *name;
	unsigned states; /* enum mcp_state */
	mcp_method_fn fn;
};

/* A request's or a notification's method, or NULL. */
const struct mcp_method *mcp_method_find(const char *name);

typedef void (*mcp_notification_fn)(struct mcp_server *server, const struct mcp_message *message);
mcp_notification_fn mcp_notification_find(const char *name);

/*
 * The rules of §3 for one request: fills ret_request but for its batch, or says which error it
 * gets.
 */
int mcp_era_decide(const struct mcp_session *session, struct mcp_message *message, bool in_batch,
    struct mcp_request *ret_request, struct err *err) MUST_CHECK;

/* True when declared client capabilities include elicitation by form. */
bool mcp_era_can_ask(const struct json *capabilities, const struct mcp_revision *revision);

/* The name in a clientInfo, as far as the record needs it; owned, or NULL. */
char *mcp_era_client_name(const struct json *client_info);

/* ---- a line's way (mcp_dispatch.c, mcp_batch.c) ---- */

/* Handles one line; is_rest: it came without a newline, and is dropped when it is no JSON. */
void mcp_dispatch_line(struct mcp_server *server, const char *line, size_t len, bool is_rest);

/* Handles one message of a line or, with batch, of an array; releases it. */
void mcp_dispatch_message(
    struct mcp_server *server, struct mcp_message *message, struct mcp_batch *batch);

/* Answers an error and counts the fault. */
void mcp_dispatch_refuse(
    struct mcp_server *server, const struct mcp_waiter *waiter, const struct err *err);

/* The answers of one array of messages, gathered until the last is there. */
struct mcp_batch {
	size_t open;        /* members that are not finished, and one while it is being read */
	size_t reserve;     /* bytes kept free for the answers that are missing */
	struct buf answers; /* separated by commas */
};

/* Handles an array of messages. */
void mcp_batch_dispatch(struct mcp_server *server, struct mcp_message *message);

/* A member is finished, answered or not; the last one sends the array and frees it. */
void mcp_batch_close(struct mcp_server *server, struct mcp_batch *batch);

/* Bytes that are kept for the answer to an id; no error answer of ours is longer. */
size_t mcp_batch_share(size_t id_len);

/* ---- requests in flight (mcp_flight.c) ---- */

struct mcp_pages;

/* The pages of one list as they are now. */
typedef const struct mcp_pages *(*mcp_list_fn)(
    struct mcp_server *server, const struct mcp_revision *revision);

/* A request whose answer is still to come: a tool call, a listen stream, or a list that waits. */
struct mcp_flight {
	LIST_ENTRY(mcp_flight) link; /* in the server's calls, streams or listings */
	struct mcp_flight *next;     /* in its bucket */
	uint64_t hash;
	char *key; /* mcp_id_add_key(); owned */
	size_t key_len;
	bool is_listed; /* in the table; not any more when cancelled: its id is free again */

	struct mcp_server *server; /* NULL: the server is gone, nobody waits */
	struct mcp_waiter waiter;
	char *id; /* the waiter's; owned */

	struct call *call;        /* calls */
	char *tool;               /* calls: its name; owned */
	bool can_ask;             /* calls */
	char *token;              /* calls: progress token as it came, or NULL; owned */
	int64_t started_ms;       /* calls with a token */
	int64_t next_progress_ms; /* calls with a token */

	struct host_waiter scope; /* lists: wait for what may be listed */
	mcp_list_fn list;         /* lists: which; NULL: it is none */
	char *cursor;             /* lists: owned, or NULL */

	char *question;                       /* calls: what a person is asked; owned */
	uint64_t question_number;             /* of our request; 0: not sent */
	struct loop_timer *question_deadline; /* while there is a question */

	bool wants_tools;     /* streams: list_changed of tools */
	bool wants_resources; /* streams: list_changed of resources, where there are some */
};

LIST_HEAD(mcp_flight_list, mcp_flight);

/* In-flight requests by id. */
struct mcp_flights {
	struct mcp_flight **buckets; /* a power of two; owned */
	size_t buckets_len;
	size_t len;
	uint64_t seed;
};
void mcp_flights_release(struct mcp_flights *flights);

/* The request in flight with that (valid) id, or NULL. */
struct mcp_flight *mcp_flight_find(const struct mcp_flights *flights, const struct json *id);

/* A new one, listed under its id, which must not be in flight. */
struct mcp_flight *mcp_flight_new(
    struct mcp_server *server, const struct json *id, const struct mcp_waiter *waiter) MUST_CHECK;

/* Takes it off the table: the id is free. */
void mcp_flight_unlist(struct mcp_server *server, struct mcp_flight *flight);

/* Unlists, unlinks and frees it. */
void mcp_flight_free(struct mcp_flight *flight);

/* ---- handlers ---- */

int mcp_initialize(struct mcp_server *server, struct mcp_request *request, struct err *err);
int mcp_ping(struct mcp_server *server, struct mcp_request *request, struct err *err);
int mcp_discover(struct mcp_server *server, struct mcp_request *request, struct err *err);
int mcp_tools_list(struct mcp_server *server, struct mcp_request *request, struct err *err);
int mcp_tools_call(struct mcp_server *server, struct mcp_request *request, struct err *err);
int mcp_resources_list(struct mcp_server *server, struct mcp_request *request, struct err *err);
int mcp_resources_templates(
    struct mcp_server *server, struct mcp_request *request, struct err *err);
int mcp_resources_read(struct mcp_server *server, struct mcp_request *request, struct err *err);
int mcp_listen(struct mcp_server *server, struct mcp_request *request, struct err *err);

void mcp_initialized(struct mcp_server *server, const struct mcp_message *message);
void mcp_cancelled(struct mcp_server *server, const struct mcp_message *message);

/* Ends every listen stream with its graceful result (§5). */
void mcp_listen_close_all(struct mcp_server *server);

/* ---- prepared lists (mcp_pages.c) ---- */

/* One page, ready to follow an id. */
struct mcp_page {
	char cursor[17];   /* that asks for it; "" the first */
	struct buf answer; /* `,"result":{…}}` */
};

/* The pages of one list for one revision. */
struct mcp_pages {
	struct mcp_page *items;
	size_t len;
	size_t cap;
};

/* What pages are made of. */
struct mcp_listing {
	const char *member; /* of the result: "tools" */
	const void *items;  /* for the two functions */
	size_t len;
	void (*write)(struct json_writer *w, const void *items, size_t index,
	    const struct mcp_revision *revision);
	const char *(*name)(const void *items, size_t index); /* unique; cursors are made of it */
};

void mcp_pages_release(struct mcp_pages *pages);
void mcp_pages_make(struct mcp_pages *ret_pages, const struct mcp_revision *revision,
    const struct mcp_listing *listing);
const struct mcp_page *mcp_pages_find(const struct mcp_pages *pages, const char *cursor);

/* Answers with the page of a list that the request's cursor asks for; later, when it is not decided yet
 * what may be listed. */
int mcp_pages_reply(struct mcp_server *server, struct mcp_request *request, mcp_list_fn list,
    struct err *err) MUST_CHECK;

/* mcp_tools_list.c, mcp_resources.c: the lists there are. */
void mcp_pages_make_tools(struct mcp_pages *ret_pages, const struct mcp_revision *revision,
    const struct tool *const *tools, size_t tools_len);
void mcp_pages_make_resources(struct mcp_pages *ret_pages, const struct mcp_revision *revision,
    const struct resource *const *resources, size_t len, bool is_templates);

/* All pages of one generation of what the host shows: as mcp_revisions; len 0: not made yet. */
struct mcp_lists {
	bool is_known;
	uint64_t generation;
	struct mcp_pages tools[MCP_REVISIONS];
	struct mcp_pages resources[MCP_REVISIONS];
	struct mcp_pages templates[MCP_REVISIONS];
	struct strvec promised; /* names of listed tools with an output schema */
};
void mcp_lists_release(struct mcp_lists *lists);

/* The lists as the host is now; what was made of an older generation is dropped. */
struct mcp_lists *mcp_lists_now(struct mcp_server *server);

/* ---- changes, progress ---- */

/* Watches for changes exactly while somebody may be told. */
void mcp_changed_watch(struct mcp_server *server);

/* Tells of a change noticed in this turn. */
void mcp_changed_flush(struct mcp_server *server);

/* Starts and ends the notes of a call that gave a token. */
void mcp_progress_begin(
    struct mcp_server *server, struct mcp_flight *flight, const struct json *token);
void mcp_progress_end(struct mcp_server *server, struct mcp_flight *flight);

/* Writes the notes that are due at now_ms; nothing while answers wait for the reader. */
void mcp_progress_flush(struct mcp_server *server, int64_t now_ms);

/* Appends one note, newline included. */
void mcp_progress_add_note(struct buf *buf, const struct mcp_flight *flight, int64_t now_ms);

/* ---- asking a person (mcp_elicit.c) ---- */

/* Legacy: asks through a request of ours; a call_ask_fn with the flight as ctx. */
void mcp_elicit_ask(void *ctx, struct call *call, const char *question);

/* Sends the questions that had to wait for the client's `initialized`. */
void mcp_elicit_send_held(struct mcp_server *server);

/* A response came: the answer to one of our questions, or nothing. */
void mcp_elicit_response(struct mcp_server *server, const struct json *response);

/* The call ends or is cancelled: its question, if there is one, is taken back. */
void mcp_elicit_drop(struct mcp_flight *flight);

/* Modern: appends the members of an input_required result. */
void mcp_elicit_add_input_required(
    struct buf *buf, const struct mcp_revision *revision, const char *question, const char *state);

/* Modern: reads requestState and inputResponses; client borrows from params. */
int mcp_elicit_read_round_trip(
    const struct json *params, struct call_client *client, struct err *err) MUST_CHECK;

/* ---- answers (mcp_reply.c) ---- */

/* An error; with its details as data. */
void mcp_reply_error(
    struct mcp_server *server, const struct mcp_waiter *waiter, const struct err *err);

/* An answer whose part behind the id stands ready: `,"result":{…}}`. */
void mcp_reply_ready(
    struct mcp_server *server, const struct mcp_waiter *waiter, const char *rest, size_t len);

/* What a call became. */
void mcp_reply_outcome(
    struct mcp_server *server, const struct mcp_flight *flight, const struct call_outcome *outcome);

/* What a read became. */
void mcp_reply_read(
    struct mcp_server *server, const struct mcp_flight *flight, const struct call_outcome *outcome);

/* ---- output (mcp_output.c) ---- */

/* Whole lines that wait for the reader. */
struct mcp_output {
	int fd;               /* borrowed */
	struct loop_fd *wake; /* calls back when the reader has made room */
	struct buf buf;
	size_t sent;     /* bytes at the start of buf that are written */
	bool is_waiting; /* for room */
	bool is_broken;  /* the reader is gone */
};

/* on_wake is called when there is room, or the reader is gone. */
void mcp_output_init(
    struct mcp_output *output, struct loop *loop, int fd, loop_fd_fn on_wake, void *ctx);
void mcp_output_release(struct mcp_output *output);

size_t mcp_output_pending(const struct mcp_output *output);

/* Writes as much as the reader takes. */
void mcp_output_write(struct mcp_output *output);

/* Writes one line at once, or drops it; only while nothing is pending. */
void mcp_output_write_or_drop(struct mcp_output *output, const char *data, size_t len);

/* ---- the server (mcp_serve.c, mcp_end.c) ---- */

/* By urgency: a later one hastens an earlier. */
enum mcp_end { MCP_RUNNING, MCP_END_INPUT, MCP_END_OUTPUT, MCP_END_SIGNAL };

struct mcp_server {
	struct host *host; /* borrowed */
	struct loop *loop; /* borrowed */

	int in_fd;          /* borrowed */
	int in_flags;       /* as they were found, and are left again */
	struct loop_fd *in; /* NULL after the end of input */
	bool is_in_paused;
	struct mcp_frames frames;

	int out_flags;
	struct mcp_output output;

	struct loop_fd *signal; /* NULL once seen */

	struct mcp_session session;
	struct mcp_flights flights;
	struct mcp_flight_list calls;
	struct mcp_flight_list listings;
	struct mcp_flight_list streams;
	size_t streams_len;
	uint64_t questions; /* how many requests of ours were sent */
	struct mcp_lists lists;

	bool is_watching;        /* the host's files */
	unsigned changes;        /* enum host_change that nobody was told of yet */
	size_t tokens;           /* calls that get progress notes */
	struct loop_timer *tick; /* while there are some */
	bool is_progress_due;

	enum mcp_end end;
	bool is_over;                 /* nothing is left to do */
	struct loop_timer *terminate; /* the grace of running calls is over */
	struct loop_timer *kill;      /* the grace of TERM is over */
	struct loop_timer *deadline;  /* the end, whatever is left */
};

/* Begins the end, or hastens one that is under way. */
void mcp_end_begin(struct mcp_server *server, enum mcp_end why);

/* Looks whether everything is done. */
void mcp_end_check(struct mcp_server *server);

/* Forgets the timers. */
void mcp_end_release(struct mcp_server *server);

#endif
