/* SPDX-License-Identifier: MIT */
/* A server at the other end of two pipes: started, asked, watched, stopped. */
#include "client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "json/json.h"

#define STOP_MS 5000
#define READ_BYTES (256 * KIB)
#define WATCH_US 2000 /* between two looks at the children */

static const char meta[] =
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"bench\",\"version\":\"1\"},"
    "\"io.modelcontextprotocol/clientCapabilities\":{}}";

/* ---- life ---- */

static __attribute__((noinline)) pid_t vfork_server(char *const *argv, int in, int out)
{
	pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): the cheapest */

	if (pid == 0) {
		(void)dup2(in, STDIN_FILENO);
		(void)dup2(out, STDOUT_FILENO);
		(void)execv(argv[0], argv);
		_exit(127);
	}
	return pid;
}

void server_start(struct server *server, char *const *argv)
{
	int in[2];
	int out[2];

	must(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0, "pipe");
	*server = (struct server){ .in_fd = in[1], .out_fd = out[0], .answers = BUF_INIT };
	server->pid = vfork_server(argv, in[0], out[1]);
	must(server->pid > 0, "start of a server");
	(void)close(in[0]);
	(void)close(out[1]);
}

static bool has_ended(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) != 0;
}

void server_stop(struct server *server)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	double end_us = now_us() + STOP_MS * 1000.0;

	(void)close(server->in_fd);
	(void)close(server->out_fd);
	while (!has_ended(server->pid)) {
		if (now_us() > end_us)
			(void)kill(server->pid, SIGKILL);
		(void)nanosleep(&pause, NULL);
	}
	buf_release(&server->answers);
}

/* ---- lines ---- */

static void add_request(
    struct server *server, struct buf *buf, const char *method, const char *params)
{
	buf_addf(buf, "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"method\":\"%s\",\"params\":{%s%s}}\n",
	    (long long)++server->last_id, method, params, meta);
}

/* Reads once; what lines were taken before is dropped. */
static void read_answers(struct server *server)
{
	ssize_t len;
	char *room;

	buf_consume(&server->answers, server->taken);
	server->taken = 0;
	room = buf_reserve(&server->answers, READ_BYTES);
	must(room != NULL, "room for answers");
	len = read(server->out_fd, room, READ_BYTES);
	must(len > 0 || (len < 0 && (errno == EAGAIN || errno == EINTR)), "answers of a server");
	if (len > 0)
		buf_commit(&server->answers, (size_t)len);
}

/* The next whole line of what was read, or NULL. */
static const char *take_line(struct server *server, size_t *ret_len)
{
	const char *line = server->answers.data + server->taken;
	const char *end = memchr(line, '\n', server->answers.len - server->taken);

	if (end == NULL)
		return NULL;
	*ret_len = (size_t)(end - line);
	server->taken += *ret_len + 1;
	return line;
}

static const char *wait_line(struct server *server, size_t *ret_len)
{
	const char *line;

	while ((line = take_line(server, ret_len)) == NULL)
		read_answers(server);
	return line;
}

static void must_hold(const char *line, size_t len, const char *expected)
{
	if (memmem(line, len, expected, strlen(expected)) == NULL)
		(void)fprintf(stderr, "answer: %.*s\n", (int)(len < 500 ? len : 500), line);
	must(memmem(line, len, expected, strlen(expected)) != NULL, "unexpected answer");
}

static const char *ask(
    struct server *server, const char *method, const char *params, size_t *ret_len, double *ret_us)
{
	cleanup_buf struct buf request = BUF_INIT;
	const char *line;
	double start_us;

	add_request(server, &request, method, params);
	start_us = now_us();
	must(write(server->in_fd, request.data, request.len) == (ssize_t)request.len, "a request");
	line = wait_line(server, ret_len);
	*ret_us = now_us() - start_us;
	return line;
}

double server_ask(
    struct server *server, const char *method, const char *params, const char *expected)
{
	size_t len = 0;
	double us = 0;
	const char *line = ask(server, method, params, &len, &us);

	must_hold(line, len, expected);
	return us;
}

/* Counts the tools of a page; the cursor of the next one as params, or nothing. */
static void read_page(const char *line, size_t len, size_t *tools, struct buf *cursor)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	const struct json *result;
	const struct json *next;

	must(json_read(&doc, line, len, &err) == 0, "a list that is JSON");
	result = json_get(json_root(&doc), "result");
	must(json_is(json_get(result, "tools"), JSON_ARRAY), "a list of tools");
	*tools += json_get(result, "tools")->len;
	buf_reset(cursor);
	next = json_get(result, "nextCursor");
	if (next != NULL) {
		buf_adds(cursor, "\"cursor\":");
		buf_add(cursor, next->raw, next->raw_len);
		buf_addc(cursor, ',');
	}
}

