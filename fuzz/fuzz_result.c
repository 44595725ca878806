/* SPDX-License-Identifier: MIT */
/* Whatever a program prints: the result is one valid JSON object, fits the schema it was promised
 * under, or is a clean error; nothing is ever cut. First byte: the tool; second: the exit status;
 * third: where stderr begins, from the end; the rest: the streams. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "surface.h"
#include "surface/surface.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TOOL(name, keys)                                                                           \
	"- { name: " name ", description: D., effect: read, argv: [x], " keys " }\n"
#define PAGED(result)                                                                              \
	"input: { properties: { size: { type: integer, minimum: 1, default: 2, description: S. "   \
	"}, "                                                                                      \
	"cursor: { type: string, default: '1', description: C. }, q: { type: string, default: A, " \
	"description: Q. } } }, argv: ['--q={q}', '--s={size}', '--c={cursor}'], result: " result

static const char yaml[] =
    "stile: 1\nsurface: t\nprogram: { run: prog }\nlimits: { result: 64KiB }\n"
    "errors: [{ exit: [1, 2], stderr: [lock, gone], code: LOCKED, retryable: true, hint: Wait. }, "
    "{ match: '^a(b|c)*d', code: ODD, add: { k: [1] } }]\n"
    "refs: { inner: { k: [/k, 'n{$n}'] }, item: { id: [/id, { of: /uri, match: '/([^/]+)$' }, "
    "'item-{$n}'], shown: ['{id}', '[{id:3}]'], all: { from: '/list/*/k', type: any }, nested: { "
    "from: /list, as: inner } }, lean: { id: [/id, 'item-{$n}'], title: [/content/title, /title], "
    "shown: ['{title}', '[{id:3}]'], kind: { from: [/type, { key_of: /content }], case: kebab, "
    "map: "
    "{ sshkey: ssh-key, n: null } }, num: { from: /num, type: integer, else: 0 }, real: { from: "
    "/num, type: number }, flag: { from: /flag, type: boolean }, any: /num } }\n"
    "tools:\n" TOOL("json", "result: { parse: json }") TOOL("steps",
	"result: { parse: json, at: [/a, '/*', ''], drop: ['/*/x', /y], pick: [/z, "
	"'/*/k', '/*/*/m'], rename: { z: w }, echo: { code: '{$exit}', p: '{/a/b}', all: "
	"'{/*/k}', n: '{$count}' } }") TOOL("ndjson",
	"result: { parse: ndjson, at: ['', /0], sort: { by: k, order: desc } }")
	TOOL("envelope", "result: { parse: envelope }") TOOL(
	    "text", "result: { from: both, parse: text, silence: OK }") TOOL("value",
	    "output: auto, result: { parse: value, text: /value }") TOOL("lines",
	    "output: auto, result: { parse: { lines: '^(?<k>\\w+)=(?<v>.*?)(?<n>\\d+)?$', "
	    "other: skip } }") TOOL("records",
	    "output: auto, result: { parse: { records: { end: NUL, sep: US, fields: { a: "
	    "text, b: integer, c: words, d: number, e: boolean, f: next } } } }") TOOL("kinds",
	    "output: auto, result: { parse: { records: { end: LF, sep: SP, kinds: { '1': { "
	    "as: one, fields: { a: integer, b: text } }, '2': { as: two, fields: { a: text, "
	    "from: next } } }, other: skip } } }") TOOL("pairs",
	    "result: { parse: { pairs: { sep: ':', keys: snake, strip: ' \\(d\\)$', nulls: "
	    "[none] } }, under: settings, echo: { raw: '{$stdout}' } }") TOOL("blocks",
	    "result: { parse: { pairs: { sep: ' ', head: '^(?<c>[0-9a-f]{2}) (?<l>\\d+)$', "
	    "tail: '^\\t(?<t>.*)$' } }, as: item, under: lines }") TOOL("refs",
	    "exit: { ok: [0], data: any }, result: { parse: json, at: ['', "
	    "/items, '/*'], as: item }") "- { name: search, description: D., effect: read, output: "
					 "auto, " PAGED(
					     "{ parse: json, as: lean, search: { for: "
					     "'{q}', in: [title, id] }, sort: { by: title "
					     "}, "
					     "page: { size: '{size}', cursor: '{cursor}' }, "
					     "echo: { n: '{$count}' } }") " }\n"
									  "- { name: "
									  "offset, "
									  "description: D., "
									  "effect: read, "
									  "output: "
									  "auto, " PAGED(
									      "{ parse: { "
									      "records: { "
									      "end: LF, "
									      "sep: TAB, "
									      "fields: { a: "
									      "text, b: "
									      "text } } }, "
									      "page: { by: "
									      "offset, "
									      "size: "
									      "'{size}', "
									      "cursor: "
									      "'{cursor}' } "
									      "}") " }\n"
										   "- { "
										   "name: "
										   "token, "
										   "descript"
										   "ion: "
										   "D., "
										   "effect: "
										   "read,"
										   " " PAGED(
										       "[{ "
										       "pars"
										       "e: "
										       "json"
										       ", "
										       "at: "
										       "/ite"
										       "ms, "
										       "page"
										       ": { "
										       "by: "
										       "toke"
										       "n, "
										       "size"
										       ": "
										       "'{"
										       "size"
										       "}', "
										       "curs"
										       "or: "
										       "'{"
										       "curs"
										       "or}'"
										       ", "
										       "next"
										       ": "
										       "/nex"
										       "t } "
										       "}, "
										       "{ "
										       "pars"
										       "e: "
										       "line"
										       "s "
										       "}]") " }\n";

