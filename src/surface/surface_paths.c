/* SPDX-License-Identifier: MIT */
/*
 * Paths below the launch roots (DESIGN §5.2, clients.md Q44 to Q46). The kernel resolves: the
 * longest part that exists is given to realpath(3), and only that answer is compared. What does
 * not exist yet may hold neither `..` nor a link. Called once before the gates and once more right
 * before the words are made; the window that remains to the program's own open is SECURITY.md's.
 */
#include "surface/surface_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dirs.h"
#include "base/text.h"

/* One value being resolved. */
struct resolving {
	const struct surface_launch *launch;
	enum input_path mark;
	const char *pointer; /* of the argument, for errors */
	struct err *err;
};

static int refuse(const struct resolving *r, const char *why)
{
	return surface_argument_error(r->err, r->pointer, "x-path", "%s", why);
}

/* ---- below what? ---- */

static bool is_same_file(const char *path, const struct stat *file)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

/* By identity, for the path and each folder above it: a bind mount, a hard link or a closed entry
 * that is itself named by a link does not get around it. */
static bool is_inside_file(const char *path, const struct stat *file)
{
	cleanup_free char *at = xstrdup(path);
	char *slash;

	if (is_same_file(at, file))
		return true;
	while ((slash = strrchr(at, '/')) != NULL && slash > at) {
		*slash = '\0';
		if (is_same_file(at, file))
			return true;
	}
	return false;
}

static bool is_closed(const char *path, const struct strvec *closed)
{
	if (dirs_is_below_any(path, closed))
		return true;
	for (size_t i = 0; closed != NULL && i < closed->len; i++) {
		struct stat st;

		if (stat(closed->items[i], &st) == 0 && is_inside_file(path, &st))
			return true;
	}
	return false;
}

/* ---- the longest existing ancestor ---- */

/* A path cut at its slashes: `parts` without empty ones and `.`. */
static void split(const char *path, struct strvec *ret_parts)
{
	while (*path != '\0') {
		size_t len = strcspn(path, "/");

		if (len > 0 && !(len == 1 && path[0] == '.'))
			strvec_take(ret_parts, xmemdupz(path, len));
		path += len + (path[len] == '/');
	}
}

static void join(struct buf *buf, const struct strvec *parts, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (buf->len == 0 || buf->data[buf->len - 1] != '/')
			buf_addc(buf, '/');
		buf_adds(buf, parts->items[i]);
	}
}

/* Resolves the first parts that exist; *ret_len says how many. errno of the whole path remains. */
static char *resolve_ancestor(const struct strvec *parts, size_t *ret_len, int *ret_errno)
{
	*ret_errno = 0;
	for (size_t len = parts->len;; len--) {
		cleanup_buf struct buf prefix = BUF_INIT;
		char *resolved;

		buf_addc(&prefix, '/');
		join(&prefix, parts, 0, len);
		resolved = realpath(prefix.data, NULL);
		if (resolved != NULL || len == 0) {
			*ret_len = len;
			return resolved;
		}
		if (*ret_errno == 0)
			*ret_errno = errno;
	}
}

static bool stands_there(const char *folder, const char *name)
{
	cleanup_free char *path = xasprintf("%s/%s", folder, name);
	struct stat st;

	return lstat(path, &st) == 0;
}

/* What does not exist yet: no way up, and no link that leads nowhere (yet). */
static int check_rest(
    const struct resolving *r, const char *ancestor, const struct strvec *parts, size_t from)
{
	for (size_t i = from; i < parts->len; i++) {
		if (strcmp(parts->items[i], "..") == 0)
			return refuse(r, "has \"..\" behind a folder that does not exist");
	}
	if (from < parts->len && stands_there(ancestor, parts->items[from]))
		return refuse(r, "leads through something that cannot be followed: a link to "
				 "nowhere, or no folder");
	return 0;
}

static int check_kind(const struct resolving *r, const char *path, bool exists)
{
	struct stat st;

	if (!exists && r->mark != INPUT_PATH_WRITE)
		return refuse(r, "does not exist");
	if (!exists)
		return 0;
	if (stat(path, &st) < 0)
		return refuse(r, "cannot be looked at");
	if (r->mark == INPUT_PATH_DIR && !S_ISDIR(st.st_mode))
		return refuse(r, "is no folder");
	return 0;
}

/* The same answer for all that lies outside, whatever is or is not there. */
static int check_place(const struct resolving *r, const char *path)
{
	if (!dirs_is_below_any(path, r->launch->roots))
		return refuse(r, "lies outside the folders that this server was started with");
	if (is_closed(path, r->launch->closed))
		return refuse(r, "is closed to tools: data, credentials, client configuration, the "
				 "system's own");
	if (!text_is_utf8(path, strlen(path)))
		return refuse(r, "leads to a name that is not UTF-8");
	return 0;
}

