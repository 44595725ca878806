/* SPDX-License-Identifier: MIT */
/* Holes in texts, and template.yaml: what is refused, then what any text becomes. */
#include "vault_unit.h"

/* ---- holes ---- */

static char *filled(const char *text, bool keeps_escapes)
{
	struct filling_value values[] = { { .name = (char[]){ "a" }, .value = (char[]){ "{{b}}" } },
		{ .name = (char[]){ "long-Name_2" }, .value = (char[]){ "V" } } };
	struct filling filling = { .items = values, .len = 2, .keeps_escapes = keeps_escapes };
	struct buf out = BUF_INIT;

	fill_text(&filling, text, strlen(text), &out);
	return out.len == 0 ? xstrdup("") : buf_detach(&out);
}

static void a_hole_is_filled_once_and_other_braces_stay(void **state)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "{{a}}", "{{b}}" }, /* a value is not looked at again */
		{ "x{{a}}{{a}}y", "x{{b}}{{b}}y" },
		{ "{{long-Name_2}}", "V" },
		{ "{{unknown}}", "{{unknown}}" },
		{ "{{ a }}", "{{ a }}" },
		{ "{{a}", "{{a}" },
		{ "{{a", "{{a" },
		{ "{a}}", "{a}}" },
		{ "{{}}", "{{}}" },
		{ "{{1}}", "{{1}}" },
		{ "{{{long-Name_2}}}", "{V}" },
		{ "{{{{a}}", "{{a}}" },
		{ "{{{{{{a}}", "{{{{b}}" },
		{ "{{{{{{{{", "{{{{" },
		{ "{{{", "{{{" },
		{ "\\frac{{x}^2}{{y}}", "\\frac{{x}^2}{{y}}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cleanup_free char *got = filled(cases[i][0], false);

		assert_string_equal(got, cases[i][1]);
	}
}

/* A text of pieces that are likely to meet badly. */
static void make_text(unsigned *seed, struct buf *out)
{
	static const char *const pieces[] = { "{", "{{", "}", "}}", "a", "{{a}}", "{{{{", "1",
		"long-Name_2", "é", "\n" };

	for (int i = rand_r(seed) % 12; i > 0; i--)
		buf_adds(out, pieces[(size_t)rand_r(seed) % ARRAY_LEN(pieces)]);
}

/* What people do who want a text as it is: each pair of braces twice. */
static void escape(const char *text, struct buf *out)
{
	while (*text != '\0') {
		size_t run = strspn(text, "{");

		for (size_t i = 0; i < run / 2; i++)
			buf_adds(out, "{{{{");
		if (run % 2 == 1)
			buf_addc(out, '{');
		text += run;
		if (*text != '\0')
			buf_addc(out, *text++);
	}
}

static int count_hole(void *ctx, const char *name, size_t len, struct err *err)
{
	size_t *count = ctx;

	(void)err;
	assert_true(fill_is_name(name, len));
	(*count)++;
	return 0;
}

static void any_text_can_be_escaped_and_what_has_no_holes_stays(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		cleanup_buf struct buf text = BUF_INIT;
		cleanup_buf struct buf escaped = BUF_INIT;
		cleanup_err struct err err = ERR_INIT;
		struct filling none = { .keeps_escapes = true };
		cleanup_buf struct buf same = BUF_INIT;
		cleanup_free char *back = NULL;
		cleanup_free char *changed = NULL;
		size_t holes = 0;
		bool is_filled = false;

		make_text(&seed, &text);
		escape(text.data, &escaped);
		back = filled(escaped.data, false);
		assert_string_equal(back, text.data);
		fill_text(&none, text.data, text.len, &same);
		assert_string_equal(same.data, text.data);
		assert_int_equal(
		    fill_each_hole(text.data, text.len, count_hole, &holes, &is_filled, &err), 0);
		assert_true(is_filled || holes == 0);
		changed = filled(text.data, false);
		if (!is_filled)
			assert_string_equal(changed, text.data);
	}
}

/* ---- template.yaml ---- */

static void assert_manifest_refused(const char *text, const char *what)
{
	cleanup_manifest struct manifest manifest = { 0 };
	cleanup_err struct err err = ERR_INIT;

	assert_fails(
	    manifest_read(text, strlen(text), &manifest, &err), &err, ERR_INVALID_ARGUMENT);
	if (strstr(err.message, what) == NULL)
		fail_msg("%s: %s is not in: %s", text, what, err.message);
	assert_int_equal(strncmp(err.message, "template.yaml", 13), 0);
}

