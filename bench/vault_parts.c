/* SPDX-License-Identifier: MIT */
/*
 * What bench/vault (a script) does not do itself: commands started bare and in turns, vaults filled
 * through the vault's own verbs, the effective rank asked within one process, and long streams.
 *
 *	bench_vault times ROUNDS -- [NAME=VALUE]... COMMAND... [-- ...]...	microseconds
 *	bench_vault run -- COMMAND...					seconds and KiB, on standard error
 *	bench_vault fill FILES						into the vault of the environment
 *	bench_vault rank						microseconds, there too
 *	bench_vault stream MIB						to standard output
 */
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/dirs.h"
#include "base/fd.h"
#include "base/num.h"
#include "vault/vault_internal.h"

extern char **environ;

static void must(int result, const struct err *err)
{
	if (result < 0)
		fatal(1, "%s", err->message);
}

static int64_t number(const char *text)
{
	cleanup_err struct err err = ERR_INIT;
	int64_t value = 0;

	must(num_parse(text, 1, 1000000000, &value, &err), &err);
	return value;
}

/* ---- starting commands ---- */

struct sample {
	int64_t wall_us;
	int64_t rss_kib;
};

/* The command's standard output goes to where ours does, or nowhere. */
static struct sample run_once(char **argv, bool is_quiet)
{
	posix_spawn_file_actions_t actions;
	struct rusage used;
	int64_t began;
	int status;
	pid_t pid;

	for (; strchr(argv[0], '=') != NULL; argv++)
		(void)putenv(argv[0]);
	(void)posix_spawn_file_actions_init(&actions);
	if (is_quiet)
		(void)posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	began = clock_monotonic_us();
	if (posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) != 0 ||
	    wait4(pid, &status, 0, &used) != pid || status != 0)
		fatal(1, "%s %s did not succeed", argv[0], argv[1] != NULL ? argv[1] : "");
	(void)posix_spawn_file_actions_destroy(&actions);
	return (
	    struct sample){ .wall_us = clock_monotonic_us() - began, .rss_kib = used.ru_maxrss };
}

static int compare(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a;
	int64_t right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

#define COMMANDS_MAX 16

/* In turns, so that all of them meet the same machine. A line each: the least, the median. */
static void times(int64_t rounds, int argc, char **argv)
{
	char **commands[COMMANDS_MAX];
	int64_t *samples[COMMANDS_MAX];
	size_t len = 0;

	for (int i = 0; i < argc && len < COMMANDS_MAX; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		argv[i] = NULL;
		commands[len] = &argv[i + 1];
		samples[len++] = xcalloc((size_t)rounds, sizeof(int64_t));
	}
	for (int64_t round = 0; round < rounds; round++) {
		for (size_t i = 0; i < len; i++)
			samples[i][round] = run_once(commands[i], true).wall_us;
	}
	for (size_t i = 0; i < len; i++) {
		qsort(samples[i], (size_t)rounds, sizeof(int64_t), compare);
		(void)printf("%" PRId64 " %" PRId64 "\n", samples[i][0], samples[i][rounds / 2]);
		free(samples[i]);
	}
}

/* ---- a vault that holds much ---- */

/* The vault of the environment, bound to its user. */
static struct vault *open_vault(void)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *dir = dirs_data(&err);
	cleanup_secret struct secret *token = vault_credential_load(&err);
	struct vault *vault = dir == NULL || token == NULL ? NULL : vault_open(dir, &err);

	must(vault == NULL ? -1 : vault_bind(vault, token, &err), &err);
	return vault;
}

#define FOLDER_FILES 100
#define BATCH_FILES 2000

static void make_folder(struct vault *vault, const char *ref)
{
	cleanup_err struct err err = ERR_INIT;
	struct vault_entry entry = { 0 };

	must(vault_folder_ensure(vault, ref, &entry, &err), &err);
	vault_entry_release(&entry);
}

/* A hundred files a folder, a hundred folders in the one above, whatever the number of files. */
static char *folder_of(int64_t n)
{
	return xasprintf(
	    "/files/%03d/%02d", (int)(n / (FOLDER_FILES * 100)), (int)(n / FOLDER_FILES % 100));
}

/* A few common words and, in three files of any vault, one that is nowhere else. */
static char *text_of(int64_t n)
{
	static const char *const words[] = { "meadow", "fence", "stile", "path", "gate", "brook" };
	cleanup_buf struct buf text = BUF_INIT;

	buf_addf(&text, "Note %" PRId64 "%s\n", n, n < 3 ? " needle" : "");
	for (int i = 0; i < 12; i++)
		buf_addf(&text, "%s%d ", words[(n + i) % (int64_t)ARRAY_LEN(words)],
		    (int)(n * 31 + i * 977) % 5000);
	return buf_detach(&text);
}

static char *ref_of(int64_t n)
{
	cleanup_free char *folder = folder_of(n);

	return xasprintf("%s/%s-%08d.md", folder, n < 3 ? "needle" : "note", (int)n);
}

static void put_all(
    struct vault *vault, int64_t from, struct vault_staged *const *staged, int64_t len)
{
	cleanup_err struct err err = ERR_INIT;
	const struct vault_put put = { 0 };

	must(vault_batch_begin(vault, "fill", &err), &err);
	for (int64_t i = 0; i < len; i++) {
		cleanup_free char *ref = ref_of(from + i);
		struct vault_version version = { 0 };

		if ((from + i) % FOLDER_FILES == 0) {
			cleanup_free char *folder = folder_of(from + i);

			make_folder(vault, folder);
		}
		must(vault_file_put(vault, ref, staged[i], &put, &version, &err), &err);
		vault_version_release(&version);
	}
	must(vault_batch_commit(vault, &err), &err);
}

