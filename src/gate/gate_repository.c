/* SPDX-License-Identifier: MIT */
/*
 * Which repository would git find from a folder, and does it stay inside the roots?
 *
 * The walk follows git's own (setup.c: `.git` as folder or file, then a bare repository, then the
 * parent), and is stricter: what looks like a repository but is not a sound one is refused instead
 * of passed by, so that git cannot end up in one we did not look at.
 */
#include "gate/gate.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dirs.h"
#include "base/limits.h"

#define ALTERNATES_DEPTH 5
#define SUBMODULES_DEPTH 5

/* What is being looked at. */
struct repository {
	const struct strvec *roots;
	const struct gate_config *config;
	char *top;     /* folder that holds .git, or the bare repository itself; owned */
	char *git_dir; /* links resolved; owned */
	char *common;  /* git_dir, or where a worktree's commondir leads; owned */
};

static void repository_release(struct repository *repo)
{
	free(repo->top);
	free(repo->git_dir);
	free(repo->common);
}

static int refuse(struct err *err, const char *path, const char *why)
{
	(void)err_set(err, ERR_REPOSITORY_UNTRUSTED, "%s %s", path, why);
	return -1;
}

/* path (links resolved) lies below a root or a trusted folder. */
static bool is_inside(const struct repository *repo, const char *path)
{
	return dirs_is_below_any(path, repo->roots) || gate_config_trusts(repo->config, path);
}

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Reads a one-line file of git's, without its final newlines. */
static int read_line_file(const char *path, struct buf *ret_line, struct err *err)
{
	if (dirs_read_file(path, ret_line, err) < 0)
		return -1;
	while (ret_line->len > 0 && (ret_line->data[ret_line->len - 1] == '\n' ||
					ret_line->data[ret_line->len - 1] == '\r'))
		buf_truncate(ret_line, ret_line->len - 1);
	if (memchr(ret_line->data, '\0', ret_line->len) != NULL ||
	    memchr(ret_line->data, '\n', ret_line->len) != NULL)
		return err_set(err, ERR_REPOSITORY_UNTRUSTED, "%s cannot be read", path);
	return 0;
}

/* Joins a path that may be relative to folder, and resolves it; NULL when it leads nowhere. */
static char *resolve_from(const char *folder, const char *path)
{
	cleanup_free char *joined =
	    path[0] == '/' ? xstrdup(path) : xasprintf("%s/%s", folder, path);

	return realpath(joined, NULL);
}

/* HEAD names a branch or a commit, in the forms that git accepts for certain. */
static bool is_head_sound(const char *git_dir)
{
	cleanup_free char *path = xasprintf("%s/HEAD", git_dir);
	cleanup_buf struct buf line = BUF_INIT_MAX(4096);
	cleanup_err struct err ignored = ERR_INIT;

	if (read_line_file(path, &line, &ignored) < 0)
		return false;
	if (strncmp(line.data, "ref: refs/", 10) == 0)
		return true;
	return (line.len == 40 || line.len == 64) &&
	       strspn(line.data, "0123456789abcdef") == line.len;
}

/* Fills git_dir's common folder and checks that git takes git_dir for a repository. */
static int check_sound(struct repository *repo, struct err *err)
{
	cleanup_free char *pointer = xasprintf("%s/commondir", repo->git_dir);
	cleanup_free char *objects = NULL;
	cleanup_free char *refs = NULL;

	if (exists(pointer)) {
		cleanup_buf struct buf line = BUF_INIT_MAX(4096);

		if (read_line_file(pointer, &line, err) < 0)
			return refuse(err, pointer, "cannot be read");
		repo->common = resolve_from(repo->git_dir, line.data);
		if (repo->common == NULL)
			return refuse(err, pointer, "leads nowhere");
	} else {
		repo->common = xstrdup(repo->git_dir);
	}
	objects = xasprintf("%s/objects", repo->common);
	refs = xasprintf("%s/refs", repo->common);
	if (!is_head_sound(repo->git_dir) || !is_folder(objects) || !is_folder(refs) ||
	    access(objects, X_OK) < 0 || access(refs, X_OK) < 0)
		return refuse(err, repo->git_dir, "looks like a repository but is not a sound one");
	return 0;
}

