/* SPDX-License-Identifier: MIT */
/* requestState: taken back once, for exactly what was asked about, and for nothing else. */
#include "unit.h"

#include <string.h>

#include "base/limits.h"
#include "gate/gate.h"

#define NOW ((int64_t)1800000000000)

static const struct digest subject = { .bytes = { 1, 2, 3 } };

struct fixture {
	struct gate_consents *consents;
	struct buf state;
};

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	f->consents = gate_consents_new();
	f->state = BUF_INIT;
	gate_consent_issue(f->consents, &subject, NOW, &f->state);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	gate_consents_free(f->consents);
	buf_release(&f->state);
	free(f);
	return 0;
}

/* Redeems and returns the error's code. */
static enum err_code redeem(
    struct fixture *f, const char *text, size_t len, const struct digest *about, int64_t now)
{
	cleanup_err struct err err = ERR_INIT;
	int result = gate_consent_redeem(f->consents, text, len, about, now, &err);

	assert_int_equal(result == 0, !err_is_set(&err));
	return err.code;
}

static void a_fresh_state_is_taken_back_once(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(redeem(f, f->state.data, f->state.len, &subject, NOW), ERR_NONE);
	assert_int_equal(redeem(f, f->state.data, f->state.len, &subject, NOW), ERR_STATE_SPENT);
}

static void a_state_about_something_else_is_refused(void **state)
{
	struct fixture *f = *state;
	struct digest other = subject;

	other.bytes[31] ^= 1;
	assert_int_equal(redeem(f, f->state.data, f->state.len, &other, NOW), ERR_STATE_INVALID);
	/* and was not spent by the attempt */
	assert_int_equal(redeem(f, f->state.data, f->state.len, &subject, NOW), ERR_NONE);
}

static void each_edited_byte_is_refused(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < f->state.len; i++) {
		cleanup_free char *edited = xmemdupz(f->state.data, f->state.len);

		edited[i] = edited[i] == 'A' ? 'B' : 'A';
		assert_int_equal(redeem(f, edited, f->state.len, &subject, NOW), ERR_STATE_INVALID);
	}
}

static void a_state_that_is_cut_or_longer_is_refused(void **state)
{
	struct fixture *f = *state;
	cleanup_free char *longer = xasprintf("%sAAAA", f->state.data);

	for (size_t len = 0; len < f->state.len; len++)
		assert_int_equal(redeem(f, f->state.data, len, &subject, NOW), ERR_STATE_INVALID);
	assert_int_equal(redeem(f, longer, strlen(longer), &subject, NOW), ERR_STATE_INVALID);
	assert_int_equal(redeem(f, "\\0", 2, &subject, NOW), ERR_STATE_INVALID);
}

static void an_expired_state_is_refused(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(redeem(f, f->state.data, f->state.len, &subject, NOW + LIMIT_CONSENT_MS),
	    ERR_STATE_EXPIRED);
	assert_int_equal(
	    redeem(f, f->state.data, f->state.len, &subject, NOW + LIMIT_CONSENT_MS - 1), ERR_NONE);
}

static void a_state_of_another_process_is_refused(void **state)
{
	struct fixture *f = *state;
	struct gate_consents *other = gate_consents_new();
	cleanup_buf struct buf foreign = BUF_INIT;

	gate_consent_issue(other, &subject, NOW, &foreign);
	assert_int_equal(redeem(f, foreign.data, foreign.len, &subject, NOW), ERR_STATE_INVALID);
	gate_consents_free(other);
}

static void a_full_memory_of_spent_states_refuses_until_they_expire(void **state)
{
	struct fixture *f = *state;
	cleanup_buf struct buf late = BUF_INIT;

	for (size_t i = 0; i < LIMIT_SPENT_STATES; i++) {
		cleanup_buf struct buf text = BUF_INIT;

		gate_consent_issue(f->consents, &subject, NOW, &text);
		assert_int_equal(redeem(f, text.data, text.len, &subject, NOW), ERR_NONE);
	}
	assert_int_equal(redeem(f, f->state.data, f->state.len, &subject, NOW), ERR_UNAVAILABLE);
	gate_consent_issue(f->consents, &subject, NOW + LIMIT_CONSENT_MS, &late);
	assert_int_equal(
	    redeem(f, late.data, late.len, &subject, NOW + LIMIT_CONSENT_MS), ERR_NONE);
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	WITH_FIXTURE(a_fresh_state_is_taken_back_once),
	WITH_FIXTURE(a_state_about_something_else_is_refused),
	WITH_FIXTURE(each_edited_byte_is_refused),
	WITH_FIXTURE(a_state_that_is_cut_or_longer_is_refused),
	WITH_FIXTURE(an_expired_state_is_refused),
	WITH_FIXTURE(a_state_of_another_process_is_refused),
	WITH_FIXTURE(a_full_memory_of_spent_states_refuses_until_they_expire),
};

UNIT_MAIN(tests)
