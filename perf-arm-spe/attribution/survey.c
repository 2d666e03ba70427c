/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pass 1b: the facts that lie in the trace itself.  Which context indexes and
 * exception levels there are, which runs of zero contexts nobody wrote, how
 * many contexts name tasks the side-band knows and agree with its switches,
 * and where the stream may be cut into pieces that decode by themselves.
 */
#include "survey.h"
#include "walk.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

/* What a survey looks at in a record. */
#define SURVEY_WANT (SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2 | SPE_HAS_EL | SPE_HAS_TIMESTAMP)
/* A piece is at least this long, so that there are few of them. */
#define PIECE_BYTES (1ull << 20)
/* So many records must agree before an alignment is believed. */
#define ALIGN_RECORDS 16u
/* The guess is made on the beginning of the stream. */
#define ALIGN_GUESS_RECORDS 1024u
/* PMBIDR_EL1.Align ends at 2 KiB. */
#define ALIGN_MOST 2048u

/* ---- alignment ------------------------------------------------------------------ */

struct align {
	uint64_t starts, ends; /* or-ed positions */
	uint64_t records;
};

static uint32_t lowest_bit(uint64_t bits)
{
	uint64_t low = bits & -bits;

	return !low || low > ALIGN_MOST ? ALIGN_MOST : (uint32_t)low;
}

/* The largest power of two at whose multiples all records begin, or all end; 0 when unknown. */
static uint32_t align_bytes(const struct align *align)
{
	uint32_t starts = lowest_bit(align->starts), ends = lowest_bit(align->ends);

	if (align->records < ALIGN_RECORDS)
		return 0;
	return starts > ends ? starts : ends;
}

/* ---- one stream ------------------------------------------------------------------- */

struct surveyor {
	const struct spe_recording *recording;
	struct spe_stream *stream;
	struct spe_survey *out;
	struct align align;
	struct spe_survey_run run[2];
	uint32_t known_context[2];       /* the last value looked up, ... */
	bool known[2];                   /* ... and whether some task carries it */
	struct spe_switch_answer answer; /* the last one, holds for [from, to) */
	bool use_switches;
	struct spe_walker **keep;
	const struct spe_survey_along *along; /* NULL: nothing goes along */
	struct spe_sample *waiting;           /* samples of the batch not handed on yet, ... */
	size_t waiting_count;                 /* ... so many, next to each other */
	struct spe_attributor *attributor;
	unsigned worker;
	/* the piece being made */
	size_t span;
	uint64_t piece_start;
	size_t piece_span;
	uint64_t first_ticks, last_ticks; /* of the piece; first > last when none */
};

/* Runs beyond the limit are joined: zeros between them become unknown, never wrong. */
static int run_push(spe_position_range_vec *runs, const struct spe_survey_run *run)
{
	struct spe_position_range range = { run->first, run->last };

	if (runs->count >= SPE_LIMIT_ZERO_RUNS) {
		runs->items[runs->count - 1].last = run->last;
		return SPE_OK;
	}
	return spe_vec_push(runs, &range, SPE_LIMIT_ZERO_RUNS);
}

static int run_close(struct surveyor *s, unsigned index)
{
	struct spe_survey_run *run = &s->run[index];
	int status = SPE_OK;

	if (run->zeros && run->at_el0) {
		s->out->unwritten_zeros[index] += run->zeros;
		status = run_push(&s->out->unwritten[index], run);
	}
	*run = (struct spe_survey_run){ 0 };
	return status;
}

static void run_extend(struct surveyor *s, unsigned index, const struct spe_record *record)
{
	struct spe_survey_run *run = &s->run[index];

	if (!run->zeros)
		run->first = record->aux_offset;
	run->last = record->aux_offset;
	run->zeros++;
	run->at_el0 |= (record->present & SPE_HAS_EL) && record->el == 0;
}

static bool context_known(struct surveyor *s, unsigned index, uint32_t context)
{
	if (s->known_context[index] != context) {
		s->known_context[index] = context;
		s->known[index] = spe_tasks_knows(s->recording->tasks, (int32_t)context);
	}
	return s->known[index];
}

