/* SPDX-License-Identifier: MIT */
/* git's index stands in a checked-out tree and is a stranger's bytes: what comes of it is either
 * a refusal or a list of names that stand in it, and the same each time. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "gate/gate.h"

static void demand(bool holds)
{
	if (!holds)
		abort();
}

/* The last byte of a name is written out in every version; version 4 leaves out what came before. */
static void check_names(const struct buf *index, const struct strvec *paths)
{
	for (size_t i = 0; i < paths->len; i++) {
		size_t len = strlen(paths->items[i]);

		demand(len <= index->len);
		demand(len == 0 || memchr(index->data, paths->items[i][len - 1], index->len));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_buf struct buf index = BUF_INIT;
	cleanup_strvec struct strvec first = STRVEC_INIT;
	cleanup_strvec struct strvec second = STRVEC_INIT;
	int result;

	buf_add(&index, (const char *)data, size);
	result = gate_index_read(&index, &first);
	demand(gate_index_read(&index, &second) == result && second.len == first.len);
	demand(result == 0 || first.len == 0);
	check_names(&index, &first);
	return 0;
}