/* A success fits the schema that clients were shown. */
static void check_promise(const struct tool *tool, const struct json *result)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	struct schema *schema;

	if (tool->output_schema == NULL)
		return;
	require(json_read(&doc, tool->output_schema, strlen(tool->output_schema), &err) == 0);
	schema = schema_compile(json_root(&doc), &(struct schema_options){ 0 }, NULL, &err);
	require(schema != NULL);
	require(schema_accepts(schema, result));
	schema_free(schema);
}

static void check_result(const struct tool *tool, const struct surface_result *result)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	require(!result->json.is_full && !result->text.is_full);
	require(json_read(&doc, result->json.data, result->json.len, &err) == 0);
	require(json_root(&doc)->type == JSON_OBJECT);
	require((json_root(&doc)->flags & JSON_LONE_SURROGATE) == 0);
	require(text_is_utf8(result->text.data, result->text.len));
	require(memchr(result->json.data, '\n', result->json.len) == NULL);
	if (!result->is_error) {
		require(result->code == NULL && result->json.len <= tool->limits.result_bytes);
		check_promise(tool, json_root(&doc));
	}
}

static void run_tool(const struct tool *tool, const struct surface_run *run)
{
	struct surface_result result = SURFACE_RESULT_INIT;
	cleanup_json struct json_doc arguments = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	bool is_vetoed = false;

	require(surface_check_arguments(tool, NULL, &arguments, &is_vetoed, &err) == 0);
	surface_make_result(tool, json_root(&arguments), run, &result);
	/* What `auto` promises holds by construction, so this error would be ours. */
	require(result.code == NULL || strcmp(result.code, "BAD_OUTPUT") != 0 ||
		strncmp(result.text.data, "[BAD_OUTPUT] the result does not fit", 36) != 0);
	check_result(tool, &result);
	surface_result_release(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct surface_run run = { 0 };
	const struct tool *tool;
	char *bytes;

	prepare_surface(yaml, sizeof(yaml) - 1);
	if (size < 3)
		return 0;
	tool = &surface->tools[data[0] % surface->tools_len];
	run.exit_status = data[1] % 4;
	bytes = xmemdupz(data + 3, size - 3);
	run.out = bytes;
	run.out_len = size - 3;
	run.err_len = data[2] < run.out_len ? data[2] : run.out_len;
	run.out_len -= run.err_len;
	run.err = bytes + run.out_len;
	run_tool(tool, &run);
	free(bytes);
	return 0;
}
