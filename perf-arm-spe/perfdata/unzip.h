/* SPDX-License-Identifier: GPL-2.0-only */
/* One zstd stream, fed in pieces.  Without libzstd it cannot be begun. */
#ifndef SPE_PERFDATA_UNZIP_H
#define SPE_PERFDATA_UNZIP_H

#include <perf-arm-spe/base.h>

struct spe_unzip;

/* SPE_OK, SPE_NOMEM, SPE_UNSUPPORTED. */
int spe_unzip_new(struct spe_unzip **unzip);
void spe_unzip_free(struct spe_unzip *unzip);

/* The next piece of the stream; it must stay in place until run() made nothing more of it. */
void spe_unzip_feed(struct spe_unzip *unzip, const uint8_t *bytes, size_t n);

/*
 * Up to room bytes of what comes out.  *made 0: the piece is used up.
 * SPE_OK, SPE_CORRUPT, SPE_NOMEM (*reason then says what zstd says).
 */
int spe_unzip_run(struct spe_unzip *unzip, uint8_t *to, size_t room, size_t *made,
		  const char **reason);

#endif
