/* SPDX-License-Identifier: MIT */
/* Several processes that publish and instantiate at once, and one that is killed meanwhile. */
#include "workspace_unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"

#define PUBLISHERS 4
#define PUBLISHED 10
#define KILLS 20
#define FILES 40
#define DERIVED 20
#define PATIENCE_MS 1500

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

static int publish_many(void *ctx)
{
	struct fixture *f = ctx;
	struct vault *vault = open_again(f->dir, &f->token);

	for (int i = 0; i < PUBLISHED; i++) {
		struct vault_template_version version = { 0 };
		struct err err = ERR_INIT;

		if (vault_template_publish(vault, "article", NULL, &version, &err) < 0)
			return 1;
		vault_template_version_release(&version);
	}
	vault_close(vault);
	return 0;
}

static void those_who_publish_at_once_get_numbers_without_gaps(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_template template = { 0 };
	struct vault_template_version version = { 0 };

	(void)state;
	open_article(&f);
	vault_cleanup(&f.vault);
	assert_int_equal(scratch_race(PUBLISHERS, publish_many, &f), 0);
	f.vault = open_again(f.dir, &f.token);
	assert_ok(
	    vault_template_info(f.vault, "article", 0, NULL, NULL, &template, &version, &f.err),
	    &f.err);
	assert_int_equal(version.number, 1 + PUBLISHERS * PUBLISHED);
	assert_int_equal(version.files, 6);
	assert_int_equal(count_rows(&f, "template_version"), 1 + PUBLISHERS * PUBLISHED);
	vault_template_release(&template);
	vault_template_version_release(&version);
	assert_is_sound(&f);
}

static int instantiate_same(void *ctx)
{
	struct fixture *f = ctx;
	struct vault *vault = open_again(f->dir, &f->token);
	struct vault_workspace made = { 0 };
	struct err err = ERR_INIT;
	int result = vault_instantiate(vault, "article", 0, "/w", TOPIC, &made, &err);

	if (result < 0 && err.code != ERR_ALREADY_EXISTS)
		_exit(4);
	vault_close(vault);
	return result == 0 ? 0 : 1;
}

static void of_those_who_make_the_same_workspace_one_does(void **state)
{
	cleanup_fixture struct fixture f;

	(void)state;
	open_article(&f);
	vault_cleanup(&f.vault);
	assert_int_equal(scratch_race(4, instantiate_same, &f), 3);
	f.vault = open_again(f.dir, &f.token);
	assert_int_equal(count_rows(&f, "workspace"), 1);
	assert_is_sound(&f);
}

/* ---- a source that changes ---- */

static int change_for_ever(void *ctx)
{
	const struct fixture *f = ctx;
	struct vault *vault = open_again(f->dir, &f->token);
	struct err err = ERR_INIT;

	for (int i = 0;; i++) {
		cleanup_free char *text = xasprintf("%d {{client}}", i);

		if (put_text(vault, "/w/changing.md", text, &err) < 0)
			return 1;
	}
}

/* Whatever came meanwhile: a hole that was to be filled is filled, or nothing is made. */
static void what_changes_while_it_is_filled_is_a_conflict_or_filled(void **state)
{
	static const struct vault_value value = { "client", "Acme" };
	cleanup_fixture struct fixture f;
	struct scratch_child child;

	(void)state;
	open_article(&f);
	instantiate(&f, "/w");
	assert_ok(put_text(f.vault, "/w/changing.md", "{{client}}", &f.err), &f.err);
	child = scratch_start(change_for_ever, &f, NULL);
	for (int i = 0; i < DERIVED; i++) {
		cleanup_free char *ref = xasprintf("/d%d", i);
		cleanup_free char *file = xasprintf("/d%d/changing.md", i);
		cleanup_free char *text = NULL;
		struct vault_workspace made = { 0 };

		if (vault_derive(f.vault, "/w", ref, &value, 1, &made, &f.err) < 0) {
			assert_int_equal(f.err.code, ERR_CONFLICT);
			assert_true(f.err.retryable);
			continue;
		}
		vault_workspace_release(&made);
		text = get_text(f.vault, file, NULL, &f.err);
		assert_null(strstr(text, "{{"));
		assert_non_null(strstr(text, "Acme"));
	}
	(void)kill(child.pid, SIGKILL);
	assert_int_equal(scratch_end(&child), -1);
	assert_is_sound(&f);
}

