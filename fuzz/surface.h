/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_SURFACE_H
#define FUZZ_SURFACE_H

/* For targets that fuzz one fixed surface: it is loaded once and freed at exit. */

#include <stdio.h>
#include <stdlib.h>

#include "surface/surface.h"

static struct surface *surface;

static void require(bool is_true)
{
	if (!is_true)
		abort();
}

static void forget_surface(void)
{
	surface_free(surface);
}

static void prepare_surface(const char *yaml, size_t len)
{
	cleanup_err struct err err = ERR_INIT;

	if (surface != NULL)
		return;
	surface = surface_load(yaml, len, false, NULL, &err);
	if (surface == NULL)
		(void)fprintf(stderr, "%s\n", err.message);
	require(surface != NULL);
	require(atexit(forget_surface) == 0);
}

#endif
