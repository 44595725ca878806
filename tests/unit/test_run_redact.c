/* SPDX-License-Identifier: MIT */
/* Masking of text and of JSON: what must not leave, and what must stay as it is. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "run/run.h"

/* A redactor and values, released by each test. */
struct secrets {
	struct redactor *redactor;
	struct redactor_values values;
};

static struct secrets make_secrets(const char *value)
{
	struct secrets secrets = { .redactor = redactor_new(), .values = REDACTOR_VALUES_INIT };

	redactor_add_pattern(secrets.redactor, "token", "tok_[0-9a-f]{4,}");
	redactor_add_pattern(secrets.redactor, "pin", "(?<=pin )[0-9]{4}\\b");
	if (value != NULL)
		redactor_values_add(&secrets.values, value, strlen(value));
	return secrets;
}

static void release(struct secrets *secrets)
{
	redactor_free(secrets->redactor);
	redactor_values_release(&secrets->values);
}

static void assert_text(const char *value, const char *data, const char *wanted, size_t masks)
{
	struct secrets secrets = make_secrets(value);
	cleanup_buf struct buf out = BUF_INIT;

	buf_adds(&out, "> ");
	assert_int_equal(
	    redact_text(secrets.redactor, &secrets.values, data, strlen(data), &out), masks);
	assert_string_equal(out.data + 2, wanted);
	release(&secrets);
}

struct json_result {
	size_t masks;
	size_t escaped;
};

static struct json_result assert_json(const char *value, const char *data, const char *wanted)
{
	struct secrets secrets = make_secrets(value);
	cleanup_buf struct buf out = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;
	struct json_result result = { 0 };

	buf_adds(&out, "> ");
	assert_ok(redact_json(secrets.redactor, &secrets.values, data, strlen(data), &out,
		      &result.masks, &result.escaped, &err),
	    &err);
	assert_string_equal(out.data + 2, wanted);
	release(&secrets);
	return result;
}

/* ---- text ---- */

static void matches_and_known_values_are_masked(void **state)
{
	(void)state;
	assert_text(NULL, "", "", 0);
	assert_text(NULL, "nothing here", "nothing here", 0);
	assert_text(NULL, "a tok_12ab, pin 1234.", "a [masked:token], pin [masked:pin].", 2);
	assert_text(
	    "hunter2", "hunter2hunter2 Hunter2", "[masked:secret][masked:secret] Hunter2", 2);
	assert_text("p.*", "p.* pxx p.*x", "p.* pxx p.*x", 0); /* shorter than four bytes */
	assert_text("p.*s", "p.*s pxxs", "[masked:secret] pxxs", 1);
}

static void overlapping_secrets_are_masked_as_one(void **state)
{
	(void)state;
	assert_text("abab", "xabababx", "x[masked:secret]x", 1);
	assert_text("12ab", "tok_12ab5", "[masked:token]", 1);
	assert_text("x tok_1", "x tok_12ab!", "[masked:secret]!", 1);
}

static void a_value_is_also_found_in_the_forms_it_may_come_back_in(void **state)
{
	(void)state;
	assert_text("se\"cr\net", "{\"v\":\"se\\\"cr\\net\"}", "{\"v\":\"[masked:secret]\"}", 1);
	assert_text("se\xe2\x80\x8b"
		    "cret",
	    "se\\u{200B}cret", "[masked:secret]", 1);
	assert_text("line1\r\nline2", "line1\nline2", "[masked:secret]", 1);
}

static void bytes_that_are_no_utf8_do_not_hide_a_secret(void **state)
{
	(void)state;
	assert_text("hunter2", "\xff tok_12ab hunter2\xfe",
	    "\\x{FF} [masked:token] [masked:secret]\\x{FE}", 2);
}

