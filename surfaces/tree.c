/* SPDX-License-Identifier: MIT */
/* stile-tree NAME ROOT OUT.c FILE…: a C file that defines NAME: of each FILE its path below the folder
 * called ROOT, then its text; NULL at the end. Links nothing of ours, as stile-text. */
#include <stdlib.h>
#include <string.h>

#include "literal.h"

/* What follows "/ROOT/" in path, or NULL. */
static const char *below(const char *path, const char *root)
{
	const char *found = NULL;
	size_t len = strlen(root);

	for (const char *at = strstr(path, root); at != NULL; at = strstr(at + 1, root)) {
		if (at > path && at[-1] == '/' && at[len] == '/')
			found = at + len + 1;
	}
	return found;
}

static int write_file(FILE *out, const char *path, const char *root)
{
	size_t len = 0;
	char *data = literal_read(path, &len);
	const char *name = below(path, root);

	if (data == NULL || name == NULL) {
		free(data);
		return -1;
	}
	literal_write(out, name, strlen(name));
	(void)fputs(",\n", out);
	literal_write(out, data, len);
	(void)fputs(",\n", out);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	FILE *out = argc > 4 ? fopen(argv[3], "w") : NULL;
	int result = out == NULL ? -1 : 0;

	if (out == NULL) {
		(void)fputs("usage: stile-tree NAME ROOT OUT.c FILE…\n", stderr);
		return 2;
	}
	(void)fprintf(
	    out, "extern const char *const %s[];\nconst char *const %s[] = {\n", argv[1], argv[1]);
	for (int i = 4; i < argc && result == 0; i++)
		result = write_file(out, argv[i], argv[2]);
	(void)fputs("\t0,\n};\n", out);
	return fclose(out) == 0 && result == 0 ? 0 : 1;
}
