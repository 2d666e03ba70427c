/* SPDX-License-Identifier: GPL-2.0-only */
#include "temp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *spe_temp_folder(const char *tmpdir)
{
	const char *set = tmpdir ? tmpdir : getenv("TMPDIR");

	return set && *set ? set : "/tmp";
}

int spe_temp_open(const char *tmpdir)
{
	const char *folder = spe_temp_folder(tmpdir);
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char *name;

	if (fd >= 0)
		return fd;
	/* Not every file system has files without a name. */
	if (asprintf(&name, "%s/perf-arm-spe-XXXXXX", folder) < 0) {
		errno = ENOMEM;
		return -1;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}
