/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf record -k CLOCK puts another clock into the side-band than TIME_CONV
 * gives.  (CLOCK_DATA does not help: it ties that clock to the wall's, not to
 * the perf clock.)  What lines the two up:
 *
 * An AUX record is written when the hardware has stopped, so all records in its
 * range are older; and those of the next range, like those after ITRACE_START,
 * are younger.  Every range so bounds the offset from both sides.
 *
 * Where records carry contexts and the side-band has switches, the offset under
 * which the two agree most is narrower still, and found early, in the middle
 * and late it shows how the clocks drift.
 */
#include "walk.h"
#include "../base/order.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

/* An offset that may be off by more is none: tasks live and switch within milliseconds. */
#define MOST_SLACK_NS 5000000u
/* Records compared with switches: of all streams, and of one. */
#define SAMPLES_IN_ALL 8192u
#define SAMPLES_LEAST 64u
#define SAMPLES_MOST 4096u
/* NTP bends a clock by this much at most. */
#define MOST_DRIFT 500e-6
/* The recording is looked at in so many parts, which need so many samples each. */
#define PARTS 3
#define PART_SAMPLES 16u
/* How often and into how many steps the span of the offset is cut. */
#define ROUNDS 4
#define STEPS 32
/* Agreement of at least 9 in 10 makes a step believable. */
#define AGREE_OF 10u
#define AGREE_LEAST 9u

struct bounds {
	int64_t low, high; /* of the offset */
	int64_t widest;    /* largest span one range alone leaves */
	bool has_low, has_high;
};

struct link_sample {
	uint64_t time_ns; /* perf clock */
	int32_t tid;
	int32_t cpu;
};

struct link_walk {
	struct spe_recording *recording;
	const struct spe_stream *stream;
	size_t range;         /* being walked */
	uint64_t first, last; /* perf clock, of the records in it; first > last: none */
	uint64_t before_ns;   /* side-band time of what was written before it */
	struct bounds bounds;
	uint64_t oldest, youngest; /* perf clock, of all records */
	uint64_t records, every;   /* sampling */
	size_t most_samples;
	SPE_VEC(struct link_sample) samples;
};

/* ---- bounds from AUX records ------------------------------------------------------ */

static void bound(struct bounds *b, bool has_low, int64_t low, bool has_high, int64_t high)
{
	if (has_low && (!b->has_low || low > b->low))
		b->low = low;
	if (has_high && (!b->has_high || high < b->high))
		b->high = high;
	b->has_low |= has_low;
	b->has_high |= has_high;
	if (has_low && has_high && high - low > b->widest)
		b->widest = high - low;
}

/* A range is over: its records are older than its AUX record, younger than the one before. */
static void range_close(struct link_walk *w)
{
	const struct spe_aux_range *range = &w->stream->ranges.items[w->range];
	bool timed = range->has_time && range->time_ns;

	if (w->first <= w->last)
		bound(&w->bounds, w->before_ns != 0, (int64_t)(w->before_ns - w->first), timed,
		      (int64_t)(range->time_ns - w->last));
	if (timed)
		w->before_ns = range->time_ns;
	w->first = UINT64_MAX;
	w->last = 0;
	w->range++;
}

static void see_time(struct link_walk *w, const struct spe_record *record, uint64_t time_ns)
{
	while (w->range < w->stream->ranges.count) {
		const struct spe_aux_range *range = &w->stream->ranges.items[w->range];

		if (record->aux_offset < range->offset + range->size)
			break;
		range_close(w);
	}
	if (w->range == w->stream->ranges.count ||
	    record->aux_offset < w->stream->ranges.items[w->range].offset)
		return;
	if (time_ns < w->first)
		w->first = time_ns;
	if (time_ns > w->last)
		w->last = time_ns;
}