/* Files and versions as an upload makes them, with a row of the audit for each. */
static void fill(int64_t files)
{
	cleanup_vault struct vault *vault = open_vault();
	struct vault_staged *staged[BATCH_FILES];

	for (int64_t at = 0; at < files; at += BATCH_FILES) {
		int64_t len = files - at < BATCH_FILES ? files - at : BATCH_FILES;

		for (int64_t i = 0; i < len; i++) {
			cleanup_err struct err err = ERR_INIT;
			cleanup_free char *text = text_of(at + i);

			staged[i] = vault_stage_bytes(vault, text, strlen(text), &err);
			must(staged[i] == NULL ? -1 : 0, &err);
		}
		put_all(vault, at, staged, len);
		for (int64_t i = 0; i < len; i++)
			vault_staged_free(staged[i]);
	}
}

/* ---- the effective rank ---- */

#define DEPTH 32
#define GRANTS 10000
#define ASKED 2000

static void add_principals(struct vault *vault, int count)
{
	cleanup_err struct err err = ERR_INIT;

	for (int i = 0; i < count; i++) {
		cleanup_free char *name = xasprintf("agent-%d", i);
		struct vault_principal principal = { 0 };

		must(vault_principal_add(vault, name, VAULT_AGENT, &principal, &err), &err);
		vault_principal_release(&principal);
	}
}

/* A chain of folders, each with the same principals' grants; the id of the deepest. */
static void grant_all(struct vault *vault, int principals, char ret_id[ID_TEXT_SIZE])
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf path = BUF_INIT;
	struct vault_entry entry = { 0 };

	for (int depth = 0; depth < DEPTH; depth++) {
		buf_addf(&path, "/deep-%d", depth);
		make_folder(vault, path.data);
		for (int i = 0; i < principals; i++) {
			cleanup_free char *name = xasprintf("agent-%d", i);

			must(vault_grant_set(vault, path.data, name,
				 (enum vault_rank)(VAULT_READ + (depth + i) % 3), &err),
			    &err);
		}
	}
	must(vault_entry_info(vault, path.data, VAULT_WANT_FOLDER, &entry, &err), &err);
	(void)snprintf(ret_id, ID_TEXT_SIZE, "%s", entry.id);
	vault_entry_release(&entry);
}

static int64_t ask_rank(struct vault *vault, const char *id, int n)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_free char *name = xasprintf("agent-%d", n);
	struct vault_principal principal = { 0 };
	struct standing standing = { 0 };
	int64_t began;

	must(principal_find(vault, name, &principal, &err), &err);
	began = clock_monotonic_us();
	must(standing_of(vault, id, principal.id, &standing, &err), &err);
	began = clock_monotonic_us() - began;
	if (standing.depth != DEPTH || standing.rank != VAULT_MANAGE)
		fatal(1, "the rank is wrong");
	vault_principal_release(&principal);
	return began;
}

static void rank(void)
{
	cleanup_vault struct vault *vault = open_vault();
	cleanup_err struct err err = ERR_INIT;
	int principals = GRANTS / DEPTH + 1;
	char id[ID_TEXT_SIZE];
	int64_t samples[ASKED];

	must(vault_batch_begin(vault, "fill", &err), &err);
	add_principals(vault, principals);
	grant_all(vault, principals, id);
	must(vault_batch_commit(vault, &err), &err);
	for (int i = 0; i < ASKED; i++)
		samples[i] = ask_rank(vault, id, i % principals);
	qsort(samples, ASKED, sizeof(int64_t), compare);
	(void)printf("%" PRId64 " %" PRId64 "\n", samples[ASKED / 2], samples[ASKED * 99 / 100]);
}

/* ---- a stream ---- */

/* Hexadecimal digits of a generator: no two parts are alike, and half of it is compressed away. */
static void stream(int64_t mib)
{
	static const char digits[] = "0123456789abcdef";
	static char block[1 << 20];
	uint64_t state = 20261130;

	for (int64_t i = 0; i < mib; i++) {
		for (size_t at = 0; at < sizeof(block); at += 16) {
			uint64_t bits = state = state * UINT64_C(6364136223846793005) + 1;

			bits ^= bits >> 29;
			for (size_t digit = 0; digit < 16; digit++, bits >>= 4)
				block[at + digit] = digits[bits & 15];
		}
		if (fd_write_all(STDOUT_FILENO, block, sizeof(block)) < 0)
			fatal(1, "the reader is gone");
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "times") == 0 && argc > 4) {
		times(number(argv[2]), argc - 3, argv + 3);
	} else if (strcmp(what, "run") == 0 && argc > 3) {
		struct sample sample = run_once(argv + 3, false);

		(void)fprintf(
		    stderr, "%.3f %" PRId64 "\n", (double)sample.wall_us / 1e6, sample.rss_kib);
	} else if (strcmp(what, "fill") == 0 && argc == 3) {
		fill(number(argv[2]));
	} else if (strcmp(what, "rank") == 0) {
		rank();
	} else if (strcmp(what, "stream") == 0 && argc == 3) {
		stream(number(argv[2]));
	} else {
		fatal(2, "usage: bench_vault times|run|fill|rank|stream ...");
	}
	return 0;
}
