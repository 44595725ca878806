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

static char git_log[] = "git_log";
static char git_show[] = "git_show";
static char *granted[] = { git_log, git_show, NULL };
static const struct gate_scope unscoped = { 0 };
static const struct gate_scope empty = { .has_scope = true, .rank = GATE_RANK_MANAGE };
static const struct gate_scope scoped = {
	.has_scope = true, .rank = GATE_RANK_WRITE, .tools = { .items = granted, .len = 2 }
};
static const struct strvec nobody = { 0 };

static struct gate_tool read_tool(void)
{
	return (struct gate_tool){ .surface = "git", .name = "git_log", .rank = GATE_RANK_READ };
}

static void a_hidden_tool_is_never_shown(void **state)
{
	struct gate_tool tool = read_tool();

	(void)state;
	tool.is_hidden = true;
	tool.is_discovery = true;
	assert_false(gate_scope_shows(&tool, &unscoped, &nobody));
	assert_false(gate_scope_shows(&tool, &scoped, &nobody));
}

static void a_tool_that_executes_needs_the_launch_option(void **state)
{
	struct gate_tool tool = read_tool();
	cleanup_strvec struct strvec allowed = STRVEC_INIT;

	(void)state;
	tool.executes_any = true;
	strvec_push(&allowed, "pass");
	assert_false(gate_scope_shows(&tool, &unscoped, &nobody));
	assert_false(gate_scope_shows(&tool, &unscoped, &allowed));
	strvec_push(&allowed, "git");
	assert_true(gate_scope_shows(&tool, &unscoped, &allowed));
}

static void a_scoped_surface_shows_only_discovery_without_a_scope(void **state)
{
	struct gate_tool tool = read_tool();

	(void)state;
	tool.is_scoped = true;
	assert_false(gate_scope_shows(&tool, &unscoped, &nobody));
	tool.is_discovery = true;
	assert_true(gate_scope_shows(&tool, &unscoped, &nobody));
}

static void a_scope_hides_what_no_contract_names(void **state)
{
	struct gate_tool tool = read_tool();

	(void)state;
	assert_true(gate_scope_shows(&tool, &unscoped, &nobody));
	assert_false(gate_scope_shows(&tool, &empty, &nobody));
	assert_true(gate_scope_shows(&tool, &scoped, &nobody));
	for (size_t i = 0; i < 4; i++) {
		static const char *const names[] = { "git_lo", "git_log2", "a", "" };

		tool.name = names[i];
		assert_false(gate_scope_shows(&tool, &scoped, &nobody));
	}
}

static void a_scope_hides_what_the_rank_does_not_reach(void **state)
{
	struct gate_tool tool = read_tool();
	struct gate_scope scope = scoped;

	(void)state;
	for (enum gate_rank rank = GATE_RANK_NONE; rank <= GATE_RANK_MANAGE; rank++) {
		for (enum gate_rank needed = GATE_RANK_READ; needed <= GATE_RANK_MANAGE; needed++) {
			scope.rank = rank;
			tool.rank = needed;
			assert_int_equal(gate_scope_shows(&tool, &scope, &nobody), rank >= needed);
		}
	}
	scope.rank = GATE_RANK_NONE;
	tool.rank = GATE_RANK_NONE;
	assert_false(gate_scope_shows(&tool, &scope, &nobody));
}

static void a_scope_hides_discovery_tools_that_the_contract_does_not_name(void **state)
{
	struct gate_tool tool = read_tool();

	(void)state;
	tool.is_discovery = true;
	assert_false(gate_scope_shows(&tool, &empty, &nobody));
	tool.is_scoped = true;
	assert_false(gate_scope_shows(&tool, &empty, &nobody));
	assert_true(gate_scope_shows(&tool, &scoped, &nobody));
	tool.is_hidden = true;
	assert_false(gate_scope_shows(&tool, &scoped, &nobody));
}

static void the_contract_of_a_folder_grants_only_discovery_of_a_scoped_surface(void **state)
{
	struct gate_tool tool = read_tool();
	struct gate_scope scope = scoped;

	(void)state;
	tool.is_scoped = true;
	assert_true(gate_scope_shows(&tool, &scope, &nobody));
	scope.is_folder = true;
	assert_false(gate_scope_shows(&tool, &scope, &nobody));
	tool.is_discovery = true;
	assert_true(gate_scope_shows(&tool, &scope, &nobody));
	assert_false(gate_scope_shows(&tool, &empty, &nobody));
}

