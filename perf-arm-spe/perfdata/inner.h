/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records inside COMPRESSED and COMPRESSED2 records.  All payloads of one
 * file are one zstd stream, and a record may begin in one and end in the next.
 */
#ifndef SPE_PERFDATA_INNER_H
#define SPE_PERFDATA_INNER_H

#include "reader.h"

struct spe_inner;

/* Give it the payload of a record; begins *inner if there is none yet.  SPE_OK or a failure. */
int spe_inner_feed(struct spe_perfdata *pd, struct spe_stream *s, const struct spe_raw *raw,
		   struct spe_error *error);
/* The next record inside.  SPE_OK; SPE_END when more payload is needed; or a failure. */
int spe_inner_next(struct spe_perfdata *pd, struct spe_stream *s, struct spe_raw *raw,
		   struct spe_error *error);
/* The file has ended: SPE_OK, or SPE_CORRUPT if a record was begun and not ended. */
int spe_inner_end(struct spe_stream *s, struct spe_error *error);
void spe_inner_free(struct spe_stream *s);

#endif
