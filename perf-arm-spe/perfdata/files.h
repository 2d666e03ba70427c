/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a recording: one, a pipe's spool, or a directory of them. */
#ifndef SPE_PERFDATA_FILES_H
#define SPE_PERFDATA_FILES_H

#include "reader.h"

/* Open and map what path names into pd->streams.  SPE_OK or a failure with *error filled. */
int spe_files_open(struct spe_perfdata *pd, const char *path, const char *tmpdir,
		   struct spe_error *error);
/* Once the header was read: the other files of a directory.  SPE_OK at once if it is none. */
int spe_files_open_rest(struct spe_perfdata *pd, struct spe_error *error);
void spe_files_close(struct spe_perfdata *pd);

#endif
