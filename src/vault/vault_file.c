/* SPDX-License-Identifier: MIT */
/* Files: a new version, a copy, a return to an old version, the difference of two. */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"

static const char SQL_HEAD_NUMBER[] = "SELECT number FROM version WHERE id = ?1";

/* ---- what a version says of itself ---- */

static bool is_media_type(const char *text)
{
	const char *slash = strchr(text, '/');

	return slash != NULL && slash != text && slash[1] != '\0' && strlen(text) <= 128 &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    "!#$&-^_.+/;= ") == strlen(text);
}

int check_message(const char *message, struct err *err)
{
	if (message == NULL ||
	    (strlen(message) <= VAULT_MESSAGE_MAX && text_is_utf8(message, strlen(message))))
		return 0;
	return err_set(
	    err, ERR_INVALID_ARGUMENT, "a message is UTF-8 of at most %d bytes", VAULT_MESSAGE_MAX);
}

static int check_put(const struct vault_put *put, struct err *err)
{
	if (check_message(put->message, err) < 0)
		return -1;
	if (put->media_type != NULL && !is_media_type(put->media_type))
		return err_set(
		    err, ERR_INVALID_ARGUMENT, "a media type looks like this: text/markdown");
	return 0;
}

static const char *media_type_of(
    const struct vault_put *put, const char *name, const struct vault_staged *staged)
{
	const char *known = put->media_type != NULL ? put->media_type : name_media_type(name);

	if (known != NULL)
		return known;
	return staged_is_text(staged) ? "text/plain" : "application/octet-stream";
}

/* ---- put ---- */

static int moved(const char *name, int64_t number, struct err *err)
{
	if (number == 0)
		return err_set(err, ERR_CONFLICT, "%s is not there any more, or not yet", name);
	return err_set(err, ERR_CONFLICT,
	    "%s is at version %lld by now; look at what changed, then try again", name,
	    (long long)number);
}

/* Is the head what the caller believes it to be? */
static int check_expected(struct vault *vault, const struct found *file, const char *name,
    const char *expect, struct err *err)
{
	int64_t number = 0;
	int64_t wanted = 0;

	if (expect == NULL)
		return 0;
	if (file->head[0] != '\0' &&
	    store_int(vault, SQL_HEAD_NUMBER, BINDS(B_TEXT(file->head)), &number, err) < 0)
		return -1;
	if (strncmp(expect, "ver_", 4) == 0)
		return strcmp(expect, file->head) == 0 ? 0 : moved(name, number, err);
	if (num_parse(expect, 0, INT64_MAX, &wanted, err) < 0)
		return err_wrap(err, "the expected version");
	return number == wanted ? 0 : moved(name, number, err);
}

/* 1: these bytes are the head's, of which *ret tells. */
static int is_head(struct vault *vault, const struct found *file, const struct digest *hash,
    struct vault_version *ret, struct err *err)
{
	struct vault_version head = { 0 };

	if (file->head[0] == '\0')
		return 0;
	if (version_load(vault, file->head, &head, err) < 0)
		return -1;
	if (digest_equal(&head.hash, hash)) {
		head.is_unchanged = true;
		*ret = head;
		return 1;
	}
	vault_version_release(&head);
	return 0;
}

/* The folder to put into, the name there, and the file that is there, if any. */
struct place {
	struct found folder;
	char *name;
	struct found file; /* its id is empty when there is none */
};

static void place_release(struct place *place)
{
	found_release(&place->folder);
	found_release(&place->file);
	free(place->name);
}

/* A ref that is a file's own id has no folder in it. */
static char *ref_with_folder(struct vault *vault, struct op *op, const char *ref, struct err *err)
{
	cleanup_found struct found file = { 0 };

	if (strchr(ref, '/') != NULL || ref_is_relative(vault, ref))
		return xstrdup(ref);
	if (resolve(vault, op, ref, VAULT_WANT_FILE, FOUND_LIVING, VAULT_READ, &file, err) < 0)
		return NULL;
	return xasprintf("%s/%s", file.parent, file.name);
}

/* A file's grant is its folder's, so that the rank there is the rank for both. */
static int find_place(struct vault *vault, struct op *op, const char *ref, enum vault_rank needed,
    struct place *place, struct err *err)
{
	cleanup_free char *full = ref_with_folder(vault, op, ref, err);
	int got;

	if (full == NULL ||
	    resolve_parent(vault, op, full, VAULT_READ, &place->folder, &place->name, err) < 0)
		return -1;
	got = child_of(vault, place->folder.id, place->name, place->file.id, err);
	if (got < 0)
		return -1;
	if (got == 1) {
		char id[ID_TEXT_SIZE];

		memcpy(id, place->file.id, sizeof(id));
		return resolve(
		    vault, op, id, VAULT_WANT_FILE, FOUND_LIVING, needed, &place->file, err);
	}
	return need_rank(place->folder.rank, ref, needed, err);
}

