/* SPDX-License-Identifier: MIT */
/*
 * The scenarios, in one run: each contender has its turn in each round, so that all of them meet
 * the same machine. Reads a JSON file that bench/run writes, prints lines of NAME WHO NUMBER.
 *
 *	bench_client CONFIG
 */
#include "client.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "json/json.h"

/* How often; the peer, much slower, has a turn in every PEER_EVERY-th round only. */
#define COLD_ROUNDS 120
#define COLD_PEER_EVERY 40
#define CALL_ROUNDS 300
#define CALL_PEER_EVERY 4
#define LIST_ROUNDS 200
#define LIST_PEER_EVERY 10
#define FLIGHT_ROUNDS 3
#define FLIGHT_CALLS 400
#define FLIGHT_PEER_CALLS 150
#define BURST_CALLS 10000
#define BURST_PEER_CALLS 1000
#define BURST_FLOOR_CALLS 1000
#define WARM_UP_CALLS 100

struct config {
	struct json_doc doc;
	const char *dir;
	const char *params; /* of a call */
	const char *output; /* of the tool */
	char *const *empty;
	char *const *tool;
	char *const *builtin; /* ours with a built-in surface */
	char *const *ours[2]; /* with 60 tools, with 1,000 */
	char *const *peer[2];
	size_t children;    /* the surface's limit */
	const char *answer; /* program that knows one answer */
	struct strvec words[7];
};

/* The two servers that are compared. */
enum who { OURS, PEER, WHO_LEN };

static const char *const who_names[] = { "ours", "peer" };

/* ---- small things ---- */

