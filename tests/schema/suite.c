/* SPDX-License-Identifier: MIT */
/*
 * Runs files in the format of the official JSON-Schema-Test-Suite (schema, instances, verdicts)
 * and reports in TAP: a line for each instance, and one for each schema that is out of our
 * language and must therefore be refused when compiled.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "json/json.h"
#include "schema/schema.h"

/* The groups whose schemas use what the language leaves out. No group: the whole file. */
static const struct refusal {
	const char *file;
	const char *group;
} refusals[] = {
	{ "additionalItems.json", NULL },
	{ "definitions.json", NULL },
	{ "dependencies.json", NULL },
	{ "ref.json", "root pointer ref" },
	{ "ref.json", "relative pointer ref to object" },
	{ "ref.json", "relative pointer ref to array" },
	{ "ref.json", "escaped pointer ref" },
	{ "ref.json", "nested refs" },
	{ "ref.json", "ref overrides any sibling keywords" },
	{ "ref.json", "remote ref, containing refs itself" },
	{ "ref.json", "$ref to boolean schema true" },
	{ "ref.json", "$ref to boolean schema false" },
	{ "ref.json", "Recursive references between schemas" },
	{ "refRemote.json", NULL },
	{ "content.json", NULL },
	{ "ecmascript-regex.json", NULL },
	{ "items.json", "an array of schemas for items" },
	{ "items.json", "items with boolean schemas" },
	{ "refused.json", NULL },
};

static bool must_refuse(const char *file, const char *group)
{
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		if (strcmp(refusals[i].file, file) == 0 &&
		    (refusals[i].group == NULL || strcmp(refusals[i].group, group) == 0))
			return true;
	}
	return false;
}

struct tally {
	unsigned done;
	unsigned failed;
};

static void report(struct tally *tally, bool ok, const char *file, const char *group,
    const char *test, const char *remark)
{
	tally->failed += !ok;
	(void)printf(
	    "%s %u - %s: %s: %s\n", ok ? "ok" : "not ok", ++tally->done, file, group, test);
	if (!ok)
		(void)printf("# %s\n", remark);
}

static const char *text_of(const struct json *object, const char *name)
{
	const char *text = json_text(json_get(object, name));

	return text != NULL ? text : "(no text)";
}

static void run_test(struct tally *tally, struct schema *schema, const char *file,
    const char *group, const struct json *test)
{
	const struct json *instance = json_get(test, "data");
	bool wanted = json_is(json_get(test, "valid"), JSON_TRUE);
	cleanup_err struct err err = ERR_INIT;
	bool is_valid = schema_validate(schema, instance, &err) == 0;
	bool is_same = is_valid == schema_accepts(schema, instance);

	report(tally, is_valid == wanted && is_same, file, group, text_of(test, "description"),
	    err.message != NULL ? err.message : "was accepted");
}

static void run_group(struct tally *tally, const char *file, const struct json *group)
{
	static const char *const passed_over[] = { "$schema", NULL };
	const struct schema_options options = { .ignore = passed_over, .check_patterns = true };
	const char *name = text_of(group, "description");
	cleanup_err struct err err = ERR_INIT;
	cleanup_schema struct schema *schema =
	    schema_compile(json_get(group, "schema"), &options, NULL, &err);

	if (must_refuse(file, name)) {
		report(tally, schema == NULL && err.code == ERR_CONFIGURATION, file, name,
		    "is refused", "the schema was accepted");
		return;
	}
	if (schema == NULL) {
		report(tally, false, file, name, "compiles", err.message);
		return;
	}
	json_foreach (test, json_get(group, "tests"))
		run_test(tally, schema, file, name, test);
}

static int read_file(const char *path, struct buf *text)
{
	FILE *file = fopen(path, "re");
	char piece[8192];
	size_t len;
	int rc;

	if (file == NULL)
		return -1;
	while ((len = fread(piece, 1, sizeof(piece), file)) > 0)
		buf_add(text, piece, len);
	rc = ferror(file) ? -1 : 0;
	(void)fclose(file);
	return rc;
}

static void run_file(struct tally *tally, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash != NULL ? slash + 1 : path;
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	if (read_file(path, &text) < 0 || json_read(&doc, text.data, text.len, &err) < 0) {
		report(tally, false, file, "the file", "is read", err.message ? err.message : path);
		return;
	}
	json_foreach (group, json_root(&doc))
		run_group(tally, file, group);
}

int main(int argc, char **argv)
{
	struct tally tally = { 0 };

	for (int i = 1; i < argc; i++)
		run_file(&tally, argv[i]);
	(void)printf("1..%u\n", tally.done);
	return tally.failed == 0 && tally.done > 0 ? 0 : 1;
}
