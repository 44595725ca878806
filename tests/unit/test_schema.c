/* SPDX-License-Identifier: MIT */
/* Schemas: what is refused when compiling, each keyword both ways, and the exact sentences. The
 * official suite (tests/schema/) covers the breadth. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "schema/schema.h"

static const char *const marks[] = { "x-secret", "x-hidden", "x-path", NULL };

static void read_json(struct json_doc *doc, const char *text)
{
	cleanup_err struct err err = ERR_INIT;

	assert_ok(json_read(doc, text, strlen(text), &err), &err);
}

/* The message of a schema that must not compile; *doc and *where are kept for the caller. */
static char *compile_error(struct json_doc *doc, const char *text, const struct json **where)
{
	const struct schema_options options = { .ignore = marks, .check_patterns = true };
	cleanup_err struct err err = ERR_INIT;

	read_json(doc, text);
	assert_null(schema_compile(json_root(doc), &options, where, &err));
	assert_int_equal(err.code, ERR_CONFIGURATION);
	return steal_ptr(&err.message);
}

static void assert_compile_error(const char *text, const char *message)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const struct json *where = NULL;
	cleanup_free char *actual = compile_error(&doc, text, &where);

	assert_string_equal(actual, message);
	assert_non_null(where);
}

/* Validates; the message and details of a refusal, or NULL. */
static char *refusal(const char *schema_text, const char *text, char **ret_details)
{
	const struct schema_options options = { .ignore = marks };
	cleanup_json struct json_doc schema_doc = JSON_DOC_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_schema struct schema *schema = NULL;
	cleanup_err struct err err = ERR_INIT;
	bool is_valid;

	read_json(&schema_doc, schema_text);
	read_json(&doc, text);
	schema = schema_compile(json_root(&schema_doc), &options, NULL, &err);
	if (schema == NULL)
		fail_msg("%s: %s", schema_text, err.message);
	is_valid = schema_validate(schema, json_root(&doc), &err) == 0;
	assert_int_equal(is_valid, schema_accepts(schema, json_root(&doc)));
	if (is_valid) {
		assert_int_equal(err.code, ERR_NONE);
		return NULL;
	}
	assert_int_equal(err.code, ERR_INVALID_ARGUMENT);
	if (ret_details != NULL)
		*ret_details = steal_ptr(&err.details);
	return steal_ptr(&err.message);
}

static void assert_fits(const char *schema, const char *instance)
{
	cleanup_free char *message = refusal(schema, instance, NULL);

	if (message != NULL)
		fail_msg("%s against %s: %s", instance, schema, message);
}

static void assert_refused(const char *schema, const char *instance, const char *message)
{
	cleanup_free char *actual = refusal(schema, instance, NULL);

	if (actual == NULL)
		fail_msg("%s was accepted by %s", instance, schema);
	assert_string_equal(actual, message);
}

/* ---- compiling ---- */

static void an_unknown_keyword_is_refused_with_the_nearest_one(void **state)
{
	(void)state;
	assert_compile_error("{\"properties\":{\"a\":{\"minlength\":1}}}",
	    "/properties/a/minlength: is no keyword that may stand here; did you mean minLength?");
	assert_compile_error("{\"x-odd\":true}", "/x-odd: is no keyword that may stand here");
	assert_compile_error(
	    "{\"x\\u0000\":true}", "/x\\u{0000}: is no keyword that may stand here");
}

static void references_and_formats_are_refused(void **state)
{
	static const char *const schemas[] = { "{\"$ref\":\"#\"}", "{\"$defs\":{}}",
		"{\"$id\":\"x\"}", "{\"$schema\":\"x\"}", "{\"$anchor\":\"x\"}",
		"{\"$dynamicRef\":\"#x\"}", "{\"format\":\"date\"}",
		"{\"unevaluatedProperties\":false}", "{\"unevaluatedItems\":false}",
		"{\"contentEncoding\":\"base64\"}", "{\"definitions\":{}}", "{\"dependencies\":{}}",
		"{\"additionalItems\":false}" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(schemas); i++) {
		cleanup_json struct json_doc doc = JSON_DOC_INIT;
		const struct json *where = NULL;
		cleanup_free char *message = compile_error(&doc, schemas[i], &where);

		assert_non_null(strstr(message, "is no keyword that may stand here"));
		assert_ptr_equal(where, json_begin(json_root(&doc)));
	}
}

