/* SPDX-License-Identifier: MIT */
/* A line into a message, and the decision which era it belongs to: tables of cases. */
#include "unit.h"

#include <string.h>

#include "mcp/mcp_internal.h"

static void read_text(struct mcp_message *message, const char *text)
{
	mcp_message_read(message, xstrdup(text), strlen(text));
}

static const char *kind_name(enum mcp_kind kind)
{
	static const char *const names[] = { "request", "notification", "batch", "response",
		"ignored", "refused" };

	return names[kind];
}

/* ---- lines ---- */

struct line_case {
	const char *line;
	enum mcp_kind kind;
	enum err_code code;
	const char *id; /* that an answer would carry */
};

static void assert_case(const struct line_case *c)
{
	cleanup_mcp_message struct mcp_message message = MCP_MESSAGE_INIT;
	const char *id = NULL;
	char *copy;

	read_text(&message, c->line);
	if (message.kind != c->kind || message.err.code != c->code)
		fail_msg("%s: %s %s, not %s %s", c->line, kind_name(message.kind),
		    err_info(message.err.code)->wire, kind_name(c->kind), err_info(c->code)->wire);
	copy = message.id != NULL ? xmemdupz(message.id->raw, message.id->raw_len) : xstrdup("-");
	id = c->id != NULL ? c->id : "-";
	if (strcmp(copy, id) != 0)
		fail_msg("%s: id %s, not %s", c->line, copy, id);
	free(copy);
}

static void assert_cases(const struct line_case *cases, size_t len)
{
	for (size_t i = 0; i < len; i++)
		assert_case(&cases[i]);
}

#define REQUEST_OF(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"

static void text_that_is_no_json_is_a_parse_error_without_id(void **state)
{
	static const struct line_case cases[] = {
		{ "{", MCP_REFUSED, ERR_PARSE, NULL },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"", MCP_REFUSED, ERR_PARSE,
		    NULL },
		{ "{\"id\":1}{\"id\":2}", MCP_REFUSED, ERR_PARSE, NULL },
		{ "{\"id\":1,\"a\":\"\xff\"}", MCP_REFUSED, ERR_PARSE, NULL },
		{ "{\"id\":1,\"a\":\"\xed\xa0\x80\"}", MCP_REFUSED, ERR_PARSE, NULL },
		{ "{\"id\":1,\"a\":\"\x01\"}", MCP_REFUSED, ERR_PARSE, NULL },
		{ "{\"id\":1,\"a\":NaN}", MCP_REFUSED, ERR_PARSE, NULL },
		{ "hello", MCP_REFUSED, ERR_PARSE, NULL },
	};

	(void)state;
	assert_cases(cases, ARRAY_LEN(cases));
}

static void header_of_another_framing_is_told_so(void **state)
{
	static const char *const lines[] = { "Content-Length: 76", "content-type: x" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		cleanup_mcp_message struct mcp_message message = MCP_MESSAGE_INIT;

		read_text(&message, lines[i]);
		assert_int_equal(message.err.code, ERR_PARSE);
		assert_non_null(strstr(message.err.message, "newline-delimited"));
	}
}

static void too_deep_is_a_parse_error(void **state)
{
	cleanup_mcp_message struct mcp_message message = MCP_MESSAGE_INIT;
	char *text = xcalloc(200001, 1);

	(void)state;
	memset(text, '[', 100000);
	memset(text + 100000, ']', 100000);
	mcp_message_read(&message, text, 200000);
	assert_int_equal(message.kind, MCP_REFUSED);
	assert_int_equal(message.err.code, ERR_PARSE);
}

