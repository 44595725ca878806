/* SPDX-License-Identifier: MIT */
/*
 * For builds with the address sanitizer: what nothing but a global variable points to is a leak as well.
 * That is stricter than the sanitizer's default, and halves the time of a start, for its own globals are
 * the larger part of what it searches. Here and not in the environment: children of a server get that of
 * their surface alone.
 */

const char *__lsan_default_options(void);
const char *__lsan_default_suppressions(void);

const char *__lsan_default_options(void)
{
	return "use_globals=0";
}

/* The C library keeps the name of the time zone in a global of its own. */
const char *__lsan_default_suppressions(void)
{
	return "leak:__tzstring_len";
}
