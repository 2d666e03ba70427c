/* SPDX-License-Identifier: GPL-2.0-only */
/* Files without a name, for what does not fit in memory and must not outlive us. */
#ifndef SPE_BASE_TEMP_H
#define SPE_BASE_TEMP_H

#include <perf-arm-spe/base.h>

/*
 * Open an unlinked file for reading and writing, mode 0600, in tmpdir (NULL:
 * $TMPDIR, else /tmp).  Returns the descriptor; -1 with errno set.
 */
int spe_temp_open(const char *tmpdir);
/* The folder that NULL stands for. Never NULL. */
const char *spe_temp_folder(const char *tmpdir);

#endif