static int add_version(struct vault *vault, struct op *op, struct place *place,
    const struct vault_staged *staged, const struct vault_put *put, struct vault_version *ret,
    struct err *err)
{
	struct new_version version = {
		.content = staged_content(staged),
		.media_type = media_type_of(put, place->name, staged),
		.message = put->message,
		.parent = place->file.head[0] != '\0' ? place->file.head : NULL,
	};
	char id[ID_TEXT_SIZE];

	if (place->file.id[0] == '\0' &&
	    entry_insert(vault, &place->folder, place->name, VAULT_FILE, place->file.id, err) < 0)
		return -1;
	version.file = place->file.id;
	memcpy(op->entry, place->file.id, sizeof(op->entry));
	op_set(&op->before, version.parent);
	if (version_insert(vault, &version, id, err) < 0)
		return -1;
	op_set(&op->after, id);
	return version_load(vault, id, ret, err);
}

static int put_at(struct vault *vault, struct op *op, const char *ref, struct place *place,
    const struct vault_staged *staged, const struct vault_put *put, struct vault_version *ret,
    struct err *err)
{
	int got;

	if (find_place(vault, op, ref, VAULT_WRITE, place, err) < 0 ||
	    guard_contract(vault, &place->folder, place->name, err) < 0)
		return -1;
	if (put->is_new && place->file.id[0] != '\0')
		return err_set(err, ERR_ALREADY_EXISTS,
		    "there is something named %s in that folder already", place->name);
	if (check_expected(vault, &place->file, place->name, put->expect, err) < 0)
		return -1;
	got = is_head(vault, &place->file, staged_hash(staged), ret, err);
	if (got == 0)
		return add_version(vault, op, place, staged, put, ret, err);
	op_set(&op->detail, got == 1 ? "unchanged" : NULL);
	return got < 0 ? -1 : 0;
}

int vault_file_put(struct vault *vault, const char *ref, const struct vault_staged *staged,
    const struct vault_put *put, struct vault_version *ret, struct err *err)
{
	struct op op = OP_WRITE("file put", ref);
	struct place place = { 0 };
	struct vault_version version = { 0 };
	int result;

	if (vault->batch.sql == NULL && !vault->is_batch_broken && pending_flush(vault, err) < 0)
		return -1;
	result = op_begin(vault, &op, err);
	if (result == 0)
		result = check_put(put, err);
	if (result == 0)
		result = put_at(vault, &op, ref, &place, staged, put, &version, err);
	place_release(&place);
	return version_end(vault, &op, result, &version, ret, err);
}

/* ---- copy ---- */

static int copy_head(struct vault *vault, struct op *op, const struct found *source,
    struct place *place, struct err *err)
{
	struct vault_version head = { 0 };
	struct new_version version = { .parent = source->head };
	char id[ID_TEXT_SIZE];
	int result;

	if (version_load(vault, source->head, &head, err) < 0)
		return -1;
	version.media_type = head.media_type;
	version.message = head.message;
	result = version_content(vault, source->head, &version.content, err);
	if (result == 0)
		result = entry_insert(
		    vault, &place->folder, place->name, VAULT_FILE, place->file.id, err);
	version.file = place->file.id;
	if (result == 0)
		result = version_insert(vault, &version, id, err);
	if (result == 0)
		op_set(&op->after, place->file.id);
	vault_version_release(&head);
	return result;
}

static int copy(struct vault *vault, struct op *op, const char *file, const char *target,
    struct place *place, struct vault_entry *ret, struct err *err)
{
	struct op of_target = OP_READ("", NULL);
	cleanup_found struct found source = { 0 };

	if (resolve(vault, op, file, VAULT_WANT_FILE, FOUND_LIVING, VAULT_READ, &source, err) < 0 ||
	    resolve_parent(
		vault, &of_target, target, VAULT_MANAGE, &place->folder, &place->name, err) < 0 ||
	    guard_contract(vault, &place->folder, place->name, err) < 0)
		return -1;
	op_set(&op->before, source.head);
	if (copy_head(vault, op, &source, place, err) < 0 ||
	    metadata_copy(vault, source.id, place->file.id, err) < 0)
		return -1;
	return entry_load(vault, place->file.id, place->folder.rank, ret, err);
}

int vault_file_copy(struct vault *vault, const char *file, const char *target,
    struct vault_entry *ret, struct err *err)
{
	struct op op = OP_WRITE("file copy", file);
	struct place place = { 0 };
	struct vault_entry entry = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = copy(vault, &op, file, target, &place, &entry, err);
	place_release(&place);
	result = op_end(vault, &op, result, err);
	if (result == 0)
		*ret = entry;
	else
		vault_entry_release(&entry);
	return result;
}

/* ---- revert ---- */

