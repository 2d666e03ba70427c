/* SPDX-License-Identifier: GPL-2.0-only */
#include "columns.h"

#include "events.h"

/* A column of a latency: what it shows of the histogram. */
#define OF_LATENCY(word, head, text, which, part, kind_, percent_, width_, what)                   \
	{                                                                                          \
		.name = word "-" part, .group = word, .header = head " " part,                     \
		.field = text "_" part, .help = what, .kind = kind_, .percent = percent_,          \
		.latency = which, .width = width_                                                  \
	}

#define LATENCY(word, head, text, which, what)                                                     \
	OF_LATENCY(word, head, text, which, "avg", SPE_COLUMN_AVERAGE, 0, 10,                      \
		   "average " what " in cycles"),                                                  \
		OF_LATENCY(word, head, text, which, "p50", SPE_COLUMN_QUANTILE, 50, 9,             \
			   "median " what " in cycles"),                                           \
		OF_LATENCY(word, head, text, which, "p99", SPE_COLUMN_QUANTILE, 99, 9,             \
			   "99th percentile of the " what " in cycles"),                           \
		OF_LATENCY(word, head, text, which, "max", SPE_COLUMN_QUANTILE, 100, 9,            \
			   "largest " what " in cycles")

#define EVENT(word, head, text, bits, what)                                                        \
	{                                                                                          \
		.name = word, .group = "misses", .header = head, .field = text,                    \
		.help = "samples " what, .kind = SPE_COLUMN_EVENT, .events = bits, .width = 8      \
	}

static const struct spe_column table[] = {
	{ .name = "samples",
	  .group = "sample",
	  .header = "Samples",
	  .field = "samples",
	  .help = "number of samples",
	  .kind = SPE_COLUMN_SAMPLES,
	  .width = 12 },
	LATENCY("latency", "Lat", "latency", SPE_LATENCY_TOTAL, "total latency"),
	LATENCY("issue-latency", "Issue", "issue_latency", SPE_LATENCY_ISSUE, "issue latency"),
	LATENCY("xlat-latency", "Xlat", "xlat_latency", SPE_LATENCY_XLAT, "translation latency"),
	EVENT("l1d-miss", "L1D miss", "l1d_miss", SPE_EV_L1D_REFILL,
	      "that missed the level 1 data cache"),
	EVENT("llc-miss", "LLC miss", "llc_miss", SPE_EV_LLC_REFILL,
	      "that missed the last-level cache"),
	EVENT("tlb-walk", "TLB walk", "tlb_walk", SPE_EV_TLB_REFILL,
	      "that walked translation tables"),
	EVENT("remote", "Remote", "remote", SPE_EV_REMOTE, "that went to another socket"),
	EVENT("misaligned", "Misalign", "misaligned", SPE_EV_MISALIGNED, "at a misaligned address"),
	EVENT("mispred", "Mispred", "mispred", SPE_EV_MISPRED, "of mispredicted branches"),
};

const struct spe_column *spe_column_at(size_t i)
{
	return i < sizeof(table) / sizeof(table[0]) ? &table[i] : NULL;
}

static bool word_is(const char *word, size_t length, const char *name)
{
	return name && strlen(name) == length && memcmp(word, name, length) == 0;
}

bool spe_column_is(const struct spe_column *column, const char *word, size_t length)
{
	return word_is(word, length, column->name) || word_is(word, length, column->group);
}

uint32_t spe_column_want(const struct spe_column *column)
{
	static const uint32_t latencies[SPE_LATENCIES] = {
		[SPE_LATENCY_TOTAL] = SPE_HAS_TOTAL_LATENCY,
		[SPE_LATENCY_ISSUE] = SPE_HAS_ISSUE_LATENCY,
		[SPE_LATENCY_XLAT] = SPE_HAS_XLAT_LATENCY,
	};

	switch (column->kind) {
	case SPE_COLUMN_AVERAGE:
	case SPE_COLUMN_QUANTILE:
		return latencies[column->latency];
	case SPE_COLUMN_EVENT:
		return SPE_HAS_EVENTS;
	default:
		return 0;
	}
}

static uint8_t histogram_slot(struct spe_columns *columns, uint8_t latency)
{
	for (unsigned i = 0; i < columns->histograms; i++)
		if (columns->latencies[i] == latency)
			return (uint8_t)i;
	columns->latencies[columns->histograms] = latency;
	return (uint8_t)columns->histograms++;
}

void spe_columns_add(struct spe_columns *columns, const struct spe_column *column)
{
	uint8_t slot = 0;

	for (unsigned i = 0; i < columns->count; i++)
		if (columns->items[i] == column)
			return;
	if (columns->count == SPE_COLUMNS_MAX)
		return; /* the table is shorter */
	if (column->kind == SPE_COLUMN_AVERAGE || column->kind == SPE_COLUMN_QUANTILE)
		slot = histogram_slot(columns, column->latency);
	if (column->kind == SPE_COLUMN_EVENT) {
		slot = (uint8_t)columns->counts;
		columns->events[columns->counts++] = column->events;
	}
	columns->slots[columns->count] = slot;
	columns->items[columns->count++] = column;
}

int spe_columns_count(const struct spe_columns *columns, struct spe_row *row,
		      struct spe_row_shape shape, const struct spe_sample *samples, size_t count)
{
	for (unsigned i = 0; i < columns->histograms; i++) {
		struct spe_histogram *h = &spe_row_histograms(row, shape)[i];
		int status = SPE_OK;
		uint16_t cycles;

		for (size_t k = 0; k < count && !status; k++)
			if (spe_sample_latency(&samples[k], columns->latencies[i], &cycles))
				status = spe_histogram_add(h, cycles, 1);
		if (status)
			return status;
	}
	for (unsigned i = 0; i < columns->counts; i++) {
		uint64_t n = 0;

		for (size_t k = 0; k < count; k++) /* absent events are 0 */
			n += (samples[k].record.events & columns->events[i]) != 0;
		spe_row_counts(row, shape)[i] += n;
	}
	return SPE_OK;
}

bool spe_columns_value(const struct spe_columns *columns, unsigned i, const struct spe_row *row,
		       struct spe_row_shape shape, double *value, unsigned *digits)
{
	const struct spe_column *column = columns->items[i];
	const struct spe_histogram *h = &spe_row_histograms(row, shape)[columns->slots[i]];
	uint16_t cycles;

	*digits = 0;
	switch (column->kind) {
	case SPE_COLUMN_SAMPLES:
		*value = (double)row->samples;
		return true;
	case SPE_COLUMN_EVENT:
		*value = (double)spe_row_counts(row, shape)[columns->slots[i]];
		return true;
	case SPE_COLUMN_AVERAGE:
		*digits = 1;
		*value = h->samples ? (double)h->sum / (double)h->samples : 0;
		return h->samples != 0;
	default:
		if (!spe_histogram_quantile(h, column->percent, &cycles))
			return false;
		*value = cycles;
		return true;
	}
}
