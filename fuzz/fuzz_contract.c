/* SPDX-License-Identifier: MIT */
/*
 * A CONTEXT.md may come from anywhere. What comes of one is either names that were all known, each
 * once and in order, or nothing and one visible line that says why; never anything in between. What
 * its text declares leads into the workspace or nowhere.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli_stage_text.h"
#include "gate/gate.h"

#define REASON_MAX 1024

static void demand(bool holds)
{
	if (!holds)
		abort();
}

/* Some names are known, so that lists of them are. */
static bool is_known(void *ctx, const char *tool)
{
	size_t *asked = ctx;

	(*asked)++;
	return tool[0] >= 'a' && tool[0] <= 'm';
}

static void check_granted(const struct strvec *tools, size_t asked)
{
	demand(asked == tools->len && tools->len <= GATE_FRONT_MATTER_NODES);
	for (size_t i = 0; i < tools->len; i++) {
		size_t ignored = 0;

		demand(is_known(&ignored, tools->items[i]));
		demand(text_is_utf8(tools->items[i], strlen(tools->items[i])));
		demand(i == 0 || strcmp(tools->items[i - 1], tools->items[i]) < 0);
	}
}

static void check_reason(const struct err *err)
{
	const char *reason = err->message;

	demand(err->code == ERR_NOT_FOUND || err->code == ERR_CONFIGURATION);
	demand(reason[0] != '\0' && strlen(reason) < REASON_MAX);
	for (size_t i = 0; i < strlen(reason); i++)
		demand((unsigned char)reason[i] >= 0x20);
	demand(text_is_utf8(reason, strlen(reason)));
}

static void try_contract(const char *text, size_t len)
{
	cleanup_strvec struct strvec tools = STRVEC_INIT;
	cleanup_strvec struct strvec all = STRVEC_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_err struct err other = ERR_INIT;
	size_t asked = 0;
	int result = gate_contract_read(text, len, is_known, &asked, &tools, &err);
	int unchecked = gate_contract_read(text, len, NULL, NULL, &all, &other);

	if (result == 0) {
		check_granted(&tools, asked);
		demand(unchecked == 0 && all.len == tools.len);
	} else {
		demand(tools.len == 0);
		check_reason(&err);
	}
	/* Without a known name only names are left to refuse. */
	demand(unchecked == 0 || (result < 0 && other.code == err.code));
}

static void check_paths(const struct strvec *paths)
{
	for (size_t i = 0; i < paths->len; i++) {
		cleanup_free char *path = stage_path("stages/01-a", paths->items[i]);

		if (path == NULL)
			continue;
		demand(path[0] != '/' && strcmp(path, "..") != 0 && strncmp(path, "../", 3) != 0);
		demand(strstr(path, "/../") == NULL && strstr(path, "//") == NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stage_text declared = { 0 };

	try_contract((const char *)data, size);
	stage_text_read((const char *)data, size, &declared);
	check_paths(&declared.inputs);
	check_paths(&declared.outputs);
	stage_text_release(&declared);
	return 0;
}
