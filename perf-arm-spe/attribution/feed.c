/* SPDX-License-Identifier: GPL-2.0-only */
#include "feed.h"

static uint64_t span_end(const struct spe_feed *feed)
{
	const struct spe_span *span = &feed->spans[feed->span];
	uint64_t end = span->position + span->bytes;

	return end < feed->end ? end : feed->end;
}

/* Bytes of the current span that were not looked at yet. */
static uint64_t span_left(const struct spe_feed *feed)
{
	return span_end(feed) - (feed->spans[feed->span].position + feed->at);
}

/* Does the stream break off (or the feed end) where the current span ends? */
static bool span_is_last(const struct spe_feed *feed)
{
	return feed->span + 1 >= feed->span_count || !feed->spans[feed->span + 1].joins ||
	       feed->spans[feed->span + 1].position >= feed->end;
}

/* A span that may begin inside a record does not if records are aligned and it is. */
static void feed_restart(struct spe_feed *feed, const struct spe_span *span)
{
	bool aligned = feed->align_bytes > 1 && !(span->position & (feed->align_bytes - 1));

	spe_decoder_restart(feed->decoder, feed->align_bytes, span->in_record && !aligned);
}

static void span_advance(struct spe_feed *feed)
{
	const struct spe_span *next;

	feed->at = 0;
	feed->span++;
	if (feed->span < feed->span_count && feed->spans[feed->span].position >= feed->end)
		feed->span = feed->span_count;
	if (feed->span == feed->span_count)
		return;
	next = &feed->spans[feed->span];
	if (!next->joins)
		feed_restart(feed, next);
}

void spe_feed_start(struct spe_feed *feed, struct spe_decoder *decoder,
		    const struct spe_stream *stream, size_t span, uint64_t start, uint64_t end)
{
	const struct spe_span *first;

	feed->decoder = decoder;
	feed->spans = stream->spans.items;
	feed->span_count = stream->spans.count;
	feed->span = span;
	feed->end = end;
	feed->align_bytes = stream->decode_align;
	feed->at = 0;
	feed->seam_bytes = feed->seam_old = 0;
	feed->seam_position = 0;
	if (span >= feed->span_count)
		return;
	first = &feed->spans[span];
	feed->at = start - first->position;
	if (!feed->at && !first->joins)
		feed_restart(feed, first);
	else
		spe_decoder_restart(decoder, feed->align_bytes, false);
}

static int feed_decode(struct spe_feed *feed, const uint8_t *bytes, uint64_t n, uint64_t position,
		       bool last, struct spe_record_array *records, size_t *used)
{
	struct spe_record_array room = *records;
	int status;

	room.first = (char *)records->first + records->count * records->stride_bytes;
	room.room = records->room - records->count;
	room.count = 0;
	status = spe_decoder_decode(feed->decoder, bytes, n, position, last, &room, used);
	records->count += room.count;
	return status;
}

/* Keep the unconsumed end of a span for the one that continues it. */
static int seam_begin(struct spe_feed *feed, uint64_t left)
{
	const struct spe_span *span = &feed->spans[feed->span];

	if (left > SPE_FEED_LEFT_BYTES)
		return SPE_INTERNAL;
	memcpy(feed->seam, span->data + feed->at, left);
	feed->seam_bytes = feed->seam_old = left;
	feed->seam_position = span->position + feed->at;
	span_advance(feed);
	return SPE_OK;
}

static int feed_span(struct spe_feed *feed, struct spe_record_array *records)
{
	const struct spe_span *span = &feed->spans[feed->span];
	bool last = span_is_last(feed);
	uint64_t left = span_left(feed);
	size_t used = 0;
	int status;

	if (!left) {
		span_advance(feed);
		return SPE_OK;
	}
	status = feed_decode(feed, span->data + feed->at, left, span->position + feed->at, last,
			     records, &used);
	if (status)
		return status;
	feed->at += used;
	left -= used;
	if (!left) {
		span_advance(feed);
		return SPE_OK;
	}
	if (records->count == records->room)
		return SPE_OK;
	return last ? SPE_INTERNAL : seam_begin(feed, left);
}

static void seam_fill(struct spe_feed *feed)
{
	uint64_t take = sizeof(feed->seam) - feed->seam_bytes;
	uint64_t left = span_left(feed);

	if (take > left)
		take = left;
	memcpy(feed->seam + feed->seam_bytes, feed->spans[feed->span].data + feed->at, take);
	feed->seam_bytes += take;
	feed->at += take;
}

/* The decoder has not passed the old bytes of the seam. */
static int seam_keep(struct spe_feed *feed, size_t used, bool last, bool full)
{
	memmove(feed->seam, feed->seam + used, feed->seam_bytes - used);
	feed->seam_bytes -= used;
	feed->seam_old -= used;
	feed->seam_position += used;
	if (full)
		return SPE_OK;
	if (last || span_left(feed) || feed->seam_bytes > SPE_FEED_LEFT_BYTES)
		return SPE_INTERNAL;
	feed->seam_old = feed->seam_bytes;
	span_advance(feed);
	return SPE_OK;
}

static int feed_seam(struct spe_feed *feed, struct spe_record_array *records)
{
	size_t used = 0;
	bool last;
	int status;

	seam_fill(feed);
	last = !span_left(feed) && span_is_last(feed);
	status = feed_decode(feed, feed->seam, feed->seam_bytes, feed->seam_position, last, records,
			     &used);
	if (status)
		return status;
	if (used < feed->seam_old)
		return seam_keep(feed, used, last, records->count == records->room);
	feed->at -= feed->seam_bytes - used;
	feed->seam_bytes = feed->seam_old = 0;
	return SPE_OK;
}

int spe_feed_next(struct spe_feed *feed, struct spe_record_array *records)
{
	int status = SPE_OK;

	records->count = 0;
	while (!status && records->count < records->room && feed->span < feed->span_count)
		status = feed->seam_bytes ? feed_seam(feed, records) : feed_span(feed, records);
	return status;
}
