/* SPDX-License-Identifier: MIT */
/*
 * Reads a git configuration file and refuses what names a program.
 *
 * The grammar is git-config(1)'s "Syntax"; whatever we cannot read is refused, for git might read
 * it otherwise. What git is started with switches off already (hooks, fsmonitor, pagers, editors,
 * aliases: surfaces/git.yaml) may stand there: common tools write it.
 */
#include "gate/gate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* Keys that name a program, a file elsewhere, or another configuration. NULL: every key. */
static const struct refused_key {
	const char *section;
	const char *key;
} refused_keys[] = {
	{ "browser", NULL },
	{ "core", "alternaterefscommand" },
	{ "core", "askpass" },
	{ "core", "attributesfile" },
	{ "core", "excludesfile" },
	{ "core", "gitproxy" },
	{ "core", "sshcommand" },
	{ "credential", "helper" },
	{ "diff", "command" },
	{ "diff", "external" },
	{ "diff", "textconv" },
	{ "difftool", NULL },
	{ "filter", NULL },
	{ "gpg", "program" },
	{ "gpg", "defaultkeycommand" },
	{ "guitool", NULL },
	{ "hook", NULL },
	{ "imap", NULL },
	{ "include", NULL },
	{ "includeif", NULL },
	{ "instaweb", NULL },
	{ "interactive", "difffilter" },
	{ "man", NULL },
	{ "merge", "driver" },
	{ "mergetool", NULL },
	{ "remote", "receivepack" },
	{ "remote", "uploadpack" },
	{ "remote", "vcs" },
	{ "sendemail", NULL },
	{ "tar", NULL },
	{ "trailer", "cmd" },
	{ "trailer", "command" },
	{ "uploadpack", "packobjectshook" },
	{ "web", NULL },
};

/* A place in the text. */
struct reader {
	const char *at;
	const char *end;
	unsigned line;      /* from 1 */
	struct buf section; /* lower case, without the subsection */
	bool has_subsection;
	struct gate_gitconfig *config;
};

static int refuse(const struct reader *r, struct err *err, const char *what)
{
	return err_set(err, ERR_REPOSITORY_UNTRUSTED,
	    "the repository's configuration, line %u: %s; list its folder under trusted_folders in "
	    "config.yaml if you trust it",
	    r->line, what);
}

/* The next byte, CR LF read as LF, or -1. Lines are counted. */
static int take(struct reader *r)
{
	if (r->at >= r->end)
		return -1;
	if (*r->at == '\r' && r->at + 1 < r->end && r->at[1] == '\n')
		r->at++;
	if (*r->at == '\n')
		r->line++;
	return (unsigned char)*r->at++;
}

static int peek(const struct reader *r)
{
	return r->at < r->end ? (unsigned char)*r->at : -1;
}

static void skip_line(struct reader *r)
{
	int c;

	do
		c = take(r);
	while (c >= 0 && c != '\n');
}

/* `[section]`, `[section "sub"]`, `[section.sub]`; the bracket has been taken. */
static int read_section(struct reader *r, struct err *err)
{
	int c = take(r);

	buf_reset(&r->section);
	while (isalnum(c) || c == '-' || c == '.') {
		buf_addc(&r->section, (char)tolower(c));
		c = take(r);
	}
	r->has_subsection = c != ']' || strchr(r->section.data, '.') != NULL;
	if (c == ' ' || c == '\t') {
		while (c == ' ' || c == '\t')
			c = take(r);
		if (c != '"')
			return refuse(r, err, "a section cannot be read");
		for (c = take(r); c != '"'; c = take(r)) {
			if (c == '\\')
				c = take(r);
			if (c < 0 || c == '\n' || c == '\0')
				return refuse(r, err, "a section cannot be read");
		}
		c = take(r);
	} else if (strchr(r->section.data, '.') != NULL) {
		buf_truncate(&r->section, (size_t)(strchr(r->section.data, '.') - r->section.data));
	}
	if (c != ']' || r->section.len == 0)
		return refuse(r, err, "a section cannot be read");
	return 0;
}

/* The byte that an escape in a value stands for; 0: none; -1: a line goes on. */
static int unescape(int c)
{
	switch (c) {
	case '\n':
		return -1;
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case 'n':
		return '\n';
	case '\\':
	case '"':
		return c;
	default:
		return 0;
	}
}