/* Keep an even sample: when it is full, every other one goes and half as many come. */
static int see_context(struct link_walk *w, uint32_t context, uint64_t time_ns)
{
	struct link_sample sample = { time_ns, (int32_t)context, w->stream->info.cpu };

	if (w->records++ % w->every)
		return SPE_OK;
	if (w->samples.count == w->most_samples) {
		for (size_t i = 0; i < w->most_samples / 2; i++)
			w->samples.items[i] = w->samples.items[2 * i];
		w->samples.count = w->most_samples / 2;
		w->every *= 2;
	}
	return spe_vec_push(&w->samples, &sample, w->most_samples);
}

static int link_batch(void *arg, const struct spe_record_array *records, bool clean)
{
	struct link_walk *w = arg;
	const struct spe_clock *clock = &w->recording->clock;
	unsigned index = w->recording->owner_index;
	uint32_t bit = index ? SPE_HAS_CONTEXT_EL2 : SPE_HAS_CONTEXT_EL1;
	int status = SPE_OK;

	(void)clean;
	for (size_t i = 0; i < records->count && !status; i++) {
		const struct spe_record *record = spe_walk_at(records, i);
		uint32_t context = record->context[index];
		uint64_t ns;

		if (!(record->present & SPE_HAS_TIMESTAMP) || !record->timestamp)
			continue;
		ns = spe_clock_ns(clock, spe_clock_whole_ticks(clock, record->timestamp));
		w->oldest = ns < w->oldest ? ns : w->oldest;
		w->youngest = ns > w->youngest ? ns : w->youngest;
		if (!w->stream->info.overwrites)
			see_time(w, record, ns);
		if ((record->present & bit) && context && context <= INT32_MAX)
			status = see_context(w, context, ns);
	}
	return status;
}

struct link_job {
	struct spe_recording *recording;
	struct link_walk *walks;
};

static int link_stream(void *arg, unsigned worker, size_t i)
{
	struct link_job *job = arg;
	struct link_walk *w = &job->walks[i];
	const struct spe_walk_opts walk = { .want = SPE_HAS_TIMESTAMP | SPE_HAS_CONTEXT_EL1 |
						    SPE_HAS_CONTEXT_EL2 };
	int status;

	(void)worker;
	w->recording = job->recording;
	w->stream = job->recording->streams[i];
	w->first = UINT64_MAX;
	w->before_ns = w->stream->start_ns;
	w->oldest = UINT64_MAX;
	w->every = 1;
	w->most_samples = SAMPLES_IN_ALL / job->recording->stream_count;
	if (w->most_samples < SAMPLES_LEAST)
		w->most_samples = SAMPLES_LEAST;
	if (w->most_samples > SAMPLES_MOST)
		w->most_samples = SAMPLES_MOST;
	if (w->stream->doubtful)
		return SPE_OK;
	status = spe_walk_stream(job->recording, w->stream, walk, link_batch, w, NULL);
	while (!status && w->range < w->stream->ranges.count)
		range_close(w);
	return status;
}

/* ---- agreement of contexts and switches ------------------------------------------------ */

/* A part of the recording, and the offset found there. */
struct part {
	size_t first, count; /* of the samples */
	uint64_t middle;     /* of their times */
	int64_t low, high;   /* of the offset at the clock's origin, with its drift */
};

struct fit {
	const struct spe_recording *recording;
	struct spe_clock clock;              /* with the drift found so far */
	SPE_VEC(struct link_sample) samples; /* of all streams, by time */
};

static int sample_order(const void *a, const void *b)
{
	const struct link_sample *x = a, *y = b;

	SPE_ORDER(x->time_ns, y->time_ns);
	SPE_ORDER(x->cpu, y->cpu);
	return 0;
}

