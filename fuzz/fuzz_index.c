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

/* Does a part of the path lead upwards? `src../x` does not. */
static bool leads_up(const char *path)
{
	for (; path != NULL; path = strchr(path, '/')) {
		path += *path == '/';
		if (strcspn(path, "/") == 2 && strncmp(path, "..", 2) == 0)
			return true;
	}
	return false;
}

/* The last byte of a name is written out in every version; version 4 leaves out what came before. */
static void check_names(const struct buf *index, const struct strvec *paths)
{
	for (size_t i = 0; i < paths->len; i++) {
		size_t len = strlen(paths->items[i]);

		demand(len <= index->len);
		demand(len == 0 || memchr(index->data, paths->items[i][len - 1], index->len));
		demand(paths->items[i][0] != '/' && !leads_up(paths->items[i]));
	}
}

/*
 * Writes into each entry the length that its name has, as git does: random edits hardly ever keep the
 * two alike, and what differs is refused at its entry. Versions 2 and 3 alone; in version 4 a length
 * hangs on all names before it.
 */
static void mend_lengths(struct buf *index, size_t id_size)
{
	size_t at = 12;
	size_t head = 40 + id_size;

	while (index->len > head + 2 && at < index->len - head - 2) {
		unsigned char *flags = (unsigned char *)index->data + at + head;
		size_t name = at + head + ((flags[0] & 0x40) != 0 ? 4 : 2);
		size_t len = name < index->len ? strnlen(index->data + name, index->len - name) : 0;

		flags[0] = (unsigned char)((flags[0] & 0xf0) | (len < 0xfff ? len >> 8 : 0xf));
		flags[1] = (unsigned char)(len < 0xfff ? len : 0xff);
		at += (name + len - at + 8) & ~(size_t)7;
	}
}

static void try_index(const struct buf *index, size_t id_size)
{
	struct gate_index first = GATE_INDEX_INIT;
	struct gate_index second = GATE_INDEX_INIT;
	int result = gate_index_read(index, id_size, &first);

	demand(gate_index_read(index, id_size, &second) == result);
	demand(second.submodules.len == first.submodules.len);
	demand(second.folders.len == first.folders.len);
	demand(result == 0 || first.submodules.len + first.folders.len == 0);
	check_names(index, &first.submodules);
	check_names(index, &first.folders);
	gate_index_release(&first);
	gate_index_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t id_size = 20; id_size <= 32; id_size += 12) {
		cleanup_buf struct buf index = BUF_INIT;

		buf_add(&index, (const char *)data, size);
		try_index(&index, id_size);
		mend_lengths(&index, id_size);
		try_index(&index, id_size);
	}
	return 0;
}
