/* SPDX-License-Identifier: MIT */
/*
 * What all loading files use: findings, mappings read by their tables of keys, and the kinds of
 * value that keys have.
 */
#include "surface/surface_loader.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

/* ---- findings ---- */

PRINTF_LIKE(4, 0)
static void add_note(struct loader *l, enum surface_note_level level, const struct json *node,
    const char *fmt, va_list args)
{
	cleanup_buf struct buf text = BUF_INIT;
	size_t before = l->notes->len;

	l->faults += level == SURFACE_NOTE_ERROR ? 1 : 0;
	if (loader_is_full(l) || l->notes->len >= LOADER_NOTES_MAX)
		return;
	buf_vaddf(&text, fmt, args);
	surface_note(l->notes, l->in, level, node, NULL, "%s", text.data);
	if (level == SURFACE_NOTE_ERROR && l->notes->len > before)
		l->errors_len++;
}

void loader_error(struct loader *l, const struct json *node, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_note(l, SURFACE_NOTE_ERROR, node, fmt, args);
	va_end(args);
}

void loader_warn(struct loader *l, const struct json *node, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_note(l, SURFACE_NOTE_WARNING, node, fmt, args);
	va_end(args);
}

void loader_info(struct loader *l, const struct json *node, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_note(l, SURFACE_NOTE_INFO, node, fmt, args);
	va_end(args);
}

/* ---- mappings ---- */

/* Edit distance of two short names, at most 3: enough to say "nearest is". */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[41];
	size_t a_len = strlen(a);
	size_t b_len = strlen(b);

	if (a_len > 40 || b_len > 40)
		return 3;
	for (size_t j = 0; j <= b_len; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_len; j++) {
			unsigned best = diagonal + (a[i - 1] != b[j - 1] ? 1U : 0U);

			diagonal = row[j];
			best = row[j] + 1 < best ? row[j] + 1 : best;
			row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
		}
	}
	return row[b_len];
}

static void unknown_key(struct loader *l, const struct json *key, const char *what,
    const struct loader_key *keys, size_t keys_len)
{
	cleanup_buf struct buf shown = BUF_INIT;
	const struct loader_key *nearest = NULL;
	unsigned best = 3;

	for (size_t i = 0; i < keys_len; i++) {
		unsigned d = distance(key->str, keys[i].name);

		if (d < best) {
			best = d;
			nearest = &keys[i];
		}
	}
	text_add_visible(&shown, key->str, text_cut(key->str, key->len, 60));
	if (nearest != NULL)
		loader_error(l, key, "unknown key \"%s\" in %s; the nearest is \"%s\"", shown.data,
		    what, nearest->name);
	else
		loader_error(l, key, "unknown key \"%s\" in %s", shown.data, what);
}

static size_t find_key(const struct json *key, const struct loader_key *keys, size_t keys_len)
{
	for (size_t i = 0; i < keys_len; i++) {
		if (keys[i].name[0] == key->str[0] && strcmp(keys[i].name, key->str) == 0 &&
		    strlen(key->str) == key->len)
			return i;
	}
	return keys_len;
}

static void read_key(struct loader *l, const struct json *node, const char *what,
    const struct loader_key *key, const struct json *value, void *target)
{
	if (value == NULL) {
		if ((key->flags & KEY_REQUIRED) != 0)
			loader_error(l, node, "the key \"%s\" is missing in %s", key->name, what);
		return;
	}
	if ((key->flags & KEY_BUILTIN) != 0 && !l->surface->is_builtin)
		loader_error(l, value, "\"%s\" counts in built-in surfaces only", key->name);
	else if (key->read != NULL)
		key->read(l, value, target);
	else
		*(const struct json **)((char *)target + key->offset) = value;
}

void loader_mapping(struct loader *l, const struct json *node, const char *what,
    const struct loader_key *keys, size_t keys_len, void *target)
{
	const struct json *values[LOADER_KEYS_MAX] = { NULL };

	if (!loader_is_object(l, node, what))
		return;
	json_foreach_member (key, value, node) {
		size_t i = find_key(key, keys, keys_len);

		if (loader_is_full(l))
			break;
		if (i < keys_len)
			values[i] = value;
		else
			unknown_key(l, key, what, keys, keys_len);
	}
	for (size_t i = 0; i < keys_len && !loader_is_full(l); i++)
		read_key(l, node, what, &keys[i], values[i], target);
}

