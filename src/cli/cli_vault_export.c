/* SPDX-License-Identifier: MIT */
/*
 * stile vault export: all that may be read below a folder, as plain files in DIR/files, and what the
 * vault knows of them in DIR/manifest.json. For leaving: nothing of ours is needed to read it.
 */
#include "cli/cli_checkout.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"

#define FORMAT 1
#define FILES_FOLDER "files"
#define MANIFEST_NAME "manifest.json"
#define MANIFEST_MAX ((size_t)512 << 20)

/* Metadata and tags of a file are two members of its object, each made as they come. */
struct notes {
	char file[ID_TEXT_SIZE];
	struct buf metadata; /* members of an object */
	struct buf tags;     /* items of an array */
};

struct export
{
	struct checkout *checkout;
	struct strvec paths; /* of the files, below DIR */
	struct checkout_want *wants;
	size_t len;
	struct notes *notes; /* by file id */
	size_t notes_len, notes_cap;
	int64_t bytes;
};

static void export_release(struct export *export)
{
	for (size_t i = 0; i < export->notes_len; i++) {
		buf_release(&export->notes[i].metadata);
		buf_release(&export->notes[i].tags);
	}
	free(export->notes);
	free(export->wants);
	strvec_release(&export->paths);
}

/* ---- metadata and tags ---- */

/* They come file by file. */
static struct notes *notes_of(struct export *export, const char *file)
{
	struct notes *notes;

	if (export->notes_len > 0 && strcmp(export->notes[export->notes_len - 1].file, file) == 0)
		return &export->notes[export->notes_len - 1];
	ARRAY_GROW(export->notes, export->notes_len, export->notes_cap);
	notes = &export->notes[export->notes_len++];
	*notes = (struct notes){ .metadata = BUF_INIT, .tags = BUF_INIT };
	(void)snprintf(notes->file, sizeof(notes->file), "%s", file);
	return notes;
}

static int take_note(
    void *ctx, const char *file, const char *key, const char *value, struct err *err)
{
	struct notes *notes = notes_of(ctx, file);
	struct buf *to = value != NULL ? &notes->metadata : &notes->tags;

	(void)err;
	if (to->len > 0)
		buf_addc(to, ',');
	json_quote(to, key, strlen(key));
	if (value != NULL) {
		buf_addc(to, ':');
		json_quote(to, value, strlen(value));
	}
	return 0;
}

static int compare_notes(const void *id, const void *notes)
{
	return strcmp(id, ((const struct notes *)notes)->file);
}

static void write_notes(const struct export *export, const char *id, struct json_writer *w)
{
	const struct notes *notes = export->notes_len == 0
					? NULL
					: bsearch(id, export->notes, export->notes_len,
					      sizeof(*export->notes), compare_notes);
	cleanup_buf struct buf text = BUF_INIT;

	buf_addf(&text, "{%s}", notes != NULL ? notes->metadata.data : "");
	json_write_member_raw(w, "metadata", text.data);
	buf_reset(&text);
	buf_addf(&text, "[%s]", notes != NULL ? notes->tags.data : "");
	json_write_member_raw(w, "tags", text.data);
}

/* ---- the manifest ---- */

static void write_head(
    const struct export *export, const struct checkout_head *head, struct json_writer *w)
{
	char hash[DIGEST_TEXT_SIZE];

	digest_format(&head->hash, hash);
	json_write_object_begin(w);
	json_write_member_string(w, "path", head->path);
	json_write_member_string(w, "id", head->id);
	if (!head->is_folder) {
		json_write_member_string(w, "version_id", head->version);
		json_write_member_int(w, "version", head->number);
		json_write_member_int(w, "size", head->size);
		json_write_member_string(w, "hash", hash);
		write_notes(export, head->id, w);
	}
	json_write_object_end(w);
}

