/* SPDX-License-Identifier: MIT */
/* Scope, the write gate and the host's config.yaml. */
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strvec.h"
#include "gate/gate.h"

static const struct gate_subject unscoped = { .caller = "mcp" };
static const struct gate_subject scoped = { .caller = "mcp", .workspace = "ws1", .stage = "draft" };
static const struct strvec nobody = { 0 };

static struct gate_tool read_tool(void)
{
	return (struct gate_tool){ .surface = "git", .name = "git_log", .is_read = true };
}

static void a_hidden_tool_is_never_shown(void **state)
{
	struct gate_tool tool = read_tool();

	(void)state;
	tool.is_hidden = true;
	tool.is_discovery = true;
	assert_false(gate_scope_shows(&unscoped, &tool, &nobody));
	assert_false(gate_scope_shows(&scoped, &tool, &nobody));
}

static void a_tool_that_executes_needs_the_launch_option(void **state)
{
	struct gate_tool tool = read_tool();
	cleanup_strvec struct strvec allowed = STRVEC_INIT;

	(void)state;
	tool.executes_any = true;
	strvec_push(&allowed, "pass");
	assert_false(gate_scope_shows(&unscoped, &tool, &nobody));
	assert_false(gate_scope_shows(&unscoped, &tool, &allowed));
	strvec_push(&allowed, "git");
	assert_true(gate_scope_shows(&unscoped, &tool, &allowed));
}

static void a_scoped_surface_shows_only_discovery_without_a_scope(void **state)
{
	struct gate_tool tool = read_tool();

	(void)state;
	tool.is_scoped = true;
	assert_false(gate_scope_shows(&unscoped, &tool, &nobody));
	tool.is_discovery = true;
	assert_true(gate_scope_shows(&unscoped, &tool, &nobody));
}

static void a_scope_hides_what_no_contract_names(void **state)
{
	struct gate_tool tool = read_tool();

	(void)state;
	assert_true(gate_scope_shows(&unscoped, &tool, &nobody));
	assert_false(gate_scope_shows(&scoped, &tool, &nobody));
}

static void a_write_is_denied_while_nobody_can_be_asked(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	struct gate_tool tool = read_tool();

	(void)state;
	assert_int_equal(gate_write_decide(&unscoped, &tool, false, &err), GATE_PERMIT);
	tool.is_read = false;
	assert_int_equal(gate_write_decide(&unscoped, &tool, false, &err), GATE_DENY);
	assert_int_equal(err.code, ERR_WRITE_CONFIRMATION_UNAVAILABLE);
	assert_int_equal(gate_write_decide(&unscoped, &tool, true, &err), GATE_DENY);
	assert_int_equal(err.code, ERR_WRITE_DECLINED);
}

/* ---- config.yaml ---- */

static char *make_folder(void)
{
	char *path = xstrdup("/tmp/stile-gate-XXXXXX");

	assert_non_null(mkdtemp(path));
	return path;
}