static void a_keyword_of_the_wrong_type_is_refused_where_it_stands(void **state)
{
	(void)state;
	assert_compile_error(
	    "5", "(root): is of type integer, a schema (an object or a boolean) is wanted");
	assert_compile_error("{\"items\":[]}",
	    "/items: is of type array, a schema (an object or a boolean) is wanted");
	assert_compile_error("{\"allOf\":[true,7]}",
	    "/allOf/1: is of type integer, a schema (an object or a boolean) is wanted");
	assert_compile_error(
	    "{\"minimum\":\"1\"}", "/minimum: is of type string, a number is wanted");
	assert_compile_error(
	    "{\"properties\":[]}", "/properties: is of type array, an object is wanted");
	assert_compile_error("{\"patternProperties\":1}",
	    "/patternProperties: is of type integer, an object is wanted");
	assert_compile_error("{\"dependentSchemas\":1}",
	    "/dependentSchemas: is of type integer, an object is wanted");
	assert_compile_error("{\"dependentRequired\":1}",
	    "/dependentRequired: is of type integer, an object is wanted");
	assert_compile_error("{\"dependentRequired\":{\"a\":\"b\"}}",
	    "/dependentRequired/a: must be an array of names");
	assert_compile_error("{\"required\":\"a\"}", "/required: must be an array of names");
	assert_compile_error("{\"required\":[1]}", "/required: holds something that is no name");
	assert_compile_error("{\"required\":[\"a\",\"b\",\"a\"]}", "/required: has a name twice");
	assert_compile_error(
	    "{\"uniqueItems\":1}", "/uniqueItems: is of type integer, a boolean is wanted");
	assert_compile_error("{\"anyOf\":{}}", "/anyOf: is of type object, an array is wanted");
	assert_compile_error("{\"oneOf\":[]}", "/oneOf: is empty, a schema is wanted");
	assert_compile_error("{\"enum\":5}", "/enum: is of type integer, an array is wanted");
	assert_compile_error("{\"enum\":[]}", "/enum: is empty: nothing would fit");
	assert_compile_error("{\"pattern\":5}", "/pattern: a pattern is a string without NUL");
	assert_compile_error(
	    "{\"pattern\":\"a\\u0000\"}", "/pattern: a pattern is a string without NUL");
	assert_compile_error("{\"title\":5}", "/title: is of type integer, a string is wanted");
	assert_compile_error(
	    "{\"readOnly\":5}", "/readOnly: is of type integer, a boolean is wanted");
	assert_compile_error(
	    "{\"examples\":5}", "/examples: is of type integer, an array is wanted");
}

static void impossible_counts_and_types_are_refused(void **state)
{
	(void)state;
	assert_compile_error("{\"minLength\":-1}", "/minLength: must not be negative");
	assert_compile_error("{\"minLength\":-1e30}", "/minLength: must not be negative");
	assert_compile_error(
	    "{\"maxItems\":1.5}", "/maxItems: is of type number, a non-negative integer is wanted");
	assert_compile_error("{\"multipleOf\":0}", "/multipleOf: must be more than 0");
	assert_compile_error("{\"multipleOf\":-0.5}", "/multipleOf: must be more than 0");
	assert_compile_error("{\"type\":\"int\"}",
	    "/type: must be null, boolean, integer, number, string, array or object");
	assert_compile_error("{\"type\":[]}", "/type: names no type");
	assert_compile_error("{\"type\":[\"null\",\"null\"]}", "/type: names null twice");
}

static void a_bad_pattern_is_refused_when_patterns_are_checked(void **state)
{
	(void)state;
	assert_compile_error("{\"pattern\":\"a(\"}",
	    "/pattern: regular expression: missing closing parenthesis (at offset 2)");
	assert_compile_error("{\"patternProperties\":{\"[\":true}}",
	    "/patternProperties/[: regular expression: missing terminating ] for character class "
	    "(at offset 1)");
}

static void a_bad_pattern_that_was_not_checked_refuses_every_instance(void **state)
{
	static const char message[] =
	    "(root): a pattern of the schema could not be tried within its limit";

	(void)state;
	assert_refused("{\"not\":{\"pattern\":\"(\"}}", "\"a\"", message);
	assert_refused("{\"patternProperties\":{\"(\":true}}", "{\"a\":1}", message);
	assert_fits("{\"pattern\":\"(\"}", "5");
}

static void names_of_all_annotations_are_passed_over(void **state)
{
	(void)state;
	assert_fits("{\"title\":\"t\",\"description\":\"d\",\"default\":[1],\"examples\":[5],"
		    "\"deprecated\":true,\"readOnly\":false,\"writeOnly\":false,\"$comment\":\"c\","
		    "\"x-path\":\"dir\"}",
	    "5");
}

static void nothing_is_freed_without_harm(void **state)
{
	(void)state;
	schema_free(NULL);
}

/* ---- each keyword ---- */

static void types(void **state)
{
	(void)state;
	assert_fits("{\"type\":\"null\"}", "null");
	assert_fits("{\"type\":\"boolean\"}", "false");
	assert_fits("{\"type\":\"integer\"}", "1.0");
	assert_fits("{\"type\":\"integer\"}", "1e400");
	assert_fits("{\"type\":\"number\"}", "1.5");
	assert_fits("{\"type\":\"string\"}", "\"\"");
	assert_fits("{\"type\":\"array\"}", "[]");
	assert_fits("{\"type\":[\"string\",\"null\"]}", "null");
	assert_refused("{\"type\":\"object\"}", "[]", "(root): is an array, an object is wanted");
	assert_refused(
	    "{\"type\":\"integer\"}", "1.5", "(root): 1.5 is no integer, an integer is wanted");
	assert_refused("{\"type\":[\"null\",\"string\",\"integer\"]}", "{}",
	    "(root): is an object, an integer, a string or null is wanted");
	assert_refused("{\"type\":\"null\"}", "{}", "(root): is an object, null is wanted");
}

