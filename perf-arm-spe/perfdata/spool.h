/* SPDX-License-Identifier: GPL-2.0-only */
/* What cannot be mapped (a pipe) is kept in a file without a name. */
#ifndef SPE_PERFDATA_SPOOL_H
#define SPE_PERFDATA_SPOOL_H

#include <perf-arm-spe/base.h>

/*
 * Read fd to its end into an unlinked file in tmpdir (NULL: $TMPDIR, else
 * /tmp).  *spool is its descriptor, *bytes its size.  What does not begin like a
 * perf.data is not read further than its first bytes.  The listener hears how much was
 * read; how much there is nobody knows.
 * SPE_OK, or SPE_IO, SPE_NOMEM with *error filled and nothing left open.
 */
int spe_spool(int fd, const char *name, const char *tmpdir, const struct spe_listener *listener,
	      int *spool, uint64_t *bytes, struct spe_error *error);

#endif