/* Everything behind `=` up to the end of the line, quotes and comments understood. */
static int read_value(struct reader *r, struct buf *ret_value, struct err *err)
{
	bool is_quoted = false;

	for (;;) {
		int c = take(r);

		if (c == '\0')
			return refuse(r, err, "a value holds a NUL byte");
		if (c < 0 || c == '\n')
			break;
		if (c == '"') {
			is_quoted = !is_quoted;
		} else if (c == '\\') {
			c = unescape(take(r));
			if (c == 0)
				return refuse(r, err, "a value cannot be read");
			if (c > 0)
				buf_addc(ret_value, (char)c);
		} else if (!is_quoted && (c == '#' || c == ';')) {
			skip_line(r);
			break;
		} else {
			buf_addc(ret_value, (char)c);
		}
	}
	if (is_quoted)
		return refuse(r, err, "a value cannot be read");
	while (ret_value->len > 0 && isspace((unsigned char)ret_value->data[ret_value->len - 1]))
		buf_truncate(ret_value, ret_value->len - 1);
	return 0;
}

/* core.worktree may only say what is so anyway (submodules have it). */
static int check_worktree(const struct reader *r, const char *value, struct err *err)
{
	cleanup_free char *path =
	    value[0] == '/' ? xstrdup(value) : xasprintf("%s/%s", r->config->git_dir, value);
	cleanup_free char *real = realpath(path, NULL);

	if (real == NULL || strcmp(real, r->config->top) != 0)
		return refuse(r, err, "core.worktree leads to another folder");
	return 0;
}

/* How long object ids are: the index cannot be read without (git takes the last that is said). */
static int check_format(const struct reader *r, const char *value, struct err *err)
{
	if (r->has_subsection || (strcmp(value, "sha1") != 0 && strcmp(value, "sha256") != 0))
		return refuse(r, err, "extensions.objectFormat is none that we know");
	r->config->id_size = strcmp(value, "sha1") == 0 ? 20 : 32;
	return 0;
}

static int check_pair(const struct reader *r, const char *key, const char *value, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(refused_keys); i++) {
		const struct refused_key *refused = &refused_keys[i];

		if (strcmp(r->section.data, refused->section) == 0 &&
		    (refused->key == NULL || strcmp(key, refused->key) == 0)) {
			cleanup_free char *what = xasprintf(
			    "%s.%s can name a program or a file elsewhere", refused->section, key);

			return refuse(r, err, what);
		}
	}
	if (strcmp(r->section.data, "submodule") == 0 && strcmp(key, "update") == 0 &&
	    value[0] == '!')
		return refuse(r, err, "submodule.update names a program");
	if (strcmp(r->section.data, "core") == 0 && strcmp(key, "worktree") == 0)
		return check_worktree(r, value, err);
	if (strcmp(r->section.data, "extensions") == 0 && strcmp(key, "objectformat") == 0)
		return check_format(r, value, err);
	return 0;
}

/* `key`, `key = value`; the first letter is next. */
static int read_pair(struct reader *r, struct err *err)
{
	cleanup_buf struct buf key = BUF_INIT;
	cleanup_buf struct buf value = BUF_INIT;

	if (r->section.len == 0 || !isalpha(peek(r)))
		return refuse(r, err, "a line cannot be read");
	while (isalnum(peek(r)) || peek(r) == '-')
		buf_addc(&key, (char)tolower(take(r)));
	while (peek(r) == ' ' || peek(r) == '\t')
		(void)take(r);
	if (peek(r) == '=') {
		(void)take(r);
		while (peek(r) == ' ' || peek(r) == '\t')
			(void)take(r);
		if (read_value(r, &value, err) < 0)
			return -1;
	} else if (peek(r) == '#' || peek(r) == ';') {
		skip_line(r);
	} else if (peek(r) >= 0 && take(r) != '\n') {
		return refuse(r, err, "a line cannot be read");
	}
	return check_pair(r, key.data, value.data, err);
}

static int read_all(struct reader *r, struct err *err)
{
	for (;;) {
		int c = peek(r);

		if (c < 0)
			return 0;
		if (c == '#' || c == ';') {
			skip_line(r);
		} else if (isspace(c)) {
			(void)take(r);
		} else if (c == '[') {
			(void)take(r);
			if (read_section(r, err) < 0)
				return -1;
		} else if (read_pair(r, err) < 0) {
			return -1;
		}
	}
}

int gate_repository_check_config(
    const char *text, size_t len, struct gate_gitconfig *config, struct err *err)
{
	struct reader r = {
		.at = text,
		.end = text + len,
		.line = 1,
		.section = BUF_INIT,
		.config = config,
	};
	int result;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		r.at += 3;
	result = read_all(&r, err);
	buf_release(&r.section);
	return result;
}
