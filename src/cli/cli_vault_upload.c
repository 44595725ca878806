/* SPDX-License-Identifier: MIT */
/*
 * stile vault file upload: local files and folders into the vault, all of them or none.
 *
 * The folders are walked twice, each time by descriptors, so that nothing on the way can be
 * exchanged for a link: first to refuse what is no file and to know how much there is, then to store
 * the content. Only then, in one transaction, do versions appear.
 */
#include "cli/cli_vault.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli_local.h"
#include "cli/cli_progress.h"

#define DEPTH_MAX 64
#define FILES_MAX 1000000
#define FILES_LISTED 256 /* with more, the result has the numbers only */

struct item {
	char *ref;                   /* where in the vault; owned */
	struct vault_staged *staged; /* NULL: a folder */
};

struct upload {
	struct cli *cli;
	struct vault *vault;
	struct cli_progress progress;
	int64_t files, bytes; /* there are */
	int64_t done;         /* bytes stored */
	struct item *items;   /* folders before what they hold */
	size_t len, cap;
	/* What came of it. */
	int64_t folders, unchanged;
	struct json_writer w;
};

/* One thing that the walk meets: a name in an open folder. */
struct place {
	int dir_fd;
	const char *name;
	const char *path; /* for messages */
	const char *ref;
};

/* A pass over files and folders; file_fd is open for a file and -1 in the first pass. */
struct pass {
	bool is_first;
	struct upload *upload;
};

static void upload_release(struct upload *upload)
{
	for (size_t i = 0; i < upload->len; i++) {
		free(upload->items[i].ref);
		vault_staged_free(upload->items[i].staged);
	}
	free(upload->items);
}

/* ---- a file ---- */

struct source {
	struct upload *upload;
	int fd;
	const char *path;
};

static int64_t read_source(void *ctx, void *data, size_t len, struct err *err)
{
	struct source *source = ctx;
	struct upload *upload = source->upload;
	ssize_t got;

	do
		got = read(source->fd, data, len);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_errno(err, errno, "read %s", source->path);
	upload->done += got;
	cli_progress_step(&upload->progress, upload->done, upload->bytes);
	return got;
}

static void add_item(struct upload *upload, const char *ref, struct vault_staged *staged)
{
	ARRAY_GROW(upload->items, upload->len, upload->cap);
	upload->items[upload->len++] = (struct item){ .ref = xstrdup(ref), .staged = staged };
}

static int take_file(
    const struct pass *pass, int fd, const char *path, const char *ref, struct err *err)
{
	struct source source = { .upload = pass->upload, .fd = fd, .path = path };
	struct vault_staged *staged = vault_stage(pass->upload->vault, read_source, &source, err);

	if (staged == NULL)
		return err_wrap(err, "%s", path);
	add_item(pass->upload, ref, staged);
	return 0;
}

static int count_file(struct upload *upload, const struct stat *st, struct err *err)
{
	upload->bytes += st->st_size;
	if (++upload->files > FILES_MAX)
		return err_set(err, ERR_LIMIT, "there are more than %d files", FILES_MAX);
	return 0;
}

/* ---- folders ---- */

static int is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int walk_folder(
    const struct pass *pass, int fd, const char *path, const char *ref, int depth, struct err *err);

/* What is at place: a file, or a folder that is gone into. */
static int walk(const struct pass *pass, const struct place *place, int depth, struct err *err)
{
	struct stat st;
	cleanup_fd int fd = cli_local_open_at(place->dir_fd, place->name, place->path, &st, err);

	if (fd < 0)
		return -1;
	if (S_ISDIR(st.st_mode))
		return walk_folder(pass, fd, place->path, place->ref, depth, err);
	return pass->is_first ? count_file(pass->upload, &st, err)
			      : take_file(pass, fd, place->path, place->ref, err);
}

static int walk_entry(const struct pass *pass, int fd, const char *path, const char *ref,
    const char *name, int depth, struct err *err)
{
	cleanup_free char *entry_path = xasprintf("%s/%s", path, name);
	cleanup_free char *entry_ref = xasprintf("%s/%s", ref, name);
	const struct place place = {
		.dir_fd = fd,
		.name = name,
		.path = entry_path,
		.ref = entry_ref,
	};

	return walk(pass, &place, depth, err);
}

