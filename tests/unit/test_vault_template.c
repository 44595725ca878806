/* SPDX-License-Identifier: MIT */
/* Templates, workspaces made from them, and where these came from. */
#include "workspace_unit.h"

/* ---- publishing ---- */

static void assert_publish_refused(struct fixture *f, enum err_code code, const char *what)
{
	struct vault_template_version version = { 0 };

	assert_fails(
	    vault_template_publish(f->vault, "article", NULL, &version, &f->err), &f->err, code);
	if (strstr(f->err.message, what) == NULL)
		fail_msg("%s is not in: %s", what, f->err.message);
}

static void a_hole_that_is_not_declared_is_refused_with_its_path(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_template template = { 0 };
	struct vault_template_version version = { 0 };

	(void)state;
	open_article(&f);
	assert_ok(put_text(f.vault, "/t/shared/note.md", "about {{tpoic}}", &f.err), &f.err);
	assert_publish_refused(&f, ERR_INVALID_ARGUMENT, "shared/note.md: {{tpoic}}");
	assert_ok(put_text(f.vault, "/t/shared/note.md", "about {{{{tpoic}}", &f.err), &f.err);
	make_folder(f.vault, "/t/{{year}}", NULL);
	assert_publish_refused(&f, ERR_INVALID_ARGUMENT, "{{year}}: {{year}} is no parameter");
	rename_to(&f, "/t/{{year}}", "year");
	assert_ok(
	    put_text(f.vault, "/t/template.yaml", "parameters:\n  topic: 7\n", &f.err), &f.err);
	assert_publish_refused(&f, ERR_INVALID_ARGUMENT, "template.yaml, line 2: topic");
	/* nothing of it was kept: the article has the version that it was opened with */
	assert_ok(
	    vault_template_info(f.vault, "article", 0, NULL, NULL, &template, &version, &f.err),
	    &f.err);
	assert_int_equal(template.version, 1);
	assert_int_equal(version.files, 6);
	vault_template_release(&template);
	vault_template_version_release(&version);
}

static void what_is_no_text_or_large_has_no_holes(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_free char *large = xcalloc((size_t)TREE_TEXT_MAX + 2, 1);
	cleanup_free char *got = NULL;

	(void)state;
	open_article(&f);
	memset(large, 'x', (size_t)TREE_TEXT_MAX + 1);
	memcpy(large, "{{nobody}}", 10);
	assert_ok(put_text(f.vault, "/t/large.txt", large, &f.err), &f.err);
	assert_ok(put_text(f.vault, "/t/binary", "{{nobody}} \xff", &f.err), &f.err);
	publish(&f);
	instantiate(&f, "/w");
	got = get_text(f.vault, "/w/binary", NULL, &f.err);
	assert_string_equal(got, "{{nobody}} \xff");
}

static void to_publish_takes_manage_and_a_folder_that_lives(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;
	struct vault_template_version version = { 0 };

	(void)state;
	open_article(&f);
	agent = open_as(&f, "agent");
	assert_fails(vault_template_publish(agent, "article", NULL, &version, &f.err), &f.err,
	    ERR_NOT_FOUND);
	assert_ok(vault_grant_set(f.vault, "/t", "agent", VAULT_WRITE, &f.err), &f.err);
	assert_fails(vault_template_publish(agent, "article", NULL, &version, &f.err), &f.err,
	    ERR_PERMISSION_DENIED);
	trash(&f, "/t");
	assert_publish_refused(&f, ERR_CONFLICT, "in the trash");
}

