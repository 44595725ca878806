/* SPDX-License-Identifier: MIT */
/* The floor of a list: a server that knows one answer of so many bytes, and gives it to each line.
 *
 *	bench_answer BYTES
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char head[] = "{\"result\":{\"tools\":[],\"rest\":\"";
static const char tail[] = "\"}}\n";

int main(int argc, char **argv)
{
	size_t len = argc == 2 ? strtoul(argv[1], NULL, 10) : 0; /* NOLINT: written by bench/run */
	char *answer = malloc(len);
	char line[4096];

	if (answer == NULL || len < strlen(head) + strlen(tail))
		return 2;
	memset(answer, '-', len);
	memcpy(answer, head, strlen(head));
	memcpy(answer + len - strlen(tail), tail, strlen(tail));
	while (read(STDIN_FILENO, line, sizeof(line)) > 0) {
		if (write(STDOUT_FILENO, answer, len) != (ssize_t)len)
			return 1;
	}
	return 0;
}
