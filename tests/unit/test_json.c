/* SPDX-License-Identifier: MIT */
/* The reader and the cursors. What is JSON and what is not stands in json_cases.h. */
#include "unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "json/json.h"
#include "json_cases.h"

/* Reads a copy of exactly len bytes, so that a look past the end is found by the tools. */
static int read_exactly(struct json_doc *doc, const char *text, size_t len, struct err *err)
{
	char *copy = xreallocarray(NULL, len, 1);

	memcpy(copy, text, len);
	return json_read_take(doc, copy, len, err);
}

static const struct json *read_text(struct json_doc *doc, const char *text)
{
	cleanup_err struct err err = ERR_INIT;

	assert_ok(read_exactly(doc, text, strlen(text), &err), &err);
	return json_root(doc);
}

static void check_case(const struct json_case *c)
{
	static const enum err_code codes[] = {
		[READS] = ERR_NONE,
		[REFUSED] = ERR_PARSE,
		[DUPLICATE] = ERR_INVALID_REQUEST,
	};
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	int result = read_exactly(&doc, c->text, c->len, &err);

	if (err.code != codes[c->verdict])
		fail_msg("%s: %s", c->what, err.code == ERR_NONE ? "it reads" : err.message);
	assert_int_equal(result, c->verdict == READS ? 0 : -1);
	if (result < 0)
		assert_null(doc.tape);
	else if (json_root(&doc)->flags != c->flags)
		fail_msg("%s: flags are %u", c->what, (unsigned)json_root(&doc)->flags);
}

static void each_case_of_the_table_reads_or_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(json_cases); i++)
		check_case(&json_cases[i]);
}

/* A text that is cut anywhere is refused or reads, but is never looked at past its end. */
static void a_text_cut_anywhere_is_safe(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(json_cases); i++) {
		for (size_t len = 0; len < json_cases[i].len; len++) {
			cleanup_json struct json_doc doc = JSON_DOC_INIT;
			cleanup_err struct err err = ERR_INIT;

			if (read_exactly(&doc, json_cases[i].text, len, &err) == 0)
				assert_non_null(json_root(&doc));
		}
	}
}

/* ---- the public files, when they lie beside the source ---- */

#define SHARED SOURCE_ROOT "/../shared/data/json-parsing"

static void check_file(const char *name)
{
	static char text[1 << 20];
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	char path[1024];
	bool is_duplicate = strncmp(name, "y_object_duplicated_key", 23) == 0;
	size_t len;
	FILE *file;
	int result;

	(void)snprintf(path, sizeof(path), "%s/%s", SHARED, name);
	file = fopen(path, "rb");
	assert_non_null(file);
	len = fread(text, 1, sizeof(text), file);
	assert_int_equal(fclose(file), 0);
	result = read_exactly(&doc, text, len, &err);
	if (name[0] == 'y' && !is_duplicate && result != 0)
		fail_msg("%s: %s", name, err.message);
	if ((name[0] == 'n' || is_duplicate) && result == 0)
		fail_msg("%s: it reads", name);
	if (is_duplicate)
		assert_int_equal(err.code, ERR_INVALID_REQUEST);
}

static void the_public_case_files_read_or_are_refused(void **state)
{
	DIR *folder = opendir(SHARED);
	const struct dirent *entry;
	size_t seen = 0;

	(void)state;
	if (folder == NULL)
		return;
	while ((entry = readdir(folder)) != NULL) {
		if (strchr("yni", entry->d_name[0]) == NULL || entry->d_name[1] != '_')
			continue;
		check_file(entry->d_name);
		seen++;
	}
	assert_int_equal(closedir(folder), 0);
	assert_true(seen > 0);
}

/* ---- bounds ---- */

static int read_nested(size_t depth, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_buf struct buf text = BUF_INIT;

	for (size_t i = 0; i < depth; i++)
		buf_adds(&text, i % 2 ? "{\"a\":" : "[");
	buf_adds(&text, "0");
	for (size_t i = depth; i-- > 0;)
		buf_addc(&text, i % 2 ? '}' : ']');
	return json_read(&doc, text.data, text.len, err);
}

