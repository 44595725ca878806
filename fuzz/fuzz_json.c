/* SPDX-License-Identifier: MIT */
/* What reads must be written and read back as the same value, in both forms; numbers and pointers
 * of whatever reads are asked everything they can answer. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true)
		abort();
}

static void check_same(const struct json *root, const struct buf *text)
{
	cleanup_json struct json_doc again = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	require(json_read(&again, text->data, text->len, &err) == 0);
	require(json_equal(root, json_root(&again)) && json_equal(json_root(&again), root));
	require(memchr(text->data, '\n', text->len) == NULL);
}

static void check_written(const struct json *root)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);

	json_write_node(&w, root);
	check_same(root, &text);
}

/* The canonical form of the canonical form is itself. Numbers grow there: 1e3999 is 4,000 digits,
 * so that a small text may pass any cap, and is then not whole. */
static void check_canonical(const struct json *root)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_buf struct buf twice = BUF_INIT;
	cleanup_json struct json_doc again = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	json_write_canonical(&text, root);
	if (text.is_full)
		return;
	check_same(root, &text);
	require(json_read(&again, text.data, text.len, &err) == 0);
	json_write_canonical(&twice, json_root(&again));
	require(twice.len == text.len && memcmp(twice.data, text.data, text.len) == 0);
}

static void check_number(const struct json *a, const struct json *b)
{
	int64_t value = 0;
	int order = json_number_compare(a, b);

	require(json_number_compare(b, a) == -order);
	require(json_number_compare(a, a) == 0);
	if (json_number_int64(a, &value))
		require(json_number_is_integer(a));
	if (json_number_is_multiple(a, b) && json_number_is_integer(b))
		require(json_number_is_integer(a));
}

static void check_node(const struct json *node, const struct json **number)
{
	require(node->raw_len > 0 && json_type_name(node) != NULL);
	if (node->type == JSON_STRING)
		require(node->str[node->len] == '\0' && node->len < node->raw_len);
	if (node->type == JSON_NUMBER) {
		if (*number != NULL)
			check_number(node, *number);
		*number = node;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	const struct json *number = NULL;
	size_t end = 0;

	if (json_read_prefix(&doc, (const char *)data, size, &end, &err) == 0)
		require(end > 0 && end <= size);
	err_release(&err);
	if (json_read(&doc, (const char *)data, size, &err) < 0) {
		require(err_is_set(&err) && doc.tape == NULL);
		return 0;
	}
	require(json_root(&doc)->skip == doc.tape_len);
	for (size_t i = 0; i < doc.tape_len; i++)
		check_node(&doc.tape[i], &number);
	check_written(json_root(&doc));
	check_canonical(json_root(&doc));
	return 0;
}
