/* SPDX-License-Identifier: MIT */
/* The writer, quoting, and the canonical form. */
#include "unit.h"

#include <string.h>

#include "json/json.h"

static const struct json *read_len(struct json_doc *doc, const char *text, size_t len)
{
	cleanup_err struct err err = ERR_INIT;

	assert_ok(json_read(doc, text, len, &err), &err);
	return json_root(doc);
}

static const struct json *read_text(struct json_doc *doc, const char *text)
{
	return read_len(doc, text, strlen(text));
}

static void assert_quoted(const char *data, size_t len, const char *quoted)
{
	cleanup_buf struct buf buf = BUF_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;

	json_quote(&buf, data, len);
	assert_string_equal(buf.data, quoted);
	assert_true(json_is(read_len(&doc, buf.data, buf.len), JSON_STRING));
}

static void strings_are_escaped_as_little_as_may_be(void **state)
{
	(void)state;
	assert_quoted("", 0, "\"\"");
	assert_quoted("plain / text\x7f", 13, "\"plain / text\x7f\"");
	assert_quoted("\"\\\b\f\n\r\t", 7, "\"\\\"\\\\\\b\\f\\n\\r\\t\"");
	assert_quoted("a\0b\x01\x1f", 5, "\"a\\u0000b\\u0001\\u001f\"");
	assert_quoted(
	    "\xc3\xa9\xe2\x80\xa8\xf0\x9f\x8d\xb8", 9, "\"\xc3\xa9\xe2\x80\xa8\xf0\x9f\x8d\xb8\"");
}

static void invalid_bytes_never_leave(void **state)
{
	(void)state;
	assert_quoted("a\xff"
		      "b",
	    3,
	    "\"a\xef\xbf\xbd"
	    "b\"");
	assert_quoted("\xc3", 1, "\"\xef\xbf\xbd\"");
	assert_quoted("\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	assert_quoted("\xe6\x97x", 3, "\"\xef\xbf\xbd\xef\xbf\xbdx\"");
}

static void commas_and_colons_are_the_writers_business(void **state)
{
	cleanup_buf struct buf buf = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&buf);

	(void)state;
	json_write_object_begin(&w);
	json_write_member_string(&w, "s", "x\ny");
	json_write_member_string(&w, "none", NULL);
	json_write_member_int(&w, "i", INT64_MIN);
	json_write_member_bool(&w, "b", true);
	json_write_member_raw(&w, "r", "[1, 2]");
	json_write_key(&w, "a");
	json_write_array_begin(&w);
	json_write_array_begin(&w);
	json_write_array_end(&w);
	json_write_object_begin(&w);
	json_write_object_end(&w);
	json_write_null(&w);
	json_write_bool(&w, false);
	json_write_int(&w, INT64_MAX);
	json_write_string(&w, "t");
	json_write_raw(&w, "1e400", 5);
	json_write_array_end(&w);
	json_write_key_len(&w, "k\0", 2);
	json_write_string_len(&w, "v\0", 2);
	json_write_object_end(&w);
	assert_int_equal(w.depth, 0);
	assert_string_equal(buf.data,
	    "{\"s\":\"x\\ny\",\"none\":null,\"i\":-9223372036854775808,\"b\":true,\"r\":[1, 2],"
	    "\"a\":[[],{},null,false,9223372036854775807,\"t\",1e400],\"k\\u0000\":\"v\\u0000\"}");
}

static void a_node_is_written_token_for_token(void **state)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_buf struct buf buf = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&buf);
	const struct json *root = read_text(&doc,
	    "{ \"a b\" :\r\n[ 1.50 , -0,1E400,\t9007199254740993 ] ,\"\\u0041\\\\\" : \"x \\\" "
	    "\\ud800\" , \"e\":{ },\"f\":[\n] }\n");

	(void)state;
	json_write_array_begin(&w);
	json_write_node(&w, root);
	json_write_node(&w, json_at(json_get(root, "a b"), 1));
	json_write_array_end(&w);
	assert_string_equal(buf.data,
	    "[{\"a b\":[1.50,-0,1E400,9007199254740993],\"\\u0041\\\\\":\"x \\\" "
	    "\\ud800\",\"e\":{},"
	    "\"f\":[]},-0]");
}

static void a_full_buffer_is_told_at_the_end(void **state)
{
	cleanup_buf struct buf buf = BUF_INIT_MAX(8);
	cleanup_err struct err err = ERR_INIT;
	struct json_writer w = JSON_WRITER_INIT(&buf);

	(void)state;
	json_write_array_begin(&w);
	json_write_string(&w, "far too long");
	json_write_array_end(&w);
	assert_fails(buf_check(&buf, "the answer", &err), &err, ERR_LIMIT);
}

static void pointer_tokens_are_escaped(void **state)
{
	cleanup_buf struct buf buf = BUF_INIT;

	(void)state;
	json_pointer_add(&buf, "a/b~c", 5);
	json_pointer_add(&buf, "", 0);
	json_pointer_add(&buf, "0", 1);
	assert_string_equal(buf.data, "/a~1b~0c//0");
}

/* ---- the canonical form ---- */

static void assert_canonical(const char *text, const char *canonical)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_json struct json_doc again = JSON_DOC_INIT;
	cleanup_buf struct buf buf = BUF_INIT;
	cleanup_buf struct buf twice = BUF_INIT;

	json_write_canonical(&buf, read_text(&doc, text));
	assert_string_equal(buf.data, canonical);
	json_write_canonical(&twice, read_text(&again, buf.data));
	assert_string_equal(twice.data, canonical);
}

static void the_canonical_form_has_one_order_and_no_space(void **state)
{
	(void)state;
	assert_canonical(" null ", "null");
	assert_canonical("[ true , false ]", "[true,false]");
	assert_canonical("[ ]", "[]");
	assert_canonical("{ }", "{}");
	assert_canonical("[[],[[],{}]]", "[[],[[],{}]]");
	assert_canonical("{\"b\":1,\"a\":{\"d\":2,\"c\":3}}", "{\"a\":{\"c\":3,\"d\":2},\"b\":1}");
	assert_canonical("{\"aa\":1,\"a\":2,\"B\":3,\"\":4}", "{\"\":4,\"B\":3,\"a\":2,\"aa\":1}");
	assert_canonical(
	    "{\"\xc3\xa9\":1,\"z\":2,\"\\u00e8\":3}", "{\"z\":2,\"\xc3\xa8\":3,\"\xc3\xa9\":1}");
}

static void the_canonical_form_has_one_spelling(void **state)
{
	(void)state;
	assert_canonical(
	    "\"\\u0041\\/\\u000a\\u001F\\ud83c\\udf78\"", "\"A/\\n\\u001f\xf0\x9f\x8d\xb8\"");
	assert_canonical("[1.0,1e3,-0,100e-2]", "[1,1000,0,1]");
	assert_canonical("[1.50,1.5E-7,1E-400]", "[1.50,1.5e-7,1e-400]");
	assert_canonical("[1E999999999]", "[1e999999999]");
	assert_canonical("9007199254740993", "9007199254740993");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(strings_are_escaped_as_little_as_may_be),
	cmocka_unit_test(invalid_bytes_never_leave),
	cmocka_unit_test(commas_and_colons_are_the_writers_business),
	cmocka_unit_test(a_node_is_written_token_for_token),
	cmocka_unit_test(a_full_buffer_is_told_at_the_end),
	cmocka_unit_test(pointer_tokens_are_escaped),
	cmocka_unit_test(the_canonical_form_has_one_order_and_no_space),
	cmocka_unit_test(the_canonical_form_has_one_spelling),
};

UNIT_MAIN(tests)
