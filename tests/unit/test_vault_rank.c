/* SPDX-License-Identifier: MIT */
/*
 * Effective ranks: what the SQL says of random trees, grants, trash and organizations is what a
 * model says that is too simple to be wrong. And the rules of granting, refusals first.
 */
#include "vault_unit.h"

/* ---- the model ---- */

#define ORGS 2
#define PRINCIPALS 4 /* of each organization; the first is its owner */
#define ENTRIES 24   /* of each organization; the first is its root */
#define ROUNDS 12
#define CHANGES 60

struct model_entry {
	char id[ID_TEXT_SIZE];
	char name[16];
	int parent; /* index; -1: the root */
	bool is_file, is_trashed;
	enum vault_rank grants[PRINCIPALS];
};

struct model_org {
	char org[ID_TEXT_SIZE], root[ID_TEXT_SIZE];
	char principals[PRINCIPALS][ID_TEXT_SIZE];
	struct model_entry entries[ENTRIES];
	int len;
};

static uint64_t random_state;

static int pick(int below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int)((random_state >> 33) % (uint64_t)below);
}

static enum vault_rank model_rank(const struct model_org *org, int entry, int principal)
{
	enum vault_rank rank = VAULT_NONE;

	for (; entry >= 0; entry = org->entries[entry].parent) {
		if (org->entries[entry].grants[principal] > rank)
			rank = org->entries[entry].grants[principal];
	}
	return rank;
}

static bool model_above_lives(const struct model_org *org, int entry)
{
	for (entry = org->entries[entry].parent; entry >= 0; entry = org->entries[entry].parent) {
		if (org->entries[entry].is_trashed)
			return false;
	}
	return true;
}

static bool model_sees(const struct model_org *org, int entry, int principal)
{
	enum vault_rank rank = model_rank(org, entry, principal);

	if (!model_above_lives(org, entry))
		return false;
	return org->entries[entry].is_trashed ? rank == VAULT_MANAGE : rank > VAULT_NONE;
}

static bool model_is_above(const struct model_org *org, int above, int entry)
{
	for (; entry >= 0; entry = org->entries[entry].parent) {
		if (entry == above)
			return true;
	}
	return false;
}

/* The topmost that the principal may read, of an entry that it sees. */
static int model_top(const struct model_org *org, int entry, int principal)
{
	int top = entry;

	for (; entry >= 0; entry = org->entries[entry].parent) {
		if (org->entries[entry].grants[principal] > VAULT_NONE)
			top = entry;
	}
	return top;
}

/* Owned. */
static char *model_path(const struct model_org *org, int entry, int principal)
{
	int top = model_top(org, entry, principal);
	char *path = xstrdup(entry == 0 ? "/" : "");

	for (; entry != top; entry = org->entries[entry].parent) {
		char *longer = xasprintf("/%s%s", org->entries[entry].name, path);

		free(path);
		path = longer;
	}
	if (top != 0) {
		char *longer = xasprintf("%s%s", org->entries[top].id, path);

		free(path);
		path = longer;
	}
	return path;
}

/* ---- the vault does as the model ---- */

static void act_as(struct vault *vault, const struct model_org *org, int principal)
{
	memcpy(vault->org, org->org, sizeof(vault->org));
	memcpy(vault->root, org->root, sizeof(vault->root));
	memcpy(vault->principal, org->principals[principal], sizeof(vault->principal));
}

static void make_org(struct fixture *f, int index, struct model_org *org)
{
	cleanup_free char *name = xasprintf("org%d", index);
	struct vault_token_text token;

	*org = (struct model_org){ .len = 1 };
	assert_ok(vault_init(f->vault, name, "owner", &token, &f->err), &f->err);
	memcpy(org->org, f->vault->org, sizeof(org->org));
	memcpy(org->root, f->vault->root, sizeof(org->root));
	memcpy(org->principals[0], f->vault->principal, sizeof(org->principals[0]));
	org->entries[0] = (struct model_entry){ .parent = -1, .grants = { VAULT_MANAGE } };
	memcpy(org->entries[0].id, org->root, sizeof(org->root));
	for (int i = 1; i < PRINCIPALS; i++) {
		cleanup_free char *other = xasprintf("p%d", i);
		struct vault_principal principal = { 0 };

		assert_ok(vault_principal_add(f->vault, other, VAULT_AGENT, &principal, &f->err),
		    &f->err);
		(void)snprintf(org->principals[i], ID_TEXT_SIZE, "%s", principal.id);
		vault_principal_release(&principal);
	}
}

