/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of known shapes: a masked compare and a handful of loads each. */
#ifndef SPE_RECORD_FAST_H
#define SPE_RECORD_FAST_H

#include "decoder.h"
#include "shape.h"

/* With which instructions: chosen when a decoder is made, never in between. */
enum spe_fast_way {
	SPE_FAST_PLAIN, /* 8 bytes at a time, on any machine */
	SPE_FAST_WIDE,  /* 16: SSSE3, NEON */
	SPE_FAST_AVX2,  /* 32 */
	SPE_FAST_WAYS
};

/* What this machine can do. */
bool spe_fast_has_way(enum spe_fast_way way);

/* The best of them. */
enum spe_fast_way spe_fast_best_way(void);

/*
 * Decode records for as long as they fit known shapes, padding between them
 * included; stops before the first that does not.
 */
void spe_fast_run(struct spe_decoder *d, struct spe_input *in, struct spe_record_array *to);

#endif
