/* SPDX-License-Identifier: MIT */
#ifndef BASE_YAML_H
#define BASE_YAML_H

/*
 * The strict, bounded YAML reader: YAML 1.2 core subset in, JSON text out.
 *
 * Surface, policy, config and contract files are written in YAML by people; everything behind
 * this reader sees JSON, so that there is one tree, one set of cursors and one schema engine. The
 * marks say where in the YAML each JSON value stood, for errors that name line and column.
 *
 * Refused, with line and column: aliases, anchors, tags, merge keys, complex keys, a second
 * document, directives other than %YAML 1.x, duplicate keys, invalid UTF-8, and anything past the
 * limits (bytes, nodes, depth; depth is checked while reading, because libyaml itself is slow on
 * deep nesting). Plain scalars resolve by the 1.2 core schema: null ~ (empty), true false,
 * integers (decimal; also 0o, 0x), floats; a number's own digits are kept where JSON allows them;
 * .inf and .nan are refused. Quoted and block scalars are strings. Only string keys; a plain key
 * that would resolve to something else (1: x, true: x) counts as its text. Key order is kept.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Where one JSON value came from. */
struct yaml_mark {
	uint32_t offset; /* of the value's first byte in the JSON text */
	uint32_t line;   /* in the YAML, from 1 */
	uint32_t column; /* from 1 */
};

struct yaml_marks {
	struct yaml_mark *items; /* by rising offset; a member's key has a mark of its own; owned */
	size_t len;
	size_t cap;
};

#define YAML_MARKS_INIT ((struct yaml_marks){ 0 })
#define cleanup_yaml_marks __attribute__((cleanup(yaml_marks_release)))

struct yaml_limits {
	size_t max_bytes;
	size_t max_nodes;
	unsigned max_depth;
};

/* The limits of surface, policy and config files (base/limits.h). */
extern const struct yaml_limits yaml_limits_file;

void yaml_marks_release(struct yaml_marks *marks);

/*
 * Reads one document. ret_json receives compact JSON text (an empty document is `null`),
 * ret_marks (may be NULL) the marks. ERR_PARSE: "line 3, column 7: duplicate key \"name\"", also
 * as details {"line": 3, "column": 7}.
 */
int yaml_read(const char *text, size_t len, const struct yaml_limits *limits, struct buf *ret_json,
    struct yaml_marks *ret_marks, struct err *err) MUST_CHECK;

/* The mark of the value that begins at offset, or NULL. */
const struct yaml_mark *yaml_marks_find(const struct yaml_marks *marks, size_t offset);

#endif
