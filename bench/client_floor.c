/* SPDX-License-Identifier: MIT */
/* What the same work costs without a server: starts, spawns, records, and spawns side by side. */
#include "client.h"

#include <fcntl.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROW_BYTES 450 /* of a typical record */
#define CHILDREN_MAX 64

static char *const environment[] = { NULL };

struct floors {
	int file_fd;
	sqlite3 *db;
	sqlite3_stmt *begin;
	sqlite3_stmt *insert;
	sqlite3_stmt *commit;
};

/* ---- records ---- */

static void open_sqlite(struct floors *floors, const char *path)
{
	must(sqlite3_open(path, &floors->db) == SQLITE_OK, path);
	must(sqlite3_exec(floors->db,
		 "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
		 "CREATE TABLE t (id INTEGER PRIMARY KEY, data BLOB)",
		 NULL, NULL, NULL) == SQLITE_OK,
	    path);
	(void)sqlite3_prepare_v2(floors->db, "BEGIN IMMEDIATE", -1, &floors->begin, NULL);
	(void)sqlite3_prepare_v2(
	    floors->db, "INSERT INTO t(data) VALUES (?1)", -1, &floors->insert, NULL);
	(void)sqlite3_prepare_v2(floors->db, "COMMIT", -1, &floors->commit, NULL);
}

struct floors *floors_open(const char *dir)
{
	struct floors *floors = xcalloc(1, sizeof(*floors));
	cleanup_free char *db_path = xasprintf("%s/floor.db", dir);
	cleanup_free char *file_path = xasprintf("%s/floor.log", dir);

	floors->file_fd = open(file_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	must(floors->file_fd >= 0, file_path);
	open_sqlite(floors, db_path);
	return floors;
}

void floors_close(struct floors *floors)
{
	(void)sqlite3_finalize(floors->begin);
	(void)sqlite3_finalize(floors->insert);
	(void)sqlite3_finalize(floors->commit);
	(void)sqlite3_close(floors->db);
	(void)close(floors->file_fd);
	free(floors);
}

void floor_file(struct floors *floors)
{
	static char page[4096];

	must(write(floors->file_fd, page, sizeof(page)) == sizeof(page), "write");
	must(fdatasync(floors->file_fd) == 0, "fdatasync");
}

static void step(sqlite3_stmt *stmt)
{
	must(sqlite3_step(stmt) == SQLITE_DONE, "bare SQLite");
	(void)sqlite3_reset(stmt);
}

void floor_sqlite(struct floors *floors, size_t rows)
{
	static char row[ROW_BYTES];

	step(floors->begin);
	for (size_t i = 0; i < rows; i++) {
		(void)sqlite3_bind_blob(floors->insert, 1, row, sizeof(row), SQLITE_STATIC);
		step(floors->insert);
	}
	step(floors->commit);
}

/* ---- children ---- */

struct child {
	pid_t pid;
	int out_fd; /* both streams, as a caller that keeps them apart needs them */
	int err_fd;
};

static __attribute__((noinline)) pid_t vfork_program(char *const *argv, int out, int err)
{
	pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): it is measured */

	if (pid == 0) {
		(void)dup2(out, STDOUT_FILENO);
		(void)dup2(err, STDERR_FILENO);
		(void)execve(argv[0], argv, environment);
		_exit(127);
	}
	return pid;
}

static void start_child(struct child *child, char *const *argv)
{
	int out[2];
	int err[2];

	must(pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0, "pipe");
	child->pid = vfork_program(argv, out[1], err[1]);
	must(child->pid > 0, "start of a program");
	(void)close(out[1]);
	(void)close(err[1]);
	child->out_fd = out[0];
	child->err_fd = err[0];
}

static void drain(int fd)
{
	char chunk[65536];

	while (read(fd, chunk, sizeof(chunk)) > 0)
		;
	(void)close(fd);
}

static void end_child(struct child *child)
{
	int status = 0;

	drain(child->out_fd);
	drain(child->err_fd);
	must(waitpid(child->pid, &status, 0) == child->pid && status == 0, "end of a program");
}

void floor_start(char *const *argv)
{
	int status = 0;
	pid_t pid = vfork_program(argv, STDERR_FILENO, STDERR_FILENO);

	must(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "the empty program");
}

void floor_spawn(char *const *argv)
{
	struct child child;

	start_child(&child, argv);
	end_child(&child);
}

/* A descriptor that tells of its end. What it prints fits into its pipes and is read then. */
static int start_watched(struct child *child, char *const *argv)
{
	int fd;

	start_child(child, argv);
	fd = pidfd_open(child->pid, 0);
	must(fd >= 0, "pidfd_open");
	return fd;
}

static void end_watched(struct child *child, struct pollfd *polled)
{
	end_child(child);
	(void)close(polled->fd);
	polled->fd = -1;
}

double floor_flight(struct floors *floors, char *const *argv, size_t calls, size_t children)
{
	struct child running[CHILDREN_MAX];
	struct pollfd polled[CHILDREN_MAX];
	double start_us = now_us();
	size_t started = 0;
	size_t ended = 0;

	must(children <= CHILDREN_MAX && children <= calls, "few children");
	for (; started < children; started++) {
		polled[started].fd = start_watched(&running[started], argv);
		polled[started].events = POLLIN;
	}
	while (ended < calls) {
		size_t rows = 0;

		must(poll(polled, children, -1) > 0, "poll");
		for (size_t i = 0; i < children; i++) {
			if (polled[i].fd < 0 || polled[i].revents == 0)
				continue;
			end_watched(&running[i], &polled[i]);
			rows++;
			if (started < calls) {
				polled[i].fd = start_watched(&running[i], argv);
				started++;
			}
		}
		if (rows > 0)
			floor_sqlite(floors, rows);
		ended += rows;
	}
	return now_us() - start_us;
}

double own_us(void)
{
	struct rusage usage = { 0 };

	(void)getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}
