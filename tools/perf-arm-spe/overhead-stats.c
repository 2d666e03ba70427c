/* SPDX-License-Identifier: GPL-2.0-only */
#include "overhead-stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t overhead_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

size_t overhead_random_below(uint64_t *state, size_t n)
{
	return (size_t)(((unsigned __int128)overhead_random(state) * n) >> 64);
}

double overhead_mean(const struct overhead_samples *samples)
{
	double sum = 0;

	for (size_t i = 0; i < samples->count; i++)
		sum += samples->values[i];
	return samples->count ? sum / (double)samples->count : 0;
}

#ifdef HAVE_RMATH

const bool overhead_available = true;

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

#define EXACT_SPLITS_MAX 200000
#define RANDOM_SPLITS 100000
/* r-mathlib tabulates rank distributions: beyond this they take too much memory. */
#define EXACT_RANKS_MAX 100

static double variance(const double *values, size_t n)
{
	double mean = overhead_mean(&(struct overhead_samples){ values, n }), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return n > 1 ? sum / (double)(n - 1) : 0;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* ---- permutation of the means ----------------------------------------- */

struct split {
	const double *all;
	size_t n, left; /* all values, size of the first group */
	double total, observed;
	uint64_t at_least, seen;
};

static void split_count(struct split *s, double sum)
{
	double other = (s->total - sum) / (double)(s->n - s->left);
	double diff = fabs(sum / (double)s->left - other);

	s->seen++;
	s->at_least += diff >= s->observed * (1 - 1e-12) - 1e-15;
}

/* All ways to choose `left` of n: index[] walks through the combinations. */
static void split_all(struct split *s, size_t *index)
{
	for (size_t i = 0; i < s->left; i++)
		index[i] = i;
	for (;;) {
		double sum = 0;
		size_t i = s->left;

		for (size_t k = 0; k < s->left; k++)
			sum += s->all[index[k]];
		split_count(s, sum);
		while (i > 0 && index[i - 1] == s->n - s->left + i - 1)
			i--;
		if (!i)
			return;
		index[i - 1]++;
		for (size_t k = i; k < s->left; k++)
			index[k] = index[k - 1] + 1;
	}
}

static void split_random(struct split *s, size_t *index, uint64_t seed)
{
	for (size_t i = 0; i < s->n; i++)
		index[i] = i;
	for (int round = 0; round < RANDOM_SPLITS; round++) {
		double sum = 0;

		for (size_t k = 0; k < s->left; k++) {
			size_t other = k + overhead_random_below(&seed, s->n - k);
			size_t chosen = index[other];

			index[other] = index[k];
			index[k] = chosen;
			sum += s->all[chosen];
		}
		split_count(s, sum);
	}
	s->seen++; /* the split that was observed is one of them: p is never 0 */
	s->at_least++;
}

double overhead_permutation_p(const struct overhead_samples *a, const struct overhead_samples *b,
			      uint64_t seed)
{
	size_t n = a->count + b->count;
	double *all = malloc((n + 1) * sizeof(*all));
	size_t *index = malloc((n + 1) * sizeof(*index));
	struct split s = { .all = all, .n = n, .left = a->count };
	double p = -1;

	if (all && index && a->count && b->count) {
		memcpy(all, a->values, a->count * sizeof(*all));
		memcpy(all + a->count, b->values, b->count * sizeof(*all));
		s.total = overhead_mean(a) * (double)a->count + overhead_mean(b) * (double)b->count;
		s.observed = fabs(overhead_mean(a) - overhead_mean(b));
		if (choose((double)n, (double)a->count) <= EXACT_SPLITS_MAX)
			split_all(&s, index);
		else
			split_random(&s, index, seed);
		p = (double)s.at_least / (double)s.seen;
	}
	free(all);
	free(index);
	return p;
}

/* ---- Wilcoxon tests, and the intervals they invert to ------------------ */

/*
 * Signed rank and rank sum are both decided by how many of a set of values
 * (averages of pairs of differences, or differences of pairs) lie above zero;
 * the interval lies between two order statistics of the same set.
 */
struct walks {
	double *values;
	size_t count;
};

static int walks_paired(const double *d, size_t n, struct walks *w)
{
	w->values = malloc((n * (n + 1) / 2 + 1) * sizeof(*w->values));
	w->count = 0;
	if (!w->values)
		return -1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i; k < n; k++)
			w->values[w->count++] = (d[i] + d[k]) / 2;
	qsort(w->values, w->count, sizeof(*w->values), compare_doubles);
	return 0;
}

