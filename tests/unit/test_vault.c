/* SPDX-License-Identifier: MIT */
/* Who may come in, folders, files, trash: refusals first. Content and care: test_vault_content.c;
 * ranks: test_vault_rank.c. */
#include "vault_unit.h"

#include "base/clock.h"

/* ---- coming in ---- */

static void without_a_token_nothing_is_done(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *stranger = NULL;
	struct vault_whoami whoami = { 0 };

	(void)state;
	open_fixture(&f);
	stranger = vault_open(f.dir, &f.err);
	assert_non_null(stranger);
	assert_fails(vault_whoami(stranger, &whoami, &f.err), &f.err, ERR_UNAUTHENTICATED);
	assert_null(vault_stage_bytes(stranger, "x", 1, &f.err));
	assert_int_equal(f.err.code, ERR_UNAUTHENTICATED);
	assert_fails(put_text(stranger, "/a", "x", &f.err), &f.err, ERR_UNAUTHENTICATED);
}

static void a_vault_that_is_not_there_is_not_made(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_null(vault_open("/tmp/stile-there-is-none", &err));
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_int_equal(access("/tmp/stile-there-is-none", F_OK), -1);
	err_release(&err);
}

static void a_second_organization_of_that_name_is_refused(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *other = NULL;
	struct vault_token_text token;

	(void)state;
	open_fixture(&f);
	other = vault_open(f.dir, &f.err);
	assert_fails(
	    vault_init(other, "acme", "thief", &token, &f.err), &f.err, ERR_ALREADY_EXISTS);
	assert_ok(vault_init(other, "other", "owner", &token, &f.err), &f.err);
}

/* One text for all, so that it tells nothing. */
static void an_unknown_expired_or_revoked_token_binds_nothing(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_principal principal = { 0 };
	struct vault_token token = { 0 };
	struct vault_token_text text = { "stv_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" };
	cleanup_secret struct secret *unknown = secret_of(&text);
	cleanup_secret struct secret *issued = NULL;
	cleanup_vault struct vault *vault = NULL;
	cleanup_free char *message = NULL;

	(void)state;
	open_fixture(&f);
	vault = vault_open(f.dir, &f.err);
	assert_non_null(unknown);
	assert_fails(vault_bind(vault, unknown, &f.err), &f.err, ERR_UNAUTHENTICATED);
	message = xstrdup(f.err.message);

	assert_ok(vault_principal_add(f.vault, "agent", VAULT_AGENT, &principal, &f.err), &f.err);
	assert_ok(
	    vault_token_issue(f.vault, "agent", clock_wall_us() + 200000, &token, &text, &f.err),
	    &f.err);
	issued = secret_of(&text);
	assert_ok(vault_bind(vault, issued, &f.err), &f.err);
	while (clock_wall_us() < token.expires_us)
		continue;
	assert_fails(vault_bind(vault, issued, &f.err), &f.err, ERR_UNAUTHENTICATED);
	assert_string_equal(f.err.message, message);

	vault_token_release(&token);
	secret_cleanup(&issued);
	assert_ok(vault_token_issue(f.vault, "agent", 0, &token, &text, &f.err), &f.err);
	issued = secret_of(&text);
	assert_ok(vault_bind(vault, issued, &f.err), &f.err);
	vault_principal_release(&principal);
	assert_ok(vault_principal_disable(f.vault, "agent", &principal, &f.err), &f.err);
	assert_fails(vault_bind(vault, issued, &f.err), &f.err, ERR_UNAUTHENTICATED);
	assert_string_equal(f.err.message, message);
	vault_token_release(&token);
	vault_principal_release(&principal);
}

static void a_revoked_token_binds_nothing(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_token token = { 0 };
	struct vault_token revoked = { 0 };
	struct vault_token_text text;
	cleanup_secret struct secret *issued = NULL;

	(void)state;
	open_fixture(&f);
	assert_ok(vault_token_issue(f.vault, NULL, 0, &token, &text, &f.err), &f.err);
	issued = secret_of(&text);
	assert_ok(vault_bind(f.vault, issued, &f.err), &f.err);
	assert_ok(vault_token_revoke(f.vault, token.id, &revoked, &f.err), &f.err);
	assert_true(revoked.revoked_us > 0);
	assert_fails(vault_bind(f.vault, issued, &f.err), &f.err, ERR_UNAUTHENTICATED);
	vault_token_release(&token);
	vault_token_release(&revoked);
}

