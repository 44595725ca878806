/* SPDX-License-Identifier: MIT */
/*
 * Masking inside JSON: each string is looked at on its decoded form, so that no escape hides a
 * secret, and a member's name may say that its value is one. Every other token keeps its bytes.
 */
#include "run/run_redact.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/json.h"

/* A key that needs no change, and what it says: lists of records repeat theirs. */
struct known_key {
	const struct json *key; /* NULL: none yet */
	const struct redact_name *name;
};

#define KNOWN_KEYS 64

struct json_walk {
	struct redactor *redactor;
	const struct redactor_values *values;
	struct json_doc numbers; /* the known values that are numbers, in an array; or empty */
	struct buf *out;         /* the text under way */
	struct buf masked;       /* one string, masked; kept for the next */
	struct buf clean;        /* and made clean */
	size_t masks;            /* set so far */
	size_t escaped;          /* characters made visible so far */
	bool has_changed_key;    /* two keys of one object may be equal now */
	struct err *err;         /* set when no mask can be made */
	struct known_key keys[KNOWN_KEYS];
};

/* True when text_add_clean() has nothing to do, as far as a glance tells. */
static bool is_plain(const char *data, size_t len)
{
	unsigned odd = 0;

	for (size_t i = 0; i < len; i++)
		odd |= (unsigned char)(data[i] - 0x20) > 0x5e;
	return odd == 0;
}

/* Masks data into walk->masked; false when there is nothing to mask. */
static bool mask_string(struct json_walk *walk, const char *data, size_t len)
{
	size_t masks = 0;
	bool is_masked;

	buf_reset(&walk->masked);
	is_masked =
	    redact_mask(walk->redactor, walk->values, data, len, &walk->masked, &masks, walk->err);
	walk->masks += masks;
	return is_masked;
}

/*
 * Masks and cleans one decoded string into walk->masked; false when nothing needs to change. What
 * is made clean is masked once more: "A\r\nB" becomes "A\nB", which may be a secret.
 */
static bool change_string(struct json_walk *walk, const struct json *string)
{
	bool is_masked = mask_string(walk, string->str, string->len);
	bool is_lone = (string->flags & JSON_LONE_SURROGATE) != 0;
	const char *data = is_masked ? walk->masked.data : string->str;
	size_t len = is_masked ? walk->masked.len : string->len;

	if (is_plain(data, len))
		return is_masked || is_lone;
	buf_reset(&walk->clean);
	walk->escaped += text_add_clean(&walk->clean, data, len) + (is_lone ? 1 : 0);
	if (!is_lone && walk->clean.len == len && memcmp(walk->clean.data, data, len) == 0)
		return is_masked;
	if (!mask_string(walk, walk->clean.data, walk->clean.len))
		buf_add(&walk->masked, walk->clean.data, walk->clean.len);
	return true;
}

static void write_string(struct json_walk *walk, const struct json *string)
{
	if (change_string(walk, string))
		json_quote(walk->out, walk->masked.data, walk->masked.len);
	else
		buf_add(walk->out, string->raw, string->raw_len);
}

/* A mask in the place of a whole value; nothing when none can be made, for err is set then. */
static void write_mask(struct json_walk *walk, const char *name)
{
	struct redact_host *host = redactor_host(walk->redactor);

	if (redact_host_marker(host, walk->err) == NULL)
		return;
	buf_reset(&walk->masked);
	redact_add_mask(host, name, &walk->masked);
	json_quote(walk->out, walk->masked.data, walk->masked.len);
	walk->masks++;
}

/* A string whose name says that it is a secret goes as a whole. */
static bool write_named(
    struct json_walk *walk, const struct json *string, const struct redact_name *name)
{
	struct redact_host *host = redactor_host(walk->redactor);

	if (!redact_judge_value(name->kind, REDACT_MEMBER, string->str, string->len))
		return false;
	if (redact_host_marker(host, walk->err) == NULL)
		return true;
	if (redact_mask_len(host, string->str, string->len) == string->len)
		return false;
	write_mask(walk, name->ending);
	return true;
}

static bool is_number(const char *text)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err ignored = ERR_INIT;

	return (*text == '-' || (*text >= '0' && *text <= '9')) &&
	       json_read(&doc, text, strlen(text), &ignored) == 0;
}

/* Read once, for they are compared with each number of the text. */
static int find_numbers(struct json_walk *walk)
{
	cleanup_buf struct buf text = BUF_INIT;
	size_t len;

	for (size_t i = 0; walk->values != NULL && i < walk->values->items.len; i++) {
		const char *item = walk->values->items.items[i];

		if (is_number(item))
			buf_addf(&text, "%c%s", text.len == 0 ? '[' : ',', item);
	}
	if (text.len == 0)
		return 0;
	buf_addc(&text, ']');
	len = text.len;
	return json_read_take(&walk->numbers, buf_detach(&text), len, walk->err);
}

/* A number may be a known value, a PIN: then a mask takes its place, however it is written. */
static bool is_known_number(const struct json_walk *walk, const struct json *value)
{
	const struct json *numbers = json_root(&walk->numbers);

	if (numbers == NULL)
		return false;
	json_foreach (number, numbers) {
		if (json_number_compare(number, value) == 0)
			return true;
	}
	return false;
}

static void write_number(struct json_walk *walk, const struct json *value)
{
	if (is_known_number(walk, value))
		write_mask(walk, REDACT_VALUE_NAME);
	else
		buf_add(walk->out, value->raw, value->raw_len);
}

/* ---- names ---- */

