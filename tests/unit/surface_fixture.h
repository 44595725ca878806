/* SPDX-License-Identifier: MIT */
#ifndef UNIT_SURFACE_FIXTURE_H
#define UNIT_SURFACE_FIXTURE_H

/* Surfaces written as YAML in a test, and one call of their first tool through the stages. */

#include <stdio.h>
#include <string.h>

#include "json/json.h"
#include "surface/surface.h"
#include "unit.h"

/* Loads a surface; a file that does not load fails the test with its first error. */
static inline struct surface *fixture_load(const char *yaml)
{
	cleanup_err struct err err = ERR_INIT;
	struct surface *surface = surface_load(yaml, strlen(yaml), false, NULL, &err);

	if (surface == NULL)
		fail_msg("%s", err.message);
	return surface;
}

static inline void fixture_free(struct surface **surface)
{
	surface_free(*surface);
}

#define cleanup_surface __attribute__((cleanup(fixture_free)))

/* A surface with one tool that has the given keys ("argv: [x], result: …"), flow style. */
static inline struct surface *fixture_tool(const char *program, const char *keys)
{
	cleanup_free char *yaml =
	    xasprintf("stile: 1\nsurface: t\nprogram: { run: prog%s }\ntools:\n"
		      "- { name: tool, description: A tool., effect: read, %s }\n",
		program, keys);

	return fixture_load(yaml);
}

static inline void fixture_json(struct json_doc *doc, const char *text)
{
	cleanup_err struct err err = ERR_INIT;

	assert_ok(json_read(doc, text, strlen(text), &err), &err);
}

/* Canonical arguments of the first tool. */
static inline int fixture_check(
    const struct surface *surface, const char *arguments, struct json_doc *ret_doc, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	bool is_vetoed = false;

	fixture_json(&doc, arguments);
	return surface_check_arguments(
	    &surface->tools[0], json_root(&doc), ret_doc, &is_vetoed, err);
}

/* The result of the first tool for what its program printed. */
static inline void fixture_result(const struct surface *surface, const char *arguments,
    const struct surface_run *run, struct surface_result *ret_result)
{
	cleanup_json struct json_doc checked = JSON_DOC_INIT;
	cleanup_err struct err err = ERR_INIT;

	assert_ok(fixture_check(surface, arguments, &checked, &err), &err);
	surface_make_result(&surface->tools[0], json_root(&checked), run, ret_result);
}

#endif
