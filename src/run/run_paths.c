/* SPDX-License-Identifier: MIT */
/*
 * Paths in diagnostics: where this host keeps its home, its data and its temporary files is
 * nobody's business. Each is replaced by a short word; what stands below it stays readable.
 */
#include "run/run_redact.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define IN_HOME "~"
#define IN_DATA "[data]"
#define IN_TMP "[tmp]"

/* ---- which ---- */

/* Pairs stay sorted, longest path first: the data directory lies below the home. */
static void insert(struct strvec *paths, const char *path, const char *word)
{
	size_t at = 0;

	while (at < paths->len && strlen(paths->items[at]) >= strlen(path))
		at += 2;
	strvec_push(paths, path);
	strvec_push(paths, word);
	for (size_t i = paths->len - 2; i > at; i -= 2) {
		char *moved[2] = { paths->items[i], paths->items[i + 1] };

		paths->items[i] = paths->items[i - 2];
		paths->items[i + 1] = paths->items[i - 1];
		paths->items[i - 2] = moved[0];
		paths->items[i - 1] = moved[1];
	}
}

static void add_path(struct strvec *paths, const char *path, const char *word)
{
	cleanup_free char *copy = xstrdup(path);
	size_t len = strlen(copy);

	while (len > 1 && copy[len - 1] == '/')
		copy[--len] = '\0';
	if (len > 1 && copy[0] == '/' && !strvec_contains(paths, copy))
		insert(paths, copy, word);
}

/* As it is called, and as it is with links resolved. */
static void add_both(struct strvec *paths, const char *path, const char *word)
{
	cleanup_free char *real = NULL;

	if (path == NULL)
		return;
	add_path(paths, path, word);
	real = realpath(path, NULL);
	if (real != NULL)
		add_path(paths, real, word);
}

static void find_paths(struct redact_host *host)
{
	add_both(&host->paths, host->data_dir, IN_DATA);
	add_both(&host->paths, getenv("HOME"), IN_HOME);
	add_both(&host->paths, getenv("TMPDIR"), IN_TMP);
	add_both(&host->paths, "/tmp", IN_TMP);
	add_both(&host->paths, "/var/tmp", IN_TMP);
}

/* ---- where ---- */

static bool is_path_char(char c)
{
	return text_is_word_char(c) || c == '-' || c == '.' || (unsigned char)c >= 0x80;
}

/* A path begins here: not amid another one, but file:///tmp is one. */
static bool may_begin(const char *data, size_t at)
{
	if (at == 0)
		return true;
	if (data[at - 1] == '/')
		return at >= 3 && data[at - 2] == '/' && data[at - 3] == ':';
	return !is_path_char(data[at - 1]);
}

/* A full stop may end a sentence behind the path. */
static bool may_end(const char *data, size_t len, size_t at)
{
	return at == len || !is_path_char(data[at]) ||
	       (data[at] == '.' && (at + 1 == len || !is_path_char(data[at + 1])));
}

/* Index of the pair whose path stands at data + at, or SIZE_MAX. */
static size_t path_at(const struct strvec *paths, const char *data, size_t len, size_t at)
{
	for (size_t i = 0; i < paths->len; i += 2) {
		size_t path_len = strlen(paths->items[i]);

		if (path_len <= len - at && memcmp(data + at, paths->items[i], path_len) == 0 &&
		    may_end(data, len, at + path_len))
			return i;
	}
	return SIZE_MAX;
}

void redact_paths(struct redact_host *host, const char *data, size_t len, struct buf *ret_text)
{
	size_t done = 0;
	size_t at = 0;

	if (host->paths.len == 0)
		find_paths(host);
	while (at < len) {
		const char *slash = memchr(data + at, '/', len - at);
		size_t i;

		if (slash == NULL)
			break;
		at = (size_t)(slash - data);
		i = may_begin(data, at) ? path_at(&host->paths, data, len, at) : SIZE_MAX;
		if (i == SIZE_MAX) {
			at++;
			continue;
		}
		buf_add(ret_text, data + done, at - done);
		buf_adds(ret_text, host->paths.items[i + 1]);
		at += strlen(host->paths.items[i]);
		done = at;
	}
	buf_add(ret_text, data + done, len - done);
}
