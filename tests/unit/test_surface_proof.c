/* SPDX-License-Identifier: MIT */
/* When may a value stand where? Every row of section 2.1, both ways. */
#include <string.h>

#include "base/buf.h"
#include "surface/surface.h"
#include "surface_fixture.h"
#include "unit.h"

/* Inputs by what the proof can know of them; a test names those it needs. */
#define V "v: { type: string, description: D. }"
#define W "w: { type: string, description: D. }"
#define SAFE "v: { type: string, x-no-dash: true, minLength: 1, description: D. }"
#define SAFE_W "w: { type: string, x-no-dash: true, minLength: 1, description: D. }"
#define LIST "v: { type: array, items: { type: string }, description: D. }"

/* argv and inputs of one tool; keys are more of the tool's, or of the program's. */
struct
try {
	const char *argv;
	const char *properties;
	const char *required; /* a list's inside */
	const char *keys;
	const char *program;
};

static struct surface *load(const struct try *try, struct err *err)
{
	cleanup_free char *yaml =
	    xasprintf("stile: 1\nsurface: t\nprogram: { run: prog%s }\ntools:\n"
		      "- { name: tool, description: A tool., effect: read, files: write, argv: %s, "
		      "input: { properties: { %s }, required: [%s] }%s }\n",
		try->program != NULL ? try->program : "", try->argv,
		try->properties != NULL ? try->properties : "",
		try->required != NULL ? try->required : "", try->keys != NULL ? try->keys : "");

	return surface_load(yaml, strlen(yaml), false, NULL, err);
}

static void allow(const struct try *try)
{
	cleanup_err struct err err = ERR_INIT;
	struct surface *surface = load(try, &err);

	if (surface == NULL)
		fail_msg("%s: %s", try->argv, err.message);
	surface_free(surface);
}

/* Refused, with words that say why. */
static void refuse(const struct try *try, const char *why)
{
	cleanup_err struct err err = ERR_INIT;
	struct surface *surface = load(try, &err);

	surface_free(surface);
	if (surface != NULL)
		fail_msg("%s: is allowed", try->argv);
	assert_int_equal(err.code, ERR_SURFACE_INVALID);
	if (strstr(err.message, why) == NULL)
		fail_msg("%s: %s", try->argv, err.message);
}

#define ALLOW(...) allow(&(struct try){ __VA_ARGS__ })
#define REFUSE(why, ...) refuse(&(struct try){ __VA_ARGS__ }, why)

/* ---- joined ---- */

static void a_value_joined_to_a_long_option_is_allowed(void **state)
{
	(void)state;
	ALLOW("[x, '--flag={v}']", V);
	ALLOW("[x, '--a-b.c=x{v}y{w}']", V ", " W);
	ALLOW("['--flag={v}']", V);
}

static void a_value_joined_to_a_short_option_is_refused(void **state)
{
	(void)state;
	REFUSE("several options", "[x, '-n{v}']", V, "v");
	REFUSE("several options", "[x, '-n={v}']", SAFE, "v");
	REFUSE("several options", "[x, '-name={v}']", SAFE, "v");
	REFUSE("several options", "[x, '-{v}']", SAFE, "v");
}

static void a_hole_in_the_name_of_an_option_is_refused(void **state)
{
	(void)state;
	REFUSE("several options", "[x, '--{v}=1']", SAFE, "v");
	REFUSE("several options", "[x, '--fl{v}=1']", SAFE, "v");
	REFUSE("several options", "[x, '--flag{v}']", SAFE, "v");
	REFUSE("several options", "[x, '--={v}']", SAFE, "v");
}

/* ---- separate ---- */

