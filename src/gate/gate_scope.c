/* SPDX-License-Identifier: MIT */
/* Which tools a caller may see. A hidden tool and an absent one answer alike. */
#include "gate/gate.h"

bool gate_scope_shows(const struct gate_tool *tool, bool has_scope, const struct strvec *allow_exec)
{
	if (tool->is_hidden)
		return false;
	if (tool->executes_any && !strvec_contains(allow_exec, tool->surface))
		return false;
	if (tool->is_discovery)
		return true;
	return !has_scope && !tool->is_scoped;
}
