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
 * which the two agree most is narrower still.
 */
#include "walk.h"

#include <perf-arm-spe/limits.h>
#include <stdlib.h>

/* An offset that may be off by more is none: tasks live and switch within milliseconds. */
#define MOST_SLACK_NS 5000000u
/* Records compared with switches, per stream. */
#define SAMPLES_PER_STREAM 4096u
/* How often and into how many steps the span of the offset is cut. */
#define ROUNDS 3
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
	uint64_t records, every; /* sampling */
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
	if (w->samples.count == SAMPLES_PER_STREAM) {
		for (size_t i = 0; i < SAMPLES_PER_STREAM / 2; i++)
			w->samples.items[i] = w->samples.items[2 * i];
		w->samples.count = SAMPLES_PER_STREAM / 2;
		w->every *= 2;
	}
	return spe_vec_push(&w->samples, &sample, SAMPLES_PER_STREAM);
}

static int link_batch(void *arg, const struct spe_record *records, size_t count, bool clean)
{
	struct link_walk *w = arg;
	const struct spe_clock *clock = &w->recording->clock;
	unsigned index = w->recording->owner_index;
	uint32_t bit = index ? SPE_HAS_CONTEXT_EL2 : SPE_HAS_CONTEXT_EL1;
	int status = SPE_OK;

	(void)clean;
	for (size_t i = 0; i < count && !status; i++) {
		uint32_t context = records[i].context[index];
		uint64_t ns;

		if (!(records[i].present & SPE_HAS_TIMESTAMP) || !records[i].timestamp)
			continue;
		ns = spe_clock_ns(clock, spe_clock_whole_ticks(clock, records[i].timestamp));
		if (!w->stream->info.overwrites)
			see_time(w, &records[i], ns);
		if ((records[i].present & bit) && context && context <= INT32_MAX)
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
	uint32_t want = SPE_HAS_TIMESTAMP | SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2;
	int status;

	(void)worker;
	w->recording = job->recording;
	w->stream = job->recording->streams[i];
	w->first = UINT64_MAX;
	w->before_ns = w->stream->start_ns;
	w->every = 1;
	status = spe_walk_stream(job->recording, w->stream, want, link_batch, w, NULL);
	while (!status && w->range < w->stream->ranges.count)
		range_close(w);
	return status;
}

/* ---- agreement of contexts and switches ------------------------------------------------ */

static void agreement(const struct link_job *job, int64_t offset, uint64_t *agree, uint64_t *all)
{
	*agree = *all = 0;
	for (size_t i = 0; i < job->recording->stream_count; i++) {
		const struct link_walk *w = &job->walks[i];

		for (size_t j = 0; j < w->samples.count; j++) {
			const struct link_sample *s = &w->samples.items[j];
			struct spe_switch_answer answer;

			if (s->cpu < 0 || spe_switches_find(job->recording->switches, s->cpu,
							    s->time_ns + (uint64_t)offset, &answer))
				continue;
			if (answer.evidence != SPE_EVIDENCE_SWITCH)
				continue;
			++*all;
			*agree += !answer.in_window && answer.tid == s->tid;
		}
	}
}

/*
 * Cut [low, high] into steps and keep those around the ones with the most
 * agreement.  false: contexts and switches do not agree well anywhere.
 */
static bool narrow_once(const struct link_job *job, int64_t *low, int64_t *high)
{
	int64_t step = (*high - *low) / STEPS + 1;
	uint64_t most = 0, all = 0;
	int64_t from = *low, to = *high;

	for (int i = 0; i <= STEPS; i++) {
		uint64_t agree, compared;

		agreement(job, *low + i * step, &agree, &compared);
		if (agree > most) {
			most = agree;
			all = compared;
			from = *low + (i - 1) * step;
		}
		if (agree == most)
			to = *low + (i + 1) * step;
	}
	if (!most || most * AGREE_OF < all * AGREE_LEAST)
		return false;
	*low = from;
	*high = to;
	return true;
}

static void merge_bounds(struct bounds *all, const struct bounds *one)
{
	int64_t widest = all->widest > one->widest ? all->widest : one->widest;

	bound(all, one->has_low, one->low, one->has_high, one->high);
	all->widest = widest;
}

static void settle_offset(struct link_job *job)
{
	struct spe_clock *clock = &job->recording->clock;
	struct bounds all = { 0 };
	int64_t low, high, slack;

	for (size_t i = 0; i < job->recording->stream_count; i++)
		merge_bounds(&all, &job->walks[i].bounds);
	if (!all.has_low || !all.has_high)
		return;
	low = all.low;
	high = all.high;
	slack = 0;
	if (low > high) { /* the clocks drift apart: no one offset fits exactly */
		low = all.high;
		high = all.low;
		slack = all.widest;
	}
	if (high - low > 2 * (int64_t)MOST_SLACK_NS)
		return;
	for (int i = 0; i < ROUNDS && narrow_once(job, &low, &high); i++)
		slack = 0;
	slack += (high - low) / 2 + 1;
	if (slack > (int64_t)MOST_SLACK_NS)
		return;
	clock->offset_ns = low + (high - low) / 2;
	clock->slack_ns = (uint64_t)slack;
	clock->linked = true;
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
		settle_offset(&job);
	for (size_t i = 0; i < recording->stream_count; i++)
		free(job.walks[i].samples.items);
	free(job.walks);
	return status;
}
