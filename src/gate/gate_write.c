/* SPDX-License-Identifier: MIT */
/* The write gate: a tool whose effect is not read needs a person's yes. The rows of the matrix in
 * gate.h, in their order. */
#include "gate/gate.h"

#include <string.h>

static const struct gate_surface_config *find_surface(
    const struct gate_config *config, const char *name)
{
	for (size_t i = 0; i < config->surfaces_len; i++) {
		if (strcmp(config->surfaces[i].name, name) == 0)
			return &config->surfaces[i];
	}
	return NULL;
}

static enum gate_decision deny(
    const struct gate_write *facts, enum err_code code, const char *why, struct err *err)
{
	err_set(err, code, "%s: %s", facts->tool, why);
	return GATE_DENY;
}

enum gate_decision gate_write_decide(
    const struct gate_write *facts, const struct gate_config *config, struct err *err)
{
	const struct gate_surface_config *settings = find_surface(config, facts->surface);

	if (facts->is_read)
		return GATE_PERMIT;
	if (facts->is_by_policy && facts->is_vetoed)
		return deny(facts, ERR_WRITE_DECLINED, "confirm is false", err);
	if (facts->is_by_policy || facts->is_open || (settings != NULL && settings->is_open))
		return GATE_PERMIT;
	if (!facts->is_write_allowed) {
		err_set(err, ERR_WRITE_DISABLED,
		    "%s changes something, and writing is off; a person must start the server with "
		    "--allow-write %s",
		    facts->tool, facts->surface);
		return GATE_DENY;
	}
	if (facts->is_vetoed)
		return deny(facts, ERR_WRITE_DECLINED, "confirm is false", err);
	if (settings != NULL && strvec_contains(&settings->waive, facts->tool))
		return GATE_PERMIT;
	if (facts->can_ask)
		return GATE_ASK;
	if (facts->is_noninteractive_allowed && !facts->is_destroy)
		return GATE_PERMIT;
	return deny(facts, ERR_WRITE_CONFIRMATION_UNAVAILABLE,
	    "it needs a person's yes, and this client cannot ask one", err);
}