static void a_contract_is_no_way_round_the_launch_options(void **state)
{
	struct gate_tool tool = read_tool();

	(void)state;
	tool.executes_any = true;
	assert_false(gate_scope_shows(&tool, &scoped, &nobody));
	tool.executes_any = false;
	tool.is_hidden = true;
	assert_false(gate_scope_shows(&tool, &scoped, &nobody));
}

static void ranks_have_names(void **state)
{
	enum gate_rank rank = GATE_RANK_WRITE;

	(void)state;
	assert_false(gate_rank_parse("", &rank));
	assert_false(gate_rank_parse("Read", &rank));
	assert_false(gate_rank_parse("owner", &rank));
	assert_int_equal(rank, GATE_RANK_WRITE);
	for (enum gate_rank each = GATE_RANK_NONE; each <= GATE_RANK_MANAGE; each++) {
		assert_true(gate_rank_parse(gate_rank_name(each), &rank));
		assert_int_equal(rank, each);
	}
}

/* ---- the write gate ---- */

static struct gate_write write_facts(void)
{
	return (struct gate_write){
		.surface = "git",
		.tool = "git_commit",
		.is_write_allowed = true,
		.can_ask = true,
	};
}

static const struct gate_config no_config = { 0 };

static enum err_code denied(const struct gate_write *facts, const struct gate_config *config)
{
	cleanup_err struct err err = ERR_INIT;

	assert_int_equal(gate_write_decide(facts, config, &err), GATE_DENY);
	return err.code;
}

static enum gate_decision decided(const struct gate_write *facts, const struct gate_config *config)
{
	cleanup_err struct err err = ERR_INIT;
	enum gate_decision decision = gate_write_decide(facts, config, &err);

	assert_int_equal(decision == GATE_DENY, err_is_set(&err));
	return decision;
}

static void a_read_is_permitted_whatever_else(void **state)
{
	struct gate_write facts = { .surface = "git", .tool = "git_log", .is_read = true };

	(void)state;
	assert_int_equal(decided(&facts, &no_config), GATE_PERMIT);
}

static void writing_is_off_unless_the_launch_allows_it(void **state)
{
	struct gate_write facts = write_facts();

	(void)state;
	facts.is_write_allowed = false;
	facts.is_noninteractive_allowed = true;
	assert_int_equal(denied(&facts, &no_config), ERR_WRITE_DISABLED);
}

static void confirm_false_is_a_veto_and_confirm_true_is_nothing(void **state)
{
	struct gate_write facts = write_facts();

	(void)state;
	facts.is_vetoed = true;
	assert_int_equal(denied(&facts, &no_config), ERR_WRITE_DECLINED);
	facts.is_noninteractive_allowed = true;
	facts.can_ask = false;
	assert_int_equal(denied(&facts, &no_config), ERR_WRITE_DECLINED);
}

static void a_write_asks_a_person_who_can_be_asked(void **state)
{
	struct gate_write facts = write_facts();

	(void)state;
	assert_int_equal(decided(&facts, &no_config), GATE_ASK);
	facts.is_noninteractive_allowed = true;
	assert_int_equal(decided(&facts, &no_config), GATE_ASK);
}

static void nobody_to_ask_is_a_refusal_and_never_a_yes(void **state)
{
	struct gate_write facts = write_facts();

	(void)state;
	facts.can_ask = false;
	assert_int_equal(denied(&facts, &no_config), ERR_WRITE_CONFIRMATION_UNAVAILABLE);
	facts.is_noninteractive_allowed = true;
	assert_int_equal(decided(&facts, &no_config), GATE_PERMIT);
}

static void what_destroys_always_asks(void **state)
{
	struct gate_write facts = write_facts();

	(void)state;
	facts.is_destroy = true;
	facts.can_ask = false;
	facts.is_noninteractive_allowed = true;
	assert_int_equal(denied(&facts, &no_config), ERR_WRITE_CONFIRMATION_UNAVAILABLE);
	facts.can_ask = true;
	assert_int_equal(decided(&facts, &no_config), GATE_ASK);
}