/* ---- a process that is killed ---- */

/* Makes workspaces until it is killed; each that is acknowledged is told, one byte. */
static void make_until_killed(const struct fixture *f, int round, int fd)
{
	struct vault *vault = open_again(f->dir, &f->token);

	for (int i = 0;; i++) {
		cleanup_free char *ref = xasprintf("/w%d-%d", round, i);
		struct vault_workspace made = { 0 };
		struct err err = ERR_INIT;

		if (vault_instantiate(vault, "article", 0, ref, TOPIC, &made, &err) < 0)
			_exit(4);
		vault_workspace_release(&made);
		if (write(fd, "x", 1) != 1)
			_exit(5);
	}
}

static int kill_one(const struct fixture *f, int round)
{
	int fds[2];
	int status;
	int count = 1;
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		make_until_killed(f, round, fds[1]);
	(void)close(fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	(void)usleep((useconds_t)(round * 977 % 9000));
	(void)kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	while (read(fds[0], &byte, 1) == 1)
		count++;
	(void)close(fds[0]);
	return count;
}

/* Each workspace that is there is there whole. */
static void assert_all_whole(struct fixture *f, int64_t before)
{
	int64_t workspaces = count_rows(f, "workspace");

	assert_int_equal(count_rows(f, "entry WHERE kind = 3"), workspaces);
	assert_int_equal(count_rows(f, "entry"), before + workspaces * (1 + 7 + 6 + FILES));
}

static void whoever_is_killed_meanwhile_leaves_whole_workspaces_or_none(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_gc gc = { 0 };
	int64_t before;
	int64_t acknowledged = 0;

	(void)state;
	open_article(&f);
	for (int i = 0; i < FILES; i++) {
		cleanup_free char *ref = xasprintf("/t/shared/%d", i);
		cleanup_free char *text = xasprintf("%d {{topic}}", i);

		assert_ok(put_text(f.vault, ref, text, &f.err), &f.err);
	}
	publish(&f);
	before = count_rows(&f, "entry");
	for (int round = 0; round < (int)unit_many(KILLS); round++) {
		vault_cleanup(&f.vault);
		acknowledged += kill_one(&f, round);
		f.vault = open_again(f.dir, &f.token);
		assert_true(count_rows(&f, "workspace") >= acknowledged);
		assert_all_whole(&f, before);
	}
	assert_ok(vault_gc(f.vault, NULL, NULL, &gc, &f.err), &f.err);
	assert_is_sound(&f);
}

static void a_lock_is_waited_for_once_and_then_the_answer_says_why(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_entry entry = { 0 };
	struct vault *writer;
	int64_t began_ms;

	(void)state;
	open_fixture(&f);
	writer = open_again(f.dir, &f.token);
	assert_int_equal(sql_set_patience(f.vault->sql, PATIENCE_MS), 10000);
	assert_ok(vault_batch_begin(writer, "a test", &f.err), &f.err);
	began_ms = clock_monotonic_ms();
	assert_int_equal(vault_entry_info(f.vault, "/", VAULT_WANT_ANY, &entry, &f.err), -1);
	assert_in_range(clock_monotonic_ms() - began_ms, PATIENCE_MS / 2, 2 * PATIENCE_MS - 1);
	assert_int_equal(f.err.code, ERR_UNAVAILABLE);
	assert_non_null(strstr(f.err.message, "another process"));
	assert_int_equal(sql_set_patience(f.vault->sql, PATIENCE_MS), PATIENCE_MS);
	vault_close(writer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_who_publish_at_once_get_numbers_without_gaps),
		cmocka_unit_test(of_those_who_make_the_same_workspace_one_does),
		cmocka_unit_test(what_changes_while_it_is_filled_is_a_conflict_or_filled),
		cmocka_unit_test(whoever_is_killed_meanwhile_leaves_whole_workspaces_or_none),
		cmocka_unit_test(a_lock_is_waited_for_once_and_then_the_answer_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
