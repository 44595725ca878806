/* SPDX-License-Identifier: MIT */
/* The resolve stage: from a name to its tool. */
#include "surface/surface.h"

#include <string.h>

const struct tool *surface_find_tool(const struct surface *surface, const char *name)
{
	for (size_t i = 0; i < surface->tools_len; i++) {
		if (strcmp(surface->tools[i].name, name) == 0)
			return &surface->tools[i];
	}
	return NULL;
}
