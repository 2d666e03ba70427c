/* SPDX-License-Identifier: GPL-2.0-only */
/* What the task timeline is built from: sightings, holes; and many of them. */
#include "attribution-events.h"
#include "../../perf-arm-spe/attribution/holes.h"
#include "../../perf-arm-spe/attribution/sightings.h"
#include "../../perf-arm-spe/attribution/tasks.h"

#include <check.h>

#define S 1000000000ull

/* Millions of trailers that say the same do not grow memory, and the order is all one. */
START_TEST(sightings_are_thinned)
{
	enum { N = 800000, THREADS = 500 };
	struct spe_sightings there, back;
	bool failed = false;

	spe_sightings_init(&there, 20);
	spe_sightings_init(&back, 20);
	for (uint64_t i = 0; i < N; i++) {
		uint64_t k = N - 1 - i;
		struct spe_sighting s = { 1 + i * 20000, 1 + (int32_t)(i % THREADS), 1,
					  SPE_SIGHTING_UNNAMED };
		struct spe_sighting t = { 1 + k * 20000, 1 + (int32_t)(k % THREADS), 1,
					  SPE_SIGHTING_UNNAMED };

		failed |= spe_sightings_add(&there, &s) != SPE_OK;
		failed |= spe_sightings_add(&back, &t) != SPE_OK;
		failed |= there.spans.count > 1u << 19;
	}
	ck_assert(!failed);
	ck_assert_int_eq(spe_sightings_finish(&there), SPE_OK);
	ck_assert_int_eq(spe_sightings_finish(&back), SPE_OK);
	ck_assert_uint_le(there.all.count, 1u << 20);
	ck_assert_uint_eq(there.all.count, back.all.count);
	for (size_t i = 0; i < there.all.count; i++)
		failed |= there.all.items[i].time_ns != back.all.items[i].time_ns ||
			  there.all.items[i].tid != back.all.items[i].tid;
	ck_assert(!failed);
	ck_assert_uint_eq(there.all.items[0].time_ns, 1);
	ck_assert_uint_gt(there.slice_shift, 20);
	spe_sightings_fini(&there);
	spe_sightings_fini(&back);
}
END_TEST

START_TEST(holes_run_from_the_record_before)
{
	struct spe_holes h;
	uint64_t first = 0, last = 0;
	bool failed = false;

	spe_holes_init(&h);
	for (uint64_t t = 1; t <= 300000; t++)
		failed |= spe_holes_add(&h, (int32_t)(t & 3), t * 10, t, t == 200000) != SPE_OK;
	ck_assert(!failed);
	ck_assert_int_eq(spe_holes_add(&h, 9, 500, 300001, true), SPE_OK);
	ck_assert_int_eq(spe_holes_finish(&h, false), SPE_OK);
	ck_assert_uint_eq(h.all.count, 2);
	ck_assert_uint_eq(h.all.items[0].from_ns, 1999960); /* four records back: its own CPU's */
	ck_assert_uint_eq(h.all.items[0].to_ns, 2000000);
	ck_assert_uint_eq(h.all.items[1].from_ns, 0);
	ck_assert_uint_eq(spe_holes_lost_after(&h, 0), 500);
	ck_assert_uint_eq(spe_holes_lost_after(&h, 500), 2000000);
	ck_assert_uint_eq(spe_holes_lost_after(&h, 2000000), UINT64_MAX);
	ck_assert(spe_holes_between(&h, 100, 3000000, &first, &last));
	ck_assert_uint_eq(first, 100);
	ck_assert_uint_eq(last, 2000000);
	ck_assert(spe_holes_between(&h, 600, 1999970, &first, &last));
	ck_assert_uint_eq(first, 1999960);
	ck_assert_uint_eq(last, 1999970);
	ck_assert(!spe_holes_between(&h, 600, 1999960, &first, &last));
	ck_assert(!spe_holes_between(&h, 2000000, 3000000, &first, &last));
	spe_holes_fini(&h);
}
END_TEST

