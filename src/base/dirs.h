/* SPDX-License-Identifier: MIT */
#ifndef BASE_DIRS_H
#define BASE_DIRS_H

/* Where state lives (DESIGN §6), and small files in it that only the host may write. */

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/strvec.h"

/* $STILE_DATA_DIR, else $XDG_DATA_HOME/stile, else $HOME/.local/share/stile; nothing is made. The
 * variable's path must be absolute. Owned by the caller; NULL with ERR_CONFIGURATION. */
char *dirs_data(struct err *err) MUST_CHECK;

/* $XDG_CONFIG_HOME/stile, else $HOME/.config/stile: credentials are there. Owned; may be NULL. */
char *dirs_config(void) MUST_CHECK;

/* Makes the folder and those above it (0700) unless it is there; owner and mode are checked: ours,
 * and writable by nobody else. */
int dirs_ensure(const char *path, struct err *err) MUST_CHECK;

/*
 * Reads DIR/NAME when this user (or root) owns it and nobody else may write it. 1: read; 0: there is
 * no such file; -1: err (ERR_PERMISSION_DENIED for owner and mode, ERR_LIMIT past the buffer's cap).
 */
int dirs_read_host_file(const char *dir, const char *name, struct buf *ret_text, struct err *err)
    MUST_CHECK;

/* Writes DIR/NAME anew: a temporary file of mode 0600, synced and renamed over it. */
int dirs_write_host_file(const char *dir, const char *name, const struct buf *text, struct err *err)
    MUST_CHECK;

/* Reads a whole file into ret_text; ERR_LIMIT past the buffer's cap. */
int dirs_read_file(const char *path, struct buf *ret_text, struct err *err) MUST_CHECK;

/* True when path is folder or lies below it. Both are absolute and without links or dots; folder may
 * end in slashes. By names alone: nothing is looked at. */
bool dirs_is_below(const char *path, const char *folder);

/* The same for any of folders (NULL: none). */
bool dirs_is_below_any(const char *path, const struct strvec *folders);

#endif