static void enumerations_and_constants(void **state)
{
	(void)state;
	assert_fits("{\"enum\":[1,\"a\",[2]]}", "[2.0]");
	assert_fits("{\"const\":{\"a\":1,\"b\":2}}", "{\"b\":2,\"a\":1.0}");
	assert_refused("{\"enum\":[\"contains\",\"prefix\"]}", "\"perfix\"",
	    "(root): \"perfix\" is none of \"contains\", \"prefix\"; did you mean \"prefix\"?");
	assert_refused("{\"enum\":[1,{}]}", "[]", "(root): is none of 1, an object");
	assert_refused("{\"enum\":[null]}", "7", "(root): 7 is not null");
	assert_refused("{\"const\":\"a\"}", "\"b\"", "(root): \"b\" is not \"a\"");
	assert_refused("{\"const\":[1]}", "[]", "(root): is not the one value that may stand here");
	assert_refused("{\"enum\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21]}", "0",
	    "(root): 0 is none of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, "
	    "19, 20… (21 in all)");
}

static void bounds_of_numbers(void **state)
{
	(void)state;
	assert_fits("{\"minimum\":1,\"maximum\":500}", "500.0");
	assert_fits("{\"exclusiveMinimum\":0}", "1e-400");
	assert_fits("{\"multipleOf\":0.01}", "4.02");
	assert_fits("{\"maximum\":1}", "\"no number\"");
	assert_refused("{\"maximum\":500}", "700", "(root): 700 is more than the maximum 500");
	assert_refused("{\"maximum\":500}", "1e999", "(root): 1e999 is more than the maximum 500");
	assert_refused("{\"maximum\":9007199254740992}", "9007199254740993",
	    "(root): 9007199254740993 is more than the maximum 9007199254740992");
	assert_refused("{\"minimum\":1}", "-0", "(root): -0 is less than the minimum 1");
	assert_refused("{\"exclusiveMinimum\":0}", "0", "(root): 0 is not more than 0");
	assert_refused("{\"exclusiveMaximum\":5}", "5.0", "(root): 5.0 is not less than 5");
	assert_refused("{\"multipleOf\":5}", "7", "(root): 7 is not a multiple of 5");
}

static void lengths_count_code_points(void **state)
{
	(void)state;
	assert_fits("{\"minLength\":2,\"maxLength\":2}", "\"\\ud83c\\udf78\xc3\xa9\"");
	assert_fits("{\"maxLength\":1e400}", "\"a\"");
	assert_refused("{\"minLength\":2}", "\"\\ud83c\\udf78\"",
	    "(root): has 1 character, fewer than the minimum 2");
	assert_refused("{\"minLength\":1}", "\"\"", "(root): is empty, some text is wanted");
	assert_refused(
	    "{\"minLength\":2}", "\"\"", "(root): has 0 characters, fewer than the minimum 2");
	assert_refused(
	    "{\"maxLength\":3}", "\"abcd\"", "(root): has 4 characters, more than the maximum 3");
	assert_refused("{\"minLength\":1e400}", "\"abcd\"",
	    "(root): has 4 characters, fewer than the minimum 9223372036854775807");
}

static void patterns(void **state)
{
	(void)state;
	assert_fits("{\"pattern\":\"^a*$\"}", "\"aaa\"");
	assert_fits("{\"pattern\":\"^a*$\"}", "5");
	assert_refused("{\"pattern\":\"^[0-9]{1,9}$\"}", "\"12\\n\"",
	    "(root): \"12\\n\" does not match the pattern ^[0-9]{1,9}$");
}

static void items_of_arrays(void **state)
{
	(void)state;
	assert_fits("{\"prefixItems\":[{\"type\":\"string\"}],\"items\":{\"type\":\"integer\"}}",
	    "[\"a\",1,2]");
	assert_fits("{\"prefixItems\":[true]}", "[]");
	assert_fits("{\"minItems\":1,\"maxItems\":2}", "[1,2]");
	assert_refused("{\"items\":{\"type\":\"integer\"}}", "[1,[]]",
	    "/1: is an array, an integer is wanted");
	assert_refused("{\"prefixItems\":[true,false]}", "[1,2]", "/1: must not stand here");
	assert_refused(
	    "{\"prefixItems\":[true],\"items\":false}", "[1,2]", "/1: is one item too many");
	assert_refused("{\"minItems\":2}", "[1]", "(root): has 1 item, fewer than the minimum 2");
	assert_refused("{\"maxItems\":1}", "[1,2]", "(root): has 2 items, more than the maximum 1");
}

