/* SPDX-License-Identifier: MIT */
/*
 * Requests in flight, by id: tool calls, listen streams and lists that wait, whose answers come later. A table, so
 * that ten thousand pipelined calls cost no more each than one. Its hash is seeded: ids are the
 * peer's choice.
 */
#include "mcp/mcp_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/ids.h"

void mcp_flights_release(struct mcp_flights *flights)
{
	free(flights->buckets);
	*flights = (struct mcp_flights){ 0 };
}

/* FNV-1a from a seed that the peer cannot know. */
static uint64_t hash_key(const struct mcp_flights *flights, const struct buf *key)
{
	uint64_t hash = flights->seed;

	for (size_t i = 0; i < key->len; i++)
		hash = (hash ^ (uint8_t)key->data[i]) * UINT64_C(1099511628211);
	return hash ^ (hash >> 32);
}

static struct mcp_flight **bucket_of(const struct mcp_flights *flights, uint64_t hash)
{
	return &flights->buckets[hash & (flights->buckets_len - 1)];
}

static void grow(struct mcp_flights *flights)
{
	struct mcp_flights larger = *flights;

	if (flights->buckets_len == 0)
		random_bytes(&larger.seed, sizeof(larger.seed));
	larger.buckets_len = flights->buckets_len > 0 ? 2 * flights->buckets_len : 64;
	larger.buckets = xcalloc(larger.buckets_len, sizeof(struct mcp_flight *));
	for (size_t i = 0; i < flights->buckets_len; i++) {
		struct mcp_flight *next;

		for (struct mcp_flight *flight = flights->buckets[i]; flight; flight = next) {
			struct mcp_flight **bucket = bucket_of(&larger, flight->hash);

			next = flight->next;
			flight->next = *bucket;
			*bucket = flight;
		}
	}
	free(flights->buckets);
	*flights = larger;
}

struct mcp_flight *mcp_flight_find(const struct mcp_flights *flights, const struct json *id)
{
	cleanup_buf struct buf key = BUF_INIT;
	struct mcp_flight *flight;
	uint64_t hash;

	if (flights->len == 0)
		return NULL;
	mcp_id_add_key(&key, id);
	hash = hash_key(flights, &key);
	for (flight = *bucket_of(flights, hash); flight != NULL; flight = flight->next) {
		if (flight->hash == hash && flight->key_len == key.len &&
		    memcmp(flight->key, key.data, key.len) == 0)
			break;
	}
	return flight;
}

struct mcp_flight *mcp_flight_new(
    struct mcp_server *server, const struct json *id, const struct mcp_waiter *waiter)
{
	struct mcp_flights *flights = &server->flights;
	struct mcp_flight *flight = xcalloc(1, sizeof(*flight));
	struct mcp_flight **bucket;
	struct buf key = BUF_INIT;

	if (flights->len >= flights->buckets_len)
		grow(flights);
	mcp_id_add_key(&key, id);
	flight->hash = hash_key(flights, &key);
	flight->key_len = key.len;
	flight->key = buf_detach(&key);
	bucket = bucket_of(flights, flight->hash);
	flight->next = *bucket;
	*bucket = flight;
	flight->is_listed = true;
	flights->len++;

	flight->server = server;
	flight->waiter = *waiter;
	flight->id = xmemdupz(waiter->id, waiter->id_len);
	flight->waiter.id = flight->id;
	if (waiter->batch != NULL)
		waiter->batch->open++;
	return flight;
}

void mcp_flight_unlist(struct mcp_server *server, struct mcp_flight *flight)
{
	struct mcp_flight **place;

	if (!flight->is_listed)
		return;
	place = bucket_of(&server->flights, flight->hash);
	while (*place != flight) {
		assert(*place != NULL);
		place = &(*place)->next;
	}
	*place = flight->next;
	flight->is_listed = false;
	server->flights.len--;
}

void mcp_flight_free(struct mcp_flight *flight)
{
	if (flight->server != NULL) {
		host_waiter_remove(flight->server->host, &flight->scope);
		mcp_flight_unlist(flight->server, flight);
		LIST_REMOVE(flight, link);
		if (flight->waiter.batch != NULL)
			mcp_batch_close(flight->server, flight->waiter.batch);
	}
	free(flight->id);
	free(flight->key);
	mcp_elicit_drop(flight);
	free(flight->tool);
	free(flight->token);
	free(flight->cursor);
	free(flight);
}
