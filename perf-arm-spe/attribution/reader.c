/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pass 2: a piece of a stream becomes attributed samples.  Records are decoded
 * straight into the samples of a batch; a second loop over the batch, while it
 * is in the cache, gives them owners.  An owner that was found keeps the span
 * of time it holds for, so that nearly every record is answered from a table.
 */
#include "feed.h"
#include "ladder.h"

#include <stdlib.h>

/* Samples decoded before they are attributed: few enough to stay in the cache. */
#define BATCH_RECORDS 256u
/* Owners remembered by context; a power of two. */
#define KNOWN_OWNERS 256u

/* What attribution itself looks at. */
#define READER_WANT                                                                                \
	(SPE_HAS_PC | SPE_HAS_EL | SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2 | SPE_HAS_TIMESTAMP)

struct known_owner {
	struct spe_owner owner;
	uint32_t context;
	bool valid, timed;
};

struct spe_reader {
	const struct spe_recording *recording;
	struct spe_decoder *decoder;
	const struct spe_stream *stream; /* of the piece; NULL before the first */
	uint32_t stream_number;
	size_t unwritten; /* first range of unwritten zeros that may be ahead */
	size_t batch_records;
	bool names;
	struct known_owner absent; /* context is not looked at */
	struct known_owner known[KNOWN_OWNERS];
	struct spe_decode_stats repeats; /* of the pieces read */
	struct spe_decode_stats stats;
	struct spe_feed feed;
};

int spe_reader_new(const struct spe_recording *recording, const struct spe_reader_opts *opts,
		   struct spe_reader **reader)
{
	struct spe_decoder_opts decoder = { .size = sizeof(decoder) };
	struct spe_reader *r;
	int status;

	if (!recording || !reader)
		return SPE_INVALID;
	r = calloc(1, sizeof(*r));
	if (!r)
		return SPE_NOMEM;
	r->recording = recording;
	r->names = opts && opts->names;
	r->batch_records =
		recording->opts.batch_records ? recording->opts.batch_records : BATCH_RECORDS;
	decoder.want = opts && opts->want ? opts->want | READER_WANT : 0;
	decoder.kind = recording->opts.decoder;
	status = spe_decoder_new(&decoder, &r->decoder);
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

/* First range that ends at or after a position. */
static size_t first_unwritten(const struct spe_stream *stream, uint64_t position)
{
	size_t low = 0, high = stream->unwritten.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (stream->unwritten.items[mid].last < position)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
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
	if (reader->stream != stream)
		reader->absent.valid = false;
	reader->stream = stream;
	reader->stream_number = extent->piece.stream;
	reader->unwritten = first_unwritten(stream, extent->start);
	if (extent->carries_repeats)
		spe_decode_stats_add(&reader->repeats, &stream->repeated);
	spe_feed_start(&reader->feed, reader->decoder, stream, extent->span, extent->start,
		       extent->end);
	return SPE_OK;
}

/* Did nobody write the zero this record carries? */
static bool zero_unwritten(struct spe_reader *reader, uint64_t position)
{
	const struct spe_stream *stream = reader->stream;

	if (!reader->recording->facts.zero_is_idle)
		return true;
	while (reader->unwritten < stream->unwritten.count &&
	       stream->unwritten.items[reader->unwritten].last < position)
		reader->unwritten++;
	return reader->unwritten < stream->unwritten.count &&
	       stream->unwritten.items[reader->unwritten].first <= position;
}

/* The context that names the owner; false when the record has none. */
static inline bool owner_context(struct spe_reader *reader, const struct spe_record *record,
				 uint32_t *context)
{
	unsigned index = reader->recording->owner_index;

	*context = record->context[index];
	if (!(record->present & (index ? SPE_HAS_CONTEXT_EL2 : SPE_HAS_CONTEXT_EL1)) ||
	    !spe_context_is_id(*context))
		return false;
	return *context || !zero_unwritten(reader, record->aux_offset);
}

static inline bool still_holds(const struct known_owner *known, struct spe_moment when)
{
	return known->valid && known->timed == when.timed &&
	       (!when.timed ||
		(when.side_ns >= known->owner.from_ns && when.side_ns < known->owner.to_ns));
}

static inline const struct spe_owner *find_owner(struct spe_reader *reader, bool present,
						 uint32_t context, struct spe_moment when)
{
	struct known_owner *known =
		present ? &reader->known[context & (KNOWN_OWNERS - 1)] : &reader->absent;

	if (still_holds(known, when) && (!present || known->context == context))
		return &known->owner;
	if (present)
		spe_owner_by_context(reader->recording, context, when, &known->owner);
	else
		spe_owner_without_context(reader->recording, reader->stream, when, &known->owner);
	known->context = context;
	known->timed = when.timed;
	known->valid = true;
	return &known->owner;
}

/* Index 0 on a host whose kernel is at EL2 is a guest's value. */
static inline void mark_guest(const struct spe_reader *reader, struct spe_sample *sample)
{
	const uint32_t both = SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2;
	const struct spe_record *record = &sample->record;

	sample->guest = SPE_GUEST_NO;
	sample->has_guest_context = false;
	sample->guest_context = 0;
	if (reader->recording->owner_index == 0)
		return;
	if (record->present & SPE_HAS_CONTEXT_EL1) {
		sample->has_guest_context = true;
		sample->guest_context = record->context[0];
	}
	if (!(record->present & SPE_HAS_EL))
		return;
	if (record->el == 1)
		sample->guest = SPE_GUEST_KERNEL;
	else if (record->el == 0 && (record->present & both) == both)
		sample->guest = SPE_GUEST_MAYBE;
}

static inline void attribute(struct spe_reader *reader, struct spe_sample *sample)
{
	const struct spe_clock *clock = &reader->recording->clock;
	const struct spe_record *record = &sample->record;
	const struct spe_owner *owner;
	struct spe_moment when = { 0 };
	uint32_t context;
	bool present;

	sample->time_ns = 0;
	sample->has_time =
		clock->usable && (record->present & SPE_HAS_TIMESTAMP) && record->timestamp;
	if (sample->has_time) {
		sample->time_ns =
			spe_clock_ns(clock, spe_clock_whole_ticks(clock, record->timestamp));
		when.timed = clock->linked;
		when.side_ns = spe_clock_side_ns(clock, sample->time_ns);
	}
	present = owner_context(reader, record, &context);
	owner = find_owner(reader, present, context, when);
	sample->pid = owner->pid;
	sample->tid = owner->tid;
	sample->process = owner->process;
	sample->comm = reader->names ? owner->comm : SPE_COMM_NONE;
	sample->evidence = owner->evidence;
	sample->cpu = reader->stream->info.cpu;
	sample->stream = reader->stream_number;
	mark_guest(reader, sample);
}

int spe_reader_next(struct spe_reader *reader, struct spe_sample *samples, size_t room,
		    size_t *count)
{
	struct spe_record_array out = { .first = samples, .stride_bytes = sizeof(*samples) };
	int status;

	*count = 0;
	if (!reader->stream || !room)
		return SPE_INVALID;
	out.room = room < reader->batch_records ? room : reader->batch_records;
	status = spe_feed_next(&reader->feed, &out);
	if (status)
		return status;
	for (size_t i = 0; i < out.count; i++)
		attribute(reader, &samples[i]);
	reader->stats = *spe_decoder_stats(reader->decoder);
	spe_decode_stats_add(&reader->stats, &reader->repeats);
	*count = out.count;
	return out.count ? SPE_OK : SPE_END;
}

const struct spe_decode_stats *spe_reader_stats(const struct spe_reader *reader)
{
	return &reader->stats;
}
