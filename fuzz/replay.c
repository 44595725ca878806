/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target once over each file of the folder named on the command line and reports in
 * TAP; what `./check` uses, so that a crash once found stays mended. */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *folder, const char *name)
{
	char path[4096];
	struct stat st;
	uint8_t *data;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	data = malloc(st.st_size > 0 ? (size_t)st.st_size : 1);
	if (data == NULL || read(fd, data, (size_t)st.st_size) != st.st_size) {
		free(data);
		(void)close(fd);
		return -1;
	}
	(void)close(fd);
	(void)LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	struct dirent **names = NULL;
	int failures = 0;
	int done = 0;
	int len;

	if (argc != 2 || (len = scandir(argv[1], &names, NULL, alphasort)) < 0) {
		(void)fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
		return 2;
	}
	for (int i = 0; i < len; i++) {
		if (names[i]->d_name[0] != '.') {
			int result = replay_file(argv[1], names[i]->d_name);

			failures += result != 0;
			(void)printf("%s %d - %s\n", result == 0 ? "ok" : "not ok", ++done,
			    names[i]->d_name);
			(void)fflush(stdout);
		}
		free(names[i]);
	}
	free(names);
	(void)printf("1..%d\n", done);
	return failures == 0 && done > 0 ? 0 : 1;
}