/* Records of these CPUs, some LOST, as they come: k-th of n in the order of `step`. */
static void put_marks(struct spe_holes *h, const int32_t cpus[4], uint64_t n, uint64_t step)
{
	bool failed = false;

	spe_holes_init(h);
	for (uint64_t k = 0; k < n; k++) {
		uint64_t t = 1 + k * step % n;

		failed |= spe_holes_add(h, cpus[t & 3], t / 2 * 10, t, t % 37 == 0) != SPE_OK;
	}
	ck_assert(!failed);
	ck_assert_int_eq(spe_holes_finish(h, true), SPE_OK);
}

/* In whatever order records come, and whatever their CPUs are called. */
START_TEST(holes_in_any_order)
{
	static const int32_t cpus[][4] = { { 0, 1, 2, 3 },
					   { -1, 4095, 4094, 7 },
					   { 0, 5000, INT32_MAX, -1 },
					   { INT32_MIN, 1, 2, 3 } };
	enum { N = 9973 }; /* a prime */

	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct spe_holes straight, mixed;

		put_marks(&straight, cpus[i], N, 1);
		put_marks(&mixed, cpus[i], N, 5003);
		ck_assert_uint_eq(straight.all.count, N / 37 + 4);
		ck_assert_uint_eq(mixed.all.count, straight.all.count);
		for (size_t k = 0; k < mixed.all.count; k++) {
			const struct spe_hole *a = &straight.all.items[k];
			const struct spe_hole *b = &mixed.all.items[k];

			ck_assert(a->cpu == b->cpu && a->from_ns == b->from_ns &&
				  a->to_ns == b->to_ns);
			ck_assert(!k || a[-1].cpu < a->cpu ||
				  (a[-1].cpu == a->cpu && a[-1].to_ns <= a->to_ns));
		}
		spe_holes_fini(&straight);
		spe_holes_fini(&mixed);
	}
}
END_TEST

/* A storm: many lives of many ids, all found. */
START_TEST(many_lives)
{
	enum { THREADS = 20000, LIVES = 10 };
	static struct events e;
	struct spe_tasks *tasks;
	bool failed = false;

	ck_assert_int_eq(spe_tasks_new(&tasks), SPE_OK);
	for (int32_t life = 0; life < LIVES; life++) {
		for (int32_t tid = 1; tid <= THREADS; tid++) {
			uint64_t t = (uint64_t)life * S + (uint64_t)tid * 1000;
			int32_t pid = tid - tid % (life + 2);

			if (pid < 1)
				pid = 1;
			e = (struct events){ 0 };
			event_fork(&e, t, pid, tid, pid, pid);
			event_exit(&e, t + S / 2, pid, tid);
			failed |= spe_tasks_add(tasks, &e.all[0]) != SPE_OK;
			failed |= spe_tasks_add(tasks, &e.all[1]) != SPE_OK;
		}
	}
	ck_assert(!failed);
	ck_assert_int_eq(spe_tasks_freeze(tasks), SPE_OK);
	ck_assert_uint_ge(spe_tasks_count(tasks), (size_t)THREADS * LIVES);
	for (int32_t tid = 2; tid <= THREADS; tid += 7) {
		struct spe_task task;
		int32_t life = tid % LIVES, pid = tid - tid % (life + 2);

		ck_assert_int_eq(spe_tasks_find(tasks, tid, true,
						(uint64_t)life * S + (uint64_t)tid * 1000 + 5,
						&task),
				 SPE_OK);
		ck_assert_int_eq(task.pid, pid < 1 ? 1 : pid);
	}
	spe_tasks_free(tasks);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("attribution: volume");
	TCase *tc = tcase_create("volume");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, sightings_are_thinned);
	tcase_add_test(tc, holes_run_from_the_record_before);
	tcase_add_test(tc, holes_in_any_order);
	tcase_add_test(tc, many_lives);
	suite_add_tcase(s, tc);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