static void a_waiver_holds_for_its_tool_and_surface_alone(void **state)
{
	char waived[] = "git_commit";
	char *items[] = { waived, NULL };
	char name[] = "git";
	struct gate_surface_config settings = {
		.name = name,
		.waive = { .items = items, .len = 1 },
	};
	const struct gate_config config = { .surfaces = &settings, .surfaces_len = 1 };
	struct gate_write facts = write_facts();

	(void)state;
	facts.is_destroy = true;
	assert_int_equal(decided(&facts, &config), GATE_PERMIT);
	facts.tool = "git_reset";
	assert_int_equal(decided(&facts, &config), GATE_ASK);
	facts.tool = "git_commit";
	facts.surface = "other";
	assert_int_equal(decided(&facts, &config), GATE_ASK);
	facts.surface = "git";
	facts.is_write_allowed = false;
	assert_int_equal(denied(&facts, &config), ERR_WRITE_DISABLED);
}

static void open_writes_count_from_the_file_or_the_host(void **state)
{
	char name[] = "git";
	struct gate_surface_config settings = { .name = name, .is_open = true };
	const struct gate_config config = { .surfaces = &settings, .surfaces_len = 1 };
	struct gate_write facts = write_facts();

	(void)state;
	facts.is_write_allowed = false;
	assert_int_equal(decided(&facts, &config), GATE_PERMIT);
	facts.is_open = true;
	assert_int_equal(decided(&facts, &no_config), GATE_PERMIT);
}

