/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chunks -> spans.
 *
 * perf rounds the size of an AUXTRACE payload up to 8 with zero bytes but not
 * the next offset, so a chunk may end in up to 7 bytes that are not trace.
 * Snapshots hold the whole ring each time: what an earlier one had already is
 * taken out.  In that mode the kernel counts offsets modulo the ring, so the
 * same offset may mean the same bytes or a later lap: the bytes decide.
 */
#include "streams.h"
#include "../base/order.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

/* perf rounds sizes up to 8. */
#define ROUNDING_BYTES 7u
/* A ring is a power of two of pages. */
#define LEAST_RING_BYTES 4096u
/* Snapshots are compared by blocks of about a record. */
#define BLOCK_BYTES 64u

void spe_stream_clear(struct spe_stream *stream)
{
	free(stream->chunks.items);
	free(stream->ranges.items);
	free(stream->spans.items);
	free(stream->repeats.items);
	free(stream->unwritten.items);
}

/* ---- snapshots: offsets modulo the ring -> positions ---------------------- */

/* The size of the ring, which only a snapshot of all of it tells; 0 when none does. */
static uint64_t ring_bytes(const struct spe_stream *stream)
{
	uint64_t most = 0;

	for (size_t i = 0; i < stream->chunks.count; i++) {
		if (stream->chunks.items[i].bytes > most)
			most = stream->chunks.items[i].bytes;
	}
	return most >= LEAST_RING_BYTES && !(most & (most - 1)) ? most : 0;
}

/* Zero bytes at the end that may be perf's rounding, not trace. */
static uint64_t rounding_zeros(const uint8_t *data, uint64_t bytes, uint64_t most)
{
	uint64_t n = 0;

	if (most > ROUNDING_BYTES)
		most = ROUNDING_BYTES;
	while (n < most && n < bytes && !data[bytes - 1 - n])
		n++;
	return n;
}

/*
 * Is the end of data[0..bytes) the same as the end of the first n bytes of
 * `after`?  Mostly so is enough: what was read while it was overwritten differs in
 * places, while a later lap of the ring has hardly a block in common.
 */
static bool chunk_repeats(const uint8_t *data, uint64_t bytes, const struct spe_chunk *after,
			  uint64_t n)
{
	uint64_t common = n < bytes ? n : bytes, same = 0, blocks = 0;
	const uint8_t *x = data + bytes - common, *y = after->data + n - common;

	if (!common || n > after->bytes)
		return false;
	for (uint64_t at = 0; at < common; at += BLOCK_BYTES) {
		size_t left = common - at < BLOCK_BYTES ? common - at : BLOCK_BYTES;

		same += !memcmp(x + at, y + at, left);
		blocks++;
	}
	return 2 * same > blocks;
}

/*
 * Where a snapshot stands, given the one before it: at the place its offset
 * says if its beginning repeats that one's end, else some whole laps later.
 */
static uint64_t snapshot_position(const struct spe_chunk *before, const struct spe_chunk *chunk,
				  uint64_t ring)
{
	uint64_t bytes = before->bytes - rounding_zeros(before->data, before->bytes, UINT64_MAX);
	uint64_t end = before->position + bytes;
	uint64_t overlap = (end % ring + ring - chunk->position % ring) % ring;

	if (!overlap && chunk->bytes == ring)
		overlap = ring;
	if (overlap <= end && chunk_repeats(before->data, bytes, chunk, overlap))
		return end - overlap;
	return end + (chunk->position % ring + ring - end % ring) % ring;
}

static void place_snapshots(struct spe_stream *stream)
{
	uint64_t ring = ring_bytes(stream);
	const struct spe_chunk *before = NULL;

	for (size_t i = 0; ring && i < stream->chunks.count; i++) {
		struct spe_chunk *chunk = &stream->chunks.items[i];

		if (!chunk->bytes)
			continue;
		if (before)
			chunk->position = snapshot_position(before, chunk, ring);
		before = chunk;
	}
}

/* AUX records say that a ring is overwritten; if they were lost, chunks that overlap do. */
static bool is_snapshot(const struct spe_stream *stream)
{
	if (stream->info.overwrites)
		return true;
	for (size_t i = 1; i < stream->chunks.count; i++) {
		const struct spe_chunk *before = &stream->chunks.items[i - 1];
		const struct spe_chunk *chunk = &stream->chunks.items[i];

		if (chunk->bytes &&
		    chunk->position + ROUNDING_BYTES < before->position + before->bytes)
			return true;
	}
	return false;
}

/* ---- order, seams, repeats ------------------------------------------------- */

static int chunk_order(const void *a, const void *b)
{
	const struct spe_chunk *x = a, *y = b;

	SPE_ORDER(x->position, y->position);
	SPE_ORDER(x->sequence, y->sequence);
	return 0;
}

