/* SPDX-License-Identifier: MIT */
/* trust.yaml: what a person trusted, and every way in which it no longer holds. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/gate.h"

static char dir[] = "/tmp/stile-trust-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) != NULL ? 0 : -1;
}

static int drop_dir(void **state)
{
	cleanup_free char *path = xasprintf("%s/trust.yaml", dir);

	(void)state;
	(void)unlink(path);
	return rmdir(dir);
}

static struct gate_trusted entry(const char *program)
{
	return (struct gate_trusted){
		.surface = xstrdup("demo"),
		.path = xstrdup("/home/me/demo: \"odd\".yaml"),
		.digest = digest_of("file", 4),
		.program = xstrdup(program),
		.has_program_digest = true,
		.program_digest = digest_of("program", 7),
	};
}

static void what_was_saved_is_trusted_again(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_gate_trust struct gate_trust saved = GATE_TRUST_INIT;
	cleanup_gate_trust struct gate_trust loaded = GATE_TRUST_INIT;
	struct gate_trusted now = entry("/usr/bin/demo");
	struct stat st;
	cleanup_free char *path = xasprintf("%s/trust.yaml", dir);

	(void)state;
	gate_trust_set(&saved, &now);
	gate_trust_set(&saved, &now);
	assert_int_equal(saved.len, 1);
	assert_ok(gate_trust_save(dir, &saved, &err), &err);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_ok(gate_trust_load(dir, &loaded, &err), &err);
	assert_ok(gate_trust_check(&loaded, &now, &err), &err);
	gate_trusted_release(&now);
}

static void any_difference_withdraws_trust(void **state)
{
	cleanup_gate_trust struct gate_trust trust = GATE_TRUST_INIT;
	struct gate_trusted then = entry("/usr/bin/demo");

	(void)state;
	gate_trust_set(&trust, &then);
	for (int difference = 0; difference < 7; difference++) {
		cleanup_err struct err err = ERR_INIT;
		struct gate_trusted now = entry(difference == 0 ? NULL : "/usr/bin/demo");

		if (difference == 1)
			now.digest.bytes[31] ^= 1;
		if (difference == 2)
			now.program_digest.bytes[0] ^= 1;
		if (difference == 3)
			now.program[5] = 'x';
		if (difference == 4)
			now.has_program_digest = false;
		if (difference == 5)
			now.path[1] = 'H';
		if (difference == 6)
			now.surface[0] = 'D';
		assert_fails(gate_trust_check(&trust, &now, &err), &err, ERR_SURFACE_UNTRUSTED);
		gate_trusted_release(&now);
	}
	gate_trusted_release(&then);
}

static void a_program_that_is_root_owned_is_trusted_by_path(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_gate_trust struct gate_trust trust = GATE_TRUST_INIT;
	struct gate_trusted now = entry("/usr/bin/demo");

	(void)state;
	now.has_program_digest = false;
	gate_trust_set(&trust, &now);
	now.program_digest.bytes[0] ^= 1;
	assert_ok(gate_trust_check(&trust, &now, &err), &err);
	gate_trusted_release(&now);
}

static void a_trust_file_others_can_write_trusts_nothing(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_gate_trust struct gate_trust trust = GATE_TRUST_INIT;
	cleanup_free char *path = xasprintf("%s/trust.yaml", dir);

	(void)state;
	assert_int_equal(chmod(path, 0620), 0);
	assert_fails(gate_trust_load(dir, &trust, &err), &err, ERR_PERMISSION_DENIED);
	assert_int_equal(trust.len, 0);
}

static void a_malformed_trust_file_trusts_nothing(void **state)
{
	static const char *const texts[] = {
		"trusted: {}\n",
		"trusted: [{surface: x}]\n",
		"trusted: [{surface: x, path: /x, digest: abc}]\n",
		"trusted: []\nmore: 1\n",
		"[\n",
	};
	cleanup_free char *path = xasprintf("%s/trust.yaml", dir);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		cleanup_err struct err err = ERR_INIT;
		cleanup_gate_trust struct gate_trust trust = GATE_TRUST_INIT;
		FILE *file;

		(void)unlink(path);
		file = fopen(path, "w");
		assert_non_null(file);
		(void)fputs(texts[i], file);
		(void)fclose(file);
		assert_int_equal(chmod(path, 0600), 0);
		assert_int_equal(gate_trust_load(dir, &trust, &err), -1);
	}
}

static void without_a_file_nothing_is_trusted(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_gate_trust struct gate_trust trust = GATE_TRUST_INIT;
	struct gate_trusted now = entry("/usr/bin/demo");

	(void)state;
	assert_ok(gate_trust_load("/nonexistent", &trust, &err), &err);
	assert_fails(gate_trust_check(&trust, &now, &err), &err, ERR_SURFACE_UNTRUSTED);
	gate_trusted_release(&now);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_was_saved_is_trusted_again),
	cmocka_unit_test(any_difference_withdraws_trust),
	cmocka_unit_test(a_program_that_is_root_owned_is_trusted_by_path),
	cmocka_unit_test(a_trust_file_others_can_write_trusts_nothing),
	cmocka_unit_test(a_malformed_trust_file_trusts_nothing),
	cmocka_unit_test(without_a_file_nothing_is_trusted),
};

int main(void)
{
	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
