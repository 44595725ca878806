/* SPDX-License-Identifier: MIT */
#ifndef BASE_IDS_H
#define BASE_IDS_H

/* Random ids, digests and their text forms. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define DIGEST_SIZE 32
#define DIGEST_TEXT_SIZE (2 * DIGEST_SIZE + 1)

/* BLAKE2b-256 of something; equal when the bytes are. */
struct digest {
	uint8_t bytes[DIGEST_SIZE];
};

/* Fills data with unpredictable bytes. */
void random_bytes(void *data, size_t len);

/* Size of a buffer for id_new() with prefixes of up to 7 characters. */
#define ID_TEXT_SIZE 40

/* "<prefix><26 characters of Crockford base32>": 128 random bits. */
void id_new(const char *prefix, char ret_text[ID_TEXT_SIZE]);

/*
 * The same form, in order of time: the first 11 characters are the microseconds of the wall clock,
 * the other 15 are 75 random bits. Ids made later sort later, so a table grows at its end.
 */
void id_new_sortable(const char *prefix, char ret_text[ID_TEXT_SIZE]);

/* True for a text that id_new() could have made with that prefix, or (NULL) with any of three letters
 * and a "_". */
bool id_is_valid(const char *text, const char *prefix);

struct digest digest_of(const void *data, size_t len);

/* Of a whole open file, from its start; the offset is moved. */
int digest_of_fd(int fd, struct digest *ret_digest, struct err *err) MUST_CHECK;

/* Of bytes that come in parts: begin, add as often as needed, end (once). */
struct digest_state {
	_Alignas(64) uint8_t opaque[384]; /* libsodium's state */
};
void digest_begin(struct digest_state *state);
void digest_add(struct digest_state *state, const void *data, size_t len);
struct digest digest_end(struct digest_state *state);

bool digest_equal(const struct digest *a, const struct digest *b);

/* Lower-case hexadecimal, and back (exactly 64 digits, else false). */
void digest_format(const struct digest *digest, char ret_text[DIGEST_TEXT_SIZE]);
bool digest_parse(const char *text, struct digest *ret_digest);

#endif
