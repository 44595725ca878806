/* SPDX-License-Identifier: MIT */
/* Checkpoints: the host's signature under all rows so far, as a row of the chain itself. */
#include "ledger/ledger_internal.h"

#include <errno.h>
#include <fcntl.h>

#include "base/clock.h"

/* The row after tip, signed over its place, its time and the hash it follows. */
static int append_checkpoint(
    struct store *store, struct tip *tip, const char *writer, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct public_key key = secret_public_key(store->seal_key);
	struct signature signature;
	struct ledger_row row = {
		.sequence = tip->sequence + 1,
		.time_us = clock_wall_us(),
		.writer = writer,
		.kind = ledger_kind_name(LEDGER_CHECKPOINT),
		.record = LEDGER_RECORD_INIT,
		.previous = tip->hash,
	};

	ledger_seal_text(&row, &text);
	signature = secret_sign(store->seal_key, text.data, text.len);
	row.seal_key = &key;
	row.seal_signature = &signature;
	return store_append(store, tip, &row, err);
}

int store_seal(struct store *store, const char *writer, struct err *err)
{
	cleanup_txn struct sql_txn txn = SQL_TXN_INIT;
	struct tip tip;

	if (sql_begin(store->sql, &txn, err) < 0 || store_read_tip(store, &tip, err) < 0)
		return -1;
	if (tip.sequence == 0 || tip.is_checkpoint)
		return 0;
	if (append_checkpoint(store, &tip, writer, err) < 0)
		return -1;
	return sql_commit(&txn, err);
}

int ledger_host_key(const char *data_dir, struct public_key *ret_key, struct err *err)
{
	cleanup_free char *name = xasprintf("%s/keys", data_dir);
	cleanup_fd int fd = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	cleanup_secret struct secret *seed = NULL;

	if (fd < 0)
		return err_errno(err, errno, "%s", name);
	seed = secret_read_file(fd, LEDGER_SEAL_KEY, SECRET_SEED_SIZE, err);
	if (seed == NULL)
		return -1;
	*ret_key = secret_public_key(seed);
	return 0;
}
