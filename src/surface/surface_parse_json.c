/* SPDX-License-Identifier: MIT */
/* Output that is JSON: one text, one a line, or an envelope. */
#include "surface/surface_result_internal.h"

#include <string.h>

/* An error of the reader as one about output. A duplicate key's message names the key, which is
 * the program's output; the offset alone is not. */
static int refuse_json(struct err *err, size_t line)
{
	cleanup_err struct err cause = ERR_INIT;
	const char *why;

	err_move(&cause, err);
	if (cause.code == ERR_LIMIT)
		return err_set(err, ERR_OUTPUT_TOO_LARGE, "%s", cause.message);
	why = cause.code == ERR_PARSE ? cause.message : "an object has the same key twice";
	if (line > 0)
		return err_set(
		    err, ERR_BAD_OUTPUT, "line %zu of the output is not JSON: %s", line, why);
	return err_set(err, ERR_BAD_OUTPUT, "the output is not one JSON text: %s", why);
}

static int read_whole(const char *data, size_t len, struct parsed *ret_parsed, struct err *err)
{
	size_t rest = len;

	(void)surface_trim(data, &rest);
	if (rest == 0)
		return err_set(err, ERR_BAD_OUTPUT, "empty output, JSON was expected");
	if (json_read(&ret_parsed->doc, data, len, err) < 0)
		return refuse_json(err, 0);
	ret_parsed->is_read = true;
	return 0;
}

int surface_parse_json(const char *data, size_t len, struct parsed *ret_parsed, struct err *err)
{
	const struct json *root;

	if (read_whole(data, len, ret_parsed, err) < 0)
		return -1;
	root = json_root(&ret_parsed->doc);
	ret_parsed->type = root->type;
	ret_parsed->count = root->type == JSON_ARRAY ? root->len : 0;
	ret_parsed->under = root->type == JSON_ARRAY ? "items" : "value";
	return 0;
}

int surface_parse_ndjson(const char *data, size_t len, struct parsed *ret_parsed, struct err *err)
{
	struct json_writer w = JSON_WRITER_INIT(&ret_parsed->text);
	struct text_line line = { 0 };

	ret_parsed->type = JSON_ARRAY;
	json_write_array_begin(&w);
	while (surface_next_line(&data, &len, &line)) {
		cleanup_json struct json_doc doc = JSON_DOC_INIT;
		size_t rest = line.len;

		(void)surface_trim(line.data, &rest);
		if (rest == 0)
			continue;
		if (json_read(&doc, line.data, line.len, err) < 0)
			return refuse_json(err, line.number);
		surface_write_value(&w, json_root(&doc));
		ret_parsed->count++;
	}
	json_write_array_end(&w);
	return 0;
}

/* ---- envelopes ---- */

static const struct {
	const char *status;
	bool is_failed;
} statuses[] = {
	{ "succeeded", false },
	{ "pending", false },
	{ "running", false },
	{ "failed", true },
	{ "cancelled", true },
};

/* 1: failed, 0: not, -1: no status of an envelope. */
static int envelope_status(const struct json *status)
{
	for (size_t i = 0; i < ARRAY_LEN(statuses); i++) {
		if (json_is_text(status, statuses[i].status))
			return statuses[i].is_failed;
	}
	return -1;
}

int surface_parse_envelope(const char *data, size_t len, struct parsed *ret_parsed, struct err *err)
{
	const struct json *root;
	int failed;

	if (surface_parse_json(data, len, ret_parsed, err) < 0)
		return -1;
	root = json_root(&ret_parsed->doc);
	failed = envelope_status(json_get(root, "status"));
	if (root->type != JSON_OBJECT || !json_is(json_get(root, "schema_version"), JSON_STRING) ||
	    failed < 0)
		return err_set(err, ERR_BAD_OUTPUT,
		    "the output is no envelope: schema_version or a known status is missing");
	if (failed && json_text(json_get(json_get(root, "error"), "code")) == NULL)
		return err_set(
		    err, ERR_BAD_OUTPUT, "the envelope says it failed, but has no error code");
	ret_parsed->is_failed = failed;
	return 0;
}