/* ---- values ---- */

bool loader_is_object(struct loader *l, const struct json *node, const char *what)
{
	if (node->type == JSON_OBJECT)
		return true;
	loader_error(l, node, "%s is a mapping, not %s", what, json_type_name(node));
	return false;
}

bool loader_is_array(struct loader *l, const struct json *node, const char *what)
{
	if (node->type == JSON_ARRAY)
		return true;
	loader_error(l, node, "%s is a list, not %s", what, json_type_name(node));
	return false;
}

const char *loader_any_text(struct loader *l, const struct json *node)
{
	const char *text = json_text(node);

	if (text == NULL && node->type == JSON_STRING)
		loader_error(l, node, "the text holds a NUL");
	else if (text == NULL)
		loader_error(l, node, "a text is wanted, not %s (quote it)", json_type_name(node));
	return text;
}

const char *loader_text(struct loader *l, const struct json *node)
{
	const char *text = loader_any_text(l, node);

	if (text != NULL && *text == '\0') {
		loader_error(l, node, "the text is empty");
		return NULL;
	}
	return text;
}

static void check_prose(struct loader *l, const struct json *node, size_t max_characters,
    size_t max_bytes, bool may_break)
{
	size_t characters = 0;
	uint32_t codepoint;

	for (size_t i = 0; i < node->len; characters++) {
		size_t n = text_decode(node->str + i, node->len - i, &codepoint);

		if (n == 0 || text_is_invisible(codepoint) || codepoint == '\t' ||
		    (codepoint == '\n' && !may_break)) {
			loader_error(l, node, "holds the control or invisible character U+%04X",
			    n == 0 ? 0xFFFDU : codepoint);
			return;
		}
		i += n;
	}
	if (characters > max_characters)
		loader_error(l, node, "has %zu characters; at most %zu are allowed", characters,
		    max_characters);
	if (node->len > max_bytes)
		loader_error(
		    l, node, "has %u bytes; at most %zu are allowed", node->len, max_bytes);
}

char *loader_prose(struct loader *l, const struct json *node, size_t max_characters,
    size_t max_bytes, bool may_break)
{
	const char *text = loader_text(l, node);

	if (text == NULL)
		return NULL;
	if (!l->is_checked)
		check_prose(l, node, max_characters, max_bytes, may_break);
	return loader_strdup(l, text);
}

void loader_bool(struct loader *l, const struct json *node, bool *ret_value)
{
	if (json_is_bool(node))
		*ret_value = node->type == JSON_TRUE;
	else
		loader_error(l, node, "true or false is wanted");
}

bool loader_integer(
    struct loader *l, const struct json *node, int64_t min, int64_t max, int64_t *ret_value)
{
	int64_t value;

	if (node->type != JSON_NUMBER || !json_number_int64(node, &value) || value < min ||
	    value > max) {
		loader_error(l, node, "an integer from %lld to %lld is wanted", (long long)min,
		    (long long)max);
		return false;
	}
	*ret_value = value;
	return true;
}

static void refuse_choice(struct loader *l, const struct json *node, const char *const *names)
{
	cleanup_buf struct buf wanted = BUF_INIT;

	for (int i = 0; names[i] != NULL; i++)
		buf_addf(&wanted, "%s%s", i > 0 ? ", " : "", names[i]);
	loader_error(l, node, "one of %s is wanted", wanted.data);
}

int loader_choice(struct loader *l, const struct json *node, const char *const *names)
{
	for (int i = 0; names[i] != NULL; i++) {
		if (json_is_text(node, names[i]))
			return i;
	}
	refuse_choice(l, node, names);
	return -1;
}

void loader_texts(
    struct loader *l, const struct json *node, bool may_be_one, struct strvec *ret_texts)
{
	const char *text;

	if (may_be_one && node->type == JSON_STRING) {
		text = loader_text(l, node);
		if (text != NULL)
			strvec_push(ret_texts, text);
		return;
	}
	if (!loader_is_array(l, node, "this"))
		return;
	json_foreach (item, node) {
		text = loader_text(l, item);
		if (text != NULL)
			strvec_push(ret_texts, text);
	}
}

