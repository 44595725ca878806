/* SPDX-License-Identifier: MIT */
/* Which tools a caller may see. A hidden tool and an absent one answer alike. */
#include "gate/gate.h"

#include <stdlib.h>
#include <string.h>

static const char *const rank_names[] = { "none", "read", "write", "manage" };

const char *gate_rank_name(enum gate_rank rank)
{
	return rank_names[rank];
}

bool gate_rank_parse(const char *name, enum gate_rank *ret_rank)
{
	for (size_t i = 0; i < ARRAY_LEN(rank_names); i++) {
		if (strcmp(name, rank_names[i]) == 0) {
			*ret_rank = (enum gate_rank)i;
			return true;
		}
	}
	return false;
}

void gate_scope_release(struct gate_scope *scope)
{
	strvec_release(&scope->tools);
	*scope = GATE_SCOPE_INIT;
}

/* For bsearch(3). */
static int compare_name(const void *key, const void *item)
{
	return strcmp(key, *(const char *const *)item);
}

static bool is_granted(const struct gate_tool *tool, const struct gate_scope *scope)
{
	const struct strvec *tools = &scope->tools;

	return scope->rank >= tool->rank && scope->rank > GATE_RANK_NONE && tools->len > 0 &&
	       bsearch(tool->name, tools->items, tools->len, sizeof(*tools->items), compare_name) !=
		   NULL;
}

bool gate_scope_shows(
    const struct gate_tool *tool, const struct gate_scope *scope, const struct strvec *allow_exec)
{
	if (tool->is_hidden)
		return false;
	if (tool->executes_any && !strvec_contains(allow_exec, tool->surface))
		return false;
	if (!scope->has_scope)
		return !tool->is_scoped || tool->is_discovery;
	if (scope->is_folder && tool->is_scoped && !tool->is_discovery)
		return false;
	return is_granted(tool, scope);
}