static void items_that_must_be_contained(void **state)
{
	(void)state;
	assert_fits("{\"contains\":{\"type\":\"string\"}}", "[1,\"a\"]");
	assert_fits("{\"contains\":false,\"minContains\":0}", "[1]");
	assert_fits("{\"minContains\":3}", "[]");
	assert_refused("{\"contains\":{\"type\":\"string\"}}", "[1]",
	    "(root): has 0 fitting items, fewer than the minimum 1");
	assert_refused("{\"contains\":{\"type\":\"string\"},\"minContains\":2}", "[\"a\"]",
	    "(root): has 1 fitting item, fewer than the minimum 2");
	assert_refused("{\"contains\":true,\"maxContains\":1}", "[1,2,3]",
	    "(root): has 3 fitting items, more than the maximum 1");
}

static void unique_items_differ_by_value(void **state)
{
	static const char few[] = "[1,\"1\",true,[1],{\"a\":1,\"b\":[]},10]";

	(void)state;
	assert_fits("{\"uniqueItems\":true}", few);
	assert_fits("{\"uniqueItems\":false}", "[1,1]");
	assert_refused(
	    "{\"uniqueItems\":true}", "[0.5,2,50e-2]", "(root): items 0 and 2 are equal");
	assert_refused("{\"uniqueItems\":true}", "[{\"a\":1,\"b\":2},0,{\"b\":2.0,\"a\":1}]",
	    "(root): items 0 and 2 are equal");
}

