/* SPDX-License-Identifier: MIT */
/* What a stage's CONTEXT.md grants: the refusals with their reason, then what it does grant. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/strvec.h"
#include "gate/gate.h"

static bool is_known(void *ctx, const char *tool)
{
	(void)ctx;
	return strcmp(tool, "a_tool") == 0 || strcmp(tool, "b_tool") == 0 ||
	       strcmp(tool, "c_tool") == 0;
}

static int read_text(const char *text, size_t len, struct strvec *tools, struct err *err)
{
	return gate_contract_read(text, len, is_known, NULL, tools, err);
}

/* Nothing is granted, for that one reason, and what stood in ret_tools before still does. */
static void refused_len(const char *text, size_t len, enum err_code code, const char *reason)
{
	cleanup_strvec struct strvec tools = STRVEC_INIT;
	cleanup_err struct err err = ERR_INIT;

	strvec_push(&tools, "untouched");
	assert_fails(read_text(text, len, &tools, &err), &err, code);
	assert_string_equal(err.message, reason);
	assert_int_equal(tools.len, 1);
	assert_string_equal(tools.items[0], "untouched");
}

static void refused(const char *text, const char *reason)
{
	refused_len(text, strlen(text), ERR_CONFIGURATION, reason);
}

static void without(const char *text, const char *reason)
{
	refused_len(text, strlen(text), ERR_NOT_FOUND, reason);
}

/* names: with a space after each. */
static void grants_len(const char *text, size_t len, const char *names)
{
	cleanup_strvec struct strvec tools = STRVEC_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf got = BUF_INIT;

	assert_ok(read_text(text, len, &tools, &err), &err);
	for (size_t i = 0; i < tools.len; i++)
		buf_addf(&got, "%s ", tools.items[i]);
	assert_string_equal(got.data, names);
}

static void grants(const char *text, const char *names)
{
	grants_len(text, strlen(text), names);
}

/* ---- refusals ---- */

static void without_front_matter_nothing_is_granted(void **state)
{
	static const char reason[] = "there is no front matter: the first line is not ---";

	(void)state;
	without("", reason);
	without("# Research\n", reason);
	without("\n---\nmcp: {tools: [a_tool]}\n---\n", reason);
	without(" ---\nmcp: {tools: [a_tool]}\n---\n", reason);
	without("----\nmcp: {tools: [a_tool]}\n---\n", reason);
	without("--- # c\nmcp: {tools: [a_tool]}\n---\n", reason);
	without("--\nmcp: {tools: [a_tool]}\n---\n", reason);
	without("--- {mcp: {tools: [a_tool]}}\n---\n", reason);
}

static void without_mcp_nothing_is_granted(void **state)
{
	static const char reason[] = "the front matter has no mcp";

	(void)state;
	without("---\n---\n", reason);
	without("---\n# a comment\n---\n", reason);
	without("---\ntitle: Research\nMcp: {tools: [a_tool]}\n---\n", reason);
	without("---\ninner: {mcp: {tools: [a_tool]}}\n---\n", reason);
	without("---\ntitle: x\n---\nmcp:\n  tools: [a_tool]\n", reason);
}

static void a_block_that_is_not_closed_grants_nothing(void **state)
{
	static const char reason[] = "line 1: the front matter is not closed: no later line is ---";

	(void)state;
	refused("---", reason);
	refused("---\n", reason);
	refused("---\nmcp: {tools: [a_tool]}\n", reason);
	refused("---\nmcp: {tools: [a_tool]}\n ---\n", reason);
	refused("---\nmcp: {tools: [a_tool]}\n----\n", reason);
	refused("---\nmcp: {tools: [a_tool]}\n...\n", reason);
	refused("---\nmcp: {tools: [a_tool]}\r---\r", reason);
}

static void what_is_not_utf_8_grants_nothing(void **state)
{
	(void)state;
	refused(
	    "---\nmcp: {tools: [a_tool]}\n---\ncaf\xe9\n", "line 4: the file is not valid UTF-8");
	refused(
	    "---\nmcp: {tools: [a_tool\xc0\xaf]}\n---\n", "line 2: the file is not valid UTF-8");
	refused("---\nmcp: {tools: [a_tool]}\n---\n\xed\xa0\x80",
	    "line 4: the file is not valid UTF-8");
	refused_len(
	    "\xff\xfe-\0-\0-\0\n\0", 10, ERR_CONFIGURATION, "line 1: the file is not valid UTF-8");
}