/* What the switches say at that moment; false when they say nothing certain. */
static bool ask_switches(struct surveyor *s, const struct spe_record *record)
{
	const struct spe_clock *clock = &s->recording->clock;
	uint64_t time;

	if (!s->use_switches || !(record->present & SPE_HAS_TIMESTAMP) || !record->timestamp)
		return false;
	time = spe_clock_ns(clock, spe_clock_whole_ticks(clock, record->timestamp));
	time = spe_clock_side_ns(clock, time);
	if (time < s->answer.from_ns || time >= s->answer.to_ns) {
		if (spe_switches_find(s->recording->switches, s->stream->info.cpu, time,
				      &s->answer))
			s->answer.evidence = SPE_EVIDENCE_NONE;
	}
	if (s->answer.evidence != SPE_EVIDENCE_SWITCH || s->answer.in_window)
		return false;
	return time - s->answer.from_ns >= clock->slack_ns &&
	       s->answer.to_ns - time > clock->slack_ns;
}

static void see_el0(struct surveyor *s, struct spe_survey_el0 *el0, const struct spe_record *record)
{
	if (!(record->present & SPE_HAS_EL) || record->el || !ask_switches(s, record))
		return;
	el0->asked++;
	el0->at_zero += s->answer.tid == 0;
}

static inline int see_context(struct surveyor *s, unsigned index, const struct spe_record *record)
{
	struct spe_survey_contexts *counts = &s->out->contexts[index];
	uint32_t context = record->context[index];
	bool switches;

	if (context == SPE_CONTEXT_NONE)
		return SPE_OK;
	switches = ask_switches(s, record);
	if (!context) {
		counts->zero++;
		counts->zero_agree += switches && s->answer.tid == 0;
		counts->zero_disagree += switches && s->answer.tid != 0;
		see_el0(s, &counts->zero_el0, record);
		run_extend(s, index, record);
		return SPE_OK;
	}
	counts->nonzero++;
	counts->unknown += !context_known(s, index, context);
	counts->agree += switches && s->answer.tid == (int32_t)context;
	counts->disagree += switches && s->answer.tid != (int32_t)context;
	return s->run[index].zeros ? run_close(s, index) : SPE_OK;
}

/* Bits of the index into the counts of context packets: those of `present`, moved down. */
#define CONTEXT_SHIFT 5u
_Static_assert(SPE_HAS_CONTEXT_EL1 == 1u << CONTEXT_SHIFT &&
		       SPE_HAS_CONTEXT_EL2 == 2u << CONTEXT_SHIFT,
	       "the two bits are neighbours");

/* Records with the same of these and the same contexts are looked at as one. */
#define RUN_BITS (SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2 | SPE_HAS_EL)

/* What is told of the ticks of some records. */
struct tick_span {
	uint64_t
		before_first; /* the first less one: absent ones, which are zero, become the last */
	uint64_t last;
	uint64_t before_any; /* or-ed: with the top bit some may be absent */
};

#define NO_TICKS ((struct tick_span){ .before_first = UINT64_MAX })

/* Records of a batch next to each other. */
struct record_run {
	char *first;
	size_t stride_bytes, count;
	uint64_t at_el1, at_el2; /* so many of them */
	struct tick_span ticks;
};

static int see_run_contexts(struct surveyor *s, unsigned index, const struct record_run *run)
{
	const struct spe_record *first = (const struct spe_record *)run->first;
	struct spe_survey_contexts *counts = &s->out->contexts[index];
	uint32_t context = first->context[index];
	int status = SPE_OK;

	if (context == SPE_CONTEXT_NONE)
		return SPE_OK;
	if (context && !s->use_switches) {
		counts->nonzero += run->count;
		counts->unknown += context_known(s, index, context) ? 0 : run->count;
		return s->run[index].zeros ? run_close(s, index) : SPE_OK;
	}
	for (size_t i = 0; i < run->count && !status; i++)
		status = see_context(
			s, index, (const struct spe_record *)(run->first + i * run->stride_bytes));
	return status;
}

/* Records without a context. */
static void see_bare(struct surveyor *s, const struct record_run *run)
{
	for (size_t i = 0; i < run->count; i++)
		see_el0(s, &s->out->bare_el0,
			(const struct spe_record *)(run->first + i * run->stride_bytes));
}