double server_list(struct server *server, size_t *ret_bytes, size_t *ret_tools)
{
	cleanup_buf struct buf cursor = BUF_INIT;
	double total_us = 0;

	do {
		size_t len = 0;
		double us = 0;
		const char *line = ask(server, "tools/list", cursor.data, &len, &us);

		total_us += us;
		*ret_bytes += len + 1;
		read_page(line, len, ret_tools, &cursor);
	} while (cursor.len > 0);
	return total_us;
}

/* ---- many calls at once ---- */

static size_t count_children(pid_t pid)
{
	cleanup_free char *path = xasprintf("/proc/%d/task/%d/children", (int)pid, (int)pid);
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[16384];
	ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof(text));
	size_t count = 0;

	for (ssize_t i = 0; i < len; i++)
		count += text[i] == ' ';
	return count;
}

static void set_blocking(int fd, bool is_blocking)
{
	must(fcntl(fd, F_SETFL, is_blocking ? 0 : O_NONBLOCK) == 0, "flags of a pipe");
}

/* Writes what the pipe takes. */
static void write_some(struct server *server, struct buf *requests, size_t *written)
{
	ssize_t len = write(server->in_fd, requests->data + *written, requests->len - *written);

	must(len >= 0 || errno == EAGAIN, "requests");
	if (len > 0)
		*written += (size_t)len;
	if (*written == requests->len) {
		buf_reset(requests);
		*written = 0;
	}
}

static size_t take_answers(struct server *server)
{
	size_t count = 0;
	size_t len = 0;
	const char *line;

	read_answers(server);
	while ((line = take_line(server, &len)) != NULL) {
		must_hold(line, len, "\"structuredContent\"");
		count++;
	}
	return count;
}

static void run_burst(struct server *server, const char *params, size_t calls, size_t flight,
    bool is_watching, struct burst *burst)
{
	cleanup_buf struct buf requests = BUF_INIT;
	size_t written = 0;
	size_t asked = 0;
	size_t answered = 0;
	double start_us;
	double look_us;

	for (; asked < calls && asked < flight; asked++)
		add_request(server, &requests, "tools/call", params);
	look_us = start_us = now_us();
	while (answered < calls) {
		struct pollfd polled[] = { { .fd = server->out_fd, .events = POLLIN },
			{ .fd = server->in_fd } };

		for (; asked < calls && asked - answered < flight; asked++)
			add_request(server, &requests, "tools/call", params);
		polled[1].events = requests.len > 0 ? POLLOUT : 0;
		must(poll(polled, 2, is_watching ? WATCH_US / 1000 : -1) >= 0, "poll");
		if (requests.len > 0 && (polled[1].revents & POLLOUT) != 0)
			write_some(server, &requests, &written);
		if (polled[0].revents != 0)
			answered += take_answers(server);
		if (answered > 0 && burst->first_us == 0)
			burst->first_us = now_us() - start_us;
		if (is_watching && now_us() >= look_us) {
			size_t children = count_children(server->pid);

			burst->children = children > burst->children ? children : burst->children;
			look_us = now_us() + WATCH_US;
		}
	}
	burst->total_us = now_us() - start_us;
}

struct burst server_burst(
    struct server *server, const char *params, size_t calls, size_t flight, bool is_watching)
{
	struct burst burst = { 0 };
	double before_us = server_own_us(server);

	set_blocking(server->in_fd, false);
	set_blocking(server->out_fd, false);
	run_burst(server, params, calls, flight, is_watching, &burst);
	set_blocking(server->in_fd, true);
	set_blocking(server->out_fd, true);
	burst.own_us = server_own_us(server) - before_us;
	return burst;
}

/* ---- watching ---- */

double server_own_us(const struct server *server)
{
	struct timespec used = { 0 };
	clockid_t clock;

	must(clock_getcpuclockid(server->pid, &clock) == 0 && clock_gettime(clock, &used) == 0,
	    "the processor time of a server");
	return (double)used.tv_sec * 1e6 + (double)used.tv_nsec / 1e3;
}

double server_memory(const struct server *server, const char *file, const char *field)
{
	cleanup_free char *path = xasprintf("/proc/%d/%s", (int)server->pid, file);
	FILE *stream = fopen(path, "re");
	char line[256];
	double kib = -1;

	must(stream != NULL, path);
	while (fgets(line, sizeof(line), stream) != NULL) {
		size_t len = strlen(field);

		if (strncmp(line, field, len) == 0 && line[len] == ':')
			kib = strtod(line + len + 1, NULL);
	}
	(void)fclose(stream);
	must(kib >= 0, field);
	return kib * 1024;
}
