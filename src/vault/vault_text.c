/* SPDX-License-Identifier: MIT */
/*
 * The full-text index of heads. Made when somebody searches, not when somebody writes: a word must
 * be found at the next search, and thousands of uploads need not pay for one that may never come.
 */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define TEXT_MAX ((int64_t)1 << 20)
/* One transaction takes so much: a writer that waits for it must not lose patience. */
#define FILES_AT_ONCE 256
#define BYTES_AT_ONCE ((size_t)4 << 20)

static const char SQL_ENQUEUE[] =
    "INSERT INTO text_pending VALUES (?1) ON CONFLICT (file) DO NOTHING";
static const char SQL_ENQUEUE_ALL[] = "INSERT INTO text_pending SELECT id FROM entry WHERE kind = 1"
				      " AND org = ?1 ON CONFLICT (file) DO NOTHING";
static const char SQL_DEQUEUE[] = "DELETE FROM text_pending WHERE file = ?1";
static const char SQL_NEXT[] = "SELECT file FROM text_pending LIMIT 1";
static const char SQL_HEAD[] = "SELECT head FROM entry WHERE id = ?1 AND head IS NOT NULL";
static const char SQL_ROW[] = "SELECT id FROM text_file WHERE file = ?1";
static const char SQL_ADD_ROW[] = "INSERT INTO text_file (file) VALUES (?1)";
static const char SQL_DROP_ROW[] = "DELETE FROM text_file WHERE id = ?1";
static const char SQL_ADD_BODY[] = "INSERT INTO text_index (rowid, body) VALUES (?1, ?2)";
static const char SQL_DROP_BODY[] = "DELETE FROM text_index WHERE rowid = ?1";

/* ---- the text of a version ---- */

static int take_text(void *ctx, const void *data, size_t len, struct err *err)
{
	(void)err;
	buf_add(ctx, data, len);
	return 0;
}

int text_load(struct vault *vault, const struct vault_version *version, int64_t max_size,
    struct buf *text, struct err *err)
{
	int64_t content = 0;

	if (version->size > max_size)
		return 0;
	if (version_content(vault, version->id, &content, err) < 0 ||
	    content_read(vault, content, take_text, text, err) < 0)
		return -1;
	return text_is_utf8(text->data, text->len) && memchr(text->data, 0, text->len) == NULL;
}

/* ---- the queue ---- */

int text_enqueue(struct vault *vault, const char *file, struct err *err)
{
	return store_run(vault, SQL_ENQUEUE, BINDS(B_TEXT(file)), err);
}

static int drop(struct vault *vault, const char *file, struct err *err)
{
	int64_t row = 0;

	if (store_int(vault, SQL_ROW, BINDS(B_TEXT(file)), &row, err) < 0)
		return -1;
	if (row == 0)
		return 0;
	if (store_run(vault, SQL_DROP_BODY, BINDS(B_INT(row)), err) < 0)
		return -1;
	return store_run(vault, SQL_DROP_ROW, BINDS(B_INT(row)), err);
}

int text_forget(struct vault *vault, const char *file, struct err *err)
{
	if (drop(vault, file, err) < 0)
		return -1;
	return store_run(vault, SQL_DEQUEUE, BINDS(B_TEXT(file)), err);
}

static int add(struct vault *vault, const char *file, const struct buf *body, struct err *err)
{
	int64_t row = 0;

	if (store_run(vault, SQL_ADD_ROW, BINDS(B_TEXT(file)), err) < 0 ||
	    store_int(vault, SQL_ROW, BINDS(B_TEXT(file)), &row, err) < 0)
		return -1;
	return store_run(vault, SQL_ADD_BODY, BINDS(B_INT(row), B_TEXT(body->data)), err);
}

/* The head's text in place of what was indexed. Damaged content is no text: it is told by those
 * who read it, and must not keep everybody from searching. */
static int index_head(
    struct vault *vault, const char *file, const char *head, size_t *bytes, struct err *err)
{
	struct vault_version version = { 0 };
	cleanup_buf struct buf body = BUF_INIT;
	cleanup_err struct err damage = ERR_INIT;
	int is_text = version_load(vault, head, &version, err);

