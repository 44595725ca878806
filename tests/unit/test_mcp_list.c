/* SPDX-License-Identifier: MIT */
/* The prepared pages of tools/list: what each revision gets, cursors, and that bytes repeat. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "mcp/mcp_internal.h"

static struct tool tool_of(const char *name)
{
	return (struct tool){
		.name = xstrdup(name),
		.title = xstrdup("A \"title\""),
		.description = xstrdup("Does it.\nWell."),
		.input_schema = xstrdup("{\"type\":\"object\",\"properties\":{}}"),
		.output_schema = xstrdup("{\"type\":\"object\"}"),
		.effect = SURFACE_READ,
		.is_idempotent = true,
	};
}

static void tool_release(struct tool *tool)
{
	free(tool->name);
	free(tool->title);
	free(tool->description);
	free(tool->input_schema);
	free(tool->output_schema);
}

/* The one page of one tool as a document, its answer completed to a JSON object. */
static void read_page(const struct mcp_page *page, struct json_doc *doc)
{
	cleanup_err struct err err = ERR_INIT;
	struct buf text = BUF_INIT;
	size_t len;

	buf_adds(&text, "{\"id\":1");
	buf_add(&text, page->answer.data, page->answer.len);
	len = text.len;
	assert_ok(json_read_take(doc, buf_detach(&text), len, &err), &err);
}

static void assert_members(const char *revision, const char *const *has, const char *const *lacks)
{
	struct tool tool = tool_of("t");
	const struct tool *const tools[] = { &tool };
	struct mcp_pages pages = { 0 };
	cleanup_json struct json_doc doc = JSON_DOC_INIT;

	mcp_pages_make_tools(&pages, mcp_revision_find(revision), tools, 1);
	assert_int_equal(pages.len, 1);
	read_page(&pages.items[0], &doc);
	for (; *has != NULL; has++) {
		if (json_pointer(json_root(&doc), *has) == NULL)
			fail_msg("%s lacks %s", revision, *has);
	}
	for (; *lacks != NULL; lacks++) {
		if (json_pointer(json_root(&doc), *lacks) != NULL)
			fail_msg("%s has %s", revision, *lacks);
	}
	assert_null(memchr(pages.items[0].answer.data, '\n', pages.items[0].answer.len));
	mcp_pages_release(&pages);
	tool_release(&tool);
}

#define T "/result/tools/0"
#define BASIC T "/name", T "/description", T "/inputSchema/properties"
#define HINTS                                                                                      \
	T "/annotations/readOnlyHint", T "/annotations/destructiveHint",                           \
	    T "/annotations/idempotentHint", T "/annotations/openWorldHint",                       \
	    T "/annotations/title"
#define RICH T "/title", T "/outputSchema/type"
#define MODERN                                                                                     \
	"/result/resultType", "/result/ttlMs", "/result/cacheScope",                               \
	    "/result/_meta/io.modelcontextprotocol~1serverInfo/version"
#define NEVER T "/execution", T "/_meta", "/result/nextCursor"

static void each_revision_gets_what_it_knows_and_no_more(void **state)
{
	(void)state;
	assert_members("2024-11-05", (const char *const[]){ BASIC, NULL },
	    (const char *const[]){ T "/annotations", RICH, MODERN, NEVER, NULL });
	assert_members("2025-03-26", (const char *const[]){ BASIC, HINTS, NULL },
	    (const char *const[]){ RICH, MODERN, NEVER, NULL });
	assert_members("2025-06-18", (const char *const[]){ BASIC, HINTS, RICH, NULL },
	    (const char *const[]){ MODERN, NEVER, NULL });
	assert_members("2025-11-25", (const char *const[]){ BASIC, HINTS, RICH, NULL },
	    (const char *const[]){ MODERN, NEVER, NULL });
	assert_members("2026-07-28", (const char *const[]){ BASIC, HINTS, RICH, MODERN, NULL },
	    (const char *const[]){ NEVER, NULL });
}

