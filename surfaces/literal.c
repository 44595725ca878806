/* SPDX-License-Identifier: MIT */
#include "literal.h"

#include <stdlib.h>

#define FILE_MAX ((size_t)4 << 20)

static void write_byte(FILE *file, unsigned char c)
{
	if (c == '"' || c == '\\')
		(void)fprintf(file, "\\%c", c);
	else if (c >= ' ' && c <= '~')
		(void)fputc(c, file);
	else
		(void)fprintf(file, "\\%03o", c);
}

void literal_write(FILE *file, const char *data, size_t len)
{
	size_t column = 0;

	(void)fputs("\t\"", file);
	for (size_t i = 0; i < len; i++) {
		write_byte(file, (unsigned char)data[i]);
		if (data[i] == '\n' || ++column == 80) {
			(void)fputs("\"\n\t\"", file);
			column = 0;
		}
	}
	(void)fputs("\"", file);
}

char *literal_read(const char *path, size_t *ret_len)
{
	FILE *file = fopen(path, "rb");
	char *data = malloc(FILE_MAX + 1);

	if (file == NULL || data == NULL) {
		(void)fprintf(stderr, "%s: cannot be read\n", path);
		free(data);
		if (file != NULL)
			(void)fclose(file);
		return NULL;
	}
	*ret_len = fread(data, 1, FILE_MAX, file);
	data[*ret_len] = '\0';
	(void)fclose(file);
	return data;
}
