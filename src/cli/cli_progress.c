/* SPDX-License-Identifier: MIT */
/* Progress of long work, for eyes or for programs. */
#include "cli/cli_progress.h"

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "json/json.h"

#define INTERVAL_MS 100
#define PATIENCE_MS 500 /* work that is done by then shows no bar */
#define BAR_WIDTH 30

static const struct {
	const char *word;
	enum cli_progress_mode mode;
} modes[] = {
	{ "bar", CLI_PROGRESS_BAR },
	{ "json", CLI_PROGRESS_JSON },
	{ "none", CLI_PROGRESS_NONE },
};

int cli_progress_init(
    struct cli_progress *progress, const char *label, const char *word, struct err *err)
{
	*progress = (struct cli_progress){ .label = label };
	if (word == NULL) {
		if (isatty(STDERR_FILENO))
			progress->mode = CLI_PROGRESS_BAR;
		progress->next_ms = clock_monotonic_ms() + PATIENCE_MS;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		if (strcmp(modes[i].word, word) == 0) {
			progress->mode = modes[i].mode;
			return 0;
		}
	}
	return err_set(err, ERR_USAGE, "--progress is bar, json or none, not \"%.20s\"", word);
}

static void add_json(struct buf *line, const struct cli_progress *progress)
{
	struct json_writer w = JSON_WRITER_INIT(line);

	json_write_object_begin(&w);
	json_write_member_string(&w, "progress", progress->label);
	json_write_member_int(&w, "done", progress->done);
	json_write_key(&w, "all");
	if (progress->all > 0)
		json_write_int(&w, progress->all);
	else
		json_write_null(&w);
	json_write_object_end(&w);
	buf_addc(line, '\n');
}

/* "\rupload [######          ]  37%" */
static void add_bar(struct buf *line, const struct cli_progress *progress)
{
	double share = progress->all > 0 ? (double)progress->done / (double)progress->all : 0;
	int filled = share >= 1 ? BAR_WIDTH : (int)(share * BAR_WIDTH);

	buf_addf(line, "\r%s [", progress->label);
	for (int i = 0; i < BAR_WIDTH; i++)
		buf_addc(line, i < filled ? '#' : ' ');
	if (progress->all > 0)
		buf_addf(line, "] %3d%%", share >= 1 ? 100 : (int)(share * 100));
	else
		buf_addc(line, ']');
}

/* A screen or reader that is gone is no reason to stop. */
static void show(struct cli_progress *progress)
{
	cleanup_buf struct buf line = BUF_INIT;

	if (progress->mode == CLI_PROGRESS_JSON)
		add_json(&line, progress);
	else
		add_bar(&line, progress);
	progress->is_shown = true;
	progress->next_ms = clock_monotonic_ms() + INTERVAL_MS;
	(void)!fd_write_all(STDERR_FILENO, line.data, line.len);
}

void cli_progress_step(struct cli_progress *progress, int64_t done, int64_t all)
{
	progress->done = done;
	progress->all = all;
	if (progress->mode != CLI_PROGRESS_NONE && clock_monotonic_ms() >= progress->next_ms)
		show(progress);
}

void cli_progress_end(struct cli_progress *progress)
{
	static const char clear[] = "\r\033[K";

	if (progress->mode == CLI_PROGRESS_JSON)
		show(progress);
	else if (progress->is_shown)
		(void)!fd_write_all(STDERR_FILENO, clear, strlen(clear));
	progress->mode = CLI_PROGRESS_NONE;
}
