/* SPDX-License-Identifier: MIT */
/*
 * From a name to a program file that nobody but root and this user can replace. The model is
 * OpenSSH's safe_path(), with one difference: links are followed here, step by step, so that the
 * folder a link stands in is checked like any other. Who can write a folder on the way, the final
 * one or one that only a link leads through, could choose what we run.
 */
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/os.h"

/* As many links as Linux follows in one path. */
#define LINKS_MAX 40

void run_program_release(struct run_program *program)
{
	free(program->path);
	*program = RUN_PROGRAM_INIT;
}

/* ---- who could write it ---- */

/* The user's own group: bears the user's name and has no member but the user. */
static bool is_private_group(gid_t gid)
{
	const struct passwd *user = getpwuid(geteuid());
	cleanup_free char *name = NULL;
	const struct group *group;

	if (user == NULL || user->pw_gid != gid)
		return false;
	name = xstrdup(user->pw_name);
	group = getgrgid(gid);
	if (group == NULL || strcmp(group->gr_name, name) != 0)
		return false;
	for (char **member = group->gr_mem; *member != NULL; member++) {
		if (strcmp(*member, name) != 0)
			return false;
	}
	return true;
}

static bool has_safe_owner(const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == geteuid();
}

/* What is being found out about one candidate. */
struct walk {
	char path[PATH_MAX];   /* resolved so far: absolute, no trailing slash; "" is the root */
	char rest[PATH_MAX];   /* still to be resolved */
	unsigned links;        /* followed */
	bool is_user_writable; /* something on the way is this user's */
	struct stat st;        /* of path */
};

/* A file or folder on the way, at walk->path. The sticky bit does not help: it keeps others from
 * removing a file, not from putting one there first. */
static int check_owner_and_mode(struct walk *walk, struct err *err)
{
	const struct stat *st = &walk->st;
	const char *path = walk->path[0] == '\0' ? "/" : walk->path;

	if (!has_safe_owner(st))
		return err_set(err, ERR_PROGRAM_NOT_FOUND,
		    "%s belongs to another user (uid %u), who could replace the program", path,
		    (unsigned)st->st_uid);
	if (st->st_mode & S_IWOTH)
		return err_set(err, ERR_PROGRAM_NOT_FOUND,
		    "%s is writable by everyone, who could replace the program", path);
	if (st->st_mode & S_IWGRP && st->st_gid != 0) {
		if (!is_private_group(st->st_gid))
			return err_set(err, ERR_PROGRAM_NOT_FOUND,
			    "%s is writable by group %u, who could replace the program", path,
			    (unsigned)st->st_gid);
		walk->is_user_writable = true;
	}
	if (st->st_uid != 0)
		walk->is_user_writable = true;
	return 0;
}

/* ---- the walk ---- */

static int path_too_long(const char *name, struct err *err)
{
	return err_set(err, ERR_PROGRAM_NOT_FOUND, "the path of %.64s is too long", name);
}

/* Takes the next component off walk->rest; its length, 0 at the end. */
static size_t take_component(struct walk *walk, char ret_name[NAME_MAX + 1])
{
	size_t skip = strspn(walk->rest, "/");
	size_t len = strcspn(walk->rest + skip, "/");

	if (len > NAME_MAX)
		len = NAME_MAX; /* no file has such a name: lstat will say so */
	memcpy(ret_name, walk->rest + skip, len);
	ret_name[len] = '\0';
	memmove(walk->rest, walk->rest + skip + len, strlen(walk->rest + skip + len) + 1);
	return len;
}

/* Puts the link's target before what is left. The link is where walk->path ends. */
static int follow_link(struct walk *walk, struct err *err)
{
	char target[PATH_MAX];
	ssize_t len = readlink(walk->path, target, sizeof(target) - 1);
	size_t rest_len = strlen(walk->rest);

	if (len < 0)
		return err_set(err, ERR_PROGRAM_NOT_FOUND, "%s cannot be read", walk->path);
	if (!has_safe_owner(&walk->st))
		return err_set(err, ERR_PROGRAM_NOT_FOUND,
		    "the link %s belongs to another user (uid %u)", walk->path,
		    (unsigned)walk->st.st_uid);
	if (++walk->links > LINKS_MAX || (size_t)len + 1 + rest_len >= sizeof(walk->rest))
		return err_set(
		    err, ERR_PROGRAM_NOT_FOUND, "%s leads through too many links", walk->path);
	memmove(walk->rest + len + 1, walk->rest, rest_len + 1);
	memcpy(walk->rest, target, (size_t)len);
	walk->rest[len] = '/';
	if (target[0] == '/')
		walk->path[0] = '\0';
	else
		*strrchr(walk->path, '/') = '\0';
	return 0;
}

