/* SPDX-License-Identifier: MIT */
/*
 * Which era a request belongs to, and whether its method exists there (specs/protocol.md §3).
 *
 * Decided anew for each message, never for the connection: clients are known to probe with
 * server/discover and to send initialize all the same, on one process. A modern `_meta` selects
 * the modern rules whatever happened before; nothing of a session is used for such a request.
 */
#include "mcp/mcp_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"

/* As much of a version as an error repeats. */
#define VERSION_BYTES ((size_t)200)

/* As much of a client's name as is looked at for secrets before its record (call_record.c), where it
 * is cut to what is kept. */
#define NAME_BYTES (64 * KIB)

void mcp_session_release(struct mcp_session *session)
{
	free(session->client_name);
	*session = (struct mcp_session){ 0 };
}

bool mcp_era_can_ask(const struct json *capabilities, const struct mcp_revision *revision)
{
	const struct json *elicitation = json_get(capabilities, "elicitation");

	if (!revision->has_titles || !json_is(elicitation, JSON_OBJECT))
		return false;
	/* {} means form; {"url": {}} alone means no form (§5). */
	return !revision->has_elicitation_modes || elicitation->len == 0 ||
	       json_is(json_get(elicitation, "form"), JSON_OBJECT);
}

char *mcp_era_client_name(const struct json *client_info)
{
	const struct json *name = json_get(client_info, "name");
	const char *text = json_text(name);

	return text != NULL ? xmemdupz(text, text_cut(text, name->len, NAME_BYTES)) : NULL;
}

/* ---- modern ---- */

static bool is_log_level(const struct json *node)
{
	static const char *const levels[] = { "debug", "info", "notice", "warning", "error",
		"critical", "alert", "emergency" };

	for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
		if (json_is_text(node, levels[i]))
			return true;
	}
	return false;
}

static bool is_client_info(const struct json *node)
{
	const struct json *name = json_get(node, "name");
	const struct json *version = json_get(node, "version");

	return json_is(node, JSON_OBJECT) && (name == NULL || json_is(name, JSON_STRING)) &&
	       (version == NULL || json_is(version, JSON_STRING));
}

/* The members of a modern `_meta`, in the order of §3 rule 1 and the table of §5. */
static int check_meta(const struct json *meta, struct err *err)
{
	const struct json *client = json_get(meta, MCP_KEY_CLIENT);
	const struct json *level = json_get(meta, MCP_KEY_LOG_LEVEL);
	const struct json *token = json_get(meta, "progressToken");

	if (!json_is(json_get(meta, MCP_KEY_VERSION), JSON_STRING))
		return err_set(
		    err, ERR_INVALID_PARAMS, "_meta: %s must be a string", MCP_KEY_VERSION);
	if (!json_is(json_get(meta, MCP_KEY_CAPABILITIES), JSON_OBJECT))
		return err_set(err, ERR_INVALID_PARAMS,
		    "_meta: %s is required and must be an object", MCP_KEY_CAPABILITIES);
	if (client != NULL && !is_client_info(client))
		return err_set(err, ERR_INVALID_PARAMS,
		    "_meta: %s must be an object with name and version", MCP_KEY_CLIENT);
	if (level != NULL && !is_log_level(level))
		return err_set(
		    err, ERR_INVALID_PARAMS, "_meta: %s is no log level", MCP_KEY_LOG_LEVEL);
	if (token != NULL && !mcp_id_is_valid(token))
		return err_set(
		    err, ERR_INVALID_PARAMS, "_meta: progressToken must be a string or an integer");
	return 0;
}

/* {"supported":["2026-07-28"],"requested":…}: the same list as discovery gives. */
static int refuse_version(const struct json *version, struct err *err)
{
	cleanup_buf struct buf data = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&data);

	json_write_object_begin(&w);
	json_write_key(&w, "supported");
	json_write_array_begin(&w);
	json_write_string(&w, mcp_revision_modern()->name);
	json_write_array_end(&w);
	json_write_key(&w, "requested");
	json_write_string_len(
	    &w, version->str, text_cut(version->str, version->len, VERSION_BYTES));
	json_write_object_end(&w);
	(void)err_set(err, ERR_UNSUPPORTED_VERSION,
	    "this protocol version is not served with _meta; use %s, or send initialize",
	    mcp_revision_modern()->name);
	return err_take_details(err, buf_detach(&data));
}

