/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Feeds the spans of a stream to a decoder: carries a record over the seam of
 * two spans that join, and tells the decoder where the stream breaks off.
 */
#ifndef SPE_ATTRIBUTION_FEED_H
#define SPE_ATTRIBUTION_FEED_H

#include "streams.h"

#include <perf-arm-spe/limits.h>
#include <perf-arm-spe/packet.h>

/* The most a decoder leaves unconsumed. */
#define SPE_FEED_LEFT_BYTES (SPE_LIMIT_RECORD_BYTES + SPE_PACKET_MAX_VALUE_BYTES)

struct spe_feed {
	struct spe_decoder *decoder;
	const struct spe_span *spans;
	size_t span_count;
	size_t span;  /* the current one */
	uint64_t at;  /* bytes of it that were consumed (or copied into the seam) */
	uint64_t end; /* position where the feed ends, at most the end of the last span */
	uint32_t align_bytes;
	/* A record that began in an earlier span, then bytes of the current one. */
	uint8_t seam[4 * SPE_FEED_LEFT_BYTES];
	size_t seam_bytes;
	size_t seam_old;        /* of those, from before the current span */
	uint64_t seam_position; /* of seam[0] */
};

/*
 * Begin at `start`, which stands in span `span`, and go on to `end`.  The start
 * of a span that does not join says itself whether it is inside a record;
 * any other start is the start of a record.
 */
void spe_feed_start(struct spe_feed *feed, struct spe_decoder *decoder,
		    const struct spe_stream *stream, size_t span, uint64_t start, uint64_t end);

/*
 * Decode until records->room is full or the feed ends.  records->count says how
 * many came; 0 means the end.  SPE_OK or what the decoder says.
 */
int spe_feed_next(struct spe_feed *feed, struct spe_record_array *records);

#endif