static int survey_run(struct surveyor *s, const struct record_run *run)
{
	const struct spe_record *first = (const struct spe_record *)run->first;
	struct spe_stream_info *info = &s->stream->info;
	unsigned contexts = first->present >> CONTEXT_SHIFT & 3;
	int status = SPE_OK;

	info->without_context += contexts ? 0 : run->count;
	info->with_el1_context += contexts & 1 ? run->count : 0;
	info->with_el2_context += contexts & 2 ? run->count : 0;
	info->with_both_contexts += contexts == 3 ? run->count : 0;
	s->out->el2_by_index0 += contexts == 1 ? run->at_el2 : 0;
	if (!(first->present & SPE_HAS_EL))
		info->at_el[0] -= run->count; /* an absent level is zero, and was counted */
	if (!contexts && s->use_switches)
		see_bare(s, run);
	if (contexts & 1)
		status = see_run_contexts(s, 0, run);
	if (!status && contexts & 2)
		status = see_run_contexts(s, 1, run);
	return status;
}

/* Hand the records that wait on as samples; what is done with them is no concern of the survey. */
static int send_waiting(struct surveyor *s)
{
	const struct spe_companion *companion = s->along->companion;
	size_t count = s->waiting_count;

	s->waiting_count = 0;
	if (!count || atomic_load_explicit(&s->along->off, memory_order_relaxed))
		return SPE_OK;
	spe_attributor_batch(s->attributor, s->waiting, count);
	return companion->batch(companion->arg, s->worker, s->waiting, count);
}

/* All that a batch of one sample costs pays off for a run of so many. */
#define RUN_LEAST 6u

/* A run of one owner, if nobody looks at more than that, goes as one; others wait. */
static int send_run(struct surveyor *s, const struct record_run *run)
{
	const struct spe_companion *companion = s->along->companion;
	struct spe_sample *samples = (struct spe_sample *)run->first, sample;
	const struct spe_attribute_run all = { .first_ticks = run->ticks.before_first + 1,
					       .last_ticks = run->ticks.last,
					       .at_el1 = run->at_el1 };
	int status;

	if (!companion->run || run->count < RUN_LEAST || run->ticks.before_any >> 63 ||
	    !spe_attributor_run(s->attributor, samples, &all, &sample)) {
		if (!s->waiting_count)
			s->waiting = samples;
		s->waiting_count += run->count;
		return SPE_OK;
	}
	status = send_waiting(s);
	if (status || atomic_load_explicit(&s->along->off, memory_order_relaxed))
		return status;
	return companion->run(companion->arg, s->worker, &sample, run->count);
}

static int see_run(struct surveyor *s, const struct record_run *run)
{
	int status = survey_run(s, run);
	uint64_t before_first = run->ticks.before_first;

	if (before_first < s->first_ticks - 1)
		s->first_ticks = before_first + 1;
	if (run->ticks.last > s->last_ticks)
		s->last_ticks = run->ticks.last;
	return status || !s->along ? status : send_run(s, run);
}

/* Both contexts in a word. */
static inline uint64_t both_contexts(const struct spe_record *r)
{
	uint64_t both;

	memcpy(&both, r->context, sizeof(both));
	return both;
}

/* What every record of a batch adds to, kept in registers. */
struct sums {
	uint64_t starts, ends; /* as in struct align */
	uint64_t levels;       /* records at each, 16 bits for each */
	struct tick_span ticks;
};

#define LEVEL_BITS 16u
_Static_assert(SPE_WALK_BATCH < 1u << LEVEL_BITS, "a batch fits a count");

static inline uint64_t at_level(uint64_t levels, unsigned el)
{
	return levels >> (el * LEVEL_BITS) & ((1u << LEVEL_BITS) - 1);
}

/* No branches: every record comes here. */
static inline void add_record(struct sums *sums, const struct spe_record *r, uint64_t ticks)
{
	struct tick_span *span = &sums->ticks;
	uint64_t before = ticks - 1;

	span->before_first = before < span->before_first ? before : span->before_first;
	span->last = ticks > span->last ? ticks : span->last;
	span->before_any |= before;
	sums->starts |= r->aux_offset;
	sums->ends |= r->aux_offset + r->length_bytes;
	sums->levels += UINT64_C(1) << ((r->el & 3) * LEVEL_BITS);
}

/* All of a batch, cut into runs; whole: ticks are, as in most recordings. */
static inline __attribute__((always_inline)) int add_records(struct surveyor *s,
							     const struct spe_record_array *records,
							     struct sums *sums, bool whole)
{
	const struct spe_clock *clock = &s->recording->clock;
	const size_t stride = records->stride_bytes;
	char *at = records->first, *end = at + records->count * stride, *from = at;
	const struct spe_record *r = records->first;
	uint64_t contexts = both_contexts(r), levels = 0, ticks;
	uint32_t present = r->present;
	int status = SPE_OK;

