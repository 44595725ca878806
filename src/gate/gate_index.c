/* SPDX-License-Identifier: MIT */
/*
 * Reads git's index for two things. Where the submodules are: git starts itself in each of them
 * when something is added, committed or stashed, and would run what their configuration names. And
 * which folders it names: git opens files below them without asking whether one is a link now.
 *
 * The format is gitformat-index(5), versions 2 to 4. How long an object id is stands in the
 * configuration, not here. What we read must be what git reads: an index that it would read
 * differently, or would not have written, is refused.
 */
#include "gate/gate.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/dirs.h"
#include "base/limits.h"

#define HEADER_SIZE ((size_t)12)
#define STAT_SIZE ((size_t)40) /* of an entry: times, device, inode, mode, owner, size */
#define MODE_AT ((size_t)24)
#define FLAG_EXTENDED 0x4000
#define FLAG_NAME 0x0fff /* the name's length, or all of these bits when it is longer */
#define GITLINK 0160000

/* A walk over the entries. */
struct walk {
	const unsigned char *data;
	size_t len;
	size_t at;
	size_t id_size;   /* bytes of an object id: 20 or 32 */
	unsigned version; /* 2, 3 or 4 */
	struct buf name;  /* of the entry before: version 4 writes only what differs */
	size_t found_bytes;
	struct gate_index found;
};

void gate_index_release(struct gate_index *index)
{
	strvec_release(&index->submodules);
	strvec_release(&index->folders);
}

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

/* Could git have written that name? It checks them when it writes, not when it reads, and would
 * open /etc/passwd or ../x as a file of the work tree. */
static bool is_name_good(const char *name)
{
	while (*name != '\0') {
		size_t len = strcspn(name, "/");

		if (len == 0 || (len == 1 && name[0] == '.') ||
		    (len == 2 && strncmp(name, "..", 2) == 0) ||
		    (len == 4 && strncasecmp(name, ".git", 4) == 0))
			return false;
		name += len + (name[len] == '/');
	}
	return true;
}

/* The first len bytes of the entry's name. */
static bool keep(struct walk *walk, struct strvec *list, size_t len)
{
	walk->found_bytes += len + 1;
	if (walk->found_bytes > LIMIT_INDEX_FOUND)
		return false;
	strvec_take(list, xmemdupz(walk->name.data, len));
	return true;
}

/* The folders in the entry's name from its byte `same` on: up to there it is that of the entry
 * before, whose folders are known. False when there are too many. */
static bool add_folders(struct walk *walk, size_t same)
{
	struct strvec *folders = &walk->found.folders;

	for (size_t i = same; i < walk->name.len; i++) {
		if (walk->name.data[i] == '/' &&
		    (folders->len == LIMIT_INDEX_FOLDERS || !keep(walk, folders, i)))
			return false;
	}
	return true;
}

/* The name up to its NUL; begin is where the entry began, for the padding. */
static bool read_name(struct walk *walk, size_t begin)
{
	size_t strip = walk->name.len;
	const unsigned char *end;
	size_t same = 0;
	size_t len;

	if (walk->version == 4 && (!read_strip(walk, &strip) || strip > walk->name.len))
		return false;
	end = memchr(walk->data + walk->at, '\0', walk->len - walk->at);
	if (end == NULL)
		return false;
	len = (size_t)(end - (walk->data + walk->at));
	if (walk->version == 4)
		same = walk->name.len - strip;
	else
		while (same < len && walk->name.data[same] == (char)walk->data[walk->at + same])
			same++;
	buf_truncate(&walk->name, walk->name.len - strip);
	buf_add(&walk->name, (const char *)walk->data + walk->at, len);
	walk->at += len + 1;
	if (walk->version < 4)
		walk->at = begin + ((walk->at - 1 - begin + 8) & ~(size_t)7);
	return walk->at <= walk->len && walk->name.len <= LIMIT_INDEX_NAME &&
	       is_name_good(walk->name.data) && add_folders(walk, same);
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
	walk->at += head + ((flags & FLAG_EXTENDED) != 0 ? 2 : 0);
	if (walk->at > walk->len || !read_name(walk, begin))
		return false;
	/* git goes by the length, not by the NUL: where they differ it reads other entries. */
	if ((flags & FLAG_NAME) != (walk->name.len < FLAG_NAME ? walk->name.len : FLAG_NAME))
		return false;
	return read_number(entry + MODE_AT) != GITLINK ||
	       keep(walk, &walk->found.submodules, walk->name.len);
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

static void move_all(struct strvec *from, struct strvec *to)
{
	for (size_t i = 0; i < from->len; i++)
		strvec_take(to, steal_ptr(&from->items[i]));
	from->len = 0;
	strvec_release(from);
}

int gate_index_read(const struct buf *text, size_t id_size, struct gate_index *ret_index)
{
	struct walk walk = { .data = (const unsigned char *)text->data,
		.len = text->len,
		.at = HEADER_SIZE,
		.id_size = id_size,
		.name = BUF_INIT,
		.found = GATE_INDEX_INIT };
	bool is_sound = text->len >= HEADER_SIZE && memcmp(text->data, "DIRC", 4) == 0;
	uint32_t count = is_sound ? read_number(walk.data + 8) : 0;

	walk.version = is_sound ? read_number(walk.data + 4) : 0;
	is_sound = is_sound && walk.version >= 2 && walk.version <= 4;
	for (uint32_t i = 0; is_sound && i < count; i++)
		is_sound = read_entry(&walk);
	is_sound = is_sound && skip_extensions(&walk);
	if (is_sound) {
		move_all(&walk.found.submodules, &ret_index->submodules);
		move_all(&walk.found.folders, &ret_index->folders);
	}
	buf_release(&walk.name);
	gate_index_release(&walk.found);
	return is_sound ? 0 : -1;
}

static int read_file(const char *git_dir, const char *name, size_t id_size,
    struct gate_index *ret_index, struct err *err)
{
	cleanup_free char *path = xasprintf("%s/%s", git_dir, name);
	cleanup_buf struct buf text = BUF_INIT_MAX(LIMIT_INDEX_BYTES);

	if (dirs_read_file(path, &text, err) < 0 || gate_index_read(&text, id_size, ret_index) < 0)
		return err_set(err, ERR_REPOSITORY_UNTRUSTED, "%s cannot be read", path);
	return 0;
}

int gate_index_load(
    const char *git_dir, size_t id_size, struct gate_index *ret_index, struct err *err)
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
			result = read_file(git_dir, entry->d_name, id_size, ret_index, err);
	}
	(void)closedir(dir);
	return result;
}
