/* SPDX-License-Identifier: MIT */
/* The arena: zeroed, aligned memory of any size that goes at once. */
#include "unit.h"

#include <string.h>

#include "base/arena.h"

static void memory_is_zeroed_aligned_and_does_not_overlap(void **state)
{
	struct arena arena = ARENA_INIT;
	unsigned char *blocks[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(blocks); i++) {
		blocks[i] = arena_alloc(&arena, i + 1, 3);
		assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
		for (size_t at = 0; at < 3 * (i + 1); at++)
			assert_int_equal(blocks[i][at], 0);
		memset(blocks[i], (int)i, 3 * (i + 1));
	}
	for (size_t i = 0; i < ARRAY_LEN(blocks); i++)
		assert_int_equal(blocks[i][3 * (i + 1) - 1], i);
	arena_release(&arena);
	arena_release(&arena);
}

static void a_block_may_be_larger_than_any_chunk(void **state)
{
	struct arena arena = ARENA_INIT_SIZE(16);
	char *large = arena_alloc(&arena, 1, 1000000);
	char *text = arena_strdup(&arena, "a\0b", 3);

	(void)state;
	large[999999] = 'x';
	assert_memory_equal(text, "a\0b", 4);
	assert_string_equal(arena_strdup(&arena, "", 0), "");
	arena_release(&arena);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(memory_is_zeroed_aligned_and_does_not_overlap),
	cmocka_unit_test(a_block_may_be_larger_than_any_chunk),
};

UNIT_MAIN(tests)
