/* SPDX-License-Identifier: MIT */
/* Names of entries, and the words of enums: what may be one, in which form it is kept. */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <utf8proc.h>

#include "base/text.h"

/* ---- names of entries ---- */

static int refuse(const char *what, struct err *err)
{
	return err_set(err, ERR_INVALID_ARGUMENT, "a name %s", what);
}

/* Controls would let a listing draw on the terminal; separators would let it break a line. */
static bool is_forbidden(uint32_t codepoint)
{
	return codepoint < 0x20 || (codepoint >= 0x7f && codepoint < 0xa0) || codepoint == '/' ||
	       codepoint == 0x2028 || codepoint == 0x2029;
}

static int check_characters(const char *name, size_t len, struct err *err)
{
	size_t step;

	for (size_t at = 0; at < len; at += step) {
		uint32_t codepoint = 0;

		step = text_decode(name + at, len - at, &codepoint);
		if (step == 0)
			return refuse("must be UTF-8", err);
		if (is_forbidden(codepoint))
			return refuse("may hold no slash and no control character", err);
	}
	return 0;
}

static bool is_ascii(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if ((name[i] & 0x80) != 0)
			return false;
	}
	return true;
}

/* Owned; len bytes of valid UTF-8 without NUL. ASCII is in its form, and spares the tables. */
static char *to_nfc(const char *name, size_t len)
{
	utf8proc_uint8_t *text = NULL;
	utf8proc_ssize_t got;

	if (is_ascii(name, len))
		return xmemdupz(name, len);
	got = utf8proc_map((const utf8proc_uint8_t *)name, (utf8proc_ssize_t)len, &text,
	    UTF8PROC_COMPOSE | UTF8PROC_STABLE);
	if (got < 0)
		abort(); /* out of memory, for the text is valid */
	return (char *)text;
}

char *name_normalise(const char *name, size_t len, struct err *err)
{
	cleanup_free char *normal = NULL;

	if (len > 4 * VAULT_NAME_MAX) {
		(void)refuse("has at most 255 bytes", err);
		return NULL;
	}
	if (check_characters(name, len, err) < 0)
		return NULL;
	normal = to_nfc(name, len);
	if (normal[0] == '\0' || strcmp(normal, ".") == 0 || strcmp(normal, "..") == 0) {
		(void)refuse("may not be empty, \".\" or \"..\"", err);
		return NULL;
	}
	if (strlen(normal) > VAULT_NAME_MAX) {
		(void)refuse("has at most 255 bytes", err);
		return NULL;
	}
	return steal_ptr(&normal);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool name_is_of_stage(const char *name)
{
	return is_digit(name[0]) && is_digit(name[1]);
}

const char contract_name[] = "CONTEXT.md";

bool name_is_contract(const char *folder, const char *file)
{
	return name_is_of_stage(folder) && strcmp(file, contract_name) == 0;
}

/* ---- media types ---- */

static const struct {
	const char *ending, *type;
} media_types[] = {
	{ "c", "text/x-c" },
	{ "css", "text/css" },
	{ "csv", "text/csv" },
	{ "docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document" },
	{ "gif", "image/gif" },
	{ "gz", "application/gzip" },
	{ "h", "text/x-c" },
	{ "htm", "text/html" },
	{ "html", "text/html" },
	{ "jpeg", "image/jpeg" },
	{ "jpg", "image/jpeg" },
	{ "js", "text/javascript" },
	{ "json", "application/json" },
	{ "md", "text/markdown" },
	{ "mp3", "audio/mpeg" },
	{ "mp4", "video/mp4" },
	{ "pdf", "application/pdf" },
	{ "png", "image/png" },
	{ "pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation" },
	{ "py", "text/x-python" },
	{ "sh", "text/x-shellscript" },
	{ "svg", "image/svg+xml" },
	{ "tar", "application/x-tar" },
	{ "toml", "application/toml" },
	{ "tsv", "text/tab-separated-values" },
	{ "txt", "text/plain" },
	{ "wav", "audio/wav" },
	{ "webp", "image/webp" },
	{ "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
	{ "xml", "application/xml" },
	{ "yaml", "application/yaml" },
	{ "yml", "application/yaml" },
	{ "zip", "application/zip" },
};

const char *name_media_type(const char *name)
{
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot != NULL && i < ARRAY_LEN(media_types); i++) {
		if (strcasecmp(dot + 1, media_types[i].ending) == 0)
			return media_types[i].type;
	}
	return NULL;
}

/* ---- words of enums ---- */

static const char *const rank_names[] = { "none", "read", "write", "manage" };
static const char *const kind_names[] = { "folder", "file", "template", "workspace", "stage" };
static const char *const principal_kind_names[] = { "person", "agent", "service" };

const char *vault_rank_name(enum vault_rank rank)
{
	return rank_names[rank];
}

const char *vault_kind_name(enum vault_kind kind)
{
	return kind_names[kind];
}

const char *vault_principal_kind_name(enum vault_principal_kind kind)
{
	return principal_kind_names[kind];
}

int vault_rank_parse(const char *text, enum vault_rank *ret_rank, struct err *err)
{
	for (int rank = VAULT_READ; rank <= VAULT_MANAGE; rank++) {
		if (strcmp(text, rank_names[rank]) == 0) {
			*ret_rank = (enum vault_rank)rank;
			return 0;
		}
	}
	return err_set(err, ERR_INVALID_ARGUMENT, "a rank is read, write or manage");
}

int vault_principal_kind_parse(
    const char *text, enum vault_principal_kind *ret_kind, struct err *err)
{
	for (int kind = VAULT_PERSON; kind <= VAULT_SERVICE; kind++) {
		if (strcmp(text, principal_kind_names[kind]) == 0) {
			*ret_kind = (enum vault_principal_kind)kind;
			return 0;
		}
	}
	return err_set(err, ERR_INVALID_ARGUMENT, "a kind is person, agent or service");
}
