/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine's insides.  Two ways to walk a recording: pieces in any order on
 * all workers (run.c), or all streams merged by time (ordered.c).
 */
#ifndef SPE_SINK_RUN_H
#define SPE_SINK_RUN_H

#include "filter.h"

#include <stdatomic.h>

#define SPE_RUN_BATCH 256u       /* records: what a sink gets at a time; about 35 KB */
#define SPE_RUN_BATCH_MAX 65536u /* of the caller's choice */

struct spe_run {
	const struct spe_recording *recording;
	const struct spe_sink_ops *ops;
	void *sink;
	struct spe_filter_bound *filter; /* NULL: all pass */
	struct spe_listener listener;
	struct spe_reader_opts reader_opts;
	size_t batch; /* records */
	unsigned workers;
	uint64_t bytes; /* of all pieces, for the progress */
	_Atomic uint64_t bytes_done;
	struct spe_run_stats *stats; /* where the counts end up */
};

/* What a run needs to know before it begins: filter, listener, reader_opts, batch. */
int spe_run_init(struct spe_run *run, const struct spe_run_opts *opts, struct spe_error *error);
/* One batch: counted, filtered, handed to the sink. */
int spe_run_batch(const struct spe_run *run, struct spe_run_stats *stats, void *partial,
		  struct spe_sample *samples, size_t count);
/* SPE_OK, or the status, and *error says so unless it says more already. */
int spe_run_status(const struct spe_run *run, int status, struct spe_error *error);
/* Count owners before the filter. */
void spe_run_count(struct spe_run_stats *stats, const struct spe_sample *samples, size_t count);
/* The same, for samples of one owner. */
void spe_run_count_alike(struct spe_run_stats *stats, const struct spe_sample *sample,
			 uint64_t count);
void spe_run_stats_add(struct spe_run_stats *into, const struct spe_run_stats *from);
/* A piece was read; only worker 0 speaks. */
void spe_run_progress(struct spe_run *run, unsigned worker, uint64_t bytes);

/* ordered.c. SPE_OK or the failure. */
int spe_run_ordered(struct spe_run *run);

#endif
