/* SPDX-License-Identifier: MIT */
/*
 * Masking: where are the secrets of a text? Spans are collected from all rules, names and values
 * first, then merged and replaced in one pass, so that no rule sees what another one has written.
 */
#include "run/run_redact.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/json.h"

/* The name in the mask of a known value. */

/* What a text is replaced by that would need masks when none can be made. */
#define WITHHELD "[withheld: this text holds secrets, and the key for masks cannot be had]"

/* Ids of literals: the rules by index, then these, then the surface's patterns. */
#define ID_NAME ((unsigned)redact_rules_len)
#define ID_MASK (ID_NAME + 1)
#define ID_PATTERN (ID_NAME + 2)

/* A pattern of the surface. */
struct pattern {
	char *name;
	struct regex *regex;
	char *literal; /* in every match, or NULL: each text is searched */
};

/* A part of the text that must not leave. */
struct span {
	size_t begin;
	size_t end;
	const char *name; /* of the rule; borrowed */
	bool is_by_name;  /* found beside a name: a format that finds the same says more */
};

/* Where a rule has matched up to, or that a pattern's literal was seen, in one text. */
struct progress {
	uint64_t text; /* number of the text this is about */
	size_t until;
};

struct redactor {
	struct redact_host *host; /* borrowed */
	struct pattern *patterns; /* owned */
	size_t patterns_len;
	size_t patterns_cap;
	struct prefilter *prefilter; /* NULL until the first text; owned */
	struct progress *progress;   /* one an id; owned */
	uint64_t texts;              /* looked at so far */
	struct span *spans;          /* of the text under way; kept for the next; owned */
	size_t spans_len;
	size_t spans_cap;
};

/* ---- what a host has once ---- */

struct redact_host *redact_host_new(const char *data_dir)
{
	struct redact_host *host = xcalloc(1, sizeof(*host));

	host->data_dir = xstrdup(data_dir);
	host->rules = xcalloc(redact_rules_len, sizeof(struct regex *));
	return host;
}

void redact_host_free(struct redact_host *host)
{
	if (host == NULL)
		return;
	for (size_t i = 0; i < redact_rules_len; i++)
		regex_free(host->rules[i]);
	regex_free(host->assigned);
	regex_free(host->option);
	free(host->rules);
	free(host->data_dir);
	strvec_release(&host->paths);
	free(host);
}

/* \G pins the match to where the search begins: one try, whatever follows. Without the verb, the
 * engine would first look ahead, some thousand bytes, for a character that every match holds. */
static struct regex *anchored(struct regex **regex, const char *pattern)
{
	cleanup_free char *whole = NULL;

	if (*regex == NULL) {
		whole = xasprintf("(*NO_START_OPT)\\G(?:%s)", pattern);
		*regex = regex_new(whole);
	}
	return *regex;
}

static struct regex *rule_regex(struct redact_host *host, size_t index)
{
	return anchored(&host->rules[index], redact_rules[index].pattern);
}

/* ---- the redactor ---- */

struct redactor *redactor_new(struct redact_host *host)
{
	struct redactor *redactor = xcalloc(1, sizeof(struct redactor));

	redactor->host = host;
	return redactor;
}

struct redact_host *redactor_host(const struct redactor *redactor)
{
	return redactor->host;
}

void redactor_free(struct redactor *redactor)
{
	if (redactor == NULL)
		return;
	for (size_t i = 0; i < redactor->patterns_len; i++) {
		free(redactor->patterns[i].name);
		free(redactor->patterns[i].literal);
		regex_free(redactor->patterns[i].regex);
	}
	free(redactor->patterns);
	free(redactor->progress);
	free(redactor->spans);
	prefilter_free(redactor->prefilter);
	free(redactor);
}

void redactor_add_pattern(struct redactor *redactor, const char *name, const char *pattern)
{
	assert(redactor->prefilter == NULL);
	ARRAY_GROW(redactor->patterns, redactor->patterns_len, redactor->patterns_cap);
	redactor->patterns[redactor->patterns_len++] = (struct pattern){ .name = xstrdup(name),
		.regex = regex_new(pattern),
		.literal = redact_find_literal(pattern) };
}

static void add_rules(struct prefilter *prefilter)
{
	for (unsigned i = 0; i < redact_rules_len; i++) {
		const struct redact_rule *rule = &redact_rules[i];

		for (size_t j = 0; j < REDACT_LITERALS_MAX && rule->literals[j] != NULL; j++)
			prefilter_add(prefilter, rule->literals[j], strlen(rule->literals[j]),
			    rule->is_caseless, i);
	}
	for (size_t i = 0; i < redact_names_len; i++)
		prefilter_add(
		    prefilter, redact_names[i].ending, redact_names[i].ending_len, true, ID_NAME);
	prefilter_add(prefilter, "[masked:", strlen("[masked:"), false, ID_MASK);
}

