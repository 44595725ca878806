/* SPDX-License-Identifier: MIT */
/* trust.yaml: which surface files, and which programs behind them, a person has looked at. */
#include "gate/gate.h"

#include <stdlib.h>
#include <string.h>

#include "base/dirs.h"
#include "base/limits.h"
#include "base/yaml.h"
#include "json/json.h"

#define TRUST_FILE "trust.yaml"

void gate_trusted_release(struct gate_trusted *entry)
{
	free(entry->surface);
	free(entry->path);
	free(entry->program);
	*entry = (struct gate_trusted){ 0 };
}

void gate_trust_release(struct gate_trust *trust)
{
	for (size_t i = 0; i < trust->len; i++)
		gate_trusted_release(&trust->items[i]);
	free(trust->items);
	*trust = GATE_TRUST_INIT;
}

/* The member's text; NULL and err when it is missing or no string. */
static const char *text_member(const struct json *object, const char *name, struct err *err)
{
	const char *text = json_text(json_get(object, name));

	if (text == NULL)
		err_set(
		    err, ERR_CONFIGURATION, "%s: an entry has no text \"%s\"", TRUST_FILE, name);
	return text;
}

static int read_digest(const char *text, struct digest *ret_digest, struct err *err)
{
	if (!digest_parse(text, ret_digest))
		return err_set(
		    err, ERR_CONFIGURATION, "%s: \"%.20s…\" is no digest", TRUST_FILE, text);
	return 0;
}

/* Reads one entry of trust.yaml's list into memory of its own. */
static int read_entry(const struct json *node, struct gate_trusted *ret_entry, struct err *err)
{
	const char *surface = text_member(node, "surface", err);
	const char *path = surface != NULL ? text_member(node, "path", err) : NULL;
	const char *digest = path != NULL ? text_member(node, "digest", err) : NULL;
	const char *program = json_text(json_get(node, "program"));
	const char *program_digest = json_text(json_get(node, "program_digest"));
	struct gate_trusted entry = { 0 };

	if (digest == NULL || read_digest(digest, &entry.digest, err) < 0)
		return -1;
	if (program_digest != NULL && read_digest(program_digest, &entry.program_digest, err) < 0)
		return -1;
	entry.has_program_digest = program_digest != NULL;
	entry.surface = xstrdup(surface);
	entry.path = xstrdup(path);
	entry.program = xstrdup(program);
	*ret_entry = entry;
	return 0;
}

static int read_entries(const struct json *root, struct gate_trust *trust, struct err *err)
{
	const struct json *list = json_get(root, "trusted");

	if (json_is(root, JSON_NULL))
		return 0;
	if (!json_is(list, JSON_ARRAY) || root->len != 1)
		return err_set(
		    err, ERR_CONFIGURATION, "%s: wants one list, \"trusted\"", TRUST_FILE);
	json_foreach (item, list) {
		struct gate_trusted entry = { 0 };

		if (read_entry(item, &entry, err) < 0)
			return -1;
		gate_trust_set(trust, &entry);
		gate_trusted_release(&entry);
	}
	return 0;
}

int gate_trust_load(const char *data_dir, struct gate_trust *ret_trust, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT_MAX(LIMIT_YAML_BYTES);
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_gate_trust struct gate_trust trust = GATE_TRUST_INIT;
	int found = dirs_read_host_file(data_dir, TRUST_FILE, &text, err);

	if (found < 0)
		return -1;
	if (found == 1) {
		if (yaml_read(text.data, text.len, &yaml_limits_file, &json, NULL, err) < 0 ||
		    json_read(&doc, json.data, json.len, err) < 0)
			return err_wrap(err, "%s/%s", data_dir, TRUST_FILE);
		if (read_entries(json_root(&doc), &trust, err) < 0)
			return -1;
	}
	gate_trust_release(ret_trust);
	*ret_trust = trust;
	trust = GATE_TRUST_INIT;
	return 0;
}

/* Entries are written as JSON, which YAML 1.2 contains: no quoting of our own. */
static void write_entry(struct json_writer *w, const struct gate_trusted *entry)
{
	char digest[DIGEST_TEXT_SIZE];

	json_write_object_begin(w);
	json_write_member_string(w, "surface", entry->surface);
	json_write_member_string(w, "path", entry->path);
	digest_format(&entry->digest, digest);
	json_write_member_string(w, "digest", digest);
	if (entry->program != NULL)
		json_write_member_string(w, "program", entry->program);
	if (entry->has_program_digest) {
		digest_format(&entry->program_digest, digest);
		json_write_member_string(w, "program_digest", digest);
	}
	json_write_object_end(w);
}

int gate_trust_save(const char *data_dir, const struct gate_trust *trust, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT_MAX(LIMIT_YAML_BYTES);

	buf_adds(&text,
	    "# Surfaces a person has trusted. Written by `stile surface trust`.\ntrusted:\n");
	if (trust->len == 0)
		buf_adds(&text, "  []\n");
	for (size_t i = 0; i < trust->len; i++) {
		struct json_writer w = JSON_WRITER_INIT(&text);

		buf_adds(&text, "  - ");
		write_entry(&w, &trust->items[i]);
		buf_addc(&text, '\n');
	}
	if (buf_check(&text, TRUST_FILE, err) < 0)
		return -1;
	return dirs_write_host_file(data_dir, TRUST_FILE, &text, err);
}

void gate_trust_set(struct gate_trust *trust, const struct gate_trusted *entry)
{
	struct gate_trusted *slot = NULL;

	for (size_t i = 0; i < trust->len && slot == NULL; i++) {
		if (strcmp(trust->items[i].path, entry->path) == 0)
			slot = &trust->items[i];
	}
	if (slot == NULL) {
		ARRAY_GROW(trust->items, trust->len, trust->cap);
		slot = &trust->items[trust->len++];
		*slot = (struct gate_trusted){ 0 };
	}
	gate_trusted_release(slot);
	*slot = *entry;
	slot->surface = xstrdup(entry->surface);
	slot->path = xstrdup(entry->path);
	slot->program = xstrdup(entry->program);
}

const struct gate_trusted *gate_trust_find(const struct gate_trust *trust, const char *path)
{
	for (size_t i = 0; i < trust->len; i++) {
		if (strcmp(trust->items[i].path, path) == 0)
			return &trust->items[i];
	}
	return NULL;
}

int gate_trust_check(
    const struct gate_trust *trust, const struct gate_trusted *now, struct err *err)
{
	const struct gate_trusted *then = gate_trust_find(trust, now->path);
	const char *differs = NULL;

	if (then == NULL)
		differs = "it was never trusted";
	else if (!digest_equal(&then->digest, &now->digest))
		differs = "the file has changed since it was trusted";
	else if (strcmp(then->surface, now->surface) != 0)
		differs = "it was trusted under another name";
	else if (then->program == NULL || now->program == NULL)
		differs = "its program was not found, then or now";
	else if (strcmp(then->program, now->program) != 0)
		differs = "its program is another file now";
	else if (now->has_program_digest != then->has_program_digest)
		differs = "who may write its program has changed";
	else if (now->has_program_digest &&
		 !digest_equal(&then->program_digest, &now->program_digest))
		differs = "its program has changed";
	if (differs == NULL)
		return 0;
	return err_set(err, ERR_SURFACE_UNTRUSTED,
	    "surface %s: %s; a person must run: stile surface trust %s", now->surface, differs,
	    now->path);
}
