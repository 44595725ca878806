/* SPDX-License-Identifier: MIT */
/* Finding: what fits is found, what may not be read is not, and the index follows the heads. */
#include "vault_unit.h"

static int note_hit(
    void *ctx, const struct vault_entry *entry, const char *snippet, struct err *err)
{
	(void)err;
	buf_addf(ctx, "%s%s%s\n", entry->path, snippet == NULL ? "" : ": ",
	    snippet == NULL ? "" : snippet);
	return 0;
}

static void assert_finds(struct vault *vault, const struct vault_find *find, const char *wanted)
{
	cleanup_buf struct buf out = BUF_INIT;
	struct err err = ERR_INIT;

	assert_ok(vault_find(vault, find, note_hit, &out, NULL, &err), &err);
	assert_string_equal(out.data, wanted);
}

static void fill(struct fixture *f)
{
	static const struct vault_metadata draft[] = { { "state", "draft" }, { "team", "x" } };

	make_folder(f->vault, "/a", NULL);
	make_folder(f->vault, "/b", NULL);
	assert_ok(put_text(f->vault, "/a/plan.md", "the quick brown fox", &f->err), &f->err);
	assert_ok(put_text(f->vault, "/a/list.csv", "fox;fox;\nfox\n", &f->err), &f->err);
	assert_ok(put_text(f->vault, "/b/plan.txt", "nothing of the kind", &f->err), &f->err);
	assert_ok(vault_tag_add(f->vault, "/a/plan.md", "hot", &f->err), &f->err);
	assert_ok(vault_tag_add(f->vault, "/b/plan.txt", "hot", &f->err), &f->err);
	assert_ok(vault_metadata_set(f->vault, "/a/plan.md", draft, 2, &f->err), &f->err);
}

static void each_criterion_narrows(void **state)
{
	static const struct vault_metadata is_draft[] = { { "state", "draft" } };
	static const struct vault_metadata has_team[] = { { "team", NULL } };
	static const struct vault_metadata is_final[] = { { "state", "final" } };
	cleanup_strvec struct strvec hot = STRVEC_INIT;
	cleanup_fixture struct fixture f;

	(void)state;
	open_fixture(&f);
	fill(&f);
	strvec_push(&hot, "hot");
	assert_finds(f.vault, &(struct vault_find){ 0 }, "/a/list.csv\n/a/plan.md\n/b/plan.txt\n");
	assert_finds(f.vault, &(struct vault_find){ .name = "plan*" }, "/a/plan.md\n/b/plan.txt\n");
	assert_finds(
	    f.vault, &(struct vault_find){ .name = "plan*", .folder = "/b" }, "/b/plan.txt\n");
	assert_finds(
	    f.vault, &(struct vault_find){ .name = "*n.*", .folder = "/a" }, "/a/plan.md\n");
	assert_finds(f.vault, &(struct vault_find){ .folder = "/" },
	    "/a/list.csv\n/a/plan.md\n/b/plan.txt\n");
	assert_finds(f.vault, &(struct vault_find){ .media_type = "text/m*" }, "/a/plan.md\n");
	assert_finds(f.vault, &(struct vault_find){ .tags = &hot }, "/a/plan.md\n/b/plan.txt\n");
	assert_finds(f.vault,
	    &(struct vault_find){ .tags = &hot, .metadata = is_draft, .metadata_len = 1 },
	    "/a/plan.md\n");
	assert_finds(f.vault, &(struct vault_find){ .metadata = has_team, .metadata_len = 1 },
	    "/a/plan.md\n");
	assert_finds(f.vault, &(struct vault_find){ .metadata = is_final, .metadata_len = 1 }, "");
	assert_finds(f.vault, &(struct vault_find){ .until_us = 1 }, "");
	assert_finds(
	    f.vault, &(struct vault_find){ .since_us = 1, .name = "*.csv" }, "/a/list.csv\n");
}