static void nesting_is_bounded(void **state)
{
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_ok(read_nested(LIMIT_JSON_DEPTH, &err), &err);
	assert_fails(read_nested(LIMIT_JSON_DEPTH + 1, &err), &err, ERR_PARSE);
	assert_fails(read_nested(100000, &err), &err, ERR_PARSE);
	assert_string_equal(err.message, "byte 1536: the JSON is nested too deep");
}

static void the_number_of_values_is_bounded(void **state)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	buf_addc(&text, '[');
	for (size_t i = 0; i < LIMIT_JSON_NODES - 2; i++)
		buf_adds(&text, "0,");
	buf_adds(&text, "0]");
	assert_ok(json_read(&doc, text.data, text.len, &err), &err);
	assert_int_equal(json_root(&doc)->len, LIMIT_JSON_NODES - 1);
	text.data[text.len - 1] = ',';
	buf_adds(&text, "0]");
	assert_fails(json_read(&doc, text.data, text.len, &err), &err, ERR_LIMIT);
}

/* The size is judged before a byte is looked at. */
static void a_text_of_4_gib_is_refused(void **state)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_fails(json_read(&doc, "1", UINT32_MAX, &err), &err, ERR_LIMIT);
}

static void many_names_are_compared_in_little_time(void **state)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < unit_many(200000); i++)
		buf_addf(&text, "%c\"a common beginning %zu\":0", i == 0 ? '{' : ',', i);
	buf_addc(&text, '}');
	assert_ok(json_read(&doc, text.data, text.len, &err), &err);
	buf_truncate(&text, text.len - 1);
	buf_adds(&text, ",\"a common beginning 7\":0}");
	assert_fails(json_read(&doc, text.data, text.len, &err), &err, ERR_INVALID_REQUEST);
}

/* ---- messages ---- */

static void assert_refused_with(const char *text, const char *message)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	assert_int_equal(read_exactly(&doc, text, strlen(text), &err), -1);
	assert_string_equal(err.message, message);
}

static void a_refusal_names_the_byte(void **state)
{
	(void)state;
	assert_refused_with("", "byte 0: a value is expected");
	assert_refused_with("{\"a\" 1}", "byte 5: a colon is expected");
	assert_refused_with("{\"a\":1,}", "byte 7: a member's name in quotes is expected");
	assert_refused_with("{\"a\":1]", "byte 6: a comma or } is expected");
	assert_refused_with("[1 2]", "byte 3: a comma or ] is expected");
	assert_refused_with("[01]", "byte 1: a number does not begin with a needless 0");
	assert_refused_with("[1.]", "byte 3: a digit is expected");
	assert_refused_with("\"ab", "byte 3: the text ends inside a string");
	assert_refused_with("\"a\\q\"", "byte 2: there is no such escape");
	assert_refused_with("\"a\\u12\"", "byte 2: \\u needs four hexadecimal digits");
	assert_refused_with("\"a\n\"", "byte 2: a control byte in a string must be escaped");
	assert_refused_with("\"\xc3\xa9\xff\"", "byte 3: the text is not valid UTF-8");
	assert_refused_with("1 x", "byte 2: something follows the JSON value");
}

static void a_refusal_of_a_duplicate_key_names_its_pointer(void **state)
{
	(void)state;
	assert_refused_with("{\"a\":1,\"a\":2}", "byte 7: duplicate key /a");
	assert_refused_with(
	    "[0,{\"x/y\":[[],{\"k~\":1,\"k~\":2}]}]", "byte 22: duplicate key /1/x~1y/1/k~0");
	assert_refused_with("{\"\\u202e\":1,\"\\u202e\":2}", "byte 12: duplicate key /\\u{202E}");
}

static void a_long_pointer_is_cut_in_the_message(void **state)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	for (int twice = 0; twice < 2; twice++) {
		buf_adds(&text, twice ? ",\"" : "{\"");
		for (int i = 0; i < 1000; i++)
			buf_adds(&text, "\xc3\xa9");
		buf_adds(&text, "\":0");
	}
	buf_addc(&text, '}');
	assert_fails(json_read(&doc, text.data, text.len, &err), &err, ERR_INVALID_REQUEST);
	assert_true(strlen(err.message) < 260);
	assert_string_equal(err.message + strlen(err.message) - 5, "\xc3\xa9…");
}

/* ---- the tape ---- */