static void invalid_request_is_refused_with_its_id_when_that_is_good(void **state)
{
	static const struct line_case cases[] = {
		{ "{\"id\":1,\"method\":\"ping\"}", MCP_REFUSED, ERR_INVALID_REQUEST, "1" },
		{ "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", MCP_REFUSED,
		    ERR_INVALID_REQUEST, "1" },
		{ "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}", MCP_REFUSED,
		    ERR_INVALID_REQUEST, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", MCP_REFUSED, ERR_INVALID_REQUEST,
		    "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1}", MCP_REFUSED, ERR_INVALID_REQUEST, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", MCP_REFUSED,
		    ERR_INVALID_REQUEST, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ping\",\"params\":\"p\"}",
		    MCP_REFUSED, ERR_INVALID_REQUEST, "\"x\"" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":null}", MCP_REFUSED,
		    ERR_INVALID_REQUEST, "1" },
		{ "{}", MCP_REFUSED, ERR_INVALID_REQUEST, NULL },
		{ "42", MCP_REFUSED, ERR_INVALID_REQUEST, NULL },
		{ "\"x\"", MCP_REFUSED, ERR_INVALID_REQUEST, NULL },
		{ "null", MCP_REFUSED, ERR_INVALID_REQUEST, NULL },
		{ "true", MCP_REFUSED, ERR_INVALID_REQUEST, NULL },
	};

	(void)state;
	assert_cases(cases, ARRAY_LEN(cases));
}

static void duplicate_key_is_refused_whole(void **state)
{
	static const struct line_case cases[] = {
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", MCP_REFUSED,
		    ERR_INVALID_REQUEST, NULL },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"name\":\"a\","
		  "\"na\\u006de\":\"b\"}}",
		    MCP_REFUSED, ERR_INVALID_REQUEST, NULL },
	};
	cleanup_mcp_message struct mcp_message message = MCP_MESSAGE_INIT;

	(void)state;
	assert_cases(cases, ARRAY_LEN(cases));
	read_text(&message, "{\"secret_word\":1,\"secret_word\":2}");
	assert_null(strstr(message.err.message, "secret_word"));
}

static void id_of_a_wrong_kind_is_refused_without_id(void **state)
{
	static const struct line_case cases[] = {
		{ REQUEST_OF("null"), MCP_REFUSED, ERR_INVALID_REQUEST, NULL },
		{ REQUEST_OF("1.5"), MCP_REFUSED, ERR_INVALID_REQUEST, NULL },
		{ REQUEST_OF("1e-1"), MCP_REFUSED, ERR_INVALID_REQUEST, NULL },
		{ REQUEST_OF("1e999999"), MCP_REFUSED, ERR_INVALID_REQUEST, NULL },
		{ REQUEST_OF("true"), MCP_REFUSED, ERR_INVALID_REQUEST, NULL },
		{ REQUEST_OF("{}"), MCP_REFUSED, ERR_INVALID_REQUEST, NULL },
		{ REQUEST_OF("[1]"), MCP_REFUSED, ERR_INVALID_REQUEST, NULL },
	};

	(void)state;
	assert_cases(cases, ARRAY_LEN(cases));
}

static void id_past_the_limit_is_refused_without_id(void **state)
{
	cleanup_mcp_message struct mcp_message message = MCP_MESSAGE_INIT;
	struct buf text = BUF_INIT;
	size_t len;

	(void)state;
	buf_adds(&text, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":\"");
	for (size_t i = 0; i < LIMIT_ID; i++)
		buf_addc(&text, 'x');
	buf_adds(&text, "\"}");
	len = text.len;
	mcp_message_read(&message, buf_detach(&text), len);
	assert_int_equal(message.kind, MCP_REFUSED);
	assert_null(message.id);
}

static void ids_are_kept_byte_for_byte(void **state)
{
	static const struct line_case cases[] = {
		{ REQUEST_OF("0"), MCP_REQUEST, ERR_NONE, "0" },
		{ REQUEST_OF("-1"), MCP_REQUEST, ERR_NONE, "-1" },
		{ REQUEST_OF("-0"), MCP_REQUEST, ERR_NONE, "-0" },
		{ REQUEST_OF("1.0"), MCP_REQUEST, ERR_NONE, "1.0" },
		{ REQUEST_OF("1e3"), MCP_REQUEST, ERR_NONE, "1e3" },
		{ REQUEST_OF("9007199254740993"), MCP_REQUEST, ERR_NONE, "9007199254740993" },
		{ REQUEST_OF("123456789012345678901234567890"), MCP_REQUEST, ERR_NONE,
		    "123456789012345678901234567890" },
		{ REQUEST_OF("\"\""), MCP_REQUEST, ERR_NONE, "\"\"" },
		{ REQUEST_OF("\"1\""), MCP_REQUEST, ERR_NONE, "\"1\"" },
		{ REQUEST_OF("\"\\u0041\\/\""), MCP_REQUEST, ERR_NONE, "\"\\u0041\\/\"" },
		{ REQUEST_OF("\"\\ud800\""), MCP_REQUEST, ERR_NONE, "\"\\ud800\"" },
		{ REQUEST_OF("\"\\u0000\""), MCP_REQUEST, ERR_NONE, "\"\\u0000\"" },
	};

	(void)state;
	assert_cases(cases, ARRAY_LEN(cases));
}

