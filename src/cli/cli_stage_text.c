/* SPDX-License-Identifier: MIT */
/* Reads lines of Markdown: as much of it as the convention for stages needs. */
#include "cli/cli_stage_text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void stage_text_release(struct stage_text *text)
{
	strvec_release(&text->inputs);
	strvec_release(&text->outputs);
}

/* ---- lines ---- */

static bool is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

/* A line without its end, and without what is blank at its end. */
struct line {
	const char *text;
	size_t len;
};

/* The next line of *text; moves behind it. */
static struct line take_line(const char **text, const char *end)
{
	const char *newline = memchr(*text, '\n', (size_t)(end - *text));
	struct line line = { .text = *text };

	line.len = (size_t)((newline != NULL ? newline : end) - *text);
	*text = newline != NULL ? newline + 1 : end;
	while (line.len > 0 && is_one_of(line.text[line.len - 1], " \t\r"))
		line.len--;
	return line;
}

static size_t count(const struct line *line, size_t at, char c)
{
	size_t n = 0;

	while (at + n < line->len && line->text[at + n] == c)
		n++;
	return n;
}

/* "```" or "~~~", indented by at most three spaces. */
static bool is_code_fence(const struct line *line)
{
	size_t at = count(line, 0, ' ');

	return at < 4 && (count(line, at, '`') >= 3 || count(line, at, '~') >= 3);
}

/* The level of a heading, or 0; *ret_at is where its words begin. */
static size_t heading_level(const struct line *line, size_t *ret_at)
{
	size_t level = count(line, 0, '#');

	if (level > 6 || (level < line->len && line->text[level] != ' '))
		return 0;
	*ret_at = level + count(line, level, ' ');
	return level;
}

/* Where the words of an item of a list begin, or 0. */
static size_t item_start(const struct line *line)
{
	size_t at = 0;
	size_t digits;

	while (at < line->len && (line->text[at] == ' ' || line->text[at] == '\t'))
		at++;
	digits = at;
	while (digits < line->len && line->text[digits] >= '0' && line->text[digits] <= '9')
		digits++;
	if (digits > at)
		at = digits < line->len && is_one_of(line->text[digits], ".)") ? digits : line->len;
	else if (at < line->len && !is_one_of(line->text[at], "-*+"))
		return 0;
	return at + 1 < line->len && line->text[at + 1] == ' ' ? at + 2 : 0;
}

/* What stands in the first backticks behind at, if anything does. */
static void take_path(const struct line *line, size_t at, struct strvec *paths)
{
	const char *open = memchr(line->text + at, '`', line->len - at);
	const char *close;

	if (open == NULL)
		return;
	open++;
	close = memchr(open, '`', line->len - (size_t)(open - line->text));
	if (close != NULL && close > open)
		strvec_take(paths, xmemdupz(open, (size_t)(close - open)));
}

/* ---- sections ---- */

static bool is_word(const struct line *line, size_t at, const char *word)
{
	return line->len - at == strlen(word) &&
	       strncasecmp(line->text + at, word, strlen(word)) == 0;
}

/* The list that a heading opens, or NULL. */
static struct strvec *section_of(const struct line *line, size_t at, struct stage_text *ret)
{
	if (is_word(line, at, "Inputs"))
		return &ret->inputs;
	return is_word(line, at, "Outputs") ? &ret->outputs : NULL;
}

static bool is_front_matter_fence(const struct line *line)
{
	return line->len == 3 && memcmp(line->text, "---", 3) == 0;
}

/* Behind the front matter, if it is there and closed. */
static const char *skip_front_matter(const char *text, const char *end)
{
	const char *at = text;
	struct line line = take_line(&at, end);

	if (!is_front_matter_fence(&line))
		return text;
	while (at < end) {
		line = take_line(&at, end);
		if (is_front_matter_fence(&line))
			return at;
	}
	return text;
}

void stage_text_read(const char *text, size_t len, struct stage_text *ret)
{
	const char *end = text + len;
	const char *at = skip_front_matter(text, end);
	struct strvec *section = NULL;
	bool is_code = false;

	while (at < end) {
		struct line line = take_line(&at, end);
		size_t start = 0;
		size_t level;

		if (is_code_fence(&line))
			is_code = !is_code;
		if (is_code)
			continue;
		level = heading_level(&line, &start);
		if (level == 1 || level == 2)
			section = level == 2 ? section_of(&line, start, ret) : NULL;
		start = item_start(&line);
		if (section != NULL && start > 0)
			take_path(&line, start, section);
	}
}

/* ---- paths ---- */

/* Takes the last name off; false: there is none. */
static bool step_up(struct buf *path)
{
	char *slash;

	if (path->len == 0)
		return false;
	slash = strrchr(path->data, '/');
	buf_truncate(path, slash != NULL ? (size_t)(slash - path->data) : 0);
	return true;
}

char *stage_path(const char *stage, const char *path)
{
	cleanup_buf struct buf where = BUF_INIT;

	if (path[0] != '/')
		buf_adds(&where, stage);
	while (*path != '\0') {
		size_t len = strcspn(path, "/");
		bool is_up = len == 2 && strncmp(path, "..", 2) == 0;

		if (is_up && !step_up(&where))
			return NULL;
		if (len > 0 && !is_up && !(len == 1 && path[0] == '.')) {
			buf_adds(&where, where.len > 0 ? "/" : "");
			buf_add(&where, path, len);
		}
		path += len + (path[len] == '/');
	}
	return buf_detach(&where);
}