/* More than are compared pair by pair: each pair below is one that bytes alone misjudge. */
static void many_unique_items_differ_by_value_too(void **state)
{
	static const char filler[] =
	    "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,\"0\",[],{},null,true,false,[[]],[{}],"
	    "[0,1],[10e0],\"\",{\"a\":[1,{\"b\":2}]},{\"a\":[1,{\"b\":3}]},%s]";
	static const struct {
		const char *tail;
		bool is_unique;
	} cases[] = {
		{ "[1]", true },
		{ "1e2", true },
		{ "{\"a\":[1.0,{\"b\":20e-1}]}", false },
		{ "160e-1", false },
		{ "1e9999999999999999999999,10e9999999999999999999998", false },
		{ "1e9999999999999999999999,1e9999999999999999999998", true },
		{ "{\"x\":1,\"yy\":2},{\"yy\":2,\"x\":1}", false },
		{ "{\"x\":1,\"yy\":2},{\"x\":2,\"yy\":1}", true },
		{ "\"\\u0030\"", false },
		{ "\"a\\u0000\",\"a\"", true },
		{ "[\"a\",\"b\"],[\"ab\",\"\"]", true },
		{ "-0", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cleanup_buf struct buf text = BUF_INIT;
		cleanup_free char *message = NULL;

		buf_addf(&text, filler, cases[i].tail);
		message = refusal("{\"uniqueItems\":true}", text.data, NULL);
		if ((message == NULL) != cases[i].is_unique)
			fail_msg("%s: %s", cases[i].tail, message != NULL ? message : "accepted");
	}
}

static void uniqueness_of_many_items_costs_no_square(void **state)
{
	cleanup_buf struct buf text = BUF_INIT;
	int64_t start = clock_monotonic_ms();

	(void)state;
	buf_addc(&text, '[');
	for (size_t i = 0; i < unit_many(100000); i++)
		buf_addf(&text, "{\"a\":%zu},", i);
	buf_adds(&text, "{}]");
	assert_fits("{\"uniqueItems\":true}", text.data);
	assert_true(clock_monotonic_ms() - start < 20000);
}

static void members_of_objects(void **state)
{
	static const char schema[] =
	    "{\"properties\":{\"path\":{\"type\":\"string\"},\"read_only\":{\"type\":\"boolean\"}},"
	    "\"required\":[\"path\"],\"additionalProperties\":false}";

	(void)state;
	assert_fits(schema, "{\"path\":\"a\"}");
	assert_fits(schema, "{\"p\\u0061th\":\"a\",\"read_only\":true}");
	assert_fits(schema, "5");
	assert_refused(schema, "{}", "/path: is required");
	assert_refused(schema, "{\"path\":\"a\",\"readonly\":true}",
	    "/readonly: is not an argument here; did you mean read_only?");
	assert_refused(schema, "{\"path\":\"a\",\"reason\":true}",
	    "/reason: is not an argument here; not yet given: read_only");
	assert_refused(
	    "{\"minProperties\":1}", "{}", "(root): has 0 members, fewer than the minimum 1");
	assert_refused("{\"maxProperties\":1}", "{\"a\":1,\"b\":2}",
	    "(root): has 2 members, more than the maximum 1");
	assert_refused("{\"properties\":{\"a\":false}}", "{\"a\":1}", "/a: must not stand here");
}

static void members_by_pattern_and_the_rest(void **state)
{
	static const char schema[] = "{\"patternProperties\":{\"^n_\":{\"type\":\"integer\"}},"
				     "\"additionalProperties\":{\"type\":\"string\"}}";

	(void)state;
	assert_fits(schema, "{\"n_a\":1,\"b\":\"c\"}");
	assert_refused(schema, "{\"n_a\":[]}", "/n_a: is an array, an integer is wanted");
	assert_refused(schema, "{\"b\":[]}", "/b: is an array, a string is wanted");
	assert_refused(
	    "{\"patternProperties\":{\"b\":false}}", "{\"abc\":1}", "/abc: must not stand here");
	assert_refused("{\"properties\":{\"ab\":{\"minimum\":5}},"
		       "\"patternProperties\":{\"b\":{\"maximum\":3}}}",
	    "{\"ab\":4}", "/ab: 4 is less than the minimum 5; /ab: 4 is more than the maximum 3");
}

static void names_of_members(void **state)
{
	(void)state;
	assert_fits("{\"propertyNames\":{\"pattern\":\"^[a-z]+$\"}}", "{\"abc\":1}");
	assert_refused("{\"propertyNames\":{\"pattern\":\"^[a-z]+$\"}}", "{\"Abc\":1}",
	    "/Abc: the name \"Abc\" does not match the pattern ^[a-z]+$");
	assert_refused("{\"propertyNames\":{\"maxLength\":2}}", "{\"abc\":1}",
	    "/abc: the name has 3 characters, more than the maximum 2");
	assert_refused(
	    "{\"propertyNames\":false}", "{\"abc\":1}", "/abc: the name must not stand here");
}

static void members_that_depend_on_others(void **state)
{
	static const char required[] = "{\"dependentRequired\":{\"first\":[\"last\"]}}";
	static const char schemas[] = "{\"dependentSchemas\":{\"a\":{\"maxProperties\":1}}}";

	(void)state;
	assert_fits(required, "{\"first\":1,\"last\":2}");
	assert_fits(required, "{\"last\":2}");
	assert_refused(required, "{\"first\":1}", "/last: is required when first is given");
	assert_fits(schemas, "{\"b\":1,\"c\":1}");
	assert_fits(schemas, "{\"a\":1}");
	assert_refused(
	    schemas, "{\"a\":1,\"b\":1}", "(root): has 2 members, more than the maximum 1");
	assert_refused(
	    "{\"dependentSchemas\":{\"a\":false}}", "{\"a\":1}", "(root): must not stand here");
}

static void all_of_several(void **state)
{
	(void)state;
	assert_fits("{\"allOf\":[{\"minimum\":1},{\"maximum\":3}]}", "2");
	assert_refused("{\"allOf\":[{\"minimum\":1},{\"multipleOf\":2}]}", "-1",
	    "(root): -1 is less than the minimum 1; (root): -1 is not a multiple of 2");
	assert_refused("{\"allOf\":[false]}", "1", "(root): must not stand here");
}

static void any_of_several(void **state)
{
	static const char schema[] =
	    "{\"anyOf\":[{\"type\":\"string\",\"minLength\":2},{\"type\":\"integer\"}]}";

	(void)state;
	assert_fits(schema, "5");
	assert_fits(schema, "\"ab\"");
	assert_refused(schema, "\"a\"", "(root): has 1 character, fewer than the minimum 2");
	assert_refused(schema, "[]", "(root): is an array, an integer or a string is wanted");
	assert_refused("{\"anyOf\":[{\"minimum\":5},{\"multipleOf\":2}]}", "1",
	    "(root): 1 fits none of the forms that may stand here");
	assert_refused(
	    "{\"anyOf\":[false]}", "[]", "(root): fits none of the forms that may stand here");
}

static void one_of_several(void **state)
{
	static const char schema[] = "{\"oneOf\":[{\"multipleOf\":2},{\"multipleOf\":3}]}";

	(void)state;
	assert_fits(schema, "2");
	assert_refused(
	    schema, "6", "(root): fits 2 of the forms that may stand here, one alone is wanted");
	assert_refused(schema, "5", "(root): 5 fits none of the forms that may stand here");
	assert_refused(
	    "{\"oneOf\":[{\"type\":\"object\",\"required\":[\"a\"]},{\"type\":\"null\"}]}", "{}",
	    "/a: is required");
}

static void what_must_not_fit(void **state)
{
	(void)state;
	assert_fits("{\"not\":{\"type\":\"string\"}}", "1");
	assert_refused("{\"not\":{\"type\":\"string\"}}", "\"a\"",
	    "(root): \"a\" is of a form that must not stand here");
}

static void conditions(void **state)
{
	static const char schema[] =
	    "{\"if\":{\"type\":\"integer\"},\"then\":{\"minimum\":5},\"else\":false}";

	(void)state;
	assert_fits(schema, "5");
	assert_refused(schema, "4", "(root): 4 is less than the minimum 5");
	assert_refused(schema, "\"\"", "(root): must not stand here");
	assert_fits("{\"if\":false}", "5");
	assert_fits("{\"then\":false,\"else\":false}", "5");
	assert_fits("{\"if\":true,\"else\":false}", "5");
	assert_refused("{\"if\":true,\"then\":false}", "5", "(root): must not stand here");
}

static void boolean_schemas(void **state)
{
	(void)state;
	assert_fits("true", "5");
	assert_fits("{}", "null");
	assert_refused("false", "5", "(root): must not stand here");
}

/* ---- sentences ---- */

static void what_is_sent_as_a_string_is_given_back_unquoted(void **state)
{
	(void)state;
	assert_refused("{\"properties\":{\"limit\":{\"type\":\"integer\"}}}", "{\"limit\":\"5\"}",
	    "/limit: is a string, an integer is wanted; give 5, not \"5\"");
	assert_refused("{\"type\":\"boolean\"}", "\"true\"",
	    "(root): is a string, a boolean is wanted; give true, not \"true\"");
	assert_refused("{\"type\":\"boolean\"}", "\"False\"",
	    "(root): is a string, a boolean is wanted; give false, not \"False\"");
	assert_refused("{\"type\":\"array\"}", "\"[\\\"a\\\"]\"",
	    "(root): is a string, an array is wanted; give the array itself, not its text in a "
	    "string");
	assert_refused("{\"type\":\"object\"}", "\"{}\"",
	    "(root): is a string, an object is wanted; give the object itself, not its text in a "
	    "string");
	assert_refused(
	    "{\"type\":\"integer\"}", "\"1.5\"", "(root): is a string, an integer is wanted");
	assert_refused(
	    "{\"type\":\"integer\"}", "\"five\"", "(root): is a string, an integer is wanted");
}

static void other_slips_of_type_are_given_back_mended(void **state)
{
	(void)state;
	assert_refused("{\"type\":\"string\"}", "5",
	    "(root): is an integer, a string is wanted; give \"5\", not 5");
	assert_refused("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "\"a\"",
	    "(root): is a string, an array is wanted; give [\"a\"], not \"a\"");
	assert_refused("{\"type\":\"array\",\"items\":{\"type\":\"object\"}}", "\"a\"",
	    "(root): is a string, an array is wanted");
	assert_refused("{\"properties\":{\"a\":{\"type\":\"string\"}}}", "{\"a\":null}",
	    "/a: is null, a string is wanted; leave it out if there is none");
	assert_refused("{\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"]}",
	    "{\"a\":null}", "/a: is null, a string is wanted");
}

