/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of `overhead`: the two tables of the kernel mails, and what
 * 2,000 simulated experiments of known truth are told.
 */
#include "../../tools/perf-arm-spe/overhead-stats.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#ifdef HAVE_RMATH

static const double dis[] = { 26.568, 26.442, 26.719, 26.448, 27.017 };
static const double enb[] = { 26.786, 26.457, 26.701, 27.595, 27.263 };
static const double on[] = { 26.056, 26.458, 27.119, 26.953, 26.638 };
static const double off[] = { 26.197, 26.846, 26.281, 27.043, 26.933 };

static const struct overhead_rules by_hand = { .alpha = 0.05, .margin_percent = 1, .seed = 1 };
static const struct overhead_rules in_blocks = {
	.alpha = 0.05, .margin_percent = 1, .paired = true, .seed = 1
};

START_TEST(mail_of_four_kernels)
{
	static const double means[] = { 26.960, 26.645, 26.660 }, deltas[] = { 1.21, 0.02, 0.08 };
	struct overhead_samples base = { dis, 5 };
	struct overhead_samples arms[] = { { enb, 5 }, { on, 5 }, { off, 5 } };
	struct overhead_effect e[3];

	ck_assert_int_eq(overhead_judge(&base, arms, 3, &by_hand, e), 0);
	ck_assert_double_eq_tol(overhead_mean(&base), 26.639, 0.0005);
	ck_assert_double_eq_tol(e[0].p, 54.0 / 252, 1e-9); /* 0.21 */
	for (int i = 0; i < 3; i++) {
		ck_assert_double_eq_tol(e[i].mean, means[i], 0.00051);
		ck_assert_double_eq_tol(e[i].delta_percent, deltas[i], 0.005);
		ck_assert_int_eq(e[i].verdict, VERDICT_INCONCLUSIVE);
		ck_assert(e[i].smallest_percent > 1.6 && e[i].smallest_percent < 2.5);
	}
}
END_TEST

START_TEST(one_run_an_arm_gets_no_verdict)
{
	const double a[] = { 2.911 }, b[] = { 3.590 }, c[] = { 3.103 };
	struct overhead_samples base = { a, 1 }, arms[] = { { b, 1 }, { c, 1 } };
	struct overhead_effect e[2];

	ck_assert_int_eq(overhead_judge(&base, arms, 2, &by_hand, e), 0);
	ck_assert_double_eq_tol(e[0].delta_percent, 23.3, 0.05);
	ck_assert_double_eq_tol(e[1].delta_percent, 6.6, 0.05);
	ck_assert_int_eq(e[0].verdict, VERDICT_NONE);
	ck_assert_int_eq(e[1].verdict, VERDICT_NONE);
}
END_TEST

START_TEST(holm_is_stepwise)
{
	/* Three arms whose exact p are known: all pairs above, mixed, all pairs below. */
	const double base[] = { 10, 10, 10, 10, 10, 10, 10, 10 };
	const double up[] = { 11, 11.1, 11.2, 11.3, 11.4, 11.5, 11.6, 11.7 };
	const double mixed[] = { 10.1, 9.91, 10.3, 9.69, 10.5, 9.49, 10.7, 9.28 };
	const double down[] = { 9, 8.9, 8.8, 8.7, 8.6, 8.5, 8.4, 8.3 };
	struct overhead_samples b = { base, 8 }, arms[] = { { up, 8 }, { mixed, 8 }, { down, 8 } };
	struct overhead_effect e[3];

	ck_assert_int_eq(overhead_judge(&b, arms, 3, &in_blocks, e), 0);
	ck_assert_double_eq_tol(e[0].p, 2.0 / 256, 1e-9);
	ck_assert_double_eq_tol(e[2].p, 2.0 / 256, 1e-9);
	ck_assert_double_eq_tol(e[0].p_adjusted, 6.0 / 256, 1e-9);
	ck_assert_double_eq_tol(e[2].p_adjusted, 6.0 / 256, 1e-9);
	ck_assert_int_eq(e[0].verdict, VERDICT_DIFFERS);
	ck_assert_int_eq(e[2].verdict, VERDICT_DIFFERS);
	ck_assert(e[0].lo_percent > 9 && e[0].hi_percent < 18);
	ck_assert_int_eq(e[1].verdict, VERDICT_INCONCLUSIVE);
}
END_TEST