static void text_no_program_can_take_is_refused_outside_ids_and_arguments(void **state)
{
	static const struct line_case cases[] = {
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\\u0000\"}", MCP_REFUSED,
		    ERR_INVALID_REQUEST, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"\\ud800\":1}", MCP_REFUSED,
		    ERR_INVALID_REQUEST, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"name\":\"\\ud800\"}"
		  "}",
		    MCP_REFUSED, ERR_INVALID_REQUEST, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"_meta\":"
		  "{\"k\":[\"\\u0000\"]}}}",
		    MCP_REFUSED, ERR_INVALID_REQUEST, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"name\":\"n\","
		  "\"arguments\":{\"a\":\"\\ud800\",\"\\u0000\":1}}}",
		    MCP_REQUEST, ERR_NONE, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"name\":\"\\ud800\","
		  "\"arguments\":{\"a\":\"\\ud800\"}}}",
		    MCP_REFUSED, ERR_INVALID_REQUEST, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":\"\\ud800\",\"method\":\"x\",\"params\":{\"_meta\":"
		  "{\"progressToken\":\"\\ud800\"}}}",
		    MCP_REQUEST, ERR_NONE, "\"\\ud800\"" },
		{ "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"requestId\":\"\\ud800\"}}",
		    MCP_NOTIFICATION, ERR_NONE, NULL },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\ud83c\\udf78\"}", MCP_REQUEST,
		    ERR_NONE, "1" },
	};

	(void)state;
	assert_cases(cases, ARRAY_LEN(cases));
}

static void notifications_and_responses_are_never_answered(void **state)
{
	static const struct line_case cases[] = {
		{ "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\"}", MCP_NOTIFICATION, ERR_NONE,
		    NULL },
		{ "{\"jsonrpc\":\"1.0\",\"method\":\"x\"}", MCP_IGNORED, ERR_INVALID_REQUEST,
		    NULL },
		{ "{\"jsonrpc\":\"2.0\",\"method\":5}", MCP_IGNORED, ERR_INVALID_REQUEST, NULL },
		{ "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":[]}", MCP_IGNORED,
		    ERR_INVALID_REQUEST, NULL },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", MCP_RESPONSE, ERR_NONE, NULL },
		{ "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{}}", MCP_RESPONSE, ERR_NONE, NULL },
		{ "{\"result\":1}", MCP_RESPONSE, ERR_NONE, NULL },
	};

	(void)state;
	assert_cases(cases, ARRAY_LEN(cases));
}

static void arrays_are_batches(void **state)
{
	static const struct line_case cases[] = {
		{ "[]", MCP_BATCH, ERR_NONE, NULL },
		{ "[1]", MCP_BATCH, ERR_NONE, NULL },
	};

	(void)state;
	assert_cases(cases, ARRAY_LEN(cases));
}

/* ---- keys of ids ---- */

static char *key_of(const char *text)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	struct buf key = BUF_INIT;
	struct err err = ERR_INIT;

	assert_ok(json_read(&doc, text, strlen(text), &err), &err);
	assert_true(mcp_id_is_valid(json_root(&doc)));
	mcp_id_add_key(&key, json_root(&doc));
	return buf_detach(&key);
}

static void assert_keys(const char *a, const char *b, bool is_same)
{
	char *key_a = key_of(a);
	char *key_b = key_of(b);

	if ((strcmp(key_a, key_b) == 0) != is_same)
		fail_msg("%s and %s: %s %s", a, b, key_a, key_b);
	free(key_a);
	free(key_b);
}

static void ids_match_by_type_and_value(void **state)
{
	(void)state;
	assert_keys("1", "\"1\"", false);
	assert_keys("1", "10", false);
	assert_keys("1", "-1", false);
	assert_keys("9007199254740993", "9007199254740992", false);
	assert_keys("\"\\ud800\"", "\"\\ud801\"", false);
	assert_keys("\"a\"", "\"A\"", false);
	assert_keys("1", "1.0", true);
	assert_keys("1000", "1e3", true);
	assert_keys("0", "-0", true);
	assert_keys("\"A\"", "\"\\u0041\"", true);
}