/* The absolute, link-free path; owned. */
static char *resolve(const struct resolving *r, const char *path)
{
	cleanup_strvec struct strvec parts = STRVEC_INIT;
	cleanup_free char *ancestor = NULL;
	cleanup_buf struct buf result = BUF_INIT;
	size_t existing = 0;
	int why = 0;

	if (path[0] == '\0')
		return refuse(r, "is empty, a path is wanted"), NULL;
	if (path[0] != '/')
		split(r->launch->roots->items[0], &parts);
	split(path, &parts);
	ancestor = resolve_ancestor(&parts, &existing, &why);
	if (ancestor == NULL)
		return refuse(r, "cannot be resolved"), NULL;
	buf_adds(&result, ancestor);
	if (check_place(r, ancestor) < 0 || check_rest(r, ancestor, &parts, existing) < 0)
		return NULL;
	join(&result, &parts, existing, parts.len);
	if (why != 0 && why != ENOENT)
		return surface_argument_error(
			   r->err, r->pointer, "x-path", "cannot be used: %s", strerror(why)),
		       NULL;
	if (result.len >= PATH_MAX)
		return refuse(r, "is too long for a path"), NULL;
	if (check_place(r, result.data) < 0 ||
	    check_kind(r, result.data, existing == parts.len) < 0)
		return NULL;
	return buf_detach(&result);
}

/* ---- arguments with paths in their places ---- */

struct rewriting {
	const struct surface_launch *launch;
	struct json_writer w;
	char *dir; /* of the first `x-path: dir` input; owned */
	struct err *err;
};

static int write_path(
    struct rewriting *rw, const struct input *input, const struct json *value, const char *pointer)
{
	struct resolving r = {
		.launch = rw->launch, .mark = input->path, .pointer = pointer, .err = rw->err
	};
	cleanup_free char *path = NULL;

	if (json_text(value) == NULL)
		return refuse(&r, "is no path");
	path = resolve(&r, value->str);
	if (path == NULL)
		return -1;
	json_write_string(&rw->w, path);
	if (input->path == INPUT_PATH_DIR && rw->dir == NULL)
		rw->dir = steal_ptr(&path);
	return 0;
}

static int write_input(struct rewriting *rw, const struct input *input, const struct json *value)
{
	cleanup_buf struct buf pointer = BUF_INIT;
	size_t index = 0;

	buf_addf(&pointer, "/%s", input->name);
	if (value->type != JSON_ARRAY)
		return write_path(rw, input, value, pointer.data);
	json_write_array_begin(&rw->w);
	json_foreach (item, value) {
		buf_reset(&pointer);
		buf_addf(&pointer, "/%s/%zu", input->name, index++);
		if (write_path(rw, input, item, pointer.data) < 0)
			return -1;
	}
	json_write_array_end(&rw->w);
	return 0;
}

static int write_arguments(
    struct rewriting *rw, const struct surface_tool_internal *in, const struct json *arguments)
{
	json_write_object_begin(&rw->w);
	json_foreach_member (name, value, arguments) {
		int input = surface_find_input(in, name->str);

		json_write_key_len(&rw->w, name->str, name->len);
		if (input < 0 || in->inputs[input].path == INPUT_PATH_NONE)
			json_write_node(&rw->w, value);
		else if (write_input(rw, &in->inputs[input], value) < 0)
			return -1;
	}
	json_write_object_end(&rw->w);
	return 0;
}

/* The first `dir` input in the order of inputs, not of the client's members. */
static void take_dir(
    struct rewriting *rw, const struct surface_tool_internal *in, const struct json *arguments)
{
	for (size_t i = 0; i < in->inputs_len; i++) {
		const struct json *value = surface_input_value(in, arguments, (int)i);

		if (in->inputs[i].path != INPUT_PATH_DIR || value == NULL)
			continue;
		if (value->type == JSON_ARRAY)
			value = json_at(value, 0);
		free(rw->dir);
		rw->dir = xstrdup(json_text(value));
		return;
	}
}

int surface_resolve_paths(const struct tool *tool, const struct json *arguments,
    const struct surface_launch *launch, struct json_doc *ret_doc, char **ret_dir, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct rewriting rw = { .launch = launch, .w = JSON_WRITER_INIT(&text), .err = err };
	size_t len;

	if (write_arguments(&rw, tool->in, arguments) < 0 ||
	    buf_check(&text, "the arguments", err) < 0) {
		free(rw.dir);
		return -1;
	}
	len = text.len;
	if (json_read_take(ret_doc, buf_detach(&text), len, err) < 0) {
		free(rw.dir);
		return -1;
	}
	take_dir(&rw, tool->in, json_root(ret_doc));
	if (ret_dir != NULL)
		*ret_dir = steal_ptr(&rw.dir);
	free(rw.dir);
	return 0;
}
