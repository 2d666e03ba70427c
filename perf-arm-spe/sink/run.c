/* SPDX-License-Identifier: GPL-2.0-only */
/* spe_sink_run(): pieces over the workers, each with a reader and a partial of its own. */
#include "run.h"

#include "../base/opts.h"
#include "../base/pool.h"

#include <stdlib.h>

struct worker {
	void *partial;
	bool begun; /* the sink made a partial */
	struct spe_reader *reader;
	struct spe_sample *samples;
	struct spe_run_stats stats;
	char apart[64]; /* keeps the counts of two workers out of one cache line */
};

struct workers {
	struct spe_run *run;
	struct worker *items;
};

/* Samples of one evidence and one kind of code, which mostly come in long runs. */
static void count_run(struct spe_run_stats *stats, const struct spe_sample *first, uint64_t count)
{
	stats->by_evidence[first->evidence] += count;
	if (first->guest != SPE_GUEST_NO)
		stats->guest_samples += count;
}

/* Evidence and guest, in a word. */
static inline uint16_t kind_of(const struct spe_sample *sample)
{
	uint16_t kind;

	_Static_assert(offsetof(struct spe_sample, guest) ==
			       offsetof(struct spe_sample, evidence) + 1,
		       "the two are neighbours");
	memcpy(&kind, &sample->evidence, sizeof(kind));
	return kind;
}

void spe_run_count(struct spe_run_stats *stats, const struct spe_sample *samples, size_t count)
{
	const struct spe_sample *end = samples + count, *from = samples;
	uint32_t unresolved = 0;
	uint16_t kind = count ? kind_of(from) : 0;

	for (const struct spe_sample *s = samples; s < end; s++) {
		/* a negative pid beside a tid that is not */
		unresolved += (uint32_t)(s->pid & ~s->tid) >> 31;
		if (kind_of(s) == kind)
			continue;
		count_run(stats, from, (size_t)(s - from));
		from = s;
		kind = kind_of(s);
	}
	if (count)
		count_run(stats, from, (size_t)(end - from));
	stats->samples += count;
	stats->unresolved += unresolved;
}

void spe_run_count_alike(struct spe_run_stats *stats, const struct spe_sample *sample,
			 uint64_t count)
{
	count_run(stats, sample, count);
	stats->samples += count;
	if (sample->pid < 0 && sample->tid >= 0)
		stats->unresolved += count;
}

void spe_run_stats_add(struct spe_run_stats *into, const struct spe_run_stats *from)
{
	into->samples += from->samples;
	into->filtered += from->filtered;
	into->unresolved += from->unresolved;
	into->guest_samples += from->guest_samples;
	for (unsigned i = 0; i < SPE_EVIDENCE_KINDS; i++)
		into->by_evidence[i] += from->by_evidence[i];
	spe_decode_stats_add(&into->decode, &from->decode);
}

void spe_run_progress(struct spe_run *run, unsigned worker, uint64_t bytes)
{
	uint64_t done = atomic_fetch_add(&run->bytes_done, bytes) + bytes;

	if (worker == 0)
		spe_progress(&run->listener, "decoding", done, run->bytes);
}

int spe_run_batch(const struct spe_run *run, struct spe_run_stats *stats, void *partial,
		  struct spe_sample *samples, size_t count)
{
	spe_run_count(stats, samples, count);
	if (run->filter) {
		size_t kept = spe_filter_apply(run->filter, samples, NULL, count);

		stats->filtered += count - kept;
		count = kept;
	}
	return count ? run->ops->batch(run->sink, partial, samples, count) : SPE_OK;
}

static int piece_job(void *arg, unsigned worker, size_t job)
{
	struct workers *workers = arg;
	struct spe_run *run = workers->run;
	struct worker *w = &workers->items[worker];
	int status = spe_reader_start(w->reader, job);

	while (status == SPE_OK) {
		size_t count = 0;

		status = spe_reader_next(w->reader, w->samples, run->batch, &count);
		if (status == SPE_OK)
			status = spe_run_batch(run, &w->stats, w->partial, w->samples, count);
	}
	if (status < 0)
		return status;
	spe_run_progress(run, worker, spe_recording_piece(run->recording, job)->bytes);
	return SPE_OK;
}