/* Some microseconds, at the first text. */
static void prepare(struct redactor *redactor)
{
	if (redactor->prefilter != NULL)
		return;
	redactor->prefilter = prefilter_new();
	add_rules(redactor->prefilter);
	for (unsigned i = 0; i < redactor->patterns_len; i++) {
		const char *literal = redactor->patterns[i].literal;

		if (literal != NULL)
			prefilter_add(
			    redactor->prefilter, literal, strlen(literal), false, ID_PATTERN + i);
	}
	prefilter_build(redactor->prefilter);
	redactor->progress =
	    xcalloc(ID_PATTERN + redactor->patterns_len, sizeof(*redactor->progress));
}

/* ---- spans ---- */

/* One text under way. */
struct search {
	struct redactor *redactor;
	const char *data;
	size_t len;
	size_t masked_until; /* end of the last mask of ours: what it says is no name */
	size_t named_until;  /* end of the last name that was judged */
	size_t bare_until;   /* end of the last value without quotes */
	size_t value_until;  /* end of the last value that was masked */
	const char *failed;  /* name of a rule whose engine gave up, or NULL */
};

/* Adds a span, or lengthens the last one when the same rule goes on where it overlaps. */
static struct span *add_span(struct redactor *redactor, size_t begin, size_t end, const char *name)
{
	struct span *last =
	    redactor->spans_len > 0 ? &redactor->spans[redactor->spans_len - 1] : NULL;

	if (last != NULL && last->name == name && begin >= last->begin && begin < last->end) {
		last->end = end > last->end ? end : last->end;
		return last;
	}
	ARRAY_GROW(redactor->spans, redactor->spans_len, redactor->spans_cap);
	redactor->spans[redactor->spans_len] =
	    (struct span){ .begin = begin, .end = end, .name = name };
	return &redactor->spans[redactor->spans_len++];
}

/* Occurrences may overlap ("abab" in "ababab"), so the search goes on one byte further. */
static void find_value(struct redactor *redactor, const char *value, const char *data, size_t len)
{
	size_t value_len = strlen(value);
	size_t at = 0;

	while (at < len) {
		const char *hit = memmem(data + at, len - at, value, value_len);

		if (hit == NULL)
			return;
		at = (size_t)(hit - data);
		add_span(redactor, at, at + value_len, REDACT_VALUE_NAME);
		at++;
	}
}

static void find_pattern(struct search *s, const struct pattern *pattern)
{
	struct regex_match match;
	bool has_failed = false;
	size_t at = 0;

	while (at <= s->len &&
	       regex_search_utf8(pattern->regex, s->data, s->len, at, &match, &has_failed)) {
		uint32_t ignored = 0;

		at = match.end[0];
		if (match.end[0] > match.begin[0])
			add_span(s->redactor, match.begin[0], match.end[0], pattern->name);
		else
			at += at < s->len ? text_decode(s->data + at, s->len - at, &ignored) : 1;
	}
	if (has_failed)
		s->failed = pattern->name;
}

/* ---- formats ---- */

/* True when what stands there is masked already. */
static bool is_mask(const struct search *s, size_t begin, size_t end)
{
	return redact_mask_len(s->redactor->host, s->data + begin, end - begin) == end - begin;
}

/* The literal of a rule stands at `at`: does the pattern confirm it? */
static void try_rule(struct search *s, unsigned id, size_t at)
{
	const struct redact_rule *rule = &redact_rules[id];
	struct progress *progress = &s->redactor->progress[id];
	struct regex_match match;
	bool has_failed = false;
	size_t group;

	if (progress->text == s->redactor->texts && at < progress->until)
		return; /* within the last match */
	if (at < rule->before || ((unsigned char)s->data[at - rule->before] & 0xc0) == 0x80)
		return;
	if (!regex_match_utf8(rule_regex(s->redactor->host, id), s->data, s->len, at - rule->before,
		&match, &has_failed)) {
		if (has_failed)
			s->failed = rule->name;
		return;
	}
	group = match.groups_len > 1 && match.begin[1] != SIZE_MAX ? 1 : 0;
	if (!is_mask(s, match.begin[group], match.end[group]))
		(void)add_span(s->redactor, match.begin[group], match.end[group], rule->name);
	*progress = (struct progress){ .text = s->redactor->texts, .until = match.end[0] };
}

/* ---- values beside names ---- */

