/* SPDX-License-Identifier: MIT */
/*
 * Reads git's index for one thing: where the submodules are. git starts itself in each of them
 * when something is added, committed or stashed, and would run what their configuration names.
 *
 * The format is gitformat-index(5), versions 2 to 4. How long an object id is stands in the
 * configuration, not here: both lengths are tried, and a submodule that either finds counts.
 */
#include "gate/gate.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/dirs.h"
#include "base/limits.h"

#define INDEX_MAX ((size_t)128 * MIB)
#define HEADER_SIZE ((size_t)12)
#define STAT_SIZE ((size_t)40) /* of an entry: times, device, inode, mode, owner, size */
#define MODE_AT ((size_t)24)
#define FLAG_EXTENDED 0x4000
#define GITLINK 0160000

/* Names of submodules together. Version 4 can repeat a long name in a few bytes, and would have us
 * keep it a million times. */
#define LINKS_MAX ((size_t)16 * MIB)

/* A walk over the entries. */
struct walk {
	const unsigned char *data;
	size_t len;
	size_t at;
	size_t id_size;   /* bytes of an object id: 20 or 32 */
	unsigned version; /* 2, 3 or 4 */
	struct buf name;  /* of the entry before: version 4 writes only what differs */
	struct strvec links;
	size_t links_bytes;
};

static uint32_t read_number(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* git's variable length number: seven bits a byte, each continuation counting one more. */
static bool read_strip(struct walk *walk, size_t *ret_strip)
{
	size_t value = 0;

	for (int i = 0; walk->at < walk->len && i < 5; i++) {
		unsigned char c = walk->data[walk->at++];

		value += c & 0x7f;
		if ((c & 0x80) == 0) {
			*ret_strip = value;
			return true;
		}
		value = (value + 1) << 7;
	}
	return false;
}

/* The name up to its NUL; begin is where the entry began, for the padding. */
static bool read_name(struct walk *walk, size_t begin)
{
	size_t strip = walk->name.len;
	const unsigned char *end;
	size_t len;

	if (walk->version == 4 && (!read_strip(walk, &strip) || strip > walk->name.len))
		return false;
	end = memchr(walk->data + walk->at, '\0', walk->len - walk->at);
	if (end == NULL)
		return false;
	len = (size_t)(end - (walk->data + walk->at));
	buf_truncate(&walk->name, walk->name.len - strip);
	buf_add(&walk->name, (const char *)walk->data + walk->at, len);
	walk->at += len + 1;
	if (walk->version < 4)
		walk->at = begin + ((walk->at - 1 - begin + 8) & ~(size_t)7);
	return walk->at <= walk->len;
}

static bool keep_link(struct walk *walk)
{
	walk->links_bytes += walk->name.len + 1;
	if (walk->links_bytes > LINKS_MAX)
		return false;
	strvec_push(&walk->links, walk->name.data);
	return true;
}

static bool read_entry(struct walk *walk)
{
	size_t begin = walk->at;
	size_t head = STAT_SIZE + walk->id_size + 2;
	const unsigned char *entry = walk->data + begin;
	unsigned flags;

	if (walk->len - begin < head + 2)
		return false;
	flags = (unsigned)entry[head - 2] << 8 | entry[head - 1];
	walk->at += head + (walk->version > 2 && (flags & FLAG_EXTENDED) != 0 ? 2 : 0);
	if (!read_name(walk, begin))
		return false;
	return read_number(entry + MODE_AT) != GITLINK || keep_link(walk);
}

/* Behind the entries: extensions of a name, a length and so many bytes, then the checksum. */
static bool skip_extensions(struct walk *walk)
{
	while (walk->len - walk->at >= 8 + walk->id_size) {
		size_t size = read_number(walk->data + walk->at + 4);

		if (size > walk->len - walk->at - 8)
			return false;
		walk->at += 8 + size;
	}
	return walk->len - walk->at == walk->id_size;
}

/* Adds the submodules to ret_paths; false when data is no index with ids of that size. */
static bool read_index(const struct buf *text, size_t id_size, struct strvec *ret_paths)
{
	struct walk walk = { .data = (const unsigned char *)text->data,
		.len = text->len,
		.at = HEADER_SIZE,
		.id_size = id_size,
		.name = BUF_INIT,
		.links = STRVEC_INIT };
	bool is_sound = text->len >= HEADER_SIZE && memcmp(text->data, "DIRC", 4) == 0;
	uint32_t count = is_sound ? read_number(walk.data + 8) : 0;

	walk.version = is_sound ? read_number(walk.data + 4) : 0;
	is_sound = is_sound && walk.version >= 2 && walk.version <= 4;
	for (uint32_t i = 0; is_sound && i < count; i++)
		is_sound = read_entry(&walk);
	is_sound = is_sound && skip_extensions(&walk);
	for (size_t i = 0; is_sound && i < walk.links.len; i++)
		strvec_push(ret_paths, walk.links.items[i]);
	buf_release(&walk.name);
	strvec_release(&walk.links);
	return is_sound;
}

int gate_index_read(const struct buf *index, struct strvec *ret_paths)
{
	bool is_short = read_index(index, 20, ret_paths);
	bool is_long = read_index(index, 32, ret_paths);

	return is_short || is_long ? 0 : -1;
}

static int read_file(
    const char *git_dir, const char *name, struct strvec *ret_paths, struct err *err)
{
	cleanup_free char *path = xasprintf("%s/%s", git_dir, name);
	cleanup_buf struct buf text = BUF_INIT_MAX(INDEX_MAX);

	if (dirs_read_file(path, &text, err) < 0 || gate_index_read(&text, ret_paths) < 0)
		return err_set(err, ERR_REPOSITORY_UNTRUSTED, "%s cannot be read", path);
	return 0;
}

int gate_index_submodules(const char *git_dir, struct strvec *ret_paths, struct err *err)
{
	DIR *dir = opendir(git_dir);
	const struct dirent *entry;
	int result = 0;

	if (dir == NULL)
		return err_set(err, ERR_REPOSITORY_UNTRUSTED, "%s cannot be read", git_dir);
	while (result == 0 && (entry = readdir(dir)) != NULL) {
		/* A split index keeps most entries in a file of its own. */
		if (strcmp(entry->d_name, "index") == 0 ||
		    strncmp(entry->d_name, "sharedindex.", 12) == 0)
			result = read_file(git_dir, entry->d_name, ret_paths, err);
	}
	(void)closedir(dir);
	return result;
}
