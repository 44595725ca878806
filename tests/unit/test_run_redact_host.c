/* SPDX-License-Identifier: MIT */
/* What redaction keeps of its host: the marker, and the paths that diagnostics do not show. */
#include "unit.h"

#include <stdio.h>
#include <sys/stat.h>

#include "redact_fixture.h"
#include "scratch.h"

#define SECRET_TEXT                                                                                \
	"db_password="                                                                             \
	"hunter2"

/* The text with its secrets masked, as a host of that data directory does it; owned. */
static char *redact_as(const char *data_dir, const char *text)
{
	struct redact_host *host = redact_host_new(data_dir);
	struct redactor *redactor = redactor_new(host);
	struct buf out = BUF_INIT;

	(void)redact_text(redactor, NULL, text, strlen(text), &out);
	redactor_free(redactor);
	redact_host_free(host);
	return buf_detach(&out);
}

static bool exists(const char *dir, const char *name)
{
	cleanup_free char *path = scratch_path(dir, name);

	return access(path, F_OK) == 0;
}

/* ---- the key ---- */

static void no_key_is_made_before_the_first_mask(void **state)
{
	cleanup_free char *dir = scratch_path(*state, "first");
	cleanup_free char *keys = scratch_path(dir, "keys");
	cleanup_free char *key = scratch_path(keys, "marker");
	cleanup_free char *clean = redact_as(dir, "nothing to hide, [masked:token] neither");
	cleanup_free char *masked = NULL;
	struct redact_host *host = redact_host_new(dir);
	cleanup_err struct err err = ERR_INIT;
	bool has = true;

	assert_string_equal(clean, "nothing to hide, [masked:token] neither");
	assert_ok(redact_has_marker(host, SECRET_TEXT SECRET_TEXT, 38, &has, &err), &err);
	assert_false(has);
	redact_host_free(host);
	assert_false(exists(*state, "first"));
	masked = redact_as(dir, SECRET_TEXT);
	assert_null(strstr(masked, "hunter2"));
	assert_int_equal(scratch_mode(keys), 0700);
	assert_int_equal(scratch_mode(key), 0600);
}

static void the_marker_is_the_same_for_all_processes_of_a_host_and_for_no_other(void **state)
{
	cleanup_free char *dir = scratch_path(*state, "one");
	cleanup_free char *other_dir = scratch_path(*state, "other");
	cleanup_free char *a = redact_as(dir, SECRET_TEXT);
	cleanup_free char *b = redact_as(dir, SECRET_TEXT);
	cleanup_free char *c = redact_as(other_dir, SECRET_TEXT);

	assert_string_equal(a, b);
	assert_string_not_equal(a, c);
	assert_int_equal(strlen(a), strlen("db_password=[masked:password:]") + 24);
}

static void what_needs_a_mask_is_withheld_when_there_is_no_key(void **state)
{
	cleanup_free char *dir = scratch_path(*state, "broken");
	cleanup_free char *keys = scratch_path(dir, "keys");
	cleanup_free char *masked = NULL;
	cleanup_free char *clean = NULL;
	cleanup_buf struct buf out = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;
	struct redact_host *host = redact_host_new(dir);
	struct redactor *redactor = redactor_new(host);
	size_t masks = 0;
	size_t escaped = 0;
	bool has = false;

	assert_int_equal(mkdir(dir, 0700), 0);
	scratch_write(keys, "no folder", 9);
	masked = redact_as(dir, "before " SECRET_TEXT " after");
	assert_null(strstr(masked, "hunter2"));
	assert_null(strstr(masked, "before"));
	clean = redact_as(dir, "clean");
	assert_string_equal(clean, "clean");
	assert_int_equal(
	    redact_json(redactor, NULL, "[\"" SECRET_TEXT "\"]", 23, &out, &masks, &escaped, &err),
	    -1);
	assert_int_equal(out.len, 0);
	assert_null(strstr(err.message, "hunter2"));
	err_release(&err);
	assert_int_equal(redact_has_marker(host, SECRET_TEXT SECRET_TEXT, 38, &has, &err), -1);
	redactor_free(redactor);
	redact_host_free(host);
}

/* ---- refusing ---- */

/* 0, or -1 with the error, for arguments in which @ stands for the mask and # for its marker. */
static int refuse(void *dir, const char *arguments, struct err *err)
{
	cleanup_free char *masked = redact_as(dir, SECRET_TEXT);
	cleanup_free char *marker = xmemdupz(masked + strlen(masked) - 25, 24);
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	struct redact_host *host = redact_host_new(dir);
	int result;

	for (const char *at = arguments; *at != '\0'; at++) {
		if (*at == '@')
			buf_adds(&text, masked + strlen("db_password="));
		else if (*at == '#')
			buf_adds(&text, marker);
		else
			buf_addc(&text, *at);
	}
	assert_ok(json_read(&doc, text.data, text.len, err), err);
	result = redact_refuse_masked(host, json_root(&doc), err);
	redact_host_free(host);
	return result;
}

static void assert_refused(void *dir, const char *arguments, const char *pointer)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *details =
	    xasprintf("{\"errors\":[{\"pointer\":\"%s\",\"keyword\":\"masked\"}]}", pointer);

	assert_fails(refuse(dir, arguments, &err), &err, ERR_MASKED_CONTENT);
	assert_string_equal(err.details, details);
	assert_int_equal(strncmp(err.message, pointer, strlen(pointer)), 0);
}

