/* SPDX-License-Identifier: MIT */
/* Masking of text and of JSON: what must not leave, and what must stay as it is. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "redact_fixture.h"

static struct secrets make_secrets(const char *value)
{
	struct secrets secrets = secrets_new(value);

	redactor_add_pattern(secrets.redactor, "token", "tok_[0-9a-f]{4,}");
	redactor_add_pattern(secrets.redactor, "pin", "(?<=pin )[0-9]{4}\\b");
	return secrets;
}

static void assert_text(const char *value, const char *data, const char *wanted, size_t masks)
{
	struct secrets secrets = make_secrets(value);
	cleanup_buf struct buf out = BUF_INIT;

	buf_adds(&out, "> ");
	assert_int_equal(
	    redact_text(secrets.redactor, &secrets.values, data, strlen(data), &out), masks);
	drop_marker(secrets.host, &out);
	assert_string_equal(out.data + 2, wanted);
	secrets_release(&secrets);
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
	drop_marker(secrets.host, &out);
	assert_string_equal(out.data + 2, wanted);
	secrets_release(&secrets);
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

/* Redacts with one pattern only. */
static void assert_pattern(
    const char *name, const char *pattern, const char *data, size_t len, const char *wanted)
{
	struct secrets secrets = secrets_new(NULL);
	cleanup_buf struct buf out = BUF_INIT;

	redactor_add_pattern(secrets.redactor, name, pattern);
	assert_int_equal(redact_text(secrets.redactor, NULL, data, len, &out), 1);
	drop_marker(secrets.host, &out);
	assert_string_equal(out.data, wanted);
	secrets_release(&secrets);
}

static void a_pattern_that_fails_withholds_the_whole_text(void **state)
{
	cleanup_buf struct buf text = BUF_INIT;

	(void)state;
	assert_pattern("broken", "tok_(", "some text", 9, "[masked:broken]");
	for (int i = 0; i < 64; i++)
		buf_adds(&text, "xxxxxxxxxxxxxxxx");
	assert_pattern("greedy", "(x+x+)+[yz]", text.data, text.len, "[masked:greedy]");
}

static void a_pattern_that_fails_in_json_withholds_its_string(void **state)
{
	struct secrets secrets = secrets_new(NULL);
	cleanup_buf struct buf out = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;
	size_t masks = 0;
	size_t escaped = 0;

	(void)state;
	redactor_add_pattern(secrets.redactor, "broken", "tok_(");
	assert_ok(redact_json(secrets.redactor, NULL, "[\"x\",1]", 7, &out, &masks, &escaped, &err),
	    &err);
	drop_marker(secrets.host, &out);
	assert_string_equal(out.data, "[\"[masked:broken]\",1]");
	secrets_release(&secrets);
}

static void an_empty_match_masks_nothing_and_ends(void **state)
{
	(void)state;
	assert_pattern("maybe", "(secret)?", "\xd0\x96 secret \xd0\x96", 12,
	    "\xd0\x96 [masked:maybe] \xd0\x96");
}

static void a_pattern_is_searched_for_wherever_its_literal_may_be(void **state)
{
	(void)state;
	assert_pattern("a", "x?[0-9]+-key-[^]a]+", "id 77-key-bcd a", 15, "id [masked:a]a");
	assert_pattern("b", "(abc)?[[:digit:]]{4}", "pin 1234", 8, "pin [masked:b]");
	assert_pattern("c", "(?i)secretly", "say SECRETLY", 12, "say [masked:c]");
	assert_pattern("d", "abcd?\\[x]*e", "abc[xe", 6, "[masked:d]");
	assert_pattern("e", "\\x41BCD", "ABCD", 4, "[masked:e]");
	assert_pattern("f", "one|other", "the other", 9, "the [masked:f]");
}

