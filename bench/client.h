/* SPDX-License-Identifier: MIT */
#ifndef BENCH_CLIENT_H
#define BENCH_CLIENT_H

/*
 * The load client of the benchmark: one process, no threads, system calls and a few bytes of
 * work a message, so that what is measured is the server. client.c has the scenarios,
 * client_server.c a server at the other end of two pipes, client_floor.c what the same work costs
 * without a server, client_parts.c what record and redaction cost by themselves.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/strvec.h"

/* Microseconds of the wall. */
double now_us(void);

/* Ends the benchmark: nothing measured after a failure means anything. */
void must(bool is_good, const char *what);

/* ---- samples ---- */

struct samples {
	double *items; /* owned */
	size_t len;
	size_t cap;
};

void samples_add(struct samples *samples, double value);

/* The value at percent (0 to 100) of the sorted samples; sorts them. */
double samples_at(struct samples *samples, double percent);

/* One line of the result: a name and a number. */
void report(const char *name, const char *who, double value);

/* Median, 10th and 95th percentile: NAME, NAME_p10, NAME_p95; frees the samples. */
void report_samples(const char *name, const char *who, struct samples *samples);

/* ---- servers ---- */

struct server {
	pid_t pid;
	int in_fd;  /* its standard input */
	int out_fd; /* its standard output */
	struct buf answers;
	size_t taken; /* bytes of answers that were lines already */
	int64_t last_id;
};

/* What became of many calls at once. */
struct burst {
	double total_us;
	double first_us; /* first byte written → first answer whole */
	double own_us;   /* processor time of the server, all calls together */
	size_t children; /* most of them seen at once */
};

void server_start(struct server *server, char *const *argv);

/* Closes its input, waits for its end, kills it after five seconds. */
void server_stop(struct server *server);

/* One request and its answer, which must hold `expected`; returns microseconds. params: members
 * before _meta, each followed by a comma. */
double server_ask(
    struct server *server, const char *method, const char *params, const char *expected);

/* All pages of tools/list; returns microseconds, adds up bytes and tools. */
double server_list(struct server *server, size_t *ret_bytes, size_t *ret_tools);

/* `calls` calls of the tool, at most `flight` unanswered at a time. */
struct burst server_burst(
    struct server *server, const char *params, size_t calls, size_t flight, bool is_watching);

/* Processor time used so far, in microseconds; bytes of a field of /proc/PID/FILE. */
double server_own_us(const struct server *server);
double server_memory(const struct server *server, const char *file, const char *field);

/* ---- floors ---- */

struct floors;

struct floors *floors_open(const char *dir);
void floors_close(struct floors *floors);

/* Each does its work once. start: an empty program; spawn: the tool, its pipes drained. */
void floor_start(char *const *argv);
void floor_spawn(char *const *argv);
void floor_file(struct floors *floors);
void floor_sqlite(struct floors *floors, size_t rows);

/* `calls` runs of the tool, `children` at once, one commit a turn; returns microseconds. */
double floor_flight(struct floors *floors, char *const *argv, size_t calls, size_t children);

/* Processor time of this process. */
double own_us(void);

/* ---- parts ---- */

/* Record and redaction of the product's own rooms, beside the same commit without them. */
void parts_measure(const char *dir, struct floors *floors, const char *output);

#endif
