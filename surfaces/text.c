/* SPDX-License-Identifier: MIT */
/* stile-text NAME FILE OUT.c: a C file that defines NAME, the text of FILE. Links nothing of ours,
 * so that the core itself can hold such a text. */
#include <stdlib.h>

#include "literal.h"

int main(int argc, char **argv)
{
	size_t len = 0;
	char *data = argc == 4 ? literal_read(argv[2], &len) : NULL;
	FILE *out = data != NULL ? fopen(argv[3], "w") : NULL;

	if (out == NULL) {
		(void)fprintf(stderr, "usage: stile-text NAME FILE OUT.c\n");
		free(data);
		return 2;
	}
	(void)fprintf(out, "extern const char %s[];\nconst char %s[] =\n", argv[1], argv[1]);
	literal_write(out, data, len);
	(void)fputs(";\n", out);
	free(data);
	return fclose(out) == 0 ? 0 : 1;
}