	for (;; at += stride) {
		r = (const struct spe_record *)at;
		if (at == end || both_contexts(r) != contexts ||
		    (r->present ^ present) & RUN_BITS) {
			struct record_run run = { from,
						  stride,
						  (size_t)(at - from) / stride,
						  at_level(sums->levels - levels, 1),
						  at_level(sums->levels - levels, 2),
						  sums->ticks };

			status = see_run(s, &run);
			if (status || at == end)
				return status;
			from = at;
			contexts = both_contexts(r);
			present = r->present;
			levels = sums->levels;
			sums->ticks = NO_TICKS;
		}
		ticks = r->timestamp;
		if (!whole && ticks)
			ticks = spe_clock_whole_ticks(clock, ticks);
		add_record(sums, r, ticks);
	}
}

static int survey_records(struct surveyor *s, const struct spe_record_array *records)
{
	struct sums sums = { .ticks = NO_TICKS };
	int status = s->recording->clock.conv.cap_short ? add_records(s, records, &sums, false)
							: add_records(s, records, &sums, true);

	s->align.starts |= sums.starts;
	s->align.ends |= sums.ends;
	s->align.records += records->count;
	for (unsigned el = 0; el < 4; el++)
		s->stream->info.at_el[el] += at_level(sums.levels, el);
	return status || !s->along ? status : send_waiting(s);
}

/* ---- pieces -------------------------------------------------------------------------- */

static uint64_t bytes_between(const struct spe_stream *stream, size_t span, uint64_t start,
			      uint64_t end, size_t *last_span)
{
	uint64_t sum = 0;

	for (; span < stream->spans.count && stream->spans.items[span].position < end; span++) {
		const struct spe_span *at = &stream->spans.items[span];
		uint64_t from = start > at->position ? start : at->position;
		uint64_t to = at->position + at->bytes;

		sum += (to < end ? to : end) - from;
		*last_span = span;
	}
	return sum;
}

/* The piece so far ends at `end`, where the next one begins. */
static int piece_close(struct surveyor *s, uint64_t end)
{
	struct spe_survey *out = s->out;
	struct spe_piece_extent extent = { .span = s->piece_span,
					   .start = s->piece_start,
					   .end = end,
					   .carries_repeats = !out->pieces.count };
	size_t last = s->piece_span;
	int status;

	extent.piece.bytes = bytes_between(s->stream, s->piece_span, s->piece_start, end, &last);
	extent.piece.first_chunk = s->piece_span;
	extent.piece.chunk_count = last - s->piece_span + 1;
	if (s->first_ticks <= s->last_ticks) {
		out->any_time = true;
		if (s->recording->clock.usable) {
			extent.piece.first_ns = spe_clock_ns(&s->recording->clock, s->first_ticks);
			extent.piece.last_ns = spe_clock_ns(&s->recording->clock, s->last_ticks);
		}
	}
	status = spe_vec_push(&out->pieces, &extent, SPE_LIMIT_AUX_CHUNKS);
	s->piece_start = end;
	s->piece_span = s->span;
	s->first_ticks = UINT64_MAX;
	s->last_ticks = 0;
	return status;
}

/*
 * Where the stream may be cut in this batch, if it is time to; else `count`.
 * Where nothing was dropped around it, a record begins the same way in any
 * decoder that starts there.
 */
static size_t piece_cut(struct surveyor *s, const struct spe_record_array *records)
{
	size_t count = records->count, cut = 1;

	if (count < 2 || spe_walk_at(records, count - 1)->aux_offset - s->piece_start < PIECE_BYTES)
		return count;
	while (spe_walk_at(records, cut)->aux_offset - s->piece_start < PIECE_BYTES)
		cut++;
	while (s->span + 1 < s->stream->spans.count &&
	       s->stream->spans.items[s->span + 1].position <=
		       spe_walk_at(records, cut)->aux_offset)
		s->span++;
	return cut;
}

static int survey_parts(struct surveyor *s, const struct spe_record_array *records, size_t cut)
{
	struct spe_record_array before = spe_walk_part(records, 0, cut);
	struct spe_record_array after = spe_walk_part(records, cut, records->count - cut);
	int status = survey_records(s, &before);

	if (!status)
		status = piece_close(s, spe_walk_at(records, cut)->aux_offset);
	return status ? status : survey_records(s, &after);
}

