/* SPDX-License-Identifier: MIT */
/* The environment of a child, built from nothing: what is not named here or by a surface does not
 * exist for it. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* The marker of our children. Any value marks, and none may be replaced: it only lowers trust. */
#define MARKER "STILE_CALLER"

/* What a dynamic linker obeys would run code of the caller's choice inside the program. */
static bool is_barred(const char *name, size_t len)
{
	return (len >= 3 && strncmp(name, "LD_", 3) == 0) ||
	       (len >= 5 && strncmp(name, "DYLD_", 5) == 0) ||
	       (len == strlen(MARKER) && strncmp(name, MARKER, len) == 0);
}

/* Adds NAME=value, or puts it in the place of an earlier one. */
static void put(struct strvec *environment, const char *name, size_t name_len, const char *value)
{
	char *entry = xasprintf("%.*s=%s", (int)name_len, name, value);

	for (size_t i = 0; i < environment->len; i++) {
		if (strncmp(environment->items[i], entry, name_len + 1) == 0) {
			free(environment->items[i]);
			environment->items[i] = entry;
			return;
		}
	}
	strvec_take(environment, entry);
}

void run_environment(
    const struct strvec *names, const struct strvec *set, struct strvec *ret_environment)
{
	strvec_push(ret_environment, "PATH=" RUN_CHILD_PATH);
	strvec_push(ret_environment, "LANG=C.UTF-8");
	strvec_push(ret_environment, MARKER "=mcp");
	for (size_t i = 0; i < names->len; i++) {
		const char *name = names->items[i];
		const char *value = getenv(name);

		if (value != NULL && !is_barred(name, strlen(name)))
			put(ret_environment, name, strlen(name), value);
	}
	for (size_t i = 0; i < set->len; i++) {
		const char *name = set->items[i];
		size_t len = strcspn(name, "=");

		if (name[len] == '=' && !is_barred(name, len))
			put(ret_environment, name, len, name + len + 1);
	}
}

void run_unset_variables(
    const struct strvec *names, const struct strvec *environment, struct strvec *ret_names)
{
	for (size_t i = 0; i < names->len; i++) {
		size_t len = strlen(names->items[i]);
		bool is_set = false;

		for (size_t j = 0; j < environment->len && !is_set; j++) {
			const char *entry = environment->items[j];

			is_set = strncmp(entry, names->items[i], len) == 0 && entry[len] == '=' &&
				 entry[len + 1] != '\0';
		}
		if (!is_set)
			strvec_push(ret_names, names->items[i]);
	}
}