static void hidden_and_given_names_are_not_suggested(void **state)
{
	static const char schema[] =
	    "{\"properties\":{\"confirm\":{\"x-hidden\":true},\"path\":true,\"gone\":false},"
	    "\"additionalProperties\":false}";

	(void)state;
	assert_refused(
	    schema, "{\"confirn\":1}", "/confirn: is not an argument here; not yet given: path");
	assert_refused(schema, "{\"path\":1,\"Path\":1}", "/Path: is not an argument here");
	assert_refused("{\"properties\":{\"a\":{\"additionalProperties\":false}}}",
	    "{\"a\":{\"b\":1}}", "/a/b: is not a known member here");
}

static void many_known_names_are_not_listed(void **state)
{
	(void)state;
	assert_refused(
	    "{\"properties\":{\"a1\":true,\"a2\":true,\"a3\":true,\"a4\":true,\"a5\":true,"
	    "\"a6\":true,\"a7\":true,\"a8\":true,\"a9\":true},"
	    "\"additionalProperties\":false}",
	    "{\"other\":1}", "/other: is not an argument here");
}

static void at_most_five_failures_are_told(void **state)
{
	cleanup_free char *details = NULL;
	cleanup_free char *message =
	    refusal("{\"items\":{\"maximum\":0}}", "[1,2,3,4,5,6,7]", &details);

	(void)state;
	assert_string_equal(message,
	    "/0: 1 is more than the maximum 0; /1: 2 is more than the maximum 0; "
	    "/2: 3 is more than the maximum 0; /3: 4 is more than the maximum 0; "
	    "/4: 5 is more than the maximum 0");
	assert_string_equal(details, "{\"errors\":[{\"pointer\":\"/0\",\"keyword\":\"maximum\"},"
				     "{\"pointer\":\"/1\",\"keyword\":\"maximum\"},{\"pointer\":\"/"
				     "2\",\"keyword\":\"maximum\"},"
				     "{\"pointer\":\"/3\",\"keyword\":\"maximum\"},{\"pointer\":\"/"
				     "4\",\"keyword\":\"maximum\"}]}");
}

static void pointers_are_escaped_and_the_root_is_empty(void **state)
{
	cleanup_free char *details = NULL;
	cleanup_free char *message =
	    refusal("{\"properties\":{\"a/b~\":{\"items\":false}}}", "{\"a/b~\":[1]}", &details);
	cleanup_free char *root_details = NULL;
	cleanup_free char *root_message = refusal("false", "1", &root_details);

	(void)state;
	assert_string_equal(message, "/a~1b~0/0: is one item too many");
	assert_string_equal(
	    details, "{\"errors\":[{\"pointer\":\"/a~1b~0/0\",\"keyword\":\"items\"}]}");
	assert_string_equal(
	    root_details, "{\"errors\":[{\"pointer\":\"\",\"keyword\":\"false\"}]}");
	assert_string_equal(root_message, "(root): must not stand here");
}

