/* SPDX-License-Identifier: MIT */
#ifndef UNIT_UNIT_H
#define UNIT_UNIT_H

/* cmocka with the headers it wants, in the order it wants them, and what our tests share. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"

/* Runs all of a static array of tests. */
#define UNIT_MAIN(tests)                                                                           \
	int main(void)                                                                             \
	{                                                                                          \
		return cmocka_run_group_tests((tests), NULL, NULL);                                \
	}

/* n, or a sixteenth of it where all is slow and memory alone is looked at (valgrind, see check): for
 * sizes and rounds that only have to be large. */
static inline size_t unit_many(size_t n)
{
	return getenv("UNIT_FEWER") != NULL ? n / 16 : n;
}

/* Asserts that a call succeeded, printing the error otherwise; and that it failed with a code. */
#define assert_ok(call, err)                                                                       \
	do {                                                                                       \
		if ((call) != 0)                                                                   \
			fail_msg(                                                                  \
			    "%s: %s", #call, (err)->message ? (err)->message : "(no message)");    \
	} while (0)
#define assert_fails(call, err, wanted)                                                            \
	do {                                                                                       \
		assert_int_equal((call), -1);                                                      \
		assert_string_equal(err_info((err)->code)->wire, err_info(wanted)->wire);          \
	} while (0)

#endif