/*
 * How many zeros at the end of a span are perf's rounding.  A chunk that goes on
 * where the trace ended overlaps by those alone; one that holds more bytes again
 * shows which of them are trace.
 */
static uint64_t wrong_zeros(const struct spe_span *before, const struct spe_chunk *chunk,
			    uint64_t overlap)
{
	uint64_t zeros = rounding_zeros(before->data, before->bytes, overlap);

	if (overlap <= ROUNDING_BYTES)
		return zeros;
	while (zeros && overlap - zeros < chunk->bytes && !chunk->data[overlap - zeros])
		zeros--;
	return zeros;
}

static int add_repeat(struct spe_stream *stream, const struct spe_chunk *chunk, uint64_t bytes)
{
	struct spe_span span = { .data = chunk->data, .position = chunk->position, .bytes = bytes };

	return bytes ? spe_vec_push(&stream->repeats, &span, SPE_LIMIT_AUX_CHUNKS) : SPE_OK;
}

/* Add what is new in a chunk; *end is where the spans so far end. */
static int add_chunk(struct spe_stream *stream, const struct spe_chunk *chunk, uint64_t *end)
{
	struct spe_span span = { .data = chunk->data,
				 .position = chunk->position,
				 .bytes = chunk->bytes };
	bool any = stream->spans.count != 0;
	int status;

	if (any && span.position < *end) {
		struct spe_span *before = &stream->spans.items[stream->spans.count - 1];
		uint64_t overlap = *end - span.position;
		uint64_t zeros = wrong_zeros(before, chunk, overlap);

		before->bytes -= zeros;
		overlap -= zeros;
		if (overlap >= span.bytes) {
			before->bytes += zeros;
			return add_repeat(stream, chunk, span.bytes);
		}
		status = add_repeat(stream, chunk, overlap);
		if (status)
			return status;
		*end -= zeros;
		span.data += overlap;
		span.position += overlap;
		span.bytes -= overlap;
	}
	span.joins = any && span.position == *end;
	*end = span.position + span.bytes;
	return spe_vec_push(&stream->spans, &span, SPE_LIMIT_AUX_CHUNKS);
}

static int order_chunks(struct spe_stream *stream)
{
	uint64_t end = 0;
	int status = SPE_OK;

	if (stream->chunks.count)
		qsort(stream->chunks.items, stream->chunks.count, sizeof(*stream->chunks.items),
		      chunk_order);
	for (size_t i = 0; i < stream->chunks.count && !status; i++) {
		if (stream->chunks.items[i].bytes)
			status = add_chunk(stream, &stream->chunks.items[i], &end);
	}
	free(stream->chunks.items);
	memset(&stream->chunks, 0, sizeof(stream->chunks));
	return status;
}

/* ---- AUX records: where the stream breaks, what was lost ------------------- */

static int range_order(const void *a, const void *b)
{
	const struct spe_aux_range *x = a, *y = b;
	uint64_t end_x = x->offset + x->size, end_y = y->offset + y->size;

	SPE_ORDER(x->offset, y->offset);
	return end_x < end_y ? -1 : end_x > end_y;
}

static void note_loss(struct spe_stream_info *info, const struct spe_aux_range *range)
{
	if (!range->has_time || !range->time_ns)
		return;
	if (!info->loss_first_ns || range->time_ns < info->loss_first_ns)
		info->loss_first_ns = range->time_ns;
	if (range->time_ns > info->loss_last_ns)
		info->loss_last_ns = range->time_ns;
}

static void count_ranges(struct spe_stream *stream)
{
	struct spe_stream_info *info = &stream->info;

	for (size_t i = 0; i < stream->ranges.count; i++) {
		const struct spe_aux_range *range = &stream->ranges.items[i];

		info->aux_records++;
		info->truncated += !!(range->flags & SPE_AUX_TRUNCATED);
		info->partial += !!(range->flags & SPE_AUX_PARTIAL);
		info->collisions += !!(range->flags & SPE_AUX_COLLISION);
		info->overwrites += !!(range->flags & SPE_AUX_OVERWRITE);
		if (range->flags & (SPE_AUX_TRUNCATED | SPE_AUX_PARTIAL))
			note_loss(info, range);
	}
}

/* Where counting of what is missing has come to. */
struct missing {
	size_t span;  /* the first that may hold what comes */
	uint64_t end; /* of the last gap */
	bool any;
};

/* Count the bytes of [from, to) that no span holds. */
static void count_missing(struct spe_stream *stream, uint64_t from, uint64_t to, struct missing *m)
{
	const struct spe_span *spans = stream->spans.items;
	size_t *span = &m->span;

	while (from < to) {
		uint64_t until;

		while (*span < stream->spans.count &&
		       spans[*span].position + spans[*span].bytes <= from)
			++*span;
		until = *span < stream->spans.count ? spans[*span].position : to;
		if (until <= from) {
			from = spans[*span].position + spans[*span].bytes;
			continue;
		}
		until = until < to ? until : to;
		stream->info.gaps += !m->any || m->end != from;
		stream->info.gap_bytes += until - from;
		m->any = true;
		m->end = until;
		from = until;
	}
}