static void hints_tell_the_effect(void **state)
{
	static const struct {
		enum surface_effect effect;
		bool is_read_only;
		bool is_destructive;
	} cases[] = {
		{ SURFACE_READ, true, false },
		{ SURFACE_WRITE, false, false },
		{ SURFACE_DESTROY, false, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct tool tool = tool_of("t");
		const struct tool *const tools[] = { &tool };
		struct mcp_pages pages = { 0 };
		cleanup_json struct json_doc doc = JSON_DOC_INIT;
		const struct json *hints;

		tool.effect = cases[i].effect;
		mcp_pages_make_tools(&pages, mcp_revision_latest_legacy(), tools, 1);
		read_page(&pages.items[0], &doc);
		hints = json_pointer(json_root(&doc), T "/annotations");
		assert_int_equal(
		    json_is(json_get(hints, "readOnlyHint"), JSON_TRUE), cases[i].is_read_only);
		assert_int_equal(json_is(json_get(hints, "destructiveHint"), JSON_TRUE),
		    cases[i].is_destructive);
		assert_true(json_is(json_get(hints, "idempotentHint"), JSON_TRUE));
		assert_true(json_is(json_get(hints, "openWorldHint"), JSON_FALSE));
		mcp_pages_release(&pages);
		tool_release(&tool);
	}
}

static void no_tools_are_one_empty_page(void **state)
{
	struct mcp_pages pages = { 0 };

	(void)state;
	mcp_pages_make_tools(&pages, mcp_revision_latest_legacy(), NULL, 0);
	assert_int_equal(pages.len, 1);
	assert_string_equal(pages.items[0].answer.data, ",\"result\":{\"tools\":[]}}");
	mcp_pages_release(&pages);
}

/* ---- many ---- */

struct many {
	struct tool *tools;
	const struct tool **list;
	size_t len;
};

static struct many many_of(size_t len)
{
	struct many many = { .len = len };

	many.tools = xcalloc(len, sizeof(*many.tools));
	many.list = xcalloc(len, sizeof(*many.list));
	for (size_t i = 0; i < len; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "tool_%zu", i);
		many.tools[i] = tool_of(name);
		many.list[i] = &many.tools[i];
	}
	return many;
}

static void many_release(struct many *many)
{
	for (size_t i = 0; i < many->len; i++)
		tool_release(&many->tools[i]);
	free(many->tools);
	free(many->list);
}

/* Walks by nextCursor; returns the number of tools met, in order; asserts that it ends. */
static size_t walk(const struct mcp_pages *pages, size_t *ret_pages)
{
	char *cursor = xstrdup("");
	size_t met = 0;

	for (*ret_pages = 0;;) {
		const struct mcp_page *page = mcp_pages_find(pages, cursor);
		cleanup_json struct json_doc doc = JSON_DOC_INIT;
		const struct json *next;

		assert_non_null(page);
		assert_true(++*ret_pages <= 64);
		read_page(page, &doc);
		json_foreach (tool, json_pointer(json_root(&doc), "/result/tools")) {
			char name[32];

			(void)snprintf(name, sizeof(name), "tool_%zu", met++);
			assert_true(json_is_text(json_get(tool, "name"), name));
		}
		next = json_pointer(json_root(&doc), "/result/nextCursor");
		free(cursor);
		if (next == NULL)
			return met;
		cursor = xstrdup(json_text(next));
		assert_non_null(cursor);
	}
}

static void a_walk_by_cursors_meets_every_tool_once_in_order(void **state)
{
	static const size_t lens[] = { 1, LIMIT_LIST_PAGE, LIMIT_LIST_PAGE + 1,
		3 * LIMIT_LIST_PAGE };
	static const size_t wanted[] = { 1, 1, 2, 3 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lens); i++) {
		struct many many = many_of(lens[i]);
		struct mcp_pages pages = { 0 };
		size_t pages_met;

		mcp_pages_make_tools(&pages, mcp_revision_modern(), many.list, many.len);
		assert_int_equal(walk(&pages, &pages_met), lens[i]);
		assert_int_equal(pages_met, wanted[i]);
		mcp_pages_release(&pages);
		many_release(&many);
	}
}

