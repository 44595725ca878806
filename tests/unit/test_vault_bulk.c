/* SPDX-License-Identifier: MIT */
/* Many files as one operation: what it refuses to hand out, then what it hands out. */
#include "vault_unit.h"

struct receiver {
	struct buf text;
	size_t ended;
};

static int receive(void *ctx, size_t index, const void *data, size_t len, struct err *err)
{
	struct receiver *receiver = ctx;

	(void)err;
	if (data == NULL) {
		assert_int_equal(index, receiver->ended);
		receiver->ended++;
		buf_addc(&receiver->text, '\n');
	}
	buf_add(&receiver->text, data != NULL ? data : "", len);
	return 0;
}

struct pair {
	char file[ID_TEXT_SIZE], version[ID_TEXT_SIZE];
};

static struct vault_pick put(
    struct fixture *f, const char *ref, const char *text, struct pair *pair)
{
	const struct vault_put how = { 0 };
	struct vault_version version = { 0 };

	assert_ok(put_text_as(f->vault, ref, text, &how, &version, &f->err), &f->err);
	(void)snprintf(pair->file, ID_TEXT_SIZE, "%s", version.file);
	(void)snprintf(pair->version, ID_TEXT_SIZE, "%s", version.id);
	vault_version_release(&version);
	return (struct vault_pick){ .file = pair->file, .version = pair->version };
}

static int get(struct vault *vault, const char *folder, const struct vault_pick *picks, size_t len,
    struct receiver *receiver, struct err *err)
{
	err_release(err);
	buf_reset(&receiver->text);
	receiver->ended = 0;
	return vault_version_get_many(
	    vault, "workspace checkout", folder, picks, len, receive, receiver, err);
}

static void a_pick_that_is_elsewhere_foreign_or_trashed_is_not_found(void **state)
{
	cleanup_fixture struct fixture f = { 0 };
	struct receiver receiver = { .text = BUF_INIT };
	struct pair a, b, c;
	struct vault_pick picks[2];
	struct vault *reader;

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/in", NULL);
	make_folder(f.vault, "/out", NULL);
	make_folder(f.vault, "/in/sub", NULL);
	picks[0] = put(&f, "/in/a", "a", &a);
	picks[1] = put(&f, "/out/b", "secret", &b);
	assert_int_equal(get(f.vault, "/in", picks, 2, &receiver, &f.err), -1);
	assert_int_equal(f.err.code, ERR_NOT_FOUND);
	assert_string_equal(receiver.text.data, "a\n");
	picks[1] = (struct vault_pick){ .file = a.file, .version = b.version };
	assert_int_equal(get(f.vault, "/in", picks, 2, &receiver, &f.err), -1);
	assert_int_equal(f.err.code, ERR_NOT_FOUND);
	picks[1] = put(&f, "/in/sub/c", "c", &c);
	assert_ok(get(f.vault, "/in", picks, 2, &receiver, &f.err), &f.err);
	reader = open_as(&f, "reader");
	assert_int_equal(get(reader, "/in", picks, 2, &receiver, &f.err), -1);
	assert_int_equal(f.err.code, ERR_NOT_FOUND);
	err_release(&f.err);
	assert_ok(vault_grant_set(f.vault, "/in/sub", "reader", VAULT_READ, &f.err), &f.err);
	assert_ok(get(reader, "/in/sub", &picks[1], 1, &receiver, &f.err), &f.err);
	assert_int_equal(get(reader, "/in/sub", picks, 1, &receiver, &f.err), -1);
	assert_string_equal(receiver.text.data, "");
	vault_close(reader);
	err_release(&f.err);
	assert_ok(vault_limit(f.vault, "/in", &f.err), &f.err);
	assert_int_equal(get(f.vault, "/out", picks, 1, &receiver, &f.err), -1);
	assert_ok(get(f.vault, "/in", picks, 2, &receiver, &f.err), &f.err);
	for (int i = 0; i < 2; i++) {
		struct vault_entry entry = { 0 };

		assert_ok(vault_trash(f.vault, i == 0 ? "/in/a" : "/in/sub", VAULT_WANT_ANY, &entry,
			      &f.err),
		    &f.err);
		vault_entry_release(&entry);
		assert_int_equal(get(f.vault, "/in", &picks[i], 1, &receiver, &f.err), -1);
		assert_int_equal(f.err.code, ERR_NOT_FOUND);
		err_release(&f.err);
	}
	buf_release(&receiver.text);
}

