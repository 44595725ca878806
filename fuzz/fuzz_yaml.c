/* SPDX-License-Identifier: MIT */
/* What the YAML reader emits must read as JSON, value for value where its marks say. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/yaml.h"
#include "json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_yaml_marks struct yaml_marks marks = YAML_MARKS_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	if (yaml_read((const char *)data, size, &yaml_limits_file, &json, &marks, &err) < 0) {
		require(err_is_set(&err) && json.len == 0 && marks.len == 0);
		if (err.details != NULL)
			require(json_read(&doc, err.details, strlen(err.details), &err) == 0);
		return 0;
	}
	require(json_read(&doc, json.data, json.len, &err) == 0);
	require((json_root(&doc)->flags & JSON_LONE_SURROGATE) == 0);
	require(doc.tape_len == marks.len);
	for (size_t i = 0; i < doc.tape_len; i++) {
		require(doc.tape[i].raw == json.data + marks.items[i].offset);
		require(marks.items[i].line > 0 && marks.items[i].column > 0);
	}
	return 0;
}
