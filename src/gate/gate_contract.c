/* SPDX-License-Identifier: MIT */
/*
 * The contract of a stage: bytes of a CONTEXT.md in, names of tools or one reason out. A contract is
 * authority and may come from anywhere, so whatever two readers (people among them) could read in
 * two ways grants nothing.
 */
#include "gate/gate.h"

#include <string.h>

#include "base/text.h"
#include "base/yaml.h"
#include "json/json.h"

#define FENCE "---"
#define NAME_SHOWN ((size_t)80) /* bytes of a name that a reason quotes */

static const struct yaml_limits front_matter_limits = {
	.max_bytes = GATE_FRONT_MATTER_MAX,
	.max_nodes = GATE_FRONT_MATTER_NODES,
	.max_depth = GATE_FRONT_MATTER_DEPTH,
};

/* The front matter as JSON, and where in the file its values stood. */
struct front {
	struct buf json;
	struct yaml_marks marks;
	struct json_doc doc;
};

#define FRONT_INIT ((struct front){ .json = BUF_INIT })

static void front_release(struct front *front)
{
	json_doc_release(&front->doc);
	yaml_marks_release(&front->marks);
	buf_release(&front->json);
}
#define cleanup_front __attribute__((cleanup(front_release)))

/* ---- reasons ---- */

static size_t line_of(const char *text, size_t at)
{
	size_t line = 1;

	for (size_t i = 0; i < at; i++)
		line += text[i] == '\n';
	return line;
}

static int refuse_line(size_t line, const char *what, struct err *err)
{
	return err_set(err, ERR_CONFIGURATION, "line %zu: %s", line, what);
}

static int refuse_node(
    const struct front *front, const struct json *node, const char *what, struct err *err)
{
	const struct yaml_mark *mark =
	    yaml_marks_find(&front->marks, (size_t)(node->raw - front->json.data));

	return refuse_line(mark != NULL ? mark->line : 1, what, err);
}

/* The same about a text of the file, which is quoted. */
static int refuse_text(const struct front *front, const struct json *node, const char *before,
    const char *after, struct err *err)
{
	cleanup_buf struct buf what = BUF_INIT;

	buf_addf(&what, "%s\"", before);
	text_add_visible(&what, node->str, text_cut(node->str, node->len, NAME_SHOWN));
	buf_addf(&what, "%s\"%s", node->len > NAME_SHOWN ? "…" : "", after);
	return refuse_node(front, node, what.data, err);
}

/* ---- the block ---- */

