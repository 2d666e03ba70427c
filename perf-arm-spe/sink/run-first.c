/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spe_sink_run_first(): a sink that can be redone takes its samples while the
 * trace is surveyed.
 */
#include "run.h"

#include "../base/opts.h"

#include <stdlib.h>

/* Progress is told each time so many records are done, in bytes: those most records have. */
#define PROGRESS_RECORDS (1u << 14)
#define RECORD_BYTES 64u

struct worker {
	void *partial;
	bool begun;       /* the sink made a partial */
	uint64_t records; /* not told of yet */
	struct spe_run_stats stats;
	char apart[64]; /* keeps the counts of two workers out of one cache line */
};

struct first {
	struct spe_run run;
	struct worker *items;
	unsigned count;
};

static int start(void *arg, unsigned workers)
{
	struct first *first = arg;
	const struct spe_sink_ops *ops = first->run.ops;
	int status = SPE_OK;

	first->items = calloc(workers, sizeof(*first->items));
	if (!first->items)
		return SPE_NOMEM;
	first->count = workers;
	for (unsigned i = 0; i < workers && status >= 0; i++) {
		struct worker *w = &first->items[i];

		if (ops->begin)
			status = ops->begin(first->run.sink, i, &w->partial);
		w->begun = status >= 0;
	}
	return status < 0 ? status : SPE_OK;
}

static void tell(struct first *first, unsigned worker, uint64_t count)
{
	struct worker *w = &first->items[worker];

	w->records += count;
	if (w->records < PROGRESS_RECORDS)
		return;
	spe_run_progress(&first->run, worker, w->records * RECORD_BYTES);
	w->records = 0;
}

static int batch(void *arg, unsigned worker, struct spe_sample *samples, size_t count)
{
	struct first *first = arg;
	struct worker *w = &first->items[worker];

	tell(first, worker, count);
	return spe_run_batch(&first->run, &w->stats, w->partial, samples, count);
}

static int alike(void *arg, unsigned worker, const struct spe_sample *sample, uint64_t count)
{
	struct first *first = arg;
	struct worker *w = &first->items[worker];

	tell(first, worker, count);
	spe_run_count_alike(&w->stats, sample, count);
	return first->run.ops->run(first->run.sink, w->partial, sample, count);
}

/* All partials go into the sink, or into nothing. */
static int settle(struct first *first, bool keep)
{
	const struct spe_run *run = &first->run;
	int status = SPE_OK;

	for (unsigned i = 0; i < first->count; i++) {
		struct worker *w = &first->items[i];
		int merged = SPE_OK;

		if (w->begun && !keep)
			run->ops->drop(run->sink, w->partial);
		else if (w->begun && run->ops->merge)
			merged = run->ops->merge(run->sink, w->partial);
		if (status >= 0)
			status = merged;
		spe_run_stats_add(run->stats, &w->stats);
	}
	free(first->items);
	return status;
}

static void count_decoded(const struct spe_run *run)
{
	for (size_t i = 0; i < spe_recording_streams(run->recording); i++)
		spe_decode_stats_add(&run->stats->decode,
				     &spe_recording_stream(run->recording, i)->decode);
}

/* *kept: the sink is through; else it saw nothing. */
static int run_along(struct spe_recording *recording, struct first *first, bool *kept,
		     struct spe_error *error)
{
	struct spe_run *run = &first->run;
	struct spe_companion companion = { .size = sizeof(companion),
					   .want = run->reader_opts.want,
					   .names = run->reader_opts.names,
					   .arg = first,
					   .start = start,
					   .batch = batch };
	int status;

	if (run->ops->run && !run->filter)
		companion.run = alike;
	for (size_t i = 0; i < spe_recording_streams(recording); i++)
		run->bytes += spe_recording_stream(recording, i)->bytes;
	status = spe_recording_finish(recording, &companion, kept, error);
	if (status || !*kept) {
		settle(first, false);
		return status;
	}
	status = settle(first, true);
	count_decoded(run);
	if (status >= 0 && run->ops->end)
		status = run->ops->end(run->sink, run->stats);
	return spe_run_status(run, status, error);
}

/* Can samples be made before the survey, and made again? */
static bool may_go_along(const struct spe_sink_ops *ops, const struct spe_run_opts *opts)
{
	return ops && ops->batch && ops->drop && !ops->ordered &&
	       !spe_filter_needs_span(opts->filter);
}

int spe_sink_run_first(struct spe_recording *recording, const struct spe_sink_ops *ops, void *sink,
		       const struct spe_run_opts *opts, struct spe_run_stats *stats,
		       struct spe_error *error)
{
	struct spe_run_stats own = { 0 };
	struct first first = {
		.run = { .recording = recording, .ops = ops, .sink = sink, .stats = &own }
	};
	struct spe_run_opts taken;
	bool kept = false;
	int status;

	if (!recording || spe_opts_take(&taken, opts))
		return spe_error_set(error, SPE_INVALID, "spe_sink_run_first: bad arguments");
	if (error)
		*error = (struct spe_error){ 0 };
	if (may_go_along(ops, &taken)) {
		status = spe_run_init(&first.run, &taken, error);
		if (!status)
			status = run_along(recording, &first, &kept, error);
		spe_filter_unbind(first.run.filter);
	} else {
		status = spe_recording_finish(recording, NULL, NULL, error);
	}
	if (status)
		return status;
	if (!kept)
		return spe_sink_run(recording, ops, sink, opts, stats, error);
	if (stats)
		*stats = own;
	return SPE_OK;
}