static void write_heads(
    const struct export *export, const char *name, bool are_folders, struct json_writer *w)
{
	const struct checkout_heads *heads = &export->checkout->heads;

	json_write_key(w, name);
	json_write_array_begin(w);
	for (size_t i = 0; i < heads->len; i++) {
		if (heads->items[i].is_folder != are_folders)
			continue;
		buf_addc(w->buf, '\n'); /* a line a file, for people and for diff */
		write_head(export, &heads->items[i], w);
	}
	json_write_array_end(w);
}

static int write_manifest(const struct export *export, struct buf *text, struct err *err)
{
	const struct vault_entry *folder = &export->checkout->heads.folder;
	struct json_writer w = JSON_WRITER_INIT(text);
	struct vault_whoami whoami = { 0 };
	char time[CLOCK_TEXT_SIZE];

	if (vault_whoami(export->checkout->vault, &whoami, err) < 0)
		return -1;
	clock_format_utc(clock_wall_us(), time);
	json_write_object_begin(&w);
	json_write_member_int(&w, "stile_export", FORMAT);
	json_write_member_string(&w, "exported_at", time);
	json_write_member_string(&w, "exported_by", whoami.principal);
	json_write_member_string(&w, "organization", whoami.org_name);
	json_write_member_string(&w, "hash_algorithm", "BLAKE2b-256");
	json_write_key(&w, "folder");
	json_write_object_begin(&w);
	json_write_member_string(&w, "id", folder->id);
	json_write_member_string(&w, "path", folder->path);
	json_write_object_end(&w);
	write_heads(export, "folders", true, &w);
	write_heads(export, "files", false, &w);
	checkout_left_out_write(&export->checkout->heads, &w);
	json_write_object_end(&w);
	buf_addc(text, '\n');
	vault_whoami_release(&whoami);
	return buf_check(text, "the manifest", err);
}

static int save_manifest(struct export *export, struct err *err)
{
	struct checkout_place *place = &export->checkout->place;
	cleanup_buf struct buf text = BUF_INIT_MAX(MANIFEST_MAX);
	struct stat st;
	cleanup_fd int fd = -1;

	if (write_manifest(export, &text, err) < 0)
		return -1;
	fd = checkout_place_begin(place, err);
	if (fd < 0)
		return -1;
	if (fd_write_all(fd, text.data, text.len) < 0)
		return err_errno(err, errno, "write " MANIFEST_NAME);
	return checkout_place_end(
	    place, fd, MANIFEST_NAME, export->checkout->cli->options.is_force, &st, err);
}

/* ---- the files ---- */

/* What is there already stays out of the way, whatever --force says. */
static int check_place(const struct export *export, struct err *err)
{
	const struct checkout *checkout = export->checkout;
	cleanup_faults struct checkout_faults faults = CHECKOUT_FAULTS_INIT;

	if (checkout->place.is_empty)
		return 0;
	if (!checkout->cli->options.is_force)
		return err_set(err, ERR_ALREADY_EXISTS,
		    "%s is not empty; take a new folder, or --force", checkout->place.dir);
	for (size_t i = 0; i < checkout->walk.len; i++) {
		const struct checkout_local *local = &checkout->walk.items[i];

		if (local->kind == CHECKOUT_REFUSED &&
		    (strncmp(local->path, FILES_FOLDER, strlen(FILES_FOLDER)) == 0 ||
			strcmp(local->path, MANIFEST_NAME) == 0))
			checkout_fault(&faults, local->path, local->reason);
	}
	return checkout_faults_check(
	    &faults, ERR_CONFLICT, "nothing was written; these are in the way", err);
}

static int make_folders(struct export *export, struct err *err)
{
	const struct checkout_heads *heads = &export->checkout->heads;
	struct checkout_place *place = &export->checkout->place;

	if (checkout_place_make_folder(place, FILES_FOLDER, err) < 0)
		return -1;
	for (size_t i = 0; i < heads->len; i++) {
		cleanup_free char *path = xasprintf(FILES_FOLDER "/%s", heads->items[i].path);

		if (heads->items[i].is_folder && checkout_place_make_folder(place, path, err) < 0)
			return -1;
	}
	return 0;
}