static void only_the_hash_of_a_token_is_kept(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_free char *path = NULL;
	cleanup_buf struct buf bytes = BUF_INIT;
	FILE *file;
	int c;

	(void)state;
	open_fixture(&f);
	path = xasprintf("%s/vault.db", f.dir);
	assert_int_equal(strlen(f.token.text), 47);
	assert_ok(sql_exec(f.vault->sql, "PRAGMA wal_checkpoint(TRUNCATE)", &f.err), &f.err);
	file = fopen(path, "rb");
	assert_non_null(file);
	while ((c = getc(file)) != EOF)
		buf_addc(&bytes, (char)c);
	(void)fclose(file);
	assert_true(bytes.len > 4096);
	assert_null(memmem(bytes.data, bytes.len, f.token.text + 4, 43));
}

static void others_tokens_and_principals_are_for_those_who_manage_the_root(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;
	struct vault_principal principal = { 0 };
	struct vault_token token = { 0 };
	struct vault_token_text text;
	cleanup_free char *message = NULL;

	(void)state;
	open_fixture(&f);
	agent = open_as(&f, "agent");
	assert_fails(vault_principal_add(agent, "x", VAULT_AGENT, &principal, &f.err), &f.err,
	    ERR_PERMISSION_DENIED);
	assert_fails(vault_principal_disable(agent, "owner", &principal, &f.err), &f.err,
	    ERR_PERMISSION_DENIED);
	assert_fails(vault_token_issue(agent, "owner", 0, &token, &text, &f.err), &f.err,
	    ERR_PERMISSION_DENIED);
	message = xstrdup(f.err.message);
	assert_fails(vault_token_issue(agent, "nobody", 0, &token, &text, &f.err), &f.err,
	    ERR_PERMISSION_DENIED);
	assert_string_equal(f.err.message, message);
	assert_fails(
	    vault_token_revoke(agent, f.vault->token, &token, &f.err), &f.err, ERR_NOT_FOUND);
	assert_fails(
	    vault_principal_disable(f.vault, "owner", &principal, &f.err), &f.err, ERR_CONFLICT);
	assert_fails(vault_principal_add(f.vault, "agent", VAULT_AGENT, &principal, &f.err), &f.err,
	    ERR_ALREADY_EXISTS);
}

/* ---- names and folders ---- */

static void names_that_no_name_may_be_are_refused(void **state)
{
	static const char *const bad[] = { "/.", "/..", "/a/../b", "/\x01", "/a\nb", "/\xff",
		"/\x7f", "relative", "", "fol_short", "/a\xe2\x80\xa8" };
	cleanup_fixture struct fixture f;
	struct vault_entry entry = { 0 };
	char longest[258];

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/a", NULL);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_fails(vault_folder_create(f.vault, bad[i], &entry, &f.err), &f.err,
		    ERR_INVALID_ARGUMENT);
	longest[0] = '/';
	memset(longest + 1, 'x', 256);
	longest[257] = '\0';
	assert_fails(
	    vault_folder_create(f.vault, longest, &entry, &f.err), &f.err, ERR_INVALID_ARGUMENT);
	longest[256] = '\0';
	make_folder(f.vault, longest, NULL);
}

static void a_name_is_kept_and_found_in_its_composed_form(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_entry entry = { 0 };

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/cafe\xcc\x81", NULL);
	assert_ok(
	    vault_entry_info(f.vault, "/caf\xc3\xa9", VAULT_WANT_FOLDER, &entry, &f.err), &f.err);
	assert_string_equal(entry.name, "caf\xc3\xa9");
	vault_entry_release(&entry);
	assert_fails(vault_folder_create(f.vault, "/caf\xc3\xa9", &entry, &f.err), &f.err,
	    ERR_ALREADY_EXISTS);
}

static void a_name_is_unique_among_folders_and_files(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_entry entry = { 0 };

	(void)state;
	open_fixture(&f);
	assert_ok(put_text(f.vault, "/plan", "x", &f.err), &f.err);
	assert_fails(
	    vault_folder_create(f.vault, "/plan", &entry, &f.err), &f.err, ERR_ALREADY_EXISTS);
	make_folder(f.vault, "/team", NULL);
	assert_fails(put_text(f.vault, "/team", "x", &f.err), &f.err, ERR_INVALID_ARGUMENT);
	assert_fails(vault_rename(f.vault, "/team", VAULT_WANT_ANY, "plan", &entry, &f.err), &f.err,
	    ERR_ALREADY_EXISTS);
}

