/* SPDX-License-Identifier: GPL-2.0-only */
/* Looking through all records of a stream, in order, batch by batch. */
#ifndef SPE_ATTRIBUTION_WALK_H
#define SPE_ATTRIBUTION_WALK_H

#include "recording.h"

/* Records of one batch, few enough to stay in the nearest cache; the last may be shorter. */
#define SPE_WALK_BATCH 256u

/*
 * Called with every batch.  clean: nothing was dropped since the batch before.
 * A status other than SPE_OK ends the walk; SPE_END does so without a failure.
 */
typedef int (*spe_walk_batch)(void *arg, const struct spe_record_array *records, bool clean);

static inline struct spe_record *spe_walk_at(const struct spe_record_array *records, size_t i)
{
	return (struct spe_record *)((char *)records->first + i * records->stride_bytes);
}

/* The records from `from` on, `count` of them. */
static inline struct spe_record_array spe_walk_part(const struct spe_record_array *records,
						    size_t from, size_t count)
{
	struct spe_record_array part = *records;

	part.first = spe_walk_at(records, from);
	part.room = part.count = count;
	return part;
}

/* A decoder and room for a batch: they cost as much as thousands of records. */
struct spe_walker;

struct spe_walk_opts {
	uint32_t want; /* SPE_HAS_* */
	bool samples;  /* the records are the first part of samples */
	/*
	 * Where the walker is kept for the next walk of this thread (*keep may be NULL);
	 * NULL: for this one alone.
	 */
	struct spe_walker **keep;
};

/* NULL is allowed. */
void spe_walker_free(struct spe_walker *walker);

/*
 * Walk over a stream.  *stats (may be NULL) gets the counts.  SPE_OK, SPE_NOMEM, or the
 * status of the callback.
 */
int spe_walk_stream(const struct spe_recording *recording, const struct spe_stream *stream,
		    struct spe_walk_opts opts, spe_walk_batch batch, void *arg,
		    struct spe_decode_stats *stats);

/* How many workers spe_walk_all() has. */
unsigned spe_walk_workers(const struct spe_recording *recording);
/*
 * Run `job` (spe_pool_job; its arg is given on) for all streams on as many
 * workers as the recording's options say.
 */
int spe_walk_all(struct spe_recording *recording,
		 int (*job)(void *arg, unsigned worker, size_t stream), void *arg);

#endif
