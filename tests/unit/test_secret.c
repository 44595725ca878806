/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/secret.h"
#include "scratch.h"

#define LEN 32

/* A keys directory of its own for each test. */
static int open_keys(const char *scratch, const char *name)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *path = scratch_path(scratch, name);
	int fd = -1;

	assert_ok(secret_open_keys(path, &fd, &err), &err);
	return fd;
}

static struct digest mac_of(struct secret *secret)
{
	return secret_mac(secret, "text", 4);
}

/* ---- refusals ---- */

static void a_key_that_others_can_read_is_refused(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_fd int fd = open_keys(*state, "mode");

	secret_free(secret_open_file(fd, "k", LEN, &err));
	assert_int_equal(fchmodat(fd, "k", 0640, 0), 0);
	assert_null(secret_open_file(fd, "k", LEN, &err));
	assert_int_equal(err.code, ERR_PERMISSION_DENIED);
	assert_int_equal(fchmodat(fd, "k", 0604, 0), 0);
	assert_null(secret_open_file(fd, "k", LEN, &err));
	assert_int_equal(err.code, ERR_PERMISSION_DENIED);
}

static void a_key_in_a_folder_that_others_can_write_is_refused(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_fd int fd = open_keys(*state, "folder");

	assert_int_equal(fchmod(fd, 0720), 0);
	assert_null(secret_open_file(fd, "k", LEN, &err));
	assert_int_equal(err.code, ERR_PERMISSION_DENIED);
	assert_int_equal(faccessat(fd, "k", F_OK, 0), -1);
}

static void a_key_that_is_a_link_is_refused(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_fd int fd = open_keys(*state, "link");

	secret_free(secret_open_file(fd, "real", LEN, &err));
	assert_int_equal(symlinkat("real", fd, "k"), 0);
	assert_null(secret_open_file(fd, "k", LEN, &err));
	assert_true(err_is_set(&err));
}

static void a_key_of_another_length_is_refused_and_kept(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_fd int fd = open_keys(*state, "length");
	struct stat st;

	secret_free(secret_open_file(fd, "k", LEN - 1, &err));
	assert_null(secret_open_file(fd, "k", LEN, &err));
	assert_int_equal(err.code, ERR_CONFIGURATION);
	assert_int_equal(fstatat(fd, "k", &st, 0), 0);
	assert_int_equal(st.st_size, LEN - 1);
}

static void a_missing_key_is_not_made_by_reading(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_fd int fd = open_keys(*state, "reading");

	assert_null(secret_read_file(fd, "k", LEN, &err));
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_int_equal(faccessat(fd, "k", F_OK, 0), -1);
}

static void folders_that_others_can_use_are_refused(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *data = scratch_path(*state, "loose");
	cleanup_free char *keys = scratch_path(data, "keys");
	int fd = open_keys(*state, "loose");

	close_fd(&fd);
	assert_int_equal(chmod(keys, 0750), 0);
	assert_fails(secret_open_keys(data, &fd, &err), &err, ERR_PERMISSION_DENIED);
	assert_int_equal(chmod(keys, 0700), 0);
	assert_int_equal(chmod(data, 0770), 0);
	assert_fails(secret_open_keys(data, &fd, &err), &err, ERR_PERMISSION_DENIED);
	assert_int_equal(fd, -1);
}

static int open_folder_in_child(void *ctx)
{
	cleanup_err struct err err = ERR_INIT;
	int fd = -1;

	if (secret_open_keys(ctx, &fd, &err) == 0)
		return 1;
	return err.code == ERR_PERMISSION_DENIED ? 0 : 2;
}

static void a_folder_that_cannot_be_made_is_an_error(void **state)
{
	cleanup_free char *parent = scratch_path(*state, "parent");
	cleanup_free char *data = scratch_path(parent, "data");

	assert_int_equal(mkdir(parent, 0700), 0);
	scratch_give_away(parent);
	assert_int_equal(chmod(parent, 0500), 0);
	assert_int_equal(scratch_as_ordinary_user(open_folder_in_child, data), 0);
	assert_int_equal(chmod(parent, 0700), 0);
}

