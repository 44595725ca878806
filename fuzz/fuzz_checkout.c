/* SPDX-License-Identifier: MIT */
/*
 * The record of a checkout is anybody's bytes: what is taken of it names only files that may be written,
 * in order, and is written again as it was read. The same bytes as a name: what some file system takes for
 * ".git" by case alone is never fit to be written.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli_checkout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
	if (!holds)
		abort();
}

static void check_files(const struct checkout_record *record)
{
	for (size_t i = 0; i < record->len; i++) {
		const char *path = record->files[i].path;

		demand(checkout_path_fault(path) == NULL);
		demand(path[0] != '/' && strstr(path, "//") == NULL);
		demand(strncasecmp(path, ".git/", 5) != 0 && strcasestr(path, "/.git/") == NULL);
		demand(i == 0 || strcmp(record->files[i - 1].path, path) < 0);
	}
}

static void check_record(const char *text, size_t len)
{
	cleanup_record struct checkout_record record = { 0 };
	cleanup_record struct checkout_record again = { 0 };
	cleanup_buf struct buf written = BUF_INIT;
	cleanup_buf struct buf written_again = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;

	if (checkout_record_read(text, len, &record, &err) < 0) {
		demand(err.code == ERR_CONFIGURATION && record.files == NULL);
		return;
	}
	check_files(&record);
	checkout_record_write(&record, &written);
	demand(checkout_record_read(written.data, written.len, &again, &err) == 0);
	checkout_record_write(&again, &written_again);
	demand(strcmp(written.data, written_again.data) == 0);
}

static void check_name(const char *name)
{
	const char *paths[] = { name, ".git" };
	cleanup_faults struct checkout_faults faults = CHECKOUT_FAULTS_INIT;

	if (checkout_name_fault(name) != NULL)
		return;
	demand(!checkout_name_is_git(name) && !checkout_name_is_own(name));
	demand(strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strchr(name, '/') == NULL);
	checkout_find_twins(paths, ARRAY_LEN(paths), &faults);
	demand(faults.len == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xmemdupz(data, size);

	check_record(text, size);
	check_name(text);
	free(text);
	return 0;
}
