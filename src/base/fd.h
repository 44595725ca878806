/* SPDX-License-Identifier: MIT */
#ifndef BASE_FD_H
#define BASE_FD_H

/* What every writer to a descriptor needs, once. */

#include <stddef.h>

#include "base/mem.h"

/* Writes all of data to a blocking fd, however many write(2) it takes. -1 with errno when one
 * fails; some of the bytes may have left by then. */
int fd_write_all(int fd, const void *data, size_t len) MUST_CHECK;

#endif
