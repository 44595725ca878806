/* SPDX-License-Identifier: MIT */
/* Guarded memory for keys, what may be done with one, and the files that keep them. */
#include "base/secret.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

struct secret {
	size_t len;
	uint8_t *bytes; /* sodium_malloc: guard pages, locked, out of core dumps; read-only */
};

/* ---- in memory ---- */

/* Room for len bytes, still writable; secret_make_readonly() ends that. */
static struct secret *secret_new(size_t len)
{
	struct secret *secret = xcalloc(1, sizeof(*secret));

	assert(len > 0);
	if (sodium_init() < 0)
		abort();
	secret->len = len;
	secret->bytes = sodium_malloc(len);
	if (secret->bytes == NULL)
		abort();
	return secret;
}

static struct secret *secret_make_readonly(struct secret *secret)
{
	if (sodium_mprotect_readonly(secret->bytes) < 0)
		abort();
	return secret;
}

struct secret *secret_new_random(size_t len)
{
	struct secret *secret = secret_new(len);

	random_bytes(secret->bytes, len);
	return secret_make_readonly(secret);
}

struct secret *secret_new_take(void *data, size_t len)
{
	struct secret *secret = secret_new(len);

	memcpy(secret->bytes, data, len);
	sodium_memzero(data, len);
	return secret_make_readonly(secret);
}

void secret_free(struct secret *secret)
{
	if (secret == NULL)
		return;
	sodium_free(secret->bytes);
	free(secret);
}

void secret_cleanup(struct secret **secret)
{
	secret_free(*secret);
	*secret = NULL;
}

size_t secret_len(const struct secret *secret)
{
	return secret->len;
}

struct digest secret_mac(const struct secret *secret, const void *data, size_t len)
{
	struct digest digest;

	assert(secret->len >= crypto_generichash_KEYBYTES_MIN &&
	       secret->len <= crypto_generichash_KEYBYTES_MAX);
	(void)crypto_generichash(
	    digest.bytes, sizeof(digest.bytes), data, len, secret->bytes, secret->len);
	return digest;
}

/* ---- signatures ---- */

/* The long form of the seed, which libsodium signs with; wiped by the caller. */
static void expand_seed(const struct secret *seed, struct public_key *ret_key,
    uint8_t ret_long[crypto_sign_SECRETKEYBYTES])
{
	assert(seed->len == SECRET_SEED_SIZE);
	(void)crypto_sign_seed_keypair(ret_key->bytes, ret_long, seed->bytes);
}

struct signature secret_sign(const struct secret *seed, const void *data, size_t len)
{
	uint8_t long_form[crypto_sign_SECRETKEYBYTES];
	struct public_key key;
	struct signature signature;

	expand_seed(seed, &key, long_form);
	(void)crypto_sign_detached(signature.bytes, NULL, data, len, long_form);
	sodium_memzero(long_form, sizeof(long_form));
	return signature;
}

struct public_key secret_public_key(const struct secret *seed)
{
	uint8_t long_form[crypto_sign_SECRETKEYBYTES];
	struct public_key key;

	expand_seed(seed, &key, long_form);
	sodium_memzero(long_form, sizeof(long_form));
	return key;
}

bool signature_is_valid(
    const struct signature *signature, const struct public_key *key, const void *data, size_t len)
{
	return crypto_sign_verify_detached(signature->bytes, data, len, key->bytes) == 0;
}

/* ---- the keys directory ---- */

/* mkdir -p for what is missing, all of it 0700; racing starts find each other's directories. */
static int make_dirs(const char *path, struct err *err)
{
	cleanup_free char *copy = xstrdup(path);
	struct stat st;

	if (stat(path, &st) == 0)
		return 0;
	for (char *slash = strchr(copy + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0700) < 0 && errno != EEXIST && stat(copy, &st) < 0)
			return err_errno(err, errno, "make directory %s", copy);
		*slash = '/';
	}
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_errno(err, errno, "make directory %s", path);
	return 0;
}

/* Refuses a directory that is not ours or grants others one of the forbidden bits. */
static int check_dir(int fd, const char *name, mode_t forbidden, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(err, errno, "%s", name);
	if (st.st_uid != geteuid())
		return err_set(err, ERR_PERMISSION_DENIED, "%s belongs to another user", name);
	if (st.st_mode & forbidden)
		return err_set(err, ERR_PERMISSION_DENIED,
		    "%s is open to others; run: chmod 700 %s", name, name);
	return 0;
}

