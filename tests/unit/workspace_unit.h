/* SPDX-License-Identifier: MIT */
#ifndef UNIT_WORKSPACE_UNIT_H
#define UNIT_WORKSPACE_UNIT_H

/* A template to make workspaces from, and the shortest ways to do that. */

#include "vault_unit.h"

/* The value of the article's one parameter, as two arguments. */
#define TOPIC (const struct vault_value[]){ { "topic", "owls" } }, 1

static inline int64_t count_rows(struct fixture *f, const char *table)
{
	cleanup_free char *text = xasprintf("SELECT count(*) FROM %s", table);
	cleanup_stmt struct sql_stmt *stmt = sql_prepare(f->vault->sql, text, &f->err);

	assert_non_null(stmt);
	assert_int_equal(sql_step(stmt, &f->err), 1);
	return sql_column_int(stmt, 0);
}

static inline void assert_is_sound(struct fixture *f)
{
	struct vault_fsck fsck = { 0 };
	struct vault_audit_report report = { 0 };

	assert_ok(vault_fsck(f->vault, NULL, NULL, NULL, &fsck, &f->err), &f->err);
	assert_int_equal(fsck.faults, 0);
	assert_ok(vault_audit_verify(f->vault, &report, &f->err), &f->err);
}

static inline void rename_to(struct fixture *f, const char *ref, const char *name)
{
	struct vault_entry entry = { 0 };

	assert_ok(vault_rename(f->vault, ref, VAULT_WANT_ANY, name, &entry, &f->err), &f->err);
	vault_entry_release(&entry);
}

static inline void trash(struct fixture *f, const char *ref)
{
	struct vault_entry entry = { 0 };

	assert_ok(vault_trash(f->vault, ref, VAULT_WANT_ANY, &entry, &f->err), &f->err);
	vault_entry_release(&entry);
}

static inline void purge(struct fixture *f, const char *ref)
{
	struct vault_purged purged = { 0 };

	assert_ok(vault_purge(f->vault, ref, VAULT_WANT_ANY, &purged, &f->err), &f->err);
}

static inline void publish(struct fixture *f)
{
	struct vault_template_version version = { 0 };

	assert_ok(vault_template_publish(f->vault, "article", NULL, &version, &f->err), &f->err);
	vault_template_version_release(&version);
}

static inline int note_template(void *ctx, const struct vault_template *template, struct err *err)
{
	(void)err;
	buf_addf(ctx, "%s ", template->name);
	return 0;
}

/* The template `article` in /t, published as version 1. */
static inline void make_article(struct fixture *f)
{
	static const char *const folders[] = { "/t", "/t/empty", "/t/shared", "/t/stages",
		"/t/stages/01-research", "/t/stages/02-draft", "/t/stages/02-draft/output",
		"/t/stages/03-none" };
	static const char *const files[][2] = {
		{ "/t/template.yaml", "parameters:\n  topic: {}\n" },
		{ "/t/CLAUDE.md", "# {{topic}}\n" },
		{ "/t/shared/{{topic}}.md", "no hole in here\n" },
		{ "/t/stages/01-research/CONTEXT.md", "first\n" },
		{ "/t/stages/02-draft/CONTEXT.md", "second\n" },
		{ "/t/stages/02-draft/output/keep", "" },
		{ "/t/stages/03-none/x", "x" },
	};
	struct vault_template template = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		make_folder(f->vault, folders[i], NULL);
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		assert_ok(put_text(f->vault, files[i][0], files[i][1], &f->err), &f->err);
	assert_ok(vault_template_create(f->vault, "/t", "article", &template, &f->err), &f->err);
	vault_template_release(&template);
	publish(f);
}

static inline void open_article(struct fixture *f)
{
	open_fixture(f);
	make_article(f);
}

/* A workspace of the article about owls, by its id; owned. */
static inline char *instantiate_id(struct fixture *f, const char *target)
{
	struct vault_workspace made = { 0 };
	char *id;

	assert_ok(
	    vault_instantiate(f->vault, "article", 0, target, TOPIC, &made, &f->err), &f->err);
	id = xstrdup(made.entry.id);
	vault_workspace_release(&made);
	return id;
}

static inline void instantiate(struct fixture *f, const char *target)
{
	free(instantiate_id(f, target));
}

/* The id of a template, owned. */
static inline char *template_id(struct fixture *f, const char *name)
{
	struct vault_template template = { 0 };
	struct vault_template_version version = { 0 };
	char *id;

	assert_ok(vault_template_info(f->vault, name, 0, NULL, NULL, &template, &version, &f->err),
	    &f->err);
	id = xstrdup(template.id);
	vault_template_release(&template);
	vault_template_version_release(&version);
	return id;
}

#endif
