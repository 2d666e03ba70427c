/* SPDX-License-Identifier: GPL-2.0-only */
#include "walk.h"
#include "feed.h"
#include "../base/pool.h"
#include "../record/decoder.h"

#include <stdlib.h>

struct spe_walker {
	struct spe_decoder *decoder;
	uint32_t want; /* of it */
	struct spe_feed feed;
	struct spe_sample samples[SPE_WALK_BATCH]; /* or records */
};

static uint64_t drops_in(const struct spe_decode_stats *stats)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < SPE_DROP_KINDS; i++)
		sum += stats->drops[i] + stats->drop_bytes[i];
	return sum;
}

static int walk_batches(struct spe_walker *walker, size_t stride_bytes, spe_walk_batch batch,
			void *arg)
{
	const struct spe_decode_stats *stats = spe_decoder_stats(walker->decoder);
	uint64_t drops = drops_in(stats);

	for (;;) {
		struct spe_record_array out = { .first = walker->samples,
						.stride_bytes = stride_bytes,
						.room = SPE_WALK_BATCH };
		uint64_t before = drops;
		int status = spe_feed_next(&walker->feed, &out);

		if (status || !out.count)
			return status;
		drops = drops_in(stats);
		status = batch(arg, &out, drops == before);
		if (status)
			return status == SPE_END ? SPE_OK : status;
	}
}

void spe_walker_free(struct spe_walker *walker)
{
	if (!walker)
		return;
	spe_decoder_free(walker->decoder);
	free(walker);
}

static int walker_new(const struct spe_recording *recording, uint32_t want,
		      struct spe_walker **made)
{
	struct spe_decoder_opts opts = { .size = sizeof(opts),
					 .want = want,
					 .kind = recording->opts.decoder };
	struct spe_walker *walker = malloc(sizeof(*walker));
	int status;

	if (!walker)
		return SPE_NOMEM;
	walker->want = want;
	status = spe_decoder_new(&opts, &walker->decoder);
	if (status) {
		free(walker);
		return status;
	}
	*made = walker;
	return SPE_OK;
}

/* The one that was kept, if it asks for the same, or a new one; *kept is given up. */
static int take_walker(const struct spe_recording *recording, uint32_t want,
		       struct spe_walker **kept, struct spe_walker **walker)
{
	*walker = *kept;
	*kept = NULL;
	if (*walker && (*walker)->want == want) {
		spe_decoder_forget_counts((*walker)->decoder);
		return SPE_OK;
	}
	spe_walker_free(*walker);
	return walker_new(recording, want, walker);
}

int spe_walk_stream(const struct spe_recording *recording, const struct spe_stream *stream,
		    struct spe_walk_opts opts, spe_walk_batch batch, void *arg,
		    struct spe_decode_stats *stats)
{
	size_t stride_bytes = opts.samples ? sizeof(struct spe_sample) : sizeof(struct spe_record);
	struct spe_walker *none = NULL, *walker;
	struct spe_walker **keep = opts.keep ? opts.keep : &none;
	int status = take_walker(recording, opts.want, keep, &walker);

	if (status)
		return status;
	spe_feed_start(&walker->feed, walker->decoder, stream, 0,
		       stream->spans.count ? stream->spans.items[0].position : 0, UINT64_MAX);
	status = walk_batches(walker, stride_bytes, batch, arg);
	if (stats)
		*stats = *spe_decoder_stats(walker->decoder);
	if (opts.keep)
		*opts.keep = walker;
	else
		spe_walker_free(walker);
	return status;
}

unsigned spe_walk_workers(const struct spe_recording *recording)
{
	return spe_pool_workers(recording->opts.threads, recording->stream_count);
}

int spe_walk_all(struct spe_recording *recording,
		 int (*job)(void *arg, unsigned worker, size_t stream), void *arg)
{
	return spe_pool_run(spe_walk_workers(recording), recording->stream_count, job, arg);
}
