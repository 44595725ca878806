/* SPDX-License-Identifier: MIT */
/*
 * One line into a JSON-RPC message (specs/protocol.md §2): request, notification, array, something
 * to ignore, or something to refuse. Nothing here knows methods, eras or sessions. Messages of
 * errors name no content of the line.
 */
#include "mcp/mcp_internal.h"

#include <string.h>
#include <strings.h>

#define BAD_TEXT (JSON_LONE_SURROGATE | JSON_HAS_NUL)

void mcp_message_release(struct mcp_message *message)
{
	json_doc_release(&message->doc);
	err_release(&message->err);
	*message = MCP_MESSAGE_INIT;
}

static void refuse(struct mcp_message *message, enum err_code code, const char *text)
{
	message->kind = MCP_REFUSED;
	(void)err_set(&message->err, code, "%s", text);
}

/* True when the line is a header as in LSP or HTTP framing (clients.md Q4). */
static bool is_header(const char *text, size_t len)
{
	return len > strlen("Content-") && strncasecmp(text, "Content-", strlen("Content-")) == 0;
}

/* What the reader could not read. Its words are kept where they cannot quote the line. */
static void refuse_unread(struct mcp_message *message, const struct err *err, bool has_header)
{
	if (err->code == ERR_INVALID_REQUEST)
		refuse(message, ERR_INVALID_REQUEST, "an object in the message has a key twice");
	else if (err->code != ERR_PARSE)
		refuse(message, ERR_INVALID_REQUEST, "the message holds too many values");
	else if (has_header)
		refuse(message, ERR_PARSE,
		    "a header is no message: this transport is newline-delimited JSON, one "
		    "message a line, without Content-Length");
	else
		refuse(message, ERR_PARSE,
		    err->message != NULL ? err->message : "the line is not JSON");
}

/* True when text that no program can take stands below an object, outside the members to skip. */
static bool has_bad_member(const struct json *object, const char *const *skip)
{
	json_foreach_member (key, value, object) {
		bool is_skipped = false;

		if ((key->flags & BAD_TEXT) != 0)
			return true;
		for (size_t i = 0; skip[i] != NULL && !is_skipped; i++)
			is_skipped = json_is_text(key, skip[i]);
		if (!is_skipped && (value->flags & BAD_TEXT) != 0)
			return true;
	}
	return false;
}

/*
 * Lone surrogates and NULs are refused wherever they stand but in ids, which are only echoed, and
 * in the arguments of a call, which are refused there with their pointer.
 */
static bool has_bad_text(const struct json *root)
{
	static const char *const top_skip[] = { "id", "params", NULL };
	static const char *const params_skip[] = { "arguments", "requestId", "_meta", NULL };
	static const char *const meta_skip[] = { "progressToken", NULL };
	const struct json *params = json_get(root, "params");
	const struct json *meta = json_get(params, "_meta");

	if ((root->flags & BAD_TEXT) == 0)
		return false;
	if (has_bad_member(root, top_skip))
		return true;
	if (params == NULL || (params->flags & BAD_TEXT) == 0)
		return false;
	if (params->type != JSON_OBJECT || has_bad_member(params, params_skip))
		return true;
	if (meta == NULL || (meta->flags & BAD_TEXT) == 0)
		return false;
	return meta->type != JSON_OBJECT || has_bad_member(meta, meta_skip);
}

/* NULL, or what is wrong with an object that is no response. */
static const char *find_fault(const struct json *root, const struct json *id)
{
	const struct json *method = json_get(root, "method");
	const struct json *params = json_get(root, "params");

	if (id != NULL && !mcp_id_is_valid(id))
		return "id must be a string or an integer, of reasonable length";
	if (!json_is_text(json_get(root, "jsonrpc"), "2.0"))
		return "jsonrpc must be \"2.0\"";
	if (!json_is(method, JSON_STRING))
		return "method must be a string";
	if (params != NULL && params->type != JSON_OBJECT)
		return "params must be an object";
	if (has_bad_text(root))
		return "the message holds a lone surrogate or a NUL character, which no program "
		       "can take";
	return NULL;
}

static void read_object(struct mcp_message *message, const struct json *root)
{
	const struct json *id = json_get(root, "id");
	const struct json *method = json_get(root, "method");
	const char *fault;

	if (method == NULL && (json_get(root, "result") || json_get(root, "error"))) {
		message->kind = MCP_RESPONSE;
		return;
	}
	if (mcp_id_is_valid(id))
		message->id = id;
	fault = find_fault(root, id);
	if (fault != NULL) {
		refuse(message, ERR_INVALID_REQUEST, fault);
		/* A notification is never answered, however malformed it is. */
		if (id == NULL && method != NULL)
			message->kind = MCP_IGNORED;
		return;
	}
	message->kind = id != NULL ? MCP_REQUEST : MCP_NOTIFICATION;
	message->method = json_text(method);
	message->params = json_get(root, "params");
	message->meta = json_get(message->params, "_meta");
}

void mcp_message_read(struct mcp_message *message, char *text, size_t len)
{
	cleanup_err struct err err = ERR_INIT;
	bool has_header = is_header(text, len);
	const struct json *root;

	*message = MCP_MESSAGE_INIT;
	if (json_read_take(&message->doc, text, len, &err) < 0) {
		refuse_unread(message, &err, has_header);
		return;
	}
	root = json_root(&message->doc);
	if (root->type == JSON_OBJECT)
		read_object(message, root);
	else if (root->type == JSON_ARRAY)
		message->kind = MCP_BATCH;
	else
		refuse(message, ERR_INVALID_REQUEST, "a message is a JSON object");
}

bool mcp_message_is_modern(const struct json *node)
{
	const struct json *meta = json_get(json_get(node, "params"), "_meta");

	return json_get(meta, MCP_KEY_VERSION) != NULL;
}