static void what_a_peer_wrote_is_cut_and_made_visible(void **state)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_free char *message = NULL;

	(void)state;
	assert_refused("{\"maxLength\":1,\"const\":\"\"}", "\"a\\n\xe2\x80\xae\"",
	    "(root): \"a\\n\\u{202E}\" is not \"\"");
	assert_refused("{\"const\":1}",
	    "\"\xc3\xa9"
	    "123456789012345678901234567890123456789012345\"",
	    "(root): \"\xc3\xa9"
	    "123456789012345678901234567890123456789…\" is not 1");
	assert_refused("{\"additionalProperties\":false}", "{\"a\\n\xe2\x80\xae\":1}",
	    "/a\\u{000A}\\u{202E}: is not an argument here");
	buf_adds(&text, "{\"");
	for (size_t i = 0; i < unit_many(100000); i++)
		buf_adds(&text, "\xc3\xa9");
	buf_adds(&text, "\":1}");
	message = refusal("{\"additionalProperties\":false}", text.data, NULL);
	assert_non_null(message);
	assert_true(strlen(message) < 150);
}

/* ---- secrets ---- */

static void a_secret_is_never_quoted(void **state)
{
	static const char schema[] =
	    "{\"properties\":{\"s\":{\"x-secret\":true,\"type\":\"string\",\"minLength\":8,"
	    "\"maxLength\":9,\"pattern\":\"^x\"},\"n\":{\"x-secret\":\"argv\",\"type\":\"integer\","
	    "\"maximum\":5,\"enum\":[1,9]}}}";

	(void)state;
	assert_refused(
	    schema, "{\"s\":\"hunter2\"}", "/s: has fewer characters than the minimum 8");
	assert_refused(
	    schema, "{\"s\":\"hunter2hunter2\"}", "/s: has more characters than the maximum 9");
	assert_refused(schema, "{\"s\":\"hunter22\"}", "/s: does not match the pattern ^x");
	assert_refused(schema, "{\"s\":12345}", "/s: is an integer, a string is wanted");
	assert_refused(schema, "{\"n\":\"12345\"}", "/n: is a string, an integer is wanted");
	assert_refused(schema, "{\"n\":1.5}", "/n: is a number, an integer is wanted");
	assert_refused(schema, "{\"n\":9}", "/n: is more than the maximum 5");
	assert_refused(schema, "{\"n\":8}", "/n: is none of 1, 9");
	assert_refused("{\"properties\":{\"s\":{\"x-secret\":false,\"maximum\":1}}}",
	    "{\"s\":12345}", "/s: 12345 is more than the maximum 1");
}

static void within_a_secret_not_even_names_are_told(void **state)
{
	cleanup_free char *details = NULL;
	cleanup_free char *message =
	    refusal("{\"properties\":{\"s\":{\"x-secret\":true,\"additionalProperties\":false}}}",
		"{\"s\":{\"hunter2\":1}}", &details);

	(void)state;
	assert_string_equal(message, "/s: something within does not fit");
	assert_string_equal(
	    details, "{\"errors\":[{\"pointer\":\"/s\",\"keyword\":\"additionalProperties\"}]}");
	assert_refused("{\"x-secret\":true,\"items\":{\"maximum\":1}}", "[5]",
	    "(root): something within does not fit");
	assert_refused(
	    "{\"x-secret\":true,\"uniqueItems\":true}", "[5,5]", "(root): has two equal items");
}

