/* SPDX-License-Identifier: MIT */
/* One item a line: the line itself, or the named groups of a pattern. */
#include "surface/surface_result_internal.h"

struct group_writer {
	struct json_writer *w;
	const struct text_line *line;
	const struct regex_match *match;
};

/* A group that took part in the match is a text, another null. */
static void write_group(void *ctx, const char *name, int number)
{
	const struct group_writer *g = ctx;
	bool is_set = (size_t)number < g->match->groups_len && g->match->begin[number] != SIZE_MAX;

	json_write_key(g->w, name);
	if (is_set)
		json_write_string_len(g->w, g->line->data + g->match->begin[number],
		    g->match->end[number] - g->match->begin[number]);
	else
		json_write_null(g->w);
}

int surface_parse_lines(const struct parse *parse, const char *data, size_t len,
    struct parsed *ret_parsed, struct err *err)
{
	struct json_writer w = JSON_WRITER_INIT(&ret_parsed->text);
	struct text_line line = { 0 };

	ret_parsed->type = JSON_ARRAY;
	json_write_array_begin(&w);
	while (surface_next_line(&data, &len, &line)) {
		struct regex_match match;
		struct group_writer writer = { .w = &w, .line = &line, .match = &match };
		bool failed = false;

		if (parse->lines == NULL) {
			json_write_string_len(&w, line.data, line.len);
		} else if (regex_search_utf8(
			       parse->lines, line.data, line.len, 0, &match, &failed)) {
			json_write_object_begin(&w);
			regex_each_group(parse->lines, write_group, &writer);
			json_write_object_end(&w);
		} else if (parse->skips_other && !failed) {
			continue;
		} else {
			return err_set(err, ERR_BAD_OUTPUT,
			    "line %zu of the output does not have the declared form", line.number);
		}
		ret_parsed->count++;
	}
	json_write_array_end(&w);
	return 0;
}