static void a_separate_value_is_certain_and_free_of_dashes(void **state)
{
	(void)state;
	ALLOW("[x, -C, '{v}']", SAFE, "v");
	ALLOW(
	    "[x, -C, '{v}']", "v: { type: string, x-no-dash: true, default: a, description: D. }");
	ALLOW("[x, { when: v, words: [-C, '{v}'] }]", SAFE);
	ALLOW("[x, { when: { v: { minLength: 3 } }, words: [-C, '{v}'] }]", SAFE);
	ALLOW("[x, { when: v, words: [-L, '{v},{w}'] }]", SAFE ", " SAFE_W, NULL,
	    ", groups: [{ all_or_none: [v, w] }]");
	ALLOW("[x, { when: v, words: [-L, '{v},{w}'] }]", SAFE ", " SAFE_W, NULL,
	    ", groups: [{ when: v, need: [w] }]");
}

static void an_option_that_could_swallow_the_next_word_is_refused(void **state)
{
	(void)state;
	REFUSE("may be missing", "[x, -C, '{v}', '--flag={w}']", SAFE ", " W);
	REFUSE("may be missing", "[x, -C, { when: v, words: '{v}' }, --, '{w}']", SAFE ", " W);
	REFUSE("may be missing", "[x, -C, { when: w, words: '{v}' }, --, '{w}']", SAFE ", " W, "v");
	REFUSE(
	    "may be missing", "[x, -C, { unless: w, words: '{v}' }, --, '{w}']", SAFE ", " W, "v");
	REFUSE("may be missing", "[x, -C, { first: [{ when: v, words: '{v}' }, '{w}'] }]",
	    SAFE ", " SAFE_W);
	REFUSE("may be missing", "[x, -L, '{v},{w}']", SAFE ", " SAFE_W, "v");
}

static void a_literal_option_before_a_positional_counts_as_separate(void **state)
{
	(void)state;
	REFUSE("may be missing", "[x, --json, '{v}']", SAFE);
	REFUSE("may be missing", "[x, --json, 'item-{v}']", V);
	REFUSE("behind an option", "[x, --json, '{v}']", V, "v");
	REFUSE("may be missing", "[x, -a, { when: w, words: -b }, '{v}']", SAFE ", " W);
	ALLOW("[x, --json, '{v}']", SAFE, "v");
	ALLOW("[x, --json=yes, '{v}']", SAFE);
	ALLOW("[x, '{v}', --json]", SAFE);
}

static void a_value_with_a_dash_stands_behind_an_option_that_takes_it(void **state)
{
	(void)state;
	REFUSE("behind an option", "[x, -e, '{v}']", V, "v");
	ALLOW("[x, -e, '{v}']", V, "v", NULL, ", takes: [-e]");
	REFUSE("behind an option", "[x, -f, '{v}']", V, "v", NULL, ", takes: [-e]");
	REFUSE("may be missing", "[x, -e, '{v}']", V, NULL, NULL, ", takes: [-e]");
	/* When the option itself may be missing, the value stands alone. */
	REFUSE("begin with a dash", "[x, { when: w, words: -e }, '{v}']", V ", " W, "v", NULL,
	    ", takes: [-e]");
}

static void an_option_that_takes_the_end_word_is_refused(void **state)
{
	(void)state;
	REFUSE("is swallowed", "[x, -e, --, '{v}']", V, "v", NULL, ", takes: [-e]");
	REFUSE("is swallowed", "[x, { when: v, words: -e }, --, '{v}']", V, NULL, NULL,
	    ", takes: [-e]");
}

/* ---- literal start, positional ---- */

static void a_literal_start_is_allowed(void **state)
{
	(void)state;
	ALLOW("[x, 'HEAD~{v}']", V);
	ALLOW("[x, 'deployment/{v}', 'b/{w}']", V ", " W, "v, w");
	ALLOW("['deployment/{v}']", V, "v");
	REFUSE("several options", "[x, '+{v}']", V, "v", NULL, ", lead: '-+'");
}