static void list_wants(struct export *export)
{
	const struct checkout_heads *heads = &export->checkout->heads;

	export->wants = xcalloc(heads->len + 1, sizeof(*export->wants));
	for (size_t i = 0; i < heads->len; i++) {
		const struct checkout_head *head = &heads->items[i];

		if (head->is_folder)
			continue;
		strvec_pushf(&export->paths, FILES_FOLDER "/%s", head->path);
		export->bytes += head->size;
		export->wants[export->len++] = (struct checkout_want){
			.path = export->paths.items[export->paths.len - 1],
			.id = head->id,
			.version = head->version,
			.size = head->size,
			.may_replace = export->checkout->cli->options.is_force,
		};
	}
}

/* ---- the command ---- */

static void tell(const struct export *export)
{
	const struct checkout *checkout = export->checkout;
	struct cli *cli = checkout->cli;
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	char size[CLI_SIZE_SIZE];

	json_write_object_begin(&w);
	json_write_key(&w, "folder");
	json_write_object_begin(&w);
	json_write_member_string(&w, "id", checkout->heads.folder.id);
	json_write_member_string(&w, "path", checkout->heads.folder.path);
	json_write_object_end(&w);
	json_write_member_string(&w, "directory", checkout->place.dir);
	json_write_member_int(&w, "files", (int64_t) export->len);
	json_write_member_int(&w, "bytes", export->bytes);
	checkout_left_out_write(&checkout->heads, &w);
	json_write_object_end(&w);
	cli_format_size(export->bytes, size);
	cli_line(&cli->out, "exported: %s to %s, %zu files, %s, and " MANIFEST_NAME,
	    checkout->heads.folder.path, checkout->place.dir, export->len, size);
	checkout_left_out_show(&checkout->heads, &cli->out);
}

/* Files are written in DIR itself before they are put in their place; there is no .stile. */
static int open_place(struct checkout *checkout, struct err *err)
{
	struct checkout_place *place = &checkout->place;

	if (checkout_place_open(checkout->cli, cli_word(checkout->cli, 0), true, place, err) < 0)
		return -1;
	place->own_fd = openat(place->root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place->own_fd < 0)
		return err_errno(err, errno, "%s", place->dir);
	return place->is_empty ? 0 : checkout_walk(place, &checkout->walk, err);
}

static int write_files(struct export *export, struct err *err)
{
	struct checkout *checkout = export->checkout;

	if (vault_note_each(checkout->vault, checkout->heads.folder.id, take_note, export, err) <
		0 ||
	    make_folders(export, err) < 0)
		return -1;
	list_wants(export);
	if (checkout_fill(&checkout->place, checkout->vault, "export", checkout->heads.folder.id,
		export->wants, export->len, &checkout->progress, NULL, NULL, err) < 0)
		return -1;
	return save_manifest(export, err);
}

int cmd_vault_export(struct cli *cli, struct err *err)
{
	cleanup_checkout struct checkout checkout = CHECKOUT_INIT(cli);
	struct export export = { .checkout = &checkout };
	const char *ref = cli_word(cli, 1) != NULL ? cli_word(cli, 1) : "/";
	int result;

	if (cli_progress_init(&checkout.progress, "export", cli->options.progress, err) < 0)
		return -1;
	checkout.vault = cli_vault_open(cli, err);
	if (checkout.vault == NULL ||
	    checkout_heads_load(checkout.vault, ref, &checkout.heads, err) < 0 ||
	    open_place(&checkout, err) < 0 || check_place(&export, err) < 0)
		return -1;
	result = write_files(&export, err);
	if (result == 0)
		tell(&export);
	export_release(&export);
	return result;
}
