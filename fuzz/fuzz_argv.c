/* SPDX-License-Identifier: MIT */
/* Whatever arguments a client sends: before the end word, a word that begins like an option is one
 * of the surface's own, or stands behind an option that takes any word; values keep their bytes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "surface.h"
#include "surface/surface.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char yaml[] =
    "stile: 1\nsurface: t\n"
    "program: { run: prog, args: ['--root={$root}'], lead: '-+', takes: [-e], end: '--' }\n"
    "parts: { opts: { input: { properties: {\n"
    "    s: { type: string, x-absent: ['', '-'], description: S. },\n"
    "    n: { type: integer, minimum: 0, description: N. },\n"
    "    f: { type: number, minimum: 0, description: F. },\n"
    "    b: { type: boolean, description: B. },\n"
    "    e: { enum: [one, two, 3, true], description: E. } } },\n"
    "  argv: ['--s={s}', '--n={n}', '--f={f}', '--b={b}', '--e={e}'] } }\n"
    "tools:\n"
    "- name: tool\n"
    "  description: A tool.\n"
    "  effect: write\n"
    "  use: [opts]\n"
    "  input:\n"
    "    properties:\n"
    "      any: { type: string, minLength: 1, description: A. }\n"
    "      rev: { type: string, x-no-dash: true, default: HEAD, description: R. }\n"
    "      pat: { type: string, pattern: '^[a-z0-9]', maxLength: 9, description: P. }\n"
    "      pos: { type: integer, minimum: 0, description: P. }\n"
    "      real: { type: number, minimum: 0, description: P. }\n"
    "      tags: { type: array, items: { type: string }, description: T. }\n"
    "      map: { type: object, additionalProperties: { type: string }, description: M. }\n"
    "      list: { type: array, items: { type: object, properties: { k: { type: string,\n"
    "        description: K. }, v: { type: [string, 'null'], description: V. } },\n"
    "        required: [k], description: I. }, description: L. }\n"
    "      body: { type: object, properties: { t: { type: string, description: T. } },\n"
    "        additionalProperties: { type: [number, 'null'] }, description: B. }\n"
    "      secret: { type: string, x-secret: true, description: S. }\n"
    "      rest: { type: array, items: { type: string }, description: R. }\n"
    "    required: [any]\n"
    "  groups: [{ at_most_one: [pat, pos, real] }, { all_or_none: [map, list] },\n"
    "    { when: { any: [x, y] }, need: [tags] }]\n"
    "  argv: [run, { use: opts }, -e, '{any}', { each: tags, words: '--tag={}' },\n"
    "    { each: map, words: ['--key={.key}', '--value={.value}'] },\n"
    "    { each: list, words: { when: b, words: '--item={.k}:{.v}' } },\n"
    "    { first: [{ when: secret, words: --in=-, stdin: { json: { s: '{secret}', b: '{body}',\n"
    "      l: ['{tags}', 'x{any}'], m: '{body/t}' } } }, { when: body, words: --in=-,\n"
    "      stdin: '{any}' }] }, { file: { json: '{list}' }, words: '--file={}' },\n"
    "    '{rev}', 'at:{rev}', { first: ['{pat}', '{pos}', '{real}'] },\n"
    "    --, { each: rest, words: '{}' }]\n"
    "  examples: [{ call: { any: -x }, argv: [run, -e, -x, HEAD, --] }]\n";

static const char *const literals[] = { "--root=/r", "--s=", "--n=", "--f=", "--b=", "--e=", "-e",
	"--tag=", "--key=", "--value=", "--item=", "--in=-", "--file=/p" };

static bool is_ours(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(literals); i++) {
		if (strncmp(word, literals[i], strlen(literals[i])) == 0)
			return true;
	}
	return false;
}

static void check_words(const struct strvec *words)
{
	bool is_past_end = false;

	for (size_t i = 0; i < words->len; i++) {
		const char *word = words->items[i];

		require(strlen(word) <= LIMIT_ARGUMENT);
		if (!is_past_end && strcmp(word, "--") == 0) {
			is_past_end = true;
			continue;
		}
		if (is_past_end || (word[0] != '-' && word[0] != '+'))
			continue;
		require(is_ours(word) || (i > 0 && strcmp(words->items[i - 1], "-e") == 0));
	}
	require(is_past_end && words->len <= LIMIT_COMMAND_WORDS);
}

/* What stands behind the end word is the list, item for item. */
static void check_rest(const struct strvec *words, const struct json *arguments)
{
	const struct json *rest = json_get(arguments, "rest");
	size_t at = words->len - (rest == NULL ? 0 : rest->len);

	require(at > 0 && strcmp(words->items[at - 1], "--") == 0);
	if (rest == NULL)
		return;
	json_foreach (item, rest)
		require(strcmp(words->items[at++], item->str) == 0);
}

/* Templates become JSON; a word becomes its text. */
static void check_content(const struct surface_command *command, const struct json *arguments)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	if (json_get(arguments, "secret") != NULL)
		require(
		    json_read(&doc, command->stdin_data.data, command->stdin_data.len, &err) == 0);
	else if (command->has_stdin)
		require(strcmp(command->stdin_data.data, json_get(arguments, "any")->str) == 0);
	for (size_t i = 0; i < command->files_len; i++)
		require(json_read(&doc, command->files[i].data.data, command->files[i].data.len,
			    &err) == 0);
}

static void check_command(const struct json *arguments, const struct surface_launch *launch)
{
	struct surface_command command = SURFACE_COMMAND_INIT;
	cleanup_err struct err err = ERR_INIT;

	if (surface_build_command(&surface->tools[0], arguments, launch, &command, &err) < 0) {
		require(err.code == ERR_LIMIT || err.code == ERR_INVALID_ARGUMENT);
		require(command.words.len == 0);
		return;
	}
	check_words(&command.words);
	check_rest(&command.words, arguments);
	check_content(&command, arguments);
	surface_command_release(&command);
}

static void show(void *ctx, const struct json *value, struct buf *ret_text)
{
	(void)ctx;
	if (value->type == JSON_STRING)
		buf_add(ret_text, value->str, value->len);
	else
		buf_add(ret_text, value->raw, value->raw_len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char root[] = "/r";
	char *items[] = { root, NULL };
	struct strvec roots = { .items = items, .len = 1 };
	struct surface_launch launch = { .roots = &roots, .private_dir = "/p" };
	cleanup_json struct json_doc given = JSON_DOC_INIT;
	cleanup_json struct json_doc checked = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf question = BUF_INIT;
	bool is_vetoed = false;

	prepare_surface(yaml, sizeof(yaml) - 1);
	if (json_read(&given, (const char *)data, size, &err) < 0)
		return 0;
	if (surface_check_arguments(
		&surface->tools[0], json_root(&given), &checked, &is_vetoed, &err) < 0) {
		require(err.code == ERR_INVALID_ARGUMENT && err.message != NULL);
		return 0;
	}
	check_command(json_root(&checked), &launch);
	surface_question(&surface->tools[0], json_root(&checked), show, NULL, &question);
	return 0;
}