/* The mark need not stand in the schema that finds the fault. */
static void a_secret_is_one_for_every_schema_of_its_place(void **state)
{
	static const char *const schemas[] = {
		"{\"allOf\":[{\"properties\":{\"s\":{\"x-secret\":true}}},"
		"{\"properties\":{\"s\":{\"maximum\":1}}}]}",
		"{\"properties\":{\"s\":{\"anyOf\":[{\"x-secret\":true}],\"maximum\":1}}}",
		"{\"properties\":{\"s\":{\"maximum\":1}},\"patternProperties\":{\"^s\":"
		"{\"x-secret\":true}}}",
		"{\"additionalProperties\":{\"not\":{\"x-secret\":true,\"type\":\"string\"},"
		"\"maximum\":1}}",
		"{\"if\":{\"properties\":{\"s\":{\"x-secret\":true}}},"
		"\"then\":{\"properties\":{\"s\":{\"maximum\":1}}}}",
		"{\"dependentSchemas\":{\"s\":{\"properties\":{\"s\":{\"x-secret\":true}}}},"
		"\"properties\":{\"s\":{\"maximum\":1}}}",
		"{\"properties\":{\"s\":{\"maximum\":1}},\"patternProperties\":{\"(\":"
		"{\"x-secret\":true}}}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(schemas); i++)
		assert_refused(schemas[i], "{\"s\":12345}", "/s: is more than the maximum 1");
	assert_refused(
	    "{\"prefixItems\":[{\"x-secret\":true,\"maximum\":1}],\"items\":{\"maximum\":1}}",
	    "[7,8]", "/0: is more than the maximum 1; /1: 8 is more than the maximum 1");
	assert_refused("{\"items\":{\"maximum\":1},\"contains\":{\"x-secret\":true}}", "[7]",
	    "/0: is more than the maximum 1");
}

/* ---- hostile schemas and instances ---- */

static void a_schema_may_be_as_deep_as_json(void **state)
{
	cleanup_buf struct buf schema = BUF_INIT;
	cleanup_buf struct buf instance = BUF_INIT;

	(void)state;
	for (int i = 0; i < 400; i++) {
		buf_adds(&schema, "{\"items\":");
		buf_addc(&instance, '[');
	}
	buf_adds(&schema, "false");
	buf_addc(&instance, '1');
	for (int i = 0; i < 400; i++) {
		buf_addc(&schema, '}');
		buf_addc(&instance, ']');
	}
	assert_fits(schema.data, "[]");
	{
		cleanup_free char *message = refusal(schema.data, instance.data, NULL);

		assert_non_null(message);
		assert_non_null(strstr(message, "/0/0: is one item too many"));
	}
}

static void a_pattern_at_its_limit_refuses_whatever_it_stands_in(void **state)
{
	static const char message[] =
	    "(root): a pattern of the schema could not be tried within its limit";
	static const char subject[] =
	    "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"";

	(void)state;
	assert_refused("{\"not\":{\"pattern\":\"^(([a-z])+.)+[A-Z]([a-z])+$\"}}", subject, message);
	assert_refused(
	    "{\"anyOf\":[{\"pattern\":\"^(([a-z])+.)+[A-Z]([a-z])+$\"},true]}", subject, message);
}

/* One try costs milliseconds; a peer that sends ten thousand subjects gets one try. */
static void a_pattern_at_its_limit_is_not_tried_again(void **state)
{
	static const char pattern[] = "{\"pattern\":\"^(([a-z])+.)+[A-Z]([a-z])+$\"}";
	cleanup_buf struct buf schema = BUF_INIT;
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_free char *message = NULL;
	int64_t start = clock_monotonic_ms();

	(void)state;
	buf_addf(
	    &schema, "{\"contains\":%s,\"items\":{\"anyOf\":[%s,%s]}}", pattern, pattern, pattern);
	buf_addc(&text, '[');
	for (size_t i = 0; i < unit_many(10000); i++)
		buf_addf(&text,
		    "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa%zu\",", i);
	buf_adds(&text, "0]");
	message = refusal(schema.data, text.data, NULL);
	assert_string_equal(
	    message, "(root): a pattern of the schema could not be tried within its limit");
	assert_true(clock_monotonic_ms() - start < 20000);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(an_unknown_keyword_is_refused_with_the_nearest_one),
	cmocka_unit_test(references_and_formats_are_refused),
	cmocka_unit_test(a_keyword_of_the_wrong_type_is_refused_where_it_stands),
	cmocka_unit_test(impossible_counts_and_types_are_refused),
	cmocka_unit_test(a_bad_pattern_is_refused_when_patterns_are_checked),
	cmocka_unit_test(a_bad_pattern_that_was_not_checked_refuses_every_instance),
	cmocka_unit_test(names_of_all_annotations_are_passed_over),
	cmocka_unit_test(nothing_is_freed_without_harm),
	cmocka_unit_test(types),
	cmocka_unit_test(enumerations_and_constants),
	cmocka_unit_test(bounds_of_numbers),
	cmocka_unit_test(lengths_count_code_points),
	cmocka_unit_test(patterns),
	cmocka_unit_test(items_of_arrays),
	cmocka_unit_test(items_that_must_be_contained),
	cmocka_unit_test(unique_items_differ_by_value),
	cmocka_unit_test(many_unique_items_differ_by_value_too),
	cmocka_unit_test(uniqueness_of_many_items_costs_no_square),
	cmocka_unit_test(members_of_objects),
	cmocka_unit_test(members_by_pattern_and_the_rest),
	cmocka_unit_test(names_of_members),
	cmocka_unit_test(members_that_depend_on_others),
	cmocka_unit_test(all_of_several),
	cmocka_unit_test(any_of_several),
	cmocka_unit_test(one_of_several),
	cmocka_unit_test(what_must_not_fit),
	cmocka_unit_test(conditions),
	cmocka_unit_test(boolean_schemas),
	cmocka_unit_test(what_is_sent_as_a_string_is_given_back_unquoted),
	cmocka_unit_test(other_slips_of_type_are_given_back_mended),
	cmocka_unit_test(hidden_and_given_names_are_not_suggested),
	cmocka_unit_test(many_known_names_are_not_listed),
	cmocka_unit_test(at_most_five_failures_are_told),
	cmocka_unit_test(pointers_are_escaped_and_the_root_is_empty),
	cmocka_unit_test(what_a_peer_wrote_is_cut_and_made_visible),
	cmocka_unit_test(a_secret_is_never_quoted),
	cmocka_unit_test(within_a_secret_not_even_names_are_told),
	cmocka_unit_test(a_secret_is_one_for_every_schema_of_its_place),
	cmocka_unit_test(a_schema_may_be_as_deep_as_json),
	cmocka_unit_test(a_pattern_at_its_limit_refuses_whatever_it_stands_in),
	cmocka_unit_test(a_pattern_at_its_limit_is_not_tried_again),
};

UNIT_MAIN(tests)