static int survey_batch(void *arg, const struct spe_record_array *records, bool clean)
{
	struct surveyor *s = arg;
	size_t cut = clean ? piece_cut(s, records) : records->count;

	return cut == records->count ? survey_records(s, records) : survey_parts(s, records, cut);
}

/* ---- the stream as a whole --------------------------------------------------------------- */

static void survey_reset(struct spe_survey *out, struct spe_stream_info *info)
{
	spe_survey_clear(out);
	info->with_el1_context = info->with_el2_context = 0;
	info->with_both_contexts = info->without_context = 0;
	memset(info->at_el, 0, sizeof(info->at_el));
}

static struct surveyor begin(const struct spe_recording *recording, struct spe_stream *stream,
			     struct spe_survey *out)
{
	survey_reset(out, &stream->info);
	return (struct surveyor){
		.recording = recording,
		.stream = stream,
		.out = out,
		.first_ticks = UINT64_MAX,
		.use_switches = !stream->doubtful && recording->clock.linked &&
				stream->info.cpu >= 0 &&
				spe_switches_have(recording->switches, SPE_EVIDENCE_SWITCH),
	};
}

static int close_runs(struct surveyor *s)
{
	int status = run_close(s, 0);

	return status ? status : run_close(s, 1);
}

static int survey_once(struct surveyor *s, uint32_t *align)
{
	struct spe_walk_opts opts = { .want = SURVEY_WANT, .keep = s->keep };
	struct spe_stream *stream = s->stream;
	const struct spe_span *last;
	int status;

	if (!stream->spans.count)
		return SPE_OK;
	if (s->along) {
		uint32_t want = s->along->companion->want;

		opts.want = want ? want | SURVEY_WANT | SPE_ATTRIBUTE_WANT : 0;
		opts.samples = true;
	}
	s->piece_start = stream->spans.items[0].position;
	status = spe_walk_stream(s->recording, stream, opts, survey_batch, s, &stream->info.decode);
	if (status)
		return status;
	last = &stream->spans.items[stream->spans.count - 1];
	status = piece_close(s, last->position + last->bytes);
	if (!status)
		status = close_runs(s);
	*align = align_bytes(&s->align);
	return status;
}

/*
 * Resynchronisation uses the alignment, so survey and pass 2 must decode with
 * the same one: guess it, look at all records, and start over if one of them
 * contradicts.  It only gets smaller, so that ends.
 */
int spe_survey_stream(const struct spe_recording *recording, size_t number, struct spe_survey *out,
		      struct spe_survey_along *along, unsigned worker, struct spe_walker **keep)
{
	struct spe_stream *stream = recording->streams[number];
	uint32_t seen = 0;
	int status = SPE_OK;

	while (!status) {
		struct surveyor s = begin(recording, stream, out);

		s.keep = keep;
		if (along) {
			s.along = along;
			s.worker = worker;
			s.attributor = &along->attributors[worker];
			spe_attributor_start(s.attributor, (uint32_t)number, 0);
		}
		status = survey_once(&s, &seen);
		if (seen >= stream->decode_align)
			break;
		stream->decode_align = seen;
		if (along)
			atomic_store(&along->off, true);
	}
	stream->info.align_bytes = seen;
	return status;
}

static int sample_batch(void *arg, const struct spe_record_array *records, bool clean)
{
	struct surveyor *s = arg;
	int status = survey_records(s, records);

	(void)clean;
	return !status && s->align.records >= ALIGN_GUESS_RECORDS ? SPE_END : status;
}

int spe_survey_sample(const struct spe_recording *recording, struct spe_stream *stream,
		      struct spe_survey *out, struct spe_walker **keep)
{
	struct surveyor s = begin(recording, stream, out);
	const struct spe_walk_opts opts = { .want = SURVEY_WANT, .keep = keep };
	int status;

	stream->decode_align = 0;
	status = spe_walk_stream(recording, stream, opts, sample_batch, &s, NULL);
	if (!status)
		status = close_runs(&s);
	stream->decode_align = align_bytes(&s.align);
	return status;
}

void spe_survey_clear(struct spe_survey *survey)
{
	free(survey->pieces.items);
	free(survey->unwritten[0].items);
	free(survey->unwritten[1].items);
	memset(survey, 0, sizeof(*survey));
}
