/* SPDX-License-Identifier: MIT */
/*
 * The protocol revisions, one row each (specs/protocol.md §4): what a client of that revision
 * understands. Later members are not sent to earlier clients.
 */
#include "mcp/mcp_internal.h"

#include <string.h>

/* Oldest first; the last legacy row is what an unknown version is offered. */
const struct mcp_revision mcp_revisions[MCP_REVISIONS] = {
	{ .name = "2024-11-05" },
	{ .name = "2025-03-26", .has_batches = true, .has_annotations = true },
	{ .name = "2025-06-18", .has_annotations = true, .has_titles = true },
	{ .name = "2025-11-25",
	    .has_annotations = true,
	    .has_titles = true,
	    .has_elicitation_modes = true },
	{ .name = "2026-07-28",
	    .is_modern = true,
	    .has_annotations = true,
	    .has_titles = true,
	    .has_elicitation_modes = true },
};

const struct mcp_revision *mcp_revision_find(const char *name)
{
	for (size_t i = 0; i < MCP_REVISIONS; i++) {
		if (strcmp(mcp_revisions[i].name, name) == 0)
			return &mcp_revisions[i];
	}
	return NULL;
}

const struct mcp_revision *mcp_revision_latest_legacy(void)
{
	return &mcp_revisions[MCP_REVISIONS - 2];
}

const struct mcp_revision *mcp_revision_modern(void)
{
	return &mcp_revisions[MCP_REVISIONS - 1];
}
