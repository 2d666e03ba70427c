/* SPDX-License-Identifier: GPL-2.0-only */
/* Columns of numbers a report can show beside its keys, one table. */
#ifndef SPE_SINK_COLUMNS_H
#define SPE_SINK_COLUMNS_H

#include "format.h"
#include "rows.h"

#include <perf-arm-spe/sink.h>

enum spe_latency { SPE_LATENCY_TOTAL, SPE_LATENCY_ISSUE, SPE_LATENCY_XLAT, SPE_LATENCIES };

enum spe_column_kind {
	SPE_COLUMN_SAMPLES,
	SPE_COLUMN_AVERAGE,  /* of a latency */
	SPE_COLUMN_QUANTILE, /* of a latency, percent */
	SPE_COLUMN_EVENT,    /* samples with an event */
};

struct spe_column {
	const char *name;  /* as -F takes it */
	const char *group; /* another word, for several of them; NULL: none */
	const char *header;
	const char *field; /* in JSON and CSV */
	const char *help;
	uint8_t kind;    /* enum spe_column_kind */
	uint8_t latency; /* enum spe_latency */
	uint8_t percent; /* of a quantile */
	uint32_t events; /* bits of the Events packet */
	uint8_t width;   /* of the text column */
};

/* Column i of the table, NULL after the last. */
const struct spe_column *spe_column_at(size_t i);
/* Is `word` (length bytes) the name of the column, or of its group? */
bool spe_column_is(const struct spe_column *column, const char *word, size_t length);
/* SPE_HAS_* a column looks at. */
uint32_t spe_column_want(const struct spe_column *column);

/* A latency of a sample. false when it has none. */
static inline bool spe_sample_latency(const struct spe_sample *sample, unsigned latency,
				      uint16_t *cycles)
{
	const struct spe_record *r = &sample->record;

	switch (latency) {
	case SPE_LATENCY_TOTAL:
		*cycles = r->total_latency_cycles;
		return r->present & SPE_HAS_TOTAL_LATENCY;
	case SPE_LATENCY_ISSUE:
		*cycles = r->issue_latency_cycles;
		return r->present & SPE_HAS_ISSUE_LATENCY;
	default:
		*cycles = r->xlat_latency_cycles;
		return r->present & SPE_HAS_XLAT_LATENCY;
	}
}

/* The columns of one report, and where a row keeps what they show. */
#define SPE_COLUMNS_MAX 32u
struct spe_columns {
	const struct spe_column *items[SPE_COLUMNS_MAX];
	uint8_t slots[SPE_COLUMNS_MAX]; /* histogram or count of each */
	unsigned count;
	uint8_t latencies[SPE_LATENCIES]; /* of histogram i */
	unsigned histograms;
	uint32_t events[SPE_COLUMNS_MAX]; /* of count i */
	unsigned counts;
};

/* Add one; the second time it is not shown again. */
void spe_columns_add(struct spe_columns *columns, const struct spe_column *column);
/* Count samples into a row. SPE_OK or SPE_NOMEM. */
int spe_columns_count(const struct spe_columns *columns, struct spe_row *row,
		      struct spe_row_shape shape, const struct spe_sample *samples, size_t count);

/* Column i of a frozen row: a number with `digits` decimals. false: the row has none. */
bool spe_columns_value(const struct spe_columns *columns, unsigned i, const struct spe_row *row,
		       struct spe_row_shape shape, double *value, unsigned *digits);

#endif