static void an_argument_that_holds_the_marker_is_refused_by_its_pointer(void **state)
{
	assert_refused(*state, "{\"path\":\"a\",\"content\":\"x @ y\"}", "/content");
	assert_refused(*state, "{\"a\":[1,{\"b/c\":[\"\",\"@\"]}]}", "/a/1/b~1c/1");
}

static void the_marker_alone_is_refused_whatever_became_of_the_mask_around_it(void **state)
{
	assert_refused(*state, "{\"content\":\"(masked #)\"}", "/content");
	assert_refused(*state, "{\"content\":\"##\"}", "/content");
}

static void what_only_looks_like_a_mask_is_not_refused(void **state)
{
	cleanup_err struct err err = ERR_INIT;

	assert_ok(refuse(*state,
		      "{\"a\":\"[masked:token]\","
		      "\"b\":\"[masked:token:000000000000000000000000]\",\"c\":[null,1,true]}",
		      &err),
	    &err);
	assert_ok(redact_refuse_masked(NULL, NULL, &err), &err);
}

static void a_name_that_holds_the_marker_is_refused_too(void **state)
{
	cleanup_err struct err err = ERR_INIT;

	assert_fails(refuse(*state, "{\"a\":{\"@\":1}}", &err), &err, ERR_MASKED_CONTENT);
	assert_int_equal(strncmp(err.message, "/a/[masked:", 11), 0);
}

/* ---- masked text stays as it is ---- */

static void assert_stays(const char *dir, const char *before, const char *after)
{
	cleanup_free char *mask = redact_as(dir, SECRET_TEXT);
	cleanup_free char *text = xasprintf("%s%s%s", before, mask + strlen("db_password="), after);
	cleanup_free char *again = redact_as(dir, text);

	assert_string_equal(again, text);
}

static void masked_text_is_not_masked_again(void **state)
{
	assert_stays(*state, "db_password=", "");
	assert_stays(*state, "{\"password\":\"", "\"}");
	assert_stays(*state, "postgres://app:", "@h/d");
	assert_stays(*state, "Authorization: Bearer ", "\n");
	assert_stays(*state, "token: ", "");
	assert_stays(*state, "", "");
}

/* ---- paths ---- */

static void assert_stderr(struct redact_host *host, const char *text, const char *wanted)
{
	struct redactor *redactor = redactor_new(host);
	cleanup_buf struct buf out = BUF_INIT;

	(void)redact_stderr(redactor, NULL, text, strlen(text), &out);
	drop_marker(host, &out);
	assert_string_equal(out.data, wanted);
	redactor_free(redactor);
}

static void paths_of_home_data_and_temporary_files_are_stripped_from_stderr(void **state)
{
	struct redact_host *host;

	(void)state;
	assert_int_equal(setenv("HOME", "/home/me/", 1), 0);
	assert_int_equal(setenv("TMPDIR", "/var/folders/x9/T", 1), 0);
	host = redact_host_new("/home/me/.local/share/stile");
	assert_stderr(host, "error: /home/me/a.txt: no such file", "error: ~/a.txt: no such file");
	assert_stderr(host, "/home/me", "~");
	assert_stderr(host, "'/home/me': /home/me, /home/me.", "'~': ~, ~.");
	assert_stderr(
	    host, "/home/me/.local/share/stile/vault.db: locked", "[data]/vault.db: locked");
	assert_stderr(host, "/tmp/x.1 /var/tmp/y /var/folders/x9/T/z", "[tmp]/x.1 [tmp]/y [tmp]/z");
	assert_stderr(host, "file:///home/me/a HOME=/home/me:/tmp", "file://~/a HOME=~:[tmp]");
	redact_host_free(host);
}

static void paths_that_only_look_alike_stay(void **state)
{
	struct redact_host *host;

	(void)state;
	assert_int_equal(setenv("HOME", "/home/me", 1), 0);
	host = redact_host_new(NULL);
	assert_stderr(host, "/home/me2/a /home/men /mnt/home/me /srv/tmp/x /tmpfs/y a/tmp",
	    "/home/me2/a /home/men /mnt/home/me /srv/tmp/x /tmpfs/y a/tmp");
	assert_stderr(host, "/home/me.old/tmp /home/you", "/home/me.old/tmp /home/you");
	redact_host_free(host);
	assert_int_equal(setenv("HOME", "/", 1), 0);
	host = redact_host_new(NULL);
	assert_stderr(host, "/etc/hosts and /", "/etc/hosts and /");
	redact_host_free(host);
}

static void secrets_are_masked_in_stderr_too(void **state)
{
	struct redact_host *host = redact_host_new(NULL);

	(void)state;
	assert_stderr(host, "/tmp/a: " SECRET_TEXT, "[tmp]/a: db_password=[masked:password]");
	redact_host_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_key_is_made_before_the_first_mask),
		cmocka_unit_test(
		    the_marker_is_the_same_for_all_processes_of_a_host_and_for_no_other),
		cmocka_unit_test(what_needs_a_mask_is_withheld_when_there_is_no_key),
		cmocka_unit_test(an_argument_that_holds_the_marker_is_refused_by_its_pointer),
		cmocka_unit_test(the_marker_alone_is_refused_whatever_became_of_the_mask_around_it),
		cmocka_unit_test(a_name_that_holds_the_marker_is_refused_too),
		cmocka_unit_test(what_only_looks_like_a_mask_is_not_refused),
		cmocka_unit_test(masked_text_is_not_masked_again),
		cmocka_unit_test(paths_of_home_data_and_temporary_files_are_stripped_from_stderr),
		cmocka_unit_test(paths_that_only_look_alike_stay),
		cmocka_unit_test(secrets_are_masked_in_stderr_too),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