static int gather_samples(struct fit *fit, const struct link_walk *walks)
{
	size_t most = SAMPLES_LEAST * (size_t)SPE_LIMIT_STREAMS + SAMPLES_IN_ALL;
	int status = SPE_OK;

	for (size_t i = 0; i < fit->recording->stream_count; i++) {
		for (size_t j = 0; j < walks[i].samples.count && !status; j++)
			if (walks[i].samples.items[j].cpu >= 0)
				status = spe_vec_push(&fit->samples, &walks[i].samples.items[j],
						      most);
	}
	if (fit->samples.count)
		qsort(fit->samples.items, fit->samples.count, sizeof(*fit->samples.items),
		      sample_order);
	return status;
}

/* How many samples of a part agree with the switches under an offset. */
static void agreement(const struct fit *fit, const struct part *part, int64_t offset,
		      uint64_t *agree, uint64_t *all)
{
	struct spe_clock clock = fit->clock;

	clock.offset_ns = offset;
	*agree = *all = 0;
	for (size_t i = part->first; i < part->first + part->count; i++) {
		const struct link_sample *s = &fit->samples.items[i];
		struct spe_switch_answer answer;

		if (spe_switches_find(fit->recording->switches, s->cpu,
				      spe_clock_side_ns(&clock, s->time_ns), &answer) ||
		    answer.evidence != SPE_EVIDENCE_SWITCH)
			continue;
		++*all;
		*agree += !answer.in_window && answer.tid == s->tid;
	}
}

/*
 * Cut a part's span of the offset into steps and keep those around the ones
 * with the most agreement.  false: contexts and switches do not agree well anywhere.
 */
static bool narrow_once(const struct fit *fit, struct part *part)
{
	int64_t step = (part->high - part->low) / STEPS + 1, low = part->low;
	uint64_t most = 0, all = 0;

	for (int i = 0; i <= STEPS; i++) {
		uint64_t agree, compared;

		agreement(fit, part, low + i * step, &agree, &compared);
		if (agree > most) {
			most = agree;
			all = compared;
			part->low = low + (i - 1) * step;
		}
		if (agree == most)
			part->high = low + (i + 1) * step;
	}
	return most >= PART_SAMPLES && most * AGREE_OF >= all * AGREE_LEAST;
}

static bool narrow_part(const struct fit *fit, struct part *part, int64_t low, int64_t high)
{
	part->low = low;
	part->high = high;
	for (int i = 0; i < ROUNDS; i++) {
		if (!narrow_once(fit, part))
			return false;
	}
	return true;
}

static int64_t middle_of(const struct part *part)
{
	return part->low + (part->high - part->low) / 2;
}

/* As many samples to each part; where they lie on average. */
static void cut_parts(const struct fit *fit, struct part *parts)
{
	const struct link_sample *samples = fit->samples.items;

	for (size_t i = 0; i < PARTS; i++) {
		struct part *part = &parts[i];
		uint64_t sum = 0;

		part->first = fit->samples.count * i / PARTS;
		part->count = fit->samples.count * (i + 1) / PARTS - part->first;
		for (size_t j = part->first; j < part->first + part->count; j++)
			sum += samples[j].time_ns - samples[part->first].time_ns;
		part->middle = samples[part->first].time_ns + sum / part->count;
	}
}

/* The offset in each part of the recording, within [low, high]. */
static bool fit_parts(const struct fit *fit, struct part *parts, int64_t low, int64_t high)
{
	for (int i = 0; i < PARTS; i++) {
		if (!narrow_part(fit, &parts[i], low, high))
			return false;
	}
	return parts[PARTS - 1].middle > parts[0].middle;
}

/* The line through the first and the last part, and how far off it the parts are. */
static void take_line(struct spe_clock *clock, const struct part *parts)
{
	const struct part *first = &parts[0], *last = &parts[PARTS - 1];
	double drift = (double)(middle_of(last) - middle_of(first)) /
		       (double)(last->middle - first->middle);
	int64_t worst = 0;

	clock->offset_ns = middle_of(first) +
			   (int64_t)(drift * (double)(int64_t)(clock->origin_ns - first->middle));
	for (int i = 0; i < PARTS; i++) {
		int64_t line =
			clock->offset_ns +
			(int64_t)(drift * (double)(int64_t)(parts[i].middle - clock->origin_ns));
		int64_t off =
			llabs(middle_of(&parts[i]) - line) + (parts[i].high - parts[i].low) / 2;

		worst = off > worst ? off : worst;
	}
	clock->drift += drift;
	clock->slack_ns = (uint64_t)worst + 1;
}

