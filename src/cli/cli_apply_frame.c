/* SPDX-License-Identifier: MIT */
/* What the worker of an apply tells its front: a kind, a length, JSON text. Both are this very program,
 * so neither looks for more than a torn frame. */
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/limits.h"
#include "cli/cli_plans.h"

#define HEAD (1 + sizeof(uint32_t))

void apply_frame_write(int fd, enum apply_frame kind, const struct buf *json, bool may_drop)
{
	struct pollfd polled = { .fd = fd, .events = POLLOUT };
	cleanup_buf struct buf frame = BUF_INIT;
	uint32_t len = (uint32_t)json->len;

	buf_addc(&frame, (char)kind);
	buf_add(&frame, &len, sizeof(len));
	buf_add(&frame, json->data, json->len);
	/* What is ready takes a frame as short as those that may be dropped whole. */
	if (may_drop && (frame.len > PIPE_BUF || poll(&polled, 1, 0) <= 0))
		return;
	(void)!fd_write_all(fd, frame.data, frame.len);
}

int apply_frame_take(struct buf *bytes, enum apply_frame *ret_kind, struct json_doc *ret_doc)
{
	cleanup_err struct err ignored = ERR_INIT;
	uint32_t len;

	if (bytes->len < HEAD)
		return 0;
	memcpy(&len, bytes->data + 1, sizeof(len));
	if (len > bytes->len - HEAD)
		return 0;
	*ret_kind = (enum apply_frame)bytes->data[0];
	if (json_read_take(ret_doc, xmemdupz(bytes->data + HEAD, len), len, &ignored) < 0)
		return -1;
	buf_consume(bytes, HEAD + len);
	return 1;
}

/* ---- the last one ---- */

static void write_raw(struct json_writer *w, const char *name, const char *json, size_t len)
{
	if (len == 0)
		return;
	json_write_key(w, name);
	json_write_raw(w, json, len);
}

void apply_end_write(const struct cli *cli, const struct err *err, struct buf *ret_json)
{
	struct json_writer w = JSON_WRITER_INIT(ret_json);

	json_write_object_begin(&w);
	json_write_member_string(&w, "operation", cli->operation);
	write_raw(&w, "result", cli->result.data, cli->result.len);
	json_write_key(&w, "out");
	json_write_string_len(&w, cli->out.data, cli->out.len);
	if (err_is_set(err)) {
		json_write_member_string(&w, "code", err_info(err->code)->wire);
		json_write_member_string(&w, "own_code", cli->code);
		json_write_member_string(&w, "message", err->message);
		json_write_member_bool(&w, "retryable", err->retryable);
		if (err->details != NULL)
			write_raw(&w, "details", err->details, strlen(err->details));
	}
	json_write_object_end(&w);
}

static char *raw_of(const struct json *node)
{
	return node != NULL ? xmemdupz(node->raw, node->raw_len) : NULL;
}

static int read_error(const struct json *root, struct cli *cli, struct err *err)
{
	enum err_code code = err_find(json_text(json_get(root, "code")));
	char *details = raw_of(json_get(root, "details"));

	free(cli->code);
	cli->code = xstrdup(json_text(json_get(root, "own_code")));
	(void)err_set(err, code != ERR_CODE_COUNT ? code : ERR_INTERNAL, "%s",
	    json_text(json_get(root, "message")));
	err->retryable = json_is(json_get(root, "retryable"), JSON_TRUE);
	if (details != NULL)
		(void)err_take_details(err, details);
	return -1;
}

int apply_end_read(const struct json *root, struct cli *cli, struct err *err)
{
	const struct json *result = json_get(root, "result");
	const struct json *out = json_get(root, "out");
	const char *operation = json_text(json_get(root, "operation"));

	(void)strncpy(cli->operation, operation, sizeof(cli->operation) - 1);
	if (result != NULL)
		buf_add(&cli->result, result->raw, result->raw_len);
	buf_add(&cli->out, out->str, out->len);
	return json_get(root, "code") != NULL ? read_error(root, cli, err) : 0;
}
