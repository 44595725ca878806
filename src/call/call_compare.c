/* SPDX-License-Identifier: MIT */
/* What of the world is another than planned, told to a program and to a person. */
#include "call/call_internal.h"

#include <string.h>

#include "base/clock.h"
#include "base/text.h"

/* In the message; the details have all of them. */
#define SAID_AT_MOST 8
#define SAID_BYTES ((size_t)80)

/* A precondition's digest says nothing where its value is said, too. */
static bool is_said_better(const struct plan_differences *all, size_t at)
{
	static const char digest[] = "/digest";
	const char *pointer = all->items[at].pointer;
	size_t len = strlen(pointer);
	size_t stem = len - (sizeof(digest) - 1);

	if (strncmp(pointer, "/preconditions/", 15) != 0 || len <= sizeof(digest) ||
	    strcmp(pointer + stem, digest) != 0)
		return false;
	for (size_t i = 0; i < all->len; i++) {
		if (strncmp(all->items[i].pointer, pointer, stem) == 0 &&
		    strcmp(all->items[i].pointer + stem, "/value") == 0)
			return true;
	}
	return false;
}

static void write_value(struct json_writer *w, const char *name, const char *json)
{
	if (json != NULL)
		json_write_member_raw(w, name, json);
	else
		json_write_member_string(w, name, NULL);
}

static void write_failed(const struct plan_differences *all, struct json_writer *w)
{
	json_write_key(w, "failed");
	json_write_array_begin(w);
	for (size_t i = 0; i < all->len; i++) {
		if (is_said_better(all, i))
			continue;
		json_write_object_begin(w);
		json_write_member_string(w, "pointer", all->items[i].pointer);
		write_value(w, "expected", all->items[i].before);
		write_value(w, "actual", all->items[i].after);
		json_write_object_end(w);
	}
	json_write_array_end(w);
}

/* A value, short. */
static void say_value(struct buf *text, const char *json)
{
	size_t len = json != NULL ? strlen(json) : 0;
	size_t shown = json != NULL ? text_cut(json, len, SAID_BYTES) : 0;

	if (json == NULL)
		buf_adds(text, "nothing");
	else
		buf_addf(text, "%.*s%s", (int)shown, json, shown < len ? "…" : "");
}

static void say(const struct plan_differences *all, struct buf *text)
{
	size_t said = 0;

	for (size_t i = 0; i < all->len; i++) {
		if (is_said_better(all, i))
			continue;
		if (said++ == SAID_AT_MOST) {
			buf_adds(text, "; and more");
			return;
		}
		buf_addf(text, "%s %s: expected ", said > 1 ? ";" : "", all->items[i].pointer);
		say_value(text, all->items[i].before);
		buf_adds(text, ", actual ");
		say_value(text, all->items[i].after);
	}
}

int call_refuse_stale(struct call *call)
{
	const struct call_purpose *purpose = call->purpose;
	cleanup_buf struct buf text = BUF_INIT;
	struct buf details = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&details);

	say(&purpose->differences, &text);
	json_write_object_begin(&w);
	json_write_member_string(&w, "plan_id", purpose->plan->id);
	write_failed(&purpose->differences, &w);
	json_write_object_end(&w);
	err_set(&call->err, ERR_PLAN_STALE,
	    "plan %s does not fit any more, so nothing was run; make a new one:%s",
	    purpose->plan->id, text.data);
	return err_take_details(&call->err, buf_detach(&details));
}

static const char *state_of(const struct call_purpose *purpose)
{
	if (purpose->differences.len > 0 || purpose->err.code == ERR_PLAN_STALE)
		return "stale";
	return err_is_set(&purpose->err) ? "unknown" : "applicable";
}

void call_write_applicability(const struct call_purpose *purpose, struct json_writer *w)
{
	const struct plan_differences *differences = &purpose->differences;
	const struct err *err = &purpose->err;
	char now[CLOCK_TEXT_SIZE];

	clock_format_utc(clock_wall_us(), now);
	json_write_object_begin(w);
	json_write_member_string(w, "state", state_of(purpose));
	json_write_member_string(w, "checked_at", now);
	write_failed(differences, w);
	if (err_is_set(err)) {
		json_write_member_string(w, "code", err_info(err->code)->wire);
		json_write_member_string(w, "reason", err->message);
	}
	json_write_object_end(w);
}
