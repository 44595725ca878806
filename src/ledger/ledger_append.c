/* SPDX-License-Identifier: MIT */
/*
 * Queue, group commit, retry, and the telling of owners. The one place where a record becomes
 * durable, and the one that decides that it never will.
 */
#include "ledger/ledger.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "ledger/ledger_internal.h"

/* Between two tries while another process holds the lock, which it does for one commit. */
#define RETRY_MIN_MS 1
#define RETRY_SPREAD_MS 4

/* A record that waits. */
struct entry {
	struct entry *next;
	uint64_t ticket;
	ledger_done_fn done; /* NULL: nobody waits, or the owner went away */
	void *ctx;
	struct ledger_row row; /* texts of its record are owned */
	struct digest surface_digest;
	struct digest arguments; /* plain digest until the key is at hand, keyed from then on */
	bool has_arguments;
	bool is_keyed;
	bool is_await; /* nothing to write: ledger_await() */
};

struct queue {
	struct entry *first;
	struct entry **end; /* where the next one is hung */
	size_t len;
};

struct ledger {
	struct store store;
	struct loop *loop;
	char writer[ID_TEXT_SIZE]; /* id of this process in its rows */
	struct queue waiting;      /* not durable yet */
	struct queue telling;      /* decided, owners not told yet */
	bool is_telling;
	uint64_t last_ticket;
	struct loop_timer *retry; /* armed while another process holds the lock */
	int64_t busy_since_ms;    /* when the first try of these records failed; 0: none did */
	int64_t refused;          /* owners told no since the last row; 0: all is well */
	struct loop_timer *seal;  /* armed while rows of ours may be unsealed */
	int64_t first_unsealed_ms;
	int64_t last_write_ms;
};

/* ---- queues ---- */

static void queue_init(struct queue *queue)
{
	*queue = (struct queue){ .end = &queue->first };
}

static void queue_add(struct queue *queue, struct entry *entry)
{
	*queue->end = entry;
	queue->end = &entry->next;
	queue->len++;
}

static struct entry *queue_pop(struct queue *queue)
{
	struct entry *entry = queue->first;

	if (entry == NULL)
		return NULL;
	queue->first = entry->next;
	if (queue->first == NULL)
		queue->end = &queue->first;
	queue->len--;
	entry->next = NULL;
	return entry;
}

/* Texts of the record are copies; writer and kind, outside it, are not. */
static bool is_copied(const struct column *column)
{
	return column->type == COLUMN_TEXT && column->offset >= offsetof(struct ledger_row, record);
}

/* The field's owned text; the field is const for everybody else. */
static char *detach_text(struct ledger_row *row, const struct column *column)
{
	char *text;

	memcpy(&text, (const char *)row + column->offset, sizeof(text));
	ledger_field_set(row, column, NULL);
	return text;
}

static void entry_free(struct entry *entry)
{
	for (size_t i = 0; i < LEDGER_COLUMNS; i++) {
		if (is_copied(&ledger_columns[i]))
			free(detach_text(&entry->row, &ledger_columns[i]));
	}
	free(entry);
}

static void queue_release(struct queue *queue)
{
	struct entry *entry;

	while ((entry = queue_pop(queue)) != NULL)
		entry_free(entry);
}

/* ---- life ---- */

struct ledger *ledger_new(const char *data_dir, struct loop *loop)
{
	struct ledger *ledger = xcalloc(1, sizeof(*ledger));

	ledger->store = STORE_INIT;
	ledger->store.data_dir = xstrdup(data_dir);
	ledger->loop = loop;
	id_new("w_", ledger->writer);
	queue_init(&ledger->waiting);
	queue_init(&ledger->telling);
	return ledger;
}

void ledger_free(struct ledger *ledger)
{
	if (ledger == NULL)
		return;
	assert(!ledger->is_telling); /* not from within a done function */
	loop_timer_remove(ledger->retry);
	loop_timer_remove(ledger->seal);
	queue_release(&ledger->waiting);
	store_close(&ledger->store);
	free(ledger->store.data_dir);
	free(ledger);
}

size_t ledger_pending(const struct ledger *ledger)
{
	return ledger->waiting.len;
}

/* ---- taking records in ---- */

static bool is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] < ' ' || text[i] > '~')
			return false;
	}
	return true;
}

char *ledger_copy_text(const char *text)
{
	size_t len = strnlen(text, LEDGER_TEXT_MAX + 1);
	struct buf visible = BUF_INIT;

	if (len <= LEDGER_TEXT_MAX && is_plain(text, len))
		return xmemdupz(text, len);
	text_add_visible(&visible, text, len);
	if (visible.len > LEDGER_TEXT_MAX) {
		buf_truncate(&visible, text_cut(visible.data, visible.len, LEDGER_TEXT_MAX));
		buf_adds(&visible, "…");
	}
	return buf_detach(&visible);
}

