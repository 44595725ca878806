/* SPDX-License-Identifier: MIT */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

/*
 * Every bound on what a peer can grow, by name (DESIGN §7). Sizes in bytes, times in
 * milliseconds. Past a bound there is a clear error and the server lives on; nothing is cut.
 */

#include <stddef.h>
#include <stdint.h>

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

/* One message on standard input; one on standard output (SDK clients drop the connection at 10
 * MiB of buffered line: protocol.md §1). */
#define LIMIT_FRAME_IN (16 * MIB)
#define LIMIT_FRAME_OUT (10 * MIB)

/* A request id, or a progress token, as it stands in the message: it is echoed. */
#define LIMIT_ID (64 * KIB)

/* A resource's URI, in a message and in a surface file. */
#define LIMIT_URI (8 * KIB)

/* JSON: nesting, and values in one document. */
#define LIMIT_JSON_DEPTH 512
#define LIMIT_JSON_NODES ((size_t)4 << 20)

/* YAML: surface, policy and config files. */
#define LIMIT_YAML_BYTES (1 * MIB)
#define LIMIT_YAML_NODES ((size_t)100000)
#define LIMIT_YAML_DEPTH 32

/* A program's streams and the result made of them; a surface may raise the first two defaults. */
#define LIMIT_OUTPUT_DEFAULT (1 * MIB)
#define LIMIT_OUTPUT_MAX (16 * MIB)
#define LIMIT_RESULT_DEFAULT (1 * MIB)
#define LIMIT_RESULT_MAX (3 * MIB)
#define LIMIT_STDERR (64 * KIB)
#define LIMIT_STREAM_HEAD ((size_t)500)

/* One value on a command line (the system's own is 128 KiB a string), and the whole line. */
#define LIMIT_ARGUMENT (96 * KIB)
#define LIMIT_COMMAND_LINE (1536 * KIB)
#define LIMIT_COMMAND_WORDS ((size_t)4096)

/* Time: of a run, by default and at most; between TERM and KILL; after the program's own end
 * while a grandchild holds the pipe; of a version check. */
#define LIMIT_TIMEOUT_DEFAULT_MS ((int64_t)30000)
#define LIMIT_TIMEOUT_MAX_MS ((int64_t)3600000)
#define LIMIT_KILL_GRACE_MS ((int64_t)500)
#define LIMIT_DRAIN_MS ((int64_t)100)
#define LIMIT_VERSION_CHECK_MS ((int64_t)10000)

/* Scope: of the child that decides; how old a decision may be at most, in seconds. */
#define LIMIT_SCOPE_MS ((int64_t)5000)
#define LIMIT_SCOPE_TTL ((int64_t)300)

/* End of the server: what a running child gets after end of input, and what the reader of queued
 * answers gets. */
#define LIMIT_EOF_GRACE_MS ((int64_t)250)
#define LIMIT_FLUSH_MS ((int64_t)10000)
#define LIMIT_TERM_EXIT_MS ((int64_t)900)

/* Numbers: children of all surfaces at once and of one, calls waiting for a child, requests
 * in flight, listen streams, bytes of answers waiting for the reader before no further call is
 * started. */
#define LIMIT_CHILDREN 64
#define LIMIT_CHILDREN_DEFAULT 8
#define LIMIT_WAITING ((size_t)20000)
#define LIMIT_LISTEN_STREAMS ((size_t)256)
#define LIMIT_BACKLOG (32 * MIB)

/* Consent: how long a question stands, in both eras; spent states remembered. */
#define LIMIT_CONSENT_MS ((int64_t)300000)
#define LIMIT_SPENT_STATES 1024

/* Surfaces. */
#define LIMIT_TOOLS ((size_t)200)
#define LIMIT_LIST_PAGE ((size_t)500)
#define LIMIT_RESOURCES ((size_t)200)
#define LIMIT_SURFACES ((size_t)64)
#define LIMIT_ROOTS ((size_t)64)

/* Regular expressions: bytes of a pattern; what one search may take: steps, nested choices, and
 * memory in KiB. */
#define LIMIT_REGEX_PATTERN ((size_t)16 * KIB)
#define LIMIT_REGEX_STEPS ((uint32_t)1000000)
#define LIMIT_REGEX_DEPTH ((uint32_t)200000)
#define LIMIT_REGEX_HEAP_KIB ((uint32_t)65536)

/* The index of a git repository, which a program writes: its bytes, one name, the folders that
 * matter, and all that is found, together: version 4 can repeat a long name in a few bytes, and
 * would have us keep it a million times. */
#define LIMIT_INDEX_BYTES (128 * MIB)
#define LIMIT_INDEX_NAME ((size_t)4096)
#define LIMIT_INDEX_FOLDERS ((size_t)100000)
#define LIMIT_INDEX_FOUND (16 * MIB)

/* What a plan may hold of a folder (`pin`): entries, bytes of files, nesting. */
#define LIMIT_PIN_ENTRIES ((size_t)100000)
#define LIMIT_PIN_BYTES ((int64_t)4 << 30)
#define LIMIT_PIN_DEPTH 128

#endif
