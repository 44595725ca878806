/* SPDX-License-Identifier: MIT */
/* Is a name what some file system takes for another one? HFS+ ignores case and invisible characters, NTFS
 * and FAT drop dots and spaces at the end, cut at a colon, and know a file by a short name as well. */
#include "base/text.h"

#include <string.h>

#include "base/mem.h"

/* How many bytes at the start are what some file system takes for an i: the dotless letter, the dotted
 * one. */
static size_t odd_i(const char *data, size_t len)
{
	static const char *const letters[] = { "\xc4\xb1", "i\xcc\x87" };

	for (size_t i = 0; i < ARRAY_LEN(letters); i++) {
		size_t size = strlen(letters[i]);

		if (len >= size && memcmp(data, letters[i], size) == 0)
			return size;
	}
	return 0;
}

static void plain_i(struct buf *key)
{
	size_t to = 0;

	for (size_t at = 0; at < key->len; to++) {
		size_t odd = odd_i(key->data + at, key->len - at);

		key->data[to] = key->data[at];
		if (odd > 0)
			key->data[to] = 'i';
		at += odd > 0 ? odd : 1;
	}
	buf_truncate(key, to);
}

/* The shortest form of the name that some file system knows it by. */
static void add_key(struct buf *key, const char *name, size_t len)
{
	const char *colon;

	text_add_folded(key, name, len);
	plain_i(key);
	colon = memchr(key->data, ':', key->len);
	if (colon != NULL)
		buf_truncate(key, (size_t)(colon - key->data));
	while (key->len > 0 && (key->data[key->len - 1] == '.' || key->data[key->len - 1] == ' '))
		buf_truncate(key, key->len - 1);
}

/* "git~1": what FAT and NTFS call ".git" as well. */
static bool is_short_name(const char *key, const char *name)
{
	size_t len = strlen(name);

	return strncmp(key, name, len) == 0 && key[len] == '~' && key[len + 1] != '\0' &&
	       strspn(key + len + 1, "0123456789") == strlen(key + len + 1);
}

bool text_is_called(const char *name, const char *word)
{
	for (const char *at = name;;) {
		cleanup_buf struct buf key = BUF_INIT;
		size_t len = strcspn(at, "\\");

		add_key(&key, at, len);
		if ((key.data[0] == '.' && strcmp(key.data + 1, word) == 0) ||
		    is_short_name(key.data, word))
			return true;
		if (at[len] == '\0')
			return false;
		at += len + 1;
	}
}
