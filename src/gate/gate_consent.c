/* SPDX-License-Identifier: MIT */
/*
 * requestState: what a modern client carries from a question to the answer (protocol.md §5, MRTR).
 *
 * It is attacker-controlled input, so it holds nothing but proof: base64url of
 *
 *	version (1) | expiry, ms since the epoch, big-endian (8) | nonce (16) | MAC (32)
 *
 * where the MAC (keyed BLAKE2b-256, a key that lives and dies with the process) covers the bytes
 * before it and the digest of what the person is asked to consent to. The digest itself is not in
 * it: a state that is presented with anything else does not verify.
 *
 * Spent nonces are remembered until they expire, at most LIMIT_SPENT_STATES of them; when the
 * memory is full, consent is refused rather than forgotten.
 */
#include "gate/gate.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/secret.h"

#define STATE_VERSION 1
#define NONCE_SIZE 16
#define HEAD_SIZE (1 + 8 + NONCE_SIZE)
#define STATE_SIZE (HEAD_SIZE + DIGEST_SIZE)

struct spent {
	uint8_t nonce[NONCE_SIZE];
	int64_t expires_ms;
};

struct gate_consents {
	struct secret *key;
	struct spent spent[LIMIT_SPENT_STATES];
	size_t spent_len;
};

struct gate_consents *gate_consents_new(void)
{
	struct gate_consents *consents = xcalloc(1, sizeof(*consents));

	consents->key = secret_new_random(32);
	return consents;
}

void gate_consents_free(struct gate_consents *consents)
{
	if (consents == NULL)
		return;
	secret_free(consents->key);
	free(consents);
}

static struct digest mac_of(const struct gate_consents *consents, const uint8_t head[HEAD_SIZE],
    const struct digest *subject)
{
	uint8_t message[HEAD_SIZE + DIGEST_SIZE];

	memcpy(message, head, HEAD_SIZE);
	memcpy(message + HEAD_SIZE, subject->bytes, DIGEST_SIZE);
	return secret_mac(consents->key, message, sizeof(message));
}

static void write_expiry(uint8_t *at, int64_t value)
{
	for (int i = 7; i >= 0; i--) {
		at[i] = (uint8_t)(value & 0xff);
		value >>= 8;
	}
}

static int64_t read_expiry(const uint8_t *at)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++)
		value = value << 8 | at[i];
	return (int64_t)value;
}

void gate_consent_issue(const struct gate_consents *consents, const struct digest *subject,
    int64_t now_ms, struct buf *ret_state)
{
	uint8_t state[STATE_SIZE] = { STATE_VERSION };
	char text[sodium_base64_ENCODED_LEN(STATE_SIZE, sodium_base64_VARIANT_URLSAFE_NO_PADDING)];
	struct digest mac;

	write_expiry(state + 1, now_ms + LIMIT_CONSENT_MS);
	random_bytes(state + 1 + 8, NONCE_SIZE);
	mac = mac_of(consents, state, subject);
	memcpy(state + HEAD_SIZE, mac.bytes, DIGEST_SIZE);
	(void)sodium_bin2base64(
	    text, sizeof(text), state, sizeof(state), sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	buf_adds(ret_state, text);
}

/* Drops what has expired; the rest keeps its place in no particular order. */
static void forget_expired(struct gate_consents *consents, int64_t now_ms)
{
	for (size_t i = 0; i < consents->spent_len;) {
		if (consents->spent[i].expires_ms <= now_ms)
			consents->spent[i] = consents->spent[--consents->spent_len];
		else
			i++;
	}
}

static bool is_spent(const struct gate_consents *consents, const uint8_t *nonce)
{
	for (size_t i = 0; i < consents->spent_len; i++) {
		if (memcmp(consents->spent[i].nonce, nonce, NONCE_SIZE) == 0)
			return true;
	}
	return false;
}

static int spend(
    struct gate_consents *consents, const uint8_t *nonce, int64_t expires_ms, struct err *err)
{
	struct spent *slot;

	if (is_spent(consents, nonce))
		return err_set(err, ERR_STATE_SPENT, "this requestState has been used already");
	if (consents->spent_len == LIMIT_SPENT_STATES)
		return err_set(err, ERR_UNAVAILABLE,
		    "too many answers in a short time; ask again in some minutes");
	slot = &consents->spent[consents->spent_len++];
	memcpy(slot->nonce, nonce, NONCE_SIZE);
	slot->expires_ms = expires_ms;
	return 0;
}

int gate_consent_redeem(struct gate_consents *consents, const char *state, size_t state_len,
    const struct digest *subject, int64_t now_ms, struct err *err)
{
	uint8_t bytes[STATE_SIZE];
	size_t len = 0;
	struct digest mac;
	struct digest given;
	int64_t expires_ms;

	if (sodium_base642bin(bytes, sizeof(bytes), state, state_len, NULL, &len, NULL,
		sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
	    len != STATE_SIZE || bytes[0] != STATE_VERSION)
		return err_set(err, ERR_STATE_INVALID, "requestState is not one of ours");
	mac = mac_of(consents, bytes, subject);
	memcpy(given.bytes, bytes + HEAD_SIZE, DIGEST_SIZE);
	if (!digest_equal(&mac, &given))
		return err_set(err, ERR_STATE_INVALID,
		    "requestState does not belong to this call: it was edited, comes from another "
		    "process, or the tool or its arguments differ from what was asked about");
	expires_ms = read_expiry(bytes + 1);
	forget_expired(consents, now_ms);
	if (expires_ms <= now_ms)
		return err_set(err, ERR_STATE_EXPIRED, "requestState has expired; call again");
	return spend(consents, bytes + 1 + 8, expires_ms, err);
}