static void copy_texts(struct ledger_row *row)
{
	for (size_t i = 0; i < LEDGER_COLUMNS; i++) {
		const char *text;

		if (!is_copied(&ledger_columns[i]))
			continue;
		text = ledger_field(row, &ledger_columns[i]);
		if (text != NULL)
			ledger_field_set(row, &ledger_columns[i], ledger_copy_text(text));
	}
}

/* The arguments themselves are not kept, not even until the flush. */
static void copy_digests(struct entry *entry, const struct ledger_record *record)
{
	if (record->surface_digest != NULL) {
		entry->surface_digest = *record->surface_digest;
		entry->row.record.surface_digest = &entry->surface_digest;
	}
	if (record->arguments != NULL) {
		entry->arguments = digest_of(record->arguments, record->arguments_len);
		entry->has_arguments = true;
	}
	entry->row.record.arguments = NULL;
	entry->row.record.arguments_len = 0;
}

static struct entry *entry_new(struct ledger *ledger, ledger_done_fn done, void *ctx)
{
	struct entry *entry = xcalloc(1, sizeof(*entry));

	entry->ticket = ++ledger->last_ticket;
	entry->done = done;
	entry->ctx = ctx;
	return entry;
}

uint64_t ledger_await(struct ledger *ledger, ledger_done_fn done, void *ctx)
{
	struct entry *entry = entry_new(ledger, done, ctx);

	entry->is_await = true;
	queue_add(&ledger->waiting, entry);
	return entry->ticket;
}

uint64_t ledger_queue(
    struct ledger *ledger, const struct ledger_record *record, ledger_done_fn done, void *ctx)
{
	struct entry *entry = entry_new(ledger, done, ctx);

	assert(record->kind != LEDGER_CHECKPOINT);
	entry->row.time_us = clock_wall_us();
	entry->row.writer = ledger->writer;
	entry->row.kind = ledger_kind_name(record->kind);
	entry->row.record = *record;
	copy_texts(&entry->row);
	copy_digests(entry, record);
	queue_add(&ledger->waiting, entry);
	return entry->ticket;
}

static bool forget_in(struct queue *queue, uint64_t ticket)
{
	for (struct entry *entry = queue->first; entry != NULL; entry = entry->next) {
		if (entry->ticket == ticket) {
			entry->done = NULL;
			return true;
		}
	}
	return false;
}

void ledger_forget(struct ledger *ledger, uint64_t ticket)
{
	if (!forget_in(&ledger->telling, ticket))
		(void)forget_in(&ledger->waiting, ticket);
}

/* ---- the checkpoint's timer ---- */

static void on_seal_timer(void *ctx);

static void arm_seal(struct ledger *ledger, int64_t delay_ms)
{
	if (ledger->seal == NULL)
		ledger->seal = loop_add_timer(ledger->loop, delay_ms, on_seal_timer, ledger);
}

/* How long a checkpoint may wait yet; 0 or less: it is due. */
static int64_t seal_wait_ms(const struct ledger *ledger)
{
	int64_t now = clock_monotonic_ms();
	int64_t until_idle = ledger->last_write_ms + LEDGER_IDLE_MS - now;
	int64_t until_late = ledger->first_unsealed_ms + LEDGER_SEAL_MS - now;

	return until_idle < until_late ? until_idle : until_late;
}

/* While the lock is held elsewhere, the checkpoint waits for the next idle moment; after any
 * other failure, for the next flush, which meets the same trouble and tells it. */
static void on_seal_timer(void *ctx)
{
	struct ledger *ledger = ctx;
	cleanup_err struct err err = ERR_INIT;
	int64_t wait_ms = seal_wait_ms(ledger);

	ledger->seal = NULL;
	if (wait_ms > 0)
		arm_seal(ledger, wait_ms);
	else if (ledger_seal(ledger, &err) < 0 && err.code == ERR_UNAVAILABLE)
		arm_seal(ledger, LEDGER_IDLE_MS);
}

int ledger_seal(struct ledger *ledger, struct err *err)
{
	struct store *store = &ledger->store;

	if (store->sql == NULL || sql_has_moved(store->sql))
		return 0;
	if (store_seal(store, ledger->writer, err) == 0)
		return 0;
	if (err->code != ERR_UNAVAILABLE)
		store_close(store);
	return err_wrap(err, "seal the ledger");
}

static void note_written(struct ledger *ledger)
{
	ledger->last_write_ms = clock_monotonic_ms();
	if (ledger->seal != NULL)
		return;
	ledger->first_unsealed_ms = ledger->last_write_ms;
	arm_seal(ledger, LEDGER_IDLE_MS);
}

/* ---- writing ---- */

static void key_arguments(struct store *store, struct entry *entry)
{
	if (!entry->has_arguments || entry->is_keyed)
		return;
	entry->arguments = secret_mac(store->mac_key, entry->arguments.bytes, DIGEST_SIZE);
	entry->row.arguments_digest = &entry->arguments;
	entry->is_keyed = true;
}