static void a_tape_keeps_the_bytes_of_every_value(void **state)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const struct json *root = read_text(&doc, " {\"a\": [1.0, \"x\\ny\"] , \"b\":{}} ");
	const struct json *a = json_get(root, "a");

	(void)state;
	assert_int_equal(root->len, 2);
	assert_int_equal(root->skip, doc.tape_len);
	assert_memory_equal(root->raw, "{\"a\": [1.0, \"x\\ny\"] , \"b\":{}}", root->raw_len);
	assert_int_equal(a->len, 2);
	assert_int_equal(a->raw_len, 13);
	assert_memory_equal(a->raw, "[1.0, \"x\\ny\"]", 13);
	assert_memory_equal(json_at(a, 0)->raw, "1.0", json_at(a, 0)->raw_len);
	assert_null(json_at(a, 0)->str);
	assert_string_equal(json_at(a, 1)->str, "x\ny");
	assert_int_equal(json_at(a, 1)->raw_len, 6);
	assert_int_equal(json_get(root, "b")->len, 0);
}

static void strings_are_decoded(void **state)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const struct json *root = read_text(&doc,
	    "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"\\u0041\\u00e9\\u65e5\\ud83c\\udf78\",\"a\\u0000b\","
	    "\"\\ud800x\",\"12345678901234567890\xc3\xa9\",\"\"]");

	(void)state;
	assert_string_equal(json_at(root, 0)->str, "\"\\/\b\f\n\r\t");
	assert_string_equal(json_at(root, 1)->str, "A\xc3\xa9\xe6\x97\xa5\xf0\x9f\x8d\xb8");
	assert_int_equal(json_at(root, 2)->len, 3);
	assert_memory_equal(json_at(root, 2)->str, "a\0b", 4);
	assert_string_equal(json_at(root, 3)->str, "\xef\xbf\xbdx");
	assert_string_equal(json_at(root, 4)->str, "12345678901234567890\xc3\xa9");
	assert_string_equal(json_at(root, 5)->str, "");
}

static void marks_rise_to_the_containers_above_and_no_further(void **state)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const struct json *root = read_text(
	    &doc, "{\"clean\":[\"\\n\"],\"lone\":[[\"\\ud800\"]],\"nul\":{\"\\u0000\":1}}");

	(void)state;
	assert_int_equal(root->flags, JSON_LONE_SURROGATE | JSON_HAS_NUL);
	assert_int_equal(json_get(root, "clean")->flags, 0);
	assert_int_equal(json_at(json_get(root, "clean"), 0)->flags, JSON_IS_ESCAPED);
	assert_int_equal(json_get(root, "lone")->flags, JSON_LONE_SURROGATE);
	assert_int_equal(json_at(json_get(root, "lone"), 0)->flags, JSON_LONE_SURROGATE);
	assert_int_equal(json_get(root, "nul")->flags, JSON_HAS_NUL);
}

static void a_prefix_says_where_it_ends(void **state)
{
	static const char text[] = " {\"a\":1} \n[2]\n34 x";
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;
	size_t at = 0;
	size_t end = 0;

	(void)state;
	assert_ok(json_read_prefix(&doc, text, sizeof(text) - 1, &end, &err), &err);
	assert_int_equal(end, 8);
	at = end;
	assert_ok(json_read_prefix(&doc, text + at, sizeof(text) - 1 - at, &end, &err), &err);
	at += end;
	assert_int_equal(at, 13);
	assert_ok(json_read_prefix(&doc, text + at, sizeof(text) - 1 - at, &end, &err), &err);
	assert_memory_equal(json_root(&doc)->raw, "34", json_root(&doc)->raw_len);
	at += end;
	end = 77;
	assert_fails(
	    json_read_prefix(&doc, text + at, sizeof(text) - 1 - at, &end, &err), &err, ERR_PARSE);
	assert_int_equal(end, 77);
	assert_null(doc.tape);
	assert_fails(json_read_prefix(&doc, " ", 1, &end, &err), &err, ERR_PARSE);
}

static void a_document_may_be_read_into_again(void **state)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;

	(void)state;
	assert_int_equal(read_text(&doc, "[1,2,3]")->len, 3);
	assert_int_equal(read_text(&doc, "[1]")->len, 1);
	json_doc_release(&doc);
	assert_null(doc.tape);
	json_doc_release(&doc);
}

