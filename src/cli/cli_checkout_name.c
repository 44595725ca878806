/* SPDX-License-Identifier: MIT */
/*
 * Which names of the vault may become local ones. A folder that was checked out is a place where people
 * and agents run programs, and git, for one, runs what a `.git` there tells it to. So nothing is written
 * that any file system takes for it: HFS+ ignores case and invisible characters, NTFS and FAT drop dots
 * and spaces at the end, cut at a colon, and know a file by a short name as well.
 */
#include "cli/cli_checkout.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define NAME_MAX_BYTES ((size_t)255)
#define FAULTS_SHOWN 20
#define FAULTS_LISTED 1000

/* ---- faults ---- */

void checkout_faults_release(struct checkout_faults *faults)
{
	buf_release(&faults->text);
	buf_release(&faults->json);
}

void checkout_fault(struct checkout_faults *faults, const char *path, const char *reason)
{
	if (faults->len == 0)
		faults->w = JSON_WRITER_INIT(&faults->json);
	if (faults->len++ == 0)
		json_write_array_begin(&faults->w);
	if (faults->len <= FAULTS_SHOWN) {
		buf_adds(&faults->text, "\n  ");
		text_add_visible(&faults->text, path, strlen(path));
		buf_addf(&faults->text, ": %s", reason);
	}
	if (faults->len > FAULTS_LISTED)
		return;
	json_write_object_begin(&faults->w);
	json_write_member_string(&faults->w, "path", path);
	json_write_member_string(&faults->w, "reason", reason);
	json_write_object_end(&faults->w);
}

int checkout_faults_check(
    struct checkout_faults *faults, enum err_code code, const char *what, struct err *err)
{
	struct buf details = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&details);

	if (faults->len == 0)
		return 0;
	json_write_array_end(&faults->w);
	if (faults->len > FAULTS_SHOWN)
		buf_addf(&faults->text, "\n  and %zu more", faults->len - FAULTS_SHOWN);
	json_write_object_begin(&w);
	json_write_member_raw(&w, "refused", faults->json.data);
	json_write_member_int(&w, "count", (int64_t)faults->len);
	json_write_object_end(&w);
	(void)err_set(err, code, "%s:%s", what, faults->text.data);
	return err_take_details(err, buf_detach(&details));
}

/* ---- one name ---- */

bool checkout_name_is_git(const char *name)
{
	return text_is_utf8(name, strlen(name)) && text_is_called(name, "git");
}

bool checkout_name_is_own(const char *name)
{
	return text_is_utf8(name, strlen(name)) && text_is_called(name, "stile");
}

static bool has_control(const char *name, size_t len)
{
	size_t step;

	for (size_t at = 0; at < len; at += step) {
		uint32_t codepoint = 0;

		step = text_decode(name + at, len - at, &codepoint);
		if (codepoint < 0x20 || (codepoint >= 0x7f && codepoint < 0xa0) ||
		    codepoint == 0x2028 || codepoint == 0x2029)
			return true;
	}
	return false;
}

static bool is_composed(const char *name, size_t len)
{
	cleanup_buf struct buf composed = BUF_INIT;

	text_add_composed(&composed, name, len);
	return composed.len == len && memcmp(composed.data, name, len) == 0;
}

const char *checkout_name_fault(const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return "this is no name";
	if (len > NAME_MAX_BYTES)
		return "a name has at most 255 bytes";
	if (strchr(name, '/') != NULL)
		return "a name has no slash";
	if (!text_is_utf8(name, len))
		return "a name is UTF-8";
	if (has_control(name, len))
		return "a name has no control character";
	if (!is_composed(name, len))
		return "a name is in composed form (NFC)";
	if (text_is_called(name, "git"))
		return "git would take it for its own, and obey it";
	if (text_is_called(name, "stile"))
		return "stile keeps its record under this name";
	return NULL;
}

const char *checkout_path_fault(const char *path)
{
	int depth = 0;

	for (const char *at = path;;) {
		size_t len = strcspn(at, "/");
		cleanup_free char *name = xmemdupz(at, len);
		const char *fault = checkout_name_fault(name);

		if (fault != NULL)
			return fault;
		if (++depth > CHECKOUT_DEPTH_MAX)
			return "folders nest at most 64 deep";
		if (at[len] == '\0')
			return NULL;
		at += len + 1;
	}
}

/* ---- names beside each other ---- */

struct twin {
	char *key; /* owned */
	const char *path;
};

static int compare_twins(const void *a, const void *b)
{
	const struct twin *x = a;
	const struct twin *y = b;
	int order = strcmp(x->key, y->key);

	return order != 0 ? order : strcmp(x->path, y->path);
}

static char *key_of(const char *path)
{
	struct buf key = BUF_INIT;

	text_add_folded(&key, path, strlen(path));
	return buf_detach(&key);
}

static void tell_twins(const struct twin *twins, size_t len, struct checkout_faults *faults)
{
	for (size_t i = 1; i < len; i++) {
		cleanup_free char *reason = NULL;

		if (strcmp(twins[i - 1].key, twins[i].key) != 0 ||
		    strcmp(twins[i - 1].path, twins[i].path) == 0)
			continue;
		reason =
		    xasprintf("a file system that ignores case takes it for %s", twins[i - 1].path);
		checkout_fault(faults, twins[i].path, reason);
	}
}

void checkout_find_twins(const char *const *paths, size_t len, struct checkout_faults *faults)
{
	struct twin *twins = xcalloc(len + 1, sizeof(*twins));

	for (size_t i = 0; i < len; i++)
		twins[i] = (struct twin){ .key = key_of(paths[i]), .path = paths[i] };
	qsort(twins, len, sizeof(*twins), compare_twins);
	tell_twins(twins, len, faults);
	for (size_t i = 0; i < len; i++)
		free(twins[i].key);
	free(twins);
}
