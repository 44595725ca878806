/* SPDX-License-Identifier: MIT */
/*
 * The record of a checkout, .stile/checkout.json, as text. It lies where any program of this user can
 * change it: it is read as what a stranger wrote.
 */
#include "cli/cli_checkout.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT 1
#define ID_LEN 30

void checkout_record_release(struct checkout_record *record)
{
	for (size_t i = 0; i < record->len; i++)
		free(record->files[i].path);
	free(record->files);
	*record = (struct checkout_record){ 0 };
}

const char *checkout_record_folder(const struct checkout_record *record)
{
	return record->stage[0] != '\0' ? record->stage : record->workspace;
}

struct checkout_record checkout_record_next(const struct checkout_record *record)
{
	struct checkout_record next = {
		.is_under_way = record->is_under_way,
		.time_us = record->time_us,
	};

	memcpy(next.workspace, record->workspace, sizeof(next.workspace));
	memcpy(next.stage, record->stage, sizeof(next.stage));
	return next;
}

struct checkout_file *checkout_record_add(struct checkout_record *record, char *path)
{
	ARRAY_GROW(record->files, record->len, record->cap);
	record->files[record->len] = (struct checkout_file){ .path = path };
	return &record->files[record->len++];
}

/* ---- writing ---- */

static void write_file(const struct checkout_file *file, struct json_writer *w)
{
	char hash[DIGEST_TEXT_SIZE];

	digest_format(&file->hash, hash);
	json_write_object_begin(w);
	json_write_member_string(w, "path", file->path);
	json_write_member_string(w, "file", file->id);
	json_write_member_string(w, "version", file->version);
	json_write_member_int(w, "number", file->number);
	json_write_member_int(w, "size", file->size);
	json_write_member_int(w, "mtime_ns", file->mtime_ns);
	json_write_member_int(w, "ctime_ns", file->ctime_ns);
	json_write_member_int(w, "inode", file->inode);
	json_write_member_string(w, "hash", hash);
	json_write_object_end(w);
}

void checkout_record_write(const struct checkout_record *record, struct buf *text)
{
	struct json_writer w = JSON_WRITER_INIT(text);

	json_write_object_begin(&w);
	json_write_member_int(&w, "stile_checkout", FORMAT);
	json_write_member_string(&w, "workspace", record->workspace);
	json_write_member_string(&w, "stage", record->stage[0] != '\0' ? record->stage : NULL);
	json_write_member_bool(&w, "under_way", record->is_under_way);
	json_write_member_int(&w, "time_us", record->time_us);
	json_write_member_int(&w, "clock_ns", record->clock_ns);
	json_write_key(&w, "files");
	json_write_array_begin(&w);
	for (size_t i = 0; i < record->len; i++) {
		buf_addc(text, '\n'); /* a line a file, for people and for diff */
		write_file(&record->files[i], &w);
	}
	json_write_array_end(&w);
	json_write_object_end(&w);
	buf_addc(text, '\n');
}

/* ---- reading ---- */

static int malformed(const char *what, struct err *err)
{
	return err_set(err, ERR_CONFIGURATION, "its record is malformed (%s)", what);
}

/* An object of exactly these members, in any order. */
static int check_members(
    const struct json *object, const char *const *names, size_t len, struct err *err)
{
	if (!json_is(object, JSON_OBJECT) || object->len != len)
		return malformed("members", err);
	for (size_t i = 0; i < len; i++) {
		if (json_get(object, names[i]) == NULL)
			return malformed(names[i], err);
	}
	return 0;
}

static int read_number(
    const struct json *object, const char *name, int64_t min, int64_t *ret, struct err *err)
{
	const struct json *value = json_get(object, name);

	if (!json_is(value, JSON_NUMBER) || !json_number_int64(value, ret) || *ret < min)
		return malformed(name, err);
	return 0;
}