/* ---- eras ---- */

#define META_OK                                                                                    \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define META(version, rest)                                                                        \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":" version rest "}"
#define CAPS ",\"io.modelcontextprotocol/clientCapabilities\":{}"

/* The session a message meets: none, or of that revision. */
struct era_case {
	const char *session;
	const char *method;
	const char *params;
	bool in_batch;
	enum err_code code;   /* ERR_NONE: decided */
	const char *revision; /* of the answer */
};

static void assert_era(const struct era_case *c)
{
	cleanup_mcp_message struct mcp_message message = MCP_MESSAGE_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf line = BUF_INIT;
	struct mcp_session session = { 0 };
	struct mcp_request request = { 0 };
	int result;

	if (c->session != NULL)
		session.revision = mcp_revision_find(c->session);
	buf_addf(&line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s}}",
	    c->method, c->params);
	read_text(&message, line.data);
	assert_int_equal(message.kind, MCP_REQUEST);
	result = mcp_era_decide(&session, &message, c->in_batch, &request, &err);
	if (err.code != c->code || (result == 0) != (c->code == ERR_NONE))
		fail_msg("%s %s in %s: %s (%s), not %s", c->method, c->params,
		    c->session ? c->session : "no session", err_info(err.code)->wire,
		    err.message ? err.message : "", err_info(c->code)->wire);
	if (result == 0)
		assert_string_equal(request.waiter.revision->name, c->revision);
}