static void a_byte_order_mark_grants_nothing(void **state)
{
	(void)state;
	refused("\xef\xbb\xbf---\nmcp: {tools: [a_tool]}\n---\n",
	    "line 1: the file begins with a byte order mark; save it without one");
}

static void line_breaks_and_directions_that_people_do_not_see_grant_nothing(void **state)
{
	static const char *const marks[] = { "\xe2\x80\xa8", "\xe2\x80\xa9", "\xc2\x85", "\r",
		"\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\x8f", "\xd8\x9c" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		cleanup_free char *text =
		    xasprintf("---\n# nothing here%smcp: {tools: [a_tool]}\n---\n", marks[i]);

		refused(text,
		    "line 2: the front matter holds a line break or a direction mark that people "
		    "do not see");
	}
	/* The text below the block is nobody's authority. */
	grants("---\nmcp: {tools: [a_tool]}\n---\n\xe2\x80\xa8\xe2\x80\xae\r", "a_tool ");
}

static void what_makes_one_thing_two_grants_nothing(void **state)
{
	(void)state;
	refused("---\nx: &t [a_tool]\nmcp: {tools: *t}\n---\n",
	    "line 2, column 4: anchors are not supported");
	refused("---\nmcp: {tools: *t}\n---\n", "line 2, column 14: aliases are not supported");
	refused("---\nmcp:\n  tools: !!seq [a_tool]\n---\n",
	    "line 3, column 10: tags are not supported");
	refused("---\n<<: {mcp: {tools: [a_tool]}}\n---\n",
	    "line 2, column 1: merge keys are not supported");
	refused("---\nmcp: {tools: []}\nmcp: {tools: [a_tool]}\n---\n",
	    "line 3, column 1: duplicate key \"mcp\"");
	refused("---\nmcp:\n  tools: []\n  tools: [a_tool]\n---\n",
	    "line 4, column 3: duplicate key \"tools\"");
	refused("---\ntitle: a\ntitle: b\nmcp: {tools: [a_tool]}\n---\n",
	    "line 3, column 1: duplicate key \"title\"");
	refused("---\na: 1\n...\nmcp: {tools: [a_tool]}\n---\n",
	    "line 4, column 1: did not find expected <document start>");
}

static void a_block_that_is_no_yaml_grants_nothing(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_strvec struct strvec tools = STRVEC_INIT;
	static const char text[] = "---\nmcp: [\n---\n";

	(void)state;
	assert_fails(read_text(text, strlen(text), &tools, &err), &err, ERR_CONFIGURATION);
	assert_true(strncmp(err.message, "line ", 5) == 0);
}

static void a_wrong_type_grants_nothing(void **state)
{
	(void)state;
	refused("---\n[mcp]\n---\n", "line 2: the front matter is no mapping");
	refused("---\nmcp\n---\n", "line 2: the front matter is no mapping");
	refused("---\ntitle: x\nmcp:\n---\n", "line 3: mcp is no mapping");
	refused("---\nmcp: [a_tool]\n---\n", "line 2: mcp is no mapping");
	refused("---\nmcp: true\n---\n", "line 2: mcp is no mapping");
	refused("---\nmcp: {}\n---\n", "line 2: mcp has no list of tools");
	refused("---\nmcp:\n  tools:\n---\n", "line 3: mcp.tools is no list");
	refused("---\nmcp:\n  tools: a_tool\n---\n", "line 3: mcp.tools is no list");
	refused("---\nmcp:\n  tools: {a_tool: true}\n---\n", "line 3: mcp.tools is no list");
	refused("---\nmcp:\n  tools:\n    - a_tool\n    - 7\n---\n",
	    "line 5: mcp.tools holds what is no name of a tool");
	refused("---\nmcp:\n  tools:\n    - a_tool\n    -\n---\n",
	    "line 5: mcp.tools holds what is no name of a tool");
	refused("---\nmcp:\n  tools: [a_tool, [b_tool]]\n---\n",
	    "line 3: mcp.tools holds what is no name of a tool");
	refused("---\nmcp:\n  tools: [\"a_tool\\0\"]\n---\n",
	    "line 3: mcp.tools holds what is no name of a tool");
}