static void words_are_found_best_first_with_what_stands_around_them(void **state)
{
	cleanup_fixture struct fixture f;

	(void)state;
	open_fixture(&f);
	fill(&f);
	assert_finds(f.vault, &(struct vault_find){ .text = "fox" },
	    "/a/list.csv: [fox];[fox]; [fox]\n/a/plan.md: the quick brown [fox]\n");
	assert_finds(f.vault, &(struct vault_find){ .text = "BROWN qui*" },
	    "/a/plan.md: the [quick] [brown] fox\n");
	assert_finds(f.vault, &(struct vault_find){ .text = "fox", .name = "*.md" },
	    "/a/plan.md: the quick brown [fox]\n");
	assert_finds(f.vault, &(struct vault_find){ .text = "fox", .limit = 1 },
	    "/a/list.csv: [fox];[fox]; [fox]\n");
}

/* The index has a language of its own, which nobody typed. */
static void operators_are_words(void **state)
{
	static const char *const words[] = { "fox OR kind", "fox NOT brown", "NEAR(fox brown)",
		"body:fox", "fox\"", "\"", "(", "^fox -", "*" };
	cleanup_fixture struct fixture f;
	cleanup_buf struct buf out = BUF_INIT;

	(void)state;
	open_fixture(&f);
	fill(&f);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		assert_ok(vault_find(f.vault, &(struct vault_find){ .text = words[i], .limit = 1 },
			      note_hit, &out, NULL, &f.err),
		    &f.err);
	assert_fails(vault_find(f.vault, &(struct vault_find){ .text = " \t" }, note_hit, &out,
			 NULL, &f.err),
	    &f.err, ERR_INVALID_ARGUMENT);
	assert_fails(vault_find(f.vault, &(struct vault_find){ .text = "\xff" }, note_hit, &out,
			 NULL, &f.err),
	    &f.err, ERR_INVALID_ARGUMENT);
}

