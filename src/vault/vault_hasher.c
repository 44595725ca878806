/* SPDX-License-Identifier: MIT */
/*
 * The hash of a whole content, on another processor than those of its chunks. Hashing is three
 * quarters of the work of storing and reading; chunks and whole are of the same bytes and need
 * nothing of each other. One thread for one large content, and no other in the vault: it sees the
 * bytes and its own state, nothing else. Without one more thread the work is done in turns.
 */
#include "vault/vault_internal.h"

#include <assert.h>
#include <signal.h>
#include <string.h>

/* To start a thread takes as long as to hash less than this. */
#define ALONE_MAX ((int64_t)512 * 1024)

static bool is_over(const struct hasher *hasher)
{
	return hasher->data == NULL && hasher->is_ending;
}

static void *hash_what_comes(void *ctx)
{
	struct hasher *hasher = ctx;

	(void)pthread_mutex_lock(&hasher->lock);
	while (!is_over(hasher)) {
		if (hasher->data == NULL) {
			(void)pthread_cond_wait(&hasher->given, &hasher->lock);
			continue;
		}
		(void)pthread_mutex_unlock(&hasher->lock);
		digest_add(&hasher->state, hasher->data, hasher->len);
		(void)pthread_mutex_lock(&hasher->lock);
		hasher->data = NULL;
		(void)pthread_cond_signal(&hasher->taken);
	}
	(void)pthread_mutex_unlock(&hasher->lock);
	return NULL;
}

/* Signals are for the thread that has handlers and errors. */
static bool start_thread(struct hasher *hasher)
{
	sigset_t all;
	sigset_t before;
	bool is_started;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	is_started = pthread_create(&hasher->thread, NULL, hash_what_comes, hasher) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return is_started;
}

void hasher_init(struct hasher *hasher, int64_t at_least)
{
	memset(hasher, 0, sizeof(*hasher));
	digest_begin(&hasher->state);
	(void)pthread_mutex_init(&hasher->lock, NULL);
	(void)pthread_cond_init(&hasher->given, NULL);
	(void)pthread_cond_init(&hasher->taken, NULL);
	hasher->has_thread = at_least >= ALONE_MAX && start_thread(hasher);
}

void hasher_wait(struct hasher *hasher)
{
	(void)pthread_mutex_lock(&hasher->lock);
	while (hasher->data != NULL)
		(void)pthread_cond_wait(&hasher->taken, &hasher->lock);
	(void)pthread_mutex_unlock(&hasher->lock);
}

void hasher_add(struct hasher *hasher, const void *data, size_t len)
{
	if (len == 0)
		return;
	if (!hasher->has_thread) {
		digest_add(&hasher->state, data, len);
		return;
	}
	hasher_wait(hasher);
	(void)pthread_mutex_lock(&hasher->lock);
	hasher->data = data;
	hasher->len = len;
	(void)pthread_cond_signal(&hasher->given);
	(void)pthread_mutex_unlock(&hasher->lock);
}

struct digest hasher_end(struct hasher *hasher)
{
	hasher_wait(hasher);
	return digest_end(&hasher->state);
}

void hasher_release(struct hasher *hasher)
{
	(void)pthread_mutex_lock(&hasher->lock);
	hasher->is_ending = true;
	(void)pthread_cond_signal(&hasher->given);
	(void)pthread_mutex_unlock(&hasher->lock);
	if (hasher->has_thread)
		(void)pthread_join(hasher->thread, NULL);
	(void)pthread_cond_destroy(&hasher->taken);
	(void)pthread_cond_destroy(&hasher->given);
	(void)pthread_mutex_destroy(&hasher->lock);
}
