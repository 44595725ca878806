/* SPDX-License-Identifier: MIT */
/*
 * The marker: what tells our masks from text that looks like one, and what keeps masked text from
 * being written back. It is derived from a key of this host (keys/marker), which is made when the
 * first mask is set. Who never saw a mask cannot guess it, so nobody can make a text unwritable.
 */
#include "run/run_redact.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/secret.h"
#include "json/json.h"

#define KEY_NAME "marker"
#define KEY_LEN 32

/* Hexadecimal digits: 96 bits. */
#define MARKER_LEN ((size_t)24)

#define MASK_BEGIN "[masked:"
#define MASK_NAME_MAX 40

/* ---- the marker ---- */

static void set_marker(struct redact_host *host, const struct secret *key)
{
	static const char purpose[] = "the marker in masks";
	struct digest digest = secret_mac(key, purpose, sizeof(purpose) - 1);
	char text[DIGEST_TEXT_SIZE];

	digest_format(&digest, text);
	memcpy(host->marker, text, MARKER_LEN);
	host->marker[MARKER_LEN] = '\0';
}

static struct secret *open_key(const struct redact_host *host, struct err *err)
{
	cleanup_fd int keys = -1;

	if (host->data_dir == NULL)
		return secret_new_random(KEY_LEN);
	if (secret_open_keys(host->data_dir, &keys, err) < 0)
		return NULL;
	return secret_open_file(keys, KEY_NAME, KEY_LEN, err);
}

const char *redact_host_marker(struct redact_host *host, struct err *err)
{
	cleanup_secret struct secret *key = NULL;

	if (host->marker[0] != '\0')
		return host->marker;
	key = open_key(host, err);
	if (key == NULL) {
		(void)err_wrap(err, "the marker of masks");
		return NULL;
	}
	set_marker(host, key);
	return host->marker;
}

static bool has_key(const struct redact_host *host)
{
	cleanup_free char *path = NULL;

	if (host->data_dir == NULL)
		return false;
	path = xasprintf("%s/keys/" KEY_NAME, host->data_dir);
	return access(path, F_OK) == 0 || errno != ENOENT;
}

/* The marker as long as there is one; makes nothing. Another process may make it any time, so a
 * missing one is looked for again. */
static int find_marker(struct redact_host *host, const char **ret_marker, struct err *err)
{
	*ret_marker = NULL;
	if (host->marker[0] == '\0' && !has_key(host))
		return 0;
	*ret_marker = redact_host_marker(host, err);
	return *ret_marker != NULL ? 0 : -1;
}

/* ---- masks ---- */

void redact_add_mask(const struct redact_host *host, const char *name, struct buf *ret_text)
{
	assert(host->marker[0] != '\0');
	buf_addf(ret_text, MASK_BEGIN "%s:%s]", name, host->marker);
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

size_t redact_mask_len(struct redact_host *host, const char *data, size_t len)
{
	cleanup_err struct err ignored = ERR_INIT;
	const char *marker = NULL;
	size_t at = strlen(MASK_BEGIN);
	size_t name = at;

	if (len < at || memcmp(data, MASK_BEGIN, at) != 0 ||
	    find_marker(host, &marker, &ignored) < 0 || marker == NULL)
		return 0;
	while (at < len && at - name < MASK_NAME_MAX && is_name_char(data[at]))
		at++;
	if (at == name || len - at < MARKER_LEN + 2 || data[at] != ':' ||
	    memcmp(data + at + 1, marker, MARKER_LEN) != 0 || data[at + 1 + MARKER_LEN] != ']')
		return 0;
	return at + MARKER_LEN + 2;
}

/* ---- refusing what holds it ---- */

int redact_has_marker(
    struct redact_host *host, const char *data, size_t len, bool *ret_has, struct err *err)
{
	const char *marker = NULL;

	if (len >= MARKER_LEN && find_marker(host, &marker, err) < 0)
		return -1;
	*ret_has = marker != NULL && memmem(data, len, marker, MARKER_LEN) != NULL;
	return 0;
}

static bool holds(const struct json *node, const char *marker)
{
	return node->type == JSON_STRING &&
	       memmem(node->str, node->len, marker, MARKER_LEN) != NULL;
}

/* The pointer of the first string, or name, that holds the marker; false: there is none. */
static bool find_pointer(const struct json *node, const char *marker, struct buf *pointer)
{
	size_t before = pointer->len;
	size_t index = 0;

	if (holds(node, marker))
		return true;
	if (node->type == JSON_OBJECT) {
		json_foreach_member (key, value, node) {
			json_pointer_add(pointer, key->str, key->len);
			if (holds(key, marker) || find_pointer(value, marker, pointer))
				return true;
			buf_truncate(pointer, before);
		}
	} else if (node->type == JSON_ARRAY) {
		json_foreach (item, node) {
			cleanup_free char *name = xasprintf("%zu", index++);

			json_pointer_add(pointer, name, strlen(name));
			if (find_pointer(item, marker, pointer))
				return true;
			buf_truncate(pointer, before);
		}
	}
	return false;
}

static bool any_holds(const struct json *node, const char *marker)
{
	for (const struct json *at = node; at < json_end(node); at++) {
		if (holds(at, marker))
			return true;
	}
	return false;
}

static bool is_any_long(const struct json *node)
{
	for (const struct json *at = node; at < json_end(node); at++) {
		if (at->type == JSON_STRING && at->len >= MARKER_LEN)
			return true;
	}
	return false;
}

int redact_refuse_masked(struct redact_host *host, const struct json *arguments, struct err *err)
{
	cleanup_buf struct buf pointer = BUF_INIT;
	cleanup_buf struct buf details = BUF_INIT;
	const char *marker = NULL;

	if (arguments == NULL || !is_any_long(arguments))
		return 0;
	if (find_marker(host, &marker, err) < 0)
		return -1;
	if (marker == NULL || !any_holds(arguments, marker))
		return 0;
	(void)find_pointer(arguments, marker, &pointer);
	buf_adds(&details, "{\"errors\":[{\"pointer\":");
	json_quote(&details, pointer.data, pointer.len);
	buf_adds(&details, ",\"keyword\":\"masked\"}]}");
	err_set(err, ERR_MASKED_CONTENT,
	    "%s: holds a mask of ours (" MASK_BEGIN
	    "…]), which stands for a secret that was not shown; writing it would destroy the "
	    "original; leave that part as it is, or ask the person for the value",
	    pointer.data);
	return err_take_details(err, buf_detach(&details));
}