static void a_positional_before_the_end_word_is_free_of_dashes(void **state)
{
	(void)state;
	REFUSE("begin with a dash", "[x, '{v}']", V, "v");
	REFUSE("begin with a dash", "[x, '{v}:{w}']", V ", " SAFE_W, "v, w");
	REFUSE("begin with a dash", "[x, '{v}', --]", V, "v");
	ALLOW("[x, '{v}']", SAFE, "v");
	ALLOW("[x, '{v}:{w}']", SAFE ", " W, "v, w");
}

static void what_an_empty_value_uncovers_is_looked_at(void **state)
{
	const char *maybe_empty = "v: { type: string, x-no-dash: true, description: D. }, " W;

	(void)state;
	REFUSE("begin with a dash", "[x, '{v}-rf']", maybe_empty, "v, w", ", ask: '{w}'");
	REFUSE("begin with a dash", "[x, '{v}{w}']", maybe_empty, "v, w");
	ALLOW("[x, '{v}:{w}']", maybe_empty, "v, w");
	ALLOW("[x, '{v}{w}']", SAFE ", " W, "v, w");
}

static void two_optional_neighbours_need_a_group(void **state)
{
	const char *both = SAFE ", " SAFE_W;

	(void)state;
	REFUSE("take the place", "[x, '{v}', '{w}']", both);
	REFUSE("take the place", "[x, '{v}', '--flag=1', '{w}']", both);
	REFUSE("take the place", "[x, '{v}', '{w}']", both, NULL,
	    ", groups: [{ when: v, need: [w] }]");
	REFUSE("take the place", "[x, '{v}', '{w}']", both, NULL, ", groups: [{ one_of: [v, w] }]");
	ALLOW("[x, '{v}', '{w}']", both, NULL, ", groups: [{ when: w, need: [v] }]");
	ALLOW("[x, '{v}', '{w}']", both, NULL, ", groups: [{ all_or_none: [v, w] }]");
	ALLOW("[x, '{v}', '{w}']", both, "v");
	ALLOW("[x, '{v}', middle, '{w}']", both);
	ALLOW("[x, --, '{v}', '{w}']", both);
	REFUSE("take the place", "[x, '{v}', { when: w, words: ['y', '{w}'] }]", both);
}

static void a_positional_behind_the_end_word_is_always_allowed(void **state)
{
	(void)state;
	ALLOW("[x, --, '{v}']", V);
	ALLOW("[x, --, '{v}', '{w}']", V ", " W);
	ALLOW("[--, '{v}']", V);
	ALLOW("[x, +, '{v}']", V, NULL, NULL, ", end: +");
	REFUSE("could begin", "[x, --, '{v}']", V, "v", NULL, ", end: +");
}

static void a_subcommand_is_a_closed_enum(void **state)
{
	(void)state;
	REFUSE("first word that is no option", "['{v}']", SAFE, "v");
	REFUSE("first word that is no option", "['{v}', y]", SAFE, "v");
	REFUSE("first word that is no option", "['--flag=1', '{v}']", SAFE, "v");
	REFUSE("first word that is no option", "['{v}']", SAFE, "v", NULL, ", args: [--no-pager]");
	/* What stands behind an option may be its value, and no subcommand. */
	REFUSE("first word that is no option", "['{v}']", SAFE, "v", NULL,
	    ", args: [-c, core.pager=cat]");
	REFUSE("first word that is no option", "[-c, core.pager=cat, '{v}']", SAFE, "v");
	REFUSE("first word that is no option", "[{ when: w, words: x }, '{v}']", SAFE ", " W, "v");
	ALLOW("['{v}']", "v: { enum: [start, stop], description: D. }", "v");
	ALLOW("[-C, '{w}', '{v}']", "v: { enum: [start, stop], description: D. }, " SAFE_W, "v, w");
	ALLOW("[x, '{v}']", SAFE, "v", NULL, ", args: [--no-pager]");
	ALLOW("['{v}']", SAFE, "v", NULL, ", args: [vault]");
	REFUSE("begin with a dash", "['{v}']", "v: { enum: [start, -x], description: D. }", "v");
}

