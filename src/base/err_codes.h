/* SPDX-License-Identifier: MIT */
#ifndef BASE_ERR_CODES_H
#define BASE_ERR_CODES_H

#include <stdbool.h>

/*
 * The one table of error codes. A row is the only place to touch: the enum, the wire name, the
 * JSON-RPC mapping, the exit code, retryability and docs/errors.md all come from it.
 *
 *   enum          wire name       JSON-RPC code (0: a tool result with isError)
 *                                 exit code   retryable by default   what it means
 *
 * Wire names are stable for ever (DESIGN §5, surfaces.md §6, plan-deploy.md §1.5). Codes that a
 * surface file defines for its program are text and travel as ERR_PROGRAM_FAILED plus that text.
 */
#define ERR_CODES(X)                                                                               \
	X(ERR_NONE, "NONE", 0, 0, false, "No error.")                                              \
	/* Faults of the message itself: protocol errors. */                                       \
	X(ERR_PARSE, "PARSE_ERROR", -32700, 2, false, "The text is not JSON (or not YAML).")       \
	X(ERR_INVALID_REQUEST, "INVALID_REQUEST", -32600, 2, false,                                \
	    "The JSON is no valid request: bad id, wrong version, duplicate key, too large.")      \
	X(ERR_METHOD_NOT_FOUND, "METHOD_NOT_FOUND", -32601, 2, false, "There is no such method.")  \
	X(ERR_INVALID_PARAMS, "INVALID_PARAMS", -32602, 2, false,                                  \
	    "The method's parameters are malformed, or name something that does not exist.")       \
	X(ERR_TOOL_NOT_FOUND, "TOOL_NOT_FOUND", -32602, 12, false,                                 \
	    "No such tool, or none that this caller may see: the two answer alike.")               \
	X(ERR_RESOURCE_NOT_FOUND, "RESOURCE_NOT_FOUND", -32602, 12, false,                         \
	    "No such resource, or none that this caller may read (-32002 before 2026-07-28).")     \
	X(ERR_UNSUPPORTED_VERSION, "UNSUPPORTED_VERSION", -32022, 2, false,                        \
	    "The request names a protocol version that is not served.")                            \
	X(ERR_CAPABILITY_MISSING, "CAPABILITY_MISSING", -32021, 11, false,                         \
	    "The request needs a client capability that was not declared.")                        \
	X(ERR_STATE_INVALID, "REQUEST_STATE_INVALID", -32602, 11, false,                           \
	    "The requestState was edited, is foreign, or belongs to another call.")                \
	X(ERR_STATE_EXPIRED, "REQUEST_STATE_EXPIRED", -32602, 11, false,                           \
	    "The requestState is too old; the person must be asked again.")                        \
	X(ERR_STATE_SPENT, "REQUEST_STATE_SPENT", -32602, 11, false,                               \
	    "The requestState has been used once already.")                                        \
	X(ERR_INTERNAL, "INTERNAL", -32603, 1, false, "A fault of the server itself.")             \
	/* What a gate says about a well-formed call: tool results. */                             \
	X(ERR_INVALID_ARGUMENT, "INVALID_ARGUMENT", 0, 2, false,                                   \
	    "An argument does not fit; the message names it by JSON pointer.")                     \
	X(ERR_SURFACE_UNTRUSTED, "SURFACE_UNTRUSTED", 0, 11, false,                                \
	    "The surface file or its program is not trusted, or changed since it was.")            \
	X(ERR_SURFACE_INVALID, "SURFACE_INVALID", 0, 40, false,                                    \
	    "The surface file has an error, or cannot be proved safe.")                            \
	X(ERR_SCOPE_UNAVAILABLE, "SCOPE_UNAVAILABLE", 0, 11, true,                                 \
	    "What this caller may do could not be established.")                                   \
	X(ERR_WRITE_DISABLED, "WRITE_DISABLED", 0, 11, false,                                      \
	    "The tool writes, and the server was not started with --allow-write for it.")          \
	X(ERR_WRITE_DECLINED, "WRITE_DECLINED", 0, 11, false, "A person said no.")                 \
	X(ERR_WRITE_CANCELLED, "WRITE_CANCELLED", 0, 11, false, "The question was cancelled.")     \
	X(ERR_WRITE_TIMEOUT, "WRITE_TIMEOUT", 0, 11, true,                                         \
	    "Nobody answered the question in time.")                                               \
	X(ERR_WRITE_CONFIRMATION_UNAVAILABLE, "WRITE_CONFIRMATION_UNAVAILABLE", 0, 11, false,      \
	    "The tool needs a person's yes, and nobody can be asked.")                             \
	X(ERR_MASKED_CONTENT, "MASKED_CONTENT", 0, 2, false,                                       \
	    "The value holds a redaction mask; writing it back would destroy the original.")       \
	X(ERR_REPOSITORY_UNTRUSTED, "REPOSITORY_UNTRUSTED", 0, 11, false,                          \
	    "The repository names programs or reaches outside, and its folder is not trusted.")    \
	X(ERR_LEDGER_UNAVAILABLE, "LEDGER_UNAVAILABLE", 0, 1, true,                                \
	    "The ledger cannot be written, so nothing is run.")                                    \
	X(ERR_OUTCOME_UNRECORDED, "OUTCOME_UNRECORDED", 0, 1, false,                               \
	    "The program ran, but its outcome could not be recorded.")                             \
	X(ERR_CANCELLED, "CANCELLED", 0, 1, false, "The call was cancelled.")                      \
	X(ERR_UNAVAILABLE, "UNAVAILABLE", 0, 1, true, "Too much is under way; try again later.")   \
	X(ERR_UNSUPPORTED, "UNSUPPORTED", 0, 2, false, "This version does not do that yet.")       \
	/* What the boundary says about a run. */                                                  \
	X(ERR_PROGRAM_NOT_FOUND, "PROGRAM_NOT_FOUND", 0, 12, false,                                \
	    "The program is not there, not executable, or stands where others could replace it.")  \
	X(ERR_PROGRAM_TOO_OLD, "PROGRAM_TOO_OLD", 0, 40, false,                                    \
	    "The program's version is outside what the tool needs.")                               \
	X(ERR_PROGRAM_FAILED, "PROGRAM_FAILED", 0, 1, false, "The program reported failure.")      \
	X(ERR_TIMEOUT, "TIMEOUT", 0, 60, true, "The program ran past its time limit.")             \
	X(ERR_OUTPUT_TOO_LARGE, "OUTPUT_TOO_LARGE", 0, 1, false,                                   \
	    "The output passed its bound; it is refused, never cut.")                              \
	X(ERR_BAD_OUTPUT, "BAD_OUTPUT", 0, 1, false,                                               \
	    "The program's output is not what the surface declares.")                              \
	/* What commands say. */                                                                   \
	X(ERR_USAGE, "USAGE", 0, 2, false, "The command line is wrong.")                           \
	X(ERR_NOT_FOUND, "NOT_FOUND", 0, 12, false, "There is no such thing.")                     \
	X(ERR_PERMISSION_DENIED, "PERMISSION_DENIED", 0, 11, false,                                \
	    "The operating system, an owner or mode check, or a grant of the vault refused.")      \
	X(ERR_CONFIGURATION, "CONFIGURATION_ERROR", 0, 40, false,                                  \
	    "A configuration file is malformed.")                                                  \
	X(ERR_CHECK_FAILED, "CHECK_FAILED", 0, 3, false, "A check found something wrong.")         \
	X(ERR_LIMIT, "LIMIT_EXCEEDED", 0, 1, false, "A bound of base/limits.h was passed.")        \
	X(ERR_IO, "IO_ERROR", 0, 1, false, "The operating system reported a failure.")             \
	/* What the vault says; words of other programs too, so surface files may use them. */     \
	X(ERR_ALREADY_EXISTS, "ALREADY_EXISTS", 0, 1, false,                                       \
	    "Something of that name is there already; nothing was replaced.")                      \
	X(ERR_CONFLICT, "CONFLICT", 0, 1, false,                                                   \
	    "The thing is in another state than the command expects; nothing was changed.")        \
	X(ERR_CONTENT_CORRUPT, "CONTENT_CORRUPT", 0, 1, false,                                     \
	    "Stored content is not what was stored: its hash differs. Restore a backup.")          \
	X(ERR_UNAUTHENTICATED, "UNAUTHENTICATED", 0, 10, false,                                    \
	    "There is no credential, or it is not valid (any more).")                              \
	/* What plans, policy, approvals and sessions say (plan-deploy.md 1.5). Exit 11: the */    \
	/* boundary said no, and nothing was changed; 3: the world or the record is another. */    \
	X(ERR_PLAN_INVALID, "PLAN_INVALID", 0, 3, false,                                           \
	    "The stored plan is of another version or place, or its records disagree.")            \
	X(ERR_PLAN_CORRUPT, "PLAN_CORRUPT", 0, 3, false, "The stored plan cannot be read.")        \
	X(ERR_PLAN_HASH_MISMATCH, "PLAN_HASH_MISMATCH", 0, 3, false,                               \
	    "The stored plan is not what was planned: its hash differs.")                          \
	X(ERR_PLAN_STALE, "PLAN_STALE", 0, 3, false,                                               \
	    "What would run or what it relies on has changed, or the plan has expired.")           \
	X(ERR_AUTHZ_DENIED, "AUTHZ_DENIED", 0, 11, false,                                          \
	    "The host's policy does not allow it, or denies it.")                                  \
	X(ERR_AUTHZ_UNAVAILABLE, "AUTHZ_UNAVAILABLE", 0, 11, true,                                 \
	    "Policy, approval or caller could not be read, so nothing is allowed.")                \
	X(ERR_AUTHZ_INVALID, "AUTHZ_INVALID", 0, 11, false,                                        \
	    "The policy is malformed or could be written by others, so nothing is allowed.")       \
	X(ERR_APPROVAL_REQUIRED, "APPROVAL_REQUIRED", 0, 11, false,                                \
	    "The policy wants a person's approval of this plan, and there is none.")               \
	X(ERR_APPROVAL_STALE, "APPROVAL_STALE", 0, 11, false,                                      \
	    "The approval is for another hash, action or target, or has expired.")                 \
	X(ERR_APPROVAL_INVALID, "APPROVAL_INVALID", 0, 11, false,                                  \
	    "The approval was edited, or the hash expected at approval is another.")               \
	X(ERR_IDEMPOTENCY_CONFLICT, "IDEMPOTENCY_CONFLICT", 0, 1, false,                           \
	    "The plan was begun under another hash.")                                              \
	X(ERR_SESSION_INVALID, "SESSION_INVALID", 0, 3, false,                                     \
	    "The stored session is of another version or has an unknown status.")                  \
	X(ERR_SESSION_CORRUPT, "SESSION_CORRUPT", 0, 3, false,                                     \
	    "The stored session does not hold together.")                                          \
	X(ERR_SESSION_INVALID_TRANSITION, "SESSION_INVALID_TRANSITION", 0, 3, false,               \
	    "The session has ended; it does not change any more.")                                 \
	X(ERR_SESSION_CONFLICT, "SESSION_CONFLICT", 0, 1, true,                                    \
	    "The session has another revision than the command expects; read it again.")

enum err_code {
#define ERR_ENUM(code, wire, rpc, exit, retry, text) code,
	ERR_CODES(ERR_ENUM)
#undef ERR_ENUM
	    ERR_CODE_COUNT,
	ERR_CODE_COMMON = ERR_ALREADY_EXISTS /* from here on, words of other programs as well */
};

/* One row of the table, for those who map codes. */
struct err_info {
	const char *wire;    /* stable name: `error_code` of a result, `code` of an envelope */
	int rpc_code;        /* JSON-RPC error code, or 0: a tool result with `isError` */
	int exit_code;       /* of a command that ends with it */
	bool is_retryable;   /* the same request, unchanged, may succeed later */
	const char *meaning; /* one sentence for docs/errors.md */
};

#endif