static int walk_folder(
    const struct pass *pass, int fd, const char *path, const char *ref, int depth, struct err *err)
{
	struct dirent **entries = NULL;
	int result = 0;
	int len;

	if (depth > DEPTH_MAX)
		return err_set(
		    err, ERR_INVALID_ARGUMENT, "%s: more than %d folders deep", path, DEPTH_MAX);
	len = scandirat(fd, ".", &entries, is_entry, alphasort);
	if (len < 0)
		return err_errno(err, errno, "%s", path);
	if (!pass->is_first)
		add_item(pass->upload, ref, NULL);
	for (int i = 0; i < len; i++) {
		if (result == 0)
			result =
			    walk_entry(pass, fd, path, ref, entries[i]->d_name, depth + 1, err);
		free(entries[i]);
	}
	free(entries);
	return result;
}

/* ---- the words of the command ---- */

/* A target without the slashes at its end: "/" becomes "", so that "/name" follows. */
static char *target_prefix(const char *target)
{
	size_t len = strlen(target);

	while (len > 0 && target[len - 1] == '/')
		len--;
	return xmemdupz(target, len);
}

/* The last name of a local path; "" for "." (what is in it goes straight to the target). */
static char *own_name(const char *path, struct err *err)
{
	cleanup_free char *trimmed = target_prefix(path);
	const char *slash = strrchr(trimmed, '/');
	const char *name = slash != NULL ? slash + 1 : trimmed;

	if (strcmp(name, "..") == 0 || name[0] == '\0') {
		(void)err_set(err, ERR_INVALID_ARGUMENT,
		    "%s has no name of its own; \"FOLDER/.\" means what is in FOLDER", path);
		return NULL;
	}
	return xstrdup(strcmp(name, ".") == 0 ? "" : name);
}

/* Is the target a folder, to put things in? One file may also be given a name of its own. */
static int target_is_folder(
    struct upload *upload, const char *target, bool *ret_is_folder, struct err *err)
{
	const struct cli_options *options = &upload->cli->options;
	struct vault_entry entry = { 0 };
	size_t len = strlen(target);

	*ret_is_folder = true;
	if (options->words.len > 2 || options->is_recursive || (len > 0 && target[len - 1] == '/'))
		return 0;
	if (vault_entry_info(upload->vault, target, VAULT_WANT_ANY, &entry, err) == 0) {
		*ret_is_folder = entry.head == NULL;
		vault_entry_release(&entry);
		return 0;
	}
	if (err->code != ERR_NOT_FOUND)
		return -1;
	err_release(err);
	*ret_is_folder = false;
	return 0;
}

/* One of the local paths, in one pass. */
static int walk_word(const struct pass *pass, const char *path, const char *target,
    bool is_in_folder, struct err *err)
{
	const struct cli *cli = pass->upload->cli;
	cleanup_free char *name = own_name(path, err);
	cleanup_free char *prefix = target_prefix(target);
	cleanup_free char *ref = NULL;
	cleanup_fd int fd = -1;
	struct stat st;

	if (name == NULL)
		return -1;
	ref = is_in_folder && name[0] != '\0' ? xasprintf("%s/%s", prefix, name) : xstrdup(prefix);
	fd = cli_local_open(cli, path, &st, err);
	if (fd < 0)
		return -1;
	if (S_ISDIR(st.st_mode) && !cli->options.is_recursive)
		return err_set(
		    err, ERR_USAGE, "%s is a folder; --recursive uploads all in it", path);
	if (S_ISDIR(st.st_mode))
		return walk_folder(pass, fd, path, ref[0] != '\0' ? ref : "", 1, err);
	return pass->is_first ? count_file(pass->upload, &st, err)
			      : take_file(pass, fd, path, ref, err);
}