/* ---- cursors ---- */

static void members_are_found_by_their_decoded_name(void **state)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const struct json *root = read_text(&doc, "{\"na\\u006de\":1,\"a\\u0000b\":2,\"n\":null}");

	(void)state;
	assert_true(json_is(json_get(root, "name"), JSON_NUMBER));
	assert_memory_equal(json_get_len(root, "a\0b", 3)->raw, "2", 1);
	assert_true(json_is(json_get(root, "n"), JSON_NULL));
	assert_null(json_get(root, "a"));
	assert_null(json_get(root, "nam"));
	assert_null(json_get(NULL, "name"));
	assert_null(json_get(json_get(root, "name"), "name"));
	assert_null(json_at(root, 0));
}

static void loops_visit_each_child_once(void **state)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const struct json *root =
	    read_text(&doc, "{\"a\":[1,[2,3],{\"x\":4}],\"b\":{},\"c\":\"s\"}");
	size_t items = 0;
	char names[4] = "";

	(void)state;
	json_foreach_member (key, value, root) {
		names[items++] = key->str[0];
		assert_ptr_equal(value, json_get(root, key->str));
	}
	assert_string_equal(names, "abc");
	items = 0;
	json_foreach (item, json_get(root, "a"))
		assert_ptr_equal(item, json_at(json_get(root, "a"), items++));
	assert_int_equal(items, 3);
	json_foreach (item, json_get(root, "b"))
		fail_msg("an empty object has a child: %u", (unsigned)item->type);
	json_foreach (item, json_get(root, "c"))
		fail_msg("a string has a child: %u", (unsigned)item->type);
}

static void pointers_lead_to_their_values(void **state)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const struct json *root =
	    read_text(&doc, "{\"a\":[10,{\"b\":11}],\"\":12,\"x/"
			    "y\":13,\"m~n\":14,\"~1\":15,\"0\":{\"\":{\"\":16}}}");
	static const struct {
		const char *pointer;
		const char *raw;
	} cases[] = {
		{ "/a/0", "10" },
		{ "/a/1/b", "11" },
		{ "/", "12" },
		{ "/x~1y", "13" },
		{ "/m~0n", "14" },
		{ "/~01", "15" },
		{ "/0//", "16" },
	};

	(void)state;
	assert_ptr_equal(json_pointer(root, ""), root);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct json *found = json_pointer(root, cases[i].pointer);

		assert_non_null(found);
		assert_memory_equal(found->raw, cases[i].raw, 2);
	}
}

static void pointers_that_lead_nowhere_are_null(void **state)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const struct json *root = read_text(&doc, "{\"a\":[10,11],\"m~n\":1,\"s\":\"x\"}");
	static const char *const pointers[] = { "a", "/b", "/a/2", "/a/-", "/a/00", "/a/01",
		"/a/+1", "/a/", "/a/1x", "/a/99999999999999999999", "/a/0/0", "/s/0", "/m~n",
		"/m~2n", "/m~", "/a/*", "#/a" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pointers); i++) {
		if (json_pointer(root, pointers[i]) != NULL)
			fail_msg("%s leads somewhere", pointers[i]);
	}
}

static void texts_are_strings_without_a_nul(void **state)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const struct json *root = read_text(&doc, "[\"ab\",\"a\\u0000b\",1,\"\"]");

	(void)state;
	assert_string_equal(json_text(json_at(root, 0)), "ab");
	assert_null(json_text(json_at(root, 1)));
	assert_null(json_text(json_at(root, 2)));
	assert_null(json_text(NULL));
	assert_true(json_is_text(json_at(root, 0), "ab"));
	assert_false(json_is_text(json_at(root, 0), "abc"));
	assert_false(json_is_text(json_at(root, 1), "a"));
	assert_true(json_is_text(json_at(root, 3), ""));
	assert_false(json_is_text(json_at(root, 2), "1"));
	assert_false(json_is_text(NULL, ""));
}