const char *loader_pointer(struct loader *l, const struct json *node, bool allows_star)
{
	const char *text = loader_any_text(l, node);

	if (text != NULL && !surface_pointer_is_valid(text, allows_star)) {
		loader_error(l, node, "a JSON pointer such as /a/b is wanted%s",
		    allows_star ? "" : " (without *)");
		return NULL;
	}
	return text;
}

void loader_pointers(
    struct loader *l, const struct json *node, bool allows_star, struct strvec *ret_pointers)
{
	const char *text;

	if (node->type == JSON_STRING) {
		text = loader_pointer(l, node, allows_star);
		if (text != NULL)
			strvec_push(ret_pointers, text);
		return;
	}
	if (!loader_is_array(l, node, "this"))
		return;
	if (node->len == 0)
		loader_error(l, node, "the list is empty");
	json_foreach (item, node) {
		text = loader_pointer(l, item, allows_star);
		if (text != NULL)
			strvec_push(ret_pointers, text);
	}
}

struct regex *loader_regex(struct loader *l, const struct json *node)
{
	cleanup_err struct err err = ERR_INIT;
	const char *text = loader_text(l, node);
	struct regex *regex;

	if (text == NULL)
		return NULL;
	regex = regex_new(text);
	ARRAY_GROW(l->in->regexes, l->in->regexes_len, l->in->regexes_cap);
	l->in->regexes[l->in->regexes_len++] = regex;
	if (l->is_checked || regex_check(regex, &err) == 0)
		return regex;
	loader_error(l, node, "%s", err.message);
	return NULL;
}

struct regex *loader_regex_of_one_group(struct loader *l, const struct json *node)
{
	struct regex *regex = loader_regex(l, node);

	if (regex == NULL || l->is_checked || regex_groups_len(regex) == 1)
		return regex;
	loader_error(
	    l, node, "the pattern has %d groups; exactly one is wanted", regex_groups_len(regex));
	return NULL;
}

/* One comparison: an operator and a version; returns where it ends, or NULL. */
static const char *skip_comparison(const char *at)
{
	size_t n;

	at += strspn(at, "<>=");
	n = strspn(at, "0123456789.");
	return n == 0 || *at == '.' || at[n - 1] == '.' ? NULL : at + n;
}

void loader_range(struct loader *l, const struct json *node)
{
	const char *text = loader_text(l, node);
	const char *at = text;
	bool is_ok = text != NULL;

	while (is_ok && *at != '\0') {
		size_t n = strspn(at, "<>=");
		bool has_operator = n == 1 || (n == 2 && at[1] == '=' && at[0] != '=');

		at = has_operator ? skip_comparison(at) : NULL;
		is_ok = at != NULL && (*at == '\0' || *at == ',' || *at == ' ');
		if (is_ok)
			at += strspn(at, ", ");
	}
	if (text != NULL && !is_ok)
		loader_error(l, node, "a range such as \">=2.30, <3\" is wanted");
}

static bool is_name(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return n > 0 && n <= 64 && text[n] == '\0' && strchr("0123456789_", text[0]) == NULL;
}

bool loader_name(struct loader *l, const struct json *node, const char *what)
{
	const char *text = json_text(node);

	if (text != NULL && is_name(text))
		return true;
	loader_error(l, node,
	    "the name of %s is a letter, then letters, digits and _, at most 64 in all", what);
	return false;
}

/* Names that the dynamic loader reads, and the marker that lowers trust (DESIGN §7). */
static bool is_refused_variable(const char *name)
{
	return strncmp(name, "LD_", 3) == 0 || strncmp(name, "DYLD_", 5) == 0 ||
	       strcmp(name, "STILE_CALLER") == 0;
}

bool loader_variable(struct loader *l, const struct json *node)
{
	const char *text = loader_text(l, node);

	if (text == NULL)
		return false;
	if (!is_name(text[0] == '_' ? text + 1 : text)) {
		loader_error(l, node, "this is no name of an environment variable");
		return false;
	}
	if (is_refused_variable(text)) {
		loader_error(l, node, "%s is never passed to a program", text);
		return false;
	}
	return true;
}

/* ---- arena ---- */

void *loader_alloc(struct loader *l, size_t n, size_t size)
{
	return arena_alloc(&l->in->arena, n, size);
}

char *loader_strdup(struct loader *l, const char *text)
{
	return arena_strdup(&l->in->arena, text, strlen(text));
}
