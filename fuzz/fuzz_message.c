/* SPDX-License-Identifier: MIT */
/*
 * What a client writes, up to where a host would be needed: bytes into lines, lines into messages,
 * requests into eras. The first byte chooses the session and how the stream is cut into reads.
 *
 * Beside crashes: the lines do not depend on the cut, a refusal says why, a message that is passed
 * on has what its kind promises.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/mcp_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool is_so)
{
	if (!is_so)
		abort();
}

static void decide(struct mcp_message *message, const struct mcp_session *session, bool in_batch)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf key = BUF_INIT;
	struct mcp_request request = { 0 };

	mcp_id_add_key(&key, message->id);
	demand(key.len > 0);
	if (mcp_era_decide(session, message, in_batch, &request, &err) < 0) {
		demand(err_info(err.code)->rpc_code != 0 && err.message != NULL);
		return;
	}
	demand(request.method != NULL && request.waiter.revision != NULL);
	demand(
	    request.waiter.revision->is_modern == mcp_message_is_modern(json_root(&message->doc)));
	demand(request.token == NULL || mcp_id_is_valid(request.token));
}

static void handle(const char *line, size_t len, const struct mcp_session *session, bool in_batch)
{
	cleanup_mcp_message struct mcp_message message = MCP_MESSAGE_INIT;

	mcp_message_read(&message, xmemdupz(line, len), len);
	switch (message.kind) {
	case MCP_REQUEST:
		demand(message.id != NULL && message.method != NULL);
		decide(&message, session, in_batch);
		break;
	case MCP_NOTIFICATION:
		demand(message.id == NULL && message.method != NULL);
		(void)mcp_notification_find(message.method);
		break;
	case MCP_BATCH:
		if (in_batch)
			break;
		json_foreach (item, json_root(&message.doc)) {
			handle(item->raw, item->raw_len, session, true);
		}
		break;
	case MCP_RESPONSE:
	case MCP_IGNORED:
		break;
	case MCP_REFUSED:
		demand(err_info(message.err.code)->rpc_code != 0 && message.err.message != NULL);
		break;
	}
}

/* Cuts the stream into reads of step bytes; seen receives the lines, one a line. */
static void run(const uint8_t *data, size_t size, size_t step, const struct mcp_session *session,
    struct buf *seen)
{
	struct mcp_frames frames = MCP_FRAMES_INIT;
	enum mcp_frame frame;
	const char *line = NULL;
	size_t len = 0;

	for (size_t i = 0; i <= size; i += step) {
		size_t n = size - i < step ? size - i : step;

		memcpy(mcp_frames_reserve(&frames, n), data + i, n);
		if (n > 0)
			mcp_frames_commit(&frames, n);
		if (size - i < step)
			mcp_frames_end(&frames);
		while ((frame = mcp_frames_next(&frames, &line, &len)) != MCP_FRAME_NONE) {
			demand(frame != MCP_FRAME_TOO_LONG && len > 0);
			buf_add(seen, line, len);
			buf_addc(seen, '\n');
			if (session != NULL)
				handle(line, len, session, false);
		}
	}
	demand(mcp_frames_pending(&frames) == 0);
	mcp_frames_release(&frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_buf struct buf seen = BUF_INIT;
	cleanup_buf struct buf seen_whole = BUF_INIT;
	struct mcp_session session = { 0 };
	unsigned choice;

	if (size == 0)
		return 0;
	choice = data[0];
	if (choice % 8 < MCP_REVISIONS - 1)
		session.revision = &mcp_revisions[choice % 8];
	session.can_ask = true;
	run(data + 1, size - 1, 1 + choice / 8, &session, &seen);
	run(data + 1, size - 1, size, NULL, &seen_whole);
	demand(seen.len == seen_whole.len &&
	       (seen.len == 0 || memcmp(seen.data, seen_whole.data, seen.len) == 0));
	return 0;
}
