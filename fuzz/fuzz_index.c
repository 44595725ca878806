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
		demand(paths->items[i][0] != '/' && strstr(paths->items[i], "../") == NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_buf struct buf index = BUF_INIT;

	buf_add(&index, (const char *)data, size);
	for (size_t id_size = 20; id_size <= 32; id_size += 12) {
		struct gate_index first = GATE_INDEX_INIT;
		struct gate_index second = GATE_INDEX_INIT;
		int result = gate_index_read(&index, id_size, &first);

		demand(gate_index_read(&index, id_size, &second) == result);
		demand(second.submodules.len == first.submodules.len);
		demand(second.folders.len == first.folders.len);
		demand(result == 0 || first.submodules.len + first.folders.len == 0);
		check_names(&index, &first.submodules);
		check_names(&index, &first.folders);
		gate_index_release(&first);
		gate_index_release(&second);
	}
	return 0;
}
