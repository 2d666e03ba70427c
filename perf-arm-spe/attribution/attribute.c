/* SPDX-License-Identifier: GPL-2.0-only */
#include "attribute.h"

#include <stddef.h>

/* The part is copied as a whole. */
#define PART_OFFSET offsetof(struct spe_sample, pid)
#define SAME_PLACE(field)                                                                          \
	_Static_assert(offsetof(struct spe_sample, field) ==                                       \
			       PART_OFFSET + offsetof(struct spe_sample_part, field),              \
		       "a part is like the end of a sample")
SAME_PLACE(pid);
SAME_PLACE(tid);
SAME_PLACE(comm);
SAME_PLACE(cpu);
SAME_PLACE(stream);
SAME_PLACE(process);
SAME_PLACE(guest_context);
SAME_PLACE(evidence);
SAME_PLACE(guest);
SAME_PLACE(has_time);
SAME_PLACE(has_guest_context);
_Static_assert(sizeof(struct spe_sample) == PART_OFFSET + sizeof(struct spe_sample_part),
	       "a part is like the end of a sample");

void spe_attributor_init(struct spe_attributor *attributor, const struct spe_recording *recording,
			 bool names)
{
	memset(attributor, 0, sizeof(*attributor));
	attributor->recording = recording;
	attributor->names = names;
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

void spe_attributor_start(struct spe_attributor *attributor, uint32_t stream, uint64_t position)
{
	const struct spe_stream *next = attributor->recording->streams[stream];

	if (attributor->stream != next)
		attributor->absent.valid = false;
	attributor->stream = next;
	attributor->stream_number = stream;
	attributor->unwritten = first_unwritten(next, position);
}

/* Did nobody write the zero this record carries? */
static bool zero_unwritten(struct spe_attributor *a, uint64_t position)
{
	const struct spe_stream *stream = a->stream;

	if (!a->recording->facts.zero_is_idle)
		return true;
	while (a->unwritten < stream->unwritten.count &&
	       stream->unwritten.items[a->unwritten].last < position)
		a->unwritten++;
	return a->unwritten < stream->unwritten.count &&
	       stream->unwritten.items[a->unwritten].first <= position;
}

/* What is the same for a whole batch, kept in registers. */
struct batch {
	struct spe_clock clock;
	unsigned index;
	int32_t cpu;
	uint32_t stream;
};

/* The context that names the owner; false when the record has none. */
static inline bool owner_context(struct spe_attributor *a, unsigned index,
				 const struct spe_record *record, uint32_t *context)
{
	*context = record->context[index];
	if (!(record->present & (index ? SPE_HAS_CONTEXT_EL2 : SPE_HAS_CONTEXT_EL1)) ||
	    !spe_context_is_id(*context))
		return false;
	return *context || !zero_unwritten(a, record->aux_offset);
}

static inline bool still_holds(const struct spe_known_owner *known, struct spe_moment when)
{
	return known->valid && known->timed == when.timed &&
	       (!when.timed || when.side_ns - known->from_ns < known->span_ns);
}

static __attribute__((noinline)) void learn_owner(struct spe_attributor *a,
						  struct spe_known_owner *known, bool present,
						  uint32_t context, struct spe_moment when)
{
	struct spe_owner owner;

	if (present)
		spe_owner_by_context(a->recording, context, when, &owner);
	else
		spe_owner_without_context(a->recording, a->stream, when, &owner);
	*known = (struct spe_known_owner){ .from_ns = owner.from_ns,
					   .span_ns = owner.to_ns - owner.from_ns,
					   .context = context,
					   .valid = true,
					   .timed = when.timed };
	if (when.timed && context)
		known->quick_ns = known->span_ns;
	known->part.pid = owner.pid;
	known->part.tid = owner.tid;
	known->part.comm = a->names ? owner.comm : SPE_COMM_NONE;
	known->part.process = owner.process;
	known->part.evidence = owner.evidence;
	known->part.has_time = when.timed;
}

static inline const struct spe_known_owner *find_owner(struct spe_attributor *a, bool present,
						       uint32_t context, struct spe_moment when)
{
	struct spe_known_owner *known =
		present ? &a->known[context & (SPE_KNOWN_OWNERS - 1)] : &a->absent;

	if (__builtin_expect(!still_holds(known, when) || (present && known->context != context),
			     0))
		learn_owner(a, known, present, context, when);
	return known;
}

/* Index 0 on a host whose kernel is at EL2 is a guest's value. */
static inline void mark_guest(struct spe_sample *sample)
{
	const uint32_t both = SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2;
	const struct spe_record *record = &sample->record;

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

static inline struct spe_moment tell_time(const struct spe_clock *clock, struct spe_sample *sample)
{
	const struct spe_record *record = &sample->record;
	struct spe_moment when = { 0 };
	uint64_t ns;

	if (!clock->usable || !(record->present & SPE_HAS_TIMESTAMP) || !record->timestamp) {
		sample->time_ns = 0;
		sample->has_time = false;
		return when;
	}
	ns = spe_clock_ns(clock, spe_clock_whole_ticks(clock, record->timestamp));
	sample->time_ns = ns;
	sample->has_time = true;
	when.timed = clock->linked;
	when.side_ns = spe_clock_side_ns(clock, ns);
	return when;
}

static __attribute__((noinline)) void attribute(struct spe_attributor *a, const struct batch *batch,
						struct spe_sample *sample)
{
	const struct spe_known_owner *owner;
	struct spe_moment when;
	uint32_t context;
	bool present, has_time;

	when = tell_time(&batch->clock, sample);
	has_time = sample->has_time;
	present = owner_context(a, batch->index, &sample->record, &context);
	owner = find_owner(a, present, context, when);
	memcpy((char *)sample + PART_OFFSET, &owner->part, sizeof(owner->part));
	sample->cpu = batch->cpu;
	sample->stream = batch->stream;
	sample->has_time = has_time;
	if (batch->index)
		mark_guest(sample);
}

/*
 * Nearly every sample: a context that is an id and not idle's, a time, an owner that is
 * remembered.  What is absent is zero, and no such owner is quick.
 */
static inline __attribute__((always_inline)) bool
attribute_quickly(struct spe_attributor *a, const struct batch *batch, struct spe_sample *sample)
{
	uint32_t context = sample->record.context[batch->index];
	const struct spe_known_owner *known = &a->known[context & (SPE_KNOWN_OWNERS - 1)];
	uint64_t ticks = sample->record.timestamp, ns = spe_clock_ns(&batch->clock, ticks);

	if (known->context != context || !ticks ||
	    spe_clock_side_ns(&batch->clock, ns) - known->from_ns >= known->quick_ns)
		return false;
	sample->time_ns = ns;
	memcpy((char *)sample + PART_OFFSET, &known->part, sizeof(known->part));
	sample->cpu = batch->cpu;
	sample->stream = batch->stream;
	if (batch->index)
		mark_guest(sample);
	return true;
}

/* One loop for each index and clocks as nearly all are: what is known folds away. */
static inline __attribute__((always_inline)) void attribute_all(struct spe_attributor *a,
								struct batch batch,
								struct spe_sample *samples,
								size_t count)
{
	batch.clock.conv.cap_short = false;
	batch.clock.drift = 0;
	for (size_t i = 0; i < count; i++)
		if (__builtin_expect(!attribute_quickly(a, &batch, &samples[i]), 0))
			attribute(a, &batch, &samples[i]);
}

static inline struct batch begin_batch(const struct spe_attributor *a)
{
	return (struct batch){ .clock = a->recording->clock,
			       .index = a->recording->owner_index,
			       .cpu = a->stream->info.cpu,
			       .stream = a->stream_number };
}

static inline bool is_plain(const struct spe_clock *clock)
{
	return clock->usable && clock->linked && !clock->conv.cap_short && clock->drift == 0;
}

void spe_attributor_batch(struct spe_attributor *attributor, struct spe_sample *samples,
			  size_t count)
{
	struct batch batch = begin_batch(attributor);

	if (!is_plain(&batch.clock)) {
		for (size_t i = 0; i < count; i++)
			attribute(attributor, &batch, &samples[i]);
	} else if (batch.index == 0) {
		batch.index = 0;
		attribute_all(attributor, batch, samples, count);
	} else {
		batch.index = 1;
		attribute_all(attributor, batch, samples, count);
	}
}

/* Nothing but the owner tells such samples apart: no guest has to do with them. */
static bool is_host_code(const struct spe_attributor *a, const struct spe_record *record,
			 const struct spe_attribute_run *run)
{
	return a->recording->owner_index == 0 ||
	       (!run->at_el1 && !(record->present & SPE_HAS_CONTEXT_EL1));
}

bool spe_attributor_run(struct spe_attributor *attributor, struct spe_sample *samples,
			const struct spe_attribute_run *run, struct spe_sample *sample)
{
	struct batch batch = begin_batch(attributor);
	const struct spe_clock *clock = &batch.clock;
	const struct spe_known_owner *known;
	uint32_t context = samples->record.context[batch.index];
	uint64_t first, last;

	/* what is between two times that near is between what they convert to */
	if (!is_plain(clock) || run->last_ticks - run->first_ticks > UINT32_MAX ||
	    !is_host_code(attributor, &samples->record, run))
		return false;
	attribute(attributor, &batch, samples);
	known = &attributor->known[context & (SPE_KNOWN_OWNERS - 1)];
	first = spe_clock_side_ns(clock, spe_clock_ns(clock, run->first_ticks)) - known->from_ns;
	last = spe_clock_side_ns(clock, spe_clock_ns(clock, run->last_ticks)) - known->from_ns;
	if (known->context != context || first > last || last >= known->quick_ns)
		return false;
	*sample = *samples;
	sample->time_ns = spe_clock_ns(clock, run->last_ticks);
	return true;
}
