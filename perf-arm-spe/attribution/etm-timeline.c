/* SPDX-License-Identifier: GPL-2.0-only */
#include "etm-timeline.h"

#include "../base/vec.h"
#include "../base/order.h"

#include <perf-arm-spe/limits.h>

#include <stdlib.h>

/* TRFCR.TS: timestamps are of the virtual or the physical counter. */
#define TS_VIRTUAL 1u
#define TS_PHYSICAL 3u

struct spe_etm_timeline {
	SPE_VEC(struct spe_etm_span) spans; /* by (cpu, from_ns) */
};

static const struct spe_etm_source *source_of(const struct spe_etm *etm, int32_t cpu)
{
	for (size_t i = 0; i < spe_etm_sources(etm); i++)
		if (spe_etm_source(etm, i)->cpu == cpu)
			return spe_etm_source(etm, i);
	return NULL;
}

static bool clock_is_known(const struct spe_etm_source *source)
{
	return source && source->has_ts_source &&
	       (source->ts_source == TS_VIRTUAL || source->ts_source == TS_PHYSICAL);
}

static uint64_t side_ns(const struct spe_clock *clock, uint64_t ticks)
{
	return spe_clock_side_ns(clock, spe_clock_ns(clock, spe_clock_whole_ticks(clock, ticks)));
}

static int span_add(struct spe_etm_timeline *timeline, const struct spe_clock *clock,
		    const struct spe_etm_source *source, const struct spe_etm_context *c)
{
	struct spe_etm_span span = { .cpu = c->cpu,
				     .from_ns = side_ns(clock, c->next_timestamp),
				     .to_ns = side_ns(clock, c->until_timestamp),
				     .tid = c->tid,
				     .el = c->el,
				     .has_el = c->has_el,
				     .el2_host = source->pid_format == SPE_ETM_PID_EL2 };

	return spe_vec_push(&timeline->spans, &span, SPE_LIMIT_SWITCHES);
}

static int compare_spans(const void *a, const void *b)
{
	const struct spe_etm_span *x = a, *y = b;

	SPE_ORDER(x->cpu, y->cpu);
	SPE_ORDER(x->from_ns, y->from_ns);
	return (x->to_ns > y->to_ns) - (x->to_ns < y->to_ns);
}

/*
 * Spans of a CPU that overlap with another thread (a timestamp that goes back,
 * damage) contradict each other: where they do, nothing is certain.
 */
static void contradictions_cut(struct spe_etm_timeline *timeline)
{
	for (size_t i = 1; i < timeline->spans.count; i++) {
		struct spe_etm_span *a = &timeline->spans.items[i - 1];
		struct spe_etm_span *b = &timeline->spans.items[i];
		uint64_t overlap = a->to_ns;

		if (a->cpu != b->cpu || b->from_ns >= a->to_ns)
			continue;
		if (a->tid == b->tid) {
			b->from_ns = a->from_ns;
			b->to_ns = b->to_ns > overlap ? b->to_ns : overlap;
			a->to_ns = a->from_ns;
			continue;
		}
		a->to_ns = b->from_ns;
		b->from_ns = overlap < b->to_ns ? overlap : b->to_ns;
	}
}

int spe_etm_timeline_new(const struct spe_etm *etm, const struct spe_clock *clock,
			 struct spe_etm_timeline **out)
{
	struct spe_etm_timeline *timeline = calloc(1, sizeof(*timeline));
	const struct spe_etm_context *contexts;
	int status = SPE_OK;
	size_t n;

	*out = NULL;
	if (!timeline)
		return SPE_NOMEM;
	contexts = spe_etm_contexts(etm, &n);
	for (size_t i = 0; !status && i < n; i++) {
		const struct spe_etm_source *source = source_of(etm, contexts[i].cpu);

		if (contexts[i].has_tid && contexts[i].has_next_timestamp && clock_is_known(source))
			status = span_add(timeline, clock, source, &contexts[i]);
	}
	if (!status && !timeline->spans.count)
		status = SPE_NOT_FOUND;
	if (status) {
		spe_etm_timeline_free(timeline);
		return status;
	}
	qsort(timeline->spans.items, timeline->spans.count, sizeof(*timeline->spans.items),
	      compare_spans);
	contradictions_cut(timeline);
	*out = timeline;
	return SPE_OK;
}

void spe_etm_timeline_free(struct spe_etm_timeline *timeline)
{
	if (!timeline)
		return;
	free(timeline->spans.items);
	free(timeline);
}

const struct spe_etm_span *spe_etm_timeline_find(const struct spe_etm_timeline *timeline,
						 int32_t cpu, uint64_t moment_ns, uint64_t *from_ns,
						 uint64_t *to_ns)
{
	const struct spe_etm_span *spans = timeline->spans.items;
	size_t low = 0, high = timeline->spans.count;

	while (low < high) { /* the first span that begins after the moment */
		size_t middle = low + (high - low) / 2;
		const struct spe_etm_span *s = &spans[middle];

		if (s->cpu < cpu || (s->cpu == cpu && s->from_ns <= moment_ns))
			low = middle + 1;
		else
			high = middle;
	}
	*from_ns = 0;
	*to_ns = low < timeline->spans.count && spans[low].cpu == cpu ? spans[low].from_ns
								      : UINT64_MAX;
	if (!low || spans[low - 1].cpu != cpu)
		return NULL;
	if (moment_ns >= spans[low - 1].to_ns) {
		*from_ns = spans[low - 1].to_ns;
		return NULL;
	}
	*from_ns = spans[low - 1].from_ns;
	if (spans[low - 1].to_ns < *to_ns)
		*to_ns = spans[low - 1].to_ns;
	return &spans[low - 1];
}
