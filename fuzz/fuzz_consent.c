/* SPDX-License-Identifier: MIT */
/* requestState is the peer's bytes: whatever comes is refused unless it is, byte for byte, what was
 * issued; and what was issued is taken back once. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "gate/gate.h"

#define NOW ((int64_t)1800000000000)

static void demand(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* XORs the input over an issued state, so that near misses are tried as well as garbage. */
static void edit(struct buf *state, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size && i < state->len; i++)
		state->data[i] = (char)(state->data[i] ^ (data[i] & 0x7f));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct digest subject = { .bytes = { 1 } };
	struct gate_consents *consents = gate_consents_new();
	cleanup_buf struct buf issued = BUF_INIT;
	cleanup_buf struct buf edited = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;
	bool is_same;

	gate_consent_issue(consents, &subject, NOW, &issued);
	buf_add(&edited, issued.data, issued.len);
	edit(&edited, data, size);
	is_same = memcmp(edited.data, issued.data, issued.len) == 0;
	demand(gate_consent_redeem(consents, (const char *)data, size, &subject, NOW, &err) < 0);
	demand((gate_consent_redeem(consents, edited.data, edited.len, &subject, NOW, &err) == 0) ==
	       is_same);
	demand((gate_consent_redeem(consents, issued.data, issued.len, &subject, NOW, &err) < 0) ==
	       is_same);
	gate_consents_free(consents);
	return 0;
}
