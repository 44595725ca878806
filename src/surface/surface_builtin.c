/* SPDX-License-Identifier: MIT */
/* What the build embeds: the table of built-in surfaces (made by stile-embed, linked by each
 * program) and the schema of the format. */
#include "surface/surface_internal.h"

#include <string.h>

/* Made from surfaces/surface.schema.json. */
extern const char surface_format_text[];

const struct surface_builtin *surface_builtin_find(const char *name)
{
	for (const struct surface_builtin *at = surface_builtins; at->name != NULL; at++) {
		if (strcmp(at->name, name) == 0)
			return at;
	}
	return NULL;
}

const char *surface_format_schema(void)
{
	return surface_format_text;
}
