/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which of many spans [start, end), given in an order, covers a point and comes
 * last before a place of that order?  A segment tree: logarithmic, whatever
 * the spans do.
 */
#ifndef SPE_SYMBOLS_INDEX_H
#define SPE_SYMBOLS_INDEX_H

#include <perf-arm-spe/base.h>

struct spe_span {
	uint64_t start, end; /* start < end */
};

struct spe_index;

#define SPE_INDEX_NONE SIZE_MAX

struct spe_index_answer {
	size_t last;     /* the last span below `before` that covers the point, or none */
	size_t next;     /* the first one at or above it that does, or none */
	uint64_t lo, hi; /* the answer is the same for all points of [lo, hi) */
};

/* span(arg, i) is span i of count. SPE_OK, SPE_NOMEM. */
int spe_index_new(struct spe_span (*span)(const void *arg, size_t i), const void *arg, size_t count,
		  struct spe_index **index);
void spe_index_free(struct spe_index *index);
struct spe_index_answer spe_index_find(const struct spe_index *index, uint64_t point,
				       size_t before);
/* Visit the spans that cover the point until visit() returns false. */
void spe_index_visit(const struct spe_index *index, uint64_t point,
		     bool (*visit)(void *arg, size_t i), void *arg);

#endif
