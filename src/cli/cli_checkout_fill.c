/* SPDX-License-Identifier: MIT */
/*
 * Bytes of the vault into files of the local folder, in constant memory. To make a small file costs the
 * system about as much as its bytes cost us, so that a thread of its own makes them while the next ones
 * are read: it sees the place and the bytes it is given, nothing of the vault. A file that is not small
 * is written as it comes, once that thread has nothing to do. Without one more thread all is done in
 * turns.
 */
#include "cli/cli_checkout.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/fd.h"

#define SMALL_MAX ((size_t)64 * 1024)
#define QUEUE_MAX 32
#define ALONE_MAX 16 /* fewer files are not worth a thread */

/* A whole small file. */
struct job {
	size_t index;
	char *data; /* owned */
	size_t len;
};

struct writer {
	pthread_t thread;
	bool is_started;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	struct job queue[QUEUE_MAX]; /* a ring */
	size_t first, len;
	bool is_busy; /* with a job that is not in the queue any more */
	bool is_ending;
	struct err fault; /* the first one; after it nothing more is made */
};

struct filling {
	struct checkout_place *place;
	const struct checkout_want *wants;
	struct cli_progress *progress;
	checkout_done_fn fn;
	void *ctx;
	size_t index;     /* the file that is next, or being read */
	struct buf bytes; /* of it, while it may be a small one */
	int fd;           /* of it, once it is not; -1 */
	int64_t done, all;
	struct writer writer;
};

/* ---- one file ---- */

static int put_in_place(struct filling *filling, size_t index, int fd, struct err *err)
{
	const struct checkout_want *want = &filling->wants[index];
	struct stat st = { 0 };

	if (checkout_place_end(filling->place, fd, want->path, want->may_replace, &st, err) < 0)
		return -1;
	if (filling->fn != NULL)
		filling->fn(filling->ctx, index, &st);
	return 0;
}

static int write_bytes(
    struct filling *filling, size_t index, int fd, const void *data, size_t len, struct err *err)
{
	if (fd_write_all(fd, data, len) == 0)
		return 0;
	return err_errno(err, errno, "write %s", filling->wants[index].path);
}

static int make_small(struct filling *filling, const struct job *job, struct err *err)
{
	cleanup_fd int fd = checkout_place_begin(filling->place, err);

	if (fd < 0 || write_bytes(filling, job->index, fd, job->data, job->len, err) < 0)
		return -1;
	return put_in_place(filling, job->index, fd, err);
}

/* ---- the writer ---- */

/* The next job, once there is one; false: there is none any more. The lock is held. */
static bool wait_for_job(struct writer *writer, struct job *ret_job)
{
	while (writer->len == 0 && !writer->is_ending)
		(void)pthread_cond_wait(&writer->changed, &writer->lock);
	if (writer->len == 0)
		return false;
	*ret_job = writer->queue[writer->first];
	writer->first = (writer->first + 1) % QUEUE_MAX;
	writer->len--;
	return true;
}

static void *write_what_comes(void *ctx)
{
	struct filling *filling = ctx;
	struct writer *writer = &filling->writer;
	struct job job;

	(void)pthread_mutex_lock(&writer->lock);
	while (wait_for_job(writer, &job)) {
		cleanup_err struct err err = ERR_INIT;
		bool is_wanted = !err_is_set(&writer->fault);

		writer->is_busy = true;
		(void)pthread_mutex_unlock(&writer->lock);
		if (is_wanted)
			(void)!make_small(filling, &job, &err);
		free(job.data);
		(void)pthread_mutex_lock(&writer->lock);
		if (err_is_set(&err))
			err_move(&writer->fault, &err);
		writer->is_busy = false;
		(void)pthread_cond_broadcast(&writer->changed);
	}
	(void)pthread_mutex_unlock(&writer->lock);
	return NULL;
}