static int enter(struct walk *walk, const char *name, struct err *err)
{
	size_t len = strlen(walk->path);

	if (strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0) {
		char *slash = strrchr(walk->path, '/');

		if (slash != NULL)
			*slash = '\0';
		return 0;
	}
	if (len + 1 + strlen(name) >= sizeof(walk->path))
		return path_too_long(name, err);
	walk->path[len] = '/';
	memcpy(walk->path + len + 1, name, strlen(name) + 1);
	if (lstat(walk->path, &walk->st) < 0)
		return err_set(err, ERR_PROGRAM_NOT_FOUND, "%s: %s", walk->path, strerror(errno));
	if (S_ISLNK(walk->st.st_mode))
		return follow_link(walk, err);
	return check_owner_and_mode(walk, err);
}

/* Every folder is checked before the name below it is looked up. */
static int walk_to_end(struct walk *walk, struct err *err)
{
	char name[NAME_MAX + 1];

	if (lstat("/", &walk->st) < 0)
		return err_set(err, ERR_PROGRAM_NOT_FOUND, "/: %s", strerror(errno));
	if (check_owner_and_mode(walk, err) < 0)
		return -1;
	while (take_component(walk, name) > 0) {
		if (enter(walk, name, err) < 0)
			return -1;
	}
	return 0;
}

static int check_program(const char *path, struct run_program *ret_program, struct err *err)
{
	struct walk walk = { 0 };

	if (strlen(path) >= sizeof(walk.rest))
		return path_too_long(path, err);
	memcpy(walk.rest, path, strlen(path) + 1);
	if (walk_to_end(&walk, err) < 0)
		return -1;
	if (path[strlen(path) - 1] == '/' || lstat(walk.path, &walk.st) < 0 ||
	    !S_ISREG(walk.st.st_mode))
		return err_set(err, ERR_PROGRAM_NOT_FOUND, "%s is no file", path);
	if (faccessat(AT_FDCWD, walk.path, X_OK, AT_EACCESS) < 0)
		return err_set(err, ERR_PROGRAM_NOT_FOUND, "%s may not be executed", walk.path);
	*ret_program = (struct run_program){
		.path = xstrdup(walk.path),
		.is_user_writable = walk.is_user_writable,
		.device = walk.st.st_dev,
		.inode = walk.st.st_ino,
		.size = walk.st.st_size,
		.mtime_ns = (int64_t)walk.st.st_mtim.tv_sec * 1000000000 + walk.st.st_mtim.tv_nsec,
	};
	return 0;
}

/* ---- the search ---- */

static bool is_there(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/*
 * Tries name in each absolute folder of a PATH. 0 when found; -1 when not, with err set if there
 * was one that was refused. The first reason stays: it is about the program a shell would run.
 */
static int search(
    const char *name, const char *search_path, struct run_program *ret_program, struct err *err)
{
	const char *at = search_path;

	while (*at != '\0') {
		size_t len = strcspn(at, ":");
		cleanup_free char *path = xasprintf("%.*s/%s", (int)len, at, name);
		cleanup_err struct err reason = ERR_INIT;

		if (path[0] == '/' && len > 0 && is_there(path)) {
			if (check_program(path, ret_program, &reason) == 0)
				return 0;
			if (!err_is_set(err))
				err_move(err, &reason);
		}
		at += len + (at[len] == ':');
	}
	return -1;
}

static int resolve_by_name(
    const char *name, const char *search_path, struct run_program *ret_program, struct err *err)
{
	cleanup_err struct err reason = ERR_INIT;

	if (search(name, search_path != NULL ? search_path : "", ret_program, &reason) == 0 ||
	    search(name, RUN_CHILD_PATH, ret_program, &reason) == 0)
		return 0;
	if (!err_is_set(&reason))
		return err_set(err, ERR_PROGRAM_NOT_FOUND,
		    "%s is in no absolute folder of PATH; install it or name it by its path", name);
	err_move(err, &reason);
	return -1;
}

int run_program_resolve(
    const char *name, const char *search_path, struct run_program *ret_program, struct err *err)
{
	if (strcmp(name, "self") == 0) {
		cleanup_free char *path = os_self_path(err);

		return path == NULL ? -1 : check_program(path, ret_program, err);
	}
	if (name[0] == '/')
		return check_program(name, ret_program, err);
	if (name[0] == '\0' || strchr(name, '/') != NULL)
		return err_set(err, ERR_PROGRAM_NOT_FOUND,
		    "\"%s\" is neither a plain name nor an absolute path", name);
	return resolve_by_name(name, search_path, ret_program, err);
}

bool run_program_is_same(const struct run_program *program)
{
	struct stat st;

	return lstat(program->path, &st) == 0 && S_ISREG(st.st_mode) &&
	       st.st_dev == program->device && st.st_ino == program->inode &&
	       st.st_size == program->size &&
	       (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec == program->mtime_ns;
}
