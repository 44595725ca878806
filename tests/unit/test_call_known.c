/* SPDX-License-Identifier: MIT */
/*
 * Which tools this host knows: those of its table of built-in surfaces, which holds
 * tests/data/surfaces/switched.yaml alone here, and those of files that are trusted as they are now.
 */
#include "unit.h"

#include "scratch.h"

#include "call/call.h"
#include "gate/gate.h"

struct scene {
	char *folder;
	char *data_dir;
	char *file;
	struct known_tools *known;
};

static const char surface_text[] =
    "stile: 1\n"
    "surface: mine\n"
    "program: { run: /bin/sh }\n"
    "scoped: true\n"
    "tools:\n"
    "- { name: mine_look, description: Looks., effect: read, argv: "
    "[look], discovery: true }\n"
    "- { name: mine_write, description: Writes., effect: write, argv: "
    "[write] }\n"
    "- { name: mine_end, description: Ends., effect: destroy, argv: "
    "[end] }\n";

static void write_text(const char *path, const char *text)
{
	scratch_write(path, text, strlen(text));
}

static void write_surface(const struct scene *scene, const char *more)
{
	cleanup_free char *all = xasprintf("%s%s", surface_text, more);

	write_text(scene->file, all);
}

/* program: another one than was there then; NULL: the surface's own. */
static void trust_with(const struct scene *scene, const char *program)
{
	cleanup_gate_trust struct gate_trust trust = GATE_TRUST_INIT;
	cleanup_err struct err err = ERR_INIT;
	struct gate_trusted now = { 0 };
	struct surface *surface = host_describe_surface(scene->file, &now, &err);

	assert_non_null(surface);
	if (program != NULL) {
		free(now.program);
		now.program = xstrdup(program);
	}
	gate_trust_set(&trust, &now);
	assert_ok(gate_trust_save(scene->data_dir, &trust, &err), &err);
	gate_trusted_release(&now);
	surface_free(surface);
}

static void trust_file(const struct scene *scene)
{
	trust_with(scene, NULL);
}

static int setup(void **state)
{
	struct scene *scene = xcalloc(1, sizeof(*scene));
	void *folder = NULL;

	assert_int_equal(scratch_setup(&folder), 0);
	scene->folder = folder;
	scene->data_dir = scratch_path(scene->folder, "data");
	scene->file = scratch_path(scene->folder, "mine.yaml");
	assert_int_equal(mkdir(scene->data_dir, 0700), 0);
	assert_int_equal(setenv("STILE_DATA_DIR", scene->data_dir, 1), 0);
	write_surface(scene, "");
	*state = scene;
	return 0;
}

static int teardown(void **state)
{
	struct scene *scene = *state;
	void *folder = scene->folder;

	known_tools_free(scene->known);
	free(scene->data_dir);
	free(scene->file);
	free(scene);
	return scratch_teardown(&folder);
}

static bool have(struct scene *scene, const char *name)
{
	struct err err = ERR_INIT;

	known_tools_free(scene->known);
	scene->known = known_tools_new(&err);
	assert_non_null(scene->known);
	return known_tools_have(scene->known, name);
}

static void note(void *ctx, const struct gate_tool *tool)
{
	buf_addf(ctx, "%s/%s %s%s%s\n", tool->surface, tool->name, gate_rank_name(tool->rank),
	    tool->is_discovery ? " discovery" : "", tool->is_scoped ? " scoped" : "");
}

/* What known_tools_each() tells of word; NULL: of all. */
static char *each(struct scene *scene, const char *word)
{
	cleanup_strvec struct strvec words = STRVEC_INIT;
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;

	if (word != NULL) {
		strvec_push(&words, word);
		strvec_push(&words, word);
	}
	(void)have(scene, "anything");
	if (known_tools_each(scene->known, &words, note, &text, &err) < 0)
		return xstrdup(err_info(err.code)->wire);
	return buf_detach(&text);
}

#define assert_each(scene, word, wanted)                                                           \
	do {                                                                                       \
		cleanup_free char *got_ = each(scene, word);                                       \
		assert_string_equal(got_, wanted);                                                 \
	} while (0)

#define BUILT_IN "switched/switched_status read\nswitched/switched_write write\n"
#define MINE                                                                                       \
	"mine/mine_look read discovery scoped\nmine/mine_write write scoped\n"                     \
	"mine/mine_end manage scoped\n"

static void a_file_that_nobody_trusted_has_no_tools(void **state)
{
	struct scene *scene = *state;

	assert_false(have(scene, "mine_look"));
	assert_each(scene, NULL, BUILT_IN);
	assert_each(scene, scene->file, "");
}

static void a_file_that_changed_has_no_tools(void **state)
{
	struct scene *scene = *state;

	trust_file(scene);
	assert_true(have(scene, "mine_look"));
	write_surface(scene, "# changed\n");
	assert_false(have(scene, "mine_look"));
	assert_each(scene, scene->file, "");
	assert_int_equal(unlink(scene->file), 0);
	assert_false(have(scene, "mine_look"));
	assert_each(scene, scene->file, "");
}

static void a_file_whose_program_changed_has_no_tools(void **state)
{
	struct scene *scene = *state;

	trust_with(scene, "/bin/other");
	assert_false(have(scene, "mine_look"));
}

static void a_record_of_trust_that_is_malformed_trusts_nothing(void **state)
{
	struct scene *scene = *state;
	cleanup_free char *path = scratch_path(scene->data_dir, "trust.yaml");

	trust_file(scene);
	write_text(path, "trusted: [\n");
	assert_false(have(scene, "mine_look"));
	assert_true(have(scene, "switched_write"));
}

static void a_name_of_no_surface_is_an_error_and_a_path_is_none(void **state)
{
	struct scene *scene = *state;

	assert_each(scene, "other", "NOT_FOUND");
	assert_each(scene, "./other", "");
	assert_false(have(scene, "switched"));
	assert_false(have(scene, ""));
}

static void tools_are_known_whether_built_in_or_trusted(void **state)
{
	struct scene *scene = *state;

	trust_file(scene);
	assert_true(have(scene, "switched_write"));
	assert_true(have(scene, "mine_end"));
	assert_each(scene, NULL, BUILT_IN MINE);
	assert_each(scene, "switched", BUILT_IN);
	assert_each(scene, scene->file, MINE);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(a_file_that_nobody_trusted_has_no_tools, setup, teardown),
	cmocka_unit_test_setup_teardown(a_file_that_changed_has_no_tools, setup, teardown),
	cmocka_unit_test_setup_teardown(a_file_whose_program_changed_has_no_tools, setup, teardown),
	cmocka_unit_test_setup_teardown(
	    a_record_of_trust_that_is_malformed_trusts_nothing, setup, teardown),
	cmocka_unit_test_setup_teardown(
	    a_name_of_no_surface_is_an_error_and_a_path_is_none, setup, teardown),
	cmocka_unit_test_setup_teardown(
	    tools_are_known_whether_built_in_or_trusted, setup, teardown),
};

UNIT_MAIN(tests)