/* Signals are for the thread that was there first. */
static void writer_start(struct filling *filling, size_t files)
{
	struct writer *writer = &filling->writer;
	sigset_t all;
	sigset_t before;

	(void)pthread_mutex_init(&writer->lock, NULL);
	(void)pthread_cond_init(&writer->changed, NULL);
	if (files < ALONE_MAX)
		return;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	writer->is_started = pthread_create(&writer->thread, NULL, write_what_comes, filling) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The writer's fault, as that of the caller. The lock is held. */
static int take_fault(struct writer *writer, struct err *err)
{
	if (!err_is_set(&writer->fault))
		return 0;
	/* a copy: the writer goes on to see one, so that what waits is not made */
	return err_set(err, writer->fault.code, "%s", writer->fault.message);
}

/* Waits until at most so many files wait and, for none, none is being made. */
static int writer_wait(struct writer *writer, size_t len, struct err *err)
{
	int result;

	(void)pthread_mutex_lock(&writer->lock);
	while (writer->len > len || (len == 0 && writer->is_busy))
		(void)pthread_cond_wait(&writer->changed, &writer->lock);
	result = take_fault(writer, err);
	(void)pthread_mutex_unlock(&writer->lock);
	return result;
}

/* Takes the job's data. */
static int writer_give(struct filling *filling, const struct job *job, struct err *err)
{
	struct writer *writer = &filling->writer;

	if (!writer->is_started) {
		int result = make_small(filling, job, err);

		free(job->data);
		return result;
	}
	if (writer_wait(writer, QUEUE_MAX - 1, err) < 0) {
		free(job->data);
		return -1;
	}
	(void)pthread_mutex_lock(&writer->lock);
	assert(writer->len < QUEUE_MAX); /* nobody else gives */
	writer->queue[(writer->first + writer->len++) % QUEUE_MAX] = *job;
	(void)pthread_cond_broadcast(&writer->changed);
	(void)pthread_mutex_unlock(&writer->lock);
	return 0;
}

/* All is made, or given up. */
static void writer_end(struct writer *writer)
{
	if (writer->is_started) {
		(void)pthread_mutex_lock(&writer->lock);
		writer->is_ending = true;
		(void)pthread_cond_broadcast(&writer->changed);
		(void)pthread_mutex_unlock(&writer->lock);
		(void)pthread_join(writer->thread, NULL);
	}
	(void)pthread_cond_destroy(&writer->changed);
	(void)pthread_mutex_destroy(&writer->lock);
}

/* ---- bytes as they come ---- */

/* The file is not small: from here on it is written as it comes. */
static int begin_large(struct filling *filling, struct err *err)
{
	if (writer_wait(&filling->writer, 0, err) < 0)
		return -1;
	filling->fd = checkout_place_begin(filling->place, err);
	if (filling->fd < 0)
		return -1;
	return write_bytes(
	    filling, filling->index, filling->fd, filling->bytes.data, filling->bytes.len, err);
}

static int end_file(struct filling *filling, struct err *err)
{
	struct job job = { .index = filling->index++ };

	if (filling->fd >= 0) {
		int result = put_in_place(filling, job.index, filling->fd, err);

		close_fd(&filling->fd);
		buf_reset(&filling->bytes);
		return result;
	}
	job.len = filling->bytes.len;
	job.data = buf_detach(&filling->bytes);
	return writer_give(filling, &job, err);
}

static int take(void *ctx, size_t index, const void *data, size_t len, struct err *err)
{
	struct filling *filling = ctx;

	assert(index == filling->index);
	if (data == NULL)
		return end_file(filling, err);
	filling->done += (int64_t)len;
	cli_progress_step(filling->progress, filling->done, filling->all);
	if (filling->fd < 0 && filling->bytes.len + len <= SMALL_MAX) {
		buf_add(&filling->bytes, data, len);
		return 0;
	}
	if (filling->fd < 0 && begin_large(filling, err) < 0)
		return -1;
	return write_bytes(filling, index, filling->fd, data, len, err);
}

/* Faults that name a version, not a file. */
static bool is_of_the_vault(const struct err *err)
{
	return err->code == ERR_NOT_FOUND || err->code == ERR_CONTENT_CORRUPT;
}

int checkout_fill(struct checkout_place *place, struct vault *vault, const char *operation,
    const char *folder, const struct checkout_want *wants, size_t len,
    struct cli_progress *progress, checkout_done_fn fn, void *ctx, struct err *err)
{
	struct vault_pick *picks = xcalloc(len + 1, sizeof(*picks));
	struct filling filling = {
		.place = place,
		.wants = wants,
		.progress = progress,
		.fn = fn,
		.ctx = ctx,
		.bytes = BUF_INIT,
		.fd = -1,
	};
	int result;

	for (size_t i = 0; i < len; i++) {
		picks[i] = (struct vault_pick){ .file = wants[i].id, .version = wants[i].version };
		filling.all += wants[i].size;
	}
	writer_start(&filling, len);
	result = vault_version_get_many(vault, operation, folder, picks, len, take, &filling, err);
	writer_end(&filling.writer);
	if (err_is_set(&filling.writer.fault)) {
		err_move(err, &filling.writer.fault);
		result = -1;
	} else if (result < 0 && filling.index < len && is_of_the_vault(err)) {
		(void)err_wrap(err, "%s", wants[filling.index].path);
	}
	cli_progress_end(progress);
	close_fd(&filling.fd);
	buf_release(&filling.bytes);
	free(picks);
	return result;
}
