/* SPDX-License-Identifier: MIT */
/* What a name says about its value, and what a value looks like. */
#include "run/run_redact.h"

#include <string.h>

#include "base/text.h"

#define NAME_MAX_LEN 64

/* Of a longer value the beginning is judged. */
#define VALUE_LOOK ((size_t)512)

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return is_lower(c) || is_upper(c);
}

static bool is_in(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

/* ---- names ---- */

/* A name in small letters without joints, and where its words begin. */
struct words {
	char text[NAME_MAX_LEN];
	bool begins[NAME_MAX_LEN];
	size_t len;
	size_t count; /* of words */
};

/* Joints: what is no letter or digit; "aB"; and "ABc" before the B. */
static void split_name(const char *name, size_t len, struct words *ret_words)
{
	bool begins = true;

	ret_words->len = 0;
	ret_words->count = 0;
	for (size_t i = 0; i < len; i++) {
		char c = name[i];

		if (!is_letter(c) && !is_digit(c)) {
			begins = true;
			continue;
		}
		if (i > 0 && is_upper(c) &&
		    (is_lower(name[i - 1]) || is_digit(name[i - 1]) ||
			(i + 1 < len && is_upper(name[i - 1]) && is_lower(name[i + 1]))))
			begins = true;
		ret_words->text[ret_words->len] = text_ascii_lower(c);
		ret_words->begins[ret_words->len++] = begins;
		ret_words->count += begins;
		begins = false;
	}
}

static bool ends_with(const struct words *words, size_t len, const char *end, size_t end_len)
{
	return len > 0 && end_len <= len && words->text[len - 1] == end[end_len - 1] &&
	       memcmp(words->text + len - end_len, end, end_len) == 0;
}

/* Digits at the end, and words that change nothing, as long as something stands before them. */
static size_t without_tails(const struct words *words)
{
	size_t len = words->len;

	while (len > 0 && is_digit(words->text[len - 1]))
		len--;
	for (size_t i = 0; words->count > 1 && redact_name_tails[i] != NULL; i++) {
		size_t tail_len = strlen(redact_name_tails[i]);

		if (len > tail_len && words->begins[len - tail_len] &&
		    ends_with(words, len, redact_name_tails[i], tail_len))
			return len - tail_len;
	}
	return len;
}

/* True when one of the words of list ends the first len letters. Where a mistake would unmask, a
 * short word must also begin there: "is" is no word of "thisPassword". */
static bool one_ends(const struct words *words, size_t len, const char *list, bool is_wary)
{
	while (list != NULL && *list != '\0') {
		size_t word_len = strcspn(list, " ");

		if (ends_with(words, len, list, word_len) &&
		    (!is_wary || word_len > 3 || words->begins[len - word_len]))
			return true;
		list += word_len + (list[word_len] == ' ' ? 1 : 0);
	}
	return false;
}

const struct redact_name *redact_judge_name(const char *name, size_t len)
{
	struct words words;
	size_t rest;

	if (len < PREFILTER_MIN || len > NAME_MAX_LEN)
		return NULL;
	split_name(name, len, &words);
	len = without_tails(&words);
	for (size_t i = 0; i < redact_names_len; i++) {
		const struct redact_name *row = &redact_names[i];

		if (!ends_with(&words, len, row->ending, row->ending_len))
			continue;
		rest = len - row->ending_len;
		if ((row->only == NULL || one_ends(&words, rest, row->only, false)) &&
		    !one_ends(&words, rest, row->unless, true))
			return row;
	}
	return NULL;
}

/* ---- values ---- */

/* What a glance over a value counts. */
struct look {
	size_t letters;
	size_t digits;
	size_t specials; /* ASCII punctuation that passwords have and names have not */
	size_t spaces;
	size_t stretches; /* of letters that read on, or of digits */
	bool is_dotted;   /* word.word: a path in source code */
};

enum letter_kind { KIND_OTHER, KIND_LOWER, KIND_UPPER, KIND_DIGIT };

static enum letter_kind kind_of(char c)
{
	if (is_lower(c))
		return KIND_LOWER;
	if (is_upper(c))
		return KIND_UPPER;
	return is_digit(c) ? KIND_DIGIT : KIND_OTHER;
}

/* A stretch ends where the kind changes, but "Word" is one. */
static bool reads_on(const char *value, size_t at)
{
	enum letter_kind kind = kind_of(value[at]);
	enum letter_kind before = kind_of(value[at - 1]);

	if (kind == before)
		return true;
	return kind == KIND_LOWER && before == KIND_UPPER &&
	       (at < 2 || kind_of(value[at - 2]) != KIND_UPPER);
}

static struct look look_at(const char *value, size_t len)
{
	struct look look = { 0 };

	for (size_t i = 0; i < len; i++) {
		char c = value[i];

		look.letters += is_letter(c);
		look.digits += is_digit(c);
		look.spaces += c == ' ' || c == '\t' || c == '\n' || c == '\r';
		look.specials += is_in(c, "!@#$%^&*?+~=");
		look.is_dotted |= c == '.' && i > 0 && i + 1 < len && is_letter(value[i + 1]);
		if (kind_of(c) != KIND_OTHER && (i == 0 || !reads_on(value, i)))
			look.stretches++;
	}
	return look;
}

/* Nothing reads on for long: words and numbers come in stretches of four and more, random
 * characters in stretches of two. */
static bool is_random(const struct look *look)
{
	size_t count = look->letters + look->digits;

	return count >= 10 && look->spaces == 0 && look->digits > 0 && look->letters > 0 &&
	       2 * count < 5 * look->stretches;
}

static bool starts(const char *value, size_t len, const char *start)
{
	size_t start_len = strlen(start);

	return len >= start_len && memcmp(value, start, start_len) == 0;
}

/* A value that stands for another: ${X}, $X, $(x), {{x}}, <x>, %s, process.env; or nothing yet. */
static bool is_reference(const char *value, size_t len)
{
	if (starts(value, len, "${") || starts(value, len, "$(") || starts(value, len, "{{") ||
	    starts(value, len, "<") || starts(value, len, "process.env") ||
	    starts(value, len, "os.environ") || starts(value, len, "env."))
		return true;
	if (value[0] == '$' && len > 2)
		return is_upper(value[1]) && (is_upper(value[2]) || value[2] == '_');
	if (starts(value, len, "0x") && len <= 18)
		return true; /* a number in source code */
	if (value[0] == '%' && len <= 3)
		return true;
	for (size_t i = 1; i < len; i++) {
		if (value[i] != value[0])
			return false;
	}
	return is_in(value[0], "*x.X-_?#");
}

static bool is_path(const char *value, size_t len, const struct look *look)
{
	return (starts(value, len, "/") || starts(value, len, "./") || starts(value, len, "../") ||
		   starts(value, len, "~/") || starts(value, len, "http://") ||
		   starts(value, len, "https://") || starts(value, len, "file:")) &&
	       !is_random(look);
}

static bool is_one_of(const char *value, size_t len, const char *const *words)
{
	for (size_t i = 0; words[i] != NULL; i++) {
		if (strlen(words[i]) == len && strncasecmp(value, words[i], len) == 0)
			return true;
	}
	return false;
}

/* A sentence: "This field may not be blank." */
static bool is_sentence(const char *value, size_t len, const struct look *look)
{
	return look->spaces >= 2 && is_in(value[len - 1], ".!?:");
}

static bool is_member_secret(
    enum redact_kind kind, const char *value, size_t len, const struct look *look)
{
	static const char *const words[] = { "true", "false", "null", "none", "nil", "undefined",
		"yes", "no", "string", "required", "optional", "redacted", NULL };

	if (is_one_of(value, len, words) || is_path(value, len, look))
		return false;
	switch (kind) {
	case REDACT_ANY:
		return !is_sentence(value, len, look);
	case REDACT_LIKELY:
		return len >= 6 && look->spaces == 0;
	case REDACT_RANDOM:
		return is_random(look);
	case REDACT_NOTHING:
		break;
	}
	return false;
}

/* In prose and source code "password: required" and "password = config.password2" are no secrets. */
static bool is_prose_secret(enum redact_kind kind, enum redact_place place, const char *value,
    size_t len, const struct look *look)
{
	if (look->spaces > 0 || is_path(value, len, look))
		return false;
	if (kind != REDACT_ANY)
		return is_random(look);
	if (place == REDACT_BARE && look->is_dotted && look->specials == 0)
		return false;
	return len >= 6 && look->letters > 0 && look->digits + look->specials > 0;
}

bool redact_judge_value(
    enum redact_kind kind, enum redact_place place, const char *value, size_t len)
{
	struct look look;

	len = len > VALUE_LOOK ? VALUE_LOOK : len;
	if (len == 0 || kind == REDACT_NOTHING || is_reference(value, len))
		return false;
	look = look_at(value, len);
	return place == REDACT_MEMBER ? is_member_secret(kind, value, len, &look)
				      : is_prose_secret(kind, place, value, len, &look);
}
