/* SPDX-License-Identifier: MIT */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

/*
 * Keys and credentials: guarded memory (sodium_malloc), wiped on free. No accessor yields a
 * `char *` to print; buf, err and log cannot take one, for the types differ. The boundary holds
 * only its own ledger and requestState keys, never a person's credential.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/ids.h"

struct secret;

#define cleanup_secret __attribute__((cleanup(secret_cleanup)))

/* len unpredictable bytes. */
struct secret *secret_new_random(size_t len) MUST_CHECK;

/* Copies len bytes and wipes the source. */
struct secret *secret_new_take(void *data, size_t len) MUST_CHECK;
void secret_free(struct secret *secret);
void secret_cleanup(struct secret **secret);

size_t secret_len(const struct secret *secret);

/* Keyed BLAKE2b-256; the secret is 16 to 64 bytes long. */
struct digest secret_mac(const struct secret *secret, const void *data, size_t len);

/*
 * Reads the secret kept in directory dirfd under name (0600, owned by us, exactly len bytes), or
 * makes it at random, atomically: processes that race agree on one. ERR_PERMISSION_DENIED when
 * others could read or replace it.
 */
struct secret *secret_open_file(int dirfd, const char *name, size_t len, struct err *err)
    MUST_CHECK;

#endif