static int walks_unpaired(const double *a, size_t n, const double *b, size_t m, struct walks *w)
{
	w->values = malloc((n * m + 1) * sizeof(*w->values));
	w->count = 0;
	if (!w->values)
		return -1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < m; k++)
			w->values[w->count++] = b[k] - a[i];
	qsort(w->values, w->count, sizeof(*w->values), compare_doubles);
	return 0;
}

/* How many are positive; a zero counts half. */
static double walks_positive(const struct walks *w)
{
	double positive = 0;

	for (size_t i = 0; i < w->count; i++)
		positive += w->values[i] > 0 ? 1 : w->values[i] < 0 ? 0 : 0.5;
	return positive;
}

/* P(statistic <= q) under "no difference": n pairs, or n against m when m > 0. */
static double rank_cdf(double q, size_t n, size_t m)
{
	double x = (double)n, y = (double)m, total = m ? x * y : x * (x + 1) / 2, spread;

	if (n <= EXACT_RANKS_MAX && m <= EXACT_RANKS_MAX)
		return m ? pwilcox(q, y, x, 1, 0) : psignrank(q, x, 1, 0);
	spread = m ? total * (x + y + 1) / 12 : total * (2 * x + 1) / 12;
	return pnorm5(q + 0.5, total / 2, sqrt(spread), 1, 0);
}

static double walks_p(const struct walks *w, size_t n, size_t m)
{
	double up = walks_positive(w), down = (double)w->count - up;
	double p = 2 * rank_cdf(floor(fmin(up, down)), n, m);

	return p < 1 ? p : 1;
}

/*
 * The interval at this level: between the order statistics that leave a tail of
 * at most alpha / 2 beyond either.  false when there are too few values.
 */
static bool walks_interval(const struct walks *w, size_t n, size_t m, double alpha, double *lo,
			   double *hi)
{
	size_t drop = 0, high = w->count / 2;

	if (rank_cdf(0, n, m) > alpha / 2)
		return false;
	while (drop < high) { /* the largest k with P(W <= k) <= alpha / 2 */
		size_t middle = drop + (high - drop + 1) / 2;

		if (rank_cdf((double)middle, n, m) <= alpha / 2)
			drop = middle;
		else
			high = middle - 1;
	}
	if (drop >= w->count - drop)
		return false;
	*lo = w->values[drop];
	*hi = w->values[w->count - 1 - drop];
	return true;
}

/* ---- judging ------------------------------------------------------------ */

struct work {
	double *log_base, *log_arm, *diff;
	size_t n, m; /* runs of baseline and arm; paired: n pairs, m = 0 */
	struct walks walks;
};

static void work_free(struct work *work)
{
	free(work->log_base);
	free(work->log_arm);
	free(work->diff);
	free(work->walks.values);
}

static int work_make(struct work *work, const struct overhead_samples *base,
		     const struct overhead_samples *arm, bool paired)
{
	size_t n = base->count, m = arm->count, pairs = n < m ? n : m;

	work->log_base = malloc((n + 1) * sizeof(double));
	work->log_arm = malloc((m + 1) * sizeof(double));
	work->diff = malloc((pairs + 1) * sizeof(double));
	if (!work->log_base || !work->log_arm || !work->diff)
		return -1;
	for (size_t i = 0; i < n; i++)
		work->log_base[i] = log(base->values[i]);
	for (size_t i = 0; i < m; i++)
		work->log_arm[i] = log(arm->values[i]);
	for (size_t i = 0; i < pairs; i++)
		work->diff[i] = work->log_arm[i] - work->log_base[i];
	work->n = paired ? pairs : n;
	work->m = paired ? 0 : m;
	return paired ? walks_paired(work->diff, pairs, &work->walks)
		      : walks_unpaired(work->log_base, n, work->log_arm, m, &work->walks);
}

static double percent(double log_ratio)
{
	return (exp(log_ratio) - 1) * 100;
}

/*
 * The effect that a test at alpha would find 4 times in 5, by the normal
 * approximation: (z of alpha/2 + z of 0.8) standard errors.
 */
