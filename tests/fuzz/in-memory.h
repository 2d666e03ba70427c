/* SPDX-License-Identifier: GPL-2.0-only */
/* A fuzzed input as a file with a path. */
#ifndef TESTS_FUZZ_IN_MEMORY_H
#define TESTS_FUZZ_IN_MEMORY_H

#include <sys/mman.h>
#include <unistd.h>

#include "property.h"

/* Path of a file in memory that holds these bytes, until the next call. */
static inline const char *in_memory(const uint8_t *data, size_t size)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("fuzz", 0);
		PROPERTY(fd >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	PROPERTY(ftruncate(fd, 0) == 0);
	PROPERTY(pwrite(fd, data, size, 0) == (ssize_t)size);
	return path;
}

#endif