static void a_signature_over_anything_else_is_invalid(void **state)
{
	cleanup_secret struct secret *seed = secret_new_random(SECRET_SEED_SIZE);
	cleanup_secret struct secret *other = secret_new_random(SECRET_SEED_SIZE);
	struct public_key key = secret_public_key(seed);
	struct public_key wrong = secret_public_key(other);
	struct signature signature = secret_sign(seed, "text", 4);

	(void)state;
	assert_true(signature_is_valid(&signature, &key, "text", 4));
	assert_false(signature_is_valid(&signature, &key, "texT", 4));
	assert_false(signature_is_valid(&signature, &key, "text", 3));
	assert_false(signature_is_valid(&signature, &wrong, "text", 4));
	signature.bytes[0] ^= 1;
	assert_false(signature_is_valid(&signature, &key, "text", 4));
}

/* ---- what works ---- */

static void a_key_is_made_once_for_its_owner_alone(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	mode_t old = umask(0);
	cleanup_fd int fd = open_keys(*state, "a/b/data");
	cleanup_secret struct secret *made = secret_open_file(fd, "k", LEN, &err);
	cleanup_secret struct secret *again = secret_open_file(fd, "k", LEN, &err);
	cleanup_free char *keys = scratch_path(*state, "a/b/data/keys");
	cleanup_free char *data = scratch_path(*state, "a/b/data");
	cleanup_free char *file = scratch_path(keys, "k");
	struct digest one = mac_of(made);
	struct digest two = mac_of(again);

	(void)umask(old);
	assert_int_equal(secret_len(made), LEN);
	assert_true(digest_equal(&one, &two));
	assert_int_equal(scratch_mode(data), 0700);
	assert_int_equal(scratch_mode(keys), 0700);
	assert_int_equal(scratch_mode(file), 0600);
}

/* What each racing child found, side by side in one file. */
struct race {
	const char *data;
	int out;
};

static int open_in_child(void *ctx)
{
	const struct race *race = ctx;
	cleanup_err struct err err = ERR_INIT;
	cleanup_fd int fd = -1;
	cleanup_secret struct secret *secret = NULL;
	struct digest mac;

	if (secret_open_keys(race->data, &fd, &err) < 0)
		return 1;
	secret = secret_open_file(fd, "k", LEN, &err);
	if (secret == NULL)
		return 2;
	mac = mac_of(secret);
	return write(race->out, mac.bytes, DIGEST_SIZE) == DIGEST_SIZE ? 0 : 3;
}

static void processes_that_race_agree_on_one_key(void **state)
{
	cleanup_free char *data = scratch_path(*state, "race");
	struct digest macs[8];
	int ends[2];
	struct race race = { .data = data };

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	race.out = ends[1];
	assert_int_equal(scratch_race(8, open_in_child, &race), 0);
	assert_int_equal(read(ends[0], macs, sizeof(macs)), sizeof(macs));
	for (size_t i = 1; i < ARRAY_LEN(macs); i++)
		assert_true(digest_equal(&macs[0], &macs[i]));
	close_fd(&ends[0]);
	close_fd(&ends[1]);
}

static void taking_a_secret_wipes_its_source(void **state)
{
	char source[LEN] = "the source of the secret";
	char zeros[LEN] = { 0 };
	cleanup_secret struct secret *secret = secret_new_take(source, sizeof(source));

	(void)state;
	assert_int_equal(secret_len(secret), LEN);
	assert_memory_equal(source, zeros, LEN);
}

static void a_mac_depends_on_key_and_text(void **state)
{
	cleanup_secret struct secret *one = secret_new_random(LEN);
	cleanup_secret struct secret *two = secret_new_random(LEN);
	struct digest a = secret_mac(one, "text", 4);
	struct digest b = secret_mac(two, "text", 4);
	struct digest c = secret_mac(one, "tex", 3);
	struct digest d = secret_mac(one, "text", 4);

	(void)state;
	assert_false(digest_equal(&a, &b));
	assert_false(digest_equal(&a, &c));
	assert_true(digest_equal(&a, &d));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_that_others_can_read_is_refused),
		cmocka_unit_test(a_key_in_a_folder_that_others_can_write_is_refused),
		cmocka_unit_test(a_key_that_is_a_link_is_refused),
		cmocka_unit_test(a_key_of_another_length_is_refused_and_kept),
		cmocka_unit_test(a_missing_key_is_not_made_by_reading),
		cmocka_unit_test(folders_that_others_can_use_are_refused),
		cmocka_unit_test(a_folder_that_cannot_be_made_is_an_error),
		cmocka_unit_test(a_signature_over_anything_else_is_invalid),
		cmocka_unit_test(a_key_is_made_once_for_its_owner_alone),
		cmocka_unit_test(processes_that_race_agree_on_one_key),
		cmocka_unit_test(taking_a_secret_wipes_its_source),
		cmocka_unit_test(a_mac_depends_on_key_and_text),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