/* Is there anything to write, or only the question whether it could be? */
static bool has_rows(const struct ledger *ledger)
{
	if (ledger->refused > 0)
		return true;
	for (const struct entry *entry = ledger->waiting.first; entry != NULL;
	     entry = entry->next) {
		if (!entry->is_await)
			return true;
	}
	return false;
}

/* Since the first try of what waits; 0: this is it. */
static int64_t waited_ms(const struct ledger *ledger)
{
	return ledger->busy_since_ms == 0 ? 0 : clock_monotonic_ms() - ledger->busy_since_ms;
}

/* The first row after an outage says how many owners were told no; that it can be written is what
 * those who wait now want to know. */
static int append_outage(struct ledger *ledger, struct tip *tip, struct err *err)
{
	struct ledger_row row = {
		.time_us = clock_wall_us(),
		.writer = ledger->writer,
		.kind = ledger_kind_name(LEDGER_PROTOCOL),
		.record = LEDGER_RECORD_INIT,
	};

	row.record.code = err_info(ERR_LEDGER_UNAVAILABLE)->wire;
	row.record.count = ledger->refused;
	return store_append(&ledger->store, tip, &row, err);
}

/* One transaction; the last hash is read inside it, so that several processes make one chain. */
static int write_waiting(struct ledger *ledger, bool *ret_is_written, struct err *err)
{
	struct store *store = &ledger->store;
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;
	struct tip tip;

	if (store_open(store, err) < 0)
		return -1;
	if (!store_may_try(store, waited_ms(ledger)))
		return err_set(err, ERR_UNAVAILABLE, "other processes wait longer");
	if (sql_begin(store->sql, &txn, err) < 0)
		return -1;
	if (!has_rows(ledger)) {
		*ret_is_written = false;
		return 0; /* the lock could be had; the transaction rolls back */
	}
	if (store_read_tip(store, &tip, err) < 0)
		return -1;
	if (ledger->refused > 0 && append_outage(ledger, &tip, err) < 0)
		return -1;
	for (struct entry *entry = ledger->waiting.first; entry != NULL; entry = entry->next) {
		if (entry->is_await)
			continue;
		key_arguments(store, entry);
		entry->row.sequence = 0;
		if (store_append(store, &tip, &entry->row, err) < 0)
			return -1;
	}
	*ret_is_written = true;
	return sql_commit(&txn, err);
}

/* Everything that waited is decided: durable, or told why not. A done function may queue more,
 * which then waits for the next flush. */
static void settle(struct ledger *ledger, const struct err *err)
{
	struct entry *entry;

	ledger->is_telling = true;
	while ((entry = queue_pop(&ledger->waiting)) != NULL)
		queue_add(&ledger->telling, entry);
	while ((entry = queue_pop(&ledger->telling)) != NULL) {
		if (entry->done != NULL)
			entry->done(entry->ctx, err_is_set(err) ? 0 : entry->row.sequence, err);
		entry_free(entry);
	}
	ledger->is_telling = false;
}

static void refuse(struct ledger *ledger, const struct err *cause)
{
	cleanup_err struct err err = ERR_INIT;

	ledger->refused += (int64_t)ledger->waiting.len;
	(void)err_set(
	    &err, ERR_LEDGER_UNAVAILABLE, "the ledger cannot be written: %s", cause->message);
	settle(ledger, &err);
}

static void on_retry(void *ctx);

/* True when the try is to be repeated: the lock is held elsewhere and patience lasts. The spread
 * keeps processes that wait for the same lock from trying in step. */
static bool wait_for_lock(struct ledger *ledger, const struct err *err)
{
	int64_t now = clock_monotonic_ms();

	if (err->code != ERR_UNAVAILABLE)
		return false;
	if (ledger->busy_since_ms == 0)
		ledger->busy_since_ms = now;
	if (now - ledger->busy_since_ms >= LEDGER_PATIENCE_MS)
		return false;
	ledger->retry = loop_add_timer(
	    ledger->loop, RETRY_MIN_MS + clock_monotonic_us() % RETRY_SPREAD_MS, on_retry, ledger);
	return true;
}

static void try_write(struct ledger *ledger)
{
	cleanup_err struct err err = ERR_INIT;

	bool is_written = false;

	if (write_waiting(ledger, &is_written, &err) == 0) {
		store_end_turn(&ledger->store);
		ledger->busy_since_ms = 0;
		if (is_written) {
			ledger->refused = 0;
			note_written(ledger);
		}
		settle(ledger, &err);
	} else if (!wait_for_lock(ledger, &err)) {
		ledger->busy_since_ms = 0;
		store_close(&ledger->store);
		refuse(ledger, &err);
	}
}

static void on_retry(void *ctx)
{
	struct ledger *ledger = ctx;

	ledger->retry = NULL;
	try_write(ledger);
}

void ledger_flush(struct ledger *ledger)
{
	if (ledger->waiting.first == NULL || ledger->retry != NULL || ledger->is_telling)
		return;
	try_write(ledger);
}