static int pick_folder(const struct model_org *org)
{
	int entry;

	do
		entry = pick(org->len);
	while (org->entries[entry].is_file || org->entries[entry].is_trashed ||
	       !model_above_lives(org, entry));
	return entry;
}

static void add_entry(struct fixture *f, struct model_org *org)
{
	struct model_entry *made = &org->entries[org->len];
	cleanup_free char *path = NULL;
	struct vault_entry entry = { 0 };

	*made = (struct model_entry){ .parent = pick_folder(org), .is_file = pick(3) == 0 };
	(void)snprintf(made->name, sizeof(made->name), "e%d", org->len);
	path = model_path(org, org->len++, 0);
	if (made->is_file)
		assert_ok(put_text(f->vault, path, path, &f->err), &f->err);
	else
		make_folder(f->vault, path, NULL);
	assert_ok(vault_entry_info(f->vault, path, VAULT_WANT_ANY, &entry, &f->err), &f->err);
	(void)snprintf(made->id, ID_TEXT_SIZE, "%s", entry.id);
	vault_entry_release(&entry);
}

static void change_grant(struct fixture *f, struct model_org *org)
{
	struct model_entry *folder = &org->entries[pick_folder(org)];
	int principal = 1 + pick(PRINCIPALS - 1); /* the owner keeps the root */
	enum vault_rank rank = (enum vault_rank)pick(4);

	if (rank != VAULT_NONE)
		assert_ok(vault_grant_set(
			      f->vault, folder->id, org->principals[principal], rank, &f->err),
		    &f->err);
	else if (folder->grants[principal] != VAULT_NONE)
		assert_ok(
		    vault_grant_remove(f->vault, folder->id, org->principals[principal], &f->err),
		    &f->err);
	else
		assert_fails(
		    vault_grant_remove(f->vault, folder->id, org->principals[principal], &f->err),
		    &f->err, ERR_NOT_FOUND);
	folder->grants[principal] = rank;
}

static void change_trash(struct fixture *f, struct model_org *org)
{
	int index = pick(org->len);
	struct model_entry *at = &org->entries[index];
	struct vault_entry entry = { 0 };
	int result = at->is_trashed
			 ? vault_restore(f->vault, at->id, VAULT_WANT_ANY, &entry, &f->err)
			 : vault_trash(f->vault, at->id, VAULT_WANT_ANY, &entry, &f->err);

	if (index == 0) {
		assert_fails(result, &f->err, ERR_INVALID_ARGUMENT);
		return;
	}
	if (!model_above_lives(org, index)) {
		assert_fails(result, &f->err, ERR_NOT_FOUND);
		return;
	}
	assert_ok(result, &f->err);
	at->is_trashed = !at->is_trashed;
	vault_entry_release(&entry);
}

static void move_entry(struct fixture *f, struct model_org *org)
{
	int index = pick(org->len);
	int target = pick_folder(org);
	struct model_entry *at = &org->entries[index];
	struct vault_entry entry = { 0 };
	int result =
	    vault_move(f->vault, at->id, VAULT_WANT_ANY, org->entries[target].id, &entry, &f->err);

	if (at->is_trashed || !model_above_lives(org, index)) {
		assert_fails(result, &f->err, ERR_NOT_FOUND);
	} else if (index == 0 || model_is_above(org, index, target)) {
		assert_fails(result, &f->err, ERR_INVALID_ARGUMENT);
	} else if (at->parent == target) {
		assert_fails(result, &f->err, ERR_ALREADY_EXISTS);
	} else {
		assert_ok(result, &f->err);
		at->parent = target;
		vault_entry_release(&entry);
	}
}

static void change(struct fixture *f, struct model_org *org)
{
	act_as(f->vault, org, 0);
	switch (pick(6)) {
	case 0:
	case 1:
		if (org->len < ENTRIES)
			add_entry(f, org);
		break;
	case 2:
	case 3:
		change_grant(f, org);
		break;
	case 4:
		change_trash(f, org);
		break;
	default:
		move_entry(f, org);
		break;
	}
}