static void types_have_names(void **state)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const struct json *root = read_text(&doc, "[null,true,false,1,1.0,1e3,1.5,\"\",[],{}]");
	static const char *const names[] = { "null", "boolean", "boolean", "integer", "integer",
		"integer", "number", "string", "array", "object" };
	size_t at = 0;

	(void)state;
	json_foreach (item, root)
		assert_string_equal(json_type_name(item), names[at++]);
	assert_true(json_is_bool(json_at(root, 1)));
	assert_true(json_is_bool(json_at(root, 2)));
	assert_false(json_is_bool(json_at(root, 0)));
	assert_false(json_is_bool(NULL));
	assert_false(json_is(NULL, JSON_NULL));
}

static bool are_equal(const char *a, const char *b)
{
	cleanup_json struct json_doc left = JSON_DOC_INIT;
	cleanup_json struct json_doc right = JSON_DOC_INIT;

	return json_equal(read_text(&left, a), read_text(&right, b));
}

static void equal_values_are_equal_however_they_are_written(void **state)
{
	(void)state;
	assert_true(are_equal("null", " null"));
	assert_true(are_equal("1", "1.0"));
	assert_true(are_equal("\"A\"", "\"\\u0041\""));
	assert_true(are_equal("[1,[2]]", "[1.0, [ 2e0 ] ]"));
	assert_true(are_equal("{\"a\":1,\"b\":[2]}", "{\"b\":[2],\"\\u0061\":1}"));
	assert_false(are_equal("true", "false"));
	assert_false(are_equal("1", "\"1\""));
	assert_false(are_equal("9007199254740993", "9007199254740992"));
	assert_false(are_equal("[1,2]", "[2,1]"));
	assert_false(are_equal("[1]", "[1,1]"));
	assert_false(are_equal("{\"a\":1}", "{\"a\":1,\"b\":1}"));
	assert_false(are_equal("{\"a\":1,\"b\":1}", "{\"a\":1,\"c\":1}"));
	assert_false(are_equal("{\"a\":1}", "{\"a\":2}"));
	assert_false(are_equal("{}", "[]"));
}

/* An object of many members, rotated by some places; one value may differ. */
static void add_many_members(struct buf *text, int rotation, int odd_one)
{
	for (int i = 0; i < 50; i++) {
		int name = (i + rotation) % 50;

		buf_addf(
		    text, "%c\"k%d\":%d", i == 0 ? '{' : ',', name, name == odd_one ? -1 : name);
	}
	buf_addc(text, '}');
}

static void large_objects_are_equal_in_any_order(void **state)
{
	cleanup_buf struct buf a = BUF_INIT;
	cleanup_buf struct buf b = BUF_INIT;
	cleanup_buf struct buf c = BUF_INIT;

	(void)state;
	add_many_members(&a, 0, 99);
	add_many_members(&b, 17, 99);
	add_many_members(&c, 17, 30);
	assert_true(are_equal(a.data, b.data));
	assert_false(are_equal(a.data, c.data));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_case_of_the_table_reads_or_is_refused),
	cmocka_unit_test(a_text_cut_anywhere_is_safe),
	cmocka_unit_test(the_public_case_files_read_or_are_refused),
	cmocka_unit_test(nesting_is_bounded),
	cmocka_unit_test(the_number_of_values_is_bounded),
	cmocka_unit_test(a_text_of_4_gib_is_refused),
	cmocka_unit_test(many_names_are_compared_in_little_time),
	cmocka_unit_test(a_refusal_names_the_byte),
	cmocka_unit_test(a_refusal_of_a_duplicate_key_names_its_pointer),
	cmocka_unit_test(a_long_pointer_is_cut_in_the_message),
	cmocka_unit_test(a_tape_keeps_the_bytes_of_every_value),
	cmocka_unit_test(strings_are_decoded),
	cmocka_unit_test(marks_rise_to_the_containers_above_and_no_further),
	cmocka_unit_test(a_prefix_says_where_it_ends),
	cmocka_unit_test(a_document_may_be_read_into_again),
	cmocka_unit_test(members_are_found_by_their_decoded_name),
	cmocka_unit_test(loops_visit_each_child_once),
	cmocka_unit_test(pointers_lead_to_their_values),
	cmocka_unit_test(pointers_that_lead_nowhere_are_null),
	cmocka_unit_test(texts_are_strings_without_a_nul),
	cmocka_unit_test(types_have_names),
	cmocka_unit_test(equal_values_are_equal_however_they_are_written),
	cmocka_unit_test(large_objects_are_equal_in_any_order),
};

UNIT_MAIN(tests)