static int revert(struct vault *vault, struct op *op, const struct found *file, const char *text,
    const char *message, struct vault_version *ret, struct err *err)
{
	struct vault_version old = { 0 };
	struct new_version version = { .file = file->id, .message = message, .parent = file->head };
	char id[ID_TEXT_SIZE];
	int result;

	if (version_find(vault, file, text, id, err) < 0 || version_load(vault, id, &old, err) < 0)
		return -1;
	version.media_type = old.media_type;
	op_set(&op->detail, old.id);
	op_set(&op->before, file->head);
	result = is_head(vault, file, &old.hash, ret, err);
	if (result == 0)
		result = version_content(vault, old.id, &version.content, err);
	if (result == 0)
		result = version_insert(vault, &version, id, err);
	if (result == 0)
		result = version_load(vault, id, ret, err);
	if (result == 0)
		op_set(&op->after, id);
	vault_version_release(&old);
	return result < 0 ? -1 : 0;
}

static int guard_revert(
    struct vault *vault, struct op *op, const struct found *file, struct err *err)
{
	cleanup_found struct found folder = { 0 };
	char entry[ID_TEXT_SIZE];
	int result;

	if (strcmp(file->name, "CONTEXT.md") != 0)
		return 0;
	memcpy(entry, op->entry, sizeof(entry));
	result = resolve(
	    vault, op, file->parent, VAULT_WANT_FOLDER, FOUND_LIVING, VAULT_READ, &folder, err);
	memcpy(op->entry, entry, sizeof(entry));
	return result < 0 ? -1 : guard_contract(vault, &folder, file->name, err);
}

int vault_file_revert(struct vault *vault, const char *file, const char *version,
    const char *message, struct vault_version *ret, struct err *err)
{
	struct op op = OP_WRITE("file revert", file);
	const struct vault_put put = { .message = message };
	cleanup_found struct found found = { 0 };
	struct vault_version made = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = check_put(&put, err);
	if (result == 0)
		result = resolve(
		    vault, &op, file, VAULT_WANT_FILE, FOUND_LIVING, VAULT_MANAGE, &found, err);
	if (result == 0)
		result = guard_revert(vault, &op, &found, err);
	if (result == 0)
		result = revert(vault, &op, &found, version, message, &made, err);
	return version_end(vault, &op, result, &made, ret, err);
}

/* ---- difference ---- */

void vault_diff_release(struct vault_diff *diff)
{
	vault_version_release(&diff->from);
	vault_version_release(&diff->to);
	buf_release(&diff->text);
}

static int compare(struct vault *vault, struct vault_diff *diff, struct err *err)
{
	cleanup_buf struct buf from = BUF_INIT;
	cleanup_buf struct buf to = BUF_INIT;
	int from_is_text;
	int to_is_text;

	if (digest_equal(&diff->from.hash, &diff->to.hash))
		return 0;
	diff->is_too_large = diff->from.size > VAULT_DIFF_MAX || diff->to.size > VAULT_DIFF_MAX;
	if (diff->is_too_large)
		return 0;
	from_is_text = text_load(vault, &diff->from, VAULT_DIFF_MAX, &from, err);
	to_is_text = from_is_text < 0 ? -1 : text_load(vault, &diff->to, VAULT_DIFF_MAX, &to, err);
	if (to_is_text < 0)
		return -1;
	diff->is_binary = from_is_text == 0 || to_is_text == 0;
	if (!diff->is_binary)
		diff_texts(from.data, from.len, to.data, to.len, &diff->text, &diff->added,
		    &diff->removed);
	return 0;
}

static int load_pair(struct vault *vault, const struct found *file, const char *from,
    const char *to, struct vault_diff *diff, struct err *err)
{
	char id[ID_TEXT_SIZE];

	if (version_find(vault, file, to, id, err) < 0 ||
	    version_load(vault, id, &diff->to, err) < 0)
		return -1;
	if (from == NULL && diff->to.number == 1)
		return err_set(err, ERR_NOT_FOUND, "there is no version before the first");
	if (from == NULL) {
		char number[24];

		(void)snprintf(number, sizeof(number), "%lld", (long long)diff->to.number - 1);
		if (version_find(vault, file, number, id, err) < 0)
			return -1;
	} else if (version_find(vault, file, from, id, err) < 0) {
		return -1;
	}
	return version_load(vault, id, &diff->from, err);
}

static int difference(struct vault *vault, struct op *op, const char *ref, const char *from,
    const char *to, struct vault_diff *diff, struct err *err)
{
	cleanup_found struct found file = { 0 };

	if (resolve(vault, op, ref, VAULT_WANT_FILE, FOUND_LIVING, VAULT_READ, &file, err) < 0 ||
	    load_pair(vault, &file, from, to, diff, err) < 0)
		return -1;
	op_set(&op->before, diff->from.id);
	op_set(&op->after, diff->to.id);
	return compare(vault, diff, err);
}

int vault_file_diff(struct vault *vault, const char *file, const char *from, const char *to,
    struct vault_diff *ret, struct err *err)
{
	struct op op = OP_READ("file diff", file);
	struct vault_diff diff = { .text = BUF_INIT };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = difference(vault, &op, file, from, to, &diff, err);
	result = op_end(vault, &op, result, err);
	if (result == 0)
		*ret = diff;
	else
		vault_diff_release(&diff);
	return result;
}