int secret_open_keys(const char *data_dir, int *ret_fd, struct err *err)
{
	cleanup_free char *name = xasprintf("%s/keys", data_dir);
	cleanup_fd int data_fd = -1;
	cleanup_fd int keys_fd = -1;

	if (make_dirs(data_dir, err) < 0)
		return -1;
	data_fd = open(data_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (data_fd < 0)
		return err_errno(err, errno, "%s", data_dir);
	if (check_dir(data_fd, data_dir, S_IWGRP | S_IWOTH, err) < 0)
		return -1;
	if (mkdirat(data_fd, "keys", 0700) < 0 && errno != EEXIST)
		return err_errno(err, errno, "make directory %s", name);
	keys_fd = openat(data_fd, "keys", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (keys_fd < 0)
		return err_errno(err, errno, "%s", name);
	if (check_dir(keys_fd, name, S_IRWXG | S_IRWXO, err) < 0)
		return -1;
	*ret_fd = steal_fd(&keys_fd);
	return 0;
}

/* ---- one key in its file ---- */

static int check_key_file(int fd, const char *name, size_t len, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(err, errno, "key %s", name);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return err_set(
		    err, ERR_PERMISSION_DENIED, "key %s is no regular file of this user", name);
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return err_set(err, ERR_PERMISSION_DENIED,
		    "key %s is open to others; it may be known: remove it, or chmod 600 if not",
		    name);
	if (st.st_size != (off_t)len)
		return err_set(err, ERR_CONFIGURATION,
		    "key %s has %lld bytes instead of %zu; restore it from a backup", name,
		    (long long)st.st_size, len);
	return 0;
}

/* Reads until full; true when all len bytes came. */
static bool read_whole(int fd, uint8_t *data, size_t len)
{
	size_t have = 0;

	while (have < len) {
		ssize_t got = read(fd, data + have, len - have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		have += (size_t)got;
	}
	return true;
}

struct secret *secret_read_file(int dirfd, const char *name, size_t len, struct err *err)
{
	cleanup_secret struct secret *secret = NULL;
	cleanup_fd int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0) {
		(void)err_errno(err, errno, "key %s", name);
		return NULL;
	}
	if (check_key_file(fd, name, len, err) < 0)
		return NULL;
	secret = secret_new(len);
	if (!read_whole(fd, secret->bytes, len)) {
		(void)err_errno(err, errno, "read key %s", name);
		return NULL;
	}
	return secret_make_readonly(steal_ptr(&secret));
}

/* A whole, durable key under a name of its own. */
static int write_draft(int dirfd, const char *draft, size_t len, struct err *err)
{
	cleanup_secret struct secret *secret = secret_new_random(len);
	cleanup_fd int fd =
	    openat(dirfd, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_errno(err, errno, "create key %s", draft);
	if (fchmod(fd, 0600) < 0 || fd_write_all(fd, secret->bytes, len) < 0 || fsync(fd) < 0)
		return err_errno(err, errno, "write key %s", draft);
	return 0;
}

/* link(2) refuses to replace: of several processes one wins, and all then read what it wrote. */
static int make_key(int dirfd, const char *name, size_t len, struct err *err)
{
	char id[ID_TEXT_SIZE];
	cleanup_free char *draft = NULL;
	int status;

	id_new("", id);
	draft = xasprintf(".%s.%s", name, id);
	status = write_draft(dirfd, draft, len, err);
	if (status == 0 && linkat(dirfd, draft, dirfd, name, 0) < 0 && errno != EEXIST)
		status = err_errno(err, errno, "create key %s", name);
	(void)unlinkat(dirfd, draft, 0);
	if (status == 0 && fsync(dirfd) < 0)
		status = err_errno(err, errno, "keep key %s", name);
	return status;
}

struct secret *secret_open_file(int dirfd, const char *name, size_t len, struct err *err)
{
	struct secret *secret = NULL;

	if (check_dir(dirfd, "the directory of keys", S_IWGRP | S_IWOTH, err) < 0)
		return NULL;
	secret = secret_read_file(dirfd, name, len, err);
	if (secret != NULL || err->code != ERR_NOT_FOUND)
		return secret;
	err_release(err);
	if (make_key(dirfd, name, len, err) < 0)
		return NULL;
	return secret_read_file(dirfd, name, len, err);
}
