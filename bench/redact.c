/* SPDX-License-Identifier: MIT */
/*
 * Redaction of clean text: our prefilter with its rules, beside one PCRE2 alternation of the same
 * patterns (JIT), on the same bytes in the same run. And a JSON result of 64 KiB, and what the
 * first text costs.
 *
 *	bench_redact FILE...        (clean ones: those of tests/data/redact)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/dirs.h"
#include "base/limits.h"
#include "json/json.h"
#include "run/run_redact.h"

#define ROUNDS 15

/* Processor time of ours: a busy machine does not count. */
static double now_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void fill(struct buf *text, const struct buf *part, size_t wanted)
{
	if (part->len == 0)
		fatal(2, "the files are empty");
	while (text->len < wanted)
		buf_add(text, part->data, part->len);
}

static void print_speed(const char *name, size_t len, double best_us)
{
	printf("%-34s %8.0f MB/s   %6.2f us a KB\n", name, (double)len / best_us,
	    best_us / ((double)len / 1024.0));
}

/* ---- text ---- */

static double time_ours(struct redactor *redactor, const struct buf *text)
{
	cleanup_buf struct buf out = BUF_INIT;
	double best = 1e18;

	for (int i = 0; i < ROUNDS; i++) {
		double start = now_us();
		double took;

		buf_reset(&out);
		(void)redact_text(redactor, NULL, text->data, text->len, &out);
		took = now_us() - start;
		best = took < best ? took : best;
	}
	return best;
}

/* The edge before a literal would keep the engine from looking for the literal first: it goes, to
 * the alternation's advantage. */
static const char *without_edge(const char *pattern)
{
	static const char end[] = "(?<=%[0-9A-Fa-f][0-9A-Fa-f]))";
	const char *at = strstr(pattern, end);

	return at != NULL ? at + strlen(end) : pattern;
}

static struct regex *make_alternation(void)
{
	cleanup_buf struct buf pattern = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;
	struct regex *regex;

	for (size_t i = 0; i < redact_rules_len; i++)
		buf_addf(
		    &pattern, "%s(?:%s)", i == 0 ? "" : "|", without_edge(redact_rules[i].pattern));
	for (size_t i = 0; i < redact_names_len; i++)
		buf_addf(&pattern, "|(?i:%s)[ \"']{0,2}[=:] {0,4}[\"']?[^\\s\"']{4,}",
		    redact_names[i].ending);
	regex = regex_new(pattern.data);
	if (regex_check(regex, &err) < 0)
		fatal(1, "%s", err.message);
	return regex;
}

/* All matches, of which clean text has few. */
static double time_alternation(struct regex *regex, const struct buf *text)
{
	double best = 1e18;

	for (int i = 0; i < ROUNDS / 5; i++) {
		double start = now_us();
		struct regex_match match;
		size_t at = 0;
		double took;

		while (regex_search_utf8(regex, text->data, text->len, at, &match, NULL))
			at = match.end[0];
		took = now_us() - start;
		best = took < best ? took : best;
	}
	return best;
}

/* ---- JSON ---- */

/* Records with short strings, as results are; each line of the text is the title of one. */
static void make_json(struct buf *json, const struct buf *text)
{
	struct json_writer w = JSON_WRITER_INIT(json);
	const char *at = text->data;

	json_write_object_begin(&w);
	json_write_key(&w, "items");
	json_write_array_begin(&w);
	for (int64_t id = 1; json->len < 64 * KIB; id++) {
		size_t len = strcspn(at, "\n");

		json_write_object_begin(&w);
		json_write_member_int(&w, "id", id);
		json_write_key(&w, "title");
		json_write_string_len(&w, at, len < 60 ? len : 60);
		json_write_member_string(&w, "kind", "note");
		json_write_member_bool(&w, "isDone", false);
		json_write_object_end(&w);
		at = at[len] == '\0' ? text->data : at + len + 1;
	}
	json_write_array_end(&w);
	json_write_object_end(&w);
}

static double time_json(struct redactor *redactor, const struct buf *json)
{
	cleanup_buf struct buf out = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;
	double best = 1e18;

	for (int i = 0; i < 40 * ROUNDS; i++) {
		size_t masks = 0;
		size_t escaped = 0;
		double start = now_us();
		double took;

		buf_reset(&out);
		if (redact_json(
			redactor, NULL, json->data, json->len, &out, &masks, &escaped, &err) < 0)
			fatal(1, "%s", err.message);
		took = now_us() - start;
		best = took < best ? took : best;
	}
	return best;
}

static double time_reading(const struct buf *json)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	double best = 1e18;

	for (int i = 0; i < 40 * ROUNDS; i++) {
		double start = now_us();
		double took;

		if (json_read(&doc, json->data, json->len, &err) < 0)
			fatal(1, "%s", err.message);
		took = now_us() - start;
		best = took < best ? took : best;
	}
	return best;
}

int main(int argc, char **argv)
{
	cleanup_buf struct buf files = BUF_INIT;
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_buf struct buf out = BUF_INIT;
	struct redact_host *host = redact_host_new(NULL);
	struct redactor *redactor = redactor_new(host);
	struct regex *alternation = make_alternation();
	cleanup_err struct err err = ERR_INIT;
	double start = now_us();
	double ours;
	double theirs;

	(void)redact_text(redactor, NULL, "a first text", 12, &out);
	printf("%-34s %8.1f us\n", "the first text of a redactor", now_us() - start);
	for (int i = 1; i < argc; i++) {
		if (dirs_read_file(argv[i], &files, &err) < 0)
			fatal(2, "%s", err.message);
	}
	fill(&text, &files, 4 * MIB);
	ours = time_ours(redactor, &text);
	theirs = time_alternation(alternation, &text);
	print_speed("ours, rules and names", text.len, ours);
	print_speed("one PCRE2 alternation, JIT", text.len, theirs);
	printf("%-34s %8.1f\n", "times as fast", theirs / ours);
	make_json(&json, &files);
	printf("%-34s %8.0f us, of which %.0f us are reading\n", "a JSON result of 64 KiB",
	    time_json(redactor, &json), time_reading(&json));
	regex_free(alternation);
	redactor_free(redactor);
	redact_host_free(host);
	return 0;
}