/* ---- comparing ---- */

static void compare_hidden(struct fixture *f, const char *ref)
{
	struct vault_entry entry = { 0 };
	cleanup_free char *wanted =
	    xasprintf("%s: there is no such file or folder, or you may not read it", ref);

	assert_fails(vault_entry_info(f->vault, ref, VAULT_WANT_ANY, &entry, &f->err), &f->err,
	    ERR_NOT_FOUND);
	assert_string_equal(f->err.message, wanted);
}

static void compare_seen(struct fixture *f, const struct model_org *org, int index, int principal)
{
	cleanup_free char *path = model_path(org, index, principal);
	struct vault_entry entry = { 0 };
	struct vault_entry again = { 0 };

	assert_ok(
	    vault_entry_info(f->vault, org->entries[index].id, VAULT_WANT_ANY, &entry, &f->err),
	    &f->err);
	assert_int_equal(entry.rank, model_rank(org, index, principal));
	assert_string_equal(entry.path, path);
	assert_int_equal(entry.trashed_us != 0, org->entries[index].is_trashed);
	/* a path that is handed out leads back */
	assert_ok(vault_entry_info(f->vault, entry.path, VAULT_WANT_ANY, &again, &f->err), &f->err);
	assert_string_equal(again.id, entry.id);
	vault_entry_release(&again);
	vault_entry_release(&entry);
}

static void compare_writing(
    struct fixture *f, const struct model_org *org, int index, int principal)
{
	static const struct vault_metadata note[] = { { "k", "v" } };
	enum vault_rank rank = model_rank(org, index, principal);
	int result = vault_metadata_set(f->vault, org->entries[index].id, note, 1, &f->err);

	if (!model_sees(org, index, principal) || org->entries[index].is_trashed)
		assert_fails(result, &f->err, ERR_NOT_FOUND);
	else if (!org->entries[index].is_file)
		assert_fails(result, &f->err, ERR_INVALID_ARGUMENT);
	else if (rank < VAULT_WRITE)
		assert_fails(result, &f->err, ERR_PERMISSION_DENIED);
	else
		assert_ok(result, &f->err);
}

static void compare_org(
    struct fixture *f, const struct model_org *org, const struct model_org *other)
{
	for (int principal = 0; principal < PRINCIPALS; principal++) {
		act_as(f->vault, org, principal);
		for (int i = 0; i < org->len; i++) {
			if (model_sees(org, i, principal))
				compare_seen(f, org, i, principal);
			else
				compare_hidden(f, org->entries[i].id);
			compare_writing(f, org, i, principal);
		}
		compare_hidden(f, other->entries[pick(other->len)].id);
	}
}

static void ranks_are_those_of_the_simple_model(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		cleanup_fixture struct fixture f;
		struct model_org orgs[ORGS];

		random_state = round * 7919 + 1;
		open_fixture(&f);
		for (int i = 0; i < ORGS; i++)
			make_org(&f, i, &orgs[i]);
		for (int i = 0; i < CHANGES; i++)
			change(&f, &orgs[pick(ORGS)]);
		compare_org(&f, &orgs[0], &orgs[1]);
		compare_org(&f, &orgs[1], &orgs[0]);
	}
}

/* ---- granting ---- */

static int note_grant(void *ctx, const struct vault_grant *grant, struct err *err)
{
	(void)err;
	buf_addf(ctx, "%s %s %s\n", grant->path == NULL ? "-" : grant->path, grant->principal_name,
	    vault_rank_name(grant->rank));
	return 0;
}

static void only_those_who_manage_a_folder_grant_on_it(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/a", NULL);
	assert_ok(put_text(f.vault, "/a/x", "1", &f.err), &f.err);
	agent = open_as(&f, "agent");
	assert_fails(
	    vault_grant_set(agent, "/a", "agent", VAULT_MANAGE, &f.err), &f.err, ERR_NOT_FOUND);
	assert_ok(vault_grant_set(f.vault, "/a", "agent", VAULT_WRITE, &f.err), &f.err);
	assert_fails(vault_grant_set(agent, "/a", "agent", VAULT_MANAGE, &f.err), &f.err,
	    ERR_PERMISSION_DENIED);
	assert_fails(
	    vault_grant_remove(agent, "/a", "agent", &f.err), &f.err, ERR_PERMISSION_DENIED);
	assert_fails(vault_grant_set(f.vault, "/a/x", "agent", VAULT_READ, &f.err), &f.err,
	    ERR_INVALID_ARGUMENT);
	assert_fails(
	    vault_grant_set(f.vault, "/a", "nobody", VAULT_READ, &f.err), &f.err, ERR_NOT_FOUND);
}

