/* SPDX-License-Identifier: MIT */
/* Any text as a surface file: it loads or is refused, soon and with a reason; what loads can be
 * tried, described, and loaded again from its compiled form. */
#include <assert.h>

#include "base/yaml.h"
#include "surface/surface.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct surface *surface, struct surface_notes *notes)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);
	size_t failed = 0;

	(void)surface_run_examples(surface, notes, &failed);
	surface_write_coverage(surface, "a\nb c\n", &w);
	buf_reset(&text);
	w = JSON_WRITER_INIT(&text);
	surface_write_summary(surface, &w);
}

static void reload(
    const char *text, size_t len, const struct surface *surface, struct surface_notes *notes)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_buf struct buf json = BUF_INIT;
	struct surface *again = NULL;

	if (yaml_read(text, len, &yaml_limits_file, &json, NULL, &err) == 0)
		again = surface_load_compiled(json.data, json.len, &surface->digest, &err);
	assert(again != NULL);
	assert(again->tools_len == surface->tools_len);
	use(again, notes);
	surface_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_err struct err err = ERR_INIT;
	cleanup_surface_notes struct surface_notes notes = SURFACE_NOTES_INIT;
	const char *text = (const char *)data;
	struct surface *surface = surface_load(text, size, true, &notes, &err);

	if (surface == NULL) {
		assert(err.code == ERR_SURFACE_INVALID);
		return 0;
	}
	use(surface, &notes);
	reload(text, size, surface, &notes);
	surface_free(surface);
	return 0;
}