static void a_key_beside_tools_grants_nothing(void **state)
{
	(void)state;
	refused("---\nmcp:\n  tools: [a_tool]\n  deny: [a_tool]\n---\n",
	    "line 4: mcp has the key \"deny\", which this version does not know");
}

static void one_unknown_name_grants_nothing(void **state)
{
	(void)state;
	refused("---\nmcp:\n  tools:\n    - a_tool\n    - z_tool\n---\n",
	    "line 5: mcp.tools names \"z_tool\", and no known surface has such a tool");
	refused("---\nmcp:\n  tools: [A_TOOL]\n---\n",
	    "line 3: mcp.tools names \"A_TOOL\", and no known surface has such a tool");
	refused("---\nmcp:\n  tools: ['']\n---\n",
	    "line 3: mcp.tools names \"\", and no known surface has such a tool");
	refused("---\nmcp:\n  tools: ['a_tool ']\n---\n",
	    "line 3: mcp.tools names \"a_tool \", and no known surface has such a tool");
	/* What it quotes is visible and bounded. */
	refused("---\nmcp:\n  tools: [\"a_\xe2\x80\x8btool\\e[2J\"]\n---\n",
	    "line 3: mcp.tools names \"a_\\u{200B}tool\\u{001B}[2J\", and no known surface has "
	    "such "
	    "a tool");
	refused(
	    "---\nmcp:\n  tools:\n"
	    "    - xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	    "xxxxx\n---\n",
	    "line 4: mcp.tools names "
	    "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\","
	    " "
	    "and no known surface has such a tool");
}

static void a_name_twice_grants_nothing(void **state)
{
	(void)state;
	refused("---\nmcp:\n  tools:\n    - a_tool\n    - b_tool\n    - a_tool\n---\n",
	    "line 6: mcp.tools names \"a_tool\" twice");
	refused("---\nmcp:\n  tools: [a_tool, \"a\\x5ftool\"]\n---\n",
	    "line 3: mcp.tools names \"a_tool\" twice");
}

/* ---- bounds ---- */

/* A contract whose front matter, up to the closing line, has that many bytes. */
static void fill(struct buf *text, size_t len)
{
	buf_adds(text, "---\nmcp: {tools: [a_tool]}\n#");
	while (text->len + 1 < len)
		buf_addc(text, 'x');
	buf_adds(text, "\n---\n");
}

static void the_front_matter_is_bounded_and_what_follows_is_not_counted(void **state)
{
	cleanup_buf struct buf fits = BUF_INIT;
	cleanup_buf struct buf larger = BUF_INIT;

	(void)state;
	fill(&fits, GATE_FRONT_MATTER_MAX);
	for (size_t i = 0; i < 4096; i++)
		buf_adds(&fits, "what the stage is about\n");
	grants_len(fits.data, fits.len, "a_tool ");
	fill(&larger, GATE_FRONT_MATTER_MAX + 1);
	refused_len(larger.data, larger.len, ERR_CONFIGURATION,
	    "line 3: the front matter is larger than 16384 bytes");
}

static void the_file_is_bounded(void **state)
{
	cleanup_buf struct buf text = BUF_INIT;

	(void)state;
	buf_adds(&text, "---\nmcp: {tools: [a_tool]}\n---\n");
	while (text.len < GATE_CONTRACT_MAX)
		buf_addc(&text, 'x');
	grants_len(text.data, text.len, "a_tool ");
	buf_addc(&text, 'x');
	refused_len(
	    text.data, text.len, ERR_CONFIGURATION, "the file is larger than 1048576 bytes");
}

/* mcp's own values are six, and the other key and its list two. */
static void the_values_are_bounded(void **state)
{
	cleanup_buf struct buf text = BUF_INIT;
	size_t len;

	(void)state;
	buf_adds(&text, "---\nmcp: {tools: [a_tool]}\nx: [");
	for (size_t i = 0; i < GATE_FRONT_MATTER_NODES - 8; i++)
		buf_adds(&text, "y, ");
	len = text.len;
	buf_adds(&text, "]\n---\n");
	grants_len(text.data, text.len, "a_tool ");
	buf_truncate(&text, len);
	buf_adds(&text, "y]\n---\n");
	refused_len(text.data, text.len, ERR_CONFIGURATION,
	    "line 3, column 1517: the file has too many values");
}