/* "fil_" and the rest: the form only; what it names is the vault's to say. */
static int read_id(
    const struct json *object, const char *name, char ret[ID_TEXT_SIZE], struct err *err)
{
	static const char letters[] = "0123456789abcdefghjkmnpqrstvwxyz";
	const char *text = json_text(json_get(object, name));

	if (text == NULL || strlen(text) != ID_LEN || text[3] != '_' ||
	    strspn(text, "abcdefghijklmnopqrstuvwxyz") != 3 ||
	    strspn(text + 4, letters) != ID_LEN - 4)
		return malformed(name, err);
	memcpy(ret, text, ID_LEN + 1);
	return 0;
}

static int read_path(const struct json *object, const struct checkout_record *record,
    const char **ret, struct err *err)
{
	const struct json *value = json_get(object, "path");
	const char *path = json_text(value);

	if (path == NULL || (value->flags & JSON_LONE_SURROGATE) != 0 ||
	    checkout_path_fault(path) != NULL)
		return malformed("path", err);
	if (record->len > 0 && strcmp(record->files[record->len - 1].path, path) >= 0)
		return malformed("order of paths", err);
	*ret = path;
	return 0;
}

static int read_file(const struct json *object, struct checkout_record *record, struct err *err)
{
	static const char *const names[] = { "path", "file", "version", "number", "size",
		"mtime_ns", "ctime_ns", "inode", "hash" };
	struct checkout_file file = { 0 };
	const char *path = NULL;
	const char *hash;

	if (check_members(object, names, ARRAY_LEN(names), err) < 0 ||
	    read_path(object, record, &path, err) < 0 ||
	    read_id(object, "file", file.id, err) < 0 ||
	    read_id(object, "version", file.version, err) < 0 ||
	    read_number(object, "number", 1, &file.number, err) < 0 ||
	    read_number(object, "size", 0, &file.size, err) < 0 ||
	    read_number(object, "mtime_ns", INT64_MIN, &file.mtime_ns, err) < 0 ||
	    read_number(object, "ctime_ns", INT64_MIN, &file.ctime_ns, err) < 0 ||
	    read_number(object, "inode", INT64_MIN, &file.inode, err) < 0)
		return -1;
	hash = json_text(json_get(object, "hash"));
	if (hash == NULL || !digest_parse(hash, &file.hash))
		return malformed("hash", err);
	file.path = xstrdup(path);
	*checkout_record_add(record, NULL) = file;
	return 0;
}

static int read_files(const struct json *array, struct checkout_record *record, struct err *err)
{
	if (!json_is(array, JSON_ARRAY))
		return malformed("files", err);
	if (array->len > CHECKOUT_FILES_MAX)
		return malformed("too many files", err);
	json_foreach (file, array) {
		if (read_file(file, record, err) < 0)
			return -1;
	}
	return 0;
}

static int read_root(const struct json *root, struct checkout_record *record, struct err *err)
{
	static const char *const names[] = { "stile_checkout", "workspace", "stage", "under_way",
		"time_us", "clock_ns", "files" };
	int64_t format = 0;

	if (check_members(root, names, ARRAY_LEN(names), err) < 0 ||
	    read_number(root, "stile_checkout", 1, &format, err) < 0)
		return -1;
	if (format != FORMAT)
		return malformed("another format", err);
	if (!json_is_bool(json_get(root, "under_way")))
		return malformed("under_way", err);
	record->is_under_way = json_is(json_get(root, "under_way"), JSON_TRUE);
	if (read_id(root, "workspace", record->workspace, err) < 0 ||
	    (!json_is(json_get(root, "stage"), JSON_NULL) &&
		read_id(root, "stage", record->stage, err) < 0) ||
	    read_number(root, "time_us", 0, &record->time_us, err) < 0 ||
	    read_number(root, "clock_ns", INT64_MIN, &record->clock_ns, err) < 0)
		return -1;
	return read_files(json_get(root, "files"), record, err);
}

int checkout_record_read(const char *text, size_t len, struct checkout_record *ret, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_record struct checkout_record record = { 0 };
	cleanup_err struct err fault = ERR_INIT;

	if (json_read(&doc, text, len, &fault) < 0)
		return malformed("no JSON", err);
	if (read_root(json_root(&doc), &record, err) < 0)
		return -1;
	*ret = record;
	record = (struct checkout_record){ 0 };
	return 0;
}