static int note_event(void *ctx, const struct vault_event *event, struct err *err)
{
	(void)err;
	buf_addf(
	    ctx, "%s %s %s %s\n", event->operation, event->target, event->detail, event->result);
	return 0;
}

static void many_versions_are_one_row_of_the_audit(void **state)
{
	const struct vault_event_filter filter = { .operation = "workspace checkout" };
	cleanup_fixture struct fixture f = { 0 };
	cleanup_buf struct buf rows = BUF_INIT;
	struct receiver receiver = { .text = BUF_INIT };
	struct pair a, b, c;
	struct vault_pick picks[3];

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/in", NULL);
	picks[0] = put(&f, "/in/a", "first", &a);
	picks[1] = put(&f, "/in/b", "", &b);
	picks[2] = put(&f, "/in/a", "second", &c);
	assert_ok(get(f.vault, "/in", picks, 3, &receiver, &f.err), &f.err);
	assert_string_equal(receiver.text.data, "first\n\nsecond\n");
	assert_int_equal(receiver.ended, 3);
	assert_ok(vault_event_each(f.vault, &filter, note_event, &rows, &f.err), &f.err);
	assert_string_equal(rows.data, "workspace checkout /in 3 versions OK\n");
	buf_release(&receiver.text);
}

static int note_note(
    void *ctx, const char *file, const char *key, const char *value, struct err *err)
{
	(void)err;
	assert_int_equal(strncmp(file, "fil_", 4), 0);
	buf_addf(ctx, "%s=%s\n", key, value != NULL ? value : "(tag)");
	return 0;
}

static void notes_of_the_living_files_below_a_folder_are_handed_out(void **state)
{
	const struct vault_metadata set[] = { { "due", "friday" }, { "status", "open" } };
	cleanup_fixture struct fixture f = { 0 };
	cleanup_buf struct buf notes = BUF_INIT;
	struct vault_entry entry = { 0 };
	struct vault *reader;

	(void)state;
	open_fixture(&f);
	make_folder(f.vault, "/in", NULL);
	make_folder(f.vault, "/in/sub", NULL);
	assert_ok(put_text(f.vault, "/in/sub/a", "a", &f.err), &f.err);
	assert_ok(put_text(f.vault, "/in/b", "b", &f.err), &f.err);
	assert_ok(put_text(f.vault, "/c", "c", &f.err), &f.err);
	assert_ok(vault_metadata_set(f.vault, "/in/sub/a", set, 2, &f.err), &f.err);
	assert_ok(vault_tag_add(f.vault, "/in/sub/a", "good", &f.err), &f.err);
	assert_ok(vault_tag_add(f.vault, "/in/b", "gone", &f.err), &f.err);
	assert_ok(vault_tag_add(f.vault, "/c", "elsewhere", &f.err), &f.err);
	assert_ok(vault_trash(f.vault, "/in/b", VAULT_WANT_ANY, &entry, &f.err), &f.err);
	vault_entry_release(&entry);
	assert_ok(vault_note_each(f.vault, "/in", note_note, &notes, &f.err), &f.err);
	assert_string_equal(notes.data, "due=friday\ngood=(tag)\nstatus=open\n");
	reader = open_as(&f, "reader");
	assert_int_equal(vault_note_each(reader, "/in", note_note, &notes, &f.err), -1);
	assert_int_equal(f.err.code, ERR_NOT_FOUND);
	vault_close(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pick_that_is_elsewhere_foreign_or_trashed_is_not_found),
		cmocka_unit_test(many_versions_are_one_row_of_the_audit),
		cmocka_unit_test(notes_of_the_living_files_below_a_folder_are_handed_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