static void the_era_is_decided_for_each_message(void **state)
{
	static const struct era_case cases[] = {
		/* rule 1: a modern _meta decides, whatever happened before */
		{ NULL, "tools/list", META_OK, false, ERR_NONE, "2026-07-28" },
		{ NULL, "tools/call", META_OK, false, ERR_NONE, "2026-07-28" },
		{ "2025-06-18", "tools/list", META_OK, false, ERR_NONE, "2026-07-28" },
		{ NULL, "server/discover", META_OK, false, ERR_NONE, "2026-07-28" },
		{ "2025-11-25", "subscriptions/listen", META_OK, false, ERR_NONE, "2026-07-28" },
		{ "2025-11-25", "ping", META_OK, false, ERR_METHOD_NOT_FOUND, NULL },
		{ NULL, "initialize", META_OK, false, ERR_METHOD_NOT_FOUND, NULL },
		{ NULL, "logging/setLevel", META_OK, false, ERR_METHOD_NOT_FOUND, NULL },
		{ NULL, "tasks/list", META_OK, false, ERR_METHOD_NOT_FOUND, NULL },
		{ NULL, "prompts/list", META_OK, false, ERR_METHOD_NOT_FOUND, NULL },
		{ NULL, "", META_OK, false, ERR_METHOD_NOT_FOUND, NULL },
		{ NULL, "__proto__", META_OK, false, ERR_METHOD_NOT_FOUND, NULL },
		{ NULL, "tools/list", META("7", CAPS), false, ERR_INVALID_PARAMS, NULL },
		{ NULL, "tools/list", META("null", CAPS), false, ERR_INVALID_PARAMS, NULL },
		{ NULL, "tools/list", META("\"2026-07-28\"", ""), false, ERR_INVALID_PARAMS, NULL },
		{ NULL, "tools/list",
		    META("\"2026-07-28\"", ",\"io.modelcontextprotocol/clientCapabilities\":[]"),
		    false, ERR_INVALID_PARAMS, NULL },
		{ NULL, "tools/list", META("\"2027-01-01\"", CAPS), false, ERR_UNSUPPORTED_VERSION,
		    NULL },
		{ "2025-11-25", "tools/list", META("\"2025-11-25\"", CAPS), false,
		    ERR_UNSUPPORTED_VERSION, NULL },
		{ NULL, "server/discover", META("\"\"", CAPS), false, ERR_UNSUPPORTED_VERSION,
		    NULL },
		{ NULL, "tools/list",
		    META("\"2026-07-28\"", CAPS ",\"io.modelcontextprotocol/clientInfo\":\"x\""),
		    false, ERR_INVALID_PARAMS, NULL },
		{ NULL, "tools/list",
		    META("\"2026-07-28\"",
			CAPS ",\"io.modelcontextprotocol/clientInfo\":{\"name\":1}"),
		    false, ERR_INVALID_PARAMS, NULL },
		{ NULL, "tools/list",
		    META("\"2026-07-28\"", CAPS ",\"io.modelcontextprotocol/logLevel\":\"loud\""),
		    false, ERR_INVALID_PARAMS, NULL },
		{ NULL, "tools/list",
		    META("\"2026-07-28\"", CAPS ",\"io.modelcontextprotocol/logLevel\":\"debug\""),
		    false, ERR_NONE, "2026-07-28" },
		{ NULL, "tools/list", META("\"2026-07-28\"", CAPS ",\"progressToken\":1.5"), false,
		    ERR_INVALID_PARAMS, NULL },
		{ NULL, "tools/list", META("\"2026-07-28\"", CAPS ",\"unknown\":{}"), false,
		    ERR_NONE, "2026-07-28" },
		/* rule 2: modern methods without it start no session */
		{ NULL, "server/discover", "", false, ERR_INVALID_PARAMS, NULL },
		{ "2025-11-25", "server/discover", "", false, ERR_INVALID_PARAMS, NULL },
		{ NULL, "subscriptions/listen", "\"_meta\":{}", false, ERR_INVALID_PARAMS, NULL },
		{ NULL, "server/discover", "\"_meta\":7", false, ERR_INVALID_PARAMS, NULL },
		/* rules 3 and 4: handshake and ping, at any time */
		{ NULL, "initialize", "", false, ERR_NONE, "2025-11-25" },
		{ "2024-11-05", "initialize", "", false, ERR_NONE, "2024-11-05" },
		{ NULL, "ping", "", false, ERR_NONE, "2025-11-25" },
		{ "2025-03-26", "ping", "", true, ERR_NONE, "2025-03-26" },
		/* rule 5: a session's own revision */
		{ "2024-11-05", "tools/list", "", false, ERR_NONE, "2024-11-05" },
		{ "2025-06-18", "tools/call", "", false, ERR_NONE, "2025-06-18" },
		{ "2025-11-25", "prompts/list", "", false, ERR_METHOD_NOT_FOUND, NULL },
		{ "2025-11-25", "logging/setLevel", "", false, ERR_METHOD_NOT_FOUND, NULL },
		{ "2025-11-25", "tasks/get", "", false, ERR_METHOD_NOT_FOUND, NULL },
		{ "2025-11-25", "tools/List", "", false, ERR_METHOD_NOT_FOUND, NULL },
		{ "2025-11-25", "notifications/cancelled", "", false, ERR_METHOD_NOT_FOUND, NULL },
		{ "2025-11-25", "tools/list", "\"_meta\":\"x\"", false, ERR_INVALID_PARAMS, NULL },
		{ "2025-11-25", "tools/list", "\"_meta\":{\"progressToken\":{}}", false,
		    ERR_INVALID_PARAMS, NULL },
		{ "2025-11-25", "tools/list", "\"_meta\":{\"progressToken\":null}", false, ERR_NONE,
		    "2025-11-25" },
		{ "2025-11-25", "tools/list", "\"_meta\":null", false, ERR_NONE, "2025-11-25" },
		/* rule 6: neither */
		{ NULL, "tools/list", "", false, ERR_INVALID_PARAMS, NULL },
		{ NULL, "tools/call", "\"name\":\"x\"", false, ERR_INVALID_PARAMS, NULL },
		{ NULL, "no/such", "", false, ERR_INVALID_PARAMS, NULL },
		/* batches */
		{ "2025-03-26", "initialize", "", true, ERR_INVALID_REQUEST, NULL },
		{ "2025-03-26", "tools/list", "", true, ERR_NONE, "2025-03-26" },
		{ "2025-03-26", "no/such", "", true, ERR_METHOD_NOT_FOUND, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_era(&cases[i]);
}

static void unsupported_version_names_what_is_supported_and_what_was_asked(void **state)
{
	cleanup_mcp_message struct mcp_message message = MCP_MESSAGE_INIT;
	cleanup_err struct err err = ERR_INIT;
	struct mcp_session session = { 0 };
	struct mcp_request request = { 0 };

	(void)state;
	read_text(
	    &message, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" META(
			  "\"1\\\"2\"", CAPS) "}}");
	assert_fails(mcp_era_decide(&session, &message, false, &request, &err), &err,
	    ERR_UNSUPPORTED_VERSION);
	assert_string_equal(
	    err.details, "{\"supported\":[\"2026-07-28\"],\"requested\":\"1\\\"2\"}");
}

static void no_session_names_both_ways_in(void **state)
{
	cleanup_mcp_message struct mcp_message message = MCP_MESSAGE_INIT;
	cleanup_err struct err err = ERR_INIT;
	struct mcp_session session = { 0 };
	struct mcp_request request = { 0 };

	(void)state;
	read_text(&message, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
	assert_fails(
	    mcp_era_decide(&session, &message, false, &request, &err), &err, ERR_INVALID_PARAMS);
	assert_non_null(strstr(err.message, "initialize"));
	assert_non_null(strstr(err.message, "2026-07-28"));
}

static void nothing_of_a_session_is_used_for_a_modern_request(void **state)
{
	cleanup_mcp_message struct mcp_message message = MCP_MESSAGE_INIT;
	cleanup_err struct err err = ERR_INIT;
	char name[] = "session client";
	struct mcp_session session = {
		.revision = mcp_revision_latest_legacy(),
		.is_initialized = true,
		.can_ask = true,
		.client_name = name,
	};
	struct mcp_request request = { 0 };

	(void)state;
	read_text(&message,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{" META_OK "}}");
	assert_ok(mcp_era_decide(&session, &message, false, &request, &err), &err);
	assert_false(request.can_ask);
	assert_null(request.client_name);
}

static void elicitation_counts_when_form_is_declared(void **state)
{
	static const struct {
		const char *capabilities;
		const char *revision;
		bool can_ask;
	} cases[] = {
		{ "{}", "2026-07-28", false },
		{ "{\"elicitation\":true}", "2025-11-25", false },
		{ "{\"elicitation\":{\"url\":{}}}", "2026-07-28", false },
		{ "{\"elicitation\":{}}", "2024-11-05", false },
		{ "{\"elicitation\":{}}", "2025-03-26", false },
		{ "{\"elicitation\":{}}", "2025-06-18", true },
		{ "{\"elicitation\":{}}", "2026-07-28", true },
		{ "{\"elicitation\":{\"form\":{}}}", "2025-11-25", true },
		{ "{\"elicitation\":{\"form\":{},\"url\":{}}}", "2026-07-28", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cleanup_json struct json_doc doc = JSON_DOC_INIT;
		cleanup_err struct err err = ERR_INIT;

		assert_ok(
		    json_read(&doc, cases[i].capabilities, strlen(cases[i].capabilities), &err),
		    &err);
		assert_int_equal(
		    mcp_era_can_ask(json_root(&doc), mcp_revision_find(cases[i].revision)),
		    cases[i].can_ask);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_that_is_no_json_is_a_parse_error_without_id),
		cmocka_unit_test(header_of_another_framing_is_told_so),
		cmocka_unit_test(too_deep_is_a_parse_error),
		cmocka_unit_test(invalid_request_is_refused_with_its_id_when_that_is_good),
		cmocka_unit_test(duplicate_key_is_refused_whole),
		cmocka_unit_test(id_of_a_wrong_kind_is_refused_without_id),
		cmocka_unit_test(id_past_the_limit_is_refused_without_id),
		cmocka_unit_test(text_no_program_can_take_is_refused_outside_ids_and_arguments),
		cmocka_unit_test(notifications_and_responses_are_never_answered),
		cmocka_unit_test(ids_are_kept_byte_for_byte),
		cmocka_unit_test(arrays_are_batches),
		cmocka_unit_test(ids_match_by_type_and_value),
		cmocka_unit_test(the_era_is_decided_for_each_message),
		cmocka_unit_test(unsupported_version_names_what_is_supported_and_what_was_asked),
		cmocka_unit_test(no_session_names_both_ways_in),
		cmocka_unit_test(nothing_of_a_session_is_used_for_a_modern_request),
		cmocka_unit_test(elicitation_counts_when_form_is_declared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
