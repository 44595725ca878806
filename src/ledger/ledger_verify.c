/* SPDX-License-Identifier: MIT */
/* The chain of a database, re-computed. */
#include "ledger/ledger_internal.h"

#include <stdint.h>

static int verify_row(void *ctx, const struct ledger_row *row, struct err *err)
{
	return chain_next(ctx, row, NULL, err);
}

/* From before the first row: a row that was given a number of 0 or less is seen as well. */
int ledger_verify(const char *path, struct ledger_report *ret_report, struct err *err)
{
	static const struct ledger_filter all = { .after = INT64_MIN };
	struct chain chain = { 0 };

	if (ledger_each(path, &all, verify_row, &chain, err) < 0)
		return -1;
	*ret_report = chain.report;
	return 0;
}