static void unknown_cursor_finds_no_page(void **state)
{
	struct many many = many_of(LIMIT_LIST_PAGE + 1);
	struct mcp_pages pages = { 0 };

	(void)state;
	mcp_pages_make_tools(&pages, mcp_revision_modern(), many.list, many.len);
	assert_null(mcp_pages_find(&pages, "1"));
	assert_null(mcp_pages_find(&pages, "ffffffffffffffff"));
	mcp_pages_release(&pages);
	many_release(&many);
}

static void cursor_of_a_boundary_that_moved_finds_no_page(void **state)
{
	struct many many = many_of(LIMIT_LIST_PAGE + 2);
	struct mcp_pages before = { 0 };
	struct mcp_pages after = { 0 };

	(void)state;
	mcp_pages_make_tools(&before, mcp_revision_modern(), many.list, many.len);
	mcp_pages_make_tools(&after, mcp_revision_modern(), many.list + 1, many.len - 1);
	assert_null(mcp_pages_find(&after, before.items[1].cursor));
	mcp_pages_release(&before);
	mcp_pages_release(&after);
	many_release(&many);
}

static void the_same_tools_give_the_same_bytes(void **state)
{
	struct many many = many_of(LIMIT_LIST_PAGE + 7);
	struct mcp_pages a = { 0 };
	struct mcp_pages b = { 0 };

	(void)state;
	mcp_pages_make_tools(&a, mcp_revision_modern(), many.list, many.len);
	mcp_pages_make_tools(&b, mcp_revision_modern(), many.list, many.len);
	assert_int_equal(a.len, b.len);
	for (size_t i = 0; i < a.len; i++) {
		assert_string_equal(a.items[i].cursor, b.items[i].cursor);
		assert_string_equal(a.items[i].answer.data, b.items[i].answer.data);
	}
	mcp_pages_release(&a);
	mcp_pages_release(&b);
	many_release(&many);
}

static void large_schemas_end_a_page_before_the_bound_of_a_line(void **state)
{
	struct many many = many_of(24);
	struct mcp_pages pages = { 0 };
	size_t pages_met;

	(void)state;
	for (size_t i = 0; i < many.len; i++) {
		struct buf schema = BUF_INIT;

		buf_adds(&schema, "{\"type\":\"object\",\"description\":\"");
		while (schema.len < 1 * MIB)
			buf_adds(&schema, "xxxxxxxxxxxxxxxx");
		buf_adds(&schema, "\"}");
		free(many.tools[i].input_schema);
		many.tools[i].input_schema = buf_detach(&schema);
	}
	mcp_pages_make_tools(&pages, mcp_revision_modern(), many.list, many.len);
	for (size_t i = 0; i < pages.len; i++)
		assert_true(pages.items[i].answer.len < LIMIT_FRAME_OUT / 2 + 1 * MIB);
	assert_int_equal(walk(&pages, &pages_met), many.len);
	assert_true(pages_met > 4);
	mcp_pages_release(&pages);
	many_release(&many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_cursor_finds_no_page),
		cmocka_unit_test(cursor_of_a_boundary_that_moved_finds_no_page),
		cmocka_unit_test(each_revision_gets_what_it_knows_and_no_more),
		cmocka_unit_test(hints_tell_the_effect),
		cmocka_unit_test(no_tools_are_one_empty_page),
		cmocka_unit_test(a_walk_by_cursors_meets_every_tool_once_in_order),
		cmocka_unit_test(the_same_tools_give_the_same_bytes),
		cmocka_unit_test(large_schemas_end_a_page_before_the_bound_of_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
