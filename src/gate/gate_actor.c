/* SPDX-License-Identifier: MIT */
/* The authenticator. It takes no input, so nothing that a caller says can make it say more. */
#include "gate/gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void gate_actor_self(struct gate_self *ret_self)
{
	const char *name = getenv("USER");

	if (name == NULL)
		name = getenv("LOGNAME");
	(void)snprintf(ret_self->provenance, sizeof(ret_self->provenance), "uid %ld%s%.100s",
	    (long)getuid(), name != NULL ? ", calls itself " : "", name != NULL ? name : "");
	ret_self->actor = (struct actor){
		.type = getenv("STILE_CALLER") != NULL ? "mcp" : "cli",
		.provenance = ret_self->provenance,
	};
}
