/* SPDX-License-Identifier: MIT */
/*
 * Fairness between processes. Trying by timer, the one that just let go of SQLite's lock finds it
 * free most often, and another may try in vain until its patience ends. So whoever has waited long
 * takes a turn: an exclusive flock(2) on the directory of keys. While somebody else has it, nobody
 * tries; the lock is then free for the one that waited. A turn ends with its owner's success,
 * patience or life. Where there is no flock(2), all try as before.
 */
#include "ledger/ledger_internal.h"

#include <errno.h>
#include <sys/file.h>

/* Longer than any ordinary wait; short enough that a queue of turns fits into the patience. */
#define LONG_WAIT_MS 250

static bool is_taken(int fd, int operation)
{
	return flock(fd, operation | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

bool store_may_try(struct store *store, int64_t waited_ms)
{
	if (store->has_turn)
		return true;
	if (waited_ms >= LONG_WAIT_MS) {
		store->has_turn = !is_taken(store->keys_fd, LOCK_EX);
		return store->has_turn;
	}
	if (is_taken(store->keys_fd, LOCK_SH))
		return false;
	(void)flock(store->keys_fd, LOCK_UN);
	return true;
}

void store_end_turn(struct store *store)
{
	if (store->has_turn)
		(void)flock(store->keys_fd, LOCK_UN);
	store->has_turn = false;
}