/* ---- spread ---- */

static void items_are_spread_behind_the_end_word_or_joined(void **state)
{
	(void)state;
	ALLOW("[x, --, { each: v, words: '{}' }]", LIST);
	ALLOW("[x, { each: v, words: '--flag={}' }]", LIST);
	ALLOW("[x, { each: v, words: 'lit{}' }]", LIST);
	REFUSE("is spread before", "[x, { each: v, words: '{}' }]", LIST);
	REFUSE("is spread before", "[x, { each: v, words: '{}' }]",
	    "v: { type: array, items: { type: string, x-no-dash: true }, description: D. }");
	REFUSE("behind an option", "[x, { each: v, words: [-f, '{}'] }]", LIST);
	ALLOW("[x, { each: v, words: [-f, '{}'] }]", LIST, NULL, NULL, ", takes: [-f]");
	REFUSE("may be missing", "[x, -f, { each: v, words: '{}' }]", LIST, NULL, NULL,
	    ", takes: [-f]");
}

static void members_are_spread_by_key_and_value(void **state)
{
	const char *map =
	    "v: { type: object, additionalProperties: { type: string }, description: D. }";

	(void)state;
	ALLOW("[x, { each: v, words: '--set={.key}={.value}' }]", map);
	ALLOW("[x, --, { each: v, words: '{.key}' }]", map);
	REFUSE("is spread before", "[x, { each: v, words: '{.key}' }]", map);
	REFUSE("begin with a dash", "[x, { each: v, words: '{.key}' }]", map, NULL, NULL,
	    ", end: none");
}

static void what_is_spread_has_one_schema(void **state)
{
	(void)state;
	REFUSE("one schema", "[x, { each: v, words: '--set={.value}' }]",
	    "v: { type: object, properties: { a: { type: string, description: D. } }, "
	    "additionalProperties: { type: integer, minimum: 0 }, description: D. }");
	REFUSE("one schema", "[x, { each: v, words: '--set={}' }]",
	    "v: { type: array, prefixItems: [{ type: string }], items: { type: integer, minimum: "
	    "0 }, description: D. }");
	REFUSE("names no member", "[x, '--set={v/a}']",
	    "v: { type: object, patternProperties: { a: { type: string, description: D. } }, "
	    "additionalProperties: { type: integer, minimum: 0 }, description: D. }");
}

/* ---- the end word ---- */

static void an_option_behind_the_end_word_is_refused(void **state)
{
	(void)state;
	REFUSE("stands behind the end word", "[x, --, -f]");
	REFUSE("stands behind the end word", "[x, --, '--flag={v}']", V);
	REFUSE("stands behind the end word", "[x, --, '-{v}']", V, "v");
}

static void a_second_end_word_is_refused(void **state)
{
	(void)state;
	REFUSE("second end word", "[x, --, --, '{v}']", V);
	REFUSE("end word", "[x, { each: v, words: [--, '{}'] }]", LIST);
	REFUSE("second end word", "[x, --, '{v}']", V, NULL, NULL, ", args: [--]");
}

static void an_end_word_under_a_condition_is_the_last_element(void **state)
{
	(void)state;
	ALLOW("[x, { when: v, words: [--, '{v}'] }]", V);
	ALLOW("[x, { first: [{ when: v, words: [--, '{v}'] }, { when: w, words: [--, '{w}'] }] }]",
	    V ", " W);
	ALLOW("[x, { when: v, words: [--, '{v}'] }, { stdin: '{w}' }]", V ", " W);
	REFUSE("under a condition", "[x, { when: v, words: [--, '{v}'] }, '{w}']", V ", " W, "w");
	REFUSE("under a condition", "[x, { when: v, words: [--, '{v}'] }, y]", V);
	REFUSE("under a condition", "[x, { when: v, words: -- }, '--flag={w}']", V ", " W);
	REFUSE("under a condition", "[x, { first: [{ when: v, words: [--, '{v}'] }, y] }, '{w}']",
	    V ", " SAFE_W, "w");
}