static void a_pattern_that_fails_withholds_the_whole_text(void **state)
{
	struct redactor *redactor = redactor_new();
	cleanup_buf struct buf out = BUF_INIT;
	cleanup_buf struct buf text = BUF_INIT;

	(void)state;
	redactor_add_pattern(redactor, "broken", "tok_(");
	assert_int_equal(redact_text(redactor, NULL, "some text", 9, &out), 1);
	assert_string_equal(out.data, "[masked:broken]");
	redactor_free(redactor);

	redactor = redactor_new();
	redactor_add_pattern(redactor, "greedy", "(x+x+)+[yz]");
	for (int i = 0; i < 64; i++)
		buf_adds(&text, "xxxxxxxxxxxxxxxx");
	buf_reset(&out);
	assert_int_equal(redact_text(redactor, NULL, text.data, text.len, &out), 1);
	assert_string_equal(out.data, "[masked:greedy]");
	redactor_free(redactor);
}

static void an_empty_match_masks_nothing_and_ends(void **state)
{
	struct redactor *redactor = redactor_new();
	cleanup_buf struct buf out = BUF_INIT;

	(void)state;
	redactor_add_pattern(redactor, "maybe", "(secret)?");
	assert_int_equal(redact_text(redactor, NULL, "\xd0\x96 secret \xd0\x96", 12, &out), 1);
	assert_string_equal(out.data, "\xd0\x96 [masked:maybe] \xd0\x96");
	redactor_free(redactor);
}

/* The text stands in zeroed memory: the matcher's machine code reads whole words past its end. */
static void a_megabyte_of_secrets_is_masked_in_linear_time(void **state)
{
	struct secrets secrets = make_secrets("aaaa");
	cleanup_free char *text = xcalloc(MIB + 64, 1);
	cleanup_buf struct buf out = BUF_INIT;
	int64_t start_us = clock_monotonic_us();

	(void)state;
	for (size_t i = 0; i + 9 <= MIB / 2; i += 9)
		memcpy(text + i, "tok_12ab ", 9);
	memset(text + MIB / 2, 'a', MIB / 2);
	memset(text + MIB / 2 - 9, ' ', 9);
	assert_true(redact_text(secrets.redactor, &secrets.values, text, MIB, &out) > 50000);
	assert_null(strstr(out.data, "tok_1"));
	assert_null(strstr(out.data, "aaaa"));
	assert_true(clock_monotonic_us() - start_us < 20000000);
	release(&secrets);
}

/* ---- JSON ---- */

static void strings_are_masked_on_their_decoded_form_keys_included(void **state)
{
	struct json_result result;

	(void)state;
	result = assert_json("hun\"ter2",
	    "{ \"a\" : \"x hun\\\"ter2 y\", \"tok_12ab\": [\"\\u0074ok_12ab\", 1e2] }",
	    "{\"a\":\"x [masked:secret] y\",\"[masked:token]\":[\"[masked:token]\",1e2]}");
	assert_int_equal(result.masks, 3);
	assert_int_equal(result.escaped, 0);
}

static void what_needs_nothing_keeps_its_bytes(void **state)
{
	struct json_result result;

	(void)state;
	result = assert_json("hunter2",
	    " [ 9007199254740993 , 1.0, 1E400,\n\"\\u0041\\/\\t\\n\", {\"\\u0062\":null}, true, "
	    "[], {} ] ",
	    "[9007199254740993,1.0,1E400,\"\\u0041\\/\\t\\n\",{\"\\u0062\":null},true,[],{}]");
	assert_int_equal(result.masks + result.escaped, 0);
	(void)assert_json(NULL, "\"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80 \xd7\xa9\"",
	    "\"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80 \xd7\xa9\"");
}