static void a_megabyte_of_secrets_is_masked_in_linear_time(void **state)
{
	struct secrets secrets = make_secrets("aaaa");
	size_t len = unit_many(MIB);
	cleanup_free char *text = xcalloc(len + 64, 1);
	cleanup_buf struct buf out = BUF_INIT;
	int64_t start_us = clock_monotonic_us();

	(void)state;
	for (size_t i = 0; i + 9 <= len / 2; i += 9)
		memcpy(text + i, "tok_12ab ", 9);
	memset(text + len / 2, 'a', len / 2);
	memset(text + len / 2 - 9, ' ', 9);
	assert_true(redact_text(secrets.redactor, &secrets.values, text, len, &out) > len / 20);
	assert_null(strstr(out.data, "tok_1"));
	assert_null(strstr(out.data, "aaaa"));
	assert_true(clock_monotonic_us() - start_us < 20000000);
	secrets_release(&secrets);
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

static void a_member_whose_name_says_so_is_masked_whole(void **state)
{
	struct json_result result;

	(void)state;
	result = assert_json(NULL,
	    "{\"GITHUB_PERSONAL_ACCESS_TOKEN\":\"abcdefgh\",\"apiKey\":\"x-y-z-1\","
	    "\"db_pwd\":\"open sesame\",\"n\":{\"clientSecret\":[\"\\u0061bcdef\",7,null]}}",
	    "{\"GITHUB_PERSONAL_ACCESS_TOKEN\":\"[masked:token]\",\"apiKey\":\"[masked:key]\","
	    "\"db_pwd\":\"[masked:pwd]\",\"n\":{\"clientSecret\":[\"[masked:secret]\",7,null]}}");
	assert_int_equal(result.masks, 4);
}

static void a_name_in_one_member_speaks_for_the_value_in_another(void **state)
{
	(void)state;
	(void)assert_json(NULL,
	    "[{\"name\":\"DB_PASSWORD\",\"value\":\"sesame\"},{\"Value\":\"sesame\",\"Key\":"
	    "\"apiKey\"},"
	    "{\"name\":\"HOST\",\"value\":\"sesame\"}]",
	    "[{\"name\":\"DB_PASSWORD\",\"value\":\"[masked:password]\"},"
	    "{\"Value\":\"[masked:key]\",\"Key\":\"apiKey\"},{\"name\":\"HOST\",\"value\":"
	    "\"sesame\"}]");
}

static void harmless_names_and_values_pass(void **state)
{
	static const char *const clean[] = {
		"{\"token\":5,\"password\":\"\",\"secret\":null,\"apiKey\":true}",
		"{\"nextPageToken\":\"a8F3kd92Lm4xQ7\",\"tokens\":[\"the\",\"word\",\"token\"]}",
		"{\"sha\":\"c6e69ce8a1f4b0d3a5b7c9e1f3a5b7c9e1f3a5b7\"}",
		"{\"id\":\"550e8400-e29b-41d4-a716-446655440000\",\"key\":\"a8F3kd92Lm4xQ7\"}",
		"{\"password\":[\"This field is required.\"],\"secretName\":\"tls-cert\"}",
		"{\"password\":{\"type\":\"string\"},\"pwd\":\"/home/me\",\"token\":\"${TOKEN}\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(clean) / sizeof(clean[0]); i++)
		assert_int_equal(assert_json(NULL, clean[i], clean[i]).masks, 0);
}

static void a_key_block_is_found_behind_its_escapes(void **state)
{
	(void)state;
	(void)assert_json(NULL,
	    "{\"out\":\"-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEF\\u000aAAAA\\n"
	    "-----END PRIVATE KEY-----\\n\"}",
	    "{\"out\":\"[masked:private-key]\\n\"}");
	/* JSON that is printed as text, and JSON within JSON. */
	assert_text(NULL,
	    "{\"k\":\"-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEF\\n-----END "
	    "PRIVATE "
	    "KEY-----\\n\"}",
	    "{\"k\":\"[masked:private-key]\\n\"}", 1);
	(void)assert_json(NULL, "\"{\\\"apiKey\\\":\\\"sesame\\\"}\"",
	    "\"{\\\"apiKey\\\":\\\"[masked:key]\\\"}\"");
}

static void a_key_block_without_its_end_is_masked_as_far_as_it_goes(void **state)
{
	(void)state;
	assert_text(NULL,
	    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\nAAAA",
	    "[masked:private-key]", 1);
	assert_text(NULL,
	    "+-----BEGIN EC PRIVATE KEY-----\n-MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6\n"
	    "------END EC PRIVATE KEY-----\n",
	    "+[masked:private-key]\n", 1);
}

static void a_known_number_becomes_a_mask(void **state)
{
	(void)state;
	(void)assert_json("48151", "{\"pin\":48151,\"other\":481516,\"text\":\"48151\"}",
	    "{\"pin\":\"[masked:secret]\",\"other\":481516,\"text\":\"[masked:secret]\"}");
	(void)assert_json("48151", "[48151.0,4.8151e4,-48151,4815.1,true]",
	    "[\"[masked:secret]\",\"[masked:secret]\",-48151,4815.1,true]");
	(void)assert_json(
	    "1e999999999999999999999", "[1,1e999999999999999999999]", "[1,\"[masked:secret]\"]");
	(void)assert_json("0815x", "[8150,\"0815x\"]", "[8150,\"[masked:secret]\"]");
}

static void variables_are_known_by_their_names_alone(void **state)
{
	struct redactor_values values = REDACTOR_VALUES_INIT;
	cleanup_strvec struct strvec environment = STRVEC_INIT;

	(void)state;
	strvec_push(&environment, "HOME=/home/ada/work");
	strvec_push(&environment, "PATH_TOKEN");
	strvec_push(&environment, "DB_PASSWORD=no");
	strvec_push(&environment, "USE_TOKEN=false");
	redactor_values_add_environment(&values, &environment);
	assert_int_equal(values.items.len, 0);
	strvec_push(&environment, "DB_PASSWORD=correct horse=battery");
	strvec_push(&environment, "FAKE_TOKEN=staple-staple");
	redactor_values_add_environment(&values, &environment);
	assert_true(strvec_contains(&values.items, "correct horse=battery"));
	assert_true(strvec_contains(&values.items, "staple-staple"));
	redactor_values_release(&values);
}

static void a_value_is_found_in_a_url(void **state)
{
	(void)state;
	assert_text("p@ss w/rd", "GET /?q=p%40ss%20w%2Frd HTTP", "GET /?q=[masked:secret] HTTP", 1);
}

static void a_long_value_beside_a_name_goes_to_its_end(void **state)
{
	cleanup_buf struct buf text = BUF_INIT;

	(void)state;
	buf_adds(&text, "export API_KEY=");
	for (int i = 0; i < 500; i++)
		buf_adds(&text, "a8F3kd92");
	buf_adds(&text, " done");
	assert_text(NULL, text.data, "export API_KEY=[masked:key] done", 1);
}

/* In square time, one of them takes minutes, and the test its time limit. */
static void a_megabyte_that_begins_like_secrets_takes_linear_time(void **state)
{
	static const char *const starts[] = { "eyJ", "eyJa.", "password=", "password=\"",
		"-----BEGIN PRIVATE KEY-----", "://", "xoxb-/", "curl ", "machine ", "bearer ",
		"sk-", "otpauth://?", "--token ", "\\\"secret\\\":\\\"", "[masked:", "AKIA" };

	(void)state;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		struct secrets secrets = secrets_new(NULL);
		cleanup_buf struct buf text = BUF_INIT;
		cleanup_buf struct buf out = BUF_INIT;

		while (text.len < unit_many(MIB))
			buf_adds(&text, starts[i]);
		(void)redact_text(secrets.redactor, NULL, text.data, text.len, &out);
		secrets_release(&secrets);
	}
}

static enum err_code refused_code(const char *data, size_t max_len)
{
	struct secrets secrets = make_secrets(NULL);
	cleanup_buf struct buf out = BUF_INIT_MAX(max_len);
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;
	const char *at = strchr(data, '@');
	size_t masks = 77;
	size_t escaped = 78;

	assert_non_null(redact_host_marker(secrets.host, &err));
	buf_add(&text, data, at == NULL ? strlen(data) : (size_t)(at - data));
	if (at != NULL) { /* the mask of a token */
		redact_add_mask(secrets.host, "token", &text);
		buf_adds(&text, at + 1);
	}
	assert_int_equal(
	    redact_json(secrets.redactor, NULL, text.data, text.len, &out, &masks, &escaped, &err),
	    -1);
	assert_int_equal(out.len, 0);
	assert_int_equal(masks, 77);
	assert_int_equal(escaped, 78);
	secrets_release(&secrets);
	return err.code;
}

static void what_cannot_be_redacted_is_refused_whole(void **state)
{
	(void)state;
	assert_int_equal(refused_code("{\"a\":", 1000), ERR_PARSE);
	assert_int_equal(refused_code("[\"x\",\"y\"]", 5), ERR_LIMIT);
	assert_int_equal(
	    refused_code("{\"tok_1111\":1,\"tok_2222\":2,\"@#2\":3}", 1000), ERR_BAD_OUTPUT);
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
		cmocka_unit_test(a_pattern_that_fails_in_json_withholds_its_string),
		cmocka_unit_test(a_pattern_is_searched_for_wherever_its_literal_may_be),
		cmocka_unit_test(an_empty_match_masks_nothing_and_ends),
		cmocka_unit_test(a_megabyte_of_secrets_is_masked_in_linear_time),
		cmocka_unit_test(strings_are_masked_on_their_decoded_form_keys_included),
		cmocka_unit_test(what_needs_nothing_keeps_its_bytes),
		cmocka_unit_test(what_is_invisible_is_made_visible_and_counted),
		cmocka_unit_test(what_cleaning_would_bring_out_is_masked_too),
		cmocka_unit_test(masked_keys_of_one_object_stay_apart),
		cmocka_unit_test(a_member_whose_name_says_so_is_masked_whole),
		cmocka_unit_test(a_name_in_one_member_speaks_for_the_value_in_another),
		cmocka_unit_test(harmless_names_and_values_pass),
		cmocka_unit_test(a_key_block_is_found_behind_its_escapes),
		cmocka_unit_test(a_key_block_without_its_end_is_masked_as_far_as_it_goes),
		cmocka_unit_test(a_known_number_becomes_a_mask),
		cmocka_unit_test(variables_are_known_by_their_names_alone),
		cmocka_unit_test(a_value_is_found_in_a_url),
		cmocka_unit_test(a_long_value_beside_a_name_goes_to_its_end),
		cmocka_unit_test(a_megabyte_that_begins_like_secrets_takes_linear_time),
		cmocka_unit_test(what_cannot_be_redacted_is_refused_whole),
		cmocka_unit_test(values_shorter_than_four_bytes_are_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
