/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A filter bound to a recording: names are numbers, percentages are times,
 * and what depends on the core model is resolved per stream.  Never changes
 * after it was made; shared by all workers.
 */
#ifndef SPE_SINK_FILTER_H
#define SPE_SINK_FILTER_H

#include <perf-arm-spe/sink.h>

struct spe_filter_bound;

/*
 * Bind a filter (NULL, or without a condition: *bound is NULL, all pass).
 * SPE_OK; SPE_NOMEM; SPE_INVALID with *error when a name means nothing in
 * this recording.
 */
int spe_filter_bind(const struct spe_filter *filter, const struct spe_recording *recording,
		    struct spe_filter_bound **bound, struct spe_error *error);
void spe_filter_unbind(struct spe_filter_bound *bound);

/* What a bound filter (NULL allowed) needs decoded: SPE_HAS_*, and whether names. */
uint32_t spe_filter_want(const struct spe_filter_bound *bound);
bool spe_filter_names(const struct spe_filter_bound *bound);

/* Has it a condition that is known only when the recording's span is? */
bool spe_filter_needs_span(const struct spe_filter *filter);

/*
 * Keep what passes: moves samples (and keys, one each, unless NULL) to the
 * front and returns how many are left.
 */
size_t spe_filter_apply(const struct spe_filter_bound *bound, struct spe_sample *samples,
			uint64_t *keys, size_t count);

#endif
