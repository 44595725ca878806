/* SPDX-License-Identifier: MIT */
/* The write gate: a tool whose effect is not read needs a person's yes. */
#include "gate/gate.h"

enum gate_decision gate_write_decide(const struct gate_subject *subject,
    const struct gate_tool *tool, bool is_vetoed, struct err *err)
{
	(void)subject;
	if (tool->is_read)
		return GATE_PERMIT;
	if (is_vetoed)
		err_set(err, ERR_WRITE_DECLINED, "%s: confirm is false", tool->name);
	else
		err_set(err, ERR_WRITE_CONFIRMATION_UNAVAILABLE,
		    "%s changes something and this version of stile cannot ask a person yet; run "
		    "the program yourself",
		    tool->name);
	return GATE_DENY;
}