static int walk_all(struct upload *upload, bool is_in_folder, struct err *err)
{
	const struct strvec *words = &upload->cli->options.words;
	const char *target = words->items[words->len - 1];

	for (int i = 0; i < 2; i++) {
		const struct pass pass = { .is_first = i == 0, .upload = upload };

		for (size_t j = 0; j + 1 < words->len; j++) {
			if (walk_word(&pass, words->items[j], target, is_in_folder, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* ---- into the vault ---- */

static int ensure_folder(struct upload *upload, const char *ref, struct err *err)
{
	struct vault_entry entry = { 0 };

	/* "" is the root, which is there */
	if (ref[0] == '\0')
		return 0;
	if (vault_folder_ensure(upload->vault, ref, &entry, err) < 0)
		return -1;
	upload->folders++;
	vault_entry_release(&entry);
	return 0;
}

static int put_file(struct upload *upload, const struct item *item, struct err *err)
{
	const struct cli_options *options = &upload->cli->options;
	const struct vault_put put = {
		.message = options->message,
		.media_type = options->media_type,
		.expect = options->expect,
		.is_new = options->is_new,
	};
	struct vault_version version = { 0 };

	if (vault_file_put(upload->vault, item->ref, item->staged, &put, &version, err) < 0)
		return -1;
	upload->unchanged += version.is_unchanged;
	if (upload->files <= FILES_LISTED) {
		cli_line(&upload->cli->out, "%s: %s version %" PRId64 " (%s)",
		    version.is_unchanged ? "unchanged" : "stored", item->ref, version.number,
		    version.id);
		vault_version_write(&version, &upload->w);
	}
	vault_version_release(&version);
	return 0;
}

static int put_all(struct upload *upload, struct err *err)
{
	if (vault_batch_begin(upload->vault, "file upload", err) < 0)
		return -1;
	for (size_t i = 0; i < upload->len; i++) {
		const struct item *item = &upload->items[i];

		if ((item->staged == NULL ? ensure_folder(upload, item->ref, err)
					  : put_file(upload, item, err)) < 0) {
			vault_batch_rollback(upload->vault);
			return err_wrap(err, "%s", item->ref);
		}
	}
	return vault_batch_commit(upload->vault, err);
}

/* {"versions":[…],"files":…}; versions is left out when there are many. */
static int write_upload(struct upload *upload, struct err *err)
{
	struct cli *cli = upload->cli;
	struct json_writer *w = &upload->w;
	char size[CLI_SIZE_SIZE];
	int result;

	json_write_object_begin(w);
	if (upload->files <= FILES_LISTED) {
		json_write_key(w, "versions");
		json_write_array_begin(w);
	}
	result = put_all(upload, err);
	if (upload->files <= FILES_LISTED)
		json_write_array_end(w);
	json_write_member_int(w, "files", upload->files);
	json_write_member_int(w, "unchanged", upload->unchanged);
	json_write_member_int(w, "folders", upload->folders);
	json_write_member_int(w, "bytes", upload->done);
	json_write_object_end(w);
	if (result < 0) {
		buf_reset(&cli->result);
		buf_reset(&cli->out);
		return -1;
	}
	cli_format_size(upload->done, size);
	cli_line(&cli->out, "uploaded: %" PRId64 " files (%" PRId64 " unchanged), %s",
	    upload->files, upload->unchanged, size);
	return 0;
}

static int do_upload(struct upload *upload, struct err *err)
{
	const struct strvec *words = &upload->cli->options.words;
	bool is_in_folder = true;
	int result;

	if (target_is_folder(upload, words->items[words->len - 1], &is_in_folder, err) < 0)
		return -1;
	result = walk_all(upload, is_in_folder, err);
	cli_progress_end(&upload->progress);
	return result < 0 ? -1 : write_upload(upload, err);
}

int cmd_vault_file_upload(struct cli *cli, struct err *err)
{
	struct upload upload = { .cli = cli, .w = JSON_WRITER_INIT(&cli->result) };
	cleanup_vault struct vault *vault = NULL;
	int result;

	if (cli->options.expect != NULL &&
	    (cli->options.is_recursive || cli->options.words.len > 2))
		return err_set(err, ERR_USAGE, "--expect is for one file");
	if (cli_progress_init(&upload.progress, "upload", cli->options.progress, err) < 0)
		return -1;
	vault = cli_vault_open(cli, err);
	if (vault == NULL)
		return -1;
	upload.vault = vault;
	result = do_upload(&upload, err);
	upload_release(&upload);
	return result;
}