static void somebody_can_always_manage_the_root(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;
	struct vault_principal principal = { 0 };

	(void)state;
	open_fixture(&f);
	agent = open_as(&f, "agent");
	assert_fails(vault_grant_remove(f.vault, "/", "owner", &f.err), &f.err, ERR_CONFLICT);
	assert_fails(
	    vault_grant_set(f.vault, "/", "owner", VAULT_READ, &f.err), &f.err, ERR_CONFLICT);
	assert_ok(vault_grant_set(f.vault, "/", "agent", VAULT_MANAGE, &f.err), &f.err);
	assert_ok(vault_grant_remove(f.vault, "/", "owner", &f.err), &f.err);
	assert_fails(vault_grant_remove(agent, "/", "agent", &f.err), &f.err, ERR_CONFLICT);
	assert_ok(vault_grant_set(agent, "/", "owner", VAULT_MANAGE, &f.err), &f.err);
	assert_ok(vault_principal_disable(agent, "owner", &principal, &f.err), &f.err);
	vault_principal_release(&principal);
	assert_fails(vault_grant_remove(agent, "/", "agent", &f.err), &f.err, ERR_CONFLICT);
}

static void grants_are_listed_as_far_as_the_caller_may_know(void **state)
{
	cleanup_fixture struct fixture f;
	cleanup_vault struct vault *agent = NULL;
	cleanup_vault struct vault *other = NULL;
	cleanup_buf struct buf out = BUF_INIT;
	cleanup_buf struct buf wanted = BUF_INIT;
	char a[ID_TEXT_SIZE];
	char b[ID_TEXT_SIZE];

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/a", a);
	make_folder(f.vault, "/a/b", b);
	agent = open_as(&f, "agent");
	other = open_as(&f, "other");
	assert_ok(vault_grant_set(f.vault, "/a", "agent", VAULT_READ, &f.err), &f.err);
	assert_ok(vault_grant_set(f.vault, "/a/b", "agent", VAULT_WRITE, &f.err), &f.err);
	assert_ok(vault_grant_set(f.vault, "/a/b", "other", VAULT_MANAGE, &f.err), &f.err);
	assert_ok(vault_grant_each(f.vault, "/a/b", true, note_grant, &out, &f.err), &f.err);
	assert_string_equal(out.data, "/a/b agent write\n/a/b other manage\n/ owner manage\n");
	buf_reset(&out);
	assert_ok(vault_grant_each(f.vault, "/a/b", false, note_grant, &out, &f.err), &f.err);
	assert_string_equal(out.data, "/a/b agent write\n/a/b other manage\n");
	buf_reset(&out);
	assert_ok(vault_grant_each(agent, "/a/b", true, note_grant, &out, &f.err), &f.err);
	buf_addf(&wanted, "%s/b agent write\n", a);
	assert_string_equal(out.data, wanted.data);
	buf_reset(&out);
	buf_reset(&wanted);
	/* Who manages /a/b may not read /, so the name of that folder is not told. */
	assert_ok(vault_grant_each(other, "/a/b", true, note_grant, &out, &f.err), &f.err);
	buf_addf(&wanted, "%s agent write\n%s other manage\n- owner manage\n", b, b);
	assert_string_equal(out.data, wanted.data);
	buf_reset(&out);
	assert_ok(vault_grant_mine(agent, note_grant, &out, &f.err), &f.err);
	buf_reset(&wanted);
	buf_addf(&wanted, "%s agent read\n%s/b agent write\n", a, a);
	assert_string_equal(out.data, wanted.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_are_those_of_the_simple_model),
		cmocka_unit_test(only_those_who_manage_a_folder_grant_on_it),
		cmocka_unit_test(somebody_can_always_manage_the_root),
		cmocka_unit_test(grants_are_listed_as_far_as_the_caller_may_know),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