/* `.git` as a file: "gitdir: PATH". */
static int read_git_file(struct repository *repo, const char *path, struct err *err)
{
	cleanup_buf struct buf line = BUF_INIT_MAX(4096);

	if (read_line_file(path, &line, err) < 0 || strncmp(line.data, "gitdir: ", 8) != 0)
		return refuse(err, path, "is no sound git file");
	repo->git_dir = resolve_from(repo->top, line.data + 8);
	if (repo->git_dir == NULL)
		return refuse(err, path, "leads nowhere");
	return 0;
}

/* Is there a repository at folder? 1: repo is filled; 0: look further up; -1: refused. */
static int find_at(struct repository *repo, const char *folder, struct err *err)
{
	cleanup_free char *dot_git = xasprintf("%s/.git", strcmp(folder, "/") == 0 ? "" : folder);
	cleanup_free char *head = xasprintf("%s/HEAD", folder);
	cleanup_free char *objects = xasprintf("%s/objects", folder);

	if (!exists(dot_git) && !(exists(head) && exists(objects)))
		return 0;
	repo->top = xstrdup(folder);
	if (!exists(dot_git)) {
		repo->git_dir = xstrdup(folder);
	} else if (is_folder(dot_git)) {
		repo->git_dir = realpath(dot_git, NULL);
		if (repo->git_dir == NULL)
			return refuse(err, dot_git, "cannot be read");
	} else if (read_git_file(repo, dot_git, err) < 0) {
		return -1;
	}
	return check_sound(repo, err) < 0 ? -1 : 1;
}

/* Walks up from dir. 1, 0 (no repository) or -1. */
static int find(struct repository *repo, const char *dir, struct err *err)
{
	cleanup_free char *folder = xstrdup(dir);

	for (;;) {
		int found = find_at(repo, folder, err);
		char *slash = strrchr(folder, '/');

		if (found != 0 || slash == NULL || strcmp(folder, "/") == 0)
			return found;
		if (slash == folder)
			folder[1] = '\0';
		else
			*slash = '\0';
	}
}

/* Each link directly in folder leads to a place inside the roots. */
static int check_links(const struct repository *repo, const char *folder, struct err *err)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int result = 0;

	if (dir == NULL)
		return errno == ENOENT ? 0 : refuse(err, folder, "cannot be read");
	while (result == 0 && (entry = readdir(dir)) != NULL) {
		cleanup_free char *path = NULL;
		cleanup_free char *real = NULL;

		if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN)
			continue;
		path = xasprintf("%s/%s", folder, entry->d_name);
		real = realpath(path, NULL);
		if (real != NULL && !is_inside(repo, real))
			result = refuse(err, path, "is a link that leads outside the launch roots");
	}
	(void)closedir(dir);
	return result;
}

static int check_objects(
    const struct repository *repo, const char *objects, int depth, struct err *err);

/* objects/info/alternates: folders of objects that git reads as well, and theirs. */
static int check_alternates(
    const struct repository *repo, const char *objects, int depth, struct err *err)
{
	cleanup_free char *path = xasprintf("%s/info/alternates", objects);
	cleanup_buf struct buf text = BUF_INIT_MAX(64 * KIB);

	if (!exists(path))
		return 0;
	if (dirs_read_file(path, &text, err) < 0 || memchr(text.data, '\0', text.len) != NULL)
		return refuse(err, path, "cannot be read");
	for (char *line = text.data, *end; *line != '\0'; line = end) {
		cleanup_free char *real = NULL;

		end = line + strcspn(line, "\n");
		if (*end == '\n')
			*end++ = '\0';
		if (*line == '\0' || *line == '#')
			continue;
		real = *line != '"' ? resolve_from(objects, line) : NULL;
		if (real == NULL || !is_inside(repo, real))
			return refuse(err, path, "names a folder outside the launch roots");
		if (check_objects(repo, real, depth + 1, err) < 0)
			return -1;
	}
	return 0;
}

static int check_objects(
    const struct repository *repo, const char *objects, int depth, struct err *err)
{
	cleanup_free char *pack = xasprintf("%s/pack", objects);

	if (depth > ALTERNATES_DEPTH)
		return refuse(err, objects, "has too many alternates");
	if (check_links(repo, objects, err) < 0 || check_links(repo, pack, err) < 0)
		return -1;
	return check_alternates(repo, objects, depth, err);
}

