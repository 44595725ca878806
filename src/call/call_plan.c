/* SPDX-License-Identifier: MIT */
/*
 * plan: what would run, as facts. A new plan keeps them; an old one is compared with them, and then
 * the call ends here or, for an apply, is authorized and goes on. First the world is looked at, by
 * calls of the same host; then the facts are taken, in the moment before they are needed.
 */
#include "call/call_internal.h"

#include <string.h>

/* Between argv and here others have run: is the surface still the one that the words were made of? */
static int check_unchanged(struct call *call)
{
	(void)host_refresh(call->host);
	if (call->served->loaded == call->loaded)
		return 0;
	return err_set(&call->err, ERR_SURFACE_UNTRUSTED,
	    "surface %s changed while its preconditions were read", call->tool->surface->name);
}

/* A plan says what it relies on, so it cannot be made while one of these cannot be read. */
static int check_readable(struct call *call)
{
	for (size_t i = 0; i < call->reads->len; i++) {
		const struct plan_read *read = &call->reads->items[i];

		if (read->fault != NULL)
			return err_set(&call->err, ERR_NOT_FOUND, "%s says nothing at %s: %s",
			    read->tool, read->pointer, read->fault);
	}
	return 0;
}

/* It is applied with the arguments that it keeps, whose paths are absolute: a schema that does not take
 * these would refuse every apply. */
static int check_repeatable(struct call *call)
{
	cleanup_json struct json_doc again = JSON_DOC_INIT;
	const struct json *arguments = json_root(&call->resolved);
	bool is_vetoed = false;

	if (surface_check_arguments(call->tool, arguments, &again, &is_vetoed, &call->err) < 0)
		return err_wrap(&call->err, "with its paths absolute, as a plan keeps them");
	if (json_equal(json_root(&again), arguments))
		return 0;
	return err_set(&call->err, ERR_INVALID_ARGUMENT,
	    "with their paths absolute, as a plan keeps them, the arguments mean something else");
}

/* Is something in an argument that would be masked anywhere else? */
static int count_masks(
    struct call *call, const struct json *name, const struct json *value, size_t *ret_masks)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_buf struct buf masked = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);
	size_t escaped = 0;

	json_write_object_begin(&w);
	json_write_key_len(&w, name->str, name->len);
	json_write_node(&w, value);
	json_write_object_end(&w);
	return redact_json(call->loaded->redactor, NULL, text.data, text.len, &masked, ret_masks,
	    &escaped, &call->err);
}

/* A plan is kept, and shown to whoever approves it, as it is: nothing of it can be masked. */
static int check_plain(struct call *call)
{
	json_foreach_member (name, value, json_root(&call->resolved)) {
		size_t masks = 0;

		if (count_masks(call, name, value, &masks) < 0)
			return -1;
		if (masks > 0)
			return err_set(&call->err, ERR_INVALID_ARGUMENT,
			    "/%s: holds what looks like a secret, and a plan keeps and shows its "
			    "arguments as they are; leave it out, and let the program find it by "
			    "itself",
			    name->str);
	}
	return 0;
}

/* 1: an equal plan that may still be applied is there. */
static int find(struct call *call, const struct plan_facts *facts)
{
	struct call_purpose *purpose = call->purpose;
	struct digest hash;

	if (purpose->kind != CALL_FIND)
		return 0;
	if (plan_facts_hash(facts, &hash, &call->err) < 0)
		return -1;
	return records_plan_find(purpose->records, &hash, &purpose->made, &call->err);
}

static int keep(struct call *call, const struct plan_facts *facts)
{
	struct call_purpose *purpose = call->purpose;
	int found;

	if (check_readable(call) < 0 || check_repeatable(call) < 0 || check_plain(call) < 0)
		return -1;
	found = find(call, facts);
	if (found != 0)
		return found < 0 ? -1 : 0;
	return records_plan_add(purpose->records, facts, purpose->actor, call->reads->preview,
	    &purpose->made, &call->err);
}

static int compare(struct call *call, const struct plan_facts *facts)
{
	struct call_purpose *purpose = call->purpose;

	if (plan_facts_diff(&purpose->plan->facts, facts, &purpose->differences, &call->err) < 0)
		return -1;
	if (purpose->kind == CALL_APPLY && purpose->differences.len > 0)
		return call_refuse_stale(call);
	return 0;
}

static enum call_step judge(struct call *call)
{
	enum call_purpose_kind kind = call->purpose->kind;
	struct call_facts *facts;
	int result;

	if (check_unchanged(call) < 0)
		return CALL_FAIL;
	facts = call_facts_new(call, &call->err);
	if (facts == NULL)
		return CALL_FAIL;
	result = kind == CALL_CREATE || kind == CALL_FIND ? keep(call, call_facts_of(facts))
							  : compare(call, call_facts_of(facts));
	call_facts_free(facts);
	if (result < 0)
		return CALL_FAIL;
	if (kind == CALL_APPLY)
		return call_apply_begin(call);
	call->is_planned = true;
	return CALL_NEXT;
}

void call_plan_go_on(struct call *call)
{
	call_resume(call, judge(call));
}

/* Of the exclusive tools of a surface one is applied at a time, whatever its target: before the world is
 * looked at, as the target's lock was. */
static int lock_exclusive(struct call *call)
{
	struct call_purpose *purpose = call->purpose;

	if (purpose->kind != CALL_APPLY || !call->tool->is_exclusive)
		return 0;
	return call_lock_target(call->host->data_dir, call->tool->surface->name, NULL,
	    call->tool->plan->wait_ms, &purpose->exclusive_fd, &call->err);
}

enum call_step call_plan(struct call *call)
{
	if (lock_exclusive(call) < 0)
		return CALL_FAIL;
	/* What looks at the world needs places among the children, too. */
	host_child_ended(call);
	return call_reads_begin(call);
}
