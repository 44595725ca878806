/* SPDX-License-Identifier: MIT */
/* Several processes and their ends: what was acknowledged is there, whoever is killed when. And the
 * credential that a process finds. */
#include "vault_unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define KILLS 25
#define WRITERS 4
#define WRITES 25

/* A connection of its own, as every process has; sharing one across fork is what SQLite forbids. */
static struct vault *open_again(const char *dir, const struct vault_token_text *token)
{
	struct err err = ERR_INIT;
	cleanup_secret struct secret *secret = secret_of(token);
	struct vault *vault = vault_open(dir, &err);

	if (vault == NULL || vault_bind(vault, secret, &err) < 0)
		_exit(3);
	return vault;
}

/* ---- durability ---- */

static int syncs;

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);

int __wrap_fdatasync(int fd)
{
	syncs++;
	return __real_fdatasync(fd);
}

static int count_syncs(void *ctx, const struct vault_entry *entry, struct err *err)
{
	int *at_first = ctx;

	(void)entry;
	(void)err;
	if (*at_first < 0)
		*at_first = syncs;
	return 0;
}

/* The record of a reading survives a power cut once anything was answered; and that costs little:
 * one sync of the log and one of its folder, nothing when the vault is closed. */
static void a_reading_is_recorded_durably_before_it_is_answered(void **state)
{
	cleanup_fixture struct fixture f;
	const struct vault_list list = { 0 };
	int at_first = -1;

	(void)state;
	open_fixture(&f);
	assert_ok(put_text(f.vault, "/a", "text", &f.err), &f.err);
	vault_cleanup(&f.vault);
	f.vault = open_again(f.dir, &f.token);
	syncs = 0;
	assert_ok(vault_list(f.vault, "/", &list, count_syncs, &at_first, &f.err), &f.err);
	assert_in_range(at_first, 1, 2);
	vault_cleanup(&f.vault);
	assert_int_equal(syncs, at_first);
	f.vault = open_again(f.dir, &f.token);
}

/* ---- processes ---- */

/* Puts files until it is killed; each that is acknowledged is told, one byte. */
static void write_until_killed(
    const char *dir, const struct vault_token_text *token, int round, int fd)
{
	struct vault *vault = open_again(dir, token);
	struct err err = ERR_INIT;
	char *large = xcalloc(300001, 1);

	for (int i = 0;; i++) {
		cleanup_free char *ref = xasprintf("/r%d-%d", round, i);

		memset(large, 'a' + i % 26, 300000);
		(void)snprintf(large, 32, "%d %d", round, i);
		large[strlen(large)] = ' ';
		if (put_text(vault, ref, large, &err) < 0)
			_exit(4);
		if (write(fd, "x", 1) != 1)
			_exit(5);
	}
}

static int count_acknowledged(int fd)
{
	char bytes[256];
	int count = 0;
	ssize_t got;

	while ((got = read(fd, bytes, sizeof(bytes))) > 0)
		count += (int)got;
	return count;
}

/* How many the child acknowledged before it was killed, delay_us after its first. */
static int kill_one(struct fixture *f, int round, useconds_t delay_us)
{
	int fds[2];
	int status;
	pid_t pid;
	char first;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		write_until_killed(f->dir, &f->token, round, fds[1]);
	(void)close(fds[1]);
	assert_int_equal(read(fds[0], &first, 1), 1);
	(void)usleep(delay_us);
	(void)kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	status = 1 + count_acknowledged(fds[0]);
	(void)close(fds[0]);
	return status;
}

static void a_killed_writer_leaves_a_sound_vault_with_all_it_acknowledged(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_audit_report report = { 0 };
	struct vault_fsck fsck = { 0 };
	struct vault_gc gc = { 0 };

	(void)state;
	open_fixture(&f);
	vault_cleanup(&f.vault);
	for (int round = 0; round < KILLS; round++) {
		int count = kill_one(&f, round, (useconds_t)(round * 977 % 9000));

		f.vault = open_again(f.dir, &f.token);
		for (int i = 0; i < count; i++) {
			cleanup_free char *ref = xasprintf("/r%d-%d", round, i);
			cleanup_free char *text = get_text(f.vault, ref, NULL, &f.err);
			cleanup_free char *wanted = xasprintf("%d %d ", round, i);

			assert_non_null(text);
			assert_int_equal(strncmp(text, wanted, strlen(wanted)), 0);
			assert_int_equal(strlen(text), 300000);
		}
		vault_cleanup(&f.vault);
	}
	f.vault = open_again(f.dir, &f.token);
	assert_ok(vault_fsck(f.vault, NULL, NULL, NULL, &fsck, &f.err), &f.err);
	assert_int_equal(fsck.faults, 0);
	assert_ok(vault_audit_verify(f.vault, &report, &f.err), &f.err);
	assert_ok(vault_gc(f.vault, NULL, NULL, &gc, &f.err), &f.err);
	assert_ok(vault_fsck(f.vault, NULL, NULL, NULL, &fsck, &f.err), &f.err);
	assert_int_equal(fsck.faults, 0);
}

