/* SPDX-License-Identifier: MIT */
/*
 * Arrays of messages: one revision has them, 2025-03-26 (specs/protocol.md §2). The answers are
 * gathered and leave as one array when the slowest is there; notes of progress are sent alone.
 *
 * The array must stay below the bound of a line however many answers it gathers. So each member
 * that can be answered has a share kept free, enough for an error answer; an answer that would eat
 * into the shares of those still missing becomes an error itself (mcp_reply.c).
 */
#include "mcp/mcp_internal.h"

#include <stdlib.h>

/* What an error answer of ours takes beside the id. */
#define SHARE_BYTES ((size_t)768)

size_t mcp_batch_share(size_t id_len)
{
	return id_len + SHARE_BYTES;
}

/* Why the array is refused as a whole, or 0; *ret_reserve: the sum of the shares. */
static int check_batch(const struct mcp_session *session, const struct json *array,
    size_t *ret_reserve, struct err *err)
{
	size_t reserve = 0;

	if (array->len == 0)
		return err_set(err, ERR_INVALID_REQUEST, "the batch is empty");
	if (session->revision == NULL || !session->revision->has_batches)
		return err_set(err, ERR_INVALID_REQUEST,
		    "batches are not part of this protocol version; send one message a line");
	json_foreach (item, array) {
		const struct json *id = json_get(item, "id");

		if (mcp_message_is_modern(item))
			return err_set(err, ERR_INVALID_REQUEST,
			    "batches are not part of protocol version %s; send one message a line",
			    mcp_revision_modern()->name);
		reserve += mcp_batch_share(mcp_id_is_valid(id) ? id->raw_len : 0);
	}
	if (reserve > LIMIT_FRAME_OUT / 2)
		return err_set(err, ERR_INVALID_REQUEST,
		    "the batch has too many members to be answered in one line");
	*ret_reserve = reserve;
	return 0;
}

static void free_batch(struct mcp_batch *batch)
{
	buf_release(&batch->answers);
	free(batch);
}

void mcp_batch_close(struct mcp_server *server, struct mcp_batch *batch)
{
	struct buf *out = &server->output.buf;

	if (--batch->open > 0)
		return;
	if (batch->answers.len > 0) {
		buf_addc(out, '[');
		buf_add(out, batch->answers.data, batch->answers.len);
		buf_adds(out, "]\n");
	}
	free_batch(batch);
}

void mcp_batch_dispatch(struct mcp_server *server, struct mcp_message *message)
{
	const struct json *array = json_root(&message->doc);
	struct mcp_batch *batch;
	size_t reserve = 0;

	if (check_batch(&server->session, array, &reserve, &message->err) < 0) {
		mcp_dispatch_refuse(server, &(struct mcp_waiter){ 0 }, &message->err);
		return;
	}
	batch = xcalloc(1, sizeof(*batch));
	batch->answers = BUF_INIT;
	batch->open = 1;
	batch->reserve = reserve;
	json_foreach (item, array) {
		struct mcp_message member = MCP_MESSAGE_INIT;

		/* A member gets a document of its own: a call takes it along. */
		mcp_message_read(&member, xmemdupz(item->raw, item->raw_len), item->raw_len);
		mcp_dispatch_message(server, &member, batch);
	}
	mcp_batch_close(server, batch);
}