/* Line the clocks up by contexts and switches, if they can. */
static void fit_contexts(struct spe_recording *recording, struct fit *fit, int64_t low,
			 int64_t high)
{
	struct part parts[PARTS];

	if (fit->samples.count < PARTS * PART_SAMPLES)
		return;
	cut_parts(fit, parts);
	/* once without a drift to find it, once with it to see what is left */
	for (int round = 0; round < 2; round++) {
		if (!fit_parts(fit, parts, low, high))
			return;
		take_line(&fit->clock, parts);
	}
	if (fit->clock.drift > 2 * MOST_DRIFT || fit->clock.drift < -2 * MOST_DRIFT ||
	    fit->clock.slack_ns > MOST_SLACK_NS)
		return;
	recording->clock = fit->clock;
	recording->clock.linked = true;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void merge_bounds(struct bounds *all, const struct bounds *one)
{
	int64_t widest = all->widest > one->widest ? all->widest : one->widest;

	bound(all, one->has_low, one->low, one->has_high, one->high);
	all->widest = widest;
}

/* By AUX records alone: the drift is not known, and adds to what the offset may be off by. */
static void fit_bounds(struct spe_clock *clock, const struct bounds *all, int64_t drift)
{
	int64_t low = all->low < all->high ? all->low : all->high;
	int64_t high = all->low < all->high ? all->high : all->low;
	int64_t slack = (high - low) / 2 + drift + 1;

	if (all->low > all->high) /* they do drift: no one offset fits */
		slack += all->widest;
	if (slack > (int64_t)MOST_SLACK_NS)
		return;
	clock->offset_ns = low + (high - low) / 2;
	clock->slack_ns = (uint64_t)slack;
	clock->linked = true;
}

static int settle_offset(struct link_job *job)
{
	struct spe_recording *recording = job->recording;
	struct fit fit = { .recording = recording, .clock = recording->clock };
	uint64_t oldest = UINT64_MAX, youngest = 0;
	struct bounds all = { 0 };
	int64_t drift;
	int status;

	for (size_t i = 0; i < recording->stream_count; i++) {
		const struct link_walk *w = &job->walks[i];

		merge_bounds(&all, &w->bounds);
		oldest = w->oldest < oldest ? w->oldest : oldest;
		youngest = w->youngest > youngest ? w->youngest : youngest;
	}
	if (!all.has_low || !all.has_high || oldest > youngest)
		return SPE_OK;
	drift = (int64_t)((double)(youngest - oldest) * MOST_DRIFT);
	fit.clock.origin_ns = oldest + (youngest - oldest) / 2;
	status = gather_samples(&fit, job->walks);
	if (!status)
		fit_contexts(recording, &fit, (all.low < all.high ? all.low : all.high) - drift,
			     (all.low < all.high ? all.high : all.low) + drift);
	if (!status && !recording->clock.linked)
		fit_bounds(&recording->clock, &all, drift);
	free(fit.samples.items);
	return status;
}

int spe_recording_link_clocks(struct spe_recording *recording)
{
	struct link_job job = { .recording = recording };
	int status;

	if (!recording->stream_count)
		return SPE_OK;
	job.walks = calloc(recording->stream_count, sizeof(*job.walks));
	if (!job.walks)
		return SPE_NOMEM;
	status = spe_walk_all(recording, link_stream, &job);
	if (!status)
		status = settle_offset(&job);
	for (size_t i = 0; i < recording->stream_count; i++)
		free(job.walks[i].samples.items);
	free(job.walks);
	return status;
}
