/* SPDX-License-Identifier: MIT */
#ifndef UNIT_VAULT_UNIT_H
#define UNIT_VAULT_UNIT_H

/* A vault of its own for each test, and the shortest ways to fill it. */

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scratch.h"
#include "vault/vault_internal.h"

struct fixture {
	char *dir;
	struct vault *vault; /* bound to the owner */
	struct vault_token_text token;
	struct err err;
};

static inline void open_fixture(struct fixture *f)
{
	void *dir = NULL;

	assert_int_equal(scratch_setup(&dir), 0);
	*f = (struct fixture){ .dir = dir };
	assert_int_equal(chmod(f->dir, 0700), 0);
	f->vault = vault_create(f->dir, &f->err);
	assert_non_null(f->vault);
	assert_ok(vault_init(f->vault, "acme", "owner", &f->token, &f->err), &f->err);
}

static inline void close_fixture(struct fixture *f)
{
	void *dir = f->dir;

	vault_close(f->vault);
	(void)scratch_teardown(&dir);
	err_release(&f->err);
}

#define cleanup_fixture __attribute__((cleanup(close_fixture)))

static inline struct secret *secret_of(const struct vault_token_text *token)
{
	struct vault_token_text copy = *token;
	struct err err = ERR_INIT;

	return vault_token_parse(copy.text, &err);
}

/* Another connection, bound to a new principal of that name; closed by the caller. */
static inline struct vault *open_as(struct fixture *f, const char *name)
{
	struct vault_principal principal = { 0 };
	struct vault_token token = { 0 };
	struct vault_token_text text;
	struct vault *vault = vault_open(f->dir, &f->err);
	struct secret *secret;

	assert_non_null(vault);
	assert_ok(vault_principal_add(f->vault, name, VAULT_AGENT, &principal, &f->err), &f->err);
	assert_ok(vault_token_issue(f->vault, name, 0, &token, &text, &f->err), &f->err);
	secret = secret_of(&text);
	assert_ok(vault_bind(vault, secret, &f->err), &f->err);
	secret_free(secret);
	vault_principal_release(&principal);
	vault_token_release(&token);
	return vault;
}

/* The folder's id, for tests that name things by id. */
static inline void make_folder(struct vault *vault, const char *ref, char ret_id[ID_TEXT_SIZE])
{
	struct vault_entry entry = { 0 };
	struct err err = ERR_INIT;

	assert_ok(vault_folder_create(vault, ref, &entry, &err), &err);
	if (ret_id != NULL)
		(void)snprintf(ret_id, ID_TEXT_SIZE, "%s", entry.id);
	vault_entry_release(&entry);
}

/* 0 or -1 as vault_file_put(). */
static inline int put_text_as(struct vault *vault, const char *ref, const char *text,
    const struct vault_put *put, struct vault_version *ret, struct err *err)
{
	cleanup_staged struct vault_staged *staged =
	    vault_stage_bytes(vault, text, strlen(text), err);

	return staged == NULL ? -1 : vault_file_put(vault, ref, staged, put, ret, err);
}

static inline int put_text(struct vault *vault, const char *ref, const char *text, struct err *err)
{
	const struct vault_put put = { 0 };
	struct vault_version version = { 0 };
	int result = put_text_as(vault, ref, text, &put, &version, err);

	vault_version_release(&version);
	return result;
}

static inline int take(void *ctx, const void *data, size_t len, struct err *err)
{
	(void)err;
	buf_add(ctx, data, len);
	return 0;
}

/* The file's text, owned; NULL with err. */
static inline char *get_text(
    struct vault *vault, const char *ref, const char *version, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;

	if (vault_version_get(vault, ref, version, 0, take, &text, NULL, err) < 0)
		return NULL;
	return buf_detach(&text);
}

/* Back to the format before each: a test of a migration runs them from the newest down, then sets
 * user_version. */
#define UNDO_SCHEMA_4 "DROP TABLE mcp_scope_audit_events;"
#define UNDO_SCHEMA_3                                                                              \
	"DROP TABLE workspace; DROP TABLE template_item; DROP TABLE template_version;"             \
	"DROP TABLE template;"
#define UNDO_SCHEMA_2                                                                              \
	"DROP TABLE text_index; DROP TABLE text_file; DROP TABLE text_pending;"                    \
	"DROP INDEX entry_by_bare_name;"

/* Paths, one a line. */
static inline int note_path(void *ctx, const struct vault_entry *entry, struct err *err)
{
	(void)err;
	buf_addf(ctx, "%s\n", entry->path);
	return 0;
}

#endif