static void write_some(const char *dir, const struct vault_token_text *token, int writer)
{
	struct vault *vault = open_again(dir, token);
	struct err err = ERR_INIT;

	for (int i = 0; i < WRITES; i++) {
		cleanup_free char *text = xasprintf("%d %d", writer, i);

		if (put_text(vault, "/same", text, &err) < 0)
			_exit(4);
	}
	vault_close(vault);
	_exit(0);
}

static void writers_at_the_same_time_wait_for_each_other(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_audit_report report = { 0 };
	struct vault_entry entry = { 0 };
	int status;

	(void)state;
	open_fixture(&f);
	assert_ok(put_text(f.vault, "/same", "first", &f.err), &f.err);
	vault_cleanup(&f.vault);
	for (int writer = 0; writer < WRITERS; writer++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0)
			write_some(f.dir, &f.token, writer);
	}
	for (int writer = 0; writer < WRITERS; writer++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	f.vault = open_again(f.dir, &f.token);
	assert_ok(vault_entry_info(f.vault, "/same", VAULT_WANT_FILE, &entry, &f.err), &f.err);
	assert_int_equal(entry.number, 1 + WRITERS * WRITES);
	vault_entry_release(&entry);
	assert_ok(vault_audit_verify(f.vault, &report, &f.err), &f.err);
	assert_int_equal(report.rows, 1 + 1 + WRITERS * WRITES + 1);
}

/* ---- the credential ---- */

static void write_file(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	(void)close(fd);
}

static void a_credential_that_others_could_read_is_refused(void **state)
{
	char dir[] = "/tmp/stile-credential-XXXXXX";
	struct vault_token_text token = { "stv_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" };
	cleanup_free char *config = NULL;
	cleanup_free char *path = NULL;
	struct err err = ERR_INIT;
	struct secret *secret;
	struct stat st;
	bool was_there;

	(void)state;
	assert_non_null(mkdtemp(dir));
	config = xasprintf("%s/stile", dir);
	path = xasprintf("%s/credentials.json", config);
	assert_int_equal(setenv("XDG_CONFIG_HOME", dir, 1), 0);
	assert_int_equal(unsetenv("STILE_TOKEN_FILE"), 0);
	assert_null(vault_credential_load(&err));
	assert_int_equal(err.code, ERR_UNAUTHENTICATED);

	assert_ok(vault_credential_store(token.text, &err), &err);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	secret = vault_credential_load(&err);
	assert_non_null(secret);
	assert_int_equal(secret_len(secret), 47);
	secret_free(secret);

	assert_int_equal(chmod(path, 0640), 0);
	assert_null(vault_credential_load(&err));
	assert_int_equal(err.code, ERR_PERMISSION_DENIED);
	assert_null(strstr(err.message, "stv_"));
	write_file(path, "{\"token\": \"stv_short\"}", 0600);
	assert_null(vault_credential_load(&err));
	assert_int_equal(err.code, ERR_CONFIGURATION);
	assert_null(strstr(err.message, "stv_"));

	/* The file that is named wins, under the same rules. */
	write_file(path, token.text, 0600);
	assert_int_equal(setenv("STILE_TOKEN_FILE", path, 1), 0);
	secret = vault_credential_load(&err);
	assert_non_null(secret);
	secret_free(secret);
	assert_int_equal(chmod(path, 0604), 0);
	assert_null(vault_credential_load(&err));
	assert_int_equal(err.code, ERR_PERMISSION_DENIED);
	assert_int_equal(unsetenv("STILE_TOKEN_FILE"), 0);

	assert_ok(vault_credential_remove(&was_there, &err), &err);
	assert_true(was_there);
	assert_ok(vault_credential_remove(&was_there, &err), &err);
	assert_false(was_there);
	(void)rmdir(config);
	(void)rmdir(dir);
	err_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reading_is_recorded_durably_before_it_is_answered),
		cmocka_unit_test(a_killed_writer_leaves_a_sound_vault_with_all_it_acknowledged),
		cmocka_unit_test(writers_at_the_same_time_wait_for_each_other),
		cmocka_unit_test(a_credential_that_others_could_read_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
