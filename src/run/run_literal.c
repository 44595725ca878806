/* SPDX-License-Identifier: MIT */
/* The literal of a surface's pattern: a text without it need not be searched for the pattern. */
#include "run/run_redact.h"

#include <stdlib.h>
#include <string.h>

/* Past a class: what follows its closing bracket; NULL when there is none. */
static const char *skip_class(const char *at)
{
	at += at[1] == '^' ? 2 : 1;
	if (*at == ']')
		at++;
	while (*at != '\0' && *at != ']')
		at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
	return *at == ']' ? at + 1 : NULL;
}

/* One piece of a pattern: past it, and the character it stands for or NUL; NULL when it is none
 * that is understood here. */
static const char *skip_piece(const char *at, char *ret_literal)
{
	*ret_literal = '\0';
	if (*at == '[')
		return skip_class(at);
	if (*at != '\\') {
		if (strchr("](){}.*+?^$", *at) == NULL)
			*ret_literal = *at;
		return at + 1;
	}
	if (at[1] == '\0')
		return NULL;
	if (strchr(".-/\\+*?()[]{}^$_: ", at[1]) != NULL)
		*ret_literal = at[1];
	else if (strchr("dDwWsSbBAzZhHvVRnrtfe", at[1]) == NULL)
		return NULL;
	return at + 2;
}

static void keep_longer(struct buf *best, struct buf *run)
{
	if (run->len > best->len) {
		buf_reset(best);
		buf_add(best, run->data, run->len);
	}
	buf_reset(run);
}

/* In a group, a literal may be optional; before a quantifier, it may be too. */
char *redact_find_literal(const char *pattern)
{
	cleanup_buf struct buf run = BUF_INIT;
	cleanup_buf struct buf best = BUF_INIT;
	int depth = 0;

	if (strchr(pattern, '|') != NULL || strstr(pattern, "(?") != NULL ||
	    strstr(pattern, "(*") != NULL || strstr(pattern, "[[") != NULL)
		return NULL;
	for (const char *at = pattern; *at != '\0';) {
		char literal = '\0';
		const char *next = skip_piece(at, &literal);

		if (next == NULL)
			return NULL;
		depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
		if (literal != '\0' && depth == 0 && (*next == '\0' || !strchr("*?{", *next)))
			buf_addc(&run, literal);
		else
			keep_longer(&best, &run);
		at = next;
	}
	keep_longer(&best, &run);
	return best.len >= PREFILTER_MIN && depth == 0 ? buf_detach(&best) : NULL;
}