static int decide_modern(
    const struct mcp_message *message, struct mcp_request *request, struct err *err)
{
	const struct json *meta = message->meta;
	const struct json *version = json_get(meta, MCP_KEY_VERSION);

	if (check_meta(meta, err) < 0)
		return -1;
	if (!json_is_text(version, mcp_revision_modern()->name))
		return refuse_version(version, err);
	if (request->method == NULL || (request->method->states & MCP_MODERN) == 0)
		return err_set(
		    err, ERR_METHOD_NOT_FOUND, "no such method in %s", mcp_revision_modern()->name);
	request->waiter.revision = mcp_revision_modern();
	request->client_name = json_text(json_get(json_get(meta, MCP_KEY_CLIENT), "name"));
	request->can_ask =
	    mcp_era_can_ask(json_get(meta, MCP_KEY_CAPABILITIES), request->waiter.revision);
	request->token = json_get(meta, "progressToken");
	return 0;
}

/* ---- legacy ---- */

/* Clients that write null for "none" are understood. */
static const struct json *unless_null(const struct json *node)
{
	return json_is(node, JSON_NULL) ? NULL : node;
}

/* Does the method exist here and now? Rules 2 to 6. */
static int check_state(const struct mcp_session *session, const struct mcp_method *method,
    bool in_batch, struct err *err)
{
	unsigned states = method != NULL ? method->states : 0;

	if (states != 0 && (states & (MCP_BEFORE_SESSION | MCP_IN_SESSION)) == 0)
		return err_set(err, ERR_INVALID_PARAMS,
		    "params._meta with %s and %s is required for this method", MCP_KEY_VERSION,
		    MCP_KEY_CAPABILITIES);
	if (in_batch && states != 0 && (states & MCP_IN_BATCH) == 0)
		return err_set(err, ERR_INVALID_REQUEST, "this request must not stand in a batch");
	if ((states & MCP_BEFORE_SESSION) != 0)
		return 0;
	if (session->revision == NULL)
		return err_set(err, ERR_INVALID_PARAMS,
		    "no session yet: send initialize first, or give params._meta with %s \"%s\" "
		    "and "
		    "%s",
		    MCP_KEY_VERSION, mcp_revision_modern()->name, MCP_KEY_CAPABILITIES);
	if ((states & MCP_IN_SESSION) == 0)
		return err_set(err, ERR_METHOD_NOT_FOUND, "no such method");
	return 0;
}

static int decide_legacy(const struct mcp_session *session, const struct mcp_message *message,
    bool in_batch, struct mcp_request *request, struct err *err)
{
	const struct json *meta = unless_null(message->meta);
	const struct json *token = unless_null(json_get(meta, "progressToken"));

	if (check_state(session, request->method, in_batch, err) < 0)
		return -1;
	if (meta != NULL && meta->type != JSON_OBJECT)
		return err_set(err, ERR_INVALID_PARAMS, "params._meta must be an object");
	if (token != NULL && !mcp_id_is_valid(token))
		return err_set(
		    err, ERR_INVALID_PARAMS, "_meta: progressToken must be a string or an integer");
	request->waiter.revision =
	    session->revision != NULL ? session->revision : mcp_revision_latest_legacy();
	request->client_name = session->client_name;
	request->can_ask = session->can_ask;
	request->token = token;
	return 0;
}

int mcp_era_decide(const struct mcp_session *session, struct mcp_message *message, bool in_batch,
    struct mcp_request *ret_request, struct err *err)
{
	struct mcp_request request = {
		.message = message,
		.method = mcp_method_find(message->method),
		.waiter = { .id = message->id->raw, .id_len = message->id->raw_len },
	};
	bool is_modern = json_get(message->meta, MCP_KEY_VERSION) != NULL;
	int result = is_modern ? decide_modern(message, &request, err)
			       : decide_legacy(session, message, in_batch, &request, err);

	if (result == 0)
		*ret_request = request;
	return result;
}