static void the_depth_is_bounded(void **state)
{
	(void)state;
	grants("---\nmcp: {tools: [a_tool]}\nx: [[[[[[[]]]]]]]\n---\n", "a_tool ");
	refused("---\nmcp: {tools: [a_tool]}\nx: [[[[[[[[]]]]]]]]\n---\n",
	    "line 3, column 11: the file is nested too deep");
}

/* ---- what is granted ---- */

static void a_contract_grants_what_it_names_sorted(void **state)
{
	(void)state;
	grants("---\nmcp:\n  tools:\n    - c_tool\n    - a_tool\n    - b_tool\n---\n# Stage\n",
	    "a_tool b_tool c_tool ");
	grants("---\nmcp: {tools: ['a_tool', \"b_tool\"]}\n---", "a_tool b_tool ");
}

static void an_empty_list_is_a_contract_that_grants_nothing(void **state)
{
	(void)state;
	grants("---\nmcp: {tools: []}\n---\n", "");
}

static void other_keys_are_left_to_others(void **state)
{
	(void)state;
	grants("---\ntitle: Research\nowner: {name: ada, tags: [1, 2.5, null]}\n"
	       "mcp:\n  tools: [a_tool]\nanchor: '&x'\n---\n&x *x <<: {}\n",
	    "a_tool ");
}

static void lines_may_end_in_cr_lf_and_fences_in_blanks(void **state)
{
	(void)state;
	grants("---\r\nmcp:\r\n  tools:\r\n    - a_tool\r\n---\r\nbody\r\n", "a_tool ");
	grants("--- \nmcp:\n  tools: [a_tool]\n---\t \nbody\n", "a_tool ");
	refused("---\r\nmcp:\r\n  tools:\r\n    - z_tool\r\n---\r\n",
	    "line 4: mcp.tools names \"z_tool\", and no known surface has such a tool");
}

static void the_next_fence_closes_the_block(void **state)
{
	(void)state;
	without("---\ntitle: x\n---\nmcp: {tools: [a_tool]}\n---\n", "the front matter has no mcp");
	grants("---\nmcp: {tools: [a_tool]}\n---\n---\n---\n", "a_tool ");
}

static void names_are_unchecked_without_a_list_of_known_ones(void **state)
{
	static const char text[] = "---\nmcp: {tools: [z_tool, y_tool]}\n---\n";
	cleanup_strvec struct strvec tools = STRVEC_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(gate_contract_read(text, strlen(text), NULL, NULL, &tools, &err), &err);
	assert_int_equal(tools.len, 2);
	assert_string_equal(tools.items[0], "y_tool");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(without_front_matter_nothing_is_granted),
	cmocka_unit_test(without_mcp_nothing_is_granted),
	cmocka_unit_test(a_block_that_is_not_closed_grants_nothing),
	cmocka_unit_test(what_is_not_utf_8_grants_nothing),
	cmocka_unit_test(a_byte_order_mark_grants_nothing),
	cmocka_unit_test(line_breaks_and_directions_that_people_do_not_see_grant_nothing),
	cmocka_unit_test(what_makes_one_thing_two_grants_nothing),
	cmocka_unit_test(a_block_that_is_no_yaml_grants_nothing),
	cmocka_unit_test(a_wrong_type_grants_nothing),
	cmocka_unit_test(a_key_beside_tools_grants_nothing),
	cmocka_unit_test(one_unknown_name_grants_nothing),
	cmocka_unit_test(a_name_twice_grants_nothing),
	cmocka_unit_test(the_front_matter_is_bounded_and_what_follows_is_not_counted),
	cmocka_unit_test(the_file_is_bounded),
	cmocka_unit_test(the_values_are_bounded),
	cmocka_unit_test(the_depth_is_bounded),
	cmocka_unit_test(a_contract_grants_what_it_names_sorted),
	cmocka_unit_test(an_empty_list_is_a_contract_that_grants_nothing),
	cmocka_unit_test(other_keys_are_left_to_others),
	cmocka_unit_test(lines_may_end_in_cr_lf_and_fences_in_blanks),
	cmocka_unit_test(the_next_fence_closes_the_block),
	cmocka_unit_test(names_are_unchecked_without_a_list_of_known_ones),
};

UNIT_MAIN(tests)
