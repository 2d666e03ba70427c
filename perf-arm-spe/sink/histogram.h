/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An exact histogram of 16-bit values: a hash of the values that came, so that
 * a row with few of them stays small.
 */
#ifndef SPE_SINK_HISTOGRAM_H
#define SPE_SINK_HISTOGRAM_H

#include <perf-arm-spe/base.h>

struct spe_histogram {
	uint64_t *bins; /* value in the top 16 bits, count below; 0 is empty */
	uint64_t samples, sum;
	uint32_t used, room; /* bins; room is a power of two, or 0 */
};

#define SPE_HISTOGRAM_COUNT_BITS 48u
#define SPE_HISTOGRAM_COUNT_MAX ((1ull << SPE_HISTOGRAM_COUNT_BITS) - 1)

void spe_histogram_fini(struct spe_histogram *h);
/* Add `count` times the value. SPE_OK or SPE_NOMEM. */
int spe_histogram_add(struct spe_histogram *h, uint16_t value, uint64_t count);
/* Add all of another one. SPE_OK or SPE_NOMEM. */
int spe_histogram_merge(struct spe_histogram *h, const struct spe_histogram *from);

/* No more values: sort, so that quantiles can be asked for. Nothing is added after. */
void spe_histogram_freeze(struct spe_histogram *h);
/*
 * Of a frozen one: the least value that `percent` of the samples do not exceed
 * (nearest rank; 100 is the largest value).  false when there are none.
 */
bool spe_histogram_quantile(const struct spe_histogram *h, unsigned percent, uint16_t *value);

#endif
