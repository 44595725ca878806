/* SPDX-License-Identifier: MIT */
/*
 * Words: the grammar of holes (section 3), one everywhere. What a hole may mean in a given place
 * is decided by those who compile that place.
 */
#include "surface/surface_internal.h"

#include <string.h>

#include "base/num.h"
#include "base/text.h"

#define NAME_MAX_LEN ((size_t)64)

/* The facts behind a dollar sign. */
static const struct {
	const char *name;
	enum hole_kind kind;
} facts[] = {
	{ "exit", HOLE_EXIT },
	{ "stdout", HOLE_STDOUT },
	{ "stderr", HOLE_STDERR },
	{ "count", HOLE_COUNT },
	{ "n", HOLE_N },
	{ "workspace", HOLE_WORKSPACE },
	{ "stage", HOLE_STAGE },
	{ "root", HOLE_ROOT },
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t name_len(const char *text, size_t len)
{
	size_t n = 0;

	if (len == 0 || !is_letter(text[0]))
		return 0;
	while (n < len && n < NAME_MAX_LEN && text_is_word_char(text[n]))
		n++;
	return n;
}

static int fail(const char *text, size_t len, const char *why, struct err *err)
{
	cleanup_buf struct buf shown = BUF_INIT;

	text_add_visible(&shown, text, text_cut(text, len, 80));
	return err_set(err, ERR_CONFIGURATION, "the hole {%s} %s", shown.data, why);
}

static int compile_fact(const char *text, size_t len, struct piece *piece, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
		if (strlen(facts[i].name) == len - 1 &&
		    memcmp(facts[i].name, text + 1, len - 1) == 0) {
			piece->kind = facts[i].kind;
			return 0;
		}
	}
	return fail(text, len, "is no fact this language has", err);
}

/* What stands behind a name: /member, :8 or nothing. */
static int compile_suffix(struct arena *arena, const char *text, size_t len, size_t at,
    struct piece *piece, struct err *err)
{
	cleanup_free char *digits = NULL;
	int64_t first;

	if (at == len)
		return 0;
	if (text[at] == '/') {
		piece->pointer = arena_strdup(arena, text + at, len - at);
		return surface_pointer_is_valid(piece->pointer, false)
			   ? 0
			   : fail(text, len, "holds no JSON pointer behind the name", err);
	}
	if (text[at] != ':')
		return fail(text, len, "is neither {name}, {name/member} nor {name:8}", err);
	digits = xmemdupz(text + at + 1, len - at - 1);
	if (num_parse(digits, 1, 1000, &first, err) < 0)
		return fail(text, len, "wants a number of characters from 1 to 1000", err);
	piece->first = (unsigned)first;
	return 0;
}

static int compile_named(
    struct arena *arena, const char *text, size_t len, struct piece *piece, struct err *err)
{
	size_t n = name_len(text, len);

	if (n == 0)
		return fail(
		    text, len, "is none of this language (write {{ for a literal brace)", err);
	piece->kind = HOLE_INPUT;
	piece->name = arena_strdup(arena, text, n);
	return compile_suffix(arena, text, len, n, piece, err);
}

/* text is what stands between the braces. */
static int compile_hole(
    struct arena *arena, const char *text, size_t len, struct piece *piece, struct err *err)
{
	piece->is_hole = true;
	piece->input = -1;
	if (len == 0) {
		piece->kind = HOLE_ITEM;
		return 0;
	}
	if (text[0] == '$')
		return compile_fact(text, len, piece, err);
	if (text[0] == '/') {
		piece->kind = HOLE_POINTER;
		piece->pointer = arena_strdup(arena, text, len);
		return surface_pointer_is_valid(piece->pointer, true)
			   ? 0
			   : fail(text, len, "is no JSON pointer", err);
	}
	if (text[0] != '.')
		return compile_named(arena, text, len, piece, err);
	if (len == 1 || name_len(text + 1, len - 1) != len - 1)
		return fail(text, len, "names no member", err);
	piece->kind = HOLE_MEMBER;
	piece->name = arena_strdup(arena, text + 1, len - 1);
	return 0;
}

/* The most pieces that text can have: each hole, and a literal before and after it. */
static size_t count_pieces(const char *text)
{
	size_t n = 1;

	for (; *text != '\0'; text++)
		n += *text == '{' ? 2 : 0;
	return n;
}

/* Copies literal text up to the next hole, {{ becoming {; returns where it stopped. */
static const char *compile_literal(struct arena *arena, const char *text, struct piece *piece)
{
	cleanup_buf struct buf literal = BUF_INIT;

	while (*text != '\0' && (text[0] != '{' || text[1] == '{')) {
		buf_addc(&literal, *text);
		text += text[0] == '{' ? 2 : 1;
	}
	piece->text = arena_strdup(arena, literal.data, literal.len);
	piece->len = literal.len;
	piece->input = -1;
	return text;
}

int surface_word_compile(
    struct arena *arena, const char *text, struct word *ret_word, struct err *err)
{
	struct word word = { .pieces =
				 arena_alloc(arena, count_pieces(text), sizeof(*word.pieces)) };

	while (*text != '\0') {
		struct piece *piece = &word.pieces[word.len++];
		const char *end;

		if (text[0] != '{' || text[1] == '{') {
			text = compile_literal(arena, text, piece);
			continue;
		}
		end = strchr(text, '}');
		if (end == NULL)
			return err_set(err, ERR_CONFIGURATION,
			    "'{' without its '}' (write {{ for a literal brace)");
		if (compile_hole(arena, text + 1, (size_t)(end - text - 1), piece, err) < 0)
			return -1;
		text = end + 1;
	}
	*ret_word = word;
	return 0;
}

bool surface_word_is_literal(const struct word *word)
{
	return word->len == 0 || (word->len == 1 && !word->pieces[0].is_hole);
}

bool surface_word_is_hole(const struct word *word)
{
	return word->len == 1 && word->pieces[0].is_hole;
}

bool surface_pointer_is_valid(const char *pointer, bool allows_star)
{
	if (*pointer != '\0' && *pointer != '/')
		return false;
	for (; *pointer != '\0'; pointer++) {
		if (*pointer == '~' && pointer[1] != '0' && pointer[1] != '1')
			return false;
		if (!allows_star && pointer[0] == '/' && pointer[1] == '*' &&
		    (pointer[2] == '\0' || pointer[2] == '/'))
			return false;
	}
	return true;
}
