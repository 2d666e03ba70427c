/* SPDX-License-Identifier: GPL-2.0-only */
#include "walk.h"
#include "feed.h"
#include "../base/pool.h"

#include <stdlib.h>

/* Everything a walk needs, in one allocation. */
struct walk {
	struct spe_feed feed;
	struct spe_record records[SPE_WALK_BATCH];
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
						.stride_bytes = sizeof(walk->records[0]),
						.room = SPE_WALK_BATCH };
		uint64_t before = drops;
		int status = spe_feed_next(&walk->feed, &out);

		if (status || !out.count)
			return status;
		drops = drops_in(stats);
		status = batch(arg, walk->records, out.count, drops == before);
		if (status)
			return status == SPE_END ? SPE_OK : status;
	}
}

int spe_walk_stream(const struct spe_recording *recording, const struct spe_stream *stream,
		    uint32_t want, spe_walk_batch batch, void *arg, struct spe_decode_stats *stats)
{
	struct spe_decoder_opts opts = { .size = sizeof(opts),
					 .want = want,
					 .kind = recording->opts.decoder,
					 .align_bytes = stream->decode_align };
	struct spe_decoder *decoder = NULL;
	struct walk *walk = malloc(sizeof(*walk));
	int status = walk ? spe_decoder_new(&opts, &decoder) : SPE_NOMEM;

	if (!status) {
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

int spe_walk_all(struct spe_recording *recording,
		 int (*job)(void *arg, unsigned worker, size_t stream), void *arg)
{
	unsigned workers = spe_pool_workers(recording->opts.threads, recording->stream_count);

	return spe_pool_run(workers, recording->stream_count, job, arg);
}
