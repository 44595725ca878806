/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_PROGRESS_H
#define CLI_CLI_PROGRESS_H

/*
 * How far long work is, on standard error: a bar where that is a terminal, lines of JSON where
 * --progress json asks for them, else nothing. Work that is done soon shows no bar. At most ten
 * lines a second, and always the last one:
 *
 *   {"progress":"upload","done":1048576,"all":4194304}
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum cli_progress_mode { CLI_PROGRESS_NONE, CLI_PROGRESS_BAR, CLI_PROGRESS_JSON };

struct cli_progress {
	const char *label; /* borrowed: what is done */
	enum cli_progress_mode mode;
	bool is_shown; /* the bar is on the screen */
	int64_t next_ms;
	int64_t done, all; /* as told last */
};

/* word is that of --progress ("bar", "json", "none"), or NULL: a bar on a terminal. ERR_USAGE. */
int cli_progress_init(
    struct cli_progress *progress, const char *label, const char *word, struct err *err) MUST_CHECK;

/* all is 0 while nobody knows. */
void cli_progress_step(struct cli_progress *progress, int64_t done, int64_t all);

/* Ends with the last step as a line, or takes the bar away; before an error is told, too. */
void cli_progress_end(struct cli_progress *progress);

#endif