/* A line, without its end, that opens or closes the block. */
static bool is_fence(const char *line, size_t len)
{
	if (len > 0 && line[len - 1] == '\r')
		len--;
	while (len > strlen(FENCE) && (line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	return len == strlen(FENCE) && memcmp(line, FENCE, len) == 0;
}

static size_t line_len(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);

	return end != NULL ? (size_t)(end - text) : len;
}

/* Where the line that closes the block begins; 0: it is not there. */
static size_t find_close(const char *text, size_t len)
{
	size_t at = line_len(text, len) + 1;

	while (at < len) {
		size_t line = line_len(text + at, len - at);

		if (is_fence(text + at, line))
			return at;
		at += line + 1;
	}
	return 0;
}

static int check_utf8(const char *text, size_t len, struct err *err)
{
	size_t step;

	for (size_t at = 0; at < len; at += step) {
		uint32_t codepoint = 0;

		step = text_decode(text + at, len - at, &codepoint);
		if (step == 0)
			return refuse_line(line_of(text, at), "the file is not valid UTF-8", err);
	}
	return 0;
}

/* What YAML breaks lines at and editors do not, and what makes text run the other way. */
static bool is_deceptive(uint32_t codepoint)
{
	return codepoint == '\r' || codepoint == 0x85 || codepoint == 0x2028 ||
	       codepoint == 0x2029 || codepoint == 0x61c || codepoint == 0x200e ||
	       codepoint == 0x200f || (codepoint >= 0x202a && codepoint <= 0x202e) ||
	       (codepoint >= 0x2066 && codepoint <= 0x2069);
}

/* text is valid UTF-8; a CR before the end of a line is part of it. */
static int check_deceptive(const char *text, size_t len, struct err *err)
{
	size_t step;

	for (size_t at = 0; at < len; at += step) {
		uint32_t codepoint = 0;

		step = text_decode(text + at, len - at, &codepoint);
		if (codepoint == '\r' && at + 1 < len && text[at + 1] == '\n')
			continue;
		if (is_deceptive(codepoint))
			return refuse_line(line_of(text, at),
			    "the front matter holds a line break or a direction mark that people "
			    "do not see",
			    err);
	}
	return 0;
}

/* *ret_len: bytes before the line that closes the block. */
static int find_block(const char *text, size_t len, size_t *ret_len, struct err *err)
{
	size_t close;

	if (len > GATE_CONTRACT_MAX)
		return err_set(
		    err, ERR_CONFIGURATION, "the file is larger than %zu bytes", GATE_CONTRACT_MAX);
	if (check_utf8(text, len, err) < 0)
		return -1;
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		return refuse_line(
		    1, "the file begins with a byte order mark; save it without one", err);
	if (!is_fence(text, line_len(text, len)))
		return err_set(
		    err, ERR_NOT_FOUND, "there is no front matter: the first line is not ---");
	close = find_close(text, len);
	if (close == 0)
		return refuse_line(1, "the front matter is not closed: no later line is ---", err);
	if (close > GATE_FRONT_MATTER_MAX)
		return err_set(err, ERR_CONFIGURATION,
		    "line %zu: the front matter is larger than %zu bytes",
		    line_of(text, GATE_FRONT_MATTER_MAX), GATE_FRONT_MATTER_MAX);
	*ret_len = close;
	return check_deceptive(text, close, err);
}

/* The line that opens the block begins a document in YAML too, so lines are counted from it. */
static int read_block(const char *text, size_t len, struct front *front, struct err *err)
{
	if (yaml_read(text, len, &front_matter_limits, &front->json, &front->marks, err) < 0 ||
	    json_read(&front->doc, front->json.data, front->json.len, err) < 0) {
		err->code = ERR_CONFIGURATION;
		return -1;
	}
	return 0;
}

/* ---- what it says ---- */

static int read_tool(const struct front *front, const struct json *item, gate_known_fn is_known,
    void *ctx, struct strvec *tools, struct err *err)
{
	const char *name = json_text(item);

	if (name == NULL)
		return refuse_node(front, item, "mcp.tools holds what is no name of a tool", err);
	if (strvec_contains(tools, name))
		return refuse_text(front, item, "mcp.tools names ", " twice", err);
	if (is_known != NULL && !is_known(ctx, name))
		return refuse_text(
		    front, item, "mcp.tools names ", ", and no known surface has such a tool", err);
	strvec_push(tools, name);
	return 0;
}

/* The list of tools; NULL with err. A key that restricts, and that we do not know, would be lost:
 * nothing is granted then. */
static const struct json *find_tools(
    const struct front *front, const struct json *mcp, struct err *err)
{
	const struct json *list = NULL;

	if (!json_is(mcp, JSON_OBJECT)) {
		(void)refuse_node(front, mcp, "mcp is no mapping", err);
		return NULL;
	}
	json_foreach_member (key, value, mcp) {
		if (!json_is_text(key, "tools")) {
			(void)refuse_text(front, key, "mcp has the key ",
			    ", which this version does not know", err);
			return NULL;
		}
		list = value;
	}
	if (list == NULL) {
		(void)refuse_node(front, mcp, "mcp has no list of tools", err);
		return NULL;
	}
	if (json_is(list, JSON_ARRAY))
		return list;
	(void)refuse_node(front, list, "mcp.tools is no list", err);
	return NULL;
}

static int read_tools(const struct front *front, gate_known_fn is_known, void *ctx,
    struct strvec *tools, struct err *err)
{
	const struct json *root = json_root(&front->doc);
	const struct json *mcp = json_get(root, "mcp");
	const struct json *list;

	if (!json_is(root, JSON_OBJECT) && !json_is(root, JSON_NULL))
		return refuse_node(front, root, "the front matter is no mapping", err);
	if (mcp == NULL)
		return err_set(err, ERR_NOT_FOUND, "the front matter has no mcp");
	list = find_tools(front, mcp, err);
	if (list == NULL)
		return -1;
	json_foreach (item, list) {
		if (read_tool(front, item, is_known, ctx, tools, err) < 0)
			return -1;
	}
	strvec_sort(tools);
	return 0;
}

int gate_contract_read(const char *text, size_t len, gate_known_fn is_known, void *ctx,
    struct strvec *ret_tools, struct err *err)
{
	cleanup_front struct front front = FRONT_INIT;
	cleanup_strvec struct strvec tools = STRVEC_INIT;
	size_t block = 0;

	if (find_block(text, len, &block, err) < 0 || read_block(text, block, &front, err) < 0 ||
	    read_tools(&front, is_known, ctx, &tools, err) < 0)
		return -1;
	strvec_release(ret_tools);
	*ret_tools = tools;
	tools = STRVEC_INIT;
	return 0;
}