static void without_an_end_word_all_positionals_are_free_of_dashes(void **state)
{
	const char *none = ", end: none";

	(void)state;
	REFUSE("begin with a dash", "[x, --, '{v}']", V, "v", NULL, none);
	REFUSE("begin with a dash", "[x, '{v}']", V, "v", NULL, none);
	REFUSE("begin with a dash", "[x, { each: v, words: '{}' }]", LIST, NULL, NULL, none);
	ALLOW("[x, '{v}']", SAFE, "v", NULL, none);
	ALLOW("[x, { each: v, words: '{}' }]",
	    "v: { type: array, items: { type: string, x-no-dash: true }, description: D. }", NULL,
	    NULL, none);
}

/* ---- what is free of dashes ---- */

static void allow_value(const char *schema)
{
	cleanup_free char *properties = xasprintf("v: { %s, description: D. }", schema);

	ALLOW("[x, '{v}']", properties, "v");
}

static void refuse_value(const char *schema)
{
	cleanup_free char *properties = xasprintf("v: { %s, description: D. }", schema);

	REFUSE("begin with a dash", "[x, '{v}']", properties, "v");
}

static void numbers_are_free_of_dashes_from_zero_on(void **state)
{
	(void)state;
	allow_value("type: integer, minimum: 0");
	allow_value("type: number, minimum: 0.5");
	allow_value("type: integer, exclusiveMinimum: 0");
	allow_value("type: boolean");
	refuse_value("type: integer");
	refuse_value("type: integer, maximum: 9");
	refuse_value("type: integer, minimum: -1");
	refuse_value("type: number, exclusiveMinimum: -0.5");
}

static void choices_are_free_of_dashes_when_each_is(void **state)
{
	(void)state;
	allow_value("enum: [a, b, 3]");
	allow_value("type: string, const: a");
	refuse_value("enum: [a, -b]");
	refuse_value("enum: [1, -1]");
	refuse_value("type: string, const: -a");
	REFUSE("begin with a dash", "[x, '{v}']", "v: { enum: [a, +b], description: D. }", "v",
	    NULL, ", lead: '-+'");
}

static void marks_make_strings_free_of_dashes(void **state)
{
	(void)state;
	allow_value("type: string, x-no-dash: true");
	allow_value("type: string, x-path: read");
	refuse_value("type: string, minLength: 1");
	refuse_value("type: string, x-secret: argv");
}

static void patterns_are_read_to_their_first_character(void **state)
{
	(void)state;
	allow_value("type: string, pattern: '^[a-z0-9][a-z-]*$'");
	allow_value("type: string, pattern: '^\\d+$'");
	allow_value("type: string, pattern: '^\\w{1,9}'");
	allow_value("type: string, pattern: '^pln_'");
	allow_value("type: string, pattern: '^\\.'");
	allow_value("type: string, pattern: '^[]a]'");
	allow_value("type: string, pattern: '^[\\w.]+$'");
	allow_value("type: string, pattern: '^é'");
	allow_value("type: string, pattern: '^a{2}'");
}

static void patterns_that_are_not_sure_are_refused(void **state)
{
	static const char *const patterns[] = { "a", "[a-z]", "^", "^.", "^a|b", "^(a)", "^a*",
		"^a?b", "^a{0}", "^a{0,3}", "^a{,3}", "^[^-]", "^[a-z]*$", "^-", "^\\-", "^[+-9]",
		"^[a-z-]", "^[-a-z]", "^[!-~]", "^\\x2d", "^[\\x2d]", "^\\S", "^[[:alpha:]]",
		"^[a\\D]", "^\\Q-\\E", "(?i)^a", "^(?=a)", "^\\b-", "^[\\w-]", "^[a-\\w]", "$^a",
		"^\\N{U+2d}", "^[ -é]" };

	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		cleanup_free char *schema = xasprintf("type: string, pattern: '%s'", patterns[i]);
		cleanup_free char *properties = xasprintf("v: { %s, description: D. }", schema);
		cleanup_err struct err err = ERR_INIT;
		struct surface *surface =
		    load(&(struct try){ "[x, '{v}']", properties, "v", NULL, NULL }, &err);

		surface_free(surface);
		if (surface != NULL)
			fail_msg("%s counts as free of dashes", patterns[i]);
	}
}

