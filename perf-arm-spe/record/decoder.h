/* SPDX-License-Identifier: GPL-2.0-only */
/* The decoder's state, shared by its parts. */
#ifndef SPE_RECORD_DECODER_H
#define SPE_RECORD_DECODER_H

#include "parse.h"

/* The last sound record: what its successors look like. */
struct spe_known {
	bool any;
	uint8_t first[2];
	uint8_t end;
};

/* Between a damaged stretch and the next record boundary. */
struct spe_search {
	bool on;
	bool at_start;     /* nothing was looked at yet: a record may begin right here */
	bool counted;      /* as one drop */
	uint8_t reason;    /* enum spe_drop */
	size_t zeros;      /* zero bytes just before the position */
	uint64_t searched; /* bytes */
};

/* One call of spe_decoder_decode(). */
struct spe_input {
	const uint8_t *bytes;
	size_t n;
	size_t pos;
	uint64_t aux_offset; /* of bytes[0] */
	bool last;           /* nothing follows */
};

struct spe_decoder {
	uint32_t want;
	uint32_t kind;
	uint32_t align_bytes; /* 0 or 1: not known */
	struct spe_known known;
	struct spe_search search;
	struct spe_decode_stats stats;
	struct spe_shapes *shapes; /* NULL: the general decoder does it all */
	bool borrowed;             /* ... they belong to another decoder */
	uint8_t way;               /* enum spe_fast_way */
};

/*
 * spe_decoder_new() with the shapes another decoder learns (NULL, or one that asks for
 * other fields: with its own): one thread uses both, and the other is freed later.
 */
int spe_decoder_new_beside(const struct spe_decoder_opts *opts, const struct spe_decoder *other,
			   struct spe_decoder **decoder);

/* The counts begin anew; what it learned of shapes stays. */
void spe_decoder_forget_counts(struct spe_decoder *d);

/* Start looking for a boundary: at the position itself, or behind its first byte. */
void spe_search_begin(struct spe_decoder *d, enum spe_drop reason, bool at_start);

/*
 * Move on to the next record boundary, counting what is passed.  True if it
 * was found; false when the bytes are used up or more are needed to tell.
 */
bool spe_search_run(struct spe_decoder *d, struct spe_input *in);

/* Count bytes as dropped. */
static inline void spe_drop(struct spe_decoder *d, enum spe_drop reason, uint64_t records,
			    uint64_t bytes)
{
	d->stats.drops[reason] += records;
	d->stats.drop_bytes[reason] += bytes;
}

#endif