static void what_is_invisible_is_made_visible_and_counted(void **state)
{
	struct json_result result;

	(void)state;
	result = assert_json(NULL,
	    "[\"a\\u200bb\",\"\xe2\x80\xae"
	    "c\",\"\\u001b[31m\",\"\\u0000\"]",
	    "[\"a\\\\u{200B}b\",\"\\\\u{202E}c\",\"\\\\u{001B}[31m\",\"\\\\u{0000}\"]");
	assert_int_equal(result.escaped, 4);
	result = assert_json(NULL, "\"\\ud800\"", "\"\xef\xbf\xbd\"");
	assert_int_equal(result.escaped, 1);
}

static void what_cleaning_would_bring_out_is_masked_too(void **state)
{
	(void)state;
	(void)assert_json("A1\nB2\nC3", "\"A1\\r\\nB2\\r\\nC3\"", "\"[masked:secret]\"");
}

static void masked_keys_of_one_object_stay_apart(void **state)
{
	(void)state;
	(void)assert_json(NULL, "{\"tok_1111\":1,\"tok_2222\":{\"tok_3333\":2},\"tok_4444\":3}",
	    "{\"[masked:token]\":1,\"[masked:token]#2\":{\"[masked:token]\":2},"
	    "\"[masked:token]#3\":3}");
}

static enum err_code refused_code(const char *data, size_t max_len)
{
	struct secrets secrets = make_secrets(NULL);
	cleanup_buf struct buf out = BUF_INIT_MAX(max_len);
	cleanup_err struct err err = ERR_INIT;
	size_t masks = 77;
	size_t escaped = 78;

	assert_int_equal(
	    redact_json(secrets.redactor, NULL, data, strlen(data), &out, &masks, &escaped, &err),
	    -1);
	assert_int_equal(out.len, 0);
	assert_int_equal(masks, 77);
	assert_int_equal(escaped, 78);
	release(&secrets);
	return err.code;
}

static void what_cannot_be_redacted_is_refused_whole(void **state)
{
	(void)state;
	assert_int_equal(refused_code("{\"a\":", 1000), ERR_PARSE);
	assert_int_equal(refused_code("[\"x\",\"y\"]", 5), ERR_LIMIT);
	assert_int_equal(
	    refused_code("{\"[masked:token]\":1,\"tok_1111\":2}", 1000), ERR_BAD_OUTPUT);
}

static void values_shorter_than_four_bytes_are_not_kept(void **state)
{
	struct redactor_values values = REDACTOR_VALUES_INIT;

	(void)state;
	redactor_values_add(&values, "abc", 3);
	redactor_values_add(&values, "", 0);
	redactor_values_add(&values, "ab\0cd", 5);
	for (size_t i = 0; i < values.items.len; i++)
		assert_true(strlen(values.items.items[i]) >= 4);
	redactor_values_add(&values, "abcd", 4);
	redactor_values_add(&values, "abcd", 4);
	assert_true(strvec_contains(&values.items, "abcd"));
	redactor_values_release(&values);
	assert_int_equal(values.items.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches_and_known_values_are_masked),
		cmocka_unit_test(overlapping_secrets_are_masked_as_one),
		cmocka_unit_test(a_value_is_also_found_in_the_forms_it_may_come_back_in),
		cmocka_unit_test(bytes_that_are_no_utf8_do_not_hide_a_secret),
		cmocka_unit_test(a_pattern_that_fails_withholds_the_whole_text),
		cmocka_unit_test(an_empty_match_masks_nothing_and_ends),
		cmocka_unit_test(a_megabyte_of_secrets_is_masked_in_linear_time),
		cmocka_unit_test(strings_are_masked_on_their_decoded_form_keys_included),
		cmocka_unit_test(what_needs_nothing_keeps_its_bytes),
		cmocka_unit_test(what_is_invisible_is_made_visible_and_counted),
		cmocka_unit_test(what_cleaning_would_bring_out_is_masked_too),
		cmocka_unit_test(masked_keys_of_one_object_stay_apart),
		cmocka_unit_test(what_cannot_be_redacted_is_refused_whole),
		cmocka_unit_test(values_shorter_than_four_bytes_are_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