/* { "name": "DB_PASSWORD", "value": "…" }: what the environment of containers looks like. */
static const struct redact_name *judge_pair(const struct json *object, const struct json *key)
{
	static const char *const names[] = { "name", "Name", "key", "Key", "NAME" };

	if (key->len != 5 || strncasecmp(key->str, "value", 5) != 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const struct json *name = json_get(object, names[i]);

		if (json_is(name, JSON_STRING))
			return redact_judge_name(name->str, name->len);
	}
	return NULL;
}

/* The second changed key of an object, and each one after it, gets a number: two masks in one
 * object would be the same key. The key is in walk->masked. */
static void write_changed_key(struct json_walk *walk, size_t *changed)
{
	walk->has_changed_key = true;
	if (++*changed > 1)
		buf_addf(&walk->masked, "#%zu", *changed);
	json_quote(walk->out, walk->masked.data, walk->masked.len);
}

static struct known_key *slot_of(struct json_walk *walk, const struct json *key)
{
	size_t mix = key->len;

	if (key->len > 0)
		mix += (unsigned char)key->str[0] * 7U + (unsigned char)key->str[key->len - 1];
	return &walk->keys[mix % KNOWN_KEYS];
}

static bool is_known(const struct known_key *slot, const struct json *key)
{
	return slot->key != NULL && slot->key->len == key->len &&
	       (key->flags & JSON_LONE_SURROGATE) == 0 &&
	       memcmp(slot->key->str, key->str, key->len) == 0;
}

/* Writes the key; what it says about its value, or NULL. */
static const struct redact_name *write_key(
    struct json_walk *walk, const struct json *key, size_t *changed)
{
	struct known_key *slot = slot_of(walk, key);

	if (!is_known(slot, key)) {
		if (change_string(walk, key)) {
			write_changed_key(walk, changed);
			return redact_judge_name(key->str, key->len);
		}
		*slot =
		    (struct known_key){ .key = key, .name = redact_judge_name(key->str, key->len) };
	}
	buf_add(walk->out, key->raw, key->raw_len);
	return slot->name;
}

/* ---- values ---- */

static void write_value(
    struct json_walk *walk, const struct json *value, const struct redact_name *name);

static void write_object(struct json_walk *walk, const struct json *object)
{
	bool is_first = true;
	size_t changed = 0;

	buf_addc(walk->out, '{');
	json_foreach_member (key, value, object) {
		const struct redact_name *name;

		if (!is_first)
			buf_addc(walk->out, ',');
		is_first = false;
		name = write_key(walk, key, &changed);
		buf_addc(walk->out, ':');
		write_value(walk, value, name != NULL ? name : judge_pair(object, key));
	}
	buf_addc(walk->out, '}');
}

static void write_array(
    struct json_walk *walk, const struct json *array, const struct redact_name *name)
{
	bool is_first = true;

	buf_addc(walk->out, '[');
	json_foreach (item, array) {
		if (!is_first)
			buf_addc(walk->out, ',');
		is_first = false;
		write_value(walk, item, name);
	}
	buf_addc(walk->out, ']');
}

/* name: what the member's name says of the strings in it, or NULL. The depth of the recursion is
 * the reader's: LIMIT_JSON_DEPTH. */
static void write_value(
    struct json_walk *walk, const struct json *value, const struct redact_name *name)
{
	if (value->type == JSON_OBJECT)
		write_object(walk, value);
	else if (value->type == JSON_ARRAY)
		write_array(walk, value, name);
	else if (value->type == JSON_NUMBER)
		write_number(walk, value);
	else if (value->type != JSON_STRING)
		buf_add(walk->out, value->raw, value->raw_len);
	else if (name == NULL || !write_named(walk, value, name))
		write_string(walk, value);
}

/* Numbered keys can still meet a key that was there: such a text is not passed on. */
static int check_keys(const char *data, size_t len, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err reason = ERR_INIT;

	if (json_read(&doc, data, len, &reason) == 0)
		return 0;
	return err_set(
	    err, ERR_BAD_OUTPUT, "with its secrets masked, two keys of an object are the same");
}

/* The reader's own message may quote a name, which nobody has masked. */
static int refuse_text(struct err *err)
{
	enum err_code code = err->code;

	return err_set(err, code, "redact: the text is no JSON that can be read");
}

static int finish(const struct json_walk *walk, size_t start, struct err *err)
{
	if (err_is_set(err) || buf_check(walk->out, "the redacted text", err) < 0)
		return -1;
	if (!walk->has_changed_key)
		return 0;
	return check_keys(walk->out->data + start, walk->out->len - start, err);
}

int redact_json(struct redactor *redactor, const struct redactor_values *values, const char *data,
    size_t len, struct buf *ret_text, size_t *ret_masks, size_t *ret_escaped, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	struct json_walk walk = { .redactor = redactor,
		.values = values,
		.numbers = JSON_DOC_INIT,
		.out = ret_text,
		.masked = BUF_INIT,
		.clean = BUF_INIT,
		.err = err };
	size_t start = ret_text->len;
	int result;

	if (json_read(&doc, data, len, err) < 0)
		return refuse_text(err);
	if (find_numbers(&walk) == 0)
		write_value(&walk, json_root(&doc), NULL);
	buf_release(&walk.masked);
	buf_release(&walk.clean);
	json_doc_release(&walk.numbers);
	result = finish(&walk, start, err);
	if (result < 0) {
		buf_truncate(ret_text, start);
		return -1;
	}
	*ret_masks = walk.masks;
	*ret_escaped = walk.escaped;
	return 0;
}