static void put(const char *dir, const char *name, const char *text, mode_t mode)
{
	cleanup_free char *path = xasprintf("%s/%s", dir, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	(void)fputs(text, file);
	(void)fclose(file);
	assert_int_equal(chmod(path, mode), 0);
}

static void drop(char *dir)
{
	static const char *const names[] = { "config.yaml", "trust.yaml" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		cleanup_free char *path = xasprintf("%s/%s", dir, names[i]);

		(void)unlink(path);
	}
	(void)rmdir(dir);
	free(dir);
}

static void a_missing_config_trusts_nothing(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	struct gate_config config = GATE_CONFIG_INIT;
	char *dir = make_folder();

	(void)state;
	assert_ok(gate_config_load(dir, &config, &err), &err);
	assert_false(gate_config_trusts(&config, "/home/me/work"));
	gate_config_release(&config);
	drop(dir);
}

static void trusted_folders_hold_what_is_below_them_and_nothing_beside(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	struct gate_config config = GATE_CONFIG_INIT;
	char *dir = make_folder();

	(void)state;
	put(dir, "config.yaml", "trusted_folders: [/home/me/work/]\n", 0600);
	assert_ok(gate_config_load(dir, &config, &err), &err);
	assert_true(gate_config_trusts(&config, "/home/me/work"));
	assert_true(gate_config_trusts(&config, "/home/me/work/a/b"));
	assert_false(gate_config_trusts(&config, "/home/me/workshop"));
	assert_false(gate_config_trusts(&config, "/home/me"));
	gate_config_release(&config);
	drop(dir);
}

static void a_broken_config_is_an_error_and_not_an_empty_one(void **state)
{
	static const struct {
		const char *text;
		mode_t mode;
		enum err_code code;
	} cases[] = {
		{ "trusted_folders: [/a]\n", 0666, ERR_PERMISSION_DENIED },
		{ "trusted_folder: [/a]\n", 0600, ERR_CONFIGURATION },
		{ "trusted_folders: [a]\n", 0600, ERR_CONFIGURATION },
		{ "trusted_folders: /a\n", 0600, ERR_CONFIGURATION },
		{ "- 1\n", 0600, ERR_CONFIGURATION },
		{ "a: 1\na: 2\n", 0600, ERR_PARSE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cleanup_err struct err err = ERR_INIT;
		struct gate_config config = GATE_CONFIG_INIT;
		char *dir = make_folder();

		put(dir, "config.yaml", cases[i].text, cases[i].mode);
		assert_fails(gate_config_load(dir, &config, &err), &err, cases[i].code);
		drop(dir);
	}
}

/* ---- git configuration ---- */

static void a_configuration_that_names_a_program_is_refused(void **state)
{
	static const char *const texts[] = {
		"[core]\n\tsshCommand = evil\n",
		"[core]\n\tSSHCOMMAND\n",
		"[CORE]\n\tsshcommand = evil\n",
		"[core] sshCommand = evil\n",
		"[core]\r\n\tgitProxy = evil\r\n",
		"[filter \"x\"]\n\tclean = evil\n",
		"[filter.x]\n\tsmudge = evil\n",
		"[filter \"a\\\"b\"]\n\tprocess = evil\n",
		"[diff \"x\"]\n\tcommand = evil\n",
		"[diff \"x\"]\n\ttextconv = evil\n",
		"[diff]\n\texternal = evil\n",
		"[merge \"x\"]\n\tdriver = evil\n",
		"[include]\n\tpath = /tmp/x\n",
		"[includeIf \"gitdir:/\"]\n\tpath = /tmp/x\n",
		"[gpg]\n\tprogram = evil\n",
		"[gpg \"ssh\"]\n\tprogram = evil\n",
		"[credential]\n\thelper = !evil\n",
		"[remote \"origin\"]\n\tuploadpack = evil\n",
		"[remote \"origin\"]\n\tvcs = ext\n",
		"[submodule \"x\"]\n\tupdate = !evil\n",
		"[core]\n\tworktree = /\n",
		"\xef\xbb\xbf[core]\n\taskPass = evil\n",
		"# a comment\n; another\n[core]\n\tx = \"a # b\" \\\n c\n\tsshCommand = evil\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		cleanup_err struct err err = ERR_INIT;

		if (gate_repository_check_config(
			texts[i], strlen(texts[i]), "/r/.git", "/r", &err) == 0)
			fail_msg("accepted: %s", texts[i]);
		assert_int_equal(err.code, ERR_REPOSITORY_UNTRUSTED);
	}
}

static void a_configuration_that_cannot_be_read_is_refused(void **state)
{
	static const char *const texts[] = {
		"[core\n",
		"[core \"x]\n",
		"[]\n",
		"key = outside a section\n",
		"[core]\n\tx = \"open\n",
		"[core]\n\tx = \\q\n",
		"[core]\n\t1x = y\n",
		"[core]\n\tx ! y\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		cleanup_err struct err err = ERR_INIT;

		if (gate_repository_check_config(
			texts[i], strlen(texts[i]), "/r/.git", "/r", &err) == 0)
			fail_msg("accepted: %s", texts[i]);
	}
}

static void an_ordinary_configuration_is_accepted(void **state)
{
	static const char text[] =
	    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
	    "\thooksPath = .husky/_ ; switched off by fixed arguments\n\tfsmonitor\n"
	    "[remote \"origin\"]\n\turl = \"https://example.org/a.git\"\n"
	    "\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
	    "[branch \"main\"] remote = origin\n\tmerge = refs/heads/main\n"
	    "[user]\n\tname = Ada \\\"the\\\" Countess\n\temail = ada@example.org # work\n"
	    "[alias]\n\tst = status\n[submodule \"x\"]\n\tupdate = rebase\n\tactive = true\n";
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(
	    gate_repository_check_config(text, sizeof(text) - 1, "/r/.git", "/r", &err), &err);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_hidden_tool_is_never_shown),
	cmocka_unit_test(a_tool_that_executes_needs_the_launch_option),
	cmocka_unit_test(a_scoped_surface_shows_only_discovery_without_a_scope),
	cmocka_unit_test(a_scope_hides_what_no_contract_names),
	cmocka_unit_test(a_write_is_denied_while_nobody_can_be_asked),
	cmocka_unit_test(a_missing_config_trusts_nothing),
	cmocka_unit_test(trusted_folders_hold_what_is_below_them_and_nothing_beside),
	cmocka_unit_test(a_broken_config_is_an_error_and_not_an_empty_one),
	cmocka_unit_test(a_configuration_that_names_a_program_is_refused),
	cmocka_unit_test(a_configuration_that_cannot_be_read_is_refused),
	cmocka_unit_test(an_ordinary_configuration_is_accepted),
};

UNIT_MAIN(tests)
