/* SPDX-License-Identifier: MIT */
#ifndef BASE_NUM_H
#define BASE_NUM_H

/* Checked numbers: parsing text, and the units that configuration and surface files use. */

#include <stdint.h>

#include "base/err.h"

/*
 * Reads a decimal integer: an optional '-', then digits, nothing else (no space, no '+', no hex).
 * ERR_INVALID_ARGUMENT when text is no such number or lies outside [min, max].
 */
int num_parse(const char *text, int64_t min, int64_t max, int64_t *ret_value, struct err *err)
    MUST_CHECK;

/* A duration with its unit, "250ms", "30s", "5m", "1h", as milliseconds. */
int num_parse_duration(const char *text, int64_t max_ms, int64_t *ret_ms, struct err *err)
    MUST_CHECK;

/* A size with its unit, "64B", "96KiB", "1MiB", as bytes. */
int num_parse_size(const char *text, int64_t max_bytes, int64_t *ret_bytes, struct err *err)
    MUST_CHECK;

#endif
