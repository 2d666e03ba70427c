/* SPDX-License-Identifier: GPL-2.0-only */
/* Filters: the object, and what passes. */
#include "filter-parts.h"

#include <stdlib.h>

/* Tests run over a batch, one condition after the other, and only ever take away. */
#define FILTER_STEP 256u

typedef void test_fn(const struct spe_filter_bound *bound, const struct spe_sample *samples,
		     size_t count, bool *keep);

static void test_pid(const struct spe_filter_bound *bound, const struct spe_sample *samples,
		     size_t count, bool *keep)
{
	for (size_t i = 0; i < count; i++)
		keep[i] = keep[i] && spe_ranges_have(&bound->filter->pids, samples[i].pid);
}

static void test_tid(const struct spe_filter_bound *bound, const struct spe_sample *samples,
		     size_t count, bool *keep)
{
	for (size_t i = 0; i < count; i++)
		keep[i] = keep[i] && spe_ranges_have(&bound->filter->tids, samples[i].tid);
}

static void test_cpu(const struct spe_filter_bound *bound, const struct spe_sample *samples,
		     size_t count, bool *keep)
{
	for (size_t i = 0; i < count; i++)
		keep[i] = keep[i] && spe_ranges_have(&bound->filter->cpus, samples[i].cpu);
}

static bool comm_passes(const struct spe_filter_bound *bound, const struct spe_sample *sample)
{
	if (sample->comm < bound->comm_count)
		return bound->comms[sample->comm];
	return sample->tid >= 0 && spe_ranges_have(&bound->comm_tids, sample->tid);
}

static void test_comm(const struct spe_filter_bound *bound, const struct spe_sample *samples,
		      size_t count, bool *keep)
{
	for (size_t i = 0; i < count; i++)
		keep[i] = keep[i] && comm_passes(bound, &samples[i]);
}

static bool time_passes(const struct spe_filter_bound *bound, const struct spe_sample *sample)
{
	for (size_t i = 0; sample->has_time && i < bound->times.count; i++) {
		const struct spe_time_range *range = &bound->times.items[i];

		if (sample->time_ns >= range->lo && sample->time_ns <= range->hi &&
		    !(range->open_end && sample->time_ns == range->hi))
			return true;
	}
	return false;
}

static void test_time(const struct spe_filter_bound *bound, const struct spe_sample *samples,
		      size_t count, bool *keep)
{
	for (size_t i = 0; i < count; i++)
		keep[i] = keep[i] && time_passes(bound, &samples[i]);
}

static void test_op(const struct spe_filter_bound *bound, const struct spe_sample *samples,
		    size_t count, bool *keep)
{
	for (size_t i = 0; i < count; i++) {
		const struct spe_record *r = &samples[i].record;

		keep[i] = keep[i] && r->present & SPE_HAS_OP &&
			  bound->filter->ops[r->op_class & 3][r->op_payload];
	}
}

static const struct spe_filter_model *sample_model(const struct spe_filter_bound *bound,
						   const struct spe_sample *sample)
{
	return sample->stream < bound->streams
		       ? &bound->models.items[bound->stream_model[sample->stream]]
		       : NULL;
}

static bool event_passes(const struct spe_filter_bound *bound, const struct spe_sample *sample)
{
	const struct spe_filter_model *model = sample_model(bound, sample);
	uint64_t events = sample->record.events, reported = UINT64_MAX;

	if (!model || !(sample->record.present & SPE_HAS_EVENTS))
		return false;
	if (sample->record.events_bytes < 8)
		reported = (1ull << 8 * sample->record.events_bytes) - 1;
	for (size_t i = 0; i < bound->filter->events.count; i++) {
		const struct spe_event_test *test = &model->events[i];

		if ((test->set | test->clear) && (events & test->set) == test->set &&
		    (~events & reported & test->clear) == test->clear)
			return true;
	}
	return false;
}

static void test_event(const struct spe_filter_bound *bound, const struct spe_sample *samples,
		       size_t count, bool *keep)
{
	for (size_t i = 0; i < count; i++)
		keep[i] = keep[i] && event_passes(bound, &samples[i]);
}

static bool source_passes(const struct spe_filter_bound *bound, const struct spe_sample *sample)
{
	const struct spe_filter_model *model = sample_model(bound, sample);
	unsigned value = sample->record.data_source;

	return model && sample->record.present & SPE_HAS_DATA_SOURCE &&
	       (model->sources[value / 64] >> value % 64 & 1);
}

static void test_source(const struct spe_filter_bound *bound, const struct spe_sample *samples,
			size_t count, bool *keep)
{
	for (size_t i = 0; i < count; i++)
		keep[i] = keep[i] && source_passes(bound, &samples[i]);
}

static void test_el(const struct spe_filter_bound *bound, const struct spe_sample *samples,
		    size_t count, bool *keep)
{
	for (size_t i = 0; i < count; i++)
		keep[i] = keep[i] && samples[i].record.present & SPE_HAS_EL &&
			  (bound->filter->els >> samples[i].record.el & 1);
}

