/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pass 2: a piece of a stream becomes attributed samples.  Records are decoded
 * straight into the samples of a batch; a second loop over the batch, while it
 * is in the cache, gives them owners.
 */
#include "attribute.h"
#include "feed.h"
#include "../record/decoder.h"

#include <stdlib.h>

/* Samples decoded before they are attributed: few enough to stay in the cache. */
#define BATCH_RECORDS 256u

struct spe_reader {
	const struct spe_recording *recording;
	struct spe_decoder *decoder;
	bool started;
	size_t batch_records;
	struct spe_decode_stats repeats; /* of the pieces read */
	struct spe_decode_stats stats;
	struct spe_attributor attributor;
	struct spe_feed feed;
};

int spe_reader_new(const struct spe_recording *recording, const struct spe_reader_opts *opts,
		   struct spe_reader **reader)
{
	const struct spe_reader *beside = opts && opts->size >= sizeof(*opts) ? opts->beside : NULL;
	struct spe_decoder_opts decoder = { .size = sizeof(decoder) };
	struct spe_reader *r;
	int status;

	if (!recording || !reader)
		return SPE_INVALID;
	r = calloc(1, sizeof(*r));
	if (!r)
		return SPE_NOMEM;
	r->recording = recording;
	spe_attributor_init(&r->attributor, recording, opts && opts->names);
	r->batch_records =
		recording->opts.batch_records ? recording->opts.batch_records : BATCH_RECORDS;
	decoder.want = opts && opts->want ? opts->want | SPE_ATTRIBUTE_WANT : 0;
	decoder.kind = recording->opts.decoder;
	status = spe_decoder_new_beside(&decoder, beside ? beside->decoder : NULL, &r->decoder);
	if (status) {
		free(r);
		return status;
	}
	*reader = r;
	return SPE_OK;
}

void spe_reader_free(struct spe_reader *reader)
{
	if (!reader)
		return;
	spe_decoder_free(reader->decoder);
	free(reader);
}

int spe_reader_start(struct spe_reader *reader, size_t piece)
{
	const struct spe_recording *recording = reader->recording;
	const struct spe_piece_extent *extent;
	const struct spe_stream *stream;

	if (piece >= recording->pieces.count)
		return SPE_INVALID;
	extent = &recording->pieces.items[piece];
	stream = recording->streams[extent->piece.stream];
	reader->started = true;
	spe_attributor_start(&reader->attributor, extent->piece.stream, extent->start);
	if (extent->carries_repeats)
		spe_decode_stats_add(&reader->repeats, &stream->repeated);
	spe_feed_start(&reader->feed, reader->decoder, stream, extent->span, extent->start,
		       extent->end);
	return SPE_OK;
}

int spe_reader_next(struct spe_reader *reader, struct spe_sample *samples, size_t room,
		    size_t *count)
{
	struct spe_record_array out = { .first = samples, .stride_bytes = sizeof(*samples) };
	int status;

	*count = 0;
	if (!reader->started || !room)
		return SPE_INVALID;
	out.room = room < reader->batch_records ? room : reader->batch_records;
	status = spe_feed_next(&reader->feed, &out);
	if (status)
		return status;
	spe_attributor_batch(&reader->attributor, samples, out.count);
	reader->stats = *spe_decoder_stats(reader->decoder);
	spe_decode_stats_add(&reader->stats, &reader->repeats);
	*count = out.count;
	return out.count ? SPE_OK : SPE_END;
}

const struct spe_decode_stats *spe_reader_stats(const struct spe_reader *reader)
{
	return &reader->stats;
}