START_TEST(no_difference_needs_a_narrow_interval)
{
	double base[20], arm[20];
	struct overhead_samples b = { base, 20 }, a = { arm, 20 };
	struct overhead_effect e;

	for (int i = 0; i < 20; i++) {
		base[i] = 5 + 0.001 * (i % 3);
		arm[i] = 5 + 0.001 * ((i + 1) % 3);
	}
	ck_assert_int_eq(overhead_judge(&b, &a, 1, &in_blocks, &e), 0);
	ck_assert_int_eq(e.verdict, VERDICT_NO_DIFFERENCE);
	ck_assert(e.bound_percent > 0 && e.bound_percent < 0.05);
}
END_TEST

/* ---- simulated experiments --------------------------------------------- */

enum { EXPERIMENTS = 2000, RUNS = 12 };

static double gauss(uint64_t *state)
{
	double u = ((double)(overhead_random(state) >> 11) + 1) / 9007199254740993.0;
	double v = (double)(overhead_random(state) >> 11) / 9007199254740992.0;

	return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

struct truth {
	double effect;     /* of the arm, as a ratio */
	double drift;      /* of the machine, from the first block to the last */
	double slow_block; /* one block is this much slower */
};

/* How often, of all experiments, the arm is said to differ. */
static double share_differs(const struct truth *truth, uint64_t seed)
{
	int differs = 0;

	for (int k = 0; k < EXPERIMENTS; k++) {
		double base[RUNS], arm[RUNS];
		struct overhead_samples b = { base, RUNS }, a = { arm, RUNS };
		size_t slow = overhead_random_below(&seed, RUNS);
		struct overhead_effect e;

		for (size_t i = 0; i < RUNS; i++) {
			/* The order inside a block is shuffled: the arm comes first or second. */
			bool first = overhead_random(&seed) & 1;
			double block = i == slow ? 1 + truth->slow_block : 1;
			double now = 1 + truth->drift * (double)i / RUNS;
			double later = 1 + truth->drift * ((double)i + 0.5) / RUNS;

			arm[i] = 10 * (first ? now : later) * block * truth->effect *
				 (1 + 0.02 * gauss(&seed));
			base[i] = 10 * (first ? later : now) * block * (1 + 0.02 * gauss(&seed));
		}
		ck_assert_int_eq(overhead_judge(&b, &a, 1, &in_blocks, &e), 0);
		differs += e.verdict == VERDICT_DIFFERS;
	}
	return (double)differs / EXPERIMENTS;
}

START_TEST(a_against_a_seldom_differs)
{
	ck_assert(share_differs(&(struct truth){ .effect = 1 }, 11) <= 0.05);
}
END_TEST

START_TEST(three_per_cent_is_found)
{
	ck_assert(share_differs(&(struct truth){ .effect = 1.03 }, 12) >= 0.80);
}
END_TEST

START_TEST(drift_and_a_slow_block_do_not_fool)
{
	struct truth nothing = { .effect = 1, .drift = 0.3, .slow_block = 0.5 };
	struct truth three = { .effect = 1.03, .drift = 0.1, .slow_block = 0.5 };

	ck_assert(share_differs(&nothing, 13) <= 0.05);
	ck_assert(share_differs(&three, 14) >= 0.80);
}
END_TEST

#endif

int main(void)
{
	Suite *suite = suite_create("overhead-stats");
	TCase *tc = tcase_create("stats");
	SRunner *runner;
	int failed;

#ifdef HAVE_RMATH
	tcase_add_test(tc, mail_of_four_kernels);
	tcase_add_test(tc, one_run_an_arm_gets_no_verdict);
	tcase_add_test(tc, holm_is_stepwise);
	tcase_add_test(tc, no_difference_needs_a_narrow_interval);
	tcase_add_test(tc, a_against_a_seldom_differs);
	tcase_add_test(tc, three_per_cent_is_found);
	tcase_add_test(tc, drift_and_a_slow_block_do_not_fool);
#endif
	tcase_set_timeout(tc, 120);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
