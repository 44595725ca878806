/* SPDX-License-Identifier: MIT */
/*
 * Holes: `{{name}}` in a text, and `{{{{`, which stands for two braces. Braces that are neither are
 * braces, so that most texts of other languages need no escape. A value is never looked at for
 * holes.
 */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LEN ((size_t)64)

void filling_release(struct filling *filling)
{
	for (size_t i = 0; i < filling->len; i++) {
		free(filling->items[i].name);
		free(filling->items[i].value);
	}
	free(filling->items);
	*filling = (struct filling){ 0 };
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name_byte(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool fill_is_name(const char *name, size_t len)
{
	if (len == 0 || len > NAME_MAX_LEN || !is_letter(name[0]))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!is_name_byte(name[i]))
			return false;
	}
	return true;
}

/* What stands at a place where two braces are. */
enum braces { BRACES_PLAIN, BRACES_ESCAPE, BRACES_HOLE };

static enum braces look_at_braces(const char *data, size_t len, size_t *ret_len)
{
	size_t end = 2;

	*ret_len = 1;
	if (len >= 4 && data[2] == '{' && data[3] == '{') {
		*ret_len = 4;
		return BRACES_ESCAPE;
	}
	while (end < len && end - 2 <= NAME_MAX_LEN && is_name_byte(data[end]))
		end++;
	if (len - end < 2 || data[end] != '}' || data[end + 1] != '}' ||
	    !fill_is_name(data + 2, end - 2))
		return BRACES_PLAIN;
	*ret_len = end + 2;
	return BRACES_HOLE;
}

/* The next two braces from at on; len: there are none. */
static size_t find_braces(const char *data, size_t len, size_t at)
{
	const char *found = memmem(data + at, len - at, "{{", 2);

	return found == NULL ? len : (size_t)(found - data);
}

static struct filling_value *find_value(const struct filling *filling, const char *name, size_t len)
{
	for (size_t i = 0; i < filling->len; i++) {
		if (strncmp(filling->items[i].name, name, len) == 0 &&
		    filling->items[i].name[len] == '\0')
			return &filling->items[i];
	}
	return NULL;
}

static void add_hole(struct filling *filling, const char *hole, size_t len, struct buf *out)
{
	struct filling_value *value = find_value(filling, hole + 2, len - 4);

	if (value == NULL) {
		buf_add(out, hole, len);
		return;
	}
	value->is_used = true;
	buf_adds(out, value->value);
}

void fill_text(struct filling *filling, const char *data, size_t len, struct buf *out)
{
	size_t at = 0;
	size_t step;

	while (at < len && !out->is_full) {
		size_t next = find_braces(data, len, at);

		buf_add(out, data + at, next - at);
		at = next;
		if (at == len)
			break;
		switch (look_at_braces(data + at, len - at, &step)) {
		case BRACES_ESCAPE:
			buf_adds(out, filling->keeps_escapes ? "{{{{" : "{{");
			break;
		case BRACES_HOLE:
			add_hole(filling, data + at, step, out);
			break;
		case BRACES_PLAIN:
			buf_add(out, data + at, step);
			break;
		}
		at += step;
	}
}

int fill_each_hole(
    const char *data, size_t len, hole_fn fn, void *ctx, bool *ret_is_filled, struct err *err)
{
	bool is_filled = false;
	size_t step;

	for (size_t at = find_braces(data, len, 0); at < len;
	     at = find_braces(data, len, at + step)) {
		enum braces braces = look_at_braces(data + at, len - at, &step);

		is_filled |= braces != BRACES_PLAIN;
		if (braces == BRACES_HOLE && fn(ctx, data + at + 2, step - 4, err) < 0)
			return -1;
	}
	if (ret_is_filled != NULL)
		*ret_is_filled = is_filled;
	return 0;
}

struct finder {
	const struct filling *filling;
	const char *name;
};

static int note_known(void *ctx, const char *name, size_t len, struct err *err)
{
	struct finder *finder = ctx;
	const struct filling_value *value = find_value(finder->filling, name, len);

	(void)err;
	if (value != NULL && finder->name == NULL)
		finder->name = value->name;
	return 0;
}

const char *fill_finds(const struct filling *filling, const char *data, size_t len)
{
	struct finder finder = { .filling = filling };
	cleanup_err struct err none = ERR_INIT;

	(void)!fill_each_hole(data, len, note_known, &finder, NULL, &none);
	return finder.name;
}
