/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Feeds: the samples of each stream, filtered, in time order, decoded ahead of
 * their one consumer by the other workers.
 *
 * Inside a stream times go back now and then; two neighbouring blocks are
 * sorted together before the first of them is handed out, so that a record out
 * of place by up to a block (128 to 512 records, by the number of streams) comes
 * in order.  Which records share a block depends on the recording alone.
 */
#ifndef SPE_SINK_FEED_H
#define SPE_SINK_FEED_H

#include "run.h"

struct spe_feeds;

/* A run of samples in order of key; equal keys in order of the stream. */
struct spe_feed_block {
	size_t count;
	uint64_t *keys; /* time_ns, or ticks where nothing converts them */
	struct spe_sample *samples;
};

/* SPE_OK or SPE_NOMEM. */
int spe_feeds_new(struct spe_run *run, struct spe_feeds **feeds);
/* All workers are back.  Adds the counts of what was read to run->stats. */
void spe_feeds_free(struct spe_feeds *feeds);

size_t spe_feeds_count(const struct spe_feeds *feeds);
/* No key of the stream is below this. SPE_END for a stream without pieces. */
int spe_feeds_floor(const struct spe_feeds *feeds, size_t stream, uint64_t *key);
/*
 * The next block of a stream; the one before it is given back.  The first call
 * opens the stream, the last (SPE_END) closes it.  SPE_OK with count > 0,
 * SPE_END, or a failure.
 */
int spe_feeds_next(struct spe_feeds *feeds, size_t stream, struct spe_feed_block **block);
/* What the other workers do until spe_feeds_stop(). */
void spe_feeds_work(struct spe_feeds *feeds);
void spe_feeds_stop(struct spe_feeds *feeds);

#endif
