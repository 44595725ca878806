/* SPDX-License-Identifier: MIT */
/*
 * Names that no checkout writes: what git or we would take for our own, and what differs from a neighbour
 * in case or composition alone. Who may manage a folder may have them there; who only writes in it, or is
 * limited, would make with them what others get to see of it only with a part missing.
 */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char SQL_NEIGHBOURS[] =
    "SELECT id, name FROM entry WHERE parent = ?1 AND trashed_us = 0";

/* The names of one folder as numbers, so that thousands of new files in it are looked at once each. */
struct neighbours {
	char folder[ID_TEXT_SIZE]; /* empty: of none */
	uint64_t *keys;            /* by number; a ring of slots, 0: free */
	size_t len, cap;           /* cap: a power of two */
};

static uint64_t key_of(const char *name)
{
	cleanup_buf struct buf folded = BUF_INIT;
	uint64_t key = 0xcbf29ce484222325; /* FNV-1a */

	text_add_folded(&folded, name, strlen(name));
	for (size_t i = 0; i < folded.len; i++)
		key = (key ^ (unsigned char)folded.data[i]) * 0x100000001b3;
	return key != 0 ? key : 1;
}

static uint64_t *slot_of(const struct neighbours *neighbours, uint64_t key)
{
	size_t at = (size_t)key & (neighbours->cap - 1);

	while (neighbours->keys[at] != 0 && neighbours->keys[at] != key)
		at = (at + 1) & (neighbours->cap - 1);
	return &neighbours->keys[at];
}

static void grow(struct neighbours *neighbours)
{
	struct neighbours larger = { .cap = neighbours->cap * 2 };

	larger.keys = xcalloc(larger.cap, sizeof(*larger.keys));
	for (size_t i = 0; i < neighbours->cap; i++) {
		if (neighbours->keys[i] != 0)
			*slot_of(&larger, neighbours->keys[i]) = neighbours->keys[i];
	}
	free(neighbours->keys);
	neighbours->keys = larger.keys;
	neighbours->cap = larger.cap;
}

static void add(struct neighbours *neighbours, uint64_t key)
{
	uint64_t *slot = slot_of(neighbours, key);

	neighbours->len += *slot == 0;
	*slot = key;
	if (neighbours->len * 2 > neighbours->cap)
		grow(neighbours);
}

void neighbours_forget(struct vault *vault)
{
	if (vault->neighbours != NULL)
		vault->neighbours->folder[0] = '\0';
}

void neighbours_free(struct neighbours *neighbours)
{
	if (neighbours == NULL)
		return;
	free(neighbours->keys);
	free(neighbours);
}

static int look_around(struct vault *vault, const char *folder, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(vault, SQL_NEIGHBOURS, BINDS(B_TEXT(folder)), err);
	struct neighbours *neighbours = vault->neighbours;
	int got = stmt == NULL ? -1 : sql_step(stmt, err);

	memset(neighbours->keys, 0, neighbours->cap * sizeof(*neighbours->keys));
	neighbours->len = 0;
	for (; got == 1; got = sql_step(stmt, err))
		add(neighbours, key_of(sql_column_text(stmt, 1)));
	if (got == 0)
		(void)snprintf(neighbours->folder, sizeof(neighbours->folder), "%s", folder);
	return got;
}

/* The names of the folder; what is in it by now, for nobody else writes during our transaction. */
static int neighbours_of(struct vault *vault, const char *folder, struct err *err)
{
	if (vault->neighbours == NULL) {
		vault->neighbours = xcalloc(1, sizeof(*vault->neighbours));
		vault->neighbours->cap = 64;
		vault->neighbours->keys = xcalloc(64, sizeof(*vault->neighbours->keys));
	}
	if (strcmp(vault->neighbours->folder, folder) == 0)
		return 0;
	return look_around(vault, folder, err);
}

/* The neighbour that has the same key, owned; NULL: none, or it is the entry `own` itself. */
static int find_twin(
    struct vault *vault, const struct outside *what, uint64_t key, char **ret_name, struct err *err)
{
	cleanup_stmt struct sql_stmt *stmt =
	    store_query(vault, SQL_NEIGHBOURS, BINDS(B_TEXT(what->folder)), err);
	int got = stmt == NULL ? -1 : sql_step(stmt, err);

	for (; got == 1; got = sql_step(stmt, err)) {
		const char *id = sql_column_text(stmt, 0);
		const char *name = sql_column_text(stmt, 1);

		if (key_of(name) == key && (what->own == NULL || strcmp(id, what->own) != 0)) {
			*ret_name = xstrdup(name);
			return 0;
		}
	}
	return got;
}

static int refuse(const char *name, const char *why, struct err *err)
{
	return err_set(err, ERR_INVALID_ARGUMENT,
	    "%s: no checkout would write a file or folder of that name, for %s", name, why);
}

static int refuse_twin(struct vault *vault, const struct outside *what, struct err *err)
{
	uint64_t key = key_of(what->name);
	cleanup_free char *twin = NULL;
	cleanup_free char *why = NULL;

	if (neighbours_of(vault, what->folder, err) < 0)
		return -1;
	if (*slot_of(vault->neighbours, key) != 0 && find_twin(vault, what, key, &twin, err) < 0)
		return -1;
	add(vault->neighbours, key);
	if (twin == NULL)
		return 0;
	why = xasprintf("a file system that ignores case takes it for %s", twin);
	return refuse(what->name, why, err);
}

int guard_outside(struct vault *vault, const struct outside *what, struct err *err)
{
	if (vault->within[0] == '\0' && what->rank >= VAULT_MANAGE)
		return 0;
	if (text_is_called(what->name, "git"))
		return refuse(what->name, "git would take it for its own, and obey it", err);
	if (text_is_called(what->name, "stile"))
		return refuse(what->name, "stile keeps its record of a checkout there", err);
	return refuse_twin(vault, what, err);
}
