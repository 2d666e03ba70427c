/* SPDX-License-Identifier: GPL-2.0-only */
#include "histogram.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16u

static uint16_t bin_value(uint64_t bin)
{
	return (uint16_t)(bin >> SPE_HISTOGRAM_COUNT_BITS);
}

static uint64_t bin_count(uint64_t bin)
{
	return bin & SPE_HISTOGRAM_COUNT_MAX;
}

void spe_histogram_fini(struct spe_histogram *h)
{
	free(h->bins);
}

/* The bin of a value, or the empty one where it belongs. */
static uint64_t *bin_find(uint64_t *bins, uint32_t room, uint16_t value)
{
	uint32_t at = (value * 0x9e3779b1u >> 8) & (room - 1);

	while (bins[at] && bin_value(bins[at]) != value)
		at = (at + 1) & (room - 1);
	return &bins[at];
}

static int histogram_grow(struct spe_histogram *h)
{
	uint32_t room = h->room ? h->room * 2 : FIRST_ROOM;
	uint64_t *bins = calloc(room, sizeof(*bins));

	if (!bins)
		return SPE_NOMEM;
	for (uint32_t i = 0; i < h->room; i++)
		if (h->bins[i])
			*bin_find(bins, room, bin_value(h->bins[i])) = h->bins[i];
	free(h->bins);
	h->bins = bins;
	h->room = room;
	return SPE_OK;
}

int spe_histogram_add(struct spe_histogram *h, uint16_t value, uint64_t count)
{
	uint64_t *bin = h->room ? bin_find(h->bins, h->room, value) : NULL;

	if (!count)
		return SPE_OK;
	if (!bin || !*bin) {
		if (h->used >= h->room / 2) {
			int status = histogram_grow(h);

			if (status)
				return status;
			bin = bin_find(h->bins, h->room, value);
		}
		h->used++;
		*bin = (uint64_t)value << SPE_HISTOGRAM_COUNT_BITS;
	}
	if (count > SPE_HISTOGRAM_COUNT_MAX - bin_count(*bin))
		count = SPE_HISTOGRAM_COUNT_MAX - bin_count(*bin);
	*bin += count;
	h->samples += count;
	h->sum += count * value;
	return SPE_OK;
}

int spe_histogram_merge(struct spe_histogram *h, const struct spe_histogram *from)
{
	for (uint32_t i = 0; i < from->room; i++) {
		int status =
			spe_histogram_add(h, bin_value(from->bins[i]), bin_count(from->bins[i]));

		if (status)
			return status;
	}
	return SPE_OK;
}

static int bin_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y; /* the value is on top */
}

void spe_histogram_freeze(struct spe_histogram *h)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < h->room; i++)
		if (h->bins[i])
			h->bins[used++] = h->bins[i];
	if (used)
		qsort(h->bins, used, sizeof(*h->bins), bin_compare);
	h->room = used;
}

bool spe_histogram_quantile(const struct spe_histogram *h, unsigned percent, uint16_t *value)
{
	unsigned __int128 wanted = ((unsigned __int128)h->samples * percent + 99) / 100;
	unsigned __int128 seen = 0;

	for (uint32_t i = 0; i < h->used; i++) {
		seen += bin_count(h->bins[i]);
		if (seen < wanted && i + 1 < h->used)
			continue;
		*value = bin_value(h->bins[i]);
		return true;
	}
	return false;
}