	if (is_text == 0)
		is_text = text_load(vault, &version, TEXT_MAX, &body, &damage);
	vault_version_release(&version);
	if (err_is_set(err))
		return -1;
	if (is_text < 0 && damage.code != ERR_CONTENT_CORRUPT) {
		err_move(err, &damage);
		return -1;
	}
	*bytes += body.len;
	return is_text == 1 ? add(vault, file, &body, err) : 0;
}

/* Adds to *bytes what was read. */
static int index_file(struct vault *vault, const char *file, size_t *bytes, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	cleanup_free char *head = NULL;
	int got;

	if (text_forget(vault, file, err) < 0)
		return -1;
	got = store_row(vault, SQL_HEAD, BINDS(B_TEXT(file)), &stmt, err);
	if (got <= 0)
		return got;
	head = store_text(stmt, 0);
	return index_head(vault, file, head, bytes, err);
}

/* 1: *ret_file waits, owned; 0: none does. */
static int next_pending(struct vault *vault, char **ret_file, struct err *err)
{
	cleanup_reset struct sql_stmt *stmt = NULL;
	int got = store_row(vault, SQL_NEXT, NULL, 0, &stmt, err);

	if (got == 1)
		*ret_file = store_text(stmt, 0);
	return got;
}

/* Some of what waits, in one transaction: others write in between. 1: more may wait. */
static int index_some(struct vault *vault, struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;
	size_t bytes = 0;
	int got = 1;

	if (sql_begin(vault->sql, &txn, err) < 0)
		return -1;
	for (int i = 0; i < FILES_AT_ONCE && bytes < BYTES_AT_ONCE && got == 1; i++) {
		cleanup_free char *file = NULL;

		got = next_pending(vault, &file, err);
		if (got == 1 && index_file(vault, file, &bytes, err) < 0)
			got = -1;
	}
	if (got < 0 || sql_commit(&txn, err) < 0)
		return -1;
	return got;
}

/* A look first, for a search must not wait for a writer when there is nothing to index. */
int text_catch_up(struct vault *vault, struct err *err)
{
	cleanup_free char *file = NULL;
	int got = next_pending(vault, &file, err);

	while (got == 1)
		got = index_some(vault, err);
	return got;
}

int vault_repair_index(struct vault *vault, struct err *err)
{
	struct op op = OP_WRITE("fsck repair-index", NULL);
	int result = op_begin(vault, &op, err);

	if (result == 0)
		result = must_manage_root(vault, err);
	if (result == 0)
		result = store_run(vault, SQL_ENQUEUE_ALL, BINDS(B_TEXT(vault->org)), err);
	return op_end(vault, &op, result, err);
}

/* ---- queries ---- */

/* One word as a string of the index's language, which then has no operators in it. */
static void add_word(struct buf *query, const char *word, size_t len)
{
	bool is_prefix = len > 1 && word[len - 1] == '*';

	buf_adds(query, query->len > 0 ? " \"" : "\"");
	for (size_t i = 0; i < len - is_prefix; i++) {
		if (word[i] == '"')
			buf_addc(query, '"');
		buf_addc(query, word[i]);
	}
	buf_adds(query, is_prefix ? "\"*" : "\"");
}

char *text_query(const char *words, struct err *err)
{
	cleanup_buf struct buf query = BUF_INIT_MAX(8192);

	if (!text_is_utf8(words, strlen(words))) {
		(void)err_set(err, ERR_INVALID_ARGUMENT, "the words to find must be UTF-8");
		return NULL;
	}
	for (words += strspn(words, " \t\n"); *words != '\0'; words += strspn(words, " \t\n")) {
		size_t len = strcspn(words, " \t\n");

		add_word(&query, words, len);
		words += len;
	}
	if (query.len == 0) {
		(void)err_set(err, ERR_INVALID_ARGUMENT, "there is no word to find");
		return NULL;
	}
	return buf_check(&query, "the words to find", err) < 0 ? NULL : buf_detach(&query);
}
