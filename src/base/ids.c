/* SPDX-License-Identifier: MIT */
/* Random ids and BLAKE2b digests; libsodium's only callers are here and in secret.c. */
#include "base/ids.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"

void random_bytes(void *data, size_t len)
{
	uint8_t *at = data;

	while (len > 0) {
		ssize_t got = getrandom(at, len, 0);

		if (got < 0) {
			if (errno == EINTR)
				continue;
			abort();
		}
		at += got;
		len -= (size_t)got;
	}
}

static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";

void id_new(const char *prefix, char ret_text[ID_TEXT_SIZE])
{
	uint8_t bits[17] = { 0 };
	size_t len = strlen(prefix);

	random_bytes(bits, 16);
	memcpy(ret_text, prefix, len);
	for (size_t i = 0; i < 26; i++) {
		size_t bit = i * 5;
		unsigned two = (unsigned)bits[bit / 8] << 8 | bits[bit / 8 + 1];

		ret_text[len + i] = alphabet[two >> (11 - bit % 8) & 31];
	}
	ret_text[len + 26] = '\0';
}

#define ID_TIME_CHARACTERS 11

void id_new_sortable(const char *prefix, char ret_text[ID_TEXT_SIZE])
{
	uint64_t now = (uint64_t)clock_wall_us();
	size_t len = strlen(prefix);

	id_new(prefix, ret_text);
	for (size_t i = ID_TIME_CHARACTERS; i-- > 0; now >>= 5)
		ret_text[len + i] = alphabet[now & 31];
}

/* Bytes of the prefix that text begins with; 0: with none. */
static size_t prefix_len(const char *text, const char *prefix)
{
	if (prefix != NULL)
		return strncmp(text, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
	return strspn(text, "abcdefghijklmnopqrstuvwxyz") == 3 && text[3] == '_' ? 4 : 0;
}

bool id_is_valid(const char *text, const char *prefix)
{
	size_t len = prefix_len(text, prefix);

	return len > 0 && strspn(text + len, alphabet) == 26 && text[len + 26] == '\0';
}

struct digest digest_of(const void *data, size_t len)
{
	struct digest digest;

	(void)crypto_generichash(digest.bytes, sizeof(digest.bytes), data, len, NULL, 0);
	return digest;
}

static crypto_generichash_state *state_of(struct digest_state *state)
{
	_Static_assert(sizeof(crypto_generichash_state) <= sizeof(state->opaque), "room for it");
	_Static_assert(_Alignof(crypto_generichash_state) <= 64, "aligned for it");
	return (crypto_generichash_state *)(void *)state->opaque;
}

void digest_begin(struct digest_state *state)
{
	(void)crypto_generichash_init(state_of(state), NULL, 0, DIGEST_SIZE);
}

void digest_add(struct digest_state *state, const void *data, size_t len)
{
	(void)crypto_generichash_update(state_of(state), data, len);
}

struct digest digest_end(struct digest_state *state)
{
	struct digest digest;

	(void)crypto_generichash_final(state_of(state), digest.bytes, DIGEST_SIZE);
	return digest;
}

int digest_of_fd(int fd, struct digest *ret_digest, struct err *err)
{
	struct digest_state state;
	uint8_t block[65536];

	if (lseek(fd, 0, SEEK_SET) < 0)
		return err_errno(err, errno, "seek");
	digest_begin(&state);
	for (;;) {
		ssize_t got = read(fd, block, sizeof(block));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_errno(err, errno, "read");
		if (got == 0)
			break;
		digest_add(&state, block, (size_t)got);
	}
	*ret_digest = digest_end(&state);
	return 0;
}

bool digest_equal(const struct digest *a, const struct digest *b)
{
	return sodium_memcmp(a->bytes, b->bytes, DIGEST_SIZE) == 0;
}

void digest_format(const struct digest *digest, char ret_text[DIGEST_TEXT_SIZE])
{
	(void)sodium_bin2hex(ret_text, DIGEST_TEXT_SIZE, digest->bytes, DIGEST_SIZE);
}

bool digest_parse(const char *text, struct digest *ret_digest)
{
	struct digest digest;
	size_t len = 0;

	if (strlen(text) != DIGEST_TEXT_SIZE - 1 ||
	    sodium_hex2bin(
		digest.bytes, DIGEST_SIZE, text, DIGEST_TEXT_SIZE - 1, NULL, &len, NULL) != 0 ||
	    len != DIGEST_SIZE)
		return false;
	*ret_digest = digest;
	return true;
}