static void a_default_must_keep_the_promise_of_its_mark(void **state)
{
	(void)state;
	REFUSE("x-no-dash refuses", "[x, '{v}']",
	    "v: { type: string, x-no-dash: true, default: --all, description: D. }");
}

static void members_of_objects_are_certain_when_all_the_way_is_required(void **state)
{
	const char *may =
	    "v: { type: object, properties: { m: { type: integer, minimum: 0, description: D. } }, "
	    "description: D. }";
	const char *must =
	    "v: { type: object, properties: { m: { type: integer, minimum: 0, description: D. } }, "
	    "required: [m], description: D. }";
	const char *null = "v: { type: object, properties: { m: { type: [integer, 'null'], "
			   "minimum: 0, description: D. } }, required: [m], description: D. }";

	(void)state;
	ALLOW("[x, -n, '{v/m}']", must, "v");
	REFUSE("may be missing", "[x, -n, '{v/m}']", may, "v");
	REFUSE("may be missing", "[x, -n, '{v/m}']", must);
	REFUSE("may be missing", "[x, -n, '{v/m}']", null, "v");
}

static void a_boolean_under_a_condition_must_hold_not_only_be_given(void **state)
{
	const char *flag = "w: { type: boolean, description: D. }, " SAFE;

	(void)state;
	/* -C is there when w is given, its value when w is true. */
	REFUSE("may be missing",
	    "[x, { when: { w: false }, words: -C }, { when: w, words: '{v}' }]", flag, "v");
	REFUSE("may be missing", "[x, -C, { when: w, words: '{v}' }]",
	    "w: { type: boolean, default: false, description: D. }, " SAFE, "v");
	REFUSE("may be missing", "[x, { when: { w: false }, words: [-C, '{v}'] }]", flag, NULL,
	    ", groups: [{ when: w, need: [v] }]");
	ALLOW("[x, { when: w, words: [-C, '{v}'] }]", flag, NULL,
	    ", groups: [{ when: w, need: [v] }]");
}

/* ---- standard input, files, facts ---- */

static void standard_input_is_taken_once_on_any_way(void **state)
{
	(void)state;
	ALLOW("[x, { stdin: '{v}' }]", V);
	ALLOW("[x, { first: [{ when: v, stdin: '{v}' }, { stdin: '{w}' }] }]", V ", " W);
	REFUSE("second content", "[x, { stdin: '{v}' }, { stdin: '{w}' }]", V ", " W);
	REFUSE("second content", "[x, { each: v, words: { stdin: '{}' } }]", LIST);
}

static void a_private_file_is_free_of_dashes_and_certain(void **state)
{
	(void)state;
	ALLOW("[x, { file: '{v}', words: [-f, '{}'] }]", V);
	ALLOW("[x, { each: v, words: [{ file: '{}', words: '--file={}' }] }]", LIST);
	/* Its option must come and go with it. */
	REFUSE("may be missing", "[x, -f, { file: '{v}', words: '{}' }]", V);
	ALLOW("[x, -f, { file: '{v}', words: '{}' }]", V, "v");
}

static void roots_are_joined(void **state)
{
	(void)state;
	ALLOW("[x]", NULL, NULL, NULL, ", args: ['--root={$root}']");
	REFUSE("join it", "[x]", NULL, NULL, NULL, ", args: [--root, '{$root}']");
}

static void a_scope_is_certain_only_in_a_scoped_surface(void **state)
{
	(void)state;
	ALLOW("[x, '--within={$workspace}']");
	REFUSE("may be missing", "[x, --within, '{$workspace}']");
}