static void the_index_follows_the_heads_and_the_trash(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_entry entry = { 0 };
	struct vault_purged purged = { 0 };
	int64_t rows = 0;

	(void)state;
	open_fixture(&f);
	fill(&f);
	assert_finds(f.vault, &(struct vault_find){ .text = "quick" },
	    "/a/plan.md: the [quick] brown fox\n");
	assert_ok(put_text(f.vault, "/a/plan.md", "slow", &f.err), &f.err);
	assert_finds(f.vault, &(struct vault_find){ .text = "quick" }, "");
	assert_finds(f.vault, &(struct vault_find){ .text = "slow" }, "/a/plan.md: [slow]\n");
	assert_ok(vault_trash(f.vault, "/a", VAULT_WANT_FOLDER, &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	assert_finds(f.vault, &(struct vault_find){ .text = "slow" }, "");
	assert_ok(vault_restore(f.vault, "/a", VAULT_WANT_FOLDER, &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	assert_ok(sql_exec(f.vault->sql, "DELETE FROM text_index; DELETE FROM text_file", &f.err),
	    &f.err);
	assert_finds(f.vault, &(struct vault_find){ .text = "slow" }, "");
	assert_ok(vault_repair_index(f.vault, &f.err), &f.err);
	assert_finds(f.vault, &(struct vault_find){ .text = "slow" }, "/a/plan.md: [slow]\n");
	assert_ok(vault_trash(f.vault, "/a", VAULT_WANT_FOLDER, &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	assert_ok(vault_purge(f.vault, "/a", VAULT_WANT_FOLDER, &purged, &f.err), &f.err);
	assert_ok(
	    store_int(f.vault, "SELECT count(*) FROM text_file", NULL, 0, &rows, &f.err), &f.err);
	assert_int_equal(rows, 1);
}

static void what_may_not_be_read_is_not_found(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;
	cleanup_vault struct vault *other = NULL;
	cleanup_buf struct buf out = BUF_INIT;
	cleanup_free char *wanted = NULL;
	struct vault_entry folder = { 0 };
	struct vault_token_text token;
	bool is_more = true;

	(void)state;
	open_fixture(&f);
	fill(&f);
	agent = open_as(&f, "agent");
	assert_finds(agent, &(struct vault_find){ 0 }, "");
	assert_ok(vault_grant_set(f.vault, "/b", "agent", VAULT_READ, &f.err), &f.err);
	assert_ok(vault_entry_info(f.vault, "/b", VAULT_WANT_ANY, &folder, &f.err), &f.err);
	wanted = xasprintf("%s/plan.txt\n", folder.id);
	vault_entry_release(&folder);
	assert_finds(agent, &(struct vault_find){ .name = "plan*" }, wanted);
	assert_finds(agent, &(struct vault_find){ .text = "fox" }, "");
	assert_ok(
	    vault_find(agent, &(struct vault_find){ .limit = 1 }, note_hit, &out, &is_more, &f.err),
	    &f.err);
	assert_false(is_more); /* what it may not read does not count */
	assert_fails(
	    vault_find(agent, &(struct vault_find){ .folder = "/a" }, note_hit, &out, NULL, &f.err),
	    &f.err, ERR_NOT_FOUND);
	other = vault_open(f.dir, &f.err);
	assert_ok(vault_init(other, "other", "owner", &token, &f.err), &f.err);
	assert_finds(other, &(struct vault_find){ .text = "fox" }, "");
	assert_finds(other, &(struct vault_find){ 0 }, "");
	assert_fails(vault_repair_index(agent, &f.err), &f.err, ERR_PERMISSION_DENIED);
}

/* Damage is told by those who read; it keeps nobody from searching. */
static void damaged_text_does_not_stop_the_search(void **state)
{
	cleanup_fixture struct fixture f;

	(void)state;
	open_fixture(&f);
	fill(&f);
	assert_ok(sql_exec(f.vault->sql, "DELETE FROM chunk WHERE id = 1", &f.err), &f.err);
	assert_finds(f.vault, &(struct vault_find){ .text = "kind" },
	    "/b/plan.txt: nothing of the [kind]\n");
}

/* More than one transaction of the index takes. */
static void hundreds_of_files_and_large_ones_are_all_indexed(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_free char *large = xcalloc(900001, 1);
	int64_t waiting = -1;
	int64_t rows = 0;

	(void)state;
	open_fixture(&f);
	memset(large, ' ', 900000);
	for (int i = 0; i < 300; i++) {
		cleanup_free char *ref = xasprintf("/f%d", i);

		(void)snprintf(large, 16, "word%d", i);
		large[strlen(large)] = ' ';
		large[i % 50 == 0 ? 900000 : 20] = '\0';
		assert_ok(put_text(f.vault, ref, large, &f.err), &f.err);
		large[i % 50 == 0 ? 900000 : 20] = i % 50 == 0 ? '\0' : ' ';
	}
	assert_finds(f.vault, &(struct vault_find){ .text = "word299" }, "/f299: [word299]\n");
	assert_finds(f.vault, &(struct vault_find){ .text = "word250" }, "/f250: [word250]\n");
	assert_ok(
	    store_int(f.vault, "SELECT count(*) FROM text_pending", NULL, 0, &waiting, &f.err),
	    &f.err);
	assert_int_equal(waiting, 0);
	assert_ok(
	    store_int(f.vault, "SELECT count(*) FROM text_file", NULL, 0, &rows, &f.err), &f.err);
	assert_int_equal(rows, 300);
}

/* A store of the first format has files and no index. */
static void a_store_without_an_index_gets_one(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_secret struct secret *secret = NULL;

	(void)state;
	open_fixture(&f);
	fill(&f);
	secret = secret_of(&f.token);
	assert_ok(sql_exec(f.vault->sql,
		      UNDO_SCHEMA_4 UNDO_SCHEMA_3 UNDO_SCHEMA_2 "PRAGMA user_version = 1", &f.err),
	    &f.err);
	vault_cleanup(&f.vault);
	f.vault = vault_open(f.dir, &f.err);
	assert_non_null(f.vault);
	assert_ok(vault_bind(f.vault, secret, &f.err), &f.err);
	assert_finds(f.vault, &(struct vault_find){ .text = "brown" },
	    "/a/plan.md: the quick [brown] fox\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_criterion_narrows),
		cmocka_unit_test(words_are_found_best_first_with_what_stands_around_them),
		cmocka_unit_test(operators_are_words),
		cmocka_unit_test(the_index_follows_the_heads_and_the_trash),
		cmocka_unit_test(what_may_not_be_read_is_not_found),
		cmocka_unit_test(damaged_text_does_not_stop_the_search),
		cmocka_unit_test(hundreds_of_files_and_large_ones_are_all_indexed),
		cmocka_unit_test(a_store_without_an_index_gets_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