static double smallest_effect(const struct work *work, double alpha)
{
	double z = qnorm5(1 - alpha / 2, 0, 1, 1, 0) + qnorm5(0.8, 0, 1, 1, 0);
	double n = (double)work->n, m = (double)work->m, pooled;

	if (!work->m)
		return percent(z * sqrt(variance(work->diff, work->n) / n));
	pooled = variance(work->log_base, work->n) * (n - 1) +
		 variance(work->log_arm, work->m) * (m - 1);
	return percent(z * sqrt(pooled / (n + m - 2) * (1 / n + 1 / m)));
}

static int effect_test(const struct overhead_samples *base, const struct overhead_samples *arm,
		       const struct overhead_rules *rules, struct work *work,
		       struct overhead_effect *effect)
{
	double base_mean = overhead_mean(base);

	effect->mean = overhead_mean(arm);
	effect->delta_percent = base_mean > 0 ? (effect->mean / base_mean - 1) * 100 : 0;
	effect->p = effect->p_adjusted = 1;
	effect->method = "none: one run an arm";
	if (base->count < 2 || arm->count < 2)
		return 0;
	if (work_make(work, base, arm, rules->paired))
		return -1;
	effect->smallest_percent = smallest_effect(work, rules->alpha);
	effect->method = rules->paired ? "exact Wilcoxon signed rank over blocks"
				       : "exact permutation of the means";
	effect->p = rules->paired ? walks_p(&work->walks, work->n, 0)
				  : overhead_permutation_p(base, arm, rules->seed);
	return effect->p < 0 ? -1 : 0;
}

/* Holm's step-down: the k-th smallest p times (arms - k), never below the one before. */
static void holm(struct overhead_effect *effects, size_t count)
{
	double least = 0;

	for (size_t k = 0; k < count; k++)
		effects[k].p_adjusted = -1;
	for (size_t k = 0; k < count; k++) {
		size_t best = count;

		for (size_t i = 0; i < count; i++)
			if (effects[i].p_adjusted < 0 &&
			    (best == count || effects[i].p < effects[best].p))
				best = i;
		least = fmax(least, fmin(1, effects[best].p * (double)(count - k)));
		effects[best].p_adjusted = least;
	}
}

static void effect_decide(struct overhead_effect *effect, const struct work *work,
			  const struct overhead_rules *rules, size_t arms)
{
	/* Holm multiplies p; the interval that goes with it is at alpha over the same factor. */
	double factor = effect->p > 0 ? effect->p_adjusted / effect->p : (double)arms;
	double alpha = rules->alpha / fmin(fmax(factor, 1), (double)arms), lo, hi;

	effect->verdict = VERDICT_INCONCLUSIVE;
	effect->has_interval = walks_interval(&work->walks, work->n, work->m, alpha, &lo, &hi);
	if (!effect->has_interval)
		return;
	effect->lo_percent = percent(lo);
	effect->hi_percent = percent(hi);
	effect->bound_percent = fmax(fabs(effect->lo_percent), fabs(effect->hi_percent));
	if (effect->p_adjusted <= rules->alpha && (lo > 0 || hi < 0))
		effect->verdict = VERDICT_DIFFERS;
	else if (effect->bound_percent <= rules->margin_percent)
		effect->verdict = VERDICT_NO_DIFFERENCE;
}

int overhead_judge(const struct overhead_samples *baseline, const struct overhead_samples *arms,
		   size_t arm_count, const struct overhead_rules *rules,
		   struct overhead_effect *effects)
{
	struct work *work = calloc(arm_count + 1, sizeof(*work));
	int status = work ? 0 : -1;

	memset(effects, 0, arm_count * sizeof(*effects));
	for (size_t i = 0; !status && i < arm_count; i++)
		status = effect_test(baseline, &arms[i], rules, &work[i], &effects[i]);
	if (!status)
		holm(effects, arm_count);
	for (size_t i = 0; !status && i < arm_count; i++)
		if (work[i].walks.values)
			effect_decide(&effects[i], &work[i], rules, arm_count);
	for (size_t i = 0; work && i < arm_count; i++)
		work_free(&work[i]);
	free(work);
	return status;
}

#else

const bool overhead_available = false;

int overhead_judge(const struct overhead_samples *baseline, const struct overhead_samples *arms,
		   size_t arm_count, const struct overhead_rules *rules,
		   struct overhead_effect *effects)
{
	(void)baseline;
	(void)arms;
	(void)arm_count;
	(void)rules;
	(void)effects;
	return -1;
}

#endif /* HAVE_RMATH */
