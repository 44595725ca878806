/* SPDX-License-Identifier: MIT */
/* The rules by their own examples, and a corpus of what looks like secrets and is none. */
#include "unit.h"

#include <dirent.h>
#include <stdio.h>

#include "base/dirs.h"
#include "base/text.h"
#include "redact_fixture.h"

/* Splits an example: the text without « and », and the text with a mask in their place. */
static void read_example(
    const char *example, const char *name, struct buf *text, struct buf *masked)
{
	const char *begin = strstr(example, "«");
	const char *end = strstr(example, "»");

	if (begin == NULL || end == NULL)
		fail_msg("%s: the positive example has no « and »", name);
	buf_add(text, example, (size_t)(begin - example));
	buf_add(text, begin + 2, (size_t)(end - begin - 2));
	buf_adds(text, end + 2);
	buf_add(masked, example, (size_t)(begin - example));
	buf_addf(masked, "[masked:%s]", name);
	buf_adds(masked, end + 2);
}

static void assert_masked(const char *data, const char *wanted)
{
	struct secrets secrets = secrets_new(NULL);
	cleanup_buf struct buf out = BUF_INIT;

	(void)redact_text(secrets.redactor, NULL, data, strlen(data), &out);
	drop_marker(secrets.host, &out);
	assert_string_equal(out.data, wanted);
	secrets_release(&secrets);
}

static void assert_positive(const char *example, const char *name)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_buf struct buf masked = BUF_INIT;

	read_example(example, name, &text, &masked);
	assert_masked(text.data, masked.data);
}

/* Where the secret stands in JSON, each of its characters may be escaped. */
static void assert_positive_in_json(const char *example, const char *name)
{
	struct secrets secrets = secrets_new(NULL);
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_buf struct buf masked = BUF_INIT;
	cleanup_buf struct buf in = BUF_INIT;
	cleanup_buf struct buf out = BUF_INIT;
	cleanup_buf struct buf wanted = BUF_INIT;
	size_t masks = 0;
	size_t escaped = 0;

	read_example(example, name, &text, &masked);
	buf_adds(&in, "{\"x\":\"");
	for (size_t i = 0; i < text.len; i++)
		buf_addf(&in, "\\u%04x", (unsigned char)text.data[i]);
	buf_adds(&in, "\"}");
	assert_ok(
	    redact_json(secrets.redactor, NULL, in.data, in.len, &out, &masks, &escaped, &err),
	    &err);
	drop_marker(secrets.host, &out);
	buf_adds(&wanted, "{\"x\":");
	json_quote(&wanted, masked.data, masked.len);
	buf_adds(&wanted, "}");
	assert_string_equal(out.data, wanted.data);
	assert_int_equal(masks, 1);
	secrets_release(&secrets);
}

static void each_format_is_masked_and_nothing_around_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < redact_rules_len; i++) {
		assert_positive(redact_rules[i].positive, redact_rules[i].name);
		assert_positive_in_json(redact_rules[i].positive, redact_rules[i].name);
		assert_masked(redact_rules[i].negative, redact_rules[i].negative);
	}
}

static void each_name_gives_its_value_away_and_nothing_around_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < redact_names_len; i++) {
		assert_positive(redact_names[i].positive, redact_names[i].ending);
		assert_positive_in_json(redact_names[i].positive, redact_names[i].ending);
		assert_masked(redact_names[i].negative, redact_names[i].negative);
	}
}

static void rules_can_be_used_by_the_prefilter_and_shown_in_a_mask(void **state)
{
	(void)state;
	for (size_t i = 0; i < redact_rules_len; i++) {
		const struct redact_rule *rule = &redact_rules[i];

		assert_non_null(rule->literals[0]);
		for (size_t j = 0; j < REDACT_LITERALS_MAX && rule->literals[j] != NULL; j++)
			assert_true(strlen(rule->literals[j]) >= PREFILTER_MIN);
		assert_true(strlen(rule->name) <= 40);
		assert_int_equal(strspn(rule->name, "abcdefghijklmnopqrstuvwxyz0123456789-"),
		    strlen(rule->name));
	}
}

/* ---- false alarms ---- */

static void assert_clean(const char *path)
{
	struct secrets secrets = secrets_new(NULL);
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_buf struct buf out = BUF_INIT;

	assert_ok(dirs_read_file(path, &text, &err), &err);
	if (redact_text(secrets.redactor, NULL, text.data, text.len, &out) > 0)
		fail_msg("%s: %.160s", path, strstr(out.data, "[masked:") - 60);
	assert_int_equal(out.len, text.len);
	assert_memory_equal(out.data, text.data, text.len);
	secrets_release(&secrets);
}

static void assert_clean_json(const char *path)
{
	struct secrets secrets = secrets_new(NULL);
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_buf struct buf out = BUF_INIT;
	size_t masks = 0;
	size_t escaped = 0;

	assert_ok(dirs_read_file(path, &text, &err), &err);
	assert_ok(
	    redact_json(secrets.redactor, NULL, text.data, text.len, &out, &masks, &escaped, &err),
	    &err);
	if (masks > 0)
		fail_msg("%s: %.160s", path, strstr(out.data, "[masked:") - 60);
	secrets_release(&secrets);
}

static void what_only_looks_like_secrets_stays_clean(void **state)
{
	DIR *dir = opendir(SOURCE_ROOT "/tests/data/redact");
	struct dirent *entry;
	size_t files = 0;

	(void)state;
	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		cleanup_free char *path =
		    xasprintf(SOURCE_ROOT "/tests/data/redact/%s", entry->d_name);

		if (entry->d_name[0] == '.')
			continue;
		assert_clean(path);
		if (strstr(entry->d_name, ".json") != NULL)
			assert_clean_json(path);
		files++;
	}
	closedir(dir);
	assert_true(files >= 12);
}

static void our_own_rules_do_not_mask_our_own_source(void **state)
{
	(void)state;
	assert_clean(SOURCE_ROOT "/src/run/run_rules.c");
	assert_clean(SOURCE_ROOT "/src/call/call_consent.c");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_format_is_masked_and_nothing_around_it),
		cmocka_unit_test(each_name_gives_its_value_away_and_nothing_around_it),
		cmocka_unit_test(rules_can_be_used_by_the_prefilter_and_shown_in_a_mask),
		cmocka_unit_test(what_only_looks_like_secrets_stays_clean),
		cmocka_unit_test(our_own_rules_do_not_mask_our_own_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
