/* SPDX-License-Identifier: GPL-2.0-only */
#include "walk.h"
#include "feed.h"
#include "../base/pool.h"

#include <stdlib.h>

/* Everything a walk needs, in one allocation. */
struct walk {
	struct spe_feed feed;
	size_t stride_bytes;
	uint64_t records[]; /* of stride_bytes each */
};

static uint64_t drops_in(const struct spe_decode_stats *stats)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < SPE_DROP_KINDS; i++)
		sum += stats->drops[i] + stats->drop_bytes[i];
	return sum;
}

static int walk_batches(struct walk *walk, const struct spe_decode_stats *stats,
			spe_walk_batch batch, void *arg)
{
	uint64_t drops = drops_in(stats);

	for (;;) {
		struct spe_record_array out = { .first = walk->records,
						.stride_bytes = walk->stride_bytes,
						.room = SPE_WALK_BATCH };
		uint64_t before = drops;
		int status = spe_feed_next(&walk->feed, &out);

		if (status || !out.count)
			return status;
		drops = drops_in(stats);
		status = batch(arg, &out, drops == before);
		if (status)
			return status == SPE_END ? SPE_OK : status;
	}
}

int spe_walk_stream(const struct spe_recording *recording, const struct spe_stream *stream,
		    struct spe_walk_opts opts, spe_walk_batch batch, void *arg,
		    struct spe_decode_stats *stats)
{
	struct spe_decoder_opts decoder_opts = { .size = sizeof(decoder_opts),
						 .want = opts.want,
						 .kind = recording->opts.decoder,
						 .align_bytes = stream->decode_align };
	size_t stride_bytes = opts.samples ? sizeof(struct spe_sample) : sizeof(struct spe_record);
	struct spe_decoder *decoder = NULL;
	struct walk *walk = malloc(sizeof(*walk) + SPE_WALK_BATCH * stride_bytes);
	int status = walk ? spe_decoder_new(&decoder_opts, &decoder) : SPE_NOMEM;

	if (!status) {
		walk->stride_bytes = stride_bytes;
		spe_feed_start(&walk->feed, decoder, stream, 0,
			       stream->spans.count ? stream->spans.items[0].position : 0,
			       UINT64_MAX);
		status = walk_batches(walk, spe_decoder_stats(decoder), batch, arg);
		if (stats)
			*stats = *spe_decoder_stats(decoder);
	}
	spe_decoder_free(decoder);
	free(walk);
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