static void count_gaps(struct spe_stream *stream)
{
	struct missing missing = { 0 };
	uint64_t done = 0;

	for (size_t i = 0; i < stream->ranges.count; i++) {
		const struct spe_aux_range *range = &stream->ranges.items[i];
		uint64_t from = range->offset > done ? range->offset : done;
		uint64_t to = range->offset + range->size;

		count_missing(stream, from, to, &missing);
		if (to > done)
			done = to;
	}
}

/* Cut a span in two where the stream breaks. */
static int split_span(spe_span_vec *out, const struct spe_span *span, const uint64_t *breaks,
		      size_t count, size_t *at)
{
	struct spe_span rest = *span;

	while (*at < count && breaks[*at] < rest.position)
		++*at;
	while (*at < count && breaks[*at] < rest.position + rest.bytes) {
		struct spe_span head = rest;
		int status;

		if (breaks[*at] == rest.position) {
			rest.joins = false;
			++*at;
			continue;
		}
		head.bytes = breaks[*at] - rest.position;
		status = spe_vec_push(out, &head, SPE_LIMIT_AUX_CHUNKS);
		if (status)
			return status;
		rest.data += head.bytes;
		rest.position += head.bytes;
		rest.bytes -= head.bytes;
		rest.joins = false;
		++*at;
	}
	return spe_vec_push(out, &rest, SPE_LIMIT_AUX_CHUNKS);
}

static int collect_breaks(const struct spe_stream *stream, uint64_t **breaks, size_t *count)
{
	SPE_VEC(uint64_t) found = { 0 };

	for (size_t i = 0; i < stream->ranges.count; i++) {
		const struct spe_aux_range *range = &stream->ranges.items[i];
		uint64_t end = range->offset + range->size;
		int status;

		if (!(range->flags & (SPE_AUX_TRUNCATED | SPE_AUX_PARTIAL)))
			continue;
		if (found.count && found.items[found.count - 1] >= end)
			continue; /* ranges come sorted; one break a place is enough */
		status = spe_vec_push(&found, &end, SPE_LIMIT_AUX_CHUNKS);
		if (status) {
			free(found.items);
			return status;
		}
	}
	*breaks = found.items;
	*count = found.count;
	return SPE_OK;
}

static int break_spans(struct spe_stream *stream)
{
	uint64_t *breaks = NULL;
	spe_span_vec out = { 0 };
	size_t count = 0, at = 0;
	int status = collect_breaks(stream, &breaks, &count);

	if (!count)
		return status;
	for (size_t i = 0; i < stream->spans.count && !status; i++)
		status = split_span(&out, &stream->spans.items[i], breaks, count, &at);
	free(breaks);
	free(stream->spans.items);
	stream->spans = out;
	return status;
}

/* Is a place strictly inside what one AUX record covers? */
static bool inside_range(const struct spe_stream *stream, uint64_t position)
{
	size_t low = 0, high = stream->ranges.count;

	while (low < high) { /* first range that begins at or after position */
		size_t mid = low + (high - low) / 2;

		if (stream->ranges.items[mid].offset < position)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return false;
	low--;
	return stream->ranges.items[low].offset + stream->ranges.items[low].size > position;
}

/*
 * The kernel moves the head of the ring only when the hardware is drained, so
 * what perf reads begins and ends with a record, unless a snapshot cut into
 * the ring, or bytes are missing from the middle of what was written at once.
 */
static void mark_cut_heads(struct spe_stream *stream, bool snapshot)
{
	for (size_t i = 0; i < stream->spans.count; i++) {
		struct spe_span *span = &stream->spans.items[i];

		if (span->joins || !span->position)
			continue;
		span->in_record = snapshot || inside_range(stream, span->position);
	}
}

int spe_stream_build(struct spe_stream *stream)
{
	bool snapshot;
	int status;

	if (stream->ranges.count)
		qsort(stream->ranges.items, stream->ranges.count, sizeof(*stream->ranges.items),
		      range_order);
	count_ranges(stream);
	snapshot = is_snapshot(stream);
	if (snapshot)
		place_snapshots(stream);
	status = order_chunks(stream);
	if (status)
		return status;
	if (!snapshot) { /* offsets of overwriting buffers are no places in the stream */
		count_gaps(stream);
		status = break_spans(stream);
	}
	mark_cut_heads(stream, snapshot);
	for (size_t i = 0; i < stream->spans.count; i++)
		stream->info.bytes += stream->spans.items[i].bytes;
	return status;
}
