/* SPDX-License-Identifier: MIT */
/* Prints docs/errors.md from base/err_codes.h: errors_doc >docs/errors.md */
#include <stdio.h>

#include "base/err.h"

static const char intro[] =
    "# Error codes\n"
    "\n"
    "Made from `src/base/err_codes.h`; do not edit. A code is stable for ever. `JSON-RPC` names "
    "the\n"
    "protocol error that a code becomes; where it is empty, the code comes in a tool result with\n"
    "`isError`, as `error_code` of its structured part and in front of its text: `[CODE] "
    "message`.\n"
    "A surface file adds codes of its own for its program (surfaces.md §6).\n"
    "\n"
    "| code | JSON-RPC | exit status | retryable | meaning |\n"
    "|---|---|---|---|---|\n";

int main(void)
{
	(void)fputs(intro, stdout);
	for (int code = ERR_NONE + 1; code < ERR_CODE_COUNT; code++) {
		const struct err_info *info = err_info((enum err_code)code);
		char rpc[16] = "";

		if (info->rpc_code != 0)
			(void)snprintf(rpc, sizeof(rpc), "%d", info->rpc_code);
		(void)printf("| `%s` | %s | %d | %s | %s |\n", info->wire, rpc, info->exit_code,
		    info->is_retryable ? "yes" : "no", info->meaning);
	}
	return 0;
}