static void what_template_yaml_says_wrongly_is_refused_with_its_line(void **state)
{
	(void)state;
	assert_manifest_refused("description: x\nname: y\n", "line 2: name: there is no such key");
	assert_manifest_refused("description: 5\n", "line 1: description: this is a text");
	assert_manifest_refused("- a\n", "line 1");
	assert_manifest_refused("parameters: [a]\n", "line 1: parameters");
	assert_manifest_refused("parameters:\n  a: b\n", "line 2: a: a parameter is a mapping");
	assert_manifest_refused("parameters:\n  9a: {}\n", "line 2: 9a: a parameter's name");
	assert_manifest_refused("parameters:\n  a b: {}\n", "line 2: a b: a parameter's name");
	assert_manifest_refused("parameters:\n  a:\n    requird: true\n", "line 3: requird");
	assert_manifest_refused("parameters:\n  a: { default: 2026 }\n", "put it in quotes");
	assert_manifest_refused("parameters:\n  a: { pattern: '(' }\n", "no regular expression");
	assert_manifest_refused("parameters:\n  a: { pattern: ')(' }\n", "no regular expression");
	assert_manifest_refused(
	    "parameters:\n  a: { pattern: x, default: y }\n", "line 2: a: the default");
	assert_manifest_refused("parameters:\n  a: {}\n  a: {}\n", "line 3");
	assert_manifest_refused("parameters: &x {}\n", "line 1");
	assert_manifest_refused("a: [", "line");
}

static void an_empty_declaration_declares_nothing(void **state)
{
	static const char *const texts[] = { "", "# nothing\n", "{}\n", "parameters:\n",
		"parameters: {}\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		cleanup_manifest struct manifest manifest = { 0 };
		cleanup_err struct err err = ERR_INIT;

		assert_ok(manifest_read(texts[i], strlen(texts[i]), &manifest, &err), &err);
		assert_int_equal(manifest.len, 0);
	}
}

/* ---- values ---- */

static const char declared[] = "parameters:\n"
			       "  topic: { description: What it is about }\n"
			       "  slug: { pattern: '[a-z]+|x1' , default: x1 }\n"
			       "  free:\n";

/* "name=value …" in order, or the message. */
static char *given(const struct vault_value *values, size_t len)
{
	cleanup_manifest struct manifest manifest = { 0 };
	cleanup_filling struct filling filling = { 0 };
	cleanup_err struct err err = ERR_INIT;
	struct buf out = BUF_INIT;

	assert_ok(manifest_read(declared, strlen(declared), &manifest, &err), &err);
	if (parameters_fill(manifest.parameters, manifest.len, values, len, &filling, &err) < 0)
		return xstrdup(err.message);
	for (size_t i = 0; i < filling.len; i++)
		buf_addf(&out, "%s=%s ", filling.items[i].name, filling.items[i].value);
	return buf_detach(&out);
}

#define GIVEN(...)                                                                                 \
	given((const struct vault_value[]){ __VA_ARGS__ },                                         \
	    sizeof((const struct vault_value[]){ __VA_ARGS__ }) / sizeof(struct vault_value))

static void a_value_that_is_missing_unknown_or_unfit_is_refused_by_name(void **state)
{
	cleanup_free char *missing = GIVEN({ "free", "1" });
	cleanup_free char *unknown = GIVEN({ "topic", "t" }, { "free", "1" }, { "other", "1" });
	cleanup_free char *unfit = GIVEN({ "topic", "t" }, { "free", "1" }, { "slug", "ab1" });
	cleanup_free char *line = GIVEN({ "topic", "t" }, { "free", "1" }, { "slug", "ab\n" });
	cleanup_free char *twice = GIVEN({ "topic", "t" }, { "free", "1" }, { "topic", "u" });
	cleanup_free char *bytes = GIVEN({ "topic", "\xff" }, { "free", "1" });
	cleanup_free char *name = GIVEN({ "a b", "" });
	cleanup_free char *fine = GIVEN({ "free", "" }, { "topic", "{{slug}}" });

	(void)state;
	assert_string_equal(missing, "parameter topic is missing: What it is about");
	assert_non_null(strstr(unknown, "parameter other:"));
	assert_string_equal(unfit, "parameter slug: the value does not fit [a-z]+|x1");
	assert_string_equal(line, unfit);
	assert_string_equal(twice, "parameter topic is given twice");
	assert_non_null(strstr(bytes, "parameter topic:"));
	assert_non_null(strstr(name, "parameter a b:"));
	assert_string_equal(fine, "topic={{slug}} slug=x1 free= ");
}

static void parameters_come_back_from_their_json(void **state)
{
	cleanup_manifest struct manifest manifest = { 0 };
	cleanup_manifest struct manifest back = { 0 };
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_buf struct buf again = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&json);
	struct json_writer v = JSON_WRITER_INIT(&again);

	(void)state;
	assert_ok(manifest_read(declared, strlen(declared), &manifest, &err), &err);
	parameters_write(manifest.parameters, manifest.len, &w);
	assert_ok(parameters_read(json.data, &back.parameters, &back.len, &err), &err);
	parameters_write(back.parameters, back.len, &v);
	assert_string_equal(again.data, json.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hole_is_filled_once_and_other_braces_stay),
		cmocka_unit_test(any_text_can_be_escaped_and_what_has_no_holes_stays),
		cmocka_unit_test(what_template_yaml_says_wrongly_is_refused_with_its_line),
		cmocka_unit_test(an_empty_declaration_declares_nothing),
		cmocka_unit_test(a_value_that_is_missing_unknown_or_unfit_is_refused_by_name),
		cmocka_unit_test(parameters_come_back_from_their_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
