/* SPDX-License-Identifier: MIT */
/* An export that somebody hands to `stile audit verify`: any bytes end in a verdict. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ledger/ledger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_fd int fd = memfd_create("export", MFD_CLOEXEC);
	cleanup_free char *path = xasprintf("/proc/self/fd/%d", fd);
	cleanup_err struct err err = ERR_INIT;
	struct ledger_report report;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return 0;
	if (ledger_verify_export(path, &report, &err) == 0 && report.rows < report.withheld)
		abort();
	return 0;
}