#define NAME_REACH ((size_t)64)

static bool is_name_char(char c)
{
	return text_is_word_char(c) || c == '-';
}

static bool is_value_char(char c)
{
	return (unsigned char)c > ' ' && strchr("\"'`<>,;&|(){}[]\\", c) == NULL;
}

/* Only capitals: a variable of the environment. */
static bool is_variable(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (name[i] >= 'a' && name[i] <= 'z')
			return false;
	}
	return true;
}

/* Data, where any value counts ("name": "value", NAME=value), or what may be prose or code? */
static enum redact_place place_of(
    const struct search *s, size_t begin, size_t end, bool is_value_quoted)
{
	bool is_name_quoted = begin > 0 && s->data[begin - 1] == '"' && end < s->len &&
			      (s->data[end] == '"' || s->data[end] == '\\');

	if (is_value_quoted && is_name_quoted)
		return REDACT_MEMBER;
	if (end < s->len && s->data[end] == '=' && is_variable(s->data + begin, end - begin))
		return REDACT_MEMBER;
	return is_value_quoted ? REDACT_QUOTED : REDACT_BARE;
}

/* What a bare value that ends at `to` gives away as source code: a call, an index, an arrow, or a
 * name in angle brackets that is no <name>value</name>. */
static bool is_code(const struct search *s, size_t begin, size_t end, size_t to)
{
	char next = '\0';

	if (to < s->len)
		next = s->data[to];
	if (s->data[end] == '>')
		return begin == 0 || s->data[begin - 1] != '<' || next != '<';
	return next == '(' || next == '[' || next == '{' || (next == '>' && s->data[to - 1] == '-');
}

/* The pattern looks at the first thousand bytes of a bare value; the rest goes with them. What was
 * walked over once is not walked over again: "password=password=…". */
static size_t end_of_bare(struct search *s, size_t from, size_t to)
{
	if (from < s->bare_until)
		return s->bare_until;
	while (to < s->len && is_value_char(s->data[to]))
		to++;
	s->bare_until = to;
	return to;
}

/* The value of the name that stands from begin to end. */
static void try_value(struct search *s, const struct redact_name *name, size_t begin, size_t end,
    const struct regex_match *match)
{
	bool is_quoted = match->begin[2] != SIZE_MAX;
	size_t from = match->begin[is_quoted ? 2 : 3];
	size_t to = match->end[is_quoted ? 2 : 3];
	enum redact_place place = place_of(s, begin, end, is_quoted);

	if (from < s->value_until)
		return;
	if (!is_quoted)
		to = end_of_bare(s, from, to);
	if (!is_quoted && is_code(s, begin, end, to))
		return;
	if (is_mask(s, from, to) ||
	    !redact_judge_value(name->kind, place, s->data + from, to - from))
		return;
	add_span(s->redactor, from, to, name->ending)->is_by_name = true;
	s->value_until = to;
}

/* The ending of a secret's name stands at `at`: is the whole name one, and is a value beside it? */
static void try_name(struct search *s, size_t at)
{
	struct redact_host *host = s->redactor->host;
	const struct redact_name *name;
	struct regex_match match;
	bool has_failed = false;
	size_t begin = at;
	size_t end = at;

	if (at < s->named_until)
		return;
	while (begin > 0 && at - begin < NAME_REACH && is_name_char(s->data[begin - 1]))
		begin--;
	while (end < s->len && end - at < NAME_REACH && is_name_char(s->data[end]))
		end++;
	s->named_until = end;
	if (begin >= 2 && s->data[begin - 1] == '/' && s->data[begin - 2] == '/')
		return; /* the user of a URL: its password has a rule */
	name = redact_judge_name(s->data + begin, end - begin);
	if (name == NULL)
		return;
	if (regex_match_utf8(anchored(&host->assigned, redact_assigned_pattern), s->data, s->len,
		end, &match, &has_failed) ||
	    (!has_failed && s->data[begin] == '-' &&
		regex_match_utf8(anchored(&host->option, redact_option_pattern), s->data, s->len,
		    end, &match, &has_failed)))
		try_value(s, name, begin, end, &match);
	if (has_failed)
		s->failed = name->ending;
}

/* ---- all of it ---- */

static void on_literal(void *ctx, unsigned id, size_t at)
{
	struct search *s = ctx;

	if (at < s->masked_until)
		return;
	if (id < ID_NAME)
		try_rule(s, id, at);
	else if (id == ID_NAME)
		try_name(s, at);
	else if (id == ID_MASK)
		s->masked_until =
		    at + redact_mask_len(s->redactor->host, s->data + at, s->len - at);
	else
		s->redactor->progress[id].text = s->redactor->texts;
}

