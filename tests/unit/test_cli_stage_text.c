/* SPDX-License-Identifier: MIT */
/* What a stage's text declares: what is no declaration, then paths and where they lead. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli_stage_text.h"

/* "in1 in2 | out1 " of text. */
static void declares_len(const char *text, size_t len, const char *wanted)
{
	struct stage_text declared = { 0 };
	cleanup_buf struct buf got = BUF_INIT;

	stage_text_read(text, len, &declared);
	for (size_t i = 0; i < declared.inputs.len; i++)
		buf_addf(&got, "%s ", declared.inputs.items[i]);
	buf_adds(&got, "| ");
	for (size_t i = 0; i < declared.outputs.len; i++)
		buf_addf(&got, "%s ", declared.outputs.items[i]);
	assert_string_equal(got.data, wanted);
	stage_text_release(&declared);
}

static void declares(const char *text, const char *wanted)
{
	declares_len(text, strlen(text), wanted);
}

static void what_is_no_item_with_a_path_declares_nothing(void **state)
{
	static const char with_nul[] = "## Inputs\n\0 `a`\n- `\0b`\n";

	(void)state;
	declares("", "| ");
	declares("- `a`\n", "| ");
	declares("## Inputs\n`a`\n", "| ");
	declares("## Inputs\n- none\n- ``\n- `a\n-`a`\n-- `a`\n1 `a`\n12. b\n", "| ");
	declares("## Inputs to come\n- `a`\n", "| ");
	declares("##Inputs\n- `a`\n", "| ");
	declares("# Inputs\n- `a`\n", "| ");
	declares("### Inputs\n- `a`\n", "| ");
	declares("####### Inputs\n- `a`\n", "| ");
	declares("## \n- `a`\n##", "| ");
	declares_len(with_nul, sizeof(with_nul) - 1, " | ");
}

static void what_stands_in_front_matter_or_code_is_no_declaration(void **state)
{
	(void)state;
	declares("---\n## Inputs\n- `a`\n---\n- `b`\n", "| ");
	declares("## Inputs\n```\n- `a`\n```\n- `b`\n", "b | ");
	declares("## Inputs\n   ~~~ text\n- `a`\n## Outputs\n~~~\n- `b`\n", "b | ");
	/* A block that is not closed is no block. */
	declares("---\n## Inputs\n- `a`\n", "a | ");
}

static void a_section_ends_at_the_next_heading_of_its_level_or_above(void **state)
{
	(void)state;
	declares("## Inputs\n- `a`\n### From others\n- `b`\n## Process\n- `c`\n", "a b | ");
	declares("## Inputs\n- `a`\n# Other\n- `b`\n", "a | ");
	declares("## Inputs\n- `a`\n## Outputs\n- `b`\n## Inputs\n- `c`\n", "a c | b ");
}

static void items_of_lists_declare_their_first_path(void **state)
{
	(void)state;
	declares("## Inputs\n- `a b.md`: what `c` says\n* the file `d`\n+ `e`\n1. `f`\n2) `g`\n"
		 "  - `h`\n\t- `i`\n",
	    "a b.md d e f g h i | ");
	declares("---\nmcp: {}\n---\r\n## INPUTS  \r\n- `a`\r\n## outputs\r\n- `b`", "a | b ");
}

static void leads(const char *path, const char *wanted)
{
	cleanup_free char *got = stage_path("stages/01-a", path);

	if (wanted == NULL)
		assert_null(got);
	else
		assert_string_equal(got, wanted);
}

static void a_path_that_leads_out_of_the_workspace_is_none(void **state)
{
	(void)state;
	leads("../../..", NULL);
	leads("../../../stages/01-a/x", NULL);
	leads("/..", NULL);
	leads("/a/../../b", NULL);
}

static void paths_count_from_the_stage_or_from_the_workspace(void **state)
{
	(void)state;
	leads("output/x.md", "stages/01-a/output/x.md");
	leads("./output//x.md/", "stages/01-a/output/x.md");
	leads("../02-b/output/x.md", "stages/02-b/output/x.md");
	leads("../../shared/style.md", "shared/style.md");
	leads("/shared/style.md", "shared/style.md");
	leads("references/", "stages/01-a/references");
	leads("a/../b", "stages/01-a/b");
	leads("../..", "");
	leads("/", "");
	leads("", "stages/01-a");
	leads(".hidden/..x/...", "stages/01-a/.hidden/..x/...");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_is_no_item_with_a_path_declares_nothing),
	cmocka_unit_test(what_stands_in_front_matter_or_code_is_no_declaration),
	cmocka_unit_test(a_section_ends_at_the_next_heading_of_its_level_or_above),
	cmocka_unit_test(items_of_lists_declare_their_first_path),
	cmocka_unit_test(a_path_that_leads_out_of_the_workspace_is_none),
	cmocka_unit_test(paths_count_from_the_stage_or_from_the_workspace),
};

UNIT_MAIN(tests)
