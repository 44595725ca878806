/* SPDX-License-Identifier: MIT */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

/*
 * Calls that have a safer sister; using one is a compile error. Force-included into every file of
 * ours by the build, so system headers are read first.
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#pragma GCC poison strcpy strcat strncat sprintf vsprintf strtok atoi atol atoll strtol strtoll
#pragma GCC poison system popen gets gmtime localtime ctime asctime mktemp tmpnam

#endif
