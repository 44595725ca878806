/* SPDX-License-Identifier: MIT */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

/*
 * Keys and credentials: guarded memory (sodium_malloc), wiped on free. No accessor yields a
 * `char *` to print; buf, err and log cannot take one, for the types differ. The boundary holds
 * only its own ledger and requestState keys, never a person's credential.
 */

#include <stdbool.h>
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

/* Ed25519: what a signature is checked with, and the signature. */
#define PUBLIC_KEY_SIZE 32
#define SIGNATURE_SIZE 64
#define SECRET_SEED_SIZE 32

struct public_key {
	uint8_t bytes[PUBLIC_KEY_SIZE];
};
struct signature {
	uint8_t bytes[SIGNATURE_SIZE];
};

/* Signs data; the secret is the SECRET_SEED_SIZE bytes of an Ed25519 seed (RFC 8032). */
struct signature secret_sign(const struct secret *seed, const void *data, size_t len);

/* The public half of such a seed. */
struct public_key secret_public_key(const struct secret *seed);

/* True when signature is the key owner's over data. Needs no secret. */
bool signature_is_valid(const struct signature *signature, const struct public_key *key,
    const void *data, size_t len) MUST_CHECK;

/*
 * The directory `keys` below data_dir, as a descriptor for secret_open_file(). Both, and what is
 * missing above them, are made 0700. ERR_PERMISSION_DENIED when somebody else owns either, could
 * write to data_dir, or could so much as list `keys`.
 */
int secret_open_keys(const char *data_dir, int *ret_fd, struct err *err) MUST_CHECK;

/*
 * Reads the secret kept in directory dirfd under name (0600, owned by us, exactly len bytes), or
 * makes it at random, atomically: processes that race agree on one. ERR_PERMISSION_DENIED when
 * others could read or replace it.
 */
struct secret *secret_open_file(int dirfd, const char *name, size_t len, struct err *err)
    MUST_CHECK;

/* The same, but a secret that is missing stays missing: ERR_NOT_FOUND. */
struct secret *secret_read_file(int dirfd, const char *name, size_t len, struct err *err)
    MUST_CHECK;

#endif
