/* SPDX-License-Identifier: MIT */
#ifndef UNIT_JSON_CASES_H
#define UNIT_JSON_CASES_H

/*
 * What is JSON and what is not: one row a case, every category of mistake and of freedom. The
 * text may hold NULs; depth and size have tests of their own.
 */

#include <stddef.h>

#include "json/json.h"

enum verdict { READS, REFUSED, DUPLICATE };

struct json_case {
	const char *what;
	const char *text;
	size_t len;
	enum verdict verdict;
	unsigned flags; /* of the root, when it reads */
};

#define CASE(verdict, flags, text, what)                                                           \
	{                                                                                          \
		what, text, sizeof(text) - 1, verdict, flags                                       \
	}
#define LONE JSON_LONE_SURROGATE
#define NUL JSON_HAS_NUL
#define ESC JSON_IS_ESCAPED

/* clang-format off */
static const struct json_case json_cases[] = {
	/* literals */
	CASE(READS, 0, "null", "null"),
	CASE(READS, 0, "true", "true"),
	CASE(READS, 0, "false", "false"),
	CASE(REFUSED, 0, "nul", "a literal cut short"),
	CASE(REFUSED, 0, "nulL", "a literal in the wrong case"),
	CASE(REFUSED, 0, "True", "a capital literal"),
	CASE(REFUSED, 0, "truefalse", "two literals run together"),
	CASE(REFUSED, 0, "nullx", "a literal with something behind it"),
	CASE(REFUSED, 0, "undefined", "undefined"),
	CASE(REFUSED, 0, "NaN", "NaN"),
	CASE(REFUSED, 0, "Infinity", "Infinity"),
	CASE(REFUSED, 0, "-Infinity", "minus Infinity"),
	CASE(REFUSED, 0, "[NaN]", "NaN in an array"),

	/* white space and what surrounds the value */
	CASE(READS, 0, " \t\r\n1 \t\r\n", "all four kinds of white space"),
	CASE(READS, 0, "[ 1 , 2 ]", "white space between tokens"),
	CASE(READS, 0, "{ \"a\" : 1 , \"b\" : 2 }", "white space between members"),
	CASE(REFUSED, 0, "", "nothing"),
	CASE(REFUSED, 0, " \n", "white space alone"),
	CASE(REFUSED, 0, "\0", "a NUL alone"),
	CASE(REFUSED, 0, "1\0", "a NUL behind the value"),
	CASE(REFUSED, 0, "[1\0]", "a NUL between tokens"),
	CASE(REFUSED, 0, "[1,\f2]", "a form feed as white space"),
	CASE(REFUSED, 0, "[1,\v2]", "a vertical tab as white space"),
	CASE(REFUSED, 0, "[1,\xc2\xa0" "2]", "a no-break space as white space"),
	CASE(REFUSED, 0, "\xe2\x81\xa0[]", "a word joiner in front"),
	CASE(REFUSED, 0, "\xef\xbb\xbf{}", "a byte order mark"),
	CASE(REFUSED, 0, "{}{}", "two values"),
	CASE(REFUSED, 0, "1 2", "two numbers"),
	CASE(REFUSED, 0, "{} #", "a hash behind the value"),
	CASE(REFUSED, 0, "/* */ 1", "a block comment"),
	CASE(REFUSED, 0, "1 // x", "a line comment"),
	CASE(REFUSED, 0, "[1]]", "a bracket too many"),
	CASE(REFUSED, 0, "<a/>", "another language"),
	CASE(REFUSED, 0, "a", "a bare word"),
	CASE(REFUSED, 0, "*", "a star"),

	/* arrays */
	CASE(READS, 0, "[]", "an empty array"),
	CASE(READS, 0, "[[],[[]],{}]", "nested empty containers"),
	CASE(READS, 0, "[null,true,false,1,\"\",[],{}]", "an array of every type"),
	CASE(REFUSED, 0, "[", "an array cut at its start"),
	CASE(REFUSED, 0, "]", "a closing bracket alone"),
	CASE(REFUSED, 0, "[1", "an array cut behind an item"),
	CASE(REFUSED, 0, "[1,", "an array cut behind a comma"),
	CASE(REFUSED, 0, "[1,]", "a comma behind the last item"),
	CASE(REFUSED, 0, "[,1]", "a comma before the first item"),
	CASE(REFUSED, 0, "[,]", "a comma alone"),
	CASE(REFUSED, 0, "[1,,2]", "two commas"),
	CASE(REFUSED, 0, "[1 2]", "items without a comma"),
	CASE(REFUSED, 0, "[1}", "an array closed by a brace"),
	CASE(REFUSED, 0, "[1:2]", "a colon in an array"),
	CASE(REFUSED, 0, "[\"a\":1]", "a member in an array"),
	CASE(REFUSED, 0, "[(1)]", "round brackets"),

	/* objects */
	CASE(READS, 0, "{}", "an empty object"),
	CASE(READS, 0, "{\"\":0}", "an empty name"),
	CASE(READS, 0, "{\"a\":{\"a\":{\"a\":0}}}", "one name on several levels"),
	CASE(READS, 0, "{\"a\":1,\"A\":2}", "names that differ in case"),
	CASE(READS, 0, "{\"\xc3\xa9\":1,\"e\xcc\x81\":2}", "names that only look alike"),
	CASE(REFUSED, 0, "{", "an object cut at its start"),
	CASE(REFUSED, 0, "}", "a closing brace alone"),
	CASE(REFUSED, 0, "{\"a\"", "an object cut behind a name"),
	CASE(REFUSED, 0, "{\"a\":", "an object cut behind a colon"),
	CASE(REFUSED, 0, "{\"a\":1", "an object cut behind a value"),
	CASE(REFUSED, 0, "{\"a\":1,", "an object cut behind a comma"),
	CASE(REFUSED, 0, "{\"a\":1,}", "a comma behind the last member"),
	CASE(REFUSED, 0, "{,\"a\":1}", "a comma before the first member"),
	CASE(REFUSED, 0, "{\"a\":1,,\"b\":2}", "two commas between members"),
	CASE(REFUSED, 0, "{\"a\":1 \"b\":2}", "members without a comma"),
	CASE(REFUSED, 0, "{\"a\"}", "a name without a value"),
	CASE(REFUSED, 0, "{\"a\":}", "a colon without a value"),
	CASE(REFUSED, 0, "{:1}", "a value without a name"),
	CASE(REFUSED, 0, "{\"a\" 1}", "a member without a colon"),
	CASE(REFUSED, 0, "{\"a\"::1}", "two colons"),
	CASE(REFUSED, 0, "{\"a\"=1}", "an equals sign"),
	CASE(REFUSED, 0, "{\"a\",1}", "a comma for a colon"),
	CASE(REFUSED, 0, "{a:1}", "a name without quotes"),
	CASE(REFUSED, 0, "{'a':1}", "a name in single quotes"),
	CASE(REFUSED, 0, "{1:1}", "a number as a name"),
	CASE(REFUSED, 0, "{null:1}", "null as a name"),
	CASE(REFUSED, 0, "{[]:1}", "an array as a name"),
	CASE(REFUSED, 0, "{\"a\":1]", "an object closed by a bracket"),
	CASE(REFUSED, 0, "{\"a\":1}}", "a brace too many"),

	/* duplicate keys, compared decoded */
	CASE(DUPLICATE, 0, "{\"a\":1,\"a\":2}", "a name twice"),
	CASE(DUPLICATE, 0, "{\"a\":1,\"a\":1}", "a member twice"),
	CASE(DUPLICATE, 0, "{\"\":1,\"\":2}", "the empty name twice"),
	CASE(DUPLICATE, 0, "{\"name\":1,\"na\\u006de\":2}", "a name twice, once escaped"),
	CASE(DUPLICATE, 0, "{\"\\ud83c\\udf78\":1,\"\xf0\x9f\x8d\xb8\":2}",
	    "a name twice, once as a pair of escapes"),
	CASE(DUPLICATE, 0, "{\"\\ud800\":1,\"\\udfff\":2}", "two lone surrogates as names"),
	CASE(DUPLICATE, 0, "{\"a\\u0000\":1,\"a\\u0000\":2}", "a name with a NUL twice"),
	CASE(READS, NUL, "{\"a\\u0000\":1,\"a\":2}", "a name with a NUL and one without"),
	CASE(DUPLICATE, 0, "[{\"x\":{\"y\":[0,{\"k\":1,\"l\":2,\"k\":3}]}}]", "a name twice, deep down"),
	CASE(DUPLICATE, 0, "{\"a\":{\"b\":1},\"c\":2,\"a\":{}}", "a name twice around a subtree"),
	CASE(DUPLICATE, 0,
	    "{\"a\":0,\"b\":0,\"c\":0,\"d\":0,\"e\":0,\"f\":0,\"g\":0,\"h\":0,\"i\":0,\"j\":0,"
	    "\"k\":0,\"l\":0,\"m\":0,\"n\":0,\"o\":0,\"p\":0,\"q\":0,\"r\":0,\"b\":0}",
	    "a name twice among many"),
	CASE(READS, 0,
	    "{\"a\":0,\"b\":0,\"c\":0,\"d\":0,\"e\":0,\"f\":0,\"g\":0,\"h\":0,\"i\":0,\"j\":0,"
	    "\"k\":0,\"l\":0,\"m\":0,\"n\":0,\"o\":0,\"p\":0,\"q\":0,\"r\":0,\"bb\":0}",
	    "many names"),

	/* numbers */
	CASE(READS, 0, "0", "zero"),
	CASE(READS, 0, "-0", "minus zero"),
	CASE(READS, 0, "-1", "a negative number"),
	CASE(READS, 0, "1234567890", "all digits"),
	CASE(READS, 0, "9007199254740993", "two to the 53rd and one"),
	CASE(READS, 0, "123456789012345678901234567890", "thirty digits"),
	CASE(READS, 0, "1.0", "a fraction of zero"),
	CASE(READS, 0, "0.1", "a fraction"),
	CASE(READS, 0, "-0.0", "minus zero with a fraction"),
	CASE(READS, 0, "1e5", "an exponent"),
	CASE(READS, 0, "1E5", "a capital exponent"),
	CASE(READS, 0, "1e+5", "a signed exponent"),
	CASE(READS, 0, "1E-5", "a negative exponent"),
	CASE(READS, 0, "1e005", "zeros in front of an exponent"),
	CASE(READS, 0, "0e0", "zero with an exponent"),
	CASE(READS, 0, "1.5e400", "an exponent beyond a double"),
	CASE(READS, 0, "1e-999999999999999999999", "an exponent beyond any integer"),
	CASE(REFUSED, 0, "-", "a minus alone"),
	CASE(REFUSED, 0, "+1", "a plus"),
	CASE(REFUSED, 0, "++1", "two signs"),
	CASE(REFUSED, 0, "--1", "two minuses"),
	CASE(REFUSED, 0, "- 1", "a space behind the minus"),
	CASE(REFUSED, 0, "01", "a zero in front"),
	CASE(REFUSED, 0, "-01", "a zero in front of a negative number"),
	CASE(REFUSED, 0, "00", "two zeros"),
	CASE(REFUSED, 0, ".5", "no digit before the point"),
	CASE(REFUSED, 0, "-.5", "no digit between minus and point"),
	CASE(REFUSED, 0, "5.", "no digit behind the point"),
	CASE(REFUSED, 0, "[5.]", "no digit behind the point in an array"),
	CASE(REFUSED, 0, "5.e1", "no digit between point and exponent"),
	CASE(REFUSED, 0, "1.2.3", "two points"),
	CASE(REFUSED, 0, "1e", "an exponent without digits"),
	CASE(REFUSED, 0, "1e+", "an exponent with a sign alone"),
	CASE(REFUSED, 0, "1e1.5", "a broken exponent"),
	CASE(REFUSED, 0, "1ee1", "two exponents"),
	CASE(REFUSED, 0, "e1", "an exponent alone"),
	CASE(REFUSED, 0, "0x1F", "hexadecimal"),
	CASE(REFUSED, 0, "0o17", "octal"),
	CASE(REFUSED, 0, "0b1", "binary"),
	CASE(REFUSED, 0, "1_000", "an underscore"),
	CASE(REFUSED, 0, "1,000", "a thousands separator"),
	CASE(REFUSED, 0, "1a", "a letter behind a number"),
	CASE(REFUSED, 0, "1 000", "a space in a number"),
	CASE(REFUSED, 0, "\xef\xbc\x91", "a full-width digit"),
	CASE(REFUSED, 0, "\xd9\xa1", "an arabic digit"),

	/* strings */
	CASE(READS, 0, "\"\"", "an empty string"),
	CASE(READS, 0, "\"abc\"", "a string"),
	CASE(READS, 0, "\"'/\x7f\"", "bytes that need no escape"),
	CASE(READS, ESC, "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "every short escape"),
	CASE(READS, ESC, "\"\\u0041\\u00e9\\u65e5\"", "escapes of one, two and three bytes"),
	CASE(READS, ESC, "\"\\uABCD\\uabcd\"", "escapes in either case"),
	CASE(READS, ESC, "\"\\ud83c\\udf78\"", "a surrogate pair"),
	CASE(READS, ESC, "\"\\udbff\\udfff\"", "the last surrogate pair"),
	CASE(READS, ESC, "\"\\\\u0000\"", "an escaped backslash before u0000"),
	CASE(READS, ESC, "\"\\u001f\\u007f\\ufffe\\uffff\"", "escaped controls and noncharacters"),
	CASE(REFUSED, 0, "\"", "a quote alone"),
	CASE(REFUSED, 0, "\"abc", "a string cut short"),
	CASE(REFUSED, 0, "\"abcdefghijklmnopqrstuvwxyz", "a long string cut short"),
	CASE(REFUSED, 0, "\"abc\\", "a string cut behind a backslash"),
	CASE(REFUSED, 0, "\"abc\\\"", "a string whose last quote is escaped"),
	CASE(REFUSED, 0, "'abc'", "single quotes"),
	CASE(REFUSED, 0, "\xe2\x80\x9c" "abc\xe2\x80\x9d", "typographic quotes"),
	CASE(REFUSED, 0, "\"a\nb\"", "a raw newline"),
	CASE(REFUSED, 0, "\"a\tb\"", "a raw tab"),
	CASE(REFUSED, 0, "\"a\rb\"", "a raw carriage return"),
	CASE(REFUSED, 0, "\"a\0b\"", "a raw NUL"),
	CASE(REFUSED, 0, "\"a\x1f" "b\"", "a raw control byte"),
	CASE(REFUSED, 0, "\"12345678\x01" "2345678\"", "a raw control byte behind eight others"),
	CASE(REFUSED, 0, "\"\\a\"", "an unknown escape"),
	CASE(REFUSED, 0, "\"\\x41\"", "a hexadecimal escape"),
	CASE(REFUSED, 0, "\"\\'\"", "an escaped single quote"),
	CASE(REFUSED, 0, "\"\\0\"", "an octal escape"),
	CASE(REFUSED, 0, "\"\\\0\"", "an escaped NUL byte"),
	CASE(REFUSED, 0, "\"\\\n\"", "an escaped newline"),
	CASE(REFUSED, 0, "\"\\\xc3\xa9\"", "an escaped wide character"),
	CASE(REFUSED, 0, "\"\\U0041\"", "a capital U"),
	CASE(REFUSED, 0, "\"\\u\"", "an escape without digits"),
	CASE(REFUSED, 0, "\"\\u00\"", "an escape of two digits"),
	CASE(REFUSED, 0, "\"\\u004", "an escape cut short"),
	CASE(REFUSED, 0, "\"\\u00g0\"", "an escape with a wrong digit"),
	CASE(REFUSED, 0, "\"\\u+041\"", "an escape with a sign"),
	CASE(REFUSED, 0, "\"\\u{41}\"", "an escape in braces"),
	CASE(REFUSED, 0, "\"\\ud83c\\u\"", "a pair cut in its second half"),
	CASE(REFUSED, 0, "\"\\ud83c\\udf7\"", "a pair one digit short"),
	CASE(REFUSED, 0, "\"\\ud83c\\x\"", "a high surrogate before an unknown escape"),

	/* lone surrogates and NULs: grammatical, marked up to the root */
	CASE(READS, ESC | LONE, "\"\\ud800\"", "a lone high surrogate"),
	CASE(READS, ESC | LONE, "\"\\udc00\"", "a lone low surrogate"),
	CASE(READS, ESC | LONE, "\"\\udf78\\ud83c\"", "a pair the wrong way round"),
	CASE(READS, ESC | LONE, "\"\\ud83c\\ud83c\\udf78\"", "a high surrogate before a pair"),
	CASE(READS, ESC | LONE, "\"\\ud83cx\"", "a high surrogate before a letter"),
	CASE(READS, ESC | LONE, "\"\\ud83c\\n\"", "a high surrogate before another escape"),
	CASE(READS, ESC | LONE, "\"\\ud83c\\u0041\"", "a high surrogate before a plain escape"),
	CASE(READS, LONE, "[[{\"a\":[\"\\ud800\"]}]]", "a lone surrogate deep down"),
	CASE(READS, LONE, "{\"\\ud800\":1}", "a lone surrogate in a name"),
	CASE(READS, ESC | NUL, "\"\\u0000\"", "an escaped NUL"),
	CASE(READS, NUL, "[[],[\"\\u0000\"],[]]", "an escaped NUL deep down"),
	CASE(READS, NUL | LONE, "[\"\\u0000\",\"\\ud800\"]", "both"),

	/* UTF-8 */
	CASE(READS, 0, "\"\xc3\xa9\"", "two bytes"),
	CASE(READS, 0, "\"\xe6\x97\xa5\xe6\x9c\xac\"", "three bytes"),
	CASE(READS, 0, "\"\xf0\x9f\x8d\xb8\"", "four bytes"),
	CASE(READS, 0, "\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"",
	    "the first and the last of each length"),
	CASE(READS, 0, "\"\xed\x9f\xbf\xee\x80\x80\"", "both sides of the surrogates"),
	CASE(READS, 0, "\"\xe2\x80\xa8\xef\xbb\xbf\"", "a line separator and a mark within"),
	CASE(REFUSED, 0, "\"\x80\"", "a continuation byte alone"),
	CASE(REFUSED, 0, "\"1234567\x80\"", "a continuation byte behind seven others"),
	CASE(REFUSED, 0, "\"\xc3\"", "a sequence of two cut by a quote"),
	CASE(REFUSED, 0, "\"\xc3", "a sequence of two cut by the end"),
	CASE(REFUSED, 0, "\"\xe6\x97\"", "a sequence of three cut short"),
	CASE(REFUSED, 0, "\"\xf0\x9f\x8d\"", "a sequence of four cut short"),
	CASE(REFUSED, 0, "\"\xc3\xa9\xa9\"", "a continuation byte too many"),
	CASE(REFUSED, 0, "\"\xc0\xaf\"", "an overlong form of two bytes"),
	CASE(REFUSED, 0, "\"\xc1\xbf\"", "the last overlong form of two bytes"),
	CASE(REFUSED, 0, "\"\xe0\x80\xaf\"", "an overlong form of three bytes"),
	CASE(REFUSED, 0, "\"\xf0\x80\x80\xaf\"", "an overlong form of four bytes"),
	CASE(REFUSED, 0, "\"\xed\xa0\x80\"", "a surrogate as bytes"),
	CASE(REFUSED, 0, "\"\xf4\x90\x80\x80\"", "beyond the last code point"),
	CASE(REFUSED, 0, "\"\xf8\x88\x80\x80\x80\"", "a form of five bytes"),
	CASE(REFUSED, 0, "\"\xfc\x84\x80\x80\x80\x80\"", "a form of six bytes"),
	CASE(REFUSED, 0, "\"\xfe\"", "the byte FE"),
	CASE(REFUSED, 0, "\"\xff\"", "the byte FF"),
	CASE(REFUSED, 0, "\"\xe9\"", "Latin-1"),
	CASE(REFUSED, 0, "{\"\xff\":1}", "an invalid byte in a name"),
	CASE(REFUSED, 0, "[\xc3\xa9]", "a wide character between tokens"),
	CASE(REFUSED, 0, "[\xff]", "an invalid byte between tokens"),
	CASE(REFUSED, 0, "\xff\xfe\"\0a\0\"\0", "UTF-16, low byte first"),
	CASE(REFUSED, 0, "\0\"\0a\0\"", "UTF-16, high byte first"),
};
/* clang-format on */

#undef LONE
#undef NUL
#undef ESC

#endif
