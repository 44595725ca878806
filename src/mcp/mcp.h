/* SPDX-License-Identifier: MIT */
#ifndef MCP_MCP_H
#define MCP_MCP_H

/*
 * MCP over stdio, both eras: lines in, lines out. Framing, JSON-RPC, which era a message belongs
 * to, the methods, and how an outcome becomes one line. The source of the rules is the protocol
 * digest (specs/protocol.md; section numbers in the comments are that document's).
 *
 * Not here: what a tool is (surface/), whether a call may run (call/), any file, any child.
 *
 * Invariants: stdout carries whole lines of one JSON object each and nothing else; one request,
 * one answer; nothing is remembered from one modern request to the next; a line never exceeds
 * LIMIT_FRAME_OUT; reading never stops because a tool runs.
 */

#include "base/err.h"
#include "base/loop.h"
#include "call/call.h"

struct mcp_server;

/*
 * Serves the host over in_fd and out_fd (borrowed, made non-blocking; out_fd is the private copy of
 * the original standard output). Installs the loop's turn-end hook. signal_fd becomes readable on
 * SIGTERM, SIGINT and SIGHUP, and on the death of a parent that cannot close our input; it is not
 * read. SIGPIPE is ignored from here on. Free the server before the host.
 */
struct mcp_server *mcp_server_new(
    struct host *host, struct loop *loop, int in_fd, int out_fd, int signal_fd) MUST_CHECK;
void mcp_server_free(struct mcp_server *server);

/* Turns the loop until the end of input, a signal, or a broken output, and sees the end through
 * (DESIGN §7): 0, or -1 when the loop itself failed. */
int mcp_serve(struct mcp_server *server, struct err *err) MUST_CHECK;

#endif