static void a_folder_does_not_move_below_itself(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_entry entry = { 0 };

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/a", NULL);
	make_folder(f.vault, "/a/b", NULL);
	assert_fails(vault_move(f.vault, "/a", VAULT_WANT_FOLDER, "/a/b", &entry, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
	assert_fails(vault_move(f.vault, "/a", VAULT_WANT_FOLDER, "/a", &entry, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
	assert_fails(vault_move(f.vault, "/", VAULT_WANT_FOLDER, "/a", &entry, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
	assert_ok(vault_move(f.vault, "/a/b", VAULT_WANT_FOLDER, "/", &entry, &f.err), &f.err);
	assert_string_equal(entry.path, "/b");
	vault_entry_release(&entry);
}

static void folders_nest_sixty_four_deep_and_no_deeper(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_buf struct buf path = BUF_INIT;
	struct vault_entry entry = { 0 };

	(void)state;
	open_fixture(&f);
	for (int i = 0; i < 64; i++)
		buf_adds(&path, "/d");
	assert_ok(vault_folder_ensure(f.vault, path.data, &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	buf_adds(&path, "/d");
	assert_fails(
	    vault_folder_create(f.vault, path.data, &entry, &f.err), &f.err, ERR_INVALID_ARGUMENT);
	assert_fails(
	    vault_folder_ensure(f.vault, path.data, &entry, &f.err), &f.err, ERR_INVALID_ARGUMENT);
	make_folder(f.vault, "/e", NULL);
	assert_fails(vault_move(f.vault, "/d", VAULT_WANT_FOLDER, "/e", &entry, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
}

static void a_tree_is_told_folder_before_what_it_holds(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_list files = { .want = VAULT_WANT_FILE };
	struct vault_list page = { .after = "a", .limit = 1 };
	cleanup_buf struct buf out = BUF_INIT;
	struct vault_entry entry = { 0 };

	(void)state;
	open_fixture(&f);
	assert_ok(vault_folder_ensure(f.vault, "/b/c", &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	make_folder(f.vault, "/a", NULL);
	assert_ok(put_text(f.vault, "/b/c/x", "1", &f.err), &f.err);
	assert_ok(put_text(f.vault, "/b/y", "2", &f.err), &f.err);
	assert_ok(vault_tree(f.vault, "/", 0, note_path, &out, &f.err), &f.err);
	assert_string_equal(out.data, "/a\n/b\n/b/c\n/b/c/x\n/b/y\n");
	buf_reset(&out);
	assert_ok(vault_tree(f.vault, "/b", 1, note_path, &out, &f.err), &f.err);
	assert_string_equal(out.data, "/b/c\n/b/y\n");
	buf_reset(&out);
	assert_ok(vault_list(f.vault, "/b", &files, note_path, &out, &f.err), &f.err);
	assert_string_equal(out.data, "/b/y\n");
	buf_reset(&out);
	assert_ok(vault_list(f.vault, "/", &page, note_path, &out, &f.err), &f.err);
	assert_string_equal(out.data, "/b\n");
}

/* ---- trash ---- */

static void what_is_in_the_trash_is_found_by_no_path_and_can_come_back(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_list trash = { .is_trash = true };
	struct vault_entry entry = { 0 };
	cleanup_buf struct buf out = BUF_INIT;
	cleanup_free char *text = NULL;

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/a", NULL);
	assert_ok(put_text(f.vault, "/a/x", "old", &f.err), &f.err);
	assert_ok(vault_trash(f.vault, "/a", VAULT_WANT_FOLDER, &entry, &f.err), &f.err);
	assert_true(entry.trashed_us > 0);
	vault_entry_release(&entry);
	assert_null(get_text(f.vault, "/a/x", NULL, &f.err));
	assert_int_equal(f.err.code, ERR_NOT_FOUND);
	assert_fails(
	    vault_trash(f.vault, "/a", VAULT_WANT_FOLDER, &entry, &f.err), &f.err, ERR_NOT_FOUND);
	assert_ok(vault_list(f.vault, "/", &trash, note_path, &out, &f.err), &f.err);
	assert_string_equal(out.data, "/a\n");
	make_folder(f.vault, "/a", NULL);
	assert_fails(vault_restore(f.vault, "/a", VAULT_WANT_FOLDER, &entry, &f.err), &f.err,
	    ERR_ALREADY_EXISTS);
	assert_ok(vault_rename(f.vault, "/a", VAULT_WANT_FOLDER, "b", &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	assert_ok(vault_restore(f.vault, "/a", VAULT_WANT_FOLDER, &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	text = get_text(f.vault, "/a/x", NULL, &f.err);
	assert_string_equal(text, "old");
}

static void one_of_several_in_the_trash_is_named_by_its_id(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_entry first = { 0 };
	struct vault_entry entry = { 0 };

	(void)state;
	open_fixture(&f);
	assert_ok(put_text(f.vault, "/x", "1", &f.err), &f.err);
	assert_ok(vault_trash(f.vault, "/x", VAULT_WANT_FILE, &first, &f.err), &f.err);
	assert_ok(put_text(f.vault, "/x", "2", &f.err), &f.err);
	assert_ok(vault_trash(f.vault, "/x", VAULT_WANT_FILE, &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	assert_fails(
	    vault_restore(f.vault, "/x", VAULT_WANT_FILE, &entry, &f.err), &f.err, ERR_CONFLICT);
	assert_ok(vault_restore(f.vault, first.id, VAULT_WANT_FILE, &entry, &f.err), &f.err);
	assert_string_equal(entry.id, first.id);
	vault_entry_release(&first);
	vault_entry_release(&entry);
}

static void purging_takes_only_what_is_in_the_trash_and_all_of_it(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_purged purged = { 0 };
	struct vault_entry entry = { 0 };
	struct vault_fsck report = { 0 };

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/a", NULL);
	make_folder(f.vault, "/a/b", NULL);
	assert_ok(put_text(f.vault, "/a/b/x", "1", &f.err), &f.err);
	assert_ok(put_text(f.vault, "/a/b/x", "2", &f.err), &f.err);
	assert_ok(vault_tag_add(f.vault, "/a/b/x", "draft", &f.err), &f.err);
	assert_fails(
	    vault_purge(f.vault, "/a", VAULT_WANT_FOLDER, &purged, &f.err), &f.err, ERR_CONFLICT);
	assert_ok(vault_trash(f.vault, "/a", VAULT_WANT_FOLDER, &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	assert_ok(vault_purge(f.vault, "/a", VAULT_WANT_FOLDER, &purged, &f.err), &f.err);
	assert_int_equal(purged.folders, 2);
	assert_int_equal(purged.files, 1);
	assert_int_equal(purged.versions, 2);
	assert_ok(vault_fsck(f.vault, NULL, NULL, NULL, &report, &f.err), &f.err);
	assert_int_equal(report.faults, 0);
	assert_int_equal(report.entries, 1);
	assert_int_equal(report.versions, 0);
}

static void add_fault(void *ctx, const char *what)
{
	buf_addf(ctx, "%s\n", what);
}

static void fsck_tells_what_of_the_schema_is_missing_changed_or_strange(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_buf struct buf faults = BUF_INIT;
	struct vault_fsck report = { 0 };

	(void)state;
	open_fixture(&f);
	assert_ok(vault_fsck(f.vault, add_fault, NULL, &faults, &report, &f.err), &f.err);
	assert_int_equal(report.faults, 0);
	assert_ok(
	    sql_exec(f.vault->sql,
		"DROP TRIGGER version_is_not_updated; DROP INDEX tag_by_name;"
		"DROP TRIGGER chunk_is_not_updated;"
		"CREATE TRIGGER chunk_is_not_updated BEFORE UPDATE ON chunk BEGIN SELECT 1; END;"
		"CREATE TRIGGER zeal AFTER INSERT ON version BEGIN SELECT 1; END;",
		&f.err),
	    &f.err);
	assert_ok(vault_fsck(f.vault, add_fault, NULL, &faults, &report, &f.err), &f.err);
	assert_int_equal(report.faults, 4);
	assert_string_equal(faults.data,
	    "the schema was changed: index tag_by_name is missing\n"
	    "the schema was changed: trigger chunk_is_not_updated is not as this program makes it\n"
	    "the schema was changed: trigger version_is_not_updated is missing\n"
	    "the schema was changed: trigger zeal is none of the vault's\n");
}

static void the_store_itself_refuses_to_change_a_version_or_drop_what_lives(void **state)
{
	cleanup_fixture struct fixture f;
	static const char *const refused[] = { "UPDATE version SET message = 'x'",
		"DELETE FROM version", "DELETE FROM entry WHERE kind = 1",
		"UPDATE content SET size = 0", "UPDATE chunk SET size = 0",
		"UPDATE operation_audit_events SET result = 'x'",
		"DELETE FROM operation_audit_events", "UPDATE entry SET org = 'x'",
		/* not by the back door of REPLACE either */
		("INSERT OR REPLACE INTO version SELECT id, file, 7, content, media_type, message,"
		 " author, created_us, parent FROM version") };

	(void)state;
	open_fixture(&f);
	assert_ok(put_text(f.vault, "/x", "1", &f.err), &f.err);
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		assert_fails(sql_exec(f.vault->sql, refused[i], &f.err), &f.err, ERR_CHECK_FAILED);
}

/* ---- contracts ---- */

static void a_contract_takes_manage_and_none_is_changed_from_within(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;
	struct vault_entry entry = { 0 };

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/w", NULL);
	make_folder(f.vault, "/w/01-research", NULL);
	make_folder(f.vault, "/w/notes", NULL);
	assert_ok(put_text(f.vault, "/w/01-research/CONTEXT.md", "1", &f.err), &f.err);
	agent = open_as(&f, "agent");
	assert_ok(vault_grant_set(f.vault, "/w", "agent", VAULT_WRITE, &f.err), &f.err);
	assert_fails(put_text(agent, "/w/01-research/CONTEXT.md", "2", &f.err), &f.err,
	    ERR_PERMISSION_DENIED);
	assert_fails(put_text(agent, "/w/01-x/CONTEXT.md", "2", &f.err), &f.err, ERR_NOT_FOUND);
	assert_ok(put_text(agent, "/w/notes/CONTEXT.md", "2", &f.err), &f.err);

	assert_ok(vault_grant_set(f.vault, "/w", "agent", VAULT_MANAGE, &f.err), &f.err);
	assert_ok(vault_limit(agent, "/w", &f.err), &f.err);
	assert_fails(put_text(agent, "/w/01-research/CONTEXT.md", "2", &f.err), &f.err,
	    ERR_PERMISSION_DENIED);
	assert_fails(
	    vault_trash(agent, "/w/01-research/CONTEXT.md", VAULT_WANT_FILE, &entry, &f.err),
	    &f.err, ERR_PERMISSION_DENIED);
	assert_fails(
	    vault_rename(agent, "/w/01-research", VAULT_WANT_FOLDER, "old", &entry, &f.err), &f.err,
	    ERR_PERMISSION_DENIED);
	assert_fails(vault_rename(agent, "/w/notes", VAULT_WANT_FOLDER, "02-notes", &entry, &f.err),
	    &f.err, ERR_PERMISSION_DENIED);
	assert_fails(vault_move(agent, "/w/notes/CONTEXT.md", VAULT_WANT_FILE, "/w/01-research",
			 &entry, &f.err),
	    &f.err, ERR_PERMISSION_DENIED);
	assert_fails(vault_trash(agent, "/w", VAULT_WANT_FOLDER, &entry, &f.err), &f.err,
	    ERR_PERMISSION_DENIED);
	assert_fails(vault_file_copy(
			 agent, "/w/notes/CONTEXT.md", "/w/01-research/CONTEXT.md", &entry, &f.err),
	    &f.err, ERR_PERMISSION_DENIED);
	assert_ok(put_text(agent, "/w/01-research/notes.md", "2", &f.err), &f.err);
}

static void who_may_not_manage_makes_no_name_that_no_checkout_writes(void **state)
{
	static const char *const refused[] = { "/w/.git", "/w/.GIT", "/w/git~1", "/w/.stile",
		"/w/x\\.git", "/w/.g\xe2\x80\x8bit", "/w/PLAN.md", "/w/pla\xe2\x80\x8bn.md" };
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;
	struct vault_entry entry = { 0 };

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/w", NULL);
	assert_ok(put_text(f.vault, "/w/plan.md", "1", &f.err), &f.err);
	agent = open_as(&f, "agent");
	assert_ok(vault_grant_set(f.vault, "/w", "agent", VAULT_WRITE, &f.err), &f.err);
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		assert_fails(
		    put_text(agent, refused[i], "2", &f.err), &f.err, ERR_INVALID_ARGUMENT);
	assert_non_null(strstr(f.err.message, "takes it for plan.md"));
	assert_fails(vault_folder_ensure(agent, "/w/.git/hooks", &entry, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
	assert_ok(put_text(agent, "/w/plan.md", "2", &f.err), &f.err);
	assert_ok(put_text(f.vault, "/w/.git", "the owner may", &f.err), &f.err);

	assert_ok(vault_grant_set(f.vault, "/w", "agent", VAULT_MANAGE, &f.err), &f.err);
	assert_ok(put_text(agent, "/w/.GIT", "who manages may", &f.err), &f.err);
	assert_ok(put_text(agent, "/w/b", "1", &f.err), &f.err);
	assert_ok(vault_limit(agent, "/w", &f.err), &f.err);
	assert_fails(put_text(agent, "/w/B", "2", &f.err), &f.err, ERR_INVALID_ARGUMENT);
	assert_fails(vault_rename(agent, "/w/b", VAULT_WANT_FILE, ".git.", &entry, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
	assert_fails(vault_rename(agent, "/w/b", VAULT_WANT_FILE, "Plan.md", &entry, &f.err),
	    &f.err, ERR_INVALID_ARGUMENT);
	assert_fails(vault_file_copy(agent, "/w/b", "/w/PLAN.md", &entry, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
	assert_ok(vault_rename(agent, "/w/b", VAULT_WANT_FILE, "B", &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	assert_ok(vault_trash(agent, "/w/B", VAULT_WANT_FILE, &entry, &f.err), &f.err);
	assert_ok(put_text(agent, "/w/b", "2", &f.err), &f.err);
	assert_fails(vault_restore(agent, entry.id, VAULT_WANT_FILE, &entry, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
	vault_entry_release(&entry);
}

static void many_new_names_in_one_transaction_are_held_against_each_other(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;
	struct vault_entry entry = { 0 };
	struct err *err = &f.err;

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/w", NULL);
	make_folder(f.vault, "/w/other", NULL);
	agent = open_as(&f, "agent");
	assert_ok(vault_grant_set(f.vault, "/w", "agent", VAULT_WRITE, err), err);
	assert_ok(vault_batch_begin(agent, "a test", err), err);
	for (int i = 0; i < 200; i++) {
		cleanup_free char *ref = xasprintf("/w/name-%d", i);

		assert_ok(vault_folder_ensure(agent, ref, &entry, err), err);
		vault_entry_release(&entry);
	}
	assert_ok(vault_folder_ensure(agent, "/w/other/NAME-7", &entry, err), err);
	vault_entry_release(&entry);
	assert_fails(
	    vault_folder_ensure(agent, "/w/NAME-7", &entry, err), err, ERR_INVALID_ARGUMENT);
	vault_batch_rollback(agent);
	assert_ok(vault_folder_ensure(agent, "/w/NAME-7", &entry, err), err);
	vault_entry_release(&entry);
}

static void beyond_the_limit_there_is_nothing(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_entry entry = { 0 };
	cleanup_free char *message = NULL;
	char id[ID_TEXT_SIZE];

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/w", NULL);
	make_folder(f.vault, "/other", id);
	assert_ok(vault_limit(f.vault, "/w", &f.err), &f.err);
	assert_fails(
	    vault_entry_info(f.vault, id, VAULT_WANT_ANY, &entry, &f.err), &f.err, ERR_NOT_FOUND);
	assert_fails(vault_entry_info(f.vault, "/other", VAULT_WANT_ANY, &entry, &f.err), &f.err,
	    ERR_NOT_FOUND);
	message = xstrdup(f.err.message);
	message[strcspn(message, ":")] = '\0';
	assert_string_equal(message, "/other");
	assert_fails(
	    vault_entry_info(f.vault, "/", VAULT_WANT_ANY, &entry, &f.err), &f.err, ERR_NOT_FOUND);
	assert_ok(vault_entry_info(f.vault, "/w", VAULT_WANT_ANY, &entry, &f.err), &f.err);
	vault_entry_release(&entry);
}

static void without_a_limit_no_ref_is_relative(void **state)
{
	static const char *const refs[] = { "a", "a/b", "", "fol_short/a", "./a" };
	cleanup_fixture struct fixture f;
	struct vault_entry entry = { 0 };

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/a", NULL);
	for (size_t i = 0; i < ARRAY_LEN(refs); i++) {
		assert_fails(vault_entry_info(f.vault, refs[i], VAULT_WANT_ANY, &entry, &f.err),
		    &f.err, ERR_INVALID_ARGUMENT);
		assert_fails(put_text(f.vault, refs[i], "1", &f.err), &f.err, ERR_INVALID_ARGUMENT);
		assert_fails(vault_folder_ensure(f.vault, refs[i], &entry, &f.err), &f.err,
		    ERR_INVALID_ARGUMENT);
	}
}

static void with_a_limit_other_refs_count_from_its_folder(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_buf struct buf out = BUF_INIT;
	cleanup_buf struct buf wanted = BUF_INIT;
	cleanup_free char *text = NULL;
	struct vault_entry entry = { 0 };
	char id[ID_TEXT_SIZE];

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/w", id);
	make_folder(f.vault, "/a", NULL);
	assert_ok(vault_limit(f.vault, "/w", &f.err), &f.err);
	assert_fails(
	    vault_entry_info(f.vault, "a", VAULT_WANT_ANY, &entry, &f.err), &f.err, ERR_NOT_FOUND);
	assert_fails(vault_entry_info(f.vault, "../a", VAULT_WANT_ANY, &entry, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
	assert_fails(vault_entry_info(f.vault, "", VAULT_WANT_ANY, &entry, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
	/* what has the form of an id is one, and no name of a folder to be made */
	assert_fails(vault_folder_create(f.vault, "fol_00000000000000000000000000", &entry, &f.err),
	    &f.err, ERR_INVALID_ARGUMENT);
	assert_fails(vault_folder_ensure(f.vault, "fol_00000000000000000000000000", &entry, &f.err),
	    &f.err, ERR_NOT_FOUND);
	assert_ok(put_text(f.vault, "x.md", "1", &f.err), &f.err);
	assert_ok(vault_folder_ensure(f.vault, "n", &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	assert_ok(vault_folder_ensure(f.vault, "d/e/", &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	assert_ok(put_text(f.vault, "d/e/y", "2", &f.err), &f.err);
	text = get_text(f.vault, "d/e/y", NULL, &f.err);
	assert_string_equal(text, "2");
	assert_ok(vault_tree(f.vault, "/w", 0, note_path, &out, &f.err), &f.err);
	buf_addf(&wanted, "%s/d\n%s/d/e\n%s/d/e/y\n%s/n\n%s/x.md\n", id, id, id, id, id);
	assert_string_equal(out.data, wanted.data);
}

/* Each way on which a path is handed out, by one who was granted a folder far down. */
static void no_path_names_what_is_above_all_that_may_be_read(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;
	cleanup_buf struct buf out = BUF_INIT;
	cleanup_buf struct buf wanted = BUF_INIT;
	const struct vault_list all = { 0 };
	struct vault_entry entry = { 0 };
	char id[ID_TEXT_SIZE];

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/client", NULL);
	make_folder(f.vault, "/client/merger", id);
	assert_ok(put_text(f.vault, "/client/merger/x", "1", &f.err), &f.err);
	agent = open_as(&f, "agent");
	assert_ok(
	    vault_grant_set(f.vault, "/client/merger", "agent", VAULT_MANAGE, &f.err), &f.err);
	assert_ok(vault_entry_info(agent, id, VAULT_WANT_ANY, &entry, &f.err), &f.err);
	assert_string_equal(entry.path, id);
	assert_null(entry.parent);
	vault_entry_release(&entry);
	buf_addf(&wanted, "%s/x\n", id);
	assert_ok(vault_list(agent, id, &all, note_path, &out, &f.err), &f.err);
	assert_string_equal(out.data, wanted.data);
	buf_reset(&out);
	assert_ok(vault_tree(agent, id, 0, note_path, &out, &f.err), &f.err);
	assert_string_equal(out.data, wanted.data);
	buf_reset(&out);
	buf_truncate(&wanted, wanted.len - 1);
	assert_ok(vault_tag_add(agent, wanted.data, "hot", &f.err), &f.err);
	assert_ok(vault_tag_find(agent, id, "hot", note_path, &out, &f.err), &f.err);
	buf_addc(&wanted, '\n');
	assert_string_equal(out.data, wanted.data);
	assert_ok(vault_rename(agent, id, VAULT_WANT_FOLDER, "deal", &entry, &f.err), &f.err);
	assert_string_equal(entry.path, id);
	assert_null(entry.parent);
	vault_entry_release(&entry);
	/* while its owner goes on seeing all of it */
	assert_ok(vault_entry_info(f.vault, id, VAULT_WANT_ANY, &entry, &f.err), &f.err);
	assert_string_equal(entry.path, "/client/deal");
	assert_non_null(entry.parent);
	vault_entry_release(&entry);
}

static void a_bad_name_is_refused_alike_below_what_is_there_and_what_is_not(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;
	struct vault_entry entry = { 0 };

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/secret", NULL);
	agent = open_as(&f, "agent");
	assert_fails(vault_entry_info(agent, "/secret/a\nb", VAULT_WANT_ANY, &entry, &f.err),
	    &f.err, ERR_INVALID_ARGUMENT);
	assert_fails(vault_entry_info(agent, "/secrex/a\nb", VAULT_WANT_ANY, &entry, &f.err),
	    &f.err, ERR_INVALID_ARGUMENT);
}

/* ---- audit ---- */

static int note_event(void *ctx, const struct vault_event *event, struct err *err)
{
	(void)err;
	buf_addf(ctx, "%s %s\n", event->operation, event->result);
	return 0;
}

static void every_verb_leaves_a_row_refused_or_not(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_event_filter all = { 0 };
	cleanup_buf struct buf out = BUF_INIT;
	struct vault_entry entry = { 0 };
	struct vault_audit_report report = { 0 };

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/a", NULL);
	assert_fails(
	    vault_folder_create(f.vault, "/a", &entry, &f.err), &f.err, ERR_ALREADY_EXISTS);
	assert_ok(vault_entry_info(f.vault, "/a", VAULT_WANT_FOLDER, &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	assert_ok(vault_event_each(f.vault, &all, note_event, &out, &f.err), &f.err);
	assert_string_equal(out.data, "init OK\nfolder create OK\nfolder create ALREADY_EXISTS\n"
				      "folder info OK\naudit list OK\n");
	assert_ok(vault_audit_verify(f.vault, &report, &f.err), &f.err);
	assert_int_equal(report.rows, 5);
}

static void a_changed_row_breaks_the_chain(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_audit_report report = { 0 };

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/a", NULL);
	make_folder(f.vault, "/b", NULL);
	assert_ok(sql_exec(f.vault->sql,
		      "DROP TRIGGER operation_audit_is_not_updated;"
		      "UPDATE operation_audit_events SET target = '/c' WHERE sequence = 2",
		      &f.err),
	    &f.err);
	assert_fails(vault_audit_verify(f.vault, &report, &f.err), &f.err, ERR_CHECK_FAILED);
	assert_non_null(strstr(f.err.message, "audit row 2 "));
}

static void another_organization_is_not_even_counted(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *other = NULL;
	struct vault_token_text token;
	struct vault_entry entry = { 0 };
	struct vault_audit_report report = { 0 };
	struct vault_fsck fsck = { 0 };
	char id[ID_TEXT_SIZE];

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/a", id);
	assert_ok(put_text(f.vault, "/a/x", "secret", &f.err), &f.err);
	other = vault_open(f.dir, &f.err);
	assert_ok(vault_init(other, "other", "owner", &token, &f.err), &f.err);
	assert_fails(
	    vault_entry_info(other, id, VAULT_WANT_ANY, &entry, &f.err), &f.err, ERR_NOT_FOUND);
	assert_fails(vault_grant_set(other, "/", f.vault->principal, VAULT_READ, &f.err), &f.err,
	    ERR_NOT_FOUND);
	assert_ok(vault_audit_verify(other, &report, &f.err), &f.err);
	assert_int_equal(report.rows, 3);
	assert_ok(vault_fsck(other, NULL, NULL, NULL, &fsck, &f.err), &f.err);
	assert_int_equal(fsck.entries, 1);
	assert_int_equal(fsck.contents, 0);
}

/* ---- migrations ---- */

static void a_store_of_a_later_format_is_refused(void **state)
{
	cleanup_fixture struct fixture f;

	(void)state;
	open_fixture(&f);
	assert_ok(sql_exec(f.vault->sql, "PRAGMA user_version = 99", &f.err), &f.err);
	vault_cleanup(&f.vault);
	assert_null(vault_open(f.dir, &f.err));
	assert_int_equal(f.err.code, ERR_UNSUPPORTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_token_nothing_is_done),
		cmocka_unit_test(a_vault_that_is_not_there_is_not_made),
		cmocka_unit_test(a_second_organization_of_that_name_is_refused),
		cmocka_unit_test(an_unknown_expired_or_revoked_token_binds_nothing),
		cmocka_unit_test(a_revoked_token_binds_nothing),
		cmocka_unit_test(only_the_hash_of_a_token_is_kept),
		cmocka_unit_test(others_tokens_and_principals_are_for_those_who_manage_the_root),
		cmocka_unit_test(names_that_no_name_may_be_are_refused),
		cmocka_unit_test(a_name_is_kept_and_found_in_its_composed_form),
		cmocka_unit_test(a_name_is_unique_among_folders_and_files),
		cmocka_unit_test(a_folder_does_not_move_below_itself),
		cmocka_unit_test(folders_nest_sixty_four_deep_and_no_deeper),
		cmocka_unit_test(a_tree_is_told_folder_before_what_it_holds),
		cmocka_unit_test(what_is_in_the_trash_is_found_by_no_path_and_can_come_back),
		cmocka_unit_test(one_of_several_in_the_trash_is_named_by_its_id),
		cmocka_unit_test(purging_takes_only_what_is_in_the_trash_and_all_of_it),
		cmocka_unit_test(fsck_tells_what_of_the_schema_is_missing_changed_or_strange),
		cmocka_unit_test(the_store_itself_refuses_to_change_a_version_or_drop_what_lives),
		cmocka_unit_test(a_contract_takes_manage_and_none_is_changed_from_within),
		cmocka_unit_test(who_may_not_manage_makes_no_name_that_no_checkout_writes),
		cmocka_unit_test(many_new_names_in_one_transaction_are_held_against_each_other),
		cmocka_unit_test(beyond_the_limit_there_is_nothing),
		cmocka_unit_test(without_a_limit_no_ref_is_relative),
		cmocka_unit_test(with_a_limit_other_refs_count_from_its_folder),
		cmocka_unit_test(no_path_names_what_is_above_all_that_may_be_read),
		cmocka_unit_test(a_bad_name_is_refused_alike_below_what_is_there_and_what_is_not),
		cmocka_unit_test(every_verb_leaves_a_row_refused_or_not),
		cmocka_unit_test(a_changed_row_breaks_the_chain),
		cmocka_unit_test(another_organization_is_not_even_counted),
		cmocka_unit_test(a_store_of_a_later_format_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
