/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_STAGE_TEXT_H
#define CLI_CLI_STAGE_TEXT_H

/*
 * What the text of a stage's CONTEXT.md says for people and agents, below the front matter: under the
 * headings `## Inputs` and `## Outputs` (any case) each item of a list that holds a path in
 * backticks declares that path. Items without one are prose, and so is what stands in code blocks. A
 * section ends at the next heading of its level or above. Nothing here grants anything.
 */

#include "base/buf.h"
#include "base/strvec.h"

struct stage_text {
	struct strvec inputs; /* paths as they are written, in order */
	struct strvec outputs;
};

void stage_text_release(struct stage_text *text);
void stage_text_read(const char *text, size_t len, struct stage_text *ret);

/*
 * Where a path leads, from the workspace's folder: "stages/01-research/output/brief.md". It counts
 * from the stage's folder (which is given from the workspace's), or with a slash in front from the
 * workspace's; `.`, `..` and a slash at the end are understood. "" is the workspace itself; NULL:
 * it leads out. Owned.
 */
char *stage_path(const char *stage, const char *path) MUST_CHECK;

#endif