static void parts_are_proved_where_they_are_used(void **state)
{
	const char *yaml =
	    "stile: 1\nsurface: t\nprogram: { run: p }\nparts:\n"
	    "  p: { input: { properties: { v: { type: string, description: D. } } }, "
	    "argv: [-C, '{v}'] }\ntools:\n"
	    "- { name: a, description: A., effect: read, use: [p], argv: [x, { use: p }] }\n";
	cleanup_err struct err err = ERR_INIT;

	(void)state;
	assert_null(surface_load(yaml, strlen(yaml), false, NULL, &err));
	assert_non_null(strstr(err.message, "line 5"));
	assert_non_null(strstr(err.message, "tool a"));
}

static void the_way_over_many_options_ends_soon(void **state)
{
	cleanup_buf struct buf argv = BUF_INIT;

	(void)state;
	buf_adds(&argv, "[x");
	for (int i = 0; i < 240; i++)
		buf_adds(&argv, ", { when: w, words: -a }");
	buf_adds(&argv, ", '{v}']");
	REFUSE("behind an option", argv.data, V ", " W, "v");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_joined_to_a_long_option_is_allowed),
		cmocka_unit_test(a_value_joined_to_a_short_option_is_refused),
		cmocka_unit_test(a_hole_in_the_name_of_an_option_is_refused),
		cmocka_unit_test(a_separate_value_is_certain_and_free_of_dashes),
		cmocka_unit_test(an_option_that_could_swallow_the_next_word_is_refused),
		cmocka_unit_test(a_literal_option_before_a_positional_counts_as_separate),
		cmocka_unit_test(a_value_with_a_dash_stands_behind_an_option_that_takes_it),
		cmocka_unit_test(an_option_that_takes_the_end_word_is_refused),
		cmocka_unit_test(a_literal_start_is_allowed),
		cmocka_unit_test(a_positional_before_the_end_word_is_free_of_dashes),
		cmocka_unit_test(what_an_empty_value_uncovers_is_looked_at),
		cmocka_unit_test(two_optional_neighbours_need_a_group),
		cmocka_unit_test(a_positional_behind_the_end_word_is_always_allowed),
		cmocka_unit_test(a_subcommand_is_a_closed_enum),
		cmocka_unit_test(items_are_spread_behind_the_end_word_or_joined),
		cmocka_unit_test(members_are_spread_by_key_and_value),
		cmocka_unit_test(what_is_spread_has_one_schema),
		cmocka_unit_test(an_option_behind_the_end_word_is_refused),
		cmocka_unit_test(a_second_end_word_is_refused),
		cmocka_unit_test(an_end_word_under_a_condition_is_the_last_element),
		cmocka_unit_test(without_an_end_word_all_positionals_are_free_of_dashes),
		cmocka_unit_test(numbers_are_free_of_dashes_from_zero_on),
		cmocka_unit_test(choices_are_free_of_dashes_when_each_is),
		cmocka_unit_test(marks_make_strings_free_of_dashes),
		cmocka_unit_test(patterns_are_read_to_their_first_character),
		cmocka_unit_test(patterns_that_are_not_sure_are_refused),
		cmocka_unit_test(a_default_must_keep_the_promise_of_its_mark),
		cmocka_unit_test(members_of_objects_are_certain_when_all_the_way_is_required),
		cmocka_unit_test(a_boolean_under_a_condition_must_hold_not_only_be_given),
		cmocka_unit_test(standard_input_is_taken_once_on_any_way),
		cmocka_unit_test(a_private_file_is_free_of_dashes_and_certain),
		cmocka_unit_test(roots_are_joined),
		cmocka_unit_test(a_scope_is_certain_only_in_a_scoped_surface),
		cmocka_unit_test(parts_are_proved_where_they_are_used),
		cmocka_unit_test(the_way_over_many_options_ends_soon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