static void only_an_ordinary_folder_becomes_a_template_under_a_free_name(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;
	struct vault_template template = { 0 };

	(void)state;
	open_article(&f);
	instantiate(&f, "/w");
	make_folder(f.vault, "/u", NULL);
	assert_fails(vault_template_create(f.vault, "/t", "other", &template, &f.err), &f.err,
	    ERR_ALREADY_EXISTS);
	assert_fails(vault_template_create(f.vault, "/u", "article", &template, &f.err), &f.err,
	    ERR_ALREADY_EXISTS);
	assert_fails(vault_template_create(f.vault, "/w", NULL, &template, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
	assert_fails(
	    vault_template_create(f.vault, "/w/stages/01-research", NULL, &template, &f.err),
	    &f.err, ERR_INVALID_ARGUMENT);
	assert_fails(vault_template_create(f.vault, "/", "root", &template, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
	assert_fails(vault_template_create(f.vault, "/u", "tpl_x", &template, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
	assert_fails(vault_template_create(f.vault, "/u", "a/b", &template, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
	agent = open_as(&f, "agent");
	assert_ok(vault_grant_set(f.vault, "/u", "agent", VAULT_WRITE, &f.err), &f.err);
	assert_fails(vault_template_create(agent, "/u", NULL, &template, &f.err), &f.err,
	    ERR_PERMISSION_DENIED);
	assert_ok(vault_template_create(f.vault, "/u", NULL, &template, &f.err), &f.err);
	assert_string_equal(template.name, "u");
	vault_template_release(&template);
	assert_fails(vault_instantiate(
			 f.vault, "u", 0, "/v", NULL, 0, &(struct vault_workspace){ 0 }, &f.err),
	    &f.err, ERR_NOT_FOUND);
}

static void the_store_itself_keeps_what_was_published_and_where_it_went(void **state)
{
	cleanup_fixture struct fixture f;
	static const char *const refused[] = { "UPDATE template_version SET message = 'x'",
		"DELETE FROM template_version", "UPDATE template_item SET path = 'x'",
		"DELETE FROM template_item", "DELETE FROM template",
		"UPDATE template SET name = 'x'", "UPDATE workspace SET name = 'x'",
		"DELETE FROM workspace",
		("INSERT INTO template_item SELECT template, number, 'more', NULL, NULL, 0"
		 " FROM template_version"),
		("INSERT OR REPLACE INTO template_version SELECT template, number, 'x', parameters,"
		 " message, author, created_us FROM template_version"),
		("INSERT OR REPLACE INTO workspace SELECT id, org, 'x', template, template_version,"
		 " parent, parameters, created_by, created_us FROM workspace") };

	(void)state;
	open_article(&f);
	instantiate(&f, "/w");
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		assert_fails(sql_exec(f.vault->sql, refused[i], &f.err), &f.err, ERR_CHECK_FAILED);
}

static void a_published_version_outlives_its_source(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;
	cleanup_free char *id = NULL;
	cleanup_free char *text = NULL;
	struct vault_gc gc = { 0 };
	struct vault_workspace made = { 0 };
	struct vault_template again = { 0 };

	(void)state;
	open_article(&f);
	id = template_id(&f, "article");
	assert_ok(put_text(f.vault, "/t/CLAUDE.md", "changed since", &f.err), &f.err);
	agent = open_as(&f, "agent");
	assert_ok(vault_grant_set(f.vault, "/", "agent", VAULT_WRITE, &f.err), &f.err);
	trash(&f, "/t");
	assert_fails(
	    vault_instantiate(agent, id, 0, "/v", TOPIC, &made, &f.err), &f.err, ERR_NOT_FOUND);
	purge(&f, "/t");
	assert_ok(vault_gc(f.vault, NULL, NULL, &gc, &f.err), &f.err);
	assert_int_equal(gc.contents, 2); /* what was changed since, and template.yaml */
	assert_is_sound(&f);
	assert_ok(vault_instantiate(f.vault, id, 1, "/w", TOPIC, &made, &f.err), &f.err);
	vault_workspace_release(&made);
	text = get_text(f.vault, "/w/CLAUDE.md", NULL, &f.err);
	assert_string_equal(text, "# owls\n");
	/* by its name it is no more, and to those who could not have purged it it is not there */
	assert_fails(vault_instantiate(f.vault, "article", 0, "/v", TOPIC, &made, &f.err), &f.err,
	    ERR_NOT_FOUND);
	assert_fails(
	    vault_instantiate(agent, id, 0, "/v", TOPIC, &made, &f.err), &f.err, ERR_NOT_FOUND);
	make_folder(f.vault, "/t", NULL);
	assert_ok(vault_template_create(f.vault, "/t", "article", &again, &f.err), &f.err);
	vault_template_release(&again);
}

static void fsck_misses_what_is_not_on_record(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_fsck fsck = { 0 };

	(void)state;
	open_article(&f);
	assert_ok(sql_exec(f.vault->sql,
		      "UPDATE entry SET kind = 3 WHERE name = 'shared';"
		      "UPDATE entry SET kind = 2 WHERE name = 'empty'",
		      &f.err),
	    &f.err);
	assert_ok(vault_fsck(f.vault, NULL, NULL, NULL, &fsck, &f.err), &f.err);
	assert_int_equal(fsck.faults, 2);
}

static void each_version_is_what_was_there_when_it_was_published(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_workspace made = { 0 };
	cleanup_free char *first = NULL;
	cleanup_free char *second = NULL;

	(void)state;
	open_article(&f);
	assert_ok(put_text(f.vault, "/t/CLAUDE.md", "second: {{topic}}", &f.err), &f.err);
	publish(&f);
	assert_ok(put_text(f.vault, "/t/CLAUDE.md", "not published", &f.err), &f.err);
	assert_ok(vault_instantiate(f.vault, "article", 1, "/one", TOPIC, &made, &f.err), &f.err);
	vault_workspace_release(&made);
	assert_ok(vault_instantiate(f.vault, "article", 0, "/two", TOPIC, &made, &f.err), &f.err);
	assert_int_equal(made.template_version, 2);
	vault_workspace_release(&made);
	assert_fails(vault_instantiate(f.vault, "article", 3, "/three", TOPIC, &made, &f.err),
	    &f.err, ERR_NOT_FOUND);
	first = get_text(f.vault, "/one/CLAUDE.md", NULL, &f.err);
	second = get_text(f.vault, "/two/CLAUDE.md", NULL, &f.err);
	assert_string_equal(first, "# owls\n");
	assert_string_equal(second, "second: owls");
}

/* ---- instantiating ---- */

static void a_workspace_is_the_snapshot_filled_and_shares_its_content(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_buf struct buf tree = BUF_INIT;
	cleanup_free char *text = NULL;
	int64_t before;
	struct vault_entry entry = { 0 };

	(void)state;
	open_article(&f);
	before = count_rows(&f, "content");
	instantiate(&f, "/w");
	assert_ok(vault_tree(f.vault, "/w", 0, note_path, &tree, &f.err), &f.err);
	assert_string_equal(tree.data,
	    "/w/CLAUDE.md\n/w/empty\n/w/shared\n/w/shared/owls.md\n/w/stages\n"
	    "/w/stages/01-research\n/w/stages/01-research/CONTEXT.md\n/w/stages/02-draft\n"
	    "/w/stages/02-draft/CONTEXT.md\n/w/stages/02-draft/output\n"
	    "/w/stages/02-draft/output/keep\n/w/stages/03-none\n/w/stages/03-none/x\n");
	assert_int_equal(count_rows(&f, "content"), before + 1); /* CLAUDE.md alone has a hole */
	text = get_text(f.vault, "/w/CLAUDE.md", NULL, &f.err);
	assert_string_equal(text, "# owls\n");
	assert_ok(vault_entry_info(f.vault, "/w", VAULT_WANT_FOLDER, &entry, &f.err), &f.err);
	assert_int_equal(strncmp(entry.id, "wsp_", 4), 0);
	assert_int_equal(entry.kind, VAULT_WORKSPACE);
	vault_entry_release(&entry);
	assert_ok(
	    vault_entry_info(f.vault, "/w/stages/01-research", VAULT_WANT_FOLDER, &entry, &f.err),
	    &f.err);
	assert_int_equal(strncmp(entry.id, "stg_", 4), 0);
	vault_entry_release(&entry);
	assert_ok(vault_entry_info(f.vault, "/w/stages/03-none", VAULT_WANT_FOLDER, &entry, &f.err),
	    &f.err);
	assert_int_equal(strncmp(entry.id, "fol_", 4), 0);
	vault_entry_release(&entry);
	assert_is_sound(&f);
}

/* Nothing but a row of the audit came of it. */
static void assert_not_made(struct fixture *f, const char *template, const char *target,
    const struct vault_value *values, size_t len, enum err_code code, const char *what)
{
	struct vault_workspace made = { 0 };
	int64_t entries = count_rows(f, "entry");
	int64_t versions = count_rows(f, "version");
	int64_t events = count_rows(f, "operation_audit_events");

	assert_fails(vault_instantiate(f->vault, template, 0, target, values, len, &made, &f->err),
	    &f->err, code);
	if (strstr(f->err.message, what) == NULL)
		fail_msg("%s is not in: %s", what, f->err.message);
	assert_int_equal(count_rows(f, "entry"), entries);
	assert_int_equal(count_rows(f, "version"), versions);
	assert_int_equal(count_rows(f, "workspace"), 0);
	assert_int_equal(count_rows(f, "operation_audit_events"), events + 1);
}

#define VALUES(...)                                                                                \
	(const struct vault_value[]){ __VA_ARGS__ },                                               \
	    sizeof((const struct vault_value[]){ __VA_ARGS__ }) / sizeof(struct vault_value)

static void what_cannot_be_made_whole_is_not_made_at_all(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_free char *long_name = xcalloc(300, 1);

	(void)state;
	open_article(&f);
	memset(long_name, 'x', 299);
	assert_not_made(
	    &f, "article", "/w", NULL, 0, ERR_INVALID_ARGUMENT, "parameter topic is missing");
	assert_not_made(&f, "article", "/w", VALUES({ "topic", "a" }, { "tpoic", "a" }),
	    ERR_INVALID_ARGUMENT, "parameter tpoic");
	assert_not_made(&f, "article", "/w", VALUES({ "topic", "a/b" }), ERR_INVALID_ARGUMENT,
	    "parameter topic, in the name shared/{{topic}}.md");
	assert_not_made(&f, "article", "/w", VALUES({ "topic", "a\nb" }), ERR_INVALID_ARGUMENT,
	    "parameter topic, in the name");
	assert_not_made(&f, "article", "/w", VALUES({ "topic", long_name }), ERR_INVALID_ARGUMENT,
	    "parameter topic, in the name");
	assert_not_made(&f, "article", "/none/w", TOPIC, ERR_NOT_FOUND, "/none");
	assert_not_made(&f, "article", "/t", TOPIC, ERR_ALREADY_EXISTS, "named t");
	assert_not_made(&f, "article", "w", TOPIC, ERR_INVALID_ARGUMENT, "a path from the root");
	assert_not_made(&f, "articel", "/w", TOPIC, ERR_NOT_FOUND, "articel");
	assert_not_made(&f, "/t/shared", "/w", TOPIC, ERR_INVALID_ARGUMENT, "not a template");
	assert_is_sound(&f);
}

static void two_names_that_become_one_are_refused(void **state)
{
	cleanup_fixture struct fixture f;

	(void)state;
	open_article(&f);
	assert_ok(put_text(f.vault, "/t/shared/owls.md", "x", &f.err), &f.err);
	publish(&f);
	assert_not_made(&f, "article", "/w", TOPIC, ERR_ALREADY_EXISTS, "shared/");
	assert_not_made(
	    &f, "article", "/w", VALUES({ "topic", "../x" }), ERR_INVALID_ARGUMENT, "topic");
}

static void to_instantiate_takes_read_on_the_template_and_manage_on_the_target(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;
	struct vault_workspace made = { 0 };

	(void)state;
	open_article(&f);
	make_folder(f.vault, "/in", NULL);
	agent = open_as(&f, "agent");
	assert_ok(vault_grant_set(f.vault, "/in", "agent", VAULT_MANAGE, &f.err), &f.err);
	assert_fails(vault_instantiate(agent, "article", 0, "/in/w", TOPIC, &made, &f.err), &f.err,
	    ERR_NOT_FOUND);
	assert_ok(vault_grant_set(f.vault, "/t", "agent", VAULT_READ, &f.err), &f.err);
	assert_ok(vault_grant_set(f.vault, "/in", "agent", VAULT_WRITE, &f.err), &f.err);
	assert_fails(vault_instantiate(agent, "article", 0, "/in/w", TOPIC, &made, &f.err), &f.err,
	    ERR_PERMISSION_DENIED);
	assert_ok(vault_grant_set(f.vault, "/in", "agent", VAULT_MANAGE, &f.err), &f.err);
	assert_ok(vault_instantiate(agent, "article", 0, "/in/w", TOPIC, &made, &f.err), &f.err);
	assert_int_equal(made.entry.rank, VAULT_MANAGE);
	vault_workspace_release(&made);
	/* whoever made it has no grant of its own there */
	assert_ok(vault_grant_remove(f.vault, "/in", "agent", &f.err), &f.err);
	assert_fails(vault_workspace_info(agent, "/in/w", &made, &f.err), &f.err, ERR_NOT_FOUND);
}

/* ---- within a limit ---- */

static void a_limited_caller_makes_no_contracts_and_reaches_nothing_outside(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_workspace made = { 0 };
	struct vault_template template = { 0 };
	struct vault_template_version version = { 0 };
	struct vault_entry entry = { 0 };

	(void)state;
	open_article(&f);
	instantiate(&f, "/w");
	make_folder(f.vault, "/w/plain", NULL);
	assert_ok(put_text(f.vault, "/w/plain/note", "x", &f.err), &f.err);
	make_folder(f.vault, "/w/work", NULL);
	make_folder(f.vault, "/w/tricky", NULL);
	assert_ok(put_text(f.vault, "/w/tricky/CONTEXT.md", "x", &f.err), &f.err);
	assert_ok(vault_template_create(f.vault, "/w/plain", NULL, &template, &f.err), &f.err);
	vault_template_release(&template);
	assert_ok(vault_template_create(f.vault, "/w/tricky", NULL, &template, &f.err), &f.err);
	vault_template_release(&template);
	assert_ok(vault_limit(f.vault, "/w", &f.err), &f.err);
	assert_fails(vault_instantiate(f.vault, "article", 0, "/w/work/a", TOPIC, &made, &f.err),
	    &f.err, ERR_NOT_FOUND);
	assert_fails(vault_derive(f.vault, "/w", "/w/work/a", NULL, 0, &made, &f.err), &f.err,
	    ERR_PERMISSION_DENIED);
	assert_ok(vault_template_publish(f.vault, "plain", NULL, &version, &f.err), &f.err);
	vault_template_version_release(&version);
	assert_ok(vault_template_publish(f.vault, "tricky", NULL, &version, &f.err), &f.err);
	vault_template_version_release(&version);
	assert_fails(vault_instantiate(f.vault, "plain", 0, "/other", NULL, 0, &made, &f.err),
	    &f.err, ERR_NOT_FOUND);
	assert_ok(
	    vault_instantiate(f.vault, "plain", 0, "/w/work/b", NULL, 0, &made, &f.err), &f.err);
	vault_workspace_release(&made);
	/* its top would be a stage, and CONTEXT.md there a contract */
	assert_fails(
	    vault_instantiate(f.vault, "tricky", 0, "/w/stages/04-new", NULL, 0, &made, &f.err),
	    &f.err, ERR_PERMISSION_DENIED);
	/* nor does a folder `stages` come or go, which would make other folders the stages */
	assert_fails(vault_folder_create(f.vault, "/w/work/b/stages", &entry, &f.err), &f.err,
	    ERR_PERMISSION_DENIED);
	assert_fails(
	    vault_instantiate(f.vault, "plain", 0, "/w/work/b/stages", NULL, 0, &made, &f.err),
	    &f.err, ERR_PERMISSION_DENIED);
	assert_fails(vault_rename(f.vault, "/w/plain", VAULT_WANT_FOLDER, "stages", &entry, &f.err),
	    &f.err, ERR_PERMISSION_DENIED);
	assert_fails(vault_move(f.vault, "/w/stages", VAULT_WANT_FOLDER, "/w/work", &entry, &f.err),
	    &f.err, ERR_PERMISSION_DENIED);
}

/* ---- deriving ---- */

static void a_derived_workspace_is_what_the_other_is_now(void **state)
{
	cleanup_fixture struct fixture f;
	static const struct vault_metadata metadata = { .key = "status", .value = "open" };
	cleanup_buf struct buf tree = BUF_INIT;
	cleanup_buf struct buf tags = BUF_INIT;
	cleanup_free char *text = NULL;
	struct vault_workspace made = { 0 };
	int64_t before;

	(void)state;
	open_article(&f);
	instantiate(&f, "/w");
	assert_ok(
	    put_text(f.vault, "/w/stages/02-draft/CONTEXT.md", "a new contract", &f.err), &f.err);
	assert_ok(put_text(f.vault, "/w/more.md", "{{topic}} {{{{x", &f.err), &f.err);
	trash(&f, "/w/stages/03-none");
	assert_ok(vault_metadata_set(f.vault, "/w/more.md", &metadata, 1, &f.err), &f.err);
	assert_ok(vault_tag_add(f.vault, "/w/more.md", "for-review", &f.err), &f.err);
	before = count_rows(&f, "content");
	assert_ok(vault_derive(f.vault, "/w", "/d", NULL, 0, &made, &f.err), &f.err);
	assert_true(made.is_derived);
	assert_string_equal(made.template_name, "article");
	assert_string_equal(made.parent_name, "w");
	vault_workspace_release(&made);
	assert_int_equal(count_rows(&f, "content"), before);
	assert_ok(vault_tree(f.vault, "/d", 0, note_path, &tree, &f.err), &f.err);
	assert_non_null(strstr(tree.data, "/d/stages/02-draft/CONTEXT.md\n"));
	assert_null(strstr(tree.data, "03-none"));
	text = get_text(f.vault, "/d/stages/02-draft/CONTEXT.md", NULL, &f.err);
	assert_string_equal(text, "a new contract");
	assert_ok(vault_tag_find(f.vault, "/d", "for-review", note_path, &tags, &f.err), &f.err);
	assert_string_equal(tags.data, "/d/more.md\n");
	assert_is_sound(&f);
}

static void values_fill_the_holes_that_stand_in_a_workspace(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_workspace made = { 0 };
	cleanup_free char *text = NULL;
	int64_t entries;

	(void)state;
	open_article(&f);
	instantiate(&f, "/w");
	assert_ok(
	    put_text(f.vault, "/w/{{client}}.md", "{{client}}, {{other}}, {{{{client}}", &f.err),
	    &f.err);
	entries = count_rows(&f, "entry");
	assert_fails(vault_derive(f.vault, "/w", "/d",
			 VALUES({ "client", "Acme" }, { "clinet", "x" }), &made, &f.err),
	    &f.err, ERR_INVALID_ARGUMENT);
	assert_non_null(strstr(f.err.message, "there is no {{clinet}}"));
	assert_fails(vault_derive(f.vault, "/w", "/d", VALUES({ "client", "a/b" }), &made, &f.err),
	    &f.err, ERR_INVALID_ARGUMENT);
	assert_non_null(strstr(f.err.message, "parameter client"));
	assert_int_equal(count_rows(&f, "entry"), entries);
	assert_ok(
	    vault_derive(f.vault, "/w", "/d", VALUES({ "client", "Acme" }), &made, &f.err), &f.err);
	assert_string_equal(made.parameters, "{\"client\":\"Acme\"}");
	vault_workspace_release(&made);
	text = get_text(f.vault, "/d/Acme.md", NULL, &f.err);
	assert_string_equal(text, "Acme, {{other}}, {{{{client}}");
}

static void to_derive_takes_read_on_the_source_and_manage_on_the_target(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;
	struct vault_workspace made = { 0 };

	(void)state;
	open_article(&f);
	instantiate(&f, "/w");
	make_folder(f.vault, "/in", NULL);
	agent = open_as(&f, "agent");
	assert_ok(vault_grant_set(f.vault, "/in", "agent", VAULT_WRITE, &f.err), &f.err);
	assert_fails(
	    vault_derive(agent, "/w", "/in/d", NULL, 0, &made, &f.err), &f.err, ERR_NOT_FOUND);
	assert_ok(vault_grant_set(f.vault, "/w", "agent", VAULT_READ, &f.err), &f.err);
	assert_fails(vault_derive(agent, "/w", "/in/d", NULL, 0, &made, &f.err), &f.err,
	    ERR_PERMISSION_DENIED);
	assert_fails(vault_derive(f.vault, "/t", "/in/d", NULL, 0, &made, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
	assert_ok(vault_grant_set(f.vault, "/in", "agent", VAULT_MANAGE, &f.err), &f.err);
	assert_ok(vault_derive(agent, "/w", "/in/d", NULL, 0, &made, &f.err), &f.err);
	assert_null(made.template); /* which this agent may not see */
	assert_string_equal(made.parent_name, "w");
	vault_workspace_release(&made);
}

/* ---- lineage ---- */

/* "name(template version) …", "?" for what is not visible, "-" for a template that is not. */
static int note_ancestor(void *ctx, const struct vault_workspace *workspace, struct err *err)
{
	(void)err;
	if (workspace->entry.id == NULL) {
		buf_adds(ctx, "? ");
		return 0;
	}
	buf_addf(ctx, "%s(%s %d)%s ", workspace->entry.name,
	    workspace->template_name != NULL ? workspace->template_name : "-",
	    (int)workspace->template_version, workspace->entry.path == NULL ? " purged" : "");
	return 0;
}

static char *lineage(struct vault *vault, const char *ref)
{
	struct buf text = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;

	assert_ok(vault_lineage(vault, ref, note_ancestor, &text, &err), &err);
	return buf_detach(&text);
}

static void assert_lineage(struct vault *vault, const char *ref, const char *wanted)
{
	cleanup_free char *got = lineage(vault, ref);

	assert_string_equal(got, wanted);
}

static void where_a_workspace_came_from_is_kept_for_ever_for_those_who_may_see(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;
	struct vault_workspace made = { 0 };

	(void)state;
	open_article(&f);
	instantiate(&f, "/w1");
	assert_ok(vault_derive(f.vault, "/w1", "/w2", NULL, 0, &made, &f.err), &f.err);
	vault_workspace_release(&made);
	assert_ok(vault_derive(f.vault, "/w2", "/w3", NULL, 0, &made, &f.err), &f.err);
	vault_workspace_release(&made);
	assert_lineage(f.vault, "/w3", "w3(article 1) w2(article 1) w1(article 1) ");
	publish(&f);
	agent = open_as(&f, "agent");
	assert_ok(vault_grant_set(f.vault, "/w3", "agent", VAULT_READ, &f.err), &f.err);
	assert_lineage(agent, "/w3", "w3(- 0) ? ");
	/* one in the trash is for those who may restore it */
	assert_ok(vault_grant_set(f.vault, "/w2", "agent", VAULT_READ, &f.err), &f.err);
	assert_lineage(agent, "/w3", "w3(- 0) w2(- 0) ? ");
	trash(&f, "/w2");
	assert_lineage(agent, "/w3", "w3(- 0) ? ");
	assert_lineage(f.vault, "/w3", "w3(article 1) w2(article 1) w1(article 1) ");
	purge(&f, "/w2");
	trash(&f, "/t");
	purge(&f, "/t");
	assert_lineage(agent, "/w3", "w3(- 0) ? ");
	assert_lineage(f.vault, "/w3", "w3(article 1) w2(article 1) purged w1(article 1) ");
	assert_is_sound(&f);
}

static void only_living_workspaces_that_may_be_read_are_listed(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;
	cleanup_buf struct buf all = BUF_INIT;
	cleanup_buf struct buf own = BUF_INIT;

	(void)state;
	open_article(&f);
	instantiate(&f, "/b");
	instantiate(&f, "/a");
	instantiate(&f, "/c");
	trash(&f, "/c");
	agent = open_as(&f, "agent");
	assert_ok(vault_grant_set(f.vault, "/b/stages", "agent", VAULT_MANAGE, &f.err), &f.err);
	assert_ok(vault_workspace_each(f.vault, note_ancestor, &all, &f.err), &f.err);
	assert_string_equal(all.data, "a(article 1) b(article 1) ");
	assert_ok(vault_workspace_each(agent, note_ancestor, &own, &f.err), &f.err);
	assert_string_equal(own.data, "");
}

/* ---- another organization ---- */

/* What every verb answers to ref, the ref itself taken out; one a line. */
static char *answers(struct vault *vault, const char *ref)
{
	struct buf out = BUF_INIT;
	struct vault_template t = { 0 };
	struct vault_template_version v = { 0 };
	struct vault_workspace w = { 0 };
	struct vault_stage_info s = { 0 };
	cleanup_buf struct buf none = BUF_INIT;

	for (int verb = 0; verb < 8; verb++) {
		cleanup_err struct err err = ERR_INIT;
		int result = 0;
		char *at;

		switch (verb) {
		case 0:
			result = vault_template_create(vault, ref, "n", &t, &err);
			break;
		case 1:
			result = vault_template_publish(vault, ref, NULL, &v, &err);
			break;
		case 2:
			result = vault_template_info(vault, ref, 0, NULL, NULL, &t, &v, &err);
			break;
		case 3:
			result = vault_instantiate(vault, ref, 0, "/n", TOPIC, &w, &err);
			break;
		case 4:
			result = vault_derive(vault, ref, "/n", NULL, 0, &w, &err);
			break;
		case 5:
			result = vault_lineage(vault, ref, note_ancestor, &none, &err);
			break;
		case 6:
			result = vault_workspace_info(vault, ref, &w, &err);
			break;
		default:
			result = vault_stage_show(vault, ref, "01-research", &s, &err);
			break;
		}
		assert_int_equal(result, -1);
		at = strstr(err.message, ref);
		buf_addf(&out, "%s %s\n", err_info(err.code)->wire,
		    at != NULL ? at + strlen(ref) : err.message);
	}
	return buf_detach(&out);
}

static void what_is_foreign_or_not_granted_answers_as_what_is_absent(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *other = NULL;
	cleanup_vault struct vault *agent = NULL;
	struct vault_token_text token;
	cleanup_free char *template = NULL;
	cleanup_free char *workspace = NULL;
	cleanup_buf struct buf listed = BUF_INIT;

	(void)state;
	open_article(&f);
	workspace = instantiate_id(&f, "/w");
	template = template_id(&f, "article");
	other = vault_open(f.dir, &f.err);
	assert_ok(vault_init(other, "other", "owner", &token, &f.err), &f.err);
	agent = open_as(&f, "agent");
	for (int i = 0; i < 2; i++) {
		struct vault *vault = i == 0 ? other : agent;
		cleanup_free char *absent_id = answers(vault, "tpl_00000000000000000000000000");
		cleanup_free char *foreign_id = answers(vault, template);
		cleanup_free char *absent_name = answers(vault, "articel");
		cleanup_free char *foreign_name = answers(vault, "article");
		cleanup_free char *absent_w = answers(vault, "wsp_00000000000000000000000000");
		cleanup_free char *foreign_w = answers(vault, workspace);
		cleanup_free char *absent_path = answers(vault, "/x");
		cleanup_free char *foreign_path = answers(vault, "/w");

		assert_string_equal(absent_id, foreign_id);
		assert_string_equal(absent_name, foreign_name);
		assert_string_equal(absent_w, foreign_w);
		assert_string_equal(absent_path, foreign_path);
		assert_ok(vault_workspace_each(vault, note_ancestor, &listed, &f.err), &f.err);
		assert_ok(vault_template_each(vault, note_template, &listed, &f.err), &f.err);
		assert_string_equal(listed.data, "");
	}
}

/* ---- stages ---- */

static int note_stage(void *ctx, const struct vault_stage_info *stage, struct err *err)
{
	(void)err;
	buf_addf(ctx, "%d:%s ", (int)stage->position, stage->entry.name);
	return 0;
}

static void assert_stages(struct fixture *f, const char *workspace, const char *wanted)
{
	cleanup_buf struct buf got = BUF_INIT;

	assert_ok(vault_stage_each(f->vault, workspace, note_stage, &got, &f->err), &f->err);
	assert_string_equal(got.data, wanted);
}

static void stages_are_what_stands_there_now(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_entry entry = { 0 };

	(void)state;
	open_article(&f);
	instantiate(&f, "/w");
	assert_stages(&f, "/w", "1:01-research 2:02-draft ");
	assert_ok(put_text(f.vault, "/w/stages/03-none/CONTEXT.md", "x", &f.err), &f.err);
	assert_stages(&f, "/w", "1:01-research 2:02-draft 3:03-none ");
	make_folder(f.vault, "/w/stages/plain", NULL);
	assert_ok(put_text(f.vault, "/w/stages/plain/CONTEXT.md", "x", &f.err), &f.err);
	make_folder(f.vault, "/w/stages/04-odd", NULL);
	make_folder(f.vault, "/w/stages/04-odd/CONTEXT.md", NULL);
	make_folder(f.vault, "/w/05-top", NULL);
	assert_ok(put_text(f.vault, "/w/05-top/CONTEXT.md", "x", &f.err), &f.err);
	assert_ok(put_text(f.vault, "/w/stages/06-file", "x", &f.err), &f.err);
	assert_stages(&f, "/w", "1:01-research 2:02-draft 3:03-none ");
	trash(&f, "/w/stages/01-research/CONTEXT.md");
	assert_stages(&f, "/w", "1:02-draft 2:03-none ");
	assert_ok(
	    vault_rename(f.vault, "/w/stages", VAULT_WANT_FOLDER, "old", &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	assert_stages(&f, "/w", "1:05-top ");
	assert_ok(put_text(f.vault, "/w/stages", "a file of that name", &f.err), &f.err);
	assert_stages(&f, "/w", "1:05-top ");
	assert_fails(vault_stage_each(f.vault, "/t", note_stage, NULL, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
}

static void a_stage_is_named_by_its_id_or_its_name_and_no_other_is_found(void **state)
{
	cleanup_fixture struct fixture f;
	static const char *const absent[] = { "03-none", "stages", "02", "", "../w",
		"stg_00000000000000000000000000" };
	cleanup_vault struct vault *agent = NULL;
	struct vault_stage_info stage = { 0 };
	struct vault_stage_info other = { 0 };

	(void)state;
	open_article(&f);
	instantiate(&f, "/w");
	instantiate(&f, "/v");
	assert_ok(vault_stage_show(f.vault, "/w", "02-draft", &stage, &f.err), &f.err);
	assert_int_equal(stage.position, 2);
	assert_int_equal(stage.contract_number, 1);
	assert_int_equal(stage.files, 2);
	assert_int_equal(stage.folders.len, 1);
	assert_string_equal(stage.folders.items[0], "output");
	assert_ok(vault_stage_show(f.vault, "/w", stage.entry.id, &other, &f.err), &f.err);
	assert_string_equal(other.entry.path, "/w/stages/02-draft");
	vault_stage_info_release(&other);
	assert_fails(
	    vault_stage_show(f.vault, "/v", stage.entry.id, &other, &f.err), &f.err, ERR_NOT_FOUND);
	vault_stage_info_release(&stage);
	for (size_t i = 0; i < ARRAY_LEN(absent); i++)
		assert_int_equal(vault_stage_show(f.vault, "/w", absent[i], &stage, &f.err), -1);
	agent = open_as(&f, "agent");
	assert_ok(vault_grant_set(f.vault, "/w", "agent", VAULT_READ, &f.err), &f.err);
	assert_ok(
	    vault_grant_set(f.vault, "/w/stages/02-draft", "agent", VAULT_WRITE, &f.err), &f.err);
	assert_ok(vault_stage_show(agent, "/w", "02-draft", &stage, &f.err), &f.err);
	assert_int_equal(stage.entry.rank, VAULT_WRITE);
	vault_stage_info_release(&stage);
	assert_ok(vault_stage_show(agent, "/w", "01-research", &stage, &f.err), &f.err);
	assert_int_equal(stage.entry.rank, VAULT_READ);
	vault_stage_info_release(&stage);
}

/* ---- the audit ---- */

static int note_event(void *ctx, const struct vault_event *event, struct err *err)
{
	(void)err;
	buf_addf(ctx, "%s %s\n", event->operation, event->result);
	return 0;
}

static void every_verb_leaves_a_row(void **state)
{
	cleanup_fixture struct fixture f;
	struct vault_event_filter later = { 0 };
	cleanup_buf struct buf out = BUF_INIT;
	cleanup_buf struct buf none = BUF_INIT;
	struct vault_template template = { 0 };
	struct vault_template_version version = { 0 };
	struct vault_workspace made = { 0 };
	struct vault_stage_info stage = { 0 };

	(void)state;
	open_article(&f);
	make_folder(f.vault, "/u", NULL);
	later.after = count_rows(&f, "operation_audit_events");
	assert_ok(vault_template_create(f.vault, "/u", NULL, &template, &f.err), &f.err);
	vault_template_release(&template);
	assert_ok(vault_template_publish(f.vault, "u", NULL, &version, &f.err), &f.err);
	vault_template_version_release(&version);
	assert_ok(
	    vault_template_info(f.vault, "u", 0, NULL, NULL, &template, &version, &f.err), &f.err);
	vault_template_release(&template);
	vault_template_version_release(&version);
	assert_ok(vault_template_each(f.vault, note_template, &none, &f.err), &f.err);
	assert_ok(vault_instantiate(f.vault, "article", 0, "/w", TOPIC, &made, &f.err), &f.err);
	vault_workspace_release(&made);
	assert_ok(vault_derive(f.vault, "/w", "/d", NULL, 0, &made, &f.err), &f.err);
	vault_workspace_release(&made);
	assert_ok(vault_workspace_info(f.vault, "/d", &made, &f.err), &f.err);
	vault_workspace_release(&made);
	assert_ok(vault_workspace_each(f.vault, note_ancestor, &none, &f.err), &f.err);
	assert_ok(vault_lineage(f.vault, "/d", note_ancestor, &none, &f.err), &f.err);
	assert_ok(vault_stage_each(f.vault, "/d", note_stage, &none, &f.err), &f.err);
	assert_ok(vault_stage_show(f.vault, "/d", "01-research", &stage, &f.err), &f.err);
	vault_stage_info_release(&stage);
	assert_fails(vault_instantiate(f.vault, "article", 0, "/w", TOPIC, &made, &f.err), &f.err,
	    ERR_ALREADY_EXISTS);
	assert_fails(
	    vault_derive(f.vault, "/x", "/y", NULL, 0, &made, &f.err), &f.err, ERR_NOT_FOUND);
	assert_ok(vault_event_each(f.vault, &later, note_event, &out, &f.err), &f.err);
	assert_string_equal(out.data,
	    "template create OK\ntemplate publish OK\ntemplate show OK\ntemplate list OK\n"
	    "workspace instantiate OK\nworkspace derive OK\nworkspace info OK\n"
	    "workspace list OK\nworkspace lineage OK\nstage list OK\nstage show OK\n"
	    "workspace instantiate ALREADY_EXISTS\nworkspace derive NOT_FOUND\naudit list OK\n");
	assert_is_sound(&f);
}

static void without_a_token_nothing_is_made(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *nobody = NULL;
	struct vault_workspace made = { 0 };
	struct vault_template_version version = { 0 };

	(void)state;
	open_article(&f);
	nobody = vault_open(f.dir, &f.err);
	assert_fails(vault_instantiate(nobody, "article", 0, "/w", TOPIC, &made, &f.err), &f.err,
	    ERR_UNAUTHENTICATED);
	assert_fails(
	    vault_derive(nobody, "/w", "/d", NULL, 0, &made, &f.err), &f.err, ERR_UNAUTHENTICATED);
	assert_fails(vault_template_publish(nobody, "article", NULL, &version, &f.err), &f.err,
	    ERR_UNAUTHENTICATED);
}

/* ---- migration ---- */

static void a_store_without_templates_gets_them(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_secret struct secret *secret = NULL;

	(void)state;
	open_fixture(&f);
	assert_ok(put_text(f.vault, "/x", "1", &f.err), &f.err);
	secret = secret_of(&f.token);
	assert_ok(
	    sql_exec(f.vault->sql, UNDO_SCHEMA_4 UNDO_SCHEMA_3 "PRAGMA user_version = 2", &f.err),
	    &f.err);
	vault_cleanup(&f.vault);
	f.vault = vault_open(f.dir, &f.err);
	assert_non_null(f.vault);
	assert_ok(vault_bind(f.vault, secret, &f.err), &f.err);
	make_article(&f);
	instantiate(&f, "/w");
	assert_is_sound(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hole_that_is_not_declared_is_refused_with_its_path),
		cmocka_unit_test(what_is_no_text_or_large_has_no_holes),
		cmocka_unit_test(to_publish_takes_manage_and_a_folder_that_lives),
		cmocka_unit_test(only_an_ordinary_folder_becomes_a_template_under_a_free_name),
		cmocka_unit_test(the_store_itself_keeps_what_was_published_and_where_it_went),
		cmocka_unit_test(a_published_version_outlives_its_source),
		cmocka_unit_test(fsck_misses_what_is_not_on_record),
		cmocka_unit_test(each_version_is_what_was_there_when_it_was_published),
		cmocka_unit_test(a_workspace_is_the_snapshot_filled_and_shares_its_content),
		cmocka_unit_test(what_cannot_be_made_whole_is_not_made_at_all),
		cmocka_unit_test(two_names_that_become_one_are_refused),
		cmocka_unit_test(
		    to_instantiate_takes_read_on_the_template_and_manage_on_the_target),
		cmocka_unit_test(a_limited_caller_makes_no_contracts_and_reaches_nothing_outside),
		cmocka_unit_test(a_derived_workspace_is_what_the_other_is_now),
		cmocka_unit_test(values_fill_the_holes_that_stand_in_a_workspace),
		cmocka_unit_test(to_derive_takes_read_on_the_source_and_manage_on_the_target),
		cmocka_unit_test(
		    where_a_workspace_came_from_is_kept_for_ever_for_those_who_may_see),
		cmocka_unit_test(only_living_workspaces_that_may_be_read_are_listed),
		cmocka_unit_test(what_is_foreign_or_not_granted_answers_as_what_is_absent),
		cmocka_unit_test(stages_are_what_stands_there_now),
		cmocka_unit_test(a_stage_is_named_by_its_id_or_its_name_and_no_other_is_found),
		cmocka_unit_test(every_verb_leaves_a_row),
		cmocka_unit_test(without_a_token_nothing_is_made),
		cmocka_unit_test(a_store_without_templates_gets_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
