/* SPDX-License-Identifier: MIT */
/*
 * Tokens: what a principal proves itself with. The value is shown once; the store keeps a one-way
 * hash of it, BLAKE2b keyed with the value itself, which never stands anywhere in clear.
 */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define TOKEN_PREFIX "stv_"
#define TOKEN_BYTES 32
#define TOKEN_DIGITS 43
#define USED_GRAIN_US ((int64_t)60 * 1000000)

static const char HASH_DOMAIN[] = "stile-vault-token-1";
static const char base64url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static const char SQL_ADD[] =
    "INSERT INTO token (id, principal, hash, created_us, expires_us) VALUES (?1, ?2, ?3, ?4, ?5)";
static const char SQL_BIND[] =
    "SELECT organization.id, organization.root, principal.id, token.id, token.last_used_us"
    " FROM token JOIN principal ON principal.id = token.principal"
    " JOIN organization ON organization.id = principal.org"
    " WHERE token.hash = ?1 AND token.revoked_us = 0 AND principal.disabled_us = 0"
    " AND (token.expires_us = 0 OR token.expires_us > ?2)";
static const char SQL_USED[] = "UPDATE token SET last_used_us = ?2 WHERE id = ?1";

#define TOKEN_COLUMNS                                                                              \
	"SELECT token.id, token.principal, token.created_us, token.last_used_us, "                 \
	"token.expires_us,"                                                                        \
	" token.revoked_us FROM token JOIN principal ON principal.id = token.principal"
static const char SQL_GET[] = TOKEN_COLUMNS " WHERE token.id = ?1 AND principal.org = ?2";
static const char SQL_EACH[] =
    TOKEN_COLUMNS " WHERE token.principal = ?1 AND principal.org = ?2 ORDER BY token.id";
static const char SQL_REVOKE[] = "UPDATE token SET revoked_us = ?2 WHERE id = ?1";
/* The valid tokens of those who can manage the root: all, and without ?3 or those of ?4. */
static const char SQL_WAYS[] =
    "SELECT count(*), count(*) FILTER (WHERE token.id IS NOT ?3 AND principal.id IS NOT ?4)"
    " FROM grant JOIN principal ON principal.id = grant.principal"
    " JOIN token ON token.principal = principal.id"
    " WHERE grant.folder = ?1 AND grant.rank = 3 AND principal.disabled_us = 0"
    " AND token.revoked_us = 0 AND (token.expires_us = 0 OR token.expires_us > ?2)";

/* ---- the value ---- */

void vault_token_text_wipe(struct vault_token_text *text)
{
	explicit_bzero(text, sizeof(*text));
}

/* 32 bytes as 43 digits of six bits, the last two of which are zero. */
static void encode(const uint8_t bytes[TOKEN_BYTES], char *digits)
{
	for (size_t i = 0; i < TOKEN_DIGITS; i++) {
		size_t bit = i * 6;
		unsigned high = bytes[bit / 8];
		unsigned low = bit / 8 + 1 < TOKEN_BYTES ? bytes[bit / 8 + 1] : 0;

		digits[i] = base64url[(high << 8 | low) >> (10 - bit % 8) & 63];
	}
	digits[TOKEN_DIGITS] = '\0';
}

static void make_text(struct vault_token_text *ret)
{
	uint8_t bytes[TOKEN_BYTES];

	random_bytes(bytes, sizeof(bytes));
	memcpy(ret->text, TOKEN_PREFIX, strlen(TOKEN_PREFIX));
	encode(bytes, ret->text + strlen(TOKEN_PREFIX));
	explicit_bzero(bytes, sizeof(bytes));
}

static bool has_form(const char *text, size_t len)
{
	return len == VAULT_TOKEN_TEXT_SIZE - 1 &&
	       strncmp(text, TOKEN_PREFIX, strlen(TOKEN_PREFIX)) == 0 &&
	       strspn(text + strlen(TOKEN_PREFIX), base64url) == TOKEN_DIGITS;
}

struct secret *vault_token_parse(char *text, struct err *err)
{
	size_t len = strlen(text);

	if (has_form(text, len))
		return secret_new_take(text, len);
	explicit_bzero(text, len);
	(void)err_set(err, ERR_INVALID_ARGUMENT, "this is no token: one is stv_ and 43 characters");
	return NULL;
}

static struct digest hash_of(const struct secret *token)
{
	return secret_mac(token, HASH_DOMAIN, strlen(HASH_DOMAIN));
}

static struct digest hash_of_text(const struct vault_token_text *text)
{
	struct vault_token_text copy = *text;
	cleanup_secret struct secret *secret = secret_new_take(copy.text, strlen(copy.text));

