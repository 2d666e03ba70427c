/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of a report: counters under a tuple of key values.  Memory goes with the
 * rows, never with the samples.
 */
#ifndef SPE_SINK_ROWS_H
#define SPE_SINK_ROWS_H

#include "histogram.h"

/* The latest sample of a row: ids are named as of then. */
struct spe_latest {
	uint64_t ns;
	int32_t tid;   /* -1 none */
	uint32_t comm; /* its name + 1, 0 none */
	bool has_ns;
};

/* One row; behind it its key values, its histograms and its counts. */
struct spe_row {
	uint64_t samples;
	uint64_t weight; /* samples or cycles, as the report weighs */
	struct spe_latest latest;
	uint64_t keys[];
};

/* How many of each a row has. */
struct spe_row_shape {
	unsigned keys, histograms, counts;
};

struct spe_rows {
	struct spe_row_shape shape;
	size_t stride; /* bytes of a row */
	char *bytes;
	size_t count, room; /* rows */
	uint32_t *slots;    /* row number + 1, 0 empty; power of two */
	size_t slot_count;
};

/* Nothing is allocated before the first row. */
void spe_rows_init(struct spe_rows *rows, struct spe_row_shape shape);
void spe_rows_fini(struct spe_rows *rows);

static inline struct spe_row *spe_rows_at(const struct spe_rows *rows, size_t i)
{
	return (struct spe_row *)(rows->bytes + i * rows->stride);
}

static inline struct spe_histogram *spe_row_histograms(const struct spe_row *row,
						       struct spe_row_shape shape)
{
	return (struct spe_histogram *)(uintptr_t)(row->keys + shape.keys);
}

static inline uint64_t *spe_row_counts(const struct spe_row *row, struct spe_row_shape shape)
{
	return (uint64_t *)(spe_row_histograms(row, shape) + shape.histograms);
}

/*
 * The row with these keys, made zero if new.  Rows move when one is made.
 * SPE_OK, SPE_NOMEM, SPE_LIMIT.
 */
int spe_rows_find(struct spe_rows *rows, const uint64_t *keys, struct spe_row **row);

/*
 * The later of two.  Ties go by thread and name: the answer does not depend on
 * the order of the samples.
 */
static inline void spe_latest_take(struct spe_latest *latest, struct spe_latest other)
{
	if (other.has_ns != latest->has_ns ? other.has_ns
	    : other.ns != latest->ns       ? other.ns > latest->ns
	    : other.tid != latest->tid     ? other.tid > latest->tid
					   : other.comm > latest->comm)
		*latest = other;
}

/*
 * Add the rows of one table to another, which may have fewer keys: the first
 * ones count.  SPE_OK, SPE_NOMEM, SPE_LIMIT.
 */
int spe_rows_merge(struct spe_rows *into, const struct spe_rows *from);

/* No more samples: quantiles may be asked for. */
void spe_rows_freeze(struct spe_rows *rows);

#endif
