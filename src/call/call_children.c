/* SPDX-License-Identifier: MIT */
/*
 * The bound on children: so many at once of one surface, so many in all. Calls wait in the order
 * in which they came, a queue a surface (and one for its exclusive tools, so that a long one does
 * not hold up reads); surfaces take turns.
 */
#include "call/call_internal.h"

#include "base/limits.h"

static struct call **queue_of(struct call *call, struct call ****ret_tail)
{
	struct served *served = call->served;

	if (call->tool->is_exclusive) {
		*ret_tail = &served->waiting_exclusive_tail;
		return &served->waiting_exclusive;
	}
	*ret_tail = &served->waiting_tail;
	return &served->waiting;
}

void host_dequeue(struct call *call)
{
	struct call ***tail = NULL;

	for (struct call **at = queue_of(call, &tail); *at != NULL; at = &(*at)->queue_next) {
		if (*at != call)
			continue;
		*at = call->queue_next;
		if (*at == NULL)
			*tail = at;
		break;
	}
	call->queue_next = NULL;
	call->is_queued = false;
}

/* A status tool starts two programs at once. */
static unsigned places_of(const struct call *call)
{
	return call->tool->builtin == SURFACE_BUILTIN_STATUS ? 2 : 1;
}

void host_child_started(struct call *call)
{
	call->is_child_counted = true;
	call->host->running += places_of(call);
	call->served->running += places_of(call);
	if (call->tool->is_exclusive)
		call->served->is_exclusive_running = true;
}

void host_child_ended(struct call *call)
{
	if (!call->is_child_counted)
		return;
	call->is_child_counted = false;
	call->host->running -= places_of(call);
	call->served->running -= places_of(call);
	if (call->tool->is_exclusive)
		call->served->is_exclusive_running = false;
}

/* The call of this surface that may start now, or NULL. */
static struct call *startable(const struct served *served)
{
	struct call *call = served->waiting;

	if (!served->is_exclusive_running && served->waiting_exclusive != NULL)
		call = served->waiting_exclusive;
	if (call == NULL ||
	    served->running + places_of(call) > call->tool->surface->limits.children)
		return NULL;
	return call;
}

bool host_start_waiting(struct host *host)
{
	size_t idle = 0;
	bool was_any = false;

	while (idle < host->served_len && !host->is_held && !host->is_draining) {
		struct call *call = startable(&host->served[host->next_served]);

		/* It keeps its turn, lest those that need one place less overtake it for ever. */
		if (call != NULL && host->running + places_of(call) > LIMIT_CHILDREN)
			break;
		host->next_served = (host->next_served + 1) % host->served_len;
		if (call == NULL) {
			idle++;
			continue;
		}
		idle = 0;
		host_dequeue(call);
		call_argv_now(call);
		was_any = true;
	}
	return was_any;
}

void host_enqueue(struct call *call)
{
	struct call ***tail = NULL;

	(void)queue_of(call, &tail);
	**tail = call;
	*tail = &call->queue_next;
	call->queue_next = NULL;
	call->is_queued = true;
}

bool host_hold(struct host *host, bool is_held)
{
	host->is_held = is_held;
	return host_start_waiting(host);
}