	return hash_of(secret);
}

/* ---- binding ---- */

int token_note_used(struct vault *vault, struct err *err)
{
	int64_t now = clock_wall_us();

	if (now - vault->token_used_us < USED_GRAIN_US && now >= vault->token_used_us)
		return 0;
	return store_run(vault, SQL_USED, BINDS(B_TEXT(vault->token), B_INT(now)), err);
}

static int read_binding(struct vault *vault, struct sql_stmt *stmt, struct err *err)
{
	if (store_id(stmt, 0, vault->org, err) < 0 || store_id(stmt, 1, vault->root, err) < 0 ||
	    store_id(stmt, 2, vault->principal, err) < 0 ||
	    store_id(stmt, 3, vault->token, err) < 0) {
		vault->org[0] = '\0';
		return -1;
	}
	return 0;
}

int vault_bind_unnoted(struct vault *vault, const struct secret *token, struct err *err)
{
	struct digest hash = hash_of(token);
	cleanup_reset struct sql_stmt *stmt = NULL;
	int got =
	    store_row(vault, SQL_BIND, BINDS(B_DIGEST(&hash), B_INT(clock_wall_us())), &stmt, err);

	if (got < 0)
		return -1;
	if (got == 0)
		return err_set(err, ERR_UNAUTHENTICATED,
		    "the vault does not accept this token: it is unknown, expired or revoked, or "
		    "its"
		    " principal is disabled");
	vault->token_used_us = sql_column_int(stmt, 4);
	return read_binding(vault, stmt, err);
}

int vault_bind(struct vault *vault, const struct secret *token, struct err *err)
{
	return vault_bind_unnoted(vault, token, err) < 0 ? -1 : token_note_used(vault, err);
}

int vault_login(
    struct vault *vault, const struct secret *kept, const struct secret *token, struct err *err)
{
	char before[ID_TEXT_SIZE] = "";

	if (kept != NULL && vault_bind_unnoted(vault, kept, err) == 0)
		memcpy(before, vault->principal, sizeof(before));
	else if (err_is_set(err) && err->code != ERR_UNAUTHENTICATED)
		return -1;
	err_release(err);
	if (vault_bind_unnoted(vault, token, err) < 0)
		return -1;
	if (before[0] != '\0' && strcmp(before, vault->principal) != 0)
		return err_set(err, ERR_ALREADY_EXISTS,
		    "you are logged in as somebody else (stile vault whoami), whose token would be "
		    "forgotten; first run: stile vault logout");
	return token_note_used(vault, err);
}

/* ---- somebody must be able to come in ---- */

int token_check_ways(struct vault *vault, const char *token, const char *principal,
    const char *message, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;

	if (store_row(vault, SQL_WAYS,
		BINDS(
		    B_TEXT(vault->root), B_INT(clock_wall_us()), B_TEXT(token), B_TEXT(principal)),
		&stmt, err) < 0)
		return -1;
	if (sql_column_int(stmt, 0) > 0 && sql_column_int(stmt, 1) == 0)
		return err_set(err, ERR_CONFLICT, "%s", message);
	return 0;
}

static const char last_way[] = "this is the last valid token with which anybody can manage the "
			       "root; first make another: stile "
			       "vault token issue --out FILE";

int vault_token_check_last(struct vault *vault, struct err *err)
{
	return token_check_ways(vault, vault->token, NULL, last_way, err);
}

/* ---- issuing, listing, revoking ---- */

void vault_token_release(struct vault_token *token)
{
	free(token->id);
	free(token->principal);
	*token = (struct vault_token){ 0 };
}

static void read_token(struct sql_stmt *stmt, struct vault_token *ret)
{
	*ret = (struct vault_token){
		.id = store_text(stmt, 0),
		.principal = store_text(stmt, 1),
		.created_us = sql_column_int(stmt, 2),
		.last_used_us = sql_column_int(stmt, 3),
		.expires_us = sql_column_int(stmt, 4),
		.revoked_us = sql_column_int(stmt, 5),
	};
}

int token_insert(struct vault *vault, const char *principal, int64_t expires_us,
    struct vault_token *ret, struct vault_token_text *ret_text, struct err *err)
{
	char id[ID_TEXT_SIZE];
	int64_t now = clock_wall_us();
	struct digest hash;

	make_text(ret_text);
	hash = hash_of_text(ret_text);
	id_new_sortable("tok_", id);
	if (store_run(vault, SQL_ADD,
		BINDS(
		    B_TEXT(id), B_TEXT(principal), B_DIGEST(&hash), B_INT(now), B_INT(expires_us)),
		err) < 0)
		return -1;
	*ret = (struct vault_token){
		.id = xstrdup(id),
		.principal = xstrdup(principal),
		.created_us = now,
		.expires_us = expires_us,
	};
	return 0;
}