static int worker_init(struct spe_run *run, struct worker *w, unsigned number)
{
	int status;

	w->samples = malloc(run->batch * sizeof(*w->samples));
	if (!w->samples)
		return SPE_NOMEM;
	status = spe_reader_new(run->recording, &run->reader_opts, &w->reader);
	if (status)
		return status;
	if (run->ops->begin)
		status = run->ops->begin(run->sink, number, &w->partial);
	w->begun = status >= 0;
	return status;
}

/* Everything the worker made goes into the run, whether it went well or not. */
static int worker_fini(struct spe_run *run, struct worker *w)
{
	int status = SPE_OK;

	if (w->begun && run->ops->merge)
		status = run->ops->merge(run->sink, w->partial);
	if (w->reader)
		w->stats.decode = *spe_reader_stats(w->reader);
	spe_run_stats_add(run->stats, &w->stats);
	spe_reader_free(w->reader);
	free(w->samples);
	return status;
}

static int run_pieces(struct spe_run *run)
{
	size_t pieces = spe_recording_pieces(run->recording);
	struct workers workers = { .run = run };
	int status = SPE_OK;

	workers.items = calloc(run->workers, sizeof(*workers.items));
	if (!workers.items)
		return SPE_NOMEM;
	for (unsigned i = 0; i < run->workers && status >= 0; i++)
		status = worker_init(run, &workers.items[i], i);
	if (status >= 0)
		status = spe_pool_run(run->workers, pieces, piece_job, &workers);
	for (unsigned i = 0; i < run->workers; i++) {
		int merged = worker_fini(run, &workers.items[i]);

		if (status >= 0)
			status = merged;
	}
	free(workers.items);
	return status;
}

int spe_run_init(struct spe_run *run, const struct spe_run_opts *opts, struct spe_error *error)
{
	int status = spe_filter_bind(opts->filter, run->recording, &run->filter, error);

	if (status)
		return status;
	run->listener = opts->listener;
	run->batch = opts->batch_records ? opts->batch_records : SPE_RUN_BATCH;
	if (run->batch > SPE_RUN_BATCH_MAX)
		run->batch = SPE_RUN_BATCH_MAX;
	run->reader_opts.size = sizeof(run->reader_opts);
	if (run->ops->want)
		run->reader_opts.want = run->ops->want | spe_filter_want(run->filter);
	run->reader_opts.names = run->ops->names || spe_filter_names(run->filter);
	return SPE_OK;
}

static void count_pieces(struct spe_run *run, unsigned threads)
{
	size_t pieces = spe_recording_pieces(run->recording);

	for (size_t i = 0; i < pieces; i++)
		run->bytes += spe_recording_piece(run->recording, i)->bytes;
	run->workers = spe_pool_workers(threads, pieces);
}

int spe_run_status(const struct spe_run *run, int status, struct spe_error *error)
{
	if (status >= 0)
		return SPE_OK;
	if (!error || error->status)
		return status;
	return spe_error_set(error, status, "%s: %s", run->ops->name ? run->ops->name : "sink",
			     spe_status_text(status));
}

int spe_sink_run(const struct spe_recording *recording, const struct spe_sink_ops *ops, void *sink,
		 const struct spe_run_opts *opts, struct spe_run_stats *stats,
		 struct spe_error *error)
{
	struct spe_run_stats own = { 0 };
	struct spe_run run = { .recording = recording, .ops = ops, .sink = sink, .stats = &own };
	struct spe_run_opts taken;
	int status;

	if (!recording || !ops || !ops->batch || spe_opts_take(&taken, opts))
		return spe_error_set(error, SPE_INVALID, "spe_sink_run: bad arguments");
	if (error)
		*error = (struct spe_error){ 0 };
	status = spe_run_init(&run, &taken, error);
	if (!status) {
		count_pieces(&run, taken.threads);
		status = ops->ordered ? spe_run_ordered(&run) : run_pieces(&run);
	}
	if (status >= 0 && ops->end)
		status = ops->end(sink, &own);
	spe_filter_unbind(run.filter);
	if (stats)
		*stats = own;
	return spe_run_status(&run, status, error);
}