double now_us(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

void must(bool is_good, const char *what)
{
	if (!is_good)
		fatal(1, "bench_client: %s failed", what);
}

void samples_add(struct samples *samples, double value)
{
	ARRAY_GROW(samples->items, samples->len, samples->cap);
	samples->items[samples->len++] = value;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

double samples_at(struct samples *samples, double percent)
{
	must(samples->len > 0, "a sample");
	qsort(samples->items, samples->len, sizeof(*samples->items), compare);
	return samples->items[(size_t)((double)(samples->len - 1) * percent / 100)];
}

void report(const char *name, const char *who, double value)
{
	(void)printf("%s %s %.3f\n", name, who, value);
	(void)fflush(stdout);
}

void report_samples(const char *name, const char *who, struct samples *samples)
{
	cleanup_free char *head = xasprintf("%s_p10", name);
	cleanup_free char *tail = xasprintf("%s_p95", name);

	report(head, who, samples_at(samples, 10));
	report(name, who, samples_at(samples, 50));
	report(tail, who, samples_at(samples, 95));
	free(samples->items);
	*samples = (struct samples){ 0 };
}

/* ---- configuration ---- */

static char *const *read_words(struct config *config, size_t index, const char *name)
{
	struct strvec *words = &config->words[index];

	json_foreach (item, json_get(json_root(&config->doc), name)) {
		must(json_text(item) != NULL, name);
		strvec_push(words, json_text(item));
	}
	must(words->len > 0, name);
	return strvec_array(words);
}

static void read_config(struct config *config, const char *path)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	const struct json *root;
	int64_t children = 0;
	ssize_t len;

	must(fd >= 0, path);
	while ((len = read(fd, buf_reserve(&text, 4 * KIB), 4 * KIB)) > 0)
		buf_commit(&text, (size_t)len);
	len = (ssize_t)text.len;
	must(json_read_take(&config->doc, buf_detach(&text), (size_t)len, &err) == 0, path);
	root = json_root(&config->doc);
	config->dir = json_text(json_get(root, "dir"));
	config->params = json_text(json_get(root, "params"));
	config->output = json_text(json_get(root, "output"));
	config->answer = json_text(json_get(root, "answer"));
	must(config->dir != NULL && config->params != NULL && config->output != NULL &&
		 config->answer != NULL,
	    path);
	must(json_number_int64(json_get(root, "children"), &children), path);
	config->children = (size_t)children;
	config->empty = read_words(config, 0, "empty");
	config->tool = read_words(config, 1, "tool");
	config->ours[0] = read_words(config, 2, "ours60");
	config->ours[1] = read_words(config, 3, "ours1000");
	config->peer[0] = read_words(config, 4, "peer60");
	config->peer[1] = read_words(config, 5, "peer1000");
	config->builtin = read_words(config, 6, "builtin");
}

static void release_config(struct config *config)
{
	for (size_t i = 0; i < ARRAY_LEN(config->words); i++)
		strvec_release(&config->words[i]);
	json_doc_release(&config->doc);
}

/* ---- cold start ---- */

/* From nothing to the first answer. */
static double start_and_ask(char *const *argv, const char *method, const char *expected)
{
	struct server server;
	double start_us = now_us();
	double us;

	server_start(&server, argv);
	(void)server_ask(&server, method, "", expected);
	us = now_us() - start_us;
	server_stop(&server);
	return us;
}

static void measure_cold(const struct config *config)
{
	struct samples empty = { 0 };
	struct samples builtin = { 0 };
	struct samples discover[WHO_LEN] = { 0 };
	struct samples list[WHO_LEN] = { 0 };

	for (size_t i = 0; i < COLD_ROUNDS; i++) {
		double start_us = now_us();

		floor_start(config->empty);
		samples_add(&empty, now_us() - start_us);
		samples_add(&builtin,
		    start_and_ask(config->builtin, "server/discover", "supportedVersions"));
		for (size_t who = 0; who < WHO_LEN; who++) {
			char *const *argv = who == OURS ? config->ours[0] : config->peer[0];

			if (who == PEER && i % COLD_PEER_EVERY != 0)
				continue;
			samples_add(&discover[who],
			    start_and_ask(argv, "server/discover", "supportedVersions"));
			samples_add(&list[who], start_and_ask(argv, "tools/list", "\"tools\""));
		}
	}
	report_samples("cold_us", "floor", &empty);
	report_samples("cold_builtin_us", "ours", &builtin);
	for (size_t who = 0; who < WHO_LEN; who++) {
		report_samples("cold_us", who_names[who], &discover[who]);
		report_samples("cold_list_us", who_names[who], &list[who]);
	}
}

/* ---- tools/list ---- */

/* Returns the bytes of one list. */
static size_t measure_list(
    struct server *server, size_t rounds, const char *name, size_t tools, const char *who)
{
	cleanup_free char *bytes_name = xasprintf("%s_bytes", name);
	cleanup_free char *own_name = xasprintf("%s_own_us", name);
	cleanup_free char *wall_name = xasprintf("%s_us", name);
	struct samples wall = { 0 };
	size_t bytes = 0;
	double before_us;

	for (size_t i = 0; i < 3; i++) {
		size_t listed = 0;

		bytes = 0;
		(void)server_list(server, &bytes, &listed);
		must(listed == tools, "a list of all tools");
	}
	before_us = server_own_us(server);
	for (size_t i = 0; i < rounds; i++) {
		size_t listed = 0;

		bytes = 0;
		samples_add(&wall, server_list(server, &bytes, &listed));
	}
	report(own_name, who, (server_own_us(server) - before_us) / (double)rounds);
	report(bytes_name, who, (double)bytes);
	report_samples(wall_name, who, &wall);
	return bytes;
}

/* Ours, then a program that only writes as many bytes. */
static void measure_our_list(
    const struct config *config, struct server *server, const char *name, size_t tools)
{
	size_t bytes = measure_list(server, LIST_ROUNDS, name, tools, who_names[OURS]);
	cleanup_free char *program = xstrdup(config->answer);
	cleanup_free char *size = xasprintf("%zu", bytes);
	char *argv[] = { program, size, NULL };
	struct server bare;

	server_start(&bare, argv);
	(void)measure_list(&bare, LIST_ROUNDS, name, 0, "floor");
	server_stop(&bare);
}

static void measure_peer_list(struct server *server, const char *name, size_t tools)
{
	(void)measure_list(server, LIST_ROUNDS / LIST_PEER_EVERY, name, tools, who_names[PEER]);
}

static void measure_long_lists(const struct config *config)
{
	for (size_t who = 0; who < WHO_LEN; who++) {
		struct server server;

		server_start(&server, who == OURS ? config->ours[1] : config->peer[1]);
		if (who == OURS)
			measure_our_list(config, &server, "list1000", 1000);
		else
			measure_peer_list(&server, "list1000", 1000);
		server_stop(&server);
	}
}

/* ---- calls, one at a time ---- */

static double call(struct server *server, const struct config *config)
{
	return server_ask(server, "tools/call", config->params, "\"structuredContent\"");
}

/* The floors of one round; the whole is a spawn and a record behind it. */
static void measure_floors(
    const struct config *config, struct floors *floors, struct samples samples[4], double *own)
{
	double before_us = own_us();
	double times[4];

	times[0] = now_us();
	floor_spawn(config->tool);
	times[1] = now_us();
	floor_sqlite(floors, 1);
	times[2] = now_us();
	*own += own_us() - before_us;
	floor_file(floors);
	times[3] = now_us();
	samples_add(&samples[0], times[1] - times[0]);
	samples_add(&samples[1], times[2] - times[1]);
	samples_add(&samples[2], times[3] - times[2]);
	samples_add(&samples[3], times[2] - times[0]);
}

static void measure_calls(
    const struct config *config, struct floors *floors, struct server servers[WHO_LEN])
{
	static const char *const floor_names[] = { "spawn_us", "record_us", "file_us", "call_us" };
	struct samples bare[4] = { 0 };
	struct samples samples[WHO_LEN] = { 0 };
	double before_us[WHO_LEN];
	double floor_own_us = 0;

	for (size_t who = 0; who < WHO_LEN; who++) {
		for (size_t i = 0; i < WARM_UP_CALLS; i++)
			(void)call(&servers[who], config);
		before_us[who] = server_own_us(&servers[who]);
	}
	for (size_t i = 0; i < CALL_ROUNDS; i++) {
		measure_floors(config, floors, bare, &floor_own_us);
		samples_add(&samples[OURS], call(&servers[OURS], config));
		if (i % CALL_PEER_EVERY == 0)
			samples_add(&samples[PEER], call(&servers[PEER], config));
	}
	report("call_own_us", "floor", floor_own_us / CALL_ROUNDS);
	for (size_t i = 0; i < ARRAY_LEN(floor_names); i++)
		report_samples(floor_names[i], "floor", &bare[i]);
	for (size_t who = 0; who < WHO_LEN; who++) {
		report("call_own_us", who_names[who],
		    (server_own_us(&servers[who]) - before_us[who]) / (double)samples[who].len);
		report_samples("call_us", who_names[who], &samples[who]);
	}
}

/* ---- calls in flight ---- */

static void measure_flight(const struct config *config, struct floors *floors,
    struct server servers[WHO_LEN], size_t flight)
{
	cleanup_free char *name = xasprintf("flight%zu_us", flight);
	cleanup_free char *own_name = xasprintf("flight%zu_own_us", flight);
	struct samples bare = { 0 };
	struct samples wall[WHO_LEN] = { 0 };
	struct samples own[WHO_LEN] = { 0 };

	for (size_t i = 0; i < FLIGHT_ROUNDS; i++) {
		double before_us = own_us();

		samples_add(
		    &bare, floor_flight(floors, config->tool, FLIGHT_CALLS, config->children) /
			       FLIGHT_CALLS);
		report(own_name, "floor", (own_us() - before_us) / FLIGHT_CALLS);
		for (size_t who = 0; who < WHO_LEN; who++) {
			size_t calls = who == OURS ? FLIGHT_CALLS : FLIGHT_PEER_CALLS;
			struct burst burst =
			    server_burst(&servers[who], config->params, calls, flight, false);

			samples_add(&wall[who], burst.total_us / (double)calls);
			samples_add(&own[who], burst.own_us / (double)calls);
		}
	}
	report_samples(name, "floor", &bare);
	for (size_t who = 0; who < WHO_LEN; who++) {
		report_samples(name, who_names[who], &wall[who]);
		report_samples(own_name, who_names[who], &own[who]);
	}
}

static void report_memory(const struct server *server, const char *when, const char *who)
{
	cleanup_free char *rss = xasprintf("%s_rss", when);
	cleanup_free char *pss = xasprintf("%s_pss", when);

	report(rss, who, server_memory(server, "smaps_rollup", "Rss"));
	report(pss, who, server_memory(server, "smaps_rollup", "Pss"));
}

/* Everything written at once. A second time, to see whether memory grows with what was served. */
static void measure_burst(
    const struct config *config, struct floors *floors, struct server servers[WHO_LEN])
{
	report("burst_us", "floor",
	    floor_flight(floors, config->tool, BURST_FLOOR_CALLS, config->children) /
		BURST_FLOOR_CALLS);
	for (size_t who = 0; who < WHO_LEN; who++) {
		size_t calls = who == OURS ? BURST_CALLS : BURST_PEER_CALLS;
		struct server *server = &servers[who];
		struct burst burst = server_burst(server, config->params, calls, calls, true);
		double after = server_memory(server, "smaps_rollup", "Rss");

		report("burst_us", who_names[who], burst.total_us / (double)calls);
		report("burst_first_us", who_names[who], burst.first_us);
		report("burst_children", who_names[who], (double)burst.children);
		report("burst_own_us", who_names[who], burst.own_us / (double)calls);
		report("burst_peak_rss", who_names[who], server_memory(server, "status", "VmHWM"));
		report_memory(server, "burst_after", who_names[who]);
		(void)server_burst(server, config->params, calls, calls, false);
		report("burst_growth", who_names[who],
		    server_memory(server, "smaps_rollup", "Rss") - after);
	}
}

/* One server each for everything but cold starts and long lists. */
static void measure_servers(const struct config *config, struct floors *floors)
{
	struct server servers[WHO_LEN];

	for (size_t who = 0; who < WHO_LEN; who++) {
		server_start(&servers[who], who == OURS ? config->ours[0] : config->peer[0]);
		(void)server_ask(&servers[who], "server/discover", "", "supportedVersions");
		(void)server_ask(&servers[who], "tools/list", "", "\"tools\"");
		report_memory(&servers[who], "idle", who_names[who]);
	}
	measure_our_list(config, &servers[OURS], "list60", 60);
	measure_peer_list(&servers[PEER], "list60", 60);
	measure_calls(config, floors, servers);
	measure_flight(config, floors, servers, 8);
	measure_flight(config, floors, servers, 64);
	for (size_t who = 0; who < WHO_LEN; who++)
		report(
		    "loaded_rss", who_names[who], server_memory(&servers[who], "status", "VmHWM"));
	measure_burst(config, floors, servers);
	for (size_t who = 0; who < WHO_LEN; who++)
		server_stop(&servers[who]);
}

int main(int argc, char **argv)
{
	struct config config = { 0 };
	struct floors *floors;

	if (argc != 2)
		fatal(2, "usage: bench_client CONFIG");
	(void)signal(SIGPIPE, SIG_IGN);
	read_config(&config, argv[1]);
	floors = floors_open(config.dir);
	measure_cold(&config);
	measure_long_lists(&config);
	measure_servers(&config, floors);
	parts_measure(config.dir, floors, config.output);
	floors_close(floors);
	release_config(&config);
	return 0;
}
