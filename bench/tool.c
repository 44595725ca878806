/* SPDX-License-Identifier: MIT */
/* The tool behind the boundary: prints one item, about 200 bytes, and is done. */
#include <string.h>
#include <unistd.h>

static const char item[] =
    "{\"id\":\"item-0000000001\",\"title\":\"The quick brown fox jumps over the lazy dog\","
    "\"kind\":\"note\",\"size\":12345,\"tags\":[\"alpha\",\"beta\",\"gamma\"],"
    "\"modified\":\"2026-01-01T00:00:00Z\",\"owner\":\"ada@example.org\"}\n";

int main(void)
{
	return write(STDOUT_FILENO, item, strlen(item)) == (ssize_t)strlen(item) ? 0 : 1;
}