static void a_tool_by_policy_is_permitted_here_unless_it_is_vetoed(void **state)
{
	struct gate_write facts = write_facts();

	(void)state;
	facts.is_write_allowed = false;
	facts.is_destroy = true;
	facts.is_by_policy = true;
	assert_int_equal(decided(&facts, &no_config), GATE_PERMIT);
	facts.is_vetoed = true;
	assert_int_equal(denied(&facts, &no_config), ERR_WRITE_DECLINED);
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

static void the_config_names_surfaces_and_waivers(void **state)
{
	cleanup_err struct err err = ERR_INIT;
	struct gate_config config = GATE_CONFIG_INIT;
	struct gate_write facts = write_facts();
	char *dir = make_folder();

	(void)state;
	put(dir, "config.yaml",
	    "surfaces:\n  git: {waive: [git_commit]}\n  notes: {writes: open}\n", 0600);
	assert_ok(gate_config_load(dir, &config, &err), &err);
	assert_int_equal(decided(&facts, &config), GATE_PERMIT);
	facts.surface = "notes";
	facts.is_write_allowed = false;
	assert_int_equal(decided(&facts, &config), GATE_PERMIT);
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
		{ "surfaces: {git: {writes: elicit}}\n", 0600, ERR_CONFIGURATION },
		{ "surfaces: {git: {waived: [x]}}\n", 0600, ERR_CONFIGURATION },
		{ "surfaces: {git: {waive: x}}\n", 0600, ERR_CONFIGURATION },
		{ "surfaces: [git]\n", 0600, ERR_CONFIGURATION },
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
		struct gate_gitconfig config = { "/r/.git", "/r", GATE_ID_SIZE };
		cleanup_err struct err err = ERR_INIT;

		if (gate_repository_check_config(texts[i], strlen(texts[i]), &config, &err) == 0)
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
		"[extensions]\n\tobjectFormat = md5\n",
		"[extensions]\n\tobjectFormat\n",
		"[extensions \"x\"]\n\tobjectFormat = sha256\n",
		"[extensions.x]\n\tobjectFormat = sha256\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct gate_gitconfig config = { "/r/.git", "/r", GATE_ID_SIZE };
		cleanup_err struct err err = ERR_INIT;

		if (gate_repository_check_config(texts[i], strlen(texts[i]), &config, &err) == 0)
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
	struct gate_gitconfig config = { "/r/.git", "/r", GATE_ID_SIZE };
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(gate_repository_check_config(text, sizeof(text) - 1, &config, &err), &err);
	assert_int_equal(config.id_size, 20);
}

static void a_configuration_tells_the_length_of_ids(void **state)
{
	static const char text[] = "[extensions]\n\tobjectFormat = sha1\n\tobjectformat = sha256\n";
	struct gate_gitconfig config = { "/r/.git", "/r", GATE_ID_SIZE };
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(gate_repository_check_config(text, sizeof(text) - 1, &config, &err), &err);
	assert_int_equal(config.id_size, 32);
}

/* An index of one entry, with ids of 20 bytes; mode's two low bytes and the name are given. */
static void make_index(
    struct buf *ret_index, unsigned char version, const char *mode, const char *name)
{
	char head[12] = { 'D', 'I', 'R', 'C', 0, 0, 0, (char)version, 0, 0, 0, 1 };
	char entry[62] = { 0 };
	static const char zeros[20];

	memcpy(entry + 26, mode, 2);
	entry[60] = (char)(strlen(name) >> 8);
	entry[61] = (char)strlen(name);
	buf_add(ret_index, head, sizeof(head));
	buf_add(ret_index, entry, sizeof(entry));
	if (version == 4)
		buf_addc(ret_index, '\0');
	buf_add(ret_index, name, strlen(name));
	buf_addc(ret_index, '\0');
	while (version < 4 && (ret_index->len - sizeof(head)) % 8 != 0)
		buf_addc(ret_index, '\0');
	buf_add(ret_index, zeros, sizeof(zeros));
}

static void an_index_that_is_cut_anywhere_is_refused(void **state)
{
	struct gate_index found = GATE_INDEX_INIT;
	cleanup_buf struct buf index = BUF_INIT;

	(void)state;
	make_index(&index, 2, "\xe0\x00", "deep/sub");
	while (index.len > 0) {
		buf_truncate(&index, index.len - 1);
		assert_int_equal(gate_index_read(&index, GATE_ID_SIZE, &found), -1);
	}
	assert_int_equal(found.submodules.len, 0);
	assert_int_equal(found.folders.len, 0);
}

static void an_index_tells_its_submodules_and_folders(void **state)
{
	(void)state;
	for (unsigned char version = 2; version <= 4; version++) {
		struct gate_index found = GATE_INDEX_INIT;
		cleanup_buf struct buf file = BUF_INIT;
		cleanup_buf struct buf link = BUF_INIT;

		make_index(&file, version, "\x81\xa4", "a.txt");
		make_index(&link, version, "\xe0\x00", "very/deep/sub");
		assert_int_equal(gate_index_read(&file, GATE_ID_SIZE, &found), 0);
		assert_int_equal(found.submodules.len, 0);
		assert_int_equal(found.folders.len, 0);
		assert_int_equal(gate_index_read(&link, GATE_ID_SIZE, &found), 0);
		assert_int_equal(found.submodules.len, 1);
		assert_string_equal(found.submodules.items[0], "very/deep/sub");
		assert_int_equal(found.folders.len, 2);
		assert_string_equal(found.folders.items[0], "very");
		assert_string_equal(found.folders.items[1], "very/deep");
		gate_index_release(&found);
	}
}

static void an_index_with_a_name_that_git_never_writes_is_refused(void **state)
{
	static const char *const names[] = { "/etc/passwd", "../x", "a/../x", "..", "./a", "a//b",
		".git/config", "sub/.GIT/config" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		for (unsigned char version = 2; version <= 4; version++) {
			struct gate_index found = GATE_INDEX_INIT;
			cleanup_buf struct buf index = BUF_INIT;

			make_index(&index, version, "\x81\xa4", names[i]);
			assert_int_equal(gate_index_read(&index, GATE_ID_SIZE, &found), -1);
			gate_index_release(&found);
		}
	}
}

/* git takes the length from the flags: what it reads behind a shorter one are other entries. */
static void an_index_whose_lengths_differ_from_its_names_is_refused(void **state)
{
	(void)state;
	for (unsigned char version = 2; version <= 4; version++) {
		struct gate_index found = GATE_INDEX_INIT;
		cleanup_buf struct buf index = BUF_INIT;

		make_index(&index, version, "\x81\xa4", "a.txt");
		index.data[12 + 61]--;
		assert_int_equal(gate_index_read(&index, GATE_ID_SIZE, &found), -1);
		gate_index_release(&found);
	}
}

/* An index of version 4: a submodule with a name of 4095 bytes, and so many more that repeat it. */
static int read_repeated(unsigned repeats, size_t *ret_len)
{
	struct gate_index found = GATE_INDEX_INIT;
	cleanup_buf struct buf index = BUF_INIT;
	cleanup_buf struct buf name = BUF_INIT;
	cleanup_buf struct buf one = BUF_INIT;
	int result;

	for (size_t i = 0; i < 4095; i++)
		buf_addc(&name, 'n');
	make_index(&one, 4, "\xe0\x00", name.data);
	one.data[10] = (char)((repeats + 1) >> 8);
	one.data[11] = (char)(repeats + 1);
	buf_add(&index, one.data, one.len - 20);
	for (unsigned i = 0; i < repeats; i++) {
		buf_add(&index, one.data + 12, 63); /* nothing of the name before is taken away … */
		buf_addc(&index, '\0');             /* … and nothing added */
	}
	buf_add(&index, one.data + one.len - 20, 20);
	result = gate_index_read(&index, GATE_ID_SIZE, &found);
	*ret_len = found.submodules.len;
	gate_index_release(&found);
	return result;
}

static void an_index_cannot_make_us_keep_a_name_without_end(void **state)
{
	size_t len = 0;

	(void)state;
	assert_int_equal(read_repeated(20, &len), 0);
	assert_int_equal(len, 21);
	assert_int_equal(read_repeated(4095, &len), 0);
	assert_int_equal(read_repeated(4096, &len), -1);
	assert_int_equal(len, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_hidden_tool_is_never_shown),
	cmocka_unit_test(a_tool_that_executes_needs_the_launch_option),
	cmocka_unit_test(a_scoped_surface_shows_only_discovery_without_a_scope),
	cmocka_unit_test(a_scope_hides_what_no_contract_names),
	cmocka_unit_test(a_scope_hides_what_the_rank_does_not_reach),
	cmocka_unit_test(a_scope_hides_discovery_tools_that_the_contract_does_not_name),
	cmocka_unit_test(the_contract_of_a_folder_grants_only_discovery_of_a_scoped_surface),
	cmocka_unit_test(a_contract_is_no_way_round_the_launch_options),
	cmocka_unit_test(ranks_have_names),
	cmocka_unit_test(a_read_is_permitted_whatever_else),
	cmocka_unit_test(writing_is_off_unless_the_launch_allows_it),
	cmocka_unit_test(confirm_false_is_a_veto_and_confirm_true_is_nothing),
	cmocka_unit_test(a_write_asks_a_person_who_can_be_asked),
	cmocka_unit_test(nobody_to_ask_is_a_refusal_and_never_a_yes),
	cmocka_unit_test(what_destroys_always_asks),
	cmocka_unit_test(a_waiver_holds_for_its_tool_and_surface_alone),
	cmocka_unit_test(open_writes_count_from_the_file_or_the_host),
	cmocka_unit_test(a_tool_by_policy_is_permitted_here_unless_it_is_vetoed),
	cmocka_unit_test(the_config_names_surfaces_and_waivers),
	cmocka_unit_test(a_missing_config_trusts_nothing),
	cmocka_unit_test(trusted_folders_hold_what_is_below_them_and_nothing_beside),
	cmocka_unit_test(a_broken_config_is_an_error_and_not_an_empty_one),
	cmocka_unit_test(a_configuration_that_names_a_program_is_refused),
	cmocka_unit_test(a_configuration_that_cannot_be_read_is_refused),
	cmocka_unit_test(an_ordinary_configuration_is_accepted),
	cmocka_unit_test(a_configuration_tells_the_length_of_ids),
	cmocka_unit_test(an_index_that_is_cut_anywhere_is_refused),
	cmocka_unit_test(an_index_cannot_make_us_keep_a_name_without_end),
	cmocka_unit_test(an_index_tells_its_submodules_and_folders),
	cmocka_unit_test(an_index_with_a_name_that_git_never_writes_is_refused),
	cmocka_unit_test(an_index_whose_lengths_differ_from_its_names_is_refused),
};

UNIT_MAIN(tests)
