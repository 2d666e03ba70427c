/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics of an experiment with several arms: is an arm slower than the
 * baseline, by how much, and what could this experiment have seen at all?
 *
 * Values are positive measurements (seconds, bytes).  Effects are ratios to
 * the baseline, worked out on logarithms and given in per cent.  Distributions
 * come from r-mathlib.
 */
#ifndef OVERHEAD_STATS_H
#define OVERHEAD_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum overhead_verdict {
	VERDICT_NONE,          /* one run an arm: a percentage, nothing more */
	VERDICT_DIFFERS,       /* differs by [lo, hi] % */
	VERDICT_NO_DIFFERENCE, /* no difference above bound % */
	VERDICT_INCONCLUSIVE,
};

struct overhead_effect {
	double mean;                   /* of the arm */
	double delta_percent;          /* of the means, against the baseline */
	double p;                      /* two-sided; 1 when nothing can be said */
	double p_adjusted;             /* after Holm over all arms */
	double lo_percent, hi_percent; /* interval for the ratio, at the adjusted level */
	bool has_interval;
	double smallest_percent; /* effect found 4 times in 5 at this spread and number of runs */
	double bound_percent;    /* for VERDICT_NO_DIFFERENCE: no effect larger than this */
	enum overhead_verdict verdict;
	const char *method;
};

/* false: built without r-mathlib, and every judgement fails. */
extern const bool overhead_available;

struct overhead_samples {
	const double *values;
	size_t count;
};

struct overhead_rules {
	double alpha;          /* 0.05 */
	double margin_percent; /* a bound up to this is worth a `no difference` */
	bool paired;           /* value i of every arm comes from block i */
	uint64_t seed;         /* for permutation tests too large to enumerate */
};

/*
 * Judge every arm against the baseline.  effects has arm_count entries.
 * Returns 0, or -1 when out of memory.
 */
int overhead_judge(const struct overhead_samples *baseline, const struct overhead_samples *arms,
		   size_t arm_count, const struct overhead_rules *rules,
		   struct overhead_effect *effects);

/* Mean of values; 0 for none. */
double overhead_mean(const struct overhead_samples *samples);

/*
 * Two-sided permutation test for a difference of means: exact where the number
 * of splits is at most 200,000, else 100,000 random splits.  -1 when out of memory.
 */
double overhead_permutation_p(const struct overhead_samples *a, const struct overhead_samples *b,
			      uint64_t seed);

/* Small generator for shuffles and random splits: the next value of *state. */
uint64_t overhead_random(uint64_t *state);
/* A number below n, each equally likely. */
size_t overhead_random_below(uint64_t *state, size_t n);

#endif