static void test_latency(const struct spe_filter_bound *bound, const struct spe_sample *samples,
			 size_t count, bool *keep)
{
	uint16_t least = bound->filter->min_latency_cycles;

	for (size_t i = 0; i < count; i++)
		keep[i] = keep[i] && samples[i].record.present & SPE_HAS_TOTAL_LATENCY &&
			  samples[i].record.total_latency_cycles >= least;
}

static void test_evidence(const struct spe_filter_bound *bound, const struct spe_sample *samples,
			  size_t count, bool *keep)
{
	for (size_t i = 0; i < count; i++)
		keep[i] = keep[i] && (bound->filter->evidences >> samples[i].evidence & 1);
}

static const struct kind {
	const char *name;
	spe_filter_parse_fn *parse;
	test_fn *test;
	uint32_t want;
} kinds[SPE_FILTER_KINDS] = {
	[SPE_FILTER_PID] = { "pid", spe_parse_pids, test_pid, 0 },
	[SPE_FILTER_TID] = { "tid", spe_parse_tids, test_tid, 0 },
	[SPE_FILTER_COMM] = { "comm", spe_parse_comms, test_comm, 0 },
	[SPE_FILTER_CPU] = { "cpu", spe_parse_cpus, test_cpu, 0 },
	[SPE_FILTER_TIME] = { "time", spe_parse_times, test_time, SPE_HAS_TIMESTAMP },
	[SPE_FILTER_OP] = { "op", spe_parse_ops, test_op, SPE_HAS_OP },
	[SPE_FILTER_EVENT] = { "event", spe_parse_events, test_event, SPE_HAS_EVENTS },
	[SPE_FILTER_SOURCE] = { "source", spe_parse_sources, test_source, SPE_HAS_DATA_SOURCE },
	[SPE_FILTER_EL] = { "el", spe_parse_els, test_el, SPE_HAS_EL | SPE_HAS_PC },
	[SPE_FILTER_LATENCY] = { "min-latency", spe_parse_latency, test_latency,
				 SPE_HAS_TOTAL_LATENCY },
	[SPE_FILTER_EVIDENCE] = { "evidence", spe_parse_evidences, test_evidence, 0 },
};

int spe_filter_new(struct spe_filter **filter)
{
	*filter = calloc(1, sizeof(**filter));
	return *filter ? SPE_OK : SPE_NOMEM;
}

static void words_free(spe_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i]);
	free(words->items);
}

void spe_filter_free(struct spe_filter *filter)
{
	if (!filter)
		return;
	free(filter->pids.items);
	free(filter->tids.items);
	free(filter->cpus.items);
	free(filter->times.items);
	words_free(&filter->comms);
	words_free(&filter->events);
	words_free(&filter->sources);
	free(filter);
}

int spe_filter_add(struct spe_filter *filter, const char *name, const char *argument,
		   struct spe_error *error)
{
	if (!filter || !name || !argument)
		return spe_error_set(error, SPE_INVALID, "spe_filter_add: bad arguments");
	for (unsigned i = 0; i < SPE_FILTER_KINDS; i++) {
		int status;

		if (strcmp(kinds[i].name, name) != 0)
			continue;
		status = kinds[i].parse(filter, name, argument, error);
		if (status == SPE_NOMEM)
			return spe_error_set(error, status, "--%s: out of memory", name);
		if (status == SPE_OK)
			filter->used[i] = true;
		return status;
	}
	return spe_error_set(error, SPE_INVALID, "there is no filter called '%s'", name);
}

uint32_t spe_filter_want(const struct spe_filter_bound *bound)
{
	uint32_t want = 0;

	for (unsigned i = 0; bound && i < SPE_FILTER_KINDS; i++)
		if (bound->filter->used[i])
			want |= kinds[i].want;
	return want;
}

bool spe_filter_names(const struct spe_filter_bound *bound)
{
	return bound && bound->filter->used[SPE_FILTER_COMM];
}

/* Which of at most FILTER_STEP samples pass. */
static void filter_step(const struct spe_filter_bound *bound, const struct spe_sample *samples,
			size_t count, bool *keep)
{
	memset(keep, true, count * sizeof(*keep));
	for (unsigned i = 0; i < SPE_FILTER_KINDS; i++)
		if (bound->filter->used[i])
			kinds[i].test(bound, samples, count, keep);
}

size_t spe_filter_apply(const struct spe_filter_bound *bound, struct spe_sample *samples,
			uint64_t *keys, size_t count)
{
	bool keep[FILTER_STEP];
	size_t kept = 0;

	if (!bound)
		return count;
	for (size_t from = 0; from < count; from += FILTER_STEP) {
		size_t n = count - from < FILTER_STEP ? count - from : FILTER_STEP;

		filter_step(bound, samples + from, n, keep);
		for (size_t i = from; i < from + n; i++) {
			if (!keep[i - from])
				continue;
			if (kept != i)
				samples[kept] = samples[i];
			if (keys)
				keys[kept] = keys[i];
			kept++;
		}
	}
	return kept;
}