static int check_config_file(const struct repository *repo, const char *folder, const char *name,
    size_t *ret_id_size, struct err *err)
{
	cleanup_free char *path = xasprintf("%s/%s", folder, name);
	cleanup_buf struct buf text = BUF_INIT_MAX(1 * MIB);
	struct gate_gitconfig config = { repo->git_dir, repo->top, GATE_ID_SIZE };

	if (!exists(path))
		return 0;
	if (dirs_read_file(path, &text, err) < 0)
		return refuse(err, path, "cannot be read");
	if (gate_repository_check_config(text.data, text.len, &config, err) < 0)
		return -1;
	*ret_id_size = config.id_size;
	return 0;
}

static int check_index(const struct repository *repo, size_t id_size, int depth, struct err *err);

/* All of it: places first, then what the configuration says, then the same for submodules. */
static int check(const struct repository *repo, int depth, struct err *err)
{
	cleanup_free char *objects = xasprintf("%s/objects", repo->common);
	const char *const places[] = { repo->top, repo->git_dir, repo->common };
	size_t id_size = GATE_ID_SIZE;
	size_t ignored; /* git reads the format in the common configuration only */

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		if (!is_inside(repo, places[i]))
			return refuse(err, places[i],
			    "belongs to the repository and lies outside the launch roots; a person "
			    "can add it with --root, or list the repository's folder under "
			    "trusted_folders in config.yaml");
	}
	if (check_links(repo, repo->git_dir, err) < 0 ||
	    (strcmp(repo->common, repo->git_dir) != 0 &&
		check_links(repo, repo->common, err) < 0) ||
	    check_objects(repo, objects, 0, err) < 0)
		return -1;
	if (check_config_file(repo, repo->common, "config", &id_size, err) < 0 ||
	    check_config_file(repo, repo->git_dir, "config.worktree", &ignored, err) < 0)
		return -1;
	return check_index(repo, id_size, depth, err);
}

/* What is checked out at one of the repository's submodules, if anything is. */
static int check_submodule(
    const struct repository *repo, const char *path, int depth, struct err *err)
{
	struct repository sub = { .roots = repo->roots, .config = repo->config };
	cleanup_free char *folder = resolve_from(repo->top, path);
	cleanup_free char *dot_git = NULL;
	int found;

	if (path[0] == '\0' || path[0] == '/')
		return refuse(err, repo->git_dir, "has a submodule at no place of its own");
	if (folder == NULL)
		return 0;
	dot_git = xasprintf("%s/.git", folder);
	if (!exists(dot_git))
		return 0;
	if (depth == SUBMODULES_DEPTH)
		return refuse(err, folder, "is a submodule too deep in others");
	found = find_at(&sub, folder, err);
	if (found == 1)
		found = check(&sub, depth + 1, err);
	repository_release(&sub);
	return found;
}

/* A folder of tracked files that is a link now: `git grep` opens what lies behind it. */
static int check_folder(const struct repository *repo, const char *path, struct err *err)
{
	cleanup_free char *folder = xasprintf("%s/%s", repo->top, path);
	cleanup_free char *real = NULL;
	struct stat st;

	if (lstat(folder, &st) < 0 || !S_ISLNK(st.st_mode))
		return 0;
	real = realpath(folder, NULL);
	if (real != NULL && !is_inside(repo, real))
		return refuse(err, folder,
		    "holds tracked files and is a link that leads outside the launch roots");
	return 0;
}

/* What the index names in the work tree. git adds, commits and stashes by starting itself in each
 * submodule. */
static int check_index(const struct repository *repo, size_t id_size, int depth, struct err *err)
{
	struct gate_index index = GATE_INDEX_INIT;
	int result = gate_index_load(repo->git_dir, id_size, &index, err);

	for (size_t i = 0; result == 0 && i < index.folders.len; i++)
		result = check_folder(repo, index.folders.items[i], err);
	for (size_t i = 0; result == 0 && i < index.submodules.len; i++)
		result = check_submodule(repo, index.submodules.items[i], depth, err);
	gate_index_release(&index);
	return result;
}

int gate_repository_check(
    const char *dir, const struct strvec *roots, const struct gate_config *config, struct err *err)
{
	struct repository repo = { .roots = roots, .config = config };
	int found = find(&repo, dir, err);

	if (found == 1)
		found = gate_config_trusts(config, repo.top) ? 0 : check(&repo, 0, err);
	else if (found < 0 && repo.top != NULL && gate_config_trusts(config, repo.top))
		found = 0;
	repository_release(&repo);
	return found < 0 ? -1 : 0;
}
