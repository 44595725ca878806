/* SPDX-License-Identifier: MIT */
/*
 * A schema and an instance, both hostile: the first line is the schema, the rest the instance.
 * Nothing may crash, telling and deciding agree, and what is told is one line of visible text
 * with details that are JSON.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "json/json.h"
#include "schema/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_message(const char *message)
{
	cleanup_buf struct buf visible = BUF_INIT;

	assert(message != NULL && message[0] != '\0');
	text_add_visible(&visible, message, strlen(message));
	assert(strcmp(visible.data, message) == 0);
}

static void check_refusal(const struct err *err)
{
	cleanup_json struct json_doc details = JSON_DOC_INIT;
	cleanup_err struct err ignored = ERR_INIT;
	const struct json *errors;

	assert(err->code == ERR_INVALID_ARGUMENT);
	check_message(err->message);
	assert(json_read(&details, err->details, strlen(err->details), &ignored) == 0);
	errors = json_get(json_root(&details), "errors");
	assert(json_is(errors, JSON_ARRAY) && errors->len >= 1 && errors->len <= 5);
	json_foreach (each, errors) {
		assert(json_is(json_get(each, "pointer"), JSON_STRING));
		assert(json_is(json_get(each, "keyword"), JSON_STRING));
	}
}

static void try_instance(struct schema *schema, const char *text, size_t len)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	bool is_valid;

	if (json_read(&doc, text, len, &err) < 0)
		return;
	is_valid = schema_validate(schema, json_root(&doc), &err) == 0;
	assert(is_valid == schema_accepts(schema, json_root(&doc)));
	assert(is_valid == !err_is_set(&err));
	if (!is_valid)
		check_refusal(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const marks[] = { "x-secret", "x-hidden", "x-path", NULL };
	const struct schema_options options = { .ignore = marks, .check_patterns = size % 2 == 0 };
	const char *text = (const char *)data;
	const char *line = memchr(text, '\n', size);
	size_t schema_len = line != NULL ? (size_t)(line - text) : size / 2;
	const struct json *where = NULL;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_schema struct schema *schema = NULL;
	cleanup_err struct err err = ERR_INIT;

	if (json_read(&doc, text, schema_len, &err) < 0)
		return 0;
	schema = schema_compile(json_root(&doc), &options, &where, &err);
	if (schema != NULL) {
		try_instance(schema, text + schema_len, size - schema_len);
		return 0;
	}
	assert(err.code == ERR_CONFIGURATION);
	assert(where >= doc.tape && where < doc.tape + doc.tape_len);
	check_message(err.message);
	return 0;
}