/* Collects the spans of data (UTF-8). An engine that gave up makes one span of everything. */
static void find_spans(
    struct redactor *redactor, const struct redactor_values *values, const char *data, size_t len)
{
	struct search s = { .redactor = redactor, .data = data, .len = len };

	prepare(redactor);
	redactor->texts++;
	redactor->spans_len = 0;
	for (size_t i = 0; values != NULL && i < values->items.len; i++)
		find_value(redactor, values->items.items[i], data, len);
	prefilter_scan(redactor->prefilter, data, len, on_literal, &s);
	for (size_t i = 0; i < redactor->patterns_len; i++) {
		if (redactor->patterns[i].literal == NULL ||
		    redactor->progress[ID_PATTERN + i].text == redactor->texts)
			find_pattern(&s, &redactor->patterns[i]);
	}
	if (s.failed != NULL) {
		redactor->spans_len = 0;
		add_span(redactor, 0, len, s.failed);
	}
}

static int compare_spans(const void *left, const void *right)
{
	const struct span *a = left;
	const struct span *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? 1 : -1;
	return (int)a->is_by_name - (int)b->is_by_name;
}

/* Writes data with one mask for each run of overlapping spans, named after its first. */
static size_t add_masked(
    const struct redactor *redactor, const char *data, size_t len, struct buf *ret_text)
{
	size_t masks = 0;
	size_t at = 0;

	for (size_t i = 0; i < redactor->spans_len;) {
		struct span span = redactor->spans[i];

		for (i++; i < redactor->spans_len && redactor->spans[i].begin < span.end; i++) {
			if (redactor->spans[i].end > span.end)
				span.end = redactor->spans[i].end;
		}
		buf_add(ret_text, data + at, span.begin - at);
		redact_add_mask(redactor->host, span.name, ret_text);
		at = span.end;
		masks++;
	}
	buf_add(ret_text, data + at, len - at);
	return masks;
}

bool redact_mask(struct redactor *redactor, const struct redactor_values *values, const char *data,
    size_t len, struct buf *ret_text, size_t *ret_masks, struct err *err)
{
	find_spans(redactor, values, data, len);
	*ret_masks = 0;
	if (redactor->spans_len == 0)
		return false;
	if (redact_host_marker(redactor->host, err) == NULL)
		return true;
	if (redactor->spans_len > 1)
		qsort(
		    redactor->spans, redactor->spans_len, sizeof(*redactor->spans), compare_spans);
	*ret_masks = add_masked(redactor, data, len, ret_text);
	return true;
}

/* ---- text ---- */

/* Bytes that are no UTF-8 would keep a pattern from matching at all: they are made visible. */
static void add_utf8(struct buf *buf, const char *data, size_t len)
{
	size_t at = 0;

	while (at < len) {
		uint32_t ignored = 0;
		size_t step = text_decode(data + at, len - at, &ignored);

		if (step == 0)
			buf_addf(buf, "\\x{%02X}", (unsigned char)data[at]);
		else
			buf_add(buf, data + at, step);
		at += step == 0 ? 1 : step;
	}
}

static size_t mask_utf8(struct redactor *redactor, const struct redactor_values *values,
    const char *data, size_t len, struct buf *ret_text)
{
	cleanup_err struct err err = ERR_INIT;
	size_t masks = 0;

	if (!redact_mask(redactor, values, data, len, ret_text, &masks, &err)) {
		buf_add(ret_text, data, len);
	} else if (err_is_set(&err)) {
		buf_adds(ret_text, WITHHELD);
		return 1;
	}
	return masks;
}

size_t redact_text(struct redactor *redactor, const struct redactor_values *values,
    const char *data, size_t len, struct buf *ret_text)
{
	cleanup_buf struct buf valid = BUF_INIT;

	if (text_is_utf8(data, len))
		return mask_utf8(redactor, values, data, len, ret_text);
	add_utf8(&valid, data, len);
	return mask_utf8(redactor, values, valid.data, valid.len, ret_text);
}

size_t redact_stderr(struct redactor *redactor, const struct redactor_values *values,
    const char *data, size_t len, struct buf *ret_text)
{
	cleanup_buf struct buf masked = BUF_INIT;
	size_t masks = redact_text(redactor, values, data, len, &masked);

	redact_paths(redactor->host, masked.data, masked.len, ret_text);
	return masks;
}

void redact_strip_paths(
    const struct redactor *redactor, const char *data, size_t len, struct buf *ret_text)
{
	redact_paths(redactor->host, data, len, ret_text);
}