/* Whose tokens: the caller's own, or another's to those who may. */
static int find_owner(
    struct vault *vault, const char *ref, struct vault_principal *ret, struct err *err)
{
	cleanup_err struct err manages = ERR_INIT;
	int can_manage = must_manage_root(vault, &manages);
	int found = principal_find(vault, ref != NULL ? ref : vault->principal, ret, err);

	if (found == 0 && (can_manage == 0 || strcmp(ret->id, vault->principal) == 0))
		return 0;
	if (can_manage < 0) /* one answer, whether there is such a principal or not */
		err_move(err, &manages);
	return -1;
}

static int do_issue(struct vault *vault, struct op *op, const char *ref, int64_t expires_us,
    struct vault_token *ret, struct vault_token_text *ret_text, struct err *err)
{
	struct vault_principal owner = { 0 };
	int result = find_owner(vault, ref, &owner, err);

	if (result == 0 && owner.disabled_us != 0)
		result = err_set(err, ERR_CONFLICT, "principal %s is disabled", owner.name);
	if (result == 0 && expires_us != 0 && expires_us <= clock_wall_us())
		result = err_set(err, ERR_INVALID_ARGUMENT, "the token would have expired already");
	if (result == 0)
		result = token_insert(vault, owner.id, expires_us, ret, ret_text, err);
	op_set(&op->after, ret->id);
	vault_principal_release(&owner);
	return result;
}

int vault_token_issue(struct vault *vault, const char *principal, int64_t expires_us,
    struct vault_token *ret, struct vault_token_text *ret_text, struct err *err)
{
	struct op op = OP_WRITE("token issue", principal);
	struct vault_token token = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = do_issue(vault, &op, principal, expires_us, &token, ret_text, err);
	result = op_end(vault, &op, result, err);
	if (result == 0) {
		*ret = token;
	} else {
		vault_token_release(&token);
		vault_token_text_wipe(ret_text);
	}
	return result;
}

static int each(
    struct vault *vault, const char *principal, vault_token_fn fn, void *ctx, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(vault, SQL_EACH, BINDS(B_TEXT(principal), B_TEXT(vault->org)), err);
	int got = stmt == NULL ? -1 : 1;

	while (got == 1 && (got = sql_step(stmt, err)) == 1) {
		struct vault_token token;

		read_token(stmt, &token);
		if (fn(ctx, &token, err) < 0)
			got = -1;
		vault_token_release(&token);
	}
	return got;
}

int vault_token_each(
    struct vault *vault, const char *principal, vault_token_fn fn, void *ctx, struct err *err)
{
	struct op op = OP_READ("token list", principal);
	struct vault_principal owner = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = find_owner(vault, principal, &owner, err);
	if (result == 0)
		result = op_note(vault, &op, err);
	if (result == 0)
		result = each(vault, owner.id, fn, ctx, err);
	vault_principal_release(&owner);
	return op_end(vault, &op, result, err);
}

/* One answer for a token that is not there and for another's that the caller may not manage. */
static int find_token(struct vault *vault, const char *id, struct vault_token *ret, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	cleanup_err struct err ignored = ERR_INIT;
	int got = store_row(vault, SQL_GET, BINDS(B_TEXT(id), B_TEXT(vault->org)), &stmt, err);

	if (got < 0)
		return -1;
	if (got == 1) {
		read_token(stmt, ret);
		if (strcmp(ret->principal, vault->principal) == 0 ||
		    must_manage_root(vault, &ignored) == 0)
			return 0;
	}
	return err_set(err, ERR_NOT_FOUND, "there is no such token, or it is not yours");
}

static int do_revoke(struct vault *vault, const char *id, struct vault_token *ret, struct err *err)
{
	if (find_token(vault, id, ret, err) < 0)
		return -1;
	if (ret->revoked_us != 0)
		return 0;
	if (token_check_ways(vault, ret->id, NULL, last_way, err) < 0)
		return -1;
	ret->revoked_us = clock_wall_us();
	return store_run(vault, SQL_REVOKE, BINDS(B_TEXT(id), B_INT(ret->revoked_us)), err);
}

int vault_token_revoke(
    struct vault *vault, const char *id, struct vault_token *ret, struct err *err)
{
	struct op op = OP_WRITE("token revoke", id);
	struct vault_token token = { 0 };
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = do_revoke(vault, id, &token, err);
	result = op_end(vault, &op, result, err);
	if (result == 0)
		*ret = token;
	else
		vault_token_release(&token);
	return result;
}
